/* `lanescope --record FILE ...`: a session without a screen. Prints a progress line on standard error, and
 * the table on standard output at the end. */
#ifndef CLI_RUN_RECORD_H
#define CLI_RUN_RECORD_H

#include "cli/options/options.h"

/* *exit_status is what the process should end with. */
enum status record_run(const struct options *options, int *exit_status, struct error *error);

/* What the session's notices say about how a run of workloads should end: no device, no permission for what
 * was demanded. */
struct session;
int exit_status_of_session(const struct session *session, const struct options *options, int exit_status);

#endif
