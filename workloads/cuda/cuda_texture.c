/*
 * A texture is an array and the object over it; the array is kept in a slot of the device, found by the
 * object, and destroyed with it.
 */
#include "workloads/cuda/cuda_device.h"

static size_t slot_of(const struct cuda_device *cuda, uint64_t texture)
{
    size_t slot = 0;

    while (slot < CUDA_TEXTURES_MAX && cuda->textures[slot].texture != texture)
        slot++;
    return slot;
}

static int array_fill(struct cuda_device *cuda, cuda_handle array, const struct device_texture *what)
{
    struct cuda_copy_2d copy = {.source_type = CUDA_MEMORY_HOST,
                                .source_host = what->values,
                                .source_pitch = what->width * sizeof(float),
                                .destination_type = CUDA_MEMORY_ARRAY,
                                .destination_array = array,
                                .width_bytes = what->width * sizeof(float),
                                .height = what->height};

    return cuda->driver.cuMemcpy2D_v2(&copy);
}

static int object_create(struct cuda_device *cuda, cuda_handle array, const struct device_texture *what,
                         unsigned long long *texture)
{
    static const int modes[] = {[TEXTURE_WRAP] = CUDA_ADDRESS_WRAP,
                                [TEXTURE_CLAMP] = CUDA_ADDRESS_CLAMP,
                                [TEXTURE_MIRROR] = CUDA_ADDRESS_MIRROR,
                                [TEXTURE_BORDER] = CUDA_ADDRESS_BORDER};
    struct cuda_resource resource = {.type = CUDA_RESOURCE_ARRAY, .array = array};
    struct cuda_texture description = {
        .address = {modes[what->address], modes[what->address], modes[what->address]},
        .filter = what->linear ? CUDA_FILTER_LINEAR : CUDA_FILTER_POINT,
        .flags = what->normalised ? CUDA_TEXTURE_NORMALISED : 0};

    return cuda->driver.cuTexObjectCreate(texture, &resource, &description, NULL);
}

enum status cuda_texture_create(struct device *device, const struct device_texture *what, uint64_t *texture,
                                struct error *error)
{
    struct cuda_device *cuda = cuda_of(device);
    struct cuda_array array_of = {
        .width = what->width, .height = what->height, .format = CUDA_FORMAT_FLOAT, .channels = 1};
    size_t slot = slot_of(cuda, 0);
    cuda_handle array = NULL;
    unsigned long long object = 0;

    if (slot == CUDA_TEXTURES_MAX)
        return error_set(error, STATUS_STATE, "More than %d textures at once: raise CUDA_TEXTURES_MAX.",
                         CUDA_TEXTURES_MAX);
    int result = cuda->driver.cuArrayCreate_v2(&array, &array_of);
    if (result == CUDA_RESULT_SUCCESS)
        result = array_fill(cuda, array, what);
    if (result == CUDA_RESULT_SUCCESS)
        result = object_create(cuda, array, what, &object);
    if (result) {
        if (array)
            cuda->driver.cuArrayDestroy(array);
        return cuda_driver_refuse(&cuda->driver, result, error, "Making a texture of %u x %u texels",
                                  what->width, what->height);
    }
    cuda->textures[slot].texture = object;
    cuda->textures[slot].array = array;
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
    int result = cuda->driver.cuTexObjectDestroy(texture);
    int freed = cuda->driver.cuArrayDestroy(cuda->textures[slot].array);

    cuda->textures[slot].texture = 0;
    result = result ? result : freed;
    return result ? cuda_driver_refuse(&cuda->driver, result, error, "Destroying a texture") : STATUS_OK;
}
