/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts of the sources that line information names, for intake to keep: a bundled kernel's source is part of
 * lanescope, any other is read from its path. Paths come from other programs: only regular text files are
 * read, without blocking. Any thread.
 */
#ifndef CLI_PROCESS_SOURCE_READER_H
#define CLI_PROCESS_SOURCE_READER_H

#include <stdbool.h>
#include <stddef.h>

/* An intake_read_source (core/intake/intake.h); context is not used. */
bool source_reader_read(void *context, const char *path, char **text, size_t *size_bytes);

#endif
