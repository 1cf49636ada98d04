/*
 * The addresses of one warp's memory instructions, kept while the model runs: of the first launch of each
 * kernel, of one warp of one block, the first executions of each instruction, with what the model counted for
 * them. Bounded. Owned by the requester (simt_options.capture); written by the worker that runs the block.
 */
#ifndef SIMT_ENGINE_CAPTURE_H
#define SIMT_ENGINE_CAPTURE_H

#include "core/hardware/access.h"
#include "simt/count/count.h"

#define CAPTURE_ACCESSES 512
#define CAPTURE_EXECUTIONS 8 /* of an instruction */
#define CAPTURE_KERNELS 16

struct capture_access {
    uint32_t kernel, instruction, execution; /* execution: from 0, of this instruction by this warp */
    uint32_t part;                           /* of an instruction that ptxas splits */
    enum ptx_space space;
    bool atomic, whole; /* whole: `transfers` is of this access alone, by the rule for loads and stores */
    struct warp_access access;
    uint64_t requests, transfers, ideal_transfers; /* as counted */
};

struct capture {
    uint64_t block; /* wanted: by its number in the grid, and the warp in it */
    uint32_t warp;
    const struct program *kernels[CAPTURE_KERNELS]; /* launched so far, each once */
    uint32_t kernel_count;
    uint32_t count;
    bool full; /* there were more */
    struct capture_access accesses[CAPTURE_ACCESSES];
};

/* Is this the first launch of the program, and to be captured? */
bool capture_begin(struct capture *capture, const struct program *program);

static inline bool capture_wants(const struct capture *capture, uint64_t block, uint32_t warp)
{
    return capture != NULL && capture->block == block && capture->warp == warp;
}

/* One execution of an instruction of the kernel begun last, guard applied, before and after it was counted.
 */
void capture_add(struct capture *capture, uint32_t instruction, enum ptx_space space,
                 const struct warp_access *access, const struct count_instruction *before,
                 const struct count_instruction *after);

#endif
