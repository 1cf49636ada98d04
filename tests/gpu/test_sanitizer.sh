#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# test_sanitizer.sh PROGRAM [BUILD [DEVICES]]: compute-sanitizer over every case that --all has, at the small size, as its child runs it: memory out of
# bounds or misaligned, uninitialised, barriers misused, races. A row for each tool and workload, six side by side: what the tool says last. The cases are
# those that the device model runs: without libraries', whose program memcheck sees alone (a child that the tool does not follow hangs under it). Kernels
# that launch kernels it does not support: launch:nested is left out. With two DEVICES, what needs two is run too.
program=$1
devices=${3:-1}
if [ ! -e /dev/nvidiactl ]; then
    echo "skipped: no GPU"
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

check() { # check TOOL NAME CHILDREN CASE...
    local tool=$1 name=$2 children=$3 start=$EPOCHREALTIME said status
    shift 3
    said=$(timeout -k 2 120 compute-sanitizer --tool "$tool" --target-processes "$children" --error-exitcode 9 "$program" --workload-child trace cuda 0 small "$@" 2>&1)
    status=$?
    printf '%-10s %-20s %3d cases  status %d  %5.1f s  %s\n' "$tool" "$name" $# $status "$(awk "BEGIN { print $EPOCHREALTIME - $start }")" \
        "$(grep -E '(ERROR|RACECHECK) SUMMARY|Error: ' <<<"$said" | tail -n 1 | sed 's/^=* *//')"
    [ $status -eq 0 ] || echo "$said" | tail -n 12 | sed 's/^/    /'
}
export -f check
export program

"$program" --record "$folder/model.lsr" --device simt --size small --all >"$folder/model.txt" 2>&1 &&
    "$program" report "$folder/model.lsr" --json >"$folder/model.json" || exit 1
"$program" list --json | PYTHONPATH="$(dirname "$0")/../tools" python3 -c '
import json, report_runs, sys
with open(sys.argv[1], encoding="utf-8") as file:
    ran = [run for run in report_runs.nested(json.load(file))["runs"] if run["verified"]]
for workload in json.load(sys.stdin)["workloads"]:
    name, libraries = workload["name"], [v["name"] for v in workload["variants"] if v["name"] in ("cub", "cublas")]
    cases = [",".join([name + ":" + run["variant"], *(f"{p}={v}" for p, v in run["params"].items())])
             for run in ran if run["workload"] == name and run["variant"] != "nested"]
    if workload["devices_needed"] > 1:
        cases = [name] if workload["devices_needed"] <= int(sys.argv[2]) else []
    for tool in ("memcheck", "initcheck", "synccheck", "racecheck") if cases else ():
        print(tool, name, "application-only", *cases)
    for library in libraries:
        print("memcheck", f"{name}:{library}", "all", f"{name}:{library}")
' "$folder/model.json" "$devices" | xargs -P 6 -L 1 bash -c 'check "$@"' check | tee "$folder/rows"
rows=$(grep -c -v '^    ' "$folder/rows")
clean=$(grep -c -E 'status 0 .*(0 errors|0 hazards)' "$folder/rows")
echo "$clean of $rows clean"
[ "$rows" -gt 0 ] && [ "$clean" -eq "$rows" ]
