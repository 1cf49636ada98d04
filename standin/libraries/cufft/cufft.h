/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lanescope's own cuFFT over the device model: what its files share. NVIDIA's headers are not needed: the types
 * and values here are those of the public ABI. Plans are found under a lock; a plan is used by one thread at a
 * time, as cuFFT demands.
 */
#ifndef CUFFT_CUFFT_H
#define CUFFT_CUFFT_H

#include "standin/libraries/cufft/kernels/work.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fft_status {
    FFT_SUCCESS = 0,
    FFT_INVALID_PLAN = 1,
    FFT_ALLOC_FAILED = 2,
    FFT_INVALID_TYPE = 3,
    FFT_INVALID_VALUE = 4,
    FFT_INTERNAL_ERROR = 5,
    FFT_EXEC_FAILED = 6,
    FFT_INVALID_SIZE = 8,
    FFT_NO_WORKSPACE = 13
};

#define DIMENSIONS 3
#define FFT_PROPERTIES 2

/* The tables of one length: for a line in shared memory its turns, else for Bluestein the chirps. */
struct fft_table {
    uint64_t n, m;          /* m: of Bluestein; 0 */
    void *turns;            /* device memory */
    void *chirps, *factors; /* the same */
    struct fft_table *next;
};

/* One side of a transform: strides in elements. */
struct fft_side {
    int64_t stride[DIMENSIONS], distance;
};

struct fft_plan {
    bool made, of_double, given; /* given: with a layout of the caller's */
    enum { KIND_C2C, KIND_R2C, KIND_C2R } kind;
    int rank;
    uint64_t n[DIMENSIONS], batch; /* the last of n is the innermost; those before the rank are 1 */
    struct fft_side in, out;
    cudaStream_t stream;
    struct fft_table *tables;
    bool allocates;
    void *work; /* device memory; NULL: none */
    bool owned; /* it is the plan's own */
    size_t work_bytes;
    long long properties[FFT_PROPERTIES];
};

/* The factors of n by radices of the kernels, at most MOST_RADICES; 0: a prime above 13 divides it. */
unsigned fft_factor(uint64_t n, unsigned radix[MOST_RADICES]);

/* The table of a length, made when it is first wanted; NULL: no memory. */
struct fft_table *fft_table_find(struct fft_plan *plan, uint64_t n);
void fft_tables_free(struct fft_plan *plan);

/* Executes a plan. `measure`: launches nothing, but makes the tables and fills in work_bytes. */
enum fft_status fft_run(struct fft_plan *plan, void *in, void *out, bool inverse, bool measure);

/* Numbers of a line that fits into shared memory. */
uint64_t fft_capacity(const struct fft_plan *plan);

#endif
