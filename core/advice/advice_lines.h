/*
 * Finds the source line that causes most of what an advice names. Pure; any thread.
 */
#ifndef CORE_ADVICE_ADVICE_LINES_H
#define CORE_ADVICE_ADVICE_LINES_H

#include "core/advice/advice.h"
#include "core/analysis/code_costs.h"

/* Can a source line be named for at least one advice of the list? */
bool advice_wants_lines(const struct advice_list *list);

/* Appends ", at transpose.cu:42" to each sentence and fills `where`; "most at" if other lines have a part of
 * the cost, "by the model" if the line comes from the model and the advice does not. Leaves advice alone if
 * the listing does not have its cost, or if it has a line already. On STATUS_MEMORY no advice is changed. */
enum status advice_name_lines(struct advice_list *list, const struct code_listing *listing);

#endif
