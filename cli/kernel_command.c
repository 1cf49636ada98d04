/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The child's events go into a live session; when it has ended, its kernel's values are printed from that.
 */
#include "cli/options/commands.h"

#include "cli/children/kernel_source.h"
#include "cli/options/kernel_args.h"
#include "cli/output/memory.h"
#include "cli/process/paths.h"
#include "cli/report/report.h"
#include "cli/run/live.h"
#include "cli/run/record.h"
#include "cli/run/signals.h"
#include "core/analysis/kernel_index.h"
#include "core/base/clock.h"
#include "tui/terminal/text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TITLE_CELLS 36
#define VALUE_CELLS 16

/* ---- panels ---- */
struct panels {
    const struct session *session;
    struct kernel_index *index; /* every value is known: a missing one is not due to a lack of memory */
    uint32_t kernel;
    bool shown[PROVENANCE_COUNT]; /* columns */
    FILE *out;
};

static bool group_says(const struct panels *panels, enum metric_group group)
{
    for (enum metric metric = 0; metric < METRIC_COUNT; metric++) {
        for (enum provenance p = 0; metric_info(metric)->group == group && p < PROVENANCE_COUNT; p++) {
            struct value value = kernel_index_statistic(panels->index, panels->kernel, metric, p).value;

            if (panels->shown[p] && value.available && (value.word || value.number != 0))
                return true;
        }
    }
    return false;
}

static void print_metric(const struct panels *panels, enum metric metric)
{
    fprintf(panels->out, "  %-*s", TITLE_CELLS - 2, metric_info(metric)->title);
    for (enum provenance p = 0; p < PROVENANCE_COUNT; p++) {
        struct value value = kernel_index_statistic(panels->index, panels->kernel, metric, p).value;
        char text[64];

        metric_format(metric, &value, text, sizeof text);
        if (panels->shown[p])
            fprintf(panels->out, "%*s%c", VALUE_CELLS - 1, text,
                    value.available && value.derived ? '*' : ' ');
    }
    putc('\n', panels->out);
}

static void print_panels(const struct panels *panels)
{
    for (enum metric_group group = 0; group < METRIC_GROUP_COUNT; group++) {
        if (!group_says(panels, group))
            continue;
        fprintf(panels->out, "\n%-*s", TITLE_CELLS, metric_group_text(group));
        for (enum provenance p = 0; p < PROVENANCE_COUNT; p++)
            if (panels->shown[p])
                fprintf(panels->out, "%*s ", VALUE_CELLS - 1, provenance_text(p));
        putc('\n', panels->out);
        for (enum metric metric = 0; metric < METRIC_COUNT; metric++)
            if (metric_info(metric)->group == group)
                print_metric(panels, metric);
    }
}

static void print_head(const struct panels *panels, const struct options *options)
{
    const struct session *session = panels->session;
    const struct shape_row *shape = session_shape(session, session_kernel(session, panels->kernel)->shape);

    text_print(session_string(session, shape->name), panels->out);
    fprintf(panels->out, "\ngrid %ux%ux%u", shape->grid[0], shape->grid[1], shape->grid[2]);
    if (shape->cluster[0] > 1 || shape->cluster[1] > 1 || shape->cluster[2] > 1)
        fprintf(panels->out, ", clusters of %ux%ux%u", shape->cluster[0], shape->cluster[1],
                shape->cluster[2]);
    fprintf(panels->out, ", block %ux%ux%u", shape->block[0], shape->block[1], shape->block[2]);
    if (shape->registers_per_thread)
        fprintf(panels->out, ", %u registers", shape->registers_per_thread);
    fprintf(panels->out, ", %llu B shared\n",
            (unsigned long long)shape->static_shared_bytes + shape->dynamic_shared_bytes);
    for (uint32_t i = 0; i < session_device_count(session); i++) {
        const struct device_info *info = &session_device(session, i)->info;
        bool repeated = i > 0 && session_device(session, i - 1)->info.is_model == info->is_model;

        if (repeated)
            continue;
        fputs(info->is_model ? "device model of " : "on ", panels->out);
        text_print(info->name, panels->out);
        fputs(info->is_model ? ": its numbers are modelled, not measured\n" : "\n", panels->out);
    }
    if (options->rules) {
        char capability[ARCH_TEXT_BYTES];

        arch_text(options->rules, capability);
        fprintf(panels->out, "counted by the rules of compute capability %s\n", capability);
    }
}

/* The kernel's row, of the trace run if there is one; NONE: nothing was launched. */
static uint32_t find_kernel(const struct session *session)
{
    uint32_t found = NONE;

    for (uint32_t i = session_kernel_count(session); i-- > 0;) {
        const struct run_row *run = session_run(session, session_kernel(session, i)->run);

        if (run && (found == NONE || run_is_traced(run)))
            found = i;
    }
    return found;
}

static enum status print_kernel(const struct session *session, const struct options *options,
                                const struct device_choice *choice, FILE *out, struct error *error)
{
    struct panels panels = {.session = session,
                            .kernel = find_kernel(session),
                            .shown = {[PROVENANCE_EXPECTED] = true,
                                      [PROVENANCE_MODELLED] = choice->model != NULL,
                                      [PROVENANCE_MEASURED] = choice->gpu},
                            .out = out};

    if (panels.kernel == NONE)
        return STATUS_OK; /* the notices say why */
    if (options->format == REPORT_JSON)
        return report_json(session, NULL, 0, out, error);
    memory_check(kernel_index_create(&panels.index, session, NULL));
    print_head(&panels, options);
    print_panels(&panels);
    kernel_index_destroy(panels.index);
    return STATUS_OK;
}

/* ---- the run ---- */
/* Reports mistakes in the command line before anything runs. */
static enum status kernel_options_check(const struct options *options, struct error *error)
{
    static struct kernel_args args;
    struct kernel_source source;
    enum status status = kernel_args_parse(&args, options, error);

    if (status == STATUS_OK)
        status = kernel_source_open(&source, options->file, options->kernel_glob, error);
    if (status != STATUS_OK)
        return status;
    status = kernel_args_check(&args, source.kernel, error);
    kernel_source_close(&source);
    return status;
}

struct unfinished {
    struct live *live;
    const char *recording;
};

static int end_unfinished(void *context)
{
    const struct unfinished *unfinished = context;

    live_finish(unfinished->live, NULL, stderr, NULL);
    unlink(unfinished->recording);
    return EXIT_FAILED;
}

static void wait_for_end(struct live *live)
{
    while (live_busy(live)) {
        clock_pause(2 * NS_PER_MS);
        if (signals_asked_to_end())
            live_stop_children(live);
    }
}

enum status kernel_command(const struct options *options, int *exit_status, struct error *error)
{
    char recording[PATH_BYTES];
    bool json = options->format == REPORT_JSON;
    char *text = NULL;
    size_t size_bytes = 0;
    struct device_choice choice;
    struct live_options live_options = {
        .options = options, .choice = &choice, .recording = recording, .overwrite = true};
    struct live *live = NULL;
    struct error failure;
    enum status status = kernel_options_check(options, error), finished;

    if (status == STATUS_OK)
        status = device_choose(options, &choice, error);
    if (status == STATUS_OK && choice.gpu && choice.model && options->dumps.count)
        status =
            error_set(error, STATUS_USAGE,
                      "--dump-arg writes one result, and --device both has two: run it on one at a time.");
    if (status == STATUS_OK)
        status = path_of_live_recording(recording, error);
    if (status == STATUS_OK)
        status = live_start(&live, &live_options, error);
    if (status != STATUS_OK)
        return status;
    signals_forward_to(live);
    status = live_run_kernel(live, error);
    if (status == STATUS_OK) {
        wait_for_end(live);
        *exit_status = live_exit_status(live);
        live_settle(live);
        *exit_status = exit_status_of_session(live_session(live), options, *exit_status);
        live_error(live, &failure);
        if (failure.status != STATUS_OK)
            fprintf(stderr, "lanescope: %s\n", failure.text);
        if (*exit_status == EXIT_TIME_LIMIT)
            fprintf(stderr, "lanescope: The kernel reached the time limit of %g s and was ended.\n",
                    options->time_limit_s);
        memory_end_by(end_unfinished, &(struct unfinished){live, recording});
        /* What is printed is whole, or nothing is. */
        FILE *memory = open_memstream(&text, &size_bytes);
        memory_check(memory ? STATUS_OK : STATUS_MEMORY);
        status = print_kernel(live_session(live), options, &choice, memory, error);
        if (!json)
            live_copy_output(live, memory); /* the lines */
        report_notices(live_session(live), json ? stderr : memory);
        memory_check(fclose(memory) == 0 && text ? STATUS_OK : STATUS_MEMORY);
        memory_end_by(NULL, NULL);
        fwrite(text, 1, size_bytes, stdout);
        free(text);
    }
    signals_forward_to(NULL);
    finished = live_finish(live, NULL, stderr, status == STATUS_OK ? error : NULL);
    unlink(recording);
    return status == STATUS_OK ? finished : status;
}
