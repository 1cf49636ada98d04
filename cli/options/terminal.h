/* SPDX-License-Identifier: Apache-2.0 */
/* Converts the command line's and the environment's settings of colours and glyphs to the screen's settings.
 */
#ifndef CLI_OPTIONS_TERMINAL_H
#define CLI_OPTIONS_TERMINAL_H

#include "cli/options/options.h"
#include "tui/tui.h"

/* Columns of the terminal that is standard output, else 80. */
int terminal_columns(void);
/* Its lines; 0: it is no terminal. */
int terminal_lines(void);

/* Should standard output have colours? Only on a terminal. */
bool terminal_wants_color(const struct options *options);

/* Shows how much is done in the terminal's title bar or tab, where standard error is one that has that (OSC 9;4); percent below 0: nothing
 * any more. Others take OSC 9 for a message to the user, and get none. */
void terminal_show_progress(int percent);

struct tui_options terminal_options(const struct options *options);

/* --snapshot: format, size (default 80x24) and keys from the command line; writes to standard output. */
enum status terminal_snapshot(const struct tui_host *host, const struct options *options,
                              struct error *error);

#endif
