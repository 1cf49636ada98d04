/*
 * What the workloads' own files share and nobody else needs: their tables, and sizes. Static data and pure
 * functions.
 */
#ifndef WORKLOADS_TABLES_H
#define WORKLOADS_TABLES_H

#include "workloads/workload.h"

extern const struct workload workload_copy_offset, workload_copy_stride, workload_bank_stride,
    workload_transpose, workload_matmul_ab, workload_n_way, workload_staged_overlap, workload_load_pattern,
    workload_word_size, workload_aos_soa, workload_block_multiple, workload_bank_broadcast,
    workload_matmul_aat, workload_occupancy_smem, workload_block_size, workload_ilp, workload_divergence,
    workload_l1_carveout, workload_atomics, workload_registers, workload_constant, workload_readonly,
    workload_local_array, workload_host_copy, workload_zero_copy, workload_issue_order,
    workload_default_stream, workload_concurrent_kernels, workload_peer, workload_launch, workload_prefetch,
    workload_reduction;
extern const struct workload workload_math, workload_texture, workload_scan, workload_compaction;
extern const struct workload workload_radix_sort, workload_histogram;

#define TABLE_COUNT(table) (sizeof(table) / sizeof *(table))
#define SITE_ACTIVE_NONE UINT64_MAX /* access_site.address: the lane is not active */

/* A site that every warp of every block executes once, at the same cost. */
#define SITE_ONCE(text, where, what, bytes, function)                                         \
    {                                                                                         \
        .name = text, .space = where, .op = what, .width_bytes = bytes, .count = access_once, \
        .address = function, .block_period = {1, 1, 1}, .warp_period = 1, .i_period = 1       \
    }

/* A site whose addresses depend on the data. */
#define SITE_BY_DATA(text, where, what)          \
    {                                            \
        .name = text, .space = where, .op = what \
    }

/* A case of `threads` threads in one dimension, in blocks of `block`: grid, block, and the variant's one
 * kernel with the bytes its algorithm must move. USAGE with a sentence when the threads are no multiple of
 * the block. */
enum status case_grid_of_threads(struct workload_case *c, int64_t threads, uint32_t block,
                                 double effective_bytes, struct error *error);

/* Words of an array that the level 2 cache does not hold: a power of two; 16 Ki words when the case is small.
 */
int64_t workload_words_past_cache(const struct workload_case *c);

/* Linear thread number in its block. */
static inline uint64_t access_thread(const struct access_point *at)
{
    return (uint64_t)at->warp * 32 + at->lane;
}

/* Word i of inputs that are to look random: its bits depend on all bits of i. */
static inline uint32_t workload_mixed(size_t i)
{
    uint32_t mixed = (uint32_t)i * 0x9e3779b1u;

    mixed ^= mixed >> 15;
    mixed *= 0x85ebca77u;
    return mixed ^ mixed >> 13;
}

/* access_site.count: once. */
uint64_t access_once(const struct workload_case *c);

#endif
