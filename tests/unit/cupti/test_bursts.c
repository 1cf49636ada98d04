/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bursts from the side of the profiled program: which launches ask for one, how long they wait, when it may
 * end. The agent runs in a child with doubles of CUPTI and the driver; this test is lanescope and the
 * sampler.
 */
#include "core/wire/agent_config.h"
#include "core/wire/sampling_control.h"
#include "core/wire/wire.h"
#include "tests/shared/made/watched_program.h"

#include <criterion/criterion.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef TEST_AGENT
#include "tests/no_agent.h"
#else

#define BURSTS 64

/* ---- the program ---- */

static watched_program *chosen;
static struct sampling_control *control_of_program;

static void run_chosen(void)
{
    control_of_program = sampling_control_open(getenv(WIRE_SOCKET_VARIABLE));
    if (!control_of_program)
        _exit(9);
    play.context(1, 1);
    chosen();
}

static void launch(const char *name, unsigned blocks)
{
    static unsigned correlation;
    play.launch(name, blocks, ++correlation);
}

/* As a program does before it reads its results. */
static void synchronise(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 60000000}, NULL);
}

/* Twice each of three kernels, of which two share a name. */
static void three_kernels(void)
{
    for (int i = 0; i < 2; i++) {
        launch("_Z8conflictPf", 4);
        launch("_Z6paddedPf", 4);
        launch("_Z6paddedPf", 8);
    }
    synchronise();
}

static void two_cases(void)
{
    launch("_Z8conflictPf", 4);
    launch("_Z8conflictPf", 4);
    atomic_fetch_add(&control_of_program->run, 1);
    launch("_Z8conflictPf", 4);
    synchronise();
}

static void twenty_launches(void)
{
    for (unsigned i = 0; i < 20; i++)
        launch("_Z6kernelPf", i + 1);
}

static void dies_in_its_first_kernel(void)
{
    launch("_Z6kernelPf", 1);
    kill(getpid(), SIGKILL);
}

/* ---- lanescope and the sampler ---- */

static struct {
    struct {
        int64_t begun_ns, enough_ns;
    } bursts[BURSTS];
    uint32_t burst_count;
    int status;
    double seconds;
} served;

/* Samples are wanted, and the sampler is ready so long after the program has come; 0: not at all. */
static int64_t wanted_ready_ns;

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

enum service { SERVES_NOT, SERVES, SERVES_SHORT /* a burst is over at once, whatever its kernel does */ };

/* Does the sampler's part for one burst, if one is asked for. */
static void serve(struct sampling_slot *slot, enum service serves)
{
    uint32_t asked = atomic_load(&slot->asked);
    if (serves == SERVES_NOT || asked == atomic_load(&slot->ended) || served.burst_count == BURSTS)
        return;
    if (atomic_load(&slot->begun) != asked) {
        served.bursts[served.burst_count].begun_ns = now_ns();
        atomic_store(&slot->begun, asked);
        sampling_control_tell(slot);
    }
    if (atomic_load(&slot->enough) == asked || serves == SERVES_SHORT) {
        served.bursts[served.burst_count++].enough_ns = now_ns();
        atomic_store(&slot->ended, asked);
        sampling_control_tell(slot);
    }
}

/* Runs a program to its end, once. */
static void watch_once(const char *config, const char *kernel_us, watched_program *run,
                       enum sampling_state state, enum service serves)
{
    struct wire_listener *listener;
    struct wire_consumer *consumer;
    struct wire_hello hello;
    struct error error;
    int fd, control_fd;
    char environment[64];
    memset(&seen, 0, sizeof seen);
    memset(&served, 0, sizeof served);
    int64_t come_ns = INT64_MAX / 2;
    snprintf(environment, sizeof environment, "CUPTI_DOUBLE_KERNEL_US=%s", kernel_us);
    chosen = run;
    cr_assert_eq(wire_listener_create(&listener, &error), STATUS_OK, "%s", error.text);
    const char *socket = wire_listener_path(listener);
    struct sampling_control *control = sampling_control_create(socket, &control_fd, &error);
    cr_assert(control, "%s", error.text);
    struct sampling_slot *slot = &control->gpu[0];
    atomic_store(&slot->state, state);
    atomic_store(&slot->wanted, wanted_ready_ns != 0);
    int64_t begun_ns = now_ns();
    pid_t child = watched_start(socket, config, environment, run_chosen);
    struct pollfd wait = {.fd = wire_listener_fd(listener), .events = POLLIN};
    cr_assert(poll(&wait, 1, 60000) == 1 &&
              wire_listener_accept(listener, &consumer, &hello, &fd, &error) == STATUS_OK);
    come_ns = now_ns();
    while (waitpid(child, &served.status, WNOHANG) == 0) {
        if (wanted_ready_ns && now_ns() > come_ns + wanted_ready_ns &&
            atomic_exchange(&slot->state, SAMPLING_RUNNING) != SAMPLING_RUNNING) {
            served.bursts[0].begun_ns = now_ns();
            sampling_control_tell(slot);
        }
        uint32_t changes = atomic_load(&slot->changes);
        serve(slot, serves);
        sampling_control_wait(slot, changes, 1000000);
        cr_assert_lt(now_ns() - begun_ns, 200000000000, "the program does not end");
    }
    serve(slot, serves);
    served.seconds = 1e-9 * (double)(now_ns() - begun_ns);
    watched_read(consumer);
    wire_consumer_destroy(consumer);
    close(fd);
    sampling_control_close(control);
    close(control_fd);
    wire_listener_destroy(listener);
}

/* A busy machine may keep the sampler from answering in the 0.4 s that a launch waits, or records from
 * coming: then the launch has no burst, as it should, and the program is run again. */
static void watch_bursts(const char *config, const char *kernel_us, watched_program *run,
                         enum sampling_state state, enum service serves, bool (*good)(void))
{
    for (int turn = 0; turn < 10; turn++) {
        watch_once(config, kernel_us, run, state, serves);
        if (good())
            return;
    }
}

/* Was the n-th kernel alone in the m-th burst? */
static bool alone(uint32_t burst, uint32_t kernel)
{
    return served.burst_count > burst && count(EVENT_KERNEL) > kernel &&
           served.bursts[burst].begun_ns <= nth(EVENT_KERNEL, kernel)->kernel.start_ns &&
           served.bursts[burst].enough_ns >= nth(EVENT_KERNEL, kernel)->kernel.end_ns &&
           (kernel == 0 || nth(EVENT_KERNEL, kernel - 1)->kernel.end_ns <= served.bursts[burst].begun_ns);
}

static bool first_three_alone(void)
{
    return served.burst_count == 3 && alone(0, 0) && alone(1, 1) && alone(2, 2);
}

Test(bursts, each_kernel_and_shape_has_one_of_its_own)
{
    watch_bursts("bursts=1", "5000", three_kernels, SAMPLING_RUNNING, SERVES, first_three_alone);
    cr_assert_eq(served.status, 0);
    cr_assert_eq(count(EVENT_KERNEL), 6);
    cr_assert(first_three_alone(), "%u bursts", served.burst_count);
    cr_assert(strstr(seen.notices, "waits until a burst"), "%s", seen.notices);
    cr_assert_null(strstr(strstr(seen.notices, "waits until") + 1, "waits until"), "said once");
}

static bool first_of_each_case_alone(void)
{
    return served.burst_count == 2 && alone(0, 0) && alone(1, 2);
}

Test(bursts, a_case_of_a_workload_begins_them_anew)
{
    watch_bursts("bursts=1", "2000", two_cases, SAMPLING_RUNNING, SERVES, first_of_each_case_alone);
    cr_assert(first_of_each_case_alone(), "%u bursts", served.burst_count);
}

static bool first_alone(void)
{
    return served.burst_count == 1 && alone(0, 0);
}

Test(bursts, only_kernels_that_match)
{
    watch_bursts("bursts=1;burst_kernel=*conflict*", "2000", three_kernels, SAMPLING_RUNNING, SERVES,
                 first_alone);
    cr_assert_eq(count(EVENT_KERNEL), 6);
    cr_assert(first_alone(), "%u bursts", served.burst_count);
}

Test(bursts, nothing_waits_where_none_are_wanted_or_nobody_samples)
{
    watch_once("bursts=0", "100", three_kernels, SAMPLING_RUNNING, SERVES);
    cr_assert_eq(served.burst_count, 0);
    watch_once("bursts=1", "100", three_kernels, SAMPLING_BUSY, SERVES);
    cr_assert_eq(served.burst_count, 0);
    cr_assert_eq(count(EVENT_KERNEL), 6);
    cr_assert_str_eq(seen.notices, "");
}

static bool over_in_four_seconds(void)
{
    return served.seconds < 4;
}

Test(bursts, a_sampler_that_does_not_answer_is_given_up)
{
    watch_bursts("bursts=1", "100", twenty_launches, SAMPLING_RUNNING, SERVES_NOT, over_in_four_seconds);
    cr_assert_eq(served.status, 0);
    cr_assert_eq(count(EVENT_KERNEL), 20);
    cr_assert(strstr(seen.notices, "3 launches in a row"), "%s", seen.notices);
    cr_assert(over_in_four_seconds(), "three waits of 0.4 s at most, and not twenty: %.1f s", served.seconds);
}

static bool over_in_ten_seconds(void)
{
    return served.seconds < 10;
}

Test(bursts, a_kernel_that_never_ends_holds_no_launch_for_long)
{
    watch_bursts("bursts=1", "60000000", three_kernels, SAMPLING_RUNNING, SERVES, over_in_ten_seconds);
    cr_assert_eq(served.status, 0);
    cr_assert(over_in_ten_seconds(), "%.1f s", served.seconds);
    cr_assert_leq(served.burst_count, 3);
}

static bool three_soon(void)
{
    return served.burst_count == 3 && served.seconds < 5 && !strstr(seen.notices, "in a row");
}

/* The first kernel runs for a minute: the others' bursts come when its burst is over. */
Test(bursts, a_long_kernel_does_not_keep_the_others_from_theirs)
{
    watch_bursts("bursts=1", "60000000", three_kernels, SAMPLING_RUNNING, SERVES_SHORT, three_soon);
    cr_assert_eq(served.status, 0);
    cr_assert(three_soon(), "%u bursts in %.1f s; %s", served.burst_count, served.seconds, seen.notices);
}

static double waited_seconds(void)
{
    const struct event *wait = count(EVENT_OVERHEAD) ? nth(EVENT_OVERHEAD, 0) : NULL;
    return wait ? 1e-9 * (double)(wait->overhead.end_ns - wait->overhead.start_ns) : 0;
}

/* A program is started while its sampler sets up. */
Test(bursts, the_first_launch_waits_for_the_sampler)
{
    wanted_ready_ns = 300000000;
    watch_once("bursts=0", "100", three_kernels, SAMPLING_STARTING, SERVES_NOT);
    cr_assert_eq(count(EVENT_KERNEL), 6);
    cr_assert_eq(count(EVENT_OVERHEAD), 1, "and the others do not");
    cr_assert(nth(EVENT_KERNEL, 0)->kernel.start_ns >= served.bursts[0].begun_ns || waited_seconds() >= 0.5,
              "%g s", waited_seconds());
    wanted_ready_ns = 100000000000;
    watch_once("bursts=0", "100", three_kernels, SAMPLING_STARTING, SERVES_NOT);
    cr_assert(waited_seconds() >= 0.5 && waited_seconds() < 5, "%g s: a bounded time", waited_seconds());
    cr_assert_eq(count(EVENT_OVERHEAD), 1);
}

Test(bursts, no_launch_waits_for_a_sampler_that_is_not_coming)
{
    static const enum sampling_state states[] = {SAMPLING_NONE, SAMPLING_RUNNING, SAMPLING_BUSY,
                                                 SAMPLING_ENDED};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        wanted_ready_ns = 100000000000;
        watch_once("bursts=0", "100", three_kernels, states[i], SERVES_NOT);
        cr_assert_eq(count(EVENT_OVERHEAD), 0);
    }
    wanted_ready_ns = 0;
    watch_once("bursts=0", "100", three_kernels, SAMPLING_READY, SERVES_NOT);
    cr_assert_eq(count(EVENT_OVERHEAD), 0, "nobody wants samples");
}

Test(bursts, a_program_may_die_in_one)
{
    watch_once("bursts=1", "1000000", dies_in_its_first_kernel, SAMPLING_RUNNING, SERVES);
    cr_assert(WIFSIGNALED(served.status) && WTERMSIG(served.status) == SIGKILL);
}

static void two_edges(void)
{
    play.context(1, 1);
    play.edge(0x200000001, 0x200000000);
    play.edge(0x200000002, 0x300000000); /* of two graphs: none */
    synchronise();
}

Test(graphs, edges_are_told_when_they_are_made)
{
    watch("", "", two_edges, NULL);
    cr_assert_eq(count(EVENT_GRAPH_EDGE), 1);
    const struct event *edge = nth(EVENT_GRAPH_EDGE, 0);
    cr_expect(edge->graph_edge.graph == 2 && edge->graph_edge.node == 1 && edge->graph_edge.dependency == 0);
}

#endif
