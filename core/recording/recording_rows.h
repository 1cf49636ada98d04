/*
 * Rows of a recording to and from C records, by the descriptions of recording_schema.h, and the few SQLite
 * calls that writer and loader share. One thread per connection.
 */
#ifndef CORE_RECORDING_RECORDING_ROWS_H
#define CORE_RECORDING_RECORDING_ROWS_H

#include "core/recording/recording_schema.h"

#include <sqlite3.h>

/* Binds the columns of `record` from parameter `first` on; SQLITE_OK, or SQLite's error. before: the record
 * that was bound there last, whose numbers are still bound; NULL: none. */
int row_bind(sqlite3_stmt *insert, int first, const struct table *table, const void *record,
             const void *before);
/* Steps an INSERT whose rows are bound; SQLITE_DONE, or SQLite's error. */
int rows_insert(sqlite3_stmt *insert);
/* Both, for an INSERT of one row. */
int row_write(sqlite3_stmt *insert, const struct table *table, const void *record, const void *before);

/* number of rows of each table; of strings: strings[1...rows] are known */
struct row_limits {
    uint32_t rows[REFERS_COUNT]; /* rows there are of each table; of strings: strings[1...rows] are known */
    const uint32_t *strings;     /* the file's string id -> the session's */
};

/* Fills `record` from the current row of `select`. Nothing in the file is trusted: NULL if all values are
 * valid, else the name of the first column whose value has the wrong type, is out of range, or refers to a
 * missing row. */
const char *row_read(sqlite3_stmt *select, const struct table *table, const struct row_limits *limits,
                     void *record);

/* sqlite3_open_v2 for any path: "file:x" means that file. Close *database also after a failure. */
int recording_connect(const char *path, int flags, sqlite3 **database);
/* Prepares a statement; fills in a sentence on failure. */
enum status recording_prepare(sqlite3 *database, const char *path, const char *sql, sqlite3_stmt **statement,
                              struct error *error);
/* Runs SQL that returns no rows, or whose rows do not matter. */
enum status recording_execute(sqlite3 *database, const char *path, const char *sql, struct error *error);
/* The first column of a query's first row as a number; `otherwise` if there is no row or it is not an
 * integer. */
enum status recording_number(sqlite3 *database, const char *path, const char *sql, int64_t otherwise,
                             int64_t *number, struct error *error);

/* errno of the last failed call on the recording or its -wal; 0: none failed. */
int recording_errno(sqlite3 *database);
/* The sentence for SQLite's last error on `database` while doing `what` ("reading the recording"), and its
 * status. */
enum status recording_error(sqlite3 *database, const char *path, const char *what, struct error *error);

#endif
