/*
 * What the rules of core/advice/advice look at, gathered from a session: facts of a kernel's launch, figures
 * of a run's events. Reader side, any thread.
 */
#ifndef CORE_ADVICE_SESSION_ADVICE_H
#define CORE_ADVICE_SESSION_ADVICE_H

#include "core/advice/advice.h"
#include "core/session/session.h"

/* All but the values, which the caller fills in: nothing is available yet. */
void session_advice_kernel(const struct session *session, uint32_t kernel, struct advice_kernel *facts);

/* Walks the run's events; `overlap` is the whole run's, by overlap_compute, which refuses where some were
 * evicted from memory. */
void session_advice_run(const struct session *session, uint32_t run, const struct overlap *overlap,
                        struct advice_run *figures);

#endif
