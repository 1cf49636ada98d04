/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel images that are loaded into a context, each once, and the launch of their functions. A module stays
 * loaded until the device is closed.
 */
#include "workloads/cuda/cuda_device.h"

#define LOG_BYTES 512 /* bytes of messages of the driver's compiler: a sentence has no more room */

enum status cuda_module(struct cuda_device *cuda, const char *name, cuda_handle *module, struct error *error)
{
    char log[LOG_BYTES] = "";
    int options[] = {CUDA_JIT_ERROR_LOG_BUFFER, CUDA_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    const struct kernel_image *image = kernel_image_find(name);

    if (!image)
        return error_set(error, STATUS_STATE,
                         "There is no kernel image '%s' in this program: workloads/kernels/%s.cu is missing.",
                         name, name);
    for (size_t i = 0; i < cuda->module_count; i++) {
        if (cuda->modules[i].image == image) {
            *module = cuda->modules[i].module;
            return STATUS_OK;
        }
    }
    if (cuda->module_count == CUDA_MODULES_MAX)
        return error_set(error, STATUS_STATE, "More than %d kernel images at once: raise CUDA_MODULES_MAX.",
                         CUDA_MODULES_MAX);

    int result = cuda->driver.cuModuleLoadDataEx(module, image->data, 2, options, values);
    if (result) {
        for (char *at = log; *at; at++)
            *at = *at == '\n' ? ' ' : *at;
        return cuda_driver_refuse(&cuda->driver, result, error,
                                  "Loading the kernels of %s (%s) for compute capability %s%s%s%s", name,
                                  image->format, capability_text(cuda->info.compute_capability).text,
                                  log[0] ? " (the driver's compiler says: " : "", log, log[0] ? ")" : "");
    }
    cuda->modules[cuda->module_count].image = image;
    cuda->modules[cuda->module_count++].module = *module;
    return STATUS_OK;
}

/* Sets a launch's shared-memory attributes if they differ from the defaults. */
static int prefer_carveout(struct cuda_device *cuda, cuda_handle function, const struct device_launch *launch)
{
    static const int percent[] = {
        [DEVICE_CARVEOUT_L1] = 0, [DEVICE_CARVEOUT_EQUAL] = 50, [DEVICE_CARVEOUT_SHARED] = 100};
    int result = CUDA_RESULT_SUCCESS;

    if (launch->dynamic_shared_bytes > cuda->info.shared_bytes_per_block)
        result = cuda->driver.cuFuncSetAttribute(function, CUDA_FUNCTION_MAX_DYNAMIC_SHARED_BYTES,
                                                 (int)launch->dynamic_shared_bytes);
    if (result == CUDA_RESULT_SUCCESS && launch->carveout != DEVICE_CARVEOUT_DEFAULT)
        result = cuda->driver.cuFuncSetAttribute(function, CUDA_FUNCTION_SHARED_CARVEOUT,
                                                 percent[launch->carveout]);
    return result;
}

#define CLUSTER_CAPABILITY 90
#define PORTABLE_CLUSTER 8

/* The launch's clusters, which the function keeps. A kernel that was compiled for clusters refuses others. */
static enum status ask_clusters(struct cuda_device *cuda, cuda_handle function,
                                const struct device_launch *launch, struct error *error)
{
    const uint32_t *cluster = launch->cluster;
    int result = CUDA_RESULT_SUCCESS;

    if (!cluster[0])
        return STATUS_OK;
    if (cuda->info.compute_capability < CLUSTER_CAPABILITY)
        return error_set(error, STATUS_UNSUPPORTED,
                         "%s is launched in clusters of blocks, which need compute capability 9.0; %s has "
                         "none: use another GPU, or --device simt.",
                         launch->kernel, cuda->info.name);
    if ((uint64_t)cluster[0] * cluster[1] * cluster[2] > PORTABLE_CLUSTER)
        result = cuda->driver.cuFuncSetAttribute(function, CUDA_FUNCTION_CLUSTER_NON_PORTABLE, 1);
    for (int i = 0; i < 3 && result == CUDA_RESULT_SUCCESS; i++)
        result = cuda->driver.cuFuncSetAttribute(function, CUDA_FUNCTION_CLUSTER_WIDTH + i, (int)cluster[i]);
    if (result)
        return cuda_driver_refuse(&cuda->driver, result, error,
                                  "Asking for clusters of %u x %u x %u blocks for %s", cluster[0], cluster[1],
                                  cluster[2], launch->kernel);
    return STATUS_OK;
}

enum status cuda_launch(struct device *device, const struct device_launch *launch, struct error *error)
{
    struct cuda_device *cuda = cuda_of(device);
    const uint32_t *grid = launch->grid, *block = launch->block;
    cuda_handle module, function;
    enum status status = cuda_module(cuda, launch->image, &module, error);

    if (status)
        return status;
    int result = cuda->driver.cuModuleGetFunction(&function, module, launch->kernel);
    if (result)
        return cuda_driver_refuse(&cuda->driver, result, error, "Finding the kernel %s in %s", launch->kernel,
                                  launch->image);
    result = prefer_carveout(cuda, function, launch);
    if (result)
        return cuda_driver_refuse(&cuda->driver, result, error,
                                  "Asking for %u bytes of dynamic shared memory for %s",
                                  launch->dynamic_shared_bytes, launch->kernel);
    status = ask_clusters(cuda, function, launch, error);
    if (status)
        return status;
    result = cuda->driver.cuLaunchKernel(function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                                         launch->dynamic_shared_bytes, cuda_handle_of(launch->stream),
                                         launch->arguments, NULL);
    if (result)
        return cuda_driver_refuse(
            &cuda->driver, result, error, "Launching %s<<<(%u, %u, %u), (%u, %u, %u), %u>>>", launch->kernel,
            grid[0], grid[1], grid[2], block[0], block[1], block[2], launch->dynamic_shared_bytes);
    return STATUS_OK;
}

enum status cuda_symbol(struct device *device, const char *image, const char *name, device_pointer *pointer,
                        size_t *bytes, struct error *error)
{
    struct cuda_device *cuda = cuda_of(device);
    cuda_handle module;
    cuda_address address = 0;
    size_t size = 0;
    enum status status = cuda_module(cuda, image, &module, error);

    if (status)
        return status;
    int result = cuda->driver.cuModuleGetGlobal_v2(&address, &size, module, name);
    if (result)
        return cuda_driver_refuse(&cuda->driver, result, error, "Finding the variable %s in %s", name, image);
    *pointer = address;
    if (bytes)
        *bytes = size;
    return STATUS_OK;
}
