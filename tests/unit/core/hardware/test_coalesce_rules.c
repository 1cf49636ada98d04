/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of global memory of every generation: the examples of the guides, and made-up accesses against
 * oracles that follow the guides' text word by word. Sections are of the CUDA C Programming Guide 4.2.
 */
#include "core/hardware/coalesce.h"
#include "core/hardware/device_info.h"
#include "tests/shared/made/made_access.h"

#include <criterion/criterion.h>
#include <string.h>

#define PATTERNS 20000

/* ---- the guides' and the course's examples ---- */

enum addresses { SEQUENTIAL, SWAPPED, SCATTERED, ONE_WORD };

struct example {
    const char *what;
    uint32_t capability;
    enum access_l1 l1;
    enum addresses addresses;
    uint64_t start;
    uint32_t requests, transactions_32, transactions_64, transactions_128;
    double utilisation_pct;
};

static struct warp_access example_access(const struct example *example)
{
    uint64_t step = example->addresses == SCATTERED ? 4096 : example->addresses == ONE_WORD ? 0 : 4;
    struct warp_access access = access_in_steps(example->start, step, 4, ALL_LANES);
    for (uint32_t lane = 0; example->addresses == SWAPPED && lane < WARP_LANES; lane++)
        access.address[lane] = example->start + 4 * (lane ^ 1);
    access.l1 = example->l1;
    return access;
}

Test(coalesce_rules, examples_of_the_guides)
{
    static const struct example examples[] = {
        /* figure F-1: a warp, 4-byte words, from address 128 */
        {"aligned", 10, 0, SEQUENTIAL, 128, 2, 0, 2, 0, 100},
        {"aligned", 13, 0, SEQUENTIAL, 128, 2, 0, 2, 0, 100},
        {"aligned, L1", 20, 0, SEQUENTIAL, 128, 1, 0, 0, 1, 100},
        {"aligned, L2", 20, ACCESS_L1_OFF, SEQUENTIAL, 128, 1, 4, 0, 0, 100},
        {"aligned", 30, 0, SEQUENTIAL, 128, 1, 4, 0, 0, 100},
        {"aligned", 90, 0, SEQUENTIAL, 128, 1, 4, 0, 0, 100},
        {"not in sequence", 11, 0, SWAPPED, 128, 2, 32, 0, 0, 12.5},
        {"not in sequence", 12, 0, SWAPPED, 128, 2, 0, 2, 0, 100},
        {"not in sequence, L1", 21, 0, SWAPPED, 128, 1, 0, 0, 1, 100},
        {"not in sequence, L2", 21, ACCESS_L1_OFF, SWAPPED, 128, 1, 4, 0, 0, 100},
        {"misaligned", 10, 0, SEQUENTIAL, 132, 2, 32, 0, 0, 12.5},
        {"misaligned", 13, 0, SEQUENTIAL, 132, 2, 1, 1, 1, 100 * 128.0 / 224},
        {"misaligned, L1", 20, 0, SEQUENTIAL, 132, 1, 0, 0, 2, 50},
        {"misaligned, L2", 20, ACCESS_L1_OFF, SEQUENTIAL, 132, 1, 5, 0, 0, 80},
        {"misaligned", 35, 0, SEQUENTIAL, 132, 1, 5, 0, 0, 80},
        {"misaligned, L1 asked for", 35, ACCESS_L1_ON, SEQUENTIAL, 132, 1, 0, 0, 2, 50},
        {"misaligned, L1 asked for in vain", 30, ACCESS_L1_ON, SEQUENTIAL, 132, 1, 5, 0, 0, 80},
        {"misaligned", 75, 0, SEQUENTIAL, 132, 1, 5, 0, 0, 80},
        /* the course's loads: one word, scattered */
        {"all one word, L1", 20, 0, ONE_WORD, 128, 1, 0, 0, 1, 3.125},
        {"all one word, L2", 20, ACCESS_L1_OFF, ONE_WORD, 128, 1, 1, 0, 0, 12.5},
        {"all one word", 30, 0, ONE_WORD, 128, 1, 1, 0, 0, 12.5},
        {"all one word", 10, 0, ONE_WORD, 128, 2, 32, 0, 0, 100 * 4.0 / 1024},
        {"all one word", 13, 0, ONE_WORD, 128, 2, 2, 0, 0, 100 * 4.0 / 64},
        {"scattered, L1", 20, 0, SCATTERED, 128, 1, 0, 0, 32, 100 * 128.0 / (32 * 128)},
        {"scattered, L2", 20, ACCESS_L1_OFF, SCATTERED, 128, 1, 32, 0, 0, 100 * 128.0 / (32 * 32)},
        {"scattered", 13, 0, SCATTERED, 128, 2, 32, 0, 0, 12.5},
    };
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        const struct example *e = &examples[i];
        struct warp_access access = example_access(e);
        struct coalesce_cost cost = coalesce_count(arch_find(e->capability), &access);
        double pct = 100.0 * cost.bytes_wanted / (32 * cost.sectors);
        cr_assert_eq(cost.requests, e->requests, "%s on %u: %u requests", e->what, e->capability,
                     cost.requests);
        cr_assert(cost.transactions_32 == e->transactions_32 && cost.transactions_64 == e->transactions_64 &&
                      cost.transactions_128 == e->transactions_128,
                  "%s on %u: %u of 32 bytes, %u of 64, %u of 128", e->what, e->capability,
                  cost.transactions_32, cost.transactions_64, cost.transactions_128);
        cr_assert_float_eq(pct, e->utilisation_pct, 1e-9, "%s on %u: %f %%", e->what, e->capability, pct);
    }
}

/* Wide and narrow words, all lanes, aligned; a half-warp's worth of bytes is what counts. */
Test(coalesce_rules, widths)
{
    static const struct {
        uint32_t capability, width, requests, transactions_32, transactions_64, transactions_128, ideal;
    } cases[] = {
        {10, 1, 2, 32, 0, 0, 2},  {10, 2, 2, 32, 0, 0, 2}, {10, 8, 2, 0, 0, 2, 2}, {10, 16, 2, 0, 0, 4, 4},
        {13, 1, 2, 2, 0, 0, 2},   {13, 2, 2, 2, 0, 0, 2},  {13, 8, 2, 0, 0, 2, 2}, {13, 16, 2, 0, 0, 4, 4},
        {20, 1, 1, 0, 0, 1, 1},   {20, 2, 1, 0, 0, 1, 1},  {20, 8, 2, 0, 0, 2, 2}, {20, 16, 4, 0, 0, 4, 4},
        {30, 1, 1, 1, 0, 0, 1},   {30, 2, 1, 2, 0, 0, 2},  {30, 8, 2, 8, 0, 0, 8}, {30, 16, 4, 16, 0, 0, 16},
        {90, 1, 1, 1, 0, 0, 1},   {90, 2, 1, 2, 0, 0, 2},  {90, 8, 1, 8, 0, 0, 8}, {90, 16, 1, 16, 0, 0, 16},
        {10, 12, 6, 96, 0, 0, 6}, {20, 12, 3, 0, 0, 9, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t width = cases[i].width;
        struct warp_access access = access_in_steps(0x1000, width, width, ALL_LANES);
        struct coalesce_cost cost = coalesce_count(arch_find(cases[i].capability), &access);
        cr_assert(cost.requests == cases[i].requests && cost.transactions_32 == cases[i].transactions_32 &&
                      cost.transactions_64 == cases[i].transactions_64 &&
                      cost.transactions_128 == cases[i].transactions_128 &&
                      cost.ideal_transactions == cases[i].ideal,
                  "%u bytes on %u: %u requests, %u of 32 bytes, %u of 64, %u of 128, ideal %u", width,
                  cases[i].capability, cost.requests, cost.transactions_32, cost.transactions_64,
                  cost.transactions_128, cost.ideal_transactions);
        cr_assert_eq(coalesce_transactions(&cost),
                     cases[i].transactions_32 + cases[i].transactions_64 + cases[i].transactions_128);
    }
}

/* The copy with an offset, as the course draws it for 2.x. */
Test(coalesce_rules, copy_offset_in_lines_and_segments)
{
    for (uint64_t offset = 0; offset <= 32; offset++) {
        struct warp_access access = access_in_steps(0x1000 + 4 * offset, 4, 4, ALL_LANES);
        cr_assert_eq(coalesce_count(arch_find(20), &access).transactions_128, offset % 32 ? 2 : 1);
        access.l1 = ACCESS_L1_OFF;
        cr_assert_eq(coalesce_count(arch_find(20), &access).transactions_32, offset % 8 ? 5 : 4);
        access.l1 = ACCESS_L1_DEFAULT;
        access.store = true;
        cr_assert_eq(coalesce_count(arch_find(20), &access).transactions_32, offset % 8 ? 5 : 4);
        cr_assert_eq(coalesce_count(arch_find(30), &access).transactions_32, offset % 8 ? 5 : 4);
    }
}

Test(coalesce_rules, local_memory_comes_in_lines_on_kepler)
{
    struct warp_access access = access_in_steps(0x1000, 4, 4, 1);
    access.local = true;
    cr_assert_eq(coalesce_count(arch_find(30), &access).transactions_128, 1);
    cr_assert_eq(coalesce_count(arch_find(50), &access).transactions_32, 1);
    access.store = true;
    cr_assert_eq(coalesce_count(arch_find(30), &access).transactions_32, 1);
}

/* ---- the oracles ---- */

static uint64_t last_byte(const struct lanes *lanes, uint32_t i)
{
    return lanes->address[i] + (lanes->width - 1);
}

/* How many aligned pieces of memory of this size do the lanes touch? */
static uint32_t pieces(const struct lanes *lanes, uint64_t piece_bytes)
{
    uint64_t numbers[2 * WARP_LANES];
    size_t count = 0;
    for (uint32_t i = 0; i < lanes->count; i++) {
        count = sorted_add(numbers, count, lanes->address[i] / piece_bytes);
        count = sorted_add(numbers, count, last_byte(lanes, i) / piece_bytes);
    }
    return (uint32_t)count;
}

static uint32_t distinct_bytes(const struct lanes *lanes)
{
    uint64_t starts[WARP_LANES];
    size_t count = 0;
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < lanes->count; i++)
        count = sorted_add(starts, count, lanes->address[i]);
    for (size_t i = 0; i < count; i++) {
        uint64_t to_next = i + 1 < count ? starts[i + 1] - starts[i] : UINT64_MAX;
        bytes += to_next < lanes->width ? (uint32_t)to_next : lanes->width;
    }
    return bytes;
}

/* F.3.2.1. "All 16 words must lie in the same segment"; "the kth thread must access the kth word". */
static bool oracle_coalesces(const struct lanes *half_warp)
{
    uint32_t width = half_warp->width;
    uint64_t segment = 0;
    if (width != 4 && width != 8 && width != 16)
        return false;
    uint64_t segment_bytes = width == 4 ? 64 : 128;
    for (uint32_t i = 0; i < half_warp->count; i++) {
        uint64_t k = half_warp->thread[i], of_lane = half_warp->address[i] / segment_bytes;
        if (width == 16 && k >= 8) { /* the last 8 words: in the following segment */
            if (of_lane == 0)
                return false;
            k -= 8;
            of_lane--;
        }
        if (half_warp->address[i] % segment_bytes != k * width || (i > 0 && of_lane != segment))
            return false;
        segment = of_lane;
    }
    return true;
}

static void oracle_1_0(const struct lanes *half_warp, struct coalesce_cost *cost)
{
    if (!oracle_coalesces(half_warp)) {
        for (uint32_t i = 0; i < half_warp->count; i++) {
            struct lanes one = {.count = 1, .width = half_warp->width, .address = {half_warp->address[i]}};
            cost->transactions_32 += pieces(&one, 32);
        }
    } else if (half_warp->width == 4) {
        cost->transactions_64 += 1;
    } else {
        cost->transactions_128 += half_warp->width == 8 ? 1 : 2;
    }
}

/* F.3.2.2, step by step. A lane over the edge of a segment is two threads to it. */
static void oracle_1_2(const struct lanes *half_warp, struct coalesce_cost *cost)
{
    uint64_t from[WARP_LANES], to[WARP_LANES]; /* the bytes of active "threads" */
    uint32_t active = 0;
    uint64_t size = half_warp->width == 1 ? 32 : half_warp->width == 2 ? 64 : 128;
    for (uint32_t i = 0; i < half_warp->count; i++) {
        uint64_t first = half_warp->address[i], last = last_byte(half_warp, i);
        uint64_t edge = last / size * size;
        if (first < edge) {
            from[active] = first;
            to[active++] = edge - 1;
            first = edge;
        }
        from[active] = first;
        to[active++] = last;
    }
    while (active > 0) {
        uint64_t segment = from[0] / size, low = size, high = 0, bytes = size;
        uint32_t left = 0;
        for (uint32_t i = 0; i < active; i++) {
            if (from[i] / size == segment) {
                low = from[i] % size < low ? from[i] % size : low;
                high = to[i] % size > high ? to[i] % size : high;
            } else {
                from[left] = from[i];
                to[left++] = to[i];
            }
        }
        active = left;
        while (bytes > 32 && (high % bytes < bytes / 2 || low % bytes >= bytes / 2))
            bytes /= 2;
        cost->transactions_128 += bytes == 128;
        cost->transactions_64 += bytes == 64;
        cost->transactions_32 += bytes == 32;
    }
}

static bool oracle_l1(const struct arch *arch, const struct warp_access *access)
{
    if (access->store || access->l1 == ACCESS_L1_OFF || arch->compute_capability >= 50)
        return false;
    if (arch->compute_capability < 30 || access->local)
        return access->local || !arch->global_l1_off;
    return (access->l1 == ACCESS_L1_ON || arch->global_l1_on) && arch->compute_capability >= 35;
}

/* How many lanes a request is of: F.3.2, F.4.2. */
static uint32_t oracle_lanes(const struct arch *arch, uint32_t width)
{
    if (arch->compute_capability < 20)
        return 16;
    if (arch->compute_capability >= 50 || width < 8)
        return 32;
    return width == 8 ? 16 : 8;
}

static uint32_t pieces_for(uint32_t bytes, uint32_t piece_bytes)
{
    return bytes / piece_bytes + (bytes % piece_bytes != 0);
}

/* The largest transaction there is for this width. */
static uint32_t oracle_largest(const struct arch *arch, const struct warp_access *access)
{
    uint32_t width = access->width_bytes;
    if (arch->compute_capability < 12)
        return width == 8 || width == 16 ? 128 : 64;
    if (arch->compute_capability < 20)
        return width == 1 ? 32 : width == 2 ? 64 : 128;
    return oracle_l1(arch, access) ? 128 : 32;
}

static void oracle_instruction(const struct arch *arch, const struct warp_access *access,
                               struct coalesce_cost *cost)
{
    uint32_t together = oracle_lanes(arch, access->width_bytes), sectors_before = cost->sectors;
    struct lanes all = lanes_of(access, 0, WARP_LANES);
    for (uint32_t first = 0; first < WARP_LANES; first += together) {
        struct lanes lanes = lanes_of(access, first, together);
        if (lanes.count == 0)
            continue;
        cost->requests++;
        uint32_t before = coalesce_transactions(cost);
        if (arch->compute_capability < 12) {
            oracle_1_0(&lanes, cost);
            *(oracle_coalesces(&lanes) ? &cost->coherent : &cost->incoherent) +=
                coalesce_transactions(cost) - before;
        } else if (arch->compute_capability < 20) {
            oracle_1_2(&lanes, cost);
            cost->coherent += coalesce_transactions(cost) - before;
        } else if (oracle_l1(arch, access)) {
            cost->transactions_128 += pieces(&lanes, 128);
        } else {
            cost->transactions_32 += pieces(&lanes, 32);
        }
        cost->ideal_transactions += pieces_for(distinct_bytes(&lanes), oracle_largest(arch, access));
    }
    cost->instructions += all.count > 0;
    cost->bytes_wanted += distinct_bytes(&all);
    cost->ideal_sectors += pieces_for(distinct_bytes(&all), 32);
    cost->sectors = cost->transactions_32 + 2 * cost->transactions_64 + 4 * cost->transactions_128;
    if (all.count > 0 && arch->compute_capability >= 20) {
        bool fewest = cost->sectors - sectors_before == pieces_for(distinct_bytes(&all), 32);
        *(fewest ? &cost->coherent : &cost->incoherent) += 1;
    }
}

static struct coalesce_cost oracle(const struct arch *arch, const struct warp_access *access)
{
    struct coalesce_cost cost = {0};
    struct warp_access part = *access;
    if (access->width_bytes != 12) {
        oracle_instruction(arch, access, &cost);
        return cost;
    }
    part.width_bytes = 4;
    for (uint32_t word = 0; word < 3; word++) {
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            part.address[lane] = access->address[lane] + 4 * word;
        oracle_instruction(arch, &part, &cost);
    }
    return cost;
}

static void check_cost(const struct arch *arch, const struct warp_access *access,
                       const struct coalesce_cost *got, const struct coalesce_cost *want)
{
    cr_assert(memcmp(got, want, sizeof *got) == 0,
              "%s, %s: requests %u, oracle %u; transactions %u %u %u, oracle %u %u %u; sectors %u, oracle "
              "%u; ideal %u %u, oracle %u %u; bytes %u, oracle %u",
              capability_text(arch->compute_capability).text, made_access_text(access), got->requests,
              want->requests, got->transactions_32, got->transactions_64, got->transactions_128,
              want->transactions_32, want->transactions_64, want->transactions_128, got->sectors,
              want->sectors, got->ideal_sectors, got->ideal_transactions, want->ideal_sectors,
              want->ideal_transactions, got->bytes_wanted, want->bytes_wanted);
}

static void equals_the_oracle(const char *rules, uint64_t seed)
{
    const struct arch *arch = arch_parse(rules);
    struct made_access made = {seed};
    for (int round = 0; round < PATTERNS; round++) {
        struct warp_access access = made_access_next(&made, UINT64_MAX);
        struct coalesce_cost got = coalesce_count(arch, &access), want = oracle(arch, &access);
        check_cost(arch, &access, &got, &want);
    }
}

Test(coalesce_rules, equals_the_oracle_on_1_0)
{
    equals_the_oracle("1.0", 10);
}

Test(coalesce_rules, equals_the_oracle_on_1_2)
{
    equals_the_oracle("1.2", 12);
}

Test(coalesce_rules, equals_the_oracle_on_2_x)
{
    equals_the_oracle("2.1", 21);
    equals_the_oracle("2.0-no-l1", 22);
}

Test(coalesce_rules, equals_the_oracle_on_3_x)
{
    equals_the_oracle("3.0", 30);
    equals_the_oracle("3.7", 37);
    equals_the_oracle("3.5-l1", 36);
}

Test(coalesce_rules, equals_the_oracle_on_5_x)
{
    equals_the_oracle("5.0", 50);
    equals_the_oracle("12.1", 121);
}

/* The formulas of a constant step: every width, step, place in a sector, and masks of lanes. */
Test(coalesce_rules, steps_equal_the_oracle)
{
    static const uint32_t masks[] = {ALL_LANES, 0x0000ffff, 0x55555555, 0x7ffffffe, 0xfffeffff, 0x00010000};
    const struct arch *const arch = arch_find(90);
    for (uint32_t width = 1; width <= 16; width *= 2)
        for (int64_t step = -137; step <= 137; step++)
            for (uint64_t start = 0; start < 32; start++)
                for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
                    struct warp_access access =
                        access_in_steps(8192 + start, (uint64_t)step, width, masks[i]);
                    const struct coalesce_cost got = coalesce_count(arch, &access),
                                               want = oracle(arch, &access);
                    check_cost(arch, &access, &got, &want);
                }
}

/* The list of sectors: all that are touched, none twice, in the order of the lanes; the cost beside it is the
 * one without the list. */
Test(coalesce_rules, lists_the_sectors_as_the_lanes_touch_them)
{
    const struct arch *arch = arch_find(90);
    struct made_access made = {91};
    for (int round = 0; round < PATTERNS; round++) {
        struct warp_access access = made_access_next(&made, UINT64_MAX);
        struct coalesce_cost alone = coalesce_count(arch, &access);
        uint64_t sectors[COALESCE_SECTORS_MAX], seen[COALESCE_SECTORS_MAX];
        uint32_t count = UINT32_MAX;
        size_t seen_count = 0;
        struct coalesce_cost cost = coalesce_count_sectors(arch, &access, sectors, &count);
        check_cost(arch, &access, &cost, &alone);
        struct lanes lanes = lanes_of(&access, 0, WARP_LANES);
        for (uint32_t i = 0; i < lanes.count; i++) {
            for (uint64_t sector = lanes.address[i] / 32; sector <= last_byte(&lanes, i) / 32; sector++) {
                size_t before = seen_count;
                seen_count = sorted_add(seen, seen_count, sector);
                if (seen_count > before) {
                    cr_assert_lt(before, count, "%s", made_access_text(&access));
                    cr_assert_eq(sectors[before], sector, "%s", made_access_text(&access));
                }
            }
        }
        cr_assert_eq(count, seen_count, "%u listed, oracle %zu: %s", count, seen_count,
                     made_access_text(&access));
    }
}

/* ---- atomics ---- */

/* Rounds: in each, the first of the remaining lanes on each address goes. */
static uint32_t oracle_rounds(const struct lanes *request)
{
    struct lanes left = *request;
    uint32_t rounds = 0;
    for (; left.count > 0; rounds++) {
        struct lanes later = {.width = left.width};
        uint64_t addresses[WARP_LANES];
        size_t count = 0;
        for (uint32_t i = 0; i < left.count; i++) {
            size_t before = count;
            count = sorted_add(addresses, count, left.address[i]);
            if (count == before)
                later.address[later.count++] = left.address[i];
        }
        left = later;
    }
    return rounds;
}

Test(coalesce_rules, atomics_equal_the_oracle)
{
    static const uint32_t capabilities[] = {11, 13, 20, 35, 90};
    struct made_access made = {7};
    for (int round = 0; round < PATTERNS; round++) {
        const struct arch *arch = arch_find(capabilities[round % 5]);
        struct warp_access access = made_access_next(&made, UINT64_MAX);
        struct coalesce_cost cost = coalesce_count_atomic(arch, &access, NULL, NULL);
        uint32_t together = oracle_lanes(arch, access.width_bytes), sectors = 0, requests = 0;
        struct lanes all = lanes_of(&access, 0, WARP_LANES);
        cr_assert_eq(access_contention(&access), oracle_rounds(&all), "%s", made_access_text(&access));
        if (access.width_bytes == 12) {
            cr_assert_eq(cost.requests + cost.sectors, 0);
            continue;
        }
        for (uint32_t first = 0; first < WARP_LANES; first += together) {
            struct lanes lanes = lanes_of(&access, first, together);
            requests += lanes.count > 0;
            sectors += arch->compute_capability < 20 ? lanes.count : (uint32_t)pieces(&lanes, 32);
        }
        cr_assert_eq(cost.requests, requests, "%s", made_access_text(&access));
        cr_assert_eq(cost.sectors, sectors, "%u, oracle %u: %s", cost.sectors, sectors,
                     made_access_text(&access));
        cr_assert_eq(cost.transactions_32, sectors);
        cr_assert_eq(cost.ideal_sectors, pieces_for(distinct_bytes(&all), 32));
    }
}

/* Counted on an H200: reductions of 32 lanes on one word, on neighbouring words. */
Test(coalesce_rules, atomics_as_measured)
{
    struct warp_access one = access_in_steps(0x1000, 0, 4, ALL_LANES);
    struct warp_access neighbours = access_in_steps(0x1000, 4, 4, ALL_LANES);
    uint64_t sectors[COALESCE_SECTORS_MAX];
    uint32_t count;
    cr_assert_eq(coalesce_count_atomic(arch_find(90), &one, sectors, &count).sectors, 1);
    cr_assert(count == 1 && sectors[0] == 0x1000 / 32);
    cr_assert_eq(coalesce_count_atomic(arch_find(90), &neighbours, sectors, &count).sectors, 4);
    cr_assert_eq(count, 4);
    cr_assert_eq(access_contention(&one), 32);
    cr_assert_eq(access_contention(&neighbours), 1);
}
