/* Local memory, in the layout of warp_local_place. Counts and caches use these addresses. */
#include "simt/engine/warp_memory.h"

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

/* Copies bytes of a lane's access, from from_byte on, in pieces of at most a word. */
static void local_copy(struct worker *worker, struct warp *warp, uint32_t pc,
                       const struct warp_access *access, uint32_t lane, uint32_t from_byte, uint8_t *bytes,
                       uint32_t size_bytes)
{
    bool unwritten = false;
    for (uint32_t at = 0; at < size_bytes; at += WORD_BYTES) {
        uint32_t piece = size_bytes - at < WORD_BYTES ? size_bytes - at : WORD_BYTES;
        uint64_t place = warp_local_place(access->address[lane] + from_byte + at, lane);
        if (access->store)
            memcpy(warp->local + place, bytes + at, piece);
        else
            memcpy(bytes + at, warp->local + place, piece);
        if (worker->run->check && access->store) {
            struct memory_range all = {.initialised = warp->local_written};
            memory_mark(&all, place, piece);
        } else if (worker->run->check) {
            unwritten |= !warp_is_written(warp->local_written, place, piece);
        }
    }
    if (unwritten) {
        warp_report_unwritten(worker, warp, pc, PTX_LOCAL, access->address[lane] + from_byte, size_bytes,
                              lane);
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
                local_copy(worker, warp, pc, access, lane, k * size_bytes, (uint8_t *)element, size_bytes);
            } else if (instruction->destination[k] != PROGRAM_NO_SLOT) {
                local_copy(worker, warp, pc, access, lane, k * size_bytes, (uint8_t *)element, size_bytes);
                warp_load_element(instruction, warp->frame, k, base, access->address, 1u << lane);
            }
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
