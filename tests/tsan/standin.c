/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUDA programs call the stand-in from many threads: each has streams, memory, events, errors and captures of
 * its own, in one model with several workers; all load a module and launch its kernel, and one asks for
 * progress. Meant for the thread sanitizer; in any build the results are checked.
 */
#if LANESCOPE_CUDA
#include "standin/driver.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 4
#define ROUNDS 12
#define N 1024

static const char text[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry add(.param .u64 words, .param .u32 by)\n{\n.reg .b32 %r<8>;\n.reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [words];\nld.param.u32 %r1, [by];\nmov.u32 %r2, %tid.x;\nmov.u32 %r5, "
    "%ctaid.x;\nmov.u32 %r6, %ntid.x;\n"
    "mad.lo.u32 %r7, %r5, %r6, %r2;\nmul.wide.u32 %rd2, %r7, 4;\nadd.s64 %rd3, %rd1, %rd2;\nld.global.u32 "
    "%r3, [%rd3];\n"
    "add.u32 %r4, %r3, %r1;\nst.global.u32 [%rd3], %r4;\nret;\n}\n";

static uint32_t *shared_sum; /* pinned memory that each thread's callback adds to */
static pthread_mutex_t sum_lock = PTHREAD_MUTEX_INITIALIZER;

static void CUDART_CB add_to_sum(void *by)
{
    pthread_mutex_lock(&sum_lock);
    *shared_sum += *(const uint32_t *)by;
    pthread_mutex_unlock(&sum_lock);
}

/* NULL: all was right; else what was not. */
static const char *run_round(CUfunction add, cudaStream_t stream, cudaEvent_t event, uint32_t by)
{
    uint32_t *words, *host, wrong = 0;
    void *arguments[] = {&words, &by};
    cudaGraph_t graph;
    cudaGraphExec_t executable;

    if (cudaMallocHost((void **)&host, N * sizeof *host) ||
        cudaMallocAsync((void **)&words, N * sizeof *words, stream))
        return "an allocation";
    cudaMemsetAsync(words, 0, N * sizeof *words, stream);
    if (cuLaunchKernel(add, N / 128, 1, 1, 128, 1, 1, 0, (CUstream)stream, arguments, NULL))
        return "a launch";
    if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) ||
        cuLaunchKernel(add, N / 128, 1, 1, 128, 1, 1, 0, (CUstream)stream, arguments, NULL) ||
        cudaStreamEndCapture(stream, &graph) || cudaGraphInstantiate(&executable, graph, 0) ||
        cudaGraphLaunch(executable, stream))
        return "a graph";
    if (cudaSetDevice(99) != cudaErrorInvalidDevice || cudaGetLastError() != cudaErrorInvalidDevice ||
        cudaGetLastError() != cudaSuccess)
        return "an error of another thread";
    cudaEventRecord(event, stream);
    cudaMemcpyAsync(host, words, N * sizeof *host, cudaMemcpyDeviceToHost, stream);
    cudaLaunchHostFunc(stream, add_to_sum, &by);
    if (cudaStreamSynchronize(stream) || cudaEventQuery(event))
        return "a wait";
    for (size_t i = 0; i < N; i++)
        wrong += host[i] != 2 * by;
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    if (cudaFreeAsync(words, stream) || cudaFreeHost(host))
        return "a free";
    return wrong ? "a value" : NULL;
}

static void *run_thread(void *number)
{
    uint32_t by = (uint32_t)(uintptr_t)number + 1;
    const char *wrong = NULL;
    cudaStream_t stream;
    cudaEvent_t event;
    CUmodule module;
    CUfunction add;

    if (cuModuleLoadData(&module, text) || cuModuleGetFunction(&add, module, "add") ||
        cudaStreamCreate(&stream) || cudaEventCreate(&event))
        wrong = "a module";
    for (int i = 0; i < ROUNDS && !wrong; i++)
        wrong = run_round(add, stream, event, by);
    if (!wrong && (cudaEventDestroy(event) || cudaStreamDestroy(stream) || cuModuleUnload(module)))
        wrong = "an end";
    return (void *)(uintptr_t)wrong;
}

int main(void)
{
    pthread_t threads[THREADS];
    uint32_t wanted = 0;
    int status = 0;

    if (cuInit(0) || cudaMallocHost((void **)&shared_sum, sizeof *shared_sum))
        return 1;
    *shared_sum = 0;
    for (size_t i = 0; i < THREADS; i++) {
        wanted += ROUNDS * (uint32_t)(i + 1);
        if (pthread_create(&threads[i], NULL, run_thread, (void *)i) != 0)
            return 1;
    }
    for (size_t i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        if (wrong)
            printf("thread %zu: %s\n", i, (const char *)wrong);
        status |= wrong != NULL;
    }
    if (*shared_sum != wanted)
        printf("the sum is %u and should be %u\n", *shared_sum, wanted);
    return status || *shared_sum != wanted;
}
#else
#include <stdio.h>

int main(void)
{
    puts("skipped: this build has no stand-in: no CUDA headers");
    return 77;
}
#endif
