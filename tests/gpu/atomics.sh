#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# atomics.sh LANESCOPE BUILD OUT: what a GPU says of atomics, for docs/model.md: times by operation, contention and place (atomic_times.csv), the
# cycles that the L2 slices' atomic units took for single instructions (patterns.txt beside patterns.lsr, a launch a line), both kinds of counters of
# the workloads that are about atomics (workloads.lsr), and the same beside the model, whose passes must be those (both.txt). 35 s on an H200.
program=${1:?lanescope} build=${2:?build folder} out=${3:?folder for results}
status=0
passes=lts__d_atomic_input_cycles_active.sum,lts__d_atomic_input_cycles_active.max,lts__cycles_elapsed.max
traffic=lts__cycles_elapsed.avg.per_second,sm__cycles_elapsed.avg.per_second,lts__t_requests_op_red.sum,lts__t_requests_op_atom.sum
traffic=$traffic,lts__t_sectors_op_red.sum,lts__t_sectors_op_atom.sum,lts__t_sectors_op_red.max,lts__d_atomic_input_cycles_active.avg
traffic=$traffic,l1tex__t_requests_pipe_lsu_mem_global_op_red.sum,l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum
traffic=$traffic,l1tex__m_l1tex2xbar_write_sectors_mem_global_op_red.sum,l1tex__m_l1tex2xbar_write_sectors_mem_global_op_atom.sum

find_program() {
    find "$build" "$build/tests" -maxdepth 1 -name "$1" 2>/dev/null | head -n 1
}

timeout 20 "$(find_program program_atomic_times)" >"$out/atomic_times.csv" || status=1
timeout 30 "$program" --record "$out/patterns.lsr" --launches 0 --runs counters --counters "$passes" -- \
    "$(find_program program_atomic_patterns)" 1500 >"$out/patterns.txt" 2>&1 || status=1
timeout 40 "$program" --device cuda --record "$out/workloads.lsr" --counters "$passes,$traffic" 'atomics:global,lanes=1|2|4|8|16|32' \
    'atomics:float,lanes=1|32' atomics:shared 'histogram:global,bins=32|128|512|1024' 'histogram:global,skew=0|50|100' histogram:shared \
    'compaction:atomic,keep=10|100' compaction:warp compaction:block >"$out/workloads.txt" 2>&1 || status=1
timeout 60 "$program" --device both --size default --record "$out/both.lsr" 'atomics:global,lanes=1|4|32' 'atomics:float,lanes=32' atomics:shared \
    'histogram:global,skew=0|100' 'histogram:global,bins=32|1024' histogram:shared histogram:warps 'compaction:atomic,keep=10|100' compaction:warp \
    compaction:block >"$out/both_said.txt" 2>&1 || status=1
"$program" report "$out/both.lsr" --json >"$out/both.json" && python3 "$(dirname "$0")/atomic_passes.py" "$out/both.json" >"$out/both.txt" || status=1
wc -l "$out"/*.csv "$out"/*.txt
exit $status
