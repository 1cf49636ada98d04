/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The screen of a job: the verdict, and below it ranks over time as a heat map. A cell is the longest lateness of the
 * rank, or of a folded host's ranks, in any collective of the cell's time: an outlier is never averaged away. It has the
 * terminal while ranks_run runs. One thread.
 *
 * A host row is folded (its ranks are one row) or open. Sorted by the waits that ranks cause, by those that they suffer,
 * or by their numbers; hosts stand in the order of their first rank in that sorting.
 */
#ifndef TUI_RANKS_RANKS_SCREEN_H
#define TUI_RANKS_RANKS_SCREEN_H

#include "core/ranks/job.h"
#include "tui/frame/host.h"

#include <stdio.h>

struct ranks_screen;

/* The job outlives the screen. title: the file's name. */
enum status ranks_screen_create(struct ranks_screen **screen, const struct job *job, const char *title,
                                const struct tui_options *options, struct error *error);
void ranks_screen_destroy(struct ranks_screen *screen); /* NULL: nothing */

/* Until the user leaves it: *opened is then NULL. Else the file of a rank that is to be opened, which can be read; it
 * can run again after that. */
enum status ranks_run(struct ranks_screen *screen, const char **opened, struct error *error);

/* Draws it once after the keys. format: "text", "ansi" or "svg". */
enum status ranks_snapshot(struct ranks_screen *screen, const char *format, int width, int height,
                           const char *keys, FILE *out, struct error *error);

#endif
