/* The length of the union of a run's operations, which come in order of start. */
#include "core/analysis/device_time.h"

#include "core/session/lane_merge.h"
#include "core/session/session_walk.h"

enum status device_time_of_run(const struct session *session, uint32_t run, int64_t *device_ns,
                               struct error *error)
{
    struct run_scope scope = run_scope_of(session, run);
    struct lane_merge merge = {.session = session, .until_ns = scope.until_ns};
    int64_t until_ns = INT64_MIN;
    bool folded = false;
    *device_ns = 0;
    if (run != NONE && scope.row == NULL) {
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
    return STATUS_OK;
}
