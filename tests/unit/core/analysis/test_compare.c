/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two kernels compared: which are each other's counterparts, and whether what differs is more than the
 * launches' spread. Sessions made by hand.
 */
#include "core/analysis/compare.h"
#include "core/analysis/compare_match.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct side {
    struct session *session;
    struct kernel_index *index;
    uint32_t process, device, run, track, group;
    int64_t now_ns;
};

static uint32_t string(struct side *side, const char *text)
{
    return *text ? session_add_string(side->session, text, strlen(text)) : 0;
}

static void begin(struct side *side, bool model)
{
    if (!side->session)
        cr_assert_eq(session_create(&side->session, 1, NULL), STATUS_OK);
    uint8_t clock = model ? CLOCK_MODEL : CLOCK_WALL;
    struct process_row process = {
        .pid = 1, .rank = -1, .clock = clock, .end_ns = INT64_MIN, .exit_status = -1};
    side->process = session_add_process(side->session, &process);
    struct device_row device = {.process = side->process};
    strcpy(device.info.name, "NVIDIA H200");
    strcpy(device.info.chip, "GH100");
    device.info.compute_capability = 90;
    device.info.is_model = model;
    side->device = session_add_device(side->session, &device);
    struct track_row track = {
        .kind = TRACK_STREAM, .clock = clock, .process = side->process, .device = side->device};
    side->track = session_add_track(side->session, &track);
}

static void run(struct side *side, const char *work, const char *variant, const char *params, bool model)
{
    struct run_row row = {.process = side->process,
                          .device = side->device,
                          .group = ++side->group,
                          .variant = string(side, variant),
                          .params = string(side, params),
                          .clock = model ? CLOCK_MODEL : CLOCK_WALL,
                          .end_ns = INT64_MIN,
                          .verified = -1};
    *(variant[0] ? &row.workload : &row.program) = string(side, work);
    side->run = session_add_run(side->session, &row);
}

static uint32_t kernel(struct side *side, const char *name, uint32_t blocks)
{
    struct shape_row shape = {.name = string(side, name), .grid = {blocks, 1, 1}, .block = {256, 1, 1}};
    return session_add_kernel(side->session, side->run, session_add_shape(side->session, &shape),
                              side->device);
}

static void launch(struct side *side, uint32_t row, int64_t duration_ns)
{
    struct item item = {.kind = ITEM_LAUNCH};
    item.launch.kernel = row;
    item.launch.call_start_ns = INT64_MIN;
    cr_assert(session_add_event(side->session, side->track, side->now_ns, side->now_ns + duration_ns, &item));
    side->now_ns += duration_ns + 10;
}

static void index_it(struct side *side)
{
    cr_assert_eq(kernel_index_create(&side->index, side->session, NULL), STATUS_OK);
}

static void end(struct side *side)
{
    kernel_index_destroy(side->index);
    session_destroy(side->session);
}

/* A side whose one kernel took so long, launch by launch; 0 ends. */
static void timed(struct side *side, bool model, const int64_t *durations)
{
    begin(side, model);
    run(side, "a.out", "", "", model);
    uint32_t row = kernel(side, "saxpy", 4);
    for (; *durations; durations++)
        launch(side, row, *durations);
    index_it(side);
}

Test(compare, how_much_a_time_weighs)
{
    static const struct {
        int64_t a[12], b[12];
        bool a_model, b_model;
        enum compare_weight weight;
        int better;
        double chance;
    } rows[] = {
        {{100, 101, 102, 103}, {90, 91, 92, 93}, false, false, COMPARE_BEYOND, 1, 2.0 / 70},
        {{90, 91, 92, 93}, {100, 101, 102, 103}, false, false, COMPARE_BEYOND, -1, 2.0 / 70},
        {{100, 101, 102}, {50, 51, 52}, false, false, COMPARE_TOO_FEW, 1, 0.1},
        {{100, 110, 120, 130, 140}, {104, 112, 121, 134, 139}, false, false, COMPARE_WITHIN, 0, 0.841},
        {{100, 100, 100, 100}, {100, 100, 100, 100}, false, false, COMPARE_EQUAL, 0, NAN},
        {{100}, {101}, true, true, COMPARE_CERTAIN, -1, NAN},
        /* a modelled time beside a measured one weighs, but is neither better nor worse */
        {{100}, {101, 102, 103, 104, 105, 106}, true, false, COMPARE_BEYOND, 0, 1.0 / 32},
        {{101, 102, 103, 104, 105, 106}, {100}, false, true, COMPARE_BEYOND, 0, 1.0 / 32},
        {{100}, {101, 102, 103, 104, 105}, true, false, COMPARE_TOO_FEW, 0, 1.0 / 16},
        {{100}, {98, 99, 101, 102, 103, 104}, true, false, COMPARE_WITHIN, 0, 44.0 / 64},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct side a = {0}, b = {0};
        struct compare_metric result;
        timed(&a, rows[i].a_model, rows[i].a);
        timed(&b, rows[i].b_model, rows[i].b);
        struct compare_kernel left = {a.index, 0}, right = {b.index, 0};
        for (int bandwidth = 0; bandwidth < 2; bandwidth++) { /* what follows from the time weighs the same */
            cr_assert_eq(
                compare_metric(&left, &right, bandwidth ? METRIC_gputime : METRIC_time_ns, &result, NULL),
                STATUS_OK);
            cr_assert_eq(result.weight, rows[i].weight, "row %zu: %s, p %g", i,
                         compare_weight_text(result.weight), result.chance);
            cr_assert_eq(result.change.better, rows[i].better, "row %zu", i);
            cr_assert(isnan(rows[i].chance) ? isnan(result.chance)
                                            : fabs(result.chance - rows[i].chance) < 0.02,
                      "row %zu: p %g", i, result.chance);
        }
        end(&a);
        end(&b);
    }
}

/* One kernel of so many blocks, launched so often for so long. */
static void worked(struct side *side, const char *params, double useful_bytes, uint32_t blocks, int launches,
                   int64_t duration_ns, bool model)
{
    begin(side, model);
    run(side, "n-way", "serial", params, model);
    struct run_row row = *session_run(side->session, side->run);
    row.effective_bytes = useful_bytes;
    row.effective_kernel = string(side, "chunk");
    side->run = session_add_run(side->session, &row);
    uint32_t chunk = kernel(side, "chunk", blocks);
    for (int i = 0; i < launches; i++)
        launch(side, chunk, duration_ns);
    session_end_run(side->session, side->run, side->now_ns, -1, 0);
    index_it(side);
}

/* Better and worse are said of equal work only. */
Test(compare, nothing_is_better_of_unequal_work)
{
    static const struct {
        struct {
            const char *params;
            double useful_bytes;
            uint32_t blocks;
            int launches;
            int64_t duration_ns;
            bool model;
        } a, b;
        enum compare_work work;
        int better; /* of the time of a launch */
        const char *difference, *run;
    } rows[] = {
        {{"n=8", 0, 64, 4, 1000, false},
         {"n=8", 0, 64, 4, 500, false},
         COMPARE_WORK_SAME,
         1,
         "",
         "4.00 us -> 2.00 us (2.0x faster)"},
        /* a sixteenth of the work in each of 16 launches */
        {{"n=8", 0, 4224, 3, 600000, false},
         {"n=8", 0, 264, 48, 20000, false},
         COMPARE_WORK_SUM,
         0,
         "3 launches of 4,224 blocks, 48 launches of 264 blocks",
         "1.80 ms -> 960 us (1.9x faster)"},
        {{"n=8", 0, 64, 1, 1000, false},
         {"n=8", 0, 64, 2, 500, false},
         COMPARE_WORK_OTHER,
         0,
         "1 launch of 64 blocks, 2 launches of 64 blocks",
         "1.00 us -> 1.00 us, not the same work"},
        {{"n=4096,rounds=2", 0, 64, 4, 1000, false},
         {"n=128,rounds=2", 0, 64, 4, 10, false},
         COMPARE_WORK_OTHER,
         0,
         "n=4096, n=128",
         "4.00 us -> 40 ns, not the same work"},
        /* the same bytes by a loop over the grid */
        {{"n=8", 4096, 64, 4, 1000, false},
         {"n=8", 4096, 8, 4, 2000, false},
         COMPARE_WORK_SAME,
         -1,
         "",
         "4.00 us -> 8.00 us (2.0x slower)"},
        /* how the work is done is no size; a size up to 1 % apart is one */
        {{"n=8650752,offset=1", 0, 64, 4, 1000, false},
         {"n=8652800,offset=2", 0, 64, 4, 500, false},
         COMPARE_WORK_SAME,
         1,
         "",
         "4.00 us -> 2.00 us (2.0x faster)"},
        /* the model launches once what a GPU is timed at four times */
        {{"n=8", 0, 64, 1, 1000, true},
         {"n=8", 0, 64, 4, 500, false},
         COMPARE_WORK_SAME,
         0,
         "",
         "1.00 us -> 2.00 us, modelled beside measured: not compared"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct side a = {0}, b = {0};
        struct compare_metric time;
        struct compare_run runs;
        char text[200];
        worked(&a, rows[i].a.params, rows[i].a.useful_bytes, rows[i].a.blocks, rows[i].a.launches,
               rows[i].a.duration_ns, rows[i].a.model);
        worked(&b, rows[i].b.params, rows[i].b.useful_bytes, rows[i].b.blocks, rows[i].b.launches,
               rows[i].b.duration_ns, rows[i].b.model);
        struct compare_kernel left = {a.index, 0}, right = {b.index, 0};
        cr_assert_eq(compare_work(&left, &right), rows[i].work, "row %zu", i);
        compare_work_difference(&left, &right, text, sizeof text);
        cr_assert_str_eq(text, rows[i].difference, "row %zu: %s", i, text);
        cr_assert_eq(compare_metric(&left, &right, METRIC_time_ns, &time, NULL), STATUS_OK);
        cr_assert_eq(time.change.better, rows[i].better, "row %zu", i);
        cr_assert_eq(compare_run_of(&runs, &left, &right, NULL), STATUS_OK);
        compare_run_text(&runs, text, sizeof text);
        cr_assert_str_eq(text, rows[i].run, "row %zu: %s", i, text);
        struct compare_sums sums = compare_sums(&left, &right, METRIC_time_ns);
        cr_assert(sums.change.known && sums.change.better == 0);
        cr_assert_eq(sums.sums[0], (double)(rows[i].a.launches * rows[i].a.duration_ns));
        cr_assert_eq(sums.sums[1], (double)(rows[i].b.launches * rows[i].b.duration_ns));
        end(&a);
        end(&b);
    }
}

/* Counts of instructions have no spread, unless launches differ. */
Test(compare, how_much_a_count_weighs)
{
    static const struct {
        double a[4], b[4];
        enum compare_weight weight;
    } rows[] = {
        {{8, 8}, {9, 9}, COMPARE_CERTAIN},
        {{8, 8}, {8, 8}, COMPARE_EQUAL},
        {{8, 9}, {20, 21}, COMPARE_TOO_FEW},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct side sides[2] = {0};
        for (int s = 0; s < 2; s++) {
            begin(&sides[s], false);
            run(&sides[s], "a.out", "", "", false);
            uint32_t row = kernel(&sides[s], "saxpy", 4);
            session_end_run(sides[s].session, sides[s].run, 100, -1, 0);
            struct run_row counters = *session_run(sides[s].session, sides[s].run);
            counters.mode = RUN_COUNTERS;
            sides[s].run = session_add_run(sides[s].session, &counters);
            row = kernel(&sides[s], "saxpy", 4);
            for (int n = 0; n < 4; n++) {
                double number = s ? rows[i].b[n] : rows[i].a[n];
                struct value_row value = {
                    string(&sides[s], "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum"), number};
                struct measurement_row measured = {.kernel = row, .passes = 1, .values = 1};
                if (number != 0)
                    session_add_measurement(sides[s].session, &measured, &value);
            }
            index_it(&sides[s]);
        }
        struct compare_kernel a = {sides[0].index, 1}, b = {sides[1].index, 1};
        struct compare_metric result;
        cr_assert_eq(compare_metric(&a, &b, METRIC_global_load_sectors, &result, NULL), STATUS_OK);
        cr_assert(result.change.known);
        cr_assert_eq(result.weight, rows[i].weight, "row %zu: %s", i, compare_weight_text(result.weight));
        end(&sides[0]);
        end(&sides[1]);
    }
}

Test(compare, differences_are_between_numbers_that_are_there)
{
    static const struct {
        struct value a, b;
        enum metric metric;
        bool known, has_ratio;
        double difference, ratio;
        int better;
    } rows[] = {
        {{.available = true, .number = 4},
         {.available = true, .number = 8},
         METRIC_global_load_sectors,
         true,
         true,
         4,
         2,
         -1},
        {{.available = true, .number = 8},
         {.available = true, .number = 4},
         METRIC_time_ns,
         true,
         true,
         -4,
         0.5,
         1},
        {{.available = true, .number = 4},
         {.available = true, .number = 8},
         METRIC_effective_bandwidth_bytes_per_second,
         true,
         true,
         4,
         2,
         1},
        {{.available = true, .number = 0},
         {.available = true, .number = 8},
         METRIC_global_load_excess_sectors,
         true,
         false,
         8,
         0,
         -1},
        {{.available = true, .number = 8},
         {.available = true, .number = 8},
         METRIC_time_ns,
         true,
         true,
         0,
         1,
         0},
        {{.available = true, .number = 4},
         {.available = true, .number = 8},
         METRIC_global_load_ideal_sectors,
         true,
         true,
         4,
         2,
         0},
        {{.available = true, .number = 1000},
         {.available = true, .number = 1009},
         METRIC_time_ns,
         true,
         true,
         9,
         1.009,
         0},
        {{.available = true, .number = 1000},
         {.available = true, .number = 1009},
         METRIC_global_load_sectors,
         true,
         true,
         9,
         1.009,
         -1},
        {{.available = false}, {.available = true, .number = 8}, METRIC_time_ns, false, false, 0, 0, 0},
        {{.available = true, .word = "warps"},
         {.available = true, .word = "warps"},
         METRIC_occupancy_limiter,
         false,
         false,
         0,
         0,
         0},
        {{.available = true, .number = 4, .bound = VALUE_AT_LEAST},
         {.available = true, .number = 8},
         METRIC_time_ns,
         false,
         false,
         0,
         0,
         0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct compare_change change = compare_values(rows[i].metric, &rows[i].a, &rows[i].b);
        cr_assert(change.known == rows[i].known && change.has_ratio == rows[i].has_ratio &&
                      change.difference == rows[i].difference && change.ratio == rows[i].ratio &&
                      change.better == rows[i].better,
                  "row %zu", i);
    }
}

/* ---- matching ---- */
static void add(struct side *side, const char *work, const char *variant, const char *params, bool model,
                const char *name, uint32_t blocks)
{
    begin(side, model);
    run(side, work, variant, params, model);
    launch(side, kernel(side, name, blocks), 100);
}

/* "0-1 shape, 2-0 name | A 3 | B" */
static void expect(struct side *a, const struct compare_pick *pick_a, struct side *b,
                   const struct compare_pick *pick_b, const char *wanted)
{
    static const char *const hows[] = {"shape", "name", "left"};
    static const struct compare_pick all;
    struct compare_matches matches;
    char text[400] = "";
    size_t used = 0;
    cr_assert_eq(
        compare_match(&matches, a->index, pick_a ? pick_a : &all, b->index, pick_b ? pick_b : &all, NULL),
        STATUS_OK);
    for (size_t i = 0; i < matches.count; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%u-%u %s ", matches.rows[i].a,
                                 matches.rows[i].b, hows[matches.rows[i].how]);
    }
    for (int s = 0; s < 2; s++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "| ");
        for (size_t i = 0; i < matches.only_count[s]; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%u ", matches.only[s][i]);
    }
    cr_assert_str_eq(text, wanted);
    compare_matches_fini(&matches);
}

Test(compare, which_kernels_are_counterparts)
{
    struct side a = {0}, b = {0};
    add(&a, "transpose", "naive", "n=8", false, "naive", 4); /* 0 */
    add(&a, "transpose", "tile", "n=8", false, "tile", 4);   /* 1 */
    add(&a, "transpose", "tile", "n=16", false, "tile", 16); /* 2 */
    add(&a, "transpose", "tile", "n=8", true, "tile", 4);    /* 3 */
    add(&a, "a.out", "", "", false, "saxpy", 4);             /* 4 */
    add(&a, "a.out", "", "", false, "saxpy", 4);             /* 5: run again */
    index_it(&a);
    add(&b, "a.out", "", "", false, "saxpy", 4);           /* 0 */
    add(&b, "transpose", "tile", "n=8", true, "tile", 4);  /* 1 */
    add(&b, "transpose", "tile", "n=8", false, "tile", 4); /* 2 */
    add(&b, "a.out", "", "", false, "saxpy", 8);           /* 3 */
    add(&b, "a.out", "", "", false, "daxpy", 8);           /* 4 */
    index_it(&b);
    const struct compare_pick tile = {.work = "transpose", .variant = "tile"}, naive = {.variant = "naive"},
                              tile_16 = {.variant = "tile", .params = "n=16"},
                              tile_8 = {.params = "n=8", .device = COMPARE_GPU},
                              tile_model = {.variant = "tile", .device = COMPARE_MODEL},
                              none = {.params = "n=1"}, part = {.params = "n=1,n=8"};
    /* shape first, then the name that only one of the rest has */
    expect(&a, NULL, &b, NULL, "1-2 shape 3-1 shape 4-0 shape 5-3 name | 0 2 | 4 ");
    expect(&a, &tile, &b, &tile, "1-2 shape 3-1 shape | 2 | ");
    /* other work by the picks' words */
    expect(&a, &naive, &a, &tile_16, "0-2 left | | ");
    expect(&a, &naive, &a, &tile, "0-1 left | | 2 3 ");
    expect(&a, &tile_16, &a, &tile_8, "2-1 name | | 0 ");
    /* model against hardware */
    expect(&a, &tile_model, &b, &tile_8, "3-2 shape | | ");
    expect(&a, &none, &b, NULL, "| | 0 1 2 3 4 ");
    expect(&a, &part, &b, &part, "| | ");
    end(&a);
    end(&b);
}

/* ---- the order ---- */

static unsigned random_below(unsigned *state, unsigned count)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % count;
}

static struct value random_value(unsigned *state, double near)
{
    static const double factors[] = {0, 1, 1, 1, 1.0001, 0.5, 2, 32, 1.0 / 32, 7.3};
    return (struct value){.available = random_below(state, 5) > 0,
                          .number = near * factors[random_below(state, 10)],
                          .bound = random_below(state, 8) == 0 ? VALUE_AT_LEAST : VALUE_EXACT,
                          .provenance = PROVENANCE_MEASURED};
}

/* For random values: every metric with a value once; those that differ before the others; the time and the
 * metrics of the verdict on top; and after them never a larger change after a smaller one. */
Test(compare, what_changed_most_is_listed_first)
{
    unsigned state = 34;
    for (int round = 0; round < 300; round++) {
        struct compare_metric compared[METRIC_COUNT] = {0};
        bool first[METRIC_COUNT] = {false}, seen[METRIC_COUNT] = {false};
        enum metric order[METRIC_COUNT];
        int with_value = 0, differing = 0;
        for (enum metric m = 0; m < METRIC_COUNT; m++) {
            double near = 1 + random_below(&state, 1000);
            compared[m].a.value = random_value(&state, near);
            compared[m].b.value = random_value(&state, near);
            compared[m].change = compare_values(m, &compared[m].a.value, &compared[m].b.value);
            if (compared[m].change.known)
                compared[m].weight = compared[m].change.difference == 0 ? COMPARE_EQUAL
                                     : random_below(&state, 4) == 0     ? COMPARE_WITHIN
                                                                        : COMPARE_CERTAIN;
            first[m] = random_below(&state, 12) == 0;
            with_value += compared[m].a.value.available || compared[m].b.value.available;
        }
        int count = compare_order(compared, first, order, &differing);
        cr_assert_eq(count, with_value);
        for (int i = 0; i < count; i++) {
            const struct compare_metric *here = &compared[order[i]];
            bool top = first[order[i]];
            cr_assert_not(seen[order[i]]);
            seen[order[i]] = true;
            cr_assert_eq(compare_differs(here), i < differing, "line %d of %d", i, count);
            if (order[i] == METRIC_time_ns && compare_distance(here) >= 0)
                cr_assert_eq(i, 0, "the time is line %d", i);
            if (i == 0 || i >= differing || order[i - 1] == METRIC_time_ns)
                continue;
            const struct compare_metric *above = &compared[order[i - 1]];
            bool above_top = first[order[i - 1]];
            cr_assert(compare_distance(here) < 0 || compare_distance(above) >= 0);
            if (compare_distance(here) < 0)
                continue;
            cr_assert(!top || above_top, "a metric of the verdict stands under another one");
            if (top == above_top && here->weight == above->weight)
                cr_assert_geq(compare_distance(above), compare_distance(here));
            if (!top && !above_top && above->weight == COMPARE_WITHIN)
                cr_assert_eq(here->weight, COMPARE_WITHIN);
        }
    }
}

Test(compare, the_distance_is_that_of_the_ratio)
{
    struct compare_metric change[3] = {0};
    const double numbers[3][2] = {{4, 32}, {32, 4}, {0, 5}};
    for (int i = 0; i < 3; i++) {
        change[i].a.value = (struct value){.available = true, .number = numbers[i][0]};
        change[i].b.value = (struct value){.available = true, .number = numbers[i][1]};
        change[i].change = compare_values(METRIC_global_load_sectors, &change[i].a.value, &change[i].b.value);
        change[i].weight = COMPARE_CERTAIN;
    }
    cr_assert_float_eq(compare_distance(&change[0]), log(8), 1e-12);
    cr_assert_float_eq(compare_distance(&change[1]), log(8), 1e-12);
    cr_assert(isinf(compare_distance(&change[2])));
}
