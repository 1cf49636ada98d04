/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes slots of operands: a register gets its slot at its first use, equal constants share one, and each
 * special register has one.
 */
#include "simt/program/lower/lower_internal.h"

#include "simt/lanes/program.h"

#include <stdlib.h>
#include <string.h>

/* ---- names and scopes ---- */

/* Names and scopes, the functions that a kernel reaches, and the addresses of variables. */

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

/* NULL: failed */
static struct lower_symbol *lower_scope_add(struct lower *lower, struct lower_scope *scope, const char *name)
{
    struct lower_symbol *const added = lower_push(lower, &scope->symbols, sizeof *added);
    if (!added || !lookup_reserve(&scope->names)) {
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
    return symbol ? symbol : lower_scope_find(&lower->globals, name);
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
        if (!symbol)
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
        symbol = symbol ? symbol : lower_scope_add(lower, &lower->globals, name);
        if (!symbol)
            return false;
        if (!symbol->function || symbol->function->declared)
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
    if (!parameters)
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
        !made ? NULL : lower_push(lower, &lower->functions, sizeof(struct lower_function *));
    if (!kept)
        return lower_no_memory(lower);
    *kept = *created = made;
    symbol->slot = lower->functions.count - 1;
    made->function = function;
    made->index = arena_alloc(lower->arena, (size_t)function->instruction_count + 1, sizeof *made->index);
    if (!made->index)
        return lower_no_memory(lower);
    if (!add_variables(lower, &made->scope, function->parameters, function->parameter_count) ||
        !add_variables(lower, &made->scope, function->results, function->result_count) ||
        !add_variables(lower, &made->scope, function->variables, function->variable_count))
        return false;
    for (uint32_t i = 0; i < function->label_count; i++) {
        struct lower_symbol *const label = lower_scope_add(lower, &made->labels, function->labels[i].name);
        if (!label)
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
        if (!variable || !symbols[i].used ||
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
        if (variable && symbols[i].used && variable->space == PTX_SHARED && variable->size_bytes == 0 &&
            variable->align > lower->dynamic_align)
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

/* ---- operands ---- */

#define LINE_BYTES 64
#define LANES 32

/* ---- slots ---- */
static bool take_bytes(struct lower *lower, uint64_t size_bytes, uint32_t *slot)
{
    const uint64_t whole = (size_bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    if (whole > LOWER_MAX_FRAME_BYTES || lower->frame_bytes + whole > LOWER_MAX_FRAME_BYTES) {
        return lower_fail(lower, "the registers of a warp take more than %u MB.",
                          LOWER_MAX_FRAME_BYTES >> 20);
    }
    *slot = (uint32_t)lower->frame_bytes;
    lower->frame_bytes += whole;
    return true;
}

static bool list_slot(struct lower *lower, struct lower_list *list, uint32_t slot, uint32_t lane_bytes)
{
    struct program_area *const listed = lower_push(lower, list, sizeof *listed);
    if (listed)
        *listed = (struct program_area){slot, lane_bytes};
    return listed != NULL;
}

/* The slots of a function that calls itself are saved during the call and restored. */
static bool save_slot(struct lower *lower, uint32_t slot, uint32_t lane_bytes)
{
    return !lower->function || !lower->function->recursive ||
           list_slot(lower, &lower->function->saved, slot, lane_bytes);
}

bool lower_slot(struct lower *lower, enum ptx_type type, uint32_t *slot)
{
    if (type != PTX_PRED) {
        const uint32_t bytes = ptx_type_bytes(type) < 4 ? 4 : ptx_type_bytes(type);
        const uint32_t vectors = bytes == 16 ? 2 : 1;
        return take_bytes(lower, (uint64_t)LANES * bytes, slot) &&
               list_slot(lower, &lower->slots, *slot, bytes) && save_slot(lower, *slot, bytes / vectors) &&
               (vectors == 1 || save_slot(lower, *slot + LANES * bytes / 2, bytes / 2));
    }
    if (lower->predicates_left == 0) {
        if (!take_bytes(lower, LINE_BYTES, &lower->predicate_slot))
            return false;
        lower->predicates_left = LINE_BYTES / sizeof(uint32_t);
    }
    *slot = lower->predicate_slot;
    lower->predicate_slot += sizeof(uint32_t);
    lower->predicates_left--;
    return list_slot(lower, &lower->slots, *slot, 0) && save_slot(lower, *slot, 0);
}

bool lower_area(struct lower *lower, uint64_t size_bytes, uint32_t *slot)
{
    return take_bytes(lower, size_bytes > LOWER_MAX_FRAME_BYTES ? size_bytes : LANES * size_bytes, slot);
}

static bool same_constant(const void *context, uint32_t row, const void *key)
{
    const struct program_constant *const constant = &((const struct program_constant *)context)[row];
    const struct program_constant *const wanted = key;
    return constant->bytes == wanted->bytes && constant->bits == wanted->bits;
}

bool lower_constant(struct lower *lower, enum ptx_type type, uint64_t bits, uint32_t *slot)
{
    const uint32_t size = ptx_type_bytes(type);
    struct program_constant constant = {.bytes = type == PTX_PRED ? 1 : size <= 4 ? 4 : 8};
    constant.bits = type == PTX_PRED ? bits != 0 : size < 8 ? bits & ((UINT64_C(1) << 8 * size) - 1) : bits;
    const uint32_t hash = lookup_hash(constant.bytes, &constant.bits, sizeof constant.bits);
    const uint32_t row =
        lookup_find(&lower->constant_slots, hash, same_constant, lower->constants.items, &constant);
    if (row != LOOKUP_NONE) {
        *slot = ((struct program_constant *)lower->constants.items)[row].slot;
        return true;
    }
    if (!lower_slot(lower, type, &constant.slot))
        return false;
    struct program_constant *const kept = lower_push(lower, &lower->constants, sizeof *kept);
    if (!kept || !lookup_reserve(&lower->constant_slots))
        return lower_no_memory(lower);
    *kept = constant;
    lookup_add(&lower->constant_slots, hash, lower->constants.count - 1);
    *slot = constant.slot;
    return true;
}

/* ---- registers ---- */
static bool is_integer(enum ptx_type type)
{
    return type >= PTX_U8 && type <= PTX_S64;
}

static bool is_bits(enum ptx_type type)
{
    return type >= PTX_B8 && type <= PTX_B128;
}

/* PTX ISA 9.0, 6.1 and 9.4.1; halves may be in .b registers, pairs of halves in any 32-bit integer
 * register. */
static bool register_fits(enum ptx_type reg, enum ptx_type type, enum lower_fit fit)
{
    const uint32_t has = ptx_type_bytes(reg), needs = ptx_type_bytes(type);
    if (reg == PTX_PRED || type == PTX_PRED)
        return reg == type;
    if (has < needs || (has > needs && fit == LOWER_SAME_SIZE))
        return false;
    if (is_bits(reg) || is_bits(type))
        return true;
    if (type == PTX_F16X2 || type == PTX_BF16X2)
        return reg == type || is_integer(reg);
    return is_integer(type) ? is_integer(reg) : reg == type;
}

/* The element of a vector register: .x .y .z .w or .r .g .b .a. */
static bool element_of(const char *text, uint32_t *element)
{
    static const char *const letters[] = {"xyzw", "rgba"};
    for (size_t i = 0; i < 2; i++) {
        const char *const found = text[0] != '\0' && text[1] == '\0' ? strchr(letters[i], text[0]) : NULL;
        if (found) {
            *element = (uint32_t)(found - letters[i]);
            return true;
        }
    }
    return false;
}

/* The symbol of the vector register in %v.x, the part before the dot. */
static struct lower_symbol *vector_symbol(struct lower *lower, const char *name, uint32_t *element)
{
    char base[256];
    const char *const dot = strrchr(name, '.');
    const size_t size = dot ? (size_t)(dot - name) : sizeof base;
    if (size >= sizeof base || !element_of(dot + 1, element))
        return NULL;
    memcpy(base, name, size);
    base[size] = '\0';
    struct lower_symbol *const symbol = lower_symbol(lower, base);
    const bool vector =
        symbol && symbol->variable && symbol->variable->vector > 1 && *element < symbol->variable->vector;
    return vector ? symbol : NULL;
}

bool lower_register(struct lower *lower, const char *name, enum ptx_type *type, uint32_t *slot)
{
    uint32_t element = 0;
    struct lower_symbol *symbol = lower_symbol(lower, name);
    symbol = symbol ? symbol : vector_symbol(lower, name, &element);
    if (!symbol || !symbol->variable || symbol->variable->space != PTX_REG)
        return false;
    const struct ptx_variable *const variable = symbol->variable;
    if (symbol->slot == PROGRAM_NO_SLOT) {
        uint32_t next = PROGRAM_NO_SLOT;
        if (!lower_slot(lower, variable->type, &symbol->slot))
            return false;
        for (uint32_t i = 1; i < variable->vector; i++) /* the slots of the elements are adjacent */
            if (!lower_slot(lower, variable->type, &next))
                return false;
    }
    const uint32_t bytes = ptx_type_bytes(variable->type);
    *type = variable->type;
    *slot = symbol->slot + element * LANES * (bytes < 4 ? 4 : bytes);
    return true;
}

/* ---- special registers ---- */
#define SPECIAL_TEXT(id, text) text,
static const char *const special_texts[SPECIAL_COUNT] = {PROGRAM_SPECIAL_LIST(SPECIAL_TEXT)};
#undef SPECIAL_TEXT

static bool special_slot(struct lower *lower, enum program_special special, enum ptx_type type,
                         uint32_t *slot)
{
    const struct program_special_slot *const specials = lower->specials.items;
    for (uint32_t i = 0; i < lower->specials.count; i++) {
        if (specials[i].special == special) {
            *slot = specials[i].slot;
            return true;
        }
    }
    if (!lower_slot(lower, type, slot))
        return false;
    struct program_special_slot *const kept = lower_push(lower, &lower->specials, sizeof *kept);
    if (!kept)
        return false;
    *kept = (struct program_special_slot){*slot, special};
    return true;
}

bool lower_special(struct lower *lower, const char *name, enum ptx_type *type, uint32_t *slot)
{
    if (strcmp(name, "%aggr_smem_size") == 0)
        name = special_texts[SPECIAL_TOTAL_SMEM_SIZE];
    for (uint32_t i = 0; i < SPECIAL_COUNT; i++) {
        if (strcmp(name, special_texts[i]) != 0)
            continue;
        if (i >= SPECIAL_CLOCK)
            return lower_fail(lower, "%s changes while a warp runs: read it with a mov of its size.", name);
        *type = i == SPECIAL_GRIDID ? PTX_U64 : i == SPECIAL_IS_EXPLICIT_CLUSTER ? PTX_PRED : PTX_U32;
        return special_slot(lower, (enum program_special)i, *type, slot);
    }
    return lower_fail(lower, "the model does not support the register %s.", name);
}

/* ---- constants and addresses of variables ---- */
/* The bits of a number as a constant of the type; false: not a number of that kind. */
static bool constant_bits(const struct ptx_operand *operand, enum ptx_type type, uint64_t *bits)
{
    const bool is_integer_constant = operand->kind == PTX_OPERAND_INTEGER;
    float single;
    double value;
    *bits = operand->bits;
    if (is_integer_constant)
        return is_bits(type) || is_integer(type) || type == PTX_PRED;
    if (operand->is_single) {
        const uint32_t word = (uint32_t)operand->bits;
        memcpy(&single, &word, sizeof single);
        value = (double)single;
    } else {
        memcpy(&value, &operand->bits, sizeof value);
        single = (float)value;
    }
    if (type == PTX_F64 || (type == PTX_B64 && !operand->is_single)) {
        memcpy(bits, &value, sizeof value);
        return true;
    }
    if (type == PTX_F32 || (type == PTX_B32 && operand->is_single)) {
        uint32_t word;
        memcpy(&word, &single, sizeof word);
        *bits = word;
        return true;
    }
    return false;
}

static bool variable_address(struct lower *lower, const struct lower_symbol *symbol, uint64_t *address)
{
    if (symbol->placed) {
        *address = symbol->address;
        return true;
    }
    const struct program_placement *const placement = lower->placement;
    if ((symbol->variable->space == PTX_GLOBAL || symbol->variable->space == PTX_CONST) && placement &&
        placement->address(placement->loader, symbol->variable, address))
        return true;
    return lower_fail(lower, "%s has no address: it is a .param area, or not defined in this file.",
                      symbol->name);
}

/* Local variables of a function that calls itself. */
static bool on_stack(const struct lower *lower, const struct lower_symbol *symbol)
{
    return lower->function->recursive && symbol->variable->space == PTX_LOCAL;
}

/* Adds the address in *slot to the position of the thread's stack. */
static bool stack_address(struct lower *lower, enum ptx_type type, uint32_t *slot)
{
    struct lanes_form form;
    if (ptx_type_bytes(type) != 8)
        return lower_fail(lower,
                          "the address of a local variable of a function that calls itself has 64 bits.");
    struct program_instruction *const add = lower_emit(lower, PROGRAM_LANES, CLASS_INTEGER);
    if (!add || !lanes_find("add.u64", &form) || !lower_slot(lower, PTX_U64, &add->destination[0]))
        return false;
    add->lanes = form.function;
    add->source[0] = *slot;
    add->source[1] = lower->program->stack_slot;
    *slot = add->destination[0];
    return true;
}

static bool name_source(struct lower *lower, const struct ptx_operand *operand, enum ptx_type type,
                        enum lower_fit fit, uint32_t *slot, uint32_t *bytes)
{
    enum ptx_type of;
    const struct lower_symbol *const symbol = lower_symbol(lower, operand->name);
    if (symbol && symbol->function) {
        if (ptx_type_bytes(type) != 8)
            return lower_fail(lower, "%s is a function: its address has 64 bits.", operand->name);
        return lower_constant(lower, type,
                              MEMORY_FUNCTION_ADDRESS(symbol->function - lower->module->functions), slot);
    }
    if (symbol && symbol->variable->space != PTX_REG) {
        uint64_t address;
        if (ptx_type_bytes(type) < 4 || !register_fits(PTX_U64, type, LOWER_WIDER_TOO)) {
            return lower_fail(lower, "the address of %s does not fit a .%s.", operand->name,
                              ptx_type_text(type));
        }
        return variable_address(lower, symbol, &address) &&
               lower_constant(lower, type, address + (uint64_t)operand->offset, slot) &&
               (!on_stack(lower, symbol) || stack_address(lower, type, slot));
    }
    if (!lower_register(lower, operand->name, &of, slot)) {
        if (lower->status != STATUS_OK || !lower_special(lower, operand->name, &of, slot))
            return false;
        if (of == PTX_U64 && ptx_type_bytes(type) < 8) /* %gridid, which had 32 bits in old PTX */
            of = PTX_NO_TYPE;
        else if (of == PTX_U32 && ptx_type_bytes(type) == 2) /* tid read as 16 bits: its upper half is 0 */
            of = PTX_U16;
    }
    *bytes = ptx_type_bytes(of);
    return register_fits(of, type, fit) || lower_fail(lower, "%s is a .%s register, where a .%s is needed.",
                                                      operand->name, ptx_type_text(of), ptx_type_text(type));
}

bool lower_source(struct lower *lower, const struct ptx_operand *operand, enum ptx_type type,
                  enum lower_fit fit, uint32_t *slot, uint32_t *bytes)
{
    uint32_t unused;
    uint64_t bits;
    bytes = bytes ? bytes : &unused;
    *bytes = ptx_type_bytes(type);
    if (operand->negated || operand->minus)
        return lower_fail(lower, "%c%s is not allowed here.", operand->negated ? '!' : '-', operand->name);
    switch (operand->kind) {
    case PTX_OPERAND_NAME: return name_source(lower, operand, type, fit, slot, bytes);
    case PTX_OPERAND_INTEGER:
    case PTX_OPERAND_FLOAT:
        return constant_bits(operand, type, &bits)
                   ? lower_constant(lower, type, bits, slot)
                   : lower_fail(lower, "a constant does not have the type .%s.", ptx_type_text(type));
    default: return lower_fail(lower, "an operand is not a .%s register or constant.", ptx_type_text(type));
    }
}

bool lower_destination(struct lower *lower, const struct ptx_operand *operand, enum ptx_type type,
                       enum lower_fit fit, uint32_t *slot, uint32_t *bytes)
{
    enum ptx_type of;
    uint32_t unused;
    bytes = bytes ? bytes : &unused;
    *bytes = ptx_type_bytes(type);
    if (operand->kind == PTX_OPERAND_SINK) {
        uint32_t *const sink = type == PTX_PRED ? &lower->predicate_sink_slot : &lower->sink_slot;
        if (*sink == PROGRAM_NO_SLOT && !lower_slot(lower, type == PTX_PRED ? PTX_PRED : PTX_B128, sink))
            return false;
        *slot = *sink;
        return true;
    }
    if (operand->kind != PTX_OPERAND_NAME || operand->negated || operand->minus || operand->offset != 0)
        return lower_fail(lower, "its result must go to a register.");
    if (!lower_register(lower, operand->name, &of, slot)) {
        return lower->status == STATUS_OK &&
               lower_fail(lower, "%s is not a register that can be written.", operand->name);
    }
    *bytes = ptx_type_bytes(of);
    return register_fits(of, type, fit) || lower_fail(lower, "%s is a .%s register, where a .%s is needed.",
                                                      operand->name, ptx_type_text(of), ptx_type_text(type));
}

bool lower_predicate(struct lower *lower, const struct ptx_operand *operand, uint32_t *slot)
{
    struct ptx_operand plain = *operand;
    struct lanes_form form;
    plain.negated = false;
    if (!lower_source(lower, &plain, PTX_PRED, LOWER_SAME_SIZE, slot, NULL) || !operand->negated)
        return lower->status == STATUS_OK;
    struct program_instruction *const negate = lower_emit(lower, PROGRAM_LANES, CLASS_INTEGER);
    if (!negate || !lanes_find("not.pred", &form) || !lower_slot(lower, PTX_PRED, &negate->destination[0]))
        return false;
    negate->lanes = form.function;
    negate->source[0] = *slot;
    *slot = negate->destination[0];
    return true;
}

bool lower_integer(struct lower *lower, const struct ptx_operand *operand, const char *what, uint64_t *value)
{
    *value = operand->bits;
    return operand->kind == PTX_OPERAND_INTEGER || lower_fail(lower, "%s must be a constant.", what);
}

/* ---- addresses in memory ---- */
/* A variable's address within `space`, which may be PTX_GENERIC. */
static bool address_in_space(struct lower *lower, const struct lower_symbol *symbol, enum ptx_space space,
                             uint64_t *address)
{
    static const uint64_t windows[] = {[PTX_CONST] = MEMORY_CONST_WINDOW,
                                       [PTX_LOCAL] = MEMORY_LOCAL_WINDOW,
                                       [PTX_PARAM] = MEMORY_PARAM_WINDOW,
                                       [PTX_SHARED] = MEMORY_SHARED_WINDOW};
    const enum ptx_space of = symbol->variable->space;
    if (!variable_address(lower, symbol, address))
        return false;
    if (space == PTX_GENERIC) {
        *address += windows[of];
        return true;
    }
    return of == space ||
           lower_fail(lower, "%s is not in the state space of this instruction.", symbol->name);
}

bool lower_address(struct lower *lower, const struct ptx_operand *operand, enum ptx_space space,
                   uint32_t *slot, int64_t *offset, bool *is_32_bits)
{
    enum ptx_type type;
    uint64_t address = 0;
    if (operand->kind != PTX_OPERAND_ADDRESS || operand->part_count != 0)
        return lower_fail(lower, "an address in brackets is expected.");
    *slot = PROGRAM_NO_SLOT;
    *offset = operand->offset;
    *is_32_bits = false;
    if (!operand->name)
        return true;
    const struct lower_symbol *const symbol = lower_symbol(lower, operand->name);
    if (symbol && symbol->variable && symbol->variable->space != PTX_REG) {
        if (!address_in_space(lower, symbol, space, &address))
            return false;
        *offset = (int64_t)((uint64_t)operand->offset + address);
        *slot = on_stack(lower, symbol) ? lower->program->stack_slot : PROGRAM_NO_SLOT;
        return true;
    }
    if (!lower_register(lower, operand->name, &type, slot)) {
        return lower->status == STATUS_OK &&
               lower_fail(lower, "%s is not a register or a variable.", operand->name);
    }
    *is_32_bits = ptx_type_bytes(type) == 4;
    if (!register_fits(type, *is_32_bits ? PTX_U32 : PTX_U64, LOWER_SAME_SIZE)) {
        return lower_fail(lower,
                          "%s is a .%s register: an address has 64 bits, or 32 in shared, local, const and "
                          "param memory.",
                          operand->name, ptx_type_text(type));
    }
    if (*is_32_bits && (space == PTX_GENERIC || space == PTX_GLOBAL)) {
        return lower_fail(lower, "%s has 32 bits, but a %s address has 64.", operand->name,
                          space == PTX_GENERIC ? "generic" : "global");
    }
    return true;
}
