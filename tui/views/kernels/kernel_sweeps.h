/*
 * Sweeps in the list of kernels: the kernels of one workload and variant whose runs differ in their
 * parameters are one row, until that is unfolded. The tui's thread.
 */
#ifndef TUI_VIEWS_KERNEL_SWEEPS_H
#define TUI_VIEWS_KERNEL_SWEEPS_H

#include "tui/views/kernels/view_kernels.h"

#define SWEEP_LEAST 6 /* chosen: fewer rows are seen at a glance */

/* Folds the sweeps among `count` items. The first of the items are then those to be listed, whose number is
 * returned; the others are members. `wanted` (NONE: none) stands for its sweep, else the kernel that takes
 * most time does. */
int kernel_sweeps_fold(struct kernel_list *kernels, const struct session *session, uint32_t wanted,
                       int count);

/* Unfolds the sweep that the item stands for, or folds the one that it is of; false: it is of none. */
bool kernel_sweeps_toggle(struct kernel_list *kernels, const struct session *session, int item);

/* The medians of the sweep's kernels over its parameter, each bar from 0 to the largest. */
void kernel_sweeps_draw(const struct kernel_list *kernels, const struct kernel_item *item,
                        struct canvas *canvas, int x, int y, int cells, struct style style);

#endif
