/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arrow keys of the lab: whatever parameter they go through, each value that they stop at can be run, and
 * from any value they go on.
 */
#include "cli/screen/workload_table.h"
#include "core/base/error.h"
#include "workloads/frame/workload.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STOPS_MAX 310 /* key presses from one end of a range to the other */

static const struct device_info info = {
    .compute_capability = 90, .multiprocessors = 132, .l2_bytes = 50u << 20};

/* In some variant: "streams" is of the staged ones. */
static void can_run(const struct workload *workload, const char *param, int64_t value)
{
    char text[200];
    struct workload_case *cases;
    struct error error = {0};
    size_t count, refused = 0;

    snprintf(text, sizeof text, "%s,%s=%" PRId64, workload->name, param, value);
    cr_assert_eq(workload_parse(text, &cases, &count, &error), STATUS_OK, "%s", error.text);
    for (size_t i = 0; i < count; i++) {
        cases[i].info = &info;
        cases[i].small = true;
        refused += workload->resolve(&cases[i], &error) != STATUS_OK;
    }
    cr_assert_lt(refused, count, "%s: %s", text, error.text);
    free(cases);
}

/* To the end of the range, and the value it ends at. */
static int64_t walk(const struct workload *workload, const struct tui_param *param, int64_t value, int by)
{
    for (int stops = 0;; stops++) {
        int64_t next = workload_param_step(param, value, by);

        cr_assert_lt(stops, STOPS_MAX, "%s,%s: %d presses and no end", workload->name, param->name, stops);
        if (next == value)
            return value;
        cr_assert(by > 0 ? next > value : next < value, "%s,%s: from %" PRId64 " to %" PRId64, workload->name,
                  param->name, value, next);
        can_run(workload, param->name, value = next);
    }
}

Test(workload_steps, each_stop_can_be_run)
{
    struct workload_table table;
    struct error error = {0};

    cr_assert_eq(workload_table_make(&table, &error), STATUS_OK);
    for (size_t w = 0; w < table.count; w++) {
        for (size_t p = 0; p < table.rows[w].param_count; p++) {
            const struct tui_param *param = &table.rows[w].params[p];
            int64_t top = walk(workload_at(w), param, param->standard, 1);

            cr_assert_eq(top, param->maximum, "%s,%s ends at %" PRId64, table.rows[w].name, param->name, top);
            cr_assert_eq(walk(workload_at(w), param, param->standard, -1), param->minimum);
            walk(workload_at(w), param, top, -1);
            walk(workload_at(w), param, param->minimum, 1);
        }
    }
    workload_table_free(&table);
}

Test(workload_steps, values_between_the_stops)
{
    static const struct tui_param ones = {.minimum = 1, .maximum = 32},
                                  fours = {.minimum = 1, .maximum = 1024, .step = 4},
                                  powers = {.minimum = 2, .maximum = 100, .doubles = true},
                                  size = {.minimum = 0, .maximum = 1 << 28},
                                  tiles = {.minimum = 0, .maximum = 500, .step = 32, .doubles = true};
    static const struct {
        const struct tui_param *param;
        int64_t from, smaller, larger;
    } table[] = {
        {&ones, 1, 1, 2},           {&ones, 32, 31, 32},
        {&fours, 1, 1, 4},          {&fours, 4, 1, 8},
        {&fours, 99, 96, 100},      {&fours, 100, 96, 104},
        {&fours, 1024, 1020, 1024}, {&powers, 2, 2, 4},
        {&powers, 3, 2, 4},         {&powers, 64, 32, 100},
        {&powers, 100, 64, 100},    {&size, 0, 0, 1024},
        {&size, 1024, 0, 2048},     {&size, 1000, 0, 1024},
        {&size, 5000, 4096, 8192},  {&size, 1 << 28, 1 << 27, 1 << 28},
        {&tiles, 0, 0, 32},         {&tiles, 32, 0, 64},
        {&tiles, 500, 256, 500},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        cr_assert_eq(workload_param_step(table[i].param, table[i].from, -1), table[i].smaller, "row %zu", i);
        cr_assert_eq(workload_param_step(table[i].param, table[i].from, 1), table[i].larger, "row %zu", i);
    }
}
