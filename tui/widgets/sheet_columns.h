/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns of a sheet for readers: which are shown in a width, how wide they are, and the text of a cell.
 * The printers of text and the table of the screen share it, so that they never show other numbers. Pure
 * functions; any thread.
 */
#ifndef TUI_WIDGETS_SHEET_COLUMNS_H
#define TUI_WIDGETS_SHEET_COLUMNS_H

#include "core/sheet/sheet.h"
#include "tui/widgets/short_names.h"

#include <stddef.h>

struct sheet_columns {
    const struct sheet *sheet;
    int shown[SHEET_COLUMNS_MAX]; /* indices of columns with heads, in their order on a line */
    int cells[SHEET_COLUMNS_MAX]; /* of each, after a fit; one blank is between two */
    int count;
};

/* All that have heads. */
void sheet_columns_all(struct sheet_columns *columns, const struct sheet *sheet);
/* Leaves columns out until the others have room in `width` cells: the highest priority first, of equal ones
 * the last; those of priority 0 stay. The last one, if it has words, takes what the others leave. */
void sheet_columns_fit(struct sheet_columns *columns, int width);
/* The same for less room: words take fewer cells before a column is left out, and of those of priority 0 too
 * all but the kernel, or the first words, and `chosen` (an index of a column; -1: none), which stays whatever its priority. `empty`
 * (by column; NULL: none): those are left out if there is room, too. `roomy` (-1: none) takes
 * cells that are left, up to SHEET_ROOMY, before the last one does. */
#define SHEET_ROOMY 45
void sheet_columns_squeeze(struct sheet_columns *columns, int width, int chosen, const bool *empty,
                           int roomy);
static inline const struct sheet_column *sheet_columns_at(const struct sheet_columns *columns, int place)
{
    return &columns->sheet->columns[columns->shown[place]];
}

/* The text of a cell, whole: a number scaled and with its unit, the mark of its provenance before it ("~"
 * modelled, "=" expected); "-": not known. A kernel's name is shortened to `cells` cells, or with
 * SHORT_NAME_WHOLE to what tells it from the others. Text from outside, which the caller makes visible. */
void sheet_cell_text(const struct sheet_column *column, const struct sheet_cell *cell,
                     struct short_names *names, int cells, char *text, size_t size_bytes);

#endif
