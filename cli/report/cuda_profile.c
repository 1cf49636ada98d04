/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output of CUDA's old command-line profiler (CUDA_PROFILE=1, until CUDA 7.5) of a recording: a line for each
 * copy, set and kernel in the order of their starts, in the form of the documents of that time:
 *
 *   method=[ memcpy ] gputime=[ 438.432 ]
 *   method=[ _Z17reverseArrayBlockPiS_ ] gputime=[ 267.520 ] cputime=[ 297.000 ] occupancy=[ 1.000 ] gld_coherent=[ 1952 ]
 *
 * Times are in us. gputime is that of the device, cputime that of the call; occupancy is theoretical. The counters
 * are those of the kernel's median launch: one that the run does not have is left out.
 */
#include "cli/report/report.h"

#include "cli/output/memory.h"
#include "core/analysis/kernel_metrics.h"
#include "core/session/session_walk.h"
#include "tui/terminal/text.h"

#include <stdlib.h>

static const enum metric counters[] = {METRIC_gld_incoherent, METRIC_gld_coherent, METRIC_gst_incoherent,
                                       METRIC_gst_coherent};
#define COUNTERS (sizeof counters / sizeof *counters)

struct work {
    int64_t start_ns, end_ns;
    struct item item;
};

struct work_list {
    struct work *items;
    size_t count, room;
};

static bool add_work(void *context, const struct walk_event *event)
{
    struct work_list *list = context;

    memory_grow(list->items, list->room, list->count, 1);
    list->items[list->count++] = (struct work){event->start_ns, event->end_ns, event->item};
    return true;
}

static int compare_work(const void *a, const void *b)
{
    const struct work *left = a, *right = b;

    return (left->start_ns > right->start_ns) - (left->start_ns < right->start_ns);
}

static bool statistic_of(const struct session *session, uint32_t kernel, enum metric metric, double *number)
{
    for (int i = PROVENANCE_COUNT - 1; i >= 0; i--) {
        const struct value value = kernel_statistic(session, kernel, metric, (enum provenance)i).value;

        if (!value.available || value.word)
            continue;
        *number = value.number;
        return true;
    }
    return false;
}

static void print_kernel(const struct session *session, const struct work *work, FILE *out)
{
    const uint32_t kernel = work->item.launch.kernel;
    const struct shape_row *shape = session_shape(session, session_kernel(session, kernel)->shape);
    const char *mangled = session_string(session, shape->mangled);
    double number;

    text_print(*mangled ? mangled : session_string(session, shape->name), out);
    fprintf(out, " ] gputime=[ %.3f ]", (double)(work->end_ns - work->start_ns) / 1e3);
    if (work->item.launch.call_start_ns != INT64_MIN)
        fprintf(out, " cputime=[ %.3f ]", work->item.launch.call_duration_ns / 1e3);
    if (statistic_of(session, kernel, METRIC_theoretical_occupancy_pct, &number))
        fprintf(out, " occupancy=[ %.3f ]", number / 100);
    for (size_t i = 0; i < COUNTERS; i++)
        if (statistic_of(session, kernel, counters[i], &number))
            fprintf(out, " %s=[ %.0f ]", metric_info(counters[i])->id, number);
}

enum status report_cuda_profile(const struct session *session, FILE *out, struct error *error)
{
    struct work_list list = {0};
    const bool whole =
        session_walk(session,
                     &(struct walk){.run = NONE,
                                    .tracks = WALK_TRACK(STREAM),
                                    .items = WALK_ITEM(LAUNCH) | WALK_ITEM(COPY) | WALK_ITEM(SET)},
                     add_work, &list);

    if (list.count > 0)
        qsort(list.items, list.count, sizeof *list.items, compare_work);
    fputs("method,gputime,cputime,occupancy", out);
    for (size_t i = 0; i < COUNTERS; i++)
        fprintf(out, ",%s", metric_info(counters[i])->id);
    putc('\n', out);
    for (size_t i = 0; i < list.count; i++) {
        const struct work *work = &list.items[i];
        const bool launch = work->item.kind == ITEM_LAUNCH;

        if (launch && work->item.launch.kernel == NONE)
            continue;
        fputs("method=[ ", out);
        if (launch)
            print_kernel(session, work, out);
        else
            fprintf(out, "%s ] gputime=[ %.3f ]", work->item.kind == ITEM_COPY ? "memcpy" : "memset",
                    (double)(work->end_ns - work->start_ns) / 1e3);
        putc('\n', out);
    }
    free(list.items);
    return whole
               ? STATUS_OK
               : error_set(error, STATUS_STATE, "Events were evicted from memory: the list is not complete.");
}
