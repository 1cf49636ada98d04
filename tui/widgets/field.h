/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The content of a table's column: words or a number, in `width` cells from (x, y).
 *
 * Words are cut as by text_cut. A number is shown whole, with its sign and its unit, or as "#", never with
 * digits missing. All tables on the screen paint their columns with these functions. The tui's thread.
 */
#ifndef TUI_WIDGETS_FIELD_H
#define TUI_WIDGETS_FIELD_H

#include "tui/terminal/canvas.h"

#include "core/metric/metric.h"

/* Paints words right-aligned: a column's heading, "n/a". */
void field_words(struct canvas *canvas, int x, int y, int width, struct style style, const char *text);

/* Paints a number right-aligned, "12.3 us". */
void field_number(struct canvas *canvas, int x, int y, int width, struct style style, const char *text);

/* Paints a metric's value right-aligned, in another unit if its own does not fit. */
void field_value(struct canvas *canvas, int x, int y, int width, struct style style, enum metric metric,
                 const struct value *value);

/* Paints dots from the end of a name at (x, y) to the value after it on the canvas, before `limit`, so that
 * the eye finds a value that is far from its name. */
void field_leader(struct canvas *canvas, int x, int y, int limit, uint8_t ground);

/* The text that field_number shows in `width` cells. */
void field_number_text(const char *number, int width, char *text, size_t size_bytes);

#endif
