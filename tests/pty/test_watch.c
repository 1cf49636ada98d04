/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lanescope watch in a pseudo-terminal, with doubles of the driver and of CUPTI for its sampler: charts grow
 * while nothing is run, and a key begins a burst.
 */
#include "terminal.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef TEST_AGENT
__attribute__((constructor)) static void skip(void)
{
    puts("skipped: this build has no CUPTI part, and therefore no sampler");
    fflush(stdout);
    _exit(77);
}
#else

static char folder[] = "/tmp/lanescope-watch-XXXXXX";
static struct terminal terminal;

static void enter(void)
{
    cr_assert(mkdtemp(folder) != NULL);
    setenv("HOME", folder, 1);
    setenv("TMPDIR", folder, 1);
    setenv("TERM", "xterm-256color", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    unsetenv("XDG_STATE_HOME");
    unsetenv("XDG_RUNTIME_DIR");
    setenv("LD_LIBRARY_PATH", TEST_BUILD_DIR "/tests/sampling_doubles", 1);
}

static void leave(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert(system(command) == 0);
}

TestSuite(watch, .init = enter, .fini = leave, .timeout = 280);

static bool on_screen(const char *text)
{
    char *screen = vt_text(&terminal.vt);
    bool found = screen && strstr(screen, text);
    free(screen);
    return found;
}

static void end(void)
{
    terminal_type(&terminal, "q");
    if (!terminal.ended)
        terminal_type(&terminal, "y"); /* should it ask */
    cr_assert(terminal_ends(&terminal));
    cr_assert(WIFEXITED(terminal.status) && WEXITSTATUS(terminal.status) == 0);
    cr_assert(terminal_is_restored(&terminal));
    terminal_fini(&terminal);
}

Test(watch, charts_grow_while_nothing_is_run)
{
    char *argv[] = {(char[]){TEST_LANESCOPE}, (char[]){"watch"}, NULL};
    terminal_start(&terminal, 120, 40, argv, NULL, NULL);
    cr_assert(terminal_shows(&terminal, "occupancy"));
    cr_assert(terminal_shows(&terminal, "DRAM read"));
    end();
}

Test(watch, a_key_begins_a_burst)
{
    char *argv[] = {(char[]){TEST_LANESCOPE}, (char[]){"watch"}, (char[]){"--burst"}, (char[]){"10us"}, NULL};
    terminal_start(&terminal, 120, 40, argv, NULL, NULL);
    cr_assert(terminal_shows(&terminal, "LIVE"));
    while (!on_screen("occupancy")) {
        terminal_type(&terminal, "b"); /* none begins before the sampler is ready */
        cr_assert(terminal_is_quiet(&terminal));
    }
    end();
}

#endif
