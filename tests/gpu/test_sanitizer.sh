#!/bin/bash
# test_sanitizer.sh PROGRAM [BUILD [DEVICES]]: compute-sanitizer over the workloads at their small size, as their child runs them: memory out of bounds or
# misaligned, uninitialised, barriers misused, over all cases; and races, over all variants, a workload at a time. Six run side by side. A row for each: what
# the tool says last. It does not support kernels that launch kernels: launch:nested is left out. With two DEVICES, what needs two is run too.
program=$1
devices=${3:-1}
if [ ! -e /dev/nvidiactl ]; then
    echo "skipped: no GPU"
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# check TOOL CASE CHILDREN: the libraries' rungs run in a program of their own, which memcheck sees as well.
check() {
    local start=$EPOCHREALTIME said status
    said=$(timeout -k 2 120 compute-sanitizer --tool "$1" --target-processes "$3" --error-exitcode 9 "$program" --workload-child trace cuda 0 small "$2" 2>&1)
    status=$?
    printf '%-10s %-34s status %d  %5.1f s  %s\n' "$1" "$2" $status "$(awk "BEGIN { print $EPOCHREALTIME - $start }")" \
        "$(grep -E '(ERROR|RACECHECK) SUMMARY|Error: ' <<<"$said" | tail -n 1 | sed 's/^=* *//')"
    [ $status -eq 0 ] || echo "$said" | tail -n 12 | sed 's/^/    /'
}
export -f check
export program

"$program" list --json | python3 -c '
import json, sys
for tool in ("memcheck", "initcheck", "synccheck"):
    print(tool, "--all", "application-only")
for workload in json.load(sys.stdin)["workloads"]:
    name, variants = workload["name"], [variant["name"] for variant in workload["variants"]]
    if workload["devices_needed"] > int(sys.argv[1]):
        continue
    if "cub" in variants or "cublas" in variants:
        print("memcheck", name, "all")
    for case in [f"{name}:{variant}" for variant in variants if variant != "nested"] if "nested" in variants else [name]:
        print("racecheck", case, "application-only")
' "$devices" | xargs -P 6 -n 3 bash -c 'check "$@"' check | tee "$folder/rows"
rows=$(grep -c -v '^    ' "$folder/rows")
clean=$(grep -c -E 'status 0 .*(0 errors|0 hazards)' "$folder/rows")
echo "$clean of $rows clean"
[ "$rows" -gt 0 ] && [ "$clean" -eq "$rows" ]
