/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording on the screen: the loader fills the session in slices on the screen's own thread, so that the
 * screen can be used while the file loads; while the file still grows, the loader keeps checking it.
 */
#include "cli/model/model_counts.h"
#include "cli/model/model_job.h"
#include "cli/options/commands.h"
#include "cli/options/terminal.h"
#include "cli/screen/screen_job.h"
#include "cli/screen/workload_table.h"
#include "core/recording/readback/readback.h"
#include "core/recording/recording.h"
#include "tui/tui.h"
#include "workloads/frame/texts.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROWS_PER_SLICE 20000

struct view {
    struct session *session;
    struct loader *loader;
    const char *path;
    struct model_job *job;
    struct sheet_job sheet_job;
    struct what_if_job what_if_job, path_job;
    struct verdict_job verdict_job;
    bool done; /* nothing more for now */
    struct error error;
};

static struct session *view_session(void *context)
{
    return ((struct view *)context)->session;
}

static bool view_work(void *context)
{
    struct view *view = context;

    if (view->error.status != STATUS_OK || (view->done && !loader_growing(view->loader)))
        return false;
    view->done = false;
    if (loader_step(view->loader, ROWS_PER_SLICE, &view->done, &view->error) != STATUS_OK)
        return true;
    return !view->done;
}

static void view_state(void *context, struct tui_host_state *state)
{
    const struct view *view = context;

    *state = (struct tui_host_state){.overhead_pct = -1};
    state->progress = loader_progress(view->loader);
    state->loading = !view->done && view->error.status == STATUS_OK;
    state->live = loader_growing(view->loader);
    if (view->error.status != STATUS_OK) {
        state->severity = SEVERITY_ERROR;
        snprintf(state->text, sizeof state->text, "%.*s", (int)sizeof state->text - 1, view->error.text);
    } else if (state->live) {
        snprintf(state->text, sizeof state->text, "following a recording that is still being written");
    }
}

static enum status view_bookmark(void *context, const struct bookmark_row *row, struct error *error)
{
    return recording_add_bookmark(((const struct view *)context)->path, row, error);
}

static enum status view_source_of(void *context, const struct tui_source_query *query,
                                  struct tui_source *source, struct error *error)
{
    return query->background ? model_job_source(((struct view *)context)->job, query, source, error)
                             : line_costs_make(NULL, query, NULL, source, error);
}

static enum status view_accesses(void *context, const struct tui_access_query *query,
                                 struct tui_accesses *accesses, struct error *error)
{
    if (query->own && *query->own)
        return error_set(error, STATUS_STATE, "The kernels of %.80s are not part of the recording.",
                         query->own);
    return query->stated       ? lane_sites_make(NULL, query, accesses, error)
           : query->background ? model_job_accesses(((struct view *)context)->job, query, accesses, error)
                               : lane_accesses_make(NULL, NULL, query, NULL, accesses, error);
}

static void view_stop_counting(void *context)
{
    model_job_stop(((struct view *)context)->job);
}

static enum status view_sheet_rows(void *context, const struct sheet *sheet, struct sheet_kept *kept,
                                   bool *made, struct error *error)
{
    struct view *view = context;
    return sheet_job_rows(&view->sheet_job, view->session, sheet, kept, made, error);
}

static void view_stop_sheet(void *context)
{
    sheet_job_stop(&((struct view *)context)->sheet_job);
}

static enum status view_what_if(void *context, const struct tui_what_if_question *question,
                                struct tui_what_if_answer *answer, bool *made, struct error *error)
{
    struct view *view = context;
    struct what_if_job *job = question->kind == TUI_WHAT_IF_PATH ? &view->path_job : &view->what_if_job;
    return what_if_job_ask(job, view->session, question, answer, made, error);
}

static void view_stop_what_if(void *context)
{
    what_if_job_stop(&((struct view *)context)->what_if_job);
}

static void view_stop_path(void *context)
{
    what_if_job_stop(&((struct view *)context)->path_job);
}

static const struct run_verdict_share *view_judge(void *context, uint32_t run, bool *done)
{
    struct view *view = context;
    return verdict_job_judge(&view->verdict_job, view->session, run, done);
}

static void view_stop_judging(void *context)
{
    verdict_job_stop(&((struct view *)context)->verdict_job);
}

/* Waits until all that one picture needs is there. */
static enum status load_all(struct view *view, struct error *error)
{
    while (!view->done) {
        enum status status = loader_step(view->loader, ROWS_PER_SLICE, &view->done, error);

        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

enum status screen_view(const struct options *options, struct error *error)
{
    struct view view = {.path = options->file};
    const char *slash = strrchr(options->file, '/');
    struct tui_host host = {
        .context = &view,
        .session = view_session,
        .work = view_work,
        .state = view_state,
        .source = view_source_of,
        .accesses = view_accesses,
        .stop_counting = view_stop_counting,
        .bookmark = view_bookmark,
        .sheet_at = sheet_job_at,
        .sheet_rows = view_sheet_rows,
        .stop_sheet = view_stop_sheet,
        .what_if = view_what_if,
        .stop_what_if = view_stop_what_if,
        .stop_path = view_stop_path,
        .judge = view_judge,
        .stop_judging = view_stop_judging,
        .glossary = text_glossary(),
        .title = slash ? slash + 1 : options->file,
    };
    struct tui_options look = terminal_options(options);
    struct workload_table workloads;
    enum status status = workload_table_make(&workloads, error);

    if (status == STATUS_OK)
        status = model_job_create(&view.job, NULL, error);

    if (status == STATUS_OK)
        status = loader_open(&view.loader, &view.session, options->file, error);
    if (status != STATUS_OK) {
        workload_table_free(&workloads);
        model_job_destroy(view.job);
        return status;
    }
    session_set_memory_limit(view.session, options->memory_bytes - readback_share(options->memory_bytes),
                             false);
    if (options->memory_bytes > 0)
        status = readback_start(&host.readback, view.session, options->file,
                                readback_share(options->memory_bytes), error);
    host.workloads = workloads.rows;
    host.workload_count = workloads.count;
    if (status == STATUS_OK && options->snapshot) {
        status = load_all(&view, error);
        if (status == STATUS_OK)
            status = terminal_snapshot(&host, options, error);
    } else if (status == STATUS_OK) {
        status = tui_run(&host, &look, error);
    }
    model_job_destroy(view.job);
    readback_stop(host.readback);
    loader_close(view.loader);
    session_destroy(view.session);
    workload_table_free(&workloads);
    return status;
}

/* ---- the screen of another machine ---- */
/*
 * ssh joins its arguments with blanks and gives them to a shell on the other machine: the command is one
 * argument, with the file in single quotes. "--" ends ssh's options; a host that begins with - is refused
 * nevertheless, since not every ssh knows "--", and so is one behind USER@. An IPv6 address stands in
 * brackets, which ssh does not take.
 */

#define COMMAND_BYTES 8192
#define HOST_BYTES 256

/* Writes the command for the other machine's shell, "lanescope view 'FILE'", FILE quoted; false: no room. */
static bool follow_command(const char *file, char *command, size_t size_bytes)
{
    static const char before[] = "exec lanescope view '";
    size_t used = sizeof before - 1;

    if (size_bytes < sizeof before + 2)
        return false;
    memcpy(command, before, used);
    for (; *file; file++) {
        const char *piece = *file == '\'' ? "'\\''" : (char[]){*file, '\0'};
        size_t length = strlen(piece);

        if (used + length + 2 > size_bytes)
            return false;
        memcpy(command + used, piece, length);
        used += length;
    }
    memcpy(command + used, "'", 2);
    return true;
}

/* Parts HOST:FILE. */
static enum status follow_place(const char *place, char *host, size_t size_bytes, const char **file,
                                struct error *error)
{
    const char *first = strchr(place, ':'), *at = first ? memchr(place, '@', (size_t)(first - place)) : NULL;
    const char *bracket = place[0] == '[' ? place : at && at[1] == '[' ? at + 1 : NULL;
    const char *close = bracket ? strstr(bracket, "]:") : NULL;
    const char *colon = bracket ? close ? close + 1 : NULL : first;
    size_t length = colon ? (size_t)(colon - place) : 0, used = 0;

    *file = colon ? colon + 1 : "";
    if (length == 0 || !**file)
        return error_set(error, STATUS_USAGE,
                         "'%.200s' names no file on another machine: lanescope follow HOST:FILE.", place);
    if (place[0] == '-' || (at && at[1] == '-') || (bracket && bracket[1] == '-') || **file == '-')
        return error_set(error, STATUS_USAGE,
                         "The host and the file must not begin with '-': write ./%.100s for a file of that "
                         "name.",
                         *file);
    if (length >= size_bytes || strcspn(place, " \t\n'\"\\") < length)
        return error_set(error, STATUS_USAGE, "'%.*s' is not the name of a host.",
                         (int)(length < 200 ? length : 200), place);
    for (const char *from = place; from < colon; from++)
        if (from != bracket && from != close)
            host[used++] = *from;
    host[used] = '\0';
    return STATUS_OK;
}

enum status follow_run(const char *place, struct error *error)
{
    const char *file;
    const char *given = getenv("LANESCOPE_SSH"), *ssh = given && *given ? given : "ssh";
    char host[HOST_BYTES], command[COMMAND_BYTES];
    enum status status = follow_place(place, host, sizeof host, &file, error);

    if (status != STATUS_OK)
        return status;
    if (!follow_command(file, command, sizeof command))
        return error_set(error, STATUS_USAGE, "The name of the file is too long to pass to ssh.");
    execlp(ssh, ssh, "-t", "--", host, command, (char *)NULL);
    return error_set_errno(error, STATUS_IO, errno,
                           "Cannot run %.200s, which opens the other machine: is ssh installed?", ssh);
}
