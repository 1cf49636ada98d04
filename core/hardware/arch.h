/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two tables. The first: the limits of each compute capability, and the rules by which its memory accesses
 * are counted. Static data, any thread. Sources: CUDA C++ Programming Guide, technical specifications per
 * compute capability (5.0 and later), and cuda_occupancy.h for the units of allocation; the course and the
 * occupancy calculator's tables for 1.x to 3.x; the rule sets: docs/rules.md.
 *
 * The second: features of kernels that not every GPU has, and the compute capability that each needs.
 * Sources: CUDA C++ Programming Guide, "Features and Technical Specifications" (atomics, votes and doubles
 * of 1.x and 2.x: its editions 2.3 and 4.2), and PTX ISA 9.0, "Target ISA Notes", for what the guide leaves
 * out. Instructions that compilers for older GPUs replaced by others (bit fields, permutations, read-only
 * loads) are not in it. Static data, any thread.
 */
#ifndef CORE_HARDWARE_ARCH_H
#define CORE_HARDWARE_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARCH_SHARED_CONFIGURATIONS 10

/* How a warp's access to global memory becomes memory transactions (core/hardware/coalesce). */
enum global_rules {
    GLOBAL_RULES_1_0, /* half-warps: one transaction if lane k accesses the k-th word of an aligned segment,
                         else one per lane */
    GLOBAL_RULES_1_2, /* half-warps: the fewest segments, each cut to the part that is used */
    GLOBAL_RULES_2_X, /* 128-byte lines of L1; 32-byte segments of L2 for stores and with L1 off */
    GLOBAL_RULES_3_X, /* 32-byte segments of L2; lines for local memory, and for all accesses if L1 is enabled
                         for loads */
    GLOBAL_RULES_5_X  /* 5.0 and later: whole warps, 32-byte sectors */
};

/* How a warp's access to shared memory becomes passes over the banks (core/hardware/bank). */
enum shared_rules {
    SHARED_RULES_1_X,        /* half-warps, 16 banks of 4 bytes, one word broadcast per pass */
    SHARED_RULES_2_X,        /* 32 banks of 4 bytes, any number of words broadcast */
    SHARED_RULES_3_X_32_BIT, /* 32 banks of 8 bytes, neighbouring 4-byte words in neighbouring banks */
    SHARED_RULES_3_X_64_BIT, /* the same banks, neighbouring 8-byte words in neighbouring banks */
    SHARED_RULES_5_X         /* 5.0 and later: as 2.x; wide loads that share addresses merge */
};

struct arch {
    uint32_t compute_capability; /* 90 for 9.0 */
    const char *name;            /* "Hopper" */
    const char
        *mode; /* NULL: the device's default; "no-l1" (2.x), "l1" (3.5, 3.7), "64-bit" (banks of 3.x) */
    enum global_rules global_rules;
    bool global_l1_opt_in; /* 3.x: -dlcm=ca makes L1 cache global loads */
    bool global_l1_off;    /* 2.x, compiled with -dlcm=cg */
    bool global_l1_on;     /* 3.5 and 3.7, compiled with -dlcm=ca */
    enum shared_rules shared_rules;
    uint32_t warp_lanes;
    uint32_t max_threads_per_block, max_blocks_per_multiprocessor, max_warps_per_multiprocessor,
        max_threads_per_multiprocessor;
    uint32_t registers_per_multiprocessor, max_registers_per_block, max_registers_per_thread;
    uint32_t register_unit, warp_allocation_unit; /* a warp's registers are allocated in this unit; warps per
                                                     block are rounded up to this */
    bool registers_by_block;        /* 1.x: register_unit counts for the whole block, not for each warp */
    uint32_t block_allocation_unit; /* a block's registers must also fit with its warps rounded up to this; 0:
                                       no second check */
    uint32_t shared_bytes_per_multiprocessor, shared_bytes_per_block, shared_bytes_per_block_optin;
    uint32_t shared_unit_bytes, shared_reserved_bytes_per_block;
    /* KiB of shared memory that the driver can set aside per multiprocessor, ascending, 0-terminated; empty:
     * fixed. 2.x: Fermi tuning guide; 3.x: CUDA C Programming Guide, Compute Capability 3.x */
    uint16_t shared_configurations_kib[ARCH_SHARED_CONFIGURATIONS];
    bool shared_fits_launch;   /* the driver sets aside what a launch's blocks need; else all that there is */
    uint32_t grids;            /* most kernels that run concurrently: one number for the generation */
    bool one_queue_per_engine; /* work starts in the order in which it was issued (before Hyper-Q) */
    uint32_t issue_slots;      /* warp instructions per cycle and multiprocessor, one per scheduler; 0 if a
                                  scheduler issues pairs, for which the advice has no rule */
    uint32_t banks, bank_bytes;
    /* additions, multiplications or fused multiply-adds per cycle and multiprocessor; 0: none */
    uint16_t float_lanes, double_lanes;
    /* the same of the tensor cores, in dense products in TF32; 0: none, or not known */
    uint16_t tf32_lanes;
    uint32_t sector_bytes, line_bytes;
};

/* The row for a compute capability (90), in the device's default mode, or the newest older row of the same
 * major version; NULL if there is none. */
const struct arch *arch_find(uint32_t compute_capability);
/* The rows of all compute capabilities, ascending; NULL past the end. */
const struct arch *arch_at(size_t index);
const struct arch *arch_rules_at(size_t index); /* the same, with the other modes of each row after it */

#define ARCH_TEXT_BYTES 32
/* "9.0", "3.5-64-bit": the form that --cc takes. */
void arch_text(const struct arch *arch, char text[ARCH_TEXT_BYTES]);
/* The row with this text; NULL if arch_list has no such row. */
const struct arch *arch_parse(const char *text);

#define ARCH_LIST_BYTES 256
/* "1.0, 1.1, 1.2 ... 12.1": all that arch_parse accepts, for a sentence; ARCH_LIST_BYTES are enough. */
void arch_list(char *text, size_t size_bytes);

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
