/*
 * A running block of threads: its warps, which run one after the other until they end or wait, its shared
 * memory and its sixteen barriers. Owned and run by one worker.
 *
 * A barrier opens when the expected number of threads have arrived: all that have not ended, or the number
 * that the instruction names. Threads are counted, not warps, as on GPUs since Volta; a warp that arrives
 * with all its lanes counts as 32 if a number is named. Shared and local memory are initialised with
 * BLOCK_FILL, which is no neutral value of any operation, so that reads before writes are noticed.
 */
#ifndef SIMT_ENGINE_BLOCK_H
#define SIMT_ENGINE_BLOCK_H

#include "simt/engine/memory.h"
#include "simt/engine/warp.h"

#define BLOCK_BARRIERS 16
#define BLOCK_WARPS_MAX 32
#define BLOCK_FILL 0xf7

struct block_barrier {
    uint32_t expected; /* threads; 0: all of the block */
    uint32_t arrived;
    uint32_t came, waiting; /* warps, a bit each: that came, that wait */
    uint32_t votes;         /* bar.red: threads whose predicate is true */
};

struct block {
    uint64_t number;
    uint32_t index[3];
    uint32_t multiprocessor;
    struct memory_range shared; /* at address 0 */
    uint32_t alive;             /* threads */
    uint64_t changes;           /* of memory, so far */
    uint64_t executed;          /* warp instructions, so far: the clock that kernels see */
    uint64_t looked;            /* what that was at the last look at whether the launch is to end */
    struct block_barrier barriers[BLOCK_BARRIERS];
};

struct worker;

enum block_end { BLOCK_ENDS, BLOCK_FAILS, BLOCK_CANCELS, BLOCK_NO_MEMORY, BLOCK_POLLS };

/* From its begin to its end; it may wait for what earlier blocks write. */
enum block_end block_run(struct worker *worker, uint64_t number);
/* For blocks that give way to each other: begins it (false: no memory); runs it until it ends or only polls.
 */
bool block_begin(struct worker *worker, uint64_t number);
enum block_end block_go_on(struct worker *worker, bool *ran);
/* Why it can not go on, as the worker's fault. */
void block_report_deadlock(struct worker *worker);

/* The lanes of a path come to a barrier, and wait there unless it opens or they only arrive. The path's pc is
 * behind the instruction. False: the worker's fault says why; lanes that name different barriers are one,
 * since an H100 ends such a kernel with an illegal instruction. */
bool block_arrive(struct worker *worker, struct warp *warp, uint32_t path, uint32_t pc, uint32_t on);
/* Threads have ended: barriers may open. */
void block_threads_end(struct worker *worker, uint32_t threads);

#endif
