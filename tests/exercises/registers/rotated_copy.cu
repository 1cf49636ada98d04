// exercise: registers
// The array is filled in the other order, but the place in it is still computed when the kernel runs.
const int WORDS = 64;

extern "C" __global__ void local_array_variable(float *out, const float *in, unsigned shift)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    float word[WORDS], sum = 0;

    for (int k = 0; k < WORDS; k++)
        word[(k + WORDS - shift) % WORDS] = in[i + k * threads];
    for (int k = 0; k < WORDS; k++)
        sum = sum * 0.5f + word[k];
    out[i] = sum;
}
