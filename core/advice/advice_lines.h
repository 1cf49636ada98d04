/*
 * Which line of the source an advice speaks of: the one where most of what is wrong is. Pure; any thread.
 */
#ifndef CORE_ADVICE_ADVICE_LINES_H
#define CORE_ADVICE_ADVICE_LINES_H

#include "core/advice/advice.h"
#include "core/analysis/code_costs.h"

/* Does one of the advices speak of what a line can be named for? */
bool advice_wants_lines(const struct advice_list *list);

/* Adds ", at transpose.cu:42" to their sentences, or "most at" where other lines have their share, and "by
 * the model" if only it says so of what was measured or expected; and fills `where`. Advice of whose cost the
 * listing says nothing stays as it is; one that has its line keeps it. */
void advice_name_lines(struct advice_list *list, const struct code_listing *listing);

#endif
