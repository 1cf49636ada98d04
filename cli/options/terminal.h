/* Converts the command line's and the environment's settings of colours and glyphs to the screen's settings.
 */
#ifndef CLI_OPTIONS_TERMINAL_H
#define CLI_OPTIONS_TERMINAL_H

#include "cli/options/options.h"
#include "tui/tui.h"

/* Of the terminal that standard output is, else 80. */
int terminal_columns(void);

/* Are colours wanted on standard output? Only on a terminal. */
bool terminal_wants_color(const struct options *options);

struct tui_options terminal_options(const struct options *options);

/* --snapshot: format, size (80x24 unless told) and keys of the command line, to standard output. */
enum status terminal_snapshot(const struct tui_host *host, const struct options *options,
                              struct error *error);

#endif
