/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of core/recording/writer share below core/recording/writer/recorder.c. The recorder's
 * thread. */
#ifndef CORE_RECORDING_WRITER_RECORDER_INTERNAL_H
#define CORE_RECORDING_WRITER_RECORDER_INTERNAL_H

#include "core/recording/recording.h"
#include "core/recording/recording_schema.h"
#include "core/session/session.h"

#include <sqlite3.h>

/* ---- records ---- */

/*
 * Where records go: the prepared INSERTs of one recording. A record's strings are written before it, so that
 * whatever refers to a string finds it. Events go in sixteen at a time: opening and closing a table, and
 * finding its end, costs SQLite a third of what a row by itself does. So before a COMMIT those that are held
 * have to be put: sink_flush.
 */

#define SINK_STRINGS_MOST 16u
#define SINK_BATCH 16u

struct recorder_sink {
    const struct session *session;
    sqlite3 *database;
    char *path;
    sqlite3_stmt *insert[TABLE_COUNT], *insert_string, *set_string, *set_meta;
    uint32_t strings;     /* strings 1...this are written */
    bool texts_later;     /* texts of code stay empty until sink_put_text_of writes them */
    struct sink_strings { /* where a table's records refer to strings */
        uint32_t count, at[SINK_STRINGS_MOST];
    } strings_of[TABLE_COUNT];
    void *before[TABLE_COUNT];  /* the last written record; NULL: none */
    struct sink_batch {         /* of a table of events */
        sqlite3_stmt *insert;   /* for SINK_BATCH rows; NULL: not needed yet */
        unsigned char *records; /* what is bound to it, row by row */
        uint32_t bound, held; /* rows bound since the start; rows not written yet, which are the first ones */
    } batches[TABLE_COUNT - TABLE_EVENT_FIRST];
    uint64_t rows; /* records put */
    bool holds;    /* some rows are data, not only about processes and runs */
};

/* Takes over the connection; sink_fini closes it, also after a failure. The caller zeroes the sink. */
enum status sink_init(struct recorder_sink *sink, const struct session *session, sqlite3 *database,
                      const char *path, struct error *error);
void sink_fini(struct recorder_sink *sink);

enum status sink_put(struct recorder_sink *sink, enum recording_table table, const void *record,
                     struct error *error);
enum status sink_flush(struct recorder_sink *sink, struct error *error);
enum status sink_put_number(struct recorder_sink *sink, const char *key, int64_t number,
                            struct error *error); /* into meta */
enum status sink_put_text(struct recorder_sink *sink, const char *key, const char *text, struct error *error);
/* Writes the text of a string whose row is still empty. */
enum status sink_put_text_of(struct recorder_sink *sink, uint32_t string, struct error *error);
enum status sink_execute(struct recorder_sink *sink, const char *sql, struct error *error);

/* ---- a recording within a size ---- */

/*
 * Keeping a recording within a size: past three quarters of it no API calls are written, and when it is full
 * the oldest events go, so that the file is a ring of the newest. SQLite uses the pages again that they
 * leave. The recorder's thread.
 */

struct recorder_room {
    uint64_t max_bytes; /* 0: no limit */
    uint64_t used_bytes, wal_bytes,
        file_bytes; /* as of the last room_measure: pages with rows, the -wal, both files */
    int64_t calls_until_ns, events_from_ns; /* INT64_MIN: the file has all calls; it has all events */
    int64_t first_id;                       /* the oldest event that may be there */
    int64_t first_sample;                   /* the oldest row of sample times that may exist */
    bool full;                              /* rows that cannot be deleted take up the limit */
    sqlite3_stmt *page_count, *freelist_count;
    char *wal_path;
    int64_t page_bytes;
};

enum status room_init(struct recorder_room *room, struct recorder_sink *sink, uint64_t max_bytes,
                      struct error *error);
void room_fini(struct recorder_room *room);

enum status room_measure(struct recorder_room *room, struct recorder_sink *sink, struct error *error);

/* The -wal may grow to this size before a checkpoint. */
uint64_t room_wal_most(const struct recorder_room *room);
/* Number of events that one transaction may write without exceeding the limit. */
size_t room_batch_most(const struct recorder_room *room, size_t most);

/* Rows of samples. */
size_t room_sample_rows_most(const struct recorder_room *room, size_t most);

/* Bytes for code: for sources, for rows with instructions' texts, and for both in one transaction. */
uint64_t room_sources_most(const struct recorder_room *room);
uint64_t room_code_rows_most(const struct recorder_room *room);
uint64_t room_code_batch_most(const struct recorder_room *room);

/* Are API calls still written? now_ns: of the session; noted as the end of the calls when they stop. */
bool room_for_calls(struct recorder_room *room, int64_t now_ns);

/* Within a transaction: deletes the oldest events and samples until there is room for the next ones. next_id:
 * of the next event to be written; next_sample: of the next row of sample times. */
enum status room_make(struct recorder_room *room, struct recorder_sink *sink, int64_t next_id,
                      int64_t next_sample, struct error *error);

/* ---- calls joined with their work ---- */

/*
 * Joins an API call and its launch, copy or set into one row: most rows are launches, and the call would
 * double each.
 *
 * Takes the events in the order of struct recorder_order. A call that launched, copied or set something waits
 * for that, and the later events of its track wait behind it, so that the order within every track is kept.
 * After 50 ms of events the call is written alone. Work whose call is not the first waiting one is also
 * written alone, and then so is the call. The recorder's thread.
 *
 * struct recorder_order: the order in which a session's events are recorded: by end, over all lanes, and such
 * that session_add_event, given the events in this order, lays every one in the lane it lies in now. So a
 * recording needs no lanes, and a replay is the same session.
 *
 * A lane's next event may go out when every lower lane of its track has already gone beyond its start (it
 * would be refused there); one that may not yet waits. A copy also lies in a lane of its engine's track,
 * under the same rule; both go out as one. Reads published counts only; the recorder's thread.
 */

struct recorder_order;

struct ordered_event {
    uint32_t track, lane;
    int64_t start_ns, end_ns;
    struct item item;
};

struct recorder_order *recorder_order_create(const struct session *session); /* NULL: out of memory */
void recorder_order_destroy(struct recorder_order *order);
size_t recorder_order_bytes(const struct recorder_order *order); /* its memory */

/* Reads what was published since the last refresh; false if memory ran out (nothing is lost: try again). */
bool recorder_order_refresh(struct recorder_order *order);

/* All events given out are in the recording: the session may evict them. */
void recorder_order_recorded(struct recorder_order *order);

/* Events published by the last refresh but not given out (copies counted once): 0 at the end. */
uint64_t recorder_order_waiting(const struct recorder_order *order);

struct recorder_join;

struct joined_event {
    struct ordered_event event;
    bool has_call; /* of a launch, copy or set: */
    struct ordered_event
        call; /* came before; the row of its work lacks only its track, name, domain, context and stream */
};

struct recorder_join *recorder_join_create(const struct session *session,
                                           struct recorder_order *order); /* NULL: out of memory */
void recorder_join_destroy(struct recorder_join *join);
size_t recorder_join_bytes(const struct recorder_join *join); /* its memory */

enum join_result { JOIN_EVENT, JOIN_NOTHING, JOIN_NO_MEMORY };
/* The next event; nothing if all others wait or there are none. now_ns: of the session, by clock; used once
 * all events are taken. flush: none may wait any longer. last: the session has ended, too. */
enum join_result recorder_join_next(struct recorder_join *join, const int64_t now_ns[CLOCK_COUNT], bool flush,
                                    bool last, struct joined_event *joined);

/* The time up to which all events of a clock were given out: now_ns, or the end of the first call that waits.
 */
int64_t recorder_join_until_ns(const struct recorder_join *join, enum clock_kind clock, int64_t now_ns);

/* ---- the rows beside the events ---- */

/*
 * The rows beside the events: processes, devices, runs, shapes, kernels, tracks, measurements and their
 * values, expected values, notices, drops, code, open launches. New ones are added, those that changed are
 * replaced. The recorder's thread.
 */

struct kernel_sums {
    uint64_t launches, total_ns, min_ns, max_ns;
    bool changed;
};

/* The rows of code as they were last written, to detect changes, and the room that a size limit leaves for
 * them. */
struct recorder_code {
    struct instruction_record *instructions;
    uint64_t *samples, *numbers, *launches; /* of stalls, tallies, launch sites */
    uint32_t instruction_room, sample_room, number_room, launch_room;
    uint64_t sources_left, rows_left; /* bytes; UINT64_MAX: no limit */
    uint64_t batch_left;              /* of either, in this transaction */
    uint8_t *texts;                   /* bit by string: its text is written */
    size_t texts_bytes;
    bool more;     /* the next transaction continues */
    bool left_out; /* there was no room for all */
};

struct recorder_tables {
    uint32_t written[TABLE_COUNT]; /* rows of each table that are in the file */
    struct process_state {
        uint32_t command;
        int64_t end_ns;
        int32_t exit_status;
    } * processes; /* of processes written */
    struct run_state {
        int64_t end_ns;
        uint32_t detail;
        int8_t verified;
    } * runs;
    uint32_t process_room, run_room;
    struct kernel_sums *kernels;              /* of the launches written */
    uint32_t kernel_count, kernels_published; /* capacity; rows to write, as read by tables_write */
    struct open_launch *open;                 /* as written */
    size_t open_count;
    struct recorder_code code;
};

void tables_fini(struct recorder_tables *tables);

/* Writes every row that events published before this call refer to, and any later ones. tables_write_kernels
 * writes the kernels. */
enum status tables_write(struct recorder_tables *tables, struct recorder_sink *sink, struct error *error);

/* Adds a launch that was written to its kernel's sums. */
enum status tables_count_launch(struct recorder_tables *tables, uint32_t kernel, int64_t duration_ns,
                                struct error *error);

/* Writes new kernels, and those whose sums changed. */
enum status tables_write_kernels(struct recorder_tables *tables, struct recorder_sink *sink,
                                 struct error *error);

/* ---- the writer ---- */

/*
 * What the recorder's thread does: puts what a session has published into the recording, a transaction at a
 * time. One thread at a time; it reads the session and owns the connection.
 */

struct recorder_writer;

/* Takes over the connection; recorder_writer_destroy closes it, also if this call fails. */
enum status recorder_writer_create(struct recorder_writer **writer, const struct session *session,
                                   sqlite3 *database, const char *path, const char *network,
                                   const struct recorder_options *options, struct error *error);

/* Writes one transaction with at most `most` events. *more: there is more to write now. If others lock the
 * database for long, that is no failure: nothing is written, *more is false. After a failure nothing more may
 * be written. */
enum status recorder_writer_step(struct recorder_writer *writer, size_t most, bool *more,
                                 struct error *error);

/* Writes what is left and leaves one file. Waits while others lock it. */
enum status recorder_writer_finish(struct recorder_writer *writer, struct error *error);

/* After a failure: notes in the file that it ended there, and why, if that can still be written. */
void recorder_writer_abandon(struct recorder_writer *writer, const char *why);

void recorder_writer_destroy(struct recorder_writer *writer);

/* Number of events that are written, or left out for good. */
uint64_t recorder_writer_taken(const struct recorder_writer *writer);

/* Does the file have any data, not only rows about processes and runs? */
bool recorder_writer_holds(const struct recorder_writer *writer);

/* rows, size_bytes, committed_until_ns, full and note of *state, as of the last transaction. */
void recorder_writer_state(const struct recorder_writer *writer, struct recorder_state *state);

#endif
