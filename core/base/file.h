/*
 * A whole file that a user named, as a text. Only a regular file is read, and only up to a bound: a FIFO
 * would block, and a device may never end. Any thread.
 */
#ifndef CORE_BASE_FILE_H
#define CORE_BASE_FILE_H

#include "core/base/error.h"

#include <stddef.h>

/* *text ends with '\0' behind its *size_bytes bytes and is the caller's. STATUS_USAGE: it cannot be opened,
 * is not a regular file, or is longer than most_bytes; STATUS_IO; STATUS_MEMORY. */
enum status file_read(const char *path, size_t most_bytes, char **text, size_t *size_bytes,
                      struct error *error);

#endif
