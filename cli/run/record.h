/* SPDX-License-Identifier: Apache-2.0 */
/* `lanescope --record FILE ...`: a session without a screen. Prints a progress line on standard error, and
 * the table on standard output at the end. */
#ifndef CLI_RUN_RECORD_H
#define CLI_RUN_RECORD_H

#include "cli/options/options.h"

/* Begins the lines of a user's file that does not compile, after the sentence on standard error. */
#define REFUSED_INDENT "    "

/* *exit_status: the status with which the process should end. */
/* Becomes the program, which waits to be attached to. Returns only if it cannot be started. */
enum status dormant_run(const struct options *options, int *exit_status, struct error *error);

enum status record_run(const struct options *options, int *exit_status, struct error *error);

/* The exit status that the session's notices give for a run of workloads: no device, or no permission for
 * something that was requested. */
struct session;
int exit_status_of_session(const struct session *session, const struct options *options, int exit_status);

#endif
