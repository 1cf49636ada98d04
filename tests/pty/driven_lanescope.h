/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lanescope in a pseudo-terminal of 120x40, one at a time, with a state folder of its own: set up and removed
 * around each test. What fails here fails the test.
 */
#ifndef TESTS_PTY_DRIVEN_LANESCOPE_H
#define TESTS_PTY_DRIVEN_LANESCOPE_H

#include "terminal.h"

extern struct terminal terminal;
extern char driven_folder[];

void driven_make_folder(void);
void driven_remove_folder(void);

/* Start it with these arguments; NULL ends them. */
void driven_start(const char *const *arguments);
/* The same in a terminal of another size. */
void driven_start_at(int width, int height, const char *const *arguments);
#define START(...) driven_start((const char *const[]){__VA_ARGS__, NULL})

/* It ends by itself with status 0, and the terminal is as it was. */
void driven_expect_end(void);
/* The same after Q. */
void driven_leave(void);

/* Is the text on the screen now? */
bool driven_shows(const char *wanted);

#endif
