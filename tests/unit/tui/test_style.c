/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The colours of the themes: contrast, and how far colours lie apart, also for people without one kind of
 * cone (tests/shared/oracle/color_sight).
 */
#include "tui/terminal/style.h"

#include "tests/shared/oracle/color_sight.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* ---- contrast ---- */

static uint32_t color_of(const struct theme *theme, int color)
{
    return theme->color[color].rgb;
}

static uint32_t as_256(const struct theme_color *color)
{
    return color_rgb_of_256(color_of_256(color));
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
        double ratio = color_contrast(color_of(theme, ink), grounds[i]);
        cr_expect_geq(ratio, least_of_theme(theme), "%s: %06x on %06x has %.2f", theme->name,
                      color_of(theme, ink), grounds[i], ratio);
    }
}

Test(style, text_can_be_read_on_every_ground)
{
    cr_assert_float_eq(color_contrast(0x000000, 0xffffff), 21, 1e-9);
    cr_assert_float_eq(color_contrast(0x767676, 0xffffff), 4.54,
                       0.005); /* the lightest grey of AA on white */
    for (unsigned t = 0; theme_at(t) != NULL; t++) {
        const struct theme *theme = theme_at(t);
        if (theme->mono)
            continue;
        for (size_t i = 0; i < sizeof inks / sizeof inks[0]; i++)
            expect_contrast(theme, inks[i]);
        for (int kernel = 0; kernel < STYLE_KERNEL_COLORS; kernel++)
            expect_contrast(theme, COLOR_KERNEL + kernel);
    }
}

/* Tops of charts are shapes, with the contrast that is asked of lines, on the rows' grounds. */
Test(style, tops_of_charts_are_seen_on_their_rows)
{
    for (unsigned t = 0; theme_at(t) != NULL; t++) {
        const struct theme *theme = theme_at(t);
        for (int top = COLOR_COUNTER; top < COLOR_LANE && !theme->mono; top++) {
            for (int i = 0; i < 2; i++) {
                const struct theme_color *ground = theme_ground(theme, i == 0 ? COLOR_NONE : COLOR_TRACK);
                double ratio = color_contrast(color_of(theme, top), ground->rgb);
                cr_expect_geq(ratio, 3, "%s: %06x has %.2f", theme->name, color_of(theme, top), ratio);
                ratio = color_contrast(as_256(&theme->color[top]), as_256(ground));
                cr_expect_geq(ratio, 3, "%s: %06x of 256 has %.2f", theme->name, as_256(&theme->color[top]),
                              ratio);
            }
        }
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
            double ratio = color_contrast(color_of(theme, COLOR_INK), color_of(theme, bar));
            cr_expect_geq(ratio, least_of_theme(theme), "%s: ink on %06x has %.2f", theme->name,
                          color_of(theme, bar), ratio);
        }
        if (!theme->mono)
            cr_expect_geq(color_contrast(color_of(theme, COLOR_FRAME), theme->ground.rgb), 3, "%s",
                          theme->name);
    }
}

/* As the terminal shows the theme: letters and ground of its 256. */
Test(style, text_can_be_read_with_256_colors)
{
    static const uint8_t grounds[] = {COLOR_NONE, COLOR_TRACK, COLOR_SELECTED, COLOR_CURSOR, COLOR_BAR};
    for (unsigned t = 0; theme_at(t) != NULL; t++) {
        const struct theme *theme = theme_at(t);
        for (int ink = COLOR_NONE; ink < COLOR_COUNTER && !theme->mono; ink++) {
            if (ink >= COLOR_SELECTED && ink <= COLOR_LANE_INK)
                continue;
            uint32_t letter = as_256(&theme->color[ink]);
            for (size_t g = 0; g < (ink == COLOR_FRAME ? 2 : sizeof grounds); g++) {
                double ratio = color_contrast(letter, as_256(theme_ground(theme, grounds[g])));
                cr_expect_geq(ratio, ink == COLOR_FRAME ? 3 : least_of_theme(theme),
                              "%s: %06x on ground %d has %.2f", theme->name, letter, grounds[g], ratio);
            }
            double ratio = color_contrast(as_256(&theme->color[COLOR_INK]), letter);
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
        double of_16 = color_contrast(rgb[letter->ansi16], rgb[ground->ansi16]);
        cr_expect_geq(of_16, least, "%s: %d on %d has %.2f with 16 colours, palette %zu", theme->name,
                      style.foreground, style.background, of_16, p);
        /* VGA's yellow is a brown, which only its bold makes legible: there bold does. */
        bool bright = letter->ansi8 > 7 && p == 1;
        double of_8 = color_contrast(rgb[bright ? letter->ansi8 : letter->ansi8 & 7], rgb[ground->ansi8 & 7]);
        cr_expect_geq(of_8, least, "%s: %d on %d has %.2f with 8 colours, palette %zu", theme->name,
                      style.foreground, style.background, of_8, p);
    }
}

Test(style, text_can_be_read_with_few_colors)
{
    static const uint8_t grounds[] = {COLOR_NONE, COLOR_TRACK, COLOR_SELECTED, COLOR_CURSOR, COLOR_BAR};
    for (unsigned t = 0; theme_at(t) != NULL; t++) {
        for (int ink = COLOR_NONE; ink < COLOR_COUNTER && !theme_at(t)->mono; ink++) {
            if (ink >= COLOR_SELECTED && ink <= COLOR_LANE_INK)
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
            double bright = color_contrast(color_of(theme, COLOR_COUNTER + hue), theme->ground.rgb),
                   soft = color_contrast(color_of(theme, COLOR_SOFT + hue), theme->ground.rgb),
                   fill = color_contrast(color_of(theme, COLOR_FILL + hue), theme->ground.rgb);
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
        double least = least_of_theme(theme);
        const struct theme_color *ink = &theme->color[COLOR_LANE_INK];
        for (int lane = COLOR_LANE; lane < COLOR_COUNT && !theme->mono; lane++) {
            bool dot = lane >= COLOR_LANE_DOT;
            const struct theme_color *hue = &theme->color[lane], *other = dot ? &theme->ground : ink;
            cr_expect_geq(color_contrast(hue->rgb, other->rgb), least, "%s: %06x", theme->name, hue->rgb);
            cr_expect_geq(color_contrast(as_256(hue), as_256(other)), least, "%s: %d", theme->name,
                          hue->ansi256);
            expect_contrast_of_few(theme, dot ? STYLE(lane, COLOR_NONE, 0) : STYLE(COLOR_LANE_INK, lane, 0));
        }
    }
}

/* A projector shows what is dark on white as black: there the cells are light, and their letters dark. */
Test(style, lanes_are_light_on_every_theme)
{
    for (unsigned t = 0; theme_at(t) != NULL; t++) {
        const struct theme *theme = theme_at(t);
        for (int lane = COLOR_LANE; lane < COLOR_LANE_DOT && !theme->mono; lane++) {
            double least = strcmp(theme->name, "projector") != 0 ? 48
                           : lane < COLOR_LANE + STYLE_LANE_HUES ? 76
                                                                 : 62;
            cr_expect_geq(color_lightness(color_of(theme, lane)), least, "%s: %06x", theme->name,
                          color_of(theme, lane));
            cr_expect_geq(color_lightness(as_256(&theme->color[lane])), least, "%s: %d", theme->name,
                          theme->color[lane].ansi256);
        }
    }
}

/* ---- colour blindness ---- */

/* The smallest distance between two of a track's colours. */
static double least_distance(const struct theme *theme, const uint8_t *colors, size_t count, enum sight sight)
{
    double least = INFINITY;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            least = fmin(least,
                         color_distance_seen(color_of(theme, colors[i]), color_of(theme, colors[j]), sight));
    return least;
}

static const uint8_t tracks[] = {COLOR_KERNEL,     COLOR_KERNEL + 1, COLOR_KERNEL + 2, COLOR_KERNEL + 3,
                                 COLOR_KERNEL + 4, COLOR_KERNEL + 5, COLOR_KERNEL + 6, COLOR_KERNEL + 7,
                                 COLOR_COPY_IN,    COLOR_COPY_OUT,   COLOR_COPY_ON,    COLOR_CPU};
static const uint8_t verdicts[] = {COLOR_GOOD, COLOR_WARN, COLOR_BAD};

Test(style, the_simulation_is_one)
{
    /* Who sees no difference between red and green still sees white, and lightness. */
    for (enum sight i = 0; i < SIGHT_COUNT; i++) {
        cr_assert_lt(color_distance_seen(0xffffff, 0xfefefe, i), 1);
        cr_assert_gt(color_distance_seen(0xffffff, 0x000000, i), 99);
        for (int row = 0; row < 3; row++)
            cr_assert_float_eq(
                sight_matrices[i][row][0] + sight_matrices[i][row][1] + sight_matrices[i][row][2], 1, 1e-5);
    }
    /* A red and a green that are told apart at once, and by these people hardly. */
    cr_assert_gt(color_distance_seen(0xa85f00, 0x4f7300, SIGHT_NORMAL), 40);
    cr_assert_lt(color_distance_seen(0xa85f00, 0x4f7300, SIGHT_PROTANOPIA), 3);
}

Test(style, colors_are_told_apart_without_red_or_green)
{
    static const struct {
        const char *theme;
        double tracks, verdicts;
    } limits[] = {{"colorblind", 14, 25}, {"projector", 9, 7}};
    for (size_t t = 0; t < sizeof limits / sizeof limits[0]; t++) {
        const struct theme *theme = theme_find(limits[t].theme);
        for (enum sight i = 0; i < SIGHT_COUNT; i++) {
            double least = least_distance(theme, tracks, sizeof tracks, i);
            cr_expect_geq(least, limits[t].tracks, "%s, %s: %.1f", theme->name, sight_names[i], least);
            least = least_distance(theme, verdicts, sizeof verdicts, i);
            cr_expect_geq(least, limits[t].verdicts, "%s, %s: verdicts %.1f", theme->name, sight_names[i],
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
        for (enum sight s = 0; s < SIGHT_COUNT; s++)
            for (size_t i = 0; i < sizeof tracks; i++)
                for (size_t j = 0; j < i; j++) {
                    double apart = color_distance_seen(as_256(&theme->color[tracks[i]]),
                                                       as_256(&theme->color[tracks[j]]), s);
                    cr_expect_geq(apart, limits[t].least, "%s, %s: %d and %d: %.1f", theme->name,
                                  sight_names[s], tracks[i], tracks[j], apart);
                }
    }
}

/* ---- fills that meet ---- */

/* A theme's fills with direct colours, or as the nearest of 256. */
struct fills {
    const struct theme *theme;
    bool of_256;
    enum sight sight;
};

static double fills_apart(const struct fills *fills, int one, int other)
{
    const struct theme_color *a = &fills->theme->color[one], *b = &fills->theme->color[other];
    return fills->of_256 ? color_distance_seen(as_256(a), as_256(b), fills->sight)
                         : color_distance_seen(a->rgb, b->rgb, fills->sight);
}

static double fill_and_ground(const struct fills *fills, int fill)
{
    const struct theme_color *a = &fills->theme->color[fill], *b = &fills->theme->ground;
    return fills->of_256 ? color_distance_seen(as_256(a), as_256(b), fills->sight)
                         : color_distance_seen(a->rgb, b->rgb, fills->sight);
}

static void check_fills(void (*expect)(const struct fills *fills))
{
    for (unsigned t = 0; theme_at(t) != NULL; t++)
        for (int i = 0; i < 2 * SIGHT_COUNT && !theme_at(t)->mono; i++)
            expect(&(struct fills){theme_at(t), i >= SIGHT_COUNT, (enum sight)(i % SIGHT_COUNT)});
}

#define EXPECT_APART(fills, apart, least, ...)                                      \
    cr_expect_geq(apart, least, "%s, %s, %s: %d %s %d: %.1f", (fills)->theme->name, \
                  (fills)->of_256 ? "256" : "direct", sight_names[(fills)->sight], __VA_ARGS__, apart)

/* Of sectors and banks that lie beside each other, whichever their shades; of a hue's shades; and of the
 * ground. */
static void expect_lanes_apart(const struct fills *fills)
{
    for (int i = 0; i < STYLE_LANE_HUES * STYLE_LANE_SHADES; i++) {
        int hue = i % STYLE_LANE_HUES;
        double apart = fill_and_ground(fills, COLOR_LANE + i);
        EXPECT_APART(fills, apart, 25, i, "and the ground", 0);
        for (int shade = 0; shade < STYLE_LANE_SHADES; shade++) {
            int first = shade * STYLE_LANE_HUES, next = first + (hue + 1) % STYLE_LANE_HUES;
            bool same = first == i - hue;
            apart = fills_apart(fills, COLOR_LANE + i, COLOR_LANE + next);
            EXPECT_APART(fills, apart, same ? 25 : 20, i, "and its neighbour", next);
            apart = fills_apart(fills, COLOR_LANE + i, COLOR_LANE + first + hue);
            if (!same)
                EXPECT_APART(fills, apart, fills->of_256 ? 4 : 10, i, "and its shade", first + hue);
        }
    }
}

Test(style, lanes_are_told_apart)
{
    check_fills(expect_lanes_apart);
}

/* Rows of different counters stand below each other. Theme standard leaves readers who are blind to a colour
 * to theme colorblind. */
static void expect_counters_apart(const struct fills *fills)
{
    for (int i = 0; i < STYLE_COUNTER_COLORS; i++) {
        const struct theme_color *color = &fills->theme->color[COLOR_COUNTER + i];
        double apart = color_lightness(fills->of_256 ? as_256(color) : color->rgb);
        EXPECT_APART(fills, apart, 34, i, "is dark", i);
        apart = fill_and_ground(fills, COLOR_COUNTER + i);
        EXPECT_APART(fills, apart, 40, i, "and the ground", 0);
        apart = fill_and_ground(fills, COLOR_FILL + i);
        EXPECT_APART(fills, apart, 10, i, "below its top, and the ground", 0);
        for (int j = 0;
             j < i && (fills->sight == SIGHT_NORMAL || strcmp(fills->theme->name, "standard") != 0); j++) {
            apart = fills_apart(fills, COLOR_COUNTER + i, COLOR_COUNTER + j);
            EXPECT_APART(fills, apart, fills->of_256 ? 7 : 14, i, "and", j);
        }
    }
}

Test(style, counters_are_told_apart)
{
    check_fills(expect_counters_apart);
}

/* Neighbours of 16 and 8 colours are not the same where the ground leaves a choice. */
Test(style, lanes_are_told_apart_with_few_colors)
{
    for (unsigned t = 0; theme_at(t) != NULL; t++) {
        const struct theme_color *colors = theme_at(t)->color;
        for (int i = 0; i < STYLE_LANE_HUES * STYLE_LANE_SHADES && !theme_at(t)->mono; i++) {
            int hue = i % STYLE_LANE_HUES, first = COLOR_LANE + i - hue;
            const struct theme_color *one = &colors[first + hue],
                                     *next = &colors[first + (hue + 1) % STYLE_LANE_HUES];
            cr_expect_neq(one->ansi16, next->ansi16);
            cr_expect(one->ansi8 != next->ansi8 || theme_at(t)->ground.ansi8 == 7);
        }
    }
}
