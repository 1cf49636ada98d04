/*
 * Bursts from the side of the profiled program: which launches ask for one, how long they wait, when it may
 * end. The agent runs in a child with doubles of CUPTI and the driver; this test is lanescope and the
 * sampler.
 */
#include "core/agent_config.h"
#include "core/sampling_control.h"
#include "core/wire.h"
#include "tests/doubles/cupti_double.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
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

#define KERNELS 64
#define BURSTS 64

/* ---- the program ---- */

static struct {
    cupti_double_context *context;
    cupti_double_launch *launch;
    struct sampling_control *control;
    unsigned correlation;
} play;

typedef void program(void);

static void find(const char *path, const char *name, void *function)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL), *symbol = library ? dlsym(library, name) : NULL;
    if (!symbol) {
        fprintf(stderr, "%s\n", dlerror());
        _exit(9);
    }
    memcpy(function, &symbol, sizeof symbol);
}

static pid_t start(const char *socket, const char *config, const char *kernel_us, program *run)
{
    pid_t child = fork();
    int (*begin)(void);
    void *ignored;
    if (child != 0)
        return child;
    setenv(WIRE_SOCKET_VARIABLE, socket, 1);
    setenv(AGENT_CONFIG_VARIABLE, config, 1);
    setenv("CUPTI_DOUBLE_KERNEL_US", kernel_us, 1);
    find(TEST_BUILD_DIR "/tests/cuda_double.so", "cuInit", &ignored);
    find(TEST_BUILD_DIR "/tests/cupti_double.so", "double_context", &play.context);
    find(TEST_BUILD_DIR "/tests/cupti_double.so", "double_launch", &play.launch);
    find(TEST_AGENT, "InitializeInjection", &begin);
    play.control = sampling_control_open(socket);
    if (!play.control || begin() != 1)
        _exit(9);
    play.context(1, 1);
    run();
    exit(0);
}

static void launch(const char *name, unsigned blocks)
{
    play.launch(name, blocks, ++play.correlation);
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
    atomic_fetch_add(&play.control->run, 1);
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
    struct {
        int64_t start_ns, end_ns;
    } kernels[KERNELS];
    uint32_t burst_count, kernel_count;
    char strings[256][256], notices[2048];
    int status;
    double seconds;
} seen;

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void read_events(struct wire_consumer *consumer)
{
    struct event event;
    const uint8_t *blob;
    while (wire_consumer_next(consumer, &event, &blob)) {
        if (event.kind == EVENT_BLOB && event.blob.type == BLOB_STRING && event.blob.id < 256) {
            snprintf(seen.strings[event.blob.id], sizeof seen.strings[0], "%.*s", (int)event.blob.size_bytes,
                     (const char *)blob);
        } else if (event.kind == EVENT_NOTICE) {
            size_t used = strlen(seen.notices);
            snprintf(seen.notices + used, sizeof seen.notices - used, "%s\n",
                     seen.strings[event.notice.text]);
        } else if (event.kind == EVENT_KERNEL && seen.kernel_count < KERNELS) {
            seen.kernels[seen.kernel_count].start_ns = event.kernel.start_ns;
            seen.kernels[seen.kernel_count++].end_ns = event.kernel.end_ns;
        }
    }
}

enum service { SERVES_NOT, SERVES, SERVES_SHORT /* a burst is over at once, whatever its kernel does */ };

/* Does the sampler's part for one burst, if one is asked for. */
static void serve(struct sampling_slot *slot, enum service serves)
{
    uint32_t asked = atomic_load(&slot->asked);
    if (serves == SERVES_NOT || asked == atomic_load(&slot->ended) || seen.burst_count == BURSTS)
        return;
    if (atomic_load(&slot->begun) != asked) {
        seen.bursts[seen.burst_count].begun_ns = now_ns();
        atomic_store(&slot->begun, asked);
        sampling_control_tell(slot);
    }
    if (atomic_load(&slot->enough) == asked || serves == SERVES_SHORT) {
        seen.bursts[seen.burst_count++].enough_ns = now_ns();
        atomic_store(&slot->ended, asked);
        sampling_control_tell(slot);
    }
}

/* Runs a program to its end, once. */
static void watch_once(const char *config, const char *kernel_us, program *run, enum sampling_state state,
                       enum service serves)
{
    struct wire_listener *listener;
    struct wire_consumer *consumer;
    struct wire_hello hello;
    struct error error;
    int fd;
    memset(&seen, 0, sizeof seen);
    cr_assert_eq(wire_listener_create(&listener, &error), STATUS_OK, "%s", error.text);
    const char *socket = wire_listener_path(listener);
    struct sampling_control *control = sampling_control_create(socket, &error);
    cr_assert(control, "%s", error.text);
    struct sampling_slot *slot = &control->gpu[0];
    atomic_store(&slot->state, state);
    int64_t begun_ns = now_ns();
    pid_t child = start(socket, config, kernel_us, run);
    struct pollfd wait = {.fd = wire_listener_fd(listener), .events = POLLIN};
    cr_assert(poll(&wait, 1, 60000) == 1 &&
              wire_listener_accept(listener, &consumer, &hello, &fd, &error) == STATUS_OK);
    while (waitpid(child, &seen.status, WNOHANG) == 0) {
        uint32_t changes = atomic_load(&slot->changes);
        serve(slot, serves);
        sampling_control_wait(slot, changes, 1000000);
        cr_assert_lt(now_ns() - begun_ns, 200000000000, "the program does not end");
    }
    serve(slot, serves);
    seen.seconds = 1e-9 * (double)(now_ns() - begun_ns);
    read_events(consumer);
    wire_consumer_destroy(consumer);
    close(fd);
    sampling_control_close(control);
    wire_listener_destroy(listener);
}

/* A busy machine may keep the sampler from answering in the 0.4 s that a launch waits, or records from
 * coming: then the launch has no burst, as it should, and the program is run again. */
static void watch(const char *config, const char *kernel_us, program *run, enum sampling_state state,
                  enum service serves, bool (*good)(void))
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
    return seen.burst_count > burst && seen.kernel_count > kernel &&
           seen.bursts[burst].begun_ns <= seen.kernels[kernel].start_ns &&
           seen.bursts[burst].enough_ns >= seen.kernels[kernel].end_ns &&
           (kernel == 0 || seen.kernels[kernel - 1].end_ns <= seen.bursts[burst].begun_ns);
}

static bool first_three_alone(void)
{
    return seen.burst_count == 3 && alone(0, 0) && alone(1, 1) && alone(2, 2);
}

Test(bursts, each_kernel_and_shape_has_one_of_its_own)
{
    watch("bursts=1", "5000", three_kernels, SAMPLING_RUNNING, SERVES, first_three_alone);
    cr_assert_eq(seen.status, 0);
    cr_assert_eq(seen.kernel_count, 6);
    cr_assert(first_three_alone(), "%u bursts", seen.burst_count);
    cr_assert(strstr(seen.notices, "launches wait for bursts"), "%s", seen.notices);
    cr_assert_null(strstr(strstr(seen.notices, "launches wait") + 1, "launches wait"), "said once");
}

static bool first_of_each_case_alone(void)
{
    return seen.burst_count == 2 && alone(0, 0) && alone(1, 2);
}

Test(bursts, a_case_of_a_workload_begins_them_anew)
{
    watch("bursts=1", "2000", two_cases, SAMPLING_RUNNING, SERVES, first_of_each_case_alone);
    cr_assert(first_of_each_case_alone(), "%u bursts", seen.burst_count);
}

static bool first_alone(void)
{
    return seen.burst_count == 1 && alone(0, 0);
}

Test(bursts, only_kernels_that_match)
{
    watch("bursts=1;burst_kernel=*conflict*", "2000", three_kernels, SAMPLING_RUNNING, SERVES, first_alone);
    cr_assert_eq(seen.kernel_count, 6);
    cr_assert(first_alone(), "%u bursts", seen.burst_count);
}

Test(bursts, nothing_waits_where_none_are_wanted_or_nobody_samples)
{
    watch_once("bursts=0", "100", three_kernels, SAMPLING_RUNNING, SERVES);
    cr_assert_eq(seen.burst_count, 0);
    watch_once("bursts=1", "100", three_kernels, SAMPLING_BUSY, SERVES);
    cr_assert_eq(seen.burst_count, 0);
    cr_assert_eq(seen.kernel_count, 6);
    cr_assert_str_eq(seen.notices, "");
}

static bool over_in_four_seconds(void)
{
    return seen.seconds < 4;
}

Test(bursts, a_sampler_that_does_not_answer_is_given_up)
{
    watch("bursts=1", "100", twenty_launches, SAMPLING_RUNNING, SERVES_NOT, over_in_four_seconds);
    cr_assert_eq(seen.status, 0);
    cr_assert_eq(seen.kernel_count, 20);
    cr_assert(strstr(seen.notices, "3 launches in a row"), "%s", seen.notices);
    cr_assert(over_in_four_seconds(), "three waits of 0.4 s at most, and not twenty: %.1f s", seen.seconds);
}

static bool over_in_ten_seconds(void)
{
    return seen.seconds < 10;
}

Test(bursts, a_kernel_that_never_ends_holds_no_launch_for_long)
{
    watch("bursts=1", "60000000", three_kernels, SAMPLING_RUNNING, SERVES, over_in_ten_seconds);
    cr_assert_eq(seen.status, 0);
    cr_assert(over_in_ten_seconds(), "%.1f s", seen.seconds);
    cr_assert_leq(seen.burst_count, 3);
}

static bool three_soon(void)
{
    return seen.burst_count == 3 && seen.seconds < 5 && !strstr(seen.notices, "in a row");
}

/* The first kernel runs for a minute: the others' bursts come when its burst is over. */
Test(bursts, a_long_kernel_does_not_keep_the_others_from_theirs)
{
    watch("bursts=1", "60000000", three_kernels, SAMPLING_RUNNING, SERVES_SHORT, three_soon);
    cr_assert_eq(seen.status, 0);
    cr_assert(three_soon(), "%u bursts in %.1f s; %s", seen.burst_count, seen.seconds, seen.notices);
}

Test(bursts, a_program_may_die_in_one)
{
    watch_once("bursts=1", "1000000", dies_in_its_first_kernel, SAMPLING_RUNNING, SERVES);
    cr_assert(WIFSIGNALED(seen.status) && WTERMSIG(seen.status) == SIGKILL);
}

#endif
