/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions and moves: PTX ISA 9.0, 9.7.9.3, .4, .19 to .22. */
#include "simt/memory/memory.h"
#include "tests/shared/oracle/ptx_oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static oracle_integer least(struct oracle_type type)
{
    return type.kind == ORACLE_SIGNED ? -((oracle_integer)1 << (type.bits - 1)) : 0;
}

static oracle_integer most(struct oracle_type type)
{
    return ((oracle_integer)1 << (type.kind == ORACLE_SIGNED ? type.bits - 1 : type.bits)) - 1;
}

static oracle_integer clamped(oracle_integer value, struct oracle_type type)
{
    return value < least(type) ? least(type) : value > most(type) ? most(type) : value;
}

/* A float as an integer, any that is too large as 2^100. */
static oracle_integer rounded(const struct oracle_number *number, enum oracle_rounding rounding)
{
    oracle_integer value = 0, sign = number->negative ? -1 : 1, huge = (oracle_integer)1 << 100;
    if (number->mantissa == 0)
        return 0;
    if (number->exponent >= 0)
        return sign * (number->exponent > 70 ? huge : (oracle_integer)number->mantissa << number->exponent);
    uint32_t shift = (uint32_t)-number->exponent;
    oracle_bits unit = (oracle_bits)1 << (shift > 100 ? 100 : shift);
    oracle_bits rest = number->mantissa % unit;
    value = (oracle_integer)(number->mantissa / unit);
    bool up = rounding == ORACLE_NEAREST ? 2 * rest > unit || (2 * rest == unit && value % 2)
              : rounding == ORACLE_DOWN  ? number->negative && rest
              : rounding == ORACLE_UP    ? !number->negative && rest
                                         : false;
    return sign * (value + up);
}

static struct oracle_number number_of(oracle_integer value)
{
    return (struct oracle_number){.negative = value < 0,
                                  .mantissa = (oracle_bits)(value < 0 ? -value : value)};
}

/* From the bits of one type to those of the other, without what a wide register adds. */
static uint64_t convert(const struct oracle_name *name, uint64_t bits, struct oracle_type to,
                        struct oracle_type from)
{
    bool ftz = oracle_has(name, "ftz"), sat = oracle_has(name, "sat");
    enum oracle_rounding rounding = oracle_rounding(name);
    bool to_integral = false;
    for (uint32_t i = 1; i < name->count; i++)
        to_integral |= strlen(name->words[i]) == 3 && name->words[i][0] == 'r' && name->words[i][2] == 'i';
    if (from.kind == ORACLE_FLOAT && from.bits == 32 && ftz)
        bits = oracle_flushed(bits, from);
    struct oracle_number number =
        from.kind == ORACLE_FLOAT ? oracle_decode(bits, from) : number_of(oracle_value(bits, from));
    if (to.kind != ORACLE_FLOAT) {
        if (from.kind != ORACLE_FLOAT)
            return (uint64_t)(sat ? clamped(oracle_value(bits, from), to) : oracle_value(bits, from));
        if (number.kind == ORACLE_NAN)
            return from.bits != 64 && to.bits != 64 ? 0 : UINT64_C(1) << (to.bits - 1);
        if (number.kind == ORACLE_INFINITE)
            return (uint64_t)(number.negative ? least(to) : most(to));
        return (uint64_t)clamped(rounded(&number, rounding), to);
    }
    if (to_integral && number.kind == ORACLE_FINITE && number.exponent < 0) {
        bool negative = number.negative;
        number = number_of(rounded(&number, rounding));
        number.negative = negative;
    }
    uint64_t result = oracle_encode(&number, to, rounding);
    double value = oracle_double(result, to);
    struct oracle_number one = {.mantissa = 1};
    uint64_t sign = UINT64_C(1) << (to.bits - 1),
             infinite = oracle_encode(&(struct oracle_number){.kind = ORACLE_INFINITE}, to, ORACLE_NEAREST);
    if (sat)
        result = !(value > 0) ? 0 : value > 1 ? oracle_encode(&one, to, ORACLE_NEAREST) : result;
    if (oracle_has(name, "relu") && value == value && (result & sign))
        result = 0;
    if (oracle_has(name, "satfinite") && (result & ~sign) == infinite)
        result -= 1;
    return ftz && to.bits == 32 ? oracle_flushed(result, to) : result;
}

static uint64_t pack(const struct oracle_name *name, const uint64_t *s)
{
    const char *to = name->words[3]; /* cvt.pack.sat.TYPE.s32... */
    struct oracle_type type = {(uint32_t)atoi(to + 1), 1, to[0] == 's' ? ORACLE_SIGNED : ORACLE_UNSIGNED, 0};
    struct oracle_type word = oracle_type("s32");
    uint64_t a = oracle_low((uint64_t)clamped(oracle_value(s[0], word), type), type.bits);
    uint64_t b = oracle_low((uint64_t)clamped(oracle_value(s[1], word), type), type.bits);
    uint64_t low = a << type.bits | b;
    return oracle_low(type.bits == 16 ? low : low | s[2] << 2 * type.bits, 32);
}

/* The value of a float of 8 bits; e4m3 has no infinity, and one NaN of each sign. */
static double byte_value(uint32_t bits, bool e4m3)
{
    int fraction_bits = e4m3 ? 3 : 2, exponent = (int)(bits >> fraction_bits & (e4m3 ? 15u : 31u));
    double fraction = (double)(bits & ((1u << fraction_bits) - 1)) / (1 << fraction_bits);
    double sign = bits & 0x80 ? -1 : 1;
    if (e4m3 ? (bits & 0x7f) == 0x7f : exponent == 31)
        return !e4m3 && fraction == 0 ? sign * INFINITY : (double)NAN;
    return sign *
           (exponent ? ldexp(1 + fraction, exponent - (e4m3 ? 7 : 15)) : ldexp(fraction, e4m3 ? -6 : -14));
}

/* The nearest finite one; of two, the one with an even last bit. */
static uint32_t byte_of(double value, bool e4m3, bool relu)
{
    uint32_t best = 0, most = e4m3 ? 0x7e : 0x7b;
    if (value != value)
        return 0x7f;
    double magnitude = fabs(value);
    for (uint32_t i = 1; i <= most; i++) {
        double nearer = fabs(magnitude - byte_value(i, e4m3)) - fabs(magnitude - byte_value(best, e4m3));
        if (nearer < 0 || (nearer == 0 && i % 2 == 0) || magnitude >= byte_value(i, e4m3))
            best = i;
    }
    return !signbit(value) ? best : relu ? 0 : best | 0x80;
}

static uint64_t bytes(const struct oracle_name *name, const uint64_t *s)
{
    bool e4m3 = oracle_has(name, "e4m3x2"), relu = oracle_has(name, "relu");
    struct oracle_type half = oracle_type("f16"), single = oracle_type("f32");
    uint64_t result = 0;
    for (uint32_t i = 0; i < 2; i++) {
        if (strcmp(name->words[name->count - 1], "f32") == 0) {
            result |= (uint64_t)byte_of(oracle_double(oracle_low(s[1 - i], 32), single), e4m3, relu) << 8 * i;
        } else if (strcmp(name->words[name->count - 1], "f16x2") == 0) {
            result |= (uint64_t)byte_of(oracle_double(s[0] >> 16 * i & 0xffff, half), e4m3, relu) << 8 * i;
        } else {
            double value = byte_value((uint32_t)(s[0] >> 8 * i & 0xff), e4m3);
            struct oracle_number number = {.negative = signbit(value), .kind = ORACLE_FINITE};
            if (value != value)
                number = (struct oracle_number){.kind = ORACLE_NAN};
            else if (isinf(value))
                number.kind = ORACLE_INFINITE;
            else
                number.mantissa = (oracle_bits)ldexp(fabs(value), 16), number.exponent = -16;
            if (relu && number.negative)
                number = (struct oracle_number){0};
            result |= oracle_encode(&number, half, ORACLE_NEAREST) << 16 * i;
        }
    }
    return result;
}

bool oracle_converts(const struct oracle_name *name, const uint64_t *s, struct oracle_result *result)
{
    if (strcmp(name->words[0], "cvt") != 0)
        return false;
    if (oracle_has(name, "pack")) {
        result->bits[0] = pack(name, s);
        return true;
    }
    if (oracle_has(name, "e4m3x2") || oracle_has(name, "e5m2x2")) {
        result->bits[0] = bytes(name, s);
        return true;
    }
    struct oracle_type to = oracle_first_type(name), from = oracle_last_type(name), part = to;
    part.parts = 1;
    if (to.parts == 2) {
        result->bits[0] = convert(name, s[0], part, from) << 16 | convert(name, s[1], part, from);
        return true;
    }
    uint64_t bits = oracle_low(convert(name, s[0], to, from), to.bits);
    result->bits[0] = oracle_has(name, "tf32") ? bits << 13 : bits;
    return true;
}

/* ---- moves ---- */
static bool packs(const struct oracle_name *name, const uint64_t *s, struct oracle_result *result)
{
    struct oracle_type whole = oracle_first_type(name);
    if (!oracle_has(name, "pack") && !oracle_has(name, "unpack"))
        return false;
    uint32_t count = (uint32_t)atoi(name->words[name->count - 1]), bits = whole.bits / count;
    if (oracle_has(name, "pack")) {
        for (uint32_t i = 0; i < count; i++)
            result->bits[i * bits / 64] |= oracle_low(s[i], bits) << i * bits % 64;
        return true;
    }
    for (uint32_t i = 0; i < count; i++)
        result->bits[i] = oracle_low(s[i * bits / 64] >> i * bits % 64, bits);
    result->count = count;
    return true;
}

static uint64_t window(const char *space)
{
    return strncmp(space, "shared", 6) == 0  ? MEMORY_SHARED_WINDOW
           : strncmp(space, "param", 5) == 0 ? MEMORY_PARAM_WINDOW
           : strcmp(space, "local") == 0     ? MEMORY_LOCAL_WINDOW
           : strcmp(space, "const") == 0     ? MEMORY_CONST_WINDOW
                                             : 0;
}

/* Of all blocks of a cluster: the own one, then 16 by rank. */
static bool lies_in_cluster(uint64_t address)
{
    return address >= MEMORY_SHARED_WINDOW && address < MEMORY_SHARED_WINDOW + 17 * MEMORY_WINDOW_BYTES;
}

static bool lies_in(uint64_t address, uint64_t start)
{
    return address >= start && address < start + MEMORY_WINDOW_BYTES;
}

bool oracle_moves(const struct oracle_name *name, const uint64_t *s, struct oracle_result *result)
{
    const char *opcode = name->words[0];
    if (strcmp(opcode, "mov") == 0) {
        if (packs(name, s, result))
            return true;
        result->bits[0] = s[0];
        result->bits[1] = s[1]; /* of 128 bits: the upper half */
        return true;
    }
    if (strcmp(opcode, "cvta") == 0) {
        bool to = oracle_has(name, "to");
        result->bits[0] = to ? s[0] - window(name->words[2]) : s[0] + window(name->words[1]);
        return true;
    }
    bool generic = strcmp(name->words[1], "u64") == 0;
    if (strcmp(opcode, "mapa") == 0) {
        uint64_t base = generic ? MEMORY_SHARED_WINDOW : 0;
        uint64_t rank = s[1] & 0xffffffff, own = s[2] & 0xffffffff;
        result->bits[0] =
            base + (rank == own ? 0 : (rank + 1) * MEMORY_WINDOW_BYTES) + s[0] % MEMORY_WINDOW_BYTES;
        return true;
    }
    if (strcmp(opcode, "getctarank") == 0) {
        uint64_t at = generic ? s[0] - MEMORY_SHARED_WINDOW : s[0];
        result->bits[0] = at < MEMORY_WINDOW_BYTES ? s[1] : at / MEMORY_WINDOW_BYTES - 1;
        return true;
    }
    if (strcmp(opcode, "isspacep") == 0) {
        bool shared = lies_in_cluster(s[0]), local = lies_in(s[0], MEMORY_LOCAL_WINDOW);
        bool constant = lies_in(s[0], MEMORY_CONST_WINDOW);
        uint64_t start = window(name->words[1]);
        if (strcmp(name->words[1], "shared::cluster") == 0) {
            result->bits[0] = shared;
            return true;
        }
        result->bits[0] = start ? lies_in(s[0], start) : !shared && !local && !constant;
        return true;
    }
    return false;
}
