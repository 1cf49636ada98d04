/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUDA's own libraries in place of a workload's kernels: the last variant of its ladder, one whose `library`
 * is set. The libraries are C++ and part of the toolkit; only the program lanescope-ladder (cli/ladder/)
 * contains them and runs those variants. In all other programs bench->library is NULL, and such a variant
 * fails with a sentence.
 *
 * Words are uint32_t, float in a product, and pairs of floats in a transform. One thread: the device's.
 */
#ifndef WORKLOADS_FRAME_LIBRARY_H
#define WORKLOADS_FRAME_LIBRARY_H

#include "core/base/error.h"
#include "core/hardware/device.h"

#include <stdbool.h>
#include <stdint.h>

enum library_routine {
    LIBRARY_REDUCE,    /* out: the sum of the words of in */
    LIBRARY_SCAN,      /* out: for each word of `in` the sum of the words before it */
    LIBRARY_SELECT,    /* out: the words of `in` that are below limit, in their order; other: their number */
    LIBRARY_SORT,      /* out: the words of `in` sorted by their lowest `bits`, stable */
    LIBRARY_HISTOGRAM, /* out: how often each of 0 ... bins-1 occurs in `in` */
    LIBRARY_MATMUL,    /* out: in x other, (rows x inner) x (inner x n), stored by rows */
    LIBRARY_FFT        /* out: for each row of n complex words its discrete Fourier transform */
};

struct library_call {
    enum library_routine routine;
    const device_pointer *out, *in, *other; /* where they stand when the call is made */
    uint64_t n;                             /* words of in; columns of a product; words of a row */
    uint32_t bits, bins, limit, rows, inner;
};

struct library {
    /* STATUS_UNSUPPORTED, with a sentence, if the routine's library is missing. */
    enum status (*find)(enum library_routine routine, struct error *error);
    /* On the default stream of the thread's current context. Can return before the device has finished. */
    enum status (*call)(const struct library_call *call, struct error *error);
};

struct workload_case;
struct workload_result;
struct workbench;

/* Is it a case of a library that is not available? Then result has the reason for not running it. */
bool library_missing(const struct workload_case *c, const struct workbench *bench,
                     enum library_routine routine, struct workload_result *result);

/* Calls it as often as the bench says. */
enum status library_launch(struct workbench *bench, const struct library_call *call, struct error *error);

#endif
