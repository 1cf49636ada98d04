/* SPDX-License-Identifier: Apache-2.0 */
/* The ribbon of runs above the timeline: names, marks, what waits, and how keys and clicks choose. */
#include "tests/shared/fixture/driven_screen.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void planned_name(void *context, uint32_t number, char *text, size_t size_bytes)
{
    (void)context;
    snprintf(text, size_bytes, "n-way:%u-way", number);
}

static int ribbon_line(void)
{
    return timeline_parts_of(timeline_state(&screen), screen.layout.pane[PANE_TIMELINE]).ribbon;
}

static void go_to_first(void)
{
    for (int i = 0; i < 40; i++)
        press("(");
}

/* Runs by name, the parameter that differs with each; on a low screen only while runs wait. */
Test(view_ribbon, names_the_runs)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    cr_assert(shows("\u2713 transpose:naive  \u2713 tile  \u2713 pad  \u2713 copy-offset:offset offset=0  "
                    "\u2713 offset=1"));
    cr_assert(shows("( ) choose"));
    stop();
    start(FIXTURE_WORKLOADS, 80, 24);
    cr_assert_eq(ribbon_line(), -1);
    fixture.state.live = true;
    fixture.state.run = 1;
    fixture.state.planned = 3;
    fixture.host.planned = planned_name;
    screen_update(&screen, 80, 24);
    cr_assert_neq(ribbon_line(), -1);
    cr_assert(shows("1 of 3"));
    stop();
}

/* What waits is named by the host, behind what has run. */
Test(view_ribbon, names_what_waits)
{
    start(FIXTURE_WORKLOADS, 200, 60);
    fixture.state.live = true;
    fixture.state.run = 1;
    fixture.state.planned = 3;
    fixture.host.planned = planned_name;
    for (int i = 0; i < 40; i++)
        press(")");
    cr_assert(shows("\u00b7 n-way:2-way  \u00b7 3-way") && shows("1 of 3"));
    stop();
}

/* Keys go from run to run, in the order in which they ran, and say where it ends. */
Test(view_ribbon, keys_choose)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    go_to_first();
    uint32_t first = screen.run;
    cr_assert_eq(first, 0);
    press(")");
    cr_assert_eq(screen.run, timeline_state(&screen)->ribbon.runs[1]);
    cr_assert(shows("Timeline  transpose:tile"));
    cr_assert_eq(session_kernel(fixture.session, screen.kernel)->run, screen.run);
    press("( (");
    cr_assert_eq(screen.run, first);
    cr_assert(shows("There is no run of a workload before this one."));
    for (int i = 0; i < 40; i++)
        press(")");
    cr_assert(shows("There is no run of a workload after this one.") && shows("<"));
    stop();
}

/* A click on a name shows that run; beside the names nothing happens. */
Test(view_ribbon, clicks_choose)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    go_to_first();
    const struct ribbon *ribbon = &timeline_state(&screen)->ribbon;
    struct mouse click = {.kind = MOUSE_DOWN, .x = 2 + ribbon->items[2].x + 3, .y = ribbon_line()};
    screen_mouse(&screen, &click);
    screen_update(&screen, 120, 40);
    cr_assert_eq(screen.run, ribbon->runs[2]);
    click.x = 105;
    screen_mouse(&screen, &click);
    screen_update(&screen, 120, 40);
    cr_assert_eq(screen.run, ribbon->runs[2]);
    stop();
}

/* At any width names that are shown are whole, lie beside each other and count up to all. */
Test(view_ribbon, counts_what_has_no_room)
{
    for (int width = 30; width <= 300; width += 7) {
        start(FIXTURE_WORKLOADS, width, 40);
        for (int steps = 0; steps < 6; steps++) {
            const struct ribbon *ribbon = &timeline_state(&screen)->ribbon;
            cr_assert_eq(ribbon->before + (uint32_t)ribbon->shown + ribbon->after, ribbon->count);
            for (int i = 0; i < ribbon->shown; i++) {
                const struct ribbon_item *item = &ribbon->items[i];
                int end = i + 1 < ribbon->shown ? ribbon->items[i + 1].x : width - 2;
                cr_assert(ribbon->shown == 1 || item->x + item->width <= end, "%d columns", width);
            }
            press(")");
        }
        stop();
    }
}

/* In the lab the ribbon chooses what the form shows. */
Test(view_ribbon, chooses_in_the_lab)
{
    start(FIXTURE_BOTH, 200, 60);
    press("w j e");
    type("8\r");
    cr_assert(shows("Timeline  copy-stride:strided stride=8"));
    press("TAB TAB TAB (");
    cr_assert(shows("Timeline  copy-stride:strided stride=1"));
    cr_assert_str_eq(lab_state(&screen)->value[0], "1");
    stop();
}
