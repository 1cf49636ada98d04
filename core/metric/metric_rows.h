/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The catalogue of metrics: one row each, in the order of panels and tables. All that lanescope knows about a
 * metric is in its row; tests/tools/print_rows.c writes docs/metrics.md from the rows.
 * Included more than once, with METRIC(id, fields...) defined by the including file: core/metric/metric.h
 * (the enum) and core/metric/metric.c (the table; the fields are those of struct metric_info). To add a
 * metric, add a row.
 */
/* clang-format off */ /* a table */

METRIC(time_ns,
    .title = "median time", .brief = "med. time", .unit = "ns",
    .group = METRIC_GROUP_TIME, .better = METRIC_LOWER,
    .meaning = "time on the GPU, from the first block's start to the last block's end",
    .formula = "end - start of the kernel record of the trace run; where there is none, "
               "gpu__time_duration of the counter run",
    .how = HOW_TIME, .runs = METRIC_OF_TRACE | METRIC_OF_MEMORY,
    .counters = {COUNTER_TIME})

METRIC(effective_bandwidth_bytes_per_second,
    .title = "effective bandwidth", .brief = "eff. BW", .unit = "B/s",
    .group = METRIC_GROUP_TIME, .better = METRIC_HIGHER, .derived = true,
    .meaning = "bytes per second that the algorithm must read and write: the useful part of the "
               "traffic",
    .formula = "bytes the algorithm reads and writes / time; above the theoretical bandwidth where "
               "caches served a part",
    .taught = "copy-offset",
    .how = HOW_EFFECTIVE_BANDWIDTH, .runs = METRIC_OF_TRACE)

METRIC(dram_bandwidth_bytes_per_second,
    .title = "DRAM bandwidth", .brief = "DRAM BW", .unit = "B/s",
    .group = METRIC_GROUP_TIME, .better = METRIC_NEITHER, .derived = true,
    .meaning = "bytes per second that device memory moved, wasted bytes included: more is not better",
    .formula = "(DRAM bytes read + written) / time, of one launch; the useful part is the effective "
               "bandwidth",
    .taught = "copy-stride",
    .how = HOW_DRAM_BANDWIDTH, .runs = METRIC_OF_MEMORY,
    .counters = {COUNTER_DRAM_READ, COUNTER_DRAM_WRITE, COUNTER_TIME})

METRIC(theoretical_bandwidth_bytes_per_second,
    .title = "theoretical bandwidth", .brief = "theo. BW", .unit = "B/s",
    .group = METRIC_GROUP_TIME, .better = METRIC_NEITHER, .derived = true,
    .meaning = "bytes per second that device memory can move; about nine tenths are attainable",
    .formula = "memory clock x bus width x 2 / 8, of the device",
    .taught = "copy-offset",
    .how = HOW_LAUNCH, .fact = FACT_BANDWIDTH)

/* Loads, and stores. */
#define GLOBAL_ROWS(direction, DIRECTION, accesses_of, op, verb, past, instructions, lesson) \
    METRIC(global_##direction##_requests, \
        .title = #direction " requests", .brief = #op " requests", .unit = "requests", \
        .group = METRIC_GROUP_GLOBAL, .better = METRIC_LOWER, .exact = true, \
        .meaning = "warp instructions that " verb " global memory with at least one active lane", \
        .formula = "counted: L1 requests of " instructions, \
        .taught = lesson, \
        .how = HOW_ACCESSES, .accesses = {ACCESS_GLOBAL, accesses_of, QUANTITY_REQUESTS}, \
        .counters = {COUNTER_GLOBAL_REQUESTS(op)}) \
    METRIC(global_##direction##_sectors, \
        .title = #direction " sectors", .brief = #op " sectors", .unit = "sectors", \
        .group = METRIC_GROUP_GLOBAL, .better = METRIC_LOWER, .exact = true, \
        .meaning = "32-byte pieces of memory that these requests touch", \
        .formula = "counted: instrumented sectors of " instructions, \
        .taught = lesson, \
        .how = HOW_ACCESSES, .accesses = {ACCESS_GLOBAL, accesses_of, QUANTITY_TRANSFERS}, \
        .counters = {DIRECTION##_SECTORS}) \
    METRIC(global_##direction##_ideal_sectors, \
        .title = "ideal " #direction " sectors", .brief = #op " ideal", .unit = "sectors", \
        .group = METRIC_GROUP_GLOBAL, .better = METRIC_NEITHER, .derived = true, \
        .meaning = "the fewest sectors that can hold the bytes that the lanes want", \
        .formula = "sum over requests of ceil(distinct bytes / 32), computed from the sums of bytes, " \
                   "requests and widths: exact when all lanes are active; otherwise the largest value " \
                   "that the sums allow, so that excess is never overstated", \
        .taught = lesson, \
        .how = HOW_ACCESSES, .accesses = {ACCESS_GLOBAL, accesses_of, QUANTITY_IDEAL}, \
        .counters = {DIRECTION##_IDEAL}) \
    METRIC(global_##direction##_excess_sectors, \
        .title = "excess " #direction " sectors", .brief = #op " excess", .unit = "sectors", \
        .group = METRIC_GROUP_GLOBAL, .better = METRIC_LOWER, .derived = true, \
        .meaning = "sectors beyond the ideal, caused by uncoalesced accesses", \
        .formula = "sectors - ideal sectors", \
        .taught = lesson, \
        .how = HOW_ACCESSES, .accesses = {ACCESS_GLOBAL, accesses_of, QUANTITY_EXCESS}, \
        .counters = {DIRECTION##_IDEAL}) \
    METRIC(global_##direction##_sectors_per_request, \
        .title = "sectors per " #direction " request", .brief = #op " sec/req", .unit = "sectors/request", \
        .group = METRIC_GROUP_GLOBAL, .better = METRIC_LOWER, .exact = true, .derived = true, \
        .meaning = "sectors that one warp instruction touches: 4 for 32 neighbouring 4-byte words, 32 at " \
                   "worst", \
        .formula = "sectors / requests", \
        .taught = lesson, \
        .how = HOW_ACCESSES, .accesses = {ACCESS_GLOBAL, accesses_of, QUANTITY_PER_REQUEST}, \
        .counters = {DIRECTION##_SECTORS, COUNTER_GLOBAL_REQUESTS(op)}) \
    METRIC(global_##direction##_bytes_wanted_per_byte_moved, \
        .title = #direction " bytes wanted / moved", .brief = #op " used", .unit = "ratio", \
        .group = METRIC_GROUP_GLOBAL, .better = METRIC_HIGHER, .exact = true, .derived = true, \
        .meaning = "bytes that lanes wanted as a share of the bytes in the sectors " past, \
        .formula = "distinct bytes wanted / (32 x sectors)", \
        .taught = "copy-stride", \
        .how = HOW_ACCESSES, .accesses = {ACCESS_GLOBAL, accesses_of, QUANTITY_BYTES_RATIO}, \
        .counters = {DIRECTION##_SECTORS, DIRECTION##_BYTES})

GLOBAL_ROWS(load, LOAD, LOADS, ld, "read", "read", "LDG and cp.async", "copy-offset")
GLOBAL_ROWS(store, STORE, STORES, st, "write", "written", "STG", "transpose")
#undef GLOBAL_ROWS

#define SHARED_ROWS(direction, accesses_of, op, verb, instruction) \
    METRIC(shared_##direction##_instructions, \
        .title = "shared " #direction " instructions", .brief = "sh " #op " instr", .unit = "instructions", \
        .group = METRIC_GROUP_SHARED, .better = METRIC_LOWER, .exact = true, \
        .meaning = "warp instructions that " verb " shared memory with at least one active lane", \
        .formula = "counted: instrumented " instruction " with an active lane, generic addresses included; without " #op "matrix", \
        .taught = "bank-stride", \
        .how = HOW_ACCESSES, .accesses = {ACCESS_SHARED, accesses_of, QUANTITY_REQUESTS}, \
        .counters = {COUNTER_SHARED_INSTRUCTIONS(op)}) \
    METRIC(shared_##direction##_wavefronts, \
        .title = "shared " #direction " wavefronts", .brief = "sh " #op " waves", .unit = "wavefronts", \
        .group = METRIC_GROUP_SHARED, .better = METRIC_LOWER, .exact = true, \
        .meaning = "passes over the 32 banks that these instructions take", \
        .formula = "counted: instrumented wavefronts of " instruction, \
        .taught = "bank-stride", \
        .how = HOW_ACCESSES, .accesses = {ACCESS_SHARED, accesses_of, QUANTITY_TRANSFERS}, \
        .counters = {COUNTER_SHARED_WAVEFRONTS(op)}) \
    METRIC(shared_##direction##_ideal_wavefronts, \
        .title = "ideal shared " #direction " wavefronts", .brief = "sh " #op " ideal", .unit = "wavefronts", \
        .group = METRIC_GROUP_SHARED, .better = METRIC_NEITHER, .derived = true, \
        .meaning = "passes that these instructions would take without bank conflicts", \
        .formula = "sum over instructions of ceil(active lanes x bytes / 128), computed from the sums of " \
                   "instructions and widths: exact when none is wider than 4 bytes or all lanes are " \
                   "active; otherwise the largest value that the sums allow, so that conflicts are never " \
                   "overstated", \
        .taught = "bank-stride", \
        .how = HOW_ACCESSES, .accesses = {ACCESS_SHARED, accesses_of, QUANTITY_IDEAL}, \
        .counters = {SHARED_IDEAL(op)}) \
    METRIC(shared_##direction##_conflicts, \
        .title = "shared " #direction " bank conflicts", .brief = #op " conflicts", .unit = "wavefronts", \
        .group = METRIC_GROUP_SHARED, .better = METRIC_LOWER, .derived = true, \
        .meaning = "extra passes because lanes want different words of one bank", \
        .formula = "wavefronts - ideal wavefronts", \
        .taught = "bank-stride", \
        .how = HOW_ACCESSES, .accesses = {ACCESS_SHARED, accesses_of, QUANTITY_EXCESS}, \
        .counters = {SHARED_IDEAL(op)})

SHARED_ROWS(load, LOADS, ld, "read", "LDS")
SHARED_ROWS(store, STORES, st, "write", "STS")
#undef SHARED_ROWS

METRIC(achieved_occupancy_pct,
    .title = "achieved occupancy", .brief = "ach. occup.", .unit = "%",
    .group = METRIC_GROUP_OCCUPANCY, .better = METRIC_HIGHER,
    .meaning = "resident warps while a multiprocessor is busy, as a share of the most that it can "
               "hold",
    .formula = "counted: active warps per active cycle / most warps",
    .how = HOW_COUNTER,
    .counters = {COUNTER_OCCUPANCY})

METRIC(theoretical_occupancy_pct,
    .title = "theoretical occupancy", .brief = "theo. occup.", .unit = "%",
    .group = METRIC_GROUP_OCCUPANCY, .better = METRIC_HIGHER, .exact = true, .derived = true,
    .meaning = "the occupancy that block size, registers and shared memory allow",
    .formula = "resident blocks x warps per block / most warps, by the limits of the compute "
               "capability",
    .how = HOW_LAUNCH, .fact = FACT_OCCUPANCY)

METRIC(occupancy_limiter,
    .title = "occupancy limited by", .brief = "occup. limit", .unit = "",
    .group = METRIC_GROUP_OCCUPANCY, .better = METRIC_NEITHER, .exact = true, .derived = true,
    .meaning = "the resource that keeps more blocks from being resident",
    .formula = "the smallest of the limits by warps, blocks, registers and shared memory",
    .how = HOW_LAUNCH, .fact = FACT_OCCUPANCY_LIMITER)

METRIC(active_threads_per_warp,
    .title = "active threads per warp", .brief = "active thr.", .unit = "threads",
    .group = METRIC_GROUP_DIVERGENCE, .better = METRIC_HIGHER,
    .meaning = "active lanes of a warp instruction on average: 32 without divergence",
    .formula = "counted: thread instructions / warp instructions",
    .how = HOW_COUNTER,
    .counters = {COUNTER_ACTIVE_THREADS})

METRIC(working_threads_per_warp,
    .title = "working threads per warp", .brief = "working thr.", .unit = "threads",
    .group = METRIC_GROUP_DIVERGENCE, .better = METRIC_HIGHER,
    .meaning = "active lanes whose predicate is on: ptxas replaces short branches by predicates",
    .formula = "counted: thread instructions whose predicate is on / warp instructions",
    .taught = "divergence",
    .how = HOW_COUNTER,
    .counters = {COUNTER_WORKING_THREADS})

METRIC(dram_read_bytes,
    .title = "DRAM bytes read", .brief = "DRAM read", .unit = "B",
    .group = METRIC_GROUP_MEMORY, .better = METRIC_LOWER,
    .meaning = "bytes read from device memory while the kernel ran, by the kernel or anything else",
    .formula = "counted: DRAM bytes, in the one pass of the memory run",
    .taught = "copy-stride",
    .how = HOW_COUNTER, .runs = METRIC_OF_MEMORY,
    .counters = {COUNTER_DRAM_READ})

METRIC(dram_write_bytes,
    .title = "DRAM bytes written", .brief = "DRAM written", .unit = "B",
    .group = METRIC_GROUP_MEMORY, .better = METRIC_LOWER,
    .meaning = "bytes written to device memory while the kernel ran, by the kernel or anything else",
    .formula = "counted: DRAM bytes, in the one pass of the memory run; without this run, in several "
               "passes, and then they include bytes that restoring memory between the passes left in "
               "the L2: at most about the bytes that the kernel itself writes",
    .taught = "copy-stride",
    .how = HOW_COUNTER, .runs = METRIC_OF_MEMORY,
    .counters = {COUNTER_DRAM_WRITE})

METRIC(dram_peak_pct,
    .title = "share of DRAM peak", .brief = "of DRAM peak", .unit = "%",
    .group = METRIC_GROUP_MEMORY, .better = METRIC_NEITHER,
    .meaning = "throughput of device memory as a share of its peak",
    .formula = "counted: DRAM throughput / its peak",
    .taught = "copy-offset",
    .how = HOW_COUNTER, .runs = METRIC_OF_MEMORY, .two_passes_on = "TU1",
    .counters = {COUNTER_DRAM_PEAK})

METRIC(l1_hit_pct,
    .title = "L1 hit rate", .brief = "L1 hits", .unit = "%",
    .group = METRIC_GROUP_MEMORY, .better = METRIC_HIGHER,
    .meaning = "share of the sectors found in the multiprocessor's own cache",
    .formula = "counted: L1 sector hits / lookups",
    .taught = "copy-stride",
    .how = HOW_HIT_RATE,
    .counters = {COUNTER_L1_HIT})

METRIC(l2_hit_pct,
    .title = "L2 hit rate", .brief = "L2 hits", .unit = "%",
    .group = METRIC_GROUP_MEMORY, .better = METRIC_HIGHER,
    .meaning = "share of the sectors found in the cache that all multiprocessors use",
    .formula = "counted: L2 sector hits / lookups, each in a replay of its own",
    .taught = "copy-stride",
    .how = HOW_HIT_RATE,
    .counters = {COUNTER_L2_HIT})

METRIC(l2_bytes,
    .title = "L2 bytes", .brief = "L2 bytes", .unit = "B",
    .group = METRIC_GROUP_MEMORY, .better = METRIC_LOWER,
    .meaning = "bytes that the level 2 cache looked up for the kernel, hits and misses, both directions",
    .formula = "counted: bytes of L2's tag stage, as in ncu's roofline; the model: sectors looked up x 32",
    .taught = "matmul-ab",
    .how = HOW_COUNTER,
    .counters = {COUNTER_L2_BYTES})

METRIC(l2_peak_pct,
    .title = "L2 share of peak", .brief = "L2 of peak", .unit = "%",
    .group = METRIC_GROUP_MEMORY, .better = METRIC_NEITHER,
    .meaning = "bytes of the level 2 cache as a share of the most that its tag stage can look up",
    .formula = "counted: bytes of L2's tag stage / their peak",
    .taught = "matmul-ab",
    .how = HOW_COUNTER, .not_modelled = "the device model has no peak of L2 that was counted",
    .counters = {COUNTER_L2_PEAK})

METRIC(atomic_passes,
    .title = "passes of atomics in L2", .brief = "atom. passes", .unit = "passes",
    .group = METRIC_GROUP_MEMORY, .better = METRIC_LOWER,
    .meaning = "passes of the L2 slices, one after the other: each serves one lane per word of a "
               "sector",
    .formula = "counted: cycles in which the atomic units of the slices accept input; a sector of a "
               "request takes as many passes as lanes want the same word of it, up to 2 % more if "
               "the request spans more than 512 bytes",
    .taught = "atomics",
    .how = HOW_COUNTER,
    .counters = {COUNTER_ATOMIC_PASSES(sum)})

METRIC(atomic_busiest_pct,
    .title = "atomics, busiest L2 slice", .brief = "atom. slice", .unit = "%",
    .group = METRIC_GROUP_MEMORY, .better = METRIC_LOWER,
    .meaning = "cycles in which the L2 slice with the most atomics accepts one: 80 % at most, 33 % "
               "of floats",
    .formula = "counted: passes of that slice / cycles of the L2; atomics on one word reach 80 % for "
               "integers and 33 % for floats",
    .taught = "histogram",
    .how = HOW_SHARE, .zero = "the L2 counted no cycles",
    .counters = {COUNTER_ATOMIC_PASSES(max), COUNTER_L2_CYCLES})

METRIC(local_load_sectors,
    .title = "local load sectors", .brief = "local ld", .unit = "sectors",
    .group = METRIC_GROUP_MEMORY, .better = METRIC_LOWER, .exact = true,
    .meaning = "sectors read for spilled registers and indexed local arrays",
    .formula = "counted: L1 sectors of local loads",
    .how = HOW_ACCESSES, .accesses = {ACCESS_LOCAL, LOADS, QUANTITY_TRANSFERS},
    .counters = {COUNTER_LOCAL_SECTORS(ld)})

METRIC(local_store_sectors,
    .title = "local store sectors", .brief = "local st", .unit = "sectors",
    .group = METRIC_GROUP_MEMORY, .better = METRIC_LOWER, .exact = true,
    .meaning = "sectors written for spilled registers and indexed local arrays",
    .formula = "counted: L1 sectors of local stores",
    .how = HOW_ACCESSES, .accesses = {ACCESS_LOCAL, STORES, QUANTITY_TRANSFERS},
    .counters = {COUNTER_LOCAL_SECTORS(st)})

METRIC(wide_memory_instructions,
    .title = "8- and 16-byte accesses", .brief = "wide access", .unit = "instructions",
    .group = METRIC_GROUP_MEMORY, .better = METRIC_NEITHER,
    .meaning = "memory instructions of 8 and 16 bytes per lane, in all spaces: doubles, pointers and "
               "vectors",
    .formula = "counted: instrumented memory instructions of 64 and of 128 bits",
    .taught = "word-size",
    .how = HOW_SUM, .weights = {1, 1},
    .counters = {COUNTER_WIDTH(64), COUNTER_WIDTH(128)})

METRIC(float_operations,
    .title = "single-precision operations", .brief = "single op.", .unit = "operations",
    .group = METRIC_GROUP_ARITHMETIC, .better = METRIC_NEITHER,
    .meaning = "additions, multiplications and fused multiply-adds in single precision, of all lanes",
    .formula = "counted: lanes of FADD + lanes of FMUL + 2 x lanes of FFMA, steps of divisions and "
               "functions included; of these steps the model counts only those written in the PTX",
    .taught = "math",
    .how = HOW_SUM, .weights = {1, 1, 2},
    .counters = {OPERATIONS(f)})

METRIC(double_operations,
    .title = "double-precision operations", .brief = "double op.", .unit = "operations",
    .group = METRIC_GROUP_ARITHMETIC, .better = METRIC_NEITHER,
    .meaning = "additions, multiplications and fused multiply-adds in double precision, of all lanes",
    .formula = "counted: lanes of DADD + lanes of DMUL + 2 x lanes of DFMA, steps of divisions and "
               "functions included; of these steps the model counts only those written in the PTX",
    .taught = "math",
    .how = HOW_SUM, .weights = {1, 1, 2},
    .counters = {OPERATIONS(d)})

METRIC(half_operations,
    .title = "half-precision operations", .brief = "half op.", .unit = "operations",
    .group = METRIC_GROUP_ARITHMETIC, .better = METRIC_NEITHER,
    .meaning = "the same in half precision; above 0 in other kernels too, since ptxas loads "
               "constants with HFMA",
    .formula = "counted: lanes of HADD + lanes of HMUL + 2 x lanes of HFMA, those included with "
               "which ptxas loads constants; the model counts the operations written in the PTX, "
               "both halves of packed forms",
    .how = HOW_SUM, .weights = {1, 1, 2},
    .counters = {OPERATIONS(h)})

METRIC(floating_point_operations,
    .title = "floating-point operations", .brief = "float op.", .unit = "operations",
    .group = METRIC_GROUP_ARITHMETIC, .better = METRIC_NEITHER, .derived = true,
    .meaning = "operations in single and double precision, without half precision and tensor cores",
    .formula = "single-precision + double-precision operations",
    .taught = "matmul-ab",
    .how = HOW_COMBINED, .inputs = {OF(float_operations), OF(double_operations)},
    .counters = {ALL_OPERATIONS})

METRIC(arithmetic_intensity,
    .title = "arithmetic intensity", .brief = "intensity", .unit = "FLOP/B",
    .group = METRIC_GROUP_ARITHMETIC, .better = METRIC_HIGHER, .derived = true,
    .meaning = "operations for each byte that device memory moves: the roofline's horizontal axis",
    .formula = "floating-point operations / (DRAM bytes read + written), medians of their runs",
    .taught = "matmul-ab",
    .how = HOW_COMBINED, .inputs = {OF(floating_point_operations), OVER(dram_read_bytes), OVER(dram_write_bytes)},
    .counters = {ALL_OPERATIONS, COUNTER_DRAM_READ, COUNTER_DRAM_WRITE})

METRIC(l1_intensity,
    .title = "L1 intensity", .brief = "L1 intensity", .unit = "FLOP/B",
    .group = METRIC_GROUP_ARITHMETIC, .better = METRIC_HIGHER, .derived = true,
    .meaning = "operations for each byte of global and local memory that passes L1, without atomics",
    .formula = "floating-point operations / (32 x sectors of global and local loads and stores), medians "
               "of their runs; from compute capability 5.0 on",
    .taught = "matmul-ab",
    .how = HOW_COMBINED,
    .inputs = {OF(floating_point_operations), OVER(global_load_sectors), OVER(global_store_sectors),
               OVER(local_load_sectors), OVER(local_store_sectors)},
    .counters = {ALL_OPERATIONS, LOAD_SECTORS, COUNTER_GLOBAL_SECTORS(st), COUNTER_LOCAL_SECTORS(ld),
                 COUNTER_LOCAL_SECTORS(st)})

METRIC(l2_intensity,
    .title = "L2 intensity", .brief = "L2 intensity", .unit = "FLOP/B",
    .group = METRIC_GROUP_ARITHMETIC, .better = METRIC_HIGHER, .derived = true,
    .meaning = "operations for each byte that the level 2 cache looks up",
    .formula = "floating-point operations / L2 bytes, medians of their runs",
    .taught = "matmul-ab",
    .how = HOW_COMBINED, .inputs = {OF(floating_point_operations), OVER(l2_bytes)},
    .counters = {ALL_OPERATIONS, COUNTER_L2_BYTES})

METRIC(operations_per_second,
    .title = "operations per second", .brief = "op. rate", .unit = "FLOP/s",
    .group = METRIC_GROUP_ARITHMETIC, .better = METRIC_HIGHER, .derived = true,
    .meaning = "floating-point operations per second: the roofline's vertical axis",
    .formula = "floating-point operations / time, medians of their runs",
    .taught = "matmul-ab",
    .how = HOW_COMBINED, .inputs = {OF(floating_point_operations), OVER(time_ns)},
    .counters = {ALL_OPERATIONS, COUNTER_TIME})

METRIC(l1_bandwidth_bytes_per_second,
    .title = "L1 bandwidth", .brief = "L1 bandwidth", .unit = "B/s",
    .group = METRIC_GROUP_ARITHMETIC, .better = METRIC_NEITHER, .derived = true,
    .meaning = "bytes per second that the L1 caches of all multiprocessors can give",
    .formula = "banks x bytes of a bank x multiprocessors x clock, since L1 and shared memory are one from "
               "compute capability 7.0 on",
    .taught = "matmul-ab",
    .how = HOW_LAUNCH, .fact = FACT_L1_BANDWIDTH)

METRIC(peak_float_per_second,
    .title = "peak, single precision", .brief = "peak single", .unit = "FLOP/s",
    .group = METRIC_GROUP_ARITHMETIC, .better = METRIC_NEITHER, .derived = true,
    .meaning = "operations that the device could do per second in single precision",
    .formula = "2 x single precision lanes of the compute capability x multiprocessors x clock: one "
               "fused multiply-add per lane and cycle; half of it without fusing",
    .taught = "math",
    .how = HOW_LAUNCH, .fact = FACT_PEAK_FLOAT)

METRIC(peak_double_per_second,
    .title = "peak, double precision", .brief = "peak double", .unit = "FLOP/s",
    .group = METRIC_GROUP_ARITHMETIC, .better = METRIC_NEITHER, .derived = true,
    .meaning = "operations that the device could do per second in double precision",
    .formula = "2 x double precision lanes of the compute capability x multiprocessors x clock: one "
               "fused multiply-add per lane and cycle; half of it without fusing",
    .taught = "math",
    .how = HOW_LAUNCH, .fact = FACT_PEAK_DOUBLE)

METRIC(roof,
    .title = "roof above it", .brief = "roof", .unit = "",
    .group = METRIC_GROUP_ARITHMETIC, .better = METRIC_NEITHER, .derived = true,
    .meaning = "the limit that leaves the least time to gain: DRAM, L2, L1, shared memory or arithmetic",
    .formula = "the longest of DRAM bytes / theoretical bandwidth, L2's share of its peak x time, 32 x sectors "
               "of global and local memory / L1 bandwidth, banks x bytes of a bank x shared wavefronts / L1 "
               "bandwidth, single- and double-precision operations / their peaks",
    .taught = "matmul-ab",
    .how = HOW_COMBINED, .inputs = {ROOF_INPUTS},
    .counters = {ALL_OPERATIONS, COUNTER_DRAM_READ, COUNTER_DRAM_WRITE})

METRIC(roof_pct,
    .title = "share of its roof", .brief = "of its roof", .unit = "%",
    .group = METRIC_GROUP_ARITHMETIC, .better = METRIC_HIGHER, .derived = true,
    .meaning = "how close the kernel is to the lowest roof: 100 % is as fast as its bytes and "
               "operations allow",
    .formula = "least time that the roof allows / time, medians of their runs; at least this where a limit "
               "was not counted; operations that are not fused reach half of the arithmetic peak",
    .taught = "matmul-ab",
    .how = HOW_COMBINED, .inputs = {ROOF_INPUTS},
    .counters = {ALL_OPERATIONS, COUNTER_DRAM_READ, COUNTER_DRAM_WRITE, COUNTER_TIME})

/* What only some kernels use: tensor cores, other blocks of a cluster, the unit that copies in bulk, words that lanes
 * exchange. */
METRIC(tensor_peak_pct,
    .title = "share of tensor peak", .brief = "of tensor pk", .unit = "%",
    .group = METRIC_GROUP_MATRICES, .better = METRIC_NEITHER,
    .meaning = "cycles in which the tensor cores work, as a share of the most there can be",
    .formula = "counted: active cycles of the tensor pipe / its peak",
    .how = HOW_COUNTER, .not_modelled = "the device model counts the products of tensor cores, not their cycles",
    .counters = {COUNTER_TENSOR_PEAK})

METRIC(tensor_instructions,
    .title = "tensor-core instructions", .brief = "tensor instr", .unit = "instructions",
    .group = METRIC_GROUP_MATRICES, .better = METRIC_NEITHER,
    .meaning = "warp instructions of the tensor cores",
    .formula = "counted: warp instructions that the tensor pipe executed; on GH100 also the HFMA2 "
               "that load constants; the model counts products of m16n8 and m8n8",
    .how = HOW_COUNTER, ASKED_MATRICES,
    .counters = {COUNTER_TENSOR})

METRIC(tensor_operations,
    .title = "tensor-core operations", .brief = "tensor op.", .unit = "operations",
    .group = METRIC_GROUP_MATRICES, .better = METRIC_NEITHER,
    .meaning = "multiplications and additions of the tensor cores; no other row counts them",
    .formula = "counted: operations of the tensor path by the type of A and B (f64, tf32, bf16, f16, "
               "8-bit floats and integers, bits), added; a product m x n x k is 2 x m x n x k",
    .exact = true, .how = HOW_SUM, .weights = {1, 1, 1, 1, 1, 1, 1}, ASKED_MATRICES,
    .counters = {COUNTER_TENSOR_OPERATIONS(fp64), COUNTER_TENSOR_OPERATIONS(tf32_dst_fp32),
                 COUNTER_TENSOR_OPERATIONS(bf16_dst_fp32), COUNTER_TENSOR_OPERATIONS(fp16),
                 COUNTER_TENSOR_OPERATIONS(fp8), COUNTER_TENSOR_OPERATIONS(int8),
                 COUNTER_TENSOR_OPERATIONS(int1)})

METRIC(matrix_access_instructions,
    .title = "ldmatrix and stmatrix", .brief = "matrix acc.", .unit = "instructions",
    .group = METRIC_GROUP_MATRICES, .better = METRIC_LOWER,
    .meaning = "warp instructions that move matrices between shared memory and registers",
    .formula = "counted: instrumented LDSM and STSM, which are not among the shared loads and stores",
    .how = HOW_SUM, .weights = {1, 1}, ASKED_MATRICES,
    .counters = {COUNTER_MATRIX_INSTRUCTIONS(ldsm), COUNTER_MATRIX_INSTRUCTIONS(shared_stsm)})

METRIC(matrix_access_wavefronts,
    .title = "their wavefronts", .brief = "matrix waves", .unit = "wavefronts",
    .group = METRIC_GROUP_MATRICES, .better = METRIC_LOWER,
    .meaning = "passes over the 32 banks that they take, at least one for each matrix of 8 x 8 halves",
    .formula = "counted: instrumented wavefronts of LDSM and STSM",
    .how = HOW_SUM, .weights = {1, 1}, ASKED_MATRICES,
    .counters = {COUNTER_SHARED_WAVEFRONTS(ldsm), COUNTER_SHARED_WAVEFRONTS(stsm)})

METRIC(matrix_access_conflicts,
    .title = "their bank conflicts", .brief = "matrix confl", .unit = "wavefronts",
    .group = METRIC_GROUP_MATRICES, .better = METRIC_LOWER,
    .meaning = "extra passes because rows of one matrix share banks",
    .formula = "counted: instrumented bank conflicts of LDSM and STSM; of the model the passes beyond one "
               "for each matrix",
    .how = HOW_SUM, .weights = {1, 1}, ASKED_MATRICES,
    .counters = {COUNTER_MATRIX_CONFLICTS(ldsm), COUNTER_MATRIX_CONFLICTS(stsm)})

METRIC(cluster_access_requests,
    .title = "requests to other blocks", .brief = "cluster req.", .unit = "requests",
    .group = METRIC_GROUP_CLUSTERS, .better = METRIC_LOWER, .exact = true,
    .meaning = "warp instructions that access the shared memory of other blocks of their cluster",
    .formula = "counted: L1 requests of loads, stores, atomics and asynchronous stores and reductions in distributed "
               "shared memory, which are not among the shared loads and stores",
    .how = HOW_SUM, .weights = {1, 1, 1, 1}, ASKED_CLUSTERS,
    .counters = {COUNTER_CLUSTER(requests, ld), COUNTER_CLUSTER(requests, st), COUNTER_CLUSTER(requests, atom),
                 COUNTER_CLUSTER(requests, redas)})

METRIC(cluster_access_sectors,
    .title = "their sectors", .brief = "cluster sect", .unit = "sectors",
    .group = METRIC_GROUP_CLUSTERS, .better = METRIC_LOWER, .exact = true,
    .meaning = "32-byte pieces that these requests touch: neighbouring words are best, as in global memory",
    .formula = "counted: L1 sectors of these requests",
    .how = HOW_SUM, .weights = {1, 1, 1, 1}, ASKED_CLUSTERS,
    .counters = {COUNTER_CLUSTER(sectors, ld), COUNTER_CLUSTER(sectors, st), COUNTER_CLUSTER(sectors, atom),
                 COUNTER_CLUSTER(sectors, redas)})

METRIC(bulk_read_sectors,
    .title = "sectors copied in bulk", .brief = "bulk read", .unit = "sectors",
    .group = METRIC_GROUP_CLUSTERS, .better = METRIC_LOWER, .exact = true,
    .meaning = "sectors of global memory that copies in bulk (TMA) bring to each block that receives them",
    .formula = "counted: sectors of TMA loads that came to L1; a copy counts them for each line of 128 bytes of "
               "shared memory",
    .how = HOW_COUNTER, ASKED_CLUSTERS,
    .counters = {COUNTER_BULK_READ})

METRIC(bulk_written_sectors,
    .title = "sectors written in bulk", .brief = "bulk written", .unit = "sectors",
    .group = METRIC_GROUP_CLUSTERS, .better = METRIC_LOWER, .exact = true,
    .meaning = "sectors of global memory that copies in bulk write or reduce",
    .formula = "counted: sectors of TMA stores and reductions that left L1; a copy counts them for each line of "
               "128 bytes of shared memory",
    .how = HOW_SUM, .weights = {1, 1}, ASKED_CLUSTERS,
    .counters = {COUNTER_BULK_WRITTEN(st), COUNTER_BULK_WRITTEN(red)})

METRIC(shared_atomic_instructions,
    .title = "shared atomic instructions", .brief = "sh atomics", .unit = "instructions",
    .group = METRIC_GROUP_EXCHANGE, .better = METRIC_LOWER, .exact = true,
    .meaning = "warp instructions that read and change words of shared memory in one step",
    .formula = "counted: instrumented ATOMS, which are not among the shared loads and stores",
    .how = HOW_COUNTER, ASKED_EXCHANGE,
    .counters = {COUNTER_SHARED_ATOMICS})

METRIC(lane_exchanges,
    .title = "words between lanes", .brief = "lane words", .unit = "words",
    .group = METRIC_GROUP_EXCHANGE, .better = METRIC_NEITHER, .exact = true,
    .meaning = "words that lanes give to other lanes of their warp: of shuffles, votes, matches and sums of a warp",
    .formula = "counted: instrumented SHFL, VOTE, MATCH and REDUX, by the lanes whose predicate is on",
    .how = HOW_COUNTER, ASKED_EXCHANGE,
    .counters = {COUNTER_EXCHANGES})

METRIC(cycles_per_issue,
    .title = "cycles between instructions", .brief = "issue every", .unit = "cycles",
    .group = METRIC_GROUP_STALLS, .better = METRIC_LOWER,
    .meaning = "cycles from one instruction of a warp to its next: the waits below add up to this",
    .formula = "counted: resident warps x cycles / instructions issued; the model computes the same "
               "from its own numbers",
    .taught = "ilp",
    .how = HOW_COUNTER,
    .counters = {COUNTER_CYCLES_PER_ISSUE})

METRIC(issue_slots_pct,
    .title = "issue slots used", .brief = "issue slots", .unit = "%",
    .group = METRIC_GROUP_STALLS, .better = METRIC_NEITHER, .derived = true,
    .meaning = "share of the cycles of a busy multiprocessor in which its schedulers issue an instruction",
    .formula = "achieved occupancy x most warps of a scheduler / cycles between instructions; of all "
               "schedulers, where ncu's issue active is of those that have warps",
    .taught = "ilp",
    .how = HOW_COMBINED, .inputs = {OF(achieved_occupancy_pct), OVER(cycles_per_issue)},
    .counters = {COUNTER_OCCUPANCY, COUNTER_CYCLES_PER_ISSUE})

METRIC(stall_long_scoreboard,
    .title = "waits: memory (long_scoreboard)", .brief = "wait memory", .unit = "cycles",
    .group = METRIC_GROUP_STALLS, .better = METRIC_LOWER,
    .meaning = "cycles per instruction that a warp waits for global, local or texture memory",
    .formula = "counted: warps stalled by the long scoreboard / issue cycle; the model: what a "
               "single warp waits for this memory, and all further waiting where memory bandwidth or "
               "latency determines the time",
    .taught = "prefetch",
    .how = HOW_COUNTER,
    .counters = {COUNTER_STALL(long_scoreboard)})

METRIC(stall_short_scoreboard,
    .title = "waits: shared (short_scoreboard)", .brief = "wait shared", .unit = "cycles",
    .group = METRIC_GROUP_STALLS, .better = METRIC_LOWER,
    .meaning = "cycles per instruction that a warp waits for shared memory, special functions or a "
               "shuffle",
    .formula = "counted: warps stalled by the short scoreboard / issue cycle",
    .taught = "bank-stride",
    .how = HOW_COUNTER, ASKED_STALLS, .not_modelled = NO_STALLS_MODELLED,
    .counters = {COUNTER_STALL(short_scoreboard)})

METRIC(stall_barrier,
    .title = "waits: barrier", .brief = "wait barrier", .unit = "cycles",
    .group = METRIC_GROUP_STALLS, .better = METRIC_LOWER,
    .meaning = "cycles per instruction that a warp waits for the rest of its block at a barrier",
    .formula = "counted: warps stalled by a barrier / issue cycle",
    .taught = "block-size",
    .how = HOW_COUNTER, ASKED_STALLS, .not_modelled = NO_STALLS_MODELLED,
    .counters = {COUNTER_STALL(barrier)})

METRIC(stall_wait,
    .title = "waits: fixed latency (wait)", .brief = "wait latency", .unit = "cycles",
    .group = METRIC_GROUP_STALLS, .better = METRIC_LOWER,
    .meaning = "cycles per instruction that a warp waits for the fixed latency of its own last "
               "instruction",
    .formula = "counted: warps stalled by a fixed latency / issue cycle",
    .taught = "ilp",
    .how = HOW_COUNTER, ASKED_STALLS, .not_modelled = NO_STALLS_MODELLED,
    .counters = {COUNTER_STALL(wait)})

METRIC(stall_math_pipe,
    .title = "waits: pipe (math_pipe_throttle)", .brief = "wait pipe", .unit = "cycles",
    .group = METRIC_GROUP_STALLS, .better = METRIC_LOWER,
    .meaning = "cycles per instruction that a warp waits for an arithmetic pipe that is busy",
    .formula = "counted: warps stalled by a full math pipe / issue cycle",
    .taught = "math",
    .how = HOW_COUNTER, ASKED_STALLS, .not_modelled = NO_STALLS_MODELLED,
    .counters = {COUNTER_STALL(math_pipe_throttle)})

METRIC(stall_mio,
    .title = "waits: shared queue (mio_throttle)", .brief = "wait sh queue", .unit = "cycles",
    .group = METRIC_GROUP_STALLS, .better = METRIC_LOWER,
    .meaning = "cycles per instruction that a warp waits for room in the queue of shared memory",
    .formula = "counted: warps stalled by a full MIO queue / issue cycle",
    .taught = "bank-stride",
    .how = HOW_COUNTER, ASKED_STALLS, .not_modelled = NO_STALLS_MODELLED,
    .counters = {COUNTER_STALL(mio_throttle)})

METRIC(stall_lg,
    .title = "waits: memory queue (lg_throttle)", .brief = "wait queue", .unit = "cycles",
    .group = METRIC_GROUP_STALLS, .better = METRIC_LOWER,
    .meaning = "cycles per instruction that a warp waits for room in the queue of global and local "
               "memory",
    .formula = "counted: warps stalled by a full LG queue / issue cycle",
    .taught = "copy-stride",
    .how = HOW_COUNTER, ASKED_STALLS, .not_modelled = NO_STALLS_MODELLED,
    .counters = {COUNTER_STALL(lg_throttle)})

METRIC(stall_not_selected,
    .title = "ready, not selected", .brief = "not selected", .unit = "cycles",
    .group = METRIC_GROUP_STALLS, .better = METRIC_LOWER,
    .meaning = "cycles per instruction that a warp is ready, but the scheduler selects another one",
    .formula = "counted: warps stalled by not being selected / issue cycle",
    .taught = "occupancy-smem",
    .how = HOW_COUNTER, ASKED_STALLS, .not_modelled = NO_STALLS_MODELLED,
    .counters = {COUNTER_STALL(not_selected)})

METRIC(gld_coherent,
    .title = "gld_coherent", .brief = "gld_coherent", .unit = "accesses",
    .group = METRIC_GROUP_OLD, .better = METRIC_NEITHER, .derived = true,
    .meaning = "coalesced loads on all multiprocessors; originally transactions of one group of them",
    .formula = "load requests - gld_incoherent: those that touch no more sectors than their bytes "
               "need; with --cc 1.x the model counts transactions by the rules of these GPUs (1.0, "
               "1.1: of half-warps that coalesce; 1.2, 1.3: all)",
    .taught = "copy-offset",
    .how = HOW_ACCESSES, .accesses = {ACCESS_GLOBAL, LOADS, QUANTITY_COHERENT},
    .counters = {LOAD_IDEAL})

METRIC(gld_incoherent,
    .title = "gld_incoherent", .brief = "gld_incoherent", .unit = "accesses",
    .group = METRIC_GROUP_OLD, .better = METRIC_LOWER, .derived = true,
    .meaning = "uncoalesced load requests; originally a transaction per lane, and 0 from 1.2 on",
    .formula = "requests that touch more sectors than their bytes need. The model counts them; the "
               "counters of a GPU give only an upper bound, the smaller of requests and excess "
               "sectors. With --cc 1.x the model counts transactions by the rules of these GPUs",
    .taught = "copy-offset",
    .how = HOW_ACCESSES, .accesses = {ACCESS_GLOBAL, LOADS, QUANTITY_INCOHERENT},
    .counters = {LOAD_IDEAL})

METRIC(gst_coherent,
    .title = "gst_coherent", .brief = "gst_coherent", .unit = "accesses",
    .group = METRIC_GROUP_OLD, .better = METRIC_NEITHER, .derived = true,
    .meaning = "coalesced stores on all multiprocessors; originally transactions of one group of "
               "them",
    .formula = "store requests - gst_incoherent: those that touch no more sectors than their bytes "
               "need; with --cc 1.x the model counts transactions by the rules of these GPUs (1.0, "
               "1.1: of half-warps that coalesce; 1.2, 1.3: all)",
    .taught = "copy-offset",
    .how = HOW_ACCESSES, .accesses = {ACCESS_GLOBAL, STORES, QUANTITY_COHERENT},
    .counters = {STORE_IDEAL})

METRIC(gst_incoherent,
    .title = "gst_incoherent", .brief = "gst_incoherent", .unit = "accesses",
    .group = METRIC_GROUP_OLD, .better = METRIC_LOWER, .derived = true,
    .meaning = "uncoalesced store requests; originally a transaction per lane, and 0 from 1.2 on",
    .formula = "requests that touch more sectors than their bytes need. The model counts them; the "
               "counters of a GPU give only an upper bound, the smaller of requests and excess "
               "sectors. With --cc 1.x the model counts transactions by the rules of these GPUs, "
               "each once: 16 for a half-warp whose lanes do not coalesce. The course's output of a "
               "1.x GPU (reversing an array) has 32: gld_coherent 1,952 and gst_incoherent 62,464, "
               "where the model has 1,952 and 31,232",
    .taught = "copy-offset",
    .how = HOW_ACCESSES, .accesses = {ACCESS_GLOBAL, STORES, QUANTITY_INCOHERENT},
    .counters = {STORE_IDEAL})

METRIC(local_load,
    .title = "local_load", .brief = "local_load", .unit = "sectors",
    .group = METRIC_GROUP_OLD, .better = METRIC_LOWER, .derived = true,
    .meaning = "sectors of local memory read; originally transactions of one group of "
               "multiprocessors",
    .formula = "local load sectors",
    .taught = "registers",
    .how = HOW_SCALED, .of = METRIC_local_load_sectors, .factor = 1,
    .counters = {COUNTER_LOCAL_SECTORS(ld)})

METRIC(local_store,
    .title = "local_store", .brief = "local_store", .unit = "sectors",
    .group = METRIC_GROUP_OLD, .better = METRIC_LOWER, .derived = true,
    .meaning = "sectors of local memory written; originally transactions of one group of "
               "multiprocessors",
    .formula = "local store sectors",
    .taught = "registers",
    .how = HOW_SCALED, .of = METRIC_local_store_sectors, .factor = 1,
    .counters = {COUNTER_LOCAL_SECTORS(st)})

METRIC(branch,
    .title = "branch", .brief = "branch", .unit = "branches",
    .group = METRIC_GROUP_OLD, .better = METRIC_LOWER,
    .meaning = "branches that warps executed; originally those taken, and barriers, of one "
               "multiprocessor",
    .formula = "counted: instrumented branch instructions; ptxas replaces short branches by "
               "predicates, the model does not",
    .taught = "divergence",
    .how = HOW_COUNTER,
    .counters = {COUNTER_BRANCHES})

METRIC(divergent_branch,
    .title = "divergent_branch", .brief = "divergent_branch", .unit = "branches",
    .group = METRIC_GROUP_OLD, .better = METRIC_LOWER,
    .meaning = "branches at which the lanes of a warp diverge; originally those of one "
               "multiprocessor",
    .formula = "counted: branches whose active lanes have more than one target",
    .taught = "divergence",
    .how = HOW_COUNTER,
    .counters = {COUNTER_DIVERGENT_BRANCHES})

METRIC(instructions,
    .title = "instructions", .brief = "instructions", .unit = "instructions",
    .group = METRIC_GROUP_OLD, .better = METRIC_LOWER,
    .meaning = "instructions that warps executed; originally those of one multiprocessor",
    .formula = "counted: instructions executed by warps; the model counts PTX instructions, a GPU "
               "machine instructions",
    .how = HOW_COUNTER,
    .counters = {COUNTER_INSTRUCTIONS})

METRIC(warp_serialize,
    .title = "warp_serialize", .brief = "warp_serialize", .unit = "wavefronts",
    .group = METRIC_GROUP_OLD, .better = METRIC_LOWER, .derived = true,
    .meaning = "extra passes by bank conflicts; originally warps of one multiprocessor, constants "
               "included",
    .formula = "shared load bank conflicts + shared store bank conflicts",
    .taught = "bank-stride",
    .how = HOW_ACCESSES, .accesses = {ACCESS_SHARED, LOADS_AND_STORES, QUANTITY_EXCESS},
    .counters = {SHARED_BOTH})

METRIC(cta_launched,
    .title = "cta_launched", .brief = "cta_launched", .unit = "blocks",
    .group = METRIC_GROUP_OLD, .better = METRIC_NEITHER, .exact = true, .derived = true,
    .meaning = "blocks of the launch; originally those that one group of multiprocessors started",
    .formula = "grid x * y * z",
    .taught = "block-size",
    .how = HOW_LAUNCH, .fact = FACT_BLOCKS)

METRIC(occupancy,
    .title = "occupancy", .brief = "occupancy", .unit = "ratio",
    .group = METRIC_GROUP_OLD, .better = METRIC_HIGHER, .exact = true, .derived = true,
    .meaning = "resident warps / most there can be, computed from the launch as in the old profiler",
    .formula = "theoretical occupancy / 100",
    .taught = "occupancy-smem",
    .how = HOW_LAUNCH, .fact = FACT_OCCUPANCY, .factor = 0.01)

METRIC(gputime,
    .title = "gputime", .brief = "gputime", .unit = "us",
    .group = METRIC_GROUP_OLD, .better = METRIC_LOWER, .derived = true,
    .meaning = "time on the GPU in microseconds, as in the old profiler",
    .formula = "time / 1000",
    .how = HOW_SCALED, .of = METRIC_time_ns, .factor = 0.001, .runs = METRIC_OF_TRACE | METRIC_OF_MEMORY,
    .counters = {COUNTER_TIME})

METRIC(cputime,
    .title = "cputime", .brief = "cputime", .unit = "us",
    .group = METRIC_GROUP_OLD, .better = METRIC_LOWER, .derived = true,
    .meaning = "time of the launching call in microseconds, as in the old profiler; includes tracing "
               "overhead",
    .formula = "end - start of the API call, of the trace run",
    .how = HOW_CALL, .runs = METRIC_OF_TRACE)

#undef METRIC
/* clang-format on */
