/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exercises as a student and a teacher use them: the broken files fail, reference solutions pass, typical
 * wrong attempts (tests/exercises) get the hint that is meant for them, and those that go around a goal
 * (tests/exercises/cheats) do not pass. LANESCOPE_TEST_ALL, as at night: all attempts and all inputs; else of each exercise
 * the broken file, the solution and one attempt, and all inputs for some.
 */
#include "cli/exercise/hand_in.h"
#include "core/recording/recording.h"
#include "tests/cli/program.h"
#include "workloads/frame/workload.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char output[1 << 18], errors[1 << 18], text[1 << 16];

static void enter(void)
{
    program_enter();
#ifdef TEST_TOOLKIT
    setenv("CUDA_HOME", TEST_TOOLKIT, 1);
#endif
}

TestSuite(exercises, .init = enter, .fini = program_leave, .timeout = 600);

static int run(const char *arguments)
{
    return program_run(arguments, output, errors, sizeof errors);
}

/* The outcome, and words of the hint, of each file under tests/exercises, and of the broken file itself. */
static const struct row {
    const char *file; /* "coalesce": the exercise as it is written for the student */
    const char *outcome, *hint;
} rows[] = {
    {"coalesce", "short", "Each lane loads from a sector of its own"},
    {"coalesce/solution", "passed", ""},
    {"coalesce/other_stride", "short", "another order of the same kind"},
    {"coalesce/two_words", "short", "lanes stand two words apart"},
    {"coalesce/mixed", "wrong", "load and store need the same index"},
    {"loop", "fault", "past the end of the array"},
    {"loop/solution", "passed", ""},
    {"loop/guarded_share", "short", "walks along a piece of its own"},
    {"loop/one_too_many", "fault", "has one round too many"},
    {"loop/block_stride", "short", "the stride of the loop is smaller"},
    {"transpose", "short", "A warp writes a column"},
    {"transpose/solution", "passed", ""},
    {"transpose/columns_read", "short", "but columns are read"},
    {"transpose/tile_not_used", "short", "takes out what it has put in"},
    {"transpose/no_barrier", "fault", "__syncthreads() belongs between"},
    {"padding", "short", "still in one bank"},
    {"padding/solution", "passed", ""},
    {"padding/row_more", "short", "There is a row more"},
    {"padding/two_words", "short", "a common divisor"},
    {"padding/no_tile", "short", "columns are written to global memory again"},
    {"reduction", "short", "Lanes drop out in every warp"},
    {"reduction/solution", "passed", ""},
    {"reduction/conflicts", "short", "which is in few banks"},
    {"reduction/no_barrier", "fault", "after each step"},
    {"reduction/one_thread", "short", "One thread adds up all words"},
    {"shuffle", "short", "All steps go through shared memory"},
    {"shuffle/solution", "passed", ""},
    {"shuffle/last_warp", "short", "Only a part of the steps are shuffles"},
    {"shuffle/no_barrier", "fault", "one __syncthreads() is still needed"},
    {"shuffle/half_warp", "wrong", "Not all lanes are added once"},
    {"histogram", "short", "All threads add to the bins in global memory"},
    {"histogram/solution", "passed", ""},
    {"histogram/not_cleared", "fault", "begin with any numbers"},
    {"histogram/no_barrier", "fault", "Bins are used while other warps"},
    {"histogram/flush_each_round", "short", "more often than once"},
    {"tiles", "short", "Each warp loads all words that it multiplies"},
    {"tiles/solution", "passed", ""},
    {"tiles/a_only", "short", "B needs a tile as well as A"},
    {"tiles/warp_barrier", "fault", "__syncwarp() for one warp only"},
    {"tiles/by_columns", "short", "A tile is read by columns"},
    {"registers", "short", "Do without the array"},
    {"registers/solution", "passed", ""},
    {"registers/rotated_copy", "short", "computed for the stores now"},
    {"registers/ignores_shift", "wrong", "shift is known only when the kernel runs"},
    {"registers/search", "short", "words are read many times"},
    {"divergence", "short", "Each warp walks both paths"},
    {"divergence/solution", "passed", ""},
    {"divergence/both_paths", "short", "every lane does the work of both paths"},
    {"divergence/by_warp", "wrong", "it is the number of the word that decides"},
    {"divergence/inside_loop", "short", "evaluated in each round"},
    {"barrier", "fault", "Two __syncthreads() are needed"},
    {"barrier/solution", "passed", ""},
    {"barrier/warp_barrier", "fault", "the other 15 warps"},
    {"barrier/in_condition", "fault", "outside of the condition"},
    {"barrier/fence", "fault", "A fence orders the writes"},
    {"hide", "short", "All is in one stream"},
    {"hide/solution", "passed", ""},
    {"hide/pageable", "short", "take pinned memory"},
    {"hide/one_stream", "short", "give the chunks to several streams"},
    {"hide/no_wait", "fault", "only a wait makes one"},
};

#define ROWS (sizeof rows / sizeof rows[0])

/* Kernels that would pass if goals were loads and stores of one input: what is said of each. The figure of a
 * goal or bound that it misses, or the words of a second input. */
static const struct cheat {
    const char *file, *outcome, *says;
} cheats[] = {
    {"coalesce_atomics", "short", "atomic_passes"},
    {"coalesce_two_lanes", "short", "global_load_requests"},
    {"coalesce_no_loads", "wrong", "With another input the result is wrong."},
    {"coalesce_bulk", "short", "bulk_read_sectors"},
    {"coalesce_read_only", "short", "global_load_sectors"},
    {"coalesce_past_the_end", "fault", "out of bounds"},
    {"loop_one_size", NULL, "With another input "}, /* by what is drawn: too many words, or too few */
    {"loop_one_grid", NULL, "With another input "},
    {"loop_no_guard", "wrong", "With another input the result is wrong."},
    {"transpose_atomics", "short", "atomic_passes"},
    {"transpose_counts_launches", "fault", "race in global memory"},
    {"padding_atomics", "short", "shared_atomic_instructions"},
    {"reduction_vectors", "short", "global_load_requests"},
    {"reduction_shared_atomics", "short", "shared_atomic_instructions"},
    {"reduction_table", "wrong", "With another input the result is wrong."},
    {"reduction_knows_the_input", "short", "instructions"},
    {"shuffle_one_thread", "short", "lane_exchanges"},
    {"shuffle_global_atomics", "short", "atomic_passes"},
    {"shuffle_for_show", "short", "global_store_requests"},
    {"shuffle_generic", "short", "shared_load_wavefronts"},
    {"histogram_one_block", "short", "atomic_passes"},
    {"tiles_atomics", "short", "atomic_passes"},
    {"registers_one_shift", "wrong", "With another input the result is wrong."},
    {"registers_last_words", "wrong", "With another input the result is wrong."},
    {"divergence_constants", "wrong", "With another input the result is wrong."},
    {"divergence_fewer_rounds", "wrong", "With another input the result is wrong."},
    {"barrier_one_thread", "short", "global_load_requests"},
};

#define CHEATS (sizeof cheats / sizeof cheats[0])

static bool is_written_by_us(const struct row *row)
{
    return strchr(row->file, '/') == NULL;
}

static bool tests_all(void)
{
    return getenv("LANESCOPE_TEST_ALL") != NULL;
}

/* Rows of an exercise stand together: the broken file, the solution, three attempts. */
#define ROWS_OF_EXERCISE 5
#define ROWS_OF_SAMPLE 3

static bool is_run(size_t row)
{
    return tests_all() || row % ROWS_OF_EXERCISE < ROWS_OF_SAMPLE;
}

/* Every file of the folders has a row, and every exercise has its own, a solution and three attempts. */
Test(exercises, every_exercise_has_its_rows)
{
    glob_t found;

    cr_assert_eq(glob(TEST_SOURCE_DIR "/tests/exercises/*/*", 0, NULL, &found), 0);
    size_t ours = 0, solutions = 0;
    for (size_t i = 0; i < ROWS; i++) {
        ours += is_written_by_us(&rows[i]);
        solutions += strcmp(rows[i].outcome, "passed") == 0;
    }
    cr_assert_eq(found.gl_pathc, ROWS - ours + CHEATS);
    globfree(&found);
    size_t exercises = 0;
    for (; exercise_at(exercises); exercises++)
        cr_assert_not_null(strstr(exercise_text(exercise_at(exercises)), "\n"), "%s has no text",
                           exercise_at(exercises)->name);
    cr_assert_eq(ours, exercises);
    cr_assert_eq(solutions, exercises);
    cr_assert_eq(ROWS, ROWS_OF_EXERCISE * exercises);
    for (size_t i = 0; i < ROWS; i += ROWS_OF_EXERCISE)
        cr_assert(is_written_by_us(&rows[i]) && strcmp(rows[i + 1].outcome, "passed") == 0);
}

Test(exercises, the_list_and_the_file)
{
    cr_assert_eq(run("exercise"), 0);
    for (size_t i = 0; exercise_at(i); i++)
        cr_assert(strstr(output, exercise_at(i)->name), "%s", output);
    cr_assert_eq(run("exercise transpose"), 0, "%s", errors);
    program_read("transpose.cu", text, sizeof text);
    cr_assert(strstr(text, "// exercise: transpose\n"), "%s", text);
    cr_assert(strstr(text, "//   load sectors: at most 2,048 (4 for a request of 32 words)\n"), "%s", text);
    cr_assert(strstr(text, "transpose_naive(float *out"), "%s", text);

    program_write("transpose.cu", "mine");
    cr_assert_eq(run("exercise transpose"), 2);
    cr_assert(strstr(errors, "is here already, and is not replaced"), "%s", errors);
    program_read("transpose.cu", text, sizeof text);
    cr_assert_str_eq(text, "mine");
}

Test(exercises, the_command_line_is_checked)
{
    static const struct {
        const char *arguments;
        const char *says;
    } wrong[] = {
        {"exercise tranpose", "did you mean transpose?"},
        {"exercise transpose nothere.cu", "nothere.cu could not be found"},
        {"exercise a b c", "takes at most 2 words"},
        {"grade", "Name the hand-ins"},
        {"grade --exercise nothing a.cu", "There is no exercise"},
        {"grade .", "has no file of an exercise"},
        {"exercise --exercise loop", "--exercise does not apply"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        cr_assert_eq(run(wrong[i].arguments), 2, "%s", wrong[i].arguments);
        cr_assert(strstr(errors, wrong[i].says), "%s: %s", wrong[i].arguments, errors);
    }
}

#ifdef TEST_TOOLKIT
/* Copies the next row of the JSON that begins with the file and this, and says where it ends; NULL: there is none. */
static const char *next_row(const char *from, const char *file, const char *rest, char line[4000])
{
    char key[400];

    snprintf(key, sizeof key, "\"file\": \"%s\", %s", file, rest);
    const char *at = strstr(from, key);
    if (!at)
        return NULL;
    snprintf(line, 4000, "%.*s", (int)strcspn(at, "\n"), at);
    return at + strcspn(at, "\n");
}

static const char *grade_of(const char *file)
{
    static char line[4000];

    cr_assert_not_null(next_row(output, file, "\"exercise\"", line), "%s: %s", file, output);
    return line;
}

/* No two files of an exercise have the same hint; NULL: the file was not run. */
static void check_hints_differ(const char *const hints[ROWS])
{
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = 0; k < i; k++) {
            size_t length = strcspn(rows[i].file, "/");
            bool same = hints[i] && hints[k] && length == strcspn(rows[k].file, "/") &&
                        strncmp(rows[i].file, rows[k].file, length) == 0;

            cr_expect(!same || strcmp(hints[i], hints[k]) != 0, "%s and %s: %s", rows[i].file, rows[k].file,
                      hints[i]);
        }
}

Test(exercises, attempts_get_their_hints)
{
    char *hints[ROWS] = {NULL};
    static char arguments[8000];
    size_t used = (size_t)snprintf(arguments, sizeof arguments, "grade --json --time-limit 300");
    char file[300], wanted[300];

    for (size_t i = 0; i < ROWS; i++) {
        if (!is_run(i))
            continue;
        if (is_written_by_us(&rows[i])) {
            snprintf(file, sizeof file, "exercise %s", rows[i].file);
            cr_assert_eq(run(file), 0, "%s", errors);
        }
        used += (size_t)snprintf(arguments + used, sizeof arguments - used, " %s%s.cu",
                                 is_written_by_us(&rows[i]) ? "" : TEST_SOURCE_DIR "/tests/exercises/",
                                 rows[i].file);
    }
    cr_assert_eq(run(arguments), 1, "%s", errors);
    cr_assert_eq(system("python3 " CHECK_JSON " " TEST_SOURCE_DIR "/docs/grade.schema.json output >&2"), 0);
    for (size_t i = 0; i < ROWS; i++) {
        if (!is_run(i))
            continue;
        snprintf(file, sizeof file, "%s%s.cu",
                 is_written_by_us(&rows[i]) ? "" : TEST_SOURCE_DIR "/tests/exercises/", rows[i].file);
        const char *line = grade_of(file);

        snprintf(wanted, sizeof wanted, "\"outcome\": \"%s\"", rows[i].outcome);
        cr_expect(strstr(line, wanted), "%s: %s", rows[i].file, line);
        if (*rows[i].hint)
            cr_expect(strstr(line, rows[i].hint), "%s: %s", rows[i].file, line);
        else
            cr_expect(strstr(line, "\"hint\": null"), "%s: %s", rows[i].file, line);
        const char *at = strstr(line, "\"hint\": ");
        hints[i] = at ? strdup(at) : NULL;
        cr_assert_not_null(hints[i], "%s", line);
        char *end = strstr(hints[i], ", \"sentence\"");
        cr_assert_not_null(end, "%s", line);
        *end = '\0';
    }
    check_hints_differ((const char *const *)hints);
    for (size_t i = 0; i < ROWS; i++)
        free(hints[i]);
}

static void check_cheat(const struct cheat *cheat)
{
    char file[300], wanted[300];

    snprintf(file, sizeof file, TEST_SOURCE_DIR "/tests/exercises/cheats/%s.cu", cheat->file);
    const char *line = grade_of(file);

    cr_expect(strstr(line, "\"passed\": false"), "%s: %s", cheat->file, line);
    cr_expect(!strstr(line, "\"hint\": null") || strstr(line, "\"outcome\": \"fault\""), "%s: %s",
              cheat->file, line);
    snprintf(wanted, sizeof wanted, "\"outcome\": \"%s\"", cheat->outcome ? cheat->outcome : "");
    cr_expect(!cheat->outcome || strstr(line, wanted), "%s: %s", cheat->file, line);
    if (!cheat->outcome || strcmp(cheat->outcome, "short") != 0) {
        cr_expect(strstr(line, cheat->says), "%s: %s", cheat->file, line);
        return;
    }
    snprintf(wanted, sizeof wanted, "\"figure\": \"%s\"", cheat->says);
    char row[4000];
    bool missed = false;
    for (const char *at = output; !missed && (at = next_row(at, file, wanted, row));)
        missed = strstr(row, "\"reached\": false") != NULL;
    cr_expect(missed, "%s: no %s", cheat->file, wanted);
}

/* Of the second input nothing is told but that it was another: no number, no line. */
Test(exercises, going_around_a_goal_is_not_reaching_it)
{
    cr_assert_eq(run("grade --json --time-limit 300 " TEST_SOURCE_DIR "/tests/exercises/cheats"), 1, "%s",
                 errors);
    for (size_t i = 0; i < CHEATS; i++)
        check_cheat(&cheats[i]);
    for (const char *at = output; (at = strstr(at, "With another input ")); at++)
        for (size_t i = 0; at[i] != '"'; i++)
            cr_expect(!strchr("0123456789", at[i]), "%.100s", at);
}

/* What is drawn differs from what the student is shown, so that no size of it can stand in the code. */
Test(exercises, nothing_that_is_drawn_is_as_shown)
{
    for (size_t i = 0; exercise_at(i); i++) {
        const struct exercise *exercise = exercise_at(i);
        struct workload_case *shown, *others;
        size_t shown_count, count;
        struct error error = {0};

        cr_assert_eq(workload_parse(exercise->workload, &shown, &shown_count, &error), STATUS_OK, "%s",
                     error.text);
        cr_assert_eq(workload_parse(exercise->others, &others, &count, &error), STATUS_OK, "%s", error.text);
        for (size_t p = 0; p < workload_value_count(shown->workload); p++) {
            bool is_swept = false;

            for (size_t j = 1; j < count; j++)
                is_swept |= others[j].params.value[p] != others[0].params.value[p];
            for (size_t j = 0; j < count && is_swept; j++)
                cr_expect_neq(others[j].params.value[p], shown->params.value[p], "%s: %s", exercise->name,
                              workload_param_at(shown->workload, p)->name);
        }
        free(shown);
        free(others);
    }
}

/* How many of the inputs that can be drawn for an exercise the file under tests/exercises passes; `all`: how
 * many there are. */
static uint32_t count_passed_draws(const struct exercise *exercise, const char *file, uint32_t *all)
{
    char arguments[700];
    struct session *session;
    struct error error = {0};
    uint32_t passed = 0;

    snprintf(arguments, sizeof arguments,
             "--device simt --check --size small --record %s.lsr --kernel " TEST_SOURCE_DIR
             "/tests/exercises/%s.cu '%s,seed=77'",
             exercise->name, file, exercise->others);
    int status = run(arguments);
    cr_assert(status == 0 || status == 1, "%s: %s", file, errors);
    snprintf(arguments, sizeof arguments, "%s.lsr", exercise->name);
    cr_assert_eq(recording_load(&session, arguments, &error), STATUS_OK, "%s", error.text);
    *all = session_run_count(session);
    for (uint32_t run = 0; run < *all; run++) {
        struct grade grade = {.exercise = exercise, .outcome = OUTCOME_PASSED};
        struct exercise_draw draw;

        cr_assert_eq(exercise_draw(exercise, (uint64_t[]){run, 77}, &draw, &error), STATUS_OK, "%s",
                     error.text);
        grade_of_other_input(&grade, session, run, draw.growth);
        passed += grade.outcome == OUTCOME_PASSED;
    }
    session_destroy(session);
    unlink(arguments);
    return passed;
}

/* Whatever is drawn, a solution passes: all that can be drawn is run, and judged. */
Test(exercises, solutions_pass_with_every_input)
{
    char file[80];
    uint32_t all;

    for (size_t i = 0; exercise_at(i); i += tests_all() ? 1 : 4) {
        snprintf(file, sizeof file, "%s/solution", exercise_at(i)->name);
        uint32_t passed = count_passed_draws(exercise_at(i), file, &all);
        cr_assert_gt(all, 3);
        cr_expect_eq(passed, all, "%s: %u of %u", file, passed, all);
    }
}

/* Whatever is drawn, a kernel with a number of the usual run in its code fails. */
Test(exercises, cheats_that_know_the_usual_input_fail_with_every_other)
{
    char name[40], file[80];
    uint32_t all;

    for (size_t i = 0; i < CHEATS; i++) {
        if (!strstr(cheats[i].says, "With another input") || (!tests_all() && i % 2 == 0))
            continue;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(cheats[i].file, "_"), cheats[i].file);
        snprintf(file, sizeof file, "cheats/%s", cheats[i].file);
        uint32_t passed = count_passed_draws(exercise_find(name), file, &all);
        cr_expect_eq(passed, 0, "%s passes %u of %u", file, passed, all);
    }
}

/* What a student reads, and that another exercise's goal is applied when the teacher says so. */
Test(exercises, one_file_is_told_in_full)
{
    cr_assert_eq(run("exercise coalesce"), 0, "%s", errors);
    cr_assert_eq(run("exercise coalesce coalesce.cu"), 1, "%s", errors);
    cr_assert(strstr(output, "not yet: goal not reached"), "%s", output);
    cr_assert(strstr(output, "  no  load sectors                          16,384   at most 2,048 (4 for"),
              "%s", output);
    cr_assert(strstr(output, "hint: Each lane loads"), "%s", output);
    cr_assert_eq(run("exercise coalesce " TEST_SOURCE_DIR "/tests/exercises/coalesce/solution.cu"), 0, "%s",
                 errors);
    cr_assert(strstr(output, ": passed"), "%s", output);
    cr_assert_eq(run("grade --exercise loop " TEST_SOURCE_DIR "/tests/exercises/coalesce/solution.cu"), 1);
    cr_assert(strstr(output, "copy_offset.cu, which"), "%s", output);
    cr_assert_eq(access("run.lsr", F_OK), -1);
}
#endif
