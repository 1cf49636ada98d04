/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The addresses used by the memory instructions of one warp, recorded while the model runs, with the model's
 * counts for them: the first executions of each instruction, by one warp of one block, in the first launch of
 * each kernel. Limited in size. Owned by the requester (simt_options.capture); written by the worker that
 * runs the block.
 */
#ifndef SIMT_ENGINE_CAPTURE_H
#define SIMT_ENGINE_CAPTURE_H

#include "core/hardware/access.h"
#include "simt/count/count.h"

#define CAPTURE_ACCESSES 512
#define CAPTURE_EXECUTIONS 8 /* per instruction */
#define CAPTURE_KERNELS 16

struct capture_access {
    /* execution: counts the executions of this instruction by this warp, from 0. */
    uint32_t kernel, instruction, execution;
    uint32_t part; /* for an instruction that ptxas splits */
    enum ptx_space space;
    bool atomic, whole; /* whole: `transfers` counts this access alone, by the rule for loads and stores */
    struct warp_access access;
    uint64_t requests, transfers, ideal_transfers; /* counts of the model; transfers: count_steps */
};

struct capture {
    uint64_t block; /* to be captured: the block's number in the grid, and the warp in it */
    uint32_t warp;
    const struct program *kernels[CAPTURE_KERNELS]; /* launched so far, each once */
    uint32_t kernel_count;
    uint32_t count;
    bool full; /* something was dropped */
    struct capture_access accesses[CAPTURE_ACCESSES];
};

/* Returns whether this is the first launch of the program and must be captured. */
bool capture_begin(struct capture *capture, const struct program *program);

static inline bool capture_wants(const struct capture *capture, uint64_t block, uint32_t warp)
{
    return capture && capture->block == block && capture->warp == warp;
}

/* Adds one execution of an instruction of the last begun kernel, after its guard, with the counts before and
 * after it. */
void capture_add(struct capture *capture, uint32_t instruction, enum ptx_space space,
                 const struct warp_access *access, const struct count_instruction *before,
                 const struct count_instruction *after);

#endif
