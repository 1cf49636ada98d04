// Work that is worth its transfers, and work that is not: an addition has one operation for each word that is
// sent, a product of matrices has many. `transfer_weight` computes what `transfer_table` reads.
extern "C" __global__ void transfer_add(float *out, const float *a, const float *b)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = a[i] + b[i];
}

extern "C" __global__ void transfer_multiply(float *out, const float *a, const float *b, unsigned n)
{
    unsigned column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;

    for (unsigned k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    out[row * n + column] = sum;
}

extern "C" __global__ void transfer_table(float *out, const float *in, const float *weight)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = in[i] * weight[i];
}

extern "C" __global__ void transfer_weight(float *out, const float *in)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = (float)(i & 1023) * (1.0f / 1024.0f), weight = 0.0f;

    for (int k = 0; k < 8; k++)
        weight = weight * x + 0.5f;
    out[i] = in[i] * weight;
}
// SPDX-License-Identifier: Apache-2.0
