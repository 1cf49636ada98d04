/*
 * What the recorder's thread does: puts what a session has published into the recording, a transaction at a
 * time. One thread at a time; it reads the session and owns the connection.
 */
#ifndef CORE_RECORDING_WRITER_RECORDER_WRITER_H
#define CORE_RECORDING_WRITER_RECORDER_WRITER_H

#include "core/recording/recording.h"

#include <sqlite3.h>

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
