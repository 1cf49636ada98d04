/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The digests of a job that never ran: ranks on hosts of eight, each host with a clock of its own; in each step kernels,
 * an all-gather among the host's ranks, kernels, and an all-reduce of all. One rank can be made late in one way. The
 * times follow from a simulation of the steps with random noise (the same for the same seed); the means are those of
 * the two-GPU trace of nsys-ai (a step of 10 ms, noise of 2 %). The true waits are kept, for comparison.
 */
#ifndef TESTS_SHARED_MADE_MADE_JOB_H
#define TESTS_SHARED_MADE_MADE_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MADE_HOST_RANKS 8u

enum made_cause {
    MADE_BALANCED,
    MADE_SLOW_GPU, /* the same kernels take 1.5 times as long */
    MADE_UNEVEN,   /* half as many kernels more */
    MADE_HOST,     /* the host works outside CUDA */
    MADE_LOADER,   /* a data loader's range */
    MADE_LINK,     /* copies at a third of the rate */
    MADE_LAUNCH,   /* launches take longer */
    MADE_ONCE,     /* it stops once for the time of ten steps */
    MADE_CAUSE_COUNT
};
extern const char *const made_cause_texts[MADE_CAUSE_COUNT];

struct made_job {
    uint32_t ranks, steps, late; /* late: the rank */
    enum made_cause cause;
    uint64_t seed;
    double clock_offset_ns, clock_drift; /* of hosts but the first, at most, either way */
    bool one_host;                       /* all ranks have one clock, and no all-gather among neighbours */
};

/* Calls `take` with the digest of each rank; false from it ends. *true_waits_ns: the mean wait of the others, over all
 * collectives of all ranks but each communicator's first, by the simulation itself. False: no memory. */
typedef bool made_job_taker(void *context, uint32_t rank, const void *bytes, size_t size_bytes);
bool made_job_make(const struct made_job *job, made_job_taker *take, void *context, double *true_waits_ns);

#endif
