/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The results of the runs of each workload in the session, in a few words: how many variants, whether they
 * are verified, how much faster the best is than the worst, and the problem of the worst. Computed again when
 * the session has new data, the expensive parts between frames. Part of the list of workloads; the tui's
 * thread.
 */
#ifndef TUI_VIEWS_WORKLOAD_STATES_H
#define TUI_VIEWS_WORKLOAD_STATES_H

#include "core/session/session.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct screen;

#define FASTER_FROM 1.05 /* ratio; a smaller one counts as equal */

struct workload_run {
    int workload, variant; /* index in the host's table; -1: not a bundled workload, or not traced */
    bool alike;            /* it did the same work as the run `measure` of its workload */
    uint32_t kernel;       /* its main kernel; NONE */
    bool by_kernels;       /* cost is the time of its kernels (run_kernel_cost), else the device time */
    double cost;           /* compared between runs; 0: not known */
};

struct workload_state {
    uint32_t newest;  /* the newest run; NONE: no runs */
    uint32_t measure; /* the run whose work the others are compared with: the newest with known useful bytes,
                         or newest */
    uint32_t runs, variants;           /* traced runs, and their variants */
    uint32_t running, verified, wrong; /* numbers of runs; a run in neither of the last two was not checked */
    uint32_t slow, fast;               /* the slowest run of that work and the best; NONE: no times */
    bool by_kernels;                   /* they are compared by their kernels' times, else by the device's */
    double times;                      /* ratio of their times; 0: nothing to compare */
    bool judged;
    char finding[120]; /* about the slow run; "": none */
};

struct workload_states {
    struct workload_state *items; /* by workload; NULL: not made yet */
    struct workload_run *runs;    /* by run */
    uint32_t run_count;
    size_t next;    /* the workload that is judged next */
    uint32_t asked; /* its runs before this one were asked for their device times */
    uint64_t made_of_values, made_of_verdicts; /* amount of the session's data they were made from */
    uint32_t made_of_runs;
    bool made_live;
    int64_t made_ms;
};

void workload_states_update(struct screen *screen, struct workload_states *states);
/* Does a slice of work between frames; false: there was nothing to do. */
bool workload_states_work(struct screen *screen, struct workload_states *states);
void workload_states_fini(struct workload_states *states);

/* NULL: the workload has no runs. */
const struct workload_state *workload_state_of(const struct workload_states *states, size_t workload);
/* "5 variants, naive -> pad kernels 7.2x", "2 of 5 runs not verified"; with the finding if it fits. */
void workload_state_print(const struct screen *screen, const struct workload_states *states, size_t workload,
                          int cells, char *text, size_t size_bytes);
/* The newest run of a variant; NULL: there is none. */
const struct workload_run *workload_state_variant(const struct workload_states *states, size_t workload,
                                                  int variant);

#endif
