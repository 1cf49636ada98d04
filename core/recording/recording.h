/* SPDX-License-Identifier: Apache-2.0 */
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
    size_t memory_bytes; /* the session's limit, of which SQLite's cache takes a sixteenth; 0: none */
    uint64_t max_bytes;  /* 0: no limit. Close to the limit API rows are no longer written, then the file
                            becomes a ring of the newest data and stores the time from which it is complete */
    bool overwrite;      /* replace an existing recording; a file of another kind is never replaced */
    const char *command; /* the command line as typed; stored in meta */
    /* Called with the reason if starting or ending has to wait; may be NULL. */
    void (*tell)(const char *sentence);
    /* set to true by recorder_stop if the old recording was put back because this one holds nothing; may be
     * NULL */
    bool *old_is_back;
    int lost_exit; /* the process ends with this status, and a sentence, when its -shm is truncated */
};

#define RECORDING_LEAST_MAX_BYTES (UINT64_C(1) << 20)

/* Creates the file and commits its schema (before the program starts), then starts the writing thread. A
 * recording that it replaces is put back at the end, unless this one holds events, samples or measurements.
 * STATUS_USAGE: another file is there, or max_bytes is too small; STATUS_STATE: the file is being recorded;
 * STATUS_PERMISSION, STATUS_IO. */
enum status recorder_start(struct recorder **recorder, const struct session *session, const char *path,
                           const struct recorder_options *options, struct error *error);

struct recorder_state {
    uint64_t rows, size_bytes, lag_rows;
    int64_t committed_until_ns; /* rows up to this session time are on disk */
    bool failed, full;          /* writing has stopped, error has the sentence; the session continues */
    struct error error;
    char note[256]; /* what this recording lacks (followers, API rows, old data); "" if nothing */
};
void recorder_state(const struct recorder *recorder, struct recorder_state *state);

/* Writes all that is published, closes the file (journal_mode=DELETE: one movable file) and frees. While
 * another program locks the file it waits, and says so through `tell`. Returns the last error, if any. */
enum status recorder_stop(struct recorder *recorder, struct error *error);

/* ---- reading ---- */
struct loader;

/* A row that is not valid (a time, a reference, a type) is skipped; the session gets a notice with the number
 * of such rows and the first one. It also gets notices if the recording did not end in order, and if a size
 * limit has deleted rows. */

/* Opens read-only, checks application id, version and schema, creates *session and loads all tables except
 * the events of lanes. STATUS_FORMAT: not a recording, or damaged; STATUS_VERSION: newer; STATUS_IO,
 * STATUS_PERMISSION. */
enum status loader_open(struct loader **loader, struct session **session, const char *path,
                        struct error *error);

/* Loads at most `most` more rows (in the caller's loop or thread). *done: nothing more is there now; if the
 * file is still being written, later calls may find more (loader_growing). */
enum status loader_step(struct loader *loader, size_t most, bool *done, struct error *error);
bool loader_growing(const struct loader *loader);
double loader_progress(const struct loader *loader); /* 0...1 of the rows known at open */
void loader_close(struct loader *loader);            /* the session stays; the caller destroys it later */

/* Both steps until all is loaded, as report, diff and tests need it. STATUS_MEMORY: not all of it fitted into
 * memory. */
enum status recording_load(struct session **session, const char *path, struct error *error);
/* For a process that forks another for each question about one recording: loads it, and the next recording_load of the
 * same file, unchanged, takes that session, once. Before threads are started. */
enum status recording_keep(const char *path, struct error *error);
/* The same, but of the events only this many bytes lie in memory, the others in a file without a name in the
 * folder of the recording, *file: to be closed once the session is destroyed; -1 if there could be none. */
enum status recording_load_beside(struct session **session, const char *path, size_t in_memory_bytes,
                                  int *file, struct error *error);
/* The same with a limit of memory: the oldest events are evicted, see session_set_memory_limit.
 * recording_load takes half of what the system has free. */
enum status recording_load_within(struct session **session, const char *path, size_t most_bytes,
                                  struct error *error);

/* ---- changing ---- */
/* Adds a bookmark to a recording that has ended. STATUS_STATE: it is still being written; STATUS_PERMISSION,
 * STATUS_IO: it cannot be written. */
enum status recording_add_bookmark(const char *path, const struct bookmark_row *row, struct error *error);

/* Makes one file of a recording whose writer was killed: what its -wal holds is written into it. STATUS_STATE: a program has it
 * open, perhaps its writer. A damaged one is left as it is. */
enum status recording_settle(const char *path, struct error *error);

/* Removes the file and SQLite's side files. */
enum status recording_remove(const char *path, struct error *error);

#endif
