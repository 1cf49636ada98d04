/* Branches, calls and ends: PTX ISA 9.0, 9.7.12 and 9.7.19. */
#include "simt/program/lower/lower_internal.h"

#include <string.h>

/* The instruction after a label. simt/program/cfg has checked that the label exists. */
static bool find_label(struct lower *lower, const char *name, uint32_t *instruction)
{
    const struct lower_symbol *const symbol =
        name != NULL ? lower_scope_find(&lower->function->labels, name) : NULL;
    if (symbol == NULL)
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
    if (made == NULL)
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
    if (table == NULL || table->target_count == 0)
        return lower_fail(lower, "its table is not a list of .branchtargets.");
    const uint32_t first = lower->targets.count;
    for (uint32_t i = 0; i < table->target_count; i++) {
        uint32_t *const target = lower_push(lower, &lower->targets, sizeof *target);
        if (target == NULL || !find_label(lower, table->targets[i], target))
            return false;
    }
    struct program_instruction *const made = lower_emit(lower, PROGRAM_BRX, CLASS_CONTROL);
    if (made == NULL)
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
    const struct lower_symbol *const mine = actual->name != NULL ? lower_symbol(lower, actual->name) : NULL;
    struct lower_symbol *const its = lower_scope_find(&callee->scope, formal->name);
    struct lanes_form form;
    uint32_t from, to;
    if (mine != NULL && mine->variable != NULL && mine->variable->space == PTX_PARAM) {
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
    if (made == NULL || !lanes_find(text, &form))
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
    for (uint32_t i = 0; list != NULL && i < count; i++)
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
    if (made == NULL)
        return false;
    made->sub = (uint8_t)(runtime - ptx_runtime_functions);
    for (uint32_t i = 0; i < parameters; i++)
        made->source[i] = lower_scope_find(&callee->scope, function->parameters[i].name)->slot;
    if (runtime->result_bytes > 0)
        made->destination[0] = lower_scope_find(&callee->scope, function->results[0].name)->slot;
    lower->program->uses_runtime |= UINT32_C(1) << made->sub;
    return true;
}

/* call{.uni} {(results),} function {, (parameters)}; simt/program/lower/lower_calls has checked it. */
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
    if (callee.formal->runtime != NULL)
        return call_runtime(lower, callee.function) &&
               move_actuals(lower, callee.results, callee.function, true);
    struct program_instruction *const made = lower_emit(lower, PROGRAM_CALL, CLASS_CONTROL);
    struct lower_call *const call = made != NULL ? lower_push(lower, &lower->calls, sizeof *call) : NULL;
    if (call == NULL)
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
    if (made == NULL)
        return false;
    made->uniform = uniform;
    return true;
}
