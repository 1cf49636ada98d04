/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the bytes that each row of the band takes, with plain cells and with all its colours. Rows get their
 * colours from the top down, as long as the frame stays within DEFERRAL_BYTES; the colours of the other rows
 * are deferred.
 */
#include "tui/terminal/deferral.h"

#define FULL_BLOCK 0x2588u
/* Bytes on a terminal with 256 colours. */
#define MOVE_BYTES 8
#define COLOR_BYTES 11
#define ATTRIBUTE_BYTES 5
#define SHIFT_BYTES 26

static bool is_work(uint8_t color)
{
    return color == COLOR_INK || color >= COLOR_COPY_IN;
}

/* Is it a block that fills n eighths of the cell from the left? */
static bool is_left_block(uint32_t codepoint)
{
    return codepoint >= FULL_BLOCK && codepoint <= 0x258f;
}

struct cell deferral_plain(const struct cell *cell)
{
    struct cell plain = {.codepoint = cell->codepoint, .style = cell->style};
    bool ground = is_work(cell->style.background);
    if (!ground && (!is_work(cell->style.foreground) || cell->mark[0] != 0 || cell->codepoint == 0))
        return *cell;
    plain.style.attributes &= ATTRIBUTE_UNDERLINE;
    plain.style.foreground = COLOR_CPU;
    if (ground) {
        plain.style.background = COLOR_NONE;
        plain.codepoint = FULL_BLOCK;
    } else if ((cell->style.attributes & ATTRIBUTE_REVERSE) != 0 && is_left_block(cell->codepoint)) {
        plain.codepoint = glyph_lower_eighths((int)(cell->codepoint - FULL_BLOCK), false);
    }
    return plain;
}

/* The colour of the work that fills the cell; NONE: the cell is not filled with one. */
static uint8_t ground_of(const struct cell *cell)
{
    if (cell->codepoint == FULL_BLOCK && cell->style.background == COLOR_NONE &&
        cell->style.attributes == 0 && is_work(cell->style.foreground))
        return cell->style.foreground;
    return is_work(cell->style.background) ? cell->style.background : (uint8_t)COLOR_NONE;
}

/* ---- a row of the band ---- */
struct row {
    struct cell *wanted;
    const struct cell *shown;
    int from, to; /* columns */
    int shift;
};

/* The cell that the terminal shows here after the row has been shifted; NULL: a blank that has come into
 * view. */
static const struct cell *shown_at(const struct row *row, int x)
{
    int from = x + row->shift;
    return from < row->from || from >= row->to ? NULL : &row->shown[from];
}

/* The cell to show until the colours follow. A name that comes into view letter by letter may appear later
 * than its background. */
static struct cell cell_meanwhile(const struct row *row, int x)
{
    const struct cell *shown = shown_at(row, x), *wanted = &row->wanted[x];
    struct cell plain = deferral_plain(wanted);
    if (!shown || cell_equal(shown, &plain))
        return plain;
    bool same_ground = ground_of(wanted) != COLOR_NONE && ground_of(wanted) == ground_of(shown);
    bool underlined = ((wanted->style.attributes ^ shown->style.attributes) & ATTRIBUTE_UNDERLINE) != 0;
    return same_ground && !underlined && shown->codepoint != 0 && wanted->codepoint != 0 ? *shown : *wanted;
}

/* ---- bytes of cells ---- */
static int glyph_bytes(uint32_t codepoint)
{
    return codepoint < 0x80 ? 1 : codepoint < 0x800 ? 2 : codepoint < 0x10000 ? 3 : 4;
}

static int style_bytes(struct style before, struct style now)
{
    return (now.attributes != before.attributes ? ATTRIBUTE_BYTES : 0) +
           (now.foreground != before.foreground ? COLOR_BYTES : 0) +
           (now.background != before.background ? COLOR_BYTES : 0);
}

struct pen { /* the position and style of painting */
    struct style style;
    int x, y, bytes;
};

static void pen_put(struct pen *pen, int x, int y, const struct cell *cell)
{
    struct style style = cell->style;
    if (ground_of(cell) != COLOR_NONE && style.background == COLOR_NONE && style.foreground != COLOR_CPU)
        style = STYLE(COLOR_INK, style.foreground, ATTRIBUTE_BOLD); /* painted as a blank */
    pen->bytes += (pen->y == y && pen->x == x ? 0 : MOVE_BYTES) + style_bytes(pen->style, style) +
                  glyph_bytes(cell->codepoint);
    pen->style = style;
    pen->x = x + 1;
    pen->y = y;
}

static int row_bytes(const struct row *row, bool wait)
{
    static const struct cell blank = {.codepoint = ' '};
    struct pen pen = {.bytes = row->shift != 0 ? SHIFT_BYTES : 0};
    for (int x = row->from; x < row->to; x++) {
        const struct cell *shown = shown_at(row, x);
        struct cell cell = wait ? cell_meanwhile(row, x) : row->wanted[x];
        if (!cell_equal(&cell, !shown ? &blank : shown))
            pen_put(&pen, x, 0, &cell);
    }
    return pen.bytes;
}

/* The bytes of all changes outside the band. */
static int other_bytes(const struct cell *wanted, const struct cell *shown, int width, int height,
                       const struct rect *band)
{
    struct pen pen = {.x = -1};
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            size_t at = (size_t)y * (size_t)width + (size_t)x;
            if (!rect_holds(*band, x, y) && !cell_equal(&wanted[at], &shown[at]))
                pen_put(&pen, x, y, &wanted[at]);
        }
    return pen.bytes;
}

/* ---- deferring ---- */
static bool put_off(const struct row *row)
{
    bool any = false;
    for (int x = row->from; x < row->to; x++) {
        struct cell cell = cell_meanwhile(row, x);
        any |= !cell_equal(&cell, &row->wanted[x]);
        row->wanted[x] = cell;
    }
    return any;
}

static struct row row_of(struct cell *wanted, const struct cell *shown, int width, const struct rect *band,
                         int y, int shift)
{
    size_t line = (size_t)(band->y + y) * (size_t)width;
    return (struct row){wanted + line, shown + line, band->x, band->x + band->width, shift};
}

/* The band shows the same content, either in place or shifted by a few columns. */
static bool is_pan(const struct canvas_band *before, const struct canvas_band *now, int shift)
{
    return canvas_band_same(before, now) && (shift != 0 || before->start == now->start) &&
           shift <= DEFERRAL_COLUMNS && shift >= -DEFERRAL_COLUMNS;
}

bool deferral_make(struct cell *wanted, const struct cell *shown, const struct canvas *canvas,
                   const struct canvas_band *before, int shift, const bool *shifted)
{
    const struct rect *band = &canvas->band.area;
    int width = canvas->width, height = canvas->height;
    bool any = false;
    if (!is_pan(before, &canvas->band, shift))
        return false;
    /* First count what has to be painted in any case, then add colours, from the top. */
    int bytes = other_bytes(wanted, shown, width, height, band);
    for (int y = 0; y < band->height; y++) {
        struct row row = row_of(wanted, shown, width, band, y, shift != 0 && shifted[y] ? shift : 0);
        bytes += row_bytes(&row, true);
    }
    for (int y = 0; y < band->height; y++) {
        struct row row = row_of(wanted, shown, width, band, y, shift != 0 && shifted[y] ? shift : 0);
        int more = row_bytes(&row, false) - row_bytes(&row, true);
        if (bytes + more <= DEFERRAL_BYTES)
            bytes += more;
        else
            any |= put_off(&row);
    }
    return any;
}
