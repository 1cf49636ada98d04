/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan: every word becomes the sum of those before it. Within blocks of 512 words: by doubled steps, by a
 * tree, by a tree without bank conflicts, by shuffles; and over the whole array, also by CUB.
 */
#include "workloads/set/primitives/scan.h"

#include "workloads/frame/single.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#define SHARE SCAN_SHARE /* words of a block */
#define STEPS 9          /* log2 of SHARE */
#define WARPS (SHARE / WARP_LANES)
#define WORD sizeof(uint32_t)

enum { PARAM_N };
enum { TAG_NAIVE, TAG_EFFICIENT, TAG_PADDED, TAG_PADDED_16, TAG_SHUFFLE, TAG_BLOCKS, TAG_CUB };

static const struct workload_param params[] = {
    [PARAM_N] = {.name = "n",
                 .meaning = "words, a multiple of 512; 0: more than the level 2 cache holds",
                 SIZE_UP_TO(1 << 28, "words")},
};

static bool is_tree(const struct workload_case *c)
{
    return c->variant->tag >= TAG_EFFICIENT && c->variant->tag <= TAG_PADDED_16;
}

static uint32_t block_threads(const struct workload_case *c)
{
    return is_tree(c) ? SHARE / 2 : SHARE;
}

static uint64_t scan_steps(const struct workload_case *c)
{
    (void)c;
    return STEPS;
}

/* How many words a thread loads and stores. */
static uint64_t scan_words(const struct workload_case *c)
{
    return SHARE / block_threads(c);
}

static uint64_t own_word(const struct workload_case *c, const struct access_point *at)
{
    return at->i * block_threads(c) + access_thread(at);
}

ACCESS_ADDRESS(array_address, (at->block[0] * (uint64_t)SHARE + own_word(c, at)) * WORD)

/* The place of word i in shared memory. */
static uint64_t scan_place(const struct workload_case *c, uint64_t i)
{
    uint64_t every = c->variant->tag == TAG_PADDED ? 32 : c->variant->tag == TAG_PADDED_16 ? 16 : 0;

    return (every ? i + i / every : i) * WORD;
}

static uint64_t own_address(const struct workload_case *c, const struct access_point *at)
{
    return scan_place(c, own_word(c, at));
}

/* naive */
ACCESS_ADDRESS(thread_address, access_thread(at) * WORD)

static uint64_t before_address(const struct workload_case *c, const struct access_point *at)
{
    uint64_t apart = UINT64_C(1) << at->i;

    (void)c;
    return access_thread(at) >= apart ? (access_thread(at) - apart) * WORD : SITE_ACTIVE_NONE;
}

/* The tree: the word that a thread updates, `apart` from its partner on the left. */
static uint64_t tree_address(const struct workload_case *c, const struct access_point *at, uint64_t apart,
                             bool partner)
{
    uint64_t i = 2 * apart * (access_thread(at) + 1) - 1;

    return i < SHARE ? scan_place(c, partner ? i - apart : i) : SITE_ACTIVE_NONE;
}

static uint64_t up_address(const struct workload_case *c, const struct access_point *at)
{
    return tree_address(c, at, UINT64_C(1) << at->i, false);
}

static uint64_t up_left_address(const struct workload_case *c, const struct access_point *at)
{
    return tree_address(c, at, UINT64_C(1) << at->i, true);
}

static uint64_t down_address(const struct workload_case *c, const struct access_point *at)
{
    return tree_address(c, at, SHARE / 2 >> at->i, false);
}

static uint64_t down_left_address(const struct workload_case *c, const struct access_point *at)
{
    return tree_address(c, at, SHARE / 2 >> at->i, true);
}

ACCESS_ADDRESS(root_address, access_thread(at) == 0 ? scan_place(c, SHARE - 1) : SITE_ACTIVE_NONE)
/* Sums of warps. */
ACCESS_ADDRESS(last_lane_address, at->lane == WARP_LANES - 1 ? at->warp * WORD : SITE_ACTIVE_NONE)
ACCESS_ADDRESS(first_warp_address, access_thread(at) < WARPS ? access_thread(at) * WORD : SITE_ACTIVE_NONE)

uint64_t warp_word_address(const struct workload_case *c, const struct access_point *at)
{
    (void)c;
    return at->lane == 0 ? at->warp * WORD : SITE_ACTIVE_NONE;
}

uint64_t warp_words_address(const struct workload_case *c, const struct access_point *at)
{
    (void)c;
    return at->i % WARP_WORDS_QUADS * 4 * WORD;
}

ACCESS_ADDRESS(warp_before_address, at->warp > 0 ? (at->warp - 1) * WORD : SITE_ACTIVE_NONE)
/* Sums of blocks. */
ACCESS_ADDRESS(block_sum_address, access_thread(at) == SHARE - 1 ? at->block[0] * WORD : SITE_ACTIVE_NONE)
ACCESS_ADDRESS(block_before_address, at->block[0] * WORD)

uint32_t scan_sums_blocks(const struct workload_case *c)
{
    (void)c;
    return 1;
}

static uint64_t block_sums(const struct workload_case *c)
{
    return c->sums ? c->sums : c->grid[0];
}

static uint64_t sums_rounds(const struct workload_case *c)
{
    return (block_sums(c) + SHARE - 1) / SHARE;
}

static uint64_t sums_address(const struct workload_case *c, const struct access_point *at)
{
    uint64_t i = at->i * SHARE + access_thread(at);

    return i < block_sums(c) ? i * WORD : SITE_ACTIVE_NONE;
}

static uint64_t all_warps_address(const struct workload_case *c, const struct access_point *at)
{
    (void)c, (void)at;
    return (WARPS - 1) * WORD;
}

#define SITE(text, where, what, times, function)                                                            \
    {                                                                                                       \
        .name = text, .space = where, .op = what, .width_bytes = WORD, .count = times, .address = function, \
        .block_period = {                                                                                   \
            16,                                                                                             \
            1,                                                                                              \
            1                                                                                               \
        }                                                                                                   \
    }
#define IN SITE("in[i]", ACCESS_GLOBAL, ACCESS_LOAD, scan_words, array_address)
#define OUT SITE("out[i] = ", ACCESS_GLOBAL, ACCESS_STORE, scan_words, array_address)
/* scan_block() of scan.cu */
#define SCAN_BLOCK(times)                                                              \
    SITE("word[warp] = ", ACCESS_SHARED, ACCESS_STORE, times, last_lane_address),      \
        SITE("word[lane]", ACCESS_SHARED, ACCESS_LOAD, times, first_warp_address),     \
        SITE("word[lane] = ", ACCESS_SHARED, ACCESS_STORE, times, first_warp_address), \
        SITE("word[warp - 1]", ACCESS_SHARED, ACCESS_LOAD, times, warp_before_address)

static const struct access_site naive_sites[] = {
    IN,
    SITE("word[t] = ", ACCESS_SHARED, ACCESS_STORE, scan_steps, thread_address),
    SITE("word[t - s]", ACCESS_SHARED, ACCESS_LOAD, scan_steps, before_address),
    OUT,
};
static const struct access_site tree_sites[] = {
    IN,
    SITE("word[t] = ", ACCESS_SHARED, ACCESS_STORE, scan_words, own_address),
    SITE("up: word[i]", ACCESS_SHARED, ACCESS_LOAD, scan_steps, up_address),
    SITE("up: word[i - s]", ACCESS_SHARED, ACCESS_LOAD, scan_steps, up_left_address),
    SITE("up: word[i] += ", ACCESS_SHARED, ACCESS_STORE, scan_steps, up_address),
    SITE("word[511] = 0", ACCESS_SHARED, ACCESS_STORE, access_once, root_address),
    SITE("down: word[i - s]", ACCESS_SHARED, ACCESS_LOAD, scan_steps, down_left_address),
    SITE("down: word[i]", ACCESS_SHARED, ACCESS_LOAD, scan_steps, down_address),
    SITE("down: word[i - s] = ", ACCESS_SHARED, ACCESS_STORE, scan_steps, down_left_address),
    SITE("down: word[i] = ", ACCESS_SHARED, ACCESS_STORE, scan_steps, down_address),
    SITE("word[t]", ACCESS_SHARED, ACCESS_LOAD, scan_words, own_address),
    OUT,
};
static const struct access_site shuffle_sites[] = {IN, SCAN_BLOCK(access_once), OUT};
static const struct access_site blocks_sites[] = {
    IN,
    SCAN_BLOCK(access_once),
    OUT,
    SITE("sum[block] = ", ACCESS_GLOBAL, ACCESS_STORE, access_once, block_sum_address),
};
const struct access_site scan_sums_sites[SCAN_SUMS_SITES] = {
    SITE("sum[i]", ACCESS_GLOBAL, ACCESS_LOAD, sums_rounds, sums_address),
    SCAN_BLOCK(sums_rounds),
    SITE("sum[i] = ", ACCESS_GLOBAL, ACCESS_STORE, sums_rounds, sums_address),
    SITE("word[WARPS - 1]", ACCESS_SHARED, ACCESS_LOAD, sums_rounds, all_warps_address),
};
static const struct access_site add_sites[] = {
    SITE("out[i]", ACCESS_GLOBAL, ACCESS_LOAD, scan_words, array_address),
    SITE("sum[block]", ACCESS_GLOBAL, ACCESS_LOAD, access_once, block_before_address),
    OUT,
};

static const struct kernel_sites naive_kernel = {KERNEL_SITES("scan_naive", naive_sites)},
                                 efficient_kernel = {KERNEL_SITES("scan_efficient", tree_sites)},
                                 padded_kernel = {KERNEL_SITES("scan_padded", tree_sites)},
                                 padded_16_kernel = {KERNEL_SITES("scan_padded_16", tree_sites)},
                                 shuffle_kernel = {KERNEL_SITES("scan_shuffle", shuffle_sites)};
static const struct kernel_sites array_kernels[] = {
    {KERNEL_SITES("scan_blocks", blocks_sites)},
    SCAN_SUMS_KERNEL,
    {KERNEL_SITES("scan_add", add_sites)},
};

#define VARIANT(id, text, table, count, what)                                              \
    {                                                                                      \
        .name = text, .meaning = what, .tag = id, .kernels = table, .kernel_count = count, \
    }
static const struct workload_variant variants[] = {
    VARIANT(TAG_NAIVE, "naive", &naive_kernel, 1,
            "each thread adds the sum 1, 2, 4 ... words before its own"),
    VARIANT(TAG_EFFICIENT, "efficient", &efficient_kernel, 1,
            "up and down a tree of sums: few additions, but words in few banks"),
    VARIANT(TAG_PADDED, "padded", &padded_kernel, 1, "the same, with a word of padding after every 32"),
    VARIANT(TAG_PADDED_16, "padded-16", &padded_16_kernel, 1,
            "after every 16, as GPUs with 16 banks want it"),
    VARIANT(TAG_SHUFFLE, "shuffle", &shuffle_kernel, 1,
            "lanes exchange sums by shuffles; shared memory holds one sum per warp"),
    VARIANT(TAG_BLOCKS, "blocks", array_kernels, TABLE_COUNT(array_kernels),
            "the whole array: scan of blocks, scan of their sums, addition of the sums"),
    {.name = "cub", .meaning = "the whole array, by CUB", .tag = TAG_CUB, .library = "CUB"},
};

static enum status scan_resolve(struct workload_case *c, struct error *error)
{
    int64_t *n = &c->params.value[PARAM_N];

    if (*n == WORKLOAD_SIZE_AUTO)
        *n = workload_words_past_cache(c);
    if (*n % SHARE)
        return error_set(error, STATUS_USAGE, "scan: n=%lld is not a multiple of %d. Give n=%lld.",
                         (long long)*n, SHARE, (long long)((*n / SHARE + 1) * SHARE));
    /* The bytes of the whole array's scan are not those of one of its kernels. */
    return case_grid_of_threads(c, *n / SHARE * block_threads(c), block_threads(c),
                                c->variant->tag == TAG_BLOCKS ? 0 : 2.0 * WORD * (double)*n, error);
}

static uint32_t value_at(const struct workload_case *c, size_t i)
{
    return workload_seed(c) ? workload_random(c, i) : (uint32_t)i * 0x9e3779b1u >> 7;
}

static void scan_fill(const struct workload_case *c, void *bytes, size_t size_bytes)
{
    uint32_t *word = bytes;

    for (size_t i = 0; i < size_bytes / WORD; i++)
        word[i] = value_at(c, i);
}

enum status scan_sums_launch(struct device *device, device_pointer sums, uint32_t count, struct error *error)
{
    struct device_launch launch = {.image = "scan",
                                   .kernel = "scan_sums",
                                   .grid = {1, 1, 1},
                                   .block = {SHARE, 1, 1},
                                   .arguments = (void *[]){&sums, &count}};

    return device->ops->launch(device, &launch, error);
}

static enum status sums_and_add(const struct workload_case *c, struct workbench *bench,
                                const struct single *single, struct error *error)
{
    device_pointer out = single->array[0].pointer, sums = single->array[2].pointer;
    struct device_launch add = {.image = "scan",
                                .kernel = "scan_add",
                                .grid = {c->grid[0], 1, 1},
                                .block = {SHARE, 1, 1},
                                .arguments = (void *[]){&out, &sums}};
    enum status status = scan_sums_launch(bench->device, sums, c->grid[0], error);

    return status ? status : bench->device->ops->launch(bench->device, &add, error);
}

/* sums: the output of scan_sums, if it ran. */
static void scan_verify(const struct workload_case *c, const uint32_t *out, const uint32_t *sums,
                        struct workload_result *result)
{
    bool whole = sums || c->variant->library;
    size_t n = (size_t)c->params.value[PARAM_N];
    uint32_t before = 0;

    for (size_t i = 0; i < n; i++) {
        if (i % SHARE == 0 && !whole)
            before = 0;
        if ((i % SHARE == 0 && sums &&
             !verify_words("sum", i / SHARE, &sums[i / SHARE], &before, 1, result)) ||
            !verify_words("out", i, &out[i], &before, 1, result))
            return;
        before += value_at(c, i);
    }
    result->verified = 1;
}

static enum status scan_run(const struct workload_case *c, struct workbench *bench,
                            struct workload_result *result, struct error *error)
{
    size_t n = (size_t)c->params.value[PARAM_N];
    bool whole = c->variant->tag == TAG_BLOCKS;
    struct single single = {
        .array = {{.use = SINGLE_OUTPUT, .size_bytes = n * WORD},
                  {.use = SINGLE_INPUT, .size_bytes = n * WORD, .fill = scan_fill},
                  {.use = SINGLE_OUTPUT, .size_bytes = n / SHARE * WORD}},
        .array_count = whole ? 3 : 2,
        .launch = {.image = "scan",
                   .kernel = c->effective_kernel,
                   .arguments = whole ? (void *[]){&single.array[0].pointer, &single.array[2].pointer,
                                                   &single.array[1].pointer}
                                      : (void *[]){&single.array[0].pointer, &single.array[1].pointer}},
        .then = whole ? sums_and_add : NULL,
        .call = {.routine = LIBRARY_SCAN,
                 .out = &single.array[0].pointer,
                 .in = &single.array[1].pointer,
                 .n = n},
    };

    if (library_missing(c, bench, single.call.routine, result))
        return STATUS_OK;
    enum status status = single_run(c, bench, &single, error);
    if (status == STATUS_OK)
        scan_verify(c, single.array[0].output, single.array[2].output, result);
    return status;
}

const struct workload workload_scan = {
    .name = "scan",
    .chapter = CHAPTER_PRIMITIVES,
    .title = "Prefix sums: doubled steps, a tree, padding, shuffles",
    .words = "prefix sum cumulative sum Blelloch Hillis-Steele bank conflict CUB",
    .meaning = "Every word becomes the sum of the words before it: doubled steps do too many additions, a "
               "tree does few but with bank conflicts, padding and shuffles remove these",
    WORKLOAD_TABLES(params, variants),
    WORKLOAD_SEEDED,
    .devices_needed = 1,
    .resolve = scan_resolve,
    .run = scan_run,
};
