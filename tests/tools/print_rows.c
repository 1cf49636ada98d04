/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What documents say of the rows of a table, for tests/repo/docs.py to put into them: `print_rows metrics`
 * and `print_rows advice` and `print_rows coverage` print Markdown, `print_rows NAME-schema` the JSON schema of a command's --json.
 */
#include "cli/coverage/coverage.h"
#include "cli/diff/diff.h"
#include "cli/exercise/exercise.h"
#include "cli/machine/device_command.h"
#include "cli/machine/list.h"
#include "cli/ranks/ranks.h"
#include "cli/report/report_sheets.h"
#include "core/advice/advice.h"
#include "core/metric/metric.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void metric_print_counters(enum metric metric, const struct metric_info *info)
{
    const struct metric_counters counters = metric_counters(metric, "GH100");
    size_t inputs;
    metric_inputs(metric, &inputs);
    if (counters.names[0] == NULL)
        return;
    if (metric_in_share(metric, "GH100", METRIC_SHARE_MEMORY))
        printf("- counters, of the memory run:");
    else if (info->asked_by != NULL)
        printf("- counters, taken when asked (--counters +%s):", info->asked_by);
    else
        printf(inputs > 0 ? "- counters of the metrics it follows from:" : "- counters:");
    for (size_t n = 0; counters.names[n]; n++)
        printf("%s\n  `%s`", n ? "," : "", counters.names[n]);
    printf("\n");
}

static void metric_print(enum metric metric)
{
    static const char *const better[] = {
        [METRIC_LOWER] = "lower", [METRIC_HIGHER] = "higher", [METRIC_NEITHER] = "neither"};
    const struct metric_info *info = metric_info(metric);
    bool by_sites = info->group == METRIC_GROUP_GLOBAL || info->group == METRIC_GROUP_SHARED;
    bool peak = info->how == HOW_LAUNCH && (info->fact == FACT_PEAK_FLOAT || info->fact == FACT_PEAK_DOUBLE);
    bool shape =
        info->how == HOW_LAUNCH && (info->fact == FACT_OCCUPANCY_LIMITER ||
                                    (info->fact == FACT_OCCUPANCY && info->group != METRIC_GROUP_OLD));
    printf("\n### `%s`\n\n%s%s%s%s: %s.\n\n", info->id, info->title, info->unit[0] ? " [" : "", info->unit,
           info->unit[0] ? "]" : "", info->meaning);
    printf("- formula: %s\n- %s%s; %s is better\n", info->formula, info->derived ? "derived" : "direct",
           info->exact ? ", exact" : "", better[info->better]);
    printf("- provenance: %s\n", shape      ? "expected, from the launch's shape"
                                 : peak     ? "expected, from the device"
                                 : by_sites ? "measured; modelled; expected, from the access sites"
                                            : "measured; modelled");
    metric_print_counters(metric, info);
    if (info->taught)
        printf("- taught by: %s\n", info->taught);
}

static void metrics_print(void)
{
    enum metric_group group = METRIC_GROUP_COUNT;
    for (unsigned i = 0; i < METRIC_COUNT; i++) {
        if (metric_info((enum metric)i)->group != group) {
            group = metric_info((enum metric)i)->group;
            const char *title = metric_group_text(group);
            printf("\n## %c%s\n", toupper((unsigned char)title[0]), title + 1);
        }
        metric_print((enum metric)i);
    }
}

static void advice_print(void)
{
    const struct advice_rule *rule;
    for (size_t i = 0; (rule = advice_rule_at(i)) != NULL; i++) {
        printf("\n## `%s`\n\nOf a %s. When all of these hold:\n\n| value | limit | source of the limit "
               "|\n|---|---|---|\n",
               rule->id, rule->of_run != NULL ? "run" : "kernel");
        for (size_t l = 0; l < ADVICE_LIMITS_MAX && rule->limits[l].what; l++)
            printf("| %s | %s %g %s | %s |\n", rule->limits[l].what,
                   rule->limits[l].below ? "below" : "above", rule->limits[l].number, rule->limits[l].unit,
                   rule->limits[l].source);
        printf("\n- gain, at most: %s\n- now: %s\n- lesson: %s\n- built on: %s\n", rule->gain, rule->now,
               rule->taught, rule->source);
        if (advice_rule_edit(rule))
            printf("- explains the edit `%s` (what-if.md)\n", advice_rule_edit(rule));
        if (rule->priority)
            printf("- priority, in the guide's list of recommendations: %s\n",
                   advice_priority_text(rule->priority));
        if (rule->workload != NULL)
            printf("- try it: `lanescope %s`, and fixed `lanescope %s`\n", rule->workload, rule->twin);
    }
}

/* A bar ends a cell of a table. */
static void cell_print(const char *text)
{
    for (; *text; text++)
        printf(*text == '|' ? "\\|" : "%c", *text);
}

/* Lessons of the workloads that the commands name, each once. */
static void lessons_print(const char *run)
{
    char words[1000], seen[1000] = ",", *rest = words;
    snprintf(words, sizeof words, "%s", run);
    for (char *word; (word = strsep(&rest, " '"));) {
        if (strncmp(word, "--", 2) == 0 && strcmp(word, "--check") != 0)
            strsep(&rest, " '"); /* its value */
        if (!islower((unsigned char)*word) || strcmp(word, "device") == 0)
            continue;
        word[strcspn(word, ":,")] = '\0';
        char mark[100];
        snprintf(mark, sizeof mark, ",%s,", word);
        if (strstr(seen, mark))
            continue;
        strncat(seen, mark + 1, sizeof seen - strlen(seen) - 1);
        printf("; [%s](lessons/%s.md)", word, word);
    }
}

static void coverage_print_commands(const struct coverage_row *row)
{
    for (const char *at = row->run; at && *at;) {
        const char *end = strstr(at, " ; ");
        char line[1000];
        snprintf(line, sizeof line, "%.*s", (int)(end ? end - at : (long)strlen(at)), at);
        printf("%s`lanescope ", at == row->run ? "" : ", ");
        cell_print(line);
        putchar('`');
        at = end ? end + 3 : NULL;
    }
    if (row->run)
        lessons_print(row->run);
    printf("%s%s", row->run && row->see ? "; " : "", row->see ? row->see : "");
}

static void coverage_print_check(const struct coverage_check *check)
{
    printf("`%s`: ", check->what);
    if (!isnan(check->number))
        printf("%g; ", check->number);
    if (isinf(check->most))
        printf("at least %g", check->least);
    else if (check->least == check->most)
        printf(isnan(check->number) ? "equal to %g" : "equal", check->least);
    else if (check->least == 0)
        printf("at most %g", check->most);
    else
        printf("%.6g to %.6g", check->least, check->most);
}

static void coverage_print(void)
{
    const struct coverage_row *row;
    char chapter = '\0';
    size_t of_state[3] = {0};
    for (size_t i = 0; (row = coverage_at(i)); i++)
        of_state[coverage_state(row)]++;
    printf("\n%zu points: %zu shown, %zu told, %zu not shown.\n", of_state[0] + of_state[1] + of_state[2],
           of_state[COVERAGE_SHOWN], of_state[COVERAGE_TOLD], of_state[COVERAGE_NOT_SHOWN]);
    for (size_t i = 0; (row = coverage_at(i)); i++) {
        if (*row->id != chapter)
            printf("\n## %.1s. %s\n\n| point | document | where | it says | what shows it | checks | state "
                   "|\n|---|---|---|---|---|---|---|\n",
                   coverage_chapter(*row->id), coverage_chapter(*row->id) + 3);
        chapter = *row->id;
        printf("| %s | %s | %s | ", row->id, row->documents, row->place);
        cell_print(row->says);
        printf(" | ");
        coverage_print_commands(row);
        printf(" | ");
        for (int c = 0; c < COVERAGE_CHECKS_MAX && row->checks[c].what; c++) {
            printf(c > 0 ? "<br>" : "");
            coverage_print_check(&row->checks[c]);
        }
        printf(" | %s%s%s |\n", coverage_state_text(coverage_state(row)), row->falls_short ? ": " : "",
               row->falls_short ? row->falls_short : "");
    }
}

static const struct named_document {
    const char *name;
    const struct sheet_document *document;
} documents[] = {{"report-schema", &report_document}, {"device-schema", &device_document},
                 {"diff-schema", &diff_document},     {"grade-schema", &grade_document},
                 {"job-schema", &job_document},       {"list-schema", &list_document}};

static const struct sheet_document *document_find(const char *name)
{
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++)
        if (strcmp(documents[i].name, name) == 0)
            return documents[i].document;
    return NULL;
}

int main(int argc, char **argv)
{
    const struct sheet_document *document = argc == 2 ? document_find(argv[1]) : NULL;
    if (argc == 2 && strcmp(argv[1], "metrics") == 0)
        metrics_print();
    else if (argc == 2 && strcmp(argv[1], "advice") == 0)
        advice_print();
    else if (argc == 2 && strcmp(argv[1], "coverage") == 0)
        coverage_print();
    else if (argc == 2 && document)
        sheet_document_schema(document, stdout);
    else {
        fputs("usage: print_rows metrics | advice | coverage | NAME-schema\n", stderr);
        return 2;
    }
    return 0;
}
