/*
 * Statistics of a time range: for each name among the rows that the timeline shows, how many events there are
 * and how long they took. Walks the events of the range once, RANGE_SLICE at a time: the first of them when
 * they are asked for, the others between frames. They are of the events there were when they were asked for.
 * When only events have come, the old ones are shown until the new ones are there. The tui's thread.
 */
#ifndef TUI_VIEWS_RANGE_H
#define TUI_VIEWS_RANGE_H

#include "core/session/session.h"

#include "tui/frame/screen.h"
#include "tui/widgets/axis.h"
#include "tui/widgets/list.h"

enum range_sort { RANGE_TOTAL, RANGE_EVENTS, RANGE_MEAN, RANGE_MIN, RANGE_MAX, RANGE_NAME, RANGE_SORT_COUNT };

struct range_item {
    uint64_t name; /* timeline_name_of */
    char mark;     /* as on the timeline */
    uint8_t color, kind;
    char text[96];
    uint32_t kernel;          /* of a launch or replay, whose short name is shown; NONE */
    uint64_t events;          /* that lie in the range, be it in part */
    int64_t total_ns;         /* of the parts that do; events side by side add up */
    int64_t min_ns, max_ns;   /* of whole events */
    double sum_ns;            /* of whole events */
    uint64_t bytes;           /* of copies and sets, whole ones */
    struct event_ref longest; /* the first of these */
};

#define RANGE_SLICE UINT64_C(32768) /* events, some 3 ms */

/* By their names. */
struct range_items {
    struct range_item *items;
    size_t count, capacity;
    uint32_t *slots; /* 1 + an item's index, 0: free; NULL: none needed any more */
    size_t slot_count;
    uint64_t folded; /* of the events, those that are sums only */
};

struct range_lane {
    uint32_t track, lane;
    uint64_t next, end; /* events not looked at yet */
};

/* What is still being made. */
struct range_making {
    bool running, failed;
    struct range_items sums;
    struct range_lane *lanes;
    size_t lane_count, lane_capacity, lane; /* lane: the first that is not done */
    uint64_t events, done;
};

struct range_view {
    struct list list;
    struct range_items shown;
    struct range_making making;
    bool made, marked, reverse; /* made: what is shown is of what was asked for */
    enum range_sort sort;
    /* What was asked for last. */
    bool asked;
    struct window range;
    uint32_t run;
    uint64_t events;  /* of the session then */
    uint64_t detail;  /* struct detail's changes, then */
    size_t tracks;    /* that were shown then */
    char filter[256]; /* the timeline's, then */
    int64_t made_ms;
    char why[400]; /* there is nothing to show; "": there is */
};

static inline struct range_view *range_state(const struct screen *screen)
{
    return screen->view_state[VIEW_RANGE];
}

/* Make it of the time shown or marked, if it is of another, or events have come; a slice of it. */
void range_update(struct screen *screen);
/* The next slice; false: there is none. */
bool range_work(struct screen *screen);
void range_sort(struct range_view *view);
/* All of it, since the session has gone. */
void range_forget(struct screen *screen);

#endif
