/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Approximate functions in single precision, and in double where PTX has them: PTX ISA 9.0, 9.7.3.13 to .22.
 * Computed in double with polynomials of about 1e-9 error and rounded once, so they are more exact than a
 * GPU's; docs/ptx.md states the errors. rcp.approx and sqrt.approx are the exact functions of lanes_float.c.
 */
#include "simt/lanes/lanes_half.h"

#include <math.h>

#define ROUNDER 0x1.8p52 /* added to a double, leaves its nearest integer in the lowest bits */

/* 2^x for -1000 < x < 1000: 2^n times the series of 2^f, |f| <= 1/2. */
static inline double approx_exponential(double x)
{
    const double rounded = x + ROUNDER;
    const double f = x - (rounded - ROUNDER);
    const double scale = lanes_bits_double((lanes_double_bits(rounded) + 1023) << 52);
    double sum = 1.3215486790144309e-06; /* ln(2)^k / k!, k = 8 ... 0 */
    sum = sum * f + 1.5252733804059841e-05;
    sum = sum * f + 1.5403530393381608e-04;
    sum = sum * f + 1.3333558146428443e-03;
    sum = sum * f + 9.6181291076284769e-03;
    sum = sum * f + 5.5504108664821576e-02;
    sum = sum * f + 2.4022650695910069e-01;
    sum = sum * f + 6.9314718055994531e-01;
    sum = sum * f + 1.0;
    return sum * scale;
}

static inline double exponential_f32(float a)
{
    const double x = (double)a;
    return approx_exponential(x > 129.0 ? 129.0 : x < -160.0 ? -160.0 : x); /* larger: infinity; smaller: 0 */
}

/* log2(2^e m) = e + 2 artanh((m - 1) / (m + 1)) / ln 2 with sqrt(1/2) <= m < sqrt(2). */
static inline double approx_logarithm(float a)
{
    const double x = (double)a; /* normal, even if a is subnormal */
    const uint64_t bits = lanes_double_bits(x);
    const uint64_t mantissa = bits & UINT64_C(0xfffffffffffff);
    const uint64_t half = mantissa > UINT64_C(0x6a09e667f3bcc) ? 1 : 0; /* 1: above sqrt(2) */
    const double m = lanes_bits_double(mantissa | (UINT64_C(1023) - half) << 52);
    const double e =
        lanes_bits_double(UINT64_C(0x4330000000000000) | ((bits >> 52) + half)) - (0x1p52 + 1023.0);
    const double s = (m - 1.0) / (m + 1.0), z = s * s;
    double sum = 2.2195308321368667e-01; /* 2 / ((2k + 1) ln 2), k = 6 ... 0 */
    sum = sum * z + 2.6230818925253879e-01;
    sum = sum * z + 3.2059889797532520e-01;
    sum = sum * z + 4.1219858311113240e-01;
    sum = sum * z + 5.7707801635558536e-01;
    sum = sum * z + 9.6179669392597560e-01;
    sum = sum * z + 2.8853900817779268e+00;
    const double value = e + s * sum;
    return x > 0 ? (x > 0x1p200 ? x : value) : (x == 0 ? -INFINITY : (double)NAN);
}

/* The series up to 1/8, where 1 - e^-2x would lose too many digits; above that from e^-2x. */
static inline float hyperbolic_tangent(float a)
{
    const double x = (double)a, z = x * x;
    const double size = x < 0 ? -x : x;
    const double series = x * (1.0 + z * (-1.0 / 3 + z * (2.0 / 15 + z * (-17.0 / 315))));
    const double t = approx_exponential((size > 20.0 ? 20.0 : size) * -2.8853900817779268);
    const double value = (1.0 - t) / (1.0 + t);
    return (float)(size > 0.125 ? (x < 0 ? -value : value) : series);
}

/* For halves: ex2.f16 keeps subnormals, ex2.bf16 is always .ftz. */
static inline uint32_t f16_exponential(uint32_t a)
{
    return double_f16(exponential_f32(f16_float(a)));
}

static inline uint32_t bf16_exponential(uint32_t a)
{
    const uint32_t result = double_bf16(exponential_f32(bf16_float((a & 0x7f80u) == 0 ? 0 : a)));
    return (result & 0x7f80u) == 0 ? 0 : result;
}

static inline uint32_t f16_tangent(uint32_t a)
{
    return float_f16(hyperbolic_tangent(f16_float(a)));
}

static inline uint32_t bf16_tangent(uint32_t a)
{
    return float_bf16(hyperbolic_tangent(bf16_float(a)));
}

#define BOTH(operation, x) (operation((x)&0xffffu) | operation((x) >> 16) << 16)

static inline float reciprocal_root_f32(float a)
{
    return 1.0f / __builtin_sqrtf(a);
}

static inline double reciprocal_root_f64(double a)
{
    return 1.0 / __builtin_sqrt(a);
}

/* The .ftz.f64 forms read only the upper 32 bits and give 32 bits. */
static inline double upper_word(uint64_t bits)
{
    return lanes_bits_double((bits & UINT64_C(0x7ff0000000000000)) == 0
                                 ? bits & UINT64_C(0x8000000000000000)
                                 : bits & UINT64_C(0xffffffff00000000));
}

static inline uint64_t rounded_to_upper_word(double value)
{
    const uint64_t bits = lanes_double_bits(value) + UINT64_C(0x80000000);
    const uint64_t flushed = (bits & UINT64_C(0x7ff0000000000000)) == 0 ? bits & UINT64_C(0x8000000000000000)
                                                                        : bits & UINT64_C(0xffffffff00000000);
    return value != value ? UINT64_C(0x7fffffff00000000) : flushed;
}

/* sin(x + turn quarter turns) for |x| < 2^20. Quarter turns are subtracted in two parts; the first part has
 * 33 bits, so that its product with the number of turns is exact. The rest uses the series of sin or cos. */
static inline double approx_sine(double x, uint64_t turn)
{
    const double rounded = x * 6.3661977236758138e-01 + ROUNDER;
    const double quarters = rounded - ROUNDER;
    const double r = (x - quarters * 0x1.921fb544p0) - quarters * 0x1.0b4611a626331p-34;
    const uint64_t quadrant = lanes_double_bits(rounded) + turn;
    const double z = r * r;
    double odd = 1.6059043836821613e-10; /* +- 1 / k!, k = 13, 11 ... 1 */
    odd = odd * z - 2.5052108385441719e-08;
    odd = odd * z + 2.7557319223985893e-06;
    odd = odd * z - 1.9841269841269841e-04;
    odd = odd * z + 8.3333333333333333e-03;
    odd = odd * z - 1.6666666666666667e-01;
    odd = (odd * z + 1.0) * r;            /* keeps a zero's sign */
    double even = 2.0876756987868099e-09; /* k = 12, 10 ... 0 */
    even = even * z - 2.7557319223985891e-07;
    even = even * z + 2.4801587301587302e-05;
    even = even * z - 1.3888888888888889e-03;
    even = even * z + 4.1666666666666667e-02;
    even = even * z - 0.5;
    even = even * z + 1.0;
    const double value = (quadrant & 1) != 0 ? even : odd;
    return lanes_bits_double(lanes_double_bits(value) ^ (quadrant & 2) << 62);
}

/* Lanes with larger angles are computed again one by one. They use a copy of the source, because the source
 * may also be the destination. */
#define ANGLE_LIMIT 0x1p20f
#define ANGLE_FUNCTION(name, T, turn, library)                                                          \
    static void name##_small(const struct program_instruction *instruction, uint8_t *frame,             \
                             uint32_t active);                                                          \
    static void name(const struct program_instruction *instruction, uint8_t *frame, uint32_t active)    \
    {                                                                                                   \
        const SLOT_##T *const from_a = LANES_SOURCE(T, 0);                                              \
        uint32_t large = 0;                                                                             \
        LANES_LOOP                                                                                      \
        {                                                                                               \
            large |= from_a[lane] >= ANGLE_LIMIT || from_a[lane] <= -ANGLE_LIMIT ? lanes_bit[lane] : 0; \
        }                                                                                               \
        large &= active;                                                                                \
        double copy[LANES_WARP];                                                                        \
        for (uint32_t left = large; left != 0; left &= left - 1) {                                      \
            const uint32_t lane = (uint32_t)__builtin_ctz(left);                                        \
            copy[lane] = (double)from_a[lane];                                                          \
        }                                                                                               \
        name##_small(instruction, frame, active);                                                       \
        uint32_t *const to = lanes_slot(frame, instruction->destination[0]);                            \
        for (uint32_t left = large; left != 0; left &= left - 1) {                                      \
            const uint32_t lane = (uint32_t)__builtin_ctz(left);                                        \
            to[lane] = lanes_store_##T((float)library(copy[lane]));                                     \
        }                                                                                               \
    }                                                                                                   \
    LANES_FUNCTION(name##_small, T, LANES_SOURCES1(T), LANES_VALUE(T, a), (float)approx_sine((double)a, turn))

ANGLE_FUNCTION(sin_f32, F32, 0, sin)
ANGLE_FUNCTION(sin_ftz_f32, F32Z, 0, sin)
ANGLE_FUNCTION(cos_f32, F32, 1, cos)
ANGLE_FUNCTION(cos_ftz_f32, F32Z, 1, cos)

/* clang-format off */ /* one row per function */
#define APPROX_LIST(X1)                                                                                  \
    X1(rsqrt_f32, "rsqrt.approx.f32", SPECIAL_FUNCTION, F32, F32, reciprocal_root_f32(a))                \
    X1(rsqrt_ftz_f32, "rsqrt.approx.ftz.f32", SPECIAL_FUNCTION, F32Z, F32Z, reciprocal_root_f32(a))      \
    X1(ex2_f32, "ex2.approx.f32", SPECIAL_FUNCTION, F32, F32, (float)exponential_f32(a))                 \
    X1(ex2_ftz_f32, "ex2.approx.ftz.f32", SPECIAL_FUNCTION, F32Z, F32Z, (float)exponential_f32(a))       \
    X1(lg2_f32, "lg2.approx.f32", SPECIAL_FUNCTION, F32, F32, (float)approx_logarithm(a))                \
    X1(lg2_ftz_f32, "lg2.approx.ftz.f32", SPECIAL_FUNCTION, F32Z, F32Z, (float)approx_logarithm(a))      \
    X1(tanh_f32, "tanh.approx.f32", SPECIAL_FUNCTION, F32, F32, hyperbolic_tangent(a))                   \
    X1(rsqrt_f64, "rsqrt.approx.f64", DOUBLE, F64, F64, reciprocal_root_f64(a))                          \
    X1(rcp_ftz_f64, "rcp.approx.ftz.f64", SPECIAL_FUNCTION, F64_BITS, F64_BITS,                          \
       rounded_to_upper_word(1.0 / upper_word(a)))                                                       \
    X1(rsqrt_ftz_f64, "rsqrt.approx.ftz.f64", SPECIAL_FUNCTION, F64_BITS, F64_BITS,                      \
       rounded_to_upper_word(reciprocal_root_f64(upper_word(a))))                                        \
    X1(ex2_f16, "ex2.approx.f16", SPECIAL_FUNCTION, F16, F16, f16_exponential(a))                        \
    X1(ex2_f16x2, "ex2.approx.f16x2", SPECIAL_FUNCTION, F16X2, F16X2, BOTH(f16_exponential, a))          \
    X1(ex2_bf16, "ex2.approx.ftz.bf16", SPECIAL_FUNCTION, BF16, BF16, bf16_exponential(a))               \
    X1(ex2_bf16x2, "ex2.approx.ftz.bf16x2", SPECIAL_FUNCTION, BF16X2, BF16X2, BOTH(bf16_exponential, a)) \
    X1(tanh_f16, "tanh.approx.f16", SPECIAL_FUNCTION, F16, F16, f16_tangent(a))                          \
    X1(tanh_f16x2, "tanh.approx.f16x2", SPECIAL_FUNCTION, F16X2, F16X2, BOTH(f16_tangent, a))            \
    X1(tanh_bf16, "tanh.approx.bf16", SPECIAL_FUNCTION, BF16, BF16, bf16_tangent(a))                     \
    X1(tanh_bf16x2, "tanh.approx.bf16x2", SPECIAL_FUNCTION, BF16X2, BF16X2, BOTH(bf16_tangent, a))
/* clang-format on */

APPROX_LIST(DEFINE1)

#define ANGLE_ENTRY(form, name)                \
    {                                          \
        form, name, CLASS_SPECIAL_FUNCTION, 1, \
        {                                      \
            PTX_F32, PTX_F32                   \
        }                                      \
    }

const struct lanes_entry LANES_TABLE(approx)[] = {APPROX_LIST(ENTRY1) ANGLE_ENTRY("sin.approx.f32", sin_f32),
                                                  ANGLE_ENTRY("sin.approx.ftz.f32", sin_ftz_f32),
                                                  ANGLE_ENTRY("cos.approx.f32", cos_f32),
                                                  ANGLE_ENTRY("cos.approx.ftz.f32", cos_ftz_f32),
                                                  {0}};
