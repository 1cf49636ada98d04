/* What is left of events that have left memory. */
#include "core/session/lane_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- writer ---- */
bool lane_foldable(const struct lane *lane, bool recorded, struct lane_span *span)
{
    if (lane->folded + 1 >= table_count(&lane->chunks))
        return false;
    uint64_t next = lane_chunk_first(lane->folded + 1);
    if (recorded && atomic_load_explicit(&lane->recorded, memory_order_acquire) < next * LANE_BLOCK)
        return false;
    *span = (struct lane_span){.start_ns = lane_chunk_whole(lane_chunk_at(lane, lane->folded))->start_ns,
                               .end_ns = lane_chunk_whole(lane_chunk_at(lane, lane->folded + 1))->start_ns};
    return true;
}

static uint32_t name_of(const struct item *item)
{
    switch ((enum item_kind)item->kind) {
    case ITEM_LAUNCH: return item->launch.kernel;
    case ITEM_CALL: return item->call.name;
    case ITEM_RANGE: return item->range.name;
    case ITEM_OVERHEAD: return item->overhead.name;
    case ITEM_MEASUREMENT: return item->measurement.measurement;
    case ITEM_COPY:
    case ITEM_SET:
    case ITEM_SYNC: break;
    }
    return 0;
}

static struct lane_fold fold_of(const struct lane_block *block, const struct item *items)
{
    size_t longest = 0;
    for (size_t i = 1; i < LANE_BLOCK; i++)
        longest = block->durations_ns[i] > block->durations_ns[longest] ? i : longest;
    const struct item *item = &items[longest];
    return (struct lane_fold){.start_ns = block->start_ns,
                              .busy_ns = block->busy_ns,
                              .name = name_of(item),
                              .kind = item->kind,
                              .flags = (uint8_t)(item->flags | ITEM_FOLDED),
                              .a = item->a,
                              .b = item->b};
}

static bool is_wide(const struct lane_block *block, const struct lane_block *next)
{
    return next->start_ns - block->start_ns >= UINT32_MAX;
}

void *lane_fold(struct lane *lane, size_t *bytes, _Atomic size_t *memory_bytes)
{
    uint32_t number = lane->folded, count = lane_chunk_blocks(number), wide = 0;
    struct lane_chunk *chunk = lane_chunk_at(lane, number);
    struct lane_block *blocks = lane_chunk_whole(chunk);
    const struct lane_block *after = lane_chunk_whole(lane_chunk_at(lane, number + 1));
    struct lane_folds *folds;
    for (uint32_t i = 0; i < count; i++)
        wide += is_wide(&blocks[i], i + 1 < count ? &blocks[i + 1] : after);
    size_t keeps = sizeof *folds + count * sizeof folds->folds[0] + wide * sizeof *blocks + count;
    folds = malloc(keeps);
    if (folds == NULL)
        return NULL;
    struct lane_block *wides = (struct lane_block *)(void *)&folds->folds[count];
    uint8_t *kept = (uint8_t *)&wides[wide];
    atomic_init(&folds->refilled, NULL);
    folds->blocks = wides;
    folds->kept = kept;
    wide = 0;
    for (uint32_t i = 0; i < count; i++) {
        folds->folds[i] = fold_of(&blocks[i], lane_chunk_items(blocks, number) + i * LANE_BLOCK);
        kept[i] = LANE_FOLD_NONE;
        if (is_wide(&blocks[i], i + 1 < count ? &blocks[i + 1] : after)) {
            kept[i] = (uint8_t)wide;
            wides[wide++] = blocks[i];
        }
    }
    atomic_store_explicit(&chunk->memory, (uintptr_t)folds + LANE_CHUNK_FOLDED, memory_order_release);
    lane->folded++;
    atomic_fetch_add_explicit(memory_bytes, keeps, memory_order_relaxed);
    *bytes = lane_chunk_bytes(count);
    return blocks;
}

/* ---- readers ---- */
struct lane_head lane_head_at(const struct lane *lane, uint64_t block)
{
    struct lane_place place = lane_place_of(block);
    const struct lane_chunk *chunk = lane_chunk_at(lane, place.chunk);
    const struct lane_folds *folds = lane_chunk_folds(chunk);
    const struct lane_block *blocks = folds == NULL ? lane_chunk_whole(chunk) : NULL;
    if (blocks != NULL)
        return (struct lane_head){blocks[place.block].start_ns, blocks[place.block].busy_ns};
    if (folds == NULL) /* it was folded meanwhile */
        folds = lane_chunk_folds(chunk);
    return (struct lane_head){folds->folds[place.block].start_ns, folds->folds[place.block].busy_ns};
}

const struct lane_block *lane_fold_block(const struct lane *lane, uint64_t block, struct lane_block *room)
{
    struct lane_place place = lane_place_of(block);
    const struct lane_folds *folds = lane_chunk_folds(lane_chunk_at(lane, place.chunk));
    if (folds->kept[place.block] != LANE_FOLD_NONE)
        return &folds->blocks[folds->kept[place.block]];
    const struct lane_fold *fold = &folds->folds[place.block];
    struct lane_head next = lane_head_at(lane, block + 1);
    uint64_t busy_ns = (uint64_t)(next.busy_ns - fold->busy_ns);
    uint64_t idle_ns = (uint64_t)(next.start_ns - fold->start_ns) - busy_ns;
    room->start_ns = fold->start_ns;
    room->busy_ns = fold->busy_ns;
    for (uint32_t i = 0; i < LANE_BLOCK; i++) {
        uint64_t before_ns = busy_ns * i / LANE_BLOCK;
        room->starts_ns[i] = (uint32_t)(before_ns + idle_ns * i / LANE_BLOCK);
        room->durations_ns[i] = (uint32_t)(busy_ns * (i + 1) / LANE_BLOCK - before_ns);
    }
    return room;
}

struct item lane_fold_item(const struct lane *lane, uint64_t block)
{
    struct lane_place place = lane_place_of(block);
    const struct lane_fold *fold = &lane_chunk_folds(lane_chunk_at(lane, place.chunk))->folds[place.block];
    struct item item = {.kind = fold->kind, .flags = fold->flags, .a = fold->a, .b = fold->b};
    switch ((enum item_kind)item.kind) {
    case ITEM_LAUNCH: item.launch.kernel = fold->name; break;
    case ITEM_CALL: item.call.name = fold->name; break;
    case ITEM_RANGE: item.range.name = fold->name; break;
    case ITEM_OVERHEAD: item.overhead.name = fold->name; break;
    case ITEM_MEASUREMENT: item.measurement.measurement = fold->name; break;
    case ITEM_COPY:
    case ITEM_SET:
    case ITEM_SYNC: break;
    }
    if (item.kind <= ITEM_SET)
        item.launch.call_start_ns = INT64_MIN; /* where all three have it */
    return item;
}

int64_t lane_kept_start_ns(const struct lane *lane, uint64_t index)
{
    struct lane_block room;
    struct lane_place place = lane_place_of(index / LANE_BLOCK);
    const struct lane_chunk *chunk = lane_chunk_at(lane, place.chunk);
    bool folded = lane_chunk_folds(chunk) != NULL;
    const struct lane_block *block =
        folded ? lane_fold_block(lane, index / LANE_BLOCK, &room) : &lane_chunk_whole(chunk)[place.block];
    return lane_start_in(lane, block, index);
}
