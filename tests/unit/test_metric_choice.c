#include "core/metric.h"

#include <criterion/criterion.h>
#include <string.h>

#define MOST 256

Test(metric_choice, nothing_chosen_is_everything_once)
{
    char nothing[] = "";
    const char *names[MOST];
    size_t count = metric_choose_counters(nothing, "GH100", names, MOST);

    cr_assert(count > 20);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++)
            cr_assert_str_neq(names[i], names[k]);
    }
    for (int metric = 0; metric < METRIC_COUNT; metric++) {
        for (const char *const *counter = metric_counters((enum metric)metric, "GH100"); *counter;
             counter++) {
            size_t i = 0;

            while (i < count && strcmp(names[i], *counter) != 0)
                i++;
            cr_assert(i < count, "%s is missing", *counter);
        }
    }
}

Test(metric_choice, ids_become_their_counters_and_names_stay)
{
    char choice[] = "dram_read_bytes,,sm__cycles_active.avg,dram_read_bytes,sm__cycles_active.avg";
    const char *names[MOST];

    cr_assert(metric_choose_counters(choice, "GH100", names, MOST) == 2);
    cr_assert_str_eq(names[0], metric_counters(METRIC_dram_read_bytes, "GH100")[0]);
    cr_assert_str_eq(names[1], "sm__cycles_active.avg");
}

Test(metric_choice, never_more_than_there_is_room_for)
{
    char nothing[] = "";
    const char *names[3];

    cr_assert(metric_choose_counters(nothing, "GH100", names, 3) == 3);
}

Test(metric_choice, what_needs_no_counter_chooses_none)
{
    char choice[] = "theoretical_occupancy_pct";
    const char *names[MOST];

    cr_assert(metric_choose_counters(choice, "GH100", names, MOST) == 0);
}
