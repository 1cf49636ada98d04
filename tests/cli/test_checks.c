/* SPDX-License-Identifier: Apache-2.0 */
/* What --check finds in a program, for those who have judged it before, and for other programs. */
#include "tests/cli/program.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef TEST_STANDIN
#define PROGRAM(name) TEST_BUILD_DIR "/tests/standin/" name
#define RECORD "--record a.lsr --device simt "

static char output[1 << 18], errors[1 << 18];

static void enter(void)
{
    program_enter();
    unsetenv("CUDA_VISIBLE_DEVICES"); /* the model's GPUs are hidden by it, too */
    setenv("LANESCOPE_CUOBJDUMP", TEST_SOURCE_DIR "/tests/standin/cuobjdump", 1);
}

TestSuite(checks, .init = enter, .fini = program_leave);

static void run_ends_with(const char *arguments, int wanted)
{
    int status = program_run(arguments, output, errors, sizeof output);

    cr_assert(status == wanted, "lanescope %s: exit status %d, expected %d\n%s%s", arguments, status, wanted,
              output, errors);
}

/* Findings that are known: the file is printed from a recording, taken, and says what of it is not met. */
Test(checks, suppresses_what_is_known)
{
    run_ends_with(RECORD "--check -- " PROGRAM("broken_static") " race", 1);
    run_ends_with("report a.lsr --table checks --format known", 0);
    cr_assert(strstr(output, "\nrace | broken.cu:20 | race in shared memory | not judged yet\n"), "%s",
              output);
    FILE *known = fopen("known.txt", "w");
    cr_assert(known && fputs(output, known) >= 0 && fclose(known) == 0);
    run_ends_with(RECORD "--check --suppress known.txt -- " PROGRAM("broken_static") " race", 0);
    cr_assert(strstr(errors, "1 finding of --check is known by known.txt.\n"), "%s", errors);
    cr_assert(!strstr(errors, "race in shared memory"), "%s", errors);
    run_ends_with("report a.lsr --table checks --csv", 0);
    cr_assert(strstr(output, ",20,true,\"not judged yet\","), "%s", output);
    run_ends_with("report a.lsr --table checks --format github", 0);
    cr_assert(strncmp(output, "::notice file=", 14) == 0 &&
                  strstr(output, "/broken.cu,line=20,title=race in shared memory::race"),
              "%s", output);
    run_ends_with("report a.lsr --table checks --format sarif", 0);
    cr_assert(
        strstr(output, "\"version\": \"2.1.0\"") && strstr(output, "\"ruleId\": \"race-in-shared-memory\"") &&
            strstr(output, "\"startLine\": 20") && strstr(output, "\"justification\": \"not judged yet\""),
        "%s", output);
    /* Each rule once, and each finding at its rule, as the standard wants. */
    cr_assert_eq(
        system("python3 -c 'import json; run = json.load(open(\"output\"))[\"runs\"][0]; "
               "ids = [rule[\"id\"] for rule in run[\"tool\"][\"driver\"][\"rules\"]]; "
               "assert len(ids) == len(set(ids)) and run[\"results\"]; "
               "assert all(ids[found[\"ruleIndex\"]] == found[\"ruleId\"] for found in run[\"results\"])'"),
        0);
    /* By patterns, and a row that fits nothing. */
    cr_assert_eq(system("printf '# of a reduction\\n*ce | *broken.cu:2? | race* | benign\\nno_such | * | * | "
                        "gone\\n' >known.txt"),
                 0);
    run_ends_with(RECORD "--check --suppress known.txt -- " PROGRAM("broken_static") " race", 0);
    cr_assert(
        strstr(errors,
               "1 finding of --check is known by known.txt. 1 of its rows fits none, the first in line 3"),
        "%s", errors);
    cr_assert_eq(system("echo 'race | other.cu:20 | race* | benign' >known.txt"), 0);
    run_ends_with(RECORD "--check --suppress known.txt -- " PROGRAM("broken_static") " race", 1);
    cr_assert(strstr(errors, "race in shared memory: in race"), "%s", errors);
    /* What a GPU stops is no matter of judgement. */
    cr_assert_eq(system("echo '* | * | * | all' >known.txt"), 0);
    run_ends_with(RECORD "--check --suppress known.txt -- " PROGRAM("broken_static") " past", 1);
    cr_assert_eq(system("echo 'race | broken.cu:20 | race in shared memory' >known.txt"), 0);
    run_ends_with(RECORD "--check --suppress known.txt -- " PROGRAM("broken_static") " race", 125);
    cr_assert(strstr(errors, "known.txt:1 is not KERNEL | FILE:LINE | KIND | REASON"), "%s", errors);
    cr_assert_eq(system("echo 'race | * | races | benign' >known.txt"), 0);
    run_ends_with(RECORD "--check --suppress known.txt -- " PROGRAM("broken_static") " race", 125);
    cr_assert(strstr(errors, "there is no kind of finding \"races\""), "%s", errors);
    run_ends_with(RECORD "--suppress known.txt -- " PROGRAM("broken_static") " race", 125);
    run_ends_with("report a.lsr --table kernels --format sarif", 2);
}

/* No finding is not "clean": what was looked at is said, and a run that nobody checked says so. */
Test(checks, says_what_was_checked)
{
    run_ends_with(RECORD "'--check=read_*' -- " PROGRAM("broken_static") " handed", 0);
    cr_assert(strstr(errors, "Checked: 1 of 2 kernels, 1 of 2 launches, of whose instructions 11 of 11 ran"),
              "%s", errors);
    run_ends_with("report a.lsr --table checks", 0);
    cr_assert(strstr(output, "nothing was found") && strstr(output, "Checked: 1 of 2 kernels") &&
                  strstr(output, "leaves out"),
              "%s", output);
    run_ends_with(RECORD "'--check=none_of_them' -- " PROGRAM("broken_static") " handed", 125);
    cr_assert(strstr(errors, "--check=GLOB names none of those that were launched"), "%s", errors);
    cr_assert(!strstr(errors, "--check found nothing"), "%s", errors);
    run_ends_with(RECORD "--check -- true", 0);
    cr_assert(strstr(errors, "No kernel was checked: none was launched"), "%s", errors);
    run_ends_with(RECORD " -- " PROGRAM("broken_static") " handed", 0);
    run_ends_with("report a.lsr --table checks", 0);
    cr_assert(strstr(output, "Not checked: 1 run on the device model without --check"), "%s", output);
    run_ends_with(RECORD "--check transpose:naive,n=64", 0);
    run_ends_with("report a.lsr --table checks", 0);
    cr_assert(strstr(output, "Checked: 1 of 1 kernels, 1 of 1 launches"), "%s", output);
}

/* Kernels that are not named are not checked, and what they write counts as written. */
Test(checks, checks_the_kernels_that_are_named)
{
    run_ends_with(RECORD "--check -- " PROGRAM("broken_static") " handed", 1);
    run_ends_with(RECORD "'--check=read_*' -- " PROGRAM("broken_static") " handed", 0);
    cr_assert(!strstr(errors, "race in shared") && !strstr(errors, "never written"), "%s", errors);
    cr_assert(strstr(errors, "--check found nothing in what nvcc left"), "%s", errors);
    cr_assert_eq(system("sed 's/^\\.target sm_[0-9]*/&, debug/' " PROGRAM("broken.ptx") " >debug.ptx"), 0);
    setenv("LANESCOPE_PTX", "debug.ptx", 1);
    run_ends_with(RECORD "'--check=read_*' -- " PROGRAM("broken_static") " handed", 0);
    cr_assert_null(strstr(errors, "--check found nothing in what nvcc left"), "%s", errors);
    unsetenv("LANESCOPE_PTX");
    run_ends_with(RECORD "'--check=read_*' -- " PROGRAM("broken_static") " unwritten", 1);
    cr_assert_null(strstr(errors, "--check found nothing in what nvcc left"), "%s", errors);
    run_ends_with(RECORD "--check -- " PROGRAM("broken_static") " failed", 1);
    cr_assert_null(strstr(errors, "--check found nothing in what nvcc left"), "%s", errors);
    run_ends_with(RECORD "--check --time-limit 1 -- " PROGRAM("broken_static") " endless", 124);
    cr_assert_null(strstr(errors, "--check found nothing in what nvcc left"), "%s", errors);
    run_ends_with(RECORD "'--check=ra?e' -- " PROGRAM("broken_static") " handed", 1);
    run_ends_with("--device simt '--check=x' transpose:tile", 2);
}
#else
__attribute__((constructor)) static void skip(void)
{
    puts("skipped: this build has no nvcc, or is one with a sanitizer, which nvcc's programs lack");
    fflush(stdout);
    _exit(77);
}
#endif
