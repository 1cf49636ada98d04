// The sum of three neighbours. The words are read by three threads each.

// The compiler must take `out` for a part of `in`: what was read may have changed.
extern "C" __global__ void readonly_plain(float *out, const float *in, unsigned rounds)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    for (unsigned round = 0; round < rounds; round++)
        out[i] = in[i] + in[i + 1] + in[i + 2];
}

// Nobody writes what `in` points to: it goes through the read-only path, and a word once read need not be
// read again.
extern "C" __global__ void readonly_restrict(float *__restrict__ out, const float *__restrict__ in,
                                             unsigned rounds)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    for (unsigned round = 0; round < rounds; round++)
        out[i] = in[i] + in[i + 1] + in[i + 2];
}

// The same path asked for load by load, as often as it is written.
extern "C" __global__ void readonly_ldg(float *out, const float *in, unsigned rounds)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    for (unsigned round = 0; round < rounds; round++)
        out[i] = __ldg(&in[i]) + __ldg(&in[i + 1]) + __ldg(&in[i + 2]);
}
