/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cases of CUDA's driver API. driver CASE FOLDER, where FOLDER has driver_kernels.ptx, .fatbin and .cubin.
 * Prints "CASE: fine", or where a result is wrong.
 */
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 256

#define CHECK(condition)                                           \
    do {                                                           \
        if (!(condition)) {                                        \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            return 1;                                              \
        }                                                          \
    } while (0)
#define CALL(call)                                           \
    do {                                                     \
        CUresult code = (call);                              \
        const char *name = "?";                              \
        if (code != CUDA_SUCCESS) {                          \
            cuGetErrorName(code, &name);                     \
            printf("%s:%d: %s\n", __FILE__, __LINE__, name); \
            return 1;                                        \
        }                                                    \
    } while (0)

static char kernels[4096]; /* FOLDER/driver_kernels */
static int values[COUNT];

static const char *file(const char *suffix)
{
    static char path[4200];

    snprintf(path, sizeof path, "%s.%s", kernels, suffix);
    return path;
}

static char *contents(const char *suffix)
{
    FILE *stream = fopen(file(suffix), "rb");
    char *bytes = calloc(1, 1 << 20);

    if (!stream || !bytes || fread(bytes, 1, (1 << 20) - 1, stream) == 0)
        exit(2);
    fclose(stream);
    return bytes;
}

/* values = 0, 1, ...; scaled by the module's kernel; are they right? */
static int scale(CUmodule module, int factor)
{
    int count = COUNT;
    CUdeviceptr memory;
    CUfunction function;

    for (int i = 0; i < COUNT; i++)
        values[i] = i;
    CALL(cuModuleGetFunction(&function, module, "scale_all"));
    CALL(cuMemAlloc(&memory, sizeof values));
    CALL(cuMemcpyHtoD(memory, values, sizeof values));
    void *arguments[] = {&memory, &count};
    CALL(cuLaunchKernel(function, COUNT / 64, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL));
    CALL(cuMemcpyDtoH(values, memory, sizeof values));
    CALL(cuMemFree(memory));
    for (int i = 0; i < COUNT; i++)
        CHECK(values[i] == factor * i + i % 4 + 1);
    return 0;
}

/* Sums four words that lie beside each other in shared memory. */
static int sum_of_four(CUmodule module, const char *name)
{
    CUdeviceptr memory;
    CUfunction function;

    CALL(cuModuleGetFunction(&function, module, name));
    CALL(cuMemAlloc(&memory, sizeof *values));
    void *arguments[] = {&memory};
    CALL(cuLaunchKernel(function, 1, 1, 1, 4, 1, 1, 0, NULL, arguments, NULL));
    CALL(cuMemcpyDtoH(values, memory, sizeof *values));
    CALL(cuMemFree(memory));
    CHECK(values[0] == 6);
    return 0;
}

static int link_texts(void)
{
    static const char written[] =
        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry %s(.param .u64 p)\n{\n"
        " .reg .b32 %%r<9>; .reg .b64 %%d<3>; .shared .align 4 .b8 v[16];\n"
        " ld.param.u64 %%d1, [p]; mov.u32 %%r1, v; mov.u32 %%r2, %%tid.x; mad.lo.u32 %%r3, %%r2, 4, %%r1;\n"
        " st.shared.u32 [%%r3], %%r2; bar.sync 0;\n"
        " ld.shared.u32 %%r4, [%%r1]; ld.shared.u32 %%r5, [%%r1+4]; ld.shared.u32 %%r6, [%%r1+8];\n"
        " ld.shared.u32 %%r7, [%%r1+12]; add.u32 %%r4, %%r4, %%r5; add.u32 %%r6, %%r6, %%r7;\n"
        " add.u32 %%r4, %%r4, %%r6; st.global.u32 [%%d1], %%r4; ret;\n}\n";
    char text[2][sizeof written + 16];
    CUlinkState state;
    CUmodule module;
    void *linked;
    size_t bytes;

    snprintf(text[0], sizeof text[0], written, "placed_sum");
    snprintf(text[1], sizeof text[1], written, "linked_sum");
    CALL(cuModuleLoadData(&module, text[0]));
    CHECK(sum_of_four(module, "placed_sum") == 0);
    CALL(cuLinkCreate(0, NULL, NULL, &state));
    CALL(cuLinkAddData(state, CU_JIT_INPUT_PTX, text[1], strlen(text[1]) + 1, "text", 0, NULL, NULL));
    CALL(cuLinkComplete(state, &linked, &bytes));
    CALL(cuModuleLoadData(&module, linked));
    CALL(cuLinkDestroy(state));
    return sum_of_four(module, "linked_sum");
}

static int modules(void)
{
    char *bytes = contents("ptx");
    const int factor = 5;
    CUmodule first, second, fat;
    CUdeviceptr address;
    CUfunction function;
    size_t size;

    CALL(cuModuleLoadData(&first, bytes));
    memset(bytes, 0, strlen(bytes)); /* the module has its own copy */
    CALL(cuModuleLoad(&second, file("ptx")));
    if (scale(first, 3))
        return 1;
    CALL(cuModuleGetGlobal(&address, &size, first, "scale"));
    CHECK(size == sizeof factor);
    CALL(cuMemcpyHtoD(address, &factor, sizeof factor));
    if (scale(first, 5) || scale(second, 3)) /* each has variables of its own */
        return 1;
    CHECK(cuModuleGetFunction(&function, first, "none") == CUDA_ERROR_NOT_FOUND);
    CHECK(cuModuleGetGlobal(&address, &size, first, "none") == CUDA_ERROR_NOT_FOUND);
    CHECK(cuModuleLoad(&fat, "/no/such/file") == CUDA_ERROR_FILE_NOT_FOUND);
    CHECK(cuModuleLoadData(&fat, "no image") == CUDA_ERROR_INVALID_IMAGE);
    CALL(cuModuleUnload(first));
    CHECK(cuModuleGetFunction(&function, first, "scale_all") == CUDA_ERROR_INVALID_HANDLE);
    CALL(cuModuleUnload(second));
    free(bytes);
    return 0;
}

static int fat(void)
{
    char *bytes = contents("fatbin");
    CUmodule module, same;

    CALL(cuModuleLoadData(&module, bytes));
    CALL(cuModuleLoad(&same, file("fatbin")));
    free(bytes);
    return scale(module, 3) || scale(same, 3);
}

static int machine(void)
{
    CUmodule module;

    CHECK(cuModuleLoad(&module, file("cubin")) == CUDA_ERROR_NOT_SUPPORTED);
    return 0;
}

static int libraries(void)
{
    CUlibrary library;
    CUkernel kernel;
    CUmodule module;
    CUfunction function;
    const char *name;
    size_t offset, size;
    int threads;

    CALL(cuLibraryLoadFromFile(&library, file("ptx"), NULL, NULL, 0, NULL, NULL, 0));
    CALL(cuLibraryGetKernel(&kernel, library, "sum_blocks"));
    CALL(cuLibraryGetModule(&module, library));
    CALL(cuKernelGetFunction(&function, kernel));
    CALL(cuKernelGetName(&name, kernel));
    CHECK(strcmp(name, "sum_blocks") == 0);
    CALL(cuKernelGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 0));
    CHECK(threads == 1024);
    CALL(cuKernelGetParamInfo(kernel, 1, &offset, &size));
    CHECK(offset == 8 && size == 8);
    CHECK(cuKernelGetParamInfo(kernel, 3, &offset, &size) == CUDA_ERROR_INVALID_VALUE);
    if (scale(module, 3))
        return 1;
    CALL(cuLibraryUnload(library));
    return 0;
}

/* The arguments in one buffer, as older programs give them; streams and events around it. */
static int launches(void)
{
    struct {
        char sign;
        CUdeviceptr values, sums;
    } packed = {.sign = -1};
    int sums[4], blocks, block, grid;
    size_t size = sizeof packed;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    float ms = 0;
    CUmodule module;
    CUfunction function;
    CUstream stream;
    CUevent start, end;

    CALL(cuModuleLoad(&module, file("ptx")));
    CALL(cuModuleGetFunction(&function, module, "sum_blocks"));
    CALL(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CALL(cuEventCreate(&start, CU_EVENT_DEFAULT));
    CALL(cuEventCreate(&end, CU_EVENT_DEFAULT));
    CALL(cuMemAllocAsync(&packed.values, sizeof values, stream));
    CALL(cuMemAllocAsync(&packed.sums, sizeof sums, stream));
    CALL(cuMemsetD32Async(packed.values, 0x01020304, COUNT, stream));
    CALL(cuEventRecord(start, stream));
    CALL(cuLaunchKernel(function, 4, 1, 1, 64, 1, 1, 64 * sizeof(int), stream, NULL, extra));
    CALL(cuEventRecord(end, stream));
    CALL(cuMemcpyDtoHAsync(sums, packed.sums, sizeof sums, stream));
    CALL(cuStreamSynchronize(stream));
    CALL(cuEventElapsedTime(&ms, start, end));
    CHECK(ms > 0);
    for (int i = 0; i < 4; i++)
        CHECK(sums[i] == -64 * 0x01020304);
    CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 64, 256));
    CHECK(blocks == 32);
    CALL(cuOccupancyMaxPotentialBlockSize(&grid, &block, function, NULL, 0, 0));
    CHECK(block > 0 && grid > 0);
    CALL(cuMemFreeAsync(packed.values, stream));
    CALL(cuMemFreeAsync(packed.sums, stream));
    CALL(cuEventDestroy(start));
    CALL(cuEventDestroy(end));
    CALL(cuStreamDestroy(stream));
    return 0;
}

static int memory(void)
{
    CUdeviceptr address, base, other;
    size_t size, pitch;
    unsigned type;
    int *host, ordinal;
    short told[8];
    CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    void *data[] = {&type, &ordinal};

    CHECK(cuMemAlloc(&address, 0) == CUDA_ERROR_INVALID_VALUE);
    CALL(cuMemAlloc(&address, 1000));
    CALL(cuMemGetAddressRange(&base, &size, address + 40));
    CHECK(base == address && size == 1000);
    CALL(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address));
    CHECK(type == CU_MEMORYTYPE_DEVICE);
    CALL(cuPointerGetAttributes(2, wanted, data, (CUdeviceptr)(uintptr_t)&type));
    CHECK(type == 0 && ordinal == -2);
    CALL(cuMemAllocPitch(&other, &pitch, 100, 4, 4));
    CHECK(pitch >= 100);
    CALL(cuMemsetD16(address, 0x1234, 8));
    CALL(cuMemcpyDtoD(other, address, sizeof told));
    CALL(cuMemcpyDtoH(told, other, sizeof told));
    CHECK(told[0] == 0x1234 && told[7] == 0x1234);
    CALL(cuMemFree(other));
    CALL(cuMemFree(address));
    CHECK(cuMemFree(address) == CUDA_ERROR_INVALID_VALUE);
    CALL(cuMemHostAlloc((void **)&host, 64, CU_MEMHOSTALLOC_DEVICEMAP));
    CALL(cuMemHostGetDevicePointer(&address, host, 0));
    CALL(cuMemsetD8(address, 7, 64));
    CHECK(host[15] == 0x07070707);
    CALL(cuMemFreeHost(host));
    return 0;
}

/* Contexts, and functions by name, as libraries that open the driver at run time take them. */
/* Two pieces of memory that adjoin: a kernel and a copy reach over both, and nothing is there after they are
 * unmapped. */
static int virtual(void)
{
    CUmemAllocationProp pinned = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                  .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    const CUmemAccessDesc access = {.location = pinned.location, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle pieces[2];
    CUdeviceptr base;
    CUmodule module;
    CUfunction function;
    size_t step;
    int count = COUNT;

    CALL(cuDeviceGetAttribute(&count, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
    CHECK(count == 1);
    count = COUNT;
    CALL(cuMemGetAllocationGranularity(&step, &pinned, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    CALL(cuMemAddressReserve(&base, 4 * step, 0, 0, 0));
    for (int i = 0; i < 2; i++) {
        CALL(cuMemCreate(&pieces[i], step, &pinned, 0));
        CALL(cuMemMap(base + i * step, step, 0, pieces[i], 0));
        CALL(cuMemRelease(pieces[i]));
    }
    CHECK(cuMemMap(base, step, 0, pieces[0], 0) == CUDA_ERROR_INVALID_VALUE); /* released */
    CHECK(cuMemCreate(&pieces[0], step + 1, &pinned, 0) == CUDA_ERROR_INVALID_VALUE);
    CALL(cuMemSetAccess(base, 2 * step, &access, 1));
    CUdeviceptr middle = base + step - COUNT / 2 * sizeof *values;
    for (int i = 0; i < COUNT; i++)
        values[i] = i;
    CALL(cuMemcpyHtoD(middle, values, sizeof values));
    CALL(cuModuleLoad(&module, file("ptx")));
    CALL(cuModuleGetFunction(&function, module, "scale_all"));
    void *arguments[] = {&middle, &count};
    CALL(cuLaunchKernel(function, 2, 1, 1, COUNT / 2, 1, 1, 0, NULL, arguments, NULL));
    CALL(cuMemcpyDtoH(values, middle, sizeof values));
    for (int i = 0; i < COUNT; i++)
        CHECK(values[i] == 3 * i + i % 4 + 1);
    CALL(cuMemsetD2D32(base, 64, 7, 4, 3));
    CALL(cuMemcpyDtoH(values, base, 256));
    CHECK(values[3] == 7 && values[4] == 0 && values[16] == 7 && values[35] == 7 && values[36] == 0);
    CHECK(cuMemAddressFree(base, 4 * step) == CUDA_ERROR_INVALID_VALUE); /* mapped */
    CALL(cuMemUnmap(base, 2 * step));
    CHECK(cuMemcpyDtoH(values, base, 4) == CUDA_ERROR_INVALID_VALUE);
    CALL(cuMemAddressFree(base, 4 * step));
    return 0;
}

/* A box to an array, a part of it to another array, and back through memory of the device with a pitch. */
static int arrays(void)
{
    enum { W = 8, H = 3, D = 2 };
    float box[D][H][W], got[D][H][W], row[W];
    CUarray from, to;
    CUdeviceptr linear;
    const CUDA_ARRAY3D_DESCRIPTOR what = {
        .Width = W, .Height = H, .Depth = D, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
    const CUDA_ARRAY_DESCRIPTOR line = {.Width = W, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};

    for (int i = 0; i < D * H * W; i++)
        (&box[0][0][0])[i] = (float)(i + 1);
    memset(got, 0, sizeof got);
    CALL(cuArray3DCreate(&from, &what));
    CALL(cuArray3DCreate(&to, &what));
    CALL(cuMemAlloc(&linear, D * H * 64));
    CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = box,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = from,
                          .WidthInBytes = sizeof row,
                          .Height = H,
                          .Depth = D};
    CALL(cuMemcpy3D(&copy));
    copy.srcHost = got;
    copy.dstArray = to;
    CALL(cuMemcpy3D(&copy));
    copy = (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                           .srcArray = from,
                           .srcXInBytes = 4,
                           .srcY = 1,
                           .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                           .dstArray = to,
                           .dstXInBytes = 12,
                           .dstZ = 1,
                           .WidthInBytes = 8,
                           .Height = 2,
                           .Depth = 1};
    CALL(cuMemcpy3D(&copy));
    copy = (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                           .srcArray = to,
                           .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                           .dstDevice = linear,
                           .dstPitch = 64,
                           .WidthInBytes = sizeof row,
                           .Height = H,
                           .Depth = D};
    CALL(cuMemcpy3D(&copy));
    copy = (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                           .srcDevice = linear,
                           .srcPitch = 64,
                           .dstMemoryType = CU_MEMORYTYPE_HOST,
                           .dstHost = got,
                           .dstPitch = sizeof row,
                           .WidthInBytes = sizeof row,
                           .Height = H,
                           .Depth = D};
    CALL(cuMemcpy3D(&copy));
    for (int z = 0; z < D; z++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                CHECK(got[z][y][x] == (z == 1 && y < 2 && (x == 3 || x == 4) ? box[0][y + 1][x - 2] : 0));
    CALL(cuArrayDestroy(to));
    CALL(cuArrayCreate(&to, &line));
    CALL(cuMemcpyHtoAAsync(to, 0, box[1], 32, NULL));
    CALL(cuMemcpyAtoHAsync(row, to, 0, 32, NULL));
    CALL(cuCtxSynchronize());
    CHECK(row[0] == box[1][0][0] && row[W - 1] == box[1][0][W - 1]);
    CALL(cuMemcpyHtoA(to, 4, box, 12));
    CALL(cuMemcpyAtoD(linear, to, 8, 8));
    CALL(cuMemcpyDtoA(to, 16, linear, 8));
    CALL(cuMemcpyAtoA(to, 24, to, 4, 4));
    CALL(cuMemcpyAtoH(row, to, 4, 24));
    CHECK(row[0] == 1 && row[2] == 3 && row[3] == 2 && row[4] == 3 && row[5] == 1);
    CALL(cuMemFree(linear));
    CALL(cuArrayDestroy(from));
    CALL(cuArrayDestroy(to));
    return 0;
}

/* Two GPUs: each has its context and memory, which the other one can be allowed to access. */
static int gpus(void)
{
    CUcontext of[2], context;
    CUdevice device = -1;
    CUmodule module;
    CUfunction function;
    CUdeviceptr memory[2];
    int count = COUNT, number = 0, values[COUNT], ordinal = -1, can = 0;

    CALL(cuDeviceGetCount(&number));
    CHECK(number == 2);
    CHECK(cuDeviceGet(&device, 2) == CUDA_ERROR_INVALID_DEVICE);
    for (int gpu = 0; gpu < 2; gpu++) {
        CALL(cuDeviceGet(&device, gpu));
        CHECK(device == gpu);
        CALL(cuDevicePrimaryCtxRetain(&of[gpu], device));
        CALL(cuCtxSetCurrent(of[gpu]));
        CALL(cuMemAlloc(&memory[gpu], sizeof values));
        CALL(cuMemsetD32(memory[gpu], (unsigned)gpu + 1, COUNT));
        CALL(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, memory[gpu]));
        CALL(cuPointerGetAttribute(&context, CU_POINTER_ATTRIBUTE_CONTEXT, memory[gpu]));
        CHECK(ordinal == gpu && context == of[gpu]);
    }
    CHECK(of[0] != of[1]);
    CUstream stream; /* of GPU 1, also where the other one is current */
    unsigned flags = 0;
    CALL(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CALL(cuCtxSetCurrent(of[0]));
    CALL(cuStreamGetCtx(stream, &context));
    CALL(cuStreamGetFlags(stream, &flags));
    CHECK(context == of[1] && flags == CU_STREAM_NON_BLOCKING);
    CALL(cuStreamDestroy(stream));
    CALL(cuCtxSetCurrent(of[1]));
    CALL(cuCtxPushCurrent(of[0]));
    CALL(cuCtxGetDevice(&device));
    CHECK(device == 0);
    CALL(cuCtxPopCurrent(NULL));
    CALL(cuCtxGetDevice(&device));
    CHECK(device == 1);
    CALL(cuDeviceGetP2PAttribute(&can, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 1, 0));
    CHECK(can == 1);
    CALL(cuMemcpyPeer(memory[1], of[1], memory[0], of[0], COUNT / 2 * sizeof *values));
    CALL(cuMemcpyDtoH(values, memory[1], sizeof values));
    CHECK(values[0] == 1 && values[COUNT - 1] == 2);
    CALL(cuModuleLoad(&module, file("ptx"))); /* of GPU 1, whose kernel accesses memory of GPU 0 */
    CALL(cuModuleGetFunction(&function, module, "scale_all"));
    CALL(cuCtxEnablePeerAccess(of[0], 0));
    CHECK(cuCtxEnablePeerAccess(of[0], 0) == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    void *arguments[] = {&memory[0], &count};
    CALL(cuLaunchKernel(function, 2, 1, 1, COUNT / 2, 1, 1, 0, NULL, arguments, NULL));
    CALL(cuMemcpyDtoH(values, memory[0], sizeof values));
    CHECK(values[0] != 1);
    CALL(cuCtxDisablePeerAccess(of[0]));
    return 0;
}

static int contexts(void)
{
    CUcontext context, current;
    CUdevice device = 5;
    CUdriverProcAddressQueryResult result;
    void *old, *new, *library = dlopen("libcuda.so.1", RTLD_NOW);
    int major;

    CALL(cuCtxGetCurrent(&current)); /* made by main */
    CALL(cuDevicePrimaryCtxRetain(&context, 0));
    CALL(cuCtxPushCurrent(context));
    CALL(cuCtxGetDevice(&device));
    CHECK(device == 0);
    CALL(cuCtxPopCurrent(&current));
    CHECK(current == context);
    CALL(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
    CHECK(major >= 8);
    CHECK(library && dlsym(library, "cuInit") == (void *)(uintptr_t)cuInit);
    CALL(cuGetProcAddress("cuMemAlloc", &new, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &result));
    CALL(cuGetProcAddress("cuMemAlloc", &old, 2000, CU_GET_PROC_ADDRESS_DEFAULT, &result));
    CHECK(new == (void *)(uintptr_t)cuMemAlloc &&old != new);
    CALL(cuGetProcAddress("cuStreamSynchronize", &new, 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
                          &result));
    CALL(cuGetProcAddress("cuStreamSynchronize", &old, 12000, CU_GET_PROC_ADDRESS_LEGACY_STREAM, &result));
    CHECK(new != NULL &&old != NULL &&new != old);
    CALL(cuGetProcAddress("cuMemAlloc", &old, 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &result));
    CHECK(old == (void *)(uintptr_t)cuMemAlloc); /* has no stream */
    CALL(cuGetProcAddress("cuNone", &old, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &result));
    CHECK(!old && result == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    return 0;
}

/* A library with a runtime inside, which opens another one by its own search path, and one that would link
 * machine code. */
static int opens(void)
{
    char path[4200];
    int (*add_one)(int);
    void *(*open)(const char *);

    snprintf(path, sizeof path, "%.*splugin_static", (int)(strlen(kernels) - strlen("driver_kernels")),
             kernels);
    void *plugin = dlopen(path, RTLD_NOW), *linker = dlopen("libnvJitLink.so.13", RTLD_NOW);
    CHECK(plugin && linker);
    void *symbol = dlsym(plugin, "plugin_add_one");
    memcpy(&add_one, &symbol, sizeof add_one);
    CHECK(symbol && add_one(41) == 42);
    symbol = dlsym(plugin, "plugin_open");
    memcpy(&open, &symbol, sizeof open);
    CHECK(symbol && open("libbeside.so") && !dlopen("libbeside_none.so", RTLD_NOW));
    CHECK(!dlsym(linker, "nvJitLinkVersion"));
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } cases[] = {{"modules", modules},   {"fat", fat},       {"machine", machine}, {"libraries", libraries},
                 {"launches", launches}, {"memory", memory}, {"virtual", virtual}, {"contexts", contexts},
                 {"opens", opens},       {"arrays", arrays}, {"gpus", gpus},       {"link", link_texts}};
    CUcontext context;

    snprintf(kernels, sizeof kernels, "%s/driver_kernels", argc > 2 ? argv[2] : ".");
    CALL(cuInit(0));
    CALL(cuCtxCreate(&context, NULL, 0, 0));
    for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(argv[1], cases[i].name) != 0)
            continue;
        if (cases[i].run())
            return 1;
        printf("%s: fine\n", argv[1]);
        return 0;
    }
    return 2;
}
