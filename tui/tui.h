/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The screen. It draws a session; with a host it can also run workloads.
 *
 * tui_run owns the terminal until it returns and restores it after any end. tui_snapshot draws the same views
 * without a terminal. One thread. tui knows nothing about workloads or processes: the host (cli) answers
 * through struct tui_host.
 */
#ifndef TUI_TUI_H
#define TUI_TUI_H

#include "tui/frame/host.h"

#include <stdio.h>

enum status tui_run(const struct tui_host *host, const struct tui_options *options, struct error *error);

/* The signal (SIGTERM, SIGINT, SIGHUP, SIGQUIT) that ended the last tui_run; 0: the user left. */
int tui_ending_signal(void);

enum tui_format { TUI_TEXT, TUI_ANSI, TUI_SVG };
/* Draws the screen width x height to `out` after the keys ("j j + TAB ENTER ?", with the names that the help
 * shows). */
enum status tui_snapshot(const struct tui_host *host, const struct tui_options *options,
                         enum tui_format format, int width, int height, const char *keys, FILE *out,
                         struct error *error);

/* Prints the help text of the keys, from the action table: for the manual. */
void tui_print_keys(FILE *out);

#endif
