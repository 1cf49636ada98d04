/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The texts of a session's instructions, added after the processes with the code have ended: their cubins are
 * in the session's folder, a disassembler is run on each, and the collector writes its output into the
 * session. On the thread of jobs.
 */
#ifndef CLI_RUN_CODE_TEXTS_H
#define CLI_RUN_CODE_TEXTS_H

#include "cli/run/collect.h"
#include "core/session/session.h"

#include <stdbool.h>

#define CODE_TEXTS_SECONDS 60 /* after this time no further cubin is begun */

/* Failures are reported in one notice; the caller keeps *told. `ended` is called before each cubin: true
 * skips the remaining ones. */
void code_texts_add(const struct session *session, struct collector *collector, bool (*ended)(void *context),
                    void *context, bool *told);

#endif
