/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list says which kernels have something to gain: a mark beside the letter, a column where there is room,
 * and an order by it.
 */
#include "tests/shared/fixture/driven_screen.h"

#include <criterion/criterion.h>
#include <string.h>

static struct kernel_gain gain_of(const char *name)
{
    for (int i = 0; i < kernels_state(&screen)->list.count; i++)
        if (strcmp(kernels_state(&screen)->items[i].name, name) == 0)
            return kernel_gains_of(&kernels_state(&screen)->gains, kernels_state(&screen)->items[i].kernel);
    return (struct kernel_gain){GAIN_NOT_ASKED, 0};
}

Test(view_gains, are_what_the_first_advice_says)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    struct kernel_gain naive = gain_of("transpose_naive"), pad = gain_of("transpose_pad");
    cr_assert(naive.state == GAIN_SOME && naive.share > 0.7f && naive.share < 0.72f);
    cr_assert_eq(pad.state, GAIN_NOTHING);
    cr_assert_eq((float)panel_state(&screen)->advice.items[0].gain, naive.share,
                 "the panel says the same of the first");
    cr_assert(shows("A✓ ▲ 28.7") && !shows("C✓ ▲"));
    stop();
}

Test(view_gains, have_a_column_where_there_is_room)
{
    start(FIXTURE_WORKLOADS, 160, 40);
    cr_assert(shows("gain <=") && shows("71 %"));
    stop();
    start(FIXTURE_PROGRAM, 160, 40); /* nothing was counted */
    cr_assert(!shows("gain <=") && !shows("▲"));
    stop();
}

Test(view_gains, order_the_list)
{
    start(FIXTURE_WORKLOADS, 80, 24);
    press("s");
    cr_assert_eq(kernels_state(&screen)->sort, SORT_GAIN);
    cr_assert(shows("8 by gain"), "no column says it");
    cr_assert(shows("Sorted by gain; g goes to the first."));
    for (int i = 1; i < kernels_state(&screen)->list.count; i++)
        cr_assert_geq(kernels_state(&screen)->items[i - 1].gain_ns, kernels_state(&screen)->items[i].gain_ns);
    cr_assert_str_eq(kernels_state(&screen)->items[0].name, "transpose_naive");
    cr_assert_eq(kernels_state(&screen)->items[kernels_state(&screen)->list.count - 1].gain_ns, 0);
    stop();
}

Test(view_gains, follow_new_values)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    const struct kernel_index *before = kernels_state(&screen)->gains.index;
    press("j k");
    cr_assert_eq(kernels_state(&screen)->gains.index, before, "nothing new: not made again");
    kernels_state(&screen)->gains.made_of = 0;
    press("j");
    cr_assert_eq(gain_of("transpose_naive").state, GAIN_SOME);
    stop();
}

/* What is missing says how to get it. */
Test(view_gains, of_a_program_that_was_not_counted)
{
    start(FIXTURE_PROGRAM, 80, 24);
    cr_assert(shows("not counted: use --runs trace,counters"));
    stop();
    start(FIXTURE_WORKLOADS, 80, 24);
    cr_assert(!shows("not counted"), "a workload is counted by itself");
    stop();
}

/* One statistic: what a launch took is the median, in the list as in the panel. */
Test(view_gains, the_list_and_the_panel_say_the_same_time)
{
    static const enum fixture_content fixtures[] = {FIXTURE_WORKLOADS, FIXTURE_PROGRAM, FIXTURE_MODEL};
    for (size_t f = 0; f < sizeof fixtures / sizeof fixtures[0]; f++) {
        start(fixtures[f], 150, 40); /* a wider one has statistics, with a mean */
        cr_assert(shows("median") && !shows("mean"));
        for (int i = 0; i < kernels_state(&screen)->list.count; i++, press("j")) {
            const struct panel *panel = panel_state(&screen);
            const struct kernel_item *item =
                &kernels_state(&screen)->items[kernels_state(&screen)->list.selected];
            const struct value *time = &panel->lines[METRIC_time_ns].value[panel->own].value;
            if (item->part != 0) /* copies or idle time */
                continue;
            cr_assert_eq(item->kernel, panel->kernel);
            cr_assert_eq((int64_t)time->number, item->typical_ns, "%s: %g and %ld ns", item->name,
                         time->number, (long)item->typical_ns);
        }
        stop();
    }
}
