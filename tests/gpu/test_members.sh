#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# test_members.sh LANESCOPE BUILD: what lanes do together when they name different members, on the GPU: programs/members.cu. The device model runs the
# same kernels in tests/unit/cli/test_member_groups.c.
build=$2
if [ ! -e /dev/nvidiactl ]; then
    echo "skipped: no GPU"
    exit 77
fi
timeout -k 2 120 "$build/tests/program_members"
