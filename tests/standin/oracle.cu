/* The oracle: how users get calls of the runtime API wrong that concern devices, memory, copies, arrays,
 * textures, symbols, pools and errors. A GPU's answers are what the stand-in has to say (oracle.h says how a
 * case runs). */
#include "oracle.h"
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static __device__ int symbol[16];
static __constant__ int fixed_symbol[4];

static __global__ void count(int *to)
{
    to[threadIdx.x] += symbol[threadIdx.x & 15] + fixed_symbol[threadIdx.x & 3];
}

/* 4,096 bytes of the device, of the host's pages and of pinned memory; a stream and an event. */
static int *d, *pinned;
static char host[1 << 16];
static cudaStream_t s;
static cudaEvent_t e;
/* Results. */
static void *p, *q;
static size_t n = 7;
static int i = -7;
static unsigned u = 7;
static char text[64];
static cudaArray_t a, b;
static cudaMemPool_t pool;
static cudaDeviceProp facts;
static cudaPointerAttributes about;
static cudaPitchedPtr pitched;
static cudaChannelFormatDesc format;
static cudaExtent extent;
static cudaTextureObject_t texture;
static cudaSurfaceObject_t surface;
static uint64_t wide = 7;

static void say_code(const char *what, int code, bool taken)
{
    std::printf("%s: %d, last %d\n", what, code, (int)cudaPeekAtLastError());
    if (taken)
        cudaGetLastError();
}

static void prepare_memory()
{
    cudaMalloc((void **)&d, 4096);
    cudaMemset(d, 0, 4096);
    cudaMallocHost((void **)&pinned, 4096);
    cudaStreamCreate(&s), cudaEventCreate(&e);
}

static void finish_case()
{
    cudaError_t code = cudaDeviceSynchronize();
    std::printf("end: %d, last %d\n", (int)code, (int)cudaGetLastError());
}

static const cudaChannelFormatDesc floats = {32, 0, 0, 0, cudaChannelFormatKindFloat};

/* A copy of 3 dimensions between what is not null: pitched memory of 64 bytes a row and 4 rows, or arrays. */
static cudaMemcpy3DParms copy_of(void *from, void *to, cudaArray_t source, cudaArray_t target, size_t width,
                                 size_t height, size_t depth, cudaMemcpyKind kind)
{
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = from ? make_cudaPitchedPtr(from, 64, 64, 4) : cudaPitchedPtr{};
    copy.dstPtr = to ? make_cudaPitchedPtr(to, 64, 64, 4) : cudaPitchedPtr{};
    copy.srcArray = source, copy.dstArray = target;
    copy.extent = make_cudaExtent(width, height, depth);
    copy.kind = kind;
    return copy;
}

static cudaError_t copy_3d(void *from, void *to, cudaArray_t source, cudaArray_t target, size_t width,
                           size_t height, size_t depth, cudaMemcpyKind kind)
{
    cudaMemcpy3DParms copy = copy_of(from, to, source, target, width, height, depth, kind);
    return cudaMemcpy3D(&copy);
}

static cudaError_t copy_3d_at(size_t x, size_t y, size_t z)
{
    cudaMemcpy3DParms copy = copy_of(host, d, nullptr, nullptr, 16, 2, 1, cudaMemcpyHostToDevice);
    copy.dstPos = make_cudaPos(x, y, z);
    return cudaMemcpy3D(&copy);
}

static cudaError_t texture_of(cudaResourceType type, void *pointer, size_t bytes, size_t width, size_t pitch,
                              cudaTextureDesc look, cudaChannelFormatDesc of)
{
    cudaResourceDesc from = {};
    from.resType = type;
    if (type == cudaResourceTypeLinear) {
        from.res.linear.devPtr = pointer, from.res.linear.sizeInBytes = bytes, from.res.linear.desc = of;
    } else if (type == cudaResourceTypePitch2D) {
        from.res.pitch2D.devPtr = pointer, from.res.pitch2D.desc = of;
        from.res.pitch2D.width = width, from.res.pitch2D.height = bytes,
        from.res.pitch2D.pitchInBytes = pitch;
    } else {
        from.res.array.array = (cudaArray_t)pointer;
    }
    return cudaCreateTextureObject(&texture, &from, &look, nullptr);
}

static cudaTextureDesc look_at(cudaTextureReadMode read, cudaTextureFilterMode filter, int normalized,
                               cudaTextureAddressMode address)
{
    cudaTextureDesc look = {};
    look.readMode = read, look.filterMode = filter, look.normalizedCoords = normalized;
    look.addressMode[0] = look.addressMode[1] = look.addressMode[2] = address;
    return look;
}
#define PLAIN look_at(cudaReadModeElementType, cudaFilterModePoint, 0, cudaAddressModeClamp)

static cudaError_t surface_of(cudaResourceType type, void *pointer)
{
    cudaResourceDesc from = {};
    from.resType = type;
    if (type == cudaResourceTypeArray)
        from.res.array.array = (cudaArray_t)pointer;
    else
        from.res.linear.devPtr = pointer, from.res.linear.sizeInBytes = 4096, from.res.linear.desc = floats;
    return cudaCreateSurfaceObject(&surface, &from);
}

static cudaError_t pool_of(cudaMemAllocationType type, cudaMemAllocationHandleType handles,
                           cudaMemLocationType where, int id)
{
    cudaMemPoolProps props = {};
    props.allocType = type, props.handleTypes = handles, props.location.type = where, props.location.id = id;
    return cudaMemPoolCreate(&pool, &props);
}

static cudaError_t pool_access(int device, cudaMemAccessFlags flags)
{
    cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, device}, flags};
    cudaDeviceGetDefaultMemPool(&pool, 0);
    return cudaMemPoolSetAccess(pool, &access, 1);
}

static cudaMemPool_t own_pool()
{
    cudaDeviceGetDefaultMemPool(&pool, 0);
    return pool;
}

static void *allocate_array(unsigned flags)
{
    cudaMallocArray(&a, &floats, 16, 4, flags);
    return a;
}

static cudaError_t device_error(int code)
{
    TEXT(cudaGetErrorName((cudaError_t)code));
    TEXT(cudaGetErrorString((cudaError_t)code));
    return (cudaError_t)0;
}

/* clang-format off */ /* one row per case */
static const struct oracle_case cases[] = {
    /* Devices. */
    BARE(device_count_null, SAY(cudaGetDeviceCount(nullptr))),
    BARE(device_get_null, SAY(cudaGetDevice(nullptr))),
    BARE(device_set_negative, SAY(cudaSetDevice(-1)), SAY(cudaGetDevice(&i)), SHOW(i)),
    BARE(device_set_absent, SAY(cudaSetDevice(64)), SAY(cudaGetDevice(&i)), SHOW(i)),
    BARE(device_set_int_max, SAY(cudaSetDevice(0x7fffffff))),
    BARE(device_set_absent_ignored, KEEP(cudaSetDevice(64)), KEEP(cudaMalloc(&p, 64)), KEEP(cudaFree(p))),
    BARE(device_init_absent, SAY(cudaInitDevice(64, 0, 0))),
    BARE(device_init_negative, SAY(cudaInitDevice(-1, 0, 0))),
    BARE(device_init_flags, SAY(cudaInitDevice(0, 0xff, cudaInitDeviceFlagsAreValid))),
    BARE(device_init_flags_unused, SAY(cudaInitDevice(0, 0xff, 0))),
    BARE(device_init_bad_flags, SAY(cudaInitDevice(0, 0, 0x80))),
    BARE(device_flags_bad, SAY(cudaSetDeviceFlags(0xffff)), SAY(cudaGetDeviceFlags(&u)), SHOW(u)),
    BARE(device_flags_two_schedules, SAY(cudaSetDeviceFlags(cudaDeviceScheduleSpin | cudaDeviceScheduleYield))),
    BARE(device_flags_block, SAY(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync)), SAY(cudaGetDeviceFlags(&u)), SHOW(u)),
    BARE(device_flags_default, SAY(cudaGetDeviceFlags(&u)), SHOW(u)),
    CASE(device_flags_late, SAY(cudaSetDeviceFlags(cudaDeviceScheduleSpin)), SAY(cudaGetDeviceFlags(&u)), SHOW(u)),
    BARE(device_flags_null, SAY(cudaGetDeviceFlags(nullptr))),
    BARE(device_properties_null, SAY(cudaGetDeviceProperties(nullptr, 0))),
    BARE(device_properties_absent, SAY(cudaGetDeviceProperties(&facts, 64))),
    BARE(device_properties_negative, SAY(cudaGetDeviceProperties(&facts, -1))),
    BARE(device_attribute_null, SAY(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0))),
    BARE(device_attribute_unknown, SAY(cudaDeviceGetAttribute(&i, (cudaDeviceAttr)9999, 0)), SHOW(i)),
    BARE(device_attribute_zero, SAY(cudaDeviceGetAttribute(&i, (cudaDeviceAttr)0, 0)), SHOW(i)),
    BARE(device_attribute_negative, SAY(cudaDeviceGetAttribute(&i, (cudaDeviceAttr)-1, 0)), SHOW(i)),
    BARE(device_attribute_absent, SAY(cudaDeviceGetAttribute(&i, cudaDevAttrWarpSize, 64)), SHOW(i)),
    BARE(device_choose_null_out, SAY(cudaChooseDevice(nullptr, &facts))),
    BARE(device_choose_null, SAY(cudaChooseDevice(&i, nullptr)), SHOW(i)),
    BARE(device_choose_impossible, facts.major = 99, SAY(cudaChooseDevice(&i, &facts)), SHOW(i)),
    BARE(device_bus_id_null, SAY(cudaDeviceGetPCIBusId(nullptr, 64, 0))),
    BARE(device_bus_id_no_room, SAY(cudaDeviceGetPCIBusId(text, 0, 0))),
    BARE(device_bus_id_short, SAY(cudaDeviceGetPCIBusId(text, 4, 0)), SHOW(std::strlen(text))),
    BARE(device_bus_id_negative, SAY(cudaDeviceGetPCIBusId(text, -1, 0))),
    BARE(device_bus_id_absent, SAY(cudaDeviceGetPCIBusId(text, 64, 64))),
    BARE(device_by_bus_id_null, SAY(cudaDeviceGetByPCIBusId(&i, nullptr))),
    BARE(device_by_bus_id_null_out, SAY(cudaDeviceGetByPCIBusId(nullptr, "0000:00:00.0"))),
    BARE(device_by_bus_id_text, SAY(cudaDeviceGetByPCIBusId(&i, "gpu")), SHOW(i)),
    BARE(device_by_bus_id_empty, SAY(cudaDeviceGetByPCIBusId(&i, "")), SHOW(i)),
    BARE(device_by_bus_id_absent, SAY(cudaDeviceGetByPCIBusId(&i, "0000:ff:1f.0")), SHOW(i)),
    BARE(device_by_bus_id_round, SAY(cudaDeviceGetPCIBusId(text, 64, 0)), SAY(cudaDeviceGetByPCIBusId(&i, text)), SHOW(i)),
    CASE(limit_get_null, SAY(cudaDeviceGetLimit(nullptr, cudaLimitStackSize))),
    CASE(limit_get_unknown, SAY(cudaDeviceGetLimit(&n, (cudaLimit)99)), SHOW(n)),
    CASE(limit_set_unknown, SAY(cudaDeviceSetLimit((cudaLimit)99, 1024))),
    CASE(limit_stack, SAY(cudaDeviceGetLimit(&n, cudaLimitStackSize)), SHOW(n)),
    CASE(limit_stack_huge, SAY(cudaDeviceSetLimit(cudaLimitStackSize, (size_t)1 << 40)), SAY(cudaDeviceGetLimit(&n, cudaLimitStackSize)), SHOW(n)),
    CASE(limit_stack_odd, SAY(cudaDeviceSetLimit(cudaLimitStackSize, 1001)), SAY(cudaDeviceGetLimit(&n, cudaLimitStackSize)), SHOW(n)),
    CASE(limit_stack_64_kb, SAY(cudaDeviceSetLimit(cudaLimitStackSize, 65536)), SAY(cudaDeviceGetLimit(&n, cudaLimitStackSize)), SHOW(n)),
    CASE(limit_stack_zero, SAY(cudaDeviceSetLimit(cudaLimitStackSize, 0)), SAY(cudaDeviceGetLimit(&n, cudaLimitStackSize)), SHOW(n)),
    CASE(limit_heap, SAY(cudaDeviceGetLimit(&n, cudaLimitMallocHeapSize)), SHOW(n)),
    CASE(limit_heap_huge, SAY(cudaDeviceSetLimit(cudaLimitMallocHeapSize, (size_t)1 << 50))),
    CASE(limit_heap_zero, SAY(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 0)), SAY(cudaDeviceGetLimit(&n, cudaLimitMallocHeapSize)), SHOW(n)),
    CASE(limit_printf, SAY(cudaDeviceGetLimit(&n, cudaLimitPrintfFifoSize)), SHOW(n)),
    CASE(limit_printf_zero, SAY(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 0)), SAY(cudaDeviceGetLimit(&n, cudaLimitPrintfFifoSize)), SHOW(n)),
    CASE(limit_sync_depth, SAY(cudaDeviceGetLimit(&n, cudaLimitDevRuntimeSyncDepth)), SHOW(n)),
    CASE(limit_sync_depth_set, SAY(cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 2))),
    CASE(limit_pending, SAY(cudaDeviceGetLimit(&n, cudaLimitDevRuntimePendingLaunchCount)), SHOW(n)),
    CASE(limit_fetch, SAY(cudaDeviceGetLimit(&n, cudaLimitMaxL2FetchGranularity)), SHOW(n)),
    CASE(limit_fetch_odd, SAY(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 77)), SAY(cudaDeviceGetLimit(&n, cudaLimitMaxL2FetchGranularity)), SHOW(n)),
    CASE(limit_fetch_large, SAY(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 4096)), SAY(cudaDeviceGetLimit(&n, cudaLimitMaxL2FetchGranularity)), SHOW(n)),
    CASE(limit_persisting, SAY(cudaDeviceGetLimit(&n, cudaLimitPersistingL2CacheSize)), SHOW(n)),
    CASE(limit_persisting_huge, SAY(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, (size_t)1 << 40))),
    CASE(persisting_reset, SAY(cudaCtxResetPersistingL2Cache())),
    CASE(cache_config_unknown, SAY(cudaDeviceSetCacheConfig((cudaFuncCache)99)), SAY(cudaDeviceSetCacheConfig((cudaFuncCache)-1))),
    CASE(bank_config_get_null, SAY(cudaDeviceGetSharedMemConfig(nullptr))),
    CASE(bank_config_unknown, SAY(cudaDeviceSetSharedMemConfig((cudaSharedMemConfig)99))),
    CASE(bank_config_eight, SAY(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte))),
    BARE(p2p_attribute_same, SAY(cudaDeviceGetP2PAttribute(&i, cudaDevP2PAttrAccessSupported, 0, 0)), SHOW(i)),
    BARE(p2p_attribute_absent, SAY(cudaDeviceGetP2PAttribute(&i, cudaDevP2PAttrAccessSupported, 0, 64)), SHOW(i)),
    BARE(p2p_attribute_unknown, SAY(cudaDeviceGetP2PAttribute(&i, (cudaDeviceP2PAttr)99, 0, 0))),
    BARE(p2p_attribute_null, SAY(cudaDeviceGetP2PAttribute(nullptr, cudaDevP2PAttrAccessSupported, 0, 0))),
    BARE(peer_can_null, SAY(cudaDeviceCanAccessPeer(nullptr, 0, 0))),
    BARE(peer_can_same, SAY(cudaDeviceCanAccessPeer(&i, 0, 0)), SHOW(i)),
    BARE(peer_can_absent, SAY(cudaDeviceCanAccessPeer(&i, 0, 64)), SHOW(i)),
    BARE(peer_can_negative, SAY(cudaDeviceCanAccessPeer(&i, -1, 0)), SHOW(i)),
    CASE(peer_enable_itself, SAY(cudaDeviceEnablePeerAccess(0, 0))),
    CASE(peer_enable_absent, SAY(cudaDeviceEnablePeerAccess(64, 0))),
    CASE(peer_enable_negative, SAY(cudaDeviceEnablePeerAccess(-1, 0))),
    CASE(peer_enable_flags, SAY(cudaDeviceEnablePeerAccess(0, 1))),
    CASE(peer_disable_itself, SAY(cudaDeviceDisablePeerAccess(0))),
    CASE(peer_disable_absent, SAY(cudaDeviceDisablePeerAccess(64))),
    BARE(reset_first, SAY(cudaDeviceReset())),
    CASE(reset_twice, SAY(cudaDeviceReset()), SAY(cudaDeviceReset())),
    CASE(reset_memory, SAY(cudaDeviceReset()), SAY(cudaFree(d)), SAY(cudaMemset(d, 0, 4))),
    CASE(reset_stream, SAY(cudaDeviceReset()), SAY(cudaStreamSynchronize(s))),
    CASE(reset_event, SAY(cudaDeviceReset()), SAY(cudaEventRecord(e))),
    CASE(reset_pinned, SAY(cudaDeviceReset()), SAY(cudaFreeHost(pinned))),
    CASE(reset_symbol, SAY(cudaDeviceReset()), SAY(cudaMemcpyToSymbol(symbol, host, 4))),
    BARE(version_null, SAY(cudaDriverGetVersion(nullptr))),
    BARE(version_null_again, SAY(cudaRuntimeGetVersion(nullptr))),
    BARE(version_runtime, SAY(cudaRuntimeGetVersion(&i)), SHOW(i)),
    BARE(profiler, SAY(cudaProfilerStart()), SAY(cudaProfilerStop()), SAY(cudaProfilerStop())),
    BARE(entry_point_null_name, SAY(cudaGetDriverEntryPointByVersion(nullptr, &p, 13000, 0, nullptr))),
    BARE(entry_point_null_out, SAY(cudaGetDriverEntryPointByVersion("cuInit", nullptr, 13000, 0, nullptr))),
    BARE(entry_point_unknown, SAY(cudaGetDriverEntryPointByVersion("cuNothing", &p, 13000, 0, (cudaDriverEntryPointQueryResult *)&i)), SHOW(i), SHOW(p != nullptr)),
    BARE(entry_point_old, SAY(cudaGetDriverEntryPointByVersion("cuMemAllocAsync", &p, 9000, 0, (cudaDriverEntryPointQueryResult *)&i)), SHOW(i), SHOW(p != nullptr)),
    BARE(entry_point_flags, SAY(cudaGetDriverEntryPointByVersion("cuInit", &p, 13000, 99, nullptr))),
    BARE(entry_point_version_zero, SAY(cudaGetDriverEntryPointByVersion("cuInit", &p, 0, 0, (cudaDriverEntryPointQueryResult *)&i)), SHOW(i)),
    BARE(entry_point_empty, SAY(cudaGetDriverEntryPointByVersion("", &p, 13000, 0, (cudaDriverEntryPointQueryResult *)&i)), SHOW(i)),

    /* No device, or others, by the environment; also by the program, before and after the first call. */
    UNDER(visible_empty, "CUDA_VISIBLE_DEVICES=", SAY(cudaGetDeviceCount(&i)), SHOW(i), SAY(cudaMalloc(&p, 64))),
    UNDER(visible_minus_1, "CUDA_VISIBLE_DEVICES=-1", SAY(cudaGetDeviceCount(&i)), SHOW(i), SAY(cudaMalloc(&p, 64))),
    UNDER(visible_absent, "CUDA_VISIBLE_DEVICES=64", SAY(cudaGetDeviceCount(&i)), SHOW(i)),
    UNDER(visible_text, "CUDA_VISIBLE_DEVICES=none", SAY(cudaGetDeviceCount(&i)), SHOW(i)),
    UNDER(visible_no_dev_files, "CUDA_VISIBLE_DEVICES=NoDevFiles", SAY(cudaGetDeviceCount(&i)), SHOW(i)),
    UNDER(visible_zero, "CUDA_VISIBLE_DEVICES=0", SAY(cudaGetDeviceCount(&i)), SHOW(i)),
    UNDER(visible_twice, "CUDA_VISIBLE_DEVICES=0,0", SAY(cudaGetDeviceCount(&i)), SHOW(i)),
    UNDER(visible_zero_absent, "CUDA_VISIBLE_DEVICES=0,64", SAY(cudaGetDeviceCount(&i)), SHOW(i)),
    UNDER(visible_absent_zero, "CUDA_VISIBLE_DEVICES=64,0", SAY(cudaGetDeviceCount(&i)), SHOW(i)),
    UNDER(visible_cut, "CUDA_VISIBLE_DEVICES=0,-1,1", SAY(cudaGetDeviceCount(&i)), SHOW(i)),
    UNDER(visible_spaces, "CUDA_VISIBLE_DEVICES= 0 ", SAY(cudaGetDeviceCount(&i)), SHOW(i)),
    UNDER(visible_comma, "CUDA_VISIBLE_DEVICES=,0", SAY(cudaGetDeviceCount(&i)), SHOW(i)),
    UNDER(visible_zero_text, "CUDA_VISIBLE_DEVICES=0x", SAY(cudaGetDeviceCount(&i)), SHOW(i)),
    UNDER(visible_uuid, "CUDA_VISIBLE_DEVICES=GPU-00000000", SAY(cudaGetDeviceCount(&i)), SHOW(i)),
    UNDER(visible_quoted, "CUDA_VISIBLE_DEVICES=\"0\"", SAY(cudaGetDeviceCount(&i)), SHOW(i)),
    UNDER(absent_device_set, "CUDA_VISIBLE_DEVICES=", SAY(cudaSetDevice(0))),
    UNDER(absent_device_get, "CUDA_VISIBLE_DEVICES=", SAY(cudaGetDevice(&i)), SHOW(i)),
    UNDER(absent_device_properties, "CUDA_VISIBLE_DEVICES=", SAY(cudaGetDeviceProperties(&facts, 0))),
    UNDER(absent_device_attribute, "CUDA_VISIBLE_DEVICES=", SAY(cudaDeviceGetAttribute(&i, cudaDevAttrWarpSize, 0))),
    UNDER(absent_device_free, "CUDA_VISIBLE_DEVICES=", SAY(cudaFree(nullptr))),
    UNDER(absent_device_free_stray, "CUDA_VISIBLE_DEVICES=", SAY(cudaFree(host))),
    UNDER(absent_device_host, "CUDA_VISIBLE_DEVICES=", SAY(cudaMallocHost(&p, 64)), SAY(cudaHostRegister(host, 4096, 0))),
    UNDER(absent_device_stream, "CUDA_VISIBLE_DEVICES=", SAY(cudaStreamCreate(&s)), SAY(cudaStreamSynchronize(nullptr))),
    UNDER(absent_device_event, "CUDA_VISIBLE_DEVICES=", SAY(cudaEventCreate(&e))),
    UNDER(absent_device_launch, "CUDA_VISIBLE_DEVICES=", (count<<<1, 1>>>(d)), SAY(cudaGetLastError())),
    UNDER(absent_device_launch_kept, "CUDA_VISIBLE_DEVICES=", (count<<<1, 1>>>(d)), KEEP(cudaPeekAtLastError()), KEEP(cudaDeviceSynchronize())),
    UNDER(absent_device_version, "CUDA_VISIBLE_DEVICES=", SAY(cudaRuntimeGetVersion(&i)), SAY(cudaDriverGetVersion(&i)), SHOW(i > 0)),
    UNDER(absent_device_names, "CUDA_VISIBLE_DEVICES=", device_error(100)),
    UNDER(absent_device_copy, "CUDA_VISIBLE_DEVICES=", SAY(cudaMemcpy(host, host + 64, 64, cudaMemcpyHostToHost))),
    UNDER(absent_device_pointer, "CUDA_VISIBLE_DEVICES=", SAY(cudaPointerGetAttributes(&about, host))),
    UNDER(absent_device_symbol, "CUDA_VISIBLE_DEVICES=", SAY(cudaGetSymbolAddress(&p, symbol))),
    UNDER(absent_device_reset, "CUDA_VISIBLE_DEVICES=", SAY(cudaDeviceReset())),
    UNDER(absent_device_graph, "CUDA_VISIBLE_DEVICES=", SAY(cudaGraphCreate((cudaGraph_t *)&p, 0))),
    UNDER(absent_device_function, "CUDA_VISIBLE_DEVICES=", SAY(cudaFuncSetCacheConfig(count, cudaFuncCachePreferL1))),
    UNDER(absent_device_occupancy, "CUDA_VISIBLE_DEVICES=", SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&i, count, 32, 0))),
    UNDER(absent_device_limit, "CUDA_VISIBLE_DEVICES=", SAY(cudaDeviceSetLimit(cudaLimitStackSize, 2048))),
    UNDER(absent_device_entry, "CUDA_VISIBLE_DEVICES=", SAY(cudaGetDriverEntryPointByVersion("cuInit", &p, 13000, 0, nullptr)), SHOW(p != nullptr)),
    UNDER(absent_device_profiler, "CUDA_VISIBLE_DEVICES=", SAY(cudaProfilerStart())),
    BARE(visible_set_by_program, setenv("CUDA_VISIBLE_DEVICES", "", 1), SAY(cudaGetDeviceCount(&i)), SHOW(i)),
    BARE(visible_set_too_late, cudaFree(nullptr), setenv("CUDA_VISIBLE_DEVICES", "", 1), SAY(cudaGetDeviceCount(&i)), SHOW(i > 0)),
    UNDER(launch_blocking, "CUDA_LAUNCH_BLOCKING=1", (count<<<1, 1>>>(nullptr)), KEEP(cudaPeekAtLastError()), KEEP(cudaGetLastError())),

    /* Memory of the device. */
    CASE(malloc_null, SAY(cudaMalloc((void **)nullptr, 4))),
    CASE(malloc_null_zero, SAY(cudaMalloc((void **)nullptr, 0))),
    CASE(malloc_zero, p = host, SAY(cudaMalloc(&p, 0)), SHOW(p == nullptr), SHOW(p == host)),
    CASE(malloc_huge, p = host, SAY(cudaMalloc(&p, (size_t)1 << 45)), SHOW(p == nullptr), SHOW(p == host)),
    CASE(malloc_all_bits, SAY(cudaMalloc(&p, (size_t)-1))),
    CASE(malloc_negative_int, SAY(cudaMalloc(&p, (size_t)-4096))),
    CASE(malloc_huge_then_small, KEEP(cudaMalloc(&p, (size_t)1 << 45)), KEEP(cudaMalloc(&p, 64)), KEEP(cudaGetLastError()), KEEP(cudaGetLastError())),
    CASE(malloc_aligned, SAY(cudaMalloc(&p, 1)), SAY(cudaMalloc(&q, 1)), SHOW((uintptr_t)p % 256), SHOW((uintptr_t)q % 256)),
    CASE(free_null, SAY(cudaFree(nullptr))),
    CASE(free_twice, SAY(cudaFree(d)), SAY(cudaFree(d))),
    CASE(free_middle, SAY(cudaFree((char *)d + 256)), SAY(cudaFree(d))),
    CASE(free_one_byte_on, SAY(cudaFree((char *)d + 1))),
    CASE(free_end, SAY(cudaFree((char *)d + 4096))),
    CASE(free_host, SAY(cudaFree(host))),
    CASE(free_malloc, SAY(cudaFree(p = std::malloc(64))), std::free(p)),
    CASE(free_pinned, SAY(cudaFree(pinned)), SAY(cudaFreeHost(pinned))),
    CASE(free_small_number, SAY(cudaFree((void *)0x10))),
    CASE(free_all_bits, SAY(cudaFree((void *)-1))),
    CASE(free_symbol, cudaGetSymbolAddress(&p, symbol), SAY(cudaFree(p))),
    CASE(free_array_as_memory, SAY(cudaFree(allocate_array(0)))),
    CASE(use_after_free, SAY(cudaFree(d)), SAY(cudaMemset(d, 0, 4096))),
    CASE(copy_after_free, SAY(cudaFree(d)), SAY(cudaMemcpy(d, host, 64, cudaMemcpyHostToDevice))),
    CASE(memory_info_null, SAY(cudaMemGetInfo(nullptr, &n))),
    CASE(memory_info_null_again, SAY(cudaMemGetInfo(&n, nullptr))),
    CASE(memory_info_null_again_2, SAY(cudaMemGetInfo(nullptr, nullptr))),
    CASE(pitch_null, SAY(cudaMallocPitch((void **)nullptr, &n, 64, 4))),
    CASE(pitch_null_pitch, SAY(cudaMallocPitch(&p, nullptr, 64, 4))),
    CASE(pitch_no_width, p = host, SAY(cudaMallocPitch(&p, &n, 0, 4)), SHOW(n), SHOW(p == nullptr)),
    CASE(pitch_no_height, p = host, SAY(cudaMallocPitch(&p, &n, 64, 0)), SHOW(n), SHOW(p == nullptr)),
    CASE(pitch_one, SAY(cudaMallocPitch(&p, &n, 1, 1)), SHOW(n)),
    CASE(pitch_513, SAY(cudaMallocPitch(&p, &n, 513, 2)), SHOW(n)),
    CASE(pitch_too_wide, SAY(cudaMallocPitch(&p, &n, (size_t)1 << 32, 1)), SHOW(n)),
    CASE(pitch_overflow, SAY(cudaMallocPitch(&p, &n, (size_t)1 << 40, (size_t)1 << 40))),
    CASE(pitch_huge, SAY(cudaMallocPitch(&p, &n, (size_t)1 << 30, 1 << 20))),
    CASE(malloc_3d_null, SAY(cudaMalloc3D(nullptr, make_cudaExtent(4, 4, 4)))),
    CASE(malloc_3d_empty, SAY(cudaMalloc3D(&pitched, make_cudaExtent(4, 0, 4))), SHOW(pitched.ptr == nullptr), SHOW(pitched.pitch)),
    CASE(malloc_3d_facts, SAY(cudaMalloc3D(&pitched, make_cudaExtent(100, 3, 2))), SHOW(pitched.pitch), SHOW(pitched.xsize), SHOW(pitched.ysize)),
    CASE(malloc_3d_huge, SAY(cudaMalloc3D(&pitched, make_cudaExtent(1 << 20, 1 << 20, 1 << 10)))),

    /* Memory of the host. */
    CASE(pinned_null, SAY(cudaMallocHost((void **)nullptr, 64))),
    CASE(pinned_zero, p = host, SAY(cudaMallocHost(&p, 0)), SHOW(p == nullptr)),
    CASE(pinned_huge, SAY(cudaMallocHost(&p, (size_t)1 << 60))),
    CASE(host_alloc_flags, SAY(cudaHostAlloc(&p, 64, 0xff))),
    CASE(host_alloc_flag_8, SAY(cudaHostAlloc(&p, 64, 8))),
    CASE(host_alloc_null, SAY(cudaHostAlloc((void **)nullptr, 64, 0))),
    CASE(host_alloc_zero, p = host, SAY(cudaHostAlloc(&p, 0, 0)), SHOW(p == nullptr)),
    CASE(host_alloc_get_flags, SAY(cudaHostAlloc(&p, 64, cudaHostAllocWriteCombined)), SAY(cudaHostGetFlags(&u, p)), SHOW(u)),
    CASE(host_alloc_get_flags_portable, SAY(cudaHostAlloc(&p, 64, cudaHostAllocPortable)), SAY(cudaHostGetFlags(&u, p)), SHOW(u)),
    CASE(host_flags_pinned, SAY(cudaHostGetFlags(&u, pinned)), SHOW(u)),
    CASE(host_flags_middle, SAY(cudaHostGetFlags(&u, (char *)pinned + 64)), SHOW(u)),
    CASE(host_flags_null_out, SAY(cudaHostGetFlags(nullptr, pinned))),
    CASE(host_flags_pageable, SAY(cudaHostGetFlags(&u, host)), SHOW(u)),
    CASE(host_flags_device, SAY(cudaHostGetFlags(&u, d)), SHOW(u)),
    CASE(host_flags_null, SAY(cudaHostGetFlags(&u, nullptr)), SHOW(u)),
    CASE(free_host_null, SAY(cudaFreeHost(nullptr))),
    CASE(free_host_malloc, SAY(cudaFreeHost(p = std::malloc(64))), std::free(p)),
    CASE(free_host_static, SAY(cudaFreeHost(host))),
    CASE(free_host_twice, SAY(cudaFreeHost(pinned)), SAY(cudaFreeHost(pinned))),
    CASE(free_host_middle, SAY(cudaFreeHost((char *)pinned + 64))),
    CASE(free_host_device, SAY(cudaFreeHost(d))),
    CASE(free_host_registered, SAY(cudaHostRegister(host, 4096, 0)), SAY(cudaFreeHost(host)), SAY(cudaHostUnregister(host))),
    CASE(register_null, SAY(cudaHostRegister(nullptr, 64, 0))),
    CASE(register_zero, SAY(cudaHostRegister(host, 0, 0))),
    CASE(register_twice, SAY(cudaHostRegister(host, 4096, 0)), SAY(cudaHostRegister(host, 4096, 0))),
    CASE(register_overlap, SAY(cudaHostRegister(host, 8192, 0)), SAY(cudaHostRegister(host + 4096, 8192, 0))),
    CASE(register_inside, SAY(cudaHostRegister(host, 8192, 0)), SAY(cudaHostRegister(host + 64, 64, 0))),
    CASE(register_flags, SAY(cudaHostRegister(host, 4096, 0xff))),
    CASE(register_flag_16, SAY(cudaHostRegister(host, 4096, 16))),
    CASE(register_io, SAY(cudaHostRegister(host, 4096, cudaHostRegisterIoMemory))),
    CASE(register_read_only, SAY(cudaHostRegister(host, 4096, cudaHostRegisterReadOnly))),
    CASE(register_device, SAY(cudaHostRegister(d, 4096, 0))),
    CASE(register_pinned, SAY(cudaHostRegister(pinned, 4096, 0))),
    CASE(register_not_mapped, SAY(cudaHostRegister((void *)0x10000, 4096, 0))),
    CASE(register_all_bits, SAY(cudaHostRegister(host, (size_t)-1, 0))),
    CASE(register_unaligned, SAY(cudaHostRegister(host + 3, 5, 0)), SAY(cudaHostUnregister(host + 3))),
    CASE(register_get_flags, SAY(cudaHostRegister(host, 4096, 0)), SAY(cudaHostGetFlags(&u, host)), SHOW(u)),
    CASE(unregister_unknown, SAY(cudaHostUnregister(host))),
    CASE(unregister_null, SAY(cudaHostUnregister(nullptr))),
    CASE(unregister_middle, SAY(cudaHostRegister(host, 8192, 0)), SAY(cudaHostUnregister(host + 64))),
    CASE(unregister_twice, SAY(cudaHostRegister(host, 4096, 0)), SAY(cudaHostUnregister(host)), SAY(cudaHostUnregister(host))),
    CASE(unregister_pinned, SAY(cudaHostUnregister(pinned))),
    CASE(unregister_device, SAY(cudaHostUnregister(d))),
    CASE(host_pointer_pageable, p = host, SAY(cudaHostGetDevicePointer(&p, host, 0)), SHOW(p == host), SHOW(p == nullptr)),
    CASE(host_pointer_flags, SAY(cudaHostGetDevicePointer(&p, pinned, 1))),
    CASE(host_pointer_null_out, SAY(cudaHostGetDevicePointer((void **)nullptr, pinned, 0))),
    CASE(host_pointer_null, SAY(cudaHostGetDevicePointer(&p, nullptr, 0))),
    CASE(host_pointer_device, SAY(cudaHostGetDevicePointer(&p, d, 0))),
    CASE(host_pointer_pinned, SAY(cudaHostGetDevicePointer(&p, pinned, 0)), SHOW(p == pinned)),
    CASE(host_pointer_middle, SAY(cudaHostGetDevicePointer(&p, (char *)pinned + 64, 0)), SHOW((char *)p - (char *)pinned)),
    CASE(host_pointer_registered, cudaHostRegister(host, 4096, 0), SAY(cudaHostGetDevicePointer(&p, host, 0)), SHOW(p == host)),

    /* What a pointer is. */
#define ABOUT(pointer) \
    SAY(cudaPointerGetAttributes(&about, pointer)), SHOW(about.type), SHOW(about.device), SHOW(about.devicePointer != nullptr), SHOW(about.hostPointer != nullptr)
    CASE(pointer_null_out, SAY(cudaPointerGetAttributes(nullptr, d))),
    CASE(pointer_null, ABOUT(nullptr)),
    CASE(pointer_device, ABOUT(d)),
    CASE(pointer_device_last, ABOUT((char *)d + 4095)),
    CASE(pointer_freed, cudaFree(d), ABOUT(d)),
    CASE(pointer_pageable, ABOUT(host)),
    CASE(pointer_malloc, p = std::malloc(64), ABOUT(p), std::free(p)),
    CASE(pointer_pinned, ABOUT(pinned)),
    CASE(pointer_registered, cudaHostRegister(host, 4096, 0), ABOUT(host)),
    CASE(pointer_unregistered, cudaHostRegister(host, 4096, 0), cudaHostUnregister(host), ABOUT(host)),
    CASE(pointer_symbol, cudaGetSymbolAddress(&p, symbol), ABOUT(p)),
    CASE(pointer_function, ABOUT((const void *)count)),
    CASE(pointer_stray, ABOUT((void *)0x10)),

    /* Copies of one dimension. */
    CASE(copy_swapped, SAY(cudaMemcpy(d, host, 64, cudaMemcpyDeviceToHost))),
    CASE(copy_swapped_back, SAY(cudaMemcpy(host, d, 64, cudaMemcpyHostToDevice))),
    CASE(copy_device_as_host, SAY(cudaMemcpy(host, d, 64, cudaMemcpyHostToHost))),
    CASE(copy_host_as_device, SAY(cudaMemcpy(d, host, 64, cudaMemcpyDeviceToDevice))),
    CASE(copy_host_host_as_device, SAY(cudaMemcpy(host, host + 64, 64, cudaMemcpyDeviceToDevice))),
    CASE(copy_device_to_device_as_up, SAY(cudaMemcpy(d, (char *)d + 64, 64, cudaMemcpyHostToDevice))),
    CASE(copy_device_to_device_as_down, SAY(cudaMemcpy(d, (char *)d + 64, 64, cudaMemcpyDeviceToHost))),
    CASE(copy_pinned_swapped, SAY(cudaMemcpy(d, pinned, 64, cudaMemcpyDeviceToHost))),
    CASE(copy_pinned_as_device, SAY(cudaMemcpy(d, pinned, 64, cudaMemcpyDeviceToDevice))),
    CASE(copy_pinned_as_device_both, SAY(cudaMemcpy(pinned, (char *)pinned + 64, 64, cudaMemcpyDeviceToDevice))),
    CASE(copy_kind_99, SAY(cudaMemcpy(d, host, 64, (cudaMemcpyKind)99))),
    CASE(copy_kind_5, SAY(cudaMemcpy(d, host, 64, (cudaMemcpyKind)5))),
    CASE(copy_kind_negative, SAY(cudaMemcpy(d, host, 64, (cudaMemcpyKind)-1))),
    CASE(copy_kind_99_zero, SAY(cudaMemcpy(d, host, 0, (cudaMemcpyKind)99))),
    CASE(copy_default, SAY(cudaMemcpy(d, host, 64, cudaMemcpyDefault))),
    CASE(copy_past_end, SAY(cudaMemcpy(d, host, 4097, cudaMemcpyHostToDevice))),
    CASE(copy_far_past_end, SAY(cudaMemcpy(d, host, 65536, cudaMemcpyHostToDevice))),
    CASE(copy_past_end_down, SAY(cudaMemcpy(host, d, 4097, cudaMemcpyDeviceToHost))),
    CASE(copy_past_end_async, SAY(cudaMemcpyAsync(d, host, 4097, cudaMemcpyHostToDevice, s))),
    CASE(copy_past_end_between, SAY(cudaMemcpy(d, (char *)d + 2048, 4096, cudaMemcpyDeviceToDevice))),
    CASE(copy_before_start, SAY(cudaMemcpy((char *)d - 64, host, 64, cudaMemcpyHostToDevice))),
    CASE(copy_all_bits, SAY(cudaMemcpy(d, host, (size_t)-1, cudaMemcpyHostToDevice))),
    CASE(copy_overlap, SAY(cudaMemcpy(d, (char *)d + 4, 64, cudaMemcpyDeviceToDevice))),
    CASE(copy_same, SAY(cudaMemcpy(d, d, 64, cudaMemcpyDeviceToDevice))),
    CASE(copy_null_up, SAY(cudaMemcpy(d, nullptr, 64, cudaMemcpyHostToDevice))),
    CASE(copy_null_down, SAY(cudaMemcpy(nullptr, d, 64, cudaMemcpyDeviceToHost))),
    CASE(copy_null_down_async, SAY(cudaMemcpyAsync(nullptr, d, 64, cudaMemcpyDeviceToHost, s))),
    CASE(copy_freed_zero, cudaFree(d), SAY(cudaMemcpy(d, host, 0, cudaMemcpyHostToDevice))),
    CASE(copy_stray_host, SAY(cudaMemcpy(d, (void *)0x10, 64, cudaMemcpyHostToDevice))),
    CASE(copy_stray_device, SAY(cudaMemcpy((void *)0x10, host, 64, cudaMemcpyHostToDevice))),
    CASE(copy_function, SAY(cudaMemcpy(host, (const void *)count, 16, cudaMemcpyDefault))),
    CASE(copy_symbol_name, SAY(cudaMemcpy(symbol, host, 16, cudaMemcpyHostToDevice))),
    CASE(copy_symbol_name_default, SAY(cudaMemcpy(symbol, host, 16, cudaMemcpyDefault))),
    CASE(copy_async_stray_stream, SAY(cudaMemcpyAsync(d, host, 64, cudaMemcpyHostToDevice, STRANGE(cudaStream_t)))),
    CASE(copy_async_destroyed, cudaStreamDestroy(s), SAY(cudaMemcpyAsync(d, host, 64, cudaMemcpyHostToDevice, s))),
    CASE(copy_registered_past_end, cudaHostRegister(host, 4096, 0), SAY(cudaMemcpy(d, host + 4064, 64, cudaMemcpyHostToDevice))),
    CASE(copy_pinned_past_end, SAY(cudaMemcpy(d, (char *)pinned + 4064, 64, cudaMemcpyHostToDevice))),
    CASE(copy_peer_absent, SAY(cudaMemcpyPeer(d, 0, (char *)d + 64, 64, 16))),
    CASE(copy_peer_negative, SAY(cudaMemcpyPeer(d, -1, (char *)d + 64, 0, 16))),
    CASE(copy_peer_same, SAY(cudaMemcpyPeer(d, 0, (char *)d + 64, 0, 16))),
    CASE(copy_peer_host, SAY(cudaMemcpyPeer(d, 0, host, 0, 16))),
    CASE(copy_peer_null, SAY(cudaMemcpyPeer(nullptr, 0, d, 0, 16))),
    CASE(copy_peer_zero, SAY(cudaMemcpyPeer(nullptr, 0, nullptr, 0, 0))),
    CASE(copy_peer_async_absent, SAY(cudaMemcpyPeerAsync(d, 0, (char *)d + 64, 64, 16, s))),

    /* Sets. */
    CASE(set_null, SAY(cudaMemset(nullptr, 0, 64))),
    CASE(set_host, SAY(cudaMemset(host, 0, 64))),
    CASE(set_pinned, SAY(cudaMemset(pinned, 0, 64))),
    CASE(set_past_end, SAY(cudaMemset(d, 0, 4097))),
    CASE(set_all_bits, SAY(cudaMemset(d, 0, (size_t)-1))),
    CASE(set_value_wide, SAY(cudaMemset(d, 0x1234, 4)), SAY(cudaMemcpy(&i, d, 4, cudaMemcpyDeviceToHost)), SHOW(i)),
    CASE(set_async_host, SAY(cudaMemsetAsync(host, 0, 64, s))),
    CASE(set_async_destroyed, cudaStreamDestroy(s), SAY(cudaMemsetAsync(d, 0, 64, s))),
    CASE(set_freed_zero, cudaFree(d), SAY(cudaMemset(d, 0, 0))),
    CASE(set_2d_narrow_pitch, SAY(cudaMemset2D(d, 8, 0, 16, 4))),
    CASE(set_2d_no_pitch, SAY(cudaMemset2D(d, 0, 0, 16, 4))),
    CASE(set_2d_no_pitch_one_row, SAY(cudaMemset2D(d, 0, 0, 16, 1))),
    CASE(set_2d_past_end, SAY(cudaMemset2D(d, 64, 0, 64, 65))),
    CASE(set_2d_null, SAY(cudaMemset2D(nullptr, 64, 0, 64, 4))),
    CASE(set_2d_no_width, SAY(cudaMemset2D(d, 64, 0, 0, 4))),
    CASE(set_2d_no_height, SAY(cudaMemset2D(nullptr, 64, 0, 64, 0))),
    CASE(set_2d_async_host, SAY(cudaMemset2DAsync(host, 64, 0, 64, 4, s))),
    CASE(set_3d_null, SAY(cudaMemset3D(make_cudaPitchedPtr(nullptr, 64, 64, 4), 0, make_cudaExtent(64, 4, 2)))),
    CASE(set_3d_narrow_pitch, SAY(cudaMemset3D(make_cudaPitchedPtr(d, 8, 8, 4), 0, make_cudaExtent(16, 4, 2)))),
    CASE(set_3d_high, SAY(cudaMemset3D(make_cudaPitchedPtr(d, 64, 64, 4), 0, make_cudaExtent(64, 5, 2)))),
    CASE(set_3d_past_end, SAY(cudaMemset3D(make_cudaPitchedPtr(d, 64, 64, 4), 0, make_cudaExtent(64, 4, 17)))),
    CASE(set_3d_empty, SAY(cudaMemset3D(make_cudaPitchedPtr(nullptr, 0, 0, 0), 0, make_cudaExtent(0, 0, 0)))),
    CASE(set_3d_async_host, SAY(cudaMemset3DAsync(make_cudaPitchedPtr(host, 64, 64, 4), 0, make_cudaExtent(64, 4, 2), s))),

    /* Copies of 2 and 3 dimensions. */
    CASE(copy_2d_narrow_from, SAY(cudaMemcpy2D(d, 64, host, 8, 16, 4, cudaMemcpyHostToDevice))),
    CASE(copy_2d_narrow_to, SAY(cudaMemcpy2D(d, 8, host, 64, 16, 4, cudaMemcpyHostToDevice))),
    CASE(copy_2d_no_pitch, SAY(cudaMemcpy2D(d, 0, host, 64, 16, 1, cudaMemcpyHostToDevice))),
    CASE(copy_2d_no_width, SAY(cudaMemcpy2D(d, 64, host, 64, 0, 4, cudaMemcpyHostToDevice))),
    CASE(copy_2d_no_height, SAY(cudaMemcpy2D(d, 64, host, 64, 16, 0, cudaMemcpyHostToDevice))),
    CASE(copy_2d_narrow_no_height, SAY(cudaMemcpy2D(d, 8, host, 8, 16, 0, cudaMemcpyHostToDevice))),
    CASE(copy_2d_past_end, SAY(cudaMemcpy2D(d, 64, host, 64, 64, 65, cudaMemcpyHostToDevice))),
    CASE(copy_2d_huge_pitch, SAY(cudaMemcpy2D(d, (size_t)1 << 32, host, 64, 16, 1, cudaMemcpyHostToDevice))),
    CASE(copy_2d_huge_pitch_rows, SAY(cudaMemcpy2D(d, 64, host, (size_t)1 << 40, 16, 2, cudaMemcpyHostToDevice))),
    CASE(copy_2d_swapped, SAY(cudaMemcpy2D(d, 64, host, 64, 16, 4, cudaMemcpyDeviceToHost))),
    CASE(copy_2d_kind, SAY(cudaMemcpy2D(d, 64, host, 64, 16, 4, (cudaMemcpyKind)99))),
    CASE(copy_2d_null, SAY(cudaMemcpy2D(nullptr, 64, host, 64, 16, 4, cudaMemcpyHostToDevice))),
    CASE(copy_2d_async_narrow, SAY(cudaMemcpy2DAsync(d, 8, host, 64, 16, 4, cudaMemcpyHostToDevice, s))),
    CASE(copy_2d_async_destroyed, cudaStreamDestroy(s), SAY(cudaMemcpy2DAsync(d, 64, host, 64, 16, 4, cudaMemcpyHostToDevice, s))),
    CASE(copy_3d_null, SAY(cudaMemcpy3D(nullptr))),
    CASE(copy_3d_nothing, SAY(copy_3d(nullptr, nullptr, nullptr, nullptr, 16, 2, 1, cudaMemcpyHostToDevice))),
    CASE(copy_3d_no_source, SAY(copy_3d(nullptr, d, nullptr, nullptr, 16, 2, 1, cudaMemcpyHostToDevice))),
    CASE(copy_3d_no_target, SAY(copy_3d(host, nullptr, nullptr, nullptr, 16, 2, 1, cudaMemcpyHostToDevice))),
    CASE(copy_3d_empty, SAY(copy_3d(host, d, nullptr, nullptr, 0, 0, 0, cudaMemcpyHostToDevice))),
    CASE(copy_3d_no_depth, SAY(copy_3d(host, d, nullptr, nullptr, 16, 2, 0, cudaMemcpyHostToDevice))),
    CASE(copy_3d_wide, SAY(copy_3d(host, d, nullptr, nullptr, 65, 2, 1, cudaMemcpyHostToDevice))),
    CASE(copy_3d_high, SAY(copy_3d(host, d, nullptr, nullptr, 16, 5, 2, cudaMemcpyHostToDevice))),
    CASE(copy_3d_deep, SAY(copy_3d(host, d, nullptr, nullptr, 64, 4, 17, cudaMemcpyHostToDevice))),
    CASE(copy_3d_swapped, SAY(copy_3d(host, d, nullptr, nullptr, 16, 2, 1, cudaMemcpyDeviceToHost))),
    CASE(copy_3d_kind, SAY(copy_3d(host, d, nullptr, nullptr, 16, 2, 1, (cudaMemcpyKind)99))),
    CASE(copy_3d_two_sources, allocate_array(0), SAY(copy_3d(host, d, a, nullptr, 16, 2, 1, cudaMemcpyHostToDevice))),
    CASE(copy_3d_array_wide, allocate_array(0), SAY(copy_3d(host, nullptr, nullptr, a, 17, 4, 1, cudaMemcpyHostToDevice))),
    CASE(copy_3d_array_high, allocate_array(0), SAY(copy_3d(host, nullptr, nullptr, a, 16, 5, 1, cudaMemcpyHostToDevice))),
    CASE(copy_3d_array_no_height, allocate_array(0), SAY(copy_3d(host, nullptr, nullptr, a, 16, 0, 1, cudaMemcpyHostToDevice))),
    CASE(copy_3d_array_kind, allocate_array(0), SAY(copy_3d(host, nullptr, nullptr, a, 16, 4, 1, cudaMemcpyDeviceToHost))),
    CASE(copy_3d_at_x, SAY(copy_3d_at(50, 0, 0))),
    CASE(copy_3d_at_y, SAY(copy_3d_at(0, 3, 0))),
    CASE(copy_3d_at_z, SAY(copy_3d_at(0, 0, 17))),

    /* Arrays. */
    CASE(array_null, SAY(cudaMallocArray(nullptr, &floats, 16, 4))),
    CASE(array_null_format, SAY(cudaMallocArray(&a, nullptr, 16, 4))),
    CASE(array_no_width, SAY(cudaMallocArray(&a, &floats, 0, 4)), SHOW(a != nullptr)),
    CASE(array_no_height, SAY(cudaMallocArray(&a, &floats, 16, 0)), SHOW(a != nullptr)),
    CASE(array_wide, SAY(cudaMallocArray(&a, &floats, 131073, 4))),
    CASE(array_high, SAY(cudaMallocArray(&a, &floats, 16, 65537))),
    CASE(array_wide_one, SAY(cudaMallocArray(&a, &floats, 131073, 0))),
    CASE(array_flags, SAY(cudaMallocArray(&a, &floats, 16, 4, 0xff00))),
    CASE(array_cubemap_2d, SAY(cudaMallocArray(&a, &floats, 16, 16, cudaArrayCubemap))),
    CASE(array_bits_3, format = cudaCreateChannelDesc(3, 0, 0, 0, cudaChannelFormatKindFloat), SAY(cudaMallocArray(&a, &format, 16, 4))),
    CASE(array_bits_none, format = cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindFloat), SAY(cudaMallocArray(&a, &format, 16, 4))),
    CASE(array_three_channels, format = cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat), SAY(cudaMallocArray(&a, &format, 16, 4))),
    CASE(array_mixed, format = cudaCreateChannelDesc(32, 16, 0, 0, cudaChannelFormatKindFloat), SAY(cudaMallocArray(&a, &format, 16, 4))),
    CASE(array_float_8, format = cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindFloat), SAY(cudaMallocArray(&a, &format, 16, 4))),
    CASE(array_kind, format = cudaCreateChannelDesc(32, 0, 0, 0, (cudaChannelFormatKind)99), SAY(cudaMallocArray(&a, &format, 16, 4))),
    CASE(array_kind_none, format = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindNone), SAY(cudaMallocArray(&a, &format, 16, 4))),
    CASE(array_3d_null, SAY(cudaMalloc3DArray(nullptr, &floats, make_cudaExtent(4, 4, 4)))),
    CASE(array_3d_no_height, SAY(cudaMalloc3DArray(&a, &floats, make_cudaExtent(4, 0, 4)))),
    CASE(array_3d_large, SAY(cudaMalloc3DArray(&a, &floats, make_cudaExtent(16385, 4, 4)))),
    CASE(array_3d_cube_not_square, SAY(cudaMalloc3DArray(&a, &floats, make_cudaExtent(16, 8, 6), cudaArrayCubemap))),
    CASE(array_3d_cube_5, SAY(cudaMalloc3DArray(&a, &floats, make_cudaExtent(16, 16, 5), cudaArrayCubemap))),
    CASE(array_free_null, SAY(cudaFreeArray(nullptr))),
    CASE(array_free_twice, allocate_array(0), SAY(cudaFreeArray(a)), SAY(cudaFreeArray(a))),
    CASE(array_free_strange, SAY(cudaFreeArray(STRANGE(cudaArray_t)))),
    CASE(array_free_memory, SAY(cudaFreeArray((cudaArray_t)(void *)d))),
    CASE(array_info_null, SAY(cudaArrayGetInfo(&format, &extent, &u, nullptr))),
    CASE(array_info_no_out, allocate_array(0), SAY(cudaArrayGetInfo(nullptr, nullptr, nullptr, a))),
    CASE(array_info, allocate_array(cudaArraySurfaceLoadStore), SAY(cudaArrayGetInfo(&format, &extent, &u, a)), SHOW(extent.width), SHOW(extent.height), SHOW(extent.depth), SHOW(u)),
    CASE(array_channel_null, SAY(cudaGetChannelDesc(nullptr, STRANGE(cudaArray_t)))),
    CASE(array_channel_null_again, SAY(cudaGetChannelDesc(&format, nullptr))),
    CASE(array_copy_wide, allocate_array(0), SAY(cudaMemcpy2DToArray(a, 0, 0, host, 68, 68, 1, cudaMemcpyHostToDevice))),
    CASE(array_copy_offset, allocate_array(0), SAY(cudaMemcpy2DToArray(a, 32, 0, host, 64, 64, 1, cudaMemcpyHostToDevice))),
    CASE(array_copy_high, allocate_array(0), SAY(cudaMemcpy2DToArray(a, 0, 2, host, 64, 64, 3, cudaMemcpyHostToDevice))),
    CASE(array_copy_odd_width, allocate_array(0), SAY(cudaMemcpy2DToArray(a, 0, 0, host, 64, 62, 1, cudaMemcpyHostToDevice))),
    CASE(array_copy_odd_offset, allocate_array(0), SAY(cudaMemcpy2DToArray(a, 2, 0, host, 64, 16, 1, cudaMemcpyHostToDevice))),
    CASE(array_copy_narrow, allocate_array(0), SAY(cudaMemcpy2DToArray(a, 0, 0, host, 16, 64, 2, cudaMemcpyHostToDevice))),
    CASE(array_copy_swapped, allocate_array(0), SAY(cudaMemcpy2DToArray(a, 0, 0, host, 64, 64, 4, cudaMemcpyDeviceToHost))),
    CASE(array_copy_null, SAY(cudaMemcpy2DToArray(nullptr, 0, 0, host, 64, 64, 4, cudaMemcpyHostToDevice))),
    CASE(array_copy_null_from, allocate_array(0), SAY(cudaMemcpy2DToArray(a, 0, 0, nullptr, 64, 64, 4, cudaMemcpyHostToDevice))),
    CASE(array_copy_back_wide, allocate_array(0), SAY(cudaMemcpy2DFromArray(host, 128, a, 0, 0, 128, 1, cudaMemcpyDeviceToHost))),
    CASE(array_copy_back_null, allocate_array(0), SAY(cudaMemcpy2DFromArray(nullptr, 64, a, 0, 0, 64, 4, cudaMemcpyDeviceToHost))),
    CASE(array_copy_back_async, allocate_array(0), SAY(cudaMemcpy2DFromArrayAsync(host, 16, a, 0, 0, 64, 4, cudaMemcpyDeviceToHost, s))),
    CASE(array_copy_async_kind, allocate_array(0), SAY(cudaMemcpy2DToArrayAsync(a, 0, 0, host, 64, 64, 4, (cudaMemcpyKind)99, s))),
    CASE(array_copy_linear, allocate_array(0), SAY(cudaMemcpyToArray(a, 0, 0, host, 257, cudaMemcpyHostToDevice)), SAY(cudaMemcpyFromArray(host, a, 0, 4, 64, cudaMemcpyDeviceToHost))),
    CASE(array_to_array_wide, allocate_array(0), cudaMallocArray(&b, &floats, 8, 4), SAY(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, 64, 4, cudaMemcpyDeviceToDevice))),
    CASE(array_to_array_null, allocate_array(0), SAY(cudaMemcpy2DArrayToArray(nullptr, 0, 0, a, 0, 0, 64, 4, cudaMemcpyDeviceToDevice))),

    /* Textures and surfaces. */
    CASE(texture_null, SAY(cudaCreateTextureObject(nullptr, nullptr, nullptr, nullptr))),
    CASE(texture_null_resource, SAY(cudaCreateTextureObject(&texture, nullptr, nullptr, nullptr))),
    CASE(texture_linear, SAY(texture_of(cudaResourceTypeLinear, d, 4096, 0, 0, PLAIN, floats))),
    CASE(texture_linear_null, SAY(texture_of(cudaResourceTypeLinear, nullptr, 4096, 0, 0, PLAIN, floats))),
    CASE(texture_linear_zero, SAY(texture_of(cudaResourceTypeLinear, d, 0, 0, 0, PLAIN, floats))),
    CASE(texture_linear_misaligned, SAY(texture_of(cudaResourceTypeLinear, (char *)d + 4, 64, 0, 0, PLAIN, floats))),
    CASE(texture_linear_host, SAY(texture_of(cudaResourceTypeLinear, host, 4096, 0, 0, PLAIN, floats))),
    CASE(texture_linear_past_end, SAY(texture_of(cudaResourceTypeLinear, d, 1 << 16, 0, 0, PLAIN, floats))),
    CASE(texture_linear_too_long, SAY(texture_of(cudaResourceTypeLinear, d, (size_t)1 << 40, 0, 0, PLAIN, floats))),
    CASE(texture_linear_filter, SAY(texture_of(cudaResourceTypeLinear, d, 4096, 0, 0, look_at(cudaReadModeElementType, cudaFilterModeLinear, 0, cudaAddressModeClamp), floats))),
    CASE(texture_linear_normalized, SAY(texture_of(cudaResourceTypeLinear, d, 4096, 0, 0, look_at(cudaReadModeElementType, cudaFilterModePoint, 1, cudaAddressModeClamp), floats))),
    CASE(texture_linear_no_format, SAY(texture_of(cudaResourceTypeLinear, d, 4096, 0, 0, PLAIN, cudaChannelFormatDesc{}))),
    CASE(texture_pitch, SAY(texture_of(cudaResourceTypePitch2D, d, 4, 16, 64, PLAIN, floats))),
    CASE(texture_pitch_odd, SAY(texture_of(cudaResourceTypePitch2D, d, 4, 16, 72, PLAIN, floats))),
    CASE(texture_pitch_narrow, SAY(texture_of(cudaResourceTypePitch2D, d, 4, 32, 64, PLAIN, floats))),
    CASE(texture_pitch_wide, SAY(texture_of(cudaResourceTypePitch2D, d, 4, 1 << 20, 1 << 22, PLAIN, floats))),
    CASE(texture_pitch_wrap, SAY(texture_of(cudaResourceTypePitch2D, d, 4, 16, 64, look_at(cudaReadModeElementType, cudaFilterModePoint, 0, cudaAddressModeWrap), floats))),
    CASE(texture_array, SAY(texture_of(cudaResourceTypeArray, allocate_array(0), 0, 0, 0, PLAIN, floats))),
    CASE(texture_array_null, SAY(texture_of(cudaResourceTypeArray, nullptr, 0, 0, 0, PLAIN, floats))),
    CASE(texture_array_normal_float, SAY(texture_of(cudaResourceTypeArray, allocate_array(0), 0, 0, 0, look_at(cudaReadModeNormalizedFloat, cudaFilterModePoint, 0, cudaAddressModeClamp), floats))),
    CASE(texture_array_filter_int, format = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindSigned), cudaMallocArray(&a, &format, 16, 4), SAY(texture_of(cudaResourceTypeArray, a, 0, 0, 0, look_at(cudaReadModeElementType, cudaFilterModeLinear, 0, cudaAddressModeClamp), format))),
    CASE(texture_array_normal_int, format = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindSigned), cudaMallocArray(&a, &format, 16, 4), SAY(texture_of(cudaResourceTypeArray, a, 0, 0, 0, look_at(cudaReadModeNormalizedFloat, cudaFilterModePoint, 0, cudaAddressModeClamp), format))),
    CASE(texture_array_address, SAY(texture_of(cudaResourceTypeArray, allocate_array(0), 0, 0, 0, look_at(cudaReadModeElementType, cudaFilterModePoint, 0, (cudaTextureAddressMode)99), floats))),
    CASE(texture_array_filter, SAY(texture_of(cudaResourceTypeArray, allocate_array(0), 0, 0, 0, look_at(cudaReadModeElementType, (cudaTextureFilterMode)99, 0, cudaAddressModeClamp), floats))),
    CASE(texture_type, SAY(texture_of((cudaResourceType)99, d, 0, 0, 0, PLAIN, floats))),
    CASE(texture_destroy_none, SAY(cudaDestroyTextureObject(0))),
    CASE(texture_destroy_strange, SAY(cudaDestroyTextureObject(12345))),
    CASE(texture_destroy_twice, texture_of(cudaResourceTypeLinear, d, 4096, 0, 0, PLAIN, floats), SAY(cudaDestroyTextureObject(texture)), SAY(cudaDestroyTextureObject(texture))),
    CASE(surface_no_flag, SAY(surface_of(cudaResourceTypeArray, allocate_array(0)))),
    CASE(surface_array, SAY(surface_of(cudaResourceTypeArray, allocate_array(cudaArraySurfaceLoadStore)))),
    CASE(surface_null_array, SAY(surface_of(cudaResourceTypeArray, nullptr))),
    CASE(surface_linear, SAY(surface_of(cudaResourceTypeLinear, d))),
    CASE(surface_null, SAY(cudaCreateSurfaceObject(nullptr, nullptr))),
    CASE(surface_null_again, SAY(cudaCreateSurfaceObject(&surface, nullptr))),
    CASE(surface_destroy_none, SAY(cudaDestroySurfaceObject(0))),
    CASE(surface_destroy_strange, SAY(cudaDestroySurfaceObject(12345))),

    /* Symbols. */
    CASE(symbol_to_null, SAY(cudaMemcpyToSymbol(nullptr, host, 4))),
    CASE(symbol_to_strange, SAY(cudaMemcpyToSymbol(host, host, 4))),
    CASE(symbol_to_address, cudaGetSymbolAddress(&p, symbol), SAY(cudaMemcpyToSymbol(p, host, 4))),
    CASE(symbol_to_name, SAY(cudaMemcpyToSymbol("symbol", host, 4))),
    CASE(symbol_to_function, SAY(cudaMemcpyToSymbol((const void *)count, host, 4))),
    CASE(symbol_to_long, SAY(cudaMemcpyToSymbol(symbol, host, 65))),
    CASE(symbol_to_offset, SAY(cudaMemcpyToSymbol(symbol, host, 4, 64))),
    CASE(symbol_to_offset_wraps, SAY(cudaMemcpyToSymbol(symbol, host, 8, (size_t)-4))),
    CASE(symbol_to_zero, SAY(cudaMemcpyToSymbol(symbol, host, 0))),
    CASE(symbol_to_null_from, SAY(cudaMemcpyToSymbol(symbol, nullptr, 4))),
    CASE(symbol_to_kind, SAY(cudaMemcpyToSymbol(symbol, host, 4, 0, cudaMemcpyDeviceToHost))),
    CASE(symbol_to_kind_host, SAY(cudaMemcpyToSymbol(symbol, host, 4, 0, cudaMemcpyHostToHost))),
    CASE(symbol_to_kind_99, SAY(cudaMemcpyToSymbol(symbol, host, 4, 0, (cudaMemcpyKind)99))),
    CASE(symbol_to_device_as_host, SAY(cudaMemcpyToSymbol(symbol, d, 4))),
    CASE(symbol_to_default, SAY(cudaMemcpyToSymbol(symbol, d, 4, 0, cudaMemcpyDefault))),
    CASE(symbol_constant_long, SAY(cudaMemcpyToSymbol(fixed_symbol, host, 17))),
    CASE(symbol_async_destroyed, cudaStreamDestroy(s), SAY(cudaMemcpyToSymbolAsync(symbol, host, 4, 0, cudaMemcpyHostToDevice, s))),
    CASE(symbol_async_offset, SAY(cudaMemcpyToSymbolAsync(symbol, host, 4, 62, cudaMemcpyHostToDevice, s))),
    CASE(symbol_from_null, SAY(cudaMemcpyFromSymbol(host, nullptr, 4))),
    CASE(symbol_from_strange, SAY(cudaMemcpyFromSymbol(host, host, 4))),
    CASE(symbol_from_null_to, SAY(cudaMemcpyFromSymbol(nullptr, symbol, 4))),
    CASE(symbol_from_kind, SAY(cudaMemcpyFromSymbol(host, symbol, 4, 0, cudaMemcpyHostToDevice))),
    CASE(symbol_from_long, SAY(cudaMemcpyFromSymbol(host, symbol, 65))),
    CASE(symbol_from_async_long, SAY(cudaMemcpyFromSymbolAsync(host, symbol, 65, 0, cudaMemcpyDeviceToHost, s))),
    CASE(symbol_address_null, SAY(cudaGetSymbolAddress(&p, nullptr))),
    CASE(symbol_address_null_out, SAY(cudaGetSymbolAddress(nullptr, symbol))),
    CASE(symbol_address_strange, SAY(cudaGetSymbolAddress(&p, host)), SHOW(p == nullptr)),
    CASE(symbol_address_function, SAY(cudaGetSymbolAddress(&p, (const void *)count))),
    CASE(symbol_size, SAY(cudaGetSymbolSize(&n, symbol)), SHOW(n)),
    CASE(symbol_size_null, SAY(cudaGetSymbolSize(nullptr, symbol))),
    CASE(symbol_size_strange, SAY(cudaGetSymbolSize(&n, host)), SHOW(n)),

    /* Pools. */
    CASE(async_null, SAY(cudaMallocAsync((void **)nullptr, 64, s))),
    CASE(async_zero, p = host, SAY(cudaMallocAsync(&p, 0, s)), SHOW(p == nullptr)),
    CASE(async_huge, SAY(cudaMallocAsync(&p, (size_t)1 << 45, s))),
    CASE(async_all_bits, SAY(cudaMallocAsync(&p, (size_t)-1, s))),
    CASE(async_destroyed_stream, cudaStreamDestroy(s), SAY(cudaMallocAsync(&p, 64, s))),
    CASE(async_free_null, SAY(cudaFreeAsync(nullptr, s))),
    CASE(async_free_host, SAY(cudaFreeAsync(host, s))),
    CASE(async_free_pinned, SAY(cudaFreeAsync(pinned, s))),
    CASE(async_free_plain, SAY(cudaFreeAsync(d, s)), SAY(cudaStreamSynchronize(s)), SAY(cudaFree(d))),
    CASE(async_free_twice, cudaMallocAsync(&p, 64, s), SAY(cudaFreeAsync(p, s)), SAY(cudaFreeAsync(p, s))),
    CASE(async_free_middle, cudaMallocAsync(&p, 64, s), SAY(cudaFreeAsync((char *)p + 16, s))),
    CASE(async_free_by_free, cudaMallocAsync(&p, 64, s), SAY(cudaFree(p)), SAY(cudaFreeAsync(p, s))),
    CASE(async_use_after_free, cudaMallocAsync(&p, 64, s), SAY(cudaFreeAsync(p, s)), SAY(cudaStreamSynchronize(s)), SAY(cudaMemsetAsync(p, 0, 64, s))),
    CASE(async_past_end, cudaMallocAsync(&p, 64, s), SAY(cudaMemsetAsync(p, 0, (size_t)1 << 30, s))),
    CASE(pool_from_null, SAY(cudaMallocFromPoolAsync(&p, 64, nullptr, s))),
    CASE(pool_from_strange, SAY(cudaMallocFromPoolAsync(&p, 64, STRANGE(cudaMemPool_t), s))),
    CASE(pool_default_null, SAY(cudaDeviceGetDefaultMemPool(nullptr, 0))),
    CASE(pool_default_absent, SAY(cudaDeviceGetDefaultMemPool(&pool, 64))),
    CASE(pool_get_absent, SAY(cudaDeviceGetMemPool(&pool, -1))),
    CASE(pool_get_null, SAY(cudaDeviceGetMemPool(nullptr, 0))),
    CASE(pool_set_null, SAY(cudaDeviceSetMemPool(0, nullptr))),
    CASE(pool_set_absent, SAY(cudaDeviceSetMemPool(64, own_pool()))),
    CASE(pool_create_null, SAY(cudaMemPoolCreate(nullptr, nullptr))),
    CASE(pool_create_null_again, SAY(cudaMemPoolCreate(&pool, nullptr))),
    CASE(pool_create_type, SAY(pool_of(cudaMemAllocationTypeInvalid, cudaMemHandleTypeNone, cudaMemLocationTypeDevice, 0))),
    CASE(pool_create_absent, SAY(pool_of(cudaMemAllocationTypePinned, cudaMemHandleTypeNone, cudaMemLocationTypeDevice, 64))),
    CASE(pool_create_nowhere, SAY(pool_of(cudaMemAllocationTypePinned, cudaMemHandleTypeNone, cudaMemLocationTypeInvalid, 0))),
    CASE(pool_create_win32, SAY(pool_of(cudaMemAllocationTypePinned, cudaMemHandleTypeWin32, cudaMemLocationTypeDevice, 0))),
    CASE(pool_create_destroy, SAY(pool_of(cudaMemAllocationTypePinned, cudaMemHandleTypeNone, cudaMemLocationTypeDevice, 0)), SAY(cudaMemPoolDestroy(pool)), SAY(cudaMemPoolDestroy(pool))),
    CASE(pool_destroy_null, SAY(cudaMemPoolDestroy(nullptr))),
    CASE(pool_destroy_default, SAY(cudaMemPoolDestroy(own_pool()))),
    CASE(pool_trim_null, SAY(cudaMemPoolTrimTo(nullptr, 0))),
    CASE(pool_attribute_null, SAY(cudaMemPoolSetAttribute(nullptr, cudaMemPoolAttrReleaseThreshold, &wide))),
    CASE(pool_attribute_null_again, SAY(cudaMemPoolSetAttribute(own_pool(), cudaMemPoolAttrReleaseThreshold, nullptr))),
    CASE(pool_attribute_unknown, SAY(cudaMemPoolSetAttribute(own_pool(), (cudaMemPoolAttr)99, &wide))),
    CASE(pool_attribute_fixed, SAY(cudaMemPoolSetAttribute(own_pool(), cudaMemPoolAttrReservedMemCurrent, &wide))),
    CASE(pool_attribute_high, SAY(cudaMemPoolSetAttribute(own_pool(), cudaMemPoolAttrUsedMemHigh, &wide)), wide = 0, SAY(cudaMemPoolSetAttribute(own_pool(), cudaMemPoolAttrUsedMemHigh, &wide))),
    CASE(pool_access_absent, SAY(pool_access(64, cudaMemAccessFlagsProtReadWrite))),
    CASE(pool_access_none, SAY(pool_access(0, cudaMemAccessFlagsProtNone))),
    CASE(pool_access_read, SAY(pool_access(0, cudaMemAccessFlagsProtRead))),
    CASE(pool_access_99, SAY(pool_access(0, (cudaMemAccessFlags)99))),
    CASE(pool_access_null, SAY(cudaMemPoolSetAccess(own_pool(), nullptr, 1))),
    CASE(pool_access_null_again, SAY(cudaMemPoolSetAccess(own_pool(), nullptr, 0))),
    CASE(pool_access_get_null, SAY(cudaMemPoolGetAccess(nullptr, nullptr, nullptr))),
    CASE(graph_memory_absent, SAY(cudaDeviceGraphMemTrim(64)), SAY(cudaDeviceGetGraphMemAttribute(64, cudaGraphMemAttrUsedMemCurrent, &wide))),
    CASE(graph_memory_unknown, SAY(cudaDeviceGetGraphMemAttribute(0, (cudaGraphMemAttributeType)99, &wide)), SAY(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &wide))),
    CASE(advise_plain, SAY(cudaMemAdvise(d, 4096, cudaMemAdviseSetReadMostly, {cudaMemLocationTypeDevice, 0}))),
    CASE(advise_unknown, SAY(cudaMemAdvise(d, 4096, (cudaMemoryAdvise)99, {cudaMemLocationTypeDevice, 0}))),
    CASE(advise_null, SAY(cudaMemAdvise(nullptr, 4096, cudaMemAdviseSetReadMostly, {cudaMemLocationTypeDevice, 0}))),
    CASE(prefetch_plain, SAY(cudaMemPrefetchAsync(d, 4096, {cudaMemLocationTypeDevice, 0}, 0, s))),
    CASE(prefetch_pinned, SAY(cudaMemPrefetchAsync(pinned, 4096, {cudaMemLocationTypeDevice, 0}, 0, s))),
    CASE(prefetch_absent, SAY(cudaMemPrefetchAsync(d, 4096, {cudaMemLocationTypeDevice, 64}, 0, s))),
    CASE(prefetch_flags, SAY(cudaMemPrefetchAsync(d, 4096, {cudaMemLocationTypeDevice, 0}, 1, s))),
    CASE(prefetch_zero, SAY(cudaMemPrefetchAsync(d, 0, {cudaMemLocationTypeDevice, 0}, 0, s))),

    /* The last error. */
    BARE(error_first, KEEP(cudaPeekAtLastError()), KEEP(cudaGetLastError())),
    CASE(error_peek_keeps, cudaSetDevice(64), KEEP(cudaPeekAtLastError()), KEEP(cudaPeekAtLastError())),
    CASE(error_get_takes, cudaSetDevice(64), KEEP(cudaGetLastError()), KEEP(cudaGetLastError())),
    CASE(error_success_keeps, cudaSetDevice(64), KEEP(cudaMemset(d, 0, 4)), KEEP(cudaDeviceSynchronize()), KEEP(cudaGetLastError())),
    CASE(error_second_wins, cudaSetDevice(64), KEEP(cudaMalloc(&p, (size_t)1 << 45)), KEEP(cudaGetLastError()), KEEP(cudaGetLastError())),
    CASE(error_launch_then_call, (count<<<0, 1>>>(d)), KEEP(cudaMemset(d, 0, 4)), KEEP(cudaGetLastError()), KEEP(cudaGetLastError())),
    CASE(error_launch_then_launch, (count<<<0, 1>>>(d)), (count<<<1, 1>>>(d)), KEEP(cudaPeekAtLastError())),
    CASE(error_before_launch, cudaSetDevice(64), (count<<<1, 1>>>(d)), KEEP(cudaGetLastError())),
    CASE(error_not_latched_query, KEEP(cudaEventQuery(nullptr)), KEEP(cudaStreamQuery(s))),
    BARE(error_name_0, device_error(0)),
    BARE(error_name_negative, device_error(-1)),
    BARE(error_name_10, device_error(10)),
    BARE(error_name_700, device_error(700)),
    BARE(error_name_719, device_error(719)),
    BARE(error_name_912, device_error(912)),
    BARE(error_name_999, device_error(999)),
    BARE(error_name_1000, device_error(1000)),
    BARE(error_name_10000, device_error(10000)),
};
/* clang-format on */

int main(int argc, char **argv)
{
    return answer_case(cases, argc, argv, prepare_memory, finish_case);
}
// SPDX-License-Identifier: Apache-2.0
