/*
 * Keeping a recording within a size: past three quarters of it no API calls are written, and when it is full
 * the oldest events go, so that the file is a ring of the newest. SQLite uses the pages again that they
 * leave. The recorder's thread.
 */
#ifndef CORE_RECORDING_WRITER_RECORDING_QUOTA_H
#define CORE_RECORDING_WRITER_RECORDING_QUOTA_H

#include "core/recording/writer/recorder_sink.h"

struct recorder_room {
    uint64_t max_bytes; /* 0: no limit */
    uint64_t used_bytes, wal_bytes,
        file_bytes; /* as of the last room_measure: pages with rows, the -wal, both files */
    int64_t calls_until_ns, events_from_ns; /* INT64_MIN: all calls are in; all events are in */
    int64_t first_id;                       /* the oldest event that may be there */
    int64_t first_sample;                   /* the oldest row of sample times that may be there */
    bool full;                              /* the limit is used up by rows that cannot be let go */
    sqlite3_stmt *page_count, *freelist_count;
    char *wal_path;
    int64_t page_bytes;
};

enum status room_init(struct recorder_room *room, struct recorder_sink *sink, uint64_t max_bytes,
                      struct error *error);
void room_fini(struct recorder_room *room);

enum status room_measure(struct recorder_room *room, struct recorder_sink *sink, struct error *error);

/* The -wal may grow to this before it is checkpointed. */
uint64_t room_wal_most(const struct recorder_room *room);
/* Events that one transaction may write, so that it does not overrun the limit. */
size_t room_batch_most(const struct recorder_room *room, size_t most);

/* Rows of samples. */
size_t room_sample_rows_most(const struct recorder_room *room, size_t most);

/* Bytes of code: of sources, of rows with instructions' texts, and of both in one transaction. */
uint64_t room_sources_most(const struct recorder_room *room);
uint64_t room_code_rows_most(const struct recorder_room *room);
uint64_t room_code_batch_most(const struct recorder_room *room);

/* Are API calls still written? now_ns: of the session, noted as the end of them when they stop. */
bool room_for_calls(struct recorder_room *room, int64_t now_ns);

/* Within a transaction: let the oldest events and samples go until there is room for the next ones. next_id:
 * of the next event to be written; next_sample: of the next row of sample times. */
enum status room_make(struct recorder_room *room, struct recorder_sink *sink, int64_t next_id,
                      int64_t next_sample, struct error *error);

#endif
