/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Approximations, by the C library in long double, with the errors that PTX ISA 9.0 allows (9.7.3.13 to .22,
 * 9.7.4.9, .10); docs/ptx.md says which of them simt/lanes/lanes makes use of.
 */
#include "tests/shared/oracle/ptx_oracle.h"

#include <math.h>
#include <string.h>

static bool is(const struct oracle_name *name, const char *opcode)
{
    return strcmp(name->words[0], opcode) == 0;
}

/* A long double as the nearest of a float type. */
static uint64_t nearest(long double value, struct oracle_type type)
{
    int exponent;
    struct oracle_number number = {.negative = signbit(value)};
    if (isnan(value))
        number.kind = ORACLE_NAN;
    else if (isinf(value))
        number.kind = ORACLE_INFINITE;
    else {
        number.mantissa = (oracle_bits)ldexpl(frexpl(fabsl(value), &exponent), 64);
        number.exponent = exponent - 64;
        if (number.exponent < -2000 || number.exponent > 2000) /* beyond every type: still below, or above */
            number = (struct oracle_number){
                .negative = number.negative, .mantissa = 1, .exponent = number.exponent < 0 ? -2000 : 2000};
    }
    return oracle_encode(&number, type, ORACLE_NEAREST);
}

static bool function(const struct oracle_name *name, long double x, long double *d)
{
    if (is(name, "rsqrt"))
        *d = 1.0L / sqrtl(x);
    else if (is(name, "rcp"))
        *d = 1.0L / x;
    else if (is(name, "sin"))
        *d = sinl(x);
    else if (is(name, "cos"))
        *d = cosl(x);
    else if (is(name, "lg2"))
        *d = log2l(x);
    else if (is(name, "ex2"))
        *d = exp2l(x);
    else if (is(name, "tanh"))
        *d = tanhl(x);
    else
        return false;
    return true;
}

/* rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: upper words only. */
static void upper_words(const struct oracle_name *name, uint64_t a, struct oracle_result *result)
{
    struct oracle_type type = oracle_type("f64");
    uint64_t bits = oracle_flushed(a, type) & UINT64_C(0xffffffff00000000);
    long double d = 0;
    function(name, (long double)oracle_double(bits, type), &d);
    result->bits[0] = oracle_flushed(nearest(d, type), type) & UINT64_C(0xffffffff00000000);
    if (isnan(d))
        result->bits[0] = UINT64_C(0x7fffffff00000000);
    else
        result->error = (double)fabsl(d) * 0x1p-20;
}

bool oracle_approximates(const struct oracle_name *name, const uint64_t *s, struct oracle_result *result)
{
    struct oracle_type type = oracle_last_type(name), part = type;
    long double d;
    bool exact = is(name, "div") || is(name, "sqrt") || (is(name, "rcp") && type.bits == 32);
    if (!oracle_has(name, "approx") || exact)
        return false;
    result->approximate = true;
    if (type.bits == 64 && oracle_has(name, "ftz")) {
        upper_words(name, s[0], result);
        return true;
    }
    bool ftz = oracle_has(name, "ftz");
    part.parts = 1;
    for (uint32_t i = 0; i < type.parts; i++) {
        uint64_t bits = s[0] >> 16 * i;
        bits = ftz ? oracle_flushed(bits, part) : oracle_low(bits, part.bits);
        if (!function(name, (long double)oracle_double(bits, part), &d))
            return false;
        uint64_t value = nearest(d, part);
        result->bits[0] |= (ftz ? oracle_flushed(value, part) : value) << 16 * i;
    }
    /* One step beside the nearest value. Where sin and cos pass through 0 the absolute error counts. */
    result->steps = 1;
    result->error = is(name, "sin") || is(name, "cos") ? 0x1p-24 : 0;
    return true;
}
