/* SPDX-License-Identifier: Apache-2.0 */
/* The rules on runs at the edges of their limits, on figures made by hand. */
#include "core/advice/advice.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct advice_run busy(void)
{
    return (struct advice_run){.provenance = PROVENANCE_MEASURED,
                               .overlap = {.span_ns = 2000000,
                                           .any_busy_ns = 1000000,
                                           .kernel_busy_ns = 1000000,
                                           .least_ns = 1000000},
                               .partition = {.operations = 10, .last_ns = 2000000}};
}

static bool run_fires(const struct advice_run *run, const char *rule)
{
    struct advice_list list;
    advice_of_run(run, &list);
    for (size_t i = 0; i < list.count; i++)
        if (strcmp(list.items[i].rule->id, rule) == 0)
            return true;
    return false;
}

Test(advice_run, launches_at_their_edges)
{
    struct advice_run run = busy();
    run.launch_calls = 21;
    run.partition.ns[PARTITION_LAUNCH] = 200000;
    cr_assert(!run_fires(&run, "launch_bound"));
    run.partition.ns[PARTITION_LAUNCH]++;
    cr_assert(run_fires(&run, "launch_bound"));
    run.launch_calls = 20;
    cr_assert(!run_fires(&run, "launch_bound"));
    run.launch_calls = 21;
    run.partition.operations = 0; /* not known */
    cr_assert(!run_fires(&run, "launch_bound"));
}

/* Launching is inside of the calls and between them; which is said where it matters. */
Test(advice_run, launches_and_what_is_between_them)
{
    struct advice_run run = busy();
    struct advice_list list;
    run.launch_calls = 100;
    run.partition.ns[PARTITION_LAUNCH] = 400000;
    run.partition.ns[PARTITION_BETWEEN] = 600000;
    advice_of_run(&run, &list);
    cr_assert(list.count > 0 && strcmp(list.items[0].rule->id, "launch_bound") == 0);
    cr_assert(strstr(list.items[0].text, "during 50 %") &&
                  strstr(list.items[0].text, "; 30 % are between the calls"),
              "%s", list.items[0].text);
    snprintf(run.idle[PARTITION_BETWEEN].name, sizeof run.idle[PARTITION_BETWEEN].name, "before train.py:42");
    run.idle[PARTITION_BETWEEN].place = true;
    run.idle[PARTITION_BETWEEN].times = 7;
    run.idle[PARTITION_BETWEEN].ns = 299999; /* less than half of it */
    advice_of_run(&run, &list);
    cr_assert(!strstr(list.items[0].text, "mostly"), "%s", list.items[0].text);
    run.idle[PARTITION_BETWEEN].ns = 300000;
    advice_of_run(&run, &list);
    cr_assert(strstr(list.items[0].text, "between the calls, mostly before train.py:42 (7 times)"), "%s",
              list.items[0].text);
    run.partition.ns[PARTITION_BETWEEN] = 40000;
    advice_of_run(&run, &list);
    cr_assert(!strstr(list.items[0].text, "between the calls"), "%s", list.items[0].text);
}

/* A first launch that loads its module is set-up: many short idle times beside one of 25 ms are judged alone.
 */
Test(advice_run, launches_without_the_first)
{
    struct advice_run run = busy();
    struct advice_list list;
    run.launch_calls = 100;
    run.partition.last_ns = 30000000;
    run.partition.ns[PARTITION_LAUNCH] = 26000000;
    run.partition.times[PARTITION_LAUNCH] = 100;
    run.partition.gaps[PARTITION_LAUNCH][0].ns = 25000000;
    run.partition.gaps[PARTITION_LAUNCH][1].ns = 12000;
    cr_assert(!run_fires(&run, "launch_bound"));
    run.partition.ns[PARTITION_LAUNCH] = 29000001; /* 4 ms of short ones */
    advice_of_run(&run, &list);
    cr_assert(list.count > 0 && strcmp(list.items[0].rule->id, "launch_bound") == 0);
    cr_assert_float_eq(list.items[0].gain_ns, 4000001, 0.5);
    cr_assert(strstr(list.items[0].text, "during 13 %") && strstr(list.items[0].text, "set-up of 25.0 ms"),
              "%s", list.items[0].text);
    for (size_t i = 0; i < PARTITION_GAPS_MAX; i++) /* a loop of long ones */
        run.partition.gaps[PARTITION_LAUNCH][i].ns = 7000000;
    advice_of_run(&run, &list);
    cr_assert_float_eq(list.items[0].gain_ns, 29000001, 0.5);
}

Test(advice_run, idle_time_at_its_edges)
{
    static const struct {
        enum partition_class part;
        uint64_t times;
        const char *rule;
    } idle[] = {{PARTITION_HOST, 2, "host_bound"},       {PARTITION_SYNC, 8, "host_waits"},
                {PARTITION_TRANSFER, 8, "copy_calls"},   {PARTITION_ALLOC, 8, "allocations"},
                {PARTITION_MODULE, 8, "module_loading"}, {PARTITION_DEVICE, 8, "host_functions"}};
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++) {
        struct advice_run run = busy();
        run.host_functions = 9;
        run.partition.ns[idle[i].part] = 200001;
        run.partition.times[idle[i].part] = idle[i].times + 1;
        run.partition.rounds[idle[i].part] = idle[i].times; /* set-up in several pieces */
        cr_assert(!run_fires(&run, idle[i].rule), "%s", idle[i].rule);
        run.partition.rounds[idle[i].part]++;
        cr_assert(run_fires(&run, idle[i].rule), "%s", idle[i].rule);
        run.partition.ns[idle[i].part]--;
        cr_assert(!run_fires(&run, idle[i].rule), "%s", idle[i].rule);
    }
    struct advice_run run = busy();
    run.host_functions = 8; /* without them, what was issued waits for another reason */
    run.partition.ns[PARTITION_DEVICE] = 1000000;
    run.partition.times[PARTITION_DEVICE] = run.partition.rounds[PARTITION_DEVICE] = 100;
    cr_assert(!run_fires(&run, "host_functions"));
    run = busy();
    run.partition.ns[PARTITION_COLLECTIVE] = 200000;
    cr_assert(!run_fires(&run, "exposed_collectives"));
    run.partition.ns[PARTITION_COLLECTIVE]++;
    cr_assert(run_fires(&run, "exposed_collectives"));
}

/* What most of the time was is named, as often as it was. */
Test(advice_run, idle_time_names_what_the_host_did)
{
    struct advice_run run = busy();
    struct advice_list list;
    run.partition.ns[PARTITION_HOST] = 1000000;
    run.partition.times[PARTITION_HOST] = run.partition.rounds[PARTITION_HOST] = 100;
    run.idle[PARTITION_HOST] = (struct advice_idle){.name = "load data", .ns = 900000, .times = 90};
    advice_of_run(&run, &list);
    cr_assert_eq(list.count, 1);
    cr_assert_str_eq(list.items[0].text, "The device is idle for 50 % of the run while the program works "
                                         "outside CUDA, mostly in the range load data (90 times)");
    cr_assert_eq(list.items[0].gain_ns, 1000000);
}

/* One block that takes far longer than the others: the samples see one multiprocessor at work. */
Test(advice_run, long_blocks_at_their_edges)
{
    struct advice_run run = busy();
    struct advice_list list;
    run.multiprocessors = 132;
    run.partition.ns[PARTITION_KERNEL] = 1000000;
    run.many_blocks_ns = 800000;
    run.active_pct = NAN;
    cr_assert(!run_fires(&run, "long_blocks"), "not sampled");
    run.active_pct = 60; /* of all kernels: 75 of these, if the others had no block */
    cr_assert(!run_fires(&run, "long_blocks"));
    run.active_pct = 59.9;
    cr_assert(run_fires(&run, "long_blocks"));
    run.active_pct = 2;
    advice_of_run(&run, &list);
    cr_assert_float_eq(list.items[0].gain_ns, 800000 * 0.975, 1e-6);
    cr_assert(strstr(list.items[0].text, "At most 3.3 of 132 multiprocessors"), "%s", list.items[0].text);
    run.many_blocks_ns = 500000; /* other kernels ran for as long: the samples may be theirs */
    cr_assert(!run_fires(&run, "long_blocks"));
}

Test(advice_run, few_blocks_at_their_edges)
{
    struct advice_run run = busy();
    run.multiprocessors = 132;
    run.few_blocks = 33;
    run.few_blocks_launches = 10;
    run.few_blocks_ns = 250000;
    cr_assert(!run_fires(&run, "few_blocks"));
    run.few_blocks_ns++;
    cr_assert(run_fires(&run, "few_blocks"));
    run.few_blocks_gain_ns = 200000;
    struct advice_list list;
    advice_of_run(&run, &list);
    cr_assert_eq(list.items[0].gain_ns, 200000);
    cr_assert_null(strstr(list.items[0].text, "on average"), "not sampled");
    run.active_pct = NAN;
    advice_of_run(&run, &list);
    cr_assert_null(strstr(list.items[0].text, "on average"));
    run.active_pct = 1.0;
    advice_of_run(&run, &list);
    cr_assert(strstr(list.items[0].text, "33 blocks for 132 multiprocessors; 1.3 were busy on average"));
    run.few_blocks_beside = true;
    cr_assert(!run_fires(&run, "few_blocks"));
    run.few_blocks_beside = false;
    run.few_blocks_launches = 13; /* under 20 us each */
    cr_assert(!run_fires(&run, "few_blocks"));
}

/* Calls of several threads, copies of several streams. */
Test(advice_run, no_gain_is_more_than_all)
{
    struct advice_run run = busy();
    struct advice_list list;
    run.launch_calls = 100;
    run.partition.ns[PARTITION_LAUNCH] = 2000000;
    run.overlap.serialised_ns[SERIAL_DEFAULT_STREAM] = 3000000;
    run.pageable_ns = 4e6;
    run.small_copies = 100;
    run.small_ns = 5e6;
    advice_of_run(&run, &list);
    cr_assert_eq(list.count, 4);
    for (size_t i = 0; i < list.count; i++) {
        cr_assert_eq(list.items[i].gain, 1);
        cr_assert_leq(list.items[i].gain_ns, 2000000);
    }
}

Test(advice_run, streams_and_copies_at_their_edges)
{
    struct advice_run run = busy();
    run.overlap.serialised_ns[SERIAL_DEFAULT_STREAM] = 100000;
    cr_assert(!run_fires(&run, "default_stream"));
    run.overlap.serialised_ns[SERIAL_DEFAULT_STREAM] = 100001;
    cr_assert(run_fires(&run, "default_stream"));
    run.pageable_copies = 1;
    run.pageable_ns = 100000;
    cr_assert(!run_fires(&run, "pageable_copies"));
    run.pageable_ns = 100001;
    cr_assert(run_fires(&run, "pageable_copies"));
    run.small_copies = 16;
    run.small_ns = 200000;
    cr_assert(!run_fires(&run, "small_copies"));
    run.small_copies = 17;
    cr_assert(run_fires(&run, "small_copies"));
    run.small_needs_ns = 100000;
    cr_assert(!run_fires(&run, "small_copies"));
}

/* Each is no slower than from pinned memory, but kernels cannot run beside them: what those take is gained.
 */
Test(advice_run, many_pageable_copies_of_middle_size)
{
    struct advice_run run = busy();
    struct advice_list list;
    run.middle_copies = 400;
    run.middle_ns = 300000;
    advice_of_run(&run, &list);
    cr_assert_eq(list.count, 1);
    cr_assert_str_eq(list.items[0].text,
                     "Copies from or to pageable memory take 30 % of the busy time: 400 of "
                     "64 KiB to 1 MiB, and no kernel beside them");
    cr_assert_float_eq(list.items[0].gain, 0.3, 1e-9);
    run.middle_copies = 16;
    cr_assert(!run_fires(&run, "pageable_copies"));
    run.middle_copies = 17;
    cr_assert(run_fires(&run, "pageable_copies"));
    run.middle_ns = 970000; /* nothing to hide them behind */
    cr_assert(!run_fires(&run, "pageable_copies"));
    run.middle_ns = 100000;
    cr_assert(!run_fires(&run, "pageable_copies"));
}

Test(advice_run, overlap_at_its_edges)
{
    struct advice_run run = busy();
    run.launches = 1;
    run.overlap.kernel_busy_ns = 740000;
    run.overlap.copy_busy_ns = 260000;
    run.overlap.least_ns = 740000;
    cr_assert(run_fires(&run, "low_overlap"));
    run.pageable_ns = 130001; /* half of the copies: the rule on these speaks */
    cr_assert(!run_fires(&run, "low_overlap"));
    run.pageable_ns = 130000;
    cr_assert(run_fires(&run, "low_overlap"));
    run.overlap.least_ns = 750000; /* 25 % are left to gain */
    cr_assert(!run_fires(&run, "low_overlap"));
    run.pageable_ns = 0;
    run.overlap.kernel_busy_ns = 100000; /* a short kernel between copies in and out, which overlap too */
    run.overlap.copy_busy_ns = 900000;
    run.overlap.least_ns = 450000;
    cr_assert(run_fires(&run, "low_overlap"));
    run.overlap.kernel_busy_ns = 900000; /* kernels that could run side by side are no fault of the copies */
    run.overlap.copy_busy_ns = 100000;
    cr_assert(!run_fires(&run, "low_overlap"));
    run.overlap = (struct overlap){.span_ns = 30000,
                                   .any_busy_ns = 20000,
                                   .kernel_busy_ns = 10000,
                                   .copy_busy_ns = 10000,
                                   .least_ns = 10000};
    cr_assert(!run_fires(&run, "low_overlap")); /* too short to be cut */
    run.overlap.kernel_busy_ns = run.overlap.copy_busy_ns = 10001;
    cr_assert(run_fires(&run, "low_overlap"));
    run.launches = 2;
    cr_assert(!run_fires(&run, "low_overlap"));
}

Test(advice_run, sets_and_products_at_their_edges)
{
    struct advice_run run = busy();
    struct advice_list list;
    run.sets = 4;
    run.set_bytes = 8e6;
    run.set_ns = 100000;
    cr_assert(!run_fires(&run, "memory_sets"));
    run.set_ns++;
    cr_assert(run_fires(&run, "memory_sets"));
    run.set_ns = 0;
    run.float_product_ns = 250000;
    run.tensor_pct = NAN; /* not sampled */
    cr_assert(!run_fires(&run, "float_products"));
    run.float_product_ns = 710000;
    run.float_product_gain_ns = 500000;
    advice_of_run(&run, &list);
    cr_assert_eq(list.count, 1);
    cr_assert_str_eq(list.items[0].text, "Matrix products in full 32-bit floats take 71 % of the busy time");
    cr_assert_float_eq(list.items[0].gain, 0.5, 1e-9);
    run.tensor_pct = 2.04;
    advice_of_run(&run, &list);
    cr_assert_str_eq(list.items[0].text, "Matrix products in full 32-bit floats take 71 % of the busy time; "
                                         "the tensor cores are 2.0 % busy");
}

/* At the device's limit nothing is wrong: it is said last, and gains nothing. */
Test(advice_run, memory_at_its_limit_is_fine)
{
    struct advice_run run = busy();
    struct advice_list list;
    run.partition.ns[PARTITION_KERNEL] = 1000001;
    run.dram_pct = 70;
    cr_assert(!run_fires(&run, "dram_bound"));
    run.dram_pct = 84;
    run.sets = 1;
    run.set_ns = 200000;
    advice_of_run(&run, &list);
    cr_assert_eq(list.count, 2);
    cr_assert_str_eq(
        list.items[1].text,
        "Device memory is at 84 % of its peak while kernels run, and kernels run for 50 % of the run");
    cr_assert(list.items[1].fine && list.items[1].gain == 0);
    run.partition.ns[PARTITION_KERNEL] = 1000000;
    cr_assert(!run_fires(&run, "dram_bound"));
    run.partition.ns[PARTITION_KERNEL] = 1000001;
    run.dram_pct = NAN; /* not sampled */
    cr_assert(!run_fires(&run, "dram_bound"));
}
