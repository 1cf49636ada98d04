/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Charts of the timeline: counters over time, below the heading of their device, on the same axis. A chart
 * shows all series of one name and device, also if sampling was restarted; it takes one to CHART_LINES_MAX
 * lines. Part of the timeline; the tui's thread.
 */
#ifndef TUI_TIMELINE_TIMELINE_CHARTS_H
#define TUI_TIMELINE_TIMELINE_CHARTS_H

#include "core/session/samples.h"
#include "core/session/series.h"

#include "tui/timeline/timeline.h"
#include "tui/widgets/axis.h"

#define CHART_LINES_MAX 4
#define CHARTS_MAX 16384 /* each run on the model is a process with a few charts */

struct timeline_chart {
    uint32_t first, last; /* of its series, chained by `next` */
    struct series_description about;
    struct row_choice choice;
    double scale; /* for the run's work: the value at the top of the chart */
    double mean;  /* over the time shown; NaN: not sampled there */
    uint64_t few; /* number of samples in the time shown if there are too few for a shape; else 0 */
    bool quiet;   /* all samples in the run are 0 */
    bool low; /* all samples in the run are in the lowest quarter of the scale: more lines would not show more
               */
    bool burst;
    uint32_t why; /* string: why the device is not sampled, shown in place of a chart; 0: it is a chart */
};

struct timeline_charts {
    struct timeline_chart *items;
    uint32_t count, series_seen;
    size_t capacity;
    uint32_t *next; /* by series: the chart's next one, NONE */
    size_t next_capacity;
    /* The last result: the columns of a chart, and their positions in a sampling. */
    uint32_t made; /* the chart they were made for, NONE */
    struct sample_column *columns, *part;
    size_t column_capacity, part_capacity;
    uint64_t *edges; /* of the sampling, for the window and count below */
    size_t edge_capacity;
    uint32_t cut_sampling; /* NONE: not made for any */
    struct window cut_window;
    size_t cut_count;
};

struct timeline_chart_readout {
    uint32_t chart;             /* NONE: the selected row is not a chart */
    struct sample_column here;  /* the cursor's column */
    struct sample_column range; /* between the marks */
    uint32_t series;            /* index of the series with a sample at the cursor; NONE: there is none */
    uint64_t sample;
};

struct screen;
struct timeline_cell;
struct timeline_row;

void timeline_charts_fini(struct timeline_charts *charts);
/* Adds rows for the charts that have samples within the bounds; height: lines of the pane, which the charts
 * fill. If not every chart has room for a line, the most important ones come first. *wanted: the lines that
 * all rows could use. *extent is set to the time of the samples if it is empty. False: out of memory. */
bool timeline_charts_rows(struct screen *screen, struct window bounds, int height, struct window *extent,
                          size_t *count, int *wanted);
/* Fills the cells of one line of a chart. */
void timeline_charts_cells(struct screen *screen, const struct timeline_row *row,
                           struct timeline_cell *cells);
void timeline_charts_readout(struct screen *screen, uint32_t chart, struct window column);
/* For a timeline with charts only: the height of the first chart in each of `columns` columns of a time,
 * 0...4. */
void timeline_charts_minimap(struct screen *screen, struct window extent, uint8_t *levels, size_t columns);
/* Handles NEXT, PREVIOUS, LONGEST (the highest) for a chart; false: another action. */
bool timeline_charts_jump(struct screen *screen, uint32_t chart, enum action action);

/* The sentence that is shown in place of a chart if there can be none; NULL: it is a chart. */
const char *timeline_chart_why(const struct screen *screen, uint32_t chart);
void timeline_chart_text(const struct screen *screen, char *text, size_t size_bytes); /* of the read-out */

/* ---- how a chart looks ---- */

/*
 * How the columns of a chart look: a hue for each counter, in three tones. Pure functions of the columns. Any
 * thread.
 */

/* A hue below STYLE_COUNTER_COLORS: the same for a title in every session. */
uint8_t chart_hue(const char *title);
/* The order in which charts get lines if not all fit: 1...CHART_RANKS, first the chart that belongs to the
 * current rule of advice; 0: not ranked. rule: the rule's id, or "". */
unsigned chart_rank(const char *title, const char *rule);
#define CHART_RANKS 6
/* The number of eighths of `lines` lines that a value fills: at least one if the value is above 0, and at
 * most all but one, so that there is a gap to the row above. */
int chart_eighths(double value, double scale, int lines);
/* The cells of a line of the chart: `count` columns. */
void chart_cells(const struct timeline_chart *chart, const struct timeline_row *row,
                 const struct sample_column *columns, int count, struct timeline_cell *cells);

#endif
