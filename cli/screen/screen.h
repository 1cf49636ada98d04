/*
 * Runs the screen on a recording (`lanescope view`) or on a live session (the interactive program).
 */
#ifndef CLI_SCREEN_SCREEN_H
#define CLI_SCREEN_SCREEN_H

#include "cli/options/options.h"
#include "core/base/error.h"

/* `lanescope view FILE`, on the terminal or as a snapshot. */
enum status screen_view(const struct options *options, struct error *error);

/* The live screen: the list of workloads, runs of the named ones, or a program. *exit_status: the status with
 * which the process should end. */
enum status screen_live(const struct options *options, int *exit_status, struct error *error);

#endif
