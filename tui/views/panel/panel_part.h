/*
 * The panel of the copies of a run, or of its idle time of one cause: what the time is made of, and rows that
 * can be shown on the timeline (the longest copy of each kind, the longest idle times). The tui's thread.
 */
#ifndef TUI_VIEWS_PANEL_PANEL_PART_H
#define TUI_VIEWS_PANEL_PANEL_PART_H

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

#endif
