/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The child that runs bundled workloads: lanescope re-executed as
 *     lanescope --workload-child MODE DEVICE GPU SIZE [--own IMAGE] [--model ID] [--cc X.Y]
 * [--check]
 *     [--no-merge] TEXT...
 * with MODE trace, counters, memory or lines, DEVICE "cuda" or "simt", GPU an ordinal, SIZE small or default,
 * and TEXTs as workload_parse takes them or "--all". It announces its runs and their expected values to the
 * collector whose socket the environment names; without that variable it runs the same work and sends
 * nothing. On a GPU the injected agent sends the events; on the device model this child sends them, with
 * times on the model's clock. The model counts while it runs, so it has only the mode trace.
 *
 * One thread.
 */
#ifndef CLI_CHILDREN_WORKLOAD_CHILD_H
#define CLI_CHILDREN_WORKLOAD_CHILD_H

#include "core/base/error.h"
#include "core/base/event.h"
#include "core/hardware/arch.h"
#include "simt/timing/gpu.h"
#include "workloads/frame/workload.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct library;

struct workload_child_options {
    enum run_mode mode;
    const char *device;
    uint32_t gpu;
    bool small;
    const struct gpu *model;       /* of the device model; NULL: the default */
    const struct arch *rules;      /* counting rules; NULL: the device's own */
    bool check, keep_ptx, reverse; /* the model's */
    const char *own;               /* a user's kernels (workloads/frame/own_image.h); NULL: none */
    char **texts;                  /* none, or the first is "--all": all workloads */
    size_t text_count;
    /* CUDA's libraries: run only the variants that use them. NULL: run all others; on a GPU, the program that
     * has the libraries runs theirs, if it exists (cli/children/workload_child.h). */
    const struct library *library;
};

/* argv after "--workload-child". The options point into it. */
enum status workload_child_parse(int argc, char **argv, struct workload_child_options *options,
                                 struct error *error);

/* Runs them. Returns the exit status: 0; 1 a verification or a case failed (error names the first); 2 usage,
 * 3 no device, 125 the child itself failed. *error is set unless it is 0. */
int workload_child_main(const struct workload_child_options *options, struct error *error);

/* How a child's end is reported to its parent: enum exit_code. */
int child_exit_status(enum status status);

/* The same on a device that is open already and stays open; options->device is ignored. */
struct device;
int workload_child_run(const struct workload_child_options *options, struct device *device,
                       struct error *error);

/* ---- variants of CUDA's libraries ---- */

/*
 * The variants of workloads that use a CUDA library: a workload child on a GPU starts the program
 * lanescope-ladder for them, if it is installed beside lanescope. It runs before the child opens its device,
 * since a process keeps a GPU's counters until it ends; it is a child of the child, in the same environment:
 * under the agent, with its own runs. One thread.
 */

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
