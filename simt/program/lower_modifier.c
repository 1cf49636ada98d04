/*
 * The modifiers of the instruction at hand. They are taken in whatever order they stand: ptxas reads them so,
 * and nvcc (atom.global.cta.add) and CUB (vote.ballot.sync) write orders that PTX ISA 9.0 does not have.
 */
#include "simt/program/lower_internal.h"

#include <string.h>

_Static_assert(PTX_MODIFIERS <= 64, "lower.modifiers_taken has a bit for each");

static bool is_taken(const struct lower *lower, uint32_t index)
{
    return lower->modifiers_taken >> index & 1;
}

/* The first that is not taken; NULL: all are. */
static const char *next_modifier(const struct lower *lower)
{
    for (uint32_t i = 0; i < lower->at->modifier_count; i++)
        if (!is_taken(lower, i))
            return lower->at->modifiers[i];
    return NULL;
}

bool lower_take(struct lower *lower, const char *modifier)
{
    for (uint32_t i = 0; i < lower->at->modifier_count; i++) {
        if (!is_taken(lower, i) && strcmp(lower->at->modifiers[i], modifier) == 0) {
            lower->modifiers_taken |= UINT64_C(1) << i;
            return true;
        }
    }
    return false;
}

bool lower_take_one(struct lower *lower, const char *const *texts, uint32_t *index)
{
    for (uint32_t i = 0; texts[i] != NULL; i++) {
        if (lower_take(lower, texts[i])) {
            *index = i;
            return true;
        }
    }
    return false;
}

bool lower_take_type(struct lower *lower, enum ptx_type *type)
{
    for (uint32_t i = 0; i < lower->at->modifier_count; i++) {
        *type = is_taken(lower, i) ? PTX_NO_TYPE : ptx_type_find(lower->at->modifiers[i]);
        if (*type != PTX_NO_TYPE) {
            lower->modifiers_taken |= UINT64_C(1) << i;
            return true;
        }
    }
    return next_modifier(lower) != NULL
               ? lower_fail(lower, ".%s stands where a type is expected.", next_modifier(lower))
               : lower_fail(lower, "its type is missing.");
}

bool lower_take_end(struct lower *lower)
{
    return next_modifier(lower) == NULL || lower_fail(lower, ".%s is not known here.", next_modifier(lower));
}

bool lower_operand_count(struct lower *lower, uint32_t least, uint32_t most)
{
    const uint32_t count = lower->at->operand_count;
    if (count >= least && count <= most)
        return true;
    return least == most
               ? lower_fail(lower, "it has %u operands where it takes %u.", count, least)
               : lower_fail(lower, "it has %u operands where it takes %u to %u.", count, least, most);
}
