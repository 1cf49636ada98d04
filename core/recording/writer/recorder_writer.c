/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One transaction writes the rows that events refer to, then the events in their order, then the sums of
 * kernels and the end of known time. If lanescope is killed, the file has only complete transactions. Ids of
 * events count up by one over all event tables, without gaps except where API calls were left out or where
 * old events were deleted at the size limit.
 *
 * Counters over time: the series, and their samples by up to SAMPLES_PER_ROW in a row with a
 * column of numbers for each series. For each sampling, how many of its samples are written. A row of times
 * goes before its rows of numbers; bytes are little-endian in the file.
 */
#include "core/recording/writer/recorder_internal.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/recording/recording_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct recorder_samples {
    uint64_t *written;                /* by sampling: samples that are in the file */
    uint32_t samplings, room, series; /* samplings in `written`; its capacity; series that are in the file */
    int64_t next_id;
};

/* ---- counters over time ---- */

static const union {
    uint16_t number;
    uint8_t first;
} little = {1};

/* The file is little-endian. */
static void to_file(void *words, size_t count)
{
    uint32_t *word = words;
    if (little.first == 1)
        return;
    for (size_t i = 0; i < count; i++)
        word[i] = __builtin_bswap32(word[i]);
}

/* a zeroed one is empty */
static void recorder_samples_fini(struct recorder_samples *samples)
{
    free(samples->written);
    *samples = (struct recorder_samples){0};
}

static enum status out_of_memory(struct error *error)
{
    return error_no_memory(error, "to record");
}

static enum status write_series(struct recorder_samples *samples, struct recorder_sink *sink, uint32_t count,
                                struct error *error)
{
    enum status status = STATUS_OK;
    for (; samples->series < count && status == STATUS_OK; samples->series++) {
        struct series_record record = {.id = samples->series,
                                       .row = *session_series(sink->session, samples->series)};
        status = sink_put(sink, TABLE_SERIES, &record, error);
    }
    return status;
}

/* How many samples from `first` on fit into a row: their starts must lie within 32 bits. */
static uint32_t row_count(const struct session *session, uint32_t sampling, uint64_t first, uint64_t end)
{
    int64_t start_ns = sample_start_ns(session, sampling, first);
    uint32_t count = 1;
    while (count < SAMPLES_PER_ROW && first + count < end &&
           sample_start_ns(session, sampling, first + count) - start_ns <= UINT32_MAX)
        count++;
    return count;
}

static enum status write_times(struct recorder_samples *samples, struct recorder_sink *sink,
                               uint32_t sampling, uint64_t first, uint32_t count, struct error *error)
{
    struct sample_time times[SAMPLES_PER_ROW];
    struct sample_time_record record = {.id = samples->next_id,
                                        .sampling = sampling,
                                        .count = count,
                                        .start_ns = sample_start_ns(sink->session, sampling, first),
                                        .end_ns = sample_end_ns(sink->session, sampling, first + count - 1)};
    int64_t each_ns = (record.end_ns - record.start_ns) / count;
    bool equal = each_ns * count == record.end_ns - record.start_ns;
    for (uint32_t i = 0; i < count; i++) {
        int64_t start_ns = sample_start_ns(sink->session, sampling, first + i);
        times[i].offset_ns = (uint32_t)(start_ns - record.start_ns);
        times[i].duration_ns = (uint32_t)(sample_end_ns(sink->session, sampling, first + i) - start_ns);
        equal = equal && times[i].duration_ns == each_ns; /* then there is no room for a gap */
    }
    if (!equal) {
        to_file(times, 2 * (size_t)count);
        record.times = (struct blob){times, count * (uint32_t)sizeof *times};
    }
    return sink_put(sink, TABLE_SAMPLE_TIME, &record, error);
}

static enum status write_numbers(struct recorder_samples *samples, struct recorder_sink *sink,
                                 uint32_t series, uint64_t first, uint32_t count, struct error *error)
{
    float numbers[SAMPLES_PER_ROW];
    struct sample_record record = {.id = samples->next_id * SAMPLING_SERIES_MAX +
                                         session_series(sink->session, series)->place,
                                   .series = series};
    bool same = true;
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = sample_number(sink->session, series, first + i);
        same = same && memcmp(&numbers[i], &numbers[0], sizeof numbers[0]) == 0;
    }
    record.number = same ? (double)numbers[0] : NAN;
    if (!same) {
        to_file(numbers, count);
        record.numbers = (struct blob){numbers, count * (uint32_t)sizeof *numbers};
    }
    return sink_put(sink, TABLE_SAMPLE, &record, error);
}

static enum status write_row(struct recorder_samples *samples, struct recorder_sink *sink, uint32_t sampling,
                             uint64_t end, struct error *error)
{
    const struct sampling_row *row = sampling_at(sink->session, sampling);
    uint64_t first = samples->written[sampling];
    uint32_t count = row_count(sink->session, sampling, first, end);
    enum status status = write_times(samples, sink, sampling, first, count, error);
    for (uint32_t i = 0; i < row->series && status == STATUS_OK; i++)
        status = write_numbers(samples, sink, row->first_series + i, first, count, error);
    samples->next_id++;
    samples->written[sampling] += count;
    return status;
}

/* Writes at most `most` rows of times, with their numbers, and all series. *more: there are further rows.
 * Write the rows that these refer to, processes and devices, after this call. */
static enum status recorder_samples_write(struct recorder_samples *samples, struct recorder_sink *sink,
                                          size_t most, bool *more, struct error *error)
{
    uint32_t count = sampling_count(sink->session);
    enum status status = STATUS_OK;
    *more = false;
    if (count == 0)
        return STATUS_OK;
    if (!array_grow(samples->written, samples->room, count, 0))
        return out_of_memory(error);
    for (; samples->samplings < count; samples->samplings++)
        samples->written[samples->samplings] = 0;
    samples->next_id = samples->next_id > 0 ? samples->next_id : 1;
    const struct sampling_row *last = sampling_at(sink->session, count - 1);
    status = write_series(samples, sink, last->first_series + last->series, error);
    for (uint32_t sampling = 0; sampling < count && status == STATUS_OK; sampling++) {
        uint64_t end = sample_count(sink->session, sampling);
        while (samples->written[sampling] < end && status == STATUS_OK && !*more) {
            *more = most == 0;
            if (most > 0)
                status = write_row(samples, sink, sampling, end, error);
            most -= most > 0;
        }
    }
    return status;
}

/* The written samples are on disk: the session may evict them. */
static void recorder_samples_recorded(struct recorder_samples *samples, const struct session *session)
{
    for (uint32_t sampling = 0; sampling < samples->samplings; sampling++)
        session_set_samples_recorded(session, sampling, samples->written[sampling]);
}

/* ---- transactions ---- */

#define SUMMARY_EVENTS 4096
#define TRANSACTION_NS 200000000 /* most time for writing events before the transaction is committed */
#define LOOK_EVENTS 64           /* between two looks at the clock */
#define SAMPLE_ROWS 256          /* in a transaction: some 20 ms of work */
#define FINISH_WAIT_MS 3000      /* for followers, who look several times a second, to close the file */

struct lane_summaries {
    struct summary_record *lanes;
    uint32_t count;
};

struct recorder_writer {
    struct recorder_sink sink;
    struct recorder_tables tables;
    struct recorder_samples samples;
    struct recorder_room room;
    struct recorder_order *order;
    struct recorder_join *join;
    bool finishing;       /* the session has ended */
    bool flush;           /* no event may wait for others any more: the session has ended, or is idle */
    uint64_t seen_events; /* of the session, at the last transaction */
    int64_t seen_ns[CLOCK_COUNT];
    struct lane_summaries *summaries; /* by track: the part of each lane that is not written yet */
    uint32_t summary_tracks, summary_id;
    int64_t next_id;
    uint64_t taken;              /* events given out by the order, written or left out */
    int64_t now_ns[CLOCK_COUNT]; /* as written to meta; INT64_MIN at first, 0 on the model's clock */
    int64_t committed_until_ns;  /* of the wall clock */
    int64_t calls_until_ns, events_from_ns; /* as written to meta, and the next */
    int64_t code_left_out;
    const char *network;
    void (*tell)(const char *sentence);
    int64_t locked_ns; /* since when others have locked the file (CLOCK_MONOTONIC); 0: not locked */
    bool told_locked;
    size_t counted_bytes; /* of what this holds, in the session's memory */
    bool holds;           /* what is committed does */
    bool full;            /* a write failed because the disk, or the size limit, is full */
};

/* ---- life ---- */
static enum status write_meta(struct recorder_writer *writer, const char *command, struct error *error)
{
    struct recorder_sink *sink = &writer->sink;
    char host[256] = "", identity[256];
    const char *origin = session_origin(sink->session), *counting = session_counting(sink->session);
    if (session_is_anonymous(sink->session))
        command = NULL;
    else if (!*origin) /* another tool's trace may be of another machine */
        gethostname(host, sizeof host - 1);
    recording_writer_identity(identity, sizeof identity);
    enum status status = sink_execute(sink, "BEGIN IMMEDIATE", error);
    if (status == STATUS_OK)
        status = sink_put_text(sink, "lanescope", LANESCOPE_VERSION, error);
    if (status == STATUS_OK)
        status = sink_put_number(sink, "start_ns", session_start_ns(sink->session), error);
    if (status == STATUS_OK)
        status = sink_put_text(sink, "host", host, error);
    if (status == STATUS_OK)
        status = sink_put_text(sink, "command", command ? command : "", error);
    if (status == STATUS_OK)
        status = sink_put_text(sink, "writer", identity, error);
    if (status == STATUS_OK && *origin)
        status = sink_put_text(sink, "origin", origin, error);
    if (status == STATUS_OK && *counting)
        status = sink_put_text(sink, "counting", counting, error);
    if (status == STATUS_OK)
        status = sink_put_number(sink, "finished", 0, error);
    return status == STATUS_OK ? sink_execute(sink, "COMMIT", error) : status;
}

#define CACHE_LEAST_KIB 1024u
#define CACHE_MOST_KIB 16384u

/* SQLite's cache takes a sixteenth of a limit of memory. */
static enum status limit_cache(struct recorder_sink *sink, size_t memory_bytes, struct error *error)
{
    char sql[64];
    size_t kib = memory_bytes == 0 ? CACHE_MOST_KIB : memory_bytes / 16 / 1024;
    kib = kib < CACHE_LEAST_KIB ? CACHE_LEAST_KIB : kib > CACHE_MOST_KIB ? CACHE_MOST_KIB : kib;
    snprintf(sql, sizeof sql, "PRAGMA cache_size=-%zu", kib);
    return sink_execute(sink, sql, error);
}

enum status recorder_writer_create(struct recorder_writer **result, const struct session *session,
                                   sqlite3 *database, const char *path, const char *network,
                                   const struct recorder_options *options, struct error *error)
{
    struct recorder_writer *writer = calloc(1, sizeof *writer);
    *result = writer;
    if (!writer) {
        sqlite3_close(database);
        return error_no_memory(error, "to record to %s", path);
    }
    writer->next_id = 1;
    writer->now_ns[CLOCK_WALL] = writer->committed_until_ns = INT64_MIN;
    writer->calls_until_ns = writer->events_from_ns = INT64_MIN;
    writer->network = network;
    writer->tell = options->tell;
    enum status status = sink_init(&writer->sink, session, database, path, error);
    if (status == STATUS_OK && (!(writer->order = recorder_order_create(session)) ||
                                !(writer->join = recorder_join_create(session, writer->order))))
        status = error_no_memory(error, "to record to %s", path);
    if (status == STATUS_OK)
        status = limit_cache(&writer->sink, options->memory_bytes, error);
    if (status == STATUS_OK)
        status = room_init(&writer->room, &writer->sink, options->max_bytes, error);
    writer->sink.texts_later = options->max_bytes > 0;
    writer->tables.code.sources_left = room_sources_most(&writer->room);
    writer->tables.code.rows_left = room_code_rows_most(&writer->room);
    if (status == STATUS_OK)
        status = write_meta(writer, options->command, error);
    if (status == STATUS_OK)
        return STATUS_OK;
    recorder_writer_destroy(writer);
    *result = NULL;
    return status;
}

void recorder_writer_destroy(struct recorder_writer *writer)
{
    if (!writer)
        return;
    session_count_memory(writer->sink.session, -(int64_t)writer->counted_bytes);
    recorder_join_destroy(writer->join);
    recorder_order_destroy(writer->order);
    tables_fini(&writer->tables);
    recorder_samples_fini(&writer->samples);
    room_fini(&writer->room);
    for (uint32_t t = 0; t < writer->summary_tracks; t++)
        free(writer->summaries[t].lanes);
    free(writer->summaries);
    sink_fini(&writer->sink);
    free(writer);
}

bool recorder_writer_holds(const struct recorder_writer *writer)
{
    return writer->holds;
}

uint64_t recorder_writer_taken(const struct recorder_writer *writer)
{
    return writer->taken;
}

void recorder_writer_state(const struct recorder_writer *writer, struct recorder_state *state)
{
    state->rows = writer->sink.rows;
    state->size_bytes = writer->room.file_bytes;
    state->full = writer->full;
    state->committed_until_ns = writer->committed_until_ns == INT64_MIN ? 0 : writer->committed_until_ns;
    if (writer->locked_ns)
        snprintf(
            state->note, sizeof state->note,
            "Another program has locked the recording for %.0f s: nothing is written until it unlocks it.",
            (double)(clock_monotonic_ns() - writer->locked_ns) / 1e9);
    else if (writer->events_from_ns != INT64_MIN)
        snprintf(state->note, sizeof state->note,
                 "The recording is at its size limit: it keeps only the newest data, now from %.3f s on.",
                 (double)writer->events_from_ns / 1e9);
    else if (writer->calls_until_ns != INT64_MIN)
        snprintf(state->note, sizeof state->note,
                 "The recording is near its size limit: from %.3f s on it has no API calls.",
                 (double)writer->calls_until_ns / 1e9);
    else if (writer->network)
        snprintf(state->note, sizeof state->note,
                 "The recording is on %s: other programs can open it only after it has ended.",
                 writer->network);
    else
        state->note[0] = '\0';
    if (writer->code_left_out) {
        size_t used = strlen(state->note);
        snprintf(state->note + used, sizeof state->note - used,
                 "%sIts size limit leaves no room for all sources and instructions.", used ? " " : "");
    }
}

/* ---- summaries ---- */
static struct summary_record *summary_of(struct recorder_writer *writer, const struct ordered_event *event)
{
    if (!array_grow_zeroed(writer->summaries, writer->summary_tracks, event->track, 1))
        return NULL;
    struct lane_summaries *track = &writer->summaries[event->track];
    if (event->lane >= track->count) {
        uint32_t count = event->lane + 1;
        struct summary_record *lanes = realloc(track->lanes, count * sizeof *lanes);
        if (!lanes)
            return NULL;
        for (uint32_t l = track->count; l < count; l++)
            lanes[l] = (struct summary_record){.track = event->track, .lane = l};
        track->lanes = lanes;
        track->count = count;
    }
    return &track->lanes[event->lane];
}

static enum status summary_flush(struct recorder_writer *writer, struct summary_record *summary,
                                 struct error *error)
{
    summary->id = writer->summary_id++;
    enum status status = sink_put(&writer->sink, TABLE_SUMMARY, summary, error);
    summary->first_index += summary->events;
    summary->events = 0;
    summary->busy_ns = summary->longest_ns = 0;
    return status;
}

static enum status summary_add(struct recorder_writer *writer, const struct ordered_event *event,
                               struct error *error)
{
    struct summary_record *summary = summary_of(writer, event);
    if (!summary)
        return error_no_memory(error, "to record");
    int64_t duration_ns = event->end_ns - event->start_ns;
    if (summary->events++ == 0)
        summary->start_ns = event->start_ns;
    summary->end_ns = event->end_ns;
    summary->busy_ns += duration_ns;
    if (duration_ns > summary->longest_ns)
        summary->longest_ns = duration_ns;
    return summary->events == SUMMARY_EVENTS ? summary_flush(writer, summary, error) : STATUS_OK;
}

static enum status flush_summaries(struct recorder_writer *writer, struct error *error)
{
    enum status status = STATUS_OK;
    for (uint32_t t = 0; t < writer->summary_tracks; t++)
        for (uint32_t l = 0; l < writer->summaries[t].count && status == STATUS_OK; l++)
            if (writer->summaries[t].lanes[l].events > 0)
                status = summary_flush(writer, &writer->summaries[t].lanes[l], error);
    return status;
}

/* ---- events ---- */
static enum status write_event(struct recorder_writer *writer, const struct joined_event *joined,
                               struct error *error)
{
    const struct ordered_event *event = &joined->event;
    writer->taken += joined->has_call ? 2 : 1;
    enum status status = summary_add(writer, event, error);
    if (status == STATUS_OK && joined->has_call)
        status = summary_add(writer, &joined->call, error);
    if (status != STATUS_OK || event->item.kind > ITEM_MEASUREMENT ||
        (event->item.kind == ITEM_CALL && !room_for_calls(&writer->room, event->end_ns)))
        return status;
    struct event_record record = {.id = writer->next_id,
                                  .track = event->track,
                                  .start_ns = event->start_ns,
                                  .duration_ns = event->end_ns - event->start_ns,
                                  .call_lead_ns = INT64_MIN,
                                  .item = event->item,
                                  .call_track = NONE,
                                  .call = {.call = {.context = NONE, .stream = NONE}}};
    if (joined->has_call) {
        record.call_track = joined->call.track;
        record.call = joined->call.item;
    }
    if (event->item.kind <= ITEM_SET && event->item.launch.call_start_ns >= -SESSION_TIME_MAX_NS &&
        event->item.launch.call_start_ns <= SESSION_TIME_MAX_NS)
        record.call_lead_ns = event->start_ns - event->item.launch.call_start_ns;
    if (event->item.kind == ITEM_COPY) {
        record.source_memory = item_copy_source(&event->item);
        record.destination_memory = item_copy_destination(&event->item);
    }
    status = sink_put(&writer->sink, TABLE_EVENT_FIRST + event->item.kind, &record, error);
    writer->next_id++;
    if (status == STATUS_OK && event->item.kind == ITEM_LAUNCH && event->item.launch.kernel != NONE)
        status = tables_count_launch(&writer->tables, event->item.launch.kernel, record.duration_ns, error);
    return status;
}

static enum status write_events(struct recorder_writer *writer, size_t most,
                                const int64_t now_ns[CLOCK_COUNT], bool *more, struct error *error)
{
    struct joined_event joined;
    enum status status = STATUS_OK;
    int64_t until_ns = clock_monotonic_ns() + TRANSACTION_NS;
    *more = false;
    for (size_t n = 0; status == STATUS_OK && !*more; n++) {
        enum join_result result =
            recorder_join_next(writer->join, now_ns, writer->flush, writer->finishing, &joined);
        if (result == JOIN_NOTHING)
            break;
        if (result == JOIN_NO_MEMORY)
            return error_no_memory(error, "to record to %s", writer->sink.path);
        status = write_event(writer, &joined, error);
        *more = n + 1 == most || (n % LOOK_EVENTS == LOOK_EVENTS - 1 && clock_monotonic_ns() > until_ns);
    }
    return status;
}

/* ---- a transaction ---- */
static enum status put_changed(struct recorder_writer *writer, const char *key, int64_t now, int64_t *written,
                               struct error *error)
{
    if (now == *written)
        return STATUS_OK;
    *written = now;
    return sink_put_number(&writer->sink, key, now, error);
}

static enum status fill_transaction(struct recorder_writer *writer, size_t most, bool *more,
                                    struct error *error)
{
    /* Read the time first: everything that ended until then is published. */
    int64_t now_ns[CLOCK_COUNT];
    bool more_samples = false;
    for (enum clock_kind clock = 0; clock < CLOCK_COUNT; clock++)
        now_ns[clock] = session_now_ns(writer->sink.session, clock);
    uint64_t events = session_event_count(writer->sink.session);
    bool still =
        events == writer->seen_events && memcmp(now_ns, writer->seen_ns, sizeof writer->seen_ns) == 0;
    writer->flush = writer->finishing || still;
    writer->seen_events = events;
    memcpy(writer->seen_ns, now_ns, sizeof writer->seen_ns);
    writer->tables.code.batch_left = room_code_batch_most(&writer->room);
    writer->tables.code.more = false;
    if (!recorder_order_refresh(writer->order))
        return error_no_memory(error, "to record to %s", writer->sink.path);
    enum status status =
        room_make(&writer->room, &writer->sink, writer->next_id, writer->samples.next_id, error);
    if (status == STATUS_OK)
        status =
            recorder_samples_write(&writer->samples, &writer->sink,
                                   room_sample_rows_most(&writer->room, SAMPLE_ROWS), &more_samples, error);
    if (status == STATUS_OK)
        status = tables_write(&writer->tables, &writer->sink, error);
    if (status == STATUS_OK)
        status = write_events(writer, room_batch_most(&writer->room, most), now_ns, more, error);
    *more |= more_samples || writer->tables.code.more;
    if (status == STATUS_OK)
        status = tables_write_kernels(&writer->tables, &writer->sink, error);
    for (enum clock_kind clock = 0; status == STATUS_OK && !*more && clock < CLOCK_COUNT; clock++)
        status = put_changed(writer, clock == CLOCK_WALL ? "now_ns" : "model_now_ns",
                             recorder_join_until_ns(writer->join, clock, now_ns[clock]),
                             &writer->now_ns[clock], error);
    if (status == STATUS_OK)
        status = put_changed(writer, "calls_until_ns", writer->room.calls_until_ns, &writer->calls_until_ns,
                             error);
    if (status == STATUS_OK)
        status = put_changed(writer, "events_from_ns", writer->room.events_from_ns, &writer->events_from_ns,
                             error);
    if (status == STATUS_OK)
        status =
            put_changed(writer, "code_left_out", writer->tables.code.left_out, &writer->code_left_out, error);
    return status;
}

/* A failure here ends the recording, as any other does: rows that were counted as written are not in the
 * file. */
static enum status end_transaction(struct recorder_writer *writer, enum status status, struct error *error)
{
    if (status == STATUS_OK)
        status = sink_flush(&writer->sink, error);
    if (status == STATUS_OK)
        status = sink_execute(&writer->sink, "COMMIT", error);
    if (status == STATUS_OK) {
        writer->holds = writer->sink.holds;
        return status;
    }
    int system = recording_errno(writer->sink.database);
    writer->full = writer->room.full || (sqlite3_errcode(writer->sink.database) & 0xff) == SQLITE_FULL ||
                   system == ENOSPC || system == EDQUOT || system == EFBIG;
    /* SQLite may have rolled back already. */
    sqlite3_exec(writer->sink.database, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

/* STATUS_STATE: locked, for example by somebody's sqlite3 shell. */
static enum status begin_transaction(struct recorder_writer *writer, struct error *error)
{
    enum status status = sink_execute(&writer->sink, "BEGIN IMMEDIATE", error);
    if (status != STATUS_STATE)
        writer->locked_ns = 0;
    else if (!writer->locked_ns)
        writer->locked_ns = clock_monotonic_ns();
    return status;
}

/* Counts the queues, and what SQLite has allocated for the file, in the session's memory. */
static void count_memory(struct recorder_writer *writer)
{
    static const int kinds[] = {SQLITE_DBSTATUS_CACHE_USED, SQLITE_DBSTATUS_SCHEMA_USED,
                                SQLITE_DBSTATUS_STMT_USED};
    size_t bytes = recorder_order_bytes(writer->order) + recorder_join_bytes(writer->join);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        int now = 0, most;
        sqlite3_db_status(writer->sink.database, kinds[i], &now, &most, 0);
        bytes += (size_t)now;
    }
    session_count_memory(writer->sink.session, (int64_t)bytes - (int64_t)writer->counted_bytes);
    writer->counted_bytes = bytes;
}

enum status recorder_writer_step(struct recorder_writer *writer, size_t most, bool *more, struct error *error)
{
    *more = false;
    enum status status = begin_transaction(writer, error);
    if (status == STATUS_STATE)
        return STATUS_OK; /* the next step has it all */
    if (status != STATUS_OK)
        return status;
    unsigned hold = session_hold(writer->sink.session);
    status = fill_transaction(writer, most, more, error);
    session_let_go(writer->sink.session, hold);
    status = end_transaction(writer, status, error);
    if (status != STATUS_OK)
        return status;
    recorder_order_recorded(writer->order);
    recorder_samples_recorded(&writer->samples, writer->sink.session);
    count_memory(writer);
    if (!*more)
        writer->committed_until_ns = writer->now_ns[CLOCK_WALL];
    status = room_measure(&writer->room, &writer->sink, error);
    if (status == STATUS_OK && writer->room.wal_bytes > room_wal_most(&writer->room)) {
        int result =
            sqlite3_wal_checkpoint_v2(writer->sink.database, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
        if (result != SQLITE_OK && (result & 0xff) != SQLITE_BUSY && (result & 0xff) != SQLITE_LOCKED)
            status = recording_error(writer->sink.database, writer->sink.path,
                                     "moving rows from its -wal into it", error);
    }
    return status;
}

/* ---- the end ---- */
static void tell_locked(struct recorder_writer *writer)
{
    struct error sentence;
    if (!writer->locked_ns || writer->told_locked || !writer->tell)
        return;
    writer->told_locked = true;
    error_set(&sentence, STATUS_STATE,
              "%s is locked by another program, and not all events are written yet. lanescope waits until "
              "they are; Ctrl-C (twice) discards the rest.",
              writer->sink.path);
    writer->tell(sentence.text);
}

/* Nobody asks any more who writes the file: an anonymous one must not keep the boot and the process, nor in bytes that are free. */
static enum status put_finished(struct recorder_sink *sink, struct error *error)
{
    enum status status = STATUS_OK;
    if (session_is_anonymous(sink->session))
        status = sink_execute(sink, "PRAGMA secure_delete=ON", error);
    if (status == STATUS_OK && session_is_anonymous(sink->session))
        status = sink_put_text(sink, "writer", "", error);
    return status == STATUS_OK ? sink_put_number(sink, "finished", 1, error) : status;
}

static enum status finish_rows(struct recorder_writer *writer, struct error *error)
{
    bool more = true;
    enum status status = STATUS_OK;
    writer->finishing = true;
    /* Until no event waits any more, and then two more rounds. */
    for (int quiet = 0; status == STATUS_OK && (quiet < 3 || recorder_order_waiting(writer->order) > 0);
         quiet = more || writer->locked_ns ? 0 : quiet + 1) {
        status = recorder_writer_step(writer, 100000, &more, error);
        tell_locked(writer);
    }
    while (status == STATUS_OK && (status = begin_transaction(writer, error)) == STATUS_STATE) {
        tell_locked(writer);
        status = STATUS_OK;
    }
    if (status != STATUS_OK)
        return status;
    status = flush_summaries(writer, error);
    if (status == STATUS_OK)
        status = put_finished(&writer->sink, error);
    return end_transaction(writer, status, error);
}

/* Leaves one file: everything is moved out of the -wal, and the -wal is removed. If a program keeps the
 * recording open, an empty -wal stays: the file can be moved nevertheless. */
static enum status leave_one_file(struct recorder_writer *writer, struct error *error)
{
    sqlite3 *database = writer->sink.database;
    sqlite3_busy_timeout(database, FINISH_WAIT_MS);
    int result = sqlite3_wal_checkpoint_v2(database, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    if (result == SQLITE_OK)
        for (int waited_ms = 0; waited_ms < FINISH_WAIT_MS; waited_ms += 20) {
            /* SQLite does not wait for locks when the journal mode changes. */
            result = sqlite3_exec(database, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL);
            if (result != SQLITE_BUSY && result != SQLITE_LOCKED)
                break;
            usleep(20000);
        }
    if (result == SQLITE_OK || result == SQLITE_BUSY || result == SQLITE_LOCKED)
        return STATUS_OK;
    return recording_error(database, writer->sink.path, "ending it", error);
}

void recorder_writer_abandon(struct recorder_writer *writer, const char *why)
{
    enum status status = sink_execute(&writer->sink, "BEGIN IMMEDIATE", NULL);
    if (status == STATUS_OK)
        status = sink_put_text(&writer->sink, "failed", why, NULL);
    if (status == STATUS_OK)
        status = put_finished(&writer->sink, NULL);
    if (status == STATUS_OK)
        status = sink_execute(&writer->sink, "COMMIT", NULL);
    if (status != STATUS_OK)
        sqlite3_exec(writer->sink.database, "ROLLBACK", NULL, NULL, NULL);
}

enum status recorder_writer_finish(struct recorder_writer *writer, struct error *error)
{
    enum status status = finish_rows(writer, error);
    return status == STATUS_OK ? leave_one_file(writer, error) : status;
}
