#include <cstdio>
// Steps of two kernels on the device model; `race` has a race in shared memory.
__global__ void scale(float *data, float by) { data[blockIdx.x * blockDim.x + threadIdx.x] *= by; }
__global__ void race(const float *from, float *to)
{
    __shared__ float shared[64];
    shared[threadIdx.x] = from[threadIdx.x];
    to[threadIdx.x] = shared[63 - threadIdx.x]; // no barrier
}
static void run_step(float *a, float *b, int i)
{
    scale<<<4, 64>>>(a, 1.5f + i);
    race<<<1, 64>>>(a, b);
    cudaDeviceSynchronize();
}
int main()
{
    float *a, *b, host[64] = {};
    cudaMalloc(&a, 1024);
    cudaMalloc(&b, 1024);
    cudaMemset(a, 0, 1024);
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    for (int i = 0; i < 12; i++)
        run_step(a, b, i);
    cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}
