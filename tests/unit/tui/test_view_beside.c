/* SPDX-License-Identifier: Apache-2.0 */
/* Views in the room that list and panel leave on a wide screen. */
#include "tests/shared/fixture/driven_screen.h"
#include "tests/shared/fixture/fixture_accesses.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int place_of(enum view_id id)
{
    for (int i = 0; i < screen.beside.count; i++)
        if (screen.beside.view[i] == screen.views[id])
            return i;
    return -1;
}

/* A program's run on a wide screen: what overlapped, and its events by name; on a narrower one neither. */
Test(view_beside, overlap_and_statistics_of_the_run)
{
    start(FIXTURE_PROGRAM, 200, 60);
    while (screen_work(&screen))
        ;
    screen_update(&screen, 200, 60);
    cr_assert(shows("Overlap  ./train") && shows("hidden by kernels"));
    cr_assert(shows("Statistics  50.0 ms of the time shown") && shows("A gemm_tiles  "));
    cr_assert(!shows("ENTER shows it") && !shows("ENTER goes to"), "the keys are the list's");
    press("O");
    cr_assert_eq(screen.beside.count, 0);
    stop();
    start(FIXTURE_PROGRAM, 110, 60);
    cr_assert_eq(screen.beside.count, 0);
    stop();
}

/* The lane map of the selected kernel comes first, and changes with it. */
Test(view_beside, the_lane_map_of_the_kernel)
{
    start(FIXTURE_MODEL, 200, 60);
    fixture.host.accesses = fixture_accesses;
    press("j");
    cr_assert_eq(place_of(VIEW_LANE_MAP), 0);
    cr_assert(shows("Lane map  copy-stride:strided") && shows("32 sectors of 32 bytes, ideal 4"));
    press("j");
    cr_assert(shows("5 sectors of 32 bytes, ideal 4"));
    press("k k k"); /* the run */
    cr_assert(screen.on_run && place_of(VIEW_LANE_MAP) < 0);
    stop();
}

/* A click opens the view; no two of them overlap each other or a pane, and each has what it needs or what
 * there is. */
Test(view_beside, a_click_opens_it)
{
    start(FIXTURE_PROGRAM, 200, 60);
    int at = place_of(VIEW_RANGE);
    cr_assert_geq(at, 0);
    struct rect area = screen.beside.area[at];
    screen_mouse(&screen, &(struct mouse){.kind = MOUSE_DOWN, .x = area.x + 5, .y = area.y + 3});
    cr_assert_eq(screen_top(&screen), screen.views[VIEW_RANGE]);
    screen_update(&screen, 200, 60);
    cr_assert_eq(screen.beside.count, 0);
    press("q");
    cr_assert_geq(place_of(VIEW_RANGE), 0);
    stop();
}

Test(view_beside, places_lie_in_their_rooms)
{
    static const enum fixture_content fixtures[] = {FIXTURE_PROGRAM, FIXTURE_WORKLOADS, FIXTURE_MODEL,
                                                    FIXTURE_EMPTY};
    for (size_t f = 0; f < sizeof fixtures / sizeof fixtures[0]; f++) {
        for (int width = 160; width <= 300; width += 20) {
            for (int height = 24; height <= 90; height += 11) {
                start(fixtures[f], width, height);
                press("j");
                for (int i = 0; i < screen.beside.count; i++) {
                    struct rect area = screen.beside.area[i];
                    cr_assert(area.height >= LAYOUT_ROOM_LINES && area.x + area.width <= width);
                    cr_assert_leq(area.y + area.height, screen.layout.status.y);
                    for (enum pane p = 0; p < PANE_COUNT; p++) {
                        struct rect pane = screen.layout.pane[p];
                        cr_assert(!rect_shown(pane) || area.x >= pane.x + pane.width ||
                                  pane.x >= area.x + area.width || area.y >= pane.y + pane.height ||
                                  pane.y >= area.y + area.height);
                    }
                }
                stop();
            }
        }
    }
}

/* Where panes leave room that no view needs, they have it back: nothing on the screen is without a frame. */
Test(view_beside, no_room_stays_empty)
{
    for (enum fixture_content content = 0; content < FIXTURE_CONTENTS; content++) {
        start(content, 200, 60);
        for (int rows = 0; rows < 3; rows++, press("k")) {
            int cells = 0;
            for (int i = 0; i < screen.beside.count; i++)
                cells += screen.beside.area[i].width * screen.beside.area[i].height;
            for (enum pane pane = 0; pane < PANE_COUNT; pane++)
                cells += screen.layout.pane[pane].width * screen.layout.pane[pane].height;
            if (screen.stack_count == 0)
                cr_assert_eq(cells, screen.layout.body.width * screen.layout.body.height, "session %d",
                             content);
        }
        stop();
    }
}

/* Finds the text after "first to last" from *at on, as far as the unit; false: there is none. */
static bool next_length(const char **at, char length[32])
{
    static const char name[] = "first to last";
    const char *found = strstr(*at, name);
    if (found == NULL)
        return false;
    found += strlen(name);
    found += strspn(found, " .");
    snprintf(length, 32, "%.*s", (int)(strcspn(found, " ") + 3), found);
    *at = found;
    return true;
}

/* While a run grows: what the list has of the run's length and the overlap are from one place, whenever they were made. */
Test(view_beside, a_growing_run_has_one_length)
{
    start(FIXTURE_PROGRAM, 200, 60);
    while (screen_work(&screen))
        ;
    screen.clock_ms = 100;
    screen_update(&screen, 200, 60);
    int64_t now_ns = session_now_ns(fixture.session, CLOCK_WALL);
    const struct item copy = {.kind = ITEM_COPY, .a = COPY_HTOD};
    cr_assert(session_add_event(fixture.session, 1, now_ns, now_ns + 200000, &copy));
    session_set_now(fixture.session, CLOCK_WALL, now_ns + 300000);
    screen.clock_ms = 500;
    press("-"); /* another range: the overlap is made again, before the verdict is */
    while (screen_work(&screen))
        ;
    screen_update(&screen, 200, 60);
    char *text = screen_text(), length[32];
    const char *at = text;
    int count = 0;
    const struct number wanted =
        number_time(run_verdicts_of(&screen.verdicts, screen.run)->times.ns[RUN_TIME_SPAN]);
    for (; next_length(&at, length); count++)
        cr_assert_str_eq(length, wanted.text, "%s", text);
    cr_assert_geq(count, 1, "%s", text);
    free(text);
    stop();
}
