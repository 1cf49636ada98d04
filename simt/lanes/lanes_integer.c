/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Integer arithmetic: PTX ISA 9.0, 9.7.1. PTX leaves division by zero to the machine: here the quotient is
 * all ones and the remainder the dividend. The smallest integer divided by -1 gives itself.
 */
#include "simt/lanes/lanes_ops.h"

__extension__ typedef unsigned __int128 unsigned_128;
__extension__ typedef __int128 signed_128;

static inline uint32_t high_u32(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)a * b >> 32);
}

static inline uint32_t high_s32(int32_t a, int32_t b)
{
    return (uint32_t)((uint64_t)((int64_t)a * b) >> 32);
}

static inline uint64_t high_u64(uint64_t a, uint64_t b)
{
    return (uint64_t)((unsigned_128)a * b >> 64);
}

static inline uint64_t high_s64(int64_t a, int64_t b)
{
    return (uint64_t)((unsigned_128)((signed_128)a * b) >> 64);
}

/* The 48-bit products of the low 24 bits. */
static inline uint64_t product24_u32(uint32_t a, uint32_t b)
{
    return (uint64_t)(a & 0xffffffu) * (b & 0xffffffu);
}

static inline uint64_t product24_s32(int32_t a, int32_t b)
{
    return (uint64_t)((int64_t)((int32_t)((uint32_t)a << 8) >> 8) * ((int32_t)((uint32_t)b << 8) >> 8));
}

static inline int32_t clamp_s32(int64_t value)
{
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

/* Hosts divide vectors of doubles, not of words. A quotient of words that is below an integer is so by more than
 * 1/2^32 of it, which a double keeps: it is never rounded up to the integer. */
static inline uint32_t divide_u32(uint32_t a, uint32_t b)
{
    const uint32_t quotient = (uint32_t)((double)a / (double)(b == 0 ? 1 : b));
    return b == 0 ? UINT32_MAX : quotient;
}

static inline uint32_t divide_s32(int32_t a, int32_t b)
{
    const uint32_t quotient = (uint32_t)(int32_t)((double)a / (double)(b == 0 || b == -1 ? 1 : b));
    return b == 0 ? UINT32_MAX : b == -1 ? 0u - (uint32_t)a : quotient;
}

static inline uint64_t divide_u64(uint64_t a, uint64_t b)
{
    return b == 0 ? UINT64_MAX : a / b;
}

static inline uint64_t divide_s64(int64_t a, int64_t b)
{
    return b == 0 ? UINT64_MAX : b == -1 ? 0u - (uint64_t)a : (uint64_t)(a / b);
}

static inline uint32_t remainder_u32(uint32_t a, uint32_t b)
{
    return b == 0 ? a : a - divide_u32(a, b) * b;
}

static inline uint32_t remainder_s32(int32_t a, int32_t b)
{
    return b == 0 ? (uint32_t)a : (uint32_t)a - divide_s32(a, b) * (uint32_t)b;
}

static inline uint64_t remainder_u64(uint64_t a, uint64_t b)
{
    return b == 0 ? a : a % b;
}

static inline uint64_t remainder_s64(int64_t a, int64_t b)
{
    return b == 0 ? (uint64_t)a : b == -1 ? 0 : (uint64_t)(a % b);
}

static inline uint32_t distance_u32(uint32_t a, uint32_t b)
{
    return a < b ? b - a : a - b;
}

static inline uint32_t distance_s32(int32_t a, int32_t b)
{
    return a < b ? (uint32_t)b - (uint32_t)a : (uint32_t)a - (uint32_t)b;
}

static inline uint64_t distance_u64(uint64_t a, uint64_t b)
{
    return a < b ? b - a : a - b;
}

static inline uint64_t distance_s64(int64_t a, int64_t b)
{
    return a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
}

/* Pairs of 16 bits in 32: the results of the low and the high half. */
static inline uint32_t pair_words(uint32_t low, uint32_t high)
{
    return (low & 0xffffu) | high << 16;
}

static inline int32_t low_s16(uint32_t x)
{
    return (int16_t)(uint16_t)x;
}

static inline int32_t high_s16(uint32_t x)
{
    return (int16_t)(uint16_t)(x >> 16);
}

static inline uint32_t least_s16(int32_t a, int32_t b, int32_t floor)
{
    const int32_t least = a < b ? a : b;
    return (uint32_t)(least < floor ? floor : least);
}

static inline uint32_t most_s16(int32_t a, int32_t b, int32_t floor)
{
    const int32_t most = a > b ? a : b;
    return (uint32_t)(most < floor ? floor : most);
}

static inline uint32_t byte_u(uint32_t x, uint32_t index)
{
    return x >> 8 * index & 0xffu;
}

static inline uint32_t byte_s(uint32_t x, uint32_t index)
{
    return (uint32_t)(int32_t)(int8_t)(uint8_t)(x >> 8 * index);
}

static inline uint32_t half_u(uint32_t x, uint32_t index)
{
    return x >> 16 * index & 0xffffu;
}

static inline uint32_t half_s(uint32_t x, uint32_t index)
{
    return (uint32_t)(int32_t)(int16_t)(uint16_t)(x >> 16 * index);
}

#define DOT4(ka, kb)                                                        \
    byte_##ka(a, 0) * byte_##kb(b, 0) + byte_##ka(a, 1) * byte_##kb(b, 1) + \
        byte_##ka(a, 2) * byte_##kb(b, 2) + byte_##ka(a, 3) * byte_##kb(b, 3) + c
/* Without a mask, nothing of c is in the result of vabsdiff. */
#define APART4(i) (distance_s32((int32_t)byte_u(a, i), (int32_t)byte_u(b, i)))
/* Each byte of a result from those of a and b; without a mask nothing of c is in it. */
#define EACH4(of) ((c & 0u) | (of(0) & 255) | (of(1) & 255) << 8 | (of(2) & 255) << 16 | (of(3) & 255) << 24)
#define SUM_BYTE(i) (byte_u(a, i) + byte_u(b, i))
#define LESS_BYTE(i) (byte_u(a, i) - byte_u(b, i))
#define MEAN_BYTE(i) ((SUM_BYTE(i) + 1) >> 1)
#define LEAST_BYTE(i) (byte_u(a, i) < byte_u(b, i) ? byte_u(a, i) : byte_u(b, i))
#define MOST_BYTE(i) (byte_u(a, i) > byte_u(b, i) ? byte_u(a, i) : byte_u(b, i))
#define APART2(i) (distance_s32((int32_t)half_u(a, i), (int32_t)half_u(b, i)))
#define DOT2(ka, kb, first) \
    half_##ka(a, 0) * byte_##kb(b, first) + half_##ka(a, 1) * byte_##kb(b, first + 1) + c

/* clang-format off */ /* one row per function */
#define INTEGER_LIST(X1, X2, X3, W2, W3)                                                                     \
    X2(add_16, "add.[u16|s16]", INTEGER, U16, U16, U16, a + b)                                               \
    X2(add_32, "add.[u32|s32]", INTEGER, U32, U32, U32, a + b)                                               \
    X2(add_64, "add.[u64|s64]", INTEGER, U64, U64, U64, a + b)                                               \
    X2(add_16x2, "add.[u16x2|s16x2]", INTEGER, B32, B32, B32, pair_words(a + b, (a >> 16) + (b >> 16)))      \
    X2(add_sat_s32, "add.sat.s32", INTEGER, S32, S32, S32, clamp_s32((int64_t)a + b))                        \
    X2(sub_16, "sub.[u16|s16]", INTEGER, U16, U16, U16, a - b)                                               \
    X2(sub_32, "sub.[u32|s32]", INTEGER, U32, U32, U32, a - b)                                               \
    X2(sub_64, "sub.[u64|s64]", INTEGER, U64, U64, U64, a - b)                                               \
    X2(sub_sat_s32, "sub.sat.s32", INTEGER, S32, S32, S32, clamp_s32((int64_t)a - b))                        \
    X2(mul_lo_16, "mul.lo.[u16|s16]", INTEGER, U16, U16, U16, a *b)                                          \
    X2(mul_lo_32, "mul.lo.[u32|s32]", INTEGER, U32, U32, U32, a *b)                                          \
    X2(mul_lo_64, "mul.lo.[u64|s64]", INTEGER, U64, U64, U64, a *b)                                          \
    X2(mul_hi_u16, "mul.hi.u16", INTEGER, U16, U16, U16, a *b >> 16)                                         \
    X2(mul_hi_s16, "mul.hi.s16", INTEGER, S16, S16, S16, a *b >> 16)                                         \
    X2(mul_hi_u32, "mul.hi.u32", INTEGER, U32, U32, U32, high_u32(a, b))                                     \
    X2(mul_hi_s32, "mul.hi.s32", INTEGER, U32, S32, S32, high_s32(a, b))                                     \
    X2(mul_hi_u64, "mul.hi.u64", INTEGER, U64, U64, U64, high_u64(a, b))                                     \
    X2(mul_hi_s64, "mul.hi.s64", INTEGER, U64, S64, S64, high_s64(a, b))                                     \
    X2(mul_wide_u16, "mul.wide.u16", INTEGER, U32, U16, U16, a *b)                                           \
    X2(mul_wide_s16, "mul.wide.s16", INTEGER, S32, S16, S16, a *b)                                           \
    W2(mul_wide_u32, "mul.wide.u32", INTEGER, U64, U32, U32, product_u32(a, b))                              \
    W2(mul_wide_s32, "mul.wide.s32", INTEGER, U64, S32, S32, product_s32(a, b))                              \
    X2(mul24_lo_u32, "mul24.lo.u32", INTEGER, U32, U32, U32, (uint32_t)product24_u32(a, b))                  \
    X2(mul24_lo_s32, "mul24.lo.s32", INTEGER, U32, S32, S32, (uint32_t)product24_s32(a, b))                  \
    X2(mul24_hi_u32, "mul24.hi.u32", INTEGER, U32, U32, U32, (uint32_t)(product24_u32(a, b) >> 16))          \
    X2(mul24_hi_s32, "mul24.hi.s32", INTEGER, U32, S32, S32, (uint32_t)(product24_s32(a, b) >> 16))          \
    X3(mad_lo_16, "mad.lo.[u16|s16]", INTEGER, U16, U16, U16, U16, a *b + c)                                 \
    X3(mad_lo_32, "mad.lo.[u32|s32]", INTEGER, U32, U32, U32, U32, a *b + c)                                 \
    X3(mad_lo_64, "mad.lo.[u64|s64]", INTEGER, U64, U64, U64, U64, a *b + c)                                 \
    X3(mad_hi_u16, "mad.hi.u16", INTEGER, U16, U16, U16, U16, (a * b >> 16) + c)                             \
    X3(mad_hi_s16, "mad.hi.s16", INTEGER, S16, S16, S16, S16, (a * b >> 16) + c)                             \
    X3(mad_hi_u32, "mad.hi.u32", INTEGER, U32, U32, U32, U32, high_u32(a, b) + c)                            \
    X3(mad_hi_s32, "mad.hi.s32", INTEGER, U32, S32, S32, U32, high_s32(a, b) + c)                            \
    X3(mad_hi_u64, "mad.hi.u64", INTEGER, U64, U64, U64, U64, high_u64(a, b) + c)                            \
    X3(mad_hi_s64, "mad.hi.s64", INTEGER, U64, S64, S64, U64, high_s64(a, b) + c)                            \
    X3(mad_hi_sat_s32, "mad.hi.sat.s32", INTEGER, S32, S32, S32, S32,                                        \
       clamp_s32((int64_t)(int32_t)high_s32(a, b) + c))                                                      \
    X3(mad_wide_u16, "mad.wide.u16", INTEGER, U32, U16, U16, U32, a *b + c)                                  \
    X3(mad_wide_s16, "mad.wide.s16", INTEGER, U32, S16, S16, U32, (uint32_t)(a * b) + c)                     \
    W3(mad_wide_u32, "mad.wide.u32", INTEGER, U64, U32, U32, U64, product_u32(a, b) + c)                     \
    W3(mad_wide_s32, "mad.wide.s32", INTEGER, U64, S32, S32, U64, product_s32(a, b) + c)                     \
    X3(mad24_lo_u32, "mad24.lo.u32", INTEGER, U32, U32, U32, U32, (uint32_t)product24_u32(a, b) + c)         \
    X3(mad24_lo_s32, "mad24.lo.s32", INTEGER, U32, S32, S32, U32, (uint32_t)product24_s32(a, b) + c)         \
    X3(mad24_hi_u32, "mad24.hi.u32", INTEGER, U32, U32, U32, U32, (uint32_t)(product24_u32(a, b) >> 16) + c) \
    X3(mad24_hi_s32, "mad24.hi.s32", INTEGER, U32, S32, S32, U32, (uint32_t)(product24_s32(a, b) >> 16) + c) \
    X3(mad24_hi_sat_s32, "mad24.hi.sat.s32", INTEGER, S32, S32, S32, S32,                                    \
       clamp_s32((int64_t)(int32_t)(uint32_t)(product24_s32(a, b) >> 16) + c))                               \
    X3(sad_u16, "sad.u16", INTEGER, U16, U16, U16, U16, distance_u32(a, b) + c)                              \
    X3(sad_s16, "sad.s16", INTEGER, U16, S16, S16, U16, distance_s32(a, b) + c)                              \
    X3(sad_u32, "sad.u32", INTEGER, U32, U32, U32, U32, distance_u32(a, b) + c)                              \
    X3(sad_s32, "sad.s32", INTEGER, U32, S32, S32, U32, distance_s32(a, b) + c)                              \
    X3(sad_u64, "sad.u64", INTEGER, U64, U64, U64, U64, distance_u64(a, b) + c)                              \
    X3(sad_s64, "sad.s64", INTEGER, U64, S64, S64, U64, distance_s64(a, b) + c)                              \
    X2(div_u16, "div.u16", INTEGER, U16, U16, U16, divide_u32(a, b))                                         \
    X2(div_s16, "div.s16", INTEGER, U16, S16, S16, divide_s32(a, b))                                         \
    X2(div_u32, "div.u32", INTEGER, U32, U32, U32, divide_u32(a, b))                                         \
    X2(div_s32, "div.s32", INTEGER, U32, S32, S32, divide_s32(a, b))                                         \
    X2(div_u64, "div.u64", INTEGER, U64, U64, U64, divide_u64(a, b))                                         \
    X2(div_s64, "div.s64", INTEGER, U64, S64, S64, divide_s64(a, b))                                         \
    X2(rem_u16, "rem.u16", INTEGER, U16, U16, U16, remainder_u32(a, b))                                      \
    X2(rem_s16, "rem.s16", INTEGER, U16, S16, S16, remainder_s32(a, b))                                      \
    X2(rem_u32, "rem.u32", INTEGER, U32, U32, U32, remainder_u32(a, b))                                      \
    X2(rem_s32, "rem.s32", INTEGER, U32, S32, S32, remainder_s32(a, b))                                      \
    X2(rem_u64, "rem.u64", INTEGER, U64, U64, U64, remainder_u64(a, b))                                      \
    X2(rem_s64, "rem.s64", INTEGER, U64, S64, S64, remainder_s64(a, b))                                      \
    X1(abs_s16, "abs.s16", INTEGER, U16, S16, distance_s32(a, 0))                                            \
    X1(abs_s32, "abs.s32", INTEGER, U32, S32, distance_s32(a, 0))                                            \
    X1(abs_s64, "abs.s64", INTEGER, U64, S64, distance_s64(a, 0))                                            \
    X1(neg_s16, "neg.s16", INTEGER, U16, U16, 0u - a)                                                        \
    X1(neg_s32, "neg.s32", INTEGER, U32, U32, 0u - a)                                                        \
    X1(neg_s64, "neg.s64", INTEGER, U64, U64, 0u - a)                                                        \
    X2(min_u16, "min.u16", INTEGER, U16, U16, U16, a < b ? a : b)                                            \
    X2(min_s16, "min.s16", INTEGER, S16, S16, S16, a < b ? a : b)                                            \
    X2(min_u32, "min.u32", INTEGER, U32, U32, U32, a < b ? a : b)                                            \
    X2(min_s32, "min.s32", INTEGER, S32, S32, S32, a < b ? a : b)                                            \
    X2(min_u64, "min.u64", INTEGER, U64, U64, U64, a < b ? a : b)                                            \
    X2(min_s64, "min.s64", INTEGER, S64, S64, S64, a < b ? a : b)                                            \
    X2(min_relu_s32, "min.relu.s32", INTEGER, S32, S32, S32, (a < b ? a : b) < 0 ? 0 : a < b ? a : b)        \
    X2(min_u16x2, "min.u16x2", INTEGER, B32, B32, B32,                                                       \
       pair_words(half_u(a, 0) < half_u(b, 0) ? a : b, a >> 16 < b >> 16 ? a >> 16 : b >> 16))               \
    X2(min_s16x2, "min.s16x2", INTEGER, B32, B32, B32,                                                       \
       pair_words(least_s16(low_s16(a), low_s16(b), INT16_MIN),                                              \
                  least_s16(high_s16(a), high_s16(b), INT16_MIN)))                                           \
    X2(min_relu_s16x2, "min.relu.s16x2", INTEGER, B32, B32, B32,                                             \
       pair_words(least_s16(low_s16(a), low_s16(b), 0), least_s16(high_s16(a), high_s16(b), 0)))             \
    X2(max_u16, "max.u16", INTEGER, U16, U16, U16, a > b ? a : b)                                            \
    X2(max_s16, "max.s16", INTEGER, S16, S16, S16, a > b ? a : b)                                            \
    X2(max_u32, "max.u32", INTEGER, U32, U32, U32, a > b ? a : b)                                            \
    X2(max_s32, "max.s32", INTEGER, S32, S32, S32, a > b ? a : b)                                            \
    X2(max_u64, "max.u64", INTEGER, U64, U64, U64, a > b ? a : b)                                            \
    X2(max_s64, "max.s64", INTEGER, S64, S64, S64, a > b ? a : b)                                            \
    X2(max_relu_s32, "max.relu.s32", INTEGER, S32, S32, S32, (a > b ? a : b) < 0 ? 0 : a > b ? a : b)        \
    X2(max_u16x2, "max.u16x2", INTEGER, B32, B32, B32,                                                       \
       pair_words(half_u(a, 0) > half_u(b, 0) ? a : b, a >> 16 > b >> 16 ? a >> 16 : b >> 16))               \
    X2(max_s16x2, "max.s16x2", INTEGER, B32, B32, B32,                                                       \
       pair_words(most_s16(low_s16(a), low_s16(b), INT16_MIN),                                               \
                  most_s16(high_s16(a), high_s16(b), INT16_MIN)))                                            \
    X2(max_relu_s16x2, "max.relu.s16x2", INTEGER, B32, B32, B32,                                             \
       pair_words(most_s16(low_s16(a), low_s16(b), 0), most_s16(high_s16(a), high_s16(b), 0)))               \
    X3(dp4a_u32_u32, "dp4a.u32.u32", INTEGER, U32, B32, B32, U32, DOT4(u, u))                                \
    X3(dp4a_u32_s32, "dp4a.u32.s32", INTEGER, U32, B32, B32, U32, DOT4(u, s))                                \
    X3(dp4a_s32_u32, "dp4a.s32.u32", INTEGER, U32, B32, B32, U32, DOT4(s, u))                                \
    X3(dp4a_s32_s32, "dp4a.s32.s32", INTEGER, U32, B32, B32, U32, DOT4(s, s))                                \
    X3(dp2a_lo_u32_u32, "dp2a.lo.u32.u32", INTEGER, U32, B32, B32, U32, DOT2(u, u, 0))                       \
    X3(dp2a_lo_u32_s32, "dp2a.lo.u32.s32", INTEGER, U32, B32, B32, U32, DOT2(u, s, 0))                       \
    X3(dp2a_lo_s32_u32, "dp2a.lo.s32.u32", INTEGER, U32, B32, B32, U32, DOT2(s, u, 0))                       \
    X3(dp2a_lo_s32_s32, "dp2a.lo.s32.s32", INTEGER, U32, B32, B32, U32, DOT2(s, s, 0))                       \
    X3(dp2a_hi_u32_u32, "dp2a.hi.u32.u32", INTEGER, U32, B32, B32, U32, DOT2(u, u, 2))                       \
    X3(dp2a_hi_u32_s32, "dp2a.hi.u32.s32", INTEGER, U32, B32, B32, U32, DOT2(u, s, 2))                       \
    X3(dp2a_hi_s32_u32, "dp2a.hi.s32.u32", INTEGER, U32, B32, B32, U32, DOT2(s, u, 2))                       \
    X3(dp2a_hi_s32_s32, "dp2a.hi.s32.s32", INTEGER, U32, B32, B32, U32, DOT2(s, s, 2))                       \
    X3(vabsdiff4, "vabsdiff4.u32.u32.u32", INTEGER, U32, B32, B32, U32,                                      \
       (c & 0u) | APART4(0) | APART4(1) << 8 | APART4(2) << 16 | APART4(3) << 24)                                       \
    X3(vabsdiff4_add, "vabsdiff4.u32.u32.u32.add", INTEGER, U32, B32, B32, U32,                              \
       APART4(0) + APART4(1) + APART4(2) + APART4(3) + c)                                                    \
    X3(vadd4, "vadd4.u32.u32.u32", INTEGER, U32, B32, B32, U32, EACH4(SUM_BYTE))                                 \
    X3(vsub4, "vsub4.u32.u32.u32", INTEGER, U32, B32, B32, U32, EACH4(LESS_BYTE))                                \
    X3(vavrg4, "vavrg4.u32.u32.u32", INTEGER, U32, B32, B32, U32, EACH4(MEAN_BYTE))                              \
    X3(vmin4, "vmin4.u32.u32.u32", INTEGER, U32, B32, B32, U32, EACH4(LEAST_BYTE))                               \
    X3(vmax4, "vmax4.u32.u32.u32", INTEGER, U32, B32, B32, U32, EACH4(MOST_BYTE))                                \
    X3(vabsdiff2, "vabsdiff2.u32.u32.u32", INTEGER, U32, B32, B32, U32, (c & 0u) | APART2(0) | APART2(1) << 16)         \
    X3(vabsdiff2_add, "vabsdiff2.u32.u32.u32.add", INTEGER, U32, B32, B32, U32, APART2(0) + APART2(1) + c)
/* clang-format on */

/* For the rows' expressions gcc multiplies 64 bits by 64, in three steps. */
#if defined(__AVX512F__)
#define WIDEN_U32 _mm512_cvtepu32_epi64
#define WIDEN_S32 _mm512_cvtepi32_epi64
#define MULTIPLY_U32 _mm512_mul_epu32
#define MULTIPLY_S32 _mm512_mul_epi32
#define WIDE_PRODUCT(A, B)                                                                     \
    MULTIPLY_##A(WIDEN_##A(_mm256_load_si256((const __m256i *)(const void *)(from_a + lane))), \
                 WIDEN_##B(_mm256_load_si256((const __m256i *)(const void *)(from_b + lane))))
#define WIDE_FUNCTION(name, sources, value)                                                          \
    static void name(const struct program_instruction *instruction, uint8_t *frame, uint32_t active) \
    {                                                                                                \
        if (__builtin_expect(active != LANES_ALL, 0)) {                                              \
            lanes_some_64(name, instruction, frame, active);                                         \
            return;                                                                                  \
        }                                                                                            \
        uint64_t *const result = lanes_slot(frame, instruction->destination[0]);                     \
        sources;                                                                                     \
        for (uint32_t lane = 0; lane < LANES_WARP; lane += 8)                                        \
            _mm512_store_si512(result + lane, value);                                                \
    }
#define DEFINE_WIDE2(name, form, kind, D, A, B, expression) \
    WIDE_FUNCTION(name, LANES_SOURCES2(A, B), WIDE_PRODUCT(A, B))
#define DEFINE_WIDE3(name, form, kind, D, A, B, C, expression) \
    WIDE_FUNCTION(name, LANES_SOURCES3(A, B, C),               \
                  _mm512_add_epi64(WIDE_PRODUCT(A, B), _mm512_load_si512(from_c + lane)))
#else
static inline uint64_t product_u32(uint32_t a, uint32_t b)
{
    return (uint64_t)a * b;
}

static inline uint64_t product_s32(int32_t a, int32_t b)
{
    return (uint64_t)((int64_t)a * b);
}

#define DEFINE_WIDE2 DEFINE2
#define DEFINE_WIDE3 DEFINE3
#endif

INTEGER_LIST(DEFINE1, DEFINE2, DEFINE3, DEFINE_WIDE2, DEFINE_WIDE3)

const struct lanes_entry LANES_TABLE(integer)[] = {INTEGER_LIST(ENTRY1, ENTRY2, ENTRY3, ENTRY2, ENTRY3){0}};
