/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides what a chart shows and when it is made again: when the session has new rows, at most every
 * REFRESH_MS while something runs. Cases (chart_cases.c) are made from the session, series and points
 * (chart_series.c) from the cases; the points of a series are in the order of x.
 */
#include "tui/views/chart/chart.h"

#include "tui/frame/screen.h"
#include "tui/views/lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REFRESH_MS 500

static const struct {
    const char *id, *title, *meaning;
} own[CHART_METRICS - METRIC_COUNT] = {
#define OWN_ROW(name, title, meaning) [CHART_##name - METRIC_COUNT] = {#name, title, meaning},
    CHART_METRIC_LIST(OWN_ROW)
#undef OWN_ROW
};

int chart_metric_find(const char *id)
{
    enum metric metric = metric_find(id);
    for (int i = METRIC_COUNT; metric == METRIC_COUNT && i < CHART_METRICS; i++)
        if (strcasecmp(own[i - METRIC_COUNT].id, id) == 0)
            return i;
    return metric == METRIC_COUNT ? -1 : (int)metric;
}

const char *chart_metric_title(int metric)
{
    return metric >= METRIC_COUNT ? own[metric - METRIC_COUNT].title
                                  : metric_info((enum metric)metric)->title;
}

const char *chart_metric_meaning(int metric)
{
    return metric >= METRIC_COUNT ? own[metric - METRIC_COUNT].meaning
                                  : metric_info((enum metric)metric)->meaning;
}

void chart_format(int metric, double number, char *text, size_t size_bytes)
{
    struct value value = {.available = true, .number = number};
    if (metric == CHART_SPEEDUP)
        snprintf(text, size_bytes, "%.2fx", number);
    else if (metric == CHART_HIDDEN)
        snprintf(text, size_bytes, "%.1f %%", number);
    else
        metric_format(metric < METRIC_COUNT  ? (enum metric)metric
                      : metric == CHART_BUSY ? METRIC_time_ns
                                             : METRIC_effective_bandwidth_bytes_per_second,
                      &value, text, size_bytes);
}

/* ---- scales ---- */

static double count_decades(const struct chart *chart)
{
    return fmax(log10(chart->y_most / chart->y_least), 0.1);
}

double chart_height(const struct chart *chart, const struct chart_series *series, double y)
{
    switch (chart->scale) {
    case CHART_LOG:
        return y > 0 ? (log10(y / chart->y_least) / count_decades(chart) * 0.9 + 0.05) : (double)NAN;
    case CHART_SHARE: return series->best > 0 ? y / series->best : 0;
    case CHART_LINEAR:
    case CHART_SCALE_COUNT: break;
    }
    return chart->y_most > 0 ? y / chart->y_most : 0;
}

double chart_value_at(const struct chart *chart, double height)
{
    switch (chart->scale) {
    case CHART_LOG: return chart->y_least * pow(10, (height - 0.05) / 0.9 * count_decades(chart));
    case CHART_SHARE: return 100 * height;
    case CHART_LINEAR:
    case CHART_SCALE_COUNT: break;
    }
    return chart->y_most * height;
}

/* Should the axis go by powers of two? Yes if there are few values for a wide range: on a linear axis most of
 * 1, 2, 4, ... 1024 would be at one place. */
static bool by_powers(const struct chart *chart)
{
    double range = chart->x_most - chart->x_least;
    return chart->axis != CHART_VARIANTS && chart->x_least > 0 && chart->x_most >= 16 * chart->x_least &&
           range > 3.0 * chart->axes[chart->axis].values;
}

double chart_place(const struct chart *chart, double x)
{
    if (chart->x_most <= chart->x_least)
        return 0.5;
    if (by_powers(chart))
        return log2(x / chart->x_least) / log2(chart->x_most / chart->x_least);
    return (x - chart->x_least) / (chart->x_most - chart->x_least);
}

/* ---- making ---- */

static uint64_t rows_seen(const struct session *session)
{
    uint64_t ended = 0;
    for (uint32_t i = 0; i < session_run_count(session); i++)
        ended += atomic_load_explicit(&session_run(session, i)->end_ns, memory_order_acquire) != INT64_MIN;
    return ended + session_run_count(session) + session_kernel_count(session) +
           session_measurement_count(session) + session_expected_count(session) +
           session_launch_count(session);
}

void chart_remake(struct screen *screen)
{
    struct chart *chart = chart_state(screen);
    chart->case_count = chart->point_count = 0;
    chart->series_count = chart->axis_count = 0;
    if (!chart->index || chart->name[0] == '\0')
        return;
    chart_cases_make(screen);
    chart_series_make(screen);
}

void chart_make(struct screen *screen)
{
    struct chart *chart = chart_state(screen);
    uint64_t rows = rows_seen(screen->session);
    struct error error = {0};
    bool soon = screen->state.live && screen->clock_ms - chart->made_ms < REFRESH_MS;
    if (chart->index && (rows == chart->made_of || screen->frozen || soon))
        return;
    kernel_index_destroy(chart->index);
    chart->index = NULL;
    if (kernel_index_create(&chart->index, screen->session, &error) != STATUS_OK)
        screen_message(screen, SEVERITY_ERROR, "%s", error.text);
    chart->made_of = rows;
    chart->made_ms = screen->clock_ms;
    chart_remake(screen);
}

/* ---- choosing the workload ---- */

void chart_choose(struct screen *screen, const char *name)
{
    struct chart *chart = chart_state(screen);
    snprintf(chart->name, sizeof chart->name, "%s", name);
    chart->workload = lab_find_workload(screen, name);
    chart->metric_chosen = chart->axis_chosen = false;
    chart->scale = CHART_LINEAR;
    chart->filter[0] = '\0';
    chart->selected = 0;
    chart->cursor = 0;
    chart->bars = (struct list){0};
}

void chart_forget(struct screen *screen)
{
    struct chart *chart = chart_state(screen);
    char name[sizeof chart->name];
    memcpy(name, chart->name, sizeof name);
    kernel_index_destroy(chart->index);
    free(chart->cases);
    free(chart->points);
    *chart = (struct chart){0};
    if (name[0] != '\0')
        chart_choose(screen, name);
}

void chart_open(struct screen *screen)
{
    const char *name = screen_workload_looked_at(screen);
    if (name[0] == '\0') {
        screen_message(screen, SEVERITY_INFO,
                       "A chart shows the runs of a bundled workload: select a kernel of one.");
        return;
    }
    chart_choose(screen, name);
    chart_remake(screen);
    screen_open(screen, VIEW_CHART);
}

/* Workloads with runs, in the order of their first runs: chooses the workload at `from`, or the one `by`
 * places after it. */
void chart_next_workload(struct screen *screen, int by)
{
    const struct session *session = screen->session;
    uint32_t count = session_run_count(session), at = NONE, best = NONE;
    uint32_t firsts[256];
    uint32_t known = 0;
    for (uint32_t run = 0; run < count && known < sizeof firsts / sizeof firsts[0]; run++) {
        uint32_t workload = session_run(session, run)->workload;
        bool seen = workload == 0;
        for (uint32_t i = known; i-- > 0 && !seen;)
            seen = session_run(session, firsts[i])->workload == workload;
        if (seen)
            continue;
        if (strcmp(session_string(session, workload), chart_state(screen)->name) == 0)
            at = known;
        firsts[known++] = run;
    }
    if (known == 0)
        return;
    best = at == NONE ? 0 : (at + known + (uint32_t)(by + (int)known)) % known;
    chart_choose(screen, session_string(session, session_run(session, firsts[best])->workload));
    chart_remake(screen);
}
