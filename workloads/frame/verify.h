/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares a kernel's output with the CPU reference, word by word and bit by bit. Pure; any thread.
 */
#ifndef WORKLOADS_FRAME_VERIFY_H
#define WORKLOADS_FRAME_VERIFY_H

#include "workloads/frame/workload.h"

/* Are `count` words of found, which begin at word `first` of the array called `name`, equal to the wanted
 * ones? If not, result describes the first one that differs. The message shows words as floats. Sets
 * result->verified to 0 and returns false then; otherwise leaves it unchanged. */
bool verify_words(const char *name, size_t first, const void *found, const void *wanted, size_t count,
                  struct workload_result *result);

/* The same for a region that nothing may have written (WORKBENCH_POISON). */
bool verify_untouched(const char *name, size_t first, const void *found, size_t count,
                      struct workload_result *result);

/* Is found[i] = 2 x input[i] for all i? Sets result->verified to 1 if so. */
void verify_doubled(const float *input, const float *found, size_t count, struct workload_result *result);

/* For kernels that add in another order or round differently from the reference: is the error of each float
 * at most relative x max(1, wanted)? */
bool verify_close(const char *name, size_t first, const float *found, const float *wanted, size_t count,
                  double relative, struct workload_result *result);

#endif
