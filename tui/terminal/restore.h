/*
 * Restores the terminal after any kind of end: the bytes and modes are prepared for signal handlers, exit and
 * the guard process. Also the signals that request an end or a pause. One terminal per process; the handlers
 * only set flags or write prepared bytes.
 */
#ifndef TUI_TERMINAL_RESTORE_H
#define TUI_TERMINAL_RESTORE_H

#include <stdbool.h>
#include <stddef.h>

/* Remember the terminal's modes as they are now; false when there is no terminal. Before curses changes them.
 */
bool restore_prepare(void);
void restore_append(
    const char *bytes); /* appends to the bytes written at the end; NULL and terminfo's -1 are ignored */

/* From now on every end restores. */
void restore_arm(void);
void restore_disarm(void); /* it has been put back in order */

int restore_end_asked(void);     /* SIGTERM, SIGINT, SIGHUP or SIGQUIT came: its number; stays */
bool restore_take_stop(void);    /* SIGTSTP came since the last call */
bool restore_take_resumed(void); /* SIGCONT came since the last call */

/* Write to the terminal past curses, whole. */
void restore_write(const char *bytes);

#endif
