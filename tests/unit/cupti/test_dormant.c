/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agent in a dormant program, with the double of CUPTI: it is attached to, again and again, and what it sends is
 * what was launched in between.
 */
#include "core/wire/dormant.h"
#include "core/wire/wire.h"
#include "tests/shared/made/watched_program.h"

#include <criterion/criterion.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef TEST_AGENT
#include "tests/no_agent.h"
#else

static void rest(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

/* Two kernels in turn, until it is killed. */
static void launch_on(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* also where the test fails */
    for (unsigned i = 1;; i++) {
        play.launch(i % 2 ? "_Z3oddPf" : "_Z4evenPf", 4, i);
        rest(1);
    }
}

struct capture {
    struct wire_listener *listener;
    struct wire_consumer *consumer;
    int fd, connection;
};

static void capture_begin(struct capture *capture, pid_t child)
{
    struct wire_hello hello;
    struct error error;
    cr_assert_eq(wire_listener_create(&capture->listener, &error), STATUS_OK, "%s", error.text);
    const char *socket = wire_listener_path(capture->listener);
    enum status status = STATUS_STATE;
    for (int turn = 0; status == STATUS_STATE && turn < 500; turn++, rest(20)) /* it may not have begun */
        status = dormant_attach(child, socket, "", &capture->connection, &error);
    cr_assert_eq(status, STATUS_OK, "%s", error.text);
    struct pollfd wait = {.fd = wire_listener_fd(capture->listener), .events = POLLIN};
    cr_assert(poll(&wait, 1, 60000) == 1 && wire_listener_accept(capture->listener, &capture->consumer,
                                                                 &hello, &capture->fd, &error) == STATUS_OK);
    cr_assert_eq(hello.pid, child);
    memset(&seen, 0, sizeof seen);
}

/* Until so many kernels have come. */
static void capture_read(struct capture *capture, size_t kernels)
{
    for (int turn = 0; count(EVENT_KERNEL) < kernels && turn < 5000; turn++, rest(2))
        watched_read(capture->consumer);
    cr_assert_geq(count(EVENT_KERNEL), kernels, "%s", seen.notices);
}

/* killed: lanescope goes without a word, its socket first. */
static void capture_end(struct capture *capture, bool killed)
{
    struct pollfd over = {.fd = capture->connection, .events = POLLIN};
    if (killed) {
        close(capture->fd);
        rest(100); /* the agent sees that nobody listens, before the process is told */
    } else {
        shutdown(capture->connection, SHUT_WR);
        cr_assert(poll(&over, 1, 60000) == 1, "the process ends the capture");
    }
    watched_read(capture->consumer);
    close(capture->connection);
    if (!killed)
        close(capture->fd);
    wire_consumer_destroy(capture->consumer);
    wire_listener_destroy(capture->listener);
}

static void check_names(bool killed)
{
    bool odd = false, even = false;
    for (size_t i = 0; i < count(EVENT_SHAPE); i++) {
        const char *name = seen.strings[nth(EVENT_SHAPE, i)->shape.name];
        odd |= strcmp(name, "_Z3oddPf") == 0;
        even |= strcmp(name, "_Z4evenPf") == 0;
    }
    cr_assert(odd && even, "both kernels are named in each capture");
    for (size_t i = 0; i < count(EVENT_KERNEL); i++) {
        const uint32_t shape = nth(EVENT_KERNEL, i)->kernel.shape;
        bool known = false;
        for (size_t j = 0; j < count(EVENT_SHAPE); j++)
            known |= nth(EVENT_SHAPE, j)->shape.id == shape;
        cr_assert(known, "kernel %zu has a shape that was announced", i);
    }
    cr_assert(killed || count(EVENT_GOODBYE) == 1);
    cr_assert_eq(count(EVENT_CALL_BEGIN), 0, "no launch of an earlier capture is shown as one that runs");
}

Test(dormant, captures_follow_each_other)
{
    char folder[100];
    struct error error;
    cr_assert_eq(dormant_folder(folder, sizeof folder, &error), STATUS_OK, "%s", error.text);
    setenv(DORMANT_VARIABLE, folder, 1);
    pid_t child = watched_start(NULL, "", "CUPTI_DOUBLE_KERNEL_US=100", launch_on);
    int64_t last_ns = 0;
    for (int turn = 0; turn < 5; turn++) {
        struct capture capture;
        capture_begin(&capture, child);
        capture_read(&capture, 20);
        capture_end(&capture, turn % 2 == 1);
        check_names(turn % 2 == 1);
        cr_assert_gt(nth(EVENT_KERNEL, 0)->kernel.start_ns, last_ns, "later than the capture before");
        last_ns = nth(EVENT_KERNEL, count(EVENT_KERNEL) - 1)->kernel.start_ns;
        rest(20);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

#endif
