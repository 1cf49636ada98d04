/*
 * A recording on the screen: the loader fills the session in slices on the screen's own thread, so that the
 * screen can be used while the file loads; while the file still grows, the loader keeps checking it.
 */
#include "cli/model/lane_accesses.h"
#include "cli/model/line_costs.h"
#include "cli/model/model_job.h"
#include "cli/options/terminal.h"
#include "cli/screen/screen.h"
#include "cli/screen/workload_table.h"

#include "core/recording/readback/readback.h"
#include "core/recording/recording.h"
#include "tui/tui.h"
#include "workloads/frame/texts.h"

#include <string.h>

#define ROWS_PER_SLICE 20000

struct view {
    struct session *session;
    struct loader *loader;
    const char *path;
    struct model_job *job;
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
                             : line_costs_make(NULL, NULL, query, NULL, source, error);
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
