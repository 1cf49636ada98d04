// exercise: transpose
// The sides are exchanged: rows are written, but now columns are read.
const int TILE = 32, ROWS = 8;

extern "C" __global__ void transpose_naive(float *out, const float *in, unsigned n)
{
    unsigned x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;

    for (int j = 0; j < TILE; j += ROWS)
        out[(y + j) * n + x] = in[x * n + y + j];
}
