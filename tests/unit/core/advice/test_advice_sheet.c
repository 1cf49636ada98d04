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
          "Written from the rules in core/advice/advice.c by tests/unit/core/advice/test_advice_sheet.c (set "
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
    for (enum advice_rule rule = 0; rule < ADVICE_RULE_COUNT; rule++) {
        const struct advice_rule_info *info = advice_rule_info(rule);
        fprintf(out, "\n## `%s`\n\nOf a %s.", advice_rule_id(rule),
                advice_rule_scope(rule) == ADVICE_OF_RUN ? "run" : "kernel");
        fputs(" When all of these hold:\n\n| value | limit |\n|---|---|\n", out);
        for (size_t i = 0; i < ADVICE_LIMITS_MAX && info->limits[i].what; i++)
            fprintf(out, "| %s | %s %g %s |\n", info->limits[i].what,
                    info->limits[i].below ? "below" : "above", info->limits[i].number, info->limits[i].unit);
        fprintf(out, "\n- gain, at most: %s\n- now: %s\n- lesson: %s\n- source of the limits: %s\n",
                info->gain, info->now, info->taught, info->source);
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
    for (enum advice_rule rule = 0; rule < ADVICE_RULE_COUNT; rule++) {
        const struct advice_rule_info *info = advice_rule_info(rule);
        const char *id = advice_rule_id(rule);
        cr_assert(info->gain && info->now && info->source && info->limits[0].what, "%s", id);
        cr_assert_not_null(workload_find(info->taught), "%s is taught by %s, which there is not", id,
                           info->taught);
    }
    cr_assert_null(advice_rule_info(ADVICE_RULE_COUNT));
}
