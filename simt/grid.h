/*
 * A launch on the model: the blocks of a grid over worker threads. Blocks b, b + n, b + 2n ... (n:
 * multiprocessors of the modelled GPU) are multiprocessor b's and run there one after the other;
 * multiprocessors are shared out over the workers. Shared memory and barriers are the block's; global atomics
 * are atomic between workers. Counts are the same whatever the number of workers.
 */
#ifndef SIMT_GRID_H
#define SIMT_GRID_H

#include "core/device_info.h"
#include "simt/cache.h"
#include "simt/check.h"
#include "simt/count.h"
#include "simt/memory.h"

#include <stdatomic.h>

struct module; /* a parsed PTX module with its variables in a memory, programs made on first use; owned by who
                  loads it */
enum status module_load(struct module **module, struct memory *memory, const char *name, const char *ptx,
                        size_t size_bytes, struct error *error);
void module_unload(struct module *module);
const struct ptx_module *module_ptx(const struct module *module);
/* merge: with what ptxas does to memory instructions (simt/merge). */
enum status module_program(struct module *module, const char *kernel, bool merge,
                           const struct program **program, struct error *error);

struct grid_launch {
    struct module *module;
    const struct program *program;
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_bytes;
    const uint8_t *parameters; /* program->parameter_bytes */
};

struct grid_machine { /* what runs it */
    struct memory *memory;
    const struct device_info *info; /* multiprocessors, limits */
    const struct arch *rules;       /* of the counts */
    struct cache_l2 *l2;            /* NULL: no caches are modelled */
    uint64_t l1_bytes;              /* what the kernel's shared memory leaves */
    uint32_t workers;               /* 0: one per processor */
    bool check;                     /* the checks that cost; the memory must have been made for them */
    const atomic_bool
        *cancel; /* set from another thread: the launch ends with STATUS_CANCELLED-like sentence; NULL none */
};

struct grid_result {
    struct counter counter; /* grid_result_fini frees it */
    struct cache_counts caches;
    struct check_result checks;
};

/* Runs it to its end. OK also when checks found something that a GPU would let pass; CHECK with the first
 * report's sentence when a GPU would have stopped the kernel (out of bounds, misaligned, trap, deadlock).
 * USAGE for a launch the device refuses (limits), with a sentence. result is filled as far as it got. */
enum status grid_run(const struct grid_machine *machine, const struct grid_launch *launch,
                     struct grid_result *result, struct error *error);
void grid_result_fini(struct grid_result *result);

#endif
