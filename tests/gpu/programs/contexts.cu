/* contexts [LAUNCHES]: eight threads on four contexts, each with its own stream and counter. */
#include "program.h"

#include <cuda.h>
#include <pthread.h>

#define THREADS 8
#define CONTEXTS 4

static CUresult (*set_current)(CUcontext);
static unsigned launches = 2000;

static void *worker(void *context)
{
    cudaStream_t stream;
    if (set_current((CUcontext)context) != CUDA_SUCCESS)
        exit(1);
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    unsigned *counter = new_counter();
    CHECK(cudaDeviceSynchronize());
    for (unsigned i = 0; i < launches; i++)
        count_up<<<2, 64, 0, stream>>>(counter);
    CHECK(cudaStreamSynchronize(stream));
    expect(counter, 128 * launches);
    CHECK(cudaStreamDestroy(stream));
    return NULL;
}

static void *entry(const char *name)
{
    void *function = NULL;
    cudaDriverEntryPointQueryResult result;
    CHECK(cudaGetDriverEntryPointByVersion(name, &function, 13000, cudaEnableDefault, &result));
    return function;
}

int main(int argc, char **argv)
{
    CUcontext contexts[CONTEXTS];
    pthread_t threads[THREADS];
    if (argc > 1)
        launches = (unsigned)atol(argv[1]);
    CHECK(cudaFree(0));
    set_current = (CUresult(*)(CUcontext))entry("cuCtxSetCurrent");
    CUresult (*create)(CUcontext *, CUctxCreateParams *, unsigned, CUdevice) =
        (CUresult(*)(CUcontext *, CUctxCreateParams *, unsigned, CUdevice))entry("cuCtxCreate");
    for (int i = 0; i < CONTEXTS; i++)
        if (create(&contexts[i], NULL, 0, 0) != CUDA_SUCCESS)
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, contexts[i % CONTEXTS]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("launched %u\n", THREADS * launches);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
