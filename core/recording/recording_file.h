/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of a recording: created without damage to an existing file, and opened without trust in its
 * content. Any thread; a connection belongs to the thread that uses it.
 */
#ifndef CORE_RECORDING_RECORDING_FILE_H
#define CORE_RECORDING_RECORDING_FILE_H

#include "core/base/error.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* The name of the network file system that statfs(2) calls `type`, or NULL for a local one. On a network file
 * system the shared memory with which others read a recording in progress does not work: the recording is
 * written under an exclusive lock, and no other program can follow it. */
const char *recording_network_file_system(int64_t type);

/* Is the file a recording by its header (application id at byte 68, big-endian), or empty? */
bool recording_has_header(const char *path);

/* The result of recording_network_file_system for the folder of `path`. */
const char *recording_path_network(const char *path);

/* Creates the file with its schema, ready for writing (WAL). An existing file is not changed, except with
 * `overwrite`: then a recording that no process writes, or an empty file, is replaced. The old recording is
 * renamed to *aside (NULL: there was none), to be freed with sqlite3_free: the caller removes it once the new
 * one has content, else puts it back. network: the result of recording_network_file_system, NULL for a local
 * folder. */
enum status recording_create(sqlite3 **database, const char *path, bool overwrite, const char *network,
                             char **aside, struct error *error);

/* Removes the recording at `path`, whose connection is closed, and restores the previous one. */
enum status recording_put_back(const char *aside, const char *path, struct error *error);

/* True if the previous recording is still at *aside, because lanescope was killed before it removed it or put
 * it back. */
#define RECORDING_ASIDE ".old"
bool recording_lies_aside(const char *path, char *aside, size_t size_bytes);

/* Opens an existing recording for reading; checks that lanescope wrote it, its version and its schema. */
enum status recording_open(sqlite3 **database, const char *path, struct error *error);

/* The writer: this process, as a text that recording_writer_lives understands on the same host. */
void recording_writer_identity(char *text, size_t size_bytes);
/* Does the process named by `identity` still run? Not known for another host or another pid namespace. */
enum writer_life { WRITER_ENDED, WRITER_LIVES, WRITER_UNKNOWN };
enum writer_life recording_writer_lives(const char *identity);

#endif
