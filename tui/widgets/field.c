/* SPDX-License-Identifier: Apache-2.0 */
/* All functions here decide whether a text fits, and what to show if it does not. */
#include "tui/widgets/field.h"

#include "tui/terminal/text.h"
#include "tui/widgets/number.h"

#include <stdio.h>
#include <string.h>

#define TEXT_BYTES 200

static void paint_right(struct canvas *canvas, int x, int y, int width, struct style style, const char *text)
{
    int cells = text_width(text, TEXT_BYTES);
    canvas_text(canvas, x + width - cells, y, cells, style, text);
}

/* Clips a field to the canvas; returns the cells of it that are on the canvas. */
static int clip_width(const struct canvas *canvas, int *x, int width)
{
    int end = *x + width < canvas->width ? *x + width : canvas->width;
    *x = *x < 0 ? 0 : *x;
    return end > *x ? end - *x : 0;
}

void field_words(struct canvas *canvas, int x, int y, int width, struct style style, const char *text)
{
    char shown[TEXT_BYTES];
    width = clip_width(canvas, &x, width);
    text_cut(text, width, shown, sizeof shown);
    paint_right(canvas, x, y, width, style, shown);
}

void field_number_text(const char *number, int width, char *text, size_t size_bytes)
{
    snprintf(text, size_bytes, "%s", text_width(number, TEXT_BYTES) <= width ? number : width > 0 ? "#" : "");
}

void field_number(struct canvas *canvas, int x, int y, int width, struct style style, const char *text)
{
    char shown[TEXT_BYTES];
    if (!strpbrk(text, "0123456789")) { /* "n/a" */
        field_words(canvas, x, y, width, style, text);
        return;
    }
    width = clip_width(canvas, &x, width);
    field_number_text(text, width, shown, sizeof shown);
    paint_right(canvas, x, y, width, style, shown);
}

void field_value(struct canvas *canvas, int x, int y, int width, struct style style, enum metric metric,
                 const struct value *value)
{
    char text[NUMBER_SIZE];
    width = clip_width(canvas, &x, width);
    metric_format_within(metric, value, width > 0 ? (size_t)width : 0, text, sizeof text);
    field_number(canvas, x, y, width, style, text);
}

#define LEADER_LEAST 12 /* cells; the eye crosses fewer without help */

void field_leader(struct canvas *canvas, int x, int y, int limit, uint8_t ground)
{
    int end = x;
    while (end < limit && end < canvas->width && canvas_cell(canvas, end, y)->codepoint == ' ')
        end++;
    if (end < limit && end < canvas->width && end - x >= LEADER_LEAST)
        canvas_fill(canvas, (struct rect){x + 1, y, end - x - 2, 1}, '.',
                    STYLE(ground == COLOR_NONE ? COLOR_FRAME : COLOR_DIM, ground, 0));
}
