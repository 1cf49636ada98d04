/* The runtime API of a program of somebody's, but its graphs (graphs.cu). */
#include "case.h"

#include <cooperative_groups.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

__global__ void __launch_bounds__(256) reverse(int *values)
{
    extern __shared__ int tile[];
    tile[threadIdx.x] = values[threadIdx.x];
    __syncthreads();
    values[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

__constant__ int factors[4];
__device__ int total;
__device__ __managed__ int shared_by_both = 5;

__global__ void weigh(const int *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&total, values[i] * factors[i % 4]);
}

__global__ void raise()
{
    shared_by_both += 37;
}

static void launch_kernels()
{
    const int n = 10000;
    float *a, *b, *c;
    std::vector<float> host(n);

    CALL(cudaMalloc(&a, n * sizeof *a));
    CALL(cudaMalloc(&b, n * sizeof *b));
    CALL(cudaMalloc(&c, n * sizeof *c));
    fill<<<4, 128>>>(a, 1.0f, n);
    fill<<<4, 128>>>(b, 2.0f, n);
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
    CALL(cudaGetLastError());
    CALL(cudaMemcpy(host.data(), c, n * sizeof *c, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        MUST(host[i] == 3.0f + 2.0f * i);
    CALL(cudaFree(a));
    CALL(cudaFree(b));
    CALL(cudaFree(c));
    CALL(cudaFree(nullptr));

    int *values, first = 7, count = 64, back[64];
    void *arguments[] = {&values, &first, &count};
    CALL(cudaMalloc(&values, sizeof back));
    CALL(cudaLaunchKernel((const void *)fill<int>, dim3(1), dim3(64), arguments, 0, nullptr));
    reverse<<<1, 64, 64 * sizeof(int)>>>(values);
    CALL(cudaMemcpy(back, values, sizeof back, cudaMemcpyDefault));
    for (int i = 0; i < 64; i++)
        MUST(back[i] == 7 + 63 - i);
    CALL(cudaFree(values));
}

static void copy_memory()
{
    const int width = 10, height = 7;
    int from[height][width], to[height][width], *linear;
    size_t pitch;
    char *pitched;

    for (int i = 0; i < width * height; i++)
        from[0][i] = i;
    CALL(cudaMallocPitch(&pitched, &pitch, width * sizeof(int), height));
    MUST(pitch >= width * sizeof(int) && pitch % 32 == 0);
    CALL(cudaMemset2D(pitched, pitch, 0xff, width * sizeof(int), height));
    CALL(cudaMemcpy2D(to, width * sizeof(int), pitched, pitch, width * sizeof(int), height,
                      cudaMemcpyDeviceToHost));
    MUST(to[0][0] == -1 && to[height - 1][width - 1] == -1);
    CALL(cudaMemcpy2D(pitched, pitch, from, width * sizeof(int), width * sizeof(int), height,
                      cudaMemcpyHostToDevice));
    CALL(cudaMalloc(&linear, sizeof from));
    CALL(cudaMemcpy2D(linear, width * sizeof(int), pitched, pitch, width * sizeof(int), height,
                      cudaMemcpyDeviceToDevice));
    CALL(cudaMemcpy(to, linear, sizeof to, cudaMemcpyDeviceToHost));
    MUST(std::memcmp(from, to, sizeof to) == 0);
    MUST(cudaMemcpy2D(linear, 4, pitched, pitch, 8, height, cudaMemcpyDeviceToDevice) ==
         cudaErrorInvalidPitchValue);
    CALL(cudaMemset(linear, 0, sizeof from));
    CALL(cudaMemcpy(to, linear, sizeof to, cudaMemcpyDeviceToHost));
    MUST(to[3][3] == 0);

    cudaPointerAttributes facts;
    CALL(cudaPointerGetAttributes(&facts, linear + 3));
    MUST(facts.type == cudaMemoryTypeDevice && facts.device == 0 && facts.devicePointer == linear + 3);
    CALL(cudaPointerGetAttributes(&facts, from));
    MUST(facts.type == cudaMemoryTypeUnregistered);
    CALL(cudaFree(linear));
    CALL(cudaFree(pitched));
    size_t free_bytes, total_bytes;
    CALL(cudaMemGetInfo(&free_bytes, &total_bytes));
    MUST(free_bytes <= total_bytes && total_bytes > (size_t(1) << 30));
}

static void copy_symbols()
{
    const int weights[4] = {1, 10, 100, 1000};
    int values[8] = {1, 2, 3, 4, 5, 6, 7, 8}, *on_device, zero = 0, sum = 0;
    void *address;
    size_t bytes;

    CALL(cudaMemcpyToSymbol(factors, weights, sizeof weights));
    CALL(cudaMemcpyToSymbol(factors, &zero, sizeof zero, 3 * sizeof zero));
    CALL(cudaMemcpyToSymbol(total, &zero, sizeof zero));
    CALL(cudaMalloc(&on_device, sizeof values));
    CALL(cudaMemcpy(on_device, values, sizeof values, cudaMemcpyHostToDevice));
    weigh<<<1, 8>>>(on_device, 8);
    CALL(cudaMemcpyFromSymbol(&sum, total, sizeof sum));
    MUST(sum == 1 + 20 + 300 + 5 + 60 + 700);
    CALL(cudaGetSymbolAddress(&address, total));
    CALL(cudaGetSymbolSize(&bytes, total));
    MUST(bytes == sizeof(int));
    sum = 0;
    CALL(cudaMemcpy(&sum, address, sizeof sum, cudaMemcpyDeviceToHost));
    MUST(sum == 1086);
    MUST(cudaMemcpyToSymbol(factors, weights, sizeof weights, 4) == cudaErrorInvalidValue);
    CALL(cudaFree(on_device));
}

static void use_host_memory()
{
    int *managed, *pinned, *mapped, *seen, *registered = static_cast<int *>(std::malloc(1 << 16));

    MUST(shared_by_both == 5);
    raise<<<1, 1>>>();
    CALL(cudaDeviceSynchronize());
    MUST(shared_by_both == 42);
    CALL(cudaMallocManaged(&managed, 1000 * sizeof(int)));
    managed[999] = 3;
    fill<<<1, 32>>>(managed, 0, 999);
    CALL(cudaDeviceSynchronize());
    MUST(managed[998] == 998 && managed[999] == 3);
    CALL(cudaMallocHost(&pinned, 4096));
    CALL(cudaMemcpy(pinned, managed, 4000, cudaMemcpyDefault));
    MUST(pinned[998] == 998);
    size_t before, after, total_bytes;
    CALL(cudaMemGetInfo(&before, &total_bytes));
    CALL(cudaHostAlloc(&mapped, 4096, cudaHostAllocMapped));
    CALL(cudaMemGetInfo(&after, &total_bytes));
    MUST(after == before); /* it is the host's memory */
    CALL(cudaHostGetDevicePointer(&seen, mapped, 0));
    fill<<<1, 32>>>(seen, 50, 1000);
    CALL(cudaDeviceSynchronize());
    MUST(mapped[10] == 60);
    CALL(cudaHostRegister(registered, 1 << 16, cudaHostRegisterDefault));
    CALL(cudaMemcpy(registered, managed, 4000, cudaMemcpyDeviceToHost));
    MUST(registered[5] == 5);
    CALL(cudaHostUnregister(registered));
    CALL(cudaFreeHost(pinned));
    CALL(cudaFreeHost(mapped));
    CALL(cudaFree(managed));
    std::free(registered);
}

static void CUDART_CB count_call(void *count)
{
    ++*static_cast<int *>(count);
}

static void use_streams()
{
    const int n = 1 << 16;
    cudaStream_t streams[2];
    cudaEvent_t start, end, none;
    float *device, ms = -1;
    int calls = 0;

    CALL(cudaMalloc(&device, n * sizeof *device));
    CALL(cudaStreamCreate(&streams[0]));
    CALL(cudaStreamCreateWithFlags(&streams[1], cudaStreamNonBlocking));
    CALL(cudaEventCreate(&start));
    CALL(cudaEventCreate(&end));
    CALL(cudaEventRecord(start, streams[0]));
    fill<<<64, 256, 0, streams[0]>>>(device, 0.5f, n);
    CALL(cudaEventRecord(end, streams[0]));
    CALL(cudaStreamWaitEvent(streams[1], end, 0));
    CALL(cudaLaunchHostFunc(streams[1], count_call, &calls));
    CALL(cudaStreamSynchronize(streams[1]));
    MUST(calls == 1);
    CALL(cudaEventSynchronize(end));
    CALL(cudaEventQuery(end));
    CALL(cudaStreamQuery(streams[0]));
    CALL(cudaEventElapsedTime(&ms, start, end));
    MUST(ms > 0 && ms < 10);
    CALL(cudaEventCreateWithFlags(&none, cudaEventDisableTiming));
    MUST(cudaEventElapsedTime(&ms, start, none) == cudaErrorInvalidResourceHandle);
    MUST(cudaGetLastError() == cudaErrorInvalidResourceHandle && cudaGetLastError() == cudaSuccess);
    CALL(cudaEventDestroy(none));
    CALL(cudaEventDestroy(start));
    CALL(cudaEventDestroy(end));
    CALL(cudaStreamDestroy(streams[0]));
    CALL(cudaStreamDestroy(streams[1]));
    CALL(cudaFree(device));
}

static void ask_the_device()
{
    cudaDeviceProp facts;
    cudaFuncAttributes kernel;
    int count, device, warp, blocks, grid, block, overlap, layers;
    const char *name;

    CALL(cudaGetDeviceCount(&count));
    CALL(cudaGetDevice(&device));
    MUST(count == 1 && device == 0);
    CALL(cudaSetDevice(0));
    CALL(cudaGetDeviceProperties(&facts, 0));
    MUST(std::strstr(facts.name, "H200") && facts.major == 9 && facts.minor == 0 &&
         facts.multiProcessorCount == 132);
    CALL(cudaDeviceGetAttribute(&overlap, cudaDevAttrGpuOverlap, 0));
    CALL(cudaDeviceGetAttribute(&layers, cudaDevAttrMaxTexture2DLayeredLayers, 0));
    MUST(overlap == 1 && layers == 2048);
    MUST(facts.streamPrioritiesSupported == 1 && facts.clusterLaunch == 1);
    MUST(facts.hostRegisterSupported == 1);
    CALL(cudaDeviceGetAttribute(&overlap, cudaDevAttrStreamPrioritiesSupported, 0));
    MUST(overlap == 1);
    CALL(cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 0));
    MUST(warp == 32);
    MUST(cudaSetDevice(1) == cudaErrorInvalidDevice && cudaGetLastError() == cudaErrorInvalidDevice);
    CALL(cudaFuncGetName(&name, (const void *)reverse));
    MUST(std::strstr(name, "reverse") != nullptr);
    CALL(cudaFuncGetAttributes(&kernel, reverse));
    MUST(kernel.maxThreadsPerBlock == 256 && kernel.numRegs > 0 && kernel.sharedSizeBytes == 0);
    MUST(kernel.constSizeBytes == sizeof factors);
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 256, 0));
    MUST(blocks == 8);
    CALL(cudaOccupancyMaxPotentialBlockSize(&grid, &block, add, 0, 0));
    MUST(grid >= 132 && block >= 256);
    CALL(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
    MUST(std::strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation") == 0);
    MUST(std::strcmp(cudaGetErrorString(cudaSuccess), "no error") == 0);
}

static void launch_from_threads()
{
    std::vector<std::thread> threads;
    int results[4] = {};

    for (int t = 0; t < 4; t++) {
        threads.emplace_back([t, &results] {
            int *device, back = -1;
            for (int round = 0; round < 20; round++) {
                CALL(cudaMalloc(&device, 512 * sizeof *device));
                fill<<<2, 64>>>(device, t * 1000 + round, 512);
                CALL(cudaMemcpy(&back, device + 511, sizeof back, cudaMemcpyDeviceToHost));
                MUST(back == t * 1000 + round + 511);
                CALL(cudaFree(device));
            }
            results[t] = 1;
        });
    }
    for (auto &thread : threads)
        thread.join();
    MUST(results[0] + results[1] + results[2] + results[3] == 4);
}

static void fork_a_child()
{
    int *device, status;

    CALL(cudaMalloc(&device, 64));
    pid_t child = fork();
    if (child == 0) {
        cudaError_t code = cudaMalloc(&device, 64);
        _exit(code == cudaErrorInitializationError ? 7 : 8);
    }
    MUST(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
    fill<<<1, 16>>>(device, 0, 16);
    CALL(cudaDeviceSynchronize());
}

/* Wrong calls that a program may go on after. */
static void recover_from_errors()
{
    int *device, *many;

    CALL(cudaMalloc(&device, 1024));
    fill<<<1, 2048>>>(device, 0, 4);
    MUST(cudaPeekAtLastError() == cudaErrorInvalidValue);
    MUST(cudaGetLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaSuccess);
    MUST(cudaMalloc(&many, size_t(1) << 50) == cudaErrorMemoryAllocation);
    MUST(cudaGetLastError() == cudaErrorMemoryAllocation);
    MUST(cudaFree(device + 1) == cudaErrorInvalidValue && cudaGetLastError() == cudaErrorInvalidValue);
    MUST(cudaMemcpy(device, device, 4096, cudaMemcpyDeviceToDevice) == cudaErrorInvalidValue);
    MUST(cudaGetLastError() == cudaErrorInvalidValue);
    fill<<<1, 32>>>(device, 0, 4);
    CALL(cudaDeviceSynchronize());
    CALL(cudaFree(device));
}

__global__ void print_and_allocate(int **kept)
{
    kept[threadIdx.x] = static_cast<int *>(malloc(64));
    kept[threadIdx.x][3] = threadIdx.x;
    printf("thread %d of %s: %.2f\n", threadIdx.x, "two", 0.5 + threadIdx.x);
}

__global__ void sum_and_free(int **kept, int *sum)
{
    for (int i = 0; i < 2; i++) {
        *sum += kept[i][3];
        free(kept[i]);
    }
}

/* What kernels print stands between what the host prints. */
static void print_from_kernels()
{
    int **kept, *sum;
    size_t heap;

    CALL(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    MUST(heap == 8 << 20);
    CALL(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 24));
    CALL(cudaMallocManaged(&kept, 2 * sizeof *kept));
    CALL(cudaMallocManaged(&sum, sizeof *sum));
    std::printf("before\n");
    print_and_allocate<<<1, 2>>>(kept);
    CALL(cudaDeviceSynchronize());
    std::printf("after\n");
    sum_and_free<<<1, 1>>>(kept, sum);
    CALL(cudaDeviceSynchronize());
    MUST(*sum == 1);
}

/* Each block adds what all blocks wrote before the barrier. */
__global__ void exchange(int *values, int *sums)
{
    if (threadIdx.x == 0)
        values[blockIdx.x] = blockIdx.x + 1;
    cooperative_groups::this_grid().sync();
    if (threadIdx.x == 0)
        for (unsigned i = 0; i < gridDim.x; i++)
            sums[blockIdx.x] += values[i];
}

static void wait_for_the_grid()
{
    int *values, *sums, supported = 0;
    void *arguments[] = {&values, &sums};

    CALL(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
    MUST(supported == 1);
    CALL(cudaMallocManaged(&values, 40 * sizeof *values));
    CALL(cudaMallocManaged(&sums, 40 * sizeof *sums));
    CALL(cudaLaunchCooperativeKernel((const void *)exchange, dim3(40), dim3(64), arguments, 0, nullptr));
    CALL(cudaDeviceSynchronize());
    MUST(sums[0] == 820 && sums[39] == 820);
    MUST(cudaLaunchCooperativeKernel((const void *)exchange, dim3(1 << 20), dim3(64), arguments, 0,
                                     nullptr) == cudaErrorCooperativeLaunchTooLarge);
}

/* From lane + 16, with a mask of lanes 0 to 7 alone. kind 0: the others skip it; 1: they execute it with a
 * mask of their own; 2: they have ended. */
__global__ void shuffle_from_outside(int *values, int kind)
{
    int value = threadIdx.x * 1000 + 7;
    asm volatile("" : "+r"(value));
    if (kind == 1) {
        value = __shfl_down_sync(threadIdx.x < 8 ? 0xffu : 0xffffff00u, value, 16);
    } else if (kind == 0) {
        if (threadIdx.x < 8)
            value = __shfl_down_sync(0xff, value, 16);
    } else {
        if (threadIdx.x >= 8)
            return;
        value = __shfl_down_sync(0xff, value, 16);
    }
    values[threadIdx.x] = value;
}

/* PTX leaves open what such a lane gets. These are an H200's values, on which programs have come to rely. */
static void shuffle_lanes()
{
    int *values, host[32];

    CALL(cudaMalloc(&values, sizeof host));
    for (int kind = 0; kind < 3; kind++) {
        shuffle_from_outside<<<1, 32>>>(values, kind);
        CALL(cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost));
        for (int i = 0; i < 8; i++)
            MUST(host[i] == (kind == 1 ? (i + 16) * 1000 + 7 : 0));
    }
}

__global__ void fetch(cudaTextureObject_t texture, float *to)
{
    to[threadIdx.x] = tex2D<float>(texture, threadIdx.x + 1.0f, 0.5f);
}

__global__ void fetch_layer(cudaTextureObject_t texture, int *to)
{
    to[threadIdx.x] = tex2DLayered<int>(texture, threadIdx.x + 0.5f, 1.5f, 1);
}

__global__ void turn(cudaSurfaceObject_t surface, int width)
{
    float value = surf2Dread<float>(surface, threadIdx.x * 4, 0);
    __syncwarp();
    surf2Dwrite(value, surface, (width - 1 - threadIdx.x) * 4, 1);
}

/* A filtered fetch between two texels, a layer of whole numbers, a row that a surface turns round. */
static void use_arrays()
{
    const int width = 32;
    float host[2 * 32], *out, got[32];
    int layers[2 * 2 * 32], *numbers, told[32];
    cudaArray_t picture, stack;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>(), asked;
    cudaExtent extent;
    unsigned flags;

    for (int i = 0; i < 2 * width; i++)
        host[i] = float(i * i);
    CALL(cudaMalloc(&out, sizeof got));
    CALL(cudaMallocArray(&picture, &format, width, 2, cudaArraySurfaceLoadStore));
    CALL(cudaArrayGetInfo(&asked, &extent, &flags, picture));
    MUST(asked.x == 32 && asked.f == cudaChannelFormatKindFloat && extent.width == 32 && extent.height == 2);
    CALL(cudaMemcpy2DToArray(picture, 0, 0, host, width * 4, width * 4, 2, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = picture;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t texture;
    CALL(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    fetch<<<1, width - 1>>>(texture, out);
    CALL(cudaMemcpy(got, out, (width - 1) * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < width - 1; i++)
        MUST(got[i] == (host[i] + host[i + 1]) / 2);
    CALL(cudaDestroyTextureObject(texture));

    cudaSurfaceObject_t surface;
    CALL(cudaCreateSurfaceObject(&surface, &resource));
    turn<<<1, width>>>(surface, width);
    CALL(cudaMemcpy2DFromArray(got, width * 4, picture, 0, 1, width * 4, 1, cudaMemcpyDeviceToHost));
    for (int i = 0; i < width; i++)
        MUST(got[i] == host[width - 1 - i]);
    CALL(cudaDestroySurfaceObject(surface));
    CALL(cudaFreeArray(picture));

    for (int i = 0; i < 4 * width; i++)
        layers[i] = 1000 - i;
    format = cudaCreateChannelDesc<int>();
    CALL(cudaMalloc3DArray(&stack, &format, make_cudaExtent(width, 2, 2), cudaArrayLayered));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(layers, width * 4, width, 2);
    copy.dstArray = stack;
    copy.extent = make_cudaExtent(width, 2, 2);
    copy.kind = cudaMemcpyHostToDevice;
    CALL(cudaMemcpy3D(&copy));
    resource.res.array.array = stack;
    how.filterMode = cudaFilterModePoint;
    CALL(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    CALL(cudaMalloc(&numbers, sizeof told));
    fetch_layer<<<1, width>>>(texture, numbers);
    CALL(cudaMemcpy(told, numbers, sizeof told, cudaMemcpyDeviceToHost));
    for (int i = 0; i < width; i++)
        MUST(told[i] == layers[3 * width + i]);
    CALL(cudaDestroyTextureObject(texture));
    CALL(cudaFreeArray(stack));
}

/* A part of a picture to another place of a second one, in two and in three dimensions. */
static void copy_arrays()
{
    const int width = 16, height = 4;
    float host[width * height], got[width * height] = {};
    cudaArray_t from, to, small;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>(), bytes = cudaCreateChannelDesc<char>();

    for (int i = 0; i < width * height; i++)
        host[i] = float(i + 1);
    CALL(cudaMallocArray(&from, &format, width, height));
    CALL(cudaMallocArray(&to, &format, width, height));
    CALL(cudaMallocArray(&small, &bytes, width, height));
    /* its handle is no address */
    MUST(cudaMemcpy(from, host, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    MUST(cudaMemcpy(host, from, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    MUST(cudaMemset(from, 0, 4) == cudaErrorInvalidValue && cudaGetLastError() == cudaErrorInvalidValue);
    CALL(cudaMemcpy2DToArray(from, 0, 0, host, width * 4, width * 4, height, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2DToArray(to, 0, 0, got, width * 4, width * 4, height, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2DArrayToArray(to, 5 * 4, 1, from, 2 * 4, 2, 3 * 4, 2, cudaMemcpyDeviceToDevice));
    cudaMemcpy3DParms move = {};
    move.srcArray = from;
    move.dstArray = to;
    move.dstPos = make_cudaPos(width - 1, 0, 0);
    move.extent = make_cudaExtent(1, 1, 1);
    move.kind = cudaMemcpyDeviceToDevice;
    CALL(cudaMemcpy3D(&move));
    CALL(cudaMemcpy2DFromArray(got, width * 4, to, 0, 0, width * 4, height, cudaMemcpyDeviceToHost));
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            float moved = y >= 1 && y < 3 && x >= 5 && x < 8 ? host[(y + 1) * width + x - 3] : 0;
            MUST(got[y * width + x] == (y == 0 && x == width - 1 ? host[0] : moved));
        }
    }
    MUST(cudaMemcpy2DArrayToArray(to, 0, 3, from, 0, 0, 4, 2, cudaMemcpyDeviceToDevice) ==
         cudaErrorInvalidValue);
    move.dstArray = small; /* texels of another size */
    MUST(cudaMemcpy3D(&move) == cudaErrorInvalidValue);
    cudaGetLastError();
    CALL(cudaFreeArray(from));
    CALL(cudaFreeArray(to));
    CALL(cudaFreeArray(small));
}

/* An H200's: 132 multiprocessors, of which each has room for 2 blocks of 1,024 threads. */
static void ask_for_clusters()
{
    int clusters = 0, size = 0, blocks = 0;
    size_t bytes = 0;
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};

    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 2;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = dim3(264);
    config.blockDim = dim3(1024);
    CALL(cudaOccupancyMaxPotentialClusterSize(&size, add, &config));
    MUST(size == 8);
    config.attrs = &attribute;
    config.numAttrs = 1;
    CALL(cudaOccupancyMaxActiveClusters(&clusters, add, &config));
    MUST(clusters == 132);
    CALL(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, add, 2, 1024));
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 1024, bytes));
    MUST(blocks == 2);
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 1024, bytes + 128));
    MUST(blocks < 2);
    MUST(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, add, 3, 1024) == cudaErrorInvalidValue);
    cudaGetLastError();
}

/* Milliseconds on the clock of the model for allocations that are made and freed ten times. */
static float time_of_allocations(bool from_pool, bool wait)
{
    cudaEvent_t begin, end;
    float *memory, ms = 0;

    CALL(cudaEventCreate(&begin));
    CALL(cudaEventCreate(&end));
    CALL(cudaDeviceSynchronize());
    CALL(cudaEventRecord(begin));
    for (int i = 0; i < 10; i++) {
        CALL(from_pool ? cudaMallocAsync(&memory, 1 << 20, nullptr) : cudaMalloc(&memory, 1 << 20));
        fill<<<1, 32>>>(memory, 0.0f, 32);
        CALL(from_pool ? cudaFreeAsync(memory, nullptr) : cudaFree(memory));
        if (wait)
            CALL(cudaStreamSynchronize(nullptr));
    }
    CALL(cudaEventRecord(end));
    CALL(cudaEventSynchronize(end));
    CALL(cudaEventElapsedTime(&ms, begin, end));
    return ms;
}

/* A pool has memory that was freed at once, unless it has been waited for: by default it keeps nothing then.
 */
static void allocate_from_the_pool()
{
    cudaMemPool_t pool;
    unsigned long long threshold = ~0ull;
    float plain = time_of_allocations(false, true), kept = time_of_allocations(true, false),
          given_back = time_of_allocations(true, true);

    CALL(cudaDeviceGetDefaultMemPool(&pool, 0));
    CALL(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    float stays = time_of_allocations(true, true);
    if (!(2 * kept < plain && given_back > 2 * stays))
        std::printf("%g %g %g %g\n", plain, kept, given_back, stays);
    MUST(2 * kept < plain && given_back > 2 * stays);
    CALL(cudaMemPoolTrimTo(pool, 0));
}

/* As daemons do; a file of the program's then has the number of one that it did not open. */
static void close_descriptors()
{
    struct stat facts;
    int *values;

    CALL(cudaMalloc(&values, 4096));
    for (int i = 3; i < 1024; i++)
        close(i);
    std::FILE *own[8];
    for (auto &file : own)
        MUST(file = std::tmpfile());
    for (int i = 0; i < 100; i++)
        fill<<<1, 32>>>(values, i, 32);
    CALL(cudaDeviceSynchronize());
    for (auto &file : own)
        MUST(fstat(fileno(file), &facts) == 0 && facts.st_size == 0);
    CALL(cudaFree(values));
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"launches", launch_kernels},
        {"copies", copy_memory},
        {"symbols", copy_symbols},
        {"host", use_host_memory},
        {"streams", use_streams},
        {"device", ask_the_device},
        {"threads", launch_from_threads},
        {"fork", fork_a_child},
        {"errors", recover_from_errors},
        {"prints", print_from_kernels},
        {"cooperative", wait_for_the_grid},
        {"shuffles", shuffle_lanes},
        {"arrays", use_arrays},
        {"moves", copy_arrays},
        {"clusters", ask_for_clusters},
        {"pool", allocate_from_the_pool},
        {"closes", close_descriptors},
    };

    return run_cases(cases, argc, argv);
}
// SPDX-License-Identifier: Apache-2.0
