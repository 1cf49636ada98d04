/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads, stores and prefetches. If the bytes of all lanes lie in one range (nearly always that of the
 * instruction's last access), data are moved by one copy, one broadcast or a loop without branches.
 * Otherwise, and in a checked launch, accesses are executed lane by lane.
 */
#include "simt/engine/warp_memory.h"
#include "simt/engine/handoff.h"

#include "core/base/array.h"
#include "core/base/machine.h"
#include "simt/engine/warp_undefined.h"
#include "simt/lanes/matrix.h"

#include <stdlib.h>
#include <string.h>

/* ---- local memory ---- */

/* Local memory, in the layout of warp_local_place. Counts and caches use these addresses. */

#define WORD_BYTES 4u
#define LOCAL_ROW_BYTES 128u

/* Returns whether the lane's access is inside the thread's memory, and aligned. */
static bool local_holds(struct worker *worker, const struct warp *warp, uint32_t pc,
                        const struct warp_access *access, uint32_t lane)
{
    uint64_t size_bytes = worker->run->local_bytes, address = access->address[lane];
    if (address >= size_bytes || size_bytes - address < access->width_bytes) {
        struct memory_range own = {.size_bytes = size_bytes};
        warp_fault_outside(worker, warp, pc, PTX_LOCAL, access, lane, &own);
        return false;
    }
    return warp_is_aligned(worker, warp, pc, PTX_LOCAL, access, lane);
}

/* All lanes access whole words at the same address: rows. */
static bool local_is_rows(const struct worker *worker, const struct program_instruction *instruction,
                          const struct warp_access *access)
{
    uint64_t spread = 0;
    for (int lane = 0; lane < WARP_LANES; lane++)
        spread |= access->address[lane] ^ access->address[0];
    return spread == 0 && warp_element_bytes(instruction) == WORD_BYTES &&
           instruction->destination_bytes != 8 && !worker->run->check;
}

static void local_count(struct worker *worker, const struct warp *warp, uint32_t pc,
                        struct warp_access *access)
{
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        access->address[lane] = warp->local_address + warp_local_place(access->address[lane], lane);
    access->local = true;
    warp_count(worker, warp, pc, PTX_LOCAL, access);
}

/* Copies element k of a lane's access, in pieces of at most a word. */
static void local_copy(const struct warp *warp, const struct warp_access *access, uint32_t lane,
                       uint32_t from_byte, uint8_t *bytes, uint32_t size_bytes)
{
    for (uint32_t at = 0; at < size_bytes; at += WORD_BYTES) {
        uint32_t piece = size_bytes - at < WORD_BYTES ? size_bytes - at : WORD_BYTES;
        uint8_t *place = warp->local + warp_local_place(access->address[lane] + from_byte + at, lane);
        if (access->store)
            memcpy(place, bytes + at, piece);
        else
            memcpy(bytes + at, place, piece);
    }
}

/* Follows undefined bytes of element k, whose bits are not in a row. */
static void local_check(struct worker *worker, struct warp *warp, uint32_t pc,
                        const struct warp_access *access, uint32_t lane, uint32_t k, uint32_t size_bytes)
{
    uint8_t bits[2] = {0};
    uint64_t address = access->address[lane] + (uint64_t)k * size_bytes;
    uint32_t thread = warp->index * WARP_LANES + lane;
    const struct undefined_element element = {
        .space = PTX_LOCAL,
        .bits = bits,
        .address = address,
        .key = undefined_key(PTX_LOCAL, worker->block.number, thread, address),
        .size_bytes = size_bytes,
        .lane = lane,
        .k = k};
    for (uint32_t i = 0; i < size_bytes; i++) {
        uint64_t place = warp_local_place(address + i, lane);
        uint32_t written = access->store ? 1 : warp->local_written[place / 8] >> place % 8 & 1;
        bits[i / 8] |= (uint8_t)(written << i % 8);
    }
    if (!access->store) {
        if (warp_is_written(bits, 0, size_bytes))
            worker->defined[pc] |= (uint8_t)(1u << k);
        else
            undefined_load(worker, warp, pc, &element);
        return;
    }
    if (warp->undefined.slots)
        undefined_store(worker, warp, pc, &element);
    for (uint32_t i = 0; i < size_bytes; i++) {
        uint64_t place = warp_local_place(address + i, lane);
        uint8_t bit = (uint8_t)(1u << place % 8), *to = &warp->local_written[place / 8];
        *to = (uint8_t)(bits[i / 8] >> i % 8 & 1 ? *to | bit : *to & ~bit);
    }
}

static bool local_move(struct worker *worker, struct warp *warp, uint32_t pc, struct warp_access *access)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    uint32_t size_bytes = warp_element_bytes(instruction);
    for (uint32_t left = access->active; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (!local_holds(worker, warp, pc, access, lane))
            return false;
        for (uint32_t k = 0; k < instruction->vector; k++) {
            uint64_t element[2];
            uintptr_t base = (uintptr_t)element - (uintptr_t)k * size_bytes - access->address[lane];
            if (access->store) {
                warp_store_element(instruction, warp->frame, k, base, access->address, 1u << lane);
                local_copy(warp, access, lane, k * size_bytes, (uint8_t *)element, size_bytes);
            } else if (instruction->destination[k] != PROGRAM_NO_SLOT) {
                local_copy(warp, access, lane, k * size_bytes, (uint8_t *)element, size_bytes);
                warp_load_element(instruction, warp->frame, k, base, access->address, 1u << lane);
            }
            if (worker->run->check)
                local_check(worker, warp, pc, access, lane, k, size_bytes);
        }
    }
    local_count(worker, warp, pc, access);
    return true;
}

static bool warp_load_local(struct worker *worker, struct warp *warp, uint32_t pc, struct warp_access *access)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    if (!local_is_rows(worker, instruction, access))
        return local_move(worker, warp, pc, access);
    if (!local_holds(worker, warp, pc, access, (uint32_t)__builtin_ctz(access->active)))
        return false;
    const uint8_t *row = warp->local + access->address[0] / WORD_BYTES * LOCAL_ROW_BYTES;
    for (uint32_t k = 0; k < instruction->vector; k++, row += LOCAL_ROW_BYTES) {
        if (instruction->destination[k] != PROGRAM_NO_SLOT) {
            worker->vector->copy_32((uint32_t *)(void *)(warp->frame + instruction->destination[k]),
                                    (const uint32_t *)(const void *)row, access->active);
        }
    }
    local_count(worker, warp, pc, access);
    return true;
}

static bool warp_store_local(struct worker *worker, struct warp *warp, uint32_t pc,
                             struct warp_access *access)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    if (!local_is_rows(worker, instruction, access))
        return local_move(worker, warp, pc, access);
    if (!local_holds(worker, warp, pc, access, (uint32_t)__builtin_ctz(access->active)))
        return false;
    uint8_t *row = warp->local + access->address[0] / WORD_BYTES * LOCAL_ROW_BYTES;
    for (uint32_t k = 0; k < instruction->vector; k++, row += LOCAL_ROW_BYTES) {
        worker->vector->copy_32((uint32_t *)(void *)row,
                                (const uint32_t *)(const void *)(warp->frame + instruction->source[1 + k]),
                                access->active);
    }
    local_count(worker, warp, pc, access);
    return true;
}

/* ---- loads, stores, prefetches ---- */

#define VECTOR_BYTES_MAX 64 /* .v8.b64 */

static uintptr_t range_base(const struct memory_range *range)
{
    return (uintptr_t)range->bytes - range->address;
}

/* One word per lane, of the same size in the slot as in memory. */
static bool is_plain(const struct program_instruction *instruction)
{
    uint32_t slot_bytes = instruction->destination_bytes == 8 ? 8 : 4;
    return instruction->vector == 1 && instruction->width_bytes == slot_bytes;
}

static void load_same(const struct worker *worker, const struct program_instruction *instruction,
                      uint8_t *frame, uint32_t k, uintptr_t base, const struct warp_access *access)
{
    uint32_t first = (uint32_t)__builtin_ctz(access->active);
    warp_load_element(instruction, frame, k, base, access->address, 1u << first);
    void *slot = frame + instruction->destination[k];
    if (warp_element_bytes(instruction) == 8 || instruction->destination_bytes == 8)
        worker->vector->spread_64(slot, ((uint64_t *)slot)[first], access->active);
    else
        worker->vector->spread_32(slot, ((uint32_t *)slot)[first], access->active);
}

static void load_data(const struct worker *worker, const struct program_instruction *instruction,
                      uint8_t *frame, const struct memory_range *range, const struct warp_access *access,
                      enum warp_reach reach)
{
    uintptr_t base = range_base(range);
    if (reach == WARP_ROW && access->active == WARP_ALL_LANES && is_plain(instruction) &&
        instruction->destination[0] != PROGRAM_NO_SLOT) {
        memcpy(frame + instruction->destination[0], (const void *)(base + access->address[0]),
               (size_t)WARP_LANES * instruction->width_bytes);
        return;
    }
    for (uint32_t k = 0; k < instruction->vector; k++) {
        if (instruction->destination[k] == PROGRAM_NO_SLOT)
            continue;
        if (reach == WARP_SAME && warp_element_bytes(instruction) < 16)
            load_same(worker, instruction, frame, k, base, access);
        else
            warp_load_element(instruction, frame, k, base, access->address, access->active);
    }
}

static void store_data(const struct program_instruction *instruction, const uint8_t *frame,
                       const struct memory_range *range, const struct warp_access *access,
                       enum warp_reach reach)
{
    uintptr_t base = range_base(range);
    if (reach == WARP_ROW && access->active == WARP_ALL_LANES && is_plain(instruction)) {
        memcpy((void *)(base + access->address[0]), frame + instruction->source[1],
               (size_t)WARP_LANES * instruction->width_bytes);
        return;
    }
    for (uint32_t k = 0; k < instruction->vector; k++)
        warp_store_element(instruction, frame, k, base, access->address, access->active);
}

/* ---- lane by lane ---- */
/*
 * For strong accesses, which other workers may make at the same time: never torn. A vector of up to 16 bytes
 * moves as one, as on every GPU: CUB keeps a value and its flag in one vector and polls the flag.
 */
static void copy_shared_by_threads(uint8_t *to, const uint8_t *from, uint32_t size_bytes, bool to_device)
{
    switch (size_bytes) {
#define COPY(bytes, type)                                                                \
    case bytes: {                                                                        \
        type value;                                                                      \
        if (to_device) {                                                                 \
            memcpy(&value, from, sizeof value);                                          \
            __atomic_store_n((type *)(void *)to, value, __ATOMIC_RELEASE);               \
        } else {                                                                         \
            value = __atomic_load_n((const type *)(const void *)from, __ATOMIC_ACQUIRE); \
            memcpy(to, &value, sizeof value);                                            \
        }                                                                                \
        break;                                                                           \
    }
        COPY(1, uint8_t)
        COPY(2, uint16_t)
        COPY(4, uint32_t)
        COPY(8, uint64_t)
#undef COPY
    case 16: {
        machine_pair value;
        if (to_device) {
            memcpy(&value, from, sizeof value);
            machine_store_pair(to, value);
        } else {
            value = machine_load_pair(from);
            memcpy(to, &value, sizeof value);
        }
        break;
    }
    default: memcpy(to, from, size_bytes); break;
    }
}

static bool load_lane(struct worker *worker, struct warp *warp, uint32_t pc, enum ptx_space space,
                      const struct warp_access *access, uint32_t lane)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    uint32_t size_bytes = warp_element_bytes(instruction);
    uint8_t elements[VECTOR_BYTES_MAX];
    const struct memory_range *range =
        warp_locate(worker, warp, pc, space, access, lane, 0, access->width_bytes);
    if (!range)
        return false;
    const uint8_t *from = range->bytes + (access->address[lane] - range->address);
    copy_shared_by_threads(elements, from, access->width_bytes, false);
    for (uint32_t k = 0; k < instruction->vector; k++) {
        uint64_t address = access->address[lane] + (uint64_t)k * size_bytes;
        if (instruction->destination[k] == PROGRAM_NO_SLOT)
            continue;
        if (worker->run->check) {
            warp_touch(worker, warp, pc, space, range, address, size_bytes, lane, WARP_READS, NULL);
            warp_follow(worker, warp, pc, space, range, address, lane, k, false);
        }
        warp_load_element(instruction, warp->frame, k, (uintptr_t)elements - access->address[lane],
                          access->address, 1u << lane);
    }
    return true;
}

static bool store_lane(struct worker *worker, struct warp *warp, uint32_t pc, enum ptx_space space,
                       const struct warp_access *access, uint32_t lane)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    uint32_t size_bytes = warp_element_bytes(instruction);
    const struct memory_range *range =
        warp_locate(worker, warp, pc, space, access, lane, 0, access->width_bytes);
    if (!range)
        return false;
    uint8_t elements[VECTOR_BYTES_MAX], *to = range->bytes + (access->address[lane] - range->address);
    for (uint32_t k = 0; k < instruction->vector; k++) {
        uint64_t address = access->address[lane] + (uint64_t)k * size_bytes;
        warp_store_element(instruction, warp->frame, k, (uintptr_t)elements - access->address[lane],
                           access->address, 1u << lane);
        if (worker->run->check) {
            warp_touch(worker, warp, pc, space, range, address, size_bytes, lane, WARP_WRITES,
                       elements + (size_t)k * size_bytes);
            if (warp->undefined.slots)
                warp_follow(worker, warp, pc, space, range, address, lane, k, true);
        }
    }
    copy_shared_by_threads(to, elements, access->width_bytes, true);
    return true;
}

static bool move_lanes(struct worker *worker, struct warp *warp, uint32_t pc, enum ptx_space space,
                       const struct warp_access *access)
{
    for (uint32_t left = access->active; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (access->store ? !store_lane(worker, warp, pc, space, access, lane)
                          : !load_lane(worker, warp, pc, space, access, lane))
            return false;
    }
    return true;
}

/* ---- an access to one space ---- */
/* The costly checks of all lanes at once. False: they must be made lane by lane. */
static bool check_lanes(struct worker *worker, struct warp *warp, uint32_t pc, enum ptx_space space,
                        const struct memory_range *range, const struct warp_access *access,
                        enum warp_reach reach)
{
    if (space == PTX_PARAM || space == PTX_CONST)
        return true;
    if (access->store && undefined_stores(warp, &worker->run->program->instructions[pc]))
        return false;
    if (access->store && reach != WARP_ROW && !worker->vector->distinct(access))
        return false;
    return warp_touch_lanes(worker, warp, pc, space, range, access, reach);
}

static enum access_shape shape_of(const struct worker *worker, enum ptx_space space,
                                  const struct warp_access *access, enum warp_reach reach)
{
    return access->active != WARP_ALL_LANES                       ? ACCESS_ANY
           : reach == WARP_SAME                                   ? ACCESS_SAME
           : reach == WARP_ROW                                    ? ACCESS_ROW
           : space == PTX_GLOBAL && worker->vector->apart(access) ? ACCESS_APART
                                                                  : ACCESS_ANY;
}

static bool move_in_space(struct worker *worker, struct warp *warp, uint32_t pc, enum ptx_space space,
                          struct warp_access *access)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    const struct memory_range *range = NULL;
    enum warp_reach reach = WARP_OUTSIDE;
    switch (space) {
    case PTX_LOCAL:
        return access->store ? warp_store_local(worker, warp, pc, access)
                             : warp_load_local(worker, warp, pc, access);
    case PTX_SHARED: range = &worker->block.shared; break;
    case PTX_CONST: range = &worker->run->constants; break;
    case PTX_PARAM: range = &worker->run->parameters; break;
    default: range = warp_locate_all(worker, pc, access, &reach); break;
    }
    if (range && reach == WARP_OUTSIDE)
        reach = worker->vector->reach(range, access);
    bool together = instruction->strong && space == PTX_GLOBAL && !worker->run->alone;
    bool one_by_one = reach == WARP_OUTSIDE || together ||
                      (worker->run->check && !check_lanes(worker, warp, pc, space, range, access, reach));
    if (one_by_one) {
        if (!move_lanes(worker, warp, pc, space, access))
            return false;
    } else if (access->store) {
        store_data(instruction, warp->frame, range, access, reach);
    } else {
        load_data(worker, instruction, warp->frame, range, access, reach);
    }
    if (space != PTX_PARAM)
        warp_count_shape(worker, warp, pc, space, access, shape_of(worker, space, access, reach));
    return true;
}

static bool warp_move(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on, bool store)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    struct warp_access access;
    struct warp_spaces spaces;
    warp_access_begin(&access, instruction, on, store);
    warp_addresses(worker, warp, instruction->source[0], instruction->offset, instruction->address_is_32_bits,
                   &access);
    if (instruction->space != PTX_GENERIC)
        return move_in_space(worker, warp, pc, (enum ptx_space)instruction->space, &access);
    if (!warp_split_spaces(worker, &access, &spaces))
        return move_in_space(worker, warp, pc, PTX_GLOBAL, &access);
    for (uint32_t i = 0; i < spaces.count; i++)
        if (!move_in_space(worker, warp, pc, spaces.space[i], &spaces.access[i]))
            return false;
    return true;
}

/* Parameters of a device function are in the frame, one lane's after the other's. */
void warp_move_area(uint8_t *frame, const struct program_instruction *instruction, uint32_t on, bool store)
{
    uintptr_t base = (uintptr_t)frame + instruction->immediate;
    uint64_t address[WARP_LANES];
    for (uint64_t lane = 0; lane < WARP_LANES; lane++)
        address[lane] = lane * (uint64_t)instruction->offset2 + (uint64_t)instruction->offset;
    for (uint32_t k = 0; k < instruction->vector; k++)
        if (store)
            warp_store_element(instruction, frame, k, base, address, on);
        else if (instruction->destination[k] != PROGRAM_NO_SLOT)
            warp_load_element(instruction, frame, k, base, address, on);
}

static void warp_move_parameters(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on,
                                 bool store)
{
    warp_move_area(warp->frame, &worker->run->program->instructions[pc], on, store);
    if (warp->undefined.slots)
        undefined_parameters(worker, warp, pc, on, store);
}

static bool is_of_function(const struct program_instruction *instruction)
{
    return instruction->space == PTX_PARAM && instruction->immediate != PROGRAM_NO_SLOT;
}

/* The range that the lanes' bytes most likely lie in; NULL: none, or the instruction's lanes are not moved at
 * once. */
static inline const struct memory_range *range_at_once(const struct worker *worker, uint32_t pc)
{
    const struct run *const run = worker->run;
    const struct program_instruction *const instruction = &run->program->instructions[pc];
    switch ((enum ptx_space)instruction->space) {
    case PTX_SHARED: return &worker->block.shared;
    case PTX_CONST: return &run->constants;
    case PTX_PARAM: return is_of_function(instruction) ? NULL : &run->parameters;
    case PTX_LOCAL: return NULL;
    default: return instruction->strong && !run->alone ? NULL : worker->last_range[pc];
    }
}

/* Moves the data of an access and counts and checks it. A store is not checked: what it overwrites is needed
 * for that. */
static __attribute__((noinline)) bool move_counted(struct worker *worker, struct warp *warp, uint32_t pc,
                                                   uint32_t on, bool store, const struct memory_range *range)
{
    const struct program_instruction *const instruction = &worker->run->program->instructions[pc];
    struct warp_access access;
    enum warp_reach reach = store ? worker->vector->store(instruction, warp->frame, range, on, &access)
                                  : worker->vector->load(instruction, warp->frame, range, on, &access);
    if (reach == WARP_OUTSIDE)
        return false;
    bool global = instruction->space != PTX_SHARED && instruction->space != PTX_CONST;
    enum ptx_space space = global ? PTX_GLOBAL : (enum ptx_space)instruction->space;
    warp_access_begin(&access, instruction, on, store);
    /* Lane by lane it is loaded once more: from its addresses, since it may have overwritten their register.
     */
    if (worker->run->check && !check_lanes(worker, warp, pc, space, range, &access, reach) &&
        !move_lanes(worker, warp, pc, space, &access))
        return false;
    warp_count_shape(worker, warp, pc, space, &access, shape_of(worker, space, &access, reach));
    return true;
}

/* The usual case: the lanes' bytes lie in one range, that of the instruction's last access. False: nothing
 * was done. */
static inline bool warp_move_at_once(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on,
                                     bool store)
{
    const struct program_instruction *const instruction = &worker->run->program->instructions[pc];
    const struct run *const run = worker->run;
    const struct memory_range *const range = store && run->check ? NULL : range_at_once(worker, pc);
    if (!range)
        return false;
    if ((!run->uncounted || run->check) && instruction->space != PTX_PARAM)
        return move_counted(worker, warp, pc, on, store, range);
    return (store ? worker->vector->store(instruction, warp->frame, range, on, NULL)
                  : worker->vector->load(instruction, warp->frame, range, on, NULL)) != WARP_OUTSIDE;
}

/* The usual form of it, which most are, by its layout. False: nothing was done. */
static inline __attribute__((always_inline)) bool warp_move_usual(struct worker *worker, struct warp *warp,
                                                                  uint32_t pc, uint32_t on, const bool store)
{
    const struct run *const run = worker->run;
    const struct program_instruction *const instruction = &run->program->instructions[pc];
    uint64_t first;
    if (!run->usual || !warp_is_usual(instruction, on) ||
        (!run->uncounted && (instruction->space == PTX_GENERIC || instruction->rewrite > REWRITE_FOLDED)))
        return false;
    const struct memory_range *const range = range_at_once(worker, pc);
    if (!range)
        return false;
    const enum warp_reach reach = store ? worker->vector->store_usual(instruction, warp->frame, range, &first)
                                        : worker->vector->load_usual(instruction, warp->frame, range, &first);
    if (reach == WARP_OUTSIDE)
        return false;
    if (!run->uncounted)
        warp_count_usual(worker, warp, pc, reach, first, store);
    return true;
}

/* All others. */
static __attribute__((noinline)) bool warp_move_other(struct worker *worker, struct warp *warp, uint32_t pc,
                                                      uint32_t on, bool store)
{
    if (is_of_function(&worker->run->program->instructions[pc])) {
        warp_move_parameters(worker, warp, pc, on, store);
        return true;
    }
    return warp_move_at_once(worker, warp, pc, on, store) || warp_move(worker, warp, pc, on, store);
}

bool warp_load(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    if (instruction->strong) {
        warp->polls++;
        if (worker->run->handoffs)
            handoff_access(worker, instruction, warp, on, false);
    }
    return warp_move_usual(worker, warp, pc, on, false) || warp_move_other(worker, warp, pc, on, false);
}

bool warp_store(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    if (!is_of_function(instruction)) {
        warp->polls = warp->yields = 0;
        worker->block.changes++;
    }
    if (instruction->strong && worker->run->handoffs)
        handoff_access(worker, instruction, warp, on, true);
    return warp_move_usual(worker, warp, pc, on, true) || warp_move_other(worker, warp, pc, on, true);
}

bool warp_prefetch(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    struct warp_access access;
    warp_access_begin(&access, instruction, on, false);
    access.width_bytes = 1;
    warp_addresses(worker, warp, instruction->source[0], instruction->offset, instruction->address_is_32_bits,
                   &access);
    /* A prefetch is a hint: an invalid address is no error, and nothing is fetched for it. */
    for (uint32_t left = on; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (!memory_reach(worker->run->memory, access.address[lane]))
            access.active &= ~(1u << lane);
    }
    if (access.active)
        warp_count(worker, warp, pc, PTX_GLOBAL, &access);
    return true;
}

/* ---- copies that complete later ---- */

/*
 * cp.async: copies from global to shared memory that complete later. Data arrive only when the warp waits for
 * their group, so that a missing wait shows: a read then gets the old data. Each lane counts the groups that
 * it has committed.
 *
 * The source is read when the data arrive; PTX does not say when between the two it is read.
 */

struct warp_copy {
    uint32_t lanes; /* lanes whose data have not arrived */
    uint32_t pc;
    uint32_t width_bytes;
    uint32_t group[WARP_LANES];
    uint64_t to[WARP_LANES]; /* in shared memory */
    const uint8_t *from[WARP_LANES];
    const struct memory_range *source[WARP_LANES]; /* NULL: nothing is read */
    uint8_t from_bytes[WARP_LANES];                /* the rest of the width is filled with zeros */
};

/* Removes completed copies. */
static void copies_trim(struct warp *warp)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < warp->copy_count; i++) {
        if (warp->copies[i].lanes) {
            if (kept != i)
                warp->copies[kept] = warp->copies[i];
            kept++;
        }
    }
    warp->copy_count = kept;
}

static struct warp_copy *copy_make(struct warp *warp)
{
    if (warp->copy_count == warp->copy_capacity &&
        !array_grow(warp->copies, warp->copy_capacity, warp->copy_count, 1))
        return NULL;
    return &warp->copies[warp->copy_count++];
}

/* The global address is a generic address, the shared one an address of its space. */
static void copy_addresses(const struct worker *worker, const struct warp *warp,
                           const struct program_instruction *instruction, struct warp_access *to,
                           struct warp_access *from)
{
    warp_addresses(worker, warp, instruction->source[0], instruction->offset, instruction->address_is_32_bits,
                   to);
    warp_addresses(worker, warp, instruction->source[1], instruction->offset2, false, from);
    for (int lane = 0; lane < WARP_LANES; lane++) {
        uint64_t *address = &to->address[lane];
        *address = warp_shared_address(*address);
    }
}

static uint32_t copy_source_bytes(const struct warp *warp, const struct program_instruction *instruction,
                                  uint32_t lane)
{
    if (instruction->source[2] == PROGRAM_NO_SLOT)
        return instruction->width_bytes;
    uint32_t bytes = ((const uint32_t *)(const void *)(warp->frame + instruction->source[2]))[lane];
    return bytes < instruction->width_bytes ? bytes : instruction->width_bytes;
}

enum warp_stop warp_copy_start(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    struct warp_access to, from;
    struct warp_copy *copy = copy_make(warp);
    if (!copy)
        return WARP_NO_MEMORY;
    copy->lanes = on;
    copy->pc = pc;
    copy->width_bytes = instruction->width_bytes;
    warp_access_begin(&to, instruction, on, true);
    warp_access_begin(&from, instruction, on, false);
    copy_addresses(worker, warp, instruction, &to, &from);
    for (uint32_t left = on; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint32_t bytes = copy_source_bytes(warp, instruction, lane);
        const struct memory_range *range = NULL;
        if (bytes)
            range = warp_locate(worker, warp, pc, PTX_GLOBAL, &from, lane, 0, bytes);
        else
            from.active &= ~(1u << lane); /* nothing is read from the source */
        if ((bytes && !range) ||
            !warp_locate(worker, warp, pc, PTX_SHARED, &to, lane, 0, instruction->width_bytes))
            return WARP_FAILS;
        if (range && worker->run->check)
            warp_touch(worker, warp, pc, PTX_GLOBAL, range, from.address[lane], bytes, lane,
                       WARP_STARTS_READING, NULL);
        if (worker->run->check)
            warp_touch(worker, warp, pc, PTX_SHARED, &worker->block.shared, to.address[lane],
                       instruction->width_bytes, lane, WARP_STARTS, NULL);
        copy->source[lane] = range;
        copy->from[lane] = range ? range->bytes + (from.address[lane] - range->address) : NULL;
        copy->to[lane] = to.address[lane];
        copy->group[lane] = warp->copy_group[lane];
        copy->from_bytes[lane] = (uint8_t)bytes;
    }
    warp_count(worker, warp, pc, PTX_GLOBAL, &from);
    warp_count(worker, warp, pc, PTX_SHARED, &to);
    return WARP_GOES_ON;
}

void warp_copy_commit(struct warp *warp, uint32_t on)
{
    for (uint32_t left = on; left; left &= left - 1)
        warp->copy_group[__builtin_ctz(left)]++;
}

/* The bytes that arrive are as undefined as those of the source. */
static void copy_follow(struct worker *worker, const struct warp_copy *copy, uint32_t lane)
{
    const struct memory_range *source = copy->source[lane], *shared = &worker->block.shared;
    uint64_t at = (uint64_t)(copy->from[lane] - source->bytes), to = copy->to[lane];
    const struct undefined_side from_side = {source, at,
                                             undefined_key(PTX_GLOBAL, 0, 0, source->address + at)};
    const struct undefined_side to_side = {shared, to - shared->address,
                                           undefined_key(PTX_SHARED, worker->block.number, 0, to)};
    undefined_copy(worker->run->undefined, &from_side, &to_side, copy->from_bytes[lane]);
}

static void copy_arrive(struct worker *worker, const struct warp *warp, struct warp_copy *copy, uint32_t lane)
{
    uint8_t *to = worker->block.shared.bytes + copy->to[lane];
    uint32_t bytes = copy->from_bytes[lane];
    if (worker->run->check) {
        warp_touch(worker, warp, copy->pc, PTX_SHARED, &worker->block.shared, copy->to[lane],
                   copy->width_bytes, lane, WARP_ARRIVES, NULL);
    }
    if (worker->run->check && bytes) {
        const struct memory_range *source = copy->source[lane];
        warp_touch(worker, warp, copy->pc, PTX_GLOBAL, source,
                   source->address + (uint64_t)(copy->from[lane] - source->bytes), bytes, lane, WARP_HAS_READ,
                   NULL);
        copy_follow(worker, copy, lane);
    }
    if (bytes)
        memcpy(to, copy->from[lane], bytes);
    memset(to + bytes, 0, copy->width_bytes - bytes);
    copy->lanes &= ~(1u << lane);
    worker->block.changes++;
}

void warp_copy_wait(struct worker *worker, struct warp *warp, uint32_t on, uint32_t open)
{
    for (uint32_t i = 0; i < warp->copy_count; i++) {
        struct warp_copy *copy = &warp->copies[i];
        for (uint32_t left = copy->lanes & on; left; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);
            /* The last `open` committed groups may remain pending. UINT32_MAX: none may, committed or not. */
            if (open == UINT32_MAX || copy->group[lane] + open < warp->copy_group[lane])
                copy_arrive(worker, warp, copy, lane);
        }
    }
    copies_trim(warp);
}

/* ---- rows of matrices ---- */

/*
 * ldmatrix and stmatrix: matrices of 8 x 8 halves in shared memory. Lanes 0 to 7 have the addresses of the
 * first one's rows, of 16 bytes each, lanes 8 to 15 those of the second, and so on. Lane l holds the elements
 * 2 l and 2 l + 1 of each, counted by rows. They cost as many passes over the banks as accesses of 16 bytes
 * by those lanes. All lanes' rows are moved, also those of lanes that do not take part, which PTX does not
 * allow.
 */

#define MATRIX_ROWS 8
#define MATRIX_ROW_BYTES 16

/* The rows of the matrices in shared memory; false: the worker's fault says what is wrong. */
static bool matrix_rows_find(struct worker *worker, struct warp *warp, uint32_t pc, bool store,
                             struct warp_access *access, uint8_t *rows[WARP_LANES])
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    const uint32_t count = instruction->vector * MATRIX_ROWS;
    warp_access_begin(access, instruction, WARP_ALL_LANES >> (WARP_LANES - count), store);
    warp_addresses(worker, warp, instruction->source[0], instruction->offset, instruction->address_is_32_bits,
                   access);
    for (uint32_t lane = 0; lane < count; lane++) {
        uint64_t *const address = &access->address[lane];
        *address = warp_shared_address(*address);
        const struct memory_range *const range =
            warp_locate(worker, warp, pc, PTX_SHARED, access, lane, 0, MATRIX_ROW_BYTES);
        if (!range)
            return false;
        if (worker->run->check)
            warp_touch(worker, warp, pc, PTX_SHARED, range, *address, MATRIX_ROW_BYTES, lane,
                       store ? WARP_WRITES : WARP_READS, NULL);
        rows[lane] = range->bytes + (*address - range->address);
    }
    return true;
}

/* Halves 2 lane and 2 lane + 1 of a matrix; transposed: of its columns. */
static void place_of(uint32_t lane, uint32_t half, bool turn, uint32_t *row, uint32_t *byte)
{
    const uint32_t line = lane / 4, at = lane % 4 * 2 + half;
    *row = turn ? at : line;
    *byte = 2 * (turn ? line : at);
}

static void move_block(const struct program_instruction *instruction, uint8_t *slot, uint8_t *const *rows,
                       uint32_t on, bool store)
{
    for (uint32_t left = on; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        for (uint32_t half = 0; half < 2; half++) {
            uint32_t row, byte;
            place_of(lane, half, instruction->sub, &row, &byte);
            uint8_t *const there = rows[row] + byte, *const here = slot + 4 * lane + 2 * half;
            memcpy(store ? there : here, store ? here : there, 2);
        }
    }
}

bool warp_matrix(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    const bool store = instruction->op == PROGRAM_MATRIX_ST;
    struct warp_access access;
    uint8_t *rows[WARP_LANES];
    if (!matrix_rows_find(worker, warp, pc, store, &access, rows))
        return false;
    for (uint32_t i = 0; i < instruction->vector; i++)
        move_block(instruction,
                   warp->frame + (store ? instruction->source[1 + i] : instruction->destination[i]),
                   rows + MATRIX_ROWS * i, on, store);
    warp_count(worker, warp, pc, PTX_SHARED, &access);
    return true;
}

struct multiply_call {
    const struct program_matrix *matrix;
    uint8_t *frame;
    uint32_t on;
};

static void multiply_run(void *context)
{
    const struct multiply_call *call = context;
    matrix_multiply(call->matrix, call->frame, call->on);
}

void warp_multiply(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on)
{
    struct multiply_call call = {worker->run->program->instructions[pc].matrix, warp->frame, on};
    if (warp->undefined.slots)
        undefined_exchange(worker, warp, &pc, 1, multiply_run, &call);
    else
        multiply_run(&call);
}
