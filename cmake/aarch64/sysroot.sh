#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sysroot.sh ROOT TREE: unpacks Debian's arm64 libraries that lanescope and its tests link with into the folder ROOT, by apt with lists of its own,
# so that this machine stays as it is, and compiles TREE's cmake/aarch64/qemu_exec.c into it.
set -eu
mkdir -p "$1"
root=$(cd "$1" && pwd) tree=$2 # whole: apt takes a relative path from /
mkdir -p "$root/apt/lists/partial" "$root/apt/archives/partial"
: >"$root/apt/status"
apt() {
    apt-get -qq -o Dir::State="$root/apt" -o Dir::State::status="$root/apt/status" -o Dir::Cache="$root/apt" -o APT::Architecture=arm64 \
        -o APT::Architectures=arm64 -o Debug::NoLocking=1 -o Acquire::Retries=3 "$@"
}
apt update
apt install -y --no-install-recommends --download-only libc6-dev libgcc-12-dev libsqlite3-dev libncurses-dev zlib1g-dev libcriterion-dev
for package in "$root"/apt/archives/*.deb; do
    dpkg-deb -x "$package" "$root"
done
rm -r "$root/apt"
aarch64-linux-gnu-gcc -shared -fPIC -O1 -Wall -Werror --sysroot "$root" -o "$root/qemu_exec.so" "$tree/cmake/aarch64/qemu_exec.c"
