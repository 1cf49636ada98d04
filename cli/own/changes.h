/* SPDX-License-Identifier: Apache-2.0 */
/* Which lines of a text are not in another: a longest common subsequence of lines. Pure; any thread. */
#ifndef CLI_OWN_CHANGES_H
#define CLI_OWN_CHANGES_H

#include <stdbool.h>
#include <stdint.h>

uint32_t changes_lines(const char *text); /* the number of its lines */
/* changed: one for each line of text. Texts of more than CHANGES_LINES_MAX lines between their equal
 * beginning and end are all changed there. False: no memory. */
#define CHANGES_LINES_MAX 2000
bool changes_find(const char *text, const char *before, bool *changed);

#endif
