/* SPDX-License-Identifier: Apache-2.0 */
/* Shared-memory banks as an H200 has them: textbook cases. tests/unit/core/hardware/test_bank_rules.c has all
 * generations.
 */
#include "core/hardware/bank.h"
#include "tests/shared/made/made_access.h"

#include <criterion/criterion.h>

struct textbook {
    const char *what;
    uint64_t start, step;
    uint32_t width, active;
    struct {
        uint32_t instructions, wavefronts, ideal_wavefronts, degree;
    } cost;
};

Test(bank, textbook_cases)
{
    static const struct textbook cases[] = {
        {"stride 1", 0, 4, 4, ALL_LANES, {1, 1, 1, 1}},
        {"stride 2", 0, 8, 4, ALL_LANES, {1, 2, 1, 2}},
        {"stride 3", 0, 12, 4, ALL_LANES, {1, 1, 1, 1}},
        {"stride 16", 0, 64, 4, ALL_LANES, {1, 16, 1, 16}},
        {"stride 32: a tile's column", 0, 128, 4, ALL_LANES, {1, 32, 1, 32}},
        {"stride 33: the padded tile's column", 0, 132, 4, ALL_LANES, {1, 1, 1, 1}},
        {"all lanes one word", 64, 0, 4, ALL_LANES, {1, 1, 1, 1}},
        {"bytes: four lanes a word", 0, 1, 1, ALL_LANES, {1, 1, 1, 1}},
        {"half words", 0, 2, 2, ALL_LANES, {1, 1, 1, 1}},
        {"half words, stride 64", 0, 128, 2, ALL_LANES, {1, 32, 1, 32}},
        {"8 bytes: two half-warps, no conflict", 0, 8, 8, ALL_LANES, {1, 2, 2, 1}},
        {"8 bytes, stride 2", 0, 16, 8, ALL_LANES, {1, 4, 2, 2}},
        {"8 bytes, first half-warp only", 0, 8, 8, 0xffff, {1, 1, 1, 1}},
        {"8 bytes, all lanes one: the half-warps merge", 0, 0, 8, ALL_LANES, {1, 1, 1, 1}},
        {"16 bytes, all lanes one: the quarters of a half merge", 0, 0, 16, ALL_LANES, {1, 2, 2, 1}},
        {"16 bytes: four quarter-warps, no conflict", 0, 16, 16, ALL_LANES, {1, 4, 4, 1}},
        {"16 bytes, stride 2", 0, 32, 16, ALL_LANES, {1, 8, 4, 2}},
        {"16 bytes, stride 8", 0, 128, 16, ALL_LANES, {1, 32, 4, 8}},
        {"16 bytes, one quarter-warp", 0, 16, 16, 0xff00, {1, 1, 1, 1}},
        {"stride 32, four lanes", 0, 128, 4, 0x0f, {1, 4, 1, 4}},
        {"one lane", 0, 4, 4, 1u << 31, {1, 1, 1, 1}},
        {"no lane", 0, 4, 4, 0, {0, 0, 0, 0}},
        {"float3: three loads of stride 3", 0, 12, 12, ALL_LANES, {3, 3, 3, 1}},
        {"no instruction has this width", 0, 4, 5, ALL_LANES, {0, 0, 0, 0}},
    };
    const struct arch *arch = arch_find(90);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct textbook *c = &cases[i];
        struct warp_access access = access_in_steps(c->start, c->step, c->width, c->active);
        struct bank_cost cost = bank_count(arch, &access);
        cr_assert_eq(cost.instructions, c->cost.instructions, "%s: %u instructions", c->what,
                     cost.instructions);
        cr_assert_eq(cost.wavefronts, c->cost.wavefronts, "%s: %u wavefronts", c->what, cost.wavefronts);
        cr_assert_eq(cost.ideal_wavefronts, c->cost.ideal_wavefronts, "%s: %u ideal", c->what,
                     cost.ideal_wavefronts);
        cr_assert_eq(cost.degree, c->cost.degree, "%s: %u-way", c->what, cost.degree);
    }
}

/* A stride of s words is an n-way conflict with n the greatest common divisor of s and 32. */
Test(bank, stride_conflicts_by_the_common_divisor)
{
    for (uint32_t stride = 1; stride <= 64; stride++) {
        uint32_t a = stride, b = 32;
        while (b) {
            uint32_t rest = a % b;
            a = b;
            b = rest;
        }
        struct warp_access access = access_in_steps(0x400, 4ull * stride, 4, ALL_LANES);
        cr_assert_eq(bank_count(arch_find(90), &access).wavefronts, a, "stride %u", stride);
    }
}

/* What is known of an access saves looks at its lanes and changes no number. */
Test(bank, shapes_cost_what_their_lanes_cost)
{
    for (size_t i = 0; arch_at(i); i++) {
        for (uint32_t width = 1; width <= 16; width *= 2) {
            for (uint64_t start = 0; start < 256; start += width) {
                for (int kind = 0; kind < 4; kind++) {
                    bool row = kind & 1;
                    struct warp_access access = access_in_steps(start, row ? width : 0, width, ALL_LANES);
                    access.store = kind & 2;
                    struct bank_cost plain = bank_count(arch_at(i), &access);
                    struct bank_cost cost =
                        bank_count_shape(arch_at(i), &access, row ? ACCESS_ROW : ACCESS_SAME);
                    cr_assert_eq(memcmp(&plain, &cost, sizeof cost), 0, "%u bytes at %u, kind %d", width,
                                 (unsigned)start, kind);
                }
            }
        }
    }
}
