/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pan within a budget: what is put off is as full as what it stands for, never after anything but a pan,
 * and the frames that follow bring all of it.
 */
#include "tui/terminal/deferral.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 120
#define HEIGHT 50

static const struct rect area = {20, 2, 98, 40};
static uint64_t random_state;
static struct canvas canvas;
static struct cell shown[WIDTH * HEIGHT], wanted[WIDTH * HEIGHT];
static bool shifted[HEIGHT];

static int draw(int below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (int)(random_state % (uint64_t)below);
}

static uint8_t some_color(void)
{
    return (uint8_t)(COLOR_COPY_IN + draw(COLOR_COUNT - COLOR_COPY_IN));
}

/* What the timeline paints. */
static struct cell some_cell(void)
{
    uint8_t color = some_color();
    switch (draw(6)) {
    case 0: return (struct cell){.codepoint = ' '};
    case 1: return (struct cell){.codepoint = 0x2588, .style = STYLE(color, COLOR_NONE, 0)};
    case 2:
        return (struct cell){.codepoint = (uint32_t)('A' + draw(26)),
                             .style = STYLE(COLOR_INK, color, ATTRIBUTE_BOLD)};
    case 3:
        return (struct cell){.codepoint = glyph_left_eighths(1 + draw(8), false),
                             .style = STYLE(color, COLOR_NONE, draw(2) == 0 ? 0 : ATTRIBUTE_REVERSE)};
    case 4:
        return (struct cell){.codepoint = glyph_left_eighths(1 + draw(8), false),
                             .style = STYLE(color, some_color(), 0)};
    default:
        return (struct cell){.codepoint = glyph_lower_eighths(1 + draw(8), false),
                             .style = STYLE(color, draw(5) == 0 ? COLOR_CURSOR : COLOR_NONE, 0)};
    }
}

static void setup(uint64_t seed)
{
    random_state = seed;
    cr_assert_eq(canvas_init(&canvas, WIDTH, HEIGHT, false, NULL), STATUS_OK);
    canvas.band = (struct canvas_band){.area = area, .start = 0, .span = area.width};
    for (int y = area.y; y < area.y + area.height; y++)
        for (int x = area.x; x < area.x + area.width; x++)
            canvas.cells[y * WIDTH + x] = some_cell();
    memcpy(shown, canvas.cells, sizeof shown);
    for (int y = 0; y < HEIGHT; y++)
        shifted[y] = true;
}

/* The canvas, and when the terminal shifts its rows the terminal, move on by so many columns. */
static void pan(int columns)
{
    static struct cell before[WIDTH * HEIGHT];
    memcpy(before, canvas.cells, sizeof before);
    canvas.band.start += columns;
    for (int y = area.y; y < area.y + area.height; y++)
        for (int x = 0; x < area.width; x++) {
            int from = x + columns;
            canvas.cells[y * WIDTH + area.x + x] =
                from >= 0 && from < area.width ? before[y * WIDTH + area.x + from] : some_cell();
        }
}

static bool frame(const struct canvas_band *before, int shift)
{
    memcpy(wanted, canvas.cells, sizeof wanted);
    bool later = deferral_make(wanted, shown, &canvas, before, shift, shifted);
    memcpy(shown, wanted, sizeof shown);
    return later;
}

static size_t differing(void)
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        count += !cell_equal(&wanted[i], &canvas.cells[i]);
    return count;
}

/* Of a cell, eighths that are of some work's colour. */
static int fullness(const struct cell *cell)
{
    uint32_t glyph = cell->codepoint;
    bool ground = cell->style.background != COLOR_NONE && cell->style.background != COLOR_CURSOR;
    if (ground)
        return 8;
    int n = glyph == ' ' ? 0 : glyph < 0x2589 ? (int)glyph - 0x2580 : 0x2590 - (int)glyph;
    return cell->style.attributes & ATTRIBUTE_REVERSE ? 8 - n : n;
}

Test(deferral, plain_cells_are_as_full)
{
    random_state = 3;
    for (int i = 0; i < 20000; i++) {
        struct cell cell = some_cell(), plain = deferral_plain(&cell), again = deferral_plain(&plain);
        cr_assert_eq(fullness(&plain), fullness(&cell), "%x with %d", cell.codepoint, cell.style.attributes);
        cr_assert(plain.codepoint == ' ' || plain.style.foreground == COLOR_CPU);
        cr_assert_eq(plain.style.background == COLOR_CURSOR, cell.style.background == COLOR_CURSOR);
        cr_assert(cell_equal(&plain, &again));
    }
}

Test(deferral, following_frames_bring_what_was_put_off)
{
    static const int pans[] = {1, 4, 8, -8, 16, -3};
    for (size_t i = 0; i < sizeof pans / sizeof pans[0]; i++) {
        setup(77 + i);
        struct canvas_band before = canvas.band;
        pan(pans[i]);
        bool later = frame(&before, pans[i]);
        cr_assert_eq(later, differing() > 0);
        cr_assert(later == (pans[i] != 1), "pan by %d", pans[i]);
        size_t left = differing();
        int frames = 0;
        for (before = canvas.band; later; before = canvas.band, frames++) {
            later = frame(&before, 0);
            cr_assert(differing() < left || !later, "no frame brings nothing");
            left = differing();
        }
        cr_assert_eq(left, 0);
        cr_assert_lt(frames, 8);
        canvas_fini(&canvas);
    }
}

/* A further pan comes before all is there. */
Test(deferral, goes_on_over_many_pans)
{
    setup(5);
    struct canvas_band before = canvas.band;
    for (int i = 0; i < 30; i++) {
        pan(8);
        frame(&before, 8);
        before = canvas.band;
        for (size_t at = 0; at < sizeof wanted / sizeof wanted[0]; at++) {
            struct cell plain = deferral_plain(&canvas.cells[at]);
            bool named = wanted[at].style.background == canvas.cells[at].style.background ||
                         wanted[at].codepoint == 0x2588 || canvas.cells[at].codepoint == 0x2588;
            cr_assert(cell_equal(&wanted[at], &canvas.cells[at]) || cell_equal(&wanted[at], &plain) || named);
        }
    }
    int frames = 0;
    while (frame(&before, 0))
        frames++;
    cr_assert_eq(differing(), 0);
    cr_assert_lt(frames, 60);
    canvas_fini(&canvas);
}

Test(deferral, nothing_is_put_off_but_in_a_pan)
{
    setup(9);
    struct canvas_band before = canvas.band;
    pan(8);
    canvas.band.span *= 2; /* a zoom */
    cr_assert(!frame(&before, 0));
    cr_assert_eq(differing(), 0);
    before = canvas.band;
    pan(17); /* too far */
    cr_assert(!frame(&before, 17));
    cr_assert_eq(differing(), 0);
    before.area.width--;
    pan(8);
    cr_assert(!frame(&before, 0));
    canvas_fini(&canvas);
}
