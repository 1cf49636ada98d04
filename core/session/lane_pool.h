/*
 * Memory for the full-sized chunks of lanes, in huge pages where the system has them: at ten million events a
 * frame looks at some thousand places of 400 MB, and finding their pages takes longer than reading them.
 * Inside core only; the session's writer.
 */
#ifndef CORE_SESSION_LANE_POOL_H
#define CORE_SESSION_LANE_POOL_H

#include <stddef.h>

#define LANE_POOL_READY 16u /* freed chunks that keep their pages: 1.3 MB beside the session's limit */

struct lane_pool {          /* zeros: empty */
    char *at, *end;         /* of the newest arena */
    void *ready, *released; /* freed chunks, linked through their first words */
    unsigned ready_count;
    void *arenas; /* a list too */
};

/* A chunk of LANE_CHUNK_BLOCKS; NULL: no memory. */
void *lane_pool_take(struct lane_pool *pool);
void lane_pool_give(struct lane_pool *pool, void *chunk);
void lane_pool_fini(struct lane_pool *pool); /* all chunks go */

#endif
