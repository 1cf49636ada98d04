#!/bin/sh
# test_workloads.sh PROGRAM BUILD: the bundled workloads on a GPU. Alone, under the agent, and what the hardware counted beside what the access sites
# say. Prints the seconds that each took.
program=$1
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

step 5 "$program" --workload-child trace cuda 0 default --all
step 5 "$program" --workload-child trace cuda 0 small --all
step 5 "$program" --record "$folder/trace.lsr" --runs trace --all
step 60 "$program" --record "$folder/counters.lsr" --runs counters --all
step 65 "$program" --record "$folder/all.lsr"
tail -n 60 "$folder/out"
"$program" report "$folder/all.lsr" --json >"$folder/all.json" || failures=$((failures + 1))
step 10 python3 "$here/expected_equals_measured.py" "$folder/all.json"
tail -n 40 "$folder/out"
ls -l "$folder" | awk '{ print $5, $9 }'
if [ -n "$OUT" ]; then
    cp "$folder/all.lsr" "$folder/all.json" "$OUT"
fi
[ $failures -eq 0 ]
