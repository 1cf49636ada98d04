/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the columns of a chart look: a hue for each counter, in three tones. Pure functions of the columns. Any
 * thread.
 */
#ifndef TUI_TIMELINE_CHART_LOOK_H
#define TUI_TIMELINE_CHART_LOOK_H

#include "tui/timeline/timeline_charts.h"

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
