/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of bounds, and the comparison of two values: a bound agrees with every number on its side. */
#include "core/base/value.h"

#include <math.h>

const char *provenance_text(enum provenance provenance)
{
    switch (provenance) {
    case PROVENANCE_EXPECTED: return "expected";
    case PROVENANCE_MODELLED: return "modelled";
    case PROVENANCE_MEASURED: return "measured";
    case PROVENANCE_COUNT: break;
    }
    return "unknown";
}

const char *value_bound_text(enum value_bound bound)
{
#define BOUND_TEXT(id, text) [VALUE_##id] = text,
    static const char *const texts[] = {VALUE_BOUND_LIST(BOUND_TEXT)};
#undef BOUND_TEXT

    return (unsigned)bound < VALUE_BOUND_COUNT ? texts[bound] : "exact";
}

enum value_agreement value_compare(const struct value *value, const struct value *other)
{
    double apart = value->number - other->number;

    if (fabs(apart) <= 1e-9 * fmax(fabs(value->number), fabs(other->number)))
        return VALUE_EQUAL;
    return (value->bound == VALUE_AT_LEAST && apart < 0) || (value->bound == VALUE_AT_MOST && apart > 0)
               ? VALUE_WITHIN
               : VALUE_DIFFERENT;
}
