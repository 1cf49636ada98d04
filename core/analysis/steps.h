/*
 * The steps of a run: iterations of a loop, found by a kernel that is launched once in each, with the same
 * number of launches between two of its launches. What lies before the first and after the last of them is
 * warm-up, set-up and tear-down. From launches alone. Reader side, any thread.
 */
#ifndef CORE_ANALYSIS_STEPS_H
#define CORE_ANALYSIS_STEPS_H

#include "core/session/session.h"

#define STEPS_LEAST 5u /* chosen: fewer repetitions are not called a loop */

struct steps {
    uint64_t count;           /* 0: none were found */
    uint64_t launches;        /* of kernels, in each */
    uint32_t kernel;          /* the kernel row whose launch begins each step */
    int64_t start_ns, end_ns; /* from the kernel's first launch in them to its last: `count` steps */
};

/* Of a run's launches in order of start: the steps with the most launches in all, of equal ones those with
 * the most launches each; they hold at least half of the run's launches. Steps at the beginning that take
 * more than twice the median are left out as warm-up. Memory grows with kernels, lanes and up to a million
 * steps. STATUS_STATE: events were evicted from memory; STATUS_MEMORY. */
enum status steps_find(const struct session *session, uint32_t run, struct steps *steps, struct error *error);

#endif
