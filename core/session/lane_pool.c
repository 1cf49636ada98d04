/*
 * Arenas that begin at a huge page, cut into chunks; free chunks are linked through their first word, which
 * stays when the pages of a chunk go back to the system.
 */
#include "core/session/lane_pool.h"

#include "core/session/lane.h"

#include <fcntl.h>
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
        if (in_file != NULL)
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
    if (chunk != NULL)
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

void *lane_pool_take(struct lane_pool *pool)
{
    void *chunk = list_pop(&pool->ready);
    if (chunk != NULL) {
        pool->ready_count--;
        return chunk;
    }
    chunk = list_pop(&pool->released);
    if (chunk != NULL) {
        advise_pages(chunk, MADV_HUGEPAGE);
        return chunk;
    }
    if ((size_t)(pool->end - pool->at) < chunk_bytes() && !arena_add(pool))
        return NULL;
    chunk = pool->at;
    pool->at += chunk_bytes();
    return chunk;
}

void lane_pool_give(struct lane_pool *pool, void *chunk)
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
    while (pool->arenas != NULL) {
        void *arena = pool->arenas;
        memcpy(&pool->arenas, arena, sizeof pool->arenas);
        munmap(arena, ARENA_BYTES);
    }
    *pool = (struct lane_pool){0};
}
