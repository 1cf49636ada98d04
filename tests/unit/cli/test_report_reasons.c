/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One command, one table and the reason: below a kernel's time stands what to change first, of that launch
 * which would gain most; on what an H200 counted, kept in tests/data.
 */
#include "cli/report/report.h"
#include "core/recording/recording.h"
#include "tests/shared/made/made_report.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct session *recorded(const char *name)
{
    char path[8192];
    struct session *session;
    struct error error = {0};
    snprintf(path, sizeof path, TEST_SOURCE_DIR "/tests/data/%s", name);
    cr_assert_eq(recording_load(&session, path, &error), STATUS_OK, "%s", error.text);
    return session;
}

static char *table_of(const char *name)
{
    struct session *session = recorded(name);
    char *text = made_report(session, TABLE);
    session_destroy(session);
    return text;
}

/* What follows the row of the kernel in the table of times, up to the next row; lines are joined. For the caller to free. */
static char *below(const char *table, const char *kernel)
{
    char end[80];
    snprintf(end, sizeof end, " %s\n", kernel);
    const char *row = strstr(strstr(table, "\n   share   total   calls  median"), end);
    cr_assert_not_null(row, "no row of %s", kernel);
    row += strlen(end);
    char *text = strdup(row), *line = text;
    if (strncmp(row, "     ", 5) != 0) {
        text[strcspn(text, "\n")] = '\0';
        return text;
    }
    while ((line = strstr(line, "\n     ")))
        memmove(line, line + 5, strlen(line + 5) + 1);
    text[strcspn(text, "\n")] = '\0';
    return text;
}

Test(report_reasons, stand_below_the_times)
{
    static const struct {
        const char *kernel, *line;
    } rows[] = {
        {"transpose_naive",
         "     why: Global stores move 8x the sectors they need (measured; <= 88 % of its time)"},
        {"transpose_tile",
         "     why: Shared loads take 32x the wavefronts they need (measured; <= 63 % of its time)"},
        {"transpose_pad",
         "     fine: Device memory is at 74 % of its peak and no bandwidth is wasted (measured)"},
        /* stride 1 has nothing wrong, and 8 most to gain */
        {"copy_stride", "     why: Global loads move 8x the sectors they need (measured; <= 91 % of "
                        "copy-stride:copy stride=8,n=16777216)"},
        /* nothing wrong: the next kernel's row follows */
        {"matmul_simple", "  0.09 %  329 us       8 41.2 us 41.1 us 41.3 us matmul_a_tile"},
    };
    char *table = table_of("h200.lsr");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *line = below(table, rows[i].kernel);
        cr_assert_str_eq(line, rows[i].line, "%s: '%s'", rows[i].kernel, line);
        free(line);
    }
    cr_assert(strstr(table, "\n10 of 17 kernels have something to gain, 6 fine, 1 not counted\n"));
    free(table);
}

/* First the runs, by the time that their work took: what is wrong with them is no kernel's. */
Test(report_reasons, of_the_runs_stand_first)
{
    static const char *const lines[] = {
        ("\ndevice time of best whole run    copies    hidden run\n    17.7 ms   5.90x   70.2 ms   15.9 ms    0.00 %  "
         "staged-overlap:whole-pageable streams=1\n"
         "     why: Copies from or to pageable memory take 86 % of the busy time (measured; <= 86 % to gain)\n"),
        ("    5.66 ms   1.99x   49.1 ms   3.85 ms    0.00 %  n-way:serial n=8650752\n"
         "     why: Kernels hide none of the copy time that they could hide (measured; <= 66 % to gain)\n"),
        "\n163 more rows: --wide shows them\n"};
    char *table = table_of("h200.lsr");
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char *line = strstr(table, lines[i]);
        cr_assert(line && line < strstr(table, "\n   share   total"), "%s not in\n%.3000s", lines[i], table);
    }
    free(table);
}

/* The run's kernels are the wrong ones: of each alone there is nothing to say. */
Test(report_reasons, of_a_program_whose_kernels_have_nothing_wrong)
{
    char *table = table_of("cublas_h200.lsr");
    cr_assert(strstr(table, "\n0 of 2 kernels have something to gain, 1 at a limit, 1 not counted"));
    const char *why = strstr(table, "why:");
    cr_assert(why && strstr(why, "why: Matrix products in full 32-bit floats take 99 %"));
    cr_assert(!strstr(why + 1, "why:"));
    free(table);
}

/* By the short name, by the name without parameters, and by the whole. */
Test(report_reasons, kernels_are_asked_for_by_either_name)
{
    static const char *const patterns[] = {"DeviceReduceKernel<plus>", "*::DeviceReduceKernel<*>",
                                           "void cub::*::DeviceReduceKernel<*>(*)", "DeviceReduceK..l<plus>"};
    struct session *session = recorded("ladders_h200.lsr");
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        struct error error = {0};
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        cr_assert_eq(report_table(session, patterns[i], out, 0, &error), STATUS_OK, "%s", error.text);
        fclose(out);
        cr_assert(strstr(text, " DeviceReduceKernel<plus>\n"), "%s: %s", patterns[i], text);
        cr_assert(strstr(text, " of 1 kernel has "), "%s", text);
        free(text);
    }
    session_destroy(session);
}

/* --kernel: these kernels and nothing else, with their share of the whole. */
Test(report_reasons, of_the_kernels_that_were_asked_for)
{
    struct session *session = recorded("h200.lsr");
    struct error error = {0};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    cr_assert_eq(report_table(session, "transpose_[nt]*", out, 0, &error), STATUS_OK, "%s", error.text);
    fclose(out);
    cr_assert(strstr(text, "  0.56 % 2.12 ms       8  266 us  258 us  267 us transpose_naive\n"));
    cr_assert(strstr(text, "\n2 of 2 kernels have something to gain\n"));
    cr_assert(strstr(text, "n=4096 transpose_tile\n"), "its counters");
    cr_assert(!strstr(text, "copy_offset") && !strstr(text, "API time") && !strstr(text, "the run\n"));
    free(text);
    out = fopen("/dev/null", "w");
    cr_assert_eq(report_csv(session, "nothing", out, &error), STATUS_USAGE);
    cr_assert(strstr(error.text, "No kernel's name matches") &&
              strstr(error.text, "copy_offset, copy_stride"));
    fclose(out);
    session_destroy(session);
}
