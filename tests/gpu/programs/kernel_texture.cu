// Textures and surfaces of every kind: the printed numbers must be the same on a GPU and on the device model,
// where tests/unit/simt/engine/test_simt_surface.c runs the kernels (tests/data/programs/kernel_texture.ptx).
#include "program.h"

__global__ void fetch_1d(float *out, cudaTextureObject_t texture)
{
    out[threadIdx.x] = tex1D<float>(texture, threadIdx.x * 0.5f);
}
__global__ void fetch_linear(int *out, cudaTextureObject_t texture)
{
    out[threadIdx.x] = tex1Dfetch<int>(texture, (int)threadIdx.x);
}
__global__ void fetch_bytes(float4 *out, cudaTextureObject_t texture)
{
    out[threadIdx.x] = tex2D<float4>(texture, threadIdx.x + 0.5f, 1.5f);
}
__global__ void fetch_3d(float *out, cudaTextureObject_t texture)
{
    out[threadIdx.x] = tex3D<float>(texture, threadIdx.x * 0.25f, 1.25f, 1.5f);
}
__global__ void fetch_layers(float *out, cudaTextureObject_t texture)
{
    out[threadIdx.x] = tex2DLayered<float>(texture, threadIdx.x % 4 + 0.5f, 1.5f, threadIdx.x / 4);
}
__global__ void fetch_cube(float *out, cudaTextureObject_t texture)
{
    const float to[6][3] = {{1, 0.3f, 0.2f},  {-1, 0.3f, 0.2f}, {0.3f, 1, 0.2f},
                            {0.3f, -1, 0.2f}, {0.3f, 0.2f, 1},  {0.3f, 0.2f, -1}};
    if (threadIdx.x < 6)
        out[threadIdx.x] =
            texCubemap<float>(texture, to[threadIdx.x][0], to[threadIdx.x][1], to[threadIdx.x][2]);
}
__global__ void gather(float4 *out, cudaTextureObject_t texture)
{
    out[threadIdx.x] = tex2Dgather<float4>(texture, 1 + threadIdx.x, 1, 0);
}
// Adds one to each texel and writes beyond the edges, which changes nothing.
__global__ void surface_2d(cudaSurfaceObject_t surface)
{
    int x = threadIdx.x, y = threadIdx.y;
    float value = surf2Dread<float>(surface, x * 4, y);
    surf2Dwrite(value + 1, surface, x * 4, y);
    surf2Dwrite(99.0f, surface, -4, y, cudaBoundaryModeZero);
    if (surf2Dread<float>(surface, x * 4, 1000, cudaBoundaryModeZero) != 0)
        surf2Dwrite(-1.0f, surface, x * 4, y);
}
__global__ void surface_3d(cudaSurfaceObject_t surface)
{
    surf3Dwrite((short)(threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z), surface, threadIdx.x * 2,
                threadIdx.y, threadIdx.z);
}

static void print(const char *what, const void *device, int count, bool whole)
{
    float seen[64];
    CHECK(cudaMemcpy(seen, device, count * sizeof *seen, cudaMemcpyDeviceToHost));
    printf("%s:", what);
    for (int i = 0; i < count; i++)
        whole ? printf(" %d", ((int *)seen)[i]) : printf(" %g", seen[i]);
    printf("\n");
}

static cudaTextureObject_t texture_of(cudaArray_t array, cudaTextureFilterMode filter,
                                      cudaTextureReadMode read, bool normalised)
{
    cudaResourceDesc resource = {};
    cudaTextureDesc texture = {};
    cudaTextureObject_t made;
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    for (int i = 0; i < 3; i++)
        texture.addressMode[i] = cudaAddressModeClamp;
    texture.filterMode = filter;
    texture.readMode = read;
    texture.normalizedCoords = normalised;
    CHECK(cudaCreateTextureObject(&made, &resource, &texture, nullptr));
    return made;
}

static cudaArray_t filled(cudaChannelFormatDesc format, void *texels, size_t texel, int width, int height,
                          int depth, unsigned flags)
{
    cudaArray_t array;
    cudaMemcpy3DParms copy = {};
    CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(width, height, depth), flags));
    copy.srcPtr = make_cudaPitchedPtr(texels, width * texel, width, height ? height : 1);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(width, height ? height : 1, depth ? depth : 1);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    return array;
}

int main()
{
    static float floats[4 * 4 * 6];
    static unsigned char bytes[4 * 4 * 4];
    int whole[8], *linear;
    void *out;
    for (int i = 0; i < 96; i++)
        floats[i] = (float)(i * i % 61);
    for (int i = 0; i < 64; i++)
        bytes[i] = (unsigned char)(i * 7);
    for (int i = 0; i < 8; i++)
        whole[i] = 3 - i;
    cudaChannelFormatDesc single = cudaCreateChannelDesc<float>();
    CHECK(cudaMalloc(&out, 1024));
    fetch_1d<<<1, 12>>>((float *)out, texture_of(filled(single, floats, 4, 4, 0, 0, 0), cudaFilterModeLinear,
                                                 cudaReadModeElementType, false));
    print("1d", out, 12, false);
    CHECK(cudaMalloc(&linear, sizeof whole));
    CHECK(cudaMemcpy(linear, whole, sizeof whole, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    cudaTextureDesc texture = {};
    cudaTextureObject_t object;
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = linear;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = sizeof whole;
    CHECK(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
    fetch_linear<<<1, 10>>>((int *)out, object);
    print("linear", out, 10, true);
    fetch_bytes<<<1, 4>>>((float4 *)out,
                          texture_of(filled(cudaCreateChannelDesc<uchar4>(), bytes, 4, 4, 4, 0, 0),
                                     cudaFilterModePoint, cudaReadModeNormalizedFloat, false));
    print("bytes", out, 16, false);
    fetch_3d<<<1, 16>>>((float *)out, texture_of(filled(single, floats, 4, 4, 4, 3, 0), cudaFilterModeLinear,
                                                 cudaReadModeElementType, false));
    print("3d", out, 16, false);
    fetch_layers<<<1, 12>>>((float *)out, texture_of(filled(single, floats, 4, 4, 4, 3, cudaArrayLayered),
                                                     cudaFilterModePoint, cudaReadModeElementType, false));
    print("layers", out, 12, false);
    fetch_cube<<<1, 6>>>((float *)out, texture_of(filled(single, floats, 4, 4, 4, 6, cudaArrayCubemap),
                                                  cudaFilterModePoint, cudaReadModeElementType, true));
    print("cube", out, 6, false);
    gather<<<1, 3>>>((float4 *)out, texture_of(filled(single, floats, 4, 4, 4, 0, cudaArrayTextureGather),
                                               cudaFilterModePoint, cudaReadModeElementType, false));
    print("gather", out, 12, false);

    cudaSurfaceObject_t surface;
    cudaArray_t plane = filled(single, floats, 4, 4, 4, 0, cudaArraySurfaceLoadStore);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = plane;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    surface_2d<<<1, dim3(4, 4)>>>(surface);
    CHECK(cudaMemcpy2DFromArray(floats, 16, plane, 0, 0, 16, 4, cudaMemcpyDeviceToHost));
    printf("surface:");
    for (int i = 0; i < 16; i++)
        printf(" %g", floats[i]);
    short deep[4 * 4 * 2];
    cudaArray_t cube = filled(cudaCreateChannelDesc<short>(), deep, 2, 4, 4, 2, cudaArraySurfaceLoadStore);
    resource.res.array.array = cube;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    surface_3d<<<1, dim3(4, 4, 2)>>>(surface);
    cudaMemcpy3DParms copy = {};
    copy.srcArray = cube;
    copy.dstPtr = make_cudaPitchedPtr(deep, 8, 4, 4);
    copy.extent = make_cudaExtent(4, 4, 2);
    copy.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&copy));
    printf("\nsurface 3d: %d %d %d\n", deep[0], deep[4 * 3 + 2], deep[31]);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
