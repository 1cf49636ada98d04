/* SPDX-License-Identifier: Apache-2.0 */
/* What readers ask of a lane. A question mostly touches one block, since memory is what it waits for. */
#include "core/session/lane.h"

#include <stdlib.h>

/* ---- events ---- */
int64_t lane_start_ns(const struct lane *lane, uint64_t index)
{
    struct lane_block room;
    return lane_start_in(lane, lane_block_at(lane, index / LANE_BLOCK, &room), index);
}

int64_t lane_duration_ns(const struct lane *lane, uint64_t index)
{
    struct lane_block room;
    return lane_duration_in(lane, lane_block_at(lane, index / LANE_BLOCK, &room), index);
}

struct item lane_item(const struct lane *lane, uint64_t index)
{
    struct lane_place place = lane_place_of(index / LANE_BLOCK);
    struct lane_block *blocks = lane_chunk_whole(lane_chunk_at(lane, place.chunk));
    if (!blocks)
        return lane_fold_item(lane, index / LANE_BLOCK);
    return lane_chunk_items(blocks, place.chunk)[place.block * LANE_BLOCK + index % LANE_BLOCK];
}

void lane_event(const struct lane *lane, uint64_t index, int64_t *start_ns, int64_t *end_ns,
                struct item *item)
{
    struct lane_place place = lane_place_of(index / LANE_BLOCK);
    struct lane_block *blocks = lane_chunk_whole(lane_chunk_at(lane, place.chunk)), room;
    const struct lane_block *block =
        blocks ? &blocks[place.block] : lane_fold_block(lane, index / LANE_BLOCK, &room);
    *start_ns = lane_start_in(lane, block, index);
    *end_ns = *start_ns + lane_duration_in(lane, block, index);
    *item = blocks ? lane_chunk_items(blocks, place.chunk)[place.block * LANE_BLOCK + index % LANE_BLOCK]
                   : lane_fold_item(lane, index / LANE_BLOCK);
}

/* ---- times ---- */

/* How many of the block's first `known` events start before time_ns. */
static uint32_t started_in(const struct lane *lane, const struct lane_block *block, uint64_t number,
                           uint32_t known, int64_t time_ns)
{
    uint32_t started = 0;
    if (known == 0 || block->start_ns >= time_ns)
        return 0;
    uint64_t since_ns = (uint64_t)time_ns - (uint64_t)block->start_ns;
    if (since_ns > UINT32_MAX) {
        while (started < known && lane_start_in(lane, block, number * LANE_BLOCK + started) < time_ns)
            started++;
        return started;
    }
    uint32_t before_ns = (uint32_t)since_ns;
    if (known < LANE_BLOCK) { /* the writer may be at the others */
        while (started < known && block->starts_ns[started] < before_ns)
            started++;
        return started;
    }
    for (size_t i = 0; i < LANE_BLOCK; i++)
        started += block->starts_ns[i] < before_ns;
    return started;
}

struct found { /* the events before a time: all blocks before `number`, and `started` events of this one */
    const struct lane_block *block;
    uint64_t number;
    uint32_t started;
};

static uint32_t known_of(uint64_t count, uint64_t number)
{
    uint64_t left = count - number * LANE_BLOCK;
    return left < LANE_BLOCK ? (uint32_t)left : LANE_BLOCK;
}

/* The last block of the block's unit that has events. */
static uint64_t lane_last_of_unit(const struct lane *lane, uint64_t block, uint64_t count)
{
    uint64_t last = lane_unit_at(lane, block).end - 1, most = (count - 1) / LANE_BLOCK;
    return last < most ? last : most;
}

/* The last block that starts before time_ns; the first block if there is none. count > 0. */
static struct found edge_find(const struct lane *lane, uint64_t count, int64_t time_ns,
                              struct lane_block *room)
{
    uint64_t low, high, guess;
    lane_times_find(lane, count, time_ns, &low, &high, &guess);
    /* Range of blocks that may contain the last event before time_ns. */
    uint64_t first = (low > 0 ? low - 1 : 0) / LANE_BLOCK, last = (high > 0 ? high - 1 : 0) / LANE_BLOCK;
    /* In a unit of several blocks events no longer start where they did when the index took them. */
    first = lane_unit_at(lane, first).first;
    last = lane_last_of_unit(lane, last, count);
    uint64_t number = guess / LANE_BLOCK;
    number = number < first ? first : number > last ? last : number;
    while (first < last) {
        struct found found = {.block = lane_block_at(lane, number, room), .number = number};
        found.started = started_in(lane, found.block, number, known_of(count, number), time_ns);
        if (found.started > 0 && found.started < LANE_BLOCK)
            return found;
        if (found.started == 0) {
            last = number > first ? number - 1 : first;
            number = last - first < 4 ? last : first + (last - first) / 2;
        } else {
            if (number == last)
                return found;
            struct lane_block next;
            first = number + (lane_block_at(lane, number + 1, &next)->start_ns < time_ns);
            if (first == number)
                return found;
            number = last - first < 4 ? first : first + (last - first) / 2;
        }
    }
    struct found found = {.block = lane_block_at(lane, first, room), .number = first};
    found.started = started_in(lane, found.block, first, known_of(count, first), time_ns);
    return found;
}

uint64_t lane_find_start(const struct lane *lane, uint64_t count, int64_t time_ns)
{
    if (count == 0)
        return 0;
    struct lane_block room;
    struct found found = edge_find(lane, count, time_ns, &room);
    return found.number * LANE_BLOCK + found.started;
}

/* ---- sums ---- */
static bool has_long(const struct lane *lane)
{
    const struct table *longs = lane_longs(lane);
    return longs && table_count(longs) > 0;
}

/* Busy time of the block's first `events` events. */
static int64_t busy_in(const struct lane *lane, const struct lane_block *block, uint64_t number,
                       uint32_t events)
{
    int64_t busy_ns = 0;
    bool longs = has_long(lane);
    for (uint32_t i = 0; i < events; i++)
        busy_ns += longs ? lane_duration_in(lane, block, number * LANE_BLOCK + i) : block->durations_ns[i];
    return busy_ns;
}

struct lane_edge lane_edge_at(const struct lane *lane, uint64_t count, int64_t time_ns)
{
    struct lane_block room;
    struct found found = edge_find(lane, count, time_ns, &room);
    struct lane_edge edge = {.started = found.number * LANE_BLOCK + found.started};
    if (found.started == 0)
        return edge; /* nothing starts before */
    edge.busy_ns = found.block->busy_ns + busy_in(lane, found.block, found.number, found.started);
    int64_t end_ns = lane_start_in(lane, found.block, edge.started - 1) +
                     lane_duration_in(lane, found.block, edge.started - 1);
    if (end_ns > time_ns) {
        edge.busy_ns -= end_ns - time_ns;
        edge.inside = true;
    }
    return edge;
}

/* ---- the longest ---- */
/* The nodes of a full-sized chunk whose events are there; NULL: of an evicted one. */
static const uint32_t *chunk_nodes(const struct lane *lane, uint32_t chunk)
{
    uintptr_t memory = atomic_load_explicit(&lane_chunk_at(lane, chunk)->memory, memory_order_acquire);
    return memory & LANE_CHUNK_FOLDED ? NULL : lane_chunk_nodes((struct lane_block *)memory);
}

/* The longest of the folds that touch these blocks of a chunk. */
static uint32_t folds_longest(const struct lane_folds *folds, uint64_t first, uint64_t end)
{
    uint32_t longest_ns = 0;
    for (uint64_t unit = (first - folds->first_block) >> folds->shift;
         unit <= (end - 1 - folds->first_block) >> folds->shift; unit++)
        longest_ns = folds->folds[unit].longest_ns > longest_ns ? folds->folds[unit].longest_ns : longest_ns;
    return longest_ns;
}

static uint32_t lane_node_ns(const struct lane *lane, uint32_t level, uint64_t node)
{
    uint64_t block = node << 4 * level;
    if (level >= LANE_CHUNK_LEVELS || block < LANE_FULL_FROM)
        return *(const uint32_t *)table_at(lane_nodes(lane, level), (uint32_t)node);
    struct lane_place place = lane_place_of(block);
    const uint32_t *nodes = chunk_nodes(lane, place.chunk);
    if (nodes)
        return nodes[level == 0 ? place.block : LANE_CHUNK_BLOCKS + place.block / LANE_BLOCK];
    return folds_longest(lane_chunk_folds(lane_chunk_at(lane, place.chunk)), block,
                         block + (1u << 4 * level));
}

const uint32_t *lane_node_run(const struct lane *lane, uint32_t level, uint64_t first, uint64_t count,
                              uint32_t room[LANE_BLOCK])
{
    uint64_t block = first << 4 * level;
    if (level >= LANE_CHUNK_LEVELS || block < LANE_FULL_FROM)
        return table_at(lane_nodes(lane, level), (uint32_t)first);
    if (level == 0) {
        struct lane_place place = lane_place_of(block);
        const uint32_t *nodes = chunk_nodes(lane, place.chunk);
        if (nodes)
            return nodes + place.block;
    }
    for (uint64_t i = 0; i < count;) { /* of the second level: a chunk has fewer than 16 */
        struct lane_place place = lane_place_of((first + i) << 4 * level);
        const uint32_t *nodes = level == 1 ? chunk_nodes(lane, place.chunk) : NULL;
        if (!nodes) {
            room[i] = lane_node_ns(lane, level, first + i);
            i++;
            continue;
        }
        for (uint32_t node = place.block / LANE_BLOCK; node < LANE_CHUNK_BLOCKS / LANE_BLOCK && i < count;
             node++)
            room[i++] = nodes[LANE_CHUNK_BLOCKS + node];
    }
    return room;
}

/* Compares nodes [first, end) of a level with the longest so far; level 0: events of one block. On equal
 * durations the leftmost wins, but both edges are visited before the middle. */
static void column_take(struct lane_longest *longest, const uint32_t *durations_ns, uint64_t first,
                        uint64_t end, uint32_t level)
{
    uint32_t most = 0;
    for (uint64_t i = 0; i < end - first; i++)
        most = durations_ns[i] > most ? durations_ns[i] : most;
    if (first == end || most < longest->duration_ns)
        return;
    uint64_t at = first;
    while (durations_ns[at - first] != most)
        at++;
    at <<= 4 * level;
    if (most > longest->duration_ns || at < longest->index)
        *longest = (struct lane_longest){.index = at, .duration_ns = most, .level = level};
}

static uint64_t round_up(uint64_t value)
{
    return (value + LANE_BLOCK - 1) / LANE_BLOCK * LANE_BLOCK;
}

/* Compares events of one block, or nodes of a level that have a common parent. */
static void take_run(const struct lane *lane, struct lane_longest *longest, uint64_t first, uint64_t end,
                     uint32_t level)
{
    if (first >= end)
        return;
    if (level > 0) {
        uint32_t nodes[LANE_BLOCK];
        column_take(longest, lane_node_run(lane, level - 1, first, end - first, nodes), first, end, level);
        return;
    }
    struct lane_block room;
    const struct lane_block *block = lane_block_at(lane, first / LANE_BLOCK, &room);
    if (block == &room) { /* of a folded block only the longest event is known */
        uint32_t longest_ns = lane_node_ns(lane, 0, first / LANE_BLOCK);
        column_take(longest, &longest_ns, first, first + 1, 0);
    } else
        column_take(longest, &block->durations_ns[first % LANE_BLOCK], first, end, 0);
}

/* The first of the longest events in [first, end) that do not fit into a block. */
static struct lane_longest longest_of_longs(const struct lane *lane, uint64_t first, uint64_t end)
{
    struct lane_longest longest = {.duration_ns = -1, .index = UINT64_MAX};
    uint32_t rows = table_count(lane_longs(lane));
    for (uint32_t row = lane_long_find(lane, first); row < rows && lane_long_at(lane, row)->index < end;
         row++)
        if (lane_long_at(lane, row)->duration_ns > longest.duration_ns)
            longest = (struct lane_longest){.index = lane_long_at(lane, row)->index,
                                            .duration_ns = lane_long_at(lane, row)->duration_ns};
    return longest;
}

/* Sixteen durations that lie together, in one or two cache lines. */
static void fetch_run(const uint32_t *durations_ns)
{
    __builtin_prefetch(durations_ns);
    __builtin_prefetch(durations_ns + LANE_BLOCK - 1);
}

static const uint32_t *lane_below(const struct lane *lane, const struct lane_longest *longest,
                                  struct lane_block *room, uint32_t nodes[LANE_BLOCK])
{
    return longest->level == 1 ? lane_block_at(lane, longest->index / LANE_BLOCK, room)->durations_ns
                               : lane_node_run(lane, longest->level - 2,
                                               longest->index >> 4 * (longest->level - 1), LANE_BLOCK, nodes);
}

/* Prefetches the 16 nodes from `first` on, which lie in as many chunks as have them. */
static void expect_nodes(const struct lane *lane, uint32_t level, uint64_t first)
{
    if (level >= LANE_CHUNK_LEVELS || first << 4 * level < LANE_FULL_FROM) {
        fetch_run(table_at(lane_nodes(lane, level), (uint32_t)first));
        return;
    }
    struct lane_place place = lane_place_of(first << 4 * level);
    const uint32_t *nodes = chunk_nodes(lane, place.chunk);
    if (level == 0) {
        if (nodes)
            fetch_run(nodes + place.block);
        return;
    }
    for (uint32_t chunk = place.chunk, end = table_count(&lane->chunks);
         chunk < place.chunk + LANE_BLOCK * LANE_BLOCK / LANE_CHUNK_BLOCKS && chunk < end; chunk++)
        if ((nodes = chunk_nodes(lane, chunk)))
            __builtin_prefetch(nodes + LANE_CHUNK_BLOCKS);
}

static void expect_below(const struct lane *lane, const struct lane_longest *longest)
{
    if (longest->level == 0)
        return;
    if (longest->level > 1) {
        expect_nodes(lane, longest->level - 2, longest->index >> 4 * (longest->level - 1));
        return;
    }
    struct lane_place place = lane_place_of(longest->index / LANE_BLOCK);
    const struct lane_block *blocks = lane_chunk_whole(lane_chunk_at(lane, place.chunk));
    if (blocks)
        fetch_run(blocks[place.block].durations_ns);
}

struct lane_longest lane_longest_begin(const struct lane *lane, uint64_t first, uint64_t end)
{
    struct lane_longest longest = {.duration_ns = -1, .index = UINT64_MAX};
    uint64_t from = first, to = end;
    for (uint32_t level = 0; from < to; level++) {
        uint64_t left = round_up(from), right = to / LANE_BLOCK * LANE_BLOCK;
        if (level == LANE_LEVELS || left >= right) { /* no whole node above: visit these, at most two runs */
            for (uint64_t run = from; run < to;) {
                uint64_t next = round_up(run + 1) < to ? round_up(run + 1) : to;
                take_run(lane, &longest, run, next, level);
                run = next;
            }
            break;
        }
        take_run(lane, &longest, from, left, level);
        take_run(lane, &longest, right, to, level);
        from = left / LANE_BLOCK;
        to = right / LANE_BLOCK;
    }
    if (longest.duration_ns == UINT32_MAX)
        return longest_of_longs(lane, first, end);
    expect_below(lane, &longest);
    return longest;
}

void lane_longest_step(const struct lane *lane, struct lane_longest *longest)
{
    if (longest->level == 0 || longest->index == UINT64_MAX)
        return;
    struct lane_block room;
    uint32_t nodes[LANE_BLOCK];
    const uint32_t *durations_ns = lane_below(lane, longest, &room, nodes);
    uint64_t at = 0;
    while (at < LANE_BLOCK && durations_ns[at] != longest->duration_ns)
        at++;
    longest->level--;
    if (at < LANE_BLOCK) /* no match: the longest of a folded block, which begins at index */
        longest->index += at << 4 * longest->level;
    expect_below(lane, longest);
}

uint64_t lane_longest(const struct lane *lane, uint64_t first, uint64_t end)
{
    struct lane_longest longest = lane_longest_begin(lane, first, end);
    while (longest.level > 0)
        lane_longest_step(lane, &longest);
    return longest.index;
}

/* ---- what is expected ---- */
static void fetch_block(const struct lane_block *block)
{
    __builtin_prefetch(block);
    __builtin_prefetch(&block->starts_ns[LANE_BLOCK - 4]);
    __builtin_prefetch(&block->durations_ns[LANE_BLOCK - 1]);
}

void lane_expect_near(const struct lane *lane, uint64_t count, int64_t time_ns)
{
    uint64_t low, high, guess;
    if (count == 0)
        return;
    lane_times_find(lane, count, time_ns, &low, &high, &guess);
    if (guess < low || guess >= high)
        return;
    struct lane_place place = lane_place_of(guess / LANE_BLOCK);
    const struct lane_block *blocks = lane_chunk_whole(lane_chunk_at(lane, place.chunk));
    if (blocks)
        fetch_block(&blocks[place.block]);
}

void lane_expect_longest(const struct lane *lane, uint64_t index)
{
    uint64_t node = index / LANE_BLOCK, nodes = lane_count(lane) / LANE_BLOCK;
    for (uint32_t level = 0; level < 2; level++, node /= LANE_BLOCK, nodes /= LANE_BLOCK)
        if (node < nodes)
            expect_nodes(lane, level, node / LANE_BLOCK * LANE_BLOCK);
}

void lane_expect_event(const struct lane *lane, uint64_t index)
{
    struct lane_place place = lane_place_of(index / LANE_BLOCK);
    struct lane_block *blocks = lane_chunk_whole(lane_chunk_at(lane, place.chunk));
    if (!blocks)
        return;
    fetch_block(&blocks[place.block]);
    __builtin_prefetch(&lane_chunk_items(blocks, place.chunk)[place.block * LANE_BLOCK + index % LANE_BLOCK]);
}

/* ---- chunks that come back ---- */

/*
 * Blocks are filled on any thread in memory of their own; heads are not written again, since the folded
 * chunk kept them. Laid and lifted by one store of the chunk's pointer.
 */

struct lane_block *lane_refill_begin(uint32_t chunk)
{
    return malloc(lane_chunk_bytes(lane_chunk_blocks(chunk)));
}

/* Is this one of the events that did not fit into blocks, which are never evicted? */
static bool refill_has_long(const struct lane *lane, uint64_t index, int64_t start_ns, int64_t duration_ns)
{
    const struct table *longs = lane_longs(lane);
    uint32_t low = 0, high = !longs ? 0 : table_count(longs);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct lane_long *row = table_at(longs, middle);
        if (row->index == index)
            return row->start_ns == start_ns && row->duration_ns == duration_ns;
        if (row->index < index)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

bool lane_refill_put(const struct lane *lane, struct lane_block *blocks, uint64_t index, int64_t start_ns,
                     int64_t end_ns, const struct item *item)
{
    struct lane_place place = lane_place_of(index / LANE_BLOCK);
    struct lane_block *block = &blocks[place.block];
    uint32_t event = (uint32_t)(index % LANE_BLOCK);
    int64_t duration_ns = end_ns - start_ns;
    if (event == 0)
        *block = (struct lane_block){.start_ns = start_ns};
    int64_t since_ns = start_ns - block->start_ns;
    bool far = since_ns >= UINT32_MAX, lasting = duration_ns >= UINT32_MAX;
    if (since_ns < 0 || duration_ns < 0 ||
        ((far || lasting) && !refill_has_long(lane, index, start_ns, duration_ns)))
        return false;
    block->starts_ns[event] = far ? UINT32_MAX : (uint32_t)since_ns;
    block->durations_ns[event] = lasting ? UINT32_MAX : (uint32_t)duration_ns;
    block->busy_ns += duration_ns; /* of the block, until it is complete */
    lane_chunk_items(blocks, place.chunk)[place.block * LANE_BLOCK + event] = *item;
    return true;
}

static uint32_t longest_of(const struct lane_block *block)
{
    uint32_t longest_ns = 0;
    for (size_t i = 0; i < LANE_BLOCK; i++)
        longest_ns = block->durations_ns[i] > longest_ns ? block->durations_ns[i] : longest_ns;
    return longest_ns;
}

bool lane_refill_fits(const struct lane *lane, uint32_t chunk, struct lane_block *blocks)
{
    uint64_t first = lane_chunk_first(chunk);
    struct lane_head head = lane_head_at(lane, first);
    for (uint32_t i = 0; i < lane_chunk_blocks(chunk); i++) {
        struct lane_head next = lane_head_at(lane, first + i + 1);
        if (blocks[i].start_ns != head.start_ns || blocks[i].busy_ns != next.busy_ns - head.busy_ns ||
            longest_of(&blocks[i]) != lane_node_ns(lane, 0, first + i))
            return false;
        blocks[i].busy_ns = head.busy_ns;
        head = next;
    }
    return true;
}

bool lane_refill_lay(struct lane *lane, uint32_t chunk, struct lane_block *blocks)
{
    struct lane_folds *folds = lane_chunk_folds(lane_chunk_at(lane, chunk));
    struct lane_block *none = NULL;
    return atomic_compare_exchange_strong(&folds->refilled, &none, blocks);
}

struct lane_block *lane_refill_lift(struct lane *lane, uint32_t chunk)
{
    struct lane_folds *folds = lane_chunk_folds(lane_chunk_at(lane, chunk));
    return atomic_exchange_explicit(&folds->refilled, NULL, memory_order_acq_rel);
}
