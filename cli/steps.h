/*
 * One child of a live session, made ready: its argv and its environment.
 *
 * A request (workloads or a program) becomes one step per mode. Plain data in fixed buffers; the caller's.
 */
#ifndef CLI_STEPS_H
#define CLI_STEPS_H

#include "cli/launch.h"
#include "cli/options.h"
#include "cli/paths.h"
#include "core/agent_config.h"

#define STEP_VARIABLES_MAX 8

struct step {
    enum run_mode mode;
    bool own; /* one of our workloads */
    char *const *argv;
    struct launch_variable variables[STEP_VARIABLES_MAX + 1];
    struct error untraced; /* not OK: the child runs without the agent, and this says why */
    char agent[PATH_BYTES], config[AGENT_CONFIG_MAX_BYTES];
};

/*
 * Which modes a request has, in order; at least one. A memory run comes by itself beside a counter run of our
 * workloads, and of a program that is run more than once anyway; not when counters were named.
 */
size_t step_modes(const struct options *options, bool own, enum run_mode modes[RUN_MODE_COUNT]);

/* Environment of a child in this mode: socket, injection, the agent's settings. STATE when the environment
 * already names an injection and
 * --replace-injection was not given. Without an agent the child still finds the socket. step must not move
 * afterwards. */
enum status step_prepare(struct step *step, const struct options *options, enum run_mode mode, bool own,
                         const char *socket_path, struct error *error);

#endif
