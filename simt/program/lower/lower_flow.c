/* SPDX-License-Identifier: Apache-2.0 */
/* Branches, calls and ends: PTX ISA 9.0, 9.7.12 and 9.7.19. */
#include "simt/program/lower/lower_internal.h"

#include "simt/lanes/program.h"

#include <stdlib.h>
#include <string.h>

/* ---- the call graph ---- */

/*
 * Calls: PTX ISA 9.0, 9.7.12. First, the functions that a kernel reaches are scanned: those called by name
 * and, if a function is called by address, all functions of the module whose address is taken anywhere and
 * whose parameters fit. The scan determines which functions may call themselves, and how each call passes its
 * parameters. For a plain call the caller's .param variable and the function's parameter share one area; a
 * call with a frame (struct program_call) has areas of its own.
 */

#define MAX_CALL_DEPTH 128
#define FRAME_BYTES 8 /* of the thread's stack, besides local variables: the least that ptxas uses */

/* ---- the called function ---- */
/* NULL */
static const struct ptx_label *lower_label_named(const struct lower *lower, const char *name)
{
    const struct ptx_function *const function = lower->function->function;
    const struct lower_symbol *const symbol = name ? lower_scope_find(&lower->function->labels, name) : NULL;
    const struct lower_symbol *const first = lower->function->labels.symbols.items;
    /* Symbols were added in the order of the labels. */
    return !symbol ? NULL : &function->labels[symbol - first];
}

/* The parts of a call. Results, parameters and name are operands, NULL if absent. function is NULL for a call
 * by address, which has a prototype, and while functions are scanned. */
struct lower_callee {
    const struct ptx_operand *results, *parameters, *name;
    struct lower_function *function;
    const struct ptx_function *formal;
    bool by_address;
};

/* call (results), %register, (parameters), prototype or list of functions. */
static bool callee_by_address(struct lower *lower, struct lower_callee *callee)
{
    callee->by_address = true;
    const struct ptx_operand *const last = &lower->at->operands[lower->at->operand_count - 1];
    const struct ptx_label *const label = lower_label_named(lower, last->name);
    if (last != callee->name && label && label->prototype)
        callee->formal = label->prototype;
    else if (last != callee->name && label && label->target_count > 0) {
        const struct lower_symbol *const first = lower_symbol(lower, label->targets[0]);
        callee->formal = first ? first->function : NULL;
    }
    return callee->formal ||
           lower_fail(lower, "a call through a register needs a .callprototype or .calltargets.");
}

static bool lower_callee(struct lower *lower, struct lower_callee *callee)
{
    const struct ptx_operand *const operands = lower->at->operands;
    const uint32_t count = lower->at->operand_count;
    *callee = (struct lower_callee){0};
    if (count > 0 && operands[0].kind == PTX_OPERAND_LIST)
        callee->results = &operands[0];
    const uint32_t name = callee->results ? 1 : 0;
    if (count > name + 1 && operands[name + 1].kind == PTX_OPERAND_LIST)
        callee->parameters = &operands[name + 1];
    if (count <= name)
        return lower_fail(lower, "there is no device function of that name.");
    callee->name = &operands[name];
    const struct lower_symbol *const symbol =
        callee->name->name ? lower_symbol(lower, callee->name->name) : NULL;
    if (symbol && symbol->variable && symbol->variable->space == PTX_REG)
        return callee_by_address(lower, callee);
    if (!symbol || !symbol->function || symbol->function->entry)
        return lower_fail(lower, "there is no device function of that name.");
    if (symbol->function->declared) {
        return lower_fail(lower, "%s has no body in this file: the model needs all functions in one.",
                          symbol->name);
    }
    callee->formal = symbol->function;
    callee->function = symbol->slot != PROGRAM_NO_SLOT ? lower_function_at(lower, symbol->slot) : NULL;
    return true;
}

/* ---- reached functions ---- */
static void mark_used(struct lower *lower, const struct ptx_operand *operands, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct lower_symbol *const symbol = operands[i].name ? lower_symbol(lower, operands[i].name) : NULL;
        if (symbol)
            symbol->used = true;
        mark_used(lower, operands[i].parts, operands[i].part_count);
    }
}

static bool scan_call(struct lower *lower, uint32_t depth)
{
    struct lower_function *const caller = lower->function;
    const struct ptx_instruction *const call = lower->at;
    struct lower_callee callee;
    if (!lower_callee(lower, &callee))
        return false;
    if (callee.by_address) {
        const struct ptx_function **const kept =
            lower_push(lower, &lower->prototypes, sizeof(const struct ptx_function *));
        if (!kept)
            return false;
        *kept = callee.formal;
        caller->indirect = true;
        return true;
    }
    if (!lower_scan_function(lower, callee.formal, depth + 1))
        return false;
    lower->function = caller;
    lower->at = call;
    uint32_t *const edge = lower_push(lower, &caller->callees, sizeof *edge);
    if (!edge)
        return false;
    *edge = lower_scope_find(&lower->globals, callee.formal->name)->slot;
    return true;
}

bool lower_scan_function(struct lower *lower, const struct ptx_function *function, uint32_t depth)
{
    const uint32_t known = lower_scope_find(&lower->globals, function->name)->slot;
    struct lower_function *scanned = known != PROGRAM_NO_SLOT ? lower_function_at(lower, known) : NULL;
    if (scanned) {
        lower->has_cycle |= scanned->open;
        return true;
    }
    if (depth > MAX_CALL_DEPTH)
        return lower_fail(lower, "calls are nested more than %d deep.", MAX_CALL_DEPTH);
    if (!lower_function_create(lower, function, &scanned))
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

/* ---- functions whose addresses are taken ---- */
static void take_address(const struct lower *lower, bool *taken, const char *name)
{
    const struct lower_symbol *const symbol = name ? lower_scope_find(&lower->globals, name) : NULL;
    const struct ptx_function *const function = symbol ? symbol->function : NULL;
    if (function && !function->entry && !function->declared && !function->runtime)
        taken[function - lower->module->functions] = true;
}

static void take_addresses(const struct lower *lower, bool *taken)
{
    const struct ptx_module *const module = lower->module;
    for (uint32_t i = 0; i < module->variable_count; i++)
        for (uint32_t k = 0; k < module->variables[i].relocation_count; k++)
            take_address(lower, taken, module->variables[i].relocations[k].symbol);
    for (uint32_t i = 0; i < module->function_count; i++) {
        const struct ptx_function *const function = &module->functions[i];
        for (uint32_t k = 0; k < function->instruction_count; k++) {
            const struct ptx_instruction *const at = &function->instructions[k];
            for (uint32_t o = 0; strcmp(at->opcode, "call") != 0 && o < at->operand_count; o++)
                take_address(lower, taken, at->operands[o].name);
        }
        for (uint32_t k = 0; k < function->label_count; k++)
            for (uint32_t t = 0; t < function->labels[k].target_count; t++)
                take_address(lower, taken, function->labels[k].targets[t]);
    }
}

static bool same_sizes(const struct ptx_variable *a, const struct ptx_variable *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (a[i].space != PTX_PARAM || b[i].space != PTX_PARAM || a[i].size_bytes != b[i].size_bytes)
            return false;
    return true;
}

static bool fits_a_prototype(const struct lower *lower, const struct ptx_function *function)
{
    const struct ptx_function *const *const prototypes = lower->prototypes.items;
    for (uint32_t i = 0; i < lower->prototypes.count; i++) {
        const struct ptx_function *const like = prototypes[i];
        if (like->parameter_count == function->parameter_count &&
            like->result_count == function->result_count &&
            same_sizes(like->parameters, function->parameters, like->parameter_count) &&
            same_sizes(like->results, function->results, like->result_count))
            return true;
    }
    return false;
}

/* The areas of a function, in the order of program_callable; NULL: failed. */
static struct program_area *areas_make(struct lower *lower, const struct lower_scope *scope,
                                       const struct ptx_function *formal)
{
    struct program_area *const areas =
        arena_alloc(lower->arena, formal->parameter_count + formal->result_count + 1, sizeof *areas);
    if (!areas) {
        lower_no_memory(lower);
        return NULL;
    }
    for (uint32_t i = 0; i < formal->parameter_count + formal->result_count; i++) {
        const struct ptx_variable *const variable = i < formal->parameter_count
                                                        ? &formal->parameters[i]
                                                        : &formal->results[i - formal->parameter_count];
        areas[i] = (struct program_area){lower_scope_find(scope, variable->name)->slot,
                                         (uint32_t)variable->size_bytes};
    }
    return areas;
}

static bool callable_add(struct lower *lower, uint32_t index)
{
    const struct lower_function *const function = lower_function_at(lower, index);
    const struct ptx_function *const formal = function->function;
    struct program_callable *const made = lower_push(lower, &lower->callables, sizeof *made);
    if (!made)
        return false;
    *made = (struct program_callable){.function = formal,
                                      .address = MEMORY_FUNCTION_ADDRESS(formal - lower->module->functions),
                                      .first = index, /* an index of functions until all are lowered */
                                      .areas = areas_make(lower, &function->scope, formal),
                                      .parameter_count = formal->parameter_count,
                                      .result_count = formal->result_count};
    return made->areas != NULL;
}

/* ---- functions that may call themselves ---- */
/* Marks the functions that `from` reaches; `from` itself only if it can be reached again. */
static void mark_reached(const struct lower *lower, uint32_t from, bool *reached, uint32_t *stack)
{
    const struct program_callable *const callables = lower->callables.items;
    uint32_t depth = 0;
    memset(reached, 0, lower->functions.count * sizeof *reached);
    stack[depth++] = from;
    while (depth > 0) {
        const struct lower_function *const function = lower_function_at(lower, stack[--depth]);
        const uint32_t *const callees = function->callees.items;
        const uint32_t by_address = function->indirect ? lower->callables.count : 0;
        for (uint32_t i = 0; i < function->callees.count + by_address; i++) {
            const uint32_t to =
                i < function->callees.count ? callees[i] : callables[i - function->callees.count].first;
            if (!reached[to]) {
                reached[to] = true;
                stack[depth++] = to;
            }
        }
    }
}

static bool find_recursive(struct lower *lower)
{
    const uint32_t count = lower->functions.count;
    bool *const reached = malloc(count * sizeof *reached);
    uint32_t *const stack = malloc((count + 1) * sizeof *stack);
    for (uint32_t i = 0; reached && stack && i < count; i++) {
        mark_reached(lower, i, reached, stack);
        lower_function_at(lower, i)->recursive = lower_function_at(lower, i)->deep = reached[i];
    }
    for (uint32_t i = 0; reached && stack && i < count; i++) {
        mark_reached(lower, i, reached, stack);
        for (uint32_t k = 0; k < count; k++)
            lower_function_at(lower, i)->deep |= reached[k] && lower_function_at(lower, k)->recursive;
    }
    const bool good = reached && stack;
    free(reached);
    free(stack);
    return good || lower_no_memory(lower);
}

bool lower_scan_addresses(struct lower *lower)
{
    const struct ptx_module *const module = lower->module;
    if (lower->prototypes.count > 0) {
        bool *const taken = arena_alloc(lower->arena, module->function_count + 1, sizeof *taken);
        if (!taken)
            return lower_no_memory(lower);
        take_addresses(lower, taken);
        /* Each function found may itself call by address, with other parameters. */
        for (bool more = true; more;) {
            more = false;
            for (uint32_t i = 0; i < module->function_count; i++) {
                if (!taken[i] || !fits_a_prototype(lower, &module->functions[i]))
                    continue;
                taken[i] = false;
                more = true;
                if (!lower_scan_function(lower, &module->functions[i], 1) ||
                    !callable_add(lower, lower_scope_find(&lower->globals, module->functions[i].name)->slot))
                    return false;
            }
        }
    }
    if ((lower->has_cycle || lower->prototypes.count > 0) && !find_recursive(lower))
        return false;
    for (uint32_t i = 0; lower->has_cycle && i < lower->functions.count; i++) {
        const struct lower_function *const function = lower_function_at(lower, i);
        for (uint32_t k = 0; function->recursive && k < function->callees.count; k++) {
            const uint32_t to = ((const uint32_t *)function->callees.items)[k];
            bool known = !lower_function_at(lower, to)->deep;
            for (uint32_t c = 0; c < lower->callables.count; c++)
                known |= ((const struct program_callable *)lower->callables.items)[c].first == to;
            if (!known && !callable_add(lower, to))
                return false;
        }
    }
    return true;
}

/* ---- areas ---- */
static bool lower_is_framed(const struct lower *lower, const struct lower_callee *callee)
{
    return callee->by_address || (lower->function->recursive && callee->function->deep);
}

/* Without a frame, the caller's .param variable and the function's parameter or result share one area. With a
 * frame, the variable has an area of its own. */
static bool bind_area(struct lower *lower, const struct ptx_operand *operand,
                      const struct lower_callee *callee, const struct ptx_variable *formal)
{
    struct lower_symbol *const actual = operand->name ? lower_symbol(lower, operand->name) : NULL;
    const bool framed = lower_is_framed(lower, callee);
    if (!actual || !actual->variable || actual->variable->space != PTX_PARAM || formal->space != PTX_PARAM) {
        /* A register or a constant: the call copies it. */
        return !framed ||
               lower_fail(lower,
                          "%s is not a .param area: the model needs one for a call by address or of a "
                          "function that calls itself.",
                          formal->space != PTX_PARAM ? formal->name : "a parameter");
    }
    if (actual->variable->size_bytes != formal->size_bytes) {
        return lower_fail(lower, "%s has %llu bytes, %s of %s has %llu.", actual->name,
                          (unsigned long long)actual->variable->size_bytes, formal->name,
                          callee->formal->name ? callee->formal->name : "the prototype",
                          (unsigned long long)formal->size_bytes);
    }
    if (framed && !actual->of_entry && actual->slot != PROGRAM_NO_SLOT)
        return true;
    if (framed && !actual->of_entry)
        return lower_area(lower, formal->size_bytes, &actual->slot);
    const uint32_t slot =
        framed ? PROGRAM_NO_SLOT : lower_scope_find(&callee->function->scope, formal->name)->slot;
    if (actual->of_entry || (actual->slot != PROGRAM_NO_SLOT && actual->slot != slot)) {
        return lower_fail(
            lower, "%s is already used for something else: give each call .param variables of its own.",
            actual->name);
    }
    actual->slot = slot;
    return true;
}

/* A linked function may have no result where its declaration in the caller's file has one: nothing is stored.
 */
static bool bind_unused(struct lower *lower, const struct ptx_operand *list)
{
    for (uint32_t i = 0; i < list->part_count; i++) {
        const struct ptx_operand *const operand = &list->parts[i];
        struct lower_symbol *const actual = operand->name ? lower_symbol(lower, operand->name) : NULL;
        if (actual && actual->variable && actual->variable->space == PTX_PARAM &&
            actual->slot == PROGRAM_NO_SLOT &&
            !lower_area(lower, actual->variable->size_bytes, &actual->slot))
            return false;
    }
    return true;
}

static bool bind_list(struct lower *lower, const struct ptx_operand *list, const struct lower_callee *callee,
                      bool results)
{
    const struct ptx_function *const formal = callee->formal;
    const struct ptx_variable *const formals = results ? formal->results : formal->parameters;
    const uint32_t count = results ? formal->result_count : formal->parameter_count;
    const uint32_t given = list ? list->part_count : 0;
    if (results && count == 0 && given != 0)
        return bind_unused(lower, list);
    if (given != count) {
        return lower_fail(lower, "%s has %u %s, but the call gives %u.",
                          formal->name ? formal->name : "the prototype", count,
                          results ? "results" : "parameters", given);
    }
    for (uint32_t i = 0; i < count; i++)
        if (!bind_area(lower, &list->parts[i], callee, &formals[i]))
            return false;
    return true;
}

/* A function that calls itself saves the areas of its parameters during its calls. */
static bool save_parameters(struct lower *lower, struct lower_function *function)
{
    for (uint32_t i = 0; i < function->function->parameter_count; i++) {
        const struct ptx_variable *const parameter = &function->function->parameters[i];
        struct program_area *const saved = lower_push(lower, &function->saved, sizeof *saved);
        if (!saved)
            return false;
        *saved = (struct program_area){lower_scope_find(&function->scope, parameter->name)->slot,
                                       (uint32_t)parameter->size_bytes};
    }
    return true;
}

bool lower_bind_areas(struct lower *lower)
{
    bool stack = false;
    for (uint32_t i = 0; i < lower->functions.count; i++) {
        struct lower_function *const function = lower_function_at(lower, i);
        lower->function = function;
        for (uint32_t k = 0; k < function->function->instruction_count; k++) {
            struct lower_callee callee;
            lower->at = &function->function->instructions[k];
            if (strcmp(lower->at->opcode, "call") != 0)
                continue;
            if (!lower_callee(lower, &callee) || !bind_list(lower, callee.parameters, &callee, false) ||
                !bind_list(lower, callee.results, &callee, true))
                return false;
        }
        if (function->recursive && !save_parameters(lower, function))
            return false;
        stack |= function->recursive;
    }
    lower->at = NULL;
    lower->function = NULL;
    lower->program->recursive = stack;
    return !stack || lower_slot(lower, PTX_U64, &lower->program->stack_slot);
}

/* ---- calls with a frame ---- */
static bool call_areas(struct lower *lower, const struct lower_callee *callee, struct program_call *call)
{
    const struct ptx_function *const formal = callee->formal;
    struct program_area *const areas =
        arena_alloc(lower->arena, formal->parameter_count + formal->result_count + 1, sizeof *areas);
    if (!areas)
        return lower_no_memory(lower);
    for (uint32_t i = 0; i < formal->parameter_count; i++)
        areas[i] = (struct program_area){lower_symbol(lower, callee->parameters->parts[i].name)->slot,
                                         (uint32_t)formal->parameters[i].size_bytes};
    for (uint32_t i = 0; i < formal->result_count; i++)
        areas[formal->parameter_count + i] =
            (struct program_area){lower_symbol(lower, callee->results->parts[i].name)->slot,
                                  (uint32_t)formal->results[i].size_bytes};
    call->areas = areas;
    call->parameter_count = formal->parameter_count;
    call->result_count = formal->result_count;
    return true;
}

static bool lower_framed_call(struct lower *lower, const struct lower_callee *callee)
{
    const struct lower_function *const caller = lower->function;
    uint32_t address = PROGRAM_NO_SLOT;
    struct program_call call = {.callable = PROGRAM_END};
    if (callee->by_address && !lower_source(lower, callee->name, PTX_B64, LOWER_SAME_SIZE, &address, NULL))
        return false;
    for (uint32_t i = 0; !callee->by_address && i < lower->callables.count; i++)
        if (((const struct program_callable *)lower->callables.items)[i].function == callee->formal)
            call.callable = i;
    if (caller->recursive) {
        call.local_bytes = (uint32_t)caller->local_bytes;
        call.stack_bytes = call.local_bytes + FRAME_BYTES;
    }
    struct program_call *const kept = lower_push(lower, &lower->framed, sizeof *kept);
    struct program_instruction *const made = lower_emit(lower, PROGRAM_CALL, CLASS_CONTROL);
    if (!kept || !made || !call_areas(lower, callee, &call))
        return false;
    call.saved_count = lower_scope_find(&lower->globals, caller->function->name)->slot; /* set below */
    *kept = call;
    made->immediate = lower->framed.count;
    made->source[0] = address;
    made->target = PROGRAM_END;
    return true;
}

bool lower_keep_callables(struct lower *lower)
{
    struct program_callable *const callables = lower->callables.items;
    for (uint32_t i = 0; i < lower->callables.count; i++)
        callables[i].first = lower_function_at(lower, callables[i].first)->first;
    for (uint32_t i = 0; i < lower->framed.count; i++) {
        struct program_call *const call = &((struct program_call *)lower->framed.items)[i];
        const struct lower_function *const caller = lower_function_at(lower, call->saved_count);
        struct program_area *const saved = arena_alloc(lower->arena, caller->saved.count + 1, sizeof *saved);
        if (!saved)
            return lower_no_memory(lower);
        if (caller->saved.count > 0)
            memcpy(saved, caller->saved.items, caller->saved.count * sizeof *saved);
        call->saved = saved;
        call->saved_count = caller->saved.count;
        for (uint32_t k = 0; k < call->saved_count; k++)
            call->saved_bytes += program_area_bytes(&saved[k]);
    }
    return true;
}

/* ---- branches, calls, ends ---- */

/* The instruction after a label. simt/program/cfg has checked that the label exists. */
static bool find_label(struct lower *lower, const char *name, uint32_t *instruction)
{
    const struct lower_symbol *const symbol = name ? lower_scope_find(&lower->function->labels, name) : NULL;
    if (!symbol)
        return lower_fail(lower, "its target is not a label.");
    *instruction = (uint32_t)symbol->address;
    return true;
}

bool lower_bra(struct lower *lower)
{
    const bool uniform = lower_take(lower, "uni");
    uint32_t target = 0;
    if (!lower_take_end(lower) || !lower_operand_count(lower, 1, 1) ||
        !find_label(lower, lower->at->operands[0].name, &target))
        return false;
    struct program_instruction *const made = lower_emit(lower, PROGRAM_BRA, CLASS_CONTROL);
    if (!made)
        return false;
    made->uniform = uniform;
    made->target = target;
    return true;
}

bool lower_brx(struct lower *lower)
{
    uint32_t slot;
    if (!lower_take(lower, "idx"))
        return lower_fail(lower, "it needs .idx.");
    const bool uniform = lower_take(lower, "uni");
    if (!lower_take_end(lower) || !lower_operand_count(lower, 2, 2) ||
        !lower_source(lower, &lower->at->operands[0], PTX_U32, LOWER_SAME_SIZE, &slot, NULL))
        return false;
    const struct ptx_label *const table = lower_label_named(lower, lower->at->operands[1].name);
    if (!table || table->target_count == 0)
        return lower_fail(lower, "its table is not a list of .branchtargets.");
    const uint32_t first = lower->targets.count;
    for (uint32_t i = 0; i < table->target_count; i++) {
        uint32_t *const target = lower_push(lower, &lower->targets, sizeof *target);
        if (!target || !find_label(lower, table->targets[i], target))
            return false;
    }
    struct program_instruction *const made = lower_emit(lower, PROGRAM_BRX, CLASS_CONTROL);
    if (!made)
        return false;
    made->uniform = uniform;
    made->source[0] = slot;
    made->target = first;
    made->immediate = table->target_count;
    return true;
}

/* ---- call ---- */
/* An actual parameter or result that is not a .param area: copied to or from the function's area. */
static bool move_actual(struct lower *lower, const struct ptx_operand *actual,
                        const struct lower_function *callee, const struct ptx_variable *formal, bool result)
{
    const struct lower_symbol *const mine = actual->name ? lower_symbol(lower, actual->name) : NULL;
    struct lower_symbol *const its = lower_scope_find(&callee->scope, formal->name);
    struct lanes_form form;
    uint32_t from, to;
    if (mine && mine->variable && mine->variable->space == PTX_PARAM) {
        return formal->space == PTX_PARAM ||
               lower_fail(lower, "%s is a .param area, but %s is a register.", mine->name, formal->name);
    }
    if (formal->space == PTX_PARAM || formal->vector > 1)
        return lower_fail(lower, "%s of %s takes a .param area.", formal->name, callee->function->name);
    if (its->slot == PROGRAM_NO_SLOT && !lower_slot(lower, formal->type, &its->slot))
        return false;
    from = to = its->slot;
    if (result ? !lower_destination(lower, actual, formal->type, LOWER_SAME_SIZE, &to, NULL)
               : !lower_source(lower, actual, formal->type, LOWER_SAME_SIZE, &from, NULL))
        return false;
    const uint32_t bytes = ptx_type_bytes(formal->type);
    const char *const text = formal->type == PTX_PRED ? "mov.pred"
                             : bytes == 16            ? "mov.b128"
                             : bytes == 8             ? "mov.b64"
                                                      : "mov.b32";
    struct program_instruction *const made = lower_emit(lower, PROGRAM_LANES, CLASS_INTEGER);
    if (!made || !lanes_find(text, &form))
        return false;
    made->lanes = form.function;
    made->source[0] = from;
    made->destination[0] = to;
    return true;
}

static bool move_actuals(struct lower *lower, const struct ptx_operand *list,
                         const struct lower_function *callee, bool results)
{
    const struct ptx_function *const function = callee->function;
    const uint32_t count = results ? function->result_count : function->parameter_count;
    for (uint32_t i = 0; list && i < count; i++)
        if (!move_actual(lower, &list->parts[i], callee,
                         results ? &function->results[i] : &function->parameters[i], results))
            return false;
    return true;
}

static bool has_sizes(const struct ptx_variable *variables, uint32_t count, const uint64_t *sizes)
{
    for (uint32_t i = 0; i < count; i++)
        if (variables[i].space != PTX_PARAM || variables[i].size_bytes != sizes[i])
            return false;
    return true;
}

/* A function of the device runtime. Its areas have the sizes of CUDA 13. */
static bool call_runtime(struct lower *lower, const struct lower_function *callee)
{
    const struct ptx_function *const function = callee->function;
    const struct ptx_runtime_function *const runtime = function->runtime;
    uint32_t parameters = 0;
    while (parameters < PTX_RUNTIME_PARAMETERS && runtime->parameter_bytes[parameters] > 0)
        parameters++;
    if (function->parameter_count != parameters || function->result_count != (runtime->result_bytes > 0) ||
        !has_sizes(function->parameters, parameters, runtime->parameter_bytes) ||
        !has_sizes(function->results, function->result_count, &runtime->result_bytes))
        return lower_fail(lower, "%s is declared differently than in CUDA 13.", function->name);
    struct program_instruction *const made = lower_emit(lower, PROGRAM_RUNTIME, CLASS_CONTROL);
    if (!made)
        return false;
    made->sub = (uint8_t)(runtime - ptx_runtime_functions);
    for (uint32_t i = 0; i < parameters; i++)
        made->source[i] = lower_scope_find(&callee->scope, function->parameters[i].name)->slot;
    if (runtime->result_bytes > 0)
        made->destination[0] = lower_scope_find(&callee->scope, function->results[0].name)->slot;
    lower->program->uses_runtime |= UINT32_C(1) << made->sub;
    return true;
}

/* call{.uni} {(results),} function {, (parameters)}; simt/program/lower/lower_flow has checked it. */
bool lower_call(struct lower *lower)
{
    struct lower_callee callee;
    const bool uniform = lower_take(lower, "uni");
    if (!lower_take_end(lower) || !lower_callee(lower, &callee))
        return false;
    if (lower_is_framed(lower, &callee))
        return lower_framed_call(lower, &callee);
    if (!move_actuals(lower, callee.parameters, callee.function, false))
        return false;
    if (callee.formal->runtime)
        return call_runtime(lower, callee.function) &&
               move_actuals(lower, callee.results, callee.function, true);
    struct program_instruction *const made = lower_emit(lower, PROGRAM_CALL, CLASS_CONTROL);
    struct lower_call *const call = made ? lower_push(lower, &lower->calls, sizeof *call) : NULL;
    if (!call)
        return false;
    made->uniform = uniform;
    *call = (struct lower_call){lower->instructions.count - 1, lower_symbol(lower, callee.name->name)->slot};
    return move_actuals(lower, callee.results, callee.function, true);
}

/* ret{.uni}, exit, trap. brkpt stops a kernel without a debugger, as trap does. */
bool lower_end(struct lower *lower)
{
    const char *const opcode = lower->at->opcode;
    const bool uniform = lower_take(lower, "uni");
    const enum program_op op = strcmp(opcode, "ret") == 0    ? PROGRAM_RET
                               : strcmp(opcode, "exit") == 0 ? PROGRAM_EXIT
                                                             : PROGRAM_TRAP;
    if (!lower_take_end(lower) || !lower_operand_count(lower, 0, 0))
        return false;
    struct program_instruction *const made = lower_emit(lower, op, CLASS_CONTROL);
    if (!made)
        return false;
    made->uniform = uniform;
    return true;
}
