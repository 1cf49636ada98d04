#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# format.sh [ROOT]: every C file and CUDA program is as clang-format leaves it; Debian 12's, 14, since versions differ. Kernels
# whose lines kept PTX and recordings name are left as they were written. `format.sh ROOT --apply` formats them.
set -eu
cd "${1:-.}"
for format in clang-format-14 clang-format none; do
    "$format" --version 2>/dev/null | grep -q 'version 14\.' && break
done
if [ "$format" = none ]; then
    echo 'There is no clang-format 14 here: install the package clang-format-14.'
    exit 1
fi
files=$(find core cupti simt standin workloads cli tui tests -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' |
    grep -v '^workloads/kernels/.*cu\|^tests/data/\|^tests/fuzz/corpus/\|^tests/gpu/parity/kernels/' | LC_ALL=C sort)
[ -n "$files" ] || { echo 'no files were found: nothing was checked'; exit 1; }
if [ "${2-}" = --apply ]; then
    # The licence's line, which sources.sh asks for; of CUDA programs the last one.
    for file in $(printf '%s\n' "$files" | grep '\.[ch]$' | xargs grep -L 'SPDX-License-Identifier: '); do
        sed -i '1i /* SPDX-License-Identifier: Apache-2.0 */' "$file"
    done
    printf '%s\n' "$files" | xargs -n 50 -P 2 "$format" -i
else
    printf '%s\n' "$files" | xargs -n 50 -P 2 "$format" --dry-run -Werror --ferror-limit=1
fi
