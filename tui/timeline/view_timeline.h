/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of the timeline: the window of time, its rows, and the cells that are prepared from them. struct
 * screen has the run that it shows. Only the files of the timeline change this state, except for its window
 * and cursor (timeline_show_run, timeline_cursor_to). Evicted events of the visible time are requested
 * (core/recording/readback/readback.h), and their state is described in words. The tui's thread.
 */
#ifndef TUI_TIMELINE_VIEW_TIMELINE_H
#define TUI_TIMELINE_VIEW_TIMELINE_H

#include "core/recording/readback/readback.h"
#include "core/session/lod.h"
#include "core/session/session.h"
#include "tui/frame/host.h"
#include "tui/frame/screen.h"
#include "tui/timeline/timeline.h"
#include "tui/timeline/timeline_charts.h"
#include "tui/timeline/timeline_ribbon.h"
#include "tui/widgets/axis.h"
#include "tui/widgets/list.h"

#include <stdbool.h>
#include <stddef.h>

struct screen;

/* The critical path of the run shown, made beside the screen (tui/frame/host.h). */
struct timeline_path {
    bool shown, pending; /* pending: the question is with the host */
    bool known;          /* the line is of `run`, perhaps of a time that was shown before */
    uint32_t run;
    struct tui_what_if_question question;
    char why[160]; /* why there is none, as a sentence; "": there is */
    struct replay_line line;
};
/* Asks for the path in the time shown, if it is not known, or takes the answer; true: it has asked or waits. */
bool timeline_path_ask(struct screen *screen);
void timeline_path_switch(struct screen *screen);
/* Marks the cells of the rows on screen, and draws the parts on a line of their own (negative: there is none). */
void timeline_path_draw(const struct screen *screen, struct canvas *canvas, int x, int rows, int line);

struct detail {
    struct readback_state state;
    uint64_t changes;   /* of the read-back: when it grows, everything made from events is made again */
    struct window told; /* the range for which the failure to read was last shown */
};

/* Call before the timeline's cells are made: restores the events that were read, and requests those of the
 * visible time. */
void detail_look(struct screen *screen);
/* The place of the single events of the visible time, as words that follow "are": "being read from the
 * recording". */
const char *detail_where(const struct screen *screen);
/* A short text for the status line; "": nothing was evicted, or all visible events are in memory. True: they
 * cannot be read. */
bool detail_status(const struct screen *screen, char *text, size_t size_bytes);

#define TIMELINE_OPEN_MAX 64

enum cell_shape {
    CELL_EMPTY,
    CELL_FULL,
    CELL_LEFT,  /* filled from the left edge to `eighths` */
    CELL_RIGHT, /* filled from the right edge */
    CELL_SPLIT, /* two events: `color` to `eighths`, `color2` from there on */
    CELL_LEVEL, /* several events folded into the cell: busy for `eighths` of the time */
    CELL_OPEN,  /* a launch that has not ended */
    CELL_DASH,  /* of a chart that has too few samples for a fill: at their height */
    CELL_CHART  /* of a chart: filled from the bottom to `eighths`; mark '\'': the highest sample ends here,
                    '_': 0, '|': a sample begins, if samples are sparse */
};

#define OWNER_HEADING 15u /* not used as owner by any event */
struct timeline_cell {
    uint8_t shape, eighths, color, color2;
    uint32_t count;         /* events that begin in it */
    char mark;              /* a kernel's letter, '>' to the device, '<' to the host, ... */
    uint32_t owner;         /* equal for cells of the same event or name */
    struct event_ref event; /* the longest event here */
};

struct timeline_readout { /* the event under the cursor */
    bool found, exact;    /* exact: the event starts at the cursor, even if it is not the longest */
    uint32_t track;
    uint64_t count; /* events that start in the cursor's column */
    int64_t busy_ns, column_ns;
    struct event_ref event; /* the longest of them */
    int64_t start_ns, end_ns;
    struct item item;
    struct timeline_chart_readout chart;
    double streams, engines; /* of a heading: streams and copy engines busy on average */
};

#define ZOOM_HISTORY_MAX 32
struct timeline {
    struct window window, history[ZOOM_HISTORY_MAX];
    struct window undone[ZOOM_HISTORY_MAX]; /* windows that can be restored after going back */
    int history_count, undone_count;
    bool fitted, follow, cpu_rows;
    bool session_time;        /* times count from the start of the session, not of the run */
    bool follow_whole;        /* following, and everything fits into the window */
    bool settled;             /* following, but the run shown has ended: all of it is shown, and */
    struct window settled_on; /* ... this was its extent; the rest of a recording may not be loaded yet */
    int drag_x;
    bool drag_pans; /* else dragging marks a range */
    struct window drag_window;
    int64_t cursor_ns;
    struct window extent; /* of all work of the run shown */
    int64_t origin_ns;    /* start of that work, whether or not the CPU's rows are shown */
    struct list rows_list;
    struct row_choices choices[ROW_KIND_COUNT];
    struct timeline_groups groups;
    struct timeline_filter filter, find; /* the filter of events, and the search */
    int64_t mark_ns[2];                  /* the range is between them */
    bool marked[2];
    uint32_t select_track; /* selected as soon as it has a row; NONE: none */
    uint32_t select_group; /* the same for a heading or chart, of select_kind */
    uint8_t select_kind;
    struct timeline_charts charts;
    struct ribbon ribbon;
    struct race race;
    bool wants_ribbon, has_ribbon;
    struct detail detail; /* state of events that were evicted from memory */
    /* prepared by update */
    struct timeline_row *rows;
    size_t row_capacity;
    int pinned, hidden; /* rows kept at the top; hidden tracks */
    int columns, label_width, cell_rows;
    struct timeline_cell *cells; /* cell_rows x columns, of the rows from rows_list.top on */
    size_t cell_capacity;
    struct lod_column *scratch; /* for `columns` columns, or 2 x `columns` for the minimap */
    size_t scratch_capacity;
    bool overview;    /* the minimap has a line: if only a part of the run is shown, or a line is free */
    uint8_t *minimap; /* 2 x columns, 0...4 */
    struct window minimap_extent; /* the extent that it was made for */
    uint64_t minimap_events;
    int minimap_columns;
    size_t minimap_tracks; /* number of tracks and charts */
    uint32_t minimap_run;
    int64_t minimap_ms;
    size_t minimap_capacity;
    struct timeline_readout readout;
    struct timeline_link link;
    struct timeline_path path;
    struct open_launch open[TIMELINE_OPEN_MAX];
    size_t open_count;
};

static inline struct timeline *timeline_state(const struct screen *screen)
{
    return screen->view_state[VIEW_TIMELINE];
}

/* ---- drawing ---- */
struct timeline_parts { /* lines of the pane; -1 if there is no room */
    struct rect inside;
    int ribbon, race, axis, rows, row_count, minimap, readout;
};
struct timeline_parts timeline_parts_of(const struct timeline *timeline, struct rect area);
void timeline_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus);
void timeline_draw_label(const struct screen *screen, struct canvas *canvas, int x, int y,
                         const struct timeline_row *row, bool selected);
void timeline_paint_row(const struct screen *screen, struct canvas *canvas, int x, int y,
                        const struct timeline_row *row, const struct timeline_cell *cells);
void timeline_forget(struct screen *screen);
/* Shows this time with a quarter of it on either side, the cursor at its start; `u` goes back. */
void timeline_zoom_to(struct screen *screen, int64_t start_ns, int64_t end_ns);
void timeline_show_run(struct screen *screen, uint32_t run);
/* Does the window move with the newest events? No longer once the run shown has ended: then all of it is
 * shown. */
bool timeline_follows(const struct screen *screen);
void timeline_rows_make(struct screen *screen, int height); /* rows and their list */
/* The number of CPU tracks of the run with events; 0 if they are not shown. *first: one of them, NONE. */
uint32_t timeline_cpu_tracks(const struct screen *screen, uint32_t *first);
void timeline_cells_make(struct screen *screen); /* cells, minimap and read-out */
struct window timeline_extent(const struct screen *screen);
/* The time between the marks, in either order; without marks the visible time. */
struct window timeline_range(const struct timeline *timeline, bool *marked);
/* lod_query for the events that are shown. */
void timeline_query(struct screen *screen, uint32_t track, uint32_t lane, struct window window,
                    struct lod_column *columns, size_t count);
void timeline_item_look(const struct screen *screen, const struct item *item, struct timeline_cell *cell);
void timeline_item_text(const struct screen *screen, const struct item *item, int64_t duration_ns, char *text,
                        size_t size_bytes);
/* Where evicted events are: "in the recording". */
const char *timeline_detail_text(const struct screen *screen);
/* The kernel of a launch or a replay; NONE: another kind of event, or the kernel is not known. */
uint32_t timeline_item_kernel(const struct session *session, const struct item *item);
/* The name alone: "copy host to device". */
void timeline_item_name(const struct screen *screen, const struct item *item, char *text, size_t size_bytes);
/* A number that is equal for events of the same name. */
uint64_t timeline_name_of(const struct session *session, const struct item *item);

#endif
