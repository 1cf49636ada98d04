/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three workloads of what calls do to the host's time: timing, async-calls and allocation. All run the kernel
 * `chunk` on few blocks, long enough that a call which waits for it can be seen.
 */
#include "workloads/frame/chunk.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#include <stdio.h>
#include <string.h>

#define BLOCKS 4
#define WORDS ((size_t)BLOCKS * CHUNK_WORDS_PER_BLOCK) /* of a launch */
#define STEPS_MAX 64

#define PARAM_LENGTH                                                                                         \
    {                                                                                                        \
        .name = "rounds",                                                                                    \
        .meaning = "multiplications and additions per word: how long a kernel takes; 0: by the size of the " \
                   "device",                                                                                 \
        SIZE_UP_TO(1 << 20, "rounds"), .step = CHUNK_FIRST_ROUNDS, .doubles = true                           \
    }

#define VARIANT(id, text, what)                                                               \
    {                                                                                         \
        .name = text, .meaning = what, .tag = id, .kernels = &chunk_kernel, .kernel_count = 1 \
    }

/* The arrays of a case: WORDS words for each of its launches. */
struct job {
    struct device *device;
    device_pointer in, out;
    float *host_in, *host_out;
    size_t bytes; /* of each */
    uint32_t rounds;
};

static void job_resolve(struct workload_case *c, int64_t *rounds, int64_t small, int64_t large)
{
    if (*rounds == WORKLOAD_SIZE_AUTO)
        *rounds = c->small ? small : large;
    c->grid[0] = BLOCKS;
    c->block[0] = CHUNK_BLOCK;
    c->grid[1] = c->grid[2] = c->block[1] = c->block[2] = 1;
    c->effective_bytes = 2.0 * sizeof(float) * WORDS;
    c->effective_kernel = chunk_kernel.kernel;
}

static enum status job_make(struct job *job, struct workbench *bench, size_t launches, int64_t rounds,
                            struct error *error)
{
    void *in, *out;
    enum status status;

    *job = (struct job){
        .device = bench->device, .bytes = launches * WORDS * sizeof(float), .rounds = (uint32_t)rounds};
    if ((status = workbench_device_buffer(bench, 0, job->bytes, &job->in, error)) ||
        (status = workbench_device_buffer(bench, 1, job->bytes, &job->out, error)) ||
        (status = workbench_host_buffer(bench, 0, HOST_PINNED, job->bytes, &in, error)) ||
        (status = workbench_host_buffer(bench, 1, HOST_PINNED, job->bytes, &out, error)))
        return status;
    job->host_in = in;
    job->host_out = out;
    chunk_input_fill(job->host_in, job->bytes / sizeof(float), 0);
    return STATUS_OK;
}

/* Before a round: the input is on the device, the outputs are poisoned, the device is idle. */
static enum status job_begin(struct job *job, struct error *error)
{
    const struct device_ops *ops = job->device->ops;
    enum status status;

    memset(job->host_out, WORKBENCH_POISON, job->bytes);
    if ((status = ops->copy(job->device, DEVICE_COPY_TO_DEVICE, job->in, device_host_address(job->host_in),
                            job->bytes, DEVICE_STREAM_DEFAULT, true, error)) ||
        (status =
             ops->set(job->device, job->out, WORKBENCH_POISON, job->bytes, DEVICE_STREAM_DEFAULT, error)))
        return status;
    return ops->sync(job->device, error);
}

static enum status job_launch(const struct job *job, device_pointer out, size_t launch, uint64_t stream,
                              struct error *error)
{
    return chunk_launch(job->device, out, job->in + launch * WORDS * sizeof(float), 0, WORDS, job->rounds,
                        BLOCKS, stream, error);
}

static enum status job_copy_out(const struct job *job, bool async, struct error *error)
{
    return job->device->ops->copy(job->device, DEVICE_COPY_TO_HOST, device_host_address(job->host_out),
                                  job->out, job->bytes, DEVICE_STREAM_DEFAULT, async, error);
}

static void job_verify(const struct job *job, struct workbench *bench, struct workload_result *result)
{
    workbench_digest(bench, job->host_out, job->bytes / sizeof(float));
    chunk_verify(job->host_out, job->bytes / sizeof(float), job->rounds, 0, result);
}

typedef enum status job_round(const struct workload_case *c, struct workbench *bench, struct job *job,
                              struct error *error);

/* Rounds between their preparation and a wait; the output comes back after each. */
static enum status job_run(const struct workload_case *c, struct workbench *bench, struct job *job,
                           job_round *round, struct workload_result *result, struct error *error)
{
    enum status status = STATUS_OK;

    for (uint32_t i = 0; i < bench->rounds && status == STATUS_OK; i++) {
        if ((status = job_begin(job, error)))
            return status;
        status = round(c, bench, job, error);
        /* Needed after an error, too: work enqueued before it uses the buffers. */
        enum status ended = job->device->ops->sync(job->device, status ? NULL : error);
        status = status ? status : ended;
        if (status == STATUS_OK)
            status = job_copy_out(job, false, error);
    }
    if (status == STATUS_OK)
        job_verify(job, bench, result);
    return status;
}

/* ---- timing ---- */

enum { TIMING_ROUNDS };
enum { TIMING_NO_WAIT, TIMING_WAIT, TIMING_COPY, TIMING_EVENTS, TIMING_OTHER_STREAM };

static const struct workload_param timing_params[] = {[TIMING_ROUNDS] = PARAM_LENGTH};

static const struct workload_variant timing_variants[] = {
    VARIANT(TIMING_NO_WAIT, "no-wait",
            "the host's clock before and after the launch: the time of the call, not of the kernel"),
    VARIANT(TIMING_WAIT, "wait", "the host waits for the device before it reads the clock again"),
    VARIANT(TIMING_COPY, "copy",
            "a blocking copy waits for the kernel, and the clock measures both together"),
    VARIANT(TIMING_EVENTS, "events", "events before and after the kernel, in its stream"),
    VARIANT(TIMING_OTHER_STREAM, "other-stream",
            "events in another stream than the kernel: they measure the time between two calls"),
};

static enum status timing_resolve(struct workload_case *c, struct error *error)
{
    (void)error;
    job_resolve(c, &c->params.value[TIMING_ROUNDS], 4096, 16384);
    return STATUS_OK;
}

/* The host's clock around the launch and what follows it: a range on the timeline. */
static enum status clock_round(const struct workload_case *c, struct workbench *bench, struct job *job,
                               struct error *error)
{
    workbench_tell(bench, WORKBENCH_RANGE_BEGIN, "host clock");
    enum status status = job_launch(job, job->out, 0, DEVICE_STREAM_DEFAULT, error);
    if (status == STATUS_OK && c->variant->tag == TIMING_WAIT)
        status = job->device->ops->sync(job->device, error);
    if (status == STATUS_OK && c->variant->tag == TIMING_COPY)
        status = job_copy_out(job, false, error);
    workbench_tell(bench, WORKBENCH_RANGE_END, "host clock");
    return status;
}

static enum status events_measure(struct workbench *bench, struct job *job, const uint64_t event[2],
                                  uint64_t kernel_stream, uint64_t event_stream, struct error *error)
{
    const struct device_ops *ops = job->device->ops;
    enum status status;
    char text[64];
    double ns;

    if ((status = ops->event_record(job->device, event[0], event_stream, error)) ||
        (status = job_launch(job, job->out, 0, kernel_stream, error)) ||
        (status = ops->event_record(job->device, event[1], event_stream, error)) ||
        (status = ops->event_elapsed(job->device, event[0], event[1], &ns, error)))
        return status;
    snprintf(text, sizeof text, "events: %.1f us", ns / 1e3);
    workbench_tell(bench, WORKBENCH_MARK, text);
    return STATUS_OK;
}

static enum status events_round(const struct workload_case *c, struct workbench *bench, struct job *job,
                                struct error *error)
{
    const struct device_ops *ops = job->device->ops;
    const uint64_t *streams;
    uint64_t event[2];
    enum status status = workbench_streams(bench, 2, &streams, error);

    if (status || (status = ops->event_create(job->device, &event[0], error)))
        return status;
    if ((status = ops->event_create(job->device, &event[1], error)) == STATUS_OK) {
        status = events_measure(bench, job, event, streams[0],
                                streams[c->variant->tag == TIMING_OTHER_STREAM], error);
        ops->event_destroy(job->device, event[1], NULL);
    }
    ops->event_destroy(job->device, event[0], NULL);
    return status;
}

static enum status timing_run(const struct workload_case *c, struct workbench *bench,
                              struct workload_result *result, struct error *error)
{
    bool events = c->variant->tag == TIMING_EVENTS || c->variant->tag == TIMING_OTHER_STREAM;
    struct job job;
    enum status status = job_make(&job, bench, 1, c->params.value[TIMING_ROUNDS], error);

    return status ? status : job_run(c, bench, &job, events ? events_round : clock_round, result, error);
}

const struct workload workload_timing = {
    .name = "timing",
    .chapter = CHAPTER_STREAMS,
    .title = "Measuring a kernel: the host's clock, and events",
    .words = "clock gettimeofday chrono timer cudaEvent cudaEventElapsedTime cudaDeviceSynchronize benchmark",
    .meaning =
        "A launch returns before its kernel has run: a clock of the host measures the call, unless the "
        "host waits; events measure on the device",
    WORKLOAD_TABLES(timing_params, timing_variants),
    .devices_needed = 1,
    .resolve = timing_resolve,
    .run = timing_run,
};

/* ---- async-calls ---- */

#define COPIED_MAX ((size_t)4 << 20)

enum { CALLS_ROUNDS };
enum {
    CALLS_LAUNCH,
    CALLS_SET,
    CALLS_ON_DEVICE,
    CALLS_IN_64K,
    CALLS_IN_1M,
    CALLS_IN_4M,
    CALLS_PINNED_ASYNC,
    CALLS_PINNED,
    CALLS_OUT
};

static const struct workload_param calls_params[] = {[CALLS_ROUNDS] = PARAM_LENGTH};

static const struct workload_variant calls_variants[] = {
    VARIANT(CALLS_LAUNCH, "launch", "another launch: returns at once"),
    VARIANT(CALLS_SET, "set", "a set of device memory: returns at once"),
    VARIANT(CALLS_ON_DEVICE, "on-device", "a copy within the device: returns at once"),
    VARIANT(CALLS_IN_64K, "in-64k", "64 KiB of pageable memory to the device: returns when they are read"),
    VARIANT(CALLS_IN_1M, "in-1m", "1 MiB of pageable memory: waits for the work before it"),
    VARIANT(CALLS_IN_4M, "in-4m", "4 MiB of pageable memory: waits for its own end"),
    VARIANT(CALLS_PINNED_ASYNC, "pinned-async", "4 MiB of pinned memory, asynchronous: returns at once"),
    VARIANT(CALLS_PINNED, "pinned", "the same in a call without Async: waits for its own end"),
    VARIANT(CALLS_OUT, "out", "64 KiB to pageable memory: waits for its own end"),
};

static enum status calls_resolve(struct workload_case *c, struct error *error)
{
    (void)error;
    job_resolve(c, &c->params.value[CALLS_ROUNDS], 4096, 16384);
    return STATUS_OK;
}

/* A copy between `device` and host memory, and its direction. */
struct copied {
    enum device_copy direction;
    enum host_memory memory;
    size_t bytes;
    bool async;
};

static const struct copied copies[] = {
    [CALLS_IN_64K] = {DEVICE_COPY_TO_DEVICE, HOST_PAGEABLE, 64 << 10, true},
    [CALLS_IN_1M] = {DEVICE_COPY_TO_DEVICE, HOST_PAGEABLE, 1 << 20, true},
    [CALLS_IN_4M] = {DEVICE_COPY_TO_DEVICE, HOST_PAGEABLE, 4 << 20, true},
    [CALLS_PINNED_ASYNC] = {DEVICE_COPY_TO_DEVICE, HOST_PINNED, 4 << 20, true},
    [CALLS_PINNED] = {DEVICE_COPY_TO_DEVICE, HOST_PINNED, 4 << 20, false},
    [CALLS_OUT] = {DEVICE_COPY_TO_HOST, HOST_PAGEABLE, 64 << 10, true},
};

static bool call_copies(const struct workload_case *c)
{
    return c->variant->tag >= CALLS_IN_64K;
}

static enum status call_issue(const struct workload_case *c, struct job *job, device_pointer there,
                              void *here, struct error *error)
{
    const struct device_ops *ops = job->device->ops;
    const struct copied *copied = &copies[c->variant->tag];
    bool in = copied->direction == DEVICE_COPY_TO_DEVICE;

    switch (c->variant->tag) {
    case CALLS_LAUNCH: return job_launch(job, job->out, 0, DEVICE_STREAM_DEFAULT, error);
    case CALLS_SET: return ops->set(job->device, there, 0, COPIED_MAX, DEVICE_STREAM_DEFAULT, error);
    case CALLS_ON_DEVICE:
        return ops->copy(job->device, DEVICE_COPY_ON_DEVICE, there, job->in, job->bytes,
                         DEVICE_STREAM_DEFAULT, true, error);
    default:
        return ops->copy(job->device, copied->direction, in ? there : device_host_address(here),
                         in ? device_host_address(here) : there, copied->bytes, DEVICE_STREAM_DEFAULT,
                         copied->async, error);
    }
}

/* Buffers of the call's own: the source of its copy has the pattern that all cases share, the destination is
 * poisoned. */
static enum status call_buffers(const struct workload_case *c, struct workbench *bench, device_pointer *there,
                                void **here, struct error *error)
{
    const struct device_ops *ops = bench->device->ops;
    bool out = call_copies(c) && copies[c->variant->tag].direction == DEVICE_COPY_TO_HOST;
    enum host_memory memory = call_copies(c) ? copies[c->variant->tag].memory : HOST_PAGEABLE;
    const float *pattern;
    enum status status;

    if ((status = workbench_pattern(bench, COPIED_MAX / sizeof(float), &pattern, error)) ||
        (status = workbench_device_buffer(bench, 2, COPIED_MAX, there, error)) ||
        (status = workbench_host_buffer(bench, 2, memory, COPIED_MAX, here, error)))
        return status;
    if (out)
        memset(*here, WORKBENCH_POISON, COPIED_MAX);
    else
        memcpy(*here, pattern, COPIED_MAX);
    return out ? ops->copy(bench->device, DEVICE_COPY_TO_DEVICE, *there, device_host_address(pattern),
                           COPIED_MAX, DEVICE_STREAM_DEFAULT, false, error)
               : ops->set(bench->device, *there, WORKBENCH_POISON, COPIED_MAX, DEVICE_STREAM_DEFAULT, error);
}

static enum status call_round(const struct workload_case *c, struct workbench *bench, struct job *job,
                              struct error *error)
{
    device_pointer there;
    void *here;
    enum status status;

    if ((status = call_buffers(c, bench, &there, &here, error)) ||
        (status = bench->device->ops->sync(bench->device, error)) ||
        (status = job_launch(job, job->out, 0, DEVICE_STREAM_DEFAULT, error)))
        return status;
    workbench_tell(bench, WORKBENCH_RANGE_BEGIN, "the call");
    status = call_issue(c, job, there, here, error);
    workbench_tell(bench, WORKBENCH_RANGE_END, "the call");
    return status;
}

/* What the call copied to the host, or to the device and now back. */
static enum status copied_verify(const struct workload_case *c, struct workbench *bench,
                                 struct workload_result *result, struct error *error)
{
    const struct copied *copied = &copies[c->variant->tag];
    size_t words = copied->bytes / sizeof(float);
    const float *found = bench->host_slots[copied->memory][2].pointer, *pattern;
    enum status status = workbench_pattern(bench, words, &pattern, error);

    if (status == STATUS_OK && copied->direction == DEVICE_COPY_TO_DEVICE)
        status = workbench_fetch(bench, 2, words, &found, error);
    if (status == STATUS_OK && result->verified == 1)
        verify_words("copied", 0, found, pattern, words, result);
    return status;
}

static enum status calls_run(const struct workload_case *c, struct workbench *bench,
                             struct workload_result *result, struct error *error)
{
    struct job job;
    enum status status = job_make(&job, bench, 1, c->params.value[CALLS_ROUNDS], error);

    if (status == STATUS_OK)
        status = job_run(c, bench, &job, call_round, result, error);
    return status || !call_copies(c) ? status : copied_verify(c, bench, result, error);
}

const struct workload workload_async_calls = {
    .name = "async-calls",
    .chapter = CHAPTER_STREAMS,
    .title = "Which calls wait for the device, and which return",
    .words = "asynchronous blocking cudaMemcpy cudaMemcpyAsync cudaMemset 64 KB pageable pinned host thread",
    .meaning = "Launches, sets and copies within the device return at once, and so do small copies to the "
               "device; other copies of pageable memory wait",
    WORKLOAD_TABLES(calls_params, calls_variants),
    .devices_needed = 1,
    .resolve = calls_resolve,
    .run = calls_run,
};

/* ---- allocation ---- */

enum { ALLOCATION_STEPS, ALLOCATION_ROUNDS };
enum { ALLOCATION_ONCE, ALLOCATION_LOOP, ALLOCATION_POOL, ALLOCATION_PINNED_ONCE, ALLOCATION_PINNED };

static const struct workload_param allocation_params[] = {
    [ALLOCATION_STEPS] = {.name = "steps",
                          .meaning = "steps, each with a kernel, a buffer for its result, and a copy of it",
                          .unit = "steps",
                          .minimum = 1,
                          .maximum = STEPS_MAX,
                          .standard = 16},
    [ALLOCATION_ROUNDS] = PARAM_LENGTH,
};

static const struct workload_variant allocation_variants[] = {
    VARIANT(ALLOCATION_ONCE, "once", "device memory allocated once, before the steps"),
    VARIANT(ALLOCATION_LOOP, "loop", "device memory allocated and freed in each step"),
    VARIANT(ALLOCATION_POOL, "pool", "the same from a pool, in stream order (cudaMallocAsync)"),
    VARIANT(ALLOCATION_PINNED_ONCE, "pinned-once", "pinned host memory allocated once, before the steps"),
    VARIANT(ALLOCATION_PINNED, "pinned-loop", "pinned host memory allocated and freed in each step"),
};

static enum status allocation_resolve(struct workload_case *c, struct error *error)
{
    (void)error;
    job_resolve(c, &c->params.value[ALLOCATION_ROUNDS], 1024, 1024);
    return STATUS_OK;
}

static enum status buffer_make(const struct workload_case *c, struct job *job, device_pointer *there,
                               void **here, struct error *error)
{
    const struct device_ops *ops = job->device->ops;
    size_t bytes = WORDS * sizeof(float);

    *there = 0;
    *here = NULL;
    if (c->variant->tag == ALLOCATION_POOL)
        return ops->memory_alloc_async(job->device, bytes, DEVICE_STREAM_DEFAULT, there, error);
    return c->variant->tag <= ALLOCATION_LOOP ? ops->memory_alloc(job->device, bytes, there, error)
                                              : ops->host_alloc(job->device, bytes, HOST_PINNED, here, error);
}

static enum status buffer_free(const struct workload_case *c, struct job *job, device_pointer there,
                               void *here, struct error *error)
{
    const struct device_ops *ops = job->device->ops;

    if (c->variant->tag == ALLOCATION_POOL)
        return ops->memory_free_async(job->device, there, DEVICE_STREAM_DEFAULT, error);
    return here ? ops->host_free(job->device, HOST_PINNED, here, error)
                : ops->memory_free(job->device, there, error);
}

/* A kernel, whose result goes through the buffer: into it and from there to the output, or through the host.
 */
static enum status step_run(struct job *job, size_t step, device_pointer there, void *here,
                            struct error *error)
{
    const struct device_ops *ops = job->device->ops;
    size_t bytes = WORDS * sizeof(float);
    device_pointer out = job->out + step * bytes;
    enum status status = job_launch(job, there ? there : out, step, DEVICE_STREAM_DEFAULT, error);

    if (status)
        return status;
    if (there)
        return ops->copy(job->device, DEVICE_COPY_ON_DEVICE, out, there, bytes, DEVICE_STREAM_DEFAULT, true,
                         error);
    status = ops->copy(job->device, DEVICE_COPY_TO_HOST, device_host_address(here), out, bytes,
                       DEVICE_STREAM_DEFAULT, true, error);
    return status ? status
                  : ops->copy(job->device, DEVICE_COPY_TO_DEVICE, out, device_host_address(here), bytes,
                              DEVICE_STREAM_DEFAULT, true, error);
}

static enum status allocation_round(const struct workload_case *c, struct workbench *bench, struct job *job,
                                    struct error *error)
{
    bool once = c->variant->tag == ALLOCATION_ONCE || c->variant->tag == ALLOCATION_PINNED_ONCE;
    int64_t steps = c->params.value[ALLOCATION_STEPS];
    enum status status = STATUS_OK;
    device_pointer there;
    void *here;

    (void)bench;
    for (int64_t step = 0; step < steps && status == STATUS_OK; step++) {
        if ((step == 0 || !once) && (status = buffer_make(c, job, &there, &here, error)))
            return status;
        status = step_run(job, (size_t)step, there, here, error);
        if (!once || step + 1 == steps || status) {
            enum status freed = buffer_free(c, job, there, here, status ? NULL : error);
            status = status ? status : freed;
        }
    }
    return status;
}

static enum status allocation_run(const struct workload_case *c, struct workbench *bench,
                                  struct workload_result *result, struct error *error)
{
    struct job job;
    enum status status = job_make(&job, bench, (size_t)c->params.value[ALLOCATION_STEPS],
                                  c->params.value[ALLOCATION_ROUNDS], error);

    return status ? status : job_run(c, bench, &job, allocation_round, result, error);
}

const struct workload workload_allocation = {
    .name = "allocation",
    .chapter = CHAPTER_STREAMS,
    .title = "Memory allocated once, in a loop, or from a pool",
    .words = "cudaMalloc cudaFree cudaMallocAsync cudaMallocHost memory pool reuse implicit synchronisation",
    .meaning = "Allocating and freeing take longer than small kernels, and they wait for the device; a pool "
               "does neither",
    WORKLOAD_TABLES(allocation_params, allocation_variants),
    .devices_needed = 1,
    .resolve = allocation_resolve,
    .run = allocation_run,
};
