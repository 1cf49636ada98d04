/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cells are stored row by row. There is never only one half of a wide glyph: writing over one half makes
 * the other half a blank (set_cell).
 *
 * The table of glyphs, by enum glyph: code point and the ASCII character for --ascii.
 */
#include "tui/terminal/canvas.h"

#include "tui/terminal/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int clamp_level(int n, int most)
{
    return n < 0 ? 0 : n > most ? most : n;
}

uint32_t glyph_codepoint(enum glyph glyph, bool ascii)
{
#define GLYPH_ROW(name, unicode, plain) [GLYPH_##name] = {unicode, plain},
    static const uint32_t table[GLYPH_COUNT][2] = {GLYPH_LIST(GLYPH_ROW)};
#undef GLYPH_ROW
    return table[glyph][ascii ? 1 : 0];
}

uint32_t glyph_left_eighths(int n, bool ascii)
{
    n = clamp_level(n, 8);
    if (ascii)
        return (uint32_t) " ....:::#"[n];
    return n == 0 ? ' ' : 0x2590u - (uint32_t)n;
}

uint32_t glyph_lower_eighths(int n, bool ascii)
{
    n = clamp_level(n, 8);
    if (ascii)
        return (uint32_t) " ..::--=#"[n];
    return n == 0 ? ' ' : 0x2580u + (uint32_t)n;
}

uint32_t glyph_bars(int left, int right, bool ascii)
{
    /* Braille dots from the bottom up: 7, 3, 2, 1 in the left column, 8, 6, 5, 4 in the right one. */
    static const uint8_t left_dots[5] = {0x00, 0x40, 0x44, 0x46, 0x47};
    static const uint8_t right_dots[5] = {0x00, 0x80, 0xa0, 0xb0, 0xb8};
    left = clamp_level(left, 4);
    right = clamp_level(right, 4);
    if (ascii)
        return (uint32_t) " .:=#"[left > right ? left : right];
    return left + right == 0 ? ' ' : 0x2800u + left_dots[left] + right_dots[right];
}

static const struct cell blank = {.codepoint = ' '};

enum status canvas_init(struct canvas *canvas, int width, int height, bool ascii, struct error *error)
{
    *canvas = (struct canvas){.ascii = ascii};
    text_use_ellipsis(true);
    return canvas_resize(canvas, width, height, error);
}

void canvas_fini(struct canvas *canvas)
{
    free(canvas->cells);
    *canvas = (struct canvas){0};
}

enum status canvas_resize(struct canvas *canvas, int width, int height, struct error *error)
{
    if (width < 1 || height < 1 || width > CANVAS_SIDE_MAX || height > CANVAS_SIDE_MAX)
        return error_set(error, STATUS_USAGE, "A screen of %dx%d cannot be drawn: each side must be 1 to %d.",
                         width, height, CANVAS_SIDE_MAX);
    struct cell *cells = calloc((size_t)width * (size_t)height, sizeof *cells);
    if (!cells)
        return error_set(error, STATUS_MEMORY,
                         "No memory for a screen of %dx%d: close other programs or use a smaller "
                         "terminal.",
                         width, height);
    free(canvas->cells);
    canvas->cells = cells;
    canvas->width = width;
    canvas->height = height;
    canvas_clear(canvas);
    return STATUS_OK;
}

void canvas_clear(struct canvas *canvas)
{
    canvas->band = (struct canvas_band){0};
    size_t count = (size_t)canvas->width * (size_t)canvas->height;
    for (size_t i = 0; i < count; i++)
        canvas->cells[i] = blank;
}

static struct cell *cell_at(const struct canvas *canvas, int x, int y)
{
    if (x < 0 || y < 0 || x >= canvas->width || y >= canvas->height)
        return NULL;
    return &canvas->cells[(size_t)y * (size_t)canvas->width + (size_t)x];
}

bool canvas_band_same(const struct canvas_band *before, const struct canvas_band *now)
{
    return now->area.width > 0 && before->area.x == now->area.x && before->area.y == now->area.y &&
           before->area.width == now->area.width && before->area.height == now->area.height &&
           before->span == now->span;
}

int canvas_band_shift(const struct canvas_band *before, const struct canvas_band *now)
{
    bool same = canvas_band_same(before, now);
    double cells = same ? (double)(now->start - before->start) * now->area.width / (double)now->span : 0;
    if (cells > -0.5 && cells < 0.5)
        return 0;
    return cells > -now->area.width && cells < now->area.width ? (int)(cells + (cells < 0 ? -0.5 : 0.5)) : 0;
}

bool cell_equal(const struct cell *a, const struct cell *b)
{
    return a->codepoint == b->codepoint && a->mark[0] == b->mark[0] && a->mark[1] == b->mark[1] &&
           a->style.foreground == b->style.foreground && a->style.background == b->style.background &&
           a->style.attributes == b->style.attributes;
}

#define SHIFT_BYTES 32 /* most bytes that shifting a row takes */
#define CELL_BYTES 4   /* least bytes that a cell takes */

bool canvas_row_gains(const struct canvas *canvas, const struct cell *shown, int y, int shift)
{
    const struct rect *area = &canvas->band.area;
    int in_place = 0, moved = 0;
    for (int x = area->x; x < area->x + area->width; x++) {
        const struct cell *wanted = canvas_cell(canvas, x, y);
        int from = x + shift;
        if (shown[x].codepoint == 0 || shown[x].mark[0] != 0)
            return false;
        in_place += !cell_equal(wanted, &shown[x]);
        moved += from < area->x || from >= area->x + area->width || !cell_equal(wanted, &shown[from]);
    }
    return (in_place - moved) * CELL_BYTES > SHIFT_BYTES;
}

void canvas_add_attribute(struct canvas *canvas, int x, int y, enum attribute attribute)
{
    if (x >= 0 && y >= 0 && x < canvas->width && y < canvas->height)
        canvas->cells[(size_t)y * (size_t)canvas->width + (size_t)x].style.attributes |= (uint8_t)attribute;
}

const struct cell *canvas_cell(const struct canvas *canvas, int x, int y)
{
    return cell_at(canvas, x, y);
}

/* Writing over one half of a wide glyph makes the other half a blank. */
static void set_cell(struct canvas *canvas, int x, int y, uint32_t codepoint, struct style style)
{
    struct cell *cell = cell_at(canvas, x, y);
    if (!cell)
        return;
    if (cell->codepoint == 0 && codepoint != 0) {
        struct cell *left = cell_at(canvas, x - 1, y);
        if (left && left->codepoint != 0)
            left->codepoint = ' ';
    }
    struct cell *right = cell_at(canvas, x + 1, y);
    if (right && right->codepoint == 0 && cell->codepoint != 0)
        right->codepoint = ' ';
    *cell = (struct cell){.codepoint = codepoint, .style = style};
}

void canvas_put(struct canvas *canvas, int x, int y, uint32_t codepoint, struct style style)
{
    set_cell(canvas, x, y, codepoint == 0 ? ' ' : codepoint, style);
}

void canvas_glyph(struct canvas *canvas, int x, int y, enum glyph glyph, struct style style)
{
    set_cell(canvas, x, y, glyph_codepoint(glyph, canvas->ascii), style);
}

void canvas_fill(struct canvas *canvas, struct rect area, uint32_t codepoint, struct style style)
{
    for (int y = area.y; y < area.y + area.height; y++)
        for (int x = area.x; x < area.x + area.width; x++)
            canvas_put(canvas, x, y, codepoint, style);
}

static void add_mark(struct canvas *canvas, int x, int y, uint32_t mark)
{
    struct cell *cell = cell_at(canvas, x, y);
    if (cell && cell->codepoint == 0)
        cell = cell_at(canvas, x - 1, y);
    if (!cell)
        return;
    for (int i = 0; i < 2; i++) {
        if (cell->mark[i] == 0) {
            cell->mark[i] = mark;
            return;
        }
    }
}

#define ELLIPSIS 0x2026 /* the mark of a cut */

/* Paints as much of the text as fits in `width` cells. */
static int paint_text(struct canvas *canvas, int x, int y, int width, struct style style, const char *text,
                      size_t size_bytes)
{
    struct text_reader reader;
    struct text_glyph glyph;
    int taken = 0;
    text_reader_init(&reader, text, size_bytes);
    while (text_next(&reader, &glyph)) {
        if (canvas->ascii && glyph.codepoint >= 0x80) {
            if (glyph.width == 0)
                continue;
            glyph.codepoint = glyph.codepoint == ELLIPSIS ? '~' : '?';
        }
        if (glyph.width == 0) {
            if (taken > 0)
                add_mark(canvas, x + taken - 1, y, glyph.codepoint);
            continue;
        }
        if (taken + glyph.width > width)
            break;
        set_cell(canvas, x + taken, y, glyph.codepoint, style);
        if (glyph.width == 2)
            set_cell(canvas, x + taken + 1, y, glyph.codepoint == '?' ? '?' : 0, style);
        taken += glyph.width;
    }
    return taken;
}

int canvas_text(struct canvas *canvas, int x, int y, int width, struct style style, const char *text)
{
    bool dots;
    if (x < 0) {
        width += x;
        x = 0;
    }
    if (x + width > canvas->width)
        width = canvas->width - x;
    if (width <= 0)
        return 0;
    size_t kept = text_cut_at(text, width, &dots);
    int taken = paint_text(canvas, x, y, width, style, text, kept);
    return dots ? taken + paint_text(canvas, x + taken, y, width - taken, style, text_cut_mark(),
                                     strlen(text_cut_mark()))
                : taken;
}

int canvas_printf(struct canvas *canvas, int x, int y, int width, struct style style, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return canvas_text(canvas, x, y, width, style, text);
}

void canvas_bar(struct canvas *canvas, int x, int y, int cells, double share, enum color color)
{
    int eighths = (int)lround(fmin(fmax(share, 0), 1) * 8 * cells);
    if (share > 0 && eighths == 0)
        eighths = 1;
    for (int i = 0; i < cells && eighths > 0; i++, eighths -= 8)
        canvas_put(canvas, x + i, y, glyph_left_eighths(eighths < 8 ? eighths : 8, canvas->ascii),
                   STYLE(color, COLOR_NONE, 0));
}

/* Returns the bytes of the text that fit in a line: whole words; a word that is wider than a line is split.
 */
static size_t take_line(const char *text, int width)
{
    char line[CANVAS_SIDE_MAX + 1];
    size_t take = 0, length = strlen(text);
    for (size_t end = 0; end < length;) {
        size_t next = end + strcspn(text + end, " ");
        if (next >= sizeof line)
            break;
        memcpy(line, text, next);
        line[next] = '\0';
        if (text_width(line, width + 1) > width)
            break;
        take = next;
        end = next + strspn(text + next, " ");
    }
    if (take == 0)
        take = text_break_at(text, width);
    return take < sizeof line ? take : sizeof line - 1;
}

int canvas_wrap(struct canvas *canvas, struct rect area, struct style style, const char *text)
{
    return canvas_wrap_from(canvas, area, style, text, 0);
}

int canvas_wrap_from(struct canvas *canvas, struct rect area, struct style style, const char *text, int skip)
{
    int lines = 0;
    for (size_t take = 1; skip > 0 && take > 0 && *text != '\0'; skip--) {
        take = take_line(text, area.width);
        text += take;
        text += strspn(text, " ");
    }
    while (*text != '\0' && lines < area.height) {
        char line[CANVAS_SIDE_MAX + 1];
        if (lines + 1 == area.height) { /* the last line: text that does not fit is cut */
            canvas_text(canvas, area.x, area.y + lines, area.width, style, text);
            return area.height;
        }
        size_t take = take_line(text, area.width);
        memcpy(line, text, take);
        line[take] = '\0';
        canvas_text(canvas, area.x, area.y + lines, area.width, style, line);
        lines++;
        if (take == 0)
            break;
        text += take;
        text += strspn(text, " ");
    }
    return lines;
}

int canvas_wrapped_lines(const char *text, int width)
{
    int lines = 0;
    for (size_t take = 1; take > 0 && *text != '\0'; lines++) {
        take = take_line(text, width);
        text += take;
        text += strspn(text, " ");
    }
    return lines;
}

void canvas_frame(struct canvas *canvas, struct rect area, const char *title, bool focus)
{
    struct style line = STYLE(focus ? COLOR_FOCUS : COLOR_FRAME, COLOR_NONE, 0);
    int right = area.x + area.width - 1, bottom = area.y + area.height - 1;
    for (int x = area.x + 1; x < right; x++) {
        canvas_glyph(canvas, x, area.y, GLYPH_HORIZONTAL, line);
        canvas_glyph(canvas, x, bottom, GLYPH_HORIZONTAL, line);
    }
    for (int y = area.y + 1; y < bottom; y++) {
        canvas_glyph(canvas, area.x, y, GLYPH_VERTICAL, line);
        canvas_glyph(canvas, right, y, GLYPH_VERTICAL, line);
    }
    canvas_glyph(canvas, area.x, area.y, GLYPH_TOP_LEFT, line);
    canvas_glyph(canvas, right, area.y, GLYPH_TOP_RIGHT, line);
    canvas_glyph(canvas, area.x, bottom, GLYPH_BOTTOM_LEFT, line);
    canvas_glyph(canvas, right, bottom, GLYPH_BOTTOM_RIGHT, line);
    if (!title || area.width < 8)
        return;
    char shown[600];
    text_clauses(title, area.width - 6, shown, sizeof shown);
    int taken =
        canvas_text(canvas, area.x + 3, area.y, area.width - 6,
                    STYLE(focus ? COLOR_FOCUS : COLOR_TITLE, COLOR_NONE, focus ? ATTRIBUTE_BOLD : 0), shown);
    canvas_put(canvas, area.x + 2, area.y, focus ? glyph_codepoint(GLYPH_SELECTED, canvas->ascii) : ' ',
               line);
    canvas_put(canvas, area.x + 3 + taken, area.y, ' ', line);
}

void canvas_ground(struct canvas *canvas, struct rect area, enum color background)
{
    for (int y = area.y; y < area.y + area.height; y++) {
        for (int x = area.x; x < area.x + area.width; x++) {
            struct cell *cell = cell_at(canvas, x, y);
            if (cell && cell->style.background == COLOR_NONE)
                cell->style.background = (uint8_t)background;
        }
    }
}
