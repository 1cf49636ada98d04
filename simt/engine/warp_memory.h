/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The common parts of a warp's loads, stores, atomics and copies: addresses, their memory ranges, checks,
 * counts. Used only in simt/engine.
 */
#ifndef SIMT_ENGINE_WARP_MEMORY_H
#define SIMT_ENGINE_WARP_MEMORY_H

#include "simt/engine/worker.h"

/* Begins an access of the lanes `on`, which must not be 0; its addresses are set later. */
static inline void warp_access_begin(struct warp_access *access,
                                     const struct program_instruction *instruction, uint32_t on, bool store)
{
    access->active = on;
    access->width_bytes = instruction->width_bytes;
    access->store = store;
    access->local = false;
    access->l1 = instruction->cache == CACHE_GLOBAL || instruction->cache == CACHE_VOLATILE
                     ? ACCESS_L1_OFF
                     : ACCESS_L1_DEFAULT;
}
/* Sets its addresses, from a slot (PROGRAM_NO_SLOT: the offset alone). */
void warp_addresses(const struct worker *worker, const struct warp *warp, uint32_t slot, int64_t offset,
                    bool is_32_bits, struct warp_access *access);

/* The space of a generic address, and the start of its window. */
enum ptx_space warp_space_of(uint64_t address, uint64_t *base);

/* A generic address, or one of .shared, in shared memory, as an address of .shared::cluster. */
static inline uint64_t warp_shared_address(uint64_t address)
{
    return address - MEMORY_SHARED_WINDOW < MEMORY_CLUSTER_WINDOW_BYTES ? address - MEMORY_SHARED_WINDOW
                                                                        : address;
}

/* Splits an access with generic addresses into accesses to their spaces, with addresses of these spaces. */
struct warp_spaces {
    uint32_t count;
    enum ptx_space space[5];
    struct warp_access access[5];
};
/* False, with nothing filled: all addresses are global. */
bool warp_split_spaces(const struct worker *worker, const struct warp_access *access,
                       struct warp_spaces *spaces);

/* The range of global memory that contains the bytes of all lanes, or NULL. The usual case is a single
 * check. */
const struct memory_range *warp_locate_all(struct worker *worker, uint32_t pc,
                                           const struct warp_access *access, enum warp_reach *reach);
/* The range that contains size_bytes of a lane's access from from_byte on. NULL, with the worker's fault:
 * there is none, or the access is not aligned. For all spaces except local. */
const struct memory_range *warp_locate(struct worker *worker, const struct warp *warp, uint32_t pc,
                                       enum ptx_space space, const struct warp_access *access, uint32_t lane,
                                       uint32_t from_byte, uint32_t size_bytes);
/* Sets the worker's fault; nearest may be NULL. */
void warp_fault_outside(struct worker *worker, const struct warp *warp, uint32_t pc, enum ptx_space space,
                        const struct warp_access *access, uint32_t lane, const struct memory_range *nearest);
/* False: sets the worker's fault. */
bool warp_is_aligned(struct worker *worker, const struct warp *warp, uint32_t pc, enum ptx_space space,
                     const struct warp_access *access, uint32_t lane);

/* Counts an access to a space, and simulates it in the caches. */
void warp_count(struct worker *worker, const struct warp *warp, uint32_t pc, enum ptx_space space,
                const struct warp_access *access);
void warp_count_shape(struct worker *worker, const struct warp *warp, uint32_t pc, enum ptx_space space,
                      const struct warp_access *access, enum access_shape shape);

/* The costly checks, for one lane's bytes of a range, before they are accessed. `new`: the bytes that a store
 * writes; else NULL. WARP_STARTS: an asynchronous copy begins to write, WARP_ARRIVES: it has written; the
 * same of what it reads. */
enum warp_touch {
    WARP_READS,
    WARP_WRITES,
    WARP_UPDATES, /* an atomic */
    WARP_STARTS,
    WARP_ARRIVES,
    WARP_STARTS_READING,
    WARP_HAS_READ,
    WARP_REDUCES /* a copy in bulk that combines, atomically, with what is there */
};
void warp_touch(struct worker *worker, const struct warp *warp, uint32_t pc, enum ptx_space space,
                const struct memory_range *range, uint64_t address, uint32_t size_bytes, uint32_t lane,
                enum warp_touch touch, const uint8_t *new);
/* The check for races alone, of one lane's access. */
void warp_race(struct worker *worker, const struct warp *warp, struct shadow *shadow,
               const struct shadow_now *now);
/* The same as warp_touch for all lanes of a load, or of a store to different addresses, whose bytes lie in
 * the range and are aligned. False: nothing was done, the lanes must be checked one by one. */
bool warp_touch_lanes(struct worker *worker, struct warp *warp, uint32_t pc, enum ptx_space space,
                      const struct memory_range *range, const struct warp_access *access,
                      enum warp_reach reach);
/* Returns whether all these bytes are initialised. */
bool warp_is_written(const uint8_t *bits, uint64_t from, uint32_t size_bytes);
/* A lane has loaded, or is about to store, element k of an access in this range: follows undefined bytes. */
void warp_follow(struct worker *worker, struct warp *warp, uint32_t pc, enum ptx_space space,
                 const struct memory_range *range, uint64_t address, uint32_t lane, uint32_t k, bool store);
/* Moves a function's parameters in the frame; warp_undefined does it with the frame of bits. */
void warp_move_area(uint8_t *frame, const struct program_instruction *instruction, uint32_t on, bool store);

/* One word of 4 or 8 bytes, of the same size in the register, for each of all lanes. */
static inline bool warp_is_usual(const struct program_instruction *instruction, uint32_t on)
{
    return on == WARP_ALL_LANES && instruction->vector == 1 &&
           instruction->destination_bytes == instruction->width_bytes &&
           (instruction->width_bytes == 4 || instruction->width_bytes == 8);
}
/* Counts such an access, which has been made: to a row from `first` on, or to one address. */
void warp_count_usual(struct worker *worker, const struct warp *warp, uint32_t pc, enum warp_reach reach,
                      uint64_t first, bool store);

/* simt/engine/warp_atomic.c: the reduction of one element, which is atomic between workers in global memory.
 */
void warp_atomic_combine(const struct worker *worker, bool global, enum program_atomic op, enum ptx_type type,
                         uint8_t *place, uint64_t operand);

/* Local memory: word j of lane l lies at 128 * j + 4 * l of its
 * warp's memory, as on a GPU, so that accesses of 32 lanes to the same local address form one row. */
static inline uint64_t warp_local_place(uint64_t address, uint32_t lane)
{
    return address / 4 * 128 + lane * UINT64_C(4) + address % 4;
}

/* simt/engine/warp_element.c: moves element k of the lanes `active` from base + address[lane] into its slot,
 * or back. */
void warp_load_element(const struct program_instruction *instruction, uint8_t *frame, uint32_t k,
                       uintptr_t base, const uint64_t address[32], uint32_t active);
void warp_store_element(const struct program_instruction *instruction, const uint8_t *frame, uint32_t k,
                        uintptr_t base, const uint64_t address[32], uint32_t active);
/* Size of one element in memory. */
static inline uint32_t warp_element_bytes(const struct program_instruction *instruction)
{
    return (uint32_t)instruction->width_bytes >> (instruction->vector >> 1); /* of 1, 2 or 4 elements */
}

#endif
