/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The prepared statements of the recorder, one per table: prepared once when recording starts, and executed
 * once per row.
 */
#include "core/recording/writer/recorder_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- records ---- */

static void find_strings(struct sink_strings *strings, const struct record_table *table)
{
    for (size_t i = 0; i < table->column_count && strings->count < SINK_STRINGS_MOST; i++)
        if (table->columns[i].reference == REFERS_STRING)
            strings->at[strings->count++] = (uint32_t)table->columns[i].offset;
}

/* The greatest string number that the record refers to; 0 for none. */
static uint32_t last_string(const struct sink_strings *strings, const void *record)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < strings->count; i++) {
        uint32_t string;
        memcpy(&string, (const unsigned char *)record + strings->at[i], sizeof string);
        last = string > last ? string : last;
    }
    return last;
}

static enum status prepare_insert(struct recorder_sink *sink, enum recording_table number, unsigned rows,
                                  sqlite3_stmt **insert, struct error *error)
{
    char sql[4096];
    const struct record_table *table = recording_table(number);
    if (!recording_insert_sql(table, rows, sql, sizeof sql))
        return error_set(error, STATUS_FORMAT,
                         "The table %s has more columns than an INSERT of it has room for.", table->name);
    return recording_prepare(sink->database, sink->path, sql, insert, error);
}

enum status sink_init(struct recorder_sink *sink, const struct session *session, sqlite3 *database,
                      const char *path, struct error *error)
{
    enum status status = STATUS_OK;
    sink->session = session;
    sink->database = database;
    sink->path = strdup(path);
    if (!sink->path)
        return error_no_memory(error, "to record to %s", path);
    for (unsigned t = 0; t < TABLE_COUNT && status == STATUS_OK; t++) {
        find_strings(&sink->strings_of[t], recording_table(t));
        status = prepare_insert(sink, t, 1, &sink->insert[t], error);
    }
    if (status == STATUS_OK)
        status = recording_prepare(database, path, "INSERT INTO string (id, text) VALUES (?, ?)",
                                   &sink->insert_string, error);
    if (status == STATUS_OK)
        status = recording_prepare(database, path, "UPDATE string SET text = ?2 WHERE id = ?1",
                                   &sink->set_string, error);
    if (status == STATUS_OK)
        status = recording_prepare(database, path, "REPLACE INTO meta (key, value) VALUES (?, ?)",
                                   &sink->set_meta, error);
    return status;
}

void sink_fini(struct recorder_sink *sink)
{
    for (unsigned t = 0; t < TABLE_COUNT; t++) {
        sqlite3_finalize(sink->insert[t]);
        free(sink->before[t]);
    }
    for (unsigned t = 0; t < TABLE_COUNT - TABLE_EVENT_FIRST; t++) {
        sqlite3_finalize(sink->batches[t].insert);
        free(sink->batches[t].records);
    }
    sqlite3_finalize(sink->insert_string);
    sqlite3_finalize(sink->set_string);
    sqlite3_finalize(sink->set_meta);
    sqlite3_close(sink->database);
    free(sink->path);
    memset(sink, 0, sizeof *sink);
}

static enum status step_bound(struct recorder_sink *sink, sqlite3_stmt *insert, int bound,
                              struct error *error)
{
    int result = bound == SQLITE_OK ? sqlite3_step(insert) : bound;
    if (result == SQLITE_DONE) {
        sqlite3_reset(insert);
        return STATUS_OK;
    }
    enum status status = recording_error(sink->database, sink->path, "writing to it", error);
    sqlite3_reset(insert);
    return status;
}

static enum status put_string(struct recorder_sink *sink, sqlite3_stmt *put, uint32_t id, const char *text,
                              struct error *error)
{
    int bound = sqlite3_bind_int64(put, 1, id);
    if (bound == SQLITE_OK)
        bound = sqlite3_bind_text(put, 2, text, -1, SQLITE_STATIC);
    return step_bound(sink, put, bound, error);
}

static enum status put_strings(struct recorder_sink *sink, uint32_t last, struct error *error)
{
    while (sink->strings < last) {
        uint32_t id = sink->strings + 1;
        bool later = sink->texts_later && session_is_code_text(sink->session, id);
        enum status status =
            put_string(sink, sink->insert_string, id, later ? "" : session_string(sink->session, id), error);
        if (status != STATUS_OK)
            return status;
        sink->strings = id;
    }
    return STATUS_OK;
}

enum status sink_put_text_of(struct recorder_sink *sink, uint32_t string, struct error *error)
{
    enum status status = string > sink->strings ? put_strings(sink, string, error) : STATUS_OK;
    return status == STATUS_OK
               ? put_string(sink, sink->set_string, string, session_string(sink->session, string), error)
               : status;
}

static enum status write_error(struct recorder_sink *sink, struct error *error)
{
    return recording_error(sink->database, sink->path, "writing to it", error);
}

static enum status put_row(struct recorder_sink *sink, enum recording_table number, const void *record,
                           struct error *error)
{
    const struct record_table *table = recording_table(number);
    if (row_write(sink->insert[number], table, record, sink->before[number]) != SQLITE_DONE)
        return write_error(sink, error);
    if (!sink->before[number])
        sink->before[number] = malloc(table->record_bytes); /* without it each row binds all */
    if (sink->before[number])
        memcpy(sink->before[number], record, table->record_bytes);
    return STATUS_OK;
}

static enum status batch_make(struct recorder_sink *sink, enum recording_table number,
                              struct sink_batch *batch, struct error *error)
{
    if (!batch->records)
        batch->records = malloc(SINK_BATCH * recording_table(number)->record_bytes);
    if (!batch->records)
        return error_no_memory(error, "to record to %s", sink->path);
    return prepare_insert(sink, number, SINK_BATCH, &batch->insert, error);
}

static enum status put_event(struct recorder_sink *sink, enum recording_table number, const void *record,
                             struct error *error)
{
    const struct record_table *table = recording_table(number);
    struct sink_batch *batch = &sink->batches[number - TABLE_EVENT_FIRST];
    enum status status = !batch->insert ? batch_make(sink, number, batch, error) : STATUS_OK;
    if (status != STATUS_OK)
        return status;
    unsigned char *row = batch->records + batch->held * table->record_bytes;
    int first = (int)(batch->held * table->column_count) + 1;
    if (row_bind(batch->insert, first, table, record, batch->held < batch->bound ? row : NULL) != SQLITE_OK)
        return write_error(sink, error);
    memcpy(row, record, table->record_bytes);
    batch->held++;
    batch->bound = batch->held > batch->bound ? batch->held : batch->bound;
    if (batch->held < SINK_BATCH)
        return STATUS_OK;
    batch->held = 0;
    return rows_insert(batch->insert) == SQLITE_DONE ? STATUS_OK : write_error(sink, error);
}

enum status sink_put(struct recorder_sink *sink, enum recording_table number, const void *record,
                     struct error *error)
{
    uint32_t last = last_string(&sink->strings_of[number], record);
    enum status status = last > sink->strings ? put_strings(sink, last, error) : STATUS_OK;
    if (status == STATUS_OK)
        status = number < TABLE_EVENT_FIRST ? put_row(sink, number, record, error)
                                            : put_event(sink, number, record, error);
    sink->rows += status == STATUS_OK;
    sink->holds |= number >= TABLE_EVENT_FIRST || number == TABLE_MEASUREMENT || number == TABLE_SAMPLE ||
                   number == TABLE_INSTRUCTION || number == TABLE_STALL || number == TABLE_TALLY ||
                   number == TABLE_ACCESS;
    return status;
}

enum status sink_flush(struct recorder_sink *sink, struct error *error)
{
    enum status status = STATUS_OK;
    for (unsigned t = TABLE_EVENT_FIRST; t < TABLE_COUNT; t++) {
        struct sink_batch *batch = &sink->batches[t - TABLE_EVENT_FIRST];
        for (uint32_t row = 0; row < batch->held && status == STATUS_OK; row++)
            status = put_row(sink, t, batch->records + row * recording_table(t)->record_bytes, error);
        batch->held = 0;
    }
    return status;
}

static enum status put_meta(struct recorder_sink *sink, const char *key, int bound, struct error *error)
{
    if (bound == SQLITE_OK)
        bound = sqlite3_bind_text(sink->set_meta, 1, key, -1, SQLITE_STATIC);
    return step_bound(sink, sink->set_meta, bound, error);
}

enum status sink_put_number(struct recorder_sink *sink, const char *key, int64_t number, struct error *error)
{
    return put_meta(sink, key, sqlite3_bind_int64(sink->set_meta, 2, number), error);
}

enum status sink_put_text(struct recorder_sink *sink, const char *key, const char *text, struct error *error)
{
    return put_meta(sink, key, sqlite3_bind_text(sink->set_meta, 2, text, -1, SQLITE_TRANSIENT), error);
}

enum status sink_execute(struct recorder_sink *sink, const char *sql, struct error *error)
{
    return recording_execute(sink->database, sink->path, sql, error);
}

/* ---- a recording within a size ---- */

/* All event tables count by one id in the order of time, so that one number cuts them all. */

#define WAL_MOST (UINT64_C(16) << 20)
#define ROW_BYTES_MOST 96      /* of an event, including its share of a page, a generous estimate */
#define CUT_LEAST 1024         /* events let go at once, at least */
#define SAMPLE_ROW_BYTES 65536 /* of a row of sample times with its numbers: 15 series */
#define SAMPLE_CUT_LEAST 4     /* such rows let go at once, at least */

static enum status step_number(sqlite3_stmt *statement, struct recorder_sink *sink, int64_t *number,
                               struct error *error)
{
    enum status status = STATUS_OK;
    if (sqlite3_step(statement) == SQLITE_ROW)
        *number = sqlite3_column_int64(statement, 0);
    else
        status = recording_error(sink->database, sink->path, "measuring it", error);
    sqlite3_reset(statement);
    return status;
}

enum status room_measure(struct recorder_room *room, struct recorder_sink *sink, struct error *error)
{
    int64_t pages = 0, unused = 0;
    enum status status = step_number(room->page_count, sink, &pages, error);
    if (status == STATUS_OK)
        status = step_number(room->freelist_count, sink, &unused, error);
    if (status != STATUS_OK)
        return status;
    struct stat wal;
    room->wal_bytes = stat(room->wal_path, &wal) == 0 && wal.st_size > 0 ? (uint64_t)wal.st_size : 0;
    room->used_bytes = (uint64_t)((pages - unused) * room->page_bytes);
    room->file_bytes = (uint64_t)(pages * room->page_bytes) + room->wal_bytes;
    return STATUS_OK;
}

enum status room_init(struct recorder_room *room, struct recorder_sink *sink, uint64_t max_bytes,
                      struct error *error)
{
    *room = (struct recorder_room){.max_bytes = max_bytes,
                                   .calls_until_ns = INT64_MIN,
                                   .events_from_ns = INT64_MIN,
                                   .first_id = 1,
                                   .first_sample = 1};
    room->wal_path = sqlite3_mprintf("%s-wal", sink->path);
    if (!room->wal_path)
        return error_no_memory(error, "to record to %s", sink->path);
    enum status status =
        recording_number(sink->database, sink->path, "PRAGMA page_size", 0, &room->page_bytes, error);
    if (status == STATUS_OK)
        status = recording_prepare(sink->database, sink->path, "PRAGMA page_count", &room->page_count, error);
    if (status == STATUS_OK)
        status = recording_prepare(sink->database, sink->path, "PRAGMA freelist_count", &room->freelist_count,
                                   error);
    return status == STATUS_OK ? room_measure(room, sink, error) : status;
}

void room_fini(struct recorder_room *room)
{
    sqlite3_finalize(room->page_count);
    sqlite3_finalize(room->freelist_count);
    sqlite3_free(room->wal_path);
    *room = (struct recorder_room){0};
}

uint64_t room_wal_most(const struct recorder_room *room)
{
    return room->max_bytes && room->max_bytes / 8 < WAL_MOST ? room->max_bytes / 8 : WAL_MOST;
}

/* The bytes for a transaction's events, and for its samples: a 32nd of the limit each, but at least one row.
 */
static uint64_t quota_share(const struct recorder_room *room, uint64_t row_bytes)
{
    return room->max_bytes / 32 > row_bytes ? room->max_bytes / 32 : row_bytes;
}

static size_t rows_most(const struct recorder_room *room, uint64_t row_bytes, size_t most)
{
    uint64_t limit = quota_share(room, row_bytes) / row_bytes;
    return room->max_bytes && limit < most ? (size_t)limit : most;
}

size_t room_batch_most(const struct recorder_room *room, size_t most)
{
    return rows_most(room, ROW_BYTES_MOST, most);
}

size_t room_sample_rows_most(const struct recorder_room *room, size_t most)
{
    return rows_most(room, SAMPLE_ROW_BYTES, most);
}

static uint64_t quota_part(const struct recorder_room *room, uint64_t parts)
{
    return room->max_bytes ? room->max_bytes / parts : UINT64_MAX;
}

uint64_t room_sources_most(const struct recorder_room *room)
{
    return quota_part(room, 8);
}

uint64_t room_code_rows_most(const struct recorder_room *room)
{
    return quota_part(room, 16);
}

uint64_t room_code_batch_most(const struct recorder_room *room)
{
    return quota_part(room, 32);
}

/* The most bytes of pages with rows: the rest is for the -wal, which may exceed its limit by one batch and by
 * all rows of code written again, and for one batch in the file. */
static uint64_t pages_most(const struct recorder_room *room)
{
    uint64_t batch =
        quota_share(room, ROW_BYTES_MOST) + quota_share(room, SAMPLE_ROW_BYTES) + room_code_batch_most(room);
    return room->max_bytes - room_wal_most(room) - 2 * batch - room_code_rows_most(room);
}

bool room_for_calls(struct recorder_room *room, int64_t now_ns)
{
    if (room->calls_until_ns == INT64_MIN && room->max_bytes && room->used_bytes > pages_most(room) / 4 * 3)
        room->calls_until_ns = now_ns;
    return room->calls_until_ns == INT64_MIN;
}

/* Deletes events up to `last` in every table; keeps the end of the latest of them. */
static enum status cut_until(struct recorder_room *room, struct recorder_sink *sink, int64_t last,
                             struct error *error)
{
    char sql[192];
    enum status status = STATUS_OK;
    for (unsigned t = TABLE_EVENT_FIRST; t < TABLE_COUNT && status == STATUS_OK; t++) {
        int64_t end_ns;
        const char *name = recording_table(t)->name;
        snprintf(sql, sizeof sql, "SELECT max(start_ns + duration_ns) FROM \"%s\" WHERE id <= %lld", name,
                 (long long)last);
        status = recording_number(sink->database, sink->path, sql, INT64_MIN, &end_ns, error);
        if (status != STATUS_OK || end_ns == INT64_MIN)
            continue;
        if (end_ns > room->events_from_ns)
            room->events_from_ns = end_ns;
        snprintf(sql, sizeof sql, "DELETE FROM \"%s\" WHERE id <= %lld", name, (long long)last);
        status = sink_execute(sink, sql, error);
    }
    room->first_id = last + 1;
    return status;
}

static enum status cut_samples(struct recorder_room *room, struct recorder_sink *sink, int64_t end,
                               struct error *error)
{
    char sql[128];
    int64_t end_ns;
    snprintf(sql, sizeof sql, "SELECT max(end_ns) FROM sample_time WHERE id < %lld", (long long)end);
    enum status status = recording_number(sink->database, sink->path, sql, INT64_MIN, &end_ns, error);
    if (status == STATUS_OK && end_ns > room->events_from_ns)
        room->events_from_ns = end_ns;
    snprintf(sql, sizeof sql, "DELETE FROM sample WHERE id < %lld", (long long)(end * SAMPLING_SERIES_MAX));
    if (status == STATUS_OK)
        status = sink_execute(sink, sql, error);
    snprintf(sql, sizeof sql, "DELETE FROM sample_time WHERE id < %lld", (long long)end);
    if (status == STATUS_OK)
        status = sink_execute(sink, sql, error);
    room->first_sample = end;
    return status;
}

/* A sixteenth of them, but at least this many. */
static int64_t cut_of(int64_t rows, int64_t least)
{
    int64_t cut = rows / 16 > least ? rows / 16 : least;
    return cut < rows ? cut : rows;
}

enum status room_make(struct recorder_room *room, struct recorder_sink *sink, int64_t next_id,
                      int64_t next_sample, struct error *error)
{
    enum status status = STATUS_OK;
    while (room->max_bytes && room->used_bytes > pages_most(room) && status == STATUS_OK) {
        int64_t events = next_id - room->first_id, samples = next_sample - room->first_sample;
        if (events <= 0 && samples <= 0) {
            room->full = true;
            return error_set(
                error, STATUS_IO,
                "%s has reached its limit of %llu bytes with names, kernels and values alone. Allow more.",
                sink->path, (unsigned long long)room->max_bytes);
        }
        if (events > 0)
            status = cut_until(room, sink, room->first_id - 1 + cut_of(events, CUT_LEAST), error);
        if (samples > 0 && status == STATUS_OK)
            status = cut_samples(room, sink, room->first_sample + cut_of(samples, SAMPLE_CUT_LEAST), error);
        if (status == STATUS_OK)
            status = room_measure(room, sink, error);
    }
    return status;
}
