/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs of bundled workloads while they are under way, in a pseudo-terminal on the device model: every half
 * second the screen is of the run that runs, with its progress and its events.
 */
#include "driven_lanescope.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_MS 500
/* The model runs all ten cases in less with two cores to itself; if it takes longer, launches take more than
 * a second, and their share is shown. A busy machine gets more time for the least number of runs. */
#define FRAMES 40
#define FRAMES_MAX 240
#define RUNS_SEEN 3
#define TORN_MS 20 /* a frame was read in part: so long later, at most so many times */
#define TORN_MOST 4
#define STILL_MOST 2 /* equal frames in a row: the seconds are whole ones */

TestSuite(live, .init = driven_make_folder, .fini = driven_remove_folder, .timeout = 280);

static char screen_now[65536];

static void read_screen(void)
{
    char *text = vt_text(&terminal.vt);
    snprintf(screen_now, sizeof screen_now, "%s", text);
    free(text);
}

/* The word behind a text on the screen; "": the text is not there. */
static const char *word_after(const char *text, char word[80])
{
    const char *at = strstr(screen_now, text);
    word[0] = '\0';
    if (at != NULL)
        sscanf(at + strlen(text), "%79s", word);
    return word;
}

/* The number of the run in the status line; 0: nothing runs. */
static int run_number(void)
{
    char word[80];
    return atoi(word_after("LIVE  run ", word));
}

/* Is the timeline's title that of the run that the ribbon marks as running? Between two runs none runs. */
static bool is_of_the_run(void)
{
    char title[80], running[80];
    word_after("Timeline  ", title);
    word_after("\u25b8 ", running);
    const char *variant = strchr(title, ':');
    return running[0] == '\0' || strcmp(title, running) == 0 ||
           (variant != NULL && strcmp(variant + 1, running) == 0);
}

/* The rows of the table of runs, by its title; 0: it is not on the screen. */
static int table_rows(void)
{
    char word[80];
    read_screen();
    return atoi(word_after("Runs: their times, and what each was  ", word));
}

/* A table of what is under way is there while it runs, follows it, and gives a cell to the clipboard. How many rows
 * it begins with is a matter of the machine's speed. */
Test(live, a_table_follows_what_runs)
{
    START("--device", "simt", "--size", "default", "transpose", "n-way");
    cr_assert(terminal_shows(&terminal, " of 10, "));
    terminal_type(&terminal, ":table runs\r");
    cr_assert(terminal_shows(&terminal, "Runs: their times, and what each was  "));
    cr_assert(driven_shows("LIVE"), "it does not wait for the end of the runs");
    const int first = table_rows();
    int rows = first;
    for (int frames = 0; frames < FRAMES_MAX && rows == first; frames++) {
        terminal_pass(&terminal, FRAME_MS);
        rows = table_rows();
    }
    cr_assert(first > 0 && rows > first, "%d rows, and later %d:\n%s", first, rows, screen_now);
    terminal_type(&terminal, "y");
    cr_assert(terminal_shows(&terminal, "Copied, if the terminal allows it: "));
    cr_assert_eq(strncmp(terminal.vt.string, "52;c;", 5), 0, "'%s'", terminal.vt.string);
    driven_leave();
}

Test(live, shows_the_run_under_way_every_half_second)
{
    int seen = 0, frames = 0, with_share = 0, with_events = 0, still = 0;
    char before[sizeof screen_now] = "";
    START("--device", "simt", "--size", "default", "transpose", "n-way");
    cr_assert(terminal_shows(&terminal, "run 1 of 10, "));
    for (int run = 1; frames < (seen < RUNS_SEEN ? FRAMES_MAX : FRAMES); frames++) {
        terminal_pass(&terminal, FRAME_MS);
        read_screen();
        run = run_number();
        if (run == 0)
            break;
        seen = run > seen ? run : seen;
        cr_assert(strstr(screen_now, " of 10, ") != NULL, "no progress of the runs:\n%s", screen_now);
        for (int again = 0; again < TORN_MOST && !is_of_the_run(); again++) {
            terminal_pass(&terminal, TORN_MS);
            read_screen();
        }
        cr_assert(is_of_the_run(), "the timeline is not of the run under way:\n%s", screen_now);
        with_share += strstr(screen_now, " %, ") != NULL;
        with_events += strstr(screen_now, "default ") != NULL || strstr(screen_now, "stream ") != NULL;
        still = strcmp(before, screen_now) == 0 ? still + 1 : 0;
        cr_assert_leq(still, STILL_MOST, "nothing moves:\n%s", screen_now);
        snprintf(before, sizeof before, "%s", screen_now);
    }
    cr_assert_geq(seen, RUNS_SEEN, "%d runs were seen in %d frames", seen, frames);
    cr_assert(with_share > 0 || frames < FRAMES, "no share of a launch in %d frames", frames);
    cr_assert_gt(with_events, 0, "no events in %d frames", frames);
    driven_leave();
}
