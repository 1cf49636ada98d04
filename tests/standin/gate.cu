/*
 * Kernels for tests/cli/test_gate.c: with -DSLOWER each has one regression, in the line that names a count.
 * The build makes a second source of this one, with further lines and other names of local variables.
 */
#include <cstdio>
#ifdef SLOWER
#define PICK(good, bad) bad
#else
#define PICK(good, bad) good
#endif
#define N 1024

struct pair {
    float x, y;
};

__global__ void k01(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = in[i];
    out[PICK(i, i * 8 % N)] = value; // GATE global_sectors
}

__global__ void k02(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = in[PICK(i, i * 4 % N)]; // GATE global_sectors
    out[i] = value;
}

__global__ void k03(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = in[i + PICK(0, 1)]; // GATE global_sectors
    out[i] = value;
}

__global__ void k04(const float *in, float *out)
{
    __shared__ float tile[32 * 33];
    int i = threadIdx.x, row = i / 32, column = i % 32;
    tile[column * PICK(33, 32) + row] = in[i]; // GATE shared_wavefronts
    __syncthreads();
    out[i] = tile[i];
}

__global__ void k05(const float *in, float *out)
{
    __shared__ float tile[256];
    int i = threadIdx.x;
    tile[i] = in[i];
    __syncthreads();
    PICK(, __syncthreads();) // GATE instructions
    out[i] = tile[255 - i];
}

__global__ void k06(const volatile float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = PICK(in[i], in[i] + in[i]); // GATE global_requests
    out[i] = value;
}

__global__ void k07(const float *in, float *out)
{
    float kept[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 8; k++)
        kept[k] = in[(i + k) % N];
    out[i] = kept[PICK(3, i & 7)]; // GATE local_sectors
}

__global__ void k08(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (PICK(i / 32, i) & 1) // GATE divergent_branches
        atomicAdd(&out[i], in[i]);
    else
        atomicExch(&out[i], in[i]);
}

__global__ void k09(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = in[i];
    out[i] = PICK(value * 0.5f, value / (value + 2.0f)); // GATE instructions
}

__global__ void k10(const float *in, float *out)
{
    int i = threadIdx.x;
    const float *a = in + i * 4;
    float4 value = PICK(*(const float4 *)a, make_float4(a[0], a[1], a[2], a[3])); // GATE global_requests
    out[i] = value.x + value.y + value.z + value.w;
}

__global__ void k11(const float *in, float *out)
{
    float sum = 0;
    int i = threadIdx.x;
    for (int k = 0; k < PICK(16, 17); k++) // any of the loop's lines
        sum += in[(i + k * 32) % N];       // GATE instructions
    out[i] = sum;
}

__global__ void k12(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = in[i];
    atomicAdd(&out[PICK(0, i)], value); // GATE global_sectors
}

__global__ void k13(const float *in, float *out)
{
    __shared__ float bins[1024];
    int i = threadIdx.x;
    for (int k = i; k < 1024; k += blockDim.x)
        bins[k] = 0;
    __syncthreads();
    atomicAdd(&bins[PICK(i, i * 32 % 1024)], in[i]); // GATE shared_wavefronts
    __syncthreads();
    out[i] = bins[i];
}

__global__ void k14(const float *in, float *out)
{
    __shared__ float tile[512];
    int i = threadIdx.x;
    tile[i] = in[i];
    tile[i + 256] = in[i + 256];
    __syncthreads();
    out[i] = tile[PICK(i, i * 2)]; // GATE shared_wavefronts
}

__global__ void k15(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < PICK(n / 2, n)) // a guard that lets too many threads in
        out[i] = in[i];     // GATE global_requests
}

__global__ void k16(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (PICK(i % 64 < 32, i % 2 == 0))
        out[i] = in[i]; // GATE global_requests
}

__global__ void k17(const float *in, float *out)
{
    int i = threadIdx.x;
    float value = PICK(in[i], ((const pair *)in)[i].x); // GATE global_sectors
    out[i] = value;
}

__global__ void k18(const float *in, volatile float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = in[i];
    out[i] = value;
    PICK(, out[i] = value;) // GATE global_requests
}

__global__ void k19(const float *in, float *out)
{
    int i = threadIdx.x;
    float value = PICK(in[i], (float)((const double *)in)[i]); // GATE global_sectors
    out[i] = value;
}

__global__ void k20(const float *in, float *out)
{
    int i = threadIdx.x;
    float value = in[i];
    PICK(out[i] = value, ((double *)out)[i] = value); // GATE global_sectors
}

int main()
{
    float *in, *out;

    cudaMalloc(&in, (N + 64) * sizeof *in);
    cudaMalloc(&out, 2 * N * sizeof *out);
    cudaMemset(in, 0, (N + 64) * sizeof *in);
    cudaMemset(out, 0, 2 * N * sizeof *out);
    k01<<<4, 256>>>(in, out);
    k02<<<4, 256>>>(in, out);
    k03<<<4, 256>>>(in, out);
    k04<<<1, 1024>>>(in, out);
    k05<<<1, 256>>>(in, out);
    k06<<<4, 256>>>(in, out);
    k07<<<4, 256>>>(in, out);
    k08<<<4, 256>>>(in, out);
    k09<<<4, 256>>>(in, out);
    k10<<<1, 256>>>(in, out);
    k11<<<1, 256>>>(in, out);
    k12<<<4, 256>>>(in, out);
    k13<<<1, 256>>>(in, out);
    k14<<<1, 256>>>(in, out);
    k15<<<4, 256>>>(in, out, N);
    k16<<<4, 256>>>(in, out);
    k17<<<1, 256>>>(in, out);
    k18<<<4, 256>>>(in, out);
    k19<<<1, 256>>>(in, out);
    k20<<<1, 256>>>(in, out);
    cudaError_t error = cudaDeviceSynchronize();
    printf("gate: %s\n", error == cudaSuccess ? "fine" : cudaGetErrorString(error));
    return error != cudaSuccess;
}
// SPDX-License-Identifier: Apache-2.0
