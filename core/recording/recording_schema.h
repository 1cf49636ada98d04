/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a recording's tables look like: their SQL, and for each table how a column lies in a C record. Writer
 * and loader go through the same descriptions, so that neither knows a column the other does not.
 * docs/recording.md is the description for people.
 *
 * Static data; any thread. Times: ns since the session's start. Ids of tables are the session's row indices
 * (strings from 1); ids of events count up over all event tables, in an order in which session_add_event lays
 * the same lanes again.
 */
#ifndef CORE_RECORDING_RECORDING_SCHEMA_H
#define CORE_RECORDING_RECORDING_SCHEMA_H

#include "core/session/code.h"
#include "core/session/samples.h"
#include "core/session/session.h"
#include "core/session/stacks.h"

#include <sqlite3.h>

/* ---- records: what one row holds, plain data ---- */
struct process_record {
    uint32_t id;
    struct process_row row; /* its atomic fields are not used */
    uint32_t command;
    int64_t end_ns;
    int32_t exit_status;
};
struct device_record {
    uint32_t id;
    struct device_row row;
};
struct run_record {
    uint32_t id;
    struct run_row row; /* its atomic fields are not used */
    int64_t end_ns;
    int8_t verified;
    uint32_t detail;
};
struct shape_record {
    uint32_t id;
    struct shape_row row;
};
struct kernel_record {
    uint32_t id, run, shape, device;
    uint64_t launches, total_ns, min_ns,
        max_ns; /* sums over the recorded launches, also those that a ring has deleted */
};
struct track_record {
    uint32_t id;
    struct track_row row; /* its lane_count is not used */
};
struct measurement_record {
    uint32_t id;
    struct measurement_row row;
};
struct value_record {
    uint32_t id, measurement;
    struct value_row row;
};
struct expected_record {
    uint32_t id;
    struct expected_row row;
};
struct notice_record {
    uint32_t id;
    struct notice_row row;
};
struct drop_record {
    uint32_t id;
    struct drop_row row;
};
struct bookmark_record {
    uint32_t id;
    struct bookmark_row row;
};
struct series_record {
    uint32_t id;
    struct series_row row;
};
/* Bytes that the record does not own. After a read: SQLite's, until the next step. */
struct blob {
    const void *bytes;
    uint32_t size_bytes;
};
/* The times of up to SAMPLES_PER_ROW samples of a sampling. */
#define SAMPLES_PER_ROW 1024u
struct sample_time_record {
    int64_t id;
    uint32_t sampling, count;
    int64_t start_ns, end_ns; /* of the first, of the last */
    struct blob times;        /* struct sample_time for each; none: all have the same length, without gaps */
};
struct sample_time {
    uint32_t offset_ns, duration_ns; /* since start_ns */
};
/* What one series was in them. */
struct sample_record {
    int64_t id; /* sample_time's x SAMPLING_SERIES_MAX + the series' place */
    uint32_t series;
    double number;       /* the value of all of them; NaN: no value, or they differ */
    struct blob numbers; /* a float for each; none: all are `number` */
};
struct open_launch_record {
    uint32_t id;
    struct open_launch row;
};
struct function_record {
    uint32_t id;
    struct function_row row; /* its cubin is not used */
};
struct instruction_record {
    uint32_t id, function, pc_offset, text, file, line;
};
struct stall_record {
    uint32_t id, run, kernel, instruction, reason, period_cycles;
    uint64_t samples;
};
struct tally_record {
    uint32_t id, run, kernel, instruction, counter, launches;
    uint64_t number;
};
struct access_record {
    uint32_t id;
    struct access_row row;
};
struct source_record {
    uint32_t id;
    struct source_row row;
};
struct stack_record {
    uint32_t id;
    struct stack_row row;
};
struct launch_site_record {
    uint32_t id, run, kernel, stack;
    uint8_t kind, copy_kind;
    uint64_t launches, total_ns;
};
struct event_use_record {
    uint32_t id;
    struct event_use_row row;
};
struct collective_record {
    uint32_t id;
    struct collective_row row;
};
struct graph_node_record {
    uint32_t id;
    struct graph_node_row row;
};
/* A row of any event table. */
struct event_record {
    int64_t id;
    uint32_t track;
    int64_t start_ns, duration_ns;
    int64_t call_lead_ns; /* start_ns - the API call's start; INT64_MIN: not known. The item's call_start_ns
                             is not used */
    uint8_t source_memory, destination_memory; /* of a copy: the item's b */
    struct item item;
    /* For a launch, copy or memset whose API call is in the same row: the call's track and item. NONE: it is
     * not. */
    uint32_t call_track;
    struct item call;
};
/* 4,096 events of a lane, or the remaining ones at the end. */
struct summary_record {
    uint32_t id, track, lane;
    uint64_t first_index, events;
    int64_t start_ns, end_ns, busy_ns, longest_ns;
};

/* ---- columns ---- */
enum column_type {
    COLUMN_U8,
    COLUMN_U16,
    COLUMN_U32,
    COLUMN_I8,
    COLUMN_I32,
    COLUMN_I64,
    COLUMN_U64,
    COLUMN_F64,
    COLUMN_TEXT,
    COLUMN_BYTES,
    COLUMN_BLOB /* struct blob; of any size */
};

/* The table that a column's number refers to: row `n` of it must exist before this row is accepted. */
enum column_reference {
    REFERS_NOTHING,
    REFERS_STRING,
    REFERS_PROCESS,
    REFERS_DEVICE,
    REFERS_RUN,
    REFERS_SHAPE,
    REFERS_KERNEL,
    REFERS_TRACK,
    REFERS_MEASUREMENT,
    REFERS_FUNCTION,
    REFERS_INSTRUCTION,
    REFERS_STACK,
    REFERS_SERIES,
    REFERS_COUNT
};

struct record_column {
    const char *name;
    uint16_t offset, size_bytes; /* in the record */
    uint8_t type, reference;
    bool nullable; /* the value `null` is NULL in the file; for a double NaN is */
    bool sum;      /* of durations: a negative one overflowed where it was written, and is read as the most */
    int64_t null;
    int64_t least, most; /* what a loader takes */
};

enum recording_table {
    TABLE_PROCESS,
    TABLE_DEVICE,
    TABLE_RUN,
    TABLE_SHAPE,
    TABLE_KERNEL,
    TABLE_TRACK,
    TABLE_MEASUREMENT,
    TABLE_VALUE,
    TABLE_EXPECTED,
    TABLE_NOTICE,
    TABLE_DROP,
    TABLE_BOOKMARK,
    TABLE_FUNCTION,
    TABLE_INSTRUCTION,
    TABLE_STALL,
    TABLE_TALLY,
    TABLE_ACCESS,
    TABLE_SOURCE,
    TABLE_STACK,
    TABLE_LAUNCH_SITE,
    TABLE_EVENT_USE,
    TABLE_GRAPH_NODE,
    TABLE_COLLECTIVE,
    TABLE_SERIES,
    TABLE_SAMPLE_TIME,
    TABLE_SAMPLE,
    TABLE_OPEN_LAUNCH,
    TABLE_SUMMARY,
    TABLE_LAUNCH,
    TABLE_COPY,
    TABLE_MEMSET,
    TABLE_CALL,
    TABLE_RANGE,
    TABLE_SYNC,
    TABLE_OVERHEAD,
    TABLE_REPLAY, /* tables of events, in the order of enum item_kind */
    TABLE_COUNT
};
#define TABLE_EVENT_FIRST TABLE_LAUNCH
#define TABLE_EVENT_COUNT (TABLE_COUNT - TABLE_EVENT_FIRST)
_Static_assert(TABLE_REPLAY - TABLE_EVENT_FIRST == ITEM_MEASUREMENT,
               "event tables stand in the order of enum item_kind");

struct record_table {
    const char *name;
    const struct record_column *columns; /* the first is the INTEGER PRIMARY KEY */
    size_t column_count;
    size_t record_bytes;
};
const struct record_table *recording_table(enum recording_table table);

/* ---- SQL ---- */
struct schema_object {
    const char *type, *name; /* as in sqlite_schema: "table" or "view" */
    const char *sql;         /* as sqlite_schema keeps it */
    bool later;              /* recordings of earlier releases lack it */
};
/* The SQL "INSERT INTO process (id, pid, ...) VALUES (?, ?, ...)", with so many rows, and "SELECT id, pid,
 * ... FROM process NOT INDEXED WHERE id > ? ORDER BY id". False if size_bytes is too small. An INSERT of many
 * rows that fails may have inserted some of them: roll the transaction back. */
const struct schema_object *recording_schema(size_t *count);

/* "INSERT INTO process (id, pid, ...) VALUES (?, ?, ...)", of as many rows, and "SELECT id, pid, ... FROM
 * process NOT INDEXED WHERE id > ? ORDER BY id". False when size_bytes is too small. An INSERT of many rows
 * that fails may have inserted some of them: the transaction has to be rolled back. */
bool recording_insert_sql(const struct record_table *table, unsigned rows, char *sql, size_t size_bytes);
bool recording_select_sql(const struct record_table *table, char *sql, size_t size_bytes);

/* ---- rows ---- */

/*
 * Rows of a recording to and from C records, by the descriptions of recording_schema.h, and the few SQLite
 * calls that writer and loader share. One thread per connection.
 */

/* Binds the columns of `record` from parameter `first` on; SQLITE_OK, or SQLite's error. before: the record
 * that was bound there last, whose numbers are still bound; NULL: none. */
int row_bind(sqlite3_stmt *insert, int first, const struct record_table *table, const void *record,
             const void *before);
/* Steps an INSERT whose rows are bound; SQLITE_DONE, or SQLite's error. */
int rows_insert(sqlite3_stmt *insert);
/* Both, for an INSERT of one row. */
int row_write(sqlite3_stmt *insert, const struct record_table *table, const void *record, const void *before);

/* number of rows of each table; of strings: strings[1...rows] are known */
struct row_limits {
    uint32_t rows[REFERS_COUNT]; /* rows there are of each table; of strings: strings[1...rows] are known */
    const uint32_t *strings;     /* the file's string id -> the session's */
};

/* Fills `record` from the current row of `select`. Nothing in the file is trusted: NULL if all values are
 * valid, else the name of the first column whose value has the wrong type, is out of range, or refers to a
 * missing row. */
const char *row_read(sqlite3_stmt *select, const struct record_table *table, const struct row_limits *limits,
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
