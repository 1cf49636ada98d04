#!/bin/sh
# arrows.sh ROOT: who may include whom (docs/design.md). Prints every #include that points the wrong way; exit status 1
# if there is one.
set -eu
cd "$1"

rooms=''
for room in core cupti simt workloads cli tui; do
    [ -d "$room" ] && rooms="$rooms $room"
done

# shellcheck disable=SC2086
files=$(find $rooms -name '*.[ch]' | LC_ALL=C sort)
[ -n "$files" ] || { echo 'no C files were found: nothing was checked'; exit 1; }

# shellcheck disable=SC2086
awk '
function allowed(room, other, header) {
    if (other == room || other == "core")
        return 1
    if (room == "workloads")
        return other == "simt"
    if (room == "cli") {
        if (other == "cupti")
            return header ~ /^cupti\/(plan|sampler|probe)\.h$/
        return other == "tui" || other == "workloads" || other == "simt"
    }
    return 0
}
function wrong(why) { printf "%s:%d: %s: %s\n", FILENAME, FNR, $0, why; failures++ }
BEGIN { split("core cupti simt workloads cli tui", list, " "); for (i in list) is_room[list[i]] = 1 }
/^[ \t]*#[ \t]*include/ {
    includes++
    room = FILENAME
    sub(/\/.*/, "", room)
    header = $0
    sub(/^[ \t]*#[ \t]*include[ \t]*[<"]/, "", header)
    sub(/[>"].*/, "", header)
    other = header
    sub(/\/.*/, "", other)
    if (header ~ /(^|\/)\.\.\//)
        wrong("name the file from the root of the tree")
    else if ((other in is_room) && header ~ /\// && !allowed(room, other, header))
        wrong(room " may not include this")
    else if ((other == "tests" || other == "build") && header ~ /\//)
        wrong("tests and build outputs are not part of the program")
    if (header ~ /(^|\/)(n?curses|term|panel|form|menu)\.h$/ && $0 ~ /</ && FILENAME != "tui/term.c" &&
        FILENAME != "tui/palette.c")
        wrong("only tui/term.c and tui/palette.c know curses")
    if (header ~ /^(cupti|nvperf|generated_)/ && $0 ~ /</ && room != "cupti")
        wrong("only cupti/ knows the headers of CUPTI")
    if (header ~ /^criterion\//)
        wrong("Criterion is for tests")
}
END {
    printf "%d includes checked\n", includes
    if (includes == 0)
        failures++
    exit failures > 0
}' $files
