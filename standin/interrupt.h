/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A signal that ends the program (SIGINT, SIGTERM, SIGHUP) first cancels the launch that runs, and what has
 * run is sent to lanescope. The program then ends by that signal. Not if the program ignores the signal or
 * has a handler of its own. A fault of the host in memory of the device (host_access.h) ends the program in
 * the same way, with a status.
 */
#ifndef STANDIN_INTERRUPT_H
#define STANDIN_INTERRUPT_H

#include <stdatomic.h>
#include <stdbool.h>

/* Installs the handlers. */
void interrupt_begin(void);
/* In the handler of a fault: lets the thread end the program by `end` (NULL: another fault has, or a signal), and
 * waits for it. Returns if that takes too long. */
void interrupt_end(void (*end)(void));
/* Ends the program by the default action of the signal. */
_Noreturn void interrupt_end_by(int signal_number);
/* Cancels the launch that runs; no call of another thread returns from now on. */
void interrupt_cancel(void);
void interrupt_forget(void);             /* in a forked child: signals have their default actions again */
const atomic_bool *interrupt_flag(void); /* for simt_options.cancel; set by the signal */

#endif
