#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bootstrap.sh ROOT: what bootstrap answers without changing anything: help, a wrong command, wheels that are not there or
# are not those that were published.
set -eu
cd "$1"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

# answers STATUS WORDS ARGUMENTS...: bootstrap with these arguments ends so and says these words.
answers() {
    wanted=$1 words=$2
    shift 2
    got=0
    ./bootstrap "$@" </dev/null >"$scratch/out" 2>&1 || got=$?
    if [ "$got" -ne "$wanted" ] || ! grep -q -- "$words" "$scratch/out"; then
        echo "bootstrap $*: wanted status $wanted and '$words', got $got and:"
        cat "$scratch/out"
        failures=$((failures + 1))
    fi
}

answers 0 'usage: ./bootstrap demo' help
answers 0 'usage: ./bootstrap demo'
answers 2 'usage: ./bootstrap demo' demonstrate
answers 2 'usage: ./bootstrap demo' test --wheels "$scratch"
answers 1 'takes a folder' cuda --wheels "$scratch/none"

# A student's laptop: nothing to build with, and sudo wants a password. The line can be run as it stands.
mkdir "$scratch/bin"
ln -s "$(command -v dirname)" "$(command -v sh)" "$scratch/bin"
printf '#!/bin/sh\necho 1000\n' >"$scratch/bin/id"
printf '#!/bin/sh\nexit 1\n' >"$scratch/bin/sudo"
printf '#!/bin/sh\nexit 1\n' >"$scratch/bin/apt-get"
chmod +x "$scratch/bin/id" "$scratch/bin/sudo" "$scratch/bin/apt-get"
got=0
PATH="$scratch/bin" ./bootstrap build </dev/null >"$scratch/out" 2>"$scratch/said" || got=$?
rm "$scratch/bin/sudo"
PATH="$scratch/bin" ./bootstrap build </dev/null >"$scratch/without" 2>/dev/null || true
packages='gcc libc6-dev cmake ninja-build libsqlite3-dev libncurses-dev zlib1g-dev libjansson-dev\( g++\)\?' # with nvcc also g++
line="'apt-get update && apt-get install -y --no-install-recommends $packages'"
if [ "$got" -ne 1 ] || ! grep -qx "sudo sh -c $line" "$scratch/out" || ! grep -qx "su -c $line" "$scratch/without" ||
    ! grep -q 'preset travel' "$scratch/said"; then
    echo "bootstrap build without root: status $got and:"
    cat "$scratch/out" "$scratch/without" "$scratch/said"
    failures=$((failures + 1))
fi

# Wheels of the right names whose nvcc is somebody else's: it is not run, and nothing is left of it.
mkdir -p "$scratch/tree" "$scratch/wheels" "$scratch/made/nvidia/cu13/bin" "$scratch/made/nvidia/cu13/nvvm/bin" \
    "$scratch/made/nvidia/cu13/lib"
cp bootstrap "$scratch/tree"
printf '#!/bin/sh\ntouch "%s/was-run"\n' "$scratch" >"$scratch/made/nvidia/cu13/bin/nvcc"
touch "$scratch/made/nvidia/cu13/nvvm/bin/cicc" "$scratch/made/nvidia/cu13/lib/libcupti.so.13"
(cd "$scratch/made" && python3 -m zipfile -c "$scratch/made.whl" nvidia)
for wheel in $(grep -o 'nvidia-[a-z-]*==[0-9.]*' bootstrap | sed 's/==/@/; s/-/_/g; s/@/-/'); do
    cp "$scratch/made.whl" "$scratch/wheels/$wheel-py3-none-any.whl"
done
printf '#!/bin/sh\n' >"$scratch/bin/g++"
chmod +x "$scratch/bin/g++"
got=0
PATH="$PATH:$scratch/bin" "$scratch/tree/bootstrap" cuda --wheels "$scratch/wheels" </dev/null >"$scratch/out" 2>&1 || got=$?
if [ "$got" -ne 1 ] || ! grep -q 'is not the wheel that was published' "$scratch/out" || [ -e "$scratch/was-run" ] ||
    [ -n "$(ls "$scratch/tree/build")" ]; then
    echo "bootstrap cuda --wheels with a made-up nvcc: status $got, $(ls "$scratch/tree/build" "$scratch/was-run" 2>&1), and:"
    cat "$scratch/out"
    failures=$((failures + 1))
fi
[ "$failures" -eq 0 ]
