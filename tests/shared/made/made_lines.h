/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session in which a kernel's instructions were sampled and counted, with known numbers: transpose's, whose
 * store costs most. Its source is the bundled one.
 */
#ifndef TESTS_SHARED_MADE_MADE_LINES_H
#define TESTS_SHARED_MADE_MADE_LINES_H

#include "core/session/session.h"

/* Adds the function of a kernel row with eight instructions, of which the loads and stores lie in `line` and
 * `line` + 1 of `file`, to a run of its own. Numbers: see the table in made_lines.c. `text` NULL: no source
 * is kept. */
void made_lines_add(struct session *session, uint32_t kernel, const char *file, uint32_t line,
                    const char *text);

#endif
