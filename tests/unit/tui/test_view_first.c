/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first minute of someone who has never seen it: before anything has run each view says what to press, a
 * small screen still lists workloads, and what runs too long can be ended.
 */
#include "tests/shared/fixture/driven_screen.h"
#include "tests/shared/fixture/fixture_accesses.h"
#include "tests/shared/fixture/fixture_workloads.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define WAY_ON "Nothing has run yet: w lists the workloads, ENTER there runs one."

/* The line of the screen on which the text is; -1. */
static int line_of(const char *wanted)
{
    char *text = screen_text();
    const char *found = strstr(text, wanted);
    int line = found != NULL ? 0 : -1;
    for (const char *at = text; found != NULL && at < found; at++)
        line += *at == '\n';
    free(text);
    return line;
}

Test(first, every_empty_view_says_what_to_press)
{
    static const char *const keys[] = {"r", "a", "R", "T", "o", "v", "x", "X"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        for (int over_list = 0; over_list < 2; over_list++) {
            start(FIXTURE_EMPTY, 80, 24);
            if (!over_list)
                screen_show_panes(&screen); /* as when a run was asked for that has not begun */
            press(keys[i]);
            cr_assert(shows(WAY_ON), "after %s", keys[i]);
            stop();
        }
    }
}

/* The main screen says it once, whichever pane has the keys, and has no empty timeline beside it. */
Test(first, the_panes_say_it_once)
{
    static const char *const keys[] = {"ESC", "TAB", "TAB", "S-TAB"};
    start(FIXTURE_EMPTY, 80, 24);
    screen_show_panes(&screen);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        press(keys[i]);
        char *text = screen_text();
        const char *said = strstr(text, WAY_ON);
        cr_assert(said != NULL && strstr(said + 1, "Nothing has run yet") == NULL, "%s", text);
        free(text);
    }
    fixture.state.live = true; /* something runs: all panes are there again */
    press("ESC");
    cr_assert(line_of("Timeline") >= 0 && line_of("Kernels") > 0 && line_of("Panel") > 0);
    cr_assert(shows("Nothing has run on the device yet."));
    stop();
}

/* A recording has nothing to begin. */
Test(first, a_recording_does_not_say_it)
{
    start(FIXTURE_EMPTY, 120, 40);
    fixture.host.run = NULL;
    screen_show_panes(&screen);
    press("ESC");
    char *text = screen_text();
    cr_assert_null(strstr(text, "ENTER there runs one"), "%s", text);
    free(text);
    stop();
}

Test(first, a_small_screen_lists_workloads)
{
    start(FIXTURE_MODEL_LIST, 40, 12);
    cr_assert(shows("copy-offset") && shows("copy-stride") && shows("bank-stride"));
    stop();
}

/* ---- chapters ---- */

static const char *selected_name(void)
{
    const struct workload_list *workloads = workloads_state(&screen);
    return fixture_workloads[workloads->shown[workloads->list.selected].workload].name;
}

Test(first, chapters_have_names)
{
    start(FIXTURE_EMPTY, 80, 24);
    cr_assert(line_of("A  Global memory") < line_of("copy-offset"));
    cr_assert_eq(line_of("B  Shared memory"), line_of("copy-stride  ") + 1);
    cr_assert_eq(line_of("B  Shared memory"), line_of("bank-stride  ") - 1);
    cr_assert(shows("C  Host and device"));
    press("TAB");
    cr_assert_str_eq(selected_name(), "bank-stride");
    press("j S-TAB");
    cr_assert_str_eq(selected_name(), "bank-stride"); /* the chapter's own beginning comes first */
    press("S-TAB S-TAB");
    cr_assert_str_eq(selected_name(), "n-way");
    press("TAB");
    cr_assert_str_eq(selected_name(), "copy-offset");
    stop();
}

/* However the list is scrolled: the selected row is shown, and the name of its chapter above the first. */
Test(first, a_list_scrolls_with_its_chapters)
{
    static const char *const names[] = {"copy-offset", "copy-stride", "bank-stride", "transpose", "n-way"};
    for (int height = 5; height <= 24; height++) {
        start(FIXTURE_EMPTY, 60, height);
        for (int i = 0; i < 10; i++, press(i <= 5 ? "j" : "k")) {
            const char *name = names[i < 5 ? i : 9 - i];
            cr_assert_str_eq(selected_name(), name);
            cr_assert_geq(line_of(name), 0, "%s at %d", name, height);
            if (workloads_state(&screen)->headings && strcmp(name, "bank-stride") == 0)
                cr_assert_eq(line_of("B  Shared"), line_of("bank-stride  ") - 1, "at %d", height);
        }
        stop();
    }
}

Test(first, a_click_takes_the_row_that_it_is_on)
{
    start(FIXTURE_EMPTY, 80, 24);
    struct mouse click = {.kind = MOUSE_DOWN, .x = 10, .y = line_of("transpose  ")};
    screen_mouse(&screen, &click);
    cr_assert_str_eq(selected_name(), "transpose");
    click.y = line_of("B  Shared");
    screen_mouse(&screen, &click);
    cr_assert_str_eq(selected_name(), "transpose", "a chapter's name is no workload");
    click.y = line_of("copy-offset  ");
    screen_mouse(&screen, &click);
    cr_assert_str_eq(selected_name(), "copy-offset");
    cr_assert_str_eq(fixture.ran, "");
    click.again = true;
    screen_mouse(&screen, &click);
    cr_assert_str_eq(fixture.ran, "copy-offset", "a double click runs it");
    stop();
    start(FIXTURE_EMPTY, 120, 40);
    click = (struct mouse){.kind = MOUSE_DOWN, .x = 90, .y = line_of("transpose  ")};
    screen_mouse(&screen, &click);
    cr_assert_str_eq(selected_name(), "copy-offset", "beside the list");
    stop();
}

/* ---- the search ---- */

Test(first, a_search_finds_the_best_first)
{
    start(FIXTURE_EMPTY, 80, 24);
    press("/");
    type("stride");
    cr_assert_str_eq(selected_name(), "copy-stride"); /* the name, before a title and the lesson */
    cr_assert_eq(workloads_state(&screen)->list.count, 2);
    press("C-u");
    type("trans");
    cr_assert_str_eq(selected_name(), "transpose");
    press("ENTER");
    cr_assert(line_of("Global memory") < 0, "what was found has no chapters");
    press("ESC");
    cr_assert_eq(workloads_state(&screen)->list.count, FIXTURE_WORKLOAD_COUNT);
    cr_assert_str_eq(selected_name(), "transpose", "and stays selected among all");
    stop();
}

Test(first, a_search_says_what_it_found)
{
    start(FIXTURE_EMPTY, 80, 24);
    press("/");
    type("GATHER");
    cr_assert(shows("Copy with a stride  gather"));
    press("C-u");
    type("tak");
    cr_assert(shows("lesson: Lane i of a warp takes word i x stride"));
    cr_assert(shows("lesson: \xe2\x80\xa6that want one bank take turns."), "what it teaches, too");
    press("C-u");
    type("excess lane");
    cr_assert_eq(workloads_state(&screen)->list.count, 0, "all of the words");
    press("C-u");
    type("sectors of");
    cr_assert(shows("lesson: ") && shows("sectors of 8 words"));
    cr_assert_str_eq(selected_name(), "copy-stride");
    stop();
}

/* A search shows no headings: the row itself says that it is an exercise. */
Test(first, a_search_names_an_exercise_as_one)
{
    static const struct tui_exercise exercise = {.name = "transpose", .spec = "transpose"};
    struct tui_workload rows[FIXTURE_WORKLOAD_COUNT];
    start(FIXTURE_EMPTY, 80, 24);
    memcpy(rows, fixture.host.workloads, sizeof rows);
    for (int i = 0; i < FIXTURE_WORKLOAD_COUNT; i++)
        if (strcmp(rows[i].name, "transpose") == 0)
            rows[i].exercise = &exercise;
    fixture.host.workloads = rows;
    press("/");
    type("trans");
    cr_assert(shows("exercise: "));
    press("ESC");
    char *text = screen_text();
    cr_assert_null(strstr(text, "exercise: "), "there its heading does");
    free(text);
    stop();
}

Test(first, a_search_in_vain_has_a_way_on)
{
    start(FIXTURE_EMPTY, 80, 24);
    press("/");
    type("coalecsing");
    cr_assert(shows("No workload has 'coalecsing' in its name, title, other names"));
    cr_assert(shows("Did you mean 'coalescing' (copy-offset)? ESC shows all workloads"));
    press("C-u");
    type("xyzzyx");
    cr_assert(shows("ESC shows all workloads, / searches again.") && line_of("Did you mean") < 0);
    press("ENTER j ENTER e ESC");
    cr_assert_eq(workloads_state(&screen)->list.count, FIXTURE_WORKLOAD_COUNT);
    stop();
}

/* ---- the preview ---- */

Test(first, the_chosen_workload_is_previewed)
{
    static const int sizes[][2] = {{80, 24}, {100, 24}, {120, 40}, {200, 60}, {300, 80}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        start(FIXTURE_EMPTY, sizes[i][0], sizes[i][1]);
        press("j");
        cr_assert(shows("The wider the stride") && shows("strided"));
        cr_assert(shows("parameters") && shows("stride="));
        cr_assert(shows("effective bandwidth over"), "from the lesson");
        bool begun = line_of("Lane i of a warp") >= 0;
        cr_assert(begun || sizes[i][1] == 24, "the lesson, where there is room");
        press("j");
        cr_assert(shows("32-bit") && line_of("effective bandwidth over") < 0, "of another one");
        stop();
    }
}

static int asked;
static bool only_stated = true;
static enum status count_asked(void *context, const struct tui_access_query *query,
                               struct tui_accesses *accesses, struct error *error)
{
    asked++;
    only_stated = only_stated && query->stated;
    return fixture_accesses(context, query, accesses, error);
}

/* Its lane map, from what is stated without a run, and made once; where there is no room for it, not at all.
 */
Test(first, the_chosen_workload_has_a_picture)
{
    start(FIXTURE_EMPTY, 120, 40);
    fixture.host.accesses = count_asked;
    press("j");
    cr_assert(shows("strided: tile[i] = in[i * stride + offset]"));
    cr_assert(shows("8 sectors of 32 bytes, ideal 4") && shows(".0.1.2.3") && shows("lane 0-9 a-v"));
    int before = asked;
    cr_assert(asked >= 3 && only_stated, "%d: of its variant, and at least of the two of the next", asked);
    press("ESC"); /* another frame */
    cr_assert_eq(asked, before);
    press("k"); /* others */
    cr_assert_gt(asked, before);
    before = asked;
    stop();
    start(FIXTURE_EMPTY, 80, 24);
    fixture.host.accesses = count_asked;
    press("j k");
    cr_assert_eq(asked, before);
    stop();
}

/* Where there is room those of the next rows stand beside it, also of what was found. */
Test(first, a_wide_screen_previews_the_next_too)
{
    start(FIXTURE_EMPTY, 300, 80);
    cr_assert(shows("next: copy-stride") && shows("next: bank-stride"));
    cr_assert(shows("published: median time, an old GPU") && shows("offset=3            282 us"));
    press("G");
    cr_assert(line_of("next: ") < 0 && shows("What overlaps"), "nothing is after the last");
    press("/");
    type("stride");
    cr_assert(line_of("next: ") >= 0 && shows("next: bank-stride"));
    stop();
    start(FIXTURE_EMPTY, 200, 24);
    cr_assert(shows("next: copy-stride") && line_of("next: bank-stride") < 0, "below the short list");
    stop();
    start(FIXTURE_EMPTY, 120, 20);
    cr_assert(line_of("next: ") < 0);
    stop();
}

/* What a lesson lacks is said, to the line. */
Test(first, a_lesson_that_does_not_fit_says_how_much_is_missing)
{
    int before = 0;
    for (int height = 46; height >= 20; height--) {
        start(FIXTURE_EMPTY, 100, height);
        press("j");
        char *text = screen_text();
        const char *more = strstr(text, " more lines: e opens");
        int hidden = 0;
        if (more != NULL) {
            while (more > text && more[-1] >= '0' && more[-1] <= '9')
                more--;
            hidden = atoi(more);
        }
        bool whole = strstr(text, "stays.") != NULL, begun = strstr(text, "lanescope copy-stride") != NULL;
        cr_assert(!begun || whole == (hidden == 0), "%s", text);
        cr_assert(!begun || before == 0 || hidden == before + 1, "%d after %d at %d", hidden, before, height);
        before = hidden;
        free(text);
        stop();
    }
}

/* ---- what runs can be ended ---- */

static int stops;
static bool stop_what_runs(void *context)
{
    (void)context;
    return ++stops == 1;
}

Test(first, what_runs_can_be_ended)
{
    start(FIXTURE_MODEL_LIST, 120, 40);
    press("j e");
    char *text = screen_text();
    cr_assert_null(strstr(text, "C-k stop"), "nothing runs:\n%s", text);
    free(text);
    press("C-k");
    cr_assert(shows("No run started here is in progress."));
    fixture.host.stop = stop_what_runs;
    screen.state.live = true;
    cr_assert(shows("C-k stop"));
    press("C-k");
    cr_assert(shows("Stopped. The events received so far are kept."));
    press("C-k");
    cr_assert(shows("No run started here is in progress.") && stops == 2);
    stop();
}

/* ---- what is pasted ---- */

/* A class pastes: no letter of it is a command, a line that is typed takes it as one line. */
Test(first, a_paste_is_no_command)
{
    start(FIXTURE_EMPTY, 120, 40);
    press("PASTE");
    type("lanescope copy-offset\rQ");
    cr_assert(!screen.quit && fixture.ran[0] == '\0' && screen.stack_count == 1);
    cr_assert(shows("Pasted text is taken only in an input line."));
    press("PASTED / PASTE");
    type("bank\r-str\x7f\xc3");
    cr_assert_str_eq(screen.prompt.text, "bank-st\xc3\x83"); /* a code point, as keys are */
    press("PASTED ENTER");
    cr_assert_eq(screen.prompt.purpose, PROMPT_NONE);
    press("PASTE ESC"); /* its end got lost */
    type("Q");
    cr_assert(screen.quit);
    stop();
}
