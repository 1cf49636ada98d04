/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a kernel over the runs of its group, times, and names for people; on sessions made by hand. */
#include "core/analysis/kernel_metrics.h"

#include "core/analysis/kernel_index.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a session with one group: a trace run and two counter runs, in three processes ---- */
struct bench {
    struct session *session;
    uint32_t device[RUN_MODE_COUNT], run[RUN_MODE_COUNT];
    uint32_t track;
};

static uint32_t string(struct bench *bench, const char *text)
{
    uint32_t id = session_add_string(bench->session, text, strlen(text));
    cr_assert_neq(id, 0);
    return id;
}

static struct bench bench_open(bool model)
{
    struct bench bench = {0};
    cr_assert_eq(session_create(&bench.session, 0, NULL), STATUS_OK);
    for (uint32_t mode = RUN_TRACE; mode < RUN_MODE_COUNT; mode++) {
        struct process_row process = {
            .pid = 100 + (int32_t)mode, .rank = -1, .mode = (uint8_t)mode, .end_ns = INT64_MIN};
        uint32_t process_index = session_add_process(bench.session, &process);
        struct device_row device = {.process = process_index};
        device.info.compute_capability = 90;
        device.info.is_model = model;
        bench.device[mode] = session_add_device(bench.session, &device);
        struct run_row run = {.process = process_index,
                              .device = bench.device[mode],
                              .group = 7,
                              .workload = string(&bench, "copy-offset"),
                              .mode = (uint8_t)mode,
                              .end_ns = INT64_MIN,
                              .verified = 1,
                              .effective_bytes = 8e6,
                              .effective_kernel = string(&bench, "copy_offset")};
        bench.run[mode] = session_add_run(bench.session, &run);
    }
    struct track_row track = {
        .kind = TRACK_STREAM, .process = 0, .device = bench.device[RUN_TRACE], .context = 1, .stream = 7};
    bench.track = session_add_track(bench.session, &track);
    return bench;
}

static struct shape_row shape_named(struct bench *bench, const char *name)
{
    return (struct shape_row){
        .name = string(bench, name), .grid = {1024, 1, 1}, .block = {256, 1, 1}, .registers_per_thread = 64};
}

static uint32_t add_kernel(struct bench *bench, enum run_mode mode, const struct shape_row *shape)
{
    uint32_t shape_index = session_add_shape(bench->session, shape);
    return session_add_kernel(bench->session, bench->run[mode], shape_index, bench->device[mode]);
}

static void launch(struct bench *bench, uint32_t kernel, int64_t start_ns, int64_t duration_ns)
{
    struct item item = {.kind = ITEM_LAUNCH};
    item.launch.kernel = kernel;
    item.launch.call_start_ns = INT64_MIN;
    cr_assert(session_add_event(bench->session, bench->track, start_ns, start_ns + duration_ns, &item));
}

static void measure(struct bench *bench, uint32_t kernel, double requests, double sectors)
{
    struct measurement_row row = {.kernel = kernel, .passes = 4, .values = 3};
    struct value_row values[3] = {
        {string(bench, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"), requests},
        {string(bench, "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum"), sectors},
        {string(bench, "gpu__time_duration.sum"), 5000},
    };
    cr_assert_neq(session_add_measurement(bench->session, &row, values), NONE);
}

/* Time and DRAM bytes, as a memory run has them, or a counter run of several passes. */
static void measure_memory(struct bench *bench, uint32_t kernel, uint32_t passes, double bytes)
{
    struct measurement_row row = {.kernel = kernel, .passes = passes, .values = 2};
    struct value_row values[2] = {{string(bench, "dram__bytes_write.sum"), bytes},
                                  {string(bench, "gpu__time_duration.sum"), 7000}};
    cr_assert_neq(session_add_measurement(bench->session, &row, values), NONE);
}

static void expect(struct bench *bench, enum run_mode mode, const char *kernel, const char *metric,
                   double number, const char *why)
{
    struct expected_row row = {.run = bench->run[mode],
                               .kernel_name = string(bench, kernel),
                               .metric = string(bench, metric),
                               .why = why ? string(bench, why) : 0,
                               .number = number};
    cr_assert_neq(session_add_expected(bench->session, &row), NONE);
}

/* ---- rows of one work ---- */

/* Found at once, the rows that represent their work are those that are found one by one. */
static void same_leaders(const struct session *session)
{
    bool leads[64];
    uint32_t count = session_kernel_count(session);
    cr_assert_leq(count, sizeof leads / sizeof leads[0]);
    cr_assert_eq(kernel_find_leaders(session, count, leads, NULL), STATUS_OK);
    for (uint32_t kernel = 0; kernel < count; kernel++)
        cr_assert_eq(leads[kernel], kernel_leads(session, kernel), "kernel %u", kernel);
}

Test(kernel_metrics, rows_of_one_work_are_of_one_group_name_shape_and_shared_memory)
{
    struct bench bench = bench_open(false);
    struct shape_row shape = shape_named(&bench, "copy_offset");
    uint32_t traced = add_kernel(&bench, RUN_TRACE, &shape);
    shape.shared_config_bytes = 65536; /* a replay's carve-out may differ */
    uint32_t counted = add_kernel(&bench, RUN_COUNTERS, &shape);
    struct shape_row other = shape;
    other.grid[0] = 512;
    uint32_t smaller = add_kernel(&bench, RUN_COUNTERS, &other);
    other = shape;
    other.dynamic_shared_bytes = 4096;
    uint32_t with_shared = add_kernel(&bench, RUN_COUNTERS, &other);
    struct shape_row named = shape_named(&bench, "copy_stride");
    uint32_t other_name = add_kernel(&bench, RUN_COUNTERS, &named);
    struct shape_row in_memory_run = shape, in_line_run = shape;
    uint32_t memory = add_kernel(&bench, RUN_MEMORY, &in_memory_run),
             smaller_memory = add_kernel(&bench, RUN_MEMORY, &(struct shape_row){.name = named.name}),
             lines = add_kernel(&bench, RUN_LINES, &in_line_run);
    const struct {
        uint32_t kernel, row[RUN_MODE_COUNT];
        bool leads;
    } cases[] = {
        {traced, {traced, counted, memory, lines}, true},
        {counted, {traced, counted, memory, lines}, false},
        {memory, {traced, counted, memory, lines}, false},
        {lines, {traced, counted, memory, lines}, false},
        {smaller, {NONE, smaller, NONE, NONE}, true},
        {with_shared, {NONE, with_shared, NONE, NONE}, true},
        {other_name, {NONE, other_name, NONE, NONE}, true},
        {smaller_memory, {NONE, NONE, smaller_memory, NONE}, true},
        {1000, {NONE, NONE, NONE, NONE}, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (enum run_mode mode = RUN_TRACE; mode < RUN_MODE_COUNT; mode++) {
            cr_assert_eq(kernel_in_mode(bench.session, cases[i].kernel, mode), cases[i].row[mode],
                         "case %zu, %s", i, run_mode_text(mode));
        }
        cr_assert_eq(kernel_leads(bench.session, cases[i].kernel), cases[i].leads, "case %zu", i);
    }
    same_leaders(bench.session);
    session_destroy(bench.session);
}

/* ---- statistics ---- */
Test(kernel_metrics, times_from_the_trace_counters_from_the_counter_run)
{
    struct bench bench = bench_open(false);
    struct shape_row shape = shape_named(&bench, "copy_offset");
    uint32_t traced = add_kernel(&bench, RUN_TRACE, &shape),
             counted = add_kernel(&bench, RUN_COUNTERS, &shape);
    static const int64_t durations[] = {4000, 1000, 3000, 9000};
    for (int i = 0; i < 4; i++)
        launch(&bench, traced, 10000 * i, durations[i]);
    measure(&bench, counted, 100, 500);
    measure(&bench, counted, 100, 400);
    measure(&bench, counted, 100, 600);
    measure(&bench, counted, 100, 550);
    expect(&bench, RUN_TRACE, "copy_offset", "global_load_sectors", 500, NULL);
    expect(&bench, RUN_TRACE, "copy_offset", "global_store_sectors", NAN, "it depends on the data");

    uint32_t both[] = {traced, counted}; /* asked of either row, the answer is the same */
    for (int i = 0; i < 2; i++) {
        struct kernel_statistic time =
            kernel_statistic(bench.session, both[i], METRIC_time_ns, PROVENANCE_MEASURED);
        cr_assert(time.value.available);
        cr_assert_eq(time.n, 4);
        cr_assert_float_eq(time.value.number, 3000, 0, "of 3000 and 4000 the lower");
        cr_assert_float_eq(time.min, 1000, 0);
        cr_assert_float_eq(time.max, 9000, 0);

        struct kernel_statistic bandwidth = kernel_statistic(
            bench.session, both[i], METRIC_effective_bandwidth_bytes_per_second, PROVENANCE_MEASURED);
        cr_assert_float_eq(bandwidth.value.number, 8e6 / 3e-6, 1);
        cr_assert_float_eq(bandwidth.min, 8e6 / 9e-6, 1);
        cr_assert_float_eq(bandwidth.max, 8e6 / 1e-6, 1);
        cr_assert(bandwidth.value.derived);

        struct kernel_statistic sectors =
            kernel_statistic(bench.session, both[i], METRIC_global_load_sectors, PROVENANCE_MEASURED);
        cr_assert_eq(sectors.n, 4);
        cr_assert_float_eq(sectors.value.number, 500, 0);
        cr_assert_float_eq(sectors.min, 400, 0);
        cr_assert_float_eq(sectors.max, 600, 0);
        cr_assert_eq(sectors.value.provenance, PROVENANCE_MEASURED);

        struct kernel_statistic expected =
            kernel_statistic(bench.session, both[i], METRIC_global_load_sectors, PROVENANCE_EXPECTED);
        cr_assert(expected.value.available);
        cr_assert_float_eq(expected.value.number, 500, 0);
        cr_assert_eq(expected.value.provenance, PROVENANCE_EXPECTED);

        struct kernel_statistic none =
            kernel_statistic(bench.session, both[i], METRIC_global_store_sectors, PROVENANCE_EXPECTED);
        cr_assert_not(none.value.available);
        cr_assert_str_eq(none.value.why, "it depends on the data");
        none = kernel_statistic(bench.session, both[i], METRIC_shared_load_wavefronts, PROVENANCE_EXPECTED);
        cr_assert_not(none.value.available);

        /* A counter that was not taken, and the model, which did not run. */
        none = kernel_statistic(bench.session, both[i], METRIC_dram_read_bytes, PROVENANCE_MEASURED);
        cr_assert_not(none.value.available);
        cr_assert_str_not_empty(none.value.why);
        none = kernel_statistic(bench.session, both[i], METRIC_global_load_sectors, PROVENANCE_MODELLED);
        cr_assert_not(none.value.available);
        cr_assert_eq(none.value.provenance, PROVENANCE_MODELLED);

        struct kernel_statistic occupancy =
            kernel_statistic(bench.session, both[i], METRIC_theoretical_occupancy_pct, PROVENANCE_EXPECTED);
        cr_assert_float_eq(occupancy.value.number, 50, 0);
        struct kernel_statistic limiter =
            kernel_statistic(bench.session, both[i], METRIC_occupancy_limiter, PROVENANCE_EXPECTED);
        cr_assert_str_eq(limiter.value.word, "registers");
        cr_assert_not(kernel_statistic(bench.session, both[i], METRIC_occupancy_limiter, PROVENANCE_MEASURED)
                          .value.available);
    }
    session_destroy(bench.session);
}

Test(kernel_metrics, a_counter_run_alone_gives_its_own_time)
{
    struct bench bench = bench_open(false);
    struct shape_row shape = shape_named(&bench, "copy_offset");
    uint32_t counted = add_kernel(&bench, RUN_COUNTERS, &shape);
    cr_assert_not(
        kernel_statistic(bench.session, counted, METRIC_time_ns, PROVENANCE_MEASURED).value.available);
    measure(&bench, counted, 100, 500);
    struct kernel_statistic time =
        kernel_statistic(bench.session, counted, METRIC_time_ns, PROVENANCE_MEASURED);
    cr_assert(time.value.available);
    cr_assert_float_eq(time.value.number, 5000, 0);
    session_destroy(bench.session);
}

/* Whichever row is asked: DRAM and time from the run of one pass, all else from the other one. */
Test(kernel_metrics, each_metric_comes_from_the_run_that_has_it_in_the_fewest_passes)
{
    struct bench bench = bench_open(false);
    struct shape_row shape = shape_named(&bench, "copy_offset");
    uint32_t counted = add_kernel(&bench, RUN_COUNTERS, &shape),
             memory = add_kernel(&bench, RUN_MEMORY, &shape);
    uint32_t both[] = {counted, memory};
    measure(&bench, counted, 100, 500); /* with a time of 5000 */

    struct kernel_statistic dram =
        kernel_statistic(bench.session, counted, METRIC_dram_write_bytes, PROVENANCE_MEASURED);
    cr_assert_not(dram.value.available);
    cr_assert_str_eq(dram.value.why, "no launch of this kernel was measured", "%s", dram.value.why);
    measure_memory(&bench, counted, 4, 9e6); /* as with --counters on: in several passes */
    for (int i = 0; i < 2; i++) {
        dram = kernel_statistic(bench.session, both[i], METRIC_dram_write_bytes, PROVENANCE_MEASURED);
        cr_assert_float_eq(dram.value.number, 9e6, 0);
    }
    measure_memory(&bench, memory, 1, 3e6);
    measure_memory(&bench, memory, 1, 2e6);
    measure_memory(&bench, memory, 1, 4e6);
    for (int i = 0; i < 2; i++) {
        dram = kernel_statistic(bench.session, both[i], METRIC_dram_write_bytes, PROVENANCE_MEASURED);
        cr_assert_float_eq(dram.value.number, 3e6, 0);
        cr_assert(dram.n == 3 && dram.min == 2e6 && dram.max == 4e6);
        struct kernel_statistic time =
            kernel_statistic(bench.session, both[i], METRIC_time_ns, PROVENANCE_MEASURED);
        cr_assert_float_eq(time.value.number, 7000, 0);
        struct kernel_statistic sectors =
            kernel_statistic(bench.session, both[i], METRIC_global_load_sectors, PROVENANCE_MEASURED);
        cr_assert(sectors.value.available && sectors.n == 1);
        cr_assert_float_eq(sectors.value.number, 500, 0);
    }
    struct kernel_index *index = NULL;
    cr_assert_eq(kernel_index_create(&index, bench.session, NULL), STATUS_OK);
    cr_assert_eq(kernel_index_measured(index, counted), 3, "the most of a run, not the sum");
    cr_assert_eq(kernel_index_measured(index, memory), 3);
    kernel_index_destroy(index);
    session_destroy(bench.session);
}

/* Operations from one run, bytes from another, time from a third: the medians make the value, whichever way
 * it is asked for, and the ends of the spreads its least and most. */
Test(kernel_metrics, a_value_of_several_runs)
{
    static const char *const counters[] = {"fadd", "fmul", "ffma", "dadd", "dmul",
                                           "dfma", "hadd", "hmul", "hfma"};
    struct bench bench = bench_open(false);
    struct shape_row shape = shape_named(&bench, "copy_offset");
    uint32_t traced = add_kernel(&bench, RUN_TRACE, &shape),
             counted = add_kernel(&bench, RUN_COUNTERS, &shape),
             memory = add_kernel(&bench, RUN_MEMORY, &shape);
    struct measurement_row row = {.kernel = counted, .passes = 4, .values = 9};
    struct value_row values[9];
    for (int i = 0; i < 9; i++) {
        char name[64];
        snprintf(name, sizeof name, "smsp__sass_thread_inst_executed_op_%s_pred_on.sum", counters[i]);
        values[i] = (struct value_row){string(&bench, name), i == 2 ? 4000 : 0};
    }
    cr_assert_neq(session_add_measurement(bench.session, &row, values), NONE);
    launch(&bench, traced, 0, 1000);
    launch(&bench, traced, 2000, 4000);
    launch(&bench, traced, 9000, 2000);
    struct kernel_statistic none =
        kernel_statistic(bench.session, traced, METRIC_arithmetic_intensity, PROVENANCE_MEASURED);
    cr_assert(!none.value.available && none.n == 0 && none.value.why);
    measure_memory(&bench, memory, 1, 1000);
    measure_memory(&bench, memory, 1, 3000);
    measure_memory(&bench, memory, 1, 2000);
    struct kernel_statistic all[METRIC_COUNT];
    struct kernel_index *index = NULL;
    kernel_statistics(bench.session, traced, PROVENANCE_MEASURED, all);
    cr_assert_eq(kernel_index_create(&index, bench.session, NULL), STATUS_OK);
    const enum metric both[] = {METRIC_operations_per_second, METRIC_floating_point_operations};
    const double wanted[][3] = {{8000e9 / 2000, 8000e9 / 4000, 8000e9 / 1000}, {8000, 8000, 8000}};
    for (int i = 0; i < 2; i++) {
        struct kernel_statistic one = kernel_statistic(bench.session, traced, both[i], PROVENANCE_MEASURED);
        struct kernel_statistic by_index =
            kernel_index_statistic(index, traced, both[i], PROVENANCE_MEASURED);
        cr_assert(one.value.available && one.value.derived && one.n == 1, "%s", one.value.why);
        cr_assert_float_eq(one.value.number, wanted[i][0], 1e-3);
        cr_assert_float_eq(one.min, wanted[i][1], 1e-3);
        cr_assert_float_eq(one.max, wanted[i][2], 1e-3);
        cr_assert_eq(one.value.number, by_index.value.number);
        cr_assert_eq(one.value.number, all[both[i]].value.number);
        double *numbers;
        size_t count;
        cr_assert_eq(
            kernel_index_samples(index, traced, both[i], PROVENANCE_MEASURED, &numbers, &count, NULL),
            STATUS_OK);
        cr_assert(count == 1 && numbers[0] == one.value.number);
        free(numbers);
    }
    kernel_index_destroy(index);
    session_destroy(bench.session);
}

Test(kernel_metrics, a_trace_alone_has_no_counters)
{
    struct bench bench = bench_open(false);
    struct shape_row shape = shape_named(&bench, "copy_offset");
    uint32_t traced = add_kernel(&bench, RUN_TRACE, &shape);
    struct kernel_statistic sectors =
        kernel_statistic(bench.session, traced, METRIC_global_load_sectors, PROVENANCE_MEASURED);
    cr_assert_not(sectors.value.available);
    cr_assert_str_eq(sectors.value.why, "there is no counter run of this kernel");
    session_destroy(bench.session);
}

Test(kernel_metrics, what_ran_on_the_model_is_modelled_never_measured)
{
    struct bench bench = bench_open(true);
    struct shape_row shape = shape_named(&bench, "copy_offset");
    uint32_t traced = add_kernel(&bench, RUN_TRACE, &shape),
             counted = add_kernel(&bench, RUN_COUNTERS, &shape);
    launch(&bench, traced, 0, 700);
    measure(&bench, counted, 100, 500);
    static const enum metric metrics[] = {METRIC_time_ns, METRIC_global_load_sectors,
                                          METRIC_effective_bandwidth_bytes_per_second};
    for (int i = 0; i < 3; i++) {
        cr_assert_not(
            kernel_statistic(bench.session, traced, metrics[i], PROVENANCE_MEASURED).value.available);
        struct kernel_statistic modelled =
            kernel_statistic(bench.session, traced, metrics[i], PROVENANCE_MODELLED);
        cr_assert(modelled.value.available);
        cr_assert_eq(modelled.value.provenance, PROVENANCE_MODELLED);
    }
    session_destroy(bench.session);
}

Test(kernel_metrics, a_program_of_others_has_no_expectation)
{
    struct bench bench = bench_open(false);
    struct run_row run = {
        .group = 9, .program = string(&bench, "a.out"), .device = bench.device[0], .end_ns = INT64_MIN};
    uint32_t run_index = session_add_run(bench.session, &run);
    struct shape_row shape = shape_named(&bench, "theirs");
    uint32_t kernel = session_add_kernel(bench.session, run_index, session_add_shape(bench.session, &shape),
                                         bench.device[0]);
    struct kernel_statistic expected =
        kernel_statistic(bench.session, kernel, METRIC_global_load_sectors, PROVENANCE_EXPECTED);
    cr_assert_not(expected.value.available);
    cr_assert_str_eq(expected.value.why,
                     "only bundled workloads describe their accesses, and so have expected values");
    cr_assert(kernel_statistic(bench.session, kernel, METRIC_theoretical_occupancy_pct, PROVENANCE_EXPECTED)
                  .value.available);
    cr_assert_not(kernel_statistic(bench.session, kernel, METRIC_effective_bandwidth_bytes_per_second,
                                   PROVENANCE_MEASURED)
                      .value.available);
    cr_assert_not(kernel_statistic(bench.session, 1000, METRIC_time_ns, PROVENANCE_MEASURED).value.available);
    session_destroy(bench.session);
}

Test(kernel_metrics, times_over_many_streams_and_only_this_kernel)
{
    struct bench bench = bench_open(false);
    struct shape_row shape = shape_named(&bench, "a"), shape_b = shape_named(&bench, "b");
    uint32_t a = add_kernel(&bench, RUN_TRACE, &shape), b = add_kernel(&bench, RUN_TRACE, &shape_b);
    for (int i = 0; i < 101; i++) {
        launch(&bench, a, i * 1000, 1 + (i * 37) % 101);
        launch(&bench, b, i * 1000 + 500, 400);
        if (i == 50) {
            struct track_row track = {
                .kind = TRACK_STREAM, .process = 0, .device = 0, .context = 1, .stream = 8};
            bench.track = session_add_track(bench.session, &track);
        }
    }
    struct kernel_times times = kernel_times(bench.session, a, true);
    cr_assert_eq(times.launches, 101);
    cr_assert_eq(times.min_ns, 1);
    cr_assert_eq(times.max_ns, 101);
    cr_assert_eq(times.median_ns, 51);
    cr_assert_eq(times.total_ns, 101 * 51);
    cr_assert_eq(kernel_times(bench.session, a, false).median_ns, 0);
    cr_assert_eq(kernel_times(bench.session, 55, true).launches, 0);
    session_destroy(bench.session);
}

/* ---- the index says what the functions say ---- */
static void same_statistic(const struct kernel_statistic *a, const struct kernel_statistic *b,
                           const char *what)
{
    cr_assert_eq(a->value.available, b->value.available, "%s", what);
    cr_assert_eq(a->value.derived, b->value.derived, "%s", what);
    cr_assert_eq(a->value.provenance, b->value.provenance, "%s", what);
    cr_assert_eq(a->value.number, b->value.number, "%s: %g, %g", what, a->value.number, b->value.number);
    cr_assert_eq(a->value.word, b->value.word, "%s", what);
    cr_assert(a->value.available || strcmp(a->value.why, b->value.why) == 0, "%s: %s, %s", what, a->value.why,
              b->value.why);
    cr_assert_eq(a->n, b->n, "%s", what);
    cr_assert_eq(a->min, b->min, "%s", what);
    cr_assert_eq(a->max, b->max, "%s", what);
}

Test(kernel_metrics, index_equals_the_functions, .timeout = 280)
{
    srand(7);
    for (int round = 0; round < 20; round++) {
        struct bench bench = bench_open(round % 3 == 0);
        static const char *const names[] = {"copy_offset", "copy_stride", "transpose"};
        uint32_t kernels[40], made = 0;
        for (int i = 0; i < 40; i++) {
            struct shape_row shape = shape_named(&bench, names[rand() % 3]);
            shape.grid[0] = 1u + (uint32_t)rand() % 3;
            shape.dynamic_shared_bytes = (uint32_t)rand() % 2 * 1024;
            shape.registers_per_thread = (uint16_t)(16 + rand() % 2);
            kernels[made++] = add_kernel(&bench, (enum run_mode)(rand() % RUN_MODE_COUNT), &shape);
        }
        for (int i = 0; i < 200; i++) {
            uint32_t kernel = kernels[rand() % 40];
            switch (session_run(bench.session, session_kernel(bench.session, kernel)->run)->mode) {
            case RUN_TRACE: launch(&bench, kernel, i * 100, 1 + rand() % 90); break;
            case RUN_COUNTERS: measure(&bench, kernel, 1 + rand() % 100, 1 + rand() % 3000); break;
            default: measure_memory(&bench, kernel, 1, rand() % 5000); break;
            }
        }
        expect(&bench, RUN_TRACE, "copy_offset", "global_load_sectors", 500, NULL);
        struct kernel_row damaged = {.run = 77, .shape = 3};
        session_add_kernel(bench.session, damaged.run, damaged.shape, 0);

        struct kernel_index *index = NULL;
        cr_assert_eq(kernel_index_create(&index, bench.session, NULL), STATUS_OK);
        cr_assert_eq(kernel_index_count(index), session_kernel_count(bench.session));
        for (uint32_t kernel = 0; kernel <= session_kernel_count(bench.session); kernel++) {
            for (enum run_mode mode = RUN_TRACE; mode < RUN_MODE_COUNT; mode++) {
                cr_assert_eq(kernel_index_in_mode(index, kernel, mode),
                             kernel_in_mode(bench.session, kernel, mode));
            }
            cr_assert_eq(kernel_index_leads(index, kernel), kernel_leads(bench.session, kernel));
            for (unsigned p = 0; p < PROVENANCE_COUNT; p++) {
                struct kernel_statistic all[METRIC_COUNT];
                kernel_statistics(bench.session, kernel, (enum provenance)p, all);
                for (unsigned metric = 0; metric < METRIC_COUNT; metric++) {
                    struct kernel_statistic one =
                        kernel_statistic(bench.session, kernel, (enum metric)metric, (enum provenance)p);
                    struct kernel_statistic other =
                        kernel_index_statistic(index, kernel, (enum metric)metric, (enum provenance)p);
                    same_statistic(&one, &other, metric_info((enum metric)metric)->id);
                    same_statistic(&one, &all[metric], metric_info((enum metric)metric)->id);
                }
            }
        }
        same_leaders(bench.session);
        kernel_index_destroy(index);
        session_destroy(bench.session);
    }
    kernel_index_destroy(NULL);
}

/* The most memory this process has asked for so far, kB. */
static long address_space_peak(void)
{
    char line[256];
    long peak = 0;
    FILE *status = fopen("/proc/self/status", "r");
    cr_assert_not_null(status);
    while (peak == 0 && fgets(line, sizeof line, status))
        sscanf(line, "VmPeak: %ld", &peak);
    fclose(status);
    return peak;
}

/* A damaged recording may say any number of launches: memory is for those that are there. */
Test(kernel_metrics, asks_for_no_memory_by_a_count_that_a_file_says)
{
    struct bench bench = bench_open(false);
    struct shape_row shape = shape_named(&bench, "copy_offset");
    uint32_t kernel = add_kernel(&bench, RUN_TRACE, &shape);
    launch(&bench, kernel, 1000, 40);
    const uint64_t said[] = {1 << 27, (uint64_t)1 << 40, UINT64_MAX / sizeof(double) + 2, UINT64_MAX};
    const long before = address_space_peak();
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        session_set_kernel_sums(bench.session, kernel, said[i], 40, 40, 40);
        struct kernel_times times = kernel_times(bench.session, kernel, true);
        cr_assert_eq(times.launches, said[i]);
        cr_assert_eq(times.median_ns, 0);
    }
    cr_assert_lt(address_space_peak() - before, 1 << 19, "half a GB is more than one launch needs");
    session_set_kernel_sums(bench.session, kernel, 1, 40, 40, 40);
    cr_assert_eq(kernel_times(bench.session, kernel, true).median_ns, 40);
    session_destroy(bench.session);
}
