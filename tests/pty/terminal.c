/* SPDX-License-Identifier: Apache-2.0 */
#include "terminal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    perror(what);
    abort();
}

void terminal_start(struct terminal *terminal, int width, int height, char *const *argv,
                    int (*main_function)(void *), void *context)
{
    struct winsize size = {.ws_row = (unsigned short)height, .ws_col = (unsigned short)width};
    memset(terminal, 0, sizeof *terminal);
    must(openpty(&terminal->master, &terminal->slave, NULL, NULL, &size) == 0, "openpty");
    must(tcgetattr(terminal->slave, &terminal->modes) == 0, "tcgetattr");
    vt_init(&terminal->vt, width > 0 ? width : 80, height > 0 ? height : 24);
    fflush(NULL);
    terminal->child = fork();
    must(terminal->child >= 0, "fork");
    if (terminal->child == 0) {
        /* A session of its own, as a shell's job would have: SIGWINCH and Ctrl-Z reach it. */
        setsid();
        ioctl(terminal->slave, TIOCSCTTY, 0);
        dup2(terminal->slave, 0);
        dup2(terminal->slave, 1);
        dup2(terminal->slave, 2);
        close(terminal->master);
        if (terminal->slave > 2)
            close(terminal->slave);
        setenv("TERM", "xterm-256color", 1);
        unsetenv("TERM_PROGRAM");
        unsetenv("COLORTERM");
        if (argv == NULL)
            _exit(main_function(context));
        execvp(argv[0], argv);
        perror(argv[0]);
        _exit(127);
    }
    fcntl(terminal->master, F_SETFL, O_NONBLOCK);
}

void terminal_take(struct terminal *terminal, int timeout_ms)
{
    struct pollfd readable = {.fd = terminal->master, .events = POLLIN};
    char bytes[16384];
    if (poll(&readable, 1, timeout_ms) != 1)
        return;
    ssize_t got = read(terminal->master, bytes, sizeof bytes);
    if (got > 0) {
        vt_feed(&terminal->vt, bytes, (size_t)got);
        terminal->bytes += (uint64_t)got;
    }
    if (terminal->vt.asked_y > 0) {
        snprintf(bytes, sizeof bytes, "\x1b[%d;%dR", terminal->vt.asked_y, terminal->vt.asked_x);
        terminal->vt.asked_y = 0;
        terminal_type(terminal, bytes);
    }
}

void terminal_type(struct terminal *terminal, const char *bytes)
{
    size_t left = strlen(bytes);
    while (left > 0) {
        ssize_t written = write(terminal->master, bytes, left);
        if (written < 0 && errno == EAGAIN) {
            terminal_take(terminal, 10);
            continue;
        }
        must(written > 0, "typing");
        bytes += written;
        left -= (size_t)written;
    }
}

void terminal_resize(struct terminal *terminal, int width, int height)
{
    struct winsize size = {.ws_row = (unsigned short)height, .ws_col = (unsigned short)width};
    while (poll(&(struct pollfd){.fd = terminal->master, .events = POLLIN}, 1, 0) == 1)
        terminal_take(terminal, 0);
    vt_resize(&terminal->vt, width, height);
    must(ioctl(terminal->master, TIOCSWINSZ, &size) == 0, "resize");
}

void terminal_signal(struct terminal *terminal, int number)
{
    must(kill(terminal->child, number) == 0, "kill");
}

static bool holds(const struct terminal *terminal, const char *text)
{
    char *screen = vt_text(&terminal->vt);
    bool found = strstr(screen, text) != NULL;
    free(screen);
    return found;
}

static bool wait_for(struct terminal *terminal, const char *text, bool there)
{
    int64_t until = clock_ms() + TERMINAL_PATIENCE_MS;
    while (clock_ms() < until) {
        if (holds(terminal, text) == there)
            return true;
        terminal_take(terminal, 20);
    }
    char *screen = vt_text(&terminal->vt);
    fprintf(stderr, "the screen never %s '%s'; it is:\n%s", there ? "showed" : "lost", text, screen);
    free(screen);
    return false;
}

bool terminal_shows(struct terminal *terminal, const char *text)
{
    return wait_for(terminal, text, true);
}

bool terminal_hides(struct terminal *terminal, const char *text)
{
    return wait_for(terminal, text, false);
}

void terminal_pass(struct terminal *terminal, int ms)
{
    for (int64_t until = clock_ms() + ms, now; (now = clock_ms()) < until;)
        terminal_take(terminal, (int)(until - now));
}

/* Does every thread of the process sleep? */
static bool sleeps(pid_t pid)
{
    char path[320], line[512];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *threads = opendir(path);
    bool all = threads != NULL;
    for (struct dirent *entry = all ? readdir(threads) : NULL; entry != NULL && all;
         entry = readdir(threads)) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "/proc/%d/task/%s/stat", (int)pid, entry->d_name);
        FILE *file = fopen(path, "re");
        if (file == NULL)
            continue; /* it has ended */
        size_t got = fread(line, 1, sizeof line - 1, file);
        fclose(file);
        line[got] = '\0';
        const char *end = strrchr(line, ')');
        all = end == NULL || (end[1] == ' ' && end[2] == 'S');
    }
    if (threads != NULL)
        closedir(threads);
    return all;
}

static bool nothing_to_read(int fd)
{
    return poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 0) == 0;
}

bool terminal_is_quiet(struct terminal *terminal)
{
    int64_t until = clock_ms() + TERMINAL_PATIENCE_MS;
    for (int quiet = 0; clock_ms() < until;) {
        /* In this order: it has read all keys (poll waits for those that the kernel is about to deliver),
         * done what they ask for, and all it wrote has come. */
        bool silent =
            nothing_to_read(terminal->slave) && sleeps(terminal->child) && nothing_to_read(terminal->master);
        terminal_take(terminal, 5);
        quiet = silent ? quiet + 1 : 0;
        if (quiet == 3)
            return true;
    }
    return false;
}

static bool wait_status(struct terminal *terminal, int options, bool (*is_it)(int status))
{
    int64_t until = clock_ms() + TERMINAL_PATIENCE_MS;
    while (clock_ms() < until) {
        int status;
        pid_t got = waitpid(terminal->child, &status, WNOHANG | options);
        if (got == terminal->child && is_it(status)) {
            terminal->status = status;
            return true;
        }
        if (got == terminal->child && !WIFSTOPPED(status)) {
            terminal->ended = true;
            fprintf(stderr, "the program ended instead, with wait status %x\n", (unsigned)status);
            return false;
        }
        terminal_take(terminal, 5);
    }
    return false;
}

static bool has_stopped(int status)
{
    return WIFSTOPPED(status);
}

static bool has_ended(int status)
{
    return WIFEXITED(status) || WIFSIGNALED(status);
}

bool terminal_stops(struct terminal *terminal)
{
    return wait_status(terminal, WUNTRACED, has_stopped);
}

bool terminal_ends(struct terminal *terminal)
{
    if (!terminal->ended)
        terminal->ended = wait_status(terminal, 0, has_ended);
    while (poll(&(struct pollfd){.fd = terminal->master, .events = POLLIN}, 1, 0) == 1) {
        char byte[4096];
        ssize_t got = read(terminal->master, byte, sizeof byte);
        if (got <= 0)
            break;
        vt_feed(&terminal->vt, byte, (size_t)got);
    }
    return terminal->ended;
}

bool terminal_is_restored(struct terminal *terminal)
{
    int64_t until = clock_ms() + TERMINAL_PATIENCE_MS;
    struct termios now;
    const struct vt *vt = &terminal->vt;
    do {
        terminal_take(terminal, 5);
        tcgetattr(terminal->slave, &now);
        if (now.c_lflag == terminal->modes.c_lflag && now.c_iflag == terminal->modes.c_iflag &&
            now.c_oflag == terminal->modes.c_oflag && !vt->alternate && !vt->cursor_hidden && !vt->mouse &&
            !vt->pastes)
            return true;
    } while (clock_ms() < until);
    fprintf(stderr,
            "not restored: lflag %x was %x, iflag %x was %x, oflag %x was %x, alternate %d, cursor hidden "
            "%d, mouse %d, pastes %d\n",
            now.c_lflag, terminal->modes.c_lflag, now.c_iflag, terminal->modes.c_iflag, now.c_oflag,
            terminal->modes.c_oflag, vt->alternate, vt->cursor_hidden, vt->mouse, vt->pastes);
    return false;
}

void terminal_fini(struct terminal *terminal)
{
    if (!terminal->ended) {
        kill(terminal->child, SIGKILL);
        waitpid(terminal->child, NULL, 0);
    }
    close(terminal->master);
    close(terminal->slave);
}
