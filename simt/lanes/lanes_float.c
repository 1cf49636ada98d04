/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Single and double precision with IEEE 754 results, rounded to nearest: PTX ISA 9.0, 9.7.3. Other roundings
 * and .sat are in lanes_rounding.c.
 */
#include "simt/lanes/lanes_ops.h"

static inline float square_root_f32(float a)
{
    return __builtin_sqrtf(a);
}

static inline double square_root_f64(double a)
{
    return __builtin_sqrt(a);
}

/* Of two zeros the negative one is smaller. If one operand is NaN, the result is the other one. */
#define EXTREMES(T, bits_of, of_bits)                                  \
    static inline T least_##T(T a, T b)                                \
    {                                                                  \
        const T equal = a == b ? of_bits(bits_of(a) | bits_of(b)) : b; \
        const T least = a < b ? a : equal;                             \
        return b != b ? a : a != a ? b : least;                        \
    }                                                                  \
    static inline T most_##T(T a, T b)                                 \
    {                                                                  \
        const T equal = a == b ? of_bits(bits_of(a) & bits_of(b)) : b; \
        const T most = a > b ? a : equal;                              \
        return b != b ? a : a != a ? b : most;                         \
    }
EXTREMES(float, lanes_float_bits, lanes_bits_float)
EXTREMES(double, lanes_double_bits, lanes_bits_double)

/* .NaN: the result is NaN if an operand is. */
static inline float least_nan(float a, float b)
{
    return a != a ? a : b != b ? b : least_float(a, b);
}

static inline float most_nan(float a, float b)
{
    return a != a ? a : b != b ? b : most_float(a, b);
}

/* .xorsign.abs: `of` is the minimum or maximum of the magnitudes. */
static inline float float_magnitude(float a)
{
    return lanes_bits_float(lanes_float_bits(a) & 0x7fffffffu);
}

static inline float with_xor_sign(float of, float a, float b)
{
    return lanes_bits_float(lanes_float_bits(of) |
                            ((lanes_float_bits(a) ^ lanes_float_bits(b)) & 0x80000000u));
}

/* clang-format off */ /* one row per function */
#define FLOAT_LIST(X1, X2, X3)                                                                   \
    SINGLE_LIST(X1, X2, X3, F32, f32, "")                                                        \
    SINGLE_LIST(X1, X2, X3, F32Z, ftz_f32, ".ftz")                                               \
    X1(abs_f32, "abs.f32", FLOAT, F32_BITS, F32_BITS, a & 0x7fffffffu)                           \
    X1(abs_ftz_f32, "abs.ftz.f32", FLOAT, F32_BITS, F32_BITS, lanes_flush_bits(a) & 0x7fffffffu) \
    X1(neg_f32, "neg.f32", FLOAT, F32_BITS, F32_BITS, a ^ 0x80000000u)                           \
    X1(neg_ftz_f32, "neg.ftz.f32", FLOAT, F32_BITS, F32_BITS, lanes_flush_bits(a) ^ 0x80000000u) \
    X2(copysign_f32, "copysign.f32", FLOAT, F32_BITS, F32_BITS, F32_BITS,                        \
       (a & 0x80000000u) | (b & 0x7fffffffu))                                                    \
    X2(add_f64, "add[.rn|].f64", DOUBLE, F64, F64, F64, a + b)                                   \
    X2(sub_f64, "sub[.rn|].f64", DOUBLE, F64, F64, F64, a - b)                                   \
    X2(mul_f64, "mul[.rn|].f64", DOUBLE, F64, F64, F64, a *b)                                    \
    X3(fma_f64, "[fma|mad].rn.f64", DOUBLE, F64, F64, F64, F64, __builtin_fma(a, b, c))          \
    X2(div_f64, "div.rn.f64", DOUBLE, F64, F64, F64, a / b)                                      \
    X1(rcp_f64, "rcp.rn.f64", DOUBLE, F64, F64, 1.0 / a)                                         \
    X1(sqrt_f64, "sqrt.rn.f64", DOUBLE, F64, F64, square_root_f64(a))                            \
    X2(min_f64, "min.f64", DOUBLE, F64, F64, F64, least_double(a, b))                            \
    X2(max_f64, "max.f64", DOUBLE, F64, F64, F64, most_double(a, b))                             \
    X1(abs_f64, "abs.f64", DOUBLE, F64_BITS, F64_BITS, a & 0x7fffffffffffffff)                   \
    X1(neg_f64, "neg.f64", DOUBLE, F64_BITS, F64_BITS, a ^ 0x8000000000000000)                   \
    X2(copysign_f64, "copysign.f64", DOUBLE, F64_BITS, F64_BITS, F64_BITS,                       \
       (a & 0x8000000000000000) | (b & 0x7fffffffffffffff))
#define SINGLE_LIST(X1, X2, X3, T, name, ftz)                                                  \
    X2(add_##name, "add[.rn|]" ftz ".f32", FLOAT, T, T, T, a + b)                              \
    X2(sub_##name, "sub[.rn|]" ftz ".f32", FLOAT, T, T, T, a - b)                              \
    X2(mul_##name, "mul[.rn|]" ftz ".f32", FLOAT, T, T, T, a *b)                               \
    X3(fma_##name, "[fma|mad].rn" ftz ".f32", FLOAT, T, T, T, T, fused_f32(a, b, c))           \
    X2(div_##name, "div.[rn|full|approx]" ftz ".f32", FLOAT, T, T, T, a / b)                   \
    X1(rcp_##name, "rcp.[rn|approx]" ftz ".f32", SPECIAL_FUNCTION, T, T, 1.0f / a)             \
    X1(sqrt_##name, "sqrt.[rn|approx]" ftz ".f32", SPECIAL_FUNCTION, T, T, square_root_f32(a)) \
    X2(min_##name, "min" ftz ".f32", FLOAT, T, T, T, least_float(a, b))                        \
    X2(max_##name, "max" ftz ".f32", FLOAT, T, T, T, most_float(a, b))                         \
    X2(min_nan_##name, "min" ftz ".NaN.f32", FLOAT, T, T, T, least_nan(a, b))                  \
    X2(max_nan_##name, "max" ftz ".NaN.f32", FLOAT, T, T, T, most_nan(a, b))                   \
    X2(min_xor_##name, "min" ftz ".xorsign.abs.f32", FLOAT, T, T, T,                           \
       with_xor_sign(least_float(float_magnitude(a), float_magnitude(b)), a, b))               \
    X2(max_xor_##name, "max" ftz ".xorsign.abs.f32", FLOAT, T, T, T,                           \
       with_xor_sign(most_float(float_magnitude(a), float_magnitude(b)), a, b))                \
    X2(min_nan_xor_##name, "min" ftz ".NaN.xorsign.abs.f32", FLOAT, T, T, T,                   \
       with_xor_sign(least_nan(float_magnitude(a), float_magnitude(b)), a, b))                 \
    X2(max_nan_xor_##name, "max" ftz ".NaN.xorsign.abs.f32", FLOAT, T, T, T,                   \
       with_xor_sign(most_nan(float_magnitude(a), float_magnitude(b)), a, b))
/* clang-format on */

FLOAT_LIST(DEFINE1, DEFINE2, DEFINE3)

const struct lanes_entry LANES_TABLE(float)[] = {FLOAT_LIST(ENTRY1, ENTRY2, ENTRY3){0}};
