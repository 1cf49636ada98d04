/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nothing is green while the run is bad: what an H200 recorded, looked at on the screen and in the report.
 */
#include "tests/cli/program.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define H200 TEST_SOURCE_DIR "/tests/data/h200.lsr"

static char output[1 << 20], errors[1 << 16];

TestSuite(verdict, .init = program_enter, .fini = program_leave, .timeout = 120);

static void look(const char *keys, const char *size)
{
    char arguments[400];
    snprintf(arguments, sizeof arguments, "view " H200 " --keys '%s' --snapshot text --size %s", keys, size);
    cr_assert_eq(program_run(arguments, output, errors, sizeof errors), 0, "%s", errors);
}

/* A kernel that is well in a run that is not has no tick, and the run's advice stands above what is said of
 * it. */
Test(verdict, a_kernel_has_no_tick_while_its_run_has_advice)
{
    static const struct {
        const char *keys, *run, *kernel;
    } rows[] = {
        {"/ w h o l e - p a g ENTER", "▲ the run: Copies from or to pageable memory take 86 %",
         "  This kernel: 98 % of the issue slots used"},
        {"/ n - w a y : s e r i a l ENTER", "▲ the run: Kernels hide none of the copy time",
         "  This kernel: 98 % of the issue slots used"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        look(rows[i].keys, "120x40");
        const char *run = strstr(output, rows[i].run), *kernel = strstr(output, rows[i].kernel);
        cr_assert(run && kernel && run < kernel, "%s:\n%s", rows[i].keys, output);
        cr_assert(!strstr(output, "✓ This kernel"), "%s:\n%s", rows[i].keys, output);
    }
    /* its copies are set-up: nothing is said of its run */
    look("/ t r a n s p o s e : n a i v e ENTER", "120x40");
    cr_assert(strstr(output, "▲ Global stores move 8x the sectors they need") && !strstr(output, "the run:"),
              "%s", output);
    /* where there is room, the timeline says it, too */
    look("/ w h o l e - p a g ENTER", "200x60");
    const char *title = strstr(output, "Timeline  staged-overlap:whole-pageable");
    cr_assert(title &&
                  strstr(title, "▲ the run: Copies from or to pageable memory take 86 % of the busy time ─┐"),
              "%s", output);
}

/* In the smallest panel, too: it takes the lines that it needs, and says where its figure comes from. */
Test(verdict, the_runs_advice_is_whole_at_80x24)
{
    static const struct {
        const char *keys, *lines[3];
    } rows[] = {
        {"/ w h o l e - p a g ENTER",
         {"│▲ the run: Copies from or to pageable   │", "│  memory take 86 % of the busy time (86 │",
          "│  % at most, measured)                  │"}},
        {"/ n - w a y : s e r i a l ENTER",
         {"│▲ the run: Kernels hide none of the copy│", "│  time that they could hide (66 % at    │",
          "│  most, measured)                       │"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        look(rows[i].keys, "80x24");
        const char *from = output;
        for (int line = 0; line < 3 && from; line++)
            from = strstr(from, rows[i].lines[line]);
        cr_assert(from, "%s:\n%s", rows[i].keys, output);
    }
}

/* Green is earned: not all rules could judge this kernel, but it is near a limit.
 */
Test(verdict, a_kernel_has_a_tick_in_a_run_without_advice)
{
    look("/ n - w a y : 2 - w a y ENTER", "120x40");
    cr_assert(strstr(output, "✓ This kernel: 88 % of the issue slots used, and no"), "%s", output);
    cr_assert(!strstr(output, "the run:"), "%s", output);
    look("/ t r a n s p o s e : p a d ENTER", "120x40");
    cr_assert(strstr(output, "✓ Device memory is at 74 % of its peak"), "%s", output);
}

/* A run is as long as its work on the device: of 49.1 ms of n-way:serial 43 ms are set-up and idle time. */
Test(verdict, a_share_is_one_of_the_device_time)
{
    look("/ n - w a y : s e r i a l ENTER a", "140x40");
    cr_assert(strstr(output, "of device time, 5.66 ms") && strstr(output, "of whole run, 49.1 ms"), "%s",
              output);
    cr_assert(strstr(output, "31.92 %"), "%s", output);
}

/* What no rule judges is said before what a rule finds in the rest: by the same words in report and panel. */
Test(verdict, most_of_a_run_that_is_set_up_is_named)
{
    static const char said[] = "91 % of first to last is set-up";
    cr_assert_eq(
        program_run("report " TEST_SOURCE_DIR "/tests/data/cublas_h200.lsr", output, errors, sizeof errors),
        0, "%s", errors);
    const char *set_up = strstr(output, said),
               *rule = strstr(output, "Matrix products in full 32-bit floats");
    cr_assert(set_up && rule && set_up < rule, "%s", output);
    cr_assert_eq(program_run("view " TEST_SOURCE_DIR
                             "/tests/data/cublas_h200.lsr --snapshot text --size 120x40",
                             output, errors, sizeof errors),
                 0, "%s", errors);
    set_up = strstr(output, said), rule = strstr(output, "Matrix products in full 32-bit floats");
    cr_assert(set_up && rule && set_up < rule, "%s", output);
}

/* Findings of less than five per cent are not shown, so that is what the sentence says. */
Test(verdict, nothing_found_names_its_limit)
{
    cr_assert_eq(
        program_run("report " TEST_SOURCE_DIR "/tests/data/peer_h200.lsr", output, errors, sizeof errors), 0,
        "%s", errors);
    cr_assert(strstr(output, "No rule finds 5 % of a run's time to gain"), "%s", output);
}

/* What no rule explains is an edit of the replay: it asks, since its title is no statement about the run. */
Test(verdict, an_edit_without_a_rule_asks)
{
    cr_assert_eq(program_run("view " TEST_SOURCE_DIR
                             "/tests/data/ladders_h200.lsr --snapshot text --size 120x40",
                             output, errors, sizeof errors),
                 0, "%s", errors);
    cr_assert(strstr(output, "▲ the run: What if memory is allocated and freed"), "%s", output);
}
