/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/process/launch.h"
#include "core/base/clock.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int run(const char *script, double time_limit_s, char *output, size_t size_bytes)
{
    char *argv[] = {"sh", "-c", (char *)script, NULL};
    static const struct launch_variable variables[] = {
        {"LAUNCH_TEST", "a value"}, {"LAUNCH_GONE", NULL}, {NULL, NULL}};
    char name[] = "/tmp/lanescope-launch-XXXXXX";
    int fd = mkstemp(name);
    struct launch_options options = {
        .argv = argv, .variables = variables, .output = fd, .errors = -1, .time_limit_s = time_limit_s};
    struct launch *launch;
    struct error error = {0};
    int exec_status, status;
    ssize_t got;

    unlink(name);
    setenv("LAUNCH_GONE", "1", 1);
    setenv("LAUNCH_TEST", "old", 1);
    cr_assert(launch_start(&launch, &options, &exec_status, &error) == STATUS_OK, "%s", error.text);
    status = launch_wait(launch, NULL);
    launch_destroy(launch);
    got = pread(fd, output, size_bytes - 1, 0);
    output[got > 0 ? got : 0] = '\0';
    close(fd);
    return status;
}

Test(launch, passes_the_status_on)
{
    char output[64];

    cr_assert(run("exit 0", 0, output, sizeof output) == 0);
    cr_assert(run("exit 37", 0, output, sizeof output) == 37);
    cr_assert(run("kill -SEGV $$", 0, output, sizeof output) == 128 + SIGSEGV);
}

Test(launch, sets_and_unsets_variables)
{
    char output[64];

    run("echo \"$LAUNCH_TEST,${LAUNCH_GONE-gone}\"", 0, output, sizeof output);
    cr_assert_str_eq(output, "a value,gone\n");
}

Test(launch, says_when_there_is_no_such_program)
{
    char *argv[] = {"/no/such/program", NULL};
    char *folder[] = {"/tmp", NULL};
    struct launch_options options = {.argv = argv, .output = -1, .errors = -1};
    struct launch *launch = NULL;
    struct error error = {0};
    int exec_status;

    cr_assert(launch_start(&launch, &options, &exec_status, &error) == STATUS_IO && exec_status == 127);
    cr_assert(strstr(error.text, "/no/such/program"), "%s", error.text);
    options.argv = folder;
    cr_assert(launch_start(&launch, &options, &exec_status, &error) == STATUS_IO && exec_status == 126);
}

Test(launch, ends_the_whole_group_when_the_time_is_up)
{
    char output[64] = "";
    double start = now_s();
    int grandchild = 0;

    /* Until it came to say it before its time was up. */
    for (double limit_s = 0.2; limit_s < 30 && grandchild == 0; limit_s *= 2) {
        cr_assert(run("sleep 600 & echo $!; wait", limit_s, output, sizeof output) == 124);
        grandchild = atoi(output);
    }
    cr_assert(grandchild > 0);
    cr_assert(now_s() - start < 300, "took %.1f s", now_s() - start);
    for (int i = 0; i < 6000 && kill(grandchild, 0) == 0; i++) {
        char state[64] = "";
        char path[64];
        int fd;

        /* killed and not yet reaped by init counts as ended */
        snprintf(path, sizeof path, "/proc/%d/stat", grandchild);
        fd = open(path, O_RDONLY);
        if (fd >= 0 && read(fd, state, sizeof state - 1) > 0 && strstr(state, ") Z"))
            i = 6000;
        if (fd >= 0)
            close(fd);
        usleep(10000);
        cr_assert(i != 5999, "process %d of the group is still there", grandchild);
    }
}

Test(launch, kills_what_ignores_sigterm, .timeout = 280)
{
    char output[64];
    double start = now_s();

    cr_assert(run("trap '' TERM; while :; do sleep 0.1; done", 0.1, output, sizeof output) == 124);
    cr_assert(now_s() - start > 4.5, "it was killed before its 5 s");
}

/* A process between starts a child that would run for ever, and is killed: the end of the pipe that the child
 * holds is seen. */
Test(launch, what_ends_with_us_does, .timeout = 280)
{
    int held[2], started[2];
    char byte;
    pid_t between;
    struct pollfd end;

    cr_assert(pipe2(held, O_CLOEXEC) == 0 && pipe2(started, O_CLOEXEC) == 0);
    between = fork();
    if (between == 0) {
        struct launch_options options = {.argv = (char *[]){"sh", "-c", "echo; exec sleep 100000", NULL},
                                         .variables = (const struct launch_variable[]){{NULL, NULL}},
                                         .output = held[1],
                                         .errors = -1,
                                         .ends_with_us = true};
        struct launch *launch;
        int exec_status;

        if (launch_start(&launch, &options, &exec_status, NULL) == STATUS_OK && write(started[1], "", 1) == 1)
            pause();
        _exit(1);
    }
    close(held[1]);
    close(started[1]);
    cr_assert_eq(read(started[0], &byte, 1), 1);
    cr_assert_eq(read(held[0], &byte, 1), 1, "it runs");
    kill(between, SIGKILL);
    waitpid(between, NULL, 0);
    end = (struct pollfd){.fd = held[0], .events = POLLIN};
    cr_assert_eq(poll(&end, 1, 200000), 1, "it runs on");
    close(held[0]);
    close(started[0]);
}

static void *release_soon(void *launch)
{
    clock_pause(50 * NS_PER_MS);
    launch_release(launch);
    return NULL;
}

/* Who waits is let go while the child runs on, and is not told of an end. */
Test(launch, a_child_that_is_released_runs_on)
{
    char *argv[] = {(char *)"sleep", (char *)"30", NULL};
    struct launch_options options = {.argv = argv, .output = -1, .errors = -1};
    struct launch *launch;
    struct error error;
    pthread_t thread;
    int exit_status;
    cr_assert_eq(launch_start(&launch, &options, &exit_status, &error), STATUS_OK);
    pid_t pid = launch_pid(launch);
    int64_t begun_ns = clock_monotonic_ns();
    cr_assert_eq(pthread_create(&thread, NULL, release_soon, launch), 0);
    cr_assert_eq(launch_wait(launch, NULL), 0);
    cr_assert_lt(clock_monotonic_ns() - begun_ns, 20 * (int64_t)NS_PER_S);
    pthread_join(thread, NULL);
    cr_assert_eq(kill(pid, 0), 0, "it runs on");
    launch_destroy(launch);
    kill(pid, SIGKILL);
    cr_assert_eq(waitpid(pid, NULL, 0), pid);
}
