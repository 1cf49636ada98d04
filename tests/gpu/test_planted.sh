#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# test_planted.sh LANESCOPE BUILD [PATTERN]: programs with one thing wrong with them (programs/planted.cu, and
# programs/planted.py where there is PyTorch) and their fixed twins. What the verdict on the run says first must be
# the planted fault, and it must not say so of the twin. Prints the table of docs/results/planted.md. Ends with 77
# where there is no GPU. PATTERN: only faults that it matches.
set -eu
program=$1
planted=$2/tests/program_planted
pattern=${3:-.}
[ -x "$planted" ] || { echo 'skipped: no CUDA programs were built'; exit 77; }
"$planted" few_blocks fixed >/dev/null 2>&1 || { echo 'skipped: no GPU'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
here=$(cd "$(dirname "$0")" && pwd)

# one FAULT COMMAND...: the program and its fixed twin.
one() {
    fault=$1
    shift
    runs=trace
    case $fault in */counted) runs=trace,counters ;; esac
    for kind in bad fixed; do
        "$program" --record "$work/$kind.lsr" --memory 0 --runs $runs -- "$@" "$fault" "$kind" >"$work/$kind.txt" 2>&1 ||
            echo "lanescope ended with $? on $fault $kind"
        "$program" report "$work/$kind.lsr" --json >"$work/$kind.json"
    done
    PYTHONPATH="$here/../tools" python3 - "$fault" "$work" "${1##*/}" <<'PYTHON'
import json, report_runs, sys
fault, work, program = sys.argv[1:]

def findings(kind):
    report = report_runs.nested(json.load(open(f"{work}/{kind}.json")))
    return [v["advice"] for run in report["runs"] if run["verdict"] for v in run["verdict"]["findings"]]

bad, fixed, rule = findings("bad"), findings("fixed"), fault.split("/")[0]
right = bool(bad) and bad[0]["id"] == rule and all(a["id"] != rule for a in fixed)
text = f"{bad[0]['text']} (<= {100 * bad[0]['gain_at_most']:.0f} %)" if bad else "nothing"
others = ", ".join(a["id"] for a in fixed) or "nothing"
print(f"| {program} {fault} | {text} | {others} | {'right' if right else 'WRONG'} |")
PYTHON
}

{
    for fault in $("$planted" | grep -e "$pattern"); do
        one "$fault" "$planted"
    done
    if python3 -c 'import torch' 2>/dev/null; then
        for fault in $(python3 "$here/programs/planted.py" | grep -e "$pattern"); do
            one "$fault" python3 "$here/programs/planted.py"
        done
    fi
} >"$work/table"
echo '| planted | said first | said of the fixed twin | |'
echo '|---|---|---|---|'
cat "$work/table"
! grep -q -e WRONG -e 'ended with' "$work/table"
