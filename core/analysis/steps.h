/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps of a run: iterations of a loop. First by the program's own ranges (NVTX): those of one thread whose names
 * differ in their numbers alone, the outermost of which a thread begins at least STEPS_LEAST, and between whose
 * beginnings at least half of the run's operations are issued; the steps that PyTorch's profiler declares (ProfilerStep#) before
 * all others, and operators of PyTorch and ranges of libraries never. A step begins with the first operation that is issued
 * after a range begins and before the next one does. Else by a place of the program (of a recording with call paths) that
 * alone launches some kernels, once in each step, with about the same number of launches between two of these, and more than
 * one: the grids of a decoder's kernels differ by token, but not its lines. Else by a kernel that is launched once in each
 * step, with the same number of launches between two of its launches. What lies before the first and after the last of them
 * is warm-up, set-up and tear-down. From events alone. Reader side, any thread.
 */
#ifndef CORE_ANALYSIS_STEPS_H
#define CORE_ANALYSIS_STEPS_H

#include "core/session/session.h"

#define STEPS_LEAST 5u /* chosen: fewer repetitions are not called a loop */

struct steps {
    uint64_t count;       /* 0: none were found */
    uint64_t launches;    /* of kernels, in each; of ranges and places the mean */
    uint32_t kernel;      /* the kernel row whose launch begins each step; NONE: ranges or a place do */
    uint32_t place;       /* 1 + stack row of that place; 0: ranges or a kernel do */
    uint32_t track, lane; /* of the ranges; last_ns: the end of the last of them */
    int64_t last_ns;
    uint32_t range; /* string, the name of one of the ranges that begin the steps; 0: a kernel does */
    int64_t start_ns,
        end_ns; /* of ranges from the first operation of the first to the last end of the last; else from
                                 the kernel's first launch in them to its last: `count` steps */
};

/* Of ranges the outermost; of a run's launches in order of start the steps with the most launches in all, of equal ones
 * those with the most launches each; they hold at least half of the run's launches. Steps at the beginning that take
 * more than twice the median are left out as warm-up. Memory grows with kernels, lanes, names of ranges and up to a
 * million steps. STATUS_STATE: events were evicted from memory; STATUS_MEMORY. */
enum status steps_find(const struct session *session, uint32_t run, struct steps *steps, struct error *error);

/* When each of the steps starts, and at [count] when the last one ends, in order. Owned by the caller. */
enum status steps_starts(const struct session *session, uint32_t run, const struct steps *steps,
                         int64_t **starts_ns, size_t *count, struct error *error);

#endif
