/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The themes: a struct theme_color for the background and for each role.
 */
#include "tui/terminal/style.h"

#include <stddef.h>
#include <string.h>

/* The hues of lanes, warm and cool alternately. On a dark ground each shade is brighter than the one before;
 * on a light one it is darker, and still light enough for dark letters: what is dark on white is black on a
 * projector. The dots have the hues of the first shade on a dark ground. */
#define LANES_ON_DARK                                                                                        \
    [COLOR_LANE + 0] = {0xb89753, 11, 7, 143}, [COLOR_LANE + 1] = {0x118abe, 14, 6, 31},                     \
                  [COLOR_LANE + 2] = {0x869b00, 10, 2, 106}, [COLOR_LANE + 3] = {0x8173fd, 13, 7, 135},      \
                  [COLOR_LANE + 4] = {0xe66108, 9, 2, 166}, [COLOR_LANE + 5] = {0x198ea1, 6, 6, 31},         \
                  [COLOR_LANE + 6] = {0x898a41, 7, 7, 143}, [COLOR_LANE + 7] = {0xb863a8, 15, 2, 133},       \
                  [COLOR_LANE + 8] = {0xf5bb06, 11, 7, 214}, [COLOR_LANE + 9] = {0x11baff, 14, 6, 75},       \
                  [COLOR_LANE + 10] = {0xc2c97d, 10, 2, 186}, [COLOR_LANE + 11] = {0xa594ef, 13, 7, 104},    \
                  [COLOR_LANE + 12] = {0xee9362, 9, 2, 209}, [COLOR_LANE + 13] = {0x00c3de, 6, 6, 38},       \
                  [COLOR_LANE + 14] = {0xc2c732, 7, 7, 142}, [COLOR_LANE + 15] = {0xee99dc, 15, 2, 212},     \
                  [COLOR_LANE + 16] = {0xfed68c, 11, 7, 222}, [COLOR_LANE + 17] = {0x9ed6fe, 14, 6, 153},    \
                  [COLOR_LANE + 18] = {0xdcf53c, 10, 2, 190}, [COLOR_LANE + 19] = {0xccbefe, 13, 7, 183},    \
                  [COLOR_LANE + 20] = {0xffbf9f, 9, 2, 223}, [COLOR_LANE + 21] = {0xb9f1fe, 6, 6, 159},      \
                  [COLOR_LANE + 22] = {0xe1df91, 7, 7, 186}, [COLOR_LANE + 23] = {0xfde0f6, 15, 2, 225},     \
                  [COLOR_LANE_DOT + 0] = {0xb89753, 11, 7, 143},                                             \
                  [COLOR_LANE_DOT + 1] = {0x118abe, 14, 6, 31},                                              \
                  [COLOR_LANE_DOT + 2] = {0x869b00, 10, 2, 106},                                             \
                  [COLOR_LANE_DOT + 3] = {0x8173fd, 13, 7, 135},                                             \
                  [COLOR_LANE_DOT + 4] = {0xe66108, 9, 2, 166}, [COLOR_LANE_DOT + 5] = {0x198ea1, 6, 6, 31}, \
                  [COLOR_LANE_DOT + 6] = {0x898a41, 7, 7, 143},                                              \
                  [COLOR_LANE_DOT + 7] = {0xb863a8, 15, 2, 133}
#define LANES_ON_LIGHT                                                                                      \
    [COLOR_LANE + 0] = {0xf1cf6e, 11, 6, 221}, [COLOR_LANE + 1] = {0x99d6fb, 14, 6, 117},                   \
                  [COLOR_LANE + 2] = {0x9be9a2, 10, 6, 120}, [COLOR_LANE + 3] = {0xdcc7fb, 6, 6, 183},      \
                  [COLOR_LANE + 4] = {0xfebf84, 11, 6, 216}, [COLOR_LANE + 5] = {0x3adbfc, 14, 6, 81},      \
                  [COLOR_LANE + 6] = {0xc6e182, 10, 6, 149}, [COLOR_LANE + 7] = {0xfcb3fd, 6, 6, 219},      \
                  [COLOR_LANE + 8] = {0xe0b244, 11, 6, 214}, [COLOR_LANE + 9] = {0x5dbdfb, 14, 6, 75},      \
                  [COLOR_LANE + 10] = {0x64d273, 10, 6, 114}, [COLOR_LANE + 11] = {0xe29cf9, 6, 6, 177},    \
                  [COLOR_LANE + 12] = {0xfba94e, 11, 6, 215}, [COLOR_LANE + 13] = {0x7ec0cd, 14, 6, 110},   \
                  [COLOR_LANE + 14] = {0xa5c752, 10, 6, 148}, [COLOR_LANE + 15] = {0xfc92d0, 6, 6, 213},    \
                  [COLOR_LANE + 16] = {0xcf9000, 11, 6, 172}, [COLOR_LANE + 17] = {0x5da2fa, 14, 6, 38},    \
                  [COLOR_LANE + 18] = {0x32b93a, 10, 6, 70}, [COLOR_LANE + 19] = {0xb48cfc, 6, 6, 141},     \
                  [COLOR_LANE + 20] = {0xf08704, 11, 6, 208}, [COLOR_LANE + 21] = {0x12b3e5, 14, 6, 39},    \
                  [COLOR_LANE + 22] = {0x93b502, 10, 6, 142}, [COLOR_LANE + 23] = {0xef76fb, 6, 6, 207},    \
                  [COLOR_LANE_DOT + 0] = {0x6a4a00, 0, 0, 88}, [COLOR_LANE_DOT + 1] = {0x0041b4, 4, 0, 24}, \
                  [COLOR_LANE_DOT + 2] = {0x1c5a00, 0, 0, 22}, [COLOR_LANE_DOT + 3] = {0x5a2bd0, 4, 0, 54}, \
                  [COLOR_LANE_DOT + 4] = {0x8c3000, 0, 0, 52}, [COLOR_LANE_DOT + 5] = {0x005060, 4, 0, 23}, \
                  [COLOR_LANE_DOT + 6] = {0x4a5000, 0, 0, 235}, [COLOR_LANE_DOT + 7] = {0x8a0080, 4, 0, 89}

static const struct theme themes[] = {
    {
        .name = "standard",
        .meaning = "for a dark terminal",
        .ground = {0x12161c, 0, 0, 0},
        .color =
            {
                [COLOR_NONE] = {0xd8dee6, 15, 7, 0},         [COLOR_TEXT] = {0xd8dee6, 15, 7, 0},
                [COLOR_DIM] = {0x929dac, 7, 7, 0},           [COLOR_TITLE] = {0xffffff, 15, 15, 0},
                [COLOR_FRAME] = {0x7b8796, 7, 7, 244},       [COLOR_FOCUS] = {0x8fd0ff, 14, 14, 0},
                [COLOR_SELECTED] = {0x142f54, 6, 6, 17},     [COLOR_CURSOR] = {0x292e35, 7, 7, 235},
                [COLOR_BAR] = {0x1f2731, 0, 0, 0},           [COLOR_TRACK] = {0x1a2028, 0, 0, 234},
                [COLOR_INK] = {0x0a0c10, 0, 0, 0},           [COLOR_LANE_INK] = {0x0a0c10, 0, 0, 0},
                [COLOR_GOOD] = {0x6ad08a, 10, 10, 0},        [COLOR_WARN] = {0xf0c25a, 11, 11, 0},
                [COLOR_BAD] = {0xff7a70, 9, 11, 0},          [COLOR_COPY_IN] = {0x9ad5c8, 6, 6, 195},
                [COLOR_COPY_OUT] = {0xd3b1e6, 13, 2, 147},   [COLOR_COPY_ON] = {0xb8b8a0, 7, 7, 187},
                [COLOR_CPU] = {0x949fb0, 7, 7, 251},         [COLOR_KERNEL + 0] = {0xf2a33a, 11, 6, 172},
                [COLOR_KERNEL + 1] = {0x56b4e9, 14, 7, 153}, [COLOR_KERNEL + 2] = {0x35bd91, 2, 2, 36},
                [COLOR_KERNEL + 3] = {0xf0e442, 15, 6, 220}, [COLOR_KERNEL + 4] = {0xf07f48, 9, 7, 209},
                [COLOR_KERNEL + 5] = {0xdd98bd, 13, 2, 139}, [COLOR_KERNEL + 6] = {0x84a3f5, 6, 6, 104},
                [COLOR_KERNEL + 7] = {0xb7d96a, 10, 7, 192}, [COLOR_COUNTER + 0] = {0x76d0ff, 14, 14, 0},
                [COLOR_COUNTER + 1] = {0x83e098, 10, 10, 0}, [COLOR_COUNTER + 2] = {0xbcd46a, 10, 10, 0},
                [COLOR_COUNTER + 3] = {0xffb462, 11, 15, 0}, [COLOR_COUNTER + 4] = {0xffa883, 9, 15, 0},
                [COLOR_COUNTER + 5] = {0xceb5ff, 13, 15, 0}, [COLOR_COUNTER + 6] = {0xffa2d4, 15, 15, 0},
                [COLOR_COUNTER + 7] = {0xe3c655, 15, 14, 0}, [COLOR_SOFT + 0] = {0x4ea9f0, 6, 6, 0},
                [COLOR_SOFT + 1] = {0x5cb973, 2, 2, 0},      [COLOR_SOFT + 2] = {0x97ad42, 10, 2, 0},
                [COLOR_SOFT + 3] = {0xda8e38, 11, 7, 0},     [COLOR_SOFT + 4] = {0xe7825e, 9, 7, 0},
                [COLOR_SOFT + 5] = {0xa88fec, 13, 7, 0},     [COLOR_SOFT + 6] = {0xdf7cad, 13, 7, 0},
                [COLOR_SOFT + 7] = {0xbca026, 11, 6, 0},     [COLOR_FILL + 0] = {0x1e4665, 8, 6, 24},
                [COLOR_FILL + 1] = {0x244d2e, 8, 2, 22},     [COLOR_FILL + 2] = {0x3e4819, 8, 2, 58},
                [COLOR_FILL + 3] = {0x5c3a15, 8, 7, 94},     [COLOR_FILL + 4] = {0x613425, 8, 7, 52},
                [COLOR_FILL + 5] = {0x453a64, 8, 7, 60},     [COLOR_FILL + 6] = {0x5e3248, 8, 7, 53},
                [COLOR_FILL + 7] = {0x4e420d, 8, 6, 58},     LANES_ON_DARK,
            },
    },
    {
        .name = "colorblind",
        .meaning = "for a dark terminal, without red and green",
        .ground = {0x12161c, 0, 0, 0},
        .color =
            {
                [COLOR_NONE] = {0xd8dee6, 15, 7, 0},         [COLOR_TEXT] = {0xd8dee6, 15, 7, 0},
                [COLOR_DIM] = {0x929dac, 7, 7, 0},           [COLOR_TITLE] = {0xffffff, 15, 15, 0},
                [COLOR_FRAME] = {0x7b8796, 7, 7, 244},       [COLOR_FOCUS] = {0x8fd0ff, 14, 14, 0},
                [COLOR_SELECTED] = {0x142f54, 6, 6, 17},     [COLOR_CURSOR] = {0x292e35, 7, 7, 235},
                [COLOR_BAR] = {0x1f2731, 0, 0, 0},           [COLOR_TRACK] = {0x1a2028, 0, 0, 234},
                [COLOR_INK] = {0x0a0c10, 0, 0, 0},           [COLOR_LANE_INK] = {0x0a0c10, 0, 0, 0},
                [COLOR_GOOD] = {0x5fafff, 14, 14, 0},        [COLOR_WARN] = {0xffff00, 11, 11, 0},
                [COLOR_BAD] = {0xff8700, 9, 11, 0},          [COLOR_COPY_IN] = {0x87ffaf, 6, 6, 0},
                [COLOR_COPY_OUT] = {0xaf87ff, 13, 2, 0},     [COLOR_COPY_ON] = {0x87af87, 7, 7, 0},
                [COLOR_CPU] = {0x9e9e9e, 7, 7, 0},           [COLOR_KERNEL + 0] = {0xffaf5f, 11, 6, 0},
                [COLOR_KERNEL + 1] = {0x00d7ff, 6, 7, 0},    [COLOR_KERNEL + 2] = {0x5faf00, 2, 2, 0},
                [COLOR_KERNEL + 3] = {0xffff00, 15, 6, 0},   [COLOR_KERNEL + 4] = {0xff87d7, 13, 7, 0},
                [COLOR_KERNEL + 5] = {0xff5f5f, 9, 2, 0},    [COLOR_KERNEL + 6] = {0x00ff87, 14, 6, 0},
                [COLOR_KERNEL + 7] = {0xd7ff5f, 10, 7, 0},   [COLOR_COUNTER + 0] = {0x18efff, 14, 14, 0},
                [COLOR_COUNTER + 1] = {0x00c657, 10, 10, 0}, [COLOR_COUNTER + 2] = {0xffff9b, 10, 10, 0},
                [COLOR_COUNTER + 3] = {0xc5c52a, 11, 15, 0}, [COLOR_COUNTER + 4] = {0xffcab2, 9, 15, 0},
                [COLOR_COUNTER + 5] = {0x8ca7ff, 13, 15, 0}, [COLOR_COUNTER + 6] = {0xff82b9, 15, 15, 0},
                [COLOR_COUNTER + 7] = {0xffff32, 15, 14, 0}, [COLOR_SOFT + 0] = {0x16b9c6, 6, 6, 0},
                [COLOR_SOFT + 1] = {0x02af4f, 2, 2, 0},      [COLOR_SOFT + 2] = {0xc4c57b, 10, 2, 0},
                [COLOR_SOFT + 3] = {0x9c9d27, 11, 7, 0},     [COLOR_SOFT + 4] = {0xc49d8c, 9, 7, 0},
                [COLOR_SOFT + 5] = {0x7d96e4, 13, 7, 0},     [COLOR_SOFT + 6] = {0xe074a5, 13, 7, 0},
                [COLOR_SOFT + 7] = {0xc4c52c, 11, 6, 0},     [COLOR_FILL + 0] = {0x145159, 8, 6, 24},
                [COLOR_FILL + 1] = {0x0d462c, 8, 2, 22},     [COLOR_FILL + 2] = {0x52553e, 8, 2, 58},
                [COLOR_FILL + 3] = {0x424520, 8, 7, 94},     [COLOR_FILL + 4] = {0x524744, 8, 7, 52},
                [COLOR_FILL + 5] = {0x333d59, 8, 7, 60},     [COLOR_FILL + 6] = {0x523346, 8, 7, 53},
                [COLOR_FILL + 7] = {0x525522, 8, 6, 58},     LANES_ON_DARK,
            },
    },
    {
        .name = "projector",
        .meaning = "for projectors and light terminals",
        .ground = {0xffffff, 15, 7, 0},
        .color =
            {
                [COLOR_NONE] = {0x14181d, 0, 0, 0},          [COLOR_TEXT] = {0x14181d, 0, 0, 0},
                [COLOR_DIM] = {0x434b55, 0, 0, 0},           [COLOR_TITLE] = {0x000000, 0, 0, 0},
                [COLOR_FRAME] = {0x505964, 0, 0, 240},       [COLOR_FOCUS] = {0x004a94, 4, 0, 19},
                [COLOR_SELECTED] = {0xdcebfb, 4, 0, 195},    [COLOR_CURSOR] = {0xe6eaee, 0, 0, 230},
                [COLOR_BAR] = {0xe9edf1, 15, 7, 195},        [COLOR_TRACK] = {0xf3f6f8, 15, 7, 231},
                [COLOR_INK] = {0xffffff, 15, 7, 0},          [COLOR_LANE_INK] = {0x000000, 0, 0, 0},
                [COLOR_GOOD] = {0x005040, 4, 0, 22},         [COLOR_WARN] = {0x633e00, 0, 0, 53},
                [COLOR_BAD] = {0x98100a, 0, 0, 0},           [COLOR_COPY_IN] = {0x005070, 4, 0, 23},
                [COLOR_COPY_OUT] = {0x551199, 0, 0, 0},      [COLOR_COPY_ON] = {0x334488, 0, 0, 17},
                [COLOR_CPU] = {0x4a4a4a, 0, 0, 0},           [COLOR_KERNEL + 0] = {0x0041b4, 4, 0, 20},
                [COLOR_KERNEL + 1] = {0x225500, 0, 0, 0},    [COLOR_KERNEL + 2] = {0x881166, 4, 0, 90},
                [COLOR_KERNEL + 3] = {0x663322, 0, 0, 52},   [COLOR_KERNEL + 4] = {0x5500cc, 4, 0, 0},
                [COLOR_KERNEL + 5] = {0x991100, 0, 0, 88},   [COLOR_KERNEL + 6] = {0x771133, 4, 0, 53},
                [COLOR_KERNEL + 7] = {0x0000ff, 0, 0, 0},    [COLOR_COUNTER + 0] = {0x157bdc, 4, 4, 33},
                [COLOR_COUNTER + 1] = {0x118c56, 4, 4, 29},  [COLOR_COUNTER + 2] = {0x4d722c, 4, 4, 100},
                [COLOR_COUNTER + 3] = {0xa02a00, 1, 1, 166}, [COLOR_COUNTER + 4] = {0xf01547, 1, 1, 197},
                [COLOR_COUNTER + 5] = {0x5f20f2, 4, 4, 57},  [COLOR_COUNTER + 6] = {0xc300c4, 1, 1, 128},
                [COLOR_COUNTER + 7] = {0xa97000, 1, 1, 94},  [COLOR_SOFT + 0] = {0x3e8ef2, 12, 4, 68},
                [COLOR_SOFT + 1] = {0x31a068, 12, 4, 65},    [COLOR_SOFT + 2] = {0x6a8f47, 12, 4, 101},
                [COLOR_SOFT + 3] = {0xc2481d, 1, 1, 167},    [COLOR_SOFT + 4] = {0xff495d, 1, 1, 168},
                [COLOR_SOFT + 5] = {0x864afe, 12, 4, 99},    [COLOR_SOFT + 6] = {0xe53ee4, 1, 1, 164},
                [COLOR_SOFT + 7] = {0xbd811b, 1, 1, 136},    [COLOR_FILL + 0] = {0xbee3ff, 7, 6, 153},
                [COLOR_FILL + 1] = {0xc3eac9, 7, 6, 156},    [COLOR_FILL + 2] = {0xd8e5b8, 7, 6, 193},
                [COLOR_FILL + 3] = {0xfbd7b5, 7, 6, 223},    [COLOR_FILL + 4] = {0xffd1c1, 7, 6, 224},
                [COLOR_FILL + 5] = {0xe0d7ff, 7, 6, 189},    [COLOR_FILL + 6] = {0xfecee4, 7, 6, 225},
                [COLOR_FILL + 7] = {0xeadeb2, 7, 6, 229},    LANES_ON_LIGHT,
            },
    },
    {
        .name = "mono",
        .meaning = "no colours: bold, underline and reverse only",
        .mono = true,
        .ground = {0x000000, 0, 0, 0},
        .color =
            {
                [COLOR_NONE] = {0xe6e6e6, 7, 7, 0},
                [COLOR_SELECTED] = {0xe6e6e6, 7, 7, 0},
            },
    },
};

const struct theme *theme_at(unsigned index)
{
    return index < sizeof themes / sizeof themes[0] ? &themes[index] : NULL;
}

const struct theme *theme_find(const char *name)
{
    if (!name)
        return &themes[0];
    for (unsigned i = 0; theme_at(i); i++)
        if (strcmp(themes[i].name, name) == 0)
            return &themes[i];
    return NULL;
}

const struct theme *theme_next(const struct theme *theme)
{
    const struct theme *next = theme_at((unsigned)(theme - themes) + 1);
    return next ? next : &themes[0];
}

const struct theme_color *theme_ground(const struct theme *theme, uint8_t background)
{
    return background == COLOR_NONE ? &theme->ground : &theme->color[background];
}

struct style style_of_few_colors(struct style style)
{
    if (style.background == COLOR_SELECTED || style.background == COLOR_CURSOR)
        style.foreground = COLOR_INK;
    if (style.background == COLOR_TRACK)
        style.background = COLOR_NONE;
    return style;
}

struct style style_without_color(struct style style)
{
    uint8_t attributes = style.attributes;
    bool chart = style.foreground >= COLOR_FILL && style.foreground < COLOR_INK; /* covers its background */
    switch (chart ? COLOR_NONE : style.background) {
    case COLOR_NONE:
    case COLOR_TRACK:
    case COLOR_BAR: break;
    case COLOR_CURSOR: attributes |= ATTRIBUTE_UNDERLINE; break;
    default: attributes ^= ATTRIBUTE_REVERSE; break;
    }
    if (style.foreground == COLOR_TITLE || style.foreground == COLOR_FOCUS || style.foreground == COLOR_BAD)
        attributes |= ATTRIBUTE_BOLD;
    return STYLE(COLOR_NONE, COLOR_NONE, attributes);
}

static unsigned color_distance(int r1, int g1, int b1, uint32_t rgb)
{
    int r = (int)(rgb >> 16 & 255) - r1, g = (int)(rgb >> 8 & 255) - g1, b = (int)(rgb & 255) - b1;
    return (unsigned)(3 * r * r + 6 * g * g + b * b);
}

uint8_t color_of_256(const struct theme_color *color)
{
    return color->ansi256 != 0 ? color->ansi256 : color_nearest_256(color->rgb);
}

/* xterm's table: 16 to 231 is a cube of six levels, 232 to 255 a ramp of greys. */
uint8_t color_nearest_256(uint32_t rgb)
{
    static const int level[6] = {0, 95, 135, 175, 215, 255};
    unsigned best = ~0u, index = 0;
    for (unsigned i = 0; i < 216; i++) {
        unsigned d = color_distance(level[i / 36], level[i / 6 % 6], level[i % 6], rgb);
        if (d < best) {
            best = d;
            index = 16 + i;
        }
    }
    for (unsigned i = 0; i < 24; i++) {
        int grey = 8 + 10 * (int)i;
        unsigned d = color_distance(grey, grey, grey, rgb);
        if (d < best) {
            best = d;
            index = 232 + i;
        }
    }
    return (uint8_t)index;
}
