/*
 * Has no data. The rules depend on the operation, the type and the space of one atomic instruction, on
 * whether its address is the same for all lanes, and on whether its result is used.
 */
#include "simt/program/merge/merge_atomic.h"

static bool is_constant_1(const struct program *program, uint32_t slot)
{
    for (uint32_t i = 0; i < program->constant_count; i++)
        if (program->constants[i].slot == slot)
            return program->constants[i].bits == 1;
    return false;
}

static bool is_integer(enum ptx_type type)
{
    switch (type) {
    case PTX_B32:
    case PTX_U32:
    case PTX_S32:
    case PTX_B64:
    case PTX_U64:
    case PTX_S64: return true;
    default: return false;
    }
}

enum program_rewrite merge_atomic(const struct program *program, uint32_t i,
                                  const struct value_address *address, bool wants_result)
{
    const struct program_instruction *instruction = &program->instructions[i];
    enum program_atomic operation = (enum program_atomic)instruction->sub;
    bool shared = instruction->space == PTX_SHARED, wide = instruction->width_bytes == 8;
    bool integer = is_integer((enum ptx_type)instruction->type);
    bool exchange = operation == ATOMIC_EXCH || operation == ATOMIC_CAS;
    if ((instruction->space != PTX_SHARED && instruction->space != PTX_GLOBAL) ||
        instruction->guard != PROGRAM_NO_SLOT)
        return REWRITE_NONE;
    if (shared && !exchange && (wide || !integer))
        return REWRITE_LOOP;
    if (shared && operation == ATOMIC_ADD && !wants_result && is_constant_1(program, instruction->source[1]))
        return REWRITE_COUNTED;
    if (!address->uniform || !integer)
        return REWRITE_NONE;
    switch (operation) {
    case ATOMIC_ADD:
        if (address->operand_uniform || (!wide && !wants_result))
            return REWRITE_ELECTED;
        return wide ? REWRITE_NONE : REWRITE_ELECTED_OF_32;
    case ATOMIC_MIN:
    case ATOMIC_MAX:
    case ATOMIC_AND:
    case ATOMIC_OR:
    case ATOMIC_XOR: return wide || wants_result ? REWRITE_NONE : REWRITE_ELECTED;
    default: return REWRITE_NONE;
    }
}
