/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data that the handlers need is in static memory and is complete before `armed` is set; handlers call
 * only functions that are safe in a signal handler. The earlier handlers are put back at the end.
 */
#include "tui/terminal/restore.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static const int ending_signals[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
static const int crash_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
#define ENDING_COUNT (sizeof ending_signals / sizeof ending_signals[0])
#define CRASH_COUNT (sizeof crash_signals / sizeof crash_signals[0])

static volatile sig_atomic_t end_asked, stop_asked, resumed, armed;
static struct sigaction ending_before[ENDING_COUNT], crash_before[CRASH_COUNT], stop_before, cont_before,
    size_before;
static struct termios modes_before;
static char restore_bytes[256];
static size_t restore_size;
static int guard_pipe = -1;

void restore_write_bytes(const char *bytes, size_t size_bytes)
{
    while (size_bytes > 0) {
        ssize_t written = write(STDOUT_FILENO, bytes, size_bytes);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return;
        bytes += written;
        size_bytes -= (size_t)written;
    }
}

void restore_write(const char *bytes)
{
    restore_write_bytes(bytes, strlen(bytes));
}

static void restore_now(void)
{
    if (!armed)
        return;
    armed = 0;
    restore_write_bytes(restore_bytes, restore_size);
    tcsetattr(STDOUT_FILENO, TCSANOW, &modes_before);
}

static void on_end(int number)
{
    end_asked = number;
}

static void on_stop(int number)
{
    (void)number;
    stop_asked = 1;
}

static void on_resume(int number)
{
    (void)number;
    resumed = 1;
}

/* Ends the wait for input: the size is asked for with each frame. */
static void on_resize(int number)
{
    (void)number;
}

/* Restores the terminal, then lets the earlier handler run: a sanitizer's report, or the default, a core
 * dump. */
static void on_crash(int number)
{
    restore_now();
    for (size_t i = 0; i < CRASH_COUNT; i++)
        if (crash_signals[i] == number)
            sigaction(number, &crash_before[i], NULL);
    raise(number);
}

bool restore_prepare(void)
{
    restore_size = 0;
    end_asked = stop_asked = resumed = 0;
    return tcgetattr(STDOUT_FILENO, &modes_before) == 0;
}

void restore_append(const char *bytes)
{
    size_t length = !bytes || bytes == (const char *)-1 ? 0 : strlen(bytes);
    if (length == 0 || restore_size + length > sizeof restore_bytes)
        return;
    memcpy(restore_bytes + restore_size, bytes, length);
    restore_size += length;
}

void restore_arm(void)
{
    static bool at_exit;
    struct sigaction action = {.sa_handler = on_end};
    armed = 1;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < ENDING_COUNT; i++)
        sigaction(ending_signals[i], &action, &ending_before[i]);
    action.sa_handler = on_stop;
    sigaction(SIGTSTP, &action, &stop_before);
    action.sa_handler = on_resume;
    sigaction(SIGCONT, &action, &cont_before);
    action.sa_handler = on_resize;
    sigaction(SIGWINCH, &action, &size_before);
    action.sa_handler = on_crash;
    for (size_t i = 0; i < CRASH_COUNT; i++)
        sigaction(crash_signals[i], &action, &crash_before[i]);
    guard_pipe = guard_start(STDOUT_FILENO, &modes_before, restore_bytes, restore_size);
    if (!at_exit)
        at_exit = atexit(restore_now) == 0;
}

void restore_disarm(void)
{
    armed = 0;
    for (size_t i = 0; i < ENDING_COUNT; i++)
        sigaction(ending_signals[i], &ending_before[i], NULL);
    for (size_t i = 0; i < CRASH_COUNT; i++)
        sigaction(crash_signals[i], &crash_before[i], NULL);
    sigaction(SIGTSTP, &stop_before, NULL);
    sigaction(SIGCONT, &cont_before, NULL);
    sigaction(SIGWINCH, &size_before, NULL);
    guard_stop(guard_pipe);
    guard_pipe = -1;
}

int restore_end_asked(void)
{
    return end_asked;
}

bool restore_take_stop(void)
{
    bool asked = stop_asked != 0;
    stop_asked = 0;
    return asked;
}

bool restore_take_resumed(void)
{
    bool was = resumed != 0;
    resumed = 0;
    return was;
}

/* ---- the guard ---- */
/*
 * The guard process has been forked twice and has its own session. It has only the terminal (0) and the read
 * end of a pipe (1) open; lanescope holds the only write end of that pipe. End of file means that lanescope
 * is gone; a byte means that it ended normally.
 */

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
