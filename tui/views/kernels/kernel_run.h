/*
 * The run, above the kernels of the list: a bar of where its time went, and a line for each class that
 * matters. It is a row that can be chosen: the panel then says what is wrong with the run. The tui's thread.
 */
#ifndef TUI_VIEWS_KERNEL_RUN_H
#define TUI_VIEWS_KERNEL_RUN_H

#include "tui/terminal/canvas.h"
#include "tui/widgets/action.h"

#include <stdbool.h>

struct screen;

/* kernels->run_lines, of a list of this height. A program's run with something wrong is chosen at first. */
void kernel_run_update(struct screen *screen, int height);
void kernel_run_draw(const struct screen *screen, struct canvas *canvas, struct rect inside);
/* Up from the first kernel to the run, and back; false: the key does something else. */
bool kernel_run_choose(struct screen *screen, enum action action);

#endif
