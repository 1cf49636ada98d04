/*
 * What the workloads' own files share and nobody else needs: their tables, and sizes. Static data and pure
 * functions.
 */
#ifndef WORKLOADS_TABLES_H
#define WORKLOADS_TABLES_H

#include "workloads/workload.h"

extern const struct workload workload_copy_offset, workload_copy_stride, workload_bank_stride,
    workload_transpose, workload_matmul_ab, workload_n_way, workload_staged_overlap;

#define TABLE_COUNT(table) (sizeof(table) / sizeof *(table))
#define SITE_ACTIVE_NONE UINT64_MAX /* access_site.address: the lane is not active */

/* Words of an array that the level 2 cache does not hold: a power of two; 16 Ki words when the case is small.
 */
int64_t workload_words_past_cache(const struct workload_case *c);

/* Linear thread number in its block. */
static inline uint64_t access_thread(const struct access_point *at)
{
    return (uint64_t)at->warp * 32 + at->lane;
}

/* access_site.count: once. */
uint64_t access_once(const struct workload_case *c);

#endif
