/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The look of a cell: a foreground and a background colour by role, and attributes. Themes map roles to
 * colours.
 *
 * No information is in colour alone: a letter, glyph or word gives the same information (a kernel has its
 * letter). Static data, any thread.
 */
#ifndef TUI_TERMINAL_STYLE_H
#define TUI_TERMINAL_STYLE_H

#include <stdbool.h>
#include <stdint.h>

#define STYLE_KERNEL_COLORS 8
#define STYLE_COUNTER_COLORS 8
#define STYLE_LANE_HUES 8
#define STYLE_LANE_SHADES 3

enum color {
    COLOR_NONE, /* foreground: the theme's; background: the theme's, or the terminal's own if that is kept */
    COLOR_TEXT,
    COLOR_DIM, /* less important; n/a */
    COLOR_TITLE,
    COLOR_FRAME,
    COLOR_FOCUS,    /* frame of the pane that has the keyboard focus */
    COLOR_SELECTED, /* background of the selected row */
    COLOR_CURSOR,   /* background of the cursor's column */
    COLOR_BAR,      /* background of header and status */
    COLOR_TRACK,    /* background of every second row of the timeline, of code, of slots that may be filled */
    COLOR_FILL,     /* of charts, below their top: STYLE_COUNTER_COLORS colours, never used for letters */
    COLOR_INK = COLOR_FILL + STYLE_COUNTER_COLORS, /* letters on the background of a kernel or a copy */
    COLOR_LANE_INK,                                /* letters on a hue of the lanes: dark in every theme */
    COLOR_GOOD,
    COLOR_WARN,
    COLOR_BAD,
    COLOR_COPY_IN,  /* to the device */
    COLOR_COPY_OUT, /* to the host */
    COLOR_COPY_ON,  /* copies within the device, and sets */
    COLOR_CPU,      /* calls, ranges, waits */
    COLOR_KERNEL,   /* the first of STYLE_KERNEL_COLORS */
    /* High values and tops of charts, by counter: fills, no letters. */
    COLOR_COUNTER = COLOR_KERNEL + STYLE_KERNEL_COLORS,
    COLOR_SOFT = COLOR_COUNTER + STYLE_COUNTER_COLORS, /* low values */
    /* The first of STYLE_LANE_HUES hues for sectors or banks; neighbours can also be told apart by readers
       who are blind to red or green. After these the same hues again, a shade stronger, and so on. They are
       grounds and fills; after COLOR_LANE_DOT are the hues for letters on the theme's ground. */
    COLOR_LANE = COLOR_SOFT + STYLE_COUNTER_COLORS,
    COLOR_LANE_DOT = COLOR_LANE + STYLE_LANE_HUES * STYLE_LANE_SHADES,
    COLOR_COUNT = COLOR_LANE_DOT + STYLE_LANE_HUES
};

enum attribute { ATTRIBUTE_BOLD = 1, ATTRIBUTE_UNDERLINE = 2, ATTRIBUTE_REVERSE = 4 };

struct style {
    uint8_t foreground, background; /* enum color */
    uint8_t attributes;
};

struct theme_color {
    uint32_t rgb; /* 0xRRGGBB */
    /* On terminals with sixteen and with eight colours, chosen by hand: letters must be legible with xterm's
     * and with VGA's colours. ansi8 above 7 means the colour ansi8 - 8 in bold. */
    uint8_t ansi16, ansi8;
    uint8_t ansi256; /* 0: the nearest to `rgb` */
};

struct theme {
    const char *name, *meaning;
    bool mono; /* attributes only, on the terminal's own background */
    struct theme_color ground, color[COLOR_COUNT];
};

/* NULL gives the standard theme; an unknown name gives NULL. */
const struct theme *theme_find(const char *name);
const struct theme *theme_next(const struct theme *theme);
const struct theme *theme_at(unsigned index); /* NULL past the end */

/* The colour of a background in a theme; for COLOR_NONE the theme's own background. */
const struct theme_color *theme_ground(const struct theme *theme, uint8_t background);

/* A style as a terminal of 8 or 16 colours shows it: text on the background of a selection has the colour of
 * text on bars, since no background of so few colours suits all text colours; tracks have no background. */
struct style style_of_few_colors(struct style style);

/* A style as a terminal without colours shows it: backgrounds become reverse video. */
struct style style_without_color(struct style style);

/* The number of the colour on a terminal with 256 colours. */
uint8_t color_of_256(const struct theme_color *color);
/* The index of the colour nearest to an RGB value among xterm's 256 colours. */
uint8_t color_nearest_256(uint32_t rgb);

#define STYLE(fg, bg, attr) ((struct style){(uint8_t)(fg), (uint8_t)(bg), (uint8_t)(attr)})

#endif
