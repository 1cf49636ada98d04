/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of a table: per group its heading, then those of its rows that the filter leaves, in order; at
 * the end what the sheet notes. They are made anew when rows, order, filter or folding change, not for a
 * frame; a frame formats only the cells that it shows. A sort never takes a row out of its group.
 */
#include "tui/widgets/sheet_table.h"

#include "core/base/append.h"
#include "tui/terminal/text.h"
#include "tui/widgets/field.h"
#include "tui/widgets/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EQUAL_CELLS 7  /* "x 1,234" */
#define LABEL_CELLS 18 /* of a row that is shown whole */
#define DETAIL_LINES 5 /* below the lines: a rule, and a text in full */

enum line_kind { LINE_ROW, LINE_GROUP, LINE_NOTE, LINE_NONE, LINE_EMPTY, LINE_LEFT_OUT, LINE_WHY };

struct sheet_line {
    enum line_kind kind;
    uint32_t at;    /* row, group or note */
    uint32_t count; /* of a row: equal ones that it stands for; of a group: its rows */
};

static const struct sheet_column *column_of(const struct sheet_table *table, int column)
{
    return &table->kept.sheet->columns[column];
}

static const struct sheet_face *face_of(const struct sheet_table *table)
{
    static const struct sheet_face none;
    return table->face ? table->face : &none;
}

/* ---- the lines ---- */
static int compare_texts(const char *a, const char *b)
{
    return !a || !b ? (!a) - (!b) : strcmp(a, b);
}

/* The largest number first, texts in alphabetical order; what is not known is last in any order. */
static int compare_cells(const struct sheet_table *table, uint32_t a, uint32_t b, int column)
{
    struct sheet_cell left = sheet_kept_cell(&table->kept, a, column),
                      right = sheet_kept_cell(&table->kept, b, column);
    int order = 0;
    if (!sheet_kind_is_number(column_of(table, column)->kind)) {
        if (!left.text || !right.text)
            return compare_texts(left.text, right.text);
        order = strverscmp(left.text, right.text); /* stride=2 before stride=10 */
    } else {
        if (isnan(left.number) && isnan(right.number)) /* words in their place */
            return compare_texts(left.text, right.text);
        if (isnan(left.number) || isnan(right.number))
            return isnan(left.number) - isnan(right.number);
        order = (left.number < right.number) - (left.number > right.number);
    }
    return table->reverse ? -order : order;
}

static int compare_rows(const void *a, const void *b, void *context)
{
    const struct sheet_table *table = context;
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    const uint32_t *groups = table->kept.groups;
    if (groups[left] != groups[right])
        return groups[left] < groups[right] ? -1 : 1;
    if (face_of(table)->first_stays && (left == 0 || right == 0))
        return left == 0 ? -1 : 1;
    int order = table->sorted > 0 ? compare_cells(table, left, right, table->sorted - 1) : 0;
    if (order == 0)
        order = (left > right) - (left < right);
    return table->sorted == 0 && table->reverse ? -order : order;
}

static bool is_wanted(const struct sheet_table *table, size_t row)
{
    const char *texts[SHEET_COLUMNS_MAX + 1] = {sheet_kept_group(&table->kept, table->kept.groups[row])};
    size_t count = 1;
    for (int i = 0; i < table->kept.sheet->column_count; i++)
        if (column_of(table, i)->head) /* what cannot be seen is not searched */
            texts[count++] = sheet_kept_cell(&table->kept, row, i).text;
    return table->filter[0] == '\0' || filter_matches(table->filter, texts, count);
}

/* Do two rows look the same, in all columns that have heads? */
static bool is_equal(const struct sheet_table *table, uint32_t a, uint32_t b)
{
    if (table->kept.groups[a] != table->kept.groups[b])
        return false;
    for (int i = 0; i < table->kept.sheet->column_count; i++) {
        struct sheet_cell left = sheet_kept_cell(&table->kept, a, i),
                          right = sheet_kept_cell(&table->kept, b, i);
        bool number = sheet_kind_is_number(column_of(table, i)->kind);
        if (column_of(table, i)->head &&
            (compare_texts(left.text, right.text) != 0 || left.provenance != right.provenance ||
             (number && left.number != right.number && !(isnan(left.number) && isnan(right.number)))))
            return false;
    }
    return true;
}

/* Says the column nothing in any row that is not folded away? */
static bool is_empty(const struct sheet_table *table, int column)
{
    const struct sheet_kept *kept = &table->kept;
    const bool number = sheet_kind_is_number(column_of(table, column)->kind);
    size_t seen = 0;
    for (size_t row = 0; row < kept->rows; row++) {
        struct sheet_cell cell = sheet_kept_cell(kept, row, column);
        if (kept->groups[row] > 0 && table->folded[kept->groups[row] - 1])
            continue;
        if (cell.text || (number && !isnan(cell.number)))
            return false;
        seen++;
    }
    return seen > 0;
}

/* Which columns are; true: one of them has a head. */
static bool find_empty(struct sheet_table *table)
{
    const int columns = table->kept.sheet->column_count;
    bool any = false;
    free(table->empty);
    table->empty = calloc((size_t)columns, sizeof *table->empty);
    for (int i = 0; table->empty && i < columns; i++) {
        table->empty[i] = is_empty(table, i);
        any |= table->empty[i] && column_of(table, i)->head;
    }
    return any;
}

static void add_line(struct sheet_table *table, enum line_kind kind, size_t at)
{
    table->lines[table->line_count++] = (struct sheet_line){kind, (uint32_t)at, 1};
}

static void add_rows(struct sheet_table *table, const uint32_t *rows, size_t count)
{
    const struct sheet_kept *kept = &table->kept;
    uint32_t group = 0;
    size_t heading = 0, last = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        if (kept->groups[rows[i]] != group) {
            group = kept->groups[rows[i]];
            heading = table->line_count;
            add_line(table, LINE_GROUP, group);
            table->lines[heading].count = 0;
            last = SIZE_MAX;
        }
        if (group > 0)
            table->lines[heading].count++;
        if (group > 0 && table->folded[group - 1])
            continue;
        if (table->folds_rows && last != SIZE_MAX && is_equal(table, table->lines[last].at, rows[i])) {
            table->lines[last].count++;
            continue;
        }
        last = table->line_count;
        add_line(table, LINE_ROW, rows[i]);
    }
}

static void arrange_lines(struct sheet_table *table)
{
    const struct sheet_kept *kept = &table->kept;
    size_t count = 0, most = kept->rows + kept->group_count + kept->note_count + 4;
    uint32_t *rows = calloc(kept->rows + 1, sizeof *rows);
    struct sheet_line *lines = realloc(table->lines, most * sizeof *lines);
    table->lines = lines ? lines : table->lines;
    table->line_count = table->shown_rows = 0;
    table->no_memory = !rows || !lines || !table->folded;
    for (size_t i = 0; !table->no_memory && i < kept->rows; i++)
        if (is_wanted(table, i))
            rows[count++] = (uint32_t)i;
    if (!table->no_memory) {
        if (count > 1 && (table->sorted > 0 || table->reverse))
            qsort_r(rows, count, sizeof *rows, compare_rows, table);
        add_rows(table, rows, count);
        table->shown_rows = count;
        if (count == 0)
            add_line(table, LINE_NONE, 0);
        if (find_empty(table) && (!table->face || table->face->tells_empty))
            add_line(table, LINE_EMPTY, 0);
        if (kept->left_out > 0)
            add_line(table, LINE_LEFT_OUT, 0);
        if (kept->why[0] != '\0')
            add_line(table, LINE_WHY, 0);
        for (size_t i = 0; i < kept->note_count; i++)
            add_line(table, LINE_NOTE, i);
    }
    free(rows);
    list_update(&table->list, (int)table->line_count, table->list.height);
}

static const struct sheet_line *selected_line(const struct sheet_table *table)
{
    return table->list.selected < (int)table->line_count ? &table->lines[table->list.selected] : NULL;
}

static const struct sheet_line *selected_row(const struct sheet_table *table)
{
    const struct sheet_line *line = selected_line(table);
    return line && line->kind == LINE_ROW ? line : NULL;
}

/* Have two rows of a sheet the same words? */
static bool has_same_words(const struct sheet_kept *a, size_t left, const struct sheet_kept *b, size_t right)
{
    for (int i = 0; i < a->sheet->column_count; i++)
        if (!sheet_kind_is_number(a->sheet->columns[i].kind) &&
            compare_texts(sheet_kept_cell(a, left, i).text, sheet_kept_cell(b, right, i).text) != 0)
            return false;
    return strcmp(sheet_kept_group(a, a->groups[left]), sheet_kept_group(b, b->groups[right])) == 0;
}

/* The first column that says something; the first one if none does. */
static int first_column(const struct sheet_table *table)
{
    struct sheet_columns all;
    sheet_columns_all(&all, table->kept.sheet);
    for (int i = 0; i < all.count; i++)
        if (!table->empty || !table->empty[all.shown[i]])
            return all.shown[i];
    return all.count > 0 ? all.shown[0] : 0;
}

void sheet_table_select(struct sheet_table *table, size_t row)
{
    for (size_t i = 0; i < table->line_count; i++)
        if (table->lines[i].kind == LINE_ROW && table->lines[i].at == row)
            list_select(&table->list, (int)i);
}

/* The same row among new ones: it has the same words, and as many rows before it have them. */
static void select_same(struct sheet_table *table, const struct sheet_kept *before, uint32_t row)
{
    size_t rank = 0;
    for (size_t i = 0; i < row; i++)
        rank += has_same_words(before, i, before, row);
    for (size_t i = 0; i < table->kept.rows; i++) {
        if (has_same_words(&table->kept, i, before, row) && rank-- == 0) {
            sheet_table_select(table, i);
            return;
        }
    }
}

/* The line of the first row: below the first heading. */
static int first_row(const struct sheet_table *table)
{
    return table->line_count > 1 && table->lines[0].kind == LINE_GROUP;
}

void sheet_table_take(struct sheet_table *table, struct sheet_kept *kept)
{
    const struct sheet_line *selected = selected_row(table);
    struct sheet_kept before = table->kept;
    uint32_t row = selected ? selected->at : 0;
    bool *folded;
    bool follows = selected && /* at the top it stays there */
                   before.sheet == kept->sheet && table->list.selected > first_row(table);
    if (before.sheet != kept->sheet) {
        table->kept = (struct sheet_kept){0};
        sheet_table_fini(table);
    }
    table->kept = *kept;
    *kept = (struct sheet_kept){0};
    folded = calloc(table->kept.group_count + 1, sizeof *folded);
    for (size_t i = 0; folded && before.sheet == table->kept.sheet && table->folded &&
                       i < before.group_count && i < table->kept.group_count;
         i++)
        folded[i] = table->folded[i];
    for (size_t i = 0; folded && before.sheet != table->kept.sheet && i < table->kept.group_count; i++)
        folded[i] = face_of(table)->groups_folded;
    free(table->folded);
    table->folded = folded; /* NULL: arrange_lines says so */
    arrange_lines(table);
    if (before.sheet != table->kept.sheet)
        table->chosen = first_column(table);
    if (follows)
        select_same(table, &before, row);
    else
        table->list.selected = first_row(table); /* not the heading, which stays in sight */
    sheet_kept_fini(&before);
}

void sheet_table_fini(struct sheet_table *table)
{
    int height = table->list.height;
    sheet_kept_fini(&table->kept);
    free(table->lines);
    free(table->folded);
    free(table->empty);
    *table = (struct sheet_table){
        .list.height = height, .area = table->area, .face = table->face, .of = table->of};
}

void sheet_table_filtered(struct sheet_table *table)
{
    if (table->kept.sheet)
        arrange_lines(table);
}

/* ---- room ---- */
static bool shows_counts(const struct sheet_table *table)
{
    return table->folds_rows;
}

static int row_cells(const struct sheet_table *table, int width)
{
    return width - 2 - (shows_counts(table) ? EQUAL_CELLS : 0);
}

/* Above the rows: what the chosen column means, where there is room, and the heads. */
static int head_lines(const struct sheet_table *table, int height)
{
    return height < 8 || face_of(table)->brief ? 1 : 2;
}

static int last_column(const struct sheet *sheet)
{
    struct sheet_columns all;
    sheet_columns_all(&all, sheet);
    return all.count > 0 ? all.shown[all.count - 1] : 0;
}

/* Below the rows: where the last words are sentences, and there is room, the selected one in full. */
static int sentence_lines(const struct sheet_table *table, int height)
{
    const struct sheet *sheet = table->kept.sheet;
    return height > 2 * DETAIL_LINES && sheet->columns[last_column(sheet)].kind == SHEET_SENTENCE
               ? DETAIL_LINES
               : 0;
}

static int field_lines(int height)
{
    return height > 2 * DETAIL_LINES ? height - DETAIL_LINES : height;
}

void sheet_table_update(struct sheet_table *table, struct rect area)
{
    const int width = area.width, height = area.height;
    table->area = area;
    if (!table->kept.sheet)
        return;
    sheet_columns_all(&table->columns, table->kept.sheet);
    sheet_columns_squeeze(&table->columns, row_cells(table, width), table->chosen, table->empty,
                          face_of(table)->roomy - 1);
    list_update(&table->list, (int)table->line_count,
                height - head_lines(table, height) - sentence_lines(table, height));
    if (table->whole && !selected_row(table))
        table->whole = false;
    list_update(&table->fields, table->kept.sheet->column_count, field_lines(height));
    if (table->whole)
        table->chosen = table->fields.selected;
}

/* Where the column at a place begins, and its cells that fit; false: it has none. */
static bool find_place(const struct sheet_table *table, struct rect inside, int place, int *x, int *cells)
{
    int end = inside.x + 1 + row_cells(table, inside.width);
    *x = inside.x + 1;
    for (int i = 0; i < place; i++)
        *x += table->columns.cells[i] + 1;
    *cells = table->columns.cells[place] < end - *x ? table->columns.cells[place] : end - *x;
    return *cells > 0;
}

/* ---- drawing ---- */
#define NAME_CELLS 44 /* of the last words, before a bar */
#define BAR_LEAST 12

/* The share that the first column says, where the last words leave room. */
static void draw_bar(const struct sheet_table *table, struct canvas *canvas, struct rect room, uint32_t row,
                     struct style style)
{
    int first = first_column(table);
    double share = sheet_kept_cell(&table->kept, row, first).number;
    if (column_of(table, first)->kind != SHEET_SHARE || !(share > 0))
        return;
    int eighths = (int)((share < 1 ? share : 1) * room.width * 8 + 0.5);
    for (int i = 0; i < room.width && eighths > 0; i++, eighths -= 8)
        canvas_put(canvas, room.x + i, room.y, glyph_left_eighths(eighths < 8 ? eighths : 8, canvas->ascii),
                   style);
}

/* What stands behind the last words of a row, or with SIZE_MAX of the heads, where they leave room. */
static void draw_behind(const struct sheet_table *table, struct canvas *canvas, struct rect at, size_t row,
                        struct style style)
{
    const struct sheet_face *face = face_of(table);
    const struct sheet_column *column = sheet_columns_at(&table->columns, table->columns.count - 1);
    int words = face->behind ? column->cells + 1 : NAME_CELLS;
    struct rect room = {at.x + words, at.y, at.width - words, 1};
    if (room.width < BAR_LEAST)
        return;
    if (face->behind)
        face->behind(table->of, row, canvas, room, style.background);
    else if (row != SIZE_MAX)
        draw_bar(table, canvas, room, (uint32_t)row, style);
}

static void draw_cell(struct canvas *canvas, int x, int y, int cells, struct style style,
                      const struct sheet_column *column, const char *text)
{
    char shown[1600];
    if (sheet_kind_is_number(column->kind)) {
        field_number(canvas, x, y, cells, style, text);
        return;
    }
    if (column->kind == SHEET_SENTENCE)
        text_cut(text, cells, shown, sizeof shown);
    else
        text_shorten(text, cells, shown, sizeof shown);
    canvas_text(canvas, x, y, cells, style, shown);
}

/* A sign stands before the head of the chosen column, one behind that of the sorted one. */
static void draw_head(const struct sheet_table *table, struct canvas *canvas, int place, struct rect at,
                      bool focus)
{
    const struct sheet_column *column = sheet_columns_at(&table->columns, place);
    bool sorted = table->columns.shown[place] == table->sorted - 1,
         chosen = focus && table->columns.shown[place] == table->chosen,
         number = sheet_kind_is_number(column->kind);
    struct style style =
        STYLE(sorted   ? COLOR_FOCUS
              : chosen ? COLOR_TITLE
                       : COLOR_DIM,
              COLOR_NONE, (sorted ? ATTRIBUTE_BOLD : 0) | (chosen ? ATTRIBUTE_UNDERLINE : 0));
    int width = text_width(column->head, at.width), left = number ? at.x + at.width - width : at.x;
    if (number)
        field_words(canvas, at.x, at.y, at.width, style, column->head);
    else
        canvas_text(canvas, at.x, at.y, at.width, style, column->head);
    if (chosen && canvas_cell(canvas, left - 1, at.y)->codepoint == ' ')
        canvas_glyph(canvas, left - 1, at.y, GLYPH_SELECTED, STYLE(COLOR_TITLE, COLOR_NONE, 0));
    if (sorted)
        canvas_glyph(canvas, left + width, at.y, table->reverse ? GLYPH_SORTED_UP : GLYPH_SORTED_DOWN, style);
}

static void draw_heads(const struct sheet_table *table, struct canvas *canvas, struct rect inside, bool focus)
{
    int x, cells, y = inside.y + head_lines(table, inside.height) - 1;
    for (int i = 0; i < table->columns.count; i++)
        if (find_place(table, inside, i, &x, &cells)) {
            draw_head(table, canvas, i, (struct rect){x, y, cells, 1}, focus);
            if (i + 1 == table->columns.count &&
                !sheet_kind_is_number(sheet_columns_at(&table->columns, i)->kind))
                draw_behind(table, canvas, (struct rect){x, y, cells, 1}, SIZE_MAX,
                            STYLE(COLOR_DIM, COLOR_NONE, 0));
        }
}

/* The text and the style of a cell. */
static void look_cell(const struct sheet_table *table, uint32_t row, int place, int cells,
                      struct short_names *names, char *text, size_t size_bytes, struct style *style)
{
    const struct sheet_face *face = face_of(table);
    const int at = table->columns.shown[place];
    struct sheet_cell cell = sheet_kept_cell(&table->kept, row, at);
    if (!face->text || !face->text(table->of, row, at, cells, text, size_bytes))
        sheet_cell_text(column_of(table, at), &cell, names, cells, text, size_bytes);
    if (strcmp(text, "-") == 0 || strcmp(text, "n/a") == 0)
        style->foreground = COLOR_DIM;
    if (face->style)
        face->style(table->of, row, at, style);
}

/* The last words, with the row's sign before them and what is drawn behind. */
static void draw_last(const struct sheet_table *table, struct canvas *canvas, struct rect at, uint32_t row,
                      struct short_names *names, struct style style)
{
    const struct sheet_face *face = face_of(table);
    int last = table->columns.count - 1, signs = face->marks_two ? 3 : 2;
    struct sheet_mark mark = {.color = COLOR_COUNTER};
    char text[8400];
    if (face->mark && at.width > signs) {
        mark = face->mark(table->of, row);
        if (face->marks_two && mark.before)
            canvas_put(canvas, at.x, at.y, mark.before, STYLE(mark.before_color, style.background, 0));
        canvas_put(canvas, at.x + signs - 2, at.y, mark.codepoint,
                   STYLE(mark.color, style.background, ATTRIBUTE_BOLD));
        at.x += signs;
        at.width -= signs;
    }
    look_cell(table, row, last, at.width, names, text, sizeof text, &style);
    bool fits = text_width(text, at.width + 1) < NAME_CELLS || face->behind;
    draw_cell(canvas, at.x, at.y, at.width, style, sheet_columns_at(&table->columns, last), text);
    if (fits)
        draw_behind(table, canvas, at, row, STYLE(mark.color, style.background, 0));
}

static void draw_row(const struct sheet_table *table, struct canvas *canvas, struct rect inside, int y,
                     const struct sheet_line *line, struct short_names *names, uint8_t ground, bool selected)
{
    struct style plain = STYLE(COLOR_TEXT, ground, selected ? ATTRIBUTE_BOLD : 0);
    char text[8400];
    int x, cells;
    for (int i = 0; i < table->columns.count; i++) {
        const struct sheet_column *column = sheet_columns_at(&table->columns, i);
        bool chosen = selected && table->columns.shown[i] == table->chosen;
        struct style style =
            chosen ? STYLE(COLOR_TITLE, ground, ATTRIBUTE_BOLD | ATTRIBUTE_UNDERLINE) : plain;
        if (!find_place(table, inside, i, &x, &cells))
            continue;
        if (i + 1 == table->columns.count && !sheet_kind_is_number(column->kind)) {
            draw_last(table, canvas, (struct rect){x, y, cells, 1}, line->at, names, style);
            continue;
        }
        if (face_of(table)->cell && face_of(table)->cell(table->of, line->at, table->columns.shown[i], canvas,
                                                         (struct rect){x, y, cells, 1}, style))
            continue;
        look_cell(table, line->at, i, cells, names, text, sizeof text, &style);
        draw_cell(canvas, x, y, cells, style, column, text);
    }
    if (line->count > 1) {
        snprintf(text, sizeof text, "x %s", number_short(line->count).text);
        field_words(canvas, inside.x + inside.width - EQUAL_CELLS, y, EQUAL_CELLS - 1,
                    STYLE(COLOR_DIM, ground, 0), text);
    }
}

/* A heading may have several lines. */
static void join_lines(const char *text, char *joined, size_t size_bytes)
{
    size_t used = 0;
    for (; *text && used + 3 < size_bytes; text++) {
        joined[used++] = *text == '\n' ? ' ' : *text;
        if (*text == '\n')
            joined[used++] = ' ';
    }
    joined[used] = '\0';
}

/* "no value in any row: A expected, B expected" */
static void print_empty(const struct sheet_table *table, char *text, size_t size_bytes)
{
    size_t used = 0;
    for (int i = 0; i < table->kept.sheet->column_count; i++)
        if (table->empty && table->empty[i] && column_of(table, i)->head)
            append_text(text, size_bytes, &used, "%s %s",
                        used ? "," : "no value in any row:", column_of(table, i)->head);
}

static void print_line(const struct sheet_table *table, const struct sheet_line *line, char *text,
                       size_t size_bytes)
{
    const struct sheet_kept *kept = &table->kept;
    char heading[1200];
    text[0] = '\0';
    switch (line->kind) {
    case LINE_GROUP:
        join_lines(sheet_kept_group(kept, line->at), heading, sizeof heading);
        snprintf(text, size_bytes, "%s%s%s row%s", heading, heading[0] != '\0' ? "  " : "",
                 number_exact(line->count).text, line->count == 1 ? "" : "s");
        if (!table->folded[line->at - 1])
            snprintf(text, size_bytes, "%s", heading[0] != '\0' ? heading : "-");
        break;
    case LINE_NOTE: snprintf(text, size_bytes, "%s", sheet_kept_note(kept, line->at)); break;
    case LINE_NONE:
        snprintf(text, size_bytes, "%s",
                 kept->rows > 0 ? "No row has this: ESC shows all." : kept->sheet->none);
        break;
    case LINE_EMPTY: print_empty(table, text, size_bytes); break;
    case LINE_LEFT_OUT:
        snprintf(text, size_bytes, "%s more rows are not kept here: report --table %s has all.",
                 number_exact((int64_t)kept->left_out).text, kept->sheet->id);
        break;
    case LINE_WHY: snprintf(text, size_bytes, "%s", kept->why); break;
    case LINE_ROW: break;
    }
}

static void draw_line(const struct sheet_table *table, struct canvas *canvas, struct rect inside, int y,
                      int index, struct short_names *names, bool focus)
{
    const struct sheet_line *line = &table->lines[index];
    bool selected = focus && index == table->list.selected;
    uint8_t ground = selected ? COLOR_SELECTED : COLOR_NONE;
    char text[1400];
    canvas_fill(canvas, (struct rect){inside.x, y, inside.width, 1}, ' ', STYLE(COLOR_TEXT, ground, 0));
    if (selected)
        canvas_glyph(canvas, inside.x, y, GLYPH_SELECTED, STYLE(COLOR_TEXT, ground, ATTRIBUTE_BOLD));
    if (line->kind == LINE_ROW) {
        draw_row(table, canvas, inside, y, line, names, ground, selected);
        return;
    }
    print_line(table, line, text, sizeof text);
    canvas_text(canvas, inside.x + 1, y, inside.width - 2,
                line->kind == LINE_GROUP      ? STYLE(COLOR_FOCUS, ground, 0)
                : line->kind >= LINE_LEFT_OUT ? STYLE(COLOR_WARN, ground, 0)
                                              : STYLE(COLOR_DIM, ground, 0),
                text);
}

/* What a column means, or the whole of a line that has no columns. */
static void print_meaning(const struct sheet_table *table, char *text, size_t size_bytes)
{
    const struct sheet_column *column = column_of(table, table->chosen);
    const struct sheet_line *line = selected_line(table);
    if (line && line->kind != LINE_ROW)
        print_line(table, line, text, size_bytes);
    else
        snprintf(text, size_bytes, "%s: %s", column->head ? column->head : column->id,
                 column->meaning && column->meaning[0] ? column->meaning : "a heading of the row");
}

/* Below the lines, under a rule. */
static void draw_below(struct canvas *canvas, struct rect inside, const char *text)
{
    struct rect below = {inside.x + 1, inside.y + inside.height - DETAIL_LINES, inside.width - 2,
                         DETAIL_LINES};
    for (int x = 0; x < inside.width; x++)
        canvas_glyph(canvas, inside.x + x, below.y, GLYPH_HORIZONTAL, STYLE(COLOR_FRAME, COLOR_NONE, 0));
    below.y++;
    below.height--;
    canvas_wrap(canvas, below, STYLE(COLOR_TITLE, COLOR_NONE, 0), text);
}

static void draw_whole(const struct sheet_table *table, struct canvas *canvas, struct rect inside,
                       struct short_names *names)
{
    const struct sheet_line *line = selected_row(table);
    const struct list *list = &table->fields;
    char text[8400], shown[8400], detail[8800] = "";
    size_t used = 0;
    int label = inside.width < 3 * LABEL_CELLS ? inside.width / 3 : LABEL_CELLS;
    for (int i = 0; line && i < list->height && list->top + i < list->count; i++) {
        const struct sheet_column *column = column_of(table, list->top + i);
        struct sheet_cell cell = sheet_kept_cell(&table->kept, line->at, list->top + i);
        bool selected = list->top + i == list->selected;
        uint8_t ground = selected ? COLOR_SELECTED : COLOR_NONE;
        int y = inside.y + i, cells = inside.width - label - 3;
        canvas_fill(canvas, (struct rect){inside.x, y, inside.width, 1}, ' ', STYLE(COLOR_TEXT, ground, 0));
        canvas_text(canvas, inside.x + 1, y, label, STYLE(COLOR_FOCUS, ground, 0),
                    column->head ? column->head : column->id);
        sheet_cell_text(column, &cell, names, SHORT_NAME_WHOLE, text, sizeof text);
        if (selected) {
            bool kernel = column->kind == SHEET_KERNEL && cell.text;
            canvas_glyph(canvas, inside.x, y, GLYPH_SELECTED, STYLE(COLOR_TEXT, ground, ATTRIBUTE_BOLD));
            print_meaning(table, detail, sizeof detail);
            used = strlen(detail);
            append_text(detail, sizeof detail, &used, ". %s", kernel ? cell.text : text);
        }
        text_cut(text, cells, shown, sizeof shown);
        canvas_text(canvas, inside.x + 2 + label, y, cells,
                    STYLE(selected ? COLOR_TITLE : COLOR_TEXT, ground, selected ? ATTRIBUTE_BOLD : 0), shown);
    }
    if (line && list->height < inside.height)
        draw_below(canvas, inside, detail);
}

/* The sentence of the selected row in full, or the text of another line. */
static void draw_sentence(const struct sheet_table *table, struct canvas *canvas, struct rect inside)
{
    const struct sheet_line *line = selected_line(table), *row = selected_row(table);
    char text[1400] = "";
    if (line && !row)
        print_line(table, line, text, sizeof text);
    const char *sentence =
        row ? sheet_kept_cell(&table->kept, row->at, last_column(table->kept.sheet)).text : text;
    draw_below(canvas, inside, sentence ? sentence : "");
}

void sheet_table_draw(const struct sheet_table *table, struct canvas *canvas, struct short_names *names,
                      bool focus)
{
    char text[1600];
    const struct rect inside = table->area;
    const struct list *list = &table->list;
    if (!table->kept.sheet || table->no_memory) {
        canvas_text(canvas, inside.x + 1, inside.y, inside.width - 2, STYLE(COLOR_WARN, COLOR_NONE, 0),
                    table->no_memory ? "There is not enough memory for this table." : "");
        return;
    }
    if (table->whole) {
        draw_whole(table, canvas, inside, names);
        return;
    }
    if (table->line_count == 1 && table->lines[0].kind == LINE_NONE) {
        print_line(table, &table->lines[0], text, sizeof text);
        canvas_wrap(canvas, (struct rect){inside.x + 1, inside.y, inside.width - 2, inside.height},
                    STYLE(COLOR_DIM, COLOR_NONE, 0), text);
        return;
    }
    print_meaning(table, text, sizeof text);
    if (head_lines(table, inside.height) > 1)
        canvas_text(canvas, inside.x + 1, inside.y, inside.width - 2, STYLE(COLOR_DIM, COLOR_NONE, 0), text);
    draw_heads(table, canvas, inside, focus);
    for (int i = 0; i < list->height && list->top + i < list->count; i++)
        draw_line(table, canvas, inside, inside.y + head_lines(table, inside.height) + i, list->top + i,
                  names, focus);
    if (sentence_lines(table, inside.height) > 0)
        draw_sentence(table, canvas, inside);
}

/* ---- acting ---- */
static void choose_beside(struct sheet_table *table, int by)
{
    struct sheet_columns all;
    int at = 0;
    sheet_columns_all(&all, table->kept.sheet);
    while (at < all.count && all.shown[at] != table->chosen)
        at++;
    for (int i = 0; i < all.count; i++) { /* past those that say nothing */
        at = at == all.count ? 0 : (at + by + all.count) % all.count;
        table->chosen = all.shown[at];
        if (!table->empty || !table->empty[table->chosen])
            return;
    }
}

static void sort_chosen(struct sheet_table *table)
{
    table->sorted = table->sorted == table->chosen + 1 ? 0 : table->chosen + 1;
    table->reverse = false;
}

static void reverse_order(struct sheet_table *table)
{
    table->reverse = !table->reverse;
}

/* What is first is looked at next. */
static void order_rows(struct sheet_table *table, void (*change)(struct sheet_table *table))
{
    change(table);
    arrange_lines(table);
    list_select(&table->list, 0);
    list_select(&table->list, first_row(table));
}

/* The selected row, or the equal one that it is folded into, stays selected. False: no two are equal. */
static bool fold_rows(struct sheet_table *table)
{
    const struct sheet_line *row = selected_row(table);
    uint32_t at = row ? row->at : 0;
    size_t before = table->line_count;
    table->folds_rows = !table->folds_rows;
    arrange_lines(table);
    if (table->line_count == before) {
        table->folds_rows = false;
        return false;
    }
    for (size_t i = 0; row && i < table->line_count; i++)
        if (table->lines[i].kind == LINE_ROW && is_equal(table, table->lines[i].at, at)) {
            list_select(&table->list, (int)i);
            return true;
        }
    return true;
}

void sheet_table_fold(struct sheet_table *table, uint32_t group)
{
    if (group == 0 || group > table->kept.group_count || !table->folded)
        return;
    table->folded[group - 1] = !table->folded[group - 1];
    arrange_lines(table);
    for (size_t i = 0; i < table->line_count; i++)
        if (table->lines[i].kind == LINE_GROUP && table->lines[i].at == group)
            list_select(&table->list, (int)i);
}

/* The group of the selected line, or without groups all equal rows. */
static bool fold_selected(struct sheet_table *table)
{
    const struct sheet_line *line = selected_line(table);
    uint32_t group = !line                      ? 0
                     : line->kind == LINE_GROUP ? line->at
                     : line->kind == LINE_ROW   ? table->kept.groups[line->at]
                                                : 0;
    if (group == 0 || sheet_kept_group(&table->kept, group)[0] == '\0')
        return fold_rows(table);
    sheet_table_fold(table, group);
    return true;
}

static void open_selected(struct sheet_table *table)
{
    const struct sheet_line *line = selected_line(table);
    if (table->whole || (line && line->kind == LINE_ROW)) {
        table->whole = !table->whole;
        table->fields.selected = table->chosen;
    } else if (line && line->kind == LINE_GROUP) {
        fold_selected(table);
    }
}

struct list *sheet_table_list(struct sheet_table *table)
{
    return table->whole ? &table->fields : &table->list;
}

bool sheet_table_close(struct sheet_table *table)
{
    bool whole = table->whole;
    table->whole = false;
    if (whole && !column_of(table, table->chosen)->head)
        table->chosen = first_column(table);
    return whole;
}

bool sheet_table_act(struct sheet_table *table, enum action action)
{
    if (!table->kept.sheet || table->line_count == 0 || table->no_memory)
        return false;
    if (!table->whole && (action == ACTION_LEFT || action == ACTION_RIGHT)) {
        choose_beside(table, action == ACTION_LEFT ? -1 : 1);
        return true;
    }
    if (action == ACTION_OPEN && table->whole)
        return sheet_table_close(table);
    if (action == ACTION_OPEN) {
        open_selected(table);
        return true;
    }
    if (!table->whole && action == ACTION_FOLD)
        return fold_selected(table);
    if (!table->whole && (action == ACTION_SORT || action == ACTION_REVERSE)) {
        if (table->shown_rows < 2) /* there is no order */
            return false;
        order_rows(table, action == ACTION_SORT ? sort_chosen : reverse_order);
        return true;
    }
    return list_act(sheet_table_list(table), action);
}

void sheet_table_mouse(struct sheet_table *table, const struct mouse *mouse, int *line)
{
    const struct rect inside = table->area;
    int x, cells;
    *line = mouse->y - inside.y - (table->whole ? 0 : head_lines(table, inside.height));
    for (int i = 0; !table->whole && mouse->kind == MOUSE_DOWN && i < table->columns.count; i++) {
        if (*line < -1 || !find_place(table, inside, i, &x, &cells) || mouse->x < x || mouse->x > x + cells)
            continue;
        table->chosen = table->columns.shown[i];
        if (*line == -1)
            order_rows(table, table->sorted == table->chosen + 1 ? reverse_order : sort_chosen);
        return;
    }
}

size_t sheet_table_row_at(const struct sheet_table *table, int line)
{
    return line >= 0 && line < (int)table->line_count && table->lines[line].kind == LINE_ROW
               ? table->lines[line].at
               : SIZE_MAX;
}

size_t sheet_table_row(const struct sheet_table *table)
{
    const struct sheet_line *row = selected_row(table);
    return row ? row->at : SIZE_MAX;
}

bool sheet_table_cell(const struct sheet_table *table, struct short_names *names, char *text,
                      size_t size_bytes)
{
    const struct sheet_line *line = selected_line(table);
    if (!table->kept.sheet || !line)
        return false;
    if (line->kind != LINE_ROW) {
        print_line(table, line, text, size_bytes);
        return true;
    }
    struct sheet_cell cell = sheet_kept_cell(&table->kept, line->at, table->chosen);
    const struct sheet_column *column = column_of(table, table->chosen);
    if (column->kind == SHEET_KERNEL && cell.text)
        snprintf(text, size_bytes, "%s", cell.text);
    else
        sheet_cell_text(column, &cell, names, SHORT_NAME_WHOLE, text, size_bytes);
    return true;
}
