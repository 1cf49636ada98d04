/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The chart of a workload: a metric of its runs over the parameter that was swept, or over its variants; a
 * series per variant and device, and the figures that the documents print. What is drawn is prepared here;
 * the values come from core. Part of the screen; the tui's thread.
 */
#ifndef TUI_VIEWS_CHART_CHART_H
#define TUI_VIEWS_CHART_CHART_H

#include "core/analysis/kernel_index.h"
#include "core/analysis/run_times.h"

#include "tui/frame/screen.h"
#include "tui/frame/workload.h"
#include "tui/terminal/canvas.h"
#include "tui/widgets/list.h"

#define CHART_SERIES_MAX 60
#define CHART_AXES_MAX 10
#define CHART_NAME_SIZE 100
#define CHART_VARIANTS (-1) /* axis: the variants, as bars */

/* Quantities that a chart shows in addition to the catalogue's metrics. Those of a run include all its rounds
 * and the work that checks the result. */
#define CHART_METRIC_LIST(X)                                                                                \
    X(SPEEDUP, "speed-up", "time of the first variant at its least value, divided by the time of this one") \
    X(BUSY, "device time", DEVICE_TIME_MEANING)                                                             \
    X(HIDDEN, "copies hidden by kernels", "share of the run's copy time during which a kernel runs")        \
    X(RATE_IN, "bandwidth to the device",                                                                   \
      "bytes that the run copies to the device, divided by the time of those copies")                       \
    X(RATE_OUT, "bandwidth to the host",                                                                    \
      "bytes that the run copies to the host, divided by the time of those copies")
#define CHART_METRIC_ENUM(name, title, meaning) CHART_##name,
enum chart_metric {
    CHART_METRIC_BEFORE = METRIC_COUNT - 1,
    CHART_METRIC_LIST(CHART_METRIC_ENUM) CHART_METRICS
};
#undef CHART_METRIC_ENUM

#define CHART_SCALE_LIST(X) X(LINEAR, "") X(LOG, "logarithmic") X(SHARE, "share of each series' best")
#define CHART_SCALE_ENUM(name, text) CHART_##name,
enum chart_scale { CHART_SCALE_LIST(CHART_SCALE_ENUM) CHART_SCALE_COUNT };
#undef CHART_SCALE_ENUM

struct chart_case {                /* a run as it is plotted */
    uint32_t run, kernel, variant; /* kernel NONE: the run has none; variant: string */
    uint32_t order;                /* index of the variant in the workload's table */
    uint32_t device;               /* row of the device: the first row of the same device in any process */
    bool model;
    double x;       /* 0 if the run has no such number */
    char split[48]; /* the other parameters that distinguish runs with the same x: "kernels=16" */
};

struct chart_point {
    double x, y;
    uint32_t kernel; /* NONE: the point is from a document, or from a run without a kernel */
    bool open;       /* its run has not ended: the value is that of what has ended so far */
};

struct chart_series {
    char name[CHART_NAME_SIZE], place[CHART_NAME_SIZE]; /* "naive", "measured, NVIDIA H200" */
    enum provenance provenance;
    char mark; /* measured A..., the same series modelled a..., documents' 1...; 0: none */
    const struct tui_figure *figure; /* NULL: the series is made from runs */
    uint32_t first, count;           /* of the points, by x */
    double best, least;              /* largest y, and smallest above 0 */
    int color;
};

struct chart {
    const struct tui_workload *workload; /* NULL: the host knows no workload of this name */
    char name[64];                       /* of the workload; "": none is chosen */
    int metric, axis; /* metric: enum metric or chart_metric; axis: index into axes, or CHART_VARIANTS */
    enum chart_scale scale;
    bool metric_chosen, axis_chosen; /* by the user */
    bool launch_bound;        /* the times are those of launching: they hardly change while the counts do */
    char filter[PROMPT_SIZE]; /* which series are shown: see chart_keeps */
    struct {                  /* the parameters with several values */
        char name[32];
        uint32_t values;
        bool numeric; /* can be the axis */
    } axes[CHART_AXES_MAX];
    int axis_count;
    bool has[CHART_METRICS];     /* at least one run has the metric */
    bool by_rule[CHART_METRICS]; /* no run counted or timed it: the values are only expected ones */
    struct chart_series series[CHART_SERIES_MAX];
    int series_count, hidden; /* hidden: series beyond the maximum */
    int evicted;              /* runs without a value since their events were evicted from memory */
    struct chart_point *points;
    uint32_t point_count;
    size_t point_capacity;
    struct chart_case *cases;
    uint32_t case_count;
    size_t case_capacity;
    double x_least, x_most, y_most, y_least; /* y_least: the smallest value above zero */
    int selected;                            /* the series of the cursor */
    uint32_t cursor;                         /* the cursor's point, counted within the series */
    struct list bars;
    struct kernel_index *index;
    uint64_t made_of;
    int64_t made_ms;
};

static inline struct chart *chart_state(const struct screen *screen)
{
    return screen->view_state[VIEW_CHART];
}

/* Opens the chart of the current workload, or shows a message if there is none. */
void chart_open(struct screen *screen);
void chart_choose(struct screen *screen, const char *workload);
void chart_forget(struct screen *screen); /* the session has ended: keeps only the workload */

/* Prepares the chart; reads the session again if it has new values. */
void chart_make(struct screen *screen);
/* Makes the chart again after metric, axis or workload has changed. */
void chart_remake(struct screen *screen);
/* Chooses the next workload of the session that has runs, before or after this one. */
void chart_next_workload(struct screen *screen, int by);

/* Does the filter keep a name? It must contain one of the filter's words, and none of the words that are
 * preceded by a -. A filter with only such excluded words keeps all other names. */
bool chart_keeps(const char *filter, const char *name);

/* The parts of chart_make: cases and axes of the session's runs; series of the cases. */
void chart_cases_make(struct screen *screen);
void chart_series_make(struct screen *screen);
/* Is the metric made of the kernels' times? */
bool chart_is_timed(int metric);

/* One of the chart's own metrics of a run, except the speed-up; NaN: the run has none. */
double chart_run_value(const struct session *session, uint32_t run, int metric);

/* enum metric or chart_metric by its id, one of the chart's own by its name in small letters; -1: none. */
int chart_metric_find(const char *id);
const char *chart_metric_title(int metric);
const char *chart_metric_meaning(int metric);
/* Writes a value of the metric as text, with its unit. */
void chart_format(int metric, double number, char *text, size_t size_bytes);
/* The place of y on the scale, 0...1; NaN: it has none (0 on a logarithmic scale). */
double chart_height(const struct chart *chart, const struct chart_series *series, double y);
/* The value at a height, for a label of the axis. */
double chart_value_at(const struct chart *chart, double height);
/* The place of x on the axis, 0...1: linear, or by powers of two if the values are spread so. */
double chart_place(const struct chart *chart, double x);

/* Bars have the letter and colour of their variant, if that and their shade tell them; else NUL. */
char chart_bar_letter(const struct chart *chart, const struct chart_series *series, double x);
int chart_bar_color(double x);
/* A cell of a bar: measured ones are full, modelled ones lighter, a document's the lightest. */
uint32_t chart_bar_glyph(const struct chart_series *series, bool ascii, int eighths);
void chart_draw_lines(const struct chart *chart, struct canvas *canvas, struct rect area);
void chart_draw_bars(const struct chart *chart, struct canvas *canvas, struct rect area);

#endif
