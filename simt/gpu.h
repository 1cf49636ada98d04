/*
 * The GPUs the model can be: a table of what their makers say of them, and the figures of the timing model.
 * Static data, any thread. Every figure has its source in gpu.c.
 */
#ifndef SIMT_GPU_H
#define SIMT_GPU_H

#include "core/device_info.h"
#include "simt/program.h"

struct gpu {
    const char *id;                         /* "h200", as --model takes it */
    struct device_info info;                /* is_model set */
    uint32_t l1_bytes_per_multiprocessor;   /* L1 and shared memory together, where they share */
    uint32_t issue_per_cycle;               /* warp instructions a multiprocessor issues per cycle */
    uint32_t lanes_per_cycle[CLASS_COUNT];  /* thread results per cycle and multiprocessor (CUDA Programming
                                               Guide, arithmetic throughput) */
    uint32_t lsu_wavefronts_per_cycle_x100; /* of an L1 */
    uint32_t l2_bytes_per_cycle;            /* all slices */
    uint32_t l1_latency_cycles, shared_latency_cycles, l2_latency_cycles, dram_latency_cycles;
    uint32_t launch_ns, call_ns;            /* of an empty kernel on the device; of an API call on the host */
    uint64_t host_link_bytes_per_second[2]; /* pageable, pinned */
    uint32_t copy_ns;                       /* of an empty copy */
};

const struct gpu *gpu_find(const char *id); /* NULL */
const struct gpu *gpu_at(size_t index);     /* NULL past the end; the first is the default */

#endif
