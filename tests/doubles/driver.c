/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for libcuda as the workloads' device opens it (workloads/cuda/cuda.h), on LANESCOPE_DOUBLE_GPUS
 * GPUs: contexts are made, each with a line in the file DRIVER_DOUBLE_LOG, and everything after that is
 * refused for want of memory.
 */
#include "workloads/cuda/cuda_driver.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

/* What is not in driver_gpus.c. */
#define REFUSED(name, arguments)             \
    int name arguments;                      \
    __attribute__((weak)) int name arguments \
    {                                        \
        return CUDA_RESULT_OUT_OF_MEMORY;    \
    }
CUDA_DRIVER_FUNCTIONS(REFUSED)
#undef REFUSED
