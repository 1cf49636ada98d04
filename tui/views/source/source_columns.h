/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns of the source page: those that fit in a width, the most important first; each belongs to one
 * side, and costs that were not counted have no column. Pure except for what it paints.
 */
#ifndef TUI_VIEWS_SOURCE_SOURCE_COLUMNS_H
#define TUI_VIEWS_SOURCE_SOURCE_COLUMNS_H

#include "tui/terminal/canvas.h"
#include "tui/views/source/source.h"

#define SOURCE_COLUMNS_MAX 24

struct source_column {
    uint8_t kind; /* private to source_columns.c */
    uint8_t side; /* enum provenance */
    uint8_t cost; /* enum code_cost */
    uint8_t width;
};

struct source_columns {
    struct source_column columns[SOURCE_COLUMNS_MAX]; /* in the order shown */
    int count, width;
    bool both_names; /* of a reason for waiting: ours and ncu's */
    bool both;       /* columns of both sides: a line above the headings then names the sides */
};

struct source_columns source_columns_of(const struct source_view *view, int width);
/* Draws the headings, and if both sides are shown, a line above them with the sides. */
void source_columns_draw_heads(const struct source_view *view, const struct source_columns *columns,
                               struct canvas *canvas, int x, int y);
void source_columns_draw(const struct source_view *view, const struct source_columns *columns,
                         struct canvas *canvas, int x, int y, const struct source_line *row,
                         struct style style);

#endif
