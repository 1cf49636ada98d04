/* The roofline on the screen: its numbers are the catalogue's, measured before modelled; its selection is the
 * list's. */
#include "core/kernel_metrics.h"
#include "tests/unit/driven_screen.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

Test(view_roofline, numbers_are_the_catalogues)
{
    start(FIXTURE_ROOFLINE, 160, 50);
    press("R");
    const struct roofline_view *view = &screen.roofline;
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
    cr_assert_eq(screen.roofline.rows[screen.roofline.list.selected].kernel, screen.kernels.selected_kernel);
    press("j j j");
    uint32_t kernel = screen.roofline.rows[screen.roofline.list.selected].kernel;
    cr_assert_eq(kernel, screen.kernels.selected_kernel);
    press("q");
    cr_assert_eq(screen.panel.kernel, kernel);
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
            const struct list *list = &screen.roofline.list;
            cr_assert_eq(list->selected, list->count - 1);
            cr_assert(list->height <= 0 || list->selected < list->top + list->height);
            stop();
        }
    }
}
