/*
 * staged-overlap: copy everything and then compute, or copy and compute in chunks, each in a stream of its
 * own. Textbook: staged, the time comes near the larger of copy and compute plus one chunk's share of the
 * other, if the host's memory is pinned.
 */
#include "workloads/frame/chunk.h"
#include "workloads/frame/host_order.h"
#include "workloads/frame/tables.h"
#include "workloads/set/streams/host_order.h"

#define STREAMS_MAX 16
#define STREAMS_STANDARD 4

enum { PARAM_STREAMS, PARAM_N, PARAM_ROUNDS };
enum { TAG_PAGEABLE = 1, TAG_STAGED = 2, TAG_ORDER = 4 };

static const struct workload_param params[] = {
    [PARAM_STREAMS] = {.name = "streams",
                       .meaning = "chunks, each in a stream of its own; 0: 1 when whole, 4 when staged",
                       SIZE_UP_TO(STREAMS_MAX, "streams")},
    [PARAM_N] = CHUNK_PARAM_N,
    [PARAM_ROUNDS] = CHUNK_PARAM_ROUNDS,
};

/* The launches of an order are those of its file. */
static const struct kernel_sites order_kernel = {.kernel = "chunk", .data_dependent = true};

static const struct workload_variant variants[] = {
    {.name = "whole-pinned",
     .meaning = "copy all, then compute; pinned host memory",
     .tag = 0,
     .kernels = &chunk_kernel,
     .kernel_count = 1},
    {.name = "whole-pageable",
     .meaning = "copy all, then compute; pageable host memory",
     .tag = TAG_PAGEABLE,
     .kernels = &chunk_kernel,
     .kernel_count = 1},
    {.name = "staged-pinned",
     .meaning = "chunks in streams; pinned host memory",
     .tag = TAG_STAGED,
     .kernels = &chunk_kernel,
     .kernel_count = 1},
    {.name = "staged-pageable",
     .meaning = "chunks in streams; pageable host memory: its copies do not overlap",
     .tag = TAG_STAGED | TAG_PAGEABLE,
     .kernels = &chunk_kernel,
     .kernel_count = 1},
    {.name = "order",
     .meaning =
         "eight chunks, copied there and back in the order of --order FILE; without it in eight streams",
     .tag = TAG_ORDER,
     .kernels = &order_kernel,
     .kernel_count = 1,
     .takes_order = true},
};

static enum status staged_overlap_resolve(struct workload_case *c, struct error *error)
{
    int64_t *streams = &c->params.value[PARAM_STREAMS], *n = &c->params.value[PARAM_N];
    bool staged = c->variant->tag & TAG_STAGED, ordered = c->variant->tag & TAG_ORDER;

    if (*streams == WORKLOAD_SIZE_AUTO)
        *streams = ordered ? ORDER_CHUNKS : staged ? STREAMS_STANDARD : 1;
    if (ordered && *streams != ORDER_CHUNKS)
        return error_set(
            error, STATUS_USAGE,
            "staged-overlap:order has %d chunks, and streams=%lld was given. Leave it out: the order "
            "names its streams.",
            ORDER_CHUNKS, (long long)*streams);
    if (!staged && !ordered && *streams != 1)
        return error_set(error, STATUS_USAGE,
                         "staged-overlap:%s copies all in one stream, and streams=%lld was given. Leave it "
                         "out, or run a staged variant.",
                         c->variant->name, (long long)*streams);
    chunk_sizes_resolve(c, n, &c->params.value[PARAM_ROUNDS], *streams * CHUNK_WORDS_PER_BLOCK);
    c->grid[0] = (uint32_t)(*n / *streams / CHUNK_WORDS_PER_BLOCK);
    c->grid[1] = c->grid[2] = 1;
    c->block[0] = CHUNK_BLOCK;
    c->block[1] = c->block[2] = 1;
    c->effective_bytes = 2.0 * sizeof(float) * (double)(*n / *streams);
    c->effective_kernel = chunk_kernel.kernel;
    return STATUS_OK;
}

/* Chunk k in stream k: its copy, then its kernel. "Whole" is the same with one chunk. */
static enum status round_run(const struct workload_case *c, struct device *device, device_pointer in,
                             device_pointer out, const float *host_in, const uint64_t *streams,
                             struct error *error)
{
    size_t chunks = (size_t)c->params.value[PARAM_STREAMS], words = (size_t)c->params.value[PARAM_N] / chunks;
    uint32_t rounds = (uint32_t)c->params.value[PARAM_ROUNDS];
    enum status status = STATUS_OK;

    for (size_t k = 0; k < chunks && status == STATUS_OK; k++) {
        status = device->ops->copy(device, DEVICE_COPY_TO_DEVICE, in + k * words * sizeof(float),
                                   device_host_address(host_in + k * words), words * sizeof(float),
                                   streams[k], true, error);
        if (status == STATUS_OK)
            status = chunk_launch(device, out, in, k * words, words, rounds, c->grid[0], streams[k], error);
    }
    return status;
}

static enum status staged_overlap_run(const struct workload_case *c, struct workbench *bench,
                                      struct workload_result *result, struct error *error)
{
    size_t words = (size_t)c->params.value[PARAM_N];
    const struct device_ops *ops = bench->device->ops;
    enum host_memory kind = c->variant->tag & TAG_PAGEABLE ? HOST_PAGEABLE : HOST_PINNED;
    device_pointer in, out;
    const uint64_t *streams;
    const float *output;
    void *host_in, *fetched;
    enum status status;

    if (c->variant->tag & TAG_ORDER)
        return host_order_run(bench, words, (uint32_t)c->params.value[PARAM_ROUNDS], result, error);

    /* Also receives the results: pinning takes longer than the schedule, and would be timed with it. */
    if ((status = workbench_device_buffer(bench, 0, words * sizeof(float), &in, error)) ||
        (status = workbench_host_buffer(bench, 0, kind, words * sizeof(float), &host_in, error)) ||
        (status = workbench_host_buffer(bench, 1, HOST_PINNED, words * sizeof(float), &fetched, error)) ||
        (status = workbench_streams(bench, (uint32_t)c->params.value[PARAM_STREAMS], &streams, error)))
        return status;
    chunk_input_fill(host_in, words, bench->seed);
    for (uint32_t round = 0; round < bench->rounds; round++) {
        if ((status = workbench_output(bench, 1, words, &out, error)) ||
            (status = ops->set(bench->device, in, WORKBENCH_POISON, words * sizeof(float), 0, error)) ||
            (status = ops->sync(bench->device, error)))
            return status;
        status = round_run(c, bench->device, in, out, host_in, streams, error);
        /* Needed after an error, too: work enqueued before it uses the buffers. */
        enum status ended = ops->sync(bench->device, status ? NULL : error);
        if (status || ended)
            return status ? status : ended;
    }
    status = workbench_fetch(bench, 1, words, &output, error);
    if (status == STATUS_OK)
        chunk_verify(output, words, (uint32_t)c->params.value[PARAM_ROUNDS], bench->seed, result);
    return status;
}

const struct workload workload_staged_overlap = {
    .name = "staged-overlap",
    .chapter = CHAPTER_STREAMS,
    .title = "Copying while computing: chunks in several streams",
    .words =
        "streams async asynchronous cudaMemcpyAsync concurrency pinned pageable pipeline double buffering",
    .meaning = "The kernel of one chunk runs while the next chunk is copied: the whole takes hardly more "
               "than the longer of the two",
    WORKLOAD_TABLES(params, variants),
    WORKLOAD_SEEDED,
    .devices_needed = 1,
    .resolve = staged_overlap_resolve,
    .run = staged_overlap_run,
    .sweeps =
        {
            "staged-overlap:whole-pinned",
            "staged-overlap:whole-pageable",
            "staged-overlap:staged-pinned,streams=1|2|3|4|6|8|12|16",
            "staged-overlap:staged-pageable,streams=1|2|4|8|16",
            "staged-overlap:order",
        },
};
