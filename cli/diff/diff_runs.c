/* A run has many kernels: its device time is looked up once for each pair of runs. */
#include "cli/diff/diff_result.h"

#include "cli/output/memory.h"

#include <stdlib.h>

static uint32_t traced_run(const struct compare_kernel *side)
{
    uint32_t traced = kernel_index_in_mode(side->index, side->kernel, RUN_TRACE);
    return traced == NONE ? NONE : session_kernel(kernel_index_session(side->index), traced)->run;
}

static struct compare_run *find_pair(const struct diff_runs *runs, uint32_t a, uint32_t b)
{
    for (size_t i = runs->count; i-- > 0;) /* the kernels of a run are neighbours */
        if (runs->rows[i].run[0] == a && runs->rows[i].run[1] == b)
            return &runs->rows[i];
    return NULL;
}

enum status diff_runs_make(struct diff_runs *runs, const struct diff *diff, struct error *error)
{
    enum status status = STATUS_OK;
    *runs = (struct diff_runs){.rows = memory_zeroed(diff->matches.count, sizeof *runs->rows)};
    for (int s = 0; s < 2; s++)
        runs->kernels[s] = memory_zeroed(diff->matches.count, sizeof **runs->kernels);
    for (size_t i = 0; status == STATUS_OK && i < diff->matches.count; i++) {
        struct compare_kernel a = diff_kernel(diff, &diff->matches.rows[i], 0),
                              b = diff_kernel(diff, &diff->matches.rows[i], 1);
        uint32_t run_a = traced_run(&a), run_b = traced_run(&b);
        if (run_a == NONE || run_b == NONE)
            continue;
        struct compare_run *pair = find_pair(runs, run_a, run_b);
        if (pair) {
            pair->work = compare_work(&a, &b) == COMPARE_WORK_OTHER ? COMPARE_WORK_OTHER : pair->work;
            continue;
        }
        runs->kernels[0][runs->count] = a.kernel;
        runs->kernels[1][runs->count] = b.kernel;
        status = memory_check(compare_run_of(&runs->rows[runs->count++], &a, &b, error));
    }
    return status;
}

void diff_runs_fini(struct diff_runs *runs)
{
    free(runs->rows);
    free(runs->kernels[0]);
    free(runs->kernels[1]);
    *runs = (struct diff_runs){0};
}
