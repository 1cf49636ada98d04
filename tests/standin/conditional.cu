/* Conditional nodes of graphs: prints "conditional: fine", or which line was not. */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define MUST(condition)                                                   \
    do {                                                                  \
        if (!(condition)) {                                               \
            std::printf("conditional.cu:%d: %s\n", __LINE__, #condition); \
            std::exit(1);                                                 \
        }                                                                 \
    } while (0)
#define CALL(call) MUST((call) == cudaSuccess)

__global__ void count_to(cudaGraphConditionalHandle handle, int *counter, int limit)
{
    int now = ++*counter;
    cudaGraphSetConditional(handle, now < limit);
}

__global__ void set(cudaGraphConditionalHandle handle, const int *value)
{
    cudaGraphSetConditional(handle, *value);
}

__global__ void add(int *counter, int amount)
{
    *counter += amount;
}

static int *memory; /* managed: the counter, and the value of a condition */

static cudaGraph_t *condition_add(cudaGraph_t graph, cudaGraphConditionalHandle handle,
                                  cudaGraphConditionalNodeType type, unsigned size)
{
    cudaGraphNodeParams params = {};
    cudaGraphNode_t node;
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = size;
    CALL(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
    return params.conditional.phGraph_out;
}

static void kernel_add(cudaGraph_t graph, void *function, void **arguments)
{
    cudaGraphNodeParams params = {};
    cudaGraphNode_t node;
    params.type = cudaGraphNodeTypeKernel;
    params.kernel.func = function;
    params.kernel.gridDim = params.kernel.blockDim = dim3(1);
    params.kernel.kernelParams = arguments;
    CALL(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
}

static int run(cudaGraphExec_t executable, int value)
{
    memory[0] = 0;
    memory[1] = value;
    CALL(cudaGraphLaunch(executable, 0));
    CALL(cudaDeviceSynchronize());
    return memory[0];
}

/* The body is captured from a stream; the loop begins anew at each launch. */
static void loop()
{
    cudaGraph_t graph, body;
    cudaGraphExec_t executable;
    cudaGraphConditionalHandle handle;
    cudaStream_t stream;
    CALL(cudaStreamCreate(&stream));
    CALL(cudaGraphCreate(&graph, 0));
    CALL(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    cudaGraph_t *bodies = condition_add(graph, handle, cudaGraphCondTypeWhile, 1);
    CALL(cudaStreamBeginCaptureToGraph(stream, bodies[0], nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
    count_to<<<1, 1, 0, stream>>>(handle, memory, 10);
    CALL(cudaStreamEndCapture(stream, &body));
    MUST(body == bodies[0]);
    CALL(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
    CALL(cudaStreamEndCapture(stream, nullptr));
    CALL(cudaGraphInstantiate(&executable, graph, 0));
    CALL(cudaGraphDestroy(graph));
    MUST(run(executable, 0) == 10);
    MUST(run(executable, 0) == 10);
    CALL(cudaGraphExecDestroy(executable));
    CALL(cudaStreamDestroy(stream));
}

/* A condition inside a captured graph, with both branches, and one of several bodies. */
static void choose(cudaGraphConditionalNodeType type, unsigned bodies, const int *expected, int values)
{
    cudaGraph_t graph, captured;
    cudaGraphExec_t executable;
    cudaGraphConditionalHandle handle;
    cudaStream_t stream;
    cudaStreamCaptureStatus status;
    const int *value = memory + 1;
    CALL(cudaStreamCreate(&stream));
    CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CALL(cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, nullptr, nullptr, nullptr));
    MUST(status == cudaStreamCaptureStatusActive);
    CALL(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    set<<<1, 1, 0, stream>>>(handle, value);
    cudaGraph_t *branches = condition_add(graph, handle, type, bodies);
    for (unsigned i = 0; i < bodies; i++) {
        int amount = 100 << i;
        void *arguments[] = {&memory, &amount};
        kernel_add(branches[i], (void *)add, arguments);
    }
    add<<<1, 1, 0, stream>>>(memory, 1);
    CALL(cudaStreamEndCapture(stream, &captured));
    MUST(captured == graph);
    CALL(cudaGraphInstantiate(&executable, graph, 0));
    for (int i = 0; i < values; i++)
        MUST(run(executable, i) == expected[i]);
    CALL(cudaGraphExecDestroy(executable));
    CALL(cudaGraphDestroy(graph));
    CALL(cudaStreamDestroy(stream));
}

int main()
{
    const int if_else[] = {201, 101, 101}, if_only[] = {1, 101}, of_three[] = {101, 201, 401, 1};
    CALL(cudaMallocManaged(&memory, 2 * sizeof *memory));
    loop();
    choose(cudaGraphCondTypeIf, 2, if_else, 3);
    choose(cudaGraphCondTypeIf, 1, if_only, 2);
    choose(cudaGraphCondTypeSwitch, 3, of_three, 4);
    CALL(cudaFree(memory));
    std::printf("conditional: fine\n");
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
