/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Floats as exact numbers. Sums are taken in fixed point, long enough for the sum of any product of doubles
 * and any double, and rounded once, bit by bit.
 */
#include "tests/shared/oracle/ptx_oracle.h"

#include <math.h>
#include <string.h>

#define FIXED_WORDS 142
#define FIXED_LOWEST (-2240) /* exponent of bit 0 */

struct fixed { /* two's complement */
    uint32_t words[FIXED_WORDS];
};

static int32_t least_exponent(struct oracle_type type)
{
    uint32_t exponent_bits = type.bits - type.precision;
    return 2 - (1 << (exponent_bits - 1));
}

static uint64_t infinity(struct oracle_type type)
{
    return oracle_low(UINT64_MAX, type.bits - type.precision) << (type.precision - 1);
}

uint64_t oracle_nan(struct oracle_type type)
{
    return type.bits == 64 ? UINT64_C(0xfff8000000000000) : oracle_low(UINT64_MAX, type.bits - 1);
}

bool oracle_is_subnormal(uint64_t bits, struct oracle_type type)
{
    uint64_t magnitude = oracle_low(bits, type.bits - 1);
    return magnitude != 0 && magnitude >> (type.precision - 1) == 0;
}

uint64_t oracle_flushed(uint64_t bits, struct oracle_type type)
{
    uint64_t low = oracle_low(bits, type.bits);
    return oracle_is_subnormal(low, type) ? low & UINT64_C(1) << (type.bits - 1) : low;
}

struct oracle_number oracle_decode(uint64_t bits, struct oracle_type type)
{
    uint64_t magnitude = oracle_low(bits, type.bits - 1);
    uint64_t fraction = oracle_low(bits, type.precision - 1);
    int32_t biased = (int32_t)(magnitude >> (type.precision - 1));
    struct oracle_number number = {.negative = bits >> (type.bits - 1) & 1};
    if (magnitude > infinity(type))
        number.kind = ORACLE_NAN;
    else if (magnitude == infinity(type))
        number.kind = ORACLE_INFINITE;
    else {
        number.mantissa = biased ? fraction + (UINT64_C(1) << (type.precision - 1)) : fraction;
        number.exponent = least_exponent(type) - (int32_t)(type.precision - 1) + (biased ? biased - 1 : 0);
    }
    return number;
}

double oracle_double(uint64_t bits, struct oracle_type type)
{
    struct oracle_number number = oracle_decode(bits, type);
    double value = number.kind == ORACLE_NAN ? (double)NAN
                   : number.kind == ORACLE_INFINITE
                       ? (double)INFINITY
                       : ldexp((double)(uint64_t)number.mantissa, number.exponent);
    return number.negative ? -value : value;
}

/* ---- fixed point ---- */
static void fixed_add(struct fixed *fixed, const struct oracle_number *number)
{
    if (number->mantissa == 0)
        return;
    uint32_t shift = (uint32_t)(number->exponent - FIXED_LOWEST), word = shift / 32;
    uint32_t parts[5];
    oracle_bits rest = number->mantissa;
    uint64_t low = 0;
    for (int i = 0; i < 5; i++) { /* 128 bits, shifted by 0 ... 31 */
        low |= (uint64_t)(uint32_t)rest << shift % 32;
        parts[i] = (uint32_t)low;
        low >>= 32;
        rest >>= 32;
    }
    uint64_t carry = number->negative;
    for (uint32_t i = word; i < FIXED_WORDS; i++) {
        uint32_t part = i - word < 5 ? parts[i - word] : 0;
        carry += (uint64_t)fixed->words[i] + (number->negative ? ~part : part);
        fixed->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static bool fixed_negate_if_negative(struct fixed *fixed)
{
    bool negative = fixed->words[FIXED_WORDS - 1] >> 31;
    uint64_t carry = 1;
    for (uint32_t i = 0; negative && i < FIXED_WORDS; i++) {
        carry += (uint32_t)~fixed->words[i];
        fixed->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return negative;
}

static uint32_t fixed_bit(const struct fixed *fixed, int32_t exponent)
{
    int32_t index = exponent - FIXED_LOWEST;
    return index < 0 ? 0 : fixed->words[index / 32] >> index % 32 & 1;
}

/* Are there ones below the exponent? */
static bool fixed_any_below(const struct fixed *fixed, int32_t exponent)
{
    int32_t index = exponent - FIXED_LOWEST;
    for (int32_t i = 0; i < index / 32; i++)
        if (fixed->words[i])
            return true;
    return index > 0 && index % 32 && fixed->words[index / 32] << (32 - index % 32);
}

static uint64_t fixed_round(const struct fixed *fixed, bool negative, struct oracle_type type,
                            enum oracle_rounding rounding)
{
    int32_t word = FIXED_WORDS - 1;
    while (word >= 0 && !fixed->words[word])
        word--;
    uint64_t sign = (uint64_t)negative << (type.bits - 1);
    if (word < 0)
        return sign;
    int32_t top = 32 * word + 31 - __builtin_clz(fixed->words[word]) + FIXED_LOWEST;
    int32_t least = least_exponent(type), exponent = top < least ? least : top;
    int32_t last = exponent - (int32_t)(type.precision - 1);
    uint64_t mantissa = 0;
    for (int32_t at = exponent; at >= last; at--)
        mantissa = mantissa << 1 | fixed_bit(fixed, at);
    bool half = fixed_bit(fixed, last - 1), rest = fixed_any_below(fixed, last - 1);
    bool up = rounding == ORACLE_NEAREST ? half && (rest || (mantissa & 1))
              : rounding == ORACLE_AWAY  ? half
              : rounding == ORACLE_DOWN  ? negative && (half || rest)
              : rounding == ORACLE_UP    ? !negative && (half || rest)
                                         : false;
    mantissa += up;
    if (mantissa >> type.precision) {
        mantissa >>= 1;
        exponent++;
    }
    bool outward = rounding == ORACLE_NEAREST || rounding == ORACLE_AWAY ||
                   rounding == (negative ? ORACLE_DOWN : ORACLE_UP);
    if (exponent > 1 - least)
        return sign | (outward ? infinity(type) : infinity(type) - 1);
    bool normal = mantissa >> (type.precision - 1);
    uint64_t biased = normal ? (uint64_t)(exponent - least + 1) : 0;
    return sign | biased << (type.precision - 1) | oracle_low(mantissa, type.precision - 1);
}

uint64_t oracle_encode(const struct oracle_number *number, struct oracle_type type,
                       enum oracle_rounding rounding)
{
    struct fixed fixed = {{0}};
    struct oracle_number magnitude = *number;
    magnitude.negative = false;
    if (number->kind == ORACLE_NAN)
        return oracle_nan(type);
    if (number->kind == ORACLE_INFINITE)
        return (uint64_t)number->negative << (type.bits - 1) | infinity(type);
    fixed_add(&fixed, &magnitude);
    return fixed_round(&fixed, number->negative, type, rounding);
}

uint64_t oracle_sum(const struct oracle_number *a, const struct oracle_number *b, struct oracle_type type,
                    enum oracle_rounding rounding)
{
    struct fixed fixed = {{0}};
    if (a->kind == ORACLE_NAN || b->kind == ORACLE_NAN ||
        (a->kind == ORACLE_INFINITE && b->kind == ORACLE_INFINITE && a->negative != b->negative))
        return oracle_nan(type);
    if (a->kind == ORACLE_INFINITE || b->kind == ORACLE_INFINITE)
        return oracle_encode(a->kind == ORACLE_INFINITE ? a : b, type, rounding);
    fixed_add(&fixed, a);
    fixed_add(&fixed, b);
    bool negative = fixed_negate_if_negative(&fixed);
    bool zero = !fixed_any_below(&fixed, FIXED_LOWEST + 32 * (FIXED_WORDS - 1));
    if (zero)
        negative = a->negative == b->negative ? a->negative : rounding == ORACLE_DOWN;
    return fixed_round(&fixed, negative, type, rounding);
}

/* ---- exact, or with a last bit for what was cut off ---- */
struct oracle_number oracle_product(const struct oracle_number *a, const struct oracle_number *b)
{
    struct oracle_number product = {.negative = a->negative != b->negative};
    bool a_zero = a->kind == ORACLE_FINITE && a->mantissa == 0,
         b_zero = b->kind == ORACLE_FINITE && b->mantissa == 0;
    if (a->kind == ORACLE_NAN || b->kind == ORACLE_NAN || (a->kind == ORACLE_INFINITE && b_zero) ||
        (b->kind == ORACLE_INFINITE && a_zero))
        product.kind = ORACLE_NAN;
    else if (a->kind == ORACLE_INFINITE || b->kind == ORACLE_INFINITE)
        product.kind = ORACLE_INFINITE;
    else {
        product.mantissa = a->mantissa * b->mantissa;
        product.exponent = a->exponent + b->exponent;
    }
    return product;
}

/* Top bit of the mantissa at `bit`. */
static struct oracle_number raised(const struct oracle_number *number, uint32_t bit)
{
    struct oracle_number to = *number;
    while (!(to.mantissa >> bit)) {
        to.mantissa <<= 1;
        to.exponent--;
    }
    return to;
}

struct oracle_number oracle_quotient(const struct oracle_number *a, const struct oracle_number *b)
{
    struct oracle_number quotient = {.negative = a->negative != b->negative};
    bool a_zero = a->kind == ORACLE_FINITE && a->mantissa == 0,
         b_zero = b->kind == ORACLE_FINITE && b->mantissa == 0;
    if (a->kind == ORACLE_NAN || b->kind == ORACLE_NAN || (a_zero && b_zero) ||
        (a->kind == ORACLE_INFINITE && b->kind == ORACLE_INFINITE))
        quotient.kind = ORACLE_NAN;
    else if (a->kind == ORACLE_INFINITE || b_zero)
        quotient.kind = ORACLE_INFINITE;
    else if (b->kind == ORACLE_FINITE && !a_zero) {
        struct oracle_number over = raised(a, 120), under = raised(b, 52);
        quotient.mantissa = over.mantissa / under.mantissa << 1 | (over.mantissa % under.mantissa != 0);
        quotient.exponent = over.exponent - under.exponent - 1;
    }
    return quotient;
}

struct oracle_number oracle_root(const struct oracle_number *a)
{
    struct oracle_number root = {.negative = a->negative};
    if (a->kind == ORACLE_FINITE && a->mantissa == 0)
        return root;
    if (a->kind == ORACLE_NAN || a->negative) {
        root.kind = ORACLE_NAN;
        return root;
    }
    if (a->kind == ORACLE_INFINITE) {
        root.kind = ORACLE_INFINITE;
        return root;
    }
    struct oracle_number of = raised(a, 120);
    if (of.exponent % 2) {
        of.mantissa <<= 1;
        of.exponent--;
    }
    oracle_bits found = 0;
    for (int bit = 61; bit >= 0; bit--) {
        oracle_bits try = found | (oracle_bits)1 << bit;
        found = try * try <= of.mantissa ?
        try : found
            ;
    }
    root.mantissa = found << 1 | (found * found != of.mantissa);
    root.exponent = of.exponent / 2 - 1;
    return root;
}

enum oracle_rounding oracle_rounding(const struct oracle_name *name)
{
    static const struct {
        const char *word;
        enum oracle_rounding rounding;
    } roundings[] = {{"rz", ORACLE_ZERO},  {"rm", ORACLE_DOWN},  {"rp", ORACLE_UP}, {"rna", ORACLE_AWAY},
                     {"rzi", ORACLE_ZERO}, {"rmi", ORACLE_DOWN}, {"rpi", ORACLE_UP}};
    for (size_t i = 0; i < sizeof roundings / sizeof *roundings; i++)
        if (oracle_has(name, roundings[i].word))
            return roundings[i].rounding;
    return ORACLE_NEAREST;
}
