/*
 * Synchronised output: a terminal that knows it shows a frame when it is whole. From the environment; any
 * thread.
 */
#ifndef TUI_TERMINAL_SYNC_H
#define TUI_TERMINAL_SYNC_H

#include <stdbool.h>

#define SYNC_BEGIN "\x1b[?2026h"
#define SYNC_END "\x1b[?2026l"

/* Does the terminal know it? Others may print the sequence. */
bool sync_is_known(void);

#endif
