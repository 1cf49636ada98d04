#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# kept.sh FOLDER [--ptx FILE] [--messages FILE] NVCC ARGUMENT... -o OUT SOURCE: compiles SOURCE. FILE gets the PTX that went into OUT; FILE gets
# what nvcc says. All of it is kept in FOLDER under a hash of what goes into it, so that the next preset copies it.
set -eu
folder=$1 ptx='' messages=''
shift
while :; do
    case $1 in
    --ptx) ptx=$2 ;;
    --messages) messages=$2 ;;
    *) break ;;
    esac
    shift 2
done
out='' source='' before=''
for word; do
    [ "$before" != -o ] || out=$word
    before=$word source=$word
done
hash=$({
    "$1" --version
    cc --version
    echo "$ptx$messages" | grep -c .
    for word; do [ "$word" = "$out" ] || echo "$word"; done
    cat "$0" "$source"
    cat "$(dirname "$source")"/*.h 2>/dev/null || true
} | sha256sum | cut -c 1-16)
kept=$folder/$(basename "$out")-$hash
if [ ! -d "$kept" ]; then
    mkdir -p "$folder"
    scratch=$(mktemp -d "$folder/scratch-XXXXXX")
    trap 'rm -rf "$scratch"' EXIT
    mkdir "$scratch/made" "$scratch/steps"
    "$@" ${ptx:+-keep -keep-dir "$scratch/steps"} 2>"$scratch/made/messages" || { cat "$scratch/made/messages" >&2; exit 1; }
    [ -n "$messages" ] || cat "$scratch/made/messages" >&2
    cp "$out" "$scratch/made/out"
    name=$(basename "$source")
    [ -z "$ptx" ] || cp "$scratch/steps/${name%.*}.ptx" "$scratch/made/ptx"
    mv -T "$scratch/made" "$kept" 2>/dev/null || [ -d "$kept" ] # another build folder was first
fi
cp "$kept/out" "$out"
[ -z "$ptx" ] || cp "$kept/ptx" "$ptx"
[ -z "$messages" ] || cp "$kept/messages" "$messages"
