/* SPDX-License-Identifier: Apache-2.0 */
/* Series and samples as a process sends them: grouped, put together, in order of time, and not trusted. */
#include "core/session/samples.h"
#include "tests/shared/made/feed.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

static void series(struct feed *feed, uint32_t id, uint32_t interval_ns)
{
    feed_send(feed, (struct event){.kind = EVENT_SERIES,
                                   .series = {.id = id, .name = 1, .interval_ns = interval_ns}});
}

static struct event sample(int64_t start_ns, uint32_t duration_ns, uint32_t first, uint32_t count,
                           float number)
{
    struct event event = {
        .kind = EVENT_SAMPLE,
        .sample = {.start_ns = ZERO_NS + start_ns, .duration_ns = duration_ns, .first = first}};
    for (uint32_t i = 0; i < SAMPLE_NUMBERS; i++)
        event.sample.numbers[i] = i < count ? number + (float)i : NAN;
    return event;
}

static struct feed open_with(uint32_t count)
{
    struct feed feed = feed_open();
    feed_string(&feed, 1, "dram__read_throughput.avg.pct_of_peak_sustained_elapsed");
    for (uint32_t id = 1; id <= count; id++)
        series(&feed, id, 1000000);
    return feed;
}

Test(intake_samples, of_twelve_series_are_one_sampling)
{
    struct feed feed = open_with(12);
    for (int64_t i = 0; i < 5; i++) {
        feed_send(&feed, sample(i * 1000, 1000, 1, 10, 100));
        feed_send(&feed, sample(i * 1000, 1000, 11, 2, 200));
    }
    feed_watermark(&feed, 10000);
    cr_assert_eq(sampling_count(feed.session), 1);
    cr_assert_eq(session_series_count(feed.session), 12);
    cr_assert_eq(sample_count(feed.session, 0), 5);
    cr_assert_eq(sample_start_ns(feed.session, 0, 4), 4000);
    cr_assert_eq(sample_number(feed.session, 0, 4), 100);
    cr_assert_eq(sample_number(feed.session, 9, 4), 109);
    cr_assert_eq(sample_number(feed.session, 11, 4), 201);
    cr_assert_eq(feed_stats(&feed).malformed, 0);
    feed_close(&feed);
}

Test(intake_samples, come_in_any_order_between_watermarks)
{
    struct feed feed = open_with(1);
    for (int64_t i = 10; i-- > 0;)
        feed_send(&feed, sample(i * 100, 100, 1, 1, (float)i));
    feed_watermark(&feed, 5000);
    cr_assert_eq(sample_count(feed.session, 0), 10);
    for (uint64_t i = 0; i < 10; i++)
        cr_assert_eq(sample_number(feed.session, 0, i), (float)i);
    feed_send(&feed, sample(300, 100, 1, 1, 7));
    feed_watermark(&feed, 6000);
    struct samples_lost lost;
    samples_lost(feed.session, &lost);
    cr_assert_eq(lost.late, 1);
    feed_close(&feed);
}

Test(intake_samples, after_a_restart_are_of_another_sampling)
{
    struct feed feed = open_with(2);
    feed_send(&feed, sample(0, 1000, 1, 2, 1));
    series(&feed, 3, 2000000);
    series(&feed, 4, 2000000);
    feed_send(&feed, sample(1000, 2000, 3, 2, 5));
    feed_watermark(&feed, 5000);
    cr_assert_eq(sampling_count(feed.session), 2);
    cr_assert_eq(sampling_at(feed.session, 0)->series, 2);
    cr_assert_eq(sampling_at(feed.session, 1)->interval_ns, 2000000);
    cr_assert_eq(sample_number(feed.session, 3, 0), 6);
    feed_close(&feed);
}

/* Also when they are alike: what is sampled already is not joined. */
Test(intake_samples, that_are_announced_later_are_of_another_sampling)
{
    struct feed feed = open_with(2);
    feed_send(&feed, sample(0, 1000, 1, 2, 1));
    series(&feed, 3, 1000000);
    feed_send(&feed, sample(500, 1000, 3, 1, 5));
    feed_watermark(&feed, 5000);
    cr_assert_eq(sampling_count(feed.session), 2);
    cr_assert_eq(sampling_at(feed.session, 1)->series, 1);
    cr_assert_eq(session_series_count(feed.session), 3);
    cr_assert_eq(sample_start_ns(feed.session, 1, 0), 500);
    feed_close(&feed);
}

Test(intake_samples, announced_again_with_another_interval_begin_anew)
{
    struct feed feed = open_with(2);
    feed_send(&feed, sample(0, 1000, 1, 2, 1));
    feed_watermark(&feed, 1500);
    series(&feed, 1, 2000000);
    series(&feed, 2, 2000000);
    feed_send(&feed, sample(2000, 2000, 1, 2, 5));
    feed_watermark(&feed, 5000);
    cr_assert_eq(sampling_count(feed.session), 2);
    cr_assert_eq(sample_count(feed.session, 0), 1);
    cr_assert_eq(sample_number(feed.session, 3, 0), 6);
    feed_close(&feed);
}

Test(intake_samples, of_which_a_part_is_missing_are_kept)
{
    struct feed feed = open_with(12);
    feed_send(&feed, sample(0, 1000, 1, 10, 1));
    feed_send(&feed, sample(1000, 1000, 11, 2, 2));
    feed_watermark(&feed, 5000);
    cr_assert_eq(sample_count(feed.session, 0), 2);
    cr_assert(isnan(sample_number(feed.session, 11, 0)));
    cr_assert(isnan(sample_number(feed.session, 0, 1)));
    cr_assert_eq(sample_number(feed.session, 10, 1), 2);
    feed_close(&feed);
}

Test(intake_samples, that_make_no_sense_are_counted)
{
    struct feed feed = open_with(2);
    feed_send(&feed, sample(0, 0, 1, 1, 1));  /* no duration */
    feed_send(&feed, sample(0, 10, 0, 1, 1)); /* no such series */
    feed_send(&feed, sample(0, 10, 3, 1, 1)); /* nor this */
    feed_send(&feed, sample(0, 10, 1, 3, 1)); /* a number of a series that is not there */
    feed_send(&feed, sample(0, 10, UINT32_MAX, 2, 1));
    struct event late = sample(0, UINT32_MAX, 1, 1, 1);
    late.sample.start_ns = INT64_MAX - 5;
    feed_send(&feed, late);
    series(&feed, 0, 5);                                                                     /* no id */
    feed_send(&feed, (struct event){.kind = EVENT_SERIES, .series = {.id = 9, .name = 77}}); /* no name */
    cr_assert_eq(feed_stats(&feed).malformed, 8, "%d", (int)feed_stats(&feed).malformed);
    feed_watermark(&feed, 5000);
    cr_assert_eq(sampling_count(feed.session), 0);
    feed_close(&feed);
}

/* In place of series: a sentence. It waits for no sample, and is of no sampling with its neighbours. */
Test(intake_samples, that_cannot_be_taken_say_why)
{
    struct feed feed = open_with(2);
    feed_string(&feed, 2, "You may not read the GPU's counters.");
    for (uint32_t id = 3; id <= 4; id++)
        feed_send(&feed, (struct event){.kind = EVENT_SERIES,
                                        .flags = SERIES_CANNOT,
                                        .series = {.id = id, .name = 2, .interval_ns = 1000000}});
    feed_watermark(&feed, 5000);
    cr_assert_eq(sampling_count(feed.session), 2);
    for (uint32_t i = 0; i < 2; i++) {
        cr_assert(sampling_at(feed.session, i)->series == 1 &&
                  session_series(feed.session, i)->sampling == i);
        cr_assert_eq(session_series(feed.session, i)->flags, SERIES_CANNOT);
        cr_assert_str_eq(session_string(feed.session, session_series(feed.session, i)->name),
                         "You may not read the GPU's counters.");
    }
    feed_send(&feed, sample(0, 1000, 1, 2, 1));
    feed_watermark(&feed, 9000);
    cr_assert_eq(sampling_at(feed.session, 2)->series, 2);
    cr_assert_eq(feed_stats(&feed).malformed, 0);
    feed_close(&feed);
}

/* Whatever comes: memory stays bounded and what is taken in is in order. */
Test(intake_samples, of_a_stranger_harm_nothing)
{
    struct feed feed = feed_open();
    unsigned seed = 7;
    feed_string(&feed, 1, "x");
    for (int i = 0; i < 60000; i++) {
        int r = rand_r(&seed) % 100;
        uint32_t id = (uint32_t)(rand_r(&seed) % (r < 3 ? 100000 : 40));
        if (r < 20)
            feed_send(&feed, (struct event){.kind = EVENT_SERIES,
                                            .flags = (uint8_t)rand_r(&seed),
                                            .device = (uint16_t)(rand_r(&seed) % 3),
                                            .series = {.id = id,
                                                       .name = (uint32_t)(rand_r(&seed) % 8 != 0),
                                                       .interval_ns = (uint32_t)rand_r(&seed) % 3}});
        else if (r < 99)
            feed_send(&feed, sample(rand_r(&seed) % 100000, (uint32_t)(rand_r(&seed) % 500), id,
                                    (uint32_t)rand_r(&seed) % 12, (float)r));
        else
            feed_watermark(&feed, i * 2);
    }
    feed_watermark(&feed, 200000);
    uint32_t series_seen = 0;
    for (uint32_t s = 0; s < sampling_count(feed.session); s++) {
        cr_assert_eq(sampling_at(feed.session, s)->first_series, series_seen);
        series_seen += sampling_at(feed.session, s)->series;
        for (uint64_t i = 1; i < sample_count(feed.session, s); i++)
            cr_assert_geq(sample_start_ns(feed.session, s, i), sample_end_ns(feed.session, s, i - 1));
    }
    cr_assert_eq(series_seen, session_series_count(feed.session));
    cr_assert_gt(feed_stats(&feed).malformed, 0);
    feed_close(&feed);
}
