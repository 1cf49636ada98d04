/*
 * The coalescing rules: textbook cases, and random patterns against an oracle that marks every wanted byte.
 */
#include "core/coalesce.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define ALL_LANES UINT32_MAX

/* Lane l reads `width` bytes at start + l x step. */
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
        struct warp_access access = lanes_at(c->start, c->step, c->width, c->active);
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
        struct warp_access access = lanes_at(0x7f0000000000 + 4 * offset, 4, 4, ALL_LANES);
        cr_assert_eq(coalesce_count(arch_find(90), &access).sectors, offset % 8 ? 5 : 4, "offset %lu",
                     offset);
    }
}

/* ---- the oracle: a map of a small memory ---- */
#define ORACLE_BYTES 4096

static struct coalesce_cost oracle(const struct warp_access *access, uint64_t base)
{
    static uint8_t wanted[ORACLE_BYTES];
    struct coalesce_cost cost = {0};
    uint32_t parts = access->width_bytes == 12 ? 3 : 1, width = access->width_bytes / parts;
    for (uint32_t part = 0; part < parts; part++) {
        memset(wanted, 0, sizeof wanted);
        for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
            for (uint32_t b = 0; access->active & 1u << lane && b < width; b++) {
                wanted[access->address[lane] - base + part * width + b] = 1;
            }
        }
        uint32_t bytes = 0, sectors = 0;
        for (size_t sector = 0; sector < ORACLE_BYTES / 32; sector++) {
            uint32_t in_sector = 0;
            for (size_t b = 0; b < 32; b++) {
                in_sector += wanted[sector * 32 + b];
            }
            bytes += in_sector;
            sectors += in_sector > 0;
        }
        cost.requests += access->active != 0;
        cost.sectors += sectors;
        cost.bytes_wanted += bytes;
        cost.ideal_sectors += bytes / 32 + (bytes % 32 != 0);
    }
    return cost;
}

Test(coalesce, equals_the_oracle_on_random_patterns)
{
    static const uint32_t widths[] = {1, 2, 4, 8, 12, 16};
    const struct arch *arch = arch_find(90);
    srand(1);
    for (int round = 0; round < 50000; round++) {
        uint64_t base = (uint64_t)rand() * 4096;
        struct warp_access access = {.width_bytes = widths[rand() % 6]};
        access.active = rand() % 2 ? ALL_LANES : (uint32_t)rand() * 2654435761u;
        /* aligned or not; crowded, so that lanes meet, or spread */
        uint32_t unit = rand() % 2 ? (access.width_bytes == 12 ? 4 : access.width_bytes) : 1;
        uint32_t span = 1u << (rand() % 12);
        for (int lane = 0; lane < WARP_LANES; lane++) {
            access.address[lane] = base + (uint32_t)rand() % span / unit * unit;
        }
        struct coalesce_cost got = coalesce_count(arch, &access), want = oracle(&access, base);
        cr_assert_eq(got.requests, want.requests);
        cr_assert_eq(got.sectors, want.sectors, "round %d: %u, oracle %u", round, got.sectors, want.sectors);
        cr_assert_eq(got.bytes_wanted, want.bytes_wanted, "round %d: %u, oracle %u", round, got.bytes_wanted,
                     want.bytes_wanted);
        cr_assert_eq(got.ideal_sectors, want.ideal_sectors);
        cr_assert_leq(got.ideal_sectors, got.sectors);
    }
}
