/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of core/hardware/bank.h. A lane's bytes lie in cells: what one bank gives in one pass. The lanes
 * of a request that want one cell are served together; the passes are the most distinct cells in one bank.
 * Cells are numbered so that the lowest bits are the bank. 1.x alone works by steps of its own.
 */
#include "core/hardware/bank.h"
#include "core/hardware/access_internal.h"

#define WORD_BYTES 4

struct shape {
    uint32_t bank_mask;  /* banks - 1 */
    uint32_t row_bytes;  /* all banks once */
    uint32_t cell_shift; /* cell number = address >> this; 0: see bank_cell */
};

static struct shape bank_shape(const struct arch *arch)
{
    struct shape shape = {
        .bank_mask = arch->banks - 1, .row_bytes = arch->banks * arch->bank_bytes, .cell_shift = 2};
    if (arch->shared_rules == SHARED_RULES_3_X_32_BIT)
        shape.cell_shift = 0;
    else if (arch->shared_rules == SHARED_RULES_3_X_64_BIT)
        shape.cell_shift = 3;
    return shape;
}

/* In the 32-bit mode of 3.x (CUDA C Programming Guide 4.2, F.5.3.2) words i and i + 32 of an aligned segment
 * of 64 are the halves of one cell of bank i. */
static uint64_t bank_cell(const struct shape *shape, uint64_t address)
{
    return shape->cell_shift ? address >> shape->cell_shift : address >> 8 << 5 | (address >> 2 & 31);
}

/* The cells of an aligned lane are neighbours in one row, so its first cell stands for all of them. */
static bool bank_aligned(const uint64_t *at, uint32_t count, uint32_t width)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < count; i++)
        bits |= at[i];
    return !(bits & (width - 1));
}

/* Passes of lanes that are `step` bytes apart; 0: the lanes must be looked at one by one. */
static uint32_t bank_passes_of_run(const struct shape *shape, const uint64_t *at, uint32_t count,
                                   int64_t step, uint32_t width)
{
    uint64_t low = step < 0 ? at[count - 1] : at[0], high = step < 0 ? at[0] : at[count - 1];
    uint64_t stride = (uint64_t)(step < 0 ? -step : step);
    if (!shape->cell_shift)
        return 0;
    if (((high + width - 1) >> shape->cell_shift) - (low >> shape->cell_shift) <= shape->bank_mask)
        return 1;
    if (((at[0] | stride) & (width - 1)) || stride & ((1u << shape->cell_shift) - 1))
        return 0;
    /* Every `period` lanes the same bank is used again, with another cell. */
    uint64_t cells = stride >> shape->cell_shift | (shape->bank_mask + 1);
    uint32_t period = (shape->bank_mask + 1) / (uint32_t)(cells & -cells);
    return (count + period - 1) / period;
}

/* The largest number of distinct cells in one bank that the lanes at[0 ... count - 1] touch. */
static uint32_t bank_passes(const struct shape *shape, const uint64_t *at, uint32_t count, uint32_t width)
{
    uint64_t cells[NUMBER_SET_MAX];
    uint8_t in_bank[32] = {0}, most = 0;
    struct number_set set;
    int64_t step;

    if (!count)
        return 0;
    if (access_step(at, count, &step)) {
        uint32_t passes = bank_passes_of_run(shape, at, count, step, width);
        if (passes)
            return passes;
    }
    uint32_t looked_at = bank_aligned(at, count, width) ? 1 : width;
    number_set_init(&set, cells);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t last = at[i] + looked_at - 1;
        for (uint64_t word = at[i] / WORD_BYTES; word <= last / WORD_BYTES; word++) {
            uint64_t cell = bank_cell(shape, word * WORD_BYTES);
            uint32_t before = set.count;
            if (number_set_add(&set, cell) == before) {
                uint8_t in_this = ++in_bank[cell & shape->bank_mask];
                most = in_this > most ? in_this : most;
            }
        }
    }
    return most;
}

/* The largest number of lanes (not cells) that use one bank. */
static uint32_t bank_lanes(const struct shape *shape, const uint64_t *at, uint32_t count, uint32_t width)
{
    uint32_t in_bank[32] = {0}, most = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t seen = UINT64_MAX, last = (at[i] + width - 1) / WORD_BYTES;
        for (uint64_t word = at[i] / WORD_BYTES; word <= last; word++) {
            uint64_t bank = bank_cell(shape, word * WORD_BYTES) & shape->bank_mask;
            if (bank != seen) {
                uint32_t in_this = ++in_bank[bank];
                most = in_this > most ? in_this : most;
            }
            seen = bank;
        }
    }
    return most;
}

/* F.3.3.2, reads on 1.x: in each step one word is broadcast to all lanes that want it, and each other bank
 * serves one lane. The guide does not say which word: here it is the one that most remaining lanes want, of
 * several the one of the lowest lane; each other bank serves its lowest lane. */
static uint32_t bank_steps_with_broadcast(const struct shape *shape, const uint64_t *at, uint32_t count,
                                          uint32_t width)
{
    uint64_t words[2 * WARP_LANES]; /* the lanes not served yet, in their order */
    uint32_t left = 0, steps = 0;

    for (uint32_t i = 0; i < count; i++)
        for (uint64_t word = at[i] / WORD_BYTES; word <= (at[i] + width - 1) / WORD_BYTES; word++)
            words[left++] = word;
    for (; left; steps++) {
        uint32_t most = 0, kept = 0;
        uint64_t broadcast = 0;
        for (uint32_t i = 0; i < left; i++) {
            uint32_t wanted = 0;
            for (uint32_t j = i; j < left; j++)
                wanted += words[j] == words[i];
            if (wanted > most) {
                most = wanted;
                broadcast = words[i];
            }
        }
        uint32_t busy = 1u << (broadcast & shape->bank_mask); /* bit b: bank b */
        for (uint32_t i = 0; i < left; i++) {
            uint32_t bank = 1u << (words[i] & shape->bank_mask);
            if (words[i] != broadcast && busy & bank)
                words[kept++] = words[i];
            busy |= bank;
        }
        left = kept;
    }
    return steps;
}

/* Reads on 1.x: the steps, or their number by a shortcut if no two lanes want the same word, or all want one
 * word. */
static uint32_t bank_reads(const struct shape *shape, const uint64_t *at, uint32_t count, uint32_t width)
{
    uint32_t passes = bank_lanes(shape, at, count, width);
    int64_t step;

    if (passes > 1 && bank_aligned(at, count, width) && access_step(at, count, &step)) {
        if (step >= WORD_BYTES || step <= -WORD_BYTES)
            return passes;
        if (!step)
            return 1;
    }
    return passes > 1 ? bank_steps_with_broadcast(shape, at, count, width) : passes;
}

/* F.3.3, writes on 1.x: lanes that write the same location count as one write; different bytes of one word
 * are different locations. */
static uint32_t bank_writes(const struct shape *shape, const uint64_t *at, uint32_t count, uint32_t width)
{
    uint64_t locations[2 * WARP_LANES];
    uint32_t in_bank[32] = {0}, most = 0;
    struct number_set set;

    number_set_init(&set, locations);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t first = at[i] / WORD_BYTES, last = (at[i] + width - 1) / WORD_BYTES;
        for (uint64_t word = first; word <= last; word++) {
            uint32_t before = set.count;
            if (number_set_add(&set, word == first ? at[i] : word * WORD_BYTES) == before) {
                uint32_t in_this = ++in_bank[word & shape->bank_mask];
                most = in_this > most ? in_this : most;
            }
        }
    }
    return most;
}

enum operation { OPERATION_LOAD, OPERATION_STORE, OPERATION_ATOMIC, OPERATION_COMPARE_AND_SWAP };

/* The passes of one request. */
static uint32_t bank_request(enum shared_rules rules, const struct shape *shape, enum operation operation,
                             const uint64_t *at, uint32_t count, uint32_t width)
{
    if (operation == OPERATION_ATOMIC)
        return bank_lanes(shape, at, count, width);
    if (operation == OPERATION_COMPARE_AND_SWAP)
        return bank_lanes(shape, at, count, width) * (rules == SHARED_RULES_5_X ? 2 : 1);
    switch (rules) {
    case SHARED_RULES_1_X:
        return operation == OPERATION_STORE ? bank_writes(shape, at, count, width)
                                            : bank_reads(shape, at, count, width);
    case SHARED_RULES_2_X: /* F.4.3.2: 16-byte accesses take one way more than the conflicts of the
                              quarter-warp */
        return bank_passes(shape, at, count, width) + (width == 16);
    case SHARED_RULES_3_X_32_BIT:
    case SHARED_RULES_3_X_64_BIT:
    case SHARED_RULES_5_X: break;
    }
    return bank_passes(shape, at, count, width);
}

/* Do the lanes of the group whose numbers differ only in this bit (1 or 2) have the same address? A lane
 * whose partner is not active agrees. */
static bool bank_pairs_agree(const struct warp_access *access, uint32_t group, uint32_t bit)
{
    uint32_t pairs = group & group >> bit & (bit == 1 ? 0x55555555u : 0x33333333u);
    for (; pairs; pairs &= pairs - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(pairs);
        if (access->address[lane] != access->address[lane + bit])
            return false;
    }
    return true;
}

/* Can two neighbouring groups of a wide load share a wavefront? Seen on an H200: yes, if in both groups
 * neighbouring lanes, or lanes two apart, have the same address, and if all of it has no conflict. Stores
 * never share. */
static bool bank_groups_merge(const struct shape *shape, const struct warp_access *access, uint32_t both,
                              const uint64_t *at)
{
    return (bank_pairs_agree(access, both, 1) || bank_pairs_agree(access, both, 2)) &&
           bank_passes(shape, at, (uint32_t)__builtin_popcount(both), access->width_bytes) <= 1;
}

/* One instruction, of a width that the rules support. */
static void bank_instruction(const struct arch *arch, enum operation operation,
                             const struct warp_access *access, struct bank_cost *cost)
{
    enum shared_rules rules = arch->shared_rules;
    const struct shape shape = bank_shape(arch);
    uint32_t width = access->width_bytes, before = cost->wavefronts, ideal = 0;
    uint32_t together = shape.row_bytes / (width > WORD_BYTES ? width : WORD_BYTES);
    uint64_t storage[WARP_LANES];
    const uint64_t *at;
    uint32_t active = access_gather(access, storage, &at);

    together = together < WARP_LANES ? together : WARP_LANES;
    bool may_merge = rules == SHARED_RULES_5_X && operation == OPERATION_LOAD && together < WARP_LANES;
    for (uint32_t first = 0; first < WARP_LANES; first += together) {
        uint32_t lanes = access_group(access, first, together);
        if (may_merge && !(first & together)) {
            uint32_t both = access_group(access, first, 2 * together);
            if (bank_groups_merge(&shape, access, both, at)) {
                lanes = both;
                first += together;
            }
        }
        uint32_t count = (uint32_t)__builtin_popcount(lanes);
        if (!count)
            continue;
        uint32_t passes = bank_request(rules, &shape, operation, at, count, width);
        ideal++;
        cost->requests++;
        cost->wavefronts += passes;
        cost->degree = passes > cost->degree ? passes : cost->degree;
        at += count;
    }
    if (rules == SHARED_RULES_5_X) {
        uint32_t wavefronts = cost->wavefronts - before;
        ideal = (active * width + shape.row_bytes - 1) / shape.row_bytes;
        ideal = ideal < wavefronts ? ideal : wavefronts;
    }
    cost->ideal_wavefronts += ideal;
    cost->instructions += active != 0;
}

/* A wide access that the rules do not support is several of 4 bytes. */
static struct bank_cost bank_split(const struct arch *arch, enum operation operation,
                                   const struct warp_access *access)
{
    struct bank_cost cost = {0};
    struct warp_access part = *access;

    part.width_bytes = WORD_BYTES;
    for (uint32_t done = 0; done < access->width_bytes; done += WORD_BYTES) {
        bank_instruction(arch, operation, &part, &cost);
        access_move(&part, WORD_BYTES);
    }
    return cost;
}

static struct bank_cost bank_of_operation(const struct arch *arch, enum operation operation,
                                          const struct warp_access *access)
{
    struct bank_cost cost = {0};
    bool wide = access->width_bytes > WORD_BYTES;

    if (access->width_bytes == 12 ? operation >= OPERATION_ATOMIC
                                  : !access_is_instruction(access->width_bytes))
        return cost;
    /* F.3.3.4: 1.x has no access wider than 4 bytes */
    if (access->width_bytes == 12 || (wide && arch->shared_rules == SHARED_RULES_1_X))
        return bank_split(arch, operation, access);
    bank_instruction(arch, operation, access, &cost);
    return cost;
}

struct bank_cost bank_count(const struct arch *arch, const struct warp_access *access)
{
    return bank_of_operation(arch, access->store ? OPERATION_STORE : OPERATION_LOAD, access);
}

/* Since 5.0 one address and a row have no conflict: as many wavefronts as groups of lanes. Two groups of a
 * wide load from one address merge. */
struct bank_cost bank_count_shape(const struct arch *arch, const struct warp_access *access,
                                  enum access_shape shape)
{
    uint32_t width = access->width_bytes, groups = width > WORD_BYTES ? width / WORD_BYTES : 1;
    bool aligned = access_is_instruction(width) && !(access->address[0] & (width - 1));
    if (shape == ACCESS_ANY || shape == ACCESS_APART || arch->shared_rules != SHARED_RULES_5_X || !aligned)
        return bank_count(arch, access);
    if (shape == ACCESS_SAME && !access->store && groups > 1)
        groups /= 2;
    return (struct bank_cost){
        .instructions = 1, .wavefronts = groups, .ideal_wavefronts = groups, .degree = 1, .requests = groups};
}

struct bank_cost bank_count_atomic(const struct arch *arch, const struct warp_access *access,
                                   bool compare_and_swap)
{
    return bank_of_operation(arch, compare_and_swap ? OPERATION_COMPARE_AND_SWAP : OPERATION_ATOMIC, access);
}

static bool any_lane_has(const struct warp_access *access, uint32_t lanes, uint64_t address)
{
    for (; lanes; lanes &= lanes - 1)
        if (access->address[__builtin_ctz(lanes)] == address)
            return true;
    return false;
}

uint32_t bank_count_spin(const struct arch *arch, const struct warp_access *access, struct bank_cost *cost)
{
    bool wide = access->width_bytes > arch->bank_bytes;
    uint32_t unit = wide ? access->width_bytes : arch->bank_bytes, lanes = wide ? WARP_LANES / 2 : WARP_LANES;
    uint32_t slots = arch->banks * arch->bank_bytes / unit, done = 0;

    *cost = bank_count_atomic(arch, access, true);
    cost->wavefronts = 0;
    for (uint32_t first = 0; first < WARP_LANES; first += lanes) {
        uint32_t group = access->active >> first & UINT32_MAX >> (WARP_LANES - lanes);
        uint64_t taken = 0;
        cost->wavefronts += group ? 2 : 0;
        for (; group; group &= group - 1) {
            uint32_t lane = first + (uint32_t)__builtin_ctz(group);
            uint64_t address = access->address[lane], bank = UINT64_C(1) << address / unit % slots;
            if (!(taken & bank) && !any_lane_has(access, done, address))
                done |= 1u << lane;
            taken |= bank;
        }
    }
    return done;
}
