/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a live session: whether it is ending, what failed, and both as text. And one step of a request: a child from its
 * start to its end, and what is said of it. */
#include "cli/run/live_internal.h"

#include "core/base/clock.h"
#include "core/session/lod.h"
#include "core/wire/wire.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the state ---- */

bool live_is_ending(struct live *live)
{
    pthread_mutex_lock(&live->mutex);
    bool ending = live->ending;
    pthread_mutex_unlock(&live->mutex);
    return ending || atomic_load(&live->interrupted) != 0;
}

bool live_runs(const struct live *live)
{
    for (size_t i = 0; i < LIVE_SLOTS; i++)
        if (live->current[i])
            return true;
    return live->attached;
}

void live_fail(struct live *live, const struct error *error, int exit_status)
{
    collector_notice(live->collector, SEVERITY_ERROR, error->text);
    pthread_mutex_lock(&live->mutex);
    live->error = *error;
    live->exit_status = exit_status;
    pthread_mutex_unlock(&live->mutex);
}

void live_interrupt(struct live *live, int signal_number)
{
    atomic_store(&live->interrupted, signal_number);
    for (size_t i = 0; i < LIVE_SLOTS; i++) {
        int child = atomic_load(&live->child[i]);

        if (child > 0)
            kill(-child, signal_number);
    }
}

/* CUPTI's own cost, by its overhead tracks, as a share of the session so far. */
static double overhead_pct(const struct session *session)
{
    int64_t now_ns = session_now_ns(session, CLOCK_WALL), cost_ns = 0;
    bool known = false;

    for (uint32_t track = 0; track < session_track_count(session); track++) {
        const struct track_row *row = session_track(session, track);
        uint32_t lanes = session_lane_count(session, track);

        if (row->kind != TRACK_OVERHEAD)
            continue;
        for (uint32_t lane = 0; lane < lanes; lane++) {
            struct lod_column column;

            lod_query(session, track, lane, 0, now_ns, &column, 1);
            cost_ns += column.busy_ns;
            known = true;
        }
    }
    return known && now_ns > 0 ? 100.0 * (double)cost_ns / (double)now_ns : -1;
}

void live_planned_name(struct live *live, uint32_t number, char *text, size_t size_bytes)
{
    text[0] = '\0';
    pthread_mutex_lock(&live->mutex);
    const struct planned_runs *cases = live->request ? &live->request->cases : NULL;
    if (cases && cases->names && number > 0 && cases->count > 0)
        snprintf(text, size_bytes, "%s", cases->names[(number - 1) % cases->count]);
    pthread_mutex_unlock(&live->mutex);
}

static void progress_of_launch(struct live *live, struct live_state *state)
{
    struct collector_progress progress;

    state->launch.over = true;
    if (!state->running || !collector_progress(live->collector, &progress))
        return;
    state->launch = progress.of;
    progress_kernel_name(session_string(live->session, progress.kernel), state->kernel, sizeof state->kernel);
}

void live_state(struct live *live, struct live_state *state)
{
    static const char *const run_words[RUN_MODE_COUNT] = {[RUN_TRACE] = "trace",
                                                          [RUN_COUNTERS] = "counter",
                                                          [RUN_MEMORY] = "memory counter",
                                                          [RUN_LINES] = "line"};
    const struct session *session = live->session;
    uint32_t runs = session_run_count(session);
    struct session_lost lost;

    session_lost(session, &lost);
    pthread_mutex_lock(&live->mutex);
    *state = (struct live_state){.running = live_runs(live), .dropped = lost.dropped};
    struct step_plan plan = live->plan;
    if (live->busy && runs > live->first_run && runs - live->first_run <= live->planned) {
        state->run = runs - live->first_run;
        state->planned = live->planned;
    }
    pthread_mutex_unlock(&live->mutex);
    progress_of_launch(live, state);
    char mode[40];
    snprintf(mode, sizeof mode, "%s", plan.model ? "modelled" : run_words[plan.mode]);
    if (plan.of > 0)
        snprintf(mode, sizeof mode, "line (kernel %hu of %hu)", plan.number, plan.of);
    state->overhead_pct = overhead_pct(session);
    if (state->running && runs) {
        const struct run_row *run = session_run(session, runs - 1);
        uint32_t name = run->workload ? run->workload : run->program;

        snprintf(state->text, sizeof state->text, "%.24s run of %.60s%s%.20s %.40s", mode,
                 session_string(session, name), run->variant ? ":" : "",
                 session_string(session, run->variant), session_string(session, run->params));
    } else if (state->running) {
        snprintf(state->text, sizeof state->text, "%s run starts", mode);
    }
}

/* ---- a step ---- */

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

/* A program's run on the device model after those on a GPU: status 0 does not hide theirs. */
static bool after_gpu(const struct live *live, const struct step *step)
{
    return step->plan.model && live->choice->gpu;
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
    if (!stopped && (exit_status != 0 || !(step->own || after_gpu(live, step))))
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

    struct options options = *live->options;
    if (plan->model && !own && live->choice->gpus) { /* GPUs of the kind that the program had, and as many */
        options.model = options.model ? options.model : live->choice->model->id;
        options.gpus = options.gpus ? options.gpus : live->choice->gpus < 8 ? live->choice->gpus : 8;
    }
    if (step_prepare(step, &options, plan, own, socket, error) != STATUS_OK)
        return false;
    const struct own_kernel *made = request->made;
    step->plan.own = made ? made->image : NULL;
    if (own) {
        struct device_choice choice = *live->choice;

        choice.small = request->small;
        choice.model = request->model ? request->model : choice.model;
        options.rules = request->rules ? request->rules : options.rules;
        argv = step_own_argv(step, &options, &choice, request->kernel ? NULL : texts,
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
