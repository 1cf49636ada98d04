// exercise: registers
// Each word is looked for among all: no array is indexed, but every word is read 64 times.
const int WORDS = 64;

extern "C" __global__ void local_array_variable(float *out, const float *in, unsigned shift)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    float sum = 0;

    for (unsigned k = 0; k < WORDS; k++)
        for (unsigned m = 0; m < WORDS; m++) {
            float word = in[i + m * threads];

            if (m == (k + shift) % WORDS)
                sum = sum * 0.5f + word;
        }
    out[i] = sum;
}
