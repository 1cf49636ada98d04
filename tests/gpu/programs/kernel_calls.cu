// Calls by address, virtual functions and recursion: each kernel's results are known, on a GPU and on the
// device model, where tests/unit/simt/engine/test_simt_calls.c runs them
// (tests/data/programs/kernel_calls.ptx).
#include "program.h"

struct shape {
    int side;
    __device__ shape(int side) : side(side)
    {
    }
    __device__ virtual int area(int scale)
    {
        return side * scale;
    }
    __device__ virtual int corners()
    {
        return 0;
    }
};
struct square : shape {
    __device__ square(int side) : shape(side)
    {
    }
    __device__ int area(int scale) override
    {
        return side * side * scale;
    }
    __device__ int corners() override
    {
        return 4;
    }
};
struct cube : square {
    __device__ cube(int side) : square(side)
    {
    }
    __device__ int area(int scale) override
    {
        return 6 * square::area(scale);
    }
};

// Lanes of one warp call three functions.
__global__ void virtual_functions(int *out)
{
    shape line(threadIdx.x);
    square flat(threadIdx.x);
    cube solid(threadIdx.x);
    shape *all[] = {&line, &flat, &solid};
    shape *mine = all[threadIdx.x % 3];
    out[threadIdx.x] = mine->area(2) + 1000000 * mine->corners();
}

typedef float (*function)(float, float);
__device__ __noinline__ float add(float a, float b)
{
    return a + b;
}
__device__ __noinline__ float subtract(float a, float b)
{
    return a - b;
}
__device__ __noinline__ float power(float a, float b)
{
    return b > 0 ? a * power(a, b - 1) : 1;
}
__device__ function table[] = {add, subtract, power};
__device__ function chosen = power;

__global__ void pointers(float *out, function from_host)
{
    int i = threadIdx.x;
    out[i] = table[i % 3]((float)i, 2);
    if (i % 2)
        out[i] += from_host(i, 3);
}

__device__ __noinline__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

// Local variables of each frame, reached through pointers from the frames above.
__device__ __noinline__ int sum_chain(int depth, int *before)
{
    int own[3] = {depth, 2 * depth, *before};
    if (depth == 0)
        return own[2];
    int below = sum_chain(depth - 1, &own[depth % 3]);
    return below + own[0] + own[1] + own[2] % 7;
}

__device__ __noinline__ int is_odd(int n);
__device__ __noinline__ int is_even(int n)
{
    return n == 0 ? 1 : is_odd(n - 1);
}
__device__ __noinline__ int is_odd(int n)
{
    return n == 0 ? 0 : is_even(n - 1);
}

__global__ void recursion(int *out)
{
    int i = threadIdx.x, start = 5;
    out[i] = fibonacci(i % 12);
    out[i + 64] = sum_chain(i % 9, &start);
    out[i + 128] = is_even(i % 20);
}

__device__ __noinline__ int endless(int n)
{
    return endless(n + 1) + n;
}

__global__ void overflow(int *out)
{
    out[0] = endless(1);
}

static int host_fibonacci(int n)
{
    return n < 2 ? n : host_fibonacci(n - 1) + host_fibonacci(n - 2);
}

static int host_chain(int depth, int *before)
{
    int own[3] = {depth, 2 * depth, *before};
    if (depth == 0)
        return own[2];
    int below = host_chain(depth - 1, &own[depth % 3]);
    return below + own[0] + own[1] + own[2] % 7;
}

int main()
{
    int *out, seen[192], wrong = 0, start = 5;
    function pointer;
    CHECK(cudaMalloc(&out, sizeof seen));
    virtual_functions<<<1, 64>>>(out);
    CHECK(cudaMemcpy(seen, out, 64 * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        wrong += seen[i] != (i % 3 == 0 ? 2 * i : 4000000 + 2 * i * i * (i % 3 == 2 ? 6 : 1));
    printf("virtual_functions: %d wrong\n", wrong);

    float *floats = (float *)out, found[64];
    CHECK(cudaMemcpyFromSymbol(&pointer, chosen, sizeof pointer));
    pointers<<<1, 64>>>(floats, pointer);
    CHECK(cudaMemcpy(found, floats, sizeof found, cudaMemcpyDeviceToHost));
    wrong = 0;
    for (int i = 0; i < 64; i++)
        wrong += found[i] != (i % 3 == 0 ? i + 2 : i % 3 == 1 ? i - 2 : i * i) + (i % 2 ? i * i * i : 0);
    printf("pointers: %d wrong\n", wrong);

    recursion<<<1, 64>>>(out);
    CHECK(cudaMemcpy(seen, out, sizeof seen, cudaMemcpyDeviceToHost));
    wrong = 0;
    for (int i = 0; i < 64; i++)
        wrong += (seen[i] != host_fibonacci(i % 12)) + (seen[i + 64] != host_chain(i % 9, &start)) +
                 (seen[i + 128] != (i % 20 + 1) % 2);
    printf("recursion: %d wrong\n", wrong);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
