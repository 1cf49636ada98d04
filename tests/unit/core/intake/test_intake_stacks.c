/* SPDX-License-Identifier: Apache-2.0 */
/* Intake: call paths as the agent announces them, and the launches and copies that come from them. */
#include "core/analysis/launch_sites.h"
#include "tests/shared/made/feed.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* A frame whose texts are strings 2 x id and 2 x id + 1. */
static void send_frame(struct feed *feed, uint32_t id, uint32_t caller, const char *name, const char *file,
                       uint32_t line)
{
    struct event event = {.kind = EVENT_STACK};
    event.stack.id = id;
    event.stack.caller = caller;
    event.stack.name = 2 * id;
    event.stack.file = 2 * id + 1;
    event.stack.line = line;
    feed_string(feed, event.stack.name, name);
    feed_string(feed, event.stack.file, file);
    feed_send(feed, event);
}

static const char *text_of(const struct feed *feed, uint32_t stack)
{
    static char text[200];
    session_stack_text(feed->session, stack, text, sizeof text);
    return text;
}

/* No path of the machine; and a package's file is not the program's. */
Test(intake_stacks, names_files_as_people_know_them)
{
    static const struct {
        const char *name, *file;
        uint32_t line;
        const char *wanted;
        bool library;
    } cases[] = {
        {"Block.forward", "train.py", 42, "train.py:42 Block.forward", false},
        {"main", "/home/someone/project/run.py", 7, "project/run.py:7 main", false},
        {"Linear.forward", "/opt/env/lib/python3.11/site-packages/torch/nn/modules/linear.py", 125,
         "torch/nn/modules/linear.py:125 Linear.forward", true},
        {"array", "/usr/lib/python3/dist-packages/cupy/core.py", 3, "cupy/core.py:3 array", true},
        {"Thread.run", "/usr/lib/python3.11/threading.py", 9, "threading.py:9 Thread.run", true},
        {"find", "<frozen importlib._bootstrap>", 5, "<frozen importlib._bootstrap>:5 find", true},
        {"<module>", "<string>", 1, "<string>:1 <module>", false},
        {"forward", "<eval_with_key>.7", 6, "<eval_with_key>.7:6 forward", true},
        {"call", "/tmp/torchinductor_me/ab/cabc.py", 90, "ab/cabc.py:90 call", true},
        {"main", "/home/someone/x/python_train.py", 3, "x/python_train.py:3 main", false},
        {"_Z4stepi", "/home/someone/train", 0, "step(int) (train)", false},
        {"_Z4gemmv", "/usr/lib/libcublas.so.13.0.2", 0, "gemm() (libcublas.so.13.0.2)", true},
        {"_PyEval_Vector", "/usr/bin/python3.11", 0, "_PyEval_Vector (python3.11)", true},
        {"_start", "/home/someone/train", 0, "_start (train)", true},
        {"(further callers)", "", 0, "(further callers)", true},
    };
    struct feed feed = feed_open();
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        send_frame(&feed, i + 1, 0, cases[i].name, cases[i].file, cases[i].line);
        cr_assert_str_eq(text_of(&feed, i), cases[i].wanted);
        cr_assert_eq(session_stack(feed.session, i)->flags, cases[i].library ? STACK_LIBRARY : 0u, "%s",
                     cases[i].wanted);
    }
    for (uint32_t i = 0; session_string(feed.session, i)[0] != '\0' || i == 0; i++)
        cr_assert(session_string(feed.session, i)[0] != '/', "%s", session_string(feed.session, i));
    cr_assert_eq(feed_stats(&feed).malformed, 0);
    feed_close(&feed);
}

static struct event kernel_from(uint32_t stack, int64_t start_ns, int64_t end_ns, uint32_t shape)
{
    struct event event = feed_kernel(start_ns, end_ns, (uint32_t)start_ns, 1);
    event.kernel.shape = shape;
    event.kernel.stack = stack;
    return event;
}

/* main calls two lines of step, which launch through a package; one launch has no path. */
Test(intake_stacks, adds_launches_up_by_kernel_and_place)
{
    struct feed feed = feed_open();
    struct launch_sites sites;
    send_frame(&feed, 10, 0, "main", "train.py", 80);
    send_frame(&feed, 11, 10, "step", "train.py", 42);
    send_frame(&feed, 12, 10, "step", "train.py", 43);
    send_frame(&feed, 13, 11, "linear", "/x/site-packages/torch/f.py", 5);
    send_frame(&feed, 14, 12, "linear", "/x/site-packages/torch/f.py", 5);
    feed_string(&feed, 1, "gemm");
    feed_string(&feed, 2, "relu");
    feed_shape(&feed, 1, 1);
    feed_shape(&feed, 2, 2);
    for (int64_t i = 0; i < 10; i++)
        feed_send(&feed, kernel_from(13, 1000 + 100 * i, 1010 + 100 * i, 1));
    feed_send(&feed, kernel_from(14, 3000, 3500, 1));
    feed_send(&feed, kernel_from(14, 4000, 4001, 2));
    feed_send(&feed, kernel_from(0, 5000, 5001, 2));
    struct event copy = {.kind = EVENT_COPY};
    copy.copy.start_ns = ZERO_NS + 6000;
    copy.copy.end_ns = ZERO_NS + 6007;
    copy.copy.copy_kind = COPY_HTOD;
    copy.copy.stack = 11;
    feed_send(&feed, copy);
    feed_watermark(&feed, 10000);
    cr_assert_eq(feed_stats(&feed).malformed, 0);

    cr_assert_eq(launch_sites_make(feed.session, NONE, 0, &sites, NULL), STATUS_OK);
    cr_assert(sites.count == 2 && sites.launches == 11 && sites.total_ns == 600);
    cr_assert_str_eq(text_of(&feed, sites.sites[0].stack), "train.py:43 step");
    cr_assert(sites.sites[0].launches == 1 && sites.sites[0].total_ns == 500);
    cr_assert_str_eq(text_of(&feed, sites.sites[1].stack), "train.py:42 step");
    cr_assert(sites.sites[1].launches == 10 && sites.sites[1].total_ns == 100);
    launch_sites_fini(&sites);

    cr_assert_eq(launch_sites_make(feed.session, feed.run, NONE, &sites, NULL), STATUS_OK);
    cr_assert(sites.count == 2 && sites.launches == 13 && sites.total_ns == 608); /* with the copy */
    launch_sites_fini(&sites);
    cr_assert_eq(launch_sites_make(feed.session, 99, NONE, &sites, NULL), STATUS_OK);
    cr_assert_eq(sites.count, 0u);
    launch_sites_fini(&sites);
    feed_close(&feed);
}

/* nvcc's host function of the kernel's name is not who launched it. */
Test(intake_stacks, leaves_the_kernels_own_stub_out)
{
    struct feed feed = feed_open();
    struct launch_sites sites;
    send_frame(&feed, 10, 0, "_Z4stepi", "/home/someone/train", 0);
    send_frame(&feed, 11, 10, "_Z5scalePf", "/home/someone/train", 0);
    feed_string(&feed, 1, "_Z5scalePf");
    feed_shape(&feed, 1, 1);
    feed_send(&feed, kernel_from(11, 1000, 1010, 1));
    feed_watermark(&feed, 10000);
    cr_assert_eq(launch_sites_make(feed.session, NONE, NONE, &sites, NULL), STATUS_OK);
    cr_assert_eq(sites.count, 1u);
    cr_assert_str_eq(text_of(&feed, sites.sites[0].stack), "step(int) (train)");
    launch_sites_fini(&sites);
    feed_close(&feed);
}

/* A process that announces without end gets so many rows, and the others keep theirs. */
Test(intake_stacks, bounds_what_a_process_announces, .timeout = 60)
{
    struct feed feed = feed_open();
    struct event event = {.kind = EVENT_STACK};
    feed_string(&feed, 1, "f");
    event.stack.name = 1;
    for (uint32_t i = 1; i < 300000; i++) {
        event.stack.id = i;
        event.stack.line = i;
        event.stack.caller = i - 1;
        feed_send(&feed, event);
    }
    cr_assert_eq(session_stack_count(feed.session), 1u << 18);
    cr_assert_eq(feed_stats(&feed).malformed, 299999u - (1u << 18));
    event.stack.caller = 77; /* a loop cannot be announced: a caller is an earlier row */
    event.stack.id = 77;
    event.stack.line = 7;
    feed_send(&feed, event);
    cr_assert_eq(session_stack_own(feed.session, 1), 1u);
    feed_close(&feed);
}
