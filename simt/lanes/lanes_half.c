/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Half precision, single and in pairs: PTX ISA 9.0, 9.7.4. Sums of halves are first rounded to float. A float
 * has more than twice the bits of a half plus two, so rounding a second time changes nothing. Products and
 * fused sums are exact, or rounded to odd, in double.
 */
#include "simt/lanes/lanes_half.h"

static inline uint32_t f16_sum(uint32_t a, uint32_t b)
{
    return float_f16(f16_float(a) + f16_float(b));
}

static inline uint32_t f16_product(uint32_t a, uint32_t b)
{
    return float_f16(f16_float(a) * f16_float(b)); /* exact before it is rounded */
}

static inline uint32_t f16_fused(uint32_t a, uint32_t b, uint32_t c)
{
    return double_f16(lanes_sum_to_odd((double)f16_float(a) * (double)f16_float(b), (double)f16_float(c)));
}

static inline uint32_t bf16_sum(uint32_t a, uint32_t b)
{
    return float_bf16(bf16_float(a) + bf16_float(b));
}

static inline uint32_t bf16_product(uint32_t a, uint32_t b)
{
    return double_bf16((double)bf16_float(a) * (double)bf16_float(b)); /* the range of a float is too small */
}

static inline uint32_t bf16_fused(uint32_t a, uint32_t b, uint32_t c)
{
    return double_bf16(
        lanes_sum_to_odd((double)bf16_float(a) * (double)bf16_float(b), (double)bf16_float(c)));
}

/* Modifiers are the same for all lanes; used as masks they avoid branches in the loop over lanes. */
static inline uint32_t mask_if(bool condition)
{
    return 0u - (uint32_t)condition;
}

/* .ftz for an operand or result; only f16 has it. */
static inline uint32_t flush_half(uint32_t half, uint32_t modifiers)
{
    const uint32_t cut = mask_if((half & 0x7c00u) == 0) & mask_if((modifiers & LANES_FTZ) != 0);
    return half & (0x8000u | ~cut);
}

/* .ftz, .sat (f16: clamp to 0 ... 1, NaN becomes 0) and .relu (0 if negative) for a result. */
static inline uint32_t finish_half(uint32_t half, uint32_t modifiers)
{
    const uint32_t result = flush_half(half, modifiers);
    const uint32_t saturates = mask_if((modifiers & LANES_SAT) != 0);
    const uint32_t zero =
        (mask_if((result & 0x7fffu) > 0x7c00u) & saturates) |
        (mask_if((result & 0x8000u) != 0) & mask_if((modifiers & (LANES_SAT | LANES_RELU)) != 0));
    const uint32_t one = mask_if(result > 0x3c00u) & saturates;
    return ((result & ~one) | (0x3c00u & one)) & ~zero;
}

/* An integer with the same order as the numbers, -0 before +0. */
static inline int32_t half_rank(uint32_t half)
{
    return (half & 0x8000u) != 0 ? -(int32_t)(half & 0x7fffu) - 1 : (int32_t)half;
}

/* infinity: of the format; a larger magnitude is NaN. sign: 1 minimum, -1 maximum. */
static inline uint32_t extreme_half(uint32_t a, uint32_t b, uint32_t modifiers, uint32_t infinity,
                                    int32_t sign)
{
    const uint32_t x = flush_half(a, modifiers), y = flush_half(b, modifiers);
    const uint32_t xor_sign = mask_if((modifiers & LANES_XORSIGN) != 0) & 0x8000u;
    const uint32_t first = x & ~xor_sign, second = y & ~xor_sign;
    const uint32_t first_nan = mask_if((x & 0x7fffu) > infinity),
                   second_nan = mask_if((y & 0x7fffu) > infinity);
    const uint32_t numbers = sign * half_rank(first) < sign * half_rank(second) ? first : second;
    const uint32_t result = (first_nan & second) | (~first_nan & second_nan & first) |
                            (~first_nan & ~second_nan & numbers) | ((x ^ y) & xor_sign);
    const uint32_t nan =
        (first_nan & second_nan) | ((first_nan | second_nan) & mask_if((modifiers & LANES_NAN) != 0));
    return (nan & 0x7fffu) | (~nan & result);
}

/* Applies `operation` to one half, or to both halves of a pair: operands are flushed first, the result is
 * finished afterwards. */
#define HALF_SUM(f, x, y, m) finish_half(f##_sum(flush_half(x, m), flush_half(y, m)), m)
#define HALF_DIFFERENCE(f, x, y, m) finish_half(f##_sum(flush_half(x, m), flush_half(y, m) ^ 0x8000u), m)
#define HALF_PRODUCT(f, x, y, m) finish_half(f##_product(flush_half(x, m), flush_half(y, m)), m)
#define HALF_FUSED(f, x, y, z, m) \
    finish_half(f##_fused(flush_half(x, m), flush_half(y, m), flush_half(z, m)), m)
#define HALF_LEAST(f, x, y, m) extreme_half(x, y, m, f##_infinity, 1)
#define HALF_MOST(f, x, y, m) extreme_half(x, y, m, f##_infinity, -1)
#define HALF_NEGATED(f, x, m) (flush_half(x, m) ^ 0x8000u)
#define HALF_MAGNITUDE(f, x, m) (flush_half(x, m) & 0x7fffu)
#define f16_infinity 0x7c00u
#define bf16_infinity 0x7f80u
#define LOW(x) ((x)&0xffffu)
#define HIGH(x) ((x) >> 16)

#define HALF1(name, form, T, f, operation)                                                           \
    LANES_FUNCTION(name, T, LANES_SOURCES1(T);                                                       \
                   const uint32_t m = instruction->immediate, LANES_VALUE(T, a), operation(f, a, m)) \
    LANES_FUNCTION(name##_pair, T##X2, LANES_SOURCES1(T##X2);                                        \
                   const uint32_t m = instruction->immediate, LANES_VALUE(T##X2, a),                 \
                   operation(f, LOW(a), m) | operation(f, HIGH(a), m) << 16)
#define HALF2(name, form, T, f, operation)                                           \
    LANES_FUNCTION(name, T, LANES_SOURCES2(T, T);                                    \
                   const uint32_t m = instruction->immediate, LANES_VALUE(T, a);     \
                   LANES_VALUE(T, b), operation(f, a, b, m))                         \
    LANES_FUNCTION(name##_pair, T##X2, LANES_SOURCES2(T##X2, T##X2);                 \
                   const uint32_t m = instruction->immediate, LANES_VALUE(T##X2, a); \
                   LANES_VALUE(T##X2, b),                                            \
                   operation(f, LOW(a), LOW(b), m) | operation(f, HIGH(a), HIGH(b), m) << 16)
#define HALF3(name, form, T, f, operation)                                                                  \
    LANES_FUNCTION(name, T, LANES_SOURCES3(T, T, T);                                                        \
                   const uint32_t m = instruction->immediate, LANES_VALUE(T, a); LANES_VALUE(T, b);         \
                   LANES_VALUE(T, c), operation(f, a, b, c, m))                                             \
    LANES_FUNCTION(name##_pair, T##X2, LANES_SOURCES3(T##X2, T##X2, T##X2);                                 \
                   const uint32_t m = instruction->immediate, LANES_VALUE(T##X2, a); LANES_VALUE(T##X2, b); \
                   LANES_VALUE(T##X2, c), operation(f, LOW(a), LOW(b), LOW(c), m) |                         \
                                              operation(f, HIGH(a), HIGH(b), HIGH(c), m) << 16)

/* clang-format off */ /* one row per format; a form ends in .f16 or .f16x2 */
#define HALF_LIST(X1, X2, X3)                                                 \
    X2(add_f16, "add[.rn|][.ftz|][.sat|].f16", F16, f16, HALF_SUM)            \
    X2(sub_f16, "sub[.rn|][.ftz|][.sat|].f16", F16, f16, HALF_DIFFERENCE)     \
    X2(mul_f16, "mul[.rn|][.ftz|][.sat|].f16", F16, f16, HALF_PRODUCT)        \
    X3(fma_f16, "fma.rn[.ftz|][.sat|.relu|].f16", F16, f16, HALF_FUSED)       \
    X2(min_f16, "min[.ftz|][.NaN|][.xorsign.abs|].f16", F16, f16, HALF_LEAST) \
    X2(max_f16, "max[.ftz|][.NaN|][.xorsign.abs|].f16", F16, f16, HALF_MOST)  \
    X1(neg_f16, "neg[.ftz|].f16", F16, f16, HALF_NEGATED)                     \
    X1(abs_f16, "abs[.ftz|].f16", F16, f16, HALF_MAGNITUDE)                   \
    X2(add_bf16, "add[.rn|].bf16", BF16, bf16, HALF_SUM)                      \
    X2(sub_bf16, "sub[.rn|].bf16", BF16, bf16, HALF_DIFFERENCE)               \
    X2(mul_bf16, "mul[.rn|].bf16", BF16, bf16, HALF_PRODUCT)                  \
    X3(fma_bf16, "fma.rn[.relu|].bf16", BF16, bf16, HALF_FUSED)               \
    X2(min_bf16, "min[.NaN|][.xorsign.abs|].bf16", BF16, bf16, HALF_LEAST)    \
    X2(max_bf16, "max[.NaN|][.xorsign.abs|].bf16", BF16, bf16, HALF_MOST)     \
    X1(neg_bf16, "neg.bf16", BF16, bf16, HALF_NEGATED)                        \
    X1(abs_bf16, "abs.bf16", BF16, bf16, HALF_MAGNITUDE)
/* clang-format on */

HALF_LIST(HALF1, HALF2, HALF3)

#define HALF_ENTRY1(name, form, T, f, operation)     \
    {form, name, CLASS_HALF, 1, {PTX_##T, PTX_##T}}, \
        {form "x2", name##_pair, CLASS_HALF, 1, {PTX_##T##X2, PTX_##T##X2}},
#define HALF_ENTRY2(name, form, T, f, operation)              \
    {form, name, CLASS_HALF, 1, {PTX_##T, PTX_##T, PTX_##T}}, \
        {form "x2", name##_pair, CLASS_HALF, 1, {PTX_##T##X2, PTX_##T##X2, PTX_##T##X2}},
#define HALF_ENTRY3(name, form, T, f, operation)                       \
    {form, name, CLASS_HALF, 1, {PTX_##T, PTX_##T, PTX_##T, PTX_##T}}, \
        {form "x2", name##_pair, CLASS_HALF, 1, {PTX_##T##X2, PTX_##T##X2, PTX_##T##X2, PTX_##T##X2}},

const struct lanes_entry LANES_TABLE(half)[] = {HALF_LIST(HALF_ENTRY1, HALF_ENTRY2, HALF_ENTRY3){0}};
