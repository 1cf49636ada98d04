/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The grid of cells that every view paints on: a code point, up to two marks that combine with it, and a
 * style per cell.
 *
 * Painting clips to the canvas and, for text, to the given width. Text goes through tui/terminal/text, so
 * that no unsafe byte from outside reaches a cell. A wide glyph takes two cells; the second has codepoint 0.
 * The glyphs that are not letters are in one table, each with its replacement for --ascii. The creator owns
 * the canvas; one thread at a time.
 */
#ifndef TUI_TERMINAL_CANVAS_H
#define TUI_TERMINAL_CANVAS_H

#include "core/base/error.h"
#include "tui/terminal/style.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A rectangle of cells. A rectangle that is not shown has width or height 0. Plain numbers; any thread.
 */

struct rect {
    int x, y, width, height;
};

static inline bool rect_shown(struct rect r)
{
    return r.width > 0 && r.height > 0;
}

static inline bool rect_holds(struct rect r, int x, int y)
{
    return x >= r.x && x < r.x + r.width && y >= r.y && y < r.y + r.height;
}

/* The rectangle without a border of one cell; not shown if nothing is left. */
static inline struct rect rect_inside(struct rect r)
{
    if (r.width <= 2 || r.height <= 2)
        return (struct rect){r.x, r.y, 0, 0};
    return (struct rect){r.x + 1, r.y + 1, r.width - 2, r.height - 2};
}

/* name, Unicode, ASCII */
#define GLYPH_LIST(X)            \
    X(HORIZONTAL, 0x2500, '-')   \
    X(VERTICAL, 0x2502, '|')     \
    X(TOP_LEFT, 0x250c, '+')     \
    X(TOP_RIGHT, 0x2510, '+')    \
    X(BOTTOM_LEFT, 0x2514, '+')  \
    X(BOTTOM_RIGHT, 0x2518, '+') \
    X(TICK, 0x252c, '+')         \
    X(FULL, 0x2588, '#')         \
    X(UPPER, 0x2580, '"')        \
    X(LOWER, 0x2584, '_')        \
    X(RUNNING, 0x2591, ':')      \
    X(DASH, 0x254c, '-')         \
    X(REST, 0x2591, '-')         \
    X(VERIFIED, 0x2713, 'v')     \
    X(FAILED, 0x2717, 'X')       \
    X(EQUAL, '=', '=')           \
    X(DIFFERENT, 0x2260, '!')    \
    X(SELECTED, 0x25b8, '>')     \
    X(SORTED_DOWN, 0x25be, 'v')  \
    X(SORTED_UP, 0x25b4, '^')    \
    X(WARNING, 0x25b2, '!')      \
    X(SEPARATOR, 0x00b7, '.')    \
    X(WINDOW_LEFT, 0x258c, '[')  \
    X(WINDOW_RIGHT, 0x2590, ']') \
    X(TIMES, 0x00d7, 'x')        \
    X(PATH, 0x2501, '~')

#define GLYPH_ENUM(name, unicode, ascii) GLYPH_##name,
enum glyph { GLYPH_LIST(GLYPH_ENUM) GLYPH_COUNT };
#undef GLYPH_ENUM

uint32_t glyph_codepoint(enum glyph glyph, bool ascii);

/* A cell filled from the left to n eighths (0...8). */
uint32_t glyph_left_eighths(int n, bool ascii);
/* A cell filled from the bottom to n eighths (0...8). */
uint32_t glyph_lower_eighths(int n, bool ascii);
/* Two bars side by side in a cell, heights 0...4 each: braille, or in ASCII a character of similar density.
 */
uint32_t glyph_bars(int left, int right, bool ascii);

struct cell {
    uint32_t codepoint; /* 0: the right half of a wide glyph */
    uint32_t mark[2];   /* combining marks, 0 none */
    struct style style;
};

/* An area whose content scrolls sideways when `start` changes; it shows `span` of the content. The terminal
 * then shifts the cells that it already shows. */
struct canvas_band {
    struct rect area; /* empty: there is none */
    int64_t start, span;
};

struct canvas {
    int width, height;
    bool ascii; /* only ASCII is painted */
    struct cell *cells;
    struct canvas_band band; /* set by painting, removed by canvas_clear */
};

#define CANVAS_SIDE_MAX 2000

enum status canvas_init(struct canvas *canvas, int width, int height, bool ascii, struct error *error);
void canvas_fini(struct canvas *canvas);
/* Changes the size; the content is lost. Keeps the old size if memory runs out. */
enum status canvas_resize(struct canvas *canvas, int width, int height, struct error *error);

void canvas_clear(struct canvas *canvas);
void canvas_fill(struct canvas *canvas, struct rect area, uint32_t codepoint, struct style style);
void canvas_put(struct canvas *canvas, int x, int y, uint32_t codepoint, struct style style);
void canvas_glyph(struct canvas *canvas, int x, int y, enum glyph glyph, struct style style);

/* Paints text into at most `width` cells from (x, y); longer text is cut as by text_cut. Returns the number
 * of cells painted. Columns of tables are painted by tui/widgets/field. */
int canvas_text(struct canvas *canvas, int x, int y, int width, struct style style, const char *text);
/* canvas_text with a format. */
int canvas_printf(struct canvas *canvas, int x, int y, int width, struct style style, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* Paints text, broken at blanks, into the lines of an area; text that does not fit in the last line is cut as
 * by text_cut. Returns the number of lines painted. */
int canvas_wrap(struct canvas *canvas, struct rect area, struct style style, const char *text);
/* The same without the first `skip` lines. */
int canvas_wrap_from(struct canvas *canvas, struct rect area, struct style style, const char *text, int skip);
/* A bar that is `share` (0...1) of so many cells long, to an eighth of a cell; at least one eighth if share
 * is not 0. */
void canvas_bar(struct canvas *canvas, int x, int y, int cells, double share, enum color color);
/* The number of lines that canvas_wrap needs to paint all of the text. */
int canvas_wrapped_lines(const char *text, int width);

/* A frame with a title in its top edge. */
void canvas_frame(struct canvas *canvas, struct rect area, const char *title, bool focus);

/* Changes the background of the cells of an area; cells that have their own background keep it. */
void canvas_ground(struct canvas *canvas, struct rect area, enum color background);

/* Do two bands have the same place and content, except for `start`? */
bool canvas_band_same(const struct canvas_band *before, const struct canvas_band *now);

/* The number of cells by which the band's content has moved to the left since `before`; 0: it has not moved,
 * or the band has changed. */
int canvas_band_shift(const struct canvas_band *before, const struct canvas_band *now);

bool cell_equal(const struct cell *a, const struct cell *b);
/* Should the terminal shift a row of the band by this number of cells to the left? Not if it shows wide or
 * combining glyphs, which a shift could cut. */
bool canvas_row_gains(const struct canvas *canvas, const struct cell *shown, int y, int shift);

/* Adds an attribute to the cell and keeps its other attributes. */
void canvas_add_attribute(struct canvas *canvas, int x, int y, enum attribute attribute);

const struct cell *canvas_cell(const struct canvas *canvas, int x, int y);

#endif
