#!/bin/sh
# Makes the pictures of this folder from the recording of a real H200 run: screenshots/make.sh [LANESCOPE]
# A picture is what the program draws after these keys, at this size; none is drawn by hand.
set -eu
cd "$(dirname "$0")/.."
lanescope=${1:-build/release/lanescope}
recording=tests/data/h200.lsr

[ -x "$lanescope" ] || { echo "make.sh: $lanescope is not there: run ./bootstrap build" >&2; exit 1; }
[ -f "$recording" ] || { echo "make.sh: $recording is not there" >&2; exit 1; }

# picture NAME SIZE [KEYS]
picture() {
    "$lanescope" view "$recording" --snapshot svg --size "$2" ${3:+--keys "$3"} >"screenshots/$1.svg.new"
    mv "screenshots/$1.svg.new" "screenshots/$1.svg"
    echo "screenshots/$1.svg"
}

picture transpose 120x40 '/ t r a n s p o s e ENTER j'
picture overlap 120x40 '/ 4 - w a y ENTER'
picture coalescing 120x40 '/ c o p y _ o f f s e t ENTER'
picture runs 120x40 r
picture device 120x54 d
picture amdahl 132x30 '/ 2 - w a y ENTER a'
picture help 120x40 '?'
picture small 80x24
