/* SPDX-License-Identifier: Apache-2.0 */
/* From cases to series: their values in the chosen metric, and the documents' figures. */
#include "core/base/array.h"
#include "tui/frame/screen.h"
#include "tui/views/chart/chart.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

static enum provenance own_of(const struct chart_case *one)
{
    return one->model ? PROVENANCE_MODELLED : PROVENANCE_MEASURED;
}

/* The runs' value of a catalogue metric, or if no run has one, the value expected by the rules. */
static double value_of(const struct chart *chart, const struct chart_case *one, enum metric metric)
{
    if (one->kernel == NONE)
        return (double)NAN;
    enum provenance provenance = chart->by_rule[metric] ? PROVENANCE_EXPECTED : own_of(one);
    struct kernel_statistic statistic = kernel_index_statistic(chart->index, one->kernel, metric, provenance);
    return statistic.value.available && !statistic.value.word ? statistic.value.number : (double)NAN;
}

/* The time of the first case on the same device: the first variant at its least x. */
static double base_time(const struct chart *chart, const struct chart_case *one)
{
    for (uint32_t i = 0; i < chart->case_count; i++)
        if (chart->cases[i].model == one->model && chart->cases[i].device == one->device)
            return value_of(chart, &chart->cases[i], METRIC_time_ns);
    return NAN;
}

static double plotted_value(const struct session *session, const struct chart *chart,
                            const struct chart_case *one)
{
    if (chart->metric < METRIC_COUNT)
        return value_of(chart, one, (enum metric)chart->metric);
    if (chart->metric != CHART_SPEEDUP)
        return chart_run_value(session, one->run, chart->metric);
    double time = value_of(chart, one, METRIC_time_ns);
    return time > 0 ? base_time(chart, one) / time : NAN;
}

static void find_metrics(const struct session *session, struct chart *chart)
{
    memset(chart->has, 0, sizeof chart->has);
    for (int metric = 0; metric < METRIC_COUNT; metric++) {
        for (int rule = 0; rule < 2 && !chart->has[metric]; rule++) {
            chart->by_rule[metric] = rule == 1;
            for (uint32_t i = 0; i < chart->case_count && !chart->has[metric]; i++)
                chart->has[metric] = isfinite(value_of(chart, &chart->cases[i], (enum metric)metric));
        }
    }
    for (int metric = METRIC_COUNT; metric < CHART_METRICS; metric++)
        for (uint32_t i = 0; i < chart->case_count && metric != CHART_SPEEDUP && !chart->has[metric]; i++)
            chart->has[metric] = isfinite(chart_run_value(session, chart->cases[i].run, metric));
    chart->has[CHART_SPEEDUP] =
        chart->has[METRIC_time_ns] && !chart->by_rule[METRIC_time_ns] && chart->case_count > 1;
}

static int metric_of_figure(const struct tui_figure *figure)
{
    return strcmp(figure->metric, TUI_FIGURE_SPEEDUP) == 0 ? CHART_SPEEDUP : (int)metric_find(figure->metric);
}

/* How much a metric changes from case to case, 0...1. */
static double change_of(const struct chart *chart, enum metric metric)
{
    double least = DBL_MAX, most = 0;
    for (uint32_t i = 0; i < chart->case_count; i++) {
        double value = value_of(chart, &chart->cases[i], metric);
        least = fmin(least, value);
        most = fmax(most, value);
    }
    return most > 0 ? (most - least) / most : 0;
}

bool chart_is_timed(int metric)
{
    return metric == METRIC_time_ns || metric == METRIC_effective_bandwidth_bytes_per_second ||
           metric == CHART_SPEEDUP;
}

#define STEADY_TIMES 0.25 /* times that change by less beside counts that change by more */
#define LAUNCH_NS 10000   /* kernels that take less spend much of it on being launched */

/* Are all kernels so short that their times say little of what they do? */
static bool has_times_of_launching(const struct chart *chart)
{
    bool any = false;
    for (uint32_t i = 0; i < chart->case_count; i++) {
        double time_ns = value_of(chart, &chart->cases[i], METRIC_time_ns);
        if (time_ns > LAUNCH_NS)
            return false;
        any = any || time_ns > 0;
    }
    return any && change_of(chart, METRIC_time_ns) < STEADY_TIMES;
}

/* Chooses the metric: that of the document's figure; else, for transfers, one of the whole run; else
 * bandwidth, unless the times are those of launching and only the counts change; else, of the metrics that
 * the workload teaches, the one that changes most; else time; else the first that has values. */
static void choose_metric(struct chart *chart)
{
    if (chart->metric_chosen && chart->has[chart->metric])
        return;
    for (int metric = CHART_METRICS - 1; metric >= 0; metric--)
        if (chart->has[metric])
            chart->metric = metric;
    double most = 0;
    for (int metric = 0; metric < METRIC_COUNT; metric++) {
        const char *taught = metric_info((enum metric)metric)->taught;
        double change = 0;
        if (chart->has[metric] && taught && strcmp(taught, chart->name) == 0)
            change = change_of(chart, (enum metric)metric);
        if (change > most) {
            most = change;
            chart->metric = metric;
        }
    }
    chart->launch_bound = most > STEADY_TIMES && has_times_of_launching(chart);
    if (chart->has[METRIC_effective_bandwidth_bytes_per_second] && !chart->launch_bound)
        chart->metric = METRIC_effective_bandwidth_bytes_per_second;
    bool transfers = chart->workload && strcmp(chart->workload->chapter, CHAPTER_TRANSFERS) == 0;
    if (transfers && (chart->has[CHART_BUSY] || chart->has[CHART_RATE_IN]))
        chart->metric = chart->has[METRIC_time_ns] ? CHART_BUSY : CHART_RATE_IN;
    if (chart->workload && chart->workload->figure_count > 0) {
        int metric = metric_of_figure(&chart->workload->figures[0]);
        if (chart->has[metric] && !(chart->launch_bound && chart_is_timed(metric)))
            chart->metric = metric;
    }
}

/* ---- filter ---- */

bool chart_keeps(const char *filter, const char *name)
{
    char words[PROMPT_SIZE], *rest = words;
    bool asked = false, held = false;
    snprintf(words, sizeof words, "%s", filter);
    for (char *word; (word = strsep(&rest, " "));) {
        bool without = word[0] == '-' && word[1] != '\0';
        if (without && strcasestr(name, word + 1))
            return false;
        if (without || word[0] == '\0')
            continue;
        asked = true;
        held = held || strcasestr(name, word);
    }
    return held || !asked;
}

static bool case_kept(const struct screen *screen, const struct chart_case *one)
{
    return chart_keeps(chart_state(screen)->filter, session_string(screen->session, one->variant));
}

/* ---- series ---- */

static bool add_point(struct chart *chart, struct chart_series *series, double x, double y, uint32_t kernel,
                      bool open)
{
    const struct chart_point point = {x, y, kernel, open};
    if (series->count > 0 && chart->points[chart->point_count - 1].x == x) {
        if (!open) /* run again: the newest value of a run that has ended counts */
            chart->points[chart->point_count - 1] = point;
        return true;
    }
    if (!array_grow(chart->points, chart->point_capacity, chart->point_count, 1))
        return false;
    chart->points[chart->point_count++] = point;
    series->count++;
    return true;
}

static struct chart_series *add_series(struct chart *chart)
{
    if (chart->series_count == CHART_SERIES_MAX) {
        chart->hidden++;
        return NULL;
    }
    struct chart_series *series = &chart->series[chart->series_count];
    *series = (struct chart_series){.first = chart->point_count, .color = COLOR_TEXT};
    return series;
}

/* The letter of the same series on the other device, or the next letter. */
static char mark_of(const struct chart *chart, const struct chart_series *series)
{
    bool model = series->provenance == PROVENANCE_MODELLED;
    char next = 'A';
    for (int i = 0; i < chart->series_count; i++) {
        const struct chart_series *other = &chart->series[i];
        char upper = (char)(other->mark & ~32);
        if (model && other->provenance != PROVENANCE_MODELLED && strcmp(other->name, series->name) == 0)
            return (char)(upper | 32);
        next = upper >= next ? (char)(upper + 1) : next;
    }
    next = next > 'Z' ? '?' : next;
    return model && next != '?' ? (char)(next | 32) : next;
}

static bool has_several_devices(const struct chart *chart)
{
    for (uint32_t i = 1; i < chart->case_count; i++)
        if (chart->cases[i].device != chart->cases[0].device)
            return true;
    return false;
}

static void name_series(const struct screen *screen, struct chart_series *series,
                        const struct chart_case *one)
{
    const struct device_row *device = session_device(screen->session, one->device);
    const char *variant = session_string(screen->session, one->variant);
    bool bars = chart_state(screen)->axis == CHART_VARIANTS;
    const bool by_device = bars && device && has_several_devices(chart_state(screen));
    snprintf(series->name, sizeof series->name, "%.50s%s%s",
             by_device ? device->info.name
             : bars    ? ""
                       : variant,
             by_device && one->split[0] && one->split[0] != ' ' ? " " : "",
             one->split + (bars && !by_device && one->split[0] == ' '));
    const char *how = provenance_text(
        chart_state(screen)->by_rule[chart_state(screen)->metric] ? PROVENANCE_EXPECTED : series->provenance);
    snprintf(series->place, sizeof series->place, "%s%s%.60s", how, by_device ? "" : ", ",
             by_device ? ""
             : device  ? device->info.name
                       : "a GPU");
}

static bool same_series(const struct chart *chart, const struct chart_case *a, const struct chart_case *b)
{
    bool variant = a->variant == b->variant || chart->axis == CHART_VARIANTS;
    return a->model == b->model && a->device == b->device && variant && strcmp(a->split, b->split) == 0;
}

/* Have events of the run been evicted from memory? */
static bool was_evicted(const struct session *session, const struct chart_case *one)
{
    const struct run_row *run = session_run(session, one->run);
    return run && session_folded_until_ns(session, run->clock) > run->start_ns;
}

static bool is_open(const struct session *session, const struct chart_case *one)
{
    return atomic_load_explicit(&session_run(session, one->run)->end_ns, memory_order_acquire) == INT64_MIN;
}

/* The cases of one series may be apart, if other parameters separate the runs of an x: each case is searched
 * for from the series' first case on. */
static void add_runs(struct screen *screen)
{
    struct chart *chart = chart_state(screen);
    for (uint32_t i = 0; i < chart->case_count; i++) {
        const struct chart_case *first = &chart->cases[i];
        bool known = !case_kept(screen, first);
        for (uint32_t j = i; j-- > 0 && !known;)
            known = same_series(chart, &chart->cases[j], first) && case_kept(screen, &chart->cases[j]);
        struct chart_series *series = known ? NULL : add_series(chart);
        if (!series)
            continue;
        series->provenance = own_of(first);
        name_series(screen, series, first);
        series->mark = mark_of(chart, series);
        series->color = COLOR_KERNEL + (series->mark & ~32) % STYLE_KERNEL_COLORS;
        for (uint32_t j = i; j < chart->case_count; j++) {
            bool shown = same_series(chart, first, &chart->cases[j]) && case_kept(screen, &chart->cases[j]);
            double y = shown ? plotted_value(screen->session, chart, &chart->cases[j]) : NAN;
            chart->evicted += shown && !isfinite(y) && was_evicted(screen->session, &chart->cases[j]);
            /* A line has no point that will move; a bar grows. */
            bool open = is_open(screen->session, &chart->cases[j]);
            if (isfinite(y) && !(open && chart->axis != CHART_VARIANTS) &&
                !add_point(chart, series, chart->cases[j].x, y, chart->cases[j].kernel, open))
                return;
        }
        chart->series_count += series->count > 0;
    }
}

/* ---- the documents' figures ---- */

static double place_of_variant(const struct chart *chart, const char *variant)
{
    for (size_t i = 0; i < chart->workload->variant_count; i++)
        if (strcmp(chart->workload->variants[i].name, variant) == 0)
            return (double)i;
    return NAN;
}

static bool figure_fits(const struct chart *chart, const struct tui_figure *figure)
{
    if (metric_of_figure(figure) != chart->metric)
        return false;
    if (chart->axis == CHART_VARIANTS)
        return !figure->param;
    if (!chart_keeps(chart->filter, figure->name))
        return false;
    return figure->param && strcmp(figure->param, chart->axes[chart->axis].name) == 0;
}

static void add_figures(struct chart *chart)
{
    char mark = '1';
    for (size_t i = 0; chart->workload && i < chart->workload->figure_count; i++) {
        const struct tui_figure *figure = &chart->workload->figures[i];
        bool fits = figure->point_count > 0 && figure_fits(chart, figure);
        struct chart_series *series = fits ? add_series(chart) : NULL;
        if (!series)
            continue;
        series->figure = figure;
        series->mark = mark++;
        snprintf(series->name, sizeof series->name, "%s", figure->name);
        snprintf(series->place, sizeof series->place, "%s", figure->gpu);
        for (size_t p = 0; p < figure->point_count; p++) {
            const struct tui_figure_point *point = &figure->points[p];
            double x = point->variant ? place_of_variant(chart, point->variant) : point->x;
            if (isnan(x) && !point->variant) { /* a level, drawn from end to end */
                add_point(chart, series, chart->x_least, point->y, NONE, false);
                x = chart->x_most;
            }
            if (isfinite(x) && (!point->variant || chart_keeps(chart->filter, point->variant)))
                add_point(chart, series, x, point->y, NONE, false);
        }
        chart->series_count += series->count > 0;
    }
}

/* ---- the whole chart ---- */

static void find_extent(struct chart *chart)
{
    chart->x_least = chart->y_least = DBL_MAX;
    chart->x_most = chart->y_most = -DBL_MAX;
    for (int s = 0; s < chart->series_count; s++) {
        struct chart_series *series = &chart->series[s];
        series->best = series->least = 0;
        for (uint32_t i = 0; i < series->count; i++) {
            const struct chart_point *point = &chart->points[series->first + i];
            chart->x_least = fmin(chart->x_least, point->x);
            chart->x_most = fmax(chart->x_most, point->x);
            chart->y_most = fmax(chart->y_most, point->y);
            chart->y_least = point->y > 0 ? fmin(chart->y_least, point->y) : chart->y_least;
            if (point->open)
                continue;
            series->best = fmax(series->best, point->y);
            if (point->y > 0 && (series->least == 0 || point->y < series->least))
                series->least = point->y;
        }
    }
}

void chart_series_make(struct screen *screen)
{
    struct chart *chart = chart_state(screen);
    find_metrics(screen->session, chart);
    choose_metric(chart);
    chart->series_count = chart->hidden = chart->evicted = 0;
    chart->point_count = 0;
    add_runs(screen);
    find_extent(chart);
    if (chart->series_count > 0)
        add_figures(chart);
    find_extent(chart);
    chart->selected = chart->selected < chart->series_count ? chart->selected : 0;
    uint32_t most = chart->series_count > 0 ? chart->series[chart->selected].count - 1 : 0;
    chart->cursor = chart->cursor < most ? chart->cursor : most;
}
