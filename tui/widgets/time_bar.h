/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows how the time of a run was spent: a bar with a letter and a colour for each class of the partition,
 * and a row for each class that matters. The tui's thread.
 */
#ifndef TUI_WIDGETS_TIME_BAR_H
#define TUI_WIDGETS_TIME_BAR_H

#include "core/analysis/partition.h"
#include "tui/terminal/canvas.h"

/* Fills `parts` with at most `most` classes that take least_pct of the span or more, the longest first.
 * Returns their number. */
int time_bar_parts(const struct partition *time, double least_pct, enum partition_class *parts, int most);
/* The colours of the class in bars. */
struct style time_bar_style(enum partition_class part);
void time_bar_draw(const struct partition *time, struct canvas *canvas, int x, int y, int cells);
/* "l  91.6   743 ms idle: in launch calls (cudaLaunchKernel)", and a bar of the share where there is room. */
void time_bar_draw_part(const struct session *session, const struct partition *time,
                        enum partition_class part, struct canvas *canvas, int x, int y, int cells);

#endif
