/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cli/program.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/lanescope-program-XXXXXX";

void program_enter(void)
{
    cr_assert(mkdtemp(folder) != NULL);
    cr_assert(chdir(folder) == 0);
    setenv("HOME", folder, 1);
    setenv("TMPDIR", folder, 1);
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    unsetenv("XDG_STATE_HOME");
    unsetenv("CUDA_INJECTION64_PATH");
    unsetenv("NVTX_INJECTION64_PATH");
}

void program_leave(void)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert(system(command) == 0);
}

void program_read(const char *name, char *text, size_t size_bytes)
{
    FILE *file = fopen(name, "r");
    size_t got = file ? fread(text, 1, size_bytes - 1, file) : 0;

    text[got] = '\0';
    if (file)
        fclose(file);
}

void program_write(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");

    cr_assert(file && fputs(text, file) >= 0);
    fclose(file);
}

int program_run(const char *arguments, char *output, char *errors, size_t size_bytes)
{
    char command[8192];
    int status;

    snprintf(command, sizeof command, TEST_LANESCOPE " %s >output 2>errors </dev/null", arguments);
    status = system(command);
    program_read("output", output, size_bytes);
    program_read("errors", errors, size_bytes);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
