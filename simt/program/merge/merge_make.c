/* Computes the sums of instructions from those of their sources: PTX ISA 9.0, 9.7.1 and 9.7.8. */
#include "simt/program/merge/merge_make.h"

#include <string.h>

static uint32_t least_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

const struct ptx_instruction *instruction_written(const struct values *values,
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

struct sum value_place(struct values *values, const struct program_instruction *instruction, const char *name,
                       uint64_t place, uint32_t bits)
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

/* The result of an instruction of which only its dependence on its sources is known. */
struct sum value_expression(struct values *values, const struct program_instruction *instruction,
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

bool value_make(struct values *values, const struct program_instruction *instruction, struct sum *result)
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
