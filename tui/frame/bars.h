/*
 * The lines above and below the panes: the header, which names the current subject, and the status line. They
 * only paint.
 */
#ifndef TUI_FRAME_BARS_H
#define TUI_FRAME_BARS_H

#include "tui/frame/screen.h"

void bars_draw_header(const struct screen *screen, struct canvas *canvas, struct rect line);
void bars_draw_status(const struct screen *screen, struct canvas *canvas, struct rect line);

#endif
