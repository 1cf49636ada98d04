/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the collector loses, it counts by kind and says: events that make no sense, a clock that steps, a
 * recording that lags, memory that runs out.
 */
#include "cli/run/collect.h"
#include "core/wire/wire.h"
#include "tests/cli/collect_bench.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static uint64_t count_drops(const struct session *session, uint32_t kind, uint32_t reason)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < session_drop_count(session); i++) {
        const struct drop_row *row = session_drop(session, i);
        count += row->kind == kind && row->reason == reason ? row->count : 0;
    }
    return count;
}

static struct wire_producer *connect_producer(const struct bench *bench)
{
    struct error error = {.text = ""};
    struct wire_producer *producer;
    const struct wire_hello hello = {.role = WIRE_ROLE_AGENT, .start_ns = bench_clock_ns(), .rank = -1};
    cr_assert_eq(wire_producer_create(&producer, collector_socket_path(bench->collector), &hello, 0, &error),
                 STATUS_OK, "%s", error.text);
    const struct event shape = {
        .kind = EVENT_SHAPE,
        .shape = {.id = 1, .name = wire_string(producer, "k"), .grid = {1, 1, 1}, .block = {1, 1, 1}}};
    cr_assert(wire_emit(producer, &shape));
    return producer;
}

static void emit_kernel(struct wire_producer *producer, int64_t start_ns, int64_t end_ns)
{
    const struct event kernel = {.kind = EVENT_KERNEL,
                                 .kernel = {.start_ns = start_ns, .end_ns = end_ns, .shape = 1}};
    cr_assert(wire_emit(producer, &kernel));
}

static void disconnect_and_stop(struct bench *bench, struct wire_producer *producer)
{
    wire_producer_destroy(producer);
    bench_stop(bench);
}

Test(losses, what_makes_no_sense_is_counted_by_kind)
{
    struct bench bench;
    struct session_lost lost;
    bench_open(&bench);
    struct wire_producer *producer = connect_producer(&bench);
    int64_t now_ns = bench_clock_ns();
    const struct event call = {.kind = EVENT_CALL, .call = {.start_ns = 1, .end_ns = 2, .correlation = 3}};
    for (int i = 0; i < 5; i++)
        emit_kernel(producer, now_ns, now_ns - 1);
    for (int i = 0; i < 3; i++)
        cr_assert(wire_emit(producer, &call));
    emit_kernel(producer, now_ns, now_ns + 10);
    emit_kernel(producer, now_ns, now_ns + (int64_t)3 * 86400 * 1000000000);
    disconnect_and_stop(&bench, producer);
    cr_assert_eq(session_launch_count(bench.session), 1);
    cr_assert_eq(count_drops(bench.session, EVENT_KERNEL, DROP_REFUSED), 6);
    cr_assert_eq(count_drops(bench.session, EVENT_CALL, DROP_REFUSED), 3);
    cr_assert(bench_notice(bench.session, "impossible times or contents"));
    session_lost(bench.session, &lost);
    cr_assert_eq(lost.dropped, 9, "the screen's count has them");
    cr_assert_eq(lost.told, 0);
    bench_close(&bench);
}

/* lanescope's clock was set back by an hour while the program ran: nothing of what follows is lost. */
Test(losses, a_clock_that_steps_loses_nothing)
{
    struct bench bench;
    bench_open(&bench);
    struct wire_producer *producer = connect_producer(&bench);
    int64_t hour_ns = (int64_t)3600 * 1000000000;
    for (int i = 0; i < 1000; i++) {
        int64_t start_ns = bench_clock_ns() + hour_ns;
        emit_kernel(producer, start_ns, start_ns + 10);
    }
    disconnect_and_stop(&bench, producer);
    cr_assert_eq(session_launch_count(bench.session), 1000);
    cr_assert_eq(session_drop_count(bench.session), 0);
    cr_assert(bench_notice(bench.session, "the clock stepped"));
    bench_close(&bench);
}

/* Nothing records, as when the disk is slow or locked: what is not recorded stays within the limit, and the
 * program counts the rest. */
Test(losses, memory_is_bounded_while_the_recording_lags, .timeout = 280)
{
    enum { EVENTS = 3000000, LIMIT = 16000000 };
    struct bench bench;
    struct error error = {.text = ""};
    char name[32];
    snprintf(name, sizeof name, "%d", EVENTS);
    cr_assert_eq(session_create(&bench.session, bench_clock_ns(), &error), STATUS_OK);
    session_set_memory_limit(bench.session, LIMIT, true);
    cr_assert_eq(collector_start(&bench.collector, bench.session, &error), STATUS_OK);
    BENCH_RUN(&bench, "--events", name, "--rate", "1M", "--ring", "4194304");
    struct collector_stats stats;
    collector_stats(bench.collector, &stats);
    bench_stop(&bench);
    cr_assert_lt(session_memory_bytes(bench.session), 2 * LIMIT);
    cr_assert_gt(stats.dropped, 0);
    cr_assert_geq(stats.events + stats.dropped, EVENTS);
    cr_assert(bench_notice(bench.session, "Events arrive faster than they are recorded"));
    session_destroy(bench.session);
}

#ifndef SANITIZES_ADDRESSES /* whose shadow is address space, too */
static int64_t processor_ns(pid_t process)
{
    struct timespec time = {0};
    clockid_t clock;
    return clock_getcpuclockid(process, &clock) == 0 && clock_gettime(clock, &time) == 0
               ? (int64_t)time.tv_sec * 1000000000 + time.tv_nsec
               : INT64_MAX; /* it has ended */
}

/* Until the process has used so much more of a processor. */
static void run_for_ms(pid_t process, int64_t ms)
{
    int64_t end_ns = processor_ns(process);
    end_ns = end_ns == INT64_MAX ? end_ns : end_ns + ms * 1000000;
    while (processor_ns(process) < end_ns)
        bench_nap_ms(5);
}

/* Memory runs out, and comes back: what was lost between is counted, and the rest is there. */
Test(losses, memory_that_runs_out_is_said, .timeout = 280)
{
    enum { EVENTS = 4000000 };
    struct bench bench;
    uint32_t largest;
    struct rlimit whole, little;
    char text[64], name[32];
    snprintf(name, sizeof name, "%d", EVENTS);
    bench_open(&bench);
    pid_t child =
        bench_start(&bench, (char *const[]){(char *)(uintptr_t)GENERATOR, (char *)(uintptr_t) "--numbered",
                                            (char *)(uintptr_t) "--rate", (char *)(uintptr_t) "0",
                                            (char *)(uintptr_t) "--ring", (char *)(uintptr_t) "1048576",
                                            (char *)(uintptr_t) "--events", name, NULL});
    while (session_launch_count(bench.session) == 0)
        bench_nap_ms(1);
    FILE *file = fopen("/proc/self/statm", "r");
    cr_assert(file && fgets(text, sizeof text, file));
    fclose(file);
    cr_assert_eq(getrlimit(RLIMIT_AS, &whole), 0);
    /* Room for 30 MB of events, however many have come by now. */
    little = (struct rlimit){
        (strtoull(text, NULL, 10) << 12) - session_memory_bytes(bench.session) + (30u << 20), whole.rlim_max};
    cr_assert_eq(setrlimit(RLIMIT_AS, &little), 0);
    struct session_lost lost;
    do {
        bench_nap_ms(10);
        session_lost(bench.session, &lost);
    } while (lost.no_memory == 0 && collector_live_processes(bench.collector) > 0);
    run_for_ms(child, 50); /* in which it fills the ring and loses events, however busy the machine is */
    uint64_t before = session_launch_count(bench.session);
    cr_assert_lt(before, EVENTS, "the rings are left alone");
    cr_assert_eq(setrlimit(RLIMIT_AS, &whole), 0);
    bench_finish(&bench, child);
    bench_stop(&bench);
    uint64_t launches = bench_launches(bench.session, &largest);
    cr_assert_eq(largest, EVENTS, "the last one is there");
    cr_assert_eq(launches + count_drops(bench.session, EVENT_KERNEL, DROP_NO_ROOM), EVENTS);
    cr_assert_gt(count_drops(bench.session, EVENT_KERNEL, DROP_NO_ROOM), 0);
    cr_assert(bench_notice(bench.session, "lanescope ran out of memory"));
    bench_close(&bench);
}
#endif
