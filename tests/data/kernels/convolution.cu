/* A separable filter of nine taps from constant memory, rows then columns, edges repeated; and the same as a
 * 3 x 3 filter in two dimensions. After "Image Convolution with CUDA" (Podlozhnyuk, 2007). */
__constant__ float taps[9] = {0.01f, 0.05f, 0.12f, 0.2f, 0.24f, 0.2f, 0.12f, 0.05f, 0.01f};
__constant__ int square[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};

__device__ int inside(int i, int n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

extern "C" __global__ void convolve_rows(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float sum = 0;
    for (int i = -4; i <= 4; i++)
        sum += taps[i + 4] * in[y * width + inside(x + i, width)];
    out[y * width + x] = sum;
}

extern "C" __global__ void convolve_columns(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float sum = 0;
#pragma unroll 1
    for (int i = -4; i <= 4; i++)
        sum += taps[i + 4] * in[inside(y + i, height) * width + x];
    out[y * width + x] = sum;
}

extern "C" __global__ void convolve_square(const unsigned char *in, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int sum = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            sum += square[j + 1][i + 1] * in[inside(y + j, height) * width + inside(x + i, width)];
    out[y * width + x] = (unsigned char)(sum / 16);
}
