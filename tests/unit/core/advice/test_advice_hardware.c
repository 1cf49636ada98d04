/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules on accesses, local memory and divergence over what an H200 counted
 * (tests/data/parity/workloads_h200.csv): they fire on the variant that shows the fault, and are silent on
 * the one that mends it.
 */
#include "core/advice/advice.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNTED TEST_SOURCE_DIR "/tests/data/parity/workloads_h200.csv"
#define COLUMNS_MAX 40
#define LINE_BYTES 4096

/* Of a workload's variant and parameters ("": all): the rules that fire on each kernel. */
static const struct {
    const char *workload, *variant, *params;
    const char *fire;
} cases[] = {
    {"registers", "24", "", "local_memory"},
    {"registers", "32", "", "local_memory"},
    {"registers", "40", "", "local_memory"},
    {"registers", "64", "", ""},
    {"registers", "96", "", ""},
    {"registers", "128", "", ""},
    {"registers", "255", "", ""},
    {"local-array", "variable", "", "local_memory"},
    {"local-array", "constant", "", ""},
    {"divergence", "lane", "ways=2 n=2048", "divergence"},
    {"divergence", "warp", "ways=2 n=2048", ""},
    {"transpose", "naive", "", "uncoalesced_stores"},
    {"transpose", "tile", "", "shared_load_conflicts"},
    {"transpose", "pad", "", ""},
    {"transpose", "swizzle", "", ""},
    {"transpose", "copy", "", ""},
};
static size_t rows_seen[sizeof cases / sizeof *cases];

static size_t split(char *line, char *fields[COLUMNS_MAX])
{
    size_t count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *field = strsep(&line, ","); field && count < COLUMNS_MAX; field = strsep(&line, ","))
        fields[count++] = field;
    return count;
}

static void check_row(char *const heads[], char *const fields[], size_t columns)
{
    struct advice_kernel kernel = {.arch = arch_find(90)};
    struct advice_list list;
    unsigned block[3];
    char fired[400] = "";
    for (size_t c = 0; c < columns; c++) {
        enum metric metric = metric_find(heads[c]);
        if (strcmp(heads[c], "block") == 0) {
            cr_assert_eq(sscanf(fields[c], "%ux%ux%u", &block[0], &block[1], &block[2]), 3);
            kernel.shape.threads_per_block = block[0] * block[1] * block[2];
        } else if (metric < METRIC_COUNT && fields[c][0] != '\0') {
            kernel.values[metric] = (struct value){
                .available = true, .provenance = PROVENANCE_MEASURED, .number = atof(fields[c])};
        }
    }
    advice_of_kernel(&kernel, &list);
    for (size_t a = 0; a < list.count; a++)
        snprintf(fired + strlen(fired), sizeof fired - strlen(fired), "%s%s", a > 0 ? " " : "",
                 list.items[a].rule->id);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(fields[0], cases[i].workload) != 0 || strcmp(fields[1], cases[i].variant) != 0 ||
            (cases[i].params[0] != '\0' && strcmp(fields[2], cases[i].params) != 0))
            continue;
        rows_seen[i]++;
        cr_expect_str_eq(fired, cases[i].fire, "%s:%s %s: %s, not %s", fields[0], fields[1], fields[2], fired,
                         cases[i].fire);
    }
}

Test(advice_hardware, on_the_counts_of_an_h200)
{
    static char head[LINE_BYTES], line[LINE_BYTES];
    char *heads[COLUMNS_MAX], *fields[COLUMNS_MAX];
    FILE *file = fopen(COUNTED, "r");
    cr_assert_not_null(file);
    cr_assert_not_null(fgets(head, sizeof head, file));
    size_t columns = split(head, heads);
    while (fgets(line, sizeof line, file)) {
        cr_assert_eq(split(line, fields), columns);
        check_row(heads, fields, columns);
    }
    fclose(file);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_gt(rows_seen[i], 0, "%s:%s %s is not among the counts", cases[i].workload, cases[i].variant,
                     cases[i].params);
}
