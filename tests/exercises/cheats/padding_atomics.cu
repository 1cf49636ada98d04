// exercise: padding
// The column is read by atomics on integers, whose conflicts are not those of loads.
extern "C" __global__ void transpose_tile(float *out, const float *in, unsigned n)
{
    __shared__ unsigned tile[32][32];
    unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;

    for (int j = 0; j < 32; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = __float_as_uint(in[(y + j) * n + x]);
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        out[(y + j) * n + x] = __uint_as_float(atomicOr(&tile[threadIdx.x][threadIdx.y + j], 0u));
}
