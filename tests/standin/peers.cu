/* A program for two GPUs. `peers` checks what belongs to each of them and what they reach of each other;
 * `far` reads memory of the other GPU without access to it. */
#include <cstdio>
#include <cstring>

__device__ int of_gpu;

__global__ void add_to(int *to, const int *from, int more)
{
    to[threadIdx.x] = from[threadIdx.x] + more;
}

__global__ void set_own(int value)
{
    of_gpu = value;
}

__global__ void spin(long long cycles)
{
    const long long start = clock64();
    while (clock64() - start < cycles)
        ;
}

static int failed(const char *what, int line)
{
    printf("%s:%d: %s, %s\n", __FILE__, line, what, cudaGetErrorString(cudaPeekAtLastError()));
    return 1;
}
#define TRUE(condition) \
    if (!(condition))   \
    return failed(#condition, __LINE__)
#define FINE(call) TRUE((call) == cudaSuccess)

static int memory_of(int gpu, int **pointer)
{
    cudaPointerAttributes facts;

    FINE(cudaSetDevice(gpu));
    FINE(cudaMalloc(pointer, 32 * sizeof **pointer));
    FINE(cudaMemset(*pointer, 0, 32 * sizeof **pointer));
    FINE(cudaPointerGetAttributes(&facts, *pointer));
    TRUE(facts.device == gpu && facts.type == cudaMemoryTypeDevice);
    return 0;
}

/* Each GPU has variables of its own. */
static int variables()
{
    for (int gpu = 0; gpu < 2; gpu++) {
        FINE(cudaSetDevice(gpu));
        set_own<<<1, 1>>>(10 + gpu);
        FINE(cudaDeviceSynchronize());
    }
    for (int gpu = 0, value = 0; gpu < 2; gpu++) {
        FINE(cudaSetDevice(gpu));
        FINE(cudaMemcpyFromSymbol(&value, of_gpu, sizeof value));
        TRUE(value == 10 + gpu);
    }
    return 0;
}

/* They work at the same time: both have ended long before one would have done the work of both. */
static int times()
{
    cudaStream_t streams[2];
    cudaEvent_t begin, end[2];
    float ms[2];

    for (int gpu = 0; gpu < 2; gpu++) {
        FINE(cudaSetDevice(gpu));
        FINE(cudaStreamCreate(&streams[gpu]));
        FINE(cudaEventCreate(&end[gpu]));
    }
    FINE(cudaEventCreate(&begin));
    for (int both = 0; both < 2; both++) {
        FINE(cudaEventRecord(begin, streams[0]));
        for (int gpu = 0; gpu <= both; gpu++) {
            FINE(cudaSetDevice(gpu));
            spin<<<132 * 2, 32, 0, streams[gpu]>>>(200000);
        }
        FINE(cudaEventRecord(end[1], streams[both]));
        FINE(cudaStreamWaitEvent(streams[0], end[1], 0));
        FINE(cudaEventRecord(end[0], streams[0]));
        FINE(cudaEventSynchronize(end[0]));
        FINE(cudaEventElapsedTime(&ms[both], begin, end[0]));
    }
    TRUE(ms[0] > 0.01f && ms[1] >= ms[0] && ms[1] < 1.5f * ms[0]);
    return 0;
}

static int peers(int *here, int *there)
{
    int can, values[32];

    FINE(cudaDeviceCanAccessPeer(&can, 1, 0));
    TRUE(can == 1);
    FINE(cudaDeviceCanAccessPeer(&can, 1, 1));
    TRUE(can == 0);
    FINE(cudaSetDevice(1));
    FINE(cudaDeviceEnablePeerAccess(0, 0));
    TRUE(cudaDeviceEnablePeerAccess(0, 0) == cudaErrorPeerAccessAlreadyEnabled);
    cudaGetLastError();
    add_to<<<1, 32>>>(there, here, 1);
    FINE(cudaMemcpyPeer(here, 0, there, 1, 32 * sizeof *here));
    FINE(cudaMemcpy(values, here, sizeof values, cudaMemcpyDefault));
    for (int value : values)
        TRUE(value == 1);
    FINE(cudaDeviceDisablePeerAccess(0));
    TRUE(cudaDeviceDisablePeerAccess(0) == cudaErrorPeerAccessNotEnabled);
    cudaGetLastError();
    return 0;
}

int main(int count, char **arguments)
{
    int gpus = 0, now = -1, *here, *there;
    cudaDeviceProp facts[2];

    FINE(cudaGetDeviceCount(&gpus));
    TRUE(gpus == 2);
    TRUE(cudaSetDevice(2) == cudaErrorInvalidDevice);
    cudaGetLastError();
    FINE(cudaGetDeviceProperties(&facts[0], 0));
    FINE(cudaGetDeviceProperties(&facts[1], 1));
    TRUE(memcmp(&facts[0].uuid, &facts[1].uuid, sizeof facts[0].uuid) != 0);
    TRUE(facts[0].pciBusID != facts[1].pciBusID);
    if (memory_of(0, &here) || memory_of(1, &there))
        return 1;
    FINE(cudaGetDevice(&now));
    TRUE(now == 1);
    if (count == 2 && strcmp(arguments[1], "far") == 0) {
        add_to<<<1, 32>>>(there, here, 1);
        TRUE(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
        return 0;
    }
    if (variables() || times() || peers(here, there))
        return 1;
    puts("peers: fine");
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
