// Each thread reads 64 words into an array, and combines them in another order, which starts at word `shift`.
// An index that is known only when the kernel runs needs an address, and registers have none: the array is in
// local memory.
const int WORDS = 64;

extern "C" __global__ void local_array_variable(float *out, const float *in, unsigned shift)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    float word[WORDS], sum = 0;

    for (int k = 0; k < WORDS; k++)
        word[k] = in[i + k * threads];
    for (int k = 0; k < WORDS; k++)
        sum = sum * 0.5f + word[(k + shift) % WORDS];
    out[i] = sum;
}
