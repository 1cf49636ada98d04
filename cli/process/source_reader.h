/*
 * Texts of the sources that line information names, for intake to keep: a bundled kernel's comes with
 * lanescope, any other is read where it lies. Paths come from strangers: only a regular file of text is read,
 * never waited for. Any thread.
 */
#ifndef CLI_PROCESS_SOURCE_READER_H
#define CLI_PROCESS_SOURCE_READER_H

#include <stdbool.h>
#include <stddef.h>

/* An intake_read_source (core/intake/intake.h); context is not used. */
bool source_reader_read(void *context, const char *path, char **text, size_t *size_bytes);

#endif
