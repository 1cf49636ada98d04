/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The help and what is too long for its line: nothing of the help is cut at any width, and what is cut
 * elsewhere says so.
 */
#include "core/analysis/partition.h"
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
    start(FIXTURE_EMPTY, width, 360);
    press("?");
    screen_draw(&screen, &canvas);
    const struct list *help = screen.view_state[VIEW_HELP]; /* which begins with it */
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
    cr_assert(shows("registers\xe2\x80\xa6"), "the shape of the launch");
    stop();
}

/* The keys named are those that do something on the page. */
Test(view_help, keys_are_of_the_page)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    cr_assert(shows("sort") && shows("W save") && shows("q quit  : all  ? help"));
    press("ENTER");
    cr_assert(!shows("+ zoom") && !shows("sort") && !shows("ENTER"));
    cr_assert(shows("q back  : all  ? help"));
    stop();
}

/* The keys of the view that it is opened over come first, as that view uses them. */
Test(view_help, begins_with_the_view_that_one_comes_from)
{
    static const struct {
        const char *keys, *heading, *line;
    } cases[] = {
        {"e ?", "Lab: its own keys", "0-9          a number, or a sweep: 1..32, or 1,2,4"},
        {"e A ?", "Lane map: its own keys", "n N          to the next memory instruction"},
        {"e p ?", "Chart: its own keys", "j            the next metric"},
        {"C ?", "Occupancy: its own keys", "u            the kernel's values"},
        {"?", "Workloads: its own keys", "ENTER        run all of its variants"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        start(FIXTURE_EMPTY, 100, 30);
        press(cases[i].keys);
        cr_assert(shows(cases[i].heading) && shows(cases[i].line));
        char *text = screen_text();
        cr_assert_lt(strstr(text, "its own keys"), strstr(text, "Moving and choosing"));
        free(text);
        press("G q ?");
        cr_assert(shows(cases[i].heading), "opened again it begins at its top");
        stop();
    }
}

/* The line on which the search's mark stands; the caller frees it. */
static char *found_line(void)
{
    char *text = screen_text(), *at = strstr(text, "\u25b8 ");
    at = at != NULL && strncmp(at, "\u25b8Help", 7) == 0 ? strstr(at + 1, "\u25b8 ") : at;
    char *line = at != NULL ? strndup(at + 3, strcspn(at, "\n")) : strdup("");
    free(text);
    return line;
}

static void expect_found(const char *keys, const char *wanted)
{
    press(keys);
    char *line = found_line();
    cr_assert_not_null(strstr(line, wanted), "after %s: '%s' is not in '%s'", keys, wanted, line);
    free(line);
}

Test(view_help, is_searched)
{
    start(FIXTURE_EMPTY, 80, 24);
    press("? /");
    type("bookmark");
    expect_found("ENTER", "store the time of the cursor");
    expect_found("n", "to the next bookmark");
    expect_found("n", "to the previous bookmark");
    expect_found("n", "store the time of the cursor");
    expect_found("N", "to the previous bookmark");
    expect_found("/ R E C O R D ENTER n", "save the recording");
    press("/");
    type("gpuu");
    press("ENTER");
    cr_assert(shows("'gpuu' is not in the help"));
    press("/ ENTER n");
    cr_assert(shows("There is no search yet"));
    stop();
}

/* Each mark that a row of a list or a value can have is explained. */
Test(view_help, marks_are_explained)
{
    char *all = whole_help(120);
    static const char *const words[] = {"the result was verified",
                                        "the result is wrong",
                                        "was not checked",
                                        "the rules of advice find a possible gain",
                                        "~            a time of the device model",
                                        "*            derived",
                                        "=            an exact count",
                                        ">=, <=",
                                        "the number of its streams busy at once"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        expect_words(all, words[i]);
    for (enum partition_class part = 0; part < PARTITION_COUNT; part++) { /* letters of a run's bar */
        const char *brief = partition_class_brief(part), *colon = strstr(brief, ": ");
        expect_words(all, colon != NULL ? colon + 2 : brief);
    }
    free(all);
    start(FIXTURE_EMPTY, 80, 24);
    press("? G PGUP k k k k");
    cr_assert(shows("\u2713 ") && shows("\u2717 ") && shows("\u25b2 ") && shows("\u2260 "));
    stop();
}
