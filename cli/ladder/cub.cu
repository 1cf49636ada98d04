// The routines of CUB that the ladders end with: CUDA C++, compiled by nvcc for this file alone. The runtime
// API works in the context that is current, which is the one of workloads/cuda/cuda.c: the device's primary
// context.
extern "C" {
#include "cli/ladder/ladder.h"
}

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

static enum status refuse(cudaError_t result, const char *what, struct error *error)
{
    return error_set(error, STATUS_DEVICE, "CUB's %s failed: %s.", what, cudaGetErrorString(result));
}

// CUB asks for room first, and works when it is called again with that much.
template <typename Routine>
static enum status with_room(const char *what, struct error *error, Routine routine)
{
    void *room = nullptr;
    size_t bytes = 0;
    cudaError_t result = routine(room, bytes), freed;

    if (result == cudaSuccess)
        result = cudaMalloc(&room, bytes);
    if (result == cudaSuccess)
        result = routine(room, bytes);
    freed = cudaFree(room); // waits for the device
    if (result == cudaSuccess)
        result = freed;
    return result == cudaSuccess ? STATUS_OK : refuse(result, what, error);
}

struct below {
    unsigned limit;
    __device__ bool operator()(unsigned word) const
    {
        return word < limit;
    }
};

extern "C" enum status ladder_cub(const struct library_call *call, struct error *error)
{
    const unsigned *in = reinterpret_cast<const unsigned *>(*call->in);
    unsigned *out = reinterpret_cast<unsigned *>(*call->out);
    const int n = static_cast<int>(call->n);

    switch (call->routine) {
    case LIBRARY_REDUCE:
        return with_room("sum", error, [=](void *room, size_t &bytes) {
            return cub::DeviceReduce::Sum(room, bytes, in, out, n);
        });
    case LIBRARY_SCAN:
        return with_room("scan", error, [=](void *room, size_t &bytes) {
            return cub::DeviceScan::ExclusiveSum(room, bytes, in, out, n);
        });
    case LIBRARY_SELECT:
        return with_room("selection", error, [=](void *room, size_t &bytes) {
            unsigned *count = reinterpret_cast<unsigned *>(*call->other);
            return cub::DeviceSelect::If(room, bytes, in, out, count, n, below{call->limit});
        });
    case LIBRARY_SORT:
        return with_room("sort", error, [=](void *room, size_t &bytes) {
            return cub::DeviceRadixSort::SortKeys(room, bytes, in, out, n, 0, static_cast<int>(call->bits));
        });
    case LIBRARY_HISTOGRAM:
        return with_room("histogram", error, [=](void *room, size_t &bytes) {
            return cub::DeviceHistogram::HistogramEven(room, bytes, in, out, static_cast<int>(call->bins) + 1,
                                                       0u, call->bins, n);
        });
    default: return error_set(error, STATUS_UNSUPPORTED, "CUB has no such routine.");
    }
}
// SPDX-License-Identifier: Apache-2.0
