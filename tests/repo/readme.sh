#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# readme.sh ROOT LANESCOPE: README.md is true: its links lead to files of the tree, its commands exist (bootstrap's, and
# lanescope's with their options), and the workloads it names are there.
set -eu
root=$1 lanescope=$2
readme=$root/README.md
failures=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

objects() {
    echo "README.md: $*"
    failures=$((failures + 1))
}

for link in $(grep -o '](\([^)#]*\)' "$readme" | sed 's/^](//' | sort -u); do
    case $link in
    *://*) ;;
    *) [ -e "$root/$link" ] || objects "a link leads to $link, which is not there" ;;
    esac
done

"$root/bootstrap" help >"$scratch/words" 2>&1
for command in $(grep -o '\./bootstrap [a-z]*' "$readme" | awk '{ print $2 }' | sort -u); do
    grep -q "bootstrap $command " "$scratch/words" || objects "./bootstrap $command is no command"
done

help=$("$lanescope" --help)
grep -o '[^`]*lanescope [^`#]*' "$readme" | grep -o -- '--[a-z][a-z-]*' | sort -u >"$scratch/options"
while read -r option; do
    printf '%s\n' "$help" | grep -q -- "$option" || objects "lanescope --help does not name $option"
done <"$scratch/options"
[ -s "$scratch/options" ] || objects 'names no option of lanescope: nothing was checked'

# What is written for machines without a GPU runs as it is written; what opens a screen draws it once.
sed -n '/^## Without a GPU/,/^The model executes/p' "$readme" | grep '^    lanescope ' | sed 's/ *#.*//' >"$scratch/lines"
while read -r line; do
    case $line in
    lanescope\ kernel*) ;;
    *) line="$line --snapshot text" ;;
    esac
    (cd "$root" && PATH="$(dirname "$lanescope"):$PATH" sh -c "$line") >"$scratch/said" 2>&1 </dev/null ||
        objects "this line fails: $line: $(tail -n 1 "$scratch/said")"
done <"$scratch/lines"
[ -s "$scratch/lines" ] || objects 'has no lines for machines without a GPU'

workloads=$("$lanescope" list)
for workload in $(sed -n 's/.*`build\/release\/lanescope \([a-z][a-z-]*\).*/\1/p' "$readme" | sort -u); do
    printf '%s\n%s\n' "$workloads" "$help" | grep -qw -- "$workload" || objects "there is no workload or command $workload"
done

# The example that the list itself ends with.
example=$(printf '%s\n' "$workloads" | sed -n 's/^Run one:  *lanescope \([^ ]*\).*/\1/p')
"$lanescope" --record "$scratch/example.lsr" --device simt "$example" >/dev/null 2>&1 ||
    objects "lanescope list says to run '$example', which does not"
[ "$failures" -eq 0 ]
