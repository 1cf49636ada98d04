/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that is freed all at once: allocations from an arena live until arena_fini. They are zeroed and
 * aligned for any type. One thread.
 */
#ifndef SIMT_PTX_ARENA_H
#define SIMT_PTX_ARENA_H

#include <stddef.h>

struct arena_chunk;

struct arena {
    struct arena_chunk *chunks; /* newest first; a zeroed arena is empty */
    size_t used, room;          /* of the newest chunk */
};

/* NULL: out of memory, or count * size_bytes overflows. */
void *arena_alloc(struct arena *arena, size_t count, size_t size_bytes);
/* Copies a text and appends a zero byte. NULL: out of memory. */
char *arena_text(struct arena *arena, const char *text, size_t size_bytes);
void arena_fini(struct arena *arena);

#endif
