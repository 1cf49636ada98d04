/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences and rows, by what they are read as. */
#include "simt/check/finding.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Test(finding, sentences_are_read)
{
    static const struct {
        const char *text, *kernel, *file;
        enum check_kind kind;
        uint32_t line;
    } rows[] = {
        {"race in shared memory: in void a::sum<int, 4>(int*), thread (32,0,0) of block (0,0,0) writes 4 "
         "bytes at shared "
         "0x80, which thread (1,0,0) reads at b.cu:21 without a barrier in between (32 times) (/x y/b.cu:20, "
         "st.shared.u32 [%r4], %r1)",
         "void a::sum<int, 4>(int*)", "/x y/b.cu", CHECK_RACE, 20},
        {"read before written: in f(), thread (0,0,0) of block (0,0,0) reads (call (retval), g, (x))", "f()",
         "", CHECK_UNINITIALISED, 0},
        {"race in global memory: a copy to the device in stream 3 writes 4 bytes at global 0x1, which kernel "
         "k reads (k.cu:9)",
         "", "k.cu", CHECK_GLOBAL_RACE, 9},
        {"trap: in t, thread (0,0,0) of block (0,0,0) (t.cu:7, trap) [known: (by: us, c.cu:8, x)]", "t",
         "t.cu", CHECK_TRAP, 7},
    };
    struct finding finding;
    char reason[64];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert(finding_read(rows[i].text, &finding), "%zu", i);
        cr_assert_eq(finding.kind, rows[i].kind, "%zu: %d", i, (int)finding.kind);
        cr_assert_str_eq(finding.kernel, rows[i].kernel, "%zu: %s", i, finding.kernel);
        cr_assert_str_eq(finding.file, rows[i].file, "%zu: %s", i, finding.file);
        cr_assert_eq(finding.line, rows[i].line, "%zu: %u", i, finding.line);
    }
    cr_assert_str_eq(finding_reason(rows[3].text, reason, sizeof reason), "(by: us, c.cu:8, x)");
    cr_assert_null(finding_reason(rows[0].text, reason, sizeof reason));
    cr_assert(!finding_read("The program calls cudaFoo, which ...", &finding));
    cr_assert(!finding_read("", &finding));
}

/* Pairs of lines, a line with itself, and as recordings of before have that. */
Test(finding, pairs_of_lines_are_read)
{
    static const char begin[] =
        "race in shared memory: in k, thread (1,0,0) of block (0,0,0) writes 4 bytes at shared 0x0, "
        "which thread (0,0,0) reads at line 9 without a barrier in between; the same is missing ",
                      end[] = " (3 times) (k.cu:6, st.shared.u32 [%r4], %r1)";
    static const struct {
        const char *pairs;
        uint32_t pair_count, also_count, lines[2][2];
    } rows[] = {{"at line 9", 2, 1, {{9, 9}}},
                {"between lines 9 and 9", 2, 1, {{9, 9}}},
                {"between lines 98 and 87, at line 9, and 3 more pairs of lines", 6, 2, {{98, 87}, {9, 9}}},
                {"at line 9, between lines 98 and b.cuh:87", 3, 2, {{9, 9}, {98, 87}}},
                {"between 3 more pairs of instructions", 1, 0, {{0, 0}}}};
    struct finding finding;
    char text[600];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(text, sizeof text, "%s%s%s", begin, rows[i].pairs, end);
        cr_assert(finding_read(text, &finding), "%s", text);
        cr_expect_eq(finding.pairs, rows[i].pair_count, "%s: %u", rows[i].pairs, finding.pairs);
        cr_assert_eq(finding.also_count, rows[i].also_count, "%s: %u", rows[i].pairs, finding.also_count);
        for (uint32_t k = 0; k < finding.also_count; k++) {
            cr_expect_eq(finding.also[k].line, rows[i].lines[k][0], "%s: %u", rows[i].pairs,
                         finding.also[k].line);
            cr_expect_eq(finding.also[k].other_line, rows[i].lines[k][1], "%s: %u", rows[i].pairs,
                         finding.also[k].other_line);
        }
    }
}

/* The row that is made for a finding fits it and no other, whatever its names hold. */
Test(finding, a_row_fits_its_finding_alone)
{
    static const struct finding findings[] = {
        {.kind = CHECK_RACE, .kernel = "k<*>[with T = int]\\", .file = "/a/b[1].cu", .line = 3},
        {.kind = CHECK_RACE, .kernel = "k<x>[with T = int]\\", .file = "/a/b[1].cu", .line = 3},
        {.kind = CHECK_RACE, .kernel = "k<*>[with T = int]\\", .file = "/a/b1.cu", .line = 3},
        {.kind = CHECK_GLOBAL_RACE, .kernel = "k<*>[with T = int]\\", .file = "/a/b[1].cu", .line = 3},
        {.kind = CHECK_RACE}};
    const size_t count = sizeof findings / sizeof *findings;
    char path[] = "/tmp/lanescope-finding-XXXXXX", row[2000];
    unsigned line = 0;

    for (size_t i = 0; i < count; i++) {
        int descriptor = mkstemp(path);
        FILE *file = fdopen(descriptor, "w");
        struct known_findings *known;
        finding_row(&findings[i], "a reason | with bars", row, sizeof row);
        cr_assert(file && fprintf(file, "\n# a comment\n%s\r\n", row) > 0 && fclose(file) == 0);
        cr_assert_eq(known_findings_open(path, &known, NULL), STATUS_OK);
        cr_assert_eq(known_findings_unmet(known, &line), 1);
        cr_assert_eq(line, 3);
        for (size_t k = 0; k < count; k++) {
            const char *reason = known_findings_find(known, &findings[k]);
            cr_assert_eq(reason != NULL, i == k, "%zu and %zu: %s", i, k, row);
            cr_assert(!reason || strcmp(reason, "a reason | with bars") == 0, "%s", reason);
        }
        cr_assert_eq(known_findings_unmet(known, &line), 0);
        known_findings_close(known);
        unlink(path);
        strcpy(strrchr(path, '-'), "-XXXXXX");
    }
    cr_assert_null(known_findings_find(NULL, &findings[0]));
}
