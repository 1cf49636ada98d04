/* The oracle: how users get calls of the driver API wrong (oracle.h says how a case runs). The driver is
 * opened when the program runs, so that the program is built where none is; its kernels are PTX in texts. */
#include "oracle.h"
#include <cuda.h>
#include <dlfcn.h>
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* All functions that are called, each a pointer of the name that the header gives it (cuMemAlloc:
 * cuMemAlloc_v2). */
/* clang-format off */
#define FUNCTIONS(F) \
    F(cuArray3DCreate) F(cuArrayCreate) F(cuArrayDestroy) F(cuCtxCreate) F(cuCtxDestroy) F(cuCtxDetach) \
    F(cuCtxDisablePeerAccess) F(cuCtxEnablePeerAccess) F(cuCtxGetApiVersion) F(cuCtxGetCacheConfig) F(cuCtxGetCurrent) \
    F(cuCtxGetDevice) F(cuCtxGetFlags) F(cuCtxGetId) F(cuCtxGetLimit) F(cuCtxGetStreamPriorityRange) F(cuCtxPopCurrent) \
    F(cuCtxPushCurrent) F(cuCtxSetCacheConfig) F(cuCtxSetCurrent) F(cuCtxSetLimit) F(cuCtxSynchronize) F(cuDeviceCanAccessPeer) \
    F(cuDeviceComputeCapability) F(cuDeviceGet) F(cuDeviceGetAttribute) F(cuDeviceGetByPCIBusId) F(cuDeviceGetCount) \
    F(cuDeviceGetDefaultMemPool) F(cuDeviceGetName) F(cuDeviceGetPCIBusId) F(cuDeviceGetProperties) F(cuDeviceGetUuid) \
    F(cuDevicePrimaryCtxGetState) F(cuDevicePrimaryCtxRelease) F(cuDevicePrimaryCtxReset) F(cuDevicePrimaryCtxRetain) \
    F(cuDevicePrimaryCtxSetFlags) F(cuDeviceTotalMem) F(cuDriverGetVersion) F(cuEventCreate) F(cuEventDestroy) \
    F(cuEventElapsedTime) F(cuEventQuery) F(cuEventRecord) F(cuEventSynchronize) F(cuFuncGetAttribute) F(cuFuncGetModule) \
    F(cuFuncGetName) F(cuFuncGetParamInfo) F(cuFuncSetAttribute) F(cuFuncSetCacheConfig) F(cuGetErrorName) F(cuGetErrorString) \
    F(cuGetProcAddress) F(cuInit) F(cuKernelGetAttribute) F(cuKernelGetFunction) F(cuKernelGetName) F(cuKernelGetParamInfo) \
    F(cuKernelSetAttribute) F(cuLaunchCooperativeKernel) F(cuLaunchHostFunc) F(cuLaunchKernel) F(cuLaunchKernelEx) \
    F(cuLibraryGetGlobal) F(cuLibraryGetKernel) F(cuLibraryGetModule) F(cuLibraryLoadData) F(cuLibraryLoadFromFile) \
    F(cuLibraryUnload) F(cuLinkAddData) F(cuLinkAddFile) F(cuLinkComplete) F(cuLinkCreate) F(cuLinkDestroy) F(cuMemAddressFree) \
    F(cuMemAddressReserve) F(cuMemAlloc) F(cuMemAllocAsync) F(cuMemAllocHost) F(cuMemAllocPitch) F(cuMemCreate) F(cuMemFree) \
    F(cuMemFreeAsync) F(cuMemFreeHost) F(cuMemGetAccess) F(cuMemGetAddressRange) F(cuMemGetAllocationGranularity) F(cuMemGetInfo) \
    F(cuMemHostAlloc) F(cuMemHostGetDevicePointer) F(cuMemHostGetFlags) F(cuMemHostRegister) F(cuMemHostUnregister) F(cuMemMap) \
    F(cuMemPoolCreate) F(cuMemPoolDestroy) F(cuMemPoolGetAttribute) F(cuMemPoolSetAttribute) F(cuMemPoolTrimTo) F(cuMemRelease) \
    F(cuMemSetAccess) F(cuMemUnmap) F(cuMemcpy) F(cuMemcpy2D) F(cuMemcpy2DUnaligned) F(cuMemcpy3D) F(cuMemcpyAtoH) F(cuMemcpyDtoD) \
    F(cuMemcpyDtoH) F(cuMemcpyHtoA) F(cuMemcpyHtoD) F(cuMemcpyHtoDAsync) F(cuMemcpyPeer) F(cuMemsetD16) F(cuMemsetD2D8) \
    F(cuMemsetD32) F(cuMemsetD8) F(cuMemsetD8Async) F(cuModuleGetFunction) F(cuModuleGetGlobal) F(cuModuleGetLoadingMode) \
    F(cuModuleLoad) F(cuModuleLoadData) F(cuModuleLoadDataEx) F(cuModuleLoadFatBinary) F(cuModuleUnload) \
    F(cuOccupancyAvailableDynamicSMemPerBlock) F(cuOccupancyMaxActiveBlocksPerMultiprocessor) F(cuOccupancyMaxPotentialBlockSize) \
    F(cuPointerGetAttribute) F(cuPointerGetAttributes) F(cuStreamAddCallback) F(cuStreamBeginCapture) F(cuStreamCreate) \
    F(cuStreamCreateWithPriority) F(cuStreamDestroy) F(cuStreamEndCapture) F(cuStreamGetCtx) F(cuStreamGetFlags) \
    F(cuStreamGetPriority) F(cuStreamQuery) F(cuStreamSynchronize) F(cuStreamWaitEvent) F(cuSurfObjectCreate) \
    F(cuSurfObjectDestroy) F(cuTexObjectCreate) F(cuTexObjectDestroy)
/* clang-format on */

/* Also called as before any initialisation of the kernels: one text, which every GPU since Maxwell runs. */
#define HEAD ".version 7.0\n.target sm_52\n.address_size 64\n"
#define EMPTY_KERNEL(name) ".visible .entry " name "()\n{\n ret;\n}\n"
static const char program[] =
    HEAD ".visible .global .align 4 .b8 table[64];\n.visible .const .align 4 .b8 fixed[16];\n"
         ".visible .entry store(.param .u64 to, .param .u32 value)\n{\n"
         " .reg .b64 %rd<3>;\n .reg .b32 %r<2>;\n"
         " ld.param.u64 %rd1, [to];\n ld.param.u32 %r1, [value];\n"
         " st.global.u32 [%rd1], %r1;\n ret;\n}\n"
         ".visible .entry bounded()\n.maxntid 128, 1, 1\n{\n ret;\n}\n"
         ".visible .entry required()\n.reqntid 64, 1, 1\n{\n ret;\n}\n"
         ".visible .entry stop()\n{\n trap;\n ret;\n}\n";

static const char calls_elsewhere[] =
    HEAD ".extern .func elsewhere();\n.visible .entry k()\n{\n call elsewhere;\n ret;\n}\n";

namespace api
{
#define POINTER(name) static decltype(&::name) name;
FUNCTIONS(POINTER)

static CUdevice device;
static CUcontext context, second;
static CUmodule module;
static CUfunction store, bounded, required, stop, function;
static CUdeviceptr d, p;
static CUstream s;
static CUevent e;
static char host[1 << 16];
static void *pinned, *q;
static size_t n = 7;
static int i = -7, j = -7;
static unsigned u = 7;
static float ms = -7;
static char text[256];
static const char *found;
static CUarray array;
static CUlinkState link;
static CUlibrary library;
static CUkernel kernel;
static CUmemGenericAllocationHandle memory;
static CUmemoryPool pool;
static CUdevprop properties;
static CUuuid uuid;
static CUmoduleLoadingMode loading;
static CUgraph graph;
static CUfunc_cache cache;
static CUtexObject texture;
static CUsurfObject surface;
static uint64_t wide = 7;
static unsigned long long id = 7;
static CUdriverProcAddressQueryResult result;

static void find_functions()
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!driver) {
        std::printf("libcuda.so.1 cannot be opened: %s. The oracle's driver cases need a GPU's driver.\n",
                    dlerror());
        std::exit(77);
    }
#define TEXT_OF_NAME(name) #name
#define TEXT_OF(name) TEXT_OF_NAME(name)
#define FIND(name)                                              \
    if (!(name = (decltype(name))dlsym(driver, TEXT_OF(name)))) \
        std::printf("libcuda.so.1 has no %s\n", TEXT_OF(name));
    FUNCTIONS(FIND)
}

static void prepare_driver()
{
    cuInit(0), cuDeviceGet(&device, 0), cuDevicePrimaryCtxRetain(&context, device), cuCtxSetCurrent(context);
    cuModuleLoadData(&module, program);
    cuModuleGetFunction(&store, module, "store"), cuModuleGetFunction(&bounded, module, "bounded");
    cuModuleGetFunction(&required, module, "required"), cuModuleGetFunction(&stop, module, "stop");
    cuMemAlloc(&d, 4096), cuMemsetD8(d, 0, 4096), cuMemAllocHost(&pinned, 4096);
    cuStreamCreate(&s, 0), cuEventCreate(&e, 0);
}

static void finish_case()
{
    CUresult code = cuCtxSynchronize ? cuCtxSynchronize() : CUDA_ERROR_NOT_FOUND;
    std::printf("end: %d\n", (int)code);
}

static CUresult launch(CUfunction f, unsigned grid, unsigned block, unsigned shared)
{
    static unsigned value = 1;
    void *arguments[] = {&d, &value};
    return cuLaunchKernel(f, grid, 1, 1, block, 1, 1, shared, s, arguments, nullptr);
}

static CUresult launch_at(CUdeviceptr to)
{
    static unsigned value = 1;
    void *arguments[] = {&to, &value};
    return cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, s, arguments, nullptr);
}

static CUresult launch_block(unsigned x, unsigned y, unsigned z)
{
    static unsigned value = 1;
    void *arguments[] = {&d, &value};
    return cuLaunchKernel(store, 1, 1, 1, x, y, z, 0, s, arguments, nullptr);
}

static CUresult launch_extra(size_t bytes)
{
    static char buffer[64];
    std::memcpy(buffer, &d, sizeof d);
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    return cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, s, nullptr, extra);
}

static CUresult launch_both()
{
    static unsigned value = 1;
    size_t bytes = 12;
    void *arguments[] = {&d, &value};
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, host, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    return cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, s, arguments, extra);
}

static CUresult launch_cooperative(unsigned grid, unsigned block)
{
    return cuLaunchCooperativeKernel(bounded, grid, 1, 1, block, 1, 1, 0, s, nullptr);
}

static CUresult launch_cluster(unsigned x, unsigned grid)
{
    CUlaunchAttribute attribute = {};
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim.x = x, attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
    CUlaunchConfig config = {};
    config.gridDimX = grid, config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = config.blockDimY = config.blockDimZ = 1;
    config.attrs = &attribute, config.numAttrs = 1, config.hStream = s;
    return cuLaunchKernelEx(&config, bounded, nullptr, nullptr);
}

static CUDA_MEMCPY2D copy_2d(size_t pitch, size_t width, size_t height, CUmemorytype from, CUmemorytype to)
{
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = from, copy.srcHost = host, copy.srcDevice = d, copy.srcPitch = pitch;
    copy.dstMemoryType = to, copy.dstHost = host, copy.dstDevice = d, copy.dstPitch = pitch;
    copy.WidthInBytes = width, copy.Height = height;
    return copy;
}

static CUresult run_2d(size_t pitch, size_t width, size_t height, CUmemorytype from, CUmemorytype to)
{
    CUDA_MEMCPY2D copy = copy_2d(pitch, width, height, from, to);
    return cuMemcpy2D(&copy);
}

static CUresult run_2d_unaligned(size_t pitch, size_t width, size_t height, CUmemorytype from,
                                 CUmemorytype to)
{
    CUDA_MEMCPY2D copy = copy_2d(pitch, width, height, from, to);
    return cuMemcpy2DUnaligned(&copy);
}

static CUresult run_3d(size_t width, size_t height, size_t depth, CUmemorytype from)
{
    CUDA_MEMCPY3D copy = {};
    copy.srcMemoryType = from, copy.srcHost = host, copy.srcPitch = 64, copy.srcHeight = 4;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE, copy.dstDevice = d, copy.dstPitch = 64, copy.dstHeight = 4;
    copy.WidthInBytes = width, copy.Height = height, copy.Depth = depth;
    return cuMemcpy3D(&copy);
}

static CUresult make_array(size_t width, size_t height, CUarray_format format, unsigned channels)
{
    CUDA_ARRAY_DESCRIPTOR of = {width, height, format, channels};
    return cuArrayCreate(&array, &of);
}

static CUresult make_array_3d(size_t width, size_t height, size_t depth, unsigned flags)
{
    CUDA_ARRAY3D_DESCRIPTOR of = {width, height, depth, CU_AD_FORMAT_FLOAT, 1, flags};
    return cuArray3DCreate(&array, &of);
}

static CUmemAllocationProp memory_of(int where)
{
    CUmemAllocationProp props = {};
    props.type = CU_MEM_ALLOCATION_TYPE_PINNED, props.location.type = CU_MEM_LOCATION_TYPE_DEVICE,
    props.location.id = where;
    return props;
}

static CUresult make_memory(size_t bytes, int where)
{
    CUmemAllocationProp props = memory_of(where);
    return cuMemCreate(&memory, bytes, &props, 0);
}

static CUresult set_access(CUdeviceptr at, size_t bytes, int where)
{
    CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, where}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    return cuMemSetAccess(at, bytes, &access, 1);
}
#define MEGABYTES ((size_t)1 << 20)

static CUresult load(const char *ptx)
{
    CUmodule other;
    return cuModuleLoadData(&other, ptx);
}

static CUresult add_text(const char *ptx, size_t bytes)
{
    return cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)ptx, bytes, "text", 0, nullptr, nullptr);
}

static CUresult error_texts(int code)
{
    found = nullptr;
    SAY(cuGetErrorName((CUresult)code, &found));
    TEXT(found);
    found = nullptr;
    CUresult told = cuGetErrorString((CUresult)code, &found);
    TEXT(found);
    return told;
}

static void initialise()
{
    cuInit(0), cuDeviceGet(&device, 0);
}

/* Each call before cuInit, without a context (initialised only), and after a kernel that faulted. */
#define BEFORE_ALL(label, ...)                                                                           \
    BARE(driver_uninitialised_##label, say_code(#__VA_ARGS__, (int)(__VA_ARGS__), true)),                \
        BARE(driver_no_context_##label, initialise(), say_code(#__VA_ARGS__, (int)(__VA_ARGS__), true)), \
        CASE(driver_after_##label, SAY(launch_at(0)), SAY(cuCtxSynchronize()),                           \
             say_code(#__VA_ARGS__, (int)(__VA_ARGS__), true))
#define DRIVER(label, ...) CASE(driver_##label, __VA_ARGS__)
#define FIRST(label, ...) BARE(driver_##label, initialise(), __VA_ARGS__)

/* clang-format off */ /* one row per case */
static const struct oracle_case cases[] = {
    BEFORE_ALL(count, cuDeviceGetCount(&i)),
    BEFORE_ALL(device_get, cuDeviceGet(&device, 0)),
    BEFORE_ALL(device_name, cuDeviceGetName(text, 64, 0)),
    BEFORE_ALL(attribute, cuDeviceGetAttribute(&i, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0)),
    BEFORE_ALL(version, cuDriverGetVersion(&i)),
    BEFORE_ALL(current, cuCtxGetCurrent(&second)),
    BEFORE_ALL(context_device, cuCtxGetDevice(&device)),
    BEFORE_ALL(set_current_null, cuCtxSetCurrent(nullptr)),
    BEFORE_ALL(pop, cuCtxPopCurrent(&second)),
    BEFORE_ALL(synchronize, cuCtxSynchronize()),
    BEFORE_ALL(malloc, cuMemAlloc(&p, 64)),
    BEFORE_ALL(free, cuMemFree(d)),
    BEFORE_ALL(malloc_host, cuMemAllocHost(&q, 64)),
    BEFORE_ALL(register, cuMemHostRegister(host, 4096, 0)),
    BEFORE_ALL(info, cuMemGetInfo(&n, &n)),
    BEFORE_ALL(copy, cuMemcpyDtoH(host, d, 64)),
    BEFORE_ALL(set, cuMemsetD8(d, 0, 64)),
    BEFORE_ALL(module, cuModuleLoadData(&module, program)),
    BEFORE_ALL(library, cuLibraryLoadData(&library, program, nullptr, nullptr, 0, nullptr, nullptr, 0)),
    BEFORE_ALL(stream, cuStreamCreate(&s, 0)),
    BEFORE_ALL(event, cuEventCreate(&e, 0)),
    BEFORE_ALL(launch, launch(store, 1, 1, 0)),
    BEFORE_ALL(limit, cuCtxGetLimit(&n, CU_LIMIT_STACK_SIZE)),
    BEFORE_ALL(pointer, cuPointerGetAttribute(&i, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, d)),
    BEFORE_ALL(retain, cuDevicePrimaryCtxRetain(&context, 0)),
    BEFORE_ALL(linker, cuLinkCreate(0, nullptr, nullptr, &link)),
    BEFORE_ALL(reserve, cuMemAddressReserve(&p, 2 * MEGABYTES, 0, 0, 0)),
    BEFORE_ALL(error_name, cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &found)),
    BEFORE_ALL(loading_mode, cuModuleGetLoadingMode(&loading)),

    /* Devices. */
    BARE(driver_init_flags, SAY(cuInit(1)), SAY(cuInit(0))),
    UNDER(driver_absent, "CUDA_VISIBLE_DEVICES=", SAY(cuInit(0)), SAY(cuDeviceGetCount(&i)), SHOW(i), SAY(cuDeviceGet(&device, 0))),
    UNDER(driver_absent_minus_1, "CUDA_VISIBLE_DEVICES=-1", SAY(cuInit(0))),
    FIRST(device_get_absent, SAY(cuDeviceGet(&device, 64)), SAY(cuDeviceGet(&device, -1))),
    FIRST(device_get_absent_null, SAY(cuDeviceGet(nullptr, 0))),
    FIRST(count_null, SAY(cuDeviceGetCount(nullptr))),
    FIRST(name_null, SAY(cuDeviceGetName(nullptr, 64, 0))),
    FIRST(name_no_room, SAY(cuDeviceGetName(text, 0, 0))),
    FIRST(name_short, SAY(cuDeviceGetName(text, 5, 0)), SHOW(std::strlen(text))),
    FIRST(name_absent, SAY(cuDeviceGetName(text, 64, 64))),
    FIRST(attribute_unknown, SAY(cuDeviceGetAttribute(&i, (CUdevice_attribute)9999, 0))),
    FIRST(attribute_unknown_null, SAY(cuDeviceGetAttribute(nullptr, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0))),
    FIRST(attribute_absent, SAY(cuDeviceGetAttribute(&i, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 64))),
    FIRST(capability_absent, SAY(cuDeviceComputeCapability(&i, &j, 64))),
    FIRST(capability_absent_null, SAY(cuDeviceComputeCapability(nullptr, nullptr, 0))),
    FIRST(total_absent, SAY(cuDeviceTotalMem(&n, 64))),
    FIRST(total_absent_null, SAY(cuDeviceTotalMem(nullptr, 0))),
    FIRST(properties_absent, SAY(cuDeviceGetProperties(&properties, 64))),
    FIRST(properties_absent_null, SAY(cuDeviceGetProperties(nullptr, 0))),
    FIRST(uuid_absent, SAY(cuDeviceGetUuid(&uuid, 64))),
    FIRST(uuid_absent_null, SAY(cuDeviceGetUuid(nullptr, 0))),
    FIRST(bus_id, SAY(cuDeviceGetPCIBusId(text, 0, 0)), SAY(cuDeviceGetPCIBusId(text, 3, 0)), SAY(cuDeviceGetByPCIBusId(&device, "gpu"))),
    FIRST(peer_absent, SAY(cuDeviceCanAccessPeer(&i, 0, 64))),
    FIRST(peer_absent_null, SAY(cuDeviceCanAccessPeer(nullptr, 0, 0))),
    FIRST(pool_absent, SAY(cuDeviceGetDefaultMemPool(&pool, 64))),
    FIRST(pool_absent_null, SAY(cuDeviceGetDefaultMemPool(nullptr, 0))),

    /* Contexts. */
    FIRST(context_null, SAY(cuCtxCreate(nullptr, nullptr, 0, 0))),
    FIRST(context_flags, SAY(cuCtxCreate(&context, nullptr, 0xff00, 0))),
    FIRST(context_two_schedules, SAY(cuCtxCreate(&context, nullptr, 3, 0))),
    FIRST(context_absent, SAY(cuCtxCreate(&context, nullptr, 0, 64))),
    FIRST(context_destroy_null, SAY(cuCtxDestroy(nullptr))),
    FIRST(context_destroy_twice, SAY(cuCtxCreate(&context, nullptr, 0, 0)), SAY(cuCtxDestroy(context)), SAY(cuCtxDestroy(context))),
    FIRST(context_use_destroyed, SAY(cuCtxCreate(&context, nullptr, 0, 0)), SAY(cuCtxDestroy(context)), SAY(cuMemAlloc(&p, 64)), SAY(cuCtxSetCurrent(context))),
    FIRST(context_pop_twice, SAY(cuCtxCreate(&context, nullptr, 0, 0)), SAY(cuCtxPopCurrent(&second)), SAY(cuCtxPopCurrent(&second))),
    FIRST(context_other_memory, cuCtxCreate(&context, nullptr, 0, 0), cuMemAlloc(&p, 64), cuCtxCreate(&second, nullptr, 0, 0), SAY(cuMemsetD8(p, 0, 64)), SAY(cuMemFree(p))),
    FIRST(context_other_stream, cuCtxCreate(&context, nullptr, 0, 0), cuStreamCreate(&s, 0), cuCtxCreate(&second, nullptr, 0, 0), SAY(cuStreamSynchronize(s)), SAY(cuMemAlloc(&d, 64)), SAY(cuMemsetD8Async(d, 0, 64, s))),
    FIRST(context_other_event, cuCtxCreate(&context, nullptr, 0, 0), cuEventCreate(&e, 0), cuCtxCreate(&second, nullptr, 0, 0), SAY(cuEventRecord(e, nullptr))),
    FIRST(context_other_function, cuCtxCreate(&context, nullptr, 0, 0), cuModuleLoadData(&module, program), cuModuleGetFunction(&bounded, module, "bounded"), cuCtxCreate(&second, nullptr, 0, 0), SAY(launch_cooperative(1, 1)), SAY(cuLaunchKernel(bounded, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr))),
    DRIVER(context_strange, SAY(cuCtxSetCurrent(STRANGE(CUcontext)))),
    DRIVER(context_push_null, SAY(cuCtxPushCurrent(nullptr))),
    DRIVER(context_detach, SAY(cuCtxDetach(context))),
    DRIVER(context_destroy_primary, SAY(cuCtxDestroy(context))),
    DRIVER(context_version, SAY(cuCtxGetApiVersion(context, &u))),
    DRIVER(context_version_null, SAY(cuCtxGetApiVersion(context, nullptr))),
    DRIVER(context_version_null_2, SAY(cuCtxGetApiVersion(nullptr, &u))),
    DRIVER(context_facts_null, SAY(cuCtxGetDevice(nullptr))),
    DRIVER(context_facts_null_again, SAY(cuCtxGetFlags(nullptr))),
    DRIVER(context_facts_null_again_2, SAY(cuCtxGetCurrent(nullptr))),
    DRIVER(context_facts_null_again_3, SAY(cuCtxGetId(context, nullptr))),
    DRIVER(context_facts_null_again_4, SAY(cuCtxGetId(nullptr, &id))),
    DRIVER(context_facts_null_again_5, SAY(cuCtxGetStreamPriorityRange(nullptr, nullptr))),
    DRIVER(context_cache, SAY(cuCtxSetCacheConfig((CUfunc_cache)99)), SAY(cuCtxGetCacheConfig(&cache)), SHOW(cache)),
    DRIVER(context_cache_null, SAY(cuCtxGetCacheConfig(nullptr))),
    DRIVER(context_limit_unknown, SAY(cuCtxSetLimit((CUlimit)99, 1)), SAY(cuCtxGetLimit(&n, (CUlimit)99))),
    DRIVER(context_limit_unknown_null, SAY(cuCtxGetLimit(nullptr, CU_LIMIT_STACK_SIZE))),
    DRIVER(context_peer, SAY(cuCtxEnablePeerAccess(context, 0)), SAY(cuCtxEnablePeerAccess(context, 1)), SAY(cuCtxDisablePeerAccess(context))),
    DRIVER(context_peer_null, SAY(cuCtxEnablePeerAccess(nullptr, 0))),
    FIRST(primary_absent, SAY(cuDevicePrimaryCtxRetain(&context, 64))),
    FIRST(primary_absent_null, SAY(cuDevicePrimaryCtxRetain(nullptr, 0))),
    FIRST(primary_release_unheld, SAY(cuDevicePrimaryCtxRelease(0))),
    DRIVER(primary_release_twice, SAY(cuDevicePrimaryCtxRelease(0)), SAY(cuDevicePrimaryCtxRelease(0)), SAY(cuMemAlloc(&p, 64))),
    DRIVER(primary_reset, SAY(cuDevicePrimaryCtxReset(0)), SAY(cuMemFree(d)), SAY(cuStreamSynchronize(s))),
    FIRST(primary_flags, SAY(cuDevicePrimaryCtxSetFlags(0, 0xff00)), SAY(cuDevicePrimaryCtxSetFlags(64, 0)), SAY(cuDevicePrimaryCtxSetFlags(0, 4)), SAY(cuDevicePrimaryCtxGetState(0, &u, &i)), SHOW(u), SHOW(i)),
    DRIVER(primary_flags_late, SAY(cuDevicePrimaryCtxSetFlags(0, 4)), SAY(cuDevicePrimaryCtxGetState(0, &u, &i)), SHOW(u), SHOW(i), SAY(cuDevicePrimaryCtxGetState(64, &u, &i))),
    DRIVER(primary_flags_late_null, SAY(cuDevicePrimaryCtxGetState(0, nullptr, &i))),

    /* Modules. */
    DRIVER(module_null, SAY(load(nullptr))),
    DRIVER(module_null_again, SAY(cuModuleLoadData(nullptr, program))),
    DRIVER(module_empty, SAY(load(""))),
    DRIVER(module_text, SAY(load("this is no program"))),
    DRIVER(module_elf_head, SAY(load("\177ELF"))),
    DRIVER(module_zeros, SAY(load((const char *)strange))),
    DRIVER(module_no_version, SAY(load(".target sm_52\n.address_size 64\n" EMPTY_KERNEL("k")))),
    DRIVER(module_no_target, SAY(load(".version 7.0\n.address_size 64\n" EMPTY_KERNEL("k")))),
    DRIVER(module_version_99, SAY(load(".version 99.0\n.target sm_52\n.address_size 64\n" EMPTY_KERNEL("k")))),
    DRIVER(module_target_newer, SAY(load(".version 9.0\n.target sm_120\n.address_size 64\n" EMPTY_KERNEL("k")))),
    DRIVER(module_target_own, SAY(load(".version 9.0\n.target sm_100a\n.address_size 64\n" EMPTY_KERNEL("k")))),
    DRIVER(module_target_unknown, SAY(load(".version 7.0\n.target sm_9999\n.address_size 64\n" EMPTY_KERNEL("k")))),
    DRIVER(module_target_of_later_version, SAY(load(".version 7.0\n.target sm_90\n.address_size 64\n" EMPTY_KERNEL("k")))),
    DRIVER(module_address_32, SAY(load(".version 7.0\n.target sm_52\n.address_size 32\n" EMPTY_KERNEL("k")))),
    DRIVER(module_cut, SAY(load(HEAD ".visible .entry k()\n{\n"))),
    DRIVER(module_instruction, SAY(load(HEAD ".visible .entry k()\n{\n fly.u32;\n ret;\n}\n"))),
    DRIVER(module_register, SAY(load(HEAD ".visible .entry k()\n{\n mov.u32 %r1, 0;\n ret;\n}\n"))),
    DRIVER(module_types, SAY(load(HEAD ".visible .entry k()\n{\n .reg .f32 %f;\n add.s32 %f, %f, 1;\n ret;\n}\n"))),
    DRIVER(module_label, SAY(load(HEAD ".visible .entry k()\n{\n bra nowhere;\n ret;\n}\n"))),
    DRIVER(module_extern_function, SAY(load(calls_elsewhere))),
    DRIVER(module_extern_variable, SAY(load(HEAD ".extern .global .align 4 .b8 elsewhere[4];\n.visible .entry k()\n{\n .reg .b64 %rd;\n .reg .b32 %r;\n mov.u64 %rd, elsewhere;\n ld.global.u32 %r, [%rd];\n st.global.u32 [%rd], %r;\n ret;\n}\n"))),
    DRIVER(module_kernel_twice, SAY(load(HEAD EMPTY_KERNEL("k") EMPTY_KERNEL("k")))),
    DRIVER(module_shared_large, SAY(load(HEAD ".visible .entry k()\n{\n .shared .align 4 .b8 tile[300000];\n .reg .b32 %r;\n ld.volatile.shared.u32 %r, [tile+200000];\n st.volatile.shared.u32 [tile], %r;\n ret;\n}\n"))),
    DRIVER(module_constant_large, SAY(load(HEAD ".visible .const .align 4 .b8 large[70000];\n" EMPTY_KERNEL("k")))),
    DRIVER(module_only_head, SAY(load(HEAD))),
    DRIVER(module_only_comment, SAY(load(HEAD "// nothing\n"))),
    DRIVER(module_options, SAY(cuModuleLoadDataEx(&module, program, 1, nullptr, nullptr)), SAY(cuModuleLoadDataEx(&module, program, 0, nullptr, nullptr))),
    DRIVER(module_option_unknown, CUjit_option option = (CUjit_option)999; void *value = nullptr; SAY(cuModuleLoadDataEx(&module, program, 1, &option, &value))),
    DRIVER(module_log, CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES}; void *values[] = {text, (void *)sizeof text}; SAY(cuModuleLoadDataEx(&module, HEAD ".visible .entry k()\n{\n fly;\n}\n", 2, options, values)), SHOW(std::strlen(text) > 0)),
    DRIVER(module_file_absent, SAY(cuModuleLoad(&module, "/nonexistent/file.ptx")), SAY(cuModuleLoad(&module, ""))),
    DRIVER(module_file_absent_null, SAY(cuModuleLoad(&module, nullptr))),
    DRIVER(module_file_folder, SAY(cuModuleLoad(&module, "/"))),
    DRIVER(module_file_empty, SAY(cuModuleLoad(&module, "/dev/null"))),
    DRIVER(module_fat_text, SAY(cuModuleLoadFatBinary(&module, program))),
    DRIVER(module_fat_text_null, SAY(cuModuleLoadFatBinary(&module, nullptr))),
    DRIVER(module_unload_null, SAY(cuModuleUnload(nullptr))),
    DRIVER(module_unload_twice, SAY(cuModuleUnload(module)), SAY(cuModuleUnload(module))),
    DRIVER(module_unload_strange, SAY(cuModuleUnload(STRANGE(CUmodule)))),
    DRIVER(module_launch_unloaded, SAY(cuModuleUnload(module)), SAY(launch(store, 1, 1, 0))),
    DRIVER(module_get_unloaded, SAY(cuModuleUnload(module)), SAY(cuModuleGetFunction(&function, module, "store"))),
    DRIVER(function_absent, SAY(cuModuleGetFunction(&function, module, "nothing")), SAY(cuModuleGetFunction(&function, module, ""))),
    DRIVER(function_absent_null, SAY(cuModuleGetFunction(&function, module, nullptr))),
    DRIVER(function_absent_null_2, SAY(cuModuleGetFunction(nullptr, module, "store"))),
    DRIVER(function_of_variable, SAY(cuModuleGetFunction(&function, module, "table"))),
    DRIVER(function_of_null, SAY(cuModuleGetFunction(&function, nullptr, "store"))),
    DRIVER(function_case, SAY(cuModuleGetFunction(&function, module, "STORE"))),
    DRIVER(global_absent, SAY(cuModuleGetGlobal(&p, &n, module, "nothing")), SAY(cuModuleGetGlobal(&p, &n, module, "store"))),
    DRIVER(global_absent_null, SAY(cuModuleGetGlobal(&p, &n, module, nullptr))),
    DRIVER(global, SAY(cuModuleGetGlobal(&p, &n, module, "table")), SHOW(n), SAY(cuModuleGetGlobal(nullptr, &n, module, "fixed")), SHOW(n), SAY(cuModuleGetGlobal(nullptr, nullptr, module, "table"))),
    DRIVER(global_past_end, cuModuleGetGlobal(&p, &n, module, "table"), SAY(cuMemcpyHtoD(p, host, 65)), SAY(cuMemFree(p))),
    DRIVER(function_attribute, SAY(cuFuncGetAttribute(&i, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, bounded)), SHOW(i), SAY(cuFuncGetAttribute(&i, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, required)), SHOW(i)),
    DRIVER(function_attribute_unknown, SAY(cuFuncGetAttribute(&i, (CUfunction_attribute)99, store))),
    DRIVER(function_attribute_unknown_null, SAY(cuFuncGetAttribute(nullptr, CU_FUNC_ATTRIBUTE_NUM_REGS, store))),
    DRIVER(function_attribute_unknown_null_2, SAY(cuFuncGetAttribute(&i, CU_FUNC_ATTRIBUTE_NUM_REGS, nullptr))),
    DRIVER(function_attribute_fixed, SAY(cuFuncSetAttribute(store, CU_FUNC_ATTRIBUTE_NUM_REGS, 32)), SAY(cuFuncSetAttribute(store, (CUfunction_attribute)99, 32))),
    DRIVER(function_attribute_fixed_null, SAY(cuFuncSetAttribute(nullptr, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 32))),
    DRIVER(function_attribute_shared, SAY(cuFuncSetAttribute(store, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, -1)), SAY(cuFuncSetAttribute(store, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 20)), SAY(cuFuncSetAttribute(store, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536))),
    DRIVER(function_cache, SAY(cuFuncSetCacheConfig(store, (CUfunc_cache)99))),
    DRIVER(function_cache_null, SAY(cuFuncSetCacheConfig(nullptr, CU_FUNC_CACHE_PREFER_L1))),
    DRIVER(function_name, SAY(cuFuncGetName(&found, store)), TEXT(found)),
    DRIVER(function_name_null, SAY(cuFuncGetName(nullptr, store))),
    DRIVER(function_name_null_2, SAY(cuFuncGetName(&found, nullptr))),
    DRIVER(function_name_null_3, SAY(cuFuncGetModule(nullptr, store))),
    DRIVER(function_name_null_4, SAY(cuFuncGetModule(&module, nullptr))),
    DRIVER(function_parameter, size_t at = 7; SAY(cuFuncGetParamInfo(store, 1, &at, &n)), SHOW(at), SHOW(n), SAY(cuFuncGetParamInfo(store, 2, &at, &n)), SAY(cuFuncGetParamInfo(store, 0, nullptr, nullptr))),

    /* Libraries and the linker. */
    DRIVER(library_text, SAY(cuLibraryLoadData(&library, "this is no program", nullptr, nullptr, 0, nullptr, nullptr, 0))),
    DRIVER(library_text_null, SAY(cuLibraryLoadData(&library, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0))),
    DRIVER(library_text_null_2, SAY(cuLibraryLoadData(nullptr, program, nullptr, nullptr, 0, nullptr, nullptr, 0))),
    DRIVER(library_file_absent, SAY(cuLibraryLoadFromFile(&library, "/nonexistent/file.ptx", nullptr, nullptr, 0, nullptr, nullptr, 0))),
    DRIVER(library_kernel_absent, cuLibraryLoadData(&library, program, nullptr, nullptr, 0, nullptr, nullptr, 0), SAY(cuLibraryGetKernel(&kernel, library, "nothing"))),
    DRIVER(library_kernel_absent_null, cuLibraryLoadData(&library, program, nullptr, nullptr, 0, nullptr, nullptr, 0), SAY(cuLibraryGetKernel(nullptr, library, "store"))),
    DRIVER(library_kernel_absent_null_2, cuLibraryLoadData(&library, program, nullptr, nullptr, 0, nullptr, nullptr, 0), SAY(cuLibraryGetKernel(&kernel, library, nullptr))),
    DRIVER(library_kernel_absent_null_3, cuLibraryLoadData(&library, program, nullptr, nullptr, 0, nullptr, nullptr, 0), SAY(cuLibraryGetKernel(&kernel, nullptr, "store"))),
    DRIVER(library_global_absent, cuLibraryLoadData(&library, program, nullptr, nullptr, 0, nullptr, nullptr, 0), SAY(cuLibraryGetGlobal(&p, &n, library, "nothing")), SAY(cuLibraryGetGlobal(&p, &n, library, "table")), SHOW(n)),
    DRIVER(library_unload_twice, cuLibraryLoadData(&library, program, nullptr, nullptr, 0, nullptr, nullptr, 0), SAY(cuLibraryUnload(library)), SAY(cuLibraryUnload(library))),
    DRIVER(library_unload_twice_null, cuLibraryLoadData(&library, program, nullptr, nullptr, 0, nullptr, nullptr, 0), SAY(cuLibraryUnload(nullptr))),
    DRIVER(library_module, cuLibraryLoadData(&library, program, nullptr, nullptr, 0, nullptr, nullptr, 0), SAY(cuLibraryGetModule(&module, library)), SAY(cuModuleUnload(module))),
    DRIVER(library_module_null, cuLibraryLoadData(&library, program, nullptr, nullptr, 0, nullptr, nullptr, 0), SAY(cuLibraryGetModule(nullptr, library))),
    DRIVER(kernel_null, SAY(cuKernelGetFunction(&function, nullptr))),
    DRIVER(kernel_null_again, SAY(cuKernelGetAttribute(&i, CU_FUNC_ATTRIBUTE_NUM_REGS, nullptr, 0))),
    DRIVER(kernel_null_again_2, SAY(cuKernelGetName(&found, nullptr))),
    DRIVER(kernel_null_again_3, SAY(cuKernelGetParamInfo(nullptr, 0, &n, &n))),
    DRIVER(kernel_null_again_4, SAY(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1, nullptr, 0))),
    DRIVER(kernel_device_absent, cuLibraryLoadData(&library, program, nullptr, nullptr, 0, nullptr, nullptr, 0), cuLibraryGetKernel(&kernel, library, "store"), SAY(cuKernelGetAttribute(&i, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 64)), SAY(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_NUM_REGS, 1, kernel, 0))),
    DRIVER(linker_null, SAY(cuLinkCreate(0, nullptr, nullptr, nullptr))),
    DRIVER(linker_null_again, SAY(cuLinkDestroy(nullptr))),
    DRIVER(linker_null_again_2, SAY(cuLinkComplete(nullptr, &q, &n))),
    DRIVER(linker_nothing, cuLinkCreate(0, nullptr, nullptr, &link), SAY(cuLinkComplete(link, &q, &n))),
    DRIVER(linker_text, cuLinkCreate(0, nullptr, nullptr, &link), SAY(add_text("this is no program", 19)), SAY(cuLinkComplete(link, &q, &n))),
    DRIVER(linker_no_bytes, cuLinkCreate(0, nullptr, nullptr, &link), SAY(add_text(program, 0)), SAY(add_text(nullptr, 64))),
    DRIVER(linker_not_linked, cuLinkCreate(0, nullptr, nullptr, &link), SAY(add_text(calls_elsewhere, sizeof calls_elsewhere)), SAY(cuLinkComplete(link, &q, &n))),
    DRIVER(linker_kernel_twice, cuLinkCreate(0, nullptr, nullptr, &link), SAY(add_text(program, sizeof program)), SAY(add_text(program, sizeof program)), SAY(cuLinkComplete(link, &q, &n))),
    DRIVER(linker_file_absent, cuLinkCreate(0, nullptr, nullptr, &link), SAY(cuLinkAddFile(link, CU_JIT_INPUT_PTX, "/nonexistent/file.ptx", 0, nullptr, nullptr))),
    DRIVER(linker_type, cuLinkCreate(0, nullptr, nullptr, &link), SAY(cuLinkAddData(link, (CUjitInputType)99, (void *)program, sizeof program, "text", 0, nullptr, nullptr))),

    /* Launches. */
    DRIVER(launch_null, SAY(launch(nullptr, 1, 1, 0))),
    DRIVER(launch_strange, SAY(launch(STRANGE(CUfunction), 1, 1, 0))),
    DRIVER(launch_no_blocks, SAY(launch(store, 0, 1, 0))),
    DRIVER(launch_no_threads, SAY(launch(store, 1, 0, 0))),
    DRIVER(launch_1025, SAY(launch(store, 1, 1025, 0))),
    DRIVER(launch_y_1025, SAY(launch_block(1, 1025, 1))),
    DRIVER(launch_z_65, SAY(launch_block(1, 1, 65))),
    DRIVER(launch_33_by_32, SAY(launch_block(33, 32, 1))),
    DRIVER(launch_shared, SAY(launch(store, 1, 1, 49152)), SAY(launch(store, 1, 1, 49153)), SAY(launch(store, 1, 1, 0xffffffff))),
    DRIVER(launch_bounded, SAY(launch(bounded, 1, 128, 0)), SAY(launch(bounded, 1, 129, 0))),
    DRIVER(launch_required, SAY(launch(required, 1, 64, 0)), SAY(launch(required, 1, 32, 0)), SAY(launch(required, 1, 128, 0))),
    DRIVER(launch_no_arguments, SAY(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, s, nullptr, nullptr))),
    DRIVER(launch_no_arguments_needed, SAY(cuLaunchKernel(bounded, 1, 1, 1, 1, 1, 1, 0, s, nullptr, nullptr))),
    DRIVER(launch_extra_12, SAY(launch_extra(12))),
    DRIVER(launch_extra_8, SAY(launch_extra(8))),
    DRIVER(launch_extra_16, SAY(launch_extra(16))),
    DRIVER(launch_extra_64, SAY(launch_extra(64))),
    DRIVER(launch_both, SAY(launch_both())),
    DRIVER(launch_in_destroyed, cuStreamDestroy(s), SAY(launch(store, 1, 1, 0))),
    DRIVER(launch_null_address, SAY(launch_at(0)), SAY(cuStreamSynchronize(s)), SAY(cuCtxSynchronize())),
    DRIVER(launch_misaligned, SAY(launch_at(d + 2)), SAY(cuStreamSynchronize(s))),
    DRIVER(launch_trap, SAY(launch(stop, 1, 1, 0)), SAY(cuStreamSynchronize(s)), SAY(cuMemAlloc(&p, 64))),
    DRIVER(launch_trap_then_reset, SAY(launch(stop, 1, 1, 0)), SAY(cuCtxSynchronize()), SAY(cuDevicePrimaryCtxReset(0)), SAY(cuMemAlloc(&p, 64))),
    DRIVER(launch_cooperative, SAY(launch_cooperative(1, 32)), SAY(launch_cooperative(1000000, 32)), SAY(launch_cooperative(0, 32)), SAY(launch_cooperative(1, 256))),
    DRIVER(launch_cluster, SAY(launch_cluster(2, 4)), SAY(launch_cluster(2, 3)), SAY(launch_cluster(16, 16)), SAY(launch_cluster(0, 4))),
    DRIVER(launch_ex_null, SAY(cuLaunchKernelEx(nullptr, bounded, nullptr, nullptr))),
    DRIVER(launch_function_null, SAY(cuLaunchHostFunc(s, nullptr, nullptr))),
    DRIVER(launch_function_null_again, SAY(cuStreamAddCallback(s, nullptr, nullptr, 0))),
    DRIVER(occupancy, SAY(cuOccupancyMaxActiveBlocksPerMultiprocessor(&i, store, 0, 0)), SAY(cuOccupancyMaxActiveBlocksPerMultiprocessor(&i, store, 1025, 0)), SHOW(i)),
    DRIVER(occupancy_null, SAY(cuOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, store, 32, 0))),
    DRIVER(occupancy_null_2, SAY(cuOccupancyMaxActiveBlocksPerMultiprocessor(&i, nullptr, 32, 0))),
    DRIVER(occupancy_bounded, SAY(cuOccupancyMaxActiveBlocksPerMultiprocessor(&i, bounded, 256, 0)), SHOW(i), SAY(cuOccupancyAvailableDynamicSMemPerBlock(&n, bounded, 0, 32)), SAY(cuOccupancyMaxPotentialBlockSize(&i, &j, bounded, nullptr, 0, 0)), SHOW(j)),

    /* Memory. */
    DRIVER(malloc_null, SAY(cuMemAlloc(nullptr, 64))),
    DRIVER(malloc_zero, SAY(cuMemAlloc(&p, 0)), SAY(cuMemAlloc(&p, (size_t)1 << 45)), SAY(cuMemAlloc(&p, (size_t)-1))),
    DRIVER(free_null, SAY(cuMemFree(0))),
    DRIVER(free_twice, SAY(cuMemFree(d)), SAY(cuMemFree(d))),
    DRIVER(free_middle, SAY(cuMemFree(d + 256)), SAY(cuMemFree((CUdeviceptr)host)), SAY(cuMemFree((CUdeviceptr)pinned))),
    DRIVER(pitch_element, SAY(cuMemAllocPitch(&p, &n, 64, 4, 3)), SAY(cuMemAllocPitch(&p, &n, 64, 4, 32)), SAY(cuMemAllocPitch(&p, &n, 0, 4, 4))),
    DRIVER(pitch_element_null, SAY(cuMemAllocPitch(&p, nullptr, 64, 4, 4))),
    DRIVER(range, CUdeviceptr base = 7; SAY(cuMemGetAddressRange(&base, &n, d + 100)), SHOW(base == d), SHOW(n), SAY(cuMemGetAddressRange(&base, &n, d + 4096)), SAY(cuMemGetAddressRange(&base, &n, (CUdeviceptr)host)), SAY(cuMemGetAddressRange(nullptr, nullptr, d))),
    DRIVER(range_freed, cuMemFree(d), SAY(cuMemGetAddressRange(&p, &n, d))),
    DRIVER(host_zero, SAY(cuMemAllocHost(&q, 0)), SAY(cuMemHostAlloc(&q, 0, 0)), SAY(cuMemHostAlloc(&q, 64, 0xff))),
    DRIVER(host_zero_null, SAY(cuMemHostAlloc(nullptr, 64, 0))),
    DRIVER(host_free, SAY(cuMemFreeHost(host)), SAY(cuMemFreeHost(pinned)), SAY(cuMemFreeHost(pinned))),
    DRIVER(host_free_null, SAY(cuMemFreeHost(nullptr))),
    DRIVER(host_register, SAY(cuMemHostRegister(host, 0, 0)), SAY(cuMemHostRegister(host, 4096, 0xff)), SAY(cuMemHostRegister(host, 4096, 0)), SAY(cuMemHostRegister(host, 4096, 0)), SAY(cuMemHostUnregister(host + 64)), SAY(cuMemHostUnregister(host)), SAY(cuMemHostUnregister(host))),
    DRIVER(host_register_null, SAY(cuMemHostRegister(nullptr, 64, 0))),
    DRIVER(host_pointer, SAY(cuMemHostGetDevicePointer(&p, host, 0)), SAY(cuMemHostGetDevicePointer(&p, pinned, 1)), SAY(cuMemHostGetFlags(&u, host)), SAY(cuMemHostGetFlags(&u, pinned)), SHOW(u)),
    DRIVER(host_pointer_null, SAY(cuMemHostGetDevicePointer(nullptr, pinned, 0))),
    DRIVER(copy_wrong_side, SAY(cuMemcpyHtoD((CUdeviceptr)host, host, 64)), SAY(cuMemcpyDtoH((void *)d, d + 64, 64)), SAY(cuMemcpyHtoD(d, (void *)(d + 64), 64)), SAY(cuMemcpyDtoD(d, (CUdeviceptr)host, 64))),
    DRIVER(copy_null, SAY(cuMemcpyHtoD(0, host, 64)), SAY(cuMemcpy(0, d, 64))),
    DRIVER(copy_null_again, SAY(cuMemcpyHtoD(d, nullptr, 64))),
    DRIVER(copy_null_again_2, SAY(cuMemcpyDtoH(nullptr, d, 64))),
    DRIVER(copy_null_again_3, SAY(cuMemcpyHtoD(0, nullptr, 0))),
    DRIVER(copy_past_end, SAY(cuMemcpyHtoD(d, host, 4097)), SAY(cuMemcpyDtoH(host, d, 4097)), SAY(cuMemcpyHtoDAsync(d, host, 4097, s)), SAY(cuMemcpy(d, (CUdeviceptr)host, 4097))),
    DRIVER(copy_freed, cuMemFree(d), SAY(cuMemcpyHtoD(d, host, 64))),
    DRIVER(copy_peer, SAY(cuMemcpyPeer(d, context, d + 64, context, 64))),
    DRIVER(copy_peer_null, SAY(cuMemcpyPeer(d, nullptr, d + 64, context, 64))),
    DRIVER(set_16, SAY(cuMemsetD16(d + 1, 0, 4)), SAY(cuMemsetD32(d + 2, 0, 4)), SAY(cuMemsetD32(d, 0, 1025)), SAY(cuMemsetD8(0, 0, 4)), SAY(cuMemsetD8(0, 0, 0)), SAY(cuMemsetD8((CUdeviceptr)host, 0, 4))),
    DRIVER(set_2d, SAY(cuMemsetD2D8(d, 8, 0, 16, 2)), SAY(cuMemsetD2D8(d, 64, 0, 64, 65)), SAY(cuMemsetD2D8(d, 0, 0, 16, 1)), SAY(cuMemsetD2D8(d, 64, 0, 0, 2))),
    DRIVER(copy_2d_null, SAY(cuMemcpy2D(nullptr))),
    DRIVER(copy_2d_null_again, SAY(cuMemcpy3D(nullptr))),
    DRIVER(copy_2d_narrow, SAY(run_2d(8, 16, 2, CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE)), SAY(run_2d(0, 16, 1, CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE)), SAY(run_2d(0, 16, 2, CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE))),
    DRIVER(copy_2d_empty, SAY(run_2d(64, 0, 2, CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE)), SAY(run_2d(64, 16, 0, CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE))),
    DRIVER(copy_2d_past_end, SAY(run_2d(64, 64, 65, CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE))),
    DRIVER(copy_2d_type, SAY(run_2d(64, 16, 2, (CUmemorytype)0, CU_MEMORYTYPE_DEVICE)), SAY(run_2d(64, 16, 2, (CUmemorytype)99, CU_MEMORYTYPE_DEVICE)), SAY(run_2d(64, 16, 2, CU_MEMORYTYPE_ARRAY, CU_MEMORYTYPE_DEVICE))),
    DRIVER(copy_2d_pitch_odd, SAY(run_2d(67, 16, 2, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_DEVICE)), SAY(run_2d_unaligned(67, 16, 2, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_DEVICE)), SAY(run_2d_unaligned(8, 16, 2, CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE))),
    DRIVER(copy_3d, SAY(run_3d(65, 2, 1, CU_MEMORYTYPE_HOST)), SAY(run_3d(16, 5, 2, CU_MEMORYTYPE_HOST)), SAY(run_3d(64, 4, 17, CU_MEMORYTYPE_HOST)), SAY(run_3d(0, 0, 0, CU_MEMORYTYPE_HOST)), SAY(run_3d(16, 2, 1, (CUmemorytype)0))),
    DRIVER(pointer_facts, SAY(cuPointerGetAttribute(&u, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)host)), SAY(cuPointerGetAttribute(&u, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, d)), SHOW(u), SAY(cuPointerGetAttribute(&u, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)pinned)), SHOW(u), SAY(cuPointerGetAttribute(&u, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 0)), SAY(cuPointerGetAttribute(&u, (CUpointer_attribute)999, d))),
    DRIVER(pointer_facts_null, SAY(cuPointerGetAttribute(nullptr, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, d))),
    DRIVER(pointer_freed, cuMemFree(d), SAY(cuPointerGetAttribute(&u, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, d))),
    DRIVER(pointer_list, SAY(cuPointerGetAttributes(0, nullptr, nullptr, d))),
    DRIVER(pointer_list_null, SAY(cuPointerGetAttributes(1, nullptr, nullptr, d))),
    DRIVER(array_size, SAY(make_array(0, 4, CU_AD_FORMAT_FLOAT, 1)), SAY(make_array(131073, 4, CU_AD_FORMAT_FLOAT, 1)), SAY(make_array(16, 4, CU_AD_FORMAT_FLOAT, 3)), SAY(make_array(16, 4, (CUarray_format)0x99, 1)), SAY(make_array(16, 4, CU_AD_FORMAT_FLOAT, 0))),
    DRIVER(array_size_null, SAY(cuArrayCreate(&array, nullptr))),
    DRIVER(array_3d_size, SAY(make_array_3d(16, 0, 4, 0)), SAY(make_array_3d(16385, 4, 4, 0)), SAY(make_array_3d(16, 8, 6, CUDA_ARRAY3D_CUBEMAP)), SAY(make_array_3d(16, 4, 4, 0xff00))),
    DRIVER(array_destroy, make_array(16, 4, CU_AD_FORMAT_FLOAT, 1), SAY(cuArrayDestroy(array)), SAY(cuArrayDestroy(array))),
    DRIVER(array_destroy_null, make_array(16, 4, CU_AD_FORMAT_FLOAT, 1), SAY(cuArrayDestroy(nullptr))),
    DRIVER(array_copy, make_array(16, 4, CU_AD_FORMAT_FLOAT, 1), SAY(cuMemcpyHtoA(array, 0, host, 65)), SAY(cuMemcpyHtoA(array, 64, host, 4)), SAY(cuMemcpyAtoH(host, array, 0, 257))),
    DRIVER(array_copy_null, make_array(16, 4, CU_AD_FORMAT_FLOAT, 1), SAY(cuMemcpyHtoA(nullptr, 0, host, 4))),
    DRIVER(texture, SAY(cuTexObjectDestroy(0)), SAY(cuSurfObjectDestroy(0))),
    DRIVER(texture_null, SAY(cuTexObjectCreate(&texture, nullptr, nullptr, nullptr))),
    DRIVER(texture_null_2, SAY(cuSurfObjectCreate(&surface, nullptr))),

    /* Pools and virtual memory. */
    DRIVER(async_zero, SAY(cuMemAllocAsync(&p, 0, s)), SAY(cuMemFreeAsync(0, s)), SAY(cuMemFreeAsync((CUdeviceptr)host, s))),
    DRIVER(async_zero_null, SAY(cuMemAllocAsync(nullptr, 64, s))),
    DRIVER(async_free_twice, cuMemAllocAsync(&p, 64, s), SAY(cuMemFreeAsync(p, s)), SAY(cuMemFreeAsync(p, s))),
    DRIVER(pool_null, SAY(cuMemPoolCreate(nullptr, nullptr))),
    DRIVER(pool_null_again, SAY(cuMemPoolDestroy(nullptr))),
    DRIVER(pool_null_again_2, SAY(cuMemPoolTrimTo(nullptr, 0))),
    DRIVER(pool_default, cuDeviceGetDefaultMemPool(&pool, 0), SAY(cuMemPoolDestroy(pool)), SAY(cuMemPoolGetAttribute(pool, (CUmemPool_attribute)99, &wide)), SAY(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &wide))),
    DRIVER(granularity, CUmemAllocationProp props = memory_of(0); SAY(cuMemGetAllocationGranularity(&n, &props, CU_MEM_ALLOC_GRANULARITY_MINIMUM)), SHOW(n), props = memory_of(64), SAY(cuMemGetAllocationGranularity(&n, &props, CU_MEM_ALLOC_GRANULARITY_MINIMUM)), SAY(cuMemGetAllocationGranularity(&n, nullptr, CU_MEM_ALLOC_GRANULARITY_MINIMUM)), SAY(cuMemGetAllocationGranularity(&n, &props, (CUmemAllocationGranularity_flags)99))),
    DRIVER(create_odd, SAY(make_memory(4096, 0)), SAY(make_memory(0, 0)), SAY(make_memory(2 * MEGABYTES, 64))),
    DRIVER(create_odd_null, SAY(cuMemCreate(&memory, 2 * MEGABYTES, nullptr, 0))),
    DRIVER(release_twice, SAY(make_memory(2 * MEGABYTES, 0)), SAY(cuMemRelease(memory)), SAY(cuMemRelease(memory))),
    DRIVER(reserve_odd, SAY(cuMemAddressReserve(&p, 4096, 0, 0, 0)), SAY(cuMemAddressReserve(&p, 0, 0, 0, 0)), SAY(cuMemAddressReserve(&p, 2 * MEGABYTES, 3, 0, 0)), SAY(cuMemAddressReserve(&p, 2 * MEGABYTES, 0, 0, 1))),
    DRIVER(reserve_odd_null, SAY(cuMemAddressReserve(nullptr, 2 * MEGABYTES, 0, 0, 0))),
    DRIVER(reserve_free, cuMemAddressReserve(&p, 2 * MEGABYTES, 0, 0, 0), SAY(cuMemAddressFree(p, MEGABYTES)), SAY(cuMemAddressFree(p, 2 * MEGABYTES)), SAY(cuMemAddressFree(p, 2 * MEGABYTES))),
    DRIVER(map_wrong, cuMemAddressReserve(&p, 4 * MEGABYTES, 0, 0, 0), make_memory(2 * MEGABYTES, 0), SAY(cuMemMap(d, 2 * MEGABYTES, 0, memory, 0)), SAY(cuMemMap(p, 4 * MEGABYTES, 0, memory, 0)), SAY(cuMemMap(p, MEGABYTES, 0, memory, 0)), SAY(cuMemMap(p, 2 * MEGABYTES, 0, memory, 1)), SAY(cuMemMap(p, 2 * MEGABYTES, 0, memory, 0)), SAY(cuMemMap(p, 2 * MEGABYTES, 0, memory, 0))),
    DRIVER(map_no_access, cuMemAddressReserve(&p, 2 * MEGABYTES, 0, 0, 0), make_memory(2 * MEGABYTES, 0), SAY(cuMemMap(p, 2 * MEGABYTES, 0, memory, 0)), SAY(cuMemsetD8(p, 0, 64)), SAY(launch_at(p)), SAY(cuStreamSynchronize(s))),
    DRIVER(map_access, cuMemAddressReserve(&p, 2 * MEGABYTES, 0, 0, 0), make_memory(2 * MEGABYTES, 0), cuMemMap(p, 2 * MEGABYTES, 0, memory, 0), SAY(set_access(p, 2 * MEGABYTES, 64)), SAY(set_access(p, MEGABYTES, 0)), SAY(set_access(p + 4096, 4096, 0)), SAY(set_access(p, 2 * MEGABYTES, 0)), SAY(cuMemsetD8(p, 0, 64))),
    DRIVER(map_unmapped_access, cuMemAddressReserve(&p, 2 * MEGABYTES, 0, 0, 0), SAY(set_access(p, 2 * MEGABYTES, 0)), SAY(cuMemUnmap(p, 2 * MEGABYTES))),
    DRIVER(map_unmapped_access_null, cuMemAddressReserve(&p, 2 * MEGABYTES, 0, 0, 0), SAY(cuMemGetAccess(nullptr, nullptr, p))),
    DRIVER(map_free_mapped, cuMemAddressReserve(&p, 2 * MEGABYTES, 0, 0, 0), make_memory(2 * MEGABYTES, 0), cuMemMap(p, 2 * MEGABYTES, 0, memory, 0), SAY(cuMemAddressFree(p, 2 * MEGABYTES)), SAY(cuMemFree(p)), SAY(cuMemUnmap(p, MEGABYTES)), SAY(cuMemUnmap(p, 2 * MEGABYTES))),

    /* Streams, events, texts. */
    DRIVER(stream_flags, SAY(cuStreamCreate(&s, 2)), SAY(cuStreamCreateWithPriority(&s, 99, 0))),
    DRIVER(stream_flags_null, SAY(cuStreamCreate(nullptr, 0))),
    DRIVER(stream_destroy_null, SAY(cuStreamDestroy(nullptr))),
    DRIVER(stream_destroy_twice, SAY(cuStreamDestroy(s)), SAY(cuStreamDestroy(s))),
    DRIVER(stream_use_destroyed, SAY(cuStreamDestroy(s)), SAY(cuStreamSynchronize(s))),
    DRIVER(stream_query_destroyed, SAY(cuStreamDestroy(s)), SAY(cuStreamQuery(s))),
    DRIVER(stream_facts_null, SAY(cuStreamGetCtx(nullptr, &second)), SHOW(second == context)),
    DRIVER(stream_facts_null_again, SAY(cuStreamGetFlags(s, nullptr))),
    DRIVER(stream_facts_null_again_2, SAY(cuStreamGetPriority(s, nullptr))),
    DRIVER(stream_facts_null_again_3, SAY(cuStreamGetCtx(s, nullptr))),
    DRIVER(stream_wait, SAY(cuStreamWaitEvent(s, e, 99)), SAY(cuStreamWaitEvent(s, e, 0))),
    DRIVER(stream_wait_null, SAY(cuStreamWaitEvent(s, nullptr, 0))),
    DRIVER(capture, SAY(cuStreamBeginCapture(nullptr, CU_STREAM_CAPTURE_MODE_GLOBAL)), SAY(cuStreamBeginCapture(s, (CUstreamCaptureMode)99)), SAY(cuStreamEndCapture(s, &graph))),
    DRIVER(capture_malloc, SAY(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL)), SAY(launch(store, 1, 1, 0)), SAY(cuMemAlloc(&p, 64)), SAY(cuStreamEndCapture(s, &graph)), SHOW(graph != nullptr)),
    DRIVER(capture_copy, SAY(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL)), SAY(launch(store, 1, 1, 0)), SAY(cuMemcpyDtoH(host, d, 64)), SAY(cuStreamEndCapture(s, &graph))),
    DRIVER(capture_module, SAY(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL)), SAY(launch(store, 1, 1, 0)), SAY(cuModuleLoadData(&module, program)), SAY(cuStreamEndCapture(s, &graph))),
    DRIVER(event_flags, SAY(cuEventCreate(&e, 8)), SAY(cuEventCreate(&e, 4))),
    DRIVER(event_flags_null, SAY(cuEventCreate(nullptr, 0))),
    DRIVER(event_destroy_null, SAY(cuEventDestroy(nullptr))),
    DRIVER(event_destroy_twice, SAY(cuEventDestroy(e)), SAY(cuEventDestroy(e))),
    DRIVER(event_fresh, SAY(cuEventQuery(e)), SAY(cuEventSynchronize(e)), SAY(cuEventElapsedTime(&ms, e, e))),
    DRIVER(event_null, SAY(cuEventQuery(nullptr))),
    DRIVER(event_null_again, SAY(cuEventSynchronize(nullptr))),
    DRIVER(event_null_again_2, SAY(cuEventRecord(nullptr, s))),
    DRIVER(event_null_again_3, SAY(cuEventElapsedTime(&ms, nullptr, e))),
    DRIVER(error_texts_0, SAY(error_texts(0))),
    DRIVER(error_texts_1, SAY(error_texts(1))),
    DRIVER(error_texts_201, SAY(error_texts(201))),
    DRIVER(error_texts_unknown, SAY(error_texts(12345)), SAY(error_texts(-1)), SAY(error_texts(5))),
    DRIVER(error_texts_null, SAY(cuGetErrorName(CUDA_SUCCESS, nullptr))),
    DRIVER(error_texts_null_again, SAY(cuGetErrorString(CUDA_SUCCESS, nullptr))),
    DRIVER(address_unknown, SAY(cuGetProcAddress("cuNothing", &q, 13000, 0, &result)), SHOW(result), SHOW(q == nullptr)),
    DRIVER(address_old, SAY(cuGetProcAddress("cuMemAllocAsync", &q, 9000, 0, &result)), SHOW(result), SHOW(q == nullptr)),
    DRIVER(address_null, SAY(cuGetProcAddress("cuInit", &q, 13000, 99, &result))),
    DRIVER(address_null_again, SAY(cuGetProcAddress(nullptr, &q, 13000, 0, &result))),
    DRIVER(address_null_again_2, SAY(cuGetProcAddress("cuInit", nullptr, 13000, 0, &result))),
    DRIVER(address_null_again_3, SAY(cuGetProcAddress("", &q, 13000, 0, nullptr))),
};
/* clang-format on */
} // namespace api

static void say_code(const char *what, int code, bool)
{
    std::printf("%s: %d\n", what, code);
}

int main(int argc, char **argv)
{
    if (argc > 1 && std::strcmp(argv[1], "--list") != 0)
        api::find_functions();
    return answer_case(api::cases, argc, argv, api::prepare_driver, api::finish_case);
}
// SPDX-License-Identifier: Apache-2.0
