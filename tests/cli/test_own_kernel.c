/* SPDX-License-Identifier: Apache-2.0 */
/* A user's kernels in place of bundled ones, by --kernel FILE: as the user runs and reads it. */
#include "tests/cli/program.h"
#include "workloads/frame/image.h"
#include "workloads/frame/texts.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char output[1 << 20], errors[1 << 16], text[1 << 20];

static void enter(void)
{
    program_enter();
#ifdef TEST_TOOLKIT
    setenv("CUDA_HOME", TEST_TOOLKIT, 1);
#endif
}

TestSuite(own_kernel, .init = enter, .fini = program_leave, .timeout = 120);

static int run(const char *arguments)
{
    return program_run(arguments, output, errors, sizeof errors);
}

/* A copy of a text with the first `what` replaced. */
static const char *replaced(const char *from, const char *what, const char *with)
{
    const char *at = strstr(from, what);

    cr_assert_not_null(at, "%s", what);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - from), from, with, at + strlen(what));
    return text;
}

/* What the report has of the sectors of global loads. */
static void check_expected(const char *recording, const char *wanted)
{
    char arguments[100], line[400];

    snprintf(arguments, sizeof arguments, "report %s --json", recording);
    cr_assert_eq(run(arguments), 0, "%s", errors);
    const char *at = strstr(output, "\"metric\": \"global_load_sectors\"");
    cr_assert_not_null(at);
    snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
    cr_assert(strstr(line, wanted), "%s", line);
}

/* Its runs say whose kernel it was, and nothing is expected of it. */
Test(own_kernel, ptx_runs_in_place_of_the_bundled_kernel)
{
    program_write("mine.ptx", kernel_ptx_find("copy_stride")->data);
    cr_assert_eq(run("--device simt --record a.lsr --kernel mine.ptx copy-stride,stride=2"), 0, "%s", errors);
    cr_assert(strstr(output, "kernel=mine.ptx@"), "%s", output);
    cr_assert(strstr(output, "1 of 1 runs verified"), "%s", output);
    cr_assert_eq(run("--device simt --record b.lsr copy-stride,stride=2"), 0, "%s", errors);
    cr_assert(!strstr(output, "kernel="), "%s", output);
    check_expected("b.lsr", "\"expected\": 2048");
    check_expected("a.lsr", "\"expected\": null");
    cr_assert(strstr(output, "mine.ptx@"), "%s", output);

    /* the address is another */
    program_write("mine.ptx", replaced(kernel_ptx_find("copy_stride")->data, "mul.lo.s32", "add.s32"));
    cr_assert_eq(run("--device simt --record c.lsr --kernel mine.ptx copy-stride,stride=2"), 1, "%s", errors);
    cr_assert(strstr(errors, "copy-stride:copy computed a wrong result with mine.ptx@"), "%s", errors);
}

/* Of a workload with several kernels only the variant of the user's kernel is the user's. */
/* The compiler's driver gives the path of the file to a shell: its words are no commands. */
Test(own_kernel, the_name_of_a_file_is_no_command)
{
    cr_assert_eq(
        system("cp " TEST_SOURCE_DIR "/workloads/kernels/copy_offset.cu 'k$(touch ran)`touch ran`.cu'"), 0);
    run("--device simt --record a.lsr --kernel 'k$(touch ran)`touch ran`.cu' copy-offset,n=16384");
    cr_assert(access("ran", F_OK) < 0, "the words ran: %s%s", output, errors);
    if (strstr(errors, "nvcc") == NULL && strstr(errors, "NVRTC") == NULL) /* else there is no compiler */
        cr_assert(strstr(output, ", 1 of 1 runs"), "%s%s", output, errors);
}

Test(own_kernel, variants_of_other_kernels_stay_the_bundled)
{
    static const char one[] = ".version 9.0\n.target sm_90\n.address_size 64\n"
                              ".visible .entry aos(.param .u64 a, .param .u64 b, .param .u32 c, .param .u32 "
                              "d, .param .u32 e) { ret; }\n";

    program_write("aos.ptx", one);
    cr_assert_eq(run("--device simt --size small --record a.lsr --kernel aos.ptx aos-soa --full"), 1, "%s",
                 errors);
    cr_assert(strstr(output, "aos.ptx@"), "%s", output);
    size_t count = 0;
    for (const char *at = output; (at = strstr(at, ": WRONG RESULT.")) != NULL; at++)
        count++;
    cr_assert_eq(count, 1, "%s", output);
}

Test(own_kernel, the_command_line_is_checked)
{
    static const struct {
        const char *arguments;
        int status;
        const char *says;
    } rows[] = {
        {"--device simt --record a.lsr --kernel mine.ptx", 2,
         "Name the workload that runs with the kernels of mine.ptx"},
        {"--device simt --record a.lsr --kernel nothere.cu copy-stride", 1, "Cannot read nothere.cu"},
        {"--device simt --record a.lsr --kernel copy.c copy-stride", 2,
         "--kernel is for a GPU"}, /* a pattern */
        {"--device simt --record a.lsr --kernel folder.cu copy-stride", 1, "it is not a regular file"},
    };
    cr_assert_eq(system("mkdir folder.cu"), 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cr_assert_eq(run(rows[i].arguments), rows[i].status, "row %zu: %s", i, errors);
        cr_assert(strstr(errors, rows[i].says), "row %zu: %s", i, errors);
    }
}

#ifdef TEST_TOOLKIT
Test(own_kernel, cuda_is_compiled)
{
    program_write("mine.cu", text_source("copy-stride"));
    cr_assert_eq(run("--device simt --record a.lsr --kernel mine.cu copy-stride,stride=2"), 0, "%s", errors);
    cr_assert(strstr(output, "kernel=mine.cu@"), "%s", output);
    /* the same kernel by the same compiler: the same counts */
    cr_assert_eq(run("--device simt --record b.lsr copy-stride,stride=2"), 0, "%s", errors);
    cr_assert_eq(run("diff a.lsr:copy-stride b.lsr:copy-stride"), 0, "%s", errors);

    program_write("mine.cu", replaced(text_source("copy-stride"), "in[i];", "im[i]"));
    cr_assert_eq(run("--device simt --record c.lsr --kernel mine.cu copy-stride"), 1, "%s", errors);
    cr_assert(strstr(errors, "mine.cu does not compile: line 9: identifier \"im\" is undefined"), "%s",
              errors);
}
#endif

#ifdef TEST_NVRTC
/* The counts are those of nvcc's PTX, and the messages have their lines. */
Test(own_kernel, nvrtc_compiles_as_nvcc_does)
{
    setenv("LANESCOPE_COMPILER", "nvrtc", 1);
    program_write("mine.cu", text_source("transpose"));
    cr_assert_eq(run("--device simt --record a.lsr --kernel mine.cu transpose:pad"), 0, "%s", errors);
    cr_assert_eq(run("--device simt --record b.lsr transpose:pad"), 0, "%s", errors);
    cr_assert_eq(run("diff a.lsr:transpose b.lsr:transpose"), 0, "%s", errors);
    cr_assert_eq(run("doctor"), 0, "%s", errors);
    cr_assert(strstr(output, "compiler       NVRTC, /"), "%s", output);

    program_write("mine.cu", replaced(text_source("copy-stride"), "in[i];", "im[i]"));
    cr_assert_eq(run("--device simt --record c.lsr --kernel mine.cu copy-stride"), 1, "%s", errors);
    cr_assert(strstr(errors, "mine.cu does not compile: line 9: identifier \"im\" is undefined"), "%s",
              errors);
    program_write("mine.cu",
                  "#include <cooperative_groups.h>\n#include <stdio.h>\nint main() { return 0; }\n");
    cr_assert_eq(run("--device simt --record c.lsr --kernel mine.cu copy-stride"), 1, "%s", errors);
    cr_assert(strstr(errors, "mine.cu does not compile: line 3: A function without execution space"), "%s",
              errors);

    setenv("LANESCOPE_COMPILER", "icc", 1);
    cr_assert_eq(run("--device simt --record c.lsr --kernel mine.cu copy-stride"), 1, "%s", errors);
    cr_assert(strstr(errors, "LANESCOPE_COMPILER is 'icc': it may be nvcc or nvrtc."), "%s", errors);
}
#endif
