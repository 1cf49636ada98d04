/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The picture of a screen. Sizes are in pixels; the cell's width is the advance of the common monospaced
 * fonts (0.602 em), and every word has a position of its own, so that lines do not drift in a font of another
 * width.
 */
#include "tui/terminal/writer.h"

#include "tui/terminal/text.h"

#define FONT 16.0
#define CELL_WIDTH 9.632
#define CELL_HEIGHT 20.0
#define BASELINE 15.0

struct svg_look {
    uint32_t foreground, background;
    bool ground; /* the background is not the theme's own */
    uint8_t attributes;
};

static struct svg_look look_of(struct style style, const struct theme *theme)
{
    if (theme->mono)
        style = style_without_color(style);
    struct svg_look look = {.foreground = theme->color[style.foreground].rgb,
                            .background = theme_ground(theme, style.background)->rgb,
                            .ground = style.background != COLOR_NONE,
                            .attributes = style.attributes};
    if (style.attributes & ATTRIBUTE_REVERSE) {
        uint32_t swap = look.foreground;
        look.foreground = look.background;
        look.background = swap;
        look.ground = true;
    }
    return look;
}

static void put_rect(FILE *out, double x, double y, double width, double height, uint32_t rgb)
{
    fprintf(out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"#%06x\"/>\n", x, y, width,
            height, rgb);
}

/* Draws a glyph that is a shape: block, line, shade, braille. Returns false if it is a letter. */
static bool put_shape(FILE *out, uint32_t c, double x, double y, uint32_t rgb)
{
    const double middle_x = x + CELL_WIDTH / 2, middle_y = y + CELL_HEIGHT / 2, line = 1.2;
    if (c >= 0x2581 && c <= 0x2588) {
        double height = CELL_HEIGHT * (double)(c - 0x2580) / 8;
        put_rect(out, x, y + CELL_HEIGHT - height, CELL_WIDTH + 0.1, height, rgb);
        return true;
    }
    if (c >= 0x2589 && c <= 0x258f) {
        put_rect(out, x, y, CELL_WIDTH * (double)(0x2590 - c) / 8, CELL_HEIGHT, rgb);
        return true;
    }
    if (c == 0x2580 || c == 0x2590 || (c >= 0x2596 && c <= 0x259f)) {
        /* Upper left 1, upper right 2, lower left 4, lower right 8. */
        static const uint8_t quarters[16] = {
            [0x0] = 3, [0x6] = 4,  [0x7] = 8, [0x8] = 1, [0x9] = 13, [0xa] = 9,
            [0xb] = 7, [0xc] = 11, [0xd] = 2, [0xe] = 6, [0xf] = 14};
        unsigned parts = c == 0x2590 ? 10 : quarters[c & 15];
        for (int i = 0; i < 4; i++)
            if (parts >> i & 1)
                put_rect(out, x + (i % 2) * CELL_WIDTH / 2, y + (i / 2) * CELL_HEIGHT / 2,
                         CELL_WIDTH / 2 + 0.1, CELL_HEIGHT / 2, rgb);
        return true;
    }
    if (c == 0x2591) {
        for (int i = 0; i < 6; i++)
            put_rect(out, x + (i % 2 ? 5.6 : 1.6), y + 2 + 6.2 * (i / 2), 2, 2, rgb);
        return true;
    }
    if (c >= 0x2800 && c <= 0x28ff) {
        static const uint8_t column[8] = {0, 0, 0, 1, 1, 1, 0, 1}, row[8] = {0, 1, 2, 0, 1, 2, 3, 3};
        for (int bit = 0; bit < 8; bit++)
            if (c >> bit & 1)
                put_rect(out, x + 1.6 + 4.6 * column[bit], y + 1.5 + 4.8 * row[bit], 2.6, 2.6, rgb);
        return true;
    }
    if (c == 0x2501) {
        put_rect(out, x, middle_y - line, CELL_WIDTH + 0.1, 2 * line, rgb);
        return true;
    }
    bool left = c == 0x2500 || c == 0x252c || c == 0x2510 || c == 0x2518;
    bool right = c == 0x2500 || c == 0x252c || c == 0x250c || c == 0x2514;
    bool up = c == 0x2502 || c == 0x2514 || c == 0x2518;
    bool down = c == 0x2502 || c == 0x250c || c == 0x2510 || c == 0x252c;
    if (left || right)
        put_rect(out, left ? x : middle_x - line / 2, middle_y - line / 2,
                 left && right ? CELL_WIDTH + 0.1 : CELL_WIDTH / 2 + line / 2, line, rgb);
    if (up || down)
        put_rect(out, middle_x - line / 2, up ? y : middle_y - line / 2, line,
                 up && down ? CELL_HEIGHT + 0.1 : CELL_HEIGHT / 2 + line / 2, rgb);
    return left || right || up || down;
}

static void put_letter(const struct cell *cell, FILE *out)
{
    char bytes[4];
    switch (cell->codepoint) {
    case '&': fputs("&amp;", out); break;
    case '<': fputs("&lt;", out); break;
    case '>': fputs("&gt;", out); break;
    default: fwrite(bytes, 1, text_encode(cell->codepoint, bytes), out); break;
    }
    for (int i = 0; i < 2 && cell->mark[i] != 0; i++)
        fwrite(bytes, 1, text_encode(cell->mark[i], bytes), out);
}

static bool is_letter(const struct cell *cell)
{
    uint32_t c = cell->codepoint;
    return c != ' ' && c != 0 && !(c >= 0x2500 && c <= 0x2503) && !(c >= 0x250c && c <= 0x2530) &&
           !(c >= 0x2580 && c <= 0x2591) && !(c >= 0x2596 && c <= 0x259f) && !(c >= 0x2800 && c <= 0x28ff);
}

static bool same_style(struct style a, struct style b)
{
    return a.foreground == b.foreground && a.background == b.background && a.attributes == b.attributes;
}

static void put_grounds(const struct canvas *canvas, const struct theme *theme, FILE *out, int y)
{
    for (int x = 0; x < canvas->width;) {
        struct svg_look look = look_of(canvas_cell(canvas, x, y)->style, theme);
        int end = x + 1;
        while (end < canvas->width &&
               look_of(canvas_cell(canvas, end, y)->style, theme).background == look.background)
            end++;
        if (look.ground && look.background != theme->ground.rgb)
            put_rect(out, x * CELL_WIDTH, y * CELL_HEIGHT, (end - x) * CELL_WIDTH + 0.1, CELL_HEIGHT + 0.1,
                     look.background);
        x = end;
    }
}

static void put_glyphs(const struct canvas *canvas, const struct theme *theme, FILE *out, int y)
{
    for (int x = 0; x < canvas->width;) {
        const struct cell *cell = canvas_cell(canvas, x, y);
        struct svg_look look = look_of(cell->style, theme);
        double left = x * CELL_WIDTH, top = y * CELL_HEIGHT;
        if (!is_letter(cell)) {
            put_shape(out, cell->codepoint, left, top, look.foreground);
            if (look.attributes & ATTRIBUTE_UNDERLINE)
                put_rect(out, left, top + CELL_HEIGHT - 2.5, CELL_WIDTH + 0.1, 1, look.foreground);
            x++;
            continue;
        }
        fprintf(out, "<text x=\"%.2f\" y=\"%.2f\" fill=\"#%06x\"%s>", left, top + BASELINE, look.foreground,
                look.attributes & ATTRIBUTE_BOLD ? " font-weight=\"bold\"" : "");
        int end = x;
        while (end < canvas->width && (end == x || canvas_cell(canvas, end, y)->codepoint == 0 ||
                                       (is_letter(canvas_cell(canvas, end, y)) &&
                                        same_style(canvas_cell(canvas, end, y)->style, cell->style)))) {
            if (canvas_cell(canvas, end, y)->codepoint != 0)
                put_letter(canvas_cell(canvas, end, y), out);
            end++;
        }
        fputs("</text>\n", out);
        if (look.attributes & ATTRIBUTE_UNDERLINE)
            put_rect(out, left, top + CELL_HEIGHT - 2.5, (end - x) * CELL_WIDTH, 1, look.foreground);
        x = end;
    }
}

void writer_svg(const struct canvas *canvas, const struct theme *theme, FILE *out)
{
    double width = canvas->width * CELL_WIDTH, height = canvas->height * CELL_HEIGHT;
    const double margin = 12;
    fprintf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"%.0f %.0f %.2f "
        "%.2f\" "
        "font-family=\"DejaVu Sans Mono, Menlo, Consolas, Liberation Mono, monospace\" font-size=\"%.0f\" "
        "shape-rendering=\"crispEdges\" "
        "xml:space=\"preserve\">\n",
        width + 2 * margin, height + 2 * margin, -margin, -margin, width + 2 * margin, height + 2 * margin,
        FONT);
    put_rect(out, -margin, -margin, width + 2 * margin, height + 2 * margin, theme->ground.rgb);
    for (int y = 0; y < canvas->height; y++)
        put_grounds(canvas, theme, out, y);
    for (int y = 0; y < canvas->height; y++)
        put_glyphs(canvas, theme, out, y);
    fputs("</svg>\n", out);
}
