/*
 * Arenas that begin at a huge page, cut into chunks; free chunks are linked through their first word, which
 * stays when the pages of a chunk go back to the system.
 */
#include "core/session/lane_pool.h"

#include "core/session/lane.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_BYTES ((size_t)2 << 20)
#define ARENA_BYTES (2 * HUGE_BYTES)
#define LINE_BYTES ((size_t)64)

static size_t chunk_bytes(void)
{
    return (lane_chunk_bytes(LANE_CHUNK_BLOCKS) + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
}

/* An arena starts at a huge page; its first cache line links it to the others. */
static bool arena_add(struct lane_pool *pool)
{
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
    memcpy(arena, &pool->arenas, sizeof pool->arenas);
    pool->arenas = arena;
    pool->at = arena + LINE_BYTES;
    pool->end = arena + ARENA_BYTES;
    return true;
}

static void list_push(void **list, void *chunk)
{
    memcpy(chunk, list, sizeof *list);
    *list = chunk;
}

static void *list_pop(void **list)
{
    void *chunk = *list;
    if (chunk != NULL)
        memcpy(list, chunk, sizeof *list);
    return chunk;
}

void *lane_pool_take(struct lane_pool *pool)
{
    void *chunk = list_pop(&pool->ready);
    if (chunk != NULL) {
        pool->ready_count--;
        return chunk;
    }
    chunk = list_pop(&pool->released);
    if (chunk != NULL)
        return chunk;
    if ((size_t)(pool->end - pool->at) < chunk_bytes() && !arena_add(pool))
        return NULL;
    chunk = pool->at;
    pool->at += chunk_bytes();
    return chunk;
}

/* Returns the chunk's whole pages to the system, except the one with its first word. */
static void release_pages(char *chunk)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = ((uintptr_t)chunk + sizeof(void *) + page - 1) / page * page;
    uintptr_t end = ((uintptr_t)chunk + chunk_bytes()) / page * page;
    if (end > first)
        madvise((char *)chunk + (first - (uintptr_t)chunk), end - first, MADV_DONTNEED);
}

void lane_pool_give(struct lane_pool *pool, void *chunk)
{
    if (pool->ready_count < LANE_POOL_READY) {
        list_push(&pool->ready, chunk);
        pool->ready_count++;
        return;
    }
    release_pages(chunk);
    list_push(&pool->released, chunk);
}

void lane_pool_fini(struct lane_pool *pool)
{
    while (pool->arenas != NULL) {
        void *arena = pool->arenas;
        memcpy(&pool->arenas, arena, sizeof pool->arenas);
        munmap(arena, ARENA_BYTES);
    }
    *pool = (struct lane_pool){0};
}
