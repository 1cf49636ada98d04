/* The variant of staged-overlap whose copies and kernels are in the order of a file. One thread. */
#ifndef WORKLOADS_SET_STREAMS_HOST_ORDER_H
#define WORKLOADS_SET_STREAMS_HOST_ORDER_H

#include "workloads/frame/chunk.h"

/* A host order is checked, executed bench->rounds times, and its results are verified. words: a multiple of
 * ORDER_CHUNKS * CHUNK_WORDS_PER_BLOCK. */
enum status host_order_run(struct workbench *bench, size_t words, uint32_t rounds,
                           struct workload_result *result, struct error *error);

#endif
