/* SPDX-License-Identifier: Apache-2.0 */
/* What the sites of kernels say whose accesses depend in part on the data, beside what an H200 counted of
 * them on 2026-11-22 (docs/results/curriculum.md). */
#include "core/hardware/arch.h"
#include "workloads/frame/workload.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const struct kernel_sites *kernel_of(const struct workload_case *c, const char *name)
{
    for (size_t i = 0; i < c->variant->kernel_count; i++)
        if (strcmp(c->variant->kernels[i].kernel, name) == 0)
            return &c->variant->kernels[i];
    cr_assert_fail("%s has no kernel %s", c->variant->name, name);
    return NULL;
}

static struct value expected_of(const char *text, const char *kernel, enum metric metric)
{
    struct device_info info = {.compute_capability = 90, .multiprocessors = 132, .l2_bytes = 50u << 20};
    struct workload_case *c;
    struct error error = {0};
    size_t count;

    cr_assert_eq(workload_parse(text, &c, &count, &error), STATUS_OK, "%s", error.text);
    cr_assert_eq(count, 1);
    c->info = &info;
    cr_assert_eq(c->workload->resolve(c, &error), STATUS_OK, "%s", error.text);
    struct value found = workload_expected(c, kernel_of(c, kernel), metric, arch_find(90));
    free(c);
    return found;
}

Test(workload_data, what_the_data_leaves_to_rules_is_what_was_counted)
{
    static const struct {
        const char *text, *kernel;
        enum metric metric;
        double counted;
    } table[] = {
        {"compaction:atomic,n=16777216", "compaction_atomic", METRIC_global_load_sectors, 2097152},
        {"compaction:warp,n=16777216", "compaction_warp", METRIC_shared_load_instructions, 0},
        {"compaction:block,keep=1,n=16777216", "compaction_block", METRIC_shared_load_instructions, 2241652},
        {"compaction:block,keep=10,n=16777216", "compaction_block", METRIC_shared_load_wavefronts, 4700522},
        {"compaction:scan,keep=10,n=16777216", "compaction_move", METRIC_global_load_sectors, 2603370},
        {"radix-sort:split,n=16777216", "radix_sort_split", METRIC_global_load_requests, 540672},
        {"radix-sort:split,n=16777216", "radix_sort_split", METRIC_global_load_sectors, 2113536},
        {"radix-sort:split,n=16777216", "radix_sort_split", METRIC_shared_load_instructions, 2097152},
        {"radix-sort:split,n=16777216", "radix_sort_split", METRIC_shared_load_wavefronts, 4194304},
        {"radix-sort:split,n=16777216", "radix_sort_split", METRIC_shared_store_wavefronts, 524288},
        {"radix-sort:scatter,n=16777216", "radix_sort_scatter", METRIC_global_load_requests, 524800},
        {"radix-sort:scatter,n=16777216", "radix_sort_scatter", METRIC_global_load_sectors, 2105344},
        {"radix-sort:scatter,n=16777216", "radix_sort_scatter", METRIC_shared_load_wavefronts, 1638400},
        {"radix-sort:scatter,n=16777216", "radix_sort_scatter", METRIC_shared_load_ideal_wavefronts, 1638400},
        {"radix-sort:scatter,n=16777216", "radix_sort_scatter", METRIC_shared_store_wavefronts, 1376768},
        {"radix-sort:local-sort,n=16777216", "radix_sort_local", METRIC_global_load_sectors, 2105344},
        {"radix-sort:local-sort,n=16777216", "radix_sort_local", METRIC_shared_load_instructions, 2785280},
        {"radix-sort:local-sort,n=16777216", "radix_sort_local", METRIC_shared_load_wavefronts, 2785280},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct value found = expected_of(table[i].text, table[i].kernel, table[i].metric);
        cr_assert(found.available, "%s: %s", table[i].text, found.why);
        cr_assert_float_eq(found.number, table[i].counted, 1e-9, "%s, %s: %s is %g, counted were %g",
                           table[i].text, table[i].kernel, metric_info(table[i].metric)->id, found.number,
                           table[i].counted);
    }
}

Test(workload_data, what_the_data_decides_has_no_value)
{
    static const struct {
        const char *text, *kernel;
        enum metric metric;
    } table[] = {
        {"compaction:atomic,n=4096", "compaction_atomic", METRIC_global_store_sectors},
        {"compaction:block,n=4096", "compaction_block", METRIC_global_store_requests},
        {"compaction:scan,n=4096", "compaction_move", METRIC_gst_incoherent},
        {"radix-sort:scatter,n=4096", "radix_sort_scatter", METRIC_global_store_bytes_wanted_per_byte_moved},
        {"radix-sort:local-sort,n=4096", "radix_sort_local", METRIC_shared_store_conflicts},
        {"radix-sort:local-sort,n=4096", "radix_sort_local", METRIC_warp_serialize},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct value found = expected_of(table[i].text, table[i].kernel, table[i].metric);
        cr_assert(!found.available && strstr(found.why, "data"), "%s: %s is %g", table[i].text,
                  metric_info(table[i].metric)->id, found.number);
    }
}
