/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The printers of sheets (core/sheet/sheet.h): text in columns, CSV (RFC 4180), JSON, Markdown, and the JSON
 * schema of the JSON. Text from outside is made visible or escaped. Machines get numbers in the units of
 * their columns, readers get them scaled. Errors stay in the stream. One thread.
 */
#ifndef CLI_OUTPUT_SHEET_PRINT_H
#define CLI_OUTPUT_SHEET_PRINT_H

#include "cli/options/options.h"
#include "cli/output/json.h"
#include "core/sheet/sheet.h"
#include "tui/widgets/short_names.h"

#include <stdio.h>

/* COMPACT: JSON in a tenth to a third of the bytes: names of fields once, a row as an array. */
#define SHEET_FORM_LIST(X) \
    X(TEXT, "text")        \
    X(CSV, "csv") X(JSON, "json") X(MARKDOWN, "markdown") X(SCHEMA, "schema") X(COMPACT, "compact")
#define SHEET_FORM_ENUM(id, text) SHEET_FORM_##id,
enum sheet_form { SHEET_FORM_LIST(SHEET_FORM_ENUM) SHEET_FORM_COUNT };
#undef SHEET_FORM_ENUM
bool sheet_form_find(const char *text, enum sheet_form *form);

struct sheet_look {
    enum sheet_form form;
    int width;                 /* of a line of text, in cells; 0: nothing is cut, no column is left out */
    size_t most, most_groups;  /* --top: rows of each group; 0: all */
    bool links;                /* text for a terminal: a source that is on this machine is a link (OSC 8) */
    bool one_head;             /* text has heads above the first group alone, and no line between groups */
    const char *rest;          /* the option that shows what these leave out; NULL: --top */
    const char *below;         /* ids of columns that text has below a row, line by line; NULL: none */
    const char *bar;           /* id of a share column that text draws a bar behind; NULL: none */
    const char *fields;        /* --fields: ids separated by commas, in this order; NULL: all */
    struct short_names *names; /* for SHEET_KERNEL; NULL: each is shortened by itself */
};
#define SHEET_VERSION 1 /* of the JSON: "sheet_version" */

/* STATUS_USAGE: a field is unknown, with those that exist. Else what making the rows returned. */
enum status sheet_print(const struct sheet *sheet, const void *from, const struct sheet_look *look, FILE *out,
                        struct error *error);

/* One sheet of a text that is made of several, with `heading` above it. Nothing if it has no rows, unless `asked`; a line that
 * says why if events of it were evicted from memory. */
enum status sheet_print_part(const char *heading, const struct sheet *sheet, const void *from,
                             const struct sheet_look *look, bool asked, FILE *out, struct error *error);

/* The same object inside a document, in JSON or, if that is `look`'s form, in compact JSON. Rows that cannot all be made since events
 * were evicted from memory (STATUS_STATE) are no failure: the object says why. */
enum status sheet_print_json(struct json *json, const char *key, const struct sheet *sheet, const void *from,
                             const struct sheet_look *look, struct error *error);

/* What --json of a command prints: an object with "schema", and "sheets", which has each sheet under its id. Its schema
 * is made of the same list. */
typedef const struct sheet *sheet_list(size_t index); /* NULL past the end */
struct sheet_document {
    const char *title, *description;
    int version;
    sheet_list *list;
};
enum status sheet_document_print(const struct sheet_document *document, const void *from,
                                 const struct sheet_look *look, FILE *out, struct error *error);
/* Each sheet as `folder`/ID.csv, in the units of machines; the folder is made if it is not there. */
enum status sheet_folder_print(sheet_list *list, const void *from, const char *folder, struct error *error);
void sheet_document_schema(const struct sheet_document *document, FILE *out);

/*
 * Fields of CSV (RFC 4180): texts in quotes, control bytes made visible. The caller writes commas and line
 * ends. Errors stay in the stream.
 */

void csv_text(FILE *out, const char *text);

/*
 * --table, --format, --top, --fields, --csv and --json of a command that has sheets: which one is printed, and how.
 */

/* How the options want sheets to be printed, without a choice of one. */
struct sheet_look sheet_option_look(const struct options *options);
/* The sheet that the options name, and how it is to be printed; `list` as a name prints the sheets to `out`, and
 * *sheet is NULL. STATUS_USAGE: there is none of this name, or the form is not one of sheets; `list` is all that
 * there are. */
enum status sheet_option_choose(sheet_list *list, const struct options *options, FILE *out,
                                const struct sheet **sheet, struct sheet_look *look, struct error *error);
/* The same, and prints it, made from `from`. */
enum status sheet_option_print(sheet_list *list, const void *from, const struct options *options, FILE *out,
                               struct error *error);

#endif
