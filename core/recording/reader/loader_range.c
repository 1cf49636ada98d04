/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A range of a recording, through the loader's own way of reading events. Ids count up in the order of ends,
 * nearly: a call waits for its work, and an event for what lies in lower lanes. So the first id is searched
 * for by halves, each time among the ends of some rows, and from some time earlier; what is missing then is
 * looked for once more from much earlier.
 */
#include "core/base/array.h"
#include "core/recording/reader/loader_internal.h"
#include "core/recording/reader/refill.h"
#include "core/recording/recording_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLICE_ROWS 8192u /* rows that are read during one hold of the session */
#define PROBE_IDS INT64_C(4096)
#define AFTER_ROWS 100000u /* rows in a sequence that end later: nothing of the range follows */
#define SCANS_MOST 4096u   /* more strings than this are looked up among all of the session's */

static const int64_t before_ns[] = {100000000, 5000000000}; /* of a first and a second try */

struct range_reader {
    struct loader loader; /* its path, strings and limits; the rest is used only during a read */
    const struct session *session;
    sqlite3_stmt *probe[TABLE_EVENT_COUNT];
    uint32_t last_string; /* the session's that was found last */
    unsigned scans;
};

struct range_reader *range_reader_create(const struct session *session, const char *path)
{
    struct range_reader *reader = calloc(1, sizeof *reader);
    if (!reader || !(reader->loader.path = strdup(path))) {
        free(reader);
        return NULL;
    }
    reader->session = session;
    reader->loader.session = (struct session *)session; /* never added to: see loader.refill */
    return reader;
}

void range_reader_close(struct range_reader *reader)
{
    for (unsigned t = 0; t < TABLE_EVENT_COUNT; t++) {
        sqlite3_finalize(reader->probe[t]);
        reader->probe[t] = NULL;
    }
    loader_let_go(&reader->loader);
}

void range_reader_destroy(struct range_reader *reader)
{
    if (!reader)
        return;
    range_reader_close(reader);
    free(reader->loader.strings);
    free(reader->loader.path);
    free(reader);
}

/* ---- strings ---- */
static bool is_string(const struct session *session, uint32_t string, const char *text)
{
    return text[0] != '\0' && strcmp(session_string(session, string), text) == 0;
}

/* Usually it has the same number, or the one after the last string found; 0: the session does not have it. */
static uint32_t find_string(struct range_reader *reader, uint32_t id, const char *text)
{
    const struct session *session = reader->session;
    if (is_string(session, id, text))
        return id;
    if (is_string(session, reader->last_string + 1, text))
        return reader->last_string + 1;
    if (reader->scans++ < SCANS_MOST)
        for (uint32_t string = 1; session_string(session, string)[0] != '\0'; string++)
            if (is_string(session, string, text))
                return string;
    return 0;
}

static enum status take_string(struct range_reader *reader, uint32_t next, const char *text,
                               struct error *error)
{
    struct loader *loader = &reader->loader;
    if (!array_grow(loader->strings, loader->string_room, next, 1))
        return error_no_memory(error, "to read %s", loader->path);
    loader->strings[0] = 0;
    loader->limits.strings = loader->strings;
    loader->strings[next] = find_string(reader, next, text);
    if (loader->strings[next] != 0)
        reader->last_string = loader->strings[next];
    loader->limits.rows[REFERS_STRING] = next;
    return STATUS_OK;
}

/* Strings of an event were recorded before it, so strings beyond those of the session are not needed. */
static enum status read_strings(struct range_reader *reader, struct error *error)
{
    struct loader *loader = &reader->loader;
    sqlite3_stmt *select = loader->select_strings;
    uint32_t next = loader->limits.rows[REFERS_STRING] + 1;
    enum status status = STATUS_OK;
    int result = sqlite3_bind_int64(select, 1, next - 1);
    for (; status == STATUS_OK && session_string(reader->session, next)[0] != '\0'; next++) {
        if ((result = sqlite3_step(select)) != SQLITE_ROW)
            break;
        const char *text = (const char *)sqlite3_column_text(select, 1);
        bool fits = text && sqlite3_column_int64(select, 0) == next;
        status = fits ? take_string(reader, next, text, error)
                      : loader_damaged(loader, "string", next, text ? "id" : "text", error);
    }
    if (status == STATUS_OK && result != SQLITE_ROW && result != SQLITE_DONE && result != SQLITE_OK)
        status = recording_error(loader->database, loader->path, "reading its strings", error);
    sqlite3_reset(select);
    return status;
}

/* ---- opening ---- */
static enum status prepare_probes(struct range_reader *reader, struct error *error)
{
    enum status status = STATUS_OK;
    for (unsigned t = 0; t < TABLE_EVENT_COUNT && status == STATUS_OK; t++) {
        char sql[160];
        snprintf(sql, sizeof sql,
                 "SELECT id, track, start_ns + duration_ns FROM \"%s\" NOT INDEXED "
                 "WHERE id >= ? AND id < ? ORDER BY id LIMIT 64",
                 recording_table(TABLE_EVENT_FIRST + t)->name);
        status =
            recording_prepare(reader->loader.database, reader->loader.path, sql, &reader->probe[t], error);
    }
    return status;
}

enum status range_reader_open(struct range_reader *reader, struct error *error)
{
    struct loader *loader = &reader->loader;
    const struct session *session = reader->session;
    loader->start_ns = loader->calls_until_ns = loader->events_from_ns = INT64_MIN;
    enum status status = recording_open(&loader->database, loader->path, error);
    if (status == STATUS_OK)
        status = loader_prepare(loader, error);
    if (status == STATUS_OK)
        status = prepare_probes(reader, error);
    if (status == STATUS_OK)
        status = loader_read_meta(loader, error);
    if (status == STATUS_OK && loader->start_ns != session_start_ns(session))
        status =
            error_set(error, STATUS_STATE,
                      "%s has been replaced by another recording: open it again to see it.", loader->path);
    loader->limits.rows[REFERS_KERNEL] = session_kernel_count(session);
    loader->limits.rows[REFERS_TRACK] = session_track_count(session);
    loader->limits.rows[REFERS_MEASUREMENT] = session_measurement_count(session);
    if (status == STATUS_OK)
        status = read_strings(reader, error);
    if (status == STATUS_OK)
        status = loader_read_event_range(loader, error);
    return status;
}

/* ---- where to begin ---- */
struct probed {           /* rows of a clock */
    uint32_t rows, later; /* these end at a time or after it */
};

/* Some rows from an id on. */
static enum status table_probe(struct range_reader *reader, int64_t id, enum clock_kind clock,
                               int64_t time_ns, struct probed *probed, struct error *error)
{
    struct loader *loader = &reader->loader;
    *probed = (struct probed){0};
    for (unsigned t = 0; t < TABLE_EVENT_COUNT; t++) {
        sqlite3_stmt *rows = reader->probe[t];
        int result = sqlite3_bind_int64(rows, 1, id);
        if (result == SQLITE_OK)
            result = sqlite3_bind_int64(rows, 2, id + PROBE_IDS);
        while (result == SQLITE_OK && (result = sqlite3_step(rows)) == SQLITE_ROW) {
            int64_t track = sqlite3_column_int64(rows, 1);
            result = SQLITE_OK;
            if (track < 0 || track >= loader->limits.rows[REFERS_TRACK] ||
                session_track(reader->session, (uint32_t)track)->clock != clock)
                continue;
            probed->rows++;
            probed->later += sqlite3_column_int64(rows, 2) >= time_ns;
        }
        sqlite3_reset(rows);
        if (result != SQLITE_DONE)
            return recording_error(loader->database, loader->path, "looking for a time in it", error);
    }
    return STATUS_OK;
}

/* The first id from which on most events end at time_ns or later. */
static enum status find_id(struct range_reader *reader, enum clock_kind clock, int64_t time_ns, int64_t *id,
                           struct error *error)
{
    int64_t low = reader->loader.first_event, high = reader->loader.end_event + 1;
    struct probed probed = {0};
    enum status status = STATUS_OK;
    while (low < high && status == STATUS_OK) {
        int64_t middle = low + (high - low) / 2;
        probed.rows = 0;
        for (int64_t at = middle; status == STATUS_OK && probed.rows == 0 && at < high; at += PROBE_IDS)
            status = table_probe(reader, at, clock, time_ns, &probed, error);
        if (2 * probed.later >= probed.rows) /* or no event of the clock before `high` */
            high = middle;
        else
            low = middle + 1;
    }
    /* Ids with events of only the other clock need not be read. */
    for (probed.rows = 0; status == STATUS_OK && low <= reader->loader.end_event; low += PROBE_IDS) {
        status = table_probe(reader, low, clock, time_ns, &probed, error);
        if (probed.rows > 0)
            break;
    }
    *id = low;
    return status;
}

/* ---- reading ---- */
static enum status read_slice(struct range_reader *reader, size_t *read, struct error *error)
{
    struct loader *loader = &reader->loader;
    enum status status = recording_execute(loader->database, loader->path, "BEGIN", error);
    if (status != STATUS_OK)
        return status;
    unsigned hold = session_hold(reader->session);
    status = loader_read_events(loader, SLICE_ROWS, read, error);
    session_let_go(reader->session, hold);
    enum status ended =
        recording_execute(loader->database, loader->path, "COMMIT", status == STATUS_OK ? error : NULL);
    return status == STATUS_OK ? ended : status;
}

/* The tables for events of such tracks. */
static uint32_t tables_of(uint32_t kinds)
{
    static const uint32_t items[TRACK_KIND_COUNT] = {
        [TRACK_STREAM] = 1u << ITEM_LAUNCH | 1u << ITEM_COPY | 1u << ITEM_SET,
        [TRACK_COPY_ENGINE] = 1u << ITEM_COPY,
        [TRACK_CALLS] = 1u << ITEM_CALL | 1u << ITEM_LAUNCH | 1u << ITEM_COPY | 1u << ITEM_SET,
        [TRACK_RANGES] = 1u << ITEM_RANGE,
        [TRACK_SYNCS] = 1u << ITEM_SYNC,
        [TRACK_OVERHEAD] = 1u << ITEM_OVERHEAD,
        [TRACK_MEASUREMENTS] = 1u << ITEM_MEASUREMENT};
    uint32_t tables = 0;
    for (unsigned kind = 0; kind < TRACK_KIND_COUNT; kind++)
        tables |= kinds >> kind & 1 ? items[kind] : 0;
    return tables;
}

enum status range_reader_read(struct range_reader *reader, struct refill *refill,
                              const struct refill_want *want, const struct refill_extent *extent,
                              const _Atomic bool *stop, struct error *error)
{
    struct loader *loader = &reader->loader;
    enum status status = STATUS_OK;
    uint64_t rows_most = 4 * extent->events + 500000;
    loader->refill = refill;
    loader->tables = tables_of(want->kinds);
    for (size_t attempt = 0; attempt < sizeof before_ns / sizeof before_ns[0] && status == STATUS_OK &&
                             refill_missing(refill) > 0 && !atomic_load(stop);
         attempt++) {
        int64_t first = 1;
        uint64_t rows = 0;
        size_t read = SLICE_ROWS;
        refill_again(refill);
        status = find_id(reader, want->clock, extent->start_ns - before_ns[attempt], &first, error);
        loader->last_event = first - 1;
        while (status == STATUS_OK && read == SLICE_ROWS && rows < rows_most && refill_missing(refill) > 0 &&
               refill_rows_after(refill) < AFTER_ROWS && !atomic_load(stop)) {
            status = read_slice(reader, &read, error);
            rows += read;
        }
    }
    loader->refill = NULL;
    return status;
}
