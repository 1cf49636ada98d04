/*
 * Finds the source line that causes most of what an advice names. Pure; any thread.
 */
#ifndef CORE_ADVICE_ADVICE_LINES_H
#define CORE_ADVICE_ADVICE_LINES_H

#include "core/advice/advice.h"
#include "core/analysis/code_costs.h"

/* Can a source line be named for at least one of the advices? */
bool advice_wants_lines(const struct advice_list *list);

/* Appends ", at transpose.cu:42" to each sentence and fills `where`; "most at" if other lines have a part of
 * the cost, "by the model" if the line comes from the model and the advice does not. Advice whose cost the
 * listing does not have, or that has a line already, stays as it is; so do all on STATUS_MEMORY. */
enum status advice_name_lines(struct advice_list *list, const struct code_listing *listing);

#endif
