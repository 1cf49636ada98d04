#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# standin.sh STANDIN ROOT [LIBCUDART [LIBCUDA]]: the stand-in exports the functions of the tables standin/names.txt and
# standin/driver_names.txt, no more and no less, and the tables are what this toolkit's libcudart.so.13 and stub of libcuda.so
# export; and dlopen (standin/loader.c), and NVTX's two entries (standin/ranges.c). docs/standin.md lists those that do not refuse. It needs nothing but libc.
set -eu
standin=$1 names=$2/standin/names.txt page=$2/docs/standin.md library=${3:-} driver_names=$2/standin/driver_names.txt driver=${4:-}
status=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

exported() { nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | grep -v -e '^dlopen$' -e '^lanescope_' -e '^InitializeInjectionNvtx2*$' | LC_ALL=C sort -u; }
grep '^[_a-z]' "$names" >"$scratch/names"
LC_ALL=C sort -c -u "$scratch/names" || status=1
grep '^[_a-z]' "$driver_names" | sed 's/ .*//' >"$scratch/driver_names"
LC_ALL=C sort -c -u "$scratch/driver_names" || status=1
older_names=$2/standin/names_12.txt
grep '^[_a-z]' "$older_names" >"$scratch/older_names"
LC_ALL=C sort -c -u "$scratch/older_names" || status=1
exported "$standin" >"$scratch/standin"
LC_ALL=C sort -u "$scratch/names" "$scratch/older_names" "$scratch/driver_names" | diff - "$scratch/standin" || { echo "< in the table, > exported by $standin"; status=1; }
if [ -n "$library" ]; then
    exported "$library" >"$scratch/library"
    diff "$scratch/names" "$scratch/library" || { echo "< in the table, > exported by $library"; status=1; }
fi
if [ -n "$driver" ]; then
    exported "$driver" | grep '^cu[A-Z]' >"$scratch/driver"
    diff "$scratch/driver_names" "$scratch/driver" || { echo "< in the table, > exported by $driver"; status=1; }
fi
# Each runtime function has CUDA 12's version, too.
nm -D --defined-only "$standin" | sed -n 's/.* \(.*\)@libcudart.so.12$/\1/p' | LC_ALL=C sort >"$scratch/versions"
LC_ALL=C sort "$scratch/names" "$scratch/older_names" | diff - "$scratch/versions" || { echo "< in the tables, > of version 12"; status=1; }
# Those that refuse are weak.
nm -D --defined-only "$standin" | awk '$2 == "T" && $3 ~ /@@/ { sub(/@.*/, "", $3); print $3 }' | grep -v -e '^dlopen$' -e '^lanescope_' -e '^InitializeInjectionNvtx2*$' | LC_ALL=C sort >"$scratch/there"
sed -n '/^<!-- functions/,/^<!-- end/s/[^`]*`\([^`]*\)`[^`]*/\1\n/gp' "$page" | grep . | LC_ALL=C sort >"$scratch/listed"
diff "$scratch/there" "$scratch/listed" || { echo "< in the stand-in, > listed by $page: make them the same"; status=1; }
# The same for lanescope's cuBLAS, where `?` is the letter of a type and each name has its _v2 and _64.
cublas=${standin%.so}/libcublas.so.13
nm -D --defined-only "$cublas" | awk '$2 == "T" { sub(/@.*/, "", $3); sub(/_64$/, "", $3); sub(/_v2$/, "", $3); print $3 }' | LC_ALL=C sort -u >"$scratch/there"
sed -n '/^<!-- cublas/,/^<!-- end/s/[^`]*`\([^`]*\)`[^`]*/\1\n/gp' "$page" | grep '^cublas' | sed 's/?/[SDCZsdcz]/; s/.*/^&$/' >"$scratch/patterns"
grep -v -f "$scratch/patterns" "$scratch/there" && { echo "(see above) are in lanescope's cuBLAS and not listed by $page"; status=1; }
while read -r pattern; do
    grep -q "$pattern" "$scratch/there" || { echo "$page lists $pattern, which is not in lanescope's cuBLAS"; status=1; }
done <"$scratch/patterns"
# And for the others, whose names are plain.
for library in cufft.so.12 curand.so.10; do
    name=${library%%.*}
    nm -D --defined-only "${standin%.so}/lib$library" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort -u >"$scratch/there"
    sed -n "/^<!-- $name/,/^<!-- end/s/[^\`]*\`\([^\`]*\)\`[^\`]*/\1\n/gp" "$page" | grep "^$name" | LC_ALL=C sort -u >"$scratch/listed"
    diff "$scratch/there" "$scratch/listed" || { echo "< in lib$library, > listed by $page: make them the same"; status=1; }
done
for needed in $(readelf -d "$standin" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
    case $needed in
    libc.so.6 | libm.so.6 | ld-linux-x86-64.so.2) ;;
    *) echo "needs $needed"; status=1 ;;
    esac
done
exit $status
