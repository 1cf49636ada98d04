// A copy, element by element, in elements of many sizes. One instruction loads 1, 2, 4, 8 or 16 bytes, if
// they are aligned to that.
template <class T> __device__ void copy(T *out, const T *in)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = in[i];
}

extern "C" __global__ void word_size_8(unsigned char *out, const unsigned char *in)
{
    copy(out, in);
}

extern "C" __global__ void word_size_16(unsigned short *out, const unsigned short *in)
{
    copy(out, in);
}

extern "C" __global__ void word_size_32(float *out, const float *in)
{
    copy(out, in);
}

extern "C" __global__ void word_size_64(float2 *out, const float2 *in)
{
    copy(out, in);
}

extern "C" __global__ void word_size_128(float4 *out, const float4 *in)
{
    copy(out, in);
}

// Twelve bytes, aligned to four: three instructions, whose lanes stand three words apart.
extern "C" __global__ void word_size_float3(float3 *out, const float3 *in)
{
    copy(out, in);
}

// Five bytes, aligned to nothing: five instructions of a byte each.
struct __attribute__((packed)) tagged {
    char tag;
    float value;
};

extern "C" __global__ void word_size_packed(tagged *out, const tagged *in)
{
    copy(out, in);
}
// SPDX-License-Identifier: Apache-2.0
