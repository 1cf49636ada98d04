/*
 * The state of the overlap of a time range: what ran at once, what waited, and why. The tui's thread.
 */
#ifndef TUI_VIEWS_VIEW_OVERLAP_H
#define TUI_VIEWS_VIEW_OVERLAP_H

#include "core/analysis/overlap.h"

#include "tui/frame/screen.h"
#include "tui/widgets/axis.h"
#include "tui/widgets/list.h"

#define OVERLAP_LINES_MAX (12 + SERIAL_COUNT + OVERLAP_WAITS_MAX)

struct overlap_view {
    struct list list;
    struct overlap_job *job; /* what is being made; NULL: nothing is */
    uint64_t operations;     /* of the range, about */
    bool made, marked; /* made: what is shown is of what was asked for; marked: the range lies between the
                          timeline's marks */
    /* What was asked for last. */
    bool asked;
    struct window range;
    uint32_t run;
    uint64_t events; /* of the session then */
    uint64_t detail; /* struct detail's changes, then */
    int64_t made_ms;
    struct overlap overlap;
    char why[1100]; /* there is nothing to show; "": there is */
    struct overlap_line {
        uint8_t kind, index; /* the view's: a sum, a reason, a wait */
    } lines[OVERLAP_LINES_MAX];
    int line_count;
};

static inline struct overlap_view *overlap_state(const struct screen *screen)
{
    return screen->view_state[VIEW_OVERLAP];
}

#endif
