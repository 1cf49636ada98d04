// exercise: transpose
// The words go through a tile, but each thread writes its own words, to the same places as before.
const int TILE = 32, ROWS = 8;

extern "C" __global__ void transpose_naive(float *out, const float *in, unsigned n)
{
    __shared__ float tile[TILE][TILE];
    unsigned x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;

    for (int j = 0; j < TILE; j += ROWS)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    for (int j = 0; j < TILE; j += ROWS)
        out[x * n + y + j] = tile[threadIdx.y + j][threadIdx.x];
}
