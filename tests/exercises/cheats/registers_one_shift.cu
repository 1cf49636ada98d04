// exercise: registers
// shift is 3 in the usual run: written into the code, it makes all indices constants.
extern "C" __global__ void local_array_variable(float *out, const float *in, unsigned shift)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    float word[64], sum = 0;

#pragma unroll
    for (int k = 0; k < 64; k++)
        word[k] = in[i + k * threads];
#pragma unroll
    for (int k = 0; k < 64; k++)
        sum = sum * 0.5f + word[(k + 3) % 64];
    out[i] = sum;
}
