/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples become coarser over a memory limit: what was sampled and what was not stays exact to the ns,
 * columns between ends of units hold what a walk over all samples finds, any column what lies between that of
 * the units it touches; nothing leaves that no recording has, nothing is freed under a reader.
 */
#include "core/session/lod.h"
#include "core/session/samples.h"
#include "tests/shared/made/told_samples.h"
#include "tests/shared/oracle/random_draws.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SERIES 4u /* TOLD_COUNTS: counts; 3: mostly not there */
#define CHUNK 4096u
#define COLUMNS 97

/* How samples follow each other. */
struct shape {
    uint32_t longest_ns;
    uint64_t gap_every; /* a gap before one of so many; 0: none */
    bool varies;        /* durations */
};

static struct told_samples run_make(uint64_t room, size_t limit, bool recorded)
{
    struct session *session;
    cr_assert_eq(session_create(&session, 0, NULL), STATUS_OK);
    if (limit > 0)
        session_set_memory_limit(session, session_memory_bytes(session) + limit, recorded);
    return told_make(session, SERIES, room, (int64_t)draw(100000) - 50000);
}

static void run_add(struct told_samples *run, uint64_t samples, struct shape shape)
{
    for (uint64_t i = 0; i < samples; i++) {
        float numbers[SERIES];
        int64_t pause_ns = 0;
        uint32_t duration_ns = shape.varies ? 1 + (uint32_t)draw(shape.longest_ns) : shape.longest_ns;
        for (uint32_t s = 0; s < SERIES; s++)
            numbers[s] = draw(s == 3 ? 2 : 60) == 0 ? NAN : (float)((double)draw(1000000) / 97 - 300);
        if (shape.gap_every > 0 && draw(shape.gap_every) == 0)
            pause_ns = 1 + (int64_t)draw(draw(20) == 0 ? 9000000000 : 3 * (uint64_t)shape.longest_ns);
        told_add(run, pause_ns, duration_ns, numbers);
    }
}

static void check_equal(const struct told_samples *run, uint32_t series, int64_t from_ns, int64_t to_ns)
{
    struct sample_column found = samples_over(run->session, run->first + series, from_ns, to_ns);
    struct told_column wanted = told_walk(run, series, from_ns, to_ns);
    cr_assert_eq(found.covered_ns, wanted.covered_ns, "%ld, not %ld", (long)found.covered_ns,
                 (long)wanted.covered_ns);
    if (wanted.covered_ns == 0)
        return;
    cr_assert_float_eq(found.mean * (double)found.covered_ns, wanted.sum, 1e-9 * (1 + fabs(wanted.sum)));
    cr_assert(found.least == wanted.least && found.most == wanted.most);
}

static uint64_t some_sample(const struct told_samples *run)
{
    return draw(draw(2) == 0 ? run->count : run->count / 4 + 1);
}

static struct sample_span span_of(const struct told_samples *run, uint64_t index)
{
    return sample_span(run->session, run->sampling, index);
}

/* Columns of any window: they add up, are blank where nothing was sampled, and each is within its units. */
static void check_columns(const struct told_samples *run, uint32_t series, int64_t from_ns, int64_t to_ns)
{
    struct sample_column columns[COLUMNS];
    uint64_t edges[COLUMNS + 1];
    double sum = 0;
    int64_t covered_ns = 0;
    samples_cut(run->session, run->sampling, from_ns, to_ns, edges, COLUMNS);
    samples_columns(run->session, run->first + series, from_ns, to_ns, edges, columns, COLUMNS);
    for (size_t k = 0; k < COLUMNS; k++) {
        int64_t left_ns = lod_column_start_ns(from_ns, to_ns, COLUMNS, k);
        int64_t right_ns = lod_column_start_ns(from_ns, to_ns, COLUMNS, k + 1);
        struct told_column here = told_walk(run, series, left_ns, right_ns);
        cr_assert_eq(columns[k].count > 0, here.sampled_ns > 0, "column %zu", k);
        cr_assert_leq(columns[k].covered_ns, here.sampled_ns);
        if (series != 3 && here.covered_ns == here.sampled_ns && columns[k].folded == 0)
            cr_assert_eq(columns[k].covered_ns, here.covered_ns);
        if (columns[k].covered_ns > 0) {
            sum += columns[k].mean * (double)columns[k].covered_ns;
            covered_ns += columns[k].covered_ns;
            cr_assert(columns[k].mean >= (double)columns[k].least - 1e-3 &&
                      columns[k].mean <= (double)columns[k].most + 1e-3);
        }
        if (columns[k].count == 0 || columns[k].folded == 0)
            continue;
        /* The highest that is shown is that of some sample of the units that are touched. */
        struct sample_span first = span_of(run, columns[k].first);
        struct sample_span last = span_of(run, columns[k].first + columns[k].count - 1);
        struct told_column units = told_walk(run, series, first.start_ns, last.end_ns);
        cr_assert_leq(columns[k].covered_ns, units.covered_ns);
        if (columns[k].covered_ns > 0)
            cr_assert(columns[k].least >= units.least && columns[k].most <= units.most);
        if (here.covered_ns > 0 && columns[k].covered_ns == here.covered_ns)
            cr_assert(columns[k].least <= here.least && columns[k].most >= here.most);
    }
    struct sample_column all = samples_over(run->session, run->first + series, from_ns, to_ns);
    cr_assert_eq(covered_ns, all.covered_ns);
    cr_assert(all.covered_ns == 0 ||
              fabs(sum - all.mean * (double)all.covered_ns) <= 1e-9 * (1 + fabs(sum)) * COLUMNS);
}

Test(samples_fold, what_columns_hold_equals_a_walk_over_all_samples)
{
    static const struct shape shapes[] = {
        {.longest_ns = 1000},
        {.longest_ns = 1000, .gap_every = 300},
        {.longest_ns = 50, .gap_every = 40, .varies = true},
        {.longest_ns = 1, .gap_every = 5000},
        {.longest_ns = 4000000000, .gap_every = 1000, .varies = true},
    };
    random_state = 20261121;
    for (size_t t = 0; t < sizeof shapes / sizeof shapes[0]; t++) {
        struct told_samples run = run_make(20 * CHUNK, 150000 + draw(900000), false);
        run_add(&run, 8 * CHUNK + draw(8 * CHUNK), shapes[t]);
        cr_assert_gt(span_of(&run, 0).count, 1, "nothing was folded of %zu", t);
        for (uint32_t s = 0; s < SERIES; s++) {
            check_equal(&run, s, run.start_ns[0] - 5, run.end_ns[run.count - 1] + 5);
            for (int w = 0; w < 25; w++) {
                struct sample_span a = span_of(&run, some_sample(&run)), b = span_of(&run, some_sample(&run));
                check_equal(&run, s, a.start_ns < b.start_ns ? a.start_ns : b.start_ns,
                            a.end_ns > b.end_ns ? a.end_ns : b.end_ns);
            }
            for (int w = 0; w < 4; w++) {
                int64_t from_ns = run.start_ns[some_sample(&run)] - 7 + (int64_t)draw(14);
                uint64_t whole_ns = (uint64_t)(run.end_ns[run.count - 1] - from_ns) + 50;
                check_columns(&run, s, from_ns, from_ns + 1 + (int64_t)draw(whole_ns / (1 + draw(300)) + 1));
            }
        }
        told_free(&run);
    }
}

/* Blank stays blank: every gap is where it was, to the ns, and no unit goes over one. */
Test(samples_fold, gaps_stay_where_they_are)
{
    random_state = 3;
    struct told_samples run = run_make(14 * CHUNK, 200000, false);
    run_add(&run, 14 * CHUNK - 1000, (struct shape){.longest_ns = 100, .gap_every = 200, .varies = true});
    uint64_t gaps = 0, folded = 0;
    for (uint64_t i = 1; i < run.count; i++) {
        if (run.start_ns[i] == run.end_ns[i - 1])
            continue;
        gaps++;
        folded += span_of(&run, i).count > 1;
        cr_assert_eq(sample_end_ns(run.session, run.sampling, i - 1), run.end_ns[i - 1]);
        cr_assert_eq(sample_start_ns(run.session, run.sampling, i), run.start_ns[i]);
        cr_assert_eq(span_of(&run, i).first, i);
        cr_assert_eq(sample_find(run.session, run.sampling, run.end_ns[i - 1]), i);
        cr_assert_eq(samples_over(run.session, run.first, run.end_ns[i - 1], run.start_ns[i]).count, 0);
    }
    cr_assert(gaps > 100 && folded > 100, "%lu gaps, %lu folded", (unsigned long)gaps, (unsigned long)folded);
    told_free(&run);
}

Test(samples_fold, what_is_left_is_in_order_and_found)
{
    random_state = 9;
    struct told_samples run = run_make(14 * CHUNK, 250000, false);
    run_add(&run, 12 * CHUNK, (struct shape){.longest_ns = 3, .gap_every = 500, .varies = true});
    int64_t before_ns = INT64_MIN;
    uint64_t longest = 0;
    double count = 0, wanted = 0;
    for (uint64_t i = 0; i < run.count; i++) {
        int64_t start_ns = sample_start_ns(run.session, run.sampling, i);
        int64_t end_ns = sample_end_ns(run.session, run.sampling, i);
        struct sample_span span = span_of(&run, i);
        cr_assert(start_ns >= before_ns && end_ns > start_ns, "sample %lu", (unsigned long)i);
        cr_assert(span.first <= i && i < span.first + span.count && span.start_ns <= start_ns &&
                  span.end_ns >= end_ns);
        cr_assert_eq(span.start_ns, run.start_ns[span.first]);
        cr_assert_eq(span.end_ns, run.end_ns[span.first + span.count - 1]);
        cr_assert_eq(sample_find(run.session, run.sampling, start_ns), i);
        cr_assert_eq(sample_find(run.session, run.sampling, end_ns - 1), i);
        if (span.count == 1)
            cr_assert(start_ns == run.start_ns[i] && end_ns == run.end_ns[i]);
        longest = span.count > longest ? span.count : longest;
        before_ns = end_ns;
        float number = sample_number(run.session, run.first + 1, i);
        count += isnan(number) ? 0 : (double)number * (double)(end_ns - start_ns);
        float told = run.numbers[i * SERIES + 1];
        wanted += isnan(told) ? 0 : (double)told * (double)(run.end_ns[i] - run.start_ns[i]);
    }
    cr_assert(longest >= 64 && longest <= CHUNK, "%lu", (unsigned long)longest);
    cr_assert_float_eq(count, wanted, 0.02 * fabs(wanted)); /* missing ones spread the mean over their unit */
    cr_assert_gt(session_samples_folded_until_ns(run.session, CLOCK_WALL), run.start_ns[CHUNK]);
    cr_assert_eq(session_samples_folded_until_ns(run.session, CLOCK_MODEL), INT64_MIN);
    cr_assert_eq(session_folded_until_ns(run.session, CLOCK_WALL), INT64_MIN, "no event has left");
    told_free(&run);
}

/* However many come: over the limit by what it takes to look again, and the chunks that nothing may leave of.
 */
Test(samples_fold, memory_stays_below_the_limit)
{
    random_state = 8;
    static const float numbers[SERIES] = {1, 2, 3, 4};
    struct told_samples run = run_make(1, 0, false);
    size_t limit = 1500000;
    session_set_memory_limit(run.session, limit, false);
    for (uint64_t i = 0; i < 240 * (uint64_t)CHUNK; i++) {
        sample_add(run.session, run.sampling, (int64_t)i * 1000, i % 9999 == 0 ? 900 : 1000, numbers);
        if (i % CHUNK == 0)
            cr_assert_lt(session_memory_bytes(run.session), limit * 17 / 16 + 200000, "at %lu",
                         (unsigned long)i);
    }
    uint64_t last = sample_count(run.session, run.sampling) - 1;
    cr_assert_eq(span_of(&run, last - 3 * CHUNK).count, 1, "more was folded than had to");
    cr_assert_gt(span_of(&run, 120 * (uint64_t)CHUNK).count, 1);
    struct sample_column all = samples_over(run.session, run.first + 1, 0, (int64_t)(last + 1) * 1000);
    cr_assert_float_eq(all.mean, 2, 1e-9);
    cr_assert_eq(all.covered_ns, (int64_t)(last + 1) * 1000 - (int64_t)(last / 9999 + 1) * 100);
    told_free(&run);
}

/* Where samples never follow each other nothing can be summed up: it must not take more than it did. */
Test(samples_fold, samples_that_stand_alone_stay)
{
    random_state = 8;
    struct told_samples run = run_make(12 * CHUNK, 300000, false), free_run = run_make(12 * CHUNK, 0, false);
    run_add(&run, 10 * CHUNK, (struct shape){.longest_ns = 10, .gap_every = 1});
    run_add(&free_run, 10 * CHUNK, (struct shape){.longest_ns = 10, .gap_every = 1});
    cr_assert_leq(session_memory_bytes(run.session), session_memory_bytes(free_run.session));
    check_equal(&run, 0, run.start_ns[5000], run.start_ns[9000]);
    for (uint64_t i = 0; i < run.count; i += 117)
        cr_assert_eq(sample_end_ns(run.session, run.sampling, i), run.end_ns[i]);
    told_free(&free_run);
    told_free(&run);
}

Test(samples_fold, waits_for_the_recording)
{
    random_state = 8;
    struct told_samples run = run_make(20 * CHUNK, 300000, true);
    run_add(&run, 4 * CHUNK, (struct shape){.longest_ns = 10});
    cr_assert_eq(span_of(&run, 0).count, 1);
    session_set_samples_recorded(run.session, run.sampling, 2 * CHUNK + 7);
    run_add(&run, CHUNK, (struct shape){.longest_ns = 10});
    cr_assert_gt(span_of(&run, 2 * CHUNK - 1).count, 1);
    cr_assert_eq(span_of(&run, 2 * CHUNK).count, 1);
    /* The disk is full: memory stays bounded all the same. */
    cr_assert(session_is_recorded(run.session));
    session_end_recording(run.session);
    cr_assert(!session_is_recorded(run.session));
    run_add(&run, CHUNK, (struct shape){.longest_ns = 10});
    cr_assert_gt(span_of(&run, 3 * CHUNK).count, 1);
    told_free(&run);
}

Test(samples_fold, frees_nothing_that_is_held)
{
    random_state = 8;
    struct told_samples run = run_make(12 * CHUNK, 300000, false);
    unsigned hold = session_hold(run.session);
    run_add(&run, 8 * CHUNK, (struct shape){.longest_ns = 10, .gap_every = 100});
    cr_assert_gt(span_of(&run, 0).count, 1);
    cr_assert_gt(session_memory_bytes(run.session), 8 * CHUNK * 4 * SERIES);
    session_let_go(run.session, hold);
    run_add(&run, 2 * CHUNK, (struct shape){.longest_ns = 10});
    cr_assert_lt(session_memory_bytes(run.session), 8 * CHUNK * 4 * SERIES);
    told_free(&run);
}

/* Events and samples share the limit, the oldest of both leave first. */
Test(samples_fold, events_and_samples_share_the_limit)
{
    random_state = 8;
    struct told_samples run = run_make(64 * CHUNK, 2500000, false);
    struct track_row row = {.kind = TRACK_STREAM, .stream = 1};
    uint32_t track = session_add_track(run.session, &row);
    size_t limit = session_memory_bytes(run.session) + 2500000;
    for (int64_t at = 0; at < 60 * (int64_t)CHUNK; at++) {
        struct item item = {.kind = ITEM_LAUNCH};
        const float numbers[SERIES] = {1, 2, 3, 4};
        cr_assert(session_add_event(run.session, track, at * 10, at * 10 + 5, &item));
        sample_add(run.session, run.sampling, at * 10, 10, numbers);
        cr_assert_lt(session_memory_bytes(run.session), limit * 17 / 16 + 400000);
    }
    int64_t events_ns = session_folded_until_ns(run.session, CLOCK_WALL);
    int64_t samples_ns = session_samples_folded_until_ns(run.session, CLOCK_WALL);
    cr_assert(events_ns > 0 && samples_ns > 0);
    cr_assert_leq(llabs(events_ns - samples_ns), 10 * 10 * (int64_t)CHUNK);
    told_free(&run);
}
