/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a program: lowers its functions one after the other, then resolves references to instructions. */
#include "core/base/array.h"

#include "simt/program/lower/lower_internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- an instruction as text ---- */

struct writer {
    char *text;
    size_t size_bytes, used; /* used < size_bytes; text that does not fit is cut off */
};

static void text_add(struct writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void text_add(struct writer *writer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const size_t room = writer->size_bytes - writer->used;
    const int wanted = vsnprintf(writer->text + writer->used, room, format, arguments);
    va_end(arguments);
    writer->used += wanted >= 0 && (size_t)wanted < room ? (size_t)wanted : room - 1;
}

static void add_offset(struct writer *writer, const char *between, int64_t offset)
{
    if (offset != 0)
        text_add(writer, "%s%" PRId64, between, offset);
}

static void add_operand(struct writer *writer, const struct ptx_operand *operand);

static void add_parts(struct writer *writer, const struct ptx_operand *operand, const char *opening,
                      const char *between, const char *closing)
{
    text_add(writer, "%s", opening);
    for (uint32_t i = 0; i < operand->part_count; i++) {
        text_add(writer, "%s", i == 0 ? "" : between);
        add_operand(writer, &operand->parts[i]);
    }
    text_add(writer, "%s", closing);
}

static void add_operand(struct writer *writer, const struct ptx_operand *operand)
{
    text_add(writer, "%s", operand->negated ? "!" : operand->minus ? "-" : "");
    switch (operand->kind) {
    case PTX_OPERAND_NAME:
        text_add(writer, "%s", operand->name);
        add_offset(writer, operand->offset > 0 ? "+" : "", operand->offset);
        break;
    case PTX_OPERAND_INTEGER: text_add(writer, "%" PRId64, (int64_t)operand->bits); break;
    case PTX_OPERAND_FLOAT:
        text_add(writer, operand->is_single ? "0f%08" PRIX64 : "0d%016" PRIX64, operand->bits);
        break;
    case PTX_OPERAND_ADDRESS:
        text_add(writer, "[%s", operand->name ? operand->name : "");
        add_offset(writer, operand->name && operand->offset > 0 ? "+" : "", operand->offset);
        if (!operand->name && operand->offset == 0)
            text_add(writer, "0");
        add_parts(writer, operand, operand->part_count > 0 ? ", " : "", ", ", "]");
        break;
    case PTX_OPERAND_VECTOR: add_parts(writer, operand, "{", ", ", "}"); break;
    case PTX_OPERAND_LIST: add_parts(writer, operand, "(", ", ", ")"); break;
    case PTX_OPERAND_PAIR: add_parts(writer, operand, "", "|", ""); break;
    case PTX_OPERAND_SINK: text_add(writer, "_"); break;
    }
}

static void lower_text(const struct ptx_instruction *instruction, char *text, size_t size_bytes)
{
    struct writer writer = {.text = text, .size_bytes = size_bytes};
    if (size_bytes == 0)
        return;
    text[0] = '\0';
    if (instruction->guard)
        text_add(&writer, "@%s%s ", instruction->guard_negated ? "!" : "", instruction->guard);
    text_add(&writer, "%s", instruction->opcode);
    for (uint32_t i = 0; i < instruction->modifier_count; i++)
        text_add(&writer, ".%s", instruction->modifiers[i]);
    for (uint32_t i = 0; i < instruction->operand_count; i++) {
        text_add(&writer, "%s", i == 0 ? " " : ", ");
        add_operand(&writer, &instruction->operands[i]);
    }
}

void program_instruction_text(const struct program *program, uint32_t instruction, char *text,
                              size_t size_bytes)
{
    const struct program_origin *const origin = &program->origins[program->instructions[instruction].origin];
    if (origin->instruction < origin->function->instruction_count)
        lower_text(&origin->function->instructions[origin->instruction], text, size_bytes);
    else if (size_bytes > 0)
        snprintf(text, size_bytes, "end of %s", origin->function->name);
}

struct ptx_location program_location(const struct program *program, uint32_t instruction)
{
    const struct program_origin *const origin = &program->origins[program->instructions[instruction].origin];
    if (origin->instruction < origin->function->instruction_count)
        return origin->function->instructions[origin->instruction].location;
    return (struct ptx_location){0};
}

/* ---- the program ---- */

struct owned_program { /* the program and the memory that it owns */
    struct program program;
    struct arena arena;
};

bool lower_no_memory(struct lower *lower)
{
    lower->status = error_no_memory(lower->error, "to prepare %s", lower->entry->name);
    return false;
}

bool lower_fail(struct lower *lower, const char *format, ...)
{
    char sentence[512], text[256] = "", place[300] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    if (lower->status != STATUS_OK)
        return false; /* the first error stays */
    if (!lower->at) {
        lower->status = error_set(lower->error, STATUS_USAGE, "%s: %s", lower->entry->name, sentence);
        return false;
    }
    lower_text(lower->at, text, sizeof text);
    const struct ptx_location *const at = &lower->at->location;
    const char *const file = at->line > 0 ? ptx_file_name(lower->module, at->file) : NULL;
    if (file)
        snprintf(place, sizeof place, "%.200s:%u, ", file, at->line);
    lower->status = error_set(lower->error, STATUS_USAGE, "%s: '%s' (%sline %u of the PTX): %s",
                              lower->function->function->name, text, place, lower->at->ptx_line, sentence);
    return false;
}

void *lower_push(struct lower *lower, struct lower_list *list, size_t item_bytes)
{
    if (!array_grow_32(&list->items, &list->capacity, list->count, 1, item_bytes, false)) {
        lower_no_memory(lower);
        return NULL;
    }
    uint8_t *const item = (uint8_t *)list->items + list->count++ * item_bytes;
    memset(item, 0, item_bytes);
    return item;
}

/* Moves the items to the program's arena, to the start of a line. */
static void *list_keep(struct lower *lower, struct lower_list *list, size_t item_bytes)
{
    const size_t bytes = list->count * item_bytes;
    uint8_t *kept = arena_alloc(lower->arena, 1, bytes + PROGRAM_LINE_BYTES);
    if (!kept) {
        lower_no_memory(lower);
    } else {
        kept += -(uintptr_t)kept % PROGRAM_LINE_BYTES;
        if (bytes > 0)
            memcpy(kept, list->items, bytes);
    }
    free(list->items);
    *list = (struct lower_list){0};
    return kept;
}

struct program_instruction *lower_emit(struct lower *lower, enum program_op op, enum program_class class)
{
    struct program_instruction *const made = lower_push(lower, &lower->instructions, sizeof *made);
    if (!made)
        return NULL;
    made->op = (uint8_t)op;
    made->class = (uint8_t) class;
    made->vector = 1;
    made->guard = lower->guard_slot;
    made->guard_negated = lower->guard_slot != PROGRAM_NO_SLOT && lower->at->guard_negated;
    made->target = made->meet = PROGRAM_END;
    made->origin = lower->origins.count - 1;
    for (uint32_t i = 0; i < PROGRAM_VECTOR; i++)
        made->destination[i] = PROGRAM_NO_SLOT;
    for (uint32_t i = 0; i < PROGRAM_SOURCES; i++)
        made->source[i] = PROGRAM_NO_SLOT;
    return made;
}

static bool add_origin(struct lower *lower, uint32_t instruction)
{
    struct program_origin *const origin = lower_push(lower, &lower->origins, sizeof *origin);
    if (!origin)
        return false;
    *origin = (struct program_origin){lower->function->function, instruction};
    return true;
}

static bool find_guard(struct lower *lower)
{
    enum ptx_type type;
    lower->guard_slot = PROGRAM_NO_SLOT;
    if (!lower->at->guard)
        return true;
    if (!lower_register(lower, lower->at->guard, &type, &lower->guard_slot) || type != PTX_PRED) {
        lower->guard_slot = PROGRAM_NO_SLOT;
        return lower_fail(lower, "%s is not a predicate register.", lower->at->guard);
    }
    return true;
}

static bool lower_instruction(struct lower *lower, uint32_t index)
{
    struct lower_function *const function = lower->function;
    lower->at = &function->function->instructions[index];
    lower->at_index = index;
    lower->modifiers_taken = 0;
    function->index[index] = lower->instructions.count;
    const struct lower_opcode *const opcode = lower_opcode_find(lower->at->opcode);
    if (!add_origin(lower, index) || !find_guard(lower))
        return false;
    if (!opcode)
        return lower_fail(lower, "there is no instruction %s in PTX ISA 9.0.", lower->at->opcode);
    return opcode->refusal ? lower_fail(lower, "%s", opcode->refusal) : opcode->rule(lower);
}

/* Returns whether lanes can reach the end of the text. */
static bool has_open_end(const struct lower *lower)
{
    const struct lower_function *const function = lower->function;
    const struct program_instruction *const instructions = lower->instructions.items;
    const uint32_t count = lower->instructions.count;
    for (uint32_t i = 0; i < function->function->label_count; i++)
        if (function->function->labels[i].instruction == function->function->instruction_count)
            return true;
    if (count == function->first || instructions[count - 1].guard != PROGRAM_NO_SLOT)
        return true;
    const enum program_op op = instructions[count - 1].op;
    return op != PROGRAM_RET && op != PROGRAM_EXIT && op != PROGRAM_TRAP && op != PROGRAM_BRA;
}

static bool lower_last(struct lower *lower)
{
    struct lower_function *const function = lower->function;
    const uint32_t count = function->function->instruction_count;
    function->index[count] = lower->instructions.count;
    lower->at = NULL;
    lower->guard_slot = PROGRAM_NO_SLOT;
    if (!has_open_end(lower))
        return true;
    return add_origin(lower, count > 0 ? count - 1 : 0) && lower_emit(lower, PROGRAM_RET, CLASS_CONTROL);
}

/* A thread of a kernel that reaches this instruction ends there. */
static bool ends_thread(const struct lower_function *function, const struct program_instruction *instruction)
{
    return instruction->guard == PROGRAM_NO_SLOT &&
           (instruction->op == PROGRAM_EXIT || (instruction->op == PROGRAM_RET && function->function->entry));
}

/* So far the targets of branches are indices of PTX instructions. Lanes that would meet only to end together
 * do not wait for each other: the others may be at a barrier, which counts the threads that have not ended.
 */
static void point_branches(struct lower *lower)
{
    const struct lower_function *const function = lower->function;
    struct program_instruction *const instructions = lower->instructions.items;
    const struct program_origin *const origins = lower->origins.items;
    uint32_t *const targets = lower->targets.items;
    for (uint32_t i = function->first; i < lower->instructions.count; i++) {
        struct program_instruction *const at = &instructions[i];
        if (at->op != PROGRAM_BRA && at->op != PROGRAM_BRX)
            continue;
        const uint32_t meet = cfg_meeting_point(function->cfg, origins[at->origin].instruction);
        at->meet = meet == PTX_NONE || ends_thread(function, &instructions[function->index[meet]])
                       ? PROGRAM_END
                       : function->index[meet];
        if (at->op == PROGRAM_BRA) {
            at->target = function->index[at->target];
            continue;
        }
        for (uint32_t k = 0; k < at->immediate; k++)
            targets[at->target + k] = function->index[targets[at->target + k]];
    }
}

static bool lower_function_body(struct lower *lower, struct lower_function *function)
{
    lower->function = function;
    function->first = lower->instructions.count;
    for (uint32_t i = 0; i < function->function->instruction_count; i++)
        if (!lower_instruction(lower, i))
            return false;
    if (!lower_last(lower))
        return false;
    point_branches(lower);
    return true;
}

static bool lower_all(struct lower *lower)
{
    if (!lower_scan(lower))
        return false;
    for (uint32_t i = 0; i < lower->functions.count; i++)
        if (!lower_function_body(lower, lower_function_at(lower, i)))
            return false;
    const struct lower_call *const calls = lower->calls.items;
    struct program_instruction *const instructions = lower->instructions.items;
    for (uint32_t i = 0; i < lower->calls.count; i++)
        instructions[calls[i].instruction].target = lower_function_at(lower, calls[i].function)->first;
    return lower_keep_callables(lower);
}

/* Finds the stretches of arithmetic that a path executes without a look at its meeting point. */
static bool find_straight(struct lower *lower)
{
    struct program_instruction *const instructions = lower->instructions.items;
    const uint32_t count = lower->instructions.count;
    bool *const meets = calloc(count + 1u, sizeof *meets);
    if (!meets)
        return lower_no_memory(lower);
    for (uint32_t i = 0; i < count; i++) {
        meets[i + 1] |=
            instructions[i].op != PROGRAM_LANES; /* where lanes meet that have waited for others */
        if (instructions[i].meet < count)
            meets[instructions[i].meet] = true;
    }
    for (uint32_t i = count; i-- > 0;)
        if (instructions[i].op == PROGRAM_LANES && instructions[i].guard == PROGRAM_NO_SLOT)
            instructions[i].straight =
                1 + (i + 1 < count && !meets[i + 1] && instructions[i + 1].op == PROGRAM_LANES
                         ? instructions[i + 1].straight
                         : 0);
    free(meets);
    return true;
}

/* Which slot each register of the text has. */
static bool keep_registers(struct lower *lower)
{
    struct lower_list registers = {0};
    bool kept = true;
    for (uint32_t i = 0; i < lower->functions.count && kept; i++) {
        const struct lower_function *const function = lower_function_at(lower, i);
        const struct lower_symbol *const symbols = function->scope.symbols.items;
        for (uint32_t k = 0; k < function->scope.symbols.count && kept; k++) {
            const struct ptx_variable *const variable = symbols[k].variable;
            if (!variable || variable->space != PTX_REG || symbols[k].slot == PROGRAM_NO_SLOT)
                continue;
            const uint32_t bytes = ptx_type_bytes(variable->type);
            for (uint32_t element = 0; element < variable->vector && kept; element++) {
                struct program_register *const made = lower_push(lower, &registers, sizeof *made);
                kept = made != NULL;
                if (kept)
                    *made =
                        (struct program_register){function->function, variable, element,
                                                  symbols[k].slot + element * 32 * (bytes < 4 ? 4 : bytes)};
            }
        }
    }
    lower->program->register_count = registers.count;
    lower->program->registers = list_keep(lower, &registers, sizeof(struct program_register));
    return kept;
}

static bool keep_all(struct lower *lower)
{
    if (!find_straight(lower) || !keep_registers(lower))
        return false;
    struct program *const program = lower->program;
    program->frame_bytes = program->initial_bytes = program->name_bytes = (uint32_t)lower->frame_bytes;
    program->slot_count = lower->slots.count;
    program->slots = list_keep(lower, &lower->slots, sizeof(struct program_area));
    program->instruction_count = lower->instructions.count;
    program->origin_count = lower->origins.count;
    program->target_count = lower->targets.count;
    program->constant_count = lower->constants.count;
    program->callable_count = lower->callables.count;
    program->call_count = lower->framed.count;
    program->callables = list_keep(lower, &lower->callables, sizeof(struct program_callable));
    program->calls = list_keep(lower, &lower->framed, sizeof(struct program_call));
    program->special_count = lower->specials.count;
    program->instructions = list_keep(lower, &lower->instructions, sizeof(struct program_instruction));
    program->origins = list_keep(lower, &lower->origins, sizeof(struct program_origin));
    program->targets = list_keep(lower, &lower->targets, sizeof(uint32_t));
    program->constants = list_keep(lower, &lower->constants, sizeof(struct program_constant));
    program->specials = list_keep(lower, &lower->specials, sizeof(struct program_special_slot));
    return lower->status == STATUS_OK;
}

static void lower_free(struct lower *lower)
{
    struct lower_list *const lists[] = {
        &lower->instructions, &lower->origins,    &lower->constants, &lower->specials, &lower->targets,
        &lower->calls,        &lower->prototypes, &lower->callables, &lower->framed,   &lower->slots};
    for (uint32_t i = 0; i < lower->functions.count; i++) {
        struct lower_function *const function = lower_function_at(lower, i);
        lower_scope_free(&function->scope);
        lower_scope_free(&function->labels);
        free(function->callees.items);
        free(function->saved.items);
        cfg_destroy(function->cfg);
    }
    free(lower->functions.items);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        free(lists[i]->items);
    lower_scope_free(&lower->globals);
    lookup_fini(&lower->constant_slots);
}

enum status program_create(struct program **program, const struct ptx_module *module,
                           const struct ptx_function *entry, const struct program_placement *placement,
                           struct error *error)
{
    *program = NULL;
    struct owned_program *const owned = calloc(1, sizeof *owned);
    if (!owned)
        return error_no_memory(error, "to prepare %s", entry->name);
    owned->program.module = module;
    owned->program.entry = entry;
    owned->program.stack_slot = PROGRAM_NO_SLOT;
    struct lower lower = {.program = &owned->program,
                          .arena = &owned->arena,
                          .module = module,
                          .entry = entry,
                          .placement = placement,
                          .error = error,
                          .guard_slot = PROGRAM_NO_SLOT,
                          .carry_slot = PROGRAM_NO_SLOT,
                          .sink_slot = PROGRAM_NO_SLOT,
                          .predicate_sink_slot = PROGRAM_NO_SLOT};
    const bool made = lower_all(&lower) && keep_all(&lower);
    lower_free(&lower);
    if (!made) {
        program_destroy(&owned->program);
        return lower.status;
    }
    *program = &owned->program;
    return STATUS_OK;
}

void program_destroy(struct program *program)
{
    /* `program` is its first member. */
    struct owned_program *const owned = (struct owned_program *)(void *)program;
    if (owned) {
        free(program->names);
        arena_fini(&owned->arena);
        free(owned);
    }
}
