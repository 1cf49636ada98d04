/*
 * The state of a running launch (struct run, shared by its workers, read-only except for two words) and of
 * one worker (struct worker, used by one thread only). Used only in simt/engine; simt/engine/grid creates
 * both.
 */
#ifndef SIMT_ENGINE_WORKER_H
#define SIMT_ENGINE_WORKER_H

#include "simt/check/shadow.h"
#include "simt/check/undefined.h"
#include "simt/engine/async/cluster.h"
#include "simt/engine/block.h"
#include "simt/engine/capture.h"
#include "simt/engine/grid.h"
#include "simt/engine/print.h"
#include "simt/engine/warp.h"
#include "simt/engine/warp_vector.h"

#include <stdatomic.h>

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
    bool reverse;                      /* blocks and warps run from the last to the first */
    struct races *races;               /* NULL: not checked */
    struct undefined *undefined;       /* NULL: not checked */
    bool alone;                        /* one worker: atomics need no atomic operations of the host */
    const atomic_bool *cancel;         /* or NULL */
    atomic_uint_least64_t first_fault; /* the lowest block that failed; UINT64_MAX: none */
    atomic_bool out_of_memory;
    atomic_bool turns;      /* a block waits for a later one: blocks that only poll are parked */
    struct run_line *lines; /* per worker */
    uint32_t workers;
    const struct batches *batches; /* to find the blocks that are not taken yet */
    struct grid_watch *watch;      /* or NULL; worker 0 reports to it */
    int64_t begun_ns;              /* start of the launch, if it is watched */
    bool watched;                  /* progress was reported */
};

struct worker {
    struct run *run;
    const struct warp_vector *vector;
    uint32_t index;
    struct counter counter;
    struct counter
        spare;    /* while `looking`: the counts so far, and `counter` has those of one turn of a loop */
    bool looking; /* whether that turn changes nothing (simt/engine/warp_poll) */
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
