/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `lanescope report` and the end of --record print: the first screen, or all tables, as the command line
 * says. Standard output; the main thread.
 */
#ifndef CLI_REPORT_SUMMARY_REPORT_COMMAND_H
#define CLI_REPORT_SUMMARY_REPORT_COMMAND_H

#include "cli/options/options.h"
#include "core/session/session.h"

/* lanescope report FILE. */
enum status report_command(const struct options *options, struct error *error);

/* Prints the first screen, or with --full, --wide, --lines or --kernel the tables; `file`: the recording's
 * name. */
enum status report_print(const struct session *session, const struct options *options, const char *file,
                         struct error *error);

#endif
