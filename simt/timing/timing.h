/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Estimates the time of a kernel on a modelled GPU: a documented analytical model, a roofline of several
 * roofs with latency over occupancy. Pure but for memory it works in; any thread. docs/model.md derives it
 * and shows it beside an H200's times.
 */
#ifndef SIMT_TIMING_TIMING_H
#define SIMT_TIMING_TIMING_H

#include "simt/count/cache.h"
#include "simt/count/count.h"
#include "simt/timing/gpu.h"

#define TIMING_ROOF_LIST(X)                   \
    X(LAUNCH, "launch")                       \
    X(ISSUE, "instruction issue")             \
    X(ARITHMETIC, "arithmetic")               \
    X(LSU, "L1 and shared-memory wavefronts") \
    X(L2, "L2 bandwidth")                     \
    X(ATOMICS, "atomics on few words")        \
    X(DRAM, "DRAM bandwidth")                 \
    X(LINK, "the bus to the host")            \
    X(BLOCKS, "starting blocks")              \
    X(LATENCY, "latency: too few warps")
#define TIMING_ENUM(id, text) TIMING_##id,
enum timing_roof { TIMING_ROOF_LIST(TIMING_ENUM) TIMING_ROOF_COUNT };
#undef TIMING_ENUM
const char *timing_roof_text(enum timing_roof roof);

struct timing_input {
    const struct gpu *gpu;
    const struct counter *counter;
    const struct count_totals *totals; /* of the counter */
    const struct cache_counts *caches; /* NULL: not known; all loads are assumed to miss */
    uint64_t blocks;
    uint32_t threads_per_block;
    uint32_t spilled_bytes[2]; /* per thread, of the instructions that load and store what has no register:
                                  the compiler's figures */
    uint32_t resident_blocks;  /* per multiprocessor, from core/hardware/occupancy; at least 1 */
};

struct timing {
    double ns; /* of the whole kernel, including the launch */
    double roof_ns[TIMING_ROOF_COUNT];
    enum timing_roof bound; /* the longest */
    double achieved_occupancy_pct;
    double cycles_per_issue;        /* of a resident warp, from one of its instructions to the next one */
    double memory_cycles_per_issue; /* of these, cycles of waiting for global, local or texture memory */
    double atomic_busiest_pct;      /* passes of the busiest slice of L2, as a share of the time */
    double waves;                   /* blocks over those resident at once */
    double multiprocessor_share; /* share of the device that a launch alone keeps busy, 0 ... 1: for kernels
                                    that run side by side */
};

/* STATUS_MEMORY. */
enum status timing_estimate(const struct timing_input *input, struct timing *timing, struct error *error);

#endif
