/* SPDX-License-Identifier: Apache-2.0 */
/* A sheet on the screen: its columns, order, filter, folding, the row shown whole, the mouse, copying. */
#include "tests/shared/fixture/driven_screen.h"
#include "tests/shared/fixture/fixture_sheet.h"
#include "tui/widgets/sheet_table.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Opens it, and waits for its rows. */
static void open_sheet(const char *name, int width, int height)
{
    start(FIXTURE_WORKLOADS, width, height);
    press(":");
    type(name);
    press("ENTER");
    cr_assert(shows("Making the table"), "the screen does not wait for the rows");
    while (screen_work(&screen))
        continue;
    screen_update(&screen, width, height);
}

/* The first line of the screen that has this; the caller frees it. */
static char *line_with(const char *text)
{
    char *all = screen_text(), *found = strstr(all, text);
    cr_assert_not_null(found, "'%s' is not in\n%s", text, all);
    while (found > all && found[-1] != '\n')
        found--;
    found[strcspn(found, "\n")] = '\0';
    char *line = strdup(found);
    free(all);
    return line;
}

Test(view_sheet, priority_decides_what_a_width_shows)
{
    open_sheet("parts", 120, 20);
    char *heads = line_with("share   ");
    cr_assert(strstr(heads, "gain") && strstr(heads, "kernel"), "%s", heads);
    free(heads);
    stop();
    open_sheet("parts", 60, 20);
    heads = line_with("share   ");
    cr_assert(strstr(heads, "time") && strstr(heads, "what") && !strstr(heads, "gain"), "%s", heads);
    free(heads);
    press("l l l l l"); /* the chosen column is shown at any width */
    heads = line_with("gain");
    free(heads);
    cr_assert(shows("gain: how much faster it could be"));
    cr_assert(shows("no limit"));
    stop();
}

Test(view_sheet, sorts_within_groups)
{
    open_sheet("parts", 100, 20);
    cr_assert(shows("measured:  in two lines") && shows("50.00 %"));
    press("l s"); /* by time: the largest first, what is not known last */
    char *first = line_with("58.5 us");
    free(first);
    cr_assert(!shows("50.00 %") && !shows("~"), "modelled rows stay in their group");
    press("S");
    first = line_with("0 ns");
    free(first);
    press("G");
    press("k k");
    cr_assert(shows("a note on all of it") && shows("~58.5 us"));
    press("s g"); /* by the same again: as the table came */
    cr_assert(shows("50.00 %"));
    stop();
}

Test(view_sheet, filters_and_folds)
{
    open_sheet("parts", 100, 70);
    press("/");
    type("host");
    cr_assert(shows("20 rows  filter: host") && shows("copy to the host") && !shows("copy to the device"));
    press("ENTER /");
    type("nowhere");
    cr_assert(shows("0 rows"));
    press("ESC /");
    type("wall"); /* a column that has no head */
    cr_assert(shows("  0 rows  filter: wall"));
    press("ESC");
    cr_assert(shows("60 rows"));
    press("z");
    cr_assert(shows("measured:  in two lines  40 rows") && !shows("50.00 %"));
    press("ENTER");
    cr_assert(shows("50.00 %"));
    stop();
    open_sheet("equals", 60, 20);
    press("j z");
    cr_assert(shows("x 4") && shows("x 2"));
    press("z");
    cr_assert(!shows("x 4"));
    stop();
}

/* A column without a value in any row is left out, but for the chosen one, and a line names it. */
Test(view_sheet, leaves_columns_without_values_out)
{
    open_sheet("equals", 60, 20);
    cr_assert(shows("process") && shows("no value in any row: process"), "it is chosen");
    press("l");
    char *heads = line_with("what happened");
    cr_assert(!strstr(heads, "process"), "%s", heads);
    free(heads);
    stop();
    open_sheet("parts", 100, 70);
    cr_assert(!shows("no value in any row"));
    stop();
}

Test(view_sheet, shows_a_row_whole)
{
    open_sheet("parts", 80, 24);
    press("ENTER j j j j j j j j j");
    cr_assert(shows("clock") && shows("wall") &&
              shows("kernel: the kernel's whole name. scale_chunk(float *, int)"));
    press("ESC");
    cr_assert(shows("50.00 %") && screen_has_open(&screen, VIEW_SHEET), "ESC leaves the row first");
    press("ESC");
    cr_assert(!screen_has_open(&screen, VIEW_SHEET));
    stop();
}

Test(view_sheet, copies_the_chosen_cell)
{
    open_sheet("parts", 80, 24);
    press("y");
    cr_assert_str_eq(screen.copied, "50.00 %");
    press("j j h y"); /* from the first column to the last one */
    cr_assert_str_eq(screen.copied, "a \x1b[31mred\x1b[0m name", "the whole name, not the short one");
    cr_assert(shows("\\x1b[31mred"), "on the screen its control characters are visible");
    stop();
}

static void click(int x, int y)
{
    screen_mouse(&screen, &(struct mouse){.kind = MOUSE_DOWN, .x = x, .y = y});
    screen_mouse(&screen, &(struct mouse){.kind = MOUSE_UP, .x = x, .y = y});
    screen_update(&screen, canvas.width, canvas.height);
}

Test(view_sheet, the_mouse_sorts_and_chooses)
{
    open_sheet("parts", 100, 24);
    struct rect body = screen.layout.body;
    int head = body.y + 2, time = body.x + 2 + 8 + 1 + 4;
    click(time, head);
    cr_assert(shows("58.5 us") && shows("time: its time"));
    click(time, head);
    cr_assert(shows(" 0 ns") && !shows("58.5 us"), "a second click reverses");
    click(body.x + 5, head + 4);
    press("y");
    cr_assert(strstr(screen.copied, "%"), "%s", screen.copied);
    stop();
}

/* A view that is closed waits for nothing; opened again, it asks anew. */
Test(view_sheet, is_made_anew_after_it_was_left)
{
    start(FIXTURE_WORKLOADS, 100, 24);
    press(":");
    type("parts");
    press("ENTER");
    cr_assert_not_null(fixture_sheet_asked());
    press("q");
    cr_assert(!screen_has_open(&screen, VIEW_SHEET));
    cr_assert_null(fixture_sheet_asked(), "nobody waits for it");
    press(":");
    type("parts");
    press("ENTER");
    while (screen_work(&screen))
        continue;
    screen_update(&screen, 100, 24);
    cr_assert(shows("60 rows"));
    stop();
}

Test(view_sheet, says_why_there_are_no_rows)
{
    open_sheet("nothing", 60, 12);
    cr_assert(shows("nothing: it was not recorded"));
    stop();
    open_sheet("failing", 60, 12);
    cr_assert(shows("The parts are damaged."));
    stop();
}

/* While the session grows the rows are made anew, and the selection stays on its row. */
Test(view_sheet, follows_a_session_that_grows)
{
    open_sheet("parts", 100, 24);
    press("l s j j j");
    press("y");
    char before[sizeof screen.copied];
    snprintf(before, sizeof before, "%s", screen.copied);
    session_add_notice(screen.session, &(const struct notice_row){.time_ns = 1, .process = NONE});
    screen.clock_ms += 5000;
    screen_update(&screen, 100, 24);
    cr_assert(screen_work(&screen), "they are made again");
    while (screen_work(&screen))
        continue;
    screen_update(&screen, 100, 24);
    press("y");
    cr_assert_str_eq(screen.copied, before);
    stop();
}
