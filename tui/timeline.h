/*
 * What the user has chosen on the timeline: which rows are folded, hidden, pinned or moved, which events are
 * shown at all, and how an API call and the work it asked for hang together. Part of the screen's state; the
 * tui's thread.
 */
#ifndef TUI_TIMELINE_H
#define TUI_TIMELINE_H

#include "core/session.h"

#include "tui/action.h"
#include "tui/prompt.h"

#define FILTER_SIZE PROMPT_SIZE

struct screen;

/* ---- rows ---- */
enum track_fold { FOLD_USUAL, FOLD_FOLDED, FOLD_UNFOLDED };

struct track_choice { /* by track; all zeros: nothing was chosen */
    uint64_t order;   /* 0: where tracks of its kind lie */
    uint8_t fold;     /* enum track_fold */
    bool hidden, pinned;
};

/* Unfolded, a track has a row for each of its lanes: ranges one for each depth. */
bool timeline_is_unfolded(const struct screen *screen, uint32_t track);
/* The row of a line of the pane: pinned rows stay at the top. -1: none. */
int timeline_row_of_line(const struct screen *screen, int line);
/* FOLD, HIDE, SHOW_HIDDEN, ROW_UP, ROW_DOWN, PIN of the selected row. */
bool timeline_choose(struct screen *screen, enum action action);

/* ---- filter ---- */
struct timeline_filter {
    char text[FILTER_SIZE]; /* as typed; "": all events are shown */
    char name[FILTER_SIZE]; /* part of the name; "": any */
    char counter[FILTER_SIZE]; /* part of a chart's title; "": any */
    int64_t least_ns;
    uint32_t stream;            /* NONE: all */
    uint8_t *kernels, *strings; /* by id: 0 not looked at yet, 1 no, 2 yes */
    size_t kernel_capacity, string_capacity;
};

/* "gemm >10us stream=13 counter=dram": words that are none of the three latter are parts of the name. False: it cannot be
 * read, the filter stays as it was, and error has the sentence. */
bool timeline_filter_set(struct timeline_filter *filter, const char *text, struct error *error);
void timeline_filter_fini(struct timeline_filter *filter);
/* Is the chart of this title shown? */
bool timeline_filter_keeps_chart(const struct timeline_filter *filter, const char *title);
bool timeline_filter_keeps_track(const struct timeline_filter *filter, const struct track_row *track);
/* Is it shown? Looks names up once each. */
bool timeline_keeps(struct screen *screen, const struct item *item, int64_t duration_ns);

/* ---- jumps and links ---- */
struct timeline_link { /* an API call and what it asked for */
    bool found;
    uint32_t call_track; /* NONE: the thread's calls have no track */
    struct event_ref work;
    int64_t call_start_ns, call_end_ns, start_ns, end_ns; /* of the call, of the work */
};

/* From the event that was read out. */
struct timeline_link timeline_link_of(const struct screen *screen);
/* Keep a bookmark at the cursor; says what became of it. */
void timeline_bookmark(struct screen *screen, const char *text);
/* The bookmark in the cursor's column; NULL: none. */
const struct bookmark_row *timeline_bookmark_here(const struct screen *screen);
/* NEXT, PREVIOUS, LONGEST, SAME_NEXT, SAME_PREVIOUS, OTHER_END,
 * BOOKMARK_NEXT, BOOKMARK_PREVIOUS. */
bool timeline_jump(struct screen *screen, enum action action);
/* Put the cursor at a time, and bring it on screen. */
void timeline_cursor_to(struct screen *screen, int64_t time_ns);

#endif
