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
        cr_assert(i == 0 || row->number >= row[-1].number);
        for (size_t m = 0; m < sizeof metrics / sizeof *metrics; m++) {
            struct value value =
                kernel_statistic(fixture.session, row->kernel, metrics[m], row->provenance).value;
            char text[40];
            cr_assert(value.available, "%s", value.why);
            metric_format(metrics[m], &value, text, sizeof text);
            cr_assert(shows(text));
        }
        if (roofline_row_is_point(row))
            cr_assert(row->intensity.number >= view->x_least && row->intensity.number <= view->x_most &&
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
    cr_assert_eq(roofline_state(&screen)->rows[roofline_state(&screen)->list.selected].kernel, screen.kernel);
    press("j j j");
    uint32_t kernel = roofline_state(&screen)->rows[roofline_state(&screen)->list.selected].kernel;
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
            const struct list *list = &roofline_state(&screen)->list;
            cr_assert_eq(list->selected, list->count - 1);
            cr_assert(list->height <= 0 || list->selected < list->top + list->height);
            stop();
        }
    }
}

/* A number that stands in the chart is a row's, whole: two that meet would read as a third. */
static int count_points(void)
{
    const struct roofline_view *view = roofline_state(&screen);
    struct rect inside = view_inside(screen.layout.body);
    int axis = inside.x + 12, points = 0;
    screen_draw(&screen, &canvas);
    for (int y = inside.y + 1; y < inside.y + inside.height; y++) {
        char text[32];
        int at = 0;
        if (canvas_cell(&canvas, axis, y)->codepoint == 0x2514) /* the chart's lower left corner */
            break;
        for (int x = axis + 1; x <= inside.x + inside.width; x++) {
            const struct cell *cell = canvas_cell(&canvas, x, y);
            bool roof = cell->style.foreground == COLOR_WARN, known = false;
            char c = cell->codepoint < 0x7f && !roof ? (char)cell->codepoint : ' ';
            if ((c >= '0' && c <= '9') || c == '~') {
                cr_assert_lt(at, (int)sizeof text - 1);
                text[at++] = c;
                continue;
            }
            text[at] = '\0';
            for (int i = 0; i < view->count && at > 0; i++) {
                char number[32];
                snprintf(number, sizeof number, "%s%d",
                         view->rows[i].provenance == PROVENANCE_MODELLED ? "~" : "", view->rows[i].number);
                known = known || strcmp(number, text) == 0;
            }
            cr_expect(at == 0 || known, "%d columns: '%s' is no row's number", canvas.width, text);
            points += at > 0;
            at = 0;
        }
    }
    return points;
}

Test(view_roofline, a_points_number_is_whole)
{
    static const enum fixture_content contents[] = {FIXTURE_ROOFLINE, FIXTURE_EXTREMES};
    int points = 0;
    for (int c = 0; c < 2; c++) {
        start(contents[c], 80, 40);
        press("R");
        for (int width = 60; width <= 300; width += 3) {
            cr_assert_eq(canvas_resize(&canvas, width, 40, NULL), STATUS_OK);
            screen_update(&screen, width, 40);
            points += count_points();
            press(width % 2 ? "j" : "k");
        }
        stop();
    }
    cr_assert_gt(points, 500, "%d", points);
}
