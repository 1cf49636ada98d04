/*
 * Which lane holds which element of a matrix. For mma: the figures of PTX ISA 9.0, 9.7.14.5. For wmma, PTX
 * does not say: as an H200's wmma.load has it.
 *
 * A register has e elements. Lane l is in group g = l / 4 and the t = l % 4-th of it. All layouts except that
 * of MATRIX_QUARTERS are made of blocks of 8 lines of 4 e elements, one register for each block: a lane has
 * elements t e ... t e + e - 1 of line g. The lines are the rows of A, C and D and the columns of B.
 */
#include "simt/lanes/matrix.h"

uint32_t matrix_type_bits(enum matrix_type type)
{
#define MATRIX_TYPE_BITS(id, text, bits) bits,
    static const uint8_t bits[] = {MATRIX_TYPE_LIST(MATRIX_TYPE_BITS)};
#undef MATRIX_TYPE_BITS
    return bits[type];
}

static uint32_t words_of(const struct program_matrix *matrix, uint32_t k)
{
    return matrix->parts[MATRIX_A].type == MATRIX_B1 ? k / 32 : k;
}

uint32_t matrix_rows(const struct program_matrix *matrix, enum matrix_name name)
{
    return name == MATRIX_B ? words_of(matrix, matrix->k) : matrix->m;
}

uint32_t matrix_columns(const struct program_matrix *matrix, enum matrix_name name)
{
    return name == MATRIX_A ? words_of(matrix, matrix->k) : matrix->n;
}

uint32_t matrix_registers(const struct program_matrix *matrix, enum matrix_name name)
{
    const enum matrix_type type = matrix->parts[name].type;
    const uint32_t rows = name == MATRIX_B ? matrix->k : matrix->m;
    const uint32_t columns = name == MATRIX_A ? matrix->k : matrix->n;
    const uint32_t bits = matrix_type_bits(type), lanes = matrix->family == MATRIX_QUARTERS ? 8 : 32;
    if (matrix->family == MATRIX_WMMA && type == MATRIX_F16 && name <= MATRIX_B)
        return 8; /* those that a shape does not need are copies */
    return rows * columns * bits / (lanes * (bits < 32 ? 32 : bits));
}

/* m8n8k4: eight lanes hold a product, lanes 4 q to 4 q + 3 and 16 more. */
static struct matrix_place place_quarters(const struct program_matrix *matrix, enum matrix_name name,
                                          uint32_t lane, uint32_t at)
{
    const uint32_t high = lane & 16 ? 4 : 0, line = (lane & 3) + high;
    const bool column = matrix->parts[name].column;
    if (name == MATRIX_A)
        return column ? (struct matrix_place){at + high, lane & 3} : (struct matrix_place){line, at};
    if (name == MATRIX_B)
        return column ? (struct matrix_place){at, line} : (struct matrix_place){lane & 3, at + high};
    if (matrix->parts[name].type == MATRIX_F16)
        return (struct matrix_place){line, at};
    return (struct matrix_place){(lane & 1) + (at & 2) + high, (at & 4) + (lane & 2) + (at & 1)};
}

/* The block of a register, as the block's number among the lines and along them. */
static struct matrix_place block_of(const struct program_matrix *matrix, enum matrix_name name, uint32_t r,
                                    uint32_t blocks_along)
{
    const uint32_t lines = name == MATRIX_B ? matrix->n : matrix->m;
    if (name == MATRIX_B) /* along k first, then the next eight columns */
        return (struct matrix_place){r / blocks_along, r % blocks_along};
    if (lines == 8)
        return (struct matrix_place){0, r};
    /* Sixteen rows: two blocks one below the other, then along; then the next sixteen. */
    const uint32_t per_sixteen = 2 * blocks_along, rest = r % per_sixteen;
    return (struct matrix_place){r / per_sixteen * 2 + rest % 2, rest / 2};
}

static struct matrix_place place_blocks(const struct program_matrix *matrix, enum matrix_name name,
                                        uint32_t lane, uint32_t r, uint32_t i)
{
    const struct matrix_part *const part = &matrix->parts[name];
    const uint32_t bits = matrix_type_bits(part->type);
    const bool sum = name >= MATRIX_C;
    /* Sums have two elements in a block's line, of 32 and 64 bits in two registers. */
    const uint32_t pair = sum && bits >= 32 ? 2 : 1, per_line = sum ? 2 : part->per_register;
    const uint32_t along = (name == MATRIX_B ? matrix_rows(matrix, name) : matrix_columns(matrix, name));
    const struct matrix_place block = block_of(matrix, name, r / pair, along / (4 * per_line));
    const uint32_t line = 8 * block.row + lane / 4;
    const uint32_t at = 4 * per_line * block.column + lane % 4 * per_line + (pair == 2 ? r % 2 : i);
    return name == MATRIX_B ? (struct matrix_place){at, line} : (struct matrix_place){line, at};
}

static uint32_t matrix_size(const struct program_matrix *matrix, enum matrix_name name)
{
    return matrix_rows(matrix, name) * matrix_columns(matrix, name);
}

struct matrix_place matrix_place(const struct program_matrix *matrix, enum matrix_name name, uint32_t lane,
                                 uint32_t r, uint32_t i)
{
    const uint32_t per_register = matrix->parts[name].per_register;
    if (matrix->family == MATRIX_QUARTERS)
        return place_quarters(matrix, name, lane, r * per_register + i);
    const uint32_t distinct = matrix_size(matrix, name) / (32 * per_register); /* the others are copies */
    return place_blocks(matrix, name, lane, r % distinct, i);
}

void matrix_places(const struct program_matrix *matrix, enum matrix_name name, uint16_t *element)
{
    const struct matrix_part *const part = &matrix->parts[name];
    const uint32_t columns = matrix_columns(matrix, name), size = matrix_size(matrix, name);
    for (uint32_t lane = 0; lane < 32; lane++) {
        const uint32_t first = matrix->family == MATRIX_QUARTERS ? lane / 4 % 4 * size : 0;
        for (uint32_t r = 0; r < part->registers; r++) {
            for (uint32_t i = 0; i < part->per_register; i++) {
                const struct matrix_place place = matrix_place(matrix, name, lane, r, i);
                *element++ = (uint16_t)(first + place.row * columns + place.column);
            }
        }
    }
}
