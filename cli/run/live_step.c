/* SPDX-License-Identifier: Apache-2.0 */
/* One step of a request: a child from its start to its end, and what is said of it. */
#include "cli/run/live_internal.h"

#include "core/base/clock.h"
#include "core/wire/wire.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define DRAIN_MS 2000 /* how long to wait for a child's last events */

/* The child has ended; its last events may still be in its ring. */
void live_drain_events(struct live *live)
{
    for (int waited_ms = 0; waited_ms < DRAIN_MS && collector_live_processes(live->collector); waited_ms += 2)
        clock_pause(2 * NS_PER_MS);
}

/* Number of processes that connected, without our own samplers. */
static uint32_t profiled_processes(const struct session *session)
{
    uint32_t profiled = 0;

    for (uint32_t i = 0; i < session_process_count(session); i++)
        profiled += session_process(session, i)->role != WIRE_ROLE_SAMPLER;
    return profiled;
}

/* Ended by Ctrl-C: as in a shell, nothing more is run then. */
static bool was_interrupted(int wait_status)
{
    return (WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGINT) ||
           (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 128 + SIGINT);
}

static bool driver_is_here(void)
{
    return access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0; /* Linux; WSL */
}

void live_tell_progress(const struct live *live, const char *format, ...)
{
    va_list arguments;

    if (!live->foreground)
        return;
    va_start(arguments, format);
    fputs("lanescope: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

/* A user's kernel may never end. */
static double limit_of(const struct live *live, const struct step *step)
{
    const double limit_s = live->options->time_limit_s;

    return limit_s > 0 || !step->plan.own ? limit_s : OWN_SECONDS;
}

/* A run that was ended from outside: why, in the session and, with --record, on the terminal. */
static void tell_end(struct live *live, const struct step *step, const char *program, int exit_status,
                     int wait_status)
{
    char text[400];

    if (exit_status == EXIT_TIME_LIMIT)
        snprintf(text, sizeof text, "The time limit of %g s ended %.200s. What had ended before is kept.",
                 limit_of(live, step), step->own ? "the run" : program);
    else if (step->own && live->foreground && was_interrupted(wait_status))
        snprintf(text, sizeof text,
                 "Interrupted: the run under way is incomplete. What had ended before is kept.");
    else
        return;
    collector_notice(live->collector, SEVERITY_INFO, text);
    live_tell_progress(live, "%s", text);
}

/* A signal ended the user's program, and nobody has said why: `notices` were there when it began. */
static void tell_signal(struct live *live, uint32_t notices, const char *program, int signal_number)
{
    const uint32_t count = session_notice_count(live->session);
    char text[500];

    for (uint32_t i = notices; i < count; i++)
        if (session_notice(live->session, i)->severity == SEVERITY_ERROR)
            return;
    snprintf(
        text, sizeof text,
        "%.200s was ended by signal %d (%s), in code of its own as far as lanescope knows: gdb shows where. "
        "What had ended before is kept.",
        program, signal_number, strsignal(signal_number));
    collector_notice(live->collector, SEVERITY_ERROR, text);
    live_tell_progress(live, "%s", text);
}

/* No process connected, although the program ran to its end. */
static void tell_unconnected(struct live *live, const struct step *step, const char *program)
{
    struct error error;

    error_set(&error, STATUS_UNSUPPORTED,
              step->plan.model || driver_is_here()
                  ? "No process of %.200s connected to lanescope: none initialised CUDA, so there is nothing "
                    "to show."
                  : "No process of %.200s connected to lanescope: there is no NVIDIA driver here. With "
                    "--device "
                    "simt before the -- a CUDA program runs on the device model, on this CPU.",
              program);
    collector_notice(live->collector, SEVERITY_WARNING, error.text);
}

/* Runs one child to its end. False: run nothing more of this request. Processes that run beside each other
 * have neither the terminal nor an output: they print what the one before them has printed. */
static bool run_child(struct live *live, const struct step *step, char *const *argv)
{
    const unsigned slot = step->plan.slot;
    const bool beside = step->plan.beside;
    struct launch_options options = {
        .argv = argv,
        .variables = step->variables,
        .foreground = live->foreground && !beside,
        .output = beside ? -1 : live->output.fd,
        .errors = beside ? -1 : live->errors.fd,
        .time_limit_s = limit_of(live, step),
        .ends_with_us = step->own, /* nobody else needs it; a user's program runs on */
    };
    struct launch *launch;
    struct error error = {0};
    uint32_t known = profiled_processes(live->session), notices = session_notice_count(live->session);
    int exit_status, wait_status;
    const int64_t begun_ns = clock_monotonic_ns();

    if (launch_start(&launch, &options, &exit_status, &error) != STATUS_OK) {
        live_fail(live, &error, exit_status);
        return false;
    }
    pthread_mutex_lock(&live->mutex);
    live->current[slot] = launch;
    live->plan = step->plan;
    if (live->ending || live->stopping)
        launch_stop(launch);
    pthread_mutex_unlock(&live->mutex);
    atomic_store(&live->child[slot], (int)launch_pid(launch));
    int signal_number = atomic_load(&live->interrupted); /* before there was a child that could receive it */
    if (signal_number != 0)
        live_interrupt(live, signal_number);
    exit_status = launch_wait(launch, &wait_status);
    atomic_store(&live->child[slot], 0);
    if (!beside)
        live->child_ns = clock_monotonic_ns() - begun_ns;
    if (live->foreground && was_interrupted(wait_status)) /* the terminal tells the child alone */
        live_interrupt(live, SIGINT);
    tell_end(live, step, argv[0], exit_status, wait_status);
    collector_child_exited(live->collector, launch_pid(launch), wait_status);
    if (!beside)
        live_drain_events(live);
    if (!step->own && WIFSIGNALED(wait_status) && !was_interrupted(wait_status) && !live_is_ending(live) &&
        exit_status != EXIT_TIME_LIMIT)
        tell_signal(live, notices, argv[0], WTERMSIG(wait_status));
    if (!beside && profiled_processes(live->session) == known && step->untraced.status == STATUS_OK &&
        !live_is_ending(live))
        tell_unconnected(live, step, argv[0]);
    pthread_mutex_lock(&live->mutex);
    live->current[slot] = NULL;
    bool stopped = live->stopping;
    if (!stopped && (exit_status != 0 || !step->own))
        live->exit_status = exit_status;
    pthread_mutex_unlock(&live->mutex);
    launch_destroy(launch);
    if (stopped)
        return false;
    if (step->own && WIFSIGNALED(wait_status) && !live_is_ending(live) && exit_status != EXIT_TIME_LIMIT) {
        error_set(&error, STATUS_DEVICE,
                  "The process that ran this was ended by signal %d (%s): lanescope or the driver has a "
                  "defect, or no memory was left. The events that it sent are shown.",
                  WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)));
        live_fail(live, &error, EXIT_FAILED);
    }
    return exit_status == 0 || (step->own && exit_status == EXIT_CHECK) || !step->own;
}

bool live_run_step(struct live *live, const struct request *request, const struct step_plan *plan, char *work,
                   struct step *step, struct error *error)
{
    const char *socket = collector_socket_path(live->collector);
    bool own = !request->program, sampled = plan->mode == RUN_TRACE && !plan->model, go_on;
    char **argv = NULL, **texts = work ? &work : request->texts;

    if (step_prepare(step, live->options, plan, own, socket, error) != STATUS_OK)
        return false;
    const struct own_kernel *made = request->made;
    step->plan.own = made ? made->image : NULL;
    if (own) {
        struct device_choice choice = *live->choice;

        choice.small = request->small;
        argv = step_own_argv(step, live->options, &choice, request->kernel ? NULL : texts,
                             work ? 1 : request->count, error);
        if (!argv)
            return false;
    }
    if (step->untraced.status != STATUS_OK)
        collector_notice(live->collector, SEVERITY_WARNING, step->untraced.text);
    if (sampled)
        sampling_begin(live->sampling, false);
    else if (!plan->model)
        sampling_free(live->sampling);
    go_on = run_child(live, step, own ? argv : request->program);
    if (sampled)
        sampling_end(live->sampling);
    free(argv);
    return go_on;
}
