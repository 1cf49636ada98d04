/* planted FAULT [fixed]: a program with one thing wrong with it as a whole, or the same work without. What
 * lanescope says first of it is what tests/gpu/test_planted.sh checks. FAULT: the cases of main, each named
 * by the rule that speaks of it; "/counted": once its kernels were counted. */
#include "program.h"

#include <cuda.h>
#include <nvtx3/nvToolsExt.h>
#include <string.h>
#include <thread>
#include <time.h>
#include <vector>

static bool fixed;

/* So many turns of dependent additions, about 4 ns each. */
static __global__ void spin(float *out, int turns)
{
    float value = out[blockIdx.x * blockDim.x + threadIdx.x];
    for (int i = 0; i < turns; i++)
        value = value * 0.5f + 1.0f;
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

static __global__ void small_step(float *out)
{
    out[threadIdx.x] += 1;
}

/* By its name an exchange between devices. */
static __global__ void ncclDevKernel_AllReduce_planted(float *out, int turns)
{
    float value = out[threadIdx.x];
    for (int i = 0; i < turns; i++)
        value = value * 0.5f + 1.0f;
    out[threadIdx.x] = value;
}

static __global__ void triple(float *values, size_t count)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x)
        values[i] *= 3;
}

/* Reads a matrix of SIDE x SIDE floats by columns, or by rows. */
#define SIDE 8192
static __global__ void sums(const float *matrix, float *out, bool by_columns)
{
    size_t at = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    size_t row = at / SIDE, column = at % SIDE;
    float value = matrix[by_columns ? column * SIDE + row : at];
    if (value != 0)
        out[0] = value;
}

/* Each warp reads a row of a tile, or a column of it, whose words lie in one bank. */
static __global__ void tile_turns(float *out, int step, int turns)
{
    __shared__ float tile[32 * 33];
    for (int i = threadIdx.x; i < 32 * 33; i += blockDim.x)
        tile[i] = i;
    __syncthreads();
    float value = 0;
    int lane = threadIdx.x % 32, row = threadIdx.x / 32;
    for (int i = 0; i < turns; i++)
        value += ((volatile float *)tile)[(lane * step + (row + i) % 32) % (32 * 33)];
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

/* At the limit of DRAM: 16 bytes a thread. */
static __global__ void triple_wide(float4 *values)
{
    size_t at = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    float4 value = values[at];
    values[at] = make_float4(3 * value.x, 3 * value.y, 3 * value.z, 3 * value.w);
}

#define BLOCKS 264
#define THREADS 256
static float *device_floats(size_t count)
{
    float *floats;
    CHECK(cudaMalloc(&floats, count * sizeof *floats));
    CHECK(cudaMemset(floats, 0, count * sizeof *floats));
    CHECK(cudaDeviceSynchronize());
    return floats;
}

static void busy_wait_us(int us)
{
    struct timespec begun, now;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begun.tv_sec) * 1000000L + (now.tv_nsec - begun.tv_nsec) / 1000 < us);
}

static void launches(void)
{
    float *out = device_floats(THREADS);
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    if (fixed) {
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        for (int i = 0; i < 1000; i++)
            small_step<<<1, THREADS, 0, stream>>>(out);
        CHECK(cudaStreamEndCapture(stream, &graph));
        CHECK(cudaGraphInstantiate(&exec, graph, 0));
        CHECK(cudaGraphUpload(exec, stream));
        CHECK(cudaStreamSynchronize(stream));
        for (int i = 0; i < 10; i++)
            CHECK(cudaGraphLaunch(exec, stream));
    } else {
        for (int i = 0; i < 10000; i++)
            small_step<<<1, THREADS, 0, stream>>>(out);
    }
}

static void waits(void)
{
    float *out = device_floats(BLOCKS * THREADS);
    for (int i = 0; i < 2000; i++) {
        spin<<<BLOCKS, THREADS>>>(out, 4000);
        if (!fixed)
            CHECK(cudaDeviceSynchronize());
    }
}

static void host(void)
{
    float *out = device_floats(BLOCKS * THREADS);
    std::thread loader(busy_wait_us, fixed ? 100 * 1500 : 0);
    for (int i = 0; i < 100; i++) {
        nvtxRangePushA("step");
        nvtxRangePushA("load data");
        if (!fixed)
            busy_wait_us(1500);
        nvtxRangePop();
        spin<<<BLOCKS, THREADS>>>(out, 80000);
        nvtxRangePop();
    }
    loader.join();
}

#define COPY_BYTES (32u << 20)
static void copies(bool pageable)
{
    size_t count = COPY_BYTES / sizeof(float);
    float *in = device_floats(count), *host_memory = NULL;
    bool pinned = !pageable || fixed;
    if (pinned)
        CHECK(cudaMallocHost(&host_memory, COPY_BYTES));
    else
        host_memory = (float *)malloc(COPY_BYTES);
    memset(host_memory, 0, COPY_BYTES);
    cudaStream_t streams[4];
    for (int i = 0; i < 4; i++)
        CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
    int pieces = fixed ? 4 : 1;
    size_t piece = count / pieces;
    for (int round = 0; round < 40; round++) {
        for (int i = 0; i < pieces; i++) {
            float *part = in + i * piece;
            CHECK(cudaMemcpyAsync(part, host_memory + i * piece, piece * sizeof(float),
                                  cudaMemcpyHostToDevice, streams[i]));
            triple<<<132, THREADS, 0, streams[i]>>>(part, piece);
            spin<<<132, THREADS, 0, streams[i]>>>(part, 600000 / pieces);
            CHECK(cudaMemcpyAsync(host_memory + i * piece, part, piece * sizeof(float),
                                  cudaMemcpyDeviceToHost, streams[i]));
        }
    }
}

static void allocations(void)
{
    float *out = device_floats(BLOCKS * THREADS), *room = NULL;
    if (fixed)
        CHECK(cudaMalloc(&room, 64 << 20));
    for (int i = 0; i < 300; i++) {
        if (!fixed)
            CHECK(cudaMalloc(&room, 64 << 20));
        spin<<<BLOCKS, THREADS>>>(out, 20000);
        triple<<<BLOCKS, THREADS>>>(room, 1 << 20);
        if (!fixed)
            CHECK(cudaFree(room));
    }
}

/* Code that a program makes anew for each shape it meets; the number keeps the driver's cache from having it.
 */
static const char module_text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                                  ".visible .entry made(.param .u64 p)\n{\n"
                                  ".reg .u64 %%a; .reg .f32 %%f;\n"
                                  "ld.param.u64 %%a, [p]; cvta.to.global.u64 %%a, %%a;\n"
                                  "ld.global.f32 %%f, [%%a]; add.f32 %%f, %%f, 0f3F%06X;\n"
                                  "st.global.f32 [%%a], %%f; ret;\n}\n";

template <typename Function> static Function driver(const char *name)
{
    void *function = NULL;
    cudaDriverEntryPointQueryResult result;
    CHECK(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &result));
    return (Function)function;
}

static void modules(void)
{
    auto load = driver<CUresult (*)(CUmodule *, const void *)>("cuModuleLoadData");
    auto get = driver<CUresult (*)(CUfunction *, CUmodule, const char *)>("cuModuleGetFunction");
    auto launch = driver<decltype(&cuLaunchKernel)>("cuLaunchKernel");
    float *out = device_floats(BLOCKS * THREADS);
    CUmodule module = NULL;
    CUfunction function = NULL;
    for (int i = 0; i < 60; i++) {
        if (i == 0 || !fixed) {
            char text[1000];
            snprintf(text, sizeof text, module_text, (unsigned)((time(NULL) * 60 + i) & 0x7fffff));
            if (load(&module, text) != CUDA_SUCCESS || get(&function, module, "made") != CUDA_SUCCESS)
                exit(1);
        }
        void *arguments[] = {&out};
        if (launch(function, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL) != CUDA_SUCCESS)
            exit(1);
        spin<<<BLOCKS, THREADS>>>(out, 20000);
    }
}

static void default_stream(void)
{
    float *out = device_floats(8 * BLOCKS * THREADS);
    cudaStream_t streams[4];
    for (int i = 0; i < 4; i++)
        CHECK(cudaStreamCreateWithFlags(&streams[i], fixed ? cudaStreamNonBlocking : cudaStreamDefault));
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < 4; i++) {
            spin<<<66, THREADS, 0, streams[i]>>>(out + i * BLOCKS * THREADS, 20000);
            spin<<<66, THREADS>>>(out + 4 * BLOCKS * THREADS, 2000);
        }
    }
}

static void few_blocks(void)
{
    float *out = device_floats(BLOCKS * THREADS);
    for (int i = 0; i < 200; i++)
        spin<<<fixed ? BLOCKS : 4, THREADS>>>(out, fixed ? 40000 : 80000);
}

/* Pieces of work that need not wait for each other. */
static void one_stream(void)
{
    float *out = device_floats(8 * 16 * THREADS);
    cudaStream_t streams[8];
    for (int i = 0; i < 8; i++)
        CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
    for (int round = 0; round < 50; round++)
        for (int i = 0; i < 8; i++)
            spin<<<16, THREADS, 0, streams[fixed ? i : 0]>>>(out + i * 16 * THREADS, 20000);
}

/* So many blocks as fit twice, or one for each multiprocessor more. */
static void tail(void)
{
    int device = 0, multiprocessors, resident;
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, spin, 1024, 0));
    int blocks = 2 * resident * multiprocessors + (fixed ? 0 : multiprocessors / 2);
    float *out = device_floats(blocks * (size_t)1024);
    for (int i = 0; i < 100; i++)
        spin<<<blocks, 1024>>>(out, 20000);
}

static void sets(void)
{
    size_t count = 64 << 20;
    float *out = device_floats(count);
    for (int i = 0; i < 100; i++) {
        if (!fixed)
            CHECK(cudaMemsetAsync(out, 0, count * sizeof *out));
        triple<<<8 * BLOCKS, THREADS>>>(out, count);
    }
}

static void columns(void)
{
    float *matrix = device_floats((size_t)SIDE * SIDE), *out = device_floats(1);
    for (int i = 0; i < 30; i++)
        sums<<<SIDE *(SIDE / THREADS), THREADS>>>(matrix, out, !fixed);
}

static void conflicts(void)
{
    float *out = device_floats(BLOCKS * THREADS);
    for (int i = 0; i < 50; i++)
        tile_turns<<<BLOCKS, THREADS>>>(out, fixed ? 33 : 32, 4000);
}

static void bandwidth(void)
{
    size_t count = 256 << 20;
    float *values = device_floats(count);
    for (int i = 0; i < 60; i++)
        if (fixed)
            spin<<<BLOCKS, THREADS>>>(values, 160000);
        else
            triple_wide<<<count / 4 / THREADS, THREADS>>>((float4 *)values);
}

static void small_copies(void)
{
    float *out = device_floats(1 << 20), *host_memory;
    CHECK(cudaMallocHost(&host_memory, 4 << 20));
    memset(host_memory, 0, 4 << 20);
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    for (int round = 0; round < 20; round++) {
        int pieces = fixed ? 1 : 400;
        for (int i = 0; i < pieces; i++)
            CHECK(cudaMemcpyAsync(out + i * 256, host_memory + i * 256, fixed ? 400 << 10 : 1 << 10,
                                  cudaMemcpyHostToDevice, stream));
        spin<<<BLOCKS, THREADS, 0, stream>>>(out, 20000);
    }
}

static void collectives(void)
{
    float *out = device_floats(BLOCKS * THREADS), *exchanged = device_floats(THREADS);
    cudaStream_t streams[2];
    for (int i = 0; i < 2; i++)
        CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
    for (int i = 0; i < 100; i++) {
        spin<<<BLOCKS, THREADS, 0, streams[0]>>>(out, 80000);
        ncclDevKernel_AllReduce_planted<<<1, THREADS, 0, streams[fixed]>>>(exchanged, 40000);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } faults[] = {{"launch_bound", launches},
                  {"host_waits", waits},
                  {"host_bound", host},
                  {"pageable_copies", [] { copies(true); }},
                  {"low_overlap", [] { copies(false); }},
                  {"allocations", allocations},
                  {"module_loading", modules},
                  {"default_stream", default_stream},
                  {"few_blocks", few_blocks},
                  {"few_blocks/one-stream", one_stream},
                  {"tail_wave", tail},
                  {"memory_sets", sets},
                  {"uncoalesced_loads/counted", columns},
                  {"shared_load_conflicts/counted", conflicts},
                  {"dram_bound", bandwidth},
                  {"bandwidth_bound/counted", bandwidth},
                  {"small_copies", small_copies},
                  {"exposed_collectives", collectives}};
    fixed = argc > 2 && strcmp(argv[2], "fixed") == 0;
    for (const auto &fault : faults) {
        if (argc < 2 || strcmp(argv[1], fault.name) != 0)
            continue;
        fault.run();
        CHECK(cudaDeviceSynchronize());
        return 0;
    }
    for (const auto &fault : faults)
        printf("%s\n", fault.name);
    return argc < 2 ? 0 : 2;
}
// SPDX-License-Identifier: Apache-2.0
