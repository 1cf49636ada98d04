/*
 * The data that the handlers need is in static memory and is complete before `armed` is set; handlers call
 * only functions that are safe in a signal handler. The earlier handlers are put back at the end.
 */
#include "tui/terminal/restore.h"

#include "tui/terminal/guard.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static const int ending_signals[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
static const int crash_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
#define ENDING_COUNT (sizeof ending_signals / sizeof ending_signals[0])
#define CRASH_COUNT (sizeof crash_signals / sizeof crash_signals[0])

static volatile sig_atomic_t end_asked, stop_asked, resumed, resized, armed;
static struct sigaction ending_before[ENDING_COUNT], crash_before[CRASH_COUNT], stop_before, cont_before,
    size_before;
static struct termios modes_before;
static char restore_bytes[256];
static size_t restore_size;
static int guard = -1;

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
    resumed = resized = 1; /* a job that is stopped is not told of another size */
}

static void on_resize(int number)
{
    (void)number;
    resized = 1;
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
    end_asked = stop_asked = resumed = resized = 0;
    return tcgetattr(STDOUT_FILENO, &modes_before) == 0;
}

void restore_append(const char *bytes)
{
    size_t length = bytes == NULL || bytes == (const char *)-1 ? 0 : strlen(bytes);
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
    guard = guard_start(STDOUT_FILENO, &modes_before, restore_bytes, restore_size);
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
    guard_stop(guard);
    guard = -1;
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

bool restore_take_resized(void)
{
    bool was = resized != 0;
    resized = 0;
    return was;
}

bool restore_take_resumed(void)
{
    bool was = resumed != 0;
    resumed = 0;
    return was;
}
