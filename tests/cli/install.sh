#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# install.sh CMAKE BUILD: what `cmake --install` puts into a folder works from there: the program finds its parts, the manual page
# is one (where groff can judge it), and bash's completion is the program's own.
set -eu
cmake=$1 build=$2
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
failures=0

objects() {
    echo "$*"
    failures=$((failures + 1))
}

"$cmake" --install "$build" --prefix "$prefix/a b" >/dev/null
lanescope="$prefix/a b/bin/lanescope" page="$prefix/lanescope.1"
gzip -dc "$prefix/a b/share/man/man1/lanescope.1.gz" >"$page"
"$lanescope" doctor --json >"$prefix/doctor"
for part in agent ladder standin; do
    [ -e "$build/lanescope-$part" ] || [ -e "$build/lanescope-$part.so" ] || continue
    grep -q "a b/bin/../lib/lanescope/lanescope-$part" "$prefix/doctor" || objects "the installed program does not find lanescope-$part"
done
grep -q '^\.SH EXIT STATUS' "$page" || objects "$page has no exit statuses"
grep -q "^  q .*quit" "$page" || objects "$page has no keys"
if command -v groff >/dev/null; then
    groff -ww -man -Tutf8 "$page" 2>&1 >/dev/null | grep . && objects 'groff warns of the manual page'
fi
"$lanescope" completion bash | cmp -s - "$prefix/a b/share/bash-completion/completions/lanescope" ||
    objects "bash's completion is not what the program gives"
[ "$failures" -eq 0 ]
