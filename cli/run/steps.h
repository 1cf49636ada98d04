/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A step: one child of a live session, with its argv and its environment.
 *
 * A request (workloads, a kernel or a program) becomes one step per mode on a GPU, and one on the device
 * model, which times and counts at once. Plain data in fixed buffers; the caller's.
 */
#ifndef CLI_RUN_STEPS_H
#define CLI_RUN_STEPS_H

#include "cli/machine/device_choice.h"
#include "cli/options/options.h"
#include "cli/process/launch.h"
#include "cli/process/paths.h"
#include "core/wire/agent_config.h"

#define STEP_VARIABLES_MAX 20

struct step_plan {
    enum run_mode mode;
    bool model; /* on the device model, without an agent */
    /* In a lines run: the kernel (a pattern) whose instructions are counted; NULL: the run samples, every
     * 2^period cycles, 0: as the agent chooses. */
    const char *kernel;
    uint32_t period;
    uint16_t number, of; /* number of this kernel among those that are counted, from 1 */
    unsigned slot;       /* which of the children that run at once it is, below LIVE_SLOTS */
    bool beside;         /* others may run beside it */
    const char *own;     /* a user's kernels, an own image (cli/own/own_kernel.h); NULL: none */
};

struct step {
    struct step_plan plan;
    bool own;          /* one of our workloads, or a kernel */
    char gpus[16];     /* --gpus, for the stand-in */
    char visible[16];  /* which of them, after a run on GPUs of other numbers */
    char launches[16]; /* --launches, for the stand-in */
    struct launch_variable variables[STEP_VARIABLES_MAX + 1];
    struct error toolless; /* not OK: there is no cuobjdump, and how to get it */
    struct error untraced; /* not OK: the child runs without the agent, and this is the reason */
    char agent[PATH_BYTES], libraries[AGENT_CONFIG_MAX_BYTES], config[AGENT_CONFIG_MAX_BYTES];
    char program[PATH_BYTES], gpu[16], rules[ARCH_TEXT_BYTES]; /* of our own child's argv */
};

/* The steps of a request, in order; at least one. own: it runs on the chosen device, else on a GPU. A memory
 * run is added to a counter run of our workloads, and of a program that is run more than once anyway; not if
 * counters were named. */
#define STEPS_MAX (RUN_MODE_COUNT + 1)
size_t steps_plan(const struct options *options, const struct device_choice *choice, bool own,
                  struct step_plan plan[STEPS_MAX]);

/* The environment of a child for this step: socket, injection, the agent's settings. STATUS_STATE if the
 * environment already names an injection and --replace-injection was not given. Without an agent the child
 * still gets the socket. step must not move afterwards. */
enum status step_prepare(struct step *step, const struct options *options, const struct step_plan *plan,
                         bool own, const char *socket_path, struct error *error);

/* One more of its environment, whose texts must stay. */
void step_add_variable(struct step *step, const char *name, const char *value);

/* The settings of an agent that is attached to, in step->config. */
enum status step_prepare_attach(struct step *step, const struct options *options, struct error *error);

/* argv of our own child for a prepared step, to be freed by the caller; its words belong to the step and to
 * texts. texts: the workloads' (count 0: all of them); NULL: the kernel of the options. On failure NULL and
 * an error. */
char **step_own_argv(struct step *step, const struct options *options, const struct device_choice *choice,
                     char *const *texts, size_t count, struct error *error);

#endif
