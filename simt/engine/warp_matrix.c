/*
 * ldmatrix and stmatrix: matrices of 8 x 8 halves in shared memory. Lanes 0 to 7 have the addresses of the
 * first one's rows, of 16 bytes each, lanes 8 to 15 those of the second, and so on. Lane l holds the elements
 * 2 l and 2 l + 1 of each, counted by rows. They cost as many passes over the banks as accesses of 16 bytes
 * by those lanes. All lanes' rows are moved, also those of lanes that do not take part, which PTX does not
 * allow.
 */
#include "simt/engine/warp_memory.h"
#include "simt/engine/warp_undefined.h"
#include "simt/lanes/matrix.h"

#include <string.h>

#define ROWS 8
#define ROW_BYTES 16

/* The rows of the matrices in shared memory; false: the worker's fault says what is wrong. */
static bool matrix_rows_find(struct worker *worker, struct warp *warp, uint32_t pc, bool store,
                             struct warp_access *access, uint8_t *rows[WARP_LANES])
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    const uint32_t count = instruction->vector * ROWS;
    warp_access_begin(access, instruction, WARP_ALL_LANES >> (WARP_LANES - count), store);
    warp_addresses(worker, warp, instruction->source[0], instruction->offset, instruction->address_is_32_bits,
                   access);
    for (uint32_t lane = 0; lane < count; lane++) {
        uint64_t *const address = &access->address[lane];
        *address = warp_shared_address(*address);
        const struct memory_range *const range =
            warp_locate(worker, warp, pc, PTX_SHARED, access, lane, 0, ROW_BYTES);
        if (!range)
            return false;
        if (worker->run->check)
            warp_touch(worker, warp, pc, PTX_SHARED, range, *address, ROW_BYTES, lane,
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
                   rows + ROWS * i, on, store);
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
