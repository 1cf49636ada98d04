/*
 * All event tables count by one id in the order of time, so that one number cuts them all.
 */
#include "core/recording/writer/recording_quota.h"

#include <stdio.h>
#include <sys/stat.h>

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
