/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables and sizes that only the workloads' own files use. Static data and pure functions.
 */
#ifndef WORKLOADS_FRAME_TABLES_H
#define WORKLOADS_FRAME_TABLES_H

#include "workloads/frame/workload.h"

/* Every workload, in the order of the lists on screen and of `--all`. */
#define WORKLOAD_LIST(X)  \
    X(copy_offset)        \
    X(copy_stride)        \
    X(load_pattern)       \
    X(word_size)          \
    X(aos_soa)            \
    X(block_multiple)     \
    X(block_shape)        \
    X(bank_stride)        \
    X(bank_broadcast)     \
    X(transpose)          \
    X(matmul_ab)          \
    X(matmul_aat)         \
    X(matmul_tiles)       \
    X(timing)             \
    X(host_copy)          \
    X(transfer_worth)     \
    X(zero_copy)          \
    X(n_way)              \
    X(staged_overlap)     \
    X(issue_order)        \
    X(default_stream)     \
    X(async_calls)        \
    X(allocation)         \
    X(concurrent_kernels) \
    X(multi_gpu)          \
    X(peer)               \
    X(launch)             \
    X(occupancy_smem)     \
    X(block_size)         \
    X(ilp)                \
    X(divergence)         \
    X(sync_loop)          \
    X(math)               \
    X(l1_carveout)        \
    X(atomics)            \
    X(registers)          \
    X(latency)            \
    X(constant)           \
    X(texture)            \
    X(texture_kinds)      \
    X(readonly)           \
    X(local_array)        \
    X(prefetch)           \
    X(reduction)          \
    X(scan)               \
    X(compaction)         \
    X(radix_sort)         \
    X(histogram)          \
    X(fft)

#define WORKLOAD_DECLARATION(name) extern const struct workload workload_##name;
WORKLOAD_LIST(WORKLOAD_DECLARATION)
#undef WORKLOAD_DECLARATION

#define TABLE_COUNT(table) (sizeof(table) / sizeof *(table))
#define SITE_ACTIVE_NONE UINT64_MAX /* access_site.address: the lane is not active */

/* In a struct workload: its tables of parameters and of variants. */
#define WORKLOAD_TABLES(params_table, variants_table)                                             \
    .params = params_table, .param_count = TABLE_COUNT(params_table), .variants = variants_table, \
    .variant_count = TABLE_COUNT(variants_table)
/* In a struct workload whose input follows the seed: all of its inputs, or the first row of them. */
#define WORKLOAD_SEEDED .inputs = workload_inputs, .input_count = 1
#define INPUT_SEED                                                                                  \
    {                                                                                               \
        .name = "seed", .meaning = "which input: 0 is the usual one, any other is of random words", \
        .unit = "inputs", .minimum = 0, .maximum = INT64_MAX / 2, .standard = 0                     \
    }
extern const struct workload_param workload_inputs[1];
/* In a row of struct workload_param: a size that the workload chooses for the device where none is given. */
#define SIZE_UP_TO(most, of) \
    .unit = of, .minimum = WORKLOAD_SIZE_AUTO, .maximum = most, .standard = WORKLOAD_SIZE_AUTO
/* In a row of struct kernel_sites: a kernel's name and the table of all its sites. */
#define KERNEL_SITES(name, table) .kernel = name, .sites = table, .site_count = TABLE_COUNT(table)
/* In a row of struct workload_variant: its one kernel. */
#define ONE_KERNEL(name, table)                                \
    .kernel_count = 1, .kernels = &(const struct kernel_sites) \
    {                                                          \
        KERNEL_SITES(name, table)                              \
    }

/* A site that every warp of every block executes `turns` times, each time at the same cost. */
#define SITE_PER_TURN(text, where, what, bytes, turns, function)                                             \
    {                                                                                                        \
        .name = text, .space = where, .op = what, .width_bytes = bytes, .count = turns, .address = function, \
        .block_period = {1, 1, 1}, .warp_period = 1, .i_period = 1                                           \
    }
#define SITE_ONCE(text, where, what, bytes, function) \
    SITE_PER_TURN(text, where, what, bytes, access_once, function)

/* A site whose addresses depend on the data. */
#define SITE_BY_DATA(text, where, what)          \
    {                                            \
        .name = text, .space = where, .op = what \
    }

/* A function for access_site.address: the byte address of the access `at` of the case `c`. */
#define ACCESS_ADDRESS(function, bytes)                                                    \
    static uint64_t function(const struct workload_case *c, const struct access_point *at) \
    {                                                                                      \
        (void)c;                                                                           \
        return bytes;                                                                      \
    }

/* The threads, halved until the device takes a grid of blocks of `block` in one dimension. */
int64_t case_threads_that_fit(const struct workload_case *c, int64_t threads, uint32_t block);

/* A case of `threads` threads in one dimension, in blocks of `block`: sets grid, block, and the variant's one
 * kernel with the bytes that its algorithm must move. STATUS_USAGE with a sentence if the threads are not a
 * multiple of the block. */
enum status case_grid_of_threads(struct workload_case *c, int64_t threads, uint32_t block,
                                 double effective_bytes, struct error *error);

/* Number of words of an array that does not fit into the L2 cache: a power of two; 16 Ki words if the case is
 * small. */
int64_t workload_words_past_cache(const struct workload_case *c);

/* Linear thread number in its block. */
static inline uint64_t access_thread(const struct access_point *at)
{
    return (uint64_t)at->warp * 32 + at->lane;
}

/* Word i of inputs that should look random: its bits depend on all bits of i. */
static inline uint32_t workload_mixed(size_t i)
{
    uint32_t mixed = (uint32_t)i * 0x9e3779b1u;

    mixed ^= mixed >> 15;
    mixed *= 0x85ebca77u;
    return mixed ^ mixed >> 13;
}

/* The same of a case whose input follows the seed. */
static inline uint32_t workload_random(const struct workload_case *c, size_t i)
{
    return workload_seed(c) ? (uint32_t)(workbench_random(workload_seed(c), i) >> 32) : workload_mixed(i);
}

/* access_site.count: once. */
uint64_t access_once(const struct workload_case *c);

/* access_site.address: the word of 4 bytes that has the thread's number in a grid of one dimension. */
uint64_t access_own_word(const struct workload_case *c, const struct access_point *at);

#endif
