/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of the kernel list as they are drawn: their columns, and the names of kernels and runs in them.
 * Some are no kernels: the copies of the run, and its idle time by cause, each with the time that it takes of
 * the whole run on all its devices, only while all kernels listed are of one run. The tui's thread.
 */
#ifndef TUI_VIEWS_KERNEL_ROWS_H
#define TUI_VIEWS_KERNEL_ROWS_H

#include "tui/views/kernels/view_kernels.h"

/* Appends the classes that take 5 % of the run, or of its steps, or more, and match the filter, to the first
 * `shown` items; returns the new number of items. Sets kernels->run_ns, the run's time, 0 if there are none,
 * and where the run has steps these and the kernels' time in them. */
int kernel_parts_add(struct screen *screen, int shown);
/* The upper bound of what the row's time could lose. */
struct kernel_gain kernel_parts_gain(const struct kernel_item *item);
void kernel_parts_draw_name(const struct screen *screen, struct canvas *canvas, int x, int y, int cells,
                            const struct kernel_item *item, bool selected);

enum column { C_MARK, C_SHARE, C_GAIN, C_TOTAL, C_CALLS, C_MEDIAN, C_MIN, C_MAX, C_NAME, C_RUN, C_COUNT };

struct kernel_places {
    int x[C_COUNT], width[C_COUNT]; /* width 0: not shown */
};

/* Computes the cells that the columns of names need: for the kernels of the first `shown` items, and for what
 * distinguishes their runs. */
void kernel_rows_measure(struct screen *screen, int shown);
struct kernel_places kernel_rows_places(const struct kernel_list *kernels, struct rect inside);
const char *kernel_rows_order(enum kernel_sort sort); /* " by time" */
/* The same for the title if no column on the screen shows the order, else "". */
const char *kernel_rows_unseen_order(const struct kernel_list *kernels, const struct kernel_places *places);
/* Sorts by the column whose heading is at x; that of the present order reverses it. False: no column. */
bool kernel_rows_sort_by_head(struct kernel_list *kernels, struct rect inside, int x);
void kernel_rows_draw_head(const struct kernel_list *kernels, struct canvas *canvas,
                           const struct kernel_places *places, int y);
void kernel_rows_draw(const struct screen *screen, struct canvas *canvas, const struct kernel_places *places,
                      int y, const struct kernel_item *item, bool selected);

#endif
