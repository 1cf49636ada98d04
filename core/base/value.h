/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A value: a number (or a word), a unit (that of its metric), a provenance, whether it is derived, and, when
 * it is not available, the reason. A derived value has the weakest provenance of its inputs. *Not available*
 * and *zero* never look alike. Plain data and pure functions; any thread.
 */
#ifndef CORE_BASE_VALUE_H
#define CORE_BASE_VALUE_H

#include <stdbool.h>

enum provenance {
    PROVENANCE_EXPECTED,
    PROVENANCE_MODELLED,
    PROVENANCE_MEASURED,
    PROVENANCE_COUNT
};                                                       /* weakest first */
const char *provenance_text(enum provenance provenance); /* "expected" */

/* Whether a number is exact, or only a lower or an upper bound that follows from the counters. */
#define VALUE_BOUND_LIST(X) X(EXACT, "exact") X(AT_LEAST, "at-least") X(AT_MOST, "at-most")
#define VALUE_BOUND_ENUM(id, text) VALUE_##id,
enum value_bound { VALUE_BOUND_LIST(VALUE_BOUND_ENUM) VALUE_BOUND_COUNT };
#undef VALUE_BOUND_ENUM
const char *value_bound_text(enum value_bound bound);

struct value {
    bool available;
    bool derived;
    enum value_bound bound;
    enum provenance provenance;
    double number;
    const char *word; /* static text instead of a number, or NULL */
    const char *why;  /* static or session-owned sentence when not available */
};

/* How a count compares with another of the same metric: equal; a bound that is consistent with the other; or
 * different. */
enum value_agreement { VALUE_EQUAL, VALUE_WITHIN, VALUE_DIFFERENT };
enum value_agreement value_compare(const struct value *value, const struct value *other);

#endif
