/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sums of products, term by term: where terms are cut off, how results are rounded, special values, and
 * the other types. All expected bits are worked out by hand from the published models
 * (simt/lanes/matrix.c).
 */
#include "simt/lanes/matrix.h"

#include <criterion/criterion.h>
#include <fenv.h>
#include <string.h>

static struct program_matrix matrix;
static struct matrix_words words;

/* A product of this type, of which row 0 and column 0 matter; k from the words. */
static void begin_product(enum matrix_type type, enum matrix_type sum, uint32_t k)
{
    matrix = (struct program_matrix){.family = MATRIX_MMA,
                                     .m = 16,
                                     .n = 8,
                                     .k = k,
                                     .sum_row = matrix_row_choose(),
                                     .rounding = FE_TONEAREST,
                                     .parts = {{.type = type}, {.type = type}, {.type = sum}, {.type = sum}}};
    memset(&words, 0, sizeof words);
}

static void set_term(uint32_t k, uint64_t a, uint64_t b)
{
    words.a[k] = a;
    words.b[8 * k] = b;
}

static uint64_t sum_with(uint64_t c)
{
    words.c[0] = c;
    matrix_sum(&matrix, &words);
    return words.c[0];
}

/* Powers of two. */
static uint32_t half(int exponent)
{
    return (uint32_t)(exponent + 15) << 10;
}

static uint32_t single(int exponent)
{
    return (uint32_t)(exponent + 127) << 23;
}

#define MINUS_16 0x8000u
#define MINUS_32 0x80000000u

/* 1 - 1 + 2^-e: what remains tells how many bits follow the point. */
static uint64_t remainder_of(int exponent)
{
    begin_product(MATRIX_F16, MATRIX_F32, 16);
    set_term(0, half(0), half(0));
    set_term(9, half(0) | MINUS_16, half(0));
    set_term(15, half(exponent / 2), half(exponent - exponent / 2));
    return sum_with(0);
}

Test(matrix, terms_are_cut_off_25_bits_behind_the_largest)
{
    cr_assert_eq(remainder_of(-24), single(-24));
    cr_assert_eq(remainder_of(-25), single(-25));
    cr_assert_eq(remainder_of(-26), 0);
    /* Each on its own, towards zero: two halves of the last bit do not add up, and a negative one is no bit.
     */
    begin_product(MATRIX_F16, MATRIX_F32, 16);
    set_term(0, half(0), half(0));
    set_term(1, half(-13), half(-13));
    set_term(2, half(-13), half(-13));
    set_term(3, half(-13) | MINUS_16, half(-14));
    cr_assert_eq(sum_with(single(0) | MINUS_32), 0);
    /* The element of C sets the largest exponent as well, and is cut off as well. */
    begin_product(MATRIX_F16, MATRIX_F32, 8);
    set_term(0, half(-10), half(-10));
    cr_assert_eq(sum_with(single(6)), 0x42800000u);
    begin_product(MATRIX_F16, MATRIX_F32, 8);
    set_term(0, half(3), half(3));
    set_term(1, half(3), half(3) | MINUS_16);
    cr_assert_eq(sum_with(single(-19) + 1), single(-19)); /* its last bit, 2^-42, is gone */
    /* The exponent of 1.5 x 1.5 is 0, not 1: one bit more stays. */
    begin_product(MATRIX_F16, MATRIX_F32, 8);
    set_term(0, 0x3e00, 0x3e00);
    set_term(1, 0x3e00, 0xbe00);
    set_term(2, half(-12), half(-13));
    cr_assert_eq(sum_with(0), single(-25));
}

Test(matrix, singles_are_cut_off_and_halves_rounded)
{
    static const struct {
        int small;
        uint32_t sign, wanted;
    } halves[] = {
        {-11, 0, 0x3c00},        {-10, 0, 0x3c01}, {-12, MINUS_16, 0x3c00},
        {-11, MINUS_16, 0x3bff}, {-12, 0, 0x3c00},
    };
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++) {
        begin_product(MATRIX_F16, MATRIX_F16, 16);
        set_term(3, half(0), half(0));
        set_term(4, half(halves[i].small) | halves[i].sign, half(0));
        cr_assert_eq(sum_with(0), halves[i].wanted, "%d", halves[i].small);
    }
    begin_product(MATRIX_F16, MATRIX_F16, 16); /* 1 + 2^-10 + 2^-11: a tie, to even */
    set_term(0, 0x3c01, half(0));
    set_term(1, half(-11), half(0));
    cr_assert_eq(sum_with(0), 0x3c02);
    begin_product(MATRIX_F16, MATRIX_F32, 16); /* 1 + 2^-24 + 2^-25, and the same of the other sign */
    set_term(0, half(0), half(0));
    set_term(1, half(-12), half(-12));
    set_term(2, half(-12), half(-13));
    cr_assert_eq(sum_with(0), single(0));
    begin_product(MATRIX_F16, MATRIX_F32, 16);
    set_term(0, half(0) | MINUS_16, half(0));
    set_term(1, half(-12), half(-12) | MINUS_16);
    cr_assert_eq(sum_with(0), single(0) | MINUS_32);
}

Test(matrix, ends_of_the_range)
{
    begin_product(MATRIX_F16, MATRIX_F16, 8); /* 65504 + 16 is a tie between it and infinity; 15 is not */
    set_term(0, 0x7bff, half(0));
    set_term(1, half(4), half(0));
    cr_assert_eq(sum_with(0), 0x7c00);
    begin_product(MATRIX_F16, MATRIX_F16, 8);
    set_term(0, 0x7bff, half(0));
    set_term(1, 0x4b80, half(0));
    cr_assert_eq(sum_with(0), 0x7bff);
    begin_product(MATRIX_F16, MATRIX_F16, 8); /* subnormal halves: 2^-24, 3/2 of it, 2^-25 */
    set_term(0, half(-12), half(-12));
    cr_assert_eq(sum_with(0), 1);
    set_term(1, half(-12), half(-13));
    cr_assert_eq(sum_with(0), 2);
    begin_product(MATRIX_F16, MATRIX_F16, 8);
    set_term(0, half(-12), half(-13));
    cr_assert_eq(sum_with(0), 0);
    begin_product(MATRIX_F16, MATRIX_F32, 8); /* subnormal factors: 2^-24 x 2^15, 3 x 2^-24 */
    set_term(0, 1, half(15));
    set_term(1, 3, half(0));
    cr_assert_eq(sum_with(0), single(-9) + (3u << 8));
    begin_product(MATRIX_BF16, MATRIX_F32, 8); /* 2^-70 x 2^-70 = 2^-140, a subnormal */
    set_term(0, (uint32_t)(127 - 70) << 7, (uint32_t)(127 - 70) << 7);
    cr_assert_eq(sum_with(0), 1u << 9);
    begin_product(MATRIX_BF16, MATRIX_F32, 8); /* 2^100 x 2^100 */
    set_term(0, (uint32_t)(127 + 100) << 7, (uint32_t)(127 + 100) << 7 | MINUS_16);
    cr_assert_eq(sum_with(0), 0xff800000u);
    begin_product(MATRIX_BF16, MATRIX_F32, 8); /* 2^63 x 2^64 is finite, 1.5 x 2^64 x 2^64 is not */
    set_term(0, (uint32_t)(127 + 63) << 7, (uint32_t)(127 + 64) << 7);
    cr_assert_eq(sum_with(0), single(127));
    begin_product(MATRIX_BF16, MATRIX_F32, 8);
    set_term(0, (uint32_t)(127 + 64) << 7 | 0x40, (uint32_t)(127 + 64) << 7);
    cr_assert_eq(sum_with(0), 0x7f800000u);
    begin_product(MATRIX_BF16, MATRIX_F32, 8); /* intermediate infinity is none */
    set_term(0, (uint32_t)(127 + 100) << 7, (uint32_t)(127 + 100) << 7);
    set_term(5, (uint32_t)(127 + 100) << 7, (uint32_t)(127 + 100) << 7 | MINUS_16);
    cr_assert_eq(sum_with(single(0)), 0);
}

Test(matrix, infinity_and_what_is_no_number)
{
    static const struct {
        uint32_t a, b, c, wanted;
    } rows[] = {{0x7c00, 0x3c00, 0, 0x7f800000},
                {0x7c00, 0xbc00, 0, 0xff800000},
                {0x7c00, 0, 0, 0x7fffffff},
                {0x3c00, 0xfc00, 0x7f800000, 0x7fffffff},
                {0x3c00, 0x7c00, 0x7f800000, 0x7f800000},
                {0x7c01, 0x3c00, 0, 0x7fffffff},
                {0, 0xfe00, 0, 0x7fffffff},
                {0x3c00, 0x3c00, 0xffc00001, 0x7fffffff},
                {0x3c00, 0x3c00, 0xff800000, 0xff800000}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin_product(MATRIX_F16, MATRIX_F32, 16);
        set_term(11, rows[i].a, rows[i].b);
        words.c[1] = single(3);
        cr_assert_eq(sum_with(rows[i].c), rows[i].wanted, "row %zu", i);
        /* The other column has the finite sums, or no number where A has none. */
        cr_assert_eq(words.c[1], rows[i].a >= 0x7c00 ? 0x7fffffffu : single(3), "row %zu", i);
    }
    begin_product(MATRIX_F16, MATRIX_F16, 8);
    set_term(0, 0x7c00, 0);
    cr_assert_eq(sum_with(0), 0x7fff);
    begin_product(MATRIX_F16, MATRIX_F16, 8);
    set_term(0, 0xfc00, half(0));
    cr_assert_eq(sum_with(0), 0xfc00);
}

Test(matrix, tf32_has_ten_bits_of_a_word)
{
    begin_product(MATRIX_TF32, MATRIX_F32, 8);
    set_term(7, single(0) | 0x1fff, single(1) | 0x3fff);
    cr_assert_eq(sum_with(0), single(1) | 0x2000);
}

Test(matrix, doubles_are_a_chain_of_multiply_adds)
{
    const double tiny = 0x1p-53, one = 1;
    double result;
    uint64_t bits[2];
    memcpy(&bits[0], &tiny, 8);
    memcpy(&bits[1], &one, 8);
    static const struct {
        int rounding;
        double wanted;
    } rows[] = {{FE_TONEAREST, 1}, {FE_UPWARD, 1 + 0x1p-51}, {FE_DOWNWARD, 1}, {FE_TOWARDZERO, 1}};
    for (size_t i = 0; i < 4; i++) {
        begin_product(MATRIX_F64, MATRIX_F64, 4);
        matrix.rounding = rows[i].rounding;
        set_term(1, bits[0], bits[1]);
        set_term(2, bits[0], bits[1]);
        const uint64_t sum = sum_with(bits[1]);
        memcpy(&result, &sum, 8);
        cr_assert(result <= rows[i].wanted && result >= rows[i].wanted, "%zu: %a", i, result);
        cr_assert_eq(fegetround(), FE_TONEAREST);
    }
    begin_product(MATRIX_F64, MATRIX_F64, 4);
    /* A NaN of B, then C, then A, made quiet. */
    cr_assert_eq(sum_with(UINT64_C(0x7ff0000000000001)), UINT64_C(0x7ff8000000000001));
    begin_product(MATRIX_F64, MATRIX_F64, 4);
    set_term(0, UINT64_C(0xfff8000000000003), UINT64_C(0xfff8000000000002));
    cr_assert_eq(sum_with(UINT64_C(0x7ff0000000000001)), UINT64_C(0xfff8000000000002));
    begin_product(MATRIX_F64, MATRIX_F64, 4);
    set_term(0, UINT64_C(0x7ff0000000000000), 0);
    cr_assert_eq(sum_with(bits[1]), UINT64_C(0xfff8000000000000));
}

Test(matrix, integers_wrap_or_are_clamped)
{
    for (uint32_t clamp = 0; clamp < 2; clamp++) {
        begin_product(MATRIX_S8, MATRIX_S32, 16);
        matrix.saturate = clamp;
        set_term(0, 0x80, 0x80);
        cr_assert_eq(sum_with(INT32_MAX - 1), clamp ? INT32_MAX : 0x80003ffe);
        begin_product(MATRIX_S8, MATRIX_S32, 16);
        matrix.saturate = clamp;
        set_term(0, 0x80, 0x7f);
        cr_assert_eq(sum_with(0x80000001), clamp ? 0x80000000 : 0x7fffc081);
    }
    begin_product(MATRIX_U8, MATRIX_S32, 16);
    matrix.parts[MATRIX_B].type = MATRIX_S8;
    set_term(5, 0xff, 0xff);
    cr_assert_eq(sum_with(0), (uint32_t)-255);
    begin_product(MATRIX_S4, MATRIX_S32, 64);
    matrix.parts[MATRIX_B].type = MATRIX_U4;
    set_term(63, 0x8, 0xf);
    cr_assert_eq(sum_with(1), (uint32_t)-119);
    for (uint32_t and = 0; and < 2; and++) {
        begin_product(MATRIX_B1, MATRIX_S32, 128);
        matrix.bits_and = and;
        set_term(3, 0xf0f0f0f0, 0xff00ff00);
        cr_assert_eq(sum_with(10), 10 + (and? 8 : 16));
    }
}

/* The products in the order of k, each sum rounded to single precision, C last; then to half, where D is
 * half. */
Test(matrix, quarters_are_single_multiply_adds)
{
    begin_product(MATRIX_F16, MATRIX_F32, 4);
    matrix.family = MATRIX_QUARTERS;
    matrix.m = 8;
    set_term(0, half(-12), half(-12));
    set_term(1, half(-12), half(-12));
    set_term(2, half(-12), half(-11));
    words.a[3 * 32 + 4 * 7 + 3] = half(2); /* the fourth product's row 7 */
    words.b[3 * 32 + 8 * 3 + 5] = half(1);
    cr_assert_eq(sum_with(single(0)), single(0) + 2); /* with C first it would be 1: two ties, to even */
    cr_assert_eq(words.c[3 * 64 + 8 * 7 + 5], single(3));
}
