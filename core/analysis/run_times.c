/* SPDX-License-Identifier: Apache-2.0 */
/* The length of the union of a run's operations, which come in order of start. */
#include "core/analysis/run_times.h"

#include "core/session/session_walk.h"

#include <stdlib.h>

const char *run_time_name(enum run_time time)
{
#define RUN_TIME_NAME(id, name, meaning) [RUN_TIME_##id] = name,
    static const char *const names[] = {RUN_TIME_LIST(RUN_TIME_NAME)};
#undef RUN_TIME_NAME
    return (unsigned)time < RUN_TIME_COUNT ? names[time] : "?";
}

int64_t run_whole_ns(const struct session *session, uint32_t run)
{
    const struct run_row *row = session_run(session, run);
    int64_t end_ns = atomic_load_explicit(&row->end_ns, memory_order_acquire);
    end_ns = end_ns == INT64_MIN ? session_now_ns(session, row->clock) : end_ns;
    return end_ns > row->start_ns ? end_ns - row->start_ns : 0;
}

enum status run_times_of(const struct session *session, uint32_t run, struct run_times *times,
                         struct error *error)
{
    struct run_scope scope = run_scope_of(session, run);
    struct lane_merge merge = {.session = session, .until_ns = scope.until_ns};
    int64_t first_ns = INT64_MIN, until_ns = INT64_MIN, *device_ns = &times->ns[RUN_TIME_DEVICE];
    bool folded = false;
    *times = (struct run_times){0};
    if (run != NONE && !scope.row) {
        return error_set(error, STATUS_STATE, "There is no run %u in this session: it has %u.", run,
                         session_run_count(session));
    }
    bool fine = lane_merge_add_streams(&merge, &scope, INT64_MIN);
    lane_merge_begin(&merge);
    for (; fine && !folded && merge.count > 0; lane_merge_next(&merge)) {
        const struct lane_cursor *first = &merge.items[0];
        folded = (first->item.flags & ITEM_FOLDED) != 0;
        int64_t from_ns = first->start_ns > until_ns ? first->start_ns : until_ns;
        if (first->end_ns > from_ns && run_scope_has_event(&scope, &first->item, first->start_ns)) {
            *device_ns = session_add_ns(*device_ns, first->end_ns - from_ns);
            first_ns = first_ns == INT64_MIN ? first->start_ns : first_ns;
            until_ns = first->end_ns;
        }
    }
    lane_merge_fini(&merge);
    if (!fine)
        return error_no_memory(error, "to add up the time on the device");
    if (folded) {
        return error_set(error, STATUS_STATE,
                         "Events of this run were evicted from memory, so its time on the device is not "
                         "known. The recording has them: use `lanescope report`.");
    }
    times->ns[RUN_TIME_SPAN] = first_ns == INT64_MIN ? 0 : until_ns - first_ns;
    if (run != NONE) {
        int64_t whole_ns = run_whole_ns(session, run), span_ns = times->ns[RUN_TIME_SPAN];
        times->ns[RUN_TIME_WHOLE] = whole_ns > span_ns ? whole_ns : span_ns;
        times->ended = atomic_load_explicit(&scope.row->end_ns, memory_order_acquire) != INT64_MIN;
    }
    return STATUS_OK;
}

enum status run_kernels_busy(const struct session *session, uint32_t run, int64_t from_ns, int64_t until_ns,
                             const uint32_t *groups, uint32_t kernels, uint64_t *busy_ns, struct error *error)
{
    struct run_scope scope = run_scope_of(session, run);
    struct lane_merge merge = {.session = session,
                               .until_ns = scope.until_ns < until_ns ? scope.until_ns : until_ns};
    int64_t *counted_ns = malloc((kernels + 1u) * sizeof *counted_ns); /* by group: up to here */
    bool fine = counted_ns && lane_merge_add_streams(&merge, &scope, INT64_MIN);
    for (uint32_t i = 0; fine && i < kernels; i++)
        counted_ns[i] = from_ns;
    if (fine)
        lane_merge_begin(&merge);
    for (; fine && merge.count > 0; lane_merge_next(&merge)) {
        const struct lane_cursor *first = &merge.items[0];
        uint32_t kernel = first->item.launch.kernel;
        if (first->item.kind != ITEM_LAUNCH || (first->item.flags & ITEM_FOLDED) != 0 || kernel >= kernels ||
            !run_scope_has_event(&scope, &first->item, first->start_ns))
            continue;
        uint32_t group = groups ? groups[kernel] : kernel;
        if (group >= kernels)
            continue;
        int64_t start_ns = first->start_ns > counted_ns[group] ? first->start_ns : counted_ns[group],
                end_ns = first->end_ns < until_ns ? first->end_ns : until_ns;
        if (end_ns > start_ns) {
            busy_ns[group] += (uint64_t)(end_ns - start_ns);
            counted_ns[group] = end_ns;
        }
    }
    lane_merge_fini(&merge);
    free(counted_ns);
    return fine ? STATUS_OK : error_no_memory(error, "to add up the time of kernels");
}
