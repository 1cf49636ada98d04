#include "tui/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The guard's life; after fork, system calls only. A session of its own: a kill of lanescope's process group
 * passes it by. */
static _Noreturn void keep_guard(int pipe, int terminal, const struct termios *modes, const char *bytes,
                                 size_t size_bytes)
{
    static const int ignored[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGTTOU, SIGPIPE, SIGWINCH};
    char word;
    ssize_t got;

    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    setsid();
    dup2(pipe, 0);
    dup2(terminal, 1);
    close_range(2, ~0u, 0);
    do
        got = read(0, &word, 1);
    while (got < 0 && errno == EINTR);
    if (got != 1) {
        tcsetattr(1, TCSAFLUSH, modes);
        if (write(1, bytes, size_bytes) < 0)
            _exit(1);
    }
    _exit(0);
}

enum status guard_start(struct guard *guard, int terminal, const struct termios *modes, const char *bytes,
                        size_t size_bytes, struct error *error)
{
    int ends[2];

    guard->pipe = -1;
    guard->pid = -1;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return error_set_errno(error, STATUS_IO, errno, "Cannot make a pipe for the terminal's guard");
    /* out of the way of 0 and 1, which the guard lays anew */
    terminal = fcntl(terminal, F_DUPFD_CLOEXEC, 3);
    guard->pid = terminal < 0 ? -1 : fork();
    if (guard->pid == 0) {
        close(ends[1]);
        keep_guard(ends[0], terminal, modes, bytes, size_bytes);
    }
    close(ends[0]);
    if (terminal >= 0)
        close(terminal);
    if (guard->pid < 0) {
        close(ends[1]);
        return error_set_errno(error, STATUS_IO, errno, "Cannot start the terminal's guard");
    }
    guard->pipe = ends[1];
    return STATUS_OK;
}

void guard_stop(struct guard *guard)
{
    if (guard->pipe < 0)
        return;
    while (write(guard->pipe, "e", 1) < 0 && errno == EINTR)
        ;
    close(guard->pipe);
    while (waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    guard->pipe = -1;
}
