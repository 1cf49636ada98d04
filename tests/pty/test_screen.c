/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The screen in a real pseudo-terminal, with the session made by hand: keys, resizing, suspending, and every
 * way to end.
 */
#include "terminal.h"

#include "tests/shared/fixture/fixture_session.h"
#include "tui/tui.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct setting {
    enum fixture_content content;
    bool no_color, ascii;
};

static int run_screen(void *context)
{
    const struct setting *setting = context;
    struct fixture fixture;
    struct error error = {0};
    fixture_init(&fixture, setting->content);
    const struct tui_options options = {.color = !setting->no_color, .ascii = setting->ascii, .mouse = true};
    enum status status = tui_run(&fixture.host, &options, &error);
    if (status != STATUS_OK && write(STDERR_FILENO, error.text, strlen(error.text)) < 0)
        return 3;
    fixture_fini(&fixture);
    return status == STATUS_OK ? 0 : 2;
}

static struct terminal terminal;

static void start(int width, int height, struct setting setting)
{
    terminal_start(&terminal, width, height, NULL, run_screen, &setting);
}

static void expect_end(void)
{
    cr_assert(terminal_ends(&terminal), "the screen did not end");
    cr_assert(terminal_is_restored(&terminal));
    cr_assert_eq(terminal.vt.unknown, 0, "the terminal did not understand %s", terminal.vt.unknown_text);
    terminal_fini(&terminal);
}

static void expect_quit(void)
{
    terminal_type(&terminal, "Q");
    expect_end();
    cr_assert(WIFEXITED(terminal.status) && WEXITSTATUS(terminal.status) == 0);
}

Test(screen, draws_answers_keys_and_restores)
{
    start(120, 40, (struct setting){.content = FIXTURE_WORKLOADS});
    cr_assert(terminal_shows(&terminal, "Timeline  transpose:naive n=8192"));
    cr_assert(terminal_shows(&terminal, "Global stores move 8x"));
    cr_assert(terminal.vt.colored && terminal.vt.alternate);
    terminal_type(&terminal, "j");
    cr_assert(terminal_shows(&terminal, "Timeline  transpose:tile n=8192"));
    terminal_type(&terminal, "\x1bOA"); /* the up arrow, as xterm sends it in application mode */
    cr_assert(terminal_shows(&terminal, "Timeline  transpose:naive n=8192"));
    terminal_type(&terminal, "\x1b[B"); /* the down arrow of terminals that stay in normal mode */
    cr_assert(terminal_shows(&terminal, "Timeline  transpose:tile n=8192"));
    terminal_type(&terminal, "?");
    cr_assert(terminal_shows(&terminal, "Moving and choosing"));
    terminal_type(&terminal, "q");
    cr_assert(terminal_shows(&terminal, "Kernels  8"));
    terminal_type(&terminal, "/offset=3\r");
    cr_assert(terminal_shows(&terminal, "filter: offset=3"));
    cr_assert(terminal_shows(&terminal, "Timeline  copy-offset:offset offset=3"));
    terminal_type(&terminal, "q");
    cr_assert(terminal_shows(&terminal, "q again quits"));
    terminal_type(&terminal, "q");
    expect_end();
    cr_assert(WIFEXITED(terminal.status) && WEXITSTATUS(terminal.status) == 0);
}

Test(screen, the_device_sheet_by_its_key)
{
    start(100, 30, (struct setting){.content = FIXTURE_PROGRAM});
    cr_assert(terminal_shows(&terminal, "Kernels  5"));
    terminal_type(&terminal, "d");
    cr_assert(terminal_shows(&terminal, "97 % used, 1,755 MHz, 655 of 700 W"));
    terminal_type(&terminal, "G");
    cr_assert(terminal_shows(&terminal, "process 4712"));
    terminal_type(&terminal, "\x1b");
    cr_assert(terminal_shows(&terminal, "Kernels  5"));
    expect_quit();
}

Test(screen, amdahls_law_by_its_key)
{
    start(100, 30, (struct setting){.content = FIXTURE_PROGRAM});
    cr_assert(terminal_shows(&terminal, "Kernels  5"));
    terminal_type(&terminal, "a");
    cr_assert(terminal_shows(&terminal, "the gain from a faster kernel"));
    terminal_type(&terminal, "s");
    cr_assert(terminal_shows(&terminal, "of whole run"));
    terminal_type(&terminal, "q");
    cr_assert(terminal_shows(&terminal, "Kernels  5"));
    expect_quit();
}

Test(screen, escape_closes_a_view)
{
    start(100, 30, (struct setting){.content = FIXTURE_WORKLOADS});
    cr_assert(terminal_shows(&terminal, "Kernels  8"));
    terminal_type(&terminal, "r");
    cr_assert(terminal_shows(&terminal, "Runs  16"));
    terminal_type(&terminal, "\x1b");
    cr_assert(terminal_shows(&terminal, "Kernels  8"));
    terminal_type(&terminal, "\x1b"); /* where there is no view to close it does nothing */
    terminal_type(&terminal, "r");
    cr_assert(terminal_shows(&terminal, "Runs  16"));
    expect_quit();
}

Test(screen, follows_every_size)
{
    start(120, 40, (struct setting){.content = FIXTURE_PROGRAM});
    cr_assert(terminal_shows(&terminal, "Kernels  5"));
    terminal_resize(&terminal, 60, 18);
    cr_assert(terminal_hides(&terminal, "expected"));
    cr_assert(terminal_shows(&terminal, "gemm_tiles"));
    terminal_resize(&terminal, 20, 5);
    cr_assert(terminal_hides(&terminal, "Timeline"));
    cr_assert(terminal_shows(&terminal, "gemm_tiles"));
    terminal_resize(&terminal, 12, 3);
    cr_assert(terminal_shows(&terminal, "needs 20x5"));
    terminal_resize(&terminal, 200, 60);
    cr_assert(terminal_shows(&terminal, "expected"));
    expect_quit();
}

Test(screen, suspends_and_resumes)
{
    start(100, 30, (struct setting){.content = FIXTURE_WORKLOADS});
    cr_assert(terminal_shows(&terminal, "Kernels  8"));
    /* The frame is whole: curses ignores Ctrl-Z while it writes one. */
    cr_assert(terminal_shows(&terminal, "? help"));
    cr_assert(terminal_is_quiet(&terminal));
    terminal_type(&terminal, "\x1a");
    cr_assert(terminal_stops(&terminal));
    cr_assert(terminal_is_restored(&terminal));
    terminal_signal(&terminal, SIGCONT);
    cr_assert(terminal_shows(&terminal, "Kernels  8"));
    cr_assert(terminal.vt.alternate && terminal.vt.mouse);
    terminal_type(&terminal, "j");
    cr_assert(terminal_shows(&terminal, "Timeline  transpose:tile"));
    expect_quit();
}

static void end_by(int number)
{
    start(100, 30, (struct setting){.content = FIXTURE_WORKLOADS});
    cr_assert(terminal_shows(&terminal, "Kernels  8"));
    cr_assert(terminal_is_quiet(&terminal)); /* killed within a sequence it leaves half of one */
    terminal_signal(&terminal, number);
    expect_end();
}

Test(screen, is_restored_after_signals)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        end_by(numbers[i]);
        cr_assert(WIFEXITED(terminal.status) && WEXITSTATUS(terminal.status) == 0, "signal %d", numbers[i]);
    }
}

Test(screen, is_restored_after_crashes)
{
    static const int numbers[] = {SIGSEGV, SIGABRT, SIGBUS, SIGKILL};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        end_by(numbers[i]);
        cr_assert(WIFSIGNALED(terminal.status) || WEXITSTATUS(terminal.status) != 0, "signal %d", numbers[i]);
    }
}

Test(screen, ctrl_c_ends_it)
{
    start(80, 24, (struct setting){.content = FIXTURE_EMPTY});
    cr_assert(terminal_shows(&terminal, "Workloads  5"));
    terminal_type(&terminal, "\x03");
    expect_end();
}

/* Ctrl-S is a key that means nothing, not the end of all output. */
Test(screen, ctrl_s_does_not_stop_it)
{
    start(100, 30, (struct setting){.content = FIXTURE_WORKLOADS});
    cr_assert(terminal_shows(&terminal, "Timeline  transpose:naive n=8192"));
    terminal_type(&terminal, "\x13j");
    cr_assert(terminal_shows(&terminal, "Timeline  transpose:tile n=8192"));
    cr_assert(terminal_is_quiet(&terminal)); /* the frame is whole */
    terminal_type(&terminal, "\x1a");        /* nor after it was suspended */
    cr_assert(terminal_stops(&terminal));
    cr_assert(terminal_is_restored(&terminal));
    terminal_signal(&terminal, SIGCONT);
    cr_assert(terminal_shows(&terminal, "Kernels  8"));
    cr_assert(terminal_is_quiet(&terminal));
    terminal_type(&terminal, "\x13k");
    cr_assert(terminal_shows(&terminal, "Timeline  transpose:naive n=8192"));
    expect_quit();
}

Test(screen, without_colours)
{
    start(100, 30, (struct setting){.content = FIXTURE_PROGRAM, .no_color = true});
    cr_assert(terminal_shows(&terminal, "Kernels  5"));
    cr_assert(terminal_shows(&terminal, "dropped"));
    cr_assert(!terminal.vt.colored);
    expect_quit();
}

Test(screen, in_ascii)
{
    start(100, 30, (struct setting){.content = FIXTURE_PROGRAM, .ascii = true});
    cr_assert(terminal_shows(&terminal, "Kernels  5"));
    cr_assert(terminal_shows(&terminal, "dropped"));
    char *screen = vt_text(&terminal.vt);
    for (const char *at = screen; *at != '\0'; at++)
        cr_assert((unsigned char)*at < 0x80, "not ASCII: %s", at);
    free(screen);
    expect_quit();
}

Test(screen, takes_80x24_where_there_is_no_size)
{
    unsetenv("COLUMNS");
    unsetenv("LINES");
    start(0, 0, (struct setting){.content = FIXTURE_WORKLOADS});
    cr_assert(terminal_shows(&terminal, "Kernels  8"));
    expect_quit();
}

/* Few bytes over ssh: a line of candidates each; and what is typed goes to no view. */
Test(screen, finds_by_name)
{
    start(80, 24, (struct setting){.content = FIXTURE_WORKLOADS});
    cr_assert(terminal_shows(&terminal, ": all"));
    cr_assert(terminal_is_quiet(&terminal));
    uint64_t before = terminal.bytes;
    terminal_type(&terminal, ":");
    cr_assert(terminal_shows(&terminal, "TAB next"));
    cr_assert(terminal_is_quiet(&terminal));
    cr_assert_leq(terminal.bytes - before, 4000, "%llu bytes", (unsigned long long)(terminal.bytes - before));
    terminal_type(&terminal, "rfln");
    cr_assert(terminal_shows(&terminal, "1 of 1 "));
    terminal_type(&terminal, "\r");
    cr_assert(terminal_shows(&terminal, "q back"));
    cr_assert(terminal_shows(&terminal, "Roofline"));
    expect_quit();
}

/* One after the other, as a hand is slow: curses makes one click of what comes at once. */
static void drag(const char *down, const char *moved, const char *up)
{
    const char *const reports[] = {down, moved, up};
    for (size_t i = 0; i < sizeof reports / sizeof reports[0]; i++) {
        terminal_type(&terminal, reports[i]);
        cr_assert(terminal_is_quiet(&terminal));
    }
}

/* SGR mouse reports, as a terminal sends them: button;column;row from 1, M down, m up. */
Test(screen, takes_the_mouse)
{
    start(120, 40, (struct setting){.content = FIXTURE_WORKLOADS});
    cr_assert(terminal_shows(&terminal, "Timeline  transpose:naive n=8192"));
    cr_assert(terminal_shows(&terminal, "transpose_pad"));
    int row = -1;
    for (int y = 0; y < terminal.vt.height; y++)
        if (terminal.vt.cells[y][1] == 'C')
            row = y;
    cr_assert_geq(row, 0);
    char report[200];
    snprintf(report, sizeof report, "\x1b[<0;20;%dM\x1b[<0;20;%dm", row + 1, row + 1);
    terminal_type(&terminal, report);
    cr_assert(terminal_shows(&terminal, "Timeline  transpose:pad n=8192"));
    terminal_type(&terminal, "\x1b[<64;70;4M");
    cr_assert(terminal_shows(&terminal, "pad n=8192  shows 2.84 ms")); /* half of before */
    snprintf(report, sizeof report, "\x1b[<0;30;%dM\x1b[<0;30;%dm\x1b[<0;30;%dM\x1b[<0;30;%dm", row + 1,
             row + 1, row + 1, row + 1);
    terminal_type(&terminal, report);
    cr_assert(terminal_shows(&terminal, "q back"), "a double click opens the panel");
    char *text = vt_text(&terminal.vt), *back = strstr(text, "q back");
    while (back > text && back[-1] != '\n')
        back--;
    int column = (int)(strstr(back, "q back") - back); /* the bar has letters of one byte only */
    free(text);
    snprintf(report, sizeof report, "\x1b[<0;%d;40M\x1b[<0;%d;40m", column + 1, column + 1);
    terminal_type(&terminal, report);
    cr_assert(terminal_shows(&terminal, "q quit"), "a click on the bar is the key");
    cr_assert(terminal_is_quiet(&terminal));
    text = vt_text(&terminal.vt);
    drag("\x1b[<2;60;6M", "\x1b[<34;70;6M", "\x1b[<2;70;6m"); /* the third button */
    char *panned = vt_text(&terminal.vt);
    cr_assert_neq(strcmp(panned, text), 0, "it pans");
    cr_assert_null(strstr(panned, "are marked"));
    free(text);
    free(panned);
    drag("\x1b[<0;50;6M", "\x1b[<32;60;6M", "\x1b[<0;60;6m");
    cr_assert(terminal_shows(&terminal, "are marked: T"));
    expect_quit();
}

Test(screen, hostile_names_stay_text)
{
    start(160, 40, (struct setting){.content = FIXTURE_PROGRAM});
    cr_assert(terminal_shows(&terminal, "evil\\x1b[2J\\u202etxet\\xff"));
    cr_assert(terminal_shows(&terminal, "编码_kernel"));
    expect_quit();
}
