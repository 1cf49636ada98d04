/* Sparse matrix (compressed rows) times vector: a thread per row, and a warp per row. After Bell and Garland,
 * "Implementing Sparse Matrix-Vector Multiplication on Throughput-Oriented Processors" (2009). */
extern "C" __global__ void spmv_scalar(const int *rows, const int *columns, const double *values,
                                       const double *x, double *y, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    double sum = 0;
    for (int i = rows[row]; i < rows[row + 1]; i++)
        sum += values[i] * x[columns[i]];
    y[row] = sum;
}

extern "C" __global__ void spmv_vector(const int *rows, const int *columns, const double *values,
                                       const double *x, double *y, int n)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= n)
        return;
    double sum = 0;
    for (int i = rows[row] + lane; i < rows[row + 1]; i += 32)
        sum += values[i] * x[columns[i]];
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    if (lane == 0)
        y[row] = sum;
}
