/* The oracle: what a capture forbids in each of its modes, and how users get graphs, their nodes and their
 * executables wrong (oracle.h says how a case runs). */
#include "oracle.h"
#include <cuda_runtime.h>
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static __device__ int symbol[16];

static __global__ void count(int *to)
{
    to[threadIdx.x & 63] += symbol[threadIdx.x & 15];
}

static __global__ void count_other(int *to)
{
    to[threadIdx.x & 63] -= 1;
}

static int *d, *pinned;
static char host[1 << 16];
static cudaStream_t s, other;
static cudaEvent_t e;
static void *p;
static size_t n = 7;
static int i = -7;
static unsigned long long wide = 7;
static float ms = -7;
static cudaGraph_t g, h;
static cudaGraphExec_t x;
static cudaGraphNode_t a, b, c;
static cudaGraphNodeType type;
static cudaStreamCaptureStatus status;
static cudaStreamCaptureMode mode;
static cudaFuncAttributes facts;
static cudaPointerAttributes about;
static cudaDeviceProp properties;
static cudaGraphExecUpdateResultInfo update;
static cudaGraphConditionalHandle handle;
static cudaArray_t array;
static const cudaChannelFormatDesc floats = {32, 0, 0, 0, cudaChannelFormatKindFloat};
static cudaMemPool_t pool;

static void say_code(const char *what, int code, bool taken)
{
    std::printf("%s: %d, last %d\n", what, code, (int)cudaPeekAtLastError());
    if (taken)
        cudaGetLastError();
}

static void prepare_graph()
{
    cudaMalloc((void **)&d, 4096);
    cudaMemset(d, 0, 4096);
    cudaMallocHost((void **)&pinned, 4096);
    cudaStreamCreate(&s), cudaStreamCreate(&other), cudaEventCreate(&e);
    cudaGraphCreate(&g, 0);
    cudaDeviceSynchronize();
}

static void finish_case()
{
    cudaError_t code = cudaDeviceSynchronize();
    std::printf("end: %d, last %d\n", (int)code, (int)cudaGetLastError());
}

static void CUDART_CB do_nothing(void *)
{
}

static void CUDART_CB call_nothing(cudaStream_t, cudaError_t, void *)
{
}

/* A call while `s` captures, after one kernel: what the capture is then, and how it ends. */
template <typename Call> static void call_during(cudaStreamCaptureMode in, const char *what, Call call)
{
    SAY(cudaStreamBeginCapture(s, in));
    count<<<1, 32, 0, s>>>(d);
    say_code(what, (int)call(), true);
    SAY(cudaStreamIsCapturing(s, &status));
    SHOW(status);
    h = nullptr;
    SAY(cudaStreamEndCapture(s, &h));
    n = 7;
    if (h)
        cudaGraphGetNodes(h, nullptr, &n);
    SHOW(h != nullptr ? (long long)n : -1);
}
#define DURING(label, ...)                                                                             \
    CASE(capture_global_##label,                                                                       \
         call_during(cudaStreamCaptureModeGlobal, #__VA_ARGS__, [] { return __VA_ARGS__; })),          \
        CASE(capture_thread_##label,                                                                   \
             call_during(cudaStreamCaptureModeThreadLocal, #__VA_ARGS__, [] { return __VA_ARGS__; })), \
        CASE(capture_relaxed_##label,                                                                  \
             call_during(cudaStreamCaptureModeRelaxed, #__VA_ARGS__, [] { return __VA_ARGS__; }))

#define GRAPH(label, ...) CASE(graph_##label, __VA_ARGS__)

/* Nodes. */
static cudaKernelNodeParams kernel_of(const void *function, dim3 grid, dim3 block, unsigned shared)
{
    static void *arguments[] = {&d};
    cudaKernelNodeParams params = {};
    params.func = (void *)function, params.gridDim = grid, params.blockDim = block,
    params.sharedMemBytes = shared;
    params.kernelParams = arguments;
    return params;
}

static cudaError_t add_kernel(cudaGraphNode_t *to, const void *function, dim3 grid, dim3 block,
                              unsigned shared)
{
    cudaKernelNodeParams params = kernel_of(function, grid, block, shared);
    return cudaGraphAddKernelNode(to, g, nullptr, 0, &params);
}

static cudaError_t add_count(cudaGraphNode_t *to)
{
    return add_kernel(to, (const void *)count, 1, 32, 0);
}

static cudaError_t set_kernel(const void *function, dim3 grid, dim3 block, unsigned shared)
{
    cudaKernelNodeParams params = kernel_of(function, grid, block, shared);
    return cudaGraphKernelNodeSetParams(a, &params);
}

static cudaError_t set_exec_kernel(const void *function, dim3 grid, dim3 block, unsigned shared)
{
    cudaKernelNodeParams params = kernel_of(function, grid, block, shared);
    return cudaGraphExecKernelNodeSetParams(x, a, &params);
}

static cudaMemsetParams set_of(void *to, unsigned element, size_t width, size_t height, size_t pitch)
{
    cudaMemsetParams params = {};
    params.dst = to, params.elementSize = element, params.width = width, params.height = height,
    params.pitch = pitch;
    return params;
}

static cudaError_t add_set(void *to, unsigned element, size_t width, size_t height, size_t pitch)
{
    cudaMemsetParams params = set_of(to, element, width, height, pitch);
    return cudaGraphAddMemsetNode(&a, g, nullptr, 0, &params);
}

static cudaError_t set_exec_set(void *to, unsigned element, size_t width, size_t height, size_t pitch)
{
    cudaMemsetParams params = set_of(to, element, width, height, pitch);
    return cudaGraphExecMemsetNodeSetParams(x, a, &params);
}

static cudaError_t add_copy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    return cudaGraphAddMemcpyNode1D(&a, g, nullptr, 0, to, from, bytes, kind);
}

static cudaError_t add_host(cudaHostFn_t function)
{
    cudaHostNodeParams params = {function, nullptr};
    return cudaGraphAddHostNode(&a, g, nullptr, 0, &params);
}

static cudaError_t add_memory(size_t bytes, int device, cudaMemAllocationType of)
{
    cudaMemAllocNodeParams params = {};
    params.poolProps.allocType = of, params.poolProps.location.type = cudaMemLocationTypeDevice;
    params.poolProps.location.id = device, params.bytesize = bytes;
    cudaError_t code = cudaGraphAddMemAllocNode(&a, g, nullptr, 0, &params);
    p = params.dptr;
    return code;
}

static cudaError_t add_any(cudaGraphNodeType of)
{
    cudaGraphNodeParams params = {};
    params.type = of;
    return cudaGraphAddNode(&a, g, nullptr, nullptr, 0, &params);
}

static cudaError_t link_nodes(cudaGraph_t graph, cudaGraphNode_t from, cudaGraphNode_t to)
{
    return cudaGraphAddDependencies(graph, &from, &to, nullptr, 1);
}

static cudaError_t empty_after(cudaGraphNode_t first, size_t many)
{
    cudaGraphNode_t both[] = {first, first};
    return cudaGraphAddEmptyNode(&c, g, both, many);
}

/* `x`: a graph of one kernel, a set, a copy and a host function; `a` is its kernel. */
static void make_executable()
{
    add_set(d, 4, 16, 1, 0), add_copy(d, host, 64, cudaMemcpyHostToDevice), add_host(do_nothing),
        add_count(&a);
    cudaGraphInstantiate(&x, g, 0);
}

/* `x`: a graph of the one node `a`. */
#define EXECUTABLE(added) added, cudaGraphInstantiate(&x, g, 0)

/* clang-format off */ /* one row per case */
static const struct oracle_case cases[] = {
    /* Each call while a stream captures, in the three modes. */
    DURING(nothing, cudaPeekAtLastError()),
    DURING(stream_sync, cudaStreamSynchronize(s)),
    DURING(stream_sync_other, cudaStreamSynchronize(other)),
    DURING(stream_sync_legacy, cudaStreamSynchronize(nullptr)),
    DURING(device_sync, cudaDeviceSynchronize()),
    DURING(stream_query, cudaStreamQuery(s)),
    DURING(stream_destroy, cudaStreamDestroy(s)),
    DURING(stream_destroy_other, cudaStreamDestroy(other)),
    DURING(malloc, cudaMalloc(&p, 64)),
    DURING(malloc_null, cudaMalloc((void **)nullptr, 64)),
    DURING(free, cudaFree(d)),
    DURING(malloc_host, cudaMallocHost(&p, 64)),
    DURING(free_host, cudaFreeHost(pinned)),
    DURING(malloc_pitch, cudaMallocPitch(&p, &n, 64, 4)),
    DURING(malloc_array, cudaMallocArray(&array, &floats, 16, 4)),
    DURING(malloc_async, cudaMallocAsync(&p, 64, s)),
    DURING(malloc_async_other, cudaMallocAsync(&p, 64, other)),
    DURING(free_async, cudaFreeAsync(d, s)),
    DURING(register, cudaHostRegister(host, 4096, 0)),
    DURING(unregister, cudaHostUnregister(host)),
    DURING(copy, cudaMemcpy(host, d, 64, cudaMemcpyDeviceToHost)),
    DURING(copy_between, cudaMemcpy(d, d + 64, 64, cudaMemcpyDeviceToDevice)),
    DURING(copy_async, cudaMemcpyAsync(pinned, d, 64, cudaMemcpyDeviceToHost, s)),
    DURING(copy_async_wrong, cudaMemcpyAsync(nullptr, d, 64, cudaMemcpyDeviceToHost, s)),
    DURING(copy_async_past_end, cudaMemcpyAsync(d, host, 1 << 16, cudaMemcpyHostToDevice, s)),
    DURING(copy_async_legacy, cudaMemcpyAsync(host, d, 64, cudaMemcpyDeviceToHost, nullptr)),
    DURING(copy_2d, cudaMemcpy2D(d, 64, host, 64, 64, 4, cudaMemcpyHostToDevice)),
    DURING(copy_2d_async, cudaMemcpy2DAsync(d, 64, host, 64, 64, 4, cudaMemcpyHostToDevice, s)),
    DURING(copy_to_symbol, cudaMemcpyToSymbol(symbol, host, 4)),
    DURING(copy_to_symbol_async, cudaMemcpyToSymbolAsync(symbol, host, 4, 0, cudaMemcpyHostToDevice, s)),
    DURING(copy_peer, cudaMemcpyPeerAsync(d, 0, d + 64, 0, 64, s)),
    DURING(set, cudaMemset(d, 0, 64)),
    DURING(set_async, cudaMemsetAsync(d, 0, 64, s)),
    DURING(set_2d_async, cudaMemset2DAsync(d, 64, 0, 64, 4, s)),
    DURING(set_async_host, cudaMemsetAsync(host, 0, 64, s)),
    DURING(event_create, cudaEventCreate(&e)),
    DURING(event_destroy, cudaEventDestroy(e)),
    DURING(event_record, cudaEventRecord(e, s)),
    DURING(event_record_external, cudaEventRecordWithFlags(e, s, cudaEventRecordExternal)),
    DURING(event_query_outside, cudaEventQuery(e)),
    DURING(event_query_captured, (cudaEventRecord(e, s), cudaEventQuery(e))),
    DURING(event_sync_captured, (cudaEventRecord(e, s), cudaEventSynchronize(e))),
    DURING(event_elapsed_captured, (cudaEventRecord(e, s), cudaEventElapsedTime(&ms, e, e))),
    DURING(event_destroy_captured, (cudaEventRecord(e, s), cudaEventDestroy(e))),
    DURING(wait_outside, (cudaEventRecord(e, other), cudaStreamWaitEvent(s, e, 0))),
    DURING(wait_fresh, cudaStreamWaitEvent(s, e, 0)),
    DURING(wait_external, (cudaEventRecord(e, other), cudaStreamWaitEvent(s, e, cudaEventWaitExternal))),
    DURING(fork_not_joined, (cudaEventRecord(e, s), cudaStreamWaitEvent(other, e, 0), count<<<1, 32, 0, other>>>(d), cudaPeekAtLastError())),
    DURING(fork_joined, (cudaEventRecord(e, s), cudaStreamWaitEvent(other, e, 0), count<<<1, 32, 0, other>>>(d), cudaEventRecord(e, other), cudaStreamWaitEvent(s, e, 0))),
    DURING(fork_ended_wrong, (cudaEventRecord(e, s), cudaStreamWaitEvent(other, e, 0), cudaStreamEndCapture(other, &h))),
    DURING(end_of_other, cudaStreamEndCapture(other, &h)),
    DURING(begin_other, cudaStreamBeginCapture(other, cudaStreamCaptureModeGlobal)),
    DURING(begin_again, cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)),
    DURING(launch_legacy, (count<<<1, 32>>>(d), cudaPeekAtLastError())),
    DURING(launch_per_thread, (count<<<1, 32, 0, cudaStreamPerThread>>>(d), cudaPeekAtLastError())),
    DURING(launch_wrong, (count<<<1, 1025, 0, s>>>(d), cudaPeekAtLastError())),
    DURING(launch_no_blocks, (count<<<0, 32, 0, s>>>(d), cudaPeekAtLastError())),
    DURING(launch_shared, (count<<<1, 32, 65536, s>>>(d), cudaPeekAtLastError())),
    DURING(launch_null, (count<<<1, 32, 0, s>>>(nullptr), cudaPeekAtLastError())),
    DURING(host_function, cudaLaunchHostFunc(s, do_nothing, nullptr)),
    DURING(callback, cudaStreamAddCallback(s, call_nothing, nullptr, 0)),
    DURING(graph_launch, (cudaGraphInstantiate(&x, g, 0), cudaGraphLaunch(x, s))),
    DURING(graph_launch_other, (cudaGraphInstantiate(&x, g, 0), cudaGraphLaunch(x, other))),
    DURING(graph_upload, (cudaGraphInstantiate(&x, g, 0), cudaGraphUpload(x, s))),
    DURING(device_set, cudaSetDevice(0)),
    DURING(device_reset, cudaDeviceReset()),
    DURING(device_properties, cudaGetDeviceProperties(&properties, 0)),
    DURING(limit_set, cudaDeviceSetLimit(cudaLimitStackSize, 4096)),
    DURING(memory_info, cudaMemGetInfo(&n, &n)),
    DURING(pointer, cudaPointerGetAttributes(&about, d)),
    DURING(function, cudaFuncGetAttributes(&facts, count_other)),
    DURING(function_set, cudaFuncSetAttribute(count_other, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536)),
    DURING(occupancy, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&i, count_other, 32, 0)),
    DURING(symbol_address, cudaGetSymbolAddress(&p, symbol)),
    DURING(stream_priority, cudaStreamGetPriority(s, &i)),
    DURING(exchange_null, cudaThreadExchangeStreamCaptureMode(nullptr)),
    DURING(relaxed_malloc, (mode = cudaStreamCaptureModeRelaxed, cudaThreadExchangeStreamCaptureMode(&mode), cudaMalloc(&p, 64))),
    DURING(prefetch, cudaMemPrefetchAsync(d, 4096, {cudaMemLocationTypeDevice, 0}, 0, s)),
    DURING(pool, cudaDeviceGetDefaultMemPool(&pool, 0)),

    /* The capture itself. */
    CASE(capture_mode_99, SAY(cudaStreamBeginCapture(s, (cudaStreamCaptureMode)99))),
    CASE(capture_legacy, SAY(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeRelaxed))),
    CASE(capture_legacy_name, SAY(cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeRelaxed))),
    CASE(capture_per_thread, SAY(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeRelaxed)), SAY(cudaStreamEndCapture(cudaStreamPerThread, &h))),
    CASE(capture_destroyed, cudaStreamDestroy(s), SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed))),
    CASE(capture_end_unbegun, h = g, SAY(cudaStreamEndCapture(s, &h)), SHOW(h == nullptr)),
    CASE(capture_end_null, SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)), SAY(cudaStreamEndCapture(s, nullptr)), SAY(cudaStreamIsCapturing(s, &status)), SHOW(status)),
    CASE(capture_end_twice, SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)), SAY(cudaStreamEndCapture(s, &h)), SAY(cudaStreamEndCapture(s, &h))),
    CASE(capture_end_legacy, SAY(cudaStreamEndCapture(nullptr, &h))),
    CASE(capture_empty, SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)), SAY(cudaStreamEndCapture(s, &h)), SAY(cudaGraphGetNodes(h, nullptr, &n)), SHOW(n), SAY(cudaGraphInstantiate(&x, h, 0)), SAY(cudaGraphLaunch(x, s))),
    CASE(capture_asked_null, SAY(cudaStreamIsCapturing(s, nullptr)), SAY(cudaStreamIsCapturing(nullptr, &status)), SHOW(status)),
    CASE(capture_asked_legacy_during, SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)), SAY(cudaStreamIsCapturing(nullptr, &status)), SHOW(status), SAY(cudaStreamEndCapture(s, &h))),
    CASE(capture_info_null, SAY(cudaStreamGetCaptureInfo(s, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr))),
    CASE(capture_info_none, SAY(cudaStreamGetCaptureInfo(s, &status, &wide, nullptr, nullptr, nullptr, nullptr)), SHOW(status)),
    CASE(capture_info, SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)), count<<<1, 32, 0, s>>>(d), SAY(cudaStreamGetCaptureInfo(s, &status, nullptr, &h, nullptr, nullptr, &n)), SHOW(status), SHOW(n), SAY(cudaStreamEndCapture(s, &h))),
    CASE(capture_dependencies_none, SAY(cudaStreamUpdateCaptureDependencies(s, nullptr, nullptr, 0, cudaStreamSetCaptureDependencies))),
    CASE(capture_dependencies_strange, add_count(&a), SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)), SAY(cudaStreamUpdateCaptureDependencies(s, &a, nullptr, 1, cudaStreamSetCaptureDependencies)), SAY(cudaStreamEndCapture(s, &h))),
    CASE(capture_dependencies_flags, SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)), SAY(cudaStreamUpdateCaptureDependencies(s, nullptr, nullptr, 0, 99)), SAY(cudaStreamEndCapture(s, &h))),
    CASE(capture_to_graph, SAY(cudaStreamBeginCaptureToGraph(s, g, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal)), SAY(cudaStreamEndCapture(s, &h)), SHOW(h == g)),
    CASE(capture_to_null, SAY(cudaStreamBeginCaptureToGraph(s, nullptr, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal))),
    CASE(capture_to_graph_strange, cudaGraphCreate(&h, 0), cudaGraphAddEmptyNode(&a, h, nullptr, 0), SAY(cudaStreamBeginCaptureToGraph(s, g, &a, nullptr, 1, cudaStreamCaptureModeGlobal))),
    CASE(capture_mode_exchange_99, mode = (cudaStreamCaptureMode)99, SAY(cudaThreadExchangeStreamCaptureMode(&mode))),
    CASE(capture_mode_exchange, mode = cudaStreamCaptureModeRelaxed, SAY(cudaThreadExchangeStreamCaptureMode(&mode)), SHOW(mode), SAY(cudaThreadExchangeStreamCaptureMode(&mode)), SHOW(mode)),
    CASE(capture_invalidated_then_work, SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)), SAY(cudaStreamSynchronize(s)), SAY(cudaMemsetAsync(d, 0, 64, s)), SAY(cudaMalloc(&p, 64)), SAY(cudaStreamEndCapture(s, &h)), SAY(cudaStreamSynchronize(s)), SAY(cudaMalloc(&p, 64))),
    CASE(capture_left_open, SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal))),

    /* Graphs and nodes. */
    GRAPH(create_null, SAY(cudaGraphCreate(nullptr, 0))),
    GRAPH(create_flags, SAY(cudaGraphCreate(&g, 1))),
    GRAPH(destroy_strange, SAY(cudaGraphDestroy(STRANGE(cudaGraph_t)))),
    GRAPH(destroy_twice, SAY(cudaGraphDestroy(g)), SAY(cudaGraphDestroy(g))),
    GRAPH(use_destroyed, SAY(cudaGraphDestroy(g)), SAY(cudaGraphAddEmptyNode(&a, g, nullptr, 0))),
    GRAPH(empty_null_out, SAY(cudaGraphAddEmptyNode(nullptr, g, nullptr, 0))),
    GRAPH(empty_null_graph, SAY(cudaGraphAddEmptyNode(&a, nullptr, nullptr, 0))),
    GRAPH(empty_null_dependencies, SAY(cudaGraphAddEmptyNode(&a, g, nullptr, 1))),
    GRAPH(empty_null_dependency, SAY(empty_after(nullptr, 1))),
    GRAPH(empty_dependency_twice, cudaGraphAddEmptyNode(&a, g, nullptr, 0), SAY(empty_after(a, 2))),
    GRAPH(empty_dependency_of_other, cudaGraphCreate(&h, 0), cudaGraphAddEmptyNode(&a, h, nullptr, 0), SAY(empty_after(a, 1))),
    GRAPH(empty_dependency_strange, SAY(empty_after(STRANGE(cudaGraphNode_t), 1))),
    GRAPH(kernel_null, SAY(cudaGraphAddKernelNode(&a, g, nullptr, 0, nullptr))),
    GRAPH(kernel_no_function, SAY(add_kernel(&a, nullptr, 1, 32, 0))),
    GRAPH(kernel_strange, SAY(add_kernel(&a, strange, 1, 32, 0))),
    GRAPH(kernel_no_blocks, SAY(add_kernel(&a, (const void *)count, 0, 32, 0)), SAY(cudaGraphInstantiate(&x, g, 0))),
    GRAPH(kernel_1025, SAY(add_kernel(&a, (const void *)count, 1, 1025, 0)), SAY(cudaGraphInstantiate(&x, g, 0)), SAY(cudaGraphLaunch(x, s))),
    GRAPH(kernel_shared, SAY(add_kernel(&a, (const void *)count, 1, 32, 65536)), SAY(cudaGraphInstantiate(&x, g, 0)), SAY(cudaGraphLaunch(x, s))),
    GRAPH(kernel_no_arguments, cudaKernelNodeParams params = kernel_of((const void *)count, 1, 32, 0); params.kernelParams = nullptr; SAY(cudaGraphAddKernelNode(&a, g, nullptr, 0, &params))),
    GRAPH(kernel_set_null, add_count(&a), SAY(cudaGraphKernelNodeSetParams(a, nullptr))),
    GRAPH(kernel_set_null_again, add_count(&a), SAY(cudaGraphKernelNodeSetParams(nullptr, nullptr))),
    GRAPH(kernel_set_no_blocks, add_count(&a), SAY(set_kernel((const void *)count, 0, 32, 0))),
    GRAPH(kernel_set_other, add_count(&a), SAY(set_kernel((const void *)count_other, 1, 32, 0))),
    GRAPH(kernel_set_of_empty, cudaGraphAddEmptyNode(&a, g, nullptr, 0), SAY(set_kernel((const void *)count, 1, 32, 0))),
    GRAPH(set_null, SAY(add_set(nullptr, 4, 16, 1, 0))),
    GRAPH(set_null_params, SAY(cudaGraphAddMemsetNode(&a, g, nullptr, 0, nullptr))),
    GRAPH(set_element_3, SAY(add_set(d, 3, 16, 1, 0))),
    GRAPH(set_element_0, SAY(add_set(d, 0, 16, 1, 0))),
    GRAPH(set_no_width, SAY(add_set(d, 4, 0, 1, 0))),
    GRAPH(set_no_height, SAY(add_set(d, 4, 16, 0, 0))),
    GRAPH(set_host, SAY(add_set(host, 4, 16, 1, 0))),
    GRAPH(set_past_end, SAY(add_set(d, 4, 1 << 20, 1, 0))),
    GRAPH(set_narrow_pitch, SAY(add_set(d, 4, 16, 4, 16))),
    GRAPH(set_misaligned, SAY(add_set((char *)d + 1, 4, 16, 1, 0))),
    GRAPH(set_of_kernel, add_count(&a); cudaMemsetParams params = set_of(d, 4, 16, 1, 0); SAY(cudaGraphMemsetNodeSetParams(a, &params))),
    GRAPH(copy_null, SAY(add_copy(d, nullptr, 64, cudaMemcpyHostToDevice))),
    GRAPH(copy_zero, SAY(add_copy(d, host, 0, cudaMemcpyHostToDevice))),
    GRAPH(copy_kind, SAY(add_copy(d, host, 64, (cudaMemcpyKind)99))),
    GRAPH(copy_swapped, SAY(add_copy(d, host, 64, cudaMemcpyDeviceToHost)), SAY(cudaGraphInstantiate(&x, g, 0)), SAY(cudaGraphLaunch(x, s))),
    GRAPH(copy_past_end, SAY(add_copy(d, host, 1 << 16, cudaMemcpyHostToDevice))),
    GRAPH(copy_3d_null, SAY(cudaGraphAddMemcpyNode(&a, g, nullptr, 0, nullptr))),
    GRAPH(copy_3d_nothing, cudaMemcpy3DParms params = {}; SAY(cudaGraphAddMemcpyNode(&a, g, nullptr, 0, &params))),
    GRAPH(copy_set_of_kernel, add_count(&a), SAY(cudaGraphMemcpyNodeSetParams1D(a, d, host, 64, cudaMemcpyHostToDevice))),
    GRAPH(host_null, SAY(add_host(nullptr))),
    GRAPH(host_null_params, SAY(cudaGraphAddHostNode(&a, g, nullptr, 0, nullptr))),
    GRAPH(host_set_null, add_host(do_nothing), SAY(cudaGraphHostNodeSetParams(a, nullptr))),
    GRAPH(child_null, SAY(cudaGraphAddChildGraphNode(&a, g, nullptr, 0, nullptr))),
    GRAPH(child_itself, SAY(cudaGraphAddChildGraphNode(&a, g, nullptr, 0, g))),
    GRAPH(child_empty, cudaGraphCreate(&h, 0), SAY(cudaGraphAddChildGraphNode(&a, g, nullptr, 0, h)), SAY(cudaGraphInstantiate(&x, g, 0)), SAY(cudaGraphLaunch(x, s))),
    GRAPH(child_of_kernel, add_count(&a), SAY(cudaGraphChildGraphNodeGetGraph(a, &h))),
    GRAPH(child_null_out, SAY(cudaGraphChildGraphNodeGetGraph(nullptr, &h)), cudaGraphCreate(&h, 0), cudaGraphAddChildGraphNode(&a, g, nullptr, 0, h), SAY(cudaGraphChildGraphNodeGetGraph(a, nullptr))),
    GRAPH(child_destroyed, cudaGraphCreate(&h, 0), cudaGraphAddChildGraphNode(&a, g, nullptr, 0, h), SAY(cudaGraphChildGraphNodeGetGraph(a, &h)), SAY(cudaGraphDestroy(h))),
    GRAPH(record_null, SAY(cudaGraphAddEventRecordNode(&a, g, nullptr, 0, nullptr))),
    GRAPH(record_destroyed, cudaEventDestroy(e), SAY(cudaGraphAddEventRecordNode(&a, g, nullptr, 0, e))),
    GRAPH(record_of_kernel, add_count(&a), SAY(cudaGraphEventRecordNodeSetEvent(a, e)), SAY(cudaGraphEventRecordNodeGetEvent(a, &e))),
    GRAPH(wait_null, SAY(cudaGraphAddEventWaitNode(&a, g, nullptr, 0, nullptr))),
    GRAPH(wait_of_record, cudaGraphAddEventRecordNode(&a, g, nullptr, 0, e), SAY(cudaGraphEventWaitNodeSetEvent(a, e)), SAY(cudaGraphEventWaitNodeGetEvent(a, &e))),
    GRAPH(any_null, SAY(cudaGraphAddNode(&a, g, nullptr, nullptr, 0, nullptr))),
    GRAPH(any_unknown, SAY(add_any((cudaGraphNodeType)99))),
    GRAPH(any_empty, SAY(add_any(cudaGraphNodeTypeEmpty))),
    GRAPH(any_kernel_zero, SAY(add_any(cudaGraphNodeTypeKernel))),
    GRAPH(any_set_zero, SAY(add_any(cudaGraphNodeTypeMemset))),
    GRAPH(any_copy_zero, SAY(add_any(cudaGraphNodeTypeMemcpy))),
    GRAPH(any_host_zero, SAY(add_any(cudaGraphNodeTypeHost))),
    GRAPH(any_child_zero, SAY(add_any(cudaGraphNodeTypeGraph))),
    GRAPH(any_conditional_zero, SAY(add_any(cudaGraphNodeTypeConditional))),
    GRAPH(any_memory_zero, SAY(add_any(cudaGraphNodeTypeMemAlloc))),
    GRAPH(any_free_zero, SAY(add_any(cudaGraphNodeTypeMemFree))),
    GRAPH(conditional_null, SAY(cudaGraphConditionalHandleCreate(nullptr, g, 0, 0))),
    GRAPH(conditional_null_again, SAY(cudaGraphConditionalHandleCreate(&handle, nullptr, 0, 0))),
    GRAPH(conditional_flags, SAY(cudaGraphConditionalHandleCreate(&handle, g, 0, 99))),
    GRAPH(conditional_unused, SAY(cudaGraphConditionalHandleCreate(&handle, g, 1, cudaGraphCondAssignDefault)), SAY(cudaGraphInstantiate(&x, g, 0))),
    GRAPH(nodes_null, SAY(cudaGraphGetNodes(nullptr, nullptr, &n))),
    GRAPH(nodes_null_again, SAY(cudaGraphGetNodes(g, nullptr, nullptr))),
    GRAPH(nodes_few, add_count(&a), add_count(&b), n = 1, SAY(cudaGraphGetNodes(g, &c, &n)), SHOW(n)),
    GRAPH(nodes_many, add_count(&a), n = 3; cudaGraphNode_t all[3] = {}; SAY(cudaGraphGetNodes(g, all, &n)), SHOW(n), SHOW(all[0] == a), SHOW(all[1] == nullptr)),
    GRAPH(type_null, SAY(cudaGraphNodeGetType(nullptr, &type)), add_count(&a), SAY(cudaGraphNodeGetType(a, nullptr))),
    GRAPH(type_strange, SAY(cudaGraphNodeGetType(STRANGE(cudaGraphNode_t), &type))),
    GRAPH(link_itself, add_count(&a), SAY(link_nodes(g, a, a))),
    GRAPH(link_twice, add_count(&a), add_count(&b), SAY(link_nodes(g, a, b)), SAY(link_nodes(g, a, b))),
    GRAPH(link_circle, add_count(&a), add_count(&b), SAY(link_nodes(g, a, b)), SAY(link_nodes(g, b, a)), SAY(cudaGraphInstantiate(&x, g, 0))),
    GRAPH(link_null, add_count(&a), SAY(link_nodes(g, a, nullptr)), SAY(link_nodes(nullptr, a, a))),
    GRAPH(link_null_again, add_count(&a), SAY(cudaGraphAddDependencies(g, nullptr, nullptr, nullptr, 1))),
    GRAPH(link_null_again_2, add_count(&a), SAY(cudaGraphAddDependencies(g, nullptr, nullptr, nullptr, 0))),
    GRAPH(link_other_graph, cudaGraphCreate(&h, 0), add_count(&a), add_count(&b), SAY(link_nodes(h, a, b))),
    GRAPH(clone_null, SAY(cudaGraphClone(&h, nullptr))),
    GRAPH(clone_null_again, SAY(cudaGraphClone(nullptr, g))),
    GRAPH(clone_find, add_count(&a), SAY(cudaGraphClone(&h, g)), SAY(cudaGraphNodeFindInClone(&b, a, h)), SHOW(b != a), SAY(cudaGraphNodeFindInClone(&b, a, g))),
    GRAPH(clone_find_late, SAY(cudaGraphClone(&h, g)), add_count(&a), SAY(cudaGraphNodeFindInClone(&b, a, h)), SHOW(b == nullptr)),
    GRAPH(clone_find_null, SAY(cudaGraphNodeFindInClone(nullptr, nullptr, nullptr))),

    /* Memory of graphs. */
    GRAPH(node_memory_null, SAY(cudaGraphAddMemAllocNode(&a, g, nullptr, 0, nullptr))),
    GRAPH(node_memory_zero, SAY(add_memory(0, 0, cudaMemAllocationTypePinned))),
    GRAPH(node_memory_huge, SAY(add_memory((size_t)1 << 45, 0, cudaMemAllocationTypePinned))),
    GRAPH(node_memory_absent, SAY(add_memory(64, 64, cudaMemAllocationTypePinned))),
    GRAPH(node_memory_type, SAY(add_memory(64, 0, cudaMemAllocationTypeInvalid))),
    GRAPH(node_memory_twice, SAY(add_memory(64, 0, cudaMemAllocationTypePinned)), SAY(cudaGraphInstantiate(&x, g, 0)), SAY(cudaGraphInstantiate((cudaGraphExec_t *)&p, g, 0))),
    GRAPH(node_memory_launched_twice, SAY(add_memory(64, 0, cudaMemAllocationTypePinned)), SAY(cudaGraphInstantiate(&x, g, 0)), SAY(cudaGraphLaunch(x, s)), SAY(cudaGraphLaunch(x, s))),
    GRAPH(node_memory_auto_free, SAY(add_memory(64, 0, cudaMemAllocationTypePinned)), SAY(cudaGraphInstantiate(&x, g, cudaGraphInstantiateFlagAutoFreeOnLaunch)), SAY(cudaGraphLaunch(x, s)), SAY(cudaGraphLaunch(x, s))),
    GRAPH(node_memory_clone, SAY(add_memory(64, 0, cudaMemAllocationTypePinned)), SAY(cudaGraphClone(&h, g))),
    GRAPH(node_memory_freed_before, SAY(add_memory(64, 0, cudaMemAllocationTypePinned)), SAY(cudaFree(p))),
    GRAPH(node_memory_freed_by_free, SAY(add_memory(64, 0, cudaMemAllocationTypePinned)), SAY(cudaGraphInstantiate(&x, g, 0)), SAY(cudaGraphLaunch(x, s)), SAY(cudaStreamSynchronize(s)), SAY(cudaFree(p)), SAY(cudaGraphLaunch(x, s))),
    GRAPH(node_memory_free_null, SAY(cudaGraphAddMemFreeNode(&a, g, nullptr, 0, nullptr))),
    GRAPH(node_memory_free_plain, SAY(cudaGraphAddMemFreeNode(&a, g, nullptr, 0, d))),
    GRAPH(node_memory_free_twice, SAY(add_memory(64, 0, cudaMemAllocationTypePinned)), SAY(cudaGraphAddMemFreeNode(&b, g, &a, 1, p)), SAY(cudaGraphAddMemFreeNode(&c, g, &b, 1, p))),
    GRAPH(node_memory_free_not_after, SAY(add_memory(64, 0, cudaMemAllocationTypePinned)), SAY(cudaGraphAddMemFreeNode(&b, g, nullptr, 0, p))),

    /* Executables. */
    GRAPH(instantiate_null, SAY(cudaGraphInstantiate(nullptr, g, 0))),
    GRAPH(instantiate_null_again, SAY(cudaGraphInstantiate(&x, nullptr, 0))),
    GRAPH(instantiate_flags, SAY(cudaGraphInstantiate(&x, g, 0xff00)), SAY(cudaGraphInstantiateWithFlags(&x, g, 0xff00))),
    GRAPH(instantiate_destroyed, cudaGraphDestroy(g), SAY(cudaGraphInstantiate(&x, g, 0))),
    GRAPH(launch_null, SAY(cudaGraphLaunch(nullptr, s))),
    GRAPH(launch_strange, SAY(cudaGraphLaunch(STRANGE(cudaGraphExec_t), s))),
    GRAPH(launch_empty, cudaGraphInstantiate(&x, g, 0), SAY(cudaGraphLaunch(x, s))),
    GRAPH(launch_legacy, make_executable(), SAY(cudaGraphLaunch(x, nullptr))),
    GRAPH(launch_in_destroyed, make_executable(), cudaStreamDestroy(s), SAY(cudaGraphLaunch(x, s))),
    GRAPH(launch_after_graph, make_executable(), cudaGraphDestroy(g), SAY(cudaGraphLaunch(x, s))),
    GRAPH(launch_destroyed, make_executable(), SAY(cudaGraphExecDestroy(x)), SAY(cudaGraphLaunch(x, s))),
    GRAPH(launch_destroyed_running, make_executable(), SAY(cudaGraphLaunch(x, s)), SAY(cudaGraphExecDestroy(x))),
    GRAPH(launch_faulting, d = nullptr, add_count(&a), cudaGraphInstantiate(&x, g, 0), SAY(cudaGraphLaunch(x, s)), KEEP(cudaStreamSynchronize(s)), KEEP(cudaGraphLaunch(x, s))),
    GRAPH(upload_null, SAY(cudaGraphUpload(nullptr, s))),
    GRAPH(exec_destroy_twice, make_executable(), SAY(cudaGraphExecDestroy(x)), SAY(cudaGraphExecDestroy(x))),
    GRAPH(exec_kernel, make_executable(), SAY(set_exec_kernel((const void *)count, 2, 64, 0)), SAY(cudaGraphLaunch(x, s))),
    GRAPH(exec_kernel_other, make_executable(), SAY(set_exec_kernel((const void *)count_other, 1, 32, 0))),
    GRAPH(exec_kernel_no_blocks, make_executable(), SAY(set_exec_kernel((const void *)count, 0, 32, 0)), SAY(cudaGraphLaunch(x, s))),
    GRAPH(exec_kernel_1025, make_executable(), SAY(set_exec_kernel((const void *)count, 1, 1025, 0)), SAY(cudaGraphLaunch(x, s))),
    GRAPH(exec_kernel_null, make_executable(), SAY(set_exec_kernel(nullptr, 1, 32, 0))),
    GRAPH(exec_kernel_null_again, make_executable(), SAY(cudaGraphExecKernelNodeSetParams(x, a, nullptr))),
    GRAPH(exec_kernel_null_again_2, make_executable(), SAY(cudaGraphExecKernelNodeSetParams(nullptr, a, nullptr))),
    GRAPH(exec_kernel_late, cudaGraphInstantiate(&x, g, 0), add_count(&a), SAY(set_exec_kernel((const void *)count, 1, 32, 0))),
    GRAPH(exec_kernel_strange, make_executable(), a = STRANGE(cudaGraphNode_t), SAY(set_exec_kernel((const void *)count, 1, 32, 0))),
    GRAPH(exec_set_of_kernel, make_executable(), SAY(set_exec_set(d, 4, 16, 1, 0))),
    GRAPH(exec_set_2d, EXECUTABLE(add_set(d, 4, 16, 1, 0)), SAY(set_exec_set(d, 4, 16, 4, 256))),
    GRAPH(exec_set_element, EXECUTABLE(add_set(d, 4, 16, 1, 0)), SAY(set_exec_set(d, 1, 64, 1, 0))),
    GRAPH(exec_set_host, EXECUTABLE(add_set(d, 4, 16, 1, 0)), SAY(set_exec_set(host, 4, 16, 1, 0))),
    GRAPH(exec_set_null, EXECUTABLE(add_set(d, 4, 16, 1, 0)), SAY(set_exec_set(nullptr, 4, 16, 1, 0))),
    GRAPH(exec_copy_kind, EXECUTABLE(add_copy(d, host, 64, cudaMemcpyHostToDevice)), SAY(cudaGraphExecMemcpyNodeSetParams1D(x, a, host, d, 64, cudaMemcpyDeviceToHost))),
    GRAPH(exec_copy_size, EXECUTABLE(add_copy(d, host, 64, cudaMemcpyHostToDevice)), SAY(cudaGraphExecMemcpyNodeSetParams1D(x, a, d, host, 128, cudaMemcpyHostToDevice))),
    GRAPH(exec_copy_null, EXECUTABLE(add_copy(d, host, 64, cudaMemcpyHostToDevice)), SAY(cudaGraphExecMemcpyNodeSetParams1D(x, a, d, nullptr, 64, cudaMemcpyHostToDevice))),
    GRAPH(exec_copy_null_again, EXECUTABLE(add_copy(d, host, 64, cudaMemcpyHostToDevice)), SAY(cudaGraphExecMemcpyNodeSetParams(x, a, nullptr))),
    GRAPH(exec_host_null, EXECUTABLE(add_host(do_nothing)), SAY(cudaGraphExecHostNodeSetParams(x, a, nullptr))),
    GRAPH(exec_child_other, cudaGraphCreate(&h, 0), cudaGraphAddChildGraphNode(&a, g, nullptr, 0, h), cudaGraphInstantiate(&x, g, 0), cudaGraphAddEmptyNode(&b, h, nullptr, 0), SAY(cudaGraphExecChildGraphNodeSetParams(x, a, h))),
    GRAPH(exec_event_null, cudaGraphAddEventRecordNode(&a, g, nullptr, 0, e), cudaGraphInstantiate(&x, g, 0), SAY(cudaGraphExecEventRecordNodeSetEvent(x, a, nullptr)), SAY(cudaGraphExecEventWaitNodeSetEvent(x, a, e))),
    GRAPH(update_same, make_executable(), SAY(cudaGraphExecUpdate(x, g, &update)), SHOW(update.result)),
    GRAPH(update_null, make_executable(), SAY(cudaGraphExecUpdate(nullptr, g, &update))),
    GRAPH(update_null_again, make_executable(), SAY(cudaGraphExecUpdate(x, nullptr, &update))),
    GRAPH(update_null_again_2, make_executable(), SAY(cudaGraphExecUpdate(x, g, nullptr))),
    GRAPH(update_more_nodes, make_executable(), add_count(&b), SAY(cudaGraphExecUpdate(x, g, &update)), SHOW(update.result), SAY(cudaGraphLaunch(x, s))),
    GRAPH(update_empty, make_executable(), cudaGraphCreate(&h, 0), SAY(cudaGraphExecUpdate(x, h, &update)), SHOW(update.result)),
    GRAPH(update_type, EXECUTABLE(add_set(d, 4, 16, 1, 0)), cudaGraphCreate(&g, 0), add_count(&b), SAY(cudaGraphExecUpdate(x, g, &update)), SHOW(update.result)),
    GRAPH(update_function, EXECUTABLE(add_count(&a)), cudaGraphCreate(&g, 0), add_kernel(&b, (const void *)count_other, 1, 32, 0), SAY(cudaGraphExecUpdate(x, g, &update)), SHOW(update.result)),
    GRAPH(update_edges, add_count(&a), add_count(&b), cudaGraphInstantiate(&x, g, 0), link_nodes(g, a, b), SAY(cudaGraphExecUpdate(x, g, &update)), SHOW(update.result)),
    GRAPH(update_copy_kind, EXECUTABLE(add_copy(d, host, 64, cudaMemcpyHostToDevice)), cudaGraphCreate(&g, 0), add_copy(host, d, 64, cudaMemcpyDeviceToHost), SAY(cudaGraphExecUpdate(x, g, &update)), SHOW(update.result)),
};
/* clang-format on */

int main(int argc, char **argv)
{
    return answer_case(cases, argc, argv, prepare_graph, finish_case);
}
// SPDX-License-Identifier: Apache-2.0
