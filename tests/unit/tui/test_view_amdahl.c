/* SPDX-License-Identifier: Apache-2.0 */
/* Amdahl's law on the screen: the law of the selected kernel's run, its selection, and what it does not do
 * while frozen. */
#include "tests/shared/fixture/driven_screen.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

static void launch(uint32_t kernel, int64_t start_ns, int64_t end_ns)
{
    struct item item = {.kind = ITEM_LAUNCH};
    item.launch.kernel = kernel;
    item.launch.call_start_ns = INT64_MIN;
    for (uint32_t track = 0; track < session_track_count(fixture.session); track++) {
        if (session_track(fixture.session, track)->kind == TRACK_STREAM) {
            session_add_event(fixture.session, track, start_ns, end_ns, &item);
            return;
        }
    }
}

Test(view_amdahl, numbers_are_the_laws)
{
    char text[40];
    start(FIXTURE_PROGRAM, 160, 40);
    press("a");
    struct amdahl law;
    cr_assert_eq(amdahl_compute(fixture.session, amdahl_state(&screen)->run, &law, NULL), STATUS_OK);
    cr_assert_gt(law.count, 1);
    for (size_t i = 0; i < law.count; i++) {
        snprintf(text, sizeof text, "%.2f %%",
                 100.0 * (double)law.shares[i].alone_ns / (double)law.times.ns[RUN_TIME_DEVICE]);
        cr_assert(shows(text));
        snprintf(text, sizeof text, "%.2fx",
                 amdahl_speedup(law.shares[i].alone_ns, law.times.ns[RUN_TIME_WHOLE], 10));
        cr_assert(shows(text));
    }
    cr_assert(shows("derived from measured start and end times") && shows(AMDAHL_FORMULA));
    amdahl_fini(&law);
    stop();
}

/* One selection: here and in the list of kernels. */
Test(view_amdahl, the_selection_is_the_lists)
{
    start(FIXTURE_PROGRAM, 120, 40);
    press("j");
    cr_assert_neq(screen.part, 0);
    press("a");
    cr_assert_gt(amdahl_state(&screen)->law.count, 1, "of the run whose copies are selected");
    press("q j j a");
    uint32_t kernel = screen.kernel;
    cr_assert_eq(amdahl_state(&screen)->law.shares[sheet_table_row(&amdahl_state(&screen)->table)].kernel,
                 kernel);
    press("G g j");
    cr_assert_eq(screen.kernel, amdahl_state(&screen)->law.shares[1].kernel);
    press("q");
    cr_assert_eq(panel_state(&screen)->kernel, screen.kernel);
    stop();
}

Test(view_amdahl, narrow_screens_turn_from_device_time_to_span)
{
    start(FIXTURE_PROGRAM, 80, 24);
    press("a");
    cr_assert(shows("gain of device time, "));
    press("s");
    cr_assert(shows("gain of whole run, ") && shows("2x run *") && !shows("2x *"));
    press("s");
    cr_assert(shows("gain of device time, "));
    stop();
    start(FIXTURE_MODEL, 80, 24);
    press("a");
    cr_assert(shows("derived from modelled start and end times"));
    stop();
}

Test(view_amdahl, goes_along_with_the_run_unless_frozen)
{
    start(FIXTURE_PROGRAM, 120, 40);
    press("a SPACE");
    uint32_t kernel = amdahl_state(&screen)->law.shares[0].kernel;
    int64_t busy_ns = amdahl_state(&screen)->law.shares[0].busy_ns,
            now_ns = session_now_ns(fixture.session, CLOCK_WALL);
    launch(kernel, now_ns + 1000, now_ns + 2000);
    screen.clock_ms += 10000;
    press("g");
    cr_assert_eq(amdahl_state(&screen)->law.shares[0].busy_ns, busy_ns);
    press("SPACE");
    cr_assert_eq(amdahl_state(&screen)->law.shares[0].busy_ns, busy_ns + 1000);
    stop();
}
