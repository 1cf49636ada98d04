/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of terminfo's descriptions of this terminal has 24-bit colours. Terminals that have them say so in
 * COLORTERM, but TERM names the description with 256 colours, since not every machine has the others:
 * xterm-direct for xterm-256color, tmux-direct for tmux-256color. Call it before curses is started.
 */
#ifndef TUI_TERMINAL_DIRECT_TYPE_H
#define TUI_TERMINAL_DIRECT_TYPE_H

#include <stdbool.h>

struct direct_type {
    bool said;     /* COLORTERM is truecolor or 24bit */
    char name[64]; /* the description's name, if it was said; terminfo may lack it */
};

/* True: terminfo has the description. */
bool direct_type_find(struct direct_type *type);

#endif
