/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The destination of an export: standard output, a file, or a gzip file if its name ends in .gz. One thread.
 */
#ifndef CLI_OUTPUT_OUT_FILE_H
#define CLI_OUTPUT_OUT_FILE_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stdio.h>

struct out_file {
    FILE *stream;     /* to write to */
    const char *path; /* NULL: standard output */
};

/* path NULL or "-": standard output. STATUS_USAGE: the path is the file `input`, which would be overwritten;
 * STATUS_IO. */
enum status out_file_open(struct out_file *file, const char *path, const char *input, struct error *error);

/* Closes it; a file that could not be written completely is removed: STATUS_IO. `keep` false: removes it in
 * any case. */
enum status out_file_close(struct out_file *file, bool keep, struct error *error);

/* STATUS_IO if not everything could be written to a stream that stays open. */
enum status out_flush(FILE *out, struct error *error);

#endif
