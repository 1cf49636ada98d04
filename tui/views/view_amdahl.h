/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of Amdahl's law of a run. The tui's thread.
 */
#ifndef TUI_VIEWS_VIEW_AMDAHL_H
#define TUI_VIEWS_VIEW_AMDAHL_H

#include "core/analysis/amdahl.h"

#include "tui/frame/screen.h"
#include "tui/widgets/sheet_table.h"

struct amdahl_view {
    struct sheet_table table; /* its rows are the law's shares */
    struct amdahl law;
    uint32_t run;      /* the run; NONE: none */
    uint32_t followed; /* the kernel row that was selected at the last look at the list */
    uint32_t selected; /* that of the table at the last look at it; NONE: it was made anew since */
    uint64_t state;    /* state of the run when the law was computed */
    int64_t made_ms;
    bool of_run; /* first, and in the chart: of the run's span including its set-up, not of the device time */
    char error[160];
};

/* The law as curves, for the kernels with the largest shares. */
void amdahl_chart_draw(const struct screen *screen, struct canvas *canvas, struct rect area);

static inline struct amdahl_view *amdahl_state(const struct screen *screen)
{
    return screen->view_state[VIEW_AMDAHL];
}

#endif
