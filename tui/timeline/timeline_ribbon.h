/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ribbon: the runs of the session by name, one beside the other, in a line above the timeline: which have
 * ended, with their mark, which one runs, how far it is, and which wait. A click or a key chooses one.
 *
 * The race: under the ribbon of a session that is or was live, a bar per run for the same work as the run
 * shown, in their order, by the device time; the run in progress is the last, hatched. How many times as long
 * as the best of them a run took stands beside it (core/analysis/run_times.h); a bound is not compared. Both
 * are part of the timeline's state; the tui's thread.
 */
#ifndef TUI_TIMELINE_TIMELINE_RIBBON_H
#define TUI_TIMELINE_TIMELINE_RIBBON_H

#include "core/session/session.h"
#include "tui/frame/run_names.h"
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

struct screen;

#define RIBBON_NAME_BYTES 120
#define RIBBON_SHOWN_MAX 64

struct ribbon_item {
    int x, width;
    uint32_t run; /* NONE: it waits */
    char name[RIBBON_NAME_BYTES];
};

struct ribbon {
    uint32_t *runs; /* of workloads, traced, in their order */
    uint32_t count, capacity, seen;
    uint32_t waiting, done; /* runs that wait; of the request, those that have begun */
    struct run_names names; /* of `runs` */
    struct ribbon_item items[RIBBON_SHOWN_MAX];
    int shown;
    uint32_t before, after; /* number of runs that have no room */
};

/* Collects the runs; returns whether the pane should have a line for the ribbon. */
bool ribbon_collect(struct screen *screen);
#define RIBBON_LINES_LEAST 4 /* lines inside the pane from which on it has one */
/* Places the names around the run shown in a line of this width. */
void ribbon_place(struct screen *screen, int width);
void ribbon_draw(const struct screen *screen, struct canvas *canvas, struct rect line);
/* Shows a run in all views, with its main kernel. */
void ribbon_show_run(struct screen *screen, uint32_t run);
/* Shows the previous or next run; a message if there is none. */
void ribbon_step(struct screen *screen, int by);
void ribbon_click(struct screen *screen, int x);
void ribbon_fini(struct ribbon *ribbon);

#endif
