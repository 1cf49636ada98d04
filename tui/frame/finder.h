/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The finder: one line in which the user finds views, actions, tables, workloads, metrics, runs, kernels and
 * terms by words of their names; the best matches are shown above it. Choosing a match does the same as its
 * key. The candidates come from the tables that the rest of the screen uses. Part of the screen; the tui's
 * thread.
 */
#ifndef TUI_FRAME_FINDER_H
#define TUI_FRAME_FINDER_H

#include "tui/terminal/canvas.h"
#include "tui/terminal/key.h"
#include "tui/widgets/list.h"

#include <stdint.h>

#define FINDER_MATCHES_MAX 512 /* the best are kept; a session may have any number of kernels */

struct screen;

/* In the order in which matches of equal cost are listed. */
enum found {
    FOUND_VIEW,
    FOUND_ACTION,
    FOUND_SHEET,
    FOUND_WORKLOAD,
    FOUND_METRIC,
    FOUND_RUN,
    FOUND_KERNEL,
    FOUND_TERM,
    FOUND_COUNT
};

struct finder_match {
    enum found kind;
    uint32_t index; /* for FOUND_VIEW and FOUND_ACTION an action, else the index in the kind's table */
    int cost;       /* how far the match is from the typed text */
};

struct finder {
    struct list list; /* the list of the matches; height: lines for it */
    struct finder_match matches[FINDER_MATCHES_MAX];
    uint32_t found; /* the number of all matches, including those that are not kept */
};

void finder_open(struct screen *screen);
void finder_key(struct screen *screen, uint32_t key);
void finder_mouse(struct screen *screen, const struct mouse *mouse);
/* Paints over everything above the status line; the status line shows the prompt. */
void finder_draw(const struct screen *screen, struct canvas *canvas);

#endif
