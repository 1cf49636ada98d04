/* SPDX-License-Identifier: Apache-2.0 */
/* The roofline on the screen: its numbers are the catalogue's, measured before modelled; its selection is the
 * list's. */
#include "core/analysis/kernel_metrics.h"
#include "tests/shared/fixture/driven_screen.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

Test(view_roofline, numbers_are_the_catalogues)
{
    start(FIXTURE_ROOFLINE, 160, 50);
    press("R");
    const struct roofline_view *view = roofline_state(&screen);
    cr_assert_eq(view->count, 9, "five kernels measured, four of them modelled: %d", view->count);
    cr_assert_eq(view->without, 1);
    cr_assert(shows("1 more: there is no counter run") || shows("1 more: no launch"));
    for (int i = 0; i < view->count; i++) {
        const struct roofline_row *row = &view->rows[i];
        static const enum metric metrics[] = {METRIC_arithmetic_intensity, METRIC_operations_per_second,
                                              METRIC_roof, METRIC_roof_pct};
        cr_assert(i == 0 || roofline_row_is_point(row) <= roofline_row_is_point(row - 1), "points first");
        cr_assert(i == 0 || roofline_row_is_point(row) != roofline_row_is_point(row - 1) ||
                  row->place > row[-1].place);
        for (size_t m = 0; m < sizeof metrics / sizeof *metrics; m++) {
            struct value value =
                kernel_statistic(fixture.session, row->kernel, metrics[m], row->provenance).value;
            char text[40];
            cr_assert(value.available, "%s", value.why);
            metric_format(metrics[m], &value, text, sizeof text);
            cr_assert(shows(text));
        }
        if (roofline_row_is_point(row))
            cr_assert(row->intensity[LEVEL_DRAM].number >= view->x_least &&
                      row->intensity[LEVEL_DRAM].number <= view->x_most &&
                      row->speed.number >= view->y_least && row->speed.number <= view->y_most);
        cr_assert_leq(row->speed.number, row->possible * 1.000001);
    }
    cr_assert(shows("DRAM 4.81 TB/s") && shows("66.9 TFLOP/s") && shows("33.5 TFLOP/s"));
    stop();
}

Test(view_roofline, the_selection_is_the_lists)
{
    start(FIXTURE_ROOFLINE, 120, 40);
    press("j j R");
    cr_assert_eq(roofline_state(&screen)->rows[sheet_table_row(&roofline_state(&screen)->table)].kernel,
                 screen.kernel);
    press("j j j");
    uint32_t kernel = roofline_state(&screen)->rows[sheet_table_row(&roofline_state(&screen)->table)].kernel;
    cr_assert_eq(kernel, screen.kernel);
    press("q");
    cr_assert_eq(panel_state(&screen)->kernel, kernel);
    stop();
}

Test(view_roofline, says_why_there_is_none)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    press("R");
    cr_assert(shows("No kernel's operations and bytes are known: "));
    stop();
    start(FIXTURE_EMPTY, 80, 24);
    fixture.host.run = NULL; /* a recording */
    press("j R");
    cr_assert(shows("No kernel is known."));
    stop();
}

/* At every size nothing is drawn outside and the selection stays on screen. */
Test(view_roofline, any_size)
{
    for (int width = 20; width <= 200; width += 15) {
        for (int height = 5; height <= 60; height += 5) {
            start(FIXTURE_ROOFLINE, width, height);
            press("R G");
            const struct list *list = &roofline_state(&screen)->table.list;
            cr_assert_eq(list->selected, list->count - 1);
            cr_assert(list->height <= 0 || list->selected < list->top + list->height);
            stop();
        }
    }
}

/* The marks of the chart: a letter or digit, with the tilde before it, that is not of a roof's name. */
static bool chart_has(char letter, bool model)
{
    struct rect inside = view_inside(screen.layout.body);
    for (int y = inside.y + 1; y < inside.y + inside.height; y++) {
        if (canvas_cell(&canvas, inside.x + 12, y)->codepoint == 0x2514) /* the chart's lower left corner */
            break;
        for (int x = inside.x + 13; x < inside.x + inside.width; x++)
            if (canvas_cell(&canvas, x, y)->codepoint == (unsigned char)letter &&
                (canvas_cell(&canvas, x - 1, y)->codepoint == '~') == model)
                return true;
    }
    return false;
}

/* Every kernel that computes has its letter in the chart, whatever stands around it; the letter is that of
 * the list. */
static int check_letters(void)
{
    const struct roofline_view *view = roofline_state(&screen);
    int points = 0;
    screen_draw(&screen, &canvas);
    for (int i = 0; i < view->count; i++) {
        const struct roofline_row *row = &view->rows[i];
        uint16_t name = naming_of_kernel(&screen.naming, screen.session, row->kernel);
        cr_assert_eq(row->letter, naming_letter(name));
        if (!roofline_row_is_point(row))
            continue;
        points++;
        cr_assert(chart_has(row->letter, row->provenance == PROVENANCE_MODELLED), "%d columns: no %c",
                  canvas.width, row->letter);
    }
    return points;
}

Test(view_roofline, every_point_has_its_letter)
{
    static const enum fixture_content contents[] = {FIXTURE_ROOFLINE, FIXTURE_EXTREMES};
    int points = 0;
    for (int c = 0; c < 2; c++) {
        start(contents[c], 80, 40);
        press("R");
        for (int width = 60; width <= 300; width += 3) {
            cr_assert_eq(canvas_resize(&canvas, width, 40, NULL), STATUS_OK);
            screen_update(&screen, width, 40);
            points += check_letters();
            press(width % 2 ? "j" : "k");
        }
        stop();
    }
    cr_assert_gt(points, 500, "%d", points);
}

/* The roofs of the levels whose bytes were counted, and the reason for the one that has none. */
Test(view_roofline, levels_have_roofs_or_reasons)
{
    start(FIXTURE_ROOFLINE, 160, 50);
    press("R");
    const struct roofline_view *view = roofline_state(&screen);
    cr_assert(view->levels[LEVEL_L1].available && shows("L1 33.5 TB/s"));
    cr_assert_eq(view->levels[LEVEL_L1].provenance, PROVENANCE_EXPECTED);
    cr_assert(!view->levels[LEVEL_L2].available && shows("no roof of L2: "));
    cr_assert(shows(view->levels[LEVEL_L2].why));
    stop();
}

Test(view_roofline, enter_shows_the_kernel)
{
    start(FIXTURE_ROOFLINE, 120, 40);
    press("R j ENTER");
    cr_assert_null(screen_top(&screen));
    cr_assert_eq(panel_state(&screen)->kernel, roofline_state(&screen)->rows[1].kernel);
    stop();
}
