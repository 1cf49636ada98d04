/* No state. */
#include "standin/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char **environment_without_preload(void)
{
    size_t count = 0, kept = 0;

    while (environ[count])
        count++;
    char **copy = calloc(count + 1, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++)
        if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0)
            copy[kept++] = environ[i];
    return copy;
}

int tool_run(const char *const argv[], const char *folder, int output)
{
    char **environment = environment_without_preload();
    posix_spawn_file_actions_t actions;
    int status = -1, failed = ENOMEM;
    pid_t pid;

    if (environment && posix_spawn_file_actions_init(&actions) == 0) {
        if (output >= 0)
            posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
        else
            posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        if (folder)
            posix_spawn_file_actions_addchdir_np(&actions, folder);
        failed = posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environment);
        posix_spawn_file_actions_destroy(&actions);
    }
    free(environment);
    if (failed)
        return 127;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
