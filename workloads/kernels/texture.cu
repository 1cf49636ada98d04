// A square picture of n x n floats, n a power of two: read as an array, and through a texture object, which
// has a layout for neighbours in both directions, its own rules for coordinates outside, and filters.

// Lanes along a row. The centre of a texel is at 0.5.
extern "C" __global__ void texture_copy_plain(float *out, const float *in, unsigned n)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    out[y * n + x] = in[y * n + x];
}

extern "C" __global__ void texture_copy(float *out, cudaTextureObject_t picture, unsigned n)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    out[y * n + x] = tex2D<float>(picture, x + 0.5f, y + 0.5f);
}

// Lanes down a column; the columns are written as rows.
extern "C" __global__ void texture_column_plain(float *out, const float *in, unsigned n)
{
    unsigned y = blockIdx.x * blockDim.x + threadIdx.x, x = blockIdx.y * blockDim.y + threadIdx.y;

    out[x * n + y] = in[y * n + x];
}

extern "C" __global__ void texture_column(float *out, cudaTextureObject_t picture, unsigned n)
{
    unsigned y = blockIdx.x * blockDim.x + threadIdx.x, x = blockIdx.y * blockDim.y + threadIdx.y;

    out[x * n + y] = tex2D<float>(picture, x + 0.5f, y + 0.5f);
}

// Turned about its centre: where a texel of the result comes from.
__device__ float2 turned(unsigned x, unsigned y, unsigned n, float cosine, float sine)
{
    float half = n / 2, right = x + 0.5f - half, down = y + 0.5f - half;

    return {cosine * right - sine * down + half, sine * right + cosine * down + half};
}

// The nearest texel by hand, that of the edge for what lies outside.
extern "C" __global__ void texture_rotate_plain(float *out, const float *in, unsigned n, float cosine,
                                                float sine)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float2 from = turned(x, y, n, cosine, sine);
    int column = min(max((int)floorf(from.x), 0), (int)n - 1),
        row = min(max((int)floorf(from.y), 0), (int)n - 1);

    out[y * n + x] = in[row * n + column];
}

// The texture does that, and interpolates between four texels if it was made so.
extern "C" __global__ void texture_rotate(float *out, cudaTextureObject_t picture, unsigned n, float cosine,
                                          float sine)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float2 from = turned(x, y, n, cosine, sine);

    out[y * n + x] = tex2D<float>(picture, from.x, from.y);
}

// At half the size, with as much again around it, in coordinates from 0 to 1: the address mode says what is
// there.
extern "C" __global__ void texture_around(float *out, cudaTextureObject_t picture, unsigned n)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    out[y * n + x] = tex2D<float>(picture, (2 * x + 0.5f) / n - 0.5f, (2 * y + 0.5f) / n - 0.5f);
}
// SPDX-License-Identifier: Apache-2.0
