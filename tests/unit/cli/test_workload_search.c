/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words that a class types find the workloads that are about them: the bundled ones, as the screen has
 * them.
 */
#include "cli/screen/workload_table.h"
#include "tui/frame/workload_search.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

/* The workloads found, the best first: "bank-stride transpose" */
static void found_names(const struct workload_table *table, const char *text, char *names, size_t size_bytes)
{
    char hit[100];
    size_t used = 0;

    names[0] = '\0';
    for (enum workload_match match = MATCH_NONE + 1; match < MATCH_COUNT; match++)
        for (size_t i = 0; i < table->count; i++)
            if (workload_search(&table->rows[i], text, hit, sizeof hit) == match)
                used += (size_t)snprintf(names + used, size_bytes - used, "%s ", table->rows[i].name);
}

Test(workload_search, words_of_a_class_find_their_workloads)
{
    static const struct {
        const char *text, *first, *also; /* also: names that have to be among them */
    } rows[] = {
        {"coalesc", "copy-offset", "copy-stride aos-soa load-pattern transpose"},
        {"conflict", "bank-stride", "transpose matmul-aat reduction scan"},
        {"bank conflict", "bank-stride", "transpose bank-broadcast"},
        {"gemm", "matmul-ab", "matmul-aat"},
        {"tiling", "transpose", "matmul-ab matmul-aat"},
        {"unified", "zero-copy", ""},
        {"pinned", "host-copy", "zero-copy staged-overlap"},
        {"async", "async-calls", "n-way staged-overlap prefetch"},
        {"stream", "default-stream", "n-way staged-overlap issue-order concurrent-kernels"},
        {"occupancy", "occupancy-smem", "block-size registers ilp"},
        {"divergence", "divergence", "reduction"},
        {"atomic", "atomics", "histogram compaction"},
        {"bank", "bank-stride", "bank-broadcast transpose"},
        {"stride", "copy-stride", "bank-stride matmul-aat"},
        {"zero-copy", "zero-copy", ""},
        {"zero copy", "zero-copy", ""},
        {"register spill", "registers", "local-array"},
        {"roofline", "matmul-ab", "math"},
        {"cudaMemcpy", "host-copy", "n-way peer"},
        {"shuffle", "reduction", "scan"},
        {"graph", "launch", ""},
        {"Padding", "scan", "transpose"},
        {"cudaMallocAsync", "allocation", ""},
        {"clock", "timing", ""},
    };
    struct workload_table table;

    cr_assert_eq(workload_table_make(&table, NULL), STATUS_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char names[4000], also[200], *rest = also, *name;

        found_names(&table, rows[i].text, names, sizeof names);
        cr_expect(strncmp(names, rows[i].first, strlen(rows[i].first)) == 0, "%s: %s", rows[i].text, names);
        strcpy(also, rows[i].also);
        while ((name = strtok_r(rest, " ", &rest)))
            cr_expect(strstr(names, name), "%s does not find %s: %s", rows[i].text, name, names);
    }
    workload_table_free(&table);
}

/* Its whole name: a part of it is a word of the workloads before it. */
Test(workload_search, an_exercise_is_found_first_by_its_name)
{
    struct workload_table table;
    char names[4000];

    cr_assert_eq(workload_table_make(&table, NULL), STATUS_OK);
    cr_assert_eq(workload_table_add_exercises(&table, NULL), STATUS_OK);
    found_names(&table, "coalesce", names, sizeof names);
    cr_expect(strncmp(names, "exercise:coalesce ", 18) == 0, "%s", names);
    found_names(&table, "coa", names, sizeof names);
    cr_expect(strncmp(names, "copy-offset ", 12) == 0, "%s", names);
    workload_table_free(&table);
}

Test(workload_search, what_is_mistyped_has_a_nearest_word)
{
    static const struct {
        const char *text, *word; /* NULL: none */
    } rows[] = {
        {"coalecsing", "coalescing"},  {"transpoes", "transpose"},
        {"bank conflcit", "conflict"}, {"qqqqqq", NULL},
        {"occupnacy", "occupancy"},
    };
    struct workload_table table;

    cr_assert_eq(workload_table_make(&table, NULL), STATUS_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char word[80] = "";
        bool near = workload_search_nearest(table.rows, table.count, rows[i].text, word, sizeof word) != NULL;

        cr_expect(near == (rows[i].word != NULL) && (!near || strcmp(word, rows[i].word) == 0), "%s: %s",
                  rows[i].text, word);
    }
    workload_table_free(&table);
}

/* What was found stands in the hit, in a lesson too, however short the room for it is. */
Test(workload_search, a_hit_has_what_was_found)
{
    struct workload_table table;
    char hit[200];

    cr_assert_eq(workload_table_make(&table, NULL), STATUS_OK);
    for (size_t i = 0; i < table.count; i++) {
        enum workload_match match = workload_search(&table.rows[i], "sector", hit, sizeof hit);

        cr_expect(match < MATCH_WORDS || strcasestr(hit, "sector"), "%s: %s", table.rows[i].name, hit);
        cr_expect(!strpbrk(hit, "`*\n|"), "%s: %s", table.rows[i].name, hit);
        for (size_t size = 1; size < 40; size++) {
            memset(hit, '#', sizeof hit);
            workload_search(&table.rows[i], "sector", hit, size);
            cr_expect(memchr(hit, '\0', size) && hit[size] == '#');
        }
    }
    workload_table_free(&table);
}
