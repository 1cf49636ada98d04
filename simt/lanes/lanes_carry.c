/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Extended-precision integer arithmetic: PTX ISA 9.0, 9.7.2. The carry is a predicate: destination[1] of an
 * instruction that writes it, the last source of one that reads it. For subtractions it is the borrow.
 */
#include "simt/lanes/lanes_ops.h"

__extension__ typedef unsigned __int128 unsigned_128;
__extension__ typedef __int128 signed_128;

static inline uint32_t low_32(uint32_t a, uint32_t b)
{
    return a * b;
}

static inline uint32_t high_u32(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)a * b >> 32);
}

static inline uint32_t high_s32(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)((int64_t)(int32_t)a * (int32_t)b) >> 32);
}

static inline uint64_t low_64(uint64_t a, uint64_t b)
{
    return a * b;
}

static inline uint64_t high_u64(uint64_t a, uint64_t b)
{
    return (uint64_t)((unsigned_128)a * b >> 64);
}

static inline uint64_t high_s64(uint64_t a, uint64_t b)
{
    return (uint64_t)((unsigned_128)((signed_128)(int64_t)a * (int64_t)b) >> 64);
}

/*
 * result = x + y + carry, or x - y - borrow, per lane; `values` declares x and y. The carry may be both
 * source and destination, so it is written after all lanes are computed.
 */
#define CARRY_FUNCTION(name, T, sources, values, sign, carried, carry_in, carry_out)                 \
    static void name(const struct program_instruction *instruction, uint8_t *frame, uint32_t active) \
    {                                                                                                \
        ELEMENT_##T scratch[LANES_WARP] __attribute__((aligned(64)));                                \
        ELEMENT_##T *const destination = lanes_slot(frame, instruction->destination[0]);             \
        ELEMENT_##T *const result =                                                                  \
            __builtin_assume_aligned(active == LANES_ALL ? destination : scratch, 64);               \
        sources;                                                                                     \
        const uint32_t carries_in = carry_in;                                                        \
        uint32_t carries = 0;                                                                        \
        LANES_LOOP                                                                                   \
        {                                                                                            \
            values;                                                                                  \
            const ELEMENT_##T in = (carries_in & lanes_bit[lane]) != 0 ? 1 : 0;                      \
            const ELEMENT_##T part = x sign y;                                                       \
            const ELEMENT_##T whole = part sign in;                                                  \
            carries |= part carried x || whole carried part ? lanes_bit[lane] : 0;                   \
            result[lane] = whole;                                                                    \
        }                                                                                            \
        if (active != LANES_ALL)                                                                     \
            LANES_BLEND(destination, scratch, active);                                               \
        carry_out;                                                                                   \
    }

#define NO_CARRY_IN 0
#define CARRY_IN(index) *lanes_predicate(frame, instruction->source[index])
#define CARRY_OUT lanes_predicate_set(frame, instruction->destination[1], active, carries)
#define NO_CARRY_OUT (void)carries

#define SUM(name, form, T, sign, carried, carry_in, carry_out, ...)                     \
    CARRY_FUNCTION(name, T, LANES_SOURCES2(T, T), LANES_VALUE(T, a); LANES_VALUE(T, b); \
                   const ELEMENT_##T x = a; const ELEMENT_##T y = b, sign, carried, carry_in, carry_out)
#define PRODUCT(name, form, T, multiply, carry_in, carry_out, ...)                         \
    CARRY_FUNCTION(name, T, LANES_SOURCES3(T, T, T), LANES_VALUE(T, a); LANES_VALUE(T, b); \
                   LANES_VALUE(T, c); const ELEMENT_##T x = multiply(a, b);                \
                   const ELEMENT_##T y = c, +, <, carry_in, carry_out)

/* clang-format off */ /* one row per function; the operands at the end */
#define CARRY_LIST(S, P)                                                                      \
    S(add_cc_32, "add.cc.[u32|s32]", U32, +, <, NO_CARRY_IN, CARRY_OUT, OUT2(U32))            \
    S(add_cc_64, "add.cc.[u64|s64]", U64, +, <, NO_CARRY_IN, CARRY_OUT, OUT2(U64))            \
    S(addc_32, "addc.[u32|s32]", U32, +, <, CARRY_IN(2), NO_CARRY_OUT, IN2(U32))              \
    S(addc_64, "addc.[u64|s64]", U64, +, <, CARRY_IN(2), NO_CARRY_OUT, IN2(U64))              \
    S(addc_cc_32, "addc.cc.[u32|s32]", U32, +, <, CARRY_IN(2), CARRY_OUT, BOTH2(U32))         \
    S(addc_cc_64, "addc.cc.[u64|s64]", U64, +, <, CARRY_IN(2), CARRY_OUT, BOTH2(U64))         \
    S(sub_cc_32, "sub.cc.[u32|s32]", U32, -, >, NO_CARRY_IN, CARRY_OUT, OUT2(U32))            \
    S(sub_cc_64, "sub.cc.[u64|s64]", U64, -, >, NO_CARRY_IN, CARRY_OUT, OUT2(U64))            \
    S(subc_32, "subc.[u32|s32]", U32, -, >, CARRY_IN(2), NO_CARRY_OUT, IN2(U32))              \
    S(subc_64, "subc.[u64|s64]", U64, -, >, CARRY_IN(2), NO_CARRY_OUT, IN2(U64))              \
    S(subc_cc_32, "subc.cc.[u32|s32]", U32, -, >, CARRY_IN(2), CARRY_OUT, BOTH2(U32))         \
    S(subc_cc_64, "subc.cc.[u64|s64]", U64, -, >, CARRY_IN(2), CARRY_OUT, BOTH2(U64))         \
    P(mad_lo_cc_32, "mad.lo.cc.[u32|s32]", U32, low_32, NO_CARRY_IN, CARRY_OUT, OUT3(U32))    \
    P(mad_hi_cc_u32, "mad.hi.cc.u32", U32, high_u32, NO_CARRY_IN, CARRY_OUT, OUT3(U32))       \
    P(mad_hi_cc_s32, "mad.hi.cc.s32", U32, high_s32, NO_CARRY_IN, CARRY_OUT, OUT3(U32))       \
    P(mad_lo_cc_64, "mad.lo.cc.[u64|s64]", U64, low_64, NO_CARRY_IN, CARRY_OUT, OUT3(U64))    \
    P(mad_hi_cc_u64, "mad.hi.cc.u64", U64, high_u64, NO_CARRY_IN, CARRY_OUT, OUT3(U64))       \
    P(mad_hi_cc_s64, "mad.hi.cc.s64", U64, high_s64, NO_CARRY_IN, CARRY_OUT, OUT3(U64))       \
    P(madc_lo_32, "madc.lo.[u32|s32]", U32, low_32, CARRY_IN(3), NO_CARRY_OUT, IN3(U32))      \
    P(madc_hi_u32, "madc.hi.u32", U32, high_u32, CARRY_IN(3), NO_CARRY_OUT, IN3(U32))         \
    P(madc_hi_s32, "madc.hi.s32", U32, high_s32, CARRY_IN(3), NO_CARRY_OUT, IN3(U32))         \
    P(madc_lo_64, "madc.lo.[u64|s64]", U64, low_64, CARRY_IN(3), NO_CARRY_OUT, IN3(U64))      \
    P(madc_hi_u64, "madc.hi.u64", U64, high_u64, CARRY_IN(3), NO_CARRY_OUT, IN3(U64))         \
    P(madc_hi_s64, "madc.hi.s64", U64, high_s64, CARRY_IN(3), NO_CARRY_OUT, IN3(U64))         \
    P(madc_lo_cc_32, "madc.lo.cc.[u32|s32]", U32, low_32, CARRY_IN(3), CARRY_OUT, BOTH3(U32)) \
    P(madc_hi_cc_u32, "madc.hi.cc.u32", U32, high_u32, CARRY_IN(3), CARRY_OUT, BOTH3(U32))    \
    P(madc_hi_cc_s32, "madc.hi.cc.s32", U32, high_s32, CARRY_IN(3), CARRY_OUT, BOTH3(U32))    \
    P(madc_lo_cc_64, "madc.lo.cc.[u64|s64]", U64, low_64, CARRY_IN(3), CARRY_OUT, BOTH3(U64)) \
    P(madc_hi_cc_u64, "madc.hi.cc.u64", U64, high_u64, CARRY_IN(3), CARRY_OUT, BOTH3(U64))    \
    P(madc_hi_cc_s64, "madc.hi.cc.s64", U64, high_s64, CARRY_IN(3), CARRY_OUT, BOTH3(U64))
/* clang-format on */

CARRY_LIST(SUM, PRODUCT)

/* Number of destinations, and operands. */
#define OUT2(T)                                            \
    2,                                                     \
    {                                                      \
        OPERAND_##T, LANES_CARRY, OPERAND_##T, OPERAND_##T \
    }
#define IN2(T)                                             \
    1,                                                     \
    {                                                      \
        OPERAND_##T, OPERAND_##T, OPERAND_##T, LANES_CARRY \
    }
#define BOTH2(T)                                                        \
    2,                                                                  \
    {                                                                   \
        OPERAND_##T, LANES_CARRY, OPERAND_##T, OPERAND_##T, LANES_CARRY \
    }
#define OUT3(T)                                                         \
    2,                                                                  \
    {                                                                   \
        OPERAND_##T, LANES_CARRY, OPERAND_##T, OPERAND_##T, OPERAND_##T \
    }
#define IN3(T)                                                          \
    1,                                                                  \
    {                                                                   \
        OPERAND_##T, OPERAND_##T, OPERAND_##T, OPERAND_##T, LANES_CARRY \
    }
#define BOTH3(T)                                                                     \
    2,                                                                               \
    {                                                                                \
        OPERAND_##T, LANES_CARRY, OPERAND_##T, OPERAND_##T, OPERAND_##T, LANES_CARRY \
    }
#define SUM_ENTRY(name, form, T, sign, carried, carry_in, carry_out, ...) \
    {form, name, CLASS_INTEGER, __VA_ARGS__},
#define PRODUCT_ENTRY(name, form, T, multiply, carry_in, carry_out, ...) \
    {form, name, CLASS_INTEGER, __VA_ARGS__},

const struct lanes_entry LANES_TABLE(carry)[] = {CARRY_LIST(SUM_ENTRY, PRODUCT_ENTRY){0}};
