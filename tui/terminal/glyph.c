/*
 * The table of glyphs, by enum glyph: code point and the ASCII character for --ascii.
 */
#include "tui/terminal/glyph.h"

static int clamp_level(int n, int most)
{
    return n < 0 ? 0 : n > most ? most : n;
}

uint32_t glyph_codepoint(enum glyph glyph, bool ascii)
{
#define GLYPH_ROW(name, unicode, plain) [GLYPH_##name] = {unicode, plain},
    static const uint32_t table[GLYPH_COUNT][2] = {GLYPH_LIST(GLYPH_ROW)};
#undef GLYPH_ROW
    return table[glyph][ascii ? 1 : 0];
}

uint32_t glyph_left_eighths(int n, bool ascii)
{
    n = clamp_level(n, 8);
    if (ascii)
        return (uint32_t) " ....:::#"[n];
    return n == 0 ? ' ' : 0x2590u - (uint32_t)n;
}

uint32_t glyph_lower_eighths(int n, bool ascii)
{
    n = clamp_level(n, 8);
    if (ascii)
        return (uint32_t) " ..::--=#"[n];
    return n == 0 ? ' ' : 0x2580u + (uint32_t)n;
}

uint32_t glyph_bars(int left, int right, bool ascii)
{
    /* Braille dots from the bottom up: 7, 3, 2, 1 in the left column, 8, 6, 5, 4 in the right one. */
    static const uint8_t left_dots[5] = {0x00, 0x40, 0x44, 0x46, 0x47};
    static const uint8_t right_dots[5] = {0x00, 0x80, 0xa0, 0xb0, 0xb8};
    left = clamp_level(left, 4);
    right = clamp_level(right, 4);
    if (ascii)
        return (uint32_t) " .:=#"[left > right ? left : right];
    return left + right == 0 ? ' ' : 0x2800u + left_dots[left] + right_dots[right];
}
