#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# arrows_fail.sh ROOT: arrows.py must object to each of these lines, and to none of the last ones: a test of the test.
set -eu
arrows=$1/tests/repo/arrows.py
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
status=0

# check WANTED FILE LINE: a tree with this line in this file must end arrows.py with WANTED (0 fine, 1 objects).
check() {
    mkdir -p "$tree/$(dirname "$2")"
    printf '%s\n' "$3" >"$tree/$2"
    got=0
    python3 "$arrows" "$tree" >/dev/null || got=1
    if [ "$got" -ne "$1" ]; then
        echo "$2: $3: wanted $1, got $got"
        status=1
    fi
    rm "$tree/$2"
}

check 1 core/base/event.c '#include "tui/frame/view.h"'
check 1 core/base/event.h '  #  include "workloads/registry.h"'
check 1 core/base/event.c '#include "core/session/session.h"'
check 1 core/metric/metric.c '#include "core/advice/advice.h"'
check 1 core/other/metric.c '#include "core/base/error.h"'
check 1 simt/ptx/ptx.c '#include "simt/engine/grid.h"'
check 1 workloads/set/copy.c '#include "workloads/registry.h"'
check 1 tui/widgets/list.c '#include "workloads/registry.h"'
check 1 tui/widgets/list.c '#include "cli/options/options.h"'
check 1 tui/widgets/list.c '#include <curses.h>'
check 1 tui/widgets/list.c '#include <ncursesw/curses.h>'
check 1 cupti/agent/inject.c '#include "workloads/registry.h"'
check 1 workloads/set/copy.c '#include "cli/options/options.h"'
check 1 workloads/set/copy.c '#include "cupti/profiler/plan.h"'
check 1 cli/run/record.c '#include "cupti/agent/activity.h"'
check 1 cli/run/record.c '#include <cupti.h>'
check 1 cli/run/record.c '#include "../core/event.h"'
check 1 simt/engine/warp.c '#include "workloads/registry.h"'
check 1 cli/run/record.c '#include "tests/tools/x.h"'
check 0 tui/terminal/term.c '#include <curses.h>'
check 0 tui/terminal/direct_type.c '#include <curses.h>'
check 0 cupti/profiler/plan.c '#include <cupti.h>'
check 1 cli/run/record.c '#include "cupti/profiler/plan.h"'
check 0 cli/run/record.c '#include "cupti/sampler/sampler.h"'
check 0 workloads/set/copy.c '#include "simt/engine/grid.h"'
check 0 core/advice/advice.c '#include "core/metric/metric.h"'
check 0 cli/main.c '#include "core/base/event.h"'

# Symbols: two objects that need each other make a circle; one that needs a higher room's is an upward arrow.
if command -v "${CC:-cc}" >/dev/null; then
    objects() {
        mkdir -p "$tree/core/base" "$tree/core/$1" "$tree/b/core/CMakeFiles/x.dir/$1"
        printf '#include "core/base/b.h"\n%s\n' "$3" >"$tree/core/$1/$2.c"
        touch "$tree/core/base/b.h"; "${CC:-cc}" -c -I "$tree" -o "$tree/b/core/CMakeFiles/x.dir/$1/$2.c.o" "$tree/core/$1/$2.c"
    }
    # symbols WANTED: arrows.py over the tree's objects must end with WANTED.
    symbols() {
        got=0
        python3 "$arrows" "$tree" "$tree/b" >/dev/null || got=1
        if [ "$got" -ne "$1" ]; then
            echo "symbols of $(cd "$tree" && find core -name '*.c' | tr '\n' ' '): wanted $1, got $got"
            status=1
        fi
    }
    objects session a 'int b(void); int a(void) { return b(); } int a2(void) { return 1; }'
    objects base b 'int b(void) { return 1; }'
    symbols 0
    objects base b 'int a2(void); int b(void) { return a2(); }'
    symbols 1
fi
exit $status
