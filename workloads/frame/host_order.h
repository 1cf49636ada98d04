/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order in which a host issues copies and kernels, as the kernel host_calls (workloads/kernels/host_calls.cu,
 * or a student's) writes it down, up to ORDER_END.
 *
 * Stream 0 is the legacy default stream. Each chunk is uploaded, computed and downloaded once, and each of these
 * must be ordered after the one before, by its stream, by a wait, by the default stream or by the host: an order
 * that only happens to work is an error. Plain data, owned by the caller.
 */
#ifndef WORKLOADS_FRAME_HOST_ORDER_H
#define WORKLOADS_FRAME_HOST_ORDER_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stdint.h>

#define ORDER_CHUNKS 8
#define ORDER_STREAMS 9 /* 0 to 8 */
#define ORDER_CALLS_MAX 256

#define ORDER_OP_LIST(X)    \
    X(END, "end")           \
    X(PINNED, "pinned")     \
    X(UPLOAD, "upload")     \
    X(COMPUTE, "compute")   \
    X(DOWNLOAD, "download") \
    X(WAIT, "wait")         \
    X(SYNCHRONIZE, "synchronize")
#define ORDER_OP_ENUM(name, text) ORDER_##name,
enum order_op { ORDER_OP_LIST(ORDER_OP_ENUM) ORDER_OP_COUNT };
#undef ORDER_OP_ENUM

struct order_call {
    uint32_t op;          /* enum order_op */
    uint32_t stream;      /* of WAIT: the one that waits */
    uint32_t first, last; /* chunks; of WAIT first is the other stream */
};

static inline bool order_moves(const struct order_call *call)
{
    return call->op >= ORDER_UPLOAD && call->op <= ORDER_DOWNLOAD;
}

/* Does it compute each chunk from its words, and is every call ordered after those that it needs? CHECK, with
 * the number of the call from 1: not so. *pinned: the host's memory is. */
enum status host_order_check(const struct order_call calls[ORDER_CALLS_MAX], bool *pinned,
                             struct error *error);

#endif
