/* The length of the union of a run's operations, which come in order of start. */
#include "core/analysis/device_time.h"

#include "core/analysis/overlap_internal.h"

enum status device_time_of_run(const struct session *session, uint32_t run, int64_t *device_ns,
                               struct error *error)
{
    struct work work = {0};
    enum status status = work_collect(&work, session, run, INT64_MIN, INT64_MAX, error);
    int64_t covered_ns = 0, until_ns = INT64_MIN;
    for (size_t i = 0; status == STATUS_OK && i < work.count; i++) { /* in order of start */
        const struct operation *operation = &work.operations[i];
        int64_t from_ns = operation->start_ns > until_ns ? operation->start_ns : until_ns;
        if (operation->end_ns > from_ns) {
            covered_ns += operation->end_ns - from_ns;
            until_ns = operation->end_ns;
        }
    }
    work_free(&work);
    *device_ns = covered_ns;
    return status;
}
