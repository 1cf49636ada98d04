/* SPDX-License-Identifier: Apache-2.0 */
/*
 * multi-gpu: one array, and two GPUs that compute a half of it each. What differs is the host: one thread
 * that waits for a GPU before it goes to the next, or a thread for each.
 *
 * A part is what one GPU does. The threads of the host share nothing but the array, of which each has its own
 * half.
 */
#include "workloads/frame/chunk.h"
#include "workloads/frame/tables.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define GPUS 2u

enum { PARAM_N, PARAM_ROUNDS };
enum { TAG_ONE, TAG_IN_TURN, TAG_THREADS };

static const struct workload_param params[] = {
    [PARAM_N] = CHUNK_PARAM_N, [PARAM_ROUNDS] = CHUNK_PARAM_ROUNDS};

#define VARIANT(text, id, what)                                                               \
    {                                                                                         \
        .name = text, .meaning = what, .tag = id, .kernels = &chunk_kernel, .kernel_count = 1 \
    }
static const struct workload_variant variants[] = {
    VARIANT("one", TAG_ONE, "one GPU does all of it"),
    VARIANT("in-turn", TAG_IN_TURN, "two GPUs, and one host thread, which waits for each before the next"),
    VARIANT("threads", TAG_THREADS, "two GPUs, and a host thread for each"),
};

static enum status multi_gpu_resolve(struct workload_case *c, struct error *error)
{
    const uint32_t gpus = c->variant->tag == TAG_ONE ? 1 : GPUS;
    int64_t *n = &c->params.value[PARAM_N];

    (void)error;
    chunk_sizes_resolve(c, n, &c->params.value[PARAM_ROUNDS], GPUS * CHUNK_WORDS_PER_BLOCK);
    c->grid[0] = (uint32_t)(*n / gpus / CHUNK_WORDS_PER_BLOCK);
    c->grid[1] = c->grid[2] = 1;
    c->block[0] = CHUNK_BLOCK;
    c->block[1] = c->block[2] = 1;
    c->effective_bytes = 2.0 * sizeof(float) * (double)(*n / gpus);
    c->effective_kernel = chunk_kernel.kernel;
    return STATUS_OK;
}

struct part {
    struct workbench *bench;
    uint32_t gpu, rounds, blocks;
    size_t words;
    float *host_in, *host_out;
    device_pointer in, out;
    uint64_t stream;
    enum status status; /* of its thread */
    struct error error;
};

/* The part's GPU, for the calls that follow. */
static struct device *device_of(const struct part *part)
{
    const struct workbench *bench = part->bench;

    return bench->gpu ? bench->gpu(bench->listener, part->gpu) : part->gpu ? bench->peer : bench->device;
}

static enum status part_init(struct part *part, struct error *error)
{
    struct device *device = device_of(part);
    enum status status = device->ops->memory_alloc(device, part->words * sizeof(float), &part->in, error);

    if (status == STATUS_OK)
        status = device->ops->memory_alloc(device, part->words * sizeof(float), &part->out, error);
    return status ? status : device->ops->stream_create(device, true, &part->stream, error);
}

static void part_fini(struct part *part)
{
    struct device *device = device_of(part);

    if (part->stream)
        device->ops->stream_destroy(device, part->stream, NULL);
    if (part->in)
        device->ops->memory_free(device, part->in, NULL);
    if (part->out)
        device->ops->memory_free(device, part->out, NULL);
}

static enum status part_issue(struct part *part, struct error *error)
{
    struct device *device = device_of(part);
    const size_t bytes = part->words * sizeof(float);
    enum status status =
        device->ops->copy(device, DEVICE_COPY_TO_DEVICE, part->in, device_host_address(part->host_in), bytes,
                          part->stream, true, error);

    if (status == STATUS_OK)
        status = chunk_launch(device, part->out, part->in, 0, part->words, part->rounds, part->blocks,
                              part->stream, error);
    return status ? status
                  : device->ops->copy(device, DEVICE_COPY_TO_HOST, device_host_address(part->host_out),
                                      part->out, bytes, part->stream, true, error);
}

static enum status part_wait(struct part *part, struct error *error)
{
    struct device *device = device_of(part);

    return device->ops->stream_sync(device, part->stream, error);
}

static void *part_thread(void *context)
{
    struct part *part = context;
    part->status = part_issue(part, &part->error);
    enum status ended = part_wait(part, part->status ? NULL : &part->error);

    part->status = part->status ? part->status : ended;
    return NULL;
}

static enum status run_in_turn(struct part *parts, uint32_t count, struct error *error)
{
    enum status status = STATUS_OK;

    for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
        part_thread(&parts[i]);
        status = parts[i].status;
        if (status && error)
            *error = parts[i].error;
    }
    return status;
}

/* What the threads' calls are where one follows the other: each has issued its work before it waits. */
static enum status run_beside(struct part *parts, uint32_t count, struct error *error)
{
    enum status status = STATUS_OK;

    for (uint32_t i = 0; i < count && status == STATUS_OK; i++)
        status = part_issue(&parts[i], error);
    for (uint32_t i = 0; i < count; i++) {
        enum status ended = part_wait(&parts[i], status ? NULL : error);
        status = status ? status : ended;
    }
    return status;
}

static enum status run_threads(struct part *parts, uint32_t count, struct error *error)
{
    pthread_t threads[GPUS];
    uint32_t started = 0;
    enum status status = STATUS_OK;

    while (started < count && pthread_create(&threads[started], NULL, part_thread, &parts[started]) == 0)
        started++;
    if (started < count)
        status = error_no_memory(error, "for a thread of the host");
    for (uint32_t i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
        if (parts[i].status && status == STATUS_OK) {
            status = parts[i].status;
            if (error)
                *error = parts[i].error;
        }
    }
    return status;
}

static enum status parts_run(const struct workload_case *c, struct part *parts, uint32_t count,
                             struct error *error)
{
    const struct workbench *bench = parts->bench;

    if (c->variant->tag != TAG_THREADS)
        return run_in_turn(parts, count, error);
    /* The model has one clock for the host; counters are taken of one kernel at a time. */
    return (bench->gpu || bench->replayed ? run_beside : run_threads)(parts, count, error);
}

static enum status multi_gpu_run(const struct workload_case *c, struct workbench *bench,
                                 struct workload_result *result, struct error *error)
{
    const uint32_t count = c->variant->tag == TAG_ONE ? 1 : GPUS;
    const size_t words = (size_t)c->params.value[PARAM_N];
    struct part parts[GPUS] = {{.bench = NULL}};
    void *host_in, *host_out;
    enum status status;

    if (count > 1 && !bench->peer && !bench->gpu) {
        snprintf(result->detail, sizeof result->detail,
                 "Not run: multi-gpu:%s needs two GPUs of one host, and there is one.", c->variant->name);
        return STATUS_OK;
    }
    if ((status = workbench_host_buffer(bench, 0, HOST_PINNED, words * sizeof(float), &host_in, error)) ||
        (status = workbench_host_buffer(bench, 1, HOST_PINNED, words * sizeof(float), &host_out, error)))
        return status;
    chunk_input_fill(host_in, words, 0);
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
        parts[i] = (struct part){.bench = bench,
                                 .gpu = i,
                                 .rounds = (uint32_t)c->params.value[PARAM_ROUNDS],
                                 .blocks = c->grid[0],
                                 .words = words / count,
                                 .host_in = (float *)host_in + i * (words / count),
                                 .host_out = (float *)host_out + i * (words / count)};
        status = part_init(&parts[i], error);
    }
    for (uint32_t round = 0; round < bench->rounds && status == STATUS_OK; round++) {
        memset(host_out, WORKBENCH_POISON, words * sizeof(float));
        status = parts_run(c, parts, count, error);
    }
    for (uint32_t i = count; i-- > 0;)
        if (parts[i].bench)
            part_fini(&parts[i]);
    if (status == STATUS_OK) {
        workbench_digest(bench, host_out, words);
        chunk_verify(host_out, words, (uint32_t)c->params.value[PARAM_ROUNDS], 0, result);
    }
    return status;
}

const struct workload workload_multi_gpu = {
    .name = "multi-gpu",
    .chapter = CHAPTER_STREAMS,
    .title = "Two GPUs: one host thread, or a thread for each",
    .words = "multi-GPU several GPUs host threads cudaSetDevice OpenMP pthreads std::thread",
    .meaning =
        "One host thread that waits for a GPU leaves the other idle; a thread for each keeps both busy",
    WORKLOAD_TABLES(params, variants),
    .devices_needed = 2,
    .gpus_modelled = GPUS,
    .resolve = multi_gpu_resolve,
    .run = multi_gpu_run,
};
