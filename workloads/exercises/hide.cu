// 8 chunks of an array are copied to the device, computed there and copied back: one after the other, so that
// the device computes for a small part of the time. host_calls writes down what the host calls, in this order,
// at most 256 calls; each chunk needs each of the three steps once.
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
    issue(calls, UPLOAD, 1, 0, 7);
    issue(calls, COMPUTE, 1, 0, 7);
    issue(calls, DOWNLOAD, 1, 0, 7);
}
