/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three workloads of kernels and copies in streams: issue-order, default-stream and concurrent-kernels. All
 * run the kernel `chunk` over chunks of one array; what differs is the stream each operation goes to, and the
 * order in which the host issues them.
 */
#include "workloads/frame/chunk.h"
#include "workloads/frame/tables.h"

#include <string.h>

#define CHUNKS_MAX 32

/* The arrays of a case: chunk k is words k * words ... of both. */
struct chunks {
    struct device *device;
    device_pointer in, out;
    float *host_in, *host_out;
    size_t count, words;
    uint32_t rounds, blocks;
};

static enum status chunks_make(struct chunks *s, const struct workload_case *c, struct workbench *bench,
                               size_t count, size_t words, uint32_t rounds, struct error *error)
{
    size_t bytes = count * words * sizeof(float);
    void *in, *out;
    enum status status;

    *s = (struct chunks){
        .device = bench->device, .count = count, .words = words, .rounds = rounds, .blocks = c->grid[0]};
    if ((status = workbench_device_buffer(bench, 0, bytes, &s->in, error)) ||
        (status = workbench_device_buffer(bench, 1, bytes, &s->out, error)) ||
        (status = workbench_host_buffer(bench, 0, HOST_PINNED, bytes, &in, error)) ||
        (status = workbench_host_buffer(bench, 1, HOST_PINNED, bytes, &out, error)))
        return status;
    s->host_in = in;
    s->host_out = out;
    chunk_input_fill(s->host_in, count * words, 0);
    return STATUS_OK;
}

static enum status copy_in(const struct chunks *s, size_t k, size_t chunks, uint64_t stream,
                           struct error *error)
{
    return s->device->ops->copy(s->device, DEVICE_COPY_TO_DEVICE, s->in + k * s->words * sizeof(float),
                                device_host_address(s->host_in + k * s->words),
                                chunks * s->words * sizeof(float), stream, true, error);
}

static enum status copy_out(const struct chunks *s, size_t k, size_t chunks, uint64_t stream,
                            struct error *error)
{
    return s->device->ops->copy(
        s->device, DEVICE_COPY_TO_HOST, device_host_address(s->host_out + k * s->words),
        s->out + k * s->words * sizeof(float), chunks * s->words * sizeof(float), stream, true, error);
}

static enum status streams_compute(const struct chunks *s, size_t k, uint64_t stream, struct error *error)
{
    return chunk_launch(s->device, s->out, s->in, k * s->words, s->words, s->rounds, s->blocks, stream,
                        error);
}

typedef enum status schedule(const struct workload_case *c, struct workbench *bench, struct chunks *s,
                             struct error *error);

/* Rounds of a schedule, with poisoning before each; `around`: the copies in and out are before and after the
 * schedule, not part of it. */
static enum status chunks_run(const struct workload_case *c, struct workbench *bench, struct chunks *s,
                              schedule *issue, bool around, struct workload_result *result,
                              struct error *error)
{
    const struct device_ops *ops = s->device->ops;
    size_t words = s->count * s->words;
    enum status status = STATUS_OK;

    for (uint32_t round = 0; round < bench->rounds && status == STATUS_OK; round++) {
        memset(s->host_out, WORKBENCH_POISON, words * sizeof(float));
        if ((status = ops->set(s->device, s->out, WORKBENCH_POISON, words * sizeof(float), 0, error)) ||
            (around && (status = copy_in(s, 0, s->count, 0, error))) ||
            (status = ops->sync(s->device, error)))
            return status;
        status = issue(c, bench, s, error);
        /* Needed after an error, too: work enqueued before it uses the buffers. */
        enum status ended = ops->sync(s->device, status ? NULL : error);
        status = status ? status : ended;
        if (status == STATUS_OK && around)
            status = copy_out(s, 0, s->count, 0, error);
        if (status == STATUS_OK && around)
            status = ops->sync(s->device, error);
    }
    if (status == STATUS_OK) {
        workbench_digest(bench, s->host_out, words);
        chunk_verify(s->host_out, words, s->rounds, 0, result);
    }
    return status;
}

/* A launch of `blocks` blocks, each thread with its usual words. */
static void grid_resolve(struct workload_case *c, uint32_t blocks)
{
    c->grid[0] = blocks;
    c->block[0] = CHUNK_BLOCK;
    c->grid[1] = c->grid[2] = c->block[1] = c->block[2] = 1;
    c->effective_bytes = 2.0 * sizeof(float) * blocks * CHUNK_WORDS_PER_BLOCK;
    c->effective_kernel = chunk_kernel.kernel;
}

#define VARIANT(id, text, what)                                                               \
    {                                                                                         \
        .name = text, .meaning = what, .tag = id, .kernels = &chunk_kernel, .kernel_count = 1 \
    }

/* ---- issue-order ---- */

enum { ORDER_STREAMS, ORDER_N, ORDER_ROUNDS };
enum { ORDER_DEPTH, ORDER_BREADTH };

static const struct workload_param order_params[] = {
    [ORDER_STREAMS] = {.name = "streams",
                       .meaning = "streams, each with a copy in, a kernel and a copy out",
                       .unit = "streams",
                       .minimum = 1,
                       .maximum = 16,
                       .standard = 4},
    [ORDER_N] = CHUNK_PARAM_N,
    [ORDER_ROUNDS] = CHUNK_PARAM_ROUNDS,
};

static const struct workload_variant order_variants[] = {
    VARIANT(ORDER_DEPTH, "depth-first",
            "stream by stream: copy in, kernel, copy out, then the next stream's"),
    VARIANT(ORDER_BREADTH, "breadth-first", "all copies in, then all kernels, then all copies out"),
};

static enum status order_resolve(struct workload_case *c, struct error *error)
{
    int64_t streams = c->params.value[ORDER_STREAMS];

    (void)error;
    chunk_sizes_resolve(c, &c->params.value[ORDER_N], &c->params.value[ORDER_ROUNDS],
                        streams * CHUNK_WORDS_PER_BLOCK);
    grid_resolve(c, (uint32_t)(c->params.value[ORDER_N] / streams / CHUNK_WORDS_PER_BLOCK));
    return STATUS_OK;
}

static enum status order_issue(const struct workload_case *c, struct workbench *bench, struct chunks *s,
                               struct error *error)
{
    const uint64_t *streams;
    size_t steps = 3 * s->count;
    enum status status = workbench_streams(bench, (uint32_t)s->count, &streams, error);

    for (size_t i = 0; i < steps && status == STATUS_OK; i++) {
        bool depth = c->variant->tag == ORDER_DEPTH;
        size_t k = depth ? i / 3 : i % s->count, step = depth ? i % 3 : i / s->count;

        status = step == 0   ? copy_in(s, k, 1, streams[k], error)
                 : step == 1 ? streams_compute(s, k, streams[k], error)
                             : copy_out(s, k, 1, streams[k], error);
    }
    return status;
}

static enum status order_run(const struct workload_case *c, struct workbench *bench,
                             struct workload_result *result, struct error *error)
{
    size_t count = (size_t)c->params.value[ORDER_STREAMS];
    struct chunks s;
    enum status status = chunks_make(&s, c, bench, count, (size_t)c->params.value[ORDER_N] / count,
                                     (uint32_t)c->params.value[ORDER_ROUNDS], error);

    return status ? status : chunks_run(c, bench, &s, order_issue, false, result, error);
}

const struct workload workload_issue_order = {
    .name = "issue-order",
    .chapter = CHAPTER_STREAMS,
    .title = "The order of issue: depth first or breadth first",
    .words = "streams async concurrency Hyper-Q hardware queue false dependency",
    .meaning = "With one hardware queue the order decided what overlapped; with one queue per stream it "
               "hardly matters",
    WORKLOAD_TABLES(order_params, order_variants),
    .devices_needed = 1,
    .resolve = order_resolve,
    .run = order_run,
};

/* ---- default-stream ---- */

#define TRIO 3 /* kernels: before, between, behind */

#define PARAM_ROUNDS                                                                            \
    {                                                                                           \
        .name = "rounds",                                                                       \
        .meaning = "multiplications and additions per word: how long each kernel takes; 0: by " \
                   "the size of the device",                                                    \
        SIZE_UP_TO(1 << 20, "rounds"), .step = CHUNK_FIRST_ROUNDS, .doubles = true              \
    }
enum { TRIO_ROUNDS };
enum {
    TRIO_STREAMS,
    TRIO_LEGACY,
    TRIO_NON_BLOCKING,
    TRIO_PER_THREAD,
    TRIO_ALLOCATION,
    TRIO_PINNED,
    TRIO_SET
};

static const struct workload_param trio_params[] = {
    [TRIO_ROUNDS] = PARAM_ROUNDS,
};

static const struct workload_variant trio_variants[] = {
    VARIANT(TRIO_STREAMS, "streams", "three small kernels in three streams: side by side"),
    VARIANT(TRIO_LEGACY, "legacy",
            "the second in the legacy default stream: it waits for all others, and they wait for it"),
    VARIANT(TRIO_NON_BLOCKING, "non-blocking", "the same, but the other streams were created non-blocking"),
    VARIANT(TRIO_PER_THREAD, "per-thread", "the second in the thread's own default stream"),
    VARIANT(TRIO_ALLOCATION, "allocation",
            "device memory is freed and allocated between them: the driver waits for the device"),
    VARIANT(TRIO_PINNED, "pinned",
            "pinned host memory is allocated and freed between them: the driver waits for the device"),
    VARIANT(TRIO_SET, "set", "device memory is set in the legacy default stream between them"),
};

static enum status trio_resolve(struct workload_case *c, struct error *error)
{
    int64_t *rounds = &c->params.value[TRIO_ROUNDS];

    (void)error;
    if (*rounds == WORKLOAD_SIZE_AUTO)
        *rounds = c->small ? 4096 : 16384; /* a kernel takes longer than the launches of all others */
    grid_resolve(c, 4);
    return STATUS_OK;
}

/* What a variant does between two kernels. */
static enum status trio_between(const struct workload_case *c, struct workbench *bench, struct error *error)
{
    struct device *device = bench->device;
    device_pointer pointer;
    enum status status;
    void *host;

    switch (c->variant->tag) {
    case TRIO_ALLOCATION:
        status = device->ops->memory_alloc(device, 1 << 20, &pointer, error);
        return status ? status : device->ops->memory_free(device, pointer, error);
    case TRIO_PINNED:
        status = device->ops->host_alloc(device, 1 << 20, HOST_PINNED, &host, error);
        return status ? status : device->ops->host_free(device, HOST_PINNED, host, error);
    case TRIO_SET:
        status = workbench_device_buffer(bench, 2, 1 << 20, &pointer, error);
        return status ? status : device->ops->set(device, pointer, 0, 1 << 20, DEVICE_STREAM_DEFAULT, error);
    default: return STATUS_OK;
    }
}

/* Blocking streams are created by the case: the bench's are non-blocking. */
static enum status trio_issue(const struct workload_case *c, struct workbench *bench, struct chunks *s,
                              struct error *error)
{
    const struct device_ops *ops = s->device->ops;
    uint64_t stream[TRIO] = {0};
    bool created[TRIO] = {false};
    enum status status = STATUS_OK;

    for (size_t k = 0; k < TRIO && status == STATUS_OK; k++) {
        if (k == 1 && c->variant->tag == TRIO_PER_THREAD) {
            stream[k] = DEVICE_STREAM_PER_THREAD;
        } else if (k != 1 || (c->variant->tag != TRIO_LEGACY && c->variant->tag != TRIO_NON_BLOCKING)) {
            status = ops->stream_create(s->device, c->variant->tag == TRIO_NON_BLOCKING, &stream[k], error);
            created[k] = status == STATUS_OK;
        }
    }
    for (size_t k = 0; k < TRIO && status == STATUS_OK; k++) {
        status = streams_compute(s, k, stream[k], error);
        if (status == STATUS_OK && k + 1 < TRIO)
            status = trio_between(c, bench, error);
    }
    enum status ended = ops->sync(s->device, status ? NULL : error);
    status = status ? status : ended;
    for (size_t k = 0; k < TRIO; k++)
        if (created[k])
            ops->stream_destroy(s->device, stream[k], NULL);
    return status;
}

static enum status trio_run(const struct workload_case *c, struct workbench *bench,
                            struct workload_result *result, struct error *error)
{
    struct chunks s;
    enum status status = chunks_make(&s, c, bench, TRIO, (size_t)c->grid[0] * CHUNK_WORDS_PER_BLOCK,
                                     (uint32_t)c->params.value[TRIO_ROUNDS], error);

    return status ? status : chunks_run(c, bench, &s, trio_issue, true, result, error);
}

const struct workload workload_default_stream = {
    .name = "default-stream",
    .chapter = CHAPTER_STREAMS,
    .title = "The default stream makes the other streams wait",
    .words = "null stream legacy per-thread implicit synchronization synchronisation blocking cudaMalloc "
             "cudaFree async concurrency",
    .meaning = "The legacy default stream waits for all blocking streams, and they wait for it; some driver "
               "calls wait for the whole device",
    WORKLOAD_TABLES(trio_params, trio_variants),
    .devices_needed = 1,
    .resolve = trio_resolve,
    .run = trio_run,
};

/* ---- concurrent-kernels ---- */

enum { MANY_KERNELS, MANY_STREAMS, MANY_ROUNDS };

static const struct workload_param many_params[] = {
    [MANY_KERNELS] = {.name = "kernels",
                      .meaning = "small kernels, of two blocks each",
                      .unit = "kernels",
                      .minimum = 1,
                      .maximum = CHUNKS_MAX,
                      .standard = 16},
    [MANY_STREAMS] = {.name = "streams",
                      .meaning = "streams that the kernels are distributed to",
                      .unit = "streams",
                      .minimum = 1,
                      .maximum = CHUNKS_MAX,
                      .standard = 16},
    [MANY_ROUNDS] = PARAM_ROUNDS,
};

static const struct workload_variant many_variants[] = {
    VARIANT(0, "kernels", "kernels too small to fill the device, distributed to streams"),
};

static enum status many_resolve(struct workload_case *c, struct error *error)
{
    int64_t *rounds = &c->params.value[MANY_ROUNDS];

    (void)error;
    if (*rounds == WORKLOAD_SIZE_AUTO)
        *rounds = c->small ? 4096 : 8192; /* a kernel takes longer than the launches of all others */
    grid_resolve(c, 2);
    return STATUS_OK;
}

static enum status many_issue(const struct workload_case *c, struct workbench *bench, struct chunks *s,
                              struct error *error)
{
    uint32_t count = (uint32_t)c->params.value[MANY_STREAMS];
    const uint64_t *streams;
    enum status status = workbench_streams(bench, count, &streams, error);

    for (size_t k = 0; k < s->count && status == STATUS_OK; k++)
        status = streams_compute(s, k, streams[k % count], error);
    return status;
}

static enum status many_run(const struct workload_case *c, struct workbench *bench,
                            struct workload_result *result, struct error *error)
{
    struct chunks s;
    enum status status = chunks_make(&s, c, bench, (size_t)c->params.value[MANY_KERNELS],
                                     (size_t)c->grid[0] * CHUNK_WORDS_PER_BLOCK,
                                     (uint32_t)c->params.value[MANY_ROUNDS], error);

    return status ? status : chunks_run(c, bench, &s, many_issue, true, result, error);
}

const struct workload workload_concurrent_kernels = {
    .name = "concurrent-kernels",
    .chapter = CHAPTER_STREAMS,
    .title = "Small kernels side by side in several streams",
    .words = "streams concurrency parallel kernels async small grids",
    .meaning = "A kernel of two blocks leaves most of the device idle; kernels in other streams can run at "
               "the same time",
    WORKLOAD_TABLES(many_params, many_variants),
    .devices_needed = 1,
    .resolve = many_resolve,
    .run = many_run,
    .sweeps =
        {
            "concurrent-kernels,kernels=16,streams=1|2|4|8|16",
            "concurrent-kernels,kernels=32,streams=32",
        },
};
