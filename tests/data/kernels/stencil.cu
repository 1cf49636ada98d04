/* Finite differences: in one dimension with a halo in shared memory ("An Easy Introduction to CUDA C",
 * Harris); in three, marching through planes with the neighbours above and below in registers (Micikevicius,
 * "3D Finite Difference Computation on GPUs using CUDA", 2009). */
#define RADIUS 3

extern "C" __global__ void stencil_line(const int *in, int *out, int n)
{
    __shared__ int line[128 + 2 * RADIUS];
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = threadIdx.x + RADIUS;
    line[at] = i < n ? in[i] : 0;
    if (threadIdx.x < RADIUS) {
        line[at - RADIUS] = i >= RADIUS ? in[i - RADIUS] : 0;
        line[at + blockDim.x] = i + (int)blockDim.x < n ? in[i + blockDim.x] : 0;
    }
    __syncthreads();
    int sum = 0;
    for (int offset = -RADIUS; offset <= RADIUS; offset++)
        sum += line[at + offset];
    if (i < n)
        out[i] = sum;
}

extern "C" __global__ void stencil_planes(const float *in, float *out, int nx, int ny, int nz, float centre,
                                          float side)
{
    __shared__ float plane[8 + 2][16 + 2];
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1, stride = nx * ny, at = y * nx + x;
    float below = in[at], here = in[at + stride], above;
    for (int z = 1; z < nz - 1; z++) {
        at += stride;
        above = in[at + stride];
        __syncthreads();
        if (threadIdx.x == 0)
            plane[ty][0] = in[at - 1];
        if (threadIdx.x == blockDim.x - 1)
            plane[ty][tx + 1] = in[at + 1];
        if (threadIdx.y == 0)
            plane[0][tx] = in[at - nx];
        if (threadIdx.y == blockDim.y - 1)
            plane[ty + 1][tx] = in[at + nx];
        plane[ty][tx] = here;
        __syncthreads();
        out[at] = centre * here + side * (below + above + plane[ty][tx - 1] + plane[ty][tx + 1] +
                                          plane[ty - 1][tx] + plane[ty + 1][tx]);
        below = here;
        here = above;
    }
}
