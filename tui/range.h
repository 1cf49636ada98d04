/*
 * Statistics of a time range: for each name among the rows that the timeline shows, how many events there are
 * and how long they took. Walks the events of the range once. The tui's thread.
 */
#ifndef TUI_RANGE_H
#define TUI_RANGE_H

#include "core/session.h"

#include "tui/axis.h"
#include "tui/list.h"

enum range_sort { RANGE_TOTAL, RANGE_EVENTS, RANGE_MEAN, RANGE_MIN, RANGE_MAX, RANGE_NAME, RANGE_SORT_COUNT };

struct range_item {
    uint64_t name; /* timeline_name_of */
    char mark;     /* as on the timeline */
    uint8_t color, kind;
    char text[96];
    uint64_t events;          /* that lie in the range, be it in part */
    int64_t total_ns;         /* of the parts that do; events side by side add up */
    int64_t min_ns, max_ns;   /* of whole events */
    double sum_ns;            /* of whole events */
    uint64_t bytes;           /* of copies and sets, whole ones */
    struct event_ref longest; /* the first of these */
};

struct range_view {
    struct list list;
    struct range_item *items;
    size_t count, capacity;
    bool made, marked, reverse;
    enum range_sort sort;
    struct window range;
    uint32_t run;
    uint64_t events; /* of the session when it was made */
    size_t tracks;   /* that were shown then */
    int64_t made_ms;
    char filter[256]; /* the timeline's, then */
    char why[400];    /* there is nothing to show; "": there is */
};

struct screen;

/* Make it of the time shown or marked, if it is of another, or events have come. */
void range_update(struct screen *screen);
void range_sort(struct range_view *view);
void range_fini(struct range_view *view);

#endif
