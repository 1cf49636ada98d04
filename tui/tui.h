/*
 * The screen. Give it a session and it draws; give it a host and it can also run workloads.
 *
 * tui_run owns the terminal until it returns and restores it after any end. tui_snapshot draws the same views
 * without a terminal. One thread. tui knows nothing of workloads or processes: the host (cli) answers through
 * struct tui_host.
 */
#ifndef TUI_TUI_H
#define TUI_TUI_H

#include "tui/frame/host.h"

#include <stdio.h>

enum status tui_run(const struct tui_host *host, const struct tui_options *options, struct error *error);

/* The signal (SIGTERM, SIGINT, SIGHUP, SIGQUIT) that ended the last tui_run; 0: the user left. */
int tui_ending_signal(void);

enum tui_format { TUI_TEXT, TUI_ANSI, TUI_SVG };
/* Draw the screen width x height after the keys ("j j + TAB ENTER ?", names as the help shows them), to out.
 */
enum status tui_snapshot(const struct tui_host *host, const struct tui_options *options,
                         enum tui_format format, int width, int height, const char *keys, FILE *out,
                         struct error *error);

/* Help text of the keys, from the action table: for the manual. */
void tui_print_keys(FILE *out);

#endif
