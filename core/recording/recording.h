/*
 * The recording: a session as one SQLite file (.lsr). docs/recording.md describes the tables.
 *
 * recorder: a thread that writes what the session has published, every 200 ms. loader: fills a session from a
 * file, also while the file grows (follower). No other code knows SQL. A recorder reads the session only; a
 * loader is its session's one writer.
 */
#ifndef CORE_RECORDING_RECORDING_H
#define CORE_RECORDING_RECORDING_H

#include "core/session/session.h"

#define RECORDING_APPLICATION_ID 0x4c534331 /* "LSC1" */
/* PRAGMA user_version. From the first release on, recordings of every earlier version keep opening. */
#define RECORDING_VERSION 1

/* ---- writing ---- */
struct recorder;

struct recorder_options {
    uint64_t max_bytes;  /* 0: no limit. Near it no API rows are written, then the file becomes a ring of the
                            newest data and stores the time from which it is complete */
    bool overwrite;      /* replace an existing recording; a file that is not ours is never replaced */
    const char *command; /* the command line as typed; stored in meta */
    /* Called with the reason when starting or ending has to wait; NULL: no call. */
    void (*tell)(const char *sentence);
    /* recorder_stop makes it true when the old recording is back, as this one holds nothing; NULL: not asked.
     */
    bool *old_is_back;
};

#define RECORDING_LEAST_MAX_BYTES (UINT64_C(1) << 20)

/* Create the file and commit its schema (before the program starts), then start the writing thread.
 * A recording that it replaces is put back at the end, unless this one holds events, samples or measurements.
 * STATUS_USAGE: something lies there that is not replaced, or max_bytes is too small; STATUS_STATE: it is
 * being recorded; STATUS_PERMISSION, STATUS_IO. */
enum status recorder_start(struct recorder **recorder, const struct session *session, const char *path,
                           const struct recorder_options *options, struct error *error);

struct recorder_state {
    uint64_t rows, size_bytes, lag_rows;
    int64_t committed_until_ns; /* session time up to which rows are on disk */
    bool failed, full;          /* writing stopped; error has the sentence; the session goes on */
    struct error error;
    char note[256]; /* a sentence on what this recording does not do: followers, API rows, a ring; "" when
                       nothing */
};
void recorder_state(const struct recorder *recorder, struct recorder_state *state);

/* Write all that is published, close in order (journal_mode=DELETE: one movable file), free. As long as
 * another program locks the file it waits, and tells so. The last error, if any, is returned. */
enum status recorder_stop(struct recorder *recorder, struct error *error);

/* ---- reading ---- */
struct loader;

/* A row that does not fit (a time, a reference, a type) is skipped; the session gets a notice with their
 * number and the first one. It also gets notices when the recording did not end in order, and when a size
 * limit has let rows go. */

/* Open read-only, check application id, version and schema, create *session and load the tables but not yet
 * the events of lanes. STATUS_FORMAT: not a recording, or damaged; STATUS_VERSION: newer; STATUS_IO,
 * STATUS_PERMISSION. */
enum status loader_open(struct loader **loader, struct session **session, const char *path,
                        struct error *error);

/* Load at most `most` rows more (the caller's loop or thread). *done: nothing more is there now; if the file
 * is still being written, later calls may bring more (loader_growing). */
enum status loader_step(struct loader *loader, size_t most, bool *done, struct error *error);
bool loader_growing(const struct loader *loader);
double loader_progress(const struct loader *loader); /* 0...1 of the rows known at open */
void loader_close(struct loader *loader); /* the session stays; the caller destroys it afterwards */

/* Both steps to the end: what report, diff and tests want. STATUS_MEMORY: not all of it fitted into memory.
 */
enum status recording_load(struct session **session, const char *path, struct error *error);
/* The same in so much memory: the oldest events are evicted from it, see session_set_memory_limit.
 * recording_load takes half of what the system could still give. */
enum status recording_load_within(struct session **session, const char *path, size_t most_bytes,
                                  struct error *error);

/* ---- changing ---- */
/* Keep a bookmark in a recording that has ended. STATUS_STATE: it is still written; STATUS_PERMISSION,
 * STATUS_IO: it cannot be written here. */
enum status recording_add_bookmark(const char *path, const struct bookmark_row *row, struct error *error);

#endif
