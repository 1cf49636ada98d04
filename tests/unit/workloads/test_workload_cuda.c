/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CUDA device where there is none, and the driver's numbers against cuda.h where that is there. The rest
 * needs a GPU (tests/gpu).
 */
#include "workloads/cuda/cuda.h"
#include "workloads/cuda/cuda_driver.h"
#include "workloads/frame/workload.h"

#include <criterion/criterion.h>

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if LANESCOPE_CUDA
#include <cuda.h>
#endif

Test(workload_cuda, no_driver_is_said)
{
    struct device *device = NULL;
    struct error error = {0};

    cr_assert_eq(cuda_device_open("/nowhere/libcuda.so.1", 0, &device, &error), STATUS_NO_DEVICE);
    cr_assert_eq(error.status, STATUS_NO_DEVICE);
    cr_assert(strstr(error.text, "/nowhere/libcuda.so.1") && strstr(error.text, "lanescope view"), "%s",
              error.text);
    cr_assert_null(device);
}

Test(workload_cuda, a_library_that_is_no_driver_is_said)
{
    struct device *device = NULL;
    struct error error = {0};

    cr_assert_eq(cuda_device_open("libc.so.6", 0, &device, &error), STATUS_NO_DEVICE);
    cr_assert(strstr(error.text, "libc.so.6 has no cuInit"), "%s", error.text);
    cr_assert_eq(cuda_device_open("libc.so.6", 0, &device, NULL), STATUS_NO_DEVICE);
}

/* Holds with a GPU and without one. */
Test(workload_cuda, no_such_gpu_is_said)
{
    struct device *device = NULL;
    struct error error = {0};

    cr_assert_eq(workload_device_open("cuda", 4096, &device, &error), STATUS_NO_DEVICE);
    cr_assert(strstr(error.text, "No CUDA driver") || strstr(error.text, "no GPU 4096") ||
                  strstr(error.text, "Starting the CUDA driver"),
              "%s", error.text);
}

/* Of the double's four GPUs 0 reaches 1, and 2 reaches 3. */
Test(workload_cuda, a_gpu_is_described_with_those_that_it_reaches)
{
    static const char library[] = TEST_BUILD_DIR "/tests/driver_double.so";
    struct device_description device;
    struct error error = {0};

    setenv("LANESCOPE_DOUBLE_GPUS", "4", 1);
    for (uint32_t i = 0; i < 4; i++) {
        cr_assert_eq(cuda_describe(library, i, &device, &error), STATUS_OK, "%s", error.text);
        cr_assert(device.asked && device.others == 3);
        cr_assert_eq(device.peers, 1u << (i ^ 1), "GPU %u", i);
    }
    cr_assert_eq(cuda_describe(library, 4, &device, &error), STATUS_NO_DEVICE);
    setenv("LANESCOPE_DOUBLE_GPUS", "1", 1);
    cr_assert_eq(cuda_describe(library, 0, &device, &error), STATUS_OK);
    cr_assert(device.others == 0 && device.peers == 0);
}

Test(workload_cuda, unknown_kinds_are_refused)
{
    struct device *device = NULL;
    struct error error = {0};

    cr_assert_eq(workload_device_open("opencl", 0, &device, &error), STATUS_USAGE);
    cr_assert(strstr(error.text, "'opencl'") && strstr(error.text, "cuda"), "%s", error.text);
}

static int name_of(int result, const char **text)
{
    *text = result == CUDA_RESULT_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_NO_DEVICE";
    return 0;
}

static int no_text(int result, const char **text)
{
    (void)text;
    return result;
}

Test(workload_cuda, results_become_sentences)
{
    struct cuda_driver driver = {.cuGetErrorName = name_of, .cuGetErrorString = name_of};
    struct error error = {0};

    cr_assert_eq(cuda_driver_refuse(&driver, CUDA_RESULT_OUT_OF_MEMORY, &error, "Allocating %d bytes", 7),
                 STATUS_DEVICE);
    cr_assert_str_eq(error.text,
                     "Allocating 7 bytes failed: CUDA_ERROR_OUT_OF_MEMORY (CUDA_ERROR_OUT_OF_MEMORY). Give a "
                     "smaller size, or end other programs that use the GPU's memory.");
    driver.cuGetErrorName = driver.cuGetErrorString = no_text;
    cr_assert_eq(cuda_driver_refuse(&driver, CUDA_RESULT_NO_DEVICE, &error, "Starting"), STATUS_NO_DEVICE);
    cr_assert(strstr(error.text, "an unnamed error"), "%s", error.text);
}

#if LANESCOPE_CUDA
Test(workload_cuda, numbers_are_those_of_cuda_h)
{
    static const struct {
        int ours, theirs;
    } table[] = {{CUDA_RESULT_SUCCESS, CUDA_SUCCESS},
                 {CUDA_RESULT_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY},
                 {CUDA_RESULT_STUB_LIBRARY, CUDA_ERROR_STUB_LIBRARY},
                 {CUDA_RESULT_NO_DEVICE, CUDA_ERROR_NO_DEVICE},
                 {CUDA_RESULT_SYSTEM_NOT_READY, CUDA_ERROR_SYSTEM_NOT_READY},
                 {CUDA_RESULT_SYSTEM_DRIVER_MISMATCH, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH},
                 {CUDA_RESULT_COMPAT_NOT_SUPPORTED, CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE},
                 {CUDA_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER},
                 {CUDA_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES},
                 {CUDA_STREAM_NON_BLOCKING, CU_STREAM_NON_BLOCKING},
                 {CUDA_EVENT_DEFAULT, CU_EVENT_DEFAULT},
                 {CUDA_HOST_MAPPED, CU_MEMHOSTALLOC_DEVICEMAP},
                 {CUDA_CAPTURE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL},
                 {CUDA_FUNCTION_MAX_DYNAMIC_SHARED_BYTES, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES},
                 {CUDA_FUNCTION_SHARED_CARVEOUT, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT},
                 {CUDA_MEMORY_HOST, CU_MEMORYTYPE_HOST},
                 {CUDA_MEMORY_ARRAY, CU_MEMORYTYPE_ARRAY},
                 {CUDA_ARRAY_SURFACE, CUDA_ARRAY3D_SURFACE_LDST},
                 {CUDA_RESOURCE_ARRAY, CU_RESOURCE_TYPE_ARRAY},
                 {CUDA_RESOURCE_LINEAR, CU_RESOURCE_TYPE_LINEAR},
                 {CUDA_FORMAT_BYTE, CU_AD_FORMAT_UNSIGNED_INT8},
                 {CUDA_FORMAT_FLOAT, CU_AD_FORMAT_FLOAT},
                 {CUDA_ADDRESS_WRAP, CU_TR_ADDRESS_MODE_WRAP},
                 {CUDA_ADDRESS_CLAMP, CU_TR_ADDRESS_MODE_CLAMP},
                 {CUDA_ADDRESS_MIRROR, CU_TR_ADDRESS_MODE_MIRROR},
                 {CUDA_ADDRESS_BORDER, CU_TR_ADDRESS_MODE_BORDER},
                 {CUDA_FILTER_POINT, CU_TR_FILTER_MODE_POINT},
                 {CUDA_FILTER_LINEAR, CU_TR_FILTER_MODE_LINEAR},
                 {CUDA_TEXTURE_NORMALISED, CU_TRSF_NORMALIZED_COORDINATES},
                 {DEVICE_STREAM_PER_THREAD, (int)(intptr_t)CU_STREAM_PER_THREAD},
                 {DEVICE_COMPUTE_CAPABILITY_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
                 {DEVICE_COMPUTE_CAPABILITY_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
#define ATTRIBUTE(field, name, number) {number, CU_DEVICE_ATTRIBUTE_##name},
                 DEVICE_INFO_ATTRIBUTE_LIST(ATTRIBUTE)
#undef ATTRIBUTE
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        cr_assert_eq(table[i].ours, table[i].theirs, "row %zu: %d is %d", i, table[i].ours, table[i].theirs);
    cr_assert_eq(sizeof(cuda_address), sizeof(CUdeviceptr));
    cr_assert_eq(sizeof(struct cuda_array), sizeof(CUDA_ARRAY3D_DESCRIPTOR));
    cr_assert_eq(offsetof(struct cuda_array, flags), offsetof(CUDA_ARRAY3D_DESCRIPTOR, Flags));
    cr_assert_eq(sizeof(struct cuda_copy_3d), sizeof(CUDA_MEMCPY3D));
    cr_assert_eq(offsetof(struct cuda_copy_3d, source.host), offsetof(CUDA_MEMCPY3D, srcHost));
    cr_assert_eq(offsetof(struct cuda_copy_3d, source.height), offsetof(CUDA_MEMCPY3D, srcHeight));
    cr_assert_eq(offsetof(struct cuda_copy_3d, destination.array), offsetof(CUDA_MEMCPY3D, dstArray));
    cr_assert_eq(offsetof(struct cuda_copy_3d, width_bytes), offsetof(CUDA_MEMCPY3D, WidthInBytes));
    cr_assert_eq(offsetof(struct cuda_resource, array), offsetof(CUDA_RESOURCE_DESC, res.array.hArray));
    cr_assert_eq(offsetof(struct cuda_resource, linear.pointer),
                 offsetof(CUDA_RESOURCE_DESC, res.linear.devPtr));
    cr_assert_eq(offsetof(struct cuda_resource, linear.channels),
                 offsetof(CUDA_RESOURCE_DESC, res.linear.numChannels));
    cr_assert_eq(offsetof(struct cuda_resource, linear.size_bytes),
                 offsetof(CUDA_RESOURCE_DESC, res.linear.sizeInBytes));
    cr_assert_eq(sizeof(struct cuda_resource), sizeof(CUDA_RESOURCE_DESC));
    cr_assert_eq(offsetof(struct cuda_resource, flags), offsetof(CUDA_RESOURCE_DESC, flags));
    cr_assert_eq(sizeof(struct cuda_texture), sizeof(CUDA_TEXTURE_DESC));
    cr_assert_eq(offsetof(struct cuda_texture, border), offsetof(CUDA_TEXTURE_DESC, borderColor));
    cr_assert_eq(sizeof(cuda_device_ordinal), sizeof(CUdevice));
    cr_assert_eq(sizeof(((CUuuid *)0)->bytes), 16);
}

/* What a GPU is asked beyond its info. */
Test(workload_cuda, attributes_are_those_of_cuda_h)
{
#define ATTRIBUTE_PAIR(id, number) {number, CU_DEVICE_ATTRIBUTE_##id},
    static const struct {
        int ours, theirs;
    } table[] = {DEVICE_ATTRIBUTE_LIST(ATTRIBUTE_PAIR)};
#undef ATTRIBUTE_PAIR

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        cr_assert_eq(table[i].ours, table[i].theirs, "attribute %zu: %d", i, table[i].theirs);
        cr_assert_eq(device_attribute_number((enum device_attribute)i), table[i].theirs);
    }
}
#endif
