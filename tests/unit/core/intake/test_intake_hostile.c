/* SPDX-License-Identifier: Apache-2.0 */
/* Intake: what makes no sense is counted, noise does not break it, and memory is bounded. */
#include "tests/shared/made/feed.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

Test(intake_hostile, counts_what_makes_no_sense)
{
    struct feed feed = feed_open();
    struct event bad[] = {
        feed_kernel(300, 200, 1, 1),                                     /* ends before it starts */
        feed_kernel(-ZERO_NS, 200, 1, 1),                                /* no time stamp */
        feed_kernel(INT64_MAX - ZERO_NS - 1, INT64_MAX - ZERO_NS, 1, 1), /* in three hundred years */
        feed_kernel(100, (int64_t)50 * 365 * 86400 * 1000000000, 1, 1),  /* in fifty years */
        {.kind = EVENT_BLOB_DATA},
        {.kind = 200},
        {.kind = EVENT_NONE},
        {.kind = EVENT_VALUE, .value = {.measurement = 3}},
        {.kind = EVENT_RUN_END, .run = {.id = 3}},
        {.kind = EVENT_EXPECTED, .expected = {.run = 3}},
        {.kind = EVENT_SHAPE, .shape = {.id = 0}},
        {.kind = EVENT_BLOB, .blob = {.type = BLOB_STRING, .id = 1, .size_bytes = 3}}, /* without its bytes */
        {.kind = EVENT_WATERMARK, .watermark = {.time_ns = INT64_MIN}},
        {.kind = EVENT_DROPPED, .dropped = {.time_ns = ZERO_NS, .kind = 1000}},
        {.kind = EVENT_NOTICE, .notice = {.time_ns = ZERO_NS, .text = 9}},
        {.kind = EVENT_STACK, .stack = {.id = 1, .name = 9}},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        feed_send(&feed, bad[i]);
        cr_assert_eq(feed_stats(&feed).malformed, i + 1, "event %d", (int)i);
    }
    /* A shape nobody announced: the time is true, so it is drawn; the name is not known. */
    feed_send(&feed, feed_kernel(100, 200, 1, 1));
    feed_watermark(&feed, 1000);
    cr_assert_eq(session_launch_count(feed.session), 1);
    cr_assert_eq(feed_item(&feed, feed_track(&feed, TRACK_STREAM, 0), 0, 0).launch.kernel, NONE);
    feed_close(&feed);
}

/* Random bytes as events, many of them plausible enough to get far. */
Test(intake_hostile, survives_noise)
{
    struct feed feed = feed_open();
    uint64_t state = 88172645463325252u;
    uint8_t blob[WIRE_BLOB_MAX_BYTES];
    memset(blob, 'x', sizeof blob);
    for (int i = 0; i < 300000; i++) {
        struct event event;
        uint64_t words[8];
        for (size_t w = 0; w < 8; w++) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            words[w] = w > 0 && state % 3 == 0   ? state % 50
                       : w > 0 && state % 3 == 1 ? (uint64_t)ZERO_NS + state % 5000000000
                                                 : state;
        }
        memcpy(&event, words, sizeof event);
        event.kind = (uint8_t)(words[0] % (EVENT_KIND_COUNT + 1));
        event.device %= 3;
        intake_event(feed.intake, &event, event.kind == EVENT_BLOB && words[7] % 4 > 0 ? blob : NULL);
    }
    intake_finish(feed.intake);
    struct intake_stats stats = feed_stats(&feed);
    cr_assert_eq(stats.events, 300000);
    cr_assert_eq(stats.held, 0);
    cr_assert_gt(session_event_count(feed.session), 1000, "the noise must reach the tracks");
    cr_assert_gt(stats.malformed, 1000);
    feed_close(&feed);
}

/* What waits to be published is part of the session's memory, and all of it returns; once half of the limit
 * is in use, events do not wait any longer. */
Test(intake_hostile, what_waits_is_counted_and_bounded)
{
    struct feed feed = feed_open();
    const size_t limit = 32 << 20; /* the calls to be joined take 5 MB */
    session_set_memory_limit(feed.session, limit, false);
    uint32_t waiting = 0;
    for (uint32_t i = 1; i <= 200000; i++) { /* newest first: without a watermark all wait */
        size_t before = session_memory_bytes(feed.session);
        feed_send(&feed, feed_kernel(100000000 - i, 100000001 - i, i, 1));
        waiting = (uint32_t)feed_stats(&feed).held;
        if (i == 5000)
            cr_assert_eq(waiting, i, "%u wait of %u", waiting, i);
        if ((i & (i - 1)) == 0 && i >= 2048 && waiting > i / 2)
            cr_assert_geq(session_memory_bytes(feed.session), i * sizeof(struct event), "%u wait, before %zu",
                          waiting, before);
    }
    cr_assert(waiting >= 4096 && waiting * sizeof(struct event) <= limit / 2, "%u wait", waiting);
    cr_assert_leq(session_memory_bytes(feed.session), limit * 17 / 16);
    size_t with = session_memory_bytes(feed.session);
    intake_destroy(feed.intake);
    feed.intake = NULL;
    cr_assert_leq(session_memory_bytes(feed.session) + waiting * sizeof(struct event), with);
    cr_assert(session_has_room_beside(feed.session, limit / 2), "not all has returned");
    feed_close(&feed);
}

/* Texts are never evicted. Three processes that send a million each have room for 64 MB together, under a
 * limit of 1 MB; what is refused is counted. */
static void texts_are_bounded(char first)
{
    static char text[4096];
    struct feed feeds[3] = {feed_open()};
    struct error error;
    session_set_memory_limit(feeds[0].session, 1 << 20, false);
    for (uint32_t f = 1; f < 3; f++) {
        feeds[f] = feeds[0];
        cr_assert_eq(intake_create(&feeds[f].intake, feeds[0].session, feeds[0].process, NONE, &error),
                     STATUS_OK);
    }
    memset(text, 'a', sizeof text - 1);
    for (uint32_t i = 0; i < 3 * 10000; i++) {
        snprintf(text, 12, "%010u", (unsigned)i);
        text[0] = first;
        text[10] = 'a';
        feed_string(&feeds[i % 3], 100 + i / 3, text);
    }
    cr_assert_lt(session_memory_bytes(feeds[0].session), (size_t)80 << 20);
    cr_assert_gt(feed_stats(&feeds[2]).malformed, 1000);
    intake_destroy(feeds[1].intake);
    intake_destroy(feeds[2].intake);
    feed_close(&feeds[0]);
}

Test(intake_hostile, texts_of_all_processes_are_bounded)
{
    texts_are_bounded('0');
}

/* They wait in each connection until one is used for anything but a source file. */
Test(intake_hostile, paths_of_all_processes_are_bounded)
{
    texts_are_bounded('/');
}

Test(intake_hostile, is_bounded)
{
    struct feed feed = feed_open();
    for (uint32_t i = 0; i < 200000;
         i++) { /* ids spread over all 32 bits, ranges that never end, a thread for each */
        struct event begin = feed_range(EVENT_RANGE_BEGIN, i, (uint64_t)i * 0x9e3779b97f4a7c15u);
        begin.range.thread = i * 2654435761u;
        feed_send(&feed, begin);
        struct event work = feed_kernel(i, i + 10, i, i * 2654435761u);
        feed_send(&feed, work);
        struct event string = {.kind = EVENT_BLOB,
                               .blob = {.type = BLOB_STRING, .id = i * 2654435761u, .size_bytes = 4}};
        intake_event(feed.intake, &string, (const uint8_t *)&i);
    }
    feed_watermark(&feed, 1000000000);
    cr_assert_leq(session_track_count(feed.session), 2u << 14);
    cr_assert_eq(feed_stats(&feed).unkept[EVENT_KERNEL], 200000 - (1u << 14), "those of further streams");
    cr_assert_eq(feed_stats(&feed).refused[EVENT_KERNEL], 0, "their times are possible");
    cr_assert_lt(session_memory_bytes(feed.session), (size_t)300 << 20);
    intake_finish(feed.intake);
    cr_assert_lt(session_memory_bytes(feed.session), (size_t)300 << 20);
    feed_close(&feed);
}

/* A program at full rate loses the ends of ranges as it loses all else. */
Test(intake_hostile, lost_ends_do_not_nest_ranges_ever_deeper)
{
    struct feed feed = feed_open();
    intake_tell_loss(feed.intake);
    for (uint32_t i = 1; i <= 5000; i++) {
        feed_send(&feed, feed_range(EVENT_RANGE_BEGIN, 10 * i, i));
        if (i % 2 == 0)
            feed_send(&feed, feed_range(EVENT_RANGE_END, 10 * i + 5, i));
    }
    feed_watermark(&feed, 100000);
    uint32_t ranges = feed_track(&feed, TRACK_RANGES, 0);
    uint64_t lanes = session_track(feed.session, ranges)->lane_count, events = 0;
    cr_assert_leq(lanes, 80, "%lu lanes", (unsigned long)lanes);
    cr_assert_geq(session_event_count(feed.session), 2 * 2500 - 40);
    intake_finish(feed.intake);
    for (uint32_t lane = 0; lane < session_track(feed.session, ranges)->lane_count; lane++)
        events += session_lane_count_events(feed.session, ranges, lane);
    cr_assert_eq(events, 5000, "each range is there once, ended or not: %lu", (unsigned long)events);
    feed_close(&feed);
}
