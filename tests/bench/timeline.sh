#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# timeline.sh BENCH_FOLDER [EVENTS]: every figure of the timeline beside what was aimed at, in one table, then
# what each program printed: frame time, bytes per event, events taken in, recording beside bare inserts, the
# first frame of a large recording, bytes to the terminal, a limit of memory, a night of counters over time.
# BENCH_FOLDER is where the programs bench_NAME lie (build/release/tests, configured with LANESCOPE_TESTS=ON).
# docs/results/timeline.txt keeps what it printed. Wants an idle machine, some 2 GB of memory and 2 GB of disk.
set -eu
programs=$1
events=${2:-10000000}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
load=$(cut -d ' ' -f 1-3 /proc/loadavg)

run() {
    printf '\n-- %s --\n' "$1" >> "$folder/all"
    shift
    "$@" >> "$folder/all"
}
run 'taking events in; level of detail' "$programs/bench_session" "$events"
run 'a frame, and its bytes' "$programs/bench_frame" "$events"
run 'recording' "$programs/bench_recording" 500000 "$folder" "$((events / 2))"
run 'a limit of memory' "$programs/bench_memory" "$((events * 3))" "$folder" "$((events / 40000 + 6))"
run 'counters over time' "$programs/bench_samples" 12 1000

printf 'timeline figures, %s\n' "$(date -u +%Y-%m-%d)"
printf 'CPU: %s, %s cores; load before and after: %s, %s\n' \
    "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)" "$load" "$(cut -d ' ' -f 1-3 /proc/loadavg)"
printf 'command: tests/bench/timeline.sh build/release/tests %s\n\n' "$events"
printf '%-62s %10s %-10s %-16s %s\n' 'figure' 'is' '' 'aim' 'met'
sed -n 's/^= //p' "$folder/all"
sed '/^= /d' "$folder/all"
