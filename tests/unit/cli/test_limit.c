/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits of --fail-on: what is one, and what it says of numbers, bounds and what is not there.
 */
#include "cli/diff/limit.h"

#include <criterion/criterion.h>
#include <string.h>

Test(limit, what_is_one)
{
    static const struct {
        const char *text;
        enum metric metric;
        bool above, or_equal, times_a;
        double bound;
    } rows[] = {
        {"time_ns > 1000", METRIC_time_ns, true, false, false, 1000},
        {"time_ns>1.05x", METRIC_time_ns, true, false, true, 1.05},
        {"  l1_hit_pct  <=  5e1 ", METRIC_l1_hit_pct, false, true, false, 50},
        {"global_load_sectors >= .5x ", METRIC_global_load_sectors, true, true, true, 0.5},
        {"global_load_excess_sectors > 0x", METRIC_global_load_excess_sectors, true, false, true, 0},
        {"time_ns < -1", METRIC_time_ns, false, false, false, -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct limit limit;
        struct error error = {0};
        cr_assert_eq(limit_parse(&limit, rows[i].text, &error), STATUS_OK, "%s", error.text);
        cr_assert_eq(limit.metric, rows[i].metric);
        cr_assert_eq(limit.above, rows[i].above);
        cr_assert_eq(limit.or_equal, rows[i].or_equal);
        cr_assert_eq(limit.times_a, rows[i].times_a);
        cr_assert_float_eq(limit.bound, rows[i].bound, 1e-12, "%s", rows[i].text);
    }
}

#define TWENTY "twenty_letters_long_"
#define LONG_NAME TWENTY TWENTY TWENTY TWENTY

Test(limit, what_is_none)
{
    static const char *const texts[] = {"",
                                        " ",
                                        ">",
                                        "> 1",
                                        "time_ns",
                                        "time_ns >",
                                        "time_ns > x",
                                        "time_ns > nan",
                                        "time_ns > inf",
                                        "time_ns > 1e999",
                                        "time_ns > 0x10",
                                        "time_ns > 1.05 x",
                                        "time_ns > 1xx",
                                        "time_ns > 1 2",
                                        "time_ns >> 1",
                                        "time_ns == 1",
                                        "time_ns = 1",
                                        "time_ns => 1",
                                        "time_ns > -1x",
                                        "TIME_NS > 1",
                                        "occupancy_limiter > 1",
                                        LONG_NAME " > 1"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct limit limit;
        struct error error = {0};
        cr_assert_eq(limit_parse(&limit, texts[i], &error), STATUS_USAGE, "%s", texts[i]);
        cr_assert_gt(strlen(error.text), 20u);
    }
}

#define IS(n)                            \
    {                                    \
        .available = true, .number = (n) \
    }
#define LEAST(n)                                                  \
    {                                                             \
        .available = true, .number = (n), .bound = VALUE_AT_LEAST \
    }
#define MOST(n)                                                  \
    {                                                            \
        .available = true, .number = (n), .bound = VALUE_AT_MOST \
    }

Test(limit, what_it_says)
{
    static const struct {
        const char *text;
        struct value a, b;
        enum limit_state state;
    } rows[] = {
        {"time_ns > 10", {0}, IS(10), LIMIT_KEPT},
        {"time_ns > 10", {0}, IS(10.01), LIMIT_BROKEN},
        {"time_ns >= 10", {0}, IS(10), LIMIT_BROKEN},
        {"time_ns < 10", {0}, IS(10), LIMIT_KEPT},
        {"time_ns < 10", {0}, IS(9), LIMIT_BROKEN},
        {"time_ns <= 10", {0}, IS(10), LIMIT_BROKEN},
        {"time_ns > 10", {0}, {0}, LIMIT_UNCHECKED},
        {"time_ns > 1.5x", {0}, IS(3), LIMIT_UNCHECKED},
        {"time_ns > 1.5x", IS(2), IS(3), LIMIT_KEPT},
        {"time_ns > 1.5x", IS(2), IS(3.1), LIMIT_BROKEN},
        {"time_ns > 1.5x", IS(0), IS(0), LIMIT_KEPT},
        {"time_ns > 1.5x", IS(0), IS(1), LIMIT_BROKEN},
        {"time_ns < 0.5x", IS(4), IS(1), LIMIT_BROKEN},
        {"time_ns < 0.5x", IS(4), IS(2), LIMIT_KEPT},
        /* what the counters only bound */
        {"time_ns > 10", {0}, LEAST(11), LIMIT_BROKEN},
        {"time_ns > 10", {0}, LEAST(10), LIMIT_UNCHECKED},
        {"time_ns > 10", {0}, MOST(10), LIMIT_KEPT},
        {"time_ns > 10", {0}, MOST(11), LIMIT_UNCHECKED},
        {"time_ns < 10", {0}, MOST(9), LIMIT_BROKEN},
        {"time_ns < 10", {0}, LEAST(10), LIMIT_KEPT},
        {"time_ns > 2x", LEAST(5), IS(10), LIMIT_KEPT},
        {"time_ns > 2x", LEAST(5), IS(11), LIMIT_UNCHECKED},
        {"time_ns > 2x", MOST(5), IS(11), LIMIT_BROKEN},
        {"time_ns > 2x", MOST(5), IS(10), LIMIT_UNCHECKED},
        {"time_ns > 0x", LEAST(5), IS(1), LIMIT_BROKEN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct limit limit;
        cr_assert_eq(limit_parse(&limit, rows[i].text, NULL), STATUS_OK);
        cr_assert_eq(limit_check(&limit, &rows[i].a, &rows[i].b), rows[i].state, "row %zu: %s", i,
                     rows[i].text);
    }
}
