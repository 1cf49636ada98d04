// ROUNDS steps of x = x * a + b for each of CHAINS words of a thread. A step needs the one before; the chains
// need nothing of each other.
const int ROUNDS = 256;

template <int CHAINS> __device__ void run(float *out, const float *in, float a, float b)
{
    unsigned first = blockIdx.x * blockDim.x * CHAINS + threadIdx.x;
    float x[CHAINS];

    for (int k = 0; k < CHAINS; k++)
        x[k] = in[first + k * blockDim.x];
#pragma unroll 4
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < CHAINS; k++)
            x[k] = x[k] * a + b;
    }
    for (int k = 0; k < CHAINS; k++)
        out[first + k * blockDim.x] = x[k];
}

extern "C" __global__ void ilp_1(float *out, const float *in, float a, float b)
{
    run<1>(out, in, a, b);
}

extern "C" __global__ void ilp_2(float *out, const float *in, float a, float b)
{
    run<2>(out, in, a, b);
}

extern "C" __global__ void ilp_4(float *out, const float *in, float a, float b)
{
    run<4>(out, in, a, b);
}

extern "C" __global__ void ilp_8(float *out, const float *in, float a, float b)
{
    run<8>(out, in, a, b);
}
