// exercise: tiles
// Every word is read again and again, by atomics that add nothing.
extern "C" __global__ void matmul_simple(float *c, const float *a, const float *b, unsigned n)
{
    unsigned row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;

    for (int i = 0; i < 32; i++)
        sum += atomicAdd((float *)&a[row * 32 + i], 0.0f) * atomicAdd((float *)&b[i * n + column], 0.0f);
    c[row * n + column] = sum;
}
