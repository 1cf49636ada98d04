#!/bin/sh
# arrows_fail.sh ROOT: arrows.sh must object to each of these lines, and to none of the last ones: a test of the test.
set -eu
arrows=$1/tests/repo/arrows.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
status=0

# check WANTED FILE LINE: a tree with this line in this file must end arrows.sh with WANTED (0 fine, 1 objects).
check() {
    mkdir -p "$tree/$(dirname "$2")"
    printf '%s\n' "$3" >"$tree/$2"
    got=0
    sh "$arrows" "$tree" >/dev/null || got=1
    if [ "$got" -ne "$1" ]; then
        echo "$2: $3: wanted $1, got $got"
        status=1
    fi
    rm "$tree/$2"
}

check 1 core/event.c '#include "tui/view.h"'
check 1 core/event.h '  #  include "workloads/registry.h"'
check 1 tui/list.c '#include "workloads/registry.h"'
check 1 tui/list.c '#include "cli/options.h"'
check 1 tui/list.c '#include <curses.h>'
check 1 tui/list.c '#include <ncursesw/curses.h>'
check 1 cupti/inject.c '#include "workloads/registry.h"'
check 1 workloads/copy.c '#include "cli/options.h"'
check 1 workloads/copy.c '#include "cupti/plan.h"'
check 1 cli/record.c '#include "cupti/activity.h"'
check 1 cli/record.c '#include <cupti.h>'
check 1 cli/record.c '#include "../core/event.h"'
check 1 simt/warp.c '#include "workloads/registry.h"'
check 1 cli/record.c '#include "tests/tools/x.h"'
check 0 tui/term.c '#include <curses.h>'
check 0 tui/palette.c '#include <curses.h>'
check 0 cupti/plan.c '#include <cupti.h>'
check 0 cli/record.c '#include "cupti/plan.h"'
check 0 workloads/copy.c '#include "simt/grid.h"'
check 0 cli/main.c '#include "core/event.h"'
exit $status
