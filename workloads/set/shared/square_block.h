/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a thread stands whose blocks are squares: threadIdx.x is the lane, threadIdx.y the warp; in blocks of 16 x 16 a warp has two rows.
 * The side is that of the case's block, in threads; rows and columns are of the whole grid. Any thread; for tables of access sites.
 */
#ifndef WORKLOADS_SET_SHARED_SQUARE_BLOCK_H
#define WORKLOADS_SET_SHARED_SQUARE_BLOCK_H

#include "workloads/frame/tables.h"

static inline uint64_t square_side(const struct workload_case *c)
{
    return c->block[0];
}

static inline uint64_t square_quarters(const struct workload_case *c)
{
    return square_side(c) / 4;
}

static inline uint64_t square_x(const struct workload_case *c, const struct access_point *at)
{
    return at->lane % square_side(c);
}

static inline uint64_t square_y(const struct workload_case *c, const struct access_point *at)
{
    return at->warp * (32 / square_side(c)) + at->lane / square_side(c);
}

static inline uint64_t square_row(const struct workload_case *c, const struct access_point *at)
{
    return at->block[1] * square_side(c) + square_y(c, at);
}

static inline uint64_t square_column(const struct workload_case *c, const struct access_point *at)
{
    return at->block[0] * square_side(c) + square_x(c, at);
}

#endif
