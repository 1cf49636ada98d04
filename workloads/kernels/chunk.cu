// The work of n-way and staged-overlap: as much computing on each word as it takes to copy it.
//
// Few threads take several words each, so that kernels of several streams fit on the device side by side.
extern "C" __global__ void chunk(float *out, const float *in, unsigned n, unsigned rounds)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float x = in[i];

        for (unsigned round = 0; round < rounds; round++)
            x = x * 0.999f + 0.001f;
        out[i] = x;
    }
}
// SPDX-License-Identifier: Apache-2.0
