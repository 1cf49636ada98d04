/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays, texture objects and surface objects. A handle is the model's; the properties that CUDA reports of
 * an array are kept in a row of `arrays` until it is freed. Mipmaps, sparse arrays and 8-bit formats other
 * than the listed widths are refused.
 */
#include "standin/standin.h"

#include "core/base/array.h"
#include "simt/memory/memory.h"

struct array {
    uint64_t handle; /* 0: freed */
    struct cudaChannelFormatDesc format;
    struct cudaExtent extent; /* as the program specified it */
    unsigned flags;
    struct texture_shape shape;
};

static struct array *arrays;
static size_t array_count, array_capacity;

static struct array *array_find(cudaArray_const_t array)
{
    uint64_t handle = (uint64_t)(uintptr_t)array;

    for (size_t i = 0; i < array_count && handle != 0; i++)
        if (arrays[i].handle == handle)
            return &arrays[i];
    return NULL;
}

bool array_is(const void *handle)
{
    return array_find((cudaArray_const_t)handle) != NULL;
}

/* ---- formats and shapes ---- */
STANDIN_API struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                               enum cudaChannelFormatKind kind)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

/* Returns false for a format that the model does not have. */
static bool shape_takes_format(struct texture_shape *shape, const struct cudaChannelFormatDesc *format)
{
    const int bits[4] = {format->x, format->y, format->z, format->w};

    shape->channels = 0;
    while (shape->channels < 4 && bits[shape->channels] > 0) {
        if (bits[shape->channels] != bits[0])
            return false;
        shape->channels++;
    }
    shape->channel_bytes = (uint32_t)bits[0] / 8;
    switch (format->f) {
    case cudaChannelFormatKindUnsigned: shape->format = TEXTURE_UNSIGNED; break;
    case cudaChannelFormatKindSigned: shape->format = TEXTURE_SIGNED; break;
    case cudaChannelFormatKindFloat: shape->format = TEXTURE_FLOAT; break;
    default: return false;
    }
    bool channels = shape->channels == 1 || shape->channels == 2 || shape->channels == 4;
    return channels && (bits[0] == 8 || bits[0] == 16 || bits[0] == 32);
}

static void shape_takes_extent(struct texture_shape *shape, const struct cudaExtent *extent, unsigned flags)
{
    bool layered = flags & cudaArrayLayered, cube = flags & cudaArrayCubemap;

    shape->width = (uint32_t)extent->width;
    shape->height = extent->height ? (uint32_t)extent->height : 1;
    shape->depth = extent->depth ? (uint32_t)extent->depth : 1;
    shape->kind = cube                 ? layered ? TEXTURE_CUBE_LAYERED : TEXTURE_CUBE
                  : layered            ? extent->height ? TEXTURE_2D_LAYERED : TEXTURE_1D_LAYERED
                  : extent->depth > 0  ? TEXTURE_3D
                  : extent->height > 0 ? TEXTURE_2D
                                       : TEXTURE_1D;
}

static size_t texel_bytes(const struct texture_shape *shape)
{
    return (size_t)shape->channels * shape->channel_bytes;
}

/* What CUDA accepts; the model may have less. */
static bool format_is_valid(const struct cudaChannelFormatDesc *format)
{
    const int bits[4] = {format->x, format->y, format->z, format->w};
    int channels = 0, wrong = 0;

    if (format->f > cudaChannelFormatKindFloat)
        return format->f > cudaChannelFormatKindNone &&
               format->f <= cudaChannelFormatKindUnsignedNormalized1010102;
    while (channels < 4 && bits[channels] > 0)
        wrong += bits[channels++] != bits[0];
    for (int i = channels; i < 4; i++)
        wrong += bits[i] != 0;
    return wrong == 0 && (channels == 1 || channels == 2 || channels == 4) &&
           (bits[0] == 16 || bits[0] == 32 || (bits[0] == 8 && format->f != cudaChannelFormatKindFloat));
}

/* CUDA C++ Programming Guide, technical specifications per compute capability: all GPUs since 7.5. */
#define ARRAY_2D_HEIGHT_MOST 65536u
#define ARRAY_3D_MOST 16384u

static bool extent_is_valid(const struct cudaExtent *extent, unsigned flags)
{
    const bool layered = flags & cudaArrayLayered, cube = flags & cudaArrayCubemap;

    if (cube)
        return extent->width == extent->height &&
               (layered ? extent->depth > 0 && extent->depth % 6 == 0 : extent->depth == 6);
    if (layered || extent->depth == 0)
        return extent->height <= ARRAY_2D_HEIGHT_MOST;
    return extent->height > 0 && extent->width <= ARRAY_3D_MOST && extent->height <= ARRAY_3D_MOST &&
           extent->depth <= ARRAY_3D_MOST;
}

/* ---- arrays ---- */
STANDIN_API cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                                          struct cudaExtent extent, unsigned flags)
{
    const unsigned known = cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap |
                           cudaArrayTextureGather | cudaArrayColorAttachment | cudaArraySparse |
                           cudaArrayDeferredMapping;
    cudaError_t lost = standin_enter();
    struct error error;

    if (lost == cudaSuccess)
        lost = graph_forbids();
    if (lost == cudaSuccess && (!array || !format || flags & ~known))
        lost = cudaErrorInvalidValue;
    if (lost == cudaSuccess && !format_is_valid(format))
        lost = cudaErrorInvalidChannelDescriptor;
    if (lost == cudaSuccess && !extent_is_valid(&extent, flags))
        lost = cudaErrorInvalidValue;
    if (lost)
        return standin_leave(lost);
    struct array made = {.format = *format, .extent = extent, .flags = flags};
    if (flags & (cudaArraySparse | cudaArrayDeferredMapping) || !shape_takes_format(&made.shape, format))
        return standin_leave(
            standin_refuse("The program creates a sparse array, or one of a format that the device "
                           "model does not have: it has 1, 2 or 4 channels of 8, 16 or 32 bits."));
    shape_takes_extent(&made.shape, &extent, flags);
    if (!array_grow(arrays, array_capacity, array_count, 1))
        return standin_leave(cudaErrorMemoryAllocation);
    enum status status = simt_device_array_create(standin_device(), &made.shape, &made.handle, &error);
    if (status == STATUS_OK) {
        arrays[array_count++] = made;
        *array = (cudaArray_t)(uintptr_t)made.handle;
    }
    return status == STATUS_USAGE ? standin_leave(cudaErrorInvalidValue)
                                  : standin_leave_status(status, &error);
}

STANDIN_API cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                                        size_t width, size_t height, unsigned flags)
{
    if (!array)
        return standin_null();
    return cudaMalloc3DArray(array, format, (struct cudaExtent){width, height, 0}, flags);
}

STANDIN_API cudaError_t cudaFreeArray(cudaArray_t array)
{
    cudaError_t lost = standin_enter();
    struct array *found = array_find(array);
    struct error error;

    if (lost || !array)
        return standin_leave(lost);
    if (!found && memory_hides((uint64_t)(uintptr_t)array))
        standin_crash("memory that is no array, or an array that was freed");
    if (!found)
        return standin_leave(cudaErrorDeviceUninitialized); /* as an H200 says it */
    enum status status = simt_device_texture_destroy(standin_device(), found->handle, &error);
    found->handle = 0;
    return standin_leave_status(status, &error);
}

STANDIN_API cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *extent,
                                         unsigned *flags, cudaArray_t array)
{
    cudaError_t lost = standin_enter();
    const struct array *found = array_find(array);

    if (lost || !found)
        return standin_leave(lost ? lost : cudaErrorInvalidResourceHandle);
    if (format)
        *format = found->format;
    if (extent)
        *extent = found->extent;
    if (flags)
        *flags = found->flags;
    return standin_leave(cudaSuccess);
}

STANDIN_API cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *format, cudaArray_const_t array)
{
    if (!format)
        return standin_null();
    return cudaArrayGetInfo(format, NULL, NULL, (cudaArray_t)(uintptr_t)array);
}

/* ---- copies ---- */
/* The linear side is in the device's memory if `kind` says so, or if its address belongs to the device. */
static cudaError_t copy_array(struct simt_array_copy *copy, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    struct error error;

    copy->device =
        kind == cudaMemcpyDeviceToDevice || (kind == cudaMemcpyDefault && standin_of_device(copy->linear));
    enum status status = simt_device_array_copy(standin_device(), copy, standin_stream(stream), &error);
    return status == STATUS_USAGE ? standin_leave(cudaErrorInvalidValue)
                                  : standin_leave_status(status, &error);
}

/* Offsets and widths are in bytes. */
static cudaError_t copy_2d(cudaArray_const_t array, size_t x_bytes, size_t y, const void *linear,
                           size_t pitch, size_t width_bytes, size_t height, bool to_array,
                           enum cudaMemcpyKind kind, cudaStream_t stream, bool async)
{
    cudaError_t lost = standin_enter();
    const struct array *found = array_find(array);

    if (lost || !found)
        return standin_leave(lost ? lost : cudaErrorInvalidResourceHandle);
    if ((unsigned)kind > cudaMemcpyDefault ||
        kind == (to_array ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice))
        return standin_leave(cudaErrorInvalidMemcpyDirection);
    if (width_bytes > pitch && height > 1)
        return standin_leave(cudaErrorInvalidPitchValue);
    const size_t texel = texel_bytes(&found->shape), row = found->shape.width * texel;
    if (!linear || x_bytes > row || width_bytes > row - x_bytes)
        return standin_leave(cudaErrorInvalidValue);
    struct simt_array_copy copy = {.array = found->handle,
                                   .linear = (uint64_t)(uintptr_t)linear,
                                   .pitch_bytes = pitch,
                                   .slice_bytes = pitch * height,
                                   .x = (uint32_t)(x_bytes / texel),
                                   .y = (uint32_t)y,
                                   .width = (uint32_t)(width_bytes / texel),
                                   .height = (uint32_t)height,
                                   .depth = 1,
                                   .to_array = to_array,
                                   .async = async};
    return width_bytes == 0 || height == 0 ? standin_leave(cudaSuccess) : copy_array(&copy, kind, stream);
}

STANDIN_API cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from,
                                            size_t pitch, size_t width, size_t height,
                                            enum cudaMemcpyKind kind)
{
    return copy_2d(to, x, y, from, pitch, width, height, true, kind, NULL, false);
}

STANDIN_API cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                                 size_t pitch, size_t width, size_t height,
                                                 enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_2d(to, x, y, from, pitch, width, height, true, kind, stream, true);
}

STANDIN_API cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                              size_t y, size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return copy_2d(from, x, y, to, pitch, width, height, false, kind, NULL, false);
}

STANDIN_API cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                                   size_t y, size_t width, size_t height,
                                                   enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_2d(from, x, y, to, pitch, width, height, false, kind, stream, true);
}

/* Copies rows of the array's width; the last row may be shorter. */
static cudaError_t copy_1d(cudaArray_const_t array, size_t x, size_t y, const void *linear, size_t bytes,
                           bool to_array, enum cudaMemcpyKind kind)
{
    cudaError_t lost = standin_enter();
    const struct array *found = array_find(array);

    if (lost || !found)
        return standin_leave(lost ? lost : cudaErrorInvalidValue);
    size_t row = found->shape.width * texel_bytes(&found->shape);
    cudaError_t code = standin_leave(x > 0 && x + bytes > row ? cudaErrorInvalidValue : cudaSuccess);
    if (code == cudaSuccess && bytes / row > 0)
        code = copy_2d(array, x, y, linear, row, row, bytes / row, to_array, kind, NULL, false);
    if (code == cudaSuccess && bytes % row > 0)
        code = copy_2d(array, x, y + bytes / row, (const char *)linear + bytes / row * row, row, bytes % row,
                       1, to_array, kind, NULL, false);
    return code;
}

STANDIN_API cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                                          enum cudaMemcpyKind kind)
{
    return copy_1d(to, x, y, from, bytes, true, kind);
}

STANDIN_API cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y,
                                            size_t bytes, enum cudaMemcpyKind kind)
{
    return copy_1d(from, x, y, to, bytes, false, kind);
}

/* Positions and extents in texels. */
static cudaError_t move_array(cudaArray_const_t to, const struct cudaPos *to_at, cudaArray_const_t from,
                              const struct cudaPos *from_at, const struct cudaExtent *extent,
                              cudaStream_t stream, bool async)
{
    const struct array *target = array_find(to), *source = array_find(from);
    struct error error;

    if (!target || !source)
        return standin_leave(cudaErrorInvalidValue);
    struct simt_array_copy read = {.array = source->handle,
                                   .x = (uint32_t)from_at->x,
                                   .y = (uint32_t)from_at->y,
                                   .z = (uint32_t)from_at->z,
                                   .width = (uint32_t)extent->width,
                                   .height = extent->height ? (uint32_t)extent->height : 1,
                                   .depth = extent->depth ? (uint32_t)extent->depth : 1,
                                   .async = async};
    struct simt_array_copy write = read;
    write.array = target->handle;
    write.x = (uint32_t)to_at->x;
    write.y = (uint32_t)to_at->y;
    write.z = (uint32_t)to_at->z;
    enum status status =
        simt_device_array_move(standin_device(), &read, &write, standin_stream(stream), &error);
    return status == STATUS_USAGE ? standin_leave(cudaErrorInvalidValue)
                                  : standin_leave_status(status, &error);
}

/* Offsets and the width are in bytes. */
STANDIN_API cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                                 cudaArray_const_t from, size_t from_x, size_t from_y,
                                                 size_t width, size_t height, enum cudaMemcpyKind kind)
{
    cudaError_t lost = standin_enter();
    const struct array *found = array_find(to);

    (void)kind;
    if (lost || !found)
        return standin_leave(lost ? lost : cudaErrorInvalidValue);
    size_t texel = texel_bytes(&found->shape);
    const struct cudaPos to_at = {to_x / texel, to_y, 0}, from_at = {from_x / texel, from_y, 0};
    const struct cudaExtent extent = {width / texel, height, 1};
    return move_array(to, &to_at, from, &from_at, &extent, NULL, false);
}

/* The extent is in texels; the linear side's x is in bytes. */
cudaError_t standin_copy_3d_array(const struct cudaMemcpy3DParms *what, cudaStream_t stream, bool async)
{
    cudaError_t lost = standin_enter();
    bool to_array = what->dstArray != NULL;
    const struct array *found = array_find(to_array ? what->dstArray : what->srcArray);
    const struct cudaPitchedPtr *linear = to_array ? &what->srcPtr : &what->dstPtr;
    const struct cudaPos *at = to_array ? &what->dstPos : &what->srcPos,
                         *from = to_array ? &what->srcPos : &what->dstPos;

    if (lost || !found)
        return standin_leave(lost ? lost : cudaErrorInvalidValue);
    if (what->dstArray && what->srcArray)
        return move_array(what->dstArray, &what->dstPos, what->srcArray, &what->srcPos, &what->extent, stream,
                          async);
    if (what->kind == (to_array ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice))
        return standin_leave(cudaErrorInvalidValue);
    uint64_t slice = linear->pitch * (linear->ysize ? linear->ysize : what->extent.height);
    struct simt_array_copy copy = {.array = found->handle,
                                   .linear = (uint64_t)(uintptr_t)linear->ptr + from->z * slice +
                                             from->y * linear->pitch + from->x,
                                   .pitch_bytes = linear->pitch,
                                   .slice_bytes = slice,
                                   .x = (uint32_t)at->x,
                                   .y = (uint32_t)at->y,
                                   .z = (uint32_t)at->z,
                                   .width = (uint32_t)what->extent.width,
                                   .height = what->extent.height ? (uint32_t)what->extent.height : 1,
                                   .depth = what->extent.depth ? (uint32_t)what->extent.depth : 1,
                                   .to_array = to_array,
                                   .async = async};
    return copy_array(&copy, what->kind, stream);
}

/* ---- textures and surfaces ---- */
static enum texture_address address_of_mode(enum cudaTextureAddressMode mode)
{
    switch (mode) {
    case cudaAddressModeWrap: return TEXTURE_WRAP;
    case cudaAddressModeMirror: return TEXTURE_MIRROR;
    case cudaAddressModeBorder: return TEXTURE_BORDER;
    case cudaAddressModeClamp: break;
    }
    return TEXTURE_CLAMP;
}

/* Sets the place of the texels. Returns false for a kind of resource that the model does not have. */
static bool view_takes_resource(struct texture_view *view, const struct cudaResourceDesc *resource)
{
    const struct array *array;

    switch (resource->resType) {
    case cudaResourceTypeArray:
        if (!(array = array_find(resource->res.array.array)))
            return false;
        view->shape = array->shape;
        view->texels = array->handle;
        return true;
    case cudaResourceTypeLinear:
        if (!shape_takes_format(&view->shape, &resource->res.linear.desc))
            return false;
        view->texels = (uint64_t)(uintptr_t)resource->res.linear.devPtr;
        view->shape.width = (uint32_t)(resource->res.linear.sizeInBytes / texel_bytes(&view->shape));
        view->shape.height = view->shape.depth = 1;
        view->shape.kind = TEXTURE_1D;
        view->pitch_bytes = resource->res.linear.sizeInBytes;
        return true;
    case cudaResourceTypePitch2D:
        if (!shape_takes_format(&view->shape, &resource->res.pitch2D.desc))
            return false;
        view->texels = (uint64_t)(uintptr_t)resource->res.pitch2D.devPtr;
        view->shape.width = (uint32_t)resource->res.pitch2D.width;
        view->shape.height = (uint32_t)resource->res.pitch2D.height;
        view->shape.depth = 1;
        view->shape.kind = TEXTURE_2D;
        view->pitch_bytes = resource->res.pitch2D.pitchInBytes;
        return true;
    case cudaResourceTypeMipmappedArray: break;
    }
    return false;
}

/* What CUDA accepts as texels. */
static cudaError_t check_resource(const struct cudaResourceDesc *resource)
{
    const struct cudaChannelFormatDesc *format = resource->resType == cudaResourceTypeLinear
                                                     ? &resource->res.linear.desc
                                                     : &resource->res.pitch2D.desc;
    const void *pointer = resource->resType == cudaResourceTypeLinear ? resource->res.linear.devPtr
                                                                      : resource->res.pitch2D.devPtr;
    struct simt_allocation allocation;

    if (resource->resType == cudaResourceTypeArray)
        return array_find(resource->res.array.array) ? cudaSuccess : cudaErrorInvalidResourceHandle;
    if (resource->resType != cudaResourceTypeLinear && resource->resType != cudaResourceTypePitch2D)
        return resource->resType == cudaResourceTypeMipmappedArray ? cudaSuccess : cudaErrorInvalidValue;
    if (!format_is_valid(format))
        return cudaErrorInvalidChannelDescriptor;
    if ((uint64_t)(uintptr_t)pointer % TEXTURE_ALIGNMENT_BYTES ||
        !simt_device_allocation(standin_device(), (uint64_t)(uintptr_t)pointer, &allocation))
        return cudaErrorInvalidValue;
    return resource->resType == cudaResourceTypePitch2D &&
                   resource->res.pitch2D.pitchInBytes % TEXTURE_PITCH_BYTES
               ? cudaErrorInvalidValue
               : cudaSuccess;
}

/* What CUDA accepts as the way to read them. */
static cudaError_t check_reading(const struct cudaResourceDesc *resource, const struct cudaTextureDesc *how)
{
    const struct cudaChannelFormatDesc *format =
        resource->resType == cudaResourceTypeArray    ? &array_find(resource->res.array.array)->format
        : resource->resType == cudaResourceTypeLinear ? &resource->res.linear.desc
                                                      : &resource->res.pitch2D.desc;

    if ((unsigned)how->filterMode > cudaFilterModeLinear)
        return cudaErrorInvalidValue;
    for (int i = 0; i < 3; i++)
        if ((unsigned)how->addressMode[i] > cudaAddressModeBorder)
            return cudaErrorInvalidValue;
    if (format->f > cudaChannelFormatKindFloat)
        return cudaSuccess;
    if (how->readMode == cudaReadModeNormalizedFloat &&
        (format->f == cudaChannelFormatKindFloat || format->x == 32))
        return cudaErrorInvalidNormSetting;
    return how->readMode == cudaReadModeElementType && how->filterMode == cudaFilterModeLinear &&
                   format->f != cudaChannelFormatKindFloat
               ? cudaErrorInvalidFilterSetting
               : cudaSuccess;
}

static cudaError_t view_make(struct texture_view *view, const struct cudaResourceDesc *resource,
                             unsigned long long *object)
{
    uint64_t handle = 0;
    struct error error;

    if (!view_takes_resource(view, resource))
        return standin_refuse(
            "The program creates a texture or surface of a mipmapped array, or of a format that the "
            "device model does not have.");
    enum status status = simt_device_texture_create(standin_device(), view, &handle, &error);
    *object = handle;
    if (status == STATUS_UNSUPPORTED)
        return standin_refuse("%s", error.text);
    return status == STATUS_USAGE ? cudaErrorInvalidValue : error_of_status(status);
}

STANDIN_API cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object,
                                                const struct cudaResourceDesc *resource,
                                                const struct cudaTextureDesc *how,
                                                const struct cudaResourceViewDesc *window)
{
    if (!object)
        return standin_null();
    cudaError_t lost = standin_enter();

    if (lost == cudaSuccess && (!resource || !how))
        lost = cudaErrorInvalidValue;
    if (lost == cudaSuccess)
        lost = check_resource(resource);
    if (lost == cudaSuccess && resource->resType != cudaResourceTypeMipmappedArray)
        lost = check_reading(resource, how);
    if (lost)
        return standin_leave(lost);
    struct texture_view view = {.linear = how->filterMode == cudaFilterModeLinear,
                                .normalised = how->normalizedCoords != 0,
                                .normalised_read = how->readMode == cudaReadModeNormalizedFloat};
    if (window || how->sRGB)
        return standin_leave(
            standin_refuse("The program creates a texture with a resource view or sRGB, which CUDA on "
                           "the device model does not have."));
    for (int i = 0; i < 3; i++)
        view.address[i] = address_of_mode(how->addressMode[i]);
    for (int i = 0; i < 4; i++)
        view.border[i] = how->borderColor[i];
    return standin_leave(view_make(&view, resource, object));
}

STANDIN_API cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object,
                                                const struct cudaResourceDesc *resource)
{
    if (!object)
        return standin_null();
    cudaError_t lost = standin_enter();
    struct texture_view view = {.linear = 0};

    if (lost)
        return standin_leave(lost);
    if (!resource || resource->resType != cudaResourceTypeArray)
        return standin_leave(cudaErrorInvalidValue);
    lost = check_resource(resource);
    return standin_leave(lost ? lost : view_make(&view, resource, object));
}

static cudaError_t object_destroy(unsigned long long object)
{
    cudaError_t lost = standin_enter();
    struct error error;

    struct texture_view view;

    if (lost || !simt_device_texture(standin_device(), object, &view)) /* as on an H200, no error */
        return standin_leave(lost);
    return standin_leave_status(simt_device_texture_destroy(standin_device(), object, &error), &error);
}

STANDIN_API cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
    return object_destroy(object);
}

STANDIN_API cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
    return object_destroy(object);
}
