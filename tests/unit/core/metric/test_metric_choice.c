/* SPDX-License-Identifier: Apache-2.0 */
#include "core/metric/metric.h"

#include <criterion/criterion.h>
#include <string.h>

#define MOST 256

Test(metric_choice, nothing_chosen_is_everything_once)
{
    char nothing[] = "";
    const char *names[MOST];
    size_t count = metric_choose_counters(nothing, "GH100", METRIC_SHARE_ALL, names, MOST);

    cr_assert(count > 20);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            cr_assert_str_neq(names[i], names[k]);
    for (int metric = 0; metric < METRIC_COUNT; metric++) {
        if (metric_when_asked((enum metric)metric))
            continue;
        const struct metric_counters counters = metric_counters((enum metric)metric, "GH100");
        for (const char *const *counter = counters.names; *counter; counter++) {
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

    cr_assert(metric_choose_counters(choice, "GH100", METRIC_SHARE_MEMORY, names, MOST) == 2);
    cr_assert_str_eq(names[0], metric_counters(METRIC_dram_read_bytes, "GH100").names[0]);
    cr_assert_str_eq(names[1], "sm__cycles_active.avg");
}

/* "+stalls": all of that group beside the usual, none of it twice, none of it in the run of one pass. */
Test(metric_choice, beside_the_catalogue)
{
    char nothing[] = "", more[] = "+stalls,sm__cycles_active.avg", memory_more[] = "+stalls",
         group[] = "stalls";
    const char *usual[MOST], *names[MOST];
    size_t usual_count = metric_choose_counters(nothing, "GH100", METRIC_SHARE_COUNTERS, usual, MOST);
    size_t count = metric_choose_counters(more, "GH100", METRIC_SHARE_COUNTERS, names, MOST);
    size_t stalls = 0, asked = 0;

    for (int metric = 0; metric < METRIC_COUNT; metric++) {
        bool stall = metric_info((enum metric)metric)->group == METRIC_GROUP_STALLS;
        stalls += stall;
        asked += stall && metric_when_asked((enum metric)metric);
    }
    cr_assert_gt(asked, 0);
    cr_assert_eq(count, usual_count + asked + 1);
    for (size_t i = 0; i < usual_count; i++)
        cr_assert_str_eq(names[i], usual[i]);
    cr_assert_str_eq(names[count - 1], "sm__cycles_active.avg");
    cr_assert_eq(metric_choose_counters(memory_more, "GH100", METRIC_SHARE_MEMORY, names, MOST), 4);
    cr_assert_eq(metric_choose_counters(group, "GH100", METRIC_SHARE_COUNTERS, names, MOST), stalls);
}

static size_t share_counters(const char *chip, enum metric_share share, const char **names)
{
    char nothing[] = "";

    return metric_choose_counters(nothing, chip, share, names, MOST);
}

static bool has(const char **names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* Each metric can be had from one of the two runs, and DRAM from the one that has nothing else but time. */
Test(metric_choice, two_runs_share_the_catalogue)
{
    static const char *const chips[] = {"GH100", "TU102", "GB202", "GA10B"};

    for (size_t c = 0; c < sizeof chips / sizeof chips[0]; c++) {
        const char *all[MOST], *counters[MOST], *memory[MOST];
        size_t all_count = share_counters(chips[c], METRIC_SHARE_ALL, all);
        size_t counters_count = share_counters(chips[c], METRIC_SHARE_COUNTERS, counters);
        size_t memory_count = share_counters(chips[c], METRIC_SHARE_MEMORY, memory);

        cr_assert_eq(counters_count + memory_count, all_count, "%s", chips[c]);
        for (size_t i = 0; i < all_count; i++)
            cr_assert_neq(has(counters, counters_count, all[i]), has(memory, memory_count, all[i]), "%s: %s",
                          chips[c], all[i]);
        for (size_t i = 0; i < memory_count; i++)
            cr_assert(strncmp(memory[i], "dram__", 6) == 0 ||
                          strcmp(memory[i], "gpu__time_duration.sum") == 0,
                      "%s: %s", chips[c], memory[i]);
        cr_assert(has(memory, memory_count, "gpu__time_duration.sum"));
        cr_assert_eq(memory_count, strcmp(chips[c], "GA10B") == 0   ? 1
                                   : strcmp(chips[c], "TU102") == 0 ? 3
                                                                    : 4);
    }
}

Test(metric_choice, never_more_than_there_is_room_for)
{
    char nothing[] = "";
    const char *names[3];

    cr_assert(metric_choose_counters(nothing, "GH100", METRIC_SHARE_ALL, names, 3) == 3);
}

Test(metric_choice, what_needs_no_counter_chooses_none)
{
    char choice[] = "theoretical_occupancy_pct";
    const char *names[MOST];

    cr_assert(metric_choose_counters(choice, "GH100", METRIC_SHARE_MEMORY, names, MOST) == 0);
}
