/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The variants of workloads that use a CUDA library: a workload child on a GPU starts the program
 * lanescope-ladder for them, if it is installed beside lanescope. It runs before the child opens its device,
 * since a process keeps a GPU's counters until it ends; it is a child of the child, in the same environment:
 * under the agent, with its own runs. One thread.
 */
#ifndef CLI_CHILDREN_LIBRARIES_H
#define CLI_CHILDREN_LIBRARIES_H

#include "cli/children/workload_child.h"
#include "workloads/frame/workload.h"

/* Removes cases, by who runs them: either those of libraries or all others stay, in their order. */
size_t library_cases_keep(struct workload_case *cases, size_t count, bool libraries);

/* The program is there. */
bool library_program_found(void);

/* Can the libraries' cases of these options run: are there any, the program that runs them, and a GPU? Not in
 * a lines run, since libraries have no line information. Starts the driver in this process. */
bool library_cases_can_run(const struct workload_child_options *options);

/* Runs the libraries' cases of these options in that program, and waits. Returns its exit status; 125, with a
 * sentence, if it cannot be started or is killed. */
int library_program_run(const struct workload_child_options *options, struct error *error);

#endif
