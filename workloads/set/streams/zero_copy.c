/*
 * zero-copy: the kernel reads the host's memory in place, instead of a copy first. Good for what is read
 * once.
 */
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#define BLOCK 256
#define STEP 1024 /* distance in words between two reads of a thread, as in zero_copy.cu */

enum { PARAM_READS, PARAM_N };
enum { TAG_COPIED, TAG_MAPPED };

static const struct workload_param params[] = {
    [PARAM_READS] = {.name = "reads",
                     .meaning = "times each word is read",
                     .unit = "reads",
                     .minimum = 1,
                     .maximum = 64,
                     .standard = 1},
    [PARAM_N] = {.name = "n",
                 .meaning = "words, a multiple of 1024; 0: by the size of the device",
                 .unit = "words",
                 .minimum = WORKLOAD_SIZE_AUTO,
                 .maximum = 1 << 26,
                 .standard = WORKLOAD_SIZE_AUTO},
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

static uint64_t store_address(const struct workload_case *c, const struct access_point *at)
{
    (void)c;
    return thread_of(at) * sizeof(float);
}

/* n and STEP are multiples of 1024: a warp's words never wrap around. */
static const struct access_site sites[] = {
    SITE_PER_TURN("in[...]", ACCESS_GLOBAL, ACCESS_LOAD, 4, zero_copy_reads, load_address),
    SITE_ONCE("out[i]", ACCESS_GLOBAL, ACCESS_STORE, 4, store_address),
};

static const struct kernel_sites kernels[] = {
    {.kernel = "zero_copy", .sites = sites, .site_count = TABLE_COUNT(sites)}};

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
};

static enum status zero_copy_resolve(struct workload_case *c, struct error *error)
{
    int64_t *n = &c->params.value[PARAM_N];

    if (*n == WORKLOAD_SIZE_AUTO)
        *n = c->small ? 1 << 14 : 1 << 21;
    if (*n % STEP)
        return error_set(error, STATUS_USAGE, "zero-copy: n=%lld is not a multiple of %d. Give n=%lld.",
                         (long long)*n, STEP, (long long)((*n / STEP + 1) * STEP));
    return case_grid_of_threads(c, *n, BLOCK, 2.0 * sizeof(float) * (double)*n, error);
}

struct buffers {
    float *host_in, *host_out;
    device_pointer in, out;
};

static enum status buffers_make(const struct workload_case *c, struct workbench *bench, struct buffers *b,
                                struct error *error)
{
    size_t bytes = (size_t)c->params.value[PARAM_N] * sizeof(float);
    bool mapped = c->variant->tag == TAG_MAPPED;
    enum host_memory kind = mapped ? HOST_MAPPED : HOST_PINNED;
    const struct device_ops *ops = bench->device->ops;
    void *in, *out;
    enum status status;

    if ((status = workbench_host_buffer(bench, 0, kind, bytes, &in, error)) ||
        (status = workbench_host_buffer(bench, 1, kind, bytes, &out, error)))
        return status;
    b->host_in = in;
    b->host_out = out;
    if (mapped) {
        status = ops->host_pointer(bench->device, in, &b->in, error);
        return status ? status : ops->host_pointer(bench->device, out, &b->out, error);
    }
    status = workbench_device_buffer(bench, 0, bytes, &b->in, error);
    return status ? status : workbench_device_buffer(bench, 1, bytes, &b->out, error);
}

static enum status round_run(const struct workload_case *c, struct workbench *bench, const struct buffers *b,
                             struct error *error)
{
    const struct device_ops *ops = bench->device->ops;
    size_t bytes = (size_t)c->params.value[PARAM_N] * sizeof(float);
    uint32_t read_count = (uint32_t)zero_copy_reads(c);
    struct device_launch launch = {.image = "zero_copy",
                                   .kernel = c->effective_kernel,
                                   .grid = {c->grid[0], 1, 1},
                                   .block = {BLOCK, 1, 1},
                                   .arguments = (void *[]){(void *)&b->out, (void *)&b->in, &read_count}};
    bool copied = c->variant->tag == TAG_COPIED;
    enum status status = STATUS_OK;

    if (copied)
        status = ops->copy(bench->device, DEVICE_COPY_TO_DEVICE, b->in, device_host_address(b->host_in),
                           bytes, DEVICE_STREAM_DEFAULT, true, error);
    if (status == STATUS_OK)
        status = ops->launch(bench->device, &launch, error);
    if (status == STATUS_OK && copied)
        status = ops->copy(bench->device, DEVICE_COPY_TO_HOST, device_host_address(b->host_out), b->out,
                           bytes, DEVICE_STREAM_DEFAULT, true, error);
    /* Needed after an error, too: work enqueued before it uses the buffers. */
    enum status ended = ops->sync(bench->device, status ? NULL : error);
    return status ? status : ended;
}

static void zero_copy_verify(const struct workload_case *c, const float *output,
                             struct workload_result *result)
{
    size_t n = (size_t)c->params.value[PARAM_N];

    for (size_t i = 0; i < n; i++) {
        float wanted = 0;

        for (size_t read = 0; read < zero_copy_reads(c); read++)
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
    struct buffers b;
    enum status status = buffers_make(c, bench, &b, error);

    if (status)
        return status;
    for (size_t i = 0; i < n; i++)
        b.host_in[i] = workbench_pattern_at(i);
    for (uint32_t round = 0; round < bench->rounds && status == STATUS_OK; round++) {
        for (size_t i = 0; i < n; i++)
            b.host_out[i] = -1;
        status = round_run(c, bench, &b, error);
    }
    if (status == STATUS_OK) {
        workbench_digest(bench, b.host_out, n);
        zero_copy_verify(c, b.host_out, result);
    }
    return status;
}

const struct workload workload_zero_copy = {
    .name = "zero-copy",
    .chapter = CHAPTER_STREAMS,
    .title = "A kernel reads host memory in place, without a copy",
    .words = "mapped pinned memory unified memory managed UVA cudaHostAlloc cudaHostGetDevicePointer PCIe "
             "zerocopy",
    .meaning =
        "Data that is read once need not be copied first; data that is read again crosses the bus again",
    .params = params,
    .param_count = TABLE_COUNT(params),
    .variants = variants,
    .variant_count = TABLE_COUNT(variants),
    .devices_needed = 1,
    .resolve = zero_copy_resolve,
    .run = zero_copy_run,
    .sweeps = {"zero-copy,reads=1|4|16"},
};
