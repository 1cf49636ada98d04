/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One reader per kind of launch call, each of which fills all fields that its call has. A launch names a
 * CUfunction or, in programs on the runtime, a CUkernel; the driver says which.
 *
 * The table of shapes: open addressing, at most half full; a slot is free while its shape's id is 0.
 */
#include "cupti/agent/launch_shape.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- the parameters of launch calls ---- */

static void read_plain(const cuLaunchKernel_params *call, struct launch_params *params)
{
    params->function = call->f;
    params->stream = call->hStream;
    params->grid[0] = call->gridDimX;
    params->grid[1] = call->gridDimY;
    params->grid[2] = call->gridDimZ;
    params->block[0] = call->blockDimX;
    params->block[1] = call->blockDimY;
    params->block[2] = call->blockDimZ;
    params->dynamic_shared_bytes = call->sharedMemBytes;
}

static void read_cooperative(const cuLaunchCooperativeKernel_params *call, struct launch_params *params)
{
    params->function = call->f;
    params->stream = call->hStream;
    params->cooperative = true;
    params->grid[0] = call->gridDimX;
    params->grid[1] = call->gridDimY;
    params->grid[2] = call->gridDimZ;
    params->block[0] = call->blockDimX;
    params->block[1] = call->blockDimY;
    params->block[2] = call->blockDimZ;
    params->dynamic_shared_bytes = call->sharedMemBytes;
}

static bool read_extended(const cuLaunchKernelEx_params *call, struct launch_params *params)
{
    const CUlaunchConfig *config = call->config;
    if (!config)
        return false;
    params->function = call->f;
    params->stream = config->hStream;
    params->grid[0] = config->gridDimX;
    params->grid[1] = config->gridDimY;
    params->grid[2] = config->gridDimZ;
    params->block[0] = config->blockDimX;
    params->block[1] = config->blockDimY;
    params->block[2] = config->blockDimZ;
    params->dynamic_shared_bytes = config->sharedMemBytes;
    for (unsigned i = 0; config->attrs && i < config->numAttrs; i++) {
        if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
            params->cooperative = config->attrs[i].value.cooperative != 0;
        } else if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
            params->cluster[0] = config->attrs[i].value.clusterDim.x;
            params->cluster[1] = config->attrs[i].value.clusterDim.y;
            params->cluster[2] = config->attrs[i].value.clusterDim.z;
        }
    }
    return true;
}

bool launch_params_read(CUpti_CallbackId id, const void *call_params, struct launch_params *params)
{
    memset(params, 0, sizeof *params);
    params->per_thread_stream = id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz ||
                                id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz ||
                                id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz;
    switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz: read_plain(call_params, params); return true;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
        read_cooperative(call_params, params);
        return true;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz: return read_extended(call_params, params);
    default: return false;
    }
}

/* ---- the shape of a launch ---- */

#define LEAST_REGISTERS 16 /* bytes of stack per thread, as in CUPTI's kernel records */

/* A launch is given a CUfunction or, in programs that use the runtime, a CUkernel. */
static void fill_attributes(const struct driver *driver, CUfunction function, struct event *shape)
{
    int registers = 0, shared = 0, local = 0;
    CUfunction other;
    if (driver->cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function) != CUDA_SUCCESS) {
        if (driver->cuKernelGetFunction(&other, (CUkernel)function) != CUDA_SUCCESS)
            return;
        function = other;
        driver->cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function);
    }
    driver->cuFuncGetAttribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function);
    driver->cuFuncGetAttribute(&local, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, function);
    shape->shape.registers_per_thread = (uint16_t)(registers < LEAST_REGISTERS ? LEAST_REGISTERS : registers);
    shape->shape.static_shared_bytes = (uint32_t)shared;
    shape->shape.local_bytes_per_thread = (uint32_t)local;
}

struct event launch_shape(const struct launch_params *params, uint32_t name, const struct driver *driver)
{
    struct event shape = {.kind = EVENT_SHAPE, .flags = params->cooperative ? SHAPE_COOPERATIVE : 0};
    shape.shape.name = name;
    for (int i = 0; i < 3; i++) {
        shape.shape.grid[i] = params->grid[i];
        shape.shape.block[i] = (uint16_t)params->block[i];
        shape.shape.cluster[i] = (uint16_t)params->cluster[i];
    }
    shape.shape.dynamic_shared_bytes = params->dynamic_shared_bytes;
    if (driver)
        fill_attributes(driver, params->function, &shape);
    return shape;
}

/* ---- shapes announced ---- */

#define FIRST_SLOTS 1024u
#define MAX_SLOTS (1u << 21)

struct shapes {
    pthread_mutex_t lock;
    struct event *slots;
    uint32_t slot_count, count; /* slot_count: a power of two */
    shapes_announce *announce;
    void *context;
};

struct shapes *shapes_create(shapes_announce *announce, void *context)
{
    struct shapes *shapes = calloc(1, sizeof *shapes);
    if (!shapes)
        return NULL;
    shapes->slots = calloc(FIRST_SLOTS, sizeof *shapes->slots);
    if (!shapes->slots || pthread_mutex_init(&shapes->lock, NULL) != 0) {
        free(shapes->slots);
        free(shapes);
        return NULL;
    }
    shapes->slot_count = FIRST_SLOTS;
    shapes->announce = announce;
    shapes->context = context;
    return shapes;
}

void shapes_destroy(struct shapes *shapes)
{
    if (!shapes)
        return;
    pthread_mutex_destroy(&shapes->lock);
    free(shapes->slots);
    free(shapes);
}

static uint64_t shape_hash(const struct event *key)
{
    uint64_t words[sizeof *key / 8], value = 0xcbf29ce484222325u;
    memcpy(words, key, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        value = (value ^ words[i]) * 0x9e3779b97f4a7c15u;
        value ^= value >> 29;
    }
    return value;
}

/* The slot that holds this shape, or the free one where it belongs. */
static struct event *shape_find(struct event *slots, uint32_t slot_count, const struct event *key)
{
    for (uint64_t i = shape_hash(key);; i++) {
        struct event *slot = &slots[i & (slot_count - 1)];
        if (slot->shape.id == 0)
            return slot;
        struct event plain = *slot;
        plain.shape.id = 0;
        if (memcmp(&plain, key, sizeof plain) == 0)
            return slot;
    }
}

static bool shapes_grow(struct shapes *shapes)
{
    uint32_t slot_count = shapes->slot_count * 2;
    struct event *slots = slot_count <= MAX_SLOTS ? calloc(slot_count, sizeof *slots) : NULL;
    if (!slots)
        return false;
    for (uint32_t i = 0; i < shapes->slot_count; i++) {
        if (shapes->slots[i].shape.id == 0)
            continue;
        struct event plain = shapes->slots[i];
        plain.shape.id = 0;
        *shape_find(slots, slot_count, &plain) = shapes->slots[i];
    }
    free(shapes->slots);
    shapes->slots = slots;
    shapes->slot_count = slot_count;
    return true;
}

uint32_t shapes_id(struct shapes *shapes, const struct event *shape)
{
    struct event key = {.kind = EVENT_SHAPE, .flags = shape->flags};
    key.shape = shape->shape;
    key.shape.id = 0;

    pthread_mutex_lock(&shapes->lock);
    struct event *slot = shape_find(shapes->slots, shapes->slot_count, &key);
    uint32_t id = slot->shape.id;
    if (id == 0 && (shapes->count < shapes->slot_count / 2 || shapes_grow(shapes))) {
        key.shape.id = shapes->count + 1;
        if (shapes->announce(shapes->context, &key)) {
            struct event plain = key;
            plain.shape.id = 0;
            *shape_find(shapes->slots, shapes->slot_count, &plain) = key;
            id = ++shapes->count;
        }
    }
    pthread_mutex_unlock(&shapes->lock);
    return id;
}
