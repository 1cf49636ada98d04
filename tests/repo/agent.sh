#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# agent.sh AGENT [SANITIZE]: the agent lives in other people's processes. It exports its three entry points, and those of NCCL, and nothing
# else, and needs nothing but libc (and what the sanitizer of this build brings).
set -eu
agent=$1 sanitize=${2:-}
status=0

exported=$(nm -D --defined-only "$agent" | awk '{ print $NF }' | LC_ALL=C sort | tr '\n' ' ')
wanted='InitializeInjection InitializeInjectionNvtx InitializeInjectionNvtx2 ncclProfiler_v2 ncclProfiler_v4 ncclProfiler_v5 '
if [ "$exported" != "$wanted" ]; then
    echo "exported: $exported"
    echo "wanted:   $wanted"
    status=1
fi

for library in $(readelf -d "$agent" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
    case $sanitize/$library in
    */libc.so.6 | */ld-linux-x86-64.so.2) ;;
    address/libasan.* | address/libubsan.* | address/libm.so.6 | thread/libtsan.* | ?*/libgcc_s.so.1) ;;
    *) echo "needs $library"; status=1 ;;
    esac
done
exit $status
