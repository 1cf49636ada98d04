/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The terminal: the only user of curses. Writes the differences of a canvas to the screen, reads keys and the
 * mouse, and restores the terminal after any kind of end: quit, signals, crashes, exit, even SIGKILL
 * (tui/terminal/guard).
 *
 * One terminal per process, used only by the tui's thread. The number of colours follows terminfo: 24-bit,
 * 256, 16, 8, none; tui/terminal/direct_type finds the descriptions with 24 bits.
 */
#ifndef TUI_TERMINAL_TERM_H
#define TUI_TERMINAL_TERM_H

#include "tui/terminal/canvas.h"
#include "tui/terminal/key.h"

#include <stdio.h>

struct term;

struct term_options {
    bool color, ascii, mouse;
    bool transparent; /* keep the terminal's own background */
};

enum term_input_kind { TERM_KEY, TERM_MOUSE, TERM_REDRAW /* resized, or resumed */ };

struct term_input {
    enum term_input_kind kind;
    uint32_t key;
    struct mouse mouse;
};

/* STATUS_STATE if standard input or output is not a terminal, or the terminal's type is not known. */
enum status term_start(struct term **term, const struct term_options *options, struct error *error);
void term_stop(struct term *term); /* restores the terminal; NULL is allowed */

bool term_ascii(const struct term *term); /* the locale is not UTF-8 */
bool term_ended(const struct term *term); /* a signal requested the end, or the terminal is gone */
void term_size(const struct term *term, int *width, int *height);

/* Gives the terminal to another program, and takes it back: everything is painted again. */
void term_leave(struct term *term);
void term_return(struct term *term);

/* Has the terminal accepted all output so far? If not, the next frame should be skipped. */
bool term_ready(const struct term *term);
/* Returns true if some colours were deferred (tui/terminal/deferral); the next frames paint them. */
bool term_paint(struct term *term, const struct canvas *canvas, const struct theme *theme, bool repaint);

/* Asks the terminal to put the text into its clipboard (OSC 52); terminals that do not know it, or forbid it,
 * ignore that. The text goes as base64, so that no byte of it reaches the terminal as more than text. */
void term_copy(struct term *term, const char *text);

/* Waits at most timeout_ms for one input; handles suspend and resume. False: no input. */
bool term_wait(struct term *term, int timeout_ms, struct term_input *input);

/* ---- a screen of one picture, that changes by input alone: a job's ranks, the debugger ---- */

struct term_picture {
    void *context;
    const struct theme *theme;
    struct term_options options;
    void (*draw)(void *context, struct canvas *canvas);
    bool (*take)(void *context, const struct term_input *input); /* false: the picture is left */
};

/* Has the terminal until the picture is left, or the terminal ends. */
enum status term_picture_run(const struct term_picture *picture, struct error *error);
/* Writes it once as "text", "ansi" or "svg", after keys as key_parse reads them. */
enum status term_picture_write(const struct term_picture *picture, const char *format, int width, int height,
                               const char *keys, FILE *out, struct error *error);

#endif
