/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same accesses under the rules of every generation, as the documents have them: what the workloads
 * expect of compute capabilities 1.0 to 9.0, in the settings of 2.x and 3.x.
 */
#include "tests/shared/made/resolved_cases.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In the order of the generations' columns; NAN: the documents do not say. */
#define GENERATIONS 8
static const char *const capabilities[GENERATIONS] = {"1.0", "1.3",        "2.0", "2.0-no-l1",
                                                      "3.5", "3.5-64-bit", "5.0", "9.0"};

struct row {
    const char *text;
    enum metric metric;
    double number[GENERATIONS];
};

static void check(const struct row *row)
{
    size_t count;
    struct workload_case *c = resolved_cases(row->text, &count);

    cr_assert_eq(count, 1, "%s", row->text);
    for (int i = 0; i < GENERATIONS; i++) {
        const struct arch *arch = arch_parse(capabilities[i]);
        struct value found = workload_expected(c, c->variant->kernels, row->metric, arch);

        if (isnan(row->number[i]))
            continue;
        cr_assert(found.available && found.provenance == PROVENANCE_EXPECTED);
        cr_assert_float_eq(found.number, row->number[i], 1e-9, "%s, %s: %s is %g", row->text, capabilities[i],
                           metric_info(row->metric)->id, found.number);
    }
    free(c);
}

/* A request is a half-warp's on 1.x: of 32 lanes there are two. Sectors are bytes moved / 32. */
Test(workload_generations, global_memory)
{
#define SHARE METRIC_global_load_bytes_wanted_per_byte_moved
#define SECTORS METRIC_global_load_sectors
    static const struct row rows[] = {
        /* one aligned line; two lines or four segments; two lines or five */
        {"copy-offset,offset=0,n=256", SECTORS, {32, 32, 32, 32, 32, 32, 32, 32}},
        {"copy-offset,offset=32,n=256", SECTORS, {32, 32, 32, 32, 32, 32, 32, 32}},
        {"copy-offset,offset=8,n=256", SECTORS, {NAN, NAN, 64, 32, 32, 32, 32, 32}},
        {"copy-offset,offset=16,n=256", SECTORS, {32, 32, 64, 32, 32, 32, 32, 32}},
        {"copy-offset,offset=24,n=256", SECTORS, {NAN, NAN, 64, 32, 32, 32, 32, 32}},
        {"copy-offset,offset=1,n=256", SECTORS, {256, 56, 64, 40, 40, 40, 40, 40}},
        /* stride 2: two lines, half of what is moved is used; 32: a line for each lane */
        {"copy-stride,stride=2,n=512", SHARE, {0.125, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}},
        {"copy-stride,stride=32,n=8192", SECTORS, {256, 256, 1024, 256, 256, 256, 256, 256}},
        /* 1.x serves half-warps: 16 words of a row are enough; 2.x serves warps by lines: 32 words */
        {"block-shape:rows,x=32,n=256", SHARE, {1, 1, 1, 1, 1, 1, 1, 1}},
        {"block-shape:rows,x=16,n=256", SHARE, {1, 1, 0.5, 1, 1, 1, 1, 1}},
        {"block-shape:rows,x=8,n=256", SHARE, {0.125, 1, 0.25, 1, 1, 1, 1, 1}},
        {"block-shape:rows,x=4,n=256", SHARE, {0.125, 0.5, 0.125, 0.5, 0.5, 0.5, 0.5, 0.5}},
        /* the course's five pictures, cached and not */
        {"load-pattern:aligned,n=256", SHARE, {1, 1, 1, 1, 1, 1, 1, 1}},
        {"load-pattern:aligned-l2,n=256", SHARE, {1, 1, 1, 1, 1, 1, 1, 1}},
        {"load-pattern:permuted,n=256", SHARE, {0.125, 1, 1, 1, 1, 1, 1, 1}},
        {"load-pattern:permuted-l2,n=256", SHARE, {0.125, 1, 1, 1, 1, 1, 1, 1}},
        {"load-pattern:misaligned,n=256", SHARE, {0.125, 128 / 224.0, 0.5, 0.8, 0.8, 0.8, 0.8, 0.8}},
        {"load-pattern:misaligned-l2,n=256", SHARE, {0.125, 128 / 224.0, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8}},
        {"load-pattern:one-word,n=256",
         SHARE,
         {4 / 1024.0, 0.0625, 0.03125, 0.125, 0.125, 0.125, 0.125, 0.125}},
        {"load-pattern:one-word-l2,n=256",
         SHARE,
         {4 / 1024.0, 0.0625, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125}},
        {"load-pattern:scattered,n=256", SHARE, {0.125, 0.125, 1 / 32.0, 0.125, 0.125, 0.125, 0.125, 0.125}},
        {"load-pattern:scattered-l2,n=256", SHARE, {0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125}},
        /* 128 / (N x 128) and 128 / (N x 32) */
        {"load-pattern:scattered,lines=16,n=256",
         SHARE,
         {0.125, NAN, 1 / 16.0, 0.25, 0.25, 0.25, 0.25, 0.25}},
        {"load-pattern:scattered,lines=8,n=256", SHARE, {0.125, NAN, 1 / 8.0, 0.5, 0.5, 0.5, 0.5, 0.5}},
        {"load-pattern:scattered-l2,lines=4,n=256", SHARE, {0.125, NAN, 1, 1, 1, 1, 1, 1}},
        {"load-pattern:scattered,lines=1,n=256", SHARE, {0.125, NAN, 1, 1, 1, 1, 1, 1}},
        {"aos-soa:aos,fields=8,used=1,n=256",
         SHARE,
         {0.125, 0.125, 1 / 32.0 * 4, 0.125, 0.125, 0.125, 0.125, 0.125}},
        {"aos-soa:soa,fields=8,used=1,n=256", SHARE, {1, 1, 1, 1, 1, 1, 1, 1}},
        /* 1.0: 16-byte words take two transactions a half-warp, bytes one for each lane */
        {"word-size:128,n=256", METRIC_gld_coherent, {32, NAN, NAN, NAN, NAN, NAN, NAN, NAN}},
        {"word-size:64,n=256", METRIC_gld_coherent, {16, NAN, NAN, NAN, NAN, NAN, NAN, NAN}},
        {"word-size:8,n=256", METRIC_gld_incoherent, {256, 0, NAN, NAN, NAN, NAN, NAN, NAN}},
        {"word-size:128,n=256", SHARE, {1, 1, 1, 1, 1, 1, 1, 1}},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check(&rows[i]);
}

/* Wavefronts of a block's 256 reads: 8 warps, 32 rounds. 16 banks and half-warps on 1.x, which loads 8 and 16
 * bytes as words of 4; 32 banks later, of 8 bytes on 3.x. */
Test(workload_generations, shared_memory)
{
#define WARPS(n) ((n)*256.0)
#define PASSES(a, b, c, d, e, f, g, h)                                                 \
    METRIC_shared_load_wavefronts,                                                     \
    {                                                                                  \
        WARPS(a), WARPS(b), WARPS(c), WARPS(d), WARPS(e), WARPS(f), WARPS(g), WARPS(h) \
    }
    static const struct row rows[] = {
        {"bank-stride:32-bit,stride=1,blocks=1", PASSES(2, 2, 1, 1, 1, 1, 1, 1)},
        {"bank-stride:32-bit,stride=2,blocks=1", PASSES(4, 4, 2, 2, 1, 1, 2, 2)},
        {"bank-stride:32-bit,stride=3,blocks=1", PASSES(2, 2, 1, 1, 1, 2, 1, 1)},
        {"bank-stride:32-bit,stride=16,blocks=1", PASSES(32, 32, 16, 16, 8, 8, 16, 16)},
        {"bank-stride:32-bit,stride=32,blocks=1", PASSES(32, 32, 32, 32, 16, 16, 32, 32)},
        {"bank-stride:32-bit,stride=33,blocks=1", PASSES(2, 2, 1, 1, 1, 1, 1, 1)},
        /* four bytes of a word wait for each other; 6.5: most rounds begin within a word */
        {"bank-stride:8-bit,stride=1,blocks=1", PASSES(6.5, 6.5, 1, 1, 1, 1, 1, 1)},
        {"bank-stride:16-bit,stride=1,blocks=1", PASSES(4, 4, 1, 1, 1, 1, 1, 1)},
        {"bank-stride:64-bit,stride=1,blocks=1", PASSES(8, 8, 2, 2, 1, 1, 2, 2)},
        {"bank-broadcast:neighbours,groups=1,n=256", PASSES(2, 2, 1, 1, 1, 1, 1, 1)},
        {"bank-broadcast:one-bank,groups=32,n=256", PASSES(32, 32, 32, 32, 16, 16, 32, 32)},
        /* 33 words a row: in the 64-bit mode every other row begins in the middle of a bank */
        {"transpose:pad,n=32", METRIC_shared_load_conflicts, {0, 0, 0, 0, 0, 16, 0, 0}},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check(&rows[i]);
}

/* Which words the lanes want is the data's: where one word is broadcast in a pass, so is what it costs. */
Test(workload_generations, words_by_the_data)
{
    static const struct {
        const char *capability;
        bool known;
    } table[] = {{"1.0", false}, {"1.3", false}, {"2.0", true}, {"3.5", true}, {"9.0", true}};
    size_t count;
    struct workload_case *c = resolved_cases("radix-sort:scatter", &count);

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        bool known = false;

        for (size_t k = 0; k < c->variant->kernel_count; k++)
            known |= workload_expected(c, &c->variant->kernels[k], METRIC_shared_load_wavefronts,
                                       arch_parse(table[i].capability))
                         .available &&
                     strcmp(c->variant->kernels[k].kernel, "radix_sort_scatter") == 0;
        cr_assert_eq(known, table[i].known, "%s", table[i].capability);
    }
    free(c);
}
