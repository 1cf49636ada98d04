// The calls of a host that copies eight chunks of an array to the device, computes there and copies back: one thread
// writes them down, at most 256, and the workload issues them in this order. Here each chunk has a stream of its own.
//
// Chunks are 0 to 7. Streams are 1 to 8, as cudaStreamCreate makes them; 0 is the default stream.
enum call {
    PINNED = 1, // the arrays of the host are pinned (cudaMallocHost); without it pageable (malloc)
    UPLOAD,     // chunks first to last to the device, in one copy (cudaMemcpyAsync)
    COMPUTE,    // one kernel for these chunks
    DOWNLOAD,   // their results to the host, in one copy
    WAIT,       // what follows in the stream waits for what the stream `first` has so far (an event)
    SYNCHRONIZE // the host waits for all streams
};

static __device__ void issue(uint4 *&calls, call what, unsigned stream = 0, unsigned first = 0,
                             unsigned last = 0)
{
    *calls++ = make_uint4(what, stream, first, last);
}

extern "C" __global__ void host_calls(uint4 *calls)
{
    issue(calls, PINNED);
    for (unsigned chunk = 0; chunk < 8; chunk++) {
        issue(calls, UPLOAD, chunk + 1, chunk, chunk);
        issue(calls, COMPUTE, chunk + 1, chunk, chunk);
        issue(calls, DOWNLOAD, chunk + 1, chunk, chunk);
    }
}
// SPDX-License-Identifier: Apache-2.0
