/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a canvas to a file: as plain text, as text with ANSI colours, or as a picture (SVG). Any thread. The
 * caller checks for write errors with ferror.
 */
#ifndef TUI_TERMINAL_WRITER_H
#define TUI_TERMINAL_WRITER_H

#include "tui/terminal/canvas.h"

#include <stdio.h>

/* No colours, no blanks at the ends of lines. */
void writer_text(const struct canvas *canvas, FILE *out);
/* SGR sequences with 24-bit colours, or only attributes in a mono theme, on the theme's background unless
 * that is transparent. */
void writer_ansi(const struct canvas *canvas, const struct theme *theme, bool transparent, FILE *out);
/* Monospaced; blocks, lines and braille are drawn as shapes, so that they join in any font. */
void writer_svg(const struct canvas *canvas, const struct theme *theme, FILE *out);

#endif
