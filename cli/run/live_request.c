/* A request: each of its steps as a child, one after the other, on the thread of jobs. */
#include "cli/run/live_internal.h"

#include "cli/run/code_texts.h"
#include "cli/run/line_runs.h"
#include "core/base/clock.h"
#include "core/wire/wire.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#define DRAIN_MS 2000 /* how long a child's last events are waited for */

/* The child is gone; its last events may still be in its ring. */
static void events_drain(struct live *live)
{
    for (int waited_ms = 0; waited_ms < DRAIN_MS && collector_live_processes(live->collector); waited_ms += 2)
        clock_pause(2 * NS_PER_MS);
}

/* Processes that made themselves known, without our own samplers. */
static uint32_t profiled_processes(const struct session *session)
{
    uint32_t profiled = 0;

    for (uint32_t i = 0; i < session_process_count(session); i++)
        profiled += session_process(session, i)->role != WIRE_ROLE_SAMPLER;
    return profiled;
}

/* Run one child to its end. False: nothing more of this request should run. */
static bool run_child(struct live *live, const struct step *step, char *const *argv)
{
    struct launch_options options = {
        .argv = argv,
        .variables = step->variables,
        .foreground = live->foreground,
        .output = live->output.fd,
        .errors = live->errors.fd,
        .time_limit_s = live->options->time_limit_s,
        .ends_with_us = step->own, /* nobody else wants it; a program is its user's and runs on */
    };
    struct launch *launch;
    struct error error = {0};
    uint32_t known = profiled_processes(live->session);
    int exit_status, wait_status;
    bool stopped;

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
    int signal_number = atomic_load(&live->interrupted); /* before there was a child to send it to */
    if (signal_number != 0)
        live_interrupt(live, signal_number);
    exit_status = launch_wait(launch, &wait_status);
    atomic_store(&live->child, 0);
    collector_child_exited(live->collector, launch_pid(launch), wait_status);
    events_drain(live);
    if (profiled_processes(live->session) == known && step->untraced.status == STATUS_OK) {
        error_set(&error, STATUS_UNSUPPORTED,
                  "No process of %.200s connected to lanescope: none initialised CUDA, so there is nothing "
                  "to show.",
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

/* One step of a request in its process. work: in place of the request's workloads; NULL: those. False:
 * nothing more of this request should run, with an error if it is not the child's. */
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
        sampling_begin(live->sampling, live->foreground);
    go_on = run_child(live, step, own ? argv : request->program);
    if (sampled)
        sampling_end(live->sampling, live->foreground);
    free(argv);
    return go_on;
}

static void tell_uncounted(struct live *live, size_t count)
{
    char text[256];

    if (count == 0)
        return;
    snprintf(text, sizeof text,
             "The instructions of %zu more kernels were not counted: each needs its own process, and only "
             "the kernels with most samples are counted. Name others with --kernel.",
             count);
    collector_notice(live->collector, SEVERITY_INFO, text);
}

/* After a lines run has sampled: the instructions of each kernel are counted in a process of its own. */
static void count_instructions(struct live *live, const struct request *request, uint32_t first_run,
                               struct step *step, struct error *error)
{
    struct line_run *list = calloc(LINE_RUNS_MAX, sizeof *list);
    size_t left_out = 0, done = 0;
    size_t count = list ? line_runs_choose(live->session, first_run, list, &left_out) : 0;
    time_t end = time(NULL) + LINE_RUNS_SECONDS;
    bool go_on = true;

    while (done < count && go_on && !live_is_ending(live) && time(NULL) < end) {
        const struct step_plan plan = {.mode = RUN_LINES, .kernel = list[done].kernel};

        go_on = run_step(live, request, &plan, *list[done].work ? list[done].work : NULL, step, error);
        done++;
    }
    if (go_on && !live_is_ending(live))
        tell_uncounted(live, left_out + count - done);
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
    if (!step)
        error_no_memory(&error, "to prepare a run");
    for (size_t i = 0; i < count && go_on && error.status == STATUS_OK && !live_is_ending(live); i++) {
        uint32_t first_run = session_run_count(live->session);
        uint32_t first_notice = session_notice_count(live->session);

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
