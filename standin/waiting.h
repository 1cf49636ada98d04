/*
 * Says on standard error how far a launch is that runs for long, if lanescope asks for it
 * (STANDIN_WAITING_VARIABLE). On a terminal: one line below the cursor, from the launch's second second on,
 * removed at its end. Elsewhere: one line in the run, after the seconds that the variable gives. Only while a
 * launch runs, so that the program's own thread does not write at the same time.
 */
#ifndef STANDIN_WAITING_H
#define STANDIN_WAITING_H

#include "core/base/progress.h"

void waiting_begin(void); /* the program's first call */
void waiting_tell(const char *kernel, const struct progress *progress);

#endif
