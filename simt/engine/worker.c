/* SPDX-License-Identifier: Apache-2.0 */
/* Functions on a worker that all parts of the engine use. */
#include "simt/engine/worker.h"

#include "core/base/clock.h"
#include "simt/engine/warp_undefined.h"
#include "simt/lanes/lanes.h"

#include <stdlib.h>

/* ---- the build of the loops over 32 addresses ---- */

extern const struct warp_vector warp_vector_baseline;
extern const struct scalar_build scalar_build_baseline;
#ifdef LANES_WIDE_VARIANTS
extern const struct warp_vector warp_vector_avx2, warp_vector_avx512;
extern const struct scalar_build scalar_build_avx2, scalar_build_avx512;
#endif

/* The same as for the lane functions. */
static const struct warp_vector *warp_vector_choose(void)
{
    /* In the order of the lane functions' variants. */
    static const struct warp_vector *const builds[] = {
        &warp_vector_baseline,
#ifdef LANES_WIDE_VARIANTS
        &warp_vector_avx2,
        &warp_vector_avx512,
#endif
    };
    return builds[lanes_variant_chosen()];
}

const struct scalar_build *scalar_build_choose(void)
{
    static const struct scalar_build *const builds[] = {
        &scalar_build_baseline,
#ifdef LANES_WIDE_VARIANTS
        &scalar_build_avx2,
        &scalar_build_avx512,
#endif
    };
    return builds[lanes_variant_chosen()];
}

/* ---- the worker ---- */

void worker_thread(const struct run *run, uint32_t number, uint32_t thread[3])
{
    const uint32_t *block = run->launch->block;
    thread[0] = number % block[0];
    thread[1] = number / block[0] % block[1];
    thread[2] = number / block[0] / block[1];
}

/* Where the functions that the lane is in return to. */
static void find_returns(const struct warp *warp, uint32_t lane, uint32_t returns[CHECK_CALLS])
{
    uint32_t at = 0, count = 0;
    while (at < warp->path_count &&
           (warp->paths[at].state == WARP_PATH_FREE || warp->paths[at].state == WARP_PATH_FORKED ||
            !(warp->paths[at].mask >> lane & 1u)))
        at++;
    if (at == warp->path_count)
        return;
    for (uint32_t depth = warp->paths[at].depth; depth > 0 && count < CHECK_CALLS;
         at = warp->paths[at].parent)
        if (warp->paths[at].depth < depth) {
            returns[count++] = warp->paths[at].pc;
            depth = warp->paths[at].depth;
        }
}

struct check_report worker_report(const struct worker *worker, const struct warp *warp, enum check_kind kind,
                                  uint32_t pc, uint32_t lane)
{
    struct check_report report = {.kind = kind, .instruction = pc, .count = 1};
    find_returns(warp, lane, report.returns);
    for (int i = 0; i < 3; i++)
        report.block[i] = worker->block.index[i];
    worker_thread(worker->run, warp->index * WARP_LANES + lane, report.thread);
    return report;
}

/* Parts of the storage are aligned to this. */
#define PART_ALIGNMENT 64

static size_t part_bytes(uint64_t bytes)
{
    return (size_t)((bytes + PART_ALIGNMENT - 1) / PART_ALIGNMENT * PART_ALIGNMENT);
}

/* Sizes of the storage for a block of the run. They are limited by the checks of grid_run and of lower. */
struct worker_parts {
    size_t frame, local, local_bits, shared, shared_bits;
};

static struct worker_parts worker_parts(const struct run *run)
{
    uint64_t local_bytes = run->local_bytes * WARP_LANES;
    return (struct worker_parts){.frame = part_bytes(run->program->frame_bytes),
                                 .local = part_bytes(local_bytes),
                                 .local_bits = run->check ? part_bytes(local_bytes / 8 + 1) : 0,
                                 .shared = part_bytes(run->shared_bytes + 1),
                                 .shared_bits = run->check ? part_bytes(run->shared_bytes / 8 + 1) : 0};
}

static void worker_lay_out(struct worker *worker, const struct run *run, const struct worker_parts *parts)
{
    uint8_t *at = worker->storage;
    for (uint32_t i = 0; i < run->warps; i++) {
        struct warp *warp = &worker->warps[i];
        warp->index = i;
        warp->frame = at;
        warp->local = at + parts->frame;
        warp->local_written = run->check ? warp->local + parts->local : NULL;
        at += parts->frame + parts->local + parts->local_bits;
    }
    worker->block.shared = (struct memory_range){.size_bytes = run->shared_bytes, .bytes = at};
    worker->block.shared.initialised = run->check ? at + parts->shared : NULL;
}

static enum status worker_no_memory(const struct run *run, struct error *error)
{
    return error_set(
        error, STATUS_MEMORY,
        "There is no memory to run a block of %s: %u warps of %u bytes of registers and %llu of local "
        "memory. Use a smaller block, or close other programs.",
        run->program->entry->name, run->warps, run->program->frame_bytes,
        (unsigned long long)(run->local_bytes * WARP_LANES));
}

static enum status worker_prepare_checks(struct worker *worker, const struct run *run, struct error *error)
{
    enum status status = STATUS_OK;
    if (!run->races) {
        order_destroy(worker->order);
        shadow_destroy(worker->shadow);
        worker->order = NULL;
        worker->shadow = NULL;
        return STATUS_OK;
    }
    if (!worker->order)
        status = order_create(&worker->order, error);
    if (status == STATUS_OK && run->shared_bytes && !worker->shadow)
        status = shadow_create(&worker->shadow, true, SHADOW_LIMIT_BYTES, error);
    return status;
}

enum status worker_prepare_block(struct worker *worker, struct run *run, struct error *error)
{
    if (!worker->warps) {
        worker->warps = calloc(BLOCK_WARPS_MAX, sizeof *worker->warps);
        if (!worker->warps)
            return worker_no_memory(run, error);
    }
    struct worker_parts parts = worker_parts(run);
    size_t bytes =
        run->warps * (parts.frame + parts.local + parts.local_bits) + parts.shared + parts.shared_bits;
    if (bytes > worker->storage_bytes) {
        free(worker->storage);
        worker->storage_bytes = 0;
        worker->storage = aligned_alloc(PART_ALIGNMENT, bytes);
        if (!worker->storage)
            return worker_no_memory(run, error);
        worker->storage_bytes = bytes;
    }
    worker_lay_out(worker, run, &parts);
    return worker_prepare_checks(worker, run, error);
}

/* A launch that runs long enough keeps scalars from here on. */
static void scalars_begin(struct worker *worker, uint64_t executed)
{
    const struct run *const run = worker->run;
    worker->executed += executed;
    if (worker->scalars_wanted && worker->executed >= run->scalars_after) {
        worker->scalars_wanted = false;
        worker->scalars = scalars_create(worker);
    }
}

enum status worker_prepare(struct worker *worker, struct run *run, uint32_t index, struct error *error)
{
    worker->run = run;
    worker->index = index;
    worker->vector = warp_vector_choose();
    worker->l1 = NULL;
    worker->log = NULL;
    worker->caches = (struct cache_counts){0};
    check_begin(&worker->checks);
    worker->fault_block = UINT64_MAX;
    worker->unwatched = 0;
    worker->timer_ns = 0;
    worker->scalars = NULL;
    worker->scalar_build = scalar_build_choose();
    worker->executed = 0;
    worker->scalars_wanted = run->usual && !run->by_vectors;
    worker->looking = false;
    worker->looks_failed = worker->looks_paused = 0;
    enum status status = worker_prepare_block(worker, run, error);
    if (status == STATUS_OK) {
        worker->last_range = calloc(run->program->instruction_count, sizeof *worker->last_range);
        status = worker->last_range ? counter_init(&worker->counter, run->program, run->rules, error)
                                    : worker_no_memory(run, error);
    }
    if (status == STATUS_OK && run->check &&
        !(worker->defined = calloc(run->program->instruction_count, sizeof *worker->defined)))
        status = worker_no_memory(run, error);
    if (status == STATUS_OK && run->costliest)
        status = costliest_init(&worker->costliest, run->program, error);
    if (status == STATUS_OK)
        scalars_begin(worker, 0);
    else
        worker_finish(worker);
    return status;
}

void worker_finish(struct worker *worker)
{
    if (worker->defined)
        undefined_finish(worker);
    free(worker->last_range);
    worker->last_range = NULL;
    scalars_destroy(worker->scalars);
    worker->scalars = NULL;
    counter_fini(&worker->counter);
    counter_fini(&worker->spare);
    costliest_fini(&worker->costliest);
    worker->run = NULL;
}

void worker_drop_block(struct worker *worker)
{
    for (uint32_t i = 0; worker->warps && i < BLOCK_WARPS_MAX; i++)
        undefined_fini(&worker->warps[i]), warp_fini(&worker->warps[i]);
    free(worker->warps);
    free(worker->storage);
    shadow_destroy(worker->shadow);
    order_destroy(worker->order);
    worker->order = NULL;
    worker->warps = NULL;
    worker->storage = NULL;
    worker->storage_bytes = 0;
    worker->shadow = NULL;
}

void worker_fini(struct worker *worker)
{
    cluster_fini(&worker->alone);
    worker_drop_block(worker);
}

void run_report(struct run *run, bool over)
{
    struct grid_watch *watch = run->watch;
    int64_t now_ns = clock_monotonic_ns();
    if (!over && now_ns < watch->next_ns)
        return;
    struct progress progress = {.blocks = run->blocks, .elapsed_ns = now_ns - run->begun_ns, .over = over};
    for (uint32_t i = 0; i < run->workers; i++) {
        progress.ended += atomic_load_explicit(&run->lines[i].ended, memory_order_relaxed);
        progress.executed += atomic_load_explicit(&run->lines[i].executed, memory_order_relaxed);
    }
    watch->next_ns = now_ns + GRID_WATCH_NS;
    run->watched = true;
    watch->progress(watch->owner, &progress);
}

void worker_publish(struct worker *worker, bool ended)
{
    struct run *run = worker->run;
    struct run_line *line = &run->lines[worker->index];
    uint64_t executed = worker->block.executed - worker->block.looked;
    worker->block.looked = worker->block.executed;
    scalars_begin(worker, executed);
    atomic_store_explicit(&line->executed,
                          atomic_load_explicit(&line->executed, memory_order_relaxed) + executed,
                          memory_order_relaxed);
    if (ended)
        atomic_store_explicit(&line->ended, atomic_load_explicit(&line->ended, memory_order_relaxed) + 1,
                              memory_order_relaxed);
    if (!run->watch || worker->index > 0)
        return;
    worker->unwatched += (uint32_t)executed;
    if (worker->unwatched >= WORKER_LOOKS) { /* reading the clock costs as much as a small block */
        worker->unwatched = 0;
        run_report(run, false);
    }
}

bool worker_must_stop(struct worker *worker)
{
    const struct run *run = worker->run;
    worker_publish(worker, false);
    return (run->cancel && atomic_load_explicit(run->cancel, memory_order_relaxed)) ||
           atomic_load_explicit(&run->out_of_memory, memory_order_relaxed) ||
           atomic_load_explicit(&run->first_fault, memory_order_relaxed) < worker->block.number;
}
