/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `lanescope gather`, and report and view of what it made: a folder of 1,000 digests in which one rank is late, a
 * recording, wrong files, and the documents' schema.
 */
#include "tests/cli/program.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(gather, .init = program_enter, .fini = program_leave, .timeout = 280);

#define MAKE_JOB TEST_BUILD_DIR "/tests/make_job"

static char output[1 << 18], errors[1 << 16];

static int run(const char *arguments)
{
    return program_run(arguments, output, errors, sizeof errors);
}

static void make(const char *arguments)
{
    char command[600];
    snprintf(command, sizeof command, "mkdir -p ranks && " MAKE_JOB " ranks %s >made", arguments);
    cr_assert_eq(system(command), 0, "%s", command);
}

Test(gather, finds_the_one_of_a_thousand)
{
    make("1000 slow-gpu 30 333");
    cr_assert_eq(run("gather ranks --out job.lsj"), 0, "%s", errors);
    cr_expect_str_eq(output, "job.lsj: 1000 ranks\n");
    cr_assert_eq(run("report job.lsj"), 0, "%s", errors);
    cr_expect(strstr(output, "Rank 333 (GPU 5 of node00041) holds the others up: its kernels took longer."),
              "%s", output);
    cr_expect(strstr(output, "The same kernels take 1.50x as long"), "%s", output);
    cr_assert_eq(run("report job.lsj --table verdict --format csv --fields silent,culprit,cause,culprits"), 0,
                 "%s", errors);
    cr_expect_str_eq(output, "silent,culprit,cause,culprits\nfalse,333,\"compute\",1\n");
    cr_assert_eq(run("view job.lsj --snapshot text"), 0, "%s", errors);
    cr_expect(strstr(output, "rank 333"), "%s", output);
    cr_assert_eq(run("report job.lsj --table list"), 0, "%s", errors);
    cr_expect(strstr(output, "collectives"), "%s", output);
    cr_assert_eq(run("report job.lsj --table nonsense"), 2, "%s", output);
}

Test(gather, json_is_as_its_schema_says)
{
    make("9 loader 20 4");
    cr_assert_eq(run("gather ranks --out job.lsj"), 0, "%s", errors);
    cr_assert_eq(system("'" TEST_LANESCOPE "' report job.lsj --json >json && python3 " CHECK_JSON
                        " '" TEST_SOURCE_DIR "/docs/job.schema.json' json >&2"),
                 0);
}

/* In steps of any order, a job on the way, and the same rank twice: the same bytes; the job's own folder is no input. */
Test(gather, in_any_order)
{
    make("24 balanced 10");
    cr_assert_eq(run("gather ranks --out whole.lsj"), 0, "%s", errors);
    cr_assert_eq(system("mkdir a b && mv ranks/rank-1*.lsd a && mv ranks/rank-2*.lsd b"), 0);
    cr_assert_eq(run("gather b --out b/b.lsj"), 0, "%s", errors);
    cr_assert_eq(run("gather b --out b/b.lsj"), 0, "%s", errors);
    cr_assert_eq(run("gather b/b.lsj a ranks/rank-3.lsd --out c.lsj"), 0, "%s", errors);
    cr_assert_eq(run("gather ranks c.lsj b --out d.lsj"), 0, "%s", errors);
    cr_expect_eq(system("cmp whole.lsj d.lsj"), 0);
    cr_assert_eq(run("report d.lsj"), 0, "%s", errors);
    cr_expect(strstr(output, "No rank stands out"), "%s", output);
}

Test(gather, a_recording_has_a_digest)
{
    cr_assert_eq(run("--device simt --size small --record one.lsr --digest copy-offset:copy"), 0, "%s",
                 errors);
    cr_assert_eq(run("gather one.lsr --out job.lsj"), 0, "%s", errors);
    cr_expect_eq(system("cmp job.lsj one.lsd"), 0);               /* --digest makes the same */
    cr_assert_eq(run("gather . --out job.lsj"), 0, "%s", errors); /* it stands for the recording */
    cr_expect_eq(system("cmp job.lsj one.lsd"), 0);
    cr_assert_eq(run("report job.lsj"), 0, "%s", errors);
    cr_expect(strstr(output, "No rank ran a collective") || strstr(output, "One rank was gathered"), "%s",
              output);
    cr_assert_eq(run("report job.lsj --table ranks --format csv --fields file"), 0, "%s", errors);
    cr_expect(strstr(output, "/one.lsr\"\n"), "%s", output);
}

Test(gather, wrong_files_are_named)
{
    make("3 host 10 1");
    cr_assert_eq(system("echo text >text && mkdir empty"), 0);
    cr_expect_eq(run("gather ranks"), 2);
    cr_expect(strstr(errors, "--out job.lsj"), "%s", errors);
    cr_expect_eq(run("gather"), 2);
    cr_expect_eq(run("gather empty --out job.lsj"), 2);
    cr_expect(strstr(errors, "holds no recording"), "%s", errors);
    cr_expect_neq(run("gather text --out job.lsj"), 0);
    cr_expect(strstr(errors, "text"), "%s", errors);
    cr_expect_eq(run("gather ranks --out text"), 2);
    cr_expect(strstr(errors, "is no job"), "%s", errors);
    cr_expect_eq(system("grep -q text text && test ! -e job.lsj"), 0);
    cr_assert_eq(system("head -c 900 ranks/rank-1.lsd >cut.lsd"), 0);
    cr_expect_neq(run("gather ranks/rank-0.lsd cut.lsd --out job.lsj"), 0);
    cr_expect(strstr(errors, "cut.lsd"), "%s", errors);
    cr_expect_neq(run("report cut.lsd"), 0);
    cr_expect(strstr(errors, "cut.lsd"), "%s", errors);
    cr_expect_neq(run("gather missing --out job.lsj"), 0);
    cr_assert_eq(run("report ranks/rank-1.lsd"), 0, "%s", errors);
}
