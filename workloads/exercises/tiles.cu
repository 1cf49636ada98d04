// C = A x B: A has 32 columns, B has 32 rows. A block of 32 x 32 threads makes a tile of C, each thread one
// word, each warp a row. All requests are coalesced, but the block asks for the same words again and again.
const int W = 32;

extern "C" __global__ void matmul_simple(float *c, const float *a, const float *b, unsigned n)
{
    unsigned row = blockIdx.y * W + threadIdx.y, column = blockIdx.x * W + threadIdx.x;
    float sum = 0;

    for (int i = 0; i < W; i++)
        sum += a[row * W + i] * b[i * n + column];
    c[row * n + column] = sum;
}
