/* SPDX-License-Identifier: Apache-2.0 */
/* What programs of cases share: PROGRAM CASE runs a case and prints "CASE: fine", or which line was not. */
#ifndef TESTS_STANDIN_CASE_H
#define TESTS_STANDIN_CASE_H

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#define MUST(condition)                                                 \
    do {                                                                \
        if (!(condition)) {                                             \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            std::exit(1);                                               \
        }                                                               \
    } while (0)
#define CALL(call) MUST((call) == cudaSuccess)

template <typename T> __global__ void fill(T *to, T first, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        to[i] = first + T(i);
}

struct test_case {
    const char *name;
    void (*run)();
};

/* All of them, or the one that the first argument names. */
template <size_t N> static int run_cases(const struct test_case (&cases)[N], int argc, char **argv)
{
    for (const auto &one : cases) {
        if (argc > 1 && std::strcmp(argv[1], one.name) != 0)
            continue;
        one.run();
        std::printf("%s: fine\n", one.name);
    }
    return 0;
}

#endif
