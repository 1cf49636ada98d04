/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Live recordings that lie in the state folder: of sessions that still run, and of those that were killed and so could not
 * delete or keep theirs. A session is known by the lock that it holds on its recording. Sizes in bytes, ages in seconds. Any thread.
 */
#ifndef CLI_MACHINE_LEFT_H
#define CLI_MACHINE_LEFT_H

#include "cli/options/options.h"
#include "core/base/error.h"

#include <stddef.h>
#include <stdio.h>

/* A sentence of how many there are, how large and how old each is; the folder alone where there are none. */
enum status left_text(char *text, size_t size_bytes, struct error *error);

/* `lanescope recover`: moves those of ended sessions to this folder, each as one file, and prints their new names.
 * `lanescope clean`: deletes them instead. Those that a process has open are named and stay. */
enum status recover_command(FILE *out, struct error *error);
enum status clean_command(FILE *out, struct error *error);

#endif
