/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer's side. The newest chunk is appended to; a block's head and the nodes above it are completed
 * with its last event, and their memory is there before the event is added, so that an event is added
 * wholly or not at all.
 */
#include "core/session/lane.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- memory of chunks ---- */

/*
 * Arenas that begin at a huge page, cut into chunks; free chunks are linked through their first word, which
 * stays when the pages of a chunk go back to the system.
 */

#define HUGE_BYTES ((size_t)2 << 20)
#define ARENA_BYTES (2 * HUGE_BYTES)
#define LINE_BYTES ((size_t)64)

static size_t chunk_bytes(void)
{
    return (lane_chunk_bytes(LANE_CHUNK_BLOCKS) + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
}

void lane_pool_use_file(struct lane_pool *pool, int file, size_t in_memory_bytes)
{
    pool->file = file;
    pool->has_file = true;
    pool->in_memory_bytes = in_memory_bytes;
}

/* NULL: the file has no room. */
static char *arena_in_file(struct lane_pool *pool)
{
    off_t at = (off_t)(pool->arena_bytes - pool->in_memory_bytes / ARENA_BYTES * ARENA_BYTES);
    if (posix_fallocate(pool->file, at, (off_t)ARENA_BYTES) != 0)
        return NULL;
    char *mapped = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, pool->file, at);
    return mapped != MAP_FAILED ? mapped : NULL;
}

static bool arena_use(struct lane_pool *pool, char *arena)
{
    memcpy(arena, &pool->arenas, sizeof pool->arenas);
    pool->arenas = arena;
    pool->arena_bytes += ARENA_BYTES;
    pool->at = arena + LINE_BYTES;
    pool->end = arena + ARENA_BYTES;
    return true;
}

/* An arena starts at a huge page; its first cache line links it to the others. */
static bool arena_add(struct lane_pool *pool)
{
    if (pool->has_file && pool->arena_bytes + ARENA_BYTES > pool->in_memory_bytes) {
        char *in_file = arena_in_file(pool);
        if (in_file)
            return arena_use(pool, in_file);
        pool->has_file = false;
    }
    char *mapped =
        mmap(NULL, ARENA_BYTES + HUGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
        return false;
    size_t before = (HUGE_BYTES - (uintptr_t)mapped % HUGE_BYTES) % HUGE_BYTES;
    char *arena = mapped + before;
    if (before > 0)
        munmap(mapped, before);
    if (before < HUGE_BYTES)
        munmap(arena + ARENA_BYTES, HUGE_BYTES - before);
    madvise(arena, ARENA_BYTES, MADV_HUGEPAGE); /* if there are no huge pages, small ones will do */
    return arena_use(pool, arena);
}

static void list_push(void **list, void *chunk)
{
    memcpy(chunk, list, sizeof *list);
    *list = chunk;
}

static void *list_pop(void **list)
{
    void *chunk = *list;
    if (chunk)
        memcpy(list, chunk, sizeof *list);
    return chunk;
}

/* For the chunk's whole pages, except the one with its first word. */
static void advise_pages(char *chunk, int advice)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = ((uintptr_t)chunk + sizeof(void *) + page - 1) / page * page;
    uintptr_t end = ((uintptr_t)chunk + chunk_bytes()) / page * page;
    if (end > first)
        madvise((char *)chunk + (first - (uintptr_t)chunk), end - first, advice);
}

static void chunk_release(struct lane_pool *pool, void *chunk)
{
    advise_pages(chunk, MADV_DONTNEED);
    advise_pages(chunk, MADV_NOHUGEPAGE); /* else the system fills the hole again to make a huge page */
    list_push(&pool->released, chunk);
}

void lane_pool_keep(struct lane_pool *pool, size_t bytes)
{
    size_t chunks = bytes / chunk_bytes();
    pool->ready_most = chunks < LANE_POOL_READY ? (unsigned)chunks : LANE_POOL_READY;
    for (; pool->ready_count > pool->ready_most; pool->ready_count--)
        chunk_release(pool, list_pop(&pool->ready));
}

size_t lane_pool_kept_bytes(const struct lane_pool *pool)
{
    return pool->ready_count * chunk_bytes();
}

/* A chunk of LANE_CHUNK_BLOCKS; NULL: no memory. */
static void *lane_pool_take(struct lane_pool *pool)
{
    void *chunk = list_pop(&pool->ready);
    if (chunk) {
        pool->ready_count--;
        return chunk;
    }
    chunk = list_pop(&pool->released);
    if (chunk) {
        advise_pages(chunk, MADV_HUGEPAGE);
        return chunk;
    }
    if ((size_t)(pool->end - pool->at) < chunk_bytes() && !arena_add(pool))
        return NULL;
    chunk = pool->at;
    pool->at += chunk_bytes();
    return chunk;
}

static void lane_pool_give(struct lane_pool *pool, void *chunk)
{
    if (pool->ready_count < pool->ready_most) {
        list_push(&pool->ready, chunk);
        pool->ready_count++;
        return;
    }
    chunk_release(pool, chunk);
}

void lane_pool_fini(struct lane_pool *pool)
{
    while (pool->arenas) {
        void *arena = pool->arenas;
        memcpy(&pool->arenas, arena, sizeof pool->arenas);
        munmap(arena, ARENA_BYTES);
    }
    *pool = (struct lane_pool){0};
}

/* ---- lanes ---- */

static bool is_pooled(const struct lane_pool *pool, size_t bytes)
{
    return pool && bytes == lane_chunk_bytes(LANE_CHUNK_BLOCKS);
}

void lane_chunk_free(struct lane_pool *pool, void *memory, size_t bytes)
{
    if (is_pooled(pool, bytes))
        lane_pool_give(pool, memory);
    else
        free(memory);
}

void lane_init(struct lane *lane, struct lane_pool *pool)
{
    *lane = (struct lane){.last_end_ns = INT64_MIN, .pool = pool};
    table_init(&lane->chunks, sizeof(struct lane_chunk), 2);
}

static void table_free(struct table *table)
{
    if (!table)
        return;
    table_fini(table);
    free(table);
}

void lane_fini(struct lane *lane)
{
    for (uint32_t i = 0; i < table_count(&lane->chunks); i++) {
        struct lane_chunk *chunk = lane_chunk_at(lane, i);
        struct lane_folds *folds = lane_chunk_folds(chunk);
        if (!folds) {
            lane_chunk_free(lane->pool, lane_chunk_whole(chunk), lane_chunk_bytes(lane_chunk_blocks(i)));
            continue;
        }
        i = lane_place_of(folds->first_block + ((uint64_t)folds->count << folds->shift)).chunk - 1;
        free(folds); /* of all chunks up to there */
    }
    lane_times_free(lane);
    table_fini(&lane->chunks);
    for (uint32_t level = 0; level < LANE_LEVELS; level++)
        table_free(lane_nodes(lane, level));
    table_free(lane_longs(lane));
}

static bool chunk_add(struct lane *lane, uint32_t blocks, _Atomic size_t *memory_bytes)
{
    struct lane_chunk *chunk = table_next(&lane->chunks, memory_bytes);
    if (!chunk)
        return false;
    size_t bytes = lane_chunk_bytes(blocks);
    struct lane_block *allocated = is_pooled(lane->pool, bytes) ? lane_pool_take(lane->pool) : malloc(bytes);
    if (!allocated)
        return false;
    atomic_init(&chunk->memory, (uintptr_t)allocated);
    atomic_fetch_add_explicit(memory_bytes, bytes, memory_order_relaxed);
    table_publish(&lane->chunks);
    return true;
}

/* ---- nodes ---- */
/* The next row of a table, which is created if there is none; NULL: no memory. */
static void *row_next(struct table *_Atomic *made, size_t row_bytes, uint32_t first_shift,
                      _Atomic size_t *memory_bytes)
{
    struct table *table = atomic_load_explicit(made, memory_order_relaxed);
    if (!table) {
        table = malloc(sizeof *table);
        if (!table)
            return NULL;
        table_init(table, row_bytes, first_shift);
        atomic_store_explicit(made, table, memory_order_release);
        atomic_fetch_add_explicit(memory_bytes, sizeof *table, memory_order_relaxed);
    }
    return table_next(table, memory_bytes);
}

/* Makes sure that there is memory for every node that is complete when `blocks` blocks are full. */
static bool nodes_reserve(struct lane *lane, uint64_t blocks, _Atomic size_t *memory_bytes)
{
    bool full = blocks > LANE_FULL_FROM;
    for (uint32_t level = 0; level < LANE_LEVELS; level++, blocks /= LANE_BLOCK) {
        /* groups of 16 nodes lie together */
        if (full && level < LANE_CHUNK_LEVELS)
            ;
        else if (!row_next(&lane->longest_ns[level], sizeof(uint32_t), 4, memory_bytes))
            return false;
        if (blocks % LANE_BLOCK != 0)
            return true;
    }
    return true;
}

static uint32_t longest_of(const uint32_t durations_ns[LANE_BLOCK])
{
    uint32_t longest_ns = 0;
    for (size_t i = 0; i < LANE_BLOCK; i++)
        longest_ns = durations_ns[i] > longest_ns ? durations_ns[i] : longest_ns;
    return longest_ns;
}

/* Fills the nodes that are complete with this last block. Their rows exist: see nodes_reserve. */
static void nodes_add(struct lane *lane, const struct lane_block *block, uint64_t blocks)
{
    const uint32_t *below = block->durations_ns;
    struct lane_place place = lane_place_of(blocks - 1);
    bool full = blocks > LANE_FULL_FROM;
    uint32_t room[LANE_BLOCK];
    for (uint32_t level = 0; level < LANE_LEVELS; level++, blocks /= LANE_BLOCK) {
        if (full && level < LANE_CHUNK_LEVELS) {
            uint32_t *nodes = lane_chunk_nodes(lane_chunk_whole(lane_chunk_at(lane, place.chunk)));
            nodes[level == 0 ? place.block : LANE_CHUNK_BLOCKS + place.block / LANE_BLOCK] =
                longest_of(below);
        } else {
            struct table *nodes = lane_nodes(lane, level);
            *(uint32_t *)table_at(nodes, table_count(nodes)) = longest_of(below);
            table_publish(nodes);
        }
        if (blocks % LANE_BLOCK != 0)
            return;
        below = lane_node_run(lane, level, blocks - LANE_BLOCK, LANE_BLOCK, room);
    }
}

/* ---- appending ---- */
static uint32_t lane_fitting(int64_t ns)
{
    return ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
}

bool lane_append(struct lane *lane, int64_t start_ns, int64_t end_ns, const struct item *item,
                 _Atomic size_t *memory_bytes)
{
    uint64_t index = atomic_load_explicit(&lane->count, memory_order_relaxed);
    uint32_t event = (uint32_t)(index % LANE_BLOCK);
    struct lane_place place = lane_place_of(index / LANE_BLOCK);
    bool completes = event == LANE_BLOCK - 1;
    int64_t duration_ns = end_ns - start_ns;
    struct lane_long *row = NULL;
    if (place.chunk >= table_count(&lane->chunks) &&
        !chunk_add(lane, lane_chunk_blocks(place.chunk), memory_bytes))
        return false;
    if (completes && !nodes_reserve(lane, index / LANE_BLOCK + 1, memory_bytes))
        return false;
    struct lane_block *blocks = lane_chunk_whole(lane_chunk_at(lane, place.chunk));
    struct lane_block *block = &blocks[place.block];
    int64_t since_ns = event == 0 ? 0 : start_ns - block->start_ns;
    if ((since_ns >= UINT32_MAX || duration_ns >= UINT32_MAX) &&
        !(row = row_next(&lane->longs, sizeof *row, 2, memory_bytes)))
        return false;
    if (!lane_times_add(lane, index, start_ns,
                        memory_bytes)) /* the last step that can fail: it cannot be undone */
        return false;
    if (row) {
        *row = (struct lane_long){.index = index, .start_ns = start_ns, .duration_ns = duration_ns};
        table_publish(lane_longs(lane));
    }
    if (event == 0) {
        block->start_ns = start_ns;
        block->busy_ns = lane->busy_ns;
    }
    block->starts_ns[event] = lane_fitting(since_ns);
    block->durations_ns[event] = lane_fitting(duration_ns);
    lane_chunk_items(blocks, place.chunk)[place.block * LANE_BLOCK + event] = *item;
    lane->last_end_ns = end_ns;
    lane->busy_ns += duration_ns;
    if (completes)
        nodes_add(lane, block, index / LANE_BLOCK + 1);
    atomic_store_explicit(&lane->count, index + 1, memory_order_release);
    return true;
}
