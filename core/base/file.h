/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole file that a user named, as a text. Only a regular file is read, and only up to a bound: a FIFO
 * would block, and a device may never end. And folders for files that nobody keeps. Any thread.
 */
#ifndef CORE_BASE_FILE_H
#define CORE_BASE_FILE_H

#include "core/base/error.h"

#include <stddef.h>

/* *text ends with '\0' behind its *size_bytes bytes and is the caller's. STATUS_USAGE: it cannot be opened,
 * is not a regular file, or is longer than most_bytes; STATUS_IO; STATUS_MEMORY. */
enum status file_read(const char *path, size_t most_bytes, char **text, size_t *size_bytes,
                      struct error *error);

/* Renames a file, also to another file system; a file at `to` is replaced. */
enum status file_move(const char *from, const char *to, struct error *error);

/* $TMPDIR, or /tmp. */
const char *folder_temporary(void);

/* Makes the folder PREFIX-XXXXXX in the temporary folder, and locks it for as long as the descriptor is open; -1: it
 * was not made, errno says why. Before that it removes those of the prefix that a killed program left: this user's,
 * not locked, and older than FOLDER_LEFT_S, since one is locked only after it was made. */
#define FOLDER_LEFT_S 60
int folder_make(const char *prefix, char *path, size_t size_bytes);
/* With all that is in it; folders of other file systems are left. */
void folder_remove(const char *path);

#endif
