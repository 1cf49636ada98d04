// A warp reads shared memory with a stride, in elements of 1 to 16 bytes.
//
// Shared memory has 32 banks, 4 bytes wide. Lanes whose words lie in one bank wait for each other, unless it
// is the same word. In each round the lanes change places, so that the sum takes every element and the set of
// addresses stays the same.
const int LANES = 32, STRIDE_MAX = 33;

__device__ unsigned bits(unsigned char x)
{
    return x;
}
__device__ unsigned bits(unsigned short x)
{
    return x;
}
__device__ unsigned bits(unsigned x)
{
    return x;
}
__device__ unsigned bits(uint2 x)
{
    return x.x ^ x.y;
}
__device__ unsigned bits(uint4 x)
{
    return x.x ^ x.y ^ x.z ^ x.w;
}

template <typename T> __device__ void read_strided(unsigned *out, const T *in, unsigned stride)
{
    __shared__ T element[LANES * STRIDE_MAX];
    unsigned lane = threadIdx.x % LANES, sum = 0;

    for (unsigned i = threadIdx.x; i < LANES * stride; i += blockDim.x)
        element[i] = in[i];
    __syncthreads();
    for (unsigned round = 0; round < LANES; round++)
        sum = sum * 31 + bits(element[(lane + round) % LANES * stride]);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void bank_stride_8(unsigned *out, const unsigned char *in, unsigned stride)
{
    read_strided(out, in, stride);
}

extern "C" __global__ void bank_stride_16(unsigned *out, const unsigned short *in, unsigned stride)
{
    read_strided(out, in, stride);
}

extern "C" __global__ void bank_stride_32(unsigned *out, const unsigned *in, unsigned stride)
{
    read_strided(out, in, stride);
}

extern "C" __global__ void bank_stride_64(unsigned *out, const uint2 *in, unsigned stride)
{
    read_strided(out, in, stride);
}

extern "C" __global__ void bank_stride_128(unsigned *out, const uint4 *in, unsigned stride)
{
    read_strided(out, in, stride);
}
// SPDX-License-Identifier: Apache-2.0
