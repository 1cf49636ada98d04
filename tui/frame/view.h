/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A view: a table of functions over the screen. update reads new data and prepares the next frame; draw only
 * paints and changes nothing; act and mouse change the state. Each view has a file of its own, which ends
 * with its table, and a row in VIEW_LIST; the screen knows the view only through the table. Its state is at
 * screen->view_state[VIEW_...] and starts as all zeros.
 */
#ifndef TUI_FRAME_VIEW_H
#define TUI_FRAME_VIEW_H

#include "core/session/session.h"

#include "tui/terminal/canvas.h"
#include "tui/widgets/action.h"
#include "tui/widgets/layout.h"
#include "tui/widgets/list.h"
#include "tui/widgets/prompt.h"

#include <stdbool.h>

struct screen;
struct sheet_table;

/* Every view: its id and the name of its table, view_NAME. First the panes, in enum pane's order; then the
 * full views that are opened over them. */
#define VIEW_LIST(X)        \
    X(TIMELINE, timeline)   \
    X(KERNELS, kernels)     \
    X(PANEL, panel)         \
    X(WORKLOADS, workloads) \
    X(WATCH, watch)         \
    X(RUNS, runs)           \
    X(NOTICES, notices)     \
    X(HELP, help)           \
    X(OVERLAP, overlap)     \
    X(RANGE, range)         \
    X(LAB, lab)             \
    X(DEVICE, device)       \
    X(COMPARE, compare)     \
    X(CHART, chart)         \
    X(SOURCE, source)       \
    X(AMDAHL, amdahl)       \
    X(OCCUPANCY, occupancy) \
    X(LANE_MAP, lane_map)   \
    X(ROOFLINE, roofline)   \
    X(GLOSSARY, glossary)   \
    X(SHEET, sheet)         \
    X(PREDICT, predict)     \
    X(WHAT_IF, what_if)
#define VIEW_ENUM(id, name) VIEW_##id,
enum view_id { VIEW_LIST(VIEW_ENUM) VIEW_COUNT };
#undef VIEW_ENUM
_Static_assert((int)VIEW_PANEL == (int)PANE_PANEL && (int)VIEW_TIMELINE == (int)PANE_TIMELINE,
               "the panes are the first views");

enum view_flag {
    VIEW_REPLACES_PANES = 1, /* it takes the place of the panes, and cannot be closed */
    VIEW_OF_RANGE = 2,       /* it shows the time between the timeline's marks, if both are set */
    VIEW_OF_SESSION = 4,     /* it is closed when the session changes */
    VIEW_HAS_TIMELINE = 8    /* it contains the timeline, and chooses the run that is shown there */
};

/* Kinds of items that some view can show. */
enum view_item { ITEM_WORKLOAD, ITEM_METRIC, ITEM_RUN, ITEM_TERM, ITEM_SHEET, ITEM_LESSON_LINE, ITEM_COUNT };

/* What a key is about. */
struct subject {
    uint32_t kernel, run; /* NONE: none */
    uint32_t line;        /* of the source; 0: none is selected, NONE: the view has no lines */
    const char *workload; /* NULL: the run's workload */
};

/* A key and its meaning in a view. */
struct view_key {
    enum action action;
    const char *hint; /* what it does in the view, in a word; NULL: the action's hint */
    const char *name; /* "h l": two keys in one hint; NULL: the action's first key */
    const char *help; /* what it does in the view; NULL: the text of action_help_in */
    bool (*when)(const struct screen *screen); /* is it useful now? NULL: if the host supports it */
};

/* A view in room that the panes leave. */
struct view_beside {
    int order; /* from 1, as important as it is there */
    /* The lines inside its frame that it would use at this width for what is selected; 0: it has nothing to
     * show. NULL: it is never there. */
    int (*lines)(struct screen *screen, int width);
    void (*draw)(const struct screen *screen, struct canvas *canvas, struct rect area,
                 bool focus); /* NULL: the view's own update and draw */
};

struct view {
    const char *title;
    unsigned flags;        /* enum view_flag */
    enum action opened_by; /* the action that opens it from anywhere; ACTION_NONE: only other views open it */
    size_t state_bytes;

    /* All functions may be NULL except update and draw, and for a pane act and mouse. */

    /* The session changes (also to the first, or from the last): free what was prepared from the old one. */
    void (*forget)(struct screen *screen);
    /* The screen ends: free what forget does not free. */
    void (*fini)(struct screen *screen);
    /* Is it open at the start? NULL: no. */
    bool (*begins)(const struct screen *screen);

    void (*update)(struct screen *screen, struct rect area);
    void (*draw)(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus);
    /* Called between two frames: does a slice of work that takes longer than a frame. False: there was
     * nothing to do. */
    bool (*work)(struct screen *screen);

    /* Replaces screen_open for `opened_by`; shows a message if the view cannot be opened. */
    void (*open)(struct screen *screen);
    /* An action that the view handles even without the focus. False: not this one. */
    bool (*act_anywhere)(struct screen *screen, enum action action);
    /* With the focus: `act` handles an action; `key` handles a key before its action is looked up. False: not
     * handled. */
    bool (*act)(struct screen *screen, enum action action);
    bool (*key)(struct screen *screen, uint32_t key);
    void (*mouse)(struct screen *screen, const struct mouse *mouse, struct rect area);

    /* It has a table: what `act` and `key` leave are the table's actions (with FILTER, and SCALE, which copies the
     * chosen cell) and ESC in a row that is shown whole. Without `mouse` and `filter` they are the table's, too. */
    struct sheet_table *(*table)(const struct screen *screen);

    /* Its filter, of FILTER_SIZE bytes, and the function called when it has changed. NULL: no filter. */
    char *(*filter)(const struct screen *screen);
    void (*filtered)(struct screen *screen);
    /* A run has been started from the screen. */
    void (*run_started)(struct screen *screen);
    /* Selects a kernel in a list of kernels; show: clear the filter or choice that hides it. False: hidden.
     */
    bool (*select_kernel)(struct screen *screen, uint32_t kernel, bool show);

    /* Shows an item of a kind that belongs to this view, by its index; opens the view. A view that contains
     * the timeline shows runs in place. */
    void (*show[ITEM_COUNT])(struct screen *screen, uint32_t index);

    /* With the focus: changes the subject, which is initialised to the selected kernel and its run. */
    void (*subject)(const struct screen *screen, struct subject *subject);
    /* Has its picture a further step, which SPACE shows? In a lesson SPACE takes these first. text: that
     * step, "wavefront 3 of 32". NULL: it has none. */
    bool (*walks)(const struct screen *screen, char *text, size_t size_bytes);
    struct view_beside beside;
    /* The keys that key bar and help name first, the most important first; ends with ACTION_NONE. NULL: none.
     */
    const struct view_key *keys;
    /* Why it cannot be closed, "" for no message; NULL: it can be closed. */
    const char *(*stays)(const struct screen *screen);
    /* Does it show this warning or error itself, so that the status line need not? NULL: no. */
    bool (*says)(const struct screen *screen, const char *trouble);
    /* The view's text in the status line, whichever view has the focus; "": none. True: it is a warning. */
    bool (*status)(const struct screen *screen, char *text, size_t size_bytes);
};

#define VIEW_EXTERN(id, name) extern const struct view view_##name;
VIEW_LIST(VIEW_EXTERN)
#undef VIEW_EXTERN

/* Paints the frame of an area, if it is large enough, and returns the area left for the content. */
struct rect view_frame(struct canvas *canvas, struct rect area, const char *title, bool focus);
/* Paints into the lower line of a frame how many rows are above and below those on screen, if any. */
void view_frame_rows(struct canvas *canvas, struct rect area, int above, int below);
void view_frame_list(struct canvas *canvas, struct rect area, const struct list *list);
/* A view that is all table: the frame with the title, which gets the table's filter behind it, and in it what was
 * updated for view_inside(area). */
void view_table_draw(const struct screen *screen, struct canvas *canvas, struct rect area,
                     const struct sheet_table *table, const char *title, bool focus);
/* What the table of a view does with an action (false: nothing), and with the mouse. */
bool view_table_act(struct screen *screen, const struct view *view, enum action action);
void view_table_mouse(struct screen *screen, const struct view *view, const struct mouse *mouse);
char *view_filter(const struct screen *screen, const struct view *view); /* NULL: it has none */
/* The same rectangle without painting. */
struct rect view_inside(struct rect area);

/* By id, in tui/tui.c. It is passed to the screen, so that the screen's own files do not depend on any view. */
extern const struct view *const view_table[VIEW_COUNT];

#endif
