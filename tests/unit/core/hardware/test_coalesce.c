/* SPDX-License-Identifier: Apache-2.0 */
/* Coalescing as an H200 does it: textbook cases. tests/unit/core/hardware/test_coalesce_rules.c has all
 * generations. */
#include "core/hardware/coalesce.h"
#include "tests/shared/made/made_access.h"

#include <criterion/criterion.h>

struct textbook {
    const char *what;
    uint64_t start, step;
    uint32_t width, active;
    struct {
        uint32_t requests, sectors, ideal_sectors, bytes_wanted;
    } cost;
};

Test(coalesce, textbook_cases)
{
    static const struct textbook cases[] = {
        {"copy, offset 0", 0x1000, 4, 4, ALL_LANES, {1, 4, 4, 128}},
        {"copy, offset 1 word", 0x1004, 4, 4, ALL_LANES, {1, 5, 4, 128}},
        {"copy, offset 8 words", 0x1020, 4, 4, ALL_LANES, {1, 4, 4, 128}},
        {"copy, offset 16 words", 0x1040, 4, 4, ALL_LANES, {1, 4, 4, 128}},
        {"copy, offset 31 words", 0x107c, 4, 4, ALL_LANES, {1, 5, 4, 128}},
        {"copy, offset 32 words", 0x1080, 4, 4, ALL_LANES, {1, 4, 4, 128}},
        {"stride 2", 0x1000, 8, 4, ALL_LANES, {1, 8, 4, 128}},
        {"stride 3", 0x1000, 12, 4, ALL_LANES, {1, 12, 4, 128}},
        {"stride 8", 0x1000, 32, 4, ALL_LANES, {1, 32, 4, 128}},
        {"stride 32", 0x1000, 128, 4, ALL_LANES, {1, 32, 4, 128}},
        {"all lanes one word", 0x1000, 0, 4, ALL_LANES, {1, 1, 1, 4}},
        {"bytes", 0x1000, 1, 1, ALL_LANES, {1, 1, 1, 32}},
        {"bytes, offset 1", 0x1001, 1, 1, ALL_LANES, {1, 2, 1, 32}},
        {"half words", 0x1000, 2, 2, ALL_LANES, {1, 2, 2, 64}},
        {"8-byte words", 0x1000, 8, 8, ALL_LANES, {1, 8, 8, 256}},
        {"8-byte words, misaligned: the sector between half-warps counts once",
         0x1008,
         8,
         8,
         ALL_LANES,
         {1, 9, 8, 256}},
        {"16-byte words", 0x1000, 16, 16, ALL_LANES, {1, 16, 16, 512}},
        {"16-byte words, misaligned", 0x1010, 16, 16, ALL_LANES, {1, 17, 16, 512}},
        {"16-byte words at stride 2", 0x1000, 32, 16, ALL_LANES, {1, 32, 16, 512}},
        {"AoS of 16 bytes, one field", 0x1000, 16, 4, ALL_LANES, {1, 16, 4, 128}},
        {"first half-warp", 0x1000, 4, 4, 0x0000ffff, {1, 2, 2, 64}},
        {"one lane", 0x1000, 4, 4, 1u << 17, {1, 1, 1, 4}},
        {"every other lane", 0x1000, 4, 4, 0x55555555, {1, 4, 2, 64}},
        {"no lane", 0x1000, 4, 4, 0, {0, 0, 0, 0}},
        {"float3: three loads of stride 3", 0x1000, 12, 12, ALL_LANES, {3, 36, 12, 384}},
        {"float3, no lane", 0x1000, 12, 12, 0, {0, 0, 0, 0}},
        {"neighbouring halves of one word", 0x1000, 2, 4, 0x3, {1, 1, 1, 6}},
        {"the last bytes there are", UINT64_MAX - 127, 4, 4, 0x7fffffff, {1, 4, 4, 124}},
        {"no instruction has this width", 0x1000, 4, 3, ALL_LANES, {0, 0, 0, 0}},
        {"nor this one", 0x1000, 4, 0, ALL_LANES, {0, 0, 0, 0}},
    };
    const struct arch *arch = arch_find(90);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct textbook *c = &cases[i];
        struct warp_access access = access_in_steps(c->start, c->step, c->width, c->active);
        struct coalesce_cost cost = coalesce_count(arch, &access);
        cr_assert_eq(cost.requests, c->cost.requests, "%s: %u requests", c->what, cost.requests);
        cr_assert_eq(cost.sectors, c->cost.sectors, "%s: %u sectors", c->what, cost.sectors);
        cr_assert_eq(cost.ideal_sectors, c->cost.ideal_sectors, "%s: %u ideal", c->what, cost.ideal_sectors);
        cr_assert_eq(cost.bytes_wanted, c->cost.bytes_wanted, "%s: %u bytes", c->what, cost.bytes_wanted);
    }
}

/* Every offset of the copy: 4 sectors where the warp's 128 bytes begin on a sector, else 5. */
Test(coalesce, copy_offset_follows_the_sector)
{
    for (uint64_t offset = 0; offset <= 32; offset++) {
        struct warp_access access = access_in_steps(0x7f0000000000 + 4 * offset, 4, 4, ALL_LANES);
        cr_assert_eq(coalesce_count(arch_find(90), &access).sectors, offset % 8 ? 5 : 4, "offset %lu",
                     offset);
    }
}

/* What is known of an access saves looks at its lanes and changes no number. */
Test(coalesce, shapes_cost_what_their_lanes_cost)
{
    for (size_t i = 0; arch_at(i); i++) {
        for (uint32_t width = 1; width <= 16; width *= 2) {
            for (uint64_t start = 4096; start < 4096 + 256; start++) {
                static const enum access_shape shapes[] = {ACCESS_SAME, ACCESS_ROW, ACCESS_APART};
                const uint64_t steps[] = {0, width, 48};
                for (int shape = 0; shape < (start % width ? 2 : 3); shape++) {
                    uint64_t sectors[2][COALESCE_SECTORS_MAX];
                    uint32_t counts[2];
                    struct warp_access access = access_in_steps(start, steps[shape], width, ALL_LANES);
                    struct coalesce_cost plain =
                        coalesce_count_sectors(arch_at(i), &access, sectors[0], &counts[0]);
                    struct coalesce_cost cost =
                        coalesce_count_shape(arch_at(i), &access, shapes[shape], sectors[1], &counts[1]);
                    cr_assert_eq(memcmp(&plain, &cost, sizeof cost), 0, "%u bytes at %u, shape %d", width,
                                 (unsigned)start, shape);
                    cr_assert_eq(counts[0], counts[1]);
                    cr_assert_eq(memcmp(sectors[0], sectors[1], counts[0] * sizeof sectors[0][0]), 0);
                }
            }
        }
    }
}
