/*
 * The order in which a host issues copies and kernels, as a text that a student writes: a line per operation.
 *
 *     memory pinned              of the host; else pageable
 *     stream 1 upload 1-4        copies chunks 1 to 4 to the device: one asynchronous copy
 *     stream 1 compute 1-4       one kernel
 *     stream 1 download 1-4      copies the results to the host
 *     stream 2 wait 1            what follows in stream 2 waits for what is in stream 1 up to here
 *     synchronize                the host waits for everything
 *
 * # begins a comment. Stream 0 is the legacy default stream. Each chunk is uploaded, computed and downloaded
 * once, and each of these must be ordered after the one before, by its stream, by a wait, by the default
 * stream or by the host: an order that only happens to work is an error. Plain data, owned by the caller.
 */
#ifndef WORKLOADS_FRAME_HOST_ORDER_H
#define WORKLOADS_FRAME_HOST_ORDER_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORDER_CHUNKS 8
#define ORDER_STREAMS 9 /* 0 to 8 */
#define ORDER_STEPS_MAX 256
#define ORDER_BYTES_MAX (64u << 10)

#define ORDER_OP_LIST(X) \
    X(UPLOAD, "upload")  \
    X(COMPUTE, "compute") X(DOWNLOAD, "download") X(WAIT, "wait") X(SYNCHRONIZE, "synchronize")
#define ORDER_OP_ENUM(name, text) ORDER_##name,
enum order_op { ORDER_OP_LIST(ORDER_OP_ENUM) ORDER_OP_COUNT };
#undef ORDER_OP_ENUM

struct order_step {
    uint8_t op;          /* enum order_op */
    uint8_t stream;      /* not of SYNCHRONIZE */
    uint8_t first, last; /* chunks, from 0; of WAIT first is the other stream */
    uint16_t line;
};

struct host_order {
    bool pinned;
    struct order_step steps[ORDER_STEPS_MAX];
    size_t count;
};

/* FORMAT, with the line: it is malformed. */
enum status host_order_parse(const char *text, struct host_order *order, struct error *error);

/* Does it compute each chunk from its words, and is every step ordered after those that it needs? CHECK, with
 * the line: not so. */
enum status host_order_check(const struct host_order *order, struct error *error);

/* The text of a file, freed by the caller. */
enum status host_order_read(const char *path, char **text, struct error *error);

#endif
