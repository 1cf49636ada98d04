/*
 * The lab in a pseudo-terminal, with real keys on the device model: what a person changes is what the
 * counters then say.
 */
#include "core/metric.h"
#include "terminal.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static char folder[] = "/tmp/lanescope-lab-XXXXXX";
static struct terminal terminal;

static void start(void)
{
    char *argv[] = {(char *)(uintptr_t)TEST_LANESCOPE, (char *)(uintptr_t) "--device",
                    (char *)(uintptr_t) "simt", NULL};
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(setenv("XDG_STATE_HOME", folder, 1), 0);
    cr_assert_eq(setenv("XDG_RUNTIME_DIR", folder, 1), 0);
    terminal_start(&terminal, 120, 40, argv, NULL, NULL);
    cr_assert(terminal_shows(&terminal, "Workloads"));
}

static void leave(void)
{
    char command[128];
    terminal_type(&terminal, "Q");
    cr_assert(terminal_ends(&terminal), "lanescope did not end");
    cr_assert(WIFEXITED(terminal.status) && WEXITSTATUS(terminal.status) == 0);
    cr_assert(terminal_is_restored(&terminal));
    terminal_fini(&terminal);
    snprintf(command, sizeof command, "rm -rf -- %s", folder);
    cr_assert_eq(system(command), 0);
}

static bool is_shown(const char *wanted)
{
    char *screen = vt_text(&terminal.vt);
    bool found = strstr(screen, wanted) != NULL;
    free(screen);
    return found;
}

TestSuite(lab, .timeout = 120);

/* The lab on the model: a parameter is changed with the keyboard, and the counter is what the rule gives: a
 * warp's 32 words, `stride` apart, lie in 4 x stride sectors, at most one each. */
Test(lab, changes_a_parameter)
{
    start();
    terminal_type(&terminal, "/copy-stride\re");
    cr_assert(terminal_shows(&terminal, "not run yet: ENTER runs it"));
    cr_assert(terminal_shows(&terminal, "copy-stride: lanes that stand apart")); /* the lesson is embedded */
    terminal_type(&terminal, "\r");
    cr_assert(terminal_shows(&terminal, "stride=2,n=16384 verified"));
    cr_assert(terminal_shows(&terminal, "sectors per load request              8.00* =        8.00"));
    terminal_type(&terminal, "\x1bOC"); /* right: the next stride */
    cr_assert(terminal_shows(&terminal, "copy-stride:copy,stride=3"));
    terminal_type(&terminal, "\r");
    cr_assert(terminal_shows(&terminal, "stride=3,n=16384 verified"));
    cr_assert(terminal_shows(&terminal, "sectors per load request              12.0* =        12.0"));
    terminal_type(&terminal, "33\r");
    cr_assert(terminal_shows(&terminal, "copy-stride: stride=33 is outside 1..32 words"));
    terminal_type(&terminal, "16\r\r");
    cr_assert(terminal_shows(&terminal, "stride=16,n=16384 verified"));
    cr_assert(terminal_shows(&terminal, "sectors per load request              32.0* =        32.0"));
    leave();
}

/* A sweep in the place of a value is run, and its chart drawn. */
Test(lab, plots_a_sweep)
{
    start();
    terminal_type(&terminal, "/copy-stride\re\r"); /* another child process: the same device */
    cr_assert(terminal_shows(&terminal, "stride=2,n=16384 verified"));
    terminal_type(&terminal, "1..32\r");
    cr_assert(terminal_shows(&terminal, "copy-stride:copy,stride=1..32"));
    terminal_type(&terminal, "\r");
    cr_assert(terminal_shows(&terminal, "stride=32,n=16384 verified"));
    cr_assert(terminal_shows(&terminal, " ended"));
    terminal_type(&terminal, "p");
    cr_assert(terminal_shows(&terminal, "copy-stride: effective bandwidth over stride (words)"));
    cr_assert(terminal_shows(&terminal, "a copy, modelled, NVIDIA H200"));
    cr_assert(terminal_shows(&terminal, "a copy stride=1: "));
    cr_assert(!is_shown("b copy")); /* one series */
    /* To stride 8, and through the metrics until it is the one that the rule is known for. */
    terminal_type(&terminal, "lllllll");
    for (int i = 0; i < METRIC_COUNT && !is_shown("sectors per load request over stride"); i++) {
        terminal_type(&terminal, "j");
        cr_assert(terminal_is_quiet(&terminal));
    }
    cr_assert(terminal_shows(&terminal, "sectors per load request over stride"));
    cr_assert(terminal_shows(&terminal, "a copy stride=8: 32.0, modelled, NVIDIA H200; expected 32.0"));
    leave();
}
