/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording larger than the memory it is given, in a pseudo-terminal: zoomed into what has left memory, its
 * detail comes back by itself.
 */
#include "driven_lanescope.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

TestSuite(detail, .init = driven_make_folder, .fini = driven_remove_folder);

static char recording[64];

static void record(void)
{
    char command[400];
    snprintf(recording, sizeof recording, "%s/a.lsr", driven_folder);
    snprintf(command, sizeof command,
             TEST_LANESCOPE
             " --record %s -- " TEST_BUILD_DIR
             "/tests/lanescope-generator --rate 0 --events 500k --seed 3 --wait >/dev/null 2>&1",
             recording);
    cr_assert_eq(system(command), 0);
}

Test(detail, comes_back_from_the_recording)
{
    record();
    START("view", recording, "--memory", "16");
    cr_assert(terminal_shows(&terminal, " ended  "));
    terminal_type(&terminal, "\x1b[ZO0");
    cr_assert(terminal_shows(&terminal, "only sums"));
    terminal_type(&terminal, "g++++++++++");
    cr_assert(terminal_shows(&terminal, "detail from the recording"));
    terminal_type(&terminal, "n");
    cr_assert(terminal_shows(&terminal, " ns  from "));
    cr_assert(!driven_shows("one by one"));
    driven_leave();
}
