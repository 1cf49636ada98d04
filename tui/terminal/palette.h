/*
 * A theme's colours as the terminal has them: curses' pairs, and the ground below all that is painted or
 * erased. Every cell gets the theme's ground, so that what is legible does not depend on the terminal's; mono
 * leaves it, and so does a transparent palette. Owner: tui/terminal/term, after curses has started; its
 * thread.
 */
#ifndef TUI_TERMINAL_PALETTE_H
#define TUI_TERMINAL_PALETTE_H

#include "tui/terminal/style.h"

#include <stdbool.h>

enum palette_depth { DEPTH_MONO, DEPTH_8, DEPTH_16, DEPTH_256, DEPTH_RGB };

struct palette {
    enum palette_depth depth;
    bool transparent;          /* the ground stays the terminal's own */
    bool fills;                /* the terminal gives what it erases or inserts the ground set last */
    const struct theme *theme; /* whose colours the pairs are; NULL: none yet */
    char ground[64];           /* the bytes that set its ground; empty: that is the terminal's own */
    int pairs[COLOR_COUNT][COLOR_COUNT], pair_count;
};

void palette_start(struct palette *palette, bool color, bool transparent);
/* Another theme; false: it is the one that it has. All must then be painted. */
bool palette_take(struct palette *palette, const struct theme *theme);

bool palette_has_colors(const struct palette *palette);
/* What the terminal inserts has to be painted over, since it would have another ground. */
bool palette_leaves_holes(const struct palette *palette);

/* The style as this terminal can show it; of that its pair, and whether it is bold. */
struct style palette_style(const struct palette *palette, struct style style);
int palette_pair(struct palette *palette, struct style style);
bool palette_is_bold(const struct palette *palette, struct style style);

#endif
