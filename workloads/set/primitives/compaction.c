/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compaction: the words below a limit move to the front. Where each may go is asked of an atomic counter by
 * every thread, by every warp or by every block, or found by a scan.
 *
 * A word is a random share out of 100, and below it its own index: whatever the order of the result, each
 * word tells where it comes from.
 */
#include "workloads/frame/single.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"
#include "workloads/set/primitives/scan.h"

#include <stdlib.h>

#define BLOCK SCAN_SHARE /* as in compaction.cu */
#define WARPS (BLOCK / 32)
#define WORD sizeof(uint32_t)
#define INDEX_BITS 25

enum { PARAM_KEEP, PARAM_N };
enum { TAG_ATOMIC, TAG_WARP, TAG_BLOCK, TAG_SCAN, TAG_CUB };
enum { ARRAY_OUT, ARRAY_IN, ARRAY_COUNT, ARRAYS };

static const struct workload_param params[] = {
    [PARAM_KEEP] = {.name = "keep",
                    .meaning = "share of the words that is kept",
                    .unit = "%",
                    .minimum = 0,
                    .maximum = 100,
                    .standard = 50},
    [PARAM_N] = {.name = "n",
                 .meaning = "words, a multiple of 512; 0: more than the level 2 cache holds",
                 SIZE_UP_TO(1 << INDEX_BITS, "words")},
};

/* Below it words are kept. */
static uint32_t compaction_limit(const struct workload_case *c)
{
    return (uint32_t)c->params.value[PARAM_KEEP] << INDEX_BITS;
}

static uint32_t value_at(size_t i)
{
    return (workload_mixed(i) % 100) << INDEX_BITS | (uint32_t)i;
}

ACCESS_ADDRESS(kept_address, access_thread(at) == 0 ? at->block[0] * WORD : SITE_ACTIVE_NONE)

#define IN SITE_ONCE("in[i]", ACCESS_GLOBAL, ACCESS_LOAD, WORD, access_own_word)

static const struct access_site count_sites[] = {
    IN,
    {.name = "kept[block] = ",
     .space = ACCESS_GLOBAL,
     .op = ACCESS_STORE,
     .width_bytes = WORD,
     .count = access_once,
     .address = kept_address,
     .block_period = {16, 1, 1}},
};

static uint64_t compaction_quads(const struct workload_case *c)
{
    (void)c;
    return WARP_WORDS_QUADS;
}

static bool is_kept(const struct workload_case *c, const struct access_point *at)
{
    return value_at(at->block[0] * (uint64_t)BLOCK + access_thread(at)) < compaction_limit(c);
}

ACCESS_ADDRESS(answer_store_address, access_thread(at) == 0 ? WARPS * WORD : SITE_ACTIVE_NONE)
ACCESS_ADDRESS(answer_address, is_kept(c, at) ? WARPS * sizeof(uint32_t) : SITE_ACTIVE_NONE)
ACCESS_ADDRESS(counter_address, is_kept(c, at) ? 0 : SITE_ACTIVE_NONE)
ACCESS_ADDRESS(first_address, is_kept(c, at) ? at->block[0] * WORD : SITE_ACTIVE_NONE)

/* The places of the words depend on their values, and on the order of the atomics. */
#define OUT SITE_BY_DATA("out[...] = word", ACCESS_GLOBAL, ACCESS_STORE)
#define RANK_IN_BLOCK                                                                             \
    {.name = "of_warp[warp] = ",                                                                  \
     .space = ACCESS_SHARED,                                                                      \
     .op = ACCESS_STORE,                                                                          \
     .width_bytes = WORD,                                                                         \
     .count = access_once,                                                                        \
     .address = warp_word_address,                                                                \
     .block_period = {1, 1, 1},                                                                   \
     .warp_period = 1},                                                                           \
    {                                                                                             \
        .name = "of_warp[w]", .space = ACCESS_SHARED, .op = ACCESS_LOAD, .width_bytes = 4 * WORD, \
        .count = compaction_quads, .address = warp_words_address, .block_period = {1, 1, 1},      \
        .warp_period = 1, .i_period = 1                                                           \
    }
/* By the threads that keep their word: differs in every block. */
#define KEPT(text, where, function)                                                                 \
    {                                                                                               \
        .name = text, .space = where, .op = ACCESS_LOAD, .width_bytes = WORD, .count = access_once, \
        .address = function                                                                         \
    }

static const struct access_site thread_sites[] = {IN, OUT};
static const struct access_site atomic_sites[] = {
    IN,
    {.name = "count += 1",
     .space = ACCESS_GLOBAL,
     .op = ACCESS_LOAD,
     .atomic = true,
     .width_bytes = WORD,
     .count = access_once,
     .address = counter_address},
    OUT,
};
static const struct access_site block_sites[] = {
    IN,
    RANK_IN_BLOCK,
    {.name = "shared[WARPS] = ",
     .space = ACCESS_SHARED,
     .op = ACCESS_STORE,
     .width_bytes = WORD,
     .count = access_once,
     .address = answer_store_address,
     .block_period = {1, 1, 1}},
    KEPT("shared[WARPS]", ACCESS_SHARED, answer_address),
    OUT,
};
static const struct access_site move_sites[] = {
    IN,
    RANK_IN_BLOCK,
    KEPT("first[block]", ACCESS_GLOBAL, first_address),
    OUT,
};

static const struct kernel_sites kernels[] = {
    [TAG_ATOMIC] = {KERNEL_SITES("compaction_atomic", atomic_sites)},
    [TAG_WARP] = {KERNEL_SITES("compaction_warp", thread_sites)},
    [TAG_BLOCK] = {KERNEL_SITES("compaction_block", block_sites)},
};
static const struct kernel_sites scan_kernels[] = {
    {KERNEL_SITES("compaction_count", count_sites)},
    SCAN_SUMS_KERNEL,
    {KERNEL_SITES("compaction_move", move_sites)},
};

#define VARIANT(id, text, what)                                                              \
    {                                                                                        \
        .name = text, .meaning = what, .tag = id, .kernels = &kernels[id], .kernel_count = 1 \
    }
static const struct workload_variant variants[] = {
    VARIANT(TAG_ATOMIC, "atomic", "each thread that keeps a word takes its place from one counter"),
    VARIANT(TAG_WARP, "warp", "a vote, and one lane takes the places of its warp"),
    VARIANT(TAG_BLOCK, "block", "one thread takes the places of its block"),
    {.name = "scan",
     .meaning = "blocks count, a scan gives them their places, and words keep their order",
     .tag = TAG_SCAN,
     .kernels = scan_kernels,
     .kernel_count = TABLE_COUNT(scan_kernels)},
    {.name = "cub", .meaning = "by CUB", .tag = TAG_CUB, .library = "CUB"},
};

static bool in_order(const struct workload_case *c)
{
    return c->variant->tag == TAG_SCAN;
}

static enum status compaction_resolve(struct workload_case *c, struct error *error)
{
    int64_t *n = &c->params.value[PARAM_N];
    double share = 1 + (double)c->params.value[PARAM_KEEP] / 100;

    if (*n == WORKLOAD_SIZE_AUTO) {
        *n = workload_words_past_cache(c);
        *n = *n < 1 << INDEX_BITS ? *n : 1 << INDEX_BITS;
    }
    if (*n % BLOCK)
        return error_set(error, STATUS_USAGE, "compaction: n=%lld is not a multiple of %d. Give n=%lld.",
                         (long long)*n, BLOCK, (long long)((*n / BLOCK + 1) * BLOCK));
    /* The bytes of the whole work are not those of one of its kernels. */
    return case_grid_of_threads(c, *n, BLOCK, in_order(c) ? 0 : share * WORD * (double)*n, error);
}

static void compaction_fill(const struct workload_case *c, void *bytes, size_t size_bytes)
{
    uint32_t *word = bytes;

    (void)c;
    for (size_t i = 0; i < size_bytes / WORD; i++)
        word[i] = value_at(i);
}

static enum status scan_and_move(const struct workload_case *c, struct workbench *bench,
                                 const struct single *single, struct error *error)
{
    device_pointer out = single->array[ARRAY_OUT].pointer, in = single->array[ARRAY_IN].pointer,
                   first = single->array[ARRAY_COUNT].pointer;
    uint32_t below = compaction_limit(c);
    struct device_launch move = {.image = "compaction",
                                 .kernel = "compaction_move",
                                 .grid = {c->grid[0], 1, 1},
                                 .block = {BLOCK, 1, 1},
                                 .arguments = (void *[]){&out, &first, &in, &below}};
    enum status status = scan_sums_launch(bench->device, first, c->grid[0], error);

    return status ? status : bench->device->ops->launch(bench->device, &move, error);
}

/* The words to be kept, in their order, and where each block's begin; returns their number. */
static size_t compaction_reference(const struct workload_case *c, uint32_t *kept, uint32_t *first)
{
    size_t count = 0;

    for (size_t i = 0; i < (size_t)c->params.value[PARAM_N]; i++) {
        if (i % BLOCK == 0)
            first[i / BLOCK] = (uint32_t)count;
        if (value_at(i) < compaction_limit(c))
            kept[count++] = value_at(i);
    }
    return count;
}

/* Puts words that arrived in any order at their index in `sorted`; false: one is there twice or should not be
 * there. */
static bool sort_by_index(const struct workload_case *c, const uint32_t *out, size_t count, uint32_t *sorted,
                          struct workload_result *result)
{
    size_t n = (size_t)c->params.value[PARAM_N], to = 0;

    for (size_t i = 0; i < n; i++)
        sorted[i] = WORKBENCH_POISON_WORD;
    for (size_t i = 0; i < count; i++) {
        size_t index = out[i] & ((1u << INDEX_BITS) - 1);
        uint32_t wanted = index < n && sorted[index] == WORKBENCH_POISON_WORD ? value_at(index) : 0;

        if (!verify_words("out", i, &out[i], &wanted, 1, result))
            return false;
        sorted[index] = out[i];
    }
    for (size_t i = 0; i < n; i++)
        if (sorted[i] != WORKBENCH_POISON_WORD)
            sorted[to++] = sorted[i];
    return true;
}

static enum status compaction_verify(const struct workload_case *c, struct workbench *bench,
                                     const struct single *single, struct workload_result *result,
                                     struct error *error)
{
    size_t n = (size_t)c->params.value[PARAM_N];
    const uint32_t *out = single->array[ARRAY_OUT].output, *found = single->array[ARRAY_COUNT].output;
    uint32_t *kept = malloc((2 * n + c->grid[0]) * WORD), *sorted = kept + n, *first = sorted + n;

    if (!kept)
        return error_set(error, STATUS_MEMORY,
                         "compaction: no memory to pick %zu words on the host. Give less.", n);
    size_t count = compaction_reference(c, kept, first);
    uint32_t all = (uint32_t)count;
    if (in_order(c) ? verify_words("first", 0, found, first, c->grid[0], result) &&
                          verify_words("out", 0, out, kept, count, result)
                    : verify_words("count", 0, found, &all, 1, result) &&
                          sort_by_index(c, out, count, sorted, result) &&
                          verify_words("out, in order,", 0, sorted, kept, count, result))
        result->verified = verify_untouched("out", count, out + count, n - count, result);
    if (!in_order(c)) { /* the order differs from run to run */
        bench->digest = 0;
        workbench_digest(bench, sorted, count);
    }
    free(kept);
    return STATUS_OK;
}

static enum status compaction_run(const struct workload_case *c, struct workbench *bench,
                                  struct workload_result *result, struct error *error)
{
    size_t n = (size_t)c->params.value[PARAM_N];
    uint32_t below = compaction_limit(c);
    struct single single = {
        .array = {[ARRAY_OUT] = {.use = SINGLE_OUTPUT, .size_bytes = n * WORD},
                  [ARRAY_IN] = {.use = SINGLE_INPUT, .size_bytes = n * WORD, .fill = compaction_fill},
                  [ARRAY_COUNT] =
                      in_order(c)
                          ? (struct single_array){.use = SINGLE_OUTPUT, .size_bytes = c->grid[0] * WORD}
                          : (struct single_array){.use = SINGLE_CHANGED, .size_bytes = WORD}},
        .array_count = ARRAYS,
        .launch = {.image = "compaction", .kernel = c->effective_kernel},
        .then = in_order(c) ? scan_and_move : NULL,
        .call = {.routine = LIBRARY_SELECT,
                 .out = &single.array[ARRAY_OUT].pointer,
                 .in = &single.array[ARRAY_IN].pointer,
                 .other = &single.array[ARRAY_COUNT].pointer,
                 .n = n,
                 .limit = below},
    };
    void *out = &single.array[ARRAY_OUT].pointer, *in = &single.array[ARRAY_IN].pointer,
         *count = &single.array[ARRAY_COUNT].pointer;

    if (library_missing(c, bench, single.call.routine, result))
        return STATUS_OK;
    single.launch.arguments =
        in_order(c) ? (void *[]){count, in, &below} : (void *[]){out, count, in, &below};
    enum status status = single_run(c, bench, &single, error);
    return status ? status : compaction_verify(c, bench, &single, result, error);
}

const struct workload workload_compaction = {
    .name = "compaction",
    .chapter = CHAPTER_PRIMITIVES,
    .title = "Keep only wanted words: by one counter, or by a scan",
    .words = "stream compaction filter select copy_if ballot vote atomicAdd warp-aggregated atomics CUB",
    .meaning = "The place of a word depends on the number of words kept before it: take it from one counter, "
               "per thread, per warp or per block, or from a scan",
    WORKLOAD_TABLES(params, variants),
    .devices_needed = 1,
    .resolve = compaction_resolve,
    .run = compaction_run,
    .sweeps = {"compaction,keep=1|10|50|90|100"},
};
