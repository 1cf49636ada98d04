/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sync-loop: barriers in loops. A loop whose bound is no multiple of the block, with the guard that keeps all
 * threads at its barriers; and loops that end when no thread of the block has work any more, by a flag in
 * shared memory and by barriers that vote.
 *
 * How many turns a block of the second kind makes depends on its words; their values come from the same steps
 * on the host. Exact.
 */
#include "workloads/frame/single.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#define BLOCK 256 /* as in sync_loop.cu */

enum { PARAM_SHARE, PARAM_BLOCKS };
enum { TAG_GUARDED, TAG_FLAG, TAG_OR, TAG_AND, TAG_COUNT };

static const struct workload_param params[] = {
    [PARAM_SHARE] = {.name = "share",
                     .meaning = "words of a block (guarded)",
                     .unit = "words",
                     .minimum = 1,
                     .maximum = 1 << 12,
                     .standard = 1000,
                     .step = 100},
    [PARAM_BLOCKS] = {.name = "blocks",
                      .meaning = "blocks of 256 threads; 0: by the size of the device",
                      SIZE_UP_TO(1 << 14, "blocks")},
};

static uint64_t share_of(const struct workload_case *c)
{
    return (uint64_t)c->params.value[PARAM_SHARE];
}

static uint64_t share_turns(const struct workload_case *c)
{
    return (share_of(c) + BLOCK - 1) / BLOCK;
}

/* The words of turn i. */
static uint64_t turn_words(const struct workload_case *c, uint64_t i)
{
    uint64_t left = share_of(c) - i * BLOCK;

    return left < BLOCK ? left : BLOCK;
}

static uint64_t share_address(const struct workload_case *c, const struct access_point *at)
{
    if (access_thread(at) >= turn_words(c, at->i))
        return SITE_ACTIVE_NONE;
    return (at->block[0] * share_of(c) + at->i * BLOCK + access_thread(at)) * sizeof(float);
}

static uint64_t word_address(const struct workload_case *c, const struct access_point *at)
{
    return access_thread(at) < turn_words(c, at->i) ? access_thread(at) * sizeof(float) : SITE_ACTIVE_NONE;
}

static uint64_t mirror_address(const struct workload_case *c, const struct access_point *at)
{
    uint64_t words = turn_words(c, at->i);

    return access_thread(at) < words ? (words - 1 - access_thread(at)) * sizeof(float) : SITE_ACTIVE_NONE;
}

/* 32 shares of any size are a multiple of 32 words. */
#define SITE(text, where, what, function)                                                 \
    {                                                                                     \
        .name = text, .space = where, .op = what, .width_bytes = 4, .count = share_turns, \
        .address = function, .block_period = {                                            \
            32,                                                                           \
            1,                                                                            \
            1                                                                             \
        }                                                                                 \
    }
static const struct access_site guarded_sites[] = {
    SITE("in[first + t]", ACCESS_GLOBAL, ACCESS_LOAD, share_address),
    SITE("word[t] = ", ACCESS_SHARED, ACCESS_STORE, word_address),
    SITE("word[words - 1 - t]", ACCESS_SHARED, ACCESS_LOAD, mirror_address),
    SITE("out[first + t]", ACCESS_GLOBAL, ACCESS_STORE, share_address),
};
static const struct access_site vote_sites[] = {
    SITE_ONCE("in[i]", ACCESS_GLOBAL, ACCESS_LOAD, 4, access_own_word),
    SITE_ONCE("out[i]", ACCESS_GLOBAL, ACCESS_STORE, 4, access_own_word),
};
static const struct access_site flag_sites[] = {
    SITE_ONCE("in[i]", ACCESS_GLOBAL, ACCESS_LOAD, 4, access_own_word),
    SITE_ONCE("out[i]", ACCESS_GLOBAL, ACCESS_STORE, 4, access_own_word),
    SITE_BY_DATA("again = ", ACCESS_SHARED, ACCESS_STORE),
    SITE_BY_DATA("again", ACCESS_SHARED, ACCESS_LOAD),
};

#define VARIANT(id, text, table, what)                                                 \
    {                                                                                  \
        .name = text, .meaning = what, .tag = id, ONE_KERNEL("sync_loop_" text, table) \
    }
static const struct workload_variant variants[] = {
    VARIANT(TAG_GUARDED, "guarded", guarded_sites, "the bound is rounded up, a flag guards the work"),
    VARIANT(TAG_FLAG, "flag", flag_sites,
            "turns until none has work: a word of shared memory, three barriers"),
    VARIANT(TAG_OR, "or", vote_sites, "the same by __syncthreads_or, one barrier"),
    VARIANT(TAG_AND, "and", vote_sites, "the same by __syncthreads_and"),
    VARIANT(TAG_COUNT, "count", vote_sites, "how many had work, by __syncthreads_count"),
};

static enum status sync_loop_resolve(struct workload_case *c, struct error *error)
{
    int64_t *blocks = &c->params.value[PARAM_BLOCKS];
    bool guarded = c->variant->tag == TAG_GUARDED;

    if (*blocks == WORKLOAD_SIZE_AUTO)
        *blocks = c->small ? 8 : 16 * (c->info->multiprocessors ? c->info->multiprocessors : 64);
    double words = (double)*blocks * (guarded ? (double)share_of(c) : BLOCK);
    return case_grid_of_threads(c, *blocks * BLOCK, BLOCK, 2.0 * sizeof(float) * words, error);
}

static uint32_t number_at(size_t i)
{
    return workload_mixed(i) % 1000 + 1;
}

static void numbers_fill(const struct workload_case *c, void *bytes, size_t size_bytes)
{
    uint32_t *word = bytes;

    (void)c;
    for (size_t i = 0; i < size_bytes / sizeof *word; i++)
        word[i] = number_at(i);
}

/* Steps until n is 1; a block makes one turn at least. */
static uint32_t steps_of(uint32_t n)
{
    uint32_t steps = 0;

    for (; n != 1; steps++)
        n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}

static bool block_verify(const struct workload_case *c, uint32_t block, const uint32_t *output,
                         struct workload_result *result)
{
    uint32_t wanted[BLOCK], most = 1, sum = 0;

    for (uint32_t t = 0; t < BLOCK; t++) {
        uint32_t steps = steps_of(number_at(block * BLOCK + t));

        most = steps > most ? steps : most;
        sum += steps;
    }
    for (uint32_t t = 0; t < BLOCK; t++)
        wanted[t] = c->variant->tag == TAG_COUNT ? sum : most;
    return verify_words("out (as words)", block * BLOCK, output, wanted, BLOCK, result);
}

static bool share_verify(const struct workload_case *c, uint32_t block, const float *input,
                         const float *output, struct workload_result *result)
{
    uint64_t first = block * share_of(c);

    for (uint64_t i = 0; i < share_turns(c); i++) {
        uint64_t words = turn_words(c, i), from = first + i * BLOCK;
        float wanted[BLOCK];

        for (uint64_t t = 0; t < words; t++)
            wanted[t] = input[from + words - 1 - t];
        if (!verify_words("out", from, output + from, wanted, words, result))
            return false;
    }
    return true;
}

static enum status sync_loop_run(const struct workload_case *c, struct workbench *bench,
                                 struct workload_result *result, struct error *error)
{
    bool guarded = c->variant->tag == TAG_GUARDED;
    uint32_t share = (uint32_t)share_of(c);
    size_t words = (size_t)c->grid[0] * (guarded ? share : BLOCK);
    struct single single = {
        .array = {{.use = SINGLE_INPUT,
                   .size_bytes = words * sizeof(float),
                   .fill = guarded ? NULL : numbers_fill},
                  {.use = SINGLE_OUTPUT, .size_bytes = words * sizeof(float)}},
        .array_count = 2,
        .launch = {.image = "sync_loop",
                   .kernel = c->effective_kernel,
                   .arguments = (void *[]){&single.array[1].pointer, &single.array[0].pointer, &share}},
    };
    enum status status = single_run(c, bench, &single, error);

    if (status)
        return status;
    result->verified = 1;
    for (uint32_t block = 0; block < c->grid[0] && result->verified == 1; block++)
        if (guarded)
            share_verify(c, block, single.array[0].input, single.array[1].output, result);
        else
            block_verify(c, block, (const uint32_t *)single.array[1].output + block * BLOCK, result);
    return STATUS_OK;
}

const struct workload workload_sync_loop = {
    .name = "sync-loop",
    .chapter = CHAPTER_EXECUTION,
    .title = "Barriers in loops: all threads make the same turns",
    .words = "__syncthreads barrier deadlock hang divergent guard tail __syncthreads_or __syncthreads_and "
             "__syncthreads_count vote convergence",
    .meaning =
        "All threads of a block must reach each barrier: round the loop's bound up and guard the work; "
        "barriers can vote, too",
    WORKLOAD_TABLES(params, variants),
    .devices_needed = 1,
    .resolve = sync_loop_resolve,
    .run = sync_loop_run,
    .sweeps = {"sync-loop:guarded,share=1000|1024", "sync-loop:flag", "sync-loop:or", "sync-loop:and",
               "sync-loop:count"},
};
