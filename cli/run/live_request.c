/* A request: each of its steps as a child, one after the other, on the thread of jobs. */
#include "cli/run/live_internal.h"

#include "cli/run/code_texts.h"
#include "cli/run/line_runs.h"
#include "core/base/clock.h"
#include "core/wire/wire.h"
#include "tui/widgets/short_names.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define DRAIN_MS 2000 /* how long to wait for a child's last events */

/* The child has ended; its last events may still be in its ring. */
static void events_drain(struct live *live)
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

/* Printed on the terminal with --record; the screen shows what runs. */
static __attribute__((format(printf, 2, 3))) void tell_progress(const struct live *live, const char *format,
                                                                ...)
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

/* A run that was ended from outside: why, in the session and, with --record, on the terminal. */
static void tell_end(struct live *live, const struct step *step, const char *program, int exit_status,
                     int wait_status)
{
    char text[400];

    if (exit_status == EXIT_TIME_LIMIT)
        snprintf(text, sizeof text, "The time limit of %g s ended %.200s. What had ended before is kept.",
                 live->options->time_limit_s, step->own ? "the run" : program);
    else if (step->own && live->foreground && was_interrupted(wait_status))
        snprintf(text, sizeof text,
                 "Interrupted: the run under way is incomplete. What had ended before is kept.");
    else
        return;
    collector_notice(live->collector, SEVERITY_INFO, text);
    tell_progress(live, "%s", text);
}

/* Runs one child to its end. False: run nothing more of this request. */
static bool run_child(struct live *live, const struct step *step, char *const *argv)
{
    struct launch_options options = {
        .argv = argv,
        .variables = step->variables,
        .foreground = live->foreground,
        .output = live->output.fd,
        .errors = live->errors.fd,
        .time_limit_s = live->options->time_limit_s,
        .ends_with_us = step->own, /* nobody else needs it; a user's program runs on */
    };
    struct launch *launch;
    struct error error = {0};
    uint32_t known = profiled_processes(live->session);
    int exit_status, wait_status;
    bool stopped;
    const int64_t begun_ns = clock_monotonic_ns();

    if (launch_start(&launch, &options, &exit_status, &error) != STATUS_OK) {
        live_fail(live, &error, exit_status);
        return false;
    }
    pthread_mutex_lock(&live->mutex);
    live->current = launch;
    live->plan = step->plan;
    if (live->ending || live->stopping)
        launch_stop(launch);
    pthread_mutex_unlock(&live->mutex);
    atomic_store(&live->child, (int)launch_pid(launch));
    int signal_number = atomic_load(&live->interrupted); /* before there was a child that could receive it */
    if (signal_number != 0)
        live_interrupt(live, signal_number);
    exit_status = launch_wait(launch, &wait_status);
    atomic_store(&live->child, 0);
    live->child_ns = clock_monotonic_ns() - begun_ns;
    if (live->foreground && was_interrupted(wait_status)) /* the terminal tells the child alone */
        live_interrupt(live, SIGINT);
    tell_end(live, step, argv[0], exit_status, wait_status);
    collector_child_exited(live->collector, launch_pid(launch), wait_status);
    events_drain(live);
    if (profiled_processes(live->session) == known && step->untraced.status == STATUS_OK &&
        !live_is_ending(live)) {
        error_set(
            &error, STATUS_UNSUPPORTED,
            step->plan.model || driver_is_here()
                ? "No process of %.200s connected to lanescope: none initialised CUDA, so there is nothing "
                  "to show."
                : "No process of %.200s connected to lanescope: there is no NVIDIA driver here. With "
                  "--device "
                  "simt before the -- a CUDA program runs on the device model, on this CPU.",
            argv[0]);
        collector_notice(live->collector, SEVERITY_WARNING, error.text);
    }
    pthread_mutex_lock(&live->mutex);
    live->current = NULL;
    stopped = live->stopping;
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

/* Runs one step of a request in a process of its own. work: instead of the request's workloads; NULL: those.
 * False: run nothing more of this request; error is set unless it is the child's. */
static bool run_step(struct live *live, const struct request *request, const struct step_plan *plan,
                     char *work, struct step *step, struct error *error)
{
    const char *socket = collector_socket_path(live->collector);
    bool own = !request->program, sampled = plan->mode == RUN_TRACE && !plan->model, go_on;
    char **argv = NULL, **texts = work ? &work : request->texts;

    if (step_prepare(step, live->options, plan, own, socket, error) != STATUS_OK)
        return false;
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
    go_on = run_child(live, step, own ? argv : request->program);
    if (sampled)
        sampling_end(live->sampling, live->foreground);
    free(argv);
    return go_on;
}

static void tell_uncounted(struct live *live, size_t count, bool program)
{
    char text[256];

    if (count == 0)
        return;
    if (live_is_ending(live))
        snprintf(text, sizeof text,
                 "Interrupted before the instructions of %zu more kernels were counted: what was measured is "
                 "kept.",
                 count);
    else
        snprintf(
            text, sizeof text,
            "The instructions of %zu more kernels were not counted: each needs its own process, and only "
            "the kernels with most time are counted. Name others with --kernel%s.",
            count, program ? ", or give --runs lines=N" : "");
    collector_notice(live->collector, SEVERITY_INFO, text);
}

static double count_seconds(int64_t ns)
{
    return 1e-9 * (double)ns;
}

/* After a lines run has sampled: counts the instructions of each kernel in a process of its own. For a
 * program, which may run for long, only the kernels that have most of its time. */
static void count_instructions(struct live *live, const struct request *request, uint32_t first_run,
                               struct step *step, struct error *error)
{
    unsigned wanted = live->options->line_kernels;
    bool few = request->program && wanted == 0;
    struct line_choice choice = {.most = wanted ? wanted
                                         : few  ? LINE_RUNS_PROGRAM
                                                : LINE_RUNS_MAX,
                                 .share = few ? LINE_RUNS_SHARE : 1};
    struct line_run *list = calloc(LINE_RUNS_MAX, sizeof *list);
    size_t done = 0, count = list ? line_runs_choose(live->session, first_run, &choice, list) : 0;
    const int64_t begun_ns = clock_monotonic_ns(), child_ns = live->child_ns;
    bool go_on = true;

    if (request->program && count > 0)
        tell_progress(
            live,
            "counting the instructions of %zu of %zu kernels, which have %.0f %% of the time: %zu more "
            "runs of about %.1f s; Ctrl-C ends them and keeps what was measured",
            count, count + choice.left_out, 100 * choice.chosen, count, count_seconds(child_ns));
    while (done < count && go_on && !live_is_ending(live) &&
           (wanted > 0 || count_seconds(clock_monotonic_ns() - begun_ns) < LINE_RUNS_SECONDS)) {
        const struct step_plan plan = {.mode = RUN_LINES,
                                       .kernel = list[done].kernel,
                                       .number = (uint16_t)(done + 1),
                                       .of = (uint16_t)count};

        char name[100];

        short_names_print(NULL, session_string(live->session, list[done].name), sizeof name - 1, name,
                          sizeof name);
        if (request->program)
            tell_progress(live, "kernel %zu of %zu, about %.1f s left: %s", done + 1, count,
                          count_seconds(child_ns) * (double)(count - done), name);
        go_on = run_step(live, request, &plan, *list[done].work ? list[done].work : NULL, step, error);
        done += !live_is_ending(live);
    }
    if (go_on || live_is_ending(live))
        tell_uncounted(live, choice.left_out + count - done, request->program != NULL);
    free(list);
}

static bool failed_since(const struct session *session, uint32_t first_notice)
{
    for (uint32_t i = first_notice; i < session_notice_count(session); i++)
        if (session_notice(session, i)->severity == SEVERITY_ERROR)
            return true;
    return false;
}

static bool has_ended(void *context)
{
    return live_is_ending(context);
}

void live_run_request(struct live *live, const struct request *request)
{
    struct step_plan plan[STEPS_MAX];
    bool go_on = true;
    size_t count = 1;
    struct step *step = calloc(1, sizeof *step);
    struct error error = {0};

    plan[0] = (struct step_plan){.mode = RUN_LINES};
    if (!request->lines)
        count = steps_plan(live->options, live->choice, !request->program, plan);
    bool known = true; /* except for lines runs, whose kernels are chosen after the sampling */
    for (size_t i = 0; i < count; i++)
        known = known && plan[i].mode != RUN_LINES;
    pthread_mutex_lock(&live->mutex);
    live->first_run = session_run_count(live->session);
    live->planned = known ? (uint32_t)(request->cases.count * count) : 0;
    pthread_mutex_unlock(&live->mutex);
    if (!step)
        error_no_memory(&error, "to prepare a run");
    for (size_t i = 0; i < count && go_on && error.status == STATUS_OK && !live_is_ending(live); i++) {
        uint32_t first_run = session_run_count(live->session);
        uint32_t first_notice = session_notice_count(live->session);

        if (plan[i].mode == RUN_LINES && request->program && i > 0)
            tell_progress(
                live, "sampling the program, then counting up to %u kernels in a run each: about %.1f s each",
                live->options->line_kernels ? live->options->line_kernels : LINE_RUNS_PROGRAM,
                count_seconds(live->child_ns));
        go_on = run_step(live, request, &plan[i], NULL, step, &error);
        if (go_on && plan[i].mode == RUN_LINES && request->program && !live_is_ending(live) &&
            session_run_count(live->session) > first_run && /* it used a GPU */
            !failed_since(live->session, first_notice) &&
            line_runs_samples(live->session, first_run) < LINE_RUNS_FEW) {
            const struct step_plan finer = {.mode = RUN_LINES, .period = LINE_RUNS_FINE};

            go_on = run_step(live, request, &finer, NULL, step, &error);
        }
        if (go_on && plan[i].mode == RUN_LINES)
            count_instructions(live, request, first_run, step, &error);
        if (plan[i].mode == RUN_LINES)
            code_texts_add(live->session, live->collector, has_ended, live, &live->told_texts);
    }
    if (error.status != STATUS_OK)
        live_fail(live, &error, EXIT_FAILED);
    free(step);
}
