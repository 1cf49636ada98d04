#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ptx.sh ROOT CMAKE WANTED_VERSION [VERSION NVCC]: the kept PTX is what the kernels' sources give with the nvcc that made it,
# and the kept registers are those that its ptxas gives.
# Exit status 77, with the reason, where that nvcc is not present.
set -eu
root=$1 cmake=$2 wanted=$3 version=${4:-} nvcc=${5:-}
status=0

for kept in "$root"/workloads/ptx/*.ptx "$root"/standin/libraries/*/ptx/*.ptx "$root"/tests/gpu/parity/ptx/*.ptx "$root"/tests/data/ptx/*.ptx; do
    [ -f "$kept" ] || continue
    name=$(basename "$kept" .ptx)
    folder=$(dirname "$(dirname "${kept#"$root"/}")")
    if [ ! -f "$root/$folder/kernels/$name.cu" ]; then
        echo "$folder/ptx/$name.ptx: there is no kernels/$name.cu"
        status=1
    fi
    if ! head -n 1 "$kept" | grep -q "by nvcc $wanted "; then
        echo "$folder/ptx/$name.ptx: its head does not name nvcc $wanted"
        status=1
    fi
    if grep -n '\.file.*"/' "$kept"; then
        echo "$folder/ptx/$name.ptx: names a file by a path of some machine"
        status=1
    fi
done
[ $status -eq 0 ] || exit 1
if [ "$version" != "$wanted" ]; then
    echo "skipped: comparing the kept PTX takes nvcc $wanted, here is '${version:-none}'"
    exit 77
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for kernel in "$root"/workloads/kernels/*.cu "$root"/standin/libraries/*/kernels/*.cu "$root"/tests/gpu/parity/kernels/*.cu "$root"/tests/data/kernels/*.cu; do
    [ -f "$kernel" ] || continue
    name=$(basename "$kernel" .cu)
    folder=$(dirname "$(dirname "${kernel#"$root"/}")")
    "$cmake" -DNAME="$name" -DROOT="$root" -DFOLDER="$folder/kernels" -DNVCC="$nvcc" -DNVCC_VERSION="$version" -DWANTED_VERSION="$wanted" \
        -DOUT="$scratch/$name.ptx" -P "$root/cmake/kernel_ptx.cmake" || exit 1
    if ! diff -u "$root/$folder/ptx/$name.ptx" "$scratch/$name.ptx" >"$scratch/difference"; then
        head -n 40 "$scratch/difference"
        echo "$folder/ptx/$name.ptx is not what kernels/$name.cu gives: build the target ptx-refresh, parity-ptx or data-ptx"
        status=1
    fi
done
"$cmake" -DROOT="$root" -DNVCC="$nvcc" -DNVCC_VERSION="$version" -DWANTED_VERSION="$wanted" \
    -DOUT="$scratch/registers.txt" -P "$root/cmake/kernel_registers.cmake" || exit 1
if ! diff -u "$root/workloads/ptx/registers.txt" "$scratch/registers.txt"; then
    echo "workloads/ptx/registers.txt is not what ptxas says of the kept PTX: build the target ptx-refresh"
    status=1
fi
exit $status
