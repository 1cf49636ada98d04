/*
 * Memory for the full-sized chunks of lanes, in huge pages where the system has them: at ten million events a
 * frame looks at some thousand places of 400 MB, and finding their pages takes longer than reading them.
 * Inside core only; the session's writer.
 */
#ifndef CORE_SESSION_LANE_POOL_H
#define CORE_SESSION_LANE_POOL_H

#include <stdbool.h>
#include <stddef.h>

#define LANE_POOL_READY 128u /* freed chunks that keep their pages: 11 MB */

struct lane_pool {                       /* zeros: empty, and keeps no pages */
    char *at, *end;                      /* of the newest arena */
    void *ready, *released;              /* freed chunks, linked through their first words */
    unsigned ready_count, ready_most;    /* ready_most: at most LANE_POOL_READY */
    void *arenas;                        /* a list too */
    size_t arena_bytes, in_memory_bytes; /* of all; as many are in memory, further ones in the file */
    int file;
    bool has_file;
};

/* Beyond so many bytes chunks lie in this file, which the caller keeps open: the system writes them to it
 * instead of keeping them. Where the file has no room, in memory. */
void lane_pool_use_file(struct lane_pool *pool, int file, size_t in_memory_bytes);
/* Freed chunks may keep pages of this many bytes. */
void lane_pool_keep(struct lane_pool *pool, size_t bytes);
/* Of freed chunks that keep their pages. */
size_t lane_pool_kept_bytes(const struct lane_pool *pool);
/* A chunk of LANE_CHUNK_BLOCKS; NULL: no memory. */
void *lane_pool_take(struct lane_pool *pool);
void lane_pool_give(struct lane_pool *pool, void *chunk);
void lane_pool_fini(struct lane_pool *pool); /* all chunks go */

#endif
