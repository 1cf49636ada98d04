#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# test_programs.sh LANESCOPE BUILD: strangers' CUDA programs under lanescope itself, recorded and live in a terminal. A table on standard output: exit
# status without and with lanescope, whether what the program printed is the same, seconds, what the recording holds, and the sentences it has.
lanescope=$1 build=$2
here=$(cd "$(dirname "$0")" && pwd)
if [ ! -e /dev/nvidiactl ]; then
    echo "skipped: no GPU"
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

fail() {
    echo "FAILED $name: $*"
    failures=$((failures + 1))
}

seconds() {
    date +%s.%N | awk -v start="$1" '{ printf "%.2f", $1 - start }'
}

# What a recording holds, in one line, then its sentences.
held() {
    python3 - "$1" <<'END'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
one = lambda text: db.execute(text).fetchone()[0]
print(f"{one('SELECT count(*) FROM process')} processes, {one('SELECT sum(launches) FROM kernel') or 0} launches of {one('SELECT count(*) FROM shape')} shapes, "
      f"{one('SELECT count(*) FROM copy')} copies, {one('SELECT count(*) FROM range')} ranges, {one('SELECT count(*) FROM measurement')} measured")
for (text,) in db.execute("SELECT string.text FROM notice JOIN string ON string.id = notice.text LIMIT 3"):
    print("      " + text[:200])
END
}

# program NAME OPTIONS... -- COMMAND...: plain, recorded, live.
program() {
    name=$1
    shift
    options=
    while [ "$1" != -- ]; do
        options="$options $1"
        shift
    done
    shift
    start=$(date +%s.%N)
    timeout -k 2 120 "$@" >"$folder/plain" 2>"$folder/plain.errors"
    plain=$?
    plain_s=$(seconds "$start")
    start=$(date +%s.%N)
    # shellcheck disable=SC2086
    timeout -k 2 120 "$lanescope" --record "$folder/run.lsr" $options -- "$@" >"$folder/traced" 2>"$folder/traced.errors"
    traced=$?
    traced_s=$(seconds "$start")
    start=$(date +%s.%N)
    rm -f "$folder/done"
    # shellcheck disable=SC2086
    timeout -k 2 60 python3 "$here/live.py" "$folder/done" "$lanescope" $options -- sh -c '"$@"; echo $? >'"$folder/done" sh "$@"
    live=$(cat "$folder/done" 2>/dev/null || echo none)
    live_s=$(seconds "$start")
    head -c "$(stat -c %s "$folder/plain")" "$folder/traced" | cmp -s - "$folder/plain" && same=same || same=DIFFERENT
    printf '%-22s status %3s, recorded %3s, live %4s; printed the %s; %s s, recorded %s s, live %s s; %s\n' "$name$options" "$plain" "$traced" "$live" \
        "$same" "$plain_s" "$traced_s" "$live_s" "$(held "$folder/run.lsr")"
    [ "$plain" = "$traced" ] || fail "exit status $traced instead of $plain"
    [ "$plain" = "$live" ] || fail "live: exit status $live instead of $plain"
    [ $same = same ] || fail "what it prints changed"
}

p=$build/tests/program_
program million -- "${p}million" 1000000
program contexts -- "${p}contexts" 2000
program graph -- "${p}graph" 10000 20
program children -- "${p}children"
program leave -- "${p}leave" 20000
program illegal -- "${p}illegal"
program reset -- "${p}reset"
program phases -- "${p}phases"
program million --counters on -- "${p}million" 100000
program contexts --counters on -- "${p}contexts" 200
program children --counters on -- "${p}children"
program torch -- python3 "$here/programs/train.py"
program torch --counters on -- python3 "$here/programs/train.py" plain
[ $failures -eq 0 ]
