// exercise: registers
// Each word is read when it is needed: there is no array.
const int WORDS = 64;

extern "C" __global__ void local_array_variable(float *out, const float *in, unsigned shift)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    float sum = 0;

    for (int k = 0; k < WORDS; k++)
        sum = sum * 0.5f + in[i + (k + shift) % WORDS * threads];
    out[i] = sum;
}
