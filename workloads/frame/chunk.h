/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts that the stream workloads (n-way, staged-overlap, ...) share: the kernel `chunk`, its access
 * sites, its input, its reference.
 *
 * The input repeats after CHUNK_PERIOD words, so that the reference has that many results and not millions;
 * the period is prime and chunk sizes are no multiples of it, so that a chunk in the wrong place is detected.
 * One thread per bench.
 */
#ifndef WORKLOADS_FRAME_CHUNK_H
#define WORKLOADS_FRAME_CHUNK_H

#include "workloads/frame/workload.h"

#define CHUNK_BLOCK 256
#define CHUNK_WORDS_PER_THREAD 8
#define CHUNK_WORDS_PER_BLOCK (CHUNK_BLOCK * CHUNK_WORDS_PER_THREAD)
#define CHUNK_PERIOD 4093

/* Sites of a launch in which every thread takes CHUNK_WORDS_PER_THREAD words; c->grid is the launch's grid.
 */
extern const struct kernel_sites chunk_kernel;

/* The size parameters of both workloads, and their resolution: number of words, rounded down to a multiple of
 * `unit`; rounds. */
#define CHUNK_PARAM_N                                                                                       \
    {                                                                                                       \
        .name = "n", .meaning = "words in all, rounded down to equal chunks; 0: by the size of the device", \
        .unit = "words", .minimum = WORKLOAD_SIZE_AUTO, .maximum = 1 << 28, .standard = WORKLOAD_SIZE_AUTO  \
    }
#define CHUNK_FIRST_ROUNDS 32 /* of the lab's arrow keys */
#define CHUNK_PARAM_ROUNDS                                                                                   \
    {                                                                                                        \
        .name = "rounds",                                                                                    \
        .meaning = "multiplications and additions per word; 0: about as long as its copy, fewer if small",   \
        .unit = "rounds", .minimum = WORKLOAD_SIZE_AUTO, .maximum = 1 << 20, .standard = WORKLOAD_SIZE_AUTO, \
        .step = CHUNK_FIRST_ROUNDS, .doubles = true                                                          \
    }
void chunk_sizes_resolve(const struct workload_case *c, int64_t *n, int64_t *rounds, int64_t unit);

/* The kernel's arithmetic on the host, with bit-identical results. */
void chunk_compute(float *out, const float *in, size_t words, uint32_t rounds);

/* The input of a seed (workload_seed). */
void chunk_input_fill(float *values, size_t words, uint64_t seed);

/* Do the n words equal the kernel's results for the seed's input? */
void chunk_verify(const float *output, size_t n, uint32_t rounds, uint64_t seed,
                  struct workload_result *result);

/* Runs the kernel on words first ... first+words-1, on a stream. */
enum status chunk_launch(struct device *device, device_pointer out, device_pointer in, size_t first,
                         size_t words, uint32_t rounds, uint32_t blocks, uint64_t stream,
                         struct error *error);

#endif
