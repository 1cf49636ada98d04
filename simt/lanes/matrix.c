/* SPDX-License-Identifier: Apache-2.0 */
/* Which lane holds which element, the sums of a product, and from the registers of 32 lanes to matrices and
 * back. */
#include "simt/lanes/matrix.h"

#include "simt/lanes/lanes.h"
#include "simt/lanes/lanes_half.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

/* ---- the build of matrix_row.c ---- */

/* The same as for the lane functions. */
matrix_row_sum lanes_matrix_row_baseline;
#ifdef LANES_WIDE_VARIANTS
matrix_row_sum lanes_matrix_row_avx2, lanes_matrix_row_avx512;
#endif

matrix_row_sum *matrix_row_choose(void)
{
    /* In the order of the lane functions' variants. */
    static matrix_row_sum *const builds[] = {
        lanes_matrix_row_baseline,
#ifdef LANES_WIDE_VARIANTS
        lanes_matrix_row_avx2,
        lanes_matrix_row_avx512,
#endif
    };
    matrix_row_sum *chosen = builds[0];
    for (size_t i = 1; i < sizeof builds / sizeof builds[0]; i++)
        chosen = lanes_variant_at(i)->runs_here() ? builds[i] : chosen;
    return chosen;
}

/* ---- places ---- */

/*
 * Which lane holds which element of a matrix. For mma: the figures of PTX ISA 9.0, 9.7.14.5. For wmma, PTX
 * does not say: as an H200's wmma.load has it.
 *
 * A register has e elements. Lane l is in group g = l / 4 and the t = l % 4-th of it. All layouts except that
 * of MATRIX_QUARTERS are made of blocks of 8 lines of 4 e elements, one register for each block: a lane has
 * elements t e ... t e + e - 1 of line g. The lines are the rows of A, C and D and the columns of B.
 */

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

/* ---- sums ---- */

/*
 * The arithmetic of Hopper's tensor cores, bit by bit. For half precision, bfloat16 and TF32 an element of D
 * is one sum: the products are exact, and they and the element of C are shifted to the largest exponent among
 * them, where SUM_BITS bits follow the point and the rest is cut off; the sum of these is exact, and is cut
 * off to single precision or rounded to half. (Fasi et al., Numerical behavior of NVIDIA tensor cores, 2021;
 * Xie et al., MMA-Sim, 2025.) An exponent here is that of the two
 * factors, added, so a product may be 2 or more. Doubles are a chain of fused multiply-adds, in the order of
 * k.
 */

#define SUM_BITS 25
#define WMMA_TF32_DEPTH 4     /* ptxas makes two products of m16n16k8 */
#define ZERO_EXPONENT (-1000) /* of a zero: below all others */
#define NAN_16 0x7fffu
#define NAN_32 0x7fffffffu
#define NAN_64 UINT64_C(0xfff8000000000000)

enum special { FINITE, INFINITE, NOT_A_NUMBER };

/* Value: significand * 2^(exponent - fraction bits of the type). */
struct decoded {
    int32_t significand[MATRIX_ELEMENTS], exponent[MATRIX_ELEMENTS];
    uint8_t special[MATRIX_ELEMENTS];
    bool any_special;
};

struct format {
    uint32_t exponent, fraction; /* bits */
    uint32_t cut;                /* low bits that are ignored: TF32's in a word */
};

static const struct format formats[MATRIX_TYPE_COUNT] = {[MATRIX_F16] = {5, 10, 0},
                                                         [MATRIX_BF16] = {8, 7, 0},
                                                         [MATRIX_TF32] = {8, 10, 13},
                                                         [MATRIX_F32] = {8, 23, 0}};

static void decode_all(const struct format *format, const uint64_t *from, uint32_t count, struct decoded *to)
{
    const int32_t bias = (1 << (format->exponent - 1)) - 1;
    const uint32_t top = (1u << format->exponent) - 1, hidden = 1u << format->fraction;
    uint32_t specials = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t bits = (uint32_t)from[i] >> format->cut;
        const uint32_t fraction = bits & (hidden - 1), exponent = bits >> format->fraction & top;
        const bool negative = bits >> (format->fraction + format->exponent) & 1;
        const int32_t size = (int32_t)(exponent == 0 ? fraction : fraction | hidden);
        to->significand[i] = negative ? -size : size;
        to->exponent[i] = size == 0 ? ZERO_EXPONENT : (exponent == 0 ? 1 : (int32_t)exponent) - bias;
        to->special[i] = exponent < top ? FINITE : fraction == 0 ? INFINITE : NOT_A_NUMBER;
        specials |= to->special[i];
    }
    to->any_special = specials != 0;
}

/* ---- results ---- */
static uint32_t sign_of(bool negative, uint32_t bits)
{
    return (uint32_t)negative << bits;
}

/* Cut off to single precision; value: size * 2^scale. */
static uint32_t float_cut(bool negative, uint64_t size, int32_t scale)
{
    if (size == 0)
        return 0;
    const int32_t last = 63 - __builtin_clzll(size), exponent = last + scale;
    if (exponent > 127)
        return sign_of(negative, 31) | 0x7f800000u;
    const int32_t unit = (exponent < -126 ? -126 : exponent) - 23, shift = scale - unit;
    const uint32_t fraction = (uint32_t)(shift >= 0 ? size << shift : -shift > 63 ? 0 : size >> -shift);
    const uint32_t biased = exponent < -126 ? 0 : (uint32_t)(exponent + 126);
    if (biased == 0 && fraction == 0)
        return 0; /* also if it is negative */
    return sign_of(negative, 31) | ((biased << 23) + fraction);
}

/* Rounded to half precision, to the nearest and ties to even. */
static uint32_t half_rounded(bool negative, uint64_t size, int32_t scale)
{
    if (size == 0)
        return 0;
    const int32_t exponent = 63 - __builtin_clzll(size) + scale;
    if (exponent > 15)
        return sign_of(negative, 15) | 0x7c00u;
    const int32_t unit = (exponent < -14 ? -14 : exponent) - 10, shift = unit - scale;
    uint64_t fraction;
    if (shift <= 0) {
        fraction = size << -shift;
    } else if (shift > 63) {
        fraction = 0;
    } else {
        const uint64_t half = UINT64_C(1) << (shift - 1), rest = size & ((half << 1) - 1);
        fraction = size >> shift;
        fraction += rest > half || (rest == half && (fraction & 1));
    }
    const uint32_t biased = exponent < -14 ? 0 : (uint32_t)(exponent + 14);
    if (biased == 0 && fraction == 0)
        return 0;                                                         /* also if it is negative */
    return sign_of(negative, 15) | ((biased << 10) + (uint32_t)fraction); /* may carry to infinity */
}

static uint32_t result_of(enum matrix_type type, int64_t sum, int32_t scale)
{
    const bool negative = sum < 0;
    const uint64_t size = (uint64_t)(negative ? -sum : sum);
    return type == MATRIX_F16 ? half_rounded(negative, size, scale) : float_cut(negative, size, scale);
}

/* ---- the fused sum ---- */
struct operands {
    struct decoded a, b, c;
};

/* The part of k that one sum is of. */
struct span {
    uint32_t first, count;
};

/* The result if an operand is infinite or no number; false: all are finite. */
static bool special_result(const struct program_matrix *matrix, const struct operands *of, struct span span,
                           uint32_t row, uint32_t column, bool half, uint32_t *result)
{
    const uint32_t at = row * matrix->n + column;
    bool invalid = of->c.special[at] == NOT_A_NUMBER, infinite[2] = {false, false};
    if (of->c.special[at] == INFINITE)
        infinite[of->c.significand[at] < 0] = true;
    for (uint32_t k = span.first; k < span.first + span.count; k++) {
        const uint32_t left = row * matrix->k + k, right = k * matrix->n + column;
        const uint8_t x = of->a.special[left], y = of->b.special[right];
        const int32_t p = of->a.significand[left], q = of->b.significand[right];
        invalid |= x == NOT_A_NUMBER || y == NOT_A_NUMBER;
        if (x == INFINITE || y == INFINITE) {
            invalid |= p == 0 || q == 0;
            infinite[(p < 0) != (q < 0)] = true;
        }
    }
    invalid |= infinite[0] && infinite[1];
    if (invalid)
        *result = half ? NAN_16 : NAN_32;
    else
        *result = (half ? 0x7c00u : 0x7f800000u) | sign_of(infinite[1], half ? 15 : 31);
    return invalid || infinite[0] || infinite[1];
}

/* words->c += a * b over the span; c is of this type. */
static void sum_span(const struct program_matrix *matrix, struct operands *of, struct matrix_words *words,
                     enum matrix_type c_type, struct span span)
{
    const enum matrix_type type = matrix->parts[MATRIX_A].type;
    decode_all(&formats[c_type], words->c, matrix->m * matrix->n, &of->c);
    const bool special = of->a.any_special || of->b.any_special || of->c.any_special;
    for (uint32_t row = 0; row < matrix->m; row++) {
        int64_t sums[MATRIX_COLUMNS];
        int32_t tops[MATRIX_COLUMNS];
        const size_t c = (size_t)row * matrix->n, a = (size_t)row * matrix->k + span.first;
        const size_t b = (size_t)span.first * matrix->n;
        const struct matrix_row_terms terms = {.n = matrix->n,
                                               .k = span.count,
                                               .left_product = SUM_BITS - 2 * formats[type].fraction,
                                               .left_sum = SUM_BITS - formats[c_type].fraction,
                                               .a = of->a.significand + a,
                                               .a_exponent = of->a.exponent + a,
                                               .b = of->b.significand + b,
                                               .b_exponent = of->b.exponent + b,
                                               .c = of->c.significand + c,
                                               .c_exponent = of->c.exponent + c};
        matrix->sum_row(&terms, sums, tops);
        for (uint32_t j = 0; j < matrix->n; j++) {
            uint32_t bits = 0;
            if (!special || !special_result(matrix, of, span, row, j, c_type == MATRIX_F16, &bits))
                bits = result_of(c_type, sums[j], tops[j] - SUM_BITS);
            words->c[c + j] = bits;
        }
    }
}

/* The sum has the type of C, but single precision if C or D has it: ptxas converts the other. */
static void sum_fused(const struct program_matrix *matrix, struct matrix_words *words)
{
    const enum matrix_type type = matrix->parts[MATRIX_A].type, d_type = matrix->parts[MATRIX_D].type;
    const enum matrix_type c_type = matrix->parts[MATRIX_C].type;
    const uint32_t elements = matrix->m * matrix->n;
    const bool tf32_wmma = matrix->family == MATRIX_WMMA && type == MATRIX_TF32;
    struct span span = {0, tf32_wmma ? WMMA_TF32_DEPTH : matrix->k};
    struct operands of;
    decode_all(&formats[type], words->a, matrix->m * matrix->k, &of.a);
    decode_all(&formats[type], words->b, matrix->k * matrix->n, &of.b);
    for (uint32_t i = 0; i < elements && c_type == MATRIX_F16 && d_type == MATRIX_F32; i++)
        words->c[i] = lanes_float_bits(f16_float((uint32_t)words->c[i]));
    for (; span.first < matrix->k; span.first += span.count)
        sum_span(matrix, &of, words, d_type == MATRIX_F32 ? d_type : c_type, span);
    for (uint32_t i = 0; i < elements && c_type == MATRIX_F32 && d_type == MATRIX_F16; i++) {
        const float sum = lanes_bits_float((uint32_t)words->c[i]);
        words->c[i] = isnan(sum) ? NAN_16 : float_f16(sum);
    }
}

/* ---- the other types ---- */
/* A NaN of B, C or A, in this order, made quiet; false: there is none. */
static bool double_nan(uint64_t a, uint64_t b, uint64_t c, uint64_t *nan)
{
    const uint64_t order[] = {b, c, a}, infinity = UINT64_C(0x7ff) << 52;
    for (int i = 0; i < 3; i++) {
        if ((order[i] & INT64_MAX) > infinity) {
            *nan = order[i] | UINT64_C(1) << 51;
            return true;
        }
    }
    return false;
}

static uint64_t double_multiply_add(uint64_t a, uint64_t b, uint64_t c)
{
    volatile double sum; /* the compiler must not move it past fesetround */
    double x, y, z;
    uint64_t bits;
    if (double_nan(a, b, c, &bits))
        return bits;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    memcpy(&z, &c, sizeof z);
    sum = fma(x, y, z);
    x = sum;
    memcpy(&bits, &x, sizeof bits);
    return isnan(x) ? NAN_64 : bits;
}

static void sum_doubles(const struct program_matrix *matrix, struct matrix_words *words)
{
    const int mode_before = fegetround();
    fesetround(matrix->rounding);
    for (uint32_t row = 0; row < matrix->m; row++) {
        for (uint32_t column = 0; column < matrix->n; column++) {
            uint64_t *const result = &words->c[row * matrix->n + column];
            for (uint32_t k = 0; k < matrix->k; k++)
                *result = double_multiply_add(words->a[row * matrix->k + k], words->b[k * matrix->n + column],
                                              *result);
        }
    }
    fesetround(mode_before);
}

static void integers_extend(enum matrix_type type, uint64_t *words, uint32_t count)
{
    const uint32_t unused = 64 - matrix_type_bits(type);
    if (type == MATRIX_S8 || type == MATRIX_S4)
        for (uint32_t i = 0; i < count; i++)
            words[i] = (uint64_t)((int64_t)(words[i] << unused) >> unused);
}

static void sum_integers(const struct program_matrix *matrix, struct matrix_words *words)
{
    const uint32_t depth = matrix_columns(matrix, MATRIX_A);
    const bool bits = matrix->parts[MATRIX_A].type == MATRIX_B1;
    integers_extend(matrix->parts[MATRIX_A].type, words->a, matrix->m * depth);
    integers_extend(matrix->parts[MATRIX_B].type, words->b, matrix->n * depth);
    for (uint32_t row = 0; row < matrix->m; row++) {
        for (uint32_t column = 0; column < matrix->n; column++) {
            uint64_t *const result = &words->c[row * matrix->n + column];
            int64_t sum = (int32_t)(uint32_t)*result;
            for (uint32_t k = 0; k < depth; k++) {
                const uint64_t a = words->a[row * depth + k], b = words->b[k * matrix->n + column];
                sum +=
                    bits ? __builtin_popcountll(matrix->bits_and ? a & b : a ^ b) : (int64_t)a * (int64_t)b;
            }
            if (matrix->saturate)
                sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
            *result = (uint32_t)sum;
        }
    }
}

/* m8n8k4 of halves, which Hopper has not: ptxas makes single-precision sums of it. C is added last, or, where
 * C and D are halves, to the first two products. */
static float quarter_sum(const float *product, float c, bool halves)
{
    if (halves)
        return (product[2] + product[3]) + ((product[0] + product[1]) + c);
    float sum = 0;
    for (uint32_t k = 0; k < 4; k++)
        sum += product[k];
    return sum + c;
}

static void sum_quarters(const struct program_matrix *matrix, struct matrix_words *words)
{
    const bool half_c = matrix->parts[MATRIX_C].type == MATRIX_F16;
    const bool half_d = matrix->parts[MATRIX_D].type == MATRIX_F16;
    for (uint32_t at = 0; at < 4 * 64; at++) {
        const uint64_t *const a = words->a + at / 64 * 32 + at % 64 / 8 * 4;
        const uint64_t *const b = words->b + at / 64 * 32 + at % 8;
        const float c = half_c ? f16_float((uint32_t)words->c[at]) : lanes_bits_float((uint32_t)words->c[at]);
        float product[4]; /* exact */
        for (uint32_t k = 0; k < 4; k++)
            product[k] = f16_float((uint32_t)a[k]) * f16_float((uint32_t)b[8 * k]);
        const float sum = quarter_sum(product, c, half_c && half_d);
        words->c[at] = half_d ? float_f16(sum) : isnan(sum) ? NAN_32 : lanes_float_bits(sum);
    }
}

void matrix_sum(const struct program_matrix *matrix, struct matrix_words *words)
{
    if (matrix->family == MATRIX_QUARTERS) {
        sum_quarters(matrix, words);
        return;
    }
    switch (matrix->parts[MATRIX_A].type) {
    case MATRIX_F16:
    case MATRIX_BF16:
    case MATRIX_TF32: sum_fused(matrix, words); break;
    case MATRIX_F64: sum_doubles(matrix, words); break;
    default: sum_integers(matrix, words); break;
    }
}

/* ---- instructions ---- */

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
