/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What lanescope's own libraries share: each is a library like any other that a program links, calls CUDA's
 * API, which is the stand-in's, and runs kernels of its own, which are counted. Its PTX is part of it and is
 * loaded once. Any thread: kernels are found under a lock.
 */
#ifndef STANDIN_LIBRARIES_LAUNCH_H
#define STANDIN_LIBRARIES_LAUNCH_H

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

/* The text of a PTX file as the constant `name`, a string. */
#define EMBED_PTX(name, path)                                                                              \
    __asm__(".pushsection .rodata\n.balign 16\n" #name ":\n.incbin \"" path "\"\n.byte 0\n.popsection\n"); \
    extern const char name[]

#define LIBRARY_MODULES 2

/* A library defines this one. */
extern const struct kernel_library {
    const char *title; /* as NVIDIA writes it: "cuBLAS" */
    const char *ptx[LIBRARY_MODULES];
} kernel_library;

/* Loads the kernels, once. False: CUDA could not be initialised. */
bool library_load(void);

/* Launches the kernel lanescope_NAME, whose one argument is `work`. False: CUDA refused the launch. */
bool library_launch(cudaStream_t stream, const char *name, dim3 blocks, unsigned threads, const void *work);

/* Ends the run: lanescope's library does not have `what`. */
_Noreturn void library_refuse(const char *what);

#endif
