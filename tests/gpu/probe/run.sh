#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh: builds nothing; runs the probe's questions one after the other, each under a time limit, and prints figures.
# Usage: run.sh BUILD_FOLDER (with target, activity.so, counters.so, show; see docs/cupti-notes.md).
B=$(cd "${1:?build folder}" && pwd)
HERE=$(cd "$(dirname "$0")" && pwd)
export LD_LIBRARY_PATH=/usr/local/cuda/lib64:/usr/local/cuda/extras/CUPTI/lib64:$LD_LIBRARY_PATH
OTHER=$(ls /usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13 /usr/local/cuda/lib64/libcupti.so.13 2>/dev/null | head -n 1)
T=${PROBE_LIMIT:-20}
only=${2:-.}

c() { # c LABEL ENV... -- ARGS: under the counters agent
    local label=$1 env=(); shift
    [[ $label =~ $only ]] || return
    while [ "$1" != -- ]; do env+=("$1"); shift; done; shift
    echo "=== $label: ${env[*]} target $*"
    local t=$EPOCHREALTIME
    env "${env[@]}" CUDA_INJECTION64_PATH="$B/counters.so" timeout -k 2 "$T" "$B/target" "$@" 2>&1 | head -n "${LINES_MAX:-40}"
    echo "rc ${PIPESTATUS[0]}, $(awk "BEGIN{printf \"%.2f s\", $EPOCHREALTIME-$t}")"
}
a() { # a LABEL ENV... -- ARGS: under the activity agent
    local label=$1 env=(); shift
    [[ $label =~ $only ]] || return
    while [ "$1" != -- ]; do env+=("$1"); shift; done; shift
    echo "=== $label: ${env[*]} target $*"
    rm -f /tmp/probe.out
    env "${env[@]}" PROBE_OUT=/tmp/probe.out CUDA_INJECTION64_PATH="$B/activity.so" timeout -k 2 "$T" "$B/target" "$@" 2>&1 | head -n "${LINES_MAX:-40}"
    echo "rc ${PIPESTATUS[0]}"
    "$B/show" /tmp/probe.out
}
p() { # p LABEL ENV... -- ARGS: PyTorch under the activity agent
    local label=$1 env=(); shift
    [[ $label =~ $only ]] || return
    while [ "$1" != -- ]; do env+=("$1"); shift; done; shift
    echo "=== $label: ${env[*]} torch $*"
    rm -f /tmp/probe.out
    env -u LD_LIBRARY_PATH "${env[@]}" PROBE_OUT=/tmp/probe.out timeout -k 2 60 python3 "$HERE/torch_probe.py" "$@" 2>&1 | head -n 40
    echo "rc ${PIPESTATUS[0]}"
}
n() { # n LABEL ARGS: with no agent
    local label=$1; shift
    [[ $label =~ $only ]] || return
    echo "=== $label: plain target $*"
    timeout -k 2 "$T" "$B/target" "$@" 2>&1
}

date -u
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
n plain many 10000
n plain empty 300000
n plain graph 10000 20
n plain threads 500 8 4
n plain coop 3
n plain bytes 3

# 1 range profiler from callbacks
c q1-each -- many 5000
c q1-each-reconfig PROBE_RECONFIG=1 -- many 5000
c q1-batch PROBE_BATCH=64 -- many 5000
c q1-batch-reconfig PROBE_BATCH=64 PROBE_FIRST=50 PROBE_RECONFIG=1 -- many 1000
c q1-each-50 PROBE_FIRST=50 -- many 1000
c q1-long PROBE_BATCH=200 PROBE_FIRST=50 PROBE_LONG=200 -- many 1000
c q1-two-threads PROBE_FIRST=20 -- threads 300 2 1
c q1-eight-four PROBE_FIRST=5 -- threads 300 8 4
c q1-eight-four-batch PROBE_FIRST=5 PROBE_BATCH=16 -- threads 300 8 4
c q1-two-threads-nolock PROBE_FIRST=20 PROBE_LOCK=0 -- threads 300 2 1

# 2 sets
for s in hw sass all; do c q2-$s PROBE_SET=$s PROBE_FIRST=20 -- many 100; done
LINES_MAX=330 c q2-bytes PROBE_FIRST=1 PROBE_SHOW=9 PROBE_SET=sass -- bytes 2
LINES_MAX=60 c q2-values PROBE_FIRST=1 PROBE_SHOW=1 -- many 2

# 4 graphs, cooperative, illegal address, reset
c q4-graph PROBE_GRAPH=1 PROBE_BATCH=8 PROBE_FIRST=2 PROBE_SHOW=1 -- graph 5 4
c q4-graph-kernels PROBE_FIRST=2 -- graph 5 4
c q6-coop PROBE_COOP=1 -- coop 3
c q6-illegal -- illegal 5
c q6-reset PROBE_FIRST=2 -- reset 5

# 4b graphs captured without the profiler; contexts that take turns; what one pass costs, by metric
LINES_MAX=90 c r4-graph PROBE_GRAPH=1 PROBE_ONLY=graph PROBE_BATCH=8 PROBE_FIRST=2 PROBE_SHOW=2 -- graph 5 4
c r1-switch PROBE_SWITCH=1 PROBE_FIRST=3 -- threads 300 8 4
c r1-switch-two PROBE_SWITCH=1 PROBE_FIRST=10 -- threads 300 8 2
sets=(gpu__time_duration.sum l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
    sm__warps_active.avg.pct_of_peak_sustained_active dram__bytes_read.sum lts__t_sector_hit_rate.pct
    l1tex__t_sector_hit_rate.pct smsp__inst_executed_op_shared_ld_pred_on_any.sum
    gpu__time_duration.sum,sm__warps_active.avg.pct_of_peak_sustained_active
    gpu__time_duration.sum,sm__warps_active.avg.pct_of_peak_sustained_active,dram__bytes_read.sum,dram__bytes_write.sum,l1tex__t_sector_hit_rate.pct
    gpu__time_duration.sum,smsp__sass_data_bytes_mem_global_op_ld.sum)
for m in "${sets[@]}"; do c r2-pass PROBE_METRICS="$m" PROBE_FIRST=10 -- many 12; done
for m in 16 1024; do
    c r2-big PROBE_ONLY=fill PROBE_SET=hw -- big $m
    c r2-big PROBE_ONLY=fill PROBE_SET=all -- big $m
    c r2-big PROBE_ONLY=fill PROBE_SET=sass -- big $m
done

# 5 what survives _exit
for i in 1 2 3 4 5; do
    a q5-flush20 PROBE_FLUSH_MS=20 -- exit3
    a q5-flush5 PROBE_FLUSH_MS=5 -- exit3
    a q5-kick PROBE_FLUSH_MS=20 PROBE_KICK=1 -- exit3
done
a q5-callback PROBE_FLUSH_MS=20 PROBE_KICK=2 -- exit3

# 6 activity
a q6-dump PROBE_KINDS=krdm PROBE_DUMP=24 PROBE_SECOND=1 PROBE_CLOCK=1 -- many 3
a q6-dump-graph PROBE_KINDS=krd PROBE_DUMP=40 -- graph 2 4
a q6-cost-k PROBE_KINDS=k PROBE_BUFFER=262144 -- empty 300000
a q6-cost-k PROBE_KINDS=k PROBE_BUFFER=1048576 -- empty 300000
a q6-cost-k PROBE_KINDS=k PROBE_BUFFER=1048576 PROBE_FLUSH_MS=5 -- empty 300000
a q6-cost-krd PROBE_KINDS=krd PROBE_BUFFER=262144 -- empty 300000
a q6-cost-krd PROBE_KINDS=krd PROBE_BUFFER=1048576 -- empty 300000
a q6-cost-kr PROBE_KINDS=kr PROBE_BUFFER=1048576 -- empty 300000
a q6-cost-kr-launch PROBE_KINDS=krd PROBE_ONLY_LAUNCH=1 PROBE_BUFFER=1048576 -- empty 300000
a q6-graph PROBE_KINDS=k -- graph 10000 20
a q6-graph PROBE_KINDS=k PROBE_BUFFER=1048576 -- graph 10000 20
a q6-graph-trace PROBE_KINDS=kg PROBE_DUMP=2 -- graph 10000 20
a q6-illegal PROBE_KINDS=krd -- illegal 1000
a q6-reset PROBE_KINDS=krd -- reset 1000
a q6-threads PROBE_KINDS=krd -- threads 20000 8 4

# 3 PyTorch with its own profiler
p q3-plain -- early
p q3-early CUDA_INJECTION64_PATH=$B/activity.so -- early
p q3-late CUDA_INJECTION64_PATH=$B/activity.so -- late
p q3-early-rearm PROBE_REARM=1 CUDA_INJECTION64_PATH=$B/activity.so -- early
p q3-early-other-copy PROBE_CUPTI=$OTHER CUDA_INJECTION64_PATH=$B/activity.so -- early
p q3-late-other-copy PROBE_CUPTI=$OTHER CUDA_INJECTION64_PATH=$B/activity.so -- late
date -u
