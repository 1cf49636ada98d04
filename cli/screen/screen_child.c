/* SPDX-License-Identifier: Apache-2.0 */
/* Signals, files and priority of a process that works beside the screen. */
#include "cli/screen/screen_child.h"

#include "cli/output/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#define NICE 10 /* what is profiled runs first */

static int end_without_memory(void *context)
{
    (void)context;
    _exit(EXIT_FAILURE);
}

void screen_child_begin(int file, pid_t parent)
{
    static const int handled[] = {SIGTERM,  SIGINT,  SIGHUP, SIGQUIT, SIGTSTP, SIGCONT,
                                  SIGWINCH, SIGSEGV, SIGBUS, SIGFPE,  SIGILL,  SIGABRT};
    for (size_t i = 0; i < sizeof handled / sizeof handled[0]; i++)
        signal(handled[i], SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (getppid() != parent || nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
        dup2(nothing, STDOUT_FILENO) < 0 || dup2(nothing, STDERR_FILENO) < 0 ||
        dup2(file, SCREEN_CHILD_FILE) < 0)
        _exit(EXIT_FAILURE);
    close_range(SCREEN_CHILD_FILE + 1, ~0u,
                0); /* others wait for the end of what they closed: pipes of programs, the guard's */
    if (nice(NICE) < 0)
        errno = 0; /* it may take longer, or it is as nice already */
    memory_end_by(end_without_memory, NULL);
}
