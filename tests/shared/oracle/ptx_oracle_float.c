/* SPDX-License-Identifier: Apache-2.0 */
/* Floating-point arithmetic and comparisons on exact numbers: PTX ISA 9.0, 9.7.3, 9.7.4, 9.7.6, 9.7.7. */
#include "tests/shared/oracle/ptx_oracle.h"

#include <string.h>

static bool is(const struct oracle_name *name, const char *opcode)
{
    return strcmp(name->words[0], opcode) == 0;
}

static uint64_t sign_of(uint64_t bits, struct oracle_type type)
{
    return bits & UINT64_C(1) << (type.bits - 1);
}

static bool is_nan(uint64_t bits, struct oracle_type type)
{
    return oracle_decode(bits, type).kind == ORACLE_NAN;
}

/* PTX ISA 9.0, 9.7.3.11: min_num, min_nan, and what stands around them. */
static uint64_t extreme(const struct oracle_name *name, uint64_t a, uint64_t b, struct oracle_type type)
{
    bool least = is(name, "min"), xor = oracle_has(name, "xorsign");
    uint64_t sign = sign_of(a, type) ^ sign_of(b, type);
    if (xor) {
        a &= ~sign_of(a, type);
        b &= ~sign_of(b, type);
    }
    uint64_t d;
    if (is_nan(a, type) && is_nan(b, type))
        d = oracle_nan(type);
    else if (is_nan(a, type) || is_nan(b, type))
        d = oracle_has(name, "NaN") ? oracle_nan(type) : is_nan(a, type) ? b : a;
    else {
        double x = oracle_double(a, type), y = oracle_double(b, type);
        bool a_less = x < y || (x == y && sign_of(a, type) > sign_of(b, type));
        d = a_less == least ? a : b;
    }
    return xor&&!is_nan(d, type) ? (d & ~sign_of(d, type)) | sign : d;
}

/* .sat and .relu of a result. */
static uint64_t limited(const struct oracle_name *name, uint64_t bits, struct oracle_type type)
{
    double value = oracle_double(bits, type);
    struct oracle_number one = {.mantissa = 1};
    if (oracle_has(name, "sat"))
        return !(value > 0) ? 0 : value > 1 ? oracle_encode(&one, type, ORACLE_NEAREST) : bits;
    return oracle_has(name, "relu") && sign_of(bits, type) && !is_nan(bits, type) ? 0 : bits;
}

/* One part of the operands; false: another opcode. */
static bool compute(const struct oracle_name *name, const uint64_t *operands, struct oracle_type type,
                    uint64_t *d)
{
    bool ftz = oracle_has(name, "ftz");
    enum oracle_rounding rounding = oracle_rounding(name);
    uint64_t s[3];
    for (int i = 0; i < 3; i++)
        s[i] = ftz ? oracle_flushed(operands[i], type) : oracle_low(operands[i], type.bits);
    struct oracle_number a = oracle_decode(s[0], type), b = oracle_decode(s[1], type),
                         c = oracle_decode(s[2], type);
    struct oracle_number one = {.mantissa = 1}, result;
    if (is(name, "abs") || is(name, "neg")) {
        *d = is(name, "abs") ? s[0] & ~sign_of(s[0], type) : s[0] ^ UINT64_C(1) << (type.bits - 1);
        return true;
    }
    if (is(name, "copysign")) {
        *d = sign_of(s[0], type) | (s[1] & ~sign_of(s[1], type));
        return true;
    }
    if (is(name, "min") || is(name, "max")) {
        *d = extreme(name, s[0], s[1], type);
        return true;
    }
    if (is(name, "add") || is(name, "sub")) {
        b.negative ^= is(name, "sub");
        *d = oracle_sum(&a, &b, type, rounding);
    } else if (is(name, "fma") || is(name, "mad")) {
        result = oracle_product(&a, &b);
        *d = oracle_sum(&result, &c, type, rounding);
    } else {
        if (is(name, "mul"))
            result = oracle_product(&a, &b);
        else if (is(name, "div"))
            result = oracle_quotient(&a, &b);
        else if (is(name, "rcp"))
            result = oracle_quotient(&one, &a);
        else if (is(name, "sqrt"))
            result = oracle_root(&a);
        else
            return false;
        *d = oracle_encode(&result, type, rounding);
    }
    *d = limited(name, ftz ? oracle_flushed(*d, type) : *d, type);
    return true;
}

static bool test_property(const struct oracle_name *name, uint64_t bits, struct oracle_type type, uint64_t *d)
{
    struct oracle_number number = oracle_decode(bits, type);
    bool subnormal = oracle_is_subnormal(bits, type);
    if (!is(name, "testp"))
        return false;
    *d = oracle_has(name, "finite")       ? number.kind == ORACLE_FINITE
         : oracle_has(name, "infinite")   ? number.kind == ORACLE_INFINITE
         : oracle_has(name, "number")     ? number.kind != ORACLE_NAN
         : oracle_has(name, "notanumber") ? number.kind == ORACLE_NAN
         : oracle_has(name, "subnormal")  ? subnormal
                                          : number.kind == ORACLE_FINITE && !subnormal;
    return true;
}

bool oracle_floats(const struct oracle_name *name, const uint64_t *s, struct oracle_result *result)
{
    struct oracle_type type = oracle_last_type(name);
    struct oracle_type part = type;
    if (type.kind != ORACLE_FLOAT)
        return false;
    if (test_property(name, s[0], type, &result->bits[0]))
        return true;
    part.parts = 1;
    for (uint32_t i = 0; i < type.parts; i++) {
        uint64_t operands[3] = {s[0] >> 16 * i, s[1] >> 16 * i, s[2] >> 16 * i}, d;
        if (!compute(name, operands, part, &d))
            return false;
        result->bits[0] |= d << 16 * i;
    }
    return true;
}

/* ---- comparisons ---- */
static bool compare_floats(const char *how, double a, double b)
{
    bool nan = a != a || b != b, unordered = strlen(how) == 3 && how[2] == 'u';
    if (strcmp(how, "num") == 0 || strcmp(how, "nan") == 0)
        return nan == (strcmp(how, "nan") == 0);
    if (nan)
        return unordered;
    return strncmp(how, "eq", 2) == 0   ? a == b
           : strncmp(how, "ne", 2) == 0 ? a != b
           : strncmp(how, "lt", 2) == 0 ? a < b
           : strncmp(how, "le", 2) == 0 ? a <= b
           : strncmp(how, "gt", 2) == 0 ? a > b
                                        : a >= b;
}

static bool compare_integers(const char *how, oracle_integer a, oracle_integer b)
{
    return strcmp(how, "eq") == 0                             ? a == b
           : strcmp(how, "ne") == 0                           ? a != b
           : strcmp(how, "lt") == 0 || strcmp(how, "lo") == 0 ? a < b
           : strcmp(how, "le") == 0 || strcmp(how, "ls") == 0 ? a <= b
           : strcmp(how, "gt") == 0 || strcmp(how, "hi") == 0 ? a > b
                                                              : a >= b;
}

static bool compare(const struct oracle_name *name, uint64_t a, uint64_t b, struct oracle_type type)
{
    const char *how = name->words[1];
    if (type.kind != ORACLE_FLOAT)
        return compare_integers(how, oracle_value(a, type), oracle_value(b, type));
    if (oracle_has(name, "ftz")) {
        a = oracle_flushed(a, type);
        b = oracle_flushed(b, type);
    }
    return compare_floats(how, oracle_double(a, type), oracle_double(b, type));
}

static bool with_boolean(const struct oracle_name *name, bool t, bool c)
{
    return oracle_has(name, "and")   ? t && c
           : oracle_has(name, "or")  ? t || c
           : oracle_has(name, "xor") ? t != c
                                     : t;
}

static bool select(const struct oracle_name *name, const uint64_t *s, struct oracle_result *result)
{
    struct oracle_type type = oracle_first_type(name), by = oracle_last_type(name);
    if (is(name, "selp")) {
        result->bits[0] = oracle_low(s[2] ? s[0] : s[1], type.bits);
        return true;
    }
    if (!is(name, "slct"))
        return false;
    uint64_t c = oracle_has(name, "ftz") ? oracle_flushed(s[2], by) : s[2];
    bool first = by.kind == ORACLE_FLOAT ? oracle_double(c, by) >= 0 : oracle_value(c, by) >= 0;
    result->bits[0] = oracle_low(first ? s[0] : s[1], type.bits);
    return true;
}

bool oracle_compares(const struct oracle_name *name, const uint64_t *s, struct oracle_result *result)
{
    struct oracle_type type = oracle_last_type(name), to = oracle_first_type(name);
    struct oracle_number one = {.mantissa = 1};
    bool t[2];
    if (select(name, s, result))
        return true;
    if (!is(name, "set") && !is(name, "setp"))
        return false;
    struct oracle_type part = type;
    part.parts = 1;
    for (uint32_t i = 0; i < 2; i++)
        t[i] = compare(name, s[0] >> (type.parts == 2 ? 16 * i : 0), s[1] >> (type.parts == 2 ? 16 * i : 0),
                       part);
    if (is(name, "setp")) {
        result->bits[0] = with_boolean(name, t[0], s[2]);
        result->bits[1] = with_boolean(name, type.parts == 2 ? t[1] : !t[0], s[2]);
        result->count = 2;
        return true;
    }
    struct oracle_type to_part = to;
    to_part.parts = 1;
    uint64_t yes = to.kind == ORACLE_FLOAT ? oracle_encode(&one, to_part, ORACLE_NEAREST)
                                           : oracle_low(UINT64_MAX, type.parts == 2 ? 16 : to.bits);
    for (uint32_t i = 0; i < type.parts; i++)
        result->bits[0] |= with_boolean(name, t[i], s[2]) ? yes << 16 * i : 0;
    return true;
}
