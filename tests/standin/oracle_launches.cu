/* The oracle: how users get launches, functions' attributes, occupancy, streams and events wrong, what a
 * kernel that faults gives, and what each call returns afterwards (oracle.h says how a case runs). */
#include "oracle.h"
#include <cassert>
#include <cooperative_groups.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static __device__ int symbol[16];

static __global__ void count(int *to)
{
    to[threadIdx.x & 63] += symbol[threadIdx.x & 15];
}

static __global__ void __launch_bounds__(128) bounded(int *to)
{
    to[threadIdx.x & 63] = 1;
}

static __global__ void mirror(int *to)
{
    extern __shared__ int tile[];
    tile[threadIdx.x] = (int)threadIdx.x;
    __syncthreads();
    to[threadIdx.x & 63] = tile[blockDim.x - 1 - threadIdx.x];
}

static __global__ void fixed_tile(int *to)
{
    __shared__ int tile[8192];
    extern __shared__ int more[];
    tile[threadIdx.x] = more[threadIdx.x] = to[threadIdx.x & 63];
    __syncthreads();
    to[threadIdx.x & 63] = tile[blockDim.x - 1 - threadIdx.x] + more[0];
}

/* 80 registers at least: the 40 doubles live through all rounds. */
static __global__ void many_registers(double *values, int rounds)
{
    double sum[40];
#pragma unroll
    for (int k = 0; k < 40; k++)
        sum[k] = values[k];
    for (int round = 0; round < rounds; round++)
#pragma unroll
        for (int k = 0; k < 40; k++)
            sum[k] = sum[k] * sum[(k + 7) % 40] + round;
#pragma unroll
    for (int k = 0; k < 40; k++)
        values[k] = sum[k];
}

static __global__ void wait_ns(unsigned long long ns)
{
    unsigned long long from, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(from));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - from < ns);
}

/* How a kernel faults. */
static __global__ void write_at(char *to, long long offset)
{
    *(volatile int *)(to + offset) = 1;
}

static __global__ void read_at(const char *from, long long offset, int *to)
{
    *to = *(volatile const int *)(from + offset);
}

static __global__ void write_wide(char *to, long long offset)
{
    *(double2 *)(to + offset) = make_double2(1, 2);
}

static __global__ void add_at(char *to, long long offset)
{
    atomicAdd((int *)(to + offset), 1);
}

static __global__ void write_shared(long long offset)
{
    __shared__ int tile[32];
    *(volatile int *)((char *)tile + offset) = 1 + tile[31];
}

static __global__ void write_local(long long offset, int *to)
{
    int own[16];
    for (int k = 0; k < 16; k++)
        own[(k + to[0]) & 15] = k;
    *(volatile int *)((char *)own + offset) = 1;
    to[0] = own[to[1] & 15];
}

static __global__ void end_by_trap()
{
    __trap();
}

static __global__ void end_by_brkpt()
{
    asm volatile("brkpt;");
}

static __global__ void end_by_assert(int value)
{
    assert(value == 1);
}

static __device__ __noinline__ int descend(int depth)
{
    volatile int own[256];
    own[depth & 255] = depth;
    return depth == 0 ? 0 : descend(depth - 1) + own[depth & 255];
}

static __global__ void recurse(int depth, int *to)
{
    *to = descend(depth);
}

static __global__ void call_pointer(void (*where)())
{
    where();
}

static __global__ void sync_grid()
{
    cooperative_groups::this_grid().sync();
}

static __global__ void heap_twice()
{
    void *block = malloc(64);
    free(block);
    free(block);
}

static __global__ void heap_strange(void *block)
{
    free(block);
}

static __global__ void heap_large(int *to)
{
    *to = malloc((size_t)1 << 40) == nullptr;
}

static __global__ void divide_by(int value, int *to)
{
    *to = 7 / value;
}

static __constant__ int table[16];

static __global__ void read_constant(int at, int *to)
{
    *to = table[at];
}

static int *d, *pinned;
static char host[1 << 16];
static cudaStream_t s, other;
static cudaEvent_t e, f;
static void *p;
static size_t n = 7;
static int i = -7, j = -7;
static unsigned u = 7;
static unsigned long long wide = 7;
static float ms = -7;
static cudaFuncAttributes facts;
static cudaPointerAttributes about;
static cudaDeviceProp properties;
static cudaStreamAttrValue stream_value;
static cudaFunction_t function;

static void say_code(const char *what, int code, bool taken)
{
    std::printf("%s: %d, last %d\n", what, code, (int)cudaPeekAtLastError());
    if (taken)
        cudaGetLastError();
}

static void prepare_launch()
{
    cudaMalloc((void **)&d, 4096);
    cudaMemset(d, 0, 4096);
    cudaMallocHost((void **)&pinned, 4096);
    cudaStreamCreate(&s), cudaStreamCreate(&other);
    cudaEventCreate(&e), cudaEventCreate(&f);
}

static void finish_case()
{
    cudaError_t code = cudaDeviceSynchronize();
    std::printf("end: %d, last %d\n", (int)code, (int)cudaGetLastError());
}

/* A launch and its code at once. */
#define RUN(...) (__VA_ARGS__), say_code(#__VA_ARGS__, (int)cudaPeekAtLastError(), true)

/* A launch with attributes. */
static cudaError_t launch_with(const void *kernel, dim3 grid, dim3 block, cudaLaunchAttributeID id,
                               cudaLaunchAttributeValue value, size_t shared = 0)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = id, attribute.val = value;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid, config.blockDim = block, config.dynamicSmemBytes = shared;
    config.attrs = &attribute, config.numAttrs = 1;
    void *arguments[] = {&d, &n};
    return cudaLaunchKernelExC(&config, kernel, arguments);
}

static cudaLaunchAttributeValue cluster_of(unsigned x, unsigned y, unsigned z)
{
    cudaLaunchAttributeValue value = {};
    value.clusterDim.x = x, value.clusterDim.y = y, value.clusterDim.z = z;
    return value;
}

static cudaLaunchAttributeValue number_of(int number)
{
    cudaLaunchAttributeValue value = {};
    value.cooperative = number;
    return value;
}
#define CLUSTER(grid, block, x, y, z) \
    launch_with((const void *)count, grid, block, cudaLaunchAttributeClusterDimension, cluster_of(x, y, z))

static cudaError_t launch_cooperative(const void *kernel, int blocks, int threads, size_t shared)
{
    void *arguments[] = {&d, &n};
    return cudaLaunchCooperativeKernel(kernel, dim3((unsigned)blocks), dim3((unsigned)threads), arguments,
                                       shared, s);
}

static cudaError_t launch_plain(const void *kernel, dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
{
    void *arguments[] = {&d, &n};
    return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

static cudaError_t clusters_of(unsigned x, int threads, size_t shared, bool largest)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension, attribute.val = cluster_of(x, 1, 1);
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(x ? x * 4 : 4), config.blockDim = dim3((unsigned)threads),
    config.dynamicSmemBytes = shared;
    config.attrs = &attribute, config.numAttrs = 1;
    return largest ? cudaOccupancyMaxPotentialClusterSize(&i, count, &config)
                   : cudaOccupancyMaxActiveClusters(&i, count, &config);
}

/* Functions of a stream that call CUDA. */
static void CUDART_CB call_in_stream(void *)
{
    SAY(cudaMalloc(&p, 64));
    SAY(cudaStreamSynchronize(other));
    SAY(cudaGetDevice(&i));
}

static void CUDART_CB call_back(cudaStream_t, cudaError_t code, void *)
{
    SHOW(code);
    SAY(cudaStreamQuery(other));
}

/* After a kernel that faulted. */
#define AFTER(label, ...)                                                              \
    CASE(after_##label, write_at<<<1, 1>>>(nullptr, 0), KEEP(cudaDeviceSynchronize()), \
         say_code(#__VA_ARGS__, (int)(__VA_ARGS__), false),                            \
         say_code(#__VA_ARGS__, (int)(__VA_ARGS__), false), KEEP(cudaGetLastError()))
/* A kernel that faults: what waiting says, and what a copy does. */
#define FAULT(label, ...)                                                                        \
    CASE(fault_##label, (__VA_ARGS__), say_code(#__VA_ARGS__, (int)cudaPeekAtLastError(), true), \
         KEEP(cudaDeviceSynchronize()), KEEP(cudaGetLastError()), KEEP(cudaPeekAtLastError()),   \
         KEEP(cudaMemcpy(host, d, 4, cudaMemcpyDeviceToHost)))

/* clang-format off */ /* one row per case */
static const struct oracle_case cases[] = {
    /* Launches. */
    CASE(launch_no_blocks, RUN(count<<<0, 32>>>(d))),
    CASE(launch_no_threads, RUN(count<<<1, 0>>>(d))),
    CASE(launch_nothing, RUN(count<<<0, 0>>>(d))),
    CASE(launch_no_y, RUN(count<<<dim3(1, 0, 1), 32>>>(d))),
    CASE(launch_no_z, RUN(count<<<dim3(1, 1, 0), 32>>>(d))),
    CASE(launch_no_thread_y, RUN(count<<<1, dim3(32, 0, 1)>>>(d))),
    CASE(launch_1025, RUN(count<<<1, 1025>>>(d))),
    CASE(launch_1024, RUN(count<<<1, 1024>>>(d))),
    CASE(launch_32_by_33, RUN(count<<<1, dim3(32, 33)>>>(d))),
    CASE(launch_y_1024, RUN(count<<<1, dim3(1, 1024)>>>(d))),
    CASE(launch_y_1025, RUN(count<<<1, dim3(1, 1025)>>>(d))),
    CASE(launch_z_64, RUN(count<<<1, dim3(1, 1, 64)>>>(d))),
    CASE(launch_z_65, RUN(count<<<1, dim3(1, 1, 65)>>>(d))),
    CASE(launch_threads_negative, RUN(count<<<1, (unsigned)-1>>>(d))),
    CASE(launch_blocks_negative, RUN(count<<<(unsigned)-1, 32>>>(d))),
    CASE(launch_x_2_to_31, RUN(count<<<2147483648u, 1>>>(d))),
    CASE(launch_grid_y_65535, RUN(count<<<dim3(1, 65535), 1>>>(d))),
    CASE(launch_grid_y_65536, RUN(count<<<dim3(1, 65536), 1>>>(d))),
    CASE(launch_grid_z_65536, RUN(count<<<dim3(1, 1, 65536), 1>>>(d))),
    CASE(launch_bounded_128, RUN(bounded<<<1, 128>>>(d))),
    CASE(launch_bounded_129, RUN(bounded<<<1, 129>>>(d))),
    CASE(launch_bounded_1025, RUN(bounded<<<1, 1025>>>(d))),
    CASE(launch_bounded_facts, SAY(cudaFuncGetAttributes(&facts, bounded)), SHOW(facts.maxThreadsPerBlock)),
    CASE(launch_registers_1024, RUN(many_registers<<<1, 1024>>>((double *)d, 1))),
    CASE(launch_registers_fit, SAY(cudaFuncGetAttributes(&facts, many_registers)), SHOW(facts.numRegs >= 72), SHOW(facts.maxThreadsPerBlock < 1024), RUN(many_registers<<<1, facts.maxThreadsPerBlock>>>((double *)d, 1))),
    CASE(launch_registers_one_warp_more, SAY(cudaFuncGetAttributes(&facts, many_registers)), RUN(many_registers<<<1, facts.maxThreadsPerBlock + 32>>>((double *)d, 1))),
    CASE(launch_registers_cooperative, SAY(launch_cooperative((const void *)many_registers, 1, 1024, 0))),
    CASE(launch_registers_occupancy, SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&i, many_registers, 1024, 0)), SHOW(i)),
    CASE(launch_registers_cluster, SAY(launch_with((const void *)many_registers, 2, 1024, cudaLaunchAttributeClusterDimension, cluster_of(2, 1, 1)))),
    CASE(launch_shared_48, RUN(mirror<<<1, 64, 49152>>>(d))),
    CASE(launch_shared_48_and_1, RUN(mirror<<<1, 64, 49153>>>(d))),
    CASE(launch_shared_fixed, RUN(fixed_tile<<<1, 64, 16384>>>(d)), RUN(fixed_tile<<<1, 64, 16385>>>(d))),
    CASE(launch_shared_huge, RUN(mirror<<<1, 64, (size_t)1 << 40>>>(d))),
    CASE(launch_shared_negative, RUN(mirror<<<1, 64, (size_t)-4>>>(d))),
    CASE(launch_shared_2_to_32, RUN(mirror<<<1, 64, ((size_t)1 << 32) + 256>>>(d))),
    CASE(launch_shared_allowed, SAY(cudaFuncSetAttribute(mirror, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536)), RUN(mirror<<<1, 64, 65536>>>(d)), RUN(mirror<<<1, 64, 65537>>>(d))),
    CASE(launch_shared_other_kernel, SAY(cudaFuncSetAttribute(mirror, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536)), RUN(count<<<1, 64, 65536>>>(d))),
    CASE(launch_shared_after_reset, SAY(cudaFuncSetAttribute(mirror, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536)), SAY(cudaDeviceReset()), cudaMalloc((void **)&d, 4096), RUN(mirror<<<1, 64, 65536>>>(d))),
    CASE(launch_stream_strange, RUN(count<<<1, 32, 0, STRANGE(cudaStream_t)>>>(d))),
    CASE(launch_stream_destroyed, cudaStreamDestroy(s), RUN(count<<<1, 32, 0, s>>>(d))),
    CASE(launch_stream_event, RUN(count<<<1, 32, 0, (cudaStream_t)(void *)e>>>(d))),
    CASE(launch_stream_special, RUN(count<<<1, 32, 0, cudaStreamLegacy>>>(d)), RUN(count<<<1, 32, 0, cudaStreamPerThread>>>(d)), RUN(count<<<1, 32, 0, (cudaStream_t)3>>>(d))),
    CASE(launch_kernel_null, SAY(launch_plain(nullptr, 1, 32, 0, s))),
    CASE(launch_kernel_strange, SAY(launch_plain(strange, 1, 32, 0, s))),
    CASE(launch_kernel_host_function, SAY(launch_plain((const void *)prepare_launch, 1, 32, 0, s))),
    CASE(launch_kernel_symbol, SAY(launch_plain(symbol, 1, 32, 0, s))),
    CASE(launch_kernel_zero_grid, SAY(launch_plain((const void *)count, 0, 32, 0, s))),
    CASE(launch_no_arguments, SAY(cudaLaunchKernel((const void *)count, 1, 32, nullptr, 0, s))),
    CASE(launch_config_null, SAY(cudaLaunchKernelExC(nullptr, (const void *)count, nullptr))),
    CASE(launch_attributes_null, cudaLaunchConfig_t config = {}; config.gridDim = config.blockDim = dim3(1); config.numAttrs = 1; void *arguments[] = {&d}; SAY(cudaLaunchKernelExC(&config, (const void *)count, arguments))),
    CASE(launch_config_empty, cudaLaunchConfig_t config = {}; void *arguments[] = {&d}; SAY(cudaLaunchKernelExC(&config, (const void *)count, arguments))),
    CASE(launch_attribute_unknown, SAY(launch_with((const void *)count, 1, 32, (cudaLaunchAttributeID)99, number_of(1)))),
    CASE(launch_attribute_priority, SAY(launch_with((const void *)count, 1, 32, cudaLaunchAttributePriority, number_of(-99)))),
    CASE(launch_attribute_serialization, SAY(launch_with((const void *)count, 1, 32, cudaLaunchAttributeProgrammaticStreamSerialization, number_of(1)))),
    CASE(launch_attribute_sync_policy, SAY(launch_with((const void *)count, 1, 32, cudaLaunchAttributeSynchronizationPolicy, number_of(99)))),
    CASE(launch_after_error, cudaSetDevice(64), RUN(count<<<1, 32>>>(d))),

    /* Clusters. */
    CASE(cluster_of_2, SAY(CLUSTER(4, 32, 2, 1, 1))),
    CASE(cluster_of_none, SAY(CLUSTER(4, 32, 0, 0, 0))),
    CASE(cluster_no_y, SAY(CLUSTER(4, 32, 2, 0, 1))),
    CASE(cluster_grid_odd, SAY(CLUSTER(5, 32, 2, 1, 1))),
    CASE(cluster_grid_less, SAY(CLUSTER(2, 32, 4, 1, 1))),
    CASE(cluster_y_of_1, SAY(CLUSTER(4, 32, 1, 2, 1))),
    CASE(cluster_of_8, SAY(CLUSTER(8, 32, 8, 1, 1))),
    CASE(cluster_of_3, SAY(CLUSTER(9, 32, 3, 1, 1))),
    CASE(cluster_of_7, SAY(CLUSTER(14, 32, 7, 1, 1))),
    CASE(cluster_of_9, SAY(CLUSTER(9, 32, 9, 1, 1))),
    CASE(cluster_of_16, SAY(CLUSTER(16, 32, 16, 1, 1))),
    CASE(cluster_of_16_allowed, SAY(cudaFuncSetAttribute(count, cudaFuncAttributeNonPortableClusterSizeAllowed, 1)), SAY(CLUSTER(16, 32, 16, 1, 1))),
    CASE(cluster_of_32_allowed, SAY(cudaFuncSetAttribute(count, cudaFuncAttributeNonPortableClusterSizeAllowed, 1)), SAY(CLUSTER(32, 32, 32, 1, 1))),
    CASE(cluster_of_2_2_2, SAY(CLUSTER(dim3(2, 2, 2), 32, 2, 2, 2))),
    CASE(cluster_of_4_4, SAY(CLUSTER(dim3(4, 4), 32, 4, 4, 1))),
    CASE(cluster_huge, SAY(CLUSTER(4, 32, 1u << 31, 1, 1))),
    CASE(cluster_threads_1025, SAY(CLUSTER(4, 1025, 2, 1, 1))),
    CASE(cluster_no_blocks, SAY(CLUSTER(0, 32, 2, 1, 1))),
    CASE(cluster_preferred, SAY(launch_with((const void *)count, 4, 32, cudaLaunchAttributeClusterSchedulingPolicyPreference, number_of(99)))),
    CASE(cluster_attribute_width, SAY(cudaFuncSetAttribute(count, cudaFuncAttributeRequiredClusterWidth, 2)), RUN(count<<<4, 32>>>(d))),
    CASE(cluster_attribute_width_3d, SAY(cudaFuncSetAttribute(count, cudaFuncAttributeRequiredClusterWidth, -1))),
    CASE(cluster_attribute_width_odd, SAY(cudaFuncSetAttribute(count, cudaFuncAttributeRequiredClusterWidth, 2)), SAY(cudaFuncSetAttribute(count, cudaFuncAttributeRequiredClusterHeight, 1)), SAY(cudaFuncSetAttribute(count, cudaFuncAttributeRequiredClusterDepth, 1)), RUN(count<<<3, 32>>>(d))),
    CASE(cluster_size_null, cudaLaunchConfig_t config = {}; SAY(cudaOccupancyMaxPotentialClusterSize(nullptr, count, &config))),
    CASE(cluster_size, SAY(clusters_of(2, 128, 0, true)), SHOW(i)),
    CASE(cluster_size_shared, SAY(clusters_of(2, 128, (size_t)1 << 30, true)), SHOW(i)),
    CASE(cluster_size_threads, SAY(clusters_of(2, 1025, 0, true)), SHOW(i)),
    CASE(cluster_size_allowed, cudaFuncSetAttribute(count, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), SAY(clusters_of(2, 128, 0, true)), SHOW(i)),
    CASE(cluster_active_none, SAY(clusters_of(0, 128, 0, false)), SHOW(i)),
    CASE(cluster_active_9, SAY(clusters_of(9, 128, 0, false)), SHOW(i)),
    CASE(cluster_active_threads, SAY(clusters_of(2, 1025, 0, false)), SHOW(i)),
    CASE(cluster_active_shared, SAY(clusters_of(2, 128, 1 << 20, false)), SHOW(i)),

    /* Cooperative launches. */
    CASE(cooperative_one, SAY(launch_cooperative((const void *)count, 1, 32, 0))),
    CASE(cooperative_large, SAY(launch_cooperative((const void *)count, 1000000, 32, 0))),
    CASE(cooperative_fits, SAY(cudaGetDeviceProperties(&properties, 0)), SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&i, count, 1024, 0)), SHOW(i), SAY(launch_cooperative((const void *)count, i * properties.multiProcessorCount, 1024, 0))),
    CASE(cooperative_one_more, SAY(cudaGetDeviceProperties(&properties, 0)), SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&i, count, 1024, 0)), SAY(launch_cooperative((const void *)count, i * properties.multiProcessorCount + 1, 1024, 0))),
    CASE(cooperative_no_blocks, SAY(launch_cooperative((const void *)count, 0, 32, 0))),
    CASE(cooperative_1025, SAY(launch_cooperative((const void *)count, 1, 1025, 0))),
    CASE(cooperative_shared, SAY(launch_cooperative((const void *)mirror, 1, 32, 65536))),
    CASE(cooperative_null, SAY(launch_cooperative(nullptr, 1, 32, 0))),
    CASE(cooperative_bounded, SAY(launch_cooperative((const void *)bounded, 1, 256, 0))),
    CASE(cooperative_attribute_large, SAY(launch_with((const void *)count, 1000000, 32, cudaLaunchAttributeCooperative, number_of(1)))),
    CASE(cooperative_sync, SAY(launch_cooperative((const void *)sync_grid, 4, 32, 0))),
    FAULT(sync_grid_not_cooperative, sync_grid<<<4, 32>>>()),

    /* Functions' attributes. */
    CASE(function_null, SAY(cudaFuncGetAttributes(&facts, (const void *)nullptr))),
    CASE(function_null_out, SAY(cudaFuncGetAttributes(nullptr, count))),
    CASE(function_strange, SAY(cudaFuncGetAttributes(&facts, (const void *)strange))),
    CASE(function_symbol, SAY(cudaFuncGetAttributes(&facts, (const void *)symbol))),
    CASE(function_facts, SAY(cudaFuncGetAttributes(&facts, fixed_tile)), SHOW(facts.sharedSizeBytes), SHOW(facts.constSizeBytes), SHOW(facts.localSizeBytes), SHOW(facts.maxThreadsPerBlock), SHOW(facts.maxDynamicSharedSizeBytes), SHOW(facts.preferredShmemCarveout)),
    CASE(function_set_null, SAY(cudaFuncSetAttribute((const void *)nullptr, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024))),
    CASE(function_set_strange, SAY(cudaFuncSetAttribute((const void *)strange, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024))),
    CASE(function_set_unknown, SAY(cudaFuncSetAttribute(count, (cudaFuncAttribute)99, 1))),
    CASE(function_set_zero, SAY(cudaFuncSetAttribute(count, (cudaFuncAttribute)0, 1))),
    CASE(function_shared_negative, SAY(cudaFuncSetAttribute(count, cudaFuncAttributeMaxDynamicSharedMemorySize, -1))),
    CASE(function_shared_most, SAY(cudaFuncSetAttribute(count, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448)), SAY(cudaFuncSetAttribute(count, cudaFuncAttributeMaxDynamicSharedMemorySize, 232449))),
    CASE(function_shared_with_fixed, SAY(cudaFuncSetAttribute(fixed_tile, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448 - 32768)), SAY(cudaFuncSetAttribute(fixed_tile, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448 - 32768 + 1))),
    CASE(function_carveout_101, SAY(cudaFuncSetAttribute(count, cudaFuncAttributePreferredSharedMemoryCarveout, 101))),
    CASE(function_carveout_less, SAY(cudaFuncSetAttribute(count, cudaFuncAttributePreferredSharedMemoryCarveout, -2)), SAY(cudaFuncSetAttribute(count, cudaFuncAttributePreferredSharedMemoryCarveout, -1))),
    CASE(function_carveout_kept, SAY(cudaFuncSetAttribute(count, cudaFuncAttributePreferredSharedMemoryCarveout, 50)), SAY(cudaFuncGetAttributes(&facts, count)), SHOW(facts.preferredShmemCarveout)),
    CASE(function_not_portable_2, SAY(cudaFuncSetAttribute(count, cudaFuncAttributeNonPortableClusterSizeAllowed, 2))),
    CASE(function_scheduling, SAY(cudaFuncSetAttribute(count, cudaFuncAttributeClusterSchedulingPolicyPreference, 99))),
    CASE(function_cache_null, SAY(cudaFuncSetCacheConfig((const void *)nullptr, cudaFuncCachePreferL1))),
    CASE(function_cache_unknown, SAY(cudaFuncSetCacheConfig(count, (cudaFuncCache)99))),
    CASE(function_by_symbol_null, SAY(cudaGetFuncBySymbol(&function, nullptr))),
    CASE(function_by_symbol_null_again, SAY(cudaGetFuncBySymbol(nullptr, (const void *)count))),
    CASE(function_by_symbol_strange, SAY(cudaGetFuncBySymbol(&function, strange))),

    /* Occupancy. */
    CASE(occupancy_null_out, SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, count, 32, 0))),
    CASE(occupancy_null, SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&i, (const void *)nullptr, 32, 0))),
    CASE(occupancy_strange, SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&i, (const void *)strange, 32, 0))),
    CASE(occupancy_no_threads, SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&i, count, 0, 0)), SHOW(i)),
    CASE(occupancy_negative, SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&i, count, -32, 0)), SHOW(i)),
    CASE(occupancy_1025, SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&i, count, 1025, 0)), SHOW(i)),
    CASE(occupancy_2048, SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&i, count, 2048, 0)), SHOW(i)),
    CASE(occupancy_shared_49153, SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&i, count, 32, 49153)), SHOW(i)),
    CASE(occupancy_shared_227, SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&i, count, 32, 232448)), SHOW(i)),
    CASE(occupancy_shared_228, SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&i, count, 32, 232449)), SHOW(i)),
    CASE(occupancy_bounded, SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&i, bounded, 256, 0)), SHOW(i)),
    CASE(occupancy_flags, SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&i, count, 32, 0, 99)), SHOW(i)),
    CASE(occupancy_plain, SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&i, count, 1, 0)), SHOW(i)),
    CASE(occupancy_available, SAY(cudaOccupancyAvailableDynamicSMemPerBlock(&n, count, 1, 32)), SHOW(n)),
    CASE(occupancy_available_none, SAY(cudaOccupancyAvailableDynamicSMemPerBlock(&n, count, 0, 32)), SHOW(n)),
    CASE(occupancy_available_many, SAY(cudaOccupancyAvailableDynamicSMemPerBlock(&n, count, 33, 32)), SHOW(n)),
    CASE(occupancy_available_threads, SAY(cudaOccupancyAvailableDynamicSMemPerBlock(&n, count, 3, 1024)), SHOW(n)),
    CASE(occupancy_available_1025, SAY(cudaOccupancyAvailableDynamicSMemPerBlock(&n, count, 1, 1025)), SHOW(n)),
    CASE(occupancy_available_negative, SAY(cudaOccupancyAvailableDynamicSMemPerBlock(&n, count, -1, -1)), SHOW(n)),
    CASE(occupancy_available_null, SAY(cudaOccupancyAvailableDynamicSMemPerBlock(nullptr, count, 1, 32))),
    CASE(occupancy_block_size, SAY(cudaOccupancyMaxPotentialBlockSize(&i, &j, many_registers, 0, 0)), SHOW(j < 1024 && j > 0)),
    CASE(occupancy_block_size_limit, SAY(cudaOccupancyMaxPotentialBlockSize(&i, &j, count, 0, 100)), SHOW(j)),

    /* Streams. */
    CASE(stream_null, SAY(cudaStreamCreate(nullptr))),
    CASE(stream_flags_2, SAY(cudaStreamCreateWithFlags(&s, 2))),
    CASE(stream_flags_255, SAY(cudaStreamCreateWithFlags(&s, 255))),
    CASE(stream_flags_null, SAY(cudaStreamCreateWithFlags(nullptr, 0))),
    CASE(stream_priority_flags, SAY(cudaStreamCreateWithPriority(&s, 99, 0))),
    CASE(stream_priority_far, SAY(cudaStreamCreateWithPriority(&s, 0, -1000)), SAY(cudaStreamGetPriority(s, &i)), SHOW(i)),
    CASE(stream_priority_int_min, SAY(cudaStreamCreateWithPriority(&s, 0, (int)0x80000000)), SAY(cudaStreamGetPriority(s, &i)), SHOW(i)),
    CASE(stream_destroy_null, SAY(cudaStreamDestroy(nullptr))),
    CASE(stream_destroy_legacy, SAY(cudaStreamDestroy(cudaStreamLegacy))),
    CASE(stream_destroy_per_thread, SAY(cudaStreamDestroy(cudaStreamPerThread))),
    CASE(stream_destroy_strange, SAY(cudaStreamDestroy(STRANGE(cudaStream_t)))),
    CASE(stream_destroy_twice, SAY(cudaStreamDestroy(s)), SAY(cudaStreamDestroy(s))),
    CASE(stream_destroy_event, SAY(cudaStreamDestroy((cudaStream_t)(void *)e))),
    CASE(stream_destroy_busy, wait_ns<<<1, 1, 0, s>>>(20000000), SAY(cudaStreamDestroy(s))),
    CASE(stream_query_destroyed, cudaStreamDestroy(s), SAY(cudaStreamQuery(s))),
    CASE(stream_query_strange, SAY(cudaStreamQuery(STRANGE(cudaStream_t)))),
    CASE(stream_query_number, SAY(cudaStreamQuery((cudaStream_t)77))),
    CASE(stream_query_busy, wait_ns<<<1, 1, 0, s>>>(200000000), SAY(cudaStreamQuery(s)), KEEP(cudaStreamQuery(s)), KEEP(cudaGetLastError())),
    CASE(stream_sync_destroyed, cudaStreamDestroy(s), SAY(cudaStreamSynchronize(s))),
    CASE(stream_sync_strange, SAY(cudaStreamSynchronize(STRANGE(cudaStream_t)))),
    CASE(stream_sync_memory, SAY(cudaStreamSynchronize((cudaStream_t)(void *)host))),
    CASE(stream_wait_null, SAY(cudaStreamWaitEvent(s, nullptr, 0))),
    CASE(stream_wait_flags, SAY(cudaEventRecord(e, other)), SAY(cudaStreamWaitEvent(s, e, 99))),
    CASE(stream_wait_external, SAY(cudaEventRecord(e, other)), SAY(cudaStreamWaitEvent(s, e, cudaEventWaitExternal))),
    CASE(stream_wait_fresh, SAY(cudaStreamWaitEvent(s, e, 0))),
    CASE(stream_wait_destroyed, cudaEventDestroy(e), SAY(cudaStreamWaitEvent(s, e, 0))),
    CASE(stream_wait_strange, SAY(cudaStreamWaitEvent(s, STRANGE(cudaEvent_t), 0))),
    CASE(stream_wait_in_destroyed, cudaStreamDestroy(s), SAY(cudaStreamWaitEvent(s, e, 0))),
    CASE(stream_flags_get_null, SAY(cudaStreamGetFlags(s, nullptr))),
    CASE(stream_flags_get_default, SAY(cudaStreamGetFlags(nullptr, &u)), SHOW(u), SAY(cudaStreamGetFlags(cudaStreamPerThread, &u)), SHOW(u)),
    CASE(stream_flags_get_destroyed, cudaStreamDestroy(s), SAY(cudaStreamGetFlags(s, &u))),
    CASE(stream_priority_get_null, SAY(cudaStreamGetPriority(s, nullptr))),
    CASE(stream_id_null, SAY(cudaStreamGetId(s, nullptr))),
    CASE(stream_id_default, SAY(cudaStreamGetId(nullptr, &wide)), SHOW(wide != 7)),
    CASE(stream_device, SAY(cudaStreamGetDevice(s, &i)), SHOW(i), SAY(cudaStreamGetDevice(s, nullptr))),
    CASE(stream_attach_device_memory, SAY(cudaStreamAttachMemAsync(s, d, 0, cudaMemAttachSingle))),
    CASE(stream_attach_flags, SAY(cudaStreamAttachMemAsync(s, d, 0, 99))),
    CASE(stream_attach_null, SAY(cudaStreamAttachMemAsync(s, nullptr, 0, cudaMemAttachSingle))),
    CASE(stream_callback_null, SAY(cudaStreamAddCallback(s, nullptr, nullptr, 0))),
    CASE(stream_callback_flags, SAY(cudaStreamAddCallback(s, call_back, nullptr, 1))),
    CASE(stream_callback_destroyed, cudaStreamDestroy(s), SAY(cudaStreamAddCallback(s, call_back, nullptr, 0))),
    CASE(stream_callback_calls, SAY(cudaStreamAddCallback(s, call_back, nullptr, 0)), cudaDeviceSynchronize()),
    CASE(stream_function_null, SAY(cudaLaunchHostFunc(s, nullptr, nullptr))),
    CASE(stream_function_destroyed, cudaStreamDestroy(s), SAY(cudaLaunchHostFunc(s, call_in_stream, nullptr))),
    CASE(stream_function_calls, cudaLaunchHostFunc(s, call_in_stream, nullptr), SAY(cudaDeviceSynchronize())),
    CASE(stream_attribute_unknown, SAY(cudaStreamGetAttribute(s, (cudaStreamAttrID)99, &stream_value)), SAY(cudaStreamSetAttribute(s, (cudaStreamAttrID)99, &stream_value))),
    CASE(stream_attribute_null, SAY(cudaStreamGetAttribute(s, cudaLaunchAttributePriority, nullptr))),
    CASE(stream_attribute_null_again, SAY(cudaStreamSetAttribute(s, cudaLaunchAttributePriority, nullptr))),
    CASE(stream_attribute_cluster, SAY(cudaStreamSetAttribute(s, cudaLaunchAttributeClusterDimension, &stream_value))),
    CASE(stream_attribute_policy, stream_value.syncPolicy = (cudaSynchronizationPolicy)99, SAY(cudaStreamSetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &stream_value))),
    CASE(stream_attribute_window, stream_value.accessPolicyWindow.num_bytes = (size_t)1 << 40, SAY(cudaStreamSetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &stream_value))),
    CASE(stream_attribute_ratio, stream_value.accessPolicyWindow.hitRatio = 2, stream_value.accessPolicyWindow.base_ptr = d, stream_value.accessPolicyWindow.num_bytes = 64, SAY(cudaStreamSetAttribute(s, cudaLaunchAttributeAccessPolicyWindow, &stream_value))),
    CASE(stream_copy_attributes, SAY(cudaStreamCopyAttributes(s, other)), SAY(cudaStreamCopyAttributes(s, s)), SAY(cudaStreamCopyAttributes(nullptr, s))),
    CASE(stream_priority_range_null, SAY(cudaDeviceGetStreamPriorityRange(&i, nullptr)), SHOW(i)),

    /* Events. */
    CASE(event_null, SAY(cudaEventCreate((cudaEvent_t *)nullptr))),
    CASE(event_flags_8, SAY(cudaEventCreateWithFlags(&e, 8))),
    CASE(event_flags_255, SAY(cudaEventCreateWithFlags(&e, 255))),
    CASE(event_interprocess, SAY(cudaEventCreateWithFlags(&e, cudaEventInterprocess))),
    CASE(event_destroy_null, SAY(cudaEventDestroy(nullptr))),
    CASE(event_destroy_twice, SAY(cudaEventDestroy(e)), SAY(cudaEventDestroy(e))),
    CASE(event_destroy_strange, SAY(cudaEventDestroy(STRANGE(cudaEvent_t)))),
    CASE(event_destroy_stream, SAY(cudaEventDestroy((cudaEvent_t)(void *)s))),
    CASE(event_destroy_pending, wait_ns<<<1, 1, 0, s>>>(20000000), SAY(cudaEventRecord(e, s)), SAY(cudaEventDestroy(e))),
    CASE(event_record_null, SAY(cudaEventRecord(nullptr))),
    CASE(event_record_destroyed, cudaEventDestroy(e), SAY(cudaEventRecord(e))),
    CASE(event_record_strange, SAY(cudaEventRecord(STRANGE(cudaEvent_t)))),
    CASE(event_record_in_destroyed, cudaStreamDestroy(s), SAY(cudaEventRecord(e, s))),
    CASE(event_record_flags, SAY(cudaEventRecordWithFlags(e, s, 99))),
    CASE(event_record_external, SAY(cudaEventRecordWithFlags(e, s, cudaEventRecordExternal))),
    CASE(event_query_fresh, SAY(cudaEventQuery(e))),
    CASE(event_query_null, SAY(cudaEventQuery(nullptr))),
    CASE(event_query_destroyed, cudaEventDestroy(e), SAY(cudaEventQuery(e))),
    CASE(event_query_busy, wait_ns<<<1, 1, 0, s>>>(200000000), SAY(cudaEventRecord(e, s)), SAY(cudaEventQuery(e)), KEEP(cudaEventQuery(e)), KEEP(cudaGetLastError())),
    CASE(event_sync_fresh, SAY(cudaEventSynchronize(e))),
    CASE(event_sync_null, SAY(cudaEventSynchronize(nullptr))),
    CASE(event_sync_destroyed, cudaEventDestroy(e), SAY(cudaEventSynchronize(e))),
    CASE(event_elapsed_fresh, SAY(cudaEventElapsedTime(&ms, e, f)), SHOW(ms)),
    CASE(event_elapsed_half, cudaEventRecord(e), cudaDeviceSynchronize(), SAY(cudaEventElapsedTime(&ms, e, f)), SHOW(ms)),
    CASE(event_elapsed_half_end, cudaEventRecord(f), cudaDeviceSynchronize(), SAY(cudaEventElapsedTime(&ms, e, f)), SHOW(ms)),
    CASE(event_elapsed_same, cudaEventRecord(e), cudaDeviceSynchronize(), SAY(cudaEventElapsedTime(&ms, e, e)), SHOW(ms)),
    CASE(event_elapsed_swapped, cudaEventRecord(e), wait_ns<<<1, 1>>>(1000000), cudaEventRecord(f), cudaDeviceSynchronize(), SAY(cudaEventElapsedTime(&ms, f, e)), SHOW(ms < 0)),
    CASE(event_elapsed_null, SAY(cudaEventElapsedTime(&ms, nullptr, f))),
    CASE(event_elapsed_null_again, SAY(cudaEventElapsedTime(&ms, e, nullptr))),
    CASE(event_elapsed_null_out, cudaEventRecord(e), cudaDeviceSynchronize(), SAY(cudaEventElapsedTime(nullptr, e, e))),
    CASE(event_elapsed_no_timing, cudaEventCreateWithFlags(&f, cudaEventDisableTiming), cudaEventRecord(e), cudaEventRecord(f), cudaDeviceSynchronize(), SAY(cudaEventElapsedTime(&ms, e, f)), SHOW(ms)),
    CASE(event_elapsed_no_timing_fresh, cudaEventCreateWithFlags(&f, cudaEventDisableTiming), SAY(cudaEventElapsedTime(&ms, e, f))),
    CASE(event_elapsed_busy, cudaEventRecord(e, s), wait_ns<<<1, 1, 0, s>>>(200000000), cudaEventRecord(f, s), SAY(cudaEventElapsedTime(&ms, e, f)), SHOW(ms)),
    CASE(event_elapsed_destroyed, cudaEventRecord(e), cudaEventDestroy(f), SAY(cudaEventElapsedTime(&ms, e, f))),

    /* Kernels that fault. */
    FAULT(write_null, write_at<<<1, 1>>>(nullptr, 0)),
    FAULT(write_low, write_at<<<1, 1>>>(nullptr, 4096)),
    FAULT(write_far, write_at<<<1, 1>>>((char *)d, (long long)1 << 38)),
    FAULT(write_one_past, write_at<<<1, 1>>>((char *)d, 4096)),
    FAULT(write_before, write_at<<<1, 1>>>((char *)d, -((long long)1 << 38))),
    FAULT(write_misaligned, write_at<<<1, 1>>>((char *)d, 1)),
    FAULT(write_misaligned_2, write_at<<<1, 1>>>((char *)d, 2)),
    FAULT(write_wide_misaligned, write_wide<<<1, 1>>>((char *)d, 8)),
    FAULT(read_null, read_at<<<1, 1>>>(nullptr, 0, d)),
    FAULT(read_misaligned, read_at<<<1, 1>>>((const char *)d, 3, d)),
    FAULT(read_all_bits, read_at<<<1, 1>>>((const char *)-4, 0, d)),
    FAULT(read_not_canonical, read_at<<<1, 1>>>((const char *)0x1234567812345678, 0, d)),
    FAULT(add_null, add_at<<<1, 1>>>(nullptr, 0)),
    FAULT(add_misaligned, add_at<<<1, 1>>>((char *)d, 2)),
    FAULT(write_shared_past, write_shared<<<1, 1>>>(1 << 20)),
    FAULT(write_shared_before, write_shared<<<1, 1>>>(-(1 << 20))),
    FAULT(write_shared_misaligned, write_shared<<<1, 1>>>(2)),
    FAULT(write_local_far, write_local<<<1, 1>>>(1 << 22, d)),
    FAULT(write_local_misaligned, write_local<<<1, 1>>>(1, d)),
    FAULT(trap, end_by_trap<<<1, 1>>>()),
    FAULT(brkpt, end_by_brkpt<<<1, 1>>>()),
    FAULT(assert_false, end_by_assert<<<1, 1>>>(0)),
    FAULT(assert_true, end_by_assert<<<1, 1>>>(1)),
    FAULT(recurse_little, recurse<<<1, 1>>>(0, d)),
    FAULT(recurse_deep, recurse<<<1, 1>>>(100000, d)),
    FAULT(call_null, call_pointer<<<1, 1>>>(nullptr)),
    FAULT(call_misaligned, call_pointer<<<1, 1>>>((void (*)())0x1234567)),
    FAULT(heap_twice, heap_twice<<<1, 1>>>()),
    FAULT(heap_strange, heap_strange<<<1, 1>>>(d + 1)),
    FAULT(heap_large, heap_large<<<1, 1>>>(d)),
    FAULT(divide_by_zero, divide_by<<<1, 1>>>(0, d)),
    FAULT(read_constant_past, read_constant<<<1, 1>>>(1 << 20, d)),
    CASE(fault_freed, cudaFree(d), RUN(write_at<<<1, 1>>>((char *)d, 0)), KEEP(cudaDeviceSynchronize())),
    CASE(fault_seen_by_stream, write_at<<<1, 1, 0, s>>>(nullptr, 0), KEEP(cudaStreamSynchronize(other)), KEEP(cudaStreamSynchronize(s))),
    CASE(fault_seen_by_copy, write_at<<<1, 1>>>(nullptr, 0), KEEP(cudaMemcpy(host, d, 4, cudaMemcpyDeviceToHost)), KEEP(cudaGetLastError())),
    CASE(fault_seen_by_event, write_at<<<1, 1, 0, s>>>(nullptr, 0), KEEP(cudaEventRecord(e, s)), KEEP(cudaEventSynchronize(e))),
    CASE(fault_seen_by_free, write_at<<<1, 1>>>(nullptr, 0), KEEP(cudaFree(d)), KEEP(cudaGetLastError())),
    CASE(fault_seen_by_reset, write_at<<<1, 1>>>(nullptr, 0), KEEP(cudaDeviceReset()), KEEP(cudaGetLastError()), KEEP(cudaMalloc(&p, 64))),
    CASE(fault_then_reset, write_at<<<1, 1>>>(nullptr, 0), KEEP(cudaDeviceSynchronize()), KEEP(cudaDeviceReset()), KEEP(cudaGetLastError()), KEEP(cudaMalloc(&p, 64)), KEEP(cudaMemset(p, 0, 64))),
    CASE(fault_assert_then_reset, end_by_assert<<<1, 1>>>(0), KEEP(cudaDeviceSynchronize()), KEEP(cudaDeviceReset()), KEEP(cudaMalloc(&p, 64))),
    CASE(fault_second_kernel, write_at<<<1, 1>>>(nullptr, 0), KEEP(cudaDeviceSynchronize()), end_by_trap<<<1, 1>>>(), KEEP(cudaDeviceSynchronize())),
    CASE(launch_error_is_not_sticky, count<<<0, 1>>>(d), KEEP(cudaGetLastError()), KEEP(cudaDeviceSynchronize()), RUN(count<<<1, 1>>>(d))),

    /* Each call after a fault, twice. */
    AFTER(nothing, cudaPeekAtLastError()),
    AFTER(get_last_error, cudaGetLastError()),
    AFTER(malloc, cudaMalloc(&p, 64)),
    AFTER(malloc_null, cudaMalloc((void **)nullptr, 64)),
    AFTER(free, cudaFree(d)),
    AFTER(free_null, cudaFree(nullptr)),
    AFTER(free_host, cudaFreeHost(pinned)),
    AFTER(malloc_host, cudaMallocHost(&p, 64)),
    AFTER(register, cudaHostRegister(host, 4096, 0)),
    AFTER(copy, cudaMemcpy(host, d, 4, cudaMemcpyDeviceToHost)),
    AFTER(copy_host, cudaMemcpy(host, host + 64, 4, cudaMemcpyHostToHost)),
    AFTER(copy_nothing, cudaMemcpy(host, d, 0, cudaMemcpyDeviceToHost)),
    AFTER(copy_async, cudaMemcpyAsync(host, d, 4, cudaMemcpyDeviceToHost, s)),
    AFTER(copy_to_symbol, cudaMemcpyToSymbol(symbol, host, 4)),
    AFTER(set, cudaMemset(d, 0, 4)),
    AFTER(memory_info, cudaMemGetInfo(&n, &n)),
    AFTER(malloc_async, cudaMallocAsync(&p, 64, s)),
    AFTER(symbol_address, cudaGetSymbolAddress(&p, symbol)),
    AFTER(pointer, cudaPointerGetAttributes(&about, d)),
    AFTER(stream_create, cudaStreamCreate(&s)),
    AFTER(stream_destroy, cudaStreamDestroy(other)),
    AFTER(stream_sync, cudaStreamSynchronize(s)),
    AFTER(stream_query, cudaStreamQuery(s)),
    AFTER(stream_wait, cudaStreamWaitEvent(s, e, 0)),
    AFTER(stream_capturing, cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)),
    AFTER(event_create, cudaEventCreate(&e)),
    AFTER(event_record, cudaEventRecord(e)),
    AFTER(event_query, cudaEventQuery(e)),
    AFTER(event_destroy, cudaEventDestroy(f)),
    AFTER(elapsed, cudaEventElapsedTime(&ms, e, e)),
    AFTER(device_count, cudaGetDeviceCount(&i)),
    AFTER(device_get, cudaGetDevice(&i)),
    AFTER(device_set, cudaSetDevice(0)),
    AFTER(device_set_absent, cudaSetDevice(64)),
    AFTER(device_properties, cudaGetDeviceProperties(&properties, 0)),
    AFTER(device_attribute, cudaDeviceGetAttribute(&i, cudaDevAttrWarpSize, 0)),
    AFTER(limit_get, cudaDeviceGetLimit(&n, cudaLimitStackSize)),
    AFTER(limit_set, cudaDeviceSetLimit(cudaLimitStackSize, 2048)),
    AFTER(version, cudaRuntimeGetVersion(&i)),
    AFTER(driver_version, cudaDriverGetVersion(&i)),
    AFTER(function, cudaFuncGetAttributes(&facts, count)),
    AFTER(function_set, cudaFuncSetAttribute(count, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024)),
    AFTER(occupancy, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&i, count, 32, 0)),
    AFTER(launch, (count<<<1, 32>>>(d), cudaPeekAtLastError())),
    AFTER(launch_wrong, (count<<<0, 32>>>(d), cudaPeekAtLastError())),
    AFTER(host_function, cudaLaunchHostFunc(s, call_in_stream, nullptr)),
    AFTER(graph_create, cudaGraphCreate((cudaGraph_t *)&p, 0)),
    AFTER(peer, cudaDeviceCanAccessPeer(&i, 0, 0)),
    AFTER(array, cudaMallocPitch(&p, &n, 64, 4)),
    AFTER(profiler, cudaProfilerStart()),
    AFTER(reset, cudaDeviceReset()),
};
/* clang-format on */

int main(int argc, char **argv)
{
    return answer_case(cases, argc, argv, prepare_launch, finish_case);
}
// SPDX-License-Identifier: Apache-2.0
