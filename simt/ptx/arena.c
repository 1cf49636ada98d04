/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks of at least ARENA_CHUNK_BYTES. Memory is taken from the newest chunk; if it does not fit, another
 * chunk is allocated. */
#include "simt/ptx/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_CHUNK_BYTES (64u << 10)

struct arena_chunk {
    struct arena_chunk *next;
    max_align_t bytes[];
};

void *arena_alloc(struct arena *arena, size_t count, size_t size_bytes)
{
    size_t wanted;
    if (__builtin_mul_overflow(count, size_bytes, &wanted) || wanted > SIZE_MAX / 2)
        return NULL;
    wanted = (wanted + _Alignof(max_align_t) - 1) & ~(_Alignof(max_align_t) - 1);
    if (arena->room - arena->used < wanted || !arena->chunks) {
        size_t room = wanted > ARENA_CHUNK_BYTES ? wanted : ARENA_CHUNK_BYTES;
        struct arena_chunk *chunk = calloc(1, sizeof *chunk + room);
        if (!chunk)
            return NULL;
        chunk->next = arena->chunks;
        arena->chunks = chunk;
        arena->room = room;
        arena->used = 0;
    }
    uint8_t *given = (uint8_t *)arena->chunks->bytes + arena->used;
    arena->used += wanted;
    return given;
}

char *arena_text(struct arena *arena, const char *text, size_t size_bytes)
{
    char *copy = size_bytes < SIZE_MAX ? arena_alloc(arena, size_bytes + 1, 1) : NULL;
    if (copy && size_bytes)
        memcpy(copy, text, size_bytes);
    return copy;
}

void arena_fini(struct arena *arena)
{
    for (struct arena_chunk *chunk = arena->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    *arena = (struct arena){0};
}
