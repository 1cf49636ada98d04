/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of CUPTI's counters that the catalogue uses, once each. Internal to core/metric.
 * `smsp__sass_` counters are instrumented and exact; the others are the hardware's.
 */
#ifndef CORE_METRIC_METRIC_COUNTERS_H
#define CORE_METRIC_METRIC_COUNTERS_H

#define COUNTER_TIME "gpu__time_duration.sum"
#define COUNTER_OCCUPANCY "sm__warps_active.avg.pct_of_peak_sustained_active"
#define COUNTER_ACTIVE_THREADS "smsp__average_thread_inst_executed_per_inst_executed.ratio"
#define COUNTER_WORKING_THREADS "smsp__average_thread_inst_executed_pred_on_per_inst_executed.ratio"

/* op: ld, st */
#define COUNTER_GLOBAL_REQUESTS(op) "l1tex__t_requests_pipe_lsu_mem_global_op_" #op ".sum"
#define COUNTER_GLOBAL_SECTORS(op) "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_" #op ".sum"
#define COUNTER_GLOBAL_BYTES(op) "smsp__sass_data_bytes_mem_global_op_" #op ".sum"
#define COUNTER_SHARED_INSTRUCTIONS(op) "smsp__sass_inst_executed_op_shared_" #op ".sum"
#define COUNTER_SHARED_WAVEFRONTS(op) "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_" #op ".sum"
#define COUNTER_GENERIC(op) "smsp__inst_executed_op_generic_" #op "_pred_on_any.sum"
#define COUNTER_LOCAL_SECTORS(op) "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_local_op_" #op ".sum"
/* bits: 8, 16, 64, 128; memory instructions to all spaces */
#define COUNTER_WIDTH(bits) "smsp__sass_inst_executed_op_memory_" #bits "b.sum"

/* op: fadd, fmul, ffma and the same with d and h; thread instructions */
#define COUNTER_OPERATION(op) "smsp__sass_thread_inst_executed_op_" #op "_pred_on.sum"
#define COUNTER_TENSOR "sm__inst_executed_pipe_tensor.sum"
#define COUNTER_TENSOR_PEAK "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"
/* type: of A and B, where there is one result type also that */
#define COUNTER_TENSOR_OPERATIONS(type) "sm__ops_path_tensor_src_" #type ".sum"
/* what: requests, sectors; op: ld, st, atom, redas */
#define COUNTER_CLUSTER(what, op) "l1tex__t_" #what "_pipe_lsu_mem_dshared_op_" #op ".sum"
#define COUNTER_BULK_READ "l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld.sum"
#define COUNTER_BULK_WRITTEN(op) "l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_" #op ".sum"
/* op: ldsm, stsm */
#define COUNTER_MATRIX_INSTRUCTIONS(op) "smsp__sass_inst_executed_op_" #op ".sum"
#define COUNTER_MATRIX_CONFLICTS(op) "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_" #op ".sum"

#define COUNTER_SHARED_ATOMICS "smsp__sass_inst_executed_op_shared_atom.sum"
#define COUNTER_EXCHANGES "smsp__sass_thread_inst_executed_op_inter_thread_communication_pred_on.sum"

#define COUNTER_CYCLES_PER_ISSUE "smsp__average_warp_latency_per_inst_issued.ratio"
#define COUNTER_STALL(reason) "smsp__average_warps_issue_stalled_" #reason "_per_issue_active.ratio"

#define COUNTER_INSTRUCTIONS "smsp__inst_executed.sum"
#define COUNTER_BRANCHES "smsp__sass_inst_executed_op_branch.sum"
#define COUNTER_DIVERGENT_BRANCHES "smsp__sass_branch_targets_threads_divergent.sum"

#define COUNTER_DRAM_READ "dram__bytes_read.sum"
#define COUNTER_DRAM_WRITE "dram__bytes_write.sum"
#define COUNTER_DRAM_READ_GB20X "dram__bytes_op_read.sum"
#define COUNTER_DRAM_WRITE_GB20X "dram__bytes_op_write.sum"
#define COUNTER_DRAM_PEAK "dram__throughput.avg.pct_of_peak_sustained_elapsed"
#define COUNTER_L1_HIT "l1tex__t_sector_hit_rate.pct"
#define COUNTER_L2_HIT "lts__t_sector_hit_rate.pct"
#define COUNTER_L2_BYTES "lts__t_bytes.sum"
#define COUNTER_L2_PEAK "lts__t_bytes.avg.pct_of_peak_sustained_elapsed"
/* how: sum over all slices; max: the slice with the most */
#define COUNTER_ATOMIC_PASSES(how) "lts__d_atomic_input_cycles_active." #how
#define COUNTER_L2_CYCLES "lts__cycles_elapsed.max"

#endif
