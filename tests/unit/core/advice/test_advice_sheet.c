/*
 * docs/advice.md is the table of rules written out: with LANESCOPE_WRITE_DOCS set in the environment the test
 * writes it anew. Every rule names a workload that there is.
 */
#include "core/advice/advice.h"
#include "workloads/frame/workload.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHEET TEST_SOURCE_DIR "/docs/advice.md"

static void write_sheet(FILE *out)
{
    fputs("# Advice\n\n"
          "Written from the rules in core/advice*.c by tests/unit/core/advice/test_advice_sheet.c (set "
          "LANESCOPE_WRITE_DOCS to write it anew).\n\n"
          "A rule looks at the values of a kernel, or at the events of a run, and speaks when all of its "
          "limits hold. Each advice has one\n"
          "sentence with its numbers, the values that it rests on with their provenance, what to do now, and "
          "the lesson that teaches it.\n"
          "The panel's first line is a kernel's first advice; `lanescope report` and `report --json` list "
          "all, kernels' and runs'.\n\n"
          "A *gain* is an upper bound: the share of the kernel's (or the run's) time that would go if all of "
          "that time were what the rule\n"
          "speaks of. It orders what is worth trying first, and promises nothing. A rule whose values are "
          "not there says nothing: counters\n"
          "must have been taken, or the kernel be described by its workload, for most of a kernel's rules. "
          "Where a GPU's counters only\n"
          "bound an ideal, so is what is said of it: \"at least\".\n\n"
          "A kernel's values are those of its own device, measured or modelled, else expected. "
          "`bandwidth_bound` is no fault: it says that\n"
          "a kernel is as fast as its bytes allow.\n\n"
          "`long_scoreboard` and `double_precision` need counters that a counter run takes since it counts "
          "arithmetic "
          "and stalls: older\n"
          "recordings are not judged by them.\n",
          out);
    const struct advice_rule *rule;
    for (size_t i = 0; (rule = advice_rule_at(i)) != NULL; i++) {
        fprintf(out, "\n## `%s`\n\nOf a %s.", rule->id, rule->of_run != NULL ? "run" : "kernel");
        fputs(" When all of these hold:\n\n| value | limit | source of the limit |\n|---|---|---|\n", out);
        for (size_t l = 0; l < ADVICE_LIMITS_MAX && rule->limits[l].what; l++)
            fprintf(out, "| %s | %s %g %s | %s |\n", rule->limits[l].what,
                    rule->limits[l].below ? "below" : "above", rule->limits[l].number, rule->limits[l].unit,
                    rule->limits[l].source);
        fprintf(out, "\n- gain, at most: %s\n- now: %s\n- lesson: %s\n- built on: %s\n", rule->gain,
                rule->now, rule->taught, rule->source);
        if (rule->workload != NULL)
            fprintf(out, "- try it: `lanescope %s`, and fixed `lanescope %s`\n", rule->workload, rule->twin);
    }
}

Test(advice_sheet, is_the_table_of_rules)
{
    char *made = NULL, *kept;
    size_t made_bytes = 0;
    FILE *memory = open_memstream(&made, &made_bytes);
    cr_assert_not_null(memory);
    write_sheet(memory);
    fclose(memory);
    if (getenv("LANESCOPE_WRITE_DOCS")) {
        FILE *file = fopen(SHEET, "w");
        cr_assert_not_null(file);
        fwrite(made, 1, made_bytes, file);
        fclose(file);
    }
    FILE *file = fopen(SHEET, "r");
    cr_assert_not_null(file, "docs/advice.md is missing");
    kept = malloc(made_bytes + 2);
    cr_assert_not_null(kept);
    size_t kept_bytes = fread(kept, 1, made_bytes + 1, file);
    fclose(file);
    cr_assert(kept_bytes == made_bytes && memcmp(kept, made, made_bytes) == 0,
              "docs/advice.md is not the table: run this test with LANESCOPE_WRITE_DOCS=1");
    free(kept);
    free(made);
}

Test(advice_sheet, every_rule_is_whole)
{
    const struct advice_rule *rule;
    for (size_t i = 0; (rule = advice_rule_at(i)) != NULL; i++) {
        cr_assert_lt(i, ADVICE_RULES_MAX);
        cr_assert_eq(advice_rule_find(rule->id), rule, "two rules are called %s", rule->id);
        cr_assert_neq(rule->of_kernel == NULL, rule->of_run == NULL, "%s", rule->id);
        cr_assert(rule->gain && rule->now && rule->source && rule->limits[0].what, "%s", rule->id);
        for (size_t l = 0; l < ADVICE_LIMITS_MAX && rule->limits[l].what; l++)
            cr_assert_not_null(rule->limits[l].source, "%s: where is %g from?", rule->id,
                               rule->limits[l].number);
        cr_assert_not_null(workload_find(rule->taught), "%s is taught by %s, which there is not", rule->id,
                           rule->taught);
    }
    cr_assert_null(advice_rule_find("no such rule"));
}
