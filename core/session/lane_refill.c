/*
 * Blocks are filled on any thread in memory of their own; heads are not written again, since the folded
 * chunk kept them. Laid and lifted by one store of the chunk's pointer.
 */
#include "core/session/lane_refill.h"

#include <stdlib.h>

struct lane_block *lane_refill_begin(uint32_t chunk)
{
    return malloc(lane_chunk_bytes(lane_chunk_blocks(chunk)));
}

/* Is this one of the events that did not fit into blocks, which are never evicted? */
static bool has_long(const struct lane *lane, uint64_t index, int64_t start_ns, int64_t duration_ns)
{
    const struct table *longs = lane_longs(lane);
    uint32_t low = 0, high = longs == NULL ? 0 : table_count(longs);
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
        ((far || lasting) && !has_long(lane, index, start_ns, duration_ns)))
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
