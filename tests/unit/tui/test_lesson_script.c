/* SPDX-License-Identifier: Apache-2.0 */
/* Files of steps, and what is wrong with them: each message has the number of the line. */
#include "tui/frame/lesson_script.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static enum status read_text(struct lesson_script *script, const char *text, struct error *error)
{
    return lesson_script_read(script, "a.lesson", text, strlen(text), error);
}

Test(lesson_script, has_steps_with_lines)
{
    struct lesson_script script;
    struct error error = {0};
    cr_assert_eq(read_text(&script,
                           "# remark\ntitle A title\nminutes 45\n\nstep One\ntext first\r\nrun copy-offset\n"
                           "open a b.lsr\nkeys A j  ENTER\npredict time_ns n 1=2\nstep Two\ntext last",
                           &error),
                 STATUS_OK, "%s", error.text);
    cr_assert_str_eq(script.title, "A title");
    cr_assert(script.minutes == 45 && script.step_count == 2 && script.line_count == 6);
    cr_assert_str_eq(script.steps[1].title, "Two");
    cr_assert(script.steps[1].first == 5 && script.steps[1].count == 1);
    cr_assert_str_eq(script.lines[0].text, "first");
    cr_assert(script.lines[1].kind == LESSON_RUN && script.lines[1].number == 7);
    cr_assert(script.lines[2].kind == LESSON_OPEN);
    cr_assert_str_eq(script.lines[2].text, "a b.lsr");
    cr_assert_str_eq(script.lines[3].text, "A j  ENTER");
    cr_assert(script.lines[4].kind == LESSON_PREDICT);
    lesson_script_free(&script);
}

Test(lesson_script, messages_name_the_line)
{
    static const struct {
        const char *text, *message;
    } cases[] = {{"", "a.lesson has no step"},
                 {"title x\ntext y\n", "a.lesson:2: text, run, open, predict and keys belong to a step"},
                 {"step a\nfrob b\n", "a.lesson:2: a line begins with title, minutes"},
                 {"step a\nkeys j frob\n", "a.lesson:2: 'frob' is not a key"},
                 {"step\n", "a.lesson:1: nothing follows the word"},
                 {"minutes 0\n", "a.lesson:1: minutes must be a number"},
                 {"minutes 4x\n", "a.lesson:1: minutes must be a number"},
                 {"step a\n\ntext \033[2J\n", "a.lesson:3: the line has a control character"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lesson_script script;
        struct error error = {0};
        cr_assert_eq(read_text(&script, cases[i].text, &error), STATUS_USAGE, "case %zu", i);
        cr_assert_eq(strncmp(error.text, cases[i].message, strlen(cases[i].message)), 0, "%s", error.text);
    }
}

Test(lesson_script, limits_are_kept)
{
    struct lesson_script script;
    struct error error = {0};
    char *text = calloc(1, LESSON_SCRIPT_BYTES_MAX + 2);
    for (int i = 0; i <= LESSON_STEPS_MAX; i++)
        strcat(text, "step a\n");
    cr_assert_eq(read_text(&script, text, &error), STATUS_USAGE);
    cr_assert(strstr(error.text, "a.lesson:201: a lesson has at most 200 steps"), "%s", error.text);
    strcpy(text, "step a\n");
    for (int i = 0; i <= LESSON_STEP_LINES_MAX; i++)
        strcat(text, "text b\n");
    cr_assert_eq(read_text(&script, text, &error), STATUS_USAGE);
    cr_assert(strstr(error.text, "a.lesson:62: a step has at most 60 lines"), "%s", error.text);
    memset(text, 'x', LESSON_SCRIPT_BYTES_MAX + 1);
    cr_assert_eq(read_text(&script, text, &error), STATUS_USAGE);
    cr_assert(strstr(error.text, "larger than 256 KiB"), "%s", error.text);
    text[LESSON_LINE_MAX + 1] = '\0';
    cr_assert_eq(read_text(&script, text, &error), STATUS_USAGE);
    cr_assert(strstr(error.text, "a.lesson:1: the line is longer than 500 bytes"), "%s", error.text);
    free(text);
}
