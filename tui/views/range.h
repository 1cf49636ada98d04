/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics of a time range: for each name among the rows that the timeline shows, the number of events and
 * their times. Walks the events of the range once, RANGE_SLICE at a time: the first slice when the statistics
 * are requested, the others between frames. They cover the events that existed at the time of the request. If
 * only new events have arrived, the old statistics are shown until the new ones are ready. The tui's thread.
 */
#ifndef TUI_VIEWS_RANGE_H
#define TUI_VIEWS_RANGE_H

#include "core/session/session.h"

#include "tui/frame/screen.h"
#include "tui/widgets/axis.h"
#include "tui/widgets/sheet_table.h"

struct range_item {
    uint64_t name; /* timeline_name_of */
    char mark;     /* as on the timeline */
    uint8_t color, kind;
    char text[96];
    uint32_t kernel;          /* of a launch or replay: its short name is shown; NONE */
    uint64_t events;          /* events that overlap the range */
    int64_t total_ns;         /* time of their parts in the range; times of concurrent events are added */
    int64_t min_ns, max_ns;   /* of whole events */
    double sum_ns;            /* of whole events */
    uint64_t bytes;           /* of copies and sets, counted whole */
    struct event_ref longest; /* the first of the longest events */
};

#define RANGE_SLICE UINT64_C(32768) /* events, about 3 ms */

/* By their names. */
struct range_items {
    struct range_item *items;
    size_t count, capacity;
    uint32_t *slots; /* 1 + an item's index, 0: free; NULL: no longer needed */
    size_t slot_count;
    uint64_t folded; /* events that exist only as sums */
};

struct range_lane {
    uint32_t track, lane;
    uint64_t next, end; /* events not looked at yet */
};

/* The statistics that are being made. */
struct range_making {
    bool running, failed;
    struct range_items sums;
    struct range_lane *lanes;
    size_t lane_count, lane_capacity, lane; /* lane: the first one that is not done */
    uint64_t events, done;
};

struct range_view {
    struct sheet_table table; /* its rows are the items, in their order */
    struct range_items shown; /* the longest in total first */
    struct range_making making;
    bool made, marked; /* made: the shown statistics belong to the last request */
    /* The last request. */
    bool asked;
    struct window range;
    uint32_t run;
    uint64_t events;  /* number of the session's events at that time */
    uint64_t detail;  /* `changes` of struct detail at that time */
    size_t tracks;    /* number of tracks shown at that time */
    char filter[256]; /* the timeline's filter at that time */
    int64_t made_ms;
    char why[400]; /* why there is nothing to show; "": there is something */
};

static inline struct range_view *range_state(const struct screen *screen)
{
    return screen->view_state[VIEW_RANGE];
}

/* Requests the statistics of the visible or marked time if it has changed, or if there are new events, and
 * makes a slice. */
void range_update(struct screen *screen);
/* The next slice; false: there is none. */
bool range_work(struct screen *screen);
/* Frees everything, since the session is gone. */
void range_forget(struct screen *screen);

#endif
