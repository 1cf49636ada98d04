#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# test_sampler.sh PROGRAM BUILD [RESULTS]: counters over time on a GPU: bursts of 10 us over transpose and bank-stride, whose conflict chart must rise and fall with
# the right kernels; 1 ms and 200 us beside a trace; watching a PyTorch program that was not started by us; what both cost. About 60 s. RESULTS
# keeps the recordings.
program=$1
here=$(cd "$(dirname "$0")" && pwd)
if [ ! -e /dev/nvidiactl ]; then
    echo "skipped: no GPU"
    exit 77
fi
export LD_LIBRARY_PATH=/usr/local/cuda/lib64:/usr/local/cuda/extras/CUPTI/lib64:$LD_LIBRARY_PATH
folder=${3:-$(mktemp -d)}
[ -n "$3" ] || trap 'rm -rf "$folder"' EXIT
failed=0

step() { # step NAME COMMAND...: prints its seconds and whether it did
    local name=$1 start=$EPOCHREALTIME
    shift
    echo "=== $name"
    "$@" || { failed=1; echo "FAILED: $name ($?)"; }
    awk "BEGIN { printf \"    %.1f s\n\", $EPOCHREALTIME - $start }"
}

record() { # record FILE OPTIONS...
    local file=$1
    shift
    timeout -k 2 60 "$program" --record "$folder/$file" "$@" >"$folder/out" 2>&1 || { tail -n 20 "$folder/out"; return 1; }
}

twins=(transpose 'bank-stride:32-bit,stride=1|32|33,blocks=16384')
burst() { record bursts.lsr --runs trace --burst 10us "${twins[@]}" && python3 "$here/samples.py" bursts "$folder/bursts.lsr"; }
again() { record bursts2.lsr --runs trace --burst 2us,kernel:transpose_* transpose && "$program" report --full "$folder/bursts2.lsr" | tail -n 5; }
steady() { record steady.lsr --runs trace "${twins[@]}" && python3 "$here/samples.py" steady "$folder/steady.lsr"; }
fast() { record fast.lsr --runs trace --sample 200us "${twins[@]}" && python3 "$here/samples.py" steady "$folder/fast.lsr" 200000; }

# The counters of a counter run are what they are without a sampler.
exact() {
    record counted.lsr "${twins[@]}" && record uncounted.lsr --sample off "${twins[@]}" || return 1
    for file in counted uncounted; do
        "$program" report "$folder/$file.lsr" --csv | grep -E 'shared|sector' | grep -v '_pct' >"$folder/$file.csv"
    done
    wc -l <"$folder/counted.csv"
    diff "$folder/counted.csv" "$folder/uncounted.csv" | head -n 20
}

# CPU time of the sampler, in percent of a core, while a program multiplies matrices.
watched() {
    python3 - <<'PY' >"$folder/torch" 2>&1 &
import time, torch
x = torch.randn(4096, 4096, device="cuda", dtype=torch.float16)
end = time.time() + 14
count = 0
while time.time() < end:
    for _ in range(20):
        y = x @ x
    torch.cuda.synchronize()
    count += 20
    time.sleep(0.01)
print(count, "products")
PY
    local torch=$! status=0 sampler ticks before after rate
    sleep 5
    for rate in 1ms 200us; do
        timeout -k 2 20 "$program" watch --record "$folder/watch-$rate.lsr" --sample $rate --time-limit 3 >"$folder/out" 2>&1 &
        local watch=$!
        sleep 1
        sampler=$(cat /proc/"$(cat /proc/$watch/task/*/children | tr -d ' ')"/task/*/children | tr -d ' ')
        before=$(awk '{ print $14 + $15 }' "/proc/$sampler/stat")
        sleep 2
        after=$(awk '{ print $14 + $15 }' "/proc/$sampler/stat")
        ticks=$(getconf CLK_TCK)
        echo "sampler at $rate: $(awk "BEGIN { print 100 * ($after - $before) / $ticks / 2 }") % of a core"
        wait $watch || { status=1; tail -n 5 "$folder/out"; }
    done
    python3 "$here/samples.py" watch "$folder/watch-1ms.lsr" || status=1
    python3 "$here/samples.py" watch "$folder/watch-200us.lsr" 200000 || status=1
    wait $torch
    cat "$folder/torch"
    return $status
}

# Launches of an empty kernel under a trace, with and without samples beside it: microseconds each, least of three.
launches() {
    local million=$2/tests/program_million kind
    [ -x "$million" ] || { echo "no $million: not measured"; return 0; }
    for _ in 1 2 3; do
        for kind in off 1ms 200us; do
            local start=$EPOCHREALTIME
            timeout -k 2 60 "$program" --record "$folder/million.lsr" --sample $kind -- bash -c 's=$EPOCHREALTIME; "$0" 300000; awk "BEGIN { print ($EPOCHREALTIME - $s) / 0.3 }"' "$million" 2>/dev/null |
                grep -E '^[0-9.]+$' | head -n 1 >>"$folder/launch-$kind"
            awk "BEGIN { print $EPOCHREALTIME - $start }" >>"$folder/whole-$kind"
        done
    done
    for kind in off 1ms 200us; do
        echo "--sample $kind: $(sort -n "$folder/launch-$kind" | head -n 1) us a launch, $(sort -n "$folder/whole-$kind" | head -n 1) s in all"
    done
}

step bursts burst
step "bursts of 2 us" again
step "1 ms" steady
step "200 us" fast
step exact exact
step watch watched
step launches launches "$1" "$2"
exit $failed
