/* SPDX-License-Identifier: Apache-2.0 */
/* Large letters: every character has a picture of its own, words are not broken, and what does not fit is
 * said. */
#include "tui/widgets/big_text.h"

#include <criterion/criterion.h>
#include <string.h>

#define WIDTH 60
#define HEIGHT 20

static struct canvas canvas;

static void make_canvas(void)
{
    struct error error = {0};
    cr_assert_eq(canvas_init(&canvas, WIDTH, HEIGHT, false, &error), STATUS_OK);
}

static void free_canvas(void)
{
    canvas_fini(&canvas);
}

TestSuite(big_text, .init = make_canvas, .fini = free_canvas);

struct drawn {
    uint32_t cells[HEIGHT][WIDTH];
};

static struct drawn draw(const char *text, enum big_size size)
{
    static struct drawn drawn;
    canvas_clear(&canvas);
    big_text_draw(&canvas, (struct rect){0, 0, WIDTH, HEIGHT}, STYLE(COLOR_TITLE, COLOR_NONE, 0), text, size);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            drawn.cells[y][x] = canvas_cell(&canvas, x, y)->codepoint;
    return drawn;
}

/* Columns and lines behind the last one that has a point. */
static void measure(const struct drawn *drawn, int *width, int *height)
{
    *width = *height = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            if (drawn->cells[y][x] != ' ') {
                *width = x + 1 > *width ? x + 1 : *width;
                *height = y + 1;
            }
}

Test(big_text, each_character_has_its_own_picture)
{
    for (enum big_size size = BIG_NARROW; size <= BIG_WIDE; size++) {
        static struct drawn seen[127];
        for (char c = '!'; c < 127; c++) {
            int width, height;
            seen[(int)c] = draw((char[]){c, '\0'}, size);
            measure(&seen[(int)c], &width, &height);
            cr_assert(width > 0 && width < (size == BIG_WIDE ? 6 : 4) && height <= 4, "%c", c);
            for (char d = '!'; d < c; d++)
                cr_assert(memcmp(&seen[(int)c], &seen[(int)d], sizeof seen[0]) != 0, "%c and %c", c, d);
        }
    }
}

Test(big_text, breaks_at_blanks)
{
    cr_assert_eq(big_text_lines("a warp", BIG_WIDE, 36), 4);
    cr_assert_eq(big_text_lines("a warp", BIG_WIDE, 35), 9); /* two lines, one between them */
    cr_assert_eq(big_text_lines("a warp", BIG_NARROW, 18), 4);
    cr_assert_eq(big_text_lines("  a   warp ", BIG_WIDE, 24), 9);
    cr_assert_eq(big_text_lines("a wavefront", BIG_WIDE, 36), 0); /* a word is wider */
    cr_assert_eq(big_text_lines("a wavefront", BIG_NORMAL, 36), 1);
    struct drawn two = draw("a a", BIG_WIDE), one;
    int width, height;
    measure(&two, &width, &height);
    cr_assert(width == 17 && height == 4);
    one = draw("a", BIG_WIDE);
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 5; x++)
            cr_assert(two.cells[y][x] == one.cells[y][x] && two.cells[y][x + 12] == one.cells[y][x]);
}

Test(big_text, letters_of_other_languages)
{
    cr_assert_eq(big_text_lines("Übung", BIG_WIDE, 36), 4);
    cr_assert_eq(big_text_lines("größer", BIG_WIDE, 36), 4);
    cr_assert_eq(big_text_lines("演習", BIG_WIDE, 60), 0);
    cr_assert_eq(big_text_lines("演習", BIG_NORMAL, 60), 1);
    cr_assert_eq(big_text_lines("", BIG_WIDE, 60), 0);
    char many[BIG_TEXT_MAX + 2];
    memset(many, 'a', sizeof many - 1);
    many[sizeof many - 1] = '\0';
    cr_assert_eq(big_text_lines(many, BIG_WIDE, CANVAS_SIDE_MAX), 0);
}

/* Nothing is drawn into an area that has too few lines for all of it. */
Test(big_text, all_or_nothing)
{
    canvas_clear(&canvas);
    big_text_draw(&canvas, (struct rect){0, 0, 24, 8}, STYLE(COLOR_TITLE, COLOR_NONE, 0), "a warp", BIG_WIDE);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            cr_assert_eq(canvas_cell(&canvas, x, y)->codepoint, ' ');
}
