/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The old profiler's counters by their old names, and bandwidths, against what is worked out access by access
 * and launch by launch.
 */
#include "core/analysis/kernel_index.h"
#include "core/hardware/bank.h"
#include "core/hardware/coalesce.h"
#include "core/metric/metric_counters.h"
#include "tests/shared/made/made_access.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one access on each generation ---- */
Test(old_counters, tell_accesses_apart)
{
    static const struct {
        uint32_t capability;
        uint64_t start, step, swapped;
        uint32_t coherent, incoherent;
    } rows[] = {{10, 128, 4, 0, 2, 0}, {11, 128, 4, 1, 0, 32},    {10, 132, 4, 0, 0, 32},
                {13, 132, 4, 0, 3, 0}, {13, 128, 4096, 0, 32, 0}, {90, 128, 4, 0, 1, 0},
                {90, 128, 4, 1, 1, 0}, {90, 144, 4, 0, 0, 1},     {90, 128, 4096, 0, 0, 1},
                {90, 128, 0, 0, 1, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct warp_access access = access_in_steps(rows[i].start, rows[i].step, 4, ALL_LANES);
        for (uint32_t lane = 0; rows[i].swapped && lane < WARP_LANES; lane++)
            access.address[lane] = rows[i].start + 4 * (lane ^ 1);
        struct coalesce_cost cost = coalesce_count(arch_find(rows[i].capability), &access);
        cr_assert(cost.coherent == rows[i].coherent && cost.incoherent == rows[i].incoherent,
                  "row %zu: %u coherent, %u not", i, cost.coherent, cost.incoherent);
    }
}

/* ---- a kernel of random accesses, as a GPU's counters see it ---- */
#define SAMPLES 32

struct counted {
    struct counter_sample samples[SAMPLES];
    size_t count;
};

static double *counter(struct counted *counted, const char *name)
{
    for (size_t i = 0; i < counted->count; i++)
        if (strcmp(counted->samples[i].counter, name) == 0)
            return &counted->samples[i].number;
    cr_assert_lt(counted->count, SAMPLES);
    counted->samples[counted->count] = (struct counter_sample){.counter = name};
    return &counted->samples[counted->count++].number;
}

static void need(struct counted *counted, enum metric metric)
{
    const struct metric_counters counters = metric_counters(metric, "GH100");
    for (const char *const *name = counters.names; *name; name++)
        counter(counted, *name);
}

static void count_width(struct counted *counted, uint32_t width)
{
    double *of[] = {counter(counted, COUNTER_WIDTH(8)), counter(counted, COUNTER_WIDTH(16)),
                    counter(counted, COUNTER_WIDTH(64)), counter(counted, COUNTER_WIDTH(128))};
    if (width != 4)
        *of[width == 1 ? 0 : width == 2 ? 1 : width == 8 ? 2 : 3] += 1;
}

static struct value evaluate(const struct counted *counted, enum metric metric)
{
    struct metric_facts facts = {.arch = arch_find(90)};
    return metric_evaluate(metric, counted->samples, counted->count, &facts);
}

/* The truth never lies outside what is said, and an exact value is the truth. */
static void check_bound(const struct value *said, double truth, const char *what)
{
    cr_assert(said->available && said->derived, "%s: %s", what, said->why);
    struct value true_value = {.available = true, .number = truth};
    cr_assert_neq(value_compare(said, &true_value), VALUE_DIFFERENT, "%s: %s %g, in truth %g", what,
                  value_bound_text(said->bound), said->number, truth);
}

static bool is_aligned(const struct warp_access *access)
{
    uint64_t bits = 0;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        bits |= access->active >> lane & 1 ? access->address[lane] : 0;
    return bits % access->width_bytes == 0;
}

static void one_kernel(struct made_access *made, int *exact)
{
    struct counted counted = {.count = 0};
    double incoherent = 0, coherent = 0, conflicts = 0;
    for (enum metric metric = METRIC_gld_coherent; metric <= METRIC_warp_serialize; metric++)
        need(&counted, metric);
    for (int i = 0, accesses = 1 + (int)(made->state % 12); i < accesses; i++) {
        struct warp_access access = made_access_next(made, 4096);
        if (access.width_bytes == 12 || access.active == 0 || !is_aligned(&access))
            continue; /* no GPU does it */
        access.store = access.local = false;
        struct coalesce_cost cost = coalesce_count(arch_find(90), &access);
        *counter(&counted, COUNTER_GLOBAL_REQUESTS(ld)) += cost.requests;
        *counter(&counted, COUNTER_GLOBAL_SECTORS(ld)) += cost.sectors;
        *counter(&counted, COUNTER_GLOBAL_BYTES(ld)) += cost.bytes_wanted;
        count_width(&counted, access.width_bytes);
        incoherent += cost.sectors > cost.ideal_sectors;
        coherent += cost.sectors == cost.ideal_sectors;
        struct bank_cost bank = bank_count(arch_find(90), &access);
        *counter(&counted, COUNTER_SHARED_INSTRUCTIONS(st)) += bank.instructions;
        *counter(&counted, COUNTER_SHARED_WAVEFRONTS(st)) += bank.wavefronts;
        conflicts += bank.wavefronts - bank.ideal_wavefronts;
    }
    struct value said = evaluate(&counted, METRIC_gld_incoherent);
    check_bound(&said, incoherent, "gld_incoherent");
    *exact += said.bound == VALUE_EXACT;
    said = evaluate(&counted, METRIC_gld_coherent);
    check_bound(&said, coherent, "gld_coherent");
    said = evaluate(&counted, METRIC_warp_serialize);
    check_bound(&said, conflicts, "warp_serialize");
    cr_assert_eq(evaluate(&counted, METRIC_gst_incoherent).number, 0);
}

Test(old_counters, bounds_hold_what_was_so)
{
    struct made_access made = {.state = 7};
    int exact = 0;
    for (int round = 0; round < 3000; round++)
        one_kernel(&made, &exact);
    cr_assert_gt(exact, 0);
}

/* A copy that coalesces has none that did not, and that is exact. */
Test(old_counters, a_coalesced_kernel_has_none_incoherent)
{
    struct counted counted = {.count = 0};
    need(&counted, METRIC_gld_coherent);
    *counter(&counted, COUNTER_GLOBAL_REQUESTS(ld)) = 1000;
    *counter(&counted, COUNTER_GLOBAL_SECTORS(ld)) = 4000;
    *counter(&counted, COUNTER_GLOBAL_BYTES(ld)) = 128000;
    struct value coherent = evaluate(&counted, METRIC_gld_coherent),
                 incoherent = evaluate(&counted, METRIC_gld_incoherent);
    cr_assert(coherent.number == 1000 && coherent.bound == VALUE_EXACT);
    cr_assert(incoherent.number == 0 && incoherent.bound == VALUE_EXACT);
}

/* ---- bandwidth ---- */
Test(old_counters, dram_bandwidth_is_bytes_over_time)
{
    struct counter_sample samples[] = {{COUNTER_DRAM_READ, 3e6},
                                       {COUNTER_DRAM_WRITE, 1e6},
                                       {COUNTER_TIME, 2000}},
                          newer[] = {{COUNTER_DRAM_READ_GB20X, 3e6},
                                     {COUNTER_DRAM_WRITE_GB20X, 1e6},
                                     {COUNTER_TIME, 2000}},
                          modelled[] = {{"model.dram_read_bytes", 5e6}, {"model.dram_write_bytes", 3e6}};
    struct metric_facts facts = {.time_ns = 0};
    struct value value = metric_evaluate(METRIC_dram_bandwidth_bytes_per_second, samples, 3, &facts);
    cr_assert(value.available && value.derived && value.provenance == PROVENANCE_MEASURED);
    cr_assert_float_eq(value.number, 2e12, 1);
    cr_assert_float_eq(metric_evaluate(METRIC_dram_bandwidth_bytes_per_second, newer, 3, &facts).number, 2e12,
                       1);
    cr_assert_not(metric_evaluate(METRIC_dram_bandwidth_bytes_per_second, samples, 2, &facts).available);
    cr_assert_not(metric_evaluate(METRIC_dram_bandwidth_bytes_per_second, samples + 1, 2, &facts).available);
    cr_assert_not(metric_evaluate(METRIC_dram_bandwidth_bytes_per_second, modelled, 2, &facts).available);
    facts.time_ns = 4000;
    value = metric_evaluate(METRIC_dram_bandwidth_bytes_per_second, modelled, 2, &facts);
    cr_assert(value.available && value.provenance == PROVENANCE_MODELLED);
    cr_assert_float_eq(value.number, 2e12, 1);
}

Test(old_counters, from_the_launch_and_its_device)
{
    struct metric_facts facts = {.arch = arch_find(90),
                                 .threads_per_block = 256,
                                 .registers_per_thread = 64,
                                 .blocks = 4096,
                                 .theoretical_bytes_per_second = 4.81e12};
    cr_assert_eq(metric_evaluate(METRIC_cta_launched, NULL, 0, &facts).number, 4096);
    cr_assert_eq(metric_evaluate(METRIC_occupancy, NULL, 0, &facts).number, 0.5);
    struct value peak = metric_evaluate(METRIC_theoretical_bandwidth_bytes_per_second, NULL, 0, &facts);
    cr_assert(peak.number == 4.81e12 && peak.derived && peak.provenance == PROVENANCE_EXPECTED);
    facts.call_ns = 4400;
    facts.time_ns = 1312;
    cr_assert_float_eq(metric_evaluate(METRIC_gputime, NULL, 0, &facts).number, 1.312, 1e-12);
    cr_assert_float_eq(metric_evaluate(METRIC_cputime, NULL, 0, &facts).number, 4.4, 1e-12);
}

/* ---- launches with their calls ---- */
static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static uint32_t string(struct session *session, const char *text)
{
    return session_add_string(session, text, strlen(text));
}

/* A run of a kernel on one stream; some launches come without their call. */
static struct session *made_launches(unsigned seed, double *calls, size_t *call_count, size_t launches)
{
    struct session *session;
    cr_assert_eq(session_create(&session, 0, NULL), STATUS_OK);
    uint32_t process = session_add_process(session, &(struct process_row){.rank = -1, .end_ns = INT64_MIN});
    struct device_row device = {.process = process};
    device.info =
        (struct device_info){.compute_capability = 90, .memory_bus_bits = 6016, .memory_clock_khz = 3201000};
    uint32_t on = session_add_device(session, &device);
    uint32_t run = session_add_run(
        session, &(struct run_row){.process = process, .device = on, .end_ns = INT64_MIN, .verified = -1});
    struct shape_row shape = {.name = string(session, "saxpy"), .grid = {8, 4, 2}, .block = {128, 1, 1}};
    uint32_t kernel = session_add_kernel(session, run, session_add_shape(session, &shape), on);
    uint32_t track = session_add_track(
        session, &(struct track_row){.kind = TRACK_STREAM, .process = process, .device = on, .stream = 7});
    srand(seed);
    *call_count = 0;
    for (size_t i = 0; i < launches; i++) {
        struct item item = {.kind = ITEM_LAUNCH};
        item.launch.kernel = kernel;
        item.launch.call_start_ns = rand() % 4 ? (int64_t)i * 1000 : INT64_MIN;
        item.launch.call_duration_ns = 1000 + (uint32_t)rand() % 9000;
        if (item.launch.call_start_ns != INT64_MIN)
            calls[(*call_count)++] = item.launch.call_duration_ns;
        session_add_event(session, track, (int64_t)i * 1000, (int64_t)i * 1000 + 1 + rand() % 900, &item);
    }
    return session;
}

Test(old_counters, cputime_is_the_median_call)
{
    static double calls[200];
    for (unsigned seed = 1; seed <= 40; seed++) {
        size_t count, launches = 1 + seed % 17;
        struct session *session = made_launches(seed, calls, &count, launches);
        struct kernel_statistic cpu = kernel_statistic(session, 0, METRIC_cputime, PROVENANCE_MEASURED),
                                gpu = kernel_statistic(session, 0, METRIC_gputime, PROVENANCE_MEASURED),
                                time = kernel_statistic(session, 0, METRIC_time_ns, PROVENANCE_MEASURED);
        cr_assert_eq(cpu.value.available, count > 0, "%s", cpu.value.why);
        if (count > 0) {
            qsort(calls, count, sizeof calls[0], compare_doubles);
            cr_assert_float_eq(cpu.value.number, calls[(count - 1) / 2] / 1000, 1e-9);
            cr_assert_float_eq(cpu.min, calls[0] / 1000, 1e-9);
            cr_assert_float_eq(cpu.max, calls[count - 1] / 1000, 1e-9);
            cr_assert_eq(cpu.n, count);
        }
        cr_assert_float_eq(gpu.value.number, time.value.number / 1000, 1e-9);
        struct kernel_statistic blocks =
                                    kernel_statistic(session, 0, METRIC_cta_launched, PROVENANCE_EXPECTED),
                                peak = kernel_statistic(session, 0,
                                                        METRIC_theoretical_bandwidth_bytes_per_second,
                                                        PROVENANCE_EXPECTED);
        cr_assert_eq(blocks.value.number, 8 * 4 * 2);
        cr_assert_float_eq(peak.value.number, 3201e6 * 6016 * 2 / 8, 1);
        struct kernel_index *index = NULL;
        cr_assert_eq(kernel_index_create(&index, session, NULL), STATUS_OK);
        struct kernel_statistic same = kernel_index_statistic(index, 0, METRIC_cputime, PROVENANCE_MEASURED);
        cr_assert(same.n == cpu.n && same.value.number == cpu.value.number && same.max == cpu.max);
        kernel_index_destroy(index);
        session_destroy(session);
    }
}
