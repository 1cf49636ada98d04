/*
 * The finder: one line in which views, actions, workloads, metrics, runs and kernels are found by words of
 * their names, with the best of them above it. What is chosen is done as its key does it. The candidates are
 * those of the tables that the rest of the screen uses. Part of the screen; the tui's thread.
 */
#ifndef TUI_FRAME_FINDER_H
#define TUI_FRAME_FINDER_H

#include "tui/terminal/canvas.h"
#include "tui/terminal/key.h"
#include "tui/widgets/list.h"

#include <stdint.h>

#define FINDER_MATCHES_MAX 512 /* that are kept, the best; a session may have any number of kernels */

struct screen;

/* In the order in which equally good ones are listed. */
enum found { FOUND_VIEW, FOUND_ACTION, FOUND_WORKLOAD, FOUND_METRIC, FOUND_RUN, FOUND_KERNEL, FOUND_COUNT };

struct finder_match {
    enum found kind;
    uint32_t index; /* FOUND_VIEW, FOUND_ACTION: of the action; else the table's own */
    int cost;       /* how far it is from what was typed */
};

struct finder {
    struct list list; /* of the matches; height: lines that they have */
    struct finder_match matches[FINDER_MATCHES_MAX];
    uint32_t found; /* all that match, those too that are not kept */
};

void finder_open(struct screen *screen);
void finder_key(struct screen *screen, uint32_t key);
void finder_mouse(struct screen *screen, const struct mouse *mouse);
/* Over what is above the status line, which is the prompt's. */
void finder_draw(const struct screen *screen, struct canvas *canvas);

#endif
