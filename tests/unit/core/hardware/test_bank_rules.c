/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of shared memory of every generation: the examples of the guide, and made-up accesses against
 * oracles that follow the guide's text word by word. Sections are of the CUDA C Programming Guide 4.2.
 */
#include "core/hardware/bank.h"
#include "tests/shared/made/made_access.h"

#include <criterion/criterion.h>
#include <string.h>

#define PATTERNS 20000

/* ---- the guide's examples ---- */

struct example {
    const char *what;
    uint64_t step; /* lane l at l * step */
    uint32_t width;
    uint32_t ways_1_x, ways_2_x, ways_3_x; /* n of n-way; 3.x in 32-bit mode */
    uint32_t wavefronts_1_x, wavefronts_2_x, wavefronts_3_x;
};

Test(bank_rules, examples_of_the_guide)
{
    static const struct example examples[] = {
        /* figure F-2: strides of one, two and three words; and F.3.3.1: even ones conflict */
        {"stride 1", 4, 4, 1, 1, 1, 2, 1, 1},
        {"stride 2", 8, 4, 2, 2, 1, 4, 2, 1},
        {"stride 3", 12, 4, 1, 1, 1, 2, 1, 1},
        {"stride 4", 16, 4, 4, 4, 2, 8, 4, 2},
        {"stride 16", 64, 4, 16, 16, 8, 32, 16, 8},
        {"stride 32", 128, 4, 16, 32, 16, 32, 32, 16},
        {"stride 33", 132, 4, 1, 1, 1, 2, 1, 1},
        /* F.3.3.2: a word for all */
        {"all lanes one word", 0, 4, 1, 1, 1, 2, 1, 1},
        /* F.3.3.3: shared[tid] and shared[4 * tid] of char; and of short */
        {"char, neighbours", 1, 1, 4, 1, 1, 8, 1, 1},
        {"char, a word each", 4, 1, 1, 1, 1, 2, 1, 1},
        {"short, neighbours", 2, 2, 2, 1, 1, 4, 1, 1},
        /* F.3.3.4, F.4.3.2: double; three floats, two floats; 128 bits */
        {"double", 8, 8, 2, 1, 1, 8, 2, 1},
        {"struct of three floats", 12, 12, 1, 1, 1, 6, 3, 3},
        {"float4", 16, 16, 4, 2, 1, 32, 8, 2},
        {"float4, all lanes one", 0, 16, 1, 2, 1, 8, 8, 2},
    };
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        const struct example *e = &examples[i];
        struct warp_access access = access_in_steps(0x400, e->step, e->width, ALL_LANES);
        struct bank_cost old = bank_count(arch_find(13), &access), fermi = bank_count(arch_find(20), &access),
                         kepler = bank_count(arch_find(35), &access);
        cr_assert_eq(old.degree, e->ways_1_x, "%s: %u-way on 1.x", e->what, old.degree);
        cr_assert_eq(fermi.degree, e->ways_2_x, "%s: %u-way on 2.x", e->what, fermi.degree);
        cr_assert_eq(kepler.degree, e->ways_3_x, "%s: %u-way on 3.x", e->what, kepler.degree);
        cr_assert_eq(old.wavefronts, e->wavefronts_1_x, "%s: %u on 1.x", e->what, old.wavefronts);
        cr_assert_eq(fermi.wavefronts, e->wavefronts_2_x, "%s: %u on 2.x", e->what, fermi.wavefronts);
        cr_assert_eq(kepler.wavefronts, e->wavefronts_3_x, "%s: %u on 3.x", e->what, kepler.wavefronts);
    }
}

/* Figure F-3, middle and right: lanes 3, 4, 6, 7, 9 one word, the others one each; pairs of lanes a word
 * each. */
Test(bank_rules, one_word_is_broadcast_on_1_x_and_all_later)
{
    struct warp_access middle = access_in_steps(0, 4, 4, ALL_LANES), right = middle;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        right.address[lane] = lane / 2 * 4;
    middle.address[3] = middle.address[4] = middle.address[6] = middle.address[7] = middle.address[9] = 5 * 4;
    cr_assert_eq(bank_count(arch_find(12), &middle).degree, 1);
    cr_assert_eq(bank_count(arch_find(20), &middle).degree, 1);
    cr_assert_eq(bank_count(arch_find(30), &middle).degree, 1);
    cr_assert_eq(bank_count(arch_find(12), &right).degree, 2);
    cr_assert_eq(bank_count(arch_find(20), &right).degree, 1);
    cr_assert_eq(bank_count(arch_find(30), &right).degree, 1);
}

/* F.5.3: the same doubles in both modes; words 0 and 32 share a row of bank 0 in one of them. */
Test(bank_rules, kepler_has_two_modes)
{
    const struct arch *wide = arch_parse("3.0-64-bit");
    struct warp_access two = access_in_steps(0, 128, 4, 0x3), apart = access_in_steps(128, 128, 4, 0x3),
                       halves = access_in_steps(0, 8, 8, ALL_LANES);
    cr_assert_eq(bank_count(arch_find(30), &two).wavefronts, 1);
    cr_assert_eq(bank_count(arch_find(30), &apart).wavefronts, 2);
    cr_assert_eq(bank_count(wide, &two).wavefronts, 1); /* banks 0 and 16 */
    cr_assert_eq(bank_count(wide, &apart).wavefronts, 1);
    cr_assert_eq(bank_count(wide, &halves).wavefronts, 1);
    cr_assert_eq(bank_count(wide, &halves).ideal_wavefronts, 1);
}

/* ---- the oracles ---- */

/* The distinct words of this size that the lanes touch, ascending. */
static size_t words_of(const struct lanes *lanes, uint64_t word_bytes, uint64_t words[])
{
    size_t count = 0;
    for (uint32_t i = 0; i < lanes->count; i++) {
        uint64_t last = lanes->address[i] + lanes->width - 1;
        for (uint64_t word = lanes->address[i] / word_bytes; word <= last / word_bytes; word++)
            count = sorted_add(words, count, word);
    }
    return count;
}

#define WORDS_MAX (5 * WARP_LANES)

/* F.4.3: "a bank conflict only occurs if two or more threads access any bytes within different 32-bit words
 * belonging to the same bank". F.5.3.1: the same with 64-bit words. */
static uint32_t oracle_words(const struct lanes *lanes, uint64_t word_bytes)
{
    uint64_t words[WORDS_MAX];
    uint32_t in_bank[32] = {0}, most = 0;
    size_t count = words_of(lanes, word_bytes, words);
    for (size_t i = 0; i < count; i++) {
        in_bank[words[i] % 32]++;
        most = in_bank[words[i] % 32] > most ? in_bank[words[i] % 32] : most;
    }
    return most;
}

/* F.5.3.2: no conflict "within the same 32-bit word or within two 32-bit words whose indices i and j are in
 * the same 64-word aligned segment and such that j = i + 32". */
static uint32_t oracle_32_bit_mode(const struct lanes *lanes)
{
    uint64_t words[WORDS_MAX];
    uint32_t in_bank[32] = {0}, most = 0;
    size_t count = words_of(lanes, 4, words);
    for (size_t j = 0; j < count; j++) {
        bool goes_along = false;
        for (size_t i = 0; i < j; i++)
            goes_along |= words[i] / 64 == words[j] / 64 && words[j] == words[i] + 32;
        in_bank[words[j] % 32] += !goes_along;
        most = in_bank[words[j] % 32] > most ? in_bank[words[j] % 32] : most;
    }
    return most;
}

/* What each lane wants of each word it touches: F.3.3.2's "addresses". */
static uint32_t addresses_of(const struct lanes *lanes, uint64_t addresses[])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < lanes->count; i++) {
        uint64_t first = lanes->address[i], last = first + lanes->width - 1;
        addresses[count++] = first;
        if (last / 4 != first / 4)
            addresses[count++] = last / 4 * 4;
    }
    return count;
}

/* F.3.3.2: the steps of a read on 1.x, with the choice core/hardware/bank.h's rules make where the guide
 * leaves it open: the word that most remaining addresses are within, of equal ones the first lane's. */
static uint32_t oracle_broadcast(const struct lanes *half_warp)
{
    uint64_t addresses[2 * WARP_LANES];
    bool serviced[2 * WARP_LANES] = {false};
    uint32_t count = addresses_of(half_warp, addresses), remaining = count, steps = 0;
    for (; remaining > 0; steps++) {
        uint64_t chosen = 0;
        uint32_t within_chosen = 0;
        bool bank_used[16] = {false};
        for (uint32_t i = 0; i < count; i++) {
            uint32_t within = 0;
            for (uint32_t j = 0; j < count; j++)
                within += !serviced[j] && addresses[j] / 4 == addresses[i] / 4;
            if (!serviced[i] && within > within_chosen) {
                within_chosen = within;
                chosen = addresses[i] / 4;
            }
        }
        for (uint32_t i = 0; i < count; i++) {
            uint64_t bank = addresses[i] / 4 % 16;
            bool in_subset = addresses[i] / 4 == chosen || (bank != chosen % 16 && !bank_used[bank]);
            if (!serviced[i] && in_subset) {
                serviced[i] = true;
                bank_used[bank] = true;
                remaining--;
            }
        }
    }
    return steps;
}

/* F.3.3: a write to one location is one write, whatever lanes take part. */
static uint32_t oracle_writes(const struct lanes *half_warp)
{
    uint64_t addresses[2 * WARP_LANES], locations[2 * WARP_LANES];
    uint32_t count = addresses_of(half_warp, addresses), in_bank[16] = {0}, most = 0;
    size_t distinct = 0;
    for (uint32_t i = 0; i < count; i++)
        distinct = sorted_add(locations, distinct, addresses[i]);
    for (size_t i = 0; i < distinct; i++) {
        uint32_t *of_bank = &in_bank[locations[i] / 4 % 16];
        ++*of_bank;
        most = *of_bank > most ? *of_bank : most;
    }
    return most;
}

static uint32_t oracle_passes(enum shared_rules rules, bool store, const struct lanes *lanes)
{
    switch (rules) {
    case SHARED_RULES_1_X: return store ? oracle_writes(lanes) : oracle_broadcast(lanes);
    case SHARED_RULES_2_X: /* F.4.3.2: "one must add 1" */
        return oracle_words(lanes, 4) + (lanes->width == 16 ? 1 : 0);
    case SHARED_RULES_3_X_32_BIT: return oracle_32_bit_mode(lanes);
    case SHARED_RULES_3_X_64_BIT: return oracle_words(lanes, 8);
    case SHARED_RULES_5_X: break;
    }
    return oracle_words(lanes, 4);
}

/* Lanes 0 and 1, 2 and 3, ... (or 0 and 2, 1 and 3, ...) of [first, first + count) alike, where both are on.
 */
static bool oracle_alike(const struct warp_access *access, uint32_t first, uint32_t count, uint32_t distance)
{
    for (uint32_t lane = first; lane < first + count; lane++) {
        uint32_t other = lane + distance;
        if ((lane / distance) % 2 == 0 && (access->active & 1u << lane) && (access->active & 1u << other) &&
            access->address[lane] != access->address[other])
            return false;
    }
    return true;
}

/* How many lanes a request is of: F.3.3, F.4.3.2; on 3.x as many as fill 32 banks of 8 bytes. */
static uint32_t oracle_lanes(enum shared_rules rules, uint32_t width)
{
    bool wide_banks = rules == SHARED_RULES_3_X_32_BIT || rules == SHARED_RULES_3_X_64_BIT;
    if (rules == SHARED_RULES_1_X)
        return 16;
    if (width == 16)
        return wide_banks ? 16 : 8;
    return width == 8 && !wide_banks ? 16 : 32;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void oracle_instruction(enum shared_rules rules, const struct warp_access *access,
                               struct bank_cost *cost)
{
    uint32_t width = access->width_bytes, together = oracle_lanes(rules, width), wavefronts = 0, ideal = 0;
    struct lanes all = lanes_of(access, 0, WARP_LANES);
    for (uint32_t first = 0; first < WARP_LANES; first += together) {
        struct lanes lanes = lanes_of(access, first, together);
        if (rules == SHARED_RULES_5_X && !access->store && together < 32 && first % (2 * together) == 0) {
            struct lanes both = lanes_of(access, first, 2 * together);
            bool alike =
                oracle_alike(access, first, 2 * together, 1) || oracle_alike(access, first, 2 * together, 2);
            if (alike && oracle_words(&both, 4) < 2) {
                lanes = both;
                first += together;
            }
        }
        if (lanes.count == 0)
            continue;
        uint32_t passes = oracle_passes(rules, access->store, &lanes);
        wavefronts += passes;
        ideal++; /* a request wants no more than all banks can give at once */
        cost->requests++;
        cost->degree = passes > cost->degree ? passes : cost->degree;
    }
    if (rules == SHARED_RULES_5_X)
        ideal = least((all.count * width + 127) / 128, wavefronts);
    cost->wavefronts += wavefronts;
    cost->ideal_wavefronts += ideal;
    cost->instructions += all.count > 0;
}

static struct bank_cost oracle(enum shared_rules rules, const struct warp_access *access)
{
    struct bank_cost cost = {0};
    uint32_t width = access->width_bytes;
    struct warp_access part = *access;
    if (width != 12 && !(rules == SHARED_RULES_1_X && width > 4)) {
        oracle_instruction(rules, access, &cost);
        return cost;
    }
    part.width_bytes = 4;
    for (uint32_t word = 0; word < width / 4; word++) {
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            part.address[lane] = access->address[lane] + 4 * word;
        oracle_instruction(rules, &part, &cost);
    }
    return cost;
}

static void equals_the_oracle(uint32_t capability, enum shared_rules rules, uint64_t seed)
{
    struct arch arch = *arch_find(capability);
    struct made_access made = {seed};
    arch.shared_rules = rules;
    for (int round = 0; round < PATTERNS; round++) {
        struct warp_access access = made_access_next(&made, round % 2 ? 1 << 15 : 1 << 9);
        struct bank_cost got = bank_count(&arch, &access), want = oracle(rules, &access);
        cr_assert(
            memcmp(&got, &want, sizeof got) == 0,
            "rules %d, %s: instructions %u, oracle %u; requests %u, %u; wavefronts %u, %u; ideal %u, %u; "
            "%u-way, %u",
            (int)rules, made_access_text(&access), got.instructions, want.instructions, got.requests,
            want.requests, got.wavefronts, want.wavefronts, got.ideal_wavefronts, want.ideal_wavefronts,
            got.degree, want.degree);
        cr_assert_leq(got.ideal_wavefronts, got.wavefronts);
    }
}

Test(bank_rules, equals_the_oracle_on_1_x)
{
    equals_the_oracle(13, SHARED_RULES_1_X, 13);
}

Test(bank_rules, equals_the_oracle_on_2_x)
{
    equals_the_oracle(20, SHARED_RULES_2_X, 20);
}

Test(bank_rules, equals_the_oracle_on_3_x_in_32_bit_mode)
{
    equals_the_oracle(30, SHARED_RULES_3_X_32_BIT, 30);
}

Test(bank_rules, equals_the_oracle_on_3_x_in_64_bit_mode)
{
    equals_the_oracle(37, SHARED_RULES_3_X_64_BIT, 37);
}

Test(bank_rules, equals_the_oracle_on_5_x)
{
    equals_the_oracle(50, SHARED_RULES_5_X, 50);
    equals_the_oracle(121, SHARED_RULES_5_X, 121);
}

/* The formulas of a constant step: every width, step, place in a word, and in the banks, and masks of lanes. */
Test(bank_rules, steps_equal_the_oracle)
{
    static const uint32_t masks[] = {ALL_LANES, 0x0000ffff, 0x55555555, 0x7ffffffe, 0xfffeffff, 0x00010000};
    const struct arch *const arch = arch_find(90);
    for (uint32_t width = 1; width <= 16; width *= 2)
        for (int64_t step = -137; step <= 137; step++)
            for (uint64_t start = 0; start < 12; start++)
                for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
                    struct warp_access access =
                        access_in_steps(8192 + start, (uint64_t)step, width, masks[i]);
                    access.store = start & 1;
                    const struct bank_cost got = bank_count(arch, &access),
                                           want = oracle(SHARED_RULES_5_X, &access);
                    cr_assert(memcmp(&got, &want, sizeof got) == 0, "wavefronts %u, oracle %u: %s",
                              got.wavefronts, want.wavefronts, made_access_text(&access));
                }
}

/* F.5.3.2: "the same access pattern generates as many or fewer bank conflicts than on devices of 2.x". */
Test(bank_rules, the_32_bit_mode_is_never_worse_than_2_x)
{
    struct made_access made = {32};
    for (int round = 0; round < PATTERNS; round++) {
        struct warp_access access = made_access_next(&made, 1 << 12);
        cr_assert_leq(bank_count(arch_find(30), &access).wavefronts,
                      bank_count(arch_find(20), &access).wavefronts, "%s", made_access_text(&access));
    }
}

/* ---- atomics: each lane a pass of its own over its bank, two if it compares and swaps ---- */

Test(bank_rules, atomics_equal_the_oracle)
{
    static const uint32_t capabilities[] = {12, 20, 30, 90};
    struct made_access made = {8};
    for (int round = 0; round < PATTERNS; round++) {
        const struct arch *arch = arch_find(capabilities[round % 4]);
        struct warp_access access = made_access_next(&made, 1 << 12);
        uint32_t width = access.width_bytes, wavefronts = 0;
        bool swap = round % 8 >= 4;
        if (width == 12) {
            cr_assert_eq(bank_count_atomic(arch, &access, swap).wavefronts, 0);
            continue;
        }
        uint32_t parts = arch->compute_capability < 20 && width > 4 ? width / 4 : 1;
        uint32_t together = oracle_lanes(arch->shared_rules, width / parts);
        for (uint32_t part = 0; part < parts; part++) {
            for (uint32_t first = 0; first < WARP_LANES; first += together) {
                struct lanes lanes = lanes_of(&access, first, together);
                uint32_t in_bank[32] = {0}, most = 0;
                for (uint32_t i = 0; i < lanes.count; i++) {
                    struct lanes one = {.count = 1, .width = width / parts};
                    one.address[0] = lanes.address[i] + part * 4;
                    uint64_t words[WORDS_MAX];
                    size_t count = words_of(&one, 4, words);
                    for (size_t w = 0; w < count; w++) {
                        uint32_t *of_bank = &in_bank[words[w] % arch->banks];
                        ++*of_bank;
                        most = *of_bank > most ? *of_bank : most;
                    }
                }
                wavefronts += most;
            }
        }
        wavefronts *= swap && arch->compute_capability >= 50 ? 2 : 1;
        cr_assert_eq(bank_count_atomic(arch, &access, swap).wavefronts, wavefronts, "%u: %s",
                     arch->compute_capability, made_access_text(&access));
    }
}

/* In each round the lowest lane of each bank, of 8 bytes by half-warps. */
Test(bank_rules, lanes_that_spin)
{
    static const struct {
        uint32_t width, step, active, done, wavefronts;
    } cases[] = {
        {4, 4, UINT32_MAX, UINT32_MAX, 2},
        {4, 0, UINT32_MAX, 1, 2},
        {4, 0, 0xf0, 0x10, 2},
        {4, 128, 0x30003, 1, 2},
        {4, 8, UINT32_MAX, 0xffff, 2},
        {8, 8, UINT32_MAX, UINT32_MAX, 4},
        {8, 0, UINT32_MAX, 1, 4},
        {8, 0, 0xff000000, 1u << 24, 2},
        {8, 128, UINT32_MAX, 0x10001, 4},
        {4, 4, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct warp_access access = {.width_bytes = cases[i].width, .active = cases[i].active};
        struct bank_cost cost;
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            access.address[lane] = 0x1000 + (uint64_t)lane * cases[i].step;
        cr_assert_eq(bank_count_spin(arch_find(90), &access, &cost), cases[i].done, "case %zu", i);
        cr_assert_eq(cost.wavefronts, cases[i].wavefronts, "case %zu", i);
    }
}
