/*
 * Restores the terminal when nothing else can: a small process that waits for lanescope to end and, if that
 * happens without guard_stop (SIGKILL, the out-of-memory killer), writes the restoring bytes and modes to the
 * terminal. It keeps only the terminal and one pipe open.
 */
#ifndef TUI_TERMINAL_GUARD_H
#define TUI_TERMINAL_GUARD_H

#include <stddef.h>
#include <termios.h>

/* Returns the write end of the guard's pipe, or -1 if the guard could not be started (then the terminal is
 * not restored after SIGKILL). */
int guard_start(int terminal, const struct termios *modes, const char *restore, size_t size_bytes);
void guard_stop(int guard);

#endif
