#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_all.sh LANESCOPE [--reverse]: the checks find nothing in the bundled workloads, in this order of blocks and warps, but the fetch of
# texture-kinds:written-during.
set -eu
lanescope=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$lanescope" --device simt --check "$@" --all --record "$folder/all.lsr" > "$folder/out" 2>&1 && status=0 || status=$?
grep -v "texel written by this launch: in texture_line_written" "$folder/out" > "$folder/other" || true
if [ "$status" -ne 1 ] || cmp -s "$folder/out" "$folder/other"; then
    tail -20 "$folder/out"
    exit 1
fi
! grep -E "race in|texel written|not awaited|has written before|lane that ended|divergent code|member mask|were not compared|too long to record" "$folder/other"
