/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread of jobs takes requests off a queue and runs each of their steps as a child. What it shares with
 * the others lies under `mutex`; no lock is held while a child runs.
 */
#include "cli/machine/device_choice.h"
#include "cli/process/program_look.h"
#include "cli/run/live_internal.h"

#include "core/base/clock.h"
#include "core/wire/dormant.h"
#include "core/wire/wire.h"
#include "workloads/frame/workload.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void request_free(struct request *request)
{
    for (size_t i = 0; i < request->count; i++)
        free(request->texts[i]);
    free(request->texts);
    free(request->own);
    planned_runs_fini(&request->cases);
    free(request);
}

static void free_requests(struct request *first)
{
    while (first) {
        struct request *next = first->next;

        request_free(first);
        first = next;
    }
}

/* No program is run: others use the GPU, until the time is over or the user ends it. */
static void run_watch(struct live *live)
{
    double limit_s = live->options->time_limit_s;
    struct error error = {0};

    bool sampled = sampling_begin(live->sampling, true) > 0;
    const int64_t begun_ns = clock_monotonic_ns(); /* the time limit is of watching */
    do {
        if (sampled)
            clock_pause(20 * NS_PER_MS);
        sampled = sampling_alive(live->sampling) > 0;
    } while (sampled && !live_is_ending(live) &&
             !(limit_s > 0 && 1e-9 * (double)(clock_monotonic_ns() - begun_ns) > limit_s));
    sampling_end(live->sampling);
    if (sampled || live_is_ending(live))
        return;
    error_set(&error, STATUS_NO_DEVICE,
              "GPU %u cannot be watched: it does not exist, or its counters cannot be sampled. `lanescope "
              "doctor` lists what works.",
              live->options->gpu);
    live_fail(live, &error, EXIT_NO_DEVICE);
}

#define ATTACH_END_NS (5 * (int64_t)NS_PER_S) /* how long a process may take to send its last events */

static void set_attached(struct live *live, bool attached)
{
    pthread_mutex_lock(&live->mutex);
    live->attached = attached;
    pthread_mutex_unlock(&live->mutex);
}

static bool attach_is_over(struct live *live)
{
    pthread_mutex_lock(&live->mutex);
    bool over = live->stopping;
    pthread_mutex_unlock(&live->mutex);
    return over || live_is_ending(live);
}

/* Does the process end the capture within the time, or is it told to? */
static bool attach_wait(struct live *live, int connection, int64_t most_ns, bool told)
{
    const int64_t until_ns = clock_monotonic_ns() + most_ns;
    struct pollfd wait = {.fd = connection, .events = POLLIN};

    while (poll(&wait, 1, 20) <= 0 || !wait.revents)
        if (clock_monotonic_ns() > until_ns || (!told && attach_is_over(live)))
            return false;
    return true;
}

/* A process that runs is captured; it runs on afterwards. */
static void run_attach(struct live *live)
{
    const struct options *options = live->options;
    const int64_t most_ns = options->for_s > 0 ? (int64_t)(options->for_s * 1e9) : INT64_MAX / 2;
    struct step *step = calloc(1, sizeof *step);
    struct error error;
    int connection;
    enum status status = step ? step_prepare_attach(step, options, &error)
                              : error_no_memory(&error, "to attach to process %d", (int)options->attached);

    if (status == STATUS_OK)
        status = dormant_attach(options->attached, collector_socket_path(live->collector), step->config,
                                &connection, &error);
    free(step);
    if (status != STATUS_OK) {
        live_fail(live, &error, EXIT_FAILED);
        return;
    }
    live->plan = (struct step_plan){.mode = RUN_TRACE};
    set_attached(live, true);
    if (!attach_wait(live, connection, most_ns, false)) {
        shutdown(connection, SHUT_WR);
        if (!attach_wait(live, connection, ATTACH_END_NS, true))
            collector_notice(live->collector, SEVERITY_WARNING,
                             "The process did not end the capture in time: its last events are missing.");
    }
    close(connection);
    live_drain_events(live);
    set_attached(live, false);
}

static void *run_jobs(void *context)
{
    struct live *live = context;

    pthread_mutex_lock(&live->mutex);
    for (;;) {
        while (!live->first && !live->ending)
            pthread_cond_wait(&live->wake, &live->mutex);
        struct request *request = live->first;
        if (!request || live->ending)
            break;
        live->first = request->next;
        if (!live->first)
            live->last = &live->first;
        live->busy = true;
        live->request = request;
        live->stopping = false;
        pthread_mutex_unlock(&live->mutex);
        if (request->watch)
            run_watch(live);
        else if (request->attach)
            run_attach(live);
        else
            live_run_request(live, request);
        pthread_mutex_lock(&live->mutex);
        live->busy = false;
        pthread_cond_broadcast(&live->idle);
        live->request = NULL;
        request_free(request);
    }
    pthread_mutex_unlock(&live->mutex);
    return NULL;
}

static enum status request_queue(struct live *live, struct request *request)
{
    pthread_mutex_lock(&live->mutex);
    *live->last = request;
    live->last = &request->next;
    pthread_cond_signal(&live->wake);
    pthread_mutex_unlock(&live->mutex);
    return STATUS_OK;
}

/* If a file was named in place of a workload, the message says what to do with that file, not which workloads
 * exist. */
static enum status refuse_file(const char *path, struct error *error)
{
    size_t length = strlen(path);
    const char *end = length > 4 ? path + length - 4 : "";

    if (strcmp(end, ".lsr") == 0)
        return error_set(error, STATUS_USAGE,
                         "%s is a recording, not a workload: lanescope view %s opens it.", path, path);
    if (strcmp(end, ".ptx") == 0)
        return error_set(
            error, STATUS_USAGE,
            "%s is PTX, not a workload: lanescope kernel %s --grid G --block B runs a kernel of it.", path,
            path);
    return error_set(error, STATUS_USAGE,
                     "%s is a file, not a workload: lanescope -- %s runs it as a program.", path, path);
}

static bool is_meant_as_file(const char *text)
{
    const char *end = strrchr(text, '.');

    return strchr(text, '/') || (end && (strcmp(end, ".lsr") == 0 || strcmp(end, ".ptx") == 0));
}

/* Parses the texts; planned: gets the cases that they name, or NULL. */
static enum status parse_cases(char *const *texts, size_t count, struct planned_runs *planned,
                               struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        struct workload_case *cases;
        size_t case_count;
        enum status status = workload_parse(texts[i], &cases, &case_count, error);

        if (status == STATUS_USAGE && access(texts[i], F_OK) == 0)
            return refuse_file(texts[i], error);
        if (status == STATUS_USAGE && is_meant_as_file(texts[i]))
            return error_set(
                error, STATUS_USAGE,
                "There is no file %s and no workload of that name: lanescope view opens a recording, "
                "lanescope -- PROGRAM runs a program, lanescope list lists the workloads.",
                texts[i]);
        if (status == STATUS_USAGE && options_near_command(texts[i]))
            return error_set(error, STATUS_USAGE,
                             "There is no command or workload '%s'. Did you mean lanescope %s? lanescope "
                             "--help lists the commands, lanescope list the workloads.",
                             texts[i], options_near_command(texts[i]));
        if (status != STATUS_OK)
            return status;
        if (planned)
            planned_runs_add(planned, cases, case_count);
        free(cases);
    }
    return STATUS_OK;
}

static enum status plan_all_cases(struct planned_runs *planned, struct error *error)
{
    struct workload_case *cases;
    size_t count;
    enum status status = workload_all(&cases, &count, error);

    if (status != STATUS_OK)
        return status;
    planned_runs_add(planned, cases, count);
    free(cases);
    return STATUS_OK;
}

/* What a text may begin with. */
struct text_options {
    const struct gpu *model;
    bool all_models; /* --model all: a request for each, from the oldest on */
    const struct arch *rules;
    int small; /* -1: not given */
};

/* Of one word and its value; both end at a blank. */
static enum status take_text_option(struct text_options *options, const char *name, const char *value,
                                    struct error *error)
{
    char word[40];

    snprintf(word, sizeof word, "%.*s", (int)strcspn(value, " "), value);
    if (strncmp(name, "--model ", 8) == 0 && strcmp(word, "all") == 0) {
        options->all_models = true;
        return STATUS_OK;
    }
    if (strncmp(name, "--model ", 8) == 0)
        return (options->model = device_model(word, error)) ? STATUS_OK : STATUS_USAGE;
    if (strncmp(name, "--size ", 7) == 0 && (strcmp(word, "small") == 0 || strcmp(word, "default") == 0)) {
        options->small = word[0] == 's';
        return STATUS_OK;
    }
    if (strncmp(name, "--cc ", 5) == 0 && (options->rules = arch_parse(word)))
        return STATUS_OK;
    return error_set(
        error, STATUS_USAGE,
        "'%.60s': a step takes --model ID or all, --cc X.Y and --size small or default before its workload.",
        name);
}

/* *rest: the text behind its options. */
static enum status take_text_options(char *text, struct text_options *options, char **rest,
                                     struct error *error)
{
    enum status status = STATUS_OK;

    *options = (struct text_options){.small = -1};
    while (status == STATUS_OK && strncmp(text, "--", 2) == 0) {
        char *value = text + strcspn(text, " ");

        value += strspn(value, " ");
        status = take_text_option(options, text, value, error);
        text = value + strcspn(value, " ");
        text += strspn(text, " ");
    }
    *rest = text;
    return status;
}

enum status live_check_workloads(char *const *texts, size_t count, struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        struct text_options options;
        char *rest;
        enum status status = take_text_options(texts[i], &options, &rest, error);

        if (status == STATUS_OK)
            status = parse_cases(&rest, 1, NULL, error);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static enum status run_workloads(struct live *live, char *const *texts, size_t count, bool small, bool lines,
                                 const char *own, bool edited, struct error *error);

/* The text behind its options, on every modelled GPU. */
static enum status run_on_all_models(struct live *live, const char *rest, bool small, const char *own,
                                     bool edited, struct error *error)
{
    enum status status = STATUS_OK;

    for (size_t i = 0; gpu_by_age(i) && status == STATUS_OK; i++) {
        char *text;

        if (asprintf(&text, "--model %s %s", gpu_by_age(i)->id, rest) < 0)
            return error_no_memory(error, "to queue a run");
        status = run_workloads(live, &text, 1, small, false, own, edited, error);
        free(text);
    }
    return status;
}

/* own: the user's file; NULL: none. edited: as in struct request. */
static enum status run_workloads(struct live *live, char *const *texts, size_t count, bool small, bool lines,
                                 const char *own, bool edited, struct error *error)
{
    struct request *request;
    struct planned_runs cases = {0};
    struct text_options options = {.small = -1};
    char *rest;
    enum status status = STATUS_OK;

    if (count == 1 && (status = take_text_options(texts[0], &options, &rest, error)) == STATUS_OK)
        texts = &rest;
    if (status == STATUS_OK && (options.model || options.all_models || options.rules) &&
        (live->choice->gpu || !live->choice->model))
        status = error_set(
            error, STATUS_STATE,
            "A step with --model or --cc needs the device model: start lanescope with --device simt.");
    if (status == STATUS_OK && options.all_models)
        return run_on_all_models(live, rest, options.small < 0 ? small : options.small, own, edited, error);
    if (status == STATUS_OK)
        status = count > 0 ? parse_cases(texts, count, &cases, error) : plan_all_cases(&cases, error);
    if (status != STATUS_OK) {
        planned_runs_fini(&cases);
        return status;
    }
    request = calloc(1, sizeof *request);
    if (!request || !(request->texts = calloc(count + 1, sizeof *request->texts))) {
        planned_runs_fini(&cases);
        free(request);
        return error_no_memory(error, "to queue a run");
    }
    request->cases = cases;
    for (; request->count < count; request->count++) {
        request->texts[request->count] = strdup(texts[request->count]);
        if (!request->texts[request->count]) {
            request_free(request);
            return error_no_memory(error, "to queue a run");
        }
    }
    request->edited = edited;
    if (own && !(request->own = strdup(own))) {
        request_free(request);
        return error_no_memory(error, "to queue a run");
    }
    request->small = options.small < 0 ? small : options.small;
    request->model = options.model;
    request->rules = options.rules;
    request->lines = lines;
    return request_queue(live, request);
}

enum status live_run_workloads(struct live *live, char *const *texts, size_t count, bool small,
                               struct error *error)
{
    return run_workloads(live, texts, count, small, false, live->options->own_file, false, error);
}

enum status live_run_own(struct live *live, const char *path, const char *text, bool small,
                         struct error *error)
{
    char *texts[] = {(char *)(uintptr_t)text};

    return run_workloads(live, texts, 1, small, false, path, true, error);
}

enum status live_run_lines(struct live *live, const char *text, struct error *error)
{
    char *own = (char *)(uintptr_t)text;

    if (!live->choice->gpu)
        return error_set(error, STATUS_STATE,
                         "Sampling needs a GPU, and this runs on the device model: start lanescope with "
                         "--device cuda on a machine with a GPU.");
    return run_workloads(live, &own, 1, live->choice->small, true, live->options->own_file, false, error);
}

enum status live_run_kernel(struct live *live, struct error *error)
{
    struct request *request = calloc(1, sizeof *request);

    if (!request)
        return error_no_memory(error, "to queue a run");
    request->kernel = true;
    return request_queue(live, request);
}

enum status live_watch(struct live *live, struct error *error)
{
    struct request *request = calloc(1, sizeof *request);

    if (!request)
        return error_no_memory(error, "to watch the GPU");
    request->watch = true;
    return request_queue(live, request);
}

enum status live_attach(struct live *live, struct error *error)
{
    struct request *request = calloc(1, sizeof *request);

    if (!request)
        return error_no_memory(error, "to attach to process %d", (int)live->options->attached);
    request->attach = true;
    return request_queue(live, request);
}

enum status live_run_program(struct live *live, char *const *argv, struct error *error)
{
    struct request *request = calloc(1, sizeof *request);

    if (!request)
        return error_no_memory(error, "to queue a run");
    request->program = argv;
    return request_queue(live, request);
}

/* Called early, so that the GPU is set up before the first run. If the user requested sampling by an option
 * and it is not possible, a notice says so. */
static void start_sampling(struct live *live)
{
    const struct options *options = live->options;
    struct step_plan plan[STEPS_MAX];
    size_t steps = steps_plan(options, live->choice, !options->program, plan);
    bool every_gpu = options->program != NULL, wanted = options->watch;
    bool named = (options->sample_given && options->sample_ns) || options->burst_ns || options->watch;
    struct error error = {0};

    for (size_t i = 0; i < steps; i++)
        wanted |= plan[i].mode == RUN_TRACE && !plan[i].model;
    /* a user's single kernel ends before a sampler is ready */
    if (!wanted || options->attached || options->command == COMMAND_KERNEL ||
        (!options->sample_ns && !options->burst_ns))
        return;
    if (sampling_create(&live->sampling, options, every_gpu, live->collector, &error) != STATUS_OK && named)
        collector_notice(live->collector, SEVERITY_WARNING, error.text);
}

static void live_tell(const char *sentence)
{
    fprintf(stderr, "lanescope: %s\n", sentence);
}

/* Does a program of the user's run on the device model? */
static bool runs_on_model(const struct live_options *options)
{
    struct step_plan plan[STEPS_MAX];

    return options->options->program && steps_plan(options->options, options->choice, false, plan) > 0 &&
           plan[0].model;
}

enum status live_start(struct live **live, const struct live_options *options, struct error *error)
{
    struct live *made = calloc(1, sizeof *made);
    struct recorder_options recording = {.memory_bytes = options->options->memory_bytes,
                                         .max_bytes = options->options->max_bytes,
                                         .overwrite = options->overwrite,
                                         .tell = live_tell,
                                         .lost_exit = EXIT_FAILED};
    char command[1024];
    pthread_condattr_t monotonic;

    if (runs_on_model(options) && program_check_tool(options->options->program[0], error) != STATUS_OK) {
        free(made);
        return error->status;
    }
    if (!made)
        return error_no_memory(error, "for the session");
    made->options = options->options;
    made->choice = options->choice;
    made->foreground = options->foreground;
    made->last = &made->first;
    made->output.fd = made->errors.fd = -1;
    pthread_mutex_init(&made->mutex, NULL);
    pthread_cond_init(&made->wake, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&made->idle, &monotonic);
    pthread_condattr_destroy(&monotonic);
    options_text(options->options, command, sizeof command);
    recording.command = command;
    recording.old_is_back = &made->old_is_back;
    enum status status = session_create(&made->session, clock_real_ns(), error);
    if (status == STATUS_OK)
        session_set_memory_limit(made->session, options->options->memory_bytes - options->readback_bytes,
                                 true);
    if (status == STATUS_OK && options->options->anonymous)
        session_make_anonymous(made->session);
    if (status == STATUS_OK && made->foreground) /* nothing else is held: no screen, no other recording */
        session_measure_memory(made->session);
    if (status == STATUS_OK)
        status = recorder_start(&made->recorder, made->session, options->recording, &recording, error);
    if (status == STATUS_OK && !made->foreground)
        status = kept_output_open(&made->output, error);
    if (status == STATUS_OK && !made->foreground)
        status = kept_output_open(&made->errors, error);
    if (status == STATUS_OK)
        status = collector_start(&made->collector, made->session, error);
    if (status == STATUS_OK)
        start_sampling(made);
    if (status == STATUS_OK && made->choice->note[0])
        collector_notice(made->collector, SEVERITY_INFO, made->choice->note);
    if (status == STATUS_OK && made->choice->why[0])
        collector_notice(made->collector, SEVERITY_INFO, made->choice->why);
    if (status == STATUS_OK) {
        int failure = pthread_create(&made->thread, NULL, run_jobs, made);

        made->thread_started = failure == 0;
        if (failure)
            status =
                error_set_errno(error, STATUS_MEMORY, failure, "Cannot start the thread that runs programs");
    }
    if (status != STATUS_OK) {
        live_finish(made, NULL, NULL, NULL);
        return status;
    }
    *live = made;
    return STATUS_OK;
}

bool live_busy(struct live *live)
{
    pthread_mutex_lock(&live->mutex);
    bool busy = live->busy || live->first;
    pthread_mutex_unlock(&live->mutex);
    return busy;
}

bool live_wait_idle(struct live *live, int64_t most_ns)
{
    const struct timespec until = timespec_of(clock_monotonic_ns() + most_ns);

    pthread_mutex_lock(&live->mutex);
    if (live->busy || live->first)
        pthread_cond_timedwait(&live->idle, &live->mutex, &until);
    bool busy = live->busy || live->first;
    pthread_mutex_unlock(&live->mutex);
    return !busy;
}

/* The mutex is held. */
static void stop_launches(struct live *live)
{
    for (size_t i = 0; i < LIVE_SLOTS; i++)
        if (live->current[i])
            launch_stop(live->current[i]);
}

bool live_stop_current(struct live *live)
{
    pthread_mutex_lock(&live->mutex);
    struct request *waiting = live->first;
    live->first = NULL;
    live->last = &live->first;
    bool any = live->busy || waiting;
    live->stopping = live->busy;
    stop_launches(live);
    pthread_mutex_unlock(&live->mutex);
    free_requests(waiting);
    return any;
}

void live_stop_children(struct live *live)
{
    pthread_mutex_lock(&live->mutex);
    live->ending = true;
    stop_launches(live);
    pthread_cond_signal(&live->wake);
    pthread_mutex_unlock(&live->mutex);
}

bool live_burst(struct live *live)
{
    return sampling_burst(live->sampling);
}

struct session *live_session(struct live *live)
{
    return live->session;
}

void live_recorder_state(struct live *live, struct recorder_state *state)
{
    recorder_state(live->recorder, state);
}

int live_exit_status(struct live *live)
{
    pthread_mutex_lock(&live->mutex);
    int status = live->exit_status;
    pthread_mutex_unlock(&live->mutex);
    return status;
}

void live_error(struct live *live, struct error *error)
{
    pthread_mutex_lock(&live->mutex);
    *error = live->error;
    pthread_mutex_unlock(&live->mutex);
}

void live_settle(struct live *live)
{
    if (live->settled)
        return;
    live->settled = true;
    if (live->thread_started) {
        while (!live_is_ending(live) && !live_wait_idle(live, 5 * NS_PER_MS))
            continue;
        live_stop_children(live);
        pthread_join(live->thread, NULL);
    }
    free_requests(live->first);
    live->first = NULL;
    live_discard_owns(live);
    sampling_destroy(live->sampling);
    live->sampling = NULL;
    if (live->collector)
        collector_stop(live->collector);
    live->collector = NULL;
}

void live_copy_output(const struct live *live, FILE *output)
{
    kept_output_copy(&live->output, output);
}

static enum status end_recording(struct live *live, struct error *error)
{
    struct recorder *recorder = live->recorder;

    live_settle(live);
    live->recorder = NULL;
    return recorder ? recorder_stop(recorder, error) : STATUS_OK;
}

enum status live_end_recording(struct live *live, bool *there, struct error *error)
{
    enum status status = end_recording(live, error);

    *there = status == STATUS_OK && !live->old_is_back;
    return status;
}

enum status live_finish(struct live *live, FILE *output, FILE *errors, struct error *error)
{
    enum status status = end_recording(live, error);

    if (output)
        kept_output_copy(&live->output, output);
    if (errors)
        kept_output_copy(&live->errors, errors);
    kept_output_close(&live->output);
    kept_output_close(&live->errors);
    session_destroy(live->session);
    pthread_cond_destroy(&live->wake);
    pthread_cond_destroy(&live->idle);
    pthread_mutex_destroy(&live->mutex);
    free(live);
    return status;
}
