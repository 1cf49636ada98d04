/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agent's life in a process without a GPU: it connects, says why it cannot trace, and goes with the
 * process. The module is loaded as the driver would load it.
 */
#include "core/wire/agent_config.h"
#include "core/wire/wire.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#endif
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef TEST_AGENT
#include "tests/no_agent.h"
#else

#define MAX_EVENTS 64

/* The leak sanitizer asks this: a forked child leaves allocations of its parent alone, also those only the
 * agent knew. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
static int leaks_are_fine;
int __lsan_is_turned_off(void)
{
    return leaks_are_fine;
}

enum ending { BY_EXIT, BY_UNDERSCORE_EXIT, AFTER_FORK, NVTX_FIRST };

/* A push has a depth; NVTX without a tool has none. */
static void call_nvtx(void)
{
#if __has_include(<nvtx3/nvToolsExt.h>)
    setenv("NVTX_INJECTION64_PATH", TEST_AGENT, 1);
    int depth = nvtxRangePushA("outer");
    if (access("/dev/nvidiactl", F_OK) == 0 && depth == NVTX_NO_PUSH_POP_TRACKING)
        _exit(7);
    nvtxRangePop();
#endif
}

/* In a child: load the agent as the driver does, then end. Exit status 0 if all went as it should. */
static pid_t start_program(const char *socket, const char *config, enum ending ending)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    if (socket)
        setenv(WIRE_SOCKET_VARIABLE, socket, 1);
    else
        unsetenv(WIRE_SOCKET_VARIABLE);
    if (config)
        setenv(AGENT_CONFIG_VARIABLE, config, 1);
    if (ending == NVTX_FIRST)
        call_nvtx();
    void *agent = dlopen(TEST_AGENT, RTLD_NOW | RTLD_LOCAL);
    int (*begin)(void) = NULL;
    void *symbol = agent ? dlsym(agent, "InitializeInjection") : NULL;
    memcpy(&begin, &symbol, sizeof begin);
    if (!begin || begin() != 1 || begin() != 1)
        _exit(9);
    if (ending == AFTER_FORK) {
        pid_t grandchild = fork();
        int status;
        leaks_are_fine = grandchild == 0;
        if (grandchild == 0)
            exit(0); /* runs the agent's exit handler in a process that is not its own */
        if (waitpid(grandchild, &status, 0) != grandchild || status != 0)
            _exit(8);
    }
    if (ending == BY_UNDERSCORE_EXIT)
        _exit(0);
    exit(0);
}

struct seen {
    struct wire_hello hello;
    struct event events[MAX_EVENTS];
    size_t count;
    char notice[1024];
    char command[256];
};

static bool accept_soon(struct wire_listener *listener, struct wire_consumer **consumer,
                        struct wire_hello *hello, int *fd)
{
    struct error error;
    struct pollfd wait = {.fd = wire_listener_fd(listener), .events = POLLIN};
    return poll(&wait, 1, 60000) == 1 &&
           wire_listener_accept(listener, consumer, hello, fd, &error) == STATUS_OK;
}

/* Run a program to its end and gather what its agent sent. */
static void watch(const char *config, enum ending ending, struct seen *seen)
{
    struct wire_listener *listener;
    struct wire_consumer *consumer;
    struct error error;
    const uint8_t *blob;
    int fd, status;
    memset(seen, 0, sizeof *seen);
    cr_assert_eq(wire_listener_create(&listener, &error), STATUS_OK, "%s", error.text);
    pid_t child = start_program(wire_listener_path(listener), config, ending);
    cr_assert(accept_soon(listener, &consumer, &seen->hello, &fd));
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0, "the program ended with %d", status);
    cr_assert_eq(seen->hello.pid, child);
    struct event *event = &seen->events[0];
    char strings[8][1024] = {""};
    while (seen->count < MAX_EVENTS && wire_consumer_next(consumer, event, &blob)) {
        if (event->kind == EVENT_BLOB && event->blob.type == BLOB_STRING && event->blob.id < 8)
            snprintf(strings[event->blob.id], sizeof strings[0], "%.*s", (int)event->blob.size_bytes,
                     (const char *)blob);
        if (event->kind == EVENT_BLOB && event->blob.type == BLOB_PROCESS)
            snprintf(seen->command, sizeof seen->command, "%.*s", (int)event->blob.size_bytes,
                     (const char *)blob);
        if (event->kind == EVENT_NOTICE && event->notice.text < 8)
            snprintf(seen->notice, sizeof seen->notice, "%s", strings[event->notice.text]);
        event = &seen->events[++seen->count];
    }
    wire_consumer_destroy(consumer);
    close(fd);
    wire_listener_destroy(listener);
}

static size_t count_kind(const struct seen *seen, enum event_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < seen->count; i++)
        count += seen->events[i].kind == kind;
    return count;
}

Test(inject, without_a_gpu_it_says_why_and_says_goodbye)
{
    static struct seen seen;
    watch(NULL, BY_EXIT, &seen);
    cr_assert_eq(seen.hello.role, WIRE_ROLE_AGENT);
    cr_assert_eq(seen.hello.run_mode, RUN_TRACE);
    cr_assert_eq(seen.hello.rank, -1);
    cr_assert_gt(strlen(seen.command), 0);
    if (access("/dev/nvidiactl", F_OK) != 0) {
        cr_assert_eq(count_kind(&seen, EVENT_NOTICE), 1);
        cr_assert_gt(strlen(seen.notice), 20);
    }
    cr_assert_eq(count_kind(&seen, EVENT_GOODBYE), 1);
    cr_assert_eq(seen.events[seen.count - 1].kind, EVENT_GOODBYE);
}

Test(inject, the_rank_is_that_of_the_innermost_launcher)
{
    static struct seen seen;
    setenv("SLURM_PROCID", "0", 1); /* srun torchrun */
    setenv("RANK", "5", 1);
    setenv("LOCAL_RANK", "1", 1);
    watch(NULL, BY_EXIT, &seen);
    cr_assert_eq(seen.hello.rank, 5);
}

Test(inject, a_setting_it_cannot_read_is_a_notice)
{
    static struct seen seen;
    watch("mode=sideways;", BY_EXIT, &seen);
    cr_assert_eq(count_kind(&seen, EVENT_NOTICE), 1);
    cr_assert(strstr(seen.notice, "sideways") || strstr(seen.notice, "mode"), "notice: %s", seen.notice);
    cr_assert_eq(count_kind(&seen, EVENT_GOODBYE), 1);
}

Test(inject, a_forked_child_sends_nothing)
{
    static struct seen seen;
    watch("mode=counters;", AFTER_FORK, &seen);
    cr_assert_eq(seen.hello.run_mode, RUN_COUNTERS);
    cr_assert_eq(count_kind(&seen, EVENT_GOODBYE), 1);
    cr_assert_eq(count_kind(&seen, EVENT_BLOB) >= 1, 1);
}

Test(inject, underscore_exit_leaves_no_goodbye)
{
    static struct seen seen;
    watch(NULL, BY_UNDERSCORE_EXIT, &seen);
    cr_assert_eq(count_kind(&seen, EVENT_GOODBYE), 0);
}

Test(inject, a_program_that_nobody_watches_runs_on)
{
    int status;
    cr_assert_eq(waitpid(start_program(NULL, NULL, BY_EXIT), &status, 0) > 0, 1);
    cr_assert_eq(status, 0);
    cr_assert_eq(waitpid(start_program("/nonexistent/socket", NULL, BY_EXIT), &status, 0) > 0, 1);
    cr_assert_eq(status, 0);
}

/* A program may call NVTX before CUDA, and without ever using CUDA. Where there is a GPU its calls reach
 * CUPTI. */
Test(inject, a_program_may_begin_with_nvtx)
{
    static struct seen seen;
    watch(NULL, NVTX_FIRST, &seen);
    cr_assert_eq(count_kind(&seen, EVENT_GOODBYE), 1);
}
#endif
