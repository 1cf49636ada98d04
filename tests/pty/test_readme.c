/* SPDX-License-Identifier: Apache-2.0 */
/*
 * README's steps with real keys on the real binary, on the device model: each comes to what the reader was
 * promised to see.
 */
#include "driven_lanescope.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define DATA TEST_SOURCE_DIR "/tests/data/"
#define LEFT "\x1bOD"
#define RIGHT "\x1bOC"
#define BACKTAB "\x1b[Z"

TestSuite(readme, .init = driven_make_folder, .fini = driven_remove_folder, .timeout = 280);

/* Keys, and what they show. */
static void press(const char *keys, const char *wanted)
{
    terminal_type(&terminal, keys);
    cr_assert(terminal_shows(&terminal, wanted), "after the keys %s", keys);
}

/* The line of the screen that holds a text, to be freed by nobody: the next call overwrites it. */
static const char *line_with(const char *text)
{
    static char line[1000];
    char *screen = vt_text(&terminal.vt), *at = strstr(screen, text);
    cr_assert_not_null(at, "no %s in\n%s", text, screen);
    while (at > screen && at[-1] != '\n')
        at--;
    snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
    free(screen);
    return line;
}

/* What a command prints, NUL-terminated; its status. */
static int run_command(const char *command, char *text, size_t size_bytes)
{
    char whole[2000];
    snprintf(whole, sizeof whole, "cd %s && exec 2>&1 && %s", driven_folder, command);
    FILE *in = popen(whole, "r");
    cr_assert_not_null(in);
    size_t got = fread(text, 1, size_bytes - 1, in);
    text[got] = '\0';
    while (getc(in) != EOF)
        continue;
    int status = pclose(in);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void expect_command(const char *command, int wanted, const char *text)
{
    static char said[1 << 20];
    int status = run_command(command, said, sizeof said);
    cr_assert_eq(status, wanted, "%s: status %d: %.2000s", command, status, said);
    cr_assert(strstr(said, text) != NULL, "%s does not say %s: %.2000s", command, text, said);
}

/* Over kernels until the selected one's title is on the screen, however they are sorted. */
static void choose_kernel(const char *title)
{
    terminal_type(&terminal, "g");
    for (int i = 0; i < 12; i++) {
        cr_assert(terminal_is_quiet(&terminal));
        if (driven_shows(title))
            return;
        terminal_type(&terminal, "j");
    }
    cr_assert_fail("no kernel has the title %s", title);
}

static size_t recordings(void)
{
    char path[100];
    size_t count = 0;
    snprintf(path, sizeof path, "%s/lanescope", driven_folder);
    DIR *folder = opendir(path);
    for (struct dirent *entry = folder ? readdir(folder) : NULL; entry != NULL; entry = readdir(folder))
        count += strstr(entry->d_name, ".lsr") != NULL;
    if (folder != NULL)
        closedir(folder);
    return count;
}

/* ---- five minutes ---- */

Test(readme, step_1_list_kernels_lab_runs)
{
    START("--device", "simt"); /* what `bootstrap demo` starts where there is no GPU */
    cr_assert(terminal_shows(&terminal, "Workloads  "));
    press("/transpose\r", "search: transpose");
    press("\r", "Kernels  5");
    cr_assert(terminal_shows(&terminal, " ended  device"));
    cr_assert(terminal_shows(&terminal, "Timeline  transpose:"));
    choose_kernel("Timeline  transpose:tile");
    press("\r", "q back"); /* the panel alone */
    cr_assert(driven_shows("shared load instructions"));
    cr_assert(!driven_shows("Timeline"));
    press("q", "Timeline  transpose:tile");
    choose_kernel("Timeline  transpose:pad"); /* the list has the keys again */
    choose_kernel("Timeline  transpose:tile");
    press("v", "costs most");
    press("q", "Timeline  transpose:tile");
    press("w", "q shows the runs");
    press("q", "Timeline  transpose:tile");
    press("we", "h l change");
    cr_assert(terminal_shows(&terminal, "Lesson"));
    press(RIGHT, "ENTER lanescope --device simt transpose:tile,n=32"); /* the first size that can be run */
    press("\r", "n=32 verified");
    cr_assert(terminal_shows(&terminal, "expected"));
    cr_assert(terminal_shows(&terminal, " ended  device"));
    press("r", "Runs  ");
    press("gjj\r", "Kernels  1 of transpose:naive");
    press("X", "Comparison");
    press("q", "Kernels  1 of transpose:naive");
    press("?", "Moving and choosing");
    press("qq", "W saves them, q again quits");
    driven_leave();
}

Test(readme, step_2_bank_conflicts)
{
    START("--device", "simt", "transpose");
    cr_assert(terminal_shows(&terminal, "Kernels  5"));
    cr_assert(terminal_shows(&terminal, " ended  device"));
    press("\t/bank\r", "filter: bank");
    terminal_type(&terminal, BACKTAB);
    choose_kernel(" transpose_tile  filter: bank");
    cr_assert(strstr(line_with("shared load bank conflicts"), " 15,872 ") != NULL);
    choose_kernel(" transpose_pad  filter: bank");
    cr_assert(strstr(line_with("shared load bank conflicts"), " 0* ") != NULL, "%s",
              line_with("shared load bank conflicts"));
    press("\t/store\r", "filter: store");
    terminal_type(&terminal, BACKTAB);
    choose_kernel(" transpose_naive  filter: store");
    cr_assert(strstr(line_with("sectors per store request"), " 32.0") != NULL);
    terminal_type(&terminal, "\t\x1b");
    cr_assert(terminal_hides(&terminal, "filter: "));
    cr_assert(terminal_shows(&terminal, "Kernels  5"));
    driven_leave();
}

Test(readme, step_3_a_sweep_and_its_chart)
{
    START("--device", "simt", "copy-stride,stride=1..32");
    cr_assert(terminal_shows(&terminal, " ended  device"));
    press("p", "copy-stride: load bytes wanted / moved over stride");
    press("k", "copy-stride: sectors per load request over stride");
    cr_assert(terminal_shows(&terminal, "document, CC 2.x"));
    press("l", "copy stride=2: 8.00, modelled");
    press("h", "copy stride=1: 4.00, modelled");
    driven_leave();
}

Test(readme, step_4_copies_and_kernels_side_by_side)
{
    START("--device", "simt", "n-way");
    cr_assert(terminal_shows(&terminal, " ended  device"));
    cr_assert(terminal_shows(&terminal, "Timeline  n-way:4-way+")); /* the newest */
    choose_kernel("Timeline  n-way:serial");
    press(BACKTAB "0", "copies to the host");
    cr_assert(terminal_is_quiet(&terminal));
    char whole[1000], zoomed[1000];
    snprintf(whole, sizeof whole, "%s", line_with("Timeline  n-way:"));
    terminal_type(&terminal, "+++");
    cr_assert(terminal_is_quiet(&terminal));
    snprintf(zoomed, sizeof zoomed, "%s", line_with("Timeline  n-way:"));
    cr_assert_str_neq(whole, zoomed);
    char *before = vt_text(&terminal.vt);
    terminal_type(&terminal, RIGHT); /* the cursor moves, the window does not */
    cr_assert(terminal_is_quiet(&terminal));
    cr_assert_str_eq(line_with("Timeline  n-way:"), zoomed);
    char *after = vt_text(&terminal.vt);
    cr_assert_str_neq(before, after);
    free(before);
    free(after);
    terminal_type(&terminal, "---0");
    cr_assert(terminal_is_quiet(&terminal));
    cr_assert_str_eq(line_with("Timeline  n-way:"), whole, "%s", line_with("Timeline  n-way:"));
    terminal_type(&terminal, BACKTAB "" BACKTAB);
    choose_kernel("Timeline  n-way:4-way n");
    press("o", "What waited longest");
    cr_assert(terminal_shows(&terminal, "one copy engine per direction"));
    press("q", "Timeline  n-way:4-way n");
    choose_kernel("Timeline  n-way:serial");
    press("o", "0.0 % of the copies are hidden");
    driven_leave();
}

Test(readme, step_5_without_a_screen)
{
    expect_command(TEST_LANESCOPE " --device simt --record out.lsr transpose", 0, "transpose_naive");
    expect_command(TEST_LANESCOPE " report out.lsr", 0, "Global stores move 8x the sectors they need");
    expect_command(TEST_LANESCOPE " view out.lsr --keys p --snapshot svg > chart.svg && cat chart.svg", 0,
                   "<svg ");
    expect_command(TEST_LANESCOPE " report out.lsr --kernel 'transpose_n*'", 0, "transpose_naive");
    expect_command(TEST_LANESCOPE " report out.lsr --kernel 'transpose_n*' | grep -c transpose_tile", 1, "0");
    expect_command(TEST_LANESCOPE " report out.lsr --json", 0, "\"runs\"");
    char path[100];
    snprintf(path, sizeof path, "%s/out.lsr", driven_folder);
    START("view", path);
    cr_assert(terminal_shows(&terminal, "Kernels  5"));
    terminal_type(&terminal, "q"); /* of a recording nothing is lost */
    driven_expect_end();
}

/* A picture is no text for a terminal. */
Test(readme, a_picture_is_not_written_to_a_terminal)
{
    START("view", DATA "h200.lsr", "--snapshot", "svg");
    cr_assert(terminal_shows(&terminal, "a terminal does not show: add > FILE.svg"));
    cr_assert(terminal_ends(&terminal));
    cr_assert_eq(WEXITSTATUS(terminal.status), 2);
}

Test(readme, a_trace_of_bytes_is_not_written_to_a_terminal)
{
    START("export", DATA "h200.lsr", "--perfetto");
    cr_assert(terminal_shows(&terminal, "a terminal does not show: add --out FILE.pftrace"));
    cr_assert(terminal_ends(&terminal));
    cr_assert_eq(WEXITSTATUS(terminal.status), 2);
}

static void expect_workloads(const char *file, int wanted)
{
    char command[300], said[100];
    snprintf(command, sizeof command,
             TEST_LANESCOPE " report %s --json | grep -o '\"workload\": *\"[^\"]*\"' | sort -u | wc -l",
             file);
    cr_assert_eq(run_command(command, said, sizeof said), 0);
    cr_assert_eq(atoi(said), wanted, "%s has %s workloads", file, said);
}

Test(readme, step_6_recordings_of_an_h200)
{
    expect_workloads(DATA "h200.lsr", 7);
    expect_workloads(DATA "curriculum_h200.lsr", 38);
    START("view", DATA "h200.lsr");
    cr_assert(terminal_shows(&terminal, "Kernels  175  z unfolds"));
    cr_assert(terminal_shows(&terminal, "NVIDIA H200"));
    terminal_type(&terminal, "q");
    driven_expect_end();
}

/* ---- the other sections ---- */

Test(readme, better_or_worse)
{
    expect_command(TEST_LANESCOPE " --device simt --record a.lsr transpose", 0, "transpose_tile");
    expect_command(TEST_LANESCOPE " diff a.lsr a.lsr", 0, "of 5 kernels compared");
    expect_command(TEST_LANESCOPE " diff a.lsr:transpose:naive a.lsr:transpose:tile", 0, "conflicts");
    expect_command(TEST_LANESCOPE " diff a.lsr a.lsr --fail-on 'global_load_sectors_per_request > 1.05x'", 0,
                   "");
    expect_command(TEST_LANESCOPE " diff a.lsr a.lsr --fail-on 'shared_load_conflicts > 0'", 1, "");
}

Test(readme, in_front_of_a_class)
{
    expect_command(TEST_LANESCOPE
                   " --device simt --record monday.lsr copy-stride,stride=1..32 transpose n-way",
                   0, "transpose_tile");
    char path[100];
    snprintf(path, sizeof path, "%s/monday.lsr", driven_folder);
    START("view", path, "--theme", "projector");
    cr_assert(terminal_shows(&terminal, "Timeline"));
    press("r", "Runs  42");
    press("q", "Timeline");
    press("/transpose\r", "filter: transpose");
    press("p", "transpose: ");
    press("q", "Timeline");
    press("e", "Lesson");
    press("q", "Timeline");
    driven_leave();
}

/* ---- what a step must not do ---- */

/* Whatever was open: choosing a run shows its timeline and kernels, where j and k choose a kernel. */
Test(readme, choosing_a_run_shows_its_kernels)
{
    START("--device", "simt");
    cr_assert(terminal_shows(&terminal, "Workloads"));
    press("/transpose\re", "not run yet: ENTER runs it");
    press("\r", " verified");
    cr_assert(terminal_shows(&terminal, " ended  device"));
    press("w\r", "Kernels  ");
    cr_assert(terminal_shows(&terminal, " ended  device"));
    press("we", "h l change"); /* the lab */
    press("r", "Runs  6");
    press("gjjjj\r", "Kernels  1 of transpose:tile");
    cr_assert(terminal_shows(&terminal, "Timeline  transpose:tile"));
    press("wr", "Runs  6"); /* from the list of workloads */
    press("gjjj\r", "Kernels  1 of transpose:naive");
    press("r", "Runs  6");
    press("g\r", "Kernels  6"); /* all of them */
    driven_leave();
}

Test(readme, a_filter_in_the_panel_is_of_its_metrics)
{
    START("view", DATA "h200.lsr");
    cr_assert(terminal_shows(&terminal, "Kernels  175"));
    press("\r", "theoretical bandwidth");
    press("/bank\r", "shared load bank conflicts");
    cr_assert(terminal_hides(&terminal, "theoretical bandwidth"));
    press("/", "Show only metrics with:");
    cr_assert(strstr(line_with("Show only metrics with:"), "bank") == NULL, "it starts empty");
    press("nonesuch\r", "No metric matches the filter");
    press("\x1b", "theoretical bandwidth");
    press("\x1b", "Kernels  175"); /* the list has the keys again */
    press("/transpose\r", "filter: transpose");
    terminal_type(&terminal, "\x1b");
    cr_assert(terminal_hides(&terminal, "filter: "));
    driven_leave();
}

/* Runs that nothing keeps are not lost without a word. */
Test(readme, leaving_asks_once)
{
    START("--device", "simt", "transpose:tile");
    cr_assert(terminal_shows(&terminal, " ended  device"));
    cr_assert(terminal_shows(&terminal, "W save"));
    press("q", "This run is not saved: W saves it, q again quits.");
    terminal_type(&terminal, "j"); /* another key: the question is over */
    cr_assert(terminal_hides(&terminal, "q again quits"));
    press("q", "q again quits");
    char keep[120];
    snprintf(keep, sizeof keep, "W%s/kept.lsr\r", driven_folder);
    press(keep, "Saved as ");
    cr_assert(terminal_hides(&terminal, "W save"));
    terminal_type(&terminal, "q");
    driven_expect_end();
    expect_command(TEST_LANESCOPE " report kept.lsr", 0, "transpose_tile");
    START("--device", "simt", "transpose:tile");
    cr_assert(terminal_shows(&terminal, " ended  device"));
    press("q", "q again quits");
    terminal_type(&terminal, "q");
    driven_expect_end();
    cr_assert_eq(recordings(), 0);
}

/* Before anything has run there is nothing below the list of workloads. */
Test(readme, the_first_screen_is_the_outermost)
{
    START("--device", "simt");
    cr_assert(terminal_shows(&terminal, "q quit"));
    press("\x1b", "Nothing has run yet: ENTER runs the workload");
    cr_assert(terminal_shows(&terminal, "Workloads  "));
    press("/transpose\r", "search: transpose");
    press("\x1b", "Workloads  ");
    terminal_type(&terminal, "q");
    driven_expect_end();
}
