/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fft: the discrete Fourier transform of many rows of 512 complex words: by its definition, in nine stages in
 * shared memory, and cuFFT's.
 *
 * The reference is a transform by halves in double precision; the kernels' sums are compared within a
 * tolerance, since each adds in an order of its own.
 */
#include "workloads/frame/single.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#define LOG_N 9 /* as in fft.cu */
#define N (1 << LOG_N)
#define TOLERANCE 1e-4 /* of N additions of words around 1 */

enum { PARAM_ROWS };
enum { TAG_DFT, TAG_SHARED, TAG_CUFFT };

static const struct workload_param params[] = {
    [PARAM_ROWS] = {.name = "rows",
                    .meaning = "transforms of 512 words; 0: by the size of the device",
                    SIZE_UP_TO(1 << 16, "transforms"),
                    .doubles = true},
};

#define WORD (2 * sizeof(float))

static uint64_t every_word(const struct workload_case *c)
{
    (void)c;
    return N;
}

static uint64_t both_words(const struct workload_case *c)
{
    (void)c;
    return 2;
}

static uint64_t stage_count(const struct workload_case *c)
{
    (void)c;
    return LOG_N;
}

static uint64_t stage_words(const struct workload_case *c)
{
    (void)c;
    return 2 * LOG_N;
}

ACCESS_ADDRESS(dft_in, (at->block[0] * (uint64_t)N + at->i) * WORD)
ACCESS_ADDRESS(dft_root, (at->i * access_thread(at) & (N - 1)) * WORD)
ACCESS_ADDRESS(dft_out, (at->block[0] * (uint64_t)N + access_thread(at)) * WORD)
/* Word i % 2 of a thread's pair, of the block's row in global memory, and in shared memory. */
ACCESS_ADDRESS(pair_word, (at->block[0] * (uint64_t)N + access_thread(at) + at->i * (N / 2)) * WORD)
ACCESS_ADDRESS(pair_shared, (access_thread(at) + at->i % 2 * (N / 2)) * WORD)

static uint64_t stage_root(const struct workload_case *c, const struct access_point *at)
{
    uint64_t distance = (uint64_t)1 << at->i;

    (void)c;
    return (access_thread(at) & ~(distance - 1)) * WORD;
}

static uint64_t stage_store(const struct workload_case *c, const struct access_point *at)
{
    uint64_t distance = (uint64_t)1 << at->i / 2, i = access_thread(at);

    (void)c;
    return (2 * i - (i & (distance - 1)) + at->i % 2 * distance) * WORD;
}

#define SITE(text, where, what, times, function)                                                         \
    {                                                                                                    \
        .name = text, .space = where, .op = what, .width_bytes = 8, .count = times, .address = function, \
        .block_period = {                                                                                \
            1,                                                                                           \
            1,                                                                                           \
            1                                                                                            \
        }                                                                                                \
    }
static const struct access_site dft_sites[] = {
    SITE("in[j]", ACCESS_GLOBAL, ACCESS_LOAD, every_word, dft_in),
    SITE("root[j * k & (N - 1)]", ACCESS_GLOBAL, ACCESS_LOAD, every_word, dft_root),
    SITE("out[k]", ACCESS_GLOBAL, ACCESS_STORE, access_once, dft_out),
};
static const struct access_site shared_sites[] = {
    SITE("in[i], in[i + N / 2]", ACCESS_GLOBAL, ACCESS_LOAD, both_words, pair_word),
    SITE("words[0][i] = ", ACCESS_SHARED, ACCESS_STORE, both_words, pair_shared),
    SITE("root[i - within]", ACCESS_GLOBAL, ACCESS_LOAD, stage_count, stage_root),
    SITE("words[from][i]", ACCESS_SHARED, ACCESS_LOAD, stage_words, pair_shared),
    SITE("words[from][2 * i - within] = ", ACCESS_SHARED, ACCESS_STORE, stage_words, stage_store),
    SITE("words[from][i], at the end", ACCESS_SHARED, ACCESS_LOAD, both_words, pair_shared),
    SITE("out[i], out[i + N / 2]", ACCESS_GLOBAL, ACCESS_STORE, both_words, pair_word),
};

static const struct kernel_sites kernels[] = {
    [TAG_DFT] = {KERNEL_SITES("fft_dft", dft_sites)},
    [TAG_SHARED] = {KERNEL_SITES("fft_shared", shared_sites)},
};

static const struct workload_variant variants[] = {
    {.name = "dft",
     .meaning = "by its definition: 512 products for each word of the result",
     .tag = TAG_DFT,
     .kernels = &kernels[TAG_DFT],
     .kernel_count = 1},
    {.name = "shared",
     .meaning = "nine stages in shared memory, with a product for each two words",
     .tag = TAG_SHARED,
     .kernels = &kernels[TAG_SHARED],
     .kernel_count = 1},
    {.name = "cufft", .meaning = "single precision, by cuFFT", .tag = TAG_CUFFT, .library = "cuFFT"},
};

static enum status fft_resolve(struct workload_case *c, struct error *error)
{
    int64_t *rows = &c->params.value[PARAM_ROWS];
    uint32_t block = c->variant->tag == TAG_DFT ? N : N / 2;

    if (*rows == WORKLOAD_SIZE_AUTO)
        *rows = c->small ? 16 : c->info->multiprocessors >= 64 ? 4096 : 1024;
    return case_grid_of_threads(c, *rows * block, block, 2.0 * WORD * N * (double)*rows, error);
}

static float value_at(size_t i)
{
    return (float)((uint32_t)i * 0x9e3779b1u >> 16) / 32768 - 1;
}

static void row_fill(const struct workload_case *c, void *bytes, size_t size_bytes)
{
    float *words = bytes;

    (void)c;
    for (size_t i = 0; i < size_bytes / sizeof *words; i++)
        words[i] = value_at(i);
}

static double complex root_of(size_t k, size_t n)
{
    double angle = -2 * 3.14159265358979323846 * (double)k / (double)n;

    return cos(angle) + I * sin(angle);
}

static void root_fill(const struct workload_case *c, void *bytes, size_t size_bytes)
{
    float *words = bytes;

    (void)c;
    for (size_t k = 0; k < size_bytes / WORD; k++) {
        words[2 * k] = (float)creal(root_of(k, N));
        words[2 * k + 1] = (float)cimag(root_of(k, N));
    }
}

/* The transform of n words that are `step` apart, into n words of `out`: of the even ones and of the odd
 * ones, which are then joined. */
static void transform_row(double complex *out, const float *in, size_t n, size_t step)
{
    if (n == 1) {
        out[0] = in[0] + I * in[1];
        return;
    }
    transform_row(out, in, n / 2, 2 * step);
    transform_row(out + n / 2, in + 2 * step, n / 2, 2 * step);
    for (size_t k = 0; k < n / 2; k++) {
        double complex even = out[k], odd = out[k + n / 2] * root_of(k * (N / n), N);

        out[k] = even + odd;
        out[k + n / 2] = even - odd;
    }
}

static void fft_verify(const float *input, const float *output, size_t rows, struct workload_result *result)
{
    double complex row[N];
    float wanted[2 * N];

    result->verified = 1;
    for (size_t r = 0; r < rows && result->verified == 1; r++) {
        transform_row(row, input + r * 2 * N, N, 1);
        for (size_t k = 0; k < N; k++) {
            wanted[2 * k] = (float)creal(row[k]);
            wanted[2 * k + 1] = (float)cimag(row[k]);
        }
        verify_close("out", r * 2 * N, output + r * 2 * N, wanted, 2 * N, TOLERANCE, result);
    }
}

static enum status fft_run(const struct workload_case *c, struct workbench *bench,
                           struct workload_result *result, struct error *error)
{
    size_t rows = (size_t)c->params.value[PARAM_ROWS], size_bytes = rows * N * WORD;
    struct single single = {
        .array = {{.use = SINGLE_INPUT, .size_bytes = size_bytes, .fill = row_fill},
                  {.use = SINGLE_OUTPUT, .size_bytes = size_bytes},
                  {.use = SINGLE_INPUT, .size_bytes = N * WORD, .fill = root_fill}},
        .array_count = 3,
        .launch = {.image = "fft",
                   .kernel = c->effective_kernel,
                   .arguments = (void *[]){&single.array[1].pointer, &single.array[0].pointer,
                                           &single.array[2].pointer}},
        .call = {.routine = LIBRARY_FFT,
                 .out = &single.array[1].pointer,
                 .in = &single.array[0].pointer,
                 .n = N,
                 .rows = (uint32_t)rows},
    };

    if (library_missing(c, bench, single.call.routine, result))
        return STATUS_OK;
    enum status status = single_run(c, bench, &single, error);
    if (status == STATUS_OK)
        fft_verify(single.array[0].input, single.array[1].output, rows, result);
    return status;
}

const struct workload workload_fft = {
    .name = "fft",
    .chapter = CHAPTER_PRIMITIVES,
    .title = "A Fourier transform, from its definition to cuFFT",
    .words = "FFT DFT Fourier transform cuFFT butterfly Stockham signal complex library shared memory stages",
    .meaning = "A better algorithm gains more than a better kernel, and a library's kernel has both",
    WORKLOAD_TABLES(params, variants),
    .devices_needed = 1,
    .resolve = fft_resolve,
    .run = fft_run,
};
