/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch: many kernels that take no longer than their launches, one by one, as a graph, and launched by a
 * kernel.
 */
#include "workloads/frame/image.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#include <stdio.h>
#include <string.h>

#define BLOCK 128
#define BLOCKS 4
#define WORDS (BLOCK * BLOCKS)

enum { PARAM_KERNELS };
enum { TAG_STREAM, TAG_GRAPH, TAG_NESTED };

static const struct workload_param params[] = {
    [PARAM_KERNELS] = {.name = "kernels",
                       .meaning = "kernels, one after the other",
                       .unit = "kernels",
                       .minimum = 1,
                       .maximum = 1024,
                       .standard = 100},
};

static const struct access_site sites[] = {
    SITE_ONCE("word[i]", ACCESS_GLOBAL, ACCESS_LOAD, 4, access_own_word),
    SITE_ONCE("word[i] = ", ACCESS_GLOBAL, ACCESS_STORE, 4, access_own_word),
};

static const struct kernel_sites kernels[] = {{KERNEL_SITES("small_add", sites)}};

/* The launching kernel stores only the parameters of its launches, which depends on CUDA. */
static const struct kernel_sites nested_kernels[] = {{KERNEL_SITES("nested_add", sites)},
                                                     {.kernel = "nested_launch", .data_dependent = true}};

static const struct workload_variant variants[] = {
    {.name = "stream",
     .meaning = "a launch for each kernel",
     .tag = TAG_STREAM,
     .kernels = kernels,
     .kernel_count = 1},
    {.name = "graph",
     .meaning = "all kernels in one graph, launched once",
     .tag = TAG_GRAPH,
     .kernels = kernels,
     .kernel_count = 1},
    {.name = "nested",
     .meaning = "one kernel, whose one thread launches all others",
     .tag = TAG_NESTED,
     .kernels = nested_kernels,
     .kernel_count = TABLE_COUNT(nested_kernels)},
};

static enum status launch_resolve(struct workload_case *c, struct error *error)
{
    return case_grid_of_threads(c, WORDS, BLOCK, 2.0 * sizeof(uint32_t) * WORDS, error);
}

static enum status kernels_issue(const struct workload_case *c, struct device *device, device_pointer words,
                                 uint64_t stream, struct error *error)
{
    struct device_launch launch = {.image = "small",
                                   .kernel = c->effective_kernel,
                                   .grid = {BLOCKS, 1, 1},
                                   .block = {BLOCK, 1, 1},
                                   .arguments = (void *[]){&words},
                                   .stream = stream};
    enum status status = STATUS_OK;

    for (int64_t k = 0; k < c->params.value[PARAM_KERNELS] && status == STATUS_OK; k++)
        status = device->ops->launch(device, &launch, error);
    return status;
}

/* The graph is created before the timing starts, and launched once in each round. */
static enum status graph_rounds(const struct workload_case *c, struct workbench *bench, device_pointer words,
                                uint64_t stream, struct error *error)
{
    struct device *device = bench->device;
    uint64_t graph;
    enum status status = device->ops->graph_begin(device, stream, error);

    if (status)
        return status;
    status = kernels_issue(c, device, words, stream, error);
    enum status ended = device->ops->graph_end(device, stream, &graph, status ? NULL : error);
    if (ended)
        return status ? status : ended;
    for (uint32_t round = 0; round < bench->rounds && status == STATUS_OK; round++) {
        status = device->ops->graph_launch(device, graph, stream, error);
        if (status == STATUS_OK)
            status = device->ops->stream_sync(device, stream, error);
    }
    device->ops->graph_destroy(device, graph, NULL);
    return status;
}

static enum status stream_rounds(const struct workload_case *c, struct workbench *bench, device_pointer words,
                                 uint64_t stream, struct error *error)
{
    enum status status = STATUS_OK;

    for (uint32_t round = 0; round < bench->rounds && status == STATUS_OK; round++) {
        status = kernels_issue(c, bench->device, words, stream, error);
        if (status == STATUS_OK)
            status = bench->device->ops->stream_sync(bench->device, stream, error);
    }
    return status;
}

/* The host launches one kernel in each round. */
static enum status nested_rounds(const struct workload_case *c, struct workbench *bench, device_pointer words,
                                 uint64_t stream, struct error *error)
{
    uint32_t count = (uint32_t)c->params.value[PARAM_KERNELS], blocks = BLOCKS, threads = BLOCK;
    struct device_launch launch = {.image = "nested",
                                   .kernel = "nested_launch",
                                   .grid = {1, 1, 1},
                                   .block = {1, 1, 1},
                                   .arguments = (void *[]){&words, &count, &blocks, &threads},
                                   .stream = stream};
    enum status status = STATUS_OK;

    for (uint32_t round = 0; round < bench->rounds && status == STATUS_OK; round++) {
        status = bench->device->ops->launch(bench->device, &launch, error);
        if (status == STATUS_OK)
            status = bench->device->ops->stream_sync(bench->device, stream, error);
    }
    return status;
}

/* A GPU needs the kernel linked with CUDA's device runtime, for which this program must be built with the
 * toolkit. */
static bool nested_missing(const struct workload_case *c, const struct workbench *bench,
                           struct workload_result *result)
{
    const struct kernel_image *image = kernel_image_find("nested");

    if (c->variant->tag != TAG_NESTED || bench->device->ops->info(bench->device)->is_model ||
        (image && strcmp(image->format, "ptx") != 0))
        return false;
    snprintf(result->detail, sizeof result->detail,
             "Not run: launch:nested needs the device model, or a lanescope built where the CUDA toolkit has "
             "nvcc and libcudadevrt.a.");
    return true;
}

static enum status launch_run(const struct workload_case *c, struct workbench *bench,
                              struct workload_result *result, struct error *error)
{
    static enum status (*const rounds[])(const struct workload_case *, struct workbench *, device_pointer,
                                         uint64_t, struct error *) = {
        [TAG_STREAM] = stream_rounds, [TAG_GRAPH] = graph_rounds, [TAG_NESTED] = nested_rounds};
    uint32_t wanted = (uint32_t)c->params.value[PARAM_KERNELS] * bench->rounds;
    device_pointer words;
    const uint64_t *streams;
    const float *output;
    enum status status;

    if (nested_missing(c, bench, result))
        return STATUS_OK;
    if ((status = workbench_device_buffer(bench, 0, WORDS * sizeof(uint32_t), &words, error)) ||
        (status = bench->device->ops->set(bench->device, words, 0, WORDS * sizeof(uint32_t), 0, error)) ||
        (status = bench->device->ops->sync(bench->device, error)) ||
        (status = workbench_streams(bench, 1, &streams, error)) ||
        (status = rounds[c->variant->tag](c, bench, words, streams[0], error)) ||
        (status = workbench_fetch(bench, 0, WORDS, &output, error)))
        return status;
    result->verified = 1;
    for (size_t i = 0; i < WORDS && result->verified == 1; i++)
        verify_words("word", i, &output[i], &wanted, 1, result);
    return STATUS_OK;
}

const struct workload workload_launch = {
    .name = "launch",
    .chapter = CHAPTER_STREAMS,
    .title = "What a launch costs: single, as a graph, from a kernel",
    .words = "launch overhead latency CUDA graphs cudaGraphLaunch dynamic parallelism CDP kernel fusion",
    .meaning = "A launch takes microseconds of the host's time; shorter kernels are better launched "
               "together, as a graph, or by a kernel",
    WORKLOAD_TABLES(params, variants),
    .devices_needed = 1,
    .resolve = launch_resolve,
    .run = launch_run,
    .sweeps = {"launch,kernels=10|100|1000"},
};
