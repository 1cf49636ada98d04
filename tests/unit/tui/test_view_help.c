/*
 * The help and what is too long for its line: nothing of the help is cut at any width, and what is cut
 * elsewhere says so.
 */
#include "tests/shared/fixture/driven_screen.h"
#include "tui/widgets/action.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each word of the help in its order, looked for from where the one before was found. */
static void expect_words(const char *all, const char *help)
{
    char words[300], *rest = words, *word;
    snprintf(words, sizeof words, "%s", help);
    const char *first = strtok_r(words, " ", &rest), *at = all;
    for (;; at++) {
        const char *from = at = strstr(at, first);
        cr_assert_not_null(at, "'%s' is not in the help", help);
        char again[300], *more = again;
        snprintf(again, sizeof again, "%s", help);
        bool whole = true;
        while (whole && (word = strsep(&more, " ")) != NULL) {
            size_t gap = strspn(from, " ");
            from += gap;
            whole = strncmp(from, word, strlen(word)) == 0;
            from += strlen(word);
        }
        if (whole)
            return;
    }
}

/* All lines of the help, on a screen that has room for them; words parted by blanks. */
static char *whole_help(int width)
{
    char *all = calloc(1, 1 << 16), *end = all;
    start(FIXTURE_EMPTY, width, 250);
    press("?");
    screen_draw(&screen, &canvas);
    const struct list *help = screen.view_state[VIEW_HELP];
    cr_assert_leq(help->count, help->height);
    for (int y = 0; y < canvas.height; y++) {
        for (int x = 1; x < canvas.width - 1; x++) {
            uint32_t codepoint = canvas_cell(&canvas, x, y)->codepoint;
            *end++ = codepoint > 0 && codepoint < 128 ? (char)codepoint : ' ';
        }
        *end++ = ' ';
    }
    stop();
    return all;
}

Test(view_help, nothing_is_cut_at_any_width)
{
    static const int widths[] = {40, 60, 80, 120};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        char *all = whole_help(widths[i]);
        for (enum action action = ACTION_NONE + 1; action < ACTION_COUNT; action++)
            expect_words(all, action_info(action)->help);
        free(all);
    }
}

Test(view_help, says_where_it_is)
{
    start(FIXTURE_EMPTY, 80, 24);
    press("?");
    cr_assert(shows("Help  1 to 19 of ") && shows("j and k scroll"));
    press("j j");
    cr_assert(shows("Help  3 to 21 of "));
    stop();
}

Test(view_help, what_is_cut_says_so)
{
    start(FIXTURE_WORKLOADS, 80, 24);
    cr_assert(shows("transpose a tile.."), "what the panel advises");
    press("o");
    cr_assert(shows("range: "), "below the list stands the selected row, whole");
    stop();
}

/* The keys named are those that do something on the page. */
Test(view_help, keys_are_of_the_page)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    cr_assert(shows("+ zoom") && shows("sort") && shows("W keep") && shows("q quit  ? help"));
    press("ENTER");
    cr_assert(!shows("+ zoom") && !shows("sort") && !shows("ENTER"));
    cr_assert(shows("q back  ? help"));
    stop();
}
