/*
 * How the columns of a chart look: a hue for each counter, in three tones. Pure functions of the columns. Any
 * thread.
 */
#ifndef TUI_TIMELINE_CHART_LOOK_H
#define TUI_TIMELINE_CHART_LOOK_H

#include "tui/timeline/timeline_charts.h"

/* Of STYLE_COUNTER_COLORS: the same for a title in every session. */
uint8_t chart_hue(const char *title);
/* Which charts are seen where not all have room: 1...CHART_RANKS, first that of what the rule of advice
 * speaks of; 0: none of them. rule: its id, or "". */
unsigned chart_rank(const char *title, const char *rule);
#define CHART_RANKS 6
/* How many eighths of `lines` lines a value fills: what is above nothing is seen, and the highest leaves one
 * blank, so that the row above lies apart. */
int chart_eighths(double value, double scale, int lines);
/* The cells of a line of the chart: `count` columns. */
void chart_cells(const struct timeline_chart *chart, const struct timeline_row *row,
                 const struct sample_column *columns, int count, struct timeline_cell *cells);

#endif
