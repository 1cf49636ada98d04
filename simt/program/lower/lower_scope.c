/* Names and scopes, the functions that a kernel reaches, and the addresses of variables. */
#include "simt/program/lower/lower_internal.h"

#include <stdlib.h>
#include <string.h>

#define STACK_ALIGN 16
#define SHARED_ALIGN 16 /* least alignment of dynamic shared memory: kernels use 16-byte loads there */

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

/* Laid out as cuLaunchKernel's arguments: in order, each with its alignment. */
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

bool lower_function_create(struct lower *lower, const struct ptx_function *function,
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

/* Places shared variables one after the other, local ones likewise; variables without a size come last. */
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

/* The local variables of all functions that call themselves begin at the same address: they are on a
 * stack. */
static void place_recursive(struct lower *lower)
{
    const uint64_t begin = align_offset(lower->local_bytes, STACK_ALIGN);
    uint64_t end = lower->local_bytes;
    for (uint32_t i = 0; i < lower->functions.count; i++) {
        struct lower_function *const function = lower_function_at(lower, i);
        if (!function->recursive)
            continue;
        lower->local_bytes = begin;
        place_variables(lower, &function->scope, false);
        function->local_bytes = align_offset(lower->local_bytes - begin, STACK_ALIGN);
        end = lower->local_bytes > end ? lower->local_bytes : end;
    }
    lower->local_bytes = end;
}

static void place_all(struct lower *lower)
{
    place_variables(lower, &lower->globals, false);
    lower->dynamic_align = SHARED_ALIGN;
    find_dynamic_align(lower, &lower->globals);
    for (uint32_t i = 0; i < lower->functions.count; i++) {
        if (!lower_function_at(lower, i)->recursive)
            place_variables(lower, &lower_function_at(lower, i)->scope, false);
        find_dynamic_align(lower, &lower_function_at(lower, i)->scope);
    }
    place_recursive(lower);
    lower->program->dynamic_shared_offset = align_offset(lower->shared_bytes, lower->dynamic_align);
    place_variables(lower, &lower->globals, true);
    for (uint32_t i = 0; i < lower->functions.count; i++)
        place_variables(lower, &lower_function_at(lower, i)->scope, true);
    lower->program->static_shared_bytes = lower->shared_bytes;
    lower->program->local_bytes_per_thread = align_offset(lower->local_bytes, 4);
}

bool lower_scan(struct lower *lower)
{
    if (!add_globals(lower) || !lower_scan_function(lower, lower->entry, 0) || !lower_scan_addresses(lower))
        return false;
    place_all(lower);
    return lower_bind_areas(lower);
}
