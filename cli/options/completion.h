/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Completion: the words that a shell offers for an unfinished command line. They come from the tables that
 * the parser and the runs read (options, workloads, models, metrics), so the shell scripts contain none of
 * them: they call `lanescope --complete WORDS...` at each press of the key.
 */
#ifndef CLI_OPTIONS_COMPLETION_H
#define CLI_OPTIONS_COMPLETION_H

#include "core/base/error.h"

#include <stddef.h>
#include <stdio.h>

/* Prints the completions of the last of `words` (those after "lanescope"), one per line, as whole words;
 * nothing where a file or a program is expected, which the shell completes itself. After a word that ends in
 * ':', '=', ',' or '[' typing continues. */
void completion_print(FILE *out, size_t count, char *const *words);

/* The shell's script that calls the above, for `eval "$(lanescope completion bash)"`. STATUS_USAGE names the
 * supported shells. */
enum status completion_script(FILE *out, const char *shell, struct error *error);
const char *completion_shell(size_t index); /* "bash"; NULL past the end */

#endif
