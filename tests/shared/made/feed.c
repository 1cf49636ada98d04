/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/shared/made/feed.h"

#include <criterion/criterion.h>
#include <string.h>

struct feed feed_open(void)
{
    struct feed feed = {0};
    struct error error;
    cr_assert_eq(session_create(&feed.session, ZERO_NS, &error), STATUS_OK);
    struct process_row process = {.pid = 100, .rank = -1, .end_ns = INT64_MIN, .exit_status = -1};
    feed.process = session_add_process(feed.session, &process);
    struct run_row run = {.process = feed.process,
                          .device = NONE,
                          .program = session_add_string(feed.session, "prog", 4),
                          .end_ns = INT64_MIN};
    feed.run = session_add_run(feed.session, &run);
    cr_assert_eq(intake_create(&feed.intake, feed.session, feed.process, feed.run, &error), STATUS_OK);
    return feed;
}

void feed_close(struct feed *feed)
{
    intake_destroy(feed->intake);
    session_destroy(feed->session);
}

void feed_send(struct feed *feed, struct event event)
{
    intake_event(feed->intake, &event, NULL);
}

void feed_string(struct feed *feed, uint32_t id, const char *text)
{
    struct event event = {.kind = EVENT_BLOB,
                          .blob = {.type = BLOB_STRING, .id = id, .size_bytes = (uint32_t)strlen(text)}};
    intake_event(feed->intake, &event, (const uint8_t *)text);
}

void feed_shape(struct feed *feed, uint32_t id, uint32_t name)
{
    feed_send(feed,
              (struct event){.kind = EVENT_SHAPE,
                             .shape = {.id = id, .name = name, .grid = {8, 1, 1}, .block = {128, 1, 1}}});
}

struct event feed_kernel(int64_t start_ns, int64_t end_ns, uint32_t correlation, uint32_t stream)
{
    return (struct event){.kind = EVENT_KERNEL,
                          .kernel = {.start_ns = ZERO_NS + start_ns,
                                     .end_ns = ZERO_NS + end_ns,
                                     .correlation = correlation,
                                     .shape = 1,
                                     .context = 1,
                                     .stream = stream}};
}

struct event feed_call(int64_t start_ns, int64_t end_ns, uint32_t correlation, uint8_t domain)
{
    return (struct event){.kind = EVENT_CALL,
                          .call = {.start_ns = ZERO_NS + start_ns,
                                   .end_ns = ZERO_NS + end_ns,
                                   .correlation = correlation,
                                   .thread = 7,
                                   .name = 2,
                                   .domain = domain,
                                   .category = CALL_LAUNCH}};
}

struct event feed_range(uint8_t kind, int64_t time_ns, uint64_t id)
{
    return (struct event){.kind = kind,
                          .range = {.time_ns = ZERO_NS + time_ns, .id = id, .name = 2, .thread = 7}};
}

void feed_watermark(struct feed *feed, int64_t time_ns)
{
    feed_send(feed, (struct event){.kind = EVENT_WATERMARK, .watermark = {.time_ns = ZERO_NS + time_ns}});
}

struct intake_stats feed_stats(const struct feed *feed)
{
    struct intake_stats stats;
    intake_stats(feed->intake, &stats);
    return stats;
}

/* The n-th track of a kind, NONE when there is none. */
uint32_t feed_track(const struct feed *feed, enum track_kind kind, uint32_t n)
{
    for (uint32_t i = 0; i < session_track_count(feed->session); i++)
        if (session_track(feed->session, i)->kind == kind && n-- == 0)
            return i;
    return NONE;
}

struct item feed_item(const struct feed *feed, uint32_t track, uint32_t lane, uint64_t index)
{
    return session_event_item(feed->session,
                              (struct event_ref){.track = track, .lane = lane, .index = index});
}
