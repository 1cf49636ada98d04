/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What lanescope says of itself and of where it runs, for scripts: list, doctor and device as JSON, each as
 * its schema has it, and nothing in the environment that could steer the terminal of whoever asks.
 */
#include "tests/cli/program.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(description, .init = program_enter, .fini = program_leave, .timeout = 120);

static char output[1 << 17], errors[4096];

Test(description, json_is_as_its_schema_says)
{
    static const char *const commands[] = {"list", "doctor", "device"};
    char text[512];

    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        snprintf(text, sizeof text, "%s --json", commands[i]);
        cr_assert_eq(program_run(text, output, errors, sizeof errors), 0, "%s: %s", text, errors);
        snprintf(text, sizeof text,
                 "python3 " CHECK_JSON " " TEST_SOURCE_DIR "/docs/%s.schema.json output >&2", commands[i]);
        cr_assert_eq(system(text), 0, "%s --json is not as its schema says", commands[i]);
    }
}

/* A finding's state says in JSON what its mark says in the table, row for row. */
Test(description, the_doctors_table_and_json_agree)
{
    static const char compare[] =
        "import json\n"
        "marks = {'ok': 'ok', 'limited': 'some', 'missing': 'no', 'fact': ''}\n"
        "rows = [line for line in open('table').read().splitlines() if line.startswith('  ')]\n"
        "findings = json.load(open('output'))['findings']\n"
        "assert len(rows) == len(findings), (rows, findings)\n"
        "for row, finding in zip(rows, findings):\n"
        "    label = finding['id'].replace('_', '-' if finding['id'] in ('stand_in', 'hand_ins') else ' ')\n"
        "    assert row[2:8].strip() == marks[finding['state']], (row, finding)\n"
        "    assert row[8:23].strip().lower() == label, (row, finding)\n"
        "    assert row[23:] == finding['text'], (row, finding)\n";

    setenv("LC_ALL", "C", 1); /* no UTF-8: one of the rows is between good and bad */
    program_write("compare.py", compare);
    cr_assert_eq(program_run("doctor", output, errors, sizeof output), 0);
    cr_assert_eq(rename("output", "table"), 0);
    cr_assert_eq(program_run("doctor --json", output, errors, sizeof output), 0);
    cr_assert_eq(system("python3 compare.py >&2"), 0);
}

Test(description, the_environment_cannot_steer_the_terminal)
{
    setenv("TERM", "\x1b]0;owned\x07xterm", 1);
    cr_assert_eq(program_run("doctor", output, errors, sizeof output), 0);
    cr_assert(strstr(output, "\\x1b]0;owned\\x07xterm"), "%s", output);
    cr_assert_null(strpbrk(output, "\x1b\x07"));
    cr_assert_eq(program_run("doctor --json", output, errors, sizeof output), 0);
    cr_assert(strstr(output, "\\u001b]0;owned\\u0007xterm"), "%s", output);
}
