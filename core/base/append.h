/* SPDX-License-Identifier: Apache-2.0 */
/* Appending to a text in a buffer of the caller's. */
#ifndef CORE_BASE_APPEND_H
#define CORE_BASE_APPEND_H

#include <stdbool.h>
#include <stddef.h>

/* Append at text + *used, in a buffer of size_bytes (at least 1) that stays terminated. Text that does not
 * fit is cut; *used is then size_bytes - 1. False: it was cut. */
__attribute__((format(printf, 4, 5))) bool append_text(char *text, size_t size_bytes, size_t *used,
                                                       const char *format, ...);
/* A blank and a word of a shell's command line, in quotes if necessary. */
void append_shell_word(char *text, size_t size_bytes, size_t *used, const char *word);

#endif
