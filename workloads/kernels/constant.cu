// Constant memory gives one word at a time, to all lanes that want it. `words` different ones take that many
// turns.
const int WORDS = 1024, ROUNDS = 32;
__constant__ float table[WORDS];

extern "C" __global__ void constant_read(float *out, unsigned words)
{
    unsigned lane = threadIdx.x % 32, first = lane % words;
    float sum = 0;

    for (int round = 0; round < ROUNDS; round++)
        sum += table[(first + round * 32) % WORDS];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
