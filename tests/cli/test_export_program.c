/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `lanescope export` of a real recording and of one of the device model, read by programs that are not ours.
 */
#include "tests/cli/program.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define H200 TEST_SOURCE_DIR "/tests/data/h200.lsr"

static char output[1 << 16], errors[1 << 16];

static void record(void)
{
    program_enter();
    cr_assert_eq(program_run("--record a.lsr --device simt transpose n-way:4-way,n=65536,rounds=16", output,
                             errors, sizeof errors),
                 0, "%s", errors);
}

TestSuite(export_program, .init = record, .fini = program_leave, .timeout = 280);

static int check(const char *recording, const char *end, const char *more)
{
    static const char *const formats[] = {"chrome", "csv", "json"};
    char command[8192];
    for (int i = 0; i < 3; i++) {
        snprintf(command, sizeof command, "export %s --%s --out %s%s %s", recording, formats[i], formats[i],
                 end, more);
        cr_assert_eq(program_run(command, output, errors, sizeof errors), 0, "%s", errors);
        cr_assert_str_eq(errors, "");
    }
    snprintf(command, sizeof command,
             "python3 " TEST_SOURCE_DIR "/tests/tools/check_export.py %s chrome%s csv%s json%s >&2",
             recording, end, end, end);
    return system(command);
}

Test(export_program, holds_what_the_recording_holds)
{
    cr_assert_eq(check(H200, ".gz", ""), 0);
    cr_assert_eq(check("a.lsr", "", ""), 0);
    cr_assert_eq(check("a.lsr", "", "--device simt"), 0);
    cr_assert_eq(system("python3 " CHECK_JSON " " TEST_SOURCE_DIR
                        "/docs/export.schema.json json >&2 && python3 " CHECK_JSON " " TEST_SOURCE_DIR
                        "/docs/export-chrome.schema.json chrome >&2"),
                 0);
}

/* gzip's own program reads it, and twice the same gives the same bytes. */
Test(export_program, compressed_is_the_same)
{
    cr_assert_eq(program_run("export a.lsr --chrome --out t.gz", output, errors, sizeof errors), 0);
    cr_assert_eq(program_run("export a.lsr --chrome --out u.gz", output, errors, sizeof errors), 0);
    cr_assert_eq(program_run("export a.lsr --chrome --out t.json", output, errors, sizeof errors), 0);
    cr_assert_eq(system("gzip -dc t.gz | cmp - t.json && cmp t.gz u.gz"), 0);
    cr_assert_eq(program_run("export a.lsr --chrome", output, errors, sizeof errors), 0);
    cr_assert_eq(system("cmp output t.json"), 0);
}

Test(export_program, exit_statuses_and_sentences)
{
    static const struct {
        const char *arguments;
        int exit_status;
        const char *prints, *says;
    } rows[] = {
        {"export a.lsr", 2, "", "--chrome, --csv or --json"},
        {"export --csv", 2, "", "Name the recording"},
        {"export missing.lsr --csv", 125, "", "missing.lsr"},
        {"export /etc/passwd --csv", 125, "", "not a recording"},
        {"export a.lsr --csv --out no/such/folder", 125, "", "no/such/folder"},
        {"export a.lsr --csv --out no/such/folder.gz", 125, "", "no/such/folder.gz"},
        {"export a.lsr --csv --out ./a.lsr", 2, "", "is the recording itself"},
        {"export a.lsr --chrome --device both", 2, "", "one time axis"},
        {"export a.lsr --csv --device cuda", 0, "clock,process", ""},
        {"export a.lsr --csv --out /dev/full", 125, "", "disk full"},
        {"export a.lsr --json --out /dev/full", 125, "", "disk full"},
        {"report a.lsr --chrome", 2, "", "does not apply to this command"},
        {"report a.lsr --out x", 2, "", "does not apply to this command"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int status = program_run(rows[i].arguments, output, errors, sizeof errors);
        cr_assert(status == rows[i].exit_status, "lanescope %s: exit status %d, expected %d\n%s%s",
                  rows[i].arguments, status, rows[i].exit_status, output, errors);
        cr_assert(strstr(output, rows[i].prints), "lanescope %s printed\n%s", rows[i].arguments, output);
        cr_assert(strstr(errors, rows[i].says), "lanescope %s said\n%s", rows[i].arguments, errors);
    }
    cr_assert_eq(system("test \"$(head -c 15 a.lsr)\" = 'SQLite format 3'"), 0);
}

/* What is left of one that could not be written is nothing. */
Test(export_program, no_half_a_file)
{
    cr_assert_neq(system("ulimit -f 8; trap '' XFSZ; " TEST_LANESCOPE " export " H200
                         " --json --out half.json 2>errors"),
                  0);
    cr_assert_neq(access("half.json", F_OK), 0);
    program_read("errors", errors, sizeof errors);
    cr_assert(strstr(errors, "half.json could not be written"), "%s", errors);
}
