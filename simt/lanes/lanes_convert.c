/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The most frequent conversions, between registers of exactly the types' sizes: PTX ISA 9.0, 9.7.9.21 and
 * .22. All others use cvt.any in lanes_rounding.c.
 */
#include "simt/lanes/lanes_half.h"

/* To integers: values are clamped to the range of the type. NaN gives 0 if neither the source nor the result
 * has 64 bits, else only the top bit of the result. */
static inline uint32_t s32_of_f32(float x)
{
    const bool inside = x >= -0x1p31f && x < 0x1p31f;
    const uint32_t value = (uint32_t)(int32_t)(inside ? x : 0);
    return inside ? value : x > 0 ? 0x7fffffffu : x < 0 ? 0x80000000u : 0;
}

static inline uint32_t u32_of_f32(float x)
{
    const bool inside = x >= 0 && x < 0x1p32f, upper = inside && x >= 0x1p31f;
    const uint32_t value = (uint32_t)(int32_t)(upper ? x - 0x1p31f : inside ? x : 0);
    return upper ? value | 0x80000000u : inside ? value : x > 0 ? UINT32_MAX : 0;
}

static inline uint64_t s64_of_f32(float x)
{
    const bool inside = x >= -0x1p63f && x < 0x1p63f;
    const uint64_t value = (uint64_t)(int64_t)(inside ? x : 0);
    return inside ? value : x > 0 ? INT64_MAX : UINT64_C(0x8000000000000000);
}

static inline uint64_t u64_of_f32(float x)
{
    const bool inside = x >= 0 && x < 0x1p64f;
    const uint64_t value = (uint64_t)(inside ? x : 0);
    return inside ? value : x > 0 ? UINT64_MAX : x < 0 ? 0 : UINT64_C(0x8000000000000000);
}

static inline uint32_t s32_of_f64(double x)
{
    const bool inside = x > -0x1.00000002p31 && x < 0x1p31;
    const uint32_t value = (uint32_t)(int32_t)(inside ? x : 0);
    return inside ? value : x > 0 ? 0x7fffffffu : 0x80000000u;
}

static inline uint32_t u32_of_f64(double x)
{
    const bool inside = x >= 0 && x < 0x1p32, upper = inside && x >= 0x1p31;
    const uint32_t value = (uint32_t)(int32_t)(upper ? x - 0x1p31 : inside ? x : 0);
    return upper ? value | 0x80000000u : inside ? value : x > 0 ? UINT32_MAX : x < 0 ? 0 : 0x80000000u;
}

static inline uint64_t s64_of_f64(double x)
{
    const bool inside = x >= -0x1p63 && x < 0x1p63;
    const uint64_t value = (uint64_t)(int64_t)(inside ? x : 0);
    return inside ? value : x > 0 ? INT64_MAX : UINT64_C(0x8000000000000000);
}

static inline uint64_t u64_of_f64(double x)
{
    const bool inside = x >= 0 && x < 0x1p64;
    const uint64_t value = (uint64_t)(inside ? x : 0);
    return inside ? value : x > 0 ? UINT64_MAX : x < 0 ? 0 : UINT64_C(0x8000000000000000);
}

/* NaN and negative values become +0. */
static inline float saturated_f32(float x)
{
    return x > 0 ? (x < 1.0f ? x : 1.0f) : 0;
}

static inline double saturated_f64(double x)
{
    return x > 0 ? (x < 1.0 ? x : 1.0) : 0;
}

/* cvt.pack: the low `bits` of a above those of b, above the bits that c gives. */
static inline uint32_t clamp_integer(int32_t x, int32_t least, int32_t most)
{
    return (uint32_t)(x < least ? least : x > most ? most : x);
}

static inline uint32_t pack_integers(int32_t a, int32_t b, uint32_t c, uint32_t bits, bool is_signed)
{
    const int32_t most = (1 << (is_signed ? bits - 1 : bits)) - 1, least = is_signed ? -most - 1 : 0;
    const uint32_t mask = (1u << bits) - 1;
    const uint32_t pair =
        (clamp_integer(a, least, most) & mask) << bits | (clamp_integer(b, least, most) & mask);
    return bits == 16 ? pair : pair | c << 2 * (bits & 15);
}

#define PAIR(of, a, b) (of(a) << 16 | of(b))

/* clang-format off */ /* one row per function */
#define CONVERT_LIST(X1, X2, X3)                                                                          \
    X1(u16_u8, "cvt.[u16|s16].u8", CONVERT, U16, U8, a)                                                   \
    X1(u32_u8, "cvt.[u32|s32].u8", CONVERT, U32, U8, a)                                                   \
    X1(u64_u8, "cvt.[u64|s64].u8", CONVERT, U64, U8, a)                                                   \
    X1(s16_s8, "cvt.[u16|s16].s8", CONVERT, S16, S8, a)                                                   \
    X1(s32_s8, "cvt.[u32|s32].s8", CONVERT, S32, S8, a)                                                   \
    X1(s64_s8, "cvt.[u64|s64].s8", CONVERT, S64, S8, a)                                                   \
    X1(u8_u16, "cvt.u8.[u16|s16|u32|s32]", CONVERT, U8, U16, a)                                           \
    X1(u16_u32, "cvt.[u16|s16].[u32|s32]", CONVERT, U16, U32, a)                                          \
    X1(u16_u64, "cvt.[u16|s16].[u64|s64]", CONVERT, U16, U64, (uint32_t)a)                                \
    X1(u32_u16, "cvt.[u32|s32].u16", CONVERT, U32, U16, a)                                                \
    X1(u64_u16, "cvt.[u64|s64].u16", CONVERT, U64, U16, a)                                                \
    X1(s32_s16, "cvt.[u32|s32].s16", CONVERT, S32, S16, a)                                                \
    X1(s64_s16, "cvt.[u64|s64].s16", CONVERT, S64, S16, a)                                                \
    X1(u32_u64, "cvt.[u32|s32].[u64|s64]", CONVERT, U32, U64, (uint32_t)a)                                \
    X1(u64_u32, "cvt.[u64|s64].u32", CONVERT, U64, U32, a)                                                \
    X1(s64_s32, "cvt.[u64|s64].s32", CONVERT, S64, S32, a)                                                \
    X1(f32_u8, "cvt.rn[.ftz|].f32.u8", CONVERT, F32, U8, (float)(int32_t)a)                               \
    X1(f32_s8, "cvt.rn[.ftz|].f32.s8", CONVERT, F32, S8, (float)a)                                        \
    X1(f32_u16, "cvt.rn[.ftz|].f32.u16", CONVERT, F32, U16, (float)(int32_t)a)                            \
    X1(f32_s16, "cvt.rn[.ftz|].f32.s16", CONVERT, F32, S16, (float)a)                                     \
    X1(f32_u32, "cvt.rn[.ftz|].f32.u32", CONVERT, F32, U32, (float)a)                                     \
    X1(f32_s32, "cvt.rn[.ftz|].f32.s32", CONVERT, F32, S32, (float)a)                                     \
    X1(f32_u64, "cvt.rn[.ftz|].f32.u64", CONVERT, F32, U64, (float)a)                                     \
    X1(f32_s64, "cvt.rn[.ftz|].f32.s64", CONVERT, F32, S64, (float)a)                                     \
    X1(f64_u8, "cvt.rn.f64.u8", CONVERT, F64, U8, (double)(int32_t)a)                                     \
    X1(f64_s8, "cvt.rn.f64.s8", CONVERT, F64, S8, (double)a)                                              \
    X1(f64_u16, "cvt.rn.f64.u16", CONVERT, F64, U16, (double)(int32_t)a)                                  \
    X1(f64_s16, "cvt.rn.f64.s16", CONVERT, F64, S16, (double)a)                                           \
    X1(f64_u32, "cvt.rn.f64.u32", CONVERT, F64, U32, (double)a)                                           \
    X1(f64_s32, "cvt.rn.f64.s32", CONVERT, F64, S32, (double)a)                                           \
    X1(f64_u64, "cvt.rn.f64.u64", CONVERT, F64, U64, (double)a)                                           \
    X1(f64_s64, "cvt.rn.f64.s64", CONVERT, F64, S64, (double)a)                                           \
    TO_INTEGER_LIST(X1, s32, U32)                                                                         \
    TO_INTEGER_LIST(X1, u32, U32)                                                                         \
    TO_INTEGER_LIST(X1, s64, U64)                                                                         \
    TO_INTEGER_LIST(X1, u64, U64)                                                                         \
    X1(f64_f32, "cvt.f64.f32", CONVERT, F64, F32, (double)a)                                              \
    X1(f64_ftz_f32, "cvt.ftz.f64.f32", CONVERT, F64, F32Z, (double)a)                                     \
    X1(f32_f64, "cvt.rn.f32.f64", CONVERT, F32, F64, (float)a)                                            \
    X1(f32_ftz_f64, "cvt.rn.ftz.f32.f64", CONVERT, F32Z, F64, (float)a)                                   \
    X1(f32_f16, "cvt[.ftz|].f32.f16", CONVERT, F32, F16, f16_float(a))                                    \
    X1(f32_bf16, "cvt.f32.bf16", CONVERT, F32, BF16, bf16_float(a))                                       \
    X1(f16_f32, "cvt.rn[.ftz|].f16.f32", CONVERT, F16, F32, float_f16(a))                                 \
    X1(bf16_f32, "cvt.rn.bf16.f32", CONVERT, BF16, F32, float_bf16(a))                                    \
    X2(f16x2_f32, "cvt.rn.f16x2.f32", CONVERT, F16X2, F32, F32, PAIR(float_f16, a, b))                    \
    X2(bf16x2_f32, "cvt.rn.bf16x2.f32", CONVERT, BF16X2, F32, F32, PAIR(float_bf16, a, b))                \
    X1(sat_f32, "cvt.sat.f32.f32", CONVERT, F32, F32, saturated_f32(a))                                   \
    X1(sat_ftz_f32, "cvt.ftz.sat.f32.f32", CONVERT, F32Z, F32Z, saturated_f32(a))                         \
    X1(sat_f64, "cvt.sat.f64.f64", CONVERT, F64, F64, saturated_f64(a))                                   \
    TO_INTEGRAL_LIST(X1, rni, rint)                                                                       \
    TO_INTEGRAL_LIST(X1, rzi, trunc)                                                                      \
    TO_INTEGRAL_LIST(X1, rmi, floor)                                                                      \
    TO_INTEGRAL_LIST(X1, rpi, ceil)                                                                       \
    X2(pack_u16, "cvt.pack.sat.u16.s32", CONVERT, B32, S32, S32, pack_integers(a, b, 0, 16, false))       \
    X2(pack_s16, "cvt.pack.sat.s16.s32", CONVERT, B32, S32, S32, pack_integers(a, b, 0, 16, true))        \
    X3(pack_u8, "cvt.pack.sat.u8.s32.b32", CONVERT, B32, S32, S32, B32, pack_integers(a, b, c, 8, false)) \
    X3(pack_s8, "cvt.pack.sat.s8.s32.b32", CONVERT, B32, S32, S32, B32, pack_integers(a, b, c, 8, true))  \
    X3(pack_u4, "cvt.pack.sat.u4.s32.b32", CONVERT, B32, S32, S32, B32, pack_integers(a, b, c, 4, false)) \
    X3(pack_s4, "cvt.pack.sat.s4.s32.b32", CONVERT, B32, S32, S32, B32, pack_integers(a, b, c, 4, true))  \
    X3(pack_u2, "cvt.pack.sat.u2.s32.b32", CONVERT, B32, S32, S32, B32, pack_integers(a, b, c, 2, false)) \
    X3(pack_s2, "cvt.pack.sat.s2.s32.b32", CONVERT, B32, S32, S32, B32, pack_integers(a, b, c, 2, true))
/* Rounding up or down takes a subnormal to another integer than a zero: hence the separate .ftz functions. */
#define TO_INTEGER_LIST(X1, to, D)                                                                          \
    X1(to##_rzi_f32, "cvt.rzi[.ftz|][.sat|]." #to ".f32", CONVERT, D, F32, to##_of_f32(a))                  \
    X1(to##_rni_f32, "cvt.rni[.ftz|][.sat|]." #to ".f32", CONVERT, D, F32, to##_of_f32(__builtin_rintf(a))) \
    X1(to##_rmi_f32, "cvt.rmi[.sat|]." #to ".f32", CONVERT, D, F32, to##_of_f32(__builtin_floorf(a)))       \
    X1(to##_rpi_f32, "cvt.rpi[.sat|]." #to ".f32", CONVERT, D, F32, to##_of_f32(__builtin_ceilf(a)))        \
    X1(to##_rmi_ftz_f32, "cvt.rmi.ftz[.sat|]." #to ".f32", CONVERT, D, F32Z,                                \
       to##_of_f32(__builtin_floorf(a)))                                                                    \
    X1(to##_rpi_ftz_f32, "cvt.rpi.ftz[.sat|]." #to ".f32", CONVERT, D, F32Z,                                \
       to##_of_f32(__builtin_ceilf(a)))                                                                     \
    X1(to##_rzi_f64, "cvt.rzi[.sat|]." #to ".f64", CONVERT, D, F64, to##_of_f64(a))                         \
    X1(to##_rni_f64, "cvt.rni[.sat|]." #to ".f64", CONVERT, D, F64, to##_of_f64(__builtin_rint(a)))         \
    X1(to##_rmi_f64, "cvt.rmi[.sat|]." #to ".f64", CONVERT, D, F64, to##_of_f64(__builtin_floor(a)))        \
    X1(to##_rpi_f64, "cvt.rpi[.sat|]." #to ".f64", CONVERT, D, F64, to##_of_f64(__builtin_ceil(a)))
#define TO_INTEGRAL_LIST(X1, way, function)                                                          \
    X1(f32_##way, "cvt." #way ".f32.f32", CONVERT, F32, F32, __builtin_##function##f(a))             \
    X1(f32_##way##_ftz, "cvt." #way ".ftz.f32.f32", CONVERT, F32Z, F32Z, __builtin_##function##f(a)) \
    X1(f64_##way, "cvt." #way ".f64.f64", CONVERT, F64, F64, __builtin_##function(a))
/* clang-format on */

CONVERT_LIST(DEFINE1, DEFINE2, DEFINE3)

const struct lanes_entry LANES_TABLE(convert)[] = {CONVERT_LIST(ENTRY1, ENTRY2, ENTRY3){0}};
