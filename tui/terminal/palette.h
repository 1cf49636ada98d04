/*
 * A theme's colours on the terminal: curses' colour pairs, and the background of all cells that are painted
 * or erased. Every cell gets the theme's background, so that legibility does not depend on the terminal's;
 * mono and a transparent palette keep the terminal's. Owner: tui/terminal/term, after curses has started; its
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
    bool fills;                /* the terminal gives erased or inserted cells the background set last */
    const struct theme *theme; /* whose colours the pairs are; NULL: none yet */
    char ground[64];           /* the bytes that set its background; empty: the terminal's own */
    int pairs[COLOR_COUNT][COLOR_COUNT], pair_count;
};

void palette_start(struct palette *palette, bool color, bool transparent);
/* Changes the theme; all cells must then be painted. False: the theme is unchanged. */
bool palette_take(struct palette *palette, const struct theme *theme);

bool palette_has_colors(const struct palette *palette);
/* Cells that the terminal inserts must be painted, since they would have another background. */
bool palette_leaves_holes(const struct palette *palette);

/* The style as this terminal can show it, as a colour pair and boldness. */
struct style palette_style(const struct palette *palette, struct style style);
/* Of a blank that stands behind a cell of this style: the same where that looks the same. */
struct style palette_blank(const struct palette *palette, struct style blank, struct style before);
int palette_pair(struct palette *palette, struct style style);
bool palette_is_bold(const struct palette *palette, struct style style);

#endif
