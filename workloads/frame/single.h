/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A case that is one kernel, or a few, over a few arrays: prepared on the host, sent, launched, fetched. The
 * host code of most workloads is a table of arrays, a launch and a comparison.
 *
 * Arrays are in the bench's slots, array i in slot i (host: inputs registered, outputs pinned; pageable ones
 * belong to the caller), and are valid until the next case. One thread per bench.
 */
#ifndef WORKLOADS_FRAME_SINGLE_H
#define WORKLOADS_FRAME_SINGLE_H

#include "workloads/frame/library.h"
#include "workloads/frame/workload.h"

enum single_use {
    SINGLE_INPUT,  /* filled by `fill`, or with the pattern that all cases share; sent once */
    SINGLE_OUTPUT, /* poisoned before, fetched after */
    SINGLE_CHANGED /* filled, or zeroed without `fill`; sent again before each launch, fetched after it */
};

struct single_array {
    enum single_use use;
    size_t size_bytes; /* a multiple of 4 */
    /* Writes size_bytes of host memory; the contents may depend only on the case. */
    void (*fill)(const struct workload_case *c, void *bytes, size_t size_bytes);
    /* Set by single_run: */
    device_pointer pointer; /* its address can be a kernel argument before the run */
    const void *input;      /* what was sent; NULL for SINGLE_OUTPUT */
    const void *output;     /* what came back; NULL for SINGLE_INPUT */
};

struct single {
    struct device_launch launch; /* grid and block 0: the case's */
    struct library_call call;    /* runs instead of the kernel in a library's variant */
    struct single_array array[WORKBENCH_SLOTS];
    uint32_t array_count;
    /* Called after each launch, for a case whose work is several kernels; may be NULL. */
    enum status (*then)(const struct workload_case *c, struct workbench *bench, const struct single *single,
                        struct error *error);
};

/* Launches as often as the bench says. The outputs are complete when it returns STATUS_OK; the caller
 * compares them. */
enum status single_run(const struct workload_case *c, struct workbench *bench, struct single *single,
                       struct error *error);

#endif
