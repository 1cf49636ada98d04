/*
 * A table with a row of typed cells at a time, as text in columns or as CSV with plain numbers. Errors stay
 * in the stream. Internal to cli/report; one thread.
 */
#ifndef CLI_REPORT_REPORT_COLUMNS_H
#define CLI_REPORT_REPORT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum column_kind {
    COLUMN_TEXT, /* from outside: made visible */
    COLUMN_TIME, /* ns */
    COLUMN_COUNT,
    COLUMN_BYTES,
    COLUMN_RATE, /* bytes per second */
    COLUMN_SHARE /* 0 to 1; percent in text */
};

struct column {
    const char *head, *id; /* title in text; in CSV, with the unit, NULL: the column is in text only */
    enum column_kind kind;
    int cells; /* cells in text; for the last column the rest; 0: the column is in CSV only */
};
#define COLUMNS_MAX 16

/* A number that is not known is NAN: "-" in text, empty in CSV. */
struct cell {
    double number;
    const char *text;
};

struct columns {
    const struct column *items;
    int count;
    int width; /* of a line; 0: texts are whole */
    bool csv;
    FILE *out;
    size_t *rows; /* counts them; NULL: nobody asks */
};

int columns_left(const struct columns *columns); /* cells of the last column; 0: its text is not cut */
void columns_head(const struct columns *columns);
void columns_row(const struct columns *columns, const struct cell *cells);

#endif
