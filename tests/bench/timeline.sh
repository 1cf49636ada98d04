#!/bin/sh
# timeline.sh BENCH_FOLDER [EVENTS]: every figure of the timeline in one table: frame time, bytes per event,
# events taken in, recording beside bare inserts, the first frame of a large recording, bytes to the terminal.
# BENCH_FOLDER is where the programs bench_NAME lie (build/release/tests, configured with LANESCOPE_TESTS=ON).
# docs/results/timeline.txt keeps what it printed. Wants an idle machine, some 2 GB of memory and 1 GB of disk.
set -eu
programs=$1
events=${2:-10000000}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

printf 'timeline figures, %s\n' "$(date -u +%Y-%m-%d)"
printf 'CPU: %s, %s cores\n' "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)"
printf 'command: tests/bench/timeline.sh build/release/tests %s\n' "$events"

printf '\n-- taking events in; level of detail --\n'
"$programs/bench_session" "$events"

printf '\n-- a frame, and its bytes --\n'
"$programs/bench_frame" "$events"

printf '\n-- recording --\n'
"$programs/bench_recording" 500000 "$folder" "$((events / 2))"
