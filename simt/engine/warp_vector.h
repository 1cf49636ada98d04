/*
 * The loops over a warp's 32 addresses, which every memory instruction uses. Compiled for several vector
 * widths like the functions of simt/lanes/lanes (simt/CMakeLists.txt); warp_vector_choose selects the build
 * to run.
 */
#ifndef SIMT_ENGINE_WARP_VECTOR_H
#define SIMT_ENGINE_WARP_VECTOR_H

#include "core/hardware/access.h"
#include "simt/memory/memory.h"

/* The layout of 32 addresses in a range. */
enum warp_reach {
    WARP_OUTSIDE, /* not all inside, or not all aligned */
    WARP_INSIDE,
    WARP_SAME, /* all lanes use one address */
    WARP_ROW /* each active lane's bytes are where they are if each lane's follow those of the lane before */
};

struct program_instruction;

struct warp_vector {
    /* A load or a store of the lanes `on` in a range, from a slot with 32 addresses: checks them and moves
     * the data. access: gets the addresses, as by add_32 and add_64, except for WARP_OUTSIDE; NULL: not
     * wanted. WARP_OUTSIDE: nothing was done, because a lane is outside or not aligned, or because the form
     * of the instruction is a rare one. */
    enum warp_reach (*load)(const struct program_instruction *instruction, uint8_t *frame,
                            const struct memory_range *range, uint32_t on, struct warp_access *access);
    enum warp_reach (*store)(const struct program_instruction *instruction, uint8_t *frame,
                             const struct memory_range *range, uint32_t on, struct warp_access *access);
    /* Fill access->address from 32 bases and an offset. access->active is set, not 0; inactive lanes get the
     * address of an active one. add_32 wraps at 32 bits. */
    void (*add_32)(struct warp_access *access, const uint32_t *base, int64_t offset);
    void (*add_64)(struct warp_access *access, const uint64_t *base, int64_t offset);
    enum warp_reach (*reach)(const struct memory_range *range, const struct warp_access *access);
    /* Is each lane active, and its 32-byte sector above that of the lane before? */
    bool (*apart)(const struct warp_access *access);
    /* Write one value to the active lanes. */
    void (*spread_32)(uint32_t *to, uint32_t value, uint32_t active);
    void (*spread_64)(uint64_t *to, uint64_t value, uint32_t active);
    /* Copy the words of the active lanes from one row to another. */
    void (*copy_32)(uint32_t *to, const uint32_t *from, uint32_t active);
};

const struct warp_vector *warp_vector_choose(void);

#endif
