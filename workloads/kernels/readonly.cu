// The sum and the product of three neighbours, of several words by each thread. The words are read by three threads each.

// The compiler must take `out` for a part of `in`: behind the first store, what was read may have changed.
extern "C" __global__ void readonly_plain(float *out, const float *in, unsigned rounds)
{
    unsigned step = gridDim.x * blockDim.x, n = rounds * step;

    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        out[i] = in[i] + in[i + 1] + in[i + 2];
        out[n + i] = in[i] * in[i + 1] * in[i + 2];
    }
}

// Nobody writes what `in` points to: it goes through the read-only path, and a word once read need not be
// read again.
extern "C" __global__ void readonly_restrict(float *__restrict__ out, const float *__restrict__ in,
                                             unsigned rounds)
{
    unsigned step = gridDim.x * blockDim.x, n = rounds * step;

    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        out[i] = in[i] + in[i + 1] + in[i + 2];
        out[n + i] = in[i] * in[i + 1] * in[i + 2];
    }
}

// The same path asked for load by load, and the words kept by hand.
extern "C" __global__ void readonly_ldg(float *out, const float *in, unsigned rounds)
{
    unsigned step = gridDim.x * blockDim.x, n = rounds * step;

    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        float own = __ldg(&in[i]), next = __ldg(&in[i + 1]), second = __ldg(&in[i + 2]);

        out[i] = own + next + second;
        out[n + i] = own * next * second;
    }
}
// SPDX-License-Identifier: Apache-2.0
