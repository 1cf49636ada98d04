/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The collector with real producers: the generator as the program, and producers of this process where two
 * rings of one process matter.
 */
#include "cli/run/collect.h"
#include "core/session/samples.h"
#include "core/session/session.h"
#include "core/wire/wire.h"
#include "tests/cli/collect_bench.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

Test(collect, a_program_becomes_rows)
{
    struct bench bench;
    struct collector_stats stats;
    uint32_t largest;
    bench_open(&bench);
    cr_assert_eq(
        BENCH_RUN(&bench, "--numbered", "--events", "5000", "--rate", "50k", "--status", "7", "--rank", "3"),
        7 << 8);
    cr_assert_eq(bench_launches(bench.session, &largest), 5000);
    cr_assert_eq(largest, 5000);
    cr_assert_eq(session_process_count(bench.session), 1);
    const struct process_row *process = session_process(bench.session, 0);
    cr_assert_eq(process->exit_status, 7);
    cr_assert_eq(process->rank, 3);
    cr_assert_eq(process->parent_pid, getpid());
    cr_assert_gt(process->end_ns, process->start_ns);
    cr_assert_str_eq(session_string(bench.session, process->program), "lanescope-generator");
    cr_assert_not_null(strstr(session_string(bench.session, process->command), "--numbered --events 5000"));
    cr_assert_eq(session_run_count(bench.session), 1);
    const struct run_row *run = session_run(bench.session, 0);
    cr_assert_eq(run->workload, 0);
    cr_assert_eq(run->process, 0);
    cr_assert_eq(run->verified, -1);
    cr_assert_eq(run->end_ns, process->end_ns);
    cr_assert_str_eq(session_string(bench.session, run->program), "lanescope-generator");
    cr_assert_gt(session_now_ns(bench.session, CLOCK_WALL), process->start_ns);
    cr_assert_eq(session_drop_count(bench.session), 0);
    cr_assert_eq(session_notice_count(bench.session), 0);
    collector_stats(bench.collector, &stats);
    cr_assert_gt(stats.events, 5000);
    cr_assert_eq(stats.dropped + stats.malformed + stats.torn + stats.refused, 0);
    cr_assert_eq(stats.processes, 1);
    bench_close(&bench);
}

Test(collect, kernel_names_are_readable)
{
    struct bench bench;
    bench_open(&bench);
    BENCH_RUN(&bench, "--events", "100", "--base", "0");
    bool found = false;
    for (uint32_t i = 0; i < session_shape_count(bench.session); i++) {
        const struct shape_row *shape = session_shape(bench.session, i);
        if (strcmp(session_string(bench.session, shape->mangled), "_Z4scanIjEvPT_j") == 0) {
            found = true;
            cr_assert_not_null(strstr(session_string(bench.session, shape->name), "scan<unsigned int>"));
        }
    }
    cr_assert(found);
    bench_close(&bench);
}

/* Killed in the middle, with records reserved and not written: what came before is there, without a gap, and
 * is said to be what it is. */
Test(collect, a_killed_program_leaves_what_it_sent)
{
    struct bench bench;
    uint32_t largest;
    bench_open(&bench);
    int status = BENCH_RUN(&bench, "--numbered", "--rate", "100k", "--events", "30000", "--torn", "4",
                           "--end", "kill");
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    uint64_t launches = bench_launches(bench.session, &largest);
    cr_assert_eq(launches, largest);
    cr_assert_eq(launches, 30000);
    cr_assert_eq(session_process(bench.session, 0)->exit_status, 128 + SIGKILL);
    cr_assert(bench_notice(bench.session, "4 records of process"));
    bench_close(&bench);
}

Test(collect, children_of_the_program_are_seen)
{
    struct bench bench;
    bench_open(&bench);
    BENCH_RUN(&bench, "--events", "2000", "--rate", "20k", "--fork", "3");
    bench_stop(&bench);
    cr_assert_eq(session_process_count(bench.session), 4);
    cr_assert_eq(session_run_count(bench.session), 4);
    unsigned known = 0;
    for (uint32_t i = 0; i < 4; i++) {
        const struct process_row *process = session_process(bench.session, i);
        cr_assert_neq(process->end_ns, INT64_MIN);
        known += process->exit_status == 0;
        cr_assert_eq(session_run(bench.session, i)->process, i);
    }
    cr_assert_geq(known, 1); /* nobody waits for the children but their parent */
    bench_close(&bench);
}

Test(collect, runs_of_another_mode_are_the_same_work)
{
    struct bench bench;
    bench_open(&bench);
    BENCH_RUN(&bench, "--events", "500", "--rate", "0");
    BENCH_RUN(&bench, "--events", "500", "--rate", "0");
    BENCH_RUN(&bench, "--mode", "counters", "--rate", "0");
    BENCH_RUN(&bench, "--mode", "counters", "--rate", "0");
    BENCH_RUN(&bench, "--mode", "memory", "--rate", "0");
    BENCH_RUN(&bench, "--mode", "memory", "--rate", "0");
    BENCH_RUN(&bench, "--events", "500", "--rate", "0");
    BENCH_RUN(&bench, "--mode", "memory", "--rate", "0");
    cr_assert_eq(session_run_count(bench.session), 8);
    static const uint32_t groups[] = {0, 1, 0, 1, 0, 1, 6, 6};
    for (uint32_t i = 0; i < 8; i++)
        cr_assert_eq(session_run(bench.session, i)->group, groups[i], "run %u", i);
    cr_assert_gt(session_measurement_count(bench.session), 0);
    bench_close(&bench);
}

/* A RUN_BEGIN in the workload's ring comes before the kernels in the agent's ring that were launched after
 * it, always. */
Test(collect, a_run_is_known_before_its_kernels)
{
    enum { RUNS = 300, KERNELS = 40 };
    struct bench bench;
    struct error error;
    struct wire_producer *workload, *agent;
    struct wire_hello hello = {.role = WIRE_ROLE_WORKLOAD, .start_ns = bench_clock_ns(), .rank = -1};
    bench_open(&bench);
    const char *path = collector_socket_path(bench.collector);
    cr_assert_eq(wire_producer_create(&workload, path, &hello, 0, &error), STATUS_OK);
    hello.role = WIRE_ROLE_AGENT;
    cr_assert_eq(wire_producer_create(&agent, path, &hello, 0, &error), STATUS_OK);
    const struct event shape = {
        .kind = EVENT_SHAPE,
        .shape = {.id = 1, .name = wire_string(agent, "k"), .grid = {1, 1, 1}, .block = {1, 1, 1}}};
    cr_assert(wire_emit(agent, &shape));
    for (uint32_t run = 1; run <= RUNS; run++) {
        struct event event = {.kind = EVENT_RUN_BEGIN,
                              .run = {.time_ns = bench_clock_ns(),
                                      .id = run,
                                      .workload = wire_string(workload, "copy-offset"),
                                      .verified = -1}};
        cr_assert(wire_emit(workload, &event));
        for (uint32_t i = 0; i < KERNELS; i++) {
            int64_t now_ns = bench_clock_ns();
            const struct event kernel = {
                .kind = EVENT_KERNEL,
                .kernel = {
                    .start_ns = now_ns, .end_ns = now_ns + 10, .correlation = run * KERNELS + i, .shape = 1}};
            cr_assert(wire_emit(agent, &kernel));
        }
        const struct event watermark = {.kind = EVENT_WATERMARK, .watermark = {.time_ns = bench_clock_ns()}};
        cr_assert(wire_emit(agent, &watermark));
        if (run % 16 == 0)
            bench_nap_ms(1);
        event.kind = EVENT_RUN_END;
        event.run.time_ns = bench_clock_ns();
        cr_assert(run == RUNS || wire_emit(workload, &event));
    }
    /* Killed in its last run: the workload's end may be seen first, and the agent's last records still need
     * its runs. */
    wire_producer_destroy(workload);
    bench_nap_ms(50);
    int64_t last_ns = bench_clock_ns();
    const struct event last = {.kind = EVENT_KERNEL,
                               .kernel = {.start_ns = last_ns, .end_ns = last_ns + 10, .shape = 1}};
    cr_assert(wire_emit(agent, &last));
    wire_producer_destroy(agent);
    while (collector_live_processes(bench.collector) > 0 || session_run_count(bench.session) < RUNS)
        bench_nap_ms(1);
    bench_stop(&bench);
    cr_assert_eq(session_process_count(bench.session), 1);
    cr_assert_eq(session_run_count(bench.session), RUNS);
    cr_assert_eq(session_kernel_count(bench.session), RUNS);
    for (uint32_t i = 0; i < RUNS; i++)
        cr_assert_eq(session_kernel(bench.session, i)->launches, KERNELS + (i == RUNS - 1), "run %u", i);
    bench_close(&bench);
}

Test(collect, losses_are_rows)
{
    struct bench bench;
    struct collector_stats stats;
    struct session_lost lost;
    for (int turn = 0; turn < 20; turn++) { /* until the generator was faster than the collector */
        bench_open(&bench);
        BENCH_RUN(&bench, "--events", "300k", "--rate", "0", "--ring", "16384");
        bench_stop(&bench);
        if (session_drop_count(bench.session) > 0 || turn == 19)
            break;
        bench_close(&bench);
    }
    uint64_t rows = 0;
    for (uint32_t i = 0; i < session_drop_count(bench.session); i++) {
        const struct drop_row *row = session_drop(bench.session, i);
        cr_assert_eq(row->reason, DROP_RING_FULL);
        cr_assert_eq(row->process, 0);
        rows += row->count;
    }
    cr_assert_gt(rows, 0);
    cr_assert(bench_notice(bench.session, "some are missing"));
    session_lost(bench.session, &lost);
    cr_assert_eq(lost.dropped, rows);
    bench_close(&bench);
    /* every event was taken in or counted as lost: announcements and watermarks come on top */
    bench_open(&bench);
    BENCH_RUN(&bench, "--events", "300k", "--rate", "0", "--ring", "16384");
    collector_stats(bench.collector, &stats);
    cr_assert_geq(stats.events + stats.dropped, 300000);
    cr_assert_lt(stats.events + stats.dropped, 300200);
    bench_close(&bench);
}

Test(collect, nonsense_hurts_nobody)
{
    struct bench bench;
    struct collector_stats stats;
    bench_open(&bench);
    int status =
        BENCH_RUN(&bench, "--events", "50k", "--rate", "0", "--wait", "--threads", "3", "--hostile-names",
                  "--malformed", "20", "--wrong-ids", "20", "--losses", "500", "--torn", "9", "--disorder",
                  "200", "--long-every", "1000", "--shapes", "64", "--no-goodbye");
    cr_assert_eq(status, 0);
    collector_stats(bench.collector, &stats);
    cr_assert_gt(stats.malformed, 0);
    cr_assert_eq(stats.torn, 9);
    cr_assert(bench_notice(bench.session, "were malformed"));
    cr_assert_gt(session_launch_count(bench.session), 10000);
    bench_close(&bench);
}

Test(collect, a_program_without_events_is_not_waited_for)
{
    struct bench bench;
    bench_open(&bench);
    bench_finish(&bench, bench_start(&bench, (char *const[]){(char *)(uintptr_t) "/bin/true", NULL}));
    cr_assert_eq(session_process_count(bench.session), 0);
    bench_close(&bench);
}

/* A child of the program's that kept its files keeps the connection open; the program has ended all the same.
 */
Test(collect, an_inherited_connection_does_not_keep_a_dead_program_alive)
{
    struct bench bench;
    int hold[2];
    bench_open(&bench);
    cr_assert_eq(pipe(hold), 0);
    pid_t child = fork();
    if (child == 0) {
        struct wire_producer *producer;
        const struct wire_hello hello = {.role = WIRE_ROLE_AGENT, .start_ns = bench_clock_ns()};
        char byte;
        if (wire_producer_create(&producer, collector_socket_path(bench.collector), &hello, 0, NULL) !=
            STATUS_OK)
            _exit(1);
        close(hold[1]);
        if (fork() == 0)
            _exit(read(hold[0], &byte, 1) == 0 ? 0 : 1);
        _exit(0);
    }
    cr_assert_eq(bench_finish(&bench, child), 0);
    cr_assert_eq(session_process(bench.session, 0)->exit_status, 0);
    close(hold[1]);
    close(hold[0]);
    bench_close(&bench);
}

/* The newest of each process, and of those the newest that runs. It becomes no row. */
Test(collect, keeps_the_newest_progress)
{
    struct bench bench;
    struct collector_progress seen;
    struct wire_producer *producers[2];
    const struct wire_hello hello = {.role = WIRE_ROLE_AGENT, .start_ns = bench_clock_ns(), .rank = -1};
    struct progress progress = {.launch = 3, .blocks = 100, .ended = 5, .executed = 700, .elapsed_ns = 2000};
    bench_open(&bench);
    cr_assert_not(collector_progress(bench.collector, &seen));
    for (int i = 0; i < 2; i++)
        cr_assert_eq(
            wire_producer_create(&producers[i], collector_socket_path(bench.collector), &hello, 0, NULL),
            STATUS_OK);
    cr_assert(wire_progress(producers[0], "_Z4scanIjEvPT_j", &progress));
    progress.ended = 60;
    cr_assert(wire_progress(producers[0], "_Z4scanIjEvPT_j", &progress));
    while (!collector_progress(bench.collector, &seen) || seen.of.ended != 60)
        bench_nap_ms(1);
    cr_assert(seen.of.launch == 3 && seen.of.blocks == 100 && seen.of.executed == 700 &&
              seen.of.elapsed_ns == 2000);
    cr_assert(strstr(session_string(bench.session, seen.kernel), "scan<unsigned int>"));
    progress.ended = 7;
    cr_assert(wire_progress(producers[1], "step", &progress));
    while (collector_progress(bench.collector, &seen) && seen.of.ended != 7)
        bench_nap_ms(1);
    cr_assert_str_eq(session_string(bench.session, seen.kernel), "step");
    progress.over = true;
    cr_assert(wire_progress(producers[1], "step", &progress));
    while (collector_progress(bench.collector, &seen) && seen.of.ended == 7)
        bench_nap_ms(1);
    cr_assert_eq(seen.of.ended, 60);     /* the other still runs */
    wire_producer_destroy(producers[0]); /* until it ends */
    while (collector_progress(bench.collector, &seen))
        bench_nap_ms(1);
    wire_producer_destroy(producers[1]);
    cr_assert_eq(session_event_count(bench.session), 0);
    bench_close(&bench);
}

Test(collect, stopping_lets_programs_run_on)
{
    struct bench bench;
    uint32_t largest;
    bench_open(&bench);
    pid_t child = bench_start(
        &bench, (char *const[]){(char *)(uintptr_t)GENERATOR, "--numbered", "--rate", "20k", NULL});
    while (session_launch_count(bench.session) < 1000)
        bench_nap_ms(1);
    bench_stop(&bench);
    cr_assert_eq(bench_launches(bench.session, &largest), largest);
    cr_assert_neq(session_process(bench.session, 0)->end_ns, INT64_MIN);
    cr_assert_eq(session_process(bench.session, 0)->exit_status, -1);
    int status;
    waitpid(child, &status, 0);
    cr_assert_eq(status, 4 << 8); /* the generator says: lanescope went away */
    bench_close(&bench);
}

/* From its end to the session in well under the 100 ms that it may take to the screen: the quickest of many,
 * since a busy machine may keep each of them waiting. */
Test(collect, events_come_soon)
{
    struct bench bench;
    struct error error;
    struct wire_producer *producer;
    const struct wire_hello hello = {.role = WIRE_ROLE_AGENT, .start_ns = bench_clock_ns()};
    bench_open(&bench);
    cr_assert_eq(wire_producer_create(&producer, collector_socket_path(bench.collector), &hello, 0, &error),
                 STATUS_OK);
    int64_t quickest_ns = INT64_MAX;
    for (uint32_t i = 1; i <= 5 || (i <= 100 && quickest_ns >= 50000000); i++) {
        bench_nap_ms(60); /* long enough for the collector to become idle */
        int64_t now_ns = bench_clock_ns();
        const struct event call = {
            .kind = EVENT_CALL,
            .call = {.start_ns = now_ns - 10, .end_ns = now_ns, .correlation = i, .category = CALL_LAUNCH}};
        const struct event kernel = {.kind = EVENT_KERNEL,
                                     .kernel = {.start_ns = now_ns, .end_ns = now_ns + 1, .correlation = i}};
        const struct event watermark = {.kind = EVENT_WATERMARK, .watermark = {.time_ns = now_ns + 2}};
        wire_emit(producer, &call);
        wire_emit(producer, &kernel);
        wire_emit(producer, &watermark);
        while (session_launch_count(bench.session) < i && bench_clock_ns() - now_ns < 60000000000)
            bench_nap_ms(1);
        cr_assert_eq(session_launch_count(bench.session), i);
        if (bench_clock_ns() - now_ns < quickest_ns)
            quickest_ns = bench_clock_ns() - now_ns;
    }
    int64_t quiet_ns = bench_clock_ns();
    const struct event quiet = {.kind = EVENT_WATERMARK, .watermark = {.time_ns = quiet_ns}};
    wire_emit(producer, &quiet); /* nothing happened, and this too is known */
    while (session_now_ns(bench.session, CLOCK_WALL) < quiet_ns - session_start_ns(bench.session) &&
           bench_clock_ns() - quiet_ns < 60000000000)
        bench_nap_ms(1);
    cr_assert_eq(session_now_ns(bench.session, CLOCK_WALL), quiet_ns - session_start_ns(bench.session));
    cr_assert_lt(quickest_ns, 50000000, "%lld ns", (long long)quickest_ns);
    wire_producer_destroy(producer);
    bench_close(&bench);
}

/* Twelve series that share their times, with the numbers that the generator says it sends, each at its time.
 */
Test(collect, samples_become_series)
{
    struct bench bench;
    bench_open(&bench);
    BENCH_RUN(&bench, "--samples", "500", "--duration", "0.3", "--rate", "2000");
    bench_stop(&bench);
    cr_assert_eq(sampling_count(bench.session), 1);
    cr_assert_eq(session_series_count(bench.session), 12);
    uint64_t count = sample_count(bench.session, 0);
    cr_assert_gt(count, 400, "%d", (int)count);
    int64_t base_ns = sample_start_ns(bench.session, 0, 0);
    for (uint64_t i = 0; i < count; i++)
        for (uint32_t s = 0; s < 12; s++) {
            float wanted = (i / 100 % 2 ? 70.0f : 10.0f) + (float)s;
            cr_assert_eq(sample_start_ns(bench.session, 0, i), base_ns + (int64_t)i * 500000);
            cr_assert_eq(sample_number(bench.session, s, i), wanted, "series %u, sample %d", s, (int)i);
        }
    struct sample_column step = samples_over(bench.session, 3, base_ns + 49000000, base_ns + 52000000);
    cr_assert_float_eq(step.mean, (2 * 13.0 + 4 * 73.0) / 6, 1e-6);
    struct samples_lost lost;
    samples_lost(bench.session, &lost);
    cr_assert(lost.cut == 0 && lost.late == 0 && lost.refused == 0);
    bench_close(&bench);
}

Test(collect, notices_of_others)
{
    struct bench bench;
    bench_open(&bench);
    collector_notice(bench.collector, SEVERITY_WARNING, "Counters need permission.");
    bench_stop(&bench);
    cr_assert_eq(session_notice_count(bench.session), 1);
    const struct notice_row *notice = session_notice(bench.session, 0);
    cr_assert_eq(notice->severity, SEVERITY_WARNING);
    cr_assert_eq(notice->process, NONE);
    cr_assert_str_eq(session_string(bench.session, notice->text), "Counters need permission.");
    bench_close(&bench);
}
