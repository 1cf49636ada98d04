/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lanescope-ladder: a program that contains CUDA's libraries and runs the workload variants that use them
 * (workloads/frame/library.h). lanescope starts it (cli/children/libraries.h); it is a workload child like
 * any other. CUB is compiled in; cuBLAS is opened at run time for matrix products, cuFFT for transforms.
 */
#ifndef CLI_LADDER_LADDER_H
#define CLI_LADDER_LADDER_H

#include "workloads/frame/library.h"

/* The call of struct library, for CUB's routines. */
enum status ladder_cub(const struct library_call *call, struct error *error);

/* A function of a library, and where its address goes. */
struct ladder_function {
    const char *name;
    void *address; /* of a pointer to the function */
};

/* Opens a library of the toolkit and finds these functions. STATUS_UNSUPPORTED with a sentence if it or one
 * of them is missing. */
enum status ladder_open(const char *name, struct ladder_function *functions, size_t count,
                        struct error *error);

/* cuBLAS: whether it is there, and a matrix product. */
enum status ladder_cublas_find(struct error *error);
enum status ladder_cublas(const struct library_call *call, struct error *error);

/* cuFFT: the same, and a transform. */
enum status ladder_cufft_find(struct error *error);
enum status ladder_cufft(const struct library_call *call, struct error *error);

#endif
