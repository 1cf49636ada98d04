#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# test_old_names.sh PROGRAM BUILD: the old profiler's counters, and effective beside DRAM and theoretical bandwidth, of a few workloads on a GPU.
program=$1
here=$(cd "$(dirname "$0")" && pwd)
if [ ! -e /dev/nvidiactl ]; then
    echo "skipped: no GPU"
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$program" --record "$folder/old.lsr" 'copy-stride,stride=1|2|8|32' 'divergence,ways=8' transpose:naive registers >"$folder/out" 2>&1 || {
    tail -n 40 "$folder/out"
    exit 1
}
"$program" report "$folder/old.lsr" --json >"$folder/old.json" && python3 "$here/old_names.py" "$folder/old.json"
