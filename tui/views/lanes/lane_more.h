/*
 * What stands below the picture of one instruction where there is room: pictures of the kernel's other
 * instructions, those of other variants, and its source with what the accesses of each line cost. Pure but
 * for the canvas; the tui's thread.
 */
#ifndef TUI_VIEWS_LANE_MORE_H
#define TUI_VIEWS_LANE_MORE_H

#include "tui/views/lanes/lane_case.h"
#include "tui/views/workloads/workload_pictures.h"

#define LANE_MORE_WIDTH 90 /* of what stands beside the picture */

/* Beside the picture: the source around the line of what is shown, and below it the lesson. */
void lane_more_draw_beside(const struct lane_case *of, const char *lesson, struct canvas *canvas,
                           struct rect area);
/* Below it: draws of the instructions that look otherwise than the one shown, those after it first, of the
 * variants, and of the source (if it does not stand beside) around its line as much as the area has room for.
 */
void lane_more_draw(const struct lane_case *of, const struct workload_pictures *variants,
                    struct canvas *canvas, struct rect area, const struct lane_picture_options *options,
                    bool source);

#endif
