// The kernels of tests/data/kernels at several sizes, each launched three times, for the times of the device
// model beside a GPU's (tests/gpu/times.py, docs/model.md). No constant of the model was fitted on them.
// Their results are checked by tests/unit/simt/engine/test_simt_literature.c.
#include "../../data/kernels/bitonic.cu"
#include "../../data/kernels/black_scholes.cu"
#include "../../data/kernels/convolution.cu"
#include "../../data/kernels/functions.cu"
#include "../../data/kernels/histogram.cu"
#include "../../data/kernels/machine.cu"
#include "../../data/kernels/mandelbrot.cu"
#include "../../data/kernels/nbody.cu"
#include "../../data/kernels/reduce_shuffle.cu"
#include "../../data/kernels/reduction.cu"
#include "../../data/kernels/scan.cu"
#include "../../data/kernels/spmv.cu"
#include "../../data/kernels/stencil.cu"

#include "program.h"

#include <stdint.h>
#include <vector>

const int LAUNCHES = 3;
const unsigned MILLION = 1u << 20;

static uint32_t random_word(void)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33);
}

template <class T, class F> static T *array(size_t count, F value)
{
    std::vector<T> host(count);
    T *device;

    for (size_t i = 0; i < count; i++)
        host[i] = value(i);
    CHECK(cudaMalloc(&device, count * sizeof(T)));
    CHECK(cudaMemcpy(device, host.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}

template <class T> static T *room(size_t count)
{
    T *device;

    CHECK(cudaMalloc(&device, count * sizeof(T)));
    CHECK(cudaMemset(device, 0, count * sizeof(T)));
    return device;
}

static float share(size_t)
{
    return (random_word() % 4096 + 1) / 4096.0f;
}

static uint32_t word(size_t)
{
    return random_word();
}

#define LAUNCH(kernel, grid, block, shared, ...)             \
    do {                                                     \
        for (int launch_ = 0; launch_ < LAUNCHES; launch_++) \
            kernel<<<grid, block, shared>>>(__VA_ARGS__);    \
        CHECK(cudaDeviceSynchronize());                      \
    } while (0)

static void options_and_orbits(void)
{
    float *prices = array<float>(4 * MILLION, share), *strikes = array<float>(4 * MILLION, share),
          *years = array<float>(4 * MILLION, share), *calls = room<float>(4 * MILLION),
          *puts = room<float>(4 * MILLION);

    for (unsigned n : {MILLION / 4, MILLION, 4 * MILLION})
        LAUNCH(black_scholes, n / 256, 256, 0, prices, strikes, years, calls, puts, 0.02f, 0.3f, (int)n);
    for (unsigned n : {2048u, 8192u, 16384u})
        LAUNCH(nbody, n / 256, 256, 0, (float4 *)calls, (const float4 *)prices, n);
    for (int side : {256, 1024})
        LAUNCH(mandelbrot, dim3(side / 32, side / 8), dim3(32, 8), 0, (int *)puts, side, side, -2.0f, -1.25f,
               2.5f / side, 200);
}

static void pictures(void)
{
    float *in = array<float>(4 * MILLION, share), *out = room<float>(4 * MILLION);
    float *cube = array<float>(8 * MILLION, share), *next = room<float>(8 * MILLION);
    const dim3 block(32, 8);

    for (int side : {512, 1024, 2048}) {
        const dim3 grid(side / 32, side / 8);
        LAUNCH(convolve_rows, grid, block, 0, in, out, side, side);
        LAUNCH(convolve_columns, grid, block, 0, in, out, side, side);
        LAUNCH(convolve_square, grid, block, 0, (const unsigned char *)in, (unsigned char *)out, side, side);
    }
    for (unsigned n : {MILLION, 4 * MILLION})
        LAUNCH(stencil_line, n / 128, 128, 0, (const int *)in, (int *)out, (int)n);
    for (int side : {66, 194})
        LAUNCH(stencil_planes, dim3((side - 2) / 16, (side - 2) / 8), dim3(16, 8), 0, cube, next, side, side,
               side, 0.5f, 0.1f);
}

static void sums(void)
{
    int *in = array<int>(16 * MILLION, [](size_t) { return (int)(random_word() % 1000); }),
        *out = room<int>(16 * MILLION);

    for (unsigned n : {MILLION, 16 * MILLION}) {
        const unsigned blocks = n == MILLION ? 528 : 1056; // launches are told apart by their grids
        LAUNCH(reduce_int, blocks, 256, 0, in, out, (int)n);
        LAUNCH(reduce_float, blocks / 2, 512, 0, (const float *)in, (float *)out, (int)n);
        LAUNCH(reduction, blocks / 2, 256, 256 * sizeof(float), (float *)out, (const float *)in, n);
        LAUNCH(scan_blelloch, n / 512, 256, 512 * sizeof(int), in, out);
        LAUNCH(scan_hillis_steele, n / 256, 256, 0, in, out);
    }
    int *keys = array<int>(4 * MILLION, [](size_t) { return (int)random_word(); });
    LAUNCH(bitonic_step, 4 * MILLION / 128, 128, 0, keys, 1, 2);
    LAUNCH(bitonic_step, 4 * MILLION / 256, 256, 0, keys, 64, 128);
    LAUNCH(bitonic_step, 4 * MILLION / 512, 512, 0, keys, 65536, 131072);
    for (unsigned n : {MILLION / 2, 4 * MILLION})
        LAUNCH(bitonic_block, n / 512, 256, 0, keys);
}

static void counts_and_branches(void)
{
    unsigned char *bytes = array<unsigned char>(16 * MILLION, word);
    unsigned *counts = room<unsigned>(256);
    unsigned *pairs = array<unsigned>(2 * MILLION / 4, [](size_t) { return random_word() % 100000 + 2; });
    unsigned long long *powers = room<unsigned long long>(MILLION / 4);
    int *programs = array<int>(MILLION, [](size_t i) {
        return (int)(random_word() % 7 | random_word() % 256 << 4) | (int)(i % 16 == 15) * 8;
    });
    int *results = room<int>(MILLION / 4);
    char *words =
        array<char>(24 * (size_t)MILLION / 4, [](size_t) { return (char)('a' + random_word() % 4); });

    for (unsigned n : {MILLION, 16 * MILLION})
        LAUNCH(histogram_shared, n == MILLION ? 264 : 528, 256, 0, bytes, counts, (int)n);
    LAUNCH(histogram_global, MILLION / 256, 256, 0, bytes, counts, (int)MILLION);
    for (int n : {16384, 65536}) {
        LAUNCH(totatives, n / 128, 128, 0, pairs, powers, n);
        LAUNCH(machine, n / 256, 256, 0, programs, 16, results, n);
        LAUNCH(edit_distance, n / 64, 64, 0, words, 24, results, n);
    }
}

static void sparse(void)
{
    const int ROWS = 65536;
    double *values = array<double>(2 * MILLION, share), *x = array<double>(ROWS, share),
           *y = room<double>(ROWS);
    int *columns = array<int>(
        2 * MILLION, [](size_t) { return (int)(random_word() % ROWS); });
    int *short_rows = array<int>(
        ROWS + 1, [](size_t i) { return (int)(8 * i); });
    int *long_rows = array<int>(ROWS + 1, [](size_t i) { return (int)(128 * i); });

    LAUNCH(spmv_scalar, ROWS / 256, 256, 0, short_rows, columns, values, x, y, ROWS);
    LAUNCH(spmv_vector, ROWS / 8, 256, 0, short_rows, columns, values, x, y, ROWS);
    LAUNCH(spmv_scalar, 16384 / 128, 128, 0, long_rows, columns, values, x, y, 16384);
    LAUNCH(spmv_vector, 16384 / 4, 128, 0, long_rows, columns, values, x, y, 16384);
}

int main(void)
{
    options_and_orbits();
    pictures();
    sums();
    counts_and_branches();
    sparse();
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
