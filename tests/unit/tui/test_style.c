/*
 * The colours of the themes, by published measures: contrast after WCAG 2.1, and how far colours lie apart
 * for people without one kind of cone.
 *
 * Contrast: W3C, Web Content Accessibility Guidelines 2.1, relative luminance and contrast ratio; 4.5 is what
 * level AA asks of text, 7 what AAA does, 3 what is asked of lines. Colour blindness: Machado, Oliveira and
 * Fernandes, A Physiologically-based Model for Simulation of Color Vision Deficiency, IEEE Transactions on
 * Visualization and Computer Graphics 15(6), 2009, the matrices of severity 1, on linear RGB. Distance: CIE
 * 1976, Euclidean in L*a*b* under D65; 2.3 is a just noticeable difference.
 */
#include "tui/terminal/style.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

struct rgb {
    double r, g, b; /* linear, 0 to 1 */
};

static double linear(uint32_t byte)
{
    double c = (double)byte / 255;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static struct rgb rgb_of(uint32_t color)
{
    return (struct rgb){linear(color >> 16 & 255), linear(color >> 8 & 255), linear(color & 255)};
}

static double luminance(uint32_t color)
{
    struct rgb c = rgb_of(color);
    return 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b;
}

static double contrast(uint32_t a, uint32_t b)
{
    double x = luminance(a), y = luminance(b);
    return (fmax(x, y) + 0.05) / (fmin(x, y) + 0.05);
}

/* ---- contrast ---- */

static uint32_t color_of(const struct theme *theme, int color)
{
    return theme->color[color].rgb;
}

/* Everything that letters are written in. */
static const uint8_t inks[] = {COLOR_NONE,    COLOR_TEXT,     COLOR_DIM,     COLOR_TITLE,
                               COLOR_FOCUS,   COLOR_GOOD,     COLOR_WARN,    COLOR_BAD,
                               COLOR_COPY_IN, COLOR_COPY_OUT, COLOR_COPY_ON, COLOR_CPU};

static double least_of_theme(const struct theme *theme)
{
    return strcmp(theme->name, "projector") == 0 ? 7 : 4.5;
}

static void expect_contrast(const struct theme *theme, int ink)
{
    const uint32_t grounds[] = {theme->ground.rgb, color_of(theme, COLOR_SELECTED),
                                color_of(theme, COLOR_CURSOR), color_of(theme, COLOR_BAR),
                                color_of(theme, COLOR_TRACK)};
    for (size_t i = 0; i < sizeof grounds / sizeof grounds[0]; i++) {
        double ratio = contrast(color_of(theme, ink), grounds[i]);
        cr_expect_geq(ratio, least_of_theme(theme), "%s: %06x on %06x has %.2f", theme->name,
                      color_of(theme, ink), grounds[i], ratio);
    }
}

Test(style, text_can_be_read_on_every_ground)
{
    cr_assert_float_eq(contrast(0x000000, 0xffffff), 21, 1e-9);
    cr_assert_float_eq(contrast(0x767676, 0xffffff), 4.54, 0.005); /* the lightest grey of AA on white */
    for (unsigned t = 0; theme_at(t) != NULL; t++) {
        const struct theme *theme = theme_at(t);
        if (theme->mono)
            continue;
        for (size_t i = 0; i < sizeof inks / sizeof inks[0]; i++)
            expect_contrast(theme, inks[i]);
        for (int kernel = 0; kernel < STYLE_KERNEL_COLORS; kernel++)
            expect_contrast(theme, COLOR_KERNEL + kernel);
        for (int counter = COLOR_COUNTER; counter < COLOR_LANE; counter++)
            expect_contrast(theme, counter);
    }
}

/* Names are written on bars, and the cursor's and a link's marks on the colour of the focus. */
Test(style, ink_can_be_read_on_bars)
{
    static const uint8_t bars[] = {COLOR_FOCUS, COLOR_COPY_IN, COLOR_COPY_OUT, COLOR_COPY_ON, COLOR_CPU};
    for (unsigned t = 0; theme_at(t) != NULL; t++) {
        const struct theme *theme = theme_at(t);
        for (size_t i = 0; i < sizeof bars + STYLE_KERNEL_COLORS && !theme->mono; i++) {
            int bar = i < sizeof bars ? bars[i] : COLOR_KERNEL + (int)(i - sizeof bars);
            double ratio = contrast(color_of(theme, COLOR_INK), color_of(theme, bar));
            cr_expect_geq(ratio, least_of_theme(theme), "%s: ink on %06x has %.2f", theme->name,
                          color_of(theme, bar), ratio);
        }
        if (!theme->mono)
            cr_expect_geq(contrast(color_of(theme, COLOR_FRAME), theme->ground.rgb), 3, "%s", theme->name);
    }
}

/* xterm's 256 colours, as far as they are the same everywhere. */
static uint32_t rgb_of_256(uint8_t index)
{
    static const uint32_t level[6] = {0, 95, 135, 175, 215, 255};
    if (index >= 232)
        return (8 + 10 * (index - 232u)) * 0x010101u;
    return level[(index - 16) / 36] << 16 | level[(index - 16) / 6 % 6] << 8 | level[(index - 16) % 6];
}

static uint32_t as_256(const struct theme_color *color)
{
    return rgb_of_256(color_of_256(color));
}

/* As the terminal shows the theme: letters and ground of its 256. */
Test(style, text_can_be_read_with_256_colors)
{
    static const uint8_t grounds[] = {COLOR_NONE, COLOR_TRACK, COLOR_SELECTED, COLOR_CURSOR, COLOR_BAR};
    for (unsigned t = 0; theme_at(t) != NULL; t++) {
        const struct theme *theme = theme_at(t);
        for (int ink = COLOR_NONE; ink < COLOR_LANE && !theme->mono; ink++) {
            if (ink >= COLOR_SELECTED && ink <= COLOR_INK)
                continue;
            uint32_t letter = as_256(&theme->color[ink]);
            for (size_t g = 0; g < (ink == COLOR_FRAME ? 2 : sizeof grounds); g++) {
                double ratio = contrast(letter, as_256(theme_ground(theme, grounds[g])));
                cr_expect_geq(ratio, ink == COLOR_FRAME ? 3 : least_of_theme(theme),
                              "%s: %06x on ground %d has %.2f", theme->name, letter, grounds[g], ratio);
            }
            double ratio = contrast(as_256(&theme->color[COLOR_INK]), letter);
            cr_expect(ink < COLOR_FOCUS || ratio >= least_of_theme(theme), "%s: ink on %06x has %.2f",
                      theme->name, letter, ratio);
        }
    }
}

/* ---- few colours ---- */

/* The first sixteen, which a terminal chooses; some show a bold one of the first eight as the bright one. */
static const uint32_t palettes[][16] = {
    {0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000,
     0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff}, /* xterm */
    {0x000000, 0xaa0000, 0x00aa00, 0xaa5500, 0x0000aa, 0xaa00aa, 0x00aaaa, 0xaaaaaa, 0x555555, 0xff5555,
     0x55ff55, 0xffff55, 0x5555ff, 0xff55ff, 0x55ffff, 0xffffff}, /* VGA */
};

static void expect_contrast_of_few(const struct theme *theme, struct style style)
{
    style = style_of_few_colors(style);
    const struct theme_color *letter = &theme->color[style.foreground],
                             *ground = theme_ground(theme, style.background);
    double least = style.foreground == COLOR_FRAME ? 3 : least_of_theme(theme);
    for (size_t p = 0; p < sizeof palettes / sizeof palettes[0]; p++) {
        const uint32_t *rgb = palettes[p];
        double of_16 = contrast(rgb[letter->ansi16], rgb[ground->ansi16]);
        cr_expect_geq(of_16, least, "%s: %d on %d has %.2f with 16 colours, palette %zu", theme->name,
                      style.foreground, style.background, of_16, p);
        /* VGA's yellow is a brown, which only its bold makes legible: there bold does. */
        bool bright = letter->ansi8 > 7 && p == 1;
        double of_8 = contrast(rgb[bright ? letter->ansi8 : letter->ansi8 & 7], rgb[ground->ansi8 & 7]);
        cr_expect_geq(of_8, least, "%s: %d on %d has %.2f with 8 colours, palette %zu", theme->name,
                      style.foreground, style.background, of_8, p);
    }
}

Test(style, text_can_be_read_with_few_colors)
{
    static const uint8_t grounds[] = {COLOR_NONE, COLOR_TRACK, COLOR_SELECTED, COLOR_CURSOR, COLOR_BAR};
    for (unsigned t = 0; theme_at(t) != NULL; t++) {
        for (int ink = COLOR_NONE; ink < COLOR_LANE && !theme_at(t)->mono; ink++) {
            if (ink >= COLOR_SELECTED && ink <= COLOR_INK)
                continue;
            for (size_t g = 0; g < (ink == COLOR_FRAME ? 2 : sizeof grounds); g++)
                expect_contrast_of_few(theme_at(t), STYLE(ink, grounds[g], 0));
            if (ink >= COLOR_COPY_IN || ink == COLOR_FOCUS)
                expect_contrast_of_few(theme_at(t), STYLE(COLOR_INK, ink, 0));
        }
    }
}

/* A chart: its three tones lie apart, and the bright one is what is seen first. */
Test(style, charts_have_three_tones)
{
    for (unsigned t = 0; theme_at(t) != NULL; t++) {
        const struct theme *theme = theme_at(t);
        for (int hue = 0; hue < STYLE_COUNTER_COLORS && !theme->mono; hue++) {
            double bright = contrast(color_of(theme, COLOR_COUNTER + hue), theme->ground.rgb),
                   soft = contrast(color_of(theme, COLOR_SOFT + hue), theme->ground.rgb),
                   fill = contrast(color_of(theme, COLOR_FILL + hue), theme->ground.rgb);
            cr_expect(bright > 1.15 * soft && soft > 2 * fill && fill > 1.25, "%s, hue %d: %.2f %.2f %.2f",
                      theme->name, hue, bright, soft, fill);
        }
    }
    /* Without colours a filled cell stays filled. */
    struct style mono = style_without_color(STYLE(COLOR_FILL, COLOR_FILL, 0));
    cr_assert_eq(mono.attributes, 0);
}

/* Lanes are written in ink on their hue, and unused bytes in the hue on the theme's ground. */
Test(style, lanes_can_be_read)
{
    for (unsigned t = 0; theme_at(t) != NULL; t++) {
        const struct theme *theme = theme_at(t);
        for (int lane = COLOR_LANE; lane < COLOR_COUNT && !theme->mono; lane++) {
            const struct theme_color *hue = &theme->color[lane], *ink = &theme->color[COLOR_INK];
            double least = least_of_theme(theme);
            cr_expect_geq(contrast(hue->rgb, ink->rgb), least, "%s: %06x", theme->name, hue->rgb);
            cr_expect_geq(contrast(hue->rgb, theme->ground.rgb), least, "%s: %06x", theme->name, hue->rgb);
            cr_expect_geq(contrast(as_256(hue), as_256(ink)), least, "%s: %d", theme->name, hue->ansi256);
            cr_expect_geq(contrast(as_256(hue), as_256(&theme->ground)), least, "%s: %d", theme->name,
                          hue->ansi256);
            expect_contrast_of_few(theme, STYLE(COLOR_INK, lane, 0));
            expect_contrast_of_few(theme, STYLE(lane, COLOR_NONE, 0));
        }
    }
}

/* ---- colour blindness ---- */

struct sight {
    const char *name;
    double matrix[3][3];
};

static const struct sight sights[] = {
    {"normal", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {"protanopia",
     {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
    {"deuteranopia",
     {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
};
#define SIGHTS (sizeof sights / sizeof sights[0])

static double cube_root(double t)
{
    return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

static void lab_of(uint32_t color, const struct sight *sight, double lab[3])
{
    struct rgb c = rgb_of(color);
    double seen[3];
    for (int i = 0; i < 3; i++) {
        const double *row = sight->matrix[i];
        seen[i] = fmin(1, fmax(0, row[0] * c.r + row[1] * c.g + row[2] * c.b));
    }
    double x = cube_root((0.4124564 * seen[0] + 0.3575761 * seen[1] + 0.1804375 * seen[2]) / 0.95047);
    double y = cube_root(0.2126729 * seen[0] + 0.7151522 * seen[1] + 0.0721750 * seen[2]);
    double z = cube_root((0.0193339 * seen[0] + 0.1191920 * seen[1] + 0.9503041 * seen[2]) / 1.08883);
    lab[0] = 116 * y - 16;
    lab[1] = 500 * (x - y);
    lab[2] = 200 * (y - z);
}

static double distance(uint32_t a, uint32_t b, const struct sight *sight)
{
    double one[3], other[3];
    lab_of(a, sight, one);
    lab_of(b, sight, other);
    return sqrt(pow(one[0] - other[0], 2) + pow(one[1] - other[1], 2) + pow(one[2] - other[2], 2));
}

/* The smallest distance between two of a track's colours. */
static double least_distance(const struct theme *theme, const uint8_t *colors, size_t count,
                             const struct sight *sight)
{
    double least = INFINITY;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            least = fmin(least, distance(color_of(theme, colors[i]), color_of(theme, colors[j]), sight));
    return least;
}

static const uint8_t tracks[] = {COLOR_KERNEL,     COLOR_KERNEL + 1, COLOR_KERNEL + 2, COLOR_KERNEL + 3,
                                 COLOR_KERNEL + 4, COLOR_KERNEL + 5, COLOR_KERNEL + 6, COLOR_KERNEL + 7,
                                 COLOR_COPY_IN,    COLOR_COPY_OUT,   COLOR_COPY_ON,    COLOR_CPU};
static const uint8_t counters[] = {COLOR_COUNTER,     COLOR_COUNTER + 1, COLOR_COUNTER + 2,
                                   COLOR_COUNTER + 3, COLOR_COUNTER + 4, COLOR_COUNTER + 5,
                                   COLOR_COUNTER + 6, COLOR_COUNTER + 7};
static const uint8_t verdicts[] = {COLOR_GOOD, COLOR_WARN, COLOR_BAD};

Test(style, the_simulation_is_one)
{
    /* Who sees no difference between red and green still sees white, and lightness. */
    for (size_t i = 0; i < SIGHTS; i++) {
        cr_assert_lt(distance(0xffffff, 0xfefefe, &sights[i]), 1);
        cr_assert_gt(distance(0xffffff, 0x000000, &sights[i]), 99);
        for (int row = 0; row < 3; row++)
            cr_assert_float_eq(sights[i].matrix[row][0] + sights[i].matrix[row][1] + sights[i].matrix[row][2],
                               1, 1e-5);
    }
    /* A red and a green that are told apart at once, and by these people hardly. */
    cr_assert_gt(distance(0xa85f00, 0x4f7300, &sights[0]), 40);
    cr_assert_lt(distance(0xa85f00, 0x4f7300, &sights[1]), 3);
}

Test(style, colors_are_told_apart_without_red_or_green)
{
    static const struct {
        const char *theme;
        double tracks, counters, verdicts;
    } limits[] = {{"colorblind", 14, 14, 25}, {"projector", 9, 9, 7}};
    for (size_t t = 0; t < sizeof limits / sizeof limits[0]; t++) {
        const struct theme *theme = theme_find(limits[t].theme);
        for (size_t i = 0; i < SIGHTS; i++) {
            double least = least_distance(theme, tracks, sizeof tracks, &sights[i]);
            cr_expect_geq(least, limits[t].tracks, "%s, %s: %.1f", theme->name, sights[i].name, least);
            least = least_distance(theme, counters, sizeof counters, &sights[i]);
            cr_expect_geq(least, limits[t].counters, "%s, %s: counters %.1f", theme->name, sights[i].name,
                          least);
            least = least_distance(theme, verdicts, sizeof verdicts, &sights[i]);
            cr_expect_geq(least, limits[t].verdicts, "%s, %s: verdicts %.1f", theme->name, sights[i].name,
                          least);
        }
    }
}

/* Colours of a track as the nearest of 256 may be the same: theme standard and theme projector choose them.
 */
Test(style, tracks_are_told_apart_with_256_colors)
{
    static const struct {
        const char *theme;
        double least;
    } limits[] = {{"standard", 14}, {"projector", 4}};
    for (size_t t = 0; t < sizeof limits / sizeof limits[0]; t++) {
        const struct theme *theme = theme_find(limits[t].theme);
        for (size_t s = 0; s < SIGHTS; s++)
            for (size_t i = 0; i < sizeof tracks; i++)
                for (size_t j = 0; j < i; j++) {
                    double apart = distance(as_256(&theme->color[tracks[i]]),
                                            as_256(&theme->color[tracks[j]]), &sights[s]);
                    cr_expect_geq(apart, limits[t].least, "%s, %s: %d and %d: %.1f", theme->name,
                                  sights[s].name, tracks[i], tracks[j], apart);
                }
    }
}

/* Of sectors and banks that lie beside each other, and of a hue's shades. */
static void expect_lanes_apart(const struct theme *theme, const struct sight *sight, double beside,
                               double shade)
{
    for (int i = 0; i < STYLE_LANE_HUES * STYLE_LANE_SHADES; i++) {
        int hue = i % STYLE_LANE_HUES, first = COLOR_LANE + i - hue;
        uint32_t color = color_of(theme, first + hue);
        double next = distance(color, color_of(theme, first + (hue + 1) % STYLE_LANE_HUES), sight);
        cr_expect_geq(next, beside, "%s, %s: %06x and the next: %.1f", theme->name, sight->name, color, next);
        if (i < STYLE_LANE_HUES * (STYLE_LANE_SHADES - 1)) {
            next = distance(color, color_of(theme, COLOR_LANE + i + STYLE_LANE_HUES), sight);
            cr_expect_geq(next, shade, "%s, %s: %06x and its shade: %.1f", theme->name, sight->name, color,
                          next);
        }
    }
}

Test(style, lanes_are_told_apart_without_red_or_green)
{
    for (unsigned t = 0; theme_at(t) != NULL; t++)
        for (size_t i = 0; i < SIGHTS && !theme_at(t)->mono; i++)
            expect_lanes_apart(theme_at(t), &sights[i], 25, 10);
}

/* With 256 colours, and neighbours of 16 and 8 are not the same where the ground leaves a choice. */
Test(style, lanes_are_told_apart_with_fewer_colors)
{
    for (unsigned t = 0; theme_at(t) != NULL; t++) {
        const struct theme_color *colors = theme_at(t)->color;
        for (int i = 0; i < STYLE_LANE_HUES * STYLE_LANE_SHADES && !theme_at(t)->mono; i++) {
            int hue = i % STYLE_LANE_HUES, first = COLOR_LANE + i - hue;
            const struct theme_color *one = &colors[first + hue],
                                     *next = &colors[first + (hue + 1) % STYLE_LANE_HUES];
            for (size_t s = 0; s < SIGHTS; s++) {
                double apart = distance(as_256(one), as_256(next), &sights[s]);
                cr_expect_geq(apart, 12, "%s, %s: %d, %d: %.1f", theme_at(t)->name, sights[s].name,
                              one->ansi256, next->ansi256, apart);
            }
            cr_expect_neq(one->ansi16, next->ansi16);
            cr_expect(one->ansi8 != next->ansi8 || theme_at(t)->ground.ansi8 == 7);
        }
    }
}
