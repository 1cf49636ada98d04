/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random accesses by warps, recorded for all lanes at once and lane by lane: the same accesses race, with the
 * same earlier access. In between, barriers of the block and of lanes, fences, other blocks, other launches
 * and memory that is given away.
 */
#include "simt/check/shadow.h"
#include "tests/shared/oracle/ptx_values.h"

#include <criterion/criterion.h>
#include <string.h>

#define STEPS 60000
#define WARPS 4
#define BLOCKS 3
#define BASE UINT64_C(0x7f0000000200)
#define BYTES 1024

static struct values values;
static struct error error;

static uint32_t below(uint32_t count)
{
    return (uint32_t)(values_next(&values) >> 20) % count;
}

/* ---- a launch ---- */
#define LAUNCHES 1200
static struct order_past past[LAUNCHES]; /* launch i + 1 */
static struct order_launch launch;
static struct claim copy; /* that may run beside it */
static struct order *order;

static void next_block(void)
{
    order_begin(order, &launch, below(BLOCKS));
}

static struct claim claim_of_copy(void)
{
    uint64_t from = BASE + 4 * (uint64_t)below(BYTES / 4 - 64);
    return (struct claim){
        .address = from, .size_bytes = 4 + 4 * (uint64_t)below(60), .run = 1, .write = below(2)};
}

/* Some launches are not ordered before the next eight, and beside some a copy runs. */
static void next_launch(void)
{
    order_end(order);
    past[launch.run - 1].before = launch.run % 16 != 0;
    if (launch.run > 8)
        past[launch.run - 9].before = true;
    launch.run++;
    copy = claim_of_copy();
    launch.claim_count = below(4) == 0;
    order_launch_begin(&launch);
    next_block();
}

/* ---- accesses ---- */
enum pattern { ROW, COLUMN, SHIFTED, SCATTERED, PATTERNS };

/* No two lanes have the same address: which of them comes first would make a difference. */
static void addresses_set(enum pattern pattern, uint32_t size_bytes, uint64_t address[32])
{
    uint32_t elements = BYTES / size_bytes, start = below(elements - 32), step = 2 * below(elements / 2) + 1;
    if (pattern == ROW)
        start &= below(2) ? ~7u : ~31u;
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t element = pattern == COLUMN      ? lane * (elements / 32) + start % 4
                           : pattern == SCATTERED ? start + lane * step
                                                  : start + lane;
        address[lane] = BASE + (uint64_t)(element % elements) * size_bytes;
    }
}

/* The lanes that race, and with what. */
struct found {
    uint32_t raced;
    struct shadow_access other[32];
};

static void touch_each(struct shadow *shadow, uint32_t warp, struct shadow_now now,
                       const uint64_t address[32], uint32_t lanes, struct found *found)
{
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        now.address = address[lane];
        now.thread = warp * 32 + lane;
        found->raced |= (uint32_t)shadow_touch(shadow, order, &now, &found->other[lane]) << lane;
    }
}

static bool accesses_equal(const struct shadow_access *a, const struct shadow_access *b)
{
    return a->run_kind >> 8 == b->run_kind >> 8 && shadow_kind(a) == shadow_kind(b) &&
           (!a->run_kind || (a->block == b->block && a->clock == b->clock && a->place == b->place));
}

static void access_step(struct shadow *at_once, struct shadow *each, uint32_t step, uint32_t count[2])
{
    static const uint32_t sizes[] = {4, 4, 4, 8, 16, 1};
    static const uint32_t masks[] = {0xffff, 0x00ffff00, 0x5555aaaa, 0xfffffffe};
    enum pattern pattern = below(32) ? ROW : (enum pattern)below(PATTERNS);
    uint64_t address[32];
    uint32_t warp = below(WARPS), lanes = below(8) ? ~0u : masks[below(4)];
    struct shadow_now now = {.size_bytes = sizes[below(step % 64 ? 5 : 6)], .instruction = step};
    now.kind = below(8) == 0 ? SHADOW_WRITES : 0;
    addresses_set(pattern, now.size_bytes, address);
    struct found a = {0}, b = {0};
    uint32_t rest = lanes;
    if (now.size_bytes == 1) /* the same bytes again and again, so that the others stay words */
        for (uint32_t lane = 0; lane < 32; lane++)
            address[lane] = BASE + 80 + lane;
    else if (below(32) == 0)
        now.kind |= SHADOW_STRONG | (below(2) ? SHADOW_ATOMIC : 0) | (below(2) ? SHADOW_NARROW : 0);
    else
        rest = shadow_touch_lanes(at_once, order, warp, &now, address, lanes,
                                  pattern == ROW && lanes == ~0u && below(2));
    touch_each(at_once, warp, now, address, rest, &a);
    touch_each(each, warp, now, address, lanes, &b);
    cr_assert_eq(a.raced, b.raced, "step %u, pattern %d: lanes %x race, %x lane by lane", step, pattern,
                 a.raced, b.raced);
    for (uint32_t left = a.raced; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        cr_assert(accesses_equal(&a.other[lane], &b.other[lane]), "step %u, lane %u", step, lane);
    }
    count[a.raced != 0]++;
}

static void order_step(void)
{
    uint32_t all = (1u << WARPS) - 1;
    switch (below(5)) {
    case 0: order_fence(order, below(WARPS), SYNC_RELEASE | SYNC_WIDE); break;
    case 1: order_meet_warp(order, below(WARPS), below(2) ? ~0u : 0x0f0ff00f, ~0u); break;
    case 2: order_meet(order, 3, 3); break;
    default: order_meet(order, all, all); break;
    }
}

static void memory_step(struct shadow *at_once, struct shadow *each)
{
    struct claim claim = claim_of_copy();
    uint64_t from = claim.address, size_bytes = claim.size_bytes;
    struct shadow_access a = shadow_last_write(at_once, from), b = shadow_last_write(each, from);
    uint64_t at_a = 0, at_b = 0;
    cr_assert(accesses_equal(&a, &b));
    bool found = shadow_compare_claim(at_once, &launch, &claim, &at_a, &a);
    cr_assert_eq(found, shadow_compare_claim(each, &launch, &claim, &at_b, &b));
    if (found)
        cr_assert(at_a == at_b && accesses_equal(&a, &b));
    if (below(2)) { /* all of it, so that its sectors are whole again */
        from = BASE;
        size_bytes = BYTES;
    }
    a = shadow_last_write(at_once, from - 4);
    b = shadow_last_write(at_once, from + size_bytes);
    shadow_forget(at_once, from, size_bytes);
    shadow_forget(each, from, size_bytes);
    const struct shadow_access before = shadow_last_write(at_once, from - 4),
                               behind = shadow_last_write(at_once, from + size_bytes);
    cr_assert(accesses_equal(&a, &before) && accesses_equal(&b, &behind));
    for (uint64_t at = from; at < from + size_bytes; at += 4)
        cr_assert_eq(shadow_last_write(at_once, at).run_kind, 0);
}

static void compare(bool of_block, uint64_t limit_bytes)
{
    struct shadow *at_once, *each;
    uint32_t count[2] = {0}; /* of accesses without and with races */
    cr_assert_eq(shadow_create(&at_once, of_block, limit_bytes, &error), STATUS_OK);
    cr_assert_eq(shadow_create(&each, of_block, limit_bytes, &error), STATUS_OK);
    cr_assert_eq(order_create(&order, &error), STATUS_OK);
    values = (struct values){0};
    memset(past, 0, sizeof past);
    launch = (struct order_launch){.run = 1, .first = 1, .past = past, .claims = &copy};
    next_block();
    for (uint32_t step = 1; step <= STEPS; step++) {
        uint32_t what = below(600);
        if (what < 12 && launch.run < LAUNCHES)
            next_launch();
        else if (what < (of_block ? 24 : 15))
            next_block();
        else if (what < 200)
            order_step();
        else if (what < 230)
            memory_step(at_once, each);
        else
            access_step(at_once, each, step, count);
    }
    cr_assert(count[0] > STEPS / 10 && count[1] > STEPS / 10, "%u, %u", count[0], count[1]);
    cr_assert_eq(shadow_unwatched(at_once), 0);
    cr_assert_eq(shadow_unwatched(each), 0);
    order_destroy(order);
    order_launch_fini(&launch);
    shadow_destroy(at_once);
    shadow_destroy(each);
}

Test(shadow, lanes_at_once_are_as_lane_by_lane_in_global_memory)
{
    compare(false, SHADOW_LIMIT_BYTES);
}

Test(shadow, lanes_at_once_are_as_lane_by_lane_in_shared_memory)
{
    compare(true, SHADOW_LIMIT_BYTES);
}

/* Rows of words, as most kernels access memory, take two bytes of record per byte; single words six times it.
 */
Test(shadow, memory_is_bounded_and_taken_back)
{
    enum { ROWS = 1024 };
    struct shadow *shadow;
    struct shadow_now now = {.size_bytes = 4};
    uint64_t address[32];
    cr_assert_eq(shadow_create(&shadow, false, ROWS * 128 * 5 / 8, &error), STATUS_OK);
    cr_assert_eq(order_create(&order, &error), STATUS_OK);
    past[0].before = true;
    launch = (struct order_launch){.run = 1, .first = 1, .past = past};
    for (uint32_t turn = 0; turn < 3; turn++) {
        order_begin(order, &launch, 0);
        for (uint64_t row = 0; row < ROWS; row++) {
            for (uint64_t lane = 0; lane < 32; lane++)
                address[lane] = BASE / 1024 * 1024 + turn % 2 * ROWS * 128 + row * 128 + lane * 4;
            uint32_t rest =
                shadow_touch_lanes(shadow, order, 0, &now, address, turn == 2 ? 0x55555555 : ~0u, turn < 2);
            struct found found = {0};
            touch_each(shadow, 0, now, address, rest, &found);
        }
        cr_expect_eq(shadow_unwatched(shadow) > 0, turn == 2, "turn %u", turn);
        order_end(order);
        if (turn == 0)
            launch.run = 2; /* launch 1 is before it, so that its record can be taken back */
    }
    order_destroy(order);
    order_launch_fini(&launch);
    shadow_destroy(shadow);
}
