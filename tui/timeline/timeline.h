/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The user's choices on the timeline: rows that are folded, hidden, pinned or moved, the filter of events,
 * and the connection between an API call and the work that it issued. Part of the screen's state; the tui's
 * thread.
 */
#ifndef TUI_TIMELINE_TIMELINE_H
#define TUI_TIMELINE_TIMELINE_H

#include "core/session/session.h"

#include "tui/widgets/action.h"
#include "tui/widgets/prompt.h"

struct screen;

/* ---- rows ---- A process has its ranges, its devices and its CPU threads; a device has its streams, engines
 * and charts. Each device has a heading row, and so has each process if there are several. */
enum row_kind { ROW_TRACK, ROW_DEVICE, ROW_PROCESS, ROW_KIND_COUNT, ROW_CHART = ROW_KIND_COUNT };
enum row_fold { FOLD_USUAL, FOLD_FOLDED, FOLD_UNFOLDED };

struct row_choice { /* all zeros: the user chose nothing */
    uint64_t order; /* among rows of the same kind; 0: the usual place */
    uint8_t fold;   /* enum row_fold */
    bool hidden, pinned;
};
struct row_choices { /* by track, device or process; a chart keeps its own choice */
    struct row_choice *list;
    size_t count, capacity;
};

struct timeline_row {
    uint64_t place[3];    /* rows are sorted by these: of the process, of the part or device, of the track */
    uint32_t track, lane; /* NONE for a heading; lane NONE: all lanes, folded */
    uint32_t group;       /* device or process of a heading */
    uint32_t chart;       /* NONE: the row is not part of a chart */
    uint64_t events;      /* that start in the window */
    uint8_t line, lines;  /* of a chart, counted from the top */
    uint8_t kind;         /* enum row_kind */
    uint8_t depth;        /* number of headings above it */
    bool pinned, folded;  /* folded: a heading whose rows are not shown */
};

static inline bool timeline_is_heading(const struct timeline_row *row)
{
    return row->kind == ROW_DEVICE || row->kind == ROW_PROCESS;
}

/* A track that is shown in its own row or in the row of a folded heading. */
struct timeline_member {
    uint32_t track, device, process; /* device NONE: a track of the CPU */
    bool added;                      /* its times are added to the sums of this frame */
};

struct timeline_sum {
    int64_t busy_ns, most_ns; /* of all streams; of the busiest stream, whose colour is shown */
    uint8_t color;
};

struct timeline_groups {
    struct timeline_member *members; /* by track */
    size_t count, capacity;
    struct timeline_sum *sums; /* for each heading on screen and each column */
    size_t sum_capacity;
    uint8_t *devices, *processes; /* whether they have a heading */
    size_t device_capacity, process_capacity;
    bool many_processes;
};

/* Is there a row for each lane of the track? For ranges, a lane is a depth of nesting. */
bool timeline_is_unfolded(const struct screen *screen, uint32_t track);
/* The row of a line of the pane: pinned rows stay at the top. -1: none. */
int timeline_row_of_line(const struct screen *screen, int line);
/* Handles FOLD, HIDE, SHOW_HIDDEN, ROW_UP, ROW_DOWN, PIN for the selected row. */
bool timeline_choose(struct screen *screen, enum action action);
struct row_choice timeline_choice_of(const struct screen *screen, enum row_kind kind, uint32_t id);

/* Fills in the row's place for a track; and whether the track is inside a folded heading. */
void timeline_place(const struct screen *screen, uint32_t track, struct timeline_row *row);
bool timeline_is_folded_away(const struct screen *screen, uint32_t device, uint32_t process);
/* The same for a chart of a device and a process. */
void timeline_place_chart(const struct screen *screen, uint32_t device, uint32_t process,
                          const struct row_choice *choice, uint64_t order, struct timeline_row *row);
/* Appends the headings of all members to `count` rows; returns the new count. */
size_t timeline_headings_add(struct screen *screen, size_t count);
bool timeline_row_has(const struct timeline_row *row, const struct timeline_member *member);
/* The process of the row; NONE: no process that is shown. */
uint32_t timeline_process_of(const struct screen *screen, const struct timeline_row *row);
/* "GPU 0, H200", "stream 13, context 2"; alone: for a place where the row's headings are not above it. */
void timeline_row_name(const struct screen *screen, const struct timeline_row *row, bool alone, char *text,
                       size_t size_bytes);
void timeline_track_name(const struct screen *screen, uint32_t track, bool alone, char *text,
                         size_t size_bytes);

/* Sums for the headings on screen: begin, then add each track that is queried for its own row, then end,
 * which queries the others. */
struct timeline_cell;
struct lod_column;
void timeline_sums_begin(struct screen *screen);
void timeline_sums_add(struct screen *screen, uint32_t track, const struct lod_column *columns,
                       const struct timeline_cell *cells, bool last);
void timeline_sums_end(struct screen *screen);
void timeline_groups_fini(struct timeline_groups *groups);

/* ---- filter ---- */
struct timeline_filter {
    char text[FILTER_SIZE];    /* as typed; "": all events are shown */
    char name[FILTER_SIZE];    /* part of the name; "": any */
    char counter[FILTER_SIZE]; /* part of a chart's title; "": any */
    int64_t least_ns;
    uint32_t stream;            /* NONE: all */
    uint8_t *kernels, *strings; /* by id: 0 not looked at yet, 1 no, 2 yes */
    size_t kernel_capacity, string_capacity;
};

/* Parses "gemm >10us stream=13 counter=dram": words that are none of the last three forms are parts of the
 * name. False: it cannot be parsed; the filter stays unchanged and `error` is filled. */
bool timeline_filter_set(struct timeline_filter *filter, const char *text, struct error *error);
void timeline_filter_fini(struct timeline_filter *filter);
/* Does the filter keep the chart with this title? The track? */
bool timeline_filter_keeps_chart(const struct timeline_filter *filter, const char *title);
bool timeline_filter_keeps_track(const struct timeline_filter *filter, const struct track_row *track);
/* Does the event match the filter? Looks up each name once. */
bool timeline_filter_keeps(const struct screen *screen, struct timeline_filter *filter,
                           const struct item *item, int64_t duration_ns);
/* Is the event shown? */
bool timeline_keeps(struct screen *screen, const struct item *item, int64_t duration_ns);

/* ---- jumps and links ---- */
struct timeline_link { /* an API call and the work that it issued */
    bool found;
    uint32_t call_track; /* NONE: the thread's calls have no track */
    struct event_ref work;
    int64_t call_start_ns, call_end_ns, start_ns, end_ns; /* of the call and of the work */
};

/* The link of the event at the cursor. */
struct timeline_link timeline_link_of(const struct screen *screen);
/* Adds a bookmark at the cursor and shows a message. */
void timeline_bookmark(struct screen *screen, const char *text);
/* The bookmark in the cursor's column; NULL: none. */
const struct bookmark_row *timeline_bookmark_here(const struct screen *screen);
/* Goes to the next event that matches the search; shows a message if there is none. */
void timeline_find(struct screen *screen, bool forward);
/* Handles NEXT, PREVIOUS, LONGEST, SAME_NEXT, SAME_PREVIOUS, OTHER_END, BOOKMARK_NEXT, BOOKMARK_PREVIOUS. */
bool timeline_jump(struct screen *screen, enum action action);
/* Moves the cursor to a time, and pans the window so that it is on screen. */
void timeline_cursor_to(struct screen *screen, int64_t time_ns);

#endif
