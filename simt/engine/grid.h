/*
 * A launch on the model: the blocks of a grid over worker threads. Block b runs on multiprocessor b mod n (n:
 * the modelled GPU's). Blocks are begun in ascending order, one per multiprocessor at a time, and each runs
 * to its end on one worker: a block may wait for what an earlier one writes, not for a later one; the blocks
 * of a cooperative launch give way to each other (simt/engine/cooperative). Shared memory and barriers are
 * the block's; global atomics are atomic between workers.
 *
 * Counts, caches and reports are the same whatever the number of workers, except where a kernel's path
 * depends on the order of its blocks (the result of an atomic, the last block). With one worker the blocks
 * run in their order, so that sums of floats by atomics are the same in every run.
 */
#ifndef SIMT_ENGINE_GRID_H
#define SIMT_ENGINE_GRID_H

#include "core/hardware/device_info.h"
#include "simt/count/cache.h"
#include "simt/count/count.h"
#include "simt/engine/check.h"
#include "simt/engine/memory.h"
#include "simt/engine/print.h"

#include <stdatomic.h>

struct capture;
struct module; /* a parsed PTX module with its variables in a memory, programs made on first use; owned by who
                  loads it */
enum status module_load(struct module **module, struct memory *memory, const char *name, const char *ptx,
                        size_t size_bytes, struct error *error);
void module_unload(struct module *module);
/* A __device__ or __constant__ variable; false: there is none of the name. Its address is one of the
 * memory's, for copies; kernels find constants by their place in the bank. */
bool module_variable(const struct module *module, const char *name, uint64_t *address, uint64_t *size_bytes);
/* The constant bank, at address 0. */
struct memory_range module_constants(const struct module *module);
/* merge: with what ptxas does to memory instructions (simt/program/merge). */
enum status module_program(struct module *module, const char *kernel, bool merge,
                           const struct program **program, struct error *error);

struct grid_launch {
    struct module *module;
    const struct program *program;
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_bytes;
    const uint8_t *parameters; /* program->parameter_bytes */
    bool cooperative;          /* all blocks are there at once, and may wait for each other */
    uint64_t resident_blocks;  /* cooperative: what the device holds at once; 0: any number */
};

/* What launches reuse: threads, blocks' memories, the multiprocessors' L1 caches. One launch at a time. */
struct grid_pool;
/* workers: 0: one per processor. */
enum status grid_pool_create(struct grid_pool **pool, uint32_t workers, struct error *error);
void grid_pool_destroy(struct grid_pool *pool);

#define GRID_STACK_BYTES 1024 /* cudaLimitStackSize's default */

struct grid_machine { /* what runs it */
    struct grid_pool *pool;
    struct memory *memory;
    struct heap *heap;              /* of malloc in kernels; NULL: it is full */
    uint32_t stack_bytes;           /* of a thread, for functions that call themselves; 0: GRID_STACK_BYTES */
    const struct device_info *info; /* multiprocessors, limits */
    const struct arch *rules;       /* of the counts */
    struct cache_l2 *l2;            /* NULL: no caches are modelled */
    uint64_t l1_bytes;              /* what the kernel's shared memory leaves */
    bool l1_lines;                  /* cache_l1_fetch_lines */
    bool uncounted;                 /* its accesses are not: requests, sectors and caches stay 0 */
    bool check;                     /* the checks that cost; the memory must have been made for them */
    struct capture *capture;        /* begun for this launch (simt/engine/capture.h); NULL: none */
    const atomic_bool *cancel;      /* set from another thread: the launch ends with STATE; NULL: none */
};

struct nested_move {              /* of global memory */
    bool copy;                    /* else a set */
    uint64_t destination, source; /* of a set: its byte */
    uint64_t size_bytes;
};

struct grid_child {     /* a kernel of the same module that a kernel has launched: to be run next */
    const char *kernel; /* NULL: a copy or a set, `move` */
    struct nested_move move;
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_bytes;
    uint8_t *parameters; /* as many bytes as any kernel of the module takes */
};

struct grid_result {
    struct counter counter;      /* grid_result_fini frees it */
    struct grid_child *children; /* in their order; simt/engine/nested.h. grid_result_fini frees them */
    uint32_t child_count;
    struct print_text printed, asserted; /* by blocks; what asserts say belongs on stderr. fini frees them */
    struct cache_counts caches;
    bool caches_failed; /* no memory for their logs: what `caches` says is too little */
    struct check_result checks;
};

/* Runs it to its end. OK also when checks found something that a GPU would let pass; CHECK with the first
 * report's sentence when a GPU would have stopped the kernel (out of bounds, misaligned, trap, deadlock).
 * A launch begins with cache_l2_launch. USAGE for a launch the device refuses (limits), with a sentence;
 * MEMORY. result is filled as far as it got, and is to be given to grid_result_fini whatever the status. */
enum status grid_run(const struct grid_machine *machine, const struct grid_launch *launch,
                     struct grid_result *result, struct error *error);
void grid_result_fini(struct grid_result *result);

#endif
