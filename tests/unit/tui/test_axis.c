/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/widgets/axis.h"
#include "tui/widgets/number.h"

#include <criterion/criterion.h>
#include <stdint.h>

static uint64_t state = 88172645463325252u;

static int64_t random_below(int64_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int64_t)(state % (uint64_t)limit);
}

/* The column of a time is the one whose bounds hold it. */
Test(axis, columns_hold_their_times)
{
    for (int round = 0; round < 100000; round++) {
        int columns = 1 + (int)random_below(300);
        int64_t start = random_below(INT64_C(1) << 40) - (INT64_C(1) << 39);
        struct window window =
            axis_make(start, start + columns + random_below(INT64_C(1) << (1 + random_below(45))));
        int64_t time = window.start_ns + random_below(window.end_ns - window.start_ns);
        int column = axis_column(window, columns, time);
        cr_assert(column >= 0 && column < columns);
        cr_assert_leq(axis_column_start(window, columns, column), time);
        cr_assert_gt(axis_column_start(window, columns, column + 1), time);
    }
}

Test(axis, times_outside_have_no_column)
{
    struct window window = axis_make(1000, 2000);
    cr_assert_eq(axis_column(window, 10, 999), -1);
    cr_assert_eq(axis_column(window, 10, INT64_MIN / 4), -1);
    cr_assert_eq(axis_column(window, 10, 2000), 10);
    cr_assert_eq(axis_column(window, 10, INT64_MAX / 4), 10);
}

Test(axis, steps_are_nice_and_leave_room)
{
    for (int round = 0; round < 20000; round++) {
        struct window window = axis_make(0, 64 + random_below(INT64_C(1) << (7 + random_below(40))));
        int columns = 20 + (int)random_below(280), labels = columns / 14 > 0 ? columns / 14 : 1;
        int64_t step = axis_step(window, columns, 14), lead = step;
        cr_assert_leq((window.end_ns - window.start_ns) / labels, step);
        while (lead >= 10)
            lead /= 10;
        cr_assert(lead == 1 || lead == 2 || lead == 5);
    }
}

Test(axis, zooming_keeps_the_time_under_the_cursor)
{
    for (int round = 0; round < 10000; round++) {
        struct window window = axis_make(random_below(1000000), 2000000 + random_below(INT64_C(1) << 40));
        int64_t about = window.start_ns + random_below(window.end_ns - window.start_ns);
        int before = axis_column(window, 100, about),
            after = axis_column(axis_zoom(window, about, 1, 2), 100, about);
        cr_assert(after >= before - 1 && after <= before + 1);
    }
}

Test(axis, never_leaves_what_it_can_hold)
{
    struct window window = axis_make(0, 1000);
    for (int i = 0; i < 200; i++)
        window = axis_zoom(window, 500, 2, 1);
    for (int i = 0; i < 200; i++)
        window = axis_pan(window, window.end_ns - window.start_ns);
    cr_assert_gt(window.end_ns, window.start_ns);
    for (int i = 0; i < 200; i++)
        window = axis_zoom(window, window.start_ns, 1, 2);
    cr_assert_eq(window.end_ns - window.start_ns, AXIS_SPAN_MIN);
    window = axis_make(INT64_MIN, INT64_MAX);
    cr_assert_gt(window.end_ns, window.start_ns);
    window = axis_make(5, 5);
    cr_assert_eq(window.end_ns - window.start_ns, AXIS_SPAN_MIN);
}

/* The unit follows the span, and the last digit is rounded. */
Test(axis, times_within_a_span)
{
    static const struct {
        int64_t ns, span_ns;
        const char *text;
    } cases[] = {
        {938268, 3420000, "+938 us"},         {1164635, 3420000, "+1.165 ms"},  {-65709, 3420000, "-66 us"},
        {938268, 900000, "+938,268 ns"},      {5118499, 64000000, "+5.118 ms"}, {0, 64000000, "+0 us"},
        {1999600000, 5000000000, "+2.000 s"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct number number = number_since_within(1000 + cases[i].ns, 1000, cases[i].span_ns);
        cr_expect_str_eq(number.text, cases[i].text, "%zu: '%s'", i, number.text);
    }
}
