/* Streams and events by the driver API. */
#include "standin/driver.h"

/* ---- streams ---- */
STANDIN_API CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    return driver_result(cudaStreamCreateWithFlags(stream, flags));
}

STANDIN_API CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority)
{
    return driver_result(cudaStreamCreateWithPriority(stream, flags, priority));
}

STANDIN_API CUresult cuStreamDestroy(CUstream stream)
{
    return driver_result(cudaStreamDestroy(stream));
}

STANDIN_API CUresult cuStreamSynchronize(CUstream stream)
{
    return driver_result(cudaStreamSynchronize(stream));
}

STANDIN_API CUresult cuStreamQuery(CUstream stream)
{
    return driver_result(cudaStreamQuery(stream));
}

STANDIN_API CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
    return driver_result(cudaStreamWaitEvent(stream, event, flags));
}

/* The codes that the function gets are of equal size. */
STANDIN_API CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback function, void *argument,
                                         unsigned flags)
{
    return driver_result(
        cudaStreamAddCallback(stream, (cudaStreamCallback_t)(void (*)(void))function, argument, flags));
}

STANDIN_API CUresult cuStreamGetFlags(CUstream stream, unsigned *flags)
{
    return driver_result(cudaStreamGetFlags(stream, flags));
}

STANDIN_API CUresult cuStreamGetPriority(CUstream stream, int *priority)
{
    return driver_result(cudaStreamGetPriority(stream, priority));
}

#undef cuStreamGetCtx
CUresult cuStreamGetCtx(CUstream stream, CUcontext *context);
STANDIN_API CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    int gpu = 0;
    cudaError_t code = cudaStreamGetDevice(stream, &gpu);

    *context = driver_context(gpu);
    return driver_result(code);
}

STANDIN_API CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, size_t bytes,
                                            unsigned flags)
{
    return driver_result(cudaStreamAttachMemAsync(stream, driver_pointer(address), bytes, flags));
}

STANDIN_API CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
    enum cudaStreamCaptureStatus same = cudaStreamCaptureStatusNone;
    cudaError_t code = cudaStreamIsCapturing(stream, &same);

    *status = (CUstreamCaptureStatus)same;
    return driver_result(code);
}

STANDIN_API CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode)
{
    return driver_result(cudaStreamBeginCapture(stream, (enum cudaStreamCaptureMode)mode));
}

STANDIN_API CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
    return driver_result(cudaStreamEndCapture(stream, graph));
}

STANDIN_API CUresult cuGraphInstantiateWithFlags(CUgraphExec *executable, CUgraph graph,
                                                 unsigned long long flags)
{
    return driver_result(cudaGraphInstantiateWithFlags(executable, graph, flags));
}

STANDIN_API CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream)
{
    return driver_result(cudaGraphLaunch(executable, stream));
}

STANDIN_API CUresult cuGraphDestroy(CUgraph graph)
{
    return driver_result(cudaGraphDestroy(graph));
}

STANDIN_API CUresult cuGraphExecDestroy(CUgraphExec executable)
{
    return driver_result(cudaGraphExecDestroy(executable));
}

/* ---- events ---- */
STANDIN_API CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    return driver_result(cudaEventCreateWithFlags(event, flags));
}

STANDIN_API CUresult cuEventDestroy(CUevent event)
{
    return driver_result(cudaEventDestroy(event));
}

STANDIN_API CUresult cuEventRecord(CUevent event, CUstream stream)
{
    return driver_result(cudaEventRecord(event, stream));
}

STANDIN_API CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags)
{
    return driver_result(cudaEventRecordWithFlags(event, stream, flags));
}

STANDIN_API CUresult cuEventSynchronize(CUevent event)
{
    return driver_result(cudaEventSynchronize(event));
}

STANDIN_API CUresult cuEventQuery(CUevent event)
{
    return driver_result(cudaEventQuery(event));
}

STANDIN_API CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end)
{
    return driver_result(cudaEventElapsedTime(ms, start, end));
}

#undef cuEventElapsedTime
CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end);
STANDIN_API CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end)
{
    return cuEventElapsedTime_v2(ms, start, end);
}
