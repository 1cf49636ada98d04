/* events [ROUNDS]: what a replay has to know of a program: CUDA events that are recorded, that streams and the host wait
 * for and ask about, host functions, a graph that is updated, in the main thread and two of its own. Each round of a
 * thread records three events, of which a stream waits for one, the host for one and a loop of queries for one. */
#include <cuda_runtime.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                     \
    do {                                                                                                \
        cudaError_t status_ = (call);                                                                   \
        if (status_ != cudaSuccess) {                                                                   \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status_)); \
            exit(1);                                                                                    \
        }                                                                                               \
    } while (0)

static __global__ void work(unsigned *counter, unsigned turns)
{
    for (unsigned i = 0; i < turns; i++)
        atomicAdd(counter, 1u);
}

static unsigned rounds = 20, *counter;

static void CUDART_CB count(void *calls)
{
    ++*(unsigned *)calls;
}

static void *run(void *)
{
    cudaStream_t first, second;
    cudaEvent_t made, used, over;
    unsigned calls = 0;
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&used, cudaEventDisableTiming));
    CHECK(cudaEventCreate(&over));
    for (unsigned i = 0; i < rounds; i++) {
        work<<<1, 32, 0, first>>>(counter, 100);
        CHECK(cudaEventRecord(made, first));
        CHECK(cudaStreamWaitEvent(second, made, 0));
        work<<<1, 32, 0, second>>>(counter, 100);
        CHECK(cudaEventRecord(used, second));
        CHECK(cudaLaunchHostFunc(second, count, &calls));
        CHECK(cudaEventSynchronize(used));
        work<<<1, 32, 0, first>>>(counter, 100);
        CHECK(cudaEventRecord(over, first));
        while (cudaEventQuery(over) == cudaErrorNotReady)
            continue;
        CHECK(cudaStreamQuery(first));
    }
    CHECK(cudaStreamSynchronize(second));
    CHECK(cudaEventDestroy(made));
    CHECK(cudaEventDestroy(used));
    CHECK(cudaEventDestroy(over));
    if (calls != rounds)
        exit(2);
    return NULL;
}

static void run_graph()
{
    cudaStream_t stream;
    cudaGraph_t graphs[2];
    cudaGraphExec_t executable;
    cudaGraphExecUpdateResultInfo result;
    CHECK(cudaStreamCreate(&stream));
    for (int i = 0; i < 2; i++) {
        CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        work<<<1, 32, 0, stream>>>(counter, 10u + (unsigned)i);
        work<<<1, 32, 0, stream>>>(counter, 20u);
        CHECK(cudaStreamEndCapture(stream, &graphs[i]));
    }
    CHECK(cudaGraphInstantiate(&executable, graphs[0], 0));
    for (unsigned i = 0; i < rounds; i++) {
        CHECK(cudaGraphLaunch(executable, stream));
        CHECK(cudaGraphExecUpdate(executable, graphs[(i + 1) % 2], &result));
    }
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graphs[0]));
    CHECK(cudaGraphDestroy(graphs[1]));
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    rounds = argc > 1 ? (unsigned)atoi(argv[1]) : rounds;
    CHECK(cudaMalloc(&counter, sizeof *counter));
    CHECK(cudaMemset(counter, 0, sizeof *counter));
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    run_graph();
    unsigned seen = 0, expected = 2 * rounds * 3 * 32 * 100 + 32 * (20 * rounds + 10 * rounds + rounds / 2);
    CHECK(cudaMemcpy(&seen, counter, sizeof seen, cudaMemcpyDeviceToHost));
    printf("events: %u of %u\n", seen, expected);
    return seen != expected;
}
// SPDX-License-Identifier: Apache-2.0
