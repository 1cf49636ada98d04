/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Amounts of work: launches, threads or useful bytes, and the parameters that name the problem's size. An
 * amount of 0 launches or bytes is one that is not known.
 */
#include "core/analysis/compare_work.h"

#include "core/analysis/kernel_metrics.h"
#include "core/analysis/kernel_sources.h"
#include "core/analysis/run_times.h"
#include "core/base/run_params.h"
#include "core/metric/metric.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The parameters that workloads use for the amount of work; other parameters choose how the work is done. */
static const struct {
    const char *name, *workload; /* workload: the only one in which it is an amount; NULL: any */
} size_params[] = {{"n", NULL},          {"m", NULL},           {"k", NULL},     {"rows", NULL},
                   {"rounds", NULL},     {"passes", NULL},      {"reads", NULL}, {"bits", NULL},
                   {"kernels", NULL},    {"steps", NULL},       {"bins", NULL},  {"keep", NULL},
                   {"kib", "host-copy"}, {"kib", "l1-carveout"}};
#define SIZE_PARAMS (sizeof size_params / sizeof size_params[0])

const char *compare_work_text(enum compare_work work)
{
#define WORK_TEXT(id, text) [COMPARE_WORK_##id] = text,
    static const char *const texts[] = {COMPARE_WORK_LIST(WORK_TEXT)};
#undef WORK_TEXT

    return (unsigned)work < COMPARE_WORK_COUNT ? texts[work] : "";
}

static bool is_about(double a, double b)
{
    return fabs(a - b) <= COMPARE_SLIGHT * fmax(fabs(a), fabs(b));
}

/* ---- what a side did ---- */

struct amount {
    uint64_t launches;                    /* 0: not known */
    double blocks, threads, useful_bytes; /* per launch; useful_bytes 0: not known */
    const char *workload, *params;
};

static struct amount amount_of(const struct compare_kernel *side)
{
    const struct session *session = kernel_index_session(side->index);
    if (!kernel_is_whole(session, side->kernel)) /* recordings come from strangers */
        return (struct amount){.workload = "", .params = ""};
    const struct kernel_row *row = session_kernel(session, side->kernel);
    const struct shape_row *shape = session_shape(session, row->shape);
    const struct run_row *run = session_run(session, row->run);
    struct amount amount = {.launches = kernel_index_times(side->index, side->kernel).launches,
                            .blocks = 1,
                            .useful_bytes = kernel_facts(session, side->kernel).effective_bytes,
                            .workload = session_string(session, run->workload),
                            .params = session_string(session, run->params)};
    double block = 1;
    for (int i = 0; i < 3; i++) {
        amount.blocks *= shape->grid[i];
        block *= shape->block[i];
    }
    amount.threads = amount.blocks * block;
    return amount;
}

/* The first size that differs between the parameters of two runs of the workload; NULL: none. */
static const char *other_size(const char *workload, const char *a, const char *b, double sizes[2])
{
    for (size_t i = 0; i < SIZE_PARAMS; i++)
        if ((!size_params[i].workload || strcmp(size_params[i].workload, workload) == 0) &&
            run_param_number(a, size_params[i].name, &sizes[0]) &&
            run_param_number(b, size_params[i].name, &sizes[1]) && !is_about(sizes[0], sizes[1]))
            return size_params[i].name;
    return NULL;
}

static enum compare_work work_of(const struct amount *a, const struct amount *b)
{
    double sizes[2];
    bool useful = a->useful_bytes > 0 && b->useful_bytes > 0, counted = a->launches > 0 && b->launches > 0;
    double left = useful ? a->useful_bytes : a->threads, right = useful ? b->useful_bytes : b->threads;
    if (other_size(a->workload, a->params, b->params, sizes))
        return COMPARE_WORK_OTHER;
    if (is_about(left, right) && (!counted || is_about((double)a->launches, (double)b->launches)))
        return COMPARE_WORK_SAME;
    return counted && is_about(left * (double)a->launches, right * (double)b->launches) ? COMPARE_WORK_SUM
                                                                                        : COMPARE_WORK_OTHER;
}

bool compare_same_clock(const struct compare_kernel *a, const struct compare_kernel *b)
{
    return kernel_on_model(kernel_index_session(a->index), a->kernel) ==
           kernel_on_model(kernel_index_session(b->index), b->kernel);
}

/* The model launches a kernel once, while a GPU run repeats it for timing, so the work of one launch is
 * compared. */
static void forget_launches(struct amount amounts[2], bool same_clock)
{
    for (int s = 0; s < 2 && !same_clock; s++)
        amounts[s].launches = 0;
}

enum compare_work compare_work(const struct compare_kernel *a, const struct compare_kernel *b)
{
    struct amount amounts[] = {amount_of(a), amount_of(b)};
    forget_launches(amounts, compare_same_clock(a, b));
    return work_of(&amounts[0], &amounts[1]);
}

static void amount_text(const struct amount *amount, bool threads, char *text, size_t size_bytes)
{
    struct value blocks = {.available = true, .number = amount->blocks},
                 launches = {.available = true, .number = (double)amount->launches},
                 block = {.available = true, .number = amount->threads / fmax(amount->blocks, 1)};
    char numbers[3][40];
    metric_format(METRIC_global_load_sectors, &launches, numbers[0], sizeof numbers[0]);
    metric_format(METRIC_global_load_sectors, &blocks, numbers[1], sizeof numbers[1]);
    metric_format(METRIC_global_load_sectors, &block, numbers[2], sizeof numbers[2]);
    snprintf(text, size_bytes, "%s%s%s block%s%s%s", amount->launches > 0 ? numbers[0] : "",
             amount->launches == 0  ? ""
             : amount->launches > 1 ? " launches of "
                                    : " launch of ",
             numbers[1], amount->blocks == 1 ? "" : "s", threads ? " of " : "", threads ? numbers[2] : "");
    if (threads) {
        size_t length = strlen(text);
        snprintf(text + length, size_bytes - length, " threads");
    }
}

void compare_work_difference(const struct compare_kernel *a, const struct compare_kernel *b, char *text,
                             size_t size_bytes)
{
    struct amount amounts[] = {amount_of(a), amount_of(b)};
    double sizes[2];
    char sides[2][160];
    forget_launches(amounts, compare_same_clock(a, b));
    *text = '\0';
    if (work_of(&amounts[0], &amounts[1]) == COMPARE_WORK_SAME)
        return;
    const char *size = other_size(amounts[0].workload, amounts[0].params, amounts[1].params, sizes);
    bool threads = !is_about(amounts[0].threads * amounts[1].blocks, amounts[1].threads * amounts[0].blocks);
    for (int s = 0; s < 2; s++)
        if (size)
            snprintf(sides[s], sizeof sides[s], "%s=%.15g", size, sizes[s]);
        else
            amount_text(&amounts[s], threads, sides[s], sizeof sides[s]);
    snprintf(text, size_bytes, "%s, %s", sides[0], sides[1]);
}

/* ---- runs ---- */

bool compare_runs_alike(const struct session *session, uint32_t a, uint32_t b)
{
    const struct run_row *left = session_run(session, a), *right = session_run(session, b);
    const struct process_row *sides[] = {session_process(session, left->process),
                                         session_process(session, right->process)};
    double sizes[2];
    return left->clock == right->clock && left->workload == right->workload &&
           left->program == right->program &&
           (left->workload != 0 || (sides[0] && sides[1] && sides[0]->command == sides[1]->command)) &&
           (left->params == right->params ||
            !other_size(session_string(session, left->workload), session_string(session, left->params),
                        session_string(session, right->params), sizes));
}

enum status compare_run_of(struct compare_run *run, const struct compare_kernel *a,
                           const struct compare_kernel *b, struct error *error)
{
    const struct compare_kernel *sides[] = {a, b};
    enum status status = STATUS_OK;
    *run = (struct compare_run){.same_clock = compare_same_clock(a, b),
                                .work = compare_work(a, b) == COMPARE_WORK_OTHER ? COMPARE_WORK_OTHER
                                                                                 : COMPARE_WORK_SAME};
    for (int s = 0; status == STATUS_OK && s < 2; s++) {
        const struct session *session = kernel_index_session(sides[s]->index);
        uint32_t traced = kernel_index_in_mode(sides[s]->index, sides[s]->kernel, RUN_TRACE);
        run->run[s] = traced == NONE ? NONE : session_kernel(session, traced)->run;
        struct run_times times = {0};
        if (traced != NONE)
            status = run_times_of(session, run->run[s], &times, error);
        run->device_ns[s] = times.ns[RUN_TIME_DEVICE];
    }
    return status;
}

double compare_run_factor(const struct compare_run *run)
{
    bool known = run->device_ns[0] > 0 && run->device_ns[1] > 0;
    return known && run->same_clock && run->work == COMPARE_WORK_SAME
               ? (double)run->device_ns[0] / (double)run->device_ns[1]
               : 0;
}

void compare_run_text(const struct compare_run *run, char *text, size_t size_bytes)
{
    double factor = compare_run_factor(run);
    char times[2][40], faster[40];
    for (int s = 0; s < 2; s++) {
        struct value time = {.available = run->device_ns[s] > 0, .number = (double)run->device_ns[s]};
        metric_format(METRIC_time_ns, &time, times[s], sizeof times[s]);
    }
    metric_format_faster(factor, faster, sizeof faster);
    snprintf(text, size_bytes, "%s -> %s%s%s%s", times[0], times[1], factor > 0 ? " (" : "",
             factor > 0                        ? faster
             : run->work == COMPARE_WORK_OTHER ? ", not the same work"
             : !run->same_clock                ? ", modelled beside measured: not compared"
                                               : "",
             factor > 0 ? ")" : "");
}

/* ---- the best of equal work ---- */
/* Linear searches: a recording has hundreds of runs. */

struct run_best run_best_of(const struct session *session, const struct run_cost *costs, size_t count,
                            size_t of)
{
    struct run_best found = {.best = of};
    bool any = false;
    if (!(costs[of].cost > 0))
        return found;
    for (size_t i = 0; i < count; i++) {
        bool longer = any && !(costs[i].cost < costs[found.best].cost); /* alike or not changes nothing */
        if (i == of || costs[i].bound || !(costs[i].cost > 0) || longer ||
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
        if (times.no_memory)
            return -1;
        total_ns += times.median_ns > 0 ? (double)times.median_ns * (double)times.launches
                                        : (double)times.total_ns; /* they are not all in memory */
    }
    return total_ns / row->effective_bytes;
}
