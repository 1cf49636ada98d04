/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each answer in JSON says of itself: the version of lanescope, the files that it is of with their size and SHA-256,
 * and the command that gives it again. Set once for the process, before the first answer; without it nothing is said. The
 * main thread.
 */
#ifndef CLI_OUTPUT_ANSWER_H
#define CLI_OUTPUT_ANSWER_H

#include "cli/options/options.h"
#include "cli/output/json.h"

#define SHA256_TEXT_BYTES 65

/* The command line, before it is parsed; then the files that its options name. */
void answer_begin(int argc, char **argv);
void answer_take_files(const struct options *options);

/* "lanescope": {"version", "command", "files": [{"file", "bytes", "sha256"}]}, in an open object. */
void answer_print(struct json *json);
/* The schema of that property. */
void answer_print_schema(struct json *json);

/* Of a file; *bytes: its length. "": it could not be read. */
void sha256_of_file(const char *path, char text[SHA256_TEXT_BYTES], uint64_t *bytes);

#endif
