#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh LANESCOPE PARITY_CUDA OUT: what a GPU counts of the parity kernels, and leaves in memory, into the folder OUT:
# kernels_h200.csv for tests/data/parity (docs/parity.md), and all that was said
# (kernels.log). About ten seconds; 25 at most. PARITY_CUDA is a build's tests/parity_cuda, its machine code the build's parity/.
here=$(cd "$(dirname "$0")" && pwd)
cubins=$(dirname "$2")/../parity
mkdir -p "$3"
timeout -k 2 25 python3 "$here/parity.py" kernels "$1" "$2" "$cubins" "$3/kernels_h200.csv" >"$3/kernels.log" 2>&1
status=$?
tail -n 40 "$3/kernels.log"
exit $status
