/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines runs of transpose and of the products of matrices on an H200 (tests/data/lines_h200.lsr): the
 * costliest line is the one that the lesson names, sums over instructions are what the range profiler
 * counted, advice names the line, and the model's costliest line is the hardware's.
 */
#include "cli/model/model_counts.h"
#include "core/advice/advice.h"
#include "core/analysis/kernel_metrics.h"
#include "core/recording/recording.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lines by their text, so that the kernels' file may grow. "": there is no excess. */
static const struct {
    const char *kernel, *samples, *excess_sectors, *excess_wavefronts;
} cases[] = {
    {"transpose_copy", "out[(y + j) * n + x] = words[j / ROWS];", "", ""},
    {"transpose_naive", "out[x * n + y + j] = in[(y + j) * n + x];",
     "out[x * n + y + j] = in[(y + j) * n + x];", ""},
    {"transpose_tile", "= tile[threadIdx.x][threadIdx.y + j];", "", "= tile[threadIdx.x][threadIdx.y + j];"},
    {"transpose_pad", "= in[(y + j) * n + x];", "", ""},
    {"transpose_swizzle", "= in[(y + j) * n + x];", "", ""},
    {"matmul_simple", "sum += a[row * W + i] * b[i * n + column];", "", ""},
    {"matmul_a_tile", "sum += a_tile[threadIdx.y][i] * b[i * n + column];", "", ""},
    {"matmul_ab_tiles", "sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];", "", ""},
    {"matmul_aat_simple", "sum += a[row * W + i] * a[column * W + i];",
     "sum += a[row * W + i] * a[column * W + i];", ""},
    {"matmul_aat_tile", NULL, "", "turned[threadIdx.x][threadIdx.y] ="},
    {"matmul_aat_pad", NULL, "", ""},
};
#define CASES (sizeof cases / sizeof cases[0])

static struct session *session;

static void load(void)
{
    struct error error = {0};
    cr_assert_eq(recording_load(&session, TEST_SOURCE_DIR "/tests/data/lines_h200.lsr", &error), STATUS_OK,
                 "%s", error.text);
}

static void unload(void)
{
    session_destroy(session);
}

TestSuite(lines_hardware, .init = load, .fini = unload);

static uint32_t kernel_of(const char *name)
{
    for (uint32_t i = 0; i < session_kernel_count(session); i++)
        if (strcmp(session_string(session, session_shape(session, session_kernel(session, i)->shape)->name),
                   name) == 0 &&
            kernel_leads(session, i))
            return i;
    cr_assert_fail("no kernel %s", name);
    return NONE;
}

static double line_cost(const struct code_line *line, enum code_cost cost)
{
    return code_excess(line->costs, cost);
}

static const struct code_line *costliest(const struct code_lines *lines, enum code_cost cost)
{
    const struct code_line *most = NULL;
    for (uint32_t i = 0; i < lines->count; i++)
        if (line_cost(&lines->lines[i], cost) > (most == NULL ? 0 : line_cost(most, cost)))
            most = &lines->lines[i];
    return most;
}

static bool holds(const struct code_line *line, const char *text)
{
    const char *at = line == NULL ? NULL : session_source_text(session, line->file);
    if (line == NULL)
        return text[0] == '\0';
    cr_assert_not_null(at, "%s is not in the recording", line->file);
    for (uint32_t i = 1; i < line->line; i++)
        at = strchr(at, '\n') + 1;
    const char *found = strstr(at, text);
    return text[0] != '\0' && found != NULL && found < strchr(at, '\n');
}

Test(lines_hardware, the_costliest_line_is_the_lessons)
{
    for (size_t i = 0; i < CASES; i++) {
        struct code_listing listing;
        struct code_lines lines;
        cr_assert_eq(code_listing_make(session, kernel_of(cases[i].kernel), &listing, NULL), STATUS_OK);
        cr_assert_eq(code_lines_make(&listing, &lines, NULL), STATUS_OK);
        cr_assert(cases[i].samples == NULL || holds(costliest(&lines, CODE_SAMPLES), cases[i].samples),
                  "%s: samples", cases[i].kernel);
        cr_assert(holds(costliest(&lines, CODE_SECTORS), cases[i].excess_sectors), "%s: sectors",
                  cases[i].kernel);
        cr_assert(holds(costliest(&lines, CODE_WAVEFRONTS), cases[i].excess_wavefronts), "%s: wavefronts",
                  cases[i].kernel);
        code_lines_fini(&lines);
        code_listing_fini(&listing);
    }
}

/* What moved sectors is an access to global memory by its text, what took wavefronts one to shared memory,
 * and no other. */
Test(lines_hardware, texts_are_of_their_instructions)
{
    for (size_t i = 0; i < CASES; i++) {
        struct code_listing listing;
        unsigned accesses = 0;
        cr_assert_eq(code_listing_make(session, kernel_of(cases[i].kernel), &listing, NULL), STATUS_OK);
        for (uint32_t p = 0; p < listing.count; p++) {
            const struct code_place *place = &listing.places[p];
            const char *text = place->text + (place->text[0] == '@' ? strcspn(place->text, " ") + 1 : 0);
            bool global = strncmp(text, "LDG", 3) == 0 || strncmp(text, "STG", 3) == 0;
            bool shared = strncmp(text, "LDS", 3) == 0 || strncmp(text, "STS", 3) == 0;
            cr_assert_eq(place->costs[CODE_SECTORS] > 0, global && place->costs[CODE_INSTRUCTIONS] > 0,
                         "%s: %s", cases[i].kernel, place->text);
            cr_assert_eq(place->costs[CODE_WAVEFRONTS] > 0, shared && place->costs[CODE_INSTRUCTIONS] > 0,
                         "%s: %s", cases[i].kernel, place->text);
            accesses += global + shared;
        }
        cr_assert_geq(accesses, 2);
        code_listing_fini(&listing);
    }
}

static double metric_of(uint32_t kernel, enum metric metric)
{
    struct value value = kernel_statistic(session, kernel, metric, PROVENANCE_MEASURED).value;
    cr_assert(value.available, "%s: %s", metric_info(metric)->id, value.why);
    return value.number;
}

/* SASS metrics against the range profiler's counters, another mechanism in another process. */
Test(lines_hardware, sums_are_the_range_profilers)
{
    for (size_t i = 0; i < CASES; i++) {
        uint32_t kernel = kernel_of(cases[i].kernel);
        struct code_listing listing;
        cr_assert_eq(code_listing_make(session, kernel, &listing, NULL), STATUS_OK);
        cr_assert_eq(listing.totals[CODE_SECTORS],
                     metric_of(kernel, METRIC_global_load_sectors) +
                         metric_of(kernel, METRIC_global_store_sectors),
                     "%s: sectors", cases[i].kernel);
        cr_assert_eq(listing.totals[CODE_WAVEFRONTS],
                     metric_of(kernel, METRIC_shared_load_wavefronts) +
                         metric_of(kernel, METRIC_shared_store_wavefronts),
                     "%s: wavefronts", cases[i].kernel);
        cr_assert_eq(listing.totals[CODE_INSTRUCTIONS], metric_of(kernel, METRIC_instructions),
                     "%s: instructions", cases[i].kernel);
        cr_assert_gt(listing.totals[CODE_SAMPLES], 1000, "%s", cases[i].kernel);
        code_listing_fini(&listing);
    }
}

/* What the model counts of the same case at its small size: another n, the same line. */
Test(lines_hardware, the_models_costliest_line_is_the_hardwares)
{
    for (size_t i = 0; i < CASES; i++) {
        uint32_t kernel = kernel_of(cases[i].kernel);
        const struct run_row *run = session_run(session, session_kernel(session, kernel)->run);
        const struct tui_source_query query = {.workload = session_string(session, run->workload),
                                               .variant = session_string(session, run->variant),
                                               .params = session_string(session, run->params),
                                               .kernel = cases[i].kernel};
        struct tui_source source;
        struct code_lines lines;
        struct error error = {0};
        cr_assert_eq(line_costs_make(NULL, &query, NULL, &source, &error), STATUS_OK, "%s", error.text);
        cr_assert_eq(code_lines_make(&source.listing, &lines, NULL), STATUS_OK);
        cr_assert(holds(costliest(&lines, CODE_SECTORS), cases[i].excess_sectors), "%s: sectors",
                  cases[i].kernel);
        cr_assert(holds(costliest(&lines, CODE_WAVEFRONTS), cases[i].excess_wavefronts), "%s: wavefronts",
                  cases[i].kernel);
        code_lines_fini(&lines);
        code_listing_fini(&source.listing);
    }
}

/* A rule's sentence, given the recording's instructions, ends with the lesson's line. */
Test(lines_hardware, advice_names_the_line)
{
    static const struct {
        const char *kernel;
        const char *rule;
        const char *text;
    } named[] = {
        {"transpose_naive", "uncoalesced_stores", "out[x * n + y + j] = in[(y + j) * n + x];"},
        {"transpose_tile", "shared_load_conflicts", "= tile[threadIdx.x][threadIdx.y + j];"},
        {"matmul_aat_simple", "uncoalesced_loads", "sum += a[row * W + i] * a[column * W + i];"},
        {"matmul_aat_tile", "shared_store_conflicts", "turned[threadIdx.x][threadIdx.y] ="},
    };
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        struct advice_list list = {.count = 1,
                                   .items = {{.rule = advice_rule_find(named[i].rule), .text = "So it is"}}};
        struct code_listing listing;
        char file[100];
        struct code_line line = {.file = file};
        cr_assert_eq(code_listing_make(session, kernel_of(named[i].kernel), &listing, NULL), STATUS_OK);
        advice_name_lines(&list, &listing);
        const char *colon = strchr(list.items[0].where, ':');
        cr_assert_not_null(colon, "%s has no line", named[i].kernel);
        snprintf(file, sizeof file, "workloads/kernels/%.*s", (int)(colon - list.items[0].where),
                 list.items[0].where);
        line.line = (uint32_t)strtoul(colon + 1, NULL, 10);
        cr_assert(holds(&line, named[i].text), "%s: %s", named[i].kernel, list.items[0].text);
        code_listing_fini(&listing);
    }
}
