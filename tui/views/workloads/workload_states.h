/*
 * What has been run of each workload in the session shown, in few words: how many variants, whether they are
 * verified, how much faster the best is than the worst, and what is wrong with the worst. Worked out anew
 * when the session has more than before, the costly parts between frames. Part of the list of workloads; the
 * tui's thread.
 */
#ifndef TUI_VIEWS_WORKLOAD_STATES_H
#define TUI_VIEWS_WORKLOAD_STATES_H

#include "core/session/session.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct screen;

#define FASTER_FROM 1.05 /* times; less is the same */

struct workload_run {
    int workload, variant; /* in the host's table; -1: none of these, or not traced */
    bool alike;            /* of the same work as the `measure` of its workload */
    uint32_t kernel;       /* its main one; NONE */
    uint64_t kernels_ns;   /* of all its kernels */
    double cost;           /* by which runs are compared: of kernels or of the device; 0: not known */
};

struct workload_state {
    uint32_t newest;  /* run; NONE: nothing was run */
    uint32_t measure; /* run whose work is compared: the newest whose useful bytes are known, or newest */
    uint32_t runs, variants;           /* traced ones */
    uint32_t running, verified, wrong; /* of the runs; neither of the last two: it was not checked */
    uint32_t slow, fast;               /* runs of that work; NONE: there are no times */
    double times;                      /* as slow as the fast one; 0: nothing to compare */
    bool judged;
    char finding[120]; /* on the slow one; "": none */
};

struct workload_states {
    struct workload_state *items; /* by workload; NULL: not made yet */
    struct workload_run *runs;    /* by run */
    uint32_t run_count;
    size_t next;                               /* workload that is judged next */
    uint64_t made_of_values, made_of_verdicts; /* what the session had */
    uint32_t made_of_runs;
    bool made_live;
    int64_t made_ms;
};

void workload_states_update(struct screen *screen, struct workload_states *states);
/* A slice of work between frames; false: there was nothing to do. */
bool workload_states_work(struct screen *screen, struct workload_states *states);
void workload_states_fini(struct workload_states *states);

/* NULL: nothing of it was run. */
const struct workload_state *workload_state_of(const struct workload_states *states, size_t workload);
/* "5 variants, naive -> copy 8.1x", "2 of 5 runs not verified"; with the finding where there is room. */
void workload_state_print(const struct screen *screen, const struct workload_states *states, size_t workload,
                          int cells, char *text, size_t size_bytes);
/* The newest run of a variant; NULL: there is none. */
const struct workload_run *workload_state_variant(const struct workload_states *states, size_t workload,
                                                  int variant);

#endif
