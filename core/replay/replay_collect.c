/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arrays of a graph from a session's events. Calls first, merged over all threads in the order of their
 * starts; of calls within each other the outermost stays and has the operations of all. Then the operations,
 * in two walks: the first finds the call of each and counts, the second puts each in its place. An operation
 * finds its call by thread and time, beginning where the one before it in its stream found its own.
 */
#include "core/analysis/partition.h"
#include "core/base/array.h"
#include "core/base/function_name.h"
#include "core/hardware/occupancy.h"
#include "core/replay/replay_internal.h"
#include "core/session/session_walk.h"

#include <stdlib.h>
#include <string.h>

/* A use of a CUDA event, and, of a record, when its call began (INT64_MIN: no such call). */
struct event_call {
    const struct event_use_row *row;
    int64_t call_ns;
};

struct collecting {
    struct event_call *uses;     /* in order of process and correlation */
    struct event_call **records; /* of these, in order of process and number of the record */
    size_t use_count, record_count;
    struct replay *replay;
    struct run_scope scope;
    uint8_t clock;
    uint32_t *last;          /* of each thread the last call so far; NONE: none */
    uint32_t track, stream;  /* the walk's track, and its stream */
    size_t hint;             /* call that the last operation of the stream was found at */
    struct replay_thread of; /* that issued it, and its row */
    uint32_t thread;
    bool placing, no_memory;
};

/* ---- threads, contexts, streams ---- */

static bool has_track(const struct collecting *collecting, const struct track_row *track)
{
    if (track->clock != collecting->clock)
        return false;
    if (collecting->scope.row)
        return run_scope_has_track(&collecting->scope, track);
    const struct process_row *process = session_process(collecting->replay->session, track->process);
    return process && (process->mode == RUN_TRACE || process->clock == CLOCK_MODEL);
}

static uint32_t thread_find(const struct replay *replay, uint32_t process, uint32_t thread)
{
    for (size_t i = 0; i < replay->thread_count; i++)
        if (replay->threads[i].thread == thread && replay->threads[i].process == process)
            return (uint32_t)i;
    return NONE;
}

#define ROWS_MAX UINT16_MAX /* threads and streams, which calls and operations name in 16 bits */

static bool thread_add(struct replay *replay, uint32_t process, uint32_t thread)
{
    if (thread_find(replay, process, thread) != NONE || replay->thread_count == ROWS_MAX)
        return true;
    if (!array_grow(replay->threads, replay->thread_room, replay->thread_count, 1))
        return false;
    replay->threads[replay->thread_count++] = (struct replay_thread){process, thread};
    return true;
}

static bool stream_add(struct replay *replay, const struct track_row *track)
{
    size_t context = 0;
    while (context < replay->context_count && (replay->contexts[context].process != track->process ||
                                               replay->contexts[context].context != track->context))
        context++;
    if (context == replay->context_count) {
        if (!array_grow(replay->contexts, replay->context_room, replay->context_count, 1))
            return false;
        replay->contexts[replay->context_count++] = (struct replay_context){track->process, track->context};
    }
    if (!array_grow(replay->streams, replay->stream_room, replay->stream_count, 1))
        return false;
    replay->streams[replay->stream_count++] = (struct replay_stream){.process = track->process,
                                                                     .stream = track->stream,
                                                                     .context = (uint16_t)context,
                                                                     .flags = track->flags};
    return true;
}

/* ---- uses of CUDA events ---- */

static int by_correlation(const void *a, const void *b)
{
    const struct event_use_row *left = ((const struct event_call *)a)->row,
                               *right = ((const struct event_call *)b)->row;
    return left->process != right->process
               ? (left->process > right->process) - (left->process < right->process)
               : (left->correlation > right->correlation) - (left->correlation < right->correlation);
}

static int by_record(const void *a, const void *b)
{
    const struct event_use_row *left = (*(struct event_call *const *)a)->row,
                               *right = (*(struct event_call *const *)b)->row;
    return left->process != right->process
               ? (left->process > right->process) - (left->process < right->process)
               : (left->record > right->record) - (left->record < right->record);
}

static bool collect_event_uses(struct collecting *collecting)
{
    const struct session *session = collecting->replay->session;
    const uint32_t count = session_event_use_count(session);
    if (count == 0)
        return true;
    collecting->uses = array_make(count, sizeof *collecting->uses);
    collecting->records = array_make(count, sizeof *collecting->records);
    if (!collecting->uses || !collecting->records)
        return false;
    for (uint32_t i = 0; i < count; i++)
        collecting->uses[i] = (struct event_call){session_event_use(session, i), INT64_MIN};
    collecting->use_count = count;
    qsort(collecting->uses, count, sizeof *collecting->uses, by_correlation);
    for (uint32_t i = 0; i < count; i++)
        if (collecting->uses[i].row->use == EVENT_USE_RECORD)
            collecting->records[collecting->record_count++] = &collecting->uses[i];
    qsort(collecting->records, collecting->record_count, sizeof *collecting->records, by_record);
    return true;
}

static struct event_call *event_use_find(const struct collecting *collecting, uint32_t process,
                                         uint32_t correlation)
{
    const struct event_use_row row = {.process = process, .correlation = correlation};
    const struct event_call wanted = {.row = &row};
    return collecting->use_count == 0 || correlation == 0
               ? NULL
               : bsearch(&wanted, collecting->uses, collecting->use_count, sizeof *collecting->uses,
                         by_correlation);
}

/* What the wait of this correlation waits for: the record of its event; NULL: not known. */
static const struct event_call *record_find(const struct collecting *collecting, uint32_t process,
                                            uint32_t correlation)
{
    const struct event_call *wait = event_use_find(collecting, process, correlation);
    if (!wait || wait->row->use == EVENT_USE_RECORD || wait->row->record == 0)
        return NULL;
    struct event_call *const *found =
        bsearch(&wait, collecting->records, collecting->record_count, sizeof *collecting->records, by_record);
    return found && (*found)->call_ns != INT64_MIN ? *found : NULL;
}

/* ---- calls ---- */

#define POLL_GAP_NS \
    20000000          /* chosen: programs sleep for 1 or 10 ms; a query that comes later is another one */
#define NOT_READY 600 /* cudaErrorNotReady, CUDA_ERROR_NOT_READY */

/* A query that follows one which found work unfinished is the same wait. */
static bool is_poll(const struct replay *replay, const struct replay_call *before, const struct item *item,
                    int64_t start_ns)
{
    return (before->flags & REPLAY_CALL_UNREADY) != 0 && item->b == CALL_STREAM &&
           item->call.name == before->name && start_ns - before->end_ns <= POLL_GAP_NS &&
           strstr(session_string(replay->session, item->call.name), "Query");
}

static bool loads_code(const char *name)
{
    return strstr(name, "Capture") || strstr(name, "GraphInstantiate") || strstr(name, "GraphExecUpdate") ||
           strstr(name, "GraphDestroy") || strstr(name, "GraphExecDestroy");
}

static bool call_add(struct collecting *collecting, const struct lane_cursor *cursor, uint32_t thread)
{
    struct replay *replay = collecting->replay;
    uint32_t *last = &collecting->last[thread];
    int64_t start_ns = cursor->start_ns;
    if (*last != NONE) {
        struct replay_call *before = &replay->calls[*last];
        if (cursor->end_ns <= before->end_ns)
            return true;
        if (start_ns == before->start_ns) { /* the outer one of two that begin together comes second */
            before->end_ns = cursor->end_ns;
            before->category = cursor->item.b & 15u;
            before->name = cursor->item.call.name;
            return true;
        }
        if (start_ns < before->end_ns)
            start_ns = before->end_ns;
        if (is_poll(replay, before, &cursor->item, start_ns)) {
            if (start_ns - before->end_ns > replay->short_gap_ns)
                replay->polled[*last / 8] |= (uint8_t)(1u << (*last % 8));
            before->end_ns = cursor->end_ns;
            before->wait = REPLAY_WAITS_EVENT;
            if (cursor->item.call.result != NOT_READY)
                before->flags &= 511u & ~REPLAY_CALL_UNREADY;
            return true;
        }
    }
    struct replay_call *call = &replay->calls[replay->call_count];
    *call = (struct replay_call){.start_ns = start_ns,
                                 .end_ns = cursor->end_ns,
                                 .source = NONE,
                                 .name = cursor->item.call.name,
                                 .thread = (uint16_t)thread,
                                 .category = cursor->item.b & 15u};
    *last = (uint32_t)replay->call_count++;
    /* Until the waits are found: the stream that the call names. */
    call->source = cursor->item.call.stream;
    if (call->category == CALL_MODULE || loads_code(session_string(replay->session, call->name)))
        call->flags |= REPLAY_CALL_LOADS;
    if (call->category == CALL_STREAM && cursor->item.call.result == NOT_READY)
        call->flags |= REPLAY_CALL_UNREADY;
    if (call->category == CALL_STREAM) {
        struct event_call *use =
            event_use_find(collecting, replay->threads[thread].process, cursor->item.correlation);
        if (use)
            use->call_ns = cursor->start_ns;
    }
    return true;
}

static enum status collect_calls(struct collecting *collecting, struct error *error)
{
    struct replay *replay = collecting->replay;
    struct lane_merge merge = {.session = replay->session, .until_ns = collecting->scope.until_ns};
    uint64_t events = 0;
    bool fine = true;
    for (uint32_t i = 0; fine && i < session_track_count(replay->session); i++) {
        const struct track_row *track = session_track(replay->session, i);
        if (track->kind != TRACK_CALLS || !has_track(collecting, track))
            continue;
        fine = thread_add(replay, track->process, track->thread);
        uint32_t lanes = session_lane_count(replay->session, i);
        for (uint32_t lane = 0; fine && lane < lanes; lane++) {
            uint64_t first = run_scope_first(&collecting->scope, i, lane);
            uint64_t end = session_lane_find(replay->session, i, lane, collecting->scope.until_ns);
            events += end >= first ? end - first + 1 : 0;
            fine = lane_merge_add(&merge, i, lane, first);
        }
    }
    if (fine && events < UINT32_MAX) {
        collecting->last = malloc((replay->thread_count + 1) * sizeof *collecting->last);
        replay->calls = array_make((size_t)events + 1, sizeof *replay->calls);
        replay->polled = calloc((size_t)events / 8 + 1, 1);
    }
    fine = collecting->last && replay->calls && replay->polled;
    for (size_t i = 0; fine && i < replay->thread_count; i++)
        collecting->last[i] = NONE;
    if (fine)
        lane_merge_begin(&merge);
    bool folded = false;
    for (uint32_t thread = 0, track = NONE; fine && !folded && merge.count > 0; lane_merge_next(&merge)) {
        const struct lane_cursor *cursor = &merge.items[0];
        folded = (cursor->item.flags & ITEM_FOLDED) != 0;
        if (folded || !run_scope_has_event(&collecting->scope, &cursor->item, cursor->start_ns))
            continue;
        if (cursor->ref.track != track) {
            const struct track_row *row = session_track(replay->session, cursor->ref.track);
            thread = thread_find(replay, row->process, row->thread);
            track = cursor->ref.track;
        }
        if (thread != NONE)
            fine = call_add(collecting, cursor, thread);
    }
    lane_merge_fini(&merge);
    if (folded)
        return error_set(error, STATUS_STATE,
                         "Events of this run were evicted from memory, so it cannot be replayed. The "
                         "recording has them: use `lanescope what-if FILE`.");
    return fine ? STATUS_OK : error_no_memory(error, "to replay the run");
}

/* The last call that starts at time_ns or before, or 0; from a place near it. */
static size_t call_before(const struct replay *replay, size_t hint, int64_t time_ns)
{
    size_t low = 0, high = replay->call_count, step = 1;
    if (hint < high && replay->calls[hint].start_ns <= time_ns) {
        low = hint;
        while (low + step < high && replay->calls[low + step].start_ns <= time_ns) {
            low += step;
            step *= 2;
        }
        high = low + step < high ? low + step : high;
    } else if (hint < high) {
        high = hint;
        while (step < high && replay->calls[high - step].start_ns > time_ns) {
            high -= step;
            step *= 2;
        }
        low = step < high ? high - step : 0;
    }
    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;
        if (replay->calls[middle].start_ns <= time_ns)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The call of the thread at a time; NONE: there is none. */
#define CALLS_BACK 4096 /* calls of other threads that are passed on the way to the thread's own */
static uint32_t call_at(const struct replay *replay, size_t *hint, uint32_t thread, int64_t time_ns)
{
    if (replay->call_count == 0 || thread == NONE)
        return NONE;
    size_t at = call_before(replay, *hint, time_ns);
    *hint = at;
    for (int back = 0; back < CALLS_BACK; back++, at--) {
        const struct replay_call *call = &replay->calls[at];
        if (call->thread == thread && call->start_ns <= time_ns)
            return call->end_ns >= time_ns ? (uint32_t)at : NONE;
        if (at == 0)
            break;
    }
    return NONE;
}

/* ---- operations ---- */

static uint8_t copy_kind_of(const struct item *item)
{
    bool pageable =
        item_copy_source(item) == MEMORY_PAGEABLE || item_copy_destination(item) == MEMORY_PAGEABLE;
    if (item_copy_is_staged(item))
        return REPLAY_COPY;
    if (item->a == COPY_HTOD)
        return pageable ? REPLAY_IN_PAGEABLE : REPLAY_IN_PINNED;
    if (item->a == COPY_DTOH)
        return pageable ? REPLAY_OUT_PAGEABLE : REPLAY_OUT_PINNED;
    return REPLAY_COPY;
}

static void operation_put(struct replay *replay, uint32_t call, uint32_t stream,
                          const struct walk_event *event)
{
    const struct item *item = &event->item;
    /* While they are placed, `operations` of a call is where its next one goes. */
    struct replay_operation *operation = &replay->operations[replay->calls[call].operations++];
    *operation = (struct replay_operation){.start_ns = event->start_ns,
                                           .end_ns = event->end_ns,
                                           .call = call,
                                           .source = NONE,
                                           .stream = (uint16_t)stream};
    if (item->kind == ITEM_LAUNCH) {
        operation->kind = REPLAY_KERNEL;
        operation->kernel = item->launch.kernel < replay->kernels ? item->launch.kernel : NONE;
        operation->flags = item->launch.graph ? REPLAY_OPERATION_GRAPH : 0;
        if (item->launch.graph)
            operation->source = item->launch.graph; /* until nodes are found */
    } else {
        operation->kind = (item->kind == ITEM_COPY ? copy_kind_of(item) : (uint8_t)REPLAY_SET) & 15u;
        operation->bytes = (float)(item->kind == ITEM_COPY ? item->copy.size_bytes : item->set.size_bytes);
        operation->flags = (item->flags & ITEM_ASYNC) != 0 ? REPLAY_OPERATION_ASYNC : 0;
        operation->inside = item->kind == ITEM_COPY && item->a == COPY_DTOD && !item_copy_is_staged(item);
    }
}

static bool visit_operation(void *context, const struct walk_event *event)
{
    struct collecting *collecting = context;
    struct replay *replay = collecting->replay;
    if (!has_track(collecting, event->track))
        return true;
    if (event->ref.track != collecting->track) {
        collecting->track = event->ref.track;
        collecting->hint = 0;
        if (!collecting->placing) {
            collecting->stream = (uint32_t)replay->stream_count;
            collecting->no_memory = !stream_add(replay, event->track);
        } else {
            collecting->stream++;
        }
        if (collecting->no_memory || replay->stream_count > ROWS_MAX)
            return false;
    }
    /* launch, copy and set have the call at the same place */
    const struct replay_thread wanted = {event->track->process, event->item.launch.call_thread};
    if (collecting->thread == NONE || wanted.thread != collecting->of.thread ||
        wanted.process != collecting->of.process) {
        collecting->of = wanted;
        collecting->thread = thread_find(replay, wanted.process, wanted.thread);
    }
    uint32_t thread = collecting->thread;
    int64_t call_ns = event->item.launch.call_start_ns;
    uint32_t call = call_ns == INT64_MIN ? NONE : call_at(replay, &collecting->hint, thread, call_ns);
    if (call == NONE)
        replay->facts.without_call += !collecting->placing;
    else if (collecting->placing)
        operation_put(replay, call, collecting->stream, event);
    else
        replay->calls[call].operations++;
    return true;
}

/* Of one call in order of start: it has few, or a graph's, which come nearly in order. */
static void sort_call(struct replay_operation *operations, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct replay_operation moved = operations[i];
        size_t to = i;
        for (; to > 0 && operations[to - 1].start_ns > moved.start_ns; to--)
            operations[to] = operations[to - 1];
        operations[to] = moved;
    }
}

static int by_start(const void *a, const void *b)
{
    const struct replay_operation *left = a, *right = b;
    return (left->start_ns > right->start_ns) - (left->start_ns < right->start_ns);
}

#define SORTED_AT_ONCE 64u /* operations of one call that are inserted; more are sorted by qsort */

static enum status collect_operations(struct collecting *collecting, uint32_t run, struct error *error)
{
    struct replay *replay = collecting->replay;
    const struct walk walk = {
        .run = run,
        .tracks = WALK_TRACK(STREAM),
        .items = WALK_ITEM(LAUNCH) | WALK_ITEM(COPY) | WALK_ITEM(SET),
    };
    collecting->track = NONE;
    if (!session_walk(replay->session, &walk, visit_operation, collecting))
        return error_set(error, STATUS_STATE, "Events of this run were evicted from memory.");
    uint32_t total = 0;
    for (size_t i = 0; i < replay->call_count; i++) {
        uint32_t own = replay->calls[i].operations;
        replay->calls[i].operations = total;
        total += own;
    }
    replay->operation_count = total;
    replay->operations = array_make((size_t)total + 1, sizeof *replay->operations);
    replay->ends_ns = array_make((size_t)total + 1, sizeof *replay->ends_ns);
    if (collecting->no_memory || !replay->operations || !replay->ends_ns)
        return error_no_memory(error, "to replay the run");
    if (replay->stream_count > ROWS_MAX)
        return error_set(error, STATUS_UNSUPPORTED, "The run has more than %u streams: it is not replayed.",
                         ROWS_MAX);
    collecting->track = NONE;
    collecting->stream = NONE; /* before the first */
    collecting->placing = true;
    session_walk(replay->session, &walk, visit_operation, collecting);
    /* Each call's `operations` is now where the next call's begin. */
    for (size_t i = replay->call_count; i > 0; i--)
        replay->calls[i].operations = replay->calls[i - 1].operations;
    replay->calls[0].operations = 0;
    for (size_t i = 0; i < replay->call_count; i++) {
        struct replay_operation *own = &replay->operations[replay->calls[i].operations];
        size_t count = replay_operations_end(replay, i) - replay->calls[i].operations;
        if (count <= SORTED_AT_ONCE)
            sort_call(own, count);
        else
            qsort(own, count, sizeof *own, by_start);
        for (size_t k = 0; k < count; k++) {
            own[k].flags |= k > 0 ? REPLAY_OPERATION_NODE : 0;
            if (k == 0 && (own[k].flags & REPLAY_OPERATION_GRAPH) != 0)
                own[k].kind = REPLAY_GRAPH;
        }
    }
    return STATUS_OK;
}

/* ---- waits ---- */

static uint32_t stream_find(const struct replay *replay, uint32_t process, uint32_t context, uint32_t stream)
{
    for (size_t i = 0; i < replay->stream_count; i++) {
        const struct replay_stream *row = &replay->streams[i];
        if (row->process == process && row->stream == stream &&
            replay->contexts[row->context].context == context)
            return (uint32_t)i;
    }
    return NONE;
}

static uint32_t context_find(const struct replay *replay, uint32_t process, uint32_t context)
{
    for (size_t i = 0; i < replay->context_count; i++)
        if (replay->contexts[i].process == process && replay->contexts[i].context == context)
            return (uint32_t)i;
    return NONE;
}

static bool wait_add(struct replay *replay, const struct replay_stream_wait *wait)
{
    if (!array_grow(replay->waits, replay->wait_room, replay->wait_count, 1))
        return false;
    replay->waits[replay->wait_count++] = *wait;
    return true;
}

static bool visit_sync(void *context, const struct walk_event *event)
{
    struct collecting *collecting = context;
    struct replay *replay = collecting->replay;
    const struct item *item = &event->item;
    uint32_t process = event->track->process;
    if (!has_track(collecting, event->track))
        return true;
    uint32_t stream = stream_find(replay, process, item->sync.context, item->sync.stream);
    const struct event_call *record = item->a == SYNC_STREAM_WAIT_EVENT || item->a == SYNC_EVENT
                                          ? record_find(collecting, process, item->correlation)
                                          : NULL;
    struct replay_stream_wait wait = {event->start_ns, record ? record->call_ns : INT64_MIN, stream, NONE};
    if (record)
        wait.record = stream_find(replay, process, record->row->context, record->row->stream);
    if (item->a == SYNC_STREAM_WAIT_EVENT) {
        replay->facts.waits++;
        if (stream != NONE)
            collecting->no_memory = !wait_add(replay, &wait);
        return !collecting->no_memory;
    }
    uint32_t at =
        call_at(replay, &collecting->hint, thread_find(replay, process, item->sync.thread), event->start_ns);
    if (at == NONE)
        return true;
    struct replay_call *call = &replay->calls[at];
    if (call->category == CALL_STREAM && call->wait == REPLAY_WAITS_NOT)
        return true; /* a single query, which does not wait */
    if (item->a == SYNC_CONTEXT) {
        call->wait = REPLAY_WAITS_CONTEXT;
        call->source = context_find(replay, process, item->sync.context);
    } else if (item->a == SYNC_STREAM) {
        call->wait = REPLAY_WAITS_STREAM;
        call->source = stream;
    } else {
        call->wait = REPLAY_WAITS_EVENT;
        call->source = NONE;
        if (record && wait.record != NONE) {
            wait.stream = NONE;
            call->source = (uint32_t)replay->wait_count;
            call->flags |= REPLAY_CALL_KNOWN;
            collecting->no_memory = !wait_add(replay, &wait);
            return !collecting->no_memory;
        }
    }
    if (call->source == NONE && call->wait != REPLAY_WAITS_EVENT)
        call->wait = REPLAY_WAITS_NOT; /* of a context or stream without operations */
    return true;
}

/* ---- kernels ---- */

/* Of PyTorch's kernels (bfloat16_copy_kernel_cuda), XLA's and those that people write. PyTorch's direct_copy_kernel_cuda
 * converts, or makes a view contiguous; its cat puts pieces into a new tensor; cuDNN's two change the layout of images. */
static bool is_cast(const char *name)
{
    static const char *const words[] = {
        "convert",    "converter",  "conversion",   "to_half",    "to_float",     "to_bf16",
        "float2half", "half2float", "_copy_kernel", "nchwToNhwc", "nhwcToNchw",   "CatArrayBatchedCopy",
        "upcast",     "downcast",   "typecast",     "bitcast",    "LoadWithCast", "StoreWithCast"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (name_has_words(name, words[i]))
            return true;
    return name_has_words(name, "cast") && !name_has_words(name, "BroadCast") &&
           !name_has_words(name, "LoadWithoutCast") && !name_has_words(name, "StoreWithoutCast");
}

/* The share of the device's block slots, and what is left of the time if all multiprocessors had their part. */
static void kernel_judge(struct replay *replay, uint32_t index)
{
    const struct kernel_row *kernel = session_kernel(replay->session, index);
    const struct shape_row *shape = kernel ? session_shape(replay->session, kernel->shape) : NULL;
    const struct device_row *device = kernel ? session_device(replay->session, kernel->device) : NULL;
    const struct arch *arch = device ? arch_find(device->info.compute_capability) : NULL;
    const char *name = shape ? session_string(replay->session, shape->name) : "";
    replay->casts[index] = is_cast(name);
    replay->collectives[index] = kernel_is_collective(name);
    if (!shape || !arch || device->info.multiprocessors == 0)
        return;
    const struct occupancy_input input = {
        .threads_per_block = (uint32_t)shape->block[0] * shape->block[1] * shape->block[2],
        .registers_per_thread = shape->registers_per_thread,
        .shared_bytes_per_block = shape->static_shared_bytes + shape->dynamic_shared_bytes,
        .shared_bytes_available = shape_shared_set_aside(shape)};
    double multiprocessors = device->info.multiprocessors;
    double places = occupancy_compute(arch, &input).blocks * multiprocessors;
    double blocks = (double)shape->grid[0] * shape->grid[1] * shape->grid[2];
    if (places == 0 || blocks == 0)
        return;
    replay->shares[index] = blocks < places ? (float)(blocks / places) : 1;
    if (replay->collectives[index])
        return; /* it waits for other devices: more blocks do not help */
    if (blocks < multiprocessors) {
        if (!occupancy_fills_schedulers(arch, input.threads_per_block, blocks, device->info.multiprocessors))
            replay->spread[index] = (float)(blocks / multiprocessors);
    } else if (blocks > places) {
        uint64_t waves = (uint64_t)(blocks / places), whole = (uint64_t)places * waves < (uint64_t)blocks;
        replay->spread[index] = (float)(blocks / places / (double)(waves + whole));
    }
}

/* Kernels of other runs are left as they are. */
static enum status collect_kernels(struct replay *replay, uint32_t run, struct error *error)
{
    replay->kernels = session_kernel_count(replay->session);
    replay->shares = malloc((replay->kernels + 1u) * sizeof *replay->shares);
    replay->spread = malloc((replay->kernels + 1u) * sizeof *replay->spread);
    replay->casts = calloc(replay->kernels + 1u, 1);
    replay->collectives = calloc(replay->kernels + 1u, 1);
    replay->fusible = calloc(replay->kernels + 1u, sizeof *replay->fusible);
    if (!replay->shares || !replay->spread || !replay->fusible || !replay->casts || !replay->collectives)
        return error_no_memory(error, "to replay the run");
    for (uint32_t i = 0; i < replay->kernels; i++) {
        replay->shares[i] = replay->spread[i] = 1;
        if (run == NONE || session_kernel(replay->session, i)->run == run)
            kernel_judge(replay, i);
    }
    return STATUS_OK;
}

/* How much of a call the tracing itself took. */
static int64_t tool_ns(const struct replay *replay, const struct replay_call *call)
{
    const struct session *session = replay->session;
    const struct replay_thread *thread = &replay->threads[call->thread];
    int64_t ns = 0;
    for (uint32_t i = 0; i < session_track_count(session); i++) {
        const struct track_row *track = session_track(session, i);
        uint32_t lanes = session_lane_count(session, i);
        if (track->kind != TRACK_OVERHEAD || track->process != thread->process ||
            track->thread != thread->thread)
            continue;
        for (uint32_t lane = 0; lane < lanes; lane++) {
            struct lane_cursor cursor = {
                .ref = {i, lane, session_lane_find(session, i, lane, call->start_ns)},
                .count = session_lane_count_events(session, i, lane)};
            for (; lane_cursor_load(&cursor, session, call->end_ns); cursor.ref.index++)
                if (partition_is_tool(session_string(session, cursor.item.overhead.name)))
                    ns += (cursor.end_ns < call->end_ns ? cursor.end_ns : call->end_ns) -
                          (cursor.start_ns > call->start_ns ? cursor.start_ns : call->start_ns);
        }
    }
    return ns;
}

/* Is it the first launch of a kernel of this name in its run? */
static bool is_first(const struct replay *replay, const bool *seen, uint32_t kernel)
{
    const struct session *session = replay->session;
    const struct kernel_row *row = session_kernel(session, kernel);
    const struct shape_row *shape = session_shape(session, row->shape);
    for (uint32_t i = 0; i < replay->kernels; i++) {
        const struct kernel_row *other = session_kernel(session, i);
        const struct shape_row *of =
            seen[i] && other->run == row->run ? session_shape(session, other->shape) : NULL;
        if (of && shape && of->name == shape->name)
            return false;
    }
    return shape != NULL;
}

/* What core/analysis/partition.h says of launches that load code; and of such, those that the tracing held. */
static enum status mark_loads(struct replay *replay, struct error *error)
{
    bool *seen = calloc(replay->kernels + 1u, sizeof *seen);
    if (!seen)
        return error_no_memory(error, "to replay the run");
    for (size_t i = 0; i < replay->operation_count; i++) {
        const struct replay_operation *operation = &replay->operations[i];
        if (operation->kind > REPLAY_GRAPH || operation->kernel == NONE || seen[operation->kernel])
            continue;
        struct replay_call *call = &replay->calls[operation->call];
        const int64_t took_ns = call->end_ns - call->start_ns;
        if (took_ns > PARTITION_PAUSE_NS && (operation->flags & REPLAY_OPERATION_GRAPH) == 0 &&
            is_first(replay, seen, operation->kernel))
            call->flags |= tool_ns(replay, call) > took_ns / 2 ? REPLAY_CALL_TOOL : REPLAY_CALL_LOADS;
        seen[operation->kernel] = true;
    }
    free(seen);
    return STATUS_OK;
}

enum status replay_collect(struct replay *replay, uint32_t run, struct error *error)
{
    struct collecting collecting = {
        .replay = replay, .scope = run_scope_of(replay->session, run), .thread = NONE};
    collecting.clock = run_scope_clock(&collecting.scope);
    enum status status = collect_kernels(replay, run, error);
    if (status == STATUS_OK && !collect_event_uses(&collecting))
        status = error_no_memory(error, "to replay the run");
    if (status == STATUS_OK)
        status = collect_calls(&collecting, error);
    if (status == STATUS_OK)
        status = collect_operations(&collecting, run, error);
    if (status == STATUS_OK) {
        const struct walk walk = {.run = run, .tracks = WALK_TRACK(SYNCS)};
        collecting.hint = 0;
        session_walk(replay->session, &walk, visit_sync, &collecting);
        if (collecting.no_memory)
            status = error_no_memory(error, "to replay the run");
    }
    if (status == STATUS_OK)
        status = mark_loads(replay, error);
    free(collecting.last);
    free(collecting.uses);
    free(collecting.records);
    return status;
}
