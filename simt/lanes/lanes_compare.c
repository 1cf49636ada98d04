/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comparisons and selections: PTX ISA 9.0, 9.7.6, 9.7.7 and testp (9.7.3.1).
 *
 * Five functions implement the eighteen comparison operators: `immediate` says whether to swap the operands
 * or to invert the result. For integers a >= b is !(a < b); for floats a ltu b is !(b <= a).
 */
#include "simt/lanes/lanes_half.h"

#define INTEGER_EQ "[eq|ne]"
#define UNSIGNED_LT "[lt|le|gt|ge|lo|ls|hi|hs]"
#define SIGNED_LT "[lt|le|gt|ge]"
#define FLOAT_EQ "[eq|neu]"
#define FLOAT_NE "[ne|equ]"
#define FLOAT_LT "[lt|gt|leu|geu]"
#define FLOAT_LE "[le|ge|ltu|gtu]"
#define FLOAT_NUM "[num|nan]"

/* clang-format off */ /* name, operators, .ftz, operand types as written, operand, condition */
#define COMPARE_LIST(X)                                    \
    X(eq_16, INTEGER_EQ, "", "[b16|u16|s16]", B16, a == b) \
    X(lt_u16, UNSIGNED_LT, "", "u16", U16, a < b)          \
    X(lt_s16, SIGNED_LT, "", "s16", S16, a < b)            \
    X(eq_32, INTEGER_EQ, "", "[b32|u32|s32]", B32, a == b) \
    X(lt_u32, UNSIGNED_LT, "", "u32", U32, a < b)          \
    X(lt_s32, SIGNED_LT, "", "s32", S32, a < b)            \
    X(eq_64, INTEGER_EQ, "", "[b64|u64|s64]", B64, a == b) \
    X(lt_u64, UNSIGNED_LT, "", "u64", U64, a < b)          \
    X(lt_s64, SIGNED_LT, "", "s64", S64, a < b)            \
    FLOAT_COMPARE_LIST(X, f32, "", "f32", F32)             \
    FLOAT_COMPARE_LIST(X, ftz_f32, ".ftz", "f32", F32Z)    \
    FLOAT_COMPARE_LIST(X, f64, "", "f64", F64)
#define FLOAT_COMPARE_LIST(X, name, ftz, types, T)     \
    X(eq_##name, FLOAT_EQ, ftz, types, T, a == b)      \
    X(ne_##name, FLOAT_NE, ftz, types, T, a<b || a> b) \
    X(lt_##name, FLOAT_LT, ftz, types, T, a < b)       \
    X(le_##name, FLOAT_LE, ftz, types, T, a <= b)      \
    X(num_##name, FLOAT_NUM, ftz, types, T, a == a && b == b)
#define HALF_COMPARE_LIST(X)                                           \
    X(eq_f16, FLOAT_EQ, "[.ftz|]", F16, f16_float, a == b)             \
    X(ne_f16, FLOAT_NE, "[.ftz|]", F16, f16_float, a<b || a> b)        \
    X(lt_f16, FLOAT_LT, "[.ftz|]", F16, f16_float, a < b)              \
    X(le_f16, FLOAT_LE, "[.ftz|]", F16, f16_float, a <= b)             \
    X(num_f16, FLOAT_NUM, "[.ftz|]", F16, f16_float, a == a && b == b) \
    X(eq_bf16, FLOAT_EQ, "", BF16, bf16_float, a == b)                 \
    X(ne_bf16, FLOAT_NE, "", BF16, bf16_float, a<b || a> b)            \
    X(lt_bf16, FLOAT_LT, "", BF16, bf16_float, a < b)                  \
    X(le_bf16, FLOAT_LE, "", BF16, bf16_float, a <= b)                 \
    X(num_bf16, FLOAT_NUM, "", BF16, bf16_float, a == a && b == b)
/* clang-format on */

static inline uint32_t turn_mask(uint32_t mask, uint32_t modifiers)
{
    return (modifiers & LANES_COMPLEMENT) != 0 ? ~mask : mask;
}

/* Combines the result of a comparison with the predicate c, which is the last source if there is one. */
static uint32_t combine_mask(const struct program_instruction *instruction, uint8_t *frame, uint32_t mask)
{
    const uint32_t modifiers = instruction->immediate, boolean = LANES_BOOLEAN(modifiers);
    if (boolean == LANES_NO_BOOLEAN)
        return mask;
    const uint32_t written = *lanes_predicate(frame, instruction->source[2]);
    const uint32_t c = (modifiers & LANES_NEGATED) != 0 ? ~written : written;
    return boolean == LANES_AND ? mask & c : boolean == LANES_OR ? mask | c : mask ^ c;
}

/* p|q: either may be missing. */
static void set_predicates(const struct program_instruction *instruction, uint8_t *frame, uint32_t active,
                           uint32_t first, uint32_t second)
{
    const uint32_t p = combine_mask(instruction, frame, first), q = combine_mask(instruction, frame, second);
    lanes_predicate_set(frame, instruction->destination[0], active, p);
    if (instruction->destination[1] != PROGRAM_NO_SLOT)
        lanes_predicate_set(frame, instruction->destination[1], active, q);
}

/* The value that `set` writes for true; for one half of a pair it has 16 bits. */
static uint32_t true_value(enum ptx_type type)
{
    switch (type) {
    case PTX_F32: return 0x3f800000u;
    case PTX_F16:
    case PTX_F16X2: return 0x3c00u;
    case PTX_BF16:
    case PTX_BF16X2: return 0x3f80u;
    case PTX_U16:
    case PTX_S16: return 0xffffu;
    default: return UINT32_MAX;
    }
}

static void set_values(const struct program_instruction *instruction, uint8_t *frame, uint32_t active,
                       uint32_t mask)
{
    const uint32_t value = true_value(LANES_TYPE(instruction->immediate));
    const uint32_t on = combine_mask(instruction, frame, mask);
    uint32_t result[LANES_WARP] __attribute__((aligned(64)));
    LANES_LOOP
    {
        result[lane] = (on & lanes_bit[lane]) != 0 ? value : 0;
    }
    lanes_blend_32(lanes_slot(frame, instruction->destination[0]), result, active);
}

static void set_pairs(const struct program_instruction *instruction, uint8_t *frame, uint32_t active,
                      uint32_t low_mask, uint32_t high_mask)
{
    const uint32_t value = true_value(LANES_TYPE(instruction->immediate)) & 0xffffu;
    const uint32_t low = combine_mask(instruction, frame, low_mask),
                   high = combine_mask(instruction, frame, high_mask);
    uint32_t result[LANES_WARP] __attribute__((aligned(64)));
    LANES_LOOP
    {
        const uint32_t below = (low & lanes_bit[lane]) != 0 ? value : 0;
        result[lane] = below | ((high & lanes_bit[lane]) != 0 ? value << 16 : 0);
    }
    lanes_blend_32(lanes_slot(frame, instruction->destination[0]), result, active);
}

/* As PTX defines it: a mask of the true lanes among all 32. */
#define COMPARE(name, operators, ftz, types, T, condition)                                                  \
    static uint32_t name(const struct program_instruction *instruction, uint8_t *frame)                     \
    {                                                                                                       \
        const uint32_t swapped = (instruction->immediate & LANES_SWAPPED) != 0 ? 1 : 0;                     \
        const SLOT_##T *const from_a = LANES_SOURCE(T, swapped), *const from_b =                            \
                                                                     LANES_SOURCE(T, 1 - swapped);          \
        uint32_t mask = 0;                                                                                  \
        LANES_LOOP                                                                                          \
        {                                                                                                   \
            LANES_VALUE(T, a);                                                                              \
            LANES_VALUE(T, b);                                                                              \
            mask |= (condition) ? lanes_bit[lane] : 0;                                                      \
        }                                                                                                   \
        return turn_mask(mask, instruction->immediate);                                                     \
    }                                                                                                       \
    static void setp_##name(const struct program_instruction *instruction, uint8_t *frame, uint32_t active) \
    {                                                                                                       \
        const uint32_t mask = name(instruction, frame);                                                     \
        set_predicates(instruction, frame, active, mask, ~mask);                                            \
    }                                                                                                       \
    static void set_##name(const struct program_instruction *instruction, uint8_t *frame, uint32_t active)  \
    {                                                                                                       \
        set_values(instruction, frame, active, name(instruction, frame));                                   \
    }

/* A half, or the lower or upper half of a pair: `shift` is 0 or 16. */
#define HALF_COMPARE(name, operators, ftz, T, of_bits, condition)                                           \
    static uint32_t name(const struct program_instruction *instruction, uint8_t *frame, uint32_t shift)     \
    {                                                                                                       \
        const uint32_t swapped = (instruction->immediate & LANES_SWAPPED) != 0 ? 1 : 0;                     \
        const uint32_t *const from_a = LANES_SOURCE(B32, swapped), *const from_b =                          \
                                                                       LANES_SOURCE(B32, 1 - swapped);      \
        const uint32_t flushed = (instruction->immediate & LANES_FTZ) != 0 ? 0x7c00u : 0;                   \
        uint32_t mask = 0;                                                                                  \
        LANES_LOOP                                                                                          \
        {                                                                                                   \
            const uint32_t x = from_a[lane] >> shift & 0xffffu, y = from_b[lane] >> shift & 0xffffu;        \
            const float a = of_bits(flushed != 0 && (x & flushed) == 0 ? 0 : x);                            \
            const float b = of_bits(flushed != 0 && (y & flushed) == 0 ? 0 : y);                            \
            mask |= (condition) ? lanes_bit[lane] : 0;                                                      \
        }                                                                                                   \
        return turn_mask(mask, instruction->immediate);                                                     \
    }                                                                                                       \
    static void setp_##name(const struct program_instruction *instruction, uint8_t *frame, uint32_t active) \
    {                                                                                                       \
        const uint32_t mask = name(instruction, frame, 0);                                                  \
        set_predicates(instruction, frame, active, mask, ~mask);                                            \
    }                                                                                                       \
    static void setp_##name##x2(const struct program_instruction *instruction, uint8_t *frame,              \
                                uint32_t active)                                                            \
    {                                                                                                       \
        const uint32_t low = name(instruction, frame, 0), high = name(instruction, frame, 16);              \
        set_predicates(instruction, frame, active, low, high);                                              \
    }                                                                                                       \
    static void set_##name(const struct program_instruction *instruction, uint8_t *frame, uint32_t active)  \
    {                                                                                                       \
        set_values(instruction, frame, active, name(instruction, frame, 0));                                \
    }                                                                                                       \
    static void set_##name##x2(const struct program_instruction *instruction, uint8_t *frame,               \
                               uint32_t active)                                                             \
    {                                                                                                       \
        const uint32_t low = name(instruction, frame, 0), high = name(instruction, frame, 16);              \
        set_pairs(instruction, frame, active, low, high);                                                   \
    }

COMPARE_LIST(COMPARE)
HALF_COMPARE_LIST(HALF_COMPARE)

/* Tests the bits of a float's magnitude. */
#define PROPERTY(name, T, infinity, normal, condition)                                               \
    static void name(const struct program_instruction *instruction, uint8_t *frame, uint32_t active) \
    {                                                                                                \
        const SLOT_##T *const from = LANES_SOURCE(T, 0);                                             \
        const SLOT_##T magnitudes = infinity | (normal - 1), least = normal;                         \
        uint32_t mask = 0;                                                                           \
        LANES_LOOP                                                                                   \
        {                                                                                            \
            const SLOT_##T a = from[lane] & magnitudes;                                              \
            mask |= (condition) ? lanes_bit[lane] : 0;                                               \
        }                                                                                            \
        (void)least;                                                                                 \
        lanes_predicate_set(frame, instruction->destination[0], active, mask);                       \
    }
#define PROPERTY_LIST(X, name, T, infinity, normal)                       \
    X(testp_finite_##name, T, infinity, normal, a < infinity)             \
    X(testp_infinite_##name, T, infinity, normal, a == infinity)          \
    X(testp_number_##name, T, infinity, normal, a <= infinity)            \
    X(testp_notanumber_##name, T, infinity, normal, a > infinity)         \
    X(testp_normal_##name, T, infinity, normal,                           \
      (a >= least && a < infinity) || a == 0) /* zero counts as normal */ \
    X(testp_subnormal_##name, T, infinity, normal, a < least && a != 0)

PROPERTY_LIST(PROPERTY, f32, F32_BITS, 0x7f800000u, 0x00800000u)
PROPERTY_LIST(PROPERTY, f64, F64_BITS, UINT64_C(0x7ff0000000000000), UINT64_C(0x0010000000000000))

#define SELECT(name, T)                                                                     \
    LANES_FUNCTION(name, T, LANES_SOURCES2(T, T);                                           \
                   const uint32_t chosen = *lanes_predicate(frame, instruction->source[2]), \
                   LANES_VALUE(T, a);                                                       \
                   LANES_VALUE(T, b), (chosen & lanes_bit[lane]) != 0 ? a : b)
SELECT(selp_32, B32)
SELECT(selp_64, B64)

/* clang-format off */ /* one row per function; f32 selectors also have .ftz */
#define SLCT_LIST(X3)                                                                                 \
    X3(slct_16_s32, "slct.[b16|u16|s16].s32", INTEGER, B16, B16, B16, S32, c >= 0 ? a : b)            \
    X3(slct_32_s32, "slct.[b32|u32|s32|f32].s32", INTEGER, B32, B32, B32, S32, c >= 0 ? a : b)        \
    X3(slct_64_s32, "slct.[b64|u64|s64|f64].s32", INTEGER, B64, B64, B64, S32, c >= 0 ? a : b)        \
    X3(slct_16_f32, "slct.[b16|u16|s16].f32", FLOAT, B16, B16, B16, F32, c >= 0 ? a : b)              \
    X3(slct_32_f32, "slct.[b32|u32|s32|f32].f32", FLOAT, B32, B32, B32, F32, c >= 0 ? a : b)          \
    X3(slct_64_f32, "slct.[b64|u64|s64|f64].f32", FLOAT, B64, B64, B64, F32, c >= 0 ? a : b)          \
    X3(slct_16_ftz_f32, "slct.ftz.[b16|u16|s16].f32", FLOAT, B16, B16, B16, F32Z, c >= 0 ? a : b)     \
    X3(slct_32_ftz_f32, "slct.ftz.[b32|u32|s32|f32].f32", FLOAT, B32, B32, B32, F32Z, c >= 0 ? a : b) \
    X3(slct_64_ftz_f32, "slct.ftz.[b64|u64|s64|f64].f32", FLOAT, B64, B64, B64, F32Z, c >= 0 ? a : b)

SLCT_LIST(DEFINE3)

#define BOOLEANS "[.and|.or|.xor]"
#define CLASS_OF_B16 CLASS_INTEGER
#define CLASS_OF_U16 CLASS_INTEGER
#define CLASS_OF_S16 CLASS_INTEGER
#define CLASS_OF_B32 CLASS_INTEGER
#define CLASS_OF_U32 CLASS_INTEGER
#define CLASS_OF_S32 CLASS_INTEGER
#define CLASS_OF_B64 CLASS_INTEGER
#define CLASS_OF_U64 CLASS_INTEGER
#define CLASS_OF_S64 CLASS_INTEGER
#define CLASS_OF_F32 CLASS_FLOAT
#define CLASS_OF_F32Z CLASS_FLOAT
#define CLASS_OF_F64 CLASS_DOUBLE
/* Without and with a predicate c. */
#define SETP_ENTRY(text, function, kind, type) \
    {"setp." text, function, kind, 2, {PTX_PRED, LANES_OTHER_PRED, type, type}},
#define SETP_BOOLEAN_ENTRY(text, function, kind, type) \
    {"setp." text, function, kind, 2, {PTX_PRED, LANES_OTHER_PRED, type, type, PTX_PRED}},
#define SET_ENTRIES(operators, ftz, to, types, function, kind, result, type)          \
    {"set." operators ftz "." to "." types, function, kind, 1, {result, type, type}}, \
        {"set." operators BOOLEANS ftz "." to "." types, function, kind, 1, {result, type, type, PTX_PRED}},

#define COMPARE_ENTRIES(name, operators, ftz, types, T, condition)                                  \
    SETP_ENTRY(operators ftz "." types, setp_##name, CLASS_OF_##T, OPERAND_##T)                     \
    SETP_BOOLEAN_ENTRY(operators BOOLEANS ftz "." types, setp_##name, CLASS_OF_##T, OPERAND_##T)    \
    SET_ENTRIES(operators, ftz, "[u32|s32]", types, set_##name, CLASS_OF_##T, PTX_U32, OPERAND_##T) \
    SET_ENTRIES(operators, ftz, "f32", types, set_##name, CLASS_OF_##T, PTX_F32, OPERAND_##T)       \
    SET_ENTRIES(operators, ftz, "[f16|bf16]", types, set_##name, CLASS_OF_##T, PTX_B16, OPERAND_##T)
#define HALF_COMPARE_ENTRIES(name, operators, ftz, T, of_bits, condition)                              \
    SETP_ENTRY(operators ftz "." HALF_TEXT_##T, setp_##name, CLASS_HALF, PTX_##T)                      \
    SETP_BOOLEAN_ENTRY(operators BOOLEANS ftz "." HALF_TEXT_##T, setp_##name, CLASS_HALF, PTX_##T)     \
    SETP_ENTRY(operators ftz "." HALF_TEXT_##T "x2", setp_##name##x2, CLASS_HALF, PTX_##T##X2)         \
    SETP_BOOLEAN_ENTRY(operators BOOLEANS ftz "." HALF_TEXT_##T "x2", setp_##name##x2, CLASS_HALF,     \
                       PTX_##T##X2)                                                                    \
    SET_ENTRIES(operators, ftz, "[u32|s32]", HALF_TEXT_##T, set_##name, CLASS_HALF, PTX_U32, PTX_##T)  \
    SET_ENTRIES(operators, ftz, "[u16|s16]", HALF_TEXT_##T, set_##name, CLASS_HALF, PTX_U16, PTX_##T)  \
    SET_ENTRIES(operators, ftz, "[f16|bf16]", HALF_TEXT_##T, set_##name, CLASS_HALF, PTX_B16, PTX_##T) \
    SET_ENTRIES(operators, ftz, "[u32|s32]", HALF_TEXT_##T "x2", set_##name##x2, CLASS_HALF, PTX_U32,  \
                PTX_##T##X2)                                                                           \
    SET_ENTRIES(operators, ftz, HALF_TEXT_##T "x2", HALF_TEXT_##T "x2", set_##name##x2, CLASS_HALF,    \
                PTX_##T##X2, PTX_##T##X2)
#define HALF_TEXT_F16 "f16"
#define HALF_TEXT_BF16 "bf16"
#define PROPERTY_ENTRY(name, T)                                                                     \
    {"testp.finite." #name, testp_finite_##name, CLASS_OF_##T, 1, {PTX_PRED, PTX_##T}},             \
        {"testp.infinite." #name, testp_infinite_##name, CLASS_OF_##T, 1, {PTX_PRED, PTX_##T}},     \
        {"testp.number." #name, testp_number_##name, CLASS_OF_##T, 1, {PTX_PRED, PTX_##T}},         \
        {"testp.notanumber." #name, testp_notanumber_##name, CLASS_OF_##T, 1, {PTX_PRED, PTX_##T}}, \
        {"testp.normal." #name, testp_normal_##name, CLASS_OF_##T, 1, {PTX_PRED, PTX_##T}},         \
        {"testp.subnormal." #name, testp_subnormal_##name, CLASS_OF_##T, 1, {PTX_PRED, PTX_##T}},

const struct lanes_entry LANES_TABLE(compare)[] = {
    COMPARE_LIST(COMPARE_ENTRIES) HALF_COMPARE_LIST(HALF_COMPARE_ENTRIES) PROPERTY_ENTRY(f32, F32)
        PROPERTY_ENTRY(f64, F64){
            "selp.[b16|u16|s16]", selp_32, CLASS_INTEGER, 1, {PTX_B16, PTX_B16, PTX_B16, PTX_PRED}},
    {"selp.[b32|u32|s32|f32]", selp_32, CLASS_INTEGER, 1, {PTX_B32, PTX_B32, PTX_B32, PTX_PRED}},
    {"selp.[b64|u64|s64|f64]", selp_64, CLASS_INTEGER, 1, {PTX_B64, PTX_B64, PTX_B64, PTX_PRED}},
    SLCT_LIST(ENTRY3){0}};
/* clang-format on */
