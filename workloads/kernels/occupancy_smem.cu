// A copy that waits for memory most of the time. It uses no shared memory; what the launch asks for only
// keeps other blocks out.
extern "C" __global__ void occupancy_smem(float *out, const float *in, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i] * 2;
}

// The same copy, but a thread has four loads on their way before it needs the first: a quarter of the warps
// ask for as much.
extern "C" __global__ void occupancy_smem_four(float *out, const float *in, unsigned n)
{
    const unsigned threads = gridDim.x * blockDim.x;

    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 4 * threads) {
        float word[4];

#pragma unroll
        for (int k = 0; k < 4; k++)
            word[k] = in[i + k * threads];
#pragma unroll
        for (int k = 0; k < 4; k++)
            out[i + k * threads] = word[k] * 2;
    }
}
// SPDX-License-Identifier: Apache-2.0
