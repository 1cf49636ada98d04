/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of struct loader, for core/recording/reader.
 */
#ifndef CORE_RECORDING_READER_LOADER_INTERNAL_H
#define CORE_RECORDING_READER_LOADER_INTERNAL_H

#include "core/import/import.h"
#include "core/recording/reader/refill.h"
#include "core/recording/recording.h"
#include "core/recording/recording_schema.h"

struct loader {
    struct session *session;
    struct import *import; /* not NULL: the trace of another tool, and nothing below is used */
    struct refill *refill; /* not NULL: it gets the events, the session is only read (loader_range.c) */
    uint32_t tables;       /* with `offer`: the kinds of events that are read, bits of enum item_kind */
    sqlite3 *database;     /* NULL if there is nothing more to read */
    char *path;
    int64_t values_end; /* of the measurements read: one past their last value */
    sqlite3_stmt *select[TABLE_COUNT], *select_strings, *select_meta, *select_version;

    struct row_limits limits;
    uint32_t
        *strings; /* file's string -> session's: limits.rows[REFERS_STRING] + 1 entries; strings[0] = 0 */
    uint32_t string_room;
    int64_t last_id[TABLE_COUNT]; /* last row read of tables that only grow and may have gaps */

    int64_t first_event, end_event; /* ids: as known at open */
    int64_t last_event;             /* loaded, or skipped */
    int64_t data_version;           /* version of the database whose tables are loaded; -1: none yet */

    /* meta */
    char origin[256], counting[64]; /* of a session that was another tool's trace; "" */
    int64_t start_ns, now_ns[CLOCK_COUNT], calls_until_ns, events_from_ns; /* INT64_MIN: not there */
    bool finished, code_left_out;
    char writer[256];
    char failed[512]; /* why it ended early; "" if it did not */

    bool growing, ended_said;
    uint64_t skipped; /* rows */
    char first_skipped[160];
};

/* Prepares what loader_read_meta and loader_read_tables read with. */
enum status loader_prepare(struct loader *loader, struct error *error);
enum status loader_read_meta(struct loader *loader, struct error *error);
/* New rows of all tables except the events', and changed rows, into the session. */
enum status loader_read_tables(struct loader *loader, struct error *error);

/* Close the file. */
void loader_let_go(struct loader *loader);
/* The ids of the events there are. */
enum status loader_read_event_range(struct loader *loader, struct error *error);
/* At most `most` events after last_event. */
enum status loader_read_events(struct loader *loader, size_t most, size_t *read, struct error *error);

/* Series and samplings, and at most `most` rows of samples. */
enum status loader_read_series(struct loader *loader, struct error *error);
enum status loader_read_samples(struct loader *loader, size_t most, size_t *read, struct error *error);

/* The sentence for an invalid row that makes the whole file unusable. */
enum status loader_damaged(const struct loader *loader, const char *table, int64_t id, const char *column,
                           struct error *error);
/* Counts an invalid row; describes the first one. */
void loader_skip(struct loader *loader, enum recording_table table, int64_t id, const char *column);

#endif
