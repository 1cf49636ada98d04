/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks the program block by block, dominators first, with a sum for every slot. A register with several
 * writers is first assumed to have only zero low bits; the walk is repeated with the number found until
 * nothing changes.
 */
#include "simt/program/merge/merge_value.h"

#include "core/base/array.h"
#include "simt/lanes/matrix.h"
#include "simt/program/merge/merge_flow.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers for keys ---- */

/*
 * Numbers for keys of one size: 0, 1, 2 ... in the order in which they are first seen. Keys are compared as
 * bytes, so padding must be zero. Owned by the creator.
 *
 * An array of keys, and an open hash table of their numbers.
 */

#define INTERN_NONE UINT32_MAX

struct intern {
    size_t key_bytes; /* set by the owner; all other fields begin as zero */
    uint8_t *keys;
    uint32_t *table; /* number + 1; 0: free */
    uint32_t count, capacity, table_size;
};

static uint32_t intern_place(const struct intern *intern, const void *key)
{
    const uint8_t *bytes = key;
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < intern->key_bytes; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    uint32_t at = (uint32_t)(hash >> 20) & (intern->table_size - 1);
    while (intern->table[at] &&
           memcmp(intern->keys + (intern->table[at] - 1) * intern->key_bytes, key, intern->key_bytes) != 0)
        at = (at + 1) & (intern->table_size - 1);
    return at;
}

static bool intern_grow(struct intern *intern)
{
    uint32_t capacity = intern->capacity ? 2 * intern->capacity : 256;
    uint8_t *keys = realloc(intern->keys, capacity * intern->key_bytes);
    if (!keys)
        return false;
    intern->keys = keys;
    uint32_t *table = calloc(2 * (size_t)capacity, sizeof *table);
    if (!table)
        return false;
    free(intern->table);
    intern->table = table;
    intern->table_size = 2 * capacity;
    intern->capacity = capacity;
    for (uint32_t i = 0; i < intern->count; i++)
        intern->table[intern_place(intern, intern->keys + i * intern->key_bytes)] = i + 1;
    return true;
}

/* INTERN_NONE: out of memory. */
static uint32_t intern_find(struct intern *intern, const void *key, bool *is_new)
{
    *is_new = false;
    if (intern->count == intern->capacity && !intern_grow(intern))
        return INTERN_NONE;
    uint32_t at = intern_place(intern, key);
    if (!intern->table[at]) {
        memcpy(intern->keys + intern->count * intern->key_bytes, key, intern->key_bytes);
        intern->table[at] = ++intern->count;
        *is_new = true;
    }
    return intern->table[at] - 1;
}

static void intern_clear(struct intern *intern)
{
    if (intern->table)
        memset(intern->table, 0, intern->table_size * sizeof *intern->table);
    intern->count = 0;
}

static void intern_fini(struct intern *intern)
{
    free(intern->keys);
    free(intern->table);
    *intern = (struct intern){0};
}

/* ---- sums ---- */

/*
 * Sums, for simt/program/merge/merge_value: the content of a register as values with factors and a constant,
 * modulo 2^32 or 2^64; and the known content of the slots of a frame. A value that is not a sum of others is
 * an atom; two instructions with the same operation on the same sums give the same atom. One owner and
 * thread. If memory runs out, `no_memory` is set and all other fields are invalid.
 *
 * The terms of a sum are sorted by atom and have no factor 0; a sum has at most SUM_TERMS of them. Atoms and
 * sums are interned: equal keys have equal numbers, and numbers are never
 * freed.
 */

#define SUM_TERMS 4

struct term {
    uint64_t factor;
    uint32_t atom, unused;
};

/* term[0].atom < term[1].atom ...; no factor is 0. All bytes after term_count terms are 0, because sums are
 * compared as bytes. */
struct sum {
    uint64_t constant;
    struct term term[SUM_TERMS];
    uint32_t term_count, bits; /* 32 or 64: sums are modulo 2^bits */
};

enum atom_kind {
    ATOM_SLOT,       /* a register with several writers, or never written: a: slot, b: stretch */
    ATOM_SYMBOL,     /* the address of a variable: bits */
    ATOM_RESULT,     /* of instruction a, destination b */
    ATOM_EXPRESSION, /* of the same operation on the same sums */
    ATOM_PRODUCT     /* likewise, in either order of the operands */
};

struct atom_key {
    lane_function *function;
    uint64_t bits;
    uint32_t kind, a, b;
    uint32_t sums[PROGRAM_SOURCES];
    uint32_t unused;
};

struct atom {
    uint64_t symbol;
    uint8_t zeros;
    bool uniform, is_symbol;
};

struct slot {
    uint32_t writers; /* a guarded one counts as two: the old value can remain */
    uint32_t stretch; /* the stretch in which the value is known; 0: it is not */
    uint8_t zeros;    /* if there are several writers: common to all values written */
    bool constant, uniform_special;
    uint64_t bits;
    struct sum value;
};

struct values {
    const struct program *program;
    const struct flow *flow;
    struct slot *slots; /* by frame offset / 4 */
    uint32_t slot_count;
    uint32_t stretch;
    struct intern sums, atom_keys;
    struct atom *atoms; /* by number in atom_keys */
    uint32_t atom_capacity;
    bool no_memory, changed;
};

/* False, with nothing changed: the sum would have more than SUM_TERMS terms. */
bool sum_add(struct sum *sum, const struct sum *a, const struct sum *b);

/* ---- sums ---- */
static uint64_t sum_mask(uint32_t bits)
{
    return bits == 64 ? UINT64_MAX : UINT32_MAX;
}

static struct sum sum_constant(uint64_t constant, uint32_t bits)
{
    return (struct sum){.constant = constant & sum_mask(bits), .bits = bits};
}

static struct sum sum_atom(uint32_t atom, uint32_t bits)
{
    return (struct sum){.term = {{.factor = 1, .atom = atom}}, .term_count = 1, .bits = bits};
}

/* A single value, the same in 32 bits and in 64. */
static bool sum_is_atom(const struct sum *sum)
{
    return sum->term_count == 1 && sum->term[0].factor == 1 && sum->constant == 0;
}

static uint32_t sum_zeros_of(uint64_t constant)
{
    return constant ? (uint32_t)__builtin_ctzll(constant) : 64;
}

static uint32_t sum_least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t sum_root_zeros(const struct values *values, const struct sum *sum)
{
    uint32_t zeros = 64;
    for (uint32_t i = 0; i < sum->term_count; i++) {
        uint32_t atom = values->no_memory ? 0 : values->atoms[sum->term[i].atom].zeros;
        zeros = sum_least(zeros, atom + sum_zeros_of(sum->term[i].factor));
    }
    return zeros;
}

/* Number of low bits that are always 0, with and without the constant; 64: the value is 0. */
static uint32_t sum_zeros(const struct values *values, const struct sum *sum)
{
    return sum_least(sum_root_zeros(values, sum), sum_zeros_of(sum->constant));
}

/* the same for all lanes of a warp */
static bool sum_uniform(const struct values *values, const struct sum *sum)
{
    for (uint32_t i = 0; i < sum->term_count; i++)
        if (values->no_memory || !values->atoms[sum->term[i].atom].uniform)
            return false;
    return true;
}

static bool sum_has_symbol(const struct values *values, const struct sum *sum)
{
    for (uint32_t i = 0; i < sum->term_count; i++)
        if (!values->no_memory && values->atoms[sum->term[i].atom].is_symbol)
            return true;
    return false;
}

static struct sum sum_scale(const struct sum *a, uint64_t factor)
{
    struct sum sum = sum_constant(a->constant * factor, a->bits);
    for (uint32_t i = 0; i < a->term_count; i++) {
        uint64_t product = a->term[i].factor * factor & sum_mask(a->bits);
        if (product)
            sum.term[sum.term_count++] = (struct term){.factor = product, .atom = a->term[i].atom};
    }
    return sum;
}

bool sum_add(struct sum *sum, const struct sum *a, const struct sum *b)
{
    struct sum result = sum_constant(a->constant + b->constant, a->bits);
    for (uint32_t i = 0, j = 0; i < a->term_count || j < b->term_count;) {
        struct term term;
        if (j == b->term_count || (i < a->term_count && a->term[i].atom < b->term[j].atom)) {
            term = a->term[i++];
        } else if (i == a->term_count || b->term[j].atom < a->term[i].atom) {
            term = b->term[j++];
        } else {
            term = a->term[i++];
            term.factor = (term.factor + b->term[j++].factor) & sum_mask(a->bits);
        }
        if (term.factor == 0)
            continue;
        if (result.term_count == SUM_TERMS)
            return false;
        result.term[result.term_count++] = term;
    }
    *sum = result;
    return true;
}

/* ---- atoms ---- */
/* The number of the atom with this key; if it is new, `atom` is stored. */
static uint32_t atom_find(struct values *values, const struct atom_key *key, const struct atom *atom)
{
    bool is_new;
    uint32_t number = intern_find(&values->atom_keys, key, &is_new);
    if (number == INTERN_NONE) {
        values->no_memory = true;
        return 0;
    }
    if (is_new) {
        if (!array_grow(values->atoms, values->atom_capacity, number, 1)) {
            values->no_memory = true;
            return 0;
        }
        values->atoms[number] = *atom;
    }
    return number;
}

/* equal sums have equal numbers */
static uint32_t sum_number(struct values *values, const struct sum *sum)
{
    bool is_new;
    uint32_t number = intern_find(&values->sums, sum, &is_new);
    values->no_memory = values->no_memory || number == INTERN_NONE;
    return number;
}

/* ---- slots ---- */
/* NULL: none */
static struct slot *slot_at(const struct values *values, uint32_t offset)
{
    return offset / 4 < values->slot_count ? &values->slots[offset / 4] : NULL;
}

static struct sum slot_read(struct values *values, uint32_t offset, uint32_t bits)
{
    struct slot *slot = offset == PROGRAM_NO_SLOT ? NULL : slot_at(values, offset);
    if (slot && slot->constant)
        return sum_constant(slot->bits, bits);
    bool known = slot && slot->stretch && (slot->writers < 2 || slot->stretch == values->stretch);
    if (known && (slot->value.bits == bits || sum_is_atom(&slot->value))) {
        struct sum value = slot->value;
        value.bits = bits;
        return value;
    }
    struct atom_key key = {.kind = ATOM_SLOT, .a = offset, .b = values->stretch};
    struct atom atom = {.uniform = slot && slot->uniform_special};
    if (known) { /* of another width: the known low bits remain true, the sum may not */
        atom.zeros = (uint8_t)sum_zeros(values, &slot->value);
        atom.uniform = sum_uniform(values, &slot->value);
        key.bits = bits;
    } else if (slot && slot->writers > 1) {
        atom.zeros = slot->zeros;
    } else {
        key.b = 0; /* never written, or written by a later instruction: the same everywhere */
    }
    return sum_atom(atom_find(values, &key, &atom), bits);
}

static void slot_write(struct values *values, uint32_t offset, const struct sum *sum)
{
    struct slot *slot = slot_at(values, offset);
    if (!slot)
        return;
    slot->value = *sum;
    slot->stretch = values->stretch;
    uint32_t zeros = sum_zeros(values, sum);
    if (slot->writers > 1 && zeros < slot->zeros) {
        slot->zeros = (uint8_t)zeros;
        values->changed = true;
    }
}

/* ---- the sum of an instruction ---- */

/*
 * One step of the walk in simt/program/merge/merge_value: computes the sum of an instruction from those of
 * its sources.
 *
 * Computes the sums of instructions from those of their sources: PTX ISA 9.0, 9.7.1 and 9.7.8.
 */

static uint32_t least_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* As it stands in the PTX; NULL: it is in none. */
static const struct ptx_instruction *instruction_written(const struct values *values,
                                                         const struct program_instruction *instruction)
{
    if (instruction->origin >= values->program->origin_count)
        return NULL;
    const struct program_origin *origin = &values->program->origins[instruction->origin];
    return &origin->function->instructions[origin->instruction];
}

static uint32_t align_in(const struct ptx_variable *variables, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (variables[i].space == PTX_SHARED && strcmp(variables[i].name, name) == 0)
            return variables[i].size_bytes ? variables[i].align : 0;
    return 0;
}

/* The alignment of a shared variable, if nothing else is known of its place: in relocatable code, and not of
 * dynamic shared memory. 0: the place is known. */
static uint32_t alignment_alone(const struct values *values, const struct program_instruction *instruction,
                                const char *name)
{
    const struct ptx_module *module = values->program->module;
    if (!module->relocatable)
        return 0;
    const struct ptx_function *function = values->program->origins[instruction->origin].function;
    uint32_t align = align_in(function->variables, function->variable_count, name);
    return align ? align : align_in(module->variables, module->variable_count, name);
}

/* The address of a variable, which lies at `place` in its space; in relocatable code only the alignment of a
 * shared one is known. `instruction` names it. */
static struct sum value_place(struct values *values, const struct program_instruction *instruction,
                              const char *name, uint64_t place, uint32_t bits)
{
    uint32_t align = alignment_alone(values, instruction, name);
    struct atom_key key = {.kind = ATOM_SYMBOL, .bits = place};
    struct atom atom = {.zeros = (uint8_t)sum_zeros_of(align ? align : place),
                        .uniform = true,
                        .is_symbol = align == 0,
                        .symbol = place};
    return sum_atom(atom_find(values, &key, &atom), bits);
}

static bool has_modifier(const struct ptx_instruction *ptx, const char *modifier)
{
    for (uint32_t i = 0; i < ptx->modifier_count; i++)
        if (strcmp(ptx->modifiers[i], modifier) == 0)
            return true;
    return false;
}

/* Bits of the integer type at the end of an instruction; 0: not an integer type. */
static uint32_t integer_bits(const struct ptx_instruction *ptx)
{
    if (ptx->modifier_count == 0)
        return 0;
    switch (ptx_type_find(ptx->modifiers[ptx->modifier_count - 1])) {
    case PTX_B32:
    case PTX_U32:
    case PTX_S32: return 32;
    case PTX_B64:
    case PTX_U64:
    case PTX_S64: return 64;
    default: return 0;
    }
}

static uint32_t count_sources(const struct program_instruction *instruction)
{
    uint32_t count = 0;
    while (count < PROGRAM_SOURCES && instruction->source[count] != PROGRAM_NO_SLOT)
        count++;
    return count;
}

/*
 * The result of an instruction of which only its dependence on its sources is known, and the number of its
 * low bits that are 0.
 * The result of an instruction of which only its dependence on its sources is known.
 */
static struct sum value_expression(struct values *values, const struct program_instruction *instruction,
                                   uint32_t destination, uint32_t bits, uint32_t source_bits, uint32_t zeros)
{
    struct atom_key key = {.kind = ATOM_EXPRESSION,
                           .function = instruction->lanes,
                           .a = instruction->immediate,
                           .b = destination};
    struct atom atom = {.zeros = (uint8_t)least_of(zeros, 64), .uniform = true};
    for (uint32_t i = 0; i < count_sources(instruction); i++) {
        struct sum source = slot_read(values, instruction->source[i], source_bits);
        key.sums[i] = sum_number(values, &source) + 1;
        atom.uniform = atom.uniform && sum_uniform(values, &source);
    }
    return sum_atom(atom_find(values, &key, &atom), bits);
}

static struct sum sum_product(struct values *values, const struct sum *a, const struct sum *b, uint32_t bits)
{
    uint32_t x = sum_number(values, a), y = sum_number(values, b);
    struct atom_key key = {
        .kind = ATOM_PRODUCT, .a = bits, .b = a->bits, .sums = {x < y ? x : y, x < y ? y : x}};
    struct atom atom = {.zeros = (uint8_t)least_of(sum_zeros(values, a) + sum_zeros(values, b), 64),
                        .uniform = sum_uniform(values, a) && sum_uniform(values, b)};
    return sum_atom(atom_find(values, &key, &atom), bits);
}

/* a x b; for .wide a 64-bit sum from 32-bit factors. */
static struct sum sum_multiply(struct values *values, const struct sum *a, const struct sum *b, bool wide)
{
    if (!wide && a->term_count == 0)
        return sum_scale(b, a->constant);
    if (!wide && b->term_count == 0)
        return sum_scale(a, b->constant);
    return sum_product(values, a, b, wide ? 64 : a->bits);
}

struct operation {
    const struct program_instruction *instruction;
    const struct ptx_instruction *ptx;
    uint32_t bits; /* of the type */
};

static struct sum operand_read(struct values *values, const struct operation *operation, uint32_t index,
                               uint32_t bits)
{
    return slot_read(values, operation->instruction->source[index], bits);
}

static struct sum opaque_value(struct values *values, const struct operation *operation, uint32_t zeros)
{
    return value_expression(values, operation->instruction, 0, operation->bits, operation->bits, zeros);
}

static bool make_add(struct values *values, const struct operation *operation, struct sum *result)
{
    struct sum a = operand_read(values, operation, 0, operation->bits),
               b = operand_read(values, operation, 1, operation->bits);
    if (strcmp(operation->ptx->opcode, "sub") == 0)
        b = sum_scale(&b, UINT64_MAX);
    if (!sum_add(result, &a, &b))
        *result = opaque_value(values, operation, least_of(sum_zeros(values, &a), sum_zeros(values, &b)));
    return true;
}

static bool make_mul(struct values *values, const struct operation *operation, struct sum *result)
{
    bool wide = has_modifier(operation->ptx, "wide");
    if (!wide && !has_modifier(operation->ptx, "lo"))
        return false;
    struct sum a = operand_read(values, operation, 0, operation->bits),
               b = operand_read(values, operation, 1, operation->bits);
    *result = sum_multiply(values, &a, &b, wide);
    return true;
}

static bool make_mad(struct values *values, const struct operation *operation, struct sum *result)
{
    bool wide = has_modifier(operation->ptx, "wide");
    if (!wide && !has_modifier(operation->ptx, "lo"))
        return false;
    struct sum a = operand_read(values, operation, 0, operation->bits),
               b = operand_read(values, operation, 1, operation->bits);
    struct sum c = operand_read(values, operation, 2, wide ? 64 : operation->bits);
    struct sum ab = sum_multiply(values, &a, &b, wide);
    if (!sum_add(result, &ab, &c))
        *result = opaque_value(values, operation, least_of(sum_zeros(values, &ab), sum_zeros(values, &c)));
    return true;
}

static bool make_shl(struct values *values, const struct operation *operation, struct sum *result)
{
    struct sum a = operand_read(values, operation, 0, operation->bits),
               by = operand_read(values, operation, 1, 32);
    if (by.term_count == 0) {
        *result = by.constant < operation->bits ? sum_scale(&a, UINT64_C(1) << by.constant)
                                                : sum_constant(0, operation->bits);
    } else {
        *result = opaque_value(values, operation, sum_zeros(values, &a));
    }
    return true;
}

static bool make_logic(struct values *values, const struct operation *operation, struct sum *result)
{
    struct sum a = operand_read(values, operation, 0, operation->bits),
               b = operand_read(values, operation, 1, operation->bits);
    uint32_t zeros_a = sum_zeros(values, &a), zeros_b = sum_zeros(values, &b);
    if (strcmp(operation->ptx->opcode, "and") == 0) {
        *result = opaque_value(values, operation, zeros_a > zeros_b ? zeros_a : zeros_b);
        return true;
    }
    /* An or with bits that are known to be 0 is an addition. ptxas places variables only afterwards. */
    const struct sum *constant = b.term_count == 0 ? &b : &a, *other = constant == &b ? &a : &b;
    uint32_t zeros = constant == &b ? zeros_a : zeros_b;
    if (strcmp(operation->ptx->opcode, "or") == 0 && constant->term_count == 0 && zeros < 64 &&
        constant->constant >> zeros == 0 && !sum_has_symbol(values, other) && sum_add(result, &a, &b))
        return true;
    *result = opaque_value(values, operation, least_of(zeros_a, zeros_b));
    return true;
}

static bool make_select(struct values *values, const struct operation *operation, struct sum *result)
{
    struct sum a = operand_read(values, operation, 0, operation->bits),
               b = operand_read(values, operation, 1, operation->bits);
    *result = opaque_value(values, operation, least_of(sum_zeros(values, &a), sum_zeros(values, &b)));
    return true;
}

/* bfi.b32 d, a, b, position, length: inserts the low bits of a into b. */
static bool make_insert(struct values *values, const struct operation *operation, struct sum *result)
{
    struct sum a = operand_read(values, operation, 0, operation->bits),
               b = operand_read(values, operation, 1, operation->bits);
    struct sum at = operand_read(values, operation, 2, 32);
    uint32_t zeros =
        at.term_count == 0 && at.constant < 64 ? sum_zeros(values, &a) + (uint32_t)at.constant : 0;
    *result = opaque_value(values, operation, least_of(zeros, sum_zeros(values, &b)));
    return true;
}

static bool make_move(struct values *values, const struct operation *operation, struct sum *result)
{
    const struct ptx_instruction *ptx = operation->ptx;
    struct slot *slot = slot_at(values, operation->instruction->source[0]);
    if (ptx->operand_count < 2 || ptx->operands[1].kind == PTX_OPERAND_VECTOR || !slot)
        return false;
    if (slot->constant &&
        ptx->operands[1].kind == PTX_OPERAND_NAME) { /* a constant name is a variable's address */
        uint64_t offset = (uint64_t)ptx->operands[1].offset;
        struct sum place = value_place(values, operation->instruction, ptx->operands[1].name,
                                       slot->bits - offset, operation->bits);
        struct sum constant = sum_constant(offset, operation->bits);
        sum_add(result, &place, &constant);
        return true;
    }
    *result = operand_read(values, operation, 0, operation->bits);
    return true;
}

/* cvt between integers, cvta between addresses of a space and generic ones: the low bits do not change. */
static bool make_convert(struct values *values, const struct operation *operation, struct sum *result)
{
    const struct ptx_instruction *ptx = operation->ptx;
    uint32_t source_bits = operation->bits, bits = operation->bits;
    if (strcmp(ptx->opcode, "cvt") == 0) {
        struct ptx_instruction to = *ptx;
        to.modifier_count = ptx->modifier_count - 1;
        bits = integer_bits(&to);
        if (!bits)
            return false;
    }
    struct sum from = operand_read(values, operation, 0, source_bits);
    *result =
        value_expression(values, operation->instruction, 0, bits, source_bits, sum_zeros(values, &from));
    return true;
}

static const struct maker {
    const char *opcode;
    bool (*make)(struct values *values, const struct operation *operation, struct sum *result);
} makers[] = {{"add", make_add},      {"sub", make_add},    {"mul", make_mul},  {"mad", make_mad},
              {"shl", make_shl},      {"and", make_logic},  {"or", make_logic}, {"xor", make_logic},
              {"selp", make_select},  {"bfi", make_insert}, {"mov", make_move}, {"cvt", make_convert},
              {"cvta", make_convert}, {"mul24", make_mul},  {"mad24", make_mad}};

/* False: not an addition, multiplication, shift ... of integers, or not recognised as one. */
static bool value_make(struct values *values, const struct program_instruction *instruction,
                       struct sum *result)
{
    const struct ptx_instruction *ptx = instruction_written(values, instruction);
    if (instruction->op != PROGRAM_LANES || !ptx || has_modifier(ptx, "sat"))
        return false;
    struct operation operation = {.instruction = instruction, .ptx = ptx, .bits = integer_bits(ptx)};
    for (size_t i = 0; operation.bits && i < sizeof makers / sizeof makers[0]; i++)
        if (strcmp(makers[i].opcode, ptx->opcode) == 0)
            return makers[i].make(values, &operation, result);
    return false;
}

/* ---- the walk ---- */

#define ROUNDS_MAX 12

/* Entry parameters, and constant memory at a uniform address, are the same for all lanes. */
static bool loads_uniform(struct values *values, const struct program_instruction *instruction)
{
    if (instruction->op != PROGRAM_LD)
        return false;
    if (instruction->space == PTX_PARAM)
        return instruction->immediate == PROGRAM_NO_SLOT;
    struct sum address = slot_read(values, instruction->source[0], instruction->address_is_32_bits ? 32 : 64);
    return instruction->space == PTX_CONST &&
           (instruction->source[0] == PROGRAM_NO_SLOT || sum_uniform(values, &address));
}

static void value_instruction(struct values *values, uint32_t i)
{
    const struct program_instruction *instruction = &values->program->instructions[i];
    if (instruction->destination[0] == PROGRAM_NO_SLOT)
        return;
    struct sum result;
    bool guarded = instruction->guard != PROGRAM_NO_SLOT;
    if (!guarded && value_make(values, instruction, &result)) {
        slot_write(values, instruction->destination[0], &result);
        return;
    }
    bool uniform = loads_uniform(values, instruction) && !guarded;
    for (uint32_t d = 0; d < PROGRAM_VECTOR && instruction->destination[d] != PROGRAM_NO_SLOT; d++) {
        if (instruction->op == PROGRAM_LANES && !guarded) {
            result = value_expression(values, instruction, d, 32, 32, 0);
        } else {
            struct atom_key key = {.kind = ATOM_RESULT, .a = i, .b = d};
            struct atom atom = {.uniform = uniform};
            result = sum_atom(atom_find(values, &key, &atom), 32);
        }
        slot_write(values, instruction->destination[d], &result);
    }
}

/* The variable that the address of a load, store or atomic names, "[name + 4]"; NULL: none. */
static const struct ptx_operand *operand_named(const struct values *values,
                                               const struct program_instruction *instruction)
{
    const struct ptx_instruction *ptx = instruction_written(values, instruction);
    for (uint32_t i = 0; ptx && i < ptx->operand_count; i++)
        if (ptx->operands[i].kind == PTX_OPERAND_ADDRESS)
            return ptx->operands[i].name ? &ptx->operands[i] : NULL;
    return NULL;
}

static void value_address(struct values *values, uint32_t i, struct value_address *address)
{
    const struct program_instruction *instruction = &values->program->instructions[i];
    uint32_t bits = instruction->address_is_32_bits ? 32 : 64;
    struct sum sum = sum_constant(0, bits);
    int64_t offset = instruction->offset;
    const struct ptx_operand *named;
    if (instruction->source[0] != PROGRAM_NO_SLOT) {
        sum = slot_read(values, instruction->source[0], bits);
    } else if (instruction->space == PTX_SHARED && (named = operand_named(values, instruction))) {
        sum = value_place(values, instruction, named->name, (uint64_t)(offset - named->offset), bits);
        offset = named->offset;
    }
    if (sum.term_count == 1 && sum.term[0].factor == 1 && !values->no_memory &&
        values->atoms[sum.term[0].atom].is_symbol) {
        uint64_t symbol = values->atoms[sum.term[0].atom].symbol;
        sum = sum_constant(sum.constant + symbol, bits);
    }
    uint64_t constant = sum.constant;
    address->constant = offset + (bits == 32 ? (int64_t)(int32_t)(uint32_t)constant : (int64_t)constant);
    address->uniform = sum_uniform(values, &sum);
    address->zeros = sum_root_zeros(values, &sum);
    sum.constant = 0;
    sum.bits = 64;
    address->root = sum_number(values, &sum);
    if (instruction->op == PROGRAM_ATOM) {
        struct sum operand =
            slot_read(values, instruction->source[1], instruction->width_bytes == 8 ? 64 : 32);
        address->operand_uniform = sum_uniform(values, &operand);
    }
}

/* One walk over the program. A stretch continues in the next block if no other path leads there. */
static void value_walk(struct values *values, struct value_address *addresses)
{
    const struct flow *flow = values->flow;
    intern_clear(&values->sums);
    intern_clear(&values->atom_keys);
    values->changed = false;
    for (uint32_t i = 0; i < values->slot_count; i++)
        values->slots[i].stretch = 0;
    values->stretch = 0;
    for (uint32_t i = 0; i < flow->order_count && !values->no_memory; i++) {
        const struct flow_block *block = &flow->blocks[flow->order[i]];
        bool goes_on = i > 0 && !block->entry && block->predecessor_count == 1 &&
                       block->predecessors[0] == flow->order[i - 1];
        values->stretch += !goes_on;
        for (uint32_t j = block->first; j < block->first + block->count; j++) {
            uint8_t op = values->program->instructions[j].op;
            if (op == PROGRAM_LD || op == PROGRAM_ST || op == PROGRAM_ATOM)
                value_address(values, j, &addresses[j]);
            value_instruction(values, j);
        }
    }
}

static bool special_is_uniform(enum program_special special)
{
    switch (special) {
    case SPECIAL_NTID_X:
    case SPECIAL_NTID_Y:
    case SPECIAL_NTID_Z:
    case SPECIAL_CTAID_X:
    case SPECIAL_CTAID_Y:
    case SPECIAL_CTAID_Z:
    case SPECIAL_NCTAID_X:
    case SPECIAL_NCTAID_Y:
    case SPECIAL_NCTAID_Z:
    case SPECIAL_CLUSTERID_X:
    case SPECIAL_CLUSTERID_Y:
    case SPECIAL_CLUSTERID_Z:
    case SPECIAL_NCLUSTERID_X:
    case SPECIAL_NCLUSTERID_Y:
    case SPECIAL_NCLUSTERID_Z:
    case SPECIAL_CLUSTER_CTAID_X:
    case SPECIAL_CLUSTER_CTAID_Y:
    case SPECIAL_CLUSTER_CTAID_Z:
    case SPECIAL_CLUSTER_NCTAID_X:
    case SPECIAL_CLUSTER_NCTAID_Y:
    case SPECIAL_CLUSTER_NCTAID_Z:
    case SPECIAL_CLUSTER_CTARANK:
    case SPECIAL_CLUSTER_NCTARANK: return true;
    default: return false;
    }
}

static void value_slots(struct values *values)
{
    const struct program *program = values->program;
    for (uint32_t i = 0; i < program->constant_count; i++) {
        struct slot *slot = slot_at(values, program->constants[i].slot);
        if (slot) {
            slot->constant = true;
            slot->bits = program->constants[i].bits;
        }
    }
    for (uint32_t i = 0; i < program->special_count; i++) {
        struct slot *slot = slot_at(values, program->specials[i].slot);
        if (slot)
            slot->uniform_special = special_is_uniform(program->specials[i].special);
    }
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        const struct program_instruction *instruction = &program->instructions[i];
        for (uint32_t d = 0; d < PROGRAM_VECTOR; d++) {
            struct slot *slot = instruction->destination[d] == PROGRAM_NO_SLOT
                                    ? NULL
                                    : slot_at(values, instruction->destination[d]);
            if (slot) {
                slot->writers += instruction->guard == PROGRAM_NO_SLOT ? 1 : 2;
                slot->zeros = 64;
            }
        }
        for (uint32_t r = 0;
             instruction->op == PROGRAM_MATRIX && r < instruction->matrix->parts[MATRIX_D].registers; r++) {
            struct slot *slot = slot_at(values, instruction->matrix->parts[MATRIX_D].slots[r]);
            if (slot) { /* of unknown value */
                slot->writers += 2;
                slot->zeros = 0;
            }
        }
    }
}

enum status value_addresses(struct value_address **addresses, const struct program *program,
                            const struct flow *flow, struct error *error)
{
    struct values values = {.program = program,
                            .flow = flow,
                            .slot_count = program->frame_bytes / 4 + 1,
                            .sums = {.key_bytes = sizeof(struct sum)},
                            .atom_keys = {.key_bytes = sizeof(struct atom_key)}};
    struct value_address *list = calloc((size_t)program->instruction_count + 1, sizeof *list);
    values.slots = calloc(values.slot_count, sizeof *values.slots);
    values.no_memory = !list || !values.slots;
    if (!values.no_memory) {
        value_slots(&values);
        values.changed = true;
    }
    for (uint32_t round = 0; values.changed && !values.no_memory; round++) {
        if (round == ROUNDS_MAX)
            for (uint32_t i = 0; i < values.slot_count; i++)
                values.slots[i].zeros = 0;
        value_walk(&values, list);
    }
    intern_fini(&values.sums);
    intern_fini(&values.atom_keys);
    free(values.atoms);
    free(values.slots);
    if (values.no_memory) {
        free(list);
        return error_no_memory(error, "for the addresses of %s", program->entry->name);
    }
    *addresses = list;
    return STATUS_OK;
}
