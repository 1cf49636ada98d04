/*
 * Sweeps in the list of kernels: kernels of one workload and variant whose runs differ in their parameters
 * are one row, until the user unfolds it. The tui's thread.
 */
#ifndef TUI_VIEWS_KERNEL_SWEEPS_H
#define TUI_VIEWS_KERNEL_SWEEPS_H

#include "tui/views/kernels/view_kernels.h"

#define SWEEP_LEAST 6 /* chosen: fewer rows are easy to survey */

/* Folds the sweeps among `count` items. Afterwards the first items are those to list, whose number is
 * returned; the others are members. `wanted` (NONE: none) represents its sweep; in other sweeps it is the
 * kernel that takes the most time. */
int kernel_sweeps_fold(struct kernel_list *kernels, const struct session *session, uint32_t wanted,
                       int count);

/* Unfolds the sweep that the item represents, or folds the sweep that it belongs to; false: it belongs to
 * none. */
bool kernel_sweeps_toggle(struct kernel_list *kernels, const struct session *session, int item);

/* Draws the medians of the sweep's kernels over its parameter, each bar from 0 to the largest median. */
void kernel_sweeps_draw(const struct kernel_list *kernels, const struct kernel_item *item,
                        struct canvas *canvas, int x, int y, int cells, struct style style);

#endif
