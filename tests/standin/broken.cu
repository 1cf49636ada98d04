/* A program with one defect, by its argument. It ignores every error but what it prints at its end. */
#include <cassert>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__global__ void write_past(int *values)
{
    values[blockIdx.x * blockDim.x + threadIdx.x] = 1; /* line 9 */
}

__global__ void write_misaligned(char *bytes)
{
    *reinterpret_cast<int *>(bytes + 1 + 4 * threadIdx.x) = 1;
}

__global__ void race(int *values)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    values[threadIdx.x] = tile[63 - threadIdx.x]; /* line 21 */
}

__global__ void read_unwritten(const int *values, int *out)
{
    out[threadIdx.x] = values[threadIdx.x]; /* line 26 */
}

__global__ void stop()
{
    __trap();
}

__global__ void spin(volatile int *values)
{
    while (values[0] == 0) {
    }
}

__global__ void run_on(volatile int *values)
{
    for (;;)
        values[threadIdx.x]++;
}

__global__ void insist(int *values)
{
    assert(values[threadIdx.x] == 1); /* line 48 */
}

__global__ void reserve(int *values)
{
    unsigned long long there;
    asm volatile("alloca.u64 %0, 16;" : "=l"(there));
    values[threadIdx.x] = (int)there;
}

__attribute__((noinline)) static int sum_on_host(const int *values, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += values[i]; /* line 62 */
    return sum;
}

/* On a GPU too the host ends by a fault. What is the host's is not touched by that. */
static void access_on_host(const char *defect, int *values)
{
    int here[4] = {1, 2, 3, 4}, *managed = nullptr;
    if (std::strcmp(defect, "host-reads") == 0)
        std::printf("%d\n", sum_on_host(values, 10));
    else if (std::strcmp(defect, "host-writes") == 0)
        values[999] = 1; /* line 73 */
    else if (std::strcmp(defect, "host-copies") == 0)
        std::memcpy(here, values, sizeof here); /* line 75 */
    else if (std::strcmp(defect, "host-frees") == 0)
        std::free(values);
    else if (std::strcmp(defect, "host-after") == 0) {
        cudaFree(values);
        std::printf("%d\n", sum_on_host(values, 10));
    } else if (std::strcmp(defect, "host-null") == 0)
        *(volatile int *)(size_t)here[3] = 1;
    cudaMallocManaged(&managed, sizeof here);
    if (managed && cudaMemcpy(managed, here, sizeof here, cudaMemcpyDefault) == cudaSuccess &&
        sum_on_host(managed, 4) != 10)
        std::printf("managed memory is wrong\n");
    cudaFree(managed);
}

static bool is(const char *argument, const char *word)
{
    return std::strcmp(argument, word) == 0;
}

__global__ void fill(int *to)
{
    to[threadIdx.x] = 7;
}

__global__ void fill_and_tell(int *to, volatile int *done)
{
    to[threadIdx.x] = 7;
    __threadfence_system();
    if (threadIdx.x == 0)
        *done = 1;
}

/* The host uses memory that the device may still use; -waits: after it has waited. */
static void work_beside(const char *how, int *values)
{
    bool waits = std::strstr(how, "-waits");
    int *managed = nullptr, *pinned = nullptr;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMallocManaged(&managed, 8192);
    cudaMallocHost(&pinned, 8192);
    for (int i = 0; i < 2048; i++)
        managed[i] = pinned[i] = i;
    if (std::strncmp(how, "-kernel", 7) == 0) {
        fill<<<1, 32>>>(managed);
        if (waits)
            cudaDeviceSynchronize();
        std::printf("%d\n", managed[3]);
    } else if (std::strncmp(how, "-elsewhere", 10) == 0) { /* other bytes of the same page */
        fill<<<1, 32>>>(managed);
        std::printf("%d\n", managed[40]);
    } else if (std::strncmp(how, "-tells", 6) == 0) {
        fill_and_tell<<<1, 32>>>(managed, pinned);
        while (*(volatile int *)pinned != 1) {
        }
        std::printf("%d\n", managed[3]);
    } else if (std::strncmp(how, "-copy", 5) == 0) {
        cudaMemcpyAsync(pinned, values, 4000, cudaMemcpyDeviceToHost, stream);
        if (waits)
            cudaStreamSynchronize(stream);
        std::printf("%d\n", pinned[3]);
    } else if (std::strncmp(how, "-source", 7) == 0) {
        cudaMemcpyAsync(values, pinned, 4000, cudaMemcpyHostToDevice, stream);
        if (waits)
            cudaStreamSynchronize(stream);
        pinned[3] = 4;
    } else if (std::strncmp(how, "-reads", 6) == 0) { /* both read */
        cudaMemcpyAsync(values, pinned, 4000, cudaMemcpyHostToDevice, stream);
        std::printf("%d\n", pinned[3]);
    }
    cudaDeviceSynchronize();
    cudaFree(managed);
    cudaFreeHost(pinned);
    cudaStreamDestroy(stream);
}

/* The second warp's lanes from 8 on have no threads. */
__global__ void shuffle_all(int *out)
{
    out[threadIdx.x] = __shfl_down_sync(0xffffffff, threadIdx.x, 16);
}

static int call_wrongly(const char *how, int *values)
{
    int here[4] = {0};
    cudaError_t code = cudaMemcpy(values, here, sizeof here, cudaMemcpyDeviceToHost);
    if (std::strcmp(how, "-asked") == 0)
        code = cudaGetLastError();
    else if (std::strcmp(how, "-named") == 0)
        std::printf("%s\n", cudaGetErrorString(code));
    else if (std::strcmp(how, "-ended") == 0)
        return 3;
    cudaFree(values);
    return 0;
}

int main(int argc, char **argv)
{
    const char *defect = argc > 1 ? argv[1] : "none";
    int *values = nullptr, *more = nullptr, seen[32];

    cudaMalloc(&values, 1000 * sizeof *values);
    cudaMalloc(&more, 1000 * sizeof *more);
    if (!is(defect, "unwritten") && !is(defect, "handed"))
        cudaMemset(values, 0, 1000 * sizeof *values);
    if (is(defect, "past"))
        write_past<<<4, 256>>>(values);
    else if (is(defect, "misaligned"))
        write_misaligned<<<1, 32>>>(reinterpret_cast<char *>(values));
    else if (is(defect, "race"))
        race<<<1, 64>>>(values);
    else if (is(defect, "unwritten"))
        read_unwritten<<<1, 32>>>(values, more), cudaMemcpy(seen, more, sizeof seen, cudaMemcpyDeviceToHost);
    else if (is(defect, "null")) { /* nothing is allocated */
        cudaFree(more), cudaFree(values);
        write_past<<<1, 32>>>(nullptr);
    } else if (is(defect, "shuffle"))
        shuffle_all<<<1, 40>>>(values), cudaMemcpy(seen, values + 8, sizeof seen, cudaMemcpyDeviceToHost);
    else if (is(defect, "handed")) { /* from one kernel to another */
        race<<<1, 64>>>(values);
        read_unwritten<<<1, 32>>>(values, more), cudaMemcpy(seen, more, sizeof seen, cudaMemcpyDeviceToHost);
    } else if (is(defect, "trap"))
        stop<<<1, 32>>>();
    else if (is(defect, "spin"))
        spin<<<1, 1>>>(values);
    else if (is(defect, "spin-host")) { /* work for a GPU, not for the model */
        int *latch = nullptr;
        cudaMallocManaged(&latch, sizeof *latch);
        *latch = 0;
        spin<<<1, 1>>>(latch);
        *latch = 1;
    } else if (is(defect, "endless"))
        run_on<<<1, 32>>>(values);
    else if (is(defect, "endless-blocks"))
        run_on<<<264, 32>>>(values);
    else if (is(defect, "assert"))
        insist<<<1, 2>>>(values);
    else if (is(defect, "stack"))
        reserve<<<1, 32>>>(values);
    else if (is(defect, "small")) { /* the stand-in writes behind the host's memory */
        char *small = static_cast<char *>(std::malloc(16));
        cudaMemcpy(small, values, 100, cudaMemcpyDeviceToHost);
        std::free(small);
    } else if (is(defect, "copied") || is(defect, "copied-partly")) {
        static int to[1000];
        int *raw = nullptr;
        cudaMalloc(&raw, sizeof to);
        if (is(defect, "copied-partly"))
            cudaMemset(raw + 999, 0, sizeof *raw);
        cudaMemcpy(to, raw, sizeof to, cudaMemcpyDeviceToHost);
        cudaFree(raw);
    } else if (is(defect, "absent"))
        cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTargetCurrentDevice,
                                           cudaFlushGPUDirectRDMAWritesToOwner);
    access_on_host(defect, values);
    if (std::strncmp(defect, "beside", 6) == 0)
        work_beside(defect + 6, values);
    if (std::strncmp(defect, "failed", 6) == 0)
        return call_wrongly(defect + 6, values);
    cudaError_t launched = cudaGetLastError(), waited = cudaDeviceSynchronize(), freed = cudaFree(values);
    std::printf("%s %s %s %s\n", cudaGetErrorName(launched), cudaGetErrorName(waited),
                cudaGetErrorName(freed), cudaGetErrorName(cudaGetLastError()));
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
