/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a running launch (struct run, shared by its workers, read-only except for two words) and of
 * one worker (struct worker, used by one thread only). Used only in simt/engine; simt/engine/grid creates
 * both.
 */
#ifndef SIMT_ENGINE_WORKER_H
#define SIMT_ENGINE_WORKER_H

#include "core/hardware/access.h"
#include "simt/check/shadow.h"
#include "simt/check/undefined.h"
#include "simt/engine/async.h"
#include "simt/engine/capture.h"
#include "simt/engine/grid.h"
#include "simt/engine/print.h"
#include "simt/engine/scalars.h"
#include "simt/engine/warp.h"
#include "simt/memory/memory.h"

#include <stdatomic.h>

/* ---- loops over 32 addresses ---- */

/*
 * The loops over a warp's 32 addresses, which every memory instruction uses. Compiled for several vector
 * widths like the functions of simt/lanes/lanes (simt/CMakeLists.txt); simt/engine/worker selects the
 * build to run.
 */

/* The layout of 32 addresses in a range. */
enum warp_reach {
    WARP_OUTSIDE, /* not all inside, or not all aligned */
    WARP_INSIDE,
    WARP_SAME, /* all lanes use one address */
    WARP_ROW /* each active lane's bytes are where they are if each lane's follow those of the lane before */
};

struct warp_vector {
    /* A usual load or store (warp_is_usual) whose addresses are a row, or all the same (loads only), in the
     * range and aligned: moves the data, and says which, and the first address. WARP_OUTSIDE: nothing was
     * done, since it is any other. */
    enum warp_reach (*load_usual)(const struct program_instruction *instruction, uint8_t *frame,
                                  const struct memory_range *range, uint64_t *first);
    enum warp_reach (*store_usual)(const struct program_instruction *instruction, const uint8_t *frame,
                                   const struct memory_range *range, uint64_t *first);
    /* A load or a store of the lanes `on` in a range, from a slot with 32 addresses: checks them and moves
     * the data. access: gets the addresses, as by add_32 and add_64, except for WARP_OUTSIDE; NULL: not
     * wanted. WARP_OUTSIDE: nothing was done, because a lane is outside or not aligned, or because the form
     * of the instruction is a rare one. */
    enum warp_reach (*load)(const struct program_instruction *instruction, uint8_t *frame,
                            const struct memory_range *range, uint32_t on, struct warp_access *access);
    enum warp_reach (*store)(const struct program_instruction *instruction, uint8_t *frame,
                             const struct memory_range *range, uint32_t on, struct warp_access *access);
    /* Fill access->address from 32 bases and an offset. access->active is set, not 0; inactive lanes get the
     * address of an active one. add_32 wraps at 32 bits. */
    void (*add_32)(struct warp_access *access, const uint32_t *base, int64_t offset);
    void (*add_64)(struct warp_access *access, const uint64_t *base, int64_t offset);
    enum warp_reach (*reach)(const struct memory_range *range, const struct warp_access *access);
    /* Is each lane active, and its 32-byte sector above that of the lane before? */
    bool (*apart)(const struct warp_access *access);
    bool (*distinct)(
        const struct warp_access *access); /* of aligned ones: no two active lanes have the same bytes */
    /* Write one value to the active lanes. */
    void (*spread_32)(uint32_t *to, uint32_t value, uint32_t active);
    void (*spread_64)(uint64_t *to, uint64_t value, uint32_t active);
    /* Copy the words of the active lanes from one row to another. */
    void (*copy_32)(uint32_t *to, const uint32_t *from, uint32_t active);
};

/* ---- blocks ---- */

/*
 * A running block of threads: its warps, which run one after the other until they end or wait, its shared
 * memory and its sixteen barriers. Owned and run by one worker.
 *
 * A barrier opens when the expected number of threads have arrived: all that have not ended, or the number
 * that the instruction names. Threads are counted, not warps, as on GPUs since Volta; a warp that arrives
 * with all its lanes counts as 32 if a number is named. Shared and local memory are initialised with
 * BLOCK_FILL, which is not a neutral value of any operation, so that reads before writes are noticed.
 */

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
    uint32_t handoffs;          /* of the longest chain that led to it (simt/engine/handoff) */
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

/* ---- the state of a launch and of a worker ---- */

/* What a worker tells the others while it runs; only that worker writes it. One line of the host's cache
 * each. */
struct run_line {
    atomic_uint_least64_t running;         /* its block, or a lower one; UINT64_MAX: none */
    atomic_uint_least64_t ended, executed; /* its blocks that have ended; their warp instructions */
    uint64_t unused[5];
};

struct races { /* of a device: what its launches have accessed, if they are checked */
    struct shadow *shadow;
    struct order_launch launch;
};

struct run {
    const struct grid_launch *launch;
    const struct program *program;
    const struct memory *memory;
    const struct arch *rules;                  /* for the counts */
    struct memory_range constants, parameters; /* at address 0 of their spaces */
    uint32_t threads, warps;                   /* per block */
    uint32_t cluster[3];                       /* blocks per cluster; without clusters 1 */
    uint64_t blocks;
    uint64_t shared_bytes, local_bytes;    /* per block; per thread, in whole words */
    uint32_t stack_bytes;                  /* of it for functions that call themselves */
    const uint8_t *frame;                  /* initial content of a warp's frame */
    const uint32_t *thread_indices;        /* [warp][axis][lane] */
    struct capture *capture;               /* NULL: no capture */
    struct stepper *stepper;               /* NULL: the launch is not stepped */
    struct nested *nested;                 /* NULL: the program launches no kernels */
    struct heap *heap;                     /* NULL: malloc in kernels always fails */
    const struct memory_range *heap_range; /* if checked; else NULL */
    struct print_log printed, asserted;
    uint64_t runtime_texts; /* device address of the bytes of runtime_texts_fill; 0: not used */
    uint64_t workspace;     /* device address of the grid's barrier; 0: no kernel asks for it */
    uint32_t reserved_at;   /* in shared memory: start of the bytes that the system reserves */
    double cycle_ns;        /* of the multiprocessors' clock */
    uint32_t polls_at_once; /* number of polls, without a change of memory, after which a path yields */
    bool check, uncounted, costliest;
    bool by_lanes;          /* look at the lanes of each access, as the rules say: for tests */
    bool by_vectors;        /* every register has 32 lanes: for tests */
    uint64_t scalars_after; /* instructions of a worker */
    bool usual;   /* loads and stores of the usual form may be made and counted by their layout alone */
    bool reverse; /* blocks and warps run from the last to the first */
    struct races *races;               /* NULL: not checked */
    struct undefined *undefined;       /* NULL: not checked */
    bool alone;                        /* one worker: atomics need no atomic operations of the host */
    const atomic_bool *cancel;         /* or NULL */
    atomic_uint_least64_t first_fault; /* the lowest block that failed; UINT64_MAX: none */
    atomic_bool out_of_memory;
    atomic_bool turns;         /* a block waits for a later one: blocks that only poll are parked */
    struct handoffs *handoffs; /* while blocks run in turns, or NULL */
    struct run_line *lines;    /* per worker */
    uint32_t workers;
    const struct batches *batches; /* to find the blocks that are not taken yet */
    struct grid_watch *watch;      /* or NULL; worker 0 reports to it */
    int64_t begun_ns;              /* start of the launch, if it is watched */
    bool watched;                  /* progress was reported */
};

struct worker {
    struct run *run;
    const struct warp_vector *vector;
    struct scalars *scalars; /* NULL: not yet, or not in this launch */
    const struct scalar_build *scalar_build;
    bool scalars_wanted;
    uint64_t executed; /* in this launch, when it last looked */
    uint32_t index;
    struct counter counter;
    struct counter
        spare;    /* while `looking`: the counts so far, and `counter` has those of one turn of a loop */
    bool looking; /* whether that turn changes nothing (simt/engine/warp.c) */
    uint32_t looks_failed, looks_paused; /* turns that did change something; candidates to let pass */
    struct costliest costliest;          /* kept if run->costliest */
    bool l1_lines;       /* L1 must be told which warp makes an access (cache_l1_fetch_lines) */
    struct cache_l1 *l1; /* of the block's multiprocessor; NULL: no caches are modelled */
    struct cache_log *log;
    struct cache_counts caches;
    const struct memory_range **last_range; /* per instruction: the range of its last access */
    struct warp *warps;                     /* array of BLOCK_WARPS_MAX */
    uint8_t *storage;                       /* frames, local and shared memory, bits of initialised bytes */
    size_t storage_bytes;
    struct block block;
    struct cluster *cluster; /* of the block */
    struct cluster alone;    /* the cluster of a block that has none */
    struct order *order;     /* of the block's warps; NULL: not checked */
    struct shadow *shadow;   /* of its shared memory; NULL: not checked */
    uint8_t
        *defined; /* per instruction, if checked: elements of which it has loaded bytes that were written */
    struct undefined_op *undefined_ops; /* simt/engine/warp_undefined; NULL: not needed yet */
    struct check_result checks;
    struct check_report fault; /* why fault_block failed; UINT64_MAX: no block failed */
    uint64_t fault_block;
    uint64_t timer_ns;  /* the longest time since the begin of its block that a thread read as %globaltimer */
    atomic_uint fence;  /* membar is a locked operation on it: no access is moved across it */
    uint32_t unwatched; /* worker 0: instructions since it last read the clock for run->watch */
    uint64_t sectors[COUNT_SECTORS_MAX];
};

/* The texts for GetErrorString and GetErrorName in kernels: string and name of each error, at steps of
 * RUNTIME_TEXT_BYTES; the last ones are for all other errors. simt/engine/warp_runtime */
#define RUNTIME_ERRORS 4
#define RUNTIME_TEXT_BYTES 32
void runtime_texts_fill(uint8_t *bytes);

/* Fills a report, except for the fields of single kinds; lane of warp at instruction pc. */
struct check_report worker_report(const struct worker *worker, const struct warp *warp, enum check_kind kind,
                                  uint32_t pc, uint32_t lane);
/* The index of a thread in its block, from its number. */
void worker_thread(const struct run *run, uint32_t number, uint32_t thread[3]);
/* Allocates storage for a block of the run if the worker has too little. */
enum status worker_prepare_block(struct worker *worker, struct run *run, struct error *error);
void worker_drop_block(struct worker *worker); /* and its storage */
/* Prepares a worker for a run: counters, frames, memory. STATUS_MEMORY. worker_finish frees what only the run
 * needs and ends the use of the run; worker_fini frees everything. The worker may be zeroed memory. */
enum status worker_prepare(struct worker *worker, struct run *run, uint32_t index, struct error *error);
void worker_finish(struct worker *worker);
void worker_fini(struct worker *worker);
/* Returns whether the launch must end before this worker's block has ended. It is called every WORKER_LOOKS
 * instructions of the worker, not of a single loop: the counts of nested loops, paths and rounds of warps
 * would multiply. */
bool worker_must_stop(struct worker *worker);
/* Updates the worker's line after a part of a block. ended: the block has ended. */
void worker_publish(struct worker *worker, bool ended);
/* Reports the progress of the launch, if it is time for a report or `over`. Worker 0 only. */
void run_report(struct run *run, bool over);
#define WORKER_LOOKS 16384
static inline bool worker_look_is_due(const struct worker *worker)
{
    return worker->block.executed - worker->block.looked >= WORKER_LOOKS;
}

#endif
