/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the device model: one run gives times and counts, MODELLED, beside what a GPU measured of the
 * same work. */
#include "core/analysis/kernel_index.h"
#include "core/analysis/overlap/overlap.h"
#include "core/metric/metric.h"
#include "tests/shared/fixture/fixture_model.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* ---- from samples to values ---- */
Test(metric_model, takes_what_was_counted_and_derives_the_rest)
{
    static const struct counter_sample samples[] = {
        {"model.global_load_requests", 512},        {"model.global_load_sectors", 16384},
        {"model.global_load_ideal_sectors", 2048},  {"model.global_store_requests", 0},
        {"model.global_store_sectors", 0},          {"model.shared_load_wavefronts", 64},
        {"model.shared_load_conflicts", 7}, /* said, not derived */
        {"model.shared_load_ideal_wavefronts", 32}, {"model.l2_hit_pct", (double)NAN},
    };
    const struct metric_facts facts = {.time_ns = 2000, .effective_bytes = 4000};
    const struct {
        enum metric metric;
        double number;
        bool derived;
        const char *why;
    } rows[] = {
        {METRIC_time_ns, 2000, false, NULL},
        {METRIC_effective_bandwidth_bytes_per_second, 2e9, true, NULL},
        {METRIC_global_load_requests, 512, false, NULL},
        {METRIC_global_load_ideal_sectors, 2048, false, NULL},
        {METRIC_global_load_excess_sectors, 14336, true, NULL},
        {METRIC_global_load_sectors_per_request, 32, true, NULL},
        {METRIC_global_load_bytes_wanted_per_byte_moved, 0, false, "the device model does not have it"},
        {METRIC_global_store_sectors_per_request, 0, false, "the kernel writes no global memory"},
        {METRIC_global_store_excess_sectors, 0, false, "the device model does not have it"},
        {METRIC_shared_load_conflicts, 7, false, NULL},
        {METRIC_l2_hit_pct, 0, false, "the device model gave no number for it"},
        {METRIC_dram_read_bytes, 0, false, "the device model does not have it"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct value value =
            metric_evaluate(rows[i].metric, samples, sizeof samples / sizeof samples[0], &facts);
        const char *id = metric_info(rows[i].metric)->id;
        cr_assert_eq(value.provenance, PROVENANCE_MODELLED, "%s", id);
        cr_assert_eq(value.available, rows[i].why == NULL, "%s", id);
        if (rows[i].why) {
            cr_assert_str_eq(value.why, rows[i].why, "%s", id);
        } else {
            cr_assert_eq(value.number, rows[i].number, "%s: %g", id, value.number);
            cr_assert_eq(value.derived, rows[i].derived, "%s", id);
        }
    }
}

/* One sample of the model among a GPU's makes all of them the model's: nothing is ever said to be measured.
 */
Test(metric_model, never_counts_as_measured)
{
    static const struct counter_sample mixed[] = {{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 9},
                                                  {"model.global_load_sectors", 5}};
    const struct metric_facts facts = {0};
    for (int metric = 0; metric < METRIC_COUNT; metric++)
        cr_assert_neq(metric_evaluate((enum metric)metric, mixed, 2, &facts).provenance, PROVENANCE_MEASURED);
    cr_assert_not(metric_is_modelled(mixed, 1));
    cr_assert(metric_is_modelled(mixed, 2));
}

/* ---- from events to values ---- */
static struct kernel_statistic statistic(const struct session *session, uint32_t kernel, enum metric metric,
                                         enum provenance provenance)
{
    struct kernel_index *index;
    cr_assert_eq(kernel_index_create(&index, session, NULL), STATUS_OK);
    struct kernel_statistic one = kernel_statistic(session, kernel, metric, provenance),
                            other = kernel_index_statistic(index, kernel, metric, provenance);
    cr_assert_eq(one.value.available, other.value.available);
    cr_assert_eq(one.value.number, other.value.number);
    cr_assert_eq(one.value.derived, other.value.derived);
    for (enum run_mode mode = RUN_TRACE; mode < RUN_MODE_COUNT; mode++)
        cr_assert_eq(kernel_in_mode(session, kernel, mode), kernel_index_in_mode(index, kernel, mode));
    cr_assert_eq(kernel_leads(session, kernel), kernel_index_leads(index, kernel));
    bool leads[64];
    uint32_t count = session_kernel_count(session);
    cr_assert(kernel < count && count <= sizeof leads / sizeof leads[0]);
    cr_assert_eq(kernel_find_leaders(session, count, leads, NULL), STATUS_OK);
    cr_assert_eq(leads[kernel], kernel_leads(session, kernel));
    kernel_index_destroy(index);
    return one;
}

Test(kernel_model, one_run_has_times_and_counts)
{
    struct session *session = fixture_model_session(false);
    cr_assert_eq(session_run_count(session), FIXTURE_MODEL_CASES);
    uint32_t kernel = fixture_model_kernel(session, 0, CLOCK_MODEL, RUN_TRACE);
    cr_assert_neq(kernel, NONE);
    cr_assert_eq(kernel_in_mode(session, kernel, RUN_COUNTERS), kernel);
    cr_assert(kernel_leads(session, kernel));
    cr_assert(kernel_on_model(session, kernel));
    cr_assert_eq(session_kernel(session, kernel)->launches, 1);
    cr_assert_eq(session_kernel(session, kernel)->measured_launches, 1);
    static const struct {
        enum metric metric;
        double number;
    } rows[] = {{METRIC_time_ns, FIXTURE_MODEL_TIME_NS},
                {METRIC_effective_bandwidth_bytes_per_second, 16384.0 * 8 * 1e9 / FIXTURE_MODEL_TIME_NS},
                {METRIC_global_load_requests, 512},
                {METRIC_global_load_sectors, 2048},
                {METRIC_global_load_sectors_per_request, 4},
                {METRIC_achieved_occupancy_pct, 91.25}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kernel_statistic modelled = statistic(session, kernel, rows[i].metric, PROVENANCE_MODELLED);
        cr_assert(modelled.value.available, "%s: %s", metric_info(rows[i].metric)->id, modelled.value.why);
        cr_assert_eq(modelled.value.provenance, PROVENANCE_MODELLED);
        cr_assert_eq(modelled.value.number, rows[i].number, "%s: %g", metric_info(rows[i].metric)->id,
                     modelled.value.number);
    }
    for (int metric = 0; metric < METRIC_COUNT; metric++)
        cr_assert_not(statistic(session, kernel, (enum metric)metric, PROVENANCE_MEASURED).value.available);
    session_destroy(session);
}

Test(kernel_model, modelled_and_measured_stand_beside_each_other)
{
    struct session *session = fixture_model_session(true);
    for (uint32_t which = 0; which < FIXTURE_MODEL_CASES; which++) {
        uint32_t traced = fixture_model_kernel(session, which, CLOCK_WALL, RUN_TRACE),
                 counted = fixture_model_kernel(session, which, CLOCK_WALL, RUN_COUNTERS),
                 modelled = fixture_model_kernel(session, which, CLOCK_MODEL, RUN_TRACE);
        cr_assert_eq(kernel_in_mode(session, traced, RUN_COUNTERS), counted);
        cr_assert_eq(kernel_in_mode(session, counted, RUN_TRACE), traced);
        cr_assert(kernel_leads(session, traced) && !kernel_leads(session, counted));
        cr_assert(kernel_leads(session, modelled));
        const uint32_t rows[] = {traced, counted, modelled};
        for (int i = 0; i < 3; i++) {
            double time = statistic(session, rows[i], METRIC_time_ns, PROVENANCE_MODELLED).value.number;
            cr_assert_eq(time, FIXTURE_MODEL_TIME_NS + 500 * which);
            time = statistic(session, rows[i], METRIC_time_ns, PROVENANCE_MEASURED).value.number;
            cr_assert_eq(time, 3000);
            double sectors =
                statistic(session, rows[i], METRIC_global_load_sectors, PROVENANCE_MEASURED).value.number;
            double own =
                statistic(session, rows[i], METRIC_global_load_sectors, PROVENANCE_MODELLED).value.number;
            cr_assert_eq(sectors - own, which == 2 ? 1 : 0);
        }
    }
    session_destroy(session);
}

/* ---- runs and clocks ---- */
Test(kernel_model, runs_of_the_same_work_make_groups)
{
    struct session *session = fixture_model_session(true);
    for (uint32_t i = 0; i < FIXTURE_MODEL_CASES; i++) {
        cr_assert_eq(session_run(session, FIXTURE_MODEL_CASES + i)->group, session_run(session, i)->group);
        cr_assert_eq(session_run(session, 2 * FIXTURE_MODEL_CASES + i)->group,
                     session_run(session, i)->group);
    }
    session_destroy(session);
}

Test(kernel_model, overlap_and_tracks_keep_to_the_runs_clock)
{
    struct session *session = fixture_model_session(true);
    for (uint32_t i = 0; i < session_run_count(session); i++) {
        const struct run_row *run = session_run(session, i);
        struct overlap overlap;
        cr_assert_eq(overlap_compute(session, i, INT64_MIN, INT64_MAX, &overlap, NULL), STATUS_OK);
        if (run->mode == RUN_COUNTERS)
            continue;
        /* two copies, and one launch on the model or three on the GPU, with nothing of the other's */
        cr_assert_eq(overlap.operations, run->clock == CLOCK_MODEL ? 3 : 5, "run %u: %lu operations", i,
                     (unsigned long)overlap.operations);
        cr_assert_lt(overlap.span_ns, 40000);
    }
    for (uint32_t i = 0; i < session_track_count(session); i++) {
        const struct track_row *track = session_track(session, i);
        cr_assert_eq(track->clock, session_process(session, track->process)->clock);
        cr_assert(track->clock == CLOCK_WALL || track->kind != TRACK_MEASUREMENTS,
                  "counting takes the model no time");
    }
    cr_assert_lt(session_now_ns(session, CLOCK_MODEL), 1000000);
    cr_assert_gt(session_now_ns(session, CLOCK_WALL), 200000000);
    session_destroy(session);
}
