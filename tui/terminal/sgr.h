/*
 * The bytes of a change of colours. curses sends both colours of a pair when one of them changes, and all
 * again when a letter becomes bold: half of a frame's bytes. Here terminfo's strings for these capabilities
 * are replaced by others, in terminfo's own language, that remember what was sent last and send what differs.
 * Only on terminals of 256 colours or more whose strings are of ECMA-48's kind, and only while every cell has
 * two colours of its own (a theme that paints its ground). The terminal's thread, after curses has started.
 */
#ifndef TUI_TERMINAL_SGR_H
#define TUI_TERMINAL_SGR_H

#include <stdbool.h>

#define SGR_SIZE 200

enum sgr_string { SGR_FOREGROUND, SGR_BACKGROUND, SGR_ATTRIBUTES, SGR_PLAIN, SGR_COLORLESS, SGR_COUNT };

struct sgr {
    struct sgr_text {
        char *place; /* where curses has the string */
        char own[SGR_SIZE], saving[SGR_SIZE];
    } text[SGR_COUNT];
    bool able, saves;
};

void sgr_start(struct sgr *sgr);

/* Curses has the terminal's own strings; before it leaves the terminal, or its colours are changed. */
void sgr_leave(struct sgr *sgr);
/* Only differences are sent from now on, if that was chosen. */
void sgr_return(struct sgr *sgr);
/* Before a frame of curses. If true, the terminal must be set to what curses believes of it: SGR_BEGIN, then
 * the ground. */
bool sgr_begin(const struct sgr *sgr);
#define SGR_BEGIN "\x1b[m"
/* Chooses it: has every cell two colours? */
void sgr_choose(struct sgr *sgr, bool all_colored);

#endif
