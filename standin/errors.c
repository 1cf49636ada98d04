/* CUDA's codes for the statuses of the model. */
#include "standin/standin.h"

cudaError_t error_of_status(enum status status)
{
    switch (status) {
    case STATUS_OK: return cudaSuccess;
    case STATUS_MEMORY: return cudaErrorMemoryAllocation;
    case STATUS_USAGE: return cudaErrorInvalidConfiguration;
    case STATUS_STATE: return cudaErrorInvalidResourceHandle;
    case STATUS_UNSUPPORTED: return cudaErrorNotSupported;
    case STATUS_CHECK: return cudaErrorInvalidValue; /* no allocation has this address */
    case STATUS_NO_DEVICE: return cudaErrorNoDevice;
    case STATUS_IO:
    case STATUS_FORMAT:
    case STATUS_VERSION:
    case STATUS_DEVICE:
    case STATUS_PERMISSION:
    case STATUS_COUNT: break;
    }
    return cudaErrorUnknown;
}

/* The codes that programs handle, with the texts of CUDA's documentation. */
#define ERRORS(X)                                                                                          \
    X(cudaSuccess, "no error")                                                                             \
    X(cudaErrorInvalidValue, "invalid argument")                                                           \
    X(cudaErrorMemoryAllocation, "out of memory")                                                          \
    X(cudaErrorInitializationError, "initialization error")                                                \
    X(cudaErrorInvalidConfiguration, "invalid configuration argument")                                     \
    X(cudaErrorInvalidPitchValue, "invalid pitch argument")                                                \
    X(cudaErrorInvalidSymbol, "invalid device symbol")                                                     \
    X(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy")                                \
    X(cudaErrorInsufficientDriver, "CUDA driver version is insufficient for CUDA runtime version")         \
    X(cudaErrorMissingConfiguration, "__global__ function call is not configured")                         \
    X(cudaErrorInvalidDeviceFunction, "invalid device function")                                           \
    X(cudaErrorNoDevice, "no CUDA-capable device is detected")                                             \
    X(cudaErrorInvalidDevice, "invalid device ordinal")                                                    \
    X(cudaErrorInvalidKernelImage, "device kernel image is invalid")                                       \
    X(cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the device")         \
    X(cudaErrorInvalidResourceHandle, "invalid resource handle")                                           \
    X(cudaErrorNotReady, "device not ready")                                                               \
    X(cudaErrorIllegalAddress, "an illegal memory access was encountered")                                 \
    X(cudaErrorLaunchOutOfResources, "too many resources requested for launch")                            \
    X(cudaErrorLaunchTimeout, "the launch timed out and was terminated")                                   \
    X(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled")                                 \
    X(cudaErrorPeerAccessNotEnabled, "peer access has not been enabled")                                   \
    X(cudaErrorAssert, "device-side assert triggered")                                                     \
    X(cudaErrorHostMemoryAlreadyRegistered, "part or all of the requested memory range is already mapped") \
    X(cudaErrorHostMemoryNotRegistered, "pointer does not correspond to a registered memory region")       \
    X(cudaErrorIllegalInstruction, "an illegal instruction was encountered")                               \
    X(cudaErrorMisalignedAddress, "misaligned address")                                                    \
    X(cudaErrorLaunchFailure, "unspecified launch failure")                                                \
    X(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch")                         \
    X(cudaErrorNotSupported, "operation not supported")                                                    \
    X(cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing")               \
    X(cudaErrorUnknown, "unknown error")

static const struct {
    cudaError_t code;
    const char *name, *text;
} errors[] = {
#define ERROR_ROW(code, text) {code, #code, text},
    ERRORS(ERROR_ROW)
#undef ERROR_ROW
};

#define ERROR_COUNT (sizeof errors / sizeof *errors)

STANDIN_API const char *cudaGetErrorName(cudaError_t code)
{
    for (size_t i = 0; i < ERROR_COUNT; i++)
        if (errors[i].code == code)
            return errors[i].name;
    return "unrecognized error code";
}

STANDIN_API const char *cudaGetErrorString(cudaError_t code)
{
    for (size_t i = 0; i < ERROR_COUNT; i++)
        if (errors[i].code == code)
            return errors[i].text;
    return "unrecognized error code";
}

STANDIN_API cudaError_t cudaGetLastError(void)
{
    return standin_last_error(true);
}

STANDIN_API cudaError_t cudaPeekAtLastError(void)
{
    return standin_last_error(false);
}
