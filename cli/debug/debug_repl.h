/* SPDX-License-Identifier: Apache-2.0 */
/* The debugger's commands, from a line of text, wherever it was typed. */
#ifndef CLI_DEBUG_DEBUG_REPL_H
#define CLI_DEBUG_DEBUG_REPL_H

#include "cli/debug/debug_session.h"
#include "cli/options/options.h"

#include <stdio.h>

struct debug_repl {
    struct debug_session session;
    FILE *out;
    bool ended; /* by quit, or with the program */
};

/* Executes a command and prints its answer. False: it was none, or it has not done what it should. */
bool debug_repl_execute(struct debug_repl *repl, const char *text);
/* Executes a command and drops its answer but for its last line, which it leaves in `line`; empty if the command has
 * done what it should. */
void debug_repl_try(struct debug_repl *repl, const char *text, char *line, size_t size_bytes);

/* cli/debug/debug_screen.c: the same on the whole terminal; or once after the keys, with --snapshot. */
enum status debug_screen_run(struct debug_repl *repl, const struct options *options, struct error *error);
enum status debug_screen_snapshot(struct debug_repl *repl, const struct options *options,
                                  struct error *error);

#endif
