/*
 * The first operand of an instruction is written, except for instructions that write nothing. All other
 * names, the guard and names within an address are read. PTX ISA 9.0, 9 and 11.
 */
#include "simt/program/liveness_uses.h"

#include <stdlib.h>
#include <string.h>

#define PASSES 32 /* of the search for uniform registers; registers undecided after them count as varying */

static bool is_one_of(const char *text, const char *const list[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(text, list[i]) == 0)
            return true;
    return false;
}

#define IS_ONE_OF(text, list) is_one_of(text, list, sizeof list / sizeof *list)

static bool writes_nothing(const char *opcode)
{
    static const char *const opcodes[] = {"st",
                                          "red",
                                          "bra",
                                          "brx",
                                          "bar",
                                          "barrier",
                                          "membar",
                                          "fence",
                                          "exit",
                                          "ret",
                                          "trap",
                                          "brkpt",
                                          "cp",
                                          "sust",
                                          "sured",
                                          "nanosleep",
                                          "pmevent",
                                          "prefetch",
                                          "prefetchu",
                                          "discard",
                                          "applypriority",
                                          "setmaxnreg",
                                          "griddepcontrol",
                                          "stackrestore"};
    return IS_ONE_OF(opcode, opcodes);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct liveness_register *)a)->variable->name,
                  ((const struct liveness_register *)b)->variable->name);
}

/* Index of the register with this name, or of the vector register for an element (%v.x); PTX_NONE: no
 * register. */
static uint32_t find_register(const struct liveness_uses *uses, const char *name)
{
    size_t size = strcspn(name, ".");
    uint32_t low = 0;
    uint32_t high = uses->register_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const char *other = uses->registers[middle].variable->name;
        int order = strncmp(name, other, size);
        if (order == 0 && other[size] == '\0')
            return middle;
        if (order <= 0)
            high = middle;
        else
            low = middle + 1;
    }
    return PTX_NONE;
}

static bool list_registers(struct liveness_uses *uses, const struct ptx_function *function,
                           struct arena *arena)
{
    const struct ptx_variable *lists[] = {function->variables, function->parameters, function->results};
    uint32_t counts[] = {function->variable_count, function->parameter_count, function->result_count};
    size_t room = (size_t)counts[0] + counts[1] + counts[2];
    uses->registers = arena_alloc(arena, room, sizeof *uses->registers);
    if (!uses->registers)
        return false;
    for (int i = 0; i < 3; i++) {
        for (uint32_t j = 0; j < counts[i]; j++) {
            const struct ptx_variable *variable = &lists[i][j];
            if (variable->space != PTX_REG)
                continue;
            uint64_t words = (variable->size_bytes + 3) / 4;
            uses->registers[uses->register_count++] =
                (struct liveness_register){.variable = variable,
                                           .words = variable->type == PTX_PRED ? 0
                                                    : words < 255              ? (uint32_t)words
                                                                               : 255,
                                           .uniform = true};
        }
    }
    qsort(uses->registers, uses->register_count, sizeof *uses->registers, compare_names);
    return true;
}

/* Counts the names in an operand and in its parts. The recursion is as deep as the parser allows braces. */
static uint32_t count_names(const struct ptx_operand *operands, uint32_t count)
{
    uint32_t names = 0;
    for (uint32_t i = 0; i < count; i++)
        names += (operands[i].name != NULL) + count_names(operands[i].parts, operands[i].part_count);
    return names;
}

static void collect_operands(struct liveness_uses *uses, const struct ptx_operand *operands, uint32_t count,
                             uint32_t *used)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t found = operands[i].name ? find_register(uses, operands[i].name) : PTX_NONE;
        if (found != PTX_NONE)
            uses->registers_used[(*used)++] = found;
        collect_operands(uses, operands[i].parts, operands[i].part_count, used);
    }
}

static void collect_instruction(struct liveness_uses *uses, const struct ptx_instruction *instruction,
                                struct liveness_use *use, uint32_t *used)
{
    const struct ptx_operand *operands = instruction->operands;
    uint32_t writes = instruction->operand_count > 0 && operands[0].kind != PTX_OPERAND_ADDRESS &&
                      !writes_nothing(instruction->opcode);
    if (strcmp(instruction->opcode, "call") == 0)
        writes = instruction->operand_count > 0 && operands[0].kind == PTX_OPERAND_LIST;
    use->first = *used;
    collect_operands(uses, operands, writes, used);
    use->writes = *used - use->first;
    if (instruction->operand_count > writes)
        collect_operands(uses, operands + writes, instruction->operand_count - writes, used);
    uint32_t guard = instruction->guard ? find_register(uses, instruction->guard) : PTX_NONE;
    if (guard != PTX_NONE)
        uses->registers_used[(*used)++] = guard;
    use->reads = *used - use->first - use->writes;
}

static bool has_modifier(const struct ptx_instruction *instruction, const char *text)
{
    for (uint32_t i = 0; i < instruction->modifier_count; i++)
        if (strcmp(instruction->modifiers[i], text) == 0)
            return true;
    return false;
}

static bool names_thread(const struct ptx_operand *operands, uint32_t count)
{
    static const char *const prefixes[] = {"%tid",    "%laneid", "%lanemask",
                                           "%warpid", "%clock",  "%globaltimer"};
    for (uint32_t i = 0; i < count; i++) {
        for (size_t j = 0; operands[i].name && j < sizeof prefixes / sizeof *prefixes; j++)
            if (strncmp(operands[i].name, prefixes[j], strlen(prefixes[j])) == 0)
                return true;
    }
    return false;
}

/* Whether its result is the same in all threads if its sources are. */
static bool keeps_uniform(const struct ptx_instruction *instruction)
{
    static const char *const opcodes[] = {"mov", "add", "sub", "mul", "mad", "shl",  "shr",  "and",
                                          "or",  "xor", "not", "neg", "min", "max",  "setp", "selp",
                                          "cvt", "bfe", "bfi", "shf", "abs", "cvta", "lop3", "prmt"};
    if (strcmp(instruction->opcode, "ld") == 0)
        return has_modifier(instruction, "param");
    bool arithmetic = strcmp(instruction->opcode, "mov") != 0; /* uniform registers have no floating point */
    return IS_ONE_OF(instruction->opcode, opcodes) &&
           !(arithmetic && (has_modifier(instruction, "f32") || has_modifier(instruction, "f64"))) &&
           !names_thread(instruction->operands, instruction->operand_count);
}

static bool spread_varying(struct liveness_uses *uses, const struct ptx_function *function)
{
    bool changed = false;
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        const struct liveness_use *use = &uses->instructions[i];
        const uint32_t *used = uses->registers_used + use->first;
        bool uniform = keeps_uniform(&function->instructions[i]);
        for (uint32_t j = 0; j < use->reads; j++)
            uniform &= uses->registers[used[use->writes + j]].uniform;
        for (uint32_t j = 0; j < use->writes && !uniform; j++) {
            changed |= uses->registers[used[j]].uniform;
            uses->registers[used[j]].uniform = false;
        }
    }
    return changed;
}

bool liveness_uses_find(struct liveness_uses *uses, const struct ptx_function *function, struct arena *arena)
{
    *uses = (struct liveness_uses){0};
    size_t names = 0;
    uint32_t used = 0;
    for (uint32_t i = 0; i < function->instruction_count; i++)
        names += 1 + count_names(function->instructions[i].operands, function->instructions[i].operand_count);
    uses->instructions = arena_alloc(arena, function->instruction_count, sizeof *uses->instructions);
    uses->registers_used =
        names < UINT32_MAX ? arena_alloc(arena, names, sizeof *uses->registers_used) : NULL;
    if (!uses->instructions || !uses->registers_used || !list_registers(uses, function, arena))
        return false;
    for (uint32_t i = 0; i < function->instruction_count; i++)
        collect_instruction(uses, &function->instructions[i], &uses->instructions[i], &used);
    int passes = 0;
    while (spread_varying(uses, function) && ++passes < PASSES)
        ;
    for (uint32_t i = 0; i < uses->register_count && passes == PASSES; i++)
        uses->registers[i].uniform = false;
    return true;
}
