/* SPDX-License-Identifier: Apache-2.0 */
/* What lines cost, on paper and in JSON: of a session with known numbers, by the documents' own schemas. */
#include "cli/report/report.h"
#include "tests/shared/fixture/fixture_session.h"
#include "tests/shared/fixture/golden.h"
#include "tests/shared/made/made_report.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct fixture fixture;

static void make(void)
{
    fixture_init(&fixture, FIXTURE_LINES);
}

static void clean(void)
{
    fixture_fini(&fixture);
}

TestSuite(report_lines, .init = make, .fini = clean);

/* The full report from the lines on. */
static char *table_of(const struct session *session, bool wide)
{
    char *text = NULL;
    size_t size = 0;
    struct error error = {0};
    FILE *out = open_memstream(&text, &size);
    cr_assert_eq(report_table(session, NULL, out, REPORT_LINES | (wide ? REPORT_WIDE : 0), &error), STATUS_OK,
                 "%s", error.text);
    fclose(out);
    char *lines = strstr(text, "\ncost of source lines");
    cr_assert_not_null(lines, "%s", text);
    memmove(text, lines, strlen(lines) + 1);
    return text;
}

Test(report_lines, equals_the_golden_file)
{
    char *text = table_of(fixture.session, false);
    cr_assert(golden_equals("report_lines.txt", text, NULL));
    free(text);
}

Test(report_lines, says_that_there_are_none)
{
    struct session *session;
    cr_assert_eq(session_create(&session, 1, NULL), STATUS_OK);
    char *text = table_of(session, false);
    cr_assert_not_null(strstr(text, "record with --runs lines"));
    free(text);
    session_destroy(session);
}

/* A bundled workload's kernel that was not sampled has the model's counts, and says so. */
Test(report_lines, takes_the_model_where_nothing_was_measured)
{
    struct session *session;
    cr_assert_eq(session_create(&session, 1, NULL), STATUS_OK);
#define STRING(text) session_add_string(session, text, strlen(text))
    struct run_row run = {.device = NONE, .clock = CLOCK_WALL};
    run.workload = STRING("transpose");
    run.variant = STRING("naive");
    run.params = STRING("n=4096");
    struct shape_row shape = {.grid = {1, 1, 1}, .block = {32, 8, 1}};
    shape.name = shape.mangled = STRING("transpose_naive");
    session_add_process(session, &(struct process_row){.pid = 1});
    session_add_kernel(session, session_add_run(session, &run), session_add_shape(session, &shape), NONE);
    char *text = table_of(session, true);
    cr_assert_not_null(strstr(text, "transpose_naive, modelled at small size on NVIDIA H200"), "%s", text);
    const char *line = strstr(text, "out[x * n + y + j] = in[(y + j) * n + x];");
    cr_assert(line != NULL && strchr(strstr(text, " source\n") + 8, '\n') > line, "it comes first: %s", text);
    free(text);
    session_destroy(session);
}

Test(report_lines, json_is_as_its_schema_says, .timeout = 280)
{
    char *text = made_report(fixture.session, JSON);
    cr_assert_eq(report_validate(text), 0);
    cr_assert_not_null(strstr(text,
                              "\"file\": \"workloads/kernels/kernel.cu\", \"line\": 5, "
                              "\"instructions_of_line\": 2, \"share\": 0.647, \"reason\": \"lg_throttle\", "
                              "\"samples\": 647, \"instructions\": 1024, "
                              "\"thread_instructions\": null, \"sectors\": 16384, \"ideal_sectors\": 2048"));
    static const char *const stalls[] = {"\"samples\": 500, \"reason\": \"lg_throttle\"",
                                         "\"samples\": 10, \"reason\": \"wait\""};
    for (size_t i = 0; i < sizeof stalls / sizeof *stalls; i++)
        cr_expect(strstr(text, stalls[i]), "%s", stalls[i]);
    free(text);
}
