// What kernels print, allocate and assert: the lines must be the same on a GPU and on the device model, where
// tests/unit/simt/engine/test_simt_runtime.c runs the same kernels (tests/data/programs/kernel_runtime.ptx).
#include "program.h"

#include <cassert>

__constant__ char constant_text[] = "from constant memory";

__global__ void print_formats(const char *text)
{
    short small = -3;
    printf("no arguments, 100%%\n");
    printf("[%d|%5d|%-5d|%05d|%+d|% d]\n", 42, 42, 42, 42, 42, 42);
    printf("[%u|%o|%x|%X|%#x|%#o|%i]\n", 4294967295u, 8, 255, 255, 255, 8, -1);
    printf("[%hd|%hhd|%hu|%ld|%lld|%lu|%llx]\n", small, (signed char)-7, (unsigned short)65535, -5000000000l,
           -1ll, 18446744073709551615ul, 0x123456789abcdefull);
    printf("[%f|%.2f|%10.3f|%-10.1f|%e|%E|%g|%G|%a]\n", 1.5, 3.14159, 2.71828, 9.75, 12345.678, 0.00012, 1e20,
           1e-7, 1.0);
    printf("[%c|%5c|%s|%10s|%-6s|%.3s]\n", 'x', 'y', "abc", "right", "left", "cut short");
    printf("[%s|%s]\n", text, constant_text);
    printf("[%*d|%-*d|%.*f]\n", 6, 7, 4, 8, 3, 2.0);
    printf("[%p]\n", (void *)0x1234);
    printf("returns %d\n", printf("%d %d\n", 1, 2));
}

__global__ void print_blocks()
{
    if (threadIdx.x == 0)
        printf("block %d\n", (int)blockIdx.x);
}

struct node {
    int value;
    node *next;
};

// Each thread makes a list of its own, sums it and frees it.
__global__ void allocate(int *out, int length)
{
    node *list = nullptr;
    int sum = 0;
    for (int i = 0; i < length; i++) {
        node *made = new node;
        made->value = threadIdx.x + i;
        made->next = list;
        list = made;
    }
    while (list) {
        node *next = list->next;
        sum += list->value;
        delete list;
        list = next;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// More than the heap holds.
__global__ void exhaust(int *out)
{
    out[0] = malloc(1ull << 40) == nullptr;
    void *first = malloc(1000);
    out[1] = first != nullptr;
    out[2] = (size_t)first % 16 == 0;
    free(first);
    free(nullptr);
}

__global__ void assert_small(int limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(i < limit);
}

int main()
{
    char *text;
    int *out, seen[128];
    CHECK(cudaMalloc(&text, 32));
    CHECK(cudaMemcpy(text, "from global memory", 19, cudaMemcpyHostToDevice));
    CHECK(cudaMalloc(&out, sizeof seen));
    print_formats<<<1, 1>>>(text);
    CHECK(cudaDeviceSynchronize());
    print_blocks<<<4, 64>>>();
    CHECK(cudaDeviceSynchronize());
    allocate<<<2, 64>>>(out, 5);
    CHECK(cudaMemcpy(seen, out, sizeof seen, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 128; i++)
        if (seen[i] != 5 * (i % 64) + 10)
            printf("allocate: thread %d has %d\n", i, seen[i]);
    exhaust<<<1, 1>>>(out);
    CHECK(cudaMemcpy(seen, out, sizeof seen, cudaMemcpyDeviceToHost));
    printf("exhaust: %d %d %d\n", seen[0], seen[1], seen[2]);
    fflush(stdout);
    assert_small<<<2, 32>>>(60);
    printf("assert: %d\n", (int)cudaDeviceSynchronize());
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
