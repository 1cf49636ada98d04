/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a transform is made of launches. A dimension is transformed line by line. A line that fits into shared memory
 * is one launch; a longer one has two or three levels (n = f0 f1 f2), with twiddle factors between them; one whose
 * length has a prime factor above 13 is a convolution of a length that has none (Bluestein).
 *
 * The work area has two halves, between which long lines go back and forth, and behind them the half spectra of a
 * transform from complex to real numbers.
 */
#include "standin/libraries/cufft/cufft.h"
#include "standin/libraries/launch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_LEVELS 3

struct run {
    struct fft_plan *plan;
    bool inverse, measure;
    char *half[2]; /* of the work area */
    size_t wanted; /* bytes of a half */
};

struct line_counts {
    unsigned long long of[COUNTERS];
};

uint64_t fft_capacity(const struct fft_plan *plan)
{
    return CAPACITY_BYTES / (plan->of_double ? 16u : 8u);
}

static size_t pair_bytes(const struct run *run)
{
    return run->plan->of_double ? 16 : 8;
}

static unsigned long long count_lines(const struct line_counts *counts)
{
    unsigned long long lines = 1;

    for (unsigned i = 0; i < COUNTERS; i++)
        lines *= counts->of[i];
    return lines;
}

/* Lines of n numbers one after the other, in the order of the first three counters. */
static struct work_layout layout_packed(void *at, uint64_t n, const struct line_counts *counts)
{
    struct work_layout layout = {.at = at, .numbers = NUMBERS_COMPLEX, .n = n, .stride = 1, .step = 1};

    layout.outer[2] = (long long)n;
    layout.outer[1] = layout.outer[2] * (long long)counts->of[2];
    layout.outer[0] = layout.outer[1] * (long long)counts->of[1];
    return layout;
}

/* Whether the next line is nearer than the next number. */
static void layout_order(struct work_layout *layout, const struct line_counts *counts)
{
    long long line = 0, number = layout->stride * (long long)layout->step;

    for (unsigned i = 0; i < 3; i++)
        if (counts->of[i] > 1)
            line = layout->outer[i];
    for (unsigned i = 3; i < COUNTERS; i++)
        if (counts->of[i] > 1)
            line = layout->stride * (long long)layout->level[i - 3];
    layout->lines_first = line != 0 && line < number;
}

static enum fft_status launch_step(struct run *run, const char *name, uint64_t blocks, const void *work)
{
    char full[32];

    if (run->measure || blocks == 0)
        return FFT_SUCCESS;
    snprintf(full, sizeof full, "%s_%c", name, run->plan->of_double ? 'z' : 'c');
    dim3 grid = {(unsigned)blocks, 1, 1};
    return blocks <= INT32_MAX && library_launch(run->plan->stream, full, grid, 128, work) ? FFT_SUCCESS
                                                                                           : FFT_EXEC_FAILED;
}

/* One launch, of lines that fit into shared memory. */
static enum fft_status lines_transform(struct run *run, uint64_t n, struct work_layout from,
                                       struct work_layout to, const struct line_counts *counts,
                                       uint64_t twiddle, const void *factors, bool inverse)
{
    struct work_fft work = {.n = (unsigned)n, .inverse = inverse, .twiddle = twiddle, .factors = factors};
    struct fft_table *table = fft_table_find(run->plan, n);
    uint64_t fit = fft_capacity(run->plan) / 2 / n;

    if (!table)
        return FFT_ALLOC_FAILED;
    layout_order(&from, counts);
    layout_order(&to, counts);
    work.from = from;
    work.to = to;
    work.lines = count_lines(counts);
    memcpy(work.count, counts->of, sizeof work.count);
    work.lines_of_block = fit < 1 ? 1 : fit > LINES_OF_BLOCK ? LINES_OF_BLOCK : (unsigned)fit;
    work.radices = fft_factor(n, work.radix);
    work.turns = table->turns;
    return launch_step(run, "fft", (work.lines + work.lines_of_block - 1) / work.lines_of_block, &work);
}

/* Splits n into `levels` factors that fit, about equal. False: there are none. */
static bool levels_split(uint64_t n, uint64_t capacity, unsigned levels, uint64_t factors[])
{
    uint64_t best = 0;

    if (levels == 1) {
        factors[0] = n;
        return n <= capacity;
    }
    double wanted = pow((double)n, 1.0 / levels);
    for (uint64_t d = 2; d <= capacity; d++) {
        uint64_t rest[MOST_LEVELS];
        if (n % d == 0 && (!best || fabs(log((double)d / wanted)) < fabs(log((double)best / wanted))) &&
            levels_split(n / d, capacity, levels - 1, rest))
            best = d;
    }
    factors[0] = best;
    return best && levels_split(n / best, capacity, levels - 1, factors + 1);
}

/* Lines whose length has small factors. `to` may be where `from` is only if the lines fit into shared memory. */
static enum fft_status smooth_transform(struct run *run, uint64_t n, struct work_layout from,
                                        struct work_layout to, struct line_counts counts, const void *factors,
                                        bool inverse, unsigned half)
{
    uint64_t f[MOST_LEVELS], rest = n, capacity = fft_capacity(run->plan);
    unsigned levels = 1;
    enum fft_status status = FFT_SUCCESS;

    while (levels <= MOST_LEVELS && !levels_split(n, capacity, levels, f))
        levels++;
    if (levels > MOST_LEVELS)
        library_refuse(
            "cufftExec of a length that has no three factors of at most 2,048 numbers (1,024 doubles)");
    if (levels == 1)
        return lines_transform(run, n, from, to, &counts, 0, factors, inverse);
    size_t bytes = pair_bytes(run) * (size_t)(n * count_lines(&counts));
    if (bytes > run->wanted)
        run->wanted = bytes;
    struct work_layout between = layout_packed(run->half[half], n, &counts);
    for (unsigned level = 0; level + 1 < levels && status == FFT_SUCCESS; level++) {
        struct work_layout source = level == 0 ? from : between, target = between;
        uint64_t whole = rest;
        rest /= f[level];
        counts.of[3] = level == 0 ? 1 : f[0];
        counts.of[4] = rest;
        source.step = target.step = rest;
        source.level[0] = target.level[0] = whole;
        source.level[1] = target.level[1] = 1;
        status = lines_transform(run, f[level], source, target, &counts, whole, NULL, inverse);
    }
    /* The last level's lines begin at k0 * (n / f0) + k1 * f2; its results have the index k0 + f0 (k1 + f1 k2). */
    struct work_layout source = between, target = to;
    counts.of[3] = levels == 2 ? 1 : f[0];
    counts.of[4] = levels == 2 ? f[0] : f[1];
    source.step = 1;
    source.level[0] = n / f[0];
    source.level[1] = rest;
    target.step = n / rest;
    target.level[0] = 1;
    target.level[1] = levels == 2 ? 1 : f[0];
    if (status == FFT_SUCCESS)
        status = lines_transform(run, rest, source, target, &counts, 0, factors, inverse);
    return status;
}

static enum fft_status bluestein_transform(struct run *run, const struct fft_table *table,
                                           struct work_layout from, struct work_layout to,
                                           const struct line_counts *counts, bool inverse)
{
    struct work_chirp work = {.user = from,
                              .padded = run->half[0],
                              .chirps = table->chirps,
                              .n = table->n,
                              .m = table->m,
                              .inverse = inverse,
                              .lines = count_lines(counts)};
    size_t bytes = pair_bytes(run) * (size_t)(table->m * work.lines);
    struct work_layout first = layout_packed(run->half[0], table->m, counts),
                       second = layout_packed(run->half[1], table->m, counts);
    uint64_t blocks = (work.lines * table->m + 127) / 128;

    if (bytes > run->wanted)
        run->wanted = bytes;
    memcpy(work.count, counts->of, sizeof work.count);
    enum fft_status status = launch_step(run, "fft_pad", blocks < 4096 ? blocks : 4096, &work);
    if (status == FFT_SUCCESS)
        status = smooth_transform(run, table->m, first, second, *counts, table->factors, false, 0);
    if (status == FFT_SUCCESS)
        status = smooth_transform(run, table->m, second, first, *counts, NULL, true, 1);
    work.user = to;
    if (status == FFT_SUCCESS)
        status = launch_step(run, "fft_unpad", blocks < 4096 ? blocks : 4096, &work);
    return status;
}

/* One dimension of what lies at `from`. */
static enum fft_status dimension_transform(struct run *run, unsigned dimension, struct work_layout from,
                                           const struct fft_side *from_side, struct work_layout to,
                                           const struct fft_side *to_side, const uint64_t n[DIMENSIONS])
{
    struct line_counts counts = {{run->plan->batch, 1, 1, 1, 1}};
    unsigned used = 1;

    from.outer[0] = from_side->distance;
    to.outer[0] = to_side->distance;
    for (unsigned d = 0; d < DIMENSIONS; d++)
        if (d != dimension) {
            counts.of[used] = n[d];
            from.outer[used] = from_side->stride[d];
            to.outer[used] = to_side->stride[d];
            used++;
        }
    uint64_t length = run->plan->n[dimension];
    from.stride = from_side->stride[dimension];
    to.stride = to_side->stride[dimension];
    from.step = to.step = 1;
    from.n = to.n = length;
    struct fft_table *table = fft_table_find(run->plan, length);
    if (!table)
        return FFT_ALLOC_FAILED;
    return table->m ? bluestein_transform(run, table, from, to, &counts, run->inverse)
                    : smooth_transform(run, length, from, to, counts, NULL, run->inverse, 0);
}

/* In place, and without a layout of the caller's, rows of real numbers have room for the complex ones. */
static struct fft_side side_padded(const struct fft_plan *plan)
{
    struct fft_side side = {{1, 1, 1}, 0};
    int64_t row = 2 * (int64_t)(plan->n[2] / 2 + 1);

    side.stride[1] = row;
    side.stride[0] = row * (int64_t)plan->n[1];
    side.distance = side.stride[0] * (int64_t)plan->n[0];
    return side;
}

static struct fft_side side_packed(const uint64_t n[DIMENSIONS])
{
    struct fft_side side = {{(int64_t)(n[1] * n[2]), (int64_t)n[2], 1}, (int64_t)(n[0] * n[1] * n[2])};

    return side;
}

enum fft_status fft_run(struct fft_plan *plan, void *in, void *out, bool inverse, bool measure)
{
    struct run run = {.plan = plan, .inverse = inverse, .measure = measure};
    uint64_t n[DIMENSIONS] = {plan->n[0], plan->n[1], plan->n[2]};
    struct fft_side in_side = plan->in, out_side = plan->out, spectra_side;
    struct work_layout from = {.at = in}, to = {.at = out};
    enum fft_status status = FFT_SUCCESS;
    bool outer[DIMENSIONS] = {n[0] > 1, n[1] > 1, true}, half = plan->kind != KIND_C2C;
    size_t spectra_bytes = 0;

    if (half)
        n[2] = n[2] / 2 + 1;
    if (in == out && !plan->given && plan->kind == KIND_R2C)
        in_side = side_padded(plan);
    if (in == out && !plan->given && plan->kind == KIND_C2R)
        out_side = side_padded(plan);
    if (plan->kind == KIND_C2R && (outer[0] || outer[1]))
        spectra_bytes = pair_bytes(&run) * (size_t)(n[0] * n[1] * n[2] * plan->batch);
    if (!measure && plan->work_bytes) {
        size_t half_bytes = (plan->work_bytes - spectra_bytes) / 2;
        run.half[0] = plan->work;
        run.half[1] = run.half[0] + half_bytes;
    }
    if (plan->kind != KIND_C2R)
        for (unsigned d = DIMENSIONS; d-- > 0 && status == FFT_SUCCESS;) {
            if (!outer[d])
                continue;
            from.numbers = d == 2 && half ? NUMBERS_REAL : NUMBERS_COMPLEX;
            to.numbers = d == 2 && half ? NUMBERS_HALF : NUMBERS_COMPLEX;
            status = dimension_transform(&run, d, from, &in_side, to, &out_side, n);
            from = to;
            in_side = out_side;
        }
    else {
        struct work_layout spectra = {.at = plan->work ? (char *)plan->work + plan->work_bytes - spectra_bytes
                                                       : NULL};
        spectra_side = side_packed(n);
        for (unsigned d = 0; d < 2 && status == FFT_SUCCESS; d++) {
            if (!outer[d])
                continue;
            status = dimension_transform(&run, d, from, &in_side, spectra, &spectra_side, n);
            from = spectra;
            in_side = spectra_side;
        }
        from.numbers = NUMBERS_HALF;
        to.numbers = NUMBERS_REAL;
        if (status == FFT_SUCCESS)
            status = dimension_transform(&run, 2, from, &in_side, to, &out_side, n);
    }
    if (measure)
        plan->work_bytes = 2 * ((run.wanted + 255) / 256 * 256) + spectra_bytes;
    return status;
}
