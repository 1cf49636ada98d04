/*
 * The rules of shared-memory banks: textbook cases, and random patterns against an oracle that fills a table
 * of banks.
 */
#include "core/bank.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define ALL_LANES UINT32_MAX

static struct warp_access lanes_at(uint64_t start, uint64_t step, uint32_t width, uint32_t active)
{
    struct warp_access access = {.active = active, .width_bytes = width};
    for (uint64_t lane = 0; lane < WARP_LANES; lane++) {
        access.address[lane] = start + lane * step;
    }
    return access;
}

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
        struct warp_access access = lanes_at(c->start, c->step, c->width, c->active);
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
        struct warp_access access = lanes_at(0x400, 4ull * stride, 4, ALL_LANES);
        cr_assert_eq(bank_count(arch_find(90), &access).wavefronts, a, "stride %u", stride);
    }
}

/* ---- the oracle: which words each bank must give ---- */
#define ORACLE_WORDS 2048

/* The most rows that one bank must give for these lanes. */
static uint32_t oracle_rows(const struct warp_access *access, uint32_t lanes, uint32_t offset, uint32_t width)
{
    static uint8_t wanted[ORACLE_WORDS];
    uint32_t most = 0;
    memset(wanted, 0, sizeof wanted);
    for (uint32_t lane = 0; lane < 32; lane++) {
        for (uint32_t b = 0; (lanes & access->active & 1u << lane) && b < width; b++) {
            wanted[(access->address[lane] + offset + b) / 4] = 1;
        }
    }
    for (uint32_t bank = 0; bank < 32; bank++) {
        uint32_t in_bank = 0;
        for (uint32_t row = 0; row < ORACLE_WORDS / 32; row++) {
            in_bank += wanted[row * 32 + bank];
        }
        most = in_bank > most ? in_bank : most;
    }
    return most;
}

/* Lanes 0 and 1, 2 and 3, ... (or 0 and 2, 1 and 3, ...) of [first, first + count) alike, where both are on.
 */
static bool oracle_alike(const struct warp_access *access, uint32_t first, uint32_t count, uint32_t distance)
{
    for (uint32_t lane = first; lane < first + count; lane++) {
        uint32_t other = lane + distance;
        if ((lane / distance) % 2 == 0 && (access->active & 1u << lane) && (access->active & 1u << other) &&
            access->address[lane] != access->address[other]) {
            return false;
        }
    }
    return true;
}

static struct bank_cost oracle(const struct warp_access *access)
{
    struct bank_cost cost = {0};
    uint32_t parts = access->width_bytes == 12 ? 3 : 1, width = access->width_bytes / parts;
    uint32_t lanes = width == 16 ? 8 : width == 8 ? 16 : 32;
    for (uint32_t part = 0; part < parts; part++) {
        uint32_t wavefronts = 0, bytes = (uint32_t)__builtin_popcount(access->active) * width;
        for (uint32_t first = 0; first < 32; first += lanes) {
            uint32_t group = (lanes == 32 ? ALL_LANES : (1u << lanes) - 1) << first;
            uint32_t most = oracle_rows(access, group, part * width, width);
            if (lanes < 32 && first % (2 * lanes) == 0 && !access->store) {
                uint32_t both = group | group << lanes;
                if (oracle_rows(access, both, 0, width) < 2 && (oracle_alike(access, first, 2 * lanes, 1) ||
                                                                oracle_alike(access, first, 2 * lanes, 2))) {
                    most = oracle_rows(access, both, 0, width);
                    first += lanes;
                }
            }
            wavefronts += most;
            cost.degree = most > cost.degree ? most : cost.degree;
        }
        cost.wavefronts += wavefronts;
        cost.instructions += access->active != 0;
        bytes = bytes / 128 + (bytes % 128 != 0);
        cost.ideal_wavefronts += bytes < wavefronts ? bytes : wavefronts;
    }
    return cost;
}

Test(bank, equals_the_oracle_on_random_patterns)
{
    static const uint32_t widths[] = {1, 2, 4, 8, 12, 16};
    const struct arch *arch = arch_find(90);
    srand(2);
    for (int round = 0; round < 50000; round++) {
        struct warp_access access = {.width_bytes = widths[rand() % 6], .store = rand() % 2};
        access.active = rand() % 2 ? ALL_LANES : (uint32_t)rand() * 2654435761u;
        uint32_t unit = rand() % 4 ? (access.width_bytes == 12 ? 4 : access.width_bytes) : 1;
        uint32_t span = 1u << (rand() % 13);
        int share = rand() % 4; /* lanes that differ in these bits have one address */
        for (int lane = 0; lane < WARP_LANES; lane++) {
            access.address[lane] =
                lane & share ? access.address[lane & ~share] : (uint32_t)rand() % span / unit * unit;
        }
        struct bank_cost got = bank_count(arch, &access), want = oracle(&access);
        cr_assert_eq(got.instructions, want.instructions);
        cr_assert_eq(got.wavefronts, want.wavefronts, "round %d: %u, oracle %u", round, got.wavefronts,
                     want.wavefronts);
        cr_assert_eq(got.ideal_wavefronts, want.ideal_wavefronts, "round %d", round);
        cr_assert_eq(got.degree, want.degree, "round %d: %u, oracle %u", round, got.degree, want.degree);
    }
}
