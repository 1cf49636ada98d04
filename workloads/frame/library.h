/*
 * CUDA's own libraries in place of a workload's kernels: the last variant of its ladder, one whose `library`
 * is set. The libraries are C++ and part of the toolkit; only the program lanescope-ladder (cli/ladder/)
 * contains them and runs those variants. In all other programs bench->library is NULL, and such a variant
 * fails with a sentence.
 *
 * Words are uint32_t, or float in a product. One thread: the device's.
 */
#ifndef WORKLOADS_FRAME_LIBRARY_H
#define WORKLOADS_FRAME_LIBRARY_H

#include "core/base/error.h"
#include "core/hardware/device.h"

#include <stdbool.h>
#include <stdint.h>

enum library_routine {
    LIBRARY_REDUCE,    /* out: the sum of the words of in */
    LIBRARY_SCAN,      /* out: for each word of in the sum of those before it */
    LIBRARY_SELECT,    /* out: the words of in that are below limit, in their order; other: how many */
    LIBRARY_SORT,      /* out: the words of in by their lowest `bits`, stable */
    LIBRARY_HISTOGRAM, /* out: how often each of 0 ... bins-1 is in in */
    LIBRARY_MATMUL     /* out: in x other, rows x inner and inner x n, by rows */
};

struct library_call {
    enum library_routine routine;
    const device_pointer *out, *in, *other; /* where they stand when the call is made */
    uint64_t n;                             /* words of in; columns of a product */
    uint32_t bits, bins, limit, rows, inner;
};

struct library {
    /* UNSUPPORTED, with a sentence, where the routine's library is not there. */
    enum status (*find)(enum library_routine routine, struct error *error);
    /* On the default stream of the thread's current context. It may return before the device has ended. */
    enum status (*call)(const struct library_call *call, struct error *error);
};

struct workload_case;
struct workload_result;
struct workbench;

/* Is the case a library's, and that cannot be had here? Then result says why it was not run. */
bool library_missing(const struct workload_case *c, const struct workbench *bench,
                     enum library_routine routine, struct workload_result *result);

/* The call, as often as the bench says. */
enum status library_launch(struct workbench *bench, const struct library_call *call, struct error *error);

#endif
