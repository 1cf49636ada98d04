/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A canvas is written row by row; plain text leaves out trailing blanks.
 */
#include "tui/terminal/writer.h"

#include "tui/terminal/text.h"

#include <string.h>

static void put_cell(const struct cell *cell, FILE *out)
{
    char bytes[4];
    fwrite(bytes, 1, text_encode(cell->codepoint, bytes), out);
    for (int i = 0; i < 2 && cell->mark[i] != 0; i++)
        fwrite(bytes, 1, text_encode(cell->mark[i], bytes), out);
}

/* Without colours, a block drawn in reverse would fill the wrong side. */
static uint32_t without_reverse(uint32_t codepoint)
{
    if (codepoint < 0x2588 || codepoint > 0x258f)
        return codepoint;
    int filled = 8 - (0x2590 - (int)codepoint);
    return filled >= 6 ? 0x2588 : filled >= 3 ? 0x2590 : 0x2595;
}

void writer_text(const struct canvas *canvas, FILE *out)
{
    for (int y = 0; y < canvas->height; y++) {
        int end = canvas->width;
        while (end > 0 && canvas_cell(canvas, end - 1, y)->codepoint == ' ')
            end--;
        for (int x = 0; x < end; x++) {
            struct cell cell = *canvas_cell(canvas, x, y);
            if (cell.codepoint == 0)
                continue;
            if (cell.style.attributes & ATTRIBUTE_REVERSE)
                cell.codepoint = without_reverse(cell.codepoint);
            put_cell(&cell, out);
        }
        fputc('\n', out);
    }
}

static void put_color(int code, uint32_t rgb, FILE *out)
{
    fprintf(out, ";%d;2;%u;%u;%u", code, rgb >> 16 & 255, rgb >> 8 & 255, rgb & 255);
}

static void put_style(struct style style, const struct theme *theme, bool transparent, FILE *out)
{
    bool own = theme->mono || transparent;
    if (theme->mono)
        style = style_without_color(style);
    fputs("\x1b[0", out);
    if (style.attributes & ATTRIBUTE_BOLD)
        fputs(";1", out);
    if (style.attributes & ATTRIBUTE_UNDERLINE)
        fputs(";4", out);
    if (style.attributes & ATTRIBUTE_REVERSE)
        fputs(";7", out);
    if (style.foreground != COLOR_NONE || !own)
        put_color(38, theme->color[style.foreground].rgb, out);
    if (style.background != COLOR_NONE || !own)
        put_color(48, theme_ground(theme, style.background)->rgb, out);
    fputc('m', out);
}

void writer_ansi(const struct canvas *canvas, const struct theme *theme, bool transparent, FILE *out)
{
    for (int y = 0; y < canvas->height; y++) {
        struct style before = {0};
        if (!theme->mono && !transparent)
            put_style(before, theme, transparent, out);
        for (int x = 0; x < canvas->width; x++) {
            const struct cell *cell = canvas_cell(canvas, x, y);
            if (cell->codepoint == 0)
                continue;
            if (memcmp(&before, &cell->style, sizeof before) != 0)
                put_style(cell->style, theme, transparent, out);
            before = cell->style;
            put_cell(cell, out);
        }
        fputs("\x1b[0m\n", out);
    }
}
