/*
 * SIGINT, SIGTERM and SIGHUP while children run: the first goes to the running program, which may end in
 * order; a second one, or SIGTERM and SIGHUP, also end what does not end by itself.
 */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <stdbool.h>

struct live;

/* live NULL: as the system has them. One live session at a time; main thread. */
void signals_forward_to(struct live *live);

/* The children should be stopped now. */
bool signals_asked_to_end(void);

#endif
