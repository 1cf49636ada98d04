/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instructions of tensor cores: products of small matrices that the 32 lanes of a warp hold together (PTX
 * ISA 9.0, 9.7.14: wmma, mma, ldmatrix, stmatrix, movmatrix).
 *
 * A struct program_matrix belongs to one instruction, is made by simt/program/lower and does not change.
 */
#ifndef SIMT_LANES_MATRIX_H
#define SIMT_LANES_MATRIX_H

#include "simt/lanes/program.h"

#include <stdint.h>

/* ---- rows of a product ---- */

/*
 * A row of a product of matrices of halves, bfloat16 or TF32: the sums of the shifted terms, as in
 * simt/lanes/matrix.c. Compiled for several vector widths like the functions of simt/lanes/lanes;
 * matrix_row_choose selects the build to run. Pure, any thread.
 */

#define MATRIX_COLUMNS 32 /* of D, at most */

struct matrix_row_terms {
    uint32_t n, k;
    uint32_t left_product, left_sum; /* bits that a product, and an element of C, lack behind the point */
    const int32_t *a, *b, *c;        /* significands with sign: k, k x n, n; |a b| is below 2^22 */
    const int32_t *a_exponent, *b_exponent, *c_exponent;
};

/* sums[j]: of the terms of column j, shifted to the largest of their exponents, tops[j]. */
typedef void matrix_row_sum(const struct matrix_row_terms *terms, int64_t *sums, int32_t *tops);

matrix_row_sum *matrix_row_choose(void);

/* ---- matrices ---- */

#define MATRIX_REGISTERS 8   /* at most, of one matrix in one lane */
#define MATRIX_ELEMENTS 1024 /* at most, of one matrix; of b1, words of 32 elements */

#define MATRIX_TYPE_LIST(X) \
    X(F16, "f16", 16)       \
    X(BF16, "bf16", 16)     \
    X(TF32, "tf32", 32)     \
    X(F32, "f32", 32)       \
    X(F64, "f64", 64)       \
    X(S32, "s32", 32)       \
    X(S8, "s8", 8)          \
    X(U8, "u8", 8)          \
    X(S4, "s4", 4)          \
    X(U4, "u4", 4)          \
    X(B1, "b1", 1)
#define MATRIX_TYPE_ENUM(id, text, bits) MATRIX_##id,
enum matrix_type { MATRIX_TYPE_LIST(MATRIX_TYPE_ENUM) MATRIX_TYPE_COUNT };
#undef MATRIX_TYPE_ENUM

enum matrix_family {
    MATRIX_MMA,      /* mma.sync, a product per warp */
    MATRIX_QUARTERS, /* mma.sync.m8n8k4 on f16: a product per eight lanes */
    MATRIX_WMMA
};

enum matrix_name { MATRIX_A, MATRIX_B, MATRIX_C, MATRIX_D, MATRIX_NAMES };

struct matrix_place {
    uint32_t row, column;
};

struct matrix_part { /* one of the four matrices */
    enum matrix_type type;
    bool column;       /* .col; matters for MATRIX_QUARTERS, and in memory */
    uint8_t registers; /* per lane */
    uint32_t slots[MATRIX_REGISTERS];
    /* Of lane l, register r, element i, at (l * registers + r) * per_register + i: row * columns + column.
     * In the arena of the program. */
    const uint16_t *element;
    uint8_t per_register; /* elements in a register; 1 for b1, whose elements are words here */
};

struct program_matrix {
    enum matrix_family family;
    uint32_t m, n, k;        /* A is m x k, B is k x n, C and D are m x n */
    bool saturate;           /* .satfinite */
    bool bits_and;           /* of b1: .and, else .xor */
    matrix_row_sum *sum_row; /* matrix_row_choose() */
    int rounding;            /* of f64: FE_TONEAREST ... of <fenv.h> */
    struct matrix_part parts[MATRIX_NAMES];
};

/* Bits of an element. */
uint32_t matrix_type_bits(enum matrix_type type);

/* The rows and columns of a matrix; columns of b1 (rows of B) are counted in words. */
uint32_t matrix_rows(const struct program_matrix *matrix, enum matrix_name name);
uint32_t matrix_columns(const struct program_matrix *matrix, enum matrix_name name);

/* Registers per lane of a matrix; 0: there is no such shape with this type. */
uint32_t matrix_registers(const struct program_matrix *matrix, enum matrix_name name);
/* The place of element i of register r in a lane; k of b1 in words. For MATRIX_QUARTERS in the lane's own
 * product. */
struct matrix_place matrix_place(const struct program_matrix *matrix, enum matrix_name name, uint32_t lane,
                                 uint32_t r, uint32_t i);
/* Fills `element` (32 * registers * per_register entries). */
void matrix_places(const struct program_matrix *matrix, enum matrix_name name, uint16_t *element);

/* D = A B + C. The lanes `active` get their elements of D; the other lanes' registers are read as they are.
 */
void matrix_multiply(const struct program_matrix *matrix, uint8_t *frame, uint32_t active);
/* movmatrix.trans, from source[0] to destination[0]; PROGRAM_LANES, although lanes get values of others. */
lane_function matrix_transpose;
/* source[0 ... 3], bytes, as one word. */
lane_function matrix_pack_bytes;

/* Of an address that wmma.load or .store makes of its own: the lane's line of the matrix, as it lies in
 * memory, and the bytes from the line's start. */
struct matrix_address {
    uint16_t line[32], bytes[32];
    uint32_t element_bits;
};
/* destination[0] (64 bits) = source[0] (PROGRAM_NO_SLOT: none) + offset + line * source[1] elements + bytes.
 */
void matrix_make_addresses(const struct program_instruction *instruction, uint8_t *frame, uint32_t active);

/* The product of matrices whose elements are in memory, row by row, each in a word
 * of its own. C and D may be the same. */
struct matrix_words {
    uint64_t a[MATRIX_ELEMENTS], b[MATRIX_ELEMENTS], c[MATRIX_ELEMENTS];
};
void matrix_sum(const struct program_matrix *matrix, struct matrix_words *words);

#endif
