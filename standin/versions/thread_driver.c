/*
 * The driver's functions for a default stream of each thread (CUDA_API_PER_THREAD_DEFAULT_STREAM): the names
 * of cuda.h with _ptsz (stream 0 is the thread's) and _ptds (there is no stream: it is the thread's, and the
 * call waits for it). The model has one such stream for all threads.
 */
#include "standin/driver.h"

static CUstream own_stream(CUstream stream)
{
    return stream ? stream : CU_STREAM_PER_THREAD;
}

static CUresult wait_own(CUresult code)
{
    return code == CUDA_SUCCESS ? cuStreamSynchronize(CU_STREAM_PER_THREAD) : code;
}

/* A function, and the call that it makes. */
#define FUNCTION(name, parameters, call) \
    CUresult name parameters;            \
    STANDIN_API CUresult name parameters \
    {                                    \
        return call;                     \
    }

/* ---- launches ---- */
FUNCTION(cuLaunchKernel_ptsz,
         (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
          unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void **arguments,
          void **extra),
         cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes,
                        own_stream(stream), arguments, extra))
FUNCTION(cuLaunchCooperativeKernel_ptsz,
         (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
          unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void **arguments),
         cuLaunchCooperativeKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes,
                                   own_stream(stream), arguments))
FUNCTION(cuLaunchHostFunc_ptsz, (CUstream stream, CUhostFn function, void *argument),
         cuLaunchHostFunc(own_stream(stream), function, argument))

CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction function, void **arguments,
                               void **extra);
STANDIN_API CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction function,
                                           void **arguments, void **extra)
{
    CUlaunchConfig copy = *config;

    copy.hStream = own_stream(copy.hStream);
    return cuLaunchKernelEx(&copy, function, arguments, extra);
}

/* ---- copies ---- */
FUNCTION(cuMemcpyAsync_ptsz, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream),
         cuMemcpyAsync(to, from, bytes, own_stream(stream)))
FUNCTION(cuMemcpy_ptds, (CUdeviceptr to, CUdeviceptr from, size_t bytes),
         wait_own(cuMemcpyAsync(to, from, bytes, CU_STREAM_PER_THREAD)))
FUNCTION(cuMemcpyHtoDAsync_v2_ptsz, (CUdeviceptr to, const void *from, size_t bytes, CUstream stream),
         cuMemcpyHtoDAsync(to, from, bytes, own_stream(stream)))
FUNCTION(cuMemcpyHtoD_v2_ptds, (CUdeviceptr to, const void *from, size_t bytes),
         wait_own(cuMemcpyHtoDAsync(to, from, bytes, CU_STREAM_PER_THREAD)))
FUNCTION(cuMemcpyDtoHAsync_v2_ptsz, (void *to, CUdeviceptr from, size_t bytes, CUstream stream),
         cuMemcpyDtoHAsync(to, from, bytes, own_stream(stream)))
FUNCTION(cuMemcpyDtoH_v2_ptds, (void *to, CUdeviceptr from, size_t bytes),
         wait_own(cuMemcpyDtoHAsync(to, from, bytes, CU_STREAM_PER_THREAD)))
FUNCTION(cuMemcpyDtoDAsync_v2_ptsz, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream),
         cuMemcpyDtoDAsync(to, from, bytes, own_stream(stream)))
FUNCTION(cuMemcpyDtoD_v2_ptds, (CUdeviceptr to, CUdeviceptr from, size_t bytes),
         wait_own(cuMemcpyDtoDAsync(to, from, bytes, CU_STREAM_PER_THREAD)))
FUNCTION(cuMemcpy2DAsync_v2_ptsz, (const CUDA_MEMCPY2D *copy, CUstream stream),
         cuMemcpy2DAsync(copy, own_stream(stream)))
FUNCTION(cuMemcpy2D_v2_ptds, (const CUDA_MEMCPY2D *copy),
         wait_own(cuMemcpy2DAsync(copy, CU_STREAM_PER_THREAD)))
FUNCTION(cuMemcpy2DUnaligned_v2_ptds, (const CUDA_MEMCPY2D *copy),
         wait_own(cuMemcpy2DAsync(copy, CU_STREAM_PER_THREAD)))
FUNCTION(cuMemcpy3DAsync_v2_ptsz, (const CUDA_MEMCPY3D *copy, CUstream stream),
         cuMemcpy3DAsync(copy, own_stream(stream)))
FUNCTION(cuMemcpy3D_v2_ptds, (const CUDA_MEMCPY3D *copy),
         wait_own(cuMemcpy3DAsync(copy, CU_STREAM_PER_THREAD)))

/* As those without _ptds: on the model's clock they are copies of the legacy stream. */
FUNCTION(cuMemcpyHtoA_v2_ptds, (CUarray to, size_t offset, const void *from, size_t bytes),
         cuMemcpyHtoA(to, offset, from, bytes))
FUNCTION(cuMemcpyAtoH_v2_ptds, (void *to, CUarray from, size_t offset, size_t bytes),
         cuMemcpyAtoH(to, from, offset, bytes))
FUNCTION(cuMemcpyHtoAAsync_v2_ptsz,
         (CUarray to, size_t offset, const void *from, size_t bytes, CUstream stream),
         cuMemcpyHtoAAsync(to, offset, from, bytes, own_stream(stream)))
FUNCTION(cuMemcpyAtoHAsync_v2_ptsz, (void *to, CUarray from, size_t offset, size_t bytes, CUstream stream),
         cuMemcpyAtoHAsync(to, from, offset, bytes, own_stream(stream)))
FUNCTION(cuMemcpyDtoA_v2_ptds, (CUarray to, size_t offset, CUdeviceptr from, size_t bytes),
         cuMemcpyDtoA(to, offset, from, bytes))
FUNCTION(cuMemcpyAtoD_v2_ptds, (CUdeviceptr to, CUarray from, size_t offset, size_t bytes),
         cuMemcpyAtoD(to, from, offset, bytes))
FUNCTION(cuMemcpyAtoA_v2_ptds, (CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t bytes),
         cuMemcpyAtoA(to, to_offset, from, from_offset, bytes))

/* ---- sets and allocations ---- */
#define SET(width, type)                                                                                \
    FUNCTION(cuMemsetD##width##Async_ptsz, (CUdeviceptr to, type value, size_t count, CUstream stream), \
             cuMemsetD##width##Async(to, value, count, own_stream(stream)))                             \
    FUNCTION(cuMemsetD##width##_v2_ptds, (CUdeviceptr to, type value, size_t count),                    \
             cuMemsetD##width##Async(to, value, count, CU_STREAM_PER_THREAD))                           \
    FUNCTION(cuMemsetD2D##width##Async_ptsz,                                                            \
             (CUdeviceptr to, size_t pitch, type value, size_t row, size_t rows, CUstream stream),      \
             cuMemsetD2D##width##Async(to, pitch, value, row, rows, own_stream(stream)))                \
    FUNCTION(cuMemsetD2D##width##_v2_ptds,                                                              \
             (CUdeviceptr to, size_t pitch, type value, size_t row, size_t rows),                       \
             cuMemsetD2D##width##Async(to, pitch, value, row, rows, CU_STREAM_PER_THREAD))
SET(8, unsigned char)
SET(16, unsigned short)
SET(32, unsigned)
FUNCTION(cuMemAllocAsync_ptsz, (CUdeviceptr * address, size_t bytes, CUstream stream),
         cuMemAllocAsync(address, bytes, own_stream(stream)))
FUNCTION(cuMemAllocFromPoolAsync_ptsz,
         (CUdeviceptr * address, size_t bytes, CUmemoryPool pool, CUstream stream),
         cuMemAllocFromPoolAsync(address, bytes, pool, own_stream(stream)))
FUNCTION(cuMemFreeAsync_ptsz, (CUdeviceptr address, CUstream stream),
         cuMemFreeAsync(address, own_stream(stream)))

/* ---- streams, events, graphs ---- */
FUNCTION(cuStreamSynchronize_ptsz, (CUstream stream), cuStreamSynchronize(own_stream(stream)))
FUNCTION(cuStreamQuery_ptsz, (CUstream stream), cuStreamQuery(own_stream(stream)))
FUNCTION(cuStreamWaitEvent_ptsz, (CUstream stream, CUevent event, unsigned flags),
         cuStreamWaitEvent(own_stream(stream), event, flags))
FUNCTION(cuStreamAddCallback_ptsz,
         (CUstream stream, CUstreamCallback function, void *argument, unsigned flags),
         cuStreamAddCallback(own_stream(stream), function, argument, flags))
FUNCTION(cuStreamAttachMemAsync_ptsz, (CUstream stream, CUdeviceptr address, size_t bytes, unsigned flags),
         cuStreamAttachMemAsync(own_stream(stream), address, bytes, flags))
FUNCTION(cuStreamGetFlags_ptsz, (CUstream stream, unsigned *flags),
         cuStreamGetFlags(own_stream(stream), flags))
FUNCTION(cuStreamGetPriority_ptsz, (CUstream stream, int *priority),
         cuStreamGetPriority(own_stream(stream), priority))
FUNCTION(cuStreamGetCtx_ptsz, (CUstream stream, CUcontext *context),
         cuStreamGetCtx(own_stream(stream), context))
FUNCTION(cuStreamIsCapturing_ptsz, (CUstream stream, CUstreamCaptureStatus *status),
         cuStreamIsCapturing(own_stream(stream), status))
FUNCTION(cuStreamBeginCapture_v2_ptsz, (CUstream stream, CUstreamCaptureMode mode),
         cuStreamBeginCapture(own_stream(stream), mode))
FUNCTION(cuStreamEndCapture_ptsz, (CUstream stream, CUgraph *graph),
         cuStreamEndCapture(own_stream(stream), graph))
FUNCTION(cuEventRecord_ptsz, (CUevent event, CUstream stream), cuEventRecord(event, own_stream(stream)))
FUNCTION(cuEventRecordWithFlags_ptsz, (CUevent event, CUstream stream, unsigned flags),
         cuEventRecordWithFlags(event, own_stream(stream), flags))
FUNCTION(cuGraphLaunch_ptsz, (CUgraphExec executable, CUstream stream),
         cuGraphLaunch(executable, own_stream(stream)))
