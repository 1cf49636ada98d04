/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes that curses writes for a frame, made fewer: the screen they leave is the same. curses sends both
 * colours when one of them changes, and all again when a letter becomes bold; it sends the colour of letters
 * for blanks, too; and equal cells of UTF-8 one by one. Here the colours and attributes are followed, and
 * what the next cell needs is sent before it, in the shortest sequence. All else passes as it is. Only on
 * terminals whose strings are those of ECMA-48. The terminal's thread.
 */
#ifndef TUI_TERMINAL_SHORTEN_H
#define TUI_TERMINAL_SHORTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define LOOK_COLOR_SIZE 24

/* Colours as the numbers of SGR: "31", "38;5;208", "39" for the terminal's own. */
struct look {
    char front[LOOK_COLOR_SIZE], back[LOOK_COLOR_SIZE];
    unsigned attributes; /* bit n: SGR's number n */
};

struct shortener {
    FILE *out;    /* for newterm */
    int memory;   /* where curses writes to meanwhile; -1: to the terminal */
    bool able;    /* else all passes as it is */
    bool repeats; /* the terminal has REP, also for letters of more than one byte; false at first */
    bool known;   /* `sent` is what the terminal has */
    struct look wanted, sent, saved; /* saved: with the cursor */
    int settled;                     /* what `sent` is right for: SETTLED_BLANKS, SETTLED_LETTERS too, or 0 */
    char charset[2];                 /* the last of G0's designations, and of SI and SO; 0: not known */
    const char *letter;              /* `count` equal ones are not yet written */
    size_t letter_size, count;
    char *text; /* the shorter bytes */
    size_t used, room;
    bool failed; /* no memory */
};

/* Makes `out`, a way of its own to standard output. False: not possible; errno is set. */
bool shortener_open(struct shortener *shortener);
/* After newterm: asks whether the terminal's strings are of ECMA-48's kind. */
void shortener_start(struct shortener *shortener);
void shortener_close(struct shortener *shortener);

/* What curses writes between these two is written at the end of them, shorter. Meanwhile curses can
 * neither set the terminal's modes nor ask for its size. False: no memory, nothing was written. */
void shortener_begin(struct shortener *shortener);
bool shortener_end(struct shortener *shortener);
/* Curses has left the terminal, with its own colours. */
void shortener_leave(struct shortener *shortener);

/* Puts the shorter bytes into text, used. False: no memory. Sequences must be whole within one call. */
bool shorten(struct shortener *shortener, const char *bytes, size_t size_bytes);

#endif
