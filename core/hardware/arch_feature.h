/*
 * One table: features of kernels that not every GPU has, and the compute capability that each needs. Sources:
 * CUDA C++ Programming Guide, "Features and Technical Specifications" (atomics, votes and doubles of 1.x and
 * 2.x: its editions 2.3 and 4.2), and PTX ISA 9.0, "Target ISA Notes", for what the guide leaves out.
 * Instructions that compilers for older GPUs replaced by others (bit fields, permutations, read-only loads)
 * are not in it. Static data, any thread.
 */
#ifndef CORE_HARDWARE_ARCH_FEATURE_H
#define CORE_HARDWARE_ARCH_FEATURE_H

#include <stdint.h>

/* Each text continues "the kernel uses". */
#define ARCH_FEATURE_LIST(X)                                                \
    X(GLOBAL_ATOMICS, 11, "atomics in global memory")                       \
    X(SHARED_ATOMICS, 12, "atomics in shared memory")                       \
    X(ATOMICS_64, 12, "64-bit atomics")                                     \
    X(SHARED_ATOMICS_64, 20, "64-bit atomics in shared memory")             \
    X(ATOMICS_64_LOGIC, 35, "64-bit atomics that compare or combine bits")  \
    X(FLOAT_ATOMICS, 20, "atomic additions of floats")                      \
    X(HALF_ATOMICS, 60, "atomic additions of halves")                       \
    X(DOUBLE_ATOMICS, 60, "atomic additions of doubles")                    \
    X(DOUBLE, 13, "doubles")                                                \
    X(HALF, 53, "arithmetic of halves")                                     \
    X(VOTE, 12, "votes of a warp")                                          \
    X(BALLOT, 20, "ballots of a warp")                                      \
    X(BARRIER_REDUCTION, 20, "barriers that count, or combine a condition") \
    X(PREFETCH, 20, "prefetching into a cache")                             \
    X(SHUFFLE, 30, "shuffles")                                              \
    X(NESTED_LAUNCH, 35, "launches of kernels by a kernel")                 \
    X(BYTE_PRODUCTS, 61, "dot products of bytes")                           \
    X(MATCH, 70, "matching lanes by value")                                 \
    X(NANOSLEEP, 70, "nanosleep")                                           \
    X(MATRICES, 70, "tensor cores")                                         \
    X(MATRICES_75, 75, "products of matrices of these types or shapes")     \
    X(MATRIX_LOADS, 75, "loads of matrices from shared memory")             \
    X(MATRICES_80, 80, "products of matrices of these types or shapes")     \
    X(MATRICES_90, 90, "products of matrices of doubles in this shape")     \
    X(MATRIX_STORES, 90, "stores of matrices to shared memory")             \
    X(WARP_REDUCTION, 80, "reductions of a warp in one instruction")        \
    X(ASYNC_COPY, 80, "asynchronous copies into shared memory")             \
    X(MBARRIER, 80, "barriers in shared memory (mbarrier)")                 \
    X(BULK_COPY, 90, "asynchronous copies in bulk")                         \
    X(CLUSTER, 90, "clusters of blocks")                                    \
    X(ELECT, 90, "electing a lane")
#define ARCH_FEATURE_ENUM(id, since, text) ARCH_FEATURE_##id,
enum arch_feature { ARCH_FEATURE_LIST(ARCH_FEATURE_ENUM) ARCH_FEATURE_COUNT };
#undef ARCH_FEATURE_ENUM

uint32_t arch_feature_since(enum arch_feature feature); /* a compute capability: 30 for 3.0 */
const char *arch_feature_text(enum arch_feature feature);

#endif
