/*
 * Rows of the kernel list that are no kernels: the copies of the run, and its idle time by cause, each with
 * the time that it takes of the whole run on all its devices. Only while all kernels listed are of one run.
 * The tui's thread.
 */
#ifndef TUI_VIEWS_KERNEL_PARTS_H
#define TUI_VIEWS_KERNEL_PARTS_H

#include "tui/views/kernels/view_kernels.h"

/* Appends the classes that take 5 % of the run, or of its steps, or more, and match the filter, to the first
 * `shown` items; returns the new number of items. Sets kernels->run_ns, the run's time, 0 if there are none,
 * and where the run has steps these and the kernels' time in them. */
int kernel_parts_add(struct screen *screen, int shown);
/* The upper bound of what the row's time could lose. */
struct kernel_gain kernel_parts_gain(const struct kernel_item *item);
void kernel_parts_draw_name(const struct screen *screen, struct canvas *canvas, int x, int y, int cells,
                            const struct kernel_item *item, bool selected);

#endif
