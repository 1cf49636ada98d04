/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Can what stands on the screen be read? Measured from the bytes that a terminal gets, on terminals whose own
 * ground is dark and light, with 16 M (direct colours), 256, 16 and 8 colours.
 *
 * Contrast: W3C, Web Content Accessibility Guidelines 2.1: 4.5 is what level AA asks of text, 7 what AAA does
 * (for a projector). Lines and bars must have as much as text; the lane map's and the counters' fills
 * must lie apart from the ground, which on a light one they cannot by contrast without being dark. A terminal
 * is free to choose its first 16 colours, and some show bold ones of the first eight as bright ones: xterm's
 * and VGA's (Linux' console) are tried, both ways.
 */
#include "driven_lanescope.h"

#include "tests/shared/oracle/color_sight.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define H200 TEST_SOURCE_DIR "/tests/data/h200.lsr"
#define LINES TEST_SOURCE_DIR "/tests/data/lines_h200.lsr"

TestSuite(contrast, .init = driven_make_folder, .fini = driven_remove_folder, .timeout = 280);

/* ---- what a terminal shows ---- */

struct shower {
    const char *name;
    uint32_t letters, ground; /* its own */
    const uint32_t *palette;  /* its first 16 colours */
    bool brightens;           /* bold ones of the first eight are bright */
};

static const uint32_t xterm[16] = {0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd,
                                   0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00,
                                   0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff};
static const uint32_t vga[16] = {0x000000, 0xaa0000, 0x00aa00, 0xaa5500, 0x0000aa, 0xaa00aa,
                                 0x00aaaa, 0xaaaaaa, 0x555555, 0xff5555, 0x55ff55, 0xffff55,
                                 0x5555ff, 0xff55ff, 0x55ffff, 0xffffff};

static const struct shower showers[] = {
    {"xterm on black", 0xe5e5e5, 0x000000, xterm, false},
    {"xterm on white", 0x000000, 0xffffff, xterm, false},
    {"xterm on black, bold is bright", 0xe5e5e5, 0x000000, xterm, true},
    {"xterm on white, bold is bright", 0x000000, 0xffffff, xterm, true},
    {"VGA, bold is bright", 0xaaaaaa, 0x000000, vga, true},
};

static uint32_t rgb_of(const struct shower *shower, int32_t color, bool bold, uint32_t own)
{
    if (color == VT_OWN)
        return own;
    if (color >= VT_DIRECT)
        return (uint32_t)color & 0xffffff;
    if (color >= VT_PLAIN)
        return color_rgb_of_256((uint8_t)color);
    return shower->palette[bold && shower->brightens && color < 8 ? color + 8 : color];
}

/* The ground that most cells have. */
static int32_t common_ground(const struct vt *vt)
{
    int32_t best = VT_OWN, candidate = VT_OWN;
    int lead = 0, count = 0;
    for (int y = 0; y < vt->height; y++)
        for (int x = 0; x < vt->width; x++) { /* Boyer and Moore's vote */
            int32_t ground = vt->looks[y][x].background;
            if (lead == 0)
                candidate = ground;
            lead += ground == candidate ? 1 : -1;
            count += ground == candidate;
        }
    if (count > 0)
        best = candidate;
    return best;
}

static bool is_shape(uint32_t codepoint)
{
    return codepoint >= 0x2500 && codepoint <= 0x259f;
}

/* A block, or the dashed top and the edges of a chart of few samples. */
static bool is_fill(uint32_t codepoint)
{
    return (codepoint >= 0x2580 && codepoint <= 0x259f) || codepoint == 0x254c || codepoint == 0x2502;
}

/* As text, or as a fill, for which 10 are told apart at a glance (docs/results/contrast.md). */
#define FILL_APART 25
static bool is_seen(uint32_t codepoint, uint32_t letter, uint32_t ground, double least)
{
    return color_contrast(letter, ground) >= least ||
           (is_fill(codepoint) && color_distance_seen(letter, ground, SIGHT_NORMAL) >= FILL_APART);
}

/* Every glyph of the screen. A shape may have the colour of a bar as its ground: where two bars meet. */
static void expect_legible(const struct vt *vt, const struct shower *shower, double least, const char *where)
{
    int32_t common = common_ground(vt);
    int glyphs = 0;
    for (int y = 0; y < vt->height; y++) {
        for (int x = 0; x < vt->width; x++) {
            const struct vt_look *look = &vt->looks[y][x];
            uint32_t codepoint = vt->cells[y][x];
            if (codepoint == ' ' || codepoint == 0 || (is_shape(codepoint) && look->background != common))
                continue;
            uint32_t letter = rgb_of(shower, look->foreground, look->bold, shower->letters);
            uint32_t ground = rgb_of(shower, look->background, false, shower->ground);
            double ratio = color_contrast(letter, ground);
            glyphs++;
            if (is_seen(codepoint, letter, ground, least))
                continue;
            char *text = vt_text(vt);
            cr_assert_fail("%s, %s: U+%04x at %d,%d, %06x on %06x, has %.2f and not %.1f in\n%s", where,
                           shower->name, codepoint, x, y, letter, ground, ratio, least, text);
        }
    }
    cr_assert_gt(glyphs, 100, "%s: the screen is all but empty", where);
}

static void expect_legible_everywhere(double least, const char *where)
{
    for (size_t i = 0; i < sizeof showers / sizeof showers[0]; i++)
        expect_legible(&terminal.vt, &showers[i], least, where);
}

/* ---- terminals ---- */

/* With 16 colours and with direct ones, which Debian's own descriptions lack. */
#define DIRECT(digit)                         \
    "\\E[%?%p1%{8}%<%t" digit "%p1%d%e" digit \
    "8\\:2\\:\\:%p1%{65536}%/%d\\:%p1%{256}%/%{255}%&%d\\:%p1%{255}%&%d%;m"
static void describe_terminals(void)
{
    char path[100], command[300];
    snprintf(path, sizeof path, "%s/terminals", driven_folder);
    FILE *out = fopen(path, "we");
    cr_assert_not_null(out);
    fputs("lanescope-16|xterm with 16 colours,\n"
          "\tcolors#16, pairs#256, initc@, oc@, ccc@,\n"
          "\tsetab=\\E[%?%p1%{8}%<%t%p1%{40}%+%e%p1%{92}%+%;%dm,\n"
          "\tsetaf=\\E[%?%p1%{8}%<%t%p1%{30}%+%e%p1%{82}%+%;%dm, use=xterm-256color,\n"
          "xterm-direct|xterm with direct colours,\n"
          "\tRGB, colors#0x1000000, pairs#0x7FFF, initc@, oc@, ccc@,\n"
          "\tsetab=" DIRECT("4") ",\n\tsetaf=" DIRECT("3") ", use=xterm-256color,\n",
          out);
    cr_assert_eq(fclose(out), 0);
    snprintf(command, sizeof command, "tic -x -o %s/terminfo %s", driven_folder, path);
    cr_assert_eq(system(command), 0);
    snprintf(path, sizeof path, "%s/terminfo", driven_folder);
    cr_assert_eq(setenv("TERMINFO", path, 1), 0);
}

static void start_on(const char *type, const char *const *arguments)
{
    char set[64];
    char *argv[20] = {(char *)(uintptr_t) "env", set, (char *)(uintptr_t)TEST_LANESCOPE};
    snprintf(set, sizeof set, "TERM=%s", type);
    for (int i = 3; i < 19 && arguments[i - 3] != NULL; i++)
        argv[i] = (char *)(uintptr_t)arguments[i - 3];
    terminal_start(&terminal, 120, 40, argv, NULL, NULL);
}
#define START_ON(type, ...) start_on(type, (const char *const[]){__VA_ARGS__, NULL})

static void press(const char *keys)
{
    terminal_type(&terminal, keys);
    cr_assert(terminal_is_quiet(&terminal));
}

static const char *const types[] = {"xterm-direct", "xterm-256color", "lanescope-16", "xterm"};
static const struct {
    const char *name;
    double least;
} themes[] = {{"standard", 4.5}, {"colorblind", 4.5}, {"projector", 7}};

/* The screens that these keys come to, one after the other. */
static void check_screens(const char *type, const char *theme, double least, const char *file,
                          const char *const *keys)
{
    char where[120];
    START_ON(type, "view", file, "--theme", theme);
    cr_assert(terminal_shows(&terminal, " ended  "));
    for (; *keys != NULL; keys++) {
        snprintf(where, sizeof where, "%s, theme %s, keys %s", type, theme, *keys);
        press(*keys);
        expect_legible_everywhere(least, where);
    }
    cr_assert_eq(terminal.vt.unknown, 0, "the terminal did not understand %s", terminal.vt.unknown_text);
    driven_leave();
}

static void check_type(const char *type)
{
    static const char *const main_keys[] = {
        "j", "/pad\r", "X", "q",  "r",  "\x1b", "?",    "\x1b", "T", "\x1b", "o", "q",    "a",
        "q", "R",      "q", "C",  "q",  "p",    "q",    "A",    "b", "q",    ":", "\x1b", "m",
        "q", "d",      "q", "\r", "++", "q",    "\t\t", "Ol",   "+", "L",    "0", NULL};
    static const char *const line_keys[] = {"v", "\t", "s", "n", "q", "\t", NULL};
    describe_terminals();
    check_screens(type, "mono", 4.5, H200, main_keys);
    for (size_t i = 0; i < sizeof themes / sizeof themes[0]; i++) {
        check_screens(type, themes[i].name, themes[i].least, H200, main_keys);
        check_screens(type, themes[i].name, themes[i].least, LINES, line_keys);
    }
}

Test(contrast, with_direct_colors)
{
    check_type("xterm-direct");
}

Test(contrast, with_256_colors)
{
    check_type("xterm-256color");
}

Test(contrast, with_16_colors)
{
    check_type("lanescope-16");
}

Test(contrast, with_8_colors)
{
    check_type("xterm");
}

/* Most terminals with direct colours say so in COLORTERM, and name the description of 256 colours. */
static bool has_direct_colors(const char *type, const char *said)
{
    char set[64], also[64];
    char *argv[] = {
        (char *)(uintptr_t) "env", set, also, (char *)(uintptr_t)TEST_LANESCOPE, (char *)(uintptr_t) "view",
        (char *)(uintptr_t)H200,   NULL};
    snprintf(set, sizeof set, "TERM=%s", type);
    snprintf(also, sizeof also, "COLORTERM=%s", said);
    terminal_start(&terminal, 120, 40, argv, NULL, NULL);
    cr_assert(terminal_shows(&terminal, " ended"));
    bool direct = terminal.vt.looks[2][2].background >= VT_DIRECT;
    driven_leave();
    return direct;
}

Test(contrast, direct_colors_where_the_terminal_says_so)
{
    describe_terminals();
    cr_expect(has_direct_colors("xterm-256color", "truecolor"));
    cr_expect(has_direct_colors("xterm-256color", "24bit"));
    cr_expect_not(has_direct_colors("xterm-256color", "yes"));
    cr_expect_not(has_direct_colors("screen-256color", "truecolor"), "terminfo has no screen-direct");
}

/* The lab and the list of workloads, which no recording has. */
Test(contrast, before_and_after_a_run)
{
    describe_terminals();
    for (size_t i = 0; i < sizeof themes / sizeof themes[0]; i++) {
        for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
            START_ON(types[t], "--device", "simt", "--theme", themes[i].name);
            cr_assert(terminal_shows(&terminal, "Workloads"));
            expect_legible_everywhere(themes[i].least, "workloads");
            press("/bank-stride\re");
            expect_legible_everywhere(themes[i].least, "the lab");
            press("llA");
            expect_legible_everywhere(themes[i].least, "the lab's lane map");
            press("b");
            expect_legible_everywhere(themes[i].least, "two lane maps");
            press("q");
            terminal_type(&terminal, "\r");
            cr_assert(terminal_shows(&terminal, " ended  "));
            press("j");
            expect_legible_everywhere(themes[i].least, "the lab after a run");
            driven_leave();
        }
    }
}

/* ---- the ground ---- */

static void expect_ground(bool painted, const char *where)
{
    for (int y = 0; y < terminal.vt.height; y++)
        for (int x = 0; x < terminal.vt.width; x++)
            if (painted && terminal.vt.looks[y][x].background == VT_OWN)
                cr_assert_fail("%s: the ground at %d,%d is the terminal's own", where, x, y);
    if (!painted)
        cr_assert_eq(common_ground(&terminal.vt), VT_OWN, "%s: the ground is painted", where);
}

/* Whatever is drawn, erased or moved: no cell keeps the terminal's ground, also where what is erased keeps it
 * (as in screen). */
static void check_ground(const char *type, bool keeps_ground)
{
    START_ON(type, "view", H200, "--theme", "projector");
    terminal.vt.keeps_ground = keeps_ground;
    cr_assert(terminal_shows(&terminal, " ended  "));
    cr_assert(terminal_is_quiet(&terminal));
    expect_ground(true, "the first screen");
    press("\t\tO0++");
    static const char *const pans[] = {">", ">", "<", "L", "H", "-", "l", ">"};
    for (size_t i = 0; i < sizeof pans / sizeof pans[0]; i++) {
        press(pans[i]);
        expect_ground(true, pans[i]);
    }
    terminal_resize(&terminal, 60, 20);
    press("O");
    expect_ground(true, "smaller");
    terminal_resize(&terminal, 200, 60);
    press("v");
    expect_ground(true, "larger");
    press("qr");
    expect_ground(true, "runs");
    press("qt"); /* mono */
    expect_ground(false, "mono");
    press("t");
    expect_ground(true, "standard");
    press("\x0c");
    expect_ground(true, "anew");
    cr_assert_eq(terminal.vt.unknown, 0, "the terminal did not understand %s", terminal.vt.unknown_text);
    driven_leave();
    cr_assert_eq(terminal.vt.look.background, VT_OWN, "the shell's ground is painted");
    cr_assert_eq(terminal.vt.look.foreground, VT_OWN);
}

Test(contrast, the_ground_is_painted)
{
    check_ground("xterm-256color", false);
    check_ground("xterm", false);
    check_ground("screen-256color", true);
}

Test(contrast, the_ground_is_left_when_asked)
{
    START_ON("xterm-256color", "view", H200, "--transparent");
    terminal_type(&terminal, "\x1b]11;rgb:0000/0000/0000\x1b\\\x1b[?62c");
    cr_assert(terminal_shows(&terminal, " ended  "));
    cr_assert(terminal_is_quiet(&terminal));
    expect_ground(false, "--transparent");
    cr_assert(terminal.vt.colored);
    driven_leave();
}

/* The terminal says that it is white: the theme is the one for light terminals. */
Test(contrast, a_light_ground_that_is_left_gets_a_light_theme)
{
    START_ON("xterm-256color", "view", H200, "--transparent");
    terminal_type(&terminal, "\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[?62c");
    cr_assert(terminal_shows(&terminal, " ended"));
    cr_assert(terminal_is_quiet(&terminal));
    expect_ground(false, "--transparent, light");
    expect_legible(&terminal.vt, &showers[1], 7, "--transparent, light");
    press("j");
    expect_legible(&terminal.vt, &showers[1], 7, "--transparent, light, a row below");
    driven_leave();
}

/* It says nothing: a theme for dark terminals would be unreadable on a light one. */
Test(contrast, a_ground_that_is_not_known_is_painted)
{
    START_ON("xterm-256color", "view", H200, "--transparent");
    terminal_type(&terminal, "\x1b[?62c");
    cr_assert(terminal_shows(&terminal,
                             "Background not known, so painted: --theme standard or projector keeps it."));
    cr_assert(terminal_is_quiet(&terminal));
    expect_ground(true, "--transparent, unknown");
    driven_leave();
    START_ON("xterm-256color", "view", H200, "--transparent", "--theme", "standard");
    cr_assert(terminal_shows(&terminal, " ended  "));
    cr_assert(terminal_is_quiet(&terminal));
    expect_ground(false, "--transparent, its theme given");
    driven_leave();
}

/* A snapshot is of the same palette as the screen. */
Test(contrast, a_snapshot_can_be_read_on_both_grounds)
{
    static struct vt vt;
    char command[400];
    for (size_t i = 0; i < sizeof themes / sizeof themes[0]; i++) {
        int byte;
        snprintf(command, sizeof command,
                 TEST_LANESCOPE " view " H200 " --snapshot ansi --size 120x40 --theme %s", themes[i].name);
        FILE *in = popen(command, "r");
        cr_assert_not_null(in);
        vt_init(&vt, 120, 41);
        while ((byte = getc(in)) != EOF)
            vt_feed(&vt, byte == '\n' ? "\r\n" : (const char[]){(char)byte}, byte == '\n' ? 2 : 1);
        cr_assert_eq(pclose(in), 0);
        vt.height = 40;
        for (size_t s = 0; s < sizeof showers / sizeof showers[0]; s++)
            expect_legible(&vt, &showers[s], themes[i].least, "snapshot");
    }
}

/* ---- differences ---- */

static void expect_same_looks(const struct vt *before, const char *where)
{
    for (int y = 0; y < before->height; y++) {
        for (int x = 0; x < before->width; x++) {
            const struct vt_look *was = &before->looks[y][x], *is = &terminal.vt.looks[y][x];
            bool blank = before->cells[y][x] == ' ' && terminal.vt.cells[y][x] == ' ';
            if (was->background != is->background || was->reverse != is->reverse ||
                was->underline != is->underline ||
                (!blank && (was->foreground != is->foreground || was->bold != is->bold)))
                cr_assert_fail(
                    "%s: U+%04x at %d,%d was %06x on %06x%s%s, and is %06x on %06x%s%s when painted anew",
                    where, before->cells[y][x], x, y, (unsigned)was->foreground, (unsigned)was->background,
                    was->reverse ? ", reversed" : "", was->underline ? ", underlined" : "",
                    (unsigned)is->foreground, (unsigned)is->background, is->reverse ? ", reversed" : "",
                    is->underline ? ", underlined" : "");
        }
    }
}

/* A frame that sends only what differs leaves the same screen as one that paints every cell.
 * keeps_ground: what is erased has the terminal's own. */
static void check_differences(const char *type, bool keeps_ground, bool ignores_rep)
{
    static struct vt before;
    static const char *const keys[] = {"jj", "\t+", "l>", ">>", "-", "A",   "l", "q",
                                       "?",  "jj",  "q",  "R",  "q", "ttt", "j"};
    describe_terminals();
    START_ON(type, "view", H200);
    terminal.vt.keeps_ground = keeps_ground;
    terminal.vt.ignores_rep = ignores_rep;
    cr_assert(terminal_shows(&terminal, " ended"));
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        press(keys[i]);
        press("\x0c"); /* what was said of the keys has gone */
        press("jk");
        before = terminal.vt;
        press("\x0c");
        expect_same_looks(&before, keys[i]);
    }
    driven_leave();
}

Test(contrast, differences_leave_the_colors_of_a_whole_frame)
{
    check_differences("xterm-direct", false, false);
    check_differences("xterm-256color", false, true);
    check_differences("screen-256color", true, false);
}

/* linux: few colours, no underline beside them; vt100: no colours, attributes are only reset together, and
 * padding. */
Test(contrast, differences_leave_the_attributes_of_a_whole_frame)
{
    check_differences("linux", false, false);
    check_differences("vt100", true, true);
}
