/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One reader per kind of launch call, each of which fills all fields that its call has. A launch names a
 * CUfunction or, in programs on the runtime, a CUkernel; the driver says which.
 *
 * What a kernel's code calls is in its module's ELF file: the division of 64-bit integers is a function in the kernel's own
 * section; malloc, free and printf are symbols of the driver, which the table of calls names beside their callers.
 *
 * The table of shapes: open addressing, at most half full; a slot is free while its shape's id is 0.
 */
#include "cupti/agent/launch_shape.h"

#include "core/base/elf.h"
#include "core/base/idmap.h"

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
#define CALLING_KERNELS_MAX (1u << 16)

struct shapes {
    pthread_mutex_t lock;
    struct event *slots;
    uint32_t slot_count, count; /* slot_count: a power of two */
    struct idmap calls;         /* string of a kernel's mangled name -> SHAPE_DIVIDES and the like */
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
    idmap_init(&shapes->calls, CALLING_KERNELS_MAX, (uint64_t)(uintptr_t)shapes);
    shapes->announce = announce;
    shapes->context = context;
    return shapes;
}

void shapes_destroy(struct shapes *shapes)
{
    if (!shapes)
        return;
    pthread_mutex_destroy(&shapes->lock);
    idmap_fini(&shapes->calls);
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
        const uint32_t calls = idmap_find(&shapes->calls, key.shape.name);
        key.shape.id = shapes->count + 1;
        struct event announced = key;
        announced.flags |= calls == IDMAP_NONE ? 0 : (uint8_t)calls;
        if (shapes->announce(shapes->context, &announced)) {
            struct event plain = key;
            plain.shape.id = 0;
            *shape_find(shapes->slots, shapes->slot_count, &plain) = key;
            id = ++shapes->count;
        }
    }
    pthread_mutex_unlock(&shapes->lock);
    return id;
}

/* ---- what the code of kernels calls ---- */

#define CALLGRAPH_HEAD \
    UINT32_MAX /* a pair (0, this) begins the callers and callees, (0, this - 1) ends them */

struct looking {
    struct shapes *shapes;
    shapes_string *string;
    uint8_t divides[(UINT16_MAX + 1) / 8]; /* a bit for each section */
    bool any;
};

/* "$__internal_0_$__cuda_sm20_div_s64" */
static bool is_division(const char *name)
{
    const char *own = strrchr(name, '$');
    size_t length = own ? strlen(own) : 0;
    if (!own || strncmp(own, "$__cuda_", 8) != 0 || length < 8 + 8)
        return false;
    const char *end = own + length - 8;
    return strcmp(end, "_div_u64") == 0 || strcmp(end, "_div_s64") == 0 || strcmp(end, "_rem_u64") == 0 ||
           strcmp(end, "_rem_s64") == 0;
}

static bool find_division(void *owner, const struct elf_function *function)
{
    struct looking *looking = owner;
    if (is_division(function->name)) {
        looking->divides[function->section / 8] |= (uint8_t)(1u << function->section % 8);
        looking->any = true;
    }
    return true;
}

static void take_calls(struct looking *looking, const char *kernel, uint32_t calls)
{
    struct shapes *shapes = looking->shapes;
    const uint32_t name = looking->string(shapes->context, kernel);
    if (name == 0)
        return;
    pthread_mutex_lock(&shapes->lock);
    const uint32_t known = idmap_find(&shapes->calls, name);
    idmap_put(&shapes->calls, name, (known == IDMAP_NONE ? 0 : known) | calls);
    pthread_mutex_unlock(&shapes->lock);
}

static bool take_division(void *owner, const struct elf_function *function)
{
    struct looking *looking = owner;
    if (function->name[0] != '$' && (looking->divides[function->section / 8] >> function->section % 8 & 1u))
        take_calls(looking, function->name, SHAPE_DIVIDES);
    return true;
}

void shapes_module(struct shapes *shapes, const void *cubin, size_t size_bytes, shapes_string *string)
{
    const struct elf elf = {cubin, size_bytes};
    struct looking looking = {.shapes = shapes, .string = string};
    size_t bytes = 0;
    elf_visit_functions(&elf, find_division, &looking);
    if (looking.any)
        elf_visit_functions(&elf, take_division, &looking);
    const uint8_t *graph = elf_section(&elf, ".nv.callgraph", &bytes);
    bool calls = false;
    for (size_t at = 0; graph && at + 8 <= bytes; at += 8) {
        uint32_t pair[2]; /* symbols: caller, callee */
        memcpy(pair, graph + at, sizeof pair);
        if (pair[0] == 0) {
            calls = pair[1] == CALLGRAPH_HEAD;
            continue;
        }
        const char *caller = calls ? elf_symbol(&elf, pair[0]) : NULL,
                   *callee = calls ? elf_symbol(&elf, pair[1]) : NULL;
        if (!caller || !callee)
            continue;
        if (strcmp(callee, "malloc") == 0 || strcmp(callee, "free") == 0)
            take_calls(&looking, caller, SHAPE_ALLOCATES);
        else if (strcmp(callee, "vprintf") == 0)
            take_calls(&looking, caller, SHAPE_PRINTS);
    }
}
