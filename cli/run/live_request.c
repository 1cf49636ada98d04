/* SPDX-License-Identifier: Apache-2.0 */
/* A request: each of its steps as a child, one after the other, on the thread of jobs. */
#include "cli/process/disassemble.h"
#include "cli/process/paths.h"
#include "cli/run/collect.h"
#include "cli/run/line_runs.h"
#include "cli/run/live_internal.h"
#include "core/base/append.h"
#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/session/code.h"
#include "core/session/session.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
