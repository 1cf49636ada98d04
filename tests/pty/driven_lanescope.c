/* SPDX-License-Identifier: Apache-2.0 */
#include "driven_lanescope.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

struct terminal terminal;
char driven_folder[] = "/tmp/lanescope-pty-XXXXXX";

void driven_make_folder(void)
{
    cr_assert_not_null(mkdtemp(driven_folder));
    cr_assert_eq(setenv("XDG_STATE_HOME", driven_folder, 1), 0);
    cr_assert_eq(setenv("XDG_RUNTIME_DIR", driven_folder, 1), 0);
}

void driven_remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf -- %s", driven_folder);
    if (system(command) != 0)
        perror(command);
}

void driven_start_at(int width, int height, const char *const *arguments)
{
    char *argv[16] = {(char *)(uintptr_t)TEST_LANESCOPE};
    for (int i = 1; i < 15 && arguments[i - 1] != NULL; i++)
        argv[i] = (char *)(uintptr_t)arguments[i - 1];
    terminal_start(&terminal, width, height, argv, NULL, NULL);
}

void driven_start(const char *const *arguments)
{
    driven_start_at(120, 40, arguments);
}

void driven_expect_end(void)
{
    cr_assert(terminal_ends(&terminal), "lanescope did not end");
    cr_assert(WIFEXITED(terminal.status) && WEXITSTATUS(terminal.status) == 0);
    cr_assert(terminal_is_restored(&terminal));
    terminal_fini(&terminal);
}

void driven_leave(void)
{
    terminal_type(&terminal, "Q");
    driven_expect_end();
}

bool driven_shows(const char *wanted)
{
    char *screen = vt_text(&terminal.vt);
    bool found = strstr(screen, wanted) != NULL;
    free(screen);
    return found;
}
