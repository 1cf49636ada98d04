/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loading a recording, a slice at a time. Each slice is a read transaction of its own, so that a recorder is
 * never kept from tidying its -wal; it sees the tables and the events of whole transactions. Events of all
 * tables are merged by their id, which is the order they were recorded in. When there is nothing more to come
 * the file is let go.
 */
#include "core/base/free_memory.h"
#include "core/recording/reader/loader_internal.h"
#include "core/recording/recording_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* A file whose writer cannot be asked (another host) counts as growing if it was written to in this time. */
#define RECENT_S 5

void loader_let_go(struct loader *loader)
{
    for (unsigned t = 0; t < TABLE_COUNT; t++) {
        sqlite3_finalize(loader->select[t]);
        loader->select[t] = NULL;
    }
    sqlite3_finalize(loader->select_strings);
    sqlite3_finalize(loader->select_meta);
    sqlite3_finalize(loader->select_version);
    loader->select_strings = loader->select_meta = loader->select_version = NULL;
    sqlite3_close(loader->database);
    loader->database = NULL;
    loader->growing = false;
}

void loader_close(struct loader *loader)
{
    if (!loader)
        return;
    import_close(loader->import);
    loader_let_go(loader);
    free(loader->strings);
    free(loader->path);
    free(loader);
}

/* ---- notices ---- */
__attribute__((format(printf, 4, 5))) static void add_notice(struct loader *loader, enum severity severity,
                                                             enum status status, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct notice_row row = {.time_ns = session_now_ns(loader->session, CLOCK_WALL),
                             .text = session_add_string(loader->session, text, strlen(text)),
                             .process = NONE,
                             .severity = (uint8_t)severity,
                             .status = (uint8_t)status};
    session_add_notice(loader->session, &row);
}

/* How far the recording goes: on the wall clock, or on the model's clock if it has no other. */
static double known_until_s(const struct session *session)
{
    int64_t wall_ns = session_now_ns(session, CLOCK_WALL);
    return (double)(wall_ns > 0 ? wall_ns : session_now_ns(session, CLOCK_MODEL)) / 1e9;
}

/* Adds the notices about the file, once all is loaded. */
static void say_end(struct loader *loader, enum writer_life life)
{
    if (loader->ended_said)
        return;
    loader->ended_said = true;
    if (loader->events_from_ns != INT64_MIN)
        add_notice(loader, SEVERITY_WARNING, STATUS_OK,
                   "The recording reached its size limit and kept the newest data: events before %.3f s are "
                   "missing.",
                   (double)loader->events_from_ns / 1e9);
    if (loader->calls_until_ns != INT64_MIN)
        add_notice(loader, SEVERITY_WARNING, STATUS_OK,
                   "The recording came near its size limit: from %.3f s on it has only the API calls of "
                   "launches and copies.",
                   (double)loader->calls_until_ns / 1e9);
    if (loader->code_left_out)
        add_notice(loader, SEVERITY_WARNING, STATUS_OK,
                   "The size limit of the recording left no room for all sources and instructions of "
                   "kernels: the largest sources and the last instructions are missing.");
    if (loader->failed[0])
        add_notice(loader, SEVERITY_WARNING, STATUS_IO,
                   "The recording ended at %.3f s, before the program did: %s",
                   known_until_s(loader->session), loader->failed);
    if (!loader->finished && life != WRITER_LIVES)
        add_notice(loader, SEVERITY_WARNING, STATUS_IO,
                   "The recording was not closed: lanescope was killed, or the machine went down. The "
                   "recording is complete until %.3f s.",
                   known_until_s(loader->session));
    char aside[4096];
    if (session_event_count(loader->session) == 0 && recording_lies_aside(loader->path, aside, sizeof aside))
        add_notice(loader, SEVERITY_WARNING, STATUS_OK,
                   "This recording has no events. lanescope was killed before it could replace %s: rename "
                   "that file to recover the recording.",
                   aside);
    if (loader->skipped > 0)
        add_notice(loader, SEVERITY_WARNING, STATUS_FORMAT,
                   "%" PRIu64 " rows of the recording do not fit and were skipped; the first: %s. The file "
                   "is damaged, or was not "
                   "written by lanescope.",
                   loader->skipped, loader->first_skipped);
}

/* ---- is it still being written? ---- */
static bool written_recently(const char *path)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    for (int wal = 0; wal < 2; wal++) {
        struct stat status;
        char *name = sqlite3_mprintf("%s%s", path, wal ? "-wal" : "");
        bool recent = name && stat(name, &status) == 0 && status.st_mtim.tv_sec + RECENT_S >= now.tv_sec;
        sqlite3_free(name);
        if (recent)
            return true;
    }
    return false;
}

static enum writer_life writer_life(const struct loader *loader)
{
    enum writer_life life = recording_writer_lives(loader->writer);
    if (life == WRITER_UNKNOWN)
        return written_recently(loader->path) ? WRITER_LIVES : WRITER_ENDED;
    return life;
}

/* ---- events ---- */
static bool add_event(struct loader *loader, uint32_t track, int64_t start_ns, int64_t end_ns,
                      const struct item *item)
{
    return loader->refill ? refill_take(loader->refill, track, start_ns, end_ns, item)
                          : session_add_event(loader->session, track, start_ns, end_ns, item);
}

/* Adds the API call that is in the same row as its work: it comes first. False if there is no call. */
static bool take_call(struct loader *loader, const struct event_record *record)
{
    static const uint8_t categories[] = {
        [ITEM_LAUNCH] = CALL_LAUNCH, [ITEM_COPY] = CALL_COPY, [ITEM_SET] = CALL_SET};
    if (record->call_lead_ns == INT64_MIN ||
        session_track(loader->session, record->call_track)->kind == TRACK_COPY_ENGINE)
        return false;
    struct item item = record->call;
    item.kind = ITEM_CALL;
    item.b = categories[record->item.kind];
    item.correlation = record->item.correlation;
    int64_t start_ns = record->start_ns - record->call_lead_ns;
    return add_event(loader, record->call_track, start_ns, start_ns + record->item.launch.call_duration_ns,
                     &item);
}

/* Adds the current row of `select` to the session, or skips it. */
static void take_event(struct loader *loader, enum recording_table number, sqlite3_stmt *select)
{
    struct event_record record;
    const char *bad = row_read(select, recording_table(number), &loader->limits, &record);
    if (!bad && session_track(loader->session, record.track)->kind == TRACK_COPY_ENGINE)
        bad = "track"; /* the session itself adds copies to these tracks */
    if (!bad && record.start_ns > SESSION_TIME_MAX_NS - record.duration_ns)
        bad = "duration_ns";
    if (bad) {
        loader_skip(loader, number, sqlite3_column_int64(select, 0), bad);
        return;
    }
    record.item.kind = (uint8_t)(number - TABLE_EVENT_FIRST);
    if (record.item.kind <= ITEM_SET && record.call_track != NONE && !take_call(loader, &record)) {
        loader_skip(loader, number, record.id, "call_track");
        return;
    }
    if (record.item.kind <= ITEM_SET)
        record.item.launch.call_start_ns =
            record.call_lead_ns == INT64_MIN ? INT64_MIN : record.start_ns - record.call_lead_ns;
    if (record.item.kind == ITEM_COPY)
        record.item.b = (uint8_t)(record.source_memory | record.destination_memory << 4);
    if (!add_event(loader, record.track, record.start_ns, record.start_ns + record.duration_ns, &record.item))
        loader_skip(loader, number, record.id, "track (it does not take the event)");
}

/* The event tables being merged: the position in each. */
struct merge {
    int64_t next_id[TABLE_EVENT_COUNT]; /* INT64_MAX: at its end */
};

static enum status merge_step(struct loader *loader, struct merge *merge, unsigned which, struct error *error)
{
    sqlite3_stmt *select = loader->select[TABLE_EVENT_FIRST + which];
    int64_t before = merge->next_id[which];
    int result = sqlite3_step(select);
    if (result == SQLITE_ROW) {
        merge->next_id[which] = sqlite3_column_int64(select, 0);
        if (merge->next_id[which] > before && merge->next_id[which] < INT64_MAX)
            return STATUS_OK;
        return error_set(error, STATUS_FORMAT,
                         "%s is damaged: the rows of table %s are out of order. Take another copy of it.",
                         loader->path, recording_table(TABLE_EVENT_FIRST + which)->name);
    }
    merge->next_id[which] = INT64_MAX;
    return result == SQLITE_DONE
               ? STATUS_OK
               : recording_error(loader->database, loader->path, "reading its events", error);
}

static enum status merge_begin(struct loader *loader, struct merge *merge, struct error *error)
{
    enum status status = STATUS_OK;
    for (unsigned which = 0; which < TABLE_EVENT_COUNT && status == STATUS_OK; which++) {
        merge->next_id[which] = loader->last_event;
        if (loader->refill && !(loader->tables >> which & 1)) {
            merge->next_id[which] = INT64_MAX;
            continue;
        }
        if (sqlite3_bind_int64(loader->select[TABLE_EVENT_FIRST + which], 1, loader->last_event) != SQLITE_OK)
            return recording_error(loader->database, loader->path, "reading its events", error);
        status = merge_step(loader, merge, which, error);
    }
    return status;
}

enum status loader_read_events(struct loader *loader, size_t most, size_t *read, struct error *error)
{
    struct merge merge;
    enum status status = merge_begin(loader, &merge, error);
    *read = 0;
    while (status == STATUS_OK && *read < most) {
        unsigned first = 0;
        for (unsigned which = 1; which < TABLE_EVENT_COUNT; which++)
            if (merge.next_id[which] < merge.next_id[first])
                first = which;
        if (merge.next_id[first] == INT64_MAX)
            break;
        loader->last_event = merge.next_id[first];
        take_event(loader, TABLE_EVENT_FIRST + first, loader->select[TABLE_EVENT_FIRST + first]);
        ++*read;
        status = merge_step(loader, &merge, first, error);
    }
    for (unsigned which = 0; which < TABLE_EVENT_COUNT; which++)
        sqlite3_reset(loader->select[TABLE_EVENT_FIRST + which]);
    return status;
}

/* ---- a slice ---- */
static enum status read_version(struct loader *loader, int64_t *version, struct error *error)
{
    enum status status = STATUS_OK;
    if (sqlite3_step(loader->select_version) == SQLITE_ROW)
        *version = sqlite3_column_int64(loader->select_version, 0);
    else
        status = recording_error(loader->database, loader->path, "looking for new rows", error);
    sqlite3_reset(loader->select_version);
    return status;
}

/* If memory ran out, a missing row is not the file's fault: STATUS_MEMORY, whatever the status is. */
static enum status memory_status(const struct session *session, const char *path, enum status status,
                                 struct error *error)
{
    struct session_lost lost;
    session_lost(session, &lost);
    return lost.no_memory > 0 ? error_no_memory(error, "to load %s", path) : status;
}

/* Tables, if there are new rows, then events: all from one state of the file. */
static enum status read_slice(struct loader *loader, size_t most, size_t *read, struct error *error)
{
    int64_t version = -1;
    size_t samples = 0;
    enum status status = recording_execute(loader->database, loader->path, "BEGIN", error);
    if (status != STATUS_OK)
        return status;
    /* The transaction's first read: all that follows reads the same version. */
    status = loader_read_meta(loader, error);
    if (status == STATUS_OK)
        status = read_version(loader, &version, error);
    if (status == STATUS_OK && version != loader->data_version) {
        status = loader_read_tables(loader, error);
        loader->data_version = version;
    }
    *read = 0;
    if (status == STATUS_OK && most > 0)
        status = loader_read_samples(loader, most, &samples, error);
    if (status == STATUS_OK && most > samples)
        status = loader_read_events(loader, most - samples, read, error);
    *read += samples;
    for (enum clock_kind clock = 0; status == STATUS_OK && *read < most && clock < CLOCK_COUNT; clock++)
        if (loader->now_ns[clock] != INT64_MIN)
            session_set_now(loader->session, clock, loader->now_ns[clock]);
    enum status ended =
        recording_execute(loader->database, loader->path, "COMMIT", status == STATUS_OK ? error : NULL);
    return memory_status(loader->session, loader->path, status == STATUS_OK ? ended : status, error);
}

enum status loader_read_event_range(struct loader *loader, struct error *error)
{
    int64_t first = INT64_MAX, last = 0;
    for (unsigned t = TABLE_EVENT_FIRST; t < TABLE_COUNT; t++) {
        char sql[96];
        for (int most = 0; most < 2; most++) {
            int64_t id;
            snprintf(sql, sizeof sql, "SELECT %s(id) FROM \"%s\" NOT INDEXED", most ? "max" : "min",
                     recording_table(t)->name);
            enum status status =
                recording_number(loader->database, loader->path, sql, most ? 0 : INT64_MAX, &id, error);
            if (status != STATUS_OK)
                return status;
            if (most ? id > last : id < first)
                *(most ? &last : &first) = id;
        }
    }
    loader->first_event = first == INT64_MAX || first < 1 ? 1 : first;
    loader->end_event = last;
    return STATUS_OK;
}

static enum status open_recording(struct loader *loader, struct error *error)
{
    size_t read;
    loader->data_version = -1;
    loader->start_ns = loader->calls_until_ns = loader->events_from_ns = INT64_MIN;
    loader->now_ns[CLOCK_WALL] = loader->now_ns[CLOCK_MODEL] = INT64_MIN;
    for (unsigned t = 0; t < TABLE_COUNT; t++)
        loader->last_id[t] = -1;
    enum status status = recording_open(&loader->database, loader->path, error);
    if (status == STATUS_OK)
        status = loader_prepare(loader, error);
    if (status == STATUS_OK)
        status = loader_read_meta(loader, error);
    if (status == STATUS_OK)
        status = session_create(&loader->session, loader->start_ns, error);
    if (status == STATUS_OK)
        session_set_origin(loader->session, loader->origin, loader->counting);
    if (status == STATUS_OK)
        status = read_slice(loader, 0, &read, error);
    if (status == STATUS_OK)
        status = loader_read_event_range(loader, error);
    if (status == STATUS_OK)
        loader->growing = !loader->finished && writer_life(loader) == WRITER_LIVES;
    return status;
}

enum status loader_open(struct loader **result, struct session **session, const char *path,
                        struct error *error)
{
    *result = NULL;
    *session = NULL;
    struct loader *loader = calloc(1, sizeof *loader);
    if (!loader || !(loader->path = strdup(path))) {
        free(loader);
        return error_no_memory(error, "to open %s", path);
    }
    enum status status = import_explain(path, error);
    if (status == STATUS_OK)
        status = !recording_has_header(path) && import_recognises(path)
                     ? import_open(&loader->import, &loader->session, path, error)
                     : open_recording(loader, error);
    if (status == STATUS_OK) {
        *result = loader;
        *session = loader->session;
        return STATUS_OK;
    }
    session_destroy(loader->session);
    loader_close(loader);
    return status;
}

enum status loader_step(struct loader *loader, size_t most, bool *done, struct error *error)
{
    *done = true;
    if (loader->import)
        return memory_status(loader->session, loader->path,
                             import_step(loader->import, most > 0 ? most : 1, done, error), error);
    if (!loader->database)
        return STATUS_OK;
    size_t read;
    enum writer_life life = loader->finished ? WRITER_ENDED : writer_life(loader); /* before the last look */
    enum status status = read_slice(loader, most > 0 ? most : 1, &read, error);
    if (status == STATUS_STATE && loader->growing)
        return STATUS_OK; /* locked for a moment, such as when the recorder ends */
    if (status != STATUS_OK) {
        loader_let_go(loader);
        return status;
    }
    *done = read < (most > 0 ? most : 1);
    if (!*done)
        return STATUS_OK;
    loader->growing = !loader->finished && life == WRITER_LIVES;
    if (!loader->growing) {
        say_end(loader, life);
        loader_let_go(loader);
    }
    return memory_status(loader->session, loader->path, STATUS_OK, error);
}

bool loader_growing(const struct loader *loader)
{
    return loader->growing;
}

double loader_progress(const struct loader *loader)
{
    if (loader->import)
        return import_progress(loader->import);
    if (!loader->database || loader->end_event < loader->first_event ||
        loader->last_event >= loader->end_event)
        return 1;
    if (loader->last_event < loader->first_event)
        return 0;
    return (double)(loader->last_event - loader->first_event + 1) /
           ((double)(loader->end_event - loader->first_event) + 1);
}

/* file: for the events beyond in_memory_bytes; -1: none. */
static enum status load_all(struct session **session, const char *path, size_t most_bytes, int file,
                            size_t in_memory_bytes, struct error *error)
{
    struct loader *loader;
    enum status status = loader_open(&loader, session, path, error);
    if (status != STATUS_OK)
        return status;
    session_set_memory_limit(*session, most_bytes, false);
    if (file >= 0)
        session_use_file(*session, file, in_memory_bytes);
    bool done = false;
    while (!done && status == STATUS_OK)
        status = loader_step(loader, 100000, &done, error);
    if (status == STATUS_OK && loader->database) {
        add_notice(loader, SEVERITY_INFO, STATUS_OK,
                   "The recording was still being written when it was read, until %.3f s.",
                   known_until_s(*session));
        say_end(loader, WRITER_LIVES);
    }
    loader_close(loader);
    status = memory_status(*session, path, status, error);
    if (status != STATUS_OK) {
        session_destroy(*session);
        *session = NULL;
    }
    return status;
}

static size_t most_in_memory(void)
{
    uint64_t most = free_memory_bytes() / 2; /* the rest is for what is computed from the events */
    return most < SIZE_MAX ? (size_t)most : SIZE_MAX;
}

static struct {
    struct session *session;
    struct stat file;
} kept;

static bool is_kept(const char *path)
{
    struct stat file;
    return kept.session && stat(path, &file) == 0 && file.st_dev == kept.file.st_dev &&
           file.st_ino == kept.file.st_ino && file.st_size == kept.file.st_size &&
           file.st_mtim.tv_sec == kept.file.st_mtim.tv_sec &&
           file.st_mtim.tv_nsec == kept.file.st_mtim.tv_nsec;
}

enum status recording_keep(const char *path, struct error *error)
{
    struct session *session;
    if (stat(path, &kept.file) != 0)
        return error_set_errno(error, STATUS_IO, errno, "%.300s cannot be read", path);
    enum status status = recording_load(&session, path, error);
    kept.session = status == STATUS_OK ? session : NULL;
    return status;
}

enum status recording_load(struct session **session, const char *path, struct error *error)
{
    if (is_kept(path)) {
        *session = kept.session;
        kept.session = NULL;
        return STATUS_OK;
    }
    return load_all(session, path, most_in_memory(), -1, 0, error);
}

enum status recording_load_within(struct session **session, const char *path, size_t most_bytes,
                                  struct error *error)
{
    return load_all(session, path, most_bytes, -1, 0, error);
}

enum status recording_load_beside(struct session **session, const char *path, size_t in_memory_bytes,
                                  int *file, struct error *error)
{
    char *copy = strdup(path);
    *file = copy ? open(dirname(copy), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) : -1;
    free(copy);
    return load_all(session, path, *file >= 0 ? 0 : most_in_memory(), *file, in_memory_bytes, error);
}
