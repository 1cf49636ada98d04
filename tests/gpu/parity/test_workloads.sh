#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# test_workloads.sh LANESCOPE SOURCE: the bundled workloads on the device model, at their small size, beside what a GPU counted
# of them (docs/parity.md), and what the lessons on overlap say of them. Each exact count of the model is to be what the
# workload's access sites say, and no fewer are to be compared than when this was last raised.
set -e
least=8460
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" --device simt --size small --record "$folder/model.lsr" --full --all >"$folder/log" 2>&1 || {
    cat "$folder/log"
    exit 1
}
verdict=$(sed -n 's/^\([0-9,]*\) of \([0-9,]*\) exact counts are as expected$/\1 \2/p' "$folder/log" | tr -d ,)
same=${verdict% *} compared=${verdict#* }
if [ "${compared:-0}" -lt $least ] || [ "$same" != "$compared" ]; then
    grep -B 1 'not as expected' "$folder/log" || true
    echo "${same:-0} of ${compared:-0} exact counts are as expected; all of at least $least are to be"
    exit 1
fi
"$1" report --json "$folder/model.lsr" >"$folder/model.json"
python3 "$2/tests/gpu/parity/parity.py" compare "$folder/model.json" "$2/tests/data/parity" "$2/docs/parity.md"
python3 "$2/tests/gpu/parity/overlap_shows.py" "$folder/model.json"
