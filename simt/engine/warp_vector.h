/*
 * The loops over a warp's 32 addresses that every memory instruction goes through. Compiled for several
 * widths of vectors as simt/lanes/lanes' functions are (simt/CMakeLists.txt); warp_vector_choose says which
 * build runs here.
 */
#ifndef SIMT_ENGINE_WARP_VECTOR_H
#define SIMT_ENGINE_WARP_VECTOR_H

#include "core/hardware/access.h"
#include "simt/engine/memory.h"

/* How 32 addresses lie in a range. */
enum warp_reach {
    WARP_OUTSIDE, /* not all inside, or not all aligned */
    WARP_INSIDE,
    WARP_SAME, /* all lanes one address */
    WARP_ROW   /* each lane's bytes behind those of the lane before */
};

struct warp_vector {
    /* Fill access->address from 32 bases and an offset. access->active is set, not 0; lanes that are off take
     * the address of one that is on. add_32 wraps at 32 bits. */
    void (*add_32)(struct warp_access *access, const uint32_t *base, int64_t offset);
    void (*add_64)(struct warp_access *access, const uint64_t *base, int64_t offset);
    enum warp_reach (*reach)(const struct memory_range *range, const struct warp_access *access);
    /* One value to the active lanes. */
    void (*spread_32)(uint32_t *to, uint32_t value, uint32_t active);
    void (*spread_64)(uint64_t *to, uint64_t value, uint32_t active);
    /* The active lanes' words, from one row to another. */
    void (*copy_32)(uint32_t *to, const uint32_t *from, uint32_t active);
};

const struct warp_vector *warp_vector_choose(void);

#endif
