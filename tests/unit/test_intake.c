/* Intake: what comes in by hand-made events, what the session then holds. */
#include "core/intake.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ZERO_NS 1700000000000000000 /* the session's start on the wall clock */

struct feed {
    struct session *session;
    struct intake *intake;
    uint32_t process, run;
};

static struct feed feed_open(void)
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

static void feed_close(struct feed *feed)
{
    intake_destroy(feed->intake);
    session_destroy(feed->session);
}

static void send(struct feed *feed, struct event event)
{
    intake_event(feed->intake, &event, NULL);
}

static void send_string(struct feed *feed, uint32_t id, const char *text)
{
    struct event event = {.kind = EVENT_BLOB,
                          .blob = {.type = BLOB_STRING, .id = id, .size_bytes = (uint32_t)strlen(text)}};
    intake_event(feed->intake, &event, (const uint8_t *)text);
}

static void send_shape(struct feed *feed, uint32_t id, uint32_t name)
{
    send(feed, (struct event){.kind = EVENT_SHAPE,
                              .shape = {.id = id, .name = name, .grid = {8, 1, 1}, .block = {128, 1, 1}}});
}

static struct event kernel(int64_t start_ns, int64_t end_ns, uint32_t correlation, uint32_t stream)
{
    return (struct event){.kind = EVENT_KERNEL,
                          .kernel = {.start_ns = ZERO_NS + start_ns,
                                     .end_ns = ZERO_NS + end_ns,
                                     .correlation = correlation,
                                     .shape = 1,
                                     .context = 1,
                                     .stream = stream}};
}

static struct event call(int64_t start_ns, int64_t end_ns, uint32_t correlation, uint8_t domain)
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

static struct event range(uint8_t kind, int64_t time_ns, uint64_t id)
{
    return (struct event){.kind = kind,
                          .range = {.time_ns = ZERO_NS + time_ns, .id = id, .name = 2, .thread = 7}};
}

static void watermark(struct feed *feed, int64_t time_ns)
{
    send(feed, (struct event){.kind = EVENT_WATERMARK, .watermark = {.time_ns = ZERO_NS + time_ns}});
}

static struct intake_stats stats_of(const struct feed *feed)
{
    struct intake_stats stats;
    intake_stats(feed->intake, &stats);
    return stats;
}

/* The n-th track of a kind, NONE when there is none. */
static uint32_t track_of(const struct feed *feed, enum track_kind kind, uint32_t n)
{
    for (uint32_t i = 0; i < session_track_count(feed->session); i++) {
        if (session_track(feed->session, i)->kind == kind && n-- == 0) {
            return i;
        }
    }
    return NONE;
}

static struct item item_at(const struct feed *feed, uint32_t track, uint32_t lane, uint64_t index)
{
    return session_event_item(feed->session,
                              (struct event_ref){.track = track, .lane = lane, .index = index});
}

Test(intake, joins_a_kernel_with_a_call_that_came_before_or_after)
{
    for (int after = 0; after < 2; after++) {
        struct feed feed = feed_open();
        send_string(&feed, 1, "_Z4copyPf");
        send_string(&feed, 2, "cudaLaunchKernel");
        send_shape(&feed, 1, 1);
        if (!after) {
            send(&feed, call(100, 150, 9, API_RUNTIME));
        }
        send(&feed, kernel(200, 300, 9, 13));
        if (after) {
            send(&feed, call(100, 150, 9, API_RUNTIME));
        }
        watermark(&feed, 1000);
        uint32_t stream = track_of(&feed, TRACK_STREAM, 0), calls = track_of(&feed, TRACK_CALLS, 0);
        cr_assert_neq(stream, NONE);
        cr_assert_neq(calls, NONE);
        struct item launch = item_at(&feed, stream, 0, 0);
        cr_assert_eq(launch.kind, ITEM_LAUNCH);
        cr_assert_eq(launch.launch.call_start_ns, 100);
        cr_assert_eq(launch.launch.call_duration_ns, 50);
        cr_assert_eq(launch.launch.call_thread, 7);
        const struct kernel_row *row = session_kernel(feed.session, launch.launch.kernel);
        cr_assert_eq(row->run, feed.run);
        cr_assert_eq(row->total_ns, 100);
        cr_assert_str_eq(session_string(feed.session, session_shape(feed.session, row->shape)->mangled),
                         "_Z4copyPf");
        struct item drawn = item_at(&feed, calls, 0, 0);
        cr_assert_eq(drawn.kind, ITEM_CALL);
        cr_assert_str_eq(session_string(feed.session, drawn.call.name), "cudaLaunchKernel");
        cr_assert_eq(session_event_count(feed.session), 2);
        feed_close(&feed);
    }
}

Test(intake, keeps_the_outer_of_two_calls_of_one_correlation)
{
    for (int inner_first = 0; inner_first < 2; inner_first++) {
        struct feed feed = feed_open();
        send_shape(&feed, 1, 0);
        struct event inner = call(110, 140, 9, API_DRIVER), outer = call(100, 150, 9, API_RUNTIME);
        send(&feed, inner_first ? inner : outer);
        send(&feed, inner_first ? outer : inner);
        send(&feed, kernel(200, 300, 9, 13));
        watermark(&feed, 1000);
        struct item launch = item_at(&feed, track_of(&feed, TRACK_STREAM, 0), 0, 0);
        cr_assert_eq(launch.launch.call_start_ns, 100);
        cr_assert_eq(launch.launch.call_duration_ns, 50);
        uint32_t calls = track_of(&feed, TRACK_CALLS, 0);
        cr_assert_eq(session_track(feed.session, calls)->lane_count, 1);
        cr_assert_eq(session_lane_count_events(feed.session, calls, 0), 1);
        cr_assert_eq(item_at(&feed, calls, 0, 0).a, API_RUNTIME);
        cr_assert_eq(stats_of(&feed).inner_calls, 1);
        feed_close(&feed);
    }
}

Test(intake, waits_for_the_call_of_a_copy_that_ends_after_it)
{
    struct feed feed = feed_open();
    send(&feed, call(10, 20, 1, API_RUNTIME)); /* this process sends calls */
    struct event copy = {.kind = EVENT_COPY,
                         .flags = COPY_ASYNC,
                         .copy = {.start_ns = ZERO_NS + 1000,
                                  .end_ns = ZERO_NS + 2000,
                                  .correlation = 5,
                                  .context = 1,
                                  .stream = 7,
                                  .copy_kind = COPY_HTOD,
                                  .source_memory = MEMORY_PAGEABLE,
                                  .destination_memory = MEMORY_DEVICE,
                                  .engine = 0xff,
                                  .size_bytes = 4096}};
    send(&feed, copy);
    watermark(&feed, 2100);
    cr_assert_eq(track_of(&feed, TRACK_STREAM, 0), NONE, "published before its call came");
    send(&feed, call(900, 2200, 5, API_RUNTIME));
    watermark(&feed, 2150);
    uint32_t stream = track_of(&feed, TRACK_STREAM, 0), engine = track_of(&feed, TRACK_COPY_ENGINE, 0);
    struct item item = item_at(&feed, stream, 0, 0);
    cr_assert_eq(item.kind, ITEM_COPY);
    cr_assert_eq(item.flags, ITEM_ASYNC);
    cr_assert_eq(item.copy.call_start_ns, 900);
    cr_assert_eq(item.copy.call_duration_ns, 1300);
    cr_assert_eq(item_copy_source(&item), MEMORY_PAGEABLE);
    cr_assert_eq(item_copy_destination(&item), MEMORY_DEVICE);
    cr_assert_eq(session_lane_count_events(feed.session, engine, 0), 1);
    /* One whose call never comes goes 20 ms later. */
    copy.copy.start_ns += 5000;
    copy.copy.end_ns += 5000;
    copy.copy.correlation = 6;
    send(&feed, copy);
    watermark(&feed, 7001 + 19000000);
    cr_assert_eq(session_lane_count_events(feed.session, stream, 0), 1);
    watermark(&feed, 7001 + 20000000);
    cr_assert_eq(session_lane_count_events(feed.session, stream, 0), 2);
    cr_assert_eq(item_at(&feed, stream, 0, 1).copy.call_start_ns, INT64_MIN);
    feed_close(&feed);
}

Test(intake, holds_events_until_the_watermark_and_orders_them)
{
    struct feed feed = feed_open();
    send_shape(&feed, 1, 0);
    send(&feed, kernel(300, 400, 0, 1));
    send(&feed, kernel(100, 200, 0, 1));
    send(&feed, kernel(500, 600, 0, 1));
    cr_assert_eq(session_event_count(feed.session), 0);
    watermark(&feed, 600); /* what ends at 600 itself may have company coming */
    uint32_t stream = track_of(&feed, TRACK_STREAM, 0);
    cr_assert_eq(session_lane_count_events(feed.session, stream, 0), 2);
    cr_assert_eq(stats_of(&feed).held, 1);
    watermark(&feed, 601);
    cr_assert_eq(session_lane_count_events(feed.session, stream, 0), 3);
    for (uint64_t i = 0; i < 3; i++) {
        cr_assert_eq(session_event_start_ns(feed.session, (struct event_ref){stream, 0, i}),
                     100 + 200 * (int64_t)i);
    }
    /* One that comes too late is shown all the same, and counted. */
    send(&feed, kernel(150, 250, 0, 1));
    watermark(&feed, 700);
    struct session_lost lost;
    session_lost(feed.session, &lost);
    cr_assert_eq(lost.late, 1);
    cr_assert_eq(session_track(feed.session, stream)->lane_count, 2);
    feed_close(&feed);
}

Test(intake, publishes_without_watermarks_after_a_second)
{
    struct feed feed = feed_open();
    send_shape(&feed, 1, 0);
    send(&feed, kernel(100, 200, 0, 1));
    send(&feed, kernel(900000000, 1000000100, 0, 1));
    cr_assert_eq(session_event_count(feed.session), 0);
    send(&feed, kernel(1000000300, 1000000400, 0, 1));
    cr_assert_eq(session_event_count(feed.session), 1);
    send(&feed, (struct event){.kind = EVENT_GOODBYE});
    cr_assert_eq(session_event_count(feed.session), 3);
    feed_close(&feed);
}

Test(intake, pairs_nested_ranges_and_closes_open_ones_at_the_end)
{
    struct feed feed = feed_open();
    send_string(&feed, 2, "step");
    send(&feed, range(EVENT_RANGE_END, 400, 12)); /* records come in any order before the watermark */
    send(&feed, range(EVENT_RANGE_BEGIN, 200, 12));
    send(&feed, range(EVENT_RANGE_BEGIN, 100, 11));
    send(&feed, range(EVENT_MARK, 250, 0));
    send(&feed, range(EVENT_RANGE_END, 500, 11));
    send(&feed, range(EVENT_RANGE_BEGIN, 600, 13));
    send(&feed, range(EVENT_RANGE_END, 650, 99)); /* never begun */
    watermark(&feed, 700);
    uint32_t ranges = track_of(&feed, TRACK_RANGES, 0);
    cr_assert_eq(session_lane_count_events(feed.session, ranges, 0), 1);
    cr_assert_eq(session_lane_count_events(feed.session, ranges, 1), 1);
    cr_assert_eq(session_lane_count_events(feed.session, ranges, 2), 1);
    cr_assert_eq(item_at(&feed, ranges, 0, 0).range.depth, 0);
    cr_assert_eq(session_event_start_ns(feed.session, (struct event_ref){ranges, 0, 0}), 100);
    cr_assert_eq(session_event_end_ns(feed.session, (struct event_ref){ranges, 0, 0}), 500);
    cr_assert_eq(session_event_start_ns(feed.session, (struct event_ref){ranges, 1, 0}), 200);
    cr_assert_eq(session_event_end_ns(feed.session, (struct event_ref){ranges, 2, 0}), 250);
    cr_assert_eq(stats_of(&feed).unmatched_ranges, 1);
    intake_finish(feed.intake);
    cr_assert_eq(session_lane_count_events(feed.session, ranges, 0), 2);
    struct item open = item_at(&feed, ranges, 0, 1);
    cr_assert_eq(open.flags, ITEM_UNFINISHED);
    cr_assert_eq(open.range.depth, 0);
    cr_assert_eq(session_event_end_ns(feed.session, (struct event_ref){ranges, 0, 1}), 700);
    feed_close(&feed);
}

static struct event call_begin(int64_t start_ns, uint32_t correlation)
{
    struct event event = call(start_ns, 0, correlation, API_RUNTIME);
    event.kind = EVENT_CALL_BEGIN;
    event.call.end_ns = 0;
    event.call.shape = 1;
    event.call.context = 1;
    event.call.stream = 13;
    return event;
}

Test(intake, shows_launches_until_their_kernel_comes)
{
    struct feed feed = feed_open();
    struct open_launch open[8];
    send_shape(&feed, 1, 0);
    send(&feed, call_begin(100, 5));
    send(&feed, call_begin(200, 6));
    watermark(&feed, 300);
    cr_assert_eq(session_open_launches(feed.session, open, 8), 2);
    cr_assert_eq(open[0].correlation, 5);
    cr_assert_eq(open[0].call_start_ns, 100);
    cr_assert_eq(open[0].shape, 0);
    cr_assert_eq(open[0].track, NONE);
    /* 5 has come. 6 failed. */
    send(&feed, kernel(150, 350, 5, 13));
    struct event failed = call(200, 320, 6, API_RUNTIME);
    failed.call.result = 1;
    send(&feed, failed);
    watermark(&feed, 400);
    cr_assert_eq(session_open_launches(feed.session, open, 8), 0);
    /* The record of 7 is lost; 8, on the same stream, comes. 9 is open when the process ends. */
    send(&feed, call_begin(500, 7));
    send(&feed, call(500, 510, 7, API_RUNTIME));
    send(&feed, call_begin(600, 8));
    send(&feed, call(600, 610, 8, API_RUNTIME));
    watermark(&feed, 650);
    cr_assert_eq(session_open_launches(feed.session, open, 8), 2);
    cr_assert_eq(open[0].track, track_of(&feed, TRACK_STREAM, 0));
    send(&feed, kernel(620, 680, 8, 13));
    send(&feed, call_begin(690, 9));
    watermark(&feed, 700);
    cr_assert_eq(session_open_launches(feed.session, open, 8), 1);
    cr_assert_eq(open[0].correlation, 9);
    intake_finish(feed.intake);
    cr_assert_eq(session_open_launches(feed.session, open, 8), 0);
    feed_close(&feed);
}

static struct event run_event(uint8_t kind, int64_t time_ns, uint32_t id, uint8_t mode)
{
    return (struct event){.kind = kind,
                          .run = {.time_ns = ZERO_NS + time_ns,
                                  .id = id,
                                  .workload = 1,
                                  .variant = 2,
                                  .verified = 1,
                                  .mode = mode}};
}

Test(intake, gives_a_kernel_to_the_run_under_way_at_its_start)
{
    struct feed feed = feed_open();
    /* The workload's ring has its own ids; the agent's is feed's. */
    struct feed workload = feed;
    struct error error;
    cr_assert_eq(intake_create(&workload.intake, feed.session, feed.process, NONE, &error), STATUS_OK);
    send_string(&workload, 1, "transpose");
    send_string(&workload, 2, "naive");
    send_string(&workload, 3, "copy");
    send_string(&workload, 4, "global_load_sectors");
    send(&workload, run_event(EVENT_RUN_BEGIN, 1000, 1, RUN_TRACE));
    send(&workload, (struct event){.kind = EVENT_EXPECTED,
                                   .expected = {.run = 1, .kernel = 3, .metric = 4, .number = 42}});
    send(&workload, run_event(EVENT_RUN_END, 2000, 1, RUN_TRACE));
    send(&workload, run_event(EVENT_RUN_BEGIN, 3000, 2, RUN_COUNTERS)); /* never ended */
    send(&workload, run_event(EVENT_RUN_BEGIN, 4000, 3, RUN_TRACE));
    send_shape(&feed, 1, 0);
    static const int64_t starts[] = {500, 1000, 1999, 2500, 3500, 4500};
    for (size_t i = 0; i < 6; i++) {
        send(&feed, kernel(starts[i], starts[i] + 100, 0, 1));
    }
    watermark(&feed, 10000);
    uint32_t stream = track_of(&feed, TRACK_STREAM, 0);
    static const uint32_t runs[] = {0, 1, 1, 0, 2, 3};
    for (uint64_t i = 0; i < 6; i++) {
        struct item item = item_at(&feed, stream, 0, i);
        cr_assert_eq(session_kernel(feed.session, item.launch.kernel)->run, runs[i], "launch %d", (int)i);
    }
    const struct run_row *first = session_run(feed.session, 1), *second = session_run(feed.session, 2);
    cr_assert_eq(first->end_ns, 2000);
    cr_assert_eq(first->verified, 1);
    cr_assert_eq(first->process, feed.process);
    cr_assert_eq(second->end_ns, 4000);
    cr_assert_eq(second->verified, -1);
    cr_assert_eq(second->group, first->group, "the same work in another mode");
    cr_assert_eq(session_expected(feed.session, 0)->run, 1);
    cr_assert_eq(session_expected(feed.session, 0)->number, 42);
    intake_finish(workload.intake);
    cr_assert_neq(session_run(feed.session, 3)->end_ns, INT64_MIN);
    intake_destroy(workload.intake);
    feed_close(&feed);
}

Test(intake, adds_a_measurement_when_its_values_are_there)
{
    struct feed feed = feed_open();
    send_string(&feed, 1, "smsp__inst.sum");
    send_shape(&feed, 1, 0);
    struct event measurement = {.kind = EVENT_MEASUREMENT,
                                .measurement = {.start_ns = ZERO_NS + 100,
                                                .end_ns = ZERO_NS + 200,
                                                .id = 4,
                                                .shape = 1,
                                                .context = 1,
                                                .stream = 13,
                                                .passes = 3,
                                                .values = 2}};
    struct event value = {.kind = EVENT_VALUE, .value = {.measurement = 4, .counter = 1, .number = 0.5}};
    send(&feed, measurement);
    send(&feed, value);
    cr_assert_eq(session_measurement_count(feed.session), 0);
    value.value.number = 1.5;
    send(&feed, value);
    cr_assert_eq(session_measurement_count(feed.session), 1);
    const struct measurement_row *row = session_measurement(feed.session, 0);
    cr_assert_eq(row->values, 2);
    cr_assert_eq(row->passes, 3);
    cr_assert_eq(session_value(feed.session, row->first_value + 1)->number, 1.5);
    cr_assert_eq(session_kernel(feed.session, row->kernel)->measured_launches, 1);
    cr_assert_eq(session_kernel(feed.session, row->kernel)->launches, 0);
    send(&feed, value); /* nobody waits for it */
    cr_assert_eq(stats_of(&feed).malformed, 1);
    measurement.measurement.id = 5;
    send(&feed, measurement);
    intake_finish(feed.intake); /* its values were lost */
    cr_assert_eq(session_measurement_count(feed.session), 2);
    cr_assert_eq(session_measurement(feed.session, 1)->values, 0);
    uint32_t replay = track_of(&feed, TRACK_MEASUREMENTS, 0);
    cr_assert_eq(session_lane_count_events(feed.session, replay, 0), 1);
    cr_assert_eq(session_lane_count_events(feed.session, replay, 1), 1);
    feed_close(&feed);
}

Test(intake, takes_syncs_overhead_notices_and_drops)
{
    struct feed feed = feed_open();
    send_string(&feed, 2, "cudaDeviceSynchronize");
    send_string(&feed, 3, "CUPTI flushes a buffer");
    struct event sync_call = call(90, 310, 8, API_RUNTIME);
    sync_call.call.category = CALL_SYNC;
    send(&feed, sync_call);
    send(&feed, (struct event){.kind = EVENT_SYNC,
                               .sync = {.start_ns = ZERO_NS + 100,
                                        .end_ns = ZERO_NS + 300,
                                        .correlation = 8,
                                        .context = 1,
                                        .sync_kind = SYNC_CONTEXT}});
    send(&feed,
         (struct event){
             .kind = EVENT_OVERHEAD,
             .overhead = {.start_ns = ZERO_NS + 100, .end_ns = ZERO_NS + 200, .thread = 9, .name = 3}});
    send(&feed,
         (struct event){
             .kind = EVENT_DROPPED,
             .dropped = {.time_ns = ZERO_NS + 5, .count = 17, .kind = EVENT_KERNEL, .reason = DROP_CUPTI}});
    send(&feed,
         (struct event){.kind = EVENT_NOTICE, .notice = {.time_ns = ZERO_NS + 5, .text = 3, .severity = 77}});
    watermark(&feed, 1000);
    uint32_t waits = track_of(&feed, TRACK_SYNCS, 0), overhead = track_of(&feed, TRACK_OVERHEAD, 0);
    cr_assert_eq(session_track(feed.session, waits)->thread, 7, "the thread comes from the call");
    cr_assert_eq(item_at(&feed, waits, 0, 0).a, SYNC_CONTEXT);
    cr_assert_eq(session_track(feed.session, overhead)->thread, 9);
    struct session_lost lost;
    session_lost(feed.session, &lost);
    cr_assert_eq(lost.dropped, 17);
    cr_assert_eq(session_notice(feed.session, 0)->severity, SEVERITY_ERROR);
    feed_close(&feed);
}

Test(intake, counts_what_makes_no_sense)
{
    struct feed feed = feed_open();
    struct event bad[] = {
        kernel(300, 200, 1, 1),                                     /* ends before it starts */
        kernel(-ZERO_NS, 200, 1, 1),                                /* no time stamp */
        kernel(INT64_MAX - ZERO_NS - 1, INT64_MAX - ZERO_NS, 1, 1), /* in three hundred years */
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
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        send(&feed, bad[i]);
        cr_assert_eq(stats_of(&feed).malformed, i + 1, "event %d", (int)i);
    }
    /* A shape nobody announced: the time is true, so it is drawn; the name is not known. */
    send(&feed, kernel(100, 200, 1, 1));
    watermark(&feed, 1000);
    cr_assert_eq(session_launch_count(feed.session), 1);
    cr_assert_eq(item_at(&feed, track_of(&feed, TRACK_STREAM, 0), 0, 0).launch.kernel, NONE);
    feed_close(&feed);
}

/* Random bytes as events, many of them plausible enough to get far. */
Test(intake, survives_noise)
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
    struct intake_stats stats = stats_of(&feed);
    cr_assert_eq(stats.events, 300000);
    cr_assert_eq(stats.held, 0);
    cr_assert_gt(session_event_count(feed.session), 1000, "the noise must reach the tracks");
    cr_assert_gt(stats.malformed, 1000);
    feed_close(&feed);
}

Test(intake, is_bounded)
{
    struct feed feed = feed_open();
    for (uint32_t i = 0; i < 200000;
         i++) { /* ids spread over all 32 bits, ranges that never end, a thread for each */
        struct event begin = range(EVENT_RANGE_BEGIN, i, (uint64_t)i * 0x9e3779b97f4a7c15u);
        begin.range.thread = i * 2654435761u;
        send(&feed, begin);
        struct event work = kernel(i, i + 10, i, i * 2654435761u);
        send(&feed, work);
        struct event string = {.kind = EVENT_BLOB,
                               .blob = {.type = BLOB_STRING, .id = i * 2654435761u, .size_bytes = 4}};
        intake_event(feed.intake, &string, (const uint8_t *)&i);
    }
    watermark(&feed, 1000000000);
    cr_assert_leq(session_track_count(feed.session), 2u << 14);
    cr_assert_lt(session_memory_bytes(feed.session), (size_t)300 << 20);
    intake_finish(feed.intake);
    cr_assert_lt(session_memory_bytes(feed.session), (size_t)300 << 20);
    feed_close(&feed);
}
