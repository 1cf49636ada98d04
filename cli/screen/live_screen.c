/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The live screen: a live session drawn while it runs. It records into the state folder; a clean end deletes
 * that file unless it was kept.
 *
 * With `lanescope present` a lesson's lines are checked before its first step: its runs and its recordings
 * (docs/present.md); --write-steps writes a lesson. Recordings that a lesson opens are shown one at a time in
 * place of the live session. They are loaded in slices on the screen's thread, whole, and stay until the end,
 * since the screen may still hold one that is no longer shown. A recording is found again by its path, and
 * not loaded a second time.
 */
#include "cli/machine/health.h"
#include "cli/machine/nvml.h"
#include "cli/model/model_counts.h"
#include "cli/model/model_job.h"
#include "cli/options/commands.h"
#include "cli/options/terminal.h"
#include "cli/process/launch.h"
#include "cli/process/paths.h"
#include "cli/run/live.h"
#include "cli/run/record.h"
#include "cli/run/signals.h"
#include "cli/screen/own_screen.h"
#include "cli/screen/screen_job.h"
#include "cli/screen/workload_table.h"
#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/run_params.h"
#include "core/recording/readback/readback.h"
#include "core/recording/recording.h"
#include "tui/frame/lesson_script.h"
#include "tui/tui.h"
#include "workloads/frame/texts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct opened_recording {
    char *path;
    struct session *session;
    struct loader *loader;
    bool done;
};

struct opened { /* all zeros: none */
    struct opened_recording *list;
    size_t count, room, shown; /* shown: from 1; 0: none */
    struct error error;        /* of loading */
};

#define ROWS_PER_SLICE 20000

static void opened_fini(struct opened *opened)
{
    for (size_t i = 0; i < opened->count; i++) {
        loader_close(opened->list[i].loader);
        session_destroy(opened->list[i].session);
        free(opened->list[i].path);
    }
    free(opened->list);
    *opened = (struct opened){0};
}

static struct opened_recording *opened_current(const struct opened *opened)
{
    return opened->shown > 0 ? &opened->list[opened->shown - 1] : NULL;
}

static enum status opened_add(struct opened *opened, const char *path, struct error *error)
{
    struct opened_recording made = {.path = strdup(path)};
    enum status status = STATUS_OK;

    if (!made.path || !array_grow(opened->list, opened->room, opened->count, 1))
        status = error_no_memory(error, "to open %.200s", path);
    if (status == STATUS_OK)
        status = loader_open(&made.loader, &made.session, path, error);
    if (status != STATUS_OK) {
        free(made.path);
        return status;
    }
    opened->list[opened->count++] = made;
    return STATUS_OK;
}

/* path NULL: none is shown. */
static enum status opened_show(struct opened *opened, const char *path, struct error *error)
{
    opened->shown = 0;
    opened->error = (struct error){0};
    for (size_t i = 0; path && i < opened->count; i++)
        if (strcmp(opened->list[i].path, path) == 0)
            opened->shown = i + 1;
    if (!path || opened->shown > 0)
        return STATUS_OK;
    enum status status = opened_add(opened, path, error);

    if (status == STATUS_OK)
        opened->shown = opened->count;
    return status;
}

/* NULL: none is shown */
static struct session *opened_session(const struct opened *opened)
{
    return opened->shown > 0 ? opened_current(opened)->session : NULL;
}

/* Loads a slice of the one shown. False: there is nothing to load. */
static bool opened_work(struct opened *opened)
{
    struct opened_recording *current = opened_current(opened);

    if (!current || current->done)
        return false;
    if (loader_step(current->loader, ROWS_PER_SLICE, &current->done, &opened->error) != STATUS_OK)
        current->done = true;
    return true;
}

static bool opened_loading(const struct opened *opened, double *progress)
{
    const struct opened_recording *current = opened_current(opened);

    *progress = current ? loader_progress(current->loader) : 1;
    return current && !current->done;
}

/* The path of a recording that a line `open FILE` of this lesson names: FILE is beside the lesson, unless it
 * begins with '/'. STATUS_USAGE: it is too long. */
static enum status lesson_file_path(const char *lesson, const char *file, char *path, size_t size_bytes,
                                    struct error *error)
{
    const char *slash = strrchr(lesson, '/');
    int folder = slash && *file != '/' ? (int)(slash + 1 - lesson) : 0;

    if ((size_t)snprintf(path, size_bytes, "%.*s%s", folder, lesson, file) >= size_bytes)
        return error_set(error, STATUS_USAGE, "The path of %.200s is too long.", file);
    return STATUS_OK;
}

static enum status check_recording(const char *lesson, const char *file, struct error *error)
{
    char path[PATH_BYTES];
    struct session *session = NULL;
    struct loader *loader = NULL;
    enum status status = lesson_file_path(lesson, file, path, sizeof path, error);

    if (status == STATUS_OK)
        status = loader_open(&loader, &session, path, error);
    if (status == STATUS_OK) {
        loader_close(loader);
        session_destroy(session);
    }
    return status;
}

static enum status check_line(const char *path, const struct lesson_line *line, struct error *error)
{
    char *spec = (char *)(uintptr_t)line->text;

    switch (line->kind) {
    case LESSON_RUN: return live_check_workloads(&spec, 1, error);
    case LESSON_OPEN: return check_recording(path, line->text, error);
    case LESSON_PREDICT: return lesson_prediction_check(line->text, error);
    default: return STATUS_OK;
    }
}

static enum status check_lines(const char *path, const struct lesson_script *script, struct error *error)
{
    for (size_t i = 0; i < script->line_count; i++) {
        struct error why = {0};

        if (check_line(path, &script->lines[i], &why) != STATUS_OK)
            return error_set(error, STATUS_USAGE, "%.200s:%u: %.400s", path, script->lines[i].number,
                             why.text);
    }
    return STATUS_OK;
}

/* Reads a .lesson file, or a bundled syllabus by its name, and checks that what its steps run can be run and
 * what they open can be opened; the message has file and line. Free
 * with lesson_script_free. */
static enum status lesson_file_read(const char *path, struct lesson_script *script, struct error *error)
{
    char *text, bundled[128];
    size_t size_bytes;
    enum status status;

    *script = (struct lesson_script){0};
    snprintf(bundled, sizeof bundled, "docs/syllabi/%.80s.lesson", path);
    const struct text_file *syllabus = text_find(bundled);

    if (syllabus) {
        status = lesson_script_read(script, path, syllabus->text, strlen(syllabus->text), error);
        if (status == STATUS_OK && (status = check_lines(path, script, error)) != STATUS_OK)
            lesson_script_free(script);
        return status;
    }
    if (access(path, F_OK) < 0)
        return error_set_errno(
            error, STATUS_IO, errno,
            "Cannot open the lesson %.300s; name a file of steps, such as "
            "docs/coalescing.lesson (docs/present.md, or --write-steps, makes one), or a syllabus: "
            "guide, fermi, course, slides, article",
            path);
    status = file_read(path, LESSON_SCRIPT_BYTES_MAX, &text, &size_bytes, error);
    if (status != STATUS_OK)
        return status;
    status = lesson_script_read(script, path, text, size_bytes, error);
    if (status == STATUS_OK && (status = check_lines(path, script, error)) != STATUS_OK)
        lesson_script_free(script);
    free(text);
    return status;
}

/* Creates the file that a session's steps are written to; a file of that name is not replaced. */
static enum status lesson_file_create(const char *path, FILE **file, struct error *error)
{
    int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);

    *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!*file) {
        error_set_errno(error, STATUS_IO, errno, "Cannot write the steps of the session to %.300s", path);
        if (fd >= 0)
            close(fd);
        return STATUS_IO;
    }
    fputs("# Written by lanescope --write-steps; docs/present.md explains the lines.\n"
          "title A session of lanescope\n",
          *file);
    return STATUS_OK;
}

/* Closes it; NULL is fine. A failure of any write before is reported here. */
static enum status lesson_file_close(const char *path, FILE *file, struct error *error)
{
    if (!file)
        return STATUS_OK;
    bool failed = ferror(file) != 0;

    if (fclose(file) != 0 || failed)
        return error_set(error, STATUS_IO, "Writing the steps to %.300s failed: is the disk full?", path);
    return STATUS_OK;
}

#define RUN_OPTIONS_BYTES 600
#define LAUNCH_SHOWN_NS NS_PER_S /* the progress of shorter launches is not shown */

struct live_screen {
    struct live *live;
    struct device_choice choice;
    bool full_size; /* of what is run next */
    const struct options *options;
    struct health *health;            /* NULL: nothing runs on a GPU here */
    struct device_description device; /* the device that work will run on, if known */
    struct workload_table workloads;
    struct lesson_script script; /* of `present` */
    struct opened opened;        /* by its steps */
    FILE *steps;                 /* --write-steps */
    struct model_job *job;       /* counts for the source and the lane map */
    struct sheet_job sheet_job;
    struct what_if_job what_if_job, path_job;
    struct verdict_job verdict_job;
    struct own_screen *own; /* NULL: nothing is run here but a program */
    char recording[PATH_BYTES], keep[PATH_BYTES];
    char title[128], run_options[RUN_OPTIONS_BYTES];
};

static struct session *screen_session(void *context)
{
    const struct live_screen *screen = context;
    struct session *opened = opened_session(&screen->opened);

    return opened ? opened : live_session(screen->live);
}

static void screen_state(void *context, struct tui_host_state *state)
{
    struct live_screen *screen = context;
    struct live_state live;
    struct recorder_state recorder;
    struct error error;
    double progress;

    if (opened_session(&screen->opened)) {
        bool loading = opened_loading(&screen->opened, &progress);

        *state = (struct tui_host_state){.overhead_pct = -1, .loading = loading, .progress = progress};
        if (screen->opened.error.status != STATUS_OK) {
            state->severity = SEVERITY_ERROR;
            snprintf(state->text, sizeof state->text, "%.150s", screen->opened.error.text);
        }
        return;
    }
    live_state(screen->live, &live);
    live_recorder_state(screen->live, &recorder);
    live_error(screen->live, &error);
    *state = (struct tui_host_state){
        .live = live_busy(screen->live),
        .run = live.run,
        .planned = live.planned,
        .launching = !live.launch.over && live.launch.elapsed_ns >= LAUNCH_SHOWN_NS,
        .launch = live.launch,
        .dropped = live.dropped,
        .overhead_pct = live.overhead_pct,
        .lag_rows = recorder.lag_rows,
        .readings = health_readings(screen->health),
    };
    memcpy(state->kernel, live.kernel, sizeof state->kernel);
    if (screen->own)
        state->watching = own_screen_watches(screen->own, &state->saves);
    if (recorder.failed)
        error = recorder.error;
    if (error.status != STATUS_OK) {
        state->severity = SEVERITY_ERROR;
        snprintf(state->text, sizeof state->text, "%.*s", (int)sizeof state->text - 1, error.text);
    } else if (live.running) {
        snprintf(state->text, sizeof state->text, "%s", live.text);
    } else if (recorder.note[0]) {
        snprintf(state->text, sizeof state->text, "%.*s", (int)sizeof state->text - 1, recorder.note);
    } else if (screen->keep[0]) {
        snprintf(state->text, sizeof state->text, "will be saved as %.120s", screen->keep);
    }
}

static void screen_planned(void *context, uint32_t number, char *text, size_t size_bytes)
{
    live_planned_name(((struct live_screen *)context)->live, number, text, size_bytes);
}

static void screen_health(void *context, const uint8_t uuid[16], struct device_health *reading)
{
    health_ask(((struct live_screen *)context)->health, uuid, reading);
}

/* The device that work will run on, and its state, as far as known before a run. */
static void know_device(struct live_screen *screen, struct tui_host *host)
{
    if (screen->choice.gpu) {
        screen->health = health_create(NVML_LIBRARY);
        host->health = screen_health;
        screen->device = screen->choice.looked;
    } else if (screen->choice.model) {
        screen->device.info = screen->choice.model->info;
    }
    if (screen->device.info.name[0])
        host->device = &screen->device;
}

static enum status screen_run(void *context, const char *spec, struct error *error)
{
    struct live_screen *screen = context;
    char *text = (char *)spec;

    opened_show(&screen->opened, NULL, NULL); /* what runs is in the live session */
    return live_run_workloads(screen->live, &text, 1, !screen->full_size, error);
}

static bool screen_stop(void *context)
{
    return live_stop_current(((struct live_screen *)context)->live);
}

static enum status screen_attach(void *context, struct error *error)
{
    return live_attach(((struct live_screen *)context)->live, error);
}

static enum status screen_run_lines(void *context, const char *spec, struct error *error)
{
    const struct live_screen *screen = context;

    return live_run_lines(screen->live, spec, error);
}

static enum status screen_check(void *context, const char *spec, struct error *error)
{
    char *text = (char *)spec;

    (void)context;
    return live_check_workloads(&text, 1, error);
}

static enum status screen_source(void *context, const struct tui_source_query *query,
                                 struct tui_source *source, struct error *error)
{
    const struct live_screen *screen = context;
    const struct model_own *own = NULL;
    struct run_param param;
    char label[OWN_LABEL_BYTES] = "";

    if (run_param_find(query->params, RUN_PARAM_KERNEL, &param))
        snprintf(label, sizeof label, "%.*s", param.value_length, param.value);
    enum status status = own_screen_case(screen->own, label, &own, error);
    return status != STATUS_OK         ? status
           : query->background && !own ? model_job_source(screen->job, query, source, error)
                                       : line_costs_make(own, query, NULL, source, error);
}

static enum status screen_accesses(void *context, const struct tui_access_query *query,
                                   struct tui_accesses *accesses, struct error *error)
{
    const struct live_screen *screen = context;
    const struct model_own *own = NULL;
    enum status status = own_screen_case(screen->own, query->own ? query->own : "", &own, error);

    if (status != STATUS_OK)
        return status;
    return query->stated && !own ? lane_sites_make(screen->choice.model, query, accesses, error)
           : query->background && !own
               ? model_job_accesses(screen->job, query, accesses, error)
               : lane_accesses_make(screen->choice.model, own, query, NULL, accesses, error);
}

static void screen_stop_counting(void *context)
{
    model_job_stop(((struct live_screen *)context)->job);
}

static enum status screen_sheet_rows(void *context, const struct sheet *sheet, struct sheet_kept *kept,
                                     bool *made, struct error *error)
{
    struct live_screen *screen = context;

    return sheet_job_rows(&screen->sheet_job, screen_session(context), sheet, kept, made, error);
}

static void screen_stop_sheet(void *context)
{
    sheet_job_stop(&((struct live_screen *)context)->sheet_job);
}

static enum status screen_what_if(void *context, const struct tui_what_if_question *question,
                                  struct tui_what_if_answer *answer, bool *made, struct error *error)
{
    struct live_screen *screen = context;

    struct what_if_job *job = question->kind == TUI_WHAT_IF_PATH ? &screen->path_job : &screen->what_if_job;
    return what_if_job_ask(job, screen_session(context), question, answer, made, error);
}

static void screen_stop_what_if(void *context)
{
    what_if_job_stop(&((struct live_screen *)context)->what_if_job);
}

static void screen_stop_path(void *context)
{
    what_if_job_stop(&((struct live_screen *)context)->path_job);
}

static const struct run_verdict_share *screen_judge(void *context, uint32_t run, bool *done)
{
    struct live_screen *screen = context;
    return verdict_job_judge(&screen->verdict_job, screen_session(context), run, done);
}

static void screen_stop_judging(void *context)
{
    verdict_job_stop(&((struct live_screen *)context)->verdict_job);
}

/* ---- the user's own kernels ---- */
static bool screen_work(void *context)
{
    struct live_screen *screen = context;
    bool loaded = opened_work(&screen->opened);

    return own_screen_work(screen->own) || loaded;
}

static enum status screen_open_recording(void *context, const char *file, struct error *error)
{
    struct live_screen *screen = context;
    char path[PATH_BYTES];
    enum status status =
        file ? lesson_file_path(screen->options->file, file, path, sizeof path, error) : STATUS_OK;

    return status == STATUS_OK ? opened_show(&screen->opened, file ? path : NULL, error) : status;
}

static enum status own_open(void *context, const char *workload, const char *exercise, struct error *error)
{
    return own_screen_open(((struct live_screen *)context)->own, workload, exercise, error);
}

static enum status own_edit(void *context, struct error *error)
{
    return own_screen_edit(((struct live_screen *)context)->own, error);
}

static bool own_saved(void *context)
{
    return own_screen_saved(((struct live_screen *)context)->own);
}

static enum status own_run(void *context, const char *spec, struct error *error)
{
    return own_screen_run(((struct live_screen *)context)->own, spec, error);
}

static void own_state(void *context, struct tui_own *state)
{
    own_screen_state(((struct live_screen *)context)->own, state);
}

static const char *own_hint(void *context, uint32_t run)
{
    struct live_screen *screen = context;

    return own_screen_hint(screen->own, screen_session(context), run);
}

static double own_share(void *context, uint32_t run, size_t goal)
{
    const struct live_screen *screen = context;

    return own_screen_share(screen->own, screen_session(context), run, goal);
}

static const struct tui_own_host own_host = {.open = own_open,
                                             .edit = own_edit,
                                             .saved = own_saved,
                                             .run = own_run,
                                             .state = own_state,
                                             .hint = own_hint,
                                             .share = own_share};

/* The GPU of a run: the modelled one of its name, else the screen's. */
static const char *model_of_run(const struct live_screen *screen, const struct session *session,
                                const struct run_row *run)
{
    const struct gpu *gpu =
        run && run->device != NONE ? gpu_find(session_device(session, run->device)->info.name) : NULL;

    return gpu ? gpu->id : screen->choice.model ? screen->choice.model->id : gpu_at(0)->id;
}

/* lanescope debug, in a process of its own: what it forks is no part of this screen. */
static enum status screen_step(void *context, const char *spec, uint32_t run_index, uint32_t line,
                               struct error *error)
{
    struct live_screen *screen = context;
    const struct session *session = screen_session(context);
    const struct run_row *run = run_index != NONE ? session_run(session, run_index) : NULL;
    const char *params = run ? session_string(session, run->params) : "";
    char program[PATH_BYTES], number[16], model[80], rules[ARCH_TEXT_BYTES], label[OWN_LABEL_BYTES];
    char *argv[16] = {
        program, (char *)"debug", (char *)(uintptr_t)spec, (char *)"--at", number, (char *)"--model", model};
    size_t count = 7;
    struct run_param param;
    struct own_kernel own;
    struct launch_options options = {.argv = argv, .foreground = true};
    struct launch *launch;
    int exit_status;
    enum status status = path_of_program(program, error);

    snprintf(number, sizeof number, "%" PRIu32, line);
    snprintf(model, sizeof model, "%s", model_of_run(screen, session, run));
    if (run_param_find(params, "cc", &param)) {
        snprintf(rules, sizeof rules, "%.*s", param.value_length, param.value);
        argv[count++] = (char *)"--cc";
        argv[count++] = rules;
    }
    if (run_param_find(params, "merge", &param))
        argv[count++] = (char *)"--no-merge";
    if (run_param_find(params, RUN_PARAM_KERNEL, &param)) {
        snprintf(label, sizeof label, "%.*s", param.value_length, param.value);
        if (!live_own_find(screen->live, label, &own))
            return error_set(error, STATUS_STATE,
                             "The kernels of %.80s are not of this session: lanescope debug --kernel "
                             "FILE.cu %.200s steps them.",
                             label, spec);
        argv[count++] = (char *)"--kernel";
        argv[count++] = own.source;
    }
    if (status == STATUS_OK)
        status = launch_start(&launch, &options, &exit_status, error);
    if (status != STATUS_OK)
        return status;
    exit_status = launch_wait(launch, NULL);
    launch_destroy(launch);
    return exit_status == EXIT_FINE
               ? STATUS_OK
               : error_set(error, STATUS_STATE,
                           "The debugger ended with status %d: lanescope debug %s says why.", exit_status,
                           spec);
}

static bool screen_burst(void *context)
{
    return live_burst(((struct live_screen *)context)->live);
}

static enum status screen_keep(void *context, const char *path, struct error *error)
{
    struct live_screen *screen = context;
    char expanded[PATH_BYTES];
    enum status status = path_expand(path, expanded, error);
    int fd;

    if (status != STATUS_OK)
        return status;
    fd = open(expanded, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (fd < 0)
        return error_set_errno(error, STATUS_IO, errno, "Cannot save the recording as %.300s", expanded);
    close(fd);
    memcpy(screen->keep, expanded, sizeof expanded);
    return STATUS_OK;
}

static enum status keep_or_delete(const struct live_screen *screen, struct error *error)
{
    if (!screen->keep[0]) {
        unlink(screen->recording);
        return STATUS_OK;
    }
    return file_move(screen->recording, screen->keep, error);
}

/* The user left the screen while a program still runs: it runs on, as it would without us, unless a signal
 * asked both to end. */
static void wait_for_program(struct live_screen *screen)
{
    if (!screen->options->program || !live_busy(screen->live) || tui_ending_signal() != 0)
        return;
    signals_forward_to(screen->live); /* installed before the message that Ctrl-C ends it */
    fprintf(stderr, "lanescope: %s is still running; Ctrl-C ends it.\n", screen->options->program[0]);
    while (live_busy(screen->live)) {
        clock_pause(50 * NS_PER_MS);
        if (signals_asked_to_end())
            live_stop_children(screen->live);
    }
    signals_forward_to(NULL);
}

static enum status live_screen_draw(struct live_screen *screen, const struct tui_host *host,
                                    struct error *error)
{
    struct tui_options look = terminal_options(screen->options);

    if (!screen->options->snapshot)
        return tui_run(host, &look, error);
    while (live_busy(screen->live))
        clock_pause(10 * NS_PER_MS);
    return terminal_snapshot(host, screen->options, error);
}

static enum status screen_begin(struct live_screen *screen, struct error *error)
{
    const struct options *options = screen->options;

    if (options->watch)
        return live_watch(screen->live, error);
    if (options->attached)
        return live_attach(screen->live, error);
    if (options->program)
        return live_run_program(screen->live, options->program, error);
    if (options->all || options->workload_count)
        return live_run_workloads(screen->live, options->workloads,
                                  options->all ? 0 : options->workload_count, screen->choice.small, error);
    return STATUS_OK;
}

/* What the screen has before anything runs, and what its host can do with it. */
static enum status prepare_screen(struct live_screen *screen, struct tui_host *host, bool only_watches,
                                  struct error *error)
{
    const struct options *options = screen->options;
    options_text(options, screen->title, sizeof screen->title);
    options_run_text(options, screen->run_options, sizeof screen->run_options);
    host->run_options = screen->run_options;
    enum status status = path_of_live_recording(screen->recording, error);
    if (status == STATUS_OK && !only_watches) {
        status = workload_table_make(&screen->workloads, error);
        if (status == STATUS_OK)
            status = workload_table_add_exercises(&screen->workloads, error);
        if (status == STATUS_OK)
            status = own_screen_create(&screen->own, &screen->full_size, error);
        host->own = &own_host;
        host->work = screen_work;
        host->workloads = screen->workloads.rows;
        host->workload_count = screen->workloads.count;
    }
    if (status == STATUS_OK && options->command == COMMAND_PRESENT) {
        status = lesson_file_read(options->file, &screen->script, error);
        host->script = &screen->script;
        host->open = screen_open_recording;
    }
    if (status == STATUS_OK && options->write_steps) {
        status = lesson_file_create(options->write_steps, &screen->steps, error);
        host->steps = screen->steps;
    }
    if (status == STATUS_OK)
        status = live_check_workloads(options->workloads, options->workload_count, error);
    if (status == STATUS_OK && device_is_chosen(options))
        status = device_choose(options, &screen->choice, error);
    if (status == STATUS_OK && screen->choice.model) {
        host->model = screen->choice.gpu ? NULL : screen->choice.model->info.name;
        host->note = screen->choice.note;
        /* a GPU is fast with problems of its default size, the model with small ones */
        host->full_size = &screen->full_size;
    }
    host->stop = host->run || host->attach ? screen_stop : NULL;
    screen->full_size = !screen->choice.small;
    if (host->run && screen->own)
        host->step = screen_step;
    if (host->run && screen->choice.gpu)
        host->run_lines = screen_run_lines;
    if (status == STATUS_OK)
        know_device(screen, host);
    if (status == STATUS_OK)
        status = model_job_create(&screen->job, screen->choice.model, error);
    return status;
}

/* Takes a failure of the end over, if nothing failed before. */
static enum status first_failure(enum status status, enum status ended, const struct error *why,
                                 struct error *error)
{
    if (status == STATUS_OK && ended != STATUS_OK && error)
        *error = *why;
    return status == STATUS_OK ? ended : status;
}

/* The session ends; its recording is kept, or deleted. */
static enum status end_session(struct live_screen *screen, enum status status, int *exit_status,
                               struct error *error)
{
    const struct options *options = screen->options;
    struct error finish_error = {0};
    if (status == STATUS_OK)
        wait_for_program(screen);
    const bool stopped = live_busy(screen->live) && !options->program;
    live_stop_children(screen->live);
    live_settle(screen->live);
    *exit_status = live_exit_status(screen->live);
    if (stopped && *exit_status != EXIT_CHECK)
        *exit_status = EXIT_FINE; /* leaving the screen is no failure, but a run before may have been wrong */
    if (!options->program)
        *exit_status = exit_status_of_session(live_session(screen->live), options, *exit_status);
    live_error(screen->live, &finish_error);
    if (status == STATUS_OK && finish_error.status != STATUS_OK)
        fprintf(stderr, "lanescope: %s\n", finish_error.text);
    enum status finished = live_finish(screen->live, stdout, stderr, &finish_error);
    if (finished == STATUS_OK)
        finished = keep_or_delete(screen, &finish_error);
    return first_failure(status, finished, &finish_error, error);
}

enum status screen_live(const struct options *options, int *exit_status, struct error *error)
{
    struct live_screen screen = {.options = options, .choice = {.gpu = true}};
    struct live_options live_options = {.options = options,
                                        .choice = &screen.choice,
                                        .recording = screen.recording,
                                        .overwrite = true,
                                        .readback_bytes = readback_share(options->memory_bytes)};
    const bool only_watches = options->program || options->watch || options->attached;
    struct tui_host host = {
        .context = &screen,
        .session = screen_session,
        .state = screen_state,
        .planned = screen_planned,
        .run = only_watches ? NULL : screen_run,
        .attach = options->attached ? screen_attach : NULL,
        .check = screen_check,
        .source = screen_source,
        .accesses = screen_accesses,
        .stop_counting = screen_stop_counting,
        .sheet_at = sheet_job_at,
        .sheet_rows = screen_sheet_rows,
        .stop_sheet = screen_stop_sheet,
        .what_if = screen_what_if,
        .stop_what_if = screen_stop_what_if,
        .stop_path = screen_stop_path,
        .judge = screen_judge,
        .stop_judging = screen_stop_judging,
        .keep = screen_keep,
        .title = screen.title,
        .glossary = text_glossary(),
        .watch = options->watch,
        .burst = options->burst_ns ? screen_burst : NULL,
    };
    struct error finish_error = {0};
    enum status status, finished;

    status = prepare_screen(&screen, &host, only_watches, error);
    if (status == STATUS_OK)
        status = live_start(&screen.live, &live_options, error);
    if (status != STATUS_OK)
        goto fail;
    if (screen.own)
        own_screen_set_live(screen.own, screen.live);
    if (options->memory_bytes > 0)
        status = readback_start(&host.readback, live_session(screen.live), screen.recording,
                                live_options.readback_bytes, error);
    if (status == STATUS_OK)
        status = screen_begin(&screen, error);
    if (status == STATUS_OK)
        status = live_screen_draw(&screen, &host, error);
    readback_stop(host.readback);
    status = end_session(&screen, status, exit_status, error);
fail:
    model_job_destroy(screen.job);
    finished = lesson_file_close(options->write_steps, screen.steps, &finish_error);
    status = first_failure(status, finished, &finish_error, error);
    lesson_script_free(&screen.script);
    opened_fini(&screen.opened);
    own_screen_destroy(screen.own);
    health_destroy(screen.health);
    workload_table_free(&screen.workloads);
    return status;
}
