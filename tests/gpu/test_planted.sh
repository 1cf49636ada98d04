#!/bin/sh
# test_planted.sh LANESCOPE BUILD: programs with one thing wrong with the run as a whole (programs/planted.cu, and
# programs/planted.py where there is PyTorch), and their fixed twins, traced: the first advice must be the planted one, and be silent on the twin. Prints the table of
# docs/results/planted.md. Ends with 77 where there is no GPU.
set -eu
program=$1
planted=$2/tests/program_planted
[ -x "$planted" ] || { echo 'skipped: no CUDA programs were built'; exit 77; }
"$planted" few_blocks fixed >/dev/null 2>&1 || { echo 'skipped: no GPU'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
here=$(cd "$(dirname "$0")" && pwd)

# one FAULT COMMAND...: the program and its fixed twin.
one() {
    fault=$1
    shift
    for kind in bad fixed; do
        "$program" --record "$work/$kind.lsr" --memory 0 -- "$@" "$fault" "$kind" >"$work/$kind.txt" 2>&1 ||
            echo "lanescope ended with $? on $fault $kind"
        "$program" report "$work/$kind.lsr" --json >"$work/$kind.json"
        [ -z "${OUT:-}" ] || cp "$work/$kind.txt" "$OUT/planted_${1##*/}_${fault}_$kind.txt"
    done
    python3 - "$fault" "$work" "${1##*/}" <<'PYTHON'
import json, sys
fault, work, program = sys.argv[1:]

def advice(kind):
    report = json.load(open(f"{work}/{kind}.json"))
    runs = [run for run in report["runs"] if run["time"]]
    return [(a["id"], a["gain_at_most"], a["text"]) for run in runs for a in run["advice"]]

bad, fixed = advice("bad"), advice("fixed")
right = bool(bad) and bad[0][0] == fault and all(a[0] != fault for a in fixed)
text = f"{bad[0][2]} (<= {100 * bad[0][1]:.0f} %)" if bad else "nothing"
others = ", ".join(a[0] for a in fixed) or "nothing"
print(f"| {program} {fault} | {text} | {others} | {'right' if right else 'WRONG'} |")
PYTHON
}

{
    for fault in $("$planted"); do
        one "$fault" "$planted"
    done
    if python3 -c 'import torch' 2>/dev/null; then
        for fault in $(python3 "$here/programs/planted.py"); do
            one "$fault" python3 "$here/programs/planted.py"
        done
    fi
} >"$work/table"
echo '| planted | said first | said of the fixed twin | |'
echo '|---|---|---|---|'
cat "$work/table"
! grep -q -e WRONG -e 'ended with' "$work/table"
