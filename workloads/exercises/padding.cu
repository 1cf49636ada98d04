// A matrix of n x n words is transposed through a tile in shared memory. Rows are read and rows are written,
// but the tile is read by columns, and a column of it lies in one bank.
const int TILE = 32, ROWS = 8;

extern "C" __global__ void transpose_tile(float *out, const float *in, unsigned n)
{
    __shared__ float tile[TILE][TILE];
    unsigned x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;

    for (int j = 0; j < TILE; j += ROWS)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
