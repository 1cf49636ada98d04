/* The names and texts of the driver's codes. */
#include "standin/driver.h"

/* The codes that programs handle, with the texts of CUDA's documentation. */
#define RESULTS(X)                                                                                        \
    X(CUDA_SUCCESS, "no error")                                                                           \
    X(CUDA_ERROR_INVALID_VALUE, "invalid argument")                                                       \
    X(CUDA_ERROR_OUT_OF_MEMORY, "out of memory")                                                          \
    X(CUDA_ERROR_NOT_INITIALIZED, "initialization error")                                                 \
    X(CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected")                                         \
    X(CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal")                                                \
    X(CUDA_ERROR_INVALID_IMAGE, "device kernel image is invalid")                                         \
    X(CUDA_ERROR_INVALID_CONTEXT, "invalid device context")                                               \
    X(CUDA_ERROR_NO_BINARY_FOR_GPU, "no kernel image is available for execution on the device")           \
    X(CUDA_ERROR_INVALID_PTX, "a PTX JIT compilation failed")                                             \
    X(CUDA_ERROR_FILE_NOT_FOUND, "file not found")                                                        \
    X(CUDA_ERROR_INVALID_HANDLE, "invalid resource handle")                                               \
    X(CUDA_ERROR_ILLEGAL_STATE, "the operation cannot be performed in the present state")                 \
    X(CUDA_ERROR_NOT_FOUND, "named symbol not found")                                                     \
    X(CUDA_ERROR_NOT_READY, "device not ready")                                                           \
    X(CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory access was encountered")                             \
    X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "too many resources requested for launch")                      \
    X(CUDA_ERROR_LAUNCH_TIMEOUT, "the launch timed out and was terminated")                               \
    X(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, "peer access is already enabled")                           \
    X(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, "peer access has not been enabled")                             \
    X(CUDA_ERROR_ASSERT, "device-side assert triggered")                                                  \
    X(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,                                                          \
      "part or all of the requested memory range is already mapped")                                      \
    X(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "pointer does not correspond to a registered memory region") \
    X(CUDA_ERROR_ILLEGAL_INSTRUCTION, "an illegal instruction was encountered")                           \
    X(CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address")                                                \
    X(CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure")                                             \
    X(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "too many blocks in cooperative launch")                   \
    X(CUDA_ERROR_NOT_SUPPORTED, "operation not supported")                                                \
    X(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "operation not permitted when stream is capturing")          \
    X(CUDA_ERROR_UNKNOWN, "unknown error")

static const struct {
    CUresult code;
    const char *name, *text;
} results[] = {
#define RESULT_ROW(code, text) {code, #code, text},
    RESULTS(RESULT_ROW)
#undef RESULT_ROW
};

#define RESULT_COUNT (sizeof results / sizeof *results)

STANDIN_API CUresult cuGetErrorName(CUresult code, const char **name)
{
    *name = NULL;
    for (size_t i = 0; i < RESULT_COUNT && !*name; i++)
        if (results[i].code == code)
            *name = results[i].name;
    return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

STANDIN_API CUresult cuGetErrorString(CUresult code, const char **text)
{
    *text = NULL;
    for (size_t i = 0; i < RESULT_COUNT && !*text; i++)
        if (results[i].code == code)
            *text = results[i].text;
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
