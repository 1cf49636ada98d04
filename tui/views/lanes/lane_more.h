/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is drawn below the picture of one instruction if there is room: pictures of the kernel's other
 * instructions, those of other variants, and the source with the cost of each line's accesses. Pure except
 * for the canvas; the tui's thread.
 */
#ifndef TUI_VIEWS_LANE_MORE_H
#define TUI_VIEWS_LANE_MORE_H

#include "tui/views/lanes/lane_case.h"
#include "tui/views/workloads/workload_pictures.h"

#define LANE_MORE_WIDTH 90 /* cells of what is drawn beside the picture */

/* Draws beside the picture: the source around the line of the access, and below it the lesson. */
void lane_more_draw_beside(const struct lane_case *of, const char *lesson, struct canvas *canvas,
                           struct rect area);
/* Draws below the picture of sides[side], as far as there is room: the instructions that look different from
 * the one shown, those after it first, then the variants that no side shows, then the source around its line
 * (if it is not drawn beside). */
void lane_more_draw(const struct lane_case *sides, int side_count, int side,
                    const struct workload_pictures *variants, struct canvas *canvas, struct rect area,
                    const struct lane_picture_options *options, bool source);

#endif
