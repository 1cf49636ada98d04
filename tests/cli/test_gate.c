/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `lanescope gate` as its user runs it: of bundled workloads, and of tests/standin/gate.cu, whose second
 * build has a regression in each kernel and whose third has comments, other names and other flags.
 */
#include "tests/cli/program.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char output[1 << 18], errors[1 << 18], text[1 << 18], other[1 << 18];

static void enter(void)
{
    program_enter();
    unsetenv("CUDA_VISIBLE_DEVICES"); /* the model's GPUs are hidden by it, too */
    setenv("LANESCOPE_CUOBJDUMP", TEST_SOURCE_DIR "/tests/standin/cuobjdump", 1);
    unsetenv("LANESCOPE_WORKERS");
    unsetenv("LANESCOPE_VECTORS");
}

TestSuite(gate, .init = enter, .fini = program_leave);

static void run_ends_with(const char *arguments, int wanted)
{
    int status = program_run(arguments, output, errors, sizeof output);

    cr_assert(status == wanted, "lanescope %s: exit status %d, expected %d\n%s%s", arguments, status, wanted,
              output, errors);
}

#define WORKLOADS "transpose matmul-ab copy-stride reduction histogram"

/* The file that the first run wrote is kept in the repository, so that every compiler must write it. */
Test(gate, writes_the_same_bytes_under_every_width_and_number_of_threads)
{
    static const char *const settings[][2] = {
        {"LANESCOPE_VECTORS", "baseline"}, {"LANESCOPE_VECTORS", "avx2"}, {"LANESCOPE_VECTORS", "avx512"},
        {"LANESCOPE_WORKERS", "1"},        {"LANESCOPE_WORKERS", "2"},    {"LANESCOPE_WORKERS", "3"},
        {"LANESCOPE_WORKERS", "4"},        {"LANESCOPE_WORKERS", "5"},    {"LANESCOPE_WORKERS", "6"},
        {"LANESCOPE_WORKERS", "7"},        {"LANESCOPE_WORKERS", "8"}};
    const char *golden = TEST_SOURCE_DIR "/tests/golden/gate.txt";

    if (getenv("UPDATE_GOLDEN"))
        run_ends_with("gate --update " TEST_SOURCE_DIR "/tests/golden/gate.txt " WORKLOADS, 0);
    program_read(golden, text, sizeof text);
    cr_assert(strstr(text, "\nkernel transpose_naive <<<"), "%s", text);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        setenv(settings[i][0], settings[i][1], 1);
        run_ends_with("gate --update counts.txt " WORKLOADS, 0);
        program_read("counts.txt", other, sizeof other);
        cr_assert(strcmp(text, other) == 0, "%s=%s wrote other bytes", settings[i][0], settings[i][1]);
        unsetenv(settings[i][0]);
    }
}

/* Blocks take places in the output from an atomic: what they write depends on their order, which is fixed. */
Test(gate, counts_blocks_that_depend_on_each_other)
{
    run_ends_with("gate counts.txt compaction:atomic", 0);
    for (int i = 0; i < 5; i++)
        run_ends_with("gate counts.txt compaction:atomic", 0);
}

/* The counts of a repository may be a link to those of another folder. */
Test(gate, an_update_keeps_a_link)
{
    cr_assert_eq(system("mkdir kept && echo old >kept/counts.txt && ln -s kept/counts.txt link.txt && "
                        "ln -s nothing broken.txt"),
                 0);
    run_ends_with("gate --update link.txt transpose:naive", 0);
    cr_assert_eq(system("test -L link.txt && grep -q transpose_naive kept/counts.txt && "
                        "test \"$(ls kept)\" = counts.txt"),
                 0);
    run_ends_with("gate --update broken.txt transpose:naive", 125);
    cr_assert_eq(system("test -L broken.txt && ! test -e nothing"), 0);
}

Test(gate, passes_fails_and_is_updated)
{
    run_ends_with("gate counts.txt transpose:naive", 0);
    cr_assert(strstr(output, "there was no baseline: wrote counts.txt (kernels by shape: 1)"), "%s", output);
    run_ends_with("gate counts.txt transpose:naive", 0);
    cr_assert(strstr(output, "the counts are those of counts.txt (kernels by shape: 1)"), "%s", output);
    run_ends_with("gate counts.txt transpose:naive transpose:pad", 1);
    cr_assert(strstr(output, "transpose_pad <<<4x4x1, 32x8x1, 0>>>: not in the baseline"), "%s", output);
    run_ends_with("gate counts.txt transpose:pad", 1);
    cr_assert(strstr(output, "transpose_naive <<<4x4x1, 32x8x1, 0>>>: not launched any more"), "%s", output);
    run_ends_with("gate --update counts.txt transpose:pad", 0);
    run_ends_with("gate counts.txt transpose:pad", 0);
}

/* Counts of another shape, of the same kernel, with what that does to its lines. */
Test(gate, pairs_a_kernel_with_its_new_shape)
{
    run_ends_with("gate counts.txt transpose:naive,n=128", 0);
    run_ends_with("gate counts.txt transpose:naive,n=256", 1);
    cr_assert(strstr(output, "transpose_naive <<<8x8x1, 32x8x1, 0>>>: launched with another shape"), "%s",
              output);
    cr_assert(strstr(output, "in the baseline it is launched <<<4x4x1, 32x8x1, 0>>>"), "%s", output);
    cr_assert(strstr(output, " 24 workloads/kernels/transpose.cu\n"), "%s", output);
}

static void replace_once(char *in, const char *from, const char *to)
{
    char *at = strstr(in, from);
    static char rest[sizeof text];

    cr_assert(at, "%s is not in\n%s", from, in);
    snprintf(rest, sizeof rest, "%s", at + strlen(from));
    snprintf(at, sizeof text - (size_t)(at - in), "%s%s", to, rest);
}

/* A kernel's new name is said, and is no alarm. */
Test(gate, knows_a_kernel_by_its_counts)
{
    run_ends_with("gate counts.txt transpose:naive", 0);
    program_read("counts.txt", text, sizeof text);
    replace_once(text, "kernel transpose_naive", "kernel transpose_old");
    program_write("counts.txt", text);
    run_ends_with("gate counts.txt transpose:naive", 0);
    cr_assert(strstr(output,
                     "transpose_naive <<<4x4x1, 32x8x1, 0>>>: renamed (it was transpose_old; its counts are "
                     "the same)"),
              "%s", output);
}

/* Whatever is wrong with a baseline is said before anything runs. */
Test(gate, refuses_a_damaged_baseline)
{
    static const char *const edits[][3] = {
        {"lanescope counts 1", "lanescope counts 9", "Line 1 of counts.txt"},
        {"device h200", "device h100", "has the counts of device h100"},
        {"  instructions ", "  instruction ", "Line 5 of counts.txt"},
        {"  instructions 6", "  instructions 7", "do not add up to its counts"},
        {":24 instructions", ":24 instructions x", "Line "},
        {"<<<4x4x1", "<<<4x4", "Line 3 of counts.txt"},
        {"<<<4x4x1", "<<<04x4x1", "Line 3 of counts.txt"},
        {"\nend\n", "\n", "counts.txt has no end"},
        {"\nend\n", "\nend\n<<<<<<< HEAD\n", "of counts.txt is not one that"},
    };
    static char kept[sizeof text];

    run_ends_with("gate counts.txt transpose:naive", 0);
    program_read("counts.txt", kept, sizeof kept);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        memcpy(text, kept, sizeof text);
        replace_once(text, edits[i][0], edits[i][1]);
        program_write("counts.txt", text);
        run_ends_with("gate counts.txt transpose:naive", 2);
        cr_assert(strstr(errors, edits[i][2]), "%zu: %s", i, errors);
    }
    run_ends_with("gate", 2);
    run_ends_with("gate counts.txt", 2);
    run_ends_with("gate counts.txt no-such-workload", 2);
    run_ends_with("gate --cc 7.0 counts.txt transpose:naive", 2);
}

#ifdef TEST_STANDIN
#define PROGRAM(name) TEST_BUILD_DIR "/tests/standin/" name

/* The part of a report that is of one kernel; it stays in `other`. */
static const char *part_of_kernel(const char *report, const char *kernel)
{
    char head[40];
    const char *begin, *end;

    snprintf(head, sizeof head, "\n\n%s(", kernel);
    begin = strstr(report, head);
    cr_assert(begin, "%s is not named in\n%s", kernel, report);
    end = strstr(begin + 2, "\n\n");
    snprintf(other, sizeof other, "%.*s\n", (int)(end ? end - begin : (int)strlen(begin)), begin);
    return other;
}

/* Is there a row of this count at this line? */
static void line_names(const char *part, unsigned line, const char *count)
{
    char rows[1 << 14], id[40], file[40];
    unsigned at;

    snprintf(rows, sizeof rows, "%s", part);
    for (char *rest = rows, *row; (row = strsep(&rest, "\n"));)
        if (sscanf(row, "%39s %*s %*s %*s %*s %u %39s", id, &at, file) == 3 && at == line &&
            strcmp(id, count) == 0 && strcmp(file, "gate.cu") == 0)
            return;
    cr_assert(false, "%s is not named at line %u in%s", count, line, part);
}

Test(gate, names_the_line_of_every_regression)
{
    char source[1 << 14], kernel[8] = "", count[40];
    unsigned line = 0, found = 0;

    run_ends_with("gate counts.txt -- " PROGRAM("gate_static"), 0);
    run_ends_with("gate counts.txt --junit junit.xml --markdown gate.md -- " PROGRAM("gate_slower_static"),
                  1);
    cr_assert(strstr(output, "gate: 20 of 20 kernels (by shape) differ from counts.txt"), "%s", output);
    program_read(TEST_SOURCE_DIR "/tests/standin/gate.cu", source, sizeof source);
    for (char *rest = source, *row; (row = strsep(&rest, "\n"));) {
        const char *mark = strstr(row, "// GATE ");

        line++;
        sscanf(row, "__global__ void %7[k0-9]", kernel);
        if (!mark || sscanf(mark, "// GATE %39s", count) != 1)
            continue;
        line_names(part_of_kernel(output, kernel), line, count);
        found++;
    }
    cr_assert(found == 20, "%u lines have the mark", found);
    program_read("junit.xml", text, sizeof text);
    cr_assert(strstr(text, "tests=\"20\" failures=\"20\""), "%s", text);
    cr_assert(
        strstr(text,
               "classname=\"k01(float const*, float*)\" name=\"&lt;&lt;&lt;4x1x1, 256x1x1, 0&gt;&gt;&gt;\""),
        "%s", text);
    program_read("gate.md", text, sizeof text);
    cr_assert(strstr(text, "k01(float const\\*, float\\*) \\<") && strstr(text, " | gate.cu |"), "%s", text);
}

/* Comments, names of local variables, and flags that leave the PTX alone. */
Test(gate, is_silent_where_the_ptx_is_the_same)
{
    run_ends_with("gate counts.txt -- " PROGRAM("gate_static"), 0);
    run_ends_with("gate counts.txt -- " PROGRAM("gate_moved_static"), 0);
    cr_assert(strstr(output, "the counts are those of counts.txt (kernels by shape: 20)"), "%s", output);
}

/* A program that fails has not done its work: nothing is compared, nothing written. */
Test(gate, compares_nothing_of_a_program_that_fails)
{
    run_ends_with("gate counts.txt -- " PROGRAM("broken_static") " past", 125);
    cr_assert(strstr(errors, "The run ended with status 1: its counts are not compared"), "%s", errors);
    run_ends_with("gate counts.txt -- true", 125);
    cr_assert(strstr(errors, "No launch was counted"), "%s", errors);
    program_read("counts.txt", text, sizeof text);
    cr_assert(*text == '\0', "%s", text);
}

/* Launches of several threads and processes of the program are added up. */
Test(gate, adds_up_threads_and_processes)
{
    run_ends_with("gate counts.txt -- " PROGRAM("api_static") " threads", 0);
    program_read("counts.txt", text, sizeof text);
    cr_assert(strstr(text, "\n  launches 80\n"), "%s", text);
    for (int i = 0; i < 3; i++)
        run_ends_with("gate counts.txt -- " PROGRAM("api_static") " threads", 0);
    run_ends_with(
        "gate twice.txt -- sh -c '" PROGRAM("api_static") " threads && " PROGRAM("api_static") " threads'",
        0);
    program_read("twice.txt", text, sizeof text);
    cr_assert(strstr(text, "\n  launches 160\n"), "%s", text);
}
#endif
