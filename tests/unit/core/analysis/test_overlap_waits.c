/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Overlap: which operations waited, that names do not matter, and what the work would take at least.
 */
#include "tests/shared/made/made_trace.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct overlap overlap_of(const struct session *session)
{
    struct overlap overlap;
    struct error error;
    cr_assert_eq(overlap_compute(session, NONE, EVERYTHING, &overlap, &error), STATUS_OK);
    return overlap;
}

/* ---- who waited ---- */

Test(overlap_waits, every_reason_has_its_operations)
{
    int serialised = 0, free_of_it = 0;
    for (size_t t = 0; t < trace_count; t++) {
        struct session *session = trace_session(&traces[t], NULL);
        struct overlap overlap = overlap_of(session);
        int64_t told[SERIAL_COUNT] = {0};
        uint64_t count[SERIAL_COUNT] = {0};
        for (uint32_t i = 0; i < overlap.wait_count; i++) {
            const struct overlap_wait *wait = &overlap.waits[i];
            cr_assert(i == 0 || wait->serialised_ns <= overlap.waits[i - 1].serialised_ns);
            cr_assert(wait->serialised_ns > 0 && wait->serialised_ns <= overlap.serialised_ns[wait->reason]);
            cr_assert_lt(wait->start_ns, session_event_start_ns(session, wait->event));
            told[wait->reason] += wait->serialised_ns;
            count[wait->reason]++;
        }
        bool any = false;
        for (int reason = 0; reason < SERIAL_COUNT; reason++) {
            cr_assert_eq(count[reason], overlap.waited[reason], "%s", traces[t].name);
            cr_assert_geq(told[reason], overlap.serialised_ns[reason], "%s: %s is told of fewer",
                          traces[t].name, serial_reason_id((enum serial_reason)reason));
            cr_assert_eq(count[reason] > 0, overlap.serialised_ns[reason] > 0);
            any |= count[reason] > 0;
        }
        serialised += any;
        free_of_it += !any;
        session_destroy(session);
    }
    cr_assert_geq(serialised, 20);
    cr_assert_geq(free_of_it, 10);
}

Test(overlap_waits, names_the_operation_that_waited)
{
    static const struct {
        const char *trace;
        int operation; /* of the trace's, the one that waited longest */
        enum serial_reason reason;
        int64_t start_us, serialised_us;
    } cases[] = {
        {"one stream", 1, SERIAL_SAME_STREAM, 100, 100},
        {"the default stream between two others", 1, SERIAL_DEFAULT_STREAM, 100, 100},
        {"one engine for two copies to the device", 1, SERIAL_ONE_ENGINE, 100, 100},
        {"pageable copies in two streams", 1, SERIAL_PAGEABLE, 90, 100},
        {"a pageable copy that waits itself", 1, SERIAL_PAGEABLE, 150, 150},
        {"the host waits before it goes on in another stream", 1, SERIAL_EXPLICIT_SYNC, 96, 100},
        {"a free waits for a kernel", 1, SERIAL_IMPLICIT_SYNC, 110, 90},
        {"an allocation waits for a kernel that was on its way", 1, SERIAL_IMPLICIT_SYNC, 110, 88},
        {"one stream is told to wait for an event in another", 1, SERIAL_EVENT_WAIT, 100, 100},
        {"copy and kernel in one stream, then the host waits for both", 1, SERIAL_SAME_STREAM, 100, 100},
        {"a kernel that fills the device", 1, SERIAL_RESOURCES, 100, 95},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct trace *trace = trace_find(cases[i].trace);
        struct session *session = trace_session(trace, NULL);
        struct overlap overlap = overlap_of(session);
        cr_assert_geq(overlap.wait_count, 1, "%s", trace->name);
        const struct overlap_wait *wait = &overlap.waits[0];
        const struct operation *operation = &trace->operations[cases[i].operation];
        cr_assert_eq(session_event_start_ns(session, wait->event), operation->start * 1000, "%s",
                     trace->name);
        cr_assert_eq(session_track(session, wait->event.track)->stream, operation->stream);
        cr_assert_eq(wait->reason, cases[i].reason);
        cr_assert_eq(wait->start_ns, cases[i].start_us * 1000, "%s: %ld", trace->name, (long)wait->start_ns);
        cr_assert_eq(wait->serialised_ns, cases[i].serialised_us * 1000);
        session_destroy(session);
    }
}

/* Only the longest are kept of many, and none is lost in the count. */
Test(overlap_waits, keeps_the_longest)
{
    static const struct trace empty = {.name = "nothing"};
    struct session *session = trace_session(&empty, NULL);
    enum { PAIRS = 100 };
    for (int i = 0; i < PAIRS; i++) {
        int64_t at = 1000 + i * 1000, long_us = 100 + (i * 37) % PAIRS;
        const struct operation first = {1, TO_DEVICE, at, at + long_us, at - 10, at - 9, ASYNC, 0, 0},
                               second = {
                                   1, KERNEL, at + long_us + 2, at + long_us + 12, at - 8, at - 7, ASYNC,
                                   0, 0};
        trace_add(session, &empty, &first, 0);
        trace_add(session, &empty, &second, 0);
    }
    struct overlap overlap = overlap_of(session);
    cr_assert_eq(overlap.waited[SERIAL_SAME_STREAM], PAIRS);
    cr_assert_eq(overlap.wait_count, OVERLAP_WAITS_MAX);
    for (uint32_t i = 0; i < overlap.wait_count; i++)
        cr_assert_eq(overlap.waits[i].serialised_ns, (100 + PAIRS - 1 - (int64_t)i) * 1000);
    session_destroy(session);
}

/* ---- from events alone ---- */

static bool same(const struct overlap *a, const struct overlap *b)
{
    bool waits = a->wait_count == b->wait_count;
    for (uint32_t i = 0; waits && i < a->wait_count; i++)
        waits = memcmp(&a->waits[i].event, &b->waits[i].event, sizeof a->waits[i].event) == 0 &&
                a->waits[i].serialised_ns == b->waits[i].serialised_ns &&
                a->waits[i].start_ns == b->waits[i].start_ns && a->waits[i].reason == b->waits[i].reason;
    return waits && a->kernel_busy_ns == b->kernel_busy_ns && a->copy_busy_ns == b->copy_busy_ns &&
           a->copy_hidden_ns == b->copy_hidden_ns && a->least_ns == b->least_ns &&
           a->mean_active_streams == b->mean_active_streams &&
           memcmp(a->serialised_ns, b->serialised_ns, sizeof a->serialised_ns) == 0;
}

/* Names that say something else than the events change nothing. */
Test(overlap_waits, names_do_not_matter)
{
    static const char *const names[] = {"default-stream:legacy", "staged-overlap:staged-pageable",
                                        "n-way:4-way", "cudaDeviceSynchronize", "cudaMalloc"};
    for (size_t t = 0; t < trace_count; t++) {
        struct session *session = trace_session(&traces[t], NULL);
        struct overlap without = overlap_of(session);
        session_destroy(session);
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            session = trace_session(&traces[t], names[i]);
            struct overlap with = overlap_of(session);
            session_destroy(session);
            cr_assert(same(&without, &with), "%s, called %s", traces[t].name, names[i]);
        }
    }
}

/* ---- at least ---- */

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Of 132 x 8 places for blocks of 256 threads a KERNEL takes one, a LARGE_KERNEL all. */
Test(overlap_waits, the_least_time_equals_brute_force)
{
    enum { SPAN = 3000, ENGINES = 3 };
    static const enum work engine_work[ENGINES] = {KERNEL, TO_DEVICE, TO_HOST};
    static const struct trace free_streams = {ALL_FREE};
    uint64_t state = 11;
    int bound_by[ENGINES] = {0};
    for (int round = 0; round < 200; round++) {
        static bool busy[ENGINES][SPAN];
        struct session *session = trace_session(&free_streams, NULL);
        double area = 0;
        int64_t longest = 0, sum[ENGINES] = {0};
        memset(busy, 0, sizeof busy);
        for (int i = 0; i < 40; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            size_t engine = (size_t)(state >> 44) % ENGINES;
            bool large = round % 3 > 0 && (state >> 40) % 4 > 0;
            struct operation operation = {.stream = (uint32_t)(state >> 50) % 4,
                                          .work = large && engine == 0 ? LARGE_KERNEL : engine_work[engine],
                                          .start = (int64_t)((state >> 20) % (SPAN - 200)),
                                          .call_start = UNKNOWN};
            int64_t duration = 1 + (int64_t)((state >> 32) % 199);
            operation.end = operation.start + duration;
            trace_add(session, &free_streams, &operation, 0);
            for (int64_t t = operation.start; t < operation.end; t++)
                busy[engine][t] = true;
            if (engine == 0) {
                area += (double)duration * (operation.work == LARGE_KERNEL ? 1.0 : 1.0 / 1056.0);
                longest = larger(longest, duration);
            }
        }
        for (size_t engine = 0; engine < ENGINES; engine++)
            for (size_t t = 0; t < SPAN; t++)
                sum[engine] += busy[engine][t];
        double kernels = fmin((double)sum[0], fmax(area, (double)longest));
        double least = fmax(kernels, fmax((double)sum[1], (double)sum[2]));
        struct overlap overlap = overlap_of(session);
        cr_assert_float_eq((double)overlap.least_ns, least * 1000, 2, "%f, not %f", (double)overlap.least_ns,
                           least * 1000);
        cr_assert_leq(overlap.least_ns, overlap.any_busy_ns);
        const char *engine = overlap_engine_text(overlap.least_engine);
        int bound = strcmp(engine, "kernels") == 0 ? 0 : strcmp(engine, "copies to the device") == 0 ? 1 : 2;
        bound_by[bound]++;
        cr_assert_geq(bound == 0 ? kernels : (double)sum[bound], least);
        session_destroy(session);
    }
    cr_assert(bound_by[0] > 5 && bound_by[1] > 5 && bound_by[2] > 5);
}

/* Where the device's limits are not known, a kernel has it alone; two devices work at once. */
Test(overlap_waits, the_least_time_is_of_one_device)
{
    struct session *session = trace_session(trace_find("two devices"), NULL);
    struct overlap overlap = overlap_of(session);
    cr_assert_eq(overlap.least_ns, 100000);
    session_destroy(session);
    session = trace_session(trace_find("one stream, two small kernels"), NULL);
    overlap = overlap_of(session);
    cr_assert_eq(overlap.least_ns, 100000);
    session_destroy(session);
    session = trace_session(trace_find("one stream, two large kernels: the device was not free"), NULL);
    overlap = overlap_of(session);
    cr_assert_eq(overlap.least_ns, 200000);
    session_destroy(session);
}
