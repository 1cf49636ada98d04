// Fourier transforms: lanescope's own kernels, in the place of cuFFT's, which are others. A line that fits into
// shared memory is transformed there by Stockham's algorithm with radices 2 to 13.
#include "standin/libraries/cufft/kernels/work.h"

template <typename T> struct pair_of;
template <> struct pair_of<float> {
    typedef float2 type;
};
template <> struct pair_of<double> {
    typedef double2 type;
};
#define PAIR typename pair_of<T>::type

__device__ static float2 make_pair(float x, float y)
{
    return make_float2(x, y);
}
__device__ static double2 make_pair(double x, double y)
{
    return make_double2(x, y);
}

template <typename P> __device__ P add(P a, P b)
{
    return make_pair(a.x + b.x, a.y + b.y);
}
template <typename P> __device__ P subtract(P a, P b)
{
    return make_pair(a.x - b.x, a.y - b.y);
}
template <typename P> __device__ P multiply(P a, P b)
{
    return make_pair(fma(a.x, b.x, -(a.y * b.y)), fma(a.x, b.y, a.y * b.x));
}
template <typename P> __device__ P conjugate_if(P a, bool wanted)
{
    return make_pair(a.x, wanted ? -a.y : a.y);
}

/* exp(-+2 pi i k / n) */
__device__ static float2 turn_of(unsigned long long k, unsigned long long n, bool inverse, float)
{
    float2 turn;
    sincospif(float(2.0 * double(k) / double(n)), &turn.y, &turn.x);
    return conjugate_if(turn, !inverse);
}
__device__ static double2 turn_of(unsigned long long k, unsigned long long n, bool inverse, double)
{
    double2 turn;
    sincospi(2.0 * double(k) / double(n), &turn.y, &turn.x);
    return conjugate_if(turn, !inverse);
}

// ---- layouts ----
/* Where a line lies, and the index of its first number. */
struct line_place {
    long long base;
    unsigned long long index;
};

__device__ static line_place find_line(const work_layout &layout, const unsigned long long count[COUNTERS],
                                       unsigned long long line, unsigned long long *last)
{
    unsigned long long at[COUNTERS];

#pragma unroll
    for (int i = COUNTERS - 1; i >= 0; i--) {
        at[i] = count[i] == 1 ? 0 : line % count[i];
        line = count[i] == 1 ? line : line / count[i];
    }
    *last = at[4];
    line_place place = {(long long)at[0] * layout.outer[0] + (long long)at[1] * layout.outer[1] +
                            (long long)at[2] * layout.outer[2],
                        at[3] * layout.level[0] + at[4] * layout.level[1]};
    return place;
}

template <typename T> __device__ PAIR load(const work_layout &layout, line_place place, unsigned long long e)
{
    unsigned long long index = place.index + e * layout.step;
    bool mirrored = layout.numbers == NUMBERS_HALF && index > layout.n / 2;
    long long at = place.base + (long long)(mirrored ? layout.n - index : index) * layout.stride;

    if (layout.numbers == NUMBERS_REAL)
        return make_pair(((const T *)layout.at)[at], T(0));
    return conjugate_if(((const PAIR *)layout.at)[at], mirrored);
}

template <typename T>
__device__ void store(const work_layout &layout, line_place place, unsigned long long index, PAIR value)
{
    long long at = place.base + (long long)index * layout.stride;

    if (layout.numbers == NUMBERS_REAL)
        ((T *)layout.at)[at] = value.x;
    else if (layout.numbers == NUMBERS_COMPLEX || index <= layout.n / 2)
        ((PAIR *)layout.at)[at] = value;
}

// ---- stages ----
/* R results of R numbers. */
template <int R, typename T> __device__ void butterfly(PAIR x[R], const PAIR roots[R], bool inverse)
{
    if (R == 2) {
        PAIR a = x[0];
        x[0] = add(a, x[1]);
        x[1] = subtract(a, x[1]);
    } else if (R == 4) {
        PAIR a = add(x[0], x[2]), b = subtract(x[0], x[2]), c = add(x[1], x[3]), d = subtract(x[1], x[3]);
        d = inverse ? make_pair(-d.y, d.x) : make_pair(d.y, -d.x);
        x[0] = add(a, c);
        x[1] = add(b, d);
        x[2] = subtract(a, c);
        x[3] = subtract(b, d);
    } else {
        PAIR y[R];
#pragma unroll
        for (int p = 0; p < R; p++) {
            y[p] = x[0];
#pragma unroll
            for (int q = 1; q < R; q++)
                y[p] = add(y[p], p == 0 ? x[q] : multiply(x[q], roots[p * q % R]));
        }
#pragma unroll
        for (int p = 0; p < R; p++)
            x[p] = y[p];
    }
}

/* done: the product of the radices before. */
template <int R, typename T>
__device__ void run_stage(const work_fft &work, const PAIR *from, PAIR *to, unsigned lines, unsigned done)
{
    const PAIR *turns = (const PAIR *)work.turns;
    unsigned n = work.n, each = n / R, apart = each / done;
    PAIR roots[R];

#pragma unroll
    for (int q = 0; q < R; q++)
        if (R != 2 && R != 4)
            roots[q] = conjugate_if(turns[q * each], work.inverse);
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < lines * each; i += blockDim.x) {
        unsigned line = i / each, b = i % each, k = b % done, j = b / done;
        PAIR x[R];
#pragma unroll
        for (int q = 0; q < R; q++) {
            x[q] = from[line * n + b + q * each];
            if (q)
                x[q] = multiply(x[q], conjugate_if(turns[k * q * apart], work.inverse));
        }
        butterfly<R, T>(x, roots, work.inverse);
#pragma unroll
        for (int q = 0; q < R; q++)
            to[line * n + (j * R + q) * done + k] = x[q];
    }
}

template <typename T> __device__ void transform_lines(const work_fft &work)
{
    __shared__ PAIR numbers[2][CAPACITY_BYTES / sizeof(PAIR)];
    __shared__ line_place from[LINES_OF_BLOCK], to[LINES_OF_BLOCK];
    __shared__ unsigned long long last[LINES_OF_BLOCK];
    unsigned long long first = (unsigned long long)blockIdx.x * work.lines_of_block;
    unsigned n = work.n, lines = unsigned(work.lines - first < work.lines_of_block ? work.lines - first
                                                                                   : work.lines_of_block);
    unsigned done = 1;
    int now = 0;

    if (threadIdx.x < lines) {
        from[threadIdx.x] = find_line(work.from, work.count, first + threadIdx.x, &last[threadIdx.x]);
        to[threadIdx.x] = find_line(work.to, work.count, first + threadIdx.x, &last[threadIdx.x]);
    }
    __syncthreads();
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < lines * n; i += blockDim.x) {
        unsigned line = work.from.lines_first ? i % lines : i / n,
                 e = work.from.lines_first ? i / lines : i % n;
        numbers[0][line * n + e] = load<T>(work.from, from[line], e);
    }
    __syncthreads();
#pragma unroll 1
    for (unsigned stage = 0; stage < work.radices; stage++) {
        const PAIR *x = numbers[now];
        PAIR *y = numbers[1 - now];
        switch (work.radix[stage]) {
        case 2: run_stage<2, T>(work, x, y, lines, done); break;
        case 3: run_stage<3, T>(work, x, y, lines, done); break;
        case 4: run_stage<4, T>(work, x, y, lines, done); break;
        case 5: run_stage<5, T>(work, x, y, lines, done); break;
        case 7: run_stage<7, T>(work, x, y, lines, done); break;
        case 11: run_stage<11, T>(work, x, y, lines, done); break;
        default: run_stage<13, T>(work, x, y, lines, done); break;
        }
        done *= work.radix[stage];
        now = 1 - now;
        __syncthreads();
    }
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < lines * n; i += blockDim.x) {
        unsigned line = work.to.lines_first ? i % lines : i / n, e = work.to.lines_first ? i / lines : i % n;
        PAIR value = numbers[now][line * n + e];
        unsigned long long index = to[line].index + e * work.to.step;
        if (work.twiddle)
            value = multiply(value, turn_of(e * last[line], work.twiddle, work.inverse, T()));
        if (work.factors)
            value = multiply(value, ((const PAIR *)work.factors)[index]);
        store<T>(work.to, to[line], index, value);
    }
}

// ---- Bluestein ----
template <typename T> __device__ void pad_lines(const work_chirp &work)
{
    PAIR *padded = (PAIR *)work.padded;

#pragma unroll 1
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
         i < work.lines * work.m; i += (unsigned long long)gridDim.x * blockDim.x) {
        unsigned long long line = i / work.m, e = i % work.m, last;
        PAIR value = make_pair(T(0), T(0));
        if (e < work.n) {
            value = conjugate_if(load<T>(work.user, find_line(work.user, work.count, line, &last), e),
                                 work.inverse);
            value = multiply(value, ((const PAIR *)work.chirps)[e]);
        }
        padded[i] = value;
    }
}

template <typename T> __device__ void unpad_lines(const work_chirp &work)
{
    const PAIR *padded = (const PAIR *)work.padded;
    T part = T(1.0 / double(work.m));

#pragma unroll 1
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
         i < work.lines * work.n; i += (unsigned long long)gridDim.x * blockDim.x) {
        unsigned long long line = i / work.n, e = i % work.n, last;
        PAIR value = multiply(padded[line * work.m + e], ((const PAIR *)work.chirps)[e]);
        line_place place = find_line(work.user, work.count, line, &last);
        store<T>(work.user, place, place.index + e * work.user.step,
                 conjugate_if(make_pair(value.x * part, value.y * part), work.inverse));
    }
}

#define KERNEL(name, type, ...)                                                         \
    extern "C" __global__ void __launch_bounds__(128) lanescope_##name(const type work) \
    {                                                                                   \
        __VA_ARGS__;                                                                    \
    }
KERNEL(fft_c, work_fft, transform_lines<float>(work))
KERNEL(fft_z, work_fft, transform_lines<double>(work))
KERNEL(fft_pad_c, work_chirp, pad_lines<float>(work))
KERNEL(fft_pad_z, work_chirp, pad_lines<double>(work))
KERNEL(fft_unpad_c, work_chirp, unpad_lines<float>(work))
KERNEL(fft_unpad_z, work_chirp, unpad_lines<double>(work))
// SPDX-License-Identifier: Apache-2.0
