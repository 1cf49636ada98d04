/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a PTX instruction computes for one lane, said the slow way: integers of 128 bits and bit loops as the
 * PTX ISA writes them, floats as exact sums of arbitrary length that are rounded once. To compare
 * simt/lanes/lanes and whole programs with; shares nothing with them.
 */
#ifndef TESTS_SHARED_ORACLE_PTX_ORACLE_H
#define TESTS_SHARED_ORACLE_PTX_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

__extension__ typedef __int128 oracle_integer;
__extension__ typedef unsigned __int128 oracle_bits;

#define ORACLE_WORDS 12
#define ORACLE_RESULTS 4

/* An instruction's name taken apart: "add.rn.ftz.f32" -> add, rn, ftz, f32. */
struct oracle_name {
    char text[160];
    const char *words[ORACLE_WORDS];
    uint32_t count;
};

struct oracle_result {
    uint64_t bits[ORACLE_RESULTS]; /* in the order of the text; a predicate is 0 or 1 */
    uint32_t count;
    /* Approximations: bits[0] is the nearest value, and another is right when it is within this many steps of
     * the type, or differs by less than `error`. */
    bool approximate;
    uint32_t steps;
    double error;
};

/* What a type's text says; bits 0: it is no type. */
struct oracle_type {
    uint32_t bits, parts; /* of one part; 2 of a pair */
    enum { ORACLE_BITS, ORACLE_UNSIGNED, ORACLE_SIGNED, ORACLE_FLOAT } kind;
    uint32_t precision; /* of a float: bits of its mantissa with the hidden one */
};

/* A float taken apart: mantissa * 2^exponent. */
struct oracle_number {
    enum { ORACLE_FINITE, ORACLE_INFINITE, ORACLE_NAN } kind;
    bool negative;
    oracle_bits mantissa;
    int32_t exponent;
};
enum oracle_rounding { ORACLE_NEAREST, ORACLE_ZERO, ORACLE_DOWN, ORACLE_UP, ORACLE_AWAY };

void oracle_split(const char *text, struct oracle_name *name);
bool oracle_has(const struct oracle_name *name, const char *word);
struct oracle_type oracle_type(const char *text);
/* The types in the name: from the left the first, from the right the last. */
struct oracle_type oracle_first_type(const struct oracle_name *name);
struct oracle_type oracle_last_type(const struct oracle_name *name);
uint64_t oracle_low(uint64_t bits, uint32_t count);
oracle_integer oracle_value(uint64_t bits, struct oracle_type type); /* of an integer type */

/* ptx_oracle_number.c: floats as exact numbers. */
struct oracle_number oracle_decode(uint64_t bits, struct oracle_type type);
uint64_t oracle_encode(const struct oracle_number *number, struct oracle_type type,
                       enum oracle_rounding rounding);
/* The sum of two, rounded. */
uint64_t oracle_sum(const struct oracle_number *a, const struct oracle_number *b, struct oracle_type type,
                    enum oracle_rounding rounding);
struct oracle_number oracle_product(const struct oracle_number *a, const struct oracle_number *b);
struct oracle_number oracle_quotient(const struct oracle_number *a, const struct oracle_number *b);
struct oracle_number oracle_root(const struct oracle_number *a);
bool oracle_is_subnormal(uint64_t bits, struct oracle_type type);
uint64_t oracle_flushed(uint64_t bits, struct oracle_type type); /* a zero of its sign, if it is subnormal */
uint64_t oracle_nan(struct oracle_type type);
enum oracle_rounding oracle_rounding(const struct oracle_name *name);
double oracle_double(uint64_t bits, struct oracle_type type); /* exact */

#define ORACLE_SOURCES 12
/* sources: ORACLE_SOURCES words, the operands behind the destinations first, in the order of the text, a
 * carry in last. False: this is no instruction that the oracle knows. */
bool oracle_compute(const char *text, const uint64_t *sources, struct oracle_result *result);

/* Its parts, by groups of opcodes; each returns false for what is not its own. */
bool oracle_integers(const struct oracle_name *name, const uint64_t *s, struct oracle_result *result);
bool oracle_bit_fields(const struct oracle_name *name, const uint64_t *s, struct oracle_result *result);
bool oracle_floats(const struct oracle_name *name, const uint64_t *s, struct oracle_result *result);
bool oracle_compares(const struct oracle_name *name, const uint64_t *s, struct oracle_result *result);
bool oracle_converts(const struct oracle_name *name, const uint64_t *s, struct oracle_result *result);
bool oracle_moves(const struct oracle_name *name, const uint64_t *s, struct oracle_result *result);
bool oracle_approximates(const struct oracle_name *name, const uint64_t *s, struct oracle_result *result);

#endif
