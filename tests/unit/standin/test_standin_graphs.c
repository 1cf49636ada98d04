/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs, and memory in the order of a stream, called as a program calls them: the model is in this process.
 */
#if LANESCOPE_CUDA
#include "standin/driver.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define N 64

static const char text[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry add(.param .u64 words, .param .u32 by)\n{\n.reg .b32 %r<5>;\n.reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [words];\nld.param.u32 %r1, [by];\nmov.u32 %r2, %tid.x;\n"
    "mul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r3, [%rd3];\n"
    "add.u32 %r4, %r3, %r1;\nst.global.u32 [%rd3], %r4;\nret;\n}\n";

static CUfunction add;
static cudaStream_t stream;
static uint32_t *words;

static void enter(void)
{
    CUmodule module;

    cr_assert_eq(cudaMalloc((void **)&words, N * sizeof *words), cudaSuccess);
    cr_assert_eq(cudaMemset(words, 0, N * sizeof *words), cudaSuccess);
    cr_assert_eq(cudaStreamCreate(&stream), cudaSuccess);
    cr_assert_eq(cuModuleLoadData(&module, text), CUDA_SUCCESS);
    cr_assert_eq(cuModuleGetFunction(&add, module, "add"), CUDA_SUCCESS);
}

TestSuite(standin_graphs, .init = enter);

static void launch_add(cudaStream_t in, uint32_t by)
{
    void *arguments[] = {&words, &by};

    cr_assert_eq(cuLaunchKernel(add, 1, 1, 1, N, 1, 1, 0, (CUstream)in, arguments, NULL), CUDA_SUCCESS);
}

static uint32_t word_of(size_t at)
{
    uint32_t word = 0;

    cr_assert_eq(cudaMemcpy(&word, words + at, sizeof word, cudaMemcpyDeviceToHost), cudaSuccess);
    return word;
}

static cudaGraph_t capture_adds(uint32_t count)
{
    cudaGraph_t graph = NULL;

    cr_assert_eq(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
    for (uint32_t i = 0; i < count; i++)
        launch_add(stream, 1);
    cr_assert_eq(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    return graph;
}

/* Opening a FIFO would wait for its writer. An H200 finds nothing in /dev/null. */
Test(standin_graphs, a_module_is_read_from_a_regular_file, .timeout = 20)
{
    char path[] = "/tmp/lanescope-module-XXXXXX";
    CUmodule module;
    CUlinkState link;

    cr_assert(close(mkstemp(path)) == 0 && unlink(path) == 0);
    cr_expect_eq(cuModuleLoad(&module, path), CUDA_ERROR_FILE_NOT_FOUND);
    cr_assert_eq(mkfifo(path, 0600), 0);
    cr_expect_eq(cuModuleLoad(&module, path), CUDA_ERROR_INVALID_IMAGE);
    cr_expect_eq(cuModuleLoad(&module, "/dev/null"), CUDA_ERROR_INVALID_IMAGE);
    cr_assert_eq(cuLinkCreate(0, NULL, NULL, &link), CUDA_SUCCESS);
    cr_expect_eq(cuLinkAddFile(link, CU_JIT_INPUT_PTX, path, 0, NULL, NULL),
                 cuLinkAddData(link, CU_JIT_INPUT_PTX, "", 0, path, 0, NULL, NULL));
    cr_expect_eq(cuLinkDestroy(link), CUDA_SUCCESS);
    unlink(path);
}

/* Arguments are those of the capture, and nothing runs before the launch. */
Test(standin_graphs, a_captured_graph_runs_when_it_is_launched)
{
    for (uint32_t count = 0; count <= 40; count += 8) {
        cudaGraph_t graph = capture_adds(count);
        cudaGraphExec_t executable;
        uint32_t before = word_of(N - 1);

        cr_assert_eq(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
        cr_assert_eq(cudaGraphDestroy(graph), cudaSuccess); /* an executable stands by itself */
        cr_assert_eq(cudaGraphLaunch(executable, stream), cudaSuccess);
        cr_assert_eq(cudaGraphLaunch(executable, stream), cudaSuccess);
        cr_assert_eq(cudaStreamSynchronize(stream), cudaSuccess);
        cr_assert_eq(word_of(N - 1), before + 2 * count);
        cr_assert_eq(cudaGraphExecDestroy(executable), cudaSuccess);
    }
}

Test(standin_graphs, gives_as_many_nodes_as_there_is_room_for)
{
    cudaGraph_t graph = capture_adds(5), clone;
    cudaGraphNode_t nodes[8], found;
    size_t count = 0;

    cr_assert(cudaGraphGetNodes(graph, NULL, &count) == cudaSuccess && count == 5);
    for (size_t room = 0; room <= 8; room++) {
        memset(nodes, 0xee, sizeof nodes);
        count = room;
        cr_assert_eq(cudaGraphGetNodes(graph, nodes, &count), cudaSuccess);
        for (size_t i = room; i < 8; i++) /* nothing is written behind the room */
            cr_assert_eq((uintptr_t)nodes[i], UINT64_C(0xeeeeeeeeeeeeeeee), "%zu of %zu", i, room);
    }
    cr_assert_eq(cudaGraphClone(&clone, graph), cudaSuccess);
    cr_assert_eq(cudaGraphNodeFindInClone(&found, nodes[0], clone), cudaSuccess);
    cr_assert_neq(found, nodes[0]);
    cr_assert_eq(cudaGraphDestroy(clone), cudaSuccess);
    cr_assert_eq(cudaGraphDestroy(graph), cudaSuccess);
}

/* A second stream joins by an event, and comes back. */
Test(standin_graphs, streams_join_a_capture)
{
    cudaStream_t other;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    size_t count = 0;

    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&join, cudaEventDisableTiming);
    cr_assert_eq(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
    launch_add(stream, 1);
    cudaEventRecord(fork, stream);
    cudaStreamWaitEvent(other, fork, 0);
    launch_add(other, 10);
    cudaEventRecord(join, other);
    cudaStreamWaitEvent(stream, join, 0);
    launch_add(stream, 100);
    cr_assert_eq(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    cr_assert(cudaGraphGetNodes(graph, NULL, &count) == cudaSuccess && count == 3);
    cr_assert_eq(word_of(0), 0);
    cr_assert_eq(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
    cr_assert_eq(cudaGraphLaunch(executable, stream), cudaSuccess);
    cudaStreamSynchronize(stream);
    cr_assert_eq(word_of(N - 1), 111);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    cudaEventDestroy(fork);
    cudaEventDestroy(join);
    cudaStreamDestroy(other);
}

/* Node by node: copies of the host's memory, which is the program's at each launch; and other parameters
 * later. */
Test(standin_graphs, nodes_are_made_and_changed)
{
    cudaGraph_t graph;
    cudaGraphNode_t set, copy;
    cudaGraphExec_t executable;
    uint32_t *host = malloc(N * sizeof *host), back[4];
    const struct cudaMemsetParams memset_params = {
        .dst = words, .value = 3, .elementSize = 4, .width = N, .height = 1};

    cr_assert_eq(cudaGraphCreate(&graph, 0), cudaSuccess);
    cr_assert_eq(cudaGraphAddMemsetNode(&set, graph, NULL, 0, &memset_params), cudaSuccess);
    cr_assert_eq(cudaGraphAddMemcpyNode1D(&copy, graph, &set, 1, host, words, N * sizeof *words,
                                          cudaMemcpyDeviceToHost),
                 cudaSuccess);
    cr_assert_eq(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
    cr_assert_eq(cudaGraphLaunch(executable, stream), cudaSuccess);
    cudaStreamSynchronize(stream);
    cr_assert(host[0] == 3 && host[N - 1] == 3);
    cr_assert_eq(cudaGraphExecMemcpyNodeSetParams1D(executable, copy, back, words, sizeof back,
                                                    cudaMemcpyDeviceToHost),
                 cudaSuccess);
    memset(host, 0, N * sizeof *host);
    cr_assert_eq(cudaGraphLaunch(executable, stream), cudaSuccess);
    cudaStreamSynchronize(stream);
    cr_assert(back[3] == 3 && host[0] == 0);
    free(host);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
}

Test(standin_graphs, wrong_ends_of_a_capture_are_errors)
{
    cudaGraph_t graph;
    cudaStream_t other;
    enum cudaStreamCaptureStatus status;

    cr_assert_neq(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    cudaStreamCreate(&other);
    cr_assert_eq(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
    cr_assert_neq(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
    cr_assert(cudaStreamIsCapturing(other, &status) == cudaSuccess && status == cudaStreamCaptureStatusNone);
    cr_assert(cudaStreamIsCapturing(stream, &status) == cudaSuccess &&
              status == cudaStreamCaptureStatusActive);
    cr_assert_neq(cudaStreamEndCapture(other, &graph), cudaSuccess);
    cr_assert_eq(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    cudaGraphDestroy(graph);
    cr_assert_eq(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
    launch_add(stream, 1);
    cr_assert_eq(cudaStreamDestroy(stream), cudaSuccess); /* it captures still */
    cudaStreamDestroy(other);
    cr_assert_eq(word_of(0), 0);
}

/* What was freed in a stream is allocated again; a wait gives back all above the threshold. */
Test(standin_graphs, a_pool_keeps_what_its_threshold_allows)
{
    cudaMemPool_t pool;
    uint64_t kept = UINT64_MAX, threshold = 1;
    size_t free_before, free_now, total;
    void *first, *second;

    cr_assert_eq(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
    cr_assert_eq(cudaMemGetInfo(&free_before, &total), cudaSuccess);
    for (int keep = 0; keep < 2; keep++) {
        if (keep)
            cr_assert_eq(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept), cudaSuccess);
        cr_assert_eq(cudaMallocAsync(&first, 1 << 20, stream), cudaSuccess);
        cr_assert_eq(cudaFreeAsync(first, stream), cudaSuccess);
        cr_assert_eq(cudaMallocAsync(&second, 1 << 20, stream), cudaSuccess);
        cr_assert_eq(first, second);
        cr_assert_eq(cudaFreeAsync(second, stream), cudaSuccess);
        cr_assert_eq(cudaStreamSynchronize(stream), cudaSuccess);
        cr_assert_eq(cuMemPoolGetAttribute((CUmemoryPool)pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold),
                     CUDA_SUCCESS);
        cr_expect_eq(threshold, keep ? UINT64_MAX : 0, "%d: %llu", keep, (unsigned long long)threshold);
    }
    cr_assert_eq(cuMemPoolGetAttribute((CUmemoryPool)pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &threshold),
                 CUDA_ERROR_NOT_SUPPORTED, "it is not counted, and 0 is wrong");
    cr_assert_eq(cudaMemPoolTrimTo(pool, 0), cudaSuccess);
    cr_assert_eq(cudaMemGetInfo(&free_now, &total), cudaSuccess);
    cr_assert_eq(free_now, free_before);
    cr_assert_eq(cudaFreeAsync(first, stream), cudaErrorInvalidValue, "freed twice");
}
#else
#include "tests/no_standin.h"
#endif
