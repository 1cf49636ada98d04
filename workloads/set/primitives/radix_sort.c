/* SPDX-License-Identifier: Apache-2.0 */
/*
 * radix-sort: 32-bit keys, digit by digit from the lowest; each pass counts, scans and moves. What differs is
 * how many bits a digit has, and whether a block's keys are put in order before they are stored.
 */
#include "workloads/frame/library.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"
#include "workloads/set/primitives/scan.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK SCAN_SHARE /* as in radix_sort.cu */
#define WARPS (BLOCK / 32)
#define DIGITS 16 /* the most of a pass */
#define BLOCKS_MOST 512
#define TILES_LEAST 4

enum { PARAM_N, PARAM_BITS };
enum { TAG_SPLIT, TAG_SCATTER, TAG_LOCAL, TAG_CUB };
enum { SLOT_KEYS, SLOT_OTHER, SLOT_COUNT }; /* the passes alternate between the first two */

static const struct workload_param params[] = {
    [PARAM_N] = {.name = "n",
                 .meaning = "keys, a power of two; 0: more than the level 2 cache holds",
                 SIZE_UP_TO(1 << 26, "keys"),
                 .step = BLOCK * TILES_LEAST,
                 .doubles = true},
    [PARAM_BITS] = {.name = "bits",
                    .meaning = "lowest bits of the keys that the sort uses, a multiple of 4",
                    .unit = "bits",
                    .minimum = 4,
                    .maximum = 32,
                    .standard = 32,
                    .step = 4},
};

static uint64_t digit_bits(const struct workload_case *c)
{
    return c->variant->tag == TAG_SPLIT ? 1 : 4;
}

static uint64_t radix_sort_digits(const struct workload_case *c)
{
    return UINT64_C(1) << digit_bits(c);
}

/* Number of tiles of BLOCK keys that a block handles, one after the other. */
static uint64_t radix_sort_tiles(const struct workload_case *c)
{
    return (uint64_t)c->params.value[PARAM_N] / BLOCK / c->grid[0];
}

ACCESS_ADDRESS(key_address,
               ((at->block[0] * radix_sort_tiles(c) + at->i) * BLOCK + access_thread(at)) * sizeof(uint32_t))
ACCESS_ADDRESS(own_address, access_thread(at) < radix_sort_digits(c) ? access_thread(at) * sizeof(uint32_t)
                                                                     : SITE_ACTIVE_NONE)
ACCESS_ADDRESS(count_address, access_thread(at) < radix_sort_digits(c)
                                  ? (access_thread(at) * c->grid[0] + at->block[0]) * sizeof(uint32_t)
                                  : SITE_ACTIVE_NONE)

/* Sites of all warps, with the same cost in each, */
#define ALL(text, where, what, bytes, times, function)                                                       \
    {                                                                                                        \
        .name = text, .space = where, .op = what, .width_bytes = bytes, .count = times, .address = function, \
        .block_period = {1, 1, 1}, .warp_period = 1, .i_period = 1                                           \
    }
/* and of some. */
#define SOME(text, where, what, bytes, times, function)                                                      \
    {                                                                                                        \
        .name = text, .space = where, .op = what, .width_bytes = bytes, .count = times, .address = function, \
        .block_period = {1, 1, 1}, .i_period = 1                                                             \
    }
#define IN ALL("in[i]", ACCESS_GLOBAL, ACCESS_LOAD, 4, radix_sort_tiles, key_address)

/* Only loads and stores: atomics are neither. */
static const struct access_site count_sites[] = {
    IN,
    SOME("own[t] = 0", ACCESS_SHARED, ACCESS_STORE, 4, access_once, own_address),
    SOME("own[t]", ACCESS_SHARED, ACCESS_LOAD, 4, access_once, own_address),
    {.name = "count[t][block]",
     .space = ACCESS_GLOBAL,
     .op = ACCESS_STORE,
     .width_bytes = 4,
     .count = access_once,
     .address = count_address},
};

ACCESS_ADDRESS(first_zero_address, at->block[0] * sizeof(uint32_t))
ACCESS_ADDRESS(first_one_address, (c->grid[0] + at->block[0]) * sizeof(uint32_t))

static uint64_t tiles_quads(const struct workload_case *c)
{
    return radix_sort_tiles(c) * WARP_WORDS_QUADS;
}

static uint64_t tiles_warps(const struct workload_case *c)
{
    return radix_sort_tiles(c) * WARPS;
}

static uint64_t tiles_digit_quads(const struct workload_case *c)
{
    return radix_sort_tiles(c) * (DIGITS / 4);
}

/* count[warp][digit] as a row of the table per warp, whose words are in different banks, so any of them cost
 * the same. */
ACCESS_ADDRESS(own_row_address, (at->warp * DIGITS + at->lane % DIGITS) * sizeof(uint32_t))
/* One word per digit; the lanes want some of them, in any distribution. */
ACCESS_ADDRESS(any_digit_address, at->lane % DIGITS * sizeof(uint32_t))
ACCESS_ADDRESS(table_address,
               access_thread(at) < WARPS * DIGITS ? access_thread(at) * sizeof(uint32_t) : SITE_ACTIVE_NONE)
ACCESS_ADDRESS(column_address, access_thread(at) < radix_sort_digits(c)
                                   ? (at->i % WARPS * DIGITS + access_thread(at)) * sizeof(uint32_t)
                                   : SITE_ACTIVE_NONE)
ACCESS_ADDRESS(digit_quad_address, access_thread(at) < radix_sort_digits(c)
                                       ? at->i % (DIGITS / 4) * 4 * sizeof(uint32_t)
                                       : SITE_ACTIVE_NONE)
ACCESS_ADDRESS(sorted_address, access_thread(at) * sizeof(uint32_t))

/* Sites of all warps, with some of the words, depending on the data. */
#define ANY(text, what, function)                                                                    \
    {                                                                                                \
        .name = text, .space = ACCESS_SHARED, .op = what, .width_bytes = 4, .any_words = true,       \
        .count = radix_sort_tiles, .address = function, .block_period = {1, 1, 1}, .warp_period = 1, \
        .i_period = 1                                                                                \
    }
#define OUT(text) SITE_BY_DATA(text, ACCESS_GLOBAL, ACCESS_STORE)

static const struct access_site split_sites[] = {
    IN,
    ALL("first[block]", ACCESS_GLOBAL, ACCESS_LOAD, 4, access_once, first_zero_address),
    ALL("first[blocks + block]", ACCESS_GLOBAL, ACCESS_LOAD, 4, access_once, first_one_address),
    ALL("zeros[warp] = ", ACCESS_SHARED, ACCESS_STORE, 4, radix_sort_tiles, warp_word_address),
    ALL("zeros[w]", ACCESS_SHARED, ACCESS_LOAD, 16, tiles_quads, warp_words_address),
    OUT("out[...] = key"),
};

/* rank_in_tile() */
#define RANK                                                                                 \
    SOME("count[][] = 0", ACCESS_SHARED, ACCESS_STORE, 4, radix_sort_tiles, table_address),  \
        ANY("count[warp][digit] = ", ACCESS_STORE, own_row_address),                         \
        SOME("count[w][t]", ACCESS_SHARED, ACCESS_LOAD, 4, tiles_warps, column_address),     \
        SOME("count[w][t] = ", ACCESS_SHARED, ACCESS_STORE, 4, tiles_warps, column_address), \
        SOME("total[t] = ", ACCESS_SHARED, ACCESS_STORE, 4, radix_sort_tiles, own_address),  \
        ANY("count[warp][digit]", ACCESS_LOAD, own_row_address)
#define FIRST                                                                                   \
    {                                                                                           \
        .name = "first[t][block]", .space = ACCESS_GLOBAL, .op = ACCESS_LOAD, .width_bytes = 4, \
        .count = access_once, .address = count_address                                          \
    }

static const struct access_site scatter_sites[] = {
    IN,
    FIRST,
    SOME("next[t] = first", ACCESS_SHARED, ACCESS_STORE, 4, access_once, own_address),
    RANK,
    ANY("next[digit]", ACCESS_LOAD, any_digit_address),
    SOME("next[t]", ACCESS_SHARED, ACCESS_LOAD, 4, radix_sort_tiles, own_address),
    SOME("total[t]", ACCESS_SHARED, ACCESS_LOAD, 4, radix_sort_tiles, own_address),
    SOME("next[t] = ", ACCESS_SHARED, ACCESS_STORE, 4, radix_sort_tiles, own_address),
    OUT("out[next[digit] + rank] = key"),
};

static const struct access_site local_sites[] = {
    IN,
    FIRST,
    RANK,
    SOME("total[lower]", ACCESS_SHARED, ACCESS_LOAD, 16, tiles_digit_quads, digit_quad_address),
    SOME("total[t]", ACCESS_SHARED, ACCESS_LOAD, 4, radix_sort_tiles, own_address),
    SOME("begin[t] = ", ACCESS_SHARED, ACCESS_STORE, 4, radix_sort_tiles, own_address),
    SOME("to[t] = ", ACCESS_SHARED, ACCESS_STORE, 4, radix_sort_tiles, own_address),
    ANY("begin[digit]", ACCESS_LOAD, any_digit_address),
    SITE_BY_DATA("sorted[begin[digit] + rank] = key", ACCESS_SHARED, ACCESS_STORE),
    ALL("sorted[t]", ACCESS_SHARED, ACCESS_LOAD, 4, radix_sort_tiles, sorted_address),
    ANY("to[digit]", ACCESS_LOAD, any_digit_address),
    OUT("out[to[digit] + t] = key"),
};

/* Count, scan, move. */
#define KERNELS(mover, table)                                              \
    {                                                                      \
        {KERNEL_SITES("radix_sort_count", count_sites)}, SCAN_SUMS_KERNEL, \
        {                                                                  \
            KERNEL_SITES(mover, table)                                     \
        }                                                                  \
    }
enum { KERNEL_COUNT, KERNEL_MOVE = 2 };
static const struct kernel_sites split[] = KERNELS("radix_sort_split", split_sites),
                                 scatter[] = KERNELS("radix_sort_scatter", scatter_sites),
                                 local[] = KERNELS("radix_sort_local", local_sites);

#define VARIANT(id, text, table, what)                                                                 \
    {                                                                                                  \
        .name = text, .meaning = what, .tag = id, .kernels = table, .kernel_count = TABLE_COUNT(table) \
    }
static const struct workload_variant variants[] = {
    VARIANT(TAG_SPLIT, "split", split,
            "digits of one bit: many passes, zeros to the front, ones to the back"),
    VARIANT(TAG_SCATTER, "scatter", scatter, "digits of four bits: a warp stores to up to 16 places"),
    VARIANT(TAG_LOCAL, "local-sort", local, "the same, after each tile was sorted in shared memory"),
    {.name = "cub", .meaning = "by CUB", .tag = TAG_CUB, .library = "CUB"},
};

static enum status radix_sort_resolve(struct workload_case *c, struct error *error)
{
    int64_t *n = &c->params.value[PARAM_N], bits = c->params.value[PARAM_BITS], blocks;

    if (*n == WORKLOAD_SIZE_AUTO)
        *n = c->small ? 4096 : workload_words_past_cache(c);
    if (*n < BLOCK * TILES_LEAST || *n & (*n - 1))
        return error_set(error, STATUS_USAGE,
                         "radix-sort: n=%lld is not a power of two from %d. Give n=2048 or n=1048576.",
                         (long long)*n, BLOCK * TILES_LEAST);
    if (bits % 4)
        return error_set(error, STATUS_USAGE, "radix-sort: bits=%lld is not a multiple of 4. Give bits=%lld.",
                         (long long)bits, (long long)(bits / 4 * 4 + 4));
    blocks = *n / (BLOCK * TILES_LEAST);
    blocks = blocks < BLOCKS_MOST ? blocks : BLOCKS_MOST;
    enum status status =
        case_grid_of_threads(c, blocks * BLOCK, BLOCK, 2.0 * sizeof(uint32_t) * (double)*n, error);
    c->sums = (uint32_t)(radix_sort_digits(c) * c->grid[0]);
    if (!c->variant->library)
        c->effective_kernel = c->variant->kernels[KERNEL_MOVE].kernel;
    return status;
}

struct sort {
    struct device *device;
    device_pointer keys, other, count;
};

static enum status kernel_run(const struct workload_case *c, const struct sort *s, int kernel,
                              void **arguments, struct error *error)
{
    struct device_launch launch = {.image = "radix_sort",
                                   .kernel = c->variant->kernels[kernel].kernel,
                                   .grid = {c->grid[0], 1, 1},
                                   .block = {BLOCK, 1, 1},
                                   .arguments = arguments};

    return s->device->ops->launch(s->device, &launch, error);
}

/* One pass from keys to other; then the two are swapped. */
static enum status pass_run(const struct workload_case *c, struct sort *s, uint32_t shift,
                            struct error *error)
{
    uint32_t tile_count = (uint32_t)radix_sort_tiles(c), digit_count = (uint32_t)radix_sort_digits(c);
    void *count[] = {&s->count, &s->keys, &tile_count, &shift, &digit_count},
         *move[] = {&s->other, &s->keys, &s->count, &tile_count, &shift};
    device_pointer keys = s->keys;
    enum status status;

    if ((status = kernel_run(c, s, KERNEL_COUNT, count, error)) ||
        (status = scan_sums_launch(s->device, s->count, c->sums, error)) ||
        (status = kernel_run(c, s, KERNEL_MOVE, move, error)))
        return status;
    s->keys = s->other;
    s->other = keys;
    return STATUS_OK;
}

/* Sorts keys, with as much memory again, by eight bits per pass, unlike the kernels. */
static void reference_sort(uint32_t *keys, uint32_t *other, size_t n, uint32_t bits)
{
    for (uint32_t shift = 0; shift < bits; shift += 8) {
        uint32_t mask = bits - shift < 8 ? 0xfu : 0xffu;
        size_t begin[257] = {0};

        for (size_t i = 0; i < n; i++)
            begin[(keys[i] >> shift & mask) + 1]++;
        for (size_t d = 1; d <= mask; d++)
            begin[d] += begin[d - 1];
        for (size_t i = 0; i < n; i++)
            other[begin[keys[i] >> shift & mask]++] = keys[i];
        memcpy(keys, other, n * sizeof *keys);
    }
}

static enum status radix_sort_verify(const struct workload_case *c, const void *found,
                                     struct workload_result *result, struct error *error)
{
    size_t n = (size_t)c->params.value[PARAM_N];
    uint32_t *keys = malloc(2 * n * sizeof *keys);

    if (!keys)
        return error_set(error, STATUS_MEMORY,
                         "radix-sort: no memory to sort %zu keys on the host. Give less.", n);
    for (size_t i = 0; i < n; i++)
        keys[i] = workload_mixed(i);
    reference_sort(keys, keys + n, n, (uint32_t)c->params.value[PARAM_BITS]);
    result->verified = verify_words("key", 0, found, keys, n, result);
    free(keys);
    return STATUS_OK;
}

/* Runs all passes, as often as the bench says. */
static enum status rounds_run(const struct workload_case *c, struct workbench *bench, struct sort *s,
                              const void *keys, size_t bytes, struct error *error)
{
    enum status status = STATUS_OK;

    for (uint32_t round = 0; round < bench->rounds && status == STATUS_OK; round++) {
        status = s->device->ops->copy(s->device, DEVICE_COPY_TO_DEVICE, s->keys, device_host_address(keys),
                                      bytes, DEVICE_STREAM_DEFAULT, false, error);
        for (uint32_t shift = 0; shift < c->params.value[PARAM_BITS] && status == STATUS_OK;
             shift += (uint32_t)digit_bits(c))
            status = pass_run(c, s, shift, error);
    }
    return status;
}

/* One call sorts from keys to other. */
static enum status library_sort(const struct workload_case *c, struct workbench *bench, struct sort *s,
                                const void *keys, size_t bytes, struct error *error)
{
    struct library_call call = {.routine = LIBRARY_SORT,
                                .in = &s->keys,
                                .out = &s->other,
                                .n = bytes / sizeof(uint32_t),
                                .bits = (uint32_t)c->params.value[PARAM_BITS]};
    enum status status =
        s->device->ops->copy(s->device, DEVICE_COPY_TO_DEVICE, s->keys, device_host_address(keys), bytes,
                             DEVICE_STREAM_DEFAULT, false, error);

    if (status == STATUS_OK)
        status = library_launch(bench, &call, error);
    s->keys = s->other;
    return status;
}

static enum status radix_sort_run(const struct workload_case *c, struct workbench *bench,
                                  struct workload_result *result, struct error *error)
{
    size_t n = (size_t)c->params.value[PARAM_N], bytes = n * sizeof(uint32_t);
    struct sort sort = {.device = bench->device};
    device_pointer other;
    const float *found;
    void *keys;
    enum status status;

    if (library_missing(c, bench, LIBRARY_SORT, result))
        return STATUS_OK;
    if ((status = workbench_host_buffer(bench, SLOT_KEYS, HOST_REGISTERED, bytes, &keys, error)) ||
        (status = workbench_device_buffer(bench, SLOT_KEYS, bytes, &sort.keys, error)) ||
        (status = workbench_device_buffer(bench, SLOT_OTHER, bytes, &other, error)) ||
        (status = workbench_device_buffer(bench, SLOT_COUNT, c->sums * sizeof(uint32_t), &sort.count, error)))
        return status;
    for (size_t i = 0; i < n; i++)
        ((uint32_t *)keys)[i] = workload_mixed(i);
    sort.other = other;
    status = (c->variant->library ? library_sort : rounds_run)(c, bench, &sort, keys, bytes, error);
    if (status ||
        (status = workbench_fetch(bench, sort.keys == other ? SLOT_OTHER : SLOT_KEYS, n, &found, error)))
        return status;
    return radix_sort_verify(c, found, result, error);
}

const struct workload workload_radix_sort = {
    .name = "radix-sort",
    .chapter = CHAPTER_PRIMITIVES,
    .title = "Sort keys digit by digit: stores scattered or grouped",
    .words = "sorting thrust keys scatter coalescing CUB",
    .meaning = "A pass reads and writes all keys: fewer passes need larger digits, and their stores are "
               "scattered unless a block sorts its keys first",
    WORKLOAD_TABLES(params, variants),
    .devices_needed = 1,
    .resolve = radix_sort_resolve,
    .run = radix_sort_run,
};
