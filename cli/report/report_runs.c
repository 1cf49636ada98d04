/* SPDX-License-Identifier: Apache-2.0 */
/* The best of a workload and size is found over all rows, also those that are not printed. */
#include "cli/report/report_runs.h"

#include "cli/output/memory.h"
#include "cli/report/data/report_facts.h"
#include "core/analysis/compare_work.h"
#include "core/analysis/run_times.h"
#include "core/base/append.h"
#include "core/base/run_params.h"
#include "workloads/frame/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum status make_row(const struct report_data *data, const struct report_run *run,
                            struct report_row *row, struct error *error)
{
    const struct report_facts *facts;
    enum status status = report_facts(data, run, &facts, error);
    struct run_times times;
    if (status == STATUS_OK)
        status = memory_check(run_times_of(data->session, run->runs[RUN_TRACE], &times, error));
    if (status == STATUS_OK)
        *row = (struct report_row){.of = run, .run = run->runs[RUN_TRACE], .times = times, .facts = facts};
    return status;
}

/* Is the run of a variant that does less work than the others? */
static bool is_bound(const struct workload *workload, const char *variant)
{
    for (size_t i = 0; workload && i < workload->variant_count; i++)
        if (strcmp(workload->variants[i].name, variant) == 0)
            return workload->variants[i].bound;
    return false;
}

/* Of the device times, and, where copies are only the workload's set-up, of its kernels' times. */
static void find_best(const struct session *session, struct report_row *rows, size_t count)
{
    struct run_cost *costs = memory_zeroed(count, sizeof *costs),
                    *kernels = memory_zeroed(count, sizeof *kernels);
    for (size_t i = 0; i < count; i++) {
        const struct run_row *run = session_run(session, rows[i].run);
        const struct workload *workload = workload_find(session_string(session, run->workload));
        rows[i].bound = is_bound(workload, session_string(session, run->variant));
        costs[i] = kernels[i] = (struct run_cost){.run = rows[i].run, .bound = rows[i].bound};
        costs[i].cost = (double)rows[i].times.ns[RUN_TIME_DEVICE];
        if (workload && workload->chapter != CHAPTER_STREAMS)
            kernels[i].cost = run_kernel_cost(session, rows[i].run);
        if (kernels[i].cost < 0)
            memory_end();
    }
    for (size_t i = 0; i < count; i++) {
        struct run_best best = run_best_of(session, costs, count, i);
        rows[i].best = rows[best.best].of;
        rows[i].of_best = best.times;
        rows[i].kernels_of_best = run_best_of(session, kernels, count, i).times;
    }
    free(costs);
    free(kernels);
}

static int compare_rows(const void *a, const void *b)
{
    const struct report_row *left = a, *right = b;
    int order = (left->times.ns[RUN_TIME_DEVICE] < right->times.ns[RUN_TIME_DEVICE]) -
                (left->times.ns[RUN_TIME_DEVICE] > right->times.ns[RUN_TIME_DEVICE]);
    return order ? order : (left->run > right->run) - (left->run < right->run);
}

/* Do the runs of the workload differ in this parameter? */
static bool tells_apart(const struct session *session, const struct report_row *rows, size_t count,
                        uint32_t index, const struct run_param *param)
{
    const struct run_row *run = session_run(session, index);
    char name[40];
    snprintf(name, sizeof name, "%.*s", param->name_length, param->name);
    for (size_t i = 0; i < count; i++) {
        const struct run_row *other = session_run(session, rows[i].run);
        struct run_param its;
        if (other->workload == run->workload &&
            (!run_param_find(session_string(session, other->params), name, &its) ||
             its.value_length != param->value_length ||
             memcmp(its.value, param->value, (size_t)its.value_length) != 0))
            return true;
    }
    return false;
}

void report_run_name(const struct session *session, const struct report_row *rows, size_t count,
                     uint32_t index, bool wide, char *name, size_t size_bytes)
{
    const struct run_row *run = session_run(session, index);
    const char *variant = session_string(session, run->variant), *rest = session_string(session, run->params);
    struct run_param param;
    size_t used = 0;
    append_text(name, size_bytes, &used, "%.200s%s%.100s",
                session_string(session, run->workload ? run->workload : run->program), *variant ? ":" : "",
                variant);
    while (run_param_next(&rest, &param)) {
        if (used + 90 < size_bytes && (wide || tells_apart(session, rows, count, index, &param))) {
            append_text(name, size_bytes, &used, " %.*s=%.*s",
                        param.name_length < 40 ? param.name_length : 40, param.name,
                        param.value_length < 40 ? param.value_length : 40, param.value);
        }
    }
}

enum status report_rows(const struct report_data *data, struct report_row **rows, size_t *count,
                        struct error *error)
{
    enum status status = STATUS_OK;
    *rows = memory_zeroed(data->run_count, sizeof **rows);
    *count = 0;
    for (size_t i = 0; status == STATUS_OK && i < data->run_count; i++) {
        if (data->runs[i].runs[RUN_TRACE] != NONE) {
            status = make_row(data, &data->runs[i], &(*rows)[*count], error);
            *count += status == STATUS_OK && (*rows)[*count].times.ns[RUN_TIME_DEVICE] > 0;
        }
    }
    if (status == STATUS_OK && *count > 0) {
        find_best(data->session, *rows, *count);
        qsort(*rows, *count, sizeof **rows, compare_rows);
    }
    return status;
}
