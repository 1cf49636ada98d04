/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every form of every function of simt/lanes/lanes, in every build of it that this processor runs, against
 * the oracle: edge and random operands, random lanes active, sources and destinations in one slot. What the
 * function must not touch (inactive lanes, other slots, bits above a register's width) is compared too.
 */
#include "simt/lanes/lanes.h"
#include "tests/shared/oracle/ptx_oracle.h"
#include "tests/shared/oracle/ptx_values.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LANES 32
#define SLOT_BYTES 512
#define FRAME_BYTES (SLOT_BYTES * 12)

static struct values values = {.state = 1};

/* ---- slots ---- */
static bool is_predicate(enum ptx_type type)
{
    return type == PTX_PRED || type == LANES_CARRY || type == LANES_OTHER_PRED;
}

static uint32_t slot_bytes(enum ptx_type type)
{
    uint32_t bytes = is_predicate(type) ? 1 : ptx_type_bytes(type);
    return bytes < 4 && !is_predicate(type) ? 4 : bytes;
}

/* bits: two words, of which the second is the upper half of a type of 16 bytes. */
static void slot_set(uint8_t *frame, uint32_t slot, enum ptx_type type, uint32_t lane, const uint64_t bits[2])
{
    uint32_t *words = (uint32_t *)(void *)(frame + slot);
    uint64_t *wide = (uint64_t *)(void *)(frame + slot);
    if (is_predicate(type))
        *words = (*words & ~(1u << lane)) | (uint32_t)(bits[0] != 0) << lane;
    else if (slot_bytes(type) == 4)
        words[lane] = (uint32_t)bits[0];
    else
        wide[lane] = bits[0];
    if (slot_bytes(type) == 16)
        wide[LANES + lane] = bits[1];
}

static void slot_get(const uint8_t *frame, uint32_t slot, enum ptx_type type, uint32_t lane, uint64_t bits[2])
{
    const uint32_t *words = (const uint32_t *)(const void *)(frame + slot);
    const uint64_t *wide = (const uint64_t *)(const void *)(frame + slot);
    if (is_predicate(type))
        bits[0] = *words >> lane & 1;
    else
        bits[0] = slot_bytes(type) == 4 ? words[lane] : wide[lane];
    if (slot_bytes(type) == 16)
        bits[1] = wide[LANES + lane];
}

/* ---- one case: an instruction, its operands ---- */
struct lanes_case {
    const char *text; /* as the oracle knows it */
    struct lanes_form form;
    struct program_instruction instruction;
    enum ptx_type
        slots[LANES_OPERANDS]; /* the slots' types: for cvt.any they may be wider than the operands */
    uint32_t active;
    uint8_t before[FRAME_BYTES] __attribute__((aligned(64)));
    uint8_t expected[FRAME_BYTES] __attribute__((aligned(64)));
};

static enum ptx_type bits_of(uint32_t bytes)
{
    static const enum ptx_type types[] = {PTX_B8, PTX_B16, PTX_B32, PTX_B64};
    return types[__builtin_ctz(bytes)];
}

static uint32_t random_bytes(uint32_t least)
{
    uint32_t bytes = least < 2 ? 2 : least;
    while (bytes < 8 && values_next(&values) % 2)
        bytes *= 2;
    return bytes;
}

static void choose_slots(struct lanes_case *c)
{
    memset(c->instruction.destination, 0xff, sizeof c->instruction.destination);
    memset(c->instruction.source, 0xff, sizeof c->instruction.source);
    for (uint32_t i = 0; i < c->form.operand_count; i++) {
        uint32_t slot = i * SLOT_BYTES;
        c->slots[i] = c->form.operands[i];
        if (i >= c->form.destination_count)
            c->instruction.source[i - c->form.destination_count] = slot;
        else if (c->form.operands[i] != LANES_OTHER_PRED || values_next(&values) % 4)
            c->instruction.destination[i] = slot;
    }
}

/* One slot for a source and the destination: what in-place instructions have. */
static void choose_alias(struct lanes_case *c)
{
    uint32_t source = (uint32_t)(values_next(&values) % (c->form.operand_count - c->form.destination_count));
    uint32_t destination = (uint32_t)(values_next(&values) % c->form.destination_count);
    enum ptx_type from = c->slots[c->form.destination_count + source], to = c->slots[destination];
    bool unpacks = strncmp(c->text, "mov.unpack", 10) == 0 || strncmp(c->text, "mov.pack", 8) == 0;
    if (!unpacks && values_next(&values) % 3 == 0 && is_predicate(from) == is_predicate(to) &&
        slot_bytes(from) == slot_bytes(to) && c->instruction.destination[destination] != PROGRAM_NO_SLOT)
        c->instruction.source[source] = c->instruction.destination[destination];
}

static void choose_widths(struct lanes_case *c)
{
    if (strncmp(c->text, "cvt.any", 7) != 0)
        return;
    uint32_t to = random_bytes(ptx_type_bytes(c->form.operands[0]));
    uint32_t from = random_bytes(ptx_type_bytes(c->form.operands[1]));
    c->slots[0] = bits_of(to);
    c->slots[1] = bits_of(from);
    c->instruction.immediate |=
        LANES_WIDE_DESTINATION(__builtin_ctz(to)) | (from == 8 ? LANES_WIDE_SOURCE : 0);
}

static void fill_sources(struct lanes_case *c)
{
    bool uniform_table = strncmp(c->text, "lop3", 4) == 0;
    for (uint32_t i = c->form.destination_count; i < c->form.operand_count; i++) {
        uint32_t index = i - c->form.destination_count;
        uint64_t table = values_next(&values) & 0xff;
        for (uint32_t lane = 0; lane < LANES; lane++) {
            uint64_t near[2] = {0}, bits[2] = {0};
            if (index > 0 && !is_predicate(c->slots[i - 1]))
                slot_get(c->before, c->instruction.source[index - 1], c->slots[i - 1], lane, near);
            bits[0] = is_predicate(c->slots[i]) ? values_next(&values) & 1
                                                : values_of(&values, c->form.operands[i], near[0]);
            bits[1] = values_next(&values);
            if (c->slots[i] != c->form.operands[i]) /* above the type's bits stands something else */
                bits[0] |= values_next(&values) << (8 * ptx_type_bytes(c->form.operands[i]) - 1) << 1;
            if (!is_predicate(c->slots[i]) && ptx_type_bytes(c->slots[i]) < 8)
                bits[0] = oracle_low(bits[0], 8 * ptx_type_bytes(c->slots[i]));
            if (uniform_table && index == 3)
                bits[0] = table;
            slot_set(c->before, c->instruction.source[index], c->slots[i], lane, bits);
        }
    }
}

static uint64_t extended(const struct lanes_case *c, uint64_t bits)
{
    enum ptx_type type = c->form.operands[0];
    uint32_t width = 8 * ptx_type_bytes(type);
    bool is_signed = type == PTX_S8 || type == PTX_S16 || type == PTX_S32;
    if (is_signed && bits >> (width - 1) & 1)
        bits |= ~oracle_low(UINT64_MAX, width);
    return oracle_low(bits, 8 * ptx_type_bytes(c->slots[0]));
}

/* The operands of a lane, as the oracle takes them. */
static void gather(const struct lanes_case *c, uint32_t lane, uint64_t *sources)
{
    uint32_t count = 0;
    for (uint32_t i = c->form.destination_count; i < c->form.operand_count; i++) {
        slot_get(c->before, c->instruction.source[i - c->form.destination_count], c->slots[i], lane,
                 &sources[count]);
        if (c->form.operands[i] == PTX_PRED && c->instruction.immediate & LANES_NEGATED)
            sources[count] ^= 1;
        count += c->slots[i] == PTX_B128 ? 2 : 1;
    }
}

static void expect(struct lanes_case *c, const struct oracle_result *result, uint32_t lane)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < c->form.destination_count; i++) {
        uint64_t bits[2] = {result->bits[at], at + 1 < ORACLE_RESULTS ? result->bits[at + 1] : 0};
        if (strncmp(c->text, "cvt.any", 7) == 0)
            bits[0] = extended(c, bits[0]);
        if (c->instruction.destination[i] != PROGRAM_NO_SLOT)
            slot_set(c->expected, c->instruction.destination[i], c->slots[i], lane, bits);
        at += c->slots[i] == PTX_B128 ? 2 : 1;
    }
}

/* Distance of two floats in steps of their type; UINT64_MAX when only one is NaN. */
static uint64_t steps_between(uint64_t a, uint64_t b, struct oracle_type type)
{
    uint64_t sign = UINT64_C(1) << (type.bits - 1);
    bool a_nan = oracle_decode(a, type).kind == ORACLE_NAN, b_nan = oracle_decode(b, type).kind == ORACLE_NAN;
    if (a_nan || b_nan)
        return a == b ? 0 : UINT64_MAX;
    int64_t x = a & sign ? -(int64_t)(a ^ sign) : (int64_t)a,
            y = b & sign ? -(int64_t)(b ^ sign) : (int64_t)b;
    return (a ^ b) & sign && (x == 0 || y == 0) && x == y ? 1 : (uint64_t)(x > y ? x - y : y - x);
}

static bool near_enough(const char *text, const struct oracle_result *result, uint64_t got)
{
    struct oracle_name name;
    oracle_split(text, &name);
    struct oracle_type type = oracle_last_type(&name), part = type;
    part.parts = 1;
    for (uint32_t i = 0; i < type.parts; i++) {
        uint64_t a = oracle_low(result->bits[0] >> 16 * i, part.bits),
                 b = oracle_low(got >> 16 * i, part.bits);
        double error = fabs(oracle_double(a, part) - oracle_double(b, part));
        if (steps_between(a, b, part) > result->steps && !(error <= result->error))
            return false;
    }
    return true;
}

/* Where an approximation is good enough, it is what is expected. */
static void accept_approximations(struct lanes_case *c, const uint8_t *after,
                                  const struct oracle_result *results)
{
    for (uint32_t left = c->active; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t got[2] = {0};
        slot_get(after, c->instruction.destination[0], c->slots[0], lane, got);
        if (results[lane].approximate && near_enough(c->text, &results[lane], got[0]))
            slot_set(c->expected, c->instruction.destination[0], c->slots[0], lane, got);
    }
}

static void explain(const struct lanes_case *c, const char *variant, const uint8_t *after)
{
    for (uint32_t lane = 0; lane < LANES; lane++) {
        for (uint32_t i = 0; i < c->form.destination_count; i++) {
            uint64_t got[2] = {0}, wanted[2] = {0}, sources[ORACLE_SOURCES] = {0};
            if (c->instruction.destination[i] == PROGRAM_NO_SLOT)
                continue;
            slot_get(after, c->instruction.destination[i], c->slots[i], lane, got);
            slot_get(c->expected, c->instruction.destination[i], c->slots[i], lane, wanted);
            gather(c, lane, sources);
            cr_assert(got[0] == wanted[0] && got[1] == wanted[1],
                      "%s, %s: lane %u (%s) result %u is %#llx, not %#llx, of %#llx, %#llx, %#llx, %#llx",
                      c->text, variant, lane, c->active >> lane & 1 ? "active" : "inactive", i,
                      (unsigned long long)got[0], (unsigned long long)wanted[0],
                      (unsigned long long)sources[0], (unsigned long long)sources[1],
                      (unsigned long long)sources[2], (unsigned long long)sources[3]);
        }
    }
    cr_assert(false, "%s, %s: writes outside of its destination", c->text, variant);
}

static void run(struct lanes_case *c, const struct oracle_result *results)
{
    static uint8_t frame[FRAME_BYTES] __attribute__((aligned(64)));
    for (size_t v = 0; lanes_variant_at(v); v++) {
        const struct lanes_variant *variant = lanes_variant_at(v);
        struct lanes_form form;
        if (!variant->runs_here())
            continue;
        cr_assert(lanes_find_in(variant, c->text, &form));
        memcpy(frame, c->before, sizeof frame);
        form.function(&c->instruction, frame, c->active);
        accept_approximations(c, frame, results);
        if (memcmp(frame, c->expected, sizeof frame) != 0)
            explain(c, variant->name, frame);
    }
}

static void check_round(struct lanes_case *c, uint32_t round)
{
    struct oracle_result results[LANES];
    c->instruction = (struct program_instruction){.op = PROGRAM_LANES, .immediate = c->form.modifiers};
    c->active = round == 0   ? UINT32_MAX
                : round == 1 ? 1u << values_next(&values) % LANES
                             : (uint32_t)values_next(&values) | 1u << round % LANES;
    choose_slots(c);
    choose_widths(c);
    choose_alias(c);
    if (LANES_BOOLEAN(c->form.modifiers) && c->text[0] == 's' && values_next(&values) % 2)
        c->instruction.immediate |= LANES_NEGATED;
    for (size_t i = 0; i < FRAME_BYTES; i++)
        c->before[i] = (uint8_t)values_next(&values);
    fill_sources(c);
    memcpy(c->expected, c->before, FRAME_BYTES);
    for (uint32_t left = c->active; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t sources[ORACLE_SOURCES] = {0};
        gather(c, lane, sources);
        cr_assert(oracle_compute(c->text, sources, &results[lane]), "no oracle for %s", c->text);
        expect(c, &results[lane], lane);
    }
    run(c, results);
}

/* Comparisons are many forms of few functions; sums and products of floats have the most corners. */
static uint32_t rounds_of(const struct lanes_form *form, const char *text)
{
    bool compares = strncmp(text, "set", 3) == 0;
    bool floats = form->class == CLASS_FLOAT || form->class == CLASS_DOUBLE;
    return compares ? 3 : floats ? 20 : 6;
}

static uint32_t check_form(const char *text)
{
    static struct lanes_case c;
    const struct lanes_variant *baseline = lanes_variant_at(0);
    c.text = text;
    cr_assert(lanes_find_in(baseline, text, &c.form), "%s", text);
    for (uint32_t round = 0; round < rounds_of(&c.form, text); round++)
        check_round(&c, round);
    return 1;
}

/* All texts of a form, one after the other. */
static uint32_t expand(const char *form, char *text, size_t used)
{
    size_t plain = strcspn(form, "[");
    memcpy(text + used, form, plain);
    used += plain;
    form += plain;
    text[used] = '\0';
    if (!*form)
        return check_form(text);
    const char *end = strchr(form, ']');
    uint32_t count = 0;
    for (const char *choice = form; choice != end;) {
        size_t size = strcspn(++choice, "|]");
        memcpy(text + used, choice, size);
        count += expand(end + 1, text, used + size);
        choice += size;
    }
    return count;
}

static void check_class(enum program_class class)
{
    uint32_t count = 0;
    for (size_t i = 0; lanes_entry_at(i); i++) {
        char text[160];
        if (lanes_entry_at(i)->class == class)
            count += expand(lanes_entry_at(i)->form, text, 0);
    }
    cr_assert_gt(count, 20);
}

Test(lanes, integers)
{
    check_class(CLASS_INTEGER);
}

Test(lanes, singles)
{
    check_class(CLASS_FLOAT);
}

Test(lanes, doubles)
{
    check_class(CLASS_DOUBLE);
}

Test(lanes, halves)
{
    check_class(CLASS_HALF);
}

Test(lanes, functions)
{
    check_class(CLASS_SPECIAL_FUNCTION);
}

Test(lanes, conversions)
{
    check_class(CLASS_CONVERT);
}

/*
 * The errors docs/ptx.md states, over many values of the range they are stated for: relative ones in the
 * type's own steps (a step is 2^-23 of the value or less), absolute ones where they are.
 */
struct stated_error {
    const char *text;
    float low, high;
    uint32_t steps;
    double absolute; /* or within this */
};
static const struct stated_error stated_errors[] = {
    {"rcp.approx.f32", 0x1p-126f, 0x1p126f, 0, 0},   {"sqrt.approx.f32", 0x1p-126f, 0x1p127f, 0, 0},
    {"rsqrt.approx.f32", 0x1p-126f, 0x1p127f, 1, 0}, {"ex2.approx.f32", -126, 128, 1, 0},
    {"lg2.approx.f32", 0x1p-126f, 0x1p127f, 1, 0},   {"sin.approx.f32", -628, 628, 1, 0x1p-25},
    {"cos.approx.f32", -628, 628, 1, 0x1p-25},       {"tanh.approx.f32", -10, 10, 1, 0},
};

static void check_stated_error(const struct stated_error *stated, const struct lanes_form *form)
{
    static uint8_t frame[FRAME_BYTES] __attribute__((aligned(64)));
    struct program_instruction instruction = {.source = {SLOT_BYTES}, .immediate = form->modifiers};
    struct oracle_type type = oracle_type("f32");
    bool by_exponent = stated->low > 0;
    for (uint32_t turn = 0; turn < 400; turn++) {
        uint64_t bits[LANES];
        for (uint32_t lane = 0; lane < LANES; lane++) {
            double share = (double)(values_next(&values) >> 11) * 0x1p-53;
            double low = by_exponent ? log2((double)stated->low) : (double)stated->low;
            double high = by_exponent ? log2((double)stated->high) : (double)stated->high;
            double x = low + share * (high - low);
            float value = (float)(by_exponent ? exp2(x) : x);
            uint32_t word;
            memcpy(&word, &value, sizeof word);
            bits[lane] = word;
            slot_set(frame, SLOT_BYTES, PTX_F32, lane, (uint64_t[2]){word});
        }
        form->function(&instruction, frame, UINT32_MAX);
        for (uint32_t lane = 0; lane < LANES; lane++) {
            struct oracle_result result;
            uint64_t got[2] = {0}, sources[ORACLE_SOURCES] = {bits[lane]};
            slot_get(frame, 0, PTX_F32, lane, got);
            cr_assert(oracle_compute(stated->text, sources, &result));
            double error = fabs(oracle_double(got[0], type) - oracle_double(result.bits[0], type));
            cr_assert(steps_between(got[0], result.bits[0], type) <= stated->steps ||
                          error <= stated->absolute,
                      "%s of %#llx is %#llx, not %#llx", stated->text, (unsigned long long)bits[lane],
                      (unsigned long long)got[0], (unsigned long long)result.bits[0]);
        }
    }
}

Test(lanes, stated_errors)
{
    for (size_t i = 0; i < sizeof stated_errors / sizeof *stated_errors; i++) {
        struct lanes_form form;
        cr_assert(lanes_find(stated_errors[i].text, &form));
        check_stated_error(&stated_errors[i], &form);
    }
}
