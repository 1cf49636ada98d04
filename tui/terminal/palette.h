/*
 * A theme's colours on the terminal: curses' colour pairs, and the background of all cells that are painted
 * or erased. Every cell gets the theme's background, so that the text is legible on any terminal; the mono
 * theme and a transparent palette keep the terminal's background. Owned by tui/terminal/term, which makes it
 * after curses has started, and used only in its thread.
 */
#ifndef TUI_TERMINAL_PALETTE_H
#define TUI_TERMINAL_PALETTE_H

#include "tui/terminal/style.h"

#include <stdbool.h>

enum palette_depth { DEPTH_MONO, DEPTH_8, DEPTH_16, DEPTH_256, DEPTH_RGB };

struct palette {
    enum palette_depth depth;
    bool transparent; /* keep the terminal's own background */
    bool fills;       /* the terminal gives erased or inserted cells the background that was set last */
    const struct theme *theme; /* the theme that the pairs belong to; NULL: none yet */
    char ground[64];           /* the bytes that set the theme's background; empty: the terminal's own */
    /* The number of each role's colour, in front and as a ground: they are compared for every new pair. */
    int front[COLOR_COUNT], back[COLOR_COUNT];
    int pairs[COLOR_COUNT][COLOR_COUNT], pair_count;
};

void palette_start(struct palette *palette, bool color, bool transparent);
/* Changes the theme; all cells must then be painted. False: the theme is unchanged. */
bool palette_take(struct palette *palette, const struct theme *theme);

bool palette_has_colors(const struct palette *palette);
/* True if the terminal gives inserted cells another background than the theme's: they must then be painted.
 */
bool palette_leaves_holes(const struct palette *palette);

/* The style as this terminal can show it, for palette_pair and palette_is_bold. */
struct style palette_style(const struct palette *palette, struct style style);
int palette_pair(struct palette *palette, struct style style);
bool palette_is_bold(const struct palette *palette, struct style style);

#endif
