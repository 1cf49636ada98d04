/*
 * `pairs` holds curses' number of each pair of roles, 0 until the pair is first used; a change of theme
 * clears it. If no pairs are left, a style is drawn in the terminal's own colours.
 */
#include "tui/terminal/palette.h"

#include <curses.h>
#include <stdio.h>
#include <string.h>

void palette_start(struct palette *palette, bool color, bool transparent)
{
    *palette = (struct palette){.transparent = transparent, .fills = tigetflag("bce") > 0};
    if (!color || !has_colors() || start_color() == ERR || use_default_colors() == ERR)
        palette->depth = DEPTH_MONO;
    else if (COLORS >= 1 << 24)
        palette->depth = DEPTH_RGB;
    else
        palette->depth = COLORS >= 256 ? DEPTH_256 : COLORS >= 16 ? DEPTH_16 : DEPTH_8;
}

bool palette_has_colors(const struct palette *palette)
{
    return palette->depth != DEPTH_MONO && !palette->theme->mono;
}

bool palette_leaves_holes(const struct palette *palette)
{
    return palette->ground[0] != '\0' && !palette->fills;
}

/* ---- a theme ---- */

/* With direct colours, the numbers below 8 are the first eight of the terminal's palette, and it may show
 * bold ones of these as bright ones: black as grey. */
#define PALETTE_NUMBERS 8
#define ALMOST_BLACK 0x010101

static int direct_number(uint32_t rgb)
{
    return rgb < PALETTE_NUMBERS ? ALMOST_BLACK : (int)rgb;
}

static int color_number(const struct palette *palette, const struct theme_color *color)
{
    switch (palette->depth) {
    case DEPTH_RGB: return direct_number(color->rgb);
    case DEPTH_256: return color_of_256(color);
    case DEPTH_16: return color->ansi16;
    case DEPTH_8: return color->ansi8 & 7;
    case DEPTH_MONO: break;
    }
    return -1;
}

/* The numbers of the roles' colours; -1: the terminal's default colour. */
static void find_colors(struct palette *palette)
{
    const struct theme *theme = palette->theme;
    bool own = palette->ground[0] == '\0';
    for (uint8_t role = 0; role < COLOR_COUNT; role++) {
        bool none = own && role == COLOR_NONE;
        palette->front[role] = none ? -1 : color_number(palette, &theme->color[role]);
        palette->back[role] = none ? -1 : color_number(palette, theme_ground(theme, role));
    }
}

bool palette_take(struct palette *palette, const struct theme *theme)
{
    if (palette->theme == theme)
        return false;
    const char *set = tigetstr("setab");
    memset(palette->pairs, 0, sizeof palette->pairs);
    palette->pair_count = 0;
    palette->theme = theme;
    palette->ground[0] = '\0';
    if (palette->depth == DEPTH_MONO)
        return true;
    if (!theme->mono && !palette->transparent && set != NULL && set != (char *)-1)
        snprintf(palette->ground, sizeof palette->ground, "%s",
                 tiparm(set, color_number(palette, &theme->ground)));
    find_colors(palette);
    assume_default_colors(palette->front[COLOR_NONE], palette->back[COLOR_NONE]);
    return true;
}

/* ---- a style ---- */

struct style palette_style(const struct palette *palette, struct style style)
{
    if (!palette_has_colors(palette))
        return style_without_color(style);
    return palette->depth < DEPTH_256 ? style_of_few_colors(style) : style;
}

/* A pair that already has these colours, made for other roles; 0: none. With few colours there are few pairs.
 */
static int palette_find(const struct palette *palette, int foreground, int background)
{
    for (uint8_t i = 0; i < COLOR_COUNT; i++) {
        for (uint8_t j = 0; j < COLOR_COUNT; j++)
            if (palette->pairs[i][j] != 0 && palette->front[i] == foreground &&
                palette->back[j] == background)
                return palette->pairs[i][j];
    }
    return 0;
}

int palette_pair(struct palette *palette, struct style style)
{
    int *pair = &palette->pairs[style.foreground][style.background];
    int foreground = palette->front[style.foreground], background = palette->back[style.background];
    if (*pair != 0)
        return *pair;
    if (foreground < 0 && background < 0)
        return 0;
    *pair = palette_find(palette, foreground, background);
    if (*pair != 0)
        return *pair;
    if (palette->pair_count + 1 >= COLOR_PAIRS ||
        init_extended_pair(palette->pair_count + 1, foreground, background) == ERR)
        return 0;
    *pair = ++palette->pair_count;
    return *pair;
}

/* With few colours bold changes the colour: it may brighten light colours, but not black and blue, which are
 * the colours of letters on a light background. */
bool palette_is_bold(const struct palette *palette, struct style style)
{
    const struct theme_color *color = &palette->theme->color[style.foreground];
    bool bold = (style.attributes & ATTRIBUTE_BOLD) != 0;
    if (palette->depth == DEPTH_8 && !palette->theme->mono)
        return color->ansi8 > 7 || (bold && color->ansi8 != 0);
    if (palette->depth == DEPTH_16 && !palette->theme->mono)
        return bold && color->ansi16 != 0 && color->ansi16 != 4;
    return bold;
}
