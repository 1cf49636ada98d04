/* From the registers of 32 lanes to matrices and back. */
#include "simt/lanes/matrix.h"

#include <string.h>

#define LANES 32

static void part_gather(const struct matrix_part *part, const uint8_t *frame, uint64_t *to)
{
    const uint32_t bits = matrix_type_bits(part->type), e = part->per_register;
    const uint32_t mask = bits < 32 ? (1u << bits) - 1 : UINT32_MAX;
    /* Backwards, so that of two registers with the same element the first counts. */
    for (uint32_t r = part->registers; r-- > 0;) {
        const void *const slot = frame + part->slots[r];
        const uint32_t *const words = slot;
        const uint64_t *const longs = slot;
        for (uint32_t lane = 0; lane < LANES; lane++) {
            const uint16_t *const element = part->element + (lane * part->registers + r) * e;
            if (bits == 64)
                to[element[0]] = longs[lane];
            else if (e == 1)
                to[element[0]] = words[lane];
            else
                for (uint32_t i = 0; i < e; i++)
                    to[element[i]] = words[lane] >> (i * bits) & mask;
        }
    }
}

static void part_scatter(const struct matrix_part *part, const uint64_t *from, uint8_t *frame,
                         uint32_t active)
{
    const uint32_t bits = matrix_type_bits(part->type), e = part->per_register;
    for (uint32_t r = 0; r < part->registers; r++) {
        void *const slot = frame + part->slots[r];
        for (uint32_t left = active; left; left &= left - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(left);
            const uint16_t *const element = part->element + (lane * part->registers + r) * e;
            uint32_t word = 0;
            for (uint32_t i = 0; i < e && bits < 64; i++)
                word |= (uint32_t)from[element[i]] << (i * bits % 32);
            if (bits == 64)
                ((uint64_t *)slot)[lane] = from[element[0]];
            else
                ((uint32_t *)slot)[lane] = word;
        }
    }
}

void matrix_multiply(const struct program_matrix *matrix, uint8_t *frame, uint32_t active)
{
    struct matrix_words words;
    part_gather(&matrix->parts[MATRIX_A], frame, words.a);
    part_gather(&matrix->parts[MATRIX_B], frame, words.b);
    part_gather(&matrix->parts[MATRIX_C], frame, words.c);
    matrix_sum(matrix, &words);
    part_scatter(&matrix->parts[MATRIX_D], words.c, frame, active);
}

void matrix_transpose(const struct program_instruction *instruction, uint8_t *frame, uint32_t active)
{
    uint16_t half[LANES * 2], turned[LANES * 2];
    memcpy(half, frame + instruction->source[0], sizeof half);
    for (uint32_t row = 0; row < 8; row++)
        for (uint32_t column = 0; column < 8; column++)
            turned[column * 8 + row] = half[row * 8 + column];
    for (uint32_t left = active; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        memcpy(frame + instruction->destination[0] + lane * sizeof(uint32_t), &turned[2 * lane],
               sizeof(uint32_t));
    }
}

static uint32_t *slot_32(uint8_t *frame, uint32_t slot)
{
    return (uint32_t *)(void *)(frame + slot);
}

void matrix_pack_bytes(const struct program_instruction *instruction, uint8_t *frame, uint32_t active)
{
    for (uint32_t left = active; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint32_t word = 0;
        for (uint32_t i = 0; i < 4; i++)
            word |= (slot_32(frame, instruction->source[i])[lane] & 0xffu) << 8 * i;
        slot_32(frame, instruction->destination[0])[lane] = word;
    }
}

void matrix_make_addresses(const struct program_instruction *instruction, uint8_t *frame, uint32_t active)
{
    const struct matrix_address *const of = instruction->address;
    const uint32_t slot = instruction->source[0], *const stride = slot_32(frame, instruction->source[1]);
    uint64_t *const to = (uint64_t *)(void *)(frame + instruction->destination[0]);
    for (uint32_t left = active; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t address = (uint64_t)instruction->offset;
        if (slot != PROGRAM_NO_SLOT && instruction->address_is_32_bits)
            address += slot_32(frame, slot)[lane];
        else if (slot != PROGRAM_NO_SLOT)
            address += ((const uint64_t *)(const void *)(frame + slot))[lane];
        to[lane] = address + (uint64_t)of->line[lane] * stride[lane] * of->element_bits / 8 + of->bytes[lane];
    }
}
