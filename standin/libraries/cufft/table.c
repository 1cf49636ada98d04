/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of a length: roots of unity and, for a length with a prime factor above 13, what Bluestein's algorithm
 * needs. Computed in double precision on the host, kept in device memory with the plan.
 */
#include "standin/libraries/cufft/cufft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

struct pair {
    double re, im;
};

static const unsigned radices[] = {4, 2, 3, 5, 7, 11, 13};

unsigned fft_factor(uint64_t n, unsigned radix[MOST_RADICES])
{
    unsigned count = 0;

    for (size_t i = 0; i < sizeof radices / sizeof *radices; i++)
        while (n % radices[i] == 0) {
            if (count < MOST_RADICES)
                radix[count] = radices[i];
            count++;
            n /= radices[i];
        }
    return n == 1 ? count : 0;
}

static bool is_smooth(uint64_t n)
{
    for (size_t i = 0; i < sizeof radices / sizeof *radices; i++)
        while (n % radices[i] == 0)
            n /= radices[i];
    return n == 1;
}

/* exp(-2 pi i k / n) */
static struct pair turn_make(uint64_t k, uint64_t n)
{
    double angle = -2 * PI * (double)(k % n) / (double)n;

    return (struct pair){cos(angle), sin(angle)};
}

static struct pair pair_multiply(struct pair a, struct pair b)
{
    return (struct pair){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* to[0 ... n) is the transform of from[0], from[step] ...; n has small factors. */
static void pairs_transform(const struct pair *from, struct pair *to, uint64_t n, uint64_t step)
{
    uint64_t p = 2;

    if (n == 1) {
        to[0] = from[0];
        return;
    }
    while (n % p)
        p++;
    uint64_t m = n / p;
    for (uint64_t q = 0; q < p; q++)
        pairs_transform(from + q * step, to + q * m, m, step * p);
    for (uint64_t k = 0; k < m; k++) {
        struct pair x[13], sum;
        for (uint64_t q = 0; q < p; q++)
            x[q] = pair_multiply(to[q * m + k], turn_make(q * k, n));
        for (uint64_t r = 0; r < p; r++) {
            sum = x[0];
            for (uint64_t q = 1; q < p; q++) {
                struct pair part = pair_multiply(x[q], turn_make(q * r, p));
                sum.re += part.re;
                sum.im += part.im;
            }
            to[r * m + k] = sum;
        }
    }
}

/* A copy in device memory, of the plan's precision; frees `pairs`. */
static void *pairs_send(const struct fft_plan *plan, struct pair *pairs, uint64_t count)
{
    size_t bytes = (plan->of_double ? sizeof(struct pair) : 2 * sizeof(float)) * (size_t)count;
    void *at = NULL;

    if (!pairs)
        return NULL;
    if (!plan->of_double)
        for (uint64_t i = 0; i < count; i++) {
            float single[2] = {(float)pairs[i].re, (float)pairs[i].im};
            memcpy((char *)pairs + i * sizeof single, single, sizeof single); /* before what is still read */
        }
    if (cudaMalloc(&at, bytes) != cudaSuccess)
        at = NULL;
    else if (cudaMemcpy(at, pairs, bytes, cudaMemcpyHostToDevice) != cudaSuccess) {
        cudaFree(at);
        at = NULL;
    }
    free(pairs);
    return at;
}

static bool table_fill(const struct fft_plan *plan, struct fft_table *table)
{
    uint64_t n = table->n, m = 2 * n - 1;

    if (is_smooth(n)) {
        if (n > fft_capacity(plan))
            return true; /* its levels have tables */
        struct pair *turns = malloc(n * sizeof *turns);
        for (uint64_t k = 0; turns && k < n; k++)
            turns[k] = turn_make(k, n);
        return (table->turns = pairs_send(plan, turns, n)) != NULL;
    }
    while (!is_smooth(m))
        m++;
    table->m = m;
    struct pair *chirps = malloc(n * sizeof *chirps), *signal = calloc(m, sizeof *signal),
                *spectrum = malloc(m * sizeof *spectrum);
    if (chirps && signal && spectrum) {
        uint64_t square = 0; /* of k, modulo 2 n */
        for (uint64_t k = 0; k < n; k++) {
            chirps[k] = turn_make(square, 2 * n);
            square = (square + 2 * k + 1) % (2 * n);
            struct pair back = {chirps[k].re, -chirps[k].im};
            signal[k] = back;
            if (k)
                signal[m - k] = back;
        }
        pairs_transform(signal, spectrum, m, 1);
        table->chirps = pairs_send(plan, chirps, n);
        table->factors = pairs_send(plan, spectrum, m);
        free(signal);
        return table->chirps && table->factors;
    }
    free(chirps);
    free(signal);
    free(spectrum);
    return false;
}

struct fft_table *fft_table_find(struct fft_plan *plan, uint64_t n)
{
    for (struct fft_table *table = plan->tables; table; table = table->next)
        if (table->n == n)
            return table;
    struct fft_table *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->n = n;
    made->next = plan->tables;
    plan->tables = made;
    return table_fill(plan, made) ? made : NULL;
}

void fft_tables_free(struct fft_plan *plan)
{
    while (plan->tables) {
        struct fft_table *table = plan->tables;
        plan->tables = table->next;
        cudaFree(table->turns);
        cudaFree(table->chirps);
        cudaFree(table->factors);
        free(table);
    }
}
