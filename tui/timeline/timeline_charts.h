/*
 * Charts of the timeline: counters over time, below the tracks of their device, on the same axis. A chart
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
#define CHARTS_MAX 16384 /* each run on the model is a process with a handful */

struct timeline_chart {
    uint32_t first, last; /* of its series, chained by `next` */
    struct series_description about;
    struct row_choice choice;
    double scale; /* of the run's work: the value at the top of the chart */
    double mean;  /* over the run's work; NaN: not sampled */
    bool quiet;   /* all that was sampled in it is 0 */
    bool low;     /* or all of it lies in the lowest quarter of the scale: more lines would show no more */
    bool burst;
    uint32_t why; /* string: why nothing is sampled of the device, which is all that is shown; 0: a chart */
};

struct timeline_charts {
    struct timeline_chart *items;
    uint32_t count, series_seen;
    size_t capacity;
    uint32_t *next; /* by series: the chart's next one, NONE */
    size_t next_capacity;
    /* The last result: the columns of a chart, and their positions in a sampling. */
    uint32_t made; /* chart, NONE */
    struct sample_column *columns, *part;
    size_t column_capacity, part_capacity;
    uint64_t *edges; /* of the sampling, window and count below */
    size_t edge_capacity;
    uint32_t cut_sampling; /* NONE: of none */
    struct window cut_window;
    size_t cut_count;
};

struct timeline_chart_readout {
    uint32_t chart;             /* NONE: the selected row is no chart */
    struct sample_column here;  /* the cursor's column */
    struct sample_column range; /* between the marks */
    uint32_t series;            /* whose sample lies at the cursor: its index; NONE: none does */
    uint64_t sample;
};

struct screen;
struct timeline_cell;
struct timeline_row;

void timeline_charts_fini(struct timeline_charts *charts);
/* Adds the rows of the charts that have samples within the bounds to all others; height: lines of the pane,
 * which the charts fill. Where not all have a line, those that matter most come first. *wanted: the lines
 * that all rows could use. *extent is widened by them where it has nothing. False: no memory. */
bool timeline_charts_rows(struct screen *screen, struct window bounds, int height, struct window *extent,
                          size_t *count, int *wanted);
/* One line of a chart. */
void timeline_charts_cells(struct screen *screen, const struct timeline_row *row,
                           struct timeline_cell *cells);
void timeline_charts_readout(struct screen *screen, uint32_t chart, struct window column);
/* Where there are charts only: the height of the first in each of so many columns of a time, 0...4. */
void timeline_charts_minimap(struct screen *screen, struct window extent, uint8_t *levels, size_t columns);
/* NEXT, PREVIOUS, LONGEST (the highest) of a chart; false: none of these. */
bool timeline_charts_jump(struct screen *screen, uint32_t chart, enum action action);

/* The sentence in place of a chart, where there can be none; NULL: it is one. */
const char *timeline_chart_why(const struct screen *screen, uint32_t chart);
void timeline_chart_text(const struct screen *screen, char *text, size_t size_bytes); /* of the read-out */

#endif
