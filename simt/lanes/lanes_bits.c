/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logic, shifts and bit fields: PTX ISA 9.0, 9.7.8 and the bit operations of 9.7.1, prmt (9.7.9.7).
 */
#include "simt/lanes/lanes_ops.h"

/* Shift counts are clamped to the width (shl, shr): a larger count gives zeros, or copies of the sign. */
static inline uint32_t left_32(uint32_t a, uint32_t count)
{
    return count > 31 ? 0 : a << (count & 31);
}

static inline uint64_t left_64(uint64_t a, uint32_t count)
{
    return count > 63 ? 0 : a << (count & 63);
}

static inline uint32_t right_u32(uint32_t a, uint32_t count)
{
    return count > 31 ? 0 : a >> (count & 31);
}

static inline uint64_t right_u64(uint64_t a, uint32_t count)
{
    return count > 63 ? 0 : a >> (count & 63);
}

static inline int32_t right_s32(int32_t a, uint32_t count)
{
    return a >> (count > 31 ? 31 : count);
}

static inline int64_t right_s64(int64_t a, uint32_t count)
{
    return a >> (count > 63 ? 63 : count);
}

/* Funnel shifts of b:a by 0 ... 32. */
static inline uint32_t funnel_left(uint32_t a, uint32_t b, uint32_t count)
{
    return (uint32_t)(((uint64_t)b << 32 | a) << count >> 32);
}

static inline uint32_t funnel_right(uint32_t a, uint32_t b, uint32_t count)
{
    return (uint32_t)(((uint64_t)b << 32 | a) >> count);
}

static inline uint32_t at_most_32(uint32_t count)
{
    return count > 32 ? 32 : count;
}

/* Counts bits in parallel: not every processor has an instruction for it, and AVX2 has none. */
static inline uint32_t ones_32(uint32_t x)
{
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    return x * 0x01010101u >> 24;
}

static inline uint32_t ones_64(uint64_t x)
{
    return ones_32((uint32_t)x) + ones_32((uint32_t)(x >> 32));
}

static inline uint32_t leading_zeros_32(uint32_t x)
{
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    x |= x >> 16;
    return 32 - ones_32(x);
}

static inline uint32_t leading_zeros_64(uint64_t x)
{
    const uint32_t high = (uint32_t)(x >> 32);
    return high != 0 ? leading_zeros_32(high) : 32 + leading_zeros_32((uint32_t)x);
}

static inline uint32_t highest_32(uint32_t x)
{
    return 31 - leading_zeros_32(x); /* all ones if no bit is set */
}

static inline uint32_t highest_64(uint64_t x)
{
    return 63 - leading_zeros_64(x);
}

static inline uint32_t shift_to_top_32(uint32_t x)
{
    return x == 0 ? UINT32_MAX : leading_zeros_32(x);
}

static inline uint32_t shift_to_top_64(uint64_t x)
{
    return x == 0 ? UINT32_MAX : leading_zeros_64(x);
}

static inline uint32_t without_sign_32(int32_t x)
{
    return (uint32_t)(x ^ x >> 31);
}

static inline uint64_t without_sign_64(int64_t x)
{
    return (uint64_t)(x ^ x >> 63);
}

static inline uint32_t reversed_32(uint32_t x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
    return x >> 16 | x << 16;
}

static inline uint64_t reversed_64(uint64_t x)
{
    return (uint64_t)reversed_32((uint32_t)x) << 32 | reversed_32((uint32_t)(x >> 32));
}

/* The low `count` bits set, for any count. */
static inline uint64_t low_bits(uint32_t count)
{
    return count > 63 ? UINT64_MAX : ((uint64_t)1 << (count & 63)) - 1;
}

static inline uint64_t extract_u(uint64_t a, uint32_t b, uint32_t c)
{
    return right_u64(a, b & 0xffu) & low_bits(c & 0xffu);
}

/* A field within `width` bits, sign extended to 64. The sign is the top bit of the field, or of the operand
 * if the field extends beyond it. */
static inline uint64_t extract_s(int64_t a, uint32_t b, uint32_t c, uint32_t width)
{
    const uint32_t position = b & 0xffu, length = c & 0xffu;
    const uint32_t top = position + length > width ? width : position + length;
    const uint64_t field = (uint64_t)right_s64(a, position) & low_bits(length);
    const uint64_t sign = length == 0 ? 0 : (uint64_t)right_s64(a, top - 1) & 1;
    return sign != 0 ? field | ~low_bits(length) : field;
}

static inline uint64_t insert_bits(uint64_t a, uint64_t b, uint32_t c, uint32_t e)
{
    const uint32_t position = c & 0xffu;
    const uint64_t mask = left_64(low_bits(e & 0xffu), position);
    return (left_64(a, position) & mask) | (b & ~mask);
}

static inline uint32_t mask_clamp(uint32_t a, uint32_t b)
{
    return left_32((uint32_t)low_bits(b), a);
}

static inline uint32_t mask_wrap(uint32_t a, uint32_t b)
{
    return mask_clamp(a & 31, b & 31);
}

static inline uint32_t extend_u(uint32_t a, uint32_t bits)
{
    return a & (uint32_t)low_bits(bits);
}

static inline uint32_t extend_s(uint32_t a, uint32_t bits)
{
    const uint32_t field = extend_u(a, bits);
    const uint32_t sign = bits - 1 > 31 ? 0 : field >> ((bits - 1) & 31) & 1;
    return sign != 0 ? field | ~(uint32_t)low_bits(bits) : field;
}

/* fns: the offset-th set bit of mask, from bit `base`, upwards or downwards. */
static inline uint32_t find_nth(uint32_t mask, uint32_t base, int32_t offset)
{
    if (offset == 0)
        return base < 32 && (mask >> (base & 31) & 1) != 0 ? base : UINT32_MAX;
    uint32_t left = offset > 0 ? (uint32_t)offset : 0u - (uint32_t)offset;
    for (uint32_t at = base; at<32; offset> 0 ? at++ : at--)
        if ((mask >> at & 1) != 0 && --left == 0)
            return at;
    return UINT32_MAX;
}

/* lop3 as a tree of selections by the bits of a, b and c. Each of the eight bits of its table is first spread
 * to a word. The table is a constant, the same for all lanes. */
struct lop3_words {
    uint32_t of[8];
};

static inline struct lop3_words spread_table(uint32_t table)
{
    struct lop3_words words;
    for (uint32_t i = 0; i < 8; i++)
        words.of[i] = 0u - (table >> i & 1);
    return words;
}

static inline uint32_t choose_bits(uint32_t by, uint32_t if_0, uint32_t if_1)
{
    return if_0 ^ (by & (if_0 ^ if_1));
}

static inline uint32_t look_up(uint32_t a, uint32_t b, uint32_t c, struct lop3_words t)
{
    const uint32_t b0 = choose_bits(b, choose_bits(c, t.of[0], t.of[1]), choose_bits(c, t.of[2], t.of[3]));
    const uint32_t b1 = choose_bits(b, choose_bits(c, t.of[4], t.of[5]), choose_bits(c, t.of[6], t.of[7]));
    return choose_bits(a, b0, b1);
}

static inline uint32_t pick_byte(uint32_t a, uint32_t b, uint32_t selector)
{
    const uint32_t byte = (uint32_t)(((uint64_t)b << 32 | a) >> 8 * (selector & 7)) & 0xffu;
    return (selector & 8) == 0 ? byte : (byte & 0x80) != 0 ? 0xffu : 0;
}

/* c holds four selectors of four bits. */
static inline uint32_t permute_bytes(uint32_t a, uint32_t b, uint32_t c)
{
    return pick_byte(a, b, c) | pick_byte(a, b, c >> 4) << 8 | pick_byte(a, b, c >> 8) << 16 |
           pick_byte(a, b, c >> 12) << 24;
}

/* The selectors of a mode for the two bits of c: 16 bits each in `words`, those of c = 0 lowest. */
static inline uint32_t read_selectors(uint64_t words, uint32_t c)
{
    return (uint32_t)(words >> 16 * (c & 3)) & 0xffffu;
}

/* clang-format off */ /* one row per function */
#define BITS_LIST(X1, X2, X3, X4)                                                                      \
    X2(and_16, "and.b16", INTEGER, B16, B16, B16, a &b)                                                \
    X2(and_32, "and.b32", INTEGER, B32, B32, B32, a &b)                                                \
    X2(and_64, "and.b64", INTEGER, B64, B64, B64, a &b)                                                \
    X2(or_16, "or.b16", INTEGER, B16, B16, B16, a | b)                                                 \
    X2(or_32, "or.b32", INTEGER, B32, B32, B32, a | b)                                                 \
    X2(or_64, "or.b64", INTEGER, B64, B64, B64, a | b)                                                 \
    X2(xor_16, "xor.b16", INTEGER, B16, B16, B16, a ^ b)                                               \
    X2(xor_32, "xor.b32", INTEGER, B32, B32, B32, a ^ b)                                               \
    X2(xor_64, "xor.b64", INTEGER, B64, B64, B64, a ^ b)                                               \
    X1(not_16, "not.b16", INTEGER, B16, B16, ~a)                                                       \
    X1(not_32, "not.b32", INTEGER, B32, B32, ~a)                                                       \
    X1(not_64, "not.b64", INTEGER, B64, B64, ~a)                                                       \
    X1(cnot_16, "cnot.b16", INTEGER, B16, B16, a == 0 ? 1 : 0)                                         \
    X1(cnot_32, "cnot.b32", INTEGER, B32, B32, a == 0 ? 1 : 0)                                         \
    X1(cnot_64, "cnot.b64", INTEGER, B64, B64, a == 0 ? 1 : 0)                                         \
    X2(shl_16, "shl.b16", INTEGER, B16, B16, B32, left_32(a, b))                                       \
    X2(shl_32, "shl.b32", INTEGER, B32, B32, B32, left_32(a, b))                                       \
    X2(shl_64, "shl.b64", INTEGER, B64, B64, B32, left_64(a, b))                                       \
    X2(shr_u16, "shr.[u16|b16]", INTEGER, B16, B16, B32, right_u32(a, b))                              \
    X2(shr_s16, "shr.s16", INTEGER, S16, S16, B32, right_s32(a, b))                                    \
    X2(shr_u32, "shr.[u32|b32]", INTEGER, B32, B32, B32, right_u32(a, b))                              \
    X2(shr_s32, "shr.s32", INTEGER, S32, S32, B32, right_s32(a, b))                                    \
    X2(shr_u64, "shr.[u64|b64]", INTEGER, B64, B64, B32, right_u64(a, b))                              \
    X2(shr_s64, "shr.s64", INTEGER, S64, S64, B32, right_s64(a, b))                                    \
    X3(shf_l_clamp, "shf.l.clamp.b32", INTEGER, B32, B32, B32, B32, funnel_left(a, b, at_most_32(c)))  \
    X3(shf_l_wrap, "shf.l.wrap.b32", INTEGER, B32, B32, B32, B32, funnel_left(a, b, c & 31))           \
    X3(shf_r_clamp, "shf.r.clamp.b32", INTEGER, B32, B32, B32, B32, funnel_right(a, b, at_most_32(c))) \
    X3(shf_r_wrap, "shf.r.wrap.b32", INTEGER, B32, B32, B32, B32, funnel_right(a, b, c & 31))          \
    X1(popc_32, "popc.b32", INTEGER, U32, B32, ones_32(a))                                             \
    X1(popc_64, "popc.b64", INTEGER, U32, B64, ones_64(a))                                             \
    X1(clz_32, "clz.b32", INTEGER, U32, B32, leading_zeros_32(a))                                      \
    X1(clz_64, "clz.b64", INTEGER, U32, B64, leading_zeros_64(a))                                      \
    X1(bfind_u32, "bfind.u32", INTEGER, U32, U32, highest_32(a))                                       \
    X1(bfind_s32, "bfind.s32", INTEGER, U32, S32, highest_32(without_sign_32(a)))                      \
    X1(bfind_u64, "bfind.u64", INTEGER, U32, U64, highest_64(a))                                       \
    X1(bfind_s64, "bfind.s64", INTEGER, U32, S64, highest_64(without_sign_64(a)))                      \
    X1(bfind_shift_u32, "bfind.shiftamt.u32", INTEGER, U32, U32, shift_to_top_32(a))                   \
    X1(bfind_shift_s32, "bfind.shiftamt.s32", INTEGER, U32, S32, shift_to_top_32(without_sign_32(a)))  \
    X1(bfind_shift_u64, "bfind.shiftamt.u64", INTEGER, U32, U64, shift_to_top_64(a))                   \
    X1(bfind_shift_s64, "bfind.shiftamt.s64", INTEGER, U32, S64, shift_to_top_64(without_sign_64(a)))  \
    X3(fns_32, "fns.b32", INTEGER, B32, B32, B32, S32, find_nth(a, b, c))                              \
    X1(brev_32, "brev.b32", INTEGER, B32, B32, reversed_32(a))                                         \
    X1(brev_64, "brev.b64", INTEGER, B64, B64, reversed_64(a))                                         \
    X3(bfe_u32, "bfe.u32", INTEGER, U32, U32, B32, B32, (uint32_t)extract_u(a, b, c))                  \
    X3(bfe_s32, "bfe.s32", INTEGER, U32, S32, B32, B32, (uint32_t)extract_s(a, b, c, 32))              \
    X3(bfe_u64, "bfe.u64", INTEGER, U64, U64, B32, B32, extract_u(a, b, c))                            \
    X3(bfe_s64, "bfe.s64", INTEGER, U64, S64, B32, B32, extract_s(a, b, c, 64))                        \
    X4(bfi_32, "bfi.b32", INTEGER, B32, B32, B32, B32, B32, (uint32_t)insert_bits(a, b, c, e))         \
    X4(bfi_64, "bfi.b64", INTEGER, B64, B64, B64, B32, B32, insert_bits(a, b, c, e))                   \
    X2(bmsk_clamp, "bmsk.clamp.b32", INTEGER, B32, B32, B32, mask_clamp(a, b))                         \
    X2(bmsk_wrap, "bmsk.wrap.b32", INTEGER, B32, B32, B32, mask_wrap(a, b))                            \
    X2(szext_clamp_u32, "szext.clamp.u32", INTEGER, U32, U32, U32, extend_u(a, b))                     \
    X2(szext_clamp_s32, "szext.clamp.s32", INTEGER, U32, U32, U32, extend_s(a, b))                     \
    X2(szext_wrap_u32, "szext.wrap.u32", INTEGER, U32, U32, U32, extend_u(a, b & 31))                  \
    X2(szext_wrap_s32, "szext.wrap.s32", INTEGER, U32, U32, U32, extend_s(a, b & 31))                  \
    X3(prmt_32, "prmt.b32", INTEGER, B32, B32, B32, B32, permute_bytes(a, b, c))                       \
    X3(prmt_f4e, "prmt.b32.f4e", INTEGER, B32, B32, B32, B32,                                          \
       permute_bytes(a, b, read_selectors(0x6543543243213210, c)))                                     \
    X3(prmt_b4e, "prmt.b32.b4e", INTEGER, B32, B32, B32, B32,                                          \
       permute_bytes(a, b, read_selectors(0x0123701267015670, c)))                                     \
    X3(prmt_rc8, "prmt.b32.rc8", INTEGER, B32, B32, B32, B32,                                          \
       permute_bytes(a, b, read_selectors(0x3333222211110000, c)))                                     \
    X3(prmt_ecl, "prmt.b32.ecl", INTEGER, B32, B32, B32, B32,                                          \
       permute_bytes(a, b, read_selectors(0x3333322232113210, c)))                                     \
    X3(prmt_ecr, "prmt.b32.ecr", INTEGER, B32, B32, B32, B32,                                          \
       permute_bytes(a, b, read_selectors(0x3210221011100000, c)))                                     \
    X3(prmt_rc16, "prmt.b32.rc16", INTEGER, B32, B32, B32, B32,                                        \
       permute_bytes(a, b, read_selectors(0x3232101032321010, c)))
/* clang-format on */

BITS_LIST(DEFINE1, DEFINE2, DEFINE3, DEFINE4)

LANES_FUNCTION(lop3_32, B32, LANES_SOURCES3(B32, B32, B32);
               const struct lop3_words words = spread_table(*(LANES_SOURCE(B32, 3))), LANES_VALUE(B32, a);
               LANES_VALUE(B32, b); LANES_VALUE(B32, c), look_up(a, b, c, words))

/* The lanes whose lop3 result, in destination[0], is not zero. */
static uint32_t lop3_nonzero(const struct program_instruction *instruction, uint8_t *frame, uint32_t active)
{
    lop3_32(instruction, frame, active);
    const uint32_t *const result = lanes_slot(frame, instruction->destination[0]);
    uint32_t nonzero = 0;
    LANES_LOOP
    {
        nonzero |= result[lane] != 0 ? lanes_bit[lane] : 0;
    }
    return nonzero;
}

#define PREDICATE_FUNCTION(name, which, expression)                                                  \
    static void name(const struct program_instruction *instruction, uint8_t *frame, uint32_t active) \
    {                                                                                                \
        const uint32_t value = expression;                                                           \
        lanes_predicate_set(frame, instruction->destination[which], active, value);                  \
    }
#define PREDICATE(index) *lanes_predicate(frame, instruction->source[index])

PREDICATE_FUNCTION(lop3_or, 1, lop3_nonzero(instruction, frame, active) | PREDICATE(4))
PREDICATE_FUNCTION(lop3_and, 1, lop3_nonzero(instruction, frame, active) & PREDICATE(4))
PREDICATE_FUNCTION(and_pred, 0, PREDICATE(0) & PREDICATE(1))
PREDICATE_FUNCTION(or_pred, 0, PREDICATE(0) | PREDICATE(1))
PREDICATE_FUNCTION(xor_pred, 0, PREDICATE(0) ^ PREDICATE(1))
PREDICATE_FUNCTION(not_pred, 0, ~PREDICATE(0))

#define LOP3_OPERANDS PTX_B32, PTX_B32, PTX_B32, PTX_B32

const struct lanes_entry LANES_TABLE(bits)[] = {
    BITS_LIST(ENTRY1, ENTRY2, ENTRY3,
              ENTRY4){"lop3.b32", lop3_32, CLASS_INTEGER, 1, {PTX_B32, LOP3_OPERANDS}},
    {"lop3.or.b32", lop3_or, CLASS_INTEGER, 2, {PTX_B32, PTX_PRED, LOP3_OPERANDS, PTX_PRED}},
    {"lop3.and.b32", lop3_and, CLASS_INTEGER, 2, {PTX_B32, PTX_PRED, LOP3_OPERANDS, PTX_PRED}},
    {"and.pred", and_pred, CLASS_INTEGER, 1, {PTX_PRED, PTX_PRED, PTX_PRED}},
    {"or.pred", or_pred, CLASS_INTEGER, 1, {PTX_PRED, PTX_PRED, PTX_PRED}},
    {"xor.pred", xor_pred, CLASS_INTEGER, 1, {PTX_PRED, PTX_PRED, PTX_PRED}},
    {"not.pred", not_pred, CLASS_INTEGER, 1, {PTX_PRED, PTX_PRED}},
    {0}};
