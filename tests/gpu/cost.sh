#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cost.sh LANESCOPE BUILD [ROUNDS]: what looking on costs, on a GPU: rounds (5) of each collector in turn; median, least and most; ratios. BUILD has
# probe/ (the bare collectors, made of tests/gpu/probe) and tests/agent-tap.
lanescope=$1 build=$2 rounds=${3:-5}
if [ ! -e /dev/nvidiactl ]; then
    echo "skipped: no GPU"
    exit 77
fi
export LD_LIBRARY_PATH=/usr/local/cuda/lib64:/usr/local/cuda/extras/CUPTI/lib64:$LD_LIBRARY_PATH
probe=$(cd "$build/probe" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
here=$(cd "$(dirname "$0")" && pwd)
export SAID=$scratch/said PROBE_OUT=$scratch/probe.out
metrics=$("$build/tests/agent-tap" --list-counters)

# launches NAME COMMAND...: microseconds a launch, as the program itself says.
launches() {
    local name=$1
    shift
    "$@" 2>&1 | sed -n 's/^T: empty.*: \([0-9.]*\) us a launch.*/\1/p' >>"$scratch/$name"
}

# seconds NAME COMMAND...: the whole process.
seconds() {
    local name=$1 start=$EPOCHREALTIME
    shift
    "$@" >"$scratch/out" 2>&1 || { echo "$name: ended with $?"; tail -n 5 "$scratch/out"; }
    awk "BEGIN { print $EPOCHREALTIME - $start }" >>"$scratch/$name"
}

# table BASE NAME...: median, least and most of each, and its ratio to BASE.
table() {
    local base=$1 name middle
    shift
    middle=$(sort -n "$scratch/$base" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }')
    for name; do
        sort -n "$scratch/$name" | awk -v base="$middle" -v name="$name" \
            '{ v[NR] = $1 } END { m = v[int((NR + 1) / 2)]; printf "%-28s %8.3f  (%.3f .. %.3f, %d runs)  %.3f\n", name, m, v[1], v[NR], NR, m / base }'
    done
}

date -u +%F
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
empty=("$probe/target" empty 100000)
for ((i = 0; i < rounds; i++)); do
    launches plain "${empty[@]}"
    launches bare-kernels env PROBE_KINDS=k PROBE_FLUSH_MS=20 CUDA_INJECTION64_PATH="$probe/activity.so" "${empty[@]}"
    launches bare env PROBE_KINDS=krdmsno PROBE_FLUSH_MS=20 CUDA_INJECTION64_PATH="$probe/activity.so" "${empty[@]}"
    rm -f "$scratch/said"
    XDG_STATE_HOME=$scratch/state python3 "$here/live.py" "$scratch/said" "$lanescope" -- sh -c '"$0" "$@" >"$SAID"' "${empty[@]}" >/dev/null
    launches lanescope-live cat "$scratch/said"
    launches lanescope "$lanescope" --record "$scratch/$i.lsr" -- "${empty[@]}"
done
echo "us a launch of an empty kernel, 100,000 launches; ratio to the bare collector of the same kinds"
table bare plain bare-kernels bare lanescope lanescope-live

few=("$probe/target" many 10)
export PROBE_METRICS=$metrics PROBE_FIRST=100
for ((i = 0; i < rounds; i++)); do
    seconds no-counters "${few[@]}"
    seconds bare-ranges env CUDA_INJECTION64_PATH="$probe/counters.so" "${few[@]}"
    seconds lanescope-counters "$lanescope" --record "$scratch/c$i.lsr" --counters on --launches 0 -- "${few[@]}"
    seconds ncu ncu --clock-control none --metrics "$metrics" "${few[@]}"
done
echo "seconds for a whole process whose 20 launches are all counted; ratio to the bare range profiler"
table bare-ranges no-counters bare-ranges lanescope-counters ncu
echo "... to ncu"
table ncu lanescope-counters ncu
