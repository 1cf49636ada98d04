/* SPDX-License-Identifier: Apache-2.0 */
/* tests/data/kernels/missing.cu: the first word of a kernel's name is how many barriers are missing, and so many reports
 * there are, in one launch and in several, whatever the order of blocks and warps. */
#include "simt/check/finding.h"
#include "tests/shared/made/run_model.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define BLOCKS 2
#define WORDS 1024

TestSuite(place, .init = model_open, .fini = model_close);

static uint64_t arguments[5];

static void allocate(void)
{
    uint8_t *bytes;
    for (int i = 0; i < 4; i++) {
        arguments[i] = model_allocate(WORDS * 4, &bytes);
        for (uint32_t word = 0; word < WORDS; word++) {
            const uint32_t value = i == 0 ? word * 2654435761U >> 7 : 0;
            memcpy(bytes + 4 * (size_t)word, &value, 4);
        }
    }
    arguments[4] = 4;
}

/* Counts the errors of a launch; text: of the first one. */
static uint32_t run(const char *kernel, bool reverse, struct check_seen *seen, uint32_t *news,
                    char text[1024])
{
    uint8_t parameters[40];
    struct grid_launch launch = {
        .module = model_module, .grid = {BLOCKS, 1, 1}, .block = {64, 1, 1}, .parameters = parameters};
    struct grid_result result;
    struct error error;
    uint8_t *count;
    uint32_t errors = 0;

    memcpy(parameters, arguments, sizeof parameters);
    cr_assert_eq(memory_access(model_memory, arguments[3], 4, true, &count, &error), STATUS_OK);
    memset(count, 0, 4);
    cr_assert_eq(module_program(model_module, kernel, true, &launch.program, &error), STATUS_OK, "%s",
                 error.text);
    model_machine.reverse = reverse;
    cr_assert_eq(grid_run(&model_machine, &launch, &result, &error), STATUS_OK, "%s: %s", kernel, error.text);
    for (uint32_t i = 0; i < result.checks.report_count; i++) {
        const struct check_report *report = &result.checks.reports[i];
        if (check_is_note(report))
            continue;
        *news += check_see(seen, launch.program, report);
        if (errors++ == 0)
            check_text(launch.program, report, text, 1024);
    }
    grid_result_fini(&result);
    return errors;
}

static const char *const kernels[] = {"one_tile_is_filled_again",
                                      "one_pair_of_tiles_is_used_again",
                                      "two_in_a_row",
                                      "two_loops_read_their_neighbour",
                                      "one_warp_reduces",
                                      "one_function_is_called_twice",
                                      "one_fence_of_the_last_block",
                                      "one_barrier_of_the_grid"};

Test(place, one_missing_barrier_is_one_report)
{
    model_load("tests/data/ptx/missing");
    allocate();
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        const uint32_t missing = strncmp(kernels[i], "one_", 4) == 0 ? 1 : 2;
        static struct check_seen seen;
        uint32_t news = 0;
        char text[1024];
        seen.count = 0;
        for (int reverse = 0; reverse < 2; reverse++) {
            uint32_t errors = run(kernels[i], reverse, &seen, &news, text);
            cr_expect_eq(errors, missing, "%s: %u: %s", kernels[i], errors, text);
        }
        cr_expect_eq(news, missing, "%s: %u are told in two launches: %s", kernels[i], news, text);
    }
}

/* The sentence lists the other pairs of lines, and a finding that is read from it has them. A row of any of its lines
 * suppresses it: those that were kept when each pair was a finding still do. */
Test(place, a_report_lists_its_pairs)
{
    static struct check_seen seen;
    struct finding finding;
    struct known_findings *known;
    uint32_t news = 0;
    char text[1024], row[2000], path[] = "/tmp/lanescope-place-XXXXXX";

    model_load("tests/data/ptx/missing");
    allocate();
    cr_assert_eq(run("one_warp_reduces", false, &seen, &news, text), 1);
    cr_assert(strstr(text, " without a barrier of the warp in between; the same is missing "), "%s", text);
    cr_assert(finding_read(text, &finding));
    cr_expect_eq(finding.also_count, CHECK_PAIRS, "%s", text);
    cr_expect_eq(finding.pairs, 9, "%u: %s", finding.pairs, text);
    for (uint32_t i = 0; i < finding.also_count; i++) {
        cr_expect_str_eq(finding.also[i].file, finding.file);
        cr_expect(finding.also[i].line >= finding.line && finding.also[i].line <= finding.line + 4, "%s",
                  text);
    }
    struct finding old = finding;
    old.line = finding.also[3].line;
    cr_assert_neq(old.line, finding.line);
    finding_row(&old, "known before", row, sizeof row);
    FILE *file = fdopen(mkstemp(path), "w");
    cr_assert(file && fprintf(file, "%s\n", row) > 0 && fclose(file) == 0);
    cr_assert_eq(known_findings_open(path, &known, NULL), STATUS_OK);
    remove(path);
    const char *reason = known_findings_find(known, &finding);
    cr_assert(reason && strcmp(reason, "known before") == 0, "%s", row);
    known_findings_close(known);
}

/* A function that is called at two lines, as nvcc -G leaves it: of the program's own, and of a header of the toolkit. */
static const char called[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n.file 1 \"kernel.cu\"\n.file 2 \"cuda/own.h\"\n"
    ".shared .align 4 .b8 s[8];\n"
    ".func own() { .reg .b32 %r<2>; .reg .pred %p<2>;\n.loc 1 3 1\nld.shared.u32 %r1, [s];\n"
    "setp.eq.u32 %p1, %r1, 1; @%p1 bra END; st.shared.u32 [s + 4], 1; END: ret; }\n"
    ".func toolkit() { .reg .b32 %r<2>; .reg .pred %p<2>;\n.loc 2 7 1\nld.shared.u32 %r1, [s];\n"
    "setp.eq.u32 %p1, %r1, 1; @%p1 bra END; st.shared.u32 [s + 4], 1; END: ret; }\n"
    /* What the toolkit's function loads is used in another one that it calls. */
    ".func use(.param .b32 v) { .reg .b32 %r<2>; .reg .pred %p<2>;\n.loc 2 20 1\nld.param.u32 %r1, [v];\n"
    "setp.eq.u32 %p1, %r1, 0; @%p1 bra END; st.shared.u32 [s + 4], 1; END: ret; }\n"
    ".func load() { .reg .b32 %r<2>; .param .b32 v;\n.loc 2 30 1\nld.shared.u32 %r1, [s];\n"
    "st.param.b32 [v], %r1; call use, (v); ret; }\n"
    ".entry of_nested() {\n.loc 1 10 1\ncall load, ();\n.loc 1 11 1\ncall load, ();\n.loc 1 12 1\nret; }\n"
    ".entry of_own() {\n.loc 1 10 1\ncall own, ();\n.loc 1 11 1\ncall own, ();\n.loc 1 12 1\nret; }\n"
    ".entry of_toolkit() {\n.loc 1 10 1\ncall toolkit, ();\n.loc 1 11 1\ncall toolkit, ();\n.loc 1 12 1\nret; }\n";

Test(place, callers_are_told_apart)
{
    static const char *const rows[][3] = {
        {"of_own", "(kernel.cu:3, called at line 10, ld.", "(kernel.cu:3, called at line 11, ld."},
        {"of_toolkit", "(kernel.cu:10, ld.", "(kernel.cu:11, ld."},
        {"of_nested", "(kernel.cu:10, ld.", "(kernel.cu:11, ld."}};
    struct error error;

    model_load_text("called.ptx", called, sizeof called - 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static struct check_seen seen;
        struct grid_launch launch = {.module = model_module, .grid = {1, 1, 1}, .block = {32, 1, 1}};
        struct grid_result result;
        char text[1024];
        cr_assert_eq(module_program(model_module, rows[i][0], true, &launch.program, &error), STATUS_OK, "%s",
                     error.text);
        cr_assert_eq(grid_run(&model_machine, &launch, &result, &error), STATUS_OK, "%s", error.text);
        cr_expect_eq(result.checks.report_count, 2, "%s: %u", rows[i][0], result.checks.report_count);
        for (uint32_t k = 0; k < 2 && k < result.checks.report_count; k++) {
            const struct check_report *report = &result.checks.reports[k];
            check_text(launch.program, report, text, sizeof text);
            cr_expect(strstr(text, rows[i][k + 1]), "%s", text);
            cr_expect(check_see(&seen, launch.program, report), "%s", text);
        }
        grid_result_fini(&result);
    }
}
