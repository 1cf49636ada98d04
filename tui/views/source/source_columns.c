/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the columns beside the source. They are tried in the order of `telling` until the width is used up,
 * and then shown in the order of `standing`.
 */
#include "tui/views/source/source_columns.h"

#include "core/analysis/code_costs.h"
#include "tui/widgets/field.h"
#include "tui/widgets/number.h"

#include <math.h>
#include <stdio.h>

#define TEXT_CELLS 47      /* cells kept free for line number and text */
#define TEXT_CELLS_BOTH 72 /* the same if the columns of both sides are shown */
#define COUNT_CELLS 8
#define REASON_CELLS 19
#define REASON_CELLS_BOTH 38 /* with ncu's name beside ours */

enum kind { KIND_COST, KIND_REASON, KIND_SHARE };

/* The columns by importance; and in the order in which they are shown. */
static const enum code_cost telling[] = {
    CODE_SAMPLES,       CODE_SECTORS,          CODE_PASSES,        CODE_INSTRUCTIONS,    CODE_WAVEFRONTS,
    CODE_IDEAL_SECTORS, CODE_IDEAL_WAVEFRONTS, CODE_LOCAL_SECTORS, CODE_TEXTURE_SECTORS, CODE_DIVERGENT};
static const enum code_cost standing[] = {
    CODE_SAMPLES,    CODE_INSTRUCTIONS,     CODE_SECTORS,       CODE_IDEAL_SECTORS,   CODE_PASSES,
    CODE_WAVEFRONTS, CODE_IDEAL_WAVEFRONTS, CODE_LOCAL_SECTORS, CODE_TEXTURE_SECTORS, CODE_DIVERGENT};
#define COSTS (sizeof telling / sizeof telling[0])

/* Rare costs have a column only if they are not all 0. */
static bool is_worth(const struct code_listing *listing, enum code_cost cost)
{
    bool rare = cost == CODE_LOCAL_SECTORS || cost == CODE_TEXTURE_SECTORS || cost == CODE_DIVERGENT ||
                cost == CODE_PASSES;
    return listing->has[cost] && (!rare || listing->totals[cost] > 0);
}

static void add_column(struct source_columns *columns, enum kind kind, enum provenance side,
                       enum code_cost cost, int width)
{
    columns->columns[columns->count++] = (struct source_column){
        .kind = (uint8_t)kind, .side = (uint8_t)side, .cost = (uint8_t)cost, .width = (uint8_t)width};
    columns->width += width;
}

/* Are there more wavefronts than the ideal, and by a larger ratio than for sectors? A narrow screen then
 * shows the wavefronts. */
static bool is_about_banks(const struct code_listing *listing)
{
    const double *totals = listing->totals;
    double conflicts = totals[CODE_WAVEFRONTS] - totals[CODE_IDEAL_WAVEFRONTS];
    return listing->has[CODE_WAVEFRONTS] && conflicts > totals[CODE_SECTORS] - totals[CODE_IDEAL_SECTORS];
}

/* Adds a side's columns to `room` cells. */
static void add_side(const struct source_view *view, struct source_columns *columns, enum provenance side,
                     int room)
{
    const struct code_listing *listing = &view->sides[side].listing;
    bool chosen[CODE_COST_COUNT] = {false}, reasons = false, banks = is_about_banks(listing);
    int reason_cells = columns->both_names ? REASON_CELLS_BOTH : REASON_CELLS;
    for (size_t i = 0; i < COSTS; i++) {
        enum code_cost cost = telling[i];
        if (banks && (cost == CODE_INSTRUCTIONS || cost == CODE_WAVEFRONTS))
            cost = cost == CODE_INSTRUCTIONS ? CODE_WAVEFRONTS : CODE_INSTRUCTIONS;
        if (is_worth(listing, cost) && room >= COUNT_CELLS &&
            columns->count + (int)COSTS < SOURCE_COLUMNS_MAX) {
            chosen[cost] = true;
            room -= COUNT_CELLS;
        }
        if (cost == CODE_SECTORS && chosen[CODE_SAMPLES] && room >= reason_cells) {
            reasons = true;
            room -= reason_cells;
        }
    }
    for (size_t i = 0; i < COSTS; i++) {
        if (chosen[standing[i]])
            add_column(columns, KIND_COST, side, standing[i], COUNT_CELLS);
        if (standing[i] == CODE_SAMPLES && reasons)
            add_column(columns, KIND_REASON, side, CODE_SAMPLES, reason_cells);
    }
}

static struct source_columns columns_with(const struct source_view *view, int width, bool both_names)
{
    struct source_columns columns = {.both_names = both_names};
    enum provenance other = view->shown == PROVENANCE_MEASURED ? PROVENANCE_MODELLED : PROVENANCE_MEASURED;
    if (width < 40)
        return columns;
    add_side(view, &columns, view->shown, width - TEXT_CELLS - COUNT_CELLS);
    /* Show all columns of the other side or none: only some of them would mislead. */
    struct source_columns more = columns;
    add_side(view, &more, other, width - TEXT_CELLS_BOTH - COUNT_CELLS - columns.width);
    if (view->sides[other].known && view->shape == SOURCE_LINES && more.count - columns.count >= 5) {
        columns = more;
        columns.both = true;
    }
    add_column(&columns, KIND_SHARE, view->shown, CODE_SAMPLES, COUNT_CELLS);
    return columns;
}

/* ncu's names of the reasons stand beside ours if that costs no other column. */
struct source_columns source_columns_of(const struct source_view *view, int width)
{
    struct source_columns columns = columns_with(view, width, false), named = columns_with(view, width, true);
    return named.count == columns.count ? named : columns;
}

static const char *head_of(const struct source_column *column)
{
    return column->kind == KIND_SHARE    ? "cost"
           : column->kind == KIND_REASON ? "  mostly waits for"
                                         : code_cost_info(column->cost)->title;
}

void source_columns_draw_heads(const struct source_view *view, const struct source_columns *columns,
                               struct canvas *canvas, int x, int y)
{
    struct style style = STYLE(COLOR_FOCUS, COLOR_NONE, ATTRIBUTE_UNDERLINE);
    enum provenance last = PROVENANCE_COUNT;
    for (int i = 0; i < columns->count; i++) {
        const struct source_column *column = &columns->columns[i];
        if (columns->both && column->side != last && column->kind != KIND_SHARE)
            canvas_printf(canvas, x + 1, y - 1, 5 * COUNT_CELLS - 1, STYLE(COLOR_TITLE, COLOR_NONE, 0),
                          "%s on %s%s", provenance_text(column->side), view->sides[column->side].of,
                          view->sides[column->side].small ? ", small" : "");
        last = column->side;
        if (column->kind == KIND_REASON)
            canvas_text(canvas, x + 1, y, column->width - 1, style, "mostly");
        else
            field_words(canvas, x, y, column->width - 1, style, head_of(column));
        x += column->width;
    }
}

static void count_text(const double *costs, const struct source_column *column, char *text, size_t size_bytes)
{
    text[0] = '\0';
    if (!costs)
        return;
    double number = costs[column->cost];
    if (number == floor(number) || number >= 1000)
        snprintf(text, size_bytes, "%s", number_short((uint64_t)(number + 0.5)).text);
    else
        snprintf(text, size_bytes, "%.1f", number);
}

static void reason_text(const struct source_view *view, const struct source_line *row, bool both_names,
                        char text[STALL_REASON_TEXT_BYTES])
{
    struct code_reason reasons[CODE_REASONS_MAX];
    uint32_t count = source_row_reasons(view, row, reasons), first = 0;
    const struct stall_reason *known = NULL;
    text[0] = '\0';
    for (; first < count; first++) { /* skip reasons that are not stalls */
        known = stall_reason_find(reasons[first].name);
        if (!known || !known->works)
            break;
    }
    if (first < count && both_names)
        stall_reason_text(reasons[first].name, text);
    else if (first < count)
        snprintf(text, STALL_REASON_TEXT_BYTES, "%s", known ? known->title : reasons[first].name);
}

void source_columns_draw(const struct source_view *view, const struct source_columns *columns,
                         struct canvas *canvas, int x, int y, const struct source_line *row,
                         struct style style)
{
    char text[NUMBER_SIZE], reason[STALL_REASON_TEXT_BYTES];
    for (int i = 0; i < columns->count; i++) {
        const struct source_column *column = &columns->columns[i];
        if (column->kind == KIND_REASON) {
            reason_text(view, row, columns->both_names, reason);
            canvas_text(canvas, x + 1, y, column->width - 1, style, reason);
        } else if (column->kind == KIND_COST) {
            count_text(source_row_costs(view, row, column->side), column, text, sizeof text);
            field_number(canvas, x, y, column->width - 1, style, text);
        } else if (source_row_cost(view, row) > 0 && view->total > 0) {
            snprintf(text, sizeof text, "%.60s %%",
                     number_percent(100 * source_row_cost(view, row) / view->total, 1).text);
            field_number(canvas, x, y, column->width - 1, style, text);
        }
        x += column->width;
    }
}
