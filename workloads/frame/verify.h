/*
 * Compares a kernel's output with the CPU reference, word by word and bit by bit. Pure; any thread.
 */
#ifndef WORKLOADS_FRAME_VERIFY_H
#define WORKLOADS_FRAME_VERIFY_H

#include "workloads/frame/workload.h"

/*
 * Are `count` words of found, which begin at word `first` of the array called `name`, the wanted ones? If
 * not, result tells of the first that differs. Words are floats for the message. Sets result->verified to 0
 * and returns false then; else leaves it alone.
 */
bool verify_words(const char *name, size_t first, const void *found, const void *wanted, size_t count,
                  struct workload_result *result);

/* The same against a region that nobody may have written (WORKBENCH_POISON). */
bool verify_untouched(const char *name, size_t first, const void *found, size_t count,
                      struct workload_result *result);

/* Is found[i] = 2 x input[i] throughout? Sets result->verified to 1 if so. */
void verify_doubled(const float *input, const float *found, size_t count, struct workload_result *result);

/* For kernels whose order of additions or whose functions round otherwise than the reference: is each float
 * within relative x the larger of 1 and the wanted one? */
bool verify_close(const char *name, size_t first, const float *found, const float *wanted, size_t count,
                  double relative, struct workload_result *result);

#endif
