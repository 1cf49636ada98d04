/* How users get calls wrong: the program prints the code of each call of a case, which is its argument. An
 * H200 has answered them (tests/data/strict_h200.txt: driver 580.159.04, runtime 13.0), and the stand-in says
 * the same. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

__global__ void mirror(int *to)
{
    extern __shared__ int tile[];
    tile[threadIdx.x] = threadIdx.x + 1;
    __syncthreads();
    to[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

__global__ void fixed(int *to)
{
    __shared__ int tile[1024];
    extern __shared__ int more[];
    more[threadIdx.x] = tile[threadIdx.x] = threadIdx.x;
    to[threadIdx.x] = more[threadIdx.x] + tile[threadIdx.x];
}

__global__ void count(int *to)
{
    to[threadIdx.x]++;
}

/* Needs many registers: all sums live until the end. */
template <int COUNT> __device__ void add_up(double *values)
{
    double sum[COUNT];
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        sum[i] = values[i * 1024 + threadIdx.x];
#pragma unroll
    for (int i = 0; i < COUNT; i++)
#pragma unroll
        for (int k = 0; k < COUNT; k += 9)
            sum[i] = sum[i] * sum[(i + k) % COUNT] + 2;
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        values[i * 1024 + threadIdx.x] = sum[i];
}

__global__ void sums(double *values)
{
    add_up<40>(values);
}

__global__ void more_sums(double *values)
{
    add_up<64>(values);
}

__device__ unsigned long long now_ns()
{
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

__global__ void wait_ns(unsigned long long ns)
{
    unsigned long long from = now_ns();
    while (now_ns() - from < ns) {
    }
}

__global__ void stamp(unsigned long long *to)
{
    to[blockIdx.x] = now_ns();
}

static int *memory;
static cudaStream_t first, second;
static cudaEvent_t event;

static void say(const char *what, cudaError_t code)
{
    std::printf("%s: %d\n", what, (int)code);
    cudaGetLastError();
}
#define SAY(call) say(#call, call)

static void shared()
{
    cudaFuncAttributes facts;

    mirror<<<1, 64, 48 * 1024>>>(memory);
    say("48 KB", cudaGetLastError());
    mirror<<<1, 64, 48 * 1024 + 1>>>(memory);
    say("1 byte more", cudaGetLastError());
    fixed<<<1, 64, 44 * 1024>>>(memory);
    say("44 KB and 4 KB", cudaGetLastError());
    fixed<<<1, 64, 44 * 1024 + 1>>>(memory);
    say("44 KB, 4 KB and 1 byte", cudaGetLastError());
    SAY(cudaFuncSetAttribute(mirror, cudaFuncAttributeMaxDynamicSharedMemorySize, 102400));
    SAY(cudaFuncGetAttributes(&facts, mirror));
    std::printf("at most %d\n", facts.maxDynamicSharedSizeBytes);
    mirror<<<1, 64, 100 * 1024>>>(memory);
    say("100 KB", cudaGetLastError());
    mirror<<<1, 64, 101 * 1024>>>(memory);
    say("101 KB", cudaGetLastError());
    mirror<<<1, 64, 300 * 1024>>>(memory);
    say("300 KB", cudaGetLastError());
    SAY(cudaFuncSetAttribute(mirror, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024));
    mirror<<<1, 64, 2048>>>(memory);
    say("2 KB of 1", cudaGetLastError());
    SAY(cudaFuncSetAttribute(mirror, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
    SAY(cudaFuncSetAttribute(mirror, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024 + 1));
    SAY(cudaFuncSetAttribute(mirror, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
    SAY(cudaFuncSetAttribute(fixed, cudaFuncAttributeMaxDynamicSharedMemorySize, 223 * 1024));
    SAY(cudaFuncSetAttribute(fixed, cudaFuncAttributeMaxDynamicSharedMemorySize, 223 * 1024 + 1));
    SAY(cudaFuncGetAttributes(&facts, fixed));
    std::printf("at most %d\n", facts.maxDynamicSharedSizeBytes);
    SAY(cudaDeviceSynchronize());
}

/* A call while `first` captures, and the end of the capture. */
static void begin(cudaStreamCaptureMode mode)
{
    cudaStreamBeginCapture(first, mode);
    count<<<1, 32, 0, first>>>(memory);
}

static void finish(const char *what, cudaError_t code)
{
    cudaGraph_t graph = nullptr;
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaGetLastError();
    cudaStreamIsCapturing(first, &status);
    cudaError_t end = cudaStreamEndCapture(first, &graph);
    std::printf("%s: %d, %d, %d, %s\n", what, (int)code, (int)status, (int)end, graph ? "graph" : "none");
    if (graph)
        cudaGraphDestroy(graph);
    cudaGetLastError();
}

static void capture()
{
    static const char *const modes[] = {"global", "thread", "relaxed"};
    int host[64], *more;
    void *pinned;
    cudaEvent_t other;
    cudaStream_t third;

    for (int mode = 0; mode < 3; mode++) {
        auto in = (cudaStreamCaptureMode)mode;
        std::printf("%s\n", modes[mode]);
#define DURING(call) begin(in), finish(#call, call)
        DURING(cudaStreamSynchronize(first));
        DURING(cudaStreamSynchronize(second));
        DURING(cudaStreamSynchronize(nullptr));
        DURING(cudaDeviceSynchronize());
        DURING(cudaStreamQuery(first));
        DURING(cudaStreamQuery(second));
        DURING(cudaStreamQuery(nullptr));
        DURING(cudaMalloc(&more, 4));
        DURING(cudaFree(nullptr));
        DURING(cudaMallocHost(&pinned, 4));
        DURING(cudaMallocManaged(&more, 4));
        DURING(cudaMemcpy(host, memory, 4, cudaMemcpyDeviceToHost));
        DURING(cudaMemcpyAsync(host, memory, 4, cudaMemcpyDeviceToHost, first));
        DURING(cudaMemcpyAsync(host, memory, 4, cudaMemcpyDeviceToHost, second));
        DURING(cudaMemcpyAsync(host, memory, 4, cudaMemcpyDeviceToHost, nullptr));
        DURING(cudaMemset(memory, 0, 4));
        DURING(cudaMemsetAsync(memory, 0, 4, first));
        DURING(cudaEventCreate(&other));
        DURING(cudaEventQuery(event));
        DURING(cudaEventSynchronize(event));
        DURING(cudaEventRecord(event, nullptr));
        DURING(cudaEventRecord(event, second));
        DURING(cudaStreamCreate(&third));
        DURING(cudaStreamWaitEvent(nullptr, event, 0));
        DURING(cudaStreamBeginCapture(first, in));
        DURING(cudaMemGetInfo((size_t *)host, (size_t *)(host + 2)));
        DURING(cudaGetDevice(host));
        begin(in), count<<<1, 32>>>(memory), finish("kernel in the default stream", cudaGetLastError());
        begin(in), count<<<1, 32, 0, second>>>(memory),
            finish("kernel in another stream", cudaGetLastError());
        begin(in), cudaEventRecord(event, first), finish("query of a captured event", cudaEventQuery(event));
        cudaEventRecord(event, second);
        begin(in), cudaEventRecord(event, first),
            finish("synchronisation with a captured event", cudaEventSynchronize(event));
        cudaEventRecord(event, second);
        begin(in), cudaEventRecord(event, first), cudaStreamWaitEvent(second, event, 0);
        count<<<1, 32, 0, second>>>(memory), finish("not joined", cudaGetLastError());
        begin(in), cudaEventRecord(event, first), cudaStreamWaitEvent(second, event, 0);
        finish("not joined, no work", cudaGetLastError());
        begin(in), cudaEventRecord(event, first), cudaStreamWaitEvent(second, event, 0);
        count<<<1, 32, 0, second>>>(memory), cudaEventRecord(event, second);
        finish("joined", cudaStreamWaitEvent(first, event, 0));
        begin(in), cudaEventRecord(event, first), cudaStreamWaitEvent(second, event, 0);
        finish("synchronisation with a joined stream", cudaStreamSynchronize(second));
        cudaEventRecord(event, second);
        begin(in), finish("wait for an event from outside", cudaStreamWaitEvent(first, event, 0));
        begin(in), cudaStreamSynchronize(first), count<<<1, 32, 0, first>>>(memory);
        finish("kernel after it", cudaGetLastError());
    }
    SAY(cudaStreamEndCapture(first, nullptr));
    SAY(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal));
}

static void registers()
{
    cudaFuncAttributes facts;
    double *values;
    int blocks = -1;

    cudaMalloc(&values, 40 * 1024 * 8);
    cudaMemset(values, 0, 40 * 1024 * 8);
    SAY(cudaFuncGetAttributes(&facts, sums));
    std::printf("registers over 64: %d, threads under 1024: %d\n", facts.numRegs > 64,
                facts.maxThreadsPerBlock < 1024);
    std::fprintf(stderr, "%d registers, %d threads\n", facts.numRegs, facts.maxThreadsPerBlock);
    sums<<<1, 1024>>>(values);
    say("1024 threads", cudaGetLastError());
    sums<<<1, facts.maxThreadsPerBlock>>>(values);
    say("as many as it says", cudaGetLastError());
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sums, 1024, 0));
    std::printf("resident %d\n", blocks);
    SAY(cudaDeviceSynchronize());
}

/* ptxas gives the kernel more than 64 registers. */
static void too_many()
{
    cudaFuncAttributes facts;
    double *values;
    int blocks = -1;

    cudaMalloc(&values, 64 * 1024 * 8);
    cudaMemset(values, 0, 64 * 1024 * 8);
    SAY(cudaFuncGetAttributes(&facts, more_sums));
    std::printf("%d registers, %d threads\n", facts.numRegs, facts.maxThreadsPerBlock);
    more_sums<<<1, 1024>>>(values);
    say("1024 threads", cudaGetLastError());
    more_sums<<<1, 1024>>>(values);
    say("again", cudaGetLastError());
    more_sums<<<1, facts.maxThreadsPerBlock>>>(values);
    say("as many as it says", cudaGetLastError());
    more_sums<<<1, facts.maxThreadsPerBlock + 32>>>(values);
    say("a warp more", cudaGetLastError());
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, more_sums, 1024, 0));
    std::printf("resident %d\n", blocks);
    SAY(cudaDeviceSynchronize());
    cudaFree(values);
}

static void priorities()
{
    int least = 9, greatest = 9;
    cudaStream_t stream;

    SAY(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    std::printf("%d to %d\n", least, greatest);
    SAY(cudaDeviceGetStreamPriorityRange(nullptr, nullptr));
    for (int priority = -7; priority <= 2; priority++) {
        int got = 9;
        cudaError_t code = cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority);
        cudaStreamGetPriority(stream, &got);
        std::printf("%d: %d, %d\n", priority, (int)code, got);
        cudaGetLastError();
    }
    int got = 9;
    cudaStreamGetPriority(first, &got);
    std::printf("of a stream %d\n", got);
    cudaStreamGetPriority(nullptr, &got);
    std::printf("of the default stream %d\n", got);
}

static void clocks()
{
    unsigned long long *at;
    cudaEvent_t from, to;
    float ms;

    cudaMallocManaged(&at, 64);
    cudaEventCreate(&from), cudaEventCreate(&to);
    wait_ns<<<1, 1>>>(1000);
    cudaDeviceSynchronize();
    cudaEventRecord(from);
    wait_ns<<<1, 1>>>(1000000);
    cudaEventRecord(to);
    cudaEventSynchronize(to);
    cudaEventElapsedTime(&ms, from, to);
    std::printf("1 ms by the clock is 1 to 1.5 ms by events: %d\n", ms >= 0.99f && ms < 1.5f);
    stamp<<<2, 1>>>(at);
    wait_ns<<<1, 1>>>(1000000);
    stamp<<<2, 1>>>(at + 2);
    cudaDeviceSynchronize();
    long long later = (long long)(at[2] - at[0]);
    std::printf("a launch 1 ms later reads 1 to 1.5 ms more: %d\n", later >= 1000000 && later < 1500000);
    std::printf("it is ns since 1970: %d\n", at[0] > 1600000000ull * 1000000000ull);
    std::fprintf(stderr, "%.3f ms, %lld ns\n", ms, later);
}

static void copies()
{
    int host[64] = {0};
    SAY(cudaMemcpy(memory, nullptr, 64, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(nullptr, memory, 64, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpyAsync(memory, nullptr, 64, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(memory, nullptr, 64, cudaMemcpyDefault));
    SAY(cudaMemcpy(nullptr, nullptr, 64, cudaMemcpyDefault));
    SAY(cudaMemcpy(nullptr, host, 64, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(host, nullptr, 64, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy(nullptr, host, 64, cudaMemcpyHostToHost));
    SAY(cudaMemcpy(memory, nullptr, 64, cudaMemcpyDeviceToDevice));
    SAY(cudaMemset(nullptr, 0, 64));
    SAY(cudaMemcpy(memory, nullptr, 0, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToHost));
    SAY(cudaMemset(nullptr, 0, 0));
    SAY(cudaMemcpy2D(memory, 16, nullptr, 16, 16, 4, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2D(nullptr, 16, memory, 16, 16, 4, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy2D(memory, 16, nullptr, 16, 0, 4, cudaMemcpyHostToDevice));
}

/* The heap of malloc in kernels, which copies of the host do not reach; and flags of managed memory. */
__device__ int *place;

__global__ void make()
{
    place = static_cast<int *>(malloc(64));
    place[0] = 7;
}

static void heap()
{
    int *from = nullptr, *to, value = 0;

    cudaMalloc(&to, 64);
    make<<<1, 1>>>();
    SAY(cudaMemcpyFromSymbol(&from, place, sizeof from));
    SAY(cudaMemcpy(&value, from, 4, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy(from, &value, 4, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(to, from, 4, cudaMemcpyDeviceToDevice));
    SAY(cudaMemset(from, 0, 4));
    SAY(cudaMemcpy(&value, from, 4, cudaMemcpyDefault));
    SAY(cudaFree(from));
    SAY(cudaMemcpyAsync(&value, from, 4, cudaMemcpyDeviceToHost));
    SAY(cudaMallocManaged(&to, 64, 77));
}

static void twice()
{
    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
    SAY(cudaGraphDestroy(graph));
    SAY(cudaGraphDestroy(graph));
}

static void twice_executable()
{
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaGraphCreate(&graph, 0);
    cudaGraphInstantiate(&executable, graph, 0);
    SAY(cudaGraphExecDestroy(executable));
    cudaGraphDestroy(graph);
    SAY(cudaGraphExecDestroy(executable));
}

static void launch_destroyed()
{
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaGraphCreate(&graph, 0);
    cudaGraphInstantiate(&executable, graph, 0);
    SAY(cudaGraphExecDestroy(executable));
    cudaGraphDestroy(graph);
    SAY(cudaGraphLaunch(executable, 0));
}

static void null_graph()
{
    SAY(cudaGraphDestroy(nullptr));
    SAY(cudaGraphExecDestroy(nullptr));
    SAY(cudaGraphLaunch(nullptr, 0));
}

static void null_out()
{
    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
    cudaEventRecord(event);
    SAY(cudaMalloc((void **)nullptr, 4));
    SAY(cudaStreamCreate(nullptr));
    SAY(cudaEventCreate((cudaEvent_t *)nullptr));
    SAY(cudaGetDeviceCount(nullptr));
    SAY(cudaMallocManaged((void **)nullptr, 4));
    SAY(cudaMallocHost((void **)nullptr, 4));
    SAY(cudaGetDevice(nullptr));
    SAY(cudaEventElapsedTime(nullptr, event, event));
    SAY(cudaMemGetInfo(nullptr, nullptr));
    SAY(cudaGetDeviceProperties(nullptr, 0));
    SAY(cudaPointerGetAttributes(nullptr, memory));
    SAY(cudaGraphCreate(nullptr, 0));
    SAY(cudaGraphInstantiate((cudaGraphExec_t *)nullptr, graph, 0));
    SAY(cudaMallocPitch((void **)nullptr, nullptr, 4, 4));
    SAY(cudaDriverGetVersion(nullptr));
    SAY(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0));
    SAY(cudaMallocAsync((void **)nullptr, 4, 0));
    SAY(cudaFuncGetAttributes(nullptr, (const void *)count));
    SAY(cudaRuntimeGetVersion(nullptr));
    SAY(cudaStreamGetPriority(first, nullptr));
    SAY(cudaStreamIsCapturing(first, nullptr));
    SAY(cudaHostGetDevicePointer(nullptr, memory, 0));
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, count, 32, 0));
    SAY(cudaMemcpy3D(nullptr));
    SAY(cudaStreamGetFlags(first, nullptr));
    SAY(cudaMalloc3D(nullptr, make_cudaExtent(4, 4, 4)));
    SAY(cudaGetSymbolAddress(nullptr, (const void *)memory));
    SAY(cudaDeviceGetLimit(nullptr, cudaLimitStackSize));
    SAY(cudaMalloc((void **)nullptr, 0));
    cudaGraphDestroy(graph);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)();
    } cases[] = {{"shared", shared},
                 {"capture", capture},
                 {"registers", registers},
                 {"too_many", too_many},
                 {"priorities", priorities},
                 {"clocks", clocks},
                 {"copies", copies},
                 {"heap", heap},
                 {"twice", twice},
                 {"twice_executable", twice_executable},
                 {"launch_destroyed", launch_destroyed},
                 {"null_graph", null_graph},
                 {"null_out", null_out}};
    std::setvbuf(stdout, nullptr, _IONBF, 0);
    cudaMalloc(&memory, 4096);
    cudaStreamCreate(&first), cudaStreamCreate(&second), cudaEventCreate(&event);
    for (const auto &one : cases)
        if (argc > 1 && std::strcmp(argv[1], one.name) == 0)
            one.run();
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
