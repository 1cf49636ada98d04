// Every word is read `reads` times, each time by another thread. Where the words lie, in the device's memory
// or in the host's, the kernel does not know.
extern "C" __global__ void zero_copy(float *out, const float *in, unsigned reads)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    float sum = 0;

    for (unsigned read = 0; read < reads; read++)
        sum += in[(i + read * 1024) % n];
    out[i] = sum;
}

// One warp's words of every 64: the others are not read at all.
extern "C" __global__ void zero_copy_sparse(float *out, const float *in)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = in[i / 32 * 64 * 32 + i % 32];
}

// Each block says by its flag that its words are there. The fence of the system orders a thread's word before what comes after
// it, also for the host, which reads the words of a block as soon as it sees the flag, while other blocks run.
extern "C" __global__ void zero_copy_published(float *out, const float *in, volatile unsigned *flags)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = in[i];
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0)
        flags[blockIdx.x] = 1;
}
// SPDX-License-Identifier: Apache-2.0
