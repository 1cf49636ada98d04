/*
 * State for each byte of a block's shared memory, to find races between two barriers: which lane wrote it
 * last, which lanes have read it since, and when. Created only for checked launches; owned by one worker.
 *
 * Time is a clock per warp that advances at barriers. An access happened before another if a barrier of the
 * block, or a barrier of the warp, lies between them (vector clocks, as in Flanagan and Freund's FastTrack,
 * PLDI 2009). Two readers since the last write are kept. Lanes of one warp are not ordered until they meet at
 * bar.warp.sync, as on GPUs since Volta.
 */
#ifndef SIMT_MEMORY_SHADOW_H
#define SIMT_MEMORY_SHADOW_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum shadow_touch {
    SHADOW_READ,
    SHADOW_WRITE,
    SHADOW_WRITE_SAME, /* writes the value that is already there: no race within the instruction */
    SHADOW_ATOMIC
};

struct shadow;

enum status shadow_create(struct shadow **shadow, uint64_t shared_bytes, struct error *error);
void shadow_destroy(struct shadow *shadow);
/* Begins a new block. */
void shadow_begin(struct shadow *shadow);
/* A barrier opens: warps `came` (one bit each) have arrived, of which `went` have waited. */
void shadow_meet(struct shadow *shadow, uint32_t came, uint32_t went);
/* A warp arrives at a barrier in memory with this key; another one comes after all that have. */
void shadow_release(struct shadow *shadow, uint32_t warp, uint64_t key);
void shadow_acquire(struct shadow *shadow, uint32_t warp, uint64_t key);
void shadow_meet_warp(struct shadow *shadow, uint32_t warp);

struct shadow_race {
    uint32_t thread; /* of the block: made the earlier access */
    bool write;
};
/* Thread `thread` accesses a byte in an instruction with this serial number. Returns true for a race, with
 * the earlier access in *race. */
bool shadow_touch(struct shadow *shadow, uint64_t address, uint32_t thread, enum shadow_touch touch,
                  uint64_t serial, struct shadow_race *race);

#endif
