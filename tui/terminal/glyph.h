/*
 * The glyphs that are not letters, each with its replacement for --ascii, in one table. Static data, any
 * thread.
 */
#ifndef TUI_TERMINAL_GLYPH_H
#define TUI_TERMINAL_GLYPH_H

#include <stdbool.h>
#include <stdint.h>

/* name, Unicode, ASCII */
#define GLYPH_LIST(X)            \
    X(HORIZONTAL, 0x2500, '-')   \
    X(VERTICAL, 0x2502, '|')     \
    X(TOP_LEFT, 0x250c, '+')     \
    X(TOP_RIGHT, 0x2510, '+')    \
    X(BOTTOM_LEFT, 0x2514, '+')  \
    X(BOTTOM_RIGHT, 0x2518, '+') \
    X(TICK, 0x252c, '+')         \
    X(FULL, 0x2588, '#')         \
    X(UPPER, 0x2580, '"')        \
    X(LOWER, 0x2584, '_')        \
    X(RUNNING, 0x2591, ':')      \
    X(DASH, 0x254c, '-')         \
    X(REST, 0x2591, '-')         \
    X(VERIFIED, 0x2713, 'v')     \
    X(FAILED, 0x2717, 'X')       \
    X(EQUAL, '=', '=')           \
    X(DIFFERENT, 0x2260, '!')    \
    X(SELECTED, 0x25b8, '>')     \
    X(SORTED_DOWN, 0x25be, 'v')  \
    X(SORTED_UP, 0x25b4, '^')    \
    X(WARNING, 0x25b2, '!')      \
    X(SEPARATOR, 0x00b7, '.')    \
    X(WINDOW_LEFT, 0x258c, '[')  \
    X(WINDOW_RIGHT, 0x2590, ']') \
    X(TIMES, 0x00d7, 'x')

#define GLYPH_ENUM(name, unicode, ascii) GLYPH_##name,
enum glyph { GLYPH_LIST(GLYPH_ENUM) GLYPH_COUNT };
#undef GLYPH_ENUM

uint32_t glyph_codepoint(enum glyph glyph, bool ascii);

/* A cell filled from the left to n eighths (0...8). */
uint32_t glyph_left_eighths(int n, bool ascii);
/* A cell filled from the bottom to n eighths (0...8). */
uint32_t glyph_lower_eighths(int n, bool ascii);
/* Two bars side by side in a cell, heights 0...4 each: braille, or in ASCII a character of similar density.
 */
uint32_t glyph_bars(int left, int right, bool ascii);

#endif
