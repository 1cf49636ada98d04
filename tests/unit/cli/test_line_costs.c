/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the lines of a bundled kernel cost: summed up, what the rules say of its accesses; and the line is the
 * one that makes them.
 */
#include "cli/model/model_counts.h"
#include "workloads/frame/workload.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    struct tui_source_query query;
    const char *text; /* in the line that costs most */
} rows[] = {
    {{"copy-stride", "copy", "stride=8,n=16384", "copy_stride", NULL, false}, "out[i] = in[i];"},
    {{"copy-offset", "copy", "offset=3,n=67108864", "copy_offset", NULL, false}, "out[i] = in[i];"},
    {{"transpose", "naive", "n=4096", "transpose_naive", NULL, false},
     "out[x * n + y + j] = in[(y + j) * n + x];"},
    {{"transpose", "tile", "n=4096", "transpose_tile", NULL, false}, "= tile["},
    {{"compaction", "atomic", "keep=100", "compaction_atomic", NULL, false}, "atomicAdd(&count"},
    {{"histogram", "global", "bins=2", "histogram_global", NULL, false}, "atomicAdd(&"},
};
#define RULED 4 /* of them, whose addresses do not depend on data */

static struct access_totals rule_of(const struct tui_source_query *query, const char *spec)
{
    struct workload_case *cases;
    struct access_totals totals;
    size_t count;

    cr_assert_eq(workload_parse(spec, &cases, &count, NULL), STATUS_OK);
    cases[0].info = &gpu_at(0)->info;
    cases[0].small = true;
    cr_assert_eq(cases[0].workload->resolve(&cases[0], NULL), STATUS_OK);
    for (size_t i = 0; i < cases[0].variant->kernel_count; i++)
        if (strcmp(cases[0].variant->kernels[i].kernel, query->kernel) == 0)
            access_totals_count(&cases[0], &cases[0].variant->kernels[i], arch_find(90), &totals);
    free(cases);
    return totals;
}

Test(line_costs, add_up_to_what_the_rules_say)
{
    static const char *const specs[] = {"copy-stride,stride=8", "copy-offset,offset=3", "transpose:naive",
                                        "transpose:tile"};
    for (size_t i = 0; i < RULED; i++) {
        struct access_totals rule = rule_of(&rows[i].query, specs[i]);
        struct tui_source source;
        struct error error = {0};

        cr_assert_eq(line_costs_make(NULL, &rows[i].query, NULL, &source, &error), STATUS_OK, "%s",
                     error.text);
        cr_assert_eq(source.listing.provenance, PROVENANCE_MODELLED);
        uint64_t sectors =
            rule.of[ACCESS_GLOBAL][ACCESS_LOAD].transfers + rule.of[ACCESS_GLOBAL][ACCESS_STORE].transfers;
        uint64_t wavefronts =
            rule.of[ACCESS_SHARED][ACCESS_LOAD].transfers + rule.of[ACCESS_SHARED][ACCESS_STORE].transfers;
        cr_assert_eq(source.listing.totals[CODE_SECTORS], (double)sectors);
        cr_assert_eq(source.listing.totals[CODE_WAVEFRONTS], (double)wavefronts);
        code_listing_fini(&source.listing);
    }
}

Test(line_costs, belong_to_the_line_that_makes_them)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tui_source source;
        struct error error = {0};
        struct code_lines lines;
        uint32_t worst = 0;

        cr_assert_eq(line_costs_make(NULL, &rows[i].query, NULL, &source, &error), STATUS_OK, "%s",
                     error.text);
        cr_assert_eq(code_lines_make(&source.listing, &lines, &error), STATUS_OK);
        for (uint32_t line = 0; line < lines.count; line++) {
            const double *one = lines.lines[line].costs, *most = lines.lines[worst].costs;
            if (code_steps(one) > code_steps(most))
                worst = line;
        }
        cr_assert_str_eq(lines.lines[worst].file, source.path);
        uint32_t number = lines.lines[worst].line;
        cr_assert(strncmp(source.path, "workloads/kernels/", 18) == 0, "%s", source.path);
        const char *text = source.text;
        for (uint32_t line = 1; line < number; line++)
            text = strchr(text, '\n') + 1;
        const char *found = strstr(text, rows[i].text);
        cr_assert(found && found < strchr(text, '\n'), "%s: line %u: %.80s", rows[i].query.kernel, number,
                  text);
        code_lines_fini(&lines);
        code_listing_fini(&source.listing);
    }
}

Test(line_costs, say_what_is_not_there)
{
    const struct tui_source_query unknown = {"no-such", "copy", "", "copy", NULL, false},
                                  kernel = {"copy-stride", "copy", "stride=2", "another", NULL, false};
    struct tui_source source;
    struct error error = {0};

    cr_assert_eq(line_costs_make(NULL, &unknown, NULL, &source, &error), STATUS_STATE);
    cr_assert_not_null(strstr(error.text, "no workload no-such"));
    cr_assert_eq(line_costs_make(NULL, &kernel, NULL, &source, &error), STATUS_STATE);
    cr_assert_not_null(strstr(error.text, "launches no kernel another"));
}
