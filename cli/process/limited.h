/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that is not trusted to end: lanescope, executed again with --limited, starts it under limits of
 * time, of memory for all of its processes, of address space and file size for each, waits, and kills every
 * process that is left of it, whatever process group or session they are in. It has the tree of processes to
 * itself, since those whose parent ends become its children (PR_SET_CHILD_SUBREAPER).
 */
#ifndef CLI_PROCESS_LIMITED_H
#define CLI_PROCESS_LIMITED_H

#include "core/base/error.h"

#define LIMITED_OPTION "--limited"
#define LIMITED_FILE_BYTES (256ull << 20) /* of each file; the ring of a recording is a file, too */
#define LIMITED_ADDRESS_BYTES (4ull << 30)
#define EXIT_MEMORY_LIMIT 123 /* their memory was up */

/* The words after LIMITED_OPTION: FOLDER SECONDS MEGABYTES PROGRAM ARGS..., with FOLDER as working directory.
 * Returns
 * the program's exit status as a shell does, or 124 (EXIT_TIME_LIMIT), or EXIT_MEMORY_LIMIT. */
int limited_main(int argc, char **argv, struct error *error);

#endif
