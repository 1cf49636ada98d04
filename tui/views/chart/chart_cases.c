/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the session's runs of one workload to cases: which kernel represents a run, which parameter was swept,
 * what else distinguishes two runs; and the figures of a whole run: how long it worked on the device, how
 * much of its copies it hid, how fast it copied.
 */
#include "core/analysis/overlap/overlap.h"
#include "core/base/array.h"
#include "core/base/run_params.h"
#include "core/session/session_walk.h"
#include "tui/frame/screen.h"
#include "tui/views/chart/chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct copy_rate {
    enum copy_kind kind;
    double bytes, time_ns;
};

static bool copy_rate_add(void *context, const struct walk_event *event)
{
    struct copy_rate *rate = context;
    if (event->item.a == rate->kind) {
        rate->bytes += (double)event->item.copy.size_bytes;
        rate->time_ns += (double)(event->end_ns - event->start_ns);
    }
    return true;
}

/* Bytes of the run's copies in one direction over the sum of their times; NAN: there are none, or some were
 * evicted from memory. */
static double copy_rate(const struct session *session, uint32_t run, enum copy_kind kind)
{
    struct copy_rate rate = {.kind = kind};
    const struct walk copies = {.run = run, .tracks = WALK_TRACK(STREAM), .items = WALK_ITEM(COPY)};
    bool whole = session_walk(session, &copies, copy_rate_add, &rate);
    return whole && rate.time_ns > 0 ? rate.bytes * 1e9 / rate.time_ns : (double)NAN;
}

double chart_run_value(const struct session *session, uint32_t run, int metric)
{
    struct overlap overlap;
    struct run_times times;
    struct error error;
    if (metric == CHART_RATE_IN || metric == CHART_RATE_OUT)
        return copy_rate(session, run, metric == CHART_RATE_IN ? COPY_HTOD : COPY_DTOH);
    if (metric == CHART_BUSY)
        return run_times_of(session, run, &times, &error) == STATUS_OK && times.ns[RUN_TIME_DEVICE] > 0
                   ? (double)times.ns[RUN_TIME_DEVICE]
                   : (double)NAN;
    if (overlap_compute(session, run, -SESSION_TIME_MAX_NS, SESSION_TIME_MAX_NS, &overlap, &error) !=
        STATUS_OK)
        return (double)NAN;
    if (metric == CHART_HIDDEN && overlap.copy_busy_ns > 0 && overlap.kernel_busy_ns > 0)
        return 100 * (double)overlap.copy_hidden_ns / (double)overlap.copy_busy_ns;
    return (double)NAN;
}

static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static const char *params_of(const struct screen *screen, const struct chart_case *one)
{
    return session_string(screen->session, session_run(screen->session, one->run)->params);
}

/* ---- cases ---- */

static uint32_t order_of(const struct screen *screen, uint32_t variant)
{
    const struct tui_workload *workload = chart_state(screen)->workload;
    const char *name = session_string(screen->session, variant);
    for (uint32_t i = 0; workload && i < workload->variant_count; i++)
        if (strcmp(workload->variants[i].name, name) == 0)
            return i;
    return UINT32_MAX;
}

/* Does `kernel` represent the run better than the kernel chosen so far? */
static bool speaks_rather(const struct session *session, const struct run_row *run, uint32_t kernel,
                          uint32_t so_far)
{
    const struct kernel_row *row = session_kernel(session, kernel), *old = session_kernel(session, so_far);
    if (run->effective_kernel != 0) {
        bool is = session_shape(session, row->shape)->name == run->effective_kernel;
        if (is != (session_shape(session, old->shape)->name == run->effective_kernel))
            return is;
    }
    return atomic_load_explicit(&row->total_ns, memory_order_relaxed) >
           atomic_load_explicit(&old->total_ns, memory_order_relaxed);
}

/* Every process announces its devices: the first row of the same device represents all of them. */
static uint32_t same_device(const struct session *session, uint32_t device)
{
    const struct device_row *row = session_device(session, device);
    for (uint32_t i = 0; row && i < device; i++) {
        const struct device_row *other = session_device(session, i);
        if (other->ordinal == row->ordinal && other->info.is_model == row->info.is_model &&
            strcmp(other->info.name, row->info.name) == 0)
            return i;
    }
    return device;
}

static void add_case(struct screen *screen, uint32_t run, uint32_t kernel)
{
    struct chart *chart = chart_state(screen);
    const struct run_row *row = session_run(screen->session, run);
    if (!array_grow(chart->cases, chart->case_capacity, chart->case_count, 1))
        return;
    uint32_t device = kernel != NONE ? session_kernel(screen->session, kernel)->device : row->device;
    chart->cases[chart->case_count++] = (struct chart_case){.run = run,
                                                            .kernel = kernel,
                                                            .variant = row->variant,
                                                            .order = order_of(screen, row->variant),
                                                            .device = same_device(screen->session, device),
                                                            .model = row->clock == CLOCK_MODEL,
                                                            .x = NAN};
}

/* Adds a case for each run with kernels, in the order of the runs, and for each timed run without kernels. */
static void collect_cases(struct screen *screen)
{
    const struct session *session = screen->session;
    struct chart *chart = chart_state(screen);
    uint32_t kernels = kernel_index_count(chart->index), runs = session_run_count(session);
    chart->case_count = 0;
    for (uint32_t k = 0; k < kernels; k++) {
        const struct kernel_row *row = session_kernel(session, k);
        const struct run_row *run = session_run(session, row->run);
        if (!run || !screen_run_is_of(screen, row->run, chart->name) ||
            !kernel_index_leads(chart->index, k) || !session_shape(session, row->shape))
            continue;
        struct chart_case *last = chart->case_count > 0 ? &chart->cases[chart->case_count - 1] : NULL;
        if (!last || last->run != row->run)
            add_case(screen, row->run, k);
        else if (speaks_rather(session, run, k, last->kernel))
            last->kernel = k;
    }
    uint32_t with_kernels = chart->case_count;
    for (uint32_t run = 0; run < runs; run++) {
        bool known = !run_is_traced(session_run(session, run)) || !screen_run_is_of(screen, run, chart->name);
        for (uint32_t i = 0; i < with_kernels && !known; i++)
            known = chart->cases[i].run == run;
        if (!known)
            add_case(screen, run, NONE);
    }
}

/* ---- axes ---- */

/* The number of values that a parameter has over the cases, where a missing one counts as a value; *numeric:
 * all are numbers. */
static uint32_t values_of(const struct screen *screen, const char *name, double *scratch, bool *numeric)
{
    const struct chart *chart = chart_state(screen);
    uint32_t count = 0, different = 0;
    *numeric = true;
    for (uint32_t i = 0; i < chart->case_count; i++) {
        struct run_param param;
        if (run_param_number(params_of(screen, &chart->cases[i]), name, &scratch[count]))
            count++;
        else if (run_param_find(params_of(screen, &chart->cases[i]), name, &param))
            *numeric = false;
    }
    if (!*numeric)
        return 2; /* or one value: then it does not separate runs */
    qsort(scratch, count, sizeof *scratch, compare_doubles);
    for (uint32_t i = 0; i < count; i++)
        different += i == 0 || scratch[i] != scratch[i - 1];
    return different + (count < chart->case_count);
}

static bool is_axis(const struct chart *chart, const char *name)
{
    for (int i = 0; i < chart->axis_count; i++)
        if (strcmp(chart->axes[i].name, name) == 0)
            return true;
    return false;
}

/* Is the parameter one that users sweep: a number that the workload defines? A size that is left to the
 * device (standard 0) follows other parameters, and rules ("cc=2.0") make other series. */
static bool is_swept(const struct chart *chart, int axis)
{
    bool known = !chart->workload;
    for (size_t i = 0; chart->workload && i < chart->workload->param_count; i++) {
        const struct tui_param *param = &chart->workload->params[i];
        if (strcmp(param->name, chart->axes[axis].name) == 0)
            known = !param_is_size(param);
    }
    return known && chart->axes[axis].numeric;
}

static void find_axes(struct screen *screen)
{
    struct chart *chart = chart_state(screen);
    double *scratch = calloc((size_t)chart->case_count + 1, sizeof *scratch);
    chart->axis_count = 0;
    for (uint32_t i = 0; scratch && i < chart->case_count; i++) {
        const char *text = params_of(screen, &chart->cases[i]);
        struct run_param param;
        if (i > 0 && text == params_of(screen, &chart->cases[i - 1]))
            continue;
        while (chart->axis_count < CHART_AXES_MAX && run_param_next(&text, &param)) {
            char name[sizeof chart->axes[0].name];
            if ((size_t)param.name_length >= sizeof name)
                continue;
            snprintf(name, sizeof name, "%.*s", param.name_length, param.name);
            if (is_axis(chart, name))
                continue;
            snprintf(chart->axes[chart->axis_count].name, sizeof name, "%s", name);
            chart->axes[chart->axis_count].values =
                values_of(screen, name, scratch, &chart->axes[chart->axis_count].numeric);
            chart->axis_count++;
        }
    }
    free(scratch);
    int kept = 0;
    for (int i = 0; i < chart->axis_count; i++)
        if (chart->axes[i].values > 1)
            chart->axes[kept++] = chart->axes[i];
    chart->axis_count = kept;
}

static bool one_variant(const struct chart *chart)
{
    for (uint32_t i = 1; i < chart->case_count; i++)
        if (chart->cases[i].variant != chart->cases[0].variant)
            return false;
    return true;
}

/* Chooses the parameter with the most values; a parameter that users do not sweep only if there is just one
 * variant. */
static void choose_axis(struct chart *chart)
{
    if (chart->axis_chosen && chart->axis < chart->axis_count)
        return;
    uint32_t best = 0;
    chart->axis = CHART_VARIANTS;
    for (int pass = 0; pass < 2 && chart->axis == CHART_VARIANTS; pass++) {
        for (int i = 0; i < chart->axis_count && (pass == 0 || one_variant(chart)); i++) {
            if (chart->axes[i].numeric && (pass == 1 || is_swept(chart, i)) && chart->axes[i].values > best) {
                best = chart->axes[i].values;
                chart->axis = i;
            }
        }
    }
}

/* ---- what else distinguishes runs ---- */

static int compare_places(const struct chart_case *a, const struct chart_case *b)
{
    if (a->model != b->model)
        return a->model ? 1 : -1;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    if (a->variant != b->variant)
        return a->variant < b->variant ? -1 : 1;
    return (a->x > b->x) - (a->x < b->x);
}

static int compare_cases(const void *left, const void *right)
{
    const struct chart_case *a = left, *b = right;
    int order = compare_places(a, b);
    return order ? order : (a->run > b->run) - (a->run < b->run);
}

static bool same_value(const char *a, const char *b, const char *name)
{
    struct run_param left, right;
    bool in_a = run_param_find(a, name, &left), in_b = run_param_find(b, name, &right);
    if (!in_a || !in_b)
        return in_a == in_b;
    return left.value_length == right.value_length &&
           memcmp(left.value, right.value, (size_t)left.value_length) == 0;
}

/* Are there two runs of the same variant, device and x that differ in this parameter? It then separates them
 * into series. */
static bool parts_runs(const struct screen *screen, const char *name)
{
    const struct chart *chart = chart_state(screen);
    for (uint32_t i = 1; i < chart->case_count; i++)
        if (compare_places(&chart->cases[i - 1], &chart->cases[i]) == 0 &&
            !same_value(params_of(screen, &chart->cases[i - 1]), params_of(screen, &chart->cases[i]), name))
            return true;
    return false;
}

static void name_splits(struct screen *screen)
{
    struct chart *chart = chart_state(screen);
    bool parts[CHART_AXES_MAX] = {false};
    for (int a = 0; a < chart->axis_count; a++)
        parts[a] = a != chart->axis && parts_runs(screen, chart->axes[a].name);
    for (uint32_t i = 0; i < chart->case_count; i++) {
        struct chart_case *one = &chart->cases[i];
        size_t used = 0;
        one->split[0] = '\0';
        for (int a = 0; a < chart->axis_count; a++) {
            struct run_param param;
            if (!parts[a] || !run_param_find(params_of(screen, one), chart->axes[a].name, &param))
                continue;
            int length = snprintf(one->split + used, sizeof one->split - used, " %.*s=%.*s",
                                  param.name_length, param.name, param.value_length, param.value);
            used += length > 0 && (size_t)length < sizeof one->split - used ? (size_t)length : 0;
        }
    }
}

void chart_cases_make(struct screen *screen)
{
    struct chart *chart = chart_state(screen);
    collect_cases(screen);
    find_axes(screen);
    choose_axis(chart);
    for (uint32_t i = 0; i < chart->case_count; i++) {
        struct chart_case *one = &chart->cases[i];
        one->x = 0;
        if (chart->axis == CHART_VARIANTS)
            one->x = one->order == UINT32_MAX ? one->variant : one->order;
        else if (!run_param_number(params_of(screen, one), chart->axes[chart->axis].name, &one->x))
            one->x = 0;
    }
    if (chart->case_count > 0)
        qsort(chart->cases, chart->case_count, sizeof *chart->cases, compare_cases);
    name_splits(screen);
}
