/* SPDX-License-Identifier: Apache-2.0 */
/* Launches: checks the limits of the device, prepares the state that workers share, and adds up their
 * results. */
#include "simt/engine/grid.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/hardware/device_sheet.h"
#include "simt/engine/batch.h"
#include "simt/engine/nested.h"
#include "simt/engine/stepper.h"
#include "simt/engine/worker.h"
#include "simt/memory/heap.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- threads ---- */

/*
 * A pool of threads: pool_run calls one function on the calling thread and on all threads that wake while the
 * job runs. The pool is made once; its threads are started at first use and end with it. One thread calls
 * pool_ready and pool_run.
 *
 * One mutex protects everything. Jobs are numbered, so that a thread that wakes late sees that its job is
 * over.
 */

struct pool;

struct pool_thread {
    struct pool *pool;
    uint32_t index;
    pthread_t thread;
};

struct pool {
    pthread_mutex_t mutex;
    pthread_cond_t wake, done;
    struct pool_thread *threads;
    uint32_t most, started; /* threads besides the caller's: maximum; started */
    uint64_t job;
    bool open, ends; /* threads may join the job; the pool must end */
    uint32_t wanted, inside;
    void (*work)(void *argument, uint32_t index);
    void *argument;
};

/* workers: includes the calling thread, at least 1. */
static enum status pool_create(struct pool **pool, uint32_t workers, struct error *error)
{
    struct pool *made = calloc(1, sizeof *made);
    struct pool_thread *threads = calloc(workers ? workers : 1, sizeof *threads);
    if (!made || !threads) {
        free(made);
        free(threads);
        return error_no_memory(error, "for %u workers", workers);
    }
    made->threads = threads;
    made->most = workers ? workers - 1 : 0;
    pthread_mutex_init(&made->mutex, NULL);
    pthread_cond_init(&made->wake, NULL);
    pthread_cond_init(&made->done, NULL);
    *pool = made;
    return STATUS_OK;
}

static void *pool_thread_main(void *argument)
{
    struct pool_thread *self = argument;
    struct pool *pool = self->pool;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->mutex);
    for (;;) {
        while (!pool->ends && (pool->job == seen || !pool->open || self->index > pool->wanted))
            pthread_cond_wait(&pool->wake, &pool->mutex);
        if (pool->ends)
            break;
        seen = pool->job;
        pool->inside++;
        pthread_mutex_unlock(&pool->mutex);
        pool->work(pool->argument, self->index);
        pthread_mutex_lock(&pool->mutex);
        if (--pool->inside == 0)
            pthread_cond_signal(&pool->done);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

/* Signals to the process are not delivered to these threads; their own faults are, to the handler that there is. */
static void pool_start(struct pool *pool, uint32_t count)
{
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool->started < count) {
        struct pool_thread *thread = &pool->threads[pool->started];
        *thread = (struct pool_thread){.pool = pool, .index = pool->started + 1};
        if (pthread_create(&thread->thread, NULL, pool_thread_main, thread) != 0)
            break; /* continue with fewer threads */
        pool->started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Starts threads until there are `others` of them; returns how many there are, at most `others`. */
static uint32_t pool_ready(struct pool *pool, uint32_t others)
{
    others = others < pool->most ? others : pool->most;
    if (pool->started < others) {
        pthread_mutex_lock(&pool->mutex);
        pool_start(pool, others);
        pthread_mutex_unlock(&pool->mutex);
    }
    return others < pool->started ? others : pool->started;
}

/*
 * Calls work(argument, 0) on this thread, and work(argument, i) with i from 1 to `others` on threads of the
 * pool that join in time. When one of the calls returns, the whole work must be complete: threads that join
 * later make no call. Returns when all calls have returned. others: at most the result of pool_ready.
 */
static void pool_run(struct pool *pool, uint32_t others, void (*work)(void *argument, uint32_t index),
                     void *argument)
{
    if (others > 0) {
        pthread_mutex_lock(&pool->mutex);
        pool->work = work;
        pool->argument = argument;
        pool->wanted = others;
        pool->open = true;
        pool->job++;
        pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->mutex);
    }
    work(argument, 0);
    if (others > 0) {
        pthread_mutex_lock(&pool->mutex);
        pool->open = false;
        while (pool->inside > 0)
            pthread_cond_wait(&pool->done, &pool->mutex);
        pthread_mutex_unlock(&pool->mutex);
    }
}

static void pool_destroy(struct pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->mutex);
    pool->ends = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
    for (uint32_t i = 0; i < pool->started; i++)
        pthread_join(pool->threads[i].thread, NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
    free(pool->threads);
    free(pool);
}

/* ---- launches ---- */

/* A grid of fewer warps runs on the calling thread only: it ends before another thread has woken. */
#define WARPS_WORTH_A_THREAD 64
#define WORKERS_MAX 256
#define POLLS_AT_ONCE 1024
#define CLUSTER_CAPABILITY 90
#define SHARED_RESERVED_BYTES 1024 /* CUDA C++ Programming Guide, shared memory from 8.0 on */

struct grid_pool {
    struct pool *threads;
    struct worker *workers;
    struct run_line *lines;
    uint32_t worker_count;
    struct batch_multiprocessor *multiprocessors;
    struct cache_log **logs[2]; /* alternating between batches */
    uint32_t multiprocessor_count;
    uint64_t launches;
    struct races races;
    struct undefined *undefined; /* NULL: no launch was checked */
    uint8_t *frame;              /* of the last launch, of at least frame_bytes */
    size_t frame_bytes;
    uint32_t *thread_indices; /* of the last shape of a block: filling them takes as long as a small launch */
    uint32_t indices_block[3];
};

enum status grid_pool_create(struct grid_pool **pool, uint32_t workers, struct error *error)
{
    struct grid_pool *made = calloc(1, sizeof *made);
    if (!made)
        return error_no_memory(error, "for a modelled device");
    if (workers == 0) {
        long processors = sysconf(_SC_NPROCESSORS_ONLN);
        workers = processors > 0 ? (uint32_t)processors : 1;
    }
    made->worker_count = workers < WORKERS_MAX ? workers : WORKERS_MAX;
    made->workers = calloc(made->worker_count, sizeof *made->workers);
    made->lines = calloc(made->worker_count, sizeof *made->lines);
    enum status status = STATUS_OK;
    if (!made->workers || !made->lines)
        status = error_no_memory(error, "for %u workers", made->worker_count);
    else
        status = pool_create(&made->threads, made->worker_count, error);
    if (status != STATUS_OK) {
        grid_pool_destroy(made);
        return status;
    }
    *pool = made;
    return STATUS_OK;
}

void grid_pool_destroy(struct grid_pool *pool)
{
    if (!pool)
        return;
    pool_destroy(pool->threads);
    for (uint32_t i = 0; pool->workers && i < pool->worker_count; i++)
        worker_fini(&pool->workers[i]);
    for (uint32_t i = 0; i < pool->multiprocessor_count; i++) {
        cache_l1_destroy(pool->multiprocessors[i].l1);
        cache_log_destroy(pool->logs[0][i]);
        cache_log_destroy(pool->logs[1][i]);
    }
    shadow_destroy(pool->races.shadow);
    undefined_destroy(pool->undefined);
    order_launch_fini(&pool->races.launch);
    free(pool->workers);
    free(pool->lines);
    free(pool->multiprocessors);
    free(pool->logs[0]);
    free(pool->logs[1]);
    free(pool->thread_indices);
    free(pool->frame);
    free(pool);
}

struct shadow *grid_pool_shadow(struct grid_pool *pool)
{
    return pool->races.shadow;
}

struct undefined *grid_pool_undefined(struct grid_pool *pool)
{
    return pool->undefined;
}

/* Makes room for the caches of `count` multiprocessors. */

static enum status pool_make_multiprocessors(struct grid_pool *pool, uint32_t count, struct error *error)
{
    if (count <= pool->multiprocessor_count)
        return STATUS_OK;
    struct batch_multiprocessor *multiprocessors =
        realloc(pool->multiprocessors, count * sizeof *multiprocessors);
    bool made = multiprocessors != NULL;
    pool->multiprocessors = made ? multiprocessors : pool->multiprocessors;
    for (int i = 0; i < 2; i++) {
        struct cache_log **logs = realloc(pool->logs[i], count * sizeof(struct cache_log *));
        pool->logs[i] = logs ? logs : pool->logs[i];
        made = made && logs;
    }
    if (!made)
        return error_no_memory(error, "for the caches of %u multiprocessors", count);
    for (uint32_t i = pool->multiprocessor_count; i < count; i++) {
        pool->multiprocessors[i] = (struct batch_multiprocessor){0};
        pool->logs[0][i] = pool->logs[1][i] = NULL;
    }
    pool->multiprocessor_count = count;
    return STATUS_OK;
}

/* ---- limits of the device ---- */
static enum status grid_check_shape(const struct grid_machine *machine, const struct grid_launch *launch,
                                    struct error *error)
{
    const uint32_t capability = machine->info->compute_capability;
    const uint32_t *grid_most = device_limit_sizes(DEVICE_LIMIT_GRID, capability),
                   *block_most = device_limit_sizes(DEVICE_LIMIT_BLOCK, capability);
    const char *kernel = launch->program->entry->name;
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++) {
        if (launch->grid[i] == 0 || launch->grid[i] > grid_most[i]) {
            return error_set(error, STATUS_USAGE, "%s: a grid has 1 to %u blocks along %c on %s, not %u.",
                             kernel, grid_most[i], "xyz"[i], machine -> info -> name, launch -> grid[i]);
        }
        if (launch->block[i] == 0 || launch->block[i] > block_most[i]) {
            return error_set(error, STATUS_USAGE, "%s: a block has 1 to %u threads along %c, not %u.", kernel,
                             block_most[i], "xyz"[i], launch -> block[i]);
        }
        threads *= launch->block[i];
    }
    uint32_t most = machine->info->max_threads_per_block;
    most = most && most < BLOCK_WARPS_MAX * WARP_LANES ? most : BLOCK_WARPS_MAX * WARP_LANES;
    if (threads > most) {
        return error_set(error, STATUS_USAGE,
                         "%s: a block has at most %u threads on %s, not %llu: make it smaller.", kernel, most,
                         machine->info->name, (unsigned long long)threads);
    }
    return STATUS_OK;
}

/* .maxntid and .reqntid. */
static enum status grid_check_bounds(const struct grid_launch *launch, struct error *error)
{
    const struct ptx_function *entry = launch->program->entry;
    const uint32_t *block = launch->block, *required = entry->required_threads;
    uint64_t threads = (uint64_t)block[0] * block[1] * block[2], most = 1;
    for (int i = 0; i < 3; i++) {
        most *= entry->max_threads[i] ? entry->max_threads[i] : 1;
        if (required[0] && block[i] != (required[i] ? required[i] : 1)) {
            return error_set(error, STATUS_USAGE, "%s was compiled only for blocks of %u x %u x %u threads.",
                             entry->name, required[0], required[1] ? required[1] : 1,
                             required[2] ? required[2] : 1);
        }
    }
    if (entry->max_threads[0] && threads > most) {
        return error_set(error, STATUS_USAGE,
                         "%s was compiled for at most %llu threads per block (__launch_bounds__), not %llu.",
                         entry->name, (unsigned long long)most, (unsigned long long)threads);
    }
    return STATUS_OK;
}

static enum status grid_check_memory(const struct grid_machine *machine, const struct grid_launch *launch,
                                     struct error *error)
{
    const struct program *program = launch->program;
    uint64_t shared_bytes = program->dynamic_shared_offset + launch->dynamic_shared_bytes;
    uint64_t most = machine->info->shared_bytes_per_block_optin;
    most = most ? most : machine->info->shared_bytes_per_block;
    shared_bytes = shared_bytes > program->static_shared_bytes ? shared_bytes : program->static_shared_bytes;
    if (shared_bytes > most) {
        return error_set(
            error, STATUS_USAGE,
            "%s: a block has at most %llu bytes of shared memory on %s, not %llu: use a smaller tile.",
            program->entry->name, (unsigned long long)most, machine->info->name,
            (unsigned long long)shared_bytes);
    }
    if (program->local_bytes_per_thread > MEMORY_WINDOW_BYTES) {
        return error_set(error, STATUS_USAGE,
                         "%s: a thread has at most %llu bytes of local memory, not %llu.",
                         program->entry->name, (unsigned long long)MEMORY_WINDOW_BYTES,
                         (unsigned long long)program->local_bytes_per_thread);
    }
    return STATUS_OK;
}

/* The clusters of a launch: as the kernel was compiled (.reqnctapercluster), else as launched, else of one
 * block. */
static void clusters_of(const struct grid_launch *launch, uint32_t cluster[3])
{
    const uint32_t *compiled = launch->program->entry->cluster;
    for (int i = 0; i < 3; i++) {
        cluster[i] = compiled[0] ? compiled[i] : launch->cluster[i];
        cluster[i] = cluster[i] ? cluster[i] : 1;
    }
}

static enum status grid_check_clusters(const struct grid_machine *machine, const struct grid_launch *launch,
                                       struct error *error)
{
    const struct ptx_function *entry = launch->program->entry;
    uint32_t cluster[3];
    clusters_of(launch, cluster);
    if (entry->blocks_are_clusters)
        return error_set(
            error, STATUS_UNSUPPORTED,
            "%s was compiled with .blocksareclusters (__block_size__): the model does not launch "
            "grids of clusters. Compile it with __cluster_dims__.",
            entry->name);
    if (cluster[0] == 1 && cluster[1] == 1 && cluster[2] == 1)
        return STATUS_OK;
    if (machine->info->compute_capability < CLUSTER_CAPABILITY)
        return error_set(
            error, STATUS_UNSUPPORTED,
            "%s is launched in clusters of blocks, which need compute capability 9.0; %s has none: "
            "choose a newer --model.",
            entry->name, machine->info->name);
    for (int i = 0; i < 3; i++) {
        if (launch->cluster[0] && launch->cluster[i] != cluster[i])
            return error_set(
                error, STATUS_USAGE,
                "%s was compiled for clusters of %u x %u x %u blocks (__cluster_dims__), not for %u "
                "along %c.",
                entry->name, cluster[0], cluster[1], cluster[2], launch->cluster[i], "xyz"[i]);
        if (launch->grid[i] % cluster[i])
            return error_set(
                error, STATUS_USAGE,
                "%s: the grid has %u blocks along %c, which is not a multiple of the %u of a cluster.",
                entry->name, launch->grid[i], "xyz"[i], cluster[i]);
    }
    if (cluster[0] > MEMORY_CLUSTER_BLOCKS || cluster[1] > MEMORY_CLUSTER_BLOCKS ||
        cluster[2] > MEMORY_CLUSTER_BLOCKS || cluster[0] * cluster[1] * cluster[2] > MEMORY_CLUSTER_BLOCKS)
        return error_set(error, STATUS_USAGE, "%s: a cluster has at most %d blocks, not %u x %u x %u.",
                         entry->name, MEMORY_CLUSTER_BLOCKS, cluster[0], cluster[1], cluster[2]);
    return STATUS_OK;
}

static enum status grid_check(const struct grid_machine *machine, const struct grid_launch *launch,
                              struct error *error)
{
    enum status status = grid_check_shape(machine, launch, error);
    if (status == STATUS_OK)
        status = grid_check_bounds(launch, error);
    if (status == STATUS_OK)
        status = grid_check_memory(machine, launch, error);
    if (status == STATUS_OK)
        status = grid_check_clusters(machine, launch, error);
    uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    if (status == STATUS_OK && launch->cooperative && launch->resident_blocks &&
        blocks > launch->resident_blocks) {
        return error_set(error, STATUS_USAGE,
                         "%s: a cooperative launch has all its blocks on the device at once, but the "
                         "device holds %llu of this size, not %llu: use a smaller grid.",
                         launch->program->entry->name, (unsigned long long)launch->resident_blocks,
                         (unsigned long long)blocks);
    }
    return status;
}

/* ---- shared state of the workers ---- */
static void lanes_fill(uint8_t *frame, uint32_t slot, uint32_t bytes, uint64_t value)
{
    for (int lane = 0; lane < WARP_LANES; lane++)
        if (bytes == 8)
            ((uint64_t *)(void *)(frame + slot))[lane] = value;
        else
            ((uint32_t *)(void *)(frame + slot))[lane] = (uint32_t)value;
}

/* %lanemask_..: the lanes on one side of each lane. */
static void lane_masks_fill(uint8_t *frame, uint32_t slot, enum program_special special)
{
    uint32_t *lanes = (uint32_t *)(void *)(frame + slot);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        uint32_t own = 1u << lane, below = own - 1;
        switch (special) {
        case SPECIAL_LANEID: lanes[lane] = lane; break;
        case SPECIAL_LANEMASK_EQ: lanes[lane] = own; break;
        case SPECIAL_LANEMASK_LE: lanes[lane] = below | own; break;
        case SPECIAL_LANEMASK_LT: lanes[lane] = below; break;
        case SPECIAL_LANEMASK_GE: lanes[lane] = ~below; break;
        default: lanes[lane] = ~(below | own); break;
        }
    }
}

/* Special registers that are the same in all blocks and warps. */
static void frame_fill_special(const struct grid_machine *machine, const struct run *run, uint8_t *frame,
                               const struct program_special_slot *special)
{
    const struct grid_launch *launch = run->launch;
    uint64_t value;
    uint32_t bytes = 4;
    switch (special->special) {
    case SPECIAL_NTID_X:
    case SPECIAL_NTID_Y:
    case SPECIAL_NTID_Z: value = launch->block[special->special - SPECIAL_NTID_X]; break;
    case SPECIAL_NCTAID_X:
    case SPECIAL_NCTAID_Y:
    case SPECIAL_NCTAID_Z: value = launch->grid[special->special - SPECIAL_NCTAID_X]; break;
    case SPECIAL_NCLUSTERID_X:
    case SPECIAL_NCLUSTERID_Y:
    case SPECIAL_NCLUSTERID_Z: {
        uint32_t axis = special->special - SPECIAL_NCLUSTERID_X;
        value = launch->grid[axis] / run->cluster[axis];
        break;
    }
    case SPECIAL_CLUSTER_NCTAID_X:
    case SPECIAL_CLUSTER_NCTAID_Y:
    case SPECIAL_CLUSTER_NCTAID_Z: value = run->cluster[special->special - SPECIAL_CLUSTER_NCTAID_X]; break;
    case SPECIAL_CLUSTER_NCTARANK: value = run->cluster[0] * run->cluster[1] * run->cluster[2]; break;
    case SPECIAL_IS_EXPLICIT_CLUSTER: {
        uint32_t all = launch->cluster[0] || launch->program->entry->cluster[0] ? WARP_ALL_LANES : 0;
        memcpy(frame + special->slot, &all, sizeof all);
        return;
    }
    case SPECIAL_NWARPID: value = run->warps; break;
    case SPECIAL_NSMID: value = machine->info->multiprocessors; break;
    case SPECIAL_GRIDID:
        value = machine->pool->launches;
        bytes = 8;
        break;
    case SPECIAL_DYNAMIC_SMEM_SIZE: value = launch->dynamic_shared_bytes; break;
    case SPECIAL_TOTAL_SMEM_SIZE: value = run->reserved_at ? run->reserved_at : run->shared_bytes; break;
    case SPECIAL_RESERVED_SMEM: value = run->reserved_at; break;
    case SPECIAL_ENVREG1: value = run->workspace >> 32; break;
    case SPECIAL_ENVREG2: value = run->workspace; break;
    case SPECIAL_LANEID:
    case SPECIAL_LANEMASK_EQ:
    case SPECIAL_LANEMASK_LE:
    case SPECIAL_LANEMASK_LT:
    case SPECIAL_LANEMASK_GE:
    case SPECIAL_LANEMASK_GT: lane_masks_fill(frame, special->slot, special->special); return;
    default: return; /* differs by block or warp */
    }
    lanes_fill(frame, special->slot, bytes, value);
}

static void frame_fill(const struct grid_machine *machine, const struct run *run, uint8_t *frame)
{
    const struct program *program = run->program;
    for (uint32_t i = 0; i < program->constant_count; i++) {
        const struct program_constant *constant = &program->constants[i];
        if (constant->bytes == 1)
            memcpy(frame + constant->slot, &(uint32_t){constant->bits ? UINT32_MAX : 0}, sizeof(uint32_t));
        else
            lanes_fill(frame, constant->slot, constant->bytes, constant->bits);
    }
    for (uint32_t i = 0; i < program->special_count; i++)
        frame_fill_special(machine, run, frame, &program->specials[i]);
}

static enum status thread_indices_make(struct run *run, struct grid_pool *pool, struct error *error)
{
    const uint32_t *block = run->launch->block;
    if (!pool->thread_indices &&
        !(pool->thread_indices = malloc(sizeof(uint32_t[BLOCK_WARPS_MAX][3][WARP_LANES]))))
        return error_no_memory(error, "for the indices of threads");
    uint32_t *const indices = pool->thread_indices;
    run->thread_indices = indices;
    if (memcmp(pool->indices_block, block, sizeof pool->indices_block) == 0)
        return STATUS_OK;
    memcpy(pool->indices_block, block, sizeof pool->indices_block);
    uint32_t at[3] = {0};
    for (uint32_t thread = 0; thread < run->warps * WARP_LANES; thread++) {
        for (uint32_t axis = 0; axis < 3; axis++)
            indices[(thread / WARP_LANES * 3 + axis) * WARP_LANES + thread % WARP_LANES] = at[axis];
        for (int axis = 0; axis < 3 && ++at[axis] == block[axis]; axis++)
            at[axis] = 0;
    }
    return STATUS_OK;
}

static bool program_reads(const struct program *program, enum program_special special)
{
    for (uint32_t i = 0; i < program->special_count; i++)
        if (program->specials[i].special == special)
            return true;
    return false;
}

/* The data that cooperative_groups' grid finds by %envreg1 and 2: a size and a barrier, both words. An H200
 * has them in every launch. */
static enum status workspace_make(struct run *run, const struct grid_machine *machine, struct error *error)
{
    const uint32_t words[4] = {sizeof words};
    uint8_t *bytes;
    if (!program_reads(run->program, SPECIAL_ENVREG2))
        return STATUS_OK;
    enum status status = memory_alloc(machine->memory, sizeof words, &run->workspace, error);
    if (status == STATUS_OK)
        status = memory_access(machine->memory, run->workspace, sizeof words, true, &bytes, error);
    if (status == STATUS_OK)
        memcpy(bytes, words, sizeof words);
    return status;
}

/* The pool's storage for the frame and parameters of a launch. */
static uint8_t *pool_frame(struct grid_pool *pool, size_t bytes)
{
    if (bytes > pool->frame_bytes) {
        free(pool->frame);
        pool->frame = aligned_alloc(64, bytes);
        pool->frame_bytes = pool->frame ? bytes : 0;
    }
    return pool->frame;
}

/* run->frame holds the frame and parameters, in the pool's storage. */
static enum status run_init(struct run *run, const struct grid_machine *machine,
                            const struct grid_launch *launch, struct error *error)
{
    const struct program *program = launch->program;
    uint64_t dynamic_end = program->dynamic_shared_offset + launch->dynamic_shared_bytes;
    *run = (struct run){.launch = launch,
                        .program = program,
                        .memory = machine->memory,
                        .heap = machine->heap,
                        .rules = machine->rules,
                        .constants = module_constants(launch->module),
                        .cycle_ns = machine->info->core_clock_khz ? 1e6 / machine->info->core_clock_khz : 1,
                        .threads = launch->block[0] * launch->block[1] * launch->block[2],
                        .blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2],
                        .uncounted = machine->uncounted,
                        .costliest = machine->costliest && !machine->uncounted,
                        .check = machine->check,
                        .by_lanes = machine->by_lanes,
                        .by_vectors = machine->by_vectors,
                        .scalars_after = machine->scalars_after ? machine->scalars_after - 1 : SCALARS_AFTER,
                        .cancel = machine->cancel,
                        .capture = machine->capture,
                        .lines = machine->pool->lines,
                        .watch = machine->watch,
                        .begun_ns = machine->watch ? clock_monotonic_ns() : 0};
    run->usual = !run->check && !run->capture && !run->by_lanes && !machine->l1_lines &&
                 (run->uncounted || count_knows_usual(run->rules));
    clusters_of(launch, run->cluster);
    run->reverse = machine->reverse && run->cluster[0] * run->cluster[1] * run->cluster[2] == 1;
    run->warps = (run->threads + WARP_LANES - 1) / WARP_LANES;
    bool dynamic = dynamic_end > program->static_shared_bytes && launch->dynamic_shared_bytes;
    run->shared_bytes = dynamic ? dynamic_end : program->static_shared_bytes;
    run->stack_bytes = machine->stack_bytes ? machine->stack_bytes : GRID_STACK_BYTES;
    run->local_bytes = (program->local_bytes_per_thread + 3) / 4 * 4;
    if (program->recursive)
        run->local_bytes += (run->stack_bytes + 15u) / 16 * 16;
    run->polls_at_once = cooperative_is(run) ? COOPERATIVE_POLLS_AT_ONCE : POLLS_AT_ONCE;
    if (program_reads(program, SPECIAL_RESERVED_SMEM)) {
        run->reserved_at = (uint32_t)(run->shared_bytes + 15) / 16 * 16;
        run->shared_bytes = run->reserved_at + SHARED_RESERVED_BYTES;
    }
    bool worth = !machine->stepper && !cooperative_is(run) && !machine->check && run->blocks > 1 &&
                 run->blocks * run->warps >= WARPS_WORTH_A_THREAD;
    uint64_t workers = worth ? machine->pool->worker_count : 1;
    workers = workers < run->blocks ? workers : run->blocks;
    run->workers = 1 + pool_ready(machine->pool->threads, (uint32_t)workers - 1);
    run->alone = run->workers == 1;
    for (uint32_t i = 0; i < run->workers; i++) {
        atomic_init(&run->lines[i].running, UINT64_MAX);
        atomic_init(&run->lines[i].ended, 0);
        atomic_init(&run->lines[i].executed, 0);
    }
    atomic_init(&run->first_fault, UINT64_MAX);
    atomic_init(&run->out_of_memory, false);
    atomic_init(&run->turns, false);

    size_t frame_bytes = ((size_t)program->frame_bytes + 63) / 64 * 64;
    size_t parameter_bytes = (size_t)(program->parameter_bytes + 63) / 64 * 64;
    uint8_t *bytes = pool_frame(machine->pool, frame_bytes + parameter_bytes + 64);
    if (!bytes)
        return error_no_memory(error, "to launch %s", program->entry->name);
    enum status status = thread_indices_make(run, machine->pool, error);
    if (status == STATUS_OK)
        status = workspace_make(run, machine, error);
    if (status != STATUS_OK)
        return status;
    memset(bytes, 0, frame_bytes);
    run->frame = bytes;
    run->parameters =
        (struct memory_range){.size_bytes = program->parameter_bytes, .bytes = bytes + frame_bytes};
    frame_fill(machine, run, bytes);
    if (program->parameter_bytes)
        memcpy(run->parameters.bytes, launch->parameters, program->parameter_bytes);
    return STATUS_OK;
}

/* ---- the launch ---- */
struct grid_work {
    struct batches batches;
    struct worker *workers;
    struct run *run;
};

static void grid_work(void *argument, uint32_t index)
{
    struct grid_work *work = argument;
    if (index > 0 && worker_prepare(&work->workers[index], work->run, index, NULL) != STATUS_OK) {
        atomic_store(&work->run->out_of_memory, true); /* others may wait for a block of this worker's hand */
        return;
    }
    if (cooperative_is(work->run))
        cooperative_work(&work->batches, &work->workers[index]);
    else
        batches_work(&work->batches, &work->workers[index]);
}

/* Adds the results of one worker. */
static void result_add(struct grid_result *result, struct worker *worker)
{
    scalars_settle(worker);
    counter_settle(&worker->counter);
    if (!result->counter.program) /* the first one's counts are the sum so far */
        counter_take(&result->counter, &worker->counter);
    else
        counter_add(&result->counter, &worker->counter);
    if (worker->run->costliest)
        costliest_merge(&result->costliest, &worker->costliest);
    cache_counts_add(&result->caches, &worker->caches);
    result->timer_ns = worker->timer_ns > result->timer_ns ? worker->timer_ns : result->timer_ns;
    check_merge(&result->checks, &worker->checks);
}

/* ---- the device runtime (PTX_RUNTIME_LIST) ---- */
#define RUNTIME_BIT(id) (UINT32_C(1) << PTX_RUNTIME_##id)
#define RUNTIME_NESTED                                                                    \
    (RUNTIME_BIT(NESTED_BUFFER) | RUNTIME_BIT(NESTED_LAUNCH) | RUNTIME_BIT(NESTED_COPY) | \
     RUNTIME_BIT(NESTED_SET))
#define RUNTIME_TEXTS (RUNTIME_BIT(ERROR_STRING) | RUNTIME_BIT(ERROR_NAME))

static enum status runtime_begin(struct run *run, const struct grid_machine *machine, struct error *error)
{
    const struct program *program = run->program;
    uint8_t *texts;
    enum status status = STATUS_OK;
    print_log_init(&run->printed);
    print_log_init(&run->asserted);
    if (program->uses_runtime & RUNTIME_NESTED)
        status = nested_create(&run->nested, machine->memory, program->module, error);
    if (status == STATUS_OK && program->uses_runtime & RUNTIME_TEXTS) {
        const uint64_t bytes = 2 * RUNTIME_ERRORS * RUNTIME_TEXT_BYTES;
        status = memory_alloc(machine->memory, bytes, &run->runtime_texts, error);
        if (status == STATUS_OK)
            status = memory_access(machine->memory, run->runtime_texts, bytes, true, &texts, error);
        if (status == STATUS_OK)
            runtime_texts_fill(texts);
    }
    return status;
}

static enum status runtime_end(struct run *run, const struct grid_machine *machine, enum status status,
                               struct grid_result *result, struct error *error)
{
    bool kept =
        print_log_take(&run->printed, &result->printed) && print_log_take(&run->asserted, &result->asserted);
    if (status == STATUS_OK && !kept)
        status = error_no_memory(error, "for what %s prints", run->program->entry->name);
    if (status == STATUS_OK && run->nested)
        status = nested_take(run->nested, &result->children, &result->child_count, error);
    print_log_fini(&run->printed);
    print_log_fini(&run->asserted);
    nested_destroy(run->nested);
    if (run->workspace)
        memory_free(machine->memory, run->workspace, NULL);
    if (run->runtime_texts)
        memory_free(machine->memory, run->runtime_texts, NULL);
    return status;
}

static enum status result_status(const struct run *run, struct grid_result *result,
                                 const struct check_report *fault, struct error *error)
{
    if (fault) {
        char text[sizeof error->text];
        check_add(&result->checks, fault);
        check_text(run->program, fault, text, sizeof text);
        return error_set(error, STATUS_CHECK, "%s", text);
    }
    if (atomic_load(&run->out_of_memory))
        return error_no_memory(error, "to run %s on the model", run->program->entry->name);
    if (run->cancel && atomic_load(run->cancel)) {
        return error_set(error, STATUS_STATE, "%s was cancelled before its end: its results are incomplete.",
                         run->program->entry->name);
    }
    return STATUS_OK;
}

/* One worker runs a checked launch: which of two accesses of a race comes second does not depend on the
 * machine. */
static enum status races_begin(struct run *run, const struct grid_machine *machine,
                               const struct grid_launch *launch, struct error *error)
{
    struct races *races = &machine->pool->races;
    enum status status = STATUS_OK;
    uint32_t number = launch->number ? launch->number : (uint32_t)machine->pool->launches;
    if (machine->check && !machine->pool->undefined)
        status = undefined_create(&machine->pool->undefined, error);
    if (status != STATUS_OK)
        return status;
    run->undefined = machine->pool->undefined;
    if (machine->check && machine->heap)
        run->heap_range = heap_range(machine->heap);
    if (run->undefined)
        undefined_launch_begins(run->undefined);
    if (!machine->check || number >= SHADOW_RUNS_MAX ||
        launch->program->instruction_count >= SHADOW_INSTRUCTIONS_MAX)
        return STATUS_OK;
    if (!races->shadow)
        status = shadow_create(&races->shadow, false, SHADOW_LIMIT_BYTES, error);
    if (status != STATUS_OK)
        return status;
    races->launch.run = number;
    races->launch.first = launch->past ? launch->first : number;
    races->launch.past = launch->past;
    races->launch.claims = launch->claims;
    races->launch.claim_count = launch->claim_count;
    order_launch_begin(&races->launch);
    run->races = races;
    return STATUS_OK;
}

static void races_end(const struct run *run, const struct grid_machine *machine, uint64_t unwatched,
                      struct check_result *checks)
{
    if (run->races) {
        checks->unwatched += shadow_unwatched(run->races->shadow) - unwatched;
        checks->widened |= run->races->launch.known.widened;
    } else if (machine->check) {
        checks->unwatched++;
    }
}

static void grid_add_up(const struct grid_machine *machine, struct grid_work *work,
                        struct grid_result *result, const struct check_report **fault)
{
    uint64_t first = atomic_load(&work->run->first_fault);
    for (uint32_t i = 0; i < work->run->workers; i++) {
        struct worker *worker = &work->workers[i];
        if (worker->run != work->run)
            continue; /* it joined too late and did nothing */
        result_add(result, worker);
        if (worker->fault_block == first && first != UINT64_MAX)
            *fault = &worker->fault;
        worker_finish(worker);
    }
    costliest_sort(&result->costliest);
    for (uint32_t i = 0; machine->l2 && i < machine->info->multiprocessors; i++) {
        for (int j = 0; j < 2; j++) {
            const struct cache_log *log = machine->pool->logs[j][i];
            result->caches_failed |= log && cache_log_failed(log);
        }
    }
}

enum status grid_run(const struct grid_machine *machine, const struct grid_launch *launch,
                     struct grid_result *result, struct error *error)
{
    struct grid_pool *pool = machine->pool;
    uint32_t multiprocessors = machine->info->multiprocessors ? machine->info->multiprocessors : 1;
    const struct check_report *fault = NULL;
    struct run run;
    memset(result, 0, offsetof(struct grid_result, checks));
    check_begin(&result->checks);
    enum status status = grid_check(machine, launch, error);
    if (status == STATUS_OK && machine->costliest)
        status = costliest_init(&result->costliest, launch->program, error);
    if (status == STATUS_OK)
        status = pool_make_multiprocessors(pool, multiprocessors, error);
    if (status != STATUS_OK)
        return status;
    pool->launches++;
    status = run_init(&run, machine, launch, error);
    if (status != STATUS_OK)
        return status;
    struct grid_work work = {.run = &run, .workers = pool->workers};
    status = runtime_begin(&run, machine, error);
    if (status == STATUS_OK)
        status = races_begin(&run, machine, launch, error);
    uint64_t unwatched = run.races ? shadow_unwatched(run.races->shadow) : 0;
    if (status == STATUS_OK)
        status = worker_prepare(&pool->workers[0], &run, 0, error);
    if (status == STATUS_OK) {
        if (machine->l2)
            cache_l2_launch(machine->l2);
        work.batches = (struct batches){.run = &run,
                                        .l2 = machine->l2,
                                        .multiprocessors = pool->multiprocessors,
                                        .logs = {pool->logs[0], pool->logs[1]},
                                        .multiprocessor_count = multiprocessors,
                                        .l1_bytes = machine->l1_bytes,
                                        .l1_lines = machine->l1_lines,
                                        .launch = pool->launches};
        run.batches = &work.batches;
        batches_begin(&work.batches);
        run.stepper = stepper_begin(machine->stepper, &run);
        pool_run(pool->threads, run.workers - 1, grid_work, &work);
        if (atomic_load(&run.turns))
            cooperative_take_over(&work.batches, &pool->workers[0]);
        batches_fini(&work.batches);
        if (run.watched || (run.watch && run.cancel && atomic_load(run.cancel)))
            run_report(&run, true);
    }
    grid_add_up(machine, &work, result, &fault);
    if (!result->counter.program && status == STATUS_OK)
        status = counter_init(&result->counter, launch->program, machine->rules, error);
    races_end(&run, machine, unwatched, &result->checks);
    if (run.stepper)
        stepper_end(run.stepper, fault);
    if (status == STATUS_OK)
        status = result_status(&run, result, fault, error);
    check_finish(run.program, &result->checks);
    status = runtime_end(&run, machine, status, result, error);
    return status;
}

void grid_result_fini(struct grid_result *result)
{
    for (uint32_t i = 0; i < result->child_count; i++)
        free(result->children[i].parameters);
    free(result->children);
    free(result->printed.bytes);
    free(result->asserted.bytes);
    costliest_fini(&result->costliest);
    counter_fini(&result->counter);
}
