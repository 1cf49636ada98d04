/* Local memory, in the layout of warp_local_place. Counts and caches use these addresses. */
#include "simt/engine/warp_memory.h"
#include "simt/engine/warp_undefined.h"

#include <string.h>

#define WORD_BYTES 4u
#define ROW_BYTES 128u

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

bool warp_load_local(struct worker *worker, struct warp *warp, uint32_t pc, struct warp_access *access)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    if (!local_is_rows(worker, instruction, access))
        return local_move(worker, warp, pc, access);
    if (!local_holds(worker, warp, pc, access, (uint32_t)__builtin_ctz(access->active)))
        return false;
    const uint8_t *row = warp->local + access->address[0] / WORD_BYTES * ROW_BYTES;
    for (uint32_t k = 0; k < instruction->vector; k++, row += ROW_BYTES) {
        if (instruction->destination[k] != PROGRAM_NO_SLOT) {
            worker->vector->copy_32((uint32_t *)(void *)(warp->frame + instruction->destination[k]),
                                    (const uint32_t *)(const void *)row, access->active);
        }
    }
    local_count(worker, warp, pc, access);
    return true;
}

bool warp_store_local(struct worker *worker, struct warp *warp, uint32_t pc, struct warp_access *access)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    if (!local_is_rows(worker, instruction, access))
        return local_move(worker, warp, pc, access);
    if (!local_holds(worker, warp, pc, access, (uint32_t)__builtin_ctz(access->active)))
        return false;
    uint8_t *row = warp->local + access->address[0] / WORD_BYTES * ROW_BYTES;
    for (uint32_t k = 0; k < instruction->vector; k++, row += ROW_BYTES) {
        worker->vector->copy_32((uint32_t *)(void *)row,
                                (const uint32_t *)(const void *)(warp->frame + instruction->source[1 + k]),
                                access->active);
    }
    local_count(worker, warp, pc, access);
    return true;
}
