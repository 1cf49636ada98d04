/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A printing has the columns that are shown, in their order: for readers those with a head, for machines
 * those with an id; of --fields only the named ones. In text the last column takes what the others leave, and
 * a column without room is left out by its priority. Heads are printed with the first row of a group.
 */
#include "cli/output/sheet_print.h"

#include "cli/options/terminal.h"
#include "cli/output/answer.h"
#include "cli/output/memory.h"
#include "cli/output/out_file.h"
#include "core/base/append.h"
#include "tui/terminal/text.h"
#include "tui/widgets/number.h"
#include "tui/widgets/sheet_columns.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FRACTION_DIGITS 15
#define NOTES_MAX 16
#define NOTE_BYTES 400
#define LINES_DEPTH 2 /* a line for each row */
#define BELOW_MAX 4
#define BAR_CELLS 16

static const char *const forms[SHEET_FORM_COUNT] = {
#define SHEET_FORM_TEXT_OF(id, text) [SHEET_FORM_##id] = text,
    SHEET_FORM_LIST(SHEET_FORM_TEXT_OF)
#undef SHEET_FORM_TEXT_OF
};

bool sheet_form_find(const char *text, enum sheet_form *form)
{
    for (int i = 0; i < SHEET_FORM_COUNT; i++) {
        if (strcmp(forms[i], text) == 0) {
            *form = (enum sheet_form)i;
            return true;
        }
    }
    return false;
}

#define COMPACT_FIELDS_MAX (2 * SHEET_COLUMNS_MAX) /* with the provenance of valued columns */
struct compact { /* its rows, until it is known in which fields they differ */
    char **rows; /* texts of JSON, of each row its fields; the printing's */
    size_t count, room;
    int fields;
    bool differs[COMPACT_FIELDS_MAX];
};

struct printing {
    struct sheet_sink sink; /* first: the functions of the sink get it */
    const struct sheet_look *look;
    FILE *out;
    struct json *json;
    struct sheet_columns columns;      /* of machines also those without heads */
    int below[BELOW_MAX], below_count; /* columns of the look's `below` */
    int bar;                           /* column of its `bar`; -1: none */
    bool begun, headed;                /* was anything printed; are the heads of this group */
    struct compact compact;
    char notes[NOTES_MAX][NOTE_BYTES];
    size_t note_count;
};

static const struct sheet_column *column_at(const struct printing *printing, int place)
{
    return sheet_columns_at(&printing->columns, place);
}

/* What machines get in place of a number: a word, or NULL. */
static const char *cell_word(const struct sheet_column *column, const struct sheet_cell *cell)
{
    if (sheet_kind_is_number(column->kind))
        return isnan(cell->number) ? cell->id : NULL;
    return cell->id ? cell->id : cell->text;
}

/* ---- text ---- */
/* The cells that the column at a place has; 0: as many as its text needs. */
static int cells_at(const struct printing *printing, int place)
{
    bool whole = printing->look->width == 0 && place + 1 == printing->columns.count;
    return whole && !sheet_kind_is_number(column_at(printing, place)->kind) ? 0
                                                                            : printing->columns.cells[place];
}

static void print_field(const struct printing *printing, int place, const char *text)
{
    bool number = sheet_kind_is_number(column_at(printing, place)->kind),
         last = place + 1 == printing->columns.count;
    int cells = cells_at(printing, place);
    char shown[1600];
    if (column_at(printing, place)->kind == SHEET_SENTENCE && last && cells > 0) {
        text_print_words(text, place > 0 ? printing->look->width - cells - 1 : 0, printing->look->width,
                         printing->out);
        return;
    }
    if (place > 0)
        putc(' ', printing->out);
    if (cells == 0) {
        text_print(text, printing->out);
        return;
    }
    text_shorten(text, number ? (int)sizeof shown / 4 : cells, shown, sizeof shown);
    int blank = cells - text_width(shown, cells);
    if (number)
        fprintf(printing->out, "%*s%s", blank, "", shown);
    else
        fprintf(printing->out, "%s%*s", shown, last ? 0 : blank, "");
}

#define BELOW_CELLS 5 /* what its lines are indented by */
static void print_below(const struct printing *printing, const char *text)
{
    while (*text) {
        char line[1600];
        const size_t length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        fprintf(printing->out, "%*s", BELOW_CELLS - 1, "");
        text_print_words(line, BELOW_CELLS - 1, printing->look->width > 0 ? printing->look->width : INT_MAX,
                         printing->out);
        putc('\n', printing->out);
        text += length + (text[length] == '\n');
    }
}

static void print_bar(const struct printing *printing, const struct sheet_cell *cell)
{
    char bar[BAR_CELLS + 1] = "";
    const int cells = cell && cell->number > 0 ? (int)(cell->number * BAR_CELLS + 0.5) : 0;
    for (int i = 0; i < cells && i < BAR_CELLS; i++)
        bar[i] = '#';
    fprintf(printing->out, " %-*s", BAR_CELLS, bar);
}

static void print_heads(const struct printing *printing)
{
    for (int i = 0; i < printing->columns.count; i++) {
        print_field(printing, i, column_at(printing, i)->head);
        if (printing->columns.shown[i] == printing->bar)
            print_bar(printing, NULL);
    }
    putc('\n', printing->out);
}

static bool column_is(const struct printing *printing, int place, const char *id)
{
    const struct sheet_column *column = column_at(printing, place);
    return column->id && strcmp(column->id, id) == 0;
}

/* A column "file" links to the file and, for terminals that pass it on, to the line in the row's column "line". Every byte of a path
 * that is more than a letter, a digit or one of -._~/ is written as %XX, so that none can end the sequence. */
static bool begin_link(const struct printing *printing, int place, const struct sheet_cell *cells)
{
    const char *file = cells[printing->columns.shown[place]].text;
    char whole[PATH_MAX];
    struct stat about;
    if (!printing->look->links || !column_is(printing, place, "file") || !file || !realpath(file, whole) ||
        stat(whole, &about) != 0 || !S_ISREG(about.st_mode))
        return false;
    fputs("\x1b]8;;file://", printing->out);
    for (const unsigned char *at = (const unsigned char *)whole; *at; at++)
        fprintf(printing->out, isalnum(*at) || strchr("-._~/", *at) ? "%c" : "%%%02X", *at);
    for (int i = 0; i < printing->columns.count; i++) {
        const double line = cells[printing->columns.shown[i]].number;
        if (column_is(printing, i, "line") && line >= 1)
            fprintf(printing->out, "#%.0f", line);
    }
    fputs("\x1b\\", printing->out);
    return true;
}

static void print_text_row(struct sheet_sink *sink, const struct sheet_cell *cells)
{
    struct printing *printing = (struct printing *)sink;
    char text[8400];
    if (!printing->headed)
        print_heads(printing);
    printing->headed = printing->begun = true;
    for (int i = 0; i < printing->columns.count; i++) {
        const struct sheet_cell *cell = &cells[printing->columns.shown[i]];
        const bool whole = cells_at(printing, i) == 0 && cell->text; /* kernels' names, too */
        sheet_cell_text(column_at(printing, i), cell, printing->look->names, cells_at(printing, i), text,
                        sizeof text);
        const bool linked = begin_link(printing, i, cells);
        print_field(printing, i, whole ? cell->text : text);
        if (linked)
            fputs("\x1b]8;;\x1b\\", printing->out);
        if (printing->columns.shown[i] == printing->bar)
            print_bar(printing, cell);
    }
    putc('\n', printing->out);
    for (int i = 0; i < printing->below_count; i++)
        if (cells[printing->below[i]].text)
            print_below(printing, cells[printing->below[i]].text);
}

static void print_text_group(struct sheet_sink *sink, const char *text)
{
    struct printing *printing = (struct printing *)sink;
    if (printing->look->one_head && !printing->headed)
        print_heads(printing);
    else if (!printing->look->one_head && printing->begun)
        putc('\n', printing->out);
    for (; text && *text; text += strcspn(text, "\n"), text += *text == '\n') {
        char line[1600];
        snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\n"), text);
        const int width = printing->look->width > 0 ? printing->look->width : INT_MAX - 1;
        if (text_width(line, width + 1) > width)
            text_print_words(line, 0, width, printing->out);
        else /* as it is, with its blanks */
            text_print(line, printing->out);
        putc('\n', printing->out);
    }
    printing->begun = true;
    printing->headed = printing->look->one_head;
}

/* ---- Markdown ---- */
static void print_markdown_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '|' || *text == '\\' || *text == '`' || *text == '*' || *text == '_' || *text == '<')
            putc('\\', out);
        putc(*text == '\n' ? ' ' : *text, out);
    }
}

static void print_markdown_row(struct sheet_sink *sink, const struct sheet_cell *cells)
{
    struct printing *printing = (struct printing *)sink;
    char text[8400], shown[8400];
    if (!printing->headed) {
        for (int i = 0; i < printing->columns.count; i++)
            fprintf(printing->out, "| %s ", column_at(printing, i)->head);
        fputs("|\n", printing->out);
        for (int i = 0; i < printing->columns.count; i++)
            fputs(sheet_kind_is_number(column_at(printing, i)->kind) ? "| ---: " : "| --- ", printing->out);
        fputs("|\n", printing->out);
    }
    printing->headed = printing->begun = true;
    for (int i = 0; i < printing->columns.count; i++) {
        sheet_cell_text(column_at(printing, i), &cells[printing->columns.shown[i]], printing->look->names,
                        SHORT_NAME_WHOLE, text, sizeof text);
        text_shorten(text, (int)sizeof shown / 4, shown, sizeof shown);
        fputs("| ", printing->out);
        print_markdown_text(printing->out, shown);
        putc(' ', printing->out);
    }
    fputs("|\n", printing->out);
}

static void print_markdown_group(struct sheet_sink *sink, const char *text)
{
    struct printing *printing = (struct printing *)sink;
    if (printing->begun)
        putc('\n', printing->out);
    for (const char *at = text; at && *at; at += strcspn(at, "\n"), at += *at == '\n') {
        char line[1600], shown[1600];
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        text_shorten(line, (int)sizeof shown / 4 - 1, shown, sizeof shown);
        fputs(at == text ? "" : " ", printing->out);
        print_markdown_text(printing->out, shown);
    }
    fputs(text ? "\n\n" : "", printing->out);
    printing->begun = true;
    printing->headed = false;
}

/* ---- CSV ---- */
static void print_csv_head(const struct printing *printing)
{
    for (int i = 0; i < printing->columns.count; i++) {
        const struct sheet_column *column = column_at(printing, i);
        fprintf(printing->out, "%s%s", i > 0 ? "," : "", column->id);
        if (column->valued)
            fprintf(printing->out, ",%s_provenance", column->id);
    }
    putc('\n', printing->out);
}

static void print_csv_row(struct sheet_sink *sink, const struct sheet_cell *cells)
{
    struct printing *printing = (struct printing *)sink;
    for (int i = 0; i < printing->columns.count; i++) {
        const struct sheet_column *column = column_at(printing, i);
        const struct sheet_cell *cell = &cells[printing->columns.shown[i]];
        const char *word = cell_word(column, cell);
        if (i > 0)
            putc(',', printing->out);
        if (word)
            csv_text(printing->out, word);
        else if (column->kind == SHEET_YES && !isnan(cell->number))
            fputs(cell->number != 0 ? "true" : "false", printing->out);
        else if (sheet_kind_is_number(column->kind) && isfinite(cell->number))
            fprintf(printing->out, "%.*g", FRACTION_DIGITS, cell->number);
        if (column->valued)
            fprintf(printing->out, ",%s", provenance_text((enum provenance)cell->provenance));
    }
    putc('\n', printing->out);
}

/* ---- JSON ---- */
static void print_json_row(struct sheet_sink *sink, const struct sheet_cell *cells)
{
    struct printing *printing = (struct printing *)sink;
    struct json *json = printing->json;
    char key[96];
    json_open(json, NULL, '{');
    for (int i = 0; i < printing->columns.count; i++) {
        const struct sheet_column *column = column_at(printing, i);
        const struct sheet_cell *cell = &cells[printing->columns.shown[i]];
        const char *word = cell_word(column, cell);
        if (word)
            json_string(json, column->id, word);
        else if (!sheet_kind_is_number(column->kind) || !isfinite(cell->number))
            json_null(json, column->id);
        else if (column->kind == SHEET_YES)
            json_bool(json, column->id, cell->number != 0);
        else
            json_number(json, column->id, cell->number);
        if (!column->valued)
            continue;
        snprintf(key, sizeof key, "%s_provenance", column->id);
        json_string(json, key, provenance_text((enum provenance)cell->provenance));
    }
    json_close(json, '}');
}

/* ---- compact JSON ---- */
/*
 * The names of the fields once, a row as an array, and fields in which all rows are equal once beside them: a tenth to a third
 * of the bytes. Numbers that are not whole have COMPACT_DIGITS digits.
 */
#define COMPACT_DIGITS 6

static char *compact_text(const struct sheet_column *column, const struct sheet_cell *cell, bool provenance,
                          struct short_names *names)
{
    char *text = NULL, shown[1600];
    size_t size_bytes;
    struct json json;
    FILE *memory = open_memstream(&text, &size_bytes);
    memory_check(memory ? STATUS_OK : STATUS_MEMORY);
    json_init(&json, memory, 0);
    const char *word = cell_word(column, cell);
    if (provenance)
        json_string(&json, NULL, provenance_text((enum provenance)cell->provenance));
    else if (word && column->kind == SHEET_KERNEL && !cell->id) {
        sheet_cell_text(column, cell, names, SHORT_NAME_WHOLE, shown, sizeof shown);
        json_string(&json, NULL, shown);
    } else if (word)
        json_string(&json, NULL, word);
    else if (!sheet_kind_is_number(column->kind) || !isfinite(cell->number))
        json_null(&json, NULL);
    else if (column->kind == SHEET_YES)
        json_bool(&json, NULL, cell->number != 0);
    else if (cell->number == floor(cell->number))
        json_number(&json, NULL, cell->number);
    else
        fprintf(memory, "%.*g", COMPACT_DIGITS, cell->number);
    memory_check(fclose(memory) == 0 && text ? STATUS_OK : STATUS_MEMORY);
    return text;
}

static void keep_compact_row(struct sheet_sink *sink, const struct sheet_cell *cells)
{
    struct printing *printing = (struct printing *)sink;
    struct compact *compact = &printing->compact;
    int field = 0;
    for (int i = 0; i < printing->columns.count; i++) {
        const struct sheet_column *column = column_at(printing, i);
        for (int part = 0; part < 1 + column->valued && field < COMPACT_FIELDS_MAX; part++) {
            memory_grow(compact->rows, compact->room, compact->count, 1);
            char *text =
                compact_text(column, &cells[printing->columns.shown[i]], part == 1, printing->look->names);
            compact->rows[compact->count] = text;
            if (compact->count >= (size_t)compact->fields && strcmp(text, compact->rows[field]) != 0)
                compact->differs[field] = true;
            compact->count++;
            field++;
        }
    }
}

static void count_compact_fields(struct printing *printing)
{
    for (int i = 0; i < printing->columns.count; i++)
        printing->compact.fields += 1 + column_at(printing, i)->valued;
    if (printing->compact.fields > COMPACT_FIELDS_MAX)
        printing->compact.fields = COMPACT_FIELDS_MAX;
}

static void compact_field_id(const struct printing *printing, int wanted, char id[96])
{
    for (int i = 0, field = 0; i < printing->columns.count; i++) {
        const struct sheet_column *column = column_at(printing, i);
        if (wanted < field + 1 + column->valued) {
            snprintf(id, 96, "%s%s", column->id, wanted > field ? "_provenance" : "");
            return;
        }
        field += 1 + column->valued;
    }
}

static void print_compact_rows(struct printing *printing)
{
    struct compact *compact = &printing->compact;
    const size_t fields = (size_t)compact->fields;
    struct json *json = printing->json;
    char id[96];
    json_open(json, "same", '{');
    for (int i = 0; i < compact->fields && compact->count > fields; i++) {
        compact_field_id(printing, i, id);
        if (!compact->differs[i])
            json_raw(json, id, compact->rows[i]);
    }
    json_close(json, '}');
    json_open(json, "fields", '[');
    for (int i = 0; i < compact->fields; i++) {
        compact_field_id(printing, i, id);
        if (compact->differs[i] || compact->count <= fields)
            json_string(json, NULL, id);
    }
    json_close(json, ']');
    json_open(json, "rows", '[');
    for (size_t row = 0; row * fields < compact->count; row++) {
        json_open(json, NULL, '[');
        for (size_t i = 0; i < fields; i++)
            if (compact->differs[i] || compact->count <= fields)
                json_raw(json, NULL, compact->rows[row * fields + i]);
        json_close(json, ']');
    }
    json_close(json, ']');
    for (size_t i = 0; i < compact->count; i++)
        free(compact->rows[i]);
    free(compact->rows);
}

/* ---- notes ---- */
static void keep_note(struct sheet_sink *sink, const char *text)
{
    struct printing *printing = (struct printing *)sink;
    if (printing->note_count < NOTES_MAX)
        snprintf(printing->notes[printing->note_count++], NOTE_BYTES, "%s", text);
}

static void note_left_out(struct printing *printing)
{
    char text[200];
    if (printing->sink.left_out == 0)
        return;
    const char *rows = printing->sink.left_out == 1 ? "row" : "rows";
    if (printing->look->rest)
        snprintf(text, sizeof text, "%s more %s: %s", number_exact((int64_t)printing->sink.left_out).text,
                 rows, printing->look->rest);
    else
        snprintf(text, sizeof text, "%s more %s left out (--top %zu)",
                 number_exact((int64_t)printing->sink.left_out).text,
                 printing->sink.left_out == 1 ? "row is" : "rows are", printing->look->most);
    keep_note(&printing->sink, text);
}

/* ---- which columns ---- */
static bool is_shown(const struct sheet_column *column, enum sheet_form form)
{
    return form == SHEET_FORM_TEXT || form == SHEET_FORM_MARKDOWN ? column->head != NULL : column->id != NULL;
}

static enum status refuse_field(const struct sheet *sheet, const char *field, struct error *error)
{
    char known[600] = "";
    size_t used = 0;
    for (int i = 0; i < sheet->column_count && used < sizeof known; i++)
        if (sheet->columns[i].id)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used > 0 ? ", " : "",
                                     sheet->columns[i].id);
    return error_set(error, STATUS_USAGE, "The table %s has no field \"%.60s\": it has %s.", sheet->id, field,
                     known);
}

/* The column with this id; -1: none has it. */
static int find_column(const struct sheet *sheet, const char *id)
{
    for (int i = 0; i < sheet->column_count; i++)
        if (sheet->columns[i].id && strcmp(sheet->columns[i].id, id) == 0)
            return i;
    return -1;
}

static enum status choose_columns(struct printing *printing, const struct sheet *sheet, enum sheet_form form,
                                  struct error *error)
{
    char fields[1024], *rest = fields, *field;
    printing->columns.sheet = sheet;
    snprintf(fields, sizeof fields, "%s", printing->look->below ? printing->look->below : "");
    while (*fields && printing->below_count < BELOW_MAX && (field = strsep(&rest, ","))) {
        printing->below[printing->below_count] = find_column(sheet, field);
        printing->below_count += printing->below[printing->below_count] >= 0;
    }
    printing->bar = printing->look->bar ? find_column(sheet, printing->look->bar) : -1;
    rest = fields;
    if (!printing->look->fields) {
        for (int i = 0; i < sheet->column_count; i++)
            if (is_shown(&sheet->columns[i], form))
                printing->columns.shown[printing->columns.count++] = i;
        return STATUS_OK;
    }
    snprintf(fields, sizeof fields, "%s", printing->look->fields);
    while ((field = strsep(&rest, ","))) {
        const int found = find_column(sheet, field);
        if (found < 0)
            return refuse_field(sheet, field, error);
        if (printing->columns.count < SHEET_COLUMNS_MAX && is_shown(&sheet->columns[found], form))
            printing->columns.shown[printing->columns.count++] = found;
    }
    return STATUS_OK;
}

/* ---- all of them ---- */
static const struct {
    void (*row)(struct sheet_sink *sink, const struct sheet_cell *cells);
    void (*group)(struct sheet_sink *sink, const char *text);
} printers[SHEET_FORM_COUNT] = {
    [SHEET_FORM_TEXT] = {print_text_row, print_text_group},
    [SHEET_FORM_CSV] = {print_csv_row, NULL},
    [SHEET_FORM_JSON] = {print_json_row, NULL},
    [SHEET_FORM_MARKDOWN] = {print_markdown_row, print_markdown_group},
    [SHEET_FORM_COMPACT] = {keep_compact_row, NULL},
};

static enum status begin_printing(struct printing *printing, const struct sheet *sheet, enum sheet_form form,
                                  struct error *error)
{
    printing->sink = (struct sheet_sink){.sheet = sheet,
                                         .group = printers[form].group,
                                         .row = printers[form].row,
                                         .note = keep_note,
                                         .most = printing->look->most,
                                         .most_groups = printing->look->most_groups};
    return choose_columns(printing, sheet, form, error);
}

enum status sheet_print_json(struct json *json, const char *key, const struct sheet *sheet, const void *from,
                             const struct sheet_look *look, struct error *error)
{
    struct printing printing = {.look = look, .json = json};
    const bool compact = look->form == SHEET_FORM_COMPACT;
    enum status status =
        begin_printing(&printing, sheet, compact ? SHEET_FORM_COMPACT : SHEET_FORM_JSON, error);
    if (status != STATUS_OK)
        return status;
    json_open(json, key, '{');
    json_integer(json, "sheet_version", SHEET_VERSION);
    if (!key)
        answer_print(json);
    json_string(json, "sheet", sheet->id);
    json_string(json, "title", sheet->title);
    if (compact) {
        count_compact_fields(&printing);
        status = sheet_make(sheet, from, &printing.sink, error);
        print_compact_rows(&printing);
    } else {
        json_open(json, "rows", '[');
        status = sheet_make(sheet, from, &printing.sink, error);
        json_close(json, ']');
    }
    if (status == STATUS_STATE)
        json_string(json, "left_out", error->text);
    else
        json_null(json, "left_out");
    status = status == STATUS_STATE ? STATUS_OK : status;
    note_left_out(&printing);
    if (compact && printing.sink.rows == 0 && sheet->none)
        keep_note(&printing.sink, sheet->none);
    json_open(json, "notes", '[');
    for (size_t i = 0; i < printing.note_count; i++)
        json_string(json, NULL, printing.notes[i]);
    json_close(json, ']');
    json_close(json, '}');
    return status;
}

/* A number may be a word in its place. */
static void print_types(struct json *json, enum sheet_kind kind)
{
    json_open(json, "type", '[');
    if (sheet_kind_is_number(kind))
        json_string(json, NULL, kind == SHEET_YES ? "boolean" : "number");
    if (kind == SHEET_NUMBER || !sheet_kind_is_number(kind))
        json_string(json, NULL, "string");
    json_string(json, NULL, "null");
    json_close(json, ']');
}

static void print_property(struct json *json, const char *id, const char *suffix, enum sheet_kind kind,
                           const char *meaning)
{
    char key[96];
    snprintf(key, sizeof key, "%s%s", id, suffix);
    json_open(json, key, '{');
    print_types(json, kind);
    json_string(json, "description", meaning);
}

static void print_row_schema(struct json *json, const struct sheet *sheet)
{
    json_open(json, "items", '{');
    json_string(json, "type", "object");
    json_open(json, "properties", '{');
    for (int i = 0; i < sheet->column_count; i++) {
        const struct sheet_column *column = &sheet->columns[i];
        if (!column->id)
            continue;
        print_property(json, column->id, "", column->kind, column->meaning);
        json_string(json, "x-kind", sheet_kind_text(column->kind));
        json_string(json, "x-unit", sheet_kind_unit(column->kind));
        json_string(json, "x-better", sheet_better_text(column->better));
        json_close(json, '}');
        if (!column->valued)
            continue;
        print_property(json, column->id, "_provenance", SHEET_TEXT,
                       "expected, modelled or measured; of a value that is not known, what it would be");
        json_open(json, "enum", '[');
        for (int p = 0; p < PROVENANCE_COUNT; p++)
            json_string(json, NULL, provenance_text((enum provenance)p));
        json_close(json, ']');
        json_close(json, '}');
    }
    json_close(json, '}');
    json_bool(json, "additionalProperties", false);
    json_close(json, '}');
}

static void print_schema(struct json *json, const char *key, const struct sheet *sheet)
{
    json_open(json, key, '{');
    json_string(json, "title", sheet->id);
    json_string(json, "description", sheet->title);
    json_string(json, "type", "object");
    json_open(json, "properties", '{');
    json_open(json, "sheet_version", '{');
    json_integer(json, "const", SHEET_VERSION);
    json_close(json, '}');
    json_open(json, "sheet", '{');
    json_string(json, "const", sheet->id);
    json_close(json, '}');
    json_open(json, "title", '{');
    json_string(json, "type", "string");
    json_close(json, '}');
    json_open(json, "rows", '{');
    json_string(json, "type", "array");
    print_row_schema(json, sheet);
    json_close(json, '}');
    json_open(json, "left_out", '{');
    json_open(json, "type", '[');
    json_string(json, NULL, "string");
    json_string(json, NULL, "null");
    json_close(json, ']');
    json_string(json, "description",
                "why the rows are not all, since events were evicted from memory; null: they are");
    json_close(json, '}');
    json_open(json, "notes", '{');
    json_string(json, "type", "array");
    json_open(json, "items", '{');
    json_string(json, "type", "string");
    json_close(json, '}');
    json_close(json, '}');
    json_close(json, '}');
    json_open(json, "required", '[');
    json_string(json, NULL, "sheet_version");
    json_string(json, NULL, "sheet");
    json_string(json, NULL, "rows");
    json_close(json, ']');
    json_close(json, '}');
}

enum status sheet_print(const struct sheet *sheet, const void *from, const struct sheet_look *look, FILE *out,
                        struct error *error)
{
    struct printing printing = {.look = look, .out = out};
    struct json json;
    json_init(&json, out, look->form == SHEET_FORM_SCHEMA ? JSON_DEPTH_MAX : LINES_DEPTH);
    if (look->form == SHEET_FORM_SCHEMA) {
        print_schema(&json, NULL, sheet);
        return STATUS_OK;
    }
    if (look->form == SHEET_FORM_JSON || look->form == SHEET_FORM_COMPACT)
        return sheet_print_json(&json, NULL, sheet, from, look, error);
    enum status status = begin_printing(&printing, sheet, look->form, error);
    if (status != STATUS_OK)
        return status;
    if (look->form == SHEET_FORM_TEXT)
        sheet_columns_fit(&printing.columns,
                          look->width > 0 ? look->width - (printing.bar < 0 ? 0 : BAR_CELLS + 1) : INT_MAX);
    if (look->form == SHEET_FORM_CSV)
        print_csv_head(&printing);
    status = sheet_make(sheet, from, &printing.sink, error);
    if (status != STATUS_OK || look->form == SHEET_FORM_CSV)
        return status;
    note_left_out(&printing);
    if (printing.sink.rows == 0)
        fprintf(out, "%s\n", sheet->none);
    for (size_t i = 0; i < printing.note_count; i++) {
        fputs(i == 0 && look->form == SHEET_FORM_MARKDOWN ? "\n" : "", out);
        text_print_words(printing.notes[i], 0,
                         look->width > 0 && look->form == SHEET_FORM_TEXT ? look->width : INT_MAX, out);
        putc('\n', out);
    }
    return STATUS_OK;
}

enum status sheet_print_part(const char *heading, const struct sheet *sheet, const void *from,
                             const struct sheet_look *look, bool asked, FILE *out, struct error *error)
{
    char *text = NULL;
    size_t size_bytes = 0;
    FILE *memory = open_memstream(&text, &size_bytes);
    enum status status = memory ? sheet_print(sheet, from, look, memory, error) : STATUS_MEMORY;
    if (!memory || fclose(memory) != 0 || !text)
        memory_end();
    if (status == STATUS_STATE) {
        fprintf(out, "\n%s: left out. ", sheet->id);
        text_print(error->text, out);
        putc('\n', out);
        status = STATUS_OK;
    } else if (status == STATUS_OK && (asked || strncmp(text, sheet->none, strlen(sheet->none)) != 0)) {
        fprintf(out, "%s%s", heading, text);
    }
    free(text);
    return status;
}

/* ---- documents ---- */
#define ROW_DEPTH 4    /* a line for each row */
#define SCHEMA_DEPTH 9 /* a line for each column */

enum status sheet_document_print(const struct sheet_document *document, const void *from,
                                 const struct sheet_look *look, FILE *out, struct error *error)
{
    enum status status = STATUS_OK;
    struct json json;
    json_init(&json, out, ROW_DEPTH);
    json_open(&json, NULL, '{');
    json_integer(&json, "schema", document->version);
    answer_print(&json);
    json_open(&json, "sheets", '{');
    for (size_t i = 0; status == STATUS_OK && document->list(i); i++)
        status = sheet_print_json(&json, document->list(i)->id, document->list(i), from, look, error);
    json_close(&json, '}');
    json_close(&json, '}');
    return status;
}

enum status sheet_folder_print(sheet_list *list, const void *from, const char *folder, struct error *error)
{
    enum status status = STATUS_OK;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return error_set(error, STATUS_IO, "The folder %.300s could not be made: %s.", folder,
                         strerror(errno));
    for (size_t i = 0; status == STATUS_OK && list(i); i++) {
        char path[PATH_MAX];
        struct out_file file;
        if ((size_t)snprintf(path, sizeof path, "%s/%s.csv", folder, list(i)->id) >= sizeof path)
            return error_set(error, STATUS_USAGE, "The folder's name is too long: %.300s.", folder);
        status = out_file_open(&file, path, NULL, error);
        if (status == STATUS_OK) {
            status =
                sheet_print(list(i), from, &(struct sheet_look){.form = SHEET_FORM_CSV}, file.stream, error);
            const enum status closed =
                out_file_close(&file, status == STATUS_OK, status == STATUS_OK ? error : NULL);
            status = status == STATUS_OK ? closed : status;
        }
    }
    return status;
}

void sheet_document_schema(const struct sheet_document *document, FILE *out)
{
    struct json json;
    json_init(&json, out, SCHEMA_DEPTH);
    json_open(&json, NULL, '{');
    json_string(&json, "$schema", "https://json-schema.org/draft/2020-12/schema");
    json_string(&json, "title", document->title);
    json_string(&json, "description", document->description);
    json_string(&json, "type", "object");
    json_open(&json, "properties", '{');
    json_open(&json, "schema", '{');
    json_integer(&json, "const", document->version);
    json_close(&json, '}');
    answer_print_schema(&json);
    json_open(&json, "sheets", '{');
    json_string(&json, "type", "object");
    json_open(&json, "properties", '{');
    for (size_t i = 0; document->list(i); i++)
        print_schema(&json, document->list(i)->id, document->list(i));
    json_close(&json, '}');
    json_open(&json, "required", '[');
    for (size_t i = 0; document->list(i); i++)
        json_string(&json, NULL, document->list(i)->id);
    json_close(&json, ']');
    json_bool(&json, "additionalProperties", false);
    json_close(&json, '}');
    json_close(&json, '}');
    json_open(&json, "required", '[');
    json_string(&json, NULL, "schema");
    json_string(&json, NULL, "sheets");
    json_close(&json, ']');
    json_close(&json, '}');
}

/* A field is always in quotes; a quote in it is doubled. */

void csv_text(FILE *out, const char *text)
{
    struct text_reader reader;
    struct text_glyph glyph;
    text_reader_init(&reader, text, strlen(text));
    putc('"', out);
    while (text_next(&reader, &glyph)) {
        char bytes[4];
        if (glyph.codepoint == '"')
            putc('"', out);
        fwrite(bytes, 1, text_encode(glyph.codepoint, bytes), out);
    }
    putc('"', out);
}

/* A terminal has its own width; anything else gets COLUMNS, so that files do not depend on where they were written.
 */

#define COLUMNS 100

static enum status refuse_table(sheet_list *list, const char *name, struct error *error)
{
    char known[500] = "";
    size_t used = 0;
    for (size_t i = 0; list(i); i++)
        append_text(known, sizeof known, &used, "%s%s", i > 0 ? ", " : "", list(i)->id);
    return error_set(error, STATUS_USAGE, "There is no table \"%.60s\": there are %s.", name, known);
}

/* A terminal that does not know them shows nothing of them; one that is not even a terminal of 1978 is called dumb. */
static bool links_are_shown(const struct options *options)
{
    const char *terminal = getenv("TERM");
    return isatty(STDOUT_FILENO) && terminal && *terminal && strcmp(terminal, "dumb") != 0 &&
           strcmp(terminal, "linux") != 0 && !options->no_color;
}

struct sheet_look sheet_option_look(const struct options *options)
{
    return (struct sheet_look){.form = options->format == REPORT_CSV    ? SHEET_FORM_CSV
                                       : options->format == REPORT_JSON ? SHEET_FORM_JSON
                                                                        : SHEET_FORM_TEXT,
                               .width = options->wide           ? 0
                                        : options->line_cells   ? (int)options->line_cells
                                        : isatty(STDOUT_FILENO) ? terminal_columns()
                                                                : COLUMNS,
                               .most = options->top,
                               .links = links_are_shown(options),
                               .fields = options->fields};
}

enum status sheet_option_choose(sheet_list *list, const struct options *options, FILE *out,
                                const struct sheet **sheet, struct sheet_look *look, struct error *error)
{
    *sheet = NULL;
    *look = sheet_option_look(options);
    if (strcmp(options->table, "list") == 0) {
        for (size_t i = 0; list(i); i++)
            fprintf(out, "%-10s %s\n", list(i)->id, list(i)->title);
        return STATUS_OK;
    }
    for (size_t i = 0; list(i) && !*sheet; i++)
        *sheet = strcmp(list(i)->id, options->table) == 0 ? list(i) : NULL;
    if (!*sheet)
        return refuse_table(list, options->table, error);
    if (options->table_format && !sheet_form_find(options->table_format, &look->form))
        return error_set(error, STATUS_USAGE, "--format %s is of report's --table checks alone.",
                         options->table_format);
    return STATUS_OK;
}

enum status sheet_option_print(sheet_list *list, const void *from, const struct options *options, FILE *out,
                               struct error *error)
{
    const struct sheet *sheet;
    struct sheet_look look;
    enum status status = sheet_option_choose(list, options, out, &sheet, &look, error);
    if (status == STATUS_OK && sheet)
        status = sheet_print(sheet, from, &look, out, error);
    return status == STATUS_OK ? out_flush(out, error) : status;
}
