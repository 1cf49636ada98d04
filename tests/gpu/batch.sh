#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# batch.sh BUILD [PART...]: everything that needs a GPU, in one call; PARTs are the functions below, all of them without any. What is worth keeping
# goes into $OUT (a folder). Prints each part's seconds and exit status; ends with 0 if all did.
build=$(cd "${1:?build folder}" && pwd)
shift
here=$(cd "$(dirname "$0")" && pwd)
program=$build/lanescope
OUT=${OUT:-$(mktemp -d)}
export OUT

machine() {
    nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,ecc.mode.current --format=csv,noheader
    "$program" doctor
}

workloads() {
    sh "$here/test_workloads.sh" "$program" "$build"
}

# Also those that came after the first seven.
everything() {
    sh "$here/test_workloads.sh" "$program" "$build" --all
}

agent() {
    sh "$here/test_agent.sh" "$program" "$build"
}

# Strangers' programs under lanescope itself.
strangers() {
    sh "$here/test_programs.sh" "$program" "$build"
}

# The GPU programs of the rooms: test_*.c of this folder.
programs() {
    local status=0 test
    for test in "$build"/tests/gpu_test_*; do
        [ -x "$test" ] || continue
        echo "--- ${test##*/}"
        timeout -k 2 120 "$test" || status=1
    done
    return $status
}

ncu() {
    python3 "$here/compare_with_ncu.py" "$program" --turns 5 --keep "$OUT" >"$OUT/compare_with_ncu.txt" 2>&1
    local status=$?
    grep DIFFERS "$OUT/compare_with_ncu.txt" | head -n 40
    tail -n 3 "$OUT/compare_with_ncu.txt"
    return $status
}

# The measured side of docs/parity.md.
parity() {
    sh "$here/parity/run.sh" "$program" "$build/tests/parity_cuda" "$OUT"
}

# Out of bounds, uninitialised, misused barriers, races, over every kernel at small sizes.
sanitizer() {
    bash "$here/test_sanitizer.sh" "$program" >"$OUT/sanitizer.txt" 2>&1
    local status=$?
    grep -v ' status 0 ' "$OUT/sanitizer.txt"
    return $status
}

# Counters over time.
sampler() {
    bash "$here/test_sampler.sh" "$program" "$build" "$OUT"
}

# Programs with one thing wrong with the run as a whole, and their fixed twins.
planted() {
    OUT=$OUT sh "$here/test_planted.sh" "$program" "$build" >"$OUT/planted.md" 2>&1
    local status=$?
    cat "$OUT/planted.md"
    return $status
}

# What lines and instructions cost.
lines() {
    python3 "$here/test_lines.py" "$program" "$OUT" "$build/tests/program_phases" >"$OUT/lines.txt" 2>&1
    local status=$?
    grep -v '^ok' "$OUT/lines.txt" | tail -n 20
    return $status
}

failed=0
[ $# -gt 0 ] || set -- machine workloads everything agent strangers programs planted ncu parity sanitizer sampler lines
for part; do
    echo "=== $part"
    start=$EPOCHREALTIME
    "$part"
    status=$?
    [ $status -eq 0 ] || failed=1
    printf '=== %s ended with %d after %.1f s\n' "$part" $status "$(awk "BEGIN { print $EPOCHREALTIME - $start }")"
done
exit $failed
