/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of core/hardware/coalesce.h. All use one step, coalesce_touch: the distinct sectors that some
 * lanes touch. For lanes at a constant stride, the usual case, it computes them without a loop over the
 * lanes.
 */
#include "core/hardware/coalesce.h"
#include "core/hardware/access_internal.h"

#define SECTOR_BYTES 32
#define SEGMENT_MAX 128 /* the largest transaction there is */
#define HALF_WARP 16

struct touched {
    uint32_t sectors, bytes; /* distinct ones */
};

/* Sectors of lanes that are `step` bytes apart. False, and nothing is set: the lanes must be looked at one by
 * one. */
static bool coalesce_touch_run(const uint64_t *at, uint32_t count, int64_t step, uint32_t width,
                               uint64_t *sectors, struct touched *touched)
{
    uint64_t stride = (uint64_t)(step < 0 ? -step : step), first = at[0] / SECTOR_BYTES;
    bool aligned = !(width & (width - 1)) && !((at[0] | stride) & (width - 1));
    uint32_t bytes = stride >= width ? count * width : (uint32_t)stride * (count - 1) + width;
    if (stride > SECTOR_BYTES) {
        if (!aligned)
            return false;
        *touched = (struct touched){.sectors = count, .bytes = bytes};
        for (uint32_t i = 0; sectors && i < count; i++)
            sectors[i] = at[i] / SECTOR_BYTES;
        return true;
    }
    /* Every sector between the first and the last is touched. With a negative step, a lane that crosses a
     * sector boundary would give the wrong order. */
    if (step < 0 && !aligned)
        return false;
    uint64_t last = at[count - 1] + (step < 0 ? 0 : width - 1);
    uint64_t up = step < 0 ? UINT64_MAX : 1;
    *touched =
        (struct touched){.sectors = (uint32_t)((last / SECTOR_BYTES - first) * up) + 1, .bytes = bytes};
    for (uint32_t i = 0; sectors && i < touched->sectors; i++)
        sectors[i] = first + i * up;
    return true;
}

/* The distinct sectors of the lanes at[0 ... count - 1] (count > 0), in the order of the lanes, into
 * `sectors` (may be NULL); also the number of distinct bytes wanted. */
static struct touched coalesce_touch(const uint64_t *at, uint32_t count, uint32_t width, uint64_t *sectors)
{
    uint64_t numbers[COALESCE_SECTORS_MAX];
    uint32_t wanted[COALESCE_SECTORS_MAX]; /* bit b: byte b of the sector */
    uint32_t bytes = (1u << width) - 1;
    struct touched touched = {0};
    struct number_set set;
    int64_t step;

    if (access_step(at, count, &step) && coalesce_touch_run(at, count, step, width, sectors, &touched))
        return touched;
    number_set_init(&set, sectors ? sectors : numbers);
    uint32_t index = 0;
    uint64_t sector = UINT64_MAX; /* no address is in it */
    for (uint32_t i = 0; i < count; i++) {
        uint32_t offset = (uint32_t)(at[i] % SECTOR_BYTES), before = set.count;
        if (at[i] / SECTOR_BYTES != sector) {
            sector = at[i] / SECTOR_BYTES;
            index = number_set_add(&set, sector);
            wanted[index] = index == before ? 0 : wanted[index];
        }
        wanted[index] |= bytes << offset;
        if (offset + width > SECTOR_BYTES) {
            before = set.count;
            sector++;
            index = number_set_add(&set, sector);
            wanted[index] = (index == before ? 0 : wanted[index]) | bytes >> (SECTOR_BYTES - offset);
        }
    }
    touched.sectors = set.count;
    for (uint32_t i = 0; i < set.count; i++)
        touched.bytes += (uint32_t)__builtin_popcount(wanted[i]);
    return touched;
}

/* CUDA C Programming Guide 4.2, F.3.2.1: a half-warp coalesces if its words lie in one aligned segment of 64
 * bytes (4-byte words) or 128 bytes (8-byte words; 16-byte words: half of them in each of two), and lane k
 * has the k-th word. */
static bool coalesce_in_sequence(const struct warp_access *access, uint32_t first_lane, uint32_t lanes)
{
    uint32_t width = access->width_bytes, low = (uint32_t)__builtin_ctz(lanes);
    uint64_t base = access->address[low] - (uint64_t)(low - first_lane) * width;
    bool wraps = base > UINT64_MAX - (HALF_WARP * width - 1);
    if (width < 4 || wraps || base % (width == 4 ? 64 : 128))
        return false;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        if (access->address[lane] != base + (uint64_t)(lane - first_lane) * width)
            return false;
    }
    return true;
}

/* F.3.2.1: a half-warp on 1.0 and 1.1. If it does not coalesce, each active lane takes a transaction. */
static void coalesce_half_warp(const struct warp_access *access, uint32_t first_lane, uint32_t lanes,
                               struct coalesce_cost *cost)
{
    if (coalesce_in_sequence(access, first_lane, lanes)) {
        cost->transactions_64 += access->width_bytes == 4;
        cost->transactions_128 += access->width_bytes / 8;
        return;
    }
    for (; lanes; lanes &= lanes - 1) {
        uint64_t first = access->address[__builtin_ctz(lanes)];
        uint64_t last = first + access->width_bytes - 1;
        cost->transactions_32 += (uint32_t)(last / SECTOR_BYTES - first / SECTOR_BYTES) + 1;
    }
}

/* F.3.2.2: a half-warp on 1.2 and 1.3: one transaction per segment, cut to a half if nothing else of it is
 * used, and one of 128 bytes to a quarter. With segments of 128 bytes that are never cut, these are the lines
 * of L1 (F.4.2). */
static void coalesce_segments(const uint64_t *sectors, uint32_t count, uint32_t segment_bytes, bool cut,
                              struct coalesce_cost *cost)
{
    uint32_t per_segment = segment_bytes / SECTOR_BYTES, used[COALESCE_SECTORS_MAX] = {0};
    uint64_t segments[COALESCE_SECTORS_MAX];
    struct number_set set;

    number_set_init(&set, segments);
    for (uint32_t i = 0; i < count; i++)
        used[number_set_add(&set, sectors[i] / per_segment)] |= 1u << sectors[i] % per_segment;
    for (uint32_t i = 0; i < set.count; i++) {
        uint32_t bytes = segment_bytes;
        if (cut && bytes == 128 && (!(used[i] & 0xc) || !(used[i] & 0x3))) {
            bytes = 64;
            used[i] |= used[i] >> 2;
        }
        if (cut && bytes == 64 && (used[i] & 0x3) != 0x3)
            bytes = 32;
        cost->transactions_32 += bytes == 32;
        cost->transactions_64 += bytes == 64;
        cost->transactions_128 += bytes == 128;
    }
}

/* Are loads served as lines of L1? F.4.2; for 3.x the guides from 5.0 on (Compute Capability 3.x, Global
 * Memory), which withdraw what 4.2 says. */
static bool coalesce_in_lines(const struct arch *arch, const struct warp_access *access)
{
    if (access->store)
        return false;
    if (arch->global_rules == GLOBAL_RULES_2_X)
        return access->l1 != ACCESS_L1_OFF && (access->local || !arch->global_l1_off);
    if (access->local || arch->global_l1_on)
        return access->l1 != ACCESS_L1_OFF;
    return access->l1 == ACCESS_L1_ON && arch->global_l1_opt_in;
}

/* How many neighbouring lanes make one request: half-warps on 1.x (F.3.2), on 2.x and 3.x as many lanes as
 * want 128 bytes (F.4.2). */
static uint32_t coalesce_lanes_together(enum global_rules rules, uint32_t width)
{
    switch (rules) {
    case GLOBAL_RULES_1_0:
    case GLOBAL_RULES_1_2: return HALF_WARP;
    case GLOBAL_RULES_2_X:
    case GLOBAL_RULES_3_X: return width > 4 ? SEGMENT_MAX / width : WARP_LANES;
    case GLOBAL_RULES_5_X: break;
    }
    return WARP_LANES;
}

/* One request under the rules before 5.0; coalesce_touch has found its sectors. */
static void coalesce_old_request(const struct arch *arch, const struct warp_access *access,
                                 uint32_t first_lane, uint32_t lanes, const uint64_t *sectors,
                                 const struct touched *touched, struct coalesce_cost *cost)
{
    uint32_t width = access->width_bytes, largest = SECTOR_BYTES;
    if (arch->global_rules == GLOBAL_RULES_1_0) {
        largest = width > 4 ? 128 : 64;
        coalesce_half_warp(access, first_lane, lanes, cost);
    } else if (arch->global_rules == GLOBAL_RULES_1_2) {
        largest = width < 4 ? width * SECTOR_BYTES : SEGMENT_MAX;
        coalesce_segments(sectors, touched->sectors, largest, true, cost);
    } else if (coalesce_in_lines(arch, access)) {
        largest = SEGMENT_MAX;
        coalesce_segments(sectors, touched->sectors, largest, false, cost);
    } else {
        cost->transactions_32 += touched->sectors;
    }
    cost->ideal_transactions += (touched->bytes + largest - 1) / largest;
}

/* One request of an atomic; coalesce_touch has found its sectors. */
static void coalesce_atomic_request(enum global_rules rules, uint32_t count, const struct touched *touched,
                                    struct coalesce_cost *cost)
{
    bool alone = rules == GLOBAL_RULES_1_0 || rules == GLOBAL_RULES_1_2;
    cost->transactions_32 += alone ? count : touched->sectors;
    cost->ideal_transactions += (touched->bytes + SECTOR_BYTES - 1) / SECTOR_BYTES;
}

/* The requests of an atomic, or of another instruction that takes several requests. `whole`: what all lanes
 * touch. */
static void coalesce_requests(const struct arch *arch, const struct warp_access *access, bool atomic,
                              const uint64_t *at, const struct touched *whole, struct coalesce_cost *cost)
{
    uint32_t together = coalesce_lanes_together(arch->global_rules, access->width_bytes);
    for (uint32_t first = 0; first < WARP_LANES; first += together) {
        uint32_t lanes = access_group(access, first, together);
        uint32_t count = (uint32_t)__builtin_popcount(lanes);
        if (!count)
            continue;
        cost->requests++;
        if (atomic && lanes == access->active) {
            coalesce_atomic_request(arch->global_rules, count, whole, cost);
        } else {
            uint64_t sectors[COALESCE_SECTORS_MAX];
            struct touched touched = coalesce_touch(at, count, access->width_bytes, sectors);
            if (atomic)
                coalesce_atomic_request(arch->global_rules, count, &touched, cost);
            else
                coalesce_old_request(arch, access, first, lanes, sectors, &touched, cost);
        }
        at += count;
    }
    cost->sectors = cost->transactions_32 + 2 * cost->transactions_64 + 4 * cost->transactions_128;
}

static void coalesce_tell_apart(enum global_rules rules, struct coalesce_cost *cost)
{
    uint32_t alone = rules == GLOBAL_RULES_1_0 ? cost->transactions_32 : 0;
    if (rules == GLOBAL_RULES_1_0 || rules == GLOBAL_RULES_1_2) {
        cost->coherent = coalesce_transactions(cost) - alone;
        cost->incoherent = alone;
        return;
    }
    cost->incoherent = cost->sectors > cost->ideal_sectors;
    cost->coherent = !cost->incoherent;
}

/* One instruction, of a width that an instruction can have. */
static struct coalesce_cost coalesce_instruction(const struct arch *arch, const struct warp_access *access,
                                                 bool atomic, uint64_t *sectors, uint32_t *sector_count)
{
    struct coalesce_cost cost = {0};
    uint64_t storage[WARP_LANES];
    const uint64_t *at;
    uint32_t count = access_gather(access, storage, &at);

    if (!count)
        return cost;
    struct touched touched = coalesce_touch(at, count, access->width_bytes, sectors);
    if (sectors)
        *sector_count = touched.sectors;
    cost.instructions = 1;
    cost.bytes_wanted = touched.bytes;
    cost.ideal_sectors = (touched.bytes + SECTOR_BYTES - 1) / SECTOR_BYTES;
    if (arch->global_rules != GLOBAL_RULES_5_X || atomic) {
        coalesce_requests(arch, access, atomic, at, &touched, &cost);
        coalesce_tell_apart(arch->global_rules, &cost);
        return cost;
    }
    cost.requests = 1;
    cost.sectors = touched.sectors;
    cost.transactions_32 = touched.sectors;
    cost.ideal_transactions = cost.ideal_sectors;
    coalesce_tell_apart(arch->global_rules, &cost);
    return cost;
}

static void coalesce_add(struct coalesce_cost *to, const struct coalesce_cost *from)
{
    to->requests += from->requests;
    to->sectors += from->sectors;
    to->ideal_sectors += from->ideal_sectors;
    to->bytes_wanted += from->bytes_wanted;
    to->instructions += from->instructions;
    to->transactions_32 += from->transactions_32;
    to->transactions_64 += from->transactions_64;
    to->transactions_128 += from->transactions_128;
    to->ideal_transactions += from->ideal_transactions;
    to->coherent += from->coherent;
    to->incoherent += from->incoherent;
}

/* The three instructions of a 12-byte access; the sectors of all three. */
static struct coalesce_cost coalesce_three(const struct arch *arch, const struct warp_access *access,
                                           uint64_t *sectors, uint32_t *sector_count)
{
    struct coalesce_cost cost = {0};
    struct warp_access part = *access;
    uint64_t storage[WARP_LANES];
    const uint64_t *at;
    uint32_t count = access_gather(access, storage, &at);

    if (sectors && count)
        *sector_count = coalesce_touch(at, count, 12, sectors).sectors;
    part.width_bytes = 4;
    for (int i = 0; i < 3; i++) {
        struct coalesce_cost one = coalesce_instruction(arch, &part, false, NULL, NULL);
        coalesce_add(&cost, &one);
        access_move(&part, 4);
    }
    return cost;
}

struct coalesce_cost coalesce_count_sectors(const struct arch *arch, const struct warp_access *access,
                                            uint64_t *sectors, uint32_t *count)
{
    if (sectors)
        *count = 0;
    if (access_is_instruction(access->width_bytes))
        return coalesce_instruction(arch, access, false, sectors, count);
    if (access->width_bytes == 12)
        return coalesce_three(arch, access, sectors, count);
    return (struct coalesce_cost){0};
}

struct coalesce_cost coalesce_count_shape(const struct arch *arch, const struct warp_access *access,
                                          enum access_shape shape, uint64_t *sectors, uint32_t *count)
{
    if (shape == ACCESS_ANY || arch->global_rules != GLOBAL_RULES_5_X ||
        !access_is_instruction(access->width_bytes))
        return coalesce_count_sectors(arch, access, sectors, count);
    uint32_t bytes = access->width_bytes * (shape == ACCESS_SAME ? 1 : WARP_LANES);
    uint64_t first = access->address[0] / SECTOR_BYTES;
    uint32_t touched = (uint32_t)((access->address[0] + bytes - 1) / SECTOR_BYTES - first) + 1;
    uint32_t ideal = (bytes + SECTOR_BYTES - 1) / SECTOR_BYTES;
    if (shape == ACCESS_APART) {
        touched = WARP_LANES;
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            sectors[lane] = access->address[lane] / SECTOR_BYTES;
    } else {
        for (uint32_t i = 0; i < touched; i++)
            sectors[i] = first + i;
    }
    *count = touched;
    return (struct coalesce_cost){.requests = 1,
                                  .sectors = touched,
                                  .ideal_sectors = ideal,
                                  .bytes_wanted = bytes,
                                  .instructions = 1,
                                  .transactions_32 = touched,
                                  .coherent = touched <= ideal,
                                  .incoherent = touched > ideal,
                                  .ideal_transactions = ideal};
}

struct coalesce_cost coalesce_count(const struct arch *arch, const struct warp_access *access)
{
    return coalesce_count_sectors(arch, access, NULL, NULL);
}

struct coalesce_cost coalesce_count_atomic(const struct arch *arch, const struct warp_access *access,
                                           uint64_t *sectors, uint32_t *count)
{
    if (sectors)
        *count = 0;
    if (!access_is_instruction(access->width_bytes))
        return (struct coalesce_cost){0};
    return coalesce_instruction(arch, access, true, sectors, count);
}
