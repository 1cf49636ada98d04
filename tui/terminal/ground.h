/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the terminal's own background is light: asked of the terminal (OSC 11), since a transparent screen
 * is legible only in a theme that suits it; else by the variable COLORFGBG, which rxvt and Konsole set. Call
 * it before curses is started; it takes at most GROUND_WAIT_MS, and what is typed meanwhile is lost.
 */
#ifndef TUI_TERMINAL_GROUND_H
#define TUI_TERMINAL_GROUND_H

#define GROUND_WAIT_MS 1000

enum ground { GROUND_UNKNOWN, GROUND_DARK, GROUND_LIGHT };

enum ground ground_of_terminal(void);

/* The same of an answer: "\x1b]11;rgb:ffff/ffff/ffff" (1 to 4 digits each). */
enum ground ground_of_answer(const char *answer);
/* The same of COLORFGBG's text: "15;0", "0;default;15": the last number is the background's, of 16 colours.
 */
enum ground ground_of_colors(const char *text);

#endif
