/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lanescope --stacks on programs whose CUDA and CUPTI are doubles, a native one and one in Python: from the
 * launch through agent, ring and recording to the report and the screen. What the program prints stays.
 */
#include "tests/cli/program.h"
#include "tests/shared/made/made_report.h"

#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef TEST_AGENT
#include "tests/no_agent.h"
#else

TestSuite(call_paths, .init = program_enter, .fini = program_leave, .timeout = 280);

#define NATIVE TEST_BUILD_DIR "/tests/double_program"

static char output[1 << 18], errors[1 << 16];

static void run(const char *arguments)
{
    int status = program_run(arguments, output, errors, sizeof output);
    cr_assert(status == 0, "%s: %d, %s", arguments, status, errors);
}

static void expect(const char *text)
{
    cr_assert(strstr(output, text) != NULL, "%s is not in: %s", text, output);
}

static void expect_valid_json(const char *file)
{
    char arguments[200];
    snprintf(arguments, sizeof arguments, "report %s --json", file);
    run(arguments);
    cr_assert(report_validate(output) == 0, "%s", output);
}

Test(call_paths, of_native_code_only_on_request)
{
    run("--record a.lsr -- " NATIVE);
    run("report a.lsr --stacks");
    expect("stacks: not recorded. Of native programs --record does so with --stacks.");
    expect_valid_json("a.lsr");
    cr_assert(strstr(output, "\"path\": ") == NULL && strstr(output, "\"called_at\"") == NULL);
    run("view a.lsr --snapshot text --size 80x24");
    cr_assert(strstr(output, "launched from") == NULL);
}

/* A sanitizer's own backtrace would stand in the paths, and its runtime would have to be loaded before
 * Python. */
#ifndef SANITIZES_ADDRESSES
Test(call_paths, of_a_native_program)
{
    run("--record a.lsr --stacks -- " NATIVE);
    run("report a.lsr --stacks");
    expect("100.00 %   5.00 ms         5 main (double_program)\n");
    expect_valid_json("a.lsr");
    expect(
        "\"launches\": 2, \"time_ns\": 2000000, \"function\": \"main\", \"library\": false, \"line\": null, "
        "\"file\": \"double_program\"}");
    run("view a.lsr --snapshot text --size 80x24");
    expect("launched from main (double_program)");
}

/* Half a program may have no paths: a thread of PyTorch's that runs no Python. Its time is not left out. */
Test(call_paths, of_a_part_of_the_work)
{
    sqlite3 *database;
    run("--record a.lsr --stacks -- " NATIVE);
    cr_assert_eq(sqlite3_open("a.lsr", &database), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(database, "DELETE FROM launch_site WHERE id = 0", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
    run("report a.lsr --stacks");
    expect(" 60.00 %   3.00 ms         3 main (double_program)\n");
    expect("40.0 % of the time, 2.00 ms, is of work whose path is not known: by threads that run no Python");
}

Test(call_paths, of_a_python_program)
{
    program_write("train.py",
                  "import ctypes, sys\n"
                  "cuda = ctypes.PyDLL('" TEST_BUILD_DIR "/tests/cuda_double.so', ctypes.RTLD_GLOBAL)\n"
                  "cupti = ctypes.PyDLL('" TEST_BUILD_DIR "/tests/cupti_double.so', ctypes.RTLD_GLOBAL)\n"
                  "cuda.cuInit(0)\n"
                  "cupti.double_context(1, ctypes.c_size_t(1))\n"
                  "class Block:\n"
                  "    def forward(self, n):\n"
                  "        cupti.double_launch(b'add', 8, 100 + n)\n"
                  "        cupti.double_launch(b'copy', 8, 200 + n)\n"
                  "        if n % 2: cupti.double_launch(b'add', 8, 300 + n)\n"
                  "def train():\n"
                  "    for n in range(6):\n"
                  "        Block().forward(n)\n"
                  "train()\n"
                  "print('loss', 0.5)\n"
                  "sys.exit(7)\n");
    int status = program_run("--record a.lsr -- python3 train.py", output, errors, sizeof output);
    cr_assert_eq(status, 7, "%d, %s", status, errors);
    expect("loss 0.5\n");
    status = program_run("--record none.lsr --no-stacks -- python3 train.py", output, errors, sizeof output);
    cr_assert_eq(status, 7, "%d, %s", status, errors);
    run("report none.lsr --stacks");
    expect("stacks: not recorded.");
    run("report a.lsr --stacks");
    expect(" 40.00 %   6.00 ms         6 train.py:8 ");
    expect(" 40.00 %   6.00 ms         6 train.py:9 ");
    expect(" 20.00 %   3.00 ms         3 train.py:10 ");
    expect("forward\n     by train.py:13 train\n     by train.py:14 <module>\n");
    expect_valid_json("a.lsr");
    run("view a.lsr --snapshot text --size 120x40");
    expect("launched from train.py:8 ");
    expect("forward (1 more)");
}
#endif
#endif
