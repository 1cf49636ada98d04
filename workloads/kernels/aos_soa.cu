// Every thread adds up the first `used` fields of one structure of `fields` words. How the n structures lie
// in memory is what differs.

// One structure after the other: the lanes of a warp stand `fields` words apart.
extern "C" __global__ void aos(float *out, const float *in, unsigned n, unsigned fields, unsigned used)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    for (unsigned k = 0; k < used; k++)
        sum += in[i * fields + k];
    out[i] = sum;
}

// One array per field: the lanes of a warp take neighbouring words.
extern "C" __global__ void soa(float *out, const float *in, unsigned n, unsigned fields, unsigned used)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    for (unsigned k = 0; k < used; k++)
        sum += in[k * n + i];
    out[i] = sum;
}

// Structures padded to 16 or 32 bytes and aligned to 16: four words in one instruction.
extern "C" __global__ void aos_aligned(float *out, const float4 *in, unsigned n, unsigned fields,
                                       unsigned used)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, quarters = (fields + 3) / 4;
    float sum = 0;

    for (unsigned q = 0; q < (used + 3) / 4; q++) {
        float4 four = in[i * quarters + q];

        sum += four.x;
        sum += four.y;
        sum += four.z;
        sum += four.w;
    }
    out[i] = sum;
}
// SPDX-License-Identifier: Apache-2.0
