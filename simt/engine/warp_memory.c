/*
 * Loads, stores and prefetches. If the bytes of all lanes lie in one range (nearly always that of the
 * instruction's last access), data are moved by one copy, one broadcast or a loop without branches.
 * Otherwise, and in a checked launch, accesses are executed lane by lane.
 */
#include "simt/engine/warp_memory.h"
#include "simt/engine/warp_undefined.h"

#include <stdatomic.h>
#include <string.h>

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
/* A single instruction moves it, so that another thread sees all of it or none. */
typedef uint64_t pair __attribute__((vector_size(16), may_alias));

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
        pair value;
        if (to_device) {
            memcpy(&value, from, sizeof value);
            atomic_thread_fence(memory_order_release);
            *(volatile pair *)(void *)to = value;
        } else {
            value = *(const volatile pair *)(const void *)from;
            atomic_thread_fence(memory_order_acquire);
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
    if (access->store && reach != WARP_ROW && !(reach == WARP_INSIDE && worker->vector->apart(access)))
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
    case PTX_PARAM: return &run->parameters;
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

bool warp_load(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    if (is_of_function(instruction)) {
        warp_move_parameters(worker, warp, pc, on, false);
        return true;
    }
    warp->polls += instruction->strong;
    return warp_move_at_once(worker, warp, pc, on, false) || warp_move(worker, warp, pc, on, false);
}

bool warp_store(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    if (is_of_function(instruction)) {
        warp_move_parameters(worker, warp, pc, on, true);
        return true;
    }
    warp->polls = warp->yields = 0;
    worker->block.changes++;
    return warp_move_at_once(worker, warp, pc, on, true) || warp_move(worker, warp, pc, on, true);
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
