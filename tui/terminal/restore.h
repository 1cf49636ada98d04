/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Restores the terminal after any kind of end: the bytes and modes are prepared for signal handlers, exit and
 * the guard process. Also the signals that request an end or a pause, or tell of another size. One terminal
 * per process; the handlers only set flags or write prepared bytes.
 */
#ifndef TUI_TERMINAL_RESTORE_H
#define TUI_TERMINAL_RESTORE_H

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

/* Saves the terminal's modes as they are now; false if there is no terminal. Call it before curses changes
 * the modes. */
bool restore_prepare(void);
void restore_append(
    const char *bytes); /* appends to the bytes written at the end; NULL and terminfo's -1 are ignored */

/* From now on the terminal is restored at every kind of end. */
void restore_arm(void);
void restore_disarm(void); /* the terminal has been restored already */

int restore_end_asked(void);     /* number of the SIGTERM, SIGINT, SIGHUP or SIGQUIT that came; stays */
bool restore_take_stop(void);    /* SIGTSTP came since the last call */
bool restore_take_resumed(void); /* SIGCONT came since the last call */

/* Writes all bytes to the terminal directly, without curses. */
void restore_write(const char *bytes);
void restore_write_bytes(const char *bytes, size_t size_bytes);

/*
 * Restores the terminal when nothing else can: a small process that waits for lanescope to end and, if that
 * happens without guard_stop (SIGKILL, the out-of-memory killer), writes the restoring bytes and modes to the
 * terminal. It keeps only the terminal and one pipe open.
 */
/* Returns the write end of the guard's pipe, or -1 if the guard could not be started (then the terminal is
 * not restored after SIGKILL). */
int guard_start(int terminal, const struct termios *modes, const char *restore, size_t size_bytes);
void guard_stop(int guard);

#endif
