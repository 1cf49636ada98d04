/* graph [REPLAYS [NODES]]: a graph captured from a stream, replayed. */
#include "program.h"

int main(int argc, char **argv)
{
    unsigned replays = argc > 1 ? (unsigned)atol(argv[1]) : 10000,
             nodes = argc > 2 ? (unsigned)atol(argv[2]) : 20;
    unsigned *counter = new_counter();
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (unsigned i = 0; i < nodes; i++)
        count_up<<<1, 32, 0, stream>>>(counter);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    for (unsigned i = 0; i < replays; i++)
        CHECK(cudaGraphLaunch(executable, stream));
    CHECK(cudaStreamSynchronize(stream));
    expect(counter, 32 * nodes * replays);
    printf("launched %u nodes\n", nodes * replays);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
