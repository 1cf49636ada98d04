/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels that are well known, written afresh from their descriptions (tests/data/kernels), run on the device
 * model and compared with plain C. Integers and IEEE arithmetic in a fixed order are equal to the bit; where
 * a kernel uses approximations (expf, logf), the tolerance is stated beside it.
 */
#include "tests/shared/made/run_model.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

TestSuite(simt_literature, .init = model_open, .fini = model_close);

static uint32_t next_random(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % below;
}

/* Device memory of `count` values, and the host's view of it. */
#define ALLOCATE(type, name, count)                                             \
    uint8_t *name##_bytes;                                                      \
    uint64_t name##_at = model_allocate((count) * sizeof(type), &name##_bytes); \
    type *name = (type *)(void *)name##_bytes

static uint64_t float_argument(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float fixed_order_sum(float lanes[32])
{
    for (int distance = 16; distance > 0; distance /= 2)
        for (int lane = 0; lane < 32; lane++) /* beyond the warp's end a lane gets its own value */
            lanes[lane] += lane + distance < 32 ? lanes[lane + distance] : lanes[lane];
    return lanes[0];
}

Test(simt_literature, reduction_with_shuffles)
{
    enum { N = 10007, BLOCKS = 5, THREADS = 192 };
    uint64_t state = 1;
    int32_t expected = 0;
    ALLOCATE(int32_t, in, N);
    ALLOCATE(int32_t, sum, 1);
    ALLOCATE(float, floats, N);
    ALLOCATE(float, sums, BLOCKS);
    for (int i = 0; i < N; i++) {
        in[i] = (int32_t)next_random(&state, 1000000) - 500000;
        floats[i] = (float)in[i] / 7.0f;
        expected += in[i];
    }
    sum[0] = 0;
    model_load("tests/data/ptx/reduce_shuffle");
    model_launch("reduce_int", SHAPE(BLOCKS, 1, 1), SHAPE(THREADS, 1, 1), 0, (uint64_t[]){in_at, sum_at, N},
                 NULL);
    cr_assert_eq(sum[0], expected);
    model_launch("reduce_float", SHAPE(BLOCKS, 1, 1), SHAPE(THREADS, 1, 1), 0,
                 (uint64_t[]){floats_at, sums_at, N}, NULL);
    for (int block = 0; block < BLOCKS; block++) {
        float of_warps[32] = {0};
        for (int warp = 0; warp < THREADS / 32; warp++) {
            float lanes[32] = {0};
            for (int lane = 0; lane < 32; lane++)
                for (int i = block * THREADS + warp * 32 + lane; i < N; i += BLOCKS * THREADS)
                    lanes[lane] += floats[i];
            of_warps[warp] = fixed_order_sum(lanes);
        }
        float total = fixed_order_sum(of_warps);
        cr_assert_eq(memcmp(&total, &sums[block], sizeof total), 0, "%d: %g, not %g", block,
                     (double)sums[block], (double)total);
    }
}

Test(simt_literature, prefix_sums)
{
    enum { BLOCKS = 3, THREADS = 128, N = BLOCKS * 2 * THREADS };
    uint64_t state = 2;
    ALLOCATE(int32_t, in, N);
    ALLOCATE(int32_t, exclusive, N);
    ALLOCATE(int32_t, inclusive, N);
    for (int i = 0; i < N; i++)
        in[i] = (int32_t)next_random(&state, 2000) - 1000;
    model_load("tests/data/ptx/scan");
    model_launch("scan_blelloch", SHAPE(BLOCKS, 1, 1), SHAPE(THREADS, 1, 1), 2 * THREADS * 4,
                 (uint64_t[]){in_at, exclusive_at}, NULL);
    model_launch("scan_hillis_steele", SHAPE(N / 256, 1, 1), SHAPE(256, 1, 1), 0,
                 (uint64_t[]){in_at, inclusive_at}, NULL);
    int32_t sum = 0;
    for (int i = 0; i < N; i++) {
        if (i % 256 == 0)
            sum = 0;
        cr_assert_eq(exclusive[i], sum, "%d", i);
        sum += in[i];
        cr_assert_eq(inclusive[i], sum, "%d", i);
    }
}

Test(simt_literature, histograms)
{
    enum { N = 20011 };
    uint64_t state = 3;
    uint32_t expected[256] = {0};
    ALLOCATE(uint8_t, in, N);
    ALLOCATE(uint32_t, counts, 512);
    memset(counts, 0, 2048);
    for (int i = 0; i < N; i++) { /* uneven: low values are frequent */
        in[i] = (uint8_t)(next_random(&state, 256) * next_random(&state, 256) / 256);
        expected[in[i]]++;
    }
    model_load("tests/data/ptx/histogram");
    model_launch("histogram_shared", SHAPE(4, 1, 1), SHAPE(160, 1, 1), 0, (uint64_t[]){in_at, counts_at, N},
                 NULL);
    model_launch("histogram_global", SHAPE((N + 255) / 256, 1, 1), SHAPE(256, 1, 1), 0,
                 (uint64_t[]){in_at, counts_at + 1024, N}, NULL);
    cr_assert_eq(memcmp(counts, expected, 1024), 0);
    cr_assert_eq(memcmp(counts + 256, expected, 1024), 0);
}

static int compare_ints(const void *a, const void *b)
{
    int32_t left = *(const int32_t *)a;
    int32_t right = *(const int32_t *)b;
    return (left > right) - (left < right);
}

Test(simt_literature, bitonic_sort)
{
    enum { N = 2048 };
    static int32_t expected[N];
    uint64_t state = 4;
    ALLOCATE(int32_t, keys, N);
    for (int i = 0; i < N; i++)
        keys[i] = expected[i] = (int32_t)(next_random(&state, 1u << 31) * 2u);
    qsort(expected, N, sizeof *expected, compare_ints);
    model_load("tests/data/ptx/bitonic");
    model_launch("bitonic_block", SHAPE(N / 512, 1, 1), SHAPE(256, 1, 1), 0, &keys_at, NULL);
    for (uint32_t size = 1024; size <= N; size *= 2) {
        for (uint32_t stride = size / 2; stride > 0; stride /= 2)
            model_launch("bitonic_step", SHAPE(N / 256, 1, 1), SHAPE(256, 1, 1), 0,
                         (uint64_t[]){keys_at, stride, size}, NULL);
    }
    cr_assert_eq(memcmp(keys, expected, sizeof expected), 0);
}

Test(simt_literature, mandelbrot)
{
    enum { WIDTH = 70, HEIGHT = 45, LIMIT = 150 };
    const float left = -2.1f;
    const float top = -1.2f;
    const float step = 0.04f;
    struct count_totals totals;
    ALLOCATE(int32_t, times, WIDTH * HEIGHT);
    model_load("tests/data/ptx/mandelbrot");
    uint64_t arguments[] = {
        times_at, WIDTH, HEIGHT, float_argument(left), float_argument(top), float_argument(step), LIMIT};
    model_launch("mandelbrot", SHAPE(5, 6, 1), SHAPE(16, 8, 1), 0, arguments, &totals);
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        float real = left + (float)(i % WIDTH) * step;
        float imaginary = top + (float)(i / WIDTH) * step;
        float x = 0;
        float y = 0;
        int time = 0;
        for (; time < LIMIT && x * x + y * y <= 4; time++) {
            float next = x * x - y * y + real;
            y = 2 * x * y + imaginary;
            x = next;
        }
        cr_assert_eq(times[i], time, "%d: %d, not %d", i, times[i], time);
    }
    cr_assert_gt(totals.divergent_branches, 0);
}

static int inside(int i, int n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

Test(simt_literature, convolution_with_constant_memory)
{
    enum { WIDTH = 50, HEIGHT = 37 };
    static const float taps[9] = {0.01f, 0.05f, 0.12f, 0.2f, 0.24f, 0.2f, 0.12f, 0.05f, 0.01f};
    uint64_t state = 5;
    ALLOCATE(float, in, WIDTH *HEIGHT);
    ALLOCATE(float, rows, WIDTH *HEIGHT);
    ALLOCATE(float, both, WIDTH *HEIGHT);
    ALLOCATE(uint8_t, pixels, WIDTH * HEIGHT);
    ALLOCATE(uint8_t, smooth, WIDTH * HEIGHT);
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        in[i] = (float)next_random(&state, 10000) / 99.0f;
        pixels[i] = (uint8_t)next_random(&state, 256);
    }
    const uint32_t *grid = SHAPE(4, 5, 1);
    const uint32_t *block = SHAPE(16, 8, 1);
    model_load("tests/data/ptx/convolution");
    model_launch("convolve_rows", grid, block, 0, (uint64_t[]){in_at, rows_at, WIDTH, HEIGHT}, NULL);
    model_launch("convolve_columns", grid, block, 0, (uint64_t[]){rows_at, both_at, WIDTH, HEIGHT}, NULL);
    model_launch("convolve_square", grid, block, 0, (uint64_t[]){pixels_at, smooth_at, WIDTH, HEIGHT}, NULL);
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            float row = 0;
            float column = 0;
            int sum = 0;
            for (int i = -4; i <= 4; i++) {
                row += taps[i + 4] * in[y * WIDTH + inside(x + i, WIDTH)];
                column += taps[i + 4] * rows[inside(y + i, HEIGHT) * WIDTH + x];
            }
            for (int i = 0; i < 9; i++)
                sum += (2 - abs(i / 3 - 1)) * (2 - abs(i % 3 - 1)) *
                       pixels[inside(y + i / 3 - 1, HEIGHT) * WIDTH + inside(x + i % 3 - 1, WIDTH)];
            int at = y * WIDTH + x;
            cr_assert_eq(memcmp(&row, &rows[at], sizeof row), 0, "%d %d", x, y);
            cr_assert_eq(memcmp(&column, &both[at], sizeof column), 0, "%d %d", x, y);
            cr_assert_eq(smooth[at], sum / 16, "%d %d", x, y);
        }
    }
}

Test(simt_literature, stencils_with_halos)
{
    enum { N = 1000, NX = 34, NY = 18, NZ = 9, VOLUME = NX * NY * NZ };
    uint64_t state = 6;
    ALLOCATE(int32_t, in, N);
    ALLOCATE(int32_t, out, N);
    ALLOCATE(float, field, VOLUME);
    ALLOCATE(float, next, VOLUME);
    for (int i = 0; i < N; i++)
        in[i] = (int32_t)next_random(&state, 1000);
    for (int i = 0; i < VOLUME; i++)
        field[i] = (float)next_random(&state, 10000) / 77.0f;
    memset(next, 0, sizeof *next * VOLUME);
    model_load("tests/data/ptx/stencil");
    model_launch("stencil_line", SHAPE((N + 127) / 128, 1, 1), SHAPE(128, 1, 1), 0,
                 (uint64_t[]){in_at, out_at, N}, NULL);
    for (int i = 0; i < N; i++) {
        int sum = 0;
        for (int k = i - 3; k <= i + 3; k++)
            sum += k >= 0 && k < N ? in[k] : 0;
        cr_assert_eq(out[i], sum, "%d", i);
    }
    uint64_t arguments[] = {field_at, next_at, NX, NY, NZ, float_argument(0.4f), float_argument(0.1f)};
    model_launch("stencil_planes", SHAPE((NX - 2) / 16, (NY - 2) / 8, 1), SHAPE(16, 8, 1), 0, arguments,
                 NULL);
    for (int i = 0; i < VOLUME; i++) {
        int x = i % NX;
        int y = i / NX % NY;
        int z = i / NX / NY;
        float expected = 0;
        if (x > 0 && x < NX - 1 && y > 0 && y < NY - 1 && z > 0 && z < NZ - 1)
            expected = 0.4f * field[i] + 0.1f * (field[i - NX * NY] + field[i + NX * NY] + field[i - 1] +
                                                 field[i + 1] + field[i - NX] + field[i + NX]);
        cr_assert_eq(memcmp(&expected, &next[i], sizeof expected), 0, "%d: %g, not %g", i, (double)next[i],
                     (double)expected);
    }
}

Test(simt_literature, sparse_matrix_times_vector)
{
    enum { N = 300, MOST = 90 };
    uint64_t state = 7;
    ALLOCATE(int32_t, rows, N + 1);
    ALLOCATE(int32_t, columns, N * MOST);
    ALLOCATE(double, values, N *MOST);
    ALLOCATE(double, x, N);
    ALLOCATE(double, scalar, N);
    ALLOCATE(double, vector, N);
    rows[0] = 0;
    for (int i = 0; i < N; i++) {
        x[i] = (double)next_random(&state, 1000) / 31;
        rows[i + 1] = rows[i] + (int32_t)(next_random(&state, 10) ? next_random(&state, 12)
                                                                  : next_random(&state, MOST));
        for (int k = rows[i]; k < rows[i + 1]; k++) {
            columns[k] = (int32_t)next_random(&state, N);
            values[k] = (double)next_random(&state, 1000) / 17 - 20;
        }
    }
    model_load("tests/data/ptx/spmv");
    uint64_t arguments[] = {rows_at, columns_at, values_at, x_at, scalar_at, N};
    model_launch("spmv_scalar", SHAPE((N + 127) / 128, 1, 1), SHAPE(128, 1, 1), 0, arguments, NULL);
    arguments[4] = vector_at;
    model_launch("spmv_vector", SHAPE((N + 3) / 4, 1, 1), SHAPE(128, 1, 1), 0, arguments, NULL);
    for (int i = 0; i < N; i++) {
        double sum = 0;
        double lanes[32] = {0};
        for (int k = rows[i]; k < rows[i + 1]; k++) {
            sum += values[k] * x[columns[k]];
            lanes[(k - rows[i]) % 32] += values[k] * x[columns[k]];
        }
        for (int distance = 16; distance > 0; distance /= 2) {
            double before[32];
            memcpy(before, lanes, sizeof before);
            for (int lane = 0; lane < 32; lane++)
                lanes[lane] += before[lane ^ distance];
        }
        cr_assert_eq(memcmp(&sum, &scalar[i], sizeof sum), 0, "%d: %g, not %g", i, scalar[i], sum);
        cr_assert_eq(memcmp(&lanes[0], &vector[i], sizeof sum), 0, "%d: %g, not %g", i, vector[i], lanes[0]);
    }
}

static double normal(double d)
{
    double k = 1 / (1 + 0.2316419 * fabs(d));
    double tail =
        0.39894228 * exp(-0.5 * d * d) *
        (k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))));
    return d > 0 ? 1 - tail : tail;
}

/* In double; expf and logf of the kernel stand on ex2.approx and lg2.approx, and d is up to 20: within 2e-5
 * of the larger of price and strike. */
Test(simt_literature, black_scholes)
{
    enum { N = 1000 };
    const double rate = 0.02;
    const double volatility = 0.3;
    uint64_t state = 8;
    ALLOCATE(float, prices, N);
    ALLOCATE(float, strikes, N);
    ALLOCATE(float, years, N);
    ALLOCATE(float, calls, N);
    ALLOCATE(float, puts, N);
    for (int i = 0; i < N; i++) {
        prices[i] = 5 + (float)next_random(&state, 2500) / 100;
        strikes[i] = 1 + (float)next_random(&state, 9900) / 100;
        years[i] = 0.25f + (float)next_random(&state, 975) / 100;
    }
    model_load("tests/data/ptx/black_scholes");
    uint64_t arguments[] = {prices_at,
                            strikes_at,
                            years_at,
                            calls_at,
                            puts_at,
                            float_argument((float)rate),
                            float_argument((float)volatility),
                            N};
    model_launch("black_scholes", SHAPE((N + 127) / 128, 1, 1), SHAPE(128, 1, 1), 0, arguments, NULL);
    for (int i = 0; i < N; i++) {
        double price = (double)prices[i];
        double strike = (double)strikes[i];
        double time = (double)years[i];
        double d1 =
            (log(price / strike) + (rate + volatility * volatility / 2) * time) / (volatility * sqrt(time));
        double d2 = d1 - volatility * sqrt(time);
        double discounted = strike * exp(-rate * time);
        double call = price * normal(d1) - discounted * normal(d2);
        double put = discounted * (1 - normal(d2)) - price * (1 - normal(d1));
        double tolerance = 2e-5 * fmax(price, strike);
        cr_assert_lt(fabs((double)calls[i] - call), tolerance, "%d: %g, not %g", i, (double)calls[i], call);
        cr_assert_lt(fabs((double)puts[i] - put), tolerance, "%d: %g, not %g", i, (double)puts[i], put);
    }
}

enum { PUSH, ADD, SUBTRACT, MULTIPLY, DUPLICATE, SWAP, DIVIDE, JUMP_IF_NOT_ZERO };

static int32_t run_machine(const int32_t *program, int length, int i)
{
    int32_t stack[16] = {i};
    int top = 0;
    int at = 0;
    for (int steps = 1; steps <= 200; steps++) {
        uint32_t a = (uint32_t)stack[top];
        uint32_t b = top > 0 ? (uint32_t)stack[top - 1] : 0;
        int operation = program[at] & 15;
        int value = program[at] >> 4;
        at = at + 1 < length ? at + 1 : 0;
        if (operation == PUSH || operation == DUPLICATE)
            top = top < 15 ? top + 1 : top;
        else if (operation <= MULTIPLY)
            top = top > 0 ? top - 1 : 0;
        switch (operation) {
        case PUSH: stack[top] = value; break;
        case ADD: stack[top] = (int32_t)(a + b); break;
        case SUBTRACT: stack[top] = (int32_t)(b - a); break;
        case MULTIPLY: stack[top] = (int32_t)(a * b); break;
        case DUPLICATE: stack[top] = (int32_t)a; break;
        case SWAP:
            stack[top] = (int32_t)b;
            if (top > 0)
                stack[top - 1] = (int32_t)a;
            break;
        case DIVIDE: /* the smallest number over -1 wraps */
            stack[top] = (a | 1) == UINT32_MAX ? (int32_t)(0u - b) : (int32_t)b / (int32_t)(a | 1);
            break;
        case JUMP_IF_NOT_ZERO: at = a != 0 ? value % length : at; break;
        default: return (int32_t)((uint32_t)stack[top] + 1000u * (uint32_t)steps);
        }
    }
    return stack[top];
}

Test(simt_literature, stack_machine)
{
    enum { N = 200, LENGTH = 24 };
    uint64_t state = 9;
    struct count_totals totals;
    ALLOCATE(int32_t, programs, N * LENGTH);
    ALLOCATE(int32_t, results, N);
    for (int i = 0; i < N * LENGTH; i++) {
        uint32_t operation = next_random(&state, 40);
        programs[i] = (int32_t)(next_random(&state, 500) << 4 | (operation < 36 ? operation % 8 : 8));
    }
    model_load("tests/data/ptx/machine");
    model_launch("machine", SHAPE((N + 63) / 64, 1, 1), SHAPE(64, 1, 1), 0,
                 (uint64_t[]){programs_at, LENGTH, results_at, N}, &totals);
    for (int i = 0; i < N; i++)
        cr_assert_eq(results[i], run_machine(programs + i * LENGTH, LENGTH, i), "%d: %d, not %d", i,
                     results[i], run_machine(programs + i * LENGTH, LENGTH, i));
    cr_assert_gt(totals.divergent_branches, 100);
    cr_assert_gt(totals.local[0].requests + totals.local[1].requests, 0);
}

static uint32_t divisor(uint32_t a, uint32_t b)
{
    while (b != 0) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static uint64_t totative(uint32_t a, uint32_t b)
{
    if (divisor(a, b) != 1)
        return a % 2 == 0 ? divisor(a + 1, b) : UINT64_MAX;
    uint64_t value = 1 % b;
    uint64_t square = a % b;
    uint64_t steps = 0;
    for (uint32_t exponent = b - 1; exponent > 0; exponent >>= 1, steps++) {
        if (exponent & 1)
            value = value * square % b;
        square = square * square % b;
    }
    return value * 64 + steps;
}

Test(simt_literature, functions_called_where_lanes_part)
{
    enum { N = 250 };
    uint64_t state = 10;
    ALLOCATE(uint32_t, numbers, 2 * N);
    ALLOCATE(uint64_t, out, N);
    for (int i = 0; i < 2 * N; i++)
        numbers[i] = next_random(&state, 1u << (1 + next_random(&state, 30)));
    model_load("tests/data/ptx/functions");
    model_launch("totatives", SHAPE((N + 95) / 96, 1, 1), SHAPE(96, 1, 1), 0,
                 (uint64_t[]){numbers_at, out_at, N}, NULL);
    for (int i = 0; i < N; i++) {
        uint64_t expected = totative(numbers[2 * i], numbers[2 * i + 1] | 1);
        cr_assert_eq(out[i], expected, "%d: %llu, not %llu", i, (unsigned long long)out[i],
                     (unsigned long long)expected);
    }
}

static int edit_distance(const char *a, const char *b, int length)
{
    int distances[32][32];
    for (int j = 0; j <= length; j++) {
        for (int k = 0; k <= length; k++) {
            if (j == 0 || k == 0) {
                distances[j][k] = j + k;
                continue;
            }
            int best = distances[j - 1][k - 1] + (a[k - 1] != b[j - 1]);
            best = distances[j - 1][k] + 1 < best ? distances[j - 1][k] + 1 : best;
            distances[j][k] = distances[j][k - 1] + 1 < best ? distances[j][k - 1] + 1 : best;
        }
    }
    return distances[length][length];
}

Test(simt_literature, edit_distances_in_local_memory)
{
    enum { N = 100, LENGTH = 17 };
    uint64_t state = 11;
    ALLOCATE(char, words, N *LENGTH);
    ALLOCATE(int32_t, distances, N);
    for (int i = 0; i < N * LENGTH; i++)
        words[i] = (char)('a' + next_random(&state, 4));
    model_load("tests/data/ptx/functions");
    model_launch("edit_distance", SHAPE(2, 1, 1), SHAPE(64, 1, 1), 0,
                 (uint64_t[]){words_at, LENGTH, distances_at, N}, NULL);
    for (int i = 0; i < N; i++)
        cr_assert_eq(distances[i], edit_distance(words, words + i * LENGTH, LENGTH), "%d: %d", i,
                     distances[i]);
}
