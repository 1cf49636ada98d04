/* Graphs of a program of somebody's: captured, made node by node, and in one another. */
#include "case.h"

/* One block of n threads that fills. */
static cudaKernelNodeParams fill_node(int n, void **arguments)
{
    cudaKernelNodeParams node = {};

    node.func = reinterpret_cast<void *>(&fill<int>);
    node.gridDim = dim3(1);
    node.blockDim = dim3(n);
    node.kernelParams = arguments;
    return node;
}

static void capture_graph()
{
    const int n = 1000;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    int *device, last;

    CALL(cudaMalloc(&device, n * sizeof *device));
    CALL(cudaMemset(device, 0, n * sizeof *device));
    CALL(cudaStreamCreate(&stream));
    CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    fill<<<4, 64, 0, stream>>>(device, 1, n);
    CALL(cudaStreamEndCapture(stream, &graph));
    CALL(cudaMemcpy(&last, device + n - 1, sizeof last, cudaMemcpyDeviceToHost));
    MUST(last == 0);
    CALL(cudaGraphInstantiate(&executable, graph, 0));
    for (int i = 0; i < 3; i++)
        CALL(cudaGraphLaunch(executable, stream));
    CALL(cudaStreamSynchronize(stream));
    CALL(cudaMemcpy(&last, device + n - 1, sizeof last, cudaMemcpyDeviceToHost));
    MUST(last == n);
    CALL(cudaGraphExecDestroy(executable));
    CALL(cudaGraphDestroy(graph));
    CALL(cudaStreamDestroy(stream));
    CALL(cudaFree(device));
}

static void CUDART_CB count_calls(void *calls)
{
    ++*static_cast<int *>(calls);
}

/* A graph made node by node: memory, a set of words in rows, two kernels, a copy, a host function. */
static void make_graph_nodes()
{
    const int n = 64, rows = 4, width = n / rows;
    cudaGraph_t graph, clone;
    cudaGraphExec_t executable, of_clone;
    cudaGraphNode_t memory, set, kernel, copy, host, given, nodes[8];
    cudaGraphExecUpdateResultInfo update;
    enum cudaGraphNodeType type;
    int first = 5, count = n, calls = 0, told[n];
    size_t node_count = 0;

    CALL(cudaGraphCreate(&graph, 0));
    cudaMemAllocNodeParams taken = {};
    taken.poolProps.allocType = cudaMemAllocationTypePinned;
    taken.poolProps.location.type = cudaMemLocationTypeDevice;
    taken.bytesize = n * sizeof(int);
    CALL(cudaGraphAddMemAllocNode(&memory, graph, nullptr, 0, &taken));
    int *values = static_cast<int *>(taken.dptr);

    cudaMemsetParams words = {};
    words.dst = values;
    words.elementSize = 4;
    words.value = 0x01020304;
    words.width = width / 2; /* half of each row */
    words.height = rows;
    words.pitch = width * sizeof(int);
    CALL(cudaGraphAddMemsetNode(&set, graph, &memory, 1, &words));

    void *arguments[] = {&values, &first, &count};
    cudaKernelNodeParams filled = fill_node(n, arguments);
    CALL(cudaGraphAddKernelNode(&kernel, graph, &set, 1, &filled));
    first = 77; /* the node has a copy */
    CALL(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, told, values, sizeof told,
                                  cudaMemcpyDeviceToHost));
    cudaHostNodeParams called = {count_calls, &calls};
    CALL(cudaGraphAddHostNode(&host, graph, &copy, 1, &called));
    CALL(cudaGraphAddMemFreeNode(&given, graph, &host, 1, values));

    CALL(cudaGraphGetNodes(graph, nullptr, &node_count));
    MUST(node_count == 6);
    CALL(cudaGraphGetNodes(graph, nodes, &node_count));
    MUST(nodes[2] == kernel);
    CALL(cudaGraphNodeGetType(nodes[0], &type));
    MUST(type == cudaGraphNodeTypeMemAlloc);
    CALL(cudaGraphInstantiate(&executable, graph, 0));
    CALL(cudaGraphLaunch(executable, nullptr));
    CALL(cudaDeviceSynchronize());
    MUST(calls == 1 && told[0] == 5 && told[n - 1] == 5 + n - 1);

    /* The executable alone is changed. */
    CALL(cudaGraphExecKernelNodeSetParams(executable, kernel, &filled));
    CALL(cudaGraphLaunch(executable, nullptr));
    CALL(cudaDeviceSynchronize());
    MUST(told[0] == 77);
    MUST(cudaGraphClone(&clone, graph) == cudaErrorNotSupported); /* it allocates */
    MUST(cudaGraphInstantiate(&of_clone, graph, 0) == cudaErrorNotSupported);
    cudaGetLastError();

    /* The kernel fills nothing: the words stay. */
    count = 0;
    CALL(cudaGraphKernelNodeSetParams(kernel, &filled));
    CALL(cudaGraphExecUpdate(executable, graph, &update));
    MUST(update.result == cudaGraphExecUpdateSuccess);
    CALL(cudaGraphLaunch(executable, nullptr));
    CALL(cudaDeviceSynchronize());
    MUST(told[0] == 0x01020304 && told[width / 2 - 1] == 0x01020304 && told[width] == 0x01020304);
    MUST(told[width / 2] == 77 + width / 2 && calls == 3);

    CALL(cudaGraphAddEmptyNode(&given, graph, nullptr, 0));
    MUST(cudaGraphExecUpdate(executable, graph, &update) == cudaErrorGraphExecUpdateFailure);
    MUST(update.result == cudaGraphExecUpdateErrorTopologyChanged);
    cudaGetLastError();
    MUST(cudaFree(values) == cudaErrorInvalidValue); /* a node of the graph frees it */
    cudaGetLastError();
    CALL(cudaGraphExecDestroy(executable));
    CALL(cudaGraphDestroy(graph));
}

/* A graph in a graph, and events that are recorded at each launch. */
static void nest_graphs()
{
    const int n = 64;
    int *values, first = 3, count = n, told = 0;
    cudaGraph_t outer, inner, own;
    cudaGraphExec_t executable;
    cudaGraphNode_t kernel, child, begin, end, wait;
    cudaEvent_t events[2], given;
    enum cudaGraphNodeType type;
    size_t nodes = 0;
    float ms = -1;

    CALL(cudaMalloc(&values, n * sizeof *values));
    CALL(cudaEventCreate(&events[0]));
    CALL(cudaEventCreate(&events[1]));
    CALL(cudaGraphCreate(&inner, 0));
    void *arguments[] = {&values, &first, &count};
    cudaKernelNodeParams filled = fill_node(n, arguments);
    CALL(cudaGraphAddKernelNode(&kernel, inner, nullptr, 0, &filled));

    CALL(cudaGraphCreate(&outer, 0));
    CALL(cudaGraphAddEventRecordNode(&begin, outer, nullptr, 0, events[0]));
    CALL(cudaGraphAddChildGraphNode(&child, outer, &begin, 1, inner));
    cudaGraphNodeParams recorded = {};
    recorded.type = cudaGraphNodeTypeEventRecord;
    recorded.eventRecord.event = events[0];
    CALL(cudaGraphAddNode(&end, outer, &child, nullptr, 1, &recorded));
    CALL(cudaGraphAddEventWaitNode(&wait, outer, &end, 1, events[0]));
    CALL(cudaGraphEventRecordNodeSetEvent(end, events[1]));
    CALL(cudaGraphEventRecordNodeGetEvent(end, &given));
    MUST(given == events[1]);
    MUST(cudaGraphEventWaitNodeGetEvent(end, &given) == cudaErrorInvalidValue);
    CALL(cudaGraphNodeGetType(child, &type));
    MUST(type == cudaGraphNodeTypeGraph);
    CALL(cudaGraphChildGraphNodeGetGraph(child, &own));
    CALL(cudaGraphGetNodes(own, nullptr, &nodes));
    MUST(nodes == 1);

    first = 100; /* of the child that is not launched: the outer graph has a copy */
    CALL(cudaGraphKernelNodeSetParams(kernel, &filled));
    CALL(cudaGraphInstantiate(&executable, outer, 0));
    CALL(cudaGraphLaunch(executable, nullptr));
    CALL(cudaMemcpy(&told, values + n - 1, sizeof told, cudaMemcpyDeviceToHost));
    MUST(told == 3 + n - 1);
    CALL(cudaEventElapsedTime(&ms, events[0], events[1]));
    MUST(ms > 0);
    CALL(cudaGraphExecChildGraphNodeSetParams(executable, child, inner));
    CALL(cudaGraphLaunch(executable, nullptr));
    CALL(cudaMemcpy(&told, values, sizeof told, cudaMemcpyDeviceToHost));
    MUST(told == 100);
    CALL(cudaGraphExecDestroy(executable));
    CALL(cudaGraphDestroy(outer));
    CALL(cudaGraphDestroy(inner));

    /* A captured record that each launch makes. */
    cudaStream_t stream;
    CALL(cudaStreamCreate(&stream));
    CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    fill<<<1, n, 0, stream>>>(values, 7, n);
    CALL(cudaEventRecordWithFlags(events[1], stream, cudaEventRecordExternal));
    CALL(cudaStreamEndCapture(stream, &outer));
    CALL(cudaGraphGetNodes(outer, nullptr, &nodes));
    MUST(nodes == 2);
    CALL(cudaGraphInstantiate(&executable, outer, 0));
    CALL(cudaGraphLaunch(executable, stream));
    CALL(cudaEventSynchronize(events[1]));
    CALL(cudaMemcpy(&told, values, sizeof told, cudaMemcpyDeviceToHost));
    CALL(cudaEventElapsedTime(&ms, events[0], events[1]));
    MUST(told == 7 && ms > 0);
    CALL(cudaGraphExecDestroy(executable));
    CALL(cudaGraphDestroy(outer));
    CALL(cudaStreamDestroy(stream));
    CALL(cudaFree(values));
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"graphs", capture_graph},
        {"nodes", make_graph_nodes},
        {"nested", nest_graphs},
    };

    return run_cases(cases, argc, argv);
}
// SPDX-License-Identifier: Apache-2.0
