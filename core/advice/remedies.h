/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What would help a run, and how much: the edits of its replay in order of gain (core/replay/what_if.h), each with
 * the findings of the rules that explain it. The replay ranks; the rules explain: which pattern, which line,
 * which lesson. A finding whose edit is not among those that gain has no rank. Where the replay claims nothing
 * the rules rank by their own bounds, as core/advice/verdict.h orders them. Reader side; the thread of the
 * index. Of a session with a memory limit the caller holds it.
 */
#ifndef CORE_ADVICE_REMEDIES_H
#define CORE_ADVICE_REMEDIES_H

#include "core/advice/verdict.h"
#include "core/replay/what_if.h"

#define REMEDY_WHY_BYTES 240
struct remedies {
    uint64_t steps; /* of the loop that is replayed; 0: it is the whole run, or of a bundled workload from its
                       first kernel to its last */
    int64_t step_ns; /* mean distance of two steps; 0: there are none */
    struct what_if gains;
    char why[REMEDY_WHY_BYTES]; /* why the replay ranks nothing, as a sentence; "": it ranks */
    size_t
        of[VERDICT_MAX]; /* of each finding of the verdict the step in gains.steps that it explains; SIZE_MAX:
                                   none */
    bool limit_leads;    /* the limit is said also where something is gained */
    char limit
        [REMEDY_WHY_BYTES]; /* at what limit the loop is, as a sentence without a full stop; "": not known */
};

/* The replay of a run, opened ahead: of the figures it needs the steps, and no index, and takes as long as the rest of a
 * report of a long run. */
struct remedies_ground {
    struct replay *replay; /* NULL: `status` says why */
    uint64_t steps;
    int64_t step_ns;
    enum status status;
    struct error error;
};
/* Any thread; whoever has the ground closes its replay, or gives it to remedies_make_on. `steps`: the run's; NULL: not
 * looked for yet. */
void remedies_prepare(const struct session *session, uint32_t run, const struct steps *steps,
                      struct remedies_ground *ground);
/* As remedies_make, on a ground of this run, whose replay it closes. */
enum status remedies_make_on(struct remedies_ground *ground, const struct kernel_index *index, uint32_t run,
                             const struct advice_run *figures, struct verdict *verdict,
                             struct remedies *remedies, struct error *error);

/* The run's verdict is of the same index; its findings are put in the order of the edits that they explain. A
 * run that cannot be replayed has a sentence in `why`. STATUS_MEMORY. */
enum status remedies_make(const struct kernel_index *index, uint32_t run, const struct advice_run *figures,
                          struct verdict *verdict, struct remedies *remedies, struct error *error);

/* The findings as the replay ranks them: each step of the list that rests on the trace, with the finding that explains it
 * or, without one, what is done; then what is also seen, with a gain of 0. `wrong` is the number of the former. Where the
 * replay claims nothing it is the verdict as it is. This is what a line on a run says first, wherever it is said. */
void remedies_rank(const struct kernel_index *index, const struct remedies *remedies,
                   const struct verdict *verdict, struct verdict *ranked);

/* Replays the run and makes the list: of `count` chosen edits in this order; 0: of all in order of gain. As
 * remedies_make; verdict and findings are not needed, nor are figures (NULL: found where they are needed). */
enum status remedies_replay(const struct kernel_index *index, uint32_t run, const struct advice_run *figures,
                            const struct replay_edit *const *chosen, size_t count, struct remedies *remedies,
                            struct error *error);

/* A time of the loop as that of one step: its share of the loop by the steps' distance, since the loop begins with a
 * call and ends with what waits for its last work. Without steps the time itself. */
int64_t remedies_one_ns(const struct remedies *remedies, int64_t ns);

/* As a row of the sheet of gains (sheet_gains), without its run and name. */
void remedies_row(const struct remedies *remedies, struct what_if_run *row);

/* The first finding that explains a step; NULL: none does. */
const struct run_finding *remedy_finding(const struct remedies *remedies, const struct verdict *verdict,
                                         size_t step);

/* Tells the replay of the run what limits its kernels: what their rules and the samples leave of their time, and which move
 * their bytes at DRAM's limit. figures: as remedies_replay. STATUS_MEMORY. */
enum status remedies_set_limits(const struct kernel_index *index, uint32_t run,
                                const struct advice_run *figures, struct replay *replay, struct error *error);

#endif
