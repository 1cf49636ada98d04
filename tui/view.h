/*
 * A view: a table of functions over the screen. update takes in what is new and prepares what will be drawn;
 * draw only paints and changes nothing; act and mouse change the state. A view has a file of its own, which
 * ends with its table, and a row in VIEW_LIST; the screen knows it only through the table. Its state lies at
 * screen->view_state[VIEW_...], all zeros at first.
 */
#ifndef TUI_VIEW_H
#define TUI_VIEW_H

#include "core/session.h"

#include "tui/action.h"
#include "tui/canvas.h"
#include "tui/layout.h"
#include "tui/prompt.h"

#include <stdbool.h>

struct screen;

/* Every view: its id and the name of its table, view_NAME. First the panes, in enum pane's order; then the
 * full views that are opened over them. A session begins with the first that says so (begins). */
#define VIEW_LIST(X)         \
    X(TIMELINE, timeline)    \
    X(KERNELS, kernels)      \
    X(PANEL, panel)          \
    X(WORKLOADS, workloads)  \
    X(WATCH, watch)          \
    X(RUNS, runs)            \
    X(NOTICES, notices)      \
    X(HELP, help)            \
    X(OVERLAP, overlap)      \
    X(RANGE, range)          \
    X(LAB, lab)              \
    X(DEVICE, device)        \
    X(COMPARE, compare)      \
    X(CHART, chart)          \
    X(SOURCE, source)        \
    X(AMDAHL, amdahl)        \
    X(OCCUPANCY, occupancy)  \
    X(LANE_MAP, lane_map)    \
    X(ROOFLINE, roofline)
#define VIEW_ENUM(id, name) VIEW_##id,
enum view_id { VIEW_LIST(VIEW_ENUM) VIEW_COUNT };
#undef VIEW_ENUM
_Static_assert((int)VIEW_PANEL == (int)PANE_PANEL && (int)VIEW_TIMELINE == (int)PANE_TIMELINE, "the panes are the first views");

enum view_flag {
    VIEW_REPLACES_PANES = 1, /* the session has nothing that the panes could show: it is not closed */
    VIEW_OF_RANGE = 2,       /* shows the marked time, if any, where the timeline shows its window */
    VIEW_OF_SESSION = 4      /* closed when another session comes */
};

/* What a key is about. */
struct subject {
    uint32_t kernel, run; /* NONE: none */
    uint32_t line;        /* of the source; NONE: the view has no lines, 0: none of them */
    const char *workload; /* NULL: that of the run */
};

struct view {
    const char *title;
    unsigned flags;          /* enum view_flag */
    enum action opened_by;   /* from anywhere; ACTION_NONE: other views open it */
    size_t state_bytes;

    /* A new session, also the first, or the end: what was prepared of the one before goes. NULL: nothing is */
    void (*forget)(struct screen *screen);
    void (*fini)(struct screen *screen);         /* frees what forget does not. NULL: there is nothing */
    bool (*begins)(const struct screen *screen); /* Is a session that is opened shown in it? NULL: no */

    void (*update)(struct screen *screen, struct rect area);
    void (*draw)(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus);
    /* A slice of what takes longer than a frame, between two of them; false: there was nothing to do. NULL:
     * none */
    bool (*work)(struct screen *screen);

    /* In place of screen_open, when `opened_by` is pressed: may say why it cannot be. NULL: it always can */
    void (*open)(struct screen *screen);
    /* What it does whatever has the keys; false: nothing. NULL: none */
    bool (*act_anywhere)(struct screen *screen, enum action action);
    bool (*act)(struct screen *screen, enum action action); /* false: not for this view. NULL: none */
    bool (*key)(struct screen *screen,
                uint32_t key); /* before it is looked up; false: not taken. NULL: none */
    void (*mouse)(struct screen *screen, const struct mouse *mouse, struct rect area); /* NULL: none */

    char *(*filter)(struct screen *screen);    /* of FILTER_SIZE bytes. NULL: there is none */
    void (*filtered)(struct screen *screen);   /* it has changed. NULL: the next update is soon enough */
    void (*run_started)(struct screen *screen); /* a run has been asked for. NULL: all the same */
    /* Make a kernel the selected one; show: even if a filter or a chosen run hides it, which goes. False: it
     * is hidden. NULL: nothing is selected here */
    bool (*select_kernel)(struct screen *screen, uint32_t kernel, bool show);

    /* Change what a key is about, as long as the view has the keys. NULL: it is the selected kernel */
    void (*subject)(const struct screen *screen, struct subject *subject);
    /* Is the action worth naming among the key hints while the view has the keys? NULL: view_offers */
    bool (*offers)(const struct screen *screen, enum action action);
    /* What the key does here; NULL: what the table of actions says */
    const char *(*hint)(const struct screen *screen, enum action action);
    /* Why it cannot be closed at the moment, "" without words; NULL: it can */
    const char *(*stays)(const struct screen *screen);
    /* For the status line, "" for nothing; true: a warning. NULL: nothing ever */
    bool (*status)(const struct screen *screen, char *text, size_t size_bytes);
};

#define VIEW_EXTERN(id, name) extern const struct view view_##name;
VIEW_LIST(VIEW_EXTERN)
#undef VIEW_EXTERN

/* What every full view offers: what is about no rows, no time and no other pane. */
bool view_offers(enum action action);

/* Paint the frame of an area, if it is large enough to have one, and give what is left for the content. */
struct rect view_frame(struct canvas *canvas, struct rect area, const char *title, bool focus);
/* The same rectangle without painting. */
struct rect view_inside(struct rect area);

#endif
