/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sheet as a table: its rows in columns, of which the width shows those that matter most, sorted, filtered,
 * with groups and equal rows folded, and one row whole, with every column and what it means. A cell is chosen
 * by row and column; the chosen column is shown at any width. The view that embeds it gives it rows, room,
 * actions and the mouse. The tui's thread.
 */
#ifndef TUI_WIDGETS_SHEET_TABLE_H
#define TUI_WIDGETS_SHEET_TABLE_H

#include "core/sheet/sheet_kept.h"
#include "tui/terminal/canvas.h"
#include "tui/widgets/list.h"
#include "tui/widgets/prompt.h"
#include "tui/widgets/sheet_columns.h"

struct sheet_line;

/* The sign of a row and its colour, as on the timeline, and one before it; 0: a blank. */
struct sheet_mark {
    uint32_t codepoint, before;
    uint8_t color, before_color; /* enum color */
};

/* What a view adds to the rows of its table. Any may be NULL. `of`: the view's; `row`: as the sheet gave it. */
struct sheet_face {
    struct sheet_mark (*mark)(const void *of, size_t row); /* before the words that name the row */
    bool marks_two;                                        /* leaves room for the one before the sign */
    /* The text of a cell for so many cells, in place of the sheet's; false: the sheet's. */
    bool (*text)(const void *of, size_t row, int column, int cells, char *text, size_t size_bytes);
    /* Draws a cell itself; false: its text is drawn. */
    bool (*cell)(const void *of, size_t row, int column, struct canvas *canvas, struct rect at,
                 struct style style);
    /* Changes the style of a cell; it keeps its ground. */
    void (*style)(const void *of, size_t row, int column, struct style *style);
    /* Draws behind the last words, where there is room; row SIZE_MAX: in the line of the heads. NULL: the share of
     * the first column, as a bar. */
    void (*behind)(const void *of, size_t row, struct canvas *canvas, struct rect room, uint8_t ground);
    bool brief;         /* no line on the chosen column */
    bool groups_folded; /* they begin so */
    bool tells_empty;   /* which columns have no value in any row; a table without a face says it, too */
    bool first_stays;   /* the first row stays the first in any order */
    int roomy;          /* 1 + a column of words that takes what is left before the last one does; 0: none */
};

struct sheet_table { /* all zeros: it has no rows yet; sheet_table_fini frees it */
    struct sheet_kept kept;
    struct sheet_line *lines;
    size_t line_count, shown_rows; /* rows that the filter leaves */
    struct sheet_columns columns;  /* those that the width shows */
    struct list list, fields;      /* of the lines; of the columns of a row that is shown whole */
    struct rect area;              /* where it is on the screen */
    int chosen;                    /* a column of the sheet */
    int sorted;                    /* 1 + a column; 0: in the sheet's order */
    bool reverse, folds_rows, whole, no_memory;
    bool *folded; /* by group */
    char filter[FILTER_SIZE];
    bool *empty; /* by column: no row says anything there */
    /* Set by the view before its first sheet_table_take; NULL: it adds nothing. */
    const struct sheet_face *face;
    const void *of;
};

/* Takes the rows over. Those of the sheet that it has replace them and leave order, filter and selection;
 * those of another one begin anew. */
void sheet_table_take(struct sheet_table *table, struct sheet_kept *kept);
void sheet_table_fini(struct sheet_table *table);

/* For an area, in which draw and mouse find it: a line on the chosen column, the heads, and the rows. */
void sheet_table_update(struct sheet_table *table, struct rect area);
void sheet_table_draw(const struct sheet_table *table, struct canvas *canvas, struct short_names *names,
                      bool focus);

/* Moves and LEFT, RIGHT (the chosen column), SORT, REVERSE, FOLD, OPEN (the row whole, and back). False:
 * another action. */
bool sheet_table_act(struct sheet_table *table, enum action action);
/* After a change of `filter`. */
void sheet_table_filtered(struct sheet_table *table);
/* A click on a head sorts by it, a second one reverses; one on a cell chooses it. *line: for list_mouse. */
void sheet_table_mouse(struct sheet_table *table, const struct mouse *mouse, int *line);
/* The list that moves: the lines', or of a row that is shown whole its columns'. */
struct list *sheet_table_list(struct sheet_table *table);
/* Folds or unfolds a group, from 1. */
void sheet_table_fold(struct sheet_table *table, uint32_t group);
/* Leaves the row that is shown whole; false: none is. */
bool sheet_table_close(struct sheet_table *table);

/* Selects the row, if the filter leaves it and no fold hides it. */
void sheet_table_select(struct sheet_table *table, size_t row);
/* The selected row, as the sheet gave it, and that of a line; SIZE_MAX: none is selected; the line is none. */
size_t sheet_table_row(const struct sheet_table *table);
size_t sheet_table_row_at(const struct sheet_table *table, int line);
/* The text of the chosen cell, whole; false: no row is selected. */
bool sheet_table_cell(const struct sheet_table *table, struct short_names *names, char *text,
                      size_t size_bytes);

#endif
