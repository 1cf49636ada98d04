/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of CUDA 12's runtime, as much of their types as a caller needs. */
#ifndef TESTS_STANDIN_OLDER_H
#define TESTS_STANDIN_OLDER_H

#include <stddef.h>

/* name, its parameters */
#define OLDER_FUNCTIONS(X)                                                                                   \
    X(cudaGetDeviceProperties, (void *properties, int device))                                               \
    X(cudaGetDeviceProperties_v2, (void *properties, int device))                                            \
    X(cudaGraphAddDependencies, (void *graph, const void *const *from, const void *const *to, size_t count)) \
    X(cudaGraphAddEmptyNode, (void **node, void *graph, void *const *dependencies, size_t count))            \
    X(cudaGraphDestroy, (void *graph))                                                                       \
    X(cudaGraphCreate, (void **graph, unsigned flags))                                                       \
    X(cudaMalloc, (void **pointer, size_t bytes))                                                            \
    X(cudaMallocManaged, (void **pointer, size_t bytes, unsigned flags))                                     \
    X(cudaMemAdvise, (const void *pointer, size_t bytes, int advice, int device))                            \
    X(cudaMemPrefetchAsync, (const void *pointer, size_t bytes, int device, void *stream))                   \
    X(cudaMemcpy, (void *to, const void *from, size_t bytes, int kind))                                      \
    X(cudaPointerGetAttributes, (void *attributes, const void *pointer))                                     \
    X(cudaStreamCreate, (void **stream))                                                                     \
    X(cudaStreamGetCaptureInfo, (void *stream, int *status, unsigned long long *id))                         \
    X(cudaThreadSynchronize, (void))

#define OLDER_DECLARE(name, parameters) int name parameters;
OLDER_FUNCTIONS(OLDER_DECLARE)
#undef OLDER_DECLARE

#endif
