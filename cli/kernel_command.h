/*
 * `lanescope kernel FILE.ptx`: runs one kernel of the user's PTX in a child, on the device model or under the
 * agent on a GPU, and prints its expected, modelled and measured values side by side, the cost of each source
 * line and the findings of the checks; or the report's kernel object. Exit status by enum exit_code: 1 when a
 * check found something.
 */
#ifndef CLI_KERNEL_COMMAND_H
#define CLI_KERNEL_COMMAND_H

#include "cli/options/options.h"

enum status kernel_command(const struct options *options, int *exit_status, struct error *error);

#endif
