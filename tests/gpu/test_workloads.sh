#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# test_workloads.sh PROGRAM BUILD [--all]: the bundled workloads on a GPU. Alone, under the agent, and what the hardware counted beside what the access
# sites say. Prints the seconds that each took. The limits are for the 174 cases of the first seven workloads; with --all, all there are run, without a limit.
program=$1
what=${3:-}
here=$(cd "$(dirname "$0")" && pwd)
if [ ! -e /dev/nvidiactl ]; then
    echo "skipped: no GPU"
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

# step LIMIT_S COMMAND...: it must end with 0 within the limit.
step() {
    limit=$1
    shift
    start=$(date +%s.%N)
    timeout -k 2 300 "$@" >"$folder/out" 2>&1
    status=$?
    seconds=$(date +%s.%N | awk -v start="$start" '{ printf "%.2f", $1 - start }')
    echo "$seconds s, exit status $status: $*" | sed "s|$folder/||g; s|$here/||g"
    if [ $status -ne 0 ]; then
        tail -n 40 "$folder/out"
        failures=$((failures + 1))
    elif awk -v seconds="$seconds" -v limit="$limit" 'BEGIN { exit !(seconds > limit) }'; then
        echo "FAILED: took longer than $limit s"
        failures=$((failures + 1))
    fi
}

name=seven
if [ "$what" = --all ]; then
    name=everything
    step 300 "$program" --record "$folder/$name.lsr"
else
    set -- copy-offset,offset=0..32 copy-stride,stride=1..32 bank-stride:32-bit,stride=1..33
    for width in 8 16 64 128; do
        set -- "$@" "bank-stride:$width-bit,stride=1..4|6|8|12|16|17|24|32|33"
    done
    set -- "$@" transpose matmul-ab n-way staged-overlap:whole-pinned staged-overlap:whole-pageable
    set -- "$@" 'staged-overlap:staged-pinned,streams=1|2|3|4|6|8|12|16' 'staged-overlap:staged-pageable,streams=1|2|4|8|16'
    step 5 "$program" --workload-child trace cuda 0 default "$@"
    step 5 "$program" --workload-child trace cuda 0 small "$@"
    step 5 "$program" --record "$folder/trace.lsr" --runs trace "$@"
    step 60 "$program" --record "$folder/counters.lsr" --runs counters "$@"
    step 65 "$program" --record "$folder/$name.lsr" "$@"
fi
tail -n 60 "$folder/out"
"$program" report "$folder/$name.lsr" --json >"$folder/report.json" || failures=$((failures + 1))
step 10 python3 "$here/expected_equals_measured.py" "$folder/report.json"
tail -n 40 "$folder/out"
ls -l "$folder" | awk '{ print $5, $9 }'
if [ -n "$OUT" ]; then
    cp "$folder/$name.lsr" "$OUT"
fi
[ $failures -eq 0 ]
