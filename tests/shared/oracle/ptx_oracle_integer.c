/* SPDX-License-Identifier: Apache-2.0 */
/* Integer arithmetic in 128 bits; bit fields and logic bit by bit: PTX ISA 9.0, 9.7.1, 9.7.2, 9.7.8, 9.7.9.7.
 */
#include "tests/shared/oracle/ptx_oracle.h"

#include <string.h>

static bool is(const struct oracle_name *name, const char *opcode)
{
    return strcmp(name->words[0], opcode) == 0;
}

static oracle_integer clamp(oracle_integer value, struct oracle_type type)
{
    oracle_integer least = type.kind == ORACLE_SIGNED ? -((oracle_integer)1 << (type.bits - 1)) : 0;
    oracle_integer most = ((oracle_integer)1 << (type.kind == ORACLE_SIGNED ? type.bits - 1 : type.bits)) - 1;
    return value < least ? least : value > most ? most : value;
}

static oracle_integer floor_shift(oracle_integer value, uint32_t count)
{
    oracle_integer unit = (oracle_integer)1 << count;
    oracle_integer rest = value % unit;
    return (value - (rest < 0 ? rest + unit : rest)) / unit;
}

/* What the product's modifier leaves of it; .wide doubles the type. A product of two u64 has all 128 bits, so
 * its halves are taken unsigned. */
static oracle_integer product(const struct oracle_name *name, const uint64_t *s, struct oracle_type type,
                              uint32_t *bits)
{
    oracle_integer a = oracle_value(s[0], type), b = oracle_value(s[1], type);
    if (strstr(name->words[0], "24")) {
        struct oracle_type narrow = {24, 1, type.kind, 0};
        oracle_integer whole = oracle_value(s[0], narrow) * oracle_value(s[1], narrow);
        return oracle_has(name, "hi") ? floor_shift(whole, 16) : whole;
    }
    if (type.bits == 64 && type.kind != ORACLE_SIGNED) {
        oracle_bits whole = (oracle_bits)a * (oracle_bits)b;
        return (oracle_integer)(oracle_has(name, "hi") ? whole >> 64 : whole & UINT64_MAX);
    }
    *bits = oracle_has(name, "wide") ? 2 * type.bits : type.bits;
    return oracle_has(name, "hi") ? floor_shift(a * b, type.bits) : a * b;
}

static oracle_integer divide(oracle_integer a, oracle_integer b, bool remainder)
{
    if (b == 0)
        return remainder ? a : -1;
    return remainder ? a % b : a / b;
}

static bool two(const struct oracle_name *name, oracle_integer a, oracle_integer b, oracle_integer *d)
{
    if (is(name, "add"))
        *d = a + b;
    else if (is(name, "sub"))
        *d = a - b;
    else if (is(name, "min"))
        *d = a < b ? a : b;
    else if (is(name, "max"))
        *d = a > b ? a : b;
    else if (is(name, "div") || is(name, "rem"))
        *d = divide(a, b, is(name, "rem"));
    else
        return false;
    if (oracle_has(name, "relu") && *d < 0)
        *d = 0;
    return true;
}

/* add.cc and its like: the last source is the carry in. */
static bool carried(const struct oracle_name *name, const uint64_t *s, struct oracle_type type,
                    struct oracle_result *result)
{
    const char *opcode = name->words[0];
    bool multiplies = opcode[0] == 'm', subtracts = opcode[0] == 's', reads = opcode[3] == 'c';
    bool writes = oracle_has(name, "cc");
    struct oracle_type plain = {type.bits, 1, ORACLE_UNSIGNED, 0};
    uint32_t unused;
    if ((!reads && !writes) || (!is(name, "add") && !is(name, "addc") && !is(name, "sub") &&
                                !is(name, "subc") && !is(name, "mad") && !is(name, "madc")))
        return false;
    uint64_t x = multiplies ? oracle_low((uint64_t)product(name, s, type, &unused), type.bits) : s[0];
    uint64_t y = multiplies ? s[2] : s[1];
    uint64_t in = reads ? s[multiplies ? 3 : 2] : 0;
    oracle_integer d = subtracts ? oracle_value(x, plain) - oracle_value(y, plain) - (oracle_integer)in
                                 : oracle_value(x, plain) + oracle_value(y, plain) + (oracle_integer)in;
    result->bits[0] = oracle_low((uint64_t)d, type.bits);
    result->bits[1] = d < 0 || d >> type.bits != 0;
    result->count = writes ? 2 : 1;
    return true;
}

static bool dot(const struct oracle_name *name, const uint64_t *s, struct oracle_result *result)
{
    bool four = is(name, "dp4a");
    if (!four && !is(name, "dp2a"))
        return false;
    bool a_signed = name->words[name->count - 2][0] == 's', b_signed = name->words[name->count - 1][0] == 's';
    struct oracle_type a_type = {four ? 8 : 16, 1, a_signed ? ORACLE_SIGNED : ORACLE_UNSIGNED, 0};
    struct oracle_type b_type = {8, 1, b_signed ? ORACLE_SIGNED : ORACLE_UNSIGNED, 0};
    uint32_t first = !four && oracle_has(name, "hi") ? 2 : 0;
    oracle_integer sum = (oracle_integer)(uint32_t)s[2];
    for (uint32_t i = 0; i < (four ? 4u : 2u); i++)
        sum += oracle_value(s[0] >> i * a_type.bits, a_type) * oracle_value(s[1] >> (first + i) * 8, b_type);
    result->bits[0] = oracle_low((uint64_t)sum, 32);
    return true;
}

/* vabsdiff2, vabsdiff4: the distance of each pair, or their sum and c. */
static bool distances(const struct oracle_name *name, const uint64_t *s, struct oracle_result *result)
{
    bool four = is(name, "vabsdiff4");
    if (!four && !is(name, "vabsdiff2"))
        return false;
    struct oracle_type type = {four ? 8 : 16, 1, ORACLE_UNSIGNED, 0};
    oracle_integer sum = (oracle_integer)(uint32_t)s[2], each = 0;
    for (uint32_t i = 0; i < 32 / type.bits; i++) {
        oracle_integer a = oracle_value(s[0] >> i * type.bits, type),
                       b = oracle_value(s[1] >> i * type.bits, type);
        sum += a < b ? b - a : a - b;
        each += (a < b ? b - a : a - b) << i * type.bits;
    }
    result->bits[0] = oracle_low((uint64_t)(oracle_has(name, "add") ? sum : each), 32);
    return true;
}

/* vadd4 and its like: each byte of the result from those of a and b; PTX ISA, SIMD video instructions. */
static bool bytes(const struct oracle_name *name, const uint64_t *s, struct oracle_result *result)
{
    uint32_t d = 0;
    if (!is(name, "vadd4") && !is(name, "vsub4") && !is(name, "vavrg4") && !is(name, "vmin4") &&
        !is(name, "vmax4"))
        return false;
    for (uint32_t shift = 0; shift < 32; shift += 8) {
        uint32_t a = (uint32_t)(s[0] >> shift) & 255, b = (uint32_t)(s[1] >> shift) & 255;
        uint32_t one = is(name, "vadd4")              ? a + b
                       : is(name, "vsub4")            ? a + 256 - b
                       : is(name, "vavrg4")           ? (a + b + 1) / 2
                       : is(name, "vmin4") == (a < b) ? a
                                                      : b;
        d |= (one & 255) << shift;
    }
    result->bits[0] = d;
    return true;
}

bool oracle_integers(const struct oracle_name *name, const uint64_t *s, struct oracle_result *result)
{
    struct oracle_type type = oracle_last_type(name);
    oracle_integer d;
    uint32_t bits = type.bits;
    if (dot(name, s, result) || distances(name, s, result) || bytes(name, s, result))
        return true;
    if (type.kind != ORACLE_UNSIGNED && type.kind != ORACLE_SIGNED)
        return false;
    if (carried(name, s, type, result))
        return true;
    oracle_integer a = oracle_value(s[0], type);
    if (type.parts == 2) {
        oracle_integer high;
        if (!two(name, a, oracle_value(s[1], type), &d) ||
            !two(name, oracle_value(s[0] >> 16, type), oracle_value(s[1] >> 16, type), &high))
            return false;
        result->bits[0] = oracle_low((uint64_t)d, 16) | oracle_low((uint64_t)high, 16) << 16;
        return true;
    }
    if (is(name, "mul") || is(name, "mul24"))
        d = product(name, s, type, &bits);
    else if (is(name, "mad") || is(name, "mad24")) {
        oracle_integer part = product(name, s, type, &bits);
        struct oracle_type sum = {bits, 1, type.kind, 0};
        part = oracle_has(name, "sat") ? oracle_value((uint64_t)part, sum) : part;
        d = part + oracle_value(s[2], sum);
    } else if (is(name, "sad")) {
        oracle_integer b = oracle_value(s[1], type);
        d = oracle_value(s[2], type) + (a < b ? b - a : a - b);
    } else if (is(name, "abs"))
        d = a < 0 ? -a : a;
    else if (is(name, "neg"))
        d = -a;
    else if (!two(name, a, oracle_value(s[1], type), &d))
        return false;
    if (oracle_has(name, "sat"))
        d = clamp(d, type);
    result->bits[0] = oracle_low((uint64_t)d, bits);
    return true;
}
