/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits: named changes of a run's graph, one row each, that can be put on top of each other. A row says in
 * words what it assumes. What a trace cannot show (may this copy run beside that kernel?) makes an edit an
 * assumption: it is offered as such, and comes before others only if the run itself has a sign that it holds.
 * Static data; any thread.
 */
#ifndef CORE_REPLAY_EDITS_H
#define CORE_REPLAY_EDITS_H

#include "core/replay/replay.h"

struct replay_edit {
    const char *id, *title; /* "waits"; what is done, as a sentence without a full stop */
    const char *assumes;    /* what must hold, as a sentence */
    const char *now;        /* what to do: begins with the action */
    bool assumption;        /* the trace does not show whether the program allows it */
    uint64_t changes;       /* REPLAY_HAS_: what a loop must have */
    uint64_t sign;          /* of an assumption: what shows that it holds; 0: nothing does */
    void (*apply)(struct replay_change *change);
    const char *now_graphs; /* the same of a loop with REPLAY_HAS_GRAPHS; NULL: as `now` */
    uint32_t at;            /* REPLAY_AT_: it can be made at one place, or for one kernel; 0: it cannot */
    bool exact;             /* it names the calls that a thread waits in: told before "the host waits" */
};
/* What to do, in such a loop. */
const char *replay_edit_now(const struct replay_edit *edit, const struct replay_facts *facts);
const struct replay_edit *replay_edit_at(size_t index);                    /* NULL past the end */
const struct replay_edit *replay_edit_find(const char *id, size_t length); /* NULL: there is none */
#define REPLAY_EDITS_MAX 32u

#endif
