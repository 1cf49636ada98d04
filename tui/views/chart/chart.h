/*
 * The chart of a workload: a metric of its runs over the parameter that was swept, or over its variants; a
 * series per variant and device, and the figures that the documents print. What is drawn is prepared here;
 * the values are core's. Part of the screen; the tui's thread.
 */
#ifndef TUI_VIEWS_CHART_CHART_H
#define TUI_VIEWS_CHART_CHART_H

#include "core/analysis/device_time.h"
#include "core/analysis/kernel_index.h"

#include "tui/frame/screen.h"
#include "tui/frame/workload.h"
#include "tui/terminal/canvas.h"
#include "tui/widgets/list.h"

#define CHART_SERIES_MAX 60
#define CHART_AXES_MAX 10
#define CHART_NAME_SIZE 100
#define CHART_VARIANTS (-1) /* axis: the variants, as bars */

/* What a chart shows beside the catalogue's metrics. Of a run: all its rounds, and what it does to check the
 * result, are in it. */
#define CHART_METRIC_LIST(X)                                                                           \
    X(SPEEDUP, "speed-up", "time of the first variant, at its least value, over the time of this one") \
    X(BUSY, "device time", DEVICE_TIME_MEANING)                                                        \
    X(HIDDEN, "copies hidden by kernels", "share of the run's copy time during which a kernel runs")   \
    X(RATE_IN, "bandwidth to the device",                                                              \
      "bytes that the run copies to the device, over the time of those copies")                        \
    X(RATE_OUT, "bandwidth to the host",                                                               \
      "bytes that the run copies to the host, over the time of those copies")
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

struct chart_case {                /* a run, as it is plotted */
    uint32_t run, kernel, variant; /* kernel NONE: it has none; variant: string */
    uint32_t order;                /* of the variant in the workload's table */
    uint32_t device;               /* row; the first of the same device in any process */
    bool model;
    double x;       /* 0 where the run has no such number */
    char split[48]; /* the other parameters that distinguish runs with the same x: "kernels=16" */
};

struct chart_point {
    double x, y;
    uint32_t kernel; /* NONE: a document's, or a run's without one */
};

struct chart_series {
    char name[CHART_NAME_SIZE], place[CHART_NAME_SIZE]; /* "naive", "measured, NVIDIA H200" */
    enum provenance provenance;
    char mark;                       /* measured A..., the same modelled a..., documents' 1...; 0: none */
    const struct tui_figure *figure; /* NULL: of runs */
    uint32_t first, count;           /* of the points, by x */
    double best;                     /* largest y */
    int color;
};

struct chart {
    const struct tui_workload *workload; /* NULL: the host knows none of that name */
    char name[64];                       /* of the workload; "": none is chosen */
    int metric, axis;                    /* enum metric or chart_metric; an index of axes or CHART_VARIANTS */
    enum chart_scale scale;
    bool metric_chosen, axis_chosen; /* by the user */
    char filter[PROMPT_SIZE];        /* which variants are shown: see chart_keeps */
    struct {                         /* parameters with several values */
        char name[32];
        uint32_t values;
        bool numeric; /* can be the axis */
    } axes[CHART_AXES_MAX];
    int axis_count;
    bool has[CHART_METRICS];     /* some run has the metric */
    bool by_rule[CHART_METRICS]; /* none was counted or timed: it is expected only */
    struct chart_series series[CHART_SERIES_MAX];
    int series_count, hidden; /* hidden: those beyond the most */
    int evicted;              /* runs without a value since their events were evicted from memory */
    struct chart_point *points;
    uint32_t point_count;
    size_t point_capacity;
    struct chart_case *cases;
    uint32_t case_count;
    size_t case_capacity;
    double x_least, x_most, y_most, y_least; /* y_least: above zero */
    int selected;                            /* series of the cursor */
    uint32_t cursor;                         /* its point, counted within the series */
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

/* Prepare: looks the session's values up when there are new ones. */
void chart_make(struct screen *screen);
/* After metric, axis or workload has changed. */
void chart_remake(struct screen *screen);
/* The next workload of the session that has runs, before or after this one. */
void chart_next_workload(struct screen *screen, int by);

/* Whether the filter keeps a name: it holds one of the filter's words, none of those with a - before them. A
 * filter without the former keeps all but the latter. */
bool chart_keeps(const char *filter, const char *name);

/* The parts of chart_make: cases and axes of the session's runs; series of the cases. */
void chart_cases_make(struct screen *screen);
void chart_series_make(struct screen *screen);

/* One of the chart's own metrics of a run, but for the speed-up; NaN: it has none. */
double chart_run_value(const struct session *session, uint32_t run, int metric);

const char *chart_metric_title(int metric);
const char *chart_metric_meaning(int metric);
/* A value of the metric as text, with its unit. */
void chart_format(int metric, double number, char *text, size_t size_bytes);
/* Where y lies on the scale, 0...1; NaN: it has no place (nothing, on a logarithmic scale). */
double chart_height(const struct chart *chart, const struct chart_series *series, double y);
/* The value at a height: what an axis' label says. */
double chart_value_at(const struct chart *chart, double height);
/* Where x lies on the axis, 0...1: by its number, or by its power of two where the values spread so. */
double chart_place(const struct chart *chart, double x);

void chart_draw_lines(const struct chart *chart, struct canvas *canvas, struct rect area);
void chart_draw_bars(const struct chart *chart, struct canvas *canvas, struct rect area);

#endif
