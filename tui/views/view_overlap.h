/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of the overlap of a time range: what ran at once, what waited, and why. The tui's thread.
 */
#ifndef TUI_VIEWS_VIEW_OVERLAP_H
#define TUI_VIEWS_VIEW_OVERLAP_H

#include "core/analysis/overlap/overlap.h"

#include "tui/frame/screen.h"
#include "tui/widgets/axis.h"
#include "tui/widgets/sheet_table.h"

#define OVERLAP_LINES_MAX (12 + SERIAL_COUNT + OVERLAP_WAITS_MAX)

struct overlap_view {
    struct sheet_table table;
    struct overlap_job *job; /* the computation in progress; NULL: none */
    uint64_t operations;     /* approximate number in the range */
    bool made, marked; /* made: the shown values belong to the last request; marked: the range is between the
                          timeline's marks */
    /* The last request. */
    bool asked;
    struct window range;
    uint32_t run;
    uint64_t events; /* number of the session's events at that time */
    uint64_t detail; /* `changes` of struct detail at that time */
    int64_t made_ms;
    struct overlap overlap;
    char why[1100]; /* why there is nothing to show; "": there is something */
    struct overlap_line {
        uint8_t kind, index; /* private, of each row: a sum, a reason, a wait */
    } lines[OVERLAP_LINES_MAX];
    int line_count;
};

static inline struct overlap_view *overlap_state(const struct screen *screen)
{
    return screen->view_state[VIEW_OVERLAP];
}

#endif
