/*
 * The rows of core/metric/metric_rows.h for what only some kernels use: tensor cores, other blocks of a
 * cluster, the unit that copies in bulk, words that lanes exchange. Included there, so more than once.
 */
/* clang-format off */ /* a table */

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
