/*
 * Synchronised output: a terminal that supports it shows a frame only when it is complete. Support is read
 * from the environment; any thread.
 */
#ifndef TUI_TERMINAL_SYNC_H
#define TUI_TERMINAL_SYNC_H

#include <stdbool.h>

#define SYNC_BEGIN "\x1b[?2026h"
#define SYNC_END "\x1b[?2026l"

/* Does the terminal support it? Other terminals may print the sequence. */
bool sync_is_known(void);

#endif
