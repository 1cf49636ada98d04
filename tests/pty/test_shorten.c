/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The screen that the shorter bytes leave is the one that curses' bytes leave: random frames, on terminals
 * that repeat letters and that do not.
 */
#include "tui/terminal/shorten.h"

#include "vt.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 40
#define HEIGHT 12
#define FRAMES 400
#define ITEMS 300

static uint64_t random_state;
static char frame[1 << 16];
static size_t used;
static int column;
static struct vt told, shorter;

static int draw(int below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (int)(random_state % (uint64_t)below);
}

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    used += (size_t)vsnprintf(frame + used, sizeof frame - used, format, arguments);
    va_end(arguments);
}

static void say_look(void)
{
    static const char *const attributes[] = {"1", "4", "7", "22", "24", "27", "39", "49", "39;49", ""};
    int kind = draw(8), place = 3 + draw(2);
    switch (kind) {
    case 0: say("\x1b[%s%d;5;%dm", draw(4) == 0 ? "0;" : "", place * 10 + 8, 16 + draw(3)); break;
    case 1: say("\x1b[%d:2::%d:0:7m", place * 10 + 8, draw(3)); break;
    case 2: say("\x1b[%d;2;9;%d;7m", place * 10 + 8, draw(3)); break;
    case 3: say("\x1b[%dm", place * 10 + draw(8)); break;
    case 4: say("\x1b[%dm", 60 + place * 10 + draw(8)); break;
    case 5: say("\x1b[38;5;%d;48;5;%dm", 16 + draw(3), 16 + draw(3)); break;
    default: say("\x1b[%sm", attributes[draw(10)]); break;
    }
}

/* Letters end before the margin: curses does not let a terminal wrap. */
static void say_letters(void)
{
    static const char *const letters[] = {" ", "x", "\u00b5", "\u2588", "\u258c"};
    int letter = draw(5), count = 1 + (draw(3) == 0 ? draw(30) : 0);
    if (column + count > WIDTH) {
        column = draw(WIDTH - count + 1);
        say("\x1b[%d;%dH", 1 + draw(HEIGHT), 1 + column);
    }
    for (int i = 0; i < count; i++)
        say("%s", letters[letter]);
    column += count;
}

static void say_item(void)
{
    switch (draw(14)) {
    case 0: say("\x1b[%d%c", 1 + draw(WIDTH), "XP@"[draw(3)]); break;
    case 1: say("\x1b[%dK", draw(2)); break;
    case 2:
        say("%s", draw(2) == 0 ? "\x1b\x37\x1b[m" : "\x1b\x38");
        column = WIDTH; /* not known */
        break;
    case 3:
        say("%s", draw(9) == 0 ? "\x1b[J" : "\r\n");
        column = WIDTH;
        break;
    case 4: say("%s", draw(2) == 0 ? "\x1b(B" : "\x0f"); break;
    case 5:
    case 6:
    case 7: say_look(); break;
    default: say_letters(); break;
    }
}

static void expect_same_screen(int number)
{
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            const struct vt_look *a = &told.looks[y][x], *b = &shorter.looks[y][x];
            bool front = told.cells[y][x] != ' ' || a->underline;
            cr_assert_eq(told.cells[y][x], shorter.cells[y][x], "frame %d: U+%04x at %d,%d, not U+%04x",
                         number, shorter.cells[y][x], x, y, told.cells[y][x]);
            cr_assert(a->background == b->background && a->reverse == b->reverse &&
                          a->underline == b->underline,
                      "frame %d: behind %d,%d is %x%s, not %x%s", number, x, y, (unsigned)b->background,
                      b->reverse ? " reversed" : "", (unsigned)a->background, a->reverse ? " reversed" : "");
            cr_assert(!(front || a->reverse) || (a->foreground == b->foreground && a->bold == b->bold),
                      "frame %d: in front at %d,%d is %x, not %x", number, x, y, (unsigned)b->foreground,
                      (unsigned)a->foreground);
        }
    }
    cr_assert(told.x == shorter.x && told.y == shorter.y);
}

static void check_frames(bool repeats)
{
    struct shortener shortener = {.able = true, .repeats = repeats, .wanted = {.front = "39", .back = "49"}};
    size_t before = 0, after = 0;
    random_state = repeats ? 7 : 11;
    vt_init(&told, WIDTH, HEIGHT);
    vt_init(&shorter, WIDTH, HEIGHT);
    for (int number = 0; number < FRAMES; number++) {
        used = 0;
        for (int i = 0; i < ITEMS; i++)
            say_item();
        vt_feed(&told, frame, used);
        cr_assert(shorten(&shortener, frame, used));
        vt_feed(&shorter, shortener.text, shortener.used);
        before += used;
        after += shortener.used;
        expect_same_screen(number);
    }
    cr_assert(shortener.able);
    cr_assert_eq(shorter.unknown, 0);
    cr_assert_lt(after, repeats ? before * 9 / 10 : before, "%zu bytes in place of %zu", after, before);
    free(shortener.text);
}

Test(shorten, leaves_the_same_screen)
{
    check_frames(false);
}

Test(shorten, leaves_the_same_screen_with_repeated_letters)
{
    check_frames(true);
}

static void expect_bytes(struct shortener *shortener, const char *bytes, const char *wanted)
{
    cr_assert(shorten(shortener, bytes, strlen(bytes)));
    cr_assert(shortener->used == strlen(wanted) && memcmp(shortener->text, wanted, shortener->used) == 0,
              "%.*s", (int)shortener->used, shortener->text);
}

Test(shorten, sends_what_differs)
{
    struct shortener shortener = {.able = true, .repeats = true, .wanted = {.front = "39", .back = "49"}};
    expect_bytes(&shortener, "\x1b[38;5;20m\x1b[48;5;30ma", "\x1b[0;38;5;20;48;5;30ma");
    expect_bytes(&shortener, "\x1b[38;5;20m\x1b[48;5;30mb\x1b(B\x1b[mc", "b\x1b(B\x1b[39;49mc");
    expect_bytes(&shortener, "\x1b(B\x1b[38;5;20m\x1b[48;5;30m\x1b[38;5;21m \x1b[1;38;5;21md",
                 "\x1b[48;5;30m \x1b[1;38;5;21md");
    expect_bytes(&shortener, "\x1b[m\x1b[1m\x1b[38;5;30m\x1b[48;5;21me", "\x1b[7me");
    expect_bytes(&shortener, "\u2588\u2588\u2588\u2588\u2588\u2588", "\u2588\x1b[5b");
    free(shortener.text);
}

/* Nothing is known of italics, so nothing is shortened from there on. */
Test(shorten, passes_what_it_does_not_know)
{
    struct shortener shortener = {.able = true, .wanted = {.front = "39", .back = "49"}};
    expect_bytes(&shortener, "a\x1b[3mb\x1b[31m\x1b[31mc", "\x1b[0ma\x1b[3mb\x1b[31m\x1b[31mc");
    cr_assert_not(shortener.able);
    free(shortener.text);
}
