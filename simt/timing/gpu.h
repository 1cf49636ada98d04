/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The GPUs that can be modelled: a table of their published specifications and all constants of the timing
 * model. Static data, any thread. gpu.c has the source of every number. Facts of a compute capability, not of
 * a chip, are in core/hardware/arch.
 */
#ifndef SIMT_TIMING_GPU_H
#define SIMT_TIMING_GPU_H

#include "core/hardware/device_info.h"
#include "simt/count/cache.h"
#include "simt/lanes/program.h"

#include <stdbool.h>

/* What an API call costs the host. */
struct gpu_host_calls {
    uint32_t call_ns;          /* of most calls: enqueueing a copy or a memset, creating an event, freeing */
    uint32_t launch_ns;        /* of a kernel */
    uint32_t submit_ns;        /* from the end of a call to the start on the device */
    uint32_t sync_ns;          /* a wait, after what it waits for has ended */
    uint32_t order_ns;         /* recording an event, or making a stream wait for one */
    uint32_t unpin_ns;         /* freeing memory of the host */
    uint32_t pin_ns_per_4_kib; /* of host memory, page by page */
    uint32_t stream_ns;        /* making or ending one */
    uint32_t staging_ns;       /* pageable memory: until the first piece of a large copy starts */
    uint32_t staging_bytes;    /* the size of such a piece */
    uint32_t function_ns;      /* a host function in a stream, whatever its work */
};

/* The constants of simt/timing/timing.c that are in no document; docs/model.md describes how each was
 * determined. */
struct gpu_fit {
    double unit_power; /* of the norm that joins the roofs of a multiprocessor's units, and those of memory:
                          they work for the same instructions, and the highest counts */
    double join_power; /* of the norm that joins the two with latency and the starting of blocks, which
                          overlap as far as warps are apart */
    double
        far_latency; /* what a kernel's load waits for L2 and DRAM, in times of l2_ and dram_latency_cycles */
    double empty_ns; /* of the time to start and end a block: the places of its warps are empty */
    double last_wave_occupancy; /* mean of a last wave whose warps compete for issue slots: some end early */
    double blocks_per_cycle;    /* blocks that the device starts, of any size */
    uint32_t constant_passes;   /* cycles of the L1 for a pass of the constant cache */
    double atomic_input_share;  /* share of an atomic unit's cycles in which it accepts input */
    double atomic_float_passes; /* from an addition of floats to the next one in its sector */
    double atomic_sector_stores, atomic_again_stores; /* what a sector of an atomic, and a further pass over
                                                         one, take, in stores of a part of a sector */
    double lone_store; /* without a cache: what a lane's own transaction takes of DRAM, in those of a load */
};

struct gpu {
    const char *id;                       /* "h200", as --model takes it */
    struct device_info info;              /* is_model set; core clock: of what runs warps */
    uint32_t l1_bytes_per_multiprocessor; /* bytes of L1 and shared memory together; if they are separate, of
                                             L1 alone (l1_apart) */
    bool l1_apart;
    bool l1_holds_global;                   /* global loads use it by default */
    bool l1_fetches_lines;                  /* and not sectors (simt/count/cache.h) */
    bool arithmetic_waits_for_shared;       /* it does not run beside passes of shared memory */
    uint32_t issue_per_cycle;               /* warp instructions that a multiprocessor issues per cycle */
    uint32_t lanes_per_cycle[CLASS_COUNT];  /* thread results per cycle and multiprocessor */
    uint32_t multiply_lanes_per_cycle;      /* of 32-bit integers, likewise, on the integer units */
    bool multiplies_24_bits;                /* in one instruction, as fast as an addition */
    uint32_t lsu_wavefronts_per_cycle_x100; /* of an L1 */
    uint32_t texture_passes;                /* of the L1 for a warp's fetch */
    uint32_t l2_bytes_per_cycle;            /* all slices, at the core clock */
    uint32_t l2_slice_bytes_per_cycle;      /* one slice; 0 where there is no L2 */
    uint32_t l2_scattered_stores_per_cycle; /* all slices: sectors that a store writes in part */
    uint32_t l2_atomic_pass_cycles_x100;    /* of a slice's atomic unit: one lane for each word of a sector */
    struct cache_l2_rules l2;
    uint32_t dram_efficiency_pct; /* share of the theoretical bandwidth that a long copy reaches */
    /* From an instruction to the one that uses its result; a barrier: to the instruction after it. */
    uint32_t alu_latency_cycles, double_latency_cycles, special_latency_cycles, constant_latency_cycles,
        barrier_latency_cycles, branch_latency_cycles;
    uint32_t l1_latency_cycles, shared_latency_cycles, l2_latency_cycles, dram_latency_cycles;
    uint32_t launch_ns;               /* of an empty kernel on the device */
    uint32_t block_ns, block_warp_ns; /* to start a block on a multiprocessor where another has ended, and to
                                         end it: and for each of its warps */
    uint32_t handover_ns; /* from the end of work on one engine to the start of work that waits for it on
                             another */
    uint64_t host_link_bytes_per_second[2]; /* pageable, pinned */
    uint32_t link_latency_ns;               /* of a load from the host's memory */
    uint32_t copy_ns, set_ns;               /* of an empty one */
    struct gpu_host_calls host;
    struct gpu_fit fit;
};

/* What an allocation of device memory, or its free, costs the host; fresh: it takes another piece of
 * GPU_SMALL_PIECE_BYTES from the driver, or gives one back. Small allocations, below GPU_SMALL_BYTES, share
 * such pieces. */
#define GPU_SMALL_BYTES (UINT64_C(1) << 20)
#define GPU_SMALL_PIECE_BYTES (UINT64_C(2) << 20)
enum gpu_allocation { GPU_ALLOCATES, GPU_FREES };
uint32_t gpu_allocation_ns(enum gpu_allocation what, uint64_t bytes, bool fresh);

/* By its id or its name, in any case: "h200", "NVIDIA H200"; NULL: there is none. */
const struct gpu *gpu_find(const char *id);
/* The model of this chip: by its name, else of its compute capability; NULL: there is none. */
const struct gpu *gpu_like(const struct device_info *info);
const struct gpu *gpu_at(size_t index); /* NULL past the end; the first is the default */
/* The same by compute capability, the oldest first. */
const struct gpu *gpu_by_age(size_t index);

#endif
