/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The real binary in a pseudo-terminal: a live session that the wire's generator feeds, and a recording of
 * one.
 */
#include "terminal.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char folder[] = "/tmp/lanescope-pty-XXXXXX";
static char recording[64], enough[64], generator[64]; /* the last one a link: the screen says its name */
static struct terminal terminal;

static void make_folder(void)
{
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(setenv("XDG_STATE_HOME", folder, 1), 0);
    cr_assert_eq(setenv("XDG_RUNTIME_DIR", folder, 1), 0);
    unsetenv("NO_COLOR");
    snprintf(recording, sizeof recording, "%s/made.lsr", folder);
    snprintf(enough, sizeof enough, "%s/enough", folder);
    snprintf(generator, sizeof generator, "%s/lanescope-generator", folder);
    cr_assert_eq(symlink(TEST_BUILD_DIR "/tests/lanescope-generator", generator), 0);
}

/* Ends generators that were started with --until. */
static void say_enough(void)
{
    int fd = open(enough, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    cr_assert_geq(fd, 0);
    close(fd);
}

static void remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf -- %s", folder);
    if (system(command) != 0)
        perror(command);
}

TestSuite(lanescope, .init = make_folder, .fini = remove_folder, .timeout = 280);

static void start(int width, int height, const char *const *arguments)
{
    char *argv[32] = {(char *)(uintptr_t)TEST_LANESCOPE};
    int count = 1;
    while (*arguments != NULL && count < 31)
        argv[count++] = (char *)(uintptr_t)*arguments++;
    terminal_start(&terminal, width, height, argv, NULL, NULL);
}

#define START(width, height, ...) start(width, height, (const char *const[]){__VA_ARGS__, NULL})

static void expect_exit(int status)
{
    cr_assert(terminal_ends(&terminal), "lanescope did not end");
    cr_assert(WIFEXITED(terminal.status), "wait status %x", (unsigned)terminal.status);
    cr_assert_eq(WEXITSTATUS(terminal.status), status, "exit status %d", WEXITSTATUS(terminal.status));
    cr_assert(terminal_is_restored(&terminal));
    terminal_fini(&terminal);
}

/* The screen closes, the program goes on until Ctrl-C. */
static void leave_running_program(void)
{
    terminal_type(&terminal, "Q");
    cr_assert(terminal_shows(&terminal, "is still running; Ctrl-C ends it"));
    cr_assert(terminal_is_restored(&terminal));
    terminal_type(&terminal, "\x03");
    cr_assert(terminal_ends(&terminal));
    cr_assert(terminal_is_restored(&terminal));
    terminal_fini(&terminal);
}

/* Headless, in the same pseudo-terminal. */
static void record(void)
{
    START(100, 30, "--record", recording, "--", generator, "--rate", "0", "--events", "20k", "--seed", "3",
          "--wait");
    expect_exit(0);
}

/* Where a screen cannot be drawn it says so, and draws nothing. */
Test(lanescope, refuses_a_terminal_without_a_cursor)
{
    char *argv[] = {(char *)(uintptr_t) "env", (char *)(uintptr_t) "TERM=dumb",
                    (char *)(uintptr_t)TEST_LANESCOPE, NULL};
    terminal_start(&terminal, 200, 24, argv, NULL, NULL);
    cr_assert(terminal_shows(&terminal, "cannot place a cursor"));
    expect_exit(125);
}

Test(lanescope, views_a_recording)
{
    record();
    START(120, 40, "view", recording);
    cr_assert(terminal_shows(&terminal, "Kernels  8"));
    cr_assert(terminal_shows(&terminal, "ended"));
    cr_assert(terminal_shows(&terminal, "measured"));
    terminal_type(&terminal, "+++");
    terminal_type(&terminal, "\x1bOB\r");
    cr_assert(terminal_hides(&terminal, "Timeline"));
    cr_assert(terminal_shows(&terminal, "theoretical occupancy"));
    terminal_type(&terminal, "q/matmul\r");
    cr_assert(terminal_shows(&terminal, "filter: matmul"));
    cr_assert(terminal_shows(&terminal, "Kernels  1"));
    terminal_resize(&terminal, 20, 5);
    cr_assert(terminal_hides(&terminal, "Timeline"));
    terminal_resize(&terminal, 90, 30);
    cr_assert(terminal_shows(&terminal, "filter: matmul"));
    terminal_type(&terminal, "q");
    expect_exit(0);
    cr_assert_eq(access(recording, F_OK), 0);
}

Test(lanescope, draws_live_and_gives_the_programs_status)
{
    START(120, 40, "--", generator, "--rate", "5k", "--until", enough, "--status", "7", "--long-every", "500",
          "--long-ms", "400");
    cr_assert(terminal_shows(&terminal, "LIVE"));
    cr_assert(terminal_shows(&terminal, "following"));
    cr_assert(terminal_shows(&terminal, "Kernels  8"));
    terminal_type(&terminal, " ");
    cr_assert(terminal_shows(&terminal, "FROZEN"));
    terminal_type(&terminal, " ");
    cr_assert(terminal_hides(&terminal, "FROZEN"));
    terminal_type(&terminal, "H");
    cr_assert(terminal_hides(&terminal, "following"));
    terminal_type(&terminal, "f");
    cr_assert(terminal_shows(&terminal, "following"));
    say_enough();
    cr_assert(terminal_shows(&terminal, " ended  "));
    terminal_type(&terminal, "q");
    cr_assert(terminal_shows(&terminal, "q again quits"));
    terminal_type(&terminal, "q");
    expect_exit(7);
}

/* The list of workloads, one of them chosen, and what the model says of it. */
Test(lanescope, runs_a_workload_on_the_model)
{
    START(120, 40, "--device", "simt");
    cr_assert(terminal_shows(&terminal, "Workloads"));
    cr_assert(terminal_shows(&terminal, "device model of NVIDIA H200: numbers are modelled"));
    terminal_type(&terminal, "/copy-stride\r");
    cr_assert(terminal_shows(&terminal, "search: copy-stride"));
    terminal_type(&terminal, "\r");
    cr_assert(terminal_shows(&terminal, "~ modelled times"));
    cr_assert(terminal_shows(&terminal, "copy_stride"));
    cr_assert(terminal_shows(&terminal, "of modelled time"));
    terminal_type(&terminal, "\t\r"); /* the panel alone */
    cr_assert(terminal_shows(&terminal, "sectors per load request"));
    cr_assert(terminal_shows(&terminal, "8.00"));
    cr_assert(terminal_shows(&terminal, " ended  device"));
    cr_assert(terminal_shows(&terminal, "device model of NVIDIA H200: numbers are modelled"));
    terminal_type(&terminal, "Q");
    expect_exit(0);
}

/* Until a key chooses another, the timeline, the list and the panel are those of the run under way. */
Test(lanescope, follows_the_run_under_way)
{
    START(120, 40, "--device", "simt", "--size", "default", "transpose");
    cr_assert(terminal_shows(&terminal, "Timeline  transpose:copy"));
    cr_assert(terminal_shows(&terminal, "run 2 of 5, "));
    cr_assert(terminal_shows(&terminal, "Timeline  transpose:naive"));
    cr_assert(terminal_shows(&terminal, " B transpose_naive"));
    cr_assert(terminal_shows(&terminal, "run 4 of 5, "));
    cr_assert(terminal_shows(&terminal, "Timeline  transpose:pad"));
    cr_assert(terminal_shows(&terminal, " ended  device"));
    cr_assert(terminal_shows(&terminal, "Timeline  transpose:swizzle"));
    terminal_type(&terminal, "Q");
    expect_exit(0);
}

/* The charts of the model's counters come while its workload runs, and those of a generator with its samples.
 */
Test(lanescope, charts_come_live)
{
    START(140, 50, "--device", "simt", "bank-stride:32-bit,stride=32", "transpose:pad");
    cr_assert(terminal_shows(&terminal, "Timeline"));
    cr_assert(terminal_shows(&terminal, "occupancy"));
    cr_assert(terminal_shows(&terminal, "conflicts"));
    cr_assert(terminal_shows(&terminal, " ended  device"));
    terminal_type(&terminal, "Q");
    expect_exit(0);
    terminal_fini(&terminal);
    START(140, 40, "--", generator, "--samples", "1000", "--rate", "500", "--duration", "600");
    cr_assert(terminal_shows(&terminal, "LIVE"));
    cr_assert(terminal_shows(&terminal, "occupancy"));
    cr_assert(terminal_shows(&terminal, "\u2585\u2585\u2585")); /* 70 % of 7 eighths */
    terminal_resize(&terminal, 60, 20);
    cr_assert(terminal_shows(&terminal, "samples"));
    terminal_resize(&terminal, 140, 40); /* what is said at the end has a line of its own */
    leave_running_program();
}

#ifdef TEST_AGENT
/* The sampler's doubles are its GPU: charts come without a program, and go on through sizes and keys. */
Test(lanescope, watches_a_gpu)
{
    setenv("LD_LIBRARY_PATH", TEST_BUILD_DIR "/tests/sampling_doubles", 1);
    START(120, 40, "watch");
    cr_assert(terminal_shows(&terminal, "all programs"));
    cr_assert(terminal_shows(&terminal, "occupancy"));
    cr_assert(terminal_shows(&terminal, "tensor pipe"));
    cr_assert(terminal_shows(&terminal, "samples"));
    cr_assert(terminal_shows(&terminal, "following"));
    terminal_type(&terminal, "h");
    cr_assert(terminal_shows(&terminal, "measured"));
    terminal_type(&terminal, "b");
    cr_assert(terminal_shows(&terminal, "start lanescope with --burst 10us"));
    terminal_resize(&terminal, 60, 12);
    terminal_type(&terminal, "zfk");
    cr_assert(terminal_shows(&terminal, "LIVE"));
    cr_assert_eq(terminal.vt.unknown, 0, "the terminal did not understand %s", terminal.vt.unknown_text);
    terminal_type(&terminal, "q");
    expect_exit(0);
}
#endif

/* Sizes change at random while events stream in. */
Test(lanescope, resizes_while_events_stream)
{
    uint32_t random = 99;
    START(100, 30, "--", generator, "--rate", "50k", "--duration", "600");
    cr_assert(terminal_shows(&terminal, "Kernels  8"));
    for (int i = 0; i < 60; i++) {
        random = random * 1664525u + 1013904223u;
        int width = 20 + (int)(random >> 8) % 281, height = 5 + (int)(random >> 20) % 96;
        terminal_resize(&terminal, width, height);
        terminal_type(&terminal, i % 3 == 0 ? "+" : i % 3 == 1 ? "l" : "\t");
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL); /* also in the midst of frames */
    }
    terminal_resize(&terminal, 100, 30);
    cr_assert(terminal_shows(&terminal, "LIVE"));
    cr_assert(terminal_shows(&terminal, "? help"));
    cr_assert_eq(terminal.vt.unknown, 0, "the terminal did not understand %s", terminal.vt.unknown_text);
    leave_running_program();
}

/* ---- a recording that grows ---- */

static pid_t record_beside(void)
{
    char *argv[] = {(char *)(uintptr_t)TEST_LANESCOPE,
                    "--record",
                    recording,
                    "--",
                    generator,
                    "--rate",
                    "50k",
                    "--until",
                    enough,
                    "--seed",
                    "8",
                    "--threads",
                    "2",
                    "--streams",
                    "6",
                    NULL};
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        if (freopen("/dev/null", "w", stdout) != NULL && freopen("/dev/null", "w", stderr) != NULL)
            execv(argv[0], argv);
        _exit(127);
    }
    char command[8192];
    snprintf(command, sizeof command, TEST_LANESCOPE " view %s --snapshot text >/dev/null 2>&1", recording);
    bool begun = false;
    for (int i = 0; i < TERMINAL_PATIENCE_MS / 50 && !begun; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        begun = system(command) == 0;
    }
    cr_assert(begun, "the recording was not begun");
    return child;
}

/* A full block is a blank on a coloured ground; the terminal is sent the one that is shorter. Blanks at the
 * ends of lines are nothing. */
static void normalise(char *text)
{
    static const char block[] = "\u2588";
    char *to = text;
    for (const char *from = text; *from != '\0';) {
        bool full = strncmp(from, block, sizeof block - 1) == 0;
        char byte = full ? ' ' : *from;
        while (byte == '\n' && to > text && to[-1] == ' ')
            to--;
        *to++ = byte;
        from += full ? sizeof block - 1 : 1;
    }
    *to = '\0';
}

/* What a terminal shows of the recording's snapshot at this size. */
static char *snapshot(int width, int height)
{
    static struct vt vt;
    char command[8192];
    int byte;
    snprintf(command, sizeof command,
             TEST_LANESCOPE
             " view %s --snapshot ansi --size %dx%d --keys 'g S-TAB k k k k k k k k k k k k k k k k k k k k'",
             recording, width, height);
    FILE *in = popen(command, "r");
    cr_assert_not_null(in);
    vt_init(&vt, width, height + 1); /* the last line ends with a newline */
    while ((byte = getc(in)) != EOF)
        vt_feed(&vt, byte == '\n' ? "\r\n" : (const char[]){(char)byte}, byte == '\n' ? 2 : 1);
    cr_assert_eq(pclose(in), 0);
    vt.height = height;
    char *text = vt_text(&vt);
    normalise(text);
    return text;
}

static bool screen_has(const char *text)
{
    char *shown = vt_text(&terminal.vt);
    bool found = strstr(shown, text) != NULL;
    free(shown);
    return found;
}

/* Resized at random while events stream in, the last frame is what a fresh snapshot of that size shows. */
Test(lanescope, last_frame_equals_a_fresh_snapshot)
{
    uint32_t random = 4711;
    pid_t recorder = record_beside();
    START(120, 40, "view", recording);
    cr_assert(terminal_shows(&terminal, "LIVE"));
    for (int status, resized = 0; waitpid(recorder, &status, WNOHANG) == 0; resized++) {
        if (resized == 150)
            say_enough();
        random = random * 1664525u + 1013904223u;
        terminal_resize(&terminal, 20 + (int)(random >> 8) % 281, 5 + (int)(random >> 20) % 96);
        cr_assert(terminal_shows(&terminal, " "));
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL); /* also in the midst of frames */
    }
    terminal_resize(&terminal, 120, 40);
    cr_assert(terminal_shows(&terminal, " ended  "));
    cr_assert(terminal_is_quiet(&terminal)); /* kernels are in their last order */
    terminal_type(&terminal, "g\x1b[Z");     /* the first kernel, and the keys to the timeline */
    static const struct {
        int width, height;
    } sizes[] = {{300, 100}, {20, 5}, {80, 24}, {163, 47}, {47, 13}, {200, 60}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        terminal_resize(&terminal, sizes[i].width, sizes[i].height);
        terminal_type(&terminal, "kkkkkkkkkkkkkkkkkkkk"); /* rows from the first one on */
        cr_assert(terminal_is_quiet(&terminal));
        for (int turn = 0; turn < 600 && screen_has("Examining");
             turn++) /* views beside the panes work in slices */
            cr_assert(terminal_is_quiet(&terminal));
        char *fresh = snapshot(sizes[i].width, sizes[i].height), *shown = vt_text(&terminal.vt);
        normalise(shown);
        cr_assert_str_eq(shown, fresh, "at %dx%d the terminal has\n%s\nand a snapshot\n%s", sizes[i].width,
                         sizes[i].height, shown, fresh);
        free(fresh);
        free(shown);
    }
    cr_assert_eq(terminal.vt.unknown, 0, "the terminal did not understand %s", terminal.vt.unknown_text);
    terminal_type(&terminal, "Q");
    expect_exit(0);
}

Test(lanescope, names_with_escape_sequences_stay_text)
{
    START(120, 40, "--", generator, "--rate", "5k", "--duration", "600", "--hostile-names");
    cr_assert(terminal_shows(&terminal, "LIVE"));
    cr_assert(terminal_shows(&terminal, "\\x1b"));
    terminal_type(&terminal, "jjjj\t");
    cr_assert_eq(terminal.vt.unknown, 0, "the terminal did not understand %s", terminal.vt.unknown_text);
    leave_running_program();
}

Test(lanescope, leaves_the_terminal_usable_after_kill_9)
{
    START(100, 30, "--", generator, "--rate", "20k", "--duration", "600");
    cr_assert(terminal_shows(&terminal, "LIVE"));
    terminal_signal(&terminal, SIGKILL);
    cr_assert(terminal_ends(&terminal));
    cr_assert(terminal_is_restored(&terminal));
    terminal_fini(&terminal);
}

Test(lanescope, ends_on_sigterm)
{
    START(100, 30, "--", generator, "--rate", "20k", "--duration", "600");
    cr_assert(terminal_shows(&terminal, "LIVE"));
    terminal_signal(&terminal, SIGTERM);
    cr_assert(terminal_ends(&terminal));
    cr_assert(terminal_is_restored(&terminal));
    terminal_fini(&terminal);
}

Test(lanescope, obeys_no_color_and_ascii)
{
    record();
    setenv("NO_COLOR", "1", 1);
    START(100, 30, "view", recording, "--ascii");
    cr_assert(terminal_shows(&terminal, "Kernels  8"));
    cr_assert(terminal_shows(&terminal, "? help"));
    cr_assert(!terminal.vt.colored);
    char *screen = vt_text(&terminal.vt);
    for (const char *at = screen; *at != '\0'; at++)
        cr_assert((unsigned char)*at < 0x80);
    free(screen);
    terminal_type(&terminal, "q");
    expect_exit(0);
}
