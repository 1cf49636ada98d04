/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peer: words of another GPU. Copied through the host or directly, or read by a kernel where they lie. Needs
 * two GPUs; the model has them in one device, of which the current one is chosen.
 */
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#include <stdio.h>

#define BLOCK 256

enum { PARAM_N };
enum { TAG_STAGED, TAG_DIRECT, TAG_KERNEL };

static const struct workload_param params[] = {
    [PARAM_N] = {.name = "n",
                 .meaning = "words, a multiple of 256; 0: by the size of the device",
                 SIZE_UP_TO(1 << 28, "words")},
};

static const struct access_site sites[] = {
    SITE_ONCE("in[i], of the other GPU", ACCESS_GLOBAL, ACCESS_LOAD, 4, access_own_word),
    SITE_ONCE("out[i]", ACCESS_GLOBAL, ACCESS_STORE, 4, access_own_word),
};

static const struct kernel_sites kernels[] = {{KERNEL_SITES("block_multiple", sites)}};

static const struct workload_variant variants[] = {
    {.name = "staged", .meaning = "a copy without peer access: through the host", .tag = TAG_STAGED},
    {.name = "direct", .meaning = "a copy with peer access", .tag = TAG_DIRECT},
    {.name = "kernel",
     .meaning = "a kernel reads the other GPU's memory in place",
     .tag = TAG_KERNEL,
     .kernels = kernels,
     .kernel_count = 1},
};

static enum status peer_resolve(struct workload_case *c, struct error *error)
{
    int64_t *n = &c->params.value[PARAM_N];

    if (*n == WORKLOAD_SIZE_AUTO)
        *n = c->small ? 1 << 14 : case_threads_that_fit(c, 1 << 24, BLOCK);
    if (c->variant->kernel_count)
        return case_grid_of_threads(c, *n, BLOCK, 2.0 * sizeof(float) * (double)*n, error);
    enum status status =
        *n % BLOCK ? error_set(error, STATUS_USAGE, "peer: n=%lld is not a multiple of %d. Give n=%lld.",
                               (long long)*n, BLOCK, ((long long)*n / BLOCK + 1) * BLOCK)
                   : STATUS_OK;
    for (int i = 0; i < 3; i++)
        c->grid[i] = c->block[i] = 1;
    return status;
}

/* The device to talk to the other GPU; first_device: to the first one again. */
static struct device *other_device(struct workbench *bench)
{
    return bench->gpu ? bench->gpu(bench->listener, 1) : bench->peer;
}

static struct device *first_device(struct workbench *bench)
{
    return bench->gpu ? bench->gpu(bench->listener, 0) : bench->device;
}

/* The input in the other GPU's memory, to be freed by the caller. */
static enum status other_fill(struct workbench *bench, size_t words, const float *pattern,
                              device_pointer *pointer, struct error *error)
{
    struct device *other = other_device(bench);
    enum status status = other->ops->memory_alloc(other, words * sizeof(float), pointer, error);

    if (status == STATUS_OK) {
        status = other->ops->copy(other, DEVICE_COPY_TO_DEVICE, *pointer, device_host_address(pattern),
                                  words * sizeof(float), DEVICE_STREAM_DEFAULT, false, error);
        if (status)
            other->ops->memory_free(other, *pointer, NULL);
    }
    first_device(bench);
    return status;
}

static enum status peer_move(const struct workload_case *c, struct workbench *bench, device_pointer out,
                             device_pointer in, struct error *error)
{
    struct device *device = bench->device;
    struct device_launch launch = {.image = "block_multiple",
                                   .kernel = kernels[0].kernel,
                                   .grid = {c->grid[0], 1, 1},
                                   .block = {c->block[0], 1, 1},
                                   .arguments = (void *[]){&out, &in}};
    enum status status = STATUS_OK;

    for (uint32_t i = 0; i < bench->launches && status == STATUS_OK; i++)
        status = c->variant->tag == TAG_KERNEL
                     ? device->ops->launch(device, &launch, error)
                     : device->ops->peer_copy(device, out, bench->gpu ? device : bench->peer, in,
                                              (size_t)c->params.value[PARAM_N] * sizeof(float),
                                              DEVICE_STREAM_DEFAULT, error);
    enum status ended = device->ops->sync(device, status ? NULL : error);
    return status ? status : ended;
}

static enum status moved_directly(const struct workload_case *c, struct workbench *bench, device_pointer out,
                                  device_pointer in, struct error *error)
{
    struct device *device = bench->device, *other = bench->gpu ? device : bench->peer;
    enum status status = device->ops->peer_enable(device, other, true, error);

    if (status)
        return status;
    status = peer_move(c, bench, out, in, error);
    device->ops->peer_enable(device, other, false, NULL);
    return status;
}

static enum status peer_run(const struct workload_case *c, struct workbench *bench,
                            struct workload_result *result, struct error *error)
{
    size_t words = (size_t)c->params.value[PARAM_N];
    struct device *device = bench->device;
    bool direct = false, wants_direct = c->variant->tag != TAG_STAGED;
    const float *pattern, *output;
    device_pointer in, out;
    enum status status;

    if (!bench->peer && !bench->gpu) {
        snprintf(result->detail, sizeof result->detail,
                 "Not run: peer:%s needs two GPUs of one host, and there is one.", c->variant->name);
        return STATUS_OK;
    }
    if ((status = device->ops->peer_access(device, bench->gpu ? device : bench->peer, &direct, error)))
        return status;
    if (wants_direct && !direct) {
        snprintf(
            result->detail, sizeof result->detail,
            "Not run: these two GPUs do not reach each other's memory; peer:staged goes through the host.");
        return STATUS_OK;
    }
    if ((status = workbench_pattern(bench, words, &pattern, error)) ||
        (status = workbench_output(bench, 1, words, &out, error)) ||
        (status = other_fill(bench, words, pattern, &in, error)))
        return status;
    status = (wants_direct ? moved_directly : peer_move)(c, bench, out, in, error);
    if (status == STATUS_OK)
        status = workbench_fetch(bench, 1, words, &output, error);
    if (status == STATUS_OK)
        result->verified = verify_words("out", 0, output, pattern, words, result);
    struct device *other = other_device(bench);
    other->ops->memory_free(other, in, NULL);
    first_device(bench);
    return status;
}

const struct workload workload_peer = {
    .name = "peer",
    .chapter = CHAPTER_STREAMS,
    .title = "Another GPU's memory: copied, or read directly",
    .words = "multi-GPU P2P NVLink peer-to-peer UVA cudaMemcpyPeer",
    .meaning = "With peer access a copy goes from GPU to GPU, and a kernel may read the other's memory; "
               "without it all goes through the host",
    WORKLOAD_TABLES(params, variants),
    .devices_needed = 2,
    .gpus_modelled = 2,
    .resolve = peer_resolve,
    .run = peer_run,
};
