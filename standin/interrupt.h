/*
 * A signal that ends the program (SIGINT, SIGTERM, SIGHUP) first cancels the launch that runs, and what has
 * run is sent to lanescope. The program then ends by that signal. Not if the program ignores the signal or
 * has a handler of its own.
 */
#ifndef STANDIN_INTERRUPT_H
#define STANDIN_INTERRUPT_H

#include <stdatomic.h>
#include <stdbool.h>

/* Installs the handlers. */
void interrupt_begin(void);
void interrupt_forget(void);             /* in a forked child: signals have their default actions again */
const atomic_bool *interrupt_flag(void); /* for simt_options.cancel; set by the signal */

#endif
