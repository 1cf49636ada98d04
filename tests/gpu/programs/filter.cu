#include <cstdio>
#include <cstring>
#include <cuda_fp16.h>
static unsigned state = 12345;
static unsigned rnd()
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}
__device__ unsigned hash(unsigned i)
{
    unsigned h = i * 2654435761u;
    h ^= h >> 15;
    h *= 2246822519u;
    h ^= h >> 13;
    h *= 3266489917u;
    h ^= h >> 16;
    return h;
}
__global__ void two(cudaTextureObject_t t, float *o, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned h = hash(i), g = hash(i + 77777);
        o[i] = tex2D<float>(t, (h & 0xfffff) / 1048576.0f * 10 - 1, (g & 0xfffff) / 1048576.0f * 10 - 1);
    }
}
__global__ void three(cudaTextureObject_t t, float *o, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned h = hash(i), g = hash(i + 77777), k = hash(i + 99999);
        o[i] = tex3D<float>(t, (h & 0xfffff) / 1048576.0f * 10 - 1, (g & 0xfffff) / 1048576.0f * 10 - 1,
                            (k & 0xfffff) / 1048576.0f * 10 - 1);
    }
}
static void texels(char kind, void *to, int n)
{
    for (int i = 0; i < n; i++) {
        unsigned r = rnd(), e = rnd();
        if (kind == 'f' || kind == 'F') {
            unsigned b = (r & 0x7fffff) | (kind == 'f' ? 127 - 4 + e % 8 : 127 - 30 + e % 60) << 23 |
                         (e >> 10 & 1) << 31;
            ((unsigned *)to)[i] = b;
        } else if (kind == 'h')
            ((unsigned short *)to)[i] = (r & 0x3ff) | (8 + e % 14) << 10 | (e >> 10 & 1) << 15;
        else if (kind == 'u' || kind == 's')
            ((unsigned char *)to)[i] = r;
        else
            ((unsigned short *)to)[i] = r;
    }
}
static cudaChannelFormatDesc desc(char k)
{
    return k == 'f' || k == 'F' ? cudaCreateChannelDesc<float>()
           : k == 'h'           ? cudaCreateChannelDescHalf()
           : k == 'u'           ? cudaCreateChannelDesc<unsigned char>()
           : k == 's'           ? cudaCreateChannelDesc<signed char>()
           : k == 'U'           ? cudaCreateChannelDesc<unsigned short>()
                                : cudaCreateChannelDesc<short>();
}
static int bytes(char k)
{
    return k == 'f' || k == 'F' ? 4 : k == 'u' || k == 's' ? 1 : 2;
}
int main()
{
    const int n = 16384;
    float *o;
    static unsigned h[n];
    cudaMalloc(&o, n * 4);
    for (const char *k = "fFhusUS"; *k; k++)
        for (int dim = 2; dim < 4; dim++) {
            static char a[8 * 8 * 8 * 4];
            cudaArray_t arr;
            cudaChannelFormatDesc d = desc(*k);
            int count = dim == 2 ? 64 : 512;
            texels(*k, a, count);
            if (dim == 2) {
                cudaMallocArray(&arr, &d, 8, 8);
                cudaMemcpy2DToArray(arr, 0, 0, a, 8 * bytes(*k), 8 * bytes(*k), 8, cudaMemcpyHostToDevice);
            } else {
                cudaMalloc3DArray(&arr, &d, make_cudaExtent(8, 8, 8));
                cudaMemcpy3DParms p = {};
                p.srcPtr = make_cudaPitchedPtr(a, 8 * bytes(*k), 8, 8);
                p.dstArray = arr;
                p.extent = make_cudaExtent(8, 8, 8);
                p.kind = cudaMemcpyHostToDevice;
                cudaMemcpy3D(&p);
            }
            cudaResourceDesc r = {};
            r.resType = cudaResourceTypeArray;
            r.res.array.array = arr;
            cudaTextureDesc td = {};
            td.filterMode = cudaFilterModeLinear;
            td.addressMode[0] = td.addressMode[1] = td.addressMode[2] = cudaAddressModeClamp;
            td.readMode =
                *k == 'f' || *k == 'F' || *k == 'h' ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
            cudaTextureObject_t t;
            cudaCreateTextureObject(&t, &r, &td, 0);
            if (dim == 2)
                two<<<64, 256>>>(t, o, n);
            else
                three<<<64, 256>>>(t, o, n);
            cudaMemcpy(h, o, n * 4, cudaMemcpyDeviceToHost);
            for (int i = 0; i < n; i++)
                printf("%c%d %d %08x\n", *k, dim, i, h[i]);
        }
    fprintf(stderr, "%s\n", cudaGetErrorString(cudaGetLastError()));
}
// SPDX-License-Identifier: Apache-2.0
