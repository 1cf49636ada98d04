#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# install.sh CMAKE BUILD AGENT FORTIFIED: `cmake --install` of the build folder BUILD gives a tree that runs from where it
# lies, with its manual page and completions, under a prefix and under DESTDIR, and is hardened as cmake/flags.cmake says.
# AGENT: 1 if the build has the agent, which is then found. FORTIFIED: ON if it calls glibc's checked functions.
set -eu
cmake=$1 build=$2 agent=$3 fortified=$4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
export HOME="$scratch/home" XDG_STATE_HOME="$scratch/home/state"
mkdir -p "$XDG_STATE_HOME"

objects() {
    echo "$*"
    failures=$((failures + 1))
}

# check_hardened FILE: every function is bound before it starts, then read-only; stack overflows are noticed.
check_hardened() {
    readelf -W -d "$1" | grep -q BIND_NOW || objects "$1 binds functions when they are first called"
    readelf -W -l "$1" | grep -q GNU_RELRO || objects "$1 has no read-only relocations"
    readelf -W --dyn-syms "$1" | grep -q __stack_chk_fail || objects "$1 has no stack protector"
}

# check_tree PREFIX: what lies there.
check_tree() {
    lanescope=$1/bin/lanescope
    "$lanescope" --version >"$scratch/said" || objects "$lanescope --version fails"
    grep -q '^lanescope [0-9]' "$scratch/said" || objects "$lanescope --version says: $(cat "$scratch/said")"
    "$lanescope" list >"$scratch/said" || objects "$lanescope list fails"
    grep -q 'copy-offset' "$scratch/said" || objects "$lanescope list names no copy-offset"
    # Kernels, lessons and the model are in the program: nothing of the build folder is needed.
    "$lanescope" --device simt copy-stride,stride=2 --snapshot text --size 100x30 >"$scratch/said" ||
        objects "$lanescope runs no workload"
    grep -q 'copy-stride' "$scratch/said" || objects "$lanescope draws no copy-stride"
    gzip -dc "$1/share/man/man1/lanescope.1.gz" >"$scratch/manual" || true
    "$lanescope" --manual | cmp -s - "$scratch/manual" || objects "$1 has another manual page, or none"
    for shell in bash-completion/completions/lanescope zsh/site-functions/_lanescope fish/vendor_completions.d/lanescope.fish; do
        "$lanescope" completion "$(expr "$shell" : '\([a-z]*\)')" | cmp -s - "$1/share/$shell" || objects "$1 has another $shell, or none"
    done
    "$lanescope" doctor >"$scratch/said" || true
    found=$(grep ' agent ' "$scratch/said")
    if [ "$agent" -eq 1 ]; then
        case $found in
        *ok*"$1"/*lib/lanescope/lanescope-agent.so*) check_hardened "$1/lib/lanescope/lanescope-agent.so" ;;
        *) objects "$lanescope does not find its agent: $found" ;;
        esac
    else
        case $found in
        *no*agent*) ;;
        *) objects "$lanescope finds an agent that was not built: $found" ;;
        esac
    fi
    check_hardened "$lanescope"
    [ "$fortified" != ON ] || readelf --dyn-syms -W "$lanescope" | grep -q '__snprintf_chk' ||
        objects "$lanescope calls no checked functions"
}

"$cmake" --install "$build" --prefix "$scratch/prefix" >"$scratch/log" 2>&1 || objects "cmake --install fails: $(tail -n 3 "$scratch/log")"
DESTDIR="$scratch/stage" "$cmake" --install "$build" --prefix /usr >"$scratch/log" 2>&1 ||
    objects "cmake --install with DESTDIR fails: $(tail -n 3 "$scratch/log")"
cd /
check_tree "$scratch/prefix"
check_tree "$scratch/stage/usr"
[ "$failures" -eq 0 ]
