#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sources.sh [ROOT]: what holds for every C file: no tabs, no notes of work left to do, the licence, tests of pointers,
# a comment at the top that says what it is, names of functions that grep finds; recordings without paths of a machine; files that documents name;
# and a CHANGELOG that has an entry for the version and says nothing twice.
set -eu
cd "${1:-.}"
failures=0

objects() {
    echo "$*"
    failures=$((failures + 1))
}

folders=''
for folder in core cupti simt standin workloads cli tui tests; do
    [ -d "$folder" ] && folders="$folders $folder"
done
# shellcheck disable=SC2086
files=$(find $folders -name '*.[ch]' | LC_ALL=C sort)
[ -n "$files" ] || objects 'no C files were found: nothing was checked'
for file in $files; do
    lines=$(wc -l <"$file")
    [ "$lines" -lt 800 ] || echo "look: $file has $lines lines; does it hold more than one concept?"
done
# shellcheck disable=SC2086
if grep -n "$(printf '\t')" $files; then
    objects 'tabs (see above): columns are made of spaces'
fi
# shellcheck disable=SC2086
if printf '%s\n' $files | grep -v '^tests/' | xargs grep -nE '== NULL|!= NULL (&&|[|][|]|[?])|(&&|[|][|]) [a-z_0-9>.-]+ != NULL|(if|while) \([a-z_0-9>.-]+ != NULL\)'; then
    objects 'pointers compared with NULL (see above): they are tested as !p and p'
fi
# shellcheck disable=SC2086
if grep -nw 'TODO\|FIXME\|XXX' $files; then
    objects 'notes of work left to do (see above): they belong into an issue'
fi
# The licence, for tools that list them: the first line, or the last one of files whose line numbers recordings and kept PTX name.
# Exercises are for students to change.
# shellcheck disable=SC2046
for file in $(find $folders cmake screenshots \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.py' -o -name '*.sh' -o -name '*.cmake' -o -name CMakeLists.txt \) |
    grep -v '^tests/data/\|^tests/fuzz/corpus/\|exercises/.*\.cu$' | LC_ALL=C sort | xargs grep -L 'SPDX-License-Identifier: Apache-2\.0' bootstrap CMakeLists.txt .ci/*); do
    objects "$file has no line SPDX-License-Identifier: Apache-2.0 (format.sh --apply writes it into C files)"
done
for header in $(printf '%s\n' "$files" | grep '\.h$'); do
    [ "$(sed -n '2s/^\(..\).*/\1/p' "$header")" = '/*' ] || objects "$header does not open with a comment that says what it is"
done
for source in $(printf '%s\n' "$files" | grep '\.c$' | grep -v '^tests/'); do
    [ "$(sed -n '2s/^\(..\).*/\1/p' "$source")" = '/*' ] || objects "$source does not open with a comment that says what it holds"
    # A static function of one bare word cannot be told from others by grep, perf or a debugger.
    word=$(sed -n 's/^static [^;={}()]*[ *]\([a-z0-9]*\)(.*/\1/p' "$source" | head -n 1)
    [ -z "$word" ] || objects "$source: the function $word() needs a verb and a noun"
done
for recording in tests/data/*.lsr; do
    ! grep -qaE '/[[:alnum:]_./-]*/lanescope' "$recording" || objects "$recording holds the path of the machine it was made on"
done
# Files that documents and comments name are there. (Recipes say NAME.)
# shellcheck disable=SC2046
for path in $(grep -hoE "\\b($(echo $folders docs cmake | tr ' ' '|'))/[a-z0-9_/-]+\.(c|h|cu|md|py|sh|txt|csv|lsr|json)\\b" ./*.md \
    $(find docs -name '*.md') $(printf '%s\n' $files | grep -v '^tests/') | LC_ALL=C sort -u); do
    [ -e "$path" ] || objects "$path is named by a document or a comment, and is not there"
done
twice=$(grep '^- ' CHANGELOG.md | LC_ALL=C sort | uniq -d)
[ -z "$twice" ] || objects "CHANGELOG.md says twice: $twice"
version=$(sed -n 's/^project(lanescope VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
grep -q "^## $version" CHANGELOG.md || objects "CHANGELOG.md says nothing of version $version"
[ "$failures" -eq 0 ]
