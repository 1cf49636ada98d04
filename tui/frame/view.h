/*
 * A view: a table of functions over the screen's state. update takes in what is new and prepares what will be
 * drawn; draw only paints and changes nothing; act and mouse change the state. A file view_NAME.c ends with
 * its table.
 */
#ifndef TUI_FRAME_VIEW_H
#define TUI_FRAME_VIEW_H

#include "tui/terminal/canvas.h"
#include "tui/widgets/action.h"
#include "tui/widgets/layout.h"

#include <stdbool.h>

struct screen;

struct view {
    const char *title;
    void (*update)(struct screen *screen, struct rect area);
    void (*draw)(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus);
    /* A slice of what takes longer than a frame, between two of them; false: there was nothing to do. NULL:
     * none */
    bool (*work)(struct screen *screen);
    bool (*act)(struct screen *screen, enum action action); /* false: not for this view. NULL: none */
    bool (*key)(struct screen *screen,
                uint32_t key); /* before it is looked up; false: not taken. NULL: none */
    void (*mouse)(struct screen *screen, const struct mouse *mouse, struct rect area); /* NULL: none */
};

extern const struct view view_timeline, view_kernels, view_panel; /* the panes */
/* Full views, opened over the panes. */
extern const struct view view_workloads, view_runs, view_notices, view_help, view_overlap, view_range,
    view_lab, view_device, view_compare, view_chart, view_source, view_amdahl, view_occupancy, view_lane_map,
    view_watch, view_roofline;

/* Paint the frame of an area, if it is large enough to have one, and give what is left for the content. */
struct rect view_frame(struct canvas *canvas, struct rect area, const char *title, bool focus);
/* The same rectangle without painting. */
struct rect view_inside(struct rect area);

#endif
