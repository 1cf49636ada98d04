/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs of bundled workloads of which one really has what an edit does to another: what the edit predicts from the other
 * run alone, and what this run gains. The workloads repeat, and the host checks results in between, so their last rounds
 * are compared. Reader side; one thread. Two graphs are made and replayed: of a bundled run some milliseconds.
 */
#ifndef CORE_REPLAY_REPLAY_TWINS_H
#define CORE_REPLAY_REPLAY_TWINS_H

#include "core/replay/edits.h"

struct replay_twin {
    uint32_t base, run; /* rows: the run that the edit was made to, and the one that has it */
    const struct replay_edit *edit;
    int64_t base_ns, run_ns; /* their last rounds, as measured */
    double predicted, real;  /* shares of the base's round that go */
    char why[160];           /* why nothing is predicted from the base, as a sentence; "": it is */
};
/* The newest traced run on the same clock, with equal parameters, to which the run stands so. False: there is none, or an
 * edit for it is not known. Sets run, base and edit alone. */
bool replay_twin_find(const struct session *session, uint32_t run, struct replay_twin *twin);
/* Fills the rest. STATUS_STATE: one of them cannot be replayed; STATUS_MEMORY. */
enum status replay_twin_compare(const struct session *session, struct replay_twin *twin, struct error *error);

#endif
