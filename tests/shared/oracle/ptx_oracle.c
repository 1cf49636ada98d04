/* SPDX-License-Identifier: Apache-2.0 */
/* Names and types, and which part knows an instruction. */
#include "tests/shared/oracle/ptx_oracle.h"

#include <string.h>

void oracle_split(const char *text, struct oracle_name *name)
{
    *name = (struct oracle_name){0};
    strncpy(name->text, text, sizeof name->text - 1);
    char *rest = NULL;
    for (char *word = strtok_r(name->text, ".", &rest); word && name->count < ORACLE_WORDS;
         word = strtok_r(NULL, ".", &rest))
        name->words[name->count++] = word;
}

bool oracle_has(const struct oracle_name *name, const char *word)
{
    for (uint32_t i = 1; i < name->count; i++)
        if (strcmp(name->words[i], word) == 0)
            return true;
    return false;
}

struct oracle_type oracle_type(const char *text)
{
    static const struct {
        const char *text;
        struct oracle_type type;
    } types[] = {
        {"b8", {8, 1, ORACLE_BITS, 0}},       {"b16", {16, 1, ORACLE_BITS, 0}},
        {"b32", {32, 1, ORACLE_BITS, 0}},     {"b64", {64, 1, ORACLE_BITS, 0}},
        {"b128", {128, 1, ORACLE_BITS, 0}},   {"u8", {8, 1, ORACLE_UNSIGNED, 0}},
        {"u16", {16, 1, ORACLE_UNSIGNED, 0}}, {"u32", {32, 1, ORACLE_UNSIGNED, 0}},
        {"u64", {64, 1, ORACLE_UNSIGNED, 0}}, {"s8", {8, 1, ORACLE_SIGNED, 0}},
        {"s16", {16, 1, ORACLE_SIGNED, 0}},   {"s32", {32, 1, ORACLE_SIGNED, 0}},
        {"s64", {64, 1, ORACLE_SIGNED, 0}},   {"u16x2", {16, 2, ORACLE_UNSIGNED, 0}},
        {"s16x2", {16, 2, ORACLE_SIGNED, 0}}, {"f16", {16, 1, ORACLE_FLOAT, 11}},
        {"f16x2", {16, 2, ORACLE_FLOAT, 11}}, {"bf16", {16, 1, ORACLE_FLOAT, 8}},
        {"bf16x2", {16, 2, ORACLE_FLOAT, 8}}, {"tf32", {19, 1, ORACLE_FLOAT, 11}},
        {"f32", {32, 1, ORACLE_FLOAT, 24}},   {"f64", {64, 1, ORACLE_FLOAT, 53}},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].text, text) == 0)
            return types[i].type;
    return (struct oracle_type){0};
}

struct oracle_type oracle_first_type(const struct oracle_name *name)
{
    for (uint32_t i = 1; i < name->count; i++) {
        struct oracle_type type = oracle_type(name->words[i]);
        if (type.bits)
            return type;
    }
    return (struct oracle_type){0};
}

struct oracle_type oracle_last_type(const struct oracle_name *name)
{
    for (uint32_t i = name->count; i-- > 1;) {
        struct oracle_type type = oracle_type(name->words[i]);
        if (type.bits)
            return type;
    }
    return (struct oracle_type){0};
}

uint64_t oracle_low(uint64_t bits, uint32_t count)
{
    return count >= 64 ? bits : bits & ((UINT64_C(1) << count) - 1);
}

oracle_integer oracle_value(uint64_t bits, struct oracle_type type)
{
    uint64_t low = oracle_low(bits, type.bits);
    bool negative = type.kind == ORACLE_SIGNED && (low >> (type.bits - 1) & 1);
    return negative ? (oracle_integer)low - ((oracle_integer)1 << type.bits) : (oracle_integer)low;
}

bool oracle_compute(const char *text, const uint64_t *sources, struct oracle_result *result)
{
    struct oracle_name name;
    oracle_split(text, &name);
    *result = (struct oracle_result){.count = 1};
    return oracle_approximates(&name, sources, result) || oracle_integers(&name, sources, result) ||
           oracle_bit_fields(&name, sources, result) || oracle_floats(&name, sources, result) ||
           oracle_compares(&name, sources, result) || oracle_converts(&name, sources, result) ||
           oracle_moves(&name, sources, result);
}
