#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# pm.sh PROGRAM LANESCOPE: every question of pm.c, with something going on on the GPU meanwhile. About 40 s.
P=$1
L=$2
export LD_LIBRARY_PATH=/usr/local/cuda/lib64:/usr/local/cuda/extras/CUPTI/lib64:$LD_LIBRARY_PATH
work() { # work SECONDS: conflict and padded kernels in turn
    timeout -k 1 "$1" bash -c "while :; do '$L' --workload-child trace cuda 0 default transpose bank-stride >/dev/null 2>&1; done" &
    worker=$!
}
q() {
    echo "=== pm $*"
    timeout -k 1 15 "$P" "$@" 2>&1
    echo "rc $?"
}
date -u
"$L" --workload-child trace cuda 0 default transpose bank-stride >/dev/null 2>&1 # the first one is slow to start
q life
echo "=== two at once"
"$P" hold 1.5 >/tmp/pm_first 2>&1 &
first=$!
sleep 0.8
q hold 0.2
wait $first
echo "--- the first of them"
cat /tmp/pm_first
work 30
sleep 0.5
q lag
q cost
q burst 10000 20 4
q burst 2000 5 3
kill $worker 2>/dev/null
wait $worker 2>/dev/null
q ring
q size 12 10000
q size 4 10000
q size 12 2000
date -u
