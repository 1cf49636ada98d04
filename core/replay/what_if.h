/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What would help, and how much: edits of a run's graph in order of gain, the best first, then the best on
 * top of it, until less than WHAT_IF_LEAST of the loop's time is left to gain. First those that the trace
 * supports, then, each on top of these alone, assumptions without a sign: they may be alternatives. Times are
 * the measured time of the loop by the ratio of the edited replay and the unedited one. Reader side; one
 * thread.
 */
#ifndef CORE_REPLAY_WHAT_IF_H
#define CORE_REPLAY_WHAT_IF_H

#include "core/replay/edits.h"
#include "core/replay/replay_places.h"
#include "core/sheet/sheet.h"

#define WHAT_IF_LEAST 0.02

struct what_if_step {
    const struct replay_edit *edit;
    int64_t before_ns, after_ns; /* of the loop */
    bool assumed;                /* an assumption without a sign in the run */
    bool at_place;               /* it is made at one place or for one kernel alone; else everywhere */
    uint32_t kernel;             /* row of that kernel; NONE: it is another place, or none */
    size_t place;                /* row of that place; SIZE_MAX: it is a kernel, or everywhere */
    char where
        [REPLAY_PLACE_TEXT]; /* that place, or, if `at_place` is not set, where most of it is; "": not known. From
                                      the program */
};

#define WHAT_IF_STEPS_MAX 32u /* an edit may come again, at another place; what_if_set has a bit for each */
struct what_if {
    struct replay_facts facts;
    struct what_if_step steps[WHAT_IF_STEPS_MAX];
    size_t count;   /* 0: nothing to gain, or facts.why */
    bool no_memory; /* for places: the list is of edits everywhere from there on */
};

/* chosen: edits to be put on top of each other in this order; with count 0 all in order of gain. */
void what_if_make(struct replay *replay, const struct replay_edit *const *chosen, size_t count,
                  struct what_if *result);

/* The range of a run that is judged: its steps; of a bundled workload from its first kernel to its last, since it fills
 * its memory before and reads it back after; else all of it. Sets *count to the number of steps, 0: none. steps: the run's;
 * NULL: not looked for yet. */
struct steps;
enum status what_if_range(const struct session *session, uint32_t run, const struct steps *steps,
                          int64_t *start_ns, int64_t *end_ns, uint64_t *count, struct error *error);

/* What is done, and where: "The host's time between calls goes, the range load". Names are from the program. */
#define WHAT_IF_TITLE 320
const char *what_if_title(const struct what_if_step *step, char text[WHAT_IF_TITLE]);
/* What to do; of the host's time between calls where it is a framework's own. */
const char *what_if_now(const struct what_if_step *step, const struct replay_facts *facts);
/* A set of steps of a list, made where the list makes them, and of edits that are made everywhere (bit i: that of
 * replay_edit_at(i)). */
struct what_if_set {
    uint32_t steps, edits;
};
/* The loop's time with the set, as the steps have it. The list is one of this replay. */
int64_t what_if_edited_ns(struct replay *replay, const struct what_if *list, struct what_if_set set);
/* Is the edit an assumption without a sign in the loop? */
bool what_if_assumes(const struct replay_edit *edit, const struct replay_facts *facts);

/* Of the sheets: runs and what was found of them. */
struct what_if_run {
    uint32_t run;     /* row */
    char name[240];   /* as it is shown */
    uint64_t steps;   /* 0: all of the run is judged */
    char failed[200]; /* why it was not replayed; "": it was */
    struct what_if result;
};
struct what_if_runs {
    const struct what_if_run *items;
    size_t count;
};
extern const struct sheet sheet_gains; /* from struct what_if_runs */
extern const struct sheet sheet_edits; /* from NULL: the table of edits */

#endif
