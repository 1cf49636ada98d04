// exercise: registers
// Of words between 1 and 2 the first ones are halved away: they are not read.
extern "C" __global__ void local_array_variable(float *out, const float *in, unsigned shift)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    float sum = 2;

    for (int k = 24; k < 64; k++)
        sum = sum * 0.5f + in[i + (k + shift) % 64 * threads];
    out[i] = sum;
}
