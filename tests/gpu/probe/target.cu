/* target: the program that the probe's agent is injected into. Kernels with counts known by hand.
 * Owner: tests/gpu/probe. Usage: target MODE [N [THREADS [CONTEXTS]]]; see main. */
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_runtime.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CHECK(call)                                                               \
    do {                                                                          \
        cudaError_t status_ = (call);                                             \
        if (status_ != cudaSuccess)                                               \
            fprintf(stderr, "T: %s -> %s\n", #call, cudaGetErrorString(status_)); \
    } while (0)

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Sectors per load request: unit 4, stride2 8, stride32 32. One load request a warp, 8 warps a block. */
__global__ void unit(const float *a, float *b)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = a[i];
}
__global__ void stride2(const float *a, float *b)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = a[2 * i];
}
__global__ void stride32(const float *a, float *b)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = a[32 * i];
}
__global__ void increment(unsigned *counter)
{
    atomicAdd(counter, 1u);
}
__global__ void empty(void)
{
}
__global__ void fill(float4 *p, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        p[i].x += 1;
}
__global__ void wild(int *p)
{
    *p = 1;
}
__global__ void cooperative(unsigned *counter)
{
    cooperative_groups::this_grid().sync();
    if (threadIdx.x == 0)
        atomicAdd(counter, 1u);
    cooperative_groups::this_grid().sync();
}

/* Kernels that tell what the byte counters count. One block of one warp each. */
__global__ void global_broadcast(const float *a, float *b)
{
    b[threadIdx.x] = a[threadIdx.x & 0];
}
__global__ void global_half(const float *a, float *b)
{
    if (threadIdx.x < 11)
        b[threadIdx.x] = a[threadIdx.x];
}
__global__ void global_wide(const float4 *a, float4 *b)
{
    b[threadIdx.x] = a[threadIdx.x];
}
__global__ void global_byte(const char *a, char *b)
{
    b[threadIdx.x] = a[threadIdx.x];
}
__global__ void shared_unit(float *b)
{
    __shared__ volatile float s[1024];
    s[threadIdx.x] = (float)threadIdx.x;
    __syncwarp();
    b[threadIdx.x] = s[31 - threadIdx.x];
}
__global__ void shared_broadcast(float *b)
{
    __shared__ volatile float s[1024];
    s[threadIdx.x] = (float)threadIdx.x;
    __syncwarp();
    b[threadIdx.x] = s[blockDim.x & 7];
}
__global__ void shared_partial(float *b)
{
    __shared__ volatile float s[1024];
    s[threadIdx.x] = (float)threadIdx.x;
    __syncwarp();
    if (threadIdx.x < 5)
        b[threadIdx.x] = s[threadIdx.x * 32];
}
__global__ void shared_wide(float4 *b)
{
    __shared__ float4 s[64];
    s[threadIdx.x] = make_float4((float)threadIdx.x, 1, 2, 3);
    __syncwarp();
    b[threadIdx.x] = s[31 - threadIdx.x];
}
__global__ void shared_byte(char *b)
{
    __shared__ volatile char s[1024];
    s[threadIdx.x] = (char)threadIdx.x;
    __syncwarp();
    b[threadIdx.x] = s[31 - threadIdx.x];
}

static float *g_a, *g_b;

static void launch_named(unsigned which, cudaStream_t stream, float *a, float *b)
{
    if (which == 0)
        unit<<<64, 256, 0, stream>>>(a, b);
    else if (which == 1)
        stride2<<<64, 256, 0, stream>>>(a, b);
    else
        stride32<<<64, 256, 0, stream>>>(a, b);
}

struct worker {
    CUcontext context;
    long launches;
    int index;
    pthread_t thread;
};
static CUresult (*p_cuCtxSetCurrent)(CUcontext);
static CUresult (*p_cuCtxCreate)(CUcontext *, CUctxCreateParams *, unsigned, CUdevice);

static void *worker_main(void *argument)
{
    struct worker *w = (struct worker *)argument;
    float *a, *b;
    unsigned *counter, seen = 0;
    cudaStream_t stream;
    if (w->context)
        p_cuCtxSetCurrent(w->context);
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMalloc(&a, 64 * 256 * 32 * sizeof(float)));
    CHECK(cudaMalloc(&b, 64 * 256 * sizeof(float)));
    CHECK(cudaMalloc(&counter, sizeof *counter));
    CHECK(cudaMemset(counter, 0, sizeof *counter));
    CHECK(cudaDeviceSynchronize());
    for (long i = 0; i < w->launches; i++) {
        launch_named((unsigned)(i + w->index) % 3, stream, a, b);
        increment<<<1, 32, 0, stream>>>(counter);
    }
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(&seen, counter, sizeof seen, cudaMemcpyDeviceToHost));
    if (seen != 32u * (unsigned)w->launches)
        fprintf(stderr, "T: WRONG RESULT thread %d: counter %u, expected %u\n", w->index, seen,
                32u * (unsigned)w->launches);
    return NULL;
}

static void *entry(const char *name)
{
    void *f = NULL;
    cudaDriverEntryPointQueryResult q;
    CHECK(cudaGetDriverEntryPointByVersion(name, &f, 13000, cudaEnableDefault, &q));
    return f;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "many";
    long n = argc > 2 ? atol(argv[2]) : 1000;
    int threads = argc > 3 ? atoi(argv[3]) : 1;
    int contexts = argc > 4 ? atoi(argv[4]) : 1;
    double t0 = now_s();

    CHECK(cudaFree(0));
    double t_init = now_s();
    CHECK(cudaMalloc(&g_a, 64 * 256 * 32 * sizeof(float)));
    CHECK(cudaMalloc(&g_b, 64 * 256 * 32 * sizeof(float)));
    CHECK(cudaMemset(g_a, 0, 64 * 256 * 32 * sizeof(float)));
    CHECK(cudaDeviceSynchronize());
    double t1 = now_s();

    if (!strcmp(mode, "many")) {
        unsigned *counter, seen = 0;
        CHECK(cudaMalloc(&counter, sizeof *counter));
        CHECK(cudaMemset(counter, 0, sizeof *counter));
        t1 = now_s();
        for (long i = 0; i < n; i++) {
            launch_named((unsigned)i % 3, 0, g_a, g_b);
            increment<<<1, 32>>>(counter);
        }
        CHECK(cudaDeviceSynchronize());
        printf("T: many %ld x2: %.2f us a launch\n", n, 1e6 * (now_s() - t1) / (double)(2 * n));
        CHECK(cudaMemcpy(&seen, counter, sizeof seen, cudaMemcpyDeviceToHost));
        if (seen != 32u * (unsigned)n)
            printf("T: WRONG RESULT counter %u, expected %u\n", seen, 32u * (unsigned)n);
    } else if (!strcmp(mode, "empty")) {
        for (int i = 0; i < 2000; i++)
            empty<<<1, 32>>>();
        CHECK(cudaDeviceSynchronize());
        t1 = now_s();
        for (long i = 0; i < n; i++)
            empty<<<1, 32>>>();
        CHECK(cudaDeviceSynchronize());
        printf("T: empty %ld: %.3f us a launch\n", n, 1e6 * (now_s() - t1) / (double)n);
    } else if (!strcmp(mode, "threads")) {
        struct worker w[16];
        CUcontext context[16] = {0};
        p_cuCtxSetCurrent = (CUresult(*)(CUcontext))entry("cuCtxSetCurrent");
        p_cuCtxCreate =
            (CUresult(*)(CUcontext *, CUctxCreateParams *, unsigned, CUdevice))entry("cuCtxCreate");
        for (int i = 0; i < contexts && contexts > 1; i++) {
            CUresult r = p_cuCtxCreate(&context[i], NULL, 0, 0);
            if (r)
                fprintf(stderr, "T: cuCtxCreate %d -> %d\n", i, (int)r);
        }
        t1 = now_s();
        for (int i = 0; i < threads; i++) {
            w[i].context = contexts > 1 ? context[i % contexts] : NULL;
            w[i].launches = n;
            w[i].index = i;
            pthread_create(&w[i].thread, NULL, worker_main, &w[i]);
        }
        for (int i = 0; i < threads; i++)
            pthread_join(w[i].thread, NULL);
        printf("T: threads %d contexts %d launches %ld x2 each: %.1f ms\n", threads, contexts, n,
               1e3 * (now_s() - t1));
    } else if (!strcmp(mode, "graph")) {
        int nodes = threads > 1 ? threads : 20;
        cudaStream_t s;
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        CHECK(cudaStreamCreate(&s));
        CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
        for (int i = 0; i < nodes; i++)
            launch_named((unsigned)i % 3, s, g_a, g_b);
        CHECK(cudaStreamEndCapture(s, &graph));
        CHECK(cudaGraphInstantiate(&exec, graph, 0));
        t1 = now_s();
        for (long i = 0; i < n; i++)
            CHECK(cudaGraphLaunch(exec, s));
        double t2 = now_s();
        CHECK(cudaStreamSynchronize(s));
        double t3 = now_s();
        printf("T: graph %ld x %d nodes: launch calls %.2f us each, done after %.1f ms = %.0f nodes/s\n", n,
               nodes, 1e6 * (t2 - t1) / (double)n, 1e3 * (t3 - t1), (double)n * nodes / (t3 - t1));
    } else if (!strcmp(
                   mode,
                   "big")) { /* N MiB written by each launch: what saving and restoring it costs a replay */
        char *p;
        size_t bytes = (size_t)n << 20;
        CHECK(cudaMalloc(&p, bytes));
        CHECK(cudaMemset(p, 1, bytes));
        for (int i = 0; i < 3; i++)
            fill<<<1056, 256>>>((float4 *)p, bytes / sizeof(float4));
        CHECK(cudaDeviceSynchronize());
    } else if (!strcmp(mode, "exit3")) {
        double end = now_s() + 0.2;
        long launched = 0;
        while (now_s() < end) {
            for (int i = 0; i < 100; i++)
                unit<<<64, 256>>>(g_a, g_b);
            launched += 100;
            CHECK(cudaDeviceSynchronize());
        }
        printf("T: launched %ld\n", launched);
        fflush(stdout);
        usleep(3000);
        _exit(0);
    } else if (!strcmp(mode, "illegal")) {
        for (long i = 0; i < n; i++)
            unit<<<64, 256>>>(g_a, g_b);
        wild<<<1, 1>>>((int *)0x10);
        cudaError_t e = cudaDeviceSynchronize();
        printf("T: %ld good launches then illegal: %s\n", n, cudaGetErrorString(e));
    } else if (!strcmp(mode, "reset")) {
        for (int round = 0; round < 3; round++) {
            CHECK(cudaMalloc(&g_a, 64 * 256 * 32 * sizeof(float)));
            for (long i = 0; i < n; i++)
                unit<<<64, 256>>>(g_a, g_a);
            CHECK(cudaDeviceReset());
        }
        printf("T: 3 rounds of %ld launches and cudaDeviceReset\n", n);
    } else if (!strcmp(mode, "coop")) {
        unsigned *counter;
        CHECK(cudaMalloc(&counter, sizeof *counter));
        CHECK(cudaMemset(counter, 0, sizeof *counter));
        void *args[] = {&counter};
        for (long i = 0; i < n; i++)
            CHECK(cudaLaunchCooperativeKernel((void *)cooperative, dim3(132), dim3(128), args, 0, 0));
        CHECK(cudaDeviceSynchronize());
        unsigned seen;
        CHECK(cudaMemcpy(&seen, counter, sizeof seen, cudaMemcpyDeviceToHost));
        printf("T: coop %ld: counter %u, expected %u\n", n, seen, 132u * (unsigned)n);
    } else if (!strcmp(mode, "bytes")) {
        for (long i = 0; i < n; i++) {
            global_broadcast<<<1, 32>>>(g_a, g_b);
            global_half<<<1, 32>>>(g_a, g_b);
            global_wide<<<1, 32>>>((float4 *)g_a, (float4 *)g_b);
            global_byte<<<1, 32>>>((char *)g_a, (char *)g_b);
            shared_unit<<<1, 32>>>(g_b);
            shared_broadcast<<<1, 32>>>(g_b);
            shared_partial<<<1, 32>>>(g_b);
            shared_wide<<<1, 32>>>((float4 *)g_b);
            shared_byte<<<1, 32>>>((char *)g_b);
        }
        CHECK(cudaDeviceSynchronize());
    }
    printf("T: %s: init %.0f ms, whole %.0f ms\n", mode, 1e3 * (t_init - t0), 1e3 * (now_s() - t0));
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
