/* Linear searches: a recording has hundreds of runs. */
#include "core/analysis/run_best.h"

#include "core/analysis/compare_work.h"
#include "core/analysis/kernel_metrics.h"

struct run_best run_best_of(const struct session *session, const struct run_cost *costs, size_t count,
                            size_t of)
{
    struct run_best found = {.best = of};
    bool any = false;
    if (!(costs[of].cost > 0))
        return found;
    for (size_t i = 0; i < count; i++) {
        if (i == of || costs[i].bound || !(costs[i].cost > 0) ||
            !compare_runs_alike(session, costs[of].run, costs[i].run))
            continue;
        if (costs[i].cost < costs[found.best].cost || (!any && costs[of].bound))
            found.best = i;
        any = true;
    }
    found.times = any ? costs[of].cost / costs[found.best].cost : 0;
    return found;
}

double run_kernel_cost(const struct session *session, uint32_t run)
{
    const struct run_row *row = session_run(session, run);
    double total_ns = 0;
    if (row->effective_kernel == 0 || !(row->effective_bytes > 0))
        return 0;
    for (uint32_t i = 0; i < session_kernel_count(session); i++) {
        const struct kernel_row *kernel = session_kernel(session, i);
        if (kernel->run != run)
            continue;
        struct kernel_times times = kernel_times(session, i, true);
        total_ns += times.median_ns > 0 ? (double)times.median_ns * (double)times.launches
                                        : (double)times.total_ns; /* they are not all in memory */
    }
    return total_ns / row->effective_bytes;
}
