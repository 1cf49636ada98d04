/* A text in the middle of a line is padded to its column; the last one takes what the others leave. */
#include "cli/report/report_columns.h"

#include "cli/output/csv.h"
#include "tui/terminal/text.h"
#include "tui/widgets/number.h"

#include <math.h>
#include <string.h>

/* A sum of times from a recording of others may be as large as its type, and a double rounds that up. */
static int64_t whole_of(double number)
{
    return number < 0x1p63 ? (int64_t)number : INT64_MAX;
}

static struct number cell_text(enum column_kind kind, double number)
{
    struct number text = {.text = "-"};
    if (isnan(number))
        return text;
    switch (kind) {
    case COLUMN_TIME: return number_time(whole_of(number));
    case COLUMN_COUNT: return number_short((uint64_t)whole_of(number));
    case COLUMN_BYTES: return number_bytes((uint64_t)whole_of(number));
    case COLUMN_RATE: return number_rate(number);
    case COLUMN_SHARE: snprintf(text.text, sizeof text.text, "%.2f %%", 100 * number); break;
    case COLUMN_TEXT: break;
    }
    return text;
}

/* Cells of the columns before the last one, each with the blank after it. */
static int cells_before(const struct columns *columns, int last)
{
    int cells = 0;
    for (int i = 0; i < last; i++)
        cells += columns->items[i].cells > 0 ? columns->items[i].cells + 1 : 0;
    return cells;
}

int columns_left(const struct columns *columns)
{
    int last = columns->count - 1, left = columns->width - cells_before(columns, last);
    if (columns->width == 0)
        return 0;
    return left > columns->items[last].cells ? left : columns->items[last].cells;
}

static void print_text(const struct columns *columns, int index, const char *text)
{
    char shown[1600];
    bool last = index + 1 == columns->count;
    int cells = last ? columns_left(columns) : columns->items[index].cells;
    if (cells == 0) {
        text_print(text, columns->out);
        return;
    }
    text_shorten(text, cells, shown, sizeof shown);
    fprintf(columns->out, "%s%*s", shown, last ? 0 : cells - text_width(shown, cells), "");
}

/* Writes what separates a shown column from the one before; false: the column is not shown. */
static bool begin_column(const struct columns *columns, const struct column *column, bool *any)
{
    if (columns->csv ? column->id == NULL : column->cells <= 0)
        return false;
    if (*any)
        putc(columns->csv ? ',' : ' ', columns->out);
    *any = true;
    return true;
}

void columns_head(const struct columns *columns)
{
    bool any = false;
    for (int i = 0; i < columns->count; i++) {
        const struct column *column = &columns->items[i];
        if (!begin_column(columns, column, &any))
            continue;
        if (columns->csv)
            fputs(column->id, columns->out);
        else if (column->kind == COLUMN_TEXT)
            fprintf(columns->out, "%-*s", i + 1 < columns->count ? column->cells : 0, column->head);
        else
            fprintf(columns->out, "%*s", column->cells, column->head);
    }
    putc('\n', columns->out);
}

void columns_row(const struct columns *columns, const struct cell *cells)
{
    bool any = false;
    if (columns->rows)
        ++*columns->rows;
    for (int i = 0; i < columns->count; i++) {
        const struct column *column = &columns->items[i];
        if (!begin_column(columns, column, &any))
            continue;
        if (column->kind == COLUMN_TEXT && columns->csv)
            csv_text(columns->out, cells[i].text);
        else if (column->kind == COLUMN_TEXT)
            print_text(columns, i, cells[i].text);
        else if (!columns->csv)
            fprintf(columns->out, "%*s", column->cells, cell_text(column->kind, cells[i].number).text);
        else if (!isnan(cells[i].number))
            fprintf(columns->out, "%.15g", cells[i].number);
    }
    putc('\n', columns->out);
}
