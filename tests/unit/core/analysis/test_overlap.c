/* SPDX-License-Identifier: Apache-2.0 */
/* Overlap: traces made by hand, their sums and reasons worked out by hand. */
#include "tests/shared/made/made_trace.h"

#include "core/analysis/run_times.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

Test(overlap, equals_what_was_worked_out_by_hand)
{
    for (size_t t = 0; t < trace_count; t++) {
        const struct trace *trace = &traces[t];
        struct session *session = trace_session(trace, NULL);
        struct overlap overlap;
        struct error error;
        for (uint32_t run = 0; run < 2; run++) { /* as a run, and as everything there is */
            cr_assert_eq(overlap_compute(session, run == 0 ? 0 : NONE, EVERYTHING, &overlap, &error),
                         STATUS_OK);
            cr_expect_eq(overlap.kernel_busy_ns, trace->kernel_busy * 1000, "%s: kernels %ld", trace->name,
                         (long)overlap.kernel_busy_ns);
            cr_expect_eq(overlap.copy_busy_ns, trace->copy_busy * 1000, "%s: copies %ld", trace->name,
                         (long)overlap.copy_busy_ns);
            cr_expect_eq(overlap.copy_hidden_ns, trace->copy_hidden * 1000, "%s: hidden %ld", trace->name,
                         (long)overlap.copy_hidden_ns);
            for (int reason = 0; reason < SERIAL_COUNT; reason++) {
                cr_expect_eq(overlap.serialised_ns[reason], trace->serialised[reason] * 1000,
                             "%s: %s %ld us, not %ld", trace->name,
                             serial_reason_id((enum serial_reason)reason),
                             (long)overlap.serialised_ns[reason] / 1000, (long)trace->serialised[reason]);
            }
        }
        session_destroy(session);
    }
}

/* A run is as long as its work on the device: what overlaps counts once, set-up and idle time do not count.
 */
Test(overlap, device_time_is_the_busy_time_of_a_run)
{
    for (size_t t = 0; t < trace_count; t++) {
        struct session *session = trace_session(&traces[t], NULL);
        struct overlap overlap;
        struct run_times times;
        cr_assert_eq(overlap_compute(session, 0, EVERYTHING, &overlap, NULL), STATUS_OK);
        cr_assert_eq(run_times_of(session, 0, &times, NULL), STATUS_OK);
        cr_assert_eq(times.ns[RUN_TIME_DEVICE],
                     (traces[t].kernel_busy + traces[t].copy_busy - traces[t].copy_hidden) * 1000, "%s",
                     traces[t].name);
        cr_assert_eq(times.ns[RUN_TIME_DEVICE], overlap.any_busy_ns, "%s", traces[t].name);
        session_destroy(session);
    }
}

Test(overlap, clips_to_the_range)
{
    struct session *session = trace_session(trace_find("one stream"), NULL);
    struct overlap overlap;
    struct error error;
    cr_assert_eq(overlap_compute(session, NONE, 150000, 260000, &overlap, &error), STATUS_OK);
    cr_assert_eq(overlap.kernel_busy_ns, 58000);
    cr_assert_eq(overlap.copy_busy_ns, 50000);
    cr_assert_eq(overlap.any_busy_ns, 108000);
    cr_assert_eq(overlap.span_ns, 110000);
    cr_assert_eq(overlap.serialised_ns[SERIAL_SAME_STREAM], 50000);
    cr_assert_eq(overlap.operations, 2);
    cr_assert_eq(overlap_compute(session, NONE, 400000, 500000, &overlap, &error), STATUS_OK);
    cr_assert_eq(overlap.operations, 0);
    cr_assert_eq(overlap.span_ns, 0);
    session_destroy(session);
}

Test(overlap, counts_streams_that_are_busy)
{
    struct session *session =
        trace_session(trace_find("one stream, but another one is busy half of the time"), NULL);
    struct overlap overlap;
    struct error error;
    cr_assert_eq(overlap_compute(session, NONE, EVERYTHING, &overlap, &error), STATUS_OK);
    cr_assert_eq(overlap.any_busy_ns, 300000);
    cr_assert_float_eq(overlap.mean_active_streams, 450.0 / 300.0, 1e-12);
    session_destroy(session);
}

Test(overlap, keeps_to_the_run)
{
    static const struct trace empty = {.name = "nothing"};
    struct session *session = trace_session(&empty, NULL);
    struct overlap overlap;
    struct error error;
    struct process_row process = {.end_ns = INT64_MIN};
    session_add_process(session, &process);
    struct run_row row = {.start_ns = 1000000, .end_ns = 2000000};
    uint32_t run = session_add_run(session, &row);
    const struct operation own = {1, KERNEL, 1100, 1200, 1090, 1095, ASYNC, 0, 0},
                           other = {1, KERNEL, 1300, 1400, 1290, 1295, ASYNC, 0, 0},
                           copy = {1, TO_DEVICE, 1500, 1600, 1490, 1495, ASYNC, 0, 0},
                           later = {1, TO_DEVICE, 2500, 2600, 2490, 2495, ASYNC, 0, 0};
    trace_add(session, &empty, &own, run);
    trace_add(session, &empty, &other, 0);
    trace_add(session, &empty, &copy, run);
    trace_add(session, &empty, &later, run);
    cr_assert_eq(overlap_compute(session, run, EVERYTHING, &overlap, &error), STATUS_OK);
    cr_assert_eq(overlap.kernel_busy_ns, 100000);
    cr_assert_eq(overlap.copy_busy_ns, 100000);
    cr_assert_eq(overlap_compute(session, 7, EVERYTHING, &overlap, &error), STATUS_STATE);
    session_destroy(session);
}

Test(overlap, takes_calls_without_sense_for_unknown)
{
    static const struct trace empty = {.name = "nothing"};
    struct session *session = trace_session(&empty, NULL);
    struct track_row stream = {.kind = TRACK_STREAM, .thread = NONE};
    struct item copy = {.kind = ITEM_COPY, .a = 255, .b = MEMORY_PAGEABLE};
    struct overlap overlap;
    struct error error;
    copy.copy.call_start_ns = INT64_MAX;
    copy.copy.call_duration_ns = UINT32_MAX;
    cr_assert(session_add_event(session, session_add_track(session, &stream), 100, 200, &copy));
    cr_assert_eq(overlap_compute(session, NONE, EVERYTHING, &overlap, &error), STATUS_OK);
    cr_assert_eq(overlap.copy_busy_ns, 100);
    session_destroy(session);
}

/* Against a sum over single microseconds, on random work. */
Test(overlap, equals_brute_force)
{
    enum { SPAN = 2000, STREAMS = 4 };
    uint64_t state = 3;
    for (int round = 0; round < 40; round++) {
        static uint8_t running[SPAN][STREAMS]; /* bit 0: a kernel, bit 1: a copy */
        static const struct trace free_streams = {ALL_FREE};
        struct session *session = trace_session(&free_streams, NULL);
        memset(running, 0, sizeof running);
        for (int i = 0; i < 60; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            struct operation operation = {.stream = (uint32_t)(state >> 60) % STREAMS,
                                          .work = (state >> 40) % 2 ? KERNEL : TO_DEVICE,
                                          .start = (int64_t)((state >> 20) % (SPAN - 100)),
                                          .call_start = UNKNOWN};
            operation.end = operation.start + 1 + (int64_t)((state >> 50) % 99);
            trace_add(session, &free_streams, &operation, 0);
            for (int64_t t = operation.start; t < operation.end; t++)
                running[t][operation.stream] |= operation.work == KERNEL ? 1 : 2;
        }
        int64_t kernels = 0, copies = 0, both = 0, any = 0, streams = 0;
        for (size_t t = 0; t < SPAN; t++) {
            uint8_t all = running[t][0] | running[t][1] | running[t][2] | running[t][3];
            kernels += all & 1;
            copies += all >> 1;
            both += all == 3;
            any += all != 0;
            streams +=
                (running[t][0] != 0) + (running[t][1] != 0) + (running[t][2] != 0) + (running[t][3] != 0);
        }
        struct overlap overlap;
        struct error error;
        cr_assert_eq(overlap_compute(session, NONE, EVERYTHING, &overlap, &error), STATUS_OK);
        cr_assert_eq(overlap.kernel_busy_ns, kernels * 1000);
        cr_assert_eq(overlap.copy_busy_ns, copies * 1000);
        cr_assert_eq(overlap.copy_hidden_ns, both * 1000);
        cr_assert_eq(overlap.any_busy_ns, any * 1000);
        cr_assert_float_eq(overlap.mean_active_streams, (double)streams / (double)any, 1e-9);
        int64_t serialised_ns = 0;
        for (int reason = 0; reason < SERIAL_COUNT; reason++)
            serialised_ns += overlap.serialised_ns[reason];
        cr_assert_leq(serialised_ns, overlap.any_busy_ns);
        session_destroy(session);
    }
}
