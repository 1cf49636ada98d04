/*
 * A printing has the columns that are shown, in their order: for readers those with a head, for machines
 * those with an id; of --fields only the named ones. In text the last column takes what the others leave, and
 * a column without room is left out by its priority. Heads are printed with the first row of a group.
 */
#include "cli/output/sheet_print.h"

#include "cli/output/csv.h"
#include "tui/terminal/text.h"
#include "tui/widgets/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FRACTION_DIGITS 15
#define NOTES_MAX 16
#define NOTE_BYTES 400
#define LINES_DEPTH 2 /* a line for each row */

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

struct printing {
    struct sheet_sink sink; /* first: the functions of the sink get it */
    const struct sheet_look *look;
    FILE *out;
    struct json *json;
    int shown[SHEET_COLUMNS_MAX]; /* indices of columns */
    int count;
    bool begun, headed; /* was anything printed; are the heads of this group */
    char notes[NOTES_MAX][NOTE_BYTES];
    size_t note_count;
};

static const struct sheet_column *column_at(const struct printing *printing, int place)
{
    return &printing->sink.sheet->columns[printing->shown[place]];
}

/* ---- numbers ---- */
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
    case SHEET_SHARE: snprintf(text.text, sizeof text.text, "%.2f %%", 100 * number); break;
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

/* What a reader gets, whole. */
static void cell_text(const struct printing *printing, const struct sheet_column *column,
                      const struct sheet_cell *cell, int cells, char *text, size_t size_bytes)
{
    if (column->kind == SHEET_KERNEL && cell->text) {
        char name[2048];
        short_names_print(printing->look->names, cell->text, cells, name, sizeof name);
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

/* What machines get in place of a number: a word, or NULL. */
static const char *cell_word(const struct sheet_column *column, const struct sheet_cell *cell)
{
    if (sheet_kind_is_number(column->kind))
        return isnan(cell->number) ? cell->id : NULL;
    return cell->id ? cell->id : cell->text;
}

/* ---- text ---- */
static int column_cells(const struct sheet_column *column)
{
    int head = text_width(column->head, SHEET_COLUMNS_MAX * 10);
    int cells = column->cells + column->valued; /* with the mark */
    return cells > head ? cells : head;
}

static int cells_of(const struct printing *printing)
{
    int cells = 0;
    for (int i = 0; i < printing->count; i++)
        cells += column_cells(column_at(printing, i)) + (i > 0);
    return cells;
}

/* Leaves columns out until the others have room: the highest priority first, of equal ones the last. */
static void fit_columns(struct printing *printing)
{
    while (printing->look->width > 0 && cells_of(printing) > printing->look->width) {
        int least = -1;
        for (int i = 0; i < printing->count; i++)
            if (column_at(printing, i)->priority > 0 &&
                (least < 0 || column_at(printing, i)->priority >= column_at(printing, least)->priority))
                least = i;
        if (least < 0)
            return;
        memmove(&printing->shown[least], &printing->shown[least + 1],
                (size_t)(printing->count - least - 1) * sizeof printing->shown[0]);
        printing->count--;
    }
}

/* The cells that the column at a place has; 0: as many as its text needs. */
static int cells_at(const struct printing *printing, int place)
{
    const struct sheet_column *column = column_at(printing, place);
    if (place + 1 < printing->count || sheet_kind_is_number(column->kind))
        return printing->look->width == 0 && !sheet_kind_is_number(column->kind) &&
                       place + 1 == printing->count
                   ? 0
                   : column_cells(column);
    int left = printing->look->width - cells_of(printing) + column_cells(column);
    return printing->look->width == 0 ? 0 : left > column->cells ? left : column->cells;
}

static void print_field(const struct printing *printing, int place, const char *text)
{
    bool number = sheet_kind_is_number(column_at(printing, place)->kind), last = place + 1 == printing->count;
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
    if (number)
        snprintf(shown, sizeof shown, "%s", text);
    else
        text_shorten(text, cells, shown, sizeof shown);
    int blank = cells - text_width(shown, cells);
    if (number)
        fprintf(printing->out, "%*s%s", blank, "", shown);
    else
        fprintf(printing->out, "%s%*s", shown, last ? 0 : blank, "");
}

static void print_text_row(struct sheet_sink *sink, const struct sheet_cell *cells)
{
    struct printing *printing = (struct printing *)sink;
    char text[8400];
    for (int i = 0; !printing->headed && i < printing->count; i++)
        print_field(printing, i, column_at(printing, i)->head);
    if (!printing->headed)
        putc('\n', printing->out);
    printing->headed = printing->begun = true;
    for (int i = 0; i < printing->count; i++) {
        cell_text(printing, column_at(printing, i), &cells[printing->shown[i]], cells_at(printing, i), text,
                  sizeof text);
        print_field(printing, i, text);
    }
    putc('\n', printing->out);
}

static void print_text_group(struct sheet_sink *sink, const char *text)
{
    struct printing *printing = (struct printing *)sink;
    if (printing->begun)
        putc('\n', printing->out);
    if (text)
        fprintf(printing->out, "%s\n", text);
    printing->begun = true;
    printing->headed = false;
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
        for (int i = 0; i < printing->count; i++)
            fprintf(printing->out, "| %s ", column_at(printing, i)->head);
        fputs("|\n", printing->out);
        for (int i = 0; i < printing->count; i++)
            fputs(sheet_kind_is_number(column_at(printing, i)->kind) ? "| ---: " : "| --- ", printing->out);
        fputs("|\n", printing->out);
    }
    printing->headed = printing->begun = true;
    for (int i = 0; i < printing->count; i++) {
        cell_text(printing, column_at(printing, i), &cells[printing->shown[i]], SHORT_NAME_WHOLE, text,
                  sizeof text);
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
    if (text) {
        print_markdown_text(printing->out, text);
        fputs("\n\n", printing->out);
    }
    printing->begun = true;
    printing->headed = false;
}

/* ---- CSV ---- */
static void print_csv_head(const struct printing *printing)
{
    for (int i = 0; i < printing->count; i++) {
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
    for (int i = 0; i < printing->count; i++) {
        const struct sheet_column *column = column_at(printing, i);
        const struct sheet_cell *cell = &cells[printing->shown[i]];
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
    for (int i = 0; i < printing->count; i++) {
        const struct sheet_column *column = column_at(printing, i);
        const struct sheet_cell *cell = &cells[printing->shown[i]];
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

/* ---- notes ---- */
static void keep_note(struct sheet_sink *sink, const char *text)
{
    struct printing *printing = (struct printing *)sink;
    if (printing->note_count < NOTES_MAX)
        snprintf(printing->notes[printing->note_count++], NOTE_BYTES, "%s", text);
}

static void note_left_out(struct printing *printing)
{
    char text[120];
    if (printing->sink.left_out == 0)
        return;
    snprintf(text, sizeof text, "%s more row%s left out (--top %zu)",
             number_exact((int64_t)printing->sink.left_out).text,
             printing->sink.left_out == 1 ? " is" : "s are", printing->look->most);
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

static enum status choose_columns(struct printing *printing, const struct sheet *sheet, enum sheet_form form,
                                  struct error *error)
{
    char fields[1024], *rest = fields, *field;
    if (printing->look->fields == NULL) {
        for (int i = 0; i < sheet->column_count; i++)
            if (is_shown(&sheet->columns[i], form))
                printing->shown[printing->count++] = i;
        return STATUS_OK;
    }
    snprintf(fields, sizeof fields, "%s", printing->look->fields);
    while ((field = strsep(&rest, ",")) != NULL) {
        int found = 0;
        while (found < sheet->column_count &&
               (!sheet->columns[found].id || strcmp(sheet->columns[found].id, field) != 0))
            found++;
        if (found == sheet->column_count)
            return refuse_field(sheet, field, error);
        if (printing->count < SHEET_COLUMNS_MAX && is_shown(&sheet->columns[found], form))
            printing->shown[printing->count++] = found;
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
};

static enum status begin_printing(struct printing *printing, const struct sheet *sheet, enum sheet_form form,
                                  struct error *error)
{
    printing->sink = (struct sheet_sink){.sheet = sheet,
                                         .group = printers[form].group,
                                         .row = printers[form].row,
                                         .note = keep_note,
                                         .most = printing->look->most};
    return choose_columns(printing, sheet, form, error);
}

enum status sheet_print_json(struct json *json, const char *key, const struct sheet *sheet, const void *from,
                             const struct sheet_look *look, struct error *error)
{
    struct printing printing = {.look = look, .json = json};
    enum status status = begin_printing(&printing, sheet, SHEET_FORM_JSON, error);
    if (status != STATUS_OK)
        return status;
    json_open(json, key, '{');
    json_integer(json, "sheet_version", SHEET_VERSION);
    json_string(json, "sheet", sheet->id);
    json_string(json, "title", sheet->title);
    json_open(json, "rows", '[');
    status = sheet_make(sheet, from, &printing.sink, error);
    json_close(json, ']');
    if (status == STATUS_STATE)
        json_string(json, "left_out", error->text);
    else
        json_null(json, "left_out");
    status = status == STATUS_STATE ? STATUS_OK : status;
    note_left_out(&printing);
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

void sheet_print_schema(struct json *json, const char *key, const struct sheet *sheet)
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
        sheet_print_schema(&json, NULL, sheet);
        return STATUS_OK;
    }
    if (look->form == SHEET_FORM_JSON)
        return sheet_print_json(&json, NULL, sheet, from, look, error);
    enum status status = begin_printing(&printing, sheet, look->form, error);
    if (status != STATUS_OK)
        return status;
    if (look->form == SHEET_FORM_TEXT)
        fit_columns(&printing);
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
        text_print(printing.notes[i], out);
        putc('\n', out);
    }
    return STATUS_OK;
}
