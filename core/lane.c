#include "core/lane.h"

#include <stdlib.h>

/* Chunks 0...GROWING-1 double, all later ones have LANE_CHUNK_EVENTS. */
#define GROWING 8u
#define GROWING_EVENTS (LANE_FIRST_EVENTS * ((1u << GROWING) - 1u))
_Static_assert(LANE_FIRST_EVENTS << (GROWING - 1) == LANE_CHUNK_EVENTS,
               "the last growing chunk is the first full one");

struct place {
    uint32_t chunk, offset;
};

static struct place place_of(uint64_t index)
{
    if (index >= GROWING_EVENTS) {
        uint64_t beyond = index - GROWING_EVENTS;
        return (struct place){.chunk = (uint32_t)(GROWING + beyond / LANE_CHUNK_EVENTS),
                              .offset = (uint32_t)(beyond % LANE_CHUNK_EVENTS)};
    }
    uint32_t small = (uint32_t)index;
    uint32_t chunk = 31u - (uint32_t)__builtin_clz(small / LANE_FIRST_EVENTS + 1);
    return (struct place){.chunk = chunk, .offset = small - LANE_FIRST_EVENTS * ((1u << chunk) - 1u)};
}

static uint32_t chunk_events(uint32_t chunk)
{
    return chunk < GROWING ? LANE_FIRST_EVENTS << chunk : LANE_CHUNK_EVENTS;
}

void lane_init(struct lane *lane)
{
    *lane = (struct lane){.last_end_ns = INT64_MIN};
    table_init(&lane->chunks, sizeof(struct lane_chunk), 3);
    table_init(&lane->longs, sizeof(struct lane_long), 2);
    for (size_t i = 0; i < LANE_LEVELS - 1; i++) {
        table_init(&lane->nodes[i], sizeof(struct lane_node), 2);
    }
}

void lane_fini(struct lane *lane)
{
    for (uint32_t i = 0; i < table_count(&lane->chunks); i++) {
        free(((struct lane_chunk *)table_at(&lane->chunks, i))->start_ns);
    }
    lane_times_free(lane);
    table_fini(&lane->chunks);
    table_fini(&lane->longs);
    for (size_t i = 0; i < LANE_LEVELS - 1; i++) {
        table_fini(&lane->nodes[i]);
    }
}

static const struct lane_chunk *chunk_at(const struct lane *lane, uint32_t chunk)
{
    return table_at(&lane->chunks, chunk);
}

static struct lane_node *node_at(const struct lane *lane, uint32_t level, uint64_t index)
{
    if (level > 0) {
        return table_at(&lane->nodes[level - 1], (uint32_t)index);
    }
    struct place place = place_of(index * LANE_FANOUT);
    return &chunk_at(lane, place.chunk)->nodes[place.offset / LANE_FANOUT];
}

int64_t lane_start_ns(const struct lane *lane, uint64_t index)
{
    struct place place = place_of(index);
    return chunk_at(lane, place.chunk)->start_ns[place.offset];
}

static int64_t long_duration_ns(const struct lane *lane, uint64_t index)
{
    uint32_t low = 0, high = table_count(&lane->longs);
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (((const struct lane_long *)table_at(&lane->longs, middle))->index <= index) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return ((const struct lane_long *)table_at(&lane->longs, low))->duration_ns;
}

int64_t lane_duration_ns(const struct lane *lane, uint64_t index)
{
    struct place place = place_of(index);
    uint32_t duration_ns = chunk_at(lane, place.chunk)->durations_ns[place.offset];
    return duration_ns < UINT32_MAX ? duration_ns : long_duration_ns(lane, index);
}

const struct item *lane_item(const struct lane *lane, uint64_t index)
{
    struct place place = place_of(index);
    return &chunk_at(lane, place.chunk)->items[place.offset];
}

static bool chunk_add(struct lane *lane, uint32_t events, _Atomic size_t *memory_bytes)
{
    struct lane_chunk *chunk = table_next(&lane->chunks, memory_bytes);
    if (chunk == NULL) {
        return false;
    }
    size_t bytes = events * (sizeof *chunk->start_ns + sizeof *chunk->items + sizeof *chunk->durations_ns) +
                   events / LANE_FANOUT * sizeof *chunk->nodes;
    chunk->start_ns = malloc(bytes);
    if (chunk->start_ns == NULL) {
        return false;
    }
    chunk->nodes = (struct lane_node *)(void *)(chunk->start_ns + events);
    chunk->items = (struct item *)(void *)(chunk->nodes + events / LANE_FANOUT);
    chunk->durations_ns = (uint32_t *)(void *)(chunk->items + events);
    atomic_fetch_add_explicit(memory_bytes, bytes, memory_order_relaxed);
    table_publish(&lane->chunks);
    return true;
}

/* The node over the LANE_FANOUT nodes of level - 1 from `first` on. */
static struct lane_node node_over(const struct lane *lane, uint32_t level, uint64_t first)
{
    struct lane_node node = *node_at(lane, level - 1, first);
    for (uint64_t i = first + 1; i < first + LANE_FANOUT; i++) {
        const struct lane_node *part = node_at(lane, level - 1, i);
        node.busy_ns = part->busy_ns;
        if (part->longest_ns > node.longest_ns) {
            node.longest_ns = part->longest_ns;
            node.longest = part->longest;
        }
    }
    return node;
}

/* Complete the nodes that the event at index, the last one, completes. Their rows are there: see
 * levels_reserve. */
static void nodes_add(struct lane *lane, uint64_t index)
{
    uint64_t first = index + 1 - LANE_FANOUT;
    struct lane_node node = {.busy_ns = lane->busy_ns, .longest_ns = -1};
    for (uint64_t i = first; i <= index; i++) {
        int64_t duration_ns = lane_duration_ns(lane, i);
        if (duration_ns > node.longest_ns) {
            node.longest_ns = duration_ns;
            node.longest = i;
        }
    }
    *node_at(lane, 0, first / LANE_FANOUT) = node;
    uint64_t complete = (index + 1) / LANE_FANOUT;
    for (uint32_t level = 1; level < LANE_LEVELS && complete % LANE_FANOUT == 0;
         level++, complete /= LANE_FANOUT) {
        node = node_over(lane, level, complete - LANE_FANOUT);
        struct table *nodes = &lane->nodes[level - 1];
        *(struct lane_node *)table_at(nodes, table_count(nodes)) = node;
        table_publish(nodes);
    }
}

/* Make sure that every node which `count` events complete has its memory. */
static bool nodes_reserve(struct lane *lane, uint64_t count, _Atomic size_t *memory_bytes)
{
    uint64_t complete = count / LANE_FANOUT;
    for (uint32_t level = 1; level < LANE_LEVELS && complete % LANE_FANOUT == 0;
         level++, complete /= LANE_FANOUT) {
        if (table_next(&lane->nodes[level - 1], memory_bytes) == NULL) {
            return false;
        }
    }
    return true;
}

bool lane_append(struct lane *lane, int64_t start_ns, int64_t end_ns, const struct item *item,
                 _Atomic size_t *memory_bytes)
{
    uint64_t index = atomic_load_explicit(&lane->count, memory_order_relaxed);
    struct place place = place_of(index);
    bool completes = (index + 1) % LANE_FANOUT == 0;
    int64_t duration_ns = end_ns - start_ns;
    struct lane_long *row = NULL;
    if (place.offset == 0 && place.chunk >= table_count(&lane->chunks) &&
        !chunk_add(lane, chunk_events(place.chunk), memory_bytes))
        return false;
    if (completes && !nodes_reserve(lane, index + 1, memory_bytes))
        return false;
    if (duration_ns >= UINT32_MAX && !(row = table_next(&lane->longs, memory_bytes)))
        return false;
    if (!lane_times_add(lane, index, start_ns,
                        memory_bytes)) /* the last that can fail: it keeps what it is told */
        return false;
    if (row) {
        *row = (struct lane_long){.index = index, .duration_ns = duration_ns};
        table_publish(&lane->longs);
    }
    const struct lane_chunk *chunk = chunk_at(lane, place.chunk);
    chunk->start_ns[place.offset] = start_ns;
    chunk->durations_ns[place.offset] = duration_ns < UINT32_MAX ? (uint32_t)duration_ns : UINT32_MAX;
    chunk->items[place.offset] = *item;
    lane->last_end_ns = end_ns;
    lane->busy_ns += duration_ns;
    if (completes) {
        nodes_add(lane, index);
    }
    atomic_store_explicit(&lane->count, index + 1, memory_order_release);
    return true;
}

void lane_fetch(const struct lane *lane, uint64_t index)
{
    struct place place = place_of(index);
    const struct lane_chunk *chunk = chunk_at(lane, place.chunk);

    __builtin_prefetch(&chunk->start_ns[place.offset]);
    __builtin_prefetch(&chunk->start_ns[place.offset] + 8);
    __builtin_prefetch(&chunk->durations_ns[place.offset]);
    __builtin_prefetch(&chunk->durations_ns[place.offset] + 16);
    __builtin_prefetch(&chunk->nodes[place.offset / LANE_FANOUT]);
    __builtin_prefetch(&chunk->nodes[place.offset / LANE_FANOUT] + 3);
}

void lane_fetch_event(const struct lane *lane, uint64_t index)
{
    struct place place = place_of(index);
    const struct lane_chunk *chunk = chunk_at(lane, place.chunk);

    __builtin_prefetch(&chunk->start_ns[place.offset]);
    __builtin_prefetch(&chunk->durations_ns[place.offset]);
    __builtin_prefetch(&chunk->items[place.offset]);
}

int64_t lane_busy_before_ns(const struct lane *lane, uint64_t index)
{
    uint64_t node = index / LANE_FANOUT;
    int64_t busy_ns = node > 0 ? node_at(lane, 0, node - 1)->busy_ns : 0;
    for (uint64_t i = node * LANE_FANOUT; i < index; i++) {
        busy_ns += lane_duration_ns(lane, i);
    }
    return busy_ns;
}

struct longest {
    int64_t duration_ns;
    uint64_t index;
};

static void longest_take_node(struct longest *longest, const struct lane_node *node)
{
    if (node->longest_ns > longest->duration_ns ||
        (node->longest_ns == longest->duration_ns && node->longest < longest->index)) {
        *longest = (struct longest){.duration_ns = node->longest_ns, .index = node->longest};
    }
}

static void longest_take_events(struct longest *longest, const struct lane *lane, uint64_t first,
                                uint64_t end)
{
    for (uint64_t i = first; i < end; i++) {
        int64_t duration_ns = lane_duration_ns(lane, i);
        if (duration_ns > longest->duration_ns ||
            (duration_ns == longest->duration_ns && i < longest->index)) {
            *longest = (struct longest){.duration_ns = duration_ns, .index = i};
        }
    }
}

static uint64_t round_up(uint64_t value)
{
    return (value + LANE_FANOUT - 1) / LANE_FANOUT * LANE_FANOUT;
}

uint64_t lane_longest(const struct lane *lane, uint64_t first, uint64_t end)
{
    struct longest longest = {.duration_ns = -1, .index = UINT64_MAX};
    if (round_up(first) >= end / LANE_FANOUT * LANE_FANOUT) {
        longest_take_events(&longest, lane, first, end);
        return longest.index;
    }
    longest_take_events(&longest, lane, first, round_up(first));
    longest_take_events(&longest, lane, end / LANE_FANOUT * LANE_FANOUT, end);
    /* What is left is whole nodes of level 0; take a level's edges, go up with the rest. */
    first = round_up(first) / LANE_FANOUT;
    end /= LANE_FANOUT;
    for (uint32_t level = 0; first < end; level++) {
        uint64_t left = end, right = end;
        if (level < LANE_LEVELS - 1 && round_up(first) < end / LANE_FANOUT * LANE_FANOUT) {
            left = round_up(first);
            right = end / LANE_FANOUT * LANE_FANOUT;
        }
        for (uint64_t i = first; i < left; i++) {
            longest_take_node(&longest, node_at(lane, level, i));
        }
        for (uint64_t i = right; i < end; i++) {
            longest_take_node(&longest, node_at(lane, level, i));
        }
        first = left / LANE_FANOUT;
        end = left == right ? first : right / LANE_FANOUT;
    }
    return longest.index;
}
