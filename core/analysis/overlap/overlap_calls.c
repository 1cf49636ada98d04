/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the host's calls show: when a thread waited, and which streams waited for an event of another stream.
 * The record of cudaStreamWaitEvent names the waiting stream but not the event: that follows from the work
 * whose end let the operation start. It was issued before the wait, and it ended just before the operation
 * began.
 */
#include "core/analysis/overlap/overlap_internal.h"
#include "core/base/array.h"

#include <stdlib.h>

static int compare_numbers(uint64_t left, uint64_t right)
{
    return (left > right) - (left < right);
}

static int by_call(const void *a, const void *b, void *context)
{
    (void)context;
    const struct stream_wait *left = a, *right = b;
    int order = compare_numbers(left->process, right->process);
    return order != 0 ? order : compare_numbers(left->correlation, right->correlation);
}

static int by_stream(const void *a, const void *b, void *context)
{
    (void)context;
    const struct stream_wait *left = a, *right = b;
    int order = compare_numbers(left->process, right->process);
    order = order != 0 ? order : compare_numbers(left->context, right->context);
    order = order != 0 ? order : compare_numbers(left->stream, right->stream);
    return order != 0 ? order : (left->call_ns > right->call_ns) - (left->call_ns < right->call_ns);
}

/* Does the call only make a stream wait, although its category says that it makes the host wait? */
static bool tells_stream(const struct work *work, const struct blocked *blocked)
{
    const struct stream_wait wanted = {.process = blocked->process, .correlation = blocked->correlation};
    size_t low = 0, high = work->stream_wait_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_call(&work->stream_waits[middle], &wanted, NULL) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return blocked->reason == SERIAL_EXPLICIT_SYNC && blocked->correlation != 0 &&
           low < work->stream_wait_count && by_call(&work->stream_waits[low], &wanted, NULL) == 0;
}

static int by_thread(const void *a, const void *b, void *context)
{
    (void)context;
    const struct blocked *left = a, *right = b;
    if (left->process != right->process)
        return left->process < right->process ? -1 : 1;
    if (left->thread != right->thread)
        return left->thread < right->thread ? -1 : 1;
    return (left->end_ns > right->end_ns) - (left->end_ns < right->end_ns);
}

static int by_end(const void *a, const void *b, void *context)
{
    const struct operation *operations = context;
    int64_t left = operations[*(const size_t *)a].end_ns, right = operations[*(const size_t *)b].end_ns;
    return (left > right) - (left < right);
}

static size_t by_end_count(const struct work *work)
{
    return !work->by_end ? 0 : work->count;
}

enum { SORT_BY_CALL, DROP, SORT_BY_THREAD, SORT_BY_STREAM, FILL_BY_END, SORT_BY_END, SORTED };

/* The sort of the stage. */
static void sort_begin(struct calls_sort *calls)
{
    struct work *work = calls->work;
    switch (calls->stage) {
    case SORT_BY_CALL:
    case SORT_BY_STREAM:
        slice_sort_begin(&calls->sort, (void **)&work->stream_waits, work->stream_wait_count,
                         sizeof *work->stream_waits, calls->stage == SORT_BY_CALL ? by_call : by_stream,
                         NULL);
        break;
    case SORT_BY_THREAD:
        slice_sort_begin(&calls->sort, (void **)&work->blocked, work->blocked_count, sizeof *work->blocked,
                         by_thread, NULL);
        break;
    default:
        slice_sort_begin(&calls->sort, (void **)&work->by_end, by_end_count(work), sizeof *work->by_end,
                         by_end, work->operations);
        break;
    }
}

static enum slice drop_step(struct calls_sort *calls, size_t *left)
{
    struct work *work = calls->work;
    for (; *left > 0 && calls->at < work->blocked_count; calls->at++, slice_take(left, 1))
        if (!tells_stream(work, &work->blocked[calls->at]))
            work->blocked[calls->kept++] = work->blocked[calls->at];
    if (calls->at < work->blocked_count)
        return SLICE_MORE;
    work->blocked_count = calls->kept;
    return SLICE_DONE;
}

static enum slice fill_step(struct calls_sort *calls, size_t *left)
{
    struct work *work = calls->work;
    if (work->stream_wait_count == 0)
        return SLICE_DONE;
    if (!work->by_end) {
        calls->at = 0;
        work->by_end = array_make(work->count + 1, sizeof *work->by_end);
        if (!work->by_end)
            return SLICE_NO_MEMORY;
    }
    for (; *left > 0 && calls->at < work->count; calls->at++, slice_take(left, 1))
        work->by_end[calls->at] = calls->at;
    return calls->at < work->count ? SLICE_MORE : SLICE_DONE;
}

enum slice calls_sort_step(struct calls_sort *calls, size_t *left)
{
    while (calls->stage < SORTED) {
        bool sorts = calls->stage != DROP && calls->stage != FILL_BY_END;
        if (sorts && !calls->sorting) {
            sort_begin(calls);
            calls->sorting = true;
        }
        enum slice slice = sorts                  ? slice_sort_step(&calls->sort, left)
                           : calls->stage == DROP ? drop_step(calls, left)
                                                  : fill_step(calls, left);
        if (slice != SLICE_DONE)
            return slice;
        calls->sorting = false;
        calls->stage++;
    }
    return SLICE_DONE;
}

size_t overlap_blocked_find(const struct work *work, uint32_t process, uint32_t thread, int64_t time_ns)
{
    size_t low = 0, high = work->blocked_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct blocked *at = &work->blocked[middle];
        bool before = at->process != process ? at->process < process
                      : at->thread != thread ? at->thread < thread
                                             : at->end_ns <= time_ns;
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    bool found =
        low > 0 && work->blocked[low - 1].process == process && work->blocked[low - 1].thread == thread;
    return found ? low - 1 : work->blocked_count;
}

/* The last wait that the stream was given before the call; NULL: none. */
static const struct stream_wait *wait_before(const struct work *work, const struct track_row *row,
                                             int64_t call_ns)
{
    const struct stream_wait wanted = {
        .process = row->process, .context = row->context, .stream = row->stream, .call_ns = call_ns};
    size_t low = 0, high = work->stream_wait_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_stream(&work->stream_waits[middle], &wanted, NULL) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct stream_wait *found = low > 0 ? &work->stream_waits[low - 1] : NULL;
    bool same = found && found->process == row->process && found->context == row->context &&
                found->stream == row->stream;
    return same ? found : NULL;
}

/* When the work before the operation in its stream was issued; that may lie before the range. */
static int64_t issued_before(const struct work *work, const struct operation *operation,
                             const struct operation *previous)
{
    if (previous)
        return previous->call_start_ns;
    if (operation->index == 0)
        return INT64_MIN;
    struct item item = session_event_item(
        work->session, (struct event_ref){operation->track, operation->lane, operation->index - 1});
    return item.kind == ITEM_LAUNCH ? item.launch.call_start_ns
           : item.kind == ITEM_COPY ? item.copy.call_start_ns
                                    : item.set.call_start_ns;
}

/* The last work of another stream of the process that ended just before the operation began and was issued
 * before the wait; NULL: none. */
static const struct operation *waited_for(const struct work *work, const struct operation *operation,
                                          uint32_t process, int64_t wait_ns)
{
    size_t low = 0, high = work->count; /* the first one that ends after the operation's start */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (work->operations[work->by_end[middle]].end_ns <= operation->start_ns)
            low = middle + 1;
        else
            high = middle;
    }
    while (low-- > 0) {
        const struct operation *other = &work->operations[work->by_end[low]];
        if (operation->start_ns - other->end_ns > SOON_NS)
            break;
        if (other->track != operation->track && other->call_start_ns < wait_ns &&
            session_track(work->session, other->track)->process == process)
            return other;
    }
    return NULL;
}

bool overlap_event_window(const struct work *work, const struct operation *operation,
                          const struct operation *previous, int64_t *since_ns, int64_t *until_ns)
{
    if (!work->by_end || operation->call_start_ns == INT64_MIN)
        return false;
    const struct track_row *row = session_track(work->session, operation->track);
    const struct stream_wait *wait = wait_before(work, row, operation->call_start_ns);
    if (!wait || wait->call_ns < issued_before(work, operation, previous))
        return false;
    const struct operation *other = waited_for(work, operation, row->process, wait->call_ns);
    if (!other)
        return false;
    *since_ns = operation->call_start_ns > other->start_ns ? operation->call_start_ns : other->start_ns;
    if (previous && previous->end_ns > *since_ns)
        *since_ns = previous->end_ns;
    *until_ns = other->end_ns;
    return *until_ns > *since_ns;
}
