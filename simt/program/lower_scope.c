/* Names and scopes, the functions that a kernel reaches, and the addresses of variables. */
#include "simt/program/lower_internal.h"

#include <stdlib.h>
#include <string.h>

#define MAX_CALL_DEPTH 128
#define SHARED_ALIGN \
    16 /* of dynamic shared memory at least, as cudaMalloc'ed tiles are used with 16-byte loads */

static bool has_name(const void *context, uint32_t row, const void *key)
{
    const struct lower_symbol *symbols = context;
    return strcmp(symbols[row].name, key) == 0;
}

static uint32_t hash_name(const char *name)
{
    return lookup_hash(0, name, strlen(name));
}

struct lower_symbol *lower_scope_find(const struct lower_scope *scope, const char *name)
{
    struct lower_symbol *const symbols = scope->symbols.items;
    const uint32_t row = lookup_find(&scope->names, hash_name(name), has_name, symbols, name);
    return row == LOOKUP_NONE ? NULL : &symbols[row];
}

struct lower_symbol *lower_scope_add(struct lower *lower, struct lower_scope *scope, const char *name)
{
    struct lower_symbol *const added = lower_push(lower, &scope->symbols, sizeof *added);
    if (added == NULL || !lookup_reserve(&scope->names)) {
        lower_no_memory(lower);
        return NULL;
    }
    added->name = name;
    added->slot = PROGRAM_NO_SLOT;
    lookup_add(&scope->names, hash_name(name), scope->symbols.count - 1);
    return added;
}

void lower_scope_free(struct lower_scope *scope)
{
    free(scope->symbols.items);
    lookup_fini(&scope->names);
}

struct lower_symbol *lower_symbol(struct lower *lower, const char *name)
{
    struct lower_symbol *const symbol = lower_scope_find(&lower->function->scope, name);
    return symbol != NULL ? symbol : lower_scope_find(&lower->globals, name);
}

struct lower_function *lower_function_at(const struct lower *lower, uint32_t index)
{
    return ((struct lower_function **)lower->functions.items)[index];
}

static bool add_variables(struct lower *lower, struct lower_scope *scope,
                          const struct ptx_variable *variables, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct lower_symbol *const symbol = lower_scope_add(lower, scope, variables[i].name);
        if (symbol == NULL)
            return false;
        symbol->variable = &variables[i];
    }
    return true;
}

static bool add_globals(struct lower *lower)
{
    const struct ptx_module *const module = lower->module;
    if (!add_variables(lower, &lower->globals, module->variables, module->variable_count))
        return false;
    for (uint32_t i = 0; i < module->function_count; i++) {
        const char *const name = module->functions[i].name;
        struct lower_symbol *symbol = lower_scope_find(&lower->globals, name);
        symbol = symbol != NULL ? symbol : lower_scope_add(lower, &lower->globals, name);
        if (symbol == NULL)
            return false;
        if (symbol->function == NULL || symbol->function->declared)
            symbol->function = &module->functions[i];
    }
    return true;
}

static uint64_t align_offset(uint64_t offset, uint64_t align)
{
    return align > 1 ? (offset + align - 1) / align * align : offset;
}

/* As cuLaunchKernel's arguments lie: in order, each at its alignment. */
static bool place_entry_parameters(struct lower *lower, struct lower_scope *scope)
{
    const struct ptx_function *const entry = lower->entry;
    struct program *const program = lower->program;
    struct program_parameter *const parameters =
        arena_alloc(lower->arena, entry->parameter_count + 1, sizeof *parameters);
    if (parameters == NULL)
        return lower_no_memory(lower);
    for (uint32_t i = 0; i < entry->parameter_count; i++) {
        const struct ptx_variable *const variable = &entry->parameters[i];
        struct lower_symbol *const symbol = lower_scope_find(scope, variable->name);
        symbol->of_entry = symbol->placed = true;
        symbol->address = align_offset(program->parameter_bytes, variable->align);
        program->parameter_bytes = symbol->address + variable->size_bytes;
        parameters[i] = (struct program_parameter){symbol->address, variable->size_bytes, variable};
    }
    program->parameters = parameters;
    program->parameter_count = entry->parameter_count;
    return true;
}

static bool place_areas(struct lower *lower, struct lower_scope *scope, const struct ptx_variable *variables,
                        uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct lower_symbol *const symbol = lower_scope_find(scope, variables[i].name);
        if (variables[i].space == PTX_PARAM && !lower_area(lower, variables[i].size_bytes, &symbol->slot))
            return false;
    }
    return true;
}

static bool function_create(struct lower *lower, const struct ptx_function *function,
                            struct lower_function **created)
{
    struct lower_symbol *const symbol = lower_scope_find(&lower->globals, function->name);
    struct lower_function *const made = arena_alloc(lower->arena, 1, sizeof *made);
    struct lower_function **const kept =
        made == NULL ? NULL : lower_push(lower, &lower->functions, sizeof(struct lower_function *));
    if (kept == NULL)
        return lower_no_memory(lower);
    *kept = *created = made;
    symbol->slot = lower->functions.count - 1;
    made->function = function;
    made->index = arena_alloc(lower->arena, (size_t)function->instruction_count + 1, sizeof *made->index);
    if (made->index == NULL)
        return lower_no_memory(lower);
    if (!add_variables(lower, &made->scope, function->parameters, function->parameter_count) ||
        !add_variables(lower, &made->scope, function->results, function->result_count) ||
        !add_variables(lower, &made->scope, function->variables, function->variable_count))
        return false;
    for (uint32_t i = 0; i < function->label_count; i++) {
        struct lower_symbol *const label = lower_scope_add(lower, &made->labels, function->labels[i].name);
        if (label == NULL)
            return false;
        label->address = function->labels[i].instruction;
    }
    lower->status = cfg_create(&made->cfg, function, lower->error);
    if (lower->status != STATUS_OK)
        return false;
    if (function == lower->entry)
        return place_entry_parameters(lower, &made->scope);
    return place_areas(lower, &made->scope, function->parameters, function->parameter_count) &&
           place_areas(lower, &made->scope, function->results, function->result_count);
}

static void mark_used(struct lower *lower, const struct ptx_operand *operands, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct lower_symbol *const symbol =
            operands[i].name != NULL ? lower_symbol(lower, operands[i].name) : NULL;
        if (symbol != NULL)
            symbol->used = true;
        mark_used(lower, operands[i].parts, operands[i].part_count);
    }
}

/* The caller's .param variable and the function's parameter or result are one area. */
static bool bind_area(struct lower *lower, const struct ptx_operand *operand,
                      const struct lower_function *callee, const struct ptx_variable *formal)
{
    struct lower_symbol *const actual = operand->name != NULL ? lower_symbol(lower, operand->name) : NULL;
    const uint32_t slot = lower_scope_find(&callee->scope, formal->name)->slot;
    if (actual == NULL || actual->variable == NULL || actual->variable->space != PTX_PARAM ||
        formal->space != PTX_PARAM)
        return true; /* a register or a constant: the call moves it */
    if (actual->variable->size_bytes != formal->size_bytes) {
        return lower_fail(lower, "%s has %llu bytes, %s of %s has %llu.", actual->name,
                          (unsigned long long)actual->variable->size_bytes, formal->name,
                          callee->function->name, (unsigned long long)formal->size_bytes);
    }
    if (actual->of_entry || (actual->slot != PROGRAM_NO_SLOT && actual->slot != slot)) {
        return lower_fail(
            lower, "%s is used for something else already: give each call .param variables of its own.",
            actual->name);
    }
    actual->slot = slot;
    return true;
}

static bool bind_areas(struct lower *lower, const struct ptx_operand *list,
                       const struct lower_function *callee, const struct ptx_variable *formals,
                       uint32_t count, const char *what)
{
    const uint32_t given = list != NULL ? list->part_count : 0;
    if (given != count) {
        return lower_fail(lower, "%s has %u %s, the call gives %u.", callee->function->name, count, what,
                          given);
    }
    for (uint32_t i = 0; i < count; i++)
        if (!bind_area(lower, &list->parts[i], callee, &formals[i]))
            return false;
    return true;
}

static bool scan_function(struct lower *lower, const struct ptx_function *function, uint32_t depth);

/* call (results), function, (parameters); both lists may be missing. */
static bool scan_call(struct lower *lower, uint32_t depth)
{
    const struct ptx_operand *const operands = lower->at->operands;
    const uint32_t count = lower->at->operand_count;
    const struct ptx_operand *const results =
        count > 0 && operands[0].kind == PTX_OPERAND_LIST ? &operands[0] : NULL;
    const uint32_t name = results != NULL ? 1 : 0;
    const struct ptx_operand *const parameters =
        count > name + 1 && operands[name + 1].kind == PTX_OPERAND_LIST ? &operands[name + 1] : NULL;
    const struct lower_symbol *const symbol =
        count > name && operands[name].name != NULL ? lower_symbol(lower, operands[name].name) : NULL;
    if (symbol != NULL && symbol->variable != NULL && symbol->variable->space == PTX_REG)
        return lower_fail(lower, "the function is in a register: the model calls functions by name only.");
    if (symbol == NULL || symbol->function == NULL || symbol->function->entry)
        return lower_fail(lower, "there is no device function of that name.");
    if (symbol->function->declared) {
        return lower_fail(lower, "%s has no body in this file: the model needs all functions in one.",
                          symbol->name);
    }
    struct lower_function *const caller = lower->function;
    const struct ptx_instruction *const call = lower->at;
    if (!scan_function(lower, symbol->function, depth + 1))
        return false;
    lower->function = caller;
    lower->at = call;
    const struct lower_function *const callee = lower_function_at(lower, symbol->slot);
    return bind_areas(lower, parameters, callee, callee->function->parameters,
                      callee->function->parameter_count, "parameters") &&
           bind_areas(lower, results, callee, callee->function->results, callee->function->result_count,
                      "results");
}

static bool scan_function(struct lower *lower, const struct ptx_function *function, uint32_t depth)
{
    const uint32_t known = lower_scope_find(&lower->globals, function->name)->slot;
    struct lower_function *scanned = known != PROGRAM_NO_SLOT ? lower_function_at(lower, known) : NULL;
    if (scanned != NULL && scanned->open)
        return lower_fail(lower, "%s calls itself: the model has no stack for that.", function->name);
    if (scanned != NULL)
        return true;
    if (depth > MAX_CALL_DEPTH)
        return lower_fail(lower, "calls go more than %d deep.", MAX_CALL_DEPTH);
    if (!function_create(lower, function, &scanned))
        return false;
    scanned->open = true;
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *const instruction = &function->instructions[i];
        lower->function = scanned;
        lower->at = instruction;
        mark_used(lower, instruction->operands, instruction->operand_count);
        if (strcmp(instruction->opcode, "call") == 0 && !scan_call(lower, depth))
            return false;
    }
    scanned->open = false;
    return true;
}

/* Shared variables one behind the other, as local ones; those without a size behind them all. */
static void place_variables(struct lower *lower, struct lower_scope *scope, bool unsized)
{
    struct lower_symbol *const symbols = scope->symbols.items;
    for (uint32_t i = 0; i < scope->symbols.count; i++) {
        const struct ptx_variable *const variable = symbols[i].variable;
        if (variable == NULL || !symbols[i].used ||
            (variable->space != PTX_SHARED && variable->space != PTX_LOCAL) ||
            (variable->size_bytes == 0) != unsized)
            continue;
        uint64_t *const end = variable->space == PTX_SHARED ? &lower->shared_bytes : &lower->local_bytes;
        symbols[i].placed = true;
        if (unsized) {
            symbols[i].address = lower->program->dynamic_shared_offset;
            continue;
        }
        symbols[i].address = align_offset(*end, variable->align);
        *end = symbols[i].address + variable->size_bytes;
    }
}

static void find_dynamic_align(struct lower *lower, const struct lower_scope *scope)
{
    const struct lower_symbol *const symbols = scope->symbols.items;
    for (uint32_t i = 0; i < scope->symbols.count; i++) {
        const struct ptx_variable *const variable = symbols[i].variable;
        if (variable != NULL && symbols[i].used && variable->space == PTX_SHARED &&
            variable->size_bytes == 0 && variable->align > lower->dynamic_align)
            lower->dynamic_align = variable->align;
    }
}

static void place_all(struct lower *lower)
{
    place_variables(lower, &lower->globals, false);
    lower->dynamic_align = SHARED_ALIGN;
    find_dynamic_align(lower, &lower->globals);
    for (uint32_t i = 0; i < lower->functions.count; i++) {
        place_variables(lower, &lower_function_at(lower, i)->scope, false);
        find_dynamic_align(lower, &lower_function_at(lower, i)->scope);
    }
    lower->program->dynamic_shared_offset = align_offset(lower->shared_bytes, lower->dynamic_align);
    place_variables(lower, &lower->globals, true);
    for (uint32_t i = 0; i < lower->functions.count; i++)
        place_variables(lower, &lower_function_at(lower, i)->scope, true);
    lower->program->static_shared_bytes = lower->shared_bytes;
    lower->program->local_bytes_per_thread = align_offset(lower->local_bytes, 4);
}

bool lower_scan(struct lower *lower)
{
    if (!add_globals(lower) || !scan_function(lower, lower->entry, 0))
        return false;
    place_all(lower);
    return true;
}
