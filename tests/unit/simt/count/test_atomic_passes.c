/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The passes of atomics in L2: what a request takes of each sector, against an oracle that serves the lanes
 * round by round and against an H200, which slice they are counted at, and what advice says of them.
 * tests/data/atomic_passes_h200.csv holds single atomics of one warp, a line each (operation, bytes, lanes,
 * 32 offsets), with the cycles in which the L2's atomic units took something in (tests/gpu/atomics.sh made
 * it).
 */
#include "core/advice/advice.h"
#include "simt/count/count.h"
#include "tests/shared/made/made_access.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>

#define PATTERNS 4000

/* Rounds over the lanes that begin in one sector (UINT64_MAX: in any): in each, the first that is left on
 * each address goes. */
static uint32_t oracle_rounds(const struct warp_access *access, uint64_t sector)
{
    uint32_t left = 0, rounds = 0;

    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        bool there = sector == UINT64_MAX || access->address[lane] / 32 == sector;
        left |= there ? access->active & 1u << lane : 0;
    }
    for (; left; rounds++) {
        uint64_t served[WARP_LANES];
        size_t count = 0;
        for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
            size_t before = count;
            if (left >> lane & 1)
                count = sorted_add(served, count, access->address[lane]);
            if (count > before)
                left &= ~(1u << lane);
        }
    }
    return rounds;
}

Test(atomic_passes, of_each_sector_equal_the_oracle)
{
    struct made_access made = {7};

    for (int i = 0; i < PATTERNS; i++) {
        struct warp_access access = made_access_next(&made, UINT64_MAX);
        uint64_t sectors[WARP_LANES], all[WARP_LANES];
        uint32_t lanes[WARP_LANES], count, most = access_meetings(&access, sectors, lanes, &count);
        size_t wanted = 0;
        uint32_t passes = 0;

        cr_assert_eq(most, oracle_rounds(&access, UINT64_MAX), "%s", made_access_text(&access));
        cr_assert_eq(most, access_contention(&access), "%s", made_access_text(&access));
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            if (access.active >> lane & 1)
                wanted = sorted_add(all, wanted, access.address[lane] / 32);
        cr_assert_eq(count, wanted, "%u sectors, not %zu: %s", count, wanted, made_access_text(&access));
        for (uint32_t k = 0; k < count; k++) {
            cr_assert_eq(lanes[k], oracle_rounds(&access, sectors[k]), "%s", made_access_text(&access));
            cr_assert_eq(sorted_add(all, wanted, sectors[k]), wanted, "%s", made_access_text(&access));
            passes += oracle_rounds(&access, sectors[k]);
            for (uint32_t before = 0; before < k; before++)
                cr_assert_neq(sectors[before], sectors[k], "%s", made_access_text(&access));
        }
        cr_assert_eq(access_passes(&access), passes, "%s", made_access_text(&access));
    }
}

Test(atomic_passes, equal_what_an_h200_counted)
{
    FILE *file = fopen(TEST_SOURCE_DIR "/tests/data/atomic_passes_h200.csv", "r");
    struct warp_access access;
    uint32_t counted, line = 0;
    char operation[16];

    cr_assert(file != NULL);
    while (fscanf(file, "%15s %" SCNu32 " %" SCNx32, operation, &access.width_bytes, &access.active) == 3) {
        for (int lane = 0; lane < WARP_LANES; lane++)
            cr_assert_eq(fscanf(file, "%" SCNu64, &access.address[lane]), 1);
        cr_assert_eq(fscanf(file, "%" SCNu32, &counted), 1);
        uint32_t passes = access_passes(&access);
        line++;
        cr_assert_eq(passes, counted, "line %u: %s of %u bytes, lanes %08x: %u by the rule, %u on the GPU",
                     line, operation, access.width_bytes, access.active, passes, counted);
    }
    fclose(file);
    cr_assert_eq(line, 900);
}

static struct program_instruction instructions[] = {
    {.op = PROGRAM_ATOM, .space = PTX_GLOBAL, .class = CLASS_MEMORY},
    {.op = PROGRAM_ATOM, .space = PTX_SHARED, .class = CLASS_MEMORY},
};
static const struct ptx_function entry = {.name = "kernel", .entry = true};
static const struct program program = {.entry = &entry, .instructions = instructions, .instruction_count = 2};

/* Two slices share a kilobyte. Shared memory has no part in it. */
Test(atomic_passes, are_counted_by_slice)
{
    static const struct {
        uint64_t step;
        uint32_t active, passes, places, most;
    } cases[] = {
        {0, ALL_LANES, 32, 1, 32},  /* one word */
        {4, ALL_LANES, 4, 1, 4},    /* a line, one slice */
        {32, ALL_LANES, 32, 2, 16}, /* sectors of a kilobyte */
        {128, ALL_LANES, 32, 8, 4}, /* lines of four */
        {0, 0xff, 8, 1, 8},         /* as many as take part */
        {4, 0, 0, 0, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct warp_access access = access_in_steps(0x10000, cases[i].step, 4, cases[i].active);
        struct counter counter, sum;
        uint64_t sectors[COUNT_SECTORS_MAX], passes = 0, most = 0;
        uint32_t count, places = 0;

        cr_assert_eq(counter_init(&counter, &program, arch_find(90), NULL), STATUS_OK);
        cr_assert_eq(counter_init(&sum, &program, arch_find(90), NULL), STATUS_OK);
        count_atomic(&counter, 0, PTX_GLOBAL, &access, sectors, &count);
        count_atomic(&counter, 1, PTX_SHARED, &access, NULL, NULL);
        counter_add(&sum, &counter);
        counter_add(&sum, &counter);
        for (uint32_t place = 0; place < COUNT_PLACES; place++) {
            uint64_t here = counter.atomic_passes[place];
            passes += here;
            places += here > 0;
            most = here > most ? here : most;
            cr_assert_eq(sum.atomic_passes[place], 2 * here);
        }
        cr_assert_eq(passes, cases[i].passes, "case %zu: %lu passes", i, passes);
        struct count_totals totals;
        count_totals(&counter, &totals);
        cr_assert_eq(counter.instructions[0].passes, cases[i].passes);
        cr_assert_eq(counter.instructions[1].passes, 0);
        cr_assert_eq(count_value(&totals, METRIC_atomic_passes).number, (double)cases[i].passes);
        cr_assert_eq(places, cases[i].places, "case %zu: %u places", i, places);
        cr_assert_eq(most, cases[i].most, "case %zu: %lu", i, most);
        counter_fini(&counter);
        counter_fini(&sum);
    }
}

Test(atomic_passes, are_advised_on_at_their_edge)
{
    static const double busiest[] = {22, 22.1, 24, 80};
    static const size_t advices[] = {0, 1, 1, 1};
    static const double gains[] = {0, 0.884, 0.96, 1};

    for (size_t i = 0; i < 4; i++) {
        struct advice_kernel kernel = {0};
        struct advice_list list;
        kernel.values[METRIC_atomic_busiest_pct] =
            (struct value){.available = true, .provenance = PROVENANCE_MEASURED, .number = busiest[i]};
        advice_of_kernel(&kernel, &list);
        cr_assert_eq(list.judged, 1);
        cr_assert_eq(list.count, advices[i], "%g %%", busiest[i]);
        if (list.count) {
            cr_assert_str_eq(list.items[0].rule->id, "atomics");
            cr_assert_float_eq(list.items[0].gain, gains[i], 1e-9);
        }
    }
}
