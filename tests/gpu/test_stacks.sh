#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# test_stacks.sh LANESCOPE BUILD: call paths (--stacks) of a native program (programs/stacks.cu) and of Python programs
# (programs/stacks.py, by the CUDA driver and, where there is PyTorch, by that): the program prints the same with and without,
# the line that launches is named, and what a launch costs. Prints a table: the median of five runs, each run's own median of
# 50 groups of 400 launches, the three ways in turn. Ends with 77 where there is no GPU.
set -eu
program=$(realpath "$1")
native=$(realpath "$2")/tests/program_stacks
[ -x "$native" ] || { echo 'skipped: no CUDA programs were built'; exit 77; }
"$native" 1 /dev/null >/dev/null 2>&1 || { echo 'skipped: no GPU'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
here=$(cd "$(dirname "$0")" && pwd)
rounds=${ROUNDS:-5}

# run_ways NAME WANTED COMMAND... DEPTH: plain, traced without and with call paths.
run_ways() {
    name=$1
    wanted=$2
    shift 2
    for round in $(seq "$rounds"); do
        for way in plain traced stacks; do
            times=$work/$name.$way.$round
            case $way in
            plain) "$@" "$times" >"$work/$way.txt" 2>&1 ;;
            traced) "$program" --record "$work/$name.$way.lsr" --runs trace --sample off --no-stacks -- "$@" "$times" >"$work/$way.txt" 2>&1 ;;
            stacks) "$program" --record "$work/$name.$way.lsr" --runs trace --sample off --stacks -- "$@" "$times" >"$work/$way.txt" 2>&1 ;;
            esac || { echo "$name $way ended with $?: $(tail -n 3 "$work/$way.txt")"; return; }
            grep '^counter ' "$work/$way.txt" >"$work/$way.out" || echo "nothing" >"$work/$way.out"
            cmp -s "$work/plain.out" "$work/$way.out" || echo "WRONG: $name prints other numbers when $way"
            [ "$round" = "$rounds" ] || rm -f "$work/$name.$way.lsr"
        done
    done
    "$program" report "$work/$name.stacks.lsr" --json >"$work/$name.json"
    [ -z "${OUT:-}" ] || { cp "$work/$name.json" "$OUT/stacks_$name.json"; "$program" report "$work/$name.stacks.lsr" --stacks >"$OUT/stacks_$name.txt" 2>&1; }
    PYTHONPATH="$here/../tools" python3 - "$name" "$wanted" "$work" "$rounds" <<'PYTHON'
import json, report_runs, statistics, sys
name, wanted, work, rounds = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])

def cost(way):
    runs = [statistics.median(map(int, open(f"{work}/{name}.{way}.{i + 1}"))) for i in range(rounds)]
    return statistics.median(runs), min(runs), max(runs)

kernels = [k for run in report_runs.nested(json.load(open(f"{work}/{name}.json")))["runs"] for k in run["kernels"]]
busiest = max(kernels, key=lambda k: k["launches"])
sites = busiest.get("launched_from", [])
first = sites[0] if sites else {"function": "nothing", "file": "", "line": None, "launches": 0}
place = f"{first['file']}:{first['line']} {first['function']}" if first["line"] else f"{first['function']} ({first['file']})"
known = sum(site["launches"] for site in sites)
plain = wanted.replace("Driver.", "").replace("Torch.", "")  # Python before 3.11 has no classes in names
right = place in (wanted, plain) and known == busiest["launches"]
ways = [cost(way) for way in ("plain", "traced", "stacks")]
cells = " | ".join(f"{median:.0f} ({least:.0f} to {most:.0f})" for median, least, most in ways)
print(f"| {name} | {cells} | {ways[2][0] - ways[1][0]:.0f} | {known} of {busiest['launches']} | {place} | {'right' if right else 'WRONG'} |")
PYTHON
}

line_of() { # the line of stacks.py with that comment
    grep -n "# $1 launches here" "$here/programs/stacks.py" | cut -d: -f1
}

cd "$here" # files are named from the program's folder on
{
    for depth in 5 30; do
        run_ways "native_$depth" "launch_leaf(unsigned int*) (program_stacks)" "$native" "$depth"
        run_ways "python_driver_$depth" "programs/stacks.py:$(line_of driver) Driver.launch" python3 "$here/programs/stacks.py" driver "$depth"
    done
    if python3 -c 'import torch' 2>/dev/null; then
        rounds=3 # PyTorch takes seconds to start
        run_ways python_torch_10 "programs/stacks.py:$(line_of torch) Torch.launch" python3 "$here/programs/stacks.py" torch 10
    fi
} >"$work/table"
echo '| program, depth | ns a launch, plain | traced | with call paths | more | launches with a path | launched from | |'
echo '|---|---|---|---|---|---|---|---|'
cat "$work/table"
! grep -q -e WRONG -e 'ended with' "$work/table"
