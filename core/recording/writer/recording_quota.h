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

#endif
