/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lanescope-ladder: a program that contains CUDA's libraries and runs the workload variants that use them
 * (workloads/frame/library.h). lanescope starts it (cli/children/workload_child.h); it is a workload child like
 * any other. CUB is compiled in; cuBLAS is opened at run time for matrix products, cuFFT for transforms.
 */
#ifndef CLI_LADDER_LADDER_H
#define CLI_LADDER_LADDER_H

#include "workloads/frame/library.h"

/* The call of struct library, for CUB's routines. */
enum status ladder_cub(const struct library_call *call, struct error *error);

#endif
