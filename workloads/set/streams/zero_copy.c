/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zero-copy: the kernel reads the host's memory in place, instead of a copy first. Good for what is read
 * once.
 */
#include "core/base/clock.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#include <stdatomic.h>
#include <string.h>

#define BLOCK 256
#define SPARSE 64                        /* zero_copy_sparse reads one group of 32 words of so many */
#define WAIT_NS (INT64_C(10) * NS_PER_S) /* for a flag; a kernel that failed sets none */
#define STEP 1024 /* distance in words between two reads of a thread, as in zero_copy.cu */

enum { PARAM_READS, PARAM_N };
enum { TAG_COPIED, TAG_MAPPED, TAG_PUBLISHED, TAG_SPARSE_COPIED, TAG_SPARSE_MAPPED };

static const struct workload_param params[] = {
    [PARAM_READS] = {.name = "reads",
                     .meaning = "times each word is read",
                     .unit = "reads",
                     .minimum = 1,
                     .maximum = 64,
                     .standard = 1},
    [PARAM_N] = {.name = "n",
                 .meaning = "words, a multiple of 1024; 0: by the size of the device",
                 SIZE_UP_TO(1 << 29, "words")},
};

static uint64_t zero_copy_reads(const struct workload_case *c)
{
    return (uint64_t)c->params.value[PARAM_READS];
}

static uint64_t thread_of(const struct access_point *at)
{
    return at->block[0] * (uint64_t)BLOCK + access_thread(at);
}

static uint64_t load_address(const struct workload_case *c, const struct access_point *at)
{
    return (thread_of(at) + at->i * STEP) % (uint64_t)c->params.value[PARAM_N] * sizeof(float);
}

/* n and STEP are multiples of 1024: a warp's words never wrap around. */
static const struct access_site sites[] = {
    SITE_PER_TURN("in[...]", ACCESS_GLOBAL, ACCESS_LOAD, 4, zero_copy_reads, load_address),
    SITE_ONCE("out[i]", ACCESS_GLOBAL, ACCESS_STORE, 4, access_own_word),
};

static const struct kernel_sites kernels[] = {{KERNEL_SITES("zero_copy", sites)}};

static uint64_t flag_address(const struct workload_case *c, const struct access_point *at)
{
    (void)c;
    return access_thread(at) == 0 ? at->block[0] * sizeof(uint32_t) : SITE_ACTIVE_NONE;
}

static const struct access_site published_sites[] = {
    SITE_ONCE("in[i]", ACCESS_GLOBAL, ACCESS_LOAD, 4, access_own_word),
    SITE_ONCE("out[i]", ACCESS_GLOBAL, ACCESS_STORE, 4, access_own_word),
    {.name = "__threadfence_system()",
     .space = ACCESS_GLOBAL,
     .op = ACCESS_STORE,
     .system_fence = true,
     .count = access_once,
     .block_period = {1, 1, 1},
     .warp_period = 1},
    {.name = "flags[block]",
     .space = ACCESS_GLOBAL,
     .op = ACCESS_STORE,
     .width_bytes = sizeof(uint32_t),
     .count = access_once,
     .address = flag_address,
     .block_period = {1, 1, 1}},
};

static const struct kernel_sites published_kernels[] = {
    {KERNEL_SITES("zero_copy_published", published_sites)}};

static uint64_t sparse_index(uint64_t thread)
{
    return thread / 32 * 32 * SPARSE + thread % 32;
}

static uint64_t sparse_address(const struct workload_case *c, const struct access_point *at)
{
    (void)c;
    return sparse_index(thread_of(at)) * sizeof(float);
}

static const struct access_site sparse_sites[] = {
    SITE_ONCE("in[...]", ACCESS_GLOBAL, ACCESS_LOAD, 4, sparse_address),
    SITE_ONCE("out[i]", ACCESS_GLOBAL, ACCESS_STORE, 4, access_own_word),
};

static const struct kernel_sites sparse_kernels[] = {{KERNEL_SITES("zero_copy_sparse", sparse_sites)}};

static bool is_sparse(const struct workload_case *c)
{
    return c->variant->tag >= TAG_SPARSE_COPIED;
}

static bool is_published(const struct workload_case *c)
{
    return c->variant->tag == TAG_PUBLISHED;
}

static bool is_mapped(const struct workload_case *c)
{
    return c->variant->tag == TAG_MAPPED || c->variant->tag == TAG_SPARSE_MAPPED || is_published(c);
}

static size_t output_words(const struct workload_case *c)
{
    return (size_t)c->params.value[PARAM_N] / (is_sparse(c) ? SPARSE : 1);
}

static const struct workload_variant variants[] = {
    {.name = "copied",
     .meaning = "copy in, compute, copy out",
     .tag = TAG_COPIED,
     .kernels = kernels,
     .kernel_count = 1},
    {.name = "mapped",
     .meaning = "the kernel reads and writes the host's memory in place",
     .tag = TAG_MAPPED,
     .kernels = kernels,
     .kernel_count = 1},
    {.name = "published",
     .meaning =
         "in place; the host reads each block's words when a flag behind a fence says so (reads has no "
         "effect)",
     .tag = TAG_PUBLISHED,
     .kernels = published_kernels,
     .kernel_count = 1},
    {.name = "sparse-copied",
     .meaning = "the same for a kernel that reads one word of 64: all are copied in (reads has no effect)",
     .tag = TAG_SPARSE_COPIED,
     .kernels = sparse_kernels,
     .kernel_count = 1},
    {.name = "sparse-mapped",
     .meaning = "the same kernel reads the few words in place; n may be more than the device's memory holds",
     .tag = TAG_SPARSE_MAPPED,
     .kernels = sparse_kernels,
     .kernel_count = 1},
};

static enum status zero_copy_resolve(struct workload_case *c, struct error *error)
{
    int64_t *n = &c->params.value[PARAM_N];

    int unit = is_sparse(c) ? SPARSE * BLOCK : STEP;

    if (*n == WORKLOAD_SIZE_AUTO)
        *n = c->small ? 1 << 14 : 1 << 21;
    if (*n % unit)
        return error_set(error, STATUS_USAGE, "zero-copy: n=%lld is not a multiple of %d. Give n=%lld.",
                         (long long)*n, unit, (long long)((*n / unit + 1) * unit));
    int64_t threads = (int64_t)output_words(c);
    double flags = is_published(c) ? (double)threads / BLOCK : 0;
    return case_grid_of_threads(c, threads, BLOCK, sizeof(float) * (2.0 * (double)threads + flags), error);
}

struct buffers {
    float *host_in, *host_out;
    uint32_t *host_flags; /* of the blocks (published) */
    float *read;          /* what the host has read of host_out (published) */
    device_pointer in, out, flags;
};

static enum status published_buffers_make(const struct workload_case *c, struct workbench *bench,
                                          struct buffers *b, struct error *error)
{
    void *flags, *read;
    enum status status =
        workbench_host_buffer(bench, 2, HOST_MAPPED, c->grid[0] * sizeof(uint32_t), &flags, error);

    if (status || (status = bench->device->ops->host_pointer(bench->device, flags, &b->flags, error)) ||
        (status =
             workbench_host_buffer(bench, 2, HOST_PAGEABLE, output_words(c) * sizeof(float), &read, error)))
        return status;
    b->host_flags = flags;
    b->read = read;
    return STATUS_OK;
}

static enum status buffers_make(const struct workload_case *c, struct workbench *bench, struct buffers *b,
                                struct error *error)
{
    size_t bytes = (size_t)c->params.value[PARAM_N] * sizeof(float),
           out_bytes = output_words(c) * sizeof(float);
    bool mapped = is_mapped(c);
    enum host_memory kind = mapped ? HOST_MAPPED : HOST_PINNED;
    const struct device_ops *ops = bench->device->ops;
    void *in, *out;
    enum status status;

    if ((status = workbench_host_buffer(bench, 0, kind, bytes, &in, error)) ||
        (status = workbench_host_buffer(bench, 1, kind, out_bytes, &out, error)))
        return status;
    b->host_in = in;
    b->host_out = out;
    if (mapped) {
        if ((status = ops->host_pointer(bench->device, in, &b->in, error)) ||
            (status = ops->host_pointer(bench->device, out, &b->out, error)))
            return status;
        return is_published(c) ? published_buffers_make(c, bench, b, error) : STATUS_OK;
    }
    status = workbench_device_buffer(bench, 0, bytes, &b->in, error);
    return status ? status : workbench_device_buffer(bench, 1, out_bytes, &b->out, error);
}

/* The words of each block, as soon as its flag says that they are there. */
static void published_read(const struct workload_case *c, struct buffers *b)
{
    int64_t until = clock_monotonic_ns() + WAIT_NS;

    for (size_t block = 0; block < c->grid[0]; block++) {
        _Atomic uint32_t *flag = (_Atomic uint32_t *)&b->host_flags[block];

        while (!atomic_load_explicit(flag, memory_order_acquire))
            if (clock_monotonic_ns() > until)
                return;
        memcpy(&b->read[block * BLOCK], &b->host_out[block * BLOCK], BLOCK * sizeof(float));
    }
}

static enum status round_run(const struct workload_case *c, struct workbench *bench, struct buffers *b,
                             struct error *error)
{
    const struct device_ops *ops = bench->device->ops;
    size_t bytes = (size_t)c->params.value[PARAM_N] * sizeof(float);
    uint32_t read_count = (uint32_t)zero_copy_reads(c);
    void *last = is_published(c) ? (void *)&b->flags : &read_count;
    struct device_launch launch = {.image = "zero_copy",
                                   .kernel = c->effective_kernel,
                                   .grid = {c->grid[0], 1, 1},
                                   .block = {BLOCK, 1, 1},
                                   .arguments = (void *[]){(void *)&b->out, (void *)&b->in, last}};
    bool copied = !is_mapped(c);
    enum status status = STATUS_OK;

    if (copied)
        status = ops->copy(bench->device, DEVICE_COPY_TO_DEVICE, b->in, device_host_address(b->host_in),
                           bytes, DEVICE_STREAM_DEFAULT, true, error);
    if (status == STATUS_OK)
        status = ops->launch(bench->device, &launch, error);
    if (status == STATUS_OK && is_published(c))
        published_read(c, b);
    if (status == STATUS_OK && copied)
        status = ops->copy(bench->device, DEVICE_COPY_TO_HOST, device_host_address(b->host_out), b->out,
                           output_words(c) * sizeof(float), DEVICE_STREAM_DEFAULT, true, error);
    /* Needed after an error, too: work enqueued before it uses the buffers. */
    enum status ended = ops->sync(bench->device, status ? NULL : error);
    return status ? status : ended;
}

static void zero_copy_verify(const struct workload_case *c, const float *output,
                             struct workload_result *result)
{
    size_t n = (size_t)c->params.value[PARAM_N], reads = is_published(c) ? 1 : zero_copy_reads(c);

    for (size_t i = 0; i < output_words(c); i++) {
        float wanted = is_sparse(c) ? workbench_pattern_at(sparse_index(i)) : 0;

        for (size_t read = 0; !is_sparse(c) && read < reads; read++)
            wanted += workbench_pattern_at((i + read * STEP) % n);
        if (!verify_words("out", i, &output[i], &wanted, 1, result))
            return;
    }
    result->verified = 1;
}

static enum status zero_copy_run(const struct workload_case *c, struct workbench *bench,
                                 struct workload_result *result, struct error *error)
{
    size_t n = (size_t)c->params.value[PARAM_N];
    struct buffers b = {0};
    enum status status = buffers_make(c, bench, &b, error);

    if (status)
        return status;
    /* Of sparse words those that are read: the others stay zero, since there may be more than 1 GB of them.
     */
    for (size_t i = 0; i < (is_sparse(c) ? output_words(c) : n); i++) {
        size_t at = is_sparse(c) ? sparse_index(i) : i;
        b.host_in[at] = workbench_pattern_at(at);
    }
    for (uint32_t round = 0; round < bench->rounds && status == STATUS_OK; round++) {
        for (size_t i = 0; i < output_words(c); i++)
            b.host_out[i] = -1;
        if (is_published(c)) {
            memset(b.read, WORKBENCH_POISON, output_words(c) * sizeof(float));
            memset(b.host_flags, 0, c->grid[0] * sizeof(uint32_t));
        }
        status = round_run(c, bench, &b, error);
    }
    if (status == STATUS_OK) {
        const float *output = is_published(c) ? b.read : b.host_out;

        workbench_digest(bench, output, output_words(c));
        zero_copy_verify(c, output, result);
    }
    return status;
}

const struct workload workload_zero_copy = {
    .name = "zero-copy",
    .chapter = CHAPTER_STREAMS,
    .title = "A kernel reads host memory in place, without a copy",
    .words = "mapped pinned memory unified memory managed UVA __threadfence_system "
             "cudaHostAlloc cudaHostGetDevicePointer PCIe zerocopy",
    .meaning =
        "Data that is read once need not be copied first; data that is read again crosses the bus again",
    WORKLOAD_TABLES(params, variants),
    .devices_needed = 1,
    .resolve = zero_copy_resolve,
    .run = zero_copy_run,
    .sweeps = {"zero-copy:copied,reads=1|4|16", "zero-copy:mapped,reads=1|4|16", "zero-copy:published",
               "zero-copy:sparse-copied", "zero-copy:sparse-mapped"},
};
