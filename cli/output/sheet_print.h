/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The printers of sheets (core/sheet/sheet.h): text in columns, CSV (RFC 4180), JSON, Markdown, and the JSON
 * schema of the JSON. Text from outside is made visible or escaped. Machines get numbers in the units of
 * their columns, readers get them scaled. Errors stay in the stream. One thread.
 */
#ifndef CLI_OUTPUT_SHEET_PRINT_H
#define CLI_OUTPUT_SHEET_PRINT_H

#include "cli/output/json.h"
#include "core/sheet/sheet.h"
#include "tui/widgets/short_names.h"

#include <stdio.h>

#define SHEET_FORM_LIST(X) \
    X(TEXT, "text") X(CSV, "csv") X(JSON, "json") X(MARKDOWN, "markdown") X(SCHEMA, "schema")
#define SHEET_FORM_ENUM(id, text) SHEET_FORM_##id,
enum sheet_form { SHEET_FORM_LIST(SHEET_FORM_ENUM) SHEET_FORM_COUNT };
#undef SHEET_FORM_ENUM
bool sheet_form_find(const char *text, enum sheet_form *form);

struct sheet_look {
    enum sheet_form form;
    int width;                 /* of a line of text, in cells; 0: nothing is cut, no column is left out */
    size_t most;               /* --top: rows of each group; 0: all */
    const char *below;         /* id of a column that text has below its row, line by line; NULL: none */
    const char *fields;        /* --fields: ids separated by commas, in this order; NULL: all */
    struct short_names *names; /* for SHEET_KERNEL; NULL: each is shortened by itself */
};
#define SHEET_VERSION 1 /* of the JSON: "sheet_version" */

/* STATUS_USAGE: a field is unknown, with those that exist. Else what making the rows returned. */
enum status sheet_print(const struct sheet *sheet, const void *from, const struct sheet_look *look, FILE *out,
                        struct error *error);

/* The same object inside a document; `look`'s form does not matter. Rows that cannot all be made since events
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
void sheet_document_schema(const struct sheet_document *document, FILE *out);

#endif
