/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes: what is appended is read back, and the sums over it equal those of a plain walk. */
#include "core/session/lane.h"
#include "tests/shared/oracle/random_draws.h"

#include <criterion/criterion.h>
#include <stdlib.h>

struct plain {
    int64_t start_ns, end_ns;
};

/* A lane of `count` events with gaps, touching ones, empty ones and some of several seconds; the same in
 * `events`. */
static void lane_fill(struct lane *lane, struct plain *events, uint64_t count, _Atomic size_t *memory)
{
    int64_t now_ns = -5000;
    lane_init(lane, NULL);
    for (uint64_t i = 0; i < count; i++) {
        int64_t gap_ns = draw(3) == 0 ? 0 : (int64_t)draw(200);
        int64_t duration_ns = draw(8) == 0 ? 0 : (int64_t)draw(1000);
        if (draw(50) == 0)
            duration_ns = (int64_t)UINT32_MAX - 1 + (int64_t)draw(4000000000);
        events[i] = (struct plain){now_ns + gap_ns, now_ns + gap_ns + duration_ns};
        now_ns = events[i].end_ns;
        struct item item = {.kind = ITEM_SET, .correlation = (uint32_t)i};
        cr_assert(lane_append(lane, events[i].start_ns, events[i].end_ns, &item, memory));
    }
}

static uint64_t plain_find_start(const struct plain *events, uint64_t count, int64_t time_ns)
{
    uint64_t i = 0;
    while (i < count && events[i].start_ns < time_ns)
        i++;
    return i;
}

static uint64_t plain_longest(const struct plain *events, uint64_t first, uint64_t end)
{
    uint64_t longest = UINT64_MAX;
    for (uint64_t i = first; i < end; i++)
        if (longest == UINT64_MAX ||
            events[i].end_ns - events[i].start_ns > events[longest].end_ns - events[longest].start_ns)
            longest = i;
    return longest;
}

/* Chunk by chunk, block by block, from the first one on. */
Test(lane, every_block_has_its_place)
{
    uint64_t block = 0;
    for (uint32_t chunk = 0; chunk < 200; chunk++) {
        uint32_t blocks = lane_chunk_blocks(chunk);
        cr_assert_eq(lane_chunk_first(chunk), block);
        cr_assert_leq(blocks, LANE_CHUNK_BLOCKS);
        cr_assert(chunk < 8 ? blocks == 1 : blocks <= block / 4, "chunk %u: %u blocks", chunk, blocks);
        for (uint32_t i = 0; i < blocks; i++, block++) {
            struct lane_place place = lane_place_of(block);
            cr_assert(place.chunk == chunk && place.block == i, "block %lu", (unsigned long)block);
        }
    }
    cr_assert_eq(lane_chunk_blocks(199), LANE_CHUNK_BLOCKS);
}

Test(lane, equals_a_plain_walk)
{
    static const uint64_t counts[] = {1,   2,   15,  16,  17,   31,   63,   64,   65,  255,
                                      256, 257, 271, 272, 4095, 4096, 4111, 4112, 5000};
    random_state = 20261120;
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        uint64_t count = counts[c];
        struct plain *events = malloc(count * sizeof *events);
        _Atomic size_t memory = 0;
        struct lane lane;
        lane_fill(&lane, events, count, &memory);
        cr_assert_eq(lane_count(&lane), count);
        for (uint64_t i = 0; i < count; i++) {
            cr_assert_eq(lane_start_ns(&lane, i), events[i].start_ns);
            cr_assert_eq(lane_duration_ns(&lane, i), events[i].end_ns - events[i].start_ns);
            cr_assert_eq(lane_item(&lane, i).correlation, i);
        }
        for (int trial = 0; trial < 300; trial++) {
            uint64_t first = draw(count + 1), end = first + draw(count + 1 - first), seen = 1 + draw(count);
            cr_assert_eq(lane_longest(&lane, first, end), plain_longest(events, first, end));
            int64_t time_ns = events[draw(count)].start_ns + (int64_t)draw(3) - 1;
            cr_assert_eq(lane_find_start(&lane, seen, time_ns), plain_find_start(events, seen, time_ns));
        }
        cr_assert_eq(lane_find_start(&lane, count, INT64_MAX), count);
        cr_assert_eq(lane_find_start(&lane, count, INT64_MIN), 0);
        lane_fini(&lane);
        free(events);
    }
}

Test(lane, keeps_durations_around_32_bits)
{
    _Atomic size_t memory = 0;
    struct lane lane;
    lane_init(&lane, NULL);
    int64_t start_ns = 0;
    for (int64_t i = 0; i < 6; i++) {
        int64_t duration_ns = (int64_t)UINT32_MAX - 3 + i;
        cr_assert(lane_append(&lane, start_ns, start_ns + duration_ns, &(struct item){0}, &memory));
        start_ns += duration_ns;
    }
    for (uint64_t i = 0; i < 6; i++)
        cr_assert_eq(lane_duration_ns(&lane, i), (int64_t)UINT32_MAX - 3 + (int64_t)i);
    lane_fini(&lane);
}

/* Large enough for nodes of five levels and chunks that have stopped growing. */
Test(lane, finds_in_a_million)
{
    uint64_t count = 1200000;
    _Atomic size_t memory = 0;
    struct lane lane;
    lane_init(&lane, NULL);
    for (uint64_t i = 0; i < count; i++) {
        struct item item = {.correlation = (uint32_t)i};
        int64_t duration_ns = i == 777777 ? 9 : (int64_t)(i % 7);
        cr_assert(lane_append(&lane, (int64_t)i * 10, (int64_t)i * 10 + duration_ns, &item, &memory));
    }
    cr_assert_eq(lane_longest(&lane, 0, count), 777777);
    cr_assert_eq(lane_longest(&lane, 777778, count), 777783); /* the first of the equals */
    random_state = 7;
    for (int trial = 0; trial < 20000; trial++) {
        uint64_t index = draw(count);
        cr_assert_eq(lane_find_start(&lane, count, (int64_t)index * 10), index);
        cr_assert_eq(lane_find_start(&lane, count, (int64_t)index * 10 + 1), index + 1);
        cr_assert_eq(lane_start_ns(&lane, index), (int64_t)index * 10);
        cr_assert_eq(lane_item(&lane, index).correlation, index);
    }
    cr_assert_leq((double)memory / (double)count, 44.0, "bytes an event: %.2f",
                  (double)memory / (double)count);
    lane_fini(&lane);
}
