/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The five syllabi from the first step to the last, each step waited for to its end: its runs have ended, the
 * class's guess is answered, and its screen stays as it is. Prints a row of docs/results/documents.md for each;
 * with SYLLABUS_SCREENS=FOLDER the last screen of each step is left there.
 */
#include "driven_lanescope.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

TestSuite(syllabi, .init = driven_make_folder, .fini = driven_remove_folder, .timeout = 1200);

#define PAGE_DOWN "\x1b[6~"
#define ANSWER "SPACE the answer"
#define PATIENCE_S 300 /* of a step */
#define STEPS_MAX 64

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* What tells of a step that was not what its author meant. */
static const char *const troubles[] = {"There is no", "could not", "cannot",   "refused",
                                       "failed",      "not found", "no run of"};

static void keep_screen(const char *name, int step, int width, const char *screen)
{
    const char *folder = getenv("SYLLABUS_SCREENS");
    char path[400];
    if (!folder)
        return;
    snprintf(path, sizeof path, "%s/%s-%d-%02d.txt", folder, name, width, step);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(screen, file);
    cr_assert_eq(fclose(file), 0);
}

/* The first words of the last text of a step, as docs/syllabi has it, which must not be cut off; "": a page of text, which
 * is in letters of blocks. */
static void last_text(const char *name, int step, char words[16])
{
    char path[400], line[600];
    int at = 0;
    bool runs = false;
    snprintf(path, sizeof path, TEST_SOURCE_DIR "/docs/syllabi/%s.lesson", name);
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file);
    words[0] = '\0';
    while (fgets(line, sizeof line, file)) {
        at += strncmp(line, "step ", 5) == 0;
        runs |= at == step && strncmp(line, "run ", 4) == 0;
        if (at == step && strncmp(line, "text ", 5) == 0)
            snprintf(words, 16, "%.*s", (int)strcspn(line + 5, "\n") < 12 ? (int)strcspn(line + 5, "\n") : 12,
                     line + 5);
    }
    fclose(file);
    if (!runs)
        words[0] = '\0';
}

/* The screen without its clock. */
static char *still_screen(void)
{
    char *screen = vt_text(&terminal.vt);
    for (char *at = screen; (at = strstr(at, " of ")); at++)
        if (at - screen >= 5 && at[-3] == ':')
            memset(at - 5, ' ', 5);
    return screen;
}

/* Waits until the step's number is there and the program has nothing left to do for it; a page of text and a
 * prediction run nothing. */
static bool step_is_done(const char *number, bool *asks)
{
    char *before = NULL;
    int still = 0;
    for (double until = now_s() + PATIENCE_S; now_s() < until && still < 3;) {
        terminal_pass(&terminal, 100);
        char *screen = still_screen();
        const bool there = strstr(screen, number) != NULL;
        *asks = there && strstr(screen, ANSWER);
        const bool runs = strstr(screen, "\n LIVE ") != NULL;
        still = there && !runs && !strstr(screen, "counting") && before && strcmp(screen, before) == 0 &&
                        terminal_is_quiet(&terminal)
                    ? still + 1
                    : 0;
        free(before);
        before = screen;
    }
    free(before);
    return still == 3;
}

static void drive(const char *name, int steps, int width, int height)
{
    char number[32], row[STEPS_MAX * 8] = "";
    double all_s = now_s(), most_s = 0;
    int most = 0, used = 0;

    driven_start_at(width, height, (const char *const[]){"present", name, "--device", "simt", NULL});
    for (int step = 1; step <= steps; step++) {
        bool asks;
        const double begun_s = now_s();
        snprintf(number, sizeof number, "%d/%d", step, steps);
        cr_assert(step_is_done(number, &asks), "%s: step %s has no end", name, number);
        if (asks) {
            terminal_type(&terminal, "kk ");
            cr_assert(terminal_hides(&terminal, ANSWER), "%s: step %s", name, number);
            cr_assert(step_is_done(number, &asks) && !asks, "%s: step %s has no answer", name, number);
            cr_assert(driven_shows("the run") && driven_shows(", run "), "%s: step %s has no points", name,
                      number);
        }
        const double took_s = now_s() - begun_s;
        char *screen = vt_text(&terminal.vt);
        keep_screen(name, step, width, screen);
        char words[16];
        last_text(name, step, words);
        cr_expect_not_null(strstr(screen, words), "%s: step %s does not show '%s'", name, number, words);
        for (size_t i = 0; i < sizeof troubles / sizeof troubles[0]; i++)
            cr_expect_null(strstr(screen, troubles[i]), "%s: step %s says '%s':\n%s", name, number,
                           troubles[i], screen);
        free(screen);
        used += snprintf(row + used, sizeof row - (size_t)used, " %.1f", took_s);
        if (took_s > most_s) {
            most_s = took_s;
            most = step;
        }
        if (step < steps)
            terminal_type(&terminal, PAGE_DOWN);
    }
    all_s = now_s() - all_s;
    driven_leave();
    fprintf(stderr, "| %s | %dx%d | %d | %.0f | %.1f (%d) |%s |\n", name, width, height, steps, all_s, most_s,
            most, row);
}

#define SYLLABUS(name, steps)         \
    Test(syllabi, name##_at_80x24)    \
    {                                 \
        drive(#name, steps, 80, 24);  \
    }                                 \
    Test(syllabi, name##_at_120x40)   \
    {                                 \
        drive(#name, steps, 120, 40); \
    }
SYLLABUS(guide, 21)
SYLLABUS(fermi, 14)
SYLLABUS(course, 34)
SYLLABUS(slides, 17)
SYLLABUS(article, 13)
