/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was sampled is summed by function of a run and sorted by time, or by samples where no time is known;
 * the first of them are named to the agent by patterns.
 */
#include "cli/run/line_runs.h"

#include "cli/run/live_internal.h"
#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/rank.h"
#include "core/session/code.h"
#include "tui/widgets/short_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A function in a run, and its number of samples. */
struct seen {
    uint32_t run, function;
    uint64_t samples;
    double weight; /* time, or samples */
};

static int most_first(const void *a, const void *b)
{
    const struct seen *left = a, *right = b;

    if (left->weight < right->weight || left->weight > right->weight)
        return left->weight < right->weight ? 1 : -1;
    return left->function < right->function ? -1 : left->function > right->function;
}

/* The processes of a program have separate runs; a kernel that is in several is counted once. */
static bool is_same(const struct session *session, const struct seen *seen, uint32_t run, uint32_t function)
{
    const struct run_row *mine = session_run(session, seen->run), *other = session_run(session, run);

    if (seen->function != function)
        return false;
    return seen->run == run || (mine->workload == 0 && other->workload == 0);
}

static bool is_of_lines(const struct session *session, const struct stall_row *row, uint32_t first_run)
{
    const struct run_row *run = session_run(session, row->run);

    return row->run >= first_run && run && run->mode == RUN_LINES;
}

uint64_t line_runs_samples(const struct session *session, uint32_t first_run)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < session_stall_count(session); i++) {
        const struct stall_row *row = session_stall(session, i);

        if (is_of_lines(session, row, first_run))
            sum += atomic_load_explicit(&row->samples, memory_order_relaxed);
    }
    return sum;
}

/* All that was sampled, to be freed by the caller; NULL: nothing, or no memory. */
static struct seen *seen_gather(const struct session *session, uint32_t first_run, size_t *count)
{
    struct seen *all = NULL;
    size_t capacity = 0;
    uint32_t rows = session_stall_count(session);

    *count = 0;
    for (uint32_t i = 0; i < rows; i++) {
        const struct stall_row *row = session_stall(session, i);
        const struct instruction_row *instruction = session_instruction(session, row->instruction);
        size_t k = 0;

        if (!is_of_lines(session, row, first_run) || !instruction)
            continue;
        while (k < *count && !is_same(session, &all[k], row->run, instruction->function))
            k++;
        if (!array_grow(all, capacity, k, 1))
            break;
        if (k == *count)
            all[(*count)++] = (struct seen){.run = row->run, .function = instruction->function};
        all[k].samples += atomic_load_explicit(&row->samples, memory_order_relaxed);
    }
    return all;
}

bool line_runs_name_work(const struct session *session, const struct run_row *run, char *text,
                         size_t size_bytes)
{
    const char *params = session_string(session, run->params);

    text[0] = '\0';
    if (!run->workload)
        return true;
    int length = snprintf(text, size_bytes, "%s:%s%s%s", session_string(session, run->workload),
                          session_string(session, run->variant), *params ? "," : "", params);
    return length > 0 && (size_t)length < size_bytes;
}

/* A mangled name has no special characters of a pattern; a long one is cut, and * matches the rest. */
static void name_kernel(const char *mangled, char pattern[LINE_KERNEL_BYTES])
{
    size_t length = strlen(mangled);

    if (length < LINE_KERNEL_BYTES)
        memcpy(pattern, mangled, length + 1);
    else
        snprintf(pattern, LINE_KERNEL_BYTES, "%.*s*", LINE_KERNEL_BYTES - 2, mangled);
}

/* Time of the kernel in trace runs of programs. */
static uint64_t traced_ns(const struct session *session, uint32_t function)
{
    const char *mangled = session_string(session, session_function(session, function)->mangled);
    uint64_t sum_ns = 0;

    for (uint32_t i = 0; i < session_kernel_count(session); i++) {
        const struct kernel_row *kernel = session_kernel(session, i);
        const struct run_row *run = session_run(session, kernel->run);
        const struct shape_row *shape = session_shape(session, kernel->shape);

        if (run && shape && run->mode == RUN_TRACE && run->workload == 0 &&
            strcmp(session_string(session, shape->mangled), mangled) == 0)
            sum_ns += atomic_load_explicit(&kernel->total_ns, memory_order_relaxed);
    }
    return sum_ns;
}

/* Gives the sum. */
static double weigh_seen(const struct session *session, struct seen *all, size_t count)
{
    double time = 0, samples = 0;

    for (size_t i = 0; i < count; i++) {
        all[i].weight = (double)traced_ns(session, all[i].function);
        time += all[i].weight;
        samples += (double)all[i].samples;
    }
    for (size_t i = 0; i < count && !(time > 0); i++)
        all[i].weight = (double)all[i].samples;
    return time > 0 ? time : samples;
}

size_t line_runs_choose(const struct session *session, uint32_t first_run, struct line_choice *choice,
                        struct line_run list[LINE_RUNS_MAX])
{
    size_t count, used = 0;
    struct seen *all = seen_gather(session, first_run, &count);
    double whole = weigh_seen(session, all, count), chosen = 0;

    if (all)
        qsort(all, count, sizeof *all, most_first);
    for (size_t i = 0; i < count && used < choice->most && (used == 0 || chosen < choice->share * whole);
         i++) {
        const struct function_row *function = session_function(session, all[i].function);

        if (!line_runs_name_work(session, session_run(session, all[i].run), list[used].work,
                                 sizeof list[used].work))
            continue;
        name_kernel(session_string(session, function->mangled), list[used].kernel);
        list[used++].name = function->name;
        chosen += all[i].weight;
    }
    choice->left_out = count - used;
    choice->chosen = whole > 0 ? chosen / whole : 0;
    free(all);
    return used;
}

/*
 * Counts the instructions of the kernels that a lines run has sampled: each in a process of its own. The
 * thread of jobs and, where several fit, threads beside it take the kernels in order; what they share lies
 * under `mutex`.
 */

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
