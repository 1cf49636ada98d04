/* SPDX-License-Identifier: Apache-2.0 */
/* Every period that an access site claims, against brute force. */
#include "tests/shared/made/resolved_cases.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void check_kernel_periods(const struct workload_case *c, const struct kernel_sites *kernel,
                                 const struct arch *rules)
{
    struct access_site sites[24];
    struct kernel_sites unclaimed = *kernel;
    struct access_totals claimed, all;
    char params[128];

    cr_assert_leq(kernel->site_count, sizeof sites / sizeof *sites);
    for (size_t s = 0; s < kernel->site_count; s++) {
        sites[s] = kernel->sites[s];
        memset(sites[s].block_period, 0, sizeof sites[s].block_period);
        sites[s].warp_period = 0;
        sites[s].i_period = 0;
    }
    unclaimed.sites = sites;
    access_totals_count(c, kernel, rules, &claimed);
    access_totals_count(c, &unclaimed, rules, &all);
    workload_params_text(c, params, sizeof params);
    cr_assert_arr_eq(&claimed, &all, sizeof all, "%s:%s,%s: %s claims a period that is none",
                     c->workload->name, c->variant->name, params, kernel->kernel);
}

static void check_periods(const char *text, const struct arch *rules)
{
    size_t count;
    struct workload_case *cases = resolved_cases(text, &count);

    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < cases[i].variant->kernel_count; k++) {
            const struct kernel_sites *kernel = &cases[i].variant->kernels[k];

            if (!cases[i].kernel || cases[i].kernel == kernel)
                check_kernel_periods(&cases[i], kernel, rules);
        }
    }
    free(cases);
}

Test(site_periods, periods_hold)
{
    check_periods("--all", arch_find(90));
    check_periods("copy-stride,stride=1..32/5,n=100000", arch_find(90));
    check_periods("transpose,n=32|96", arch_find(90));
    check_periods("matmul-ab,m=96,n=32|160", arch_find(90));
    check_periods("bank-stride,stride=1..33/6,blocks=1|3", arch_find(90));
    check_periods("staged-overlap:staged-pinned,streams=1..16/3,n=200000", arch_find(90));
    check_periods("radix-sort,n=2048|65536", arch_find(90));
    check_periods("histogram,bins=2|64|1024,n=8192", arch_find(90));
    check_periods("atomics:shared,lanes=1..32,n=32768", arch_find(90));
}

/* Old GPUs serve half-warps, or have other banks: a period must be one there, too. */
Test(site_periods, periods_hold_under_all_rules)
{
    static const char *const rules[] = {"1.0", "1.2", "2.0", "2.0-no-l1", "3.5", "3.5-64-bit"};
    static const char *const texts[] = {"copy-offset,offset=0|1|8,n=1024",
                                        "copy-stride,stride=2|3|32,n=16384",
                                        "load-pattern,n=512",
                                        "load-pattern:scattered,lines=3,n=512",
                                        "word-size,n=512",
                                        "aos-soa,fields=1|3|8,n=512",
                                        "block-multiple,block=100|257,n=16384",
                                        "block-shape,x=1|8|32|128,n=256",
                                        "bank-stride,stride=1|2|3|33,blocks=1",
                                        "bank-broadcast,n=256",
                                        "transpose,n=64",
                                        "matmul-ab,m=64,n=32",
                                        "matmul-aat,m=64",
                                        "reduction,n=16384",
                                        "scan:blocks",
                                        "compaction:scan,n=16384"};

    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++)
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
            check_periods(texts[i], arch_parse(rules[r]));
}
