/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lesson that is presented in a pseudo-terminal, forward and back, with the sample of the documents; a
 * session that is written along and then presented; and `follow` with a stand-in for ssh, which runs the
 * command here.
 */
#include "driven_lanescope.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SAMPLE TEST_SOURCE_DIR "/docs/coalescing.lesson"

TestSuite(present, .init = driven_make_folder, .fini = driven_remove_folder, .timeout = 280);

#define PAGE_DOWN "\x1b[6~"
#define PAGE_UP "\x1b[5~"

static void go_through(int width, int height)
{
    driven_start_at(width, height, (const char *const[]){"present", SAMPLE, "--device", "simt", NULL});
    cr_assert(terminal_shows(&terminal, "1/5"));
    cr_assert(driven_shows("SPACE next step") && driven_shows("Q ends"));
    terminal_type(&terminal, " ");
    cr_assert(terminal_shows(&terminal, "4 sectors of 32 bytes, ideal 4"));
    cr_assert(driven_shows("2/5") && driven_shows("of 10:00") && driven_shows("The ideal: four sectors"));
    cr_assert(terminal_shows(&terminal, "SPACE sector 1 of 4"));
    cr_assert(driven_shows("Q ends"));
    terminal_type(&terminal, PAGE_DOWN);
    cr_assert(terminal_shows(&terminal, "5 sectors of 32 bytes, ideal 4"));
    terminal_type(&terminal, "\x7f"); /* back: the run is shown again, and its lane map is opened again */
    cr_assert(terminal_shows(&terminal, "4 sectors of 32 bytes, ideal 4"));
    terminal_type(&terminal, "r"); /* the user's own key: one run of each step, none twice */
    cr_assert(terminal_shows(&terminal, "offset=1"));
    terminal_type(&terminal, PAGE_DOWN PAGE_DOWN);
    cr_assert(terminal_shows(&terminal, "32 sectors of 32 bytes, ideal 4"));
    terminal_type(&terminal, PAGE_DOWN);
    cr_assert(terminal_shows(&terminal, "5/5"));
    cr_assert(terminal_shows(&terminal, "▀")); /* in letters of blocks */
    cr_assert_not(driven_shows("SPACE"));
    terminal_type(&terminal, " ");
    cr_assert(terminal_shows(&terminal, "This is the last step of the lesson: Q ends it."));
    driven_leave();
}

/* SPACE goes through the wavefronts of the map, then to the next step; each step's map begins anew. */
Test(present, space_steps_the_map_first)
{
    START("present", TEST_SOURCE_DIR "/docs/banks.lesson", "--device", "simt");
    cr_assert(terminal_shows(&terminal, "1/7"));
    terminal_type(&terminal, "  "); /* one wavefront: there is nothing to step through */
    cr_assert(terminal_shows(&terminal, "2 wavefronts, ideal 1"));
    cr_assert(terminal_shows(&terminal, "SPACE wavefront 1 of 2"));
    terminal_type(&terminal, " ");
    cr_assert(terminal_shows(&terminal, "SPACE wavefront 2 of 2"));
    cr_assert(driven_shows("3/7"));
    terminal_type(&terminal, " ");
    cr_assert(terminal_shows(&terminal, "SPACE next step"));
    cr_assert(driven_shows("3/7"));
    terminal_type(&terminal, " ");
    cr_assert(terminal_shows(&terminal, "SPACE wavefront 1 of 32"));
    terminal_type(&terminal, PAGE_UP);
    cr_assert(terminal_shows(&terminal, "SPACE wavefront 1 of 2"));
    driven_leave();
}

Test(present, q_says_what_ends_the_lesson)
{
    START("present", SAMPLE, "--device", "simt");
    cr_assert(terminal_shows(&terminal, "1/5"));
    terminal_type(&terminal, "q");
    cr_assert(terminal_shows(&terminal, "q again ends the lesson."));
    terminal_type(&terminal, " ");
    cr_assert(terminal_shows(&terminal, "4 sectors of 32 bytes, ideal 4"));
    terminal_type(&terminal, PAGE_UP);
    cr_assert(terminal_shows(&terminal, "1/5"));
    terminal_type(&terminal, "q");
    cr_assert(terminal_shows(&terminal, "q again ends the lesson; W saves its runs."));
    terminal_type(&terminal, "q");
    driven_expect_end();
}

Test(present, the_sample_at_80x24)
{
    go_through(80, 24);
}

Test(present, the_sample_at_120x40)
{
    go_through(120, 40);
}

/* A class guesses before it sees the runs and the document's numbers, and then what stands behind. */
static void guess_first(int width, int height)
{
    char path[400];
    snprintf(path, sizeof path, "%s/p.lesson", driven_folder);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fprintf(file,
            "step Words\ntext What do they cost?\npredict shared_load_wavefronts/first stride 1=1 2=2 33=1\n"
            "run --cc 2.0 bank-stride:32-bit,stride=1|2|33\ntext Why is 33 as good?\n"
            "step Ways\npredict rate_in variant pageable-in=? pinned-in=8e9\n"
            "run --model c2050 host-copy:pageable-in\nrun --model c2050 host-copy:pinned-in\n");
    cr_assert_eq(fclose(file), 0);
    driven_start_at(width, height, (const char *const[]){"present", path, "--device", "simt", NULL});
    cr_assert(terminal_shows(&terminal, "SPACE the answer"));
    cr_assert(driven_shows("What do they cost?") && !driven_shows("Why is 33 as good?") &&
              !driven_shows("the document"));
    terminal_type(&terminal, "lkk");
    cr_assert(terminal_shows(&terminal, "stride 2: guess 0.50x"));
    terminal_type(&terminal, " ");
    cr_assert(terminal_shows(&terminal, "stride 2: guess 0.50x, run 2.00x, document 2.00x (run +0.0 %)"));
    cr_assert(terminal_shows(&terminal, "Why is 33 as good?"));
    terminal_type(&terminal, " ");
    cr_assert(terminal_shows(&terminal, "pageable-in your guess"));
    terminal_type(&terminal, "l\r");
    cr_assert(terminal_shows(&terminal, "pinned-in: guess 0 B/s, run 5.99 GB/s, document 8.00 GB/s"));
    cr_assert_not(driven_shows("pageable-in the document"));
    driven_leave();
}

Test(present, a_class_guesses_at_80x24)
{
    guess_first(80, 24);
}

Test(present, a_class_guesses_at_120x40)
{
    guess_first(120, 40);
}

/* The time that a program has found with events stands beside its mark. */
Test(present, a_mark_has_its_text)
{
    START("--device", "simt", "--model", "c2050", "timing:events");
    cr_assert(terminal_shows(&terminal, " ended  "));
    cr_assert(terminal_shows(&terminal, "events: "));
    driven_leave();
}

/* Each step's lane map is by the rules of the step's own run, whatever the steps before it had. */
Test(present, a_lane_map_by_the_rules_of_its_step)
{
    char path[400];
    snprintf(path, sizeof path, "%s/r.lesson", driven_folder);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fprintf(file, "step New\nrun --cc 2.0 copy-offset,offset=1\nkeys A\n"
                  "step Old\nrun --cc 1.0 copy-offset,offset=1\nkeys A\n"
                  "step GPU\nrun --model gtx280 copy-offset,offset=1\nkeys A\n");
    cr_assert_eq(fclose(file), 0);
    driven_start_at(80, 24, (const char *const[]){"present", path, "--device", "simt", NULL});
    cr_assert(terminal_shows(&terminal, "compute cap. 2.0"));
    cr_assert(terminal_shows(&terminal, "8 sectors of 32 bytes, ideal 4: 2 x 128 B"));
    terminal_type(&terminal, PAGE_DOWN);
    cr_assert(terminal_shows(&terminal, "compute cap. 1.0"));
    cr_assert(terminal_shows(&terminal, "32 sectors of 32 bytes, ideal 4: 32 x 32 B"));
    terminal_type(&terminal, PAGE_DOWN);
    cr_assert(terminal_shows(&terminal, "compute cap. 1.3"));
    driven_leave();
}

/* A document in its own order, from the first step to the last, each left at once; test_syllabi waits for each. */
static void go_through_syllabus(const char *name, int steps, int width, int height)
{
    char number[32];
    driven_start_at(width, height, (const char *const[]){"present", name, "--device", "simt", NULL});
    for (int step = 1; step <= steps; step++) {
        snprintf(number, sizeof number, "%d/%d", step, steps);
        cr_assert(terminal_shows(&terminal, number), "%s: step %s", name, number);
        if (step < steps)
            terminal_type(&terminal, PAGE_DOWN);
    }
    cr_assert_not(driven_shows("There is no"));
    driven_leave();
}

#define SYLLABUS(name, steps)                      \
    Test(present, syllabus_##name##_at_80x24)      \
    {                                              \
        go_through_syllabus(#name, steps, 80, 24); \
    }
SYLLABUS(guide, 21)
SYLLABUS(fermi, 14)
SYLLABUS(course, 34)
SYLLABUS(slides, 17)
SYLLABUS(article, 13)

/* A stranger's lesson: more text than fits is said, long text below a screen is whole, and a key bar does not
 * promise what an open line takes. */
Test(present, a_lesson_of_a_stranger_at_80x24)
{
    char path[400];
    snprintf(path, sizeof path, "%s/s.lesson", driven_folder);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fprintf(file, "step Gr\xc3\xb6\xc3\x9f"
                  "e\n");
    for (int i = 0; i < 40; i++)
        fprintf(file, "text line %d\n", i);
    fprintf(file,
            "step Long\nrun copy-stride,stride=8\nkeys A SPACE\n"
            "text One sector for each SPACE, and then on with the next step of the lesson, which this text "
            "says at such length that it takes two lines.\nstep Open\nkeys :\ntext left open\n");
    cr_assert_eq(fclose(file), 0);
    driven_start_at(80, 24, (const char *const[]){"present", path, "--device", "simt", NULL});
    cr_assert(terminal_shows(&terminal, "more lines of this step: the screen has no room for them."));
    cr_assert(driven_shows("line 10"));
    terminal_type(&terminal, PAGE_DOWN);
    cr_assert(terminal_shows(&terminal, "SPACE sector 2 of 32"));
    cr_assert(driven_shows("length that it takes two lines."));
    terminal_type(&terminal, PAGE_DOWN);
    cr_assert(terminal_shows(&terminal, "ENTER selects, ESC closes"));
    cr_assert_not(driven_shows("SPACE"));
    terminal_type(&terminal, "\x1b");
    cr_assert(terminal_shows(&terminal, "left open"));
    driven_leave();
}

/* The class of docs/teaching.md: forward to the recording and back over it. */
Test(present, a_class_with_a_recording)
{
    START("present", TEST_SOURCE_DIR "/docs/banks.lesson", "--device", "simt");
    cr_assert(terminal_shows(&terminal, "1/7"));
    terminal_type(&terminal, PAGE_DOWN);
    cr_assert(terminal_shows(&terminal, "1 wavefront, ideal 1"));
    terminal_type(&terminal, PAGE_DOWN);
    cr_assert(terminal_shows(&terminal, "2 wavefronts, ideal 1"));
    terminal_type(&terminal, PAGE_DOWN);
    cr_assert(terminal_shows(&terminal, "32 wavefronts, ideal 1"));
    terminal_type(&terminal, PAGE_DOWN);
    cr_assert(terminal_shows(&terminal, "an odd stride visits each bank once"));
    terminal_type(&terminal, PAGE_DOWN);
    cr_assert(terminal_shows(&terminal, "C 32-bit, measured, NVIDIA H200"));
    terminal_type(&terminal, "r"); /* the runs are the recording's */
    cr_assert(terminal_shows(&terminal, "Runs  523"));
    terminal_type(&terminal, PAGE_DOWN);
    cr_assert(terminal_shows(&terminal, "7/7"));
    terminal_type(&terminal, "\x7f"); /* back: it is not loaded again */
    cr_assert(terminal_shows(&terminal, "C 32-bit, measured, NVIDIA H200"));
    terminal_type(&terminal, "\x7f");
    cr_assert(terminal_shows(&terminal, "an odd stride visits each bank once"));
    cr_assert(terminal_shows(&terminal, "1 wavefront, ideal 1"));
    terminal_type(&terminal, "r"); /* they are the session's again: one of each step */
    cr_assert(terminal_shows(&terminal, "Runs  4"));
    driven_leave();
}

/* The sentence that a command ends with. */
static void expect_refusal(const char *arguments, const char *says)
{
    char command[1000], output[2000];
    snprintf(command, sizeof command, TEST_LANESCOPE " %s 2>&1", arguments);
    FILE *pipe = popen(command, "r");
    cr_assert_not_null(pipe);
    size_t got = fread(output, 1, sizeof output - 1, pipe);
    output[got] = '\0';
    cr_assert(pclose(pipe) != 0, "%s", arguments);
    cr_assert(strstr(output, says), "%s: %s", arguments, output);
}

Test(present, what_cannot_be_opened_says_what_to_do)
{
    char path[400], arguments[500], command[600];
    expect_refusal("present nothere.lesson", "name a file of steps, such as docs/coalescing.lesson");
    expect_refusal("follow nothing", "names no file on another machine: lanescope follow HOST:FILE");
    expect_refusal("follow host:-oProxyCommand=x", "must not begin with '-': write ./-oProxyCommand=x");
    expect_refusal("follow -oProxyCommand=x:f", "There is no option");
    expect_refusal("follow 'a host:f'", "is not the name of a host");
    snprintf(path, sizeof path, "%s/a.lesson", driven_folder);
    snprintf(command, sizeof command, "printf 'step a\\nopen nothere.lsr\\n' >%s", path);
    cr_assert_eq(system(command), 0);
    snprintf(arguments, sizeof arguments, "present %s", path);
    expect_refusal(arguments, "a.lesson:2: ");
    for (int i = 0; i < 4; i++) { /* no metric, no number, no place, too much */
        static const char *const wrong[] = {"frob n 1=2", "time_ns n 1=x", "time_ns n a=1", "time_ns n"};
        snprintf(command, sizeof command, "printf 'step a\\npredict %s\\n' >%s", wrong[i], path);
        cr_assert_eq(system(command), 0);
        snprintf(arguments, sizeof arguments, "present %s", path);
        expect_refusal(arguments, "a.lesson:2: a prediction is a metric");
    }
    snprintf(command, sizeof command, "printf 'step a\\nopen a.lesson\\n' >%s", path);
    cr_assert_eq(system(command), 0);
    expect_refusal(arguments, "a.lesson:2: ");
}

/* A lesson may be a stranger's: its keys write nothing, whichever way they come to it. */
Test(present, a_lesson_writes_no_file)
{
    static const char *const keys[] = {"W C-u / ENTER", "E", ": s a v e ENTER", "e E"};
    char path[400], command[900], made[400];
    snprintf(path, sizeof path, "%s/w.lesson", driven_folder);
    snprintf(made, sizeof made, "%s/made", driven_folder);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        snprintf(command, sizeof command,
                 "printf 'step first\\ntext one\\nstep second\\nrun copy-offset,offset=0\\nkeys %s\\n' >%s",
                 keys[i], path);
        cr_assert_eq(system(command), 0);
        snprintf(command, sizeof command, "present %s --device simt --snapshot text --keys SPACE", path);
        expect_refusal(command, "Line 5 of the lesson presses");
        START("present", path, "--device", "simt");
        cr_assert(terminal_shows(&terminal, "1/2"));
        terminal_type(&terminal, " ");
        cr_assert(terminal_shows(&terminal, "Line 5 of the lesson presses"));
        cr_assert_not(driven_shows("Save the recording as:"));
        terminal_type(&terminal, "W"); /* the user may */
        cr_assert(terminal_shows(&terminal, "Save the recording as:"));
        terminal_type(&terminal, "\x15");
        terminal_type(&terminal, made);
        terminal_type(&terminal, "\r");
        cr_assert(terminal_shows(&terminal, "Saved as"));
        driven_leave();
        cr_assert_eq(unlink(made), 0);
    }
}

Test(present, a_session_is_written_along)
{
    char path[400];
    snprintf(path, sizeof path, "%s/own.lesson", driven_folder);
    START("--device", "simt", "--write-steps", path);
    cr_assert(terminal_shows(&terminal, "Workloads"));
    terminal_type(&terminal, "/bank-stride\re$");
    cr_assert(terminal_shows(&terminal, "Title of this step:"));
    terminal_type(&terminal, "The lab\r");
    cr_assert(terminal_shows(&terminal, "Step 'The lab' is written"));
    terminal_type(&terminal, "d");
    cr_assert(terminal_shows(&terminal, "Device"));
    driven_leave();
    START("present", path, "--device", "simt");
    cr_assert(terminal_shows(&terminal, "not run yet: ENTER runs it"));
    cr_assert(driven_shows("The lab") && driven_shows("1/2"));
    terminal_type(&terminal, " ");
    cr_assert(terminal_shows(&terminal, "2/2"));
    driven_leave();
}

/* The stand-in has ssh's arguments: -t -- HOST COMMAND. The file's name has what a shell would take apart. */
Test(present, follow_opens_a_recording_by_ssh)
{
    char ssh[400], command[1200], place[500], path[800];
    snprintf(ssh, sizeof ssh, "%s/ssh", driven_folder);
    FILE *file = fopen(ssh, "w");
    cr_assert_not_null(file);
    fprintf(file, "#!/bin/sh\n[ \"$1 $2 $3\" = '-t -- there' ] && [ $# = 4 ] || exit 9\nexec sh -c \"$4\"\n");
    fclose(file);
    cr_assert_eq(chmod(ssh, 0755), 0);
    snprintf(command, sizeof command,
             "cp %s/tests/data/small.lsr \"%s/it's \\$HOME.lsr\" && ln -s %s %s/lanescope", TEST_SOURCE_DIR,
             driven_folder, TEST_LANESCOPE, driven_folder);
    cr_assert_eq(system(command), 0);
    snprintf(path, sizeof path, "%s:%s", driven_folder, getenv("PATH"));
    setenv("PATH", path, 1);
    setenv("LANESCOPE_SSH", ssh, 1);
    snprintf(place, sizeof place, "there:%s/it's $HOME.lsr", driven_folder);
    START("follow", place);
    cr_assert(terminal_shows(&terminal, "it's $HOME.lsr"));
    driven_leave();
}
