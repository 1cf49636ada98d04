#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# parity.sh LANESCOPE LANESCOPE_OF_AARCH64 SYSROOT [WORKLOAD...]: the counts of workloads, by kernel and source line, and the modelled times of their
# launches are the same on both machines, bit by bit.
set -eu
here=$1 there=$2 sysroot=$3
shift 3
[ $# -gt 0 ] || set -- copy-offset copy-stride aos-soa load-pattern bank-stride transpose matmul-ab matmul-tiles divergence math atomics texture local-array reduction scan compaction histogram n-way
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
emulated() {
    qemu-aarch64 -L "$sysroot" -E LD_PRELOAD="$sysroot/qemu_exec.so" -E QEMU_LD_PREFIX="$sysroot" "$there" "$@"
}
# One worker: where atomics give out places (compaction) the order of blocks decides the counts.
export LANESCOPE_WORKERS=1 XDG_CONFIG_HOME="$scratch" XDG_STATE_HOME="$scratch" HOME="$scratch"
known=$("$here" list --json)
workloads=''
for workload; do
    case $known in *"\"$workload\""*) workloads="$workloads $workload" ;; esac
done
# Intended splitting: workloads are words.
# shellcheck disable=SC2086
{
    "$here" gate "$scratch/counts" $workloads >/dev/null
    emulated gate "$scratch/counts" $workloads
    "$here" --device simt --record "$scratch/here.lsr" $workloads >/dev/null
    emulated --device simt --record "$scratch/there.lsr" $workloads >/dev/null
}
for machine in here there; do
    "$here" report "$scratch/$machine.lsr" --csv >"$scratch/$machine.csv"
done
cmp "$scratch/here.csv" "$scratch/there.csv"
echo "equal: $(grep -c . "$scratch/counts") lines of counts, $(grep -c . "$scratch/here.csv") values, of$workloads"
