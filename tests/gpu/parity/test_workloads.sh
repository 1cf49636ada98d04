#!/bin/sh
# test_workloads.sh LANESCOPE SOURCE: the bundled workloads on the device model, at their small size, beside what a GPU counted
# of them (docs/parity.md), and what the lessons on overlap say of them.
set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" --device simt --size small --record "$folder/model.lsr" --all >"$folder/log" 2>&1 || {
    cat "$folder/log"
    exit 1
}
"$1" report --json "$folder/model.lsr" >"$folder/model.json"
python3 "$2/tests/gpu/parity/parity.py" compare "$folder/model.json" "$2/tests/data/parity" "$2/docs/parity.md"
python3 "$2/tests/gpu/parity/overlap_shows.py" "$folder/model.json"
