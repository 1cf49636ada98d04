/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A forked process of our own that works beside the screen, on the session as it was then: it never touches the
 * terminal or the live session of the process that it was forked from, and it ends with it. It leaves with
 * _exit, also where there is no memory.
 */
#ifndef CLI_SCREEN_SCREEN_CHILD_H
#define CLI_SCREEN_SCREEN_CHILD_H

#include <sys/types.h>

#define SCREEN_CHILD_FILE 3 /* what is left of the files, beside the three that are nothing */

/* Called in the process first of all: `file` becomes SCREEN_CHILD_FILE, all others are closed. */
void screen_child_begin(int file, pid_t parent);

#endif
