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

struct column {
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

struct table {
    const char *name;
    const struct column *columns; /* the first is the INTEGER PRIMARY KEY */
    size_t column_count;
    size_t record_bytes;
};
const struct table *recording_table(enum recording_table table);

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
bool recording_insert_sql(const struct table *table, unsigned rows, char *sql, size_t size_bytes);
bool recording_select_sql(const struct table *table, char *sql, size_t size_bytes);

#endif
