/* The modifiers of the instruction at hand, looked at one after the other. */
#include "simt/lower_parts.h"

#include <string.h>

static const char *next(const struct lower *lower)
{
    return lower->modifier < lower->at->modifier_count ? lower->at->modifiers[lower->modifier] : NULL;
}

bool lower_take(struct lower *lower, const char *modifier)
{
    const bool is = next(lower) != NULL && strcmp(next(lower), modifier) == 0;
    lower->modifier += is;
    return is;
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
    *type = next(lower) != NULL ? ptx_type_find(next(lower)) : PTX_NO_TYPE;
    if (*type == PTX_NO_TYPE) {
        return next(lower) != NULL ? lower_fail(lower, ".%s stands where a type is expected.", next(lower))
                                   : lower_fail(lower, "its type is missing.");
    }
    lower->modifier++;
    return true;
}

bool lower_take_end(struct lower *lower)
{
    return next(lower) == NULL ||
           lower_fail(lower, ".%s is not known here, or not in this order.", next(lower));
}

bool lower_operand_count(struct lower *lower, uint32_t least, uint32_t most)
{
    const uint32_t count = lower->at->operand_count;
    if (count >= least && count <= most) {
        return true;
    }
    return least == most
               ? lower_fail(lower, "it has %u operands where it takes %u.", count, least)
               : lower_fail(lower, "it has %u operands where it takes %u to %u.", count, least, most);
}
