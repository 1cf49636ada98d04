/* Programs that were built with CUDA 12: the functions that differ from CUDA 13's under the same name. */
#ifndef STANDIN_VERSIONS_CUDA_12_H
#define STANDIN_VERSIONS_CUDA_12_H

#include "standin/absent.h"

extern const struct standin_name cuda_12_functions[]; /* in ASCII order */
extern const size_t cuda_12_function_count;

#endif
