/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bursts of 10 us over transpose and bank-stride on an H200 (tests/data/bursts_h200.lsr, made by
 * tests/gpu/test_sampler.sh): the conflict chart is high within the kernels whose lanes share banks, near
 * zero within their padded twins, and zero where no kernel ran.
 */
#include "core/recording/recording.h"
#include "core/session/samples.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define RECORDING TEST_SOURCE_DIR "/tests/data/bursts_h200.lsr"
#define CONFLICTS "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"
#define WAVEFRONTS "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
#define ROWS 8

/* By workload, variant and stride; how many conflicts a wavefront has. */
static const struct {
    const char *variant, *params;
    double least, most;
} rows[ROWS] = {
    {"copy", "", 0, 0.01},
    {"naive", "", 0, 0.01},
    {"tile", "", 0.85, 0.97},
    {"pad", "", 0, 0.08},
    {"swizzle", "", 0, 0.08},
    {"32-bit", "stride=1,", 0, 0.08},
    {"32-bit", "stride=32,", 0.9, 1},
    {"32-bit", "stride=33,", 0, 0.08},
};

static struct session *session;
static uint32_t conflicts_series, wavefronts_series;

static void load(void)
{
    struct error error = {0};
    cr_assert_eq(recording_load(&session, RECORDING, &error), STATUS_OK, "%s", error.text);
    cr_assert_eq(sampling_count(session), 1);
    const struct sampling_row *row = sampling_at(session, 0);
    cr_assert_eq(row->interval_ns, 10000);
    cr_assert_eq(row->flags, SERIES_BURST);
    cr_assert_eq(row->series, 10);
    conflicts_series = wavefronts_series = NONE;
    for (uint32_t i = row->first_series; i < row->first_series + row->series; i++) {
        const char *name = session_string(session, session_series(session, i)->name);
        if (strcmp(name, CONFLICTS) == 0)
            conflicts_series = i;
        if (strcmp(name, WAVEFRONTS) == 0)
            wavefronts_series = i;
    }
    cr_assert(conflicts_series != NONE && wavefronts_series != NONE);
}

static void unload(void)
{
    session_destroy(session);
}

TestSuite(bursts_hardware, .init = load, .fini = unload);

/* What samples that lie wholly in [start, end) counted. */
struct counts {
    uint64_t samples;
    double wavefronts, conflicts;
};

static void add_inside(struct counts *counts, int64_t start_ns, int64_t end_ns)
{
    for (uint64_t i = sample_find(session, 0, start_ns); i < sample_count(session, 0); i++) {
        if (sample_end_ns(session, 0, i) > end_ns)
            break;
        if (sample_start_ns(session, 0, i) < start_ns)
            continue;
        counts->samples++;
        counts->wavefronts += (double)sample_number(session, wavefronts_series, i);
        counts->conflicts += (double)sample_number(session, conflicts_series, i);
    }
}

/* The row of a kernel's run; ROWS: none. */
static size_t row_of(uint32_t kernel)
{
    const struct run_row *run = session_run(session, session_kernel(session, kernel)->run);
    const char *variant = session_string(session, run->variant),
               *params = session_string(session, run->params);
    size_t row = 0;
    while (row < ROWS && (strcmp(rows[row].variant, variant) != 0 ||
                          strncmp(rows[row].params, params, strlen(rows[row].params)) != 0))
        row++;
    return row;
}

typedef void launch_taker(void *context, uint32_t kernel, int64_t start_ns, int64_t end_ns);

static void each_launch(launch_taker *take, void *context)
{
    for (uint32_t track = 0; track < session_track_count(session); track++) {
        for (uint32_t lane = 0; lane < atomic_load(&session_track(session, track)->lane_count); lane++) {
            for (uint64_t i = 0; i < session_lane_count_events(session, track, lane); i++) {
                struct event_ref ref = {.track = track, .lane = lane, .index = i};
                struct item item = session_event_item(session, ref);
                if (item.kind == ITEM_LAUNCH)
                    take(context, item.launch.kernel, session_event_start_ns(session, ref),
                         session_event_end_ns(session, ref));
            }
        }
    }
}

static void sum_launch(void *context, uint32_t kernel, int64_t start_ns, int64_t end_ns)
{
    struct counts *counts = context;
    size_t row = row_of(kernel);
    cr_assert_lt(row, ROWS);
    add_inside(&counts[row], start_ns, end_ns);
}

Test(bursts_hardware, conflicts_rise_and_fall_with_the_right_kernels)
{
    struct counts counts[ROWS] = {0};
    each_launch(sum_launch, counts);
    for (size_t i = 0; i < ROWS; i++) {
        double share = counts[i].wavefronts > 0 ? counts[i].conflicts / counts[i].wavefronts : 0;
        cr_assert_geq(counts[i].samples, 15, "%s %s: %lu samples", rows[i].variant, rows[i].params,
                      (unsigned long)counts[i].samples);
        cr_assert(share >= rows[i].least && share <= rows[i].most, "%s %s: %.4f conflicts a wavefront",
                  rows[i].variant, rows[i].params, share);
    }
}

/* Every sample by itself: the lowest one within a conflict kernel is above the highest one within its twins.
 */
struct extremes {
    double low, high;
};

static void widen(void *context, uint32_t kernel, int64_t start_ns, int64_t end_ns)
{
    struct extremes *extremes = context;
    size_t row = row_of(kernel);
    for (uint64_t i = sample_find(session, 0, start_ns); i < sample_count(session, 0); i++) {
        double wavefronts = (double)sample_number(session, wavefronts_series, i);
        if (sample_end_ns(session, 0, i) > end_ns)
            break;
        if (sample_start_ns(session, 0, i) < start_ns || wavefronts == 0)
            continue;
        double share = (double)sample_number(session, conflicts_series, i) / wavefronts;
        if (rows[row].least > 0)
            extremes->low = fmin(extremes->low, share);
        else
            extremes->high = fmax(extremes->high, share);
    }
}

Test(bursts_hardware, no_sample_of_a_twin_reaches_one_of_a_conflict_kernel)
{
    struct extremes extremes = {.low = 1, .high = 0};
    each_launch(widen, &extremes);
    cr_assert_gt(extremes.low, 0.8, "lowest %.3f", extremes.low);
    cr_assert_lt(extremes.high, 0.2, "highest %.3f", extremes.high);
}

static void cover(void *context, uint32_t kernel, int64_t start_ns, int64_t end_ns)
{
    uint8_t *busy = context;
    (void)kernel;
    for (uint64_t i = sample_find(session, 0, start_ns); i < sample_count(session, 0); i++) {
        if (sample_start_ns(session, 0, i) >= end_ns)
            break;
        busy[i] = 1;
    }
}

Test(bursts_hardware, outside_of_kernels_nothing_is_counted)
{
    static uint8_t busy[16384];
    uint64_t outside = 0, gaps = 0;
    double wavefronts = 0;
    cr_assert_lt(sample_count(session, 0), sizeof busy);
    each_launch(cover, busy);
    for (uint64_t i = 0; i < sample_count(session, 0); i++) {
        gaps += i > 0 && sample_start_ns(session, 0, i) > sample_end_ns(session, 0, i - 1) + 1000000;
        if (busy[i])
            continue;
        outside++;
        wavefronts += (double)sample_number(session, wavefronts_series, i);
    }
    cr_assert_gt(outside, 1000);
    cr_assert_eq(wavefronts, 0, "the clocks of kernels and samples differ");
    cr_assert_eq(gaps, ROWS - 1, "a burst for each kernel");
}
