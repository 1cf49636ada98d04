/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program in a pseudo-terminal: real keys go in, and tests wait for what is on its screen. No test sleeps:
 * each wait ends when the screen shows what is wanted, or fails after TERMINAL_PATIENCE_MS with the screen in
 * the message.
 */
#ifndef TESTS_PTY_TERMINAL_H
#define TESTS_PTY_TERMINAL_H

#include "vt.h"

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

/* A sanitizer makes the device model about 15 times slower. */
#if defined SANITIZES_ADDRESSES || defined SANITIZES_THREADS
#define TERMINAL_PATIENCE_MS 240000
#else
#define TERMINAL_PATIENCE_MS 60000
#endif

struct terminal {
    int master, slave;
    pid_t child;
    struct termios modes; /* before the program */
    struct vt vt;
    uint64_t bytes; /* read from the program */
    bool ended;
    int status; /* waitpid's */
};

/* Start a program (argv ends with NULL; found on PATH or by path), or, with argv NULL, run
 * main_function(context) in the child. */
void terminal_start(struct terminal *terminal, int width, int height, char *const *argv,
                    int (*main_function)(void *context), void *context);
void terminal_fini(struct terminal *terminal); /* kills what still runs */

void terminal_type(struct terminal *terminal, const char *bytes);
void terminal_resize(struct terminal *terminal, int width, int height);
void terminal_signal(struct terminal *terminal, int number);

/* Take what the program has written; waits at most timeout_ms for it. */
void terminal_take(struct terminal *terminal, int timeout_ms);
/* Wait until the screen holds the text; false after the patience, with the screen printed. */
bool terminal_shows(struct terminal *terminal, const char *text);
bool terminal_hides(struct terminal *terminal, const char *text);
/* Read what the program writes for so long. */
void terminal_pass(struct terminal *terminal, int ms);
/* Wait until the program sleeps, and all it wrote has been read. */
bool terminal_is_quiet(struct terminal *terminal);
/* Wait until the child has stopped (true) or ended (terminal.status). */
bool terminal_stops(struct terminal *terminal);
bool terminal_ends(struct terminal *terminal);

/* The terminal's modes are as before, the alternate screen is left, the cursor shown, mouse and pastes as
 * they were. */
bool terminal_is_restored(struct terminal *terminal);

#endif
