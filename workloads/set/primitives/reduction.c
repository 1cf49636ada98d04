/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduction: many words become one. The ladder of the lecture: divergent lanes, bank conflicts, neither, no
 * idle threads, no shared memory.
 *
 * A kernel leaves a sum per block; a second launch of the same kind would add those up and is left out.
 */
#include "workloads/frame/single.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#define BLOCK 256
#define STEPS 8 /* log2 of BLOCK */

enum { PARAM_N };
enum { TAG_DIVERGENT, TAG_CONFLICTS, TAG_SEQUENTIAL, TAG_FIRST_ADD, TAG_SHUFFLE, TAG_CUB };

static const struct workload_param params[] = {
    [PARAM_N] = {.name = "n",
                 .meaning = "words, a multiple of 512; 0: more than the level 2 cache holds",
                 SIZE_UP_TO(1 << 28, "words")},
};

static uint64_t reduction_steps(const struct workload_case *c)
{
    (void)c;
    return STEPS;
}

/* Number of words in one sum: a block's, or all. */
static uint64_t block_words(const struct workload_case *c)
{
    if (c->variant->tag == TAG_CUB)
        return (uint64_t)c->params.value[PARAM_N];
    return c->variant->tag >= TAG_FIRST_ADD ? 2 * BLOCK : BLOCK;
}

static uint64_t reduction_twice(const struct workload_case *c)
{
    return block_words(c) / BLOCK;
}

ACCESS_ADDRESS(in_address,
               (at->block[0] * block_words(c) + at->i * BLOCK + access_thread(at)) * sizeof(uint32_t))
ACCESS_ADDRESS(out_address, access_thread(at) == 0 ? at->block[0] * sizeof(uint32_t) : SITE_ACTIVE_NONE)
ACCESS_ADDRESS(own_address, access_thread(at) * sizeof(uint32_t))
ACCESS_ADDRESS(first_address, access_thread(at) == 0 ? 0 : SITE_ACTIVE_NONE)

/* The word that a thread adds to in step i, if any; and the distance to the word that it adds. */
static uint64_t target_word(const struct workload_case *c, uint64_t thread, uint64_t step, uint64_t *apart)
{
    uint64_t target = thread;
    bool active;

    if (c->variant->tag >= TAG_SEQUENTIAL) {
        *apart = BLOCK / 2 >> step;
        active = thread < *apart;
    } else {
        *apart = UINT64_C(1) << step;
        if (c->variant->tag == TAG_CONFLICTS)
            target = 2 * *apart * thread;
        active = c->variant->tag == TAG_CONFLICTS ? target < BLOCK : thread % (2 * *apart) == 0;
    }
    return active ? target : UINT64_MAX;
}

static uint64_t target_address(const struct workload_case *c, const struct access_point *at)
{
    uint64_t apart, word = target_word(c, access_thread(at), at->i, &apart);

    return word == UINT64_MAX ? SITE_ACTIVE_NONE : word * sizeof(uint32_t);
}

static uint64_t other_address(const struct workload_case *c, const struct access_point *at)
{
    uint64_t apart, word = target_word(c, access_thread(at), at->i, &apart);

    return word == UINT64_MAX ? SITE_ACTIVE_NONE : (word + apart) * sizeof(uint32_t);
}

ACCESS_ADDRESS(warp_sum_address, at->lane == 0 ? at->warp * sizeof(uint32_t) : SITE_ACTIVE_NONE)
ACCESS_ADDRESS(warp_sums_address,
               access_thread(at) < BLOCK / 32 ? access_thread(at) * sizeof(uint32_t) : SITE_ACTIVE_NONE)

#define SITE(text, where, what, times, function)                                                         \
    {                                                                                                    \
        .name = text, .space = where, .op = what, .width_bytes = 4, .count = times, .address = function, \
        .block_period = {                                                                                \
            16,                                                                                          \
            1,                                                                                           \
            1                                                                                            \
        }                                                                                                \
    }
#define IN SITE("in[i]", ACCESS_GLOBAL, ACCESS_LOAD, reduction_twice, in_address)
#define OUT SITE("out[block]", ACCESS_GLOBAL, ACCESS_STORE, access_once, out_address)

/* The compiler cannot keep word[0] in a register over the loop: it is read again at the end. */
static const struct access_site tree_sites[] = {
    IN,
    SITE("word[t] = ", ACCESS_SHARED, ACCESS_STORE, access_once, own_address),
    SITE("word[i]", ACCESS_SHARED, ACCESS_LOAD, reduction_steps, target_address),
    SITE("word[i + s]", ACCESS_SHARED, ACCESS_LOAD, reduction_steps, other_address),
    SITE("word[i] += ", ACCESS_SHARED, ACCESS_STORE, reduction_steps, target_address),
    SITE("word[0]", ACCESS_SHARED, ACCESS_LOAD, access_once, first_address),
    OUT,
};
static const struct access_site shuffle_sites[] = {
    IN,
    SITE("of_warp[warp] = ", ACCESS_SHARED, ACCESS_STORE, access_once, warp_sum_address),
    SITE("of_warp[t]", ACCESS_SHARED, ACCESS_LOAD, access_once, warp_sums_address),
    OUT,
};

#define VARIANT(id, text, where, table, what)                                           \
    {                                                                                   \
        .name = text, .meaning = what, .tag = id, ONE_KERNEL("reduction_" where, table) \
    }
static const struct workload_variant variants[] = {
    VARIANT(TAG_DIVERGENT, "divergent", "divergent", tree_sites,
            "every second lane becomes idle: all warps stay busy with idle lanes"),
    VARIANT(TAG_CONFLICTS, "conflicts", "conflicts", tree_sites,
            "whole warps become idle, but the words used are in few banks"),
    VARIANT(TAG_SEQUENTIAL, "sequential", "sequential", tree_sites,
            "neighbouring threads use neighbouring words"),
    VARIANT(TAG_FIRST_ADD, "first-add", "first_add", tree_sites,
            "each thread adds two words when it loads them"),
    {.name = "shuffle",
     .meaning = "lanes exchange words by shuffles; shared memory holds one word per warp",
     .tag = TAG_SHUFFLE,
     ONE_KERNEL("reduction_shuffle", shuffle_sites)},
    {.name = "cub", .meaning = "one sum of all words, by CUB", .tag = TAG_CUB, .library = "CUB"},
};

static enum status reduction_resolve(struct workload_case *c, struct error *error)
{
    int64_t *n = &c->params.value[PARAM_N];

    if (*n == WORKLOAD_SIZE_AUTO)
        *n = workload_words_past_cache(c);
    if (*n <= 0 || *n % (2 * BLOCK))
        return error_set(error, STATUS_USAGE, "reduction: n=%lld is not a multiple of %d. Give n=%lld.",
                         (long long)*n, 2 * BLOCK, (long long)((*n / (2 * BLOCK) + 1) * 2 * BLOCK));
    return case_grid_of_threads(c, c->variant->library ? *n : *n / (int64_t)reduction_twice(c), BLOCK,
                                sizeof(uint32_t) * (double)*n, error);
}

static uint32_t value_at(const struct workload_case *c, size_t i)
{
    return workload_seed(c) ? workload_random(c, i) : (uint32_t)i * 0x9e3779b1u >> 7;
}

static void reduction_fill(const struct workload_case *c, void *bytes, size_t size_bytes)
{
    uint32_t *words = bytes;

    for (size_t i = 0; i < size_bytes / sizeof *words; i++)
        words[i] = value_at(c, i);
}

static enum status reduction_run(const struct workload_case *c, struct workbench *bench,
                                 struct workload_result *result, struct error *error)
{
    size_t n = (size_t)c->params.value[PARAM_N], share = block_words(c);
    struct single single = {
        .array = {{.use = SINGLE_INPUT, .size_bytes = n * sizeof(uint32_t), .fill = reduction_fill},
                  {.use = SINGLE_OUTPUT, .size_bytes = n / share * sizeof(uint32_t)}},
        .array_count = 2,
        .launch = {.image = "reduction",
                   .kernel = c->effective_kernel,
                   .arguments = (void *[]){&single.array[1].pointer, &single.array[0].pointer}},
        .call = {.routine = LIBRARY_REDUCE,
                 .out = &single.array[1].pointer,
                 .in = &single.array[0].pointer,
                 .n = n},
    };
    enum status status;

    if (library_missing(c, bench, single.call.routine, result))
        return STATUS_OK;
    if ((status = single_run(c, bench, &single, error)))
        return status;
    for (size_t block = 0; block < n / share; block++) {
        const uint32_t *output = single.array[1].output;
        uint32_t wanted = 0;

        for (size_t i = 0; i < share; i++)
            wanted += value_at(c, block * share + i);
        if (!verify_words("out", block, &output[block], &wanted, 1, result))
            return STATUS_OK;
    }
    result->verified = 1;
    return STATUS_OK;
}

const struct workload workload_reduction = {
    .name = "reduction",
    .chapter = CHAPTER_PRIMITIVES,
    .title = "A sum of many words, from divergent to warp shuffles",
    .words = "reduce parallel sum dot product shuffle __shfl_down_sync divergence bank conflict CUB",
    .meaning = "The order of additions decides how many lanes are idle and how many words conflict in a "
               "bank; registers and shuffles avoid both",
    WORKLOAD_TABLES(params, variants),
    WORKLOAD_SEEDED,
    .devices_needed = 1,
    .resolve = reduction_resolve,
    .run = reduction_run,
};
