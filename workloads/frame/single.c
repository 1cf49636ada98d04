/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs are sent once; an array that the kernel changes is sent again before each launch, so that all
 * launches do the same; the output of the last launch is fetched.
 */
#include "workloads/frame/single.h"

#include <string.h>

/* The host's copy of an array's initial contents. */
static enum status input_make(const struct workload_case *c, struct workbench *bench, uint32_t slot,
                              struct single_array *array, struct error *error)
{
    const float *pattern;
    void *bytes;
    enum status status;

    if (array->use == SINGLE_INPUT && !array->fill) {
        status = workbench_pattern(bench, array->size_bytes / sizeof *pattern, &pattern, error);
        array->input = pattern;
        return status;
    }
    status = workbench_host_buffer(bench, slot, HOST_REGISTERED, array->size_bytes, &bytes, error);
    if (status)
        return status;
    if (array->fill)
        array->fill(c, bytes, array->size_bytes);
    else
        memset(bytes, 0, array->size_bytes);
    array->input = bytes;
    return STATUS_OK;
}

static enum status array_send(struct workbench *bench, const struct single_array *array, struct error *error)
{
    return bench->device->ops->copy(bench->device, DEVICE_COPY_TO_DEVICE, array->pointer,
                                    device_host_address(array->input), array->size_bytes,
                                    DEVICE_STREAM_DEFAULT, false, error);
}

static enum status array_prepare(const struct workload_case *c, struct workbench *bench, uint32_t slot,
                                 struct single_array *array, struct error *error)
{
    enum status status;

    array->input = array->output = NULL;
    if (array->use == SINGLE_OUTPUT)
        return workbench_output(bench, slot, array->size_bytes / sizeof(float), &array->pointer, error);
    if ((status = input_make(c, bench, slot, array, error)) ||
        (status = workbench_device_buffer(bench, slot, array->size_bytes, &array->pointer, error)))
        return status;
    return array->use == SINGLE_INPUT ? array_send(bench, array, error) : STATUS_OK;
}

static enum status launch_once(const struct workload_case *c, struct workbench *bench,
                               const struct single *single, const struct device_launch *launch,
                               struct error *error)
{
    enum status status;

    for (uint32_t i = 0; i < single->array_count; i++)
        if (single->array[i].use == SINGLE_CHANGED && (status = array_send(bench, &single->array[i], error)))
            return status;
    if (c->variant->library)
        return bench->library->call(&single->call, error);
    status = bench->device->ops->launch(bench->device, launch, error);
    return status == STATUS_OK && single->then ? single->then(c, bench, single, error) : status;
}

enum status single_run(const struct workload_case *c, struct workbench *bench, struct single *single,
                       struct error *error)
{
    struct device_launch launch = single->launch;
    enum status status = STATUS_OK;

    if (!launch.grid[0]) {
        memcpy(launch.grid, c->grid, sizeof launch.grid);
        memcpy(launch.block, c->block, sizeof launch.block);
    }
    for (uint32_t i = 0; i < single->array_count && status == STATUS_OK; i++)
        status = array_prepare(c, bench, i, &single->array[i], error);
    for (uint32_t i = 0; i < bench->launches && status == STATUS_OK; i++)
        status = launch_once(c, bench, single, &launch, error);
    for (uint32_t i = 0; i < single->array_count && status == STATUS_OK; i++) {
        struct single_array *array = &single->array[i];
        const float *words;

        if (array->use == SINGLE_INPUT)
            continue;
        status = workbench_fetch(bench, i, array->size_bytes / sizeof *words, &words, error);
        array->output = words;
    }
    return status;
}
