/* SPDX-License-Identifier: Apache-2.0 */
/* Launches: each thread has its own stack of configurations, which <<<>>> pushes and the stub pops. */
#include "standin/standin.h"

#include "core/base/array.h"
#include "core/base/function_name.h"
#include "core/base/lookup.h"
#include "core/hardware/device_sheet.h"
#include "core/hardware/occupancy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONFIGURATIONS 16 /* the arguments of a launch may contain launches */

static __thread struct {
    dim3 grid, block;
    size_t shared_bytes;
    cudaStream_t stream;
} pushed[CONFIGURATIONS];
static __thread unsigned pushed_count;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, struct CUstream_st *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t shared_bytes, cudaStream_t stream);

STANDIN_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                                 struct CUstream_st *stream)
{
    if (pushed_count == CONFIGURATIONS)
        return 1;
    pushed[pushed_count].grid = grid;
    pushed[pushed_count].block = block;
    pushed[pushed_count].shared_bytes = shared_bytes;
    pushed[pushed_count++].stream = stream;
    return 0;
}

STANDIN_API cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes,
                                                   void *stream)
{
    if (pushed_count == 0)
        return cudaErrorMissingConfiguration;
    pushed_count--;
    *grid = pushed[pushed_count].grid;
    *block = pushed[pushed_count].block;
    *shared_bytes = pushed[pushed_count].shared_bytes;
    memcpy(stream, &pushed[pushed_count].stream, sizeof pushed[pushed_count].stream);
    return cudaSuccess;
}

/* ---- attributes that a program has set ---- */
static struct choice {
    const struct binary_kernel *kernel;
    int carveout; /* -1: none */
    bool non_portable;
    unsigned cluster[3]; /* 0: not set */
} * choices;
static size_t choice_count, choice_capacity;

static struct choice choice_of(const struct binary_kernel *kernel)
{
    for (size_t i = 0; i < choice_count; i++)
        if (choices[i].kernel == kernel)
            return choices[i];
    return (struct choice){.kernel = kernel, .carveout = -1};
}

static cudaError_t choice_keep(const struct choice *choice)
{
    size_t at = 0;

    while (at < choice_count && choices[at].kernel != choice->kernel)
        at++;
    if (at == choice_count && !array_grow(choices, choice_capacity, choice_count, 1))
        return cudaErrorMemoryAllocation;
    choice_count += at == choice_count;
    choices[at] = *choice;
    return cudaSuccess;
}

struct way { /* of a launch, beyond its sizes */
    bool cooperative;
    dim3 cluster; /* 0: none was given */
};
static const struct way plain = {.cooperative = false};

/* As an H200 tells a null pointer from another that is no kernel. */
static cudaError_t no_kernel(const void *function)
{
    return function ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction;
}

/* Prints why a launch is refused; the same sentence only once a thread, since a program may try it in a loop. Returns
 * whether it was printed. */
static bool tell_refusal(const char *text)
{
    static __thread uint32_t told[16];
    static __thread unsigned next;
    const uint32_t hash = lookup_hash(0, text, strlen(text));

    for (unsigned i = 0; i < 16; i++)
        if (told[i] == hash)
            return false;
    told[next++ % 16] = hash;
    fprintf(stderr, "lanescope: %s\n", text);
    return true;
}

/* What a launch of the kernel may ask for: 48 KB with its static shared memory, or what its attribute says.
 */
static uint32_t shared_most(const struct binary_kernel *kernel, const struct simt_kernel *facts)
{
    const uint32_t at_first = standin_info()->shared_bytes_per_block, fixed = facts->static_shared_bytes;
    uint32_t most = at_first > fixed ? at_first - fixed : 0;

    binary_kernel_shared_most(kernel, &most);
    return most;
}

static cudaError_t check_shared(const void *function, size_t shared_bytes)
{
    const struct binary_kernel *kernel = binary_kernel_find(function);
    struct simt_kernel facts;
    uint32_t capability;
    char text[500];
    cudaError_t code =
        kernel && shared_bytes ? standin_kernel_facts(function, &facts, &capability) : cudaSuccess;

    if (code || !kernel || shared_bytes == 0 || shared_bytes <= shared_most(kernel, &facts))
        return code;
    char *readable = demangle(binary_kernel_name(kernel));
    snprintf(text, sizeof text,
             "%.200s may have %u bytes of dynamic shared memory, and is launched with %zu: allow more by "
             "cudaFuncSetAttribute(..., cudaFuncAttributeMaxDynamicSharedMemorySize, ...).",
             readable ? readable : binary_kernel_name(kernel), shared_most(kernel, &facts), shared_bytes);
    tell_refusal(text);
    free(readable);
    return cudaErrorInvalidValue;
}

/* Whether one block of so many threads has the registers it needs. */
static bool registers_suffice(const struct simt_kernel *facts, uint32_t threads)
{
    const struct occupancy_input input = {.threads_per_block = threads,
                                          .registers_per_thread = facts->registers};

    return occupancy_compute(arch_find(standin_info()->compute_capability), &input).blocks_by_registers > 0;
}

/* A launch that needs more registers than a multiprocessor has is refused where the count is ptxas' own; the
 * model's estimate may be too high, and only gives a notice. */
static cudaError_t check_registers(const void *function, dim3 block)
{
    static bool told;
    const struct binary_kernel *kernel = binary_kernel_find(function);
    const uint64_t threads = (uint64_t)block.x * block.y * block.z;
    struct simt_kernel facts;
    uint32_t capability;
    const char *image;
    struct error error;
    char text[500];

    if (!kernel || threads == 0 || threads > standin_info()->max_threads_per_block)
        return cudaSuccess; /* the launch itself says it */
    cudaError_t code = standin_kernel_facts(function, &facts, &capability);
    if (code || registers_suffice(&facts, (uint32_t)threads))
        return code;
    bool exact = binary_kernel_image(kernel, &image, &error) == STATUS_OK &&
                 image_registers_are_exact(image, binary_kernel_name(kernel));
    if (!exact && told)
        return cudaSuccess;
    char *readable = demangle(binary_kernel_name(kernel));
    snprintf(
        text, sizeof text,
        exact ? "%.200s needs %u registers a thread: %llu threads need more than the %u of a "
                "multiprocessor. Launch smaller blocks, or compile it with __launch_bounds__(%u)."
              : "%.200s needs about %u registers a thread, as the model estimates without machine code for "
                "this GPU: a GPU may refuse %llu threads, which would need more than the %u of a "
                "multiprocessor. Build it with -arch=sm_%u for the exact number.",
        readable ? readable : binary_kernel_name(kernel), facts.registers, (unsigned long long)threads,
        standin_info()->registers_per_multiprocessor,
        exact ? (unsigned)threads : standin_info()->compute_capability);
    free(readable);
    if (tell_refusal(text))
        told_notice(exact ? SEVERITY_ERROR : SEVERITY_WARNING, exact ? STATUS_USAGE : STATUS_OK, text);
    told |= !exact;
    return exact ? cudaErrorLaunchOutOfResources : cudaSuccess;
}

static bool size_is_within(dim3 size, const uint32_t most[3])
{
    return size.x > 0 && size.x <= most[0] && size.y > 0 && size.y <= most[1] && size.z > 0 &&
           size.z <= most[2];
}

/* The limits that all kernels have. */
static cudaError_t check_sizes(const void *function, dim3 grid, dim3 block)
{
    const uint32_t capability = standin_info()->compute_capability,
                   most = standin_info()->max_threads_per_block,
                   *grid_most = device_limit_sizes(DEVICE_LIMIT_GRID, capability),
                   *block_most = device_limit_sizes(DEVICE_LIMIT_BLOCK, capability);
    char text[600];

    if (size_is_within(grid, grid_most) && size_is_within(block, block_most) &&
        (uint64_t)block.x * block.y * block.z <= most)
        return cudaSuccess;
    char *readable = demangle(binary_kernel_name(binary_kernel_find(function)));
    snprintf(
        text, sizeof text,
        "%.200s cannot be launched with %u x %u x %u blocks of %u x %u x %u threads: a grid has 1 to %u x %u "
        "x %u blocks, and a block has 1 to %u threads, at most %u of them along z.",
        readable ? readable : binary_kernel_name(binary_kernel_find(function)), grid.x, grid.y, grid.z,
        block.x, block.y, block.z, grid_most[0], grid_most[1], grid_most[2], most, block_most[2]);
    tell_refusal(text);
    free(readable);
    return cudaErrorInvalidValue;
}

cudaError_t standin_check_launch(const void *function, dim3 grid, dim3 block, size_t shared_bytes)
{
    struct simt_kernel facts;
    uint32_t capability;
    cudaError_t code = standin_kernel_facts(function, &facts, &capability);

    if (code == cudaSuccess)
        code = check_sizes(function, grid, block);
    if (code == cudaSuccess && (uint64_t)block.x * block.y * block.z > facts.max_threads)
        code = cudaErrorInvalidValue;
    return code ? code : check_shared(function, shared_bytes);
}

#define CLUSTER_BLOCKS_PORTABLE 8 /* CUDA C++ Programming Guide, Thread Block Clusters */
#define CLUSTER_BLOCKS_MOST 16    /* of an H200, where the program allows it */

static bool cluster_has_room(const struct binary_kernel *kernel, dim3 size)
{
    const unsigned most = choice_of(kernel).non_portable ? CLUSTER_BLOCKS_MOST : CLUSTER_BLOCKS_PORTABLE;

    return size_is_within(size, (const uint32_t[]){most, most, most}) && size.x * size.y * size.z <= most;
}

/* The launch's own cluster, or the one that the kernel's attributes require. */
static cudaError_t check_cluster(const struct binary_kernel *kernel, dim3 grid, dim3 *cluster)
{
    const struct choice choice = choice_of(kernel);

    if (choice.cluster[0] || choice.cluster[1] || choice.cluster[2])
        *cluster = (dim3){choice.cluster[0], choice.cluster[1], choice.cluster[2]};
    if (cluster->x == 0 && cluster->y == 0 && cluster->z == 0)
        return cudaSuccess;
    return cluster_has_room(kernel, *cluster) && grid.x % cluster->x == 0 && grid.y % cluster->y == 0 &&
                   grid.z % cluster->z == 0
               ? cudaSuccess
               : cudaErrorInvalidClusterSize;
}

static cudaError_t resident_blocks(int *blocks, const void *function, int threads, size_t shared_bytes);

static cudaError_t check_cooperative(const void *function, dim3 grid, dim3 block, size_t shared_bytes)
{
    int blocks = 0;
    cudaError_t code = resident_blocks(&blocks, function, (int)(block.x * block.y * block.z), shared_bytes);

    if (code == cudaSuccess &&
        (uint64_t)grid.x * grid.y * grid.z > (uint64_t)blocks * standin_info()->multiprocessors)
        code = cudaErrorCooperativeLaunchTooLarge;
    return code;
}

static cudaError_t launch_kernel(const void *function, struct way way, dim3 grid, dim3 block,
                                 void **arguments, size_t shared_bytes, cudaStream_t stream)
{
    cudaError_t lost = standin_enter();
    const struct binary_kernel *kernel = binary_kernel_find(function);
    struct device_launch launched = {.grid = {grid.x, grid.y, grid.z},
                                     .block = {block.x, block.y, block.z},
                                     .dynamic_shared_bytes = (uint32_t)shared_bytes,
                                     .cooperative = way.cooperative,
                                     .arguments = arguments,
                                     .stream = standin_stream(stream)};
    struct error error;

    if (lost)
        return standin_leave(lost);
    if (!kernel)
        return standin_leave(no_kernel(function));
    cudaError_t code = standin_check_stream(stream);
    if (code == cudaSuccess)
        code = check_sizes(function, grid, block);
    if (code == cudaSuccess)
        code = check_cluster(kernel, grid, &way.cluster);
    if (code == cudaSuccess && way.cooperative)
        code = check_cooperative(function, grid, block, shared_bytes);
    if (code == cudaSuccess)
        code = graph_origin(standin_number(stream))
                   ? standin_check_launch(function, grid, block, shared_bytes)
                   : check_shared(function, shared_bytes);
    if (code == cudaSuccess)
        code = check_registers(function, block);
    if (code == cudaSuccess)
        code = graph_forbids_work(standin_number(stream));
    if (code == cudaErrorNotSupported) /* the kernel was refused */
        return standin_leave(standin_lose(code));
    if (code)
        return standin_leave(graph_invalidates(standin_number(stream), code));
    launched.cluster[0] = way.cluster.x, launched.cluster[1] = way.cluster.y,
    launched.cluster[2] = way.cluster.z;
    launched.kernel = binary_kernel_name(kernel);
    enum status status = binary_kernel_image(kernel, &launched.image, &error);
    if (status == STATUS_OK)
        status = simt_device_launch(standin_device(), &launched, &error);
    return standin_leave_status(status, &error);
}

STANDIN_API cudaError_t __cudaGetKernel(cudaKernel_t *handle, const void *function)
{
    standin_enter_closed();
    const struct binary_kernel *kernel = binary_kernel_find(function);
    *handle = (cudaKernel_t)(uintptr_t)kernel;
    return standin_leave(kernel ? cudaSuccess : no_kernel(function));
}

STANDIN_API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                                           size_t shared_bytes, cudaStream_t stream)
{
    return launch_kernel(kernel, plain, grid, block, arguments, shared_bytes, stream);
}

STANDIN_API cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                         size_t shared_bytes, cudaStream_t stream)
{
    return launch_kernel(function, plain, grid, block, arguments, shared_bytes, stream);
}

STANDIN_API cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol)
{
    standin_enter_closed();
    const struct binary_kernel *kernel = binary_kernel_find(symbol);
    if (function)
        *function = (cudaFunction_t)(uintptr_t)kernel;
    return standin_leave(kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

STANDIN_API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function,
                                            void **arguments)
{
    struct way way = plain;

    cudaError_t lost = standin_enter();
    if (lost == cudaSuccess && !config)
        standin_crash("a null pointer for the configuration");
    if (lost == cudaSuccess && config->numAttrs && !config->attrs)
        lost = cudaErrorInvalidValue;
    for (unsigned i = 0; lost == cudaSuccess && i < config->numAttrs; i++)
        lost = standin_take_attribute(config->attrs[i].id, &config->attrs[i].val);
    standin_leave(lost);
    if (lost)
        return lost;
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute *attribute = &config->attrs[i];
        way.cooperative |= attribute->id == cudaLaunchAttributeCooperative && attribute->val.cooperative;
        if (attribute->id == cudaLaunchAttributeClusterDimension)
            way.cluster =
                (dim3){attribute->val.clusterDim.x, attribute->val.clusterDim.y, attribute->val.clusterDim.z};
    }
    return launch_kernel(function, way, config->gridDim, config->blockDim, arguments,
                         config->dynamicSmemBytes, config->stream);
}

STANDIN_API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *argument)
{
    cudaError_t lost = standin_enter();
    struct error error;

    if (lost == cudaSuccess && !function)
        lost = cudaErrorInvalidValue;
    if (lost == cudaSuccess)
        lost = graph_forbids_work(standin_number(stream));
    if (lost)
        return standin_leave(lost);
    const uint64_t number = standin_stream(stream);
    enum status status = simt_device_host_function(standin_device(), number, function, argument, &error);
    return standin_leave_status(status, &error);
}

/* ---- attributes of launches, which streams and nodes have, too ---- */
/* An access policy window sets aside a part of L2, which the model does not have: it is said once. */
#define LAUNCH_ATTRIBUTE_MOST cudaLaunchAttributeNvlinkUtilCentricScheduling /* the last one of 13.0 */

static bool said_window;

cudaError_t standin_take_attribute(cudaLaunchAttributeID attribute, const cudaLaunchAttributeValue *value)
{
    static const char text[] = "The program sets aside a part of the L2 cache (access policy window), which "
                               "the device model does not "
                               "have: the hits that are counted are those without it.";

    const struct cudaAccessPolicyWindow *window = &value->accessPolicyWindow;

    switch (attribute) {
    case cudaLaunchAttributeAccessPolicyWindow:
        if (window->num_bytes > standin_info()->l2_bytes || !(window->hitRatio >= 0 && window->hitRatio <= 1))
            return cudaErrorInvalidValue;
        break;
    case cudaLaunchAttributeSynchronizationPolicy:
        if (value->syncPolicy < cudaSyncPolicyAuto || value->syncPolicy > cudaSyncPolicyBlockingSync)
            return cudaErrorInvalidValue;
        break;
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
        if ((unsigned)value->clusterSchedulingPolicyPreference > cudaClusterSchedulingPolicyLoadBalancing)
            return cudaErrorInvalidValue;
        break;
    default:
        if ((unsigned)attribute > LAUNCH_ATTRIBUTE_MOST)
            return cudaErrorInvalidValue;
    }
    if (attribute == cudaLaunchAttributeAccessPolicyWindow && value->accessPolicyWindow.num_bytes &&
        !said_window) {
        said_window = true;
        told_notice(SEVERITY_WARNING, STATUS_OK, text);
    }
    return cudaSuccess;
}

/* ---- attributes of kernels ---- */
cudaError_t standin_kernel_facts(const void *function, struct simt_kernel *facts, uint32_t *capability)
{
    const struct binary_kernel *kernel = binary_kernel_find(function);
    const char *image;
    struct error error;

    if (!kernel)
        return no_kernel(function);
    enum status status = binary_kernel_image(kernel, &image, &error);
    if (status == STATUS_OK)
        status = simt_device_kernel(standin_device(), image, binary_kernel_name(kernel), facts, &error);
    if (status != STATUS_OK && status != STATUS_MEMORY)
        return standin_refuse("%s", error.text);
    if (status == STATUS_MEMORY)
        tell_refusal(error.text);
    if (status == STATUS_OK)
        *capability = image_capability(image);
    return error_of_status(status);
}

STANDIN_API cudaError_t cudaFuncGetName(const char **name, const void *function)
{
    if (!name)
        return standin_null();
    cudaError_t code = standin_enter();
    const struct binary_kernel *kernel = binary_kernel_find(function);
    if (code == cudaSuccess && !kernel)
        code = no_kernel(function);
    if (code == cudaSuccess)
        *name = binary_kernel_name(kernel);
    return standin_leave(code);
}

STANDIN_API cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function)
{
    if (!attributes)
        return standin_null();
    cudaError_t code = standin_enter();
    struct simt_kernel facts;
    uint32_t capability;

    if (code == cudaSuccess)
        code = standin_kernel_facts(function, &facts, &capability);
    if (code == cudaSuccess) {
        const struct device_info *info = standin_info();
        const struct binary_kernel *kernel = binary_kernel_find(function);
        const struct choice choice = choice_of(kernel);
        const char *image;
        struct error error;
        bool exact = binary_kernel_image(kernel, &image, &error) == STATUS_OK &&
                     image_registers_are_exact(image, binary_kernel_name(kernel));
        while (exact && facts.max_threads > 32 && !registers_suffice(&facts, facts.max_threads))
            facts.max_threads -= facts.max_threads % 32 ? facts.max_threads % 32 : 32;
        *attributes =
            (struct cudaFuncAttributes){.preferredShmemCarveout = choice.carveout,
                                        .requiredClusterWidth = (int)choice.cluster[0],
                                        .requiredClusterHeight = (int)choice.cluster[1],
                                        .requiredClusterDepth = (int)choice.cluster[2],
                                        .nonPortableClusterSizeAllowed = choice.non_portable,
                                        .sharedSizeBytes = facts.static_shared_bytes,
                                        .constSizeBytes = facts.constant_bytes,
                                        .localSizeBytes = facts.local_bytes,
                                        .maxThreadsPerBlock = (int)facts.max_threads,
                                        .numRegs = (int)facts.registers,
                                        .ptxVersion = (int)capability,
                                        .binaryVersion = (int)info->compute_capability,
                                        .maxDynamicSharedSizeBytes = (int)shared_most(kernel, &facts)};
    }
    return standin_leave(code);
}

/* What the kernel keeps of an attribute. The model chooses the carve-out itself. */
static cudaError_t choose_attribute(struct choice *choice, enum cudaFuncAttribute attribute, int value)
{
    switch (attribute) {
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        choice->carveout = value;
        return value >= -1 && value <= 100 ? cudaSuccess : cudaErrorInvalidValue;
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
        choice->cluster[attribute - cudaFuncAttributeRequiredClusterWidth] = (unsigned)value;
        return value >= 0 ? cudaSuccess : cudaErrorInvalidValue;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        choice->non_portable = value != 0;
        return cudaSuccess;
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
        return value >= 0 && value <= cudaClusterSchedulingPolicyLoadBalancing ? cudaSuccess
                                                                               : cudaErrorInvalidValue;
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
    case cudaFuncAttributeClusterDimMustBeSet:
    case cudaFuncAttributeMax:
    default: return cudaErrorInvalidValue;
    }
}

STANDIN_API cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute,
                                             int value)
{
    cudaError_t code = standin_enter();
    const struct binary_kernel *kernel = binary_kernel_find(function);
    struct simt_kernel facts;
    uint32_t capability;

    if (code == cudaSuccess && !kernel)
        code = no_kernel(function);
    if (code == cudaSuccess && attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) {
        struct choice choice = choice_of(kernel);
        code = choose_attribute(&choice, attribute, value);
        return standin_leave(code ? code : choice_keep(&choice));
    }
    if (code)
        return standin_leave(code);
    code = standin_kernel_facts(function, &facts, &capability);
    if (code == cudaSuccess && (value < 0 || (uint64_t)value + facts.static_shared_bytes >
                                                 standin_info()->shared_bytes_per_block_optin))
        code = cudaErrorInvalidValue;
    if (code == cudaSuccess)
        binary_kernel_allow_shared(kernel, (uint32_t)value);
    return standin_leave(code);
}

STANDIN_API cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config)
{
    cudaError_t code = standin_enter();

    if (code == cudaSuccess && !binary_kernel_find(function))
        code = no_kernel(function);
    return standin_leave(code                                          ? code
                         : (unsigned)config > cudaFuncCachePreferEqual ? cudaErrorInvalidValue
                                                                       : cudaSuccess);
}

static cudaError_t resident_blocks(int *blocks, const void *function, int threads, size_t shared_bytes)
{
    struct simt_kernel facts;
    uint32_t capability;
    cudaError_t code = standin_kernel_facts(function, &facts, &capability);

    if (code != cudaSuccess)
        return code;
    if (threads <= 0)
        return cudaErrorInvalidValue;
    const struct occupancy_input input = {.threads_per_block = (uint32_t)threads,
                                          .registers_per_thread = facts.registers,
                                          .shared_bytes_per_block =
                                              facts.static_shared_bytes + (uint32_t)shared_bytes};
    *blocks = (int)occupancy_compute(arch_find(standin_info()->compute_capability), &input).blocks;
    if (shared_bytes > shared_most(binary_kernel_find(function), &facts))
        *blocks = 0; /* a launch would be refused */
    return cudaSuccess;
}

STANDIN_API cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block,
                                                    void **arguments, size_t shared_bytes,
                                                    cudaStream_t stream)
{
    return launch_kernel(function, (struct way){.cooperative = true}, grid, block, arguments, shared_bytes,
                         stream);
}

STANDIN_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                                      int threads, size_t shared_bytes)
{
    if (!blocks)
        return standin_null();
    cudaError_t code = standin_enter();

    return standin_leave(code ? code : resident_blocks(blocks, function, threads, shared_bytes));
}

STANDIN_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *function, int threads, size_t shared_bytes, unsigned flags)
{
    if (flags & ~(unsigned)cudaOccupancyDisableCachingOverride)
        return standin_null();
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared_bytes);
}

/* ---- clusters ---- */
static dim3 cluster_asked(const cudaLaunchConfig_t *config)
{
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (config->attrs[i].id == cudaLaunchAttributeClusterDimension)
            return (dim3){config->attrs[i].val.clusterDim.x, config->attrs[i].val.clusterDim.y,
                          config->attrs[i].val.clusterDim.z};
    return (dim3){1, 1, 1};
}

static cudaError_t resident_clusters(int *clusters, const void *function, const cudaLaunchConfig_t *config,
                                     unsigned cluster)
{
    const dim3 *block = &config->blockDim;
    int blocks = 0;
    cudaError_t code =
        resident_blocks(&blocks, function, (int)(block->x * block->y * block->z), config->dynamicSmemBytes);

    if (code == cudaSuccess && (standin_info()->compute_capability < 90 || cluster == 0))
        code = cudaErrorInvalidClusterSize;
    if (code == cudaSuccess)
        *clusters = blocks * (int)standin_info()->multiprocessors / (int)cluster;
    return code;
}

/* As many as have room on all multiprocessors: which of these belong to one GPC is not modelled. */
STANDIN_API cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function,
                                                       const cudaLaunchConfig_t *config)
{
    cudaError_t code = standin_enter();

    if (code == cudaSuccess && (!clusters || !config))
        code = cudaErrorInvalidValue;
    if (code)
        return standin_leave(code);
    const dim3 cluster = cluster_asked(config);
    code =
        cluster_has_room(binary_kernel_find(function), cluster) ? cudaSuccess : cudaErrorInvalidClusterSize;
    return standin_leave(
        code ? code : resident_clusters(clusters, function, config, cluster.x * cluster.y * cluster.z));
}

/* The largest size that every GPU with clusters has, or what an H200 has where the program allows it. */
STANDIN_API cudaError_t cudaOccupancyMaxPotentialClusterSize(int *cluster, const void *function,
                                                             const cudaLaunchConfig_t *config)
{
    cudaError_t code = standin_enter();
    int clusters = 0;

    if (code == cudaSuccess && (!cluster || !config))
        code = cudaErrorInvalidValue;
    const unsigned most =
        choice_of(binary_kernel_find(function)).non_portable ? CLUSTER_BLOCKS_MOST : CLUSTER_BLOCKS_PORTABLE;
    if (code == cudaSuccess)
        code = resident_clusters(&clusters, function, config, most);
    if (code == cudaSuccess)
        *cluster = clusters > 0 ? (int)most : 0;
    return standin_leave(code);
}

#define SHARED_STEP_BYTES 128u /* shared memory is given out in such pieces */

STANDIN_API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function,
                                                                  int blocks, int threads)
{
    cudaError_t code = standin_enter();
    struct simt_kernel facts;
    uint32_t capability;
    int resident = 0;

    if (code == cudaSuccess && !bytes)
        standin_crash("a null pointer for the size");
    if (code == cudaSuccess && blocks <= 0)
        code = cudaErrorInvalidValue;
    if (code == cudaSuccess)
        code = standin_kernel_facts(function, &facts, &capability);
    if (code != cudaSuccess)
        return standin_leave(code);
    size_t at = shared_most(binary_kernel_find(function), &facts);
    for (at = at / SHARED_STEP_BYTES * SHARED_STEP_BYTES; code == cudaSuccess; at -= SHARED_STEP_BYTES) {
        code = resident_blocks(&resident, function, threads, at);
        if (resident >= blocks || at == 0)
            break;
    }
    if (code == cudaSuccess && resident < blocks)
        code = cudaErrorInvalidValue;
    if (code == cudaSuccess)
        *bytes = at;
    return standin_leave(code);
}
