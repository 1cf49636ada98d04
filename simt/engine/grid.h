/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a launch on the model: distributes the blocks of a grid over worker threads. Block b runs on
 * multiprocessor b mod n, where n is the number of multiprocessors of the modelled GPU. Blocks are begun in
 * ascending order, one per multiprocessor at a time, and each runs to its end on one worker, unless it waits
 * for data that a later block writes: from then on the blocks take turns, as many as the device holds at
 * once, and as those of a cooperative launch do from the start (simt/engine/batch). Shared memory and
 * barriers belong to a block; global atomics are atomic between workers.
 *
 * Counts, caches and reports do not depend on the number of workers, except where a kernel's path depends on
 * the order of its blocks (the result of an atomic, the last block). With one worker the blocks run in order,
 * so that sums of floats by atomics are the same in every run.
 */
#ifndef SIMT_ENGINE_GRID_H
#define SIMT_ENGINE_GRID_H

#include "core/base/progress.h"
#include "core/hardware/device_info.h"
#include "simt/check/check.h"
#include "simt/count/cache.h"
#include "simt/count/count.h"
#include "simt/engine/print.h"
#include "simt/memory/memory.h"

#include <stdatomic.h>

struct capture;
struct claim;
struct stepper;
struct order_past;
struct shadow;
struct module; /* a parsed PTX module, its variables in device memory, and its programs, which are made on
                  first use; owned by the caller of the load */
enum status module_load(struct module **module, struct memory *memory, const char *name, const char *ptx,
                        size_t size_bytes, struct error *error);
void module_unload(struct module *module);
/* Registers of its kernels keep slots of their own, and so their last value, for a stepper. Call it before
 * module_program. */
void module_keep_registers(struct module *module);
/* A __device__ or __constant__ variable; false: no variable has this name. The address is a device address,
 * for copies; kernels find constants by their offset in the bank. */
bool module_variable(const struct module *module, const char *name, uint64_t *address, uint64_t *size_bytes);
/* The constant bank, at address 0. */
struct memory_range module_constants(const struct module *module);
/* merge: apply the changes of ptxas to memory instructions (simt/program/merge). */
enum status module_program(struct module *module, const char *kernel, bool merge,
                           const struct program **program, struct error *error);

struct grid_launch {
    struct module *module;
    const struct program *program;
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_bytes;
    const uint8_t *parameters; /* program->parameter_bytes */
    uint32_t cluster[3];       /* blocks of a cluster; 0: as the kernel was compiled, else no clusters */
    bool cooperative;          /* all blocks are resident at the same time, and may wait for each other */
    int64_t blocks_begin_ns;   /* what %globaltimer reads when a block begins */
    uint64_t resident_blocks;  /* maximum number of resident blocks on the device; 0: no limit */
    /* For the checks, as in struct order_launch: its number among the device's operations, and those before
     * it that may run at the same time. number 0: all earlier launches of the pool are ordered before it. */
    uint32_t number, first;
    const struct order_past *past;
    const struct claim *claims;
    uint32_t claim_count;
};

/* Reused by launches: threads, memory of blocks, L1 caches of the multiprocessors. One launch at a time. */
struct grid_pool;
/* workers 0: one per processor. */
enum status grid_pool_create(struct grid_pool **pool, uint32_t workers, struct error *error);
void grid_pool_destroy(struct grid_pool *pool);
/* What its launches accessed, and what they left undefined; NULL: none was checked. */
struct shadow *grid_pool_shadow(struct grid_pool *pool);
struct undefined *grid_pool_undefined(struct grid_pool *pool);

#define GRID_STACK_BYTES 1024 /* default of cudaLimitStackSize */

/* `progress` is called by the thread that runs the launch, at most every GRID_WATCH_NS. If it was, or the
 * launch was cancelled, it is called once more for `over`. */
#define GRID_WATCH_NS INT64_C(500000000)
struct grid_watch {
    void (*progress)(void *owner, const struct progress *progress); /* without the launch's number */
    void *owner;
    int64_t next_ns; /* CLOCK_MONOTONIC: no report before that; kept from launch to launch */
};

struct grid_machine { /* the modelled device that runs a launch */
    struct grid_pool *pool;
    struct memory *memory;
    struct heap *heap;              /* of malloc in kernels; NULL: malloc always fails */
    uint32_t stack_bytes;           /* per thread, for functions that call themselves; 0: GRID_STACK_BYTES */
    const struct device_info *info; /* of multiprocessors, and limits */
    const struct arch *rules;       /* for the counts */
    struct cache_l2 *l2;            /* NULL: no caches are modelled */
    uint64_t l1_bytes;              /* what the shared memory of the kernel leaves */
    bool l1_lines;                  /* fetch whole lines: cache_l1_fetch_lines */
    bool uncounted;                 /* do not count accesses: requests, sectors and caches stay 0 */
    bool by_lanes;                  /* for tests: look at the lanes of every access, as the rules say */
    bool by_vectors;                /* for tests: every register as 32 lanes, none as a scalar */
    uint32_t
        scalars_after; /* for tests: 1 + instructions of a worker before it keeps scalars; 0: the default */
    bool reverse;      /* begin blocks from the last to the first, and run warps in this order */
    bool check;        /* make the costly checks; the memory must have been created with `checked` */
    struct capture *capture;   /* begun for this launch (simt/engine/capture.h); NULL: no capture */
    struct stepper *stepper;   /* steps the launch, with one worker (simt/engine/stepper.h); or NULL */
    bool costliest;            /* keep the costliest access of each instruction of a counted launch */
    const atomic_bool *cancel; /* set by another thread: ends the launch with STATUS_STATE; or NULL */
    struct grid_watch *watch;  /* or NULL */
};

struct nested_move {              /* of global memory */
    bool copy;                    /* false: a set */
    uint64_t destination, source; /* of a set: source is the byte */
    uint64_t size_bytes;
};

struct grid_child {     /* a kernel of the same module that a kernel has launched, to be run next */
    const char *kernel; /* NULL: a copy or a set, described by `move` */
    struct nested_move move;
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_bytes;
    uint8_t *parameters; /* has the size of the largest parameters in the module */
};

struct grid_result {
    struct counter counter;      /* grid_result_fini frees it */
    struct costliest costliest;  /* the same; in the order of the program */
    struct grid_child *children; /* in order; see simt/engine/nested.h. grid_result_fini frees them */
    uint32_t child_count;
    /* Ordered by block; `asserted` belongs on stderr. grid_result_fini frees them. */
    struct print_text printed, asserted;
    uint64_t timer_ns; /* the longest time since the begin of its block that a thread read as %globaltimer */
    struct cache_counts caches;
    bool caches_failed; /* out of memory for the logs: the counts in `caches` are too small */
    struct check_result checks;
};

/* Runs a launch to its end. A launch begins with cache_l2_launch. STATUS_OK also if checks found errors that
 * a GPU would not detect. STATUS_CHECK with the sentence of the first report if a GPU would have stopped the
 * kernel (out of bounds, misaligned, trap, deadlock). STATUS_USAGE, with a sentence, if the device refuses
 * the launch (limits). STATUS_MEMORY. result is filled as far as the launch ran; call grid_result_fini for it
 * whatever the status. */
enum status grid_run(const struct grid_machine *machine, const struct grid_launch *launch,
                     struct grid_result *result, struct error *error);
void grid_result_fini(struct grid_result *result);

#endif
