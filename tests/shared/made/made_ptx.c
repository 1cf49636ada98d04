/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/shared/made/made_ptx.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#define MOST_OPERANDS 6
#define REGISTERS 24
#define LABELS 6

struct maker {
    struct arena *arena;
    uint64_t state;
    const struct ptx_module *module;
    const struct ptx_function *function;
};

static uint32_t pick(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % below;
}

static uint64_t bits(uint64_t *state)
{
    uint64_t high = pick(state, 1u << 31);
    uint32_t shift = pick(state, 64);
    return (high << 33 ^ (uint64_t)pick(state, 1u << 31) << 2 ^ pick(state, 4)) >> shift;
}

static void *take(struct maker *maker, size_t count, size_t size_bytes)
{
    void *memory = arena_alloc(maker->arena, count, size_bytes);
    cr_assert_not_null(memory);
    return memory;
}

__attribute__((format(printf, 2, 3))) static const char *text_of(struct maker *maker, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *copy = arena_text(maker->arena, text, (size_t)size);
    cr_assert_not_null(copy);
    return copy;
}

static enum ptx_type pick_type(struct maker *maker)
{
    static const enum ptx_type types[] = {PTX_B8,  PTX_B16, PTX_B32, PTX_B64, PTX_U8,  PTX_U16, PTX_U32,
                                          PTX_U64, PTX_S8,  PTX_S16, PTX_S32, PTX_S64, PTX_F32, PTX_F64};
    return types[pick(&maker->state, sizeof types / sizeof *types)];
}

static void make_initial(struct maker *maker, struct ptx_variable *variable)
{
    uint32_t element = ptx_type_bytes(variable->type);
    uint64_t elements = variable->element_count * variable->vector;
    uint64_t given = variable->vector > 1 ? elements : 1 + pick(&maker->state, (uint32_t)elements);
    uint8_t *initial = take(maker, given, element);
    struct ptx_relocation *relocations = take(maker, given, sizeof *relocations);
    for (uint64_t i = 0; i < given; i++) {
        uint64_t value = bits(&maker->state);
        if (variable->type == PTX_U64 && pick(&maker->state, 3) == 0)
            relocations[variable->relocation_count++] =
                (struct ptx_relocation){.offset = i * 8,
                                        .symbol = text_of(maker, "g%u", pick(&maker->state, 3)),
                                        .addend = (int64_t)pick(&maker->state, 64) - 32,
                                        .generic = pick(&maker->state, 2)};
        else
            memcpy(initial + i * element, &value, element);
    }
    variable->initial = initial;
    variable->initial_bytes = given * element;
    variable->relocations = relocations;
}

static void make_variable(struct maker *maker, struct ptx_variable *variable, const char *name,
                          enum ptx_space space)
{
    *variable = (struct ptx_variable){.name = name, .space = space, .type = pick_type(maker)};
    variable->vector = space == PTX_PARAM || pick(&maker->state, 4) ? 1 : 2u << pick(&maker->state, 2);
    uint32_t natural = ptx_type_bytes(variable->type) * variable->vector;
    variable->align = natural << (space == PTX_REG ? 0 : pick(&maker->state, 3));
    variable->element_count = space != PTX_REG && pick(&maker->state, 2) ? 1 + pick(&maker->state, 20) : 1;
    variable->size_bytes = variable->element_count * natural;
    if (space == PTX_GLOBAL || space == PTX_CONST) {
        variable->visible = pick(&maker->state, 2);
        variable->weak = pick(&maker->state, 4) == 0;
        if (pick(&maker->state, 2))
            make_initial(maker, variable);
    }
}

static const struct ptx_variable *make_variables(struct maker *maker, uint32_t count, const char *prefix,
                                                 enum ptx_space space)
{
    struct ptx_variable *variables = take(maker, count, sizeof *variables);
    for (uint32_t i = 0; i < count; i++)
        make_variable(maker, &variables[i], text_of(maker, "%s%u", prefix, i), space);
    return variables;
}

static const char *pick_name(struct maker *maker)
{
    static const char *const specials[] = {"%tid.x", "%ntid.y", "%laneid", "%clock64", "%envreg3"};
    const struct ptx_function *function = maker->function;
    switch (pick(&maker->state, 5)) {
    case 0: return specials[pick(&maker->state, sizeof specials / sizeof *specials)];
    case 1: return text_of(maker, "g%u", pick(&maker->state, 3));
    case 2: return text_of(maker, "L%u", pick(&maker->state, LABELS));
    default: return function->variables[pick(&maker->state, function->variable_count)].name;
    }
}

static void make_operand(struct maker *maker, struct ptx_operand *operand, uint32_t depth);

static void make_parts(struct maker *maker, struct ptx_operand *operand, uint32_t least, uint32_t depth)
{
    operand->part_count = least + pick(&maker->state, 4);
    operand->parts = take(maker, operand->part_count, sizeof *operand->parts);
    for (uint32_t i = 0; i < operand->part_count; i++)
        make_operand(maker, &operand->parts[i], depth + 1);
}

static void make_pair(struct maker *maker, struct ptx_operand *operand)
{
    operand->part_count = 2;
    operand->parts = take(maker, 2, sizeof *operand->parts);
    for (int i = 0; i < 2; i++) {
        operand->parts[i].kind = pick(&maker->state, 4) ? PTX_OPERAND_NAME : PTX_OPERAND_SINK;
        if (operand->parts[i].kind == PTX_OPERAND_NAME)
            operand->parts[i].name = pick_name(maker);
    }
}

static void make_operand(struct maker *maker, struct ptx_operand *operand, uint32_t depth)
{
    static const enum ptx_operand_kind kinds[] = {PTX_OPERAND_NAME,    PTX_OPERAND_NAME,  PTX_OPERAND_INTEGER,
                                                  PTX_OPERAND_FLOAT,   PTX_OPERAND_SINK,  PTX_OPERAND_PAIR,
                                                  PTX_OPERAND_ADDRESS, PTX_OPERAND_VECTOR};
    *operand = (struct ptx_operand){.kind = kinds[pick(&maker->state, depth > 2 ? 6 : 8)]};
    uint32_t turn = pick(&maker->state, 4);
    switch (operand->kind) {
    case PTX_OPERAND_NAME:
        operand->name = pick_name(maker);
        operand->negated = turn == 0;
        operand->minus = turn == 1;
        if (turn > 1)
            operand->offset = (int64_t)pick(&maker->state, 3) * 4;
        break;
    case PTX_OPERAND_INTEGER: operand->bits = bits(&maker->state); break;
    case PTX_OPERAND_FLOAT:
        operand->is_single = turn < 2;
        operand->bits = operand->is_single ? (uint32_t)bits(&maker->state) : bits(&maker->state);
        break;
    case PTX_OPERAND_ADDRESS:
        operand->name = turn ? pick_name(maker) : NULL;
        operand->offset = (int64_t)pick(&maker->state, 4096) - 1024;
        if (turn == 1)
            make_parts(maker, operand, 1, depth);
        break;
    case PTX_OPERAND_VECTOR: make_parts(maker, operand, 0, depth); break;
    case PTX_OPERAND_PAIR: make_pair(maker, operand); break;
    default: break;
    }
}

static void make_instruction(struct maker *maker, struct ptx_instruction *instruction)
{
    static const char *const opcodes[] = {"add", "ld", "st", "setp", "bra", "cvt", "atom", "call", "mma"};
    static const char *const modifiers[] = {"u32",         "global", "v4", "L1::no_allocate",
                                            "shared::cta", "2d",     "rn"};
    instruction->opcode = opcodes[pick(&maker->state, sizeof opcodes / sizeof *opcodes)];
    instruction->modifier_count = pick(&maker->state, 5);
    const char **chosen = take(maker, instruction->modifier_count, sizeof *chosen);
    for (uint32_t i = 0; i < instruction->modifier_count; i++)
        chosen[i] = modifiers[pick(&maker->state, sizeof modifiers / sizeof *modifiers)];
    instruction->modifiers = chosen;
    instruction->operand_count = pick(&maker->state, MOST_OPERANDS);
    instruction->operands = take(maker, instruction->operand_count, sizeof *instruction->operands);
    for (uint32_t i = 0; i < instruction->operand_count; i++) {
        struct ptx_operand *operand = &instruction->operands[i];
        make_operand(maker, operand, 0);
        if (operand->kind == PTX_OPERAND_VECTOR && strcmp(instruction->opcode, "call") == 0)
            operand->kind = PTX_OPERAND_LIST;
    }
    if (pick(&maker->state, 3) == 0) {
        instruction->guard = maker->function->variables[0].name;
        instruction->guard_negated = pick(&maker->state, 2);
    }
}

/* A .loc stands for all instructions up to the next one. */
static void make_locations(struct maker *maker, struct ptx_instruction *instructions, uint32_t count)
{
    struct ptx_location location = {0};
    for (uint32_t i = 0; i < count; i++) {
        if (pick(&maker->state, 3) == 0)
            location = (struct ptx_location){.file = 1, .line = 1 + i, .column = pick(&maker->state, 80)};
        if (location.line == 1 + i && pick(&maker->state, 2)) {
            location.inlined_file = 2;
            location.inlined_line = 1 + pick(&maker->state, 100);
        }
        instructions[i].location = location;
    }
}

static void make_labels(struct maker *maker, struct ptx_function *function)
{
    struct ptx_label *labels = take(maker, LABELS, sizeof *labels);
    uint32_t at = 0;
    for (uint32_t i = 0; i < LABELS; i++) {
        at += pick(&maker->state, function->instruction_count + 1 - at);
        labels[i] = (struct ptx_label){.name = text_of(maker, "L%u", i), .instruction = at};
        labels[i].target_count = pick(&maker->state, 3) ? 0 : 1 + pick(&maker->state, 3);
        const char **targets = take(maker, labels[i].target_count, sizeof *targets);
        for (uint32_t j = 0; j < labels[i].target_count; j++)
            targets[j] = text_of(maker, "L%u", pick(&maker->state, LABELS));
        labels[i].targets = targets;
    }
    function->labels = labels;
    function->label_count = LABELS;
}

static void make_limits(struct maker *maker, struct ptx_function *function)
{
    for (int i = 0; i < 3; i++) {
        function->max_threads[i] = 1 + pick(&maker->state, 64);
        function->required_threads[i] = 1 + pick(&maker->state, 64);
    }
    function->minimum_blocks = 1 + pick(&maker->state, 8);
    function->max_registers = 1 + pick(&maker->state, 255);
}

/* Every register of the function in one instruction: those of a range are listed when they are used. */
static void make_user(struct maker *maker, struct ptx_instruction *instruction)
{
    const struct ptx_function *function = maker->function;
    instruction->opcode = "use";
    instruction->operand_count = function->variable_count;
    instruction->operands = take(maker, function->variable_count, sizeof *instruction->operands);
    for (uint32_t i = 0; i < function->variable_count; i++)
        instruction->operands[i] =
            (struct ptx_operand){.kind = PTX_OPERAND_NAME, .name = function->variables[i].name};
}

static void make_alike(struct maker *maker, struct ptx_function *function)
{
    struct ptx_variable *alike = take(maker, function->variable_count, sizeof *alike);
    for (uint32_t i = 0; i < function->variable_count; i++) {
        alike[i] = function->variables[0];
        alike[i].name = function->variables[i].name;
    }
    function->variables = alike;
}

static void make_function(struct maker *maker, struct ptx_function *function, uint32_t number)
{
    *function = (struct ptx_function){.name = text_of(maker, "f%u", number), .entry = pick(&maker->state, 2)};
    function->declared = pick(&maker->state, 5) == 0;
    function->parameter_count = pick(&maker->state, 4);
    function->parameters = make_variables(maker, function->parameter_count, "p", PTX_PARAM);
    function->result_count = function->entry ? 0 : pick(&maker->state, 2);
    function->results = make_variables(maker, function->result_count, "result", PTX_PARAM);
    if (function->entry)
        make_limits(maker, function);
    if (function->declared)
        return;
    maker->function = function;
    function->variable_count = 1 + pick(&maker->state, REGISTERS);
    function->variables =
        make_variables(maker, function->variable_count, pick(&maker->state, 2) ? "%r" : "v$", PTX_REG);
    if (pick(&maker->state, 2)) /* alike: a range */
        make_alike(maker, function);
    function->instruction_count = 1 + pick(&maker->state, 30);
    struct ptx_instruction *instructions = take(maker, function->instruction_count, sizeof *instructions);
    make_user(maker, &instructions[0]);
    for (uint32_t i = 1; i < function->instruction_count; i++)
        make_instruction(maker, &instructions[i]);
    make_locations(maker, instructions, function->instruction_count);
    function->instructions = instructions;
    make_labels(maker, function);
}

const struct ptx_module *made_ptx(uint64_t seed, struct arena *arena)
{
    struct maker maker = {.arena = arena, .state = seed};
    struct ptx_module *module = take(&maker, 1, sizeof *module);
    struct ptx_file *files = take(&maker, 2, sizeof *files);
    files[0] = (struct ptx_file){.number = 1, .name = "a b/k.cu"};
    files[1] = (struct ptx_file){.number = 2, .name = "k.cuh"};
    *module = (struct ptx_module){
        .version = "9.0", .target = "sm_90", .address_bits = 64, .files = files, .file_count = 2};
    module->variable_count = 3 + pick(&maker.state, 4);
    module->variables =
        make_variables(&maker, module->variable_count, "g", pick(&maker.state, 2) ? PTX_GLOBAL : PTX_CONST);
    module->function_count = 1 + pick(&maker.state, 4);
    struct ptx_function *functions = take(&maker, module->function_count, sizeof *functions);
    maker.module = module;
    for (uint32_t i = 0; i < module->function_count; i++)
        make_function(&maker, &functions[i], i);
    module->functions = functions;
    return module;
}
