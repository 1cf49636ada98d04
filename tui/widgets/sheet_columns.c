/* SPDX-License-Identifier: Apache-2.0 */
/* A column is as wide as its head and its cells need; a valued one has a cell more, for the mark. */
#include "tui/widgets/sheet_columns.h"

#include "tui/terminal/text.h"
#include "tui/widgets/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEAD_CELLS_MAX 240

/* Sums of a damaged recording may be as large as their type, and a double rounds that up. */
static int64_t whole_of(double number)
{
    return number < 0x1p63 ? (int64_t)number : INT64_MAX;
}

static struct number number_text(enum sheet_kind kind, double number)
{
    struct number text = {.text = "-"};
    if (isnan(number))
        return text;
    switch (kind) {
    case SHEET_TIME: return number_time(whole_of(number));
    case SHEET_COUNT: return number_short((uint64_t)whole_of(number));
    case SHEET_BYTES: return number_bytes((uint64_t)whole_of(number));
    case SHEET_RATE: return number_rate(number);
    case SHEET_SHARE:
        snprintf(text.text, sizeof text.text, "%.60s %%", number_percent(100 * number, 2).text);
        break;
    case SHEET_RATIO:
        if (isinf(number))
            snprintf(text.text, sizeof text.text, "no limit");
        else
            snprintf(text.text, sizeof text.text, "%.2fx", number);
        break;
    case SHEET_NUMBER:
        snprintf(text.text, sizeof text.text,
                 fabs(number) < 1e15 && number == trunc(number) ? "%.0f" : "%.4g", number);
        break;
    case SHEET_YES: snprintf(text.text, sizeof text.text, "%s", number != 0 ? "yes" : "no"); break;
    case SHEET_TEXT:
    case SHEET_SENTENCE:
    case SHEET_KERNEL:
    case SHEET_KIND_COUNT: break;
    }
    return text;
}

void sheet_cell_text(const struct sheet_column *column, const struct sheet_cell *cell,
                     struct short_names *names, int cells, char *text, size_t size_bytes)
{
    if (column->kind == SHEET_KERNEL && cell->text) {
        char name[2048];
        short_names_print(names, cell->text, cells, name, sizeof name);
        snprintf(text, size_bytes, "%s", name);
        return;
    }
    const char *mark = column->valued && cell->provenance != PROVENANCE_MEASURED && !isnan(cell->number)
                           ? (cell->provenance == PROVENANCE_MODELLED ? "~" : "=")
                           : "";
    if (cell->text || !sheet_kind_is_number(column->kind))
        snprintf(text, size_bytes, "%s%s", mark, cell->text ? cell->text : "-");
    else
        snprintf(text, size_bytes, "%s%s", mark, number_text(column->kind, cell->number).text);
}

/* ---- which columns ---- */
static bool has_words(const struct sheet_column *column)
{
    return !sheet_kind_is_number(column->kind);
}

static int column_cells(const struct sheet_column *column)
{
    int head = text_width(column->head, HEAD_CELLS_MAX);
    int cells = column->cells + column->valued; /* with the mark */
    return cells > head ? cells : head;
}

/* Cells in which words, and kernels' names, can still be told apart. */
#define WORDS_LEAST 9
#define NAME_LEAST 12

static int least_cells(const struct sheet_column *column)
{
    int cells = column_cells(column);
    int least = column->kind == SHEET_KERNEL ? NAME_LEAST : WORDS_LEAST;
    return has_words(column) && cells > least ? least : cells;
}

/* What a line takes if each column takes so much. */
static int sum_cells(const struct sheet_columns *columns, int (*cells)(const struct sheet_column *column))
{
    int sum = 0;
    for (int i = 0; i < columns->count; i++)
        sum += cells(sheet_columns_at(columns, i)) + (i > 0);
    return sum;
}

void sheet_columns_all(struct sheet_columns *columns, const struct sheet *sheet)
{
    *columns = (struct sheet_columns){.sheet = sheet};
    for (int i = 0; i < sheet->column_count; i++)
        if (sheet->columns[i].head)
            columns->shown[columns->count++] = i;
}

static void leave_out(struct sheet_columns *columns, int place)
{
    memmove(&columns->shown[place], &columns->shown[place + 1],
            (size_t)(columns->count - place - 1) * sizeof columns->shown[0]);
    columns->count--;
}

/* The place to be left out next: the highest priority, of equal ones the last, but not below `least`; -1:
 * none. */
static int find_least(const struct sheet_columns *columns, int least, int chosen, int words)
{
    int found = -1;
    for (int i = 0; i < columns->count; i++) {
        int priority = sheet_columns_at(columns, i)->priority;
        if (priority >= least && columns->shown[i] != chosen && columns->shown[i] != words &&
            (found < 0 || priority >= sheet_columns_at(columns, found)->priority))
            found = i;
    }
    return found;
}

/* Gives each column what it wants, the first ones first, and the rest to `roomy` and the last one. */
static void share_cells(struct sheet_columns *columns, int width,
                        int (*least)(const struct sheet_column *column), int roomy)
{
    int left = width - sum_cells(columns, least), last = columns->count - 1;
    for (int i = 0; i < columns->count; i++) {
        const struct sheet_column *column = sheet_columns_at(columns, i);
        int more = column_cells(column) - least(column);
        more = more < left ? more : left > 0 ? left : 0;
        columns->cells[i] = least(column) + more;
        left -= more;
    }
    for (int i = 0; i < columns->count; i++)
        if (columns->shown[i] == roomy)
            for (; left > 0 && columns->cells[i] < SHEET_ROOMY; left--)
                columns->cells[i]++;
    if (last >= 0 && has_words(sheet_columns_at(columns, last)))
        columns->cells[last] += left > 0 ? left : 0;
}

void sheet_columns_fit(struct sheet_columns *columns, int width)
{
    int place = 0;
    while (place >= 0 && sum_cells(columns, column_cells) > width)
        if ((place = find_least(columns, 1, -1, -1)) >= 0)
            leave_out(columns, place);
    share_cells(columns, width, column_cells, -1);
}

void sheet_columns_squeeze(struct sheet_columns *columns, int width, int chosen, const bool *empty, int roomy)
{
    int words = -1, place;
    for (int i = columns->count; empty && i-- > 0;)
        if (empty[columns->shown[i]] && columns->shown[i] != chosen && columns->count > 1)
            leave_out(columns, i);
    while (sum_cells(columns, column_cells) > width && (place = find_least(columns, 1, chosen, -1)) >= 0)
        leave_out(columns, place);
    for (int i = columns->count; i-- > 0;)
        if (has_words(sheet_columns_at(columns, i)) && sheet_columns_at(columns, i)->priority == 0 &&
            (words < 0 || columns->sheet->columns[words].kind != SHEET_KERNEL))
            words = columns->shown[i];
    while (sum_cells(columns, least_cells) > width && (place = find_least(columns, 0, chosen, words)) >= 0)
        leave_out(columns, place);
    share_cells(columns, width, least_cells, roomy);
}
