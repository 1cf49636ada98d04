/*
 * The guard process has been forked twice and has its own session. It has only the terminal (0) and the read
 * end of a pipe (1) open; lanescope holds the only write end of that pipe. End of file means that lanescope
 * is gone; a byte means that it ended normally.
 */
#include "tui/terminal/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

/* Calls only functions that are allowed after a fork of a program with threads. Never returns. */
static void stand_guard(int terminal, int pipe_end, const struct termios *modes, const char *restore,
                        size_t size_bytes)
{
    static const int ignored[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGTTOU, SIGTTIN, SIGPIPE};
    char byte;
    ssize_t got;
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        signal(ignored[i], SIG_IGN);
    setsid(); /* so that a kill of lanescope's process group does not reach it */
    /* Close all other files: another process may be waiting for their end of file. */
    dup2(terminal, 0);
    dup2(pipe_end, 1);
    close_range(2, ~0u, 0);
    do
        got = read(1, &byte, 1);
    while (got < 0 && errno == EINTR);
    if (got == 0) {
        tcsetattr(0, TCSAFLUSH, modes);
        while (size_bytes > 0) {
            ssize_t written = write(0, restore, size_bytes);
            if (written <= 0)
                break;
            restore += written;
            size_bytes -= (size_t)written;
        }
    }
    _exit(0);
}

int guard_start(int terminal, const struct termios *modes, const char *restore, size_t size_bytes)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        /* Forked twice, so that lanescope does not have to wait for the guard. */
        if (fork() != 0)
            _exit(0);
        close(ends[1]);
        stand_guard(terminal, ends[0], modes, restore, size_bytes);
    }
    close(ends[0]);
    if (child < 0) {
        close(ends[1]);
        return -1;
    }
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
    return ends[1];
}

void guard_stop(int guard)
{
    if (guard < 0)
        return;
    /* If the write fails, the guard is gone already. */
    if (write(guard, "q", 1) < 0)
        errno = 0;
    close(guard);
}
