/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program calls that was built for a default stream of each thread (nvcc --default-stream per-thread,
 * CUDA_API_PER_THREAD_DEFAULT_STREAM): the names of cuda_runtime_api.h and of cuda.h with _ptsz (stream 0 is the thread's) and _ptds (there is no stream: it is
 * the thread's, and the call waits for it). The model has one such stream for all threads.
 */
#include "standin/standin.h"

#include "standin/driver.h"

/* ---- the runtime API ---- */

static cudaStream_t own_stream(cudaStream_t stream)
{
    return stream ? stream : cudaStreamPerThread;
}

static cudaError_t wait_own(cudaError_t code)
{
    return code == cudaSuccess ? cudaStreamSynchronize(cudaStreamPerThread) : code;
}

/* A function, and the call that it makes. */
#define FUNCTION_OF(result, name, parameters, call) \
    result name parameters;                         \
    STANDIN_API result name parameters              \
    {                                               \
        return call;                                \
    }
#define FUNCTION(name, parameters, call) FUNCTION_OF(cudaError_t, name, parameters, call)
#define DRIVER_FUNCTION(name, parameters, call) FUNCTION_OF(CUresult, name, parameters, call)

/* ---- launches ---- */
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t shared_bytes, cudaStream_t stream);
FUNCTION(__cudaLaunchKernel_ptsz,
         (cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
          cudaStream_t stream),
         __cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, own_stream(stream)))
FUNCTION(cudaLaunchKernel_ptsz,
         (const void *function, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
          cudaStream_t stream),
         cudaLaunchKernel(function, grid, block, arguments, shared_bytes, own_stream(stream)))
FUNCTION(cudaLaunchCooperativeKernel_ptsz,
         (const void *function, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
          cudaStream_t stream),
         cudaLaunchCooperativeKernel(function, grid, block, arguments, shared_bytes, own_stream(stream)))
FUNCTION(cudaLaunchHostFunc_ptsz, (cudaStream_t stream, cudaHostFn_t function, void *argument),
         cudaLaunchHostFunc(own_stream(stream), function, argument))

cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *function,
                                     void **arguments);
STANDIN_API cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *function,
                                                 void **arguments)
{
    cudaLaunchConfig_t copy = *config;

    copy.stream = own_stream(copy.stream);
    return cudaLaunchKernelExC(&copy, function, arguments);
}

/* ---- copies ---- */
FUNCTION(cudaMemcpy_ptds, (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind),
         wait_own(cudaMemcpyAsync(to, from, bytes, kind, cudaStreamPerThread)))
FUNCTION(cudaMemcpyAsync_ptsz,
         (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream),
         cudaMemcpyAsync(to, from, bytes, kind, own_stream(stream)))
FUNCTION(cudaMemcpy2D_ptds,
         (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
          enum cudaMemcpyKind kind),
         wait_own(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind,
                                    cudaStreamPerThread)))
FUNCTION(cudaMemcpy2DAsync_ptsz,
         (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
          enum cudaMemcpyKind kind, cudaStream_t stream),
         cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, own_stream(stream)))
FUNCTION(cudaMemcpy3D_ptds, (const struct cudaMemcpy3DParms *what),
         wait_own(cudaMemcpy3DAsync(what, cudaStreamPerThread)))
FUNCTION(cudaMemcpy3DAsync_ptsz, (const struct cudaMemcpy3DParms *what, cudaStream_t stream),
         cudaMemcpy3DAsync(what, own_stream(stream)))
FUNCTION(cudaMemcpyToSymbol_ptds,
         (const void *symbol, const void *from, size_t bytes, size_t offset, enum cudaMemcpyKind kind),
         wait_own(cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, cudaStreamPerThread)))
FUNCTION(cudaMemcpyToSymbolAsync_ptsz,
         (const void *symbol, const void *from, size_t bytes, size_t offset, enum cudaMemcpyKind kind,
          cudaStream_t stream),
         cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, own_stream(stream)))
FUNCTION(cudaMemcpyFromSymbol_ptds,
         (void *to, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind),
         wait_own(cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, cudaStreamPerThread)))
FUNCTION(cudaMemcpyFromSymbolAsync_ptsz,
         (void *to, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind,
          cudaStream_t stream),
         cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, own_stream(stream)))
FUNCTION(cudaMemcpy2DToArray_ptds,
         (cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,
          enum cudaMemcpyKind kind),
         wait_own(cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, cudaStreamPerThread)))
FUNCTION(cudaMemcpy2DToArrayAsync_ptsz,
         (cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,
          enum cudaMemcpyKind kind, cudaStream_t stream),
         cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, own_stream(stream)))
FUNCTION(cudaMemcpy2DFromArray_ptds,
         (void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height,
          enum cudaMemcpyKind kind),
         wait_own(cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind,
                                             cudaStreamPerThread)))
FUNCTION(cudaMemcpy2DFromArrayAsync_ptsz,
         (void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height,
          enum cudaMemcpyKind kind, cudaStream_t stream),
         cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, own_stream(stream)))

/* ---- sets and allocations ---- */
FUNCTION(cudaMemset_ptds, (void *pointer, int value, size_t bytes),
         wait_own(cudaMemsetAsync(pointer, value, bytes, cudaStreamPerThread)))
FUNCTION(cudaMemsetAsync_ptsz, (void *pointer, int value, size_t bytes, cudaStream_t stream),
         cudaMemsetAsync(pointer, value, bytes, own_stream(stream)))
FUNCTION(cudaMemset2D_ptds, (void *pointer, size_t pitch, int value, size_t width, size_t height),
         wait_own(cudaMemset2DAsync(pointer, pitch, value, width, height, cudaStreamPerThread)))
FUNCTION(cudaMemset2DAsync_ptsz,
         (void *pointer, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream),
         cudaMemset2DAsync(pointer, pitch, value, width, height, own_stream(stream)))
FUNCTION(cudaMallocAsync_ptsz, (void **pointer, size_t bytes, cudaStream_t stream),
         cudaMallocAsync(pointer, bytes, own_stream(stream)))
FUNCTION(cudaMallocFromPoolAsync_ptsz,
         (void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream),
         cudaMallocFromPoolAsync(pointer, bytes, pool, own_stream(stream)))
FUNCTION(cudaFreeAsync_ptsz, (void *pointer, cudaStream_t stream), cudaFreeAsync(pointer, own_stream(stream)))
FUNCTION(cudaMemPrefetchAsync_ptsz,
         (const void *pointer, size_t bytes, struct cudaMemLocation location, unsigned flags,
          cudaStream_t stream),
         cudaMemPrefetchAsync(pointer, bytes, location, flags, own_stream(stream)))
FUNCTION(cudaMemPrefetchAsync_v2_ptsz,
         (const void *pointer, size_t bytes, struct cudaMemLocation location, unsigned flags,
          cudaStream_t stream),
         cudaMemPrefetchAsync(pointer, bytes, location, flags, own_stream(stream)))

/* ---- streams, events, graphs ---- */
FUNCTION(cudaStreamSynchronize_ptsz, (cudaStream_t stream), cudaStreamSynchronize(own_stream(stream)))
FUNCTION(cudaStreamQuery_ptsz, (cudaStream_t stream), cudaStreamQuery(own_stream(stream)))
FUNCTION(cudaStreamWaitEvent_ptsz, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
         cudaStreamWaitEvent(own_stream(stream), event, flags))
FUNCTION(cudaStreamAddCallback_ptsz,
         (cudaStream_t stream, cudaStreamCallback_t function, void *argument, unsigned flags),
         cudaStreamAddCallback(own_stream(stream), function, argument, flags))
FUNCTION(cudaStreamAttachMemAsync_ptsz, (cudaStream_t stream, void *pointer, size_t bytes, unsigned flags),
         cudaStreamAttachMemAsync(own_stream(stream), pointer, bytes, flags))
FUNCTION(cudaStreamGetFlags_ptsz, (cudaStream_t stream, unsigned *flags),
         cudaStreamGetFlags(own_stream(stream), flags))
FUNCTION(cudaStreamGetPriority_ptsz, (cudaStream_t stream, int *priority),
         cudaStreamGetPriority(own_stream(stream), priority))
FUNCTION(cudaStreamIsCapturing_ptsz, (cudaStream_t stream, enum cudaStreamCaptureStatus *status),
         cudaStreamIsCapturing(own_stream(stream), status))
FUNCTION(cudaStreamBeginCapture_ptsz, (cudaStream_t stream, enum cudaStreamCaptureMode mode),
         cudaStreamBeginCapture(own_stream(stream), mode))
FUNCTION(cudaStreamEndCapture_ptsz, (cudaStream_t stream, cudaGraph_t *graph),
         cudaStreamEndCapture(own_stream(stream), graph))
FUNCTION(cudaEventRecord_ptsz, (cudaEvent_t event, cudaStream_t stream),
         cudaEventRecord(event, own_stream(stream)))
FUNCTION(cudaEventRecordWithFlags_ptsz, (cudaEvent_t event, cudaStream_t stream, unsigned flags),
         cudaEventRecordWithFlags(event, own_stream(stream), flags))
FUNCTION(cudaGraphLaunch_ptsz, (cudaGraphExec_t executable, cudaStream_t stream),
         cudaGraphLaunch(executable, own_stream(stream)))
FUNCTION(cudaGraphUpload_ptsz, (cudaGraphExec_t executable, cudaStream_t stream),
         cudaGraphUpload(executable, own_stream(stream)))

/* ---- attributes and others ---- */
FUNCTION(cudaStreamSetAttribute_ptsz,
         (cudaStream_t stream, cudaStreamAttrID attribute, const cudaStreamAttrValue *value),
         cudaStreamSetAttribute(own_stream(stream), attribute, value))
FUNCTION(cudaStreamGetAttribute_ptsz,
         (cudaStream_t stream, cudaStreamAttrID attribute, cudaStreamAttrValue *value),
         cudaStreamGetAttribute(own_stream(stream), attribute, value))
FUNCTION(cudaStreamCopyAttributes_ptsz, (cudaStream_t to, cudaStream_t from),
         cudaStreamCopyAttributes(own_stream(to), own_stream(from)))
FUNCTION(cudaStreamGetDevice_ptsz, (cudaStream_t stream, int *device),
         cudaStreamGetDevice(own_stream(stream), device))
FUNCTION(cudaStreamGetId_ptsz, (cudaStream_t stream, unsigned long long *id),
         cudaStreamGetId(own_stream(stream), id))
FUNCTION(cudaStreamGetCaptureInfo_ptsz,
         (cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
          cudaGraph_t *graph, const cudaGraphNode_t **dependencies, const cudaGraphEdgeData **edges,
          size_t *count),
         cudaStreamGetCaptureInfo(own_stream(stream), status, id, graph, dependencies, edges, count))
FUNCTION(cudaStreamUpdateCaptureDependencies_ptsz,
         (cudaStream_t stream, cudaGraphNode_t *dependencies, const cudaGraphEdgeData *edges, size_t count,
          unsigned flags),
         cudaStreamUpdateCaptureDependencies(own_stream(stream), dependencies, edges, count, flags))
FUNCTION(cudaStreamBeginCaptureToGraph_ptsz,
         (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
          const cudaGraphEdgeData *edges, size_t count, enum cudaStreamCaptureMode mode),
         cudaStreamBeginCaptureToGraph(own_stream(stream), graph, dependencies, edges, count, mode))
FUNCTION(cudaMemset3DAsync_ptsz,
         (struct cudaPitchedPtr to, int value, struct cudaExtent extent, cudaStream_t stream),
         cudaMemset3DAsync(to, value, extent, own_stream(stream)))
FUNCTION(cudaMemset3D_ptds, (struct cudaPitchedPtr to, int value, struct cudaExtent extent),
         cudaMemset3DAsync(to, value, extent, cudaStreamPerThread))

/* ---- the driver API ---- */

static CUstream own_driver_stream(CUstream stream)
{
    return stream ? stream : CU_STREAM_PER_THREAD;
}

static CUresult wait_driver(CUresult code)
{
    return code == CUDA_SUCCESS ? cuStreamSynchronize(CU_STREAM_PER_THREAD) : code;
}

/* ---- launches ---- */
DRIVER_FUNCTION(cuLaunchKernel_ptsz,
                (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                 unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void **arguments,
                 void **extra),
                cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes,
                               own_driver_stream(stream), arguments, extra))
DRIVER_FUNCTION(cuLaunchCooperativeKernel_ptsz,
                (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                 unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream,
                 void **arguments),
                cuLaunchCooperativeKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                                          shared_bytes, own_driver_stream(stream), arguments))
DRIVER_FUNCTION(cuLaunchHostFunc_ptsz, (CUstream stream, CUhostFn function, void *argument),
                cuLaunchHostFunc(own_driver_stream(stream), function, argument))

CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction function, void **arguments,
                               void **extra);
STANDIN_API CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction function,
                                           void **arguments, void **extra)
{
    CUlaunchConfig copy = *config;

    copy.hStream = own_driver_stream(copy.hStream);
    return cuLaunchKernelEx(&copy, function, arguments, extra);
}

/* ---- copies ---- */
DRIVER_FUNCTION(cuMemcpyAsync_ptsz, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream),
                cuMemcpyAsync(to, from, bytes, own_driver_stream(stream)))
DRIVER_FUNCTION(cuMemcpy_ptds, (CUdeviceptr to, CUdeviceptr from, size_t bytes),
                wait_driver(cuMemcpyAsync(to, from, bytes, CU_STREAM_PER_THREAD)))
DRIVER_FUNCTION(cuMemcpyHtoDAsync_v2_ptsz, (CUdeviceptr to, const void *from, size_t bytes, CUstream stream),
                cuMemcpyHtoDAsync(to, from, bytes, own_driver_stream(stream)))
DRIVER_FUNCTION(cuMemcpyHtoD_v2_ptds, (CUdeviceptr to, const void *from, size_t bytes),
                wait_driver(cuMemcpyHtoDAsync(to, from, bytes, CU_STREAM_PER_THREAD)))
DRIVER_FUNCTION(cuMemcpyDtoHAsync_v2_ptsz, (void *to, CUdeviceptr from, size_t bytes, CUstream stream),
                cuMemcpyDtoHAsync(to, from, bytes, own_driver_stream(stream)))
DRIVER_FUNCTION(cuMemcpyDtoH_v2_ptds, (void *to, CUdeviceptr from, size_t bytes),
                wait_driver(cuMemcpyDtoHAsync(to, from, bytes, CU_STREAM_PER_THREAD)))
DRIVER_FUNCTION(cuMemcpyDtoDAsync_v2_ptsz, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream),
                cuMemcpyDtoDAsync(to, from, bytes, own_driver_stream(stream)))
DRIVER_FUNCTION(cuMemcpyDtoD_v2_ptds, (CUdeviceptr to, CUdeviceptr from, size_t bytes),
                wait_driver(cuMemcpyDtoDAsync(to, from, bytes, CU_STREAM_PER_THREAD)))
DRIVER_FUNCTION(cuMemcpy2DAsync_v2_ptsz, (const CUDA_MEMCPY2D *copy, CUstream stream),
                cuMemcpy2DAsync(copy, own_driver_stream(stream)))
DRIVER_FUNCTION(cuMemcpy2D_v2_ptds, (const CUDA_MEMCPY2D *copy),
                wait_driver(cuMemcpy2DAsync(copy, CU_STREAM_PER_THREAD)))
DRIVER_FUNCTION(cuMemcpy2DUnaligned_v2_ptds, (const CUDA_MEMCPY2D *copy),
                wait_driver(cuMemcpy2DAsync(copy, CU_STREAM_PER_THREAD)))
DRIVER_FUNCTION(cuMemcpy3DAsync_v2_ptsz, (const CUDA_MEMCPY3D *copy, CUstream stream),
                cuMemcpy3DAsync(copy, own_driver_stream(stream)))
DRIVER_FUNCTION(cuMemcpy3D_v2_ptds, (const CUDA_MEMCPY3D *copy),
                wait_driver(cuMemcpy3DAsync(copy, CU_STREAM_PER_THREAD)))

/* As those without _ptds: on the model's clock they are copies of the legacy stream. */
DRIVER_FUNCTION(cuMemcpyHtoA_v2_ptds, (CUarray to, size_t offset, const void *from, size_t bytes),
                cuMemcpyHtoA(to, offset, from, bytes))
DRIVER_FUNCTION(cuMemcpyAtoH_v2_ptds, (void *to, CUarray from, size_t offset, size_t bytes),
                cuMemcpyAtoH(to, from, offset, bytes))
DRIVER_FUNCTION(cuMemcpyHtoAAsync_v2_ptsz,
                (CUarray to, size_t offset, const void *from, size_t bytes, CUstream stream),
                cuMemcpyHtoAAsync(to, offset, from, bytes, own_driver_stream(stream)))
DRIVER_FUNCTION(cuMemcpyAtoHAsync_v2_ptsz,
                (void *to, CUarray from, size_t offset, size_t bytes, CUstream stream),
                cuMemcpyAtoHAsync(to, from, offset, bytes, own_driver_stream(stream)))
DRIVER_FUNCTION(cuMemcpyDtoA_v2_ptds, (CUarray to, size_t offset, CUdeviceptr from, size_t bytes),
                cuMemcpyDtoA(to, offset, from, bytes))
DRIVER_FUNCTION(cuMemcpyAtoD_v2_ptds, (CUdeviceptr to, CUarray from, size_t offset, size_t bytes),
                cuMemcpyAtoD(to, from, offset, bytes))
DRIVER_FUNCTION(cuMemcpyAtoA_v2_ptds,
                (CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t bytes),
                cuMemcpyAtoA(to, to_offset, from, from_offset, bytes))

/* ---- sets and allocations ---- */
#define SET(width, type)                                                                                  \
    DRIVER_FUNCTION(cuMemsetD##width##Async_ptsz,                                                         \
                    (CUdeviceptr to, type value, size_t count, CUstream stream),                          \
                    cuMemsetD##width##Async(to, value, count, own_driver_stream(stream)))                 \
    DRIVER_FUNCTION(cuMemsetD##width##_v2_ptds, (CUdeviceptr to, type value, size_t count),               \
                    cuMemsetD##width##Async(to, value, count, CU_STREAM_PER_THREAD))                      \
    DRIVER_FUNCTION(cuMemsetD2D##width##Async_ptsz,                                                       \
                    (CUdeviceptr to, size_t pitch, type value, size_t row, size_t rows, CUstream stream), \
                    cuMemsetD2D##width##Async(to, pitch, value, row, rows, own_driver_stream(stream)))    \
    DRIVER_FUNCTION(cuMemsetD2D##width##_v2_ptds,                                                         \
                    (CUdeviceptr to, size_t pitch, type value, size_t row, size_t rows),                  \
                    cuMemsetD2D##width##Async(to, pitch, value, row, rows, CU_STREAM_PER_THREAD))
SET(8, unsigned char)
SET(16, unsigned short)
SET(32, unsigned)
DRIVER_FUNCTION(cuMemAllocAsync_ptsz, (CUdeviceptr * address, size_t bytes, CUstream stream),
                cuMemAllocAsync(address, bytes, own_driver_stream(stream)))
DRIVER_FUNCTION(cuMemAllocFromPoolAsync_ptsz,
                (CUdeviceptr * address, size_t bytes, CUmemoryPool pool, CUstream stream),
                cuMemAllocFromPoolAsync(address, bytes, pool, own_driver_stream(stream)))
DRIVER_FUNCTION(cuMemFreeAsync_ptsz, (CUdeviceptr address, CUstream stream),
                cuMemFreeAsync(address, own_driver_stream(stream)))

/* ---- streams, events, graphs ---- */
DRIVER_FUNCTION(cuStreamSynchronize_ptsz, (CUstream stream), cuStreamSynchronize(own_driver_stream(stream)))
DRIVER_FUNCTION(cuStreamQuery_ptsz, (CUstream stream), cuStreamQuery(own_driver_stream(stream)))
DRIVER_FUNCTION(cuStreamWaitEvent_ptsz, (CUstream stream, CUevent event, unsigned flags),
                cuStreamWaitEvent(own_driver_stream(stream), event, flags))
DRIVER_FUNCTION(cuStreamAddCallback_ptsz,
                (CUstream stream, CUstreamCallback function, void *argument, unsigned flags),
                cuStreamAddCallback(own_driver_stream(stream), function, argument, flags))
DRIVER_FUNCTION(cuStreamAttachMemAsync_ptsz,
                (CUstream stream, CUdeviceptr address, size_t bytes, unsigned flags),
                cuStreamAttachMemAsync(own_driver_stream(stream), address, bytes, flags))
DRIVER_FUNCTION(cuStreamGetFlags_ptsz, (CUstream stream, unsigned *flags),
                cuStreamGetFlags(own_driver_stream(stream), flags))
DRIVER_FUNCTION(cuStreamGetPriority_ptsz, (CUstream stream, int *priority),
                cuStreamGetPriority(own_driver_stream(stream), priority))
DRIVER_FUNCTION(cuStreamGetCtx_ptsz, (CUstream stream, CUcontext *context),
                cuStreamGetCtx(own_driver_stream(stream), context))
DRIVER_FUNCTION(cuStreamIsCapturing_ptsz, (CUstream stream, CUstreamCaptureStatus *status),
                cuStreamIsCapturing(own_driver_stream(stream), status))
DRIVER_FUNCTION(cuStreamBeginCapture_v2_ptsz, (CUstream stream, CUstreamCaptureMode mode),
                cuStreamBeginCapture(own_driver_stream(stream), mode))
DRIVER_FUNCTION(cuStreamEndCapture_ptsz, (CUstream stream, CUgraph *graph),
                cuStreamEndCapture(own_driver_stream(stream), graph))
DRIVER_FUNCTION(cuEventRecord_ptsz, (CUevent event, CUstream stream),
                cuEventRecord(event, own_driver_stream(stream)))
DRIVER_FUNCTION(cuEventRecordWithFlags_ptsz, (CUevent event, CUstream stream, unsigned flags),
                cuEventRecordWithFlags(event, own_driver_stream(stream), flags))
DRIVER_FUNCTION(cuGraphLaunch_ptsz, (CUgraphExec executable, CUstream stream),
                cuGraphLaunch(executable, own_driver_stream(stream)))
