/* SPDX-License-Identifier: Apache-2.0 */
/* What is left of events that have left memory. */
#include "core/session/lane.h"

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
                              .b = item->b,
                              .longest_ns = block->durations_ns[longest]};
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
    if (!folds)
        return NULL;
    struct lane_block *wides = (struct lane_block *)(void *)&folds->folds[count];
    uint8_t *kept = (uint8_t *)&wides[wide];
    atomic_init(&folds->refilled, NULL);
    folds->first_block = (uint32_t)lane_chunk_first(number);
    folds->count = count;
    folds->shift = 0;
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
    lane->runs[0] += number >= LANE_FULL_CHUNK;
    atomic_fetch_add_explicit(memory_bytes, keeps, memory_order_relaxed);
    *bytes = lane_chunk_bytes(count);
    return blocks;
}

size_t lane_folds_bytes(void)
{
    return sizeof(struct lane_folds) + LANE_CHUNK_BLOCKS * (sizeof(struct lane_fold) + 1);
}

/* ---- folding again ---- */
struct lane_block lane_merged[1]; /* only its address is used */

static struct lane_fold fold_join(const struct lane_fold *first, const struct lane_fold *second)
{
    struct lane_fold joined = second->longest_ns > first->longest_ns ? *second : *first;
    joined.start_ns = first->start_ns;
    joined.busy_ns = first->busy_ns;
    return joined;
}

/* From now on the chunk cannot be refilled. False: it is. */
static bool folds_claim(struct lane_folds *folds)
{
    struct lane_block *none = NULL;
    return atomic_compare_exchange_strong(&folds->refilled, &none, LANE_MERGED) || none == LANE_MERGED;
}

/* Would a block of the merged unit be busy for longer than its times can say? */
static bool is_long(const struct lane *lane, const struct lane_folds *part, uint32_t at)
{
    uint64_t end = part->first_block + ((uint64_t)(at + 2) << part->shift);
    return (uint64_t)(lane_head_at(lane, end).busy_ns - part->folds[at].busy_ns) >> (part->shift + 1) >
           UINT32_MAX / 2;
}

bool lane_merge_runs(struct lane *lane, uint32_t level, uint32_t keep, void *replaced[2], size_t *bytes,
                     _Atomic size_t *memory_bytes)
{
    uint32_t first = LANE_FULL_CHUNK, chunks = 1u << level;
    if (level + 1 >= LANE_MERGES || lane->runs[level] <= keep || lane->runs[level] < 2)
        return false;
    for (uint32_t above = level + 1; above < LANE_MERGES; above++)
        first += lane->runs[above] << above;
    struct lane_folds *parts[2] = {lane_chunk_folds(lane_chunk_at(lane, first)),
                                   lane_chunk_folds(lane_chunk_at(lane, first + chunks))};
    for (uint32_t at = 0; at < LANE_CHUNK_BLOCKS; at += 2)
        if (is_long(lane, parts[0], at) || is_long(lane, parts[1], at))
            return false;
    struct lane_folds *merged = malloc(lane_folds_bytes());
    if (!merged || !folds_claim(parts[0]))
        goto fail;
    if (!folds_claim(parts[1])) {
        if (level == 0)
            atomic_store_explicit(&parts[0]->refilled, NULL, memory_order_release);
        goto fail;
    }
    *merged = (struct lane_folds){.first_block = parts[0]->first_block,
                                  .count = LANE_CHUNK_BLOCKS,
                                  .shift = level + 1,
                                  .kept = (uint8_t *)&merged->folds[LANE_CHUNK_BLOCKS]};
    atomic_init(&merged->refilled, LANE_MERGED);
    for (uint32_t unit = 0; unit < LANE_CHUNK_BLOCKS; unit++) {
        const struct lane_folds *part = parts[unit / (LANE_CHUNK_BLOCKS / 2)];
        uint32_t at = 2 * (unit % (LANE_CHUNK_BLOCKS / 2));
        merged->folds[unit] = fold_join(&part->folds[at], &part->folds[at + 1]);
    }
    memset(&merged->folds[LANE_CHUNK_BLOCKS], LANE_FOLD_NONE, LANE_CHUNK_BLOCKS);
    for (uint32_t chunk = first; chunk < first + 2 * chunks; chunk++)
        atomic_store_explicit(&lane_chunk_at(lane, chunk)->memory, (uintptr_t)merged + LANE_CHUNK_FOLDED,
                              memory_order_release);
    lane->runs[level] -= 2;
    lane->runs[level + 1]++;
    atomic_fetch_add_explicit(memory_bytes, lane_folds_bytes(), memory_order_relaxed);
    for (size_t i = 0; i < 2; i++)
        replaced[i] = parts[i];
    *bytes = lane_folds_bytes();
    return true;
fail:
    free(merged);
    return false;
}

/* ---- readers ---- */
/* Of a unit: its fold, the blocks it stands for, and what lies at its end. */
struct unit {
    const struct lane_fold *fold;
    uint32_t within, shift; /* the block in it; it is of 1 << shift blocks */
    struct lane_head end;
};

static uint32_t unit_of(const struct lane_folds *folds, uint64_t block)
{
    return ((uint32_t)block - folds->first_block) >> folds->shift;
}

/* ns * part / (1 << shift), rounded down; part is at most 1 << shift, shift below 32. */
static uint64_t share_of(uint64_t ns, uint64_t part, uint32_t shift)
{
    return (ns >> shift) * part + ((ns & ((UINT64_C(1) << shift) - 1)) * part >> shift);
}

static struct unit unit_at(const struct lane *lane, const struct lane_folds *folds, uint64_t block)
{
    uint32_t number = unit_of(folds, block);
    struct unit unit = {.fold = &folds->folds[number],
                        .within = ((uint32_t)block - folds->first_block) & ((1u << folds->shift) - 1),
                        .shift = folds->shift};
    if (number + 1 < folds->count)
        unit.end = (struct lane_head){unit.fold[1].start_ns, unit.fold[1].busy_ns};
    else /* a boundary of chunks, which begins a unit */
        unit.end = lane_head_at(lane, folds->first_block + ((uint64_t)folds->count << folds->shift));
    return unit;
}

struct lane_head lane_head_at(const struct lane *lane, uint64_t block)
{
    struct lane_place place = lane_place_of(block);
    const struct lane_chunk *chunk = lane_chunk_at(lane, place.chunk);
    const struct lane_folds *folds = lane_chunk_folds(chunk);
    const struct lane_block *blocks = !folds ? lane_chunk_whole(chunk) : NULL;
    if (blocks)
        return (struct lane_head){blocks[place.block].start_ns, blocks[place.block].busy_ns};
    if (!folds) /* it was folded meanwhile */
        folds = lane_chunk_folds(chunk);
    const struct lane_fold *fold = &folds->folds[unit_of(folds, block)];
    struct lane_head head = {fold->start_ns, fold->busy_ns};
    if (((block - folds->first_block) & ((1u << folds->shift) - 1)) == 0)
        return head;
    struct unit unit = unit_at(lane, folds, block);
    uint64_t busy_ns = (uint64_t)(unit.end.busy_ns - head.busy_ns);
    uint64_t idle_ns = (uint64_t)(unit.end.start_ns - head.start_ns) - busy_ns;
    uint64_t before_ns = share_of(busy_ns, unit.within, unit.shift);
    head.busy_ns += (int64_t)before_ns;
    head.start_ns += (int64_t)(before_ns + share_of(idle_ns, unit.within, unit.shift));
    return head;
}

struct lane_unit lane_fold_unit(const struct lane_folds *folds, uint64_t block)
{
    if (folds->shift == 0)
        return (struct lane_unit){block, block + 1};
    uint64_t first = folds->first_block + ((uint64_t)unit_of(folds, block) << folds->shift);
    return (struct lane_unit){first, first + (UINT64_C(1) << folds->shift)};
}

uint64_t lane_folded_end(const struct lane *lane, uint64_t index)
{
    uint32_t number = lane_place_of(index / LANE_BLOCK).chunk;
    const struct lane_chunk *chunk = lane_chunk_at(lane, number);
    const struct lane_folds *folds = lane_chunk_folds(chunk);
    if (!folds || lane_chunk_whole(chunk))
        return index;
    return (folds->first_block + ((uint64_t)folds->count << folds->shift)) * LANE_BLOCK;
}

const struct lane_block *lane_fold_block(const struct lane *lane, uint64_t block, struct lane_block *room)
{
    const struct lane_folds *folds = lane_chunk_folds(lane_chunk_at(lane, lane_place_of(block).chunk));
    struct unit unit = unit_at(lane, folds, block);
    if (unit.shift == 0 && folds->kept[unit_of(folds, block)] != LANE_FOLD_NONE)
        return &folds->blocks[folds->kept[unit_of(folds, block)]];
    uint64_t busy_ns = (uint64_t)(unit.end.busy_ns - unit.fold->busy_ns);
    uint64_t idle_ns = (uint64_t)(unit.end.start_ns - unit.fold->start_ns) - busy_ns;
    uint32_t shift = unit.shift + 4; /* of events */
    uint64_t event = (uint64_t)unit.within * LANE_BLOCK;
    uint64_t begin_ns = share_of(busy_ns, event, shift), waited_ns = share_of(idle_ns, event, shift);
    uint64_t covered_ns = share_of(busy_ns, event + LANE_BLOCK, shift) - begin_ns;
    uint64_t pauses_ns = share_of(idle_ns, event + LANE_BLOCK, shift) - waited_ns;
    bool fits =
        covered_ns + pauses_ns < UINT32_MAX; /* if not, the rest of the pauses is after the last event */
    room->start_ns = unit.fold->start_ns + (int64_t)(begin_ns + waited_ns);
    room->busy_ns = unit.fold->busy_ns + (int64_t)begin_ns;
    for (uint32_t i = 0; i < LANE_BLOCK; i++) {
        uint64_t before_ns = share_of(busy_ns, event + i, shift) - begin_ns;
        uint64_t after_ns = share_of(busy_ns, event + i + 1, shift) - begin_ns;
        uint64_t pause_ns = fits ? share_of(idle_ns, event + i, shift) - waited_ns
                                 : (UINT32_MAX - 1 - covered_ns) * i / LANE_BLOCK;
        room->starts_ns[i] = (uint32_t)(before_ns + pause_ns);
        room->durations_ns[i] = (uint32_t)(after_ns - before_ns);
    }
    return room;
}
_Static_assert(LANE_BLOCK == 1u << 4, "a unit's events are its blocks shifted by 4");

struct item lane_fold_item(const struct lane *lane, uint64_t block)
{
    const struct lane_folds *folds = lane_chunk_folds(lane_chunk_at(lane, lane_place_of(block).chunk));
    const struct lane_fold *fold = &folds->folds[unit_of(folds, block)];
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

/* The start of an event for the writer: in a folded chunk its spread-out start, also while the chunk is
 * refilled, since another thread frees that memory. */
static int64_t lane_kept_start_ns(const struct lane *lane, uint64_t index)
{
    struct lane_block room;
    struct lane_place place = lane_place_of(index / LANE_BLOCK);
    const struct lane_chunk *chunk = lane_chunk_at(lane, place.chunk);
    bool folded = lane_chunk_folds(chunk) != NULL;
    const struct lane_block *block =
        folded ? lane_fold_block(lane, index / LANE_BLOCK, &room) : &lane_chunk_whole(chunk)[place.block];
    return lane_start_in(lane, block, index);
}

/* ---- times of a lane ---- */

/*
 * From a time to an event of a lane: time is cut into buckets of equal width, and for each one it is kept
 * which event is the first to start in it or later. The width is a power of two that leaves some twenty to
 * sixty events in a bucket. When time outruns the buckets, a table with wider or more of them takes the
 * place of the old one, which is kept, since a reader may be in it.
 */

#define TIMES_FROM 1024u /* events; a shorter lane is searched without this index */
#define EVENTS_PER_ROW 16u

struct lane_times {
    struct lane_times *older;
    int64_t zero_ns;
    uint32_t shift; /* a bucket is 1 << shift ns wide */
    uint32_t capacity;
    _Atomic uint32_t count;
    uint32_t first[]; /* first event that starts in the bucket or later */
};

static uint64_t bucket_of(const struct lane_times *times, int64_t time_ns)
{
    return ((uint64_t)time_ns - (uint64_t)times->zero_ns) >> times->shift;
}

/* Writer: adds an event whose bucket is below the capacity. */
static void times_add(struct lane_times *times, uint64_t index, int64_t start_ns)
{
    uint64_t bucket = bucket_of(times, start_ns);
    uint32_t count = atomic_load_explicit(&times->count, memory_order_relaxed);

    if (bucket < count)
        return;
    while (count <= bucket)
        times->first[count++] = (uint32_t)index;
    atomic_store_explicit(&times->count, count, memory_order_release);
}

/* Evicted events are rarely looked for: all together have this many rows at most. */
#define EVICTED_ROWS 1024u
static uint64_t evicted_rows(uint64_t events)
{
    uint64_t rows = events / EVENTS_PER_ROW;
    return rows < EVICTED_ROWS ? rows : EVICTED_ROWS;
}

/* Makes a table of the events before `index`, half full with them. */
static struct lane_times *times_make(const struct lane *lane, uint64_t index, int64_t start_ns,
                                     _Atomic size_t *memory_bytes)
{
    uint64_t evicted = lane_chunk_first(lane->folded) * LANE_BLOCK;
    uint32_t capacity = (uint32_t)((index - evicted) / EVENTS_PER_ROW + evicted_rows(evicted));
    size_t bytes = sizeof(struct lane_times) + capacity * sizeof(uint32_t);
    struct lane_times *times = malloc(bytes);

    if (!times)
        return NULL;
    times->zero_ns = lane_kept_start_ns(lane, 0);
    times->capacity = capacity;
    times->shift = 0;
    atomic_init(&times->count, 0);
    while (bucket_of(times, start_ns) >= capacity / 2)
        times->shift++;
    for (uint64_t i = 0; i < index; i++) {
        uint64_t next = i % LANE_BLOCK == 0 ? i + LANE_BLOCK : index;
        if (next < index && bucket_of(times, lane_head_at(lane, next / LANE_BLOCK).start_ns) < times->count)
            i = next - 1; /* nothing new in this block */
        else
            times_add(times, i, lane_kept_start_ns(lane, i));
    }
    atomic_fetch_add_explicit(memory_bytes, bytes, memory_order_relaxed);
    return times;
}

bool lane_times_add(struct lane *lane, uint64_t index, int64_t start_ns, _Atomic size_t *memory_bytes)
{
    struct lane_times *times = atomic_load_explicit(&lane->times, memory_order_relaxed);

    if (index < TIMES_FROM)
        return true;
    if (index >= UINT32_MAX)
        return false;
    if (!times || bucket_of(times, start_ns) >= times->capacity) {
        struct lane_times *older = times;
        times = times_make(lane, index, start_ns, memory_bytes);
        if (!times)
            return false;
        times->older = older;
        atomic_store_explicit(&lane->times, times, memory_order_release);
    }
    times_add(times, index, start_ns);
    return true;
}

bool lane_times_has_older(const struct lane *lane)
{
    const struct lane_times *times = atomic_load_explicit(&lane->times, memory_order_relaxed);
    return times && times->older;
}

void *lane_times_take_older(struct lane *lane, size_t *bytes)
{
    struct lane_times *times = atomic_load_explicit(&lane->times, memory_order_relaxed);
    struct lane_times *older = times->older;
    times->older = older->older;
    *bytes = sizeof *older + older->capacity * sizeof older->first[0];
    return older;
}

void lane_times_free(struct lane *lane)
{
    struct lane_times *times = atomic_load_explicit(&lane->times, memory_order_relaxed);

    while (times) {
        struct lane_times *older = times->older;
        free(times);
        times = older;
    }
}

void lane_expect_far(const struct lane *lane, int64_t time_ns)
{
    const struct lane_times *times = atomic_load_explicit(&lane->times, memory_order_acquire);

    if (!times || time_ns < times->zero_ns)
        return;
    uint64_t bucket = bucket_of(times, time_ns);
    if (bucket < times->capacity)
        __builtin_prefetch(&times->first[bucket]);
}

void lane_times_find(const struct lane *lane, uint64_t count, int64_t time_ns, uint64_t *low, uint64_t *high,
                     uint64_t *guess)
{
    const struct lane_times *times = atomic_load_explicit(&lane->times, memory_order_acquire);

    *low = 0;
    *high = count;
    *guess = count / 2;
    if (!times)
        return;
    if (time_ns < times->zero_ns) {
        *high = *guess = 0;
        return;
    }
    uint64_t bucket = bucket_of(times, time_ns);
    uint32_t known = atomic_load_explicit(&times->count, memory_order_acquire);
    *low = bucket < known ? times->first[bucket] : count;
    *high = bucket + 1 < known ? times->first[bucket + 1] : count;
    *low = *low < count ? *low : count; /* the table may be newer than the count that the caller read */
    *high = *high < count ? *high : count;
    uint64_t into = (uint64_t)time_ns - (uint64_t)times->zero_ns - (bucket << times->shift);
    uint64_t part = times->shift > 16 ? into >> (times->shift - 16) : into << (16 - times->shift);
    uint64_t inside = *high - *low;
    *guess = *low + (inside < UINT32_MAX ? inside * part >> 16 : inside / 2);
}
