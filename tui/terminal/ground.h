/*
 * Whether the terminal's own background is light: asked of the terminal (OSC 11), since a transparent screen
 * is legible only in a theme that suits it. Call it before curses is started; it takes at most
 * GROUND_WAIT_MS, and what is typed meanwhile is lost.
 */
#ifndef TUI_TERMINAL_GROUND_H
#define TUI_TERMINAL_GROUND_H

#include <stdbool.h>

#define GROUND_WAIT_MS 1000

/* False also if the terminal does not answer. */
bool ground_is_light(void);

/* The same of an answer: "\x1b]11;rgb:ffff/ffff/ffff" (1 to 4 digits each). */
bool ground_text_is_light(const char *answer);

#endif
