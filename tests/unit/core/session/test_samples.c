/* SPDX-License-Identifier: Apache-2.0 */
/* Samples over time: what is kept, what is refused, and columns that equal a walk over all samples, one by
 * one and in sum. */
#include "core/session/samples.h"

#include "core/session/lod.h"
#include "tests/shared/made/told_samples.h"
#include "tests/shared/oracle/random_draws.h"

#include <criterion/criterion.h>
#include <math.h>

#define COLUMNS_MAX 200
#define SERIES 3

static struct session *session_make(void)
{
    struct session *session;
    cr_assert_eq(session_create(&session, 0, NULL), STATUS_OK);
    return session;
}

static struct told_samples run_make(uint64_t count, uint64_t longest_ns)
{
    struct told_samples run = told_make(session_make(), SERIES, count, (int64_t)draw(10000) - 5000);
    while (run.count < count) {
        int64_t pause_ns = draw(3) ? 0 : draw(50) ? (int64_t)draw(longest_ns) : (int64_t)(100 * longest_ns);
        uint32_t duration_ns = (uint32_t)(1 + draw(longest_ns));
        float numbers[SERIES];
        for (uint32_t s = 0; s < SERIES; s++)
            numbers[s] = draw(40) == 0 ? NAN : draw(4) == 0 ? 0 : (float)((double)draw(1000000) / 97 - 300);
        told_add(&run, pause_ns, duration_ns, numbers);
    }
    return run;
}

static void check(const struct told_samples *run, int64_t start_ns, int64_t end_ns, size_t count)
{
    struct sample_column columns[COLUMNS_MAX];
    uint64_t edges[COLUMNS_MAX + 1];
    samples_cut(run->session, run->sampling, start_ns, end_ns, edges, count);
    for (uint32_t s = 0; s < SERIES; s++) {
        double sum = 0;
        int64_t covered_ns = 0;
        samples_columns(run->session, run->first + s, start_ns, end_ns, edges, columns, count);
        for (size_t k = 0; k < count; k++) {
            struct told_column wanted = told_walk(run, s, lod_column_start_ns(start_ns, end_ns, count, k),
                                                  lod_column_start_ns(start_ns, end_ns, count, k + 1));
            cr_assert_eq(columns[k].covered_ns, wanted.covered_ns, "column %zu of %zu", k, count);
            cr_assert_eq(columns[k].count, wanted.count, "column %zu of %zu", k, count);
            cr_assert(wanted.count == 0 || columns[k].first == wanted.first);
            if (wanted.covered_ns == 0) {
                cr_assert(isnan(columns[k].mean) && isnan(columns[k].least) && isnan(columns[k].most));
                continue;
            }
            cr_assert_float_eq(columns[k].mean, wanted.sum / (double)wanted.covered_ns,
                               1e-9 * (1 + fabs(columns[k].mean)));
            cr_assert_eq(columns[k].least, wanted.least);
            cr_assert_eq(columns[k].most, wanted.most);
            sum += columns[k].mean * (double)columns[k].covered_ns;
            covered_ns += columns[k].covered_ns;
        }
        struct told_column all = told_walk(run, s, start_ns, end_ns);
        cr_assert_eq(covered_ns, all.covered_ns);
        cr_assert_float_eq(sum, all.sum, 1e-9 * (1 + fabs(all.sum)));
        struct sample_column over = samples_over(run->session, run->first + s, start_ns, end_ns);
        cr_assert_eq(over.covered_ns, all.covered_ns);
        cr_assert_eq(over.count, all.count);
    }
}

Test(samples, columns_equal_a_walk_over_all_samples)
{
    for (int round = 0; round < 40; round++) {
        struct told_samples run = run_make(1 + draw(round % 4 ? 700 : 6000), 1 + draw(round % 3 ? 1000 : 3));
        int64_t first_ns = run.start_ns[0], span_ns = run.end_ns[run.count - 1] - first_ns;
        check(&run, first_ns - 100, first_ns + span_ns + 100, COLUMNS_MAX);
        for (int window = 0; window < 6; window++) {
            int64_t start_ns = first_ns - 50 + (int64_t)draw((uint64_t)span_ns + 100);
            check(&run, start_ns, start_ns + 1 + (int64_t)draw((uint64_t)span_ns / (1 + draw(200)) + 2),
                  1 + draw(COLUMNS_MAX));
        }
        told_free(&run);
    }
}

Test(samples, all_levels_of_nodes_are_used)
{
    struct told_samples run = run_make(300000, 5);
    int64_t first_ns = run.start_ns[0], last_ns = run.end_ns[run.count - 1];
    check(&run, first_ns, last_ns, 3);
    check(&run, first_ns + 1, last_ns - 1, 7);
    told_free(&run);
}

Test(samples, that_overlap_are_cut_and_late_ones_left_out)
{
    struct session *session = session_make();
    uint32_t sampling = told_sampling(session, 1);
    struct samples_lost lost;
    const float one = 1, two = 2;
    cr_assert_eq(sample_add(session, sampling, 100, 50, &one), SAMPLE_ADDED);
    cr_assert_eq(sample_add(session, sampling, 149, 11, &two), SAMPLE_CUT);
    cr_assert_eq(sample_add(session, sampling, 120, 40, &two), SAMPLE_LATE);
    cr_assert_eq(sample_add(session, sampling, 160, 0, &two), SAMPLE_REFUSED);
    cr_assert_eq(sample_add(session, sampling, SESSION_TIME_MAX_NS, 1, &two), SAMPLE_REFUSED);
    cr_assert_eq(sample_add(session, sampling + 1, 200, 1, &two), SAMPLE_REFUSED);
    cr_assert_eq(sample_count(session, sampling), 2);
    cr_assert_eq(sample_start_ns(session, sampling, 1), 150);
    cr_assert_eq(sample_end_ns(session, sampling, 1), 160);
    samples_lost(session, &lost);
    cr_assert(lost.cut == 1 && lost.late == 1 && lost.refused == 3);
    session_destroy(session);
}

Test(samples, of_numbers_that_are_none_are_not_there)
{
    struct session *session = session_make();
    uint32_t sampling = told_sampling(session, 2);
    const float numbers[] = {INFINITY, 4};
    sample_add(session, sampling, 0, 10, numbers);
    cr_assert(isnan(sample_number(session, 0, 0)));
    cr_assert_eq(sample_number(session, 1, 0), 4);
    struct sample_column none = samples_over(session, 0, 0, 10), four = samples_over(session, 1, 0, 10);
    cr_assert(none.covered_ns == 0 && none.count == 1);
    cr_assert(four.covered_ns == 10 && four.mean == 4);
    session_destroy(session);
}

/* As a count per second a float does not hold it. */
Test(samples, of_numbers_too_large_are_not_there)
{
    struct session *session = session_make();
    uint32_t sampling = told_sampling(session, 3);
    const float numbers[] = {3e38f, -3e38f, 3e38f};
    for (int i = 0; i < 20; i++)
        sample_add(session, sampling, i * 10, 10, numbers);
    cr_assert(isnan(sample_value(session, 2, 0)) && sample_number(session, 2, 0) == 3e38f);
    cr_assert_eq(samples_over(session, 2, 0, 200).covered_ns, 0);
    cr_assert_float_eq(samples_over(session, 0, 0, 200).mean, (double)3e38f, 1e30);
    cr_assert_float_eq(samples_over(session, 1, 3, 157).mean, -(double)3e38f, 1e30);
    session_destroy(session);
}

Test(samples, a_sampling_is_refused_that_has_no_series_or_too_many)
{
    struct session *session = session_make();
    uint32_t names[SAMPLING_SERIES_MAX + 1] = {0};
    struct sampling_row row = {.series = 0};
    cr_assert_eq(sampling_add(session, &row, names), NONE);
    row.series = SAMPLING_SERIES_MAX + 1;
    cr_assert_eq(sampling_add(session, &row, names), NONE);
    row = (struct sampling_row){.series = 1, .clock = CLOCK_COUNT};
    cr_assert_eq(sampling_add(session, &row, names), NONE);
    cr_assert_eq(session_series_count(session), 0);
    session_destroy(session);
}

Test(samples, say_how_far_time_is_known)
{
    struct session *session = session_make();
    uint32_t sampling = told_sampling(session, 1);
    const float number = 1;
    sample_add(session, sampling, 1000, 10, &number);
    cr_assert_eq(session_first_ns(session, CLOCK_WALL), 1000);
    cr_assert_eq(session_now_ns(session, CLOCK_WALL), 1010);
    session_destroy(session);
}
