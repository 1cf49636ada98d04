/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nothing is said by colour alone. Whatever colours tell apart, glyphs, words or attributes of a terminal
 * without colours tell apart too.
 */
#include "tests/shared/fixture/driven_screen.h"

#include "tui/terminal/text.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* ---- whatever a key changes ---- */

struct frame {
    int width, height;
    struct cell *cells;
};

static void take(struct frame *color, struct frame *plain)
{
    size_t count = (size_t)(canvas.width * canvas.height);
    screen_draw(&screen, &canvas);
    for (int f = 0; f < 2; f++) {
        struct frame *frame = f == 0 ? color : plain;
        *frame = (struct frame){canvas.width, canvas.height, calloc(count, sizeof(struct cell))};
        cr_assert_not_null(frame->cells);
        for (size_t i = 0; i < count; i++) {
            const struct cell *cell = &canvas.cells[i];
            frame->cells[i].codepoint = cell->codepoint;
            frame->cells[i].style = f == 0 ? cell->style : style_without_color(cell->style);
        }
    }
}

static bool same(const struct frame *a, const struct frame *b)
{
    for (int i = 0; i < a->width * a->height; i++)
        if (a->cells[i].codepoint != b->cells[i].codepoint ||
            memcmp(&a->cells[i].style, &b->cells[i].style, sizeof a->cells[i].style) != 0)
            return false;
    return true;
}

/* Two frames that colours tell apart are told apart without. */
Test(mono, every_change_is_seen_without_colors)
{
    static const char *const keys[] = {"j",     "k", "h", "l", "+", "-", "n", "N", "TAB", "S-TAB", "ENTER",
                                       "q",     "P", "z", "i", "I", "J", "K", "c", "[",   "]",     "M",
                                       "*",     "%", "o", "T", "a", "r", "m", "?", "O",   "s",     "S",
                                       "SPACE", "f", "x", "u", "0", "w", "e", "p", "y",   "v",     "C",
                                       "A",     "d", "g", "G", ">", "<", "L", "H"};
    int changed = 0;
    for (int content = FIXTURE_EMPTY; content <= FIXTURE_MODEL_LIST; content++) {
        uint32_t random = 7 + (uint32_t)content;
        start((enum fixture_content)content, 120, 40);
        struct frame color, plain, color_now, plain_now;
        take(&color, &plain);
        for (int i = 0; i < 150; i++) {
            random = random * 1664525u + 1013904223u;
            const char *key = keys[(random >> 10) % (sizeof keys / sizeof keys[0])];
            screen.quit = false;
            press(key);
            take(&color_now, &plain_now);
            bool differs = !same(&color, &color_now);
            cr_assert(!differs || !same(&plain, &plain_now),
                      "what %s changes is seen by its colour alone, key %d of %d", key, i, content);
            changed += differs;
            free(color.cells);
            free(plain.cells);
            color = color_now;
            plain = plain_now;
        }
        free(color.cells);
        free(plain.cells);
        stop();
    }
    cr_assert_gt(changed, 500);
}

/* ---- verdicts ---- */

#define WORDS_MAX 4096
static struct word {
    char text[160];
    unsigned colors; /* bits: GOOD, WARN, BAD */
} words[WORDS_MAX];
static size_t word_count;

static unsigned verdict_of(uint8_t color)
{
    return color == COLOR_GOOD ? 1u : color == COLOR_WARN ? 2u : color == COLOR_BAD ? 4u : 0u;
}

static void take_word(const char *text, unsigned color, const char *keys)
{
    size_t i = 0;
    while (i < word_count && strcmp(words[i].text, text) != 0)
        i++;
    cr_assert_lt(i, WORDS_MAX);
    if (i == word_count)
        snprintf(words[word_count++].text, sizeof words[0].text, "%s", text);
    unsigned before = words[i].colors;
    words[i].colors |= color;
    cr_expect(before == 0 || words[i].colors == before, "'%s' is said in two colours, after %s", text, keys);
}

/* The words that stand in one of the three colours, as a person reads them: with the mark beside them. */
static void take_words(const char *keys)
{
    screen_draw(&screen, &canvas);
    for (int y = 0; y < canvas.height; y++) {
        for (int x = 0; x < canvas.width;) {
            const struct cell *cell = canvas_cell(&canvas, x, y);
            unsigned color = verdict_of(cell->style.foreground);
            char text[160] = "";
            size_t length = 0;
            int from = x;
            for (; x < canvas.width && canvas_cell(&canvas, x, y)->style.foreground == cell->style.foreground;
                 x++) {
                uint32_t codepoint = canvas_cell(&canvas, x, y)->codepoint;
                if (codepoint != 0 && length < sizeof text - 8)
                    length += text_encode(codepoint, text + length);
            }
            while (length > 0 && text[length - 1] == ' ')
                length--;
            text[length] = '\0';
            if (color != 0 && length > 0 && x > from)
                take_word(text + strspn(text, " "), color, keys);
        }
    }
}

Test(mono, a_verdict_has_its_word_or_mark)
{
    static const char *const views[] = {"",  "r", "m",         "j X",     "r g j x j x X", "w",
                                        "o", "d", "TAB ENTER", "G ENTER", "w j e",         "v"};
    for (int content = FIXTURE_EMPTY; content <= FIXTURE_MODEL_LIST; content++) {
        for (size_t v = 0; v < sizeof views / sizeof views[0]; v++) {
            start((enum fixture_content)content, 140, 50);
            press(views[v]);
            take_words(views[v]);
            stop();
        }
    }
    cr_assert_gt(word_count, 8);
}

/* ---- the timeline's items ---- */

/* Items of a stream that have two colours have two marks; those of the CPU have one colour. */
Test(mono, marks_tell_items_apart)
{
    struct look {
        uint8_t color;
        char mark;
    } looks[64];
    size_t count = 0;
    start(FIXTURE_TIMELINE, 140, 40);
    for (int kind = ITEM_LAUNCH; kind <= ITEM_OVERHEAD; kind++) {
        for (uint32_t which = 0; which < 8; which++) {
            struct item item = {.kind = (uint8_t)kind, .a = (uint8_t)which, .b = (uint8_t)which};
            if (kind == ITEM_LAUNCH)
                item.launch.kernel = which % session_kernel_count(fixture.session);
            struct timeline_cell cell = {0};
            timeline_item_look(&screen, &item, &cell);
            if (kind == ITEM_LAUNCH || kind == ITEM_COPY || kind == ITEM_SET)
                looks[count++] = (struct look){cell.color, cell.mark};
            else
                cr_assert_eq(cell.color, COLOR_CPU);
        }
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            cr_assert(looks[i].color == looks[j].color || looks[i].mark != looks[j].mark,
                      "'%c' has two colours", looks[i].mark);
    /* Eight colours go round, fifty-two letters later than they. */
    for (uint16_t i = 0; i < 52; i++)
        for (uint16_t j = 0; j < i; j++)
            cr_assert_neq(naming_letter(i), naming_letter(j));
    stop();
}
