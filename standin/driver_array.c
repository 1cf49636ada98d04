/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays, textures and surfaces by the driver API, and copies of rows: descriptions become the runtime's. */
#include "standin/driver.h"

/* ---- arrays ---- */
/* Returns false for a format that only graphics has. */
static bool format_convert(CUarray_format format, unsigned channels, struct cudaChannelFormatDesc *desc)
{
    int bits;

    switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8: bits = 8, desc->f = cudaChannelFormatKindUnsigned; break;
    case CU_AD_FORMAT_UNSIGNED_INT16: bits = 16, desc->f = cudaChannelFormatKindUnsigned; break;
    case CU_AD_FORMAT_UNSIGNED_INT32: bits = 32, desc->f = cudaChannelFormatKindUnsigned; break;
    case CU_AD_FORMAT_SIGNED_INT8: bits = 8, desc->f = cudaChannelFormatKindSigned; break;
    case CU_AD_FORMAT_SIGNED_INT16: bits = 16, desc->f = cudaChannelFormatKindSigned; break;
    case CU_AD_FORMAT_SIGNED_INT32: bits = 32, desc->f = cudaChannelFormatKindSigned; break;
    case CU_AD_FORMAT_HALF: bits = 16, desc->f = cudaChannelFormatKindFloat; break;
    case CU_AD_FORMAT_FLOAT: bits = 32, desc->f = cudaChannelFormatKindFloat; break;
    default: return false;
    }
    desc->x = bits;
    desc->y = channels > 1 ? bits : 0;
    desc->z = desc->w = channels > 2 ? bits : 0;
    return true;
}

static CUresult refuse_format(void)
{
    standin_enter();
    cudaError_t code = standin_refuse(
        "The program uses an array or texture of a format that the device model does not have.");
    return driver_result(standin_leave(code));
}

STANDIN_API CUresult cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *what)
{
    struct cudaChannelFormatDesc format;
    cudaArray_t made = NULL;

    if (!array || !what || (what->NumChannels != 1 && what->NumChannels != 2 && what->NumChannels != 4))
        return CUDA_ERROR_INVALID_VALUE;
    if (!format_convert(what->Format, what->NumChannels, &format))
        return refuse_format();
    cudaError_t code = cudaMalloc3DArray(
        &made, &format, (struct cudaExtent){what->Width, what->Height, what->Depth}, what->Flags);
    *array = (CUarray)(uintptr_t)made;
    return driver_result(code);
}

STANDIN_API CUresult cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *what)
{
    if (!array || !what)
        return CUDA_ERROR_INVALID_VALUE;
    const CUDA_ARRAY3D_DESCRIPTOR same = {.Width = what->Width,
                                          .Height = what->Height,
                                          .Format = what->Format,
                                          .NumChannels = what->NumChannels};

    return cuArray3DCreate(array, &same);
}

STANDIN_API CUresult cuArrayDestroy(CUarray array)
{
    return array ? driver_result(cudaFreeArray((cudaArray_t)(uintptr_t)array)) : CUDA_ERROR_INVALID_HANDLE;
}

/* ---- textures and surfaces ---- */
static bool resource_convert(const CUDA_RESOURCE_DESC *what, struct cudaResourceDesc *same)
{
    switch (what->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        same->resType = cudaResourceTypeArray;
        same->res.array.array = (cudaArray_t)(uintptr_t)what->res.array.hArray;
        return true;
    case CU_RESOURCE_TYPE_LINEAR:
        same->resType = cudaResourceTypeLinear;
        same->res.linear.devPtr = driver_pointer(what->res.linear.devPtr);
        same->res.linear.sizeInBytes = what->res.linear.sizeInBytes;
        return format_convert(what->res.linear.format, what->res.linear.numChannels, &same->res.linear.desc);
    case CU_RESOURCE_TYPE_PITCH2D:
        same->resType = cudaResourceTypePitch2D;
        same->res.pitch2D.devPtr = driver_pointer(what->res.pitch2D.devPtr);
        same->res.pitch2D.width = what->res.pitch2D.width;
        same->res.pitch2D.height = what->res.pitch2D.height;
        same->res.pitch2D.pitchInBytes = what->res.pitch2D.pitchInBytes;
        return format_convert(what->res.pitch2D.format, what->res.pitch2D.numChannels,
                              &same->res.pitch2D.desc);
    default: return false;
    }
}

static bool is_integer_of_16(const CUDA_RESOURCE_DESC *what)
{
    CUarray_format format = what->resType == CU_RESOURCE_TYPE_LINEAR    ? what->res.linear.format
                            : what->resType == CU_RESOURCE_TYPE_PITCH2D ? what->res.pitch2D.format
                                                                        : CU_AD_FORMAT_FLOAT;
    struct cudaChannelFormatDesc desc = {.f = cudaChannelFormatKindFloat};

    if (what->resType == CU_RESOURCE_TYPE_ARRAY)
        cudaGetChannelDesc(&desc, (cudaArray_t)(uintptr_t)what->res.array.hArray);
    else
        format_convert(format, 1, &desc);
    return desc.f != cudaChannelFormatKindFloat && desc.x <= 16;
}

/* Integers of 8 and 16 bits are read as numbers from 0 to 1 unless the flag says otherwise, as CUDA documents
 * it. */
STANDIN_API CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *what,
                                       const CUDA_TEXTURE_DESC *how, const CUDA_RESOURCE_VIEW_DESC *window)
{
    if (!object || !what || !how)
        return CUDA_ERROR_INVALID_VALUE;
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray};
    cudaTextureObject_t made = 0;
    struct cudaTextureDesc same = {.filterMode = (enum cudaTextureFilterMode)how->filterMode,
                                   .normalizedCoords = (how->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
                                   .sRGB = (how->flags & CU_TRSF_SRGB) != 0,
                                   .readMode =
                                       (how->flags & CU_TRSF_READ_AS_INTEGER) || !is_integer_of_16(what)
                                           ? cudaReadModeElementType
                                           : cudaReadModeNormalizedFloat};

    for (int i = 0; i < 3; i++)
        same.addressMode[i] = (enum cudaTextureAddressMode)how->addressMode[i];
    for (int i = 0; i < 4; i++)
        same.borderColor[i] = how->borderColor[i];
    if (!resource_convert(what, &resource) || (window && window->format != CU_RES_VIEW_FORMAT_NONE))
        return refuse_format();
    cudaError_t code = cudaCreateTextureObject(&made, &resource, &same, NULL);
    *object = made;
    return driver_result(code);
}

STANDIN_API CUresult cuTexObjectDestroy(CUtexObject object)
{
    return driver_result(cudaDestroyTextureObject(object));
}

STANDIN_API CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *what)
{
    if (!object || !what)
        return CUDA_ERROR_INVALID_VALUE;
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray};
    cudaSurfaceObject_t made = 0;

    if (!resource_convert(what, &resource))
        return refuse_format();
    cudaError_t code = cudaCreateSurfaceObject(&made, &resource);
    *object = made;
    return driver_result(code);
}

STANDIN_API CUresult cuSurfObjectDestroy(CUsurfObject object)
{
    return driver_result(cudaDestroySurfaceObject(object));
}

/* ---- copies of rows ---- */
static const void *linear_of(CUmemorytype type, const void *host, CUdeviceptr device)
{
    return type == CU_MEMORYTYPE_HOST ? host : driver_pointer(device);
}

static bool side_is_valid(CUmemorytype type, CUarray array)
{
    return type == CU_MEMORYTYPE_ARRAY ? array != NULL
                                       : type >= CU_MEMORYTYPE_HOST && type <= CU_MEMORYTYPE_UNIFIED;
}

STANDIN_API CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *copy, CUstream stream)
{
    if (!copy || !side_is_valid(copy->srcMemoryType, copy->srcArray) ||
        !side_is_valid(copy->dstMemoryType, copy->dstArray))
        return CUDA_ERROR_INVALID_VALUE;
    const char *from = linear_of(copy->srcMemoryType, copy->srcHost, copy->srcDevice);
    char *to = (char *)(uintptr_t)linear_of(copy->dstMemoryType, copy->dstHost, copy->dstDevice);
    bool from_array = copy->srcMemoryType == CU_MEMORYTYPE_ARRAY,
         to_array = copy->dstMemoryType == CU_MEMORYTYPE_ARRAY;
    size_t from_pitch = copy->srcPitch ? copy->srcPitch : copy->WidthInBytes,
           to_pitch = copy->dstPitch ? copy->dstPitch : copy->WidthInBytes;

    if (from_array && to_array)
        return driver_result(
            cudaMemcpy2DArrayToArray((cudaArray_t)(uintptr_t)copy->dstArray, copy->dstXInBytes, copy->dstY,
                                     (cudaArray_t)(uintptr_t)copy->srcArray, copy->srcXInBytes, copy->srcY,
                                     copy->WidthInBytes, copy->Height, cudaMemcpyDefault));
    from += from_array ? 0 : copy->srcY * from_pitch + copy->srcXInBytes;
    to += to_array ? 0 : copy->dstY * to_pitch + copy->dstXInBytes;
    if (to_array)
        return driver_result(cudaMemcpy2DToArrayAsync(
            (cudaArray_t)(uintptr_t)copy->dstArray, copy->dstXInBytes, copy->dstY, from, from_pitch,
            copy->WidthInBytes, copy->Height, cudaMemcpyDefault, stream));
    if (from_array)
        return driver_result(cudaMemcpy2DFromArrayAsync(to, to_pitch, (cudaArray_t)(uintptr_t)copy->srcArray,
                                                        copy->srcXInBytes, copy->srcY, copy->WidthInBytes,
                                                        copy->Height, cudaMemcpyDefault, stream));
    return driver_result(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, copy->WidthInBytes, copy->Height,
                                           cudaMemcpyDefault, stream));
}

STANDIN_API CUresult cuMemcpy2D(const CUDA_MEMCPY2D *copy)
{
    CUresult result = cuMemcpy2DAsync(copy, NULL);

    return result ? result : driver_result(cudaStreamSynchronize(NULL));
}

STANDIN_API CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *copy)
{
    return cuMemcpy2D(copy);
}

/* ---- copies in three dimensions ---- */
/* Bytes of a texel; 0: there is no such array. */
static size_t texel_bytes(CUarray array)
{
    struct cudaChannelFormatDesc format;

    if (cudaGetChannelDesc(&format, (cudaArray_t)(uintptr_t)array) != cudaSuccess)
        return 0;
    return (size_t)(format.x + format.y + format.z + format.w) / 8;
}

/* A side in linear memory. Its x is in bytes, as in the runtime. */
static struct cudaPitchedPtr linear_side(CUmemorytype type, const void *host, CUdeviceptr device,
                                         size_t pitch, size_t height, const CUDA_MEMCPY3D *copy)
{
    return (struct cudaPitchedPtr){.ptr = (void *)(uintptr_t)linear_of(type, host, device),
                                   .pitch = pitch ? pitch : copy->WidthInBytes,
                                   .xsize = copy->WidthInBytes,
                                   .ysize = height ? height : copy->Height};
}

STANDIN_API CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *copy, CUstream stream)
{
    if (!copy)
        return CUDA_ERROR_INVALID_VALUE;
    bool from_array = copy->srcMemoryType == CU_MEMORYTYPE_ARRAY,
         to_array = copy->dstMemoryType == CU_MEMORYTYPE_ARRAY;
    size_t texel = from_array || to_array ? texel_bytes(from_array ? copy->srcArray : copy->dstArray) : 1;

    if (texel == 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct cudaMemcpy3DParms same = {
        .srcPos = {copy->srcXInBytes / (from_array ? texel : 1), copy->srcY, copy->srcZ},
        .dstPos = {copy->dstXInBytes / (to_array ? texel : 1), copy->dstY, copy->dstZ},
        .extent = {copy->WidthInBytes / texel, copy->Height, copy->Depth},
        .kind = cudaMemcpyDefault};
    if (from_array)
        same.srcArray = (cudaArray_t)(uintptr_t)copy->srcArray;
    else
        same.srcPtr = linear_side(copy->srcMemoryType, copy->srcHost, copy->srcDevice, copy->srcPitch,
                                  copy->srcHeight, copy);
    if (to_array)
        same.dstArray = (cudaArray_t)(uintptr_t)copy->dstArray;
    else
        same.dstPtr = linear_side(copy->dstMemoryType, copy->dstHost, copy->dstDevice, copy->dstPitch,
                                  copy->dstHeight, copy);
    return driver_result(cudaMemcpy3DAsync(&same, stream));
}

STANDIN_API CUresult cuMemcpy3D(const CUDA_MEMCPY3D *copy)
{
    CUresult result = cuMemcpy3DAsync(copy, NULL);

    return result ? result : driver_result(cudaStreamSynchronize(NULL));
}

/* Bytes of one row of a 1D array, or of several whole ones. */
static CUresult copy_row(CUarray array, size_t offset, const void *linear, size_t bytes, bool to_array)
{
    cudaArray_t same = (cudaArray_t)(uintptr_t)array;

    if (!array)
        return CUDA_ERROR_INVALID_VALUE;
    return driver_result(
        to_array ? cudaMemcpy2DToArray(same, offset, 0, linear, bytes, bytes, 1, cudaMemcpyDefault)
                 : cudaMemcpy2DFromArray((void *)(uintptr_t)linear, bytes, same, offset, 0, bytes, 1,
                                         cudaMemcpyDefault));
}

STANDIN_API CUresult cuMemcpyHtoA(CUarray to, size_t offset, const void *from, size_t bytes)
{
    return copy_row(to, offset, from, bytes, true);
}

STANDIN_API CUresult cuMemcpyAtoH(void *to, CUarray from, size_t offset, size_t bytes)
{
    return copy_row(from, offset, to, bytes, false);
}

STANDIN_API CUresult cuMemcpyDtoA(CUarray to, size_t offset, CUdeviceptr from, size_t bytes)
{
    return copy_row(to, offset, driver_pointer(from), bytes, true);
}

STANDIN_API CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray from, size_t offset, size_t bytes)
{
    return copy_row(from, offset, driver_pointer(to), bytes, false);
}

/* Of a row. */
STANDIN_API CUresult cuMemcpyHtoAAsync(CUarray to, size_t offset, const void *from, size_t bytes,
                                       CUstream stream)
{
    return driver_result(cudaMemcpy2DToArrayAsync((cudaArray_t)(uintptr_t)to, offset, 0, from, bytes, bytes,
                                                  1, cudaMemcpyHostToDevice, stream));
}

STANDIN_API CUresult cuMemcpyAtoHAsync(void *to, CUarray from, size_t offset, size_t bytes, CUstream stream)
{
    return driver_result(cudaMemcpy2DFromArrayAsync(to, bytes, (cudaArray_t)(uintptr_t)from, offset, 0, bytes,
                                                    1, cudaMemcpyDeviceToHost, stream));
}

STANDIN_API CUresult cuMemcpyAtoA(CUarray to, size_t to_offset, CUarray from, size_t from_offset,
                                  size_t bytes)
{
    return driver_result(cudaMemcpy2DArrayToArray((cudaArray_t)(uintptr_t)to, to_offset, 0,
                                                  (cudaArray_t)(uintptr_t)from, from_offset, 0, bytes, 1,
                                                  cudaMemcpyDefault));
}
