/*
 * The state of a running launch (struct run, shared by its workers, read-only except for two words) and of
 * one worker (struct worker, used by one thread only). Inside the engine only; simt/engine/grid makes both.
 */
#ifndef SIMT_ENGINE_WORKER_H
#define SIMT_ENGINE_WORKER_H

#include "simt/engine/block.h"
#include "simt/engine/capture.h"
#include "simt/engine/grid.h"
#include "simt/engine/print.h"
#include "simt/engine/shadow.h"
#include "simt/engine/warp.h"
#include "simt/engine/warp_vector.h"

#include <stdatomic.h>

#define RUN_WORKER_STRIDE 8 /* a line of the host's cache each */

struct run {
    const struct grid_launch *launch;
    const struct program *program;
    const struct memory *memory;
    const struct arch *rules;                  /* of the counts */
    struct memory_range constants, parameters; /* at address 0 of their spaces */
    uint32_t threads, warps;                   /* of a block */
    uint64_t blocks;
    uint64_t shared_bytes, local_bytes; /* of a block; of a thread, whole words */
    uint32_t stack_bytes;               /* of it for functions that call themselves */
    const uint8_t *frame;               /* what a warp's frame begins as */
    const uint32_t *thread_indices;     /* [warp][axis][lane] */
    struct capture *capture;            /* NULL: none is wanted */
    struct nested *nested;              /* NULL: the program launches none */
    struct heap *heap;                  /* NULL: malloc in kernels finds it full */
    struct print_log printed, asserted;
    uint64_t runtime_texts; /* device address of runtime_texts_fill's bytes; 0: not used */
    uint64_t workspace;     /* device address of a cooperative grid's barrier; 0: none */
    uint32_t reserved_at;   /* in shared memory: what the system has for itself */
    uint32_t polls_at_once; /* looks at memory, without changing any, after which a path gives way */
    bool check, uncounted;
    bool alone;                        /* one worker: atomics need not be the host's */
    const atomic_bool *cancel;         /* or NULL */
    atomic_uint_least64_t first_fault; /* the lowest block that failed; UINT64_MAX */
    atomic_bool out_of_memory;
    atomic_uint_least64_t *running; /* per worker: its block, or one below it; UINT64_MAX: none */
    uint32_t workers;
    const struct batches *batches; /* the blocks that are not taken yet */
};

struct worker {
    struct run *run;
    const struct warp_vector *vector;
    uint32_t index;
    struct counter counter;
    bool l1_lines;       /* it is to be told who asks (cache_l1_fetch_lines) */
    struct cache_l1 *l1; /* of the block's multiprocessor; NULL: no caches are modelled */
    struct cache_log *log;
    struct cache_counts caches;
    const struct memory_range **last_range; /* per instruction: where its last access went */
    struct warp *warps;                     /* BLOCK_WARPS_MAX */
    uint8_t *storage;                       /* frames, local and shared memory, bits of what is written */
    size_t storage_bytes;
    struct block block;
    struct shadow *shadow; /* NULL: not checked */
    uint64_t shadow_bytes;
    struct check_result checks;
    struct check_report fault; /* why fault_block failed; UINT64_MAX: none did */
    uint64_t fault_block;
    atomic_uint fence; /* membar is a locked operation on it: nothing of this worker passes it */
    uint64_t sectors[COUNT_SECTORS_MAX];
};

/* The texts of errors for GetErrorString and GetErrorName in kernels: of each error its string and its name,
 * at steps of RUNTIME_TEXT_BYTES; the last for all others. simt/engine/warp_runtime */
#define RUNTIME_ERRORS 4
#define RUNTIME_TEXT_BYTES 32
void runtime_texts_fill(uint8_t *bytes);

/* Fills a report but for what the kinds add; lane of warp at instruction pc. */
struct check_report worker_report(const struct worker *worker, const struct warp *warp, enum check_kind kind,
                                  uint32_t pc, uint32_t lane);
/* The place of a thread of the block by its number. */
void worker_thread(const struct run *run, uint32_t number, uint32_t thread[3]);
/* Makes it ready for a run: counters, frames, memories. MEMORY. worker_finish gives back what a run alone
 * needs and forgets the run, worker_fini all. A worker of zeros may be prepared. */
/* Storage for a block of the run, where the worker has too little. */
enum status worker_prepare_block(struct worker *worker, struct run *run, struct error *error);
void worker_drop_block(struct worker *worker); /* and its storage */
enum status worker_prepare(struct worker *worker, struct run *run, uint32_t index, struct error *error);
void worker_finish(struct worker *worker);
void worker_fini(struct worker *worker);
/* Have all blocks before this worker's ended? */
bool worker_is_oldest(const struct worker *worker);
/* Is the launch to end before this worker's block has? Looked at every so many instructions, counted by the
 * worker and not by its loops: nested loops, paths and rounds of warps would multiply. */
bool worker_must_stop(struct worker *worker);
#define WORKER_LOOKS 16384
static inline bool worker_look_is_due(const struct worker *worker)
{
    return worker->block.executed - worker->block.looked >= WORKER_LOOKS;
}

#endif
