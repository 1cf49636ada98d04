// A copy whose first word lies `offset` words after a 128-byte boundary.
//
// A warp reads 32 neighbouring words, so it wants 128 bytes: four 32-byte sectors when it starts on a sector
// (offset 0, 8, 16, 24, 32), five at any other offset. The same for what it writes.
extern "C" __global__ void copy_offset(float *out, const float *in, unsigned offset)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x + offset;

    out[i] = in[i];
}
// SPDX-License-Identifier: Apache-2.0
