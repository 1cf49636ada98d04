/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory runs out at any allocation of a command that prints: it ends with one sentence and its status, or
 * what it printed is whole. LD_PRELOAD's allocator (tests/doubles/memory.c) refuses the n-th allocation,
 * alone or with all after it.
 */
#include "cli/output/memory.h"
#include "tests/cli/program.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SENTENCE "lanescope: There is not enough memory: close other programs.\n"
#define RECORDED "lanescope: The recording is complete: lanescope report prints its table.\n"
#define DOUBLE TEST_BUILD_DIR "/tests/memory_double.so"
#define SMALL TEST_SOURCE_DIR "/tests/data/small.lsr"
#define LINES TEST_SOURCE_DIR "/tests/data/lines_h200.lsr"
#define LOCALE \
    30 /* those of setlocale and newlocale come first: without one of them the text has no UTF-8 \
        */

#ifndef SANITIZES_ADDRESSES /* which has an allocator of its own */
static char whole[1 << 22], output[1 << 22], errors[1 << 22];
static unsigned long every; /* TEST_EVERY: turns lie that many times as far apart */

static void enter(void)
{
    const char *text = getenv("TEST_EVERY");
    every = text ? strtoul(text, NULL, 10) : 1;
    program_enter();
    setenv("LD_PRELOAD", DOUBLE, 1);
    setenv("MEMORY_DOUBLE_COUNT", "count", 1);
}

TestSuite(no_memory, .init = enter, .fini = program_leave, .timeout = 600);

/* fails 0: no allocation does. */
static int run_short(const char *arguments, unsigned long fails)
{
    char number[24];
    snprintf(number, sizeof number, "%lu", fails);
    setenv("MEMORY_DOUBLE_FAILS", number, 1);
    return program_run(arguments, output, errors, sizeof output);
}

/* Every allocation's turn would take minutes: the turns lie apart, and closer in the last eighth, where the
 * recording is read and printed. */
static unsigned long next_turn(unsigned long turn, unsigned long all)
{
    return turn + every * (1 + (turn < all - all / 8 ? turn / 16 : all / 160));
}

/* The status of the whole run, and how many allocations it made. */
static unsigned long run_whole(const char *arguments, int *status)
{
    char count[24];
    *status = run_short(arguments, 0);
    cr_assert_str_eq(errors, "", "%s", arguments);
    snprintf(whole, sizeof whole, "%s", output);
    program_read("count", count, sizeof count);
    return strtoul(count, NULL, 10);
}

static void check_command(const char *arguments, bool once)
{
    int wanted;
    unsigned long all = run_whole(arguments, &wanted), ended = 0, turns = 0;
    for (unsigned long turn = LOCALE; turn <= all; turn = next_turn(turn, all)) {
        int status = run_short(arguments, turn);
        turns++;
        if (status == wanted) {
            cr_assert_str_eq(output, whole, "%s: allocation %lu of %lu", arguments, turn, all);
            cr_assert_str_eq(errors, "", "%s: allocation %lu of %lu", arguments, turn, all);
            continue;
        }
        ended++;
        cr_assert_eq(status, 125, "%s: allocation %lu of %lu: %d", arguments, turn, all, status);
        cr_assert_str_eq(errors, SENTENCE, "%s: allocation %lu of %lu", arguments, turn, all);
    }
    /* SQLite does without some of its own, one at a time */
    cr_assert_gt(ended, once ? turns / 2 : turns * 9 / 10, "%s: %lu of %lu", arguments, ended, turns);
}

static const char *const commands[] = {"report " LINES,
                                       "report --full " SMALL,
                                       "report --table steps " LINES,
                                       "report --table ranges --csv " LINES,
                                       "report --json " LINES,
                                       "report --csv " SMALL,
                                       "report --wide " LINES,
                                       "export --json " LINES,
                                       "export --chrome " SMALL,
                                       "diff " SMALL " " LINES,
                                       "diff --json --fail-on 'time_ns > 1.05x' " LINES " " LINES,
                                       "export --csv " SMALL};

Test(no_memory, ends_a_command_with_one_sentence)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        check_command(commands[i], false);
}

/* Memory comes back: a part that was not made is not left out in silence. */
Test(no_memory, for_one_allocation_ends_it_too)
{
    setenv("MEMORY_DOUBLE_ONCE", "1", 1);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        check_command(commands[i], true);
}

/* One sentence says what there was no memory for, and does not call the recording damaged. What is printed is
 * whole, or nothing is; but a picture may lack parts: the screen draws what it has memory for. Loading, the
 * last eighth, is tried at every allocation: few of them are a row's. */
static void check_sentence(const char *arguments, unsigned long first, bool picture)
{
    int wanted;
    unsigned long all = run_whole(arguments, &wanted), ended = 0, turns = 0;
    for (unsigned long turn = first; turn <= all;
         turn = picture && turn > all - all / 8 ? turn + every : next_turn(turn, all)) {
        int status = run_short(arguments, turn);
        turns++;
        cr_assert(picture || !output[0] || strcmp(output, whole) == 0, "%s: allocation %lu of %lu: %s",
                  arguments, turn, all, output);
        if (status == wanted && !errors[0])
            continue;
        ended++;
        const char *line_end = strchr(errors, '\n');
        cr_assert_eq(status, 125, "%s: allocation %lu of %lu: %d, %s", arguments, turn, all, status, errors);
        cr_assert(line_end && !line_end[1] && !strstr(errors, "damaged") &&
                      (strstr(errors, "memory") || strstr(errors, "Cannot start the thread")),
                  "%s: allocation %lu of %lu: %s", arguments, turn, all, errors);
    }
    cr_assert_gt(ended, turns / 2, "%s: %lu of %lu", arguments, ended, turns);
}

Test(no_memory, is_no_damage_of_a_recording_that_is_viewed)
{
    setenv("MEMORY_DOUBLE_ONCE", "1", 1);
    check_sentence("view " SMALL " --snapshot text", LOCALE, true);
}

/* The panels of a kernel: its values are there, or the sentence. */
Test(no_memory, ends_the_panels_of_a_kernel)
{
    static const char arguments[] =
        "kernel " TEST_SOURCE_DIR "/workloads/ptx/copy_stride.ptx --grid 1 --block 32 --arg "
        "f32[64]=zero --arg f32[64]=ramp --arg u32=1 --device simt";
    setenv("MEMORY_DOUBLE_JOINED", "1", 1); /* when the kernel has run */
    check_sentence(arguments, 1, false);
    setenv("MEMORY_DOUBLE_ONCE", "1", 1);
    check_sentence(arguments, 1, false);
}

/* A file that is half written does not stay. */
Test(no_memory, leaves_no_part_of_an_export)
{
    int wanted;
    unsigned long all = run_whole("export --chrome --out trace " LINES, &wanted), removed = 0;
    unlink("trace");
    for (unsigned long turn = all - 64; turn <= all; turn++) { /* while it is written */
        int status = run_short("export --chrome --out trace " LINES, turn);
        cr_assert_eq(status == 0, access("trace", F_OK) == 0, "allocation %lu of %lu", turn, all);
        removed += status != 0;
        unlink("trace");
    }
    cr_assert_gt(removed, 0);
}

/* The table at the end of a run is no part of the recording, nor of the run's status; but a recording that
 * could not be ended is said to be none. */
Test(no_memory, for_the_table_is_no_failure_of_a_recording)
{
    static const char arguments[] =
        "--record a.lsr -- " TEST_BUILD_DIR
        "/tests/lanescope-generator --rate 0 --events 2000 --seed 7 --wait --status 3";
    static const char said[] = SENTENCE "lanescope: a.lsr: out of memory while ";
    int wanted;
    setenv("MEMORY_DOUBLE_JOINED", "1", 1); /* when the recorder's thread has ended, the fourth; */
    setenv("MEMORY_DOUBLE_JOINS", "4",
           1); /* the table is made beside another one, which completes the recording */
    unsigned long all = run_whole(arguments, &wanted), unprinted = 0;
    cr_assert_eq(wanted, 3);
    for (unsigned long turn = 100; turn <= all; turn += 1 + all / 16) {
        cr_assert_eq(system("rm -f a.lsr*"), 0);
        int status = run_short(arguments, turn);
        bool complete = strcmp(errors, SENTENCE RECORDED) == 0;
        bool harmless = *errors == '\0'; /* qsort, which does without */
        bool says_why = strncmp(errors, said, strlen(said)) == 0;
        cr_assert(status == 3 ? complete || harmless : status == 125 && says_why,
                  "allocation %lu of %lu: %d, %s", turn, all, status, errors);
        unprinted += complete;
    }
    cr_assert_gt(unprinted, 0);
}
#endif

static int put_in_order(void *context)
{
    return *(int *)context;
}

Test(memory, ends_as_the_command_says, .exit_code = 7)
{
    int status = 7;
    cr_assert_eq(memory_check(STATUS_STATE), STATUS_STATE);
    memory_end_by(put_in_order, &status);
    memory_check(STATUS_MEMORY);
}

Test(memory, is_not_asked_twice, .exit_code = 125)
{
    int status = 7;
    memory_end_by(put_in_order, &status);
    memory_end_by(NULL, NULL);
    memory_end();
}
