#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# test_agent.sh PROGRAM BUILD [PATTERN]: the agent inside strangers' CUDA programs, on a GPU. Each case runs a program under agent-tap, prints what
# came over the wire, and checks it. PATTERN: only cases whose name contains it.
build=$2 only=${3:-}
if [ ! -e /dev/nvidiactl ]; then
    echo "skipped: no GPU"
    exit 77
fi
tap=$build/tests/agent-tap
programs=$(cd "$(dirname "$0")" && pwd)/programs
out=$(mktemp)
failures=0
show=2 # kernels printed

# run NAME STATUS CONFIG PROGRAM...: the program's exit status must be STATUS; what was printed is in $out.
run() {
    name=$1 wanted=$2 config=$3
    shift 3
    case $name in *"$only"*) ;; *) chosen=no; return ;; esac
    chosen=yes
    echo "=== $name: $config $*"
    timeout -k 2 120 "$tap" --show "$show" --config "$config" -- "$@" >"$out" 2>&1
    status=$?
    cut -c1-300 "$out"
    [ $status -eq "$wanted" ] || fail "ended with $status instead of $wanted"
}

fail() {
    echo "FAILED $name: $*"
    failures=$((failures + 1))
}

# has PATTERN...: every pattern is a line of the output.
has() {
    [ $chosen = yes ] || return
    for pattern in "$@"; do
        grep -qE -- "$pattern" "$out" || fail "no line matches '$pattern'"
    done
}

lacks() {
    [ $chosen = yes ] || return
    grep -qE -- "$1" "$out" && fail "a line matches '$1'"
}

# at_least KIND NUMBER: so many events of a kind, over all processes.
at_least() {
    [ $chosen = yes ] || return
    count=$(sed -n "s/^process .* $1 \([0-9]*\).*/\1/p" "$out" | awk '{ n += $1 } END { print n + 0 }')
    [ "$count" -ge "$2" ] || fail "$count of $1, at least $2 expected"
}

p=$build/tests/program_
trace='mode=trace;'
counters='mode=counters;'
whole='malformed 0 torn 0'

run trace-million 0 "$trace" ${p}million 1000000
at_least kernel 1000000 && has "$whole" 'goodbye 1'
run trace-contexts 0 "$trace" ${p}contexts 2000
at_least kernel 16000 && has "$whole" 'goodbye 1'
run trace-graph-few 0 "$trace" ${p}graph 100 20
at_least kernel 2000 && has "$whole"
run trace-graph-many 0 "$trace" ${p}graph 10000 20
at_least kernel 10000 && has "$whole" 'one event per graph launch'
run trace-children 0 "$trace" ${p}children
at_least kernel 4001 && at_least goodbye 4 && has "$whole"
run trace-leave 0 "$trace" ${p}leave 20000
at_least kernel 20000 && lacks goodbye
run trace-illegal 3 "$trace" ${p}illegal
at_least kernel 1000 && has "$whole" 'goodbye 1'
run trace-reset 0 "$trace" ${p}reset
at_least kernel 3000 && has 'goodbye 1'
show=6
run trace-slow 0 "$trace" ${p}slow 2
at_least 'call begin' 1 && at_least kernel 2 && has 'runs: _Z4spin'
show=400
run trace-profiler-api 0 'mode=trace;capture=profiler-api;' ${p}phases
at_least kernel 100 && has 'kernel .*api_phase' && lacks 'kernel .*(range|before|after)_phase'
run trace-nvtx 0 'mode=trace;capture=nvtx;range=inside;' ${p}phases
at_least kernel 100 && has 'kernel .*range_phase' && lacks 'kernel .*(api|before|after)_phase'
at_least 'range begin' 1 && at_least 'range end' 1
run trace-nvtx-first 0 "$trace" ${p}phases nvtx-first
at_least 'range begin' 3 && at_least 'range end' 3 && at_least kernel 400
run trace-ranges 0 "$trace" ${p}phases
at_least 'range begin' 2 && at_least 'range end' 2
show=2
run trace-delay 0 'mode=trace;capture=delay;delay_ns=500000000;duration_ns=200000000;' ${p}million 400000
at_least kernel 1000

run counters-million 0 "$counters" ${p}million 1000000
at_least measurement 3 && has 'count_up.* \| gpu__time_duration.sum' "$whole" 'shape 1 .*count_up.* regs 16 static 0'
show=40
run counters-apart 0 "${counters}memory_apart=1;" ${p}million 1000
at_least measurement 3 && has 'count_up.* \| l1tex__t_sector_hit_rate.pct' && lacks 'dram__|gpu__time'
run memory 0 'mode=memory;' ${p}million 1000
at_least measurement 3 && has 'count_up.* \| dram__bytes_write.sum' && lacks 'l1tex__|smsp__'
show=2
run counters-contexts 0 "${counters}launches=40;" ${p}contexts 2000 # more than the first context launches before the second
at_least measurement 3 && has 'several contexts'
run counters-graph 0 "$counters" ${p}graph 100 20
has 'Kernels launched during stream capture are not measured' # those of the graph are
at_least measurement 3
run counters-children 0 "$counters" ${p}children
at_least measurement 12
run counters-leave 0 "$counters" ${p}leave 1000
at_least measurement 3
run counters-illegal 3 "$counters" ${p}illegal
at_least measurement 3
run counters-reset 0 "${counters}launches=0;" ${p}reset 5
at_least measurement 15
run counters-successors 0 "${counters}launches=0;" ${p}successors
at_least measurement 3
run counters-slow 0 "$counters" ${p}slow 0.2
has 'together.* is not measured: it is a cooperative launch'
run counters-slow-named 0 "${counters}kernel=*together*;" ${p}slow 0.1
has 'together.* \| gpu__time_duration.sum'
run counters-stuck 0 "$counters" ${p}slow 2.5
has 'has not ended in 10 s'

# same_result: the program printed what it prints when nobody looks on.
same_result() {
    [ $chosen = yes ] || return
    : "${plain:=$(python3 "$programs/train.py" plain | grep '^loss')}"
    [ "$(grep '^loss' "$out")" = "$plain" ] || fail "the program's result changed"
}

run trace-torch-plain 0 "$trace" python3 "$programs/train.py" plain
at_least kernel 100 && same_result
run trace-torch 0 "$trace" python3 "$programs/train.py"
at_least kernel 100 && same_result
run counters-torch 0 "$counters" python3 "$programs/train.py" plain
at_least measurement 10 && same_result

rm -f "$out"
echo "$failures failures"
[ $failures -eq 0 ]
