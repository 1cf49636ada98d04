/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches of the device model that take long, on a terminal: how far they are, with and without a screen,
 * and their end by Ctrl-C.
 */
#include "driven_lanescope.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LONG TEST_BUILD_DIR "/tests/standin/long_static"

static char recording[64];

/* On one processor, so that long launches take long on every machine. */
static void keep_one_processor(void)
{
    cpu_set_t all, one;
    cr_assert_eq(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) < 1; i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    cr_assert_eq(sched_setaffinity(0, sizeof one, &one), 0);
}

static void enter(void)
{
    keep_one_processor();
    driven_make_folder();
    setenv("LANESCOPE_CUOBJDUMP", TEST_SOURCE_DIR "/tests/standin/cuobjdump", 1);
    snprintf(recording, sizeof recording, "%s/a.lsr", driven_folder);
}

TestSuite(long_launch, .init = enter, .fini = driven_remove_folder, .timeout = 280);

/* The status line of a case whose launch runs for more than a second; not that of a short one. */
Test(long_launch, of_a_workload_is_in_the_status_line)
{
    START("--device", "simt", "--size", "default", "matmul-ab:simple,m=4096,n=8192", "transpose:copy");
    cr_assert(terminal_shows(&terminal, "matmul_simple launch 1  "));
    cr_assert(terminal_shows(&terminal, " s left"));
    cr_assert(terminal_shows(&terminal, "run 2 of 2, "));
    cr_assert(terminal_hides(&terminal, " s left"));
    driven_leave();
}

#ifdef TEST_STANDIN
static void expect_exit(int status)
{
    cr_assert(terminal_ends(&terminal), "lanescope did not end");
    cr_assert(WIFEXITED(terminal.status) && WEXITSTATUS(terminal.status) == status, "wait status %x",
              (unsigned)terminal.status);
    cr_assert(terminal_is_restored(&terminal));
    cr_assert_eq(terminal.vt.unknown, 0, "the terminal did not understand %s", terminal.vt.unknown_text);
    terminal_fini(&terminal);
}

Test(long_launch, of_a_program_is_in_the_status_line)
{
    START("--device", "simt", "--", LONG, "64", "100000000");
    cr_assert(terminal_shows(&terminal, "churn launch 1  "));
    terminal_type(&terminal, "Q");
    cr_assert(terminal_shows(&terminal, "is still running; Ctrl-C ends it"));
    terminal_type(&terminal, "\x03");
    cr_assert(terminal_ends(&terminal));
    cr_assert(terminal_shows(&terminal, "The program was ended by SIGINT. Kernel churn, launch 1"));
    terminal_fini(&terminal);
}

/* One line below what the program has written, and nothing of it is left. */
Test(long_launch, without_a_screen_is_one_line)
{
    START("--record", recording, "--device", "simt", "--", LONG, "64", "5000000");
    cr_assert(terminal_shows(&terminal, "begins,\nkernel churn, launch 1: "));
    cr_assert(driven_shows(" (64 blocks, "));
    cr_assert(terminal_shows(&terminal, "begins, ends"));
    cr_assert(terminal_hides(&terminal, "kernel churn, launch"));
    expect_exit(0);
}

Test(long_launch, ends_by_ctrl_c)
{
    START("--record", recording, "--device", "simt", "--", LONG, "64", "100000000");
    cr_assert(terminal_shows(&terminal, "kernel churn, launch 1: "));
    terminal_type(&terminal, "\x03");
    cr_assert(terminal_shows(&terminal, "The program was ended by SIGINT. Kernel churn, launch 1, ran for "));
    cr_assert(terminal_shows(&terminal, "fill: 64 blocks for 132 multiprocessors"));
    cr_assert(!driven_shows("kernel churn, launch 1: "));
    expect_exit(130);
}
#endif
