/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table behind simt/timing/gpu.h, one row a GPU, what a generation shares in one macro.
 *
 * Sources, by the letters at the rows:
 *   H  measured: the recording tests/data/h200.lsr and docs/model.md, which shows how
 *   G  CUDA C++ Programming Guide: arithmetic throughput (5.4.1 of the editions up to 12; for 1.x and 2.x the
 *      editions 2.3 and 4.2), __syncthreads throughput (5.4.3), latencies of arithmetic (5.2.3: 22 cycles on
 *      1.x and 2.x, 11 on 3.x, 6 on 5.x and 6.x, 4 since 7.0), bank width and clock (1.x and 2.x: 32 bits per
 *      two cycles)
 *   W  NVIDIA's own white papers and data sheets of the chip: multiprocessors, clocks, caches, bus
 *   L  Luo et al., Benchmarking and Dissecting the Nvidia Hopper GPU Architecture, 2024 (latencies of Ampere,
 *      Ada, Hopper)
 *   J  Jia et al., Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking, 2018, and the same of
 *      Turing, 2019 (latencies of Volta, Turing, Pascal, Maxwell, Kepler)
 *   B  CUDA C Best Practices Guide, figure 6: a copy on an M2090 with ECC, 130 GB/s aligned, 4/5 of it not
 *   O  Wong et al., Demystifying GPU Microarchitecture through Microbenchmarking, 2010 (latencies of GT200)
 *   D  stated defaults where none of these has a figure: DRAM latency 500 cycles, L2 250, a launch 3 us on
 *      the device, 90 % of the theoretical DRAM bandwidth, transfers at what PCIe of the time reaches, 1 us
 *      for a load that crosses it
 *   F  fitted on an H200 (docs/model.md) and taken over for every other GPU: for none of them has it been
 *      measured
 * The clock is the one that runs warps: the boost clock, on 1.x and 2.x the shader clock.
 *
 * Passes of atomics: H, 0.732 ns = 1.45 cycles (histogram:global, all values in one bin, 2026-11-21), taken
 * for all since 5.0. W: GK110's has one a cycle, nine times 2.x's; Fermi's is 20 times 1.x's at best.
 */
#include "simt/timing/gpu.h"

#include <string.h>
#include <strings.h>

#define KIB(n) ((n)*1024u)
#define MIB(n) (KIB(n) * 1024u)
#define GIB(n) (UINT64_C(n) << 30)
#define MHZ(n) ((n)*1000u)
#define GB_PER_SECOND(n) ((n)*UINT64_C(1000000000))

/* H: the medians of the calls in the recording. The host is the same for all. A host function: n-way's share
 * of the host at the small size, 384 rounds; beside an H200 1,024 of them took 470 us. */
#define HOST_CALLS                                              \
    .link_latency_ns = 1000, .host = {.call_ns = 2500,          \
                                      .submit_ns = 2000,        \
                                      .staging_ns = 65000,      \
                                      .staging_bytes = MIB(1),  \
                                      .function_ns = 150000,    \
                                      .launch_ns = 4400,        \
                                      .sync_ns = 900,           \
                                      .order_ns = 500,          \
                                      .unpin_ns = 200000,       \
                                      .pin_ns_per_4_kib = 1330, \
                                      .stream_ns = 2200}

/* H for the fifth; D: what a bandwidth test shows for pinned memory, about half of it for pageable. */
#define PCIE_1 .host_link_bytes_per_second = {GB_PER_SECOND(2), GB_PER_SECOND(3)}
#define PCIE_2 .host_link_bytes_per_second = {GB_PER_SECOND(3), GB_PER_SECOND(6)}
#define PCIE_3 .host_link_bytes_per_second = {GB_PER_SECOND(6), GB_PER_SECOND(12)}
#define PCIE_4 .host_link_bytes_per_second = {GB_PER_SECOND(12), GB_PER_SECOND(25)}
#define PCIE_5 .host_link_bytes_per_second = {GB_PER_SECOND(18), UINT64_C(55400000000)}

/* F, on the H200 itself H. Atomics: its L2 makes 4 passes in 5 cycles at most; the next addition of floats at
 * a sector after 1.76 ns; where the words are many 10.5 ps a sector, 22 to 26 ps each for passes at the same
 * ones (a store: 18.7). Constants: constant with 32 words. Blocks: block-size:copy and block-multiple with 32
 * to 192 threads, 1.65 blocks a ns. W: a multiprocessor has four texture units, each of which fetches for a
 * lane in a cycle (H100 white paper; taken over like the rest). L2, one pass with it empty: of 67 MB that a
 * copy writes 45.7 MB reach DRAM, so 21.4 MB of 60 are dirty at its end, 6 ways of 16; of sectors written in
 * part 7.5 MB are not yet completed (docs/model.md). */
#define FITTED_WITH(join, far, block, warp, branch, constant)                           \
    .l2.dirty_ways = 6, .l2.partial_ways = 2, .texture_passes = 8, .block_ns = (block), \
    .block_warp_ns = (warp), .branch_latency_cycles = (branch),                         \
    .fit = {.unit_power = 6,                                                            \
            .join_power = (join),                                                       \
            .far_latency = (far),                                                       \
            .empty_ns = 240,                                                            \
            .last_wave_occupancy = 0.65,                                                \
            .blocks_per_cycle = 0.83,                                                   \
            .constant_passes = (constant),                                              \
            .atomic_input_share = 0.8,                                                  \
            .atomic_float_passes = 2.4,                                                 \
            .atomic_sector_stores = 0.56,                                               \
            .atomic_again_stores = 1.25}
#define FITTED FITTED_WITH(2.05, 1.53, 0, 20, 24, 2)
/* Before 7.0 the documents' own figures are what there is, and M2090's were chosen with these: the highest
 * roof counts, and the time of a block holds what its loads wait beyond the published latency. */
#define FITTED_BEFORE FITTED_WITH(6, 1, 600, 0, 0, 2)
#define FITTED_FERMI FITTED_WITH(6, 1, 600, 0, 0, 1)

/* The latency of additions, by the row's source, and, D, multiples of it: doubles take 2 where a
 * multiprocessor has 32 lanes and more for them, else 10. */
#define ALU_LATENCY(cycles, double_multiple)                                               \
    .alu_latency_cycles = (cycles), .double_latency_cycles = (double_multiple) * (cycles), \
    .special_latency_cycles = 4 * (cycles), .constant_latency_cycles = 2 * (cycles),       \
    .barrier_latency_cycles = 5 * (cycles)

#define DEFAULTS HOST_CALLS, .launch_ns = 3000, .copy_ns = 5000, .set_ns = 3000, .handover_ns = 8000

/* G: thread results per cycle and multiprocessor. Integers since 7.0: 64 additions, shifts and comparisons,
 * and as many multiplications on a pipe of their own; ptxas gives each pipe half of them. Memory: the load
 * and store units. Control: as integers. Multiplications of 32-bit integers before 7.0: the
 * course's table has 2 for 1.3, 16 for 2.0, 32 for 3.5 and "several instructions" for 5.x and 6.x, three of
 * 16 bits (J). Matrix products, in m16n8k16 of halves or their equal: 1024 products of halves a cycle for 8.0
 * and mma of 9.0, 512 for 7.x, 8.6 and 8.9 (W), so a 16th of the arithmetic of halves. */
#define LANES(integer, multiply, float_, double_, half, special, convert, memory, barrier) \
    .lanes_per_cycle = {[CLASS_INTEGER] = (integer),                                       \
                        [CLASS_FLOAT] = (float_),                                          \
                        [CLASS_DOUBLE] = (double_),                                        \
                        [CLASS_HALF] = (half),                                             \
                        [CLASS_SPECIAL_FUNCTION] = (special),                              \
                        [CLASS_CONVERT] = (convert),                                       \
                        [CLASS_MEMORY] = (memory),                                         \
                        [CLASS_CONTROL] = (integer),                                       \
                        [CLASS_BARRIER] = (barrier),                                       \
                        [CLASS_MATRIX] = (half) / 16},                                     \
    .multiply_lanes_per_cycle = (multiply)

#define LIMITS(threads, blocks, per_block, registers, block_registers)                                     \
    .is_model = 1, .max_threads_per_multiprocessor = (threads), .max_blocks_per_multiprocessor = (blocks), \
    .max_threads_per_block = (per_block), .registers_per_multiprocessor = (registers),                     \
    .registers_per_block = (block_registers)
#define SHARED(all, block, optin, reserved)                                      \
    .shared_bytes_per_multiprocessor = (all), .shared_bytes_per_block = (block), \
    .shared_bytes_per_block_optin = (optin), .shared_bytes_reserved_per_block = (reserved)

/* 1.x: a warp instruction takes the eight cores four cycles, and one unit issues for the cores and for shared
 * memory, which arithmetic reads as an operand (docs/model.md). No cache for global memory. A copy whose words
 * all have transactions of their own, 32 bytes to read and 32 to write, reaches 7 GB/s on an 8800 GTX (G, the
 * best practices guide 4.2): fitted, all of it, in the transactions that write. */
#define TESLA                                                                                  \
    DEFAULTS, FITTED_BEFORE, PCIE_1,                                                           \
        .multiplies_24_bits = true, .arithmetic_waits_for_shared = true, .issue_per_cycle = 1, \
        .lsu_wavefronts_per_cycle_x100 = 50, .l2.fetch_bytes = 32, .dram_efficiency_pct = 90,  \
        .l2_atomic_pass_cycles_x100 = 36000, ALU_LATENCY(22, 10), .shared_latency_cycles = 38, \
        .dram_latency_cycles = 440, .fit.lone_store = 1.8
#define TESLA_LIMITS(threads, registers) \
    LIMITS(threads, 8, 512, registers, registers), SHARED(KIB(16), KIB(16), KIB(16), 0)
/* L1: Fermi tuning guide; a load that misses brings 128 bytes. L2: 384 bytes in a cycle of the chip's clock,
 * two of the shaders' (W: GTX 680's, which has 512 in a faster one, 73 % more), of which 73 % are reached,
 * and 77 % of the DRAM's bandwidth, with ECC, which costs about 20 %: B; without it 90 %, as of all others. Latency of L2: a quarter below the
 * DRAM's (the course). D: a word of the constant cache takes a pass, as one of L1 does. */
#define FERMI_WITH(efficiency)                                                                               \
    DEFAULTS, FITTED_FERMI, PCIE_2, LANES(32, 16, 32, 16, 32, 4, 16, 16, 16),                                \
        .l1_bytes_per_multiprocessor = KIB(64), .l1_holds_global = true, .l1_fetches_lines = true,           \
        .issue_per_cycle = 1, .lsu_wavefronts_per_cycle_x100 = 50, .l2_bytes_per_cycle = 140,                \
        .l2_slice_bytes_per_cycle = 32, .l2_scattered_stores_per_cycle = 2,                                  \
        .l2_atomic_pass_cycles_x100 = 1800, .l2.fetch_bytes = 32, .dram_efficiency_pct = (efficiency),       \
        ALU_LATENCY(22, 10), .l1_latency_cycles = 45, .shared_latency_cycles = 38, .l2_latency_cycles = 375, \
        .dram_latency_cycles = 500
#define FERMI FERMI_WITH(77)
#define FERMI_NO_ECC FERMI_WITH(90)
#define FERMI_LIMITS \
    .concurrent_kernels = 1, LIMITS(1536, 8, 1024, KIB(32), KIB(32)), SHARED(KIB(48), KIB(48), KIB(48), 0)
/* With ECC and without it. */
#define M2090(text, has_ecc)                \
    .info = {.name = text,                  \
             .chip = "GF110",               \
             .compute_capability = 20,      \
             .multiprocessors = 16,         \
             FERMI_LIMITS,                  \
             .l2_bytes = KIB(768),          \
             .memory_bus_bits = 384,        \
             .memory_clock_khz = MHZ(1848), \
             .core_clock_khz = MHZ(1301),   \
             .copy_engines = 2,             \
             .ecc = (has_ecc),              \
             .memory_bytes = GIB(6)}
#define C2050(text, has_ecc)                \
    .info = {.name = text,                  \
             .chip = "GF100",               \
             .compute_capability = 20,      \
             .multiprocessors = 14,         \
             FERMI_LIMITS,                  \
             .l2_bytes = KIB(768),          \
             .memory_bus_bits = 384,        \
             .memory_clock_khz = MHZ(1500), \
             .core_clock_khz = MHZ(1150),   \
             .copy_engines = 2,             \
             .ecc = (has_ecc),              \
             .memory_bytes = GIB(3)}
#define KEPLER                                                                                               \
    DEFAULTS, FITTED_BEFORE, .issue_per_cycle = 4, .lsu_wavefronts_per_cycle_x100 = 100,                     \
                             .l2.fetch_bytes = 32, .dram_efficiency_pct = 90,                                \
                             .l2_atomic_pass_cycles_x100 = 100, .l2_slice_bytes_per_cycle = 32,              \
                             .l1_latency_cycles = 35, .shared_latency_cycles = 26, .l2_latency_cycles = 200, \
                             .dram_latency_cycles = 500, .l1_bytes_per_multiprocessor = KIB(64)
#define KEPLER_LIMITS \
    .concurrent_kernels = 1, LIMITS(2048, 16, 1024, KIB(64), KIB(64)), SHARED(KIB(48), KIB(48), KIB(48), 0)
#define MAXWELL                                                                               \
    DEFAULTS, FITTED_BEFORE, PCIE_3,                                                          \
        .issue_per_cycle = 4, .lsu_wavefronts_per_cycle_x100 = 100, .l2.fetch_bytes = 32,     \
        .dram_efficiency_pct = 90, .l2_atomic_pass_cycles_x100 = 145, ALU_LATENCY(6, 10),     \
        .l2_slice_bytes_per_cycle = 32, .l1_latency_cycles = 82, .shared_latency_cycles = 24, \
        .l2_latency_cycles = 207, .dram_latency_cycles = 500, .l1_apart = true,               \
        LANES(128, 128 / 3, 128, 4, 128, 32, 32, 32, 64)
#define MAXWELL_LIMITS(shared) \
    .concurrent_kernels = 1, LIMITS(2048, 32, 1024, KIB(64), KIB(64)), SHARED(shared, KIB(48), KIB(48), 0)
/* 7.0 and later. */
#define MODERN                                                                                             \
    DEFAULTS, FITTED, .issue_per_cycle = 4, .lsu_wavefronts_per_cycle_x100 = 100, .l1_holds_global = true, \
                      .dram_efficiency_pct = 93, .l2_atomic_pass_cycles_x100 = 145
#define MODERN_LIMITS(threads, blocks) \
    .concurrent_kernels = 1, LIMITS(threads, blocks, 1024, KIB(64), KIB(64))

/* H: launch, copies, handover, the L2's bytes a cycle (zero-copy:copied, 16 reads) and its scattered stores.
 * L1 256 KB and FP throughput: W, G. Latencies: L (H100). */
#define GH100                                                                                               \
    HOST_CALLS, FITTED, PCIE_5, LANES(128, 128, 128, 64, 256, 16, 64, 32, 16),                              \
        .l1_bytes_per_multiprocessor = KIB(256), .l1_holds_global = true, .issue_per_cycle = 4,             \
        .lsu_wavefronts_per_cycle_x100 = 100, .l2_bytes_per_cycle = 3600, .l2_slice_bytes_per_cycle = 64,   \
        .l2_scattered_stores_per_cycle = 27, .l2_atomic_pass_cycles_x100 = 145, .l2.fetch_bytes = 64,       \
        .dram_efficiency_pct = 93, ALU_LATENCY(4, 2), .l1_latency_cycles = 41, .shared_latency_cycles = 29, \
        .l2_latency_cycles = 263, .dram_latency_cycles = 479, .launch_ns = 700, .handover_ns = 8000,        \
        .copy_ns = 1700, .set_ns = 700

static const struct gpu gpus[] = {
    /* H: all of info is the recording's device row. */
    {.id = "h200",
     .info = {.name = "NVIDIA H200",
              .chip = "GH100",
              .compute_capability = 90,
              .multiprocessors = 132,
              MODERN_LIMITS(2048, 32),
              SHARED(KIB(228), KIB(48), KIB(227), KIB(1)),
              .l2_bytes = MIB(60),
              .memory_bus_bits = 6016,
              .memory_clock_khz = MHZ(3201),
              .core_clock_khz = MHZ(1980),
              .copy_engines = 3,
              .ecc = 1,
              .memory_bytes = UINT64_C(150109880320)},
     GH100},
    /* H: info is the device row of tests/data/times_h100.lsr. All else is the H200's, of the same chip:
     * nothing was fitted on an H100. */
    {.id = "h100",
     .info = {.name = "NVIDIA H100 80GB HBM3",
              .chip = "GH100",
              .compute_capability = 90,
              .multiprocessors = 132,
              MODERN_LIMITS(2048, 32),
              SHARED(KIB(228), KIB(48), KIB(227), KIB(1)),
              .l2_bytes = MIB(50),
              .memory_bus_bits = 5120,
              .memory_clock_khz = MHZ(2619),
              .core_clock_khz = MHZ(1980),
              .copy_engines = 3,
              .ecc = 1,
              .memory_bytes = UINT64_C(85017493504)},
     GH100},
    /* W: A100 white paper, SXM4 80 GB. Latencies: L. */
    {.id = "a100",
     .info = {.name = "NVIDIA A100-SXM4-80GB",
              .chip = "GA100",
              .compute_capability = 80,
              .multiprocessors = 108,
              MODERN_LIMITS(2048, 32),
              SHARED(KIB(164), KIB(48), KIB(163), KIB(1)),
              .l2_bytes = MIB(40),
              .memory_bus_bits = 5120,
              .memory_clock_khz = MHZ(1593),
              .core_clock_khz = MHZ(1410),
              .copy_engines = 3,
              .ecc = 1,
              .memory_bytes = GIB(80)},
     MODERN,
     PCIE_4,
     LANES(128, 128, 64, 32, 256, 16, 64, 32, 16),
     .l1_bytes_per_multiprocessor = KIB(192),
     .l2_bytes_per_cycle = 5120,
     .l2_slice_bytes_per_cycle = 64,
     .l2_scattered_stores_per_cycle = 31,
     .l2.fetch_bytes = 64,
     ALU_LATENCY(4, 2),
     .l1_latency_cycles = 38,
     .shared_latency_cycles = 29,
     .l2_latency_cycles = 262,
     .dram_latency_cycles = 466},
    /* W: V100 white paper, SXM2 16 GB; L2 width: A100's white paper. Latencies: J; DRAM: D. */
    {.id = "v100",
     .info = {.name = "Tesla V100-SXM2-16GB",
              .chip = "GV100",
              .compute_capability = 70,
              .multiprocessors = 80,
              MODERN_LIMITS(2048, 32),
              SHARED(KIB(96), KIB(48), KIB(96), 0),
              .l2_bytes = MIB(6),
              .memory_bus_bits = 4096,
              .memory_clock_khz = MHZ(877),
              .core_clock_khz = MHZ(1530),
              .copy_engines = 2,
              .ecc = 1,
              .memory_bytes = GIB(16)},
     MODERN,
     PCIE_3,
     LANES(128, 128, 64, 32, 128, 16, 16, 32, 16),
     .l1_bytes_per_multiprocessor = KIB(128),
     .l2_bytes_per_cycle = 2048,
     .l2_slice_bytes_per_cycle = 32,
     .l2_scattered_stores_per_cycle = 16,
     .l2.fetch_bytes = 32,
     ALU_LATENCY(4, 2),
     .l1_latency_cycles = 28,
     .shared_latency_cycles = 19,
     .l2_latency_cycles = 193,
     .dram_latency_cycles = 500},
    /* W: Ada white paper. Latencies: L. */
    {.id = "rtx4090",
     .info = {.name = "NVIDIA GeForce RTX 4090",
              .chip = "AD102",
              .compute_capability = 89,
              .multiprocessors = 128,
              MODERN_LIMITS(1536, 24),
              SHARED(KIB(100), KIB(48), KIB(99), KIB(1)),
              .l2_bytes = MIB(72),
              .memory_bus_bits = 384,
              .memory_clock_khz = MHZ(10501),
              .core_clock_khz = MHZ(2520),
              .copy_engines = 2,
              .memory_bytes = GIB(24)},
     MODERN,
     PCIE_4,
     LANES(128, 128, 128, 2, 128, 16, 64, 32, 16),
     .l1_bytes_per_multiprocessor = KIB(128),
     .l2_bytes_per_cycle = 2048,
     .l2_slice_bytes_per_cycle = 64,
     .l2_scattered_stores_per_cycle = 16,
     .l2.fetch_bytes = 32,
     ALU_LATENCY(4, 10),
     .l1_latency_cycles = 43,
     .shared_latency_cycles = 30,
     .l2_latency_cycles = 273,
     .dram_latency_cycles = 542},
    /* W: Turing white paper and T4 data sheet. Latencies: J; DRAM: D. */
    {.id = "t4",
     .info = {.name = "Tesla T4",
              .chip = "TU104",
              .compute_capability = 75,
              .multiprocessors = 40,
              MODERN_LIMITS(1024, 16),
              SHARED(KIB(64), KIB(48), KIB(64), 0),
              .l2_bytes = MIB(4),
              .memory_bus_bits = 256,
              .memory_clock_khz = MHZ(5001),
              .core_clock_khz = MHZ(1590),
              .copy_engines = 3,
              .ecc = 1,
              .memory_bytes = GIB(16)},
     MODERN,
     PCIE_3,
     LANES(128, 128, 64, 2, 128, 16, 16, 32, 16),
     .l1_bytes_per_multiprocessor = KIB(96),
     .l2_bytes_per_cycle = 1024,
     .l2_slice_bytes_per_cycle = 32,
     .l2_scattered_stores_per_cycle = 8,
     .l2.fetch_bytes = 32,
     ALU_LATENCY(4, 10),
     .l1_latency_cycles = 32,
     .shared_latency_cycles = 19,
     .l2_latency_cycles = 188,
     .dram_latency_cycles = 500},
    /* W: RTX Blackwell white paper. Latencies: Ada's. */
    {.id = "rtx5090",
     .info = {.name = "NVIDIA GeForce RTX 5090",
              .chip = "GB202",
              .compute_capability = 120,
              .multiprocessors = 170,
              MODERN_LIMITS(1536, 24),
              SHARED(KIB(100), KIB(48), KIB(99), KIB(1)),
              .l2_bytes = MIB(96),
              .memory_bus_bits = 512,
              .memory_clock_khz = MHZ(14001),
              .core_clock_khz = MHZ(2407),
              .copy_engines = 2,
              .memory_bytes = GIB(32)},
     MODERN,
     PCIE_5,
     LANES(128, 128, 128, 2, 128, 16, 64, 32, 16),
     .l1_bytes_per_multiprocessor = KIB(128),
     .l2_bytes_per_cycle = 2560,
     .l2_slice_bytes_per_cycle = 64,
     .l2_scattered_stores_per_cycle = 20,
     .l2.fetch_bytes = 32,
     ALU_LATENCY(4, 10),
     .l1_latency_cycles = 43,
     .shared_latency_cycles = 30,
     .l2_latency_cycles = 273,
     .dram_latency_cycles = 542},
    /* W: GTX 1080 white paper. Global loads are left to L2 unless asked for: Pascal tuning guide. */
    {.id = "gtx1080",
     .info = {.name = "GeForce GTX 1080",
              .chip = "GP104",
              .compute_capability = 61,
              .multiprocessors = 20,
              MAXWELL_LIMITS(KIB(96)),
              .l2_bytes = MIB(2),
              .memory_bus_bits = 256,
              .memory_clock_khz = MHZ(5005),
              .core_clock_khz = MHZ(1733),
              .copy_engines = 2,
              .memory_bytes = GIB(8)},
     MAXWELL,
     .l1_bytes_per_multiprocessor = KIB(48),
     .l2_bytes_per_cycle = 512,
     .l2_scattered_stores_per_cycle = 4},
    /* W: P100 white paper. G: half the lanes of 6.1 a multiprocessor. */
    {.id = "p100",
     .info = {.name = "Tesla P100-SXM2-16GB",
              .chip = "GP100",
              .compute_capability = 60,
              .multiprocessors = 56,
              MAXWELL_LIMITS(KIB(64)),
              .l2_bytes = MIB(4),
              .memory_bus_bits = 4096,
              .memory_clock_khz = MHZ(715),
              .core_clock_khz = MHZ(1480),
              .copy_engines = 2,
              .ecc = 1,
              .memory_bytes = GIB(16)},
     DEFAULTS,
     FITTED_BEFORE,
     PCIE_3,
     LANES(64, 64 / 3, 64, 32, 128, 16, 16, 16, 32),
     .l1_bytes_per_multiprocessor = KIB(24),
     .l1_apart = true,
     .l1_holds_global = true,
     .issue_per_cycle = 2,
     .lsu_wavefronts_per_cycle_x100 = 100,
     .l2_bytes_per_cycle = 1024,
     .l2_slice_bytes_per_cycle = 32,
     .l2_scattered_stores_per_cycle = 8,
     .l2_atomic_pass_cycles_x100 = 145,
     .l2.fetch_bytes = 32,
     .dram_efficiency_pct = 90,
     ALU_LATENCY(6, 2),
     .l1_latency_cycles = 82,
     .shared_latency_cycles = 24,
     .l2_latency_cycles = 234,
     .dram_latency_cycles = 500},
    /* W: GTX 980 white paper. */
    {.id = "gtx980",
     .info = {.name = "GeForce GTX 980",
              .chip = "GM204",
              .compute_capability = 52,
              .multiprocessors = 16,
              MAXWELL_LIMITS(KIB(96)),
              .l2_bytes = MIB(2),
              .memory_bus_bits = 256,
              .memory_clock_khz = MHZ(3505),
              .core_clock_khz = MHZ(1216),
              .copy_engines = 2,
              .memory_bytes = GIB(4)},
     MAXWELL,
     .l1_bytes_per_multiprocessor = KIB(48),
     .l2_bytes_per_cycle = 512,
     .l2_scattered_stores_per_cycle = 4},
    /* W: GTX 750 Ti white paper. */
    {.id = "gtx750ti",
     .info = {.name = "GeForce GTX 750 Ti",
              .chip = "GM107",
              .compute_capability = 50,
              .multiprocessors = 5,
              MAXWELL_LIMITS(KIB(64)),
              .l2_bytes = MIB(2),
              .memory_bus_bits = 128,
              .memory_clock_khz = MHZ(2700),
              .core_clock_khz = MHZ(1085),
              .copy_engines = 1,
              .memory_bytes = GIB(2)},
     MAXWELL,
     .l1_bytes_per_multiprocessor = KIB(24),
     .l2_bytes_per_cycle = 256,
     .l2_scattered_stores_per_cycle = 2},
    /* W: GK110 white paper, K20X board specification. L1 holds local memory only. */
    {.id = "k20x",
     .info = {.name = "Tesla K20Xm",
              .chip = "GK110",
              .compute_capability = 35,
              .multiprocessors = 14,
              KEPLER_LIMITS,
              .l2_bytes = KIB(1536),
              .memory_bus_bits = 384,
              .memory_clock_khz = MHZ(2600),
              .core_clock_khz = MHZ(732),
              .copy_engines = 2,
              .ecc = 1,
              .memory_bytes = GIB(6)},
     KEPLER,
     PCIE_2,
     LANES(160, 32, 192, 64, 192, 32, 32, 32, 128),
     ALU_LATENCY(11, 2),
     .l2_bytes_per_cycle = 384,
     .l2_scattered_stores_per_cycle = 3},
    /* W: GTX 680 white paper. Not verified: one copy engine, on which the order of issue depends
     * (docs/model.md). */
    {.id = "gtx680",
     .info = {.name = "GeForce GTX 680",
              .chip = "GK104",
              .compute_capability = 30,
              .multiprocessors = 8,
              KEPLER_LIMITS,
              .l2_bytes = KIB(512),
              .memory_bus_bits = 256,
              .memory_clock_khz = MHZ(3004),
              .core_clock_khz = MHZ(1058),
              .copy_engines = 1,
              .memory_bytes = GIB(2)},
     KEPLER,
     PCIE_3,
     LANES(160, 32, 192, 8, 192, 32, 32, 32, 128),
     ALU_LATENCY(11, 10),
     .l2_bytes_per_cycle = 512,
     .l2_scattered_stores_per_cycle = 4},
    /* W: Fermi white paper, M2090 board specification. Global loads go through L1: Fermi tuning guide. */
    {.id = "m2090", M2090("Tesla M2090", 1), FERMI},
    {.id = "m2090-no-ecc", M2090("Tesla M2090, ECC off", 0), FERMI_NO_ECC},
    /* W: Fermi white paper, C2050 board specification: the course's GPU. */
    {.id = "c2050", C2050("Tesla C2050", 1), FERMI},
    {.id = "c2050-no-ecc", C2050("Tesla C2050, ECC off", 0), FERMI_NO_ECC},
    /* W: GTX 200 technical brief. G, O. */
    {.id = "gtx280",
     .info = {.name = "GeForce GTX 280",
              .chip = "GT200",
              .compute_capability = 13,
              .multiprocessors = 30,
              TESLA_LIMITS(1024, KIB(16)),
              .memory_bus_bits = 512,
              .memory_clock_khz = MHZ(1107),
              .core_clock_khz = MHZ(1296),
              .copy_engines = 1,
              .memory_bytes = GIB(1)},
     TESLA,
     LANES(8, 2, 8, 1, 8, 2, 8, 8, 8)},
    /* W: GeForce 9800 GT specifications. */
    {.id = "9800gt",
     .info = {.name = "GeForce 9800 GT",
              .chip = "G92",
              .compute_capability = 11,
              .multiprocessors = 14,
              TESLA_LIMITS(768, KIB(8)),
              .memory_bus_bits = 256,
              .memory_clock_khz = MHZ(900),
              .core_clock_khz = MHZ(1500),
              .copy_engines = 1,
              .memory_bytes = MIB(512)},
     TESLA,
     LANES(8, 2, 8, 0, 8, 2, 8, 8, 8)},
    /* W: GeForce 8800 technical brief. No copy beside a kernel on 1.0: no copy engine of its own. */
    {.id = "8800gtx",
     .info = {.name = "GeForce 8800 GTX",
              .chip = "G80",
              .compute_capability = 10,
              .multiprocessors = 16,
              TESLA_LIMITS(768, KIB(8)),
              .memory_bus_bits = 384,
              .memory_clock_khz = MHZ(900),
              .core_clock_khz = MHZ(1350),
              .memory_bytes = MIB(768)},
     TESLA,
     LANES(8, 2, 8, 0, 8, 2, 8, 8, 8)},
};

/* Measured on an H100 (driver 580, CUDA 13.0), means of cudaMalloc and cudaFree: 20 allocations of 4 bytes in
 * a row, which share a piece, took 7.6 and 5.8 us each, and one that is freed before the next 41 and 37; so
 * the other 19 take 5.8 and 4.2. The host is the same for all GPUs. */
static const struct {
    uint64_t bytes;
    uint32_t ns[2]; /* by enum gpu_allocation */
} allocations[] = {{0, {5800, 4200}},
                   {GPU_SMALL_BYTES, {22000, 17000}},
                   {MIB(16), {39000, 40000}},
                   {MIB(256), {53000, 117000}},
                   {GIB(1), {110000, 371000}}};
static const uint32_t fresh_ns[2] = {41000, 37000};

uint32_t gpu_allocation_ns(enum gpu_allocation what, uint64_t bytes, bool fresh)
{
    const size_t last = sizeof allocations / sizeof *allocations - 1;
    size_t at = 1;

    if (bytes < GPU_SMALL_BYTES)
        return fresh ? fresh_ns[what] : allocations[0].ns[what];
    while (at < last && bytes > allocations[at].bytes)
        at++;
    double low = allocations[at - 1].ns[what], high = allocations[at].ns[what];
    double ns = low + (high - low) * (double)(bytes - allocations[at - 1].bytes) /
                          (double)(allocations[at].bytes - allocations[at - 1].bytes);
    return ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
}

const struct gpu *gpu_at(size_t index)
{
    return index < sizeof gpus / sizeof *gpus ? &gpus[index] : NULL;
}

const struct gpu *gpu_by_age(size_t index)
{
    const size_t count = sizeof gpus / sizeof *gpus;

    for (size_t i = 0; i < count; i++) {
        size_t older = 0;

        for (size_t k = 0; k < count; k++)
            older += gpus[k].info.compute_capability < gpus[i].info.compute_capability ||
                     (gpus[k].info.compute_capability == gpus[i].info.compute_capability && k < i);
        if (older == index)
            return &gpus[i];
    }
    return NULL;
}

const struct gpu *gpu_find(const char *id)
{
    for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++)
        if (strcasecmp(gpus[i].id, id) == 0 || strcasecmp(gpus[i].info.name, id) == 0)
            return &gpus[i];
    return NULL;
}

const struct gpu *gpu_like(const struct device_info *info)
{
    const struct gpu *found = gpu_find(info->name);
    for (size_t i = 0; i < sizeof gpus / sizeof *gpus && !found; i++)
        if (gpus[i].info.compute_capability == info->compute_capability)
            found = &gpus[i];
    return found;
}
