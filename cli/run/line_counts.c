/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the instructions of the kernels that a lines run has sampled: each in a process of its own. The
 * thread of jobs and, where several fit, threads beside it take the kernels in order; what they share lies
 * under `mutex`.
 */
#include "cli/run/live_internal.h"

#include "cli/run/line_runs.h"
#include "core/base/clock.h"
#include "core/base/rank.h"
#include "tui/widgets/short_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct counting {
    struct live *live;
    const struct request *request;
    struct line_run *list;
    size_t count;
    unsigned beside; /* processes at a time */
    int64_t begun_ns;
    bool timed; /* no process is begun after LINE_RUNS_SECONDS */

    pthread_mutex_t mutex;
    size_t begun, done;
    bool failed;
    struct error error; /* the first */
};

/* One of the threads, with the slot of its children. */
struct counting_thread {
    struct counting *counting;
    unsigned slot;
    pthread_t thread;
    bool started;
};

static double count_seconds(int64_t ns)
{
    return 1e-9 * (double)ns;
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

/* The number of the next kernel to count; false: none. */
static bool take_kernel(struct counting *counting, size_t *index)
{
    bool more;

    pthread_mutex_lock(&counting->mutex);
    more =
        counting->begun < counting->count && !counting->failed && !live_is_ending(counting->live) &&
        !(counting->timed && count_seconds(clock_monotonic_ns() - counting->begun_ns) >= LINE_RUNS_SECONDS);
    if (more)
        *index = counting->begun++;
    pthread_mutex_unlock(&counting->mutex);
    return more;
}

static void tell_kernel(const struct counting *counting, size_t index)
{
    struct live *live = counting->live;
    const size_t rounds = (counting->count - index + counting->beside - 1) / counting->beside;
    char name[100];

    short_names_print(NULL, session_string(live->session, counting->list[index].name), sizeof name - 1, name,
                      sizeof name);
    live_tell_progress(live, "kernel %zu of %zu, about %.1f s left: %s", index + 1, counting->count,
                       count_seconds(live->child_ns) * (double)rounds, name);
}

static void *count_kernels(void *context)
{
    struct counting_thread *counter = context;
    struct counting *counting = counter->counting;
    struct step *step = calloc(1, sizeof *step);
    struct error error = {0};
    bool go_on = true;
    size_t index;

    if (!step)
        go_on = error_no_memory(&error, "to prepare a run") == STATUS_OK;
    while (go_on && take_kernel(counting, &index)) {
        struct line_run *run = &counting->list[index];
        const struct step_plan plan = {.mode = RUN_LINES,
                                       .kernel = run->kernel,
                                       .number = (uint16_t)(index + 1),
                                       .of = (uint16_t)counting->count,
                                       .beside = counting->beside > 1,
                                       .slot = counter->slot};

        if (counting->request->program)
            tell_kernel(counting, index);
        go_on = live_run_step(counting->live, counting->request, &plan, *run->work ? run->work : NULL, step,
                              &error);
        pthread_mutex_lock(&counting->mutex);
        counting->done += !live_is_ending(counting->live);
        pthread_mutex_unlock(&counting->mutex);
    }
    pthread_mutex_lock(&counting->mutex);
    if (!go_on && !counting->failed)
        counting->error = error;
    counting->failed |= !go_on;
    pthread_mutex_unlock(&counting->mutex);
    free(step);
    return NULL;
}

static void count_beside(struct counting *counting)
{
    struct counting_thread counters[LIVE_SLOTS] = {{0}};

    for (unsigned i = 0; i < counting->beside; i++)
        counters[i] = (struct counting_thread){.counting = counting, .slot = i};
    for (unsigned i = 1; i < counting->beside; i++)
        counters[i].started = pthread_create(&counters[i].thread, NULL, count_kernels, &counters[i]) == 0;
    count_kernels(&counters[0]);
    for (unsigned i = 1; i < counting->beside; i++)
        if (counters[i].started)
            pthread_join(counters[i].thread, NULL);
    if (counting->beside > 1)
        live_drain_events(counting->live);
}

/* Processes at a time, at most `most`: what the user says, else as many as fit into memory and have two cores
 * each. *why: what keeps it from being more. */
static unsigned choose_beside(const struct live *live, struct memory_watch *watch, unsigned most,
                              const char **why)
{
    const unsigned fit = memory_watch_stop(watch, most, why);
    const long cores = sysconf(_SC_NPROCESSORS_ONLN) / 2;
    unsigned beside = fit;

    if (live->options->beside > 0) {
        *why = "--beside";
        return live->options->beside < most ? live->options->beside : most;
    }
    if (cores < (long)beside) {
        *why = "each needs two processor cores";
        beside = cores < 1 ? 1 : (unsigned)cores;
    }
    if (rank_of_host() >= 0 && beside > 1) { /* processes of one rank would meet in one place */
        *why = "a launcher started this one as one of several";
        beside = 1;
    }
    return beside;
}

/* Of a program, before the processes begin. */
static void tell_plan(const struct counting *counting, const struct line_choice *choice, const char *why)
{
    const struct live *live = counting->live;
    const size_t rounds = (counting->count + counting->beside - 1) / counting->beside;
    char many[160];

    if (counting->beside > 1)
        snprintf(many, sizeof many, ", %u at a time, which print nothing; --beside 1 runs one at a time",
                 counting->beside);
    else
        snprintf(many, sizeof many, ", one at a time%s%s", counting->count > 1 && *why ? ": " : "",
                 counting->count > 1 ? why : "");
    live_tell_progress(
        live,
        "counting the instructions of %zu of %zu kernels, which have %.0f %% of the time: %zu "
        "more runs of about %.1f s%s. About %.1f s in all; Ctrl-C ends them and keeps what was "
        "measured",
        counting->count, counting->count + choice->left_out, 100 * choice->chosen, counting->count,
        count_seconds(live->child_ns), many, count_seconds(live->child_ns) * (double)rounds);
}

void count_line_kernels(struct live *live, const struct request *request, uint32_t first_run,
                        struct memory_watch *watch, struct error *error)
{
    unsigned wanted = live->options->line_kernels;
    bool few = request->program && wanted == 0;
    struct line_choice choice = {.most = wanted ? wanted
                                         : few  ? LINE_RUNS_PROGRAM
                                                : LINE_RUNS_MAX,
                                 .share = few ? LINE_RUNS_SHARE : 1};
    struct counting counting = {.live = live,
                                .request = request,
                                .list = calloc(LINE_RUNS_MAX, sizeof *counting.list),
                                .begun_ns = clock_monotonic_ns(),
                                .timed = wanted == 0,
                                .mutex = PTHREAD_MUTEX_INITIALIZER};
    const char *why;

    if (counting.list)
        counting.count = line_runs_choose(live->session, first_run, &choice, counting.list);
    unsigned most = counting.count < LIVE_SLOTS ? (unsigned)counting.count : LIVE_SLOTS;
    counting.beside = choose_beside(live, watch, most > 0 ? most : 1, &why);
    if (request->program && counting.count > 0)
        tell_plan(&counting, &choice, why);
    count_beside(&counting);
    if (counting.failed)
        *error = counting.error;
    if (!counting.failed || live_is_ending(live))
        tell_uncounted(live, choice.left_out + counting.count - counting.done, request->program != NULL);
    free(counting.list);
}
