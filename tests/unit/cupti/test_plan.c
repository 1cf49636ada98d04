/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The planner against tests/data/plan.csv: for every chip that CUPTI knows from TU102 on, the counters that
 * the catalogue of metrics asks for, how many passes they cost in one configuration, and what is not to be
 * had. UPDATE_GOLDEN=1 writes the table anew. Runs wherever CUPTI is installed; a GPU is not needed.
 */
#include "core/metric/metric.h"
#include "tests/shared/fixture/golden.h"
#include "tests/shared/oracle/host_api.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if LANESCOPE_CUDA

#define HEAD                                                                                    \
    "chip,counters,passes,counters beside a memory run,passes,counters of a memory run,passes," \
    "metrics without counters,counters the chip does not have\n"

/* The catalogue's metrics that the chip has no counters for. */
static void unavailable_of(const char *chip, char *text, size_t size_bytes)
{
    text[0] = '\0';
    for (int metric = 0; metric < METRIC_COUNT; metric++) {
        if (!metric_counters((enum metric)metric, chip).names[0] &&
            metric_counters((enum metric)metric, "GH100").names[0]) {
            strncat(text, text[0] ? " " : "", size_bytes - strlen(text) - 1);
            strncat(text, metric_info((enum metric)metric)->id, size_bytes - strlen(text) - 1);
        }
    }
}

/* The plan of what a run takes of the catalogue; text gets "counters asked for,passes". */
static struct plan *plan_of(const char *chip, enum metric_share share, char *text, size_t size_bytes)
{
    const char *names[PLAN_MAX_METRICS];
    char nothing[] = "";
    struct plan_request request = {.chip = chip, .names = names, .cupti_path = cupti_path()};
    struct plan *plan;
    struct error error;
    request.count = metric_choose_counters(nothing, chip, share, names, PLAN_MAX_METRICS);
    cr_assert_eq(plan_create(&plan, &request, &error), STATUS_OK, "%s: %s", chip, error.text);
    cr_assert_eq(plan_count(plan) + plan_left_out_count(plan), request.count);
    snprintf(text, size_bytes, "%zu,%zu", request.count, plan_passes(plan));
    return plan;
}

/* chip; counters and passes of all in one run, of a counter run beside a memory run, of that; metrics without
 * counters; counters the chip does not have */
static void line_of(const char *chip, char *line, size_t size_bytes)
{
    char unavailable[1024], left_out[2048] = "", counts[3][32];
    struct plan *plan = plan_of(chip, METRIC_SHARE_ALL, counts[0], sizeof counts[0]);
    for (size_t i = 0; i < plan_left_out_count(plan); i++) {
        cr_assert(plan_unknown(plan, i));
        strncat(left_out, i ? " " : "", sizeof left_out - strlen(left_out) - 1);
        strncat(left_out, plan_left_out(plan, i), sizeof left_out - strlen(left_out) - 1);
    }
    plan_destroy(plan);
    plan_destroy(plan_of(chip, METRIC_SHARE_COUNTERS, counts[1], sizeof counts[1]));
    plan = plan_of(chip, METRIC_SHARE_MEMORY, counts[2], sizeof counts[2]);
    cr_assert_eq(plan_passes(plan), 1, "%s: replayed, a kernel shows wrong DRAM bytes", chip);
    plan_destroy(plan);
    unavailable_of(chip, unavailable, sizeof unavailable);
    snprintf(line, size_bytes, "%s,%s,%s,%s,%s,%s\n", chip, counts[0], counts[1], counts[2], unavailable,
             left_out);
}

Test(plan, every_chip_as_the_table_says)
{
    char *table = NULL, line[4096];
    size_t size = 0;
    FILE *out = open_memstream(&table, &size);
    cr_assert(out);
    fputs(HEAD, out);
    for (size_t i = 0; i < chip_count; i++) {
        if (strncmp(chips[i], "GV", 2) == 0)
            continue; /* Volta: older than what lanescope takes */
        line_of(chips[i], line, sizeof line);
        fputs(line, out);
    }
    fclose(out);
    cr_assert_gt(size, strlen(HEAD));
    cr_assert(golden_equals("../data/plan.csv", table, NULL));
    free(table);
}

static enum status make(struct plan **plan, const char *chip, const char *const *names, size_t count,
                        size_t passes, struct error *error)
{
    struct plan_request request = {
        .chip = chip, .names = names, .count = count, .max_passes = passes, .cupti_path = cupti_path()};
    return plan_create(plan, &request, error);
}

Test(plan, unknown_and_repeated_names_are_left_out)
{
    static const char *const names[] = {"gpu__time_duration.sum", "no__such_metric.sum",
                                        "gpu__time_duration.sum", "dram__bytes_read.sum"};
    struct plan *plan;
    struct error error;
    cr_assert_eq(make(&plan, "GH100", names, 4, 0, &error), STATUS_OK);
    cr_assert_eq(plan_count(plan), 2);
    cr_assert_str_eq(plan_name(plan, 0), "gpu__time_duration.sum");
    cr_assert_str_eq(plan_name(plan, 1), "dram__bytes_read.sum");
    cr_assert_eq(plan_left_out_count(plan), 1);
    cr_assert_str_eq(plan_left_out(plan, 0), "no__such_metric.sum");
    cr_assert(plan_unknown(plan, 0));
    cr_assert_null(plan_name(plan, 2));
    size_t size_bytes;
    cr_assert(plan_config(plan, &size_bytes) && size_bytes > 0);
    plan_destroy(plan);
}

Test(plan, least_wanted_metrics_go_when_passes_are_limited)
{
    static const char *const names[] = {"gpu__time_duration.sum", "dram__bytes_read.sum",
                                        "lts__t_sector_hit_rate.pct",
                                        "smsp__sass_data_bytes_mem_global_op_ld.sum"};
    struct plan *all, *one;
    struct error error;
    cr_assert_eq(make(&all, "GH100", names, 4, 0, &error), STATUS_OK);
    cr_assert_gt(plan_passes(all), 1);
    cr_assert_eq(make(&one, "GH100", names, 4, 1, &error), STATUS_OK);
    cr_assert_eq(plan_passes(one), 1);
    cr_assert_lt(plan_count(one), 4);
    cr_assert_str_eq(plan_name(one, 0), names[0]);
    cr_assert_str_eq(plan_left_out(one, 0), names[3]);
    cr_assert_not(plan_unknown(one, 0));
    plan_destroy(all);
    plan_destroy(one);
}

Test(plan, what_cannot_be_planned_is_a_sentence)
{
    static const char *const names[] = {"no__such_metric.sum"};
    struct plan *plan;
    struct error error;
    cr_assert_eq(make(&plan, "GH100", names, 1, 0, &error), STATUS_UNSUPPORTED);
    cr_assert(strstr(error.text, "GH100"));
    cr_assert_eq(make(&plan, "XX100", names, 1, 0, &error), STATUS_UNSUPPORTED);
    cr_assert(strstr(error.text, "XX100"));
    cr_assert_eq(make(&plan, "", names, 1, 0, &error), STATUS_USAGE);
    cr_assert_eq(make(&plan, "GH100", names, 0, 0, &error), STATUS_USAGE);
    cr_assert_null(plan);
}
#endif
