/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One child process: started with its own process group and environment, waited for, ended when its time is
 * up.
 *
 * One thread drives a launch from start to end (launch_wait); launch_stop may be called from any thread.
 */
#ifndef CLI_PROCESS_LAUNCH_H
#define CLI_PROCESS_LAUNCH_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct launch_variable {
    const char *name, *value; /* value NULL: unset */
};

struct launch_options {
    char *const *argv;                       /* argv[0] is looked up on PATH */
    const struct launch_variable *variables; /* ends with a NULL name */
    bool foreground; /* keeps our standard streams and gets the terminal, as from a shell */
    int output,
        errors; /* if not foreground: descriptors for its standard output and error; input is /dev/null */
    double time_limit_s; /* 0: none */
    uint64_t file_bytes; /* no file that it or its children write may become longer; 0: no limit */
    bool ends_with_us;   /* it is killed when the thread that started it ends, even by kill -9 */
};

struct launch;

/* STATUS_IO if it could not be started; launch_exec_status then has 126 or 127. */
enum status launch_start(struct launch **launch, const struct launch_options *options, int *exec_status,
                         struct error *error);

/* Runs the program in the place of this process. Returns only if that fails; *exec_status is 126 or 127. */
enum status launch_replace(char *const *argv, const struct launch_variable *variables, int *exec_status,
                           struct error *error);

pid_t launch_pid(const struct launch *launch);

/* Waits for its end. Returns the status as a shell does: its own, 128 + signal, or 124 if the time limit
 * ended it; *wait_status (may be NULL) is waitpid's. If the terminal suspends and continues the child, does
 * so too. */
int launch_wait(struct launch *launch, int *wait_status);

/* Asks it to end: SIGTERM to its process group, SIGKILL after 5 s if launch_wait still waits. Any thread, any
 * number of times. */
void launch_stop(struct launch *launch);

/* Lets launch_wait return at once, with 0, while the child still runs: it ends by itself, and nobody waits
 * for it. Any thread. */
void launch_release(struct launch *launch);

void launch_destroy(struct launch *launch);

/* Captures the output of children while the screen is shown: kept in an unnamed file, printed after the
 * screen has closed. */
struct kept_output {
    int fd; /* -1: none */
};

enum status kept_output_open(struct kept_output *capture, struct error *error);
void kept_output_copy(const struct kept_output *capture, FILE *out);
void kept_output_close(struct kept_output *capture);

#endif
