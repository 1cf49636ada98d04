/* SPDX-License-Identifier: Apache-2.0 */
/* Intake: what comes in by hand-made events, what the session then holds. */
#include "tests/shared/made/feed.h"

#include <criterion/criterion.h>

Test(intake, joins_a_kernel_with_a_call_that_came_before_or_after)
{
    for (int after = 0; after < 2; after++) {
        struct feed feed = feed_open();
        feed_string(&feed, 1, "_Z4copyPf");
        feed_string(&feed, 2, "cudaLaunchKernel");
        feed_shape(&feed, 1, 1);
        if (!after)
            feed_send(&feed, feed_call(100, 150, 9, API_RUNTIME));
        feed_send(&feed, feed_kernel(200, 300, 9, 13));
        if (after)
            feed_send(&feed, feed_call(100, 150, 9, API_RUNTIME));
        feed_watermark(&feed, 1000);
        uint32_t stream = feed_track(&feed, TRACK_STREAM, 0), calls = feed_track(&feed, TRACK_CALLS, 0);
        cr_assert_neq(stream, NONE);
        cr_assert_neq(calls, NONE);
        struct item launch = feed_item(&feed, stream, 0, 0);
        cr_assert_eq(launch.kind, ITEM_LAUNCH);
        cr_assert_eq(launch.launch.call_start_ns, 100);
        cr_assert_eq(launch.launch.call_duration_ns, 50);
        cr_assert_eq(launch.launch.call_thread, 7);
        const struct kernel_row *row = session_kernel(feed.session, launch.launch.kernel);
        cr_assert_eq(row->run, feed.run);
        cr_assert_eq(row->total_ns, 100);
        cr_assert_str_eq(session_string(feed.session, session_shape(feed.session, row->shape)->mangled),
                         "_Z4copyPf");
        struct item drawn = feed_item(&feed, calls, 0, 0);
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
        feed_shape(&feed, 1, 0);
        struct event inner = feed_call(110, 140, 9, API_DRIVER), outer = feed_call(100, 150, 9, API_RUNTIME);
        feed_send(&feed, inner_first ? inner : outer);
        feed_send(&feed, inner_first ? outer : inner);
        feed_send(&feed, feed_kernel(200, 300, 9, 13));
        feed_watermark(&feed, 1000);
        struct item launch = feed_item(&feed, feed_track(&feed, TRACK_STREAM, 0), 0, 0);
        cr_assert_eq(launch.launch.call_start_ns, 100);
        cr_assert_eq(launch.launch.call_duration_ns, 50);
        uint32_t calls = feed_track(&feed, TRACK_CALLS, 0);
        cr_assert_eq(session_track(feed.session, calls)->lane_count, 1);
        cr_assert_eq(session_lane_count_events(feed.session, calls, 0), 1);
        cr_assert_eq(feed_item(&feed, calls, 0, 0).a, API_RUNTIME);
        cr_assert_eq(feed_stats(&feed).inner_calls, 1);
        feed_close(&feed);
    }
}

Test(intake, waits_for_the_call_of_a_copy_that_ends_after_it)
{
    struct feed feed = feed_open();
    feed_send(&feed, feed_call(10, 20, 1, API_RUNTIME)); /* this process sends calls */
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
    feed_send(&feed, copy);
    feed_watermark(&feed, 2100);
    cr_assert_eq(feed_track(&feed, TRACK_STREAM, 0), NONE, "published before its call came");
    feed_send(&feed, feed_call(900, 2200, 5, API_RUNTIME));
    feed_watermark(&feed, 2150);
    uint32_t stream = feed_track(&feed, TRACK_STREAM, 0), engine = feed_track(&feed, TRACK_COPY_ENGINE, 0);
    struct item item = feed_item(&feed, stream, 0, 0);
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
    feed_send(&feed, copy);
    feed_watermark(&feed, 7001 + 19000000);
    cr_assert_eq(session_lane_count_events(feed.session, stream, 0), 1);
    feed_watermark(&feed, 7001 + 20000000);
    cr_assert_eq(session_lane_count_events(feed.session, stream, 0), 2);
    cr_assert_eq(feed_item(&feed, stream, 0, 1).copy.call_start_ns, INT64_MIN);
    feed_close(&feed);
}

Test(intake, holds_events_until_the_watermark_and_orders_them)
{
    struct feed feed = feed_open();
    feed_shape(&feed, 1, 0);
    feed_send(&feed, feed_kernel(300, 400, 0, 1));
    feed_send(&feed, feed_kernel(100, 200, 0, 1));
    feed_send(&feed, feed_kernel(500, 600, 0, 1));
    cr_assert_eq(session_event_count(feed.session), 0);
    feed_watermark(&feed, 600); /* what ends at 600 itself may have company coming */
    uint32_t stream = feed_track(&feed, TRACK_STREAM, 0);
    cr_assert_eq(session_lane_count_events(feed.session, stream, 0), 2);
    cr_assert_eq(feed_stats(&feed).held, 1);
    feed_watermark(&feed, 601);
    cr_assert_eq(session_lane_count_events(feed.session, stream, 0), 3);
    for (uint64_t i = 0; i < 3; i++) {
        cr_assert_eq(session_event_start_ns(feed.session, (struct event_ref){stream, 0, i}),
                     100 + 200 * (int64_t)i);
    }
    /* One that comes too late is shown all the same, and counted. */
    feed_send(&feed, feed_kernel(150, 250, 0, 1));
    feed_watermark(&feed, 700);
    struct session_lost lost;
    session_lost(feed.session, &lost);
    cr_assert_eq(lost.late, 1);
    cr_assert_eq(session_track(feed.session, stream)->lane_count, 2);
    feed_close(&feed);
}

Test(intake, publishes_without_watermarks_after_a_second)
{
    struct feed feed = feed_open();
    feed_shape(&feed, 1, 0);
    feed_send(&feed, feed_kernel(100, 200, 0, 1));
    feed_send(&feed, feed_kernel(900000000, 1000000100, 0, 1));
    cr_assert_eq(session_event_count(feed.session), 0);
    feed_send(&feed, feed_kernel(1000000300, 1000000400, 0, 1));
    cr_assert_eq(session_event_count(feed.session), 1);
    feed_send(&feed, (struct event){.kind = EVENT_GOODBYE});
    cr_assert_eq(session_event_count(feed.session), 3);
    feed_close(&feed);
}

Test(intake, pairs_nested_ranges_and_closes_open_ones_at_the_end)
{
    struct feed feed = feed_open();
    feed_string(&feed, 2, "step");
    feed_send(&feed,
              feed_range(EVENT_RANGE_END, 400, 12)); /* records come in any order before the watermark */
    feed_send(&feed, feed_range(EVENT_RANGE_BEGIN, 200, 12));
    feed_send(&feed, feed_range(EVENT_RANGE_BEGIN, 100, 11));
    feed_send(&feed, feed_range(EVENT_MARK, 250, 0));
    feed_send(&feed, feed_range(EVENT_RANGE_END, 500, 11));
    feed_send(&feed, feed_range(EVENT_RANGE_BEGIN, 600, 13));
    feed_send(&feed, feed_range(EVENT_RANGE_END, 650, 99)); /* never begun */
    feed_watermark(&feed, 700);
    uint32_t ranges = feed_track(&feed, TRACK_RANGES, 0);
    cr_assert_eq(session_lane_count_events(feed.session, ranges, 0), 1);
    cr_assert_eq(session_lane_count_events(feed.session, ranges, 1), 1);
    cr_assert_eq(session_lane_count_events(feed.session, ranges, 2), 1);
    cr_assert_eq(feed_item(&feed, ranges, 0, 0).range.depth, 0);
    cr_assert_eq(session_event_start_ns(feed.session, (struct event_ref){ranges, 0, 0}), 100);
    cr_assert_eq(session_event_end_ns(feed.session, (struct event_ref){ranges, 0, 0}), 500);
    cr_assert_eq(session_event_start_ns(feed.session, (struct event_ref){ranges, 1, 0}), 200);
    cr_assert_eq(session_event_end_ns(feed.session, (struct event_ref){ranges, 2, 0}), 250);
    cr_assert_eq(feed_stats(&feed).unmatched_ranges, 1);
    intake_finish(feed.intake);
    cr_assert_eq(session_lane_count_events(feed.session, ranges, 0), 2);
    struct item open = feed_item(&feed, ranges, 0, 1);
    cr_assert_eq(open.flags, ITEM_UNFINISHED);
    cr_assert_eq(open.range.depth, 0);
    cr_assert_eq(session_event_end_ns(feed.session, (struct event_ref){ranges, 0, 1}), 700);
    feed_close(&feed);
}

static struct event call_begin(int64_t start_ns, uint32_t correlation)
{
    struct event event = feed_call(start_ns, 0, correlation, API_RUNTIME);
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
    feed_shape(&feed, 1, 0);
    feed_send(&feed, call_begin(100, 5));
    feed_send(&feed, call_begin(200, 6));
    feed_watermark(&feed, 300);
    cr_assert_eq(session_open_launches(feed.session, open, 8), 2);
    cr_assert_eq(open[0].correlation, 5);
    cr_assert_eq(open[0].call_start_ns, 100);
    cr_assert_eq(open[0].shape, 0);
    cr_assert_eq(open[0].track, NONE);
    /* 5 has come. 6 failed. */
    feed_send(&feed, feed_kernel(150, 350, 5, 13));
    struct event failed = feed_call(200, 320, 6, API_RUNTIME);
    failed.call.result = 1;
    feed_send(&feed, failed);
    feed_watermark(&feed, 400);
    cr_assert_eq(session_open_launches(feed.session, open, 8), 0);
    /* The record of 7 is lost; 8, on the same stream, comes. 9 is open when the process ends. */
    feed_send(&feed, call_begin(500, 7));
    feed_send(&feed, feed_call(500, 510, 7, API_RUNTIME));
    feed_send(&feed, call_begin(600, 8));
    feed_send(&feed, feed_call(600, 610, 8, API_RUNTIME));
    feed_watermark(&feed, 650);
    cr_assert_eq(session_open_launches(feed.session, open, 8), 2);
    cr_assert_eq(open[0].track, feed_track(&feed, TRACK_STREAM, 0));
    feed_send(&feed, feed_kernel(620, 680, 8, 13));
    feed_send(&feed, call_begin(690, 9));
    feed_watermark(&feed, 700);
    cr_assert_eq(session_open_launches(feed.session, open, 8), 1);
    cr_assert_eq(open[0].correlation, 9);
    intake_finish(feed.intake);
    cr_assert_eq(session_open_launches(feed.session, open, 8), 0);
    feed_close(&feed);
}

Test(intake, keeps_the_order_of_equal_times)
{
    struct feed feed = feed_open();
    for (uint64_t i = 0; i < 40; i++) { /* ranges without length, all at one time, their id used again */
        feed_send(&feed, feed_range(EVENT_RANGE_BEGIN, 100, 5));
        feed_send(&feed, feed_range(EVENT_RANGE_END, 100, 5));
    }
    feed_watermark(&feed, 200);
    cr_assert_eq(feed_stats(&feed).unmatched_ranges, 0);
    cr_assert_eq(session_lane_count_events(feed.session, feed_track(&feed, TRACK_RANGES, 0), 0), 40);
    feed_close(&feed);
}

Test(intake, opens_no_launch_whose_kernel_has_come)
{
    struct feed feed = feed_open();
    struct open_launch open[8];
    feed_shape(&feed, 1, 0);
    feed_send(&feed, feed_kernel(150, 250, 5, 13));
    feed_send(&feed, call_begin(100, 5));
    feed_watermark(&feed, 300);
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
    feed_string(&workload, 1, "transpose");
    feed_string(&workload, 2, "naive");
    feed_string(&workload, 3, "copy");
    feed_string(&workload, 4, "global_load_sectors");
    feed_send(&workload, run_event(EVENT_RUN_BEGIN, 1000, 1, RUN_TRACE));
    feed_send(&workload, (struct event){.kind = EVENT_EXPECTED,
                                        .expected = {.run = 1, .kernel = 3, .metric = 4, .number = 42}});
    feed_send(&workload, run_event(EVENT_RUN_END, 2000, 1, RUN_TRACE));
    feed_send(&workload, run_event(EVENT_RUN_BEGIN, 3000, 2, RUN_COUNTERS)); /* never ended */
    feed_send(&workload, run_event(EVENT_RUN_BEGIN, 4000, 3, RUN_TRACE));
    feed_shape(&feed, 1, 0);
    static const int64_t starts[] = {500, 1000, 1999, 2500, 3500, 4500};
    for (size_t i = 0; i < 6; i++)
        feed_send(&feed, feed_kernel(starts[i], starts[i] + 100, 0, 1));
    feed_watermark(&feed, 10000);
    uint32_t stream = feed_track(&feed, TRACK_STREAM, 0);
    static const uint32_t runs[] = {0, 1, 1, 0, 2, 3};
    for (uint64_t i = 0; i < 6; i++) {
        struct item item = feed_item(&feed, stream, 0, i);
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

/* A run joins the newest run of its work, unless that group has one of its mode. */
Test(intake, runs_of_one_work_in_different_modes_are_a_group)
{
    static const enum run_mode modes[] = {RUN_TRACE,    RUN_COUNTERS, RUN_MEMORY, RUN_TRACE, RUN_COUNTERS,
                                          RUN_COUNTERS, RUN_MEMORY,   RUN_MEMORY, RUN_TRACE};
    static const uint32_t groups[] = {1, 1, 1, 4, 4, 6, 6, 8, 8}; /* row 0 is the process's own run */
    struct feed feed = feed_open();
    feed_string(&feed, 1, "transpose");
    feed_string(&feed, 2, "naive");
    feed_string(&feed, 3, "tile");
    for (uint32_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        feed_send(&feed, run_event(EVENT_RUN_BEGIN, 1000 * (i + 1), i + 1, (uint8_t)modes[i]));
        const struct run_row *row = session_run(feed.session, i + 1);
        cr_assert_eq(row->mode, modes[i]);
        cr_assert_eq(row->group, groups[i], "run %u: %u", i, row->group);
    }
    struct event other = run_event(EVENT_RUN_BEGIN, 20000, 99, RUN_MEMORY);
    other.run.variant = 3;
    feed_send(&feed, other);
    cr_assert_eq(session_run(feed.session, 10)->group, 10, "another variant is another work");
    feed_close(&feed);
}

Test(intake, adds_a_measurement_when_its_values_are_there)
{
    struct feed feed = feed_open();
    feed_string(&feed, 1, "smsp__inst.sum");
    feed_shape(&feed, 1, 0);
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
    feed_send(&feed, measurement);
    feed_send(&feed, value);
    cr_assert_eq(session_measurement_count(feed.session), 0);
    value.value.number = 1.5;
    feed_send(&feed, value);
    cr_assert_eq(session_measurement_count(feed.session), 1);
    const struct measurement_row *row = session_measurement(feed.session, 0);
    cr_assert_eq(row->values, 2);
    cr_assert_eq(row->passes, 3);
    cr_assert_eq(session_value(feed.session, row->first_value + 1)->number, 1.5);
    cr_assert_eq(session_kernel(feed.session, row->kernel)->measured_launches, 1);
    cr_assert_eq(session_kernel(feed.session, row->kernel)->launches, 0);
    feed_send(&feed, value); /* nobody waits for it */
    cr_assert_eq(feed_stats(&feed).malformed, 1);
    measurement.measurement.id = 5;
    feed_send(&feed, measurement);
    intake_finish(feed.intake); /* its values were lost */
    cr_assert_eq(session_measurement_count(feed.session), 2);
    cr_assert_eq(session_measurement(feed.session, 1)->values, 0);
    uint32_t replay = feed_track(&feed, TRACK_MEASUREMENTS, 0);
    cr_assert_eq(session_lane_count_events(feed.session, replay, 0), 1);
    cr_assert_eq(session_lane_count_events(feed.session, replay, 1), 1);
    feed_close(&feed);
}

/* Of graph 2, which is launched twice, the edges and the nodes of the first launch; of graph 3, which is not, nothing. */
Test(intake, keeps_the_edges_of_graphs_that_are_launched)
{
    struct feed feed = feed_open();
    const struct event edges[] = {
        {.kind = EVENT_GRAPH_EDGE, .graph_edge = {.graph = 2, .node = 1, .dependency = 0}},
        {.kind = EVENT_GRAPH_EDGE, .graph_edge = {.graph = 3, .node = 1, .dependency = 0}},
        {.kind = EVENT_GRAPH_EDGE, .graph_edge = {.graph = 2, .node = 1, .dependency = 1}}}; /* malformed */
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        feed_send(&feed, edges[i]);
    for (uint32_t launch = 0; launch < 2; launch++) {
        const int64_t start_ns = ZERO_NS + 100 + 100 * launch;
        feed_send(&feed, (struct event){.kind = EVENT_SET,
                                        .set = {.start_ns = start_ns,
                                                .end_ns = start_ns + 10,
                                                .correlation = 8 + launch,
                                                .context = 1,
                                                .stream = 13,
                                                .graph = 2}});
        feed_send(&feed, (struct event){.kind = EVENT_KERNEL,
                                        .kernel = {.start_ns = start_ns + 20,
                                                   .end_ns = start_ns + 30,
                                                   .correlation = 8 + launch,
                                                   .context = 1,
                                                   .stream = 14,
                                                   .graph = 2,
                                                   .graph_node = (uint64_t)2 << 32 | 1}});
    }
    feed_watermark(&feed, 1000);
    const struct graph_node_row expected[] = {
        {.graph = 2, .node = 1, .dependency = 0},
        {.graph = 2, .node = 0, .dependency = NONE, .stream = 13, .start_ns = 100},
        {.graph = 2, .node = 1, .dependency = NONE, .stream = 14, .start_ns = 120}};
    cr_assert_eq(session_graph_node_count(feed.session), 3);
    for (uint32_t i = 0; i < 3; i++) {
        const struct graph_node_row *row = session_graph_node(feed.session, i), *of = &expected[i];
        cr_expect(row->graph == of->graph && row->node == of->node && row->dependency == of->dependency &&
                      row->stream == of->stream && row->start_ns == of->start_ns,
                  "%u", i);
    }
    feed_close(&feed);
}

/* A record and what waits for it; a wait for another kind, or for no known record, is none. */
Test(intake, takes_what_records_an_event_and_what_waits_for_it)
{
    struct feed feed = feed_open();
    feed_send(&feed,
              (struct event){
                  .kind = EVENT_EVENT_RECORD,
                  .event_record = {.correlation = 3, .context = 1, .stream = 7, .event = 5, .record = 41}});
    struct event wait = {.kind = EVENT_SYNC,
                         .sync = {.start_ns = ZERO_NS + 100,
                                  .end_ns = ZERO_NS + 110,
                                  .correlation = 4,
                                  .context = 1,
                                  .stream = 8,
                                  .thread = 7,
                                  .sync_kind = SYNC_STREAM_WAIT_EVENT,
                                  .event = 5,
                                  .record = 41}};
    feed_send(&feed, wait);
    wait.sync.sync_kind = SYNC_EVENT;
    wait.sync.correlation = 6;
    feed_send(&feed, wait);
    wait.sync.sync_kind = SYNC_STREAM;
    feed_send(&feed, wait);
    wait.sync.sync_kind = SYNC_EVENT;
    wait.sync.record = 0;
    feed_send(&feed, wait);
    feed_send(&feed, (struct event){.kind = EVENT_EVENT_RECORD, .event_record = {.record = 42}});
    feed_watermark(&feed, 1000);
    cr_assert_eq(session_event_use_count(feed.session), 3);
    const struct event_use_row expected[] = {
        {.correlation = 3, .context = 1, .stream = 7, .event = 5, .use = EVENT_USE_RECORD, .record = 41},
        {.correlation = 4,
         .context = 1,
         .stream = 8,
         .event = 5,
         .use = EVENT_USE_STREAM_WAITS,
         .record = 41},
        {.correlation = 6, .context = 1, .stream = 8, .event = 5, .use = EVENT_USE_HOST_WAITS, .record = 41}};
    for (uint32_t use = 0; use < 3; use++) {
        const struct event_use_row *row = session_event_use(feed.session, use), *of = &expected[use];
        cr_expect(row->correlation == of->correlation && row->context == of->context &&
                      row->stream == of->stream && row->event == of->event && row->use == of->use &&
                      row->record == of->record,
                  "%u", use);
    }
    cr_expect_eq(feed_stats(&feed).malformed, 1);
    feed_close(&feed);
}

Test(intake, takes_syncs_overhead_notices_and_drops)
{
    struct feed feed = feed_open();
    feed_string(&feed, 2, "cudaDeviceSynchronize");
    feed_string(&feed, 3, "CUPTI flushes a buffer");
    struct event sync_call = feed_call(90, 310, 8, API_RUNTIME);
    sync_call.call.category = CALL_SYNC;
    feed_send(&feed, sync_call);
    feed_send(&feed, (struct event){.kind = EVENT_SYNC,
                                    .sync = {.start_ns = ZERO_NS + 100,
                                             .end_ns = ZERO_NS + 300,
                                             .correlation = 8,
                                             .context = 1,
                                             .sync_kind = SYNC_CONTEXT}});
    feed_send(&feed,
              (struct event){
                  .kind = EVENT_OVERHEAD,
                  .overhead = {.start_ns = ZERO_NS + 100, .end_ns = ZERO_NS + 200, .thread = 9, .name = 3}});
    feed_send(
        &feed,
        (struct event){
            .kind = EVENT_DROPPED,
            .dropped = {.time_ns = ZERO_NS + 5, .count = 17, .kind = EVENT_KERNEL, .reason = DROP_CUPTI}});
    feed_send(&feed, (struct event){.kind = EVENT_NOTICE,
                                    .notice = {.time_ns = ZERO_NS + 5, .text = 3, .severity = 77}});
    feed_watermark(&feed, 1000);
    uint32_t waits = feed_track(&feed, TRACK_SYNCS, 0), overhead = feed_track(&feed, TRACK_OVERHEAD, 0);
    cr_assert_eq(session_track(feed.session, waits)->thread, 7, "the thread comes from the call");
    cr_assert_eq(feed_item(&feed, waits, 0, 0).a, SYNC_CONTEXT);
    cr_assert_eq(session_track(feed.session, overhead)->thread, 9);
    struct session_lost lost;
    session_lost(feed.session, &lost);
    cr_assert_eq(lost.dropped, 17);
    cr_assert_eq(session_notice(feed.session, 0)->severity, SEVERITY_ERROR);
    feed_close(&feed);
}
