/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sheet: what an analysis yields and what every printer and the table of the screen take. It is a
 * description (id, title, columns) and a function that gives the rows, one after the other, to a sink. Text,
 * CSV, JSON, Markdown and the schema are written once each over sheets (cli/output/sheet_print.h), and so is
 * the table of the screen.
 *
 * A description is constant. Cells belong to the analysis and hold until sheet_row returns. One thread for a
 * sink; sheets that read a session may be made by any thread.
 */
#ifndef CORE_SHEET_SHEET_H
#define CORE_SHEET_SHEET_H

#include "core/base/error.h"
#include "core/base/value.h"

#include <stdbool.h>
#include <stddef.h>

/* What a column holds: its name in schemas, its unit ("" where the cell's column says it), whether a number.
 */
/* clang-format off */
#define SHEET_KIND_LIST(X)                                                                  \
    X(TEXT, "text", "", false)        /* from outside: control characters are made visible */ \
    X(SENTENCE, "sentence", "", false) /* as the last column it wraps into further lines */ \
    X(KERNEL, "kernel", "", false)    /* a kernel's name: whole for machines, else shortened as everywhere */ \
    X(TIME, "time", "ns", true)       /* a duration; "-" below 0 */                          \
    X(COUNT, "count", "", true)                                                              \
    X(BYTES, "bytes", "bytes", true)                                                         \
    X(RATE, "rate", "bytes/s", true)                                                         \
    X(SHARE, "share", "1", true)      /* 0 to 1; per cent in text */                         \
    X(RATIO, "ratio", "x", true)      /* infinite: "no limit", null for machines */          \
    X(NUMBER, "number", "", true)     /* as it is, without a unit */                         \
    X(YES, "boolean", "", true)       /* 0 or 1; "yes" or "no" in text */
/* clang-format on */
#define SHEET_KIND_ENUM(id, text, unit, is_number) SHEET_##id,
enum sheet_kind { SHEET_KIND_LIST(SHEET_KIND_ENUM) SHEET_KIND_COUNT };
#undef SHEET_KIND_ENUM
const char *sheet_kind_text(enum sheet_kind kind);
const char *sheet_kind_unit(enum sheet_kind kind);
bool sheet_kind_is_number(enum sheet_kind kind);

enum sheet_better { SHEET_NEITHER, SHEET_LESS, SHEET_MORE }; /* which direction is better */
const char *sheet_better_text(enum sheet_better better);     /* "neither", "less", "more" */

struct sheet_column {
    const char *id;      /* key in CSV and JSON, its unit at its end: "total_ns"; NULL: not for machines */
    const char *head;    /* in text, Markdown and on the screen; NULL: for machines only */
    const char *meaning; /* a sentence for the schema and for help */
    enum sheet_kind kind;
    enum sheet_better better;
    int cells;    /* width in text; of the last column that is shown the least, since it takes what is left */
    int priority; /* what has no room: the highest first; 0: always shown */
    bool valued;  /* its cells state a provenance each: machines get a column ID_provenance more */
};
#define SHEET_COLUMNS_MAX 28

struct sheet_cell {
    double number;    /* NAN: not known */
    const char *text; /* of a text, also of a number's word in place of it; NULL: not known */
    const char *id;   /* what machines get in place of the text; NULL: the text */
    int provenance;   /* of a valued column: enum provenance */
};

struct sheet_sink;
typedef enum status sheet_rows(const void *from, struct sheet_sink *to, struct error *error);

struct sheet {
    const char *id, *title; /* "kernels"; "Kernels by their time" */
    const struct sheet_column *columns;
    int column_count;
    const char *none; /* the sentence in place of no rows */
    sheet_rows *rows; /* `from` is what the header of the sheet says */
};
/* The columns of an array. */
#define SHEET_COLUMNS(list) .columns = (list), .column_count = (int)(sizeof(list) / sizeof *(list))

/* A sink: its owner embeds it and gives the functions. */
struct sheet_sink {
    const struct sheet *sheet;
    void (*group)(struct sheet_sink *sink, const char *text); /* NULL: it has no groups */
    void (*row)(struct sheet_sink *sink, const struct sheet_cell *cells);
    void (*note)(struct sheet_sink *sink, const char *text); /* NULL: it has no notes */
    size_t most, most_groups; /* rows of a group, and groups, that are passed on; 0: all */
    size_t rows, left_out;    /* rows, counted over all groups */
    size_t in_group, groups;
};

/* For an analysis. A group is a heading above the rows that follow, for readers: a column says the same to
 * machines. A note says what holds for the whole sheet. */
void sheet_group(struct sheet_sink *sink, const char *text);
void sheet_row(struct sheet_sink *sink, const struct sheet_cell *cells); /* column_count of them */
void sheet_note(struct sheet_sink *sink, const char *text);

/* Makes the rows. */
enum status sheet_make(const struct sheet *sheet, const void *from, struct sheet_sink *sink,
                       struct error *error);

#endif
