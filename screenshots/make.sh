#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the pictures of this folder from the recording of a real H200 run: screenshots/make.sh [LANESCOPE [VT_SCREENS]]
# A picture is what the program draws after these keys, at this size; none is drawn by hand. With VT_SCREENS
# (build/dev/tests/vt_screens, the terminal of the tests) also film.svg, from runs on the device model.
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

# figure NAME KERNEL SIZE [KEYS]: the chart of the workload with that kernel, where the recording has it
figure() {
    if "$lanescope" report "$recording" --csv | grep ",\"$2" >/dev/null; then
        picture "$1" "$3" "/ $(echo "$2" | sed 's/./& /g') ENTER p${4:+ $4}"
    else
        echo "screenshots/$1.svg is left as it is: $recording has no kernel $2" >&2
    fi
}

picture overlap 120x40 '/ 4 - w a y ENTER'
picture coalescing 120x40 '/ c o p y _ o f f s e t ENTER'
picture runs 120x40 r
picture device 120x54 d
picture amdahl 132x30 '/ 2 - w a y ENTER a'
picture help 120x40 '?'
picture roofline 140x44 '/ m a t m u l ENTER R'
picture small 80x24
picture run 120x40 '/ n - w a y : s e r ENTER k'
picture lab 120x40 '/ c o p y _ s t r i d e ENTER e 4 ENTER'
picture comparison 120x40 '/ t r a n s p o s e _ p ENTER X'
figure chart-offset copy_offset 120x30
figure chart-offset-shares copy_offset 120x30 'y y'
figure chart-stride copy_stride 120x30
figure chart-matmul matmul_ab 120x20
figure chart-transpose transpose_naive 120x20
recording=tests/data/occupancy_h200.lsr # growing shared memory, one load of a thread on its way and four
figure chart-occupancy occupancy_smem 120x30
recording=tests/data/prefetch_h200.lsr # every distance
figure chart-prefetch prefetch_loop 140x40 '/ - p a d SPACE - c o l ENTER'
figure chart-prefetch-padded prefetch_loop 140x40 '/ l o o p SPACE p a d SPACE c o l ENTER'
recording=tests/data/lines_h200.lsr # instructions sampled and counted
picture transpose 120x40 '/ t r a n s p o s e ENTER j'
picture lanes 120x40 '/ t r a n s p o s e _ t ENTER A b'
picture source 140x40 '/ t i l e ENTER v'
picture sass 140x40 '/ t i l e ENTER v TAB S'
recording=tests/data/bursts_h200.lsr # a burst of samples, 10 us apart, in the first launch of each kernel
picture bursts 132x34 '/ t i l e ENTER TAB TAB O n n n + + + + > > > j j j z j z j z j j z z j z z'
if [ -n "${2-}" ]; then
    python3 screenshots/film.py "$lanescope" "$2" >screenshots/film.svg.new
    mv screenshots/film.svg.new screenshots/film.svg
    echo screenshots/film.svg
fi
