/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A texture is an object over an array or over linear memory; the array and its surface are kept in a slot of
 * the device, found by the object, and destroyed with it.
 */
#include "workloads/cuda/cuda_device.h"

static size_t slot_of(const struct cuda_device *cuda, uint64_t texture)
{
    size_t slot = 0;

    while (slot < CUDA_TEXTURES_MAX && cuda->textures[slot].texture != texture)
        slot++;
    return slot;
}

static int format_of(const struct device_texture *what)
{
    return what->texel == DEVICE_TEXEL_BYTE ? CUDA_FORMAT_BYTE : CUDA_FORMAT_FLOAT;
}

static int array_create(struct cuda_device *cuda, const struct device_texture *what, cuda_handle *array)
{
    const size_t row_bytes = what->width * device_texel_bytes(what);
    const struct cuda_array array_of = {.width = what->width,
                                        .height = what->height,
                                        .depth = what->depth,
                                        .format = format_of(what),
                                        .channels = 1,
                                        .flags = what->surface ? CUDA_ARRAY_SURFACE : 0};
    struct cuda_copy_3d copy = {.source = {.type = CUDA_MEMORY_HOST,
                                           .host = what->values,
                                           .pitch = row_bytes,
                                           .height = what->height},
                                .destination = {.type = CUDA_MEMORY_ARRAY},
                                .width_bytes = row_bytes,
                                .height = what->height,
                                .depth = what->depth ? what->depth : 1};
    int result = cuda->driver.cuArray3DCreate_v2(array, &array_of);

    copy.destination.array = *array;
    return result || !what->values ? result : cuda->driver.cuMemcpy3D_v2(&copy);
}

static int object_create(struct cuda_device *cuda, const struct cuda_resource *resource,
                         const struct device_texture *what, unsigned long long *texture)
{
    static const int modes[] = {[TEXTURE_WRAP] = CUDA_ADDRESS_WRAP,
                                [TEXTURE_CLAMP] = CUDA_ADDRESS_CLAMP,
                                [TEXTURE_MIRROR] = CUDA_ADDRESS_MIRROR,
                                [TEXTURE_BORDER] = CUDA_ADDRESS_BORDER};
    struct cuda_texture description = {
        .address = {modes[what->address], modes[what->address], modes[what->address]},
        .filter = what->linear ? CUDA_FILTER_LINEAR : CUDA_FILTER_POINT,
        .flags = what->normalised ? CUDA_TEXTURE_NORMALISED : 0};

    return cuda->driver.cuTexObjectCreate(texture, resource, &description, NULL);
}

enum status cuda_texture_create(struct device *device, const struct device_texture *what, uint64_t *texture,
                                struct error *error)
{
    struct cuda_device *cuda = cuda_of(device);
    struct cuda_resource resource = {.type = CUDA_RESOURCE_ARRAY};
    size_t slot = slot_of(cuda, 0);
    cuda_handle array = NULL;
    unsigned long long object = 0, surface = 0;
    int result = CUDA_RESULT_SUCCESS;

    if (slot == CUDA_TEXTURES_MAX)
        return error_set(error, STATUS_STATE, "More than %d textures at once: raise CUDA_TEXTURES_MAX.",
                         CUDA_TEXTURES_MAX);
    if (what->linear_memory) {
        resource.type = CUDA_RESOURCE_LINEAR;
        resource.linear.pointer = what->linear_memory;
        resource.linear.format = format_of(what);
        resource.linear.channels = 1;
        resource.linear.size_bytes = what->width * device_texel_bytes(what);
    } else {
        result = array_create(cuda, what, &array);
        resource.array = array;
    }
    if (result == CUDA_RESULT_SUCCESS)
        result = object_create(cuda, &resource, what, &object);
    if (result == CUDA_RESULT_SUCCESS && what->surface)
        result = cuda->driver.cuSurfObjectCreate(&surface, &resource);
    if (result) {
        if (object)
            cuda->driver.cuTexObjectDestroy(object);
        if (array)
            cuda->driver.cuArrayDestroy(array);
        return cuda_driver_refuse(&cuda->driver, result, error, "Making a texture of %u x %u texels",
                                  what->width, what->height);
    }
    cuda->textures[slot].texture = object;
    cuda->textures[slot].array = array;
    cuda->textures[slot].surface = surface;
    if (what->surface)
        *what->surface = surface;
    *texture = object;
    return STATUS_OK;
}

enum status cuda_texture_destroy(struct device *device, uint64_t texture, struct error *error)
{
    struct cuda_device *cuda = cuda_of(device);
    size_t slot = slot_of(cuda, texture);

    if (!texture || slot == CUDA_TEXTURES_MAX)
        return error_set(error, STATUS_STATE, "There is no texture %llu to destroy.",
                         (unsigned long long)texture);
    cuda_handle array = cuda->textures[slot].array;
    uint64_t surface = cuda->textures[slot].surface;
    int result = cuda->driver.cuTexObjectDestroy(texture);
    int unbound = surface ? cuda->driver.cuSurfObjectDestroy(surface) : CUDA_RESULT_SUCCESS;
    int freed = array ? cuda->driver.cuArrayDestroy(array) : CUDA_RESULT_SUCCESS;

    cuda->textures[slot].texture = 0;
    result = result ? result : unbound ? unbound : freed;
    return result ? cuda_driver_refuse(&cuda->driver, result, error, "Destroying a texture") : STATUS_OK;
}
