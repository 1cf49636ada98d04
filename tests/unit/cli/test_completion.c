/* SPDX-License-Identifier: Apache-2.0 */
/* What a shell offers can be typed: the parser takes every option and value, and every workload named so
 * runs. */
#include "cli/options/completion.h"
#include "cli/options/options.h"
#include "workloads/frame/workload.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 8

/* The words of one text with single blanks; a blank at its end begins an empty word. */
static size_t cut(char *text, char *words[WORDS_MAX])
{
    size_t count = 0;
    char *word;

    while (count < WORDS_MAX && (word = strsep(&text, " ")))
        words[count++] = word;
    return count;
}

/* The candidates of a line, one a line; the caller's. */
static char *candidates(const char *line)
{
    char copy[256], *words[WORDS_MAX], *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    snprintf(copy, sizeof copy, "%s", line);
    completion_print(out, cut(copy, words), words);
    fclose(out);
    return text;
}

static bool goes_on(const char *word)
{
    return *word && strchr(":=[", word[strlen(word) - 1]);
}

static void check_parsed(const char *line, const char *candidate)
{
    char command[512], *argv[WORDS_MAX + 1] = {NULL};
    struct options options;
    struct error error = {0};
    const char *blank = strrchr(line, ' ');

    snprintf(command, sizeof command, "lanescope %.*s%s%s", blank ? (int)(blank - line) + 1 : 0, line,
             candidate, strstr(line, "--capture") ? " -- x" : ""); /* which is of a program */
    cr_assert_eq(options_parse(&options, (int)cut(command, argv), argv, &error), STATUS_OK, "%s + %s: %s",
                 line, candidate, error.text);
}

static void check_workload(const char *line, const char *candidate)
{
    struct workload_case *cases = NULL;
    struct error error = {0};
    size_t count = 0;

    (void)line;
    cr_assert_eq(workload_parse(candidate, &cases, &count, &error), STATUS_OK, "%s: %s", candidate,
                 error.text);
    cr_assert_gt(count, 0);
    free(cases);
}

/* Each candidate that does not go on; how many these are. */
static size_t check_each(const char *line, void (*check)(const char *line, const char *candidate))
{
    char *text = candidates(line), *rest = text, *word;
    size_t count = 0;

    while ((word = strsep(&rest, "\n"))) {
        if (*word && !goes_on(word)) {
            check(line, word);
            count++;
        }
    }
    free(text);
    return count;
}

Test(completion, every_value_offered_is_one)
{
    static const struct {
        const char *line;
        size_t count; /* exactly; 0: a table's, at least two */
    } rows[] = {
        {"--device ", 4},
        {"--device=", 4},
        {"--model ", 0},
        {"--cc ", 0},
        {"--counters ", 0},
        {"--counters stalls,", 0},
        {"--runs ", 3},
        {"--runs trace,", 3},
        {"--sample ", 1},
        {"--capture ", 2},
        {"--size ", 2},
        {"--snapshot ", 3},
        {"--theme ", 4},
        {"watch --snapshot ", 3},
        {"device --model=", 0},
        {"diff a b --fail-on ", 0},
        {"report a --kernel ", 0},
        {"completion ", 3},
        {"help ", 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t count = check_each(rows[i].line, check_parsed);

        if (strstr(rows[i].line, "--kernel"))
            cr_assert_eq(count, 0); /* a file's own words */
        else
            cr_assert(rows[i].count ? count == rows[i].count : count > 2, "%s: %zu", rows[i].line, count);
    }
}

/* It may lack its value yet, but it goes with the command. */
static void check_option(const char *line, const char *candidate)
{
    char command[512], *argv[WORDS_MAX + 1] = {NULL};
    struct options options;
    struct error error = {0};

    snprintf(command, sizeof command, "lanescope %s%s", line, candidate + 2);
    options_parse(&options, (int)cut(command, argv), argv, &error);
    cr_assert(!strstr(error.text, "does not apply to") && !strstr(error.text, "There is no option"), "%s: %s",
              command, error.text);
}

Test(completion, only_options_of_the_command_are_offered)
{
    static const char *const lines[] = {"--",          "view a --",         "report a --",
                                        "diff a b --", "export a --csv --", "kernel a --grid 1 --block 1 --",
                                        "watch --",    "list --",           "device --",
                                        "doctor --",   "--record a --",     "completion bash --"};

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        cr_assert_geq(check_each(lines[i], check_option), 4, "%s", lines[i]);
}

Test(completion, every_workload_variant_and_parameter_offered_runs)
{
    const struct workload *workload;

    for (size_t i = 0; (workload = workload_at(i)); i++) {
        char line[128], *offered;

        snprintf(line, sizeof line, "--record a.lsr %s", workload->name);
        cr_assert_geq(check_each(line, check_workload), 1 + workload->variant_count, "%s", line);
        for (size_t k = 0; k < workload->param_count; k++) {
            const struct workload_param *param = &workload->params[k];

            snprintf(line, sizeof line, "%s:%s,", workload->name, workload->variants[0].name);
            offered = candidates(line);
            cr_assert(strstr(offered, param->name), "%s lacks %s", line, param->name);
            free(offered);
            snprintf(line, sizeof line, "%s:%s,%s=", workload->name, workload->variants[0].name, param->name);
            cr_assert_geq(check_each(line, check_workload), 1, "%s", line);
        }
    }
}

Test(completion, every_command_workload_and_option_is_offered)
{
    static const char *const wanted[][2] = {{"", "completion\n"},     {"", "help\n"},
                                            {"", "matmul-ab\n"},      {"--", "--time-limit\n"},
                                            {"help ", "doctor\n"},    {"matmul-ab:cu", "matmul-ab:cublas\n"},
                                            {"view a --", "--keys\n"}};

    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        char *text = candidates(wanted[i][0]);

        cr_assert(strstr(text, wanted[i][1]), "'%s' lacks %s", wanted[i][0], wanted[i][1]);
        free(text);
    }
}

/* A line that nobody could mean, cut anywhere, crashes nothing and offers no more than the tables have. */
Test(completion, any_words_are_taken)
{
    static const char *const lines[] = {
        "- -- --",           "--= --=x", ":,= ,,, ::",     "--device --device --device=",
        "transpose,n=,n=,=", "--record", "help help help", "x:y:z,=:,="};

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        for (size_t length = 0; length <= strlen(lines[i]); length++) {
            char line[64], *text;

            snprintf(line, sizeof line, "%.*s", (int)length, lines[i]);
            text = candidates(line);
            cr_assert_lt(strlen(text), 4096, "%s", line);
            free(text);
        }
    }
}
