/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table at the end is that of the session, made while the recording is completed; if the session let events
 * leave memory, that of the file, or, where the file cannot be read, of what the session has.
 */
#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/ranks/job.h"

#include "cli/run/record.h"

#include "cli/export/export.h"
#include "cli/machine/device_choice.h"
#include "cli/options/terminal.h"
#include "cli/output/memory.h"
#include "cli/process/launch.h"
#include "cli/process/paths.h"
#include "cli/process/program_look.h"
#include "cli/report/data/report_data.h"
#include "cli/report/summary/report_summary.h"
#include "cli/run/live.h"
#include "cli/run/signals.h"
#include "cli/run/steps.h"
#include "core/wire/dormant.h"
#include "tui/terminal/text.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROGRESS_MS 100
#define LAUNCH_SHOWN_NS (2 * (int64_t)NS_PER_S)
#define SENTENCE_AFTER_NS (10 * (int64_t)NS_PER_S)

int exit_status_of_session(const struct session *session, const struct options *options, int exit_status)
{
    bool demanded = options->counters == COUNTERS_ON || options->counters == COUNTERS_LIST ||
                    options->counter_run || options->line_run;

    for (uint32_t i = 0; i < session_notice_count(session); i++) {
        const struct notice_row *notice = session_notice(session, i);

        if (notice->status == STATUS_PERMISSION && demanded && exit_status == EXIT_FINE)
            return EXIT_NO_PERMISSION;
        if (notice->status == STATUS_NO_DEVICE && !options->program)
            return EXIT_NO_DEVICE;
        if (notice->status == STATUS_CHECK && exit_status == EXIT_FINE)
            return EXIT_CHECK;
    }
    for (uint32_t i = 0; i < session_run_count(session); i++)
        if (atomic_load(&session_run(session, i)->verified) == 0 && exit_status == EXIT_FINE)
            return EXIT_CHECK;
    return exit_status;
}

/* One line: what runs, and how far it is if it runs for long. */
static void show_progress(struct live *live)
{
    struct live_state state;
    char text[480], launch[240] = "";
    int columns = terminal_columns();

    live_state(live, &state);
    if (!state.launch.over && state.launch.elapsed_ns >= LAUNCH_SHOWN_NS)
        progress_text(&state.launch, state.kernel, launch, sizeof launch);
    snprintf(text, sizeof text, "%s  %" PRIu64 " events%s%s", state.running ? state.text : "starting",
             session_event_count(live_session(live)), *launch ? "  " : "", launch);
    fprintf(stderr, "\r\033[K%.*s", columns - 1, text);
    fflush(stderr);
    if (state.planned)
        terminal_show_progress((int)(100.0 * state.run / state.planned));
}

/* Where standard error is no terminal: once, if it takes long. False: nothing runs for long just now. */
static bool say_progress(struct live *live)
{
    struct live_state state;
    char launch[240];

    live_state(live, &state);
    if (state.launch.over)
        return false;
    progress_text(&state.launch, state.kernel, launch, sizeof launch);
    fprintf(stderr, "lanescope: %s: %s\n", state.text, launch);
    return true;
}

/* program: the user's, which has the terminal. On the model its stand-in says how far it is. */
static void wait_for_end(struct live *live, bool program, struct export_events *events)
{
    const bool progress = isatty(STDERR_FILENO) && !program;
    const int64_t begun_ns = clock_monotonic_ns();
    bool said = progress || program;

    while (!live_wait_idle(live, PROGRESS_MS * (int64_t)NS_PER_MS)) {
        if (signals_asked_to_end())
            live_stop_children(live);
        if (progress)
            show_progress(live);
        if (events)
            export_events_step(events);
        if (!said && clock_monotonic_ns() - begun_ns >= SENTENCE_AFTER_NS)
            said = say_progress(live);
    }
    if (progress) {
        fputs("\r\033[K", stderr);
        terminal_show_progress(-1);
    }
}

static enum status print_table(const struct session *session, const struct options *options, const char *path,
                               struct error *error)
{
    enum status status = report_print(session, options, path, error);

    if (status == STATUS_OK && (fflush(stdout) != 0 || ferror(stdout)))
        return error_set(error, STATUS_IO,
                         "Cannot write the table to standard output; the recording is complete.");
    return status;
}

/* If there is no memory for the table, the recording is still fine. */
static int end_recorded(void *exit_status)
{
    fputs("lanescope: The recording is complete: lanescope report prints its table.\n", stderr);
    return *(const int *)exit_status;
}

/* Of the limit of memory; the rest is for the beginnings of lanes, which never lie in the file, and for what
 * the table is computed from. */
#define EVENTS_PART 16

/* Beside run.lsr run.lsd, as `lanescope gather run.lsr` makes it. That a run has no kernels is no failure. */
static enum status write_digest(const struct session *session, const char *path, struct error *error)
{
    char digest[PATH_MAX], folder[PATH_MAX];
    struct gather *gather;
    const size_t length = strlen(path), end = length > 4 && strcmp(path + length - 4, ".lsr") == 0 ? 4 : 0;
    char *whole = realpath(path, NULL);
    snprintf(folder, sizeof folder, "%s", path);
    enum status status = gather_start(&gather, dirname(folder), error);
    if ((size_t)snprintf(digest, sizeof digest, "%.*s.lsd", (int)(length - end), path) >= sizeof digest)
        status = status == STATUS_OK ? error_set(error, STATUS_USAGE, "The name %.300s is too long.", path)
                                     : status;
    if (status != STATUS_OK) {
        free(whole);
        return status;
    }
    status = digest_make(session, whole ? whole : path, gather_take, gather, error);
    if (status == STATUS_OK)
        status = gather_write(gather, digest, error);
    else if (status == STATUS_STATE) {
        fprintf(stderr, "lanescope: No digest was written. %s\n", error->text);
        *error = (struct error){0};
        status = STATUS_OK;
    }
    gather_end(gather);
    free(whole);
    return status;
}

/* Prints the table as `lanescope report` does, from the file: the live session may have evicted events. */
static enum status print_table_of_file(const char *path, const struct options *options, int *exit_status,
                                       struct error *error)
{
    struct session *session;
    memory_end_by(end_recorded, exit_status);
    int file = -1;
    char *copy = options->memory_bytes > 0 ? strdup(path) : NULL;
    array_use_folder(copy ? dirname(copy) : NULL);
    enum status status = memory_check(
        options->memory_bytes > 0
            ? recording_load_beside(&session, path, options->memory_bytes / EVENTS_PART, &file, error)
            : recording_load(&session, path, error));

    if (status == STATUS_OK) {
        status = print_table(session, options, path, error);
        if (status == STATUS_OK && options->digest)
            status = memory_check(write_digest(session, path, error));
        session_destroy(session);
    }
    if (file >= 0)
        close(file);
    array_use_folder(NULL);
    free(copy);
    memory_end_by(NULL, NULL);
    return status;
}

struct unfinished {
    struct live *live;
    const struct error *error; /* of the recording */
};

static int end_unfinished(void *context)
{
    const struct unfinished *unfinished = context;

    live_finish(unfinished->live, NULL, NULL, NULL);
    if (unfinished->error->status != STATUS_OK)
        fprintf(stderr, "lanescope: %s\n", unfinished->error->text);
    return EXIT_FAILED;
}

/* Is all that was recorded still in memory? Nothing is added any more. */
static bool is_whole(const struct session *session)
{
    for (enum clock_kind clock = 0; clock < CLOCK_COUNT; clock++)
        if (session_folded_until_ns(session, clock) != INT64_MIN ||
            session_samples_folded_until_ns(session, clock) != INT64_MIN)
            return false;
    return true;
}

/* The end of the recording, while the table is made. */
struct recording_end {
    struct live *live;
    struct error error;
    enum status status;
    bool there;
    pthread_t thread;
    int *exit_status;
};

static void *recording_end(void *context)
{
    struct recording_end *end = context;
    end->status = live_end_recording(end->live, &end->there, &end->error);
    return NULL;
}

/* There is no memory for the table: the recording is completed all the same. */
static int end_beside(void *context)
{
    struct recording_end *end = context;
    pthread_join(end->thread, NULL);
    if (end->status == STATUS_OK)
        return end_recorded(end->exit_status);
    fprintf(stderr, "lanescope: %s\n", end->error.text);
    return EXIT_FAILED;
}

/* The session was not evicted from: the table is made of it, and printed when the recording is complete. False: nothing
 * was done. */
static bool finish_whole(struct live *live, const char *path, const struct options *options, int *exit_status,
                         enum status *status, struct error *error)
{
    struct recording_end end = {.live = live, .exit_status = exit_status};
    if (!is_whole(live_session(live)) || pthread_create(&end.thread, NULL, recording_end, &end) != 0)
        return false;
    memory_end_by(end_beside, &end);
    *status = print_table(live_session(live), options, path, error);
    memory_end_by(NULL, NULL);
    pthread_join(end.thread, NULL);
    signals_forward_to(NULL); /* nothing is lost any more by ending */
    if (end.status != STATUS_OK)
        *status = error_set(error, end.status, "%s", end.error.text);
    if (*status == STATUS_OK && options->digest && end.there)
        *status = memory_check(write_digest(live_session(live), path, error));
    live_finish(live, NULL, NULL, NULL);
    return true;
}

/* Ends the live session; the table comes from the file, or, if that is incomplete or not this session's, from
 * what memory still has. */
static enum status finish_with_table(struct live *live, const char *path, const struct options *options,
                                     int *exit_status, struct error *error)
{
    struct unfinished unfinished = {live, error};
    struct error unprinted;
    bool there;

    signals_end_finishing();
    enum status status;
    if (finish_whole(live, path, options, exit_status, &status, error))
        return status;
    status = live_end_recording(live, &there, error);
    signals_forward_to(NULL); /* nothing is lost any more by ending */
    memory_end_by(end_unfinished, &unfinished);
    if (status != STATUS_OK)
        print_table(live_session(live), options, path, &unprinted);
    else if (!there)
        status = print_table(live_session(live), options, path, error);
    memory_end_by(NULL, NULL);
    live_finish(live, NULL, NULL, NULL);
    return there ? print_table_of_file(path, options, exit_status, error) : status;
}

/* The line of the user's file that its compiler refused, and the caret below it. */
static void print_refused_line(struct live *live)
{
    struct live_own own;
    char *lines = own.kernel.diagnostics.source, *line;

    live_own(live, &own);
    if (own.error.status == STATUS_OK)
        return;
    while ((line = strsep(&lines, "\n")) && *line) {
        fputs(REFUSED_INDENT, stderr);
        text_print(line, stderr);
        putc('\n', stderr);
    }
}

/* ---- a dormant program ---- */

enum status dormant_run(const struct options *options, int *exit_status, struct error *error)
{
    char folder[PATH_BYTES];
    struct step *step = calloc(1, sizeof *step);
    const struct step_plan plan = {.mode = RUN_TRACE, .model = strcmp(options->device, "simt") == 0};
    enum status status = step ? dormant_folder(folder, sizeof folder, error)
                              : error_no_memory(error, "to start %.200s", options->program[0]);

    if (status == STATUS_OK && plan.model)
        status = program_check_tool(options->program[0], error);
    if (status == STATUS_OK)
        status = step_prepare(step, options, &plan, false, NULL, error);
    if (status == STATUS_OK && step->untraced.status != STATUS_OK)
        status = error_set(error, step->untraced.status, "%s", step->untraced.text);
    if (status == STATUS_OK) {
        step_add_variable(step, DORMANT_VARIABLE, folder);
        status = launch_replace(options->program, step->variables, exit_status, error);
    }
    free(step);
    return status;
}

/* A run in which --check looked at no kernel is not clean. That a program launches none is no failure: it may skip what
 * needs a GPU, and its copies were checked; that it launches kernels and a pattern leaves all of them out is one. */
static void tell_unchecked(const struct session *session, int *exit_status)
{
    unsigned long checked, launched;

    report_checked_kernels(session, &checked, &launched);
    if (checked > 0)
        return;
    fprintf(stderr, "lanescope: No kernel was checked: %s.\n",
            launched > 0 ? "--check=GLOB names none of those that were launched"
                         : "none was launched on the device model");
    if (launched > 0 && *exit_status == EXIT_FINE)
        *exit_status = EXIT_FAILED;
}

enum status record_run(const struct options *options, int *exit_status, struct error *error)
{
    char path[PATH_BYTES];
    struct device_choice choice = {.gpu = true};
    struct live_options live_options = {
        .options = options, .choice = &choice, .recording = path, .overwrite = true, .foreground = true};
    struct live *live = NULL;
    struct recorder_state recorder;
    struct error failure;
    FILE *stream = NULL;
    enum status status = path_expand(options->record, path, error);

    *exit_status = EXIT_FAILED;
    if (status == STATUS_OK)
        status = live_check_workloads(options->workloads, options->workload_count, error);
    if (status == STATUS_OK && device_is_chosen(options))
        status = device_choose(options, &choice, error);
    if (status == STATUS_OK && choice.note[0])
        fprintf(stderr, "lanescope: %s%s%s\n", choice.why, choice.why[0] ? " " : "", choice.note);
    if (status == STATUS_OK && options->events && !(stream = fopen(options->events, "we")))
        status = error_set_errno(error, STATUS_IO, errno, "The events cannot be written to %.300s",
                                 options->events);
    if (status == STATUS_OK)
        status = live_start(&live, &live_options, error);
    if (status != STATUS_OK) {
        if (stream)
            fclose(stream);
        return status;
    }
    signals_forward_to(live);
    if (options->watch)
        status = live_watch(live, error);
    else if (options->attached)
        status = live_attach(live, error);
    else if (options->program)
        status = live_run_program(live, options->program, error);
    else
        status = live_run_workloads(live, options->workloads, options->all ? 0 : options->workload_count,
                                    choice.small, error);
    if (status != STATUS_OK) {
        signals_forward_to(NULL);
        live_finish(live, NULL, NULL, NULL);
        if (stream)
            fclose(stream);
        return status;
    }
    struct export_events *events = stream ? export_events_begin(live_session(live), stream) : NULL;
    wait_for_end(live, options->program != NULL, events);
    *exit_status = live_exit_status(live);
    live_settle(live);
    if (events)
        export_events_end(events);
    if (stream && fclose(stream) != 0)
        fprintf(stderr, "lanescope: Not all events could be written to %s; the recording has them.\n",
                options->events);
    live_error(live, &failure);
    if (options->attached && failure.status != STATUS_OK) { /* there is nothing to print */
        signals_forward_to(NULL);
        live_finish(live, NULL, NULL, NULL);
        *error = failure;
        return failure.status;
    }
    if (!options->program)
        *exit_status = exit_status_of_session(live_session(live), options, *exit_status);
    if (options->program && options->check)
        tell_unchecked(live_session(live), exit_status);
    live_error(live, &failure);
    if (failure.status != STATUS_OK)
        fprintf(stderr, "lanescope: %s\n", failure.text);
    print_refused_line(live);
    live_recorder_state(live, &recorder);
    if (recorder.note[0])
        fprintf(stderr, "lanescope: %s\n", recorder.note);
    return finish_with_table(live, path, options, exit_status, error);
}
