/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is sampled over time, against tests/data/sampling.csv: for every chip that CUPTI knows, the counters
 * that fit one pass, or why there are none. Runs wherever CUPTI is installed; a GPU is not needed. With
 * WRITE_SAMPLING=1 it writes the table anew.
 */
#if LANESCOPE_CUDA
#include "cupti/sampler/sampler_pm.h"
#endif
#include "tests/shared/oracle/host_api.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if LANESCOPE_CUDA

#define TABLE TEST_SOURCE_DIR "/tests/data/sampling.csv"
#define HEAD "chip,counters in one pass,why there are none\n"

static void line_of(const char *chip, char *line, size_t size_bytes)
{
    struct plan *plan;
    struct error error = {0};
    size_t used = (size_t)snprintf(line, size_bytes, "%s,", chip);
    enum status status = sampler_plan(&plan, cupti_path(), chip, NULL, &error);
    for (size_t i = 0; status == STATUS_OK && i < plan_count(plan); i++)
        used += (size_t)snprintf(line + used, size_bytes - used, "%s%s", i ? " " : "", plan_name(plan, i));
    if (status == STATUS_OK)
        cr_assert_eq(plan_passes(plan), 1, "%s", chip);
    else
        cr_assert_eq(status, STATUS_UNSUPPORTED, "%s: %s", chip, error.text);
    snprintf(line + used, size_bytes - used, ",%s\n",
             status == STATUS_OK ? "" : strpbrk(error.text, " ") + 1);
    plan_destroy(plan);
}

Test(sampler_series, every_chip_as_the_table_says)
{
    char expected[4096], line[4096];
    bool write = getenv("WRITE_SAMPLING") != NULL;
    FILE *file = fopen(TABLE, write ? "w" : "r");
    size_t wrong = 0;
    cr_assert(file, "%s is missing", TABLE);
    if (write)
        fputs(HEAD, file);
    else
        cr_assert(fgets(expected, sizeof expected, file) && strcmp(expected, HEAD) == 0);
    for (size_t i = 0; i < chip_count; i++) {
        line_of(chips[i], line, sizeof line);
        if (write) {
            fputs(line, file);
            continue;
        }
        if (!fgets(expected, sizeof expected, file))
            expected[0] = '\0';
        if (strcmp(line, expected) != 0) {
            wrong++;
            printf("is:    %stable: %s%s", line, expected, expected[0] ? "" : "(nothing)\n");
        }
    }
    fclose(file);
    cr_assert_gt(chip_count, 0);
    cr_assert_eq(wrong, 0, "%zu of %zu chips differ from " TABLE, wrong, chip_count);
}

/* What the H200 was measured with (docs/cupti-notes.md): all ten wishes. */
Test(sampler_series, hopper_has_all_of_them)
{
    struct plan *plan;
    struct error error;
    cr_assert_eq(sampler_plan(&plan, cupti_path(), "GH100", NULL, &error), STATUS_OK, "%s", error.text);
    cr_assert_eq(plan_count(plan), 10);
    plan_destroy(plan);
    cr_assert_eq(sampler_plan(&plan, cupti_path(), "XX100", NULL, &error), STATUS_UNSUPPORTED);
    cr_assert(strstr(error.text, "XX100"), "%s", error.text);
}

#endif
