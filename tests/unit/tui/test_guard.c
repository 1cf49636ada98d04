/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/terminal/restore.h"

#include <criterion/criterion.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A process that takes the terminal raw under a guard, then ends as told. What the terminal then holds goes
 * to *modes and text. */
static void run(int how, struct termios *modes, char *text, size_t size_bytes)
{
    int master, slave;
    struct termios before;
    struct pollfd readable;
    size_t used = 0;
    pid_t pid;

    cr_assert(openpty(&master, &slave, NULL, NULL, NULL) == 0);
    tcgetattr(slave, &before);
    pid = fork();
    if (pid == 0) {
        struct termios raw = before;
        int guard = guard_start(slave, &before, "<back>", 6);

        if (guard < 0)
            _exit(1);
        cfmakeraw(&raw);
        tcsetattr(slave, TCSANOW, &raw);
        if (how == 0) {
            tcsetattr(slave, TCSANOW, &before);
            guard_stop(guard);
            _exit(0);
        }
        kill(getpid(), SIGKILL);
    }
    setpgid(pid, pid);
    waitpid(pid, NULL, 0);
    readable = (struct pollfd){.fd = master, .events = POLLIN};
    while (used < 6 && poll(&readable, 1, how ? 60000 : 200) == 1) {
        ssize_t got = read(master, text + used, size_bytes - 1 - used);

        if (got <= 0)
            break;
        used += (size_t)got;
    }
    text[used] = '\0';
    tcgetattr(slave, modes);
    cr_assert(how == 0 || (modes->c_lflag & ICANON) == (before.c_lflag & ICANON));
    close(master);
    close(slave);
}

Test(guard, puts_the_terminal_back_after_a_kill)
{
    struct termios modes;
    char text[64];

    run(SIGKILL, &modes, text, sizeof text);
    cr_assert_str_eq(text, "<back>");
    cr_assert((modes.c_lflag & (ICANON | ECHO)) == (ICANON | ECHO));
}

Test(guard, says_nothing_after_an_end_in_order)
{
    struct termios modes;
    char text[64];

    run(0, &modes, text, sizeof text);
    cr_assert_str_eq(text, "");
    cr_assert((modes.c_lflag & (ICANON | ECHO)) == (ICANON | ECHO));
}
