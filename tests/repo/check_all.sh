#!/bin/sh
# check_all.sh LANESCOPE: the checks find nothing in the bundled workloads, in both orders of blocks and warps.
set -eu
lanescope=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for order in "" --reverse; do
    # shellcheck disable=SC2086
    "$lanescope" --device simt --check $order --all --record "$folder/all.lsr" > "$folder/out" 2>&1 || {
        tail -20 "$folder/out"
        exit 1
    }
    if grep -E "race in|not awaited|never written|divergent code|member mask|were not compared|too long to record" "$folder/out"; then
        exit 1
    fi
done
