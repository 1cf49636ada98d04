/*
 * The file of a recording: created without harm to what lies there, opened without trust in what it holds.
 * Any thread; a connection belongs to the thread that uses it.
 */
#ifndef CORE_RECORDING_RECORDING_FILE_H
#define CORE_RECORDING_RECORDING_FILE_H

#include "core/base/error.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* The name of the network file system that statfs(2) calls `type`, or NULL for a local one. On these the
 * shared memory that lets others read a recording while it is written does not work: such a recording is
 * written under an exclusive lock, and nobody follows it. */
const char *recording_network_file_system(int64_t type);

/* recording_network_file_system of the folder that `path` lies in. */
const char *recording_path_network(const char *path);

/* Create the file with its schema, ready to be written (WAL). What lies there already is left alone, but for
 * `overwrite` a recording that nobody writes, or an empty file. The former is moved to *aside (NULL: there
 * was none), for sqlite3_free: to be removed once the new one holds something, else put back. network: as
 * recording_network_file_system gave it, NULL for a local folder. */
enum status recording_create(sqlite3 **database, const char *path, bool overwrite, const char *network,
                             char **aside, struct error *error);

/* The recording at `path`, whose connection is closed, goes, and the one that was there before comes back. */
enum status recording_put_back(const char *aside, const char *path, struct error *error);

/* Does a recording lie aside of this one, since lanescope was killed before it was removed or put back? */
#define RECORDING_ASIDE ".old"
bool recording_lies_aside(const char *path, char *aside, size_t size_bytes);

/* Remove the file and what SQLite put beside it. */
enum status recording_remove(const char *path, struct error *error);

/* Open an existing recording to read it; checks whose it is, its version and its schema. */
enum status recording_open(sqlite3 **database, const char *path, struct error *error);

/* Who writes: this process, as a text that recording_writer_lives understands on the same host. */
void recording_writer_identity(char *text, size_t size_bytes);
/* Does the process that `identity` names still run? It cannot be known from another host or another set of
 * process ids. */
enum writer_life { WRITER_ENDED, WRITER_LIVES, WRITER_UNKNOWN };
enum writer_life recording_writer_lives(const char *identity);

#endif
