/*
 * The run, above the rows of the list: a bar that shows how its time was spent. It is a row that can be
 * selected: the panel then shows the run's problems. The tui's thread.
 */
#ifndef TUI_VIEWS_KERNEL_RUN_H
#define TUI_VIEWS_KERNEL_RUN_H

#include "tui/terminal/canvas.h"
#include "tui/widgets/action.h"

#include <stdbool.h>

struct screen;

/* Sets kernels->run_lines for a list of this height. A program's run that has a problem is selected at first.
 */
void kernel_run_update(struct screen *screen, int height);
void kernel_run_draw(const struct screen *screen, struct canvas *canvas, struct rect inside);
/* Moves up from the first kernel to the run, or back; false: the key does something else. */
bool kernel_run_choose(struct screen *screen, enum action action);

#endif
