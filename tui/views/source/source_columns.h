/*
 * The columns of the source page: those that fit a width, the most important first; each is of one side, and
 * costs that were not counted have none. Pure but for what it paints.
 */
#ifndef TUI_VIEWS_SOURCE_SOURCE_COLUMNS_H
#define TUI_VIEWS_SOURCE_SOURCE_COLUMNS_H

#include "tui/terminal/canvas.h"
#include "tui/views/source/source.h"

#define SOURCE_COLUMNS_MAX 24

struct source_column {
    uint8_t kind; /* the file's own */
    uint8_t side; /* enum provenance */
    uint8_t cost; /* enum code_cost */
    uint8_t width;
};

struct source_columns {
    struct source_column columns[SOURCE_COLUMNS_MAX]; /* as they stand */
    int count, width;
    bool both; /* sides: then a line above the heads says which is which */
};

struct source_columns source_columns_of(const struct source_view *view, int width);
/* One or two lines: heads, and above them the sides. */
void source_columns_draw_heads(const struct source_view *view, const struct source_columns *columns,
                               struct canvas *canvas, int x, int y);
void source_columns_draw(const struct source_view *view, const struct source_columns *columns,
                         struct canvas *canvas, int x, int y, const struct source_line *row,
                         struct style style);

#endif
