/* SPDX-License-Identifier: Apache-2.0 */
/*
 * n-way: the same work in five schedules, in which more and more runs side by side: copies in, kernels,
 * copies out, and the host.
 *
 *   serial   one copy in, one kernel, one copy out
 *   2-way    one copy in; then kernels beside copies out
 *   3-way    chunk by chunk: copies in, kernels, copies out side by side
 *   4-way    the same, two kernels a chunk: kernels side by side too
 *   4-way+   the same, and the host computes the last 2048 words
 */
#include "core/base/clock.h"

#include "workloads/frame/chunk.h"
#include "workloads/frame/tables.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#define CHUNKS 8
#define HOST_WORDS 2048 /* work of a host thread in the meantime */
#define UNIT (CHUNKS * 2 * CHUNK_WORDS_PER_BLOCK)

enum { PARAM_N, PARAM_ROUNDS };
enum { TAG_SERIAL, TAG_2_WAY, TAG_3_WAY, TAG_4_WAY, TAG_HOST };

static const struct workload_variant variants[] = {
    {.name = "serial",
     .meaning = "copy in, compute, copy out, one after the other",
     .tag = TAG_SERIAL,
     .kernels = &chunk_kernel,
     .kernel_count = 1},
    {.name = "2-way",
     .meaning = "kernels beside copies out",
     .tag = TAG_2_WAY,
     .kernels = &chunk_kernel,
     .kernel_count = 1},
    {.name = "3-way",
     .meaning = "copies in, kernels and copies out side by side",
     .tag = TAG_3_WAY,
     .kernels = &chunk_kernel,
     .kernel_count = 1},
    {.name = "4-way",
     .meaning = "and kernels beside kernels",
     .tag = TAG_4_WAY,
     .kernels = &chunk_kernel,
     .kernel_count = 1},
    {.name = "4-way+",
     .meaning = "and the host computes too",
     .tag = TAG_HOST,
     .kernels = &chunk_kernel,
     .kernel_count = 1},
};

/* The data of a schedule. Chunk k is words k * chunk_words ... */
struct schedule {
    struct device *device;
    const uint64_t *streams;             /* 2 * CHUNKS, and one for the host */
    uint64_t event;                      /* of the copy in for which 2-way's kernels wait */
    uint64_t start[CHUNKS], end[CHUNKS]; /* events before and after the second kernel of a chunk */
    float *host_in, *host_out;
    device_pointer in, out;
    size_t words,
        chunk_words; /* number of words: the device's, in chunks; in 4-way+ followed by the host's */
    uint32_t rounds, blocks;
    uint32_t host_thread; /* the thread that ran the host's share, and when (CLOCK_REALTIME) */
    int64_t host_start_ns, host_end_ns;
};

static enum status copy_in(const struct schedule *s, size_t first, size_t words, uint64_t stream,
                           struct error *error)
{
    return s->device->ops->copy(s->device, DEVICE_COPY_TO_DEVICE, s->in + first * sizeof(float),
                                device_host_address(s->host_in + first), words * sizeof(float), stream, true,
                                error);
}

static enum status copy_out(const struct schedule *s, size_t first, size_t words, uint64_t stream,
                            struct error *error)
{
    return s->device->ops->copy(s->device, DEVICE_COPY_TO_HOST, device_host_address(s->host_out + first),
                                s->out + first * sizeof(float), words * sizeof(float), stream, true, error);
}

static enum status n_way_compute(const struct schedule *s, size_t first, size_t words, uint64_t stream,
                                 struct error *error)
{
    return chunk_launch(s->device, s->out, s->in, first, words, s->rounds, s->blocks, stream, error);
}

static enum status n_way_serial(const struct schedule *s, struct error *error)
{
    uint64_t stream = s->streams[0];
    enum status status;

    if ((status = copy_in(s, 0, s->words, stream, error)) ||
        (status = n_way_compute(s, 0, s->words, stream, error)))
        return status;
    return copy_out(s, 0, s->words, stream, error);
}

static enum status two_way(const struct schedule *s, struct error *error)
{
    const struct device_ops *ops = s->device->ops;
    enum status status;

    if ((status = copy_in(s, 0, s->words, s->streams[0], error)) ||
        (status = ops->event_record(s->device, s->event, s->streams[0], error)))
        return status;
    for (size_t k = 0; k < CHUNKS; k++) {
        uint64_t stream = s->streams[k];
        if ((status = ops->event_wait(s->device, stream, s->event, error)) ||
            (status = n_way_compute(s, k * s->chunk_words, s->chunk_words, stream, error)) ||
            (status = copy_out(s, k * s->chunk_words, s->chunk_words, stream, error)))
            return status;
    }
    return STATUS_OK;
}

static enum status three_way(const struct schedule *s, struct error *error)
{
    for (size_t k = 0; k < CHUNKS; k++) {
        uint64_t stream = s->streams[k];
        enum status status;
        if ((status = copy_in(s, k * s->chunk_words, s->chunk_words, stream, error)) ||
            (status = n_way_compute(s, k * s->chunk_words, s->chunk_words, stream, error)) ||
            (status = copy_out(s, k * s->chunk_words, s->chunk_words, stream, error)))
            return status;
    }
    return STATUS_OK;
}

static enum status four_way(const struct schedule *s, struct error *error)
{
    const struct device_ops *ops = s->device->ops;
    size_t half = s->chunk_words / 2;

    for (size_t k = 0; k < CHUNKS; k++) {
        uint64_t stream = s->streams[2 * k], second = s->streams[2 * k + 1];
        size_t first = k * s->chunk_words;
        enum status status;
        if ((status = copy_in(s, first, s->chunk_words, stream, error)) ||
            (status = ops->event_record(s->device, s->start[k], stream, error)) ||
            (status = ops->event_wait(s->device, second, s->start[k], error)) ||
            (status = n_way_compute(s, first, half, stream, error)) ||
            (status = n_way_compute(s, first + half, half, second, error)) ||
            (status = ops->event_record(s->device, s->end[k], second, error)) ||
            (status = ops->event_wait(s->device, stream, s->end[k], error)) ||
            (status = copy_out(s, first, s->chunk_words, stream, error)))
            return status;
    }
    return STATUS_OK;
}

/* Computes the host's share; runs on a thread of the driver's, beside the device. */
static void host_share(void *argument)
{
    struct schedule *s = argument;

    s->host_thread = (uint32_t)gettid();
    s->host_start_ns = clock_real_ns();
    chunk_compute(s->host_out + s->words, s->host_in + s->words, HOST_WORDS, s->rounds);
    s->host_end_ns = clock_real_ns();
}

static enum status round_run(struct schedule *s, int tag, struct error *error)
{
    enum status status;

    switch (tag) {
    case TAG_SERIAL: return n_way_serial(s, error);
    case TAG_2_WAY: return two_way(s, error);
    case TAG_3_WAY: return three_way(s, error);
    case TAG_4_WAY: return four_way(s, error);
    default:
        status = s->device->ops->host_function(s->device, s->streams[2 * CHUNKS], host_share, s, error);
        return status ? status : four_way(s, error);
    }
}

static enum status n_way_resolve(struct workload_case *c, struct error *error)
{
    int64_t *n = &c->params.value[PARAM_N];
    int64_t kernels = c->variant->tag == TAG_SERIAL ? 1 : c->variant->tag < TAG_4_WAY ? CHUNKS : 2 * CHUNKS;

    (void)error;
    chunk_sizes_resolve(c, n, &c->params.value[PARAM_ROUNDS], UNIT);
    c->grid[0] = (uint32_t)(*n / kernels / CHUNK_WORDS_PER_BLOCK);
    c->grid[1] = c->grid[2] = 1;
    c->block[0] = CHUNK_BLOCK;
    c->block[1] = c->block[2] = 1;
    c->effective_bytes = 2.0 * sizeof(float) * (double)(*n / kernels);
    c->effective_kernel = chunk_kernel.kernel;
    if (c->variant->tag == TAG_HOST)
        *n += HOST_WORDS;
    return STATUS_OK;
}

static enum status schedule_init(struct schedule *s, const struct workload_case *c, struct workbench *bench,
                                 struct error *error)
{
    size_t n = (size_t)c->params.value[PARAM_N], bytes = n * sizeof(float);
    size_t words = c->variant->tag == TAG_HOST ? n - HOST_WORDS : n;
    const struct device_ops *ops = bench->device->ops;
    void *in, *out;
    enum status status;

    *s = (struct schedule){.device = bench->device,
                           .words = words,
                           .chunk_words = words / CHUNKS,
                           .rounds = (uint32_t)c->params.value[PARAM_ROUNDS],
                           .blocks = c->grid[0]};
    if ((status = workbench_device_buffer(bench, 0, bytes, &s->in, error)) ||
        (status = workbench_device_buffer(bench, 1, bytes, &s->out, error)) ||
        (status = workbench_host_buffer(bench, 0, HOST_PINNED, bytes, &in, error)) ||
        (status = workbench_host_buffer(bench, 1, HOST_PINNED, bytes, &out, error)) ||
        (status = workbench_streams(bench, 2 * CHUNKS + 1, &s->streams, error)) ||
        (status = ops->event_create(s->device, &s->event, error)))
        return status;
    for (size_t k = 0; k < CHUNKS; k++)
        if ((status = ops->event_create(s->device, &s->start[k], error)) ||
            (status = ops->event_create(s->device, &s->end[k], error)))
            return status;
    s->host_in = in;
    s->host_out = out;
    return STATUS_OK;
}

static void schedule_fini(struct schedule *s)
{
    const struct device_ops *ops = s->device->ops;

    if (s->event)
        ops->event_destroy(s->device, s->event, NULL);
    for (size_t k = 0; k < CHUNKS; k++) {
        if (s->start[k])
            ops->event_destroy(s->device, s->start[k], NULL);
        if (s->end[k])
            ops->event_destroy(s->device, s->end[k], NULL);
    }
}

static enum status n_way_run(const struct workload_case *c, struct workbench *bench,
                             struct workload_result *result, struct error *error)
{
    size_t n = (size_t)c->params.value[PARAM_N];
    const struct device_ops *ops = bench->device->ops;
    struct schedule s;
    enum status status = schedule_init(&s, c, bench, error);

    if (status == STATUS_OK)
        chunk_input_fill(s.host_in, n, 0);
    for (uint32_t round = 0; round < bench->rounds && status == STATUS_OK; round++) {
        memset(s.host_out, WORKBENCH_POISON, n * sizeof(float));
        status = ops->set(s.device, s.in, WORKBENCH_POISON, s.words * sizeof(float), 0, error);
        if (status == STATUS_OK)
            status = ops->set(s.device, s.out, WORKBENCH_POISON, s.words * sizeof(float), 0, error);
        if (status == STATUS_OK)
            status = ops->sync(s.device, error);
        if (status == STATUS_OK)
            status = round_run(&s, c->variant->tag, error);
        /* Needed after an error, too: work enqueued before it uses the buffers and the schedule. */
        enum status ended = ops->sync(s.device, status ? NULL : error);
        status = status ? status : ended;
        if (status == STATUS_OK && c->variant->tag == TAG_HOST && bench->host_ran)
            bench->host_ran(bench->listener, s.host_thread, s.host_start_ns, s.host_end_ns);
    }
    if (status == STATUS_OK) {
        workbench_digest(bench, s.host_out, n);
        chunk_verify(s.host_out, n, s.rounds, 0, result);
    }
    schedule_fini(&s);
    return status;
}

static const struct workload_param params[] = {
    [PARAM_N] = CHUNK_PARAM_N, [PARAM_ROUNDS] = CHUNK_PARAM_ROUNDS};

const struct workload workload_n_way = {
    .name = "n-way",
    .chapter = CHAPTER_STREAMS,
    .title = "Copies in, kernels, copies out, host: what overlaps",
    .words = "streams async asynchronous cudaMemcpyAsync concurrency copy engine pipeline",
    .meaning = "Copies in, copies out, kernels and the host use separate engines; streams let these work at "
               "the same time",
    WORKLOAD_TABLES(params, variants),
    .devices_needed = 1,
    .resolve = n_way_resolve,
    .run = n_way_run,
};
