/*
 * The terminal's guard: a small process that puts the terminal back when lanescope ends without doing so
 * itself (kill -9, a crash in a crash handler). It sleeps on a pipe whose other end only lanescope holds.
 *
 * One guard per process, from the thread that owns the terminal.
 */
#ifndef TUI_GUARD_H
#define TUI_GUARD_H

#include "core/error.h"

#include <stddef.h>
#include <sys/types.h>
#include <termios.h>

struct guard {
    int pipe; /* -1: none */
    pid_t pid;
};

/* Start it. `modes` are the terminal's before the screen took it; `bytes` (at most 256) is what leaves the
 * alternate screen and shows the cursor. */
enum status guard_start(struct guard *guard, int terminal, const struct termios *modes, const char *bytes,
                        size_t size_bytes, struct error *error);

/* The terminal has been put back in order: the guard goes home. */
void guard_stop(struct guard *guard);

#endif
