/*
 * A running block of threads: its warps, which run one after the other until they end or wait, its shared
 * memory and its sixteen barriers. Owned and run by one worker.
 *
 * A barrier opens when the expected number of threads have arrived: all that have not ended, or the number
 * that the instruction names. Threads are counted, not warps, as on GPUs since Volta; a warp that arrives
 * with all its lanes counts as 32 if a number is named. Shared and local memory are initialised with
 * BLOCK_FILL, which is not a neutral value of any operation, so that reads before writes are noticed.
 */
#ifndef SIMT_ENGINE_BLOCK_H
#define SIMT_ENGINE_BLOCK_H

#include "simt/engine/warp.h"
#include "simt/memory/memory.h"

#define BLOCK_BARRIERS 16
#define BLOCK_WARPS_MAX 32
#define BLOCK_FILL 0xf7

struct block_barrier {
    uint32_t expected; /* threads; 0: the whole block */
    uint32_t arrived;
    uint32_t came, waiting;          /* one bit per warp: arrived; waiting */
    uint32_t votes;                  /* bar.red: threads whose predicate is true */
    uint32_t first_pc, first_thread; /* with checks: of the first that arrived */
};

struct block {
    uint64_t number;
    uint32_t index[3];
    uint32_t multiprocessor;
    struct memory_range shared; /* at address 0 */
    uint32_t alive;             /* number of threads that have not ended */
    uint64_t changes;           /* number of changes of memory so far */
    uint64_t executed;          /* warp instructions so far */
    uint64_t others;            /* those of them that other warps than the running one executed */
    uint64_t computed;          /* those of the changes that are only of registers */
    uint64_t waited_cycles;     /* by threads whose time at an mbarrier was over */
    uint64_t expired_at;        /* changes of memory when that happened last */
    uint32_t expired;           /* times that it happened since memory changed */
    uint32_t rank;              /* in the cluster */
    uint64_t looked;            /* value of `executed` at the last check whether the launch must end */
    struct block_barrier barriers[BLOCK_BARRIERS];
    uint32_t awaited; /* one bit per barrier at which threads have arrived */
};

struct worker;

enum block_end { BLOCK_ENDS, BLOCK_FAILS, BLOCK_CANCELS, BLOCK_NO_MEMORY, BLOCK_POLLS };

/* Runs a block to its end. It may wait for data that earlier blocks write; BLOCK_POLLS: it waits for a later
 * one, or only polls after another block did (run->turns). */
enum block_end block_run(struct worker *worker, uint64_t number);
/* For blocks that run in turns: block_begin begins one (false: out of memory), whose cluster has been set;
 * block_go_on runs it until it ends, only polls, or waits for another block. idle: no block could do anything
 * else in its last turn. */
bool block_begin(struct worker *worker, uint64_t number);
enum block_end block_go_on(struct worker *worker, bool idle, bool *ran);
/* Reports the reason why the block cannot continue as the worker's fault. */
void block_report_deadlock(struct worker *worker);

/* The lanes of a path arrive at a barrier, and wait there unless it opens or they only arrive. The pc of the
 * path is already after the instruction. False: the worker's fault says why. Lanes that name different
 * barriers are a fault, because an H100 ends such a kernel with an illegal instruction. */
bool block_arrive(struct worker *worker, struct warp *warp, uint32_t path, uint32_t pc, uint32_t on);
/* Threads have ended: opens barriers that waited only for them. */
void block_threads_end(struct worker *worker, uint32_t threads);

#endif
