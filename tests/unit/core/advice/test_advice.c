/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of advice at the edges of their limits, on values made by hand. */
#include "core/advice/advice.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct value counted(double number)
{
    return (struct value){.available = true, .provenance = PROVENANCE_MEASURED, .number = number};
}

static void set(struct advice_kernel *kernel, enum metric metric, double number)
{
    kernel->values[metric] = counted(number);
}

/* 256 threads, 32 registers, no shared memory, on 132 multiprocessors of an H200: 8 blocks fit each. */
static struct advice_kernel plain(void)
{
    struct advice_kernel kernel = {.arch = arch_find(90),
                                   .shape = {.threads_per_block = 256, .registers_per_thread = 32},
                                   .blocks = 10 * 1056,
                                   .multiprocessors = 132,
                                   .clock_hz = 1e9};
    return kernel;
}

/* Every unit was counted, and hardly used. */
static void know_all_units(struct advice_kernel *kernel)
{
    set(kernel, METRIC_roof_pct, 10);
    set(kernel, METRIC_tensor_peak_pct, 0);
    if (!kernel->values[METRIC_instructions].available)
        set(kernel, METRIC_instructions, 1);
}

static const struct advice *find(const struct advice_list *list, const char *rule)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].rule->id, rule) == 0)
            return &list->items[i];
    return NULL;
}

static bool fires(const struct advice_kernel *kernel, const char *rule)
{
    struct advice_list list;
    advice_of_kernel(kernel, &list);
    return find(&list, rule) != NULL;
}

Test(advice, says_nothing_of_what_is_not_known)
{
    struct advice_kernel kernel = {0};
    struct advice_run run = {0};
    struct advice_list list;
    advice_of_kernel(&kernel, &list);
    cr_assert_eq(list.count, 0);
    cr_assert_eq(list.judged, 0);
    advice_of_run(&run, &list);
    cr_assert_eq(list.count, 0);
    cr_assert_eq(list.judged, 0);
    kernel = plain();
    advice_of_kernel(&kernel, &list);
    cr_assert_eq(list.count, 0);
    cr_assert_eq(list.judged, 1); /* the waves follow from the launch */
    cr_assert(!advice_has_judged(&list));
    set(&kernel, METRIC_dram_peak_pct, 1);
    advice_of_kernel(&kernel, &list);
    cr_assert(advice_has_judged(&list));
}

/* That few blocks are launched is known without a counter, and is said in every view by these words. */
Test(advice, a_launch_of_few_blocks_is_a_limit_though_nothing_was_counted)
{
    struct advice_kernel kernel = plain();
    struct advice_list list;
    kernel.multiprocessors = 132;
    kernel.blocks = 66;
    advice_of_kernel(&kernel, &list);
    cr_assert(!advice_has_judged(&list));
    cr_assert_eq(list.state, ADVICE_STATE_LIMIT);
    cr_assert_str_eq(list.said, "66 blocks for 132 multiprocessors");
    kernel.blocks = 67;
    advice_of_kernel(&kernel, &list);
    cr_assert_eq(list.state, ADVICE_STATE_UNCHECKED);
    cr_assert_str_empty(list.said);
}

struct asked {
    const struct advice_kernel *of;
    unsigned times[METRIC_COUNT];
};

static struct value note_metric(const void *context, enum metric metric)
{
    struct asked *asked = *(struct asked *const *)context;
    asked->times[metric]++;
    return asked->of->values[metric];
}

/* A short kernel of one wave with no busy unit: what limits it is said, and what to do. */
Test(advice, a_short_wave_is_limited_by_latency)
{
    struct advice_kernel kernel = plain();
    struct advice_list list;
    kernel.multiprocessors = 132;
    kernel.shape.threads_per_block = 256;
    kernel.blocks = 8 * 132;
    set(&kernel, METRIC_dram_peak_pct, 12);
    set(&kernel, METRIC_time_ns, 2110);
    advice_of_kernel(&kernel, &list);
    cr_assert_eq(list.count, 0, "%s", list.said);
    cr_expect_eq(list.state, ADVICE_STATE_LIMIT);
    cr_expect_str_eq(
        list.said,
        "Latency: one wave, 2.11 us; give a launch more work (1056 blocks, 12 % of DRAM's bandwidth used)");
    struct advice_kernel more = kernel, longer = kernel, busy = kernel;
    more.blocks = 5 * 8 * 132;
    advice_of_kernel(&more, &list);
    cr_expect(!strstr(list.said, "Latency"), "%s", list.said);
    set(&longer, METRIC_time_ns, 20001);
    advice_of_kernel(&longer, &list);
    cr_expect(!strstr(list.said, "Latency"), "%s", list.said);
    set(&busy, METRIC_dram_peak_pct, 61);
    advice_of_kernel(&busy, &list);
    cr_expect(!strstr(list.said, "Latency"), "%s", list.said);
}

Test(advice, values_are_asked_for_once_and_only_where_a_rule_reads_them)
{
    struct advice_kernel kernel = plain(), lazy;
    struct advice_list list, same;
    struct asked asked = {.of = &kernel}, *noted = &asked;
    set(&kernel, METRIC_time_ns, 4000);
    set(&kernel, METRIC_global_store_sectors, 8000);
    set(&kernel, METRIC_global_store_ideal_sectors, 1000);
    set(&kernel, METRIC_l2_hit_pct, 50);
    kernel.values[METRIC_global_store_ideal_sectors].provenance = PROVENANCE_EXPECTED;
    lazy = plain();
    lazy.read = note_metric;
    lazy.context = &noted;
    advice_of_kernel(&kernel, &same);
    advice_of_kernel(&lazy, &list);
    cr_assert_eq(list.count, 1);
    cr_assert_eq(list.judged, same.judged);
    cr_assert_str_eq(list.items[0].text, same.items[0].text);
    cr_assert_eq(list.weakest, PROVENANCE_EXPECTED);
    for (enum metric metric = 0; metric < METRIC_COUNT; metric++)
        cr_assert_leq(asked.times[metric], 1, "%s", metric_info(metric)->id);
    cr_assert_eq(asked.times[METRIC_global_store_sectors], 1);
    cr_assert_eq(asked.times[METRIC_l2_hit_pct], 0, "no rule reads it");
}

/* Each pair of a real and an ideal count: 1.1x is nothing, a little more is. */
Test(advice, excess_at_its_edges)
{
    static const struct {
        const char *rule;
        enum metric real, ideal, other;
    } cases[] = {{"uncoalesced_loads", METRIC_global_load_sectors, METRIC_global_load_ideal_sectors,
                  METRIC_global_store_sectors},
                 {"uncoalesced_stores", METRIC_global_store_sectors, METRIC_global_store_ideal_sectors,
                  METRIC_global_load_sectors},
                 {"shared_load_conflicts", METRIC_shared_load_wavefronts, METRIC_shared_load_ideal_wavefronts,
                  METRIC_shared_store_wavefronts},
                 {"shared_store_conflicts", METRIC_shared_store_wavefronts,
                  METRIC_shared_store_ideal_wavefronts, METRIC_shared_load_wavefronts}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct advice_kernel kernel = plain();
        set(&kernel, cases[i].ideal, 1000);
        set(&kernel, cases[i].real, 1100);
        cr_assert(!fires(&kernel, cases[i].rule), "%zu", i);
        set(&kernel, cases[i].real, 1101);
        cr_assert(fires(&kernel, cases[i].rule), "%zu", i);
        set(&kernel, cases[i].other, 918); /* 101 more than needed of 2019: just above 5 % */
        cr_assert(fires(&kernel, cases[i].rule), "%zu", i);
        set(&kernel, cases[i].other, 919);
        cr_assert(!fires(&kernel, cases[i].rule), "%zu", i);
        set(&kernel, cases[i].ideal, 0);
        cr_assert(!fires(&kernel, cases[i].rule), "%zu", i);
    }
}

Test(advice, says_how_much_and_of_what)
{
    struct advice_kernel kernel = plain();
    struct advice_list list;
    set(&kernel, METRIC_global_store_sectors, 8e6);
    set(&kernel, METRIC_global_store_ideal_sectors, 1e6);
    set(&kernel, METRIC_time_ns, 4000);
    kernel.values[METRIC_global_store_ideal_sectors].provenance = PROVENANCE_EXPECTED;
    advice_of_kernel(&kernel, &list);
    cr_assert_eq(list.count, 1);
    cr_assert_str_eq(list.items[0].text, "Global stores move 8x the sectors they need");
    cr_assert_eq(list.items[0].gain, 0.875);
    cr_assert_eq(list.items[0].gain_ns, 3500);
    cr_assert_eq(list.items[0].provenance, PROVENANCE_EXPECTED);
    cr_assert_eq(list.items[0].evidence_count, 2);
    cr_assert_str_eq(list.items[0].evidence[0].id, "global_store_sectors");
    cr_assert_eq(list.items[0].evidence[0].value.number, 8e6);
    kernel.values[METRIC_global_store_ideal_sectors].bound = VALUE_AT_MOST;
    advice_of_kernel(&kernel, &list);
    cr_assert_str_eq(list.items[0].text, "Global stores move at least 8x the sectors they need");
    kernel = plain();
    set(&kernel, METRIC_global_load_sectors, 2000);
    set(&kernel, METRIC_global_load_ideal_sectors, 1000);
    set(&kernel, METRIC_l1_hit_pct, 49.9);
    advice_of_kernel(&kernel, &list);
    cr_assert_str_eq(list.items[0].text,
                     "Global loads move 2x the sectors they need, but 50 % of the sectors hit in L1");
}

Test(advice, spills_at_their_edge)
{
    struct advice_kernel kernel = plain();
    set(&kernel, METRIC_global_load_sectors, 900);
    set(&kernel, METRIC_global_store_sectors, 50);
    set(&kernel, METRIC_local_load_sectors, 30);
    set(&kernel, METRIC_local_store_sectors, 20);
    cr_assert(!fires(&kernel, "local_memory"));
    set(&kernel, METRIC_local_store_sectors, 21);
    cr_assert(fires(&kernel, "local_memory"));
    set(&kernel, METRIC_local_load_sectors, 0);
    set(&kernel, METRIC_local_store_sectors, 0);
    set(&kernel, METRIC_global_load_sectors, 0);
    set(&kernel, METRIC_global_store_sectors, 0);
    cr_assert(!fires(&kernel, "local_memory"));
}

/* printf's arguments are written to local memory, and read by printf alone. */
Test(advice, local_memory_that_is_never_read_is_no_spill)
{
    struct advice_kernel kernel = plain();
    set(&kernel, METRIC_global_store_sectors, 50);
    set(&kernel, METRIC_local_load_sectors, 0);
    set(&kernel, METRIC_local_store_sectors, 400);
    cr_assert(!fires(&kernel, "local_memory"));
    set(&kernel, METRIC_local_load_sectors, 1);
    cr_assert(fires(&kernel, "local_memory"));
}

static enum advice_local is_of_angles(const void *context)
{
    (void)context;
    return ADVICE_LOCAL_ANGLES;
}

/* PTX, which the device model runs, has no spills, and the slow path of a sine is neither. */
Test(advice, says_what_local_memory_is_for)
{
    struct advice_kernel kernel = plain();
    struct advice_list list;
    set(&kernel, METRIC_global_store_sectors, 50);
    set(&kernel, METRIC_local_load_sectors, 25);
    set(&kernel, METRIC_local_store_sectors, 25);
    advice_of_kernel(&kernel, &list);
    cr_assert_str_eq(
        list.items[0].text,
        "Local memory (spilled registers, arrays, the stack of calls) takes 50 % of the sectors");
    cr_assert_str_eq(list.items[0].how, ""); /* the rule's `now` */
    kernel.values[METRIC_local_load_sectors].provenance = PROVENANCE_MODELLED;
    advice_of_kernel(&kernel, &list);
    cr_assert_str_eq(list.items[0].text,
                     "Local memory (arrays and variables with an address) takes 50 % of the sectors");
    kernel.local = is_of_angles;
    advice_of_kernel(&kernel, &list);
    cr_assert(strstr(list.items[0].text, "(the slow path of sin, cos and tan for large angles)"));
    cr_assert_eq(strncmp(list.items[0].how, "bring the angles below", 22), 0);
}

/* 100 us of a GPU: device memory moves 15 million sectors at most, and shared memory 13.2 million wavefronts.
 */
static struct advice_kernel timed(enum provenance provenance)
{
    struct advice_kernel kernel = plain();
    kernel.values[METRIC_time_ns] =
        (struct value){.available = true, .provenance = provenance, .number = 100000};
    set(&kernel, METRIC_theoretical_bandwidth_bytes_per_second, 4.8e12);
    return kernel;
}

Test(advice, what_takes_no_time_is_not_said)
{
    static const struct {
        const char *rule;
        enum metric real, ideal;
        double edge; /* of the excess */
    } cases[] = {
        {"uncoalesced_loads", METRIC_global_load_sectors, METRIC_global_load_ideal_sectors, 150000},
        {"uncoalesced_stores", METRIC_global_store_sectors, METRIC_global_store_ideal_sectors, 150000},
        {"shared_load_conflicts", METRIC_shared_load_wavefronts, METRIC_shared_load_ideal_wavefronts, 660000},
        {"shared_store_conflicts", METRIC_shared_store_wavefronts, METRIC_shared_store_ideal_wavefronts,
         660000},
        {"local_memory", METRIC_local_load_sectors, METRIC_local_store_sectors, 150000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool spills = strcmp(cases[i].rule, "local_memory") == 0; /* all of it is read */
        struct advice_kernel kernel = timed(PROVENANCE_MEASURED), modelled = timed(PROVENANCE_MODELLED);
        set(&kernel, cases[i].ideal, spills ? 0 : 1000);
        set(&kernel, cases[i].real, kernel.values[cases[i].ideal].number + 0.999 * cases[i].edge);
        cr_assert(!fires(&kernel, cases[i].rule), "%zu", i);
        modelled.values[cases[i].ideal] = kernel.values[cases[i].ideal];
        modelled.values[cases[i].real] = kernel.values[cases[i].real];
        cr_assert(fires(&modelled, cases[i].rule), "%zu: problems are small on the model", i);
        if (spills) { /* a few sectors in a microsecond of the model */
            set(&modelled, cases[i].real, 0.009 * cases[i].edge);
            cr_assert(!fires(&modelled, cases[i].rule));
        }
        set(&kernel, cases[i].real, kernel.values[cases[i].ideal].number + 1.001 * cases[i].edge);
        cr_assert(fires(&kernel, cases[i].rule), "%zu", i);
    }
}

/* No more than a tenth above the cycles that they fill; of a kernel of one block, those of one
 * multiprocessor. */
Test(advice, conflicts_cost_what_they_fill)
{
    static const struct {
        double blocks, excess, gain;
    } cases[] = {{10560, 1.32e6, 0.11}, {10560, 1.2e7, 12.0 / 13}, {1, 10000, 0.11}, {1, 1000, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct advice_kernel kernel = timed(PROVENANCE_MEASURED);
        struct advice_list list;
        double ideal = cases[i].excess < 1e6 ? 1000 : 1e6;
        kernel.blocks = cases[i].blocks;
        set(&kernel, METRIC_shared_load_ideal_wavefronts, ideal);
        set(&kernel, METRIC_shared_load_wavefronts, ideal + cases[i].excess);
        advice_of_kernel(&kernel, &list);
        const struct advice *advice = find(&list, "shared_load_conflicts");
        cr_assert_eq(advice != NULL, cases[i].gain > 0, "%zu", i);
        if (advice)
            cr_assert_float_eq(advice->gain, cases[i].gain, 1e-9, "%zu: %g", i, advice->gain);
    }
}

/* 8 times the sectors, 15 of 16 of which hit in L1, so that what misses is half of the ideal: the rest costs
 * its passes through L1, here 7 million cycles of 13.2 million. */
Test(advice, a_gain_knows_l1)
{
    static const struct {
        double hit_pct, gain;
    } cases[] = {{0, 0.875}, {50, 0.875}, {93.75, 1.1 * 7 / 13.2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct advice_kernel kernel = timed(PROVENANCE_MEASURED);
        struct advice_list list;
        set(&kernel, METRIC_global_load_ideal_sectors, 1e6);
        set(&kernel, METRIC_global_load_sectors, 8e6);
        set(&kernel, METRIC_l1_hit_pct, cases[i].hit_pct);
        advice_of_kernel(&kernel, &list);
        cr_assert_float_eq(find(&list, "uncoalesced_loads")->gain, cases[i].gain, 1e-9, "%zu: %g", i,
                           find(&list, "uncoalesced_loads")->gain);
        if (cases[i].hit_pct > 90) { /* in ten times the time the passes matter a tenth as much */
            set(&kernel, METRIC_time_ns, 1e6);
            advice_of_kernel(&kernel, &list);
            cr_assert_float_eq(find(&list, "uncoalesced_loads")->gain, 1.1 * 0.7 / 13.2, 1e-9);
        }
    }
}

/* A kernel that walks a chain moves 8 times the sectors and waits for their latency: they cost 4.6 cycles each, here
 * of 1,320 million, and DRAM moves nothing for them. In a tenth of the time they would be all that it does. */
Test(advice, few_sectors_gain_a_kernel_little_that_waits_for_latency)
{
    static const struct {
        enum metric real, ideal;
        const char *rule;
    } cases[] = {
        {METRIC_global_load_sectors, METRIC_global_load_ideal_sectors, "uncoalesced_loads"},
        {METRIC_global_store_sectors, METRIC_global_store_ideal_sectors, "uncoalesced_stores"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int provenance = 0; provenance < 2; provenance++) {
            struct advice_kernel kernel = timed(provenance ? PROVENANCE_MODELLED : PROVENANCE_MEASURED);
            struct advice_list list;
            set(&kernel, cases[i].ideal, 1e7);
            set(&kernel, cases[i].real, 8e7);
            const double time_ns = kernel.values[METRIC_time_ns].number;
            kernel.values[METRIC_time_ns].number = 100 * time_ns;
            advice_of_kernel(&kernel, &list);
            cr_assert_float_eq(find(&list, cases[i].rule)->gain, 4.6 * 70 / 1320, 1e-9, "%zu: %g", i,
                               find(&list, cases[i].rule)->gain);
            kernel.values[METRIC_time_ns].number = 10 * time_ns;
            advice_of_kernel(&kernel, &list);
            cr_assert_float_eq(find(&list, cases[i].rule)->gain, 0.875, 1e-9);
        }
}

/* Words that only begin within a sector need no tile: 5 sectors where 4 would do. A stride of two has 8, and bytes of
 * such a stride 2 for 1. */
Test(advice, misaligned_stores_are_told_to_align)
{
    static const struct {
        double sectors, ideal; /* of a request */
        bool aligns;
    } cases[] = {{5, 4, true}, {9, 8, true}, {3, 2, true}, {8, 4, false}, {2, 1, false}, {32, 4, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct advice_kernel kernel = timed(PROVENANCE_MEASURED);
        struct advice_list list;
        set(&kernel, METRIC_global_store_requests, 1e7);
        set(&kernel, METRIC_global_store_ideal_sectors, cases[i].ideal * 1e7);
        set(&kernel, METRIC_global_store_sectors, cases[i].sectors * 1e7);
        advice_of_kernel(&kernel, &list);
        const char *how = find(&list, "uncoalesced_stores")->how;
        cr_expect(cases[i].aligns == (strstr(how, "begin at a multiple of 32 bytes") != NULL), "%zu: %s", i,
                  how);
    }
}

/* The run is told to let the tensor cores do it: the kernel is not green beside that. */
Test(advice, a_product_for_the_tensor_cores_is_at_a_limit)
{
    struct advice_kernel kernel = timed(PROVENANCE_MEASURED);
    struct advice_list list;
    know_all_units(&kernel);
    set(&kernel, METRIC_roof_pct, 92);
    advice_of_kernel(&kernel, &list);
    cr_assert_eq(list.state, ADVICE_STATE_FINE);
    kernel.float_product = true;
    advice_of_kernel(&kernel, &list);
    cr_assert_eq(list.state, ADVICE_STATE_LIMIT);
    cr_assert(strstr(list.said, "92 % of its roof used") &&
                  strstr(list.said, "the tensor cores could do this product"),
              "%s", list.said);
}

/* Warps that wait for memory anyway do not wait longer for a bank. */
Test(advice, conflicts_hide_behind_waits_for_memory)
{
    struct advice_kernel kernel = timed(PROVENANCE_MEASURED);
    set(&kernel, METRIC_shared_load_ideal_wavefronts, 1e6);
    set(&kernel, METRIC_shared_load_wavefronts, 4e6);
    set(&kernel, METRIC_cycles_per_issue, 20);
    set(&kernel, METRIC_stall_long_scoreboard, 9.9);
    cr_assert(fires(&kernel, "shared_load_conflicts"));
    set(&kernel, METRIC_stall_long_scoreboard, 10.1);
    cr_assert(!fires(&kernel, "shared_load_conflicts"));
}

/* What a kernel must move and execute takes its time at the device's limits too. */
Test(advice, no_gain_is_more_than_the_limits_leave)
{
    struct advice_kernel kernel = timed(PROVENANCE_MEASURED);
    struct advice_list list;
    const double peak = kernel.values[METRIC_theoretical_bandwidth_bytes_per_second].number;
    const double seconds = kernel.values[METRIC_time_ns].number * 1e-9;
    double sectors = 0.45 * peak * seconds / 32; /* half of the attainable */
    set(&kernel, METRIC_global_load_ideal_sectors, sectors);
    set(&kernel, METRIC_global_load_sectors, 4 * sectors);
    set(&kernel, METRIC_dram_read_bytes, 4 * sectors * 32);
    set(&kernel, METRIC_dram_write_bytes, 0);
    advice_of_kernel(&kernel, &list);
    cr_assert_float_eq(find(&list, "uncoalesced_loads")->gain, 0.5, 1e-9);
    set(&kernel, METRIC_dram_read_bytes, sectors * 16); /* most of it is in the caches */
    advice_of_kernel(&kernel, &list);
    cr_assert_float_eq(find(&list, "uncoalesced_loads")->gain, 0.75, 1e-9);
    set(&kernel, METRIC_instructions, 0.6 * 4 * kernel.multiprocessors * kernel.clock_hz * seconds);
    advice_of_kernel(&kernel, &list);
    cr_assert_float_eq(find(&list, "uncoalesced_loads")->gain, 0.4, 1e-9);
    set(&kernel, METRIC_instructions, 0);
    set(&kernel, METRIC_dram_read_bytes, 16 * sectors * 32); /* DRAM moves more than the sectors */
    set(&kernel, METRIC_global_load_ideal_sectors, sectors / 8);
    set(&kernel, METRIC_global_load_sectors, sectors / 2);
    advice_of_kernel(&kernel, &list);
    cr_assert_float_eq(find(&list, "uncoalesced_loads")->gain, 1 - 0.5 / 8, 1e-9);
    set(&kernel, METRIC_atomic_busiest_pct, 26); /* four times that is all of the time */
    advice_of_kernel(&kernel, &list);
    cr_assert_float_eq(find(&list, "atomics")->gain, 1 - 0.5 / 8, 1e-9);
}

/* Atomics of the driver's own functions: by what the code calls; in older recordings by loads that no instruction of the
 * kernel makes. */
Test(advice, atomics_of_malloc_are_told_as_such)
{
    static const struct {
        uint16_t calls;
        double requests, sectors;
        const char *says;
    } rows[] = {{0, 1000, 4000, "Atomics concentrate"},
                {SHAPE_DIVIDES, 1000, 500, "Atomics concentrate"},
                {SHAPE_ALLOCATES, 1000, 4000, "in malloc and free, whose atomics take 26 %"},
                {SHAPE_PRINTS, 1000, 4000, "in printf, whose"},
                {0, 1000, 10, "in functions of the driver"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct advice_kernel kernel = plain();
        struct advice_list list;
        kernel.calls = rows[i].calls;
        set(&kernel, METRIC_atomic_busiest_pct, 26);
        set(&kernel, METRIC_global_load_requests, rows[i].requests);
        set(&kernel, METRIC_global_load_sectors, rows[i].sectors);
        advice_of_kernel(&kernel, &list);
        const struct advice *advice = find(&list, "atomics");
        cr_expect(strstr(advice->text, rows[i].says) != NULL, "%s", advice->text);
        cr_expect_eq(strstr(advice_now(advice), "before the launch") != NULL, i >= 2, "%s",
                     advice_now(advice));
    }
}

Test(advice, divergence_is_of_the_lanes_that_a_block_gives)
{
    struct advice_kernel kernel = plain();
    set(&kernel, METRIC_active_threads_per_warp, 25.6);
    cr_assert(!fires(&kernel, "divergence"));
    set(&kernel, METRIC_active_threads_per_warp, 25.5);
    cr_assert(fires(&kernel, "divergence"));
    kernel.shape.threads_per_block = 40; /* 20 a warp on average */
    set(&kernel, METRIC_active_threads_per_warp, 20);
    cr_assert(!fires(&kernel, "divergence"));
}

Test(advice, occupancy_needs_blocks_and_idle_units)
{
    struct advice_kernel kernel = plain();
    struct advice_list list;
    set(&kernel, METRIC_dram_peak_pct, 20);
    know_all_units(&kernel);
    kernel.shape.registers_per_thread = 64; /* 50 % */
    cr_assert(!fires(&kernel, "occupancy"));
    kernel.shape.registers_per_thread = 72; /* 3 blocks of 8 */
    advice_of_kernel(&kernel, &list);
    const struct advice *advice = find(&list, "occupancy");
    cr_assert_not_null(advice);
    cr_assert_str_eq(advice->how, "use 64 registers per thread instead of 72 (__launch_bounds__): 4 blocks "
                                  "then fit on a multiprocessor "
                                  "in place of 3");
    cr_assert_eq(advice->gain, 0.25); /* no more than the warps grow */
    struct advice_kernel other = kernel;
    other.shape.registers_per_thread = 32;
    other.shape.shared_bytes_per_block = 200 << 10; /* a block of 8 warps: 12.5 % */
    advice_of_kernel(&other, &list);
    cr_assert_eq(find(&list, "occupancy")->gain, 0.5);
    set(&other, METRIC_cycles_per_issue,
        100); /* and waits for memory: without shared memory 8 blocks fit, but DRAM's use stays */
    set(&other, METRIC_stall_long_scoreboard, 49);
    advice_of_kernel(&other, &list);
    cr_assert_eq(find(&list, "occupancy")->gain, 0.5);
    set(&other, METRIC_stall_long_scoreboard, 51);
    advice_of_kernel(&other, &list);
    cr_assert_eq(find(&list, "occupancy")->gain, 0.8);
    cr_assert(strstr(find(&list, "occupancy")->how, "in place of 1, without any 8"), "%s",
              find(&list, "occupancy")->how);
    other.values[METRIC_stall_long_scoreboard].available = false;
    set(&other, METRIC_dram_peak_pct, 55);
    advice_of_kernel(&other, &list);
    cr_assert_float_eq(find(&list, "occupancy")->gain, 0.45, 1e-9);
    set(&other, METRIC_dram_peak_pct, 20);
    other.shape.shared_bytes_per_block = 0;
    other.arch = arch_find(86); /* 16 blocks of 48 warps: larger blocks take no more of anything else */
    other.shape.threads_per_block = 32;
    advice_of_kernel(&other, &list);
    cr_assert_float_eq(find(&list, "occupancy")->gain, 1 - 16 / 48., 1e-9);
    kernel.blocks = 3 * 132;
    cr_assert(!fires(&kernel, "occupancy"));
    kernel.blocks++;
    cr_assert(fires(&kernel, "occupancy"));
    set(&kernel, METRIC_dram_peak_pct, 60);
    cr_assert(!fires(&kernel, "occupancy"));
    set(&kernel, METRIC_dram_peak_pct, 20);
    set(&kernel, METRIC_time_ns, 1000);
    set(&kernel, METRIC_instructions, 0.59 * 4 * 132 * 1000);
    cr_assert(fires(&kernel, "occupancy"));
    set(&kernel, METRIC_instructions, 0.61 * 4 * 132 * 1000); /* it computes: more warps would not help */
    cr_assert(!fires(&kernel, "occupancy"));
    kernel = plain();
    kernel.shape.registers_per_thread = 72; /* nothing known of what it uses */
    cr_assert(!fires(&kernel, "occupancy"));
}

/* A product on tensor cores at 69 % of their peak (Triton, 4096 cubed, H200): "only 24 % of the device is
 * used". */
Test(advice, use_is_that_of_every_unit)
{
    static const enum metric units[] = {METRIC_tensor_peak_pct, METRIC_roof_pct, METRIC_dram_peak_pct};
    struct advice_kernel kernel = plain();
    know_all_units(&kernel);
    kernel.shape.registers_per_thread = 72;
    cr_assert(fires(&kernel, "occupancy"));
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        struct advice_kernel one = kernel;
        set(&one, units[i], 69);
        cr_assert(!fires(&one, "occupancy"), "unit %zu is used", i);
    }
    for (size_t i = 0; i < 2; i++) {
        struct advice_kernel one = kernel;
        one.values[units[i]].available = false;
        cr_assert(!fires(&one, "occupancy"), "unit %zu is not known", i);
    }
    struct advice_kernel bounded = kernel;
    bounded.values[METRIC_roof_pct].bound = VALUE_AT_LEAST;
    cr_assert(!fires(&bounded, "occupancy"), "L2 was not counted");
    bounded.values[METRIC_roof_pct].provenance = PROVENANCE_MODELLED;
    cr_assert(fires(&bounded, "occupancy"), "the model's L2 has no peak");
    kernel.values[METRIC_tensor_peak_pct].available = false;
    set(&kernel, METRIC_tensor_instructions, 0);
    cr_assert(fires(&kernel, "occupancy"), "it has no tensor-core instructions");
    set(&kernel, METRIC_tensor_instructions, 1);
    cr_assert(!fires(&kernel, "occupancy"));
}

Test(advice, says_what_shared_memory_would_fit)
{
    struct advice_kernel kernel = plain();
    struct advice_list list;
    kernel.shape.shared_bytes_per_block = 200 << 10;
    know_all_units(&kernel);
    set(&kernel, METRIC_dram_peak_pct, 20);
    advice_of_kernel(&kernel, &list);
    const struct advice *advice = find(&list, "occupancy");
    uint32_t bytes = 0;
    cr_assert_not_null(advice);
    const char *with = strstr(advice->how, "with ");
    cr_assert(with && sscanf(with, "with %u bytes", &bytes) == 1, "%s", advice->how);
    kernel.shape.shared_bytes_per_block = bytes;
    cr_assert_eq(occupancy_compute(kernel.arch, &kernel.shape).blocks, 2);
    kernel.shape.shared_bytes_per_block = bytes + 1;
    cr_assert_eq(occupancy_compute(kernel.arch, &kernel.shape).blocks, 1);
}

Test(advice, tail_of_the_last_wave)
{
    static const struct {
        double waves;
        bool fires;
    } cases[] = {{0.1, false}, {1, false},   {1.1, true},   {1.59, true}, {1.61, false},
                 {2, false},   {2.39, true}, {2.41, false}, {4.01, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct advice_kernel kernel = plain();
        kernel.blocks = floor(cases[i].waves * 1056);
        cr_assert_eq(fires(&kernel, "tail_wave"), cases[i].fires, "%g waves", cases[i].waves);
    }
}

/* All three checks: bandwidth left, memory the reason, many loads. */
Test(advice, prefetching_after_three_checks)
{
    static const struct {
        double dram_pct, waits, loads, of_load;
        bool fires;
    } cases[] = {{26, 88, 156, 700, true},  {59, 61, 9, 251, true},    {61, 88, 156, 700, false},
                 {26, 59, 156, 700, false}, {26, 88, 8, 700, false},   {26, 88, 156, 249, false},
                 {26, 300, 156, 700, true}, {26, 88, 156, 4999, true}, {0, 93, 16, 33000, false}};
    struct advice_list list;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct advice_kernel kernel = plain();
        set(&kernel, METRIC_dram_peak_pct, cases[i].dram_pct);
        set(&kernel, METRIC_cycles_per_issue, 40);
        set(&kernel, METRIC_stall_long_scoreboard, 0.4 * cases[i].waits);
        cr_assert(!fires(&kernel, "long_scoreboard"), "loads are not known");
        double loads = cases[i].loads * 8 * kernel.blocks;
        set(&kernel, METRIC_global_load_requests, loads);
        set(&kernel, METRIC_instructions, cases[i].of_load * loads / (0.4 * cases[i].waits));
        cr_assert_eq(fires(&kernel, "long_scoreboard"), cases[i].fires, "case %zu", i);
        advice_of_kernel(&kernel, &list);
        set(&kernel, METRIC_shared_load_ideal_wavefronts, 100);
        set(&kernel, METRIC_shared_load_wavefronts, 400);
        cr_assert_eq(fires(&kernel, "long_scoreboard"), cases[i].fires, "conflicts are another wait");
        set(&kernel, METRIC_local_load_sectors, 100);
        set(&kernel, METRIC_local_store_sectors, 100);
        cr_assert(!fires(&kernel, "long_scoreboard"), "it waits for what it spilled");
        const struct advice *advice = find(&list, "long_scoreboard");
        cr_assert(!advice || (advice->gain <= 1 - cases[i].dram_pct / 100 && advice->gain > 0.4));
    }
}

Test(advice, doubles_by_accident)
{
    static const struct {
        double doubles, floats, wide, time_ns;
        bool fires;
    } cases[] = {{334e6, 0, 0, 71000, true},
                 {334e6, 0, 1, 71000, false},
                 {334e6, 0, 0, 210000, false},
                 {334e6, 2.9e9, 0, 71000, true},
                 {334e6, 3.1e9, 0, 71000, false},
                 {0, 334e6, 0, 12000, false},
                 {334e6, 0, 0, 5000, true /* no time of its own to gain beyond all */}};
    struct advice_list list;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct advice_kernel kernel = plain();
        set(&kernel, METRIC_double_operations, cases[i].doubles);
        set(&kernel, METRIC_float_operations, cases[i].floats);
        set(&kernel, METRIC_wide_memory_instructions, cases[i].wide);
        set(&kernel, METRIC_time_ns, cases[i].time_ns);
        cr_assert(!fires(&kernel, "double_precision"), "the peaks are not known");
        set(&kernel, METRIC_peak_double_per_second, 33.4e12);
        set(&kernel, METRIC_peak_float_per_second, 66.8e12);
        cr_assert_eq(fires(&kernel, "double_precision"), cases[i].fires, "case %zu", i);
        kernel.no_doubles = true; /* its arguments say that wide words are floats */
        cr_assert_eq(fires(&kernel, "double_precision"), cases[i].fires || cases[i].wide > 0, "case %zu", i);
        kernel.no_doubles = false;
        advice_of_kernel(&kernel, &list);
        const struct advice *advice = find(&list, "double_precision");
        cr_assert(!advice || (advice->gain >= 0 && advice->gain < 1));
    }
}

Test(advice, says_when_no_counter_explains_the_time)
{
    static const struct {
        enum metric metric;
        double most; /* with which it still speaks, of what 40 us hold */
    } units[] = {{METRIC_dram_peak_pct, 9.9},
                 {METRIC_instructions, 0.099 * 4 * 132 * 1.98e9 * 40e-6},
                 {METRIC_global_load_sectors, 0.099 * 4 * 132 * 1.98e9 * 40e-6},
                 {METRIC_local_store_sectors, 0.099 * 4 * 132 * 1.98e9 * 40e-6},
                 {METRIC_shared_load_wavefronts, 0.099 * 132 * 1.98e9 * 40e-6},
                 {METRIC_double_operations, 0.099 * 33.4e12 * 40e-6}};
    struct advice_kernel kernel = plain();
    struct advice_list list;
    kernel.clock_hz = 1.98e9;
    kernel.blocks = 133;
    set(&kernel, METRIC_peak_double_per_second, 33.4e12);
    set(&kernel, METRIC_dram_peak_pct, 1);
    set(&kernel, METRIC_instructions, 1000);
    set(&kernel, METRIC_global_load_sectors, 0);
    set(&kernel, METRIC_shared_load_wavefronts, 0);
    set(&kernel, METRIC_time_ns, 40000);
    cr_assert(fires(&kernel, "unexplained"));
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        struct advice_kernel one = kernel;
        set(&one, units[i].metric, units[i].most);
        cr_assert(fires(&one, "unexplained"), "unit %zu", i);
        set(&one, units[i].metric, units[i].most * 1.02);
        cr_assert(!fires(&one, "unexplained"), "unit %zu", i);
    }
    struct advice_kernel few = kernel, quick = kernel, wrong = kernel, uncounted = kernel;
    few.blocks = 132;
    cr_assert(!fires(&few, "unexplained"), "a part of the device has nothing to do");
    set(&quick, METRIC_time_ns, 20000);
    cr_assert(!fires(&quick, "unexplained"));
    set(&wrong, METRIC_active_threads_per_warp, 3);
    advice_of_kernel(&wrong, &list);
    cr_assert(list.count > 0 && !find(&list, "unexplained"), "that explains it");
    uncounted.values[METRIC_shared_load_wavefronts].available = false;
    cr_assert(!fires(&uncounted, "unexplained"));
}

/* What the waits say of a time that the counters do not explain, where there are no atomics. */
Test(advice, unexplained_time_is_told_by_the_waits)
{
    static const struct {
        double waits, cycles, passes;
        const char *how; /* NULL: as always */
    } rows[] = {{34979, 38324, 0, "device memory"},
                {17, 7833, 0, "constant memory"},
                {17, 7833, 1, NULL},
                {700, 7833, 0, NULL},
                {900, 1000, 0, NULL}}; /* 900 cycles of 1,000 instructions, for 1,000 loads */
    struct advice_kernel kernel = plain();
    struct advice_list list;
    kernel.clock_hz = 1.98e9;
    kernel.blocks = 133;
    set(&kernel, METRIC_peak_double_per_second, 33.4e12);
    set(&kernel, METRIC_dram_peak_pct, 1);
    set(&kernel, METRIC_instructions, 1000);
    set(&kernel, METRIC_global_load_sectors, 0);
    set(&kernel, METRIC_shared_load_wavefronts, 0);
    set(&kernel, METRIC_time_ns, 40000);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        set(&kernel, METRIC_stall_long_scoreboard, rows[i].waits);
        set(&kernel, METRIC_cycles_per_issue, rows[i].cycles);
        set(&kernel, METRIC_atomic_passes, rows[i].passes);
        set(&kernel, METRIC_global_load_requests, 1000);
        advice_of_kernel(&kernel, &list);
        const struct advice *found = find(&list, "unexplained");
        cr_assert(found, "%zu", i);
        cr_expect(rows[i].how ? strstr(found->how, rows[i].how) != NULL : found->how[0] == '\0', "%zu: %s", i,
                  found->how);
    }
}

/* As counted on an H200: a grid of 524,288 blocks of 4 warps of which 0.6 % have work; and a triad. */
Test(advice, short_blocks_only_where_slots_stay_empty)
{
    static const struct {
        double instructions, occupancy, use;
        double blocks;
        bool fires;
    } rows[] = {{20979068, 7.3, 11, 524288, true},
                {20979068, 79, 11, 524288, false},
                {20979068 * 4.0, 7.3, 11, 524288, false},
                {20979068, 7.3, 51, 524288, false},
                {20979068 / 200.0, 7.3, 11, 524288 / 200.0, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct advice_kernel kernel = plain();
        kernel.blocks = rows[i].blocks;
        kernel.shape.threads_per_block = 128;
        set(&kernel, METRIC_instructions, rows[i].instructions);
        set(&kernel, METRIC_achieved_occupancy_pct, rows[i].occupancy);
        set(&kernel, METRIC_issue_slots_pct, rows[i].use);
        set(&kernel, METRIC_dram_peak_pct, 1);
        set(&kernel, METRIC_tensor_peak_pct, 0);
        set(&kernel, METRIC_roof_pct, 1);
        cr_expect_eq(fires(&kernel, "short_blocks"), rows[i].fires, "%zu", i);
    }
}

Test(advice, bandwidth_bound_only_without_waste)
{
    struct advice_kernel kernel = plain();
    struct advice_list list;
    set(&kernel, METRIC_dram_peak_pct, 70);
    cr_assert(!fires(&kernel, "bandwidth_bound"));
    set(&kernel, METRIC_dram_peak_pct, 70.1);
    advice_of_kernel(&kernel, &list);
    cr_assert_eq(list.count, 1);
    cr_assert(list.items[0].fine);
    cr_assert_eq(list.items[0].gain, 0);
    set(&kernel, METRIC_global_load_sectors, 2000);
    set(&kernel, METRIC_global_load_ideal_sectors, 1000);
    cr_assert(!fires(&kernel, "bandwidth_bound"));
}

Test(advice, most_to_gain_comes_first)
{
    struct advice_kernel kernel = plain();
    struct advice_list list;
    set(&kernel, METRIC_global_load_sectors, 2000);
    set(&kernel, METRIC_global_load_ideal_sectors, 1000);
    set(&kernel, METRIC_shared_load_wavefronts, 32000);
    set(&kernel, METRIC_shared_load_ideal_wavefronts, 1000);
    set(&kernel, METRIC_active_threads_per_warp, 16);
    advice_of_kernel(&kernel, &list);
    cr_assert_eq(list.count, 3);
    cr_assert_str_eq(list.items[0].rule->id, "shared_load_conflicts");
    cr_assert_str_eq(list.items[1].rule->id,
                     "uncoalesced_loads"); /* of equal gains the one earlier in the table */
    cr_assert_str_eq(list.items[2].rule->id, "divergence");
}

/* What counters of an H200 say of a kernel: metrics and values, ended by METRIC_COUNT. */
struct counted_kernel {
    uint32_t threads, registers;
    double blocks, time_ns;
    struct {
        enum metric metric;
        double number;
    } values[16];
};

static struct advice_kernel as_counted(const struct counted_kernel *counts)
{
    struct advice_kernel kernel = plain();
    kernel.shape.threads_per_block = counts->threads;
    kernel.shape.registers_per_thread = counts->registers;
    kernel.blocks = counts->blocks;
    kernel.clock_hz = 1.98e9;
    kernel.l2_bytes = 60e6;
    set(&kernel, METRIC_time_ns, counts->time_ns);
    set(&kernel, METRIC_theoretical_bandwidth_bytes_per_second, 4.8e12);
    set(&kernel, METRIC_tensor_peak_pct, 0);
    for (size_t i = 0; i < 16 && counts->values[i].number >= 0; i++)
        set(&kernel, counts->values[i].metric, counts->values[i].number);
    return kernel;
}

#define END              \
    {                    \
        METRIC_COUNT, -1 \
    }

/* A recursive filter in blocks of 8 threads; with 256 it took 25 % of the time. */
static const struct counted_kernel eight_threads = {
    8,
    32,
    524288,
    553600,
    {{METRIC_issue_slots_pct, 82}, {METRIC_active_threads_per_warp, 8}, {METRIC_instructions, 4.692e8}, END}};

Test(advice, lanes_that_no_thread_has)
{
    struct advice_kernel kernel = as_counted(&eight_threads), whole = kernel, most = kernel, few = kernel;
    struct advice_list list;
    advice_of_kernel(&kernel, &list);
    const struct advice *advice = find(&list, "partial_warps");
    cr_assert(advice && strstr(advice->text, "Blocks of 8 threads leave 24 of the 32 lanes"));
    cr_assert_float_eq(advice->gain, 0.75, 1e-9);
    cr_assert_eq(list.state, ADVICE_STATE_GAIN,
                 "82 %% of the issue slots are used, by a quarter of the lanes");
    whole.shape.threads_per_block = 64;
    cr_assert(!fires(&whole, "partial_warps"));
    most.shape.threads_per_block = 60; /* 94 % of two warps */
    cr_assert(!fires(&most, "partial_warps"));
    few.blocks = 264;
    cr_assert(!fires(&few, "partial_warps"), "blocks are what is missing");
    few.blocks = 4000; /* all are resident: full warps need fewer issue slots, and end no sooner */
    advice_of_kernel(&few, &list);
    advice = find(&list, "partial_warps");
    cr_assert(advice && fabs(advice->gain - 0.75 * 0.82) < 1e-9);
    set(&kernel, METRIC_dram_read_bytes, 4.8e12 * 553600e-9 * 0.72); /* bytes leave a fifth */
    set(&kernel, METRIC_global_load_ideal_sectors, 1e9);
    advice_of_kernel(&kernel, &list);
    cr_assert_float_eq(find(&list, "partial_warps")->gain, 0.2, 1e-6);
}

/* A table of tones, a byte a thread; with 16 bytes it took 21 % of the time. */
static const struct counted_kernel a_byte_each = {256,
                                                  16,
                                                  524288,
                                                  355000,
                                                  {{METRIC_global_load_requests, 4.194e6},
                                                   {METRIC_global_store_requests, 4.194e6},
                                                   {METRIC_global_load_sectors, 4.194e6},
                                                   {METRIC_global_store_sectors, 4.194e6},
                                                   {METRIC_global_load_ideal_sectors, 4.194e6},
                                                   {METRIC_global_store_ideal_sectors, 4.194e6},
                                                   {METRIC_global_load_bytes_wanted_per_byte_moved, 1},
                                                   {METRIC_global_store_bytes_wanted_per_byte_moved, 1},
                                                   {METRIC_active_threads_per_warp, 32},
                                                   {METRIC_instructions, 8.808e7},
                                                   {METRIC_dram_read_bytes, 1.342e8},
                                                   {METRIC_dram_write_bytes, 1.343e8},
                                                   {METRIC_dram_peak_pct, 17.4},
                                                   {METRIC_roof_pct, 15.7},
                                                   END}};

Test(advice, words_that_are_too_small)
{
    struct advice_kernel kernel = as_counted(&a_byte_each), other;
    struct advice_list list;
    advice_of_kernel(&kernel, &list);
    const struct advice *advice = find(&list, "narrow_access");
    cr_assert(advice && list.items[0].rule == advice->rule);
    cr_assert(advice->gain > 0.70 && advice->gain < 0.80, "%g", advice->gain); /* really 79 % */
    other = kernel; /* lanes read one word together: as few sectors, and nothing to widen */
    set(&other, METRIC_global_load_bytes_wanted_per_byte_moved, 0.125);
    cr_assert(!fires(&other, "narrow_access"));
    other = kernel; /* a float a lane */
    set(&other, METRIC_global_load_sectors, 4 * 4.194e6);
    set(&other, METRIC_global_store_sectors, 4 * 4.194e6);
    cr_assert(!fires(&other, "narrow_access"));
    other = kernel;
    set(&other, METRIC_dram_peak_pct, 61);
    cr_assert(!fires(&other, "narrow_access"));
    other = kernel; /* arithmetic with few bytes */
    set(&other, METRIC_instructions, 30 * 8.388e6);
    cr_assert(!fires(&other, "narrow_access"));
    other = kernel;
    other.blocks = 1056;
    cr_assert(!fires(&other, "narrow_access"), "fewer threads would leave the device emptier");
}

/* A sum that is kept in global memory in a loop; in a register it took 53 % of the time. */
static const struct counted_kernel sum_in_memory = {256,
                                                    32,
                                                    2048,
                                                    70240,
                                                    {{METRIC_global_load_requests, 2.097e6},
                                                     {METRIC_global_load_sectors, 5.243e6},
                                                     {METRIC_global_load_ideal_sectors, 5.243e6},
                                                     {METRIC_global_store_requests, 1.065e6},
                                                     {METRIC_global_store_sectors, 4.26e6},
                                                     {METRIC_global_store_ideal_sectors, 4.26e6},
                                                     {METRIC_dram_read_bytes, 1.331e8},
                                                     {METRIC_dram_write_bytes, 4.245e6},
                                                     {METRIC_dram_peak_pct, 39.8},
                                                     {METRIC_stall_long_scoreboard, 67.8},
                                                     {METRIC_cycles_per_issue, 75.8},
                                                     {METRIC_instructions, 1.293e7},
                                                     {METRIC_l2_peak_pct, 37},
                                                     END}};

Test(advice, stores_to_places_that_were_stored_before)
{
    struct advice_kernel kernel = as_counted(&sum_in_memory), other;
    struct advice_list list;
    advice_of_kernel(&kernel, &list);
    const struct advice *advice = find(&list, "stores_again");
    cr_assert(advice && !find(&list, "long_scoreboard"), "it explains the waits");
    cr_assert(strstr(advice->text, "At least 53 % of the stored bytes"), "%s", advice->text);
    cr_assert(advice->gain > 0.45 && advice->gain < 0.6, "%g", advice->gain); /* really 47 % */
    other = kernel; /* a stream of results: DRAM writes them */
    set(&other, METRIC_dram_write_bytes, 1.3e8);
    cr_assert(!fires(&other, "stores_again"));
    other = kernel; /* its results fit into the cache */
    other.l2_bytes = 140e6;
    cr_assert(!fires(&other, "stores_again"));
    other.l2_bytes = 0;
    cr_assert(!fires(&other, "stores_again"));
    other = kernel;
    other.blocks *= 12; /* five stores a warp are no loop */
    cr_assert(!fires(&other, "stores_again"));
    cr_assert(fires(&other, "long_scoreboard"));
}

/* Chains of loads at 8 warps of 64; with a template in place of a flag, 32 registers, they took 15 % of the time. */
static const struct counted_kernel many_registers = {256,
                                                     223,
                                                     1056,
                                                     266600,
                                                     {{METRIC_global_load_requests, 8.195e5},
                                                      {METRIC_stall_long_scoreboard, 71},
                                                      {METRIC_cycles_per_issue, 72.3},
                                                      {METRIC_instructions, 6.826e6},
                                                      {METRIC_dram_peak_pct, 3.15},
                                                      {METRIC_roof_pct, 3.2},
                                                      {METRIC_l2_peak_pct, 1.3},
                                                      END}};

Test(advice, waits_for_memory_name_what_keeps_warps_out)
{
    struct advice_kernel kernel = as_counted(&many_registers);
    struct advice_list list;
    advice_of_kernel(&kernel, &list);
    const struct advice *advice = find(&list, "long_scoreboard");
    cr_assert(advice && advice == &list.items[0]);
    cr_assert(strstr(advice->text, "223 registers a thread leave room for 8 of 64 warps"), "%s",
              advice->text);
    cr_assert_eq(strncmp(advice->how, "use fewer of the 223 registers a thread", 39), 0, "%s", advice->how);
    cr_assert_float_eq(advice->gain, 0.875, 0.01); /* really 85 % */
    kernel.shape.registers_per_thread = 32;
    advice_of_kernel(&kernel, &list);
    advice = find(&list, "long_scoreboard");
    cr_assert(advice && !strstr(advice->text, "registers") && strstr(advice->how, "load requests"));
    kernel.shape.registers_per_thread = 223;
    kernel.blocks = 132; /* one wave: more would not come */
    advice_of_kernel(&kernel, &list);
    cr_assert(!strstr(find(&list, "long_scoreboard")->text, "registers"));
}

Test(advice, waits_for_the_bandwidth_of_l2_are_not_for_its_latency)
{
    struct advice_kernel kernel = as_counted(&many_registers);
    struct advice_list list;
    kernel.shape.registers_per_thread = 32;
    set(&kernel, METRIC_l2_peak_pct, 53.9); /* 90 % of 60 % are 54 % */
    advice_of_kernel(&kernel, &list);
    cr_assert(find(&list, "long_scoreboard") && find(&list, "long_scoreboard")->gain < 0.11);
    set(&kernel, METRIC_l2_peak_pct, 57.7);
    cr_assert(!fires(&kernel, "long_scoreboard"));
}

/* Two barriers in each round of a loop whose warps exchange nothing; with __syncwarp it took 41 % of the time. */
static const struct counted_kernel barriers_in_a_loop = {1024,
                                                         16,
                                                         132,
                                                         152000,
                                                         {{METRIC_cycles_per_issue, 22},
                                                          {METRIC_stall_long_scoreboard, 0.018},
                                                          {METRIC_instructions, 4.914e7},
                                                          {METRIC_shared_load_wavefronts, 8.11e5},
                                                          {METRIC_issue_slots_pct, 36.35},
                                                          {METRIC_roof_pct, 6.5},
                                                          {METRIC_dram_peak_pct, 0},
                                                          {METRIC_active_threads_per_warp, 32},
                                                          END}};

Test(advice, waits_at_barriers_counted_or_left_over)
{
    struct advice_kernel kernel = as_counted(&barriers_in_a_loop), other;
    struct advice_list list;
    advice_of_kernel(&kernel, &list);
    const struct advice *advice = find(&list, "unexplained_waits");
    cr_assert(advice && advice == &list.items[0] && strstr(advice->text, "in blocks of 32 warps"));
    cr_assert_float_eq(advice->gain, 0.635, 0.01); /* really 59 % */
    other = kernel;
    other.shape.threads_per_block = 96;
    cr_assert(!fires(&other, "unexplained_waits"), "few warps wait little for each other");
    other = kernel;
    set(&other, METRIC_stall_long_scoreboard, 8);
    cr_assert(!fires(&other, "unexplained_waits"), "memory explains it");
    other = kernel;
    set(&other, METRIC_shared_load_wavefronts, 4.914e7 / 4);
    cr_assert(!fires(&other, "unexplained_waits"), "shared memory explains it");
    set(&kernel, METRIC_stall_barrier, 14);
    advice_of_kernel(&kernel, &list);
    advice = find(&list, "barriers");
    cr_assert(advice && !find(&list, "unexplained_waits"));
    cr_assert_float_eq(advice->gain, 1 - 0.3635, 0.01);
    set(&kernel, METRIC_stall_barrier, 6);
    advice_of_kernel(&kernel, &list);
    cr_assert(!find(&list, "barriers") && !find(&list, "unexplained_waits"),
              "it was counted, and is not much");
}

/* Local memory by its counts alone: sin of large angles stores seven words, loads six of 2 / pi, then three. */
Test(advice, what_local_memory_is_for_by_its_counts)
{
    static const struct {
        double stores, loads, global;
        const char *what;
    } rows[] = {{6.606e7, 2.831e7, 1.422e7, "the slow path of sin, cos and tan"},
                {6.606e7, 2.831e7, 1e6, "arrays and variables with an address"}, /* no table was read */
                {6.606e7, 6.6e7, 1.422e7, "spilled registers"},
                {6.606e7, 4e7, 1.422e7, "arrays and variables with an address"}};
    struct advice_list list;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct advice_kernel kernel = plain();
        set(&kernel, METRIC_local_store_sectors, rows[i].stores);
        set(&kernel, METRIC_local_load_sectors, rows[i].loads);
        set(&kernel, METRIC_global_load_requests, rows[i].global);
        advice_of_kernel(&kernel, &list);
        const struct advice *advice = find(&list, "local_memory");
        cr_assert(advice && strstr(advice->text, rows[i].what), "%zu: %s", i, advice ? advice->text : "");
    }
}

/* A gather by an index hits in no cache, and its requests have sectors of any number; a stride has the same each time. */
Test(advice, what_is_read_by_an_index_is_sorted)
{
    static const struct {
        double sectors, l1_pct, l2_pct;
        bool sorts;
    } rows[] = {{14.67, 2, 17, true}, {32, 2, 17, false}, {14.67, 60, 17, false}, {14.67, 2, 80, false}};
    struct advice_list list;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct advice_kernel kernel = plain();
        set(&kernel, METRIC_global_load_requests, 1.573e6);
        set(&kernel, METRIC_global_load_sectors, 1.573e6 * rows[i].sectors);
        set(&kernel, METRIC_global_load_ideal_sectors, 1.573e6 * 7);
        set(&kernel, METRIC_l1_hit_pct, rows[i].l1_pct);
        set(&kernel, METRIC_l2_hit_pct, rows[i].l2_pct);
        advice_of_kernel(&kernel, &list);
        const struct advice *advice = find(&list, "uncoalesced_loads");
        cr_assert(advice && (strncmp(advice->how, "sort or bin", 11) == 0) == rows[i].sorts, "%zu", i);
    }
}
