/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SIGINT, SIGTERM and SIGHUP while children run: the first signal is passed to the running program, which may
 * end in order; a second one, or SIGTERM and SIGHUP, also kill a program that does not end by itself. After
 * the program has ended, its last events are recorded; a further signal during that time ends lanescope.
 */
#ifndef CLI_RUN_SIGNALS_H
#define CLI_RUN_SIGNALS_H

#include <stdbool.h>

struct live;

/* live NULL: restores the system's handlers. One live session at a time; main thread. */
void signals_forward_to(struct live *live);

/* The program has ended and its events are written: a second signal ends lanescope. Until signals_forward_to.
 */
void signals_end_finishing(void);

/* Should the children be stopped now? */
bool signals_asked_to_end(void);

#endif
