/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a lane function is written. A row of a table
 *
 *     X2(add_u32, "add.[u32|s32]", INTEGER, U32, U32, U32, a + b)
 *
 * gives the name of the function, the forms it implements, its class, the types of destination and sources,
 * and the expression of a lane's result. DEFINE2 defines the function, ENTRY2 its entry in the table.
 *
 * A function computes all 32 lanes into the destination, and afterwards restores the lanes that are not
 * active. Computing an inactive lane is harmless: no operation traps, and results are defined for every bit
 * pattern. Loops are marked as having independent iterations: two slots of an instruction are identical or do
 * not overlap.
 */
#ifndef SIMT_LANES_LANES_OPS_H
#define SIMT_LANES_LANES_OPS_H

#include "simt/lanes/lanes.h"

#include <stdbool.h>
#include <string.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

#ifndef LANES_VARIANT
#define LANES_VARIANT baseline
#endif
#define LANES_PASTE(a, b, c) a##b##_##c
#define LANES_PASTED(a, b, c) LANES_PASTE(a, b, c)
#define LANES_TABLE(group) LANES_PASTED(lanes_, group, LANES_VARIANT)

#define LANES_WARP 32
#define LANES_ALL UINT32_MAX

#if defined(__clang__)
#define LANES_LOOP                                                                                          \
    _Pragma("clang loop vectorize(assume_safety) unroll(disable)") /* an unrolled loop is not vectorised */ \
        for (uint32_t lane = 0; lane < LANES_WARP; lane++)
#else
#define LANES_LOOP _Pragma("GCC ivdep") for (uint32_t lane = 0; lane < LANES_WARP; lane++)
#endif

typedef float __attribute__((may_alias)) lanes_float;
typedef double __attribute__((may_alias)) lanes_double;

#define LANES_BITS(b) 1u << b, 1u << (b + 1), 1u << (b + 2), 1u << (b + 3)
static const uint32_t lanes_bit[LANES_WARP]
    __attribute__((aligned(64), unused)) = {LANES_BITS(0),  LANES_BITS(4),  LANES_BITS(8),  LANES_BITS(12),
                                            LANES_BITS(16), LANES_BITS(20), LANES_BITS(24), LANES_BITS(28)};

static inline void *lanes_slot(uint8_t *frame, uint32_t slot)
{
    return __builtin_assume_aligned(frame + slot, 64);
}

static inline uint32_t *lanes_predicate(uint8_t *frame, uint32_t slot)
{
    return (uint32_t *)__builtin_assume_aligned(frame + slot, 4);
}

static inline void lanes_predicate_set(uint8_t *frame, uint32_t slot, uint32_t active, uint32_t value)
{
    uint32_t *predicate = lanes_predicate(frame, slot);
    *predicate = (*predicate & ~active) | (value & active);
}

static __attribute__((noinline, unused)) void lanes_blend_32(uint32_t *to, const uint32_t *from,
                                                             uint32_t active)
{
    LANES_LOOP
    {
        const uint32_t mask = (active & lanes_bit[lane]) != 0 ? UINT32_MAX : 0;
        to[lane] = (from[lane] & mask) | (to[lane] & ~mask);
    }
}

static __attribute__((noinline, unused)) void lanes_blend_64(uint64_t *to, const uint64_t *from,
                                                             uint32_t active)
{
    LANES_LOOP
    {
        const uint64_t mask = (active & lanes_bit[lane]) != 0 ? UINT64_MAX : 0;
        to[lane] = (from[lane] & mask) | (to[lane] & ~mask);
    }
}

static inline uint32_t lanes_float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float lanes_bits_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t lanes_double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double lanes_bits_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The sum of two doubles rounded to odd: its last bit is set if anything was cut off. Rounding it again, to
 * single or half, then gives the same result as rounding the exact sum. (Boldo and Melquiond, Emulation of a
 * FMA and correctly rounded sums, 2008.) */
static inline double lanes_sum_to_odd(double a, double b)
{
    const double sum = a + b;
    const double part = sum - a;
    const double error = (a - (sum - part)) + (b - part);
    const uint64_t bits = lanes_double_bits(sum);
    const uint64_t towards = (error > 0) == (sum > 0) ? bits + 1 : bits - 1;
    const bool inexact = error > 0 || error < 0; /* both are false for NaN, after an infinity */
    return lanes_bits_double(inexact && (bits & 1) == 0 ? towards : bits);
}

static inline float fused_f32(float a, float b, float c)
{
#ifdef __FMA__
    return __builtin_fmaf(a, b, c);
#else
    return (float)lanes_sum_to_odd((double)a * (double)b, (double)c); /* the product is exact */
#endif
}

static inline uint32_t lanes_flush_bits(uint32_t bits)
{
    return (bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits;
}

/*
 * For each operand type T: OPERAND_T is its PTX type; SLOT_T is the element type of its slot; lanes_load_T
 * converts an element to the value of `a`, `b` or `c` in a row; ELEMENT_T and lanes_store_T do the same for
 * the destination; or lanes_raw_T for each lane and then lanes_mend_T for the slot. For F32 and F64 these
 * look for NaNs in all lanes at once, with a branch that is hardly ever taken: an instruction that waits for
 * the result then waits two thirds of the time. F32Z is F32 with .ftz. F32_BITS, F64_BITS and the halves are
 * handled as bits.
 */
#define OPERAND_U8 PTX_U8
#define OPERAND_S8 PTX_S8
#define OPERAND_U16 PTX_U16
#define OPERAND_S16 PTX_S16
#define OPERAND_B16 PTX_B16
#define OPERAND_U32 PTX_U32
#define OPERAND_S32 PTX_S32
#define OPERAND_B32 PTX_B32
#define OPERAND_U64 PTX_U64
#define OPERAND_S64 PTX_S64
#define OPERAND_B64 PTX_B64
#define OPERAND_F16 PTX_F16
#define OPERAND_F16X2 PTX_F16X2
#define OPERAND_BF16 PTX_BF16
#define OPERAND_BF16X2 PTX_BF16X2
#define OPERAND_F32 PTX_F32
#define OPERAND_F32Z PTX_F32
#define OPERAND_F64 PTX_F64
#define OPERAND_F32_BITS PTX_F32
#define OPERAND_F64_BITS PTX_F64
#define OPERAND_PRED PTX_PRED

#define LANES_INTEGER_TYPE(T, element, value, of_slot, to_slot) \
    typedef element SLOT_##T;                                   \
    typedef element ELEMENT_##T;                                \
    static inline value lanes_load_##T(element x)               \
    {                                                           \
        return of_slot;                                         \
    }                                                           \
    static inline element lanes_store_##T(value x)              \
    {                                                           \
        return to_slot;                                         \
    }                                                           \
    static inline element lanes_raw_##T(value x)                \
    {                                                           \
        return to_slot;                                         \
    }                                                           \
    static inline void lanes_mend_##T(element *result)          \
    {                                                           \
        (void)result;                                           \
    }

LANES_INTEGER_TYPE(U8, uint32_t, uint32_t, x & 0xffu, x & 0xffu)
LANES_INTEGER_TYPE(S8, uint32_t, int32_t, (int8_t)(uint8_t)x, (uint32_t)x & 0xffu)
LANES_INTEGER_TYPE(U16, uint32_t, uint32_t, x & 0xffffu, x & 0xffffu)
LANES_INTEGER_TYPE(S16, uint32_t, int32_t, (int16_t)(uint16_t)x, (uint32_t)x & 0xffffu)
LANES_INTEGER_TYPE(B16, uint32_t, uint32_t, x & 0xffffu, x & 0xffffu)
LANES_INTEGER_TYPE(U32, uint32_t, uint32_t, x, x)
LANES_INTEGER_TYPE(S32, uint32_t, int32_t, (int32_t)x, (uint32_t)x)
LANES_INTEGER_TYPE(B32, uint32_t, uint32_t, x, x)
LANES_INTEGER_TYPE(U64, uint64_t, uint64_t, x, x)
LANES_INTEGER_TYPE(S64, uint64_t, int64_t, (int64_t)x, (uint64_t)x)
LANES_INTEGER_TYPE(B64, uint64_t, uint64_t, x, x)
LANES_INTEGER_TYPE(F16, uint32_t, uint32_t, x & 0xffffu, x & 0xffffu)
LANES_INTEGER_TYPE(F16X2, uint32_t, uint32_t, x, x)
LANES_INTEGER_TYPE(BF16, uint32_t, uint32_t, x & 0xffffu, x & 0xffffu)
LANES_INTEGER_TYPE(BF16X2, uint32_t, uint32_t, x, x)
LANES_INTEGER_TYPE(F32_BITS, uint32_t, uint32_t, x, x)
LANES_INTEGER_TYPE(F64_BITS, uint64_t, uint64_t, x, x)

typedef lanes_float SLOT_F32, SLOT_F32Z;
typedef lanes_double SLOT_F64;
typedef uint32_t ELEMENT_F32, ELEMENT_F32Z;
typedef uint64_t ELEMENT_F64;

static inline float lanes_load_F32(float x)
{
    return x;
}

static inline uint32_t lanes_store_F32(float x)
{
    return x != x ? 0x7fffffffu : lanes_float_bits(x);
}

static inline float lanes_load_F32Z(float x)
{
    return lanes_bits_float(lanes_flush_bits(lanes_float_bits(x)));
}

static inline uint32_t lanes_store_F32Z(float x)
{
    return x != x ? 0x7fffffffu : lanes_flush_bits(lanes_float_bits(x));
}

static inline double lanes_load_F64(double x)
{
    return x;
}

static inline uint64_t lanes_store_F64(double x)
{
    return x != x ? UINT64_C(0xfff8000000000000) : lanes_double_bits(x);
}

/* ---- NaNs ---- */
#if defined(__AVX512F__)
static inline bool lanes_have_nan_32(const lanes_float *x)
{
    return _mm512_cmp_ps_mask(_mm512_load_ps(x), _mm512_load_ps(x + 16), _CMP_UNORD_Q) != 0;
}

static inline bool lanes_have_nan_64(const lanes_double *x)
{
    const __mmask8 low = _mm512_cmp_pd_mask(_mm512_load_pd(x), _mm512_load_pd(x + 8), _CMP_UNORD_Q);
    const __mmask8 high = _mm512_cmp_pd_mask(_mm512_load_pd(x + 16), _mm512_load_pd(x + 24), _CMP_UNORD_Q);
    return (low | high) != 0;
}
#elif defined(__AVX2__)
static inline bool lanes_have_nan_32(const lanes_float *x)
{
    const __m256 low = _mm256_cmp_ps(_mm256_load_ps(x), _mm256_load_ps(x + 8), _CMP_UNORD_Q);
    const __m256 high = _mm256_cmp_ps(_mm256_load_ps(x + 16), _mm256_load_ps(x + 24), _CMP_UNORD_Q);
    return _mm256_movemask_ps(_mm256_or_ps(low, high)) != 0;
}

static inline bool lanes_have_nan_64(const lanes_double *x)
{
    __m256d nan = _mm256_setzero_pd();
    for (uint32_t lane = 0; lane < LANES_WARP; lane += 8)
        nan = _mm256_or_pd(
            nan, _mm256_cmp_pd(_mm256_load_pd(x + lane), _mm256_load_pd(x + lane + 4), _CMP_UNORD_Q));
    return _mm256_movemask_pd(nan) != 0;
}
#else
/* Sums of what is 0 for numbers: compilers make vectors of it, but not within a long function. */
static __attribute__((noinline, unused)) bool lanes_have_nan_32(const lanes_float *x)
{
    uint32_t nan = 0;
    for (uint32_t lane = 0; lane < LANES_WARP / 2; lane++)
        nan |= __builtin_isunordered(x[lane], x[lane + LANES_WARP / 2]) ? 1u : 0;
    return nan != 0;
}

static __attribute__((noinline, unused)) bool lanes_have_nan_64(const lanes_double *x)
{
    uint64_t nan = 0;
    for (uint32_t lane = 0; lane < LANES_WARP / 2; lane++)
        nan |= __builtin_isunordered(x[lane], x[lane + LANES_WARP / 2]) ? 1u : 0;
    return nan != 0;
}
#endif

static __attribute__((noinline, cold, unused)) void lanes_make_nan_32(uint32_t *result)
{
    const lanes_float *const x = (const lanes_float *)(const void *)result;
    LANES_LOOP
    {
        result[lane] = lanes_store_F32(x[lane]);
    }
}

static __attribute__((noinline, cold, unused)) void lanes_make_nan_64(uint64_t *result)
{
    const lanes_double *const x = (const lanes_double *)(const void *)result;
    LANES_LOOP
    {
        result[lane] = lanes_store_F64(x[lane]);
    }
}

static inline uint32_t lanes_raw_F32(float x)
{
    return lanes_float_bits(x);
}

static inline void lanes_mend_F32(uint32_t *result)
{
    if (__builtin_expect(lanes_have_nan_32((const lanes_float *)(const void *)result), 0))
        lanes_make_nan_32(result);
}

static inline uint32_t lanes_raw_F32Z(float x)
{
    return lanes_store_F32Z(x);
}

static inline void lanes_mend_F32Z(uint32_t *result)
{
    (void)result;
}

static inline uint64_t lanes_raw_F64(double x)
{
    return lanes_double_bits(x);
}

static inline void lanes_mend_F64(uint64_t *result)
{
    if (__builtin_expect(lanes_have_nan_64((const lanes_double *)(const void *)result), 0))
        lanes_make_nan_64(result);
}

#define LANES_BLEND(to, from, active) \
    _Generic((to), uint32_t * : lanes_blend_32, uint64_t * : lanes_blend_64)(to, from, active)

#define LANES_SOURCE(T, index) (const SLOT_##T *)lanes_slot(frame, instruction->source[index])

/* Executes a function for some of the lanes: for all, and then restores the others. */
#define LANES_SOME_FUNCTION(type, name, blend)                                                        \
    static __attribute__((noinline, unused)) void name(lane_function *function,                       \
                                                       const struct program_instruction *instruction, \
                                                       uint8_t *frame, uint32_t active)               \
    {                                                                                                 \
        type before[LANES_WARP] __attribute__((aligned(64)));                                         \
        type *const destination = lanes_slot(frame, instruction->destination[0]);                     \
        memcpy(before, destination, sizeof before);                                                   \
        function(instruction, frame, LANES_ALL);                                                      \
        blend(destination, before, ~active);                                                          \
    }
LANES_SOME_FUNCTION(uint32_t, lanes_some_32, lanes_blend_32)
LANES_SOME_FUNCTION(uint64_t, lanes_some_64, lanes_blend_64)
#define LANES_SOME(element) _Generic((element)0, uint32_t : lanes_some_32, uint64_t : lanes_some_64)

/* Defines a function; `expression` is the result of a lane and may use `lane` and what `sources` declares. */
#define LANES_FUNCTION(name, D, sources, values, expression)                                         \
    static void name(const struct program_instruction *instruction, uint8_t *frame, uint32_t active) \
    {                                                                                                \
        if (__builtin_expect(active != LANES_ALL, 0)) {                                              \
            LANES_SOME(ELEMENT_##D)(name, instruction, frame, active);                               \
            return;                                                                                  \
        }                                                                                            \
        ELEMENT_##D *const result = lanes_slot(frame, instruction->destination[0]);                  \
        sources;                                                                                     \
        LANES_LOOP                                                                                   \
        {                                                                                            \
            values;                                                                                  \
            result[lane] = lanes_raw_##D(expression);                                                \
        }                                                                                            \
        lanes_mend_##D(result);                                                                      \
    }

#define LANES_SOURCES1(A) const SLOT_##A *const from_a = LANES_SOURCE(A, 0)
#define LANES_SOURCES2(A, B) \
    LANES_SOURCES1(A);       \
    const SLOT_##B *const from_b = LANES_SOURCE(B, 1)
#define LANES_SOURCES3(A, B, C) \
    LANES_SOURCES2(A, B);       \
    const SLOT_##C *const from_c = LANES_SOURCE(C, 2)
#define LANES_SOURCES4(A, B, C, E) \
    LANES_SOURCES3(A, B, C);       \
    const SLOT_##E *const from_e = LANES_SOURCE(E, 3)
#define LANES_VALUE(T, x) const __typeof__(lanes_load_##T(0)) x = lanes_load_##T(from_##x[lane])

#define DEFINE1(name, form, kind, D, A, expression) \
    LANES_FUNCTION(name, D, LANES_SOURCES1(A), LANES_VALUE(A, a), expression)
#define DEFINE2(name, form, kind, D, A, B, expression) \
    LANES_FUNCTION(name, D, LANES_SOURCES2(A, B), LANES_VALUE(A, a); LANES_VALUE(B, b), expression)
#define DEFINE3(name, form, kind, D, A, B, C, expression)                                  \
    LANES_FUNCTION(name, D, LANES_SOURCES3(A, B, C), LANES_VALUE(A, a); LANES_VALUE(B, b); \
                   LANES_VALUE(C, c), expression)
#define DEFINE4(name, form, kind, D, A, B, C, E, expression)                                  \
    LANES_FUNCTION(name, D, LANES_SOURCES4(A, B, C, E), LANES_VALUE(A, a); LANES_VALUE(B, b); \
                   LANES_VALUE(C, c); LANES_VALUE(E, e), expression)

#define ENTRY1(name, text, kind, D, A, expression) {text, name, CLASS_##kind, 1, {OPERAND_##D, OPERAND_##A}},
#define ENTRY2(name, text, kind, D, A, B, expression) \
    {text, name, CLASS_##kind, 1, {OPERAND_##D, OPERAND_##A, OPERAND_##B}},
#define ENTRY3(name, text, kind, D, A, B, C, expression) \
    {text, name, CLASS_##kind, 1, {OPERAND_##D, OPERAND_##A, OPERAND_##B, OPERAND_##C}},
#define ENTRY4(name, text, kind, D, A, B, C, E, expression) \
    {text, name, CLASS_##kind, 1, {OPERAND_##D, OPERAND_##A, OPERAND_##B, OPERAND_##C, OPERAND_##E}},

#endif
