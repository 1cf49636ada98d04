// A matrix of n x n words is transposed, n a multiple of 32. A block of 32 x 8 threads has a tile of 32 x 32
// words: four words for each thread. A warp reads a row of the tile, and writes a column.
const int TILE = 32, ROWS = 8;

extern "C" __global__ void transpose_naive(float *out, const float *in, unsigned n)
{
    unsigned x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;

    for (int j = 0; j < TILE; j += ROWS)
        out[x * n + y + j] = in[(y + j) * n + x];
}
