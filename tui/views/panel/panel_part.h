/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The panel of the copies of a run, or of its idle time of one cause: what the time is made of, and rows that
 * can be shown on the timeline (the longest copy of each kind, the longest idle times). The tui's thread.
 */
#ifndef TUI_VIEWS_PANEL_PANEL_PART_H
#define TUI_VIEWS_PANEL_PANEL_PART_H

#include "core/metric/metric.h"
#include "tui/terminal/canvas.h"
#include "tui/widgets/action.h"

#include <stdbool.h>

struct screen;

/* Is such a row of the list of kernels selected, and its run's partition known? */
bool panel_shows_part(const struct screen *screen);
void panel_part_update(struct screen *screen, struct rect area);
void panel_part_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus);
/* Moves among the rows; ENTER shows the selected one on the timeline. */
bool panel_part_act(struct screen *screen, enum action action);
void panel_part_mouse(struct screen *screen, const struct mouse *event, struct rect area);

struct copy_times;
/* Paints a heading and a row for each kind of copy. Returns the lines painted. */
int panel_part_draw_copies(const struct copy_times *copies, struct canvas *canvas, struct rect area);
/* The same for the longest idle times of the run, of any cause. */
int panel_part_draw_gaps(const struct screen *screen, struct canvas *canvas, struct rect area);

/*
 * The lines above a kernel's metrics: the advice on it and on its run, and its launch shape.
 */
struct panel;
struct screen;

/* The lines for the problem of the kernel's run; 0: no problem is known. */
int panel_head_run_lines(const struct panel *panel, int width);
void panel_head_draw_run(const struct panel *panel, struct canvas *canvas, struct rect lines);

/* The first advice, a sentence; 0: there is no advice. */
int panel_head_advice_lines(const struct panel *panel, int width);
void panel_head_draw_advice(const struct panel *panel, struct canvas *canvas, struct rect lines);

/* What to do about it. */
int panel_head_next_lines(const struct panel *panel, int width);
void panel_head_draw_next(const struct panel *panel, struct canvas *canvas, struct rect lines);

/* The other advice, a line each. */
int panel_head_more_lines(const struct panel *panel);
void panel_head_draw_more(const struct panel *panel, struct canvas *canvas, struct rect lines);

void panel_head_draw_shape(const struct screen *screen, struct canvas *canvas, struct rect line);

/*
 * The description of one metric of a kernel: its meaning, which direction is better, its lesson, its formula
 * and counters, the number of launches, and why a column has no value. The most important parts come first,
 * as many as fit the area.
 */
struct panel;
struct panel_reason;
struct screen;

/* cut: the metric's row does not show its whole name. */
void panel_detail_draw(const struct screen *screen, struct canvas *canvas, struct rect area,
                       enum metric metric, bool cut);

/* Lists the metrics that have no value for this reason. */
void panel_detail_draw_reason(const struct panel *panel, struct canvas *canvas, struct rect area,
                              const struct panel_reason *reason);

/*
 * The panel of a run: its problems and what to do about them, how its time was spent, and how much of its
 * copies is hidden by kernels. The tui's thread.
 */
struct screen;

/* Should the run be shown? Yes if it was selected, or if none of its kernels can be. */
bool panel_shows_run(const struct screen *screen);
/* Computes what the run's kernels could gain. */
void panel_run_update(struct screen *screen);
/* The lines of its content at this width. */
int panel_run_lines(const struct screen *screen, int width);
void panel_run_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus);

/*
 * The basis of a kernel's verdict: the numbers of the first advice as bars, actual above ideal; the source
 * line that it is about; and gauges of the units that limit kernels. The number of lines of each part is
 * requested before it is drawn. The tui's thread.
 */
struct panel;
struct run_verdict;
struct session;

/* One line for each number of the first advice; 0: there is no problem, or nothing was counted. */
int panel_card_why_lines(const struct panel *panel, int width);
void panel_card_draw_why(const struct panel *panel, struct canvas *canvas, struct rect lines);

/* Finds the text of the line that the first advice names. */
void panel_card_find_line(struct panel *panel, const struct session *session);
void panel_card_draw_line(const struct panel *panel, struct canvas *canvas, struct rect line);

/* The lines of the gauges that have a value, two gauges in a line if they fit. */
int panel_card_gauge_lines(const struct panel *panel, int width);
void panel_card_draw_gauges(const struct panel *panel, struct canvas *canvas, struct rect lines);

/* Draws only the gauge of a run's copies; false: the run has none. */
bool panel_card_draw_overlap(const struct run_verdict *verdict, struct canvas *canvas, int x, int y,
                             int cells);

#endif
