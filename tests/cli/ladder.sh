#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ladder.sh LANESCOPE-LADDER: what it says without a GPU of what it is asked; the work itself is tests/unit/workloads/test_library.c's, and a GPU's.
set -eu
failures=0

# refuses STATUS TEXT WORD...
refuses() {
    wanted=$1
    text=$2
    shift 2
    status=0
    said=$("$program" "$@" 2>&1) || status=$?
    case $said in
    *"$text"*) ;;
    *) status="$status without '$text'" ;;
    esac
    [ "$status" = "$wanted" ] || {
        echo "$*: ended with $status: $said"
        failures=1
    }
}

program=$1
refuses 2 'takes MODE DEVICE GPU SIZE'
refuses 2 'DEVICE is cuda' trace simt 0 small reduction
refuses 2 "There is no workload 'reduce'" trace cuda 0 small reduce
[ -e /dev/nvidiactl ] || refuses 3 'CUDA driver' trace cuda 0 small reduction
exit $failures
