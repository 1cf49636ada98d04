/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ranges of a thread in order of start, the longer first, and its operations in order of their calls, are
 * gone through together with a stack of the ranges that are open. A range that begins in another and ends
 * after it is put inside the innermost one that holds all of it.
 */
#include "cli/report/data/report_ranges.h"

#include "cli/output/memory.h"
#include "core/analysis/partition.h"
#include "core/session/session_walk.h"

#include <stdlib.h>
#include <string.h>

struct range_span { /* a range of a thread, or an operation that it issued */
    uint32_t process, thread;
    int64_t start_ns, end_ns; /* of an operation: start of its call, in both fields */
    bool operation;
    uint32_t name;             /* of a range */
    int64_t from_ns, until_ns; /* of an operation: when it ran */
};

struct gathering {
    const struct session *session;
    bool all;
    struct range_span *items;
    size_t count, capacity;
};

static void add_span(struct gathering *gathering, struct range_span span)
{
    memory_grow(gathering->items, gathering->capacity, gathering->count, 1);
    gathering->items[gathering->count++] = span;
}

static bool take_event(void *context, const struct walk_event *event)
{
    struct gathering *gathering = context;
    const struct process_row *process = session_process(gathering->session, event->track->process);
    const struct item *item = &event->item;
    if (!process || (gathering->all && process->mode != RUN_TRACE && process->clock != CLOCK_MODEL))
        return true;
    struct range_span span = {.process = event->track->process};
    if (item->kind == ITEM_RANGE) {
        span.thread = event->track->thread;
        span.name = item->range.name;
        span.start_ns = event->start_ns;
        span.end_ns = event->end_ns;
    } else { /* the three kinds have their call in the same fields */
        span.thread = item->kind == ITEM_LAUNCH ? item->launch.call_thread
                      : item->kind == ITEM_COPY ? item->copy.call_thread
                                                : item->set.call_thread;
        span.start_ns = item->kind == ITEM_LAUNCH ? item->launch.call_start_ns
                        : item->kind == ITEM_COPY ? item->copy.call_start_ns
                                                  : item->set.call_start_ns;
        span.end_ns = span.start_ns;
        span.operation = true;
        span.from_ns = event->start_ns;
        span.until_ns = event->end_ns;
        if (span.start_ns == INT64_MIN)
            return true;
    }
    add_span(gathering, span);
    return true;
}

/* By thread, then by start; at equal starts ranges before operations, longer ranges first. */
static int compare_spans(const void *a, const void *b)
{
    const struct range_span *left = a, *right = b;
    if (left->process != right->process)
        return left->process < right->process ? -1 : 1;
    if (left->thread != right->thread)
        return left->thread < right->thread ? -1 : 1;
    if (left->start_ns != right->start_ns)
        return left->start_ns < right->start_ns ? -1 : 1;
    if (left->operation != right->operation)
        return left->operation ? 1 : -1;
    return (left->end_ns < right->end_ns) - (left->end_ns > right->end_ns);
}

struct open_range {
    uint32_t row;
    int64_t end_ns, first_ns, last_ns; /* time of its operations; first_ns > last_ns: none yet */
};

struct folding {
    struct report_ranges *ranges;
    const struct session *session;
    size_t capacity;
    struct open_range *open;
    size_t open_count, open_capacity;
};

static uint32_t find_row(struct folding *folding, uint32_t name, uint32_t parent)
{
    struct report_ranges *ranges = folding->ranges;
    const struct partition_blame blame = {.name = name, .alike = true};
    char folded[400];
    partition_blame_name(folding->session, &blame, folded, sizeof folded);
    for (size_t i = 0; i < ranges->count; i++)
        if (ranges->items[i].parent == parent && strcmp(ranges->items[i].name, folded) == 0)
            return (uint32_t)i;
    memory_grow(ranges->items, folding->capacity, ranges->count, 1);
    ranges->items[ranges->count] =
        (struct report_range){.name = memory_copy_text(folded),
                              .parent = parent,
                              .depth = parent == NONE ? 0 : ranges->items[parent].depth + 1};
    return (uint32_t)ranges->count++;
}

/* Those that end by then are closed. */
static void close_ranges(struct folding *folding, int64_t by_ns)
{
    size_t kept = 0;
    for (size_t i = 0; i < folding->open_count; i++) {
        const struct open_range *open = &folding->open[i];
        if (open->end_ns > by_ns)
            folding->open[kept++] = *open;
        else if (open->last_ns >= open->first_ns)
            folding->ranges->items[open->row].projected_ns = session_add_ns(
                folding->ranges->items[open->row].projected_ns, open->last_ns - open->first_ns);
    }
    folding->open_count = kept;
}

static void open_range(struct folding *folding, const struct range_span *span)
{
    uint32_t parent = NONE;
    for (size_t i = 0; i < folding->open_count; i++)
        if (folding->open[i].end_ns >= span->end_ns)
            parent = folding->open[i].row;
    uint32_t row = find_row(folding, span->name, parent);
    report_sum_add(&folding->ranges->items[row].sum, span->end_ns - span->start_ns, 0, true);
    memory_grow(folding->open, folding->open_capacity, folding->open_count, 1);
    folding->open[folding->open_count++] =
        (struct open_range){.row = row, .end_ns = span->end_ns, .first_ns = INT64_MAX, .last_ns = INT64_MIN};
}

static void take_operation(struct folding *folding, const struct range_span *span)
{
    for (size_t i = 0; i < folding->open_count; i++) {
        struct open_range *open = &folding->open[i];
        struct report_range *range = &folding->ranges->items[open->row];
        range->operations++;
        range->device_ns = session_add_ns(range->device_ns, span->until_ns - span->from_ns);
        open->first_ns = span->from_ns < open->first_ns ? span->from_ns : open->first_ns;
        open->last_ns = span->until_ns > open->last_ns ? span->until_ns : open->last_ns;
    }
}

/* Sorts a row's children after it, those with most time first. */
static void order_rows(const struct report_ranges *from, uint32_t parent, struct report_ranges *to)
{
    bool *done = memory_zeroed(from->count, sizeof *done);
    uint32_t of = to->count > 0 && parent != NONE ? (uint32_t)to->count - 1 : NONE;
    for (;;) {
        size_t most = from->count;
        for (size_t i = 0; i < from->count; i++)
            if (!done[i] && from->items[i].parent == parent &&
                (most == from->count || from->items[i].sum.total_ns > from->items[most].sum.total_ns))
                most = i;
        if (most == from->count)
            break;
        done[most] = true;
        to->items[to->count] = from->items[most];
        to->items[to->count++].parent = of;
        order_rows(from, (uint32_t)most, to);
    }
    free(done);
}

enum status report_ranges_make(struct report_ranges *ranges, const struct session *session, uint32_t run,
                               struct error *error)
{
    const struct walk walk = {.run = run,
                              .tracks = WALK_TRACK(STREAM) | WALK_TRACK(RANGES),
                              .items =
                                  WALK_ITEM(LAUNCH) | WALK_ITEM(COPY) | WALK_ITEM(SET) | WALK_ITEM(RANGE)};
    struct gathering gathering = {.session = session, .all = run == NONE};
    struct report_ranges folded = {0};
    struct folding folding = {.ranges = &folded, .session = session};
    *ranges = (struct report_ranges){0};
    bool whole = session_walk(session, &walk, take_event, &gathering);
    if (gathering.count > 1)
        qsort(gathering.items, gathering.count, sizeof *gathering.items, compare_spans);
    for (size_t i = 0; whole && i < gathering.count; i++) {
        const struct range_span *span = &gathering.items[i];
        bool same = i > 0 && span[-1].process == span->process && span[-1].thread == span->thread;
        close_ranges(&folding, same ? span->start_ns : INT64_MAX);
        if (span->operation)
            take_operation(&folding, span);
        else
            open_range(&folding, span);
    }
    close_ranges(&folding, INT64_MAX);
    free(gathering.items);
    free(folding.open);
    ranges->items = memory_zeroed(folded.count, sizeof *ranges->items);
    order_rows(&folded, NONE, ranges);
    free(folded.items);
    for (size_t i = 0; i < ranges->count; i++)
        report_sum_spread(&ranges->items[i].sum);
    return whole ? STATUS_OK : error_set(error, STATUS_STATE, "Not all ranges of this run fit in memory.");
}

void report_ranges_fini(struct report_ranges *ranges)
{
    for (size_t i = 0; i < ranges->count; i++)
        free(ranges->items[i].name);
    free(ranges->items);
    *ranges = (struct report_ranges){0};
}
