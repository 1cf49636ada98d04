/* SPDX-License-Identifier: Apache-2.0 */
/* A request: each of its steps as a child, one after the other, on the thread of jobs. */
#include "cli/process/disassemble.h"
#include "cli/process/paths.h"
#include "cli/run/collect.h"
#include "cli/run/live_internal.h"
#include "core/base/append.h"
#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/rank.h"
#include "core/session/code.h"
#include "core/session/session.h"
#include "tui/widgets/short_names.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- kernels whose instructions are counted ---- */

/*
 * What was sampled is summed by function of a run and sorted by time, or by samples where no time is known;
 * the first of them are named to the agent by patterns.
 */

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

/* After a lines run has sampled: counts the instructions of each kernel in a process of its own, several at a
 * time where memory allows. Of a program, which may run for long, only the kernels that have most of its
 * time. Ends `watch`, which was started before the sampling. */
static void count_line_kernels(struct live *live, const struct request *request, uint32_t first_run,
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

/*
 * The texts of a session's instructions, added after the processes with the code have ended: their cubins are
 * in the session's folder, a disassembler is run on each, and the collector writes its output into the
 * session. On the thread of jobs.
 */
#define CODE_TEXTS_SECONDS 60 /* after this time no further cubin is begun */

/*
 * Functions whose disassembly is wanted are marked. The disassembler's lines are kept for one cubin at a
 * time, and the collector's thread writes them into the session.
 */
/* Instructions of functions of one cubin, to be written. */
struct texts {
    const struct session *session;
    const bool *wanted; /* by function */
    uint32_t function_count;
    uint64_t module;
    uint32_t function; /* of `name` */
    char name[DISASSEMBLY_NAME_BYTES];
    struct text {
        uint32_t function, pc_offset;
        size_t text; /* where it begins in `bytes` */
    } * list;
    size_t count, room;
    char *bytes;
    size_t used, size_bytes;
    bool full;
};

static void texts_free(struct texts *texts)
{
    free(texts->list);
    free(texts->bytes);
    free(texts);
}

/* On the collector's thread. */
static void write_texts(struct session *session, void *context)
{
    struct texts *texts = context;

    for (size_t i = 0; session && i < texts->count; i++) {
        const struct text *text = &texts->list[i];
        const char *bytes = texts->bytes + text->text;
        uint32_t instruction = session_add_instruction(session, text->function, text->pc_offset);

        if (instruction != NONE)
            session_set_instruction(session, instruction,
                                    session_add_code_text(session, bytes, strlen(bytes)), 0, 0);
    }
    texts_free(texts);
}

static uint32_t find_function(const struct texts *texts, const char *name)
{
    for (uint32_t i = 0; i < texts->function_count; i++) {
        const struct function_row *row = session_function(texts->session, i);

        if (texts->wanted[i] && row->module == texts->module &&
            strcmp(session_string(texts->session, row->mangled), name) == 0)
            return i;
    }
    return NONE;
}

static bool make_room(struct texts *texts, size_t length)
{
    return array_grow(texts->list, texts->room, texts->count, 1) &&
           array_grow(texts->bytes, texts->size_bytes, texts->used, length);
}

static void text_take(void *user, const char *function, uint32_t pc_offset, const char *text)
{
    struct texts *texts = user;
    size_t length = strlen(text) + 1;

    if (strcmp(texts->name, function) != 0) {
        memcpy(texts->name, function, strlen(function) + 1);
        texts->function = find_function(texts, function);
    }
    if (texts->function == NONE || texts->full ||
        pc_offset >= session_function(texts->session, texts->function)->size_bytes)
        return;
    texts->full = !make_room(texts, length);
    if (texts->full)
        return;
    memcpy(texts->bytes + texts->used, text, length);
    texts->list[texts->count++] =
        (struct text){.function = texts->function, .pc_offset = pc_offset, .text = texts->used};
    texts->used += length;
}

/* Functions with a cubin but without text, to be freed by the caller. NULL: none, or no memory. */
static bool *wanted_functions(const struct session *session, uint32_t count)
{
    bool *wanted = calloc(count ? count : 1, sizeof *wanted), any = false;

    for (uint32_t i = 0; wanted && i < count; i++)
        wanted[i] = session_function(session, i)->cubin != 0;
    for (uint32_t i = 0; wanted && i < session_instruction_count(session); i++) {
        const struct instruction_row *row = session_instruction(session, i);

        if (row->function < count && atomic_load_explicit(&row->text, memory_order_acquire))
            wanted[row->function] = false;
    }
    for (uint32_t i = 0; wanted && i < count; i++)
        any |= wanted[i];
    if (!any) {
        free(wanted);
        return NULL;
    }
    return wanted;
}

static enum status read_cubin(const struct session *session, struct collector *collector,
                              const char *disassembler, uint32_t function, const bool *wanted, uint32_t count,
                              struct error *error)
{
    const struct function_row *row = session_function(session, function);
    const char *socket = collector_socket_path(collector), *name = session_string(session, row->cubin);
    char path[PATH_BYTES];
    struct texts *texts;

    if (strchr(name, '/') || !*name)
        return error_set(error, STATUS_FORMAT, "The file of a kernel's machine code has the name %s.", name);
    snprintf(path, sizeof path, "%.*s/%s", (int)(strrchr(socket, '/') - socket), socket, name);
    texts = calloc(1, sizeof *texts);
    if (!texts)
        return error_no_memory(error, "for the text of machine code");
    texts->session = session;
    texts->wanted = wanted;
    texts->function_count = count;
    texts->module = row->module;
    texts->function = NONE;
    enum status status = disassemble(disassembler, path, text_take, texts, error);
    if (status == STATUS_OK && texts->count > 0)
        collector_write(collector, write_texts, texts);
    else
        texts_free(texts);
    return status;
}

/* Failures are reported in one notice; the caller keeps *told. `ended` is called before each cubin: true
 * skips the remaining ones. */
static void code_texts_add(const struct session *session, struct collector *collector,
                           bool (*ended)(void *context), void *context, bool *told)
{
    uint32_t count = session_function_count(session);
    bool *wanted = wanted_functions(session, count);
    time_t end = time(NULL) + CODE_TEXTS_SECONDS;
    char disassembler[PATH_BYTES];
    struct error error;

    if (!wanted)
        return;
    enum status status = disassembler_find(disassembler, &error);
    for (uint32_t i = 0; i < count && status != STATUS_UNSUPPORTED && time(NULL) < end; i++) {
        if (!wanted[i])
            continue;
        if (ended(context))
            break;
        enum status its = read_cubin(session, collector, disassembler, i, wanted, count, &error);

        status = its ? its : status;
        for (uint32_t k = i; k < count; k++) /* the others of this cubin are done too */
            wanted[k] &= session_function(session, k)->module != session_function(session, i)->module;
    }
    if (status != STATUS_OK && !*told) {
        *told = true;
        collector_notice(collector, SEVERITY_INFO, error.text);
    }
    free(wanted);
}

/* ---- the rest ---- */
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

/* The compiler of a user's kernels can be stopped as a step can. */
static void compiler_runs(void *context, struct launch *launch)
{
    struct live *live = context;

    pthread_mutex_lock(&live->mutex);
    live->current[0] = launch;
    if (launch && (live->ending || live->stopping))
        launch_stop(launch);
    pthread_mutex_unlock(&live->mutex);
    atomic_store(&live->child[0], launch ? (int)launch_pid(launch) : 0);
    if (launch && atomic_load(&live->interrupted) != 0)
        live_interrupt(live, atomic_load(&live->interrupted));
}

/* Below 90 there is a GPU that does not run what is compiled for 90. */
static unsigned architecture_of(const struct live *live)
{
    const uint32_t capability = live->choice->gpu ? live->choice->looked.info.compute_capability : 0;

    return capability >= 75 && capability < 90 ? capability : 0;
}

static enum status make_own(struct live *live, struct request *request, struct error *error)
{
    char folder[PATH_BYTES];
    const char *socket = collector_socket_path(live->collector);
    const struct own_options options = {.path = request->own,
                                        .folder = folder,
                                        .texts = request->texts,
                                        .text_count = request->count,
                                        .architecture = architecture_of(live),
                                        .running = compiler_runs,
                                        .context = live};

    struct own_kernel *made = calloc(1, sizeof *made);
    const int64_t begun_ns = clock_monotonic_ns();

    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(socket, '/') - socket), socket);
    pthread_mutex_lock(&live->mutex);
    live->own.compiling = true;
    if (!made || !array_grow(live->owns, live->own_room, live->own_count, 1)) {
        free(made);
        made = NULL;
    }
    pthread_mutex_unlock(&live->mutex);
    if (!made)
        return error_no_memory(error, "to compile %.200s", request->own);
    enum status status = own_kernel_make(&options, made, error);
    pthread_mutex_lock(&live->mutex);
    live->owns[live->own_count++] = made;
    live->own = (struct live_own){.number = live->own.number + 1,
                                  .compile_s = 1e-9 * (double)(clock_monotonic_ns() - begun_ns),
                                  .error = status == STATUS_OK ? (struct error){0} : *error,
                                  .kernel = *made};
    pthread_mutex_unlock(&live->mutex);
    request->made = made;
    return status;
}

void live_own(struct live *live, struct live_own *own)
{
    pthread_mutex_lock(&live->mutex);
    *own = live->own;
    pthread_mutex_unlock(&live->mutex);
}

bool live_own_find(struct live *live, const char *label, struct own_kernel *kernel)
{
    bool found = false;

    pthread_mutex_lock(&live->mutex);
    for (size_t i = live->own_count; i-- > 0 && !found;) {
        found = strcmp(live->owns[i]->label, label) == 0;
        if (found)
            *kernel = *live->owns[i];
    }
    pthread_mutex_unlock(&live->mutex);
    return found;
}

void live_discard_owns(struct live *live)
{
    for (size_t i = 0; i < live->own_count; i++) {
        own_kernel_discard(live->owns[i]);
        free(live->owns[i]);
    }
    free(live->owns);
    live->owns = NULL;
    live->own_count = 0;
}

static void run_steps(struct live *live, struct request *request)
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

        struct memory_watch *watch = plan[i].mode == RUN_LINES ? memory_watch_start() : NULL;
        const char *why;

        if (plan[i].mode == RUN_LINES && request->program && i > 0)
            live_tell_progress(
                live, "sampling the program, then counting up to %u kernels in a run each: about %.1f s each",
                live->options->line_kernels ? live->options->line_kernels : LINE_RUNS_PROGRAM,
                1e-9 * (double)live->child_ns);
        go_on = live_run_step(live, request, &plan[i], NULL, step, &error);
        if (go_on && plan[i].mode == RUN_LINES && request->program && !live_is_ending(live) &&
            session_run_count(live->session) > first_run && /* it used a GPU */
            !failed_since(live->session, first_notice) &&
            line_runs_samples(live->session, first_run) < LINE_RUNS_FEW) {
            const struct step_plan finer = {.mode = RUN_LINES, .period = LINE_RUNS_FINE};

            go_on = live_run_step(live, request, &finer, NULL, step, &error);
        }
        if (go_on && plan[i].mode == RUN_LINES)
            count_line_kernels(live, request, first_run, watch, &error);
        else
            memory_watch_stop(watch, 1, &why);
        if (plan[i].mode == RUN_LINES)
            code_texts_add(live->session, live->collector, has_ended, live, &live->told_texts);
    }
    if (error.status != STATUS_OK)
        live_fail(live, &error, EXIT_FAILED);
    free(step);
}

void live_run_request(struct live *live, struct request *request)
{
    struct error error = {0};
    enum status status = request->own ? make_own(live, request, &error) : STATUS_OK;

    if (status == STATUS_OK)
        run_steps(live, request);
    else if (!live_is_ending(live) && !request->edited)
        live_fail(live, &error, status == STATUS_USAGE || status == STATUS_CHECK ? EXIT_CHECK : EXIT_FAILED);
}

/* ---- names of planned runs ---- */
/*
 * names is NULL if there was no memory for one of them. A name has the parameters whose values differ between
 * the cases of its variant.
 */

static bool is_same_variant(const struct workload_case *a, const struct workload_case *b)
{
    return a->workload == b->workload && a->variant == b->variant;
}

/* Does the parameter differ between the cases of this variant? */
static bool has_values(const struct workload_case *cases, size_t count, const struct workload_case *of,
                       size_t param)
{
    for (size_t i = 0; i < count; i++)
        if (is_same_variant(&cases[i], of) && cases[i].params.value[param] != of->params.value[param])
            return true;
    return false;
}

static void print_name(const struct workload_case *cases, size_t count, const struct workload_case *of,
                       char text[PLANNED_NAME_BYTES])
{
    const char *before = " ";
    size_t used = 0;

    append_text(text, PLANNED_NAME_BYTES, &used, "%s:%s", of->workload->name, of->variant->name);
    for (size_t p = 0; p < of->workload->param_count; p++) {
        if (!has_values(cases, count, of, p))
            continue;
        append_text(text, PLANNED_NAME_BYTES, &used, "%s%s=%" PRId64, before, of->workload->params[p].name,
                    of->params.value[p]);
        before = ",";
    }
}

void planned_runs_add(struct planned_runs *planned, const struct workload_case *cases, size_t count)
{
    bool all = planned->count == 0 || planned->names;
    char(*names)[PLANNED_NAME_BYTES] =
        all ? reallocarray(planned->names, planned->count + count, sizeof *names) : NULL;

    if (!names)
        free(planned->names);
    planned->names = names;
    for (size_t i = 0; i < count && names; i++)
        print_name(cases, count, &cases[i], names[planned->count + i]);
    planned->count += count;
}

void planned_runs_fini(struct planned_runs *planned)
{
    free(planned->names);
    *planned = (struct planned_runs){0};
}
