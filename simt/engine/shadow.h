/*
 * State for each byte of a block's shared memory, to find races between two barriers: which lane wrote it
 * last, which lanes read it since, and when. Made only for launches that are checked; owned by one worker.
 *
 * Time is a clock per warp that moves at barriers. An access happened before another if a barrier's opening,
 * or a barrier of the warp, lies between (vector clocks, as in Flanagan and Freund's FastTrack, PLDI 2009).
 * Of the readers since the last write two are kept; lanes of one warp are apart until they meet at
 * bar.warp.sync, as on GPUs since Volta.
 */
#ifndef SIMT_ENGINE_SHADOW_H
#define SIMT_ENGINE_SHADOW_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum shadow_touch {
    SHADOW_READ,
    SHADOW_WRITE,
    SHADOW_WRITE_SAME, /* what is there already: no race with lanes of the same instruction */
    SHADOW_ATOMIC
};

struct shadow;

enum status shadow_create(struct shadow **shadow, uint64_t shared_bytes, struct error *error);
void shadow_destroy(struct shadow *shadow);
/* A new block begins. */
void shadow_begin(struct shadow *shadow);
/* A barrier opens: warps `came` (a bit each) came to it, of which `went` waited for it. */
void shadow_meet(struct shadow *shadow, uint32_t came, uint32_t went);
void shadow_meet_warp(struct shadow *shadow, uint32_t warp);

struct shadow_race {
    uint32_t thread; /* of the block, who touched it before */
    bool write;
};
/* Thread `thread` touches a byte in an instruction with this serial number; true: a race, with the access in
 * *race. */
bool shadow_touch(struct shadow *shadow, uint64_t address, uint32_t thread, enum shadow_touch touch,
                  uint64_t serial, struct shadow_race *race);

#endif
