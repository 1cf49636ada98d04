/*
 * What the rules on kernels and those on runs share: limits, and adding to a list. Internal to
 * core/advice*.c.
 */
#ifndef CORE_ADVICE_ADVICE_INTERNAL_H
#define CORE_ADVICE_ADVICE_INTERNAL_H

#include "core/advice/advice.h"

/* Is the value beyond the rule's n-th limit? */
bool advice_beyond(enum advice_rule rule, size_t limit, double value);

/* The next advice of the list, to be filled in; its place is given by advice_list_sort. */
struct advice *advice_add(struct advice_list *list, enum advice_rule rule);
void advice_add_evidence(struct advice *advice, const char *id, const char *unit, struct value value);
void advice_list_sort(struct advice_list *list);

#endif
