/*
 * The race: under the ribbon of a session that is or was live, a bar per run for the same work as the run
 * shown, in their order, by the device time; the run in progress is the last, hatched. How many times as long
 * as the best of them a run took stands beside it (core/analysis/run_times.h); a bound is not compared. Part
 * of the timeline's state; the tui's thread.
 */
#ifndef TUI_TIMELINE_TIMELINE_RACE_H
#define TUI_TIMELINE_TIMELINE_RACE_H

#include "tui/terminal/canvas.h"

#include <stdbool.h>
#include <stdint.h>

struct screen;

#define RACE_LINES_MAX 8

struct race_line {
    uint32_t run;
    int64_t device_ns; /* of one that is open: so far; 0: not known */
    double times;      /* run_best_of; 0: not compared */
    bool bound, open;  /* open: it runs, or was cut off */
};

struct race {
    struct race_line lines[RACE_LINES_MAX];
    int count, wanted; /* lines shown, and those that there would be in a taller pane */
    bool was_live;
};

/* Collects at most as many lines as the screen's height has room for, and as `most`; without another run to
 * compare there are none. Called after ribbon_collect. */
void race_collect(struct screen *screen, int most);
void race_draw(const struct screen *screen, struct canvas *canvas, struct rect area);
/* Shows the run of a line. */
void race_click(struct screen *screen, int line);

#endif
